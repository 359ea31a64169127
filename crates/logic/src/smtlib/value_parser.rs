//! Values as solvers print them.

use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::float::FloatValue;
use crate::sort::{FloatFormat, Sort, UninterpretedSort};
use crate::term::TermPool;
use crate::value::{ArrayValue, Value};
use num_bigint::BigUint;

use super::sexpr::Sexprs;

/// A printed value that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// Not a value of the sort asked for, or of a form not known here.
    #[error("`{text}` is not understood as a value of sort {sort:?}")]
    NotAValue {
        /// The beginning of the text.
        text: String,
        /// The sort asked for.
        sort: Sort,
    },
    /// Values inside values, too deep.
    #[error("a value is nested too deeply")]
    TooDeep,
}

/// Numbers for the names that a solver gives to elements of uninterpreted sorts. One is to be
/// used for all values of one model.
#[derive(Debug, Default, Clone)]
pub struct ElementNames {
    numbers: FxHashMap<(UninterpretedSort, String), u32>,
}

impl ElementNames {
    /// The number of the element of this name.
    pub fn number(&mut self, sort: UninterpretedSort, name: &str) -> u32 {
        let next = self.numbers.len() as u32;
        *self.numbers.entry((sort, name.to_string())).or_insert(next)
    }
}

/// Reads expression `number` as a value of the given sort.
pub fn parse_value(
    pool: &TermPool,
    text: &Sexprs,
    number: usize,
    sort: Sort,
    elements: &mut ElementNames,
) -> Result<Value, ValueError> {
    ValueReader { pool, text, elements, bound: FxHashMap::default(), followed: 0 }
        .value(number, sort, 0)
}

const MAX_DEPTH: u32 = 100;

/// How often bound names are followed in one value: a name may be bound to itself in nonsense.
const MAX_FOLLOWED: u32 = 1_000_000;

struct ValueReader<'a> {
    pool: &'a TermPool,
    text: &'a Sexprs,
    elements: &'a mut ElementNames,
    /// What `let` has bound; read when it is used, because only then is its sort known.
    bound: FxHashMap<String, usize>,
    followed: u32,
}

impl ValueReader<'_> {
    fn value(&mut self, number: usize, sort: Sort, depth: u32) -> Result<Value, ValueError> {
        if depth > MAX_DEPTH {
            return Err(ValueError::TooDeep);
        }
        let number = self.look_through(number)?;
        let read = match sort {
            Sort::Bool => match self.text.atom(number) {
                Some("true") => Some(Value::Bool(true)),
                Some("false") => Some(Value::Bool(false)),
                _ => None,
            },
            Sort::BitVec(width) => {
                self.bits(number).filter(|bits| bits.width() == width).map(Value::Bits)
            }
            Sort::Float(format) => self.float(number, format).map(Value::Float),
            Sort::Uninterpreted(id) => {
                self.element(number).map(|name| Value::Element(id, self.elements.number(id, &name)))
            }
            Sort::Array(_) => return self.array(number, sort, depth),
        };
        read.ok_or_else(|| self.not_a_value(number, sort))
    }

    /// Enters `let`s and follows bound names.
    fn look_through(&mut self, mut number: usize) -> Result<usize, ValueError> {
        loop {
            if let Some(target) = self.text.atom(number).and_then(|name| self.bound.get(name)) {
                number = *target;
                self.followed += 1;
                if self.followed > MAX_FOLLOWED {
                    return Err(ValueError::TooDeep);
                }
                continue;
            }
            let parts = self.text.list(number).unwrap_or_default();
            let &[word, bindings, body] = parts else { return Ok(number) };
            if self.text.atom(word) != Some("let") {
                return Ok(number);
            }
            for binding in self.text.list(bindings).unwrap_or_default() {
                if let Some(&[name, target]) = self.text.list(*binding)
                    && let Some(name) = self.text.atom(name)
                {
                    self.bound.insert(name.to_string(), target);
                }
            }
            number = body;
        }
    }

    fn bits(&self, number: usize) -> Option<Bits> {
        if let Some(word) = self.text.atom(number) {
            let (radix, digits) = match word.split_at_checked(2)? {
                ("#x", digits) => (16, digits),
                ("#b", digits) => (2, digits),
                _ => return None,
            };
            let value = BigUint::parse_bytes(digits.as_bytes(), radix)?;
            let width = digits.len() as u32 * if radix == 16 { 4 } else { 1 };
            return Some(Bits::from_biguint(width, &value));
        }
        let &[mark, value, width] = self.text.list(number)? else { return None };
        if self.text.atom(mark)? != "_" {
            return None;
        }
        let value =
            BigUint::parse_bytes(self.text.atom(value)?.strip_prefix("bv")?.as_bytes(), 10)?;
        let width = self.text.atom(width)?.parse().ok().filter(|w| Sort::bits(*w).is_ok())?;
        Some(Bits::from_biguint(width, &value))
    }

    fn float(&self, number: usize, format: FloatFormat) -> Option<FloatValue> {
        let parts = self.text.list(number)?;
        match *parts {
            [fp, sign, exponent, fraction] if self.text.atom(fp) == Some("fp") => {
                let bits = self.bits(sign)?.concat(&self.bits(exponent)?);
                FloatValue::from_bits(format, bits.concat(&self.bits(fraction)?))
            }
            [mark, name, _, _] if self.text.atom(mark) == Some("_") => {
                Some(match self.text.atom(name)? {
                    "NaN" => FloatValue::nan(format),
                    "+oo" => FloatValue::infinity(format, false),
                    "-oo" => FloatValue::infinity(format, true),
                    "+zero" => FloatValue::zero(format, false),
                    "-zero" => FloatValue::zero(format, true),
                    _ => return None,
                })
            }
            [_, bits] => FloatValue::from_bits(format, self.bits(bits)?),
            _ => None,
        }
    }

    /// The name of an element: a word, or `(as word sort)`.
    fn element(&self, number: usize) -> Option<String> {
        if let Some(word) = self.text.atom(number) {
            return Some(word.to_string());
        }
        match *self.text.list(number)? {
            [mark, name, _] if self.text.atom(mark) == Some("as") => {
                self.text.atom(name).map(str::to_string)
            }
            _ => None,
        }
    }

    /// `store` upon `store` upon a constant array, or a function given as conditions on the index.
    fn array(&mut self, number: usize, sort: Sort, depth: u32) -> Result<Value, ValueError> {
        let Sort::Array(array) = sort else { return Err(self.not_a_value(number, sort)) };
        let (index_sort, element_sort) = self.pool.array_parts(array);
        let mut changes = Vec::new();
        let mut at = number;
        let default = loop {
            at = self.look_through(at)?;
            match *self.text.list(at).unwrap_or_default() {
                [store, base, index, element] if self.text.atom(store) == Some("store") => {
                    let index = self.value(index, index_sort, depth + 1)?;
                    changes.push((index, self.value(element, element_sort, depth + 1)?));
                    at = base;
                }
                [constant, element] if self.is_const(constant) => {
                    break self.value(element, element_sort, depth + 1)?;
                }
                [lambda, parameters, body] if self.text.atom(lambda) == Some("lambda") => {
                    let name = self.only_parameter(parameters);
                    let name = name.ok_or_else(|| self.not_a_value(at, sort))?;
                    break self.conditions(body, &name, sort, depth + 1, &mut changes)?;
                }
                _ => return Err(self.not_a_value(at, sort)),
            }
        };
        // The innermost change was made first.
        let mut result = ArrayValue::constant(array, default);
        for (index, element) in changes.into_iter().rev() {
            result = result.store(index, element);
        }
        Ok(Value::Array(result))
    }

    fn is_const(&self, number: usize) -> bool {
        match self.text.list(number) {
            Some(&[mark, word, _]) => {
                self.text.atom(mark) == Some("as") && self.text.atom(word) == Some("const")
            }
            _ => false,
        }
    }

    fn only_parameter(&self, parameters: usize) -> Option<String> {
        match self.text.list(parameters)? {
            &[parameter] => {
                self.text.atom(*self.text.list(parameter)?.first()?).map(str::to_string)
            }
            _ => None,
        }
    }

    /// `(ite (= name index) element …)`, down to the value for all other indices.
    fn conditions(
        &mut self,
        mut at: usize,
        name: &str,
        sort: Sort,
        depth: u32,
        changes: &mut Vec<(Value, Value)>,
    ) -> Result<Value, ValueError> {
        let Sort::Array(array) = sort else { return Err(self.not_a_value(at, sort)) };
        let (index_sort, element_sort) = self.pool.array_parts(array);
        loop {
            at = self.look_through(at)?;
            let &[ite, condition, then, otherwise] = self.text.list(at).unwrap_or_default() else {
                return self.value(at, element_sort, depth);
            };
            if self.text.atom(ite) != Some("ite") {
                return self.value(at, element_sort, depth);
            }
            let index = match *self.text.list(condition).unwrap_or_default() {
                [eq, a, b] if self.text.atom(eq) == Some("=") => {
                    if self.text.atom(a) == Some(name) { b } else { a }
                }
                _ => return Err(self.not_a_value(condition, sort)),
            };
            let index = self.value(index, index_sort, depth)?;
            changes.push((index, self.value(then, element_sort, depth)?));
            at = otherwise;
        }
    }

    fn not_a_value(&self, number: usize, sort: Sort) -> ValueError {
        let mut text = String::new();
        let mut pending = vec![number];
        while let Some(next) = pending.pop() {
            if text.len() > 60 {
                text.push('…');
                break;
            }
            match self.text.list(next) {
                Some(parts) => pending.extend(parts.iter().rev()),
                None => {
                    text.push_str(self.text.atom(next).unwrap_or("\"…\""));
                    text.push(' ');
                }
            }
        }
        ValueError::NotAValue { text: text.trim_end().to_string(), sort }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pool: &TermPool, text: &str, sort: Sort) -> Result<Value, ValueError> {
        let text = Sexprs::parse(text).expect("is well formed");
        parse_value(pool, &text, text.roots()[0], sort, &mut ElementNames::default())
    }

    #[test]
    fn reads_every_form() {
        let mut pool = TermPool::new();
        let byte = Sort::BitVec(8);
        let five = Ok(Value::Bits(Bits::new(8, 5)));
        assert_eq!(read(&pool, "#x05", byte), five);
        assert_eq!(read(&pool, "#b00000101", byte), five);
        assert_eq!(read(&pool, "(_ bv5 8)", byte), five);
        assert_eq!(read(&pool, "(let ((a #x05)) a)", byte), five);
        let single = Sort::Float(FloatFormat::SINGLE);
        let fp = "(fp #b0 #b01111111 #b00000000000000000000000)";
        assert_eq!(read(&pool, fp, single), Ok(Value::Float(FloatValue::from_f32(1.0))));
        let zero = Ok(Value::Float(FloatValue::from_f32(-0.0)));
        assert_eq!(read(&pool, "(_ -zero 8 24)", single), zero);

        let sort = pool.array_sort(byte, byte).expect("is a sort");
        let stores = "(store (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x00) #x01 #x02) #x01 #x03)";
        let lambda = "(lambda ((x!1 (_ BitVec 8))) (ite (= x!1 #x01) #x03 #x00))";
        let array = read(&pool, stores, sort).expect("is an array");
        assert_eq!(read(&pool, lambda, sort), Ok(array.clone()));
        let Value::Array(array) = array else { panic!("not an array") };
        assert_eq!(array.select(&Value::Bits(Bits::one(8))), &Value::Bits(Bits::new(8, 3)));
    }

    #[test]
    fn refuses_nonsense() {
        let pool = TermPool::new();
        for text in ["#x5", "hello", "(_ bv5 0)", "()", "(fp #b0)", "#xzz"] {
            assert!(read(&pool, text, Sort::BitVec(8)).is_err(), "{text}");
        }
    }

    #[test]
    fn a_let_that_binds_itself_is_not_followed_for_ever() {
        let pool = TermPool::new();
        let text = "(let ((a b) (b #x05)) a)";
        assert!(read(&pool, text, Sort::BitVec(8)).is_ok());
        let text = "(let ((a b) (b a)) a)";
        assert_eq!(read(&pool, text, Sort::BitVec(8)), Err(ValueError::TooDeep));
    }
}
