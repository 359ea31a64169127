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
//! 5. How often memory was allocated is no input of an open call, but decides which later allocations correspond. So
//!    nothing that is reached may allocate or free.
//!
//! The same code makes the same steps until a callee is left, so it inherits this from its callees. Parts of a procedure
//! that were cut out are never equal in this sense: variables that they assign are results, not memory, and who is left
//! in the middle returns none.
//! ✗ `G = 1; leave(); G = 2;` against `G = 5; leave(); G = 2;`: the same outcome whenever both return, but `leave` reads `G`.

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
        if self.comparison.sub_pairs.iter().any(|(_, sub)| *sub == pair) {
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
            Rule::Flat { .. } => !self.allocates(pair),
            _ => false,
        };
        is_enough.then_some(proof.uses.as_slice())
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
