//! Arithmetic and bit operations.
//!
//! C computes at the width of the widest operand, at least that of `int`. Where that is less than the term's width an
//! operand is cast; where it is more only the low bits of the result are right ([`Text::exact`]), which is enough for
//! further sums and products. So a 4-bit sum, which C has no type for, is `(a + b) & 15` where its value is needed.

use super::ranges::bits_needed;
use super::text::{CType, Nature, Text, mask, number, precedence, text, type_name, wrap};
use super::{Partial, Printer};
use crate::bits::Bits;
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

impl Printer<'_> {
    pub(super) fn arithmetic(&self, term: TermId) -> Option<Text> {
        let pool = self.pool;
        let operands = pool.operands(term);
        let first = *operands.first()?;
        match pool.op(term) {
            Op::BvNot => {
                let (parts, ctype) = self.parts(term, &[first])?;
                let code = format!("~{}", wrap(&parts[0], precedence::UNARY));
                Some(self.computed(term, code, precedence::UNARY, ctype))
            }
            Op::BvAnd => self.bits_joined(term, operands, "&", precedence::BIT_AND),
            Op::BvOr => self.bits_joined(term, operands, "|", precedence::BIT_OR),
            Op::BvXor => self.bits_joined(term, operands, "^", precedence::BIT_XOR),
            Op::BvAdd => self.sum(term, operands),
            Op::BvMul => match negated_factor(pool, term) {
                Some(factor) => {
                    let (parts, ctype) = self.parts(term, &[factor])?;
                    let code = negative(&parts[0]);
                    Some(self.computed(term, code, precedence::UNARY, ctype))
                }
                None => self.product(term, operands),
            },
            Op::BvUdiv => self.quotient(operands, "/", false),
            Op::BvSdiv => self.quotient(operands, "/", true),
            Op::BvUrem => self.quotient(operands, "%", false),
            Op::BvSrem => self.quotient(operands, "%", true),
            Op::BvShl => self.shift(term, operands, "<<", None),
            Op::BvLshr => self.shift(term, operands, ">>", Some(false)),
            Op::BvAshr => self.shift(term, operands, ">>", Some(true)),
            Op::Extract { high, low: 0 } => self.low_bits(first, high + 1),
            Op::Extract { high, low } => self.slice(first, high, low),
            Op::ZeroExtend(_) => self.extension(term, first, false),
            Op::SignExtend(_) => self.extension(term, first, true),
            Op::Concat => self.concatenation(term, operands),
            _ => None,
        }
    }

    /// The operands of an operation that needs their low bits alone, the first one cast if C would compute with too few
    /// bits; and the type in which C computes.
    fn parts(&self, term: TermId, operands: &[TermId]) -> Option<(Vec<Text>, CType)> {
        let mut parts: Vec<Text> = operands.iter().map(|t| self.done[t].clone()).collect();
        let width = self.pool.width(term);
        let room = parts.iter().map(|t| t.ctype.width).max()?;
        if room < width {
            // One that is no constant, since those are written with their sign.
            let at = operands.iter().position(|t| !self.pool.op(*t).is_constant()).unwrap_or(0);
            let exact = self.operand(operands[at], None)?;
            let name = type_name(wider(width)?, exact.signed)?;
            let ctype = CType { width: wider(width)?, unsigned: !exact.signed };
            let code = format!("({name}){}", wrap(&exact, precedence::UNARY));
            parts[at] = Text { ctype, ..text(code, precedence::UNARY, exact.signed) };
        }
        let ctype = CType::common(parts.iter().map(|t| t.ctype));
        Some((parts, ctype))
    }

    /// The result of an operation whose low bits are right: all of it is where C computes at
    /// the very width.
    fn computed(&self, term: TermId, code: String, precedence: u32, ctype: CType) -> Text {
        let exact = ctype.width == self.pool.width(term);
        Text { exact, ctype, ..text(code, precedence, !ctype.unsigned) }
    }

    pub(super) fn cast(&self, term: TermId, width: u32, signed: bool) -> Option<Text> {
        let known = &self.done[&term];
        if let Some(name) = type_name(width, signed) {
            let code = format!("({name}){}", wrap(known, precedence::UNARY));
            let ctype = CType { width: width.max(32), unsigned: !signed && width >= 32 };
            return Some(Text { ctype, ..text(code, precedence::UNARY, signed) });
        }
        // C has no such type: what is not negative is what a mask leaves.
        if signed {
            return None;
        }
        let ones = mask(&Bits::ones(width).zero_extend_to(128), false)?;
        let code = format!("{} & {}", clear(known, precedence::BIT_AND), ones.code);
        let ctype = CType::common([known.ctype, ones.ctype].into_iter());
        Some(Text { ctype, ..text(code, precedence::BIT_AND, false) })
    }

    fn extension(&self, term: TermId, operand: TermId, signed: bool) -> Option<Text> {
        let pool = self.pool;
        let width = pool.width(term);
        if signed && let Some(quotient) = self.quotient_by_power_of_two(term, operand) {
            return Some(quotient);
        }
        let narrow = match pool.op(operand) {
            // The upper bits of a value, with its sign: what a shift to the right leaves.
            Op::Extract { high, low } if signed && low > 0 => {
                let whole = pool.operands(operand)[0];
                if high + 1 != pool.width(whole) {
                    return None;
                }
                let whole = self.operand(whole, Some(true))?;
                let code = format!("{} >> {low}", clear(&whole, precedence::SHIFT));
                Text { ctype: whole.ctype, ..text(code, precedence::SHIFT, true) }
            }
            _ => self.operand(operand, Some(signed))?,
        };
        let room = wider(width)?;
        if narrow.ctype.width >= room {
            // C computes narrow values as `int`, which holds them all.
            return Some(Text {
                negated: None,
                bound: None,
                signed: width >= 32 || signed,
                ..narrow
            });
        }
        let name = type_name(room, signed)?;
        let code = format!("({name}){}", wrap(&narrow, precedence::UNARY));
        let ctype = CType { width: room, unsigned: !signed };
        Some(Text { ctype, ..text(code, precedence::UNARY, signed) })
    }

    /// The low bits of a value: by a cast where C has a type for them, otherwise the value as it is, to be masked where
    /// it matters.
    fn low_bits(&self, operand: TermId, width: u32) -> Option<Text> {
        let known = &self.done[&operand];
        if matches!(known.nature, Nature::Pointer(_)) {
            // The low bits of an address say how it is aligned.
            let code = format!("(unsigned long){}", wrap(known, precedence::UNARY));
            let whole = Text { ctype: known.ctype, ..text(code, precedence::UNARY, false) };
            return (type_name(width, false).is_none()).then_some(Text { exact: false, ..whole });
        }
        if known.nature == Nature::Float {
            return None;
        }
        if type_name(width, true).is_some() {
            return self.cast(operand, width, known.signed);
        }
        let plain = text(known.code.clone(), known.precedence, false);
        Some(Text { exact: false, ctype: known.ctype, ..plain })
    }

    fn slice(&self, operand: TermId, high: u32, low: u32) -> Option<Text> {
        let unsigned = self.operand(operand, Some(false))?;
        let width = high - low + 1;
        let shifted = format!("{} >> {low}", clear(&unsigned, precedence::SHIFT));
        if high + 1 == self.pool.width(operand) {
            return Some(Text { ctype: unsigned.ctype, ..text(shifted, precedence::SHIFT, false) });
        }
        if let Some(name) = type_name(width, false) {
            let ctype = CType { width: width.max(32), unsigned: width >= 32 };
            let code = format!("({name})({shifted})");
            return Some(Text { ctype, ..text(code, precedence::UNARY, false) });
        }
        let plain = text(shifted, precedence::SHIFT, false);
        Some(Text { exact: false, ctype: unsigned.ctype, ..plain })
    }

    /// Values side by side: the upper ones shifted.
    fn concatenation(&self, term: TermId, operands: &[TermId]) -> Option<Text> {
        let width = self.pool.width(term);
        let ctype = CType { width: wider(width)?, unsigned: true };
        let name = type_name(ctype.width, false)?;
        let mut left = width;
        let mut parts = vec![];
        for operand in operands {
            left -= self.pool.width(*operand);
            if self.pool.as_bits(*operand).is_some_and(|bits| bits.is_zero()) {
                continue;
            }
            let part = self.operand(*operand, Some(false))?;
            if left == 0 {
                parts.push(part);
                continue;
            }
            // Shifted as it is, a narrow value may lose bits or run into the sign.
            let enough = part.ctype.unsigned && part.ctype.width >= width;
            let (part, ctype) = match enough {
                true => (clear(&part, precedence::SHIFT), part.ctype),
                false => (format!("({name}){}", wrap(&part, precedence::UNARY)), ctype),
            };
            let code = format!("{part} << {left}");
            parts.push(Text { ctype, ..text(code, precedence::SHIFT, false) });
        }
        if parts.len() < 2 {
            return parts.pop().or_else(|| number(&Bits::zero(width), false));
        }
        let ctype = CType::common(parts.iter().map(|t| t.ctype));
        let code: Vec<String> = parts.iter().map(|t| clear(t, precedence::BIT_OR + 1)).collect();
        Some(Text { ctype, ..text(code.join(" | "), precedence::BIT_OR, false) })
    }

    fn bits_joined(
        &self,
        term: TermId,
        operands: &[TermId],
        operator: &str,
        binding: u32,
    ) -> Option<Text> {
        let ordered = self.ordered(operands, binding);
        let (mut parts, _) = self.parts(term, &ordered)?;
        let others =
            || ordered.iter().zip(&parts).filter(|(t, _)| !self.pool.op(**t).is_constant());
        let signed = others().all(|(_, part)| part.signed);
        let same = others().all(|(_, part)| part.exact && part.signed == signed);
        // A constant is written with the sign of the rest, and so the result has it.
        for (at, operand) in ordered.iter().enumerate() {
            if let Some(constant) = self.pool.as_bits(*operand).and_then(|v| mask(&v, signed)) {
                parts[at] = constant;
            }
        }
        let ctype = CType::common(parts.iter().map(|t| t.ctype));
        // Regrouped, a narrow part may meet a wider one: that matters where C computes with more bits than the term
        // has.
        let further = binding + u32::from(ctype.width != self.pool.width(term));
        let part = |(n, t): (usize, &Text)| match t.precedence == binding {
            true => wrap(t, if n == 0 { binding } else { further }),
            false => clear(t, binding),
        };
        let code: Vec<String> = parts.iter().enumerate().map(part).collect();
        let computed = self.computed(term, code.join(&format!(" {operator} ")), binding, ctype);
        match computed.exact {
            true => Some(computed),
            false => Some(Text { exact: same, signed, ..computed }),
        }
    }

    /// Constants of a normal form come first; people write them last.
    fn ordered(&self, operands: &[TermId], binding: u32) -> Vec<TermId> {
        let (constants, others): (Vec<TermId>, Vec<TermId>) =
            operands.iter().partition(|t| self.pool.op(**t).is_constant());
        if binding == precedence::PRODUCT {
            constants.iter().chain(&others).copied().collect()
        } else {
            others.iter().chain(&constants).copied().collect()
        }
    }

    fn product(&self, term: TermId, operands: &[TermId]) -> Option<Text> {
        let (parts, ctype) = self.parts(term, &self.ordered(operands, precedence::PRODUCT))?;
        // `a * (b / c)` is not `a * b / c`.
        let part = |(n, t): (usize, &Text)| wrap(t, precedence::PRODUCT + u32::from(n > 0));
        let code: Vec<String> = parts.iter().enumerate().map(part).collect();
        Some(self.computed(term, code.join(" * "), precedence::PRODUCT, ctype))
    }

    /// A sum, with `-` where a summand is negated.
    fn sum(&self, whole: TermId, operands: &[TermId]) -> Option<Text> {
        let pool = self.pool;
        let is_pointer = |t: &TermId| matches!(self.done[t].nature, Nature::Pointer(_));
        if operands.iter().any(is_pointer) {
            return self.moved(operands);
        }
        let mut ordered = operands.to_vec();
        // Something positive first, constants last.
        let rank = |t: &TermId| self.names.get(t).map_or(usize::MAX, |named| named.rank);
        ordered.sort_by_key(|t| {
            (pool.as_bits(*t).is_some(), negated_factor(pool, *t).is_some(), rank(t))
        });
        let bare: Vec<TermId> =
            ordered.iter().map(|t| negated_factor(pool, *t).unwrap_or(*t)).collect();
        let (parts, ctype) = self.parts(whole, &bare)?;
        let mut code = String::new();
        for ((term, bare), part) in ordered.iter().zip(&bare).zip(&parts) {
            let (sign, part) = match pool.as_bits(*term) {
                // In front, the sign would be that of the first factor: `-(a / b)` is not `-a / b`.
                None if term != bare && code.is_empty() => ("+", negative(part)),
                None if term != bare => ("-", wrap(part, precedence::PRODUCT)),
                // The smallest number has no opposite.
                Some(value) if value.is_negative() && !value.neg().is_negative() => {
                    ("-", number(&value.neg(), true)?.code)
                }
                _ => ("+", wrap(part, precedence::SUM)),
            };
            match (code.is_empty(), sign) {
                (true, "+") => {}
                (true, _) => code.push('-'),
                (false, _) => code.push_str(&format!(" {sign} ")),
            }
            code.push_str(&part);
        }
        Some(self.computed(whole, code, precedence::SUM, ctype))
    }

    /// A pointer and a number of whole objects behind it.
    fn moved(&self, operands: &[TermId]) -> Option<Text> {
        let (pointer, distance) = match operands {
            [a, b] if self.pool.as_bits(*b).is_some() => (&self.done[a], self.pool.as_bits(*b)?),
            [a, b] => (&self.done[b], self.pool.as_bits(*a)?),
            _ => return None,
        };
        let Nature::Pointer(size) = pointer.nature else { return None };
        let distance = distance.to_i128()?;
        if size == 0 || distance % i128::from(size) != 0 {
            return None;
        }
        let count = distance / i128::from(size);
        let sign = if count < 0 { "-" } else { "+" };
        let pointed = wrap(pointer, precedence::SUM);
        let code = format!("{pointed} {sign} {}", count.unsigned_abs());
        Some(Text {
            nature: pointer.nature,
            ctype: pointer.ctype,
            ..text(code, precedence::SUM, false)
        })
    }

    /// A quotient or remainder. By zero C has none; by something that may be zero it is printed if the reader's state
    /// is known to exclude that.
    fn quotient(&self, operands: &[TermId], operator: &str, signed: bool) -> Option<Text> {
        let divisor = self.pool.as_bits(operands[1]);
        let total = divisor.is_some_and(|d| !(d.is_zero() || signed && d.is_ones()));
        if !total && self.partial == Partial::Refused {
            return None;
        }
        let sign = Some(signed);
        let (left, right) = (self.operand(operands[0], sign)?, self.operand(operands[1], sign)?);
        let (left, right) = self.agreed([left, right], [operands[0], operands[1]], signed)?;
        // These associate to the left, so the right operand must bind tighter.
        let binding = precedence::PRODUCT;
        let code = format!("{} {operator} {}", wrap(&left, binding), wrap(&right, binding + 1));
        let ctype = CType::common([left.ctype, right.ctype].into_iter());
        Some(Text { ctype, ..text(code, binding, signed) })
    }

    /// `x / 2^k`, rounded towards zero: the normal form of terms is `(x + (x < 0 ? 2^k - 1 : 0)) >> k`, of which
    /// `part` are the upper bits.
    fn quotient_by_power_of_two(&self, term: TermId, part: TermId) -> Option<Text> {
        let pool = self.pool;
        let Op::Extract { high, low } = pool.op(part) else { return None };
        let sum = pool.operands(part)[0];
        let width = pool.width(sum);
        // 2^(width - 1) is no signed number.
        let is_quotient =
            low > 0 && low + 1 < width && high + 1 == width && pool.width(term) == width;
        if !is_quotient || pool.op(sum) != Op::BvAdd {
            return None;
        }
        let mut others = pool.operands(sum).to_vec();
        let (at, x) =
            others.iter().enumerate().find_map(|(at, t)| Some((at, self.bias(*t, low)?)))?;
        others.remove(at);
        let mut dividend = match pool.op(x) {
            Op::BvAdd => pool.operands(x).to_vec(),
            _ => vec![x],
        };
        others.sort_unstable();
        dividend.sort_unstable();
        if others != dividend {
            return None;
        }
        let divisor = number(&Bits::power_of_two(width, low), true)?;
        let (left, right) = self.agreed([self.operand(x, Some(true))?, divisor], [x, x], true)?;
        let binding = precedence::PRODUCT;
        let code = format!("{} / {}", wrap(&left, binding), right.code);
        let ctype = CType::common([left.ctype, right.ctype].into_iter());
        Some(Text { ctype, ..text(code, binding, true) })
    }

    /// `x`, if a term is `x < 0 ? 2^bits - 1 : 0`.
    fn bias(&self, term: TermId, bits: u32) -> Option<TermId> {
        let pool = self.pool;
        let Op::ZeroExtend(_) = pool.op(term) else { return None };
        let mut sign = pool.operands(term)[0];
        if pool.width(sign) != bits {
            return None;
        }
        if bits > 1 {
            let Op::SignExtend(_) = pool.op(sign) else { return None };
            sign = pool.operands(sign)[0];
        }
        let Op::Extract { high, low } = pool.op(sign) else { return None };
        let x = pool.operands(sign)[0];
        (high == low && high + 1 == pool.width(x) && pool.width(x) == pool.width(term)).then_some(x)
    }

    /// A shift by less than the width.
    fn shift(
        &self,
        term: TermId,
        operands: &[TermId],
        operator: &str,
        signed: Option<bool>,
    ) -> Option<Text> {
        let width = u64::from(self.pool.width(term));
        let amount = operands[1];
        let total = match self.pool.as_bits(amount) {
            Some(value) => value.to_u64().is_some_and(|n| n < width),
            None => {
                let masked = |t: &TermId| {
                    self.pool.as_bits(*t).and_then(|b| b.to_u64()).is_some_and(|n| n < width)
                };
                self.pool.op(amount) == Op::BvAnd && self.pool.operands(amount).iter().any(masked)
                    || bits_needed(self.pool, amount) < 32
                        && 1 << bits_needed(self.pool, amount) <= width
            }
        };
        if !total && self.partial == Partial::Refused {
            return None;
        }
        let right = match (self.pool.as_bits(amount), self.pool.op(amount)) {
            (Some(value), _) => number(&value, false)?,
            // How wide the amount is does not matter.
            (None, Op::ZeroExtend(_)) => {
                self.operand(self.pool.operands(amount)[0], Some(false))?
            }
            (None, _) => self.operand(amount, None)?,
        };
        let by = clear(&right, precedence::SHIFT + 1);
        let Some(signed) = signed else {
            let (parts, ctype) = self.parts(term, &operands[..1])?;
            let code = format!("{} {operator} {by}", clear(&parts[0], precedence::SHIFT));
            return Some(self.computed(term, code, precedence::SHIFT, ctype));
        };
        let left = self.operand(operands[0], Some(signed))?;
        let code = format!("{} {operator} {by}", clear(&left, precedence::SHIFT));
        Some(Text { ctype: left.ctype, ..text(code, precedence::SHIFT, signed) })
    }

    /// Two operands of an operation on signed values: if C would compute without a sign, because the type of one has
    /// none, that one is cast, unless neither can be negative.
    pub(super) fn agreed(
        &self,
        texts: [Text; 2],
        terms: [TermId; 2],
        signed: bool,
    ) -> Option<(Text, Text)> {
        let [mut left, mut right] = texts;
        // C converts the narrower operand to the type of the wider one: no cast is needed.
        if let Some(narrow) = self.implicitly_converted(terms[1], &left) {
            right = narrow;
        } else if let Some(narrow) = self.implicitly_converted(terms[0], &right) {
            left = narrow;
        }
        let common = CType::common([left.ctype, right.ctype].into_iter());
        let positive = |t: TermId| bits_needed(self.pool, t) < self.pool.width(t);
        if signed && common.unsigned && !terms.into_iter().all(positive) {
            for side in [&mut left, &mut right] {
                if side.ctype.unsigned {
                    let name = type_name(side.ctype.width, true)?;
                    let code = format!("({name}){}", wrap(side, precedence::UNARY));
                    let ctype = CType { unsigned: false, ..side.ctype };
                    *side = Text { ctype, ..text(code, precedence::UNARY, true) };
                }
            }
        }
        Some((left, right))
    }

    /// The operand of an extension, if C extends it in the same way because the other operand is `beside`.
    pub(super) fn implicitly_converted(&self, term: TermId, beside: &Text) -> Option<Text> {
        let pool = self.pool;
        let signed = match pool.op(term) {
            _ if self.names.contains_key(&term) => return None,
            Op::SignExtend(_) => true,
            Op::ZeroExtend(_) => false,
            _ => return None,
        };
        let narrow = self.operand(pool.operands(term)[0], Some(signed))?;
        let width = pool.width(term);
        // Of a sum or product, the cast shows at which width it is computed: `(long)(a * b)`.
        let converts = beside.ctype.width == width
            && narrow.ctype.width < width
            && narrow.precedence >= precedence::UNARY;
        (converts && self.done[&term].ctype.width == width).then_some(narrow)
    }

    /// An operand whose value is the term's, read with the wanted signedness or with its own.
    pub(super) fn operand(&self, term: TermId, signed: Option<bool>) -> Option<Text> {
        let (pool, known) = (self.pool, &self.done[&term]);
        let signed = signed.unwrap_or(known.signed);
        if signed == known.signed && known.exact {
            return Some(known.clone());
        }
        // What is never negative is the same, whichever way it is read.
        let is_bits = pool.sort(term).width().is_some();
        if known.exact && is_bits && bits_needed(pool, term) < pool.width(term) {
            return Some(Text { signed, ..known.clone() });
        }
        match pool.as_bits(term) {
            Some(value) => number(&value, signed),
            None if pool.sort(term) == Sort::Bool => Some(known.clone()),
            None => self.cast(term, pool.width(term), signed),
        }
    }
}

/// The opposite of a number; `--` would be another operator.
fn negative(of: &Text) -> String {
    let of = wrap(of, precedence::UNARY);
    if of.starts_with('-') { format!("-({of})") } else { format!("-{of}") }
}

/// An operand of a shift or of a bit operation: few know how these bind, so what is made of other operators is in
/// parentheses.
fn clear(operand: &Text, binding: u32) -> String {
    wrap(operand, binding.max(precedence::UNARY))
}

/// The narrowest type that C computes in and that has room for so many bits.
fn wider(width: u32) -> Option<u32> {
    [32, 64, 128].into_iter().find(|room| *room >= width)
}

/// `x`, if the term is `-1 * x`.
fn negated_factor(pool: &TermPool, term: TermId) -> Option<TermId> {
    match (pool.op(term), pool.operands(term)) {
        (Op::BvMul, &[a, b]) if pool.as_bits(a).is_some_and(|c| c.is_ones()) => Some(b),
        (Op::BvMul, &[a, b]) if pool.as_bits(b).is_some_and(|c| c.is_ones()) => Some(a),
        _ => None,
    }
}
