//! The solver's model as an entry state on which the versions differ when they are run.

use crate::Product;
use crate::difference::Formed;
use crate::valid::still_differ;
use verdiff_judge::Side;
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::solver::{Answer, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{Assignment, TermId};
use verdiff_model::Type;
use verdiff_model::interp::{Limits as RunLimits, Machine};
use verdiff_model::state::{Difference, End, EntryState, Run, compare};
use verdiff_symex::execute::Stop;

/// How far the interpreter goes to see whether a model is a difference.
const RUN: RunLimits =
    RunLimits { steps: 2_000_000, depth: 2000, memory: 64 << 20, objects: 1 << 16 };
/// How many steps a run may take that surely terminates.
const LONG_RUN: u64 = 40_000_000;
/// Seeds of unknown functions' behaviour that are tried with one model.
const SEEDS: u64 = 12;

/// An entry state in the numbers of both versions, and whether both terminated from some such state.
pub type Runnable = ((EntryState, EntryState), bool);

impl Product<'_> {
    /// A model with smaller numbers, if there is one.
    pub fn smaller(
        &mut self,
        formed: &Formed,
        assertions: &[TermId],
        model: Assignment,
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
            if scalars.is_empty() || self.budget().left() < Effort::millis(30) {
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
            let time = (self.budget().left() / 8).min(Effort::millis(300));
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
    pub fn runnable(
        &mut self,
        formed: &Formed,
        model: &Assignment,
    ) -> Result<Option<Runnable>, Stop> {
        let comparison = self.task.comparison;
        let pair = comparison.pair(self.task.pair);
        let program = &comparison.old.program;
        let outcomes = [&formed.outcomes[0], &formed.outcomes[1]];
        let about = [formed.differ];
        let mut old = self.concrete(&formed.entry, pair.old, model, &about, &outcomes)?;
        if program.procedure(pair.old).name == "main" {
            old.globals.clear();
        }
        let mut machines = [Machine::new(program), Machine::new(&comparison.new.program)];
        let mut common_run = false;
        // Without loops no run takes more steps than there are statements with all calls in place.
        let longest = Side::BOTH.map(|side| match self.facts.terminates(side, pair.of(side)) {
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
            effort::count(effort::Step::Interpreted, runs[0].work() + runs[1].work());
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
}
