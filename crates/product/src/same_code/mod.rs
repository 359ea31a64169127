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
//! What is passed where an assertion fails (`__assert_fail`: text, file, line) is left out of a form: that call ends every run with
//! the same trap, whatever its arguments are.
//! Constants are compared by contents; memory that an unknown external could look at includes constants that
//! the code does not name, so those must be equal as well ([`outside_is_equal`]).
//!
//! Code that could not be lowered is the same if its exact text is, with what it names ([`Opaque`](verdiff_model::Opaque)): the
//! argument is that of every other statement, since it needs no more of a statement than that it is one function of variables, memory
//! and world. What such code calls is known, so "every pair that it calls" is no empty promise; if it is not known, the code is the same as
//! no other. One exception: code that calls `setjmp` comes back to life when a callee is left by `longjmp`, and sees memory as it is
//! then. That is no outcome of the callee here (it did not return), so U of the callee does not help; such code is the same only if nothing that
//! it calls changed at all ([`Changed::No`](verdiff_judge::Changed), which plan/matching.rs finds).
//!
//! Where all but some instructions were lowered, the code is also the same if the [bodies with holes](verdiff_model::OpaqueBody) have one
//! canonical form: a hole is the exact instruction with the attributes of the function around it, its operands, what it names and the variables that it writes, so it is again one function
//! of variables, memory and world. (What the caller of a variadic function passed counts as memory: `va_start` finds the same in both.)
//! Here calls of `setjmp` are compared more closely. At every point of the two runs all variables and all memory
//! are equal, by the induction on steps, so they are equal too when a callee is left by `longjmp`, if the callee itself did the same until
//! then. So all that such code calls must be unchanged, or a pair that [cannot be left](NonlocalExits::may_be_left) in this
//! way (then its outcome is all that there is of it, and U speaks of that), or one that is
//! [left in equal states](NonlocalExits::is_equal_when_left). A variable that was changed since `setjmp` has
//! its last value, or the one from then, or any (C leaves it open); as for the same text, both versions are taken to be
//! translated in the same way. That a variable is not read behind a statement of the flow graph does not mean that
//! nobody reads it, for the second return of `setjmp` is no edge: canonical forms leave out only assignments to
//! variables that are read nowhere. That runs which trap are over is assumed of this code as of all other: no signal
//! handler jumps out of them. `main` starts from the initialisers of all globals, which must then be equal; where
//! functions run before it or after it, they count as called by it.

mod canonical;
mod nonlocal_exits;

pub use canonical::{
    Canonical, Form, canonical, canonical_with_holes, is_assertion, may_call_back,
};
pub use nonlocal_exits::NonlocalExits;

use crate::outside::{address_taken, outside_is_equal, same_initialisers};
use std::collections::BTreeSet;
use verdiff_judge::{Comparison, Incomplete, Judgement, PairId, Side, Task};
use verdiff_model::Procedure;

/// What both canonical forms say when they are equal.
#[derive(Clone, Debug)]
pub struct SameCode {
    /// The pairs it calls.
    pub callees: BTreeSet<PairId>,
    /// Whether pairs whose address is taken may be called, too.
    pub calls_anything: bool,
    /// Whether it calls what may return twice: that all it calls is equal is not enough then.
    pub returns_twice: bool,
}

/// Whether the two sides of a pair are the same code, and what that rests on.
pub fn same_code(comparison: &Comparison, pair: PairId, form: Form) -> Option<SameCode> {
    ways_to_be_same(comparison, pair, form).into_iter().next()
}

/// What it rests on that the two sides of a pair are the same code: as a whole, or with holes. (A part of the code that was cut
/// out calls what the code with holes does not call any more.)
fn ways_to_be_same(comparison: &Comparison, pair: PairId, form: Form) -> Vec<SameCode> {
    if comparison.procedure(pair, Side::Old).name == "main" && !same_initialisers(comparison, pair)
    {
        return vec![];
    }
    let id = |side| comparison.pair(pair).of(side);
    let whole = |side| canonical(comparison, side, id(side), form);
    let (old, new) = (whole(Side::Old), whole(Side::New));
    let mut found = vec![];
    // Of the calls around one that returns twice the text says nothing.
    found.extend(same(old, &new).filter(|same| !same.returns_twice));
    if Side::BOTH.into_iter().any(|side| !comparison.procedure(pair, side).is_supported()) {
        let with_holes = |side| canonical_with_holes(comparison, side, id(side), form);
        let forms = with_holes(Side::Old).zip(with_holes(Side::New));
        found.extend(forms.and_then(|(old, new)| same(old, &new)));
    }
    found
}

fn same(old: Canonical, new: &Canonical) -> Option<SameCode> {
    if old.unpaired || old != *new {
        return None;
    }
    let Canonical { callees, calls_anything, returns_twice, .. } = old;
    Some(SameCode { callees, calls_anything, returns_twice })
}

/// What equality by same code rests on.
pub struct Equal {
    /// The pairs whose judgements were used.
    pub rests_on: BTreeSet<PairId>,
    /// Whether all of them terminate alike, and so does the pair.
    pub alike: bool,
    /// Whether all of them, and so the pair, are left in equal states where `longjmp` leaves them; not looked at where nothing
    /// returns twice.
    pub when_left: bool,
}

/// Whether the pair of a task is equal in all calls because it is the same code and all that it calls is equal in calls.
pub fn equal_by_same_code(task: &Task<'_>, form: Form) -> Result<Equal, Incomplete> {
    let mut why = Incomplete::OtherCode;
    for same in ways_to_be_same(task.comparison, task.pair, form) {
        match equal_if_same(task, same) {
            Ok(equal) => return Ok(equal),
            Err(reason) => why = reason,
        }
    }
    Err(why)
}

fn equal_if_same(task: &Task<'_>, same: SameCode) -> Result<Equal, Incomplete> {
    let comparison = task.comparison;
    let mut rests_on = same.callees;
    if same.calls_anything {
        match address_taken(comparison) {
            Some(taken) if outside_is_equal(comparison) => rests_on.extend(taken),
            _ => return Err(Incomplete::NoCounterpart),
        }
    }
    let twice = |side| comparison.program(side).procedures.iter().any(returns_twice);
    let when_left = Side::BOTH.into_iter().any(twice) && {
        let leaving = NonlocalExits::of(comparison);
        let mut others = rests_on.iter().filter(|p| same.returns_twice || **p != task.pair);
        others.all(|p| leaving.is_equal_when_left(task, *p))
    };
    if same.returns_twice && !when_left {
        return Err(Incomplete::Callees);
    }
    rests_on.remove(&task.pair);
    let is = |test: fn(&Judgement) -> bool| {
        rests_on.iter().all(|p| task.judgement_of(*p).is_some_and(test))
    };
    if !is(|j| j.is_equal_in_calls()) {
        return Err(Incomplete::Callees);
    }
    let alike = is(|j| j.is_alike());
    Ok(Equal { rests_on, alike, when_left })
}

fn returns_twice(procedure: &Procedure) -> bool {
    procedure.opaque.as_ref().is_some_and(|code| code.returns_twice)
}
