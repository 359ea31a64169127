//! Procedures that are cut at their loop heads, or at chosen calls.
//!
//! From each head a procedure of its own runs to the end of the whole: its parameters are the variables that are live
//! at the head, its code is that of the whole, entered at the head. Every edge to a head, from wherever, is a call of
//! that head's procedure whose results are returned. So each call is the last thing that its procedure does, however
//! the loops are nested and whatever code is shared behind them, and one call of a head's procedure makes a straight
//! piece of the run, from one head to the next or to the end. (Where [`Reach::End`](super::Reach) cuts, code behind a
//! loop to which other paths lead as well stays outside.)
//!
//! Why the program computes what it did before: a variable that is not live at a head is written before it is read on
//! every path from there; a call that is returned from at once continues the run where the edge led; a plain variable
//! as an argument carries along that it has no value. Nothing of that depends on where the cuts are, as long as every
//! cycle has one: so a procedure may as well be cut before calls, and at heads of the loops that have none of these
//! ([`cut_at_calls`]). Local objects stay in the frame of the whole, which is there
//! until all calls have returned; the procedures get their addresses. Procedures that make objects in their frame as
//! they go are not cut.

use crate::expr::{Address, Expr};
use crate::graph::tidy::remove_unreachable;
use crate::graph::{Flow, Liveness};
use crate::ids::{BlockId, LocalId, ProcId, VarId};
use crate::program::{Block, Linkage, Procedure, Program, Var, VarKind};
use crate::stmt::{Callee, Stmt, StmtKind, Terminator, TerminatorKind};
use crate::types::Type;

/// Cuts a procedure at its loop heads: the procedures that run from these, in the order of the heads. Empty if it has
/// no loop; `None`, with nothing changed, if it cannot be cut.
pub fn cut_at_heads(program: &mut Program, procedure: ProcId) -> Option<Vec<ProcId>> {
    let whole = program.procedure(procedure).clone();
    if whole.blocks.is_empty() {
        return None;
    }
    let heads = heads(&whole, &Flow::of(&whole));
    let cuts = heads.iter().enumerate().map(|(n, head)| (*head, format!("loop{}", n + 1)));
    cut_before(program, procedure, whole, &cuts.collect::<Vec<_>>())
}

/// Cuts a procedure before the chosen calls, and at the heads of loops that can iterate without passing any: the
/// procedures that run from there. Empty if no call is chosen; `None`, with nothing changed, if it cannot be cut.
pub fn cut_at_calls(
    program: &mut Program,
    procedure: ProcId,
    chosen: &dyn Fn(&Callee) -> bool,
) -> Option<Vec<ProcId>> {
    let mut whole = program.procedure(procedure).clone();
    let calls = divide_before(&mut whole, chosen);
    if calls.is_empty() {
        return Some(vec![]);
    }
    let flow = Flow::of(&whole);
    let heads = heads_without(&whole, &calls);
    let mut cuts = vec![];
    for block in flow.reverse_postorder() {
        let kind = match calls.contains(block) {
            true => "output",
            false if heads.contains(block) => "loop",
            false => continue,
        };
        let number =
            1 + cuts.iter().filter(|(_, name): &&(_, String)| name.starts_with(kind)).count();
        cuts.push((*block, format!("{kind}{number}")));
    }
    cut_before(program, procedure, whole, &cuts)
}

/// Makes the procedure of these blocks the one that is cut: before each of the given blocks, with the names of the parts.
fn cut_before(
    program: &mut Program,
    procedure: ProcId,
    whole: Procedure,
    cuts: &[(BlockId, String)],
) -> Option<Vec<ProcId>> {
    let makes_objects = |stmt: &Stmt| {
        matches!(
            stmt.kind,
            StmtKind::Alloc { .. } | StmtKind::SaveStack { .. } | StmtKind::RestoreStack { .. }
        )
    };
    let mut stmts = whole.blocks.iter().flat_map(|block| &block.stmts);
    if whole.variadic || stmts.any(makes_objects) {
        return None;
    }
    let flow = Flow::of(&whole);
    let liveness = Liveness::of(&whole, &flow);
    let heads: Vec<BlockId> = cuts.iter().map(|(block, _)| *block).collect();
    let first = program.procedures.len();
    let number = |head: BlockId| heads.iter().position(|other| *other == head);
    let targets: Vec<(ProcId, Vec<VarId>)> = heads
        .iter()
        .enumerate()
        .map(|(n, head)| (ProcId::new(first + n), liveness.live_in(*head).collect()))
        .collect();
    let piece = |entry: BlockId, own_frame: bool| {
        let mut piece = whole.clone();
        let mut frame = vec![];
        for (index, local) in whole.locals.iter().enumerate() {
            let address = Expr::Address(Address::Local(LocalId::new(index)));
            frame.push(match own_frame {
                true => address,
                false => Expr::Var(piece.add_var(Var {
                    name: local.name.clone(),
                    ty: Type::Ptr,
                    ctype: None,
                    kind: VarKind::Parameter,
                })),
            });
        }
        if !own_frame {
            piece.locals.clear();
            piece.blocks.iter_mut().for_each(|block| take_addresses(block, &frame));
        }
        let loc = whole.block(entry).end.loc;
        let again = whole.blocks.len();
        for block in &mut piece.blocks {
            for target in block.end.kind.successors_mut() {
                if let Some(n) = number(*target) {
                    *target = BlockId::new(again + n);
                }
            }
        }
        for (callee, params) in &targets {
            let result = |ty: &Type| Var {
                name: String::new(),
                ty: *ty,
                ctype: None,
                kind: VarKind::Temporary,
            };
            let types = piece.results.clone();
            let results: Vec<VarId> = types.iter().map(|ty| piece.add_var(result(ty))).collect();
            let values = results.iter().map(|v| Expr::Var(*v)).collect();
            let args = params.iter().map(|v| Expr::Var(*v)).chain(frame.clone()).collect();
            let kind = StmtKind::Call { results, callee: Callee::Procedure(*callee), args };
            let end = Terminator { kind: TerminatorKind::Return(values), loc };
            let stmts = vec![Stmt { kind, loc }];
            piece.blocks.push(Block { label: "again".to_owned(), stmts, end });
        }
        enter_at(&mut piece, entry);
        remove_unreachable(&mut piece);
        (piece, frame)
    };
    let mut pieces = vec![];
    for (n, head) in heads.iter().enumerate() {
        let (mut part, frame) = piece(*head, false);
        part.name = format!("{}.{}", whole.name, cuts[n].1);
        part.symbol = (1..)
            .map(|times| format!("{}.head{}_{times}", whole.symbol, n + 1))
            .find(|symbol| program.procedures.iter().all(|p| p.symbol != *symbol))?;
        part.linkage = Linkage::Internal;
        part.ctype = None;
        part.params.clone_from(&targets[n].1);
        part.params.extend(frame.iter().filter_map(|place| match place {
            Expr::Var(var) => Some(*var),
            _ => None,
        }));
        for (index, var) in part.vars.iter_mut().enumerate() {
            let parameter = part.params.contains(&VarId::new(index));
            var.kind = match var.kind {
                _ if parameter => VarKind::Parameter,
                VarKind::Parameter | VarKind::VariadicArea => VarKind::Local,
                other => other,
            };
        }
        part.outlined_from = Some(procedure);
        pieces.push(part);
    }
    program.procedures[procedure.index()] = piece(BlockId::new(0), true).0;
    program.procedures.extend(pieces);
    Some(targets.into_iter().map(|(id, _)| id).collect())
}

/// Puts what has the addresses of local objects in the place of these.
fn take_addresses(block: &mut Block, frame: &[Expr]) {
    let take = |expr: &mut Expr| {
        expr.walk_mut(&mut |e| {
            if let Expr::Address(Address::Local(local)) = e {
                *e = frame[local.index()].clone();
            }
        });
    };
    block.stmts.iter_mut().flat_map(|stmt| stmt.kind.exprs_mut()).for_each(take);
    block.end.kind.exprs_mut().into_iter().for_each(take);
}

/// Makes a block the first one.
fn enter_at(procedure: &mut Procedure, entry: BlockId) {
    let place = |block: BlockId| match block.index() {
        at if at == entry.index() => BlockId::new(0),
        at if at < entry.index() => BlockId::new(at + 1),
        at => BlockId::new(at),
    };
    let block = procedure.blocks.remove(entry.index());
    procedure.blocks.insert(0, block);
    for block in &mut procedure.blocks {
        for target in block.end.kind.successors_mut() {
            *target = place(*target);
        }
    }
}

/// The blocks to which an edge leads back, in reverse postorder: every cycle has one.
fn heads(procedure: &Procedure, flow: &Flow) -> Vec<BlockId> {
    let mut position = vec![usize::MAX; procedure.blocks.len()];
    for (at, block) in flow.reverse_postorder().iter().enumerate() {
        position[block.index()] = at;
    }
    let leads_back = |head: &&BlockId| {
        let mut before = flow.predecessors(**head).iter();
        before.any(|from| {
            let from = position[from.index()];
            from != usize::MAX && from >= position[head.index()]
        })
    };
    flow.reverse_postorder().iter().filter(leads_back).copied().collect()
}

/// Divides blocks before the chosen calls, and gives the blocks that begin with these.
fn divide_before(procedure: &mut Procedure, chosen: &dyn Fn(&Callee) -> bool) -> Vec<BlockId> {
    let is_chosen =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Call { callee, .. } if chosen(callee));
    let mut found = vec![];
    for index in 0..procedure.blocks.len() {
        // From the last call to the first, so that what is divided off is done.
        while let Some(at) = procedure.blocks[index].stmts.iter().rposition(is_chosen) {
            let next = BlockId::new(procedure.blocks.len());
            let block = &mut procedure.blocks[index];
            let stmts = block.stmts.split_off(at);
            let loc = stmts[0].loc;
            let on = Terminator { kind: TerminatorKind::Goto(next), loc };
            let end = std::mem::replace(&mut block.end, on);
            let label = format!("{}.call", block.label);
            procedure.blocks.push(Block { label, stmts, end });
            found.push(next);
        }
    }
    found
}

/// The blocks to which an edge leads back where no path passes these blocks: every cycle without them has one.
fn heads_without(procedure: &Procedure, without: &[BlockId]) -> Vec<BlockId> {
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        New,
        Open,
        Done,
    }
    let mut states = vec![VisitState::New; procedure.blocks.len()];
    let mut found = vec![];
    for root in procedure.block_ids().filter(|block| !without.contains(block)) {
        if states[root.index()] != VisitState::New {
            continue;
        }
        // Blocks that are open, and which of their successors comes next.
        let mut open = vec![(root, 0)];
        states[root.index()] = VisitState::Open;
        while let Some((block, next)) = open.last_mut() {
            let successors = procedure.block(*block).end.kind.successors();
            let Some(successor) = successors.into_iter().nth(*next) else {
                states[block.index()] = VisitState::Done;
                open.pop();
                continue;
            };
            *next += 1;
            match states[successor.index()] {
                _ if without.contains(&successor) => {}
                VisitState::Open if !found.contains(&successor) => found.push(successor),
                VisitState::New => {
                    states[successor.index()] = VisitState::Open;
                    open.push((successor, 0));
                }
                VisitState::Open | VisitState::Done => {}
            }
        }
    }
    found
}
