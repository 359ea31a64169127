//! How a question is taken apart.

use super::Refutation;
use super::formula::Formula;
use super::split::{Plan, plans};
use super::sum::{Range, Sum, Unknown, name, number};
use super::translation::{TooLarge, Translation};
use crate::effort::{self, Effort};
use crate::op::Op;
use crate::solver::{Limits, refutes_text};
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// Larger questions are not asked.
const MOST_SIZE: usize = 3_000;
const MOST_DEPTH: u64 = 400;
/// How many cases there may be.
const MOST_CASES: usize = 32;
/// Literals with more sub-terms are looked at when bounds are known.
const SMALL: usize = 6;
/// How often bounds are made narrower by literals.
const ROUNDS: usize = 3;

/// The search.
struct Search<'p> {
    translation: Translation<'p>,
    /// What is shown of each case.
    scripts: Vec<String>,
    cases: usize,
}

/// Whether a part of what is asked is refuted.
type Refuted = Result<bool, TooLarge>;

pub(super) fn refute(pool: &TermPool, assertions: &[TermId], most: Effort) -> Option<Refutation> {
    let size = pool.sub_terms(assertions).len();
    if size > MOST_SIZE || assertions.iter().any(|term| pool.depth(*term) > MOST_DEPTH) {
        return None;
    }
    let until = effort::spent() + most;
    let mut first =
        Search { translation: Translation::new(pool, until), scripts: vec![], cases: 0 };
    if let Ok(true) = first.all(assertions) {
        return Some(Refutation { scripts: first.said() });
    }
    let plans = plans(&first.translation);
    let count = plans.len() as u64;
    for (number, plan) in plans.into_iter().enumerate() {
        let left = until.saturating_sub(effort::spent());
        let share = left / (count - number as u64);
        if let Some(scripts) = taken_apart(pool, assertions, &plan, share) {
            return Some(Refutation { scripts });
        }
    }
    None
}

/// The scripts of a refutation in which symbols are taken apart: of all cases.
fn taken_apart(
    pool: &TermPool,
    assertions: &[TermId],
    plan: &Plan,
    most: Effort,
) -> Option<Vec<String>> {
    let until = effort::spent() + most;
    let mut scripts = vec![];
    for case in 0..plan.cases() {
        let left = until.saturating_sub(effort::spent());
        let until = effort::spent() + left / u64::from(plan.cases() - case);
        let translation = Translation::new(pool, until);
        let mut search = Search { translation, scripts: vec![], cases: 0 };
        search.translation.take_apart(plan, case);
        match search.all(assertions) {
            Ok(true) => scripts.extend(search.said()),
            Ok(false) | Err(TooLarge) => return None,
        }
    }
    Some(scripts)
}

impl Search<'_> {
    /// All scripts.
    fn said(self) -> Vec<String> {
        [self.translation.lemmas, self.scripts].concat()
    }

    fn all(&mut self, assertions: &[TermId]) -> Refuted {
        let (mut literals, rest) = self.parts(assertions);
        let pool = self.translation.pool;
        literals.sort_by_key(|literal| pool.dag_size(*literal));
        let (small, large): (Vec<TermId>, Vec<TermId>) =
            literals.into_iter().partition(|literal| pool.dag_size(*literal) <= SMALL);
        let mut known = vec![];
        for literals in [small, large] {
            for literal in literals {
                let formula = self.translation.formula(literal)?;
                if formula == Formula::False {
                    return Ok(self.contradiction());
                }
                self.translation.assume(&formula);
                self.translation.asserted = self.translation.conditions.len();
                known.push(formula);
            }
            self.narrow(&known);
            self.merge(&known);
        }
        self.case(rest)
    }

    /// What is asserted is plainly false here. That has a script like any other case, so that nothing that is refuted
    /// is without evidence.
    fn contradiction(&mut self) -> bool {
        self.translation.assume(&Formula::False);
        let script = self.translation.script(None, false);
        self.scripts.push(script);
        true
    }

    /// Literals, and what is none.
    fn parts(&self, terms: &[TermId]) -> (Vec<TermId>, Vec<TermId>) {
        let pool = self.translation.pool;
        let (mut literals, mut rest) = (vec![], vec![]);
        let mut open = terms.to_vec();
        while let Some(term) = open.pop() {
            match pool.op(term) {
                Op::And => open.extend(pool.operands(term)),
                Op::Or | Op::Ite => rest.push(term),
                Op::Not if pool.op(pool.operands(term)[0]) == Op::And => rest.push(term),
                Op::Not if self.translation.again && self.is_choice(term) => rest.push(term),
                _ => literals.push(term),
            }
        }
        (literals, rest)
    }

    /// One case: a disjunction is split.
    fn case(&mut self, mut rest: Vec<TermId>) -> Refuted {
        let pool = self.translation.pool;
        let width = |term: &TermId| match pool.op(*term) {
            Op::Or => pool.operands(*term).len(),
            _ => 0,
        };
        let at = (0..rest.len()).max_by_key(|n| width(&rest[*n]));
        let splits = at.filter(|n| (2..=MOST_CASES).contains(&width(&rest[*n])));
        let Some(at) = splits.filter(|_| self.cases < MOST_CASES) else { return self.last(&rest) };
        let split = rest.swap_remove(at);
        for disjunct in pool.operands(split).to_vec() {
            self.cases += 1;
            let conditions = self.translation.enter();
            let refuted = self.disjunct(disjunct, &rest);
            self.translation.leave(conditions);
            if !refuted? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn disjunct(&mut self, disjunct: TermId, rest: &[TermId]) -> Refuted {
        let (mut literals, more) = self.parts(&[disjunct]);
        let pool = self.translation.pool;
        literals.sort_by_key(|literal| pool.dag_size(*literal));
        for literal in literals {
            let formula = self.translation.formula(literal)?;
            if formula == Formula::False {
                return Ok(self.contradiction());
            }
            self.translation.assume(&formula);
        }
        self.case([rest, &more].concat())
    }

    /// Whether it says that two truth values differ.
    fn is_choice(&self, not: TermId) -> bool {
        let pool = self.translation.pool;
        let inner = pool.operands(not)[0];
        pool.op(inner) == Op::Eq && pool.sort(pool.operands(inner)[0]) == Sort::Bool
    }

    /// A case of a second look: terms that hold, and terms that do not. What is a choice between truth values is split. The cases of a conjunction that
    /// does not hold: its first part does not, or that holds and the second does not, and so on.
    fn choose(&mut self, given: Vec<(TermId, bool)>) -> Refuted {
        let pool = self.translation.pool;
        let (mut open, mut splits, mut literals) = (given, vec![], vec![]);
        while let Some((term, holds)) = open.pop() {
            let operands = pool.operands(term);
            match pool.op(term) {
                Op::Not => open.push((operands[0], !holds)),
                Op::And if holds => open.extend(operands.iter().map(|part| (*part, true))),
                Op::Or if !holds => open.extend(operands.iter().map(|part| (*part, false))),
                Op::And | Op::Or | Op::Ite => splits.push((term, holds)),
                Op::Eq if pool.sort(operands[0]) == Sort::Bool => splits.push((term, holds)),
                _ => literals.push((term, holds)),
            }
        }
        // That a divisor is not zero comes before what is divided by it.
        literals.sort_by_key(|(term, _)| pool.dag_size(*term));
        for (term, holds) in literals {
            let formula = self.translation.formula(term)?;
            let formula = if holds { formula } else { formula.not() };
            if formula == Formula::False {
                return Ok(self.contradiction());
            }
            self.translation.assume(&formula);
        }
        let Some((split, holds)) = splits.pop() else { return self.settled() };
        let operands = pool.operands(split);
        let cases: Vec<Vec<(TermId, bool)>> = match pool.op(split) {
            Op::And | Op::Or => (0..operands.len())
                .map(|n| {
                    let before = operands[..n].iter().map(|part| (*part, !holds));
                    before.chain([(operands[n], holds)]).collect()
                })
                .collect(),
            Op::Ite => vec![
                vec![(operands[0], true), (operands[1], holds)],
                vec![(operands[0], false), (operands[2], holds)],
            ],
            _ => vec![
                vec![(operands[0], true), (operands[1], holds)],
                vec![(operands[0], false), (operands[1], !holds)],
            ],
        };
        self.cases += cases.len();
        if self.cases > MOST_CASES {
            return Ok(false);
        }
        for case in cases {
            let conditions = self.translation.enter();
            let refuted = self.choose([&splits[..], &case].concat());
            self.translation.leave(conditions);
            if !refuted? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A case that is not split any more.
    fn last(&mut self, rest: &[TermId]) -> Refuted {
        if self.translation.again {
            return self.choose(rest.iter().map(|term| (*term, true)).collect());
        }
        for term in rest {
            let formula = self.translation.formula(*term)?;
            if formula == Formula::False {
                return Ok(self.contradiction());
            }
            self.translation.assume(&formula);
        }
        self.settled()
    }

    /// A case in which all that is given has been said.
    fn settled(&mut self) -> Refuted {
        if self.translation.again {
            let more = self.translation.products_of_facts();
            self.translation.conditions.extend(more);
        }
        let left = self.translation.until.saturating_sub(effort::spent());
        let script = self.translation.script(None, false);
        let refuted = refutes_text(&script, &Limits::effort(left / 2));
        self.scripts.push(script);
        Ok(refuted)
    }

    /// Takes symbols that are equal to sums of others to be these.
    fn merge(&mut self, known: &[Formula]) {
        let minus = BigInt::from(-1);
        let mut zero = vec![];
        for formula in known {
            match formula {
                Formula::Zero(sum) => zero.push(sum),
                // At least zero, and at most.
                Formula::AtLeastZero(sum)
                    if known.contains(&Formula::AtLeastZero(sum.scaled(&minus))) =>
                {
                    zero.push(sum);
                }
                _ => {}
            }
        }
        for sum in zero {
            let all = &mut self.translation;
            let mut sum = sum.clone();
            for (unknown, by) in &all.merged {
                sum = sum.put(*unknown, by);
            }
            if sum.degree() != 1 {
                continue;
            }
            let symbol = |unknown: Unknown| all.symbols.values().any(|known| *known == unknown);
            let one = |(monomial, coefficient): (&Vec<Unknown>, &BigInt)| match monomial[..] {
                [unknown] if coefficient.magnitude().is_one() && symbol(unknown) => {
                    Some((unknown, coefficient.clone()))
                }
                _ => None,
            };
            let Some((unknown, coefficient)) = sum.monomials().filter_map(one).next_back() else {
                continue;
            };
            let rest = sum.minus(&Sum::unknown(unknown).scaled(&coefficient));
            let by = rest.scaled(&-coefficient);
            if all.is_shown(&format!("(= {} {})", name(unknown), by.text()), true) {
                all.merge(unknown, by);
            }
        }
    }

    /// Makes the ranges of unknowns narrower by what is asserted.
    fn narrow(&mut self, known: &[Formula]) {
        let mut ranges = self.translation.ranges.clone();
        for _ in 0..ROUNDS {
            for formula in known {
                match formula {
                    Formula::AtLeastZero(sum) => narrow_by(sum, &mut ranges),
                    Formula::Zero(sum) => {
                        narrow_by(sum, &mut ranges);
                        narrow_by(&sum.scaled(&BigInt::from(-1)), &mut ranges);
                    }
                    _ => {}
                }
            }
        }
        let narrower = |n: &usize| ranges[*n] != self.translation.ranges[*n];
        let found: Vec<usize> = (0..ranges.len()).filter(narrower).collect();
        let claim = |n: &usize| {
            let Range { low, high } = &ranges[*n];
            format!("(<= {} {} {})", number(low), name(*n as Unknown), number(high))
        };
        let claims: Vec<String> = found.iter().map(claim).collect();
        let text = super::sum::joined("and", &claims);
        if !found.is_empty() && self.translation.is_shown(&text, true) {
            self.translation.ranges = ranges;
        }
    }
}

/// The bounds that `sum >= 0` gives each unknown that is a monomial of it.
fn narrow_by(sum: &Sum, ranges: &mut [Range]) {
    for (monomial, coefficient) in sum.monomials() {
        let [unknown] = monomial[..] else { continue };
        let own = Sum::unknown(unknown).scaled(coefficient);
        // coefficient * unknown >= -most
        let most = sum.minus(&own).range(&|u| ranges[u as usize].clone()).high;
        let range = &mut ranges[unknown as usize];
        let (low, high) = match coefficient.is_positive() {
            true => ((-most).div_ceil(coefficient), range.high.clone()),
            false => (range.low.clone(), most.div_floor(&-coefficient)),
        };
        let narrower = range.and(&Range { low, high });
        if (&narrower.high - &narrower.low) >= BigInt::zero() {
            *range = narrower;
        }
    }
}
