//! Memories that are equal except in a range of addresses: one version has done what the other has still to do.
//!
//! ✗ A cell that one version keeps in a variable while it goes round: `*sum += v[i]` against `s += v[i]` and `*sum = s`
//! at the end. The memories differ at `sum` alone, where the old one holds what is in `s`.
//!
//! The range is guessed from runs. What is concluded is concluded at a fresh address outside of it, and what is given
//! is used at the places that are read: a place of the new memory is that of the old one if it is outside.

use super::alignment::Pass;
use super::invariant::{Terms, Var};
use super::linear::Linear;
use super::runs::{Point, Run};
use std::collections::BTreeMap;
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::space::Space;

/// So many bytes from an address on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub low: Linear,
    pub length: Linear,
}

impl Range {
    /// The range in which memories differ where runs pass, if there is one.
    pub fn learned(vars: &[Var], points: &[Point], passes: &[Pass], runs: &[Run]) -> Option<Range> {
        let mut lows = vec![];
        let mut highs = vec![];
        let mut empty = vec![];
        for (point, pass) in points.iter().zip(passes) {
            match differing(&runs[pass.run], pass.at) {
                Some((low, high)) => {
                    lows.push((point, low));
                    highs.push((point, high));
                }
                None => empty.push(point),
            }
        }
        let low = Linear::learned(vars, &lows)?;
        let high = Linear::learned(vars, &highs)?;
        let length = high.minus(&low);
        Some(Range { low, length })
    }

    /// Whether an address is in it. No comparison wraps: the distance from its start is below its length.
    pub fn contains(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
        address: TermId,
    ) -> Result<TermId, LogicError> {
        let (low, length) = (self.low.term(space, terms)?, self.length.term(space, terms)?);
        let distance = space.sub(address, low)?;
        let distance = space.tidy(distance)?;
        space.pool.bv_ult(distance, length)
    }

    /// As text, by the names of variables.
    pub fn text(&self, names: &dyn Fn(Var) -> String) -> String {
        format!("{} bytes at {}", self.length.text(names), self.low.text(names))
    }
}

/// The first and the last address at which memories differ, the latter plus one. Stores are whole: one byte of a number
/// that differs is all of it.
fn differing(run: &Run, at: [usize; 2]) -> Option<(u64, u64)> {
    // What is where, what was there first, and the store that it belongs to.
    let mut memory: [BTreeMap<u64, u8>; 2] = [BTreeMap::new(), BTreeMap::new()];
    let mut first: BTreeMap<u64, u8> = BTreeMap::new();
    let mut stores: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for side in 0..2 {
        for change in run.visits[side][..=at[side]].iter().flat_map(|visit| &visit.changes) {
            let end = change.address.wrapping_add(change.bytes.len() as u64);
            for (n, byte) in change.bytes.iter().enumerate() {
                let address = change.address.wrapping_add(n as u64);
                if !memory[side].contains_key(&address) {
                    let before = change.before.as_ref().map_or(0, |bytes| bytes[n]);
                    first.entry(address).or_insert(before);
                }
                memory[side].insert(address, *byte);
                stores.insert(address, (change.address, end));
            }
        }
    }
    let held = |side: usize, address: &u64| memory[side].get(address).or(first.get(address));
    let different = || stores.keys().filter(|address| held(0, address) != held(1, address));
    let low = different().map(|address| stores[address].0).min()?;
    let high = different().map(|address| stores[address].1).max()?;
    Some((low, high))
}
