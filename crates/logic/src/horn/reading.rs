//! Terms read as integers without bounds.

use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use std::collections::BTreeMap;

/// Constants beyond this are no numbers that a loop counts to, and make a solver slow.
const LARGEST: i128 = 1 << 40;
/// How many comparisons of things that are no numbers are taken apart in a rule.
const MOST_SAME: usize = 64;

/// The terms of one rule.
pub(super) struct Reading<'p> {
    pool: &'p TermPool,
    /// What may be anything: symbols, and what integers cannot say. The same term is the same.
    unknown: BTreeMap<String, &'static str>,
    /// How many comparisons of other things are still taken apart.
    left: usize,
}

/// What a sort is.
pub(super) fn sort(sort: &Sort) -> &'static str {
    if matches!(sort, Sort::Bool) { "Bool" } else { "Int" }
}

impl<'p> Reading<'p> {
    pub(super) fn new(pool: &'p TermPool) -> Reading<'p> {
        Reading { pool, unknown: BTreeMap::new(), left: MOST_SAME }
    }

    /// What was met that may be anything, as variables.
    pub(super) fn variables(&self) -> String {
        let all = self.unknown.iter().map(|(name, sort)| format!("({name} {sort})"));
        all.collect::<Vec<_>>().join(" ")
    }

    /// A term as an integer or as a truth value.
    pub(super) fn text(&mut self, term: TermId) -> String {
        match self.plain(term) {
            Some(text) => text,
            None => self.anything(format!("v{}", term.0), sort(&self.pool.sort(term))),
        }
    }

    /// That a bit-vector, as an integer, is below the range of its width, and above; nothing of what is no number.
    pub(super) fn beyond(&mut self, term: TermId) -> Option<[String; 2]> {
        let Sort::BitVec(width @ 2..=64) = self.pool.sort(term) else { return None };
        let text = self.text(term);
        let bound = 1u128 << (width - 1);
        Some([format!("(< {text} (- {bound}))"), format!("(<= {bound} {text})")])
    }

    fn anything(&mut self, name: String, sort: &'static str) -> String {
        self.unknown.insert(name.clone(), sort);
        name
    }

    /// That two things are the same that are no numbers, such as memories: by the conditions that choose them.
    fn same(&mut self, a: TermId, b: TermId) -> String {
        let pool = self.pool;
        if a == b {
            return "true".to_owned();
        }
        for (one, other) in [(a, b), (b, a)] {
            if pool.op(one) == Op::Ite && self.left > 0 {
                self.left -= 1;
                let [condition, yes, no] = *pool.operands(one) else { continue };
                let condition = self.text(condition);
                let (yes, no) = (self.same(yes, other), self.same(no, other));
                return format!("(ite {condition} {yes} {no})");
            }
        }
        self.anything(format!("same{}_{}", a.0.min(b.0), a.0.max(b.0)), "Bool")
    }

    /// The text, if it is an operator that integers have.
    fn plain(&mut self, term: TermId) -> Option<String> {
        let pool = self.pool;
        if let Some(truth) = pool.as_bool(term) {
            return Some(truth.to_string());
        }
        if let Some(bits) = pool.as_bits(term) {
            // A single bit is zero or one.
            let value = match bits.width() {
                1 => bits.to_u128()? as i128,
                _ => bits.to_i128()?,
            };
            return (value.abs() <= LARGEST).then(|| number(value));
        }
        let operands = pool.operands(term);
        let is_bits = |term: TermId| matches!(pool.sort(term), Sort::BitVec(_));
        match pool.op(term) {
            Op::Not => self.applied("not", operands),
            Op::And => self.applied("and", operands),
            Op::Or => self.applied("or", operands),
            Op::Ite if is_bits(term) || pool.sort(term) == Sort::Bool => {
                self.applied("ite", operands)
            }
            Op::Eq if is_bits(operands[0]) || pool.sort(operands[0]) == Sort::Bool => {
                self.applied("=", operands)
            }
            Op::Eq => Some(self.same(operands[0], operands[1])),
            Op::BvAdd => self.applied("+", operands),
            Op::BvMul => {
                let variable = operands.iter().filter(|term| pool.as_bits(**term).is_none());
                if variable.count() > 1 { None } else { self.applied("*", operands) }
            }
            Op::BvNot => Some(format!("(- (- 1) {})", self.text(operands[0]))),
            Op::BvShl => {
                let by = pool.as_bits(operands[1])?.to_u64().filter(|by| *by < 32)?;
                Some(format!("(* {} {})", 1u64 << by, self.text(operands[0])))
            }
            Op::SignExtend(_) => Some(self.text(operands[0])),
            Op::ZeroExtend(_) => {
                let (width, text) = (pool.width(operands[0]), self.text(operands[0]));
                Some(match width {
                    // It was counted without a sign before.
                    0..=1 | 33.. => text,
                    _ => format!("(ite (< {text} 0) (+ {text} {}) {text})", 1u64 << width),
                })
            }
            // Fewer bits are asked for to see what is aligned, not for the number.
            Op::Extract { low: 0, high } if high >= 7 => Some(self.text(operands[0])),
            Op::BvSlt => self.applied("<", operands),
            Op::BvUlt => {
                let (a, b) = (self.text(operands[0]), self.text(operands[1]));
                let constant = |term: TermId| pool.as_bits(term).is_some_and(|b| !b.is_negative());
                Some(match (constant(operands[0]), constant(operands[1])) {
                    (_, true) => format!("(and (<= 0 {a}) (< {a} {b}))"),
                    (true, _) => format!("(or (< {a} {b}) (< {b} 0))"),
                    _ => {
                        format!(
                            "(ite (< {b} 0) (or (<= 0 {a}) (< {a} {b})) (and (<= 0 {a}) (< {a} {b})))"
                        )
                    }
                })
            }
            _ => None,
        }
    }

    fn applied(&mut self, name: &str, operands: &[TermId]) -> Option<String> {
        let texts: Vec<String> = operands.iter().map(|term| self.text(*term)).collect();
        Some(format!("({name} {})", texts.join(" ")))
    }
}

fn number(value: i128) -> String {
    if value < 0 { format!("(- {})", -value) } else { value.to_string() }
}
