//! Where a memory was written: the links of its chain, as addresses and lengths.

use crate::memory::{Link, MemoryId};
use crate::space::Space;
use std::collections::HashSet;
use verdiff_logic::{LogicError, TermId};

/// What a chain of writes touches.
#[derive(Clone, Debug, Default)]
pub struct Written {
    /// Address and length in bytes of each write, in no particular order, each once.
    pub ranges: Vec<(TermId, TermId)>,
    /// The arrays at the ends of the chain: the entry's, and what unknown functions left.
    pub arrays: Vec<TermId>,
}

impl Space {
    /// All writes of a memory, constants' contents and new objects left out.
    pub fn written(&mut self, memory: MemoryId) -> Result<Written, LogicError> {
        let mut found = Written::default();
        let mut seen = HashSet::new();
        let mut work = vec![memory];
        while let Some(memory) = work.pop() {
            if !seen.insert(memory) {
                continue;
            }
            let range = match self.memories.link(memory).clone() {
                Link::Array(array) | Link::Called { array, .. } => {
                    found.arrays.push(array);
                    continue;
                }
                Link::Choose { then, otherwise, .. } => {
                    work.extend([then, otherwise]);
                    continue;
                }
                Link::Fresh { before, .. } | Link::Known { before, .. } => {
                    work.push(before);
                    continue;
                }
                Link::Store { before, addr, bytes, .. } => {
                    work.push(before);
                    (addr, self.pool.bits(64, bytes.into())?)
                }
                Link::Fill { before, addr, len, .. } | Link::Copy { before, addr, len, .. } => {
                    work.push(before);
                    (addr, len)
                }
            };
            if !found.ranges.contains(&range) {
                found.ranges.push(range);
            }
        }
        Ok(found)
    }
}
