//! The border of a region: what goes in, what comes out, and by which ways.

use super::{Border, Exit, Input, OutlineError, Output, Region};
use crate::expr::{Address, Expr};
use crate::graph::{Flow, Liveness};
use crate::ids::{BlockId, LocalId, VarId};
use crate::program::{Block, Procedure};
use crate::stmt::TerminatorKind;
use std::collections::BTreeSet;

/// A region and its border.
pub(super) struct Cut {
    pub(super) entry: BlockId,
    /// In order of ids.
    pub(super) blocks: Vec<BlockId>,
    pub(super) params: Vec<Input>,
    /// In order: exit code, returned values, variables.
    pub(super) results: Vec<Output>,
    /// In the order in which they are met in the blocks.
    pub(super) exits: Vec<Exit>,
    /// For each exit the variables that are wanted behind it.
    pub(super) wanted: Vec<BTreeSet<VarId>>,
    /// Every variable that occurs in the region.
    pub(super) vars: BTreeSet<VarId>,
}

impl Cut {
    /// Finds the border, and checks that the region has one entry. Blocks that cannot be
    /// reached are left out.
    pub(super) fn of(
        procedure: &Procedure,
        flow: &Flow,
        liveness: &Liveness,
        region: &Region,
    ) -> Result<Cut, OutlineError> {
        if flow.is_empty() {
            return Err(OutlineError::NoCode);
        }
        if let Some(missing) = region.blocks.iter().find(|b| b.index() >= flow.len()) {
            return Err(OutlineError::NoBlock(*missing));
        }
        let mut blocks: Vec<BlockId> =
            region.blocks.iter().copied().filter(|b| flow.is_reachable(*b)).collect();
        blocks.sort_unstable();
        blocks.dedup();
        check_entry(flow, region.entry, &blocks)?;
        let inside = |b: BlockId| blocks.binary_search(&b).is_ok();

        let mut uses = Uses::default();
        let mut exits: Vec<Exit> = Vec::new();
        for b in &blocks {
            let block = procedure.block(*b);
            uses.add(block);
            let leaves = flow.successors(*b).iter().filter(|s| !inside(**s));
            exits.extend(leaves.map(|s| Exit::Block(*s)));
            if let TerminatorKind::Return(_) = block.end.kind {
                exits.push(Exit::Return);
            }
        }
        let mut seen = std::collections::HashSet::new();
        exits.retain(|e| seen.insert(*e));

        let wanted: Vec<BTreeSet<VarId>> = exits
            .iter()
            .map(|exit| match exit {
                Exit::Block(b) => {
                    liveness.live_in(*b).filter(|v| uses.written.contains(v)).collect()
                }
                Exit::Return => BTreeSet::new(),
            })
            .collect();
        let outs: BTreeSet<VarId> = wanted.iter().flatten().copied().collect();
        let results = results_of(procedure, &exits, outs);

        let touched = |v: &VarId| uses.read.contains(v) || uses.written.contains(v);
        let live = liveness.live_in(region.entry).filter(touched).map(Input::Var);
        let locals = uses.locals.iter().map(|l| Input::Local(*l));
        let params = live.chain(locals).collect();
        let vars = uses.read.union(&uses.written).copied().collect();
        Ok(Cut { entry: region.entry, blocks, params, results, exits, wanted, vars })
    }

    /// What it needs.
    pub(super) fn border(&self) -> Border {
        let output = |o: &Output| match o {
            Output::Var(v) => Some(*v),
            Output::ExitCode | Output::Returned(_) => None,
        };
        Border {
            params: self.params.clone(),
            outputs: self.results.iter().filter_map(output).collect(),
            exits: self.exits.clone(),
            wanted: self.wanted.clone(),
        }
    }

    /// The same with a border that has all that is needed, and maybe more.
    pub(super) fn widen(
        &mut self,
        procedure: &Procedure,
        border: &Border,
    ) -> Result<(), OutlineError> {
        let lacks = |what: String| Err(OutlineError::Border(what));
        if let Some(param) = self.params.iter().find(|p| !border.params.contains(p)) {
            return lacks(format!("the parameter {param:?}"));
        }
        if border.wanted.len() != border.exits.len() {
            return lacks("what is wanted at an exit".to_owned());
        }
        for (exit, wanted) in self.exits.iter().zip(&self.wanted) {
            let Some(at) = border.exits.iter().position(|e| e == exit) else {
                return lacks(format!("the exit {exit:?}"));
            };
            let there = &border.wanted[at];
            if let Some(v) = wanted.iter().find(|v| !there.contains(v)) {
                return lacks(format!("{v:?} behind the exit {exit:?}"));
            }
        }
        for exit in &border.exits {
            if let Exit::Block(b) = exit
                && (b.index() >= procedure.blocks.len() || self.contains(*b))
            {
                return lacks(format!("a block outside for {exit:?}"));
            }
        }
        let (outputs, params) = (&border.outputs, &border.params);
        if let Some(v) = border.wanted.iter().flatten().find(|v| !outputs.contains(v)) {
            return lacks(format!("the output {v:?}"));
        }
        let known = |v: &&VarId| self.vars.contains(v) || params.contains(&Input::Var(**v));
        if let Some(v) = outputs.iter().find(|v| !known(v)) {
            return lacks(format!("the output {v:?} among its parameters"));
        }
        self.vars.extend(params.iter().filter_map(|input| match input {
            Input::Var(v) => Some(*v),
            Input::Local(_) => None,
        }));
        self.params.clone_from(&border.params);
        self.exits.clone_from(&border.exits);
        self.wanted.clone_from(&border.wanted);
        self.results = results_of(procedure, &border.exits, outputs.iter().copied());
        Ok(())
    }

    /// Whether a block is in the region.
    pub(super) fn contains(&self, b: BlockId) -> bool {
        self.blocks.binary_search(&b).is_ok()
    }
}

/// In order: exit code, returned values, variables.
fn results_of(
    procedure: &Procedure,
    exits: &[Exit],
    outputs: impl IntoIterator<Item = VarId>,
) -> Vec<Output> {
    let mut results = Vec::new();
    if exits.len() > 1 {
        results.push(Output::ExitCode);
    }
    if exits.contains(&Exit::Return) {
        results.extend((0..procedure.results.len()).map(Output::Returned));
    }
    results.extend(outputs.into_iter().map(Output::Var));
    results
}

fn check_entry(flow: &Flow, entry: BlockId, blocks: &[BlockId]) -> Result<(), OutlineError> {
    let inside = |b: &BlockId| blocks.binary_search(b).is_ok();
    if !inside(&entry) || (inside(&Procedure::ENTRY) && entry != Procedure::ENTRY) {
        return Err(OutlineError::Entry(entry));
    }
    for to in blocks.iter().filter(|b| **b != entry) {
        let outside = |b: &&BlockId| flow.is_reachable(**b) && !inside(b);
        if let Some(from) = flow.predecessors(*to).iter().find(outside) {
            return Err(OutlineError::SideEntry { from: *from, to: *to });
        }
    }
    Ok(())
}

/// What the blocks of a region mention.
#[derive(Default)]
struct Uses {
    read: BTreeSet<VarId>,
    written: BTreeSet<VarId>,
    locals: BTreeSet<LocalId>,
}

impl Uses {
    fn add(&mut self, block: &Block) {
        for stmt in &block.stmts {
            stmt.kind.reads(&mut |v| {
                self.read.insert(v);
            });
            self.written.extend(stmt.kind.writes());
            stmt.kind.exprs().into_iter().for_each(|e| self.add_locals(e));
        }
        for e in block.end.kind.exprs() {
            e.vars(&mut |v| {
                self.read.insert(v);
            });
            self.add_locals(e);
        }
    }

    fn add_locals(&mut self, e: &Expr) {
        e.walk(&mut |e| {
            if let Expr::Address(Address::Local(l)) = e {
                self.locals.insert(*l);
            }
        });
    }
}
