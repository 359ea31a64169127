//! What came of it, as data and as a table.

use crate::compare::Skip;
use std::collections::BTreeMap;
use std::fmt;
use verdiff_model::state::EntryState;

/// What came of comparing a program.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// For each procedure that was looked at.
    pub procedures: Vec<ProcedureReport>,
}

/// What came of comparing a procedure.
#[derive(Clone, Debug, Default)]
pub struct ProcedureReport {
    /// Its name.
    pub name: String,
    /// Whether it was not run at all, as it is not supported.
    pub unsupported: bool,
    /// On how many inputs both did the same.
    pub agreed: u32,
    /// On how many further ones the interpreter trapped and a sanitizer reported something.
    pub confirmed: u32,
    /// How many were not compared, and why.
    pub skipped: BTreeMap<Skip, u32>,
    /// Traps on which no sanitizer reported anything.
    pub unconfirmed: Vec<String>,
    /// Inputs on which they did not do the same.
    pub disagreements: Vec<Disagreement>,
}

/// An input on which interpreter and compiled code do not agree.
#[derive(Clone, Debug)]
pub struct Disagreement {
    /// The input's number: with the same seed, the generator makes it again.
    pub number: u64,
    /// What differs.
    pub detail: String,
    /// The input.
    pub entry: EntryState,
}

impl ProcedureReport {
    pub(super) fn new(name: &str) -> ProcedureReport {
        ProcedureReport { name: name.to_owned(), ..ProcedureReport::default() }
    }

    /// How many inputs were compared.
    pub fn compared(&self) -> u32 {
        self.agreed + self.confirmed + self.disagreements.len() as u32
    }

    /// How many inputs there were.
    pub fn inputs(&self) -> u32 {
        self.compared() + self.skipped.values().sum::<u32>()
    }

    pub(super) fn skip(&mut self, skip: Skip) {
        *self.skipped.entry(skip).or_default() += 1;
    }

    pub(super) fn unskip(&mut self, skip: Skip) {
        if let Some(count) = self.skipped.get_mut(&skip) {
            *count = count.saturating_sub(1);
        }
    }
}

impl Report {
    /// How many procedures agree on at least so many inputs, and on all that were compared.
    pub fn agreeing(&self, inputs: u32) -> usize {
        let enough =
            |p: &&ProcedureReport| p.disagreements.is_empty() && p.agreed + p.confirmed >= inputs;
        self.procedures.iter().filter(enough).count()
    }

    /// All disagreements, with the procedures' names.
    pub fn disagreements(&self) -> impl Iterator<Item = (&str, &Disagreement)> {
        self.procedures.iter().flat_map(|p| p.disagreements.iter().map(|d| (p.name.as_str(), d)))
    }

    /// Adds another program's.
    pub fn absorb(&mut self, other: Report) {
        self.procedures.extend(other.procedures);
    }

    /// The sums over all procedures: inputs, agreed, confirmed, skipped by reason.
    pub fn totals(&self) -> ProcedureReport {
        let mut total = ProcedureReport::new("total");
        for p in &self.procedures {
            total.agreed += p.agreed;
            total.confirmed += p.confirmed;
            total.disagreements.extend(p.disagreements.iter().cloned());
            for (skip, count) in &p.skipped {
                *total.skipped.entry(*skip).or_default() += count;
            }
        }
        total
    }
}

impl fmt::Display for ProcedureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unsupported {
            return write!(f, "{:40} unsupported", self.name);
        }
        write!(
            f,
            "{:40} {:>7} {:>7} {:>5} {:>4}",
            self.name,
            self.inputs(),
            self.agreed,
            self.confirmed,
            self.disagreements.len()
        )?;
        for (skip, count) in self.skipped.iter().filter(|(_, count)| **count > 0) {
            write!(f, "  {} {count}", skip.reason())?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:40} {:>7} {:>7} {:>5} {:>4}  not compared",
            "function", "inputs", "agreed", "traps", "bad"
        )?;
        for p in &self.procedures {
            writeln!(f, "{p}")?;
            for d in &p.disagreements {
                writeln!(f, "    input {}: {}", d.number, d.detail)?;
            }
            for text in &p.unconfirmed {
                writeln!(f, "    no sanitizer reports: {text}")?;
            }
        }
        write!(f, "{}", self.totals())
    }
}
