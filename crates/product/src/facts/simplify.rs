//! Programs said more plainly before loops are matched: variables that only name an expression, and parameters that
//! influence nothing.
//!
//! [`inline_names`]: a variable that is assigned once, from parameters and variables that never change, is that expression
//! wherever it is read (the assignment comes before every read on all paths). Expressions neither trap nor read memory, so it does
//! not matter when they are computed. So what was hoisted out of a loop is in it again.
//!
//! [`forget_faint`]: a parameter that is only handed on to parameters of that kind influences neither results nor memory,
//! nor whether, how or when a run ends. Callers pass zero instead.

use std::collections::BTreeSet;
use verdiff_model::graph::{DominatorTree, Flow};
use verdiff_model::{
    BlockId, Callee, Const, Expr, ProcId, Procedure, Program, StmtKind, TerminatorKind, VarId,
};

/// Expressions deeper than this keep their names.
const DEEPEST: usize = 12;

/// Puts expressions in the place of variables that only name them.
pub fn inline_names(procedure: &mut Procedure) {
    if procedure.blocks.is_empty() {
        return;
    }
    let flow = Flow::of(procedure);
    let dominators = DominatorTree::of(&flow);
    let mut writes = vec![0usize; procedure.vars.len()];
    let mut checked = vec![false; procedure.vars.len()];
    let mut defined: Vec<Option<(BlockId, usize, Expr)>> = vec![None; procedure.vars.len()];
    for block in procedure.block_ids() {
        for (index, stmt) in procedure.block(block).stmts.iter().enumerate() {
            stmt.kind.writes().iter().for_each(|v| writes[v.index()] += 1);
            match &stmt.kind {
                StmtKind::CheckInit { var } => checked[var.index()] = true,
                StmtKind::Assign { dst, value } => {
                    defined[dst.index()] = Some((block, index, value.clone()));
                }
                _ => {}
            }
        }
    }
    let params: BTreeSet<VarId> = procedure.params.iter().copied().collect();
    let early = read_early(procedure, &flow, &dominators, &defined);
    let mut stable: Vec<Option<Expr>> = vec![None; procedure.vars.len()];
    for param in &params {
        if writes[param.index()] == 0 {
            stable[param.index()] = Some(Expr::Var(*param));
        }
    }
    loop {
        let mut changed = false;
        for (index, definition) in defined.iter().enumerate() {
            let var = VarId::new(index);
            let Some((block, _, value)) = definition else { continue };
            let once = writes[index] == 1 && !checked[index] && !params.contains(&var);
            if stable[index].is_some()
                || !once
                || early.contains(&var)
                || !flow.is_reachable(*block)
            {
                continue;
            }
            let mut all = true;
            value.vars(&mut |v| all &= stable[v.index()].is_some());
            if !all {
                continue;
            }
            let mut value = value.clone();
            replace(&mut value, &stable);
            if value.depth() <= DEEPEST {
                stable[index] = Some(value);
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    for block in &mut procedure.blocks {
        for stmt in &mut block.stmts {
            stmt.kind.exprs_mut().into_iter().for_each(|e| replace(e, &stable));
        }
        block.end.kind.exprs_mut().into_iter().for_each(|e| replace(e, &stable));
    }
}

/// The variables that are read where their only assignment need not have been made.
fn read_early(
    procedure: &Procedure,
    flow: &Flow,
    dominators: &DominatorTree,
    defined: &[Option<(BlockId, usize, Expr)>],
) -> BTreeSet<VarId> {
    let mut early = BTreeSet::new();
    for block in procedure.block_ids().filter(|b| flow.is_reachable(*b)) {
        let mut look = |var: VarId, at: usize| {
            let before = defined[var.index()].as_ref().is_some_and(|(there, index, _)| {
                if *there == block { *index < at } else { dominators.dominates(*there, block) }
            });
            if !before {
                early.insert(var);
            }
        };
        let body = procedure.block(block);
        for (index, stmt) in body.stmts.iter().enumerate() {
            stmt.kind.exprs().into_iter().for_each(|e| e.vars(&mut |v| look(v, index)));
        }
        let end = body.stmts.len();
        body.end.kind.exprs().into_iter().for_each(|e| e.vars(&mut |v| look(v, end)));
    }
    early
}

fn replace(e: &mut Expr, stable: &[Option<Expr>]) {
    if let Expr::Var(var) = e {
        if let Some(value) = &stable[var.index()] {
            *e = value.clone();
        }
        return;
    }
    e.operands_mut().for_each(|operand| replace(operand, stable));
}

/// Has zero passed for parameters that influence nothing.
pub fn forget_faint(program: &mut Program) {
    let mut needed: Vec<BTreeSet<VarId>> = vec![BTreeSet::new(); program.procedures.len()];
    loop {
        let mut changed = false;
        for id in program.procedure_ids() {
            let before = needed[id.index()].len();
            let now = needed_in(program, id, &needed);
            changed |= now.len() > before;
            needed[id.index()] = now;
        }
        if !changed {
            break;
        }
    }
    let params: Vec<Vec<VarId>> = program.procedures.iter().map(|p| p.params.clone()).collect();
    for procedure in &mut program.procedures {
        let types: Vec<_> = procedure.vars.iter().map(|v| v.ty).collect();
        for stmt in procedure.blocks.iter_mut().flat_map(|b| &mut b.stmts) {
            if let StmtKind::Call { callee: Callee::Procedure(id), args, .. } = &mut stmt.kind {
                let wanted = params[id.index()].iter().map(|p| needed[id.index()].contains(p));
                for (arg, wanted) in args.iter_mut().zip(wanted) {
                    let ty = arg.ty(&|v: VarId| types[v.index()]);
                    if !wanted {
                        *arg = Expr::Const(Const::new(ty, 0));
                    }
                }
            }
        }
    }
}

/// The variables of a procedure that influence something, given those of the others.
fn needed_in(program: &Program, id: ProcId, needed: &[BTreeSet<VarId>]) -> BTreeSet<VarId> {
    let procedure = program.procedure(id);
    let mut found = needed[id.index()].clone();
    if procedure.blocks.is_empty() {
        found.extend(&procedure.params);
        return found;
    }
    let note = |found: &mut BTreeSet<VarId>, e: &Expr| {
        e.vars(&mut |v| {
            found.insert(v);
        });
    };
    for block in &procedure.blocks {
        match &block.end.kind {
            TerminatorKind::Goto(_) | TerminatorKind::Trap(_) => {}
            other => other.exprs().into_iter().for_each(|e| note(&mut found, e)),
        }
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::Assign { .. } => {}
                StmtKind::Call { callee: Callee::Procedure(callee), args, .. } => {
                    let params = program.procedure(*callee).params.iter();
                    for (arg, param) in args.iter().zip(params) {
                        if needed[callee.index()].contains(param) {
                            note(&mut found, arg);
                        }
                    }
                }
                StmtKind::CheckInit { var } => {
                    found.insert(*var);
                }
                other => other.reads(&mut |v| {
                    found.insert(v);
                }),
            }
        }
    }
    // What is assigned to something that is needed is needed.
    loop {
        let before = found.len();
        for stmt in procedure.blocks.iter().flat_map(|b| &b.stmts) {
            if let StmtKind::Assign { dst, value } = &stmt.kind
                && found.contains(dst)
            {
                note(&mut found, value);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rewritten::programs_do_what_they_did;
    use super::{forget_faint, inline_names};
    use verdiff_model::ProcId;
    use verdiff_model::outline::{Reach, loops_to_recursion_reaching};

    /// On random programs: what runs do is what they did.
    #[test]
    fn simplified_programs_do_what_they_did() {
        let changed = programs_do_what_they_did(9_000_000..9_001_500, 4, |seed, program| {
            let before = program.clone();
            program.procedures.iter_mut().for_each(inline_names);
            let reach = if seed % 2 == 0 { Reach::Loop } else { Reach::End };
            let _ = loops_to_recursion_reaching(program, ProcId(0), reach);
            forget_faint(program);
            before != *program
        });
        assert!(changed > 500, "{changed}");
    }
}
