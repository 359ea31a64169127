//! Terms, built with the few foldings that keep addresses in their form.

use crate::memory::Contents;
use crate::space::{ObjectId, Space};
use std::collections::HashSet;
use verdiff_logic::effort::Effort;
use verdiff_logic::{LogicError, Op, Sort, TermId};

impl Space {
    /// The functions an address may be, if it is surely one of some functions with a name.
    pub fn functions_behind(&mut self, addr: TermId) -> Option<Vec<ObjectId>> {
        const MOST: usize = 16;
        let (mut found, mut work, mut seen) = (Vec::new(), vec![addr], Vec::new());
        while let Some(term) = work.pop() {
            if seen.contains(&term) {
                continue;
            }
            seen.push(term);
            if self.pool.op(term) == Op::Ite {
                work.extend_from_slice(&self.pool.operands(term)[1..]);
                continue;
            }
            let id = *self.by_base.get(&term)?;
            if self.object_at(id).function.is_none() || found.len() == MOST {
                return None;
            }
            found.push(id);
        }
        Some(found)
    }

    /// The value of a constant bit-vector of at most 64 bits.
    pub fn constant(&self, term: TermId) -> Option<u64> {
        match self.pool.op(term) {
            Op::Small(bits) if matches!(self.pool.sort(term), Sort::BitVec(_)) => Some(bits),
            _ => None,
        }
    }

    pub(crate) fn sum(&mut self, terms: &[TermId]) -> Result<TermId, LogicError> {
        match terms {
            [] => self.pool.bits(64, 0),
            [one] => Ok(*one),
            many => {
                let mut many = many.to_vec();
                many.sort_unstable();
                self.pool.apply_op(Op::BvAdd, &many)
            }
        }
    }

    /// `a + b`, with constants joined at the end.
    pub fn add(&mut self, a: TermId, b: TermId) -> Result<TermId, LogicError> {
        let ((root_a, off_a), (root_b, off_b)) = (self.split(a)?, self.split(b)?);
        let offset = off_a.wrapping_add(off_b);
        let mut roots = Vec::new();
        for root in [root_a, root_b] {
            if self.constant(root) == Some(0) {
                continue;
            }
            if self.pool.op(root) == Op::BvAdd {
                roots.extend_from_slice(self.pool.operands(root));
            } else {
                roots.push(root);
            }
        }
        if roots.is_empty() {
            return self.pool.bits(64, offset.into());
        }
        if offset != 0 {
            roots.sort_unstable();
            let constant = self.pool.bits(64, offset.into())?;
            roots.push(constant);
            return self.pool.apply_op(Op::BvAdd, &roots);
        }
        self.sum(&roots)
    }

    /// `a + bytes`.
    pub fn offset(&mut self, a: TermId, bytes: u64) -> Result<TermId, LogicError> {
        if bytes == 0 {
            return Ok(a);
        }
        let bytes = self.pool.bits(64, bytes.into())?;
        self.add(a, bytes)
    }

    /// `a - b`; what both have in common falls away.
    pub fn sub(&mut self, a: TermId, b: TermId) -> Result<TermId, LogicError> {
        let ((root_a, off_a), (root_b, off_b)) = (self.split(a)?, self.split(b)?);
        let distance = self.pool.bits(64, off_a.wrapping_sub(off_b).into())?;
        let parts = |space: &Space, root: TermId| -> Vec<TermId> {
            if space.pool.op(root) == Op::BvAdd {
                space.pool.operands(root).to_vec()
            } else {
                vec![root]
            }
        };
        let (mut left, mut right) = (parts(self, root_a), parts(self, root_b));
        right.retain(|t| match left.iter().position(|l| l == t) {
            Some(at) => {
                left.remove(at);
                false
            }
            None => true,
        });
        let mut total = distance;
        for term in left {
            total = self.add(total, term)?;
        }
        for term in right {
            if self.constant(term) != Some(0) {
                let negative = self.pool.bv_neg(term)?;
                total = self.add(total, negative)?;
            }
        }
        Ok(total)
    }

    /// A term in the form in which equal values are most likely equal terms; as it was built, if that is wanted.
    pub fn tidy(&mut self, term: TermId) -> Result<TermId, LogicError> {
        if self.is_as_built() && !self.is_ground(term) {
            return Ok(term);
        }
        Ok(self.pool.simplify(term))
    }

    /// The same, or nothing if it costs more than this.
    pub fn tidy_within(
        &mut self,
        term: TermId,
        most: Effort,
    ) -> Result<Option<TermId>, LogicError> {
        if self.is_as_built() && !self.is_ground(term) {
            return Ok(Some(term));
        }
        Ok(self.pool.simplify_within(term, most))
    }

    /// A conditional, where it is one.
    pub fn ite(
        &mut self,
        cond: TermId,
        then: TermId,
        otherwise: TermId,
    ) -> Result<TermId, LogicError> {
        let (truth, falsity) = (self.pool.truth(), self.pool.falsity());
        if cond == truth || then == otherwise {
            return Ok(then);
        }
        if cond == falsity {
            return Ok(otherwise);
        }
        if then == truth && otherwise == falsity {
            return Ok(cond);
        }
        if then == falsity && otherwise == truth {
            return self.not(cond);
        }
        self.pool.ite(cond, then, otherwise)
    }

    /// A conjunction, where it is one.
    pub fn and(&mut self, terms: &[TermId]) -> Result<TermId, LogicError> {
        let (truth, falsity) = (self.pool.truth(), self.pool.falsity());
        if terms.contains(&falsity) {
            return Ok(falsity);
        }
        let kept = each_once(terms, truth);
        match kept.len() {
            0 => Ok(truth),
            1 => Ok(kept[0]),
            _ => self.pool.and(&kept),
        }
    }

    /// A disjunction, where it is one.
    pub fn or(&mut self, terms: &[TermId]) -> Result<TermId, LogicError> {
        let (truth, falsity) = (self.pool.truth(), self.pool.falsity());
        if terms.contains(&truth) {
            return Ok(truth);
        }
        let kept = each_once(terms, falsity);
        match kept.len() {
            0 => Ok(falsity),
            1 => Ok(kept[0]),
            _ => self.pool.or(&kept),
        }
    }

    /// A negation, where it is one.
    pub fn not(&mut self, term: TermId) -> Result<TermId, LogicError> {
        if term == self.pool.truth() {
            return Ok(self.pool.falsity());
        }
        if term == self.pool.falsity() {
            return Ok(self.pool.truth());
        }
        if self.pool.op(term) == Op::Not {
            return Ok(self.pool.operands(term)[0]);
        }
        self.pool.not(term)
    }

    /// A number of 64 bits as one of another width, for amounts that are known to fit.
    pub fn resize(&mut self, term: TermId, width: u32) -> Result<TermId, LogicError> {
        match width.cmp(&64) {
            std::cmp::Ordering::Equal => Ok(term),
            std::cmp::Ordering::Less => self.pool.extract(width - 1, 0, term),
            std::cmp::Ordering::Greater => self.pool.zero_extend(width - 64, term),
        }
    }

    /// The application of an uninterpreted function, declared on first use. The sorts are
    /// part of its name, so that two uses cannot clash.
    pub fn function_call(
        &mut self,
        name: &str,
        args: &[TermId],
        result: Sort,
    ) -> Result<TermId, LogicError> {
        let sorts: Vec<Sort> = args.iter().map(|a| self.pool.sort(*a)).collect();
        if sorts.is_empty() {
            return self.pool.symbol(name, result);
        }
        let mut full = name.to_owned();
        for sort in sorts.iter().chain([&result]) {
            let suffix = self.sort_suffixes.entry(*sort).or_insert_with(|| sort_suffix(*sort));
            full.push_str(suffix);
        }
        let function = self.pool.function(&full, &sorts, result)?;
        self.pool.call(function, args)
    }

    /// Pieces cut from one term, put together again: the term itself.
    pub fn rejoin(&mut self, parts: &[TermId]) -> Result<Option<TermId>, LogicError> {
        if let [one] = parts {
            return Ok(Some(*one));
        }
        let constants: Option<Vec<u64>> = parts.iter().map(|p| self.constant(*p)).collect();
        if let Some(values) = constants {
            let (mut bits, mut at) = (0u128, 0);
            for (value, part) in values.iter().zip(parts) {
                bits |= u128::from(*value) << at;
                at += self.pool.sort(*part).width().unwrap_or(8);
            }
            if at <= 128 {
                return self.pool.bits(at, bits).map(Some);
            }
        }
        let mut whole = None;
        let mut next = 0;
        for part in parts {
            let Op::Extract { high, low } = self.pool.op(*part) else { return Ok(None) };
            let source = self.pool.operands(*part)[0];
            if low != next || whole.is_some_and(|w| w != source) {
                return Ok(None);
            }
            whole = Some(source);
            next = high + 1;
        }
        Ok(whole.filter(|w| self.pool.sort(*w).width() == Some(next)))
    }

    /// A large table read at an unknown index: a function of the index, one for each contents.
    pub fn table_function(
        &mut self,
        contents: &Contents,
        offset: TermId,
        bytes: u32,
    ) -> Result<TermId, LogicError> {
        let tag = self.contents_tag(contents);
        self.function_call(&format!("table.{tag}"), &[offset], Sort::BitVec(bytes * 8))
    }

    /// A name for the contents of a table: equal contents have equal names.
    pub fn contents_tag(&self, contents: &Contents) -> String {
        // Terms are hash-consed, so their numbers say what they are; FNV-1a over them.
        let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
        for byte in &contents.bytes {
            hash ^= byte.index() as u128;
            hash = hash.wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
        format!("{hash:032x}")
    }
}

/// The terms but one, in their order, each once. Evidence has conjunctions of many thousands of terms.
fn each_once(terms: &[TermId], except: TermId) -> Vec<TermId> {
    const FEW: usize = 16;
    let mut kept: Vec<TermId> = Vec::with_capacity(terms.len());
    if terms.len() <= FEW {
        for term in terms {
            if *term != except && !kept.contains(term) {
                kept.push(*term);
            }
        }
        return kept;
    }
    let mut seen = HashSet::with_capacity(terms.len());
    kept.extend(terms.iter().filter(|term| **term != except && seen.insert(**term)));
    kept
}

fn sort_suffix(sort: Sort) -> String {
    match sort {
        Sort::Bool => ".b".to_owned(),
        Sort::BitVec(width) => format!(".{width}"),
        Sort::Array(id) => format!(".a{id:?}").replace(['(', ')'], ""),
        Sort::Float(format) => format!(".f{}x{}", format.exponent(), format.significand()),
        Sort::Uninterpreted(id) => format!(".u{id:?}").replace(['(', ')'], ""),
    }
}
