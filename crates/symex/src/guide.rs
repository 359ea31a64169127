//! Where an exploration is headed.

use verdiff_model::{BlockId, ProcId};

/// The distance of what does not lead there.
pub const FAR: u32 = u32::MAX;

/// How far each block is from where an exploration is headed, by procedure and block: the number of decisions.
#[derive(Debug, Default)]
pub struct Guide(pub Vec<Vec<u32>>);

impl Guide {
    /// How far a block is. It is looked up at every block that is executed.
    #[inline]
    pub fn distance(&self, procedure: ProcId, block: BlockId) -> u32 {
        let blocks = self.0.get(procedure.index());
        blocks.and_then(|blocks| blocks.get(block.index())).copied().unwrap_or(FAR)
    }

    /// Whether any block leads there.
    pub fn leads_anywhere(&self) -> bool {
        self.0.iter().flatten().any(|distance| *distance != FAR)
    }
}
