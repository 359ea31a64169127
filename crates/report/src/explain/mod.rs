//! `verdiff explain`: the meaning of a code, and the explanation of one verdict, told from a JSON report.

mod explanation;
mod reasons;

pub use explanation::explain_function;
pub(crate) use reasons::{reason, reason_code};

use crate::rules::RULES;
use crate::text::wrapped;
use reasons::REASONS;

/// How wide explanations are.
const WIDTH: usize = 96;

/// Words of a report that are neither kinds nor reasons.
const WORDS: [(&str, &str); 12] = [
    (
        "equivalent",
        "Proved: for every input for which both versions terminate, result, memory, output and traps are equal.",
    ),
    (
        "different",
        "There is an input for which the versions behave differently, confirmed by running both compiled programs.",
    ),
    (
        "unknown",
        "Undecided: neither a proof nor a confirmed difference was found. The report states the reason.",
    ),
    ("added", "Only the new version defines the function. It is ignored for the exit code."),
    ("removed", "Only the old version defines the function. It is ignored for the exit code."),
    (
        "vacuous",
        "Equivalent, but no run is known in which both versions terminate: there is nothing that could differ.",
    ),
    ("exact", "Every input is covered by the conditions of the report: none is undecided."),
    (
        "alike",
        "Termination: for every input, one version terminates if and only if the other does.",
    ),
    (
        "split",
        "Termination: for some input, exactly one version terminates. That is proved, and both were run.",
    ),
    (
        "boundary",
        "The lines that contain the effect of a change: past them, both versions are in the same state.",
    ),
    (
        "local",
        "The verdict on a change by itself, with callees replaced by arbitrary functions that both versions share.",
    ),
    ("impact", "What a change elsewhere means for a function whose own code did not change."),
];

/// The meaning of a code or word of a report; `None` if there is no such code.
pub fn explain_code(code: &str) -> Option<String> {
    let wanted = code.trim().to_lowercase().replace('_', "-");
    let mut parts: Vec<String> = vec![];
    for rule in RULES {
        let (_, kind) = rule.code.split_once('-').unwrap_or_default();
        if rule.code == wanted || kind == wanted {
            let text = [rule.short, rule.meaning, rule.advice].map(paragraph);
            parts.push(format!(
                "{}: {}\n{}\n\nWhat to do: {}\n\nSee {}.",
                rule.code, text[0], text[1], text[2], rule.page
            ));
        }
    }
    if let Some(reason) = reason(&wanted) {
        let text = [reason.meaning, reason.advice].map(paragraph);
        parts.push(format!(
            "{} (a reason of unknown-incomplete)\n\n{}\n\nWhat to do: {}",
            reason.code, text[0], text[1]
        ));
    }
    if let Some((word, meaning)) = WORDS.iter().find(|(word, _)| *word == wanted) {
        parts.push(format!("{word}\n\n{}", paragraph(meaning)));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n") + "\n")
}

/// All codes, for somebody who does not know one.
pub fn explained_codes() -> String {
    let mut text = String::from("Results:\n");
    for rule in RULES {
        text += &format!("  {:24} {}\n", rule.code, rule.short);
    }
    text += "\nReasons of unknown-incomplete:\n";
    let codes: Vec<&str> = REASONS.iter().map(|reason| reason.code).collect();
    for line in wrapped(&codes.join(" "), WIDTH - 2) {
        text += &format!("  {line}\n");
    }
    text += "\nWords:\n";
    let words: Vec<&str> = WORDS.iter().map(|(word, _)| *word).collect();
    text += &format!("  {}\n", words.join(" "));
    text
}

fn paragraph(text: &str) -> String {
    wrapped(text, WIDTH).join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_that_is_listed_is_explained() {
        let listed = explained_codes();
        let codes = listed.lines().filter(|line| line.starts_with("  ")).flat_map(|line| {
            let one = line.contains(". ") || line.ends_with('.');
            line.split_whitespace().take(if one { 1 } else { usize::MAX })
        });
        let mut count = 0;
        for code in codes {
            assert!(explain_code(code).is_some(), "{code}");
            count += 1;
        }
        assert_eq!(count, RULES.len() + REASONS.len() + WORDS.len());
    }

    #[test]
    fn a_word_with_two_meanings_has_both() {
        let text = explain_code("memory").unwrap();
        assert!(text.contains("different-memory:") && text.contains("unknown-memory:"), "{text}");
        assert!(explain_code("no_induction").unwrap().contains("What to do"));
        assert_eq!(explain_code("nonsense"), None);
    }
}
