//! Which translation units are compared.

use crate::changes::Change;
use crate::includes::Includes;
use crate::project::{Pair, Side, is_c};
use std::collections::{BTreeMap, BTreeSet};

/// What is compared.
#[derive(Default)]
pub struct Selected {
    /// The translation units.
    pub pairs: Vec<Pair>,
    /// Files that did not change and are left out, since they include one of these: they would have all of it a second time.
    pub copies: BTreeSet<String>,
}

/// The translation units that a change reaches, or all of them.
pub fn select(sides: &[Side; 2], changed: &[Change], all: bool) -> Selected {
    let mut copies = BTreeSet::new();
    let mut pairs: BTreeSet<(String, Pair)> = BTreeSet::new();
    let renamed: BTreeMap<&str, &str> = changed
        .iter()
        .filter_map(|change| Some((change.old.as_deref()?, change.new.as_deref()?)))
        .collect();
    let back: BTreeMap<&str, &str> = renamed.iter().map(|(old, new)| (*new, *old)).collect();
    for (number, side) in sides.iter().enumerate() {
        let mut includes = Includes::new(&side.snapshot);
        let mut units: Vec<&str> = match side.commands.is_empty() {
            false => side.commands.files().filter_map(|path| side.snapshot.key(path)).collect(),
            true => side.snapshot.paths().filter(|path| is_c(path)).collect(),
        };
        // A file that changed is compiled even if the commands leave it out: its flags are those of its neighbours.
        let of_side =
            |change: &Change| if number == 0 { change.old.clone() } else { change.new.clone() };
        let own: Vec<String> = changed.iter().filter_map(of_side).collect();
        let further =
            own.iter().filter_map(|path| side.snapshot.key(path)).filter(|path| is_c(path));
        units.extend(further.collect::<Vec<_>>());
        units.sort_unstable();
        units.dedup();
        let parts = includes.parts(&units);
        let recorded: BTreeSet<&str> = side.commands.files().collect();
        let units: Vec<&str> = units
            .into_iter()
            .filter(|unit| !parts.contains(unit) || recorded.contains(unit))
            .collect();
        let mut chosen: BTreeSet<&str> = match all {
            true => units.into_iter().collect(),
            false => includes.affected(&units, &own.iter().map(String::as_str).collect()),
        };
        if side.commands.is_empty() {
            let files = chosen.clone();
            chosen.retain(|unit| {
                let is_copy =
                    !own.iter().any(|path| path == unit) && includes.includes_any(unit, &files);
                if is_copy {
                    copies.insert((*unit).to_owned());
                }
                !is_copy
            });
        }
        let (map, other) = if number == 0 { (&renamed, &sides[1]) } else { (&back, &sides[0]) };
        for unit in chosen {
            let there = match map.get(unit) {
                Some(there) => other.snapshot.has(there).then(|| (*there).to_owned()),
                None => other.snapshot.has(unit).then(|| unit.to_owned()),
            };
            let (own, there) = (Some(unit.to_owned()), there);
            let pair = if number == 0 { (own, there) } else { (there, own) };
            let key = pair.1.clone().or_else(|| pair.0.clone()).unwrap_or_default();
            pairs.insert((key, pair));
        }
    }
    Selected { pairs: pairs.into_iter().map(|(_, pair)| pair).collect(), copies }
}

/// Files that each side compiles with other flags: the same text is then another program.
pub fn recompiled(sides: &[Side; 2]) -> Vec<Change> {
    let [old, new] = [&sides[0].commands, &sides[1].commands];
    let differs = |path: &&str| new.flags(path).is_some_and(|flags| old.flags(path) != Some(flags));
    let one = |path: &str| Change { old: Some(path.to_owned()), new: Some(path.to_owned()) };
    let both = |path: &&str| old.flags(path).is_some();
    new.files().filter(both).filter(differs).map(one).collect()
}

/// Generated files that differ, or that only one side has.
pub fn generated(sides: &[Side; 2]) -> Vec<Change> {
    let [old, new] = [&sides[0].snapshot, &sides[1].snapshot];
    let paths = sides[0].generated.union(&sides[1].generated).map(String::as_str);
    let differs = |path: &&str| !old.same(new, path);
    let one = |path: &str| Change {
        old: old.has(path).then(|| path.to_owned()),
        new: new.has(path).then(|| path.to_owned()),
    };
    paths.filter(differs).map(one).collect()
}
