//! What is seen of a run: the edges it takes, and what it compares.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use verdiff_model::interp::Observer;
use verdiff_model::{BinaryOp, BlockId, ProcId};
use verdiff_product::direction::Direction;
use verdiff_symex::guide::FAR;

/// Edges are told apart by this many bits of a hash.
const EDGE_BITS: u32 = 15;
/// No more comparisons of one run are kept,
const COMPARISONS: usize = 256;
/// or so many that may lead to the change, each of a loop so often.
const NEAR: usize = 2048;
const REPEATED: u32 = 3;
/// So many decisions of a run are kept.
const DECISIONS: usize = 1 << 18;
/// How far from the change a comparison behind it counts.
const BEHIND: u32 = 1 << 20;

/// Whether a run decides by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decisions {
    /// It does.
    Own,
    /// It does, and they are kept.
    Kept,
    /// It goes the way of the run whose decisions were kept last, as far as that went: so it shows how what is compared
    /// there depends on the entry state. Its outcome is none.
    Forced,
}

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
    pub(super) comparisons: [Vec<ComparedNumbers>; 2],
    /// Where to, if a change is known.
    pub(super) direction: Option<Rc<Direction>>,
    /// How near the last pair of runs came to the change, and where it is now.
    pub(super) nearest: u32,
    here: u32,
    /// How many blocks that pair of runs executed.
    pub(super) blocks: u64,
    /// Whether this side's run has come to the change.
    reached: bool,
    block: (ProcId, BlockId),
    /// The same of the callers of the procedure that runs, the nearest last. What a callee compares decides what it returns, so it is as near
    /// as the call if nothing in the callee leads to the change; and behind a call its caller is where it was.
    callers: Vec<(u32, (ProcId, BlockId))>,
    /// Who decides.
    pub(super) decisions: Decisions,
    kept: [Vec<u32>; 2],
    at: usize,
    /// How often each site compared in this run.
    times: HashMap<u64, u32>,
    /// Whether the comparison that was kept last is the last one, and no decision followed yet.
    undecided: bool,
}

/// Two numbers that were compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComparedNumbers {
    /// Where.
    pub(super) site: u64,
    pub(super) lhs: u64,
    pub(super) rhs: u64,
    /// Whether it is a switch, which compares with each of its cases.
    pub(super) switch: bool,
    /// How often its site compared before, in the same run.
    pub(super) time: u32,
    /// What the run by itself decides upon it, if a decision follows.
    pub(super) decides: Option<u32>,
    /// How far it is from the change, and in which block.
    pub(super) far: u32,
    pub(super) block: (ProcId, BlockId),
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
            direction: None,
            nearest: FAR,
            here: FAR,
            blocks: 0,
            reached: false,
            block: (ProcId(0), BlockId(0)),
            callers: vec![],
            decisions: Decisions::Own,
            kept: [vec![], vec![]],
            at: 0,
            times: HashMap::new(),
            undecided: false,
        }
    }

    /// Before a pair of runs.
    pub(super) fn begin(&mut self) {
        self.fresh = false;
        self.path = 0;
        self.nearest = FAR;
        self.blocks = 0;
    }

    /// Before the run of one side.
    pub(super) fn side(&mut self, side: usize) {
        self.side = (side as u64) << 63;
        self.last = 0;
        self.comparisons[side].clear();
        self.times.clear();
        self.undecided = false;
        self.at = 0;
        if self.decisions == Decisions::Kept {
            self.kept[side].clear();
        }
        self.here = FAR;
        self.reached = false;
        self.callers.clear();
    }

    /// After a pair of runs: whether one took an edge that was never taken before, and whether they
    /// took a pair of paths that was never taken.
    pub(super) fn end(&mut self) -> (bool, bool) {
        let known = self.paths.len() >= 1 << 14;
        (self.fresh, !known && self.paths.insert(self.path))
    }

    /// One decision.
    #[inline]
    fn decided(&mut self, own: u32) -> u32 {
        if self.undecided {
            self.undecided = false;
            if let Some(last) = self.comparisons[(self.side >> 63) as usize].last_mut() {
                last.decides = Some(own);
            }
        }
        let kept = &mut self.kept[(self.side >> 63) as usize];
        match self.decisions {
            Decisions::Own => own,
            Decisions::Kept => {
                if kept.len() < DECISIONS {
                    kept.push(own);
                }
                own
            }
            Decisions::Forced => {
                self.at += 1;
                kept.get(self.at - 1).copied().unwrap_or(own)
            }
        }
    }

    fn keep(&mut self, site: u64, lhs: u64, rhs: u64, switch: bool) {
        self.undecided = false;
        let list = &mut self.comparisons[(self.side >> 63) as usize];
        let directed = self.direction.is_some();
        // What comes behind the change may decide whether it is seen.
        let mut far = self.here;
        if far == FAR {
            let caller = self.callers.iter().rev().map(|(far, _)| *far).find(|far| *far != FAR);
            far = caller.unwrap_or(if self.reached { BEHIND } else { FAR });
        }
        if directed && far == FAR {
            return;
        }
        let times = self.times.entry(site).or_insert(0);
        let time = *times;
        *times += 1;
        let most = if directed { NEAR } else { COMPARISONS };
        if list.len() < most && (!directed || time < REPEATED) {
            let block = self.block;
            let decides = None;
            list.push(ComparedNumbers { site, lhs, rhs, switch, time, decides, far, block });
            self.undecided = true;
        }
    }
}

impl Observer for Watch {
    #[inline]
    fn decide(&mut self, taken: bool) -> bool {
        self.decided(u32::from(taken)) != 0
    }

    #[inline]
    fn choose(&mut self, target: u32) -> u32 {
        self.decided(target)
    }

    #[inline]
    fn block(&mut self, procedure: ProcId, block: BlockId) {
        self.blocks += 1;
        if let Some(direction) = &self.direction {
            self.here = direction.distance((self.side >> 63) as usize, procedure, block);
            self.nearest = self.nearest.min(self.here);
            self.reached |= self.here == 0;
            self.block = (procedure, block);
        }
        if self.decisions == Decisions::Forced {
            // No run of its own takes these edges.
            return;
        }
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

    fn call(&mut self, _: ProcId) {
        if self.direction.is_some() {
            self.callers.push((self.here, self.block));
            self.here = FAR;
        }
    }

    fn leave(&mut self, _: ProcId) {
        if self.direction.is_some()
            && let Some(caller) = self.callers.pop()
        {
            (self.here, self.block) = caller;
        }
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
