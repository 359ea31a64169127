//! The search: which couplings are assumed, with which effort each is proved.

use super::facts::Facts;
use super::matching::{Coupled, Matching, matchings};
use super::prove::{Effort, Goal, Premises, Proved};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Side, Task};
use verdiff_model::{Type, VarId};
use verdiff_symex::execute::Stop;

/// What is tried, from cheap to dear. A level has all that the levels before it have.
const LEVELS: [&[Effort]; 3] = [
    &[plain(0, 0), with_leaves(0, 0)],
    &[plain(0, 1), plain(1, 0), by_lemma(1, 1), with_leaves(0, 1), with_leaves(1, 0)],
    &[
        with_leaves(1, 1),
        by_lemma(2, 2),
        with_leaves(0, 2),
        with_leaves(2, 0),
        with_leaves(1, 2),
        with_leaves(2, 1),
        with_leaves(1, 3),
        with_leaves(3, 1),
    ],
];

const fn plain(old: usize, new: usize) -> Effort {
    Effort { leaves: false, lemmas: false, unfold: [old, new] }
}

const fn with_leaves(old: usize, new: usize) -> Effort {
    Effort { leaves: true, lemmas: false, unfold: [old, new] }
}

const fn by_lemma(old: usize, new: usize) -> Effort {
    Effort { leaves: true, lemmas: true, unfold: [old, new] }
}

/// A finished proof of the pair.
pub struct Proof {
    /// What was proved, the pair last.
    pub steps: Vec<(String, Proved)>,
    /// Whether the pair is proved of every call, as far as pointers go.
    pub of_calls: bool,
}

/// What came of the search.
pub enum Found {
    Proof(Proof),
    /// Nothing, and why.
    Nothing(String),
    /// Time is up.
    Late,
}

/// Searches for a proof.
pub fn search(task: &Task<'_>, facts: &Facts, budget: &Budget) -> Found {
    let matchings = matchings(task, facts);
    let mut attempts: Vec<Attempt<'_>> =
        matchings.iter().map(|matching| Attempt::new(*task, facts, matching)).collect();
    for level in 0..LEVELS.len() {
        let count = attempts.len() as u32;
        for (number, attempt) in attempts.iter_mut().enumerate() {
            // Every guess gets its share of what is left for this level.
            let share = budget.left() / (count - number as u32) * 2 / 3;
            if let Some(proof) = attempt.run(level, &budget.at_most(share)) {
                return Found::Proof(proof);
            }
            if budget.is_over() {
                return Found::Late;
            }
        }
    }
    Found::Nothing(why(&attempts))
}

fn why(attempts: &[Attempt<'_>]) -> String {
    let stopped = attempts.iter().find_map(|a| a.stopped.clone());
    let denied = attempts.iter().find_map(|a| a.denied);
    match (stopped, denied) {
        (_, Some(why)) => why.to_owned(),
        (Some(stop), _) => stop.to_string(),
        _ => "no induction over the calls and loops of both versions goes through".to_owned(),
    }
}

/// One guess at what belongs together.
struct Attempt<'a> {
    task: Task<'a>,
    facts: &'a Facts,
    matching: &'a Matching,
    any_shape: bool,
    allowed: BTreeSet<usize>,
    denied: Option<&'static str>,
    stopped: Option<Stop>,
}

impl<'a> Attempt<'a> {
    fn new(task: Task<'a>, facts: &'a Facts, matching: &'a Matching) -> Attempt<'a> {
        let context = Context { task, facts };
        let mut attempt = Attempt {
            task,
            facts,
            matching,
            any_shape: false,
            allowed: BTreeSet::new(),
            denied: None,
            stopped: None,
        };
        for (number, coupled) in matching.pairs.iter().enumerate() {
            match context.may_assume(coupled) {
                Ok(any_shape) => {
                    attempt.any_shape |= any_shape;
                    attempt.allowed.insert(number);
                }
                Err(why) => attempt.denied = Some(why),
            }
        }
        attempt
    }

    /// Proves the pair and every coupling that its proof rests on, or nothing.
    fn run(&mut self, level: usize, budget: &Budget) -> Option<Proof> {
        let pair = self.task.comparison.pair(self.task.pair);
        let is_root = |c: &Coupled| c.old == pair.old && c.new == pair.new;
        let root = self.matching.pairs.iter().position(is_root);
        let mut assumed = self.allowed.clone();
        let mut proofs: BTreeMap<usize, Proved> = BTreeMap::new();
        let mut whole: Option<Proved> = None;
        loop {
            // The pair itself first: without it the rest is for nothing.
            let root_goal = root.filter(|n| assumed.contains(n));
            let holds = |p: &Proved| p.used.is_subset(&assumed);
            if root_goal.is_none() && !whole.as_ref().is_some_and(holds) {
                whole = Some(self.prove(Goal::Root, &assumed, level, budget)?);
            }
            let first =
                root_goal.or_else(|| whole.iter().flat_map(|p| p.used.iter().copied()).next());
            let Some(first) = first else {
                let steps = vec![(pair.function.clone(), whole?)];
                return Some(self.finished(steps));
            };
            // What the proof rests on, and what that rests on.
            let mut needed = whole.iter().flat_map(|p| p.used.iter().copied()).collect::<Vec<_>>();
            needed.push(first);
            let mut seen = BTreeSet::new();
            let mut failed = None;
            while let Some(number) = needed.pop() {
                if !seen.insert(number) {
                    continue;
                }
                let known = proofs.get(&number).filter(|p| holds(p)).cloned();
                let proof =
                    known.or_else(|| self.prove(Goal::Coupling(number), &assumed, level, budget));
                let Some(proof) = proof else {
                    failed = Some(number);
                    break;
                };
                needed.extend(proof.used.iter().copied());
                proofs.insert(number, proof);
            }
            match failed {
                // Whatever assumed it is void.
                Some(number) => {
                    assumed.remove(&number);
                }
                None => {
                    let names =
                        |number: usize| self.premises(&assumed).name(Goal::Coupling(number));
                    let mut steps: Vec<(String, Proved)> =
                        seen.iter().map(|n| (names(*n), proofs[n].clone())).collect();
                    if let Some(root) = root_goal {
                        // The pair last.
                        let name = names(root);
                        steps.sort_by_key(|(n, _)| *n == name);
                    } else {
                        steps.push((pair.function.clone(), whole?));
                    }
                    return Some(self.finished(steps));
                }
            }
            if budget.is_over() {
                return None;
            }
        }
    }

    fn finished(&self, steps: Vec<(String, Proved)>) -> Proof {
        let of_calls = steps.iter().all(|(_, p)| !p.valid_pointers);
        Proof { steps, of_calls }
    }

    fn premises<'b>(&'b self, assumed: &'b BTreeSet<usize>) -> Premises<'b> {
        let (task, facts, matching) = (self.task, self.facts, self.matching);
        Premises { task, facts, matching, assumed, any_shape: self.any_shape }
    }

    /// Proves one goal with the efforts up to a level.
    fn prove(
        &mut self,
        goal: Goal,
        assumed: &BTreeSet<usize>,
        level: usize,
        budget: &Budget,
    ) -> Option<Proved> {
        let mut pointers = vec![false];
        let (program, pair) = (&self.facts.programs[0], self.task.comparison.pair(self.task.pair));
        let procedure = program.procedure(pair.old);
        let is_pointer = |p: &VarId| procedure.var(*p).ty == Type::Ptr;
        if goal == Goal::Root && procedure.params.iter().any(is_pointer) {
            pointers.push(true);
        }
        for effort in LEVELS[..=level].iter().copied().flatten() {
            for valid in &pointers {
                if budget.is_over() {
                    return None;
                }
                match self.premises(assumed).prove(goal, *effort, *valid, budget) {
                    Ok(Some(proved)) => return Some(proved),
                    Ok(None) => {}
                    Err(stop) => self.stopped = Some(stop),
                }
            }
        }
        None
    }
}

/// Whether a coupling may be assumed at the calls that a run of the pair makes.
///
/// What is proved of a coupling is proved of states in which all memory has a value and nothing is dead. The states
/// at its calls are like that if, whenever it accesses memory at all, no run of the pair allocates, frees, or
/// has local objects where the coupling may access them, nor copies memory without a value into
/// other memory. Whether objects are large enough: see the engine's text.
struct Context<'a> {
    task: Task<'a>,
    facts: &'a Facts,
}

impl Context<'_> {
    /// `Ok(true)` if it must be proved for objects of any size.
    fn may_assume(&self, coupled: &Coupled) -> Result<bool, &'static str> {
        let facts = self.facts;
        let pair = self.task.comparison.pair(self.task.pair);
        let any = |test: &dyn Fn(Side) -> bool| Side::BOTH.into_iter().any(test);
        let effects = Side::BOTH.map(|side| facts.effects(side, coupled.of(side)));
        if effects.iter().any(|e| e.allocates || e.frees) {
            return Err("what is called again and again makes or frees objects");
        }
        if any(&|s| !facts.programs[s.index()].procedure(coupled.of(s)).is_supported()) {
            return Err("a body is not supported");
        }
        let accesses = effects.iter().any(|e| !e.reads.is_empty() || !e.writes.is_empty());
        if !accesses {
            return Ok(false);
        }
        let root = Side::BOTH.map(|side| facts.effects(side, pair.of(side)));
        if root.iter().any(|e| e.allocates || e.frees) {
            return Err("memory is made or freed before a loop or recursion that accesses some");
        }
        if any(&|s| facts.spreads_unwritten(s, pair.of(s))) {
            return Err("memory without a value may come before a loop or recursion");
        }
        let accessed = |side: Side| {
            facts.locals(side, pair.of(side)).any(|(procedure, count)| {
                (0..count).any(|local| {
                    let local = verdiff_model::LocalId::new(local);
                    let region = facts.regions.of_local(side.index(), procedure, local);
                    effects.iter().any(|e| e.reads.contains(region) || e.writes.contains(region))
                })
            })
        };
        if any(&accessed) {
            return Err("a loop or recursion accesses local objects");
        }
        let loose = any(&|s| facts.is_loose(s, coupled.of(s)));
        if !loose || !any(&|s| facts.names_objects(s, pair.of(s))) {
            return Ok(false);
        }
        if any(&|s| facts.shows_memory(s, coupled.of(s))) {
            return Err("a loop or recursion has something outside access objects of known size");
        }
        Ok(true)
    }
}
