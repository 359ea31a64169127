//! Which variables, types and other procedures a part needs.

use super::reach::{Named, Procedures};
use super::{FEW_STATEMENTS, Part, Reducer, agree, numbers};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Comparison, Side};
use verdiff_model::{Address, ExternId, GlobalId, Linkage, ProcId, Procedure};

/// What is in a part, in the numbers of the whole.
#[derive(Default)]
pub(super) struct Selection {
    /// Procedures with all of their code.
    pub(super) reached: Procedures,
    /// Procedures that do something to memory of the part, with what they do.
    pub(super) touching: [BTreeMap<ProcId, Procedure>; 2],
    /// Procedures that are only named.
    pub(super) named: Procedures,
    pub(super) globals: [BTreeSet<GlobalId>; 2],
    pub(super) externals: [BTreeSet<ExternId>; 2],
    /// The procedures that speak for all others.
    pub(super) rest: [Vec<Procedure>; 2],
}

impl Selection {
    /// All procedures of one version, without those of the rest.
    pub(super) fn present(&self, side: Side) -> BTreeSet<ProcId> {
        let at = side.index();
        let all = self.reached[at].iter().chain(self.touching[at].keys()).chain(&self.named[at]);
        all.copied().collect()
    }
}

/// The constants of a version that code outside sees, and that the other version does not have with the same contents.
pub(super) fn changed_constants(comparison: &Comparison, side: Side) -> BTreeSet<GlobalId> {
    let visible = |side: Side| {
        let all = comparison.program(side).globals.iter().enumerate();
        all.filter(|(_, g)| g.constant && g.linkage == Linkage::External && g.init.is_some()).map(
            move |(at, g)| {
                let id = GlobalId::new(at);
                ((&g.symbol, g.size, comparison.contents_of(side, id)), id)
            },
        )
    };
    let others: BTreeSet<_> = visible(side.other()).map(|(key, _)| key).collect();
    visible(side).filter(|(key, _)| !others.contains(key)).map(|(_, id)| id).collect()
}

impl Reducer {
    /// The part with these procedures; `None` if it is not worth while, or if not all that is known of the whole is known of it.
    pub(super) fn select(&self, reached: &Procedures) -> Option<Part> {
        let size = |side: Side| {
            let program = self.comparison.program(side);
            let bodies = reached[side.index()].iter().flat_map(|id| &program.procedure(*id).blocks);
            bodies.map(|block| block.stmts.len() + 1).sum::<usize>()
        };
        let kept: usize = Side::BOTH.map(size).iter().sum();
        if self.size > FEW_STATEMENTS && 2 * kept > self.size {
            return None;
        }
        let mut all = Selection { reached: reached.clone(), ..Selection::default() };
        self.first_names(&mut all);
        loop {
            self.close(&mut all);
            let relevant = self.relevant(&all.globals);
            let mut more = false;
            for side in Side::BOTH {
                let at = side.index();
                let rest = self.comparison.program(side).procedure_ids();
                for id in rest.filter(|id| !reached[at].contains(id)) {
                    let Some(made) = self.touching(side, id, &relevant) else { continue };
                    let named = Named::by(&made);
                    more |= named.globals.iter().any(|id| !all.globals[at].contains(id));
                    self.add(&mut all, side, named);
                    all.touching[at].insert(id, made);
                }
            }
            if !more {
                break;
            }
        }
        self.close(&mut all);
        for side in Side::BOTH {
            let at = side.index();
            let present = all.present(side);
            let touching = all.touching[at].keys().copied();
            let parts = reached[at].iter().copied().chain(touching).collect();
            let (globals, externals) = (&all.globals[at], &all.externals[at]);
            let rest = self.facts_of_rest(side, &parts, &present, reached, globals, externals);
            all.rest[at] = rest.into();
        }
        let part = numbers::build(self, &all);
        agree::agree(self, &all, &part).then_some(part)
    }

    /// What is needed whatever the pair is.
    fn first_names(&self, all: &mut Selection) {
        for side in Side::BOTH {
            let (at, program) = (side.index(), self.comparison.program(side));
            for id in all.reached[at].clone() {
                self.add(all, side, Named::by(program.procedure(id)));
            }
            // Whether there is one of these counts for everybody.
            let open = program.globals.iter().enumerate().filter(|(_, g)| g.open_ended);
            all.globals[at].extend(open.map(|(index, _)| GlobalId::new(index)));
            all.globals[at].extend(&self.sides[at].changed_constants);
            const REGISTER: [&str; 4] = ["atexit", "at_quick_exit", "on_exit", "__cxa_atexit"];
            let registers = program.externals.iter().enumerate();
            let registers = registers.filter(|(_, e)| REGISTER.contains(&e.name.as_str()));
            all.externals[at].extend(registers.map(|(index, _)| ExternId::new(index)));
            // Where functions whose address is taken do not correspond, that must be seen.
            if self.facts.written().outside.taken.is_none() {
                let taken = self.facts.written().graphs[at].address_taken();
                all.named[at].extend(taken);
            }
        }
    }

    fn add(&self, all: &mut Selection, side: Side, named: Named) {
        let at = side.index();
        all.globals[at].extend(named.globals);
        all.externals[at].extend(named.externals);
        all.named[at].extend(named.procedures);
    }

    /// Adds the partners of all procedures, and those of the same name in either version. A function that shares its
    /// name with another one is called by its file, too. ✗ To call it by its name alone where the other one is not in
    /// the part: what is said of its address there would be said of nothing in a part that has both.
    fn close_names(&self, all: &mut Selection) {
        let of_side = |side: Side| all.present(side).into_iter().map(move |id| (side, id));
        let mut work: Vec<(Side, ProcId)> = Side::BOTH.into_iter().flat_map(of_side).collect();
        let mut seen: BTreeSet<(Side, ProcId)> = work.iter().copied().collect();
        while let Some((side, id)) = work.pop() {
            let partners = self.partners(side, id).map(|other| (side.other(), other));
            let name = &self.comparison.program(side).procedure(id).name;
            let same = Side::BOTH.into_iter().flat_map(|side| {
                let same = self.sides[side.index()].by_name.get(name).into_iter().flatten();
                same.map(move |id| (side, *id))
            });
            for (side, id) in partners.chain(same) {
                if seen.insert((side, id)) {
                    all.named[side.index()].insert(id);
                    work.push((side, id));
                }
            }
        }
    }

    /// Adds what initialisers lead to, what is known by the same name, and what belongs to it in the other version.
    fn close(&self, all: &mut Selection) {
        let comparison = &self.comparison;
        let of_side = |side: Side| (side, all.globals[side.index()].iter().copied());
        let first = Side::BOTH.map(of_side);
        let mut work: Vec<(Side, GlobalId)> =
            first.into_iter().flat_map(|(side, ids)| ids.map(move |id| (side, id))).collect();
        let mut seen: [BTreeSet<GlobalId>; 2] = Default::default();
        while let Some((side, id)) = work.pop() {
            if !seen[side.index()].insert(id) {
                continue;
            }
            let global = comparison.program(side).global(id);
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                match relocation.target {
                    Address::Global(to) => work.push((side, to)),
                    Address::Procedure(to) => drop(all.named[side.index()].insert(to)),
                    Address::External(to) => drop(all.externals[side.index()].insert(to)),
                    Address::Local(_) => {}
                }
            }
            if global.is_literal() {
                let other = &self.sides[side.other().index()].literals;
                let contents = comparison.contents_of(side, id);
                work.extend(other.get(&contents).map(|other| (side.other(), *other)));
                continue;
            }
            for side in Side::BOTH {
                // Objects are told apart by the ends of their names.
                let ends = name_ends(&global.name);
                let same = ends.filter_map(|name| self.sides[side.index()].globals.get(name));
                work.extend(same.flatten().map(|id| (side, *id)));
            }
            let other = comparison.global_in_other(side, id);
            work.extend(other.map(|other| (side.other(), other)));
        }
        all.globals = seen;
        self.close_names(all);
        for at in [0, 1] {
            let with_code =
                |id: &ProcId| all.reached[at].contains(id) || all.touching[at].contains_key(id);
            let named: BTreeSet<ProcId> =
                all.named[at].iter().copied().filter(|id| !with_code(id)).collect();
            all.named[at] = named;
        }
    }
}

/// A name, and what follows each dot or colon in it.
fn name_ends(name: &str) -> impl Iterator<Item = &str> {
    let after = name.match_indices(['.', ':']).map(|(at, _)| &name[at + 1..]);
    std::iter::once(name).chain(after)
}
