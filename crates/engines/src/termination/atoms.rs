//! What proofs are made of: simple statements about the parameters of a loop, and numbers that may get smaller.
//!
//! Both are guesses from the text of the loop (its comparisons and constants); everything that is made of them
//! is proved afterwards, so nothing here can be wrong, only missing.

use super::body::{Call, CyclicBody, literals_of};
use verdiff_logic::{Bits, LogicError, Op, Sort, TermId};
use verdiff_symex::space::Space;

/// More are not tried.
const MOST_ATOMS: usize = 240;
const MOST_RANKS: usize = 96;
/// Comparisons of more than this many parts are checks of addresses, not what people count by.
const LARGEST: usize = 16;
/// Beyond this many parameters they are not compared with each other.
const MOST_PARAMS: usize = 7;

/// Candidates without repetition.
struct List {
    terms: Vec<TermId>,
    most: usize,
}

impl List {
    fn add(&mut self, space: &mut Space, term: TermId) -> Result<(), LogicError> {
        let term = space.tidy(term)?;
        let constant = space.pool.op(term).is_constant()
            || matches!(space.pool.op(term), Op::True | Op::False);
        if !constant && self.terms.len() < self.most && !self.terms.contains(&term) {
            self.terms.push(term);
        }
        Ok(())
    }
}

/// Statements about parameters, the most special first: those at the end are given up last.
pub fn atoms(
    space: &mut Space,
    body: &CyclicBody,
    calls: &[&Call],
    relevant: &[usize],
    more: &[TermId],
) -> Result<Vec<TermId>, LogicError> {
    let mut roots: Vec<TermId> = calls.iter().map(|c| c.when).collect();
    roots.extend(calls.iter().flat_map(|c| relevant.iter().map(|at| c.args[*at])));
    roots.extend(more);
    let literals: Vec<TermId> =
        literals_of(&space.pool, &roots).into_iter().filter(|l| body.is_plain(space, *l)).collect();
    let constants: Vec<Bits> = constants(space, &roots);
    let numbers: Vec<(TermId, u32)> = relevant
        .iter()
        .map(|at| body.params[*at])
        .filter_map(|p| Some((p, space.pool.sort(p).width()?)))
        .filter(|(_, width)| *width <= 64)
        .collect();
    // The narrowest first: what is given up last decides how wide a condition is.
    let mut list = List { terms: vec![], most: MOST_ATOMS };
    let mut unequal = vec![];
    for (param, width) in &numbers {
        for value in special(&constants, *width) {
            let value = space.pool.constant_bits(&value);
            let equal = space.pool.eq(*param, value)?;
            list.add(space, equal)?;
            unequal.push(space.not(equal)?);
        }
    }
    let mut pairs = vec![];
    if numbers.len() <= MOST_PARAMS {
        for (index, (a, width)) in numbers.iter().enumerate() {
            let same = numbers[index + 1..].iter().filter(|(_, w)| w == width);
            pairs.extend(same.map(|(b, width)| (*a, *b, *width)));
        }
    }
    for (a, b, _) in &pairs {
        let equal = space.pool.eq(*a, *b)?;
        list.add(space, equal)?;
        unequal.push(space.not(equal)?);
    }
    for (a, b, _) in &pairs {
        for op in [Op::BvSlt, Op::BvUlt] {
            both(space, &mut list, op, *a, *b)?;
            both(space, &mut list, op, *b, *a)?;
        }
    }
    for (param, width) in &numbers {
        let zero = space.pool.bits(*width, 0)?;
        both(space, &mut list, Op::BvSlt, *param, zero)?;
        both(space, &mut list, Op::BvSlt, zero, *param)?;
    }
    for (param, width) in numbers.iter().filter(|(_, width)| *width >= 16) {
        // Products do not wrap below the root of the range.
        for bits in [width / 4, width / 2] {
            let bound = space.pool.constant_bits(&Bits::power_of_two(*width, bits));
            both(space, &mut list, Op::BvUlt, *param, bound)?;
        }
    }
    for (param, width) in &numbers {
        parity(space, &mut list, *param, *width)?;
    }
    for (a, b, width) in &pairs {
        let apart = space.pool.bv_xor(*a, *b)?;
        parity(space, &mut list, apart, *width)?;
    }
    for literal in &literals {
        for bound in beyond(space, *literal)? {
            let not = space.not(bound)?;
            list.add(space, bound)?;
            list.add(space, not)?;
        }
    }
    for literal in literals {
        let not = space.not(literal)?;
        list.add(space, literal)?;
        list.add(space, not)?;
    }
    for term in unequal {
        list.add(space, term)?;
    }
    Ok(list.terms)
}

/// A comparison and its opposite.
fn both(
    space: &mut Space,
    list: &mut List,
    op: Op,
    a: TermId,
    b: TermId,
) -> Result<(), LogicError> {
    let term = space.pool.apply_op(op, &[a, b])?;
    let not = space.not(term)?;
    list.add(space, term)?;
    list.add(space, not)
}

/// Whether a number is even, or odd.
fn parity(space: &mut Space, list: &mut List, term: TermId, width: u32) -> Result<(), LogicError> {
    let one = space.pool.bits(width, 1)?;
    let low = space.pool.bv_and(term, one)?;
    both(space, list, Op::Eq, low, one)
}

/// What a parameter may be compared with besides: the numbers of the text with their neighbours, and the ends of the range.
fn special(constants: &[Bits], width: u32) -> Vec<Bits> {
    let mut found = vec![
        Bits::zero(width),
        Bits::ones(width),
        Bits::signed_min(width),
        Bits::signed_max(width),
        Bits::one(width),
    ];
    for constant in constants.iter().filter(|c| c.width() == width).take(6) {
        let one = Bits::one(width);
        for value in [constant.clone(), constant.add(&one), constant.sub(&one)] {
            if !found.contains(&value) {
                found.push(value);
            }
        }
    }
    found
}

fn constants(space: &Space, roots: &[TermId]) -> Vec<Bits> {
    let mut found: Vec<Bits> = vec![];
    for term in space.pool.sub_terms(roots) {
        if let Some(bits) = space.pool.as_bits(term)
            && !found.contains(&bits)
        {
            found.push(bits);
        }
    }
    found
}

/// Where a widened number is compared with another: that the other is beyond all that the narrow one can be.
fn beyond(space: &mut Space, literal: TermId) -> Result<Vec<TermId>, LogicError> {
    let [a, b] = *space.pool.operands(literal) else { return Ok(vec![]) };
    let mut found = vec![];
    for (wide, other) in [(a, b), (b, a)] {
        let Some(width) = space.pool.sort(wide).width() else { continue };
        match space.pool.op(wide) {
            Op::ZeroExtend(more) => {
                let most = Bits::ones(width - more).zero_extend_to(width);
                let most = space.pool.constant_bits(&most);
                found.push(space.pool.bv_ult(most, other)?);
            }
            Op::SignExtend(more) => {
                let narrow = width - more;
                let most = Bits::signed_max(narrow).sign_extend_to(width);
                let least = Bits::signed_min(narrow).sign_extend_to(width);
                let most = space.pool.constant_bits(&most);
                let least = space.pool.constant_bits(&least);
                found.push(space.pool.bv_slt(most, other)?);
                found.push(space.pool.bv_slt(other, least)?);
            }
            // The narrow number may be the low part of the wide one.
            Op::Concat => {
                let operands = space.pool.operands(wide).to_vec();
                let high = operands.first().and_then(|t| space.pool.as_bits(*t));
                if let (Some(high), Some(zeros)) = (&high, operands.first())
                    && high.is_zero()
                    && let Some(more) = space.pool.sort(*zeros).width()
                {
                    let most = Bits::ones(width - more).zero_extend_to(width);
                    let most = space.pool.constant_bits(&most);
                    found.push(space.pool.bv_ult(most, other)?);
                }
            }
            _ => {}
        }
    }
    Ok(found)
}

/// Numbers that may get smaller with every call, as unsigned ones: distances between what is compared, and what counts up
/// or down, in both orders.
pub fn ranks(
    space: &mut Space,
    body: &CyclicBody,
    calls: &[&Call],
    relevant: &[usize],
) -> Result<Vec<TermId>, LogicError> {
    let params: Vec<TermId> = relevant.iter().map(|at| body.params[*at]).collect();
    let roots: Vec<TermId> = calls.iter().map(|c| c.when).collect();
    let mut list = List { terms: vec![], most: MOST_RANKS };
    let mut ends: Vec<TermId> = vec![];
    for literal in literals_of(&space.pool, &roots) {
        let [a, b] = *space.pool.operands(literal) else { continue };
        let is_small = space.pool.dag_size(literal) <= LARGEST;
        if !is_small || !body.is_entry(space, literal) || space.pool.sort(a).width().is_none() {
            continue;
        }
        for (from, to) in [(a, b), (b, a)] {
            let distance = space.pool.bv_sub(to, from)?;
            list.add(space, distance)?;
        }
        ends.extend([a, b]);
        // `a <= b` leaves one more step.
        for (from, to) in [(a, b), (b, a)] {
            let Some(width) = space.pool.sort(a).width() else { continue };
            let one = space.pool.bits(width, 1)?;
            let distance = space.pool.bv_sub(to, from)?;
            let more = space.pool.bv_add(distance, one)?;
            list.add(space, more)?;
        }
    }
    ends.extend(&params);
    for term in ends {
        let Some(width) = space.pool.sort(term).width() else { continue };
        let top = space.pool.constant_bits(&Bits::signed_min(width));
        let signed = space.pool.bv_xor(term, top)?;
        let zero = space.pool.bits(width, 0)?;
        let negative = space.pool.bv_slt(term, zero)?;
        let minus = space.pool.bv_neg(term)?;
        let size = space.pool.ite(negative, minus, term)?;
        for up in [term, signed, size] {
            let down = space.pool.bv_not(up)?;
            list.add(space, up)?;
            list.add(space, down)?;
        }
    }
    let numbers: Vec<TermId> =
        params.into_iter().filter(|p| space.pool.sort(*p) != Sort::Bool).collect();
    if numbers.len() <= MOST_PARAMS {
        for a in &numbers {
            for b in numbers.iter().filter(|b| *b != a) {
                if space.pool.sort(*a) == space.pool.sort(*b)
                    && space.pool.sort(*a).width().is_some()
                {
                    let distance = space.pool.bv_sub(*a, *b)?;
                    list.add(space, distance)?;
                }
            }
        }
    }
    Ok(list.terms)
}
