//! Sums of products modulo `2^w`, of terms whose operators are those of a ring, and their identities as scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use verdiff_logic::{FunctionId, Op, TermId, TermPool};

/// More steps are not made for one sum, nor are there more products in it.
const MOST_STEPS: usize = 4_000;
const MOST_PRODUCTS: usize = 200;

/// Which unknowns are multiplied, sorted, and how often that is added.
pub type Sum = BTreeMap<Vec<u32>, u64>;

/// Something of which only its value counts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Unknown {
    Term(TermId),
    /// A function of sums: equal sums give equal results.
    Call(FunctionId, Vec<(u32, Sum)>),
}

/// Terms as sums: each unknown is the unsigned value of a term.
///
/// Sound because `+`, `*` and `~` on w bits are the ring of integers modulo `2^w`: the low bits of a result are determined
/// by the low bits of its operands. So a term and its sum, computed with the values of the unknowns, are congruent modulo
/// `2^w`. Shifts to the left by a constant are products; the low bits of a term, and a term extended, are
/// congruent to the term itself as far as both have bits.
pub struct Sums<'p> {
    pool: &'p TermPool,
    unknowns: BTreeMap<Unknown, u32>,
    steps: usize,
}

/// A sum, and the same as it stands in the term, as text over integers.
pub struct Written {
    pub sum: Sum,
    pub text: String,
}

impl<'p> Sums<'p> {
    pub fn new(pool: &'p TermPool) -> Sums<'p> {
        Sums { pool, unknowns: BTreeMap::new(), steps: 0 }
    }

    /// What a term is modulo `2^width`; it has at least so many bits. Nothing if that is too long.
    pub fn of(&mut self, term: TermId, width: u32) -> Option<Written> {
        self.steps += 1;
        if self.steps > MOST_STEPS || width > 64 {
            return None;
        }
        let operands = self.pool.operands(term).to_vec();
        match self.pool.op(term) {
            Op::Small(number) => Some(constant(number, width)),
            Op::BvAdd => {
                let all: Option<Vec<Written>> =
                    operands.iter().map(|term| self.of(*term, width)).collect();
                Some(all?.into_iter().fold(constant(0, width), |a, b| add(a, b, width)))
            }
            Op::BvMul => {
                let mut product = constant(1, width);
                for operand in operands {
                    product = multiply(product, self.of(operand, width)?, width)?;
                }
                Some(product)
            }
            Op::BvNot => {
                let minus =
                    multiply(constant(u64::MAX, width), self.of(operands[0], width)?, width)?;
                Some(add(minus, constant(u64::MAX, width), width))
            }
            Op::BvShl => match self.pool.op(operands[1]) {
                Op::Small(by) if by < u64::from(width) => {
                    multiply(constant(1 << by, width), self.of(operands[0], width)?, width)
                }
                _ => self.unknown(Unknown::Term(term), width),
            },
            // The low bits of a term with more bits: those that are wanted are among them.
            Op::Extract { low: 0, .. } => self.of(operands[0], width),
            Op::ZeroExtend(_) | Op::SignExtend(_) if width_of(self.pool, operands[0]) >= width => {
                self.of(operands[0], width)
            }
            // An extended term has the same unsigned value.
            Op::ZeroExtend(_) => self.unknown(Unknown::Term(operands[0]), width),
            Op::Concat => {
                let last = *operands.last()?;
                let low = width_of(self.pool, last);
                match (self.pool.op(last), &operands[..]) {
                    _ if low >= width => self.of(last, width),
                    (Op::Small(number), [high, _]) if width - low <= width_of(self.pool, *high) => {
                        let high = self.of(*high, width - low)?;
                        let high = multiply(constant(1 << low, width), high, width)?;
                        Some(add(high, constant(number, width), width))
                    }
                    _ => self.unknown(Unknown::Term(term), width),
                }
            }
            Op::Apply(function) => {
                let mut arguments = vec![];
                for operand in operands {
                    let width = self.pool.sort(operand).width()?;
                    arguments.push((width, self.of(operand, width)?.sum));
                }
                self.unknown(Unknown::Call(function, arguments), width)
            }
            _ => self.unknown(Unknown::Term(term), width),
        }
    }

    fn unknown(&mut self, unknown: Unknown, width: u32) -> Option<Written> {
        let next = self.unknowns.len() as u32;
        let number = *self.unknowns.entry(unknown).or_insert(next);
        let one = 1 & mask(width);
        Some(Written { sum: [(vec![number], one)].into(), text: format!("v{number}") })
    }
}

/// How many bits a term has that has any.
pub fn width_of(pool: &TermPool, term: TermId) -> u32 {
    pool.sort(term).width().unwrap_or(1)
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

fn constant(number: u64, width: u32) -> Written {
    let number = number & mask(width);
    let shift = 64 - width;
    let signed = ((number << shift) as i64) >> shift;
    let text = match signed < 0 {
        true => format!("(- {})", signed.unsigned_abs()),
        false => signed.to_string(),
    };
    let sum = if number == 0 { Sum::new() } else { [(vec![], number)].into() };
    Written { sum, text }
}

fn add(a: Written, b: Written, width: u32) -> Written {
    let text = format!("(+ {} {})", a.text, b.text);
    let mut sum = a.sum;
    for (product, count) in b.sum {
        enter(&mut sum, product, count, width);
    }
    Written { sum, text }
}

fn multiply(a: Written, b: Written, width: u32) -> Option<Written> {
    let mut sum = Sum::new();
    for (left, m) in &a.sum {
        for (right, n) in &b.sum {
            let mut product = [&left[..], right].concat();
            product.sort_unstable();
            enter(&mut sum, product, m.wrapping_mul(*n), width);
        }
    }
    let text = format!("(* {} {})", a.text, b.text);
    (sum.len() <= MOST_PRODUCTS).then_some(Written { sum, text })
}

fn enter(sum: &mut Sum, product: Vec<u32>, count: u64, width: u32) {
    let known = sum.entry(product.clone()).or_insert(0);
    *known = known.wrapping_add(count) & mask(width);
    if *known == 0 {
        sum.remove(&product);
    }
}

/// `a - b`.
pub fn minus(a: Written, b: Written, width: u32) -> Option<Written> {
    Some(add(a, multiply(constant(u64::MAX, width), b, width)?, width))
}

/// `a + b`.
pub fn plus(a: Written, b: Written, width: u32) -> Written {
    add(a, b, width)
}

/// The script that says that a sum is not a multiple of `2^width`, for any integers.
pub fn script(written: &Written, width: u32) -> String {
    let words = written.text.split(|c: char| !c.is_ascii_alphanumeric());
    let names: BTreeSet<&str> = words.filter(|word| word.starts_with('v')).collect();
    let mut script = String::from("(set-logic ALL)\n");
    for name in names {
        let _ = writeln!(script, "(declare-fun {name} () Int)");
    }
    let modulus = 1u128 << width;
    let _ = writeln!(script, "(assert (not (= 0 (mod {} {modulus}))))", written.text);
    script.push_str("(check-sat)\n");
    script
}

#[cfg(test)]
mod tests {
    use super::*;
    use verdiff_logic::solver::{Limits, refutes_text};
    use verdiff_logic::{Assignment, Bits, Evaluator, Sort, Value};

    struct Dice(u64);

    impl Dice {
        fn roll(&mut self, sides: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) % sides
        }

        /// A random term of so many bits.
        fn term(&mut self, pool: &mut TermPool, width: u32, depth: u32) -> TermId {
            let name = self.roll(3);
            let symbol = |pool: &mut TermPool, width: u32| {
                pool.symbol(&format!("s{name}.{width}"), Sort::BitVec(width)).unwrap()
            };
            if depth == 0 {
                return match self.roll(3) {
                    0 => pool.bits(width, self.roll(1 << 20).into()).unwrap(),
                    _ => symbol(pool, width),
                };
            }
            let mut part = |pool: &mut TermPool, width: u32| self.term(pool, width, depth - 1);
            let (a, b) = (part(pool, width), part(pool, width));
            let wide = part(pool, 2 * width);
            let half = part(pool, width / 2);
            let low = pool.bits(width / 2, 5).unwrap();
            let by = pool.bits(width, 3).unwrap();
            match self.roll(10) {
                0 | 1 => pool.bv_add(a, b).unwrap(),
                2 | 3 => pool.bv_mul(a, b).unwrap(),
                4 => pool.bv_not(a).unwrap(),
                5 => pool.bv_shl(a, by).unwrap(),
                6 => pool.extract(width - 1, 0, wide).unwrap(),
                7 => pool.zero_extend(width - width / 2, half).unwrap(),
                8 => pool.sign_extend(width - width / 2, half).unwrap(),
                _ => pool.apply_op(Op::Concat, &[half, low]).unwrap(),
            }
        }
    }

    fn value(pool: &TermPool, term: TermId, assignment: &Assignment) -> u64 {
        let value = Evaluator::new(assignment).eval(pool, term).unwrap();
        value.as_bits().and_then(Bits::to_u64).unwrap()
    }

    /// A sum is congruent to its term, whatever the variables are.
    #[test]
    fn sums_are_congruent_to_random_terms() {
        let mut dice = Dice(5);
        let mut checked = 0;
        for round in 0..400 {
            let mut pool = TermPool::new();
            let width = [8, 16, 32][round % 3];
            let term = dice.term(&mut pool, width, 3);
            let own = 1 + dice.roll(u64::from(width)) as u32;
            let mut sums = Sums::new(&pool);
            let Some(written) = sums.of(term, own) else { continue };
            let mut assignment = Assignment::new();
            for symbol in pool.free_names(&[term]).symbols {
                let symbol = pool.symbol_term(symbol);
                let bits = width_of(&pool, symbol);
                let number =
                    Bits::new(bits, (dice.roll(1 << 31) << 16 ^ dice.roll(1 << 31)).into());
                assignment.set_term(&pool, symbol, Value::Bits(number)).unwrap();
            }
            let mut numbers = vec![0; sums.unknowns.len()];
            for (unknown, number) in &sums.unknowns {
                let Unknown::Term(term) = unknown else { continue };
                numbers[*number as usize] = value(&pool, *term, &assignment);
            }
            let product = |(factors, count): (&Vec<u32>, &u64)| {
                factors.iter().fold(*count, |p, f| p.wrapping_mul(numbers[*f as usize]))
            };
            let sum = written.sum.iter().map(product).fold(0, u64::wrapping_add) & mask(own);
            assert_eq!(sum, value(&pool, term, &assignment) & mask(own));
            checked += 1;
        }
        assert!(checked > 200);
    }

    /// ✗ A script of what is no identity.
    #[test]
    fn scripts_of_identities_alone_are_refuted() {
        let mut pool = TermPool::new();
        let [a, b] = ["a", "b"].map(|name| pool.symbol(name, Sort::BitVec(32)).unwrap());
        let sum = pool.bv_add(a, b).unwrap();
        let left = pool.bv_mul(sum, sum).unwrap();
        let [aa, ab, bb] = [(a, a), (a, b), (b, b)].map(|(a, b)| pool.bv_mul(a, b).unwrap());
        let twice = pool.bv_add(ab, ab).unwrap();
        let right = pool.bv_add(aa, twice).unwrap();
        let right = pool.bv_add(right, bb).unwrap();
        for (other, equal) in [(right, true), (aa, false), (left, true)] {
            let mut sums = Sums::new(&pool);
            let (x, y) = (sums.of(left, 32).unwrap(), sums.of(other, 32).unwrap());
            let difference = minus(x, y, 32).unwrap();
            assert_eq!(difference.sum.is_empty(), equal);
            let limits = Limits::effort(verdiff_logic::effort::Effort::millis(200));
            assert_eq!(refutes_text(&script(&difference, 32), &limits), equal);
        }
    }
}
