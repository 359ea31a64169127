//! Reports written by hand, as plan and witness would make them.

use verdiff_judge::correlation::{
    Compared, Correlation, Event, EventKind, Name, Point, PointState, Relation,
};
use verdiff_judge::{
    Answer, Candidate, Changed, EngineOutcome, EngineRun, Field, Kind, Obligation,
    RelatedProcedures, RelatedResults, Replay, Rule, SourceLocation, StopReason, Termination,
    Verdict,
};
use verdiff_report::{
    ConditionText, EvidenceReport, MemoryView, OutcomeView, PairReport, PointeeKind, Report,
    ValueView, WitnessReport, WitnessView,
};

/// A report on these functions.
pub fn report(pairs: Vec<PairReport>) -> Report {
    Report {
        old_files: vec!["old.c".to_owned()],
        new_files: vec!["new.c".to_owned()],
        options: vec![("timeout".to_owned(), "10".to_owned())],
        assumptions: vec![
            "signed overflow wraps".to_owned(),
            "external functions are deterministic".to_owned(),
        ],
        assumed_shortly: vec!["wrapping overflow".to_owned()],
        pairs,
        ..Report::default()
    }
}

/// A function on line 3 of both files of which nothing else is said.
pub fn pair(function: &str, changed: Changed, answer: Answer) -> PairReport {
    let place = |file: &str| Some(SourceLocation { file: file.to_owned(), line: 3 });
    PairReport {
        function: function.to_owned(),
        old: place("old.c"),
        new: place("new.c"),
        renamed: None,
        changed,
        answer,
        kinds: vec![],
        termination: Termination::Unknown,
        equal_under: condition("0"),
        differ_under: condition("0"),
        alike_under: condition("0"),
        split_under: condition("0"),
        old_only: condition("0"),
        new_only: condition("0"),
        open_under: Default::default(),
        ends_exact: false,
        in_calls: false,
        assuming: vec![],
        evidence: vec![],
        witness: None,
        local: None,
        correlation: None,
        impact: None,
        boundaries: vec![],
        reason: None,
        effect: None,
        notes: vec![],
        engines: vec![],
        cached: false,
        ms: 1.5,
        reproducible: true,
        counts: true,
        accepted: None,
        tests: vec![],
    }
}

/// A condition with some SMT-LIB beside it.
pub fn condition(c: &str) -> ConditionText {
    let smt = match c {
        "0" => "false",
        "1" => "true",
        _ => "(= x #x00000004)",
    };
    ConditionText { c: Some(c.to_owned()), smt: smt.to_owned() }
}

/// An equivalent function, proved.
pub fn equivalent(function: &str) -> PairReport {
    PairReport {
        termination: Termination::Alike,
        equal_under: condition("1"),
        alike_under: condition("1"),
        evidence: vec![EvidenceReport {
            adds: Field::EqualUnder,
            engine: "flat".to_owned(),
            rule: Rule::Flat { by_rewriting: true },
            because: "both compute x * 2".to_owned(),
            obligations: vec![Obligation {
                name: "the pair".to_owned(),
                smt: "(assert false)\n(check-sat)\n".to_owned(),
            }],
            file: None,
            uses: vec!["abs".to_owned()],
            assumes: vec![],
            cut: false,
        }],
        engines: vec![EngineRun {
            name: "flat".to_owned(),
            ms: 1.25,
            outcome: EngineOutcome::Proof,
        }],
        ..pair(function, Changed::Text, Answer::Judged(Verdict::Equivalent { vacuous: false }))
    }
}

/// A function that is proved by executing its loops together.
pub fn with_loops() -> PairReport {
    let mut pair = equivalent("loops");
    let relations = vec![RelatedProcedures {
        old: "f.loop1".to_owned(),
        new: "f.loop1".to_owned(),
        lines: [Some(5), Some(6)],
        results: RelatedResults::Same,
        relation: vec!["new.n == old.n".to_owned(), "new.s == 3*old.i".to_owned()],
        unfolded: [1, 0],
    }];
    pair.evidence[0].rule = Rule::PartEqRelated { relations };
    pair
}

/// An undecided function whose states are related.
pub fn with_states() -> PairReport {
    let answer = Answer::Judged(Verdict::Unknown(StopReason::Time));
    let mut pair = pair("states", Changed::Text, answer);
    let relation = Relation {
        terms: vec![
            ("1".to_owned(), Name::New("i".to_owned())),
            ("-1".to_owned(), Name::Old("i".to_owned())),
        ],
        relation: Compared::Equal,
        constant: "1".to_owned(),
        modulo: None,
    };
    let state = PointState {
        equal: vec!["x".to_owned()],
        unequal: vec!["i".to_owned()],
        relations: vec![relation],
        entry: vec![],
        overflowed: false,
        seen_equal: false,
    };
    let event = |line| Event { kind: EventKind::Return, line };
    let point = Point { old: event(5), new: event(6), equal: false, states: vec![state] };
    let correlation =
        Correlation { inductive: true, points: vec![point], ..Correlation::default() };
    pair.correlation = Some(Box::new(correlation));
    pair
}

/// A different function with a witness.
pub fn different(
    function: &str,
    exact: bool,
    kinds: &[Kind],
    condition_c: &str,
    shown: WitnessView,
) -> PairReport {
    let mut pair = pair(function, Changed::Text, Answer::Judged(Verdict::Different { exact }));
    pair.kinds = kinds.to_vec();
    pair.differ_under = condition(condition_c);
    pair.witness = Some(confirmed(shown, kinds));
    pair
}

/// A confirmed witness.
pub fn confirmed(shown: WitnessView, kinds: &[Kind]) -> WitnessReport {
    let candidate = Candidate::new("testing", Default::default(), Default::default());
    let (replay, executed) = (Replay::Confirmed, Default::default());
    WitnessReport { candidate, replay, kinds: kinds.to_vec(), shown, executed }
}

/// An integer.
pub fn int(value: i128) -> ValueView {
    ValueView::Integer(value.to_string())
}

/// A pointer into shown memory.
pub fn pointer(points_to: &str, offset: i64) -> ValueView {
    ValueView::Pointer { points_to: points_to.to_owned(), offset, target: PointeeKind::Memory }
}

/// An array of ints under a name.
pub fn ints(name: &str, values: &[i128]) -> MemoryView {
    MemoryView {
        name: name.to_owned(),
        ctype: format!("int[{}]", values.len()),
        values: values.iter().map(|v| int(*v)).collect(),
        element_size: 4,
        ..MemoryView::default()
    }
}

/// Inputs by name.
pub fn inputs(inputs: &[(&str, ValueView)]) -> Vec<(String, ValueView)> {
    inputs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
}

/// An end that returns.
pub fn returned(value: ValueView) -> OutcomeView {
    OutcomeView { returned: Some(value), ..OutcomeView::default() }
}
