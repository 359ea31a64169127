//! How a question is taken apart.

use super::Refutation;
use super::formula::Formula;
use super::sum::{Range, Sum, Unknown, name, number};
use super::translation::{TooLarge, Translation};
use crate::effort::{self, Effort};
use crate::op::Op;
use crate::solver::{Limits, refutes_text};
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
    let translation = Translation::new(pool, effort::spent() + most);
    let mut search = Search { translation, scripts: vec![], cases: 0 };
    match search.all(assertions) {
        Ok(true) => {
            let mut scripts = search.translation.lemmas;
            scripts.extend(search.scripts);
            Some(Refutation { scripts })
        }
        Ok(false) | Err(TooLarge) => None,
    }
}

impl Search<'_> {
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

    /// A case that is not split any more.
    fn last(&mut self, rest: &[TermId]) -> Refuted {
        for term in rest {
            let formula = self.translation.formula(*term)?;
            if formula == Formula::False {
                return Ok(self.contradiction());
            }
            self.translation.assume(&formula);
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
