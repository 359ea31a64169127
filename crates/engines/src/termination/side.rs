//! One version: from which entry states every run ends, and from which none does.
//!
//! Cyclic procedures are decided from the innermost to the outermost ([`Cycle`]); the procedure itself ends if every call of a
//! cyclic one that it makes does, and never ends if it makes one that does not.

use super::body::{self, Call, CyclicBody};
use super::cached_queries::CachedQueries;
use super::cycle::{CallArguments, Cycle, CycleFacts, Inner, Reason};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Side, Task};
use verdiff_logic::{Evaluator, LogicError, Names, TermId, c_expression};
use verdiff_model::ProcId;
use verdiff_product::{Product, ProgramFacts};
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// What was found out of one version.
pub struct Ending {
    pub space: Space,
    /// A symbol for each parameter of the procedure.
    pub params: Vec<TermId>,
    /// Conditions over them.
    pub ends: TermId,
    pub never: TermId,
    /// Why it ends where it does.
    pub ends_by: Vec<Argument>,
    /// Why it does not where it does not.
    pub never_by: Vec<Argument>,
}

/// A reason, with the procedure that it is about.
pub struct Argument {
    /// As outlining names it: `f.loop1`.
    pub place: String,
    /// What gets smaller, as C, where it can be written so.
    pub ranks: Vec<String>,
    pub reason: Reason,
}

/// The cyclic procedures that are cut: one of each component, such that no cycle is left. `None` if that cannot be.
fn cuts(facts: &ProgramFacts, side: Side, root: ProcId) -> Option<BTreeSet<ProcId>> {
    let reached: BTreeSet<ProcId> = facts.reached(side, root).into_iter().collect();
    let graph = &facts.graphs[side.index()];
    let mut cuts = BTreeSet::new();
    for component in graph.components() {
        let members: Vec<ProcId> = component
            .iter()
            .copied()
            .filter(|p| reached.contains(p) && graph.is_recursive(*p))
            .collect();
        let acyclic_without = |cut: &ProcId| {
            let left = facts.cyclic_without(side, &BTreeSet::from([*cut]));
            members.iter().all(|m| m == cut || !left.contains(m))
        };
        // Best the procedure itself: its parameters are what people know.
        let first = members.iter().filter(|m| **m == root).chain(&members);
        if !members.is_empty() {
            cuts.insert(*first.into_iter().find(|m| acyclic_without(m))?);
        }
    }
    let left = facts.cyclic_without(side, &cuts);
    reached.iter().all(|p| !left.contains(p)).then_some(cuts)
}

/// Whether a cyclic procedure does exactly what its formula says, whatever it is called with: it accesses fixed places
/// alone, and makes and frees nothing. (A walk through memory of which no end is known has one all the same.)
fn is_exact(facts: &ProgramFacts, side: Side, id: ProcId, calls: &[&Call]) -> bool {
    let effects = facts.effects(side, id);
    !facts.touches(side, id)
        && !facts.spreads_unwritten(side, id)
        && !effects.allocates
        && !effects.frees
        && calls.iter().all(|call| call.set.iter().all(|set| *set))
}

/// What is known of the entry states of one procedure that terminates if its loops and recursion do
/// ([`ProgramFacts::terminates_if_finite`]); `None` if its cycles cannot be cut.
pub fn decide(
    task: &Task<'_>,
    facts: &ProgramFacts,
    side: Side,
    root: ProcId,
    budget: &Budget,
) -> Result<Option<Ending>, Stop> {
    let Some(cuts) = cuts(facts, side, root) else { return Ok(None) };
    let mut product = Product::new(*task, facts, budget);
    let mut queries = CachedQueries::new(*budget);
    let mut bodies: BTreeMap<ProcId, CyclicBody> = BTreeMap::new();
    let mut order: Vec<ProcId> = vec![];
    for id in facts.graphs[side.index()].components().iter().flatten() {
        let wanted = *id == root || cuts.contains(id);
        if wanted && facts.reached(side, root).contains(id) {
            bodies.insert(*id, body::execute(&mut product, side, *id, &cuts)?);
            order.push(*id);
        }
    }
    let mut space = product.space;
    let mut found = SideFacts { facts, side, bodies, known: BTreeMap::new() };
    for id in order.iter().copied().filter(|id| cuts.contains(id)) {
        let known = found.cycle(&mut space, &mut queries, id, root)?;
        found.known.insert(id, known);
    }
    found.ending(space, queries, root)
}

struct SideFacts<'a> {
    facts: &'a ProgramFacts,
    side: Side,
    bodies: BTreeMap<ProcId, CyclicBody>,
    known: BTreeMap<ProcId, CycleFacts>,
}

impl SideFacts<'_> {
    fn cycle(
        &self,
        space: &mut Space,
        queries: &mut CachedQueries,
        id: ProcId,
        root: ProcId,
    ) -> Result<CycleFacts, LogicError> {
        let body = &self.bodies[&id];
        let own: Vec<&Call> = body.calls.iter().filter(|c| c.callee == id).collect();
        let mut inner = vec![];
        for call in body.calls.iter().filter(|c| c.callee != id) {
            inner.push(self.inner(space, call)?);
        }
        let exact = is_exact(self.facts, self.side, id, &own);
        // The calls from elsewhere: what is said of others interests nobody.
        let outer: Vec<&Call> = self
            .bodies
            .iter()
            .filter(|(caller, _)| **caller != id)
            .flat_map(|(_, body)| body.calls.iter().filter(|c| c.callee == id))
            .collect();
        let name = self.facts.programs[self.side.index()].procedure(id).name.clone();
        let mut sample = |space: &mut Space, queries: &mut CachedQueries, open: TermId| {
            self.sample(space, queries, (id, id == root), &outer, open)
        };
        let relevant = vec![];
        Cycle { space, queries, body, own, inner, exact, name, relevant }.decide(&mut sample)
    }

    /// What is known of a call of a cyclic procedure that was decided before.
    fn inner(&self, space: &mut Space, call: &Call) -> Result<Inner, LogicError> {
        let falsity = space.pool.falsity();
        let (mut ends, mut never) = (falsity, falsity);
        if let (Some(known), Some(callee)) =
            (self.known.get(&call.callee), self.bodies.get(&call.callee))
        {
            // Nothing is said of what a parameter without a value is.
            if callee.reads_set(space, known.ends, &[call]) {
                ends = CyclicBody::at_call(space, callee, call, known.ends)?;
            }
            if call.set.iter().all(|set| *set) {
                never = CyclicBody::at_call(space, callee, call, known.never)?;
            }
        }
        Ok(Inner { when: call.when, ends, never })
    }

    /// A call of a procedure of which a condition holds: by an entry state, or by whoever calls it.
    fn sample(
        &self,
        space: &mut Space,
        queries: &mut CachedQueries,
        (id, entered): (ProcId, bool),
        outer: &[&Call],
        open: TermId,
    ) -> Result<Option<CallArguments>, LogicError> {
        let body = &self.bodies[&id];
        let number = |space: &Space, model: &_, terms: &[TermId]| -> Option<CallArguments> {
            let mut evaluator = Evaluator::new(model);
            terms.iter().map(|t| evaluator.eval(&space.pool, *t).ok()).collect()
        };
        if entered && let Some(model) = queries.state(space, open) {
            return Ok(number(space, &model, &body.params));
        }
        for call in outer {
            let there = CyclicBody::at_call(space, body, call, open)?;
            let made = space.and(&[call.when, there])?;
            let made = space.tidy(made)?;
            if made != space.pool.falsity()
                && let Some(model) = queries.state(space, made)
            {
                return Ok(number(space, &model, &call.args));
            }
        }
        Ok(None)
    }

    /// What follows for the procedure itself.
    fn ending(
        mut self,
        mut space: Space,
        mut queries: CachedQueries,
        root: ProcId,
    ) -> Result<Option<Ending>, Stop> {
        let body = self.bodies[&root].clone();
        let (ends, never) = match self.known.get(&root) {
            Some(known) => (known.ends, known.never),
            None => {
                let (mut all, mut any) = (vec![], vec![]);
                for call in &body.calls {
                    let inner = self.inner(&mut space, call)?;
                    let not = space.not(inner.when)?;
                    all.push(space.or(&[not, inner.ends])?);
                    // Each call by itself: a second loop begins with what the first one leaves, and what is not known of that must not hide
                    // that the first one never ends. Fewer states are no mistake.
                    let never = space.and(&[inner.when, inner.never])?;
                    let never = space.tidy(never)?;
                    if body.is_plain(&space, never) {
                        any.push(never);
                    }
                }
                let (all, any) = (space.and(&all)?, space.or(&any)?);
                let (all, any) = (space.tidy(all)?, space.tidy(any)?);
                queries.turn_to(&mut space)?;
                // What is called may give anything: it may end whatever that is.
                match !body.is_plain(&space, all) && queries.implies(&mut space, &[], all)?.is_yes()
                {
                    true => (space.pool.truth(), any),
                    false => (all, any),
                }
            }
        };
        let falsity = space.pool.falsity();
        let plain = |space: &Space, term| if body.is_plain(space, term) { term } else { falsity };
        let (ends, never) = (plain(&space, ends), plain(&space, never));
        let (mut ends_by, mut never_by) = (vec![], vec![]);
        for (id, known) in std::mem::take(&mut self.known) {
            for reason in known.ends_by {
                ends_by.push(self.argument(&mut space, id, reason)?);
            }
            for reason in known.never_by {
                never_by.push(self.argument(&mut space, id, reason)?);
            }
        }
        let params = body.params;
        Ok(Some(Ending { space, params, ends, never, ends_by, never_by }))
    }

    fn argument(&self, space: &mut Space, id: ProcId, reason: Reason) -> Result<Argument, Stop> {
        let procedure = self.facts.programs[self.side.index()].procedure(id);
        let place = procedure.name.clone();
        // Under the names of the text, where two parameters do not share one.
        let mut names = vec![];
        for (param, term) in procedure.params.iter().zip(&self.bodies[&id].params) {
            let name = &procedure.var(*param).name;
            let sort = space.pool.sort(*term);
            if let Ok(symbol) = space.pool.symbol(name, sort) {
                names.push((*term, symbol));
            }
        }
        let map = names.into_iter().collect();
        let mut ranks = vec![];
        for rank in &reason.ranks {
            let named = space.pool.substitute(*rank, &map)?;
            ranks.extend(c_expression(&space.pool, named, &Names::default()));
        }
        Ok(Argument { place, ranks, reason })
    }
}
