//! Variables without a value.
//!
//! A local that was not written yet has none, and a checked read of it traps. Where a loop is made a
//! procedure (`verdiff_model::outline`), such a variable is handed to it as a plain argument and
//! comes back as a plain result, still without a value; so is it in the interpreter, for
//! every call. Here each variable for which that can matter has a flag, a truth value, that goes the
//! same ways.

use crate::execute::{Executor, Frame};
use crate::state::{Role, State};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdiff_logic::TermId;
use verdiff_model::graph::flow::Flow;
use verdiff_model::{
    Callee, Expr, ProcId, Procedure, Program, Stmt, StmtKind, TerminatorKind, VarId, VarKind,
};

/// What is known of a procedure's variables before it runs.
#[derive(Clone, Debug)]
pub(crate) struct Variables {
    pub(crate) roles: Rc<[Role]>,
    /// Those with a flag.
    pub(crate) tracked: Rc<[bool]>,
}

impl Variables {
    pub(crate) fn of(proc: &Procedure) -> Variables {
        let mut roles: Vec<Role> = proc
            .vars
            .iter()
            .map(|v| if v.kind == VarKind::Temporary { Role::Temporary } else { Role::Local })
            .collect();
        let mut tracked = vec![false; proc.vars.len()];
        let mut copies: HashMap<VarId, Vec<VarId>> = HashMap::new();
        let mut work: Vec<VarId> = Vec::new();
        for stmt in proc.blocks.iter().flat_map(|b| &b.stmts) {
            match &stmt.kind {
                StmtKind::CheckInit { var } => {
                    roles[var.index()] = Role::Checked;
                    work.push(*var);
                }
                StmtKind::Assign { dst, value: Expr::Var(src) } => {
                    copies.entry(*dst).or_default().push(*src);
                }
                StmtKind::Call { args, .. } => work.extend(args.iter().filter_map(plain)),
                _ => {}
            }
        }
        for block in &proc.blocks {
            if let TerminatorKind::Return(values) = &block.end.kind {
                work.extend(values.iter().filter_map(plain));
            }
        }
        // What a flag is copied from needs one, too.
        while let Some(var) = work.pop() {
            if !std::mem::replace(&mut tracked[var.index()], true) {
                work.extend(copies.get(&var).into_iter().flatten());
            }
        }
        Variables { roles: roles.into(), tracked: tracked.into() }
    }
}

/// A variable that is handed on as it is.
fn plain(e: &Expr) -> Option<VarId> {
    match e {
        Expr::Var(v) => Some(*v),
        _ => None,
    }
}

impl Executor<'_> {
    /// A procedure's variables.
    pub(crate) fn variables(&mut self, id: ProcId) -> Variables {
        let program = self.program;
        self.variables.entry(id).or_insert_with(|| Variables::of(program.procedure(id))).clone()
    }

    /// Whether the value of an expression that is handed on has been written.
    pub(crate) fn flag(&self, frame: &Frame, state: &State, e: &Expr) -> TermId {
        match plain(e) {
            Some(v) if frame.tracked[v.index()] => {
                state.set.get(&v).copied().unwrap_or(self.space.pool.falsity())
            }
            Some(v) if state.vars[v.index()].is_none() => self.space.pool.falsity(),
            _ => self.space.pool.truth(),
        }
    }

    /// Says whether a variable has a value now.
    pub(crate) fn set_flag(&self, frame: &Frame, state: &mut State, var: VarId, flag: TermId) {
        if frame.tracked[var.index()] {
            state.set.insert(var, flag);
        }
    }

    /// Gives the parameters their values and flags (no flags: all have values).
    pub(crate) fn parameters(
        &self,
        frame: &Frame,
        state: &mut State,
        args: &[TermId],
        flags: &[TermId],
    ) {
        let proc = self.program.procedure(frame.id);
        state.roles = frame.checked.clone();
        state.vars = vec![None; proc.vars.len()];
        state.set.clear();
        for (index, (param, arg)) in proc.params.iter().zip(args).enumerate() {
            let flag = flags.get(index).copied().unwrap_or(self.space.pool.truth());
            state.vars[param.index()] = Some(*arg);
            state.set.insert(*param, flag);
        }
    }

    /// Whether all results of a procedure have values provided that its parameters have.
    pub(crate) fn gives_values(&mut self, id: ProcId) -> bool {
        if let Some(known) = self.gives_values.get(&id) {
            return *known;
        }
        // All that it calls at once: from "all give values" downwards, until nothing changes. What
        // remains is right, since a run that ends has a deepest call.
        let program = self.program;
        let mut reached = vec![id];
        let mut at = 0;
        while let Some(next) = reached.get(at).copied() {
            at += 1;
            for stmt in program.procedure(next).blocks.iter().flat_map(|b| &b.stmts) {
                if let StmtKind::Call { callee: Callee::Procedure(callee), .. } = &stmt.kind
                    && !reached.contains(callee)
                {
                    reached.push(*callee);
                }
            }
        }
        let mut without = BTreeSet::new();
        loop {
            let before = without.len();
            for id in &reached {
                if !without.contains(id) && !gives_values(program, *id, &without) {
                    without.insert(*id);
                }
            }
            if without.len() == before {
                break;
            }
        }
        self.gives_values.extend(reached.iter().map(|id| (*id, !without.contains(id))));
        !without.contains(&id)
    }
}

/// Forward over one body, from "everything is set" downwards: what remains is set on all paths. The
/// procedures of `without` may return variables without a value.
fn gives_values(program: &Program, id: ProcId, without: &BTreeSet<ProcId>) -> bool {
    let proc = program.procedure(id);
    if proc.blocks.is_empty() {
        return true;
    }
    let flow = Flow::of(proc);
    let params: BTreeSet<VarId> = proc.params.iter().copied().collect();
    let mut at: HashMap<_, BTreeSet<VarId>> = HashMap::from([(Procedure::ENTRY, params)]);
    let mut changed = true;
    while changed {
        changed = false;
        for block in flow.reverse_postorder() {
            let Some(mut set) = at.get(block).cloned() else { continue };
            for stmt in &proc.block(*block).stmts {
                after(stmt, &mut set, without);
            }
            for next in flow.successors(*block) {
                match at.get_mut(next) {
                    None => {
                        at.insert(*next, set.clone());
                        changed = true;
                    }
                    Some(there) => {
                        let before = there.len();
                        there.retain(|v| set.contains(v));
                        changed |= there.len() != before;
                    }
                }
            }
        }
    }
    proc.block_ids().all(|block| {
        let (Some(mut set), TerminatorKind::Return(values)) =
            (at.get(&block).cloned(), &proc.block(block).end.kind)
        else {
            return true;
        };
        for stmt in &proc.block(block).stmts {
            after(stmt, &mut set, without);
        }
        values.iter().filter_map(plain).all(|v| set.contains(&v))
    })
}

/// What is set after a statement.
fn after(stmt: &Stmt, set: &mut BTreeSet<VarId>, without: &BTreeSet<ProcId>) {
    let written = match &stmt.kind {
        StmtKind::CheckInit { var } => {
            set.insert(*var);
            return;
        }
        StmtKind::Assign { value: Expr::Var(src), .. } => set.contains(src),
        StmtKind::Call { callee: Callee::Procedure(id), args, .. } => {
            args.iter().filter_map(plain).all(|v| set.contains(&v)) && !without.contains(id)
        }
        _ => true,
    };
    for var in stmt.kind.writes() {
        if written {
            set.insert(*var);
        } else {
            set.remove(var);
        }
    }
}
