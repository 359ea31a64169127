//! Whether analyses find the same in a part as in the whole.

use super::select::Selection;
use super::{Part, Reducer};
use crate::facts::{Facts, ProgramFacts};
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::{GlobalId, LocalId, ProcId, VarId};
use verdiff_symex::effects::{ProcedureEffects, RegionSet};
use verdiff_symex::regions::{RegionId, RegionInfo, Regions};

/// Whether all that is found of the procedures and globals of the part is found of them in the whole: regions, effects, who calls whom and
/// who ends, uninitialised memory, what the outside sees. What is asked of programs with loops cut out
/// follows from the same statements, and is not found out once more here.
pub(super) fn agree(reducer: &Reducer, all: &Selection, part: &Part) -> bool {
    let comparison: Rc<Comparison> = Rc::new((*part.comparison).clone());
    let facts = Facts::of(comparison);
    let (here, there) = (facts.written(), reducer.facts.written());
    let same = Compared { part, here, there, names: names(&here.regions) };
    same.outside()
        && same.regions()
        && Side::BOTH.into_iter().all(|side| same.procedures(side, all))
}

struct Compared<'a> {
    part: &'a Part,
    here: &'a ProgramFacts,
    there: &'a ProgramFacts,
    /// The names of all regions of the part.
    names: BTreeSet<&'a str>,
}

fn names(regions: &Regions) -> BTreeSet<&str> {
    regions.ids().map(|id| regions.info(id).name.as_str()).collect()
}

/// What is known of a region, without numbers. Nobody lists what is outside.
#[derive(PartialEq, Debug)]
struct Known<'a> {
    info: RegionInfo,
    contents: BTreeSet<&'a str>,
    spread: bool,
}

impl<'a> Compared<'a> {
    fn outside(&self) -> bool {
        let (here, there) = (&self.here.outside, &self.there.outside);
        let numbers = &self.part.numbers;
        let taken = match (&here.taken, &there.taken) {
            (None, None) => true,
            (Some(here), Some(there)) => {
                let here: Option<BTreeSet<PairId>> =
                    here.iter().map(|p| numbers.pair(*p)).collect();
                let there = there.iter().copied().filter(|p| numbers.of_pair(*p).is_some());
                here == Some(there.collect())
            }
            _ => false,
        };
        taken && here.constants_are_equal == there.constants_are_equal
    }

    fn known(facts: &'a ProgramFacts, id: RegionId) -> Known<'a> {
        let given = facts.regions.info(id);
        let contents =
            given.contents.iter().map(|id| facts.regions.info(*id).name.as_str()).collect();
        let objects = if given.outside { vec![] } else { given.objects.clone() };
        let info = RegionInfo { contents: vec![], objects, ..given.clone() };
        Known { info, contents, spread: facts.spread.contains(&id) }
    }

    /// The regions of the part are regions of the whole.
    fn regions(&self) -> bool {
        self.here.regions.ids().all(|id| {
            let name = &self.here.regions.info(id).name;
            let there = self.there.regions.named(name);
            there.is_some_and(|there| Self::known(self.here, id) == Self::known(self.there, there))
        })
    }

    fn same_region(&self, here: RegionId, there: RegionId) -> bool {
        self.here.regions.info(here).name == self.there.regions.info(there).name
    }

    fn procedures(&self, side: Side, all: &Selection) -> bool {
        let (numbers, program) =
            (&self.part.numbers.sides[side.index()], self.part.comparison.program(side));
        let (here, there) = (&self.here.regions, &self.there.regions);
        let globals = numbers.globals.iter().enumerate().all(|(at, id)| {
            let region = here.of_global(side, GlobalId::new(at));
            self.same_region(region, there.of_global(side, *id))
        });
        let reached = &all.reached[side.index()];
        let procedures = numbers.procedures.iter().enumerate();
        let mut procedures = procedures.filter(|(_, id)| reached.contains(id));
        globals
            && self.same_effects(
                self.here.effects_of_unknown(side),
                self.there.effects_of_unknown(side),
            )
            && procedures.all(|(at, id)| {
                let (at, id) = (ProcId::new(at), *id);
                let procedure = program.procedure(at);
                let vars = (0..procedure.vars.len()).map(VarId::new).all(|var| {
                    match (here.leads_to(side, at, var), there.leads_to(side, id, var)) {
                        (Some(a), Some(b)) => self.same_region(a, b),
                        (None, None) => true,
                        _ => false,
                    }
                });
                let locals = (0..procedure.locals.len()).map(LocalId::new).all(|local| {
                    let region = here.of_local(side, at, local);
                    self.same_region(region, there.of_local(side, id, local))
                });
                vars && locals
                    && self.same_effects(self.here.effects(side, at), self.there.effects(side, id))
                    && self.here.is_recursive(side, at) == self.there.is_recursive(side, id)
                    && self.here.terminates(side, at) == self.there.terminates(side, id)
                    && self.here.is_unbounded(side, at) == self.there.is_unbounded(side, id)
                    && self.calls_agree(side, at, id, reached)
            })
    }

    /// The same procedures are called, all of them with their code; and somebody calls it if somebody did.
    fn calls_agree(&self, side: Side, at: ProcId, id: ProcId, reached: &BTreeSet<ProcId>) -> bool {
        let (here, there) = (&self.here.graphs[side.index()], &self.there.graphs[side.index()]);
        let numbers = &self.part.numbers;
        let callees: Option<BTreeSet<ProcId>> =
            here.callees(at).iter().map(|id| numbers.procedure(side, *id)).collect();
        let callers = here.callers(at).is_empty() == there.callers(id).is_empty();
        let taken = here.address_taken().contains(&at) == there.address_taken().contains(&id);
        let inside = there.callees(id).iter().all(|id| reached.contains(id));
        let same = callees == Some(there.callees(id).iter().copied().collect());
        inside && same && callers && taken
    }

    fn same_effects(&self, here: &ProcedureEffects, there: &ProcedureEffects) -> bool {
        let named = |regions: &'a Regions, set: &RegionSet| -> BTreeSet<&'a str> {
            let names = set.iter().map(|id| regions.info(id).name.as_str());
            // What is not in the part is nobody's business there.
            names.filter(|name| self.names.contains(name)).collect()
        };
        let (a, b) = (&self.here.regions, &self.there.regions);
        let flags = |e: &ProcedureEffects| {
            (e.world, e.errno, e.allocates, e.frees, e.may_trap, e.may_not_return)
        };
        named(a, &here.reads) == named(b, &there.reads)
            && named(a, &here.writes) == named(b, &there.writes)
            && flags(here) == flags(there)
    }
}
