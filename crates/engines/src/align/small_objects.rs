//! Proofs that take objects to be smaller than 2 GiB ([`ObjectsBelow2GiB`](verdiff_judge::Assumption)).
//!
//! What a pointer is indexed with stays in its object. So an access at a pointer variable of a node plus something that is 2 GiB or more is
//! *far*: out of bounds, and the run ends there. States in which a side makes a far access are left out of all questions but one: that the
//! other side ends there as well. It does if it makes an access at the same address in the same move, whatever it computed the address
//! from. ✗ `v[i]` against `v[(unsigned)i]`, where i is -1: one version reads in front of `v`, the other one far behind it.
//!
//! Both versions then end by an access out of bounds, in the same move. What they have put out is the same if neither puts out anything
//! in that move. So nothing is known of accesses in moves in which the world changes (it never does in versions without effects on
//! it), nor where it depends on how one side goes
//! on whether the other one moves at all: of its accesses those count that it makes in any case.

use super::CutPoint;
use super::step::{At, Continuation, Pairing, Stepping};
use super::{Cut, Node};
use std::collections::BTreeMap;
use verdiff_judge::{Side, Task};
use verdiff_logic::{LogicError, Op, TermId};
use verdiff_symex::record::AccessRecord;

/// How large objects may be, in bytes. The last byte of such an object has an index that can be increased as an `int`.
const MOST_BYTES: u128 = (1 << 31) - 1;
/// Of moves with more accesses nothing is known.
const MOST_ACCESSES: usize = 40;

/// What the sides of a move access: the one that leads, and the other one by the number of its steps.
#[derive(Default)]
pub struct Accesses {
    pub leading: Vec<AccessRecord>,
    pub following: BTreeMap<usize, Vec<AccessRecord>>,
}

/// What is known of the accesses of a move.
pub struct Near {
    /// That no access is far.
    pub facts: Vec<TermId>,
    /// When one side makes a far access, and the other one none at that address: then it may go on.
    pub alone: TermId,
}

impl Stepping<'_, '_> {
    /// The accesses since this was asked before; none if objects have any size.
    pub fn accesses_made(&self) -> Vec<AccessRecord> {
        self.accesses.as_ref().map_or_else(Vec::new, |log| log.take())
    }

    /// What the size of objects says of a move.
    pub fn near(
        &mut self,
        node: Node,
        at: &[At; 2],
        lead: usize,
        accesses: &Accesses,
        continuations: &[(usize, &Continuation)],
    ) -> Result<Option<Near>, LogicError> {
        let pair = self.task.comparison.pair(self.task.pair);
        let effects = |side: Side| self.cut.facts.effects(side, pair.of(side));
        let is_silent = Side::BOTH.into_iter().all(|side| !effects(side).world);
        let changes = |(side, next): &(usize, &Continuation)| next.world != at[*side].world;
        if self.accesses.is_none() || !is_silent && continuations.iter().any(changes) {
            return Ok(None);
        }
        // What is made in more steps begins with what is made in few.
        let fewest = accesses.following.values().next().cloned().unwrap_or_default();
        let most = accesses.following.values().next_back().cloned().unwrap_or_default();
        let mut sides = [accesses.leading.clone(), accesses.leading.clone()];
        sides[1 - lead] = most;
        let mut certain = [accesses.leading.clone(), accesses.leading.clone()];
        certain[1 - lead] = fewest;
        if sides.iter().map(Vec::len).sum::<usize>() > MOST_ACCESSES {
            return Ok(None);
        }
        let pointers = pointers(self.cut, &self.task, node, at);
        let (mut facts, mut alone) = (vec![], vec![]);
        for side in 0..2 {
            for access in &sides[side] {
                let space = &mut self.product.space;
                let address = space.tidy(access.address)?;
                let Some(near) = self.is_near(&pointers, address)? else { continue };
                let space = &mut self.product.space;
                let not_made = space.not(access.when)?;
                let fact = space.or(&[not_made, near])?;
                let fact = space.tidy(fact)?;
                let mut apart = vec![access.when, space.not(near)?];
                for other in &certain[1 - side] {
                    let other_address = space.tidy(other.address)?;
                    let same = space.pool.eq(address, other_address)?;
                    let both = space.and(&[other.when, same])?;
                    apart.push(space.not(both)?);
                }
                alone.push(space.and(&apart)?);
                facts.push(fact);
            }
        }
        if facts.is_empty() {
            return Ok(None);
        }
        facts.sort();
        facts.dedup();
        let space = &mut self.product.space;
        let alone = space.or(&alone)?;
        Ok(Some(Near { facts, alone: space.tidy(alone)? }))
    }

    /// Whether an address is near the one pointer variable that it is computed from; nothing if there is no such, or if it is plain.
    fn is_near(
        &mut self,
        pointers: &[TermId],
        address: TermId,
    ) -> Result<Option<TermId>, LogicError> {
        let space = &mut self.product.space;
        let operands = match space.pool.op(address) {
            Op::BvAdd => space.pool.operands(address).to_vec(),
            _ => return Ok(None),
        };
        let mut bases = operands.iter().filter(|term| pointers.contains(term));
        let (Some(base), None) = (bases.next().copied(), bases.next()) else { return Ok(None) };
        let offset = space.sub(address, base)?;
        let offset = space.tidy(offset)?;
        let names = space.pool.free_names(&[offset]).symbols;
        let speaks_of = |term: &TermId| names.iter().any(|s| space.pool.symbol_term(*s) == *term);
        if space.constant(offset).is_some() || pointers.iter().any(speaks_of) {
            return Ok(None);
        }
        // -MOST_BYTES < offset < MOST_BYTES
        let (most, range) = (space.pool.bits(64, MOST_BYTES - 1)?, 2 * MOST_BYTES - 1);
        let range = space.pool.bits(64, range)?;
        let shifted = space.pool.bv_add(offset, most)?;
        Ok(Some(space.pool.bv_ult(shifted, range)?))
    }
}

/// The pointer variables of a node.
fn pointers(cut: &Cut, task: &Task<'_>, node: Node, at: &[At; 2]) -> Vec<TermId> {
    let vars = cut.vars(task, node);
    let pointers = vars.iter().filter(|var| var.pointer);
    pointers.map(|var| at[var.side].values[var.index]).collect()
}

impl Pairing {
    /// What stands for all states in which a far access is made: the other side must not go on.
    pub fn of_far_accesses(at: &[At; 2], alone: TermId, truth: TermId) -> Pairing {
        let [old, new] = at;
        Pairing {
            when: alone,
            target: [CutPoint::Stopped, CutPoint::Stopped],
            values: [old.values.clone(), new.values.clone()],
            flags: [old.flags.clone(), new.flags.clone()],
            memory: [old.memory.clone(), new.memory.clone()],
            wrong: truth,
            is_far: true,
        }
    }
}
