//! Same code up to names and order.
//!
//! Rule `same-code`: both procedures have one [canonical form](canonical()), and every pair they
//! call has U valid, also of calls with memory that no entry state has; where they call through a pointer, or an external that might call back, every pair
//! whose address is taken has U valid too. Then U is valid.
//!
//! Soundness: from one entry state two runs of the same code do the same step by step: each statement is a function of
//! variables, memory and world, which are equal by induction on the steps; a call of a pair with U valid that ends on both sides
//! ends with equal outcomes, and if it does not end on one side there is nothing to show. For a strongly connected component of
//! pairs with the same code the calls within it are covered by the same induction. Local objects correspond by
//! order of first use; a result that depends on where they lie is outside of the model.
//! Constants are compared by contents; memory that an unknown external could look at includes constants that
//! the code does not name, so those must be equal as well ([`outside_is_equal`]).
//!
//! Code that could not be lowered is the same if its exact text is, with what it names ([`Opaque`](verdiff_model::Opaque)): the
//! argument is that of every other statement, since it needs no more of a statement than that it is one function of variables, memory
//! and world. What such code calls is known, so "every pair that it calls" is no empty promise; if it is not known, the code is the same as
//! no other. One exception: code that calls `setjmp` comes back to life when a callee is left by `longjmp`, and sees memory as it is
//! then. That is no outcome of the callee here (it did not return), so U of the callee does not help; such code is the same only if nothing that
//! it calls changed at all ([`Changed::No`](verdiff_judge::Changed), which plan/matching.rs finds).
//! `main` starts from the initialisers of all globals, which must then be equal; where functions run before it or after it, they
//! count as called by it.

mod canonical;

pub use canonical::{Canonical, Form, canonical, may_call_back};

use crate::outside::{address_taken, outside_is_equal, same_initialisers};
use std::collections::BTreeSet;
use verdiff_judge::{Comparison, Incomplete, Judgement, PairId, Side, Task};

/// What both canonical forms say when they are equal.
#[derive(Clone, Debug)]
pub struct SameCode {
    /// The pairs it calls.
    pub callees: BTreeSet<PairId>,
    /// Whether pairs whose address is taken may be called, too.
    pub calls_anything: bool,
}

/// Whether the two sides of a pair are the same code, and what that rests on.
pub fn same_code(comparison: &Comparison, pair: PairId, form: Form) -> Option<SameCode> {
    let of = |side| canonical(comparison, side, comparison.pair(pair).of(side), form);
    let (old, new) = (of(Side::Old), of(Side::New));
    if old.unpaired || old.returns_twice || old != new {
        return None;
    }
    if comparison.procedure(pair, Side::Old).name == "main" && !same_initialisers(comparison) {
        return None;
    }
    Some(SameCode { callees: old.callees, calls_anything: old.calls_anything })
}

/// What equality by same code rests on.
pub struct Equal {
    /// The pairs whose judgements were used.
    pub rests_on: BTreeSet<PairId>,
    /// Whether all of them terminate alike, and so does the pair.
    pub alike: bool,
}

/// Whether the pair of a task is equal in all calls because it is the same code and all that it calls is equal in calls.
pub fn equal_by_same_code(task: &Task<'_>, form: Form) -> Result<Equal, Incomplete> {
    let comparison = task.comparison;
    let same = same_code(comparison, task.pair, form).ok_or(Incomplete::OtherCode)?;
    let mut rests_on = same.callees;
    if same.calls_anything {
        match address_taken(comparison) {
            Some(taken) if outside_is_equal(comparison) => rests_on.extend(taken),
            _ => return Err(Incomplete::NoCounterpart),
        }
    }
    rests_on.remove(&task.pair);
    let is = |test: fn(&Judgement) -> bool| {
        rests_on.iter().all(|p| task.judgement_of(*p).is_some_and(test))
    };
    if !is(|j| j.is_equal_in_calls()) {
        return Err(Incomplete::Callees);
    }
    let alike = is(|j| j.is_alike());
    Ok(Equal { rests_on, alike })
}
