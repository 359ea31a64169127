//! Parts of a pair that an engine wants to have judged by themselves.

use crate::comparison::Side;
use verdiff_model::ProcId;
use verdiff_model::outline::Region;

/// A region of either version. The plan makes procedures of both ([`outline`](verdiff_model::outline::outline)), has them
/// judged like any pair, and runs the engine again: on the same pair, whose procedures now call the outlined ones, in a
/// comparison whose [`sub_pairs_of`](crate::Comparison::sub_pairs_of) the pair are those judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubPair {
    /// In the old version.
    pub old: RegionOf,
    /// In the new version.
    pub new: RegionOf,
}

/// A region of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionOf {
    /// The procedure.
    pub procedure: ProcId,
    /// Its region.
    pub region: Region,
}

impl SubPair {
    /// The region of one side.
    pub fn of(&self, side: Side) -> &RegionOf {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }
}
