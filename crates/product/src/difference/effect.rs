//! In what the outcomes differ, and by how much, where one sentence says it of all inputs that differ.

use super::Formed;
use crate::Product;
use verdiff_judge::{Effect, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Bits, LogicError, Sort, TermId};
use verdiff_model::{CType, Trap};
use verdiff_symex::outcome::{Outcome, how};

/// For one question.
const TIME: Effort = Effort::millis(100);

/// How a version ends wherever the condition holds.
#[derive(PartialEq)]
enum VersionEnd {
    Returns,
    Traps(Trap),
    Other,
}

impl Product<'_> {
    /// The effect, if there is one for all states. Each part of it was proved of all states of the condition.
    pub fn effect(
        &mut self,
        formed: &Formed,
        condition: TermId,
    ) -> Result<Option<Effect>, LogicError> {
        if self.budget().is_over() {
            return Ok(None);
        }
        let mut spoken_of = vec![condition];
        for outcome in &formed.outcomes {
            spoken_of.extend([outcome.how, outcome.returned]);
            spoken_of.extend_from_slice(&outcome.results);
        }
        let mut given = self.space.axioms_about(&spoken_of)?;
        given.extend(self.valid_entry(&formed.entry).unwrap_or_default());
        given.push(condition);
        let solver = Box::new(solver::standard());
        let mut proof = Proof { product: self, given, solver };
        let ends = [proof.end(&formed.outcomes[0])?, proof.end(&formed.outcomes[1])?];
        match &ends {
            [VersionEnd::Returns, VersionEnd::Returns] => proof.results(formed),
            // The same trap on both sides is not what differs.
            [VersionEnd::Traps(old), VersionEnd::Traps(new)] if old == new => Ok(None),
            [VersionEnd::Traps(old), VersionEnd::Traps(new)] => {
                Ok(Some(Effect::OtherTrap { old: *old, new: *new }))
            }
            [VersionEnd::Returns, VersionEnd::Traps(trap)] => Ok(Some(Effect::Traps(*trap))),
            [VersionEnd::Traps(trap), VersionEnd::Returns] => {
                let returns = proof.constant(&formed.outcomes[1])?;
                Ok(Some(Effect::NoTrap { old: *trap, returns }))
            }
            _ => Ok(None),
        }
    }
}

struct Proof<'p, 'a> {
    product: &'p mut Product<'a>,
    /// The condition, and what is taken for granted.
    given: Vec<TermId>,
    /// One for all questions: most of them are answered by a model of an earlier one.
    solver: Box<dyn Decide>,
}

impl Proof<'_, '_> {
    fn ask(&mut self, more: &[TermId]) -> Answer {
        let mut assertions = self.given.clone();
        assertions.extend_from_slice(more);
        let query = Query { assertions: &assertions, assumptions: &[] };
        let limits = Limits::effort(TIME);
        self.solver.decide(&mut self.product.space.pool, &query, &limits)
    }

    fn always(&mut self, term: TermId) -> Result<bool, LogicError> {
        let opposite = self.product.space.not(term)?;
        Ok(self.ask(&[opposite]).is_unsat())
    }

    /// The one value of a term, if it has only one.
    fn only(&mut self, term: TermId) -> Result<Option<Bits>, LogicError> {
        let Answer::Sat(model) = self.ask(&[]) else { return Ok(None) };
        let pool = &mut self.product.space.pool;
        let value = pool.eval(term, &model)?;
        let Some(bits) = value.as_bits().cloned() else { return Ok(None) };
        let constant = pool.constant_bits(&bits);
        let same = pool.eq(term, constant)?;
        Ok(self.always(same)?.then_some(bits))
    }

    fn end(&mut self, outcome: &Outcome) -> Result<VersionEnd, LogicError> {
        let Some(number) = self.only(outcome.how)?.and_then(|bits| bits.to_u64()) else {
            return Ok(VersionEnd::Other);
        };
        let is = |trap: &&Trap| u64::from(how::trapped(**trap)) == number;
        Ok(match Trap::ALL.iter().find(is) {
            Some(trap) => VersionEnd::Traps(*trap),
            None if number == u64::from(how::RETURNED) => VersionEnd::Returns,
            None => VersionEnd::Other,
        })
    }

    /// Both return: what, and how far apart.
    fn results(&mut self, formed: &Formed) -> Result<Option<Effect>, LogicError> {
        let [old, new] = &formed.outcomes;
        let ([old_value], [new_value]) = (&old.results[..], &new.results[..]) else {
            return Ok(None);
        };
        let (a, b) = (*old_value, *new_value);
        let same = self.product.space.pool.eq(a, b)?;
        if self.always(same)? {
            return Ok(Some(Effect::SameResult));
        }
        let constants = (self.constant(old)?, self.constant(new)?);
        if let (Some(old), Some(new)) = &constants {
            return Ok(Some(Effect::Constant { old: Some(old.clone()), new: new.clone() }));
        }
        if let (Sort::BitVec(width), Some(signed)) =
            (self.product.space.pool.sort(a), self.signed())
            && let Some(apart) = self.apart(a, b, width, signed)?
        {
            return Ok(Some(apart));
        }
        Ok(constants.1.map(|new| Effect::Constant { old: None, new }))
    }

    /// How much more or less the new version's number is, if that is the same everywhere. One bit more holds the difference of any two
    /// numbers; where it is the same only at the result's own width, some of the numbers have wrapped.
    fn apart(
        &mut self,
        old: TermId,
        new: TermId,
        width: u32,
        signed: bool,
    ) -> Result<Option<Effect>, LogicError> {
        let pool = &mut self.product.space.pool;
        let mut wide = |term| match signed {
            true => pool.sign_extend(1, term),
            false => pool.zero_extend(1, term),
        };
        let (wide_old, wide_new) = (wide(old)?, wide(new)?);
        let exact = pool.bv_sub(wide_new, wide_old)?;
        let wrapped = pool.bv_sub(new, old)?;
        for (difference, modulo_bits) in [(exact, None), (wrapped, Some(width))] {
            let difference = self.product.space.pool.simplify(difference);
            if let Some(number) = self.only(difference)?.and_then(|bits| bits.to_i128()) {
                if number == 0 {
                    // That they are the same was asked before, and took too long then.
                    return Ok(None);
                }
                return Ok(Some(Effect::Offset { by: number, modulo_bits }));
            }
        }
        Ok(None)
    }

    /// The one number that is returned.
    fn constant(&mut self, outcome: &Outcome) -> Result<Option<String>, LogicError> {
        let [value] = outcome.results[..] else { return Ok(None) };
        let Some(signed) = self.signed() else { return Ok(None) };
        let Sort::BitVec(_) = self.product.space.pool.sort(value) else { return Ok(None) };
        let number = self.only(value)?;
        Ok(number.map(|bits| match signed {
            true => bits.to_signed().to_string(),
            false => bits.to_biguint().to_string(),
        }))
    }

    /// Whether the result is a signed number; `None` if it is no number.
    fn signed(&self) -> Option<bool> {
        let comparison = self.product.task.comparison;
        let procedure = comparison.procedure(self.product.task.pair, Side::Old);
        let types = &comparison.old.program.ctypes;
        match types.get(types.resolve(procedure.ctype?)) {
            CType::Function { result, .. } => types.signed(*result),
            _ => None,
        }
    }
}
