//! What is seen of a run: the edges it takes, and what it compares.

use std::collections::HashSet;
use verdiff_model::interp::Observer;
use verdiff_model::{BinaryOp, BlockId, ProcId};

/// Edges are told apart by this many bits of a hash.
const EDGE_BITS: u32 = 15;
/// No more comparisons of one run are kept.
const COMPARISONS: usize = 256;

/// Watches the runs of both sides.
pub(super) struct Watch {
    seen: Vec<u64>,
    paths: HashSet<u64>,
    side: u64,
    last: u64,
    path: u64,
    fresh: bool,
    /// Whether comparisons are kept.
    pub(super) recording: bool,
    /// The comparisons of the last run of each side.
    pub(super) comparisons: [Vec<Comparison>; 2],
}

/// Two numbers that were compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    /// Where.
    pub(super) site: u64,
    pub(super) lhs: u64,
    pub(super) rhs: u64,
    /// Whether it is a switch, which compares with each of its cases.
    pub(super) switch: bool,
}

impl Watch {
    pub(super) fn new() -> Watch {
        Watch {
            seen: vec![0; 1 << (EDGE_BITS - 6)],
            paths: HashSet::new(),
            side: 0,
            last: 0,
            path: 0,
            fresh: false,
            recording: false,
            comparisons: [vec![], vec![]],
        }
    }

    /// Before a pair of runs.
    pub(super) fn begin(&mut self) {
        self.fresh = false;
        self.path = 0;
    }

    /// Before the run of one side.
    pub(super) fn side(&mut self, side: usize) {
        self.side = (side as u64) << 63;
        self.last = 0;
        self.comparisons[side].clear();
    }

    /// After a pair of runs: whether one took an edge that was never taken before, and whether they
    /// took a pair of paths that was never taken.
    pub(super) fn end(&mut self) -> (bool, bool) {
        let known = self.paths.len() >= 1 << 14;
        (self.fresh, !known && self.paths.insert(self.path))
    }

    fn keep(&mut self, site: u64, lhs: u64, rhs: u64, switch: bool) {
        let list = &mut self.comparisons[(self.side >> 63) as usize];
        if list.len() < COMPARISONS {
            list.push(Comparison { site, lhs, rhs, switch });
        }
    }
}

impl Observer for Watch {
    #[inline]
    fn block(&mut self, procedure: ProcId, block: BlockId) {
        let here = self.side | u64::from(procedure.0) << 32 | u64::from(block.0);
        let edge = (here ^ self.last.rotate_left(17)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.last = here;
        self.path = (self.path ^ edge).wrapping_mul(0x100_0000_01b3);
        let bit = edge >> (64 - EDGE_BITS);
        let word = &mut self.seen[(bit >> 6) as usize];
        let flag = 1u64 << (bit & 63);
        self.fresh |= *word & flag == 0;
        *word |= flag;
    }

    #[inline]
    fn compare(&mut self, procedure: ProcId, site: u32, _: BinaryOp, lhs: u64, rhs: u64) {
        if self.recording {
            self.keep(u64::from(procedure.0) << 32 | u64::from(site), lhs, rhs, false);
        }
    }

    #[inline]
    fn switch(&mut self, procedure: ProcId, site: u32, value: u128) {
        if self.recording {
            self.keep(u64::from(procedure.0) << 32 | u64::from(site), value as u64, 0, true);
        }
    }
}
