//! Conditions over integer parameters, read back from C, to draw where they hold.
//!
//! Only what can be evaluated without doubt is read: integer constants, parameters of known integer types, and
//! operators without casts. An operation whose result leaves the type of its operands has no value; a picture then
//! shows nothing for these parameters instead of something wrong.

/// An integer type of C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntegerType {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

impl IntegerType {
    /// The smallest and the largest value.
    pub(super) fn range(self) -> (i128, i128) {
        match self.signed {
            true => (-(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1),
            false => (0, (1 << self.bits) - 1),
        }
    }

    /// After the integer promotions.
    fn promoted(self) -> IntegerType {
        if self.bits < 32 { IntegerType { bits: 32, signed: true } } else { self }
    }

    /// The common type of two operands (C17 6.3.1.8), on targets with `int` of 32 bits.
    fn common(self, other: IntegerType) -> IntegerType {
        let (left, right) = (self.promoted(), other.promoted());
        match left.bits.cmp(&right.bits) {
            std::cmp::Ordering::Greater => left,
            std::cmp::Ordering::Less => right,
            std::cmp::Ordering::Equal => {
                IntegerType { bits: left.bits, signed: left.signed && right.signed }
            }
        }
    }
}

const INT: IntegerType = IntegerType { bits: 32, signed: true };

/// A parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) ctype: IntegerType,
}

/// A condition that can be evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    Constant(i128, IntegerType),
    Parameter(usize, IntegerType),
    Unary(char, Box<Expression>),
    Binary(&'static str, Box<Expression>, Box<Expression>),
}

/// All binary operators, the loosest first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl Expression {
    /// Reads a condition over these parameters; `None` if it has anything else in it.
    pub(super) fn parse(text: &str, parameters: &[Parameter]) -> Option<Expression> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, at: 0, parameters };
        let expression = parser.level(0)?;
        (parser.at == tokens.len()).then_some(expression)
    }

    /// Its value; `None` if an operation has none, or one that does not fit its type.
    pub(super) fn evaluate(&self, values: &[i128]) -> Option<i128> {
        self.value(values).map(|(value, _)| value)
    }

    fn value(&self, values: &[i128]) -> Option<(i128, IntegerType)> {
        match self {
            Expression::Constant(value, ctype) => Some((*value, *ctype)),
            Expression::Parameter(index, ctype) => Some((*values.get(*index)?, *ctype)),
            Expression::Unary(operator, inner) => {
                let (value, ctype) = inner.value(values)?;
                let ctype = ctype.promoted();
                match operator {
                    '!' => Some((i128::from(value == 0), INT)),
                    '-' => fits(-value, ctype),
                    _ if ctype.signed => Some((!value, ctype)),
                    _ => None,
                }
            }
            Expression::Binary(operator @ ("&&" | "||"), left, right) => {
                let (left, _) = left.value(values)?;
                let decided = if *operator == "&&" { left == 0 } else { left != 0 };
                let value = if decided { left != 0 } else { right.value(values)?.0 != 0 };
                Some((i128::from(value), INT))
            }
            Expression::Binary(operator, left, right) => {
                binary(operator, left.value(values)?, right.value(values)?)
            }
        }
    }

    /// All constants in it.
    pub(super) fn constants(&self, into: &mut Vec<i128>) {
        match self {
            Expression::Constant(value, _) => into.push(*value),
            Expression::Parameter(..) => {}
            Expression::Unary(operator, inner) => match (operator, &**inner) {
                ('-', Expression::Constant(value, _)) => into.push(-value),
                _ => inner.constants(into),
            },
            Expression::Binary(_, left, right) => {
                left.constants(into);
                right.constants(into);
            }
        }
    }

    /// Whether it only compares parameters with constants and with each other: between two neighbouring constants it
    /// then has one value.
    pub(super) fn only_compares(&self) -> bool {
        let is_leaf = |e: &Expression| match e {
            Expression::Unary('-', inner) => matches!(**inner, Expression::Constant(..)),
            Expression::Constant(..) | Expression::Parameter(..) => true,
            _ => false,
        };
        match self {
            Expression::Binary("&&" | "||", left, right) => {
                left.only_compares() && right.only_compares()
            }
            Expression::Unary('!', inner) => inner.only_compares(),
            Expression::Binary("==" | "!=" | "<" | "<=" | ">" | ">=", left, right) => {
                is_leaf(left) && is_leaf(right)
            }
            Expression::Constant(..) => true,
            _ => false,
        }
    }
}

fn fits(value: i128, ctype: IntegerType) -> Option<(i128, IntegerType)> {
    let (low, high) = ctype.range();
    (low..=high).contains(&value).then_some((value, ctype))
}

fn binary(
    operator: &str,
    (a, left): (i128, IntegerType),
    (b, right): (i128, IntegerType),
) -> Option<(i128, IntegerType)> {
    if matches!(operator, "<<" | ">>") {
        let ctype = left.promoted();
        let by = u32::try_from(b).ok().filter(|by| *by < ctype.bits)?;
        return if operator == ">>" {
            Some((a >> by, ctype))
        } else {
            fits(a.checked_shl(by)?, ctype)
        };
    }
    let ctype = left.common(right);
    // A negative operand that becomes unsigned is another number.
    let (a, b) = (fits(a, ctype)?.0, fits(b, ctype)?.0);
    let truth = |value: bool| Some((i128::from(value), INT));
    match operator {
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(a < b),
        "<=" => truth(a <= b),
        ">" => truth(a > b),
        ">=" => truth(a >= b),
        "+" => fits(a + b, ctype),
        "-" => fits(a - b, ctype),
        "*" => fits(a.checked_mul(b)?, ctype),
        "/" => fits(a.checked_div(b)?, ctype),
        "%" => fits(a.checked_rem(b)?, ctype),
        "&" => Some((a & b, ctype)),
        "|" => Some((a | b, ctype)),
        "^" => Some((a ^ b, ctype)),
        _ => None,
    }
}

fn tokens(text: &str) -> Option<Vec<&str>> {
    let mut rest = text.trim_start();
    let mut tokens = vec![];
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            let two = ["||", "&&", "==", "!=", "<=", ">=", "<<", ">>"];
            match two.iter().any(|operator| rest.starts_with(operator)) {
                true => 2,
                false if "|^&<>+-*/%!~()".contains(first) => 1,
                false => return None,
            }
        };
        let (token, behind) = rest.split_at(length);
        // A member access.
        if token == "-" && behind.starts_with('>') {
            return None;
        }
        tokens.push(token);
        rest = behind.trim_start();
    }
    Some(tokens)
}

struct Parser<'a> {
    tokens: &'a [&'a str],
    at: usize,
    parameters: &'a [Parameter],
}

impl Parser<'_> {
    fn level(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) =
            operators.iter().find(|operator| self.tokens.get(self.at) == Some(operator))
        {
            self.at += 1;
            let right = self.level(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expression> {
        let token = *self.tokens.get(self.at)?;
        self.at += 1;
        match token {
            "!" | "-" | "~" => {
                let operator = token.chars().next()?;
                Some(Expression::Unary(operator, Box::new(self.unary()?)))
            }
            "(" => {
                let inner = self.level(0)?;
                let closed = self.tokens.get(self.at) == Some(&")");
                self.at += 1;
                closed.then_some(inner)
            }
            word if word.starts_with(|c: char| c.is_ascii_digit()) => constant(word),
            word => {
                let index = self.parameters.iter().position(|p| p.name == word)?;
                Some(Expression::Parameter(index, self.parameters[index].ctype))
            }
        }
    }
}

/// A constant with its type (C17 6.4.4.1).
fn constant(word: &str) -> Option<Expression> {
    let lower = word.to_ascii_lowercase();
    let digits = lower.trim_end_matches(['u', 'l']);
    let suffix = &lower[digits.len()..];
    let (value, decimal) = match digits.strip_prefix("0x") {
        Some(hex) => (i128::from_str_radix(hex, 16).ok()?, false),
        None if digits.len() > 1 && digits.starts_with('0') => return None,
        None => (digits.parse().ok()?, true),
    };
    let unsigned = suffix.contains('u');
    let long = suffix.contains('l');
    let types = [(32, true), (32, false), (64, true), (64, false)]
        .map(|(bits, signed)| IntegerType { bits, signed });
    let allowed = types.into_iter().find(|ctype| {
        let sign = if unsigned { !ctype.signed } else { ctype.signed || !decimal };
        sign && (!long || ctype.bits == 64) && value <= ctype.range().1
    });
    Some(Expression::Constant(value, allowed?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters() -> Vec<Parameter> {
        let of = |name: &str, bits, signed| Parameter {
            name: name.to_owned(),
            ctype: IntegerType { bits, signed },
        };
        vec![of("x", 32, true), of("n", 32, false), of("c", 8, true)]
    }

    #[track_caller]
    fn check(text: &str, values: [i128; 3], expected: Option<i128>) {
        let expression = Expression::parse(text, &parameters()).expect(text);
        assert_eq!(expression.evaluate(&values), expected, "{text} at {values:?}");
    }

    #[test]
    fn conditions_have_the_values_of_c() {
        check("x == 4 || x == 5", [5, 0, 0], Some(1));
        check("x != 2 && !(x < -3)", [-4, 0, 0], Some(0));
        check("x % 2 < 0", [-3, 0, 0], Some(1));
        check("x / 2 == -1", [-3, 0, 0], Some(1));
        check("x - 1 < 3 & 1", [3, 0, 0], Some(1));
        check("1 + 2 * 3 == 7", [0, 0, 0], Some(1));
        check("c + 200 > 300", [0, 0, 127], Some(1));
        check("n - 1u <= 5u", [0, 6, 0], Some(1));
        check("x >> 1 == -2", [-3, 0, 0], Some(1));
    }

    #[test]
    fn what_leaves_its_type_has_no_value() {
        check("x + 1 > x", [i128::from(i32::MAX), 0, 0], None);
        check("n - 1u <= 5u", [0, 0, 0], None);
        check("x < n", [-1, 4, 0], None);
        check("5 / x == 1", [0, 0, 0], None);
        check("x == 3 || 5 / x == 1", [3, 0, 0], Some(1));
    }

    #[test]
    fn what_is_not_plain_is_not_read() {
        for text in [
            "p->x == 1",
            "(unsigned)x > 3",
            "f(x)",
            "x == ",
            "y == 1",
            "a[0] == 1",
            "x == 010",
            "x ? 1 : 0",
        ] {
            assert_eq!(Expression::parse(text, &parameters()), None, "{text}");
        }
    }
}
