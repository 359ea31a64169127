//! One cyclic procedure: from which calls of it every run ends, and from which none does.
//!
//! **Ends.** Let P be a condition over the parameters that holds at every call that the procedure makes of itself, if it holds of the
//! procedure's own. If under P a tuple of numbers falls with every such call ([`rank`]), and under P everything else that is called
//! ends, then every run from P ends: a run without an end would need endlessly many calls nested in each other, since a body is
//! executed in finitely many steps and makes finitely many calls.
//!
//! **Never ends** (rule `recurrent-set`). Let R be a condition under which the procedure surely calls itself, with R again. Then from R it never
//! returns, traps or exits: the calls are made one in the other without end. What is called before that call either comes back or does not end either.
//!
//! P and R are conjunctions of [`atoms`]. A state of which nothing is known yet is executed for a while; statements that hold all along
//! are thinned out until they keep themselves (Houdini), and then as many as possible are given up, so that the condition becomes wide.

use super::atoms;
use super::body::{Call, CyclicBody};
use super::cached_queries::{CachedQueries, Implication};
use super::rank;
use verdiff_judge::Obligation;
use verdiff_logic::{Evaluator, LogicError, TermId, Value};
use verdiff_symex::space::Space;

/// How many states are looked at in all.
const SAMPLES: usize = 8;
/// After so many of which nothing came no more are.
const IN_VAIN: usize = 3;
/// How often a condition is extended by the states that lead into it.
const BACK: usize = 12;
/// Larger conditions are of no use to anybody.
const LARGEST: usize = 1500;

/// What is known of a cyclic procedure. Conditions are over its parameters.
#[derive(Clone, Debug)]
pub struct CycleFacts {
    /// Every run ends.
    pub ends: TermId,
    /// No run does.
    pub never: TermId,
    /// Why.
    pub ends_by: Vec<Reason>,
    pub never_by: Vec<Reason>,
}

/// One argument.
#[derive(Clone, Debug, Default)]
pub struct Reason {
    /// What gets smaller.
    pub ranks: Vec<TermId>,
    pub obligations: Vec<Obligation>,
}

/// A call of another cyclic procedure, and what is known of that call.
pub struct Inner {
    pub when: TermId,
    pub ends: TermId,
    pub never: TermId,
}

/// The parameters of one call, as numbers.
pub type CallArguments = Vec<Value>;

/// A procedure that is being looked at.
pub struct Cycle<'a> {
    pub space: &'a mut Space,
    pub queries: &'a mut CachedQueries,
    pub body: &'a CyclicBody,
    /// The calls that it makes of itself.
    pub own: Vec<&'a Call>,
    pub inner: Vec<Inner>,
    /// Whether that it never ends may be concluded: what it does is exactly what the formula says.
    pub exact: bool,
    pub name: String,
    /// The parameters that matter.
    pub relevant: Vec<usize>,
}

/// Looks for a call, of those that are made, of which a condition holds.
pub type Sampler<'s> = dyn FnMut(&mut Space, &mut CachedQueries, TermId) -> Result<Option<CallArguments>, LogicError>
    + 's;

impl Cycle<'_> {
    /// Finds out what can be. `sample` gives calls that are open still.
    pub fn decide(mut self, sample: &mut Sampler<'_>) -> Result<CycleFacts, LogicError> {
        self.queries.turn_to(self.space)?;
        let (truth, falsity) = (self.space.pool.truth(), self.space.pool.falsity());
        let mut known =
            CycleFacts { ends: falsity, never: falsity, ends_by: vec![], never_by: vec![] };
        let others = self.others_end()?;
        self.relevant = self.body.relevant(self.space, &self.own, &others);
        let mut ranks = atoms::ranks(self.space, self.body, &self.own, &self.relevant)?;
        ranks.retain(|r| self.body.reads_set(self.space, *r, &self.own));
        if let Some(reason) = self.ends_under(&[], &ranks)? {
            known.ends = truth;
            known.ends_by.push(reason);
            return Ok(known);
        }
        let mut atoms = atoms::atoms(self.space, self.body, &self.own, &self.relevant, &others)?;
        atoms.retain(|a| self.body.reads_set(self.space, *a, &self.own));
        self.begin(&mut known)?;
        let mut looked_at = falsity;
        let mut in_vain = 0;
        for _ in 0..SAMPLES {
            let decided = self.space.or(&[known.ends, known.never, looked_at])?;
            let open = self.space.not(decided)?;
            if self.queries.is_over() || open == falsity || in_vain == IN_VAIN {
                break;
            }
            let Some(point) = sample(self.space, self.queries, open)? else { break };
            self.queries.turn_to(self.space)?;
            let before = (known.ends, known.never);
            self.look_at(&point, &atoms, &ranks, &mut known)?;
            in_vain = if before == (known.ends, known.never) { in_vain + 1 } else { 0 };
            let here = self.is_point(&point)?;
            looked_at = self.space.or(&[looked_at, here])?;
        }
        Ok(known)
    }

    /// What needs no search: it makes no call of itself; it calls what never ends.
    fn begin(&mut self, known: &mut CycleFacts) -> Result<(), LogicError> {
        let mut quiet = vec![];
        for call in &self.own {
            quiet.push(self.space.not(call.when)?);
        }
        quiet.extend(self.others_end()?);
        let quiet = self.space.and(&quiet)?;
        self.extend_ends(known, quiet)?;
        if self.exact {
            let mut never = vec![];
            for inner in &self.inner {
                // One by one: that one of them cannot be said must not hide the others.
                let one = self.space.and(&[inner.when, inner.never])?;
                let one = self.space.tidy(one)?;
                if self.is_usable(one) {
                    never.push(one);
                }
            }
            let never = self.space.or(&never)?;
            let never = self.space.tidy(never)?;
            if self.is_usable(never) {
                known.never = never;
            }
        }
        Ok(())
    }

    /// That whatever else is called ends.
    fn others_end(&mut self) -> Result<Vec<TermId>, LogicError> {
        let mut all = vec![];
        for inner in &self.inner {
            let not = self.space.not(inner.when)?;
            all.push(self.space.or(&[not, inner.ends])?);
        }
        Ok(all)
    }

    fn extend_ends(&mut self, known: &mut CycleFacts, more: TermId) -> Result<(), LogicError> {
        let more = self.space.tidy(more)?;
        if self.is_usable(more) {
            let either = self.space.or(&[known.ends, more])?;
            known.ends = self.space.tidy(either)?;
        }
        Ok(())
    }

    fn is_usable(&self, term: TermId) -> bool {
        self.body.is_plain(self.space, term)
            && self.body.reads_set(self.space, term, &self.own)
            && self.space.pool.dag_size(term) <= LARGEST
    }

    /// One state: what holds of the run from it, and of others like it.
    fn look_at(
        &mut self,
        point: &CallArguments,
        atoms: &[TermId],
        ranks: &[TermId],
        known: &mut CycleFacts,
    ) -> Result<(), LogicError> {
        let run = self.follow(point);
        if run.ends != Some(false) {
            let kept = self.true_of(atoms, &run.states)?;
            let kept = self.keep(kept, None)?;
            if let Some(reason) = self.ends_under(&kept, ranks)? {
                let (condition, reason) = self.widen_ends(kept, reason)?;
                self.extend_ends(known, condition)?;
                known.ends_by.push(reason);
                return Ok(());
            }
            if run.ends == Some(true) {
                return self.back_ends(point, known);
            }
        }
        if !self.exact {
            return Ok(());
        }
        // It may take a few steps to get where it stays.
        for from in [0, run.cycle.unwrap_or(run.states.len() / 2)] {
            let kept = self.true_of(atoms, &run.states[from..])?;
            for call in 0..self.own.len() {
                if let Some((condition, reason)) = self.stays(kept.clone(), call)? {
                    let either = self.space.or(&[known.never, condition])?;
                    known.never = self.space.tidy(either)?;
                    known.never_by.push(reason);
                    return self.back_never(point, known);
                }
            }
        }
        Ok(())
    }

    /// The statements that keep themselves over one of the calls, or over all.
    fn keep(
        &mut self,
        mut kept: Vec<TermId>,
        only: Option<usize>,
    ) -> Result<Vec<TermId>, LogicError> {
        let calls: Vec<&Call> = match only {
            Some(number) => vec![self.own[number]],
            None => self.own.clone(),
        };
        loop {
            let before = kept.len();
            for call in &calls {
                let mut given = kept.clone();
                given.push(call.when);
                let mut next = vec![];
                for atom in &kept {
                    next.push(self.body.next(self.space, call, *atom)?);
                }
                let all = self.space.and(&next)?;
                match self.queries.implies(self.space, &given, all)? {
                    Implication::Yes => {}
                    Implication::Unknown => return Ok(vec![]),
                    Implication::No(model) => {
                        let mut evaluator = Evaluator::new(&model);
                        let pool = &self.space.pool;
                        let mut holds = next.iter().map(|n| evaluator.holds(pool, *n));
                        kept.retain(|_| holds.next().is_some_and(|h| h.unwrap_or(false)));
                    }
                }
            }
            if kept.len() == before || self.queries.is_over() {
                // What was not asked again is not known to keep itself.
                return Ok(if self.queries.is_over() { vec![] } else { kept });
            }
        }
    }

    /// Whether every run ends from where some statements hold.
    fn ends_under(
        &mut self,
        kept: &[TermId],
        ranks: &[TermId],
    ) -> Result<Option<Reason>, LogicError> {
        let premise = self.space.and(kept)?;
        if !self.is_kept(premise)? {
            return Ok(None);
        }
        let own = self.own.clone();
        let tuple = match own.is_empty() {
            true => Some(vec![]),
            false => rank::find(self.space, self.queries, self.body, &own, premise, ranks)?,
        };
        let Some(tuple) = tuple else { return Ok(None) };
        Ok(Some(Reason { obligations: self.ending(premise, &tuple)?, ranks: tuple }))
    }

    /// Whether a condition keeps itself, and all else that is called ends under it.
    fn is_kept(&mut self, premise: TermId) -> Result<bool, LogicError> {
        for call in self.own.clone() {
            let next = self.body.next(self.space, call, premise)?;
            if !self.queries.implies(self.space, &[premise, call.when], next)?.is_yes() {
                return Ok(false);
            }
        }
        for ends in self.others_end()? {
            if !self.queries.implies(self.space, &[premise], ends)?.is_yes() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// What was shown, for others to check.
    fn ending(&mut self, premise: TermId, tuple: &[TermId]) -> Result<Vec<Obligation>, LogicError> {
        let mut obligations = vec![];
        for call in self.own.clone() {
            let next = self.body.next(self.space, call, premise)?;
            let falls = rank::descends(self.space, self.body, call, tuple)?;
            let both = self.space.and(&[next, falls])?;
            let what = format!("each call of {} by itself descends", self.name);
            let given = [premise, call.when];
            obligations.extend(self.queries.obligation(self.space, what, &given, both)?);
        }
        let others = self.others_end()?;
        let others = self.space.and(&others)?;
        if others != self.space.pool.truth() {
            let what = format!("what {} calls ends", self.name);
            obligations.extend(self.queries.obligation(self.space, what, &[premise], others)?);
        }
        Ok(obligations)
    }

    /// Gives up as many statements as can be.
    fn widen_ends(
        &mut self,
        kept: Vec<TermId>,
        reason: Reason,
    ) -> Result<(TermId, Reason), LogicError> {
        let ranks = reason.ranks;
        let kept = self.widen(kept, |cycle, fewer| {
            let premise = cycle.space.and(fewer)?;
            let own = cycle.own.clone();
            Ok(cycle.is_kept(premise)?
                && rank::falls(cycle.space, cycle.queries, cycle.body, &own, premise, &ranks)?)
        })?;
        let premise = self.space.and(&kept)?;
        let obligations = self.ending(premise, &ranks)?;
        Ok((premise, Reason { obligations, ranks }))
    }

    /// The fewest statements that still do: a single one, if there is one, else what is left when parts are taken away, the
    /// narrow ones first and many at once.
    fn widen(
        &mut self,
        mut kept: Vec<TermId>,
        mut does: impl FnMut(&mut Self, &[TermId]) -> Result<bool, LogicError>,
    ) -> Result<Vec<TermId>, LogicError> {
        for one in kept.iter().rev() {
            if self.queries.is_over() {
                return Ok(kept);
            }
            if does(self, &[*one])? {
                return Ok(vec![*one]);
            }
        }
        let mut size = kept.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < kept.len() && !self.queries.is_over() {
                let mut fewer = kept.clone();
                fewer.drain(at..(at + size).min(kept.len()));
                if does(self, &fewer)? {
                    kept = fewer;
                } else {
                    at += size;
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Ok(kept)
    }

    /// A condition that implies one of the calls, with itself again.
    fn stays(
        &mut self,
        kept: Vec<TermId>,
        number: usize,
    ) -> Result<Option<(TermId, Reason)>, LogicError> {
        let kept = self.keep(kept, Some(number))?;
        if !self.is_recurrent(&kept, number)? {
            return Ok(None);
        }
        let kept = self.widen(kept, |cycle, fewer| cycle.is_recurrent(fewer, number))?;
        let condition = self.space.and(&kept)?;
        let again = self.again(condition, number)?;
        let what = format!("{} is called again, and again so", self.name);
        let obligations = self.queries.obligation(self.space, what, &[condition], again)?;
        let reason = Reason { obligations: obligations.into_iter().collect(), ..Reason::default() };
        Ok(Some((condition, reason)))
    }

    fn again(&mut self, condition: TermId, number: usize) -> Result<TermId, LogicError> {
        let call = self.own[number];
        let next = self.body.next(self.space, call, condition)?;
        self.space.and(&[call.when, next])
    }

    fn is_recurrent(&mut self, kept: &[TermId], number: usize) -> Result<bool, LogicError> {
        let condition = self.space.and(kept)?;
        let again = self.again(condition, number)?;
        Ok(self.queries.implies(self.space, &[condition], again)?.is_yes())
    }

    /// Adds the states that lead where it never ends, until a point is among them.
    fn back_never(
        &mut self,
        point: &CallArguments,
        known: &mut CycleFacts,
    ) -> Result<(), LogicError> {
        for _ in 0..BACK {
            if self.holds(known.never, point) {
                break;
            }
            let mut any = vec![known.never];
            for call in self.own.clone() {
                let next = self.body.next(self.space, call, known.never)?;
                any.push(self.space.and(&[call.when, next])?);
            }
            let wider = self.space.or(&any)?;
            let wider = self.space.tidy(wider)?;
            if !self.is_usable(wider) {
                break;
            }
            known.never = wider;
        }
        Ok(())
    }

    /// Adds the states all of whose calls end, until a point is among them.
    fn back_ends(
        &mut self,
        point: &CallArguments,
        known: &mut CycleFacts,
    ) -> Result<(), LogicError> {
        let mut wider = known.ends;
        for _ in 0..BACK {
            let mut all = self.others_end()?;
            for call in self.own.clone() {
                let not = self.space.not(call.when)?;
                let next = self.body.next(self.space, call, wider)?;
                all.push(self.space.or(&[not, next])?);
            }
            let before = self.space.and(&all)?;
            let either = self.space.or(&[wider, before])?;
            wider = self.space.tidy(either)?;
            if !self.is_usable(wider) {
                break;
            }
            if self.holds(wider, point) {
                known.ends = wider;
                break;
            }
        }
        Ok(())
    }
}
