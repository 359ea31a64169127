//! Where two versions differ, as a number line for one integer parameter or a grid for two.

use super::expression::{Expression, IntegerType, Parameter};
use crate::report::{ConditionText, PairReport};
use serde_json::{Value, json};
use verdiff_judge::{Answer, Verdict};

/// The most values of one parameter on a number line.
const MOST_ON_LINE: usize = 41;
/// The same for each side of a grid.
const MOST_IN_GRID: usize = 15;

/// What is known of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InputState {
    Equal,
    Different,
    Open,
}

impl InputState {
    fn letter(self) -> char {
        match self {
            InputState::Equal => 'e',
            InputState::Different => 'd',
            InputState::Open => 'o',
        }
    }
}

/// The conditions that decide about an input.
struct Decision {
    different: Vec<Expression>,
    equal: Option<Expression>,
    exact: bool,
}

/// The picture of a function's conditions, given the text of its head; `None` if they are about anything but one or two
/// integer parameters.
///
/// `{"names": ["x"], "x": [-1, 0, 1], "cells": ["eed"], "gaps": true}`: one string for each value of the second
/// parameter, one letter for each value of the first. `gaps`: nothing changes between listed values.
pub(super) fn picture(pair: &PairReport, head: &str) -> Option<Value> {
    let conditions = [&pair.differ_under, &pair.old_only, &pair.new_only];
    let shown: Vec<&str> =
        conditions.into_iter().filter_map(|c| c.c.as_deref()).filter(|c| *c != "0").collect();
    let equal = pair.equal_under.c.as_deref();
    let declared = parameters(head)?;
    let used: Vec<Parameter> = declared
        .into_iter()
        .filter(|p| shown.iter().copied().chain(equal).any(|text| mentions(text, &p.name)))
        .collect();
    if used.is_empty() || used.len() > 2 {
        return None;
    }
    if conditions.into_iter().any(|c: &ConditionText| c.c.is_none()) {
        return None;
    }
    let decision = Decision {
        different: shown.iter().map(|c| Expression::parse(c, &used)).collect::<Option<Vec<_>>>()?,
        equal: equal.and_then(|c| Expression::parse(c, &used)),
        exact: matches!(pair.answer, Answer::Judged(Verdict::Different { exact: true })),
    };
    if decision.different.is_empty() && decision.equal.is_none() {
        return None;
    }
    let most = if used.len() == 1 { MOST_ON_LINE } else { MOST_IN_GRID };
    let axes: Vec<Vec<i128>> =
        used.iter().map(|p| decision.values(p.ctype, most)).collect::<Option<_>>()?;
    let rows: Vec<i128> = axes.get(1).cloned().unwrap_or_else(|| vec![0]);
    let cells: Vec<String> = rows
        .iter()
        .map(|y| axes[0].iter().map(|x| decision.state(&[*x, *y]).letter()).collect())
        .collect();
    // A picture of one colour says no more than the sentence beside it.
    let first = cells.first()?.chars().next()?;
    if cells.iter().all(|row| row.chars().all(|cell| cell == first)) {
        return None;
    }
    let text = |values: &[i128]| values.iter().map(i128::to_string).collect::<Vec<_>>();
    Some(json!({
        "names": used.iter().map(|p| p.name.clone()).collect::<Vec<_>>(),
        "x": text(&axes[0]),
        "y": axes.get(1).map(|axis| text(axis)),
        "cells": cells,
        "gaps": decision.all().all(Expression::only_compares),
    }))
}

impl Decision {
    fn all(&self) -> impl Iterator<Item = &Expression> {
        self.different.iter().chain(&self.equal)
    }

    fn state(&self, values: &[i128]) -> InputState {
        let mut known = true;
        for condition in &self.different {
            match condition.evaluate(values) {
                Some(0) => {}
                Some(_) => return InputState::Different,
                None => known = false,
            }
        }
        let equal = self.equal.as_ref().and_then(|condition| condition.evaluate(values));
        match equal {
            Some(value) if value != 0 => InputState::Equal,
            _ if self.exact && known => InputState::Equal,
            _ => InputState::Open,
        }
    }

    /// The values at which something may change: each constant and its neighbours, and the ends of the type.
    fn values(&self, ctype: IntegerType, most: usize) -> Option<Vec<i128>> {
        let mut constants = vec![0];
        self.all().for_each(|condition| condition.constants(&mut constants));
        let (low, high) = ctype.range();
        let mut values: Vec<i128> =
            constants.iter().flat_map(|c| [c - 2, c - 1, *c, c + 1, c + 2]).collect();
        // Where the constants are close to each other, the line has no gaps.
        let (first, last) = (*values.iter().min()?, *values.iter().max()?);
        if last - first < most as i128 {
            values = (first..=last).collect();
        }
        values.retain(|value| (low..=high).contains(value));
        values.sort_unstable();
        values.dedup();
        (values.len() <= most && !values.is_empty()).then_some(values)
    }
}

/// Whether a name is one of the words of a text.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

/// The integer parameters of a function, from its text; `None` if the head is not plain C.
pub(super) fn parameters(head: &str) -> Option<Vec<Parameter>> {
    Some(declarations(head)?.iter().filter_map(|d| integer_parameter(d)).collect())
}

/// The declarations between the brackets of a function's head.
pub(super) fn declarations(head: &str) -> Option<Vec<String>> {
    let head = head.split('{').next()?;
    let (open, close) = (head.find('(')?, head.rfind(')')?);
    let inside = head.get(open + 1..close)?;
    if inside.contains(['(', '/', '"', '#']) {
        return None;
    }
    Some(
        inside
            .split(',')
            .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect(),
    )
}

fn integer_parameter(declaration: &str) -> Option<Parameter> {
    let words: Vec<&str> =
        declaration.split(' ').filter(|w| !matches!(*w, "const" | "register")).collect();
    let (name, types) = words.split_last()?;
    if types.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let ctype = |bits, signed| Some(IntegerType { bits, signed });
    let ctype = match types {
        ["int8_t"] => ctype(8, true),
        ["uint8_t"] => ctype(8, false),
        ["int16_t"] => ctype(16, true),
        ["uint16_t"] => ctype(16, false),
        ["int32_t"] => ctype(32, true),
        ["uint32_t"] => ctype(32, false),
        ["int64_t"] | ["ssize_t"] | ["ptrdiff_t"] => ctype(64, true),
        ["uint64_t"] | ["size_t"] => ctype(64, false),
        words => {
            let known = ["int", "signed", "unsigned", "short", "long", "char"];
            if words.iter().any(|word| !known.contains(word)) {
                return None;
            }
            let bits = match words {
                words if words.contains(&"char") => 8,
                words if words.contains(&"short") => 16,
                words if words.contains(&"long") => 64,
                _ => 32,
            };
            ctype(bits, !words.contains(&"unsigned"))
        }
    };
    Some(Parameter { name: (*name).to_owned(), ctype: ctype? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read_from_the_text() {
        let names = |head: &str| -> Option<Vec<(String, u32, bool)>> {
            let all = parameters(head)?;
            Some(all.into_iter().map(|p| (p.name, p.ctype.bits, p.ctype.signed)).collect())
        };
        let x = |name: &str, bits, signed| (name.to_owned(), bits, signed);
        assert_eq!(
            names("static int\nf(const int a, unsigned  char b)\n{"),
            Some(vec![x("a", 32, true), x("b", 8, false)])
        );
        assert_eq!(names("void f(char *p, size_t n) {"), Some(vec![x("n", 64, false)]));
        assert_eq!(names("int f(void)"), Some(vec![]));
        assert_eq!(names("int f(int (*g)(int), int x)"), None);
        assert_eq!(names("int f"), None);
    }

    #[test]
    fn values_are_those_around_constants() {
        let x = Parameter { name: "x".to_owned(), ctype: IntegerType { bits: 8, signed: false } };
        let of = |text: &str| Decision {
            different: vec![Expression::parse(text, std::slice::from_ref(&x)).unwrap()],
            equal: None,
            exact: true,
        };
        let near = of("x == 4").values(x.ctype, MOST_ON_LINE).unwrap();
        assert_eq!(near, (0..=6).collect::<Vec<_>>());
        let far = of("x > 200").values(x.ctype, MOST_ON_LINE).unwrap();
        assert_eq!(far, [0, 1, 2, 198, 199, 200, 201, 202]);
        assert_eq!(of("x > 200").state(&[201]), InputState::Different);
        assert_eq!(of("x > 200").state(&[7]), InputState::Equal);
    }
}
