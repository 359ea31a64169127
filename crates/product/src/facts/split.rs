//! A loop that computes several things becomes several loops, one for each.
//!
//! Loops are split and joined by people: `for … { a += i; b += 2 * i; }` is two loops elsewhere. A loop procedure that does nothing but
//! compute (no store, no output, nothing that is made or freed) is replaced by one copy for each of its results; each copy keeps only what its result,
//! the way it takes and its traps depend on. Callers call all copies, one after the other.
//!
//! Why the program does what it did: what is taken out of a copy are assignments, which neither trap nor end anything, to variables on which neither the
//! result depends, nor an access, a check or a branch that is left; and branches all of whose ways lead to the same block, past nothing but such
//! assignments. So every copy comes to the same blocks as the loop, with the same values of all that is left: it traps where the loop does,
//! goes on where the loop does, and returns that result of the loop. Nothing that the copies do can be seen by the next one. If
//! the loop has no end the first copy has none. Where the first copy returned nothing in the loop traps and all that it calls
//! ends: so only the first one keeps what may trap for nobody's sake, and the others drop that, too.

use super::loads::share_loads;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_model::graph::Flow;
use verdiff_model::graph::tidy::remove_unreachable;
use verdiff_model::outline::{Outlined, Output};
use verdiff_model::{
    Access, BlockId, Callee, Expr, ProcId, Procedure, Program, Stmt, StmtKind, TerminatorKind, Var,
    VarId, VarKind,
};

/// Loops with more results than this are left alone.
const MOST_RESULTS: usize = 6;

/// Splits the loops of a program. Whether there were any to split.
pub fn split_loops(program: &mut Program, loops: &mut BTreeMap<ProcId, Vec<Outlined>>) -> bool {
    let pure = pure(program);
    let mut any = false;
    for list in loops.values_mut() {
        let mut split = vec![];
        for outlined in list.iter() {
            let parts = match pure.contains(&outlined.procedure) {
                true => parts(program, outlined),
                false => vec![],
            };
            if parts.is_empty() {
                split.push(outlined.clone());
                continue;
            }
            any = true;
            replace_calls(program, outlined.procedure, &parts);
            split.extend(parts.into_iter().map(|part| part.outlined));
        }
        // What computes the same is called the same, mostly; and lists are matched in order.
        split.sort_by_key(|outlined| called(program, outlined));
        *list = split;
    }
    any
}

/// What the results of a loop are called in the procedure that had it.
fn called(program: &Program, outlined: &Outlined) -> Vec<String> {
    let parent = program.procedure(outlined.parent);
    let name = |output: &Output| match output {
        Output::ExitCode => "0".to_owned(),
        Output::Returned(index) => format!("1 {index}"),
        Output::Var(var) => format!("2 {}", parent.var(*var).name),
    };
    outlined.results.iter().map(name).collect()
}

/// The procedures that only compute, with all that they call: whatever is in memory stays there.
fn pure(program: &Program) -> BTreeSet<ProcId> {
    let mut pure: BTreeSet<ProcId> = program.procedure_ids().collect();
    loop {
        let computes = |id: &ProcId| {
            let procedure = program.procedure(*id);
            let mut stmts = procedure.blocks.iter().flat_map(|block| &block.stmts);
            let is_fine = |stmt: &Stmt| match &stmt.kind {
                StmtKind::Assign { .. } | StmtKind::CheckInit { .. } => true,
                // A volatile read is seen from outside, and another one may give something else.
                StmtKind::Load { access, .. } => *access == Access::Plain,
                StmtKind::Call { callee: Callee::Procedure(callee), .. } => pure.contains(callee),
                _ => false,
            };
            let here = !procedure.blocks.is_empty() && procedure.locals.is_empty();
            here && procedure.is_supported() && stmts.all(is_fine)
        };
        let fewer: BTreeSet<ProcId> = pure.iter().copied().filter(computes).collect();
        if fewer.len() == pure.len() {
            return pure;
        }
        pure = fewer;
    }
}

/// A part of a loop: which result it computes, and what it is.
struct Part {
    result: usize,
    outlined: Outlined,
}

/// A copy for each result, if that takes the loop apart at all, in the order in which they are to be called.
fn parts(program: &mut Program, outlined: &Outlined) -> Vec<Part> {
    let id = outlined.procedure;
    let mut procedure = program.procedure(id).clone();
    share_loads(&mut procedure);
    let procedure = &procedure;
    let count = procedure.results.len();
    if !(2..=MOST_RESULTS).contains(&count) {
        return vec![];
    }
    let of = |result: usize, traps: bool| Needed::of(procedure, id, result, traps);
    let Some(mut needed) = (0..count).map(|result| of(result, false)).collect::<Option<Vec<_>>>()
    else {
        return vec![];
    };
    // The traps belong best where most is read anyway.
    let reads = |part: &Needed| {
        let stmts = procedure.blocks.iter().flat_map(|block| &block.stmts);
        stmts
            .filter(|s| matches!(&s.kind, StmtKind::Load { dst, .. } if part.vars.contains(dst)))
            .count()
    };
    let first = (0..count).rev().max_by_key(|result| reads(&needed[*result])).unwrap_or(0);
    let Some(with_traps) = of(first, true) else { return vec![] };
    needed[first] = with_traps;
    let is_smaller = |part: &Needed| procedure.params.iter().any(|p| !part.vars.contains(p));
    if !needed.iter().any(is_smaller) {
        return vec![];
    }
    let mut parts = vec![];
    let order = std::iter::once(first).chain((0..count).filter(|result| *result != first));
    for result in order {
        let needed = &needed[result];
        let part = ProcId::new(program.procedures.len());
        program.procedures.push(copy(procedure, (id, part), result, needed));
        let params = procedure.params.iter().zip(&outlined.params);
        let params = params.filter(|(p, _)| needed.vars.contains(p)).map(|(_, input)| *input);
        let outlined = Outlined {
            procedure: part,
            params: params.collect(),
            results: vec![outlined.results[result]],
            ..outlined.clone()
        };
        parts.push(Part { result, outlined });
    }
    parts
}

/// What is left of a loop for one result.
struct Needed {
    /// The variables that the result depends on, the way that is taken, and every trap.
    vars: BTreeSet<VarId>,
    /// Where a branch goes on that matters for none of these, by block.
    joins: BTreeMap<BlockId, BlockId>,
    /// Whether everything that may trap is left.
    traps: bool,
}

impl Needed {
    /// Nothing if a call of itself is followed by anything but a return of what it gave, or if it loops still.
    fn of(procedure: &Procedure, id: ProcId, result: usize, traps: bool) -> Option<Needed> {
        if !ends_with_calls(procedure, id) || !is_acyclic(procedure) {
            return None;
        }
        // As if no branch mattered; those that do are found one after the other.
        let mut branches: BTreeSet<BlockId> = BTreeSet::new();
        loop {
            let vars = vars(procedure, id, (result, traps), &branches)?;
            let mut joins = BTreeMap::new();
            let before = branches.len();
            for block in procedure.block_ids() {
                let successors = procedure.block(block).end.kind.successors();
                if successors.len() < 2 || branches.contains(&block) {
                    continue;
                }
                let mut ends =
                    successors.iter().map(|next| join(procedure, (&vars, traps), &branches, *next));
                let first = ends.next()?;
                match ends.all(|end| end == first) {
                    true => drop(joins.insert(block, first)),
                    false => drop(branches.insert(block)),
                }
            }
            if branches.len() == before {
                return Some(Needed { vars, joins, traps });
            }
        }
    }
}

fn is_acyclic(procedure: &Procedure) -> bool {
    let flow = Flow::of(procedure);
    let order = flow.reverse_postorder();
    let forward = |(at, block): (usize, &BlockId)| {
        flow.successors(*block).iter().all(|next| flow.position(*next) > Some(at))
    };
    order.iter().enumerate().all(forward)
}

/// Whether every call of itself is the last thing that is done.
fn ends_with_calls(procedure: &Procedure, id: ProcId) -> bool {
    procedure.blocks.iter().all(|block| {
        let Some(at) = block.stmts.iter().position(|stmt| is_call_of(stmt, id)) else {
            return true;
        };
        match (&block.stmts[at].kind, &block.end.kind) {
            (StmtKind::Call { results, .. }, TerminatorKind::Return(values)) => {
                let given = results.iter().map(|v| Expr::Var(*v));
                at + 1 == block.stmts.len() && given.eq(values.iter().cloned())
            }
            _ => false,
        }
    })
}

/// The variables that matter if these branches do.
fn vars(
    procedure: &Procedure,
    id: ProcId,
    (result, traps): (usize, bool),
    branches: &BTreeSet<BlockId>,
) -> Option<BTreeSet<VarId>> {
    let mut found = BTreeSet::new();
    let note = |found: &mut BTreeSet<VarId>, e: &Expr| {
        e.vars(&mut |v| {
            found.insert(v);
        });
    };
    for block in procedure.block_ids() {
        let end = &procedure.block(block).end.kind;
        match end {
            TerminatorKind::Return(values) => note(&mut found, values.get(result)?),
            _ if branches.contains(&block) => {
                end.exprs().into_iter().for_each(|e| note(&mut found, e));
            }
            _ => {}
        }
        for stmt in procedure.block(block).stmts.iter().filter(|_| traps) {
            match &stmt.kind {
                StmtKind::Assign { .. } => {}
                _ if is_call_of(stmt, id) => {}
                other => other.reads(&mut |v| {
                    found.insert(v);
                }),
            }
        }
    }
    loop {
        let before = found.len();
        for stmt in procedure.blocks.iter().flat_map(|b| &b.stmts) {
            match &stmt.kind {
                StmtKind::Call { args, .. } if is_call_of(stmt, id) => {
                    for (param, arg) in procedure.params.iter().zip(args) {
                        if found.contains(param) {
                            note(&mut found, arg);
                        }
                    }
                }
                other if other.writes().iter().any(|v| found.contains(v)) => {
                    other.reads(&mut |v| {
                        found.insert(v);
                    })
                }
                _ => {}
            }
        }
        if found.len() == before {
            return Some(found);
        }
    }
}

/// The first block from here on in which something happens that matters.
fn join(
    procedure: &Procedure,
    needed: (&BTreeSet<VarId>, bool),
    branches: &BTreeSet<BlockId>,
    block: BlockId,
) -> BlockId {
    let code = procedure.block(block);
    if !code.stmts.iter().all(|stmt| is_dead(stmt, needed)) || branches.contains(&block) {
        return block;
    }
    let successors = code.end.kind.successors();
    let mut ends = successors.iter().map(|next| join(procedure, needed, branches, *next));
    match ends.next() {
        Some(first) if ends.all(|end| end == first) => first,
        _ => block,
    }
}

/// Whether a statement does nothing that matters: it only gives values to what does not, and if it may trap, that was seen before.
fn is_dead(stmt: &Stmt, (vars, traps): (&BTreeSet<VarId>, bool)) -> bool {
    match &stmt.kind {
        StmtKind::Assign { dst, .. } => !vars.contains(dst),
        StmtKind::CheckInit { var } => !traps && !vars.contains(var),
        StmtKind::Load { dst, .. } => !traps && !vars.contains(dst),
        StmtKind::Call { results, .. } => !traps && !results.iter().any(|v| vars.contains(v)),
        _ => false,
    }
}

fn is_call_of(stmt: &Stmt, id: ProcId) -> bool {
    matches!(&stmt.kind, StmtKind::Call { callee: Callee::Procedure(callee), .. } if *callee == id)
}

/// The loop for one result.
fn copy(
    procedure: &Procedure,
    (id, part): (ProcId, ProcId),
    result: usize,
    Needed { vars: needed, joins, traps }: &Needed,
) -> Procedure {
    let mut copy = procedure.clone();
    copy.name = format!("{} ({})", procedure.name, result + 1);
    copy.symbol = format!("{} ({})", procedure.symbol, result + 1);
    copy.results = vec![procedure.results[result]];
    copy.params.retain(|param| needed.contains(param));
    for param in procedure.params.iter().filter(|param| !needed.contains(param)) {
        copy.vars[param.index()].kind = VarKind::Local;
    }
    for (block, join) in joins {
        copy.blocks[block.index()].end.kind = TerminatorKind::Goto(*join);
    }
    for block in &mut copy.blocks {
        block.stmts.retain(|stmt| is_call_of(stmt, id) || !is_dead(stmt, (needed, *traps)));
        for stmt in &mut block.stmts {
            if let StmtKind::Call { results, callee: Callee::Procedure(callee), args } =
                &mut stmt.kind
                && *callee == id
            {
                *callee = part;
                *results = vec![results[result]];
                let mut wanted = procedure.params.iter().map(|p| needed.contains(p));
                args.retain(|_| wanted.next().unwrap_or(false));
            }
        }
        if let TerminatorKind::Return(values) = &mut block.end.kind {
            *values = vec![values[result].clone()];
        }
    }
    remove_unreachable(&mut copy);
    copy
}

/// Calls all parts instead of the loop.
fn replace_calls(program: &mut Program, id: ProcId, parts: &[Part]) {
    let wanted: Vec<(&Part, Vec<bool>)> = parts
        .iter()
        .map(|part| {
            let kept = &program.procedure(part.outlined.procedure).params;
            let all = program.procedure(id).params.iter();
            (part, all.map(|param| kept.contains(param)).collect())
        })
        .collect();
    for caller in program.procedure_ids().filter(|caller| *caller != id).collect::<Vec<_>>() {
        let procedure = &mut program.procedures[caller.index()];
        for block in 0..procedure.blocks.len() {
            let stmts = std::mem::take(&mut procedure.blocks[block].stmts);
            let mut after = vec![];
            for stmt in stmts {
                match &stmt.kind {
                    StmtKind::Call { results, args, .. } if is_call_of(&stmt, id) => {
                        after.extend(calls(procedure, &stmt, results, args, &wanted));
                    }
                    _ => after.push(stmt),
                }
            }
            procedure.blocks[block].stmts = after;
        }
    }
}

/// The calls of all parts. What they give is kept apart until all are made: arguments are variables that results go to.
fn calls(
    procedure: &mut Procedure,
    call: &Stmt,
    results: &[VarId],
    args: &[Expr],
    wanted: &[(&Part, Vec<bool>)],
) -> Vec<Stmt> {
    let (mut made, mut kept) = (vec![], vec![]);
    for (part, wanted) in wanted {
        let args = args.iter().zip(wanted).filter(|(_, w)| **w).map(|(a, _)| a.clone()).collect();
        // Who does not want any result names none.
        let mut given = vec![];
        if let Some(result) = results.get(part.result) {
            let like = procedure.var(*result).clone();
            let value = procedure.add_var(Var { kind: VarKind::Temporary, ..like });
            given.push(value);
            let kind = StmtKind::Assign { dst: *result, value: Expr::Var(value) };
            kept.push(Stmt { kind, loc: call.loc });
        }
        let callee = Callee::Procedure(part.outlined.procedure);
        made.push(Stmt { kind: StmtKind::Call { results: given, callee, args }, loc: call.loc });
    }
    made.extend(kept);
    made
}

#[cfg(test)]
mod tests {
    use super::super::rewritten::programs_do_what_they_did;
    use super::split_loops;
    use std::collections::BTreeMap;
    use verdiff_model::ProcId;
    use verdiff_model::outline::{Reach, loops_to_recursion_reaching};

    /// On random programs: what runs do is what they did.
    #[test]
    fn programs_with_split_loops_do_what_they_did() {
        let changed = programs_do_what_they_did(19_000_000..19_003_000, 6, |_, program| {
            let Ok(cut) = loops_to_recursion_reaching(program, ProcId(0), Reach::Loop) else {
                return false;
            };
            split_loops(program, &mut BTreeMap::from([(ProcId(0), cut)]))
        });
        assert!(changed > 50, "{changed}");
    }
}
