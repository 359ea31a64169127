//! Loops and recursion, by induction over calls (RVT, paper 000).
//!
//! Every loop becomes a tail-recursive procedure. Cyclic procedures of the two versions are *coupled*
//! ([`matching`]); the couplings are assumed all at once, each as one function F for both versions, and the bodies
//! are executed symbolically with calls of coupled procedures as F. If the formula "some outcome differs"
//! is unsatisfiable for every coupling, and for the pair itself, U is valid.
//!
//! # Why that is sound
//!
//! **Rule `part-eq`.** Count as *depth* of a run how deeply calls of coupled procedures are nested in it; that of a run
//! that ends is finite. P(n): for every coupling (q, q') and every call state from which both end with depth at
//! most n, the outcomes are equal. Given P(n-1), take a state from which both end with depth at most n, and let F be, for each state, what q
//! does there if it ends with depth below n, else what q' does if it does, else anything. All calls that the two runs make have a depth below
//! n, so each is a value of F: of q by definition, of q' by P(n-1). The formula is unsatisfiable for all F, so for this one: P(n). No
//! components of the call graph are needed: the induction is over all couplings together. If the proof of one fails it is
//! assumed no more (its calls are private functions of each side), and whatever assumed it is proved again: what remains in the end was
//! proved from what remains. Cyclic procedures without a partner are private functions, all else is executed, so every cycle is cut on both sides.
//!
//! **Rule `part-eq-leaf`.** A run without any call into the induction, or of anything else that might not end, has depth 0. Where q' has such a run, a
//! call of q has its outcome: q ends with depth at most n-1, q' with depth 0, and P(n-1) makes them equal. So a call is
//! `ite(base, value, ite(base', value', F))`.
//!
//! **Rule `part-eq-unrolled`.** A call may be replaced by its body: the calls in it are deeper. Where it is not replaced but also unfolded, F is what the body
//! gives ([`View::Unfolded`](verdiff_symex::callee::View)): true of the F above wherever the call is made.
//!
//! **Unused calls** (Fig. 13) need no rule of their own: what a function gives is in the formula only where its outputs are used. Whether it traps, exits or writes
//! is an output, so only a call that can do nothing of that sort vanishes. For T it counts ([`mutual_termination`]): it
//! may have no end.
//!
//! **Which states.** Symbolic execution starts from memory that has a value everywhere, with nothing dead, and with objects
//! behind pointers that are large enough; an assumption is used at calls, whose states must be of that kind. [`induction`] assumes a coupling that accesses
//! memory only if no run of the pair makes, frees or copies memory without a value, or has local objects where the coupling may access.
//! Large enough is what entry states are taken to be; calls in the run may pass addresses of objects whose size is known. If the
//! code names the address of an object otherwise than to access it, or loads addresses from initialised tables, every body is proved for
//! objects of *any* size: each access through a pointer may end the run, in a way that depends on that access alone
//! ([`PointedTo::AnySize`](verdiff_symex::space::PointedTo)). Parameters of what was a loop may be without a value, and are
//! proved so. Nothing is taken for granted of the pointers of a coupling. Floats are compared bit by bit in couplings.
//!
//! **Rule `part-eq`, for pointers in memory that are null or lead to objects.** Where the pair writes nothing and has no local objects, all memory is that of the entry
//! state, and the pointers that are loaded are pointers of it: they are taken to be as valid as those of parameters are. What is assumed of a coupling is
//! then proved for valid pointers, and that calls are made with such is proved, too. This matters where fields are read in another order.
//!
//! Further rules: [`partition`] (for some inputs only), [`fewer_parameters`] (couplings on fewer parameters),
//! [`mutual_termination`] (termination). Before all that, programs are simplified ([`Facts`]), each for itself and
//! without changing what they do.
//!
//! Nothing depends on a bound: how often calls are unfolded only decides which facts a proof may use.

mod call_text;
mod fewer_parameters;
mod induction;
mod likeness;
mod matching;
mod mutual_termination;
mod partition;
mod policy;
mod prove;
mod related;
mod reorder;

use induction::{ALL, InductionResult, Proof, search};
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{
    Addition, Assumption, Budget, Depth, Engine, Evidence, Field, Findings, Incomplete, Induction,
    PairId, Rule, Side, StopReason, Task,
};
use verdiff_logic::Formula;
use verdiff_logic::solver::Z3;
use verdiff_model::ProcId;
use verdiff_model::outline::Reach;
use verdiff_product::stop::not_executable;
use verdiff_product::{Facts, ProgramFacts};

/// Callees are not inlined in larger programs.
const MOST_STATEMENTS: usize = 2_000;

/// The engine. One instance serves one comparison.
pub struct Recursion {
    facts: Rc<Facts>,
}

impl Recursion {
    /// An engine for the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Recursion {
        Recursion { facts: facts.clone() }
    }
}

impl Engine for Recursion {
    fn name(&self) -> &'static str {
        "recursion"
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let _contexts = Z3::keep_contexts();
        let comparison = task.comparison;
        let nothing = |why| Findings::nothing(StopReason::incomplete(why));
        if task.judgement.is_equal_in_calls() {
            return Findings::default();
        }
        if let Some(reason) = not_executable(task) {
            return Findings::nothing(reason);
        }
        let all = match self.facts.about(task) {
            Ok(facts) => facts,
            Err(reason) => return Findings::nothing(reason),
        };
        let facts = all.outlined(Reach::Loop);
        let pair = comparison.pair(task.pair);
        if task.judgement.is_equal() && !facts.proof_of_calls_helps(task) {
            return Findings::default();
        }
        if !Side::BOTH.into_iter().any(|side| facts.is_unbounded(side, pair.of(side))) {
            // There is nothing to do here; whoever could do something says why it did not.
            return Findings::default();
        }
        if budget.depth == Depth::InParts {
            return match partition::search(task, facts, budget) {
                Some(parts) => equal_in_parts(task, facts, parts),
                None => nothing(Incomplete::NoInductionInParts),
            };
        }
        let both = [facts, all.outlined(Reach::End)];
        // Loops that are in step are proved at once. Where they are not, relations come before the search for the right
        // unfolding; recursion needs the unfolding first.
        let loops = Side::BOTH.into_iter().any(|side| {
            let reached = facts.reached(side, pair.of(side));
            reached.iter().any(|id| facts.loops[side.index()].contains_key(id))
        });
        let levels =
            |range, share: u64| search(task, &both, range, &budget.at_most(budget.left() / share));
        let relations = || related::search(task, both[1], &budget.at_most(budget.left() * 2 / 3));
        // What a caller does with the result of a loop in a callee may need less than the result.
        if let Some(findings) = self.with_callees_inlined(task, all, facts, budget) {
            return findings;
        }
        let mut found = if loops { levels(0..1, 3) } else { levels(0..ALL, 2) };
        if !found.is_proof()
            && loops
            && let Some(split) = all.split().filter(|split| split.has_other_loops(facts, pair))
        {
            let share = budget.at_most(budget.left() / 4);
            found = search(task, &[split], 0..1, &share);
            if let InductionResult::Proof(proof) = &found {
                return equal(task, split, proof);
            }
        }
        if let (false, true) = (found.is_proof(), loops)
            && let Some(proof) = relations()
        {
            return related_equal(task, facts, proof);
        }
        if !found.is_proof() && loops {
            found = levels(1..ALL, 1);
        }
        if let (false, false) = (found.is_proof(), loops)
            && let Some(proof) = relations()
        {
            return related_equal(task, facts, proof);
        }
        match found {
            InductionResult::Proof(proof) => equal(task, facts, &proof),
            InductionResult::Nothing(why) => nothing(why),
            InductionResult::Late => Findings::nothing(StopReason::Time),
        }
    }
}

impl Recursion {
    /// A proof of the pair with callees in the place of calls: those that loop, and are not known to be equal. Loops that are in
    /// step come first: one that moved into a callee is the loop that it was, and may have been moved past others.
    fn with_callees_inlined(
        &self,
        task: &Task<'_>,
        all: &Facts,
        facts: &ProgramFacts,
        budget: &Budget,
    ) -> Option<Findings> {
        let comparison = task.comparison;
        // The facts about both programs are found out once more: that must not cost more than the proof.
        let statements = Side::BOTH.map(|side| {
            let procedures = comparison.program(side).procedures.iter();
            procedures.flat_map(|p| &p.blocks).map(|block| block.stmts.len() + 1).sum::<usize>()
        });
        if statements.iter().any(|count| *count > MOST_STATEMENTS) {
            return None;
        }
        let chosen = |side: Side, id: ProcId| {
            let judgement = comparison.pair_of(side, id).and_then(|pair| task.judgement_of(pair));
            facts.is_unbounded(side, id)
                && !facts.is_cyclic(side, id)
                && !judgement.is_some_and(|judgement| judgement.is_equal_in_calls())
        };
        let in_step = all.inlined(task.pair, &chosen, Reach::Loop)?;
        let share = budget.at_most(budget.left() / 6);
        if let InductionResult::Proof(proof) = search(task, &[&in_step], 0..1, &share) {
            return Some(equal(task, facts, &proof));
        }
        let inlined = all.inlined(task.pair, &chosen, Reach::End)?;
        let proof = related::search(task, &inlined, &budget.at_most(budget.left() * 9 / 10))?;
        Some(related_equal(task, facts, proof))
    }
}

fn equal(task: &Task<'_>, facts: &ProgramFacts, proof: &Proof) -> Findings {
    let unfolded = proof.steps.iter().any(|(_, p)| p.unfolding.unfold != [0, 0]);
    let leaves = proof.steps.iter().any(|(_, p)| p.unfolding.leaves);
    let induction = Induction {
        bodies: proof.steps.iter().map(|(name, p)| (name.clone(), p.unfolding.unfold)).collect(),
        calls: proof.calls.clone(),
        any_value_of: proof.whatever.clone(),
        valid_pointers: proof.valid,
    };
    let rule = match (unfolded, leaves) {
        (true, _) => Rule::PartEqUnrolled(induction),
        (false, true) => Rule::PartEqLeaf(induction),
        (false, false) => Rule::PartEq(induction),
    };
    let judged: BTreeSet<PairId> =
        proof.steps.iter().flat_map(|(_, p)| p.judged.iter().copied()).collect();
    let evidence = Evidence {
        obligations: proof.steps.iter().filter_map(|(_, p)| p.obligation.clone()).collect(),
        uses: judged.into_iter().collect(),
        assumes: proof.valid.then_some(Assumption::ValidPointers).into_iter().collect(),
        ..Evidence::new(Field::EqualUnder, "recursion", rule)
    };
    // Pointers that were assumed to be valid need not be parameters: they may be loaded from globals, which a caller can set to anything.
    let holds_in_calls = proof.every_call || proof.of_calls && facts.holds_in_calls(task, false);
    let equality = Addition::new(Formula::truth(), evidence.clone()).in_calls(holds_in_calls);
    let mut additions = vec![equality];
    if let Some(obligations) = &proof.alike {
        let evidence = Evidence {
            adds: Field::AlikeUnder,
            rule: Rule::MutualTermination,
            obligations: obligations.clone(),
            ..evidence
        };
        additions.push(Addition::new(Formula::truth(), evidence));
    }
    Findings { additions, ..Findings::default() }
}

/// What a proof for some inputs gives.
fn equal_in_parts(task: &Task<'_>, facts: &ProgramFacts, parts: partition::EqualParts) -> Findings {
    let complete = parts.equal.is_true();
    let rule =
        Rule::PartEqInParts { bodies: parts.steps, all_inputs: complete, executed: parts.executed };
    let evidence = Evidence {
        obligations: parts.obligations,
        uses: parts.judged.into_iter().collect(),
        ..Evidence::new(Field::EqualUnder, "recursion", rule)
    };
    let holds_in_calls = parts.of_calls && facts.holds_in_calls(task, false);
    let stopped = (!complete).then(|| StopReason::incomplete(Incomplete::InductionInParts));
    let additions = vec![Addition::new(parts.equal, evidence).in_calls(holds_in_calls)];
    Findings { additions, stopped, ..Findings::default() }
}

/// What a proof by relations gives. Pointers of the pair were taken to be valid, where it has any.
fn related_equal(task: &Task<'_>, facts: &ProgramFacts, proof: related::RelatedProof) -> Findings {
    let evidence = Evidence {
        obligations: proof.obligations,
        uses: proof.judged.into_iter().collect(),
        ..Evidence::new(Field::EqualUnder, "recursion", proof.rule)
    };
    let holds_in_calls = proof.every_call || facts.holds_in_calls(task, true);
    let additions = vec![Addition::new(Formula::truth(), evidence).in_calls(holds_in_calls)];
    Findings { additions, ..Findings::default() }
}
