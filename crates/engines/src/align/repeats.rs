//! A run that terminates is never twice in the same state.
//!
//! ✗ `for (i = 1;; i++)` against `for (i = 0;; i++)` with an `if (i)` in the body: after 2^64 iterations the test fails
//! again, and nothing but the end of the run says that there are fewer. A loop that still runs then runs for ever: it
//! is in the state in which it was first.
//!
//! # Why that is sound
//!
//! Call a set of variables at each cut point of one version *deciding* if the conditions under which the version goes on
//! in one way or another depend on nothing else, and what the deciding variables are at the next cut point depends on
//! nothing else either: not on memory, not on the world. Then a cut point and its deciding variables determine which cut
//! points come next, with which deciding variables, and whether the run ends. Take an entry state from which the first
//! step leads to a cut point P, with the deciding variables d. If the run comes to P again with d, it goes on as it went
//! on before, so it comes there again and again and does not end. All other obligations are about entry states from
//! which both versions end, so that "the next place is not P with d" is given in every step but the first.

use super::step::{Continuation, Stepping};
use super::{CutPoint, Node};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use verdiff_logic::{LogicError, TermId};
use verdiff_model::ProcId;
use verdiff_symex::execute::Stop;

/// The state in which a run comes first to a cut point, over what the parameters were at the entry.
pub struct Passed {
    place: ProcId,
    /// When the first step of the run leads there.
    when: TermId,
    /// The deciding variables: which, what they are, and whether they are initialised.
    deciding: Vec<(usize, TermId, TermId)>,
}

/// How a version goes on from a cut point: its variables by their symbols, and all continuations.
struct Onwards {
    /// Values and flags.
    symbols: HashMap<TermId, usize>,
    continuations: Vec<Continuation>,
}

impl Onwards {
    /// The variables that terms depend on, if they depend on nothing else.
    fn variables(&self, stepping: &Stepping<'_, '_>, terms: &[TermId]) -> Option<BTreeSet<usize>> {
        let pool = &stepping.product.space.pool;
        let names = pool.free_names(terms).symbols;
        names.into_iter().map(|s| self.symbols.get(&pool.symbol_term(s)).copied()).collect()
    }
}

impl Stepping<'_, '_> {
    /// Finds out which states are not passed again. To be called before any step.
    pub fn find_passed(&mut self) -> Result<(), Stop> {
        for side in 0..2 {
            self.passed[side] = self.passed_by(side)?;
        }
        Ok(())
    }

    fn passed_by(&mut self, side: usize) -> Result<Vec<Passed>, Stop> {
        let mut onwards = BTreeMap::new();
        for id in self.cut.heads[side].clone() {
            let mut node = [CutPoint::End, CutPoint::End];
            node[side] = CutPoint::Head(id);
            onwards.insert(id, self.onwards(node, side)?);
        }
        let deciding = self.deciding_variables(&onwards);
        let start = self.onwards([CutPoint::Start, CutPoint::Start], side)?;
        let mut found = vec![];
        for continuation in &start.continuations {
            let CutPoint::Head(place) = continuation.place else { continue };
            let Some(own) = deciding.get(&place) else { continue };
            let mut terms = vec![continuation.when];
            for index in own {
                terms.extend([continuation.values[*index], continuation.flags[*index]]);
            }
            if start.variables(self, &terms).is_none() {
                continue;
            }
            // Over what the parameters were at the entry, as later steps have them.
            let map = self.entry_parameters(&start)?.into_iter().collect();
            let mut put = |term: TermId| self.product.space.pool.substitute(term, &map);
            let when = put(continuation.when)?;
            let mut values = vec![];
            for index in own {
                let (value, flag) = (continuation.values[*index], continuation.flags[*index]);
                values.push((*index, put(value)?, put(flag)?));
            }
            found.push(Passed { place, when, deciding: values });
        }
        Ok(found)
    }

    /// What the parameters are at the start, as symbols of later steps.
    fn entry_parameters(&mut self, start: &Onwards) -> Result<Vec<(TermId, TermId)>, LogicError> {
        let later = self.entry_symbols()?;
        let of = |(term, index): (&TermId, &usize)| Some((*term, *later.get(*index)?));
        Ok(start.symbols.iter().filter_map(of).collect())
    }

    fn onwards(&mut self, node: Node, side: usize) -> Result<Onwards, Stop> {
        let place = match node[side] {
            CutPoint::Head(id) => id.index(),
            _ => 0,
        };
        let (entries, at) = self.entries(node, 1000 + place, &mut vec![])?;
        let continuations = self.continuations(node, side, 1, &entries, &at)?;
        // Both versions start from the parameters of the old one.
        let state = if node[side] == CutPoint::Start { &at[0] } else { &at[side] };
        let own = match node[side] {
            CutPoint::Start => entries[0].args.len(),
            _ => entries[side].args.len(),
        };
        let values = state.values.iter().take(own).copied().enumerate();
        let flags = state.flags.iter().take(own).copied().enumerate();
        let symbols = values.chain(flags).map(|(index, term)| (term, index));
        let pool = &self.product.space.pool;
        let symbols = symbols.filter(|(term, _)| pool.as_symbol(*term).is_some()).collect();
        Ok(Onwards { symbols, continuations })
    }

    /// The deciding variables of each cut point from which nothing else decides how the run goes on, however far.
    fn deciding_variables(
        &self,
        onwards: &BTreeMap<ProcId, Onwards>,
    ) -> BTreeMap<ProcId, BTreeSet<usize>> {
        let mut found: BTreeMap<ProcId, BTreeSet<usize>> =
            onwards.keys().map(|id| (*id, BTreeSet::new())).collect();
        loop {
            let mut next = BTreeMap::new();
            for id in found.keys() {
                let Some(own) = self.needed(&onwards[id], &found) else { continue };
                next.insert(*id, own);
            }
            if next == found {
                return found;
            }
            found = next;
        }
    }

    /// The variables on which it depends how the run goes on from a cut point, and what the deciding variables of the next
    /// one are; nothing if memory or the world does, or if that is so at a next one.
    fn needed(
        &self,
        onwards: &Onwards,
        deciding: &BTreeMap<ProcId, BTreeSet<usize>>,
    ) -> Option<BTreeSet<usize>> {
        let mut terms = vec![];
        for continuation in &onwards.continuations {
            terms.push(continuation.when);
            if let CutPoint::Head(id) = continuation.place {
                for index in deciding.get(&id)? {
                    terms.extend([continuation.values[*index], continuation.flags[*index]]);
                }
            }
        }
        onwards.variables(self, &terms)
    }

    /// That none of these continuations leads to a state that was passed.
    pub fn not_again(
        &mut self,
        node: Node,
        side: usize,
        continuations: &[&Continuation],
    ) -> Result<Vec<TermId>, LogicError> {
        let mut found = vec![];
        if !matches!(node[side], CutPoint::Head(_)) || node.contains(&CutPoint::Start) {
            return Ok(found);
        }
        let space = &mut self.product.space;
        for passed in &self.passed[side] {
            let there = |c: &&&Continuation| c.place == CutPoint::Head(passed.place);
            for continuation in continuations.iter().filter(there) {
                let mut same = vec![passed.when, continuation.when];
                for (index, value, flag) in &passed.deciding {
                    same.push(space.pool.eq(continuation.values[*index], *value)?);
                    same.push(space.pool.eq(continuation.flags[*index], *flag)?);
                }
                let same = space.and(&same)?;
                let again = space.not(same)?;
                found.push(space.tidy(again)?);
            }
        }
        Ok(found)
    }
}
