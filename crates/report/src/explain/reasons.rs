//! Why engines gave up: a code for each reason, what it means, and what the user can do.

use verdiff_judge::{Incomplete, StopReason};

/// A reason for which a function is undecided.
#[derive(Debug, PartialEq, Eq)]
pub struct Reason {
    /// Its code: `no-induction`.
    pub code: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// What the user can do.
    pub advice: &'static str,
}

/// Defines the reasons, and the list of all of them.
macro_rules! reasons {
    ($($name:ident $code:literal $meaning:literal $advice:literal;)*) => {
        $(static $name: Reason = Reason { code: $code, meaning: $meaning, advice: $advice };)*
        /// All reasons for which engines give up.
        pub(crate) static REASONS: &[&Reason] = &[$(&$name),*];
    };
}

reasons! {
    SIGNATURE "signature"
        "The signature changed, so the functions are compared only in their common part."
        "Read the note on the common part.";
    NOT_ANALYSED "not-analysed"
        "No engine worked on the function, mostly because the budget of the run was used up before."
        "Raise --budget SECONDS, or judge the function alone with --entry F.";
    INTERRUPTED_BEFORE "interrupted-before"
        "The run was interrupted before the function was analysed."
        "Run verdiff again; finished results come from the cache.";
    INTERRUPTED "interrupted"
        "The run was interrupted while the function was analysed."
        "Run verdiff again; finished results come from the cache.";
    NO_INPUT "no-input"
        "No input satisfies the preconditions of --assume, so there is nothing to compare."
        "Check the expressions of --assume for contradictions.";
    PRECONDITION "precondition"
        "A precondition of --assume cannot be evaluated for this function."
        "Use only parameters, constants and operators in --assume.";
    UNDER_PRECONDITIONS "under-preconditions"
        "The engine that explores paths does not work under preconditions."
        "Try without --assume, or state a weaker precondition.";
    UNDEFINED_OVERFLOW "undefined-overflow"
        "With --overflow ub, overflow is not decided symbolically yet."
        "Compare with wrapping overflow (the default).";
    OTHER_CODE "other-code"
        "The code differs in more than names and order, so the cheapest engine has no result."
        "Nothing: other engines continue after this one.";
    NO_COUNTERPART "no-counterpart"
        "The function may call a function that the other version does not have."
        "If the callee was renamed, use --rename OLD=NEW.";
    CALLEES "callees"
        "The code is the same, but some callee is not known to be equal."
        "Look at the callees first: this function is decided when they are.";
    TOO_MANY_CALLS "too-many-calls"
        "The formula with all callees inlined is too large."
        "Decide the callees first, or allow more time with --timeout SECONDS.";
    TOO_LARGE "too-large"
        "The formula for the function is too large."
        "Split the change, or exclude inputs with --assume F:EXPR.";
    TOO_DEEP "too-deep"
        "Calls are nested too deeply to be inlined."
        "Decide the callees first.";
    LOOP "loop"
        "The function, or one that it calls, has a loop, which a single formula cannot express."
        "Nothing: the engines for loops continue after this one.";
    NO_ATTEMPT "no-attempt"
        "No strategy of the engine decided the function."
        "Exclude inputs with --assume F:EXPR, or allow more time with --timeout SECONDS.";
    COUNTEREXAMPLE "counterexample"
        "The solver's counterexample did not reproduce when it was executed, so it is no difference."
        "Pointers that overlap are a common cause: try --no-alias.";
    WRONG_MODEL "wrong-model"
        "The solver returned an assignment that does not satisfy its own formula."
        "Please report it with both versions of the function.";
    SOME_PATHS "some-paths"
        "Some paths were not explored within the limits. The conditions for the explored ones are in the report."
        "Allow more time with --timeout SECONDS, or bound the inputs with --assume F:EXPR.";
    NO_PATH "no-path"
        "No path was explored to its end."
        "Allow more time with --timeout SECONDS, or bound the inputs with --assume F:EXPR.";
    CALLEE_RESULTS "callee-results"
        "The results of some callees are not known, and the outcome depends on them."
        "Look at the callees first: this function is decided when they are.";
    NO_INDUCTION "no-induction"
        "No induction over loops or recursion proves that both versions are equal. Typical causes are an invariant \
         about memory, interchanged loops, and loops replaced by a formula."
        "Bound the inputs with --assume F:EXPR, or keep the structure of the loops.";
    NO_INDUCTION_IN_PARTS "no-induction-in-parts"
        "Induction proves nothing for any subset of the inputs that the code distinguishes."
        "Bound the inputs with --assume F:EXPR.";
    INDUCTION_IN_PARTS "induction-in-parts"
        "Induction proves the versions equal for some inputs only; the report has the condition."
        "State with --assume F:EXPR that other inputs do not occur, if that is so.";
    NO_CYCLE "no-cycle"
        "There is no loop and no recursion, so there is no question about termination."
        "Nothing: this is not a problem.";
    OPEN_CALLS "open-calls"
        "The function calls one that may not terminate."
        "Look at the callees first.";
    TANGLED "tangled"
        "The loops or recursive calls are nested in a way that the termination engine does not handle."
        "Use --criterion partial (the default), which does not need termination.";
    TERMINATION "termination"
        "It is proved neither that both versions terminate nor that one of them does not."
        "Use --criterion partial (the default), which does not need termination.";
    EQUAL_TERMINATION "equal-termination"
        "Outcomes are equal, but --criterion full also requires that both versions terminate for the same inputs."
        "Use --criterion partial, or bound the inputs with --assume F:EXPR.";
    AROUND_MAIN "around-main"
        "What runs before or after main (constructors, atexit handlers), or a variable that a library may read (opterr), is not known to be equal."
        "Judge other functions with --entry F.";
    ROUNDING "rounding"
        "The function may change how floating-point operations round."
        "Nothing: such code is not supported.";
    NO_DIFFERENCE "no-difference"
        "Test runs found no difference. That is no proof."
        "Nothing: other engines try to prove it.";
    ONLY_TESTED "only-tested"
        "A test run found a difference; for which other inputs the versions differ is not known."
        "Look at the counterexample; more time may give the exact condition.";
    NOT_RUN "not-run"
        "A difference was predicted, but could not be confirmed by running both compiled programs."
        "Read the reason in the report: a missing library or a call without a stub is a common cause.";
    UNSUPPORTED_IN "unsupported-in"
        "A function that was entered contains a construct that the model cannot express."
        "Move the construct to a function that does not change.";
    CONSTRUCT "construct"
        "Symbolic execution does not support a construct of the function."
        "Nothing: test runs still look for differences.";
    UNALIASED "unaliased"
        "Paths are not explored with --no-alias."
        "Try without --no-alias.";
    HYPOTHESIS "hypothesis"
        "An induction would need an assumption that does not hold here: a loop allocates memory, or accesses local \
         objects."
        "Allocate outside the loop, or bound the number of iterations with --assume F:EXPR.";
    SOLVER_GAVE_UP "solver-gave-up"
        "The solver returned no answer."
        "Allow more time with --timeout SECONDS.";
    SOLVER_FAILED "solver-failed"
        "The solver crashed, or its answer could not be read."
        "Please report it with both versions of the function.";
    FORMULA "formula"
        "A formula could not be built."
        "Please report it with both versions of the function.";
}

/// The code of a reason for which engines give up; `None` for the other kinds, whose kind says it.
pub(crate) fn reason_code(reason: &StopReason) -> Option<&'static str> {
    let StopReason::Incomplete { why } = reason else { return None };
    let reason = match why {
        Incomplete::Signature => &SIGNATURE,
        Incomplete::NotAnalysed => &NOT_ANALYSED,
        Incomplete::InterruptedBefore => &INTERRUPTED_BEFORE,
        Incomplete::Interrupted => &INTERRUPTED,
        Incomplete::NoInput => &NO_INPUT,
        Incomplete::Precondition => &PRECONDITION,
        Incomplete::UnderPreconditions => &UNDER_PRECONDITIONS,
        Incomplete::UndefinedOverflow => &UNDEFINED_OVERFLOW,
        Incomplete::OtherCode => &OTHER_CODE,
        Incomplete::NoCounterpart => &NO_COUNTERPART,
        Incomplete::Callees => &CALLEES,
        Incomplete::TooManyCalls => &TOO_MANY_CALLS,
        Incomplete::TooLarge => &TOO_LARGE,
        Incomplete::TooDeep => &TOO_DEEP,
        Incomplete::Loop(_) => &LOOP,
        Incomplete::NoAttempt => &NO_ATTEMPT,
        Incomplete::Counterexample => &COUNTEREXAMPLE,
        Incomplete::WrongModel => &WRONG_MODEL,
        Incomplete::SomePaths => &SOME_PATHS,
        Incomplete::NoPath => &NO_PATH,
        Incomplete::CalleeResults => &CALLEE_RESULTS,
        Incomplete::NoInduction => &NO_INDUCTION,
        Incomplete::NoInductionInParts => &NO_INDUCTION_IN_PARTS,
        Incomplete::InductionInParts => &INDUCTION_IN_PARTS,
        Incomplete::NoCycle => &NO_CYCLE,
        Incomplete::OpenCalls => &OPEN_CALLS,
        Incomplete::Tangled => &TANGLED,
        Incomplete::Termination => &TERMINATION,
        Incomplete::EqualTermination => &EQUAL_TERMINATION,
        Incomplete::AroundMain => &AROUND_MAIN,
        Incomplete::Rounding => &ROUNDING,
        Incomplete::NoDifference { .. } => &NO_DIFFERENCE,
        Incomplete::OnlyTested { .. } => &ONLY_TESTED,
        Incomplete::NotRun(_) => &NOT_RUN,
        Incomplete::UnsupportedIn { .. } => &UNSUPPORTED_IN,
        Incomplete::Construct(_) => &CONSTRUCT,
        Incomplete::Unaliased => &UNALIASED,
        Incomplete::Hypothesis(_) => &HYPOTHESIS,
        Incomplete::SolverGaveUp(_) => &SOLVER_GAVE_UP,
        Incomplete::SolverFailed(_) => &SOLVER_FAILED,
        Incomplete::Formula(_) => &FORMULA,
    };
    Some(reason.code)
}

/// The reason with a code.
pub(crate) fn reason(code: &str) -> Option<&'static Reason> {
    REASONS.iter().copied().find(|reason| reason.code == code)
}
