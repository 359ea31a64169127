//! Traces as text: words and numbers, separated by spaces, one step a line.
//!
//! A form is its constant, the number of its terms, and for each term variable and coefficient. A
//! constraint is `=`, `>=` or `>` and the form that is compared with zero. A list is its length and
//! its elements. Questions end in a question mark.

use super::{Step, Trace};
use crate::integer::Integer;
use crate::linear::{Constraint, Linear, Relation, Var};
use std::fmt;
use std::str::FromStr;

/// A text that is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: not a step of a trace")]
pub struct ParseError {
    /// The number of the line, counted from one.
    pub line: usize,
}

impl fmt::Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

struct FormText<'a>(&'a Linear);

impl fmt::Display for FormText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.0.constant(), self.0.terms().count())?;
        self.0.terms().try_for_each(|(var, coefficient)| write!(f, " {} {coefficient}", var.0))
    }
}

struct ConstraintText<'a>(&'a Constraint);

impl fmt::Display for ConstraintText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let relation = match self.0.relation() {
            Relation::EqualToZero => "=",
            Relation::AtLeastZero => ">=",
            Relation::GreaterThanZero => ">",
        };
        write!(f, "{relation} {}", FormText(self.0.form()))
    }
}

struct List<'a>(&'a [Constraint]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.len())?;
        self.0.iter().try_for_each(|constraint| write!(f, " {}", ConstraintText(constraint)))
    }
}

struct Vars<'a>(&'a [Var]);

impl fmt::Display for Vars<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.len())?;
        self.0.iter().try_for_each(|var| write!(f, " {}", var.0))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Top(at, dimension) => write!(f, "top {at} {dimension}"),
            Step::Bottom(at, dimension) => write!(f, "bottom {at} {dimension}"),
            Step::Copy(at, from) => write!(f, "copy {at} {from}"),
            Step::Drop(at) => write!(f, "drop {at}"),
            Step::Meet(at, other) => write!(f, "meet {at} {other}"),
            Step::MeetConstraints(at, list) => write!(f, "constrain {at} {}", List(list)),
            Step::Join(at, other) => write!(f, "join {at} {other}"),
            Step::Assign(at, var, form) => write!(f, "assign {at} {} {}", var.0, FormText(form)),
            Step::Substitute(at, var, form) => {
                write!(f, "substitute {at} {} {}", var.0, FormText(form))
            }
            Step::Forget(at, vars) => write!(f, "forget {at} {}", Vars(vars)),
            Step::AddDimensions(at, count) => write!(f, "append {at} {count}"),
            Step::RemoveDimensions(at, vars) => write!(f, "remove {at} {}", Vars(vars)),
            Step::Rename(at, to) => write!(f, "rename {at} {}", Vars(to)),
            Step::Widen(at, other, list) => write!(f, "widen {at} {other} {}", List(list)),
            Step::Narrow(at, other) => write!(f, "narrow {at} {other}"),
            Step::IsBottom(at) => write!(f, "bottom? {at}"),
            Step::IsTop(at) => write!(f, "top? {at}"),
            Step::Includes(at, other) => write!(f, "includes? {at} {other}"),
            Step::Equals(at, other) => write!(f, "equal? {at} {other}"),
            Step::Bounds(at, form) => write!(f, "bounds? {at} {}", FormText(form)),
            Step::Entails(at, constraint) => {
                write!(f, "entails? {at} {}", ConstraintText(constraint))
            }
            Step::Constraints(at) => write!(f, "constraints? {at}"),
        }
    }
}

impl FromStr for Trace {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Trace, ParseError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let step = |(at, line)| step(line).ok_or(ParseError { line: at + 1 });
        Ok(Trace { steps: lines.map(step).collect::<Result<_, _>>()? })
    }
}

/// Reads a list of constraints as it is written in traces.
pub fn parse_constraints(text: &str) -> Option<Vec<Constraint>> {
    let mut words = text.split_whitespace();
    let list = list(&mut words, constraint)?;
    words.next().is_none().then_some(list)
}

type Words<'a> = std::str::SplitWhitespace<'a>;

fn step(line: &str) -> Option<Step> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let w = &mut words;
    let at = number(w)?;
    let step = match name {
        "top" => Step::Top(at, number(w)?),
        "bottom" => Step::Bottom(at, number(w)?),
        "copy" => Step::Copy(at, number(w)?),
        "drop" => Step::Drop(at),
        "meet" => Step::Meet(at, number(w)?),
        "constrain" => Step::MeetConstraints(at, list(w, constraint)?),
        "join" => Step::Join(at, number(w)?),
        "assign" => Step::Assign(at, var(w)?, form(w)?),
        "substitute" => Step::Substitute(at, var(w)?, form(w)?),
        "forget" => Step::Forget(at, list(w, var)?),
        "append" => Step::AddDimensions(at, number(w)?),
        "remove" => Step::RemoveDimensions(at, list(w, var)?),
        "rename" => Step::Rename(at, list(w, var)?),
        "widen" => Step::Widen(at, number(w)?, list(w, constraint)?),
        "narrow" => Step::Narrow(at, number(w)?),
        "bottom?" => Step::IsBottom(at),
        "top?" => Step::IsTop(at),
        "includes?" => Step::Includes(at, number(w)?),
        "equal?" => Step::Equals(at, number(w)?),
        "bounds?" => Step::Bounds(at, form(w)?),
        "entails?" => Step::Entails(at, constraint(w)?),
        "constraints?" => Step::Constraints(at),
        _ => return None,
    };
    words.next().is_none().then_some(step)
}

fn number(words: &mut Words<'_>) -> Option<usize> {
    words.next()?.parse().ok()
}

fn integer(words: &mut Words<'_>) -> Option<Integer> {
    words.next()?.parse().ok()
}

fn var(words: &mut Words<'_>) -> Option<Var> {
    number(words).map(Var)
}

fn list<T>(words: &mut Words<'_>, element: fn(&mut Words<'_>) -> Option<T>) -> Option<Vec<T>> {
    let count = number(words)?;
    (0..count).map(|_| element(words)).collect()
}

fn form(words: &mut Words<'_>) -> Option<Linear> {
    let constant = integer(words)?;
    let terms = list(words, |words| Some((var(words)?, integer(words)?)))?;
    Some(Linear::new(terms, constant))
}

fn constraint(words: &mut Words<'_>) -> Option<Constraint> {
    let relation = match words.next()? {
        "=" => Relation::EqualToZero,
        ">=" => Relation::AtLeastZero,
        ">" => Relation::GreaterThanZero,
        _ => return None,
    };
    Some(Constraint::new(form(words)?, relation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_no_step_is_named() {
        let error = "top 0 1\nmeet 0\n".parse::<Trace>().unwrap_err();
        assert_eq!(error, ParseError { line: 2 });
        assert!("top 0 1 2".parse::<Trace>().is_err());
        assert_eq!("\n".parse::<Trace>().unwrap(), Trace::default());
    }
}
