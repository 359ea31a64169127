//! The execution of both versions of a pair from a common entry state.
//!
//! A [`Product`] is given what is executed (a task, the facts about the programs, maybe other programs with the same
//! numbers), how callees are treated ([`Policy`]), what terms are like ([`Terms`]) and what all of it may cost ([`Budget`]).
//! It gives the outcomes of either side, merged or path by path, and keeps what they rest on ([`Usage`]). Nobody else makes an executor.
//!
//! # The budget
//!
//! Queries that a product asks by itself (whether a path is feasible, whether a smaller model exists) stop with the budget.
//! An execution may overdraw it by what its terms cost at most ([`ExecutionLimits::effort`]), since half a formula is
//! of no use and a path
//! that is nearly finished is worth finishing; then it stops with [`Stop::Effort`], or its paths wait. Where each path of a callee is a path
//! of its own ([`Exploration::forking`]) there is always another one to wait for, so these stop with the budget. All
//! of them stop at the thread's deadline.

use crate::callees::{Applied, Basis, Function, Policy, Usage};
use crate::facts::ProgramFacts;
use crate::feasible::Feasibility;
use crate::{alias, process};
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{Budget, PairId, Side, Task};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, TermId};
use verdiff_model::state::EntryState;
use verdiff_model::{ProcId, Program};
use verdiff_symex::callee::{Abstraction, Summary};
use verdiff_symex::effects::ProcedureEffects;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor, Stop};
use verdiff_symex::guide::Guide;
use verdiff_symex::outcome::Outcome;
use verdiff_symex::paths::{Bounds, Explored, Explorer};
use verdiff_symex::record::{AccessRecord, CallRecord, Log};
use verdiff_symex::space::{PointedTo, Space, Terms};

/// Which initial contents globals have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Any: a call somewhere in a run.
    Anywhere,
    /// Those of their initialisers: `main` in a process in which nothing runs before it.
    Process,
}

impl Start {
    /// For the pair of a task.
    pub fn of(task: &Task<'_>) -> Start {
        if process::starts_plainly(task) { Start::Process } else { Start::Anywhere }
    }
}

/// Both versions of a pair, executed in one space.
pub struct Product<'a> {
    /// The pair, and what is known of all pairs.
    pub task: Task<'a>,
    /// The facts about the programs that are executed.
    pub facts: &'a ProgramFacts,
    /// Both programs: those of the facts, or others of which the facts hold as well.
    programs: [Rc<Program>; 2],
    /// How callees are treated.
    pub policy: Policy,
    /// What was used of the policy so far.
    pub usage: Usage,
    /// The terms and objects of both versions.
    pub space: Space,
    /// What is accessed in it, if pointers do not alias.
    pub(crate) accesses: Option<Log<AccessRecord>>,
    /// What it may cost.
    budget: Budget,
}

impl<'a> Product<'a> {
    /// Nothing executed yet, every callee inlined.
    pub fn new(task: Task<'a>, facts: &'a ProgramFacts, budget: &Budget) -> Product<'a> {
        Product::of_programs(task, facts, facts.programs.clone(), budget)
    }

    /// The same for other programs of which the facts hold as well.
    pub fn of_programs(
        task: Task<'a>,
        facts: &'a ProgramFacts,
        programs: [Rc<Program>; 2],
        budget: &Budget,
    ) -> Product<'a> {
        let (policy, usage, mut space) = (Policy::default(), Usage::default(), Space::new());
        if facts.counts_requests(&task) {
            space.count_requests();
        }
        let unaliased = alias::unaliased(task.comparison, task.pair);
        let accesses = unaliased.contains(&true).then(|| space.record_accesses());
        Product { task, facts, programs, policy, usage, space, accesses, budget: *budget }
    }

    /// What it may cost.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Does something within another budget, for example a part of its own.
    pub fn within<T>(&mut self, budget: &Budget, work: impl FnOnce(&mut Product<'a>) -> T) -> T {
        let before = std::mem::replace(&mut self.budget, *budget);
        let result = work(self);
        self.budget = before;
        result
    }

    /// Does something with terms that stay as they are built.
    pub fn as_built<T>(&mut self, work: impl FnOnce(&mut Product<'a>) -> T) -> T {
        let treat = |product: &mut Product<'a>, terms: Terms| {
            product.space = std::mem::take(&mut product.space).treating(terms);
        };
        let before = self.space.terms();
        treat(self, Terms::AsBuilt);
        let result = work(self);
        treat(self, before);
        result
    }

    /// The same with objects behind pointers of any size, or with terms that stay as they are built.
    pub fn in_space_of(self, pointed_to: PointedTo, terms: Terms) -> Product<'a> {
        let mut space = Space::with(pointed_to, terms);
        if self.space.counts_requests() {
            space.count_requests();
        }
        let accesses = self.accesses.as_ref().map(|_| space.record_accesses());
        Product { space, accesses, ..self }
    }

    /// One version's program.
    pub fn program(&self, side: Side) -> &Program {
        &self.programs[side.index()]
    }

    /// The pairs whose judgements were used.
    pub fn judgements_used(&self) -> BTreeSet<PairId> {
        let mut pairs = self.usage.pairs.clone();
        if self.usage.called_back {
            pairs.extend(self.facts.outside.taken.iter().flatten());
        }
        pairs
    }

    /// The same as evidence lists them.
    pub fn uses(&self) -> Vec<PairId> {
        self.judgements_used().into_iter().collect()
    }

    /// A callee of which nothing is proved, as a function.
    pub fn unproved(
        &mut self,
        name: &str,
        entry: Rc<Entry>,
        effects: &[&ProcedureEffects],
    ) -> Function {
        let regions = &self.facts.regions;
        let abstraction = Abstraction::unproved(&mut self.space, regions, name, entry, effects);
        Function { abstraction, basis: Basis::Unproved, heap_described: false }
    }

    /// Does something with an executor of one version, which may overdraw the budget by what its terms cost.
    fn with_executor<T>(
        &mut self,
        side: Side,
        limits: ExecutionLimits,
        work: impl FnOnce(&mut Executor<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let until = self.budget.until() + limits.effort();
        self.with_executor_until(until, side, limits, work)
    }

    fn with_executor_until<T>(
        &mut self,
        until: Effort,
        side: Side,
        limits: ExecutionLimits,
        work: impl FnOnce(&mut Executor<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut callees = Applied {
            task: self.task,
            outside: &self.facts.outside,
            policy: &self.policy,
            usage: &mut self.usage,
            entered: vec![],
        };
        let (program, regions) = (&*self.programs[side.index()], &self.facts.regions);
        let space = &mut self.space;
        let executor = Executor::new(space, program, side, regions, &mut callees, limits);
        work(&mut executor.stopping_at(until))
    }

    /// The outcome of one version, as one formula.
    pub fn run(
        &mut self,
        side: Side,
        procedure: ProcId,
        entry: &Entry,
        start: Start,
        limits: ExecutionLimits,
    ) -> Result<Outcome, Stop> {
        self.with_executor(side, limits, |executor| {
            let state = executor.entry_state(entry, procedure, start == Start::Process)?;
            executor.run_from(procedure, entry, state)
        })
    }

    /// The same from any state with every callee inlined, whatever the policy says; nothing is recorded as used.
    pub fn run_inlined(
        &mut self,
        side: Side,
        procedure: ProcId,
        entry: &Entry,
        limits: ExecutionLimits,
    ) -> Result<Outcome, Stop> {
        let run = |product: &mut Product<'a>| {
            product.run(side, procedure, entry, Start::Anywhere, limits)
        };
        self.with_policy(Policy::default(), run).0
    }

    /// Does something under another policy; what that used is given back and not recorded.
    pub fn with_policy<T>(
        &mut self,
        policy: Policy,
        work: impl FnOnce(&mut Product<'a>) -> T,
    ) -> (T, Usage) {
        let (policy, usage) =
            (std::mem::replace(&mut self.policy, policy), std::mem::take(&mut self.usage));
        let result = work(self);
        self.policy = policy;
        (result, std::mem::replace(&mut self.usage, usage))
    }

    /// The outcomes of both versions from one entry state.
    pub fn run_both(
        &mut self,
        procedures: [ProcId; 2],
        entry: &Entry,
        start: Start,
        limits: ExecutionLimits,
    ) -> Result<[Outcome; 2], Stop> {
        let old = self.run(Side::Old, procedures[0], entry, start, limits)?;
        let new = self.run(Side::New, procedures[1], entry, start, limits)?;
        Ok([old, new])
    }

    /// The outcome of one version, and the execution itself as a call of the function that a procedure is cut to.
    #[expect(clippy::too_many_arguments, reason = "a run, and how it is seen as a call")]
    pub fn run_as_call(
        &mut self,
        side: Side,
        procedure: ProcId,
        entry: &Entry,
        start: Start,
        limits: ExecutionLimits,
        function: &Abstraction,
        with_memory: bool,
    ) -> Result<(Outcome, CallRecord), Stop> {
        self.with_executor(side, limits, |executor| {
            let state = executor.entry_state(entry, procedure, start == Start::Process)?;
            let outcome = executor.run_from(procedure, entry, state.clone())?;
            let made = executor.as_call(function, entry, &state, &outcome, with_memory)?;
            Ok((outcome, made))
        })
    }

    /// The exploration of one version, path by path; nothing explored yet.
    pub fn exploration(
        &mut self,
        side: Side,
        procedure: ProcId,
        entry: &Entry,
        start: Start,
        limits: ExecutionLimits,
    ) -> Result<Exploration, Stop> {
        let explorer = self.with_executor(side, limits, |executor| {
            Explorer::new(executor, procedure, entry, start == Start::Process)
        })?;
        Ok(Exploration { explorer, side, limits, forking: false })
    }

    /// Goes on with an exploration within bounds, along paths that can be taken.
    pub fn explore(
        &mut self,
        exploration: &mut Exploration,
        bounds: &Bounds,
        feasibility: &mut Feasibility<'_>,
    ) -> Result<Explored, Stop> {
        let Exploration { explorer, side, limits, forking } = exploration;
        let budget = self.budget;
        let overdraft = if *forking { Effort::ZERO } else { limits.effort() };
        self.with_executor_until(budget.until() + overdraft, *side, *limits, |executor| {
            let mut feasible =
                |space: &mut Space, path: &[TermId]| feasibility.of(space, path, &budget);
            explorer.explore(executor, bounds, &mut feasible)
        })
    }

    /// The entry state of the old version that a model describes, as far as a formula and outcomes look at it.
    pub fn concrete(
        &mut self,
        entry: &Entry,
        procedure: ProcId,
        model: &Assignment,
        about: &[TermId],
        outcomes: &[&Outcome],
    ) -> Result<EntryState, Stop> {
        self.with_executor(Side::Old, ExecutionLimits::default(), |executor| {
            executor.concrete(entry, procedure, model, about, outcomes)
        })
    }
}

/// An exploration of one version, which can be gone on with.
pub struct Exploration {
    explorer: Explorer,
    side: Side,
    limits: ExecutionLimits,
    forking: bool,
}

impl Exploration {
    /// The same, with a path for each known path of a callee that is a function ([`Explorer::forking`]).
    pub fn forking(self) -> Exploration {
        Exploration { explorer: self.explorer.forking(), forking: true, ..self }
    }

    /// The same, headed where the guide leads ([`Explorer::towards`]).
    pub fn towards(self, guide: Rc<Guide>) -> Exploration {
        Exploration { explorer: self.explorer.towards(guide), ..self }
    }

    /// The version.
    pub fn side(&self) -> Side {
        self.side
    }

    /// The finished paths from number `first` on, as summaries for callers: those that can be. What starts from
    /// initial values says nothing of a call later on.
    pub fn summaries(
        &self,
        space: &mut Space,
        entry: &Rc<Entry>,
        first: usize,
    ) -> Result<Vec<Summary>, Stop> {
        let mut found = vec![];
        for exit in self.done()[first..].iter().filter(|_| !self.starts_initialised()) {
            found.extend(Summary::of(space, self.side, entry, exit)?);
        }
        Ok(found)
    }
}

impl std::ops::Deref for Exploration {
    type Target = Explorer;

    fn deref(&self) -> &Explorer {
        &self.explorer
    }
}

impl std::ops::DerefMut for Exploration {
    fn deref_mut(&mut self) -> &mut Explorer {
        &mut self.explorer
    }
}
