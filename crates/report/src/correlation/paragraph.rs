//! Correlated states in an ordinary report: one paragraph, and nothing if it would not help a reader.

use super::{event_text, is_end, relation_text, relation_with};
use std::collections::BTreeSet;
use verdiff_judge::correlation::{
    Compared, Correlation, EventKind, Name, Point, PointState, Relation,
};

/// How many pairs of outputs or ends are described.
const MOST_POINTS: usize = 3;
/// How many relations are given for each.
const MOST_RELATIONS: usize = 3;
/// The variable in which clang keeps the return value: the paragraph has the return value itself.
const RETURNED: &str = "retval";

/// How the states are related: a sentence for each output or end. Empty if there is nothing but variables that may
/// differ. If the exact condition of the difference is known (`exact`), there is no sentence about inputs.
pub(crate) fn correlation_sentences(correlation: &Correlation, exact: bool) -> Vec<String> {
    let usual = |point: &&Point| point.states.iter().any(|state| !state.overflowed);
    let points: Vec<&Point> = correlation.points.iter().filter(usual).collect();
    let described: Vec<Described> =
        points.iter().take(MOST_POINTS).map(|point| described(point)).collect();
    let condition = if exact { None } else { necessary(correlation) };
    if !described.iter().any(|point| point.helps) && condition.is_none() {
        return vec![];
    }
    let primes = described.iter().any(|point| point.primes);
    let entry = described.iter().find_map(|point| point.entry.clone());
    let mut sentences: Vec<String> = described.into_iter().map(|point| point.sentence).collect();
    // Two outputs in one line may have the same sentence.
    sentences.dedup();
    if points.len() > MOST_POINTS {
        let more = points.len() - MOST_POINTS;
        sentences.push(format!("{more} more pairs of outputs or ends are in the JSON report"));
    }
    sentences
        .extend(condition.map(|condition| format!("the versions can differ only if {condition}")));
    if primes {
        sentences.push("x' is x in the new version".to_owned());
    }
    if let Some(parameter) = entry {
        sentences.push(format!("entry({parameter}) is {parameter} at entry"));
    }
    sentences
}

/// What holds for the parameters at entry if outputs or results may differ: what all such states have in common.
fn necessary(correlation: &Correlation) -> Option<String> {
    let mut differing =
        correlation.points.iter().flat_map(|point| &point.states).filter(|state| !state.seen_equal);
    let mut common: Vec<&Relation> = differing.next()?.entry.iter().collect();
    for state in differing {
        common.retain(|relation| state.entry.contains(relation));
    }
    let plain = |name: &Name| match name {
        Name::Old(name) | Name::New(name) | Name::Entry(name) => name.clone(),
    };
    let texts: Vec<String> = common.iter().map(|relation| relation_with(relation, plain)).collect();
    (!texts.is_empty()).then(|| texts.join(" && "))
}

struct Described {
    sentence: String,
    /// Whether it says more than that something may differ.
    helps: bool,
    /// Whether it has variables of the new version.
    primes: bool,
    /// A parameter of whose value at entry it speaks.
    entry: Option<String>,
}

fn described(point: &Point) -> Described {
    let place = place(point);
    let outputs = !is_end(&point.old) && !is_end(&point.new);
    if point.equal {
        let what = if outputs { "all outputs so far" } else { "outputs, results and memory" };
        let sentence = format!("{place}: {what} are equal");
        return Described { sentence, helps: true, primes: false, entry: None };
    }
    let states: Vec<&PointState> = point.states.iter().filter(|state| !state.overflowed).collect();
    let is_shown = |name: &&String| *name != RETURNED;
    let unequal: BTreeSet<&String> =
        states.iter().flat_map(|state| &state.unequal).filter(is_shown).collect();
    let always = |name: &&String| states.iter().all(|state| state.equal.contains(name));
    let first = states.first().map_or(&[][..], |state| &state.equal);
    let equal: Vec<&str> =
        first.iter().filter(is_shown).filter(always).map(String::as_str).collect();
    let mut relations = common_relations(&states);
    relations.truncate(MOST_RELATIONS);
    let unequal: Vec<&str> = unequal.into_iter().map(String::as_str).collect();
    let mut sentence = place;
    match (&equal[..], &unequal[..]) {
        (_, []) => sentence.push_str(": the next output may differ"),
        ([], unequal) => sentence.push_str(&format!(": {} may differ", list(unequal))),
        (equal, unequal) => {
            let (are, may) = (if equal.len() == 1 { "is" } else { "are" }, list(unequal));
            sentence.push_str(&format!(": {} {are} equal, {may} may differ", list(equal)));
        }
    }
    let is_new = |(_, name): &(String, Name)| matches!(name, Name::New(_));
    let primes = relations.iter().any(|relation| relation.terms.iter().any(is_new));
    let entry =
        relations.iter().flat_map(|relation| &relation.terms).find_map(|(_, name)| match name {
            Name::Entry(parameter) => Some(parameter.clone()),
            Name::Old(_) | Name::New(_) => None,
        });
    if !relations.is_empty() {
        let texts: Vec<String> = relations.iter().map(|relation| relation_text(relation)).collect();
        sentence.push_str(&format!(" ({})", texts.join(", ")));
    }
    let variables = equal.iter().any(|name| !["memory", "outputs so far"].contains(name));
    Described { sentence, helps: !relations.is_empty() || (outputs && variables), primes, entry }
}

/// The relations of one variable in both versions, to each other or to parameters at entry, that hold in each state in
/// which something may differ; those of both versions first.
fn common_relations<'s>(states: &[&'s PointState]) -> Vec<&'s Relation> {
    let mut differing = states.iter().filter(|state| !state.seen_equal);
    let Some(first) = differing.next() else { return vec![] };
    let of_one_variable = |relation: &&Relation| {
        let variable = |name: &Name| match name {
            Name::Old(name) | Name::New(name) => Some(name.clone()),
            Name::Entry(_) => None,
        };
        let names: BTreeSet<String> =
            relation.terms.iter().filter_map(|(_, name)| variable(name)).collect();
        let of = |wanted: fn(&Name) -> bool| relation.terms.iter().any(|(_, name)| wanted(name));
        let both = of(|name| matches!(name, Name::Old(_))) && of(|n| matches!(n, Name::New(_)));
        // A bound on one version's variable says little.
        let says_much = both || relation.relation == Compared::Equal;
        says_much
            && names.len() == 1
            && names.iter().all(|name| name != RETURNED && first.unequal.contains(name))
    };
    let mut common: Vec<&Relation> = first.relations.iter().filter(of_one_variable).collect();
    for state in differing {
        common.retain(|relation| state.relations.contains(relation));
    }
    common.sort_by_key(|relation| {
        let of = |wanted: fn(&Name) -> bool| relation.terms.iter().any(|(_, name)| wanted(name));
        let both = of(|name| matches!(name, Name::Old(_))) && of(|n| matches!(n, Name::New(_)));
        (!both, relation.relation != Compared::Equal)
    });
    common
}

/// Where a point is, as the beginning of a sentence.
fn place(point: &Point) -> String {
    let lines = match (point.old.line, point.new.line) {
        (0, 0) => String::new(),
        (old, new) if old == new => format!(" in line {old}"),
        (old, new) => format!(" in line {old} (new version: line {new})"),
    };
    match (&point.old.kind, &point.new.kind) {
        (EventKind::Output(a), EventKind::Output(b)) if a == b => {
            format!("at {}{lines}", event_text(&point.old))
        }
        (old, new) if old == new => format!("when both versions {}", ends(old)),
        (old, new) => {
            format!("when the old version {} and the new version {}", at(old), at(new))
        }
    }
}

/// How both versions end, after "both versions".
fn ends(kind: &EventKind) -> &'static str {
    match kind {
        EventKind::Output(_) => "make an output",
        EventKind::Return => "return",
        EventKind::Exit => "exit",
        EventKind::Trap(_) => "trap",
    }
}

/// What one version does, after "the old version".
fn at(kind: &EventKind) -> String {
    match kind {
        EventKind::Output(name) if name.is_empty() => "makes an indirect call".to_owned(),
        EventKind::Output(name) => format!("calls {name}()"),
        EventKind::Return => "returns".to_owned(),
        EventKind::Exit => "exits".to_owned(),
        EventKind::Trap(trap) => format!("traps ({trap})"),
    }
}

/// `a`, `a and b`, `a, b and c`.
fn list(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_judge::correlation::Event;

    fn state(equal: &[&str], unequal: &[&str], relations: Vec<Relation>, seen: bool) -> PointState {
        let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect();
        PointState {
            equal: names(equal),
            unequal: names(unequal),
            relations,
            entry: vec![],
            overflowed: false,
            seen_equal: seen,
        }
    }

    fn one_more() -> Relation {
        Relation {
            terms: vec![("1".into(), Name::New("i".into())), ("-1".into(), Name::Old("i".into()))],
            relation: Compared::Equal,
            constant: "1".into(),
            modulo: None,
        }
    }

    #[test]
    fn outputs_and_relations_are_told() {
        let event = |kind, line| Event { kind, line };
        let output = |line| event(EventKind::Output("printf".into()), line);
        let printed = state(&["x", "outputs so far"], &["i"], vec![], true);
        let returned = state(&["x"], &["i"], vec![one_more()], false);
        let points = vec![
            Point { old: output(9), new: output(9), equal: true, states: vec![printed] },
            Point {
                old: event(EventKind::Return, 12),
                new: event(EventKind::Return, 14),
                equal: false,
                states: vec![returned],
            },
        ];
        let correlation = Correlation { inductive: true, points, ..Correlation::default() };
        assert_eq!(
            correlation_sentences(&correlation, false),
            [
                "at printf() in line 9: all outputs so far are equal",
                "when both versions return: x is equal, i may differ (i' == i + 1)",
                "x' is x in the new version",
            ]
        );
    }

    #[test]
    fn the_value_of_a_parameter_at_entry_is_explained() {
        let relation = Relation {
            terms: vec![
                ("1".into(), Name::New("i".into())),
                ("-1".into(), Name::Entry("n".into())),
            ],
            relation: Compared::Equal,
            constant: "0".into(),
            modulo: None,
        };
        let states = vec![state(&[], &["i", "retval"], vec![relation], false)];
        let event = || Event { kind: EventKind::Return, line: 3 };
        let points = vec![Point { old: event(), new: event(), equal: false, states }];
        let correlation = Correlation { inductive: true, points, ..Correlation::default() };
        assert_eq!(
            correlation_sentences(&correlation, false),
            [
                "when both versions return: i may differ (i' == entry(n))",
                "x' is x in the new version",
                "entry(n) is n at entry",
            ]
        );
    }

    #[test]
    fn a_relation_of_one_case_is_not_told_of_all() {
        let event = || Event { kind: EventKind::Return, line: 3 };
        let states = vec![
            state(&["n"], &["i"], vec![one_more()], false),
            state(&["n"], &["i"], vec![], false),
        ];
        let points = vec![Point { old: event(), new: event(), equal: false, states }];
        let correlation = Correlation { inductive: true, points, ..Correlation::default() };
        assert_eq!(correlation_sentences(&correlation, false), Vec::<String>::new());
    }
}
