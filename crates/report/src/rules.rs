//! The codes of results: each kind of difference and each reason of an undecided function has one. SARIF and
//! GitLab know them as rules, and `verdiff explain CODE` prints their texts.

use crate::report::PairReport;
use crate::summary::undecided_reason;
use crate::wording;
use verdiff_judge::{Answer, StopReason, Verdict};

/// The code of a file that could not be compared.
pub(crate) const NOT_COMPARED: &str = "not-compared";

/// A kind of result.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its code: `different-value`.
    pub code: &'static str,
    /// What it is, in one sentence.
    pub short: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What the user can do.
    pub advice: &'static str,
    /// Where the book says more.
    pub page: &'static str,
}

/// All rules, in a fixed order.
pub const RULES: &[Rule] = &[
    Rule {
        code: "different-value",
        short: "The return value differs.",
        meaning: "There is an input for which both versions return, but with different values. The difference was \
                  confirmed by running both compiled programs on the input that the report shows.",
        advice: "Look at the condition under which the versions differ. If the change is intended, accept it with \
                 `verdiff accept REPORT.json`. If no caller passes such an input, state that with --assume F:EXPR.",
        page: "docs/book/report.md",
    },
    Rule {
        code: "different-memory",
        short: "Memory that a caller can read differs.",
        meaning: "There is an input for which both versions return, but leave different contents in a global or in \
                  memory behind a pointer, or only one of them frees an object.",
        advice: "The table of the counterexample lists the objects that differ. If pointers that alias cause the \
                 difference and no caller passes such pointers, use --no-alias.",
        page: "docs/book/report.md",
    },
    Rule {
        code: "different-output",
        short: "The calls of external functions, or the exit status, differ.",
        meaning: "There is an input for which the versions call external functions (puts, write, ...) in another \
                  order, with other arguments or another number of times, or exit with another status.",
        advice: "The table of the counterexample lists the first calls that differ. Accept an intended change with \
                 `verdiff accept REPORT.json`.",
        page: "docs/book/report.md",
    },
    Rule {
        code: "different-trap",
        short: "Only one version traps, or they trap in different ways.",
        meaning: "There is an input for which one version stops with a trap: a division by zero, an access out of \
                  bounds, a failed assertion. If only the new version traps, this is most likely a defect.",
        advice: "If the new version traps, guard the operation at the reported line, or state with --assume F:EXPR \
                 that no caller passes such an input.",
        page: "docs/book/report.md",
    },
    Rule {
        code: "different-termination",
        short: "Only one version terminates.",
        meaning: "There is an input for which one version terminates and it is proved that the other does not. Both \
                  were run: one terminated, the other was stopped at the time limit.",
        advice: "Look at the loop that the report names. --ignore-termination ignores such differences.",
        page: "docs/book/meaning.md",
    },
    Rule {
        code: "different-interface",
        short: "The signature changed.",
        meaning: "Callers of one version cannot call the other one. The common part of both signatures is compared \
                  as well, and a note gives the result.",
        advice: "Adapt all callers, and accept the change with `verdiff accept REPORT.json`.",
        page: "docs/book/report.md",
    },
    Rule {
        code: "different-global",
        short: "A global that other files can see changed.",
        meaning: "The initial value, size or visibility of a global is not the same in both versions, or other \
                  functions run before or after main.",
        advice: "Check the files that use the global, and accept an intended change.",
        page: "docs/book/report.md",
    },
    Rule {
        code: "unknown-time",
        short: "Undecided: the time limit was reached.",
        meaning: "No difference was found and no proof was completed within the limit. This is not a verdict: the \
                  function may be equivalent or different.",
        advice: "Allow more time with --timeout SECONDS (and --budget for the whole run), judge the function alone \
                 with --entry F, or exclude inputs with --assume F:EXPR.",
        page: "docs/book/limits.md",
    },
    Rule {
        code: "unknown-memory",
        short: "Undecided: the memory limit was reached.",
        meaning: "A worker process ran out of the memory that it may use before the function was decided.",
        advice: "Allow more memory with --memory MiB and use fewer workers at once with --jobs N.",
        page: "docs/book/limits.md",
    },
    Rule {
        code: "unknown-unsupported",
        short: "Undecided: unsupported code.",
        meaning: "The function, or one that it calls, contains a construct that the model cannot express, such as \
                  setjmp or asm goto. verdiff never guesses what such code does.",
        advice: "Move the construct to a function of its own that does not change. Functions with unsupported code \
                 are equivalent if their code is unchanged and their callees are equal.",
        page: "docs/book/limits.md",
    },
    Rule {
        code: "unknown-incomplete",
        short: "Undecided: no engine found a proof or a difference.",
        meaning: "All engines stopped by themselves. Typical causes are loops whose proof needs an invariant about \
                  memory, very large formulas, and callees that are undecided.",
        advice: "Exclude inputs that no caller passes with --assume F:EXPR, try --no-alias if pointer parameters do \
                 not overlap, split the change into smaller ones, or allow more time with --timeout SECONDS.",
        page: "docs/book/limits.md",
    },
    Rule {
        code: "unknown-internal",
        short: "Undecided: an internal error.",
        meaning: "verdiff contradicted itself or crashed on this function. Other results are not affected.",
        advice: "Please report it with both versions of the function.",
        page: "docs/book/troubleshooting.md",
    },
    Rule {
        code: NOT_COMPARED,
        short: "A file could not be compared.",
        meaning: "The file does not compile in one of the versions with the flags that were used, so its functions \
                  were not analysed.",
        advice: "State how the file is compiled: --build 'make', -p compile_commands.json, or --cflags.",
        page: "docs/book/git.md",
    },
];

/// The rule with a code.
pub(crate) fn rule(code: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.code == code)
}

/// The code of a result; `None` if there is nothing to tell: the function is equivalent, added or removed.
pub(crate) fn code_of(pair: &PairReport) -> Option<String> {
    match &pair.answer {
        Answer::Interface => Some(kind_code(&["interface"], false)),
        Answer::Judged(Verdict::Different { .. }) => {
            let kinds: Vec<&str> =
                pair.kinds.iter().map(|kind| wording::kind_word(*kind)).collect();
            Some(kind_code(&kinds, pair.is_global()))
        }
        Answer::Judged(Verdict::Unknown(_)) => {
            let kind = undecided_reason(pair).map_or("incomplete", reason_kind);
            Some(format!("unknown-{kind}"))
        }
        Answer::Judged(Verdict::Equivalent { .. }) | Answer::Added | Answer::Removed => None,
    }
}

/// The code of a difference: the most serious of its kinds.
pub(crate) fn kind_code(kinds: &[&str], is_global: bool) -> String {
    const BY_WEIGHT: [&str; 6] = ["interface", "trap", "termination", "value", "memory", "output"];
    let kind = match is_global {
        true => "global",
        false => BY_WEIGHT.into_iter().find(|kind| kinds.contains(kind)).unwrap_or("value"),
    };
    format!("different-{kind}")
}

/// The kind of a reason, as in the JSON report.
pub(crate) fn reason_kind(reason: &StopReason) -> &'static str {
    match reason {
        StopReason::Time => "time",
        StopReason::Memory => "memory",
        StopReason::Unsupported { .. } => "unsupported",
        StopReason::Incomplete { .. } => "incomplete",
        StopReason::Internal { .. } => "internal",
    }
}
