//! Outlining: a region of a procedure becomes a procedure of its own.
//!
//! A region is a set of blocks with one entry. The variables that it reads or writes and that
//! are live where it begins become parameters; those that it writes and that are live where
//! it is left become results; where it is left by several ways, an exit code says which. The
//! procedure that had the region gets a call and goes on by the exit code.
//!
//! Why the program computes what it did before:
//!
//! - A variable that is not live at the entry is written before it is read on every path in
//!   the region, so it needs no value from outside; one that is not live at an exit is not
//!   read behind it, so any value will do there, and a zero is given, which keeps
//!   the procedure's results from depending on what nobody reads.
//! - A variable without a value stays without one: arguments and results that are plain
//!   variables carry that along.
//! - Local objects stay where they are, in the frame of the procedure that had the region;
//!   the region gets their addresses. Objects made by [`Alloc`](crate::StmtKind::Alloc) would
//!   die at the return of the new procedure, so a region must end their lives itself.
//! - A trap ends the run, inside or outside.
//!
//! [`loops_to_recursion`] is the same for loops, with the edge back to the header as a call
//! (RVT's loops as recursive functions).

mod cut;
mod cut_out;
mod heads;
mod loops;
mod stack;

pub use heads::{cut_at_calls, cut_at_heads};
pub use loops::{Reach, loops_to_recursion, loops_to_recursion_reaching};

use crate::graph::reducible::TooManyCopies;
use crate::graph::tidy::remove_unreachable;
use crate::graph::{Flow, Liveness};
use crate::ids::{BlockId, LocalId, ProcId, VarId};
use crate::program::{Procedure, Program};
use std::collections::BTreeSet;

/// A part of a procedure that is entered at one block only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// Where it is entered.
    pub entry: BlockId,
    /// Its blocks, the entry among them, in any order.
    pub blocks: Vec<BlockId>,
}

/// What became of a region. Blocks and variables of the parent are named by the ids they had
/// before; [`Outlined::parent_blocks`] says where the blocks that remain are now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outlined {
    /// The new procedure.
    pub procedure: ProcId,
    /// The procedure that it was cut out of, and that now calls it.
    pub parent: ProcId,
    /// The parent's block that now makes the call: what was the region's entry.
    pub call_block: BlockId,
    /// Each block of the region and the block it is in the new procedure.
    pub blocks: Vec<(BlockId, BlockId)>,
    /// Each variable of the parent that occurs in the new procedure, and what it is there.
    pub vars: Vec<(VarId, VarId)>,
    /// Where each parameter comes from, in the parent's terms.
    pub params: Vec<Input>,
    /// What each result is.
    pub results: Vec<Output>,
    /// The ways out; with more than one, the exit code is the position here.
    pub exits: Vec<Exit>,
    /// The new id of each block of the parent, `None` for those that went with the region.
    pub parent_blocks: Vec<Option<BlockId>>,
}

/// Where a parameter of an outlined procedure comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// A variable of the parent.
    Var(VarId),
    /// The address of a local object of the parent.
    Local(LocalId),
}

/// What a result of an outlined procedure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// Which way the region was left; always the first result if there are several ways.
    ExitCode,
    /// The parent's result with this index, where the region was left by a return; else zero.
    Returned(usize),
    /// The value of a variable of the parent; zero where it is left by a way behind which nobody reads it.
    Var(VarId),
}

/// A way out of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exit {
    /// To a block outside.
    Block(BlockId),
    /// Out of the parent, by a return.
    Return,
}

/// What goes into a region and comes out of it: the border of an outlined procedure. Two versions of a region can be compared
/// only if both have one border, position by position; each version by itself may need less.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Border {
    /// Where each parameter comes from.
    pub params: Vec<Input>,
    /// The variables that come out, besides what the parent returns and the exit code.
    pub outputs: Vec<VarId>,
    /// The ways out.
    pub exits: Vec<Exit>,
    /// For each exit the variables that are read behind it; of the others a zero is given.
    pub wanted: Vec<BTreeSet<VarId>>,
}

/// Why a region cannot be outlined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutlineError {
    /// There is no code.
    #[error("the procedure has no blocks")]
    NoCode,
    /// The region names a block that is not there.
    #[error("there is no block {0:?}")]
    NoBlock(BlockId),
    /// The entry is not one of the region's blocks, or the region contains the procedure's
    /// entry and begins elsewhere.
    #[error("the region does not begin at {0:?}")]
    Entry(BlockId),
    /// An edge from outside leads into the middle of the region.
    #[error("an edge from {from:?} leads to {to:?}, past the region's entry")]
    SideEntry {
        /// Where from.
        from: BlockId,
        /// Where to.
        to: BlockId,
    },
    /// Memory from the stack would have to outlive the new procedure, or be ended by it though
    /// it was made outside.
    #[error("statement {statement} of {block:?} handles stack memory across the region's border")]
    StackMemory {
        /// The block.
        block: BlockId,
        /// The statement.
        statement: usize,
    },
    /// A border that was asked for lacks something that the region needs.
    #[error("the border lacks {0}")]
    Border(String),
    /// The loops have no single headers, and giving them some would copy too much.
    #[error(transparent)]
    Irreducible(#[from] TooManyCopies),
}

/// Makes a procedure of a region. Its name is the parent's with `.suffix`, with a number if
/// that is taken. On error nothing is changed.
pub fn outline(
    program: &mut Program,
    parent: ProcId,
    region: &Region,
    suffix: &str,
) -> Result<Outlined, OutlineError> {
    let procedure = program.procedure(parent);
    let flow = Flow::of(procedure);
    let liveness = Liveness::of(procedure, &flow);
    let cut = cut::Cut::of(procedure, &flow, &liveness, region)?;
    stack::check(procedure, &flow, &cut, stack::BackEdges::StayInside)?;
    let mut outlined =
        cut_out::carry_out(program, parent, &cut, (parent, suffix), cut_out::RegionEdges::Region);
    outlined.parent_blocks = remove_unreachable(&mut program.procedures[parent.index()]);
    Ok(outlined)
}

/// What a region needs at least: its border.
pub fn border(procedure: &Procedure, region: &Region) -> Result<Border, OutlineError> {
    let flow = Flow::of(procedure);
    let liveness = Liveness::of(procedure, &flow);
    let cut = cut::Cut::of(procedure, &flow, &liveness, region)?;
    stack::check(procedure, &flow, &cut, stack::BackEdges::StayInside)?;
    Ok(cut.border())
}

/// The same as [`outline`] with a border that may have more than the region needs: parameters that it does not use, outputs that it
/// does not write (they must be parameters), exits that it never takes. On error nothing is changed.
///
/// Why the program still computes what it did: a further parameter is used for nothing but to be given back; a further
/// output is a variable that is not live behind the exit, so what it holds there does not matter; a further exit has a code that the new procedure
/// never returns.
pub fn outline_with(
    program: &mut Program,
    parent: ProcId,
    region: &Region,
    border: &Border,
    suffix: &str,
) -> Result<Outlined, OutlineError> {
    let procedure = program.procedure(parent);
    let flow = Flow::of(procedure);
    let liveness = Liveness::of(procedure, &flow);
    let mut cut = cut::Cut::of(procedure, &flow, &liveness, region)?;
    cut.widen(procedure, border)?;
    stack::check(procedure, &flow, &cut, stack::BackEdges::StayInside)?;
    let mut outlined =
        cut_out::carry_out(program, parent, &cut, (parent, suffix), cut_out::RegionEdges::Region);
    outlined.parent_blocks = remove_unreachable(&mut program.procedures[parent.index()]);
    Ok(outlined)
}
