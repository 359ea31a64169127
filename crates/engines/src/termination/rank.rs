//! Ranking functions: a tuple of numbers that gets smaller with every call of a cyclic procedure by itself.
//!
//! Rule `ranking`. Numbers are unsigned machine words, of which there is no endless descending chain, so no
//! lower bound is to be shown, and wrapping is nothing special: it is a step upwards, which the solver finds. A tuple is found greedily: a number that no call
//! makes larger is taken if some call makes it smaller; from then on only those calls matter that leave it as it is. A number that
//! no call makes larger never does harm, so the first that fits is as good as any. When no call is left the tuple descends
//! lexicographically with every call.

use super::body::{Call, CyclicBody};
use super::cached_queries::CachedQueries;
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::space::Space;

/// Longer tuples are not tried.
const LONGEST: usize = 4;

/// A tuple that gets smaller with each of the calls, wherever the premise holds.
pub fn find(
    space: &mut Space,
    queries: &mut CachedQueries,
    body: &CyclicBody,
    calls: &[&Call],
    premise: TermId,
    candidates: &[TermId],
) -> Result<Option<Vec<TermId>>, LogicError> {
    for rank in candidates {
        if queries.is_over() {
            return Ok(None);
        }
        let mut hopeless = false;
        for call in calls {
            hopeless = hopeless || is_hopeless(space, body, call, *rank)?;
        }
        if !hopeless && falls(space, queries, body, calls, premise, &[*rank])? {
            return Ok(Some(vec![*rank]));
        }
    }
    let mut tuple: Vec<TermId> = vec![];
    // Of each call that is left: what holds when it is made and leaves all of the tuple as it is.
    let mut left: Vec<(&Call, Vec<TermId>)> =
        calls.iter().map(|c| (*c, vec![premise, c.when])).collect();
    while tuple.len() < LONGEST {
        let mut taken = None;
        for rank in candidates.iter().filter(|r| !tuple.contains(r)) {
            if queries.is_over() {
                return Ok(None);
            }
            if fits(space, queries, body, &left, *rank)? {
                taken = Some(*rank);
                break;
            }
        }
        let Some(rank) = taken else { return Ok(None) };
        tuple.push(rank);
        let mut rest = vec![];
        for (call, mut given) in left {
            let next = body.next(space, call, rank)?;
            given.push(space.pool.eq(next, rank)?);
            let falsity = space.pool.falsity();
            if !queries.implies(space, &given, falsity)?.is_yes() {
                rest.push((call, given));
            }
        }
        if rest.is_empty() {
            return Ok(Some(tuple));
        }
        left = rest;
    }
    Ok(None)
}

/// Whether a number made of parameters becomes one that was loaded or returned: nothing is known of that.
fn is_hopeless(
    space: &mut Space,
    body: &CyclicBody,
    call: &Call,
    rank: TermId,
) -> Result<bool, LogicError> {
    let next = body.next(space, call, rank)?;
    Ok(body.is_plain(space, rank) && !body.is_settled(space, next))
}

/// Whether no call makes a number larger, and some may make it smaller.
fn fits(
    space: &mut Space,
    queries: &mut CachedQueries,
    body: &CyclicBody,
    left: &[(&Call, Vec<TermId>)],
    rank: TermId,
) -> Result<bool, LogicError> {
    let mut falls = false;
    for (call, given) in left {
        if is_hopeless(space, body, call, rank)? {
            return Ok(false);
        }
        let next = body.next(space, call, rank)?;
        let not_larger = space.pool.bv_ule(next, rank)?;
        if !queries.implies(space, given, not_larger)?.is_yes() {
            return Ok(false);
        }
        if !falls {
            let same = space.pool.eq(next, rank)?;
            falls = !queries.implies(space, given, same)?.is_yes();
        }
    }
    Ok(falls)
}

/// Whether a tuple gets smaller with each of the calls.
pub fn falls(
    space: &mut Space,
    queries: &mut CachedQueries,
    body: &CyclicBody,
    calls: &[&Call],
    premise: TermId,
    tuple: &[TermId],
) -> Result<bool, LogicError> {
    for call in calls {
        let descends = descends(space, body, call, tuple)?;
        if !queries.implies(space, &[premise, call.when], descends)?.is_yes() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// That a tuple is smaller at a call.
pub fn descends(
    space: &mut Space,
    body: &CyclicBody,
    call: &Call,
    tuple: &[TermId],
) -> Result<TermId, LogicError> {
    let mut any = vec![];
    let mut same = vec![];
    for rank in tuple {
        let next = body.next(space, call, *rank)?;
        let mut all = same.clone();
        all.push(space.pool.bv_ult(next, *rank)?);
        any.push(space.and(&all)?);
        same.push(space.pool.eq(next, *rank)?);
    }
    space.or(&any)
}
