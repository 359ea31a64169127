//! Contradictions between orders of sums, found over the integers.
//!
//! `i + 4 <= n` follows from `i <= n` and `n - i >= 4`. A solver that works bit by bit has to find out how the carries of
//! two adders hang together, which costs it a hundred times as much as a sum of two inequalities.
//!
//! # Why that is sound
//!
//! Each term of w bits stands for one integer, its unsigned value, from 0 to 2^w - 1. A sum of w bits is the integer sum
//! minus 2^w times a whole number, of which the least and the greatest value are known; so the translation is exact, and
//! it says that what it gives is from 0 to 2^w - 1. What a term is divided by 2^k or by another number has less than that number
//! left, which is exact, too. A conditional is one of two integers; which one depends on its condition alone, whatever that says,
//! so those of one condition go together. A term that is no sum is any integer in its range, and a literal that
//! is no comparison is left out: both allow more than there is. If no integers satisfy what is left, no bits satisfy the
//! literals. Rows of inequalities are combined until no variable is left (Fourier and Motzkin); a row is divided by the
//! greatest common divisor of its coefficients, and its constant rounded, as no integer lies between. Whatever gets too
//! large is given up.

use std::collections::{BTreeMap, HashMap};
use verdiff_logic::{Op, Sort, TermId, TermPool, effort};

/// How often rows are combined, how many rows there may be, and how many variables.
const MOST_CASES: usize = 40;
const MOST_ROWS: usize = 100;
const MOST_VARIABLES: usize = 14;
/// Rows with larger numbers are left out.
const LARGEST: u128 = 1 << 120;
/// A whole number of which more values are possible is not looked for.
const MOST_VALUES: i128 = 6;

/// A sum of variables and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    parts: BTreeMap<usize, i128>,
    constant: i128,
}

impl Sum {
    fn constant(constant: i128) -> Sum {
        Sum { parts: BTreeMap::new(), constant }
    }

    /// This plus another one so many times; nothing if numbers get too large.
    fn plus(&self, factor: i128, other: &Sum) -> Option<Sum> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(factor.checked_mul(other.constant)?)?;
        for (variable, coefficient) in &other.parts {
            let part = sum.parts.entry(*variable).or_insert(0);
            *part = part.checked_add(factor.checked_mul(*coefficient)?)?;
        }
        sum.parts.retain(|_, coefficient| *coefficient != 0);
        Some(sum)
    }
}

/// The rows: each sum is at least zero.
type Rows = BTreeMap<Vec<(usize, i128)>, i128>;

/// A literal and whether it holds.
type Literal = (TermId, bool);

/// Literals as inequalities between integers.
struct Problem<'p> {
    pool: &'p TermPool,
    /// The least and the greatest value of each variable.
    ranges: Vec<(i128, i128)>,
    /// The variables that have few values: what a sum goes round, and signs.
    few: Vec<usize>,
    known: HashMap<TermId, Sum>,
    signs: HashMap<TermId, Sum>,
    rows: Rows,
    /// Of each of these one holds.
    choices: Vec<Vec<Literal>>,
    /// And of each of these.
    either: Vec<Vec<Rows>>,
    /// Where the two ways of a condition are in it.
    conditions: HashMap<TermId, usize>,
    cases: usize,
}

/// The questions of one proof: most are asked again and again.
#[derive(Default)]
pub struct Orders {
    known: HashMap<Vec<TermId>, bool>,
}

impl Orders {
    /// Whether no bits satisfy all of these literals, as far as orders of sums say so.
    pub fn is_contradiction(&mut self, pool: &TermPool, literals: &[TermId]) -> bool {
        let mut key = literals.to_vec();
        key.sort();
        key.dedup();
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = is_contradiction(pool, &key);
        self.known.insert(key, found);
        found
    }
}

fn is_contradiction(pool: &TermPool, literals: &[TermId]) -> bool {
    let mut problem = Problem {
        pool,
        ranges: vec![],
        few: vec![],
        known: HashMap::new(),
        signs: HashMap::new(),
        rows: Rows::new(),
        choices: vec![],
        either: vec![],
        conditions: HashMap::new(),
        cases: 0,
    };
    for literal in literals {
        problem.add((*literal, true));
    }
    // All sums are made before any case is looked at, so that the rows of all variables are there.
    let choices = std::mem::take(&mut problem.choices);
    let mut choices: Vec<Vec<Rows>> = choices
        .into_iter()
        .map(|choice| choice.into_iter().flat_map(|l| problem.alternatives(l)).collect())
        .collect();
    choices.append(&mut problem.either);
    if problem.ranges.len() > MOST_VARIABLES {
        return false;
    }
    let mut rows = problem.rows.clone();
    let mut open = vec![];
    for choice in choices {
        let possible: Vec<&Rows> =
            choice.iter().filter(|part| !problem.is_refuted(joined(&rows, part))).collect();
        match possible[..] {
            [] => return true,
            [part] => rows = joined(&rows, part),
            _ => open.push(choice),
        }
    }
    let few = problem.few.clone();
    problem.is_infeasible(rows, &few, &open)
}

impl Problem<'_> {
    fn variable(&mut self, low: i128, high: i128) -> Sum {
        self.ranges.push((low, high));
        let variable = self.ranges.len() - 1;
        let sum = Sum { parts: BTreeMap::from([(variable, 1)]), constant: 0 };
        self.at_least_zero(sum.plus(1, &Sum::constant(-low)));
        self.at_least_zero(Sum::constant(high).plus(-1, &sum));
        sum
    }

    fn at_least_zero(&mut self, sum: Option<Sum>) {
        if let Some(sum) = sum {
            insert(&mut self.rows, sum);
        }
    }

    /// The least and the greatest value of a sum.
    fn range(&self, sum: &Sum) -> Option<(i128, i128)> {
        let (mut low, mut high) = (sum.constant, sum.constant);
        for (variable, coefficient) in &sum.parts {
            let (least, most) = self.ranges[*variable];
            let (a, b) = (least.checked_mul(*coefficient)?, most.checked_mul(*coefficient)?);
            (low, high) = (low.checked_add(a.min(b))?, high.checked_add(a.max(b))?);
        }
        Some((low, high))
    }

    fn width(&self, term: TermId) -> Option<u32> {
        match self.pool.sort(term) {
            Sort::BitVec(width) if width <= 64 => Some(width),
            _ => None,
        }
    }

    /// The unsigned value of a term.
    fn value(&mut self, term: TermId) -> Option<Sum> {
        if let Some(known) = self.known.get(&term) {
            return Some(known.clone());
        }
        let size = 1i128 << self.width(term)?;
        let found = match self.pool.op(term) {
            Op::ZeroExtend(_) => self.value(self.pool.operands(term)[0])?,
            Op::SignExtend(_) => {
                let inner = self.pool.operands(term)[0];
                let (value, negative) = (self.value(inner)?, self.negative(inner)?);
                value.plus(size - (1i128 << self.width(inner)?), &negative)?
            }
            Op::Ite => self.either(term)?,
            Op::Extract { high, low } => {
                let inner = self.pool.operands(term)[0];
                match Some(high + 1) == self.width(inner) && low > 0 {
                    true => self.quotient(inner, 1i128 << low)?.0,
                    false => self.variable(0, size - 1),
                }
            }
            Op::BvUdiv | Op::BvUrem => {
                let [inner, by] = *self.pool.operands(term) else { return None };
                match (self.pool.op(by), self.pool.op(term)) {
                    (Op::Small(by), Op::BvUdiv) if by > 0 => self.quotient(inner, by.into())?.0,
                    (Op::Small(by), _) if by > 0 => self.quotient(inner, by.into())?.1,
                    _ => self.variable(0, size - 1),
                }
            }
            _ => match self.sum(term, size) {
                Some(sum) => match self.wrapped(&sum, size) {
                    Some(value) => value,
                    None => self.variable(0, size - 1),
                },
                None => self.variable(0, size - 1),
            },
        };
        self.known.insert(term, found.clone());
        Some(found)
    }

    /// The value of a conditional: one of two, whatever the condition.
    fn either(&mut self, term: TermId) -> Option<Sum> {
        let branches = [1, 2].map(|n| self.pool.operands(term)[n]);
        let [a, b] = [self.value(branches[0])?, self.value(branches[1])?];
        let ([low, high], [least, most]) = (self.range(&a)?.into(), self.range(&b)?.into());
        let value = self.variable(low.min(least), high.max(most));
        // Conditionals of one condition are all the first of two, or all the second.
        let mut when = self.pool.operands(term)[0];
        let mut branches = [a, b];
        while self.pool.op(when) == Op::Not {
            when = self.pool.operands(when)[0];
            branches.reverse();
        }
        let number = *self.conditions.entry(when).or_insert_with(|| {
            self.either.push(vec![Rows::new(), Rows::new()]);
            self.either.len() - 1
        });
        for (rows, branch) in self.either[number].iter_mut().zip(branches) {
            insert(rows, value.plus(-1, &branch)?);
            insert(rows, branch.plus(-1, &value)?);
        }
        Some(value)
    }

    /// The value of a term divided by a positive number, rounded down, and what is left.
    fn quotient(&mut self, term: TermId, by: i128) -> Option<(Sum, Sum)> {
        let value = self.value(term)?;
        let (low, high) = self.range(&value)?;
        let quotient = self.variable(low.div_euclid(by), high.div_euclid(by));
        let rest = value.plus(-by, &quotient)?;
        self.at_least_zero(Some(rest.clone()));
        self.at_least_zero(Sum::constant(by - 1).plus(-1, &rest));
        Some((quotient, rest))
    }

    /// A sum that is the value of a term modulo this number; nothing if the term is no sum.
    fn sum(&mut self, term: TermId, size: i128) -> Option<Sum> {
        let operands = self.pool.operands(term).to_vec();
        match self.pool.op(term) {
            Op::Small(number) => Some(Sum::constant(number.into())),
            Op::BvAdd => {
                let mut sum = Sum::default();
                for operand in operands {
                    sum = sum.plus(1, &self.summand(operand, size)?)?;
                }
                Some(sum)
            }
            Op::BvMul => {
                let constant = |t: &TermId| match self.pool.op(*t) {
                    Op::Small(number) => Some(i128::from(number)),
                    _ => None,
                };
                let mut factor = 1i128;
                let mut others = vec![];
                for operand in &operands {
                    match constant(operand) {
                        Some(number) => factor = factor.checked_mul(number)?.rem_euclid(size),
                        None => others.push(*operand),
                    }
                }
                let [other] = others[..] else { return None };
                let factor = if factor >= size / 2 { factor - size } else { factor };
                Sum::default().plus(factor, &self.summand(other, size)?)
            }
            Op::BvNot => Sum::constant(-1).plus(-1, &self.summand(operands[0], size)?),
            _ => None,
        }
    }

    /// A part of a sum: a sum itself, or a value.
    fn summand(&mut self, term: TermId, size: i128) -> Option<Sum> {
        match self.pool.op(term) {
            Op::Small(number) => {
                let number = i128::from(number);
                Some(Sum::constant(if number >= size / 2 { number - size } else { number }))
            }
            _ => match self.sum(term, size) {
                Some(sum) => Some(sum),
                None => self.value(term),
            },
        }
    }

    /// The value from 0 on that a sum is modulo this number.
    fn wrapped(&mut self, sum: &Sum, size: i128) -> Option<Sum> {
        let (low, high) = self.range(sum)?;
        let (low, high) = (low.div_euclid(size), high.div_euclid(size));
        if low == high {
            return sum.plus(-low, &Sum::constant(size));
        }
        if high - low >= MOST_VALUES {
            return None;
        }
        let around = self.variable(low, high);
        self.few.extend(around.parts.keys());
        let value = sum.plus(-size, &around)?;
        self.at_least_zero(Some(value.clone()));
        self.at_least_zero(Sum::constant(size - 1).plus(-1, &value));
        Some(value)
    }

    /// One if the highest bit of a term is set, else zero.
    fn negative(&mut self, term: TermId) -> Option<Sum> {
        if let Some(known) = self.signs.get(&term) {
            return Some(known.clone());
        }
        let value = self.value(term)?;
        let half = 1i128 << (self.width(term)? - 1);
        let (low, high) = self.range(&value)?;
        let sign = match (low >= half, high >= half) {
            (true, _) => Sum::constant(1),
            (_, false) => Sum::constant(0),
            _ => {
                let sign = self.variable(0, 1);
                self.few.extend(sign.parts.keys());
                self.at_least_zero(value.plus(-half, &sign));
                let most = Sum::constant(half - 1).plus(half, &sign)?;
                self.at_least_zero(most.plus(-1, &value));
                sign
            }
        };
        self.signs.insert(term, sign.clone());
        Some(sign)
    }

    /// The value of a term as a number with a sign.
    fn signed(&mut self, term: TermId) -> Option<Sum> {
        let size = 1i128 << self.width(term)?;
        let (value, negative) = (self.value(term)?, self.negative(term)?);
        value.plus(-size, &negative)
    }

    /// Adds a literal that holds.
    fn add(&mut self, (term, holds): Literal) {
        let operands = self.pool.operands(term).to_vec();
        match (self.pool.op(term), holds) {
            (Op::Not, _) => self.add((operands[0], !holds)),
            (Op::And, true) | (Op::Or, false) => {
                operands.into_iter().for_each(|operand| self.add((operand, holds)));
            }
            (Op::And, false) | (Op::Or, true) => {
                self.choices.push(operands.into_iter().map(|operand| (operand, holds)).collect());
            }
            (Op::Eq, false) => self.choices.push(vec![(term, false)]),
            _ => {
                let sums = self.compared((term, holds)).unwrap_or_default();
                sums.into_iter().for_each(|sum| insert(&mut self.rows, sum));
            }
        }
    }

    /// The sums that are at least zero if a comparison holds; nothing if it is none.
    fn compared(&mut self, (term, holds): Literal) -> Option<Vec<Sum>> {
        let operands = self.pool.operands(term).to_vec();
        let signed = self.pool.op(term) == Op::BvSlt;
        match (self.pool.op(term), holds) {
            (Op::Not, _) => self.compared((operands[0], !holds)),
            (Op::True, false) | (Op::False, true) => Some(vec![Sum::constant(-1)]),
            (Op::True, true) | (Op::False, false) => Some(vec![]),
            (Op::BvUlt | Op::BvSlt, _) => {
                let of = |problem: &mut Self, term| {
                    if signed { problem.signed(term) } else { problem.value(term) }
                };
                let (a, b) = (of(self, operands[0])?, of(self, operands[1])?);
                match holds {
                    true => Some(vec![b.plus(-1, &a)?.plus(1, &Sum::constant(-1))?]),
                    false => Some(vec![a.plus(-1, &b)?]),
                }
            }
            (Op::Eq, true) => {
                let (a, b) = (self.value(operands[0])?, self.value(operands[1])?);
                Some(vec![a.plus(-1, &b)?, b.plus(-1, &a)?])
            }
            _ => None,
        }
    }

    /// The ways in which a literal of a choice can hold. What is no comparison says nothing: no rows.
    fn alternatives(&mut self, (term, holds): Literal) -> Vec<Rows> {
        let operands = self.pool.operands(term).to_vec();
        let mut rows = Rows::new();
        match (self.pool.op(term), holds) {
            (Op::Not, _) => return self.alternatives((operands[0], !holds)),
            (Op::Eq, false) => {
                let (a, b) = (self.value(operands[0]), self.value(operands[1]));
                let (Some(a), Some(b)) = (a, b) else { return vec![rows] };
                let less = |a: &Sum, b: &Sum| b.plus(-1, a)?.plus(1, &Sum::constant(-1));
                let (Some(below), Some(above)) = (less(&a, &b), less(&b, &a)) else {
                    return vec![rows];
                };
                let mut other = Rows::new();
                insert(&mut rows, below);
                insert(&mut other, above);
                return vec![rows, other];
            }
            (Op::And, true) | (Op::Or, false) => {
                for operand in operands {
                    for sum in self.compared((operand, holds)).unwrap_or_default() {
                        insert(&mut rows, sum);
                    }
                }
            }
            _ => {
                for sum in self.compared((term, holds)).unwrap_or_default() {
                    insert(&mut rows, sum);
                }
            }
        }
        vec![rows]
    }

    /// Whether rows contradict each other, if cases are left.
    fn is_refuted(&mut self, rows: Rows) -> bool {
        self.cases += 1;
        self.cases <= MOST_CASES && is_empty(rows)
    }

    /// Whether no integers satisfy these rows, the values of these variables, and one part of each choice.
    fn is_infeasible(&mut self, rows: Rows, few: &[usize], choices: &[Vec<Rows>]) -> bool {
        if self.is_refuted(rows.clone()) {
            return true;
        }
        if self.cases > MOST_CASES {
            return false;
        }
        if let Some((variable, others)) = few.split_first() {
            let (low, high) = self.ranges[*variable];
            return (low..=high).all(|value| {
                let mut more = rows.clone();
                insert_row(&mut more, vec![(*variable, 1)], -value);
                insert_row(&mut more, vec![(*variable, -1)], value);
                self.is_infeasible(more, others, choices)
            });
        }
        let Some((choice, others)) = choices.split_first() else { return false };
        choice.iter().all(|part| self.is_infeasible(joined(&rows, part), few, others))
    }
}

fn joined(rows: &Rows, more: &Rows) -> Rows {
    let mut all = rows.clone();
    for (parts, constant) in more {
        insert_row(&mut all, parts.clone(), *constant);
    }
    all
}

fn insert(rows: &mut Rows, sum: Sum) {
    insert_row(rows, sum.parts.into_iter().collect(), sum.constant);
}

/// Adds a row, divided by what divides its coefficients. Of rows with the same coefficients the strictest is kept. One with
/// numbers that are too large is left out: less is said then.
fn insert_row(rows: &mut Rows, mut parts: Vec<(usize, i128)>, mut constant: i128) {
    if parts.iter().any(|(_, c)| c.unsigned_abs() > LARGEST) || constant.unsigned_abs() > LARGEST {
        return;
    }
    let divisor = parts.iter().fold(0i128, |divisor, (_, c)| greatest_divisor(divisor, c.abs()));
    if divisor > 1 {
        parts.iter_mut().for_each(|(_, c)| *c /= divisor);
        constant = constant.div_euclid(divisor);
    }
    let known = rows.entry(parts).or_insert(constant);
    *known = (*known).min(constant);
}

fn greatest_divisor(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The sum of two rows, each so many times; nothing if numbers get too large.
fn combined(
    (a, first): (i128, &[(usize, i128)]),
    (b, second): (i128, &[(usize, i128)]),
) -> Option<Vec<(usize, i128)>> {
    let mut sum = Vec::with_capacity(first.len() + second.len());
    let (mut left, mut right) = (first.iter().peekable(), second.iter().peekable());
    loop {
        let next = match (left.peek(), right.peek()) {
            (None, None) => return Some(sum),
            (Some((v, _)), Some((w, _))) if v == w => {
                let (c, d) = (left.next()?.1, right.next()?.1);
                (*v, a.checked_mul(c)?.checked_add(b.checked_mul(d)?)?)
            }
            (Some((v, _)), other) if other.is_none_or(|(w, _)| v < w) => {
                (*v, a.checked_mul(left.next()?.1)?)
            }
            (_, Some((w, _))) => (*w, b.checked_mul(right.next()?.1)?),
            (Some(_), None) => return None,
        };
        if next.1 != 0 {
            sum.push(next);
        }
    }
}

/// Whether no integers satisfy these rows, as far as their combinations say so.
fn is_empty(mut rows: Rows) -> bool {
    loop {
        if rows.get(&vec![]).is_some_and(|constant| *constant < 0) {
            return true;
        }
        rows.remove(&vec![]);
        let mut counts: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for (variable, coefficient) in rows.keys().flatten() {
            let count = counts.entry(*variable).or_default();
            if *coefficient > 0 { count.0 += 1 } else { count.1 += 1 }
        }
        let cost = |(_, (up, down)): &(&usize, &(usize, usize))| up * down;
        let Some((variable, (up, down))) = counts.iter().min_by_key(cost) else { return false };
        if rows.len() + up * down > 2 * MOST_ROWS {
            return false;
        }
        // Each takes about as long as a term.
        effort::count(effort::Step::Term, (rows.len() + up * down) as u64);
        let of = |parts: &[(usize, i128)]| {
            parts.iter().find(|(v, _)| v == variable).map_or(0, |(_, coefficient)| *coefficient)
        };
        let (mut rest, mut above, mut below) = (Rows::new(), vec![], vec![]);
        for (parts, constant) in &rows {
            match of(parts) {
                0 => insert_row(&mut rest, parts.clone(), *constant),
                c if c > 0 => above.push((c, parts, *constant)),
                c => below.push((-c, parts, *constant)),
            }
        }
        for (a, first, first_constant) in &above {
            for (b, second, second_constant) in &below {
                // A row that gets too large is left out.
                let parts = combined((*b, first), (*a, second));
                let constant = b
                    .checked_mul(*first_constant)
                    .zip(a.checked_mul(*second_constant))
                    .and_then(|(one, two)| one.checked_add(two));
                if let (Some(parts), Some(constant)) = (parts, constant) {
                    insert_row(&mut rest, parts, constant);
                }
            }
        }
        if rest.len() > MOST_ROWS {
            return false;
        }
        rows = rest;
    }
}

#[cfg(test)]
mod tests;
