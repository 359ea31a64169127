//! Which procedures of two versions belong together, and what changed.
//!
//! Functions that other files can see are matched by name; `static` ones by file and name, and if that
//! finds nothing, by a name that is unique on both sides. What the user says with `--rename` comes first.

use crate::caller_impact::used;
use crate::error::PlanError;
use crate::impact::is_source;
use crate::signature::{self, Common, CommonPart, add_common_parts};
use crate::static_variables;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use verdiff_engines::normalise::{self, Canonical, Form, canonical};
use verdiff_judge::{
    Changed, Comparison, GlobalChange, GlobalChangeKind, Pair, PairId, Settings, Side, Version,
};
use verdiff_model::{
    Address, GlobalId, Linkage, ProcId, Procedure, Program, Unsupported, never_written,
};

/// Two versions, matched.
#[derive(Clone, Debug, Default)]
pub struct Matched {
    /// The pairs.
    pub comparison: Arc<Comparison>,
    /// Procedures that only the new version has.
    pub added: Vec<ProcId>,
    /// Procedures that only the old version has.
    pub removed: Vec<ProcId>,
    /// What changed in the data that the program begins with.
    pub initialisers: Vec<GlobalChange>,
    /// What can be compared of pairs whose signature changed; the pairs of copies come after all others.
    pub common: Vec<Common>,
    /// Whether only some functions were asked for (`--entry`).
    pub only_some: bool,
}

impl Matched {
    /// What is compared of a pair whose signature changed.
    pub fn common_of(&self, interface: PairId) -> Option<&Common> {
        self.common.iter().find(|common| common.interface == interface)
    }

    /// What a pair of copies stands for.
    pub fn stands_for(&self, pair: PairId) -> Option<(PairId, &CommonPart)> {
        let part =
            |common: &'_ Common| -> Option<PairId> { Some(common.judged.as_ref().ok()?.pair) };
        let common = self.common.iter().find(|common| part(common) == Some(pair))?;
        Some((common.interface, common.judged.as_ref().ok()?))
    }
}

/// Matches two versions. `entries` are the functions to be judged, all if it is empty.
pub fn matching(
    old: Version,
    new: Version,
    settings: Settings,
    entries: &[String],
) -> Result<Matched, PlanError> {
    let mut comparison = Comparison { old, new, settings, ..Comparison::default() };
    static_variables::identify([&mut comparison.old.program, &mut comparison.new.program]);
    find_constants(&mut comparison);
    let partner = partners(&comparison)?;
    for (old, new) in &partner {
        same_areas(&mut comparison, *old, *new);
    }
    let taken: BTreeSet<ProcId> = partner.values().copied().collect();
    for (old, new) in &partner {
        let (a, b) =
            (comparison.old.program.procedure(*old), comparison.new.program.procedure(*new));
        let by_value =
            |v: &Version, id: ProcId| v.frames.get(id.index()).map(|f| f.by_value.clone());
        let same_interface = a.signature() == b.signature()
            && by_value(&comparison.old, *old) == by_value(&comparison.new, *new)
            && signature::same_numbers(&comparison, *old, *new);
        let pair = Pair {
            function: a.name.clone(),
            old: *old,
            new: *new,
            changed: Changed::Text,
            same_interface,
            wanted: entries.is_empty() || entries.iter().any(|e| *e == a.name || *e == a.symbol),
        };
        comparison.pairs.push(pair);
    }
    for entry in entries {
        if !comparison.pairs.iter().any(|p| p.wanted && named(&comparison, p, entry)) {
            return Err(PlanError::NoSuchEntry {
                name: entry.clone(),
                there: comparison.pairs.iter().map(|p| p.function.clone()).take(12).collect(),
            });
        }
    }
    let removed = comparison.old.program.procedure_ids().filter(|id| !partner.contains_key(id));
    let removed = removed.collect();
    let added = comparison.new.program.procedure_ids().filter(|id| !taken.contains(id)).collect();
    let changes = changes(&comparison);
    for (pair, changed) in comparison.pairs.iter_mut().zip(changes) {
        pair.changed = changed;
    }
    let initialisers = changed_initialisers(&comparison);
    let common = add_common_parts(&mut comparison);
    let only_some = !entries.is_empty();
    let comparison = Arc::new(comparison);
    Ok(Matched { comparison, added, removed, initialisers, common, only_some })
}

/// Where only one version of a variadic function can read its further arguments (in the other its address is used for something else than
/// calls), their parameters cannot be compared: that version is then unsupported, too, and has no areas.
fn same_areas(comparison: &mut Comparison, old: ProcId, new: ProcId) {
    let areas = [
        comparison.old.program.procedure(old).areas().count(),
        comparison.new.program.procedure(new).areas().count(),
    ];
    let both = comparison.old.program.procedure(old).variadic
        && comparison.new.program.procedure(new).variadic;
    if !both || areas[0] == areas[1] {
        return;
    }
    let (version, id) = match areas[0] > 0 {
        true => (&mut comparison.old, old),
        false => (&mut comparison.new, new),
    };
    let procedure = &mut version.program.procedures[id.index()];
    let named = procedure.params.len() - procedure.areas().count();
    procedure.params.truncate(named);
    if let Some(frame) = version.frames.get_mut(id.index()) {
        frame.by_value.truncate(named);
        frame.args.truncate(named);
    }
    let construct = "variadic arguments of a function whose address is taken".to_owned();
    procedure.unsupported.push(Unsupported::new(construct, procedure.loc));
    procedure.blocks.clear();
    procedure.locals.clear();
    procedure.opaque = None;
    procedure.with_holes = None;
}

/// Marks as constants the globals that neither version can write: what a function reads there is part of its code. One that the other
/// version can write stays as it is: both then start from the same arbitrary contents.
fn find_constants(comparison: &mut Comparison) {
    let unwritten = Side::BOTH.map(|side| never_written(comparison.program(side)));
    let constants = Side::BOTH.map(|side| {
        let constant = |id: &&GlobalId| match comparison.global_in_other(side, **id) {
            Some(other) => {
                let there = comparison.program(side.other()).global(other);
                there.constant || unwritten[side.other().index()].contains(&other)
            }
            None => true,
        };
        unwritten[side.index()].iter().filter(constant).copied().collect::<Vec<_>>()
    });
    let [old, new] = constants;
    old.iter().for_each(|id| comparison.old.program.globals[id.index()].constant = true);
    new.iter().for_each(|id| comparison.new.program.globals[id.index()].constant = true);
}

fn named(comparison: &Comparison, pair: &Pair, name: &str) -> bool {
    let old = comparison.old.program.procedure(pair.old);
    old.name == name || old.symbol == name
}

/// The new version's procedure for each of the old version's that has one.
fn partners(comparison: &Comparison) -> Result<BTreeMap<ProcId, ProcId>, PlanError> {
    let (old, new) = (&comparison.old.program, &comparison.new.program);
    let mut found: BTreeMap<ProcId, ProcId> = BTreeMap::new();
    let mut taken: BTreeSet<ProcId> = BTreeSet::new();
    for (from, to) in &comparison.settings.renamed {
        let a = old.procedure_named(from);
        let a = a.ok_or_else(|| PlanError::NoSuchRename { name: from.clone(), side: "old" })?;
        let b = new.procedure_named(to);
        let b = b.ok_or_else(|| PlanError::NoSuchRename { name: to.clone(), side: "new" })?;
        found.insert(a, b);
        taken.insert(b);
    }
    let keys: [fn(&Program, &Procedure) -> Option<String>; 3] = [
        |_, p| (p.linkage == Linkage::External).then(|| p.symbol.clone()),
        |program, p| (p.linkage == Linkage::Internal).then(|| in_file(program, p)),
        |_, p| Some(p.name.clone()),
    ];
    for (number, key) in keys.into_iter().enumerate() {
        let by_file = number == 1;
        let free_old = |id: &ProcId| !found.contains_key(id);
        let free_new = |id: &ProcId| !taken.contains(id);
        let index = |program: &Program, free: &dyn Fn(&ProcId) -> bool| {
            let mut index: HashMap<String, Vec<ProcId>> = HashMap::new();
            for id in program.procedure_ids().filter(|id| free(id)) {
                if let Some(key) = key(program, program.procedure(id)) {
                    index.entry(key).or_default().push(id);
                }
            }
            index
        };
        let (left, right) = (index(old, &free_old), index(new, &free_new));
        for (name, ids) in left {
            // A name that several share says nothing, but that of a function of a header, compiled into as many
            // files of both versions: these come in the order of the files.
            let others = right.get(&name).map_or(&[][..], Vec::as_slice);
            let file = |program: &'_ Program, id: &ProcId| -> String {
                program.file(program.procedure(*id).loc.file).to_owned()
            };
            let alike = || {
                let mut both = ids.iter().zip(others);
                by_file
                    && ids.len() == others.len()
                    && both.all(|(a, b)| file(old, a) == file(new, b))
            };
            if ids.len() == 1 && others.len() == 1 || alike() {
                found.extend(ids.iter().copied().zip(others.iter().copied()));
                taken.extend(others);
            }
        }
    }
    Ok(found)
}

fn in_file(program: &Program, procedure: &Procedure) -> String {
    let file = program.file_name(procedure.loc);
    // Two versions of one file mostly have one name; where each side is a single file they need not.
    format!("{}:{}", if program.files.len() <= 1 { "" } else { file }, procedure.name)
}

/// What changed, for each pair (docs/internals/semantics.md).
fn changes(comparison: &Comparison) -> Vec<Changed> {
    let form = |side: Side, pair: &Pair| canonical(comparison, side, pair.of(side), Form::Exact);
    let forms: Vec<(Canonical, Canonical)> =
        comparison.pairs.iter().map(|p| (form(Side::Old, p), form(Side::New, p))).collect();
    let mut changed: Vec<Changed> = comparison
        .pairs
        .iter()
        .zip(&forms)
        .map(|(pair, (old, new))| {
            if !pair.same_interface || old.types != new.types {
                Changed::Types
            } else if old.code != new.code {
                Changed::Text
            } else if old.globals != new.globals {
                Changed::Globals
            } else if old.unpaired {
                Changed::Callees
            } else {
                Changed::No
            }
        })
        .collect();
    let taken = normalise::address_taken(comparison);
    let outside = normalise::outside_is_equal(comparison);
    let mut by_initialisers = vec![];
    for (index, pair) in comparison.pairs.iter().enumerate() {
        let same = || normalise::same_initialisers(comparison, PairId(index as u32));
        if changed[index] == Changed::No && pair.function == "main" && !same() {
            changed[index] = Changed::Globals;
            by_initialisers.push(index);
        }
    }
    // A change of something called is a change, until nothing more changes.
    loop {
        let mut again = false;
        for (index, (form, _)) in forms.iter().enumerate() {
            if changed[index] != Changed::No {
                continue;
            }
            let is_changed = |p: &PairId| changed[p.index()] != Changed::No;
            let below = form.pairs.iter().any(is_changed);
            let around = form.calls_anything
                && (!outside || taken.as_ref().is_none_or(|taken| taken.iter().any(is_changed)));
            if below || around {
                changed[index] = Changed::Callees;
                again = true;
            }
        }
        if !again {
            break;
        }
    }
    for index in by_initialisers {
        let is_changed = |p: &PairId| changed[p.index()] != Changed::No;
        let main = PairId(index as u32);
        if forms[index].0.pairs.iter().any(is_changed)
            && !initialisers_reach_unchanged_code(comparison, main, &changed)
        {
            changed[index] = Changed::Callees;
        }
    }
    changed
}

/// Whether code that is the same in both versions, or something outside, begins with another value of a variable.
///
/// A new variable that only new or changed functions use is a part of their change: `main`, which calls them, is a caller like any other
/// then. This says only where the report lists `main`. No proof rests on it: whether a run of `main` begins alike is asked where that
/// is used (`same_code`, `process::sound`).
fn initialisers_reach_unchanged_code(
    comparison: &Comparison,
    main: PairId,
    changed: &[Changed],
) -> bool {
    let Some(differing) = normalise::differing_initialisers(comparison, main) else { return true };
    Side::BOTH.into_iter().any(|side| {
        let program = comparison.program(side);
        let differing = &differing[side.index()];
        let is_own = |id: ProcId| {
            let pair = comparison.pair_of(side, id);
            pair.is_none_or(|pair| is_source(changed[pair.index()]))
        };
        let mut unchanged = program
            .procedure_ids()
            .filter(|id| !is_own(*id) || *id == comparison.pair(main).of(side));
        let relocations = program
            .globals
            .iter()
            .flat_map(|global| &global.init)
            .flat_map(|init| &init.relocations);
        let mut pointed = relocations.map(|relocation| relocation.target);
        unchanged
            .any(|id| used(program.procedure(id)).iter().any(|global| differing.contains(global)))
            || pointed
                .any(|target| matches!(target, Address::Global(id) if differing.contains(&id)))
    })
}

/// Globals that begin with something else: writable ones, and constants that other files can see. Of those also the ones
/// that are gone or have another shape.
fn changed_initialisers(comparison: &Comparison) -> Vec<GlobalChange> {
    let mut found = vec![];
    for (index, global) in comparison.old.program.globals.iter().enumerate() {
        let id = GlobalId::new(index);
        let exported = global.linkage == Linkage::External && global.init.is_some();
        if global.is_literal() || global.constant && !exported {
            continue;
        }
        let name = &global.name;
        let mut note = |what| found.push(GlobalChange { name: name.clone(), what });
        let Some(id_there) = comparison.global_in_other(Side::Old, id) else {
            if exported {
                note(GlobalChangeKind::Removed);
            }
            continue;
        };
        let other = comparison.new.program.global(id_there);
        if exported && other.linkage != Linkage::External {
            note(GlobalChangeKind::Hidden);
        } else if exported && other.init.is_none() {
            note(GlobalChangeKind::Undefined);
        } else if exported && global.size != other.size {
            note(GlobalChangeKind::Resized(global.size, other.size));
        } else if exported && !global.constant && other.constant {
            note(GlobalChangeKind::Constant);
        } else if (global.init.is_some() || other.init.is_some())
            && comparison.contents_of(Side::Old, id) != comparison.contents_of(Side::New, id_there)
        {
            note(GlobalChangeKind::Initialiser);
        }
    }
    if !normalise::same_startup(comparison) {
        let what = GlobalChangeKind::Startup;
        found.push(GlobalChange { name: "startup".to_owned(), what });
    }
    found
}
