//! Polynomials modulo `2^w`: the normal form of sums and products.
//!
//! A polynomial is a sum of monomials, a monomial a coefficient times a product of atoms (terms
//! that are neither sum nor product). `~x` is `-1 - x`. Sound because `+` and `*` on `w` bits are the ring of integers
//! modulo `2^w`.

use std::collections::BTreeMap;

use crate::bits::Bits;
use crate::op::Op;
use crate::term::{TermId, TermPool};

/// Monomials beyond which sums are not flattened any more.
const MAX_MONOMIALS: usize = 64;

/// Monomials beyond which products are not multiplied out.
const MAX_PRODUCT: usize = 16;

/// Atoms in one monomial beyond which products are not multiplied out.
const MAX_DEGREE: usize = 4;

/// How deep sums and products are looked into. Operands in normal form are sums of products of
/// atoms, so more is only there where one of the limits above was reached.
const MAX_DEPTH: u32 = 2;

/// Atoms, sorted, with repetition; none for the constant.
type Monomial = Vec<TermId>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Polynomial {
    width: u32,
    /// No coefficient is zero.
    monomials: BTreeMap<Monomial, Bits>,
}

impl Polynomial {
    pub(super) fn zero(width: u32) -> Polynomial {
        Polynomial { width, monomials: BTreeMap::new() }
    }

    fn constant(value: Bits) -> Polynomial {
        let mut result = Polynomial::zero(value.width());
        result.add_monomial(Vec::new(), &value);
        result
    }

    fn atom(pool: &TermPool, term: TermId) -> Polynomial {
        let width = pool.width(term);
        let mut result = Polynomial::zero(width);
        result.add_monomial(vec![term], &Bits::one(width));
        result
    }

    /// The polynomial that a bit-vector term is. Looks through sums, products and complements.
    pub(super) fn of(pool: &mut TermPool, term: TermId) -> Polynomial {
        Polynomial::of_at(pool, term, 0)
    }

    fn of_at(pool: &mut TermPool, term: TermId, depth: u32) -> Polynomial {
        match pool.op(term) {
            Op::BvAdd | Op::BvMul | Op::BvNot if depth > MAX_DEPTH => Polynomial::atom(pool, term),
            Op::Small(_) | Op::Large(_) => match pool.as_bits(term) {
                Some(value) => Polynomial::constant(value),
                None => Polynomial::atom(pool, term),
            },
            Op::BvAdd => Polynomial::sum_of(pool, term, depth),
            Op::BvMul => Polynomial::product_of(pool, term, depth),
            Op::BvNot => {
                let operand = pool.operands(term)[0];
                let width = pool.width(term);
                let mut result = Polynomial::of_at(pool, operand, depth + 1);
                result.scale(&Bits::ones(width));
                result.add_monomial(Vec::new(), &Bits::ones(width));
                result
            }
            _ => Polynomial::atom(pool, term),
        }
    }

    fn sum_of(pool: &mut TermPool, term: TermId, depth: u32) -> Polynomial {
        let width = pool.width(term);
        let mut result = Polynomial::zero(width);
        for operand in pool.operands(term).to_vec() {
            // Nested sums of a normal form are too large to be flattened.
            let nested = matches!(pool.op(operand), Op::BvAdd)
                && pool.operands(operand).len() >= MAX_MONOMIALS;
            let part = if nested {
                Polynomial::atom(pool, operand)
            } else {
                Polynomial::of_at(pool, operand, depth + 1)
            };
            result.add(&part);
        }
        result
    }

    fn product_of(pool: &mut TermPool, term: TermId, depth: u32) -> Polynomial {
        let width = pool.width(term);
        let mut result = Polynomial::constant(Bits::one(width));
        for operand in pool.operands(term).to_vec() {
            let nested =
                matches!(pool.op(operand), Op::BvMul) && pool.operands(operand).len() >= MAX_DEGREE;
            let factor = if nested {
                Polynomial::atom(pool, operand)
            } else {
                Polynomial::of_at(pool, operand, depth + 1)
            };
            let size = result.monomials.len() * factor.monomials.len();
            if size > MAX_PRODUCT || result.degree() + factor.degree() > MAX_DEGREE {
                // Too large to multiply out.
                result = result.times(&Polynomial::atom(pool, operand));
            } else {
                result = result.times(&factor);
            }
        }
        result
    }

    fn degree(&self) -> usize {
        self.monomials.keys().map(Vec::len).max().unwrap_or(0)
    }

    fn add_monomial(&mut self, monomial: Monomial, coefficient: &Bits) {
        let zero = Bits::zero(self.width);
        let old = self.monomials.get(&monomial).unwrap_or(&zero);
        let sum = old.add(coefficient);
        if sum.is_zero() {
            self.monomials.remove(&monomial);
        } else {
            self.monomials.insert(monomial, sum);
        }
    }

    pub(super) fn add(&mut self, other: &Polynomial) {
        for (monomial, coefficient) in &other.monomials {
            self.add_monomial(monomial.clone(), coefficient);
        }
    }

    pub(super) fn sub(&mut self, other: &Polynomial) {
        for (monomial, coefficient) in &other.monomials {
            self.add_monomial(monomial.clone(), &coefficient.neg());
        }
    }

    pub(super) fn scale(&mut self, factor: &Bits) {
        let monomials = std::mem::take(&mut self.monomials);
        for (monomial, coefficient) in monomials {
            self.add_monomial(monomial, &coefficient.mul(factor));
        }
    }

    /// Every coefficient divided by `2^k`, which must divide it.
    pub(super) fn halved(&self, k: u32) -> Polynomial {
        let by = Bits::new(self.width, k.into());
        let halved = |c: &Bits| c.lshr(&by);
        let monomials = self.monomials.iter().map(|(m, c)| (m.clone(), halved(c))).collect();
        Polynomial { width: self.width, monomials }
    }

    fn times(&self, other: &Polynomial) -> Polynomial {
        let mut result = Polynomial::zero(self.width);
        for (left, a) in &self.monomials {
            for (right, b) in &other.monomials {
                let mut monomial = left.clone();
                monomial.extend_from_slice(right);
                monomial.sort_unstable();
                result.add_monomial(monomial, &a.mul(b));
            }
        }
        result
    }

    /// The value, if there is no atom.
    pub(super) fn as_constant(&self) -> Option<Bits> {
        match self.monomials.len() {
            0 => Some(Bits::zero(self.width)),
            1 => self.monomials.get(&Vec::new()).cloned(),
            _ => None,
        }
    }

    pub(super) fn constant_part(&self) -> Bits {
        self.monomials.get(&Vec::new()).cloned().unwrap_or_else(|| Bits::zero(self.width))
    }

    /// The monomials with their coefficients.
    pub(super) fn monomials(&self) -> impl Iterator<Item = (&Monomial, &Bits)> {
        self.monomials.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.monomials.len()
    }

    /// The monomials that both have with the same coefficient.
    pub(super) fn common(&self, other: &Polynomial) -> Polynomial {
        let mut result = Polynomial::zero(self.width);
        for (monomial, coefficient) in &self.monomials {
            if other.monomials.get(monomial) == Some(coefficient) {
                result.add_monomial(monomial.clone(), coefficient);
            }
        }
        result
    }

    /// Keeps the monomials for which `keep` says so.
    pub(super) fn filtered(&self, keep: impl Fn(&Monomial, &Bits) -> bool) -> Polynomial {
        let mut result = self.clone();
        result.monomials.retain(|monomial, coefficient| keep(monomial, coefficient));
        result
    }

    /// The one term in normal form for this polynomial.
    pub(super) fn to_term(&self, pool: &mut TermPool) -> TermId {
        if let Some(value) = self.as_constant() {
            return pool.constant_bits(&value);
        }
        if let Some(term) = self.as_complement(pool) {
            return term;
        }
        let mut terms: Vec<TermId> = Vec::new();
        for (monomial, coefficient) in &self.monomials {
            let mut factors = Vec::new();
            if !coefficient.is_one() || monomial.is_empty() {
                factors.push(pool.constant_bits(coefficient));
            }
            factors.extend_from_slice(monomial);
            factors.sort_unstable();
            terms.push(pool.mk(Op::BvMul, &factors));
        }
        terms.sort_unstable();
        pool.mk(Op::BvAdd, &terms)
    }

    /// `-1 - m` is written `~m`.
    fn as_complement(&self, pool: &mut TermPool) -> Option<TermId> {
        if self.monomials.len() != 2 || !self.constant_part().is_ones() {
            return None;
        }
        let (monomial, coefficient) = self.monomials.iter().find(|(m, _)| !m.is_empty())?;
        if !coefficient.is_ones() {
            return None;
        }
        let product = pool.mk(Op::BvMul, monomial);
        Some(pool.mk(Op::BvNot, &[product]))
    }
}

/// Whether two terms of one sort differ under every assignment, as far as can be seen at a glance:
/// constants, or sums in normal form that differ in their constant alone. Asked for every pair of
/// accesses to an array, so it allocates nothing.
pub(crate) fn definitely_different(pool: &TermPool, a: TermId, b: TermId) -> bool {
    if a == b {
        return false;
    }
    if pool.sort(a).width().is_none() {
        return matches!((pool.as_value(a), pool.as_value(b)), (Some(a), Some(b)) if a != b);
    }
    let variable = |term: &&TermId| !pool.op(**term).is_constant();
    let (left, right) = (summands(pool, &a), summands(pool, &b));
    if !left.iter().filter(variable).eq(right.iter().filter(variable)) {
        return false;
    }
    let constant = |terms: &[TermId]| terms.iter().find_map(|term| pool.as_bits(*term));
    match (constant(left), constant(right)) {
        (Some(a), Some(b)) => a != b,
        (Some(one), None) | (None, Some(one)) => !one.is_zero(),
        (None, None) => false,
    }
}

fn summands<'a>(pool: &'a TermPool, term: &'a TermId) -> &'a [TermId] {
    match pool.op(*term) {
        Op::BvAdd => pool.operands(*term),
        _ => std::slice::from_ref(term),
    }
}
