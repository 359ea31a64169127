//! Comparisons of floating-point numbers. Arithmetic on them is not printed: what is left of it in a condition nobody
//! would read.

use super::text::{Nature, Text, precedence, text, wrap};
use super::{Named, Printer};
use crate::op::Op;
use crate::sort::FloatFormat;
use crate::term::TermId;

impl Printer<'_> {
    /// What is said of floats, if the term says something of them; outer `None`: it does not.
    pub(super) fn floats(&self, term: TermId) -> Option<Option<Text>> {
        let operands = self.pool.operands(term);
        let said = match self.pool.op(term) {
            Op::FpFromBits(FloatFormat::SINGLE | FloatFormat::DOUBLE) => self.float(operands[0]),
            Op::FpLt => self.float_order(operands, "<"),
            Op::FpLe => self.float_order(operands, "<="),
            Op::FpEq => self.unordered(operands, "==", "!="),
            Op::FpIsNan => self.unordered(&[operands[0], operands[0]], "!=", "=="),
            Op::FpIsZero => {
                let operand = wrap(self.done.get(&operands[0])?, precedence::EQUAL + 1);
                Some(self.equation_text(&operand, "0", "==", "!="))
            }
            _ => return None,
        };
        Some(said)
    }

    /// The variable whose bits these are.
    fn float(&self, bits: TermId) -> Option<Text> {
        let Named { code, nature: Nature::Float, .. } = self.names.get(&bits)? else { return None };
        Some(Text { nature: Nature::Float, ..text(code.clone(), precedence::ATOM, false) })
    }

    fn float_order(&self, operands: &[TermId], operator: &str) -> Option<Text> {
        let side = |t: &TermId| Some(wrap(&self.done[t], precedence::ORDER + 1));
        let (left, right) = (side(&operands[0])?, side(&operands[1])?);
        // The opposite holds of what is no number, too: it is no comparison.
        let turned = if operator == "<" { ">" } else { ">=" };
        let code = match self.pool.as_float(operands[0]).is_some() {
            true => format!("{right} {turned} {left}"),
            false => format!("{left} {operator} {right}"),
        };
        Some(text(code, precedence::ORDER, true))
    }

    fn unordered(&self, operands: &[TermId], operator: &str, opposite: &str) -> Option<Text> {
        let side = |t: &TermId| wrap(&self.done[t], precedence::EQUAL + 1);
        let (mut left, mut right) = (side(&operands[0]), side(&operands[1]));
        if self.pool.as_float(operands[0]).is_some() {
            std::mem::swap(&mut left, &mut right);
        }
        Some(self.equation_text(&left, &right, operator, opposite))
    }

    fn equation_text(&self, left: &str, right: &str, operator: &str, opposite: &str) -> Text {
        let one =
            |operator: &str| text(format!("{left} {operator} {right}"), precedence::EQUAL, true);
        Text { negated: Some(Box::new(one(opposite))), ..one(operator) }
    }

    /// A constant, so that C reads the very same number.
    pub(super) fn float_constant(&self, term: TermId) -> Option<Text> {
        let value = self.pool.as_float(term)?;
        if value.is_nan() || value.is_infinite() {
            return None;
        }
        let code = match value.format() {
            FloatFormat::SINGLE => format!("{:?}f", value.to_f32()?),
            FloatFormat::DOUBLE => format!("{:?}", value.to_f64()?),
            _ => return None,
        };
        let code = code.strip_suffix(".0").map_or(code.clone(), str::to_owned);
        let code = code.strip_suffix(".0f").map_or(code.clone(), str::to_owned);
        let binding = if code.starts_with('-') { precedence::UNARY } else { precedence::ATOM };
        Some(Text { nature: Nature::Float, ..text(code, binding, true) })
    }

    /// Whether the sign bit of a float is set.
    pub(super) fn sign_bit(&self, operands: &[TermId]) -> Option<Text> {
        let Named { code, nature: Nature::Float, .. } = self.names.get(&operands[0])? else {
            return None;
        };
        self.pool.as_bits(operands[1]).filter(|bits| bits.is_zero())?;
        let call = format!("__builtin_signbit({code})");
        Some(self.equation_text(&call, "0", "!=", "=="))
    }
}
