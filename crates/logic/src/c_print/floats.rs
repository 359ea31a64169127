//! Floating-point numbers: `float` and `double`, which x86-64 computes in as they are, rounding to nearest.
//!
//! Only the sign of a NaN could tell these expressions from what the compiler makes of the program's, and terms have one
//! NaN only. Sums and products are grouped by parentheses as their terms are: rounding is not associative. A constant in
//! arithmetic keeps its `.0`, so that nothing is computed in integers.

use super::text::{Nature, Text, precedence, text, wrap};
use super::{Named, Printer};
use crate::op::Op;
use crate::sort::{FloatFormat, Rounding, Sort};
use crate::term::TermId;

/// A number, of C's type for the format.
fn float(code: String, binding: u32) -> Text {
    Text { nature: Nature::Float, ..text(code, binding, true) }
}

/// C's type of a format.
fn type_of(format: FloatFormat) -> Option<&'static str> {
    match format {
        FloatFormat::SINGLE => Some("float"),
        FloatFormat::DOUBLE => Some("double"),
        _ => None,
    }
}

impl Printer<'_> {
    /// What is said of floats, if the term says something of them; outer `None`: it does not.
    pub(super) fn floats(&self, term: TermId) -> Option<Option<Text>> {
        let operands = self.pool.operands(term);
        let is_float = |t: TermId| matches!(self.pool.sort(t), Sort::Float(_));
        let said = match self.pool.op(term) {
            Op::FpFromBits(FloatFormat::SINGLE | FloatFormat::DOUBLE) => self.variable(operands[0]),
            Op::FpLt => self.float_order(operands, "<"),
            Op::FpLe => self.float_order(operands, "<="),
            Op::FpEq => self.unordered(operands, "==", "!="),
            Op::FpIsNan => self.not_a_number(operands[0]),
            Op::FpIsZero => {
                let operand = wrap(self.done.get(&operands[0])?, precedence::EQUAL + 1);
                Some(self.equation_text(&operand, "0", "==", "!="))
            }
            Op::FpIsInfinite => self
                .float_operand(operands[0])
                .map(|of| text(format!("__builtin_isinf({})", of.code), precedence::ATOM, true)),
            Op::Eq if is_float(operands[0]) => self.same_float(operands[0], operands[1]),
            Op::Ite if is_float(term) => self.either_float(operands),
            _ if is_float(term) && !self.pool.op(term).is_constant() => self.float_arithmetic(term),
            _ => return None,
        };
        Some(said)
    }

    /// The variable whose bits these are.
    fn variable(&self, bits: TermId) -> Option<Text> {
        let Named { code, nature: Nature::Float, .. } = self.names.get(&bits)? else { return None };
        Some(float(code.clone(), precedence::ATOM))
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

    fn not_a_number(&self, operand: TermId) -> Option<Text> {
        let of = self.float_operand(operand)?;
        if of.precedence < precedence::ATOM {
            return Some(text(format!("__builtin_isnan({})", of.code), precedence::ATOM, true));
        }
        Some(self.equation_text(&of.code, &of.code, "!=", "=="))
    }

    /// That two floats are the very same one: unlike `==`, this tells the zeros apart, and a NaN is itself.
    fn same_float(&self, a: TermId, b: TermId) -> Option<Text> {
        let (a, b) = if self.pool.as_float(a).is_some() { (b, a) } else { (a, b) };
        let side = |t: TermId| wrap(&self.done[&t], precedence::EQUAL + 1);
        let sign = |t: TermId| format!("__builtin_signbit({})", self.done[&t].code);
        if self.pool.as_float(a).is_some() {
            // Two constants: nothing that a condition is left with.
            return None;
        }
        let (equal, of) = (self.unordered(&[a, b], "==", "!=")?, side(a));
        match self.pool.as_float(b) {
            Some(value) if value.is_nan() => self.not_a_number(a),
            Some(value) if !value.is_zero() => Some(equal),
            Some(value) => {
                let (has, hasnt) = if value.is_negative() { ("", "!") } else { ("!", "") };
                let sign = sign(a);
                let opposite = text(format!("{of} != 0 || {hasnt}{sign}"), precedence::OR, true);
                let same = text(format!("{of} == 0 && {has}{sign}"), precedence::AND, true);
                Some(Text { negated: Some(Box::new(opposite)), ..same })
            }
            None => {
                let (left, right) = (self.not_a_number(a)?, self.not_a_number(b)?);
                let signs = |operator: &str| format!("!{} {operator} !{}", sign(a), sign(b));
                let number = |of: &Text| match &of.negated {
                    Some(negated) => negated.code.clone(),
                    None => format!("!{}", of.code),
                };
                let [same, opposite] = [
                    format!("{} ? {} : {} && {}", equal.code, signs("=="), left.code, right.code),
                    format!(
                        "{} ? {} : {} || {}",
                        equal.code,
                        signs("!="),
                        number(&left),
                        number(&right)
                    ),
                ]
                .map(|code| text(code, precedence::CONDITIONAL, true));
                Some(Text { negated: Some(Box::new(opposite)), ..same })
            }
        }
    }

    fn either_float(&self, operands: &[TermId]) -> Option<Text> {
        let c = wrap(&self.done[&operands[0]], precedence::CONDITIONAL + 1);
        let (a, b) = (self.float_operand(operands[1])?, self.float_operand(operands[2])?);
        let a = wrap(&a, precedence::CONDITIONAL + 1);
        let b = wrap(&b, precedence::CONDITIONAL);
        Some(float(format!("{c} ? {a} : {b}"), precedence::CONDITIONAL))
    }

    /// An operand of arithmetic, of C's type for its format.
    fn float_operand(&self, term: TermId) -> Option<Text> {
        match self.pool.as_float(term) {
            Some(_) => self.float_literal(term),
            None => Some(self.done[&term].clone()),
        }
    }

    fn float_arithmetic(&self, term: TermId) -> Option<Text> {
        let Sort::Float(format) = self.pool.sort(term) else { return None };
        let name = type_of(format)?;
        let operands = self.pool.operands(term);
        let first = *operands.first()?;
        let cast = |of: &Text| {
            float(format!("({name}){}", wrap(of, precedence::UNARY)), precedence::UNARY)
        };
        let call = |function: &str| {
            let suffix = if format == FloatFormat::SINGLE { "f" } else { "" };
            let code = &self.float_operand(first)?.code;
            Some(float(format!("__builtin_{function}{suffix}({code})"), precedence::ATOM))
        };
        match self.pool.op(term) {
            Op::FpNeg => {
                let of = wrap(&self.float_operand(first)?, precedence::UNARY);
                let code = if of.starts_with('-') { format!("-({of})") } else { format!("-{of}") };
                Some(float(code, precedence::UNARY))
            }
            Op::FpAbs => call("fabs"),
            Op::FpRound(Rounding::Down) => call("floor"),
            Op::FpRound(Rounding::Up) => call("ceil"),
            Op::FpRound(Rounding::Zero) => call("trunc"),
            Op::FpAdd(Rounding::NearestEven) => self.float_sum(operands),
            Op::FpMul(Rounding::NearestEven) => self.float_product(operands, "*"),
            Op::FpDiv(Rounding::NearestEven) => self.float_product(operands, "/"),
            Op::FpConvert(Rounding::NearestEven, _) => {
                let Sort::Float(from) = self.pool.sort(first) else { return None };
                type_of(from)?;
                Some(cast(&self.float_operand(first)?))
            }
            Op::FpFromSigned(Rounding::NearestEven, _) => {
                Some(cast(&self.operand(first, Some(true))?))
            }
            Op::FpFromUnsigned(Rounding::NearestEven, _) => {
                Some(cast(&self.operand(first, Some(false))?))
            }
            _ => None,
        }
    }

    /// A sum, which is a difference if an operand is negated. What has a name comes first.
    fn float_sum(&self, operands: &[TermId]) -> Option<Text> {
        let &[a, b] = operands else { return None };
        let is_negated = |t: TermId| {
            self.pool.op(t) == Op::FpNeg || self.pool.as_float(t).is_some_and(|v| v.is_negative())
        };
        let last = |t: TermId| (self.pool.as_float(t).is_some(), is_negated(t));
        let (a, b) = if last(a) > last(b) { (b, a) } else { (a, b) };
        let left = wrap(&self.float_operand(a)?, precedence::SUM);
        let (operator, right) = match self.pool.op(b) {
            Op::FpNeg => ("-", self.float_operand(self.pool.operands(b)[0])?),
            _ => {
                let right = self.float_operand(b)?;
                match right.code.strip_prefix('-') {
                    Some(magnitude) if self.pool.as_float(b).is_some() => {
                        ("-", float(magnitude.to_owned(), precedence::ATOM))
                    }
                    _ => ("+", right),
                }
            }
        };
        let right = wrap(&right, precedence::SUM + 1);
        Some(float(format!("{left} {operator} {right}"), precedence::SUM))
    }

    fn float_product(&self, operands: &[TermId], operator: &str) -> Option<Text> {
        let &[a, b] = operands else { return None };
        let left = wrap(&self.float_operand(a)?, precedence::PRODUCT);
        let right = wrap(&self.float_operand(b)?, precedence::PRODUCT + 1);
        Some(float(format!("{left} {operator} {right}"), precedence::PRODUCT))
    }

    /// A constant to compare with, so that C reads the very same number.
    pub(super) fn float_constant(&self, term: TermId) -> Option<Text> {
        let whole = self.float_literal(term)?;
        let code = whole.code.strip_suffix(".0").or(whole.code.strip_suffix(".0f"));
        Some(match code {
            Some(code) => Text { code: code.to_owned(), ..whole },
            None => whole,
        })
    }

    /// A constant of C's type for its format.
    fn float_literal(&self, term: TermId) -> Option<Text> {
        let value = self.pool.as_float(term)?;
        let code = match (value.format(), value.is_infinite()) {
            _ if value.is_nan() => return None,
            (FloatFormat::SINGLE, true) => "__builtin_inff()".to_owned(),
            (FloatFormat::DOUBLE, true) => "__builtin_inf()".to_owned(),
            (FloatFormat::SINGLE, false) => format!("{:?}f", value.to_f32()?),
            (FloatFormat::DOUBLE, false) => format!("{:?}", value.to_f64()?),
            _ => return None,
        };
        let code =
            if value.is_infinite() && value.is_negative() { format!("-{code}") } else { code };
        let binding = if code.starts_with('-') { precedence::UNARY } else { precedence::ATOM };
        Some(float(code, binding))
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
