//! The texts for the impact of a change: its boundary, its local verdict, and its effect on callers.

use crate::report::{ConditionText, LocalReport, PairReport};
use crate::witness_view::OutcomeView;
use verdiff_judge::{
    Account, Answer, Boundary, Comparison, Impact, ImpactBy, ImpactKind, Local, LocalVerdict,
    Termination, Verdict,
};

/// More names than this are counted, not listed.
const MOST: usize = 3;

/// The local verdict with the sentence that says it: "the change in f itself is equivalent; it calls g, which is
/// undecided".
pub(crate) fn local_report(
    function: &str,
    local: &Local,
    account: &Account,
    comparison: &Comparison,
) -> LocalReport {
    let names: Vec<String> =
        local.modulo.iter().map(|pair| comparison.pair(*pair).function.clone()).collect();
    let answer = |name: &String| {
        let judged = account.pairs.iter().find(|pair| pair.function == *name)?;
        Some(&judged.answer)
    };
    let differs = |name: &String| {
        let answer = answer(name);
        matches!(answer, Some(Answer::Judged(Verdict::Different { .. }) | Answer::Interface))
    };
    let which = match (names.iter().filter(|name| differs(name)).count(), names.len()) {
        (0, 1) => "which is undecided",
        (0, _) => "which are undecided",
        (1, 1) => "which differs",
        (some, all) if some == all => "which differ",
        _ => "which differ or are undecided",
    };
    let change = match local.verdict {
        LocalVerdict::Equivalent => format!("the change in {function} itself is equivalent"),
        LocalVerdict::Different => format!(
            "the change in {function} itself makes a difference, with the old version's callees"
        ),
        LocalVerdict::Unknown => format!("the change in {function} itself is undecided"),
    };
    let sentence = match names.is_empty() {
        true => change,
        false => format!("{change}; it calls {}, {which}", enumeration(&names)),
    };
    LocalReport { verdict: local.verdict, modulo: names, sentence }
}

/// Which regions contain the changes: "the change in composite() has no effect beyond lines 5-6 of sum_primes()".
pub(crate) fn containment_sentences(boundaries: &[Boundary]) -> Vec<String> {
    let mut sentences = vec![];
    let mut left: Vec<&Boundary> = boundaries.iter().collect();
    while let Some(first) = left.first().copied() {
        let same = |b: &&Boundary| b.function == first.function && b.callees == first.callees;
        let mut lines: Vec<(u32, u32)> =
            left.iter().filter(|b| same(b)).map(|b| (b.first_line, b.last_line)).collect();
        left.retain(|b| !same(b));
        lines.sort_unstable();
        lines.dedup();
        let several = lines.len() > 1 || lines.iter().any(|(first, last)| first != last);
        let one = |(first, last): &(u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        let places: Vec<String> = lines.iter().map(one).collect();
        let calls: Vec<String> = first.callees.iter().map(|name| format!("{name}()")).collect();
        let (change, verb) = match calls.len() {
            0 => ("the change".to_owned(), "has"),
            1 => (format!("the change in {}", enumeration(&calls)), "has"),
            _ => (format!("the changes in {}", enumeration(&calls)), "have"),
        };
        let word = if several { "lines" } else { "line" };
        let place = format!("{word} {} of {}()", enumeration(&places), first.function);
        sentences.push(format!("{change} {verb} no effect beyond {place}"));
    }
    sentences
}

/// The hull of all regions, for scripts that want one.
pub(crate) fn enclosing_region(boundaries: &[Boundary]) -> Option<Boundary> {
    let first = boundaries.first()?;
    let same = || boundaries.iter().filter(|b| b.function == first.function);
    Some(Boundary {
        first_line: same().map(|b| b.first_line).min()?,
        last_line: same().map(|b| b.last_line).max()?,
        ..first.clone()
    })
}

/// What a change elsewhere does to a function: "may be affected through str_rep".
pub(crate) fn impact_text(impact: &Impact) -> String {
    format!("{} {}", verb(impact, false), cause(impact))
}

/// What a change elsewhere does: to one function, or to several.
fn verb(impact: &Impact, several: bool) -> &'static str {
    match (impact.kind, impact.by, several) {
        (ImpactKind::None, ..) => "not affected by the change",
        (ImpactKind::Proved, ..) => "affected",
        (ImpactKind::Possible, ImpactBy::Callback, false) => "possibly affected",
        (ImpactKind::Possible, ImpactBy::Callback, true) => "are possibly affected",
        (ImpactKind::Possible, ..) => "may be affected",
    }
}

/// How it gets there: "through str_rep", "through a call-back of cmp".
fn cause(impact: &Impact) -> String {
    let names = abbreviated_list(&impact.through);
    match (impact.by, names.is_empty()) {
        (ImpactBy::Call, false) => format!("through {names}"),
        (ImpactBy::Call, true) => "through its callees".to_owned(),
        (ImpactBy::Callback, false) => format!("through a call-back of {names}"),
        (ImpactBy::Callback, true) => "through a call-back".to_owned(),
        (ImpactBy::Global, false) => format!("through the data of {names}"),
        (ImpactBy::Global, true) => "through constants or globals that it uses".to_owned(),
    }
}

/// Undecided callers, one line for each change that may affect them: "12 functions may be affected through str_rep: a,
/// b, c and 9 more". What may be affected by several changes stands with the nearest one.
pub(crate) fn group_lines(pairs: &[&PairReport]) -> Vec<String> {
    let mut groups: Vec<(Impact, Vec<String>)> = vec![];
    for pair in pairs {
        let Some(impact) = &pair.impact else { continue };
        let nearest: Vec<String> = impact.through.iter().take(1).cloned().collect();
        let same =
            |known: &Impact| known.by == impact.by && known.through.first() == nearest.first();
        match groups.iter_mut().find(|(known, _)| same(known)) {
            Some((known, names)) => {
                let new = impact.through.iter().filter(|name| !known.through.contains(name));
                let new: Vec<String> = new.cloned().collect();
                known.through.extend(new);
                names.push(pair.function.clone());
            }
            None => groups.push((impact.clone(), vec![pair.function.clone()])),
        }
    }
    let line = |(impact, names): (Impact, Vec<String>)| {
        let (verb, cause) = (verb(&impact, names.len() > 1), cause(&impact));
        match &names[..] {
            [one] if impact.by == ImpactBy::Callback => format!("{one} is {verb} {cause}"),
            [one] => format!("{one} {verb} {cause}"),
            all => {
                let hint = if all.len() > MOST { " (`-v` lists them)" } else { "" };
                format!("{} functions {verb} {cause}: {}{hint}", all.len(), abbreviated_list(all))
            }
        }
    };
    groups.into_iter().map(line).collect()
}

/// What the changes mean for a function whose own code did not change, in one sentence.
pub(crate) fn client_sentence(pair: &PairReport) -> Option<String> {
    let impact = pair.impact.as_ref()?;
    let name = format!("{}()", pair.function);
    let calls = cause_names(impact);
    let change = match calls.len() {
        0 => "the change".to_owned(),
        1 => format!("the change in {}", calls[0]),
        _ => format!("the changes in {}", abbreviated_list(&calls)),
    };
    Some(match (&pair.answer, impact.kind) {
        (_, ImpactKind::None) => {
            let mut regions = containment_sentences(&pair.boundaries);
            match (regions.len(), regions.pop()) {
                (1, Some(region)) => format!("{name} is not affected: {region}"),
                _ => format!("{name} is not affected by {change}"),
            }
        }
        (Answer::Judged(Verdict::Equivalent { .. }), _) => {
            let within = match pair.termination {
                Termination::Alike => "for all valid inputs",
                _ => "wherever both versions terminate",
            };
            format!("{name} behaves the same {within}, despite {change}")
        }
        (_, ImpactKind::Proved) => {
            format!("{name} is affected by {change}: it {}", difference_text(pair))
        }
        (_, ImpactKind::Possible) => format!("undecided: {}", possible_impact(pair, impact)),
    })
}

/// What an impact comes from: functions with brackets, data without.
pub(crate) fn cause_names(impact: &Impact) -> Vec<String> {
    match impact.by {
        ImpactBy::Global => impact.through.clone(),
        _ => impact.through.iter().map(|name| format!("{name}()")).collect(),
    }
}

/// That a function may be affected: "main() may be affected through str_rep".
pub(crate) fn possible_impact(pair: &PairReport, impact: &Impact) -> String {
    let is = if impact.by == ImpactBy::Callback { "is " } else { "" };
    format!("{}() {is}{}", pair.function, impact_text(impact))
}

/// That a function differs, and when: "parity() differs exactly when x < 0, for instance with x = -1".
pub(crate) fn difference_sentence(pair: &PairReport) -> String {
    format!("{}() {}", pair.function, difference_text(pair))
}

fn difference_text(pair: &PairReport) -> String {
    let exact = matches!(pair.answer, Answer::Judged(Verdict::Different { exact: true }));
    let ends_exact = exact || pair.ends_exact;
    let mut parts = vec![
        condition_text(&pair.differ_under, exact).map(|when| format!("differs {when}")),
        condition_text(&pair.old_only, ends_exact)
            .map(|when| format!("does not terminate in the new version {when}")),
        condition_text(&pair.new_only, ends_exact)
            .map(|when| format!("does not terminate in the old version {when}")),
    ];
    if parts.iter().all(Option::is_none) {
        parts.push(Some("differs".to_owned()));
    }
    let when = enumeration(&parts.into_iter().flatten().collect::<Vec<_>>());
    match example_text(pair) {
        Some(example) => format!("{when}, for instance {example}"),
        None => when,
    }
}

/// For which inputs something holds, in C, where that is short.
fn condition_text(condition: &ConditionText, exact: bool) -> Option<String> {
    /// Longer conditions are in the report.
    const SHORT: usize = 80;
    let when = if exact { "exactly when" } else { "when" };
    match condition.c.as_deref()? {
        "0" => None,
        "1" => Some("for every input".to_owned()),
        c if c.len() > SHORT => None,
        c => Some(format!("{when} {c}")),
    }
}

/// An input that shows a difference: "with x = 4 (returns 3 instead of 5)".
fn example_text(pair: &PairReport) -> Option<String> {
    let shown = &pair.witness.as_ref()?.shown;
    let inputs: Vec<String> =
        shown.inputs.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let with = match inputs.is_empty() {
        true => return None,
        false => format!("with {}", inputs.join(", ")),
    };
    if let (Some(old), Some(new)) = (&shown.old.returned, &shown.new.returned) {
        return Some(match old == new {
            true => with,
            false => format!("{with} (the new version returns {new} instead of {old})"),
        });
    }
    let trap = |version: &str, outcome: &OutcomeView| {
        outcome.trap.as_ref().map(|trap| format!("the {version} version traps: {trap}"))
    };
    let traps: Vec<String> =
        [trap("old", &shown.old), trap("new", &shown.new)].into_iter().flatten().collect();
    Some(match traps.is_empty() {
        true => with,
        false => format!("{with} ({})", traps.join("; ")),
    })
}

/// The first few names, and how many more there are.
pub(crate) fn abbreviated_list(names: &[String]) -> String {
    let mut shown: Vec<String> = names.iter().take(MOST).cloned().collect();
    if names.len() > MOST {
        shown.push(format!("{} more", names.len() - MOST));
    }
    enumeration(&shown)
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn enumeration(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn region(function: &str, lines: (u32, u32), callees: &[&str]) -> Boundary {
        let callees = callees.iter().map(|name| (*name).to_owned()).collect();
        let (first_line, last_line) = lines;
        Boundary { function: function.to_owned(), first_line, last_line, callees }
    }

    #[test]
    fn regions_are_said_with_their_lines() {
        let one = [region("sum_primes", (5, 6), &["composite"])];
        let sentences = containment_sentences(&one);
        assert_eq!(
            sentences,
            ["the change in composite() has no effect beyond lines 5-6 of sum_primes()"]
        );
        let own = [region("f", (9, 9), &[])];
        assert_eq!(containment_sentences(&own), ["the change has no effect beyond line 9 of f()"]);
        let several = [
            region("f", (9, 9), &["a", "b"]),
            region("f", (3, 4), &["a", "b"]),
            region("f", (7, 7), &[]),
        ];
        let sentences = containment_sentences(&several);
        assert_eq!(
            sentences,
            [
                "the changes in a() and b() have no effect beyond lines 3-4 and 9 of f()",
                "the change has no effect beyond line 7 of f()",
            ]
        );
        let hull = enclosing_region(&several).unwrap();
        assert_eq!((hull.first_line, hull.last_line), (3, 9));
    }

    #[test]
    fn an_impact_is_said_with_its_cause() {
        let of = |kind, by, through: &[&str]| {
            let through = through.iter().map(|name| (*name).to_owned()).collect();
            impact_text(&Impact { kind, through, by })
        };
        use ImpactBy::*;
        use ImpactKind::*;
        assert_eq!(of(Possible, Call, &["str_rep"]), "may be affected through str_rep");
        let by_callback = of(Possible, Callback, &["cmp"]);
        assert_eq!(by_callback, "possibly affected through a call-back of cmp");
        assert_eq!(of(Proved, Global, &["table"]), "affected through the data of table");
        let many = of(ImpactKind::None, Call, &["a", "b", "c", "d", "e"]);
        assert_eq!(many, "not affected by the change through a, b, c and 2 more");
    }
}
