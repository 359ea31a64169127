//! Carrying out a cut: the new procedure, and the call in its place.

use super::cut::Cut;
use super::{Exit, Input, Outlined, Output};
use crate::ctype::{CType, CTypes};
use crate::expr::{Address, Const, Expr};
use crate::ids::{BlockId, CTypeId, LocalId, ProcId, VarId};
use crate::program::{Block, Linkage, Procedure, Program, Var, VarKind};
use crate::stmt::{Callee, Loc, Stmt, StmtKind, Terminator, TerminatorKind};
use crate::types::Type;
use std::collections::HashMap;

/// The type of an exit code.
const EXIT_CODE: Type = Type::Int(32);

/// What becomes of edges back to the entry of the region.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RegionEdges {
    /// They stay edges.
    Region,
    /// They become calls of the new procedure, whose results are returned.
    Recursion,
}

/// Adds the new procedure, named after another with a suffix, and puts the call in the place of
/// the region's entry. The region's
/// other blocks stay in the parent, unreachable; `parent_blocks` of the result is still empty.
pub(super) fn carry_out(
    program: &mut Program,
    parent: ProcId,
    cut: &Cut,
    (named_after, suffix): (ProcId, &str),
    shape: RegionEdges,
) -> Outlined {
    let id = ProcId::new(program.procedures.len());
    let loc = region_loc(program.procedure(parent), cut);
    let mut pointers: HashMap<LocalId, Option<CTypeId>> = HashMap::new();
    for input in &cut.params {
        if let Input::Local(l) = input {
            let ctype = program.procedure(parent).local(*l).ctype;
            pointers.insert(*l, ctype.map(|c| pointer_to(&mut program.ctypes, c)));
        }
    }
    let old = program.procedure(parent);
    let child = Child::new(old, cut, &pointers, id, loc, shape);
    let Built { mut procedure, vars, blocks } = child.build();
    (procedure.name, procedure.symbol) = fresh_name(program, named_after, suffix);
    procedure.outlined_from = Some(parent);
    program.procedures.push(procedure);
    put_call(&mut program.procedures[parent.index()], cut, id, loc);
    Outlined {
        procedure: id,
        parent,
        call_block: cut.entry,
        blocks,
        vars,
        params: cut.params.clone(),
        results: cut.results.clone(),
        exits: cut.exits.clone(),
        parent_blocks: vec![],
    }
}

/// The first place in the source that the region's entry knows, else its first anywhere.
fn region_loc(procedure: &Procedure, cut: &Cut) -> Loc {
    let of_block = |b: &BlockId| {
        let block = procedure.block(*b);
        block.stmts.iter().map(|s| s.loc).chain([block.end.loc]).find(|l| l.is_known())
    };
    of_block(&cut.entry).or_else(|| cut.blocks.iter().find_map(of_block)).unwrap_or(Loc::NONE)
}

/// A procedure's name and symbol with the suffix, and a number where the symbol is taken.
fn fresh_name(program: &Program, after: ProcId, suffix: &str) -> (String, String) {
    let p = program.procedure(after);
    let taken = |symbol: &str| {
        program.procedures.iter().any(|p| p.symbol == symbol)
            || program.globals.iter().any(|g| g.symbol == symbol)
    };
    let numbered = |base: &str, n: u32| match n {
        1 => format!("{base}.{suffix}"),
        n => format!("{base}.{suffix}_{n}"),
    };
    let n = (1..).find(|n| !taken(&numbered(&p.symbol, *n))).expect("some number is free");
    (numbered(&p.name, n), numbered(&p.symbol, n))
}

/// The type of a pointer to an object; to its first element if it is an array.
fn pointer_to(ctypes: &mut CTypes, object: CTypeId) -> CTypeId {
    let target = match ctypes.get(ctypes.resolve(object)) {
        CType::Array { element, .. } => *element,
        _ => object,
    };
    let pointer = CType::Pointer(target);
    let known = (0..ctypes.len()).map(CTypeId::new).find(|id| *ctypes.get(*id) == pointer);
    known.unwrap_or_else(|| ctypes.add(pointer))
}

/// The new procedure under construction.
struct Child<'a> {
    old: &'a Procedure,
    cut: &'a Cut,
    id: ProcId,
    loc: Loc,
    shape: RegionEdges,
    procedure: Procedure,
    vars: HashMap<VarId, VarId>,
    locals: HashMap<LocalId, VarId>,
    blocks: HashMap<BlockId, BlockId>,
}

/// The new procedure, and what the parent's variables and blocks are in it.
struct Built {
    procedure: Procedure,
    vars: Vec<(VarId, VarId)>,
    blocks: Vec<(BlockId, BlockId)>,
}

impl<'a> Child<'a> {
    fn new(
        old: &'a Procedure,
        cut: &'a Cut,
        pointers: &HashMap<LocalId, Option<CTypeId>>,
        id: ProcId,
        loc: Loc,
        shape: RegionEdges,
    ) -> Child<'a> {
        let procedure = Procedure {
            name: String::new(),
            symbol: String::new(),
            linkage: Linkage::Internal,
            loc,
            params: vec![],
            results: cut.results.iter().map(|o| output_type(old, o)).collect(),
            variadic: false,
            ctype: None,
            vars: vec![],
            locals: vec![],
            blocks: vec![],
            unsupported: vec![],
            opaque: None,
            with_holes: None,
            outlined_from: None,
        };
        let (vars, locals, blocks) = Default::default();
        let mut child = Child { old, cut, id, loc, shape, procedure, vars, locals, blocks };
        child.add_vars(pointers);
        child
    }

    /// Parameters first, then the other variables of the region in the parent's order.
    fn add_vars(&mut self, pointers: &HashMap<LocalId, Option<CTypeId>>) {
        for input in &self.cut.params {
            let var = match input {
                Input::Var(v) => Var { kind: VarKind::Parameter, ..self.old.var(*v).clone() },
                Input::Local(l) => Var {
                    name: self.old.local(*l).name.clone(),
                    ty: Type::Ptr,
                    ctype: pointers[l],
                    kind: VarKind::Parameter,
                },
            };
            let new = self.procedure.add_var(var);
            self.procedure.params.push(new);
            match input {
                Input::Var(v) => self.vars.insert(*v, new),
                Input::Local(l) => self.locals.insert(*l, new),
            };
        }
        for v in &self.cut.vars {
            if !self.vars.contains_key(v) {
                let mut var = self.old.var(*v).clone();
                // A parameter of the parent that is written before it is read here.
                if matches!(var.kind, VarKind::Parameter | VarKind::VariadicArea) {
                    var.kind = VarKind::Local;
                }
                self.vars.insert(*v, self.procedure.add_var(var));
            }
        }
    }

    fn build(mut self) -> Built {
        let goes_back =
            |b: &BlockId| self.old.block(*b).end.kind.successors().contains(&self.cut.entry);
        let loops = self.cut.blocks.iter().any(goes_back);
        // A procedure's entry has no predecessors: edges back need a block before it.
        let needs_entry = loops && self.shape == RegionEdges::Region;
        let first = usize::from(needs_entry);
        self.blocks.insert(self.cut.entry, BlockId::new(first));
        let others = self.cut.blocks.iter().filter(|b| **b != self.cut.entry);
        for (i, b) in others.clone().enumerate() {
            self.blocks.insert(*b, BlockId::new(first + 1 + i));
        }
        let first_exit = first + self.cut.blocks.len();
        let mut exit_blocks: HashMap<Exit, BlockId> = HashMap::new();
        for exit in self.cut.exits.iter().filter(|e| **e != Exit::Return) {
            exit_blocks.insert(*exit, BlockId::new(first_exit + exit_blocks.len()));
        }
        let again = BlockId::new(first_exit + exit_blocks.len());

        let mut code = Vec::new();
        if needs_entry {
            code.push(self.block("entry", vec![], TerminatorKind::Goto(BlockId::new(1))));
        }
        for b in std::iter::once(&self.cut.entry).chain(others) {
            code.push(self.moved(*b, &exit_blocks, again));
        }
        for (code_of_exit, exit) in self.cut.exits.iter().enumerate() {
            if let Exit::Block(_) = exit {
                let values = self.exit_values(code_of_exit, &[]);
                code.push(self.block("exit", vec![], TerminatorKind::Return(values)));
            }
        }
        if loops && self.shape == RegionEdges::Recursion {
            let block = self.again();
            code.push(block);
        }
        self.procedure.blocks = code;
        let mut vars: Vec<(VarId, VarId)> = self.vars.into_iter().collect();
        let mut blocks: Vec<(BlockId, BlockId)> = self.blocks.into_iter().collect();
        vars.sort_unstable();
        blocks.sort_unstable();
        Built { procedure: self.procedure, vars, blocks }
    }

    fn block(&self, label: &str, stmts: Vec<Stmt>, kind: TerminatorKind) -> Block {
        Block { label: label.to_owned(), stmts, end: Terminator { kind, loc: self.loc } }
    }

    /// A block of the region in terms of the new procedure.
    fn moved(&self, b: BlockId, exits: &HashMap<Exit, BlockId>, again: BlockId) -> Block {
        let mut block = self.old.block(b).clone();
        for stmt in &mut block.stmts {
            stmt.kind.exprs_mut().into_iter().for_each(|e| self.rename(e));
            for v in stmt.kind.writes_mut() {
                *v = self.vars[v];
            }
            if let StmtKind::CheckInit { var } = &mut stmt.kind {
                *var = self.vars[var];
            }
        }
        block.end.kind.exprs_mut().into_iter().for_each(|e| self.rename(e));
        for target in block.end.kind.successors_mut() {
            let back = *target == self.cut.entry && self.shape == RegionEdges::Recursion;
            *target = match self.blocks.get(target) {
                Some(_) if back => again,
                Some(inside) => *inside,
                None => exits[&Exit::Block(*target)],
            };
        }
        if let TerminatorKind::Return(values) = &mut block.end.kind {
            let code = self.cut.exits.iter().position(|e| *e == Exit::Return);
            *values = self.exit_values(code.expect("a return is an exit"), values);
        }
        block
    }

    fn rename(&self, e: &mut Expr) {
        e.walk_mut(&mut |e| match e {
            Expr::Var(v) => *v = self.vars[v],
            Expr::Address(Address::Local(l)) => *e = Expr::Var(self.locals[l]),
            _ => {}
        });
    }

    /// What is returned at an exit: zero for what nobody reads behind it.
    fn exit_values(&self, exit: usize, returned: &[Expr]) -> Vec<Expr> {
        let value = |(output, ty): (&Output, &Type)| match output {
            Output::ExitCode => Expr::int(32, exit as u128),
            Output::Returned(i) if self.cut.exits[exit] == Exit::Return => returned[*i].clone(),
            Output::Var(v) if self.cut.wanted[exit].contains(v) => Expr::Var(self.vars[v]),
            Output::Returned(_) | Output::Var(_) => Expr::Const(Const::new(*ty, 0)),
        };
        self.cut.results.iter().zip(&self.procedure.results).map(value).collect()
    }

    /// `results = self(current values); return results`.
    fn again(&mut self) -> Block {
        let results: Vec<VarId> = (0..self.cut.results.len())
            .map(|i| {
                let ty = self.procedure.results[i];
                let var = match self.cut.results[i] {
                    // Named as in the parent: it is that variable's value at the end.
                    Output::Var(v) => self.old.var(v).clone(),
                    _ => Var { name: String::new(), ty, ctype: None, kind: VarKind::Temporary },
                };
                self.procedure.add_var(Var { kind: VarKind::Temporary, ..var })
            })
            .collect();
        let args = self.procedure.params.iter().map(|p| Expr::Var(*p)).collect();
        let values = results.iter().map(|v| Expr::Var(*v)).collect();
        let callee = Callee::Procedure(self.id);
        let call = Stmt { kind: StmtKind::Call { results, callee, args }, loc: self.loc };
        self.block("again", vec![call], TerminatorKind::Return(values))
    }
}

fn output_type(old: &Procedure, output: &Output) -> Type {
    match output {
        Output::ExitCode => EXIT_CODE,
        Output::Returned(i) => old.results[*i],
        Output::Var(v) => old.var(*v).ty,
    }
}

/// Replaces the region's entry by the call and what follows it.
fn put_call(parent: &mut Procedure, cut: &Cut, callee: ProcId, loc: Loc) {
    let args = cut
        .params
        .iter()
        .map(|input| match input {
            Input::Var(v) => Expr::Var(*v),
            Input::Local(l) => Expr::Address(Address::Local(*l)),
        })
        .collect();
    let results: Vec<VarId> = cut
        .results
        .iter()
        .map(|output| match output {
            Output::Var(v) => *v,
            Output::ExitCode | Output::Returned(_) => {
                let ty = output_type(parent, output);
                let name = match output {
                    Output::ExitCode => "exit_code".to_owned(),
                    _ => String::new(),
                };
                parent.add_var(Var { name, ty, ctype: None, kind: VarKind::Temporary })
            }
        })
        .collect();
    let returned: Vec<Expr> = cut
        .results
        .iter()
        .zip(&results)
        .filter(|(output, _)| matches!(output, Output::Returned(_)))
        .map(|(_, v)| Expr::Var(*v))
        .collect();
    let terminator = |kind| Terminator { kind, loc };
    let end = match cut.exits[..] {
        // The call never comes back: an endless loop, or a trap on every way.
        [] => TerminatorKind::Trap(crate::Trap::Unreachable),
        [Exit::Return] => TerminatorKind::Return(returned),
        [Exit::Block(b)] => TerminatorKind::Goto(b),
        _ => {
            let mut targets: Vec<BlockId> = Vec::with_capacity(cut.exits.len());
            for exit in &cut.exits {
                targets.push(match exit {
                    Exit::Block(b) => *b,
                    Exit::Return => {
                        let end = terminator(TerminatorKind::Return(returned.clone()));
                        let label = "return".to_owned();
                        parent.blocks.push(Block { label, stmts: vec![], end });
                        BlockId::new(parent.blocks.len() - 1)
                    }
                });
            }
            let default = targets.pop().expect("there are several exits");
            let cases = (0u128..).zip(targets).collect();
            TerminatorKind::Switch { value: Expr::Var(results[0]), cases, default }
        }
    };
    let callee = Callee::Procedure(callee);
    let call = Stmt { kind: StmtKind::Call { results, callee, args }, loc };
    let entry = &mut parent.blocks[cut.entry.index()];
    entry.stmts = vec![call];
    entry.end = terminator(end);
    for b in cut.blocks.iter().filter(|b| **b != cut.entry) {
        // Left without code until the parent's blocks are counted anew.
        let block = &mut parent.blocks[b.index()];
        block.stmts = vec![];
        block.end.kind = TerminatorKind::Trap(crate::Trap::Unreachable);
    }
}
