//! Correlated states for people and scripts: what is equal at each output and at the end, and how the rest is
//! related.

mod paragraph;
mod picture;

pub(crate) use paragraph::correlation_sentences;
pub use picture::correlation_svg;

use serde_json::{Value, json};
use std::fmt::Write;
use verdiff_judge::correlation::{
    Compared, Correlation, CorrelationStop, Event, EventKind, Name, Point, PointState, Relation,
};

/// The schema's name.
const SCHEMA: &str = "verdiff-correlation/1";

/// The report of a correlation for a terminal.
pub fn correlation_text(correlation: &Correlation) -> String {
    let mut text = format!("{}: states at outputs and ends\n", correlation.function);
    if let Some(stopped) = &correlation.stopped {
        let _ = writeln!(text, "  nothing is known: {}", stop_sentence(stopped));
        return text;
    }
    let rare = |point: &&Point| point.states.iter().all(|state| state.overflowed);
    for point in correlation.points.iter().filter(|point| !rare(point)) {
        point_text(&mut text, point);
    }
    match correlation.points.iter().filter(rare).count() {
        0 => {}
        1 => text.push_str("\nAfter an overflow one more pair of outputs or ends is possible.\n"),
        count => {
            let _ = writeln!(
                text,
                "\nAfter an overflow {count} more pairs of outputs or ends are possible."
            );
        }
    }
    let _ = writeln!(text, "\n{}", closing_sentence(correlation));
    text
}

fn stop_sentence(stopped: &CorrelationStop) -> String {
    match stopped {
        CorrelationStop::Unsupported { construct, line } => {
            format!("{construct} in line {line} is not supported")
        }
        CorrelationStop::Budget => "the step limit was reached".to_owned(),
        CorrelationStop::NotInductive => "the states found could not be checked".to_owned(),
    }
}

/// What holds of entry values in the states in which an end may differ; empty for a state in which nothing is known of them.
fn conditions(correlation: &Correlation) -> Vec<String> {
    let mut conditions: Vec<String> = vec![];
    for (_, entry) in correlation.differing_ends() {
        let text = entry.iter().map(relation_text).collect::<Vec<_>>().join(" && ");
        if !conditions.contains(&text) {
            conditions.push(text);
        }
    }
    conditions
}

/// One sentence on the whole.
fn closing_sentence(correlation: &Correlation) -> String {
    let mut ends =
        correlation.points.iter().filter(|point| is_end(&point.old) && is_end(&point.new));
    let conditions = conditions(correlation);
    if ends.all(|point| point.states.is_empty()) {
        return "The two versions never end together in the states found.".to_owned();
    }
    if conditions.is_empty() {
        let hypothesis =
            if correlation.induction { ", by induction over the recursive calls" } else { "" };
        return format!(
            "Whenever both versions end, outputs and results are equal in all states found{hypothesis}."
        );
    }
    let mut all = correlation.points.iter().flat_map(|point| &point.states);
    let only_overflow = all.all(|state| state.overflowed || state.seen_equal);
    let beginning = match only_overflow {
        true => {
            "Without overflow, outputs and results are equal in all states found. After an overflow they"
        }
        false => "Outputs or results",
    };
    if conditions.iter().any(String::is_empty) {
        return format!("{beginning} may differ.");
    }
    format!("{beginning} can differ only if {}.", conditions.join("; or if "))
}

fn is_end(event: &Event) -> bool {
    !matches!(event.kind, EventKind::Output(_))
}

fn point_text(text: &mut String, point: &Point) {
    let mark = if point.equal { "=" } else { "!" };
    let _ = writeln!(text, "\n{mark} {}", heading(point));
    let several = point.states.len() > 1;
    for (number, state) in point.states.iter().enumerate() {
        if several {
            let seen = if state.seen_equal { "equal" } else { "may differ" };
            let overflow = if state.overflowed { ", after an overflow" } else { "" };
            let _ = writeln!(text, "  case {}: {seen}{overflow}", number + 1);
        }
        let indent = if several { "    " } else { "  " };
        state_text(text, state, indent);
    }
}

/// What both versions do at a point.
fn heading(point: &Point) -> String {
    let (old, new) = (event_text(&point.old), event_text(&point.new));
    let places = match (point.old.line, point.new.line) {
        (0, 0) => String::new(),
        (old, new) => format!(" (line {old} | line {new})"),
    };
    let verdict = match (point.equal, is_end(&point.old), is_end(&point.new)) {
        (true, true, true) => "equal",
        (true, ..) => "equal outputs",
        (false, true, true) => "may differ",
        (false, false, false) => "outputs may differ",
        (false, true, false) => "the new version outputs more",
        (false, false, true) => "the old version outputs more",
    };
    match old == new {
        true => format!("{old}{places}: {verdict}"),
        false => format!("{old} | {new}{places}: {verdict}"),
    }
}

fn event_text(event: &Event) -> String {
    match &event.kind {
        EventKind::Output(name) if name.is_empty() => "indirect call".to_owned(),
        EventKind::Output(name) => format!("{name}()"),
        EventKind::Return => "return".to_owned(),
        EventKind::Exit => "exit".to_owned(),
        EventKind::Trap(trap) => format!("trap: {trap}"),
    }
}

fn state_text(text: &mut String, state: &PointState, indent: &str) {
    let lists = [("equal", &state.equal), ("not proved equal", &state.unequal)];
    for (title, names) in lists.iter().filter(|(_, names)| !names.is_empty()) {
        let _ = writeln!(text, "{indent}{title}: {}", names.join(", "));
    }
    let relations: Vec<String> = state.relations.iter().map(relation_text).collect();
    // What is left of the numbers behind an overflow is seldom worth reading.
    if !relations.is_empty() && !state.overflowed {
        let _ = writeln!(text, "{indent}state: {}", relations.join(", "));
    }
}

/// A name: a prime for the new version; an entry value as in a contract.
fn name_text(name: &Name) -> String {
    match name {
        Name::Old(name) => name.clone(),
        Name::New(name) => format!("{name}'"),
        Name::Entry(name) => format!("entry({name})"),
    }
}

/// A relation with positive terms on either side: `i' == i + 1`.
pub(crate) fn relation_text(relation: &Relation) -> String {
    relation_with(relation, name_text)
}

/// The same with other names.
fn relation_with(relation: &Relation, name_text: impl Fn(&Name) -> String) -> String {
    let (mut left, mut right) = (vec![], vec![]);
    for (coefficient, name) in &relation.terms {
        let (negative, size) = match coefficient.strip_prefix('-') {
            Some(size) => (true, size),
            None => (false, &coefficient[..]),
        };
        let name = name_text(name);
        let term = if size == "1" { name } else { format!("{size}*{name}") };
        if negative { right.push(term) } else { left.push(term) }
    }
    match relation.constant.strip_prefix('-') {
        Some(size) => left.push(size.to_owned()),
        None if relation.constant != "0" => right.push(relation.constant.clone()),
        None => {}
    }
    let sum =
        |parts: Vec<String>| if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") };
    let (mut left, mut right, mut sign) = (
        sum(left),
        sum(right),
        match relation.relation {
            Compared::Equal => "==",
            Compared::AtLeast => ">=",
            Compared::Greater => ">",
        },
    );
    // `5 >= x` reads better the other way round.
    if left.bytes().all(|byte| byte.is_ascii_digit()) {
        std::mem::swap(&mut left, &mut right);
        sign = match sign {
            ">=" => "<=",
            ">" => "<",
            same => same,
        };
    }
    match relation.modulo {
        Some(bits) => format!("{left} {sign} {right} (modulo 2^{bits})"),
        None => format!("{left} {sign} {right}"),
    }
}

/// The same as JSON, a report of its own.
pub fn correlation_json(correlation: &Correlation) -> Value {
    let mut value = correlation_value(correlation);
    value["schema"] = json!(SCHEMA);
    value["function"] = json!(correlation.function);
    value["reason"] = json!(correlation.stopped.as_ref().map(stop_sentence));
    value
}

/// The same as a part of a report.
pub(crate) fn correlation_value(correlation: &Correlation) -> Value {
    let event = |event: &Event| json!({"event": event_text(event), "line": event.line});
    let state = |state: &PointState| {
        json!({
            "equal": state.equal,
            "not_proved_equal": state.unequal,
            "state": state.relations.iter().map(relation_text).collect::<Vec<_>>(),
            "entry": state.entry.iter().map(relation_text).collect::<Vec<_>>(),
            "overflowed": state.overflowed,
            "seen_equal": state.seen_equal,
        })
    };
    let point = |point: &Point| {
        json!({
            "old": event(&point.old),
            "new": event(&point.new),
            "equal": point.equal,
            "states": point.states.iter().map(state).collect::<Vec<_>>(),
        })
    };
    json!({
        "window": correlation.window,
        "partition_interval": correlation.interval,
        "steps": correlation.steps,
        "inductive": correlation.inductive,
        "induction_over_recursive_calls": correlation.induction,
        "conclusion": correlation.stopped.is_none().then(|| closing_sentence(correlation)),
        "points": correlation.points.iter().map(point).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_have_no_negative_terms() {
        let term = |coefficient: &str, name: Name| (coefficient.to_owned(), name);
        let relation = Relation {
            terms: vec![term("1", Name::New("i".into())), term("-5", Name::Old("i".into()))],
            relation: Compared::Equal,
            constant: "-3".into(),
            modulo: Some(32),
        };
        assert_eq!(relation_text(&relation), "i' + 3 == 5*i (modulo 2^32)");
        let bound = Relation {
            terms: vec![term("-1", Name::Entry("n".into()))],
            relation: Compared::AtLeast,
            constant: "-7".into(),
            modulo: None,
        };
        assert_eq!(relation_text(&bound), "entry(n) <= 7");
    }
}
