//! A witness as a small table: what goes in, and what either version makes of it.

use super::paint::{Paint, columns, cut, painted, wrapped};
use crate::witness_view::{MemoryView, OutcomeView, PointeeKind, ValueView, WitnessView, elements};

/// The longest list of lines of one kind.
const MOST: usize = 8;
/// The space between columns.
const GAP: usize = 3;
/// The widest cell, unless the table stands in lines below each other.
const WIDEST: usize = 60;

/// The longest cell where the table stands in lines below each other.
const LONGEST: usize = 400;
/// Shown if one version makes no further call and the other does.
pub(super) const NO_OUTPUT: &str = "no output";

/// What both versions do, aspect by aspect: the old version's line and the new one's.
pub(crate) type Rows = Vec<(String, String)>;

/// The lines of the table.
pub(super) fn table(witness: &WitnessView, width: usize, paint: &Paint) -> Vec<String> {
    let inputs = input_lines(witness);
    let ends = outcome_rows(witness);
    let widest = |cells: &mut dyn Iterator<Item = &str>| cells.map(columns).max().unwrap_or(0);
    let old = widest(&mut ends.iter().map(|(old, _)| old.as_str())).max(columns("old"));
    let new = widest(&mut ends.iter().map(|(_, new)| new.as_str())).max(columns("new"));
    let input = widest(&mut inputs.iter().map(String::as_str)).max(columns("input"));
    if input > WIDEST || input + old + new + 2 * GAP > width {
        return stacked(&inputs, &ends, width, paint);
    }
    let row = |a: &str, b: &str, c: &str| {
        let gap = |text: &str, to: usize| " ".repeat(to + GAP - columns(text));
        format!("{a}{}{b}{}{c}", gap(a, input), gap(b, old)).trim_end().to_owned()
    };
    let mut lines = vec![painted(paint.title, row("input", "old", "new"))];
    for index in 0..inputs.len().max(ends.len()) {
        let input = inputs.get(index).map_or("", String::as_str);
        let (old, new) = ends.get(index).map_or(("", ""), |(o, n)| (o.as_str(), n.as_str()));
        lines.push(row(input, old, new));
    }
    lines
}

fn stacked(inputs: &[String], ends: &Rows, width: usize, paint: &Paint) -> Vec<String> {
    let mut lines = vec![];
    let mut block = |title: &str, cells: Vec<&str>| {
        let mut first = true;
        for line in cells
            .iter()
            .flat_map(|cell| wrapped(&cut(cell, LONGEST), width.saturating_sub(8).max(20)))
        {
            let title = if std::mem::take(&mut first) { title } else { "" };
            lines.push(format!("{}  {line}", painted(paint.title, format!("{title:5}"))));
        }
    };
    block("input", inputs.iter().map(String::as_str).collect());
    block("old", ends.iter().map(|(old, _)| old.as_str()).collect());
    block("new", ends.iter().map(|(_, new)| new.as_str()).collect());
    lines
}

/// What goes in: parameters, memory, and allocations that fail.
pub(crate) fn input_lines(witness: &WitnessView) -> Vec<String> {
    let value = |value: &ValueView| with_indices(value, &witness.memory);
    let mut lines: Vec<String> =
        witness.inputs.iter().map(|(name, v)| format!("{name} = {}", value(v))).collect();
    for object in &witness.memory {
        lines.push(format!("{} = {}", object.name, whole(object, &witness.memory)));
    }
    lines.extend(failures(&witness.failures));
    if witness.reads_past_end {
        let what =
            "(a word is read past the end of an object; what it contains there does not matter)";
        lines.push(what.to_owned());
    }
    lines
}

/// The allocations that fail.
fn failures(numbers: &[u32]) -> Option<String> {
    let ordinal = |number: &u32| {
        let number = u64::from(*number) + 1;
        let ending = match (number % 10, number % 100) {
            (_, 11..=13) => "th",
            (1, _) => "st",
            (2, _) => "nd",
            (3, _) => "rd",
            _ => "th",
        };
        format!("{number}{ending}")
    };
    let mut all: Vec<String> = numbers.iter().map(ordinal).collect();
    let last = all.pop()?;
    Some(match all.is_empty() {
        true => format!("the {last} allocation fails"),
        false => format!("the {} and {last} allocations fail", all.join(", ")),
    })
}

/// What both versions do, aspect by aspect.
pub(crate) fn outcome_rows(witness: &WitnessView) -> Rows {
    let (old, new) = (&witness.old, &witness.new);
    let memory = memory(witness);
    let output = output(&old.output, &new.output);
    let mut rows = vec![];
    let only_returns_nothing = |end: &OutcomeView| outcome_text(end, &witness.memory) == "returns";
    let only_returns = only_returns_nothing(old) && only_returns_nothing(new);
    if !only_returns || (memory.is_empty() && output.is_empty()) {
        rows.push((outcome_text(old, &witness.memory), outcome_text(new, &witness.memory)));
    }
    rows.extend(memory);
    rows.extend(output);
    rows
}

/// The outcome of one version.
pub(super) fn outcome_text(end: &OutcomeView, memory: &[MemoryView]) -> String {
    if let Some(trap) = &end.trap {
        format!("traps: {trap}")
    } else if let Some(status) = end.exit {
        format!("exits with {status}")
    } else if let Some(function) = &end.left_through {
        format!("calls {function}, which never returns")
    } else if end.diverges {
        "does not terminate".to_owned()
    } else if let Some(value) = &end.returned {
        format!("returns {}", with_indices(value, memory))
    } else {
        "returns".to_owned()
    }
}

/// Memory at the end, place by place where it differs.
fn memory(witness: &WitnessView) -> Rows {
    let (old, new) = (&witness.old.memory, &witness.new.memory);
    let mut rows = vec![];
    for left in old {
        match new.iter().find(|right| right.name == left.name) {
            Some(right) => differing(left, right, witness, &mut rows),
            None => rows.push((line(left, witness), String::new())),
        }
    }
    for right in new.iter().filter(|right| old.iter().all(|left| left.name != right.name)) {
        rows.push((String::new(), line(right, witness)));
    }
    let more = rows.len().saturating_sub(MOST);
    if more > 0 {
        rows.truncate(MOST);
        rows.push((format!("… {more} more"), format!("… {more} more")));
    }
    rows
}

fn line(object: &MemoryView, witness: &WitnessView) -> String {
    match object.freed {
        true => format!("{} freed", object.name),
        false => format!("{} = {}", object.name, whole(object, &witness.memory)),
    }
}

fn differing(left: &MemoryView, right: &MemoryView, witness: &WitnessView, rows: &mut Rows) {
    let name = &left.name;
    if left.freed != right.freed {
        let state = |m: &MemoryView| if m.freed { "freed" } else { "not freed" };
        rows.push((format!("{name} {}", state(left)), format!("{name} {}", state(right))));
        return;
    }
    let texts = left.text.is_some() && right.text.is_some() && left.text != right.text;
    if texts || left.ctype != right.ctype || left.values.len() != right.values.len() {
        rows.push((line(left, witness), line(right, witness)));
        return;
    }
    for (index, (x, y)) in left.values.iter().zip(&right.values).enumerate() {
        let path = if is_array(left) { format!("{name}[{index}]") } else { name.clone() };
        places(&path, x, y, witness, rows);
    }
}

/// The first place where two returned structs differ, as either has it.
pub(super) fn within_results(witness: &WitnessView) -> Option<(String, String)> {
    let (old, new) = (witness.old.returned.as_ref()?, witness.new.returned.as_ref()?);
    let mut rows = vec![];
    if let (ValueView::Record(_), ValueView::Record(_)) = (old, new) {
        places("", old, new, witness, &mut rows);
    }
    rows.into_iter().next()
}

/// The places within two values where they differ.
fn places(path: &str, x: &ValueView, y: &ValueView, witness: &WitnessView, rows: &mut Rows) {
    use ValueView::{List, Record};
    match (x, y) {
        _ if x == y => {}
        (Record(xs), Record(ys)) if xs.iter().map(|(n, _)| n).eq(ys.iter().map(|(n, _)| n)) => {
            for ((name, x), (_, y)) in xs.iter().zip(ys) {
                places(&format!("{path}.{name}"), x, y, witness, rows);
            }
        }
        (List { values: xs, text: s }, List { values: ys, text: t })
            if xs.len() == ys.len() && (s.is_none() || t.is_none()) =>
        {
            for (index, (x, y)) in xs.iter().zip(ys).enumerate() {
                places(&format!("{path}[{index}]"), x, y, witness, rows);
            }
        }
        _ => {
            let shown = |v| format!("{path} = {}", with_indices(v, &witness.memory));
            rows.push((shown(x), shown(y)));
        }
    }
}

/// The calls of external functions, from the first that differs.
fn output(old: &[String], new: &[String]) -> Rows {
    if old.is_empty() && new.is_empty() {
        return vec![];
    }
    let alike = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let mut rows = vec![];
    if alike > 0 && (old.len() > alike || new.len() > alike) {
        let calls =
            if alike == 1 { "1 equal call".to_owned() } else { format!("{alike} equal calls") };
        rows.push((calls.clone(), calls));
    }
    let rest = |calls: &[String], index: usize| match calls.get(alike + index) {
        Some(call) => call.clone(),
        None if index == 0 => NO_OUTPUT.to_owned(),
        None => String::new(),
    };
    let count = old.len().max(new.len()) - alike;
    for index in 0..count.min(MOST) {
        rows.push((rest(old, index), rest(new, index)));
    }
    if count > MOST {
        rows.push((format!("… {} more", count - MOST), String::new()));
    }
    rows
}

fn is_array(object: &MemoryView) -> bool {
    object.ctype.ends_with(']')
}

/// All of an object.
fn whole(object: &MemoryView, memory: &[MemoryView]) -> String {
    if let Some(text) = &object.text {
        return text.clone();
    }
    let shown = |value: &ValueView| match value {
        ValueView::Named { .. } if is_array(object) => value.in_list(),
        value => with_indices(value, memory),
    };
    let values: Vec<String> = object.values.iter().map(shown).collect();
    let dots = if object.omitted > 0 { ", …" } else { "" };
    match is_array(object) {
        true => format!("{{{}{dots}}}", elements(&values)),
        false => values.concat(),
    }
}

/// A value; a pointer into an array that is shown names the element.
fn with_indices(value: &ValueView, memory: &[MemoryView]) -> String {
    let ValueView::Pointer { points_to, offset, target } = value else { return value.to_string() };
    let Some(object) = memory.iter().find(|m| m.name == *points_to) else {
        return value.to_string();
    };
    let step = i64::try_from(object.element_size).unwrap_or(0).max(1);
    match (is_array(object), offset) {
        _ if !matches!(target, PointeeKind::Memory | PointeeKind::Global) => value.to_string(),
        (true, 0) => points_to.clone(),
        (false, 0) => format!("&{points_to}"),
        (true, at) if at % step == 0 => format!("&{points_to}[{}]", at / step),
        _ => value.to_string(),
    }
}
