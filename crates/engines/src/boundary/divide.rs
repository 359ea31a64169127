//! Cutting matched regions out of both versions as calls of sub-pairs with one joint border.
//!
//! Parameters, results and exits are numbered once for both sides, by the correspondence of variables, objects and blocks.
//! What one side alone reads or writes goes in and comes out on both. Whether all that is right is not decided here: each
//! side's cut keeps what it computes ([`verdiff_model::outline`]), and the residual procedures are compared as they are.
//!
//! That an outlined region computes what it did rests on liveness: a variable that nobody reads behind an exit needs no value there. Where
//! something returns twice there are reads that no edge leads to: of any variable, whenever a callee outside of all regions is left by
//! `longjmp`. So in such procedures every variable that a region writes and that is mentioned elsewhere comes out at every exit, and, since the region
//! may not write it on every path, goes in.
//!
//! A procedure with holes is cut like any other, and goes back to where nobody executes it once that is done. Its calls of the new
//! procedures are noted, since no one sees them there.

use super::regions::RegionPair;
use super::{postconditions, preconditions, private_objects};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Changed, Comparison, Pair, PairId, Side};
use verdiff_model::graph::tidy::tidy;
use verdiff_model::outline::{Border, Exit, Input, Region, border, outline_with};
use verdiff_model::{
    Block, BlockId, Frame, Loc, OpaqueCall, ProcId, Procedure, Terminator, TerminatorKind, VarId,
};
use verdiff_product::facts::live_at_second_returns;
use verdiff_product::matching::Matched;
use verdiff_product::same_code::NonlocalExits;

/// Why regions cannot be cut out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A variable at the border of this region has no counterpart.
    Variable(usize, Side, VarId),
    /// This region cannot be cut out for another reason.
    Region(usize),
}

/// A version with its regions as blocks of their own.
pub(super) struct Prepared {
    pub(super) procedure: Procedure,
    pub(super) regions: Vec<Region>,
}

/// The comparison with these regions of a pair as sub-pairs, and how many pre- and postconditions those have that are wanted to
/// have some.
pub fn divided(
    comparison: &Comparison,
    pair: PairId,
    matched: &Matched,
    regions: &[RegionPair],
    with_conditions: &[bool],
) -> Result<(Comparison, usize), Refused> {
    let mut partner: [BTreeMap<BlockId, BlockId>; 2] = Default::default();
    for (old, new) in matched.partner[0].iter().enumerate() {
        if let Some(new) = new {
            partner[0].insert(BlockId::new(old), *new);
            partner[1].insert(*new, BlockId::new(old));
        }
    }
    let mut heads: [Vec<BlockId>; 2] = Default::default();
    let mut sides = Side::BOTH.map(|side| prepared(matched, side, regions, &mut heads));
    for (old, new) in heads[0].iter().zip(&heads[1]) {
        partner[0].insert(*old, *new);
        partner[1].insert(*new, *old);
    }
    let representatives = postconditions::represent(matched, &mut sides, with_conditions);
    let checks = preconditions::check(comparison, matched, &mut sides, with_conditions);
    let twice = matched.procedures.iter().any(|p| p.holes().any(|hole| hole.returns_twice));
    let mut all = comparison.clone();
    let may_be_left = may_be_left(comparison, &sides);
    for side in Side::BOTH {
        let id = comparison.pair(pair).of(side);
        let version = version_mut(&mut all, side);
        version.program.procedures[id.index()] = sides[side.index()].procedure.clone();
    }
    for (number, may_be_left) in may_be_left.into_iter().enumerate() {
        let here = Side::BOTH.map(|side| sides[side.index()].regions[number].clone());
        let joint = joint(&all, pair, matched, &here, &partner, (number, twice))?;
        let mut procedures = vec![];
        for side in Side::BOTH {
            let id = comparison.pair(pair).of(side);
            let version = version_mut(&mut all, side);
            let suffix = format!("region{}", number + 1);
            let (region, border) = (&here[side.index()], &joint[side.index()]);
            let made = outline_with(&mut version.program, id, region, border, &suffix)
                .map_err(|_| Refused::Region(number))?;
            version.frames.resize(version.program.procedures.len(), Frame::default());
            tidy(&mut version.program.procedures[made.procedure.index()]);
            procedures.push(made.procedure);
            renumber(&mut sides[side.index()].regions, number, &made.parent_blocks);
            // The partners' numbers on this side.
            let of = |b: &BlockId| made.parent_blocks.get(b.index()).copied().flatten();
            let [mine, theirs] = match side {
                Side::Old => [0, 1],
                Side::New => [1, 0],
            };
            let moved = std::mem::take(&mut partner[mine]);
            partner[mine] = moved.iter().filter_map(|(a, b)| Some((of(a)?, *b))).collect();
            partner[theirs] = partner[mine].iter().map(|(a, b)| (*b, *a)).collect();
        }
        let made = [procedures[0], procedures[1]];
        let given = [&joint[0].params[..], &joint[1].params[..]];
        add_pair(&mut all, pair, made);
        // What is left in the middle must have written the object itself.
        let sub = PairId(all.pairs.len() as u32 - 1);
        all.assign_nothing_read_again.extend(may_be_left.then_some(sub));
        if !(twice && NonlocalExits::of(&all).may_be_left(sub)) {
            private_objects::copy(&mut all, made, &matched.procedures, given);
        }
    }
    let subs: Vec<PairId> = all.sub_pairs_of(pair).collect();
    for side in Side::BOTH {
        let id = comparison.pair(pair).of(side);
        let calls: Vec<OpaqueCall> =
            subs.iter().map(|sub| OpaqueCall::Procedure(all.pair(*sub).of(side))).collect();
        let place = &mut version_mut(&mut all, side).program.procedures[id.index()];
        tidy(place);
        let given = comparison.procedure(pair, side);
        *place = given.closed(place.clone());
        if let Some(opaque) = &mut place.opaque {
            opaque.calls.extend(calls);
        }
    }
    Ok((all, checks + representatives))
}

/// For each region, whether it makes no difference what it has assigned if it is left in the middle by `longjmp`, which goes on in the
/// procedure around it: nothing of that is read there again before it is assigned again, in either version.
fn may_be_left(comparison: &Comparison, sides: &[Prepared; 2]) -> Vec<bool> {
    let mut may = vec![true; sides[0].regions.len()];
    for side in Side::BOTH {
        let Prepared { procedure, regions } = &sides[side.index()];
        let read_again = live_at_second_returns(comparison.program(side), procedure);
        for (may, region) in may.iter_mut().zip(regions) {
            let stmts = region.blocks.iter().flat_map(|block| &procedure.block(*block).stmts);
            let mut assigned = stmts.flat_map(|stmt| stmt.kind.writes());
            *may &= assigned.all(|var| !read_again.contains(var));
        }
    }
    may
}

fn version_mut(comparison: &mut Comparison, side: Side) -> &mut verdiff_judge::Version {
    match side {
        Side::Old => &mut comparison.old,
        Side::New => &mut comparison.new,
    }
}

fn add_pair(all: &mut Comparison, pair: PairId, [old, new]: [ProcId; 2]) {
    let sub = PairId(all.pairs.len() as u32);
    let signature = |side: Side, id| all.program(side).procedure(id).signature();
    let same_interface = signature(Side::Old, old) == signature(Side::New, new);
    let function = all.old.program.procedure(old).name.clone();
    let changed = Changed::Text;
    all.pairs.push(Pair { function, old, new, changed, same_interface, wanted: false });
    all.sub_pairs.push((pair, sub));
}

/// Every region gets a block before it, to which all edges to its entry lead: also those from within, which leave it so.
fn prepared(
    matched: &Matched,
    side: Side,
    regions: &[RegionPair],
    heads: &mut [Vec<BlockId>; 2],
) -> Prepared {
    let mut procedure = matched.procedures[side.index()].clone();
    let mut made = vec![];
    // Edges as they are before any is led elsewhere.
    for pair in regions {
        let blocks: Vec<BlockId> = pair.blocks[side.index()].iter().copied().collect();
        let region = match (pair.entry[side.index()], &pair.on[side.index()]) {
            (Some(Procedure::ENTRY), _) => {
                // Nothing leads to it; the block before it is itself the entry, of no use as a head.
                heads[side.index()].push(Procedure::ENTRY);
                Region { entry: Procedure::ENTRY, blocks }
            }
            (Some(entry), _) => {
                let head = add_jump(&mut procedure, entry);
                for (number, block) in procedure.blocks.iter_mut().enumerate() {
                    if number != head.index() {
                        let targets = block.end.kind.successors_mut().into_iter();
                        targets.filter(|t| **t == entry).for_each(|t| *t = head);
                    }
                }
                heads[side.index()].push(head);
                Region { entry, blocks }
            }
            (None, on) => {
                let (edges, target) = on.clone().unwrap_or_default();
                // What it leads to may have got a block before it by now.
                let target = edges
                    .first()
                    .and_then(|(from, way)| {
                        procedure.block(*from).end.kind.successors().get(*way).copied()
                    })
                    .unwrap_or(target);
                let inside = add_jump(&mut procedure, target);
                let head = add_jump(&mut procedure, inside);
                for (from, way) in edges {
                    let mut targets = procedure.blocks[from.index()].end.kind.successors_mut();
                    if let Some(target) = targets.get_mut(way) {
                        **target = head;
                    }
                }
                heads[side.index()].push(head);
                Region { entry: inside, blocks: vec![inside] }
            }
        };
        made.push(region);
    }
    Prepared { procedure, regions: made }
}

/// A new block that leads to another.
fn add_jump(procedure: &mut Procedure, to: BlockId) -> BlockId {
    let loc = procedure
        .blocks
        .get(to.index())
        .map_or(Loc::NONE, |block| block.stmts.first().map_or(block.end.loc, |stmt| stmt.loc));
    let end = Terminator { kind: TerminatorKind::Goto(to), loc };
    procedure.blocks.push(Block { label: "region".to_owned(), stmts: vec![], end });
    BlockId::new(procedure.blocks.len() - 1)
}

/// The blocks of the regions that are still to be cut out, as they are numbered now.
fn renumber(regions: &mut [Region], done: usize, map: &[Option<BlockId>]) {
    let of = |b: BlockId| map.get(b.index()).copied().flatten();
    for region in regions.iter_mut().skip(done + 1) {
        region.blocks = region.blocks.iter().filter_map(|b| of(*b)).collect();
        region.entry = of(region.entry).unwrap_or(region.entry);
    }
}

/// The border that both regions of a pair get.
fn joint(
    all: &Comparison,
    pair: PairId,
    matched: &Matched,
    regions: &[Region; 2],
    partner: &[BTreeMap<BlockId, BlockId>; 2],
    (number, twice): (usize, bool),
) -> Result<[Border; 2], Refused> {
    let refused = |_| Refused::Region(number);
    let mut own = [
        border(all.procedure(pair, Side::Old), &regions[0]).map_err(refused)?,
        border(all.procedure(pair, Side::New), &regions[1]).map_err(refused)?,
    ];
    if twice {
        for side in Side::BOTH {
            let border = &mut own[side.index()];
            give_all(all.procedure(pair, side), &regions[side.index()], border);
        }
    }
    // Everything in the old version's numbers first.
    let var = |side: Side, v: VarId| match side {
        Side::Old => matched.var(Side::Old, v).map(|_| v),
        Side::New => matched.var(Side::New, v),
    };
    let var = |side: Side, v: VarId| var(side, v).ok_or(Refused::Variable(number, side, v));
    let mut params: BTreeSet<(bool, u32)> = BTreeSet::new();
    let mut exits: Vec<Exit> = vec![];
    let mut wanted: BTreeMap<usize, BTreeSet<VarId>> = BTreeMap::new();
    for side in Side::BOTH {
        let mine = &own[side.index()];
        for input in &mine.params {
            params.insert(match input {
                Input::Var(v) => (false, var(side, *v)?.0),
                Input::Local(l) => {
                    let other = matched.local(side, *l).ok_or(Refused::Region(number))?;
                    let old = if side == Side::Old { *l } else { other };
                    (true, old.0)
                }
            });
        }
        for (exit, outputs) in mine.exits.iter().zip(&mine.wanted) {
            let exit = match (exit, side) {
                (Exit::Return, _) => Exit::Return,
                (Exit::Block(b), Side::Old) => {
                    partner[0].get(b).ok_or(Refused::Region(number))?;
                    Exit::Block(*b)
                }
                (Exit::Block(b), Side::New) => {
                    Exit::Block(*partner[1].get(b).ok_or(Refused::Region(number))?)
                }
            };
            let at = exits.iter().position(|e| *e == exit).unwrap_or_else(|| {
                exits.push(exit);
                exits.len() - 1
            });
            for v in outputs {
                wanted.entry(at).or_default().insert(var(side, *v)?);
            }
        }
    }
    let outputs: BTreeSet<VarId> = wanted.values().flatten().copied().collect();
    // What a side does not mention must come in to come out.
    for side in Side::BOTH {
        let mentioned = mentioned(all.procedure(pair, side), &regions[side.index()]);
        for v in &outputs {
            let here = if side == Side::Old { Some(*v) } else { matched.var(Side::Old, *v) };
            if here.is_none_or(|here| !mentioned.contains(&here)) {
                params.insert((false, v.0));
            }
        }
    }
    let of = |side: Side| -> Result<Border, Refused> {
        let v = |v: VarId| match side {
            Side::Old => Ok(v),
            Side::New => matched.var(Side::Old, v).ok_or(Refused::Variable(number, Side::Old, v)),
        };
        let input = |(local, id): &(bool, u32)| -> Result<Input, Refused> {
            Ok(match (local, side) {
                (false, _) => Input::Var(v(VarId(*id))?),
                (true, Side::Old) => Input::Local(verdiff_model::LocalId(*id)),
                (true, Side::New) => {
                    let id = verdiff_model::LocalId(*id);
                    Input::Local(matched.local(Side::Old, id).ok_or(Refused::Region(number))?)
                }
            })
        };
        let exit = |e: &Exit| match (e, side) {
            (Exit::Block(b), Side::New) => {
                partner[0].get(b).map(|b| Exit::Block(*b)).ok_or(Refused::Region(number))
            }
            (e, _) => Ok(*e),
        };
        let wanted_at = |at: usize| -> Result<BTreeSet<VarId>, Refused> {
            wanted.get(&at).into_iter().flatten().map(|x| v(*x)).collect()
        };
        Ok(Border {
            params: params.iter().map(input).collect::<Result<_, _>>()?,
            outputs: outputs.iter().map(|x| v(*x)).collect::<Result<_, _>>()?,
            exits: exits.iter().map(exit).collect::<Result<_, _>>()?,
            wanted: (0..exits.len()).map(wanted_at).collect::<Result<_, _>>()?,
        })
    };
    Ok([of(Side::Old)?, of(Side::New)?])
}

/// Adds to a border the variables that the region writes and that are mentioned elsewhere, or that it reads before it writes them:
/// what one call of it has left there, another one may read.
fn give_all(procedure: &Procedure, region: &Region, border: &mut Border) {
    let blocks = procedure.block_ids().filter(|b| !region.blocks.contains(b)).collect();
    let elsewhere = mentioned(procedure, &Region { entry: region.entry, blocks });
    let mut written = BTreeSet::new();
    for stmt in region.blocks.iter().flat_map(|b| &procedure.block(*b).stmts) {
        written.extend(
            stmt.kind
                .writes()
                .iter()
                .copied()
                .filter(|v| elsewhere.contains(v) || border.params.contains(&Input::Var(*v))),
        );
    }
    for v in &written {
        if !border.params.contains(&Input::Var(*v)) {
            border.params.push(Input::Var(*v));
        }
    }
    for (exit, wanted) in border.exits.iter().zip(&mut border.wanted) {
        // Nothing jumps into a procedure that returned.
        if let Exit::Block(_) = exit {
            wanted.extend(written.iter().copied());
        }
    }
}

/// The variables that the blocks of a region read or write.
pub(super) fn mentioned(procedure: &Procedure, region: &Region) -> BTreeSet<VarId> {
    let mut all = BTreeSet::new();
    for b in &region.blocks {
        let block = procedure.block(*b);
        for stmt in &block.stmts {
            stmt.kind.reads(&mut |v| {
                all.insert(v);
            });
            all.extend(stmt.kind.writes());
        }
        for e in block.end.kind.exprs() {
            e.vars(&mut |v| {
                all.insert(v);
            });
        }
    }
    all
}
