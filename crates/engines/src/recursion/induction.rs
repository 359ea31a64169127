//! The search: which couplings are assumed, with which unfolding each is proved.

use super::call_text::calls;
use super::matching::{Coupled, Matching, matchings};
use super::prove::{Goal, Premises, Proved, Tried, Unfolding};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Hypothesis, Incomplete, Obligation, Side, Task};
use verdiff_logic::effort::Effort;
use verdiff_model::{Type, VarId};
use verdiff_product::ProgramFacts;
use verdiff_product::inner_states::may_start;
use verdiff_product::stop::attempt_reason;
use verdiff_symex::execute::Stop;

/// What is tried, from cheap to dear. A level has all that the levels before it have.
const LEVELS: [&[Unfolding]; 3] = [
    &[plain(0, 0), with_leaves(0, 0)],
    &[plain(0, 1), plain(1, 0), by_lemma(1, 1), with_leaves(0, 1), with_leaves(1, 0)],
    &[
        with_leaves(1, 1),
        by_lemma(2, 0),
        by_lemma(0, 2),
        by_lemma(2, 2),
        with_leaves(0, 2),
        with_leaves(2, 0),
        with_leaves(1, 2),
        with_leaves(2, 1),
        with_leaves(1, 3),
        with_leaves(3, 1),
    ],
];

const fn plain(old: usize, new: usize) -> Unfolding {
    Unfolding { leaves: false, lemmas: false, unfold: [old, new] }
}

const fn with_leaves(old: usize, new: usize) -> Unfolding {
    Unfolding { leaves: true, lemmas: false, unfold: [old, new] }
}

const fn by_lemma(old: usize, new: usize) -> Unfolding {
    Unfolding { leaves: true, lemmas: true, unfold: [old, new] }
}

/// A finished proof of the pair.
pub struct Proof {
    /// What was proved, the pair last.
    pub steps: Vec<(String, Proved)>,
    /// Whether the pair is proved of every call, as far as pointers go.
    pub of_calls: bool,
    /// Whether it is proved of every call in every respect.
    pub every_call: bool,
    /// If both versions end from the same states: why.
    pub alike: Option<Vec<Obligation>>,
    /// The parameter that does not matter, if it was proved so.
    pub whatever: Option<String>,
    /// Whether pointers in memory were taken to be valid.
    pub valid: bool,
    /// What the versions call themselves with, if that is said in a few words.
    pub calls: Option<[Vec<String>; 2]>,
}

/// What came of the search.
pub enum InductionResult {
    Proof(Proof),
    /// Nothing, and why.
    Nothing(Incomplete),
    /// Time is up.
    Late,
}

impl InductionResult {
    pub fn is_proof(&self) -> bool {
        matches!(self, InductionResult::Proof(_))
    }
}

/// How many levels there are.
pub const ALL: usize = LEVELS.len();

/// Which part of the time one question gets at first.
const IMPATIENCE: u64 = 16;

/// Searches for a proof, at these levels.
pub fn search(
    task: &Task<'_>,
    facts: &[&ProgramFacts],
    levels: std::ops::Range<usize>,
    budget: &Budget,
) -> InductionResult {
    let guesses: Vec<Vec<Matching>> = facts.iter().map(|facts| matchings(task, facts)).collect();
    let mut attempts: Vec<Attempt<'_>> = vec![];
    let pair = task.comparison.pair(task.pair);
    let loops = |side: Side| {
        let cut = &facts[0].loops[side.index()];
        facts[0].reached(side, pair.of(side)).iter().any(|id| cut.contains_key(id))
    };
    let ways = if Side::BOTH.into_iter().any(loops) { 2 } else { 1 };
    let needed = facts[0].needs_proof_of_calls(task);
    if needed || facts[0].proof_of_calls_helps(task) {
        for (facts, guesses) in facts.iter().zip(&guesses).take(ways) {
            let of = |matching| Attempt::in_calls(*task, facts, matching);
            // For callers only, unless it is a part of a procedure: the pair itself comes first.
            let is_part = facts.programs[0].procedure(pair.old).outlined_from.is_some();
            let count = if is_part || needed { guesses.len() } else { 1 };
            attempts.extend(guesses.iter().take(count).map(of));
        }
    }
    for (facts, guesses) in facts.iter().zip(&guesses).take(ways) {
        attempts.extend(guesses.iter().map(|matching| Attempt::new(*task, facts, matching)));
    }
    let fewer: Vec<Attempt<'_>> = guesses[0].first().map_or(vec![], |matching| {
        (0..facts[0].programs[0].procedure(pair.old).params.len())
            .filter_map(|parameter| Attempt::new(*task, facts[0], matching).without(parameter))
            .collect()
    });
    attempts.extend(fewer);
    let valid: Vec<Attempt<'_>> = guesses[0]
        .iter()
        .filter_map(|matching| Attempt::new(*task, facts[0], matching).with_valid_pointers())
        .collect();
    attempts.extend(valid);
    // First with little time for each question: most are answered at once, and one that is not must not keep the others from being asked.
    // What is left is for those that took longer.
    for patience in [Some(budget.left() / IMPATIENCE), None] {
        for level in levels.clone() {
            let last = patience.is_none() && level + 1 == levels.end;
            let count = attempts.len() as u64;
            for (number, attempt) in attempts.iter_mut().enumerate() {
                // Every guess gets its share of what is left for this level.
                let share = budget.left() / (count - number as u64);
                let share = if last { share } else { share * 2 / 3 };
                attempt.patience = patience;
                if let Some(proof) = attempt.run(level, &budget.at_most(share)) {
                    return InductionResult::Proof(proof);
                }
                if budget.is_over() {
                    return InductionResult::Late;
                }
            }
        }
        if !attempts.iter().any(|attempt| attempt.late) {
            return InductionResult::Nothing(why(task, &attempts));
        }
    }
    InductionResult::Late
}

fn why(task: &Task<'_>, attempts: &[Attempt<'_>]) -> Incomplete {
    let stopped = attempts.iter().find_map(|a| a.stopped.clone());
    let denied = attempts.iter().find_map(|a| a.denied);
    match (stopped, denied) {
        (_, Some(why)) => Incomplete::Hypothesis(why),
        (Some(stop), _) => attempt_reason(task, &stop),
        _ => Incomplete::NoInduction,
    }
}

/// One guess at what belongs together.
struct Attempt<'a> {
    task: Task<'a>,
    facts: &'a ProgramFacts,
    matching: &'a Matching,
    any_shape: bool,
    /// Whether nothing is assumed of the states that calls start from.
    in_calls: bool,
    /// Whether all pointers are taken to be null or to lead to objects.
    valid: bool,
    /// A parameter of the pair that is taken not to matter.
    dropped: Option<usize>,
    allowed: BTreeSet<usize>,
    denied: Option<Hypothesis>,
    stopped: Option<Stop>,
    /// What one question may take.
    patience: Option<Effort>,
    /// What is known not to follow, so that nobody asks again.
    refuted: BTreeSet<Question>,
    /// Whether some question was not answered in time.
    late: bool,
}

/// A goal, what is assumed for it, with which unfolding, and whether pointers are taken to be valid.
type Question = (Goal, BTreeSet<usize>, Unfolding, bool);

impl<'a> Attempt<'a> {
    fn new(task: Task<'a>, facts: &'a ProgramFacts, matching: &'a Matching) -> Attempt<'a> {
        Attempt::of(task, facts, matching, false)
    }

    /// The same for every call: nothing is assumed of the states that the pair or a coupling starts from.
    fn in_calls(task: Task<'a>, facts: &'a ProgramFacts, matching: &'a Matching) -> Attempt<'a> {
        Attempt::of(task, facts, matching, true)
    }

    fn of(
        task: Task<'a>,
        facts: &'a ProgramFacts,
        matching: &'a Matching,
        in_calls: bool,
    ) -> Attempt<'a> {
        let context = Context { task, facts, in_calls };
        let mut attempt = Attempt {
            task,
            facts,
            matching,
            any_shape: false,
            in_calls,
            valid: false,
            dropped: None,
            allowed: BTreeSet::new(),
            denied: None,
            stopped: None,
            patience: None,
            refuted: BTreeSet::new(),
            late: false,
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

    /// The same, with all pointers taken to be null or to lead to objects: those of the entry state, in memory too, and
    /// those that are loaded, which are the same ones where nothing is written. Of the
    /// pointers that calls are made with it is proved.
    fn with_valid_pointers(self) -> Option<Attempt<'a>> {
        let pair = self.task.comparison.pair(self.task.pair);
        let reads_only = Side::BOTH.into_iter().all(|side| {
            let effects = self.facts.effects(side, pair.of(side));
            let writes = !effects.writes.is_empty() || effects.errno || effects.world;
            !writes && self.facts.locals(side, pair.of(side)).is_empty()
        });
        let takes_pointer = |number: &usize| {
            let program = &self.matching.programs[0];
            let procedure = program.procedure(self.matching.pairs[*number].old);
            procedure.params.iter().any(|p| procedure.var(*p).ty == Type::Ptr)
        };
        let wanted = self.allowed.iter().any(takes_pointer);
        (reads_only && wanted && !self.any_shape).then_some(Attempt { valid: true, ..self })
    }

    /// The same, with a parameter of the pair taken not to matter. Only for what depends on its arguments alone.
    fn without(self, parameter: usize) -> Option<Attempt<'a>> {
        let number = self.root().filter(|n| self.allowed.contains(n))?;
        let pair = self.task.comparison.pair(self.task.pair);
        let procedure = self.facts.programs[0].procedure(pair.old);
        let several = procedure.params.len() > 1 && procedure.params.len() <= 6;
        let plain = Side::BOTH.into_iter().all(|side| {
            let effects = self.facts.effects(side, self.matching.pairs[number].of(side));
            effects.reads.is_empty()
                && effects.writes.is_empty()
                && !effects.world
                && !effects.errno
        });
        (several && plain).then_some(Attempt { dropped: Some(parameter), ..self })
    }

    /// The coupling that is the pair itself.
    fn root(&self) -> Option<usize> {
        let pair = self.task.comparison.pair(self.task.pair);
        self.matching.pairs.iter().position(|c| c.old == pair.old && c.new == pair.new)
    }

    /// Proves the pair and every coupling that its proof rests on, or nothing.
    fn run(&mut self, level: usize, budget: &Budget) -> Option<Proof> {
        let pair = self.task.comparison.pair(self.task.pair);
        let root = self.root();
        let mut assumed = self.allowed.clone();
        let mut proofs: BTreeMap<usize, Proved> = BTreeMap::new();
        let mut whole: Option<Proved> = None;
        loop {
            // The pair itself first: without it the rest is for nothing.
            let root_goal = root.filter(|n| assumed.contains(n));
            let holds = |p: &Proved| p.used.is_subset(&assumed);
            if root_goal.is_none() && !whole.as_ref().is_some_and(holds) {
                // With nothing assumed there is nothing to unfold.
                let level = if assumed.is_empty() { 0 } else { level };
                whole = Some(self.prove(Goal::Root, &assumed, level, budget)?);
            }
            let first =
                root_goal.or_else(|| whole.iter().flat_map(|p| p.used.iter().copied()).next());
            let Some(first) = first else {
                let steps = vec![(pair.function.clone(), whole?)];
                return Some(self.finished(steps, &BTreeSet::new(), root_goal, budget));
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
                Some(number) if self.dropped.is_some() && root == Some(number) => return None,
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
                    return Some(self.finished(steps, &seen, root_goal, budget));
                }
            }
            if budget.is_over() {
                return None;
            }
        }
    }

    /// The proof, from couplings that are all proved by now.
    fn finished(
        &self,
        steps: Vec<(String, Proved)>,
        proved: &BTreeSet<usize>,
        root: Option<usize>,
        budget: &Budget,
    ) -> Proof {
        let of_calls = steps.iter().all(|(_, p)| !p.valid_pointers);
        let mut goals: Vec<Goal> = proved.iter().map(|n| Goal::Coupling(*n)).collect();
        if root.is_none() {
            goals.push(Goal::Root);
        }
        let alike = match self.dropped {
            None if !self.valid => self.premises(proved).ends_alike(&goals, budget),
            _ => None,
        };
        let procedure =
            self.facts.programs[0].procedure(self.task.comparison.pair(self.task.pair).old);
        let name = |parameter: usize| procedure.var(procedure.params[parameter]).name.clone();
        let calls = root.and_then(|number| calls(&self.premises(proved), number, budget));
        let (whatever, valid) = (self.dropped.map(name), self.valid);
        let every_call = self.in_calls;
        Proof { steps, of_calls, every_call, alike, whatever, valid, calls }
    }

    fn premises<'b>(&'b self, assumed: &'b BTreeSet<usize>) -> Premises<'b> {
        let (task, facts, matching) = (self.task, self.facts, self.matching);
        let dropped = self.dropped.and_then(|parameter| Some((self.root()?, parameter)));
        let (any_shape, valid) = (self.any_shape, self.valid);
        let (as_built, under) = (false, None);
        let in_calls = self.in_calls;
        Premises {
            task,
            facts,
            matching,
            assumed,
            any_shape,
            in_calls,
            as_built,
            valid,
            dropped,
            under,
        }
    }

    /// Proves one goal with the efforts up to a level.
    fn prove(
        &mut self,
        goal: Goal,
        assumed: &BTreeSet<usize>,
        level: usize,
        budget: &Budget,
    ) -> Option<Proved> {
        let (program, pair) = (&self.facts.programs[0], self.task.comparison.pair(self.task.pair));
        let procedure = program.procedure(pair.old);
        let is_pointer = |p: &VarId| procedure.var(*p).ty == Type::Ptr;
        let pointers =
            goal == Goal::Root && !self.in_calls && procedure.params.iter().any(is_pointer);
        for unfolding in LEVELS[..=level].iter().copied().flatten() {
            if budget.is_over() {
                return None;
            }
            // What is known of the other version's runs is known of valid pointers only.
            let unfolding = Unfolding { leaves: unfolding.leaves && !self.valid, ..*unfolding };
            if self.in_calls && (unfolding.leaves || unfolding.lemmas) {
                // Known paths do not say which memory they take as initialised.
                continue;
            }
            if let Some(proved) = self.ask(goal, assumed, unfolding, pointers, budget) {
                // Better for callers if nothing was taken for granted.
                let better =
                    pointers.then(|| self.ask(goal, assumed, unfolding, false, budget)).flatten();
                return better.or(Some(proved));
            }
        }
        None
    }

    /// Asks one question, unless the answer is known to be no.
    fn ask(
        &mut self,
        goal: Goal,
        assumed: &BTreeSet<usize>,
        unfolding: Unfolding,
        valid: bool,
        budget: &Budget,
    ) -> Option<Proved> {
        let question = (goal, assumed.clone(), unfolding, valid);
        if self.refuted.contains(&question) {
            return None;
        }
        let budget = self.patience.map_or(*budget, |patience| budget.at_most(patience));
        match self.premises(assumed).prove(goal, unfolding, valid, &budget) {
            Ok(Tried::Proved(proved)) => return Some(proved),
            Ok(Tried::Refuted) => {
                self.refuted.insert(question);
            }
            Ok(Tried::Late) | Err(Stop::Effort) => self.late = true,
            Err(stop) => {
                self.stopped = Some(stop);
                self.refuted.insert(question);
            }
        }
        None
    }
}

/// Whether a coupling may be assumed at the calls that a run of the pair makes ([`may_start`]).
pub struct Context<'a> {
    pub task: Task<'a>,
    pub facts: &'a ProgramFacts,
    /// Whether nothing is assumed of the states at calls.
    pub in_calls: bool,
}

impl Context<'_> {
    /// `Ok(true)` if it must be proved for objects of any size.
    pub fn may_assume(&self, coupled: &Coupled) -> Result<bool, Hypothesis> {
        may_start(&self.task, self.facts, [coupled.old, coupled.new], self.in_calls)
    }
}
