//! One attempt: execute, ask, and make an entry state of the answer.

use super::addition;
use super::callees::{Facts, Seen};
use super::evidence::script;
use crate::valid::still_differ;
use verdiff_judge::{Budget, Candidate, Field, Findings, Obligation, Side, StopReason, Task};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query, Reason};
use verdiff_logic::{Assignment, Formula, TermId};
use verdiff_model::Type;
use verdiff_model::interp::{Limits as RunLimits, Machine};
use verdiff_model::state::{Difference, End, EntryState, Run, compare};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Executor, Limits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::space::Space;

/// How many cases are looked at before a solver is asked.
pub(crate) const CASES: usize = 2000;
/// How far the interpreter goes to see whether a model is a difference.
const RUN: RunLimits =
    RunLimits { steps: 2_000_000, depth: 2000, memory: 64 << 20, objects: 1 << 16 };
/// How many steps a run may take that surely ends.
const LONG_RUN: u64 = 40_000_000;
/// Seeds of unknown functions' behaviour that are tried with one model.
const SEEDS: u64 = 12;

/// What an attempt decided.
pub enum Decided {
    /// What it found; empty if nothing.
    Findings(Findings),
}

/// One way of seeing callees.
pub struct Attempt<'a> {
    pub(crate) task: Task<'a>,
    pub(crate) facts: &'a Facts,
    pub(crate) seen: Seen<'a>,
    pub(crate) space: Space,
}

/// An entry state in the numbers of both versions, and whether both came to an end from some such state.
pub(crate) type Runnable = ((EntryState, EntryState), bool);

/// D, and what it came from.
pub(crate) struct Formed {
    pub(crate) entry: Entry,
    pub(crate) outcomes: [Outcome; 2],
    pub(crate) differ: TermId,
    /// Without the address at which memories are compared, if it could be eliminated.
    pub(crate) without_address: Option<TermId>,
}

impl<'a> Attempt<'a> {
    pub fn new(task: Task<'a>, facts: &'a Facts, abstracting: bool) -> Attempt<'a> {
        Attempt { task, facts, seen: Seen::new(task, facts, abstracting), space: Space::new() }
    }

    /// One that executes path by path, into callees that loop or recurse.
    pub(crate) fn entering(task: Task<'a>, facts: &'a Facts, abstracting: bool) -> Attempt<'a> {
        let seen = Seen::entering(task, facts, abstracting);
        Attempt { task, facts, seen, space: Space::new() }
    }

    /// Executes both sides and asks whether they differ.
    pub fn run(&mut self, budget: &Budget) -> Result<Decided, Stop> {
        let formed = self.form()?;
        let both_end = Side::BOTH
            .into_iter()
            .all(|side| self.facts.ends(side, self.task.comparison.pair(self.task.pair).of(side)));
        let (assertions, restricted) = self.assertions(&formed)?;
        if self.space.refute(formed.differ, CASES)? {
            return match self.possible(&assertions, restricted, budget) {
                Ok(()) => Ok(self.equal(&assertions, both_end, true, restricted, budget)),
                Err(findings) => Ok(Decided::Findings(findings)),
            };
        }
        let limits = SolverLimits::effort(budget.left().max(Effort::millis(10)));
        let query = Query { assertions: &assertions, assumptions: &[] };
        let mut solver = solver::standard();
        let answer = solver.decide(&mut self.space.pool, &query, &limits);
        let model = match answer {
            Answer::Unsat { .. } => {
                return match self.possible(&assertions, restricted, budget) {
                    Ok(()) => Ok(self.equal(&assertions, both_end, false, restricted, budget)),
                    Err(findings) => Ok(Decided::Findings(findings)),
                };
            }
            Answer::Unknown(reason) => {
                return Ok(Decided::Findings(Findings::nothing(solver_reason(&reason))));
            }
            Answer::Sat(model) => model,
        };
        let model = self.smaller(&formed, &assertions, model, budget, &mut solver)?;
        // Where more is given of the entry, D alone says too much.
        let condition = match restricted {
            true => None,
            false => self.exact_condition(&formed, both_end, budget)?,
        };
        let common = match condition {
            Some(_) => None,
            None => self.where_calls_are_equal(&formed, budget)?,
        };
        let mut findings = match self.runnable(&formed, &model)? {
            Some((entry, run)) => self.different(&formed, entry, condition, run, budget)?,
            None => {
                let why = "the solver's difference is none when run";
                Findings::nothing(StopReason::incomplete(why))
            }
        };
        findings.additions.extend(common);
        // There are additions only where nothing was taken for granted but what pointers are at entry.
        findings.holds_in_calls = self.facts.holds_in_calls(&self.task, true);
        Ok(Decided::Findings(findings))
    }

    /// Whether any input fulfils the user's preconditions: from those that exclude each other everything follows. Without
    /// preconditions there is one, all zero. The last assertion is D.
    fn possible(
        &mut self,
        assertions: &[TermId],
        restricted: bool,
        budget: &Budget,
    ) -> Result<(), Findings> {
        let Some((_, given)) = assertions.split_last().filter(|_| restricted) else {
            return Ok(());
        };
        let time = budget.left().clamp(Effort::millis(10), Effort::seconds(2));
        let limits = SolverLimits::effort(time);
        let query = Query { assertions: given, assumptions: &[] };
        match solver::standard().decide(&mut self.space.pool, &query, &limits) {
            Answer::Sat(_) => Ok(()),
            Answer::Unsat { .. } => {
                let reason = StopReason::incomplete("no input fulfils the preconditions");
                Err(Findings { hopeless: true, ..Findings::nothing(reason) })
            }
            Answer::Unknown(reason) => Err(Findings::nothing(solver_reason(&reason))),
        }
    }

    /// D for this way of seeing callees.
    pub(super) fn form(&mut self) -> Result<Formed, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let regions = &self.facts.regions;
        self.seen.prepare(&mut self.space)?;
        self.space.common_calls = Some(vec![]);
        let entry =
            Entry::of(&mut self.space, regions, comparison.old.program.procedure(pair.old))?;
        let mut outcomes = Vec::new();
        for side in Side::BOTH {
            let program = comparison.program(side);
            let limits = Limits { terms: 1_500_000, depth: 40 };
            let mut executor = Executor::new(
                &mut self.space,
                program,
                side.index(),
                regions,
                &mut self.seen,
                limits,
            );
            let procedure = pair.of(side);
            let initialised = crate::process::starts_plainly(&self.task);
            let state = executor.entry_state(&entry, procedure, initialised)?;
            outcomes.push(executor.run(procedure, &entry.args, state)?);
        }
        let Ok(outcomes) = <[Outcome; 2]>::try_from(outcomes) else {
            return Err(Stop::Construct("there are two sides".to_owned()));
        };
        self.compared(entry, outcomes)
    }

    /// D for two outcomes.
    pub(crate) fn compared(
        &mut self,
        entry: Entry,
        outcomes: [Outcome; 2],
    ) -> Result<Formed, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let regions = &self.facts.regions;
        let float = |ty: &Type| match ty {
            Type::Float(kind) => Some(*kind),
            _ => None,
        };
        let results = &comparison.old.program.procedure(pair.old).results;
        let floats: Vec<_> = results.iter().map(float).collect();
        let visible = regions.visible(|info| info.locals_only);
        let differ =
            Outcome::differ(&mut self.space, &outcomes[0], &outcomes[1], &floats, &visible)?;
        let differ = self.space.tidy(differ)?;
        let without_address = match self.space.as_built {
            true => None,
            false => self.without_address(differ, &outcomes, &visible)?,
        };
        Ok(Formed { entry, outcomes, differ, without_address })
    }

    /// U is valid.
    fn equal(
        &mut self,
        assertions: &[TermId],
        both_end: bool,
        by_rewriting: bool,
        restricted: bool,
        budget: &Budget,
    ) -> Decided {
        let because = match by_rewriting {
            true => "both versions simplify to the same result for all inputs",
            false => "no input makes the outcomes differ (one query over all inputs)",
        };
        let uses = self.seen.uses();
        let name = "no outcome differs";
        let again = by_rewriting.then(|| self.as_built(name, None, budget)).flatten();
        let obligations: Vec<Obligation> =
            again.or_else(|| script(&self.space.pool, name, assertions)).into_iter().collect();
        let (rule, truth) = ("flat", Formula::truth());
        let mut additions = vec![addition(
            Field::EqualUnder,
            truth.clone(),
            rule,
            because.to_owned(),
            obligations,
            uses,
        )];
        if both_end {
            let because = "neither version loops, recurses or waits".to_owned();
            additions.push(addition(
                Field::AlikeUnder,
                truth,
                "always-ends",
                because,
                vec![],
                vec![],
            ));
        }
        // A proof by rewriting used nothing of what is taken for granted of pointers at entry; a caller may pass any.
        let in_calls = self.facts.holds_in_calls(&self.task, !by_rewriting);
        Decided::Findings(Findings {
            additions,
            common_run: both_end,
            // Whoever calls it need not know of what was assumed.
            holds_in_calls: in_calls && !restricted,
            ..Findings::default()
        })
    }

    /// A model with smaller numbers, if there is one.
    pub(crate) fn smaller(
        &mut self,
        formed: &Formed,
        assertions: &[TermId],
        model: Assignment,
        budget: &Budget,
        solver: &mut impl Decide,
    ) -> Result<Assignment, Stop> {
        let pair = self.task.comparison.pair(self.task.pair);
        let procedure = self.task.comparison.old.program.procedure(pair.old);
        let scalars: Vec<(TermId, u32)> = formed
            .entry
            .args
            .iter()
            .zip(&procedure.params)
            .filter_map(|(term, param)| match procedure.var(*param).ty {
                Type::Int(width) => Some((*term, u32::from(width))),
                _ => None,
            })
            .filter(|(_, width)| *width >= 8)
            .collect();
        for bound in [1u128, 10, 100] {
            if scalars.is_empty() || budget.left() < Effort::millis(30) {
                break;
            }
            let mut all = assertions.to_vec();
            for (term, width) in &scalars {
                let low = self.space.pool.bits_signed(*width, -(bound as i128))?;
                let high = self.space.pool.bits(*width, bound)?;
                all.push(self.space.pool.bv_sle(low, *term)?);
                all.push(self.space.pool.bv_sle(*term, high)?);
            }
            let query = Query { assertions: &all, assumptions: &[] };
            let time = (budget.left() / 8).min(Effort::millis(300));
            let limits = SolverLimits::effort(time);
            match solver.decide(&mut self.space.pool, &query, &limits) {
                Answer::Sat(model) => return Ok(model),
                Answer::Unsat { .. } => {}
                Answer::Unknown(_) => break,
            }
        }
        Ok(model)
    }

    /// The model as an entry state on which the versions do differ in the interpreter.
    pub(crate) fn runnable(
        &mut self,
        formed: &Formed,
        model: &Assignment,
    ) -> Result<Option<Runnable>, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let program = &comparison.old.program;
        let mut executor = Executor::new(
            &mut self.space,
            program,
            0,
            &self.facts.regions,
            &mut self.seen,
            Limits::default(),
        );
        let outcomes = [&formed.outcomes[0], &formed.outcomes[1]];
        let mut old =
            executor.concrete(&formed.entry, pair.old, model, &[formed.differ], &outcomes)?;
        if program.procedure(pair.old).name == "main" {
            old.globals.clear();
        }
        let mut machines = [Machine::new(program), Machine::new(&comparison.new.program)];
        let mut common_run = false;
        // Without loops no run takes more steps than there are statements with all calls in place.
        let longest = Side::BOTH.map(|side| match self.facts.ends(side, pair.of(side)) {
            true => self.facts.expanded(side, pair.of(side)).saturating_mul(2),
            false => 0,
        });
        let steps = longest[0].max(longest[1]).clamp(RUN.steps, LONG_RUN);
        let limits = RunLimits { steps, ..RUN };
        for seed in 0..SEEDS {
            old.outside.seed = seed;
            let Some(new) = comparison.entry_for_other(Side::Old, &old) else { return Ok(None) };
            let runs = [
                machines[0].run(pair.old, &old, &limits),
                machines[1].run(pair.new, &new, &limits),
            ];
            common_run |= runs.iter().all(|run| matches!(run.end, End::Returned(_)));
            effort::count(effort::Step::Interpreted, runs[0].steps + runs[1].steps);
            let left = Run { program, entry: &old, outcome: &runs[0] };
            let right = Run { program: &comparison.new.program, entry: &new, outcome: &runs[1] };
            match compare(left, right) {
                _ if comparison.settings.excludes(&runs[0]) => {}
                None | Some(Difference::Inconclusive | Difference::Initialisation { .. }) => {}
                Some(_) => {
                    let outcomes = [&runs[0], &runs[1]];
                    let both = [pair.old, pair.new];
                    if still_differ(comparison, both, &mut machines, &old, outcomes, &limits) {
                        return Ok(Some(((old, new), common_run)));
                    }
                }
            }
            let unknown = runs.iter().any(|run| run.world.count > 0);
            if !unknown {
                break;
            }
        }
        Ok(None)
    }

    fn different(
        &mut self,
        formed: &Formed,
        (old, new): (EntryState, EntryState),
        condition: Option<TermId>,
        common_run: bool,
        budget: &Budget,
    ) -> Result<Findings, Stop> {
        let mut additions = vec![];
        let mut differ = None;
        let mut unique = false;
        let mut effect = None;
        if let Some(condition) = condition {
            let equal = self.space.not(condition)?;
            let because =
                "the formula for all outcomes says exactly which inputs differ".to_owned();
            let uses = self.seen.uses();
            let formula = |space: &Space, term| Formula::of(&space.pool, term);
            let outside = formula(&self.space, equal)?;
            // The formula that the condition was rewritten from says nothing outside of it.
            let name = "no outcome differs elsewhere";
            let obligations = self.as_built(name, Some(&outside), budget).into_iter().collect();
            // Where everything differs there is no outside.
            if !outside.is_false() {
                additions.push(addition(
                    Field::EqualUnder,
                    outside,
                    "flat-condition",
                    because.clone(),
                    obligations,
                    uses.clone(),
                ));
            }
            additions.push(addition(
                Field::AlikeUnder,
                Formula::truth(),
                "always-ends",
                "neither version loops, recurses or waits".to_owned(),
                vec![],
                vec![],
            ));
            let inside = formula(&self.space, condition)?;
            let rule = "flat-condition";
            differ = Some(addition(Field::DifferUnder, inside, rule, because, vec![], uses));
            unique = self.is_unique(formed, condition, &old, budget)?;
            effect = self.effect(formed, condition, budget)?;
        }
        let engine = "flat".to_owned();
        let candidate = Candidate { old, new, engine, condition: differ, unique, effect };
        Ok(Findings { additions, candidates: vec![candidate], common_run, ..Findings::default() })
    }
}

fn solver_reason(reason: &Reason) -> StopReason {
    match reason {
        Reason::Time | Reason::Interrupted | Reason::Resource => StopReason::Time,
        Reason::Memory => StopReason::Memory,
        // It was not believed: the same as no answer. (z3 is free to choose the bits of a NaN.)
        Reason::WrongModel { .. } => StopReason::incomplete("the solver's model is none"),
        other => StopReason::incomplete(other.to_string()),
    }
}
