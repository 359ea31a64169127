//! What an editor shows above a function: one line, with the counterexample and the C test behind it.

use crate::report::{PairReport, Report};
use crate::sentences;
use crate::summary::{is_unchanged, undecided_reason};
use crate::text::{self, FunctionText, Style, cut, input_lines};
use crate::wording;
use serde::{Deserialize, Serialize};
use verdiff_judge::{Answer, Changed, Side, Verdict};

/// The longest title: editors show it on one line.
const LONGEST: usize = 100;

/// One line above a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lens {
    /// The function's name in the old version.
    pub function: String,
    /// The file of the new version.
    pub file: String,
    /// The line on which the function begins, from 1.
    pub first_line: u32,
    /// The line on which it ends.
    pub last_line: u32,
    /// The line: `equivalent to HEAD`.
    pub title: String,
    /// What a reader should know about the verdict: the counterexample, the reason, the proof.
    pub details: String,
    /// Whether there is a counterexample that both compiled programs have shown.
    pub has_counterexample: bool,
    /// The C test, if one was made: its name and its text.
    pub test: Option<(String, String)>,
    /// Further remarks, such as why there is no test.
    pub notes: Vec<String>,
}

impl Lens {
    /// The line for a function of which a difference is predicted, while it is still compared. `place` is its file and line in the
    /// new version.
    pub fn early(function: &str, place: (&str, u32), than: &str) -> Lens {
        let (file, line) = place;
        Lens {
            function: function.to_owned(),
            file: file.to_owned(),
            first_line: line,
            last_line: line,
            title: format!("may differ from {than} (comparing)"),
            details: "A difference is predicted. It is not confirmed yet; the comparison is still running."
                .to_owned(),
            has_counterexample: false,
            test: None,
            notes: vec![],
        }
    }
}

/// The lines for all functions whose code changed, and for those that differ because another one changed. `than` is the old
/// version's name for people: `HEAD`.
pub fn lenses(
    report: &Report,
    sources: &dyn Fn(Side, &str) -> Option<String>,
    than: &str,
) -> Vec<Lens> {
    let shown = report.pairs.iter().filter(|pair| is_worth_a_line(pair));
    shown.filter_map(|pair| lens(pair, sources, than)).collect()
}

fn is_worth_a_line(pair: &PairReport) -> bool {
    match pair.answer {
        Answer::Added | Answer::Removed => false,
        Answer::Judged(Verdict::Different { .. }) | Answer::Interface => true,
        Answer::Judged(_) => pair.changed != Changed::Callees && !is_unchanged(pair),
    }
}

fn lens(
    pair: &PairReport,
    sources: &dyn Fn(Side, &str) -> Option<String>,
    than: &str,
) -> Option<Lens> {
    let place = pair.new.as_ref().filter(|place| place.line > 0)?;
    let body = sources(Side::New, &place.file).and_then(|text| FunctionText::of(&text, place));
    let lines = body.map_or(1, |body| body.text.lines().count().max(1));
    Some(Lens {
        function: pair.function.clone(),
        file: place.file.clone(),
        first_line: place.line,
        last_line: place.line + u32::try_from(lines).unwrap_or(1) - 1,
        title: cut(&title(pair, than), LONGEST),
        details: text::one_function(pair, sources, &Style::default()),
        has_counterexample: pair.witness.as_ref().is_some_and(|w| w.replay.is_confirmed()),
        test: pair.tests.first().cloned(),
        notes: pair.notes.clone(),
    })
}

fn title(pair: &PairReport, than: &str) -> String {
    match &pair.answer {
        Answer::Judged(Verdict::Equivalent { .. }) => match pair.assuming.is_empty() {
            true => format!("equivalent to {than}"),
            false => format!("equivalent to {than}, assuming {}", pair.assuming.join(" and ")),
        },
        Answer::Judged(Verdict::Different { exact }) => different(pair, *exact, than),
        Answer::Judged(Verdict::Unknown(_)) => match undecided_reason(pair) {
            Some(reason) => format!("undecided: {}", sentences::stop_reason(reason)),
            None => "undecided".to_owned(),
        },
        Answer::Interface => format!("differs from {than}: the signature changed"),
        Answer::Added | Answer::Removed => wording::verdict(&pair.answer).to_owned(),
    }
}

/// The condition where it fits, else an input.
fn different(pair: &PairReport, exact: bool, than: &str) -> String {
    let fits = |c: &&str| c.len() <= LONGEST / 2 && *c != "0";
    for (condition, verb) in [
        (&pair.differ_under, "differs"),
        (&pair.new_only, "no longer hangs"),
        (&pair.old_only, "hangs"),
    ] {
        match condition.c.as_deref().filter(fits) {
            Some("1") => return format!("{verb} for every input"),
            Some(c) if exact => return format!("{verb} when {c}"),
            Some(c) => return format!("{verb} at least when {c}"),
            None => {}
        }
    }
    let inputs = pair.witness.as_ref().map(|witness| input_lines(&witness.shown));
    match inputs.filter(|inputs| !inputs.is_empty()) {
        Some(inputs) => format!("differs from {than}, for example when {}", inputs.join(", ")),
        None => format!("differs from {than}"),
    }
}
