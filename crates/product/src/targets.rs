//! Calls with which a callee is known to differ, as targets for counterexamples.
//!
//! C of a callee is confirmed: the compiled programs showed a difference, and every state of C differs. A caller that sees the
//! callee as a function of each version's own gets counterexamples that mostly do not reproduce, since the functions may
//! differ for arguments for which the callees do not. With "some call is made with arguments of C" besides, they do far
//! more often.
//!
//! Nothing rests on it: a target only chooses among the models of D, and whatever is found is run in the interpreter and on
//! the compiled programs like any other counterexample. So parts of C that speak of memory, and calls whose arguments
//! may be uninitialised, are left out without loss.

use crate::Product;
use crate::callees::Treatment;
use crate::common_function::parameter_names;
use crate::judged::function_name;
use verdiff_judge::{Field, Judgement, PairId, Side};
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::record::CallRecord;

impl Product<'_> {
    /// Whether a difference of some callee is confirmed, with a condition for it.
    pub fn has_targets(&self) -> bool {
        self.task.judgements.values().any(differs)
    }

    /// Of each recorded call of a function whose pair is known to differ under a condition on its arguments: that it is made
    /// with such arguments.
    pub fn targets(&mut self, calls: &[CallRecord]) -> Result<Vec<TermId>, LogicError> {
        let judgements = self.task.judgements;
        let mut targets = vec![];
        for (pair, judgement) in judgements.iter().filter(|(_, judgement)| differs(judgement)) {
            let name = function_name(self.task.comparison, *pair);
            let own: Vec<&CallRecord> = calls.iter().filter(|call| call.name == name).collect();
            if own.is_empty() {
                continue;
            }
            let Some((condition, parameters)) = self.differs_under(*pair, &name, judgement)? else {
                continue;
            };
            for call in own {
                let here = parameters.iter().copied().zip(call.args.iter().copied()).collect();
                let mut all = vec![call.when, self.space.pool.substitute(condition, &here)?];
                all.extend(&call.flags);
                let target = self.space.and(&all)?;
                let target = self.space.tidy(target)?;
                if self.space.pool.as_bool(target) != Some(false) {
                    targets.push(target);
                }
            }
        }
        Ok(targets)
    }

    /// C of a pair that is a function here, as far as it speaks of parameters alone, and the symbols for these.
    fn differs_under(
        &mut self,
        pair: PairId,
        name: &str,
        judgement: &Judgement,
    ) -> Result<Option<(TermId, Vec<TermId>)>, LogicError> {
        let comparison = self.task.comparison;
        let old = comparison.pair(pair).old;
        let Treatment::Function(function) = self.policy.of(Side::Old, old) else {
            return Ok(None);
        };
        let parameters = function.abstraction.entry.args.clone();
        let names = parameter_names(comparison.procedure(pair, Side::Old));
        let there = |symbol: &str| names.contains(symbol).then(|| format!("{name}.{symbol}"));
        let mut parts = vec![];
        for part in judgement.condition(Field::DifferUnder).parts() {
            parts.extend(part.build_as(&mut self.space.pool, &there)?);
        }
        let condition = self.space.or(&parts)?;
        Ok((!parts.is_empty()).then_some((condition, parameters)))
    }
}

/// Whether a difference is confirmed under a condition.
fn differs(judgement: &Judgement) -> bool {
    !judgement.condition(Field::DifferUnder).is_false()
}
