//! Terms as sums of unknown integers.

use super::formula::Formula;
use super::layers::Layers;
use super::sum::{Range, Sum, Unknown, name, number, power};
use crate::effort::{self, Effort};
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, Zero};
use std::collections::{BTreeMap, BTreeSet};

/// More monomials, or more factors in one, are not multiplied out.
const MOST_MONOMIALS: usize = 80;
const MOST_FACTORS: usize = 6;
/// More terms are not translated.
const MOST_TERMS: usize = 6_000;
/// Longer formulas get names.
const LONG: usize = 160;

/// Why there is no translation.
pub(super) struct TooLarge;

/// Something that is said of unknowns.
pub(super) struct Said {
    pub text: String,
    /// Whether there are no products in it.
    pub linear: bool,
    /// If it says that a sum is at least zero, or that it is zero: which sum, and whether it is zero.
    pub about: Option<(Sum, bool)>,
}

/// The divisor of a rounded quotient.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Divisor {
    Number(BigInt),
    Unknown(Unknown),
    /// One that may be zero, with the width of the division.
    Any(Sum, u32),
    /// A number, rounded towards zero.
    Truncated(BigInt),
}

/// The exact value of a sum modulo a power of two: which bits, and whether they have a sign.
pub(super) type Exact = (Sum, u32, bool);

/// The translation in the making.
pub(super) struct Translation<'p> {
    pub pool: &'p TermPool,
    /// The range of each unknown.
    pub ranges: Vec<Range>,
    pub declarations: Vec<String>,
    /// What holds in any case.
    pub said: Vec<Said>,
    /// What is asserted or assumed here: first of all, then in the case and the branch that is translated.
    pub conditions: Vec<Said>,
    /// How many of the conditions hold of all.
    pub asserted: usize,
    sums: Layers<TermId, Sum>,
    formulas: Layers<TermId, Formula>,
    pub exact: Layers<Exact, Sum>,
    pub known: Layers<Sum, Range>,
    pub quotients: Layers<(Sum, Divisor), Unknown>,
    values: Layers<String, Unknown>,
    /// Symbols, and what is known to be the same.
    pub symbols: BTreeMap<TermId, Unknown>,
    pub merged: BTreeMap<Unknown, Sum>,
    functions: BTreeMap<String, String>,
    pub(super) wraps: BTreeMap<(Sum, u32, bool), Unknown>,
    /// The scripts of lemmas.
    pub lemmas: Vec<String>,
    pub asked: usize,
    pub until: Effort,
    /// What is divided by which numbers.
    pub divided: BTreeSet<(Unknown, BigInt)>,
    /// Whether this is a second look ([`split`](super::split)).
    pub again: bool,
    terms: usize,
    names: usize,
}

impl<'p> Translation<'p> {
    pub(super) fn new(pool: &'p TermPool, until: Effort) -> Translation<'p> {
        Translation {
            pool,
            ranges: vec![],
            declarations: vec![],
            said: vec![],
            conditions: vec![],
            asserted: 0,
            sums: Layers::new(),
            formulas: Layers::new(),
            exact: Layers::new(),
            known: Layers::new(),
            quotients: Layers::new(),
            values: Layers::new(),
            symbols: BTreeMap::new(),
            merged: BTreeMap::new(),
            functions: BTreeMap::new(),
            wraps: BTreeMap::new(),
            lemmas: vec![],
            asked: 0,
            until,
            divided: BTreeSet::new(),
            again: false,
            terms: 0,
            names: 0,
        }
    }

    /// Takes a symbol to be a sum from now on.
    pub(super) fn merge(&mut self, unknown: Unknown, sum: Sum) {
        let range = self.ranges[unknown as usize].clone();
        self.note(&sum, range);
        for known in self.merged.values_mut() {
            *known = known.put(unknown, &sum);
        }
        self.merged.insert(unknown, sum);
        self.sums = Layers::new();
        self.formulas = Layers::new();
    }

    /// Begins a part in which more is given.
    pub(super) fn enter(&mut self) -> usize {
        self.sums.push();
        self.formulas.push();
        self.exact.push();
        self.known.push();
        self.quotients.push();
        self.values.push();
        self.conditions.len()
    }

    /// Ends it: what was concluded there is forgotten.
    pub(super) fn leave(&mut self, conditions: usize) {
        self.sums.pop();
        self.formulas.pop();
        self.exact.pop();
        self.known.pop();
        self.quotients.pop();
        self.values.pop();
        self.conditions.truncate(conditions);
    }

    /// Assumes something in this part.
    pub(super) fn assume(&mut self, formula: &Formula) {
        let linear = match formula {
            Formula::True => return,
            Formula::AtLeastZero(sum) | Formula::Zero(sum) => sum.degree() <= 1,
            Formula::False => true,
            Formula::Text(text) => !text.contains("(* v"),
        };
        let about = match formula {
            Formula::AtLeastZero(sum) => Some((sum.clone(), false)),
            Formula::Zero(sum) => Some((sum.clone(), true)),
            _ => None,
        };
        self.conditions.push(Said { text: formula.text(), linear, about });
    }

    /// Says something of unknowns. Only where the conditions of this part hold if it rests on them (`guarded`).
    pub(super) fn say(&mut self, text: String, linear: bool, guarded: bool) {
        let conditions = &self.conditions[self.asserted..];
        if !guarded || conditions.is_empty() {
            self.said.push(Said { text, linear, about: None });
            return;
        }
        let mut guard = String::from("(or");
        for condition in conditions {
            guard.push_str(&format!(" (not {})", condition.text));
        }
        let linear = linear && conditions.iter().all(|condition| condition.linear);
        self.said.push(Said { text: format!("{guard} {text})"), linear, about: None });
    }

    pub(super) fn unknown(&mut self, range: Range) -> Unknown {
        self.ranges.push(range);
        (self.ranges.len() - 1) as Unknown
    }

    /// The range of a sum as far as is known here.
    pub(super) fn range(&self, sum: &Sum) -> Range {
        let own = sum.range(&|unknown| self.ranges[unknown as usize].clone());
        match self.known.get(sum) {
            Some(known) => own.and(known),
            None => own,
        }
    }

    /// The range of a sum, whatever is given in this part.
    pub(super) fn lasting_range(&self, sum: &Sum) -> Range {
        let own = sum.range(&|unknown| self.ranges[unknown as usize].clone());
        match self.known.lasting(sum) {
            Some(known) => own.and(known),
            None => own,
        }
    }

    /// Notes that a sum has a range here.
    pub(super) fn note(&mut self, sum: &Sum, range: Range) {
        if sum.len() > 1 || sum.degree() > 1 {
            let range = match self.known.get(sum) {
                Some(known) => known.and(&range),
                None => range,
            };
            self.known.insert(sum.clone(), range);
        }
    }

    fn count(&mut self) -> Result<(), TooLarge> {
        self.terms += 1;
        effort::count(effort::Step::Term, 1);
        match self.terms > MOST_TERMS || effort::has_passed(self.until) {
            true => Err(TooLarge),
            false => Ok(()),
        }
    }

    /// A sum that is congruent to a term modulo `2^width`.
    pub(super) fn sum(&mut self, term: TermId) -> Result<Sum, TooLarge> {
        if let Some(known) = self.sums.get(&term) {
            return Ok(known.clone());
        }
        self.count()?;
        let width = self.pool.width(term);
        let found = self.operator(term, width)?.modulo(width);
        self.sums.insert(term, found.clone());
        Ok(found)
    }

    /// The product of sums; nothing if it gets too large.
    pub(super) fn product(&mut self, factors: &[Sum], width: u32) -> Option<Sum> {
        let mut product = Sum::constant(1);
        let mut range: Option<Range> = None;
        for factor in factors {
            let size = product.len().max(1) * factor.len().max(1);
            if size > MOST_MONOMIALS || product.degree() + factor.degree() > MOST_FACTORS {
                return None;
            }
            product = product.times(factor);
            let own = self.range(factor);
            range = Some(match range {
                None => own,
                Some(range) => range.times(&own),
            });
        }
        if product.modulo(width) == product
            && let Some(range) = range
        {
            self.note(&product, range);
        }
        Some(product)
    }

    /// The unsigned value of a term.
    pub(super) fn unsigned(&mut self, term: TermId) -> Result<Sum, TooLarge> {
        let sum = self.sum(term)?;
        Ok(self.exact_of(&sum, self.pool.width(term), false))
    }

    /// Its value with its sign.
    pub(super) fn signed(&mut self, term: TermId) -> Result<Sum, TooLarge> {
        let sum = self.sum(term)?;
        Ok(self.exact_of(&sum, self.pool.width(term), true))
    }

    /// The exact value of a sum modulo `2^width`.
    pub(super) fn exact_of(&mut self, sum: &Sum, width: u32, signed: bool) -> Sum {
        let size = power(width);
        let wanted = if signed { Range::signed(width) } else { Range::unsigned(width) };
        let around = |range: &Range| {
            let of = |value: &BigInt| (value - &wanted.low).div_floor(&size);
            (of(&range.low), of(&range.high))
        };
        let (low, high) = around(&self.range(sum));
        if low == high {
            return sum.minus(&Sum::constant(low * size));
        }
        let key = (sum.clone(), width, signed);
        if let Some(known) = self.exact.get(&key) {
            return known.clone();
        }
        // Most sums do not wrap.
        let mut candidates = vec![];
        if low <= BigInt::zero() && !high.is_negative() {
            candidates.push(BigInt::zero());
        }
        if &high - &low == BigInt::from(1) {
            candidates.extend([low, high].into_iter().filter(|n| !n.is_zero()));
        }
        for times in candidates {
            let value = sum.minus(&Sum::constant(times * &size));
            if self.is_shown_within(&value, &wanted) {
                self.note(&value, wanted);
                self.exact.insert(key, value.clone());
                return value;
            }
        }
        let value = match self.wraps.get(&key) {
            Some(known) => *known,
            None => {
                self.note_divided(sum, &size);
                let (low, high) = around(&self.lasting_range(sum));
                let value = self.unknown(wanted);
                // Bits that are cut off are a quotient.
                let times = match self.again && !signed {
                    true => self.lasting_floor(sum, &size),
                    false => Sum::unknown(self.unknown(Range::new(low, high))),
                };
                let wrapped = Sum::unknown(value).plus(&size, &times);
                let text = format!("(= {} {})", sum.text(), wrapped.text());
                self.say(text, sum.degree() <= 1, false);
                self.wraps.insert(key.clone(), value);
                value
            }
        };
        let value = Sum::unknown(value);
        self.exact.insert(key, value.clone());
        value
    }

    /// `floor(sum / divisor)` for a number above zero.
    pub(super) fn floor(&mut self, sum: &Sum, divisor: &BigInt) -> Sum {
        debug_assert!(divisor.is_positive(), "no quotient by {divisor} is said to exist");
        let (whole, rest) = sum.divided(divisor);
        if Range::new(0, divisor - 1).contains(&self.range(&rest)) {
            return whole;
        }
        let value = self.lasting_floor(sum, divisor);
        let range = self.range(sum);
        self.note(&value, Range::new(range.low.div_floor(divisor), range.high.div_floor(divisor)));
        value
    }

    /// The same, but nothing that is given in this part alone is used: it may be spoken of anywhere.
    fn lasting_floor(&mut self, sum: &Sum, divisor: &BigInt) -> Sum {
        let (whole, rest) = sum.divided(divisor);
        let most = Range::new(0, divisor - 1);
        if most.contains(&self.lasting_range(&rest)) {
            return whole;
        }
        self.note_divided(&rest, divisor);
        let key = (rest.clone(), Divisor::Number(divisor.clone()));
        let quotient = match self.quotients.get(&key) {
            Some(known) => *known,
            None => {
                let range = self.lasting_range(&rest);
                let range = Range::new(range.low.div_floor(divisor), range.high.div_floor(divisor));
                let quotient = self.unknown(range);
                let left = rest.minus(&Sum::unknown(quotient).scaled(divisor));
                let text = format!("(<= 0 {} {})", left.text(), number(&most.high));
                self.say(text, rest.degree() <= 1, false);
                self.quotients.insert(key, quotient);
                quotient
            }
        };
        whole.plus(&1.into(), &Sum::unknown(quotient))
    }

    /// An unknown that is one of two sums.
    pub(super) fn either(
        &mut self,
        condition: &Formula,
        sums: [Sum; 2],
        ranges: [Range; 2],
    ) -> Sum {
        let value = self.unknown(ranges[0].or(&ranges[1]));
        let condition = condition.text();
        for (sum, not) in sums.iter().zip([true, false]) {
            let is = format!("(= {} {})", name(value), sum.text());
            let guard = if not { format!("(not {condition})") } else { condition.clone() };
            self.say(format!("(or {guard} {is})"), sum.degree() <= 1, true);
        }
        Sum::unknown(value)
    }

    /// A value of which nothing is known but what it is computed from, as text.
    ///
    /// What a function gives for numbers that are no operands may be chosen within the range of the value. What is stored
    /// may not: ✗ in a branch where `a + b` does not wrap, it is the sum itself, which elsewhere is too large to be read
    /// from an array of bytes. So that is said under the conditions of this part alone.
    pub(super) fn value(&mut self, text: String, width: u32) -> Sum {
        if let Some(known) = self.values.get(&text) {
            return Sum::unknown(*known);
        }
        let value = self.unknown(Range::unsigned(width));
        let stores = text.contains("(store ");
        self.say(format!("(= {} {text})", name(value)), false, stores);
        match stores {
            true => self.values.insert(text, value),
            false => self.values.insert_lasting(text, value),
        }
        Sum::unknown(value)
    }

    /// What a function of the translation is called: one for each key.
    pub(super) fn function(&mut self, key: String, parameters: &[String], result: &str) -> String {
        if let Some(known) = self.functions.get(&key) {
            return known.clone();
        }
        let name = format!("f{}", self.functions.len());
        let parameters = parameters.join(" ");
        self.declarations.push(format!("(declare-fun {name} ({parameters}) {result})"));
        self.functions.insert(key, name.clone());
        name
    }

    /// A sort of the translation.
    pub(super) fn sort(&mut self, sort: Sort) -> String {
        match sort {
            Sort::Bool => "Bool".to_owned(),
            Sort::BitVec(_) => "Int".to_owned(),
            Sort::Array(array) => {
                let (index, element) = self.pool.array_parts(array);
                format!("(Array {} {})", self.sort(index), self.sort(element))
            }
            Sort::Float(_) | Sort::Uninterpreted(_) => {
                let key = format!("sort {sort:?}");
                if let Some(known) = self.functions.get(&key) {
                    return known.clone();
                }
                let name = format!("S{}", self.functions.len());
                self.declarations.push(format!("(declare-sort {name} 0)"));
                self.functions.insert(key, name.clone());
                name
            }
        }
    }

    /// A truth-valued term.
    pub(super) fn formula(&mut self, term: TermId) -> Result<Formula, TooLarge> {
        if let Some(known) = self.formulas.get(&term) {
            return Ok(known.clone());
        }
        self.count()?;
        let operands = self.pool.operands(term).to_vec();
        let mut found = match self.pool.op(term) {
            Op::True => Formula::True,
            Op::False => Formula::False,
            Op::Not => self.formula(operands[0])?.not(),
            Op::And => self.conjunction(&operands)?,
            Op::Or => {
                let parts: Result<Vec<_>, _> =
                    operands.iter().map(|operand| self.formula(*operand)).collect();
                Formula::or(parts?)
            }
            Op::Ite => {
                let condition = self.formula(operands[0])?;
                let [yes, no] = self.branches(&condition, &operands, |all, t| all.formula(t))?;
                match condition {
                    Formula::True => yes,
                    Formula::False => no,
                    condition => {
                        let not = condition.clone().not();
                        let yes = Formula::or(vec![not, yes]);
                        Formula::and(vec![yes, Formula::or(vec![condition, no])])
                    }
                }
            }
            Op::Eq => self.equation(operands[0], operands[1])?,
            Op::BvUlt => {
                let (a, b) = (self.unsigned(operands[0])?, self.unsigned(operands[1])?);
                self.less(&a, &b)
            }
            Op::BvSlt => {
                let (a, b) = (self.signed(operands[0])?, self.signed(operands[1])?);
                self.less(&a, &b)
            }
            _ => Formula::Text(self.opaque(term)?),
        };
        if let Formula::Text(text) = &found
            && text.len() > LONG
        {
            let name = format!("b{}", self.names);
            self.names += 1;
            self.declarations.push(format!("(declare-fun {name} () Bool)"));
            let linear = !text.contains("(* v");
            self.say(format!("(= {name} {text})"), linear, false);
            found = Formula::Text(name);
        }
        self.formulas.insert(term, found.clone());
        Ok(found)
    }

    /// Each part may use those before.
    fn conjunction(&mut self, operands: &[TermId]) -> Result<Formula, TooLarge> {
        let mut order: Vec<TermId> = operands.to_vec();
        order.sort_by_key(|operand| self.pool.dag_size(*operand));
        let conditions = self.enter();
        let mut parts = vec![];
        for operand in order {
            let part = match self.formula(operand) {
                Ok(part) => part,
                Err(too_large) => {
                    self.leave(conditions);
                    return Err(too_large);
                }
            };
            let done = part == Formula::False;
            if !done {
                self.assume(&part);
            }
            parts.push(part);
            if done {
                break;
            }
        }
        self.leave(conditions);
        Ok(Formula::and(parts))
    }

    /// Both branches of a conditional, each under its condition.
    pub(super) fn branches<T>(
        &mut self,
        condition: &Formula,
        operands: &[TermId],
        of: impl Fn(&mut Self, TermId) -> Result<T, TooLarge>,
    ) -> Result<[T; 2], TooLarge> {
        let mut branch = |condition: Formula, term: TermId| {
            let conditions = self.enter();
            self.assume(&condition);
            let found = of(self, term);
            self.leave(conditions);
            found
        };
        let yes = branch(condition.clone(), operands[1])?;
        let no = branch(condition.clone().not(), operands[2])?;
        Ok([yes, no])
    }

    /// That one exact value is less than another.
    fn less(&self, a: &Sum, b: &Sum) -> Formula {
        let sum = b.minus(a).minus(&Sum::constant(1));
        let range = self.range(&sum);
        match (range.low.is_negative(), range.high.is_negative()) {
            (false, _) => Formula::True,
            (_, true) => Formula::False,
            _ => Formula::AtLeastZero(sum),
        }
    }

    fn equation(&mut self, a: TermId, b: TermId) -> Result<Formula, TooLarge> {
        let width = match self.pool.sort(a) {
            Sort::BitVec(width) => width,
            Sort::Bool => {
                let (a, b) = (self.formula(a)?, self.formula(b)?);
                return Ok(match (a, b) {
                    (a, b) if a == b => Formula::True,
                    (Formula::True, other) | (other, Formula::True) => other,
                    (Formula::False, other) | (other, Formula::False) => other.not(),
                    (a, b) => Formula::Text(format!("(= {} {})", a.text(), b.text())),
                });
            }
            _ => {
                let (a, b) = (self.text(a)?, self.text(b)?);
                return Ok(match a == b {
                    true => Formula::True,
                    false => Formula::Text(format!("(= {a} {b})")),
                });
            }
        };
        let difference = self.sum(a)?.minus(&self.sum(b)?).modulo(width);
        let Some(twos) = difference.twos() else { return Ok(Formula::True) };
        let (difference, width) = (difference.halved(twos), width - twos as u32);
        if difference.as_constant().is_some() {
            // It is not zero modulo 2^width: its highest power of two was taken out.
            return Ok(Formula::False);
        }
        let zero = |all: &Self, sum: Sum| {
            let range = all.range(&sum);
            match range.low.is_positive() || range.high.is_negative() {
                true => Formula::False,
                false => Formula::Zero(sum),
            }
        };
        let around = Range::new(1 - power(width), power(width) - 1);
        if around.contains(&self.range(&difference)) {
            return Ok(zero(self, difference));
        }
        if twos == 0 && difference.degree() <= 1 {
            let exact = self.unsigned(a)?.minus(&self.unsigned(b)?);
            return Ok(zero(self, exact));
        }
        let exact = self.exact_of(&difference, width, false);
        Ok(zero(self, exact))
    }
}
