//! Single runs of a cyclic procedure, followed by evaluating its formula. They only say where to look.

use super::body::Call;
use super::cycle::{CallArguments, Cycle};
use std::collections::BTreeSet;
use verdiff_logic::{Assignment, Evaluator, LogicError, TermId};

/// How many calls of one run are followed.
const STEPS: usize = 700;

/// A run that was followed.
pub struct Run {
    pub states: Vec<CallArguments>,
    /// Whether it came to an end, or back to where it was; `None` if it could not be followed so far.
    pub ends: Option<bool>,
    /// Where it came back to.
    pub cycle: Option<usize>,
}

impl Cycle<'_> {
    /// Follows a run, as far as it is known.
    pub fn follow(&self, point: &CallArguments) -> Run {
        let mut run = Run { states: vec![point.clone()], ends: None, cycle: None };
        let is_plain = |t: &TermId| self.body.is_plain(self.space, *t);
        let relevant = |c: &&Call| self.relevant.iter().all(|at| is_plain(&c.args[*at]));
        if !self.own.iter().all(|c| is_plain(&c.when) && relevant(c)) {
            return run;
        }
        let mut seen = BTreeSet::new();
        while run.states.len() < STEPS {
            let state = &run.states[run.states.len() - 1];
            let Some(assignment) = self.assignment(state) else { return run };
            let mut evaluator = Evaluator::new(&assignment);
            let pool = &self.space.pool;
            let taken = self.own.iter().find(|c| evaluator.holds(pool, c.when).unwrap_or(false));
            let Some(call) = taken else {
                run.ends = Some(true);
                return run;
            };
            // What does not matter stays as it was.
            let mut next = state.clone();
            for at in &self.relevant {
                let Ok(value) = evaluator.eval(pool, call.args[*at]) else { return run };
                next[*at] = value;
            }
            let key = format!("{next:?}");
            if !seen.insert(key) {
                run.cycle = run.states.iter().position(|s| *s == next);
                run.ends = Some(false);
                return run;
            }
            run.states.push(next);
        }
        run
    }

    fn assignment(&self, point: &CallArguments) -> Option<Assignment> {
        let mut assignment = Assignment::new();
        for (param, value) in self.body.params.iter().zip(point) {
            let symbol = self.space.pool.as_symbol(*param)?;
            assignment.set(&self.space.pool, symbol, value.clone()).ok()?;
        }
        Some(assignment)
    }

    pub fn true_of(
        &self,
        atoms: &[TermId],
        states: &[CallArguments],
    ) -> Result<Vec<TermId>, LogicError> {
        let mut kept = atoms.to_vec();
        for state in states {
            let Some(assignment) = self.assignment(state) else { return Ok(vec![]) };
            let mut evaluator = Evaluator::new(&assignment);
            kept.retain(|a| evaluator.holds(&self.space.pool, *a).unwrap_or(false));
        }
        Ok(kept)
    }

    pub fn is_point(&mut self, point: &CallArguments) -> Result<TermId, LogicError> {
        let mut all = vec![];
        for at in &self.relevant {
            if let Some(value) = self.space.pool.value(&point[*at])? {
                all.push(self.space.pool.eq(self.body.params[*at], value)?);
            }
        }
        self.space.and(&all)
    }

    pub fn holds(&self, condition: TermId, point: &CallArguments) -> bool {
        self.assignment(point).is_some_and(|assignment| {
            Evaluator::new(&assignment).holds(&self.space.pool, condition).unwrap_or(false)
        })
    }
}
