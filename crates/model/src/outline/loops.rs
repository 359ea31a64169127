//! Loops as tail-recursive procedures.
//!
//! The region is the loop; an edge back to its header becomes a call of the new procedure
//! with the current values, whose results are returned. So one call of it makes the
//! iterations that are left, which is what an induction over calls is about.
//!
//! The loops of one level are cut out together, with one analysis; then the new procedures
//! are gone through in the same way for the loops inside. The work is that of the analyses
//! at each depth of nesting.

use super::{OutlineError, Outlined, Region, cut, cut_out, stack};
use crate::graph::reducible::make_reducible;
use crate::graph::tidy::remove_unreachable;

use crate::graph::{DominatorTree, Flow, Liveness, Loop, Loops};
use crate::ids::{BlockId, ProcId};
use crate::program::{Procedure, Program};
use crate::stmt::{Stmt, StmtKind, TerminatorKind};
use std::collections::{HashMap, HashSet};

/// How much of the code behind a loop goes with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The loop alone.
    Loop,
    /// All that only the loop leads to, mostly to the end of the procedure: what the loop does and what is
    /// made of it are one thing then, however they are divided.
    End,
}

/// [`loops_to_recursion`] with as much of the code behind each loop. Loops that come after another, or after an
/// inner one, are cut out of what that became.
pub fn loops_to_recursion_reaching(
    program: &mut Program,
    procedure: ProcId,
    reach: Reach,
) -> Result<Vec<Outlined>, OutlineError> {
    cut_out(program, procedure, reach)
}

/// Makes a tail-recursive procedure of every loop of a procedure, nested ones too; cycles
/// with several entries are made loops first. The procedures are called `f.loop1`, `f.loop2` …
/// in the order of [`Loops`], outer ones before inner ones. An inner loop is cut out of the
/// procedure of its outer loop. What is given back is in that order as well; the ids of blocks
/// in it are those of the parent when its loops were about to be cut out.
/// On error nothing is changed.
pub fn loops_to_recursion(
    program: &mut Program,
    procedure: ProcId,
) -> Result<Vec<Outlined>, OutlineError> {
    cut_out(program, procedure, Reach::Loop)
}

fn cut_out(
    program: &mut Program,
    procedure: ProcId,
    reach: Reach,
) -> Result<Vec<Outlined>, OutlineError> {
    let mut split = program.procedure(procedure).clone();
    make_reducible(&mut split)?;
    let loops = loops_of(&split).1;
    if loops.is_empty() {
        return Ok(vec![]);
    }
    // Checked for all loops before any is cut out; inner loops keep their blocks when outer
    // ones are cut, so that it holds then as well.
    check_stack_memory(&split, &loops, reach)?;
    let numbers: HashMap<BlockId, usize> =
        loops.iter().map(|(id, l)| (l.header, id.index() + 1)).collect();
    let before = std::mem::replace(&mut program.procedures[procedure.index()], split);
    let count = program.procedures.len();
    let mut cutter = Cutter { program, root: procedure, reach, numbers, done: vec![] };
    match cutter.run() {
        Ok(()) => {
            let mut done = cutter.done;
            done.sort_by_key(|(number, _)| *number);
            Ok(done.into_iter().map(|(_, outlined)| outlined).collect())
        }
        Err(error) => {
            program.procedures.truncate(count);
            program.procedures[procedure.index()] = before;
            Err(error)
        }
    }
}

fn loops_of(procedure: &Procedure) -> (Flow, Loops) {
    let flow = Flow::of(procedure);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    (flow, loops)
}

fn check_stack_memory(
    procedure: &Procedure,
    loops: &Loops,
    reach: Reach,
) -> Result<(), OutlineError> {
    let flow = Flow::of(procedure);
    let liveness = Liveness::of(procedure, &flow);
    for (_, l) in loops.iter() {
        let region = region(procedure, &flow, l.header, &l.body, reach);
        let cut = cut::Cut::of(procedure, &flow, &liveness, &region)?;
        stack::check(procedure, &flow, &cut, stack::BackEdges::BecomeCalls)?;
    }
    Ok(())
}

struct Cutter<'a> {
    program: &'a mut Program,
    root: ProcId,
    reach: Reach,
    /// The number of each loop, by its header in the root.
    numbers: HashMap<BlockId, usize>,
    done: Vec<(usize, Outlined)>,
}

/// A procedure whose outermost loops are to be cut out.
struct Level {
    procedure: ProcId,
    /// What its blocks are in the root.
    in_root: HashMap<BlockId, BlockId>,
}

impl Cutter<'_> {
    fn run(&mut self) -> Result<(), OutlineError> {
        let root = self.program.procedure(self.root);
        let identity: HashMap<BlockId, BlockId> = root.block_ids().map(|b| (b, b)).collect();
        let mut work = vec![Level { procedure: self.root, in_root: identity }];
        while let Some(level) = work.pop() {
            work.extend(self.cut_level(&level)?);
        }
        Ok(())
    }

    /// Cuts the outermost loops out of one procedure, and gives the new procedures.
    fn cut_level(&mut self, level: &Level) -> Result<Vec<Level>, OutlineError> {
        let (parent, in_root) = (level.procedure, &level.in_root);
        let procedure = self.program.procedure(parent);
        let (flow, loops) = loops_of(procedure);
        let liveness = Liveness::of(procedure, &flow);
        let mut cuts = Vec::new();
        let dominators = DominatorTree::of(&flow);
        let outer: Vec<&Loop> =
            loops.iter().filter(|(_, l)| l.parent.is_none()).map(|(_, l)| l).collect();
        for l in &outer {
            // What another one takes along is cut out of that.
            let before = |other: &&&Loop| {
                other.header != l.header && dominators.dominates(other.header, l.header)
            };
            if self.reach == Reach::End && outer.iter().any(|other| before(&other)) {
                continue;
            }
            let region = region(procedure, &flow, l.header, &l.body, self.reach);
            cuts.push(cut::Cut::of(procedure, &flow, &liveness, &region)?);
        }
        let mut made = Vec::new();
        for cut in &cuts {
            let number = self.numbers[&in_root[&cut.entry]];
            let name = (self.root, &*format!("loop{number}"));
            let shape = cut_out::RegionEdges::Recursion;
            let outlined = cut_out::carry_out(self.program, parent, cut, name, shape);
            // Blocks that were made on the way are no loop's header.
            let of_root = |(old, new): &(BlockId, BlockId)| Some((*new, *in_root.get(old)?));
            let map = outlined.blocks.iter().filter_map(of_root).collect();
            made.push((outlined, number, map));
        }
        let parent_blocks = remove_unreachable(&mut self.program.procedures[parent.index()]);
        let mut children = Vec::new();
        for (mut outlined, number, in_root) in made {
            outlined.parent_blocks.clone_from(&parent_blocks);
            children.push(Level { procedure: outlined.procedure, in_root });
            self.done.push((number, outlined));
        }
        Ok(children)
    }
}

/// The blocks that become the procedure.
fn region(
    procedure: &Procedure,
    flow: &Flow,
    header: BlockId,
    body: &[BlockId],
    reach: Reach,
) -> Region {
    match reach {
        Reach::Loop => with_endings(procedure, flow, header, body),
        Reach::End => {
            let dominators = DominatorTree::of(flow);
            let only_here = |b: &BlockId| flow.is_reachable(*b) && dominators.dominates(header, *b);
            Region { entry: header, blocks: procedure.block_ids().filter(only_here).collect() }
        }
    }
}

/// The loop with those blocks behind it that only it leads to and that belong to it though
/// they do not lead back: where the run ends in a trap, which needs no exit, and where stack
/// memory that the loop made is given back on the way out.
fn with_endings(procedure: &Procedure, flow: &Flow, header: BlockId, body: &[BlockId]) -> Region {
    let mut inside: HashSet<BlockId> = body.iter().copied().collect();
    let mut blocks = body.to_vec();
    let mut next = 0;
    while let Some(block) = blocks.get(next).copied() {
        next += 1;
        for after in flow.successors(block) {
            let only_here = || {
                let mut before = flow.predecessors(*after).iter();
                before.all(|p| inside.contains(p) || !flow.is_reachable(*p))
            };
            if !inside.contains(after) && is_ending(procedure, *after) && only_here() {
                inside.insert(*after);
                blocks.push(*after);
            }
        }
    }
    Region { entry: header, blocks }
}

fn is_ending(procedure: &Procedure, block: BlockId) -> bool {
    let block = procedure.block(block);
    let restores = |s: &Stmt| matches!(s.kind, StmtKind::RestoreStack { .. });
    matches!(block.end.kind, TerminatorKind::Trap(_)) || block.stmts.iter().any(restores)
}
