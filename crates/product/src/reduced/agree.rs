//! Whether analyses find the same in a part as in the whole.

use super::select::Selection;
use super::{Part, Reducer};
use crate::facts::{Facts, ProgramFacts};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::outline::Reach;
use verdiff_model::{GlobalId, LocalId, ProcId, VarId};
use verdiff_symex::effects::{ProcedureEffects, RegionSet};
use verdiff_symex::regions::{RegionId, RegionInfo, Regions};

/// Whether all that is found of the procedures and globals of the part is found of them in the whole: regions, effects, who calls whom and
/// who ends, uninitialised memory, what the outside sees; in the programs as they were written and with their loops cut out.
pub(super) fn agree(reducer: &Reducer, all: &Selection, part: &Part) -> bool {
    let comparison: Rc<Comparison> = Rc::new((*part.comparison).clone());
    let (here, there) = (Facts::of(comparison), &reducer.facts);
    let same = |here, there, written| {
        let same = PartComparison { part, here, there, regions: reached(all, part, here), written };
        same.outside()
            && same.regions()
            && Side::BOTH.into_iter().all(|side| same.procedures(side, all))
    };
    same(here.written(), there.written(), true)
        && [Reach::Loop, Reach::End]
            .into_iter()
            .all(|reach| same(here.outlined(reach), there.outlined(reach), false))
}

struct PartComparison<'a> {
    part: &'a Part,
    here: &'a ProgramFacts,
    there: &'a ProgramFacts,
    /// The regions of the part that its code can reach.
    regions: BTreeSet<RegionId>,
    /// Whether these are the programs as they were written. Procedures that were cut out have no numbers in common.
    written: bool,
}

/// The regions that globals, and variables and locals of code that may be run, lie in or lead to, and all that can be reached from these.
fn reached(all: &Selection, part: &Part, facts: &ProgramFacts) -> BTreeSet<RegionId> {
    let mut work = vec![facts.regions.outside()];
    for side in Side::BOTH {
        let numbers = &part.numbers.sides[side.index()];
        let program = facts.program(side);
        let globals = (0..numbers.globals.len()).map(GlobalId::new);
        work.extend(globals.map(|id| facts.regions.of_global(side, id)));
        let procedures = numbers.procedures.iter().enumerate();
        for (at, _) in procedures.filter(|(_, id)| all.reached[side.index()].contains(id)) {
            let (at, procedure) = (ProcId::new(at), program.procedure(ProcId::new(at)));
            let vars = (0..procedure.vars.len()).map(VarId::new);
            work.extend(vars.filter_map(|var| facts.regions.leads_to(side, at, var)));
            let locals = (0..procedure.locals.len()).map(LocalId::new);
            work.extend(locals.map(|local| facts.regions.of_local(side, at, local)));
        }
    }
    let mut reached = BTreeSet::new();
    while let Some(region) = work.pop() {
        if reached.insert(region) {
            work.extend(&facts.regions.info(region).contents);
        }
    }
    reached
}

/// The name of an object or region. A constant without a name is called by its contents, and by its file too where several have the
/// same: which of these are in the part does not matter, nobody can change them.
fn plain(name: &str) -> &str {
    const CONTENTS: usize = "const.".len() + 32;
    match name.starts_with("const.") {
        true => name.get(..CONTENTS).unwrap_or(name),
        false => name,
    }
}

/// What is known of a region, without numbers. Nobody lists what is outside.
#[derive(PartialEq, Debug)]
struct RegionFacts<'a> {
    info: RegionInfo,
    contents: BTreeSet<&'a str>,
    spread: bool,
}

impl<'a> PartComparison<'a> {
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

    fn known(facts: &'a ProgramFacts, id: RegionId) -> RegionFacts<'a> {
        let given = facts.regions.info(id);
        let contents = given.contents.iter().map(|id| plain(&facts.regions.info(*id).name));
        let contents = contents.collect();
        let mut objects: Vec<String> = vec![];
        if !given.outside {
            objects.extend(given.objects.iter().map(|name| plain(name).to_owned()));
            objects.dedup();
        }
        let name = plain(&given.name).to_owned();
        let info = RegionInfo { contents: vec![], objects, name, ..given.clone() };
        RegionFacts { info, contents, spread: facts.spread.contains(&id) }
    }

    /// The regions of the part are regions of the whole.
    fn regions(&self) -> bool {
        let mut named: HashMap<&str, Vec<RegionId>> = HashMap::new();
        for id in self.there.regions.ids() {
            named.entry(plain(&self.there.regions.info(id).name)).or_default().push(id);
        }
        self.regions.iter().all(|id| {
            let here = Self::known(self.here, *id);
            let there = named.get(here.info.name.as_str()).into_iter().flatten();
            there.into_iter().any(|there| Self::known(self.there, *there) == here)
        })
    }

    fn same_region(&self, here: RegionId, there: RegionId) -> bool {
        let (here, there) = (self.here.regions.info(here), self.there.regions.info(there));
        plain(&here.name) == plain(&there.name)
    }

    fn procedures(&self, side: Side, all: &Selection) -> bool {
        let (numbers, program) = (&self.part.numbers.sides[side.index()], self.here.program(side));
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
                    && (!self.written || self.calls_agree(side, at, id, reached))
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
        let infos = self.regions.iter().map(|id| self.here.regions.info(*id));
        let reached: BTreeSet<&str> = infos.map(|info| plain(&info.name)).collect();
        let named = |regions: &'a Regions, set: &RegionSet| -> BTreeSet<&'a str> {
            let names = set.iter().map(|id| plain(&regions.info(id).name));
            // What is not in the part is nobody's business there.
            names.filter(|name| reached.contains(name)).collect()
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
