//! Sums in narrow numbers as sums in wide ones, where orders say that they do not wrap.
//!
//! Four elements at once are `v[i]`, `v[i + 1]`, `v[i + 2]`, `v[i + 3]` in one version; in the other one each is `v[i]`,
//! with an `i` that was increased in between. With an index that is narrower than an address, one address has
//! `extend(i + 1)`, the other one `extend(i) + 1`. They are the same if `i + 1` does not wrap, which `n - i >= 4` says. A
//! solver that finds that out bit by bit does so for each pair of addresses, and before it knows what is read from
//! them. So it is told.
//!
//! # Why that is sound
//!
//! A sum is replaced only if comparisons that are given contradict that both are different
//! ([`orders`](super::orders)), and these comparisons stay in what is asked as they are. So whatever satisfies what is to be refuted
//! satisfies what is asked. The obligation is what was to be refuted, without any replacement. ✗ `v[i + 1]` of an
//! `unsigned i` that may be 2^32 - 1: nothing is given that excludes it, and the sum stays.

use super::claims::{Part, Posed, is_literal};
use super::prove::Proving;
use std::collections::{HashMap, HashSet, VecDeque};
use verdiff_judge::Budget;
use verdiff_logic::{LogicError, Op, SymbolId, TermId, TermPool};
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// How many sums are looked at, and how many comparisons may say something of one.
const MOST_SUMS: usize = 24;
const MOST_GIVEN: usize = 10;
/// How often sums are replaced in what was put in for others.
const MOST_ROUNDS: usize = 3;
/// Comparisons of more variables are left out.
const MOST_NAMES: usize = 3;

impl Proving<'_, '_> {
    /// Extended sums that do not wrap, and the sums of what is extended.
    pub fn widened(
        &mut self,
        posed: &Posed,
        parts: &[Part],
        budget: &Budget,
    ) -> Result<HashMap<TermId, TermId>, Stop> {
        let space = &mut self.stepping.product.space;
        let is_plain = |part: &&Part| is_kept(&space.pool, part.0);
        let (kept, others): (Vec<&Part>, Vec<&Part>) = parts.iter().partition(is_plain);
        let mut roots: Vec<TermId> = others.iter().map(|part| part.0).collect();
        for (_, violated) in &posed.claims {
            roots.push(posed.replace.put(space, *violated)?);
        }
        let mut open: VecDeque<TermId> = extended(&space.pool, &roots).into();
        let mut known: HashSet<TermId> = open.iter().copied().collect();
        let mut found = HashMap::new();
        let mut looked = 0;
        while let Some(narrow) = open.pop_front() {
            if budget.is_over() || looked == MOST_SUMS {
                break;
            }
            let wide = match space.pool.op(space.pool.operands(narrow)[0]) {
                Op::BvAdd => wide_sum(space, narrow)?,
                // Where far accesses are taken not to be made, that an index is not negative may be for that reason alone.
                _ if self.stepping.accesses.is_some() => None,
                _ => unsigned(space, narrow, &known)?,
            };
            let Some(wide) = wide else { continue };
            let same = space.pool.eq(narrow, wide)?;
            if space.pool.op(same) == Op::True {
                continue;
            }
            looked += 1;
            let mut literals = given_of(&space.pool, &kept, narrow);
            literals.push(space.pool.not(same)?);
            if self.orders.is_contradiction(&space.pool, &literals) {
                found.insert(narrow, wide);
                let parts = extended(&space.pool, &[wide]);
                open.extend(parts.into_iter().filter(|part| known.insert(*part)));
            }
        }
        Ok(found)
    }
}

/// What is extended, with and without its sign, in these terms.
fn extended(pool: &TermPool, roots: &[TermId]) -> Vec<TermId> {
    let is_extended =
        |term: &TermId| matches!(pool.op(*term), Op::ZeroExtend(_) | Op::SignExtend(_));
    pool.sub_terms(roots).into_iter().filter(is_extended).collect()
}

/// A number that is extended with its sign, without it: if it is extended in that way somewhere else. ✗ `v[i]` with an `int i`
/// against a pointer that is known to be `v` and so many elements: two addresses, until it is known that `i` is not negative.
fn unsigned(
    space: &mut Space,
    narrow: TermId,
    known: &HashSet<TermId>,
) -> Result<Option<TermId>, LogicError> {
    let (op, inner) = (space.pool.op(narrow), space.pool.operands(narrow)[0]);
    let Op::SignExtend(more) = op else { return Ok(None) };
    let wide = space.pool.zero_extend(more, inner)?;
    Ok(known.contains(&wide).then_some(wide))
}

/// The sum of the extended operands of an extended sum; nothing if it is too wide.
fn wide_sum(space: &mut Space, sum: TermId) -> Result<Option<TermId>, LogicError> {
    let pool = &mut space.pool;
    let (op, inner) = (pool.op(sum), pool.operands(sum)[0]);
    let (Some(width), Some(narrow)) = (pool.sort(sum).width(), pool.sort(inner).width()) else {
        return Ok(None);
    };
    if width > 64 {
        return Ok(None);
    }
    let number = |value: u64| {
        let shift = 64 - narrow;
        i128::from(((value << shift) as i64) >> shift)
    };
    let extended = |pool: &mut TermPool, term: TermId| match op {
        Op::SignExtend(more) => pool.sign_extend(more, term),
        _ => pool.zero_extend(width - narrow, term),
    };
    let mut wide = pool.bits(width, 0)?;
    for operand in pool.operands(inner).to_vec() {
        let factors = pool.operands(operand).to_vec();
        let part = match (pool.op(operand), &factors[..]) {
            (Op::Small(value), _) => pool.bits_signed(width, number(value))?,
            (Op::BvNot, [negated]) => {
                let negated = extended(pool, *negated)?;
                pool.bv_not(negated)?
            }
            (Op::BvMul, [a, b]) => {
                let (constant, other) = match (pool.op(*a), pool.op(*b)) {
                    (Op::Small(value), _) => (Some(value), *b),
                    (_, Op::Small(value)) => (Some(value), *a),
                    _ => (None, operand),
                };
                let other = extended(pool, other)?;
                match constant {
                    Some(value) => {
                        let factor = pool.bits_signed(width, number(value))?;
                        pool.bv_mul(factor, other)?
                    }
                    None => other,
                }
            }
            _ => extended(pool, operand)?,
        };
        wide = pool.bv_add(wide, part)?;
    }
    Ok(Some(space.tidy(wide)?))
}

/// The comparisons that say something of the variables of a sum.
fn given_of(pool: &TermPool, kept: &[&Part], sum: TermId) -> Vec<TermId> {
    let names: Vec<SymbolId> = pool.free_names(&[sum]).symbols;
    let speaks = |part: &&&Part| {
        part.1.iter().any(|name| names.contains(name)) && part.1.len() <= MOST_NAMES
    };
    kept.iter().filter(speaks).map(|part| part.0).take(MOST_GIVEN).collect()
}

/// Whether a part of what is given is left as it is: a comparison of numbers, not of what is read from memory.
fn is_kept(pool: &TermPool, part: TermId) -> bool {
    let reads = |term: &TermId| pool.op(*term) == Op::Select;
    is_literal(pool, part) && !pool.sub_terms(&[part]).iter().any(reads)
}

/// A formula with wide sums in all of its parts but those that say that they do not wrap.
pub fn widen(
    space: &mut Space,
    whole: TermId,
    wide: &HashMap<TermId, TermId>,
) -> Result<TermId, LogicError> {
    if wide.is_empty() {
        return Ok(whole);
    }
    let map = wide.iter().map(|(a, b)| (*a, *b)).collect();
    let replaced = |space: &mut Space, part: TermId| -> Result<TermId, LogicError> {
        let mut part = part;
        // What is put in may be a sum of what is replaced itself.
        for _ in 0..MOST_ROUNDS {
            let next = space.pool.substitute(part, &map)?;
            if next == part {
                break;
            }
            part = next;
        }
        Ok(part)
    };
    let parts = match space.pool.op(whole) {
        Op::And => space.pool.operands(whole).to_vec(),
        _ => vec![whole],
    };
    let mut widened = vec![];
    for part in parts {
        widened.push(match is_kept(&space.pool, part) {
            true => part,
            false => replaced(space, part)?,
        });
    }
    let widened = space.and(&widened)?;
    space.tidy(widened)
}
