//! What a readable condition may be made of: comparisons of something with a number, of two variables, and
//! those that the condition itself makes.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Variable;
use crate::bits::Bits;
use crate::build::Built;
use crate::c_print::{Names, Nature, c_partial_expression};
use crate::float::FloatValue;
use crate::op::Op;
use crate::sort::{FloatFormat, Sort};
use crate::term::{TermId, TermPool};
use crate::value::Value;

/// Terms with more nodes are nothing that a person compares.
const MOST_NODES: u64 = 14;
/// Comparisons of one thing with constants.
const MOST_CONSTANTS: usize = 48;
/// Things that are compared.
const MOST_FEATURES: usize = 40;

/// Something that is compared with numbers.
#[derive(Clone)]
pub(super) struct Feature {
    pub(super) term: TermId,
    pub(super) signed: bool,
    /// How long it is to read.
    cost: u32,
    /// What it is compared with.
    constants: Vec<Bits>,
    /// Whether it is one of the variables, or only made of them.
    pub(super) is_variable: bool,
}

/// A comparison.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    /// The feature is less than this.
    Less(usize, Bits),
    /// The feature is this.
    Equal(usize, Bits),
    /// A truth value.
    Holds(TermId),
}

/// All that a condition may be made of.
pub(super) struct Atoms {
    pub(super) features: Vec<Feature>,
    pub(super) list: Vec<(Atom, u32)>,
    known: FxHashSet<Atom>,
}

/// The floating-point number that has these bits.
fn float_of(pool: &mut TermPool, bits: TermId) -> Option<TermId> {
    let format = match pool.width(bits) {
        32 => FloatFormat::SINGLE,
        64 => FloatFormat::DOUBLE,
        _ => return None,
    };
    pool.fp_from_bits(format, bits).ok()
}

/// How many words and signs a text has; casts count more, nobody likes to read them.
pub(super) fn length(text: &str) -> u32 {
    #[derive(PartialEq, Clone, Copy)]
    enum CharacterKind {
        Space,
        Word,
        Sign,
    }
    let (mut count, mut before) = (0, CharacterKind::Space);
    for c in text.chars() {
        let kind = match c {
            _ if c.is_alphanumeric() || "_.'\\".contains(c) => CharacterKind::Word,
            ' ' | ')' | ']' => CharacterKind::Space,
            _ => CharacterKind::Sign,
        };
        count += u32::from(kind != CharacterKind::Space && (kind != before || c == '('));
        before = kind;
    }
    let casts = ["(unsigned", "(signed", "(long", "(int)", "(short", "(__int128"];
    count + 2 * casts.iter().map(|cast| text.matches(cast).count() as u32).sum::<u32>()
}

impl Atoms {
    /// The atoms for a condition over these variables.
    pub(super) fn of(
        pool: &mut TermPool,
        condition: TermId,
        variables: &[Variable],
        names: &Names,
    ) -> Atoms {
        let mut atoms = Atoms { features: vec![], list: vec![], known: FxHashSet::default() };
        for variable in variables {
            match pool.sort(variable.term) {
                Sort::Bool => atoms.add(Atom::Holds(variable.term), 1),
                _ if variable.is_number() => {
                    atoms.feature(pool, names, variable.term, variable.signed, true);
                }
                _ if variable.is_pointer() => {
                    let null = Bits::zero(pool.width(variable.term));
                    let null = pool.constant_bits(&null);
                    if let Ok(is_null) = pool.eq(variable.term, null) {
                        atoms.add(Atom::Holds(is_null), 3);
                    }
                }
                _ if variable.nature == Nature::Float => atoms.float(pool, names, variable.term),
                _ => {}
            }
        }
        atoms.pairs(pool, names, variables);
        // What the condition says itself; the rest is made of the variables.
        let all = terms_above(pool, condition, names);
        let signs: FxHashMap<TermId, bool> = variables.iter().map(|v| (v.term, v.signed)).collect();
        for term in &all {
            atoms.add_from(pool, names, *term, &signs);
        }
        atoms.divisors(pool, names, &all);
        let constants = constants(pool, &all);
        for index in 0..atoms.features.len() {
            let width = pool.width(atoms.features[index].term);
            for constant in constants.iter().filter(|c| c.width() == width) {
                atoms.constant(index, constant.clone());
            }
            for constant in edges(width, atoms.features[index].signed) {
                atoms.constant(index, constant);
            }
        }
        atoms
    }

    fn add(&mut self, atom: Atom, cost: u32) {
        if self.known.insert(atom.clone()) {
            self.list.push((atom, cost));
        }
    }

    /// Lets a feature be compared with numbers, if C can say it.
    pub(super) fn feature(
        &mut self,
        pool: &mut TermPool,
        names: &Names,
        term: TermId,
        signed: bool,
        is_variable: bool,
    ) -> Option<usize> {
        if let Some(known) = self.features.iter().position(|f| f.term == term) {
            return Some(known);
        }
        if self.features.len() >= MOST_FEATURES || !(2..=64).contains(&pool.width(term)) {
            return None;
        }
        // Its text in a comparison shows whether it needs a cast to be read so.
        let seven = Bits::new(pool.width(term), 1);
        let seven = pool.constant_bits(&seven);
        let less = if signed { pool.bv_slt(term, seven) } else { pool.bv_ult(term, seven) };
        let cost = length(&c_partial_expression(pool, less.ok()?, names)?);
        let cost = cost + if is_variable { 0 } else { cut_bits(pool, term, names) };
        self.features.push(Feature { term, signed, cost, constants: vec![], is_variable });
        Some(self.features.len() - 1)
    }

    /// Lets a feature be compared with a number and its neighbours.
    pub(super) fn constant(&mut self, index: usize, value: Bits) -> bool {
        self.found(index, value, 0)
    }

    /// The same for a number that the condition does not have: what was found at one point may be chance, so it costs
    /// more.
    pub(super) fn found(&mut self, index: usize, value: Bits, dearer: u32) -> bool {
        let feature = &mut self.features[index];
        if feature.constants.len() >= MOST_CONSTANTS || feature.constants.contains(&value) {
            return false;
        }
        feature.constants.push(value.clone());
        let (cost, next) = (feature.cost + dearer, value.add(&Bits::one(value.width())));
        // Of two that hold at the same points the first is taken.
        self.add(Atom::Equal(index, value.clone()), cost);
        self.add(Atom::Equal(index, next.clone()), cost);
        self.add(Atom::Less(index, value), cost);
        self.add(Atom::Less(index, next), cost);
        true
    }

    /// Whether a float is a number, is zero, is less than zero, has a sign.
    fn float(&mut self, pool: &mut TermPool, names: &Names, bits: TermId) {
        let Some(value) = float_of(pool, bits) else { return };
        let Sort::Float(format) = pool.sort(value) else { return };
        let zero = pool.constant_float(&FloatValue::zero(format, false));
        let none = pool.constant_bits(&Bits::zero(pool.width(bits)));
        let all = [
            pool.fp_is_nan(value),
            pool.fp_eq(value, zero),
            pool.fp_lt(value, zero),
            pool.fp_lt(zero, value),
            pool.bv_slt(bits, none),
        ];
        for term in all.into_iter().flatten() {
            if let Some(text) = c_partial_expression(pool, term, names) {
                self.add(Atom::Holds(term), length(&text));
            }
        }
    }

    /// Comparisons of two variables.
    fn pairs(&mut self, pool: &mut TermPool, names: &Names, variables: &[Variable]) {
        const MOST: usize = 6;
        if variables.len() > MOST {
            return;
        }
        for (index, a) in variables.iter().enumerate() {
            for b in &variables[index + 1..] {
                let same = pool.sort(a.term) == pool.sort(b.term)
                    && a.is_number() == b.is_number()
                    && a.is_pointer() == b.is_pointer();
                let floats = (a.nature == Nature::Float, b.nature == Nature::Float);
                if !same || floats.0 != floats.1 || pool.sort(a.term) == Sort::Bool {
                    continue;
                }
                let mut all = vec![];
                if floats.0 {
                    let values = (float_of(pool, a.term), float_of(pool, b.term));
                    let (Some(x), Some(y)) = values else { continue };
                    all.extend([pool.fp_eq(x, y), pool.fp_lt(x, y), pool.fp_lt(y, x)]);
                } else {
                    all.push(pool.eq(a.term, b.term));
                }
                if a.is_number() && a.signed == b.signed {
                    for (x, y) in [(a.term, b.term), (b.term, a.term)] {
                        let less = if a.signed { pool.bv_slt(x, y) } else { pool.bv_ult(x, y) };
                        all.push(less);
                    }
                }
                for term in all.into_iter().flatten() {
                    // Its text may be longer than three words: `s[0] == s[1]`.
                    let cost = c_partial_expression(pool, term, names).map_or(3, |c| length(&c));
                    self.add(Atom::Holds(term), cost);
                }
            }
        }
    }

    /// Divisibility by a number that the condition tests in two parts: `y % 25 == 0 && (y & 15) == 0` is `y % 400 ==
    /// 0`.
    fn divisors(&mut self, pool: &mut TermPool, names: &Names, all: &[TermId]) {
        let mut found: Vec<(Op, TermId, Bits)> = vec![];
        let mut low_bits: Vec<(TermId, u32)> = vec![];
        for term in all {
            match (pool.op(*term), pool.operands(*term)) {
                (op @ (Op::BvSrem | Op::BvUrem), &[x, by]) => {
                    found.extend(pool.as_bits(by).map(|by| (op, x, by)));
                }
                (Op::Extract { high, low: 0 }, &[x]) => low_bits.push((x, high + 1)),
                (Op::BvAnd, &[a, b]) => {
                    for (x, mask) in [(a, b), (b, a)] {
                        let above = pool.as_bits(mask).map(|m| m.add(&Bits::one(m.width())));
                        low_bits.extend(above.and_then(|m| m.log2()).map(|bits| (x, bits)));
                    }
                }
                _ => {}
            }
        }
        for (op, x, by) in found {
            let width = by.width();
            for (_, bits) in low_bits.iter().filter(|(of, bits)| *of == x && *bits < width) {
                let factor = by.shl(&Bits::new(width, u128::from(*bits)));
                let fits = factor.lshr(&Bits::new(width, u128::from(*bits))) == by;
                if !fits || factor.is_negative() {
                    continue;
                }
                let factor = pool.constant_bits(&factor);
                let rest = if op == Op::BvSrem {
                    pool.bv_srem(x, factor)
                } else {
                    pool.bv_urem(x, factor)
                };
                let zero = pool.constant_bits(&Bits::zero(width));
                if let Ok(rest) = rest
                    && let Ok(divisible) = pool.eq(rest, zero)
                    && let Some(text) = c_partial_expression(pool, divisible, names)
                {
                    self.add(Atom::Holds(divisible), length(&text));
                }
            }
        }
    }

    /// Adds the atoms that a term of the condition suggests.
    fn add_from(
        &mut self,
        pool: &mut TermPool,
        names: &Names,
        term: TermId,
        signs: &FxHashMap<TermId, bool>,
    ) {
        let operands = pool.operands(term).to_vec();
        let short = |pool: &TermPool, t: TermId| {
            pool.tree_size(t) <= MOST_NODES && !has_conditional(pool, t)
        };
        match pool.op(term) {
            Op::BvUlt | Op::BvSlt | Op::Eq if pool.sort(operands[0]) != Sort::Bool => {
                let signed = pool.op(term) == Op::BvSlt;
                for operand in &operands {
                    let is_constant = pool.op(*operand).is_constant();
                    if is_constant
                        || pool.sort(*operand).width().is_none()
                        || !short(pool, *operand)
                    {
                        continue;
                    }
                    let feature = match pool.op(*operand) {
                        Op::ZeroExtend(_) | Op::SignExtend(_) => pool.operands(*operand)[0],
                        _ => *operand,
                    };
                    let signed = signs.get(&feature).copied().unwrap_or(signed);
                    self.feature(pool, names, feature, signed, false);
                }
                let text =
                    short(pool, term).then(|| c_partial_expression(pool, term, names)).flatten();
                if let Some(text) = text {
                    self.add(Atom::Holds(term), length(&text) + cut_bits(pool, term, names));
                }
                // `a + 1 <= b && b <= a + 1` is `a + 1 == b`.
                let between_two = !operands.iter().any(|t| pool.op(*t).is_constant());
                if between_two
                    && short(pool, term)
                    && matches!(pool.op(term), Op::BvUlt | Op::BvSlt)
                    && let Ok(equal) = pool.eq(operands[0], operands[1])
                    && let Some(text) = c_partial_expression(pool, equal, names)
                {
                    self.add(Atom::Holds(equal), length(&text) + cut_bits(pool, equal, names));
                }
            }
            Op::FpLt | Op::FpLe | Op::FpEq | Op::FpIsNan => {
                if let Some(text) = c_partial_expression(pool, term, names) {
                    self.add(Atom::Holds(term), length(&text));
                }
            }
            Op::Extract { high, low } => {
                if let Some(signed) = signs.get(&operands[0]).copied() {
                    let whole = pool.width(operands[0]);
                    let ones = Bits::ones(high - low + 1).zero_extend_to(whole);
                    let mask = ones.shl(&Bits::new(whole, low.into()));
                    self.masked(pool, names, operands[0], &mask, signed);
                    // What is cut off matters as much.
                    if high == whole - 1 {
                        self.masked(pool, names, operands[0], &mask.not(), signed);
                    }
                }
            }
            Op::BvAnd => {
                if let [a, b] = operands[..]
                    && let Some((x, mask)) = pool
                        .as_bits(a)
                        .map(|mask| (b, mask))
                        .or_else(|| pool.as_bits(b).map(|mask| (a, mask)))
                    && let Some(signed) = signs.get(&x).copied()
                {
                    self.masked(pool, names, x, &mask, signed);
                }
            }
            // How C asks whether a sum was too large.
            Op::BvAdd if operands.len() == 2 && signs.get(&operands[0]) == Some(&false) => {
                if let Ok(less) = pool.bv_ult(term, operands[0])
                    && let Some(text) = c_partial_expression(pool, less, names)
                {
                    self.add(Atom::Holds(less), length(&text));
                }
            }
            Op::SignExtend(_) if short(pool, operands[0]) => {
                self.feature(pool, names, operands[0], true, false);
            }
            Op::BvSrem | Op::BvUrem if short(pool, term) => {
                let signed = pool.op(term) == Op::BvSrem;
                self.feature(pool, names, term, signed, false);
            }
            _ => {}
        }
    }

    /// Some bits of a variable, all of them together and, where they are few, one by one.
    pub(super) fn masked(
        &mut self,
        pool: &mut TermPool,
        names: &Names,
        x: TermId,
        mask: &Bits,
        signed: bool,
    ) {
        const FEW: u32 = 8;
        let width = mask.width();
        if mask.is_ones() || mask.is_zero() {
            return;
        }
        let bits: Vec<u32> = (0..width).filter(|bit| mask.bit(*bit)).collect();
        let mut masks = vec![mask.clone()];
        if bits.len() > 1 && bits.len() as u32 <= FEW {
            masks.extend(bits.iter().map(|bit| Bits::power_of_two(width, *bit)));
        }
        for mask in masks {
            // The sign is a comparison with zero.
            if mask.log2() == Some(width - 1) && signed {
                continue;
            }
            let constant = pool.constant_bits(&mask);
            let Ok(part) = pool.bv_and(x, constant) else { continue };
            let Some(index) = self.feature(pool, names, part, signed && !mask.is_negative(), false)
            else {
                continue;
            };
            self.constant(index, Bits::zero(width));
            if mask.log2().is_none() {
                self.constant(index, mask);
            }
        }
    }

    /// The atom as a term.
    pub(super) fn term(&self, pool: &mut TermPool, index: usize) -> Built {
        match &self.list[index].0 {
            Atom::Holds(term) => Ok(*term),
            Atom::Equal(feature, value) => {
                let value = pool.constant_bits(value);
                pool.eq(self.features[*feature].term, value)
            }
            Atom::Less(feature, value) => {
                let value = pool.constant_bits(value);
                let Feature { term, signed, .. } = self.features[*feature];
                if signed { pool.bv_slt(term, value) } else { pool.bv_ult(term, value) }
            }
        }
    }

    /// Whether an atom holds, given the values of the features and of the truth values.
    pub(super) fn holds(
        &self,
        atom: &Atom,
        features: &[Option<Value>],
        truths: &FxHashMap<TermId, bool>,
    ) -> Option<bool> {
        let value = |index: &usize| features[*index].as_ref().and_then(|v| v.as_bits());
        match atom {
            Atom::Holds(term) => truths.get(term).copied(),
            Atom::Equal(index, constant) => Some(value(index)? == constant),
            Atom::Less(index, constant) => Some(match self.features[*index].signed {
                true => value(index)?.slt(constant),
                false => value(index)?.ult(constant),
            }),
        }
    }
}

/// The sub-terms that are not inside of something with a name.
pub(super) fn terms_above(pool: &TermPool, root: TermId, names: &Names) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let mut pending = vec![root];
    while let Some(term) = pending.pop() {
        if seen.insert(term) && !names.contains_key(&term) {
            pending.extend_from_slice(pool.operands(term));
        }
    }
    let mut all: Vec<TermId> = seen.into_iter().collect();
    all.sort_unstable();
    all
}

/// What it costs a reader that a term cuts bits out of others or puts bits together: `x >= 16` is better than `x >> 4
/// != 0`.
fn cut_bits(pool: &TermPool, term: TermId, names: &Names) -> u32 {
    const DEAR: u32 = 4;
    let cuts = |t: &TermId| matches!(pool.op(*t), Op::Extract { .. } | Op::Concat);
    if terms_above(pool, term, names).iter().any(|t| cuts(t) && !names.contains_key(t)) {
        DEAR
    } else {
        0
    }
}

fn has_conditional(pool: &TermPool, root: TermId) -> bool {
    pool.sub_terms(&[root]).iter().any(|t| matches!(pool.op(*t), Op::Ite))
}

/// The constants of a condition. A narrow one is also looked for in wider terms: the condition may
/// speak of some bits of a variable.
fn constants(pool: &TermPool, terms: &[TermId]) -> Vec<Bits> {
    let widths: FxHashSet<u32> =
        terms.iter().filter_map(|t| pool.sort(*t).width()).filter(|w| *w <= 64).collect();
    let mut widths: Vec<u32> = widths.into_iter().collect();
    widths.sort_unstable();
    let mut found: Vec<Bits> = vec![];
    for constant in terms.iter().filter_map(|t| pool.as_bits(*t)).filter(|c| c.width() <= 64) {
        found.push(constant.clone());
        for wider in widths.iter().filter(|w| **w > constant.width()) {
            found.push(constant.zero_extend_to(*wider));
            if constant.is_negative() {
                found.push(constant.sign_extend_to(*wider));
            }
        }
        for narrower in widths.iter().filter(|w| **w < constant.width() && **w >= 8) {
            let cut = constant.extract(narrower - 1, 0);
            if cut.zero_extend_to(constant.width()) == constant
                || cut.sign_extend_to(constant.width()) == constant
            {
                found.push(cut);
            }
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|c| seen.insert(c.clone()));
    found
}

/// Numbers at which something often changes.
fn edges(width: u32, signed: bool) -> Vec<Bits> {
    let mut edges = vec![Bits::zero(width), Bits::one(width)];
    match signed {
        true => edges.extend([Bits::ones(width), Bits::signed_min(width), Bits::signed_max(width)]),
        false => edges.extend([Bits::ones(width), Bits::signed_max(width)]),
    }
    edges
}
