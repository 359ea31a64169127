//! Traces as text: words and numbers, separated by spaces, one step a line.
//!
//! A form is its constant, the number of its terms, and for each term variable and coefficient. A
//! constraint is `=`, `>=` or `>` and the form that is compared with zero. A list is its length and
//! its elements. Questions end in a question mark.

use super::{Trace, TraceStep};
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

impl fmt::Display for TraceStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceStep::Top(at, dimension) => write!(f, "top {at} {dimension}"),
            TraceStep::Bottom(at, dimension) => write!(f, "bottom {at} {dimension}"),
            TraceStep::Copy(at, from) => write!(f, "copy {at} {from}"),
            TraceStep::Drop(at) => write!(f, "drop {at}"),
            TraceStep::Meet(at, other) => write!(f, "meet {at} {other}"),
            TraceStep::MeetConstraints(at, list) => write!(f, "constrain {at} {}", List(list)),
            TraceStep::Join(at, other) => write!(f, "join {at} {other}"),
            TraceStep::Assign(at, var, form) => {
                write!(f, "assign {at} {} {}", var.0, FormText(form))
            }
            TraceStep::Substitute(at, var, form) => {
                write!(f, "substitute {at} {} {}", var.0, FormText(form))
            }
            TraceStep::Forget(at, vars) => write!(f, "forget {at} {}", Vars(vars)),
            TraceStep::AddDimensions(at, count) => write!(f, "append {at} {count}"),
            TraceStep::RemoveDimensions(at, vars) => write!(f, "remove {at} {}", Vars(vars)),
            TraceStep::Rename(at, to) => write!(f, "rename {at} {}", Vars(to)),
            TraceStep::Widen(at, other, list) => write!(f, "widen {at} {other} {}", List(list)),
            TraceStep::Narrow(at, other) => write!(f, "narrow {at} {other}"),
            TraceStep::IsBottom(at) => write!(f, "bottom? {at}"),
            TraceStep::IsTop(at) => write!(f, "top? {at}"),
            TraceStep::Includes(at, other) => write!(f, "includes? {at} {other}"),
            TraceStep::Equals(at, other) => write!(f, "equal? {at} {other}"),
            TraceStep::Bounds(at, form) => write!(f, "bounds? {at} {}", FormText(form)),
            TraceStep::Entails(at, constraint) => {
                write!(f, "entails? {at} {}", ConstraintText(constraint))
            }
            TraceStep::Constraints(at) => write!(f, "constraints? {at}"),
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

fn step(line: &str) -> Option<TraceStep> {
    let mut words = line.split_whitespace();
    let name = words.next()?;
    let w = &mut words;
    let at = number(w)?;
    let step = match name {
        "top" => TraceStep::Top(at, number(w)?),
        "bottom" => TraceStep::Bottom(at, number(w)?),
        "copy" => TraceStep::Copy(at, number(w)?),
        "drop" => TraceStep::Drop(at),
        "meet" => TraceStep::Meet(at, number(w)?),
        "constrain" => TraceStep::MeetConstraints(at, list(w, constraint)?),
        "join" => TraceStep::Join(at, number(w)?),
        "assign" => TraceStep::Assign(at, var(w)?, form(w)?),
        "substitute" => TraceStep::Substitute(at, var(w)?, form(w)?),
        "forget" => TraceStep::Forget(at, list(w, var)?),
        "append" => TraceStep::AddDimensions(at, number(w)?),
        "remove" => TraceStep::RemoveDimensions(at, list(w, var)?),
        "rename" => TraceStep::Rename(at, list(w, var)?),
        "widen" => TraceStep::Widen(at, number(w)?, list(w, constraint)?),
        "narrow" => TraceStep::Narrow(at, number(w)?),
        "bottom?" => TraceStep::IsBottom(at),
        "top?" => TraceStep::IsTop(at),
        "includes?" => TraceStep::Includes(at, number(w)?),
        "equal?" => TraceStep::Equals(at, number(w)?),
        "bounds?" => TraceStep::Bounds(at, form(w)?),
        "entails?" => TraceStep::Entails(at, constraint(w)?),
        "constraints?" => TraceStep::Constraints(at),
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
