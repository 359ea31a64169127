//! Loops and recursive functions that are not in step, or whose variables mean other things: couplings by a relation.
//!
//! Rule `part-eq-related`. A *tie* is a pair of cut procedures, one of each version (loops, with all that comes behind them, or recursive functions), and a relation
//! R between the arguments of both. It says: from all call states that R relates, with the same memory and world, if both end, the
//! outcomes are equal. The bodies are executed with arguments of their own that R relates; calls of what is cut are *private* functions of each version, by which
//! nothing is identified. What is assumed is, for each pair of one call of the old and one call of the new version: if both are made, R of their tie
//! relates the arguments, and memory and world are the same, then the outcomes are equal. One of the two may be the execution itself (the other
//! version makes a step that this one does not), but not both.
//!
//! # Why that is sound
//!
//! P(n): for every tie and every pair of related states from which the versions end with depths d and d' (how deeply calls of cut
//! procedures are nested), d + d' <= n, the outcomes are equal. Take such a pair of runs, given P(n-1). A call in a run has a smaller depth than the
//! run; so for each pair of calls, or of a call and the other run itself, the sum of depths is at most n-1, and what is assumed of them is P(n-1). The private
//! functions are what the calls of the two runs do, anything elsewhere: an interpretation in which all that is assumed is true. The formula "the
//! outcomes differ" has no model at all, so they do not: P(n). Likewise for the pair itself, which nobody assumes.
//! What runs of a version without any call give is said of its own functions, and calls may be replaced by their bodies: that is what they do.
//!
//! Everything that a proof assumes is proved in the end, with the relation that it has then: relations are only weakened, which makes what is assumed
//! more and what is to be proved harder; so a tie whose relation was weakened is proved again, and who used it before need not be.
//! A tie that cannot be proved is assumed no more, and all begins again. Which states calls are made from, and of what size objects are: as in
//! the rest of this engine ([`Context::may_assume`](super::induction)).
//!
//! **Every call.** A proof for entry states does not hold in calls where memory is accessed through pointers. Once there is one, it is
//! made again of states of which nothing is assumed ([`PointedTo::AnyCall`](verdiff_symex::space::PointedTo)), with the same ties: no valid
//! pointers, no initialisers, floats by bits, and all that callers can see compared, which memory is initialised included. "The same memory" in P(n)
//! then means the same contents and the same cells initialised, before and after, so what calls initialise is an output like memory
//! itself. Of runs without a call only those are used that access no memory: the others do not say which memory they
//! take as initialised.
//!
//! Where relations come from does not matter: [`trace`] runs both versions, [`affine`](verdiff_product::affine) finds
//! all affine equations modulo 2^w, and a solver's counterexample is one more pair of calls that they must hold of.

mod assumed;
mod candidates;
mod contract;
mod coordinate;
mod goal;
mod quadratic;
mod relation;
mod result_relation;
mod trace;

use super::induction::Context;
use super::matching::{Coupled, Matching};
use contract::ProvedContract;
use coordinate::SideParameter;
use goal::{Checked, Proved};
use relation::CallRelation;
use result_relation::ResultRelation;
use std::collections::{BTreeMap, BTreeSet};
use trace::{Pace, traces};
use verdiff_judge::{
    Budget, Obligation, PairId, RelatedProcedures, RelatedResults, Rule, Side, Task,
};
use verdiff_model::{Callee, ProcId, StmtKind};
use verdiff_product::ProgramFacts;

/// How often loops go round that are executed to the end, whatever they do, and if they are about numbers.
const FEW: usize = 40;
const MANY: usize = 300;

/// What is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// The pair itself, of entry states.
    Root,
    /// A tie.
    Tie(usize),
}

/// How much a proof looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unfolding {
    /// How many levels of calls are replaced by the body on each side.
    unfold: [usize; 2],
}

/// A pair of cut procedures and what relates their arguments.
#[derive(Clone, Debug)]
pub struct Tie {
    old: ProcId,
    new: ProcId,
    relation: CallRelation,
    pace: Pace,
    /// How the results belong together.
    results: ResultRelation,
    /// Whether it is assumed.
    active: bool,
}

/// A finished proof.
pub struct RelatedProof {
    /// The goals, the pair last.
    pub obligations: Vec<Obligation>,
    pub judged: BTreeSet<PairId>,
    pub rule: Rule,
    /// Whether it is proved of every call in every respect.
    pub every_call: bool,
}

/// How a proof was found.
enum Way {
    /// With these ties, as they were learned.
    Ties(Vec<Tie>),
    /// By replacing every call by its body, so often.
    Exhausted(usize),
}

/// The search for one pair.
pub struct Related<'a> {
    task: Task<'a>,
    facts: &'a ProgramFacts,
    /// Couples nothing: both programs as they are.
    matching: &'a Matching,
    cut: [BTreeSet<ProcId>; 2],
    any_shape: bool,
    /// Whether nothing is assumed of the states that calls start from.
    in_calls: bool,
    /// Whether goals are proved as they are, with nothing unfolded: most are, or not at all.
    plainly: bool,
    ties: Vec<Tie>,
    /// Contracts of cut procedures that were proved.
    known: Vec<ProvedContract>,
}

/// Searches for a proof by relations. `facts` have what comes behind loops in their procedures.
///
/// Callers need a proof of every call. It has the same shape, so it is looked for once it is known what to prove.
pub fn search(task: &Task<'_>, facts: &ProgramFacts, budget: &Budget) -> Option<RelatedProof> {
    let matching = Matching { pairs: vec![], programs: facts.programs.clone() };
    let cut = Side::BOTH.map(|side| cut(task, facts, side));
    let mut related = Related {
        task: *task,
        facts,
        matching: &matching,
        cut,
        any_shape: false,
        in_calls: facts.needs_proof_of_calls(task),
        plainly: false,
        ties: vec![],
        known: vec![],
    };
    let (proof, way) = related.searched(budget)?;
    if related.in_calls || !facts.proof_of_calls_helps(task) {
        return Some(proof);
    }
    related.in_calls = true;
    let share = budget.at_most(budget.left() / 2);
    let again = match way {
        Way::Ties(ties) => related.proved_with(ties, &share),
        Way::Exhausted(times) => related.exhausted(times, &share),
    };
    again.or(Some(proof))
}

impl Related<'_> {
    /// A proof for entry states.
    fn searched(&mut self, budget: &Budget) -> Option<(RelatedProof, Way)> {
        let related = self;
        let runs = traces(
            &related.task,
            related.facts,
            &related.cut,
            related.task.comparison.settings.seed,
        );
        // Runs show whether it may be bounded; that it is so is proved. What is short is executed at once, the rest if nothing else helps.
        let least = Some(runs.longest + 1).filter(|least| related.is_short(*least));
        let ended = !runs.unended.contains(&true);
        let early = least.filter(|least| ended && *least < FEW);
        if let Some(proof) = early.and_then(|times| {
            Some((times, related.exhausted(times, &budget.at_most(budget.left() / 8))?))
        }) {
            return Some((proof.1, Way::Exhausted(proof.0)));
        }
        let whole = budget;
        let budget = &match least {
            Some(_) if ended => whole.at_most(whole.left() * 2 / 3),
            _ => *whole,
        };
        let mut guesses = related.guesses(&runs.traces);
        // The likely one is tried without contracts; then with those that can be proved, and so are all others.
        if let Some(ties) = guesses.first().cloned() {
            let share = budget.at_most(budget.left() / 2);
            related.plainly = true;
            let proof = related.proved_with(ties.clone(), &share);
            related.plainly = false;
            if let Some(proof) = proof {
                return Some((proof, Way::Ties(ties)));
            }
        }
        related.known = related.contracts(&runs, &budget.at_most(budget.left() * 2 / 3));
        if !related.known.is_empty() {
            // A loop against a formula needs no tie at all.
            guesses.insert(0, vec![]);
        }
        let count = guesses.len() as u64 + 1;
        for (number, ties) in guesses.into_iter().enumerate() {
            // The first with ties is the likely one.
            let likely = number == 0 || number == 1 && !related.known.is_empty();
            let share = budget.left() / if likely { 2 } else { count - number as u64 };
            let share = budget.at_most(share);
            if let Some(proof) = related.proved_with(ties.clone(), &share) {
                return Some((proof, Way::Ties(ties)));
            }
        }
        // Where runs had no end that was seen, the rest may still be bounded if some calls are proved to have none.
        related.known.retain(|known| known.contract.is_never());
        let endless = |side: Side| {
            related.known.iter().any(|known| known.contract.side == side)
                || !runs.unended[side.index()]
        };
        let least = least.filter(|_| Side::BOTH.into_iter().all(endless));
        // Runs may have missed the longest.
        let times = least.into_iter().flat_map(|least| [least, (2 * least).min(MANY)]);
        times.into_iter().find_map(|times| {
            let proof = related.exhausted(times, &whole.at_most(whole.left() / 2))?;
            Some((proof, Way::Exhausted(times)))
        })
    }
}

/// The cyclic procedures that are executed, but for those known to be equal.
fn cut(task: &Task<'_>, facts: &ProgramFacts, side: Side) -> BTreeSet<ProcId> {
    let comparison = task.comparison;
    let root = comparison.pair(task.pair).of(side);
    let program = &facts.programs[side.index()];
    let is_equal = |id: ProcId| {
        let pair = comparison.pair_of(side, program.procedure(id).outlined_from.unwrap_or(id));
        pair.is_some_and(|pair| {
            pair != task.pair && task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls())
        })
    };
    let reached = facts.reached(side, root).into_iter();
    reached.filter(|id| facts.is_cyclic(side, *id) && !is_equal(*id)).collect()
}

impl Related<'_> {
    /// Proves the pair with these ties, if they may be assumed; with none, if there are contracts.
    fn proved_with(&mut self, ties: Vec<Tie>, budget: &Budget) -> Option<RelatedProof> {
        self.any_shape = false;
        self.ties = ties;
        let alone = self.ties.is_empty() && !self.known.is_empty();
        match alone || self.allowed() {
            true => self.prove_all(budget),
            false => None,
        }
    }

    /// Whether ties may be assumed at the calls that runs make.
    fn allowed(&mut self) -> bool {
        let context = Context { task: self.task, facts: self.facts, in_calls: self.in_calls };
        for tie in &mut self.ties {
            let coupled = Coupled { old: tie.old, new: tie.new, outlined: true };
            match context.may_assume(&coupled) {
                Ok(any_shape) => self.any_shape |= any_shape,
                Err(_) => tie.active = false,
            }
        }
        self.ties.iter().any(|tie| tie.active)
    }

    /// Whether it may be executed to the end, if it goes round that often: what goes on in two places multiplies, and
    /// memory that is written again and again grows.
    fn is_short(&self, times: usize) -> bool {
        let single = |side: Side| {
            let program = &self.facts.programs[side.index()];
            let cut = &self.cut[side.index()];
            cut.iter().all(|id| {
                let stmts = program.procedure(*id).blocks.iter().flat_map(|block| &block.stmts);
                let calls = stmts.filter(|stmt| {
                    matches!(&stmt.kind, StmtKind::Call { callee: Callee::Procedure(to), .. }
                        if cut.contains(to))
                });
                calls.count() <= 1
            })
        };
        let pair = self.task.comparison.pair(self.task.pair);
        let quiet = |side: Side| !self.facts.effects(side, pair.of(side)).world;
        let both = |test: &dyn Fn(Side) -> bool| Side::BOTH.into_iter().all(test);
        times < FEW && (times < 6 || both(&single)) || times < MANY && both(&single) && both(&quiet)
    }

    /// Proves the pair by executing everything so often that no further call is possible.
    fn exhausted(&mut self, times: usize, budget: &Budget) -> Option<RelatedProof> {
        self.ties.clear();
        let unfolding = Unfolding { unfold: [times, times] };
        let Ok(Checked::Proved(proved)) = self.check(Goal::Root, unfolding, budget) else {
            return None;
        };
        let (mut obligations, mut judged) = self.contracts_used();
        obligations.extend(proved.obligation);
        judged.extend(proved.judged);
        let every_call = self.in_calls;
        Some(RelatedProof { obligations, judged, rule: Rule::Exhausted, every_call })
    }

    /// Proves the pair and every tie that this rests on, or nothing.
    fn prove_all(&mut self, budget: &Budget) -> Option<RelatedProof> {
        let learned: Vec<CallRelation> = self.ties.iter().map(|tie| tie.relation.clone()).collect();
        loop {
            for (tie, relation) in self.ties.iter_mut().zip(&learned) {
                tie.relation = relation.clone();
            }
            let mut proofs: BTreeMap<Goal, Proved> = BTreeMap::new();
            let mut work = vec![Goal::Root];
            let mut failed = None;
            while let Some(goal) = work.pop() {
                if proofs.contains_key(&goal) {
                    continue;
                }
                let Some(proved) = self.prove(goal, budget) else {
                    failed = Some(goal);
                    break;
                };
                for number in &proved.weakened {
                    // Of the others it says more now, of itself less.
                    if Goal::Tie(*number) != goal {
                        proofs.remove(&Goal::Tie(*number));
                    }
                }
                work.extend(proved.used.iter().chain(&proved.weakened).map(|n| Goal::Tie(*n)));
                proofs.insert(goal, proved);
            }
            match failed {
                None => return Some(self.finished(proofs)),
                Some(Goal::Root) => return None,
                Some(Goal::Tie(number)) => self.ties[number].active = false,
            }
            if budget.is_over() || !self.ties.iter().any(|tie| tie.active) {
                return None;
            }
        }
    }

    /// Proves one goal, with calls unfolded as its pace says, and once more.
    fn prove(&mut self, goal: Goal, budget: &Budget) -> Option<Proved> {
        let base = match goal {
            Goal::Root => [0, 0],
            Goal::Tie(number) => match self.ties[number].pace {
                Pace::Strides(old, new) => [old - 1, new - 1],
                Pace::FromEnd | Pace::Last(_) | Pace::First(_) => [0, 0],
            },
        };
        let more = [[0, 0], [1, 0], [0, 1], [1, 1]];
        for more in &more[..if self.plainly { 1 } else { more.len() }] {
            let unfolding = Unfolding { unfold: [base[0] + more[0], base[1] + more[1]] };
            let before: Vec<CallRelation> =
                self.ties.iter().map(|tie| tie.relation.clone()).collect();
            if budget.is_over() {
                return None;
            }
            if let Ok(Checked::Proved(proved)) = self.check(goal, unfolding, budget) {
                return Some(proved);
            }
            for (tie, relation) in self.ties.iter_mut().zip(before) {
                tie.relation = relation;
            }
        }
        None
    }

    /// What the proofs of contracts rest on, which every proof may use.
    fn contracts_used(&self) -> (Vec<Obligation>, BTreeSet<PairId>) {
        let obligations = self.known.iter().filter_map(|known| known.obligation.clone());
        let judged = self.known.iter().flat_map(|known| known.judged.iter().copied());
        (obligations.collect(), judged.collect())
    }

    fn finished(&self, proofs: BTreeMap<Goal, Proved>) -> RelatedProof {
        let mut relations = vec![];
        let (mut obligations, mut judged) = self.contracts_used();
        // The pair comes first in the order of goals, and last for the reader.
        let (first, ties): (Vec<_>, Vec<_>) =
            proofs.into_iter().partition(|(goal, _)| *goal == Goal::Root);
        for (goal, proved) in ties.into_iter().chain(first) {
            if let Goal::Tie(number) = goal {
                relations.push(self.described(number, proved.unfolding.unfold));
            }
            obligations.extend(proved.obligation);
            judged.extend(proved.judged);
        }
        let (rule, every_call) = (Rule::PartEqRelated { relations }, self.in_calls);
        RelatedProof { obligations, judged, rule, every_call }
    }

    fn described(&self, number: usize, unfolded: [usize; 2]) -> RelatedProcedures {
        let tie = &self.ties[number];
        let name = |side: usize, id: ProcId| self.facts.programs[side].procedure(id).name.clone();
        let param = |place: SideParameter| {
            let id = if place.side == 0 { tie.old } else { tie.new };
            let procedure = self.facts.programs[place.side].procedure(id);
            let name = &procedure.var(procedure.params[place.param]).name;
            format!("{}.{name}", ["old", "new"][place.side])
        };
        RelatedProcedures {
            old: name(0, tie.old),
            new: name(1, tie.new),
            lines: [self.facts.loop_line(0, tie.old), self.facts.loop_line(1, tie.new)],
            results: match tie.results {
                ResultRelation::Same => RelatedResults::Same,
                ResultRelation::Sum(place) => RelatedResults::Sum(param(place)),
                ResultRelation::Product(place) => RelatedResults::Product(param(place)),
            },
            relation: tie.relation.in_words(&param),
            unfolded,
        }
    }
}
