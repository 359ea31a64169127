//! Where two versions of a procedure differ, in their own blocks: hints for whoever looks for a difference.

use crate::matching::Matched;
use std::collections::BTreeSet;
use verdiff_judge::{Changed, Comparison, PairId, Side};
use verdiff_model::{Address, Block, BlockId, Expr, GlobalId, Procedure};

/// The blocks of either version with a statement or terminator that has no counterpart, that goes on differently, or that
/// mentions a global whose contents changed.
pub fn change_sites(comparison: &Comparison, pair: PairId) -> [BTreeSet<BlockId>; 2] {
    let mut sites = [BTreeSet::new(), BTreeSet::new()];
    match comparison.pair(pair).changed {
        Changed::No | Changed::Callees => return sites,
        Changed::Globals => {
            for side in Side::BOTH {
                sites[side.index()] = mentioning_changed(comparison, pair, side);
            }
            return sites;
        }
        Changed::Text | Changed::Types => {}
    }
    let procedures = Side::BOTH.map(|side| numbered(comparison.procedure(pair, side)));
    let Some(matched) = Matched::between(comparison, procedures) else { return sites };
    for side in Side::BOTH {
        let blocks = &matched.procedures[side.index()].blocks;
        for (number, block) in blocks.iter().enumerate() {
            let changed = match matched.partner(side, BlockId::new(number)) {
                None => true,
                Some(partner) => goes_on_differently(&matched, side, block, partner),
            };
            if changed {
                sites[side.index()].insert(origin(block));
            }
        }
    }
    sites
}

/// A copy in which the line of every statement and terminator is the number of its block: [`Matched`] joins and splits
/// blocks, and looks at no line.
fn numbered(procedure: &Procedure) -> Procedure {
    let mut copy = procedure.clone();
    for (number, block) in copy.blocks.iter_mut().enumerate() {
        block.stmts.iter_mut().for_each(|stmt| stmt.loc.line = number as u32);
        block.end.loc.line = number as u32;
    }
    copy
}

fn origin(block: &Block) -> BlockId {
    let loc = block.stmts.first().map_or(block.end.loc, |stmt| stmt.loc);
    BlockId::new(loc.line as usize)
}

/// Whether a matched block has a successor whose counterpart is not the successor there.
fn goes_on_differently(matched: &Matched, side: Side, block: &Block, partner: BlockId) -> bool {
    let there = matched.procedures[side.other().index()].block(partner).end.kind.successors();
    let here = block.end.kind.successors();
    here.len() != there.len()
        || here.iter().zip(there).any(|(here, there)| {
            matched.partner(side, *here).is_some_and(|partner| partner != there)
        })
}

fn mentioning_changed(comparison: &Comparison, pair: PairId, side: Side) -> BTreeSet<BlockId> {
    let changed = |id: GlobalId| match comparison.global_in_other(side, id) {
        Some(other) => {
            comparison.contents_of(side, id) != comparison.contents_of(side.other(), other)
        }
        None => true,
    };
    let mut found = BTreeSet::new();
    for (number, block) in comparison.procedure(pair, side).blocks.iter().enumerate() {
        let mut mentions = false;
        let exprs = block.stmts.iter().flat_map(|stmt| stmt.kind.exprs());
        for e in exprs.chain(block.end.kind.exprs()) {
            e.walk(&mut |e| {
                if let Expr::Address(Address::Global(id)) = e {
                    mentions |= changed(*id);
                }
            });
        }
        if mentions {
            found.insert(BlockId::new(number));
        }
    }
    found
}
