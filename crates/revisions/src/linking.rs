//! Files that did not change and that the changed ones need: they define what those call.
//!
//! Without them such a callee would be a function outside, which is assumed to be the same in both revisions. It is not if it calls back, by
//! name or through a table, what did change. So files are added until nothing that the project defines is missing, or too many are; a file is compiled
//! once and linked with both sides, since it is the same in both.

use crate::definitions::definitions;
use crate::snapshot::Snapshot;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_front::{FrontError, Symbols, Unit, symbols};

/// So many files are added at most: what is linked is searched for copies, effects and aliases as a whole.
const MOST: usize = 60;

/// What is linked already, on either side.
pub struct Linked {
    defined: BTreeSet<String>,
    missing: BTreeSet<String>,
}

/// Files to be compiled and linked next.
pub struct Candidates<'a> {
    /// By the name that they seem to define.
    by_name: BTreeMap<String, Vec<&'a str>>,
    used: BTreeSet<&'a str>,
}

impl Linked {
    /// What the compiled units define and need.
    pub fn of<'u>(units: impl IntoIterator<Item = &'u Unit>) -> Linked {
        let mut linked = Linked { defined: BTreeSet::new(), missing: BTreeSet::new() };
        for unit in units {
            if let Some(Ok(symbols)) = of_unit(unit) {
                linked.add(symbols);
            }
        }
        linked
    }

    fn add(&mut self, symbols: Symbols) {
        self.defined.extend(symbols.defined);
        self.missing.extend(symbols.undefined);
    }

    /// Whether something that is linked defines a name.
    pub fn defines(&self, name: &str) -> bool {
        self.defined.contains(name)
    }

    /// Takes a compiled file in, unless it defines what another one defines: then it belongs to another program.
    pub fn take(&mut self, unit: &Unit) -> bool {
        let Some(Ok(symbols)) = of_unit(unit) else { return false };
        if symbols.defined.iter().any(|name| self.defined.contains(name)) {
            return false;
        }
        self.add(symbols);
        true
    }
}

fn of_unit(unit: &Unit) -> Option<Result<Symbols, FrontError>> {
    unit.bitcode.as_deref().map(symbols)
}

impl<'a> Candidates<'a> {
    /// Of these files.
    pub fn of(snapshot: &'a Snapshot, files: &[&'a str]) -> Candidates<'a> {
        let mut by_name: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for file in files {
            let Some(text) = snapshot.read(file) else { continue };
            for name in definitions(&String::from_utf8_lossy(&text)) {
                by_name.entry(name.to_owned()).or_default().push(file);
            }
        }
        Candidates { by_name, used: BTreeSet::new() }
    }

    /// Names that are still missing though files of the project define them.
    pub fn left<'l>(&'l self, linked: &'l Linked) -> Vec<&'l str> {
        let left = linked.missing.difference(&linked.defined);
        left.map(String::as_str).filter(|name| self.by_name.contains_key(*name)).collect()
    }

    /// The files that define what is missing now. A name that several define says nothing.
    pub fn next(&mut self, linked: &Linked) -> Vec<&'a str> {
        let mut found = BTreeSet::new();
        for name in linked.missing.difference(&linked.defined) {
            if let Some([file]) = self.by_name.get(name).map(Vec::as_slice)
                && !self.used.contains(file)
                && self.used.len() + found.len() < MOST
            {
                found.insert(*file);
            }
        }
        self.used.extend(&found);
        found.into_iter().collect()
    }
}
