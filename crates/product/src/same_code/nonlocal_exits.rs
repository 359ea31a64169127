//! Which pairs may be left by `longjmp`, and of which all that a `setjmp` can see is equal then.
//!
//! A procedure is left otherwise than by a return or a trap only in a call of something that is not part of the program, or not known: all that
//! it reaches is looked at. What is known of a library function says that it calls nobody back and returns; `longjmp` itself is none of those.
//!
//! U is about runs that return, trap or exit, so U alone does not say what memory is when a pair is left. A proof by one
//! formula ([`Rule::Flat`]) says more. Call a call that may be left *open*.
//!
//! 1. The code has no loops, and an open call is an unknown function of its arguments (the target of `longjmp` and its
//!    value are among these), of the world, of which objects are alive and of every region of memory but those that one
//!    procedure alone can get at through its own locals (`Executor::everything`). Its new world, which every later
//!    outcome contains, is a function of all these. If it never returns (`longjmp`), that world is the outcome.
//! 2. No outcome differs *whatever these functions are*, and one that maps different inputs to different worlds is among
//!    them, as is one that always returns. So in every state both versions make the same open calls in the same order,
//!    with equal arguments, memory, lifetimes and world; also where the real function does not return.
//! 3. What is not among the inputs of 1 is a local of a frame that `longjmp` removes: the procedure that calls `setjmp`
//!    is not lowered, so everything that it or its callees could hand on counts as known to others.
//! 4. A callee that is a common function in that formula, and that may be left, has open calls itself, so it reads all
//!    that they read, and 2 holds of it as of an open call. What it does until it is left must be equal: it must be
//!    unchanged or have such a proof itself.
//! 5. How often memory was asked for decides which later requests correspond, and so which of them fail. Where something that is
//!    reached allocates or frees, it must be an input of open calls (`Space::count_requests`; the proof says so by
//!    [`Evidence::equal_when_left`]): the number of requests on the path that was taken, not the number by which a formula names
//!    its objects, which is one for all paths. It is also an input of library functions that allocate, since how often these do so may
//!    depend on which of their requests fail; what they asked for is no part of the number, but of the world. An object that was
//!    made before is the same in both versions: otherwise its address would be a different term, and so would the memory
//!    or the arguments from which it is reached. What nobody reaches does not count, but for its request.
//!    ✗ `if (c) free(malloc(8)); keep = malloc(8); longjmp(b, 1);` against `!c`: one object more or less was asked for.
//!
//! The same code makes the same steps until a callee is left, so it inherits this from its callees; a proof that all changes
//! stay inside regions says so where it is made ([`Evidence::equal_when_left`]).
//! ✗ `G = 1; leave(); G = 2;` against `G = 5; leave(); G = 2;`: the same outcome whenever both return, but `leave` reads `G`.
//!
//! A part that was cut out of a procedure is a pair like any other, if `longjmp` goes back to a caller of that procedure:
//! the variables that the part assigns are gone then, as those of any frame are. If it goes back into the procedure itself,
//! because that calls `setjmp`, those variables hold what they were assigned until then, which is no memory and of which
//! the formula says nothing. So it must make no difference what they hold: none of them may be read where something returns a
//! second time, before it is written again (`facts/second_returns.rs`, over the flow graph of the version before
//! parts were cut out, with an edge from each call behind `setjmp` to where that returns something else than zero;
//! [`assign_nothing_read_again`](Comparison::assign_nothing_read_again)). Give each of them, in the version in which it is dead, the value
//! that it has in the other one: neither version goes on differently, and now all variables are equal, so the
//! residual procedures go on alike, which are the same code. And the objects of the procedure must be memory in the formula: the part has
//! none of its own.
//! ✗ `int s = 0; if (setjmp(b)) return s; s = 1; leave(); s = 7; return s;` against `s = 2;`, with the last three assignments and
//! the call in the part: `s` is 7 whenever it is left by a return.

use std::collections::BTreeSet;
use verdiff_judge::{Changed, Comparison, Evidence, Field, PairId, Rule, Side, Task};
use verdiff_model::graph::calls::{CallGraph, CallTarget};
use verdiff_model::{ExternId, ExternalKind, ProcId, Program};
use verdiff_symex::libc::{Ends, known_external};

/// The calls of both versions.
pub struct NonlocalExits<'c> {
    comparison: &'c Comparison,
    graphs: [CallGraph; 2],
}

impl<'c> NonlocalExits<'c> {
    /// Of a comparison.
    pub fn of(comparison: &'c Comparison) -> NonlocalExits<'c> {
        let graphs = Side::BOTH.map(|side| CallGraph::of(comparison.program(side)));
        NonlocalExits { comparison, graphs }
    }

    /// Whether a call of either version of a pair may be left by `longjmp`.
    pub fn may_be_left(&self, pair: PairId) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let program = self.comparison.program(side);
            let graph = &self.graphs[side.index()];
            let reached = graph.reachable_from(&[self.comparison.pair(pair).of(side)]);
            reached.into_iter().any(|id| leaves(program, graph, id))
        })
    }

    /// Whether a call of a pair that is left by `longjmp` is left in both versions with equal memory, lifetimes, allocations
    /// and target, if both are called in the same state.
    pub fn is_equal_when_left(&self, task: &Task<'_>, pair: PairId) -> bool {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![pair]);
        while let Some(pair) = waiting.pop() {
            if self.comparison.pair(pair).changed == Changed::No
                || !seen.insert(pair)
                || !self.may_be_left(pair)
            {
                continue;
            }
            match self.equal_until_left(task, pair) {
                Some(uses) => waiting.extend(uses),
                None => return false,
            }
        }
        true
    }

    /// Whether a pair is equal until it is left, if the pairs that its proof uses are.
    fn equal_until_left<'t>(&self, task: &'t Task<'_>, pair: PairId) -> Option<&'t [PairId]> {
        let judgement = task.judgement_of(pair).filter(|j| j.is_equal_in_calls())?;
        let mut parts = self.comparison.sub_pairs.iter().filter(|(_, sub)| *sub == pair);
        if !parts.all(|(of, _)| self.assigns_nothing_that_is_read_again(*of, pair)) {
            return None;
        }
        // With one proof alone it is this one that holds in calls.
        let proofs = judgement.evidence().iter().filter(|e| e.adds == Field::EqualUnder);
        let proofs: Vec<&Evidence> = proofs.collect();
        let [proof] = proofs.as_slice() else { return None };
        if proof.cut || !proof.assumes.is_empty() {
            return None;
        }
        let is_enough = match proof.rule {
            Rule::SameCode { cycle: false } => true,
            Rule::Flat { .. } => proof.equal_when_left || !self.allocates(pair),
            Rule::Contained => proof.equal_when_left,
            _ => false,
        };
        is_enough.then_some(proof.uses.as_slice())
    }

    /// Whether it makes no difference what a part of a pair has assigned if it is left in the middle.
    fn assigns_nothing_that_is_read_again(&self, of: PairId, part: PairId) -> bool {
        let twice = |side| {
            let around = self.comparison.procedure(of, side).opened();
            around.is_none_or(|around| around.holes().any(|hole| hole.returns_twice))
        };
        let keeps = |side| self.comparison.procedure(part, side).locals.is_empty();
        !Side::BOTH.into_iter().any(twice)
            || Side::BOTH.into_iter().all(keeps)
                && self.comparison.assign_nothing_read_again.contains(&part)
    }

    /// Whether either version reaches a library function that allocates or frees.
    fn allocates(&self, pair: PairId) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let program = self.comparison.program(side);
            let graph = &self.graphs[side.index()];
            let reached = graph.reachable_from(&[self.comparison.pair(pair).of(side)]);
            let mut sites = reached.iter().flat_map(|id| graph.sites(*id));
            sites.any(|site| match &site.target {
                CallTarget::External(id) => known_external(program.external(*id))
                    .is_some_and(|known| known.allocates || known.frees.is_some()),
                _ => false,
            })
        })
    }
}

/// Whether a procedure itself may be left in a call of something unknown.
fn leaves(program: &Program, graph: &CallGraph, id: ProcId) -> bool {
    !program.procedure(id).is_supported()
        || graph.sites(id).iter().any(|site| match &site.target {
            CallTarget::Procedure(_) => false,
            CallTarget::External(external) => !returns(program, *external),
            CallTarget::Indirect(_) | CallTarget::Unknown => true,
        })
}

fn returns(program: &Program, id: ExternId) -> bool {
    let external = program.external(id);
    if external.kind == ExternalKind::PureIntrinsic {
        return true;
    }
    let known = known_external(external);
    !external.no_return && known.is_some_and(|k| k.ends == Ends::Always && k.calls_back.is_empty())
}
