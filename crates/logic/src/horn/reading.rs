//! Terms read as integers without bounds.

use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use std::collections::BTreeMap;

/// Constants beyond this are no numbers that a loop counts to, and make a solver slow.
const LARGEST: i128 = 1 << 40;

/// The terms of one rule.
pub(super) struct Reading<'p> {
    pool: &'p TermPool,
    /// What may be anything: symbols, and what integers cannot say. The same term is the same.
    unknown: BTreeMap<TermId, &'static str>,
}

/// What a sort is.
pub(super) fn sort(sort: &Sort) -> &'static str {
    if matches!(sort, Sort::Bool) { "Bool" } else { "Int" }
}

impl<'p> Reading<'p> {
    pub(super) fn new(pool: &'p TermPool) -> Reading<'p> {
        Reading { pool, unknown: BTreeMap::new() }
    }

    /// What was met that may be anything, as variables.
    pub(super) fn variables(&self) -> String {
        let all = self.unknown.iter().map(|(term, sort)| format!("(v{} {sort})", term.0));
        all.collect::<Vec<_>>().join(" ")
    }

    /// A term as an integer or as a truth value.
    pub(super) fn text(&mut self, term: TermId) -> String {
        self.plain(term).unwrap_or_else(|| {
            self.unknown.insert(term, sort(&self.pool.sort(term)));
            format!("v{}", term.0)
        })
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
            Op::Extract { low: 0, .. } => Some(self.text(operands[0])),
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
