//! Loops that count: how often each goes round, and what its variables are in each iteration.
//!
//! A variable of a version is *data* if what it becomes depends on data, or if it has no closed form; the others are *control*. Memory that
//! the version writes is data. Control alone decides where a run goes (else nothing is said), so the places that
//! a run passes, with the control variables there, do not depend on data.
//!
//! Closed forms. Let `x` be the control variables at a head, and `b(x)` what they are when the run comes back to it, taken from the
//! code: the moves of one iteration, one put into the other; a loop inside is passed by its own closed form. If `b(x) - x` speaks of nothing but
//! variables that an iteration leaves as they are, then before iteration `d` (from 0 on) the variables are `x + d (b(x) - x)` modulo
//! 2^w, by induction on `d`. `d` has so many bits that it does not wrap: it is at most the number of iterations, which has
//! as many.
//!
//! Number of iterations. A candidate `n`, over the variables at the entry of the loop, is taken from a comparison in the condition. A
//! solver shows of all `d <= n` (without sign), with the closed forms put in: if `d < n`, the loop is not left; if `d = n`, it does
//! not go on. So by induction iteration `d` comes for each `d < n`, and the loop is left after `n` of them, unless a trap ends the run
//! before. What is given in that question is what holds wherever the loop is entered: what is assumed at the start of the run, or
//! that the iteration of the loop around it has begun.

use super::shape::{Map, Nest, Place, Version, fitted, put, symbols, width};
use super::{Reordering, Shown};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{LogicError, Op, TermId};
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// How many numbers of iterations are tried, and of how many comparisons.
const MOST_COUNTS: usize = 48;
const MOST_ATOMS: usize = 6;

/// A loop that counts. All terms are over the variables of the loop around it, or of the entry.
#[derive(Clone)]
pub struct Counted {
    pub nest: Nest,
    /// The number of the iteration, a symbol.
    pub number: TermId,
    /// How many iterations there are.
    pub count: TermId,
    /// What each variable is in this iteration, if it is control.
    pub values: Vec<Option<TermId>>,
    /// What each variable is at first, and what is added in each iteration.
    pub parts: Vec<Option<[TermId; 2]>>,
    pub inner: Vec<Counted>,
}

/// Why a version does not count.
pub enum Uncounted {
    /// This variable has no closed form.
    Data(TermId),
    /// The number of iterations is not known.
    Unknown,
    Stop(Stop),
}

impl From<Stop> for Uncounted {
    fn from(stop: Stop) -> Uncounted {
        Uncounted::Stop(stop)
    }
}

impl From<LogicError> for Uncounted {
    fn from(error: LogicError) -> Uncounted {
        Uncounted::Stop(error.into())
    }
}

/// The variables of a version that are data, with the memories it writes.
pub fn data(space: &Space, version: &Version, more: &BTreeSet<TermId>) -> BTreeSet<TermId> {
    let written = version.written.iter().map(|region| version.memory[*region]);
    let mut data: BTreeSet<TermId> = written.chain(more.iter().copied()).collect();
    let depends =
        |terms: &[TermId], data: &BTreeSet<TermId>| !symbols(&space.pool, terms).is_disjoint(data);
    // At the start memory is what it is at the entry.
    let inside = || version.places.iter().filter(|(at, _)| **at != super::super::CutPoint::Start);
    loop {
        let before = data.len();
        for one in inside().flat_map(|(_, place)| &place.moves) {
            let Some(target) = version.places.get(&one.to) else { continue };
            for (param, value) in target.params.iter().zip(&one.values) {
                if depends(&[*value], &data) {
                    data.insert(*param);
                }
            }
        }
        if data.len() == before {
            break;
        }
    }
    data
}

/// Whether data decides where a run goes.
pub fn decides(space: &Space, version: &Version, data: &BTreeSet<TermId>) -> bool {
    let inside = version.places.iter().filter(|(at, _)| **at != super::super::CutPoint::Start);
    let conditions = inside.flat_map(|(_, place)| place.conditions());
    conditions.into_iter().any(|term| !symbols(&space.pool, &[term]).is_disjoint(data))
}

impl Reordering<'_, '_, '_> {
    /// Finds what a loop counts. `entry` are its variables where it is entered, `given` is what holds there. Also what the
    /// variables are where it leads.
    pub fn counted(
        &mut self,
        version: &Version,
        data: &BTreeSet<TermId>,
        nest: &Nest,
        entry: &[TermId],
        given: &[TermId],
    ) -> Result<(Counted, Vec<TermId>), Uncounted> {
        let place = &version.places[&nest.head];
        let (Some(stay), Some(exit)) = (place.move_to(nest.stay), place.move_to(nest.exit)) else {
            return Err(Uncounted::Unknown);
        };
        let mut back = stay.values.clone();
        let mut inner = vec![];
        for one in &nest.inner {
            let (counted, values) = self.counted(version, data, one, &back, &[stay.when])?;
            inner.push(counted);
            back = values;
        }
        let at_entry: Map = place.params.iter().copied().zip(entry.iter().copied()).collect();
        let control: Vec<usize> =
            (0..place.params.len()).filter(|n| !data.contains(&place.params[*n])).collect();
        let space = &mut self.stepping.product.space;
        let mut same: BTreeSet<TermId> = BTreeSet::new();
        for n in &control {
            let (param, back) = (place.params[*n], space.tidy(back[*n])?);
            if back == param {
                same.insert(param);
            }
        }
        // What changes: by what, over the variables that stay.
        let mut steps: BTreeMap<usize, TermId> = BTreeMap::new();
        for n in &control {
            let param = place.params[*n];
            if same.contains(&param) {
                continue;
            }
            if width(&space.pool, param).is_none() {
                return Err(Uncounted::Data(param));
            }
            let step = space.pool.bv_sub(back[*n], param)?;
            let step = space.tidy(step)?;
            let own: BTreeSet<TermId> = place.params.iter().copied().collect();
            let names = symbols(&space.pool, &[step]);
            if names.iter().any(|name| own.contains(name) && !same.contains(name)) {
                return Err(Uncounted::Data(param));
            }
            steps.insert(*n, step);
        }
        let counts = self.counts(place, stay.when, &same, &steps)?;
        for count in counts.into_iter().take(MOST_COUNTS) {
            let space = &mut self.stepping.product.space;
            let count = put(space, count, &at_entry)?;
            let Some(bits) = width(&space.pool, count) else { continue };
            let number = space.pool.fresh_symbol("iteration", verdiff_logic::Sort::BitVec(bits))?;
            let mut values = vec![None; place.params.len()];
            let mut parts = vec![None; place.params.len()];
            let mut in_iteration = at_entry.clone();
            for n in &control {
                let first = put(space, place.params[*n], &at_entry)?;
                let mut value = first;
                if let Some(step) = steps.get(n) {
                    let step = put(space, *step, &at_entry)?;
                    let own = width(&space.pool, first).unwrap_or(bits);
                    let times = fitted(space, number, own)?;
                    let more = space.pool.bv_mul(times, step)?;
                    let sum = space.pool.bv_add(first, more)?;
                    value = space.tidy(sum)?;
                    parts[*n] = Some([first, step]);
                }
                values[*n] = Some(value);
                in_iteration.insert(place.params[*n], value);
            }
            let goes_on = put(space, stay.when, &in_iteration)?;
            let ends = put(space, exit.when, &in_iteration)?;
            let before = space.pool.bv_ult(number, count)?;
            let last = space.pool.eq(number, count)?;
            let left = space.and(&[before, ends])?;
            let stays = space.and(&[last, goes_on])?;
            let wrong = space.or(&[left, stays])?;
            let mut all = given.to_vec();
            all.push(wrong);
            let what = format!("the number of iterations of {}", self.name(version, nest.head));
            if self.show(&what, &all)? != Shown::Holds {
                continue;
            }
            // Where it leads, after all iterations.
            let space = &mut self.stepping.product.space;
            let all_done: Map = [(number, count)].into_iter().collect();
            let mut at_end = at_entry.clone();
            for n in &control {
                let value = put(space, in_iteration[&place.params[*n]], &all_done)?;
                at_end.insert(place.params[*n], value);
            }
            let mut after = vec![];
            for value in &exit.values {
                after.push(put(space, *value, &at_end)?);
            }
            let nest = nest.clone();
            return Ok((Counted { nest, number, count, values, parts, inner }, after));
        }
        Err(Uncounted::Unknown)
    }

    /// Candidates for the number of iterations, over the variables where the loop is entered: from each comparison of what
    /// changes by a constant with what does not change; then the smaller of two.
    fn counts(
        &mut self,
        place: &Place,
        goes_on: TermId,
        same: &BTreeSet<TermId>,
        steps: &BTreeMap<usize, TermId>,
    ) -> Result<Vec<TermId>, LogicError> {
        let space = &mut self.stepping.product.space;
        let compares = |op: Op| matches!(op, Op::BvUlt | Op::BvSlt | Op::Eq);
        let atoms: Vec<TermId> = space
            .pool
            .sub_terms(&[goes_on])
            .into_iter()
            .filter(|term| compares(space.pool.op(*term)))
            .collect();
        let next: Map =
            steps.iter().map(|(n, step)| (place.params[*n], *step)).collect::<BTreeMap<_, _>>();
        let mut apart: Vec<Vec<TermId>> = vec![];
        for atom in atoms.into_iter().take(MOST_ATOMS) {
            let [a, b] = *space.pool.operands(atom) else { continue };
            let mut found = vec![];
            for (moving, bound) in [(a, b), (b, a)] {
                let changes = |space: &Space, term: TermId| {
                    let names = symbols(&space.pool, &[term]);
                    place.params.iter().any(|p| names.contains(p) && !same.contains(p))
                };
                if !changes(space, moving) || changes(space, bound) {
                    continue;
                }
                let Some(step) = change(space, moving, &next)? else { continue };
                found.extend(candidates(space, moving, bound, step)?);
            }
            found.dedup();
            apart.push(found);
        }
        let mut all: Vec<TermId> = apart.iter().flatten().copied().collect();
        for (n, first) in apart.iter().enumerate() {
            for second in &apart[n + 1..] {
                for (a, b) in first.iter().flat_map(|a| second.iter().map(move |b| (*a, *b))) {
                    if space.pool.sort(a) == space.pool.sort(b) {
                        let less = space.pool.bv_ult(a, b)?;
                        all.push(space.ite(less, a, b)?);
                    }
                }
            }
        }
        let mut found: Vec<TermId> = vec![];
        for count in all {
            let count = space.tidy(count)?;
            if !found.contains(&count) {
                found.push(count);
            }
        }
        Ok(found)
    }
}

/// By how much a term changes in an iteration, if that is a constant; of one that is extended, by how much what is
/// extended does.
fn change(space: &mut Space, term: TermId, steps: &Map) -> Result<Option<i64>, LogicError> {
    let inner = match space.pool.op(term) {
        Op::ZeroExtend(_) | Op::SignExtend(_) => space.pool.operands(term)[0],
        _ => term,
    };
    let Some(bits) = width(&space.pool, inner).filter(|bits| *bits <= 64) else { return Ok(None) };
    let mut next = Map::new();
    for (param, step) in steps {
        next.insert(*param, space.pool.bv_add(*param, *step)?);
    }
    let after = put(space, inner, &next)?;
    let more = space.pool.bv_sub(after, inner)?;
    let more = space.tidy(more)?;
    let shift = 64 - bits;
    Ok(space.constant(more).map(|more| ((more << shift) as i64) >> shift).filter(|m| *m != 0))
}

/// How often something can be added to `moving` until it passes, meets or leaves a bound.
fn candidates(
    space: &mut Space,
    moving: TermId,
    bound: TermId,
    step: i64,
) -> Result<Vec<TermId>, LogicError> {
    let Some(bits) = width(&space.pool, moving) else { return Ok(vec![]) };
    let pool = &mut space.pool;
    let size = pool.bits(bits, step.unsigned_abs().into())?;
    let (zero, one) = (pool.bits(bits, 0)?, pool.bits(bits, 1)?);
    let (low, high) = if step > 0 { (moving, bound) } else { (bound, moving) };
    let way = pool.bv_sub(high, low)?;
    let single = step.unsigned_abs() == 1;
    let mut found = vec![];
    let quotient = match single {
        true => way,
        false => pool.bv_udiv(way, size)?,
    };
    // until it is equal
    found.push(quotient);
    let less = match single {
        true => way,
        // Rounded up: what is left of 1 more than the whole part of one less.
        false => {
            let before = pool.bv_sub(way, one)?;
            let whole = pool.bv_udiv(before, size)?;
            pool.bv_add(whole, one)?
        }
    };
    let or_equal = pool.bv_add(quotient, one)?;
    for signed in [false, true] {
        let (below, at_most) = match signed {
            true => (pool.bv_slt(low, high)?, pool.bv_sle(low, high)?),
            false => (pool.bv_ult(low, high)?, pool.bv_ule(low, high)?),
        };
        found.push(pool.ite(below, less, zero)?);
        found.push(pool.ite(at_most, or_equal, zero)?);
    }
    Ok(found)
}
