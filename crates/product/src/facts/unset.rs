//! Which parameters and results surely have a value.
//!
//! A variable that was not written yet is handed to a loop that became a procedure, and back, without a value. Most have one: that is
//! found out here for all calls of a program at once, so that nobody has to prove loops for variables without a value that never
//! come without one. From "all have one" downwards until nothing changes; what remains is right, by induction on the steps of a
//! run: whatever a parameter, a variable or a result is set from had a value before.

use super::second_returns;
use std::borrow::Cow;
use std::collections::BTreeSet;
use verdiff_model::graph::Flow;
use verdiff_model::{Callee, Expr, ProcId, Procedure, Program, StmtKind, TerminatorKind, VarId};

/// What may be without a value.
#[derive(Default)]
pub struct Unset {
    params: BTreeSet<(ProcId, VarId)>,
    results: BTreeSet<(ProcId, usize)>,
}

impl Unset {
    /// For all calls that a program makes. Who calls it from outside gives values. Calls of parts of a procedure that is not supported
    /// are looked at in its body with holes.
    pub fn of(program: &Program) -> Unset {
        let mut unset = Unset::default();
        let mut seen: Vec<(ProcId, Cow<'_, Procedure>)> = vec![];
        for id in program.procedure_ids() {
            let procedure = program.procedure(id);
            if !procedure.blocks.is_empty() {
                seen.push((id, Cow::Borrowed(procedure)));
            } else if let Some(opened) = procedure.opened() {
                seen.push((id, Cow::Owned(second_returns::with_edges(opened))));
            }
            let from = procedure.outlined_from.map(|from| program.procedure(from));
            if from.is_some_and(|from| !from.is_supported() && from.with_holes.is_none()) {
                unset.params.extend(procedure.params.iter().map(|param| (id, *param)));
            }
        }
        // As often as what is found goes from one procedure to the next: rarely more than loops are nested.
        loop {
            let before = (unset.params.len(), unset.results.len());
            for (id, procedure) in &seen {
                unset.look_at(program, *id, procedure);
            }
            if before == (unset.params.len(), unset.results.len()) {
                return unset;
            }
        }
    }

    /// Whether a parameter may be without a value.
    pub fn may_be(&self, procedure: ProcId, param: VarId) -> bool {
        self.params.contains(&(procedure, param))
    }

    fn look_at(&mut self, program: &Program, id: ProcId, procedure: &Procedure) {
        let handed_on = HandedOn::of(procedure);
        if handed_on.count == 0 {
            return;
        }
        let flow = Flow::of(procedure);
        let mut states: Vec<Option<InitialisedState>> = vec![None; procedure.blocks.len()];
        let mut entry =
            InitialisedState { has: vec![false; handed_on.count], handed_on: &handed_on };
        for param in &procedure.params {
            entry.set(*param, !self.may_be(id, *param));
        }
        states[Procedure::ENTRY.index()] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for block in flow.reverse_postorder() {
                let Some(mut state) = states[block.index()].clone() else { continue };
                for stmt in &procedure.block(*block).stmts {
                    self.step(program, &stmt.kind, &mut state);
                }
                if let TerminatorKind::Return(values) = &procedure.block(*block).end.kind {
                    for (index, value) in values.iter().enumerate() {
                        if !state.has_value(value) {
                            self.results.insert((id, index));
                        }
                    }
                }
                for next in flow.successors(*block) {
                    match &mut states[next.index()] {
                        Some(there) => {
                            for (there, here) in there.has.iter_mut().zip(&state.has) {
                                changed |= *there && !here;
                                *there &= here;
                            }
                        }
                        none => {
                            *none = Some(state.clone());
                            changed = true;
                        }
                    }
                }
            }
        }
    }

    /// One statement. What it reads otherwise than to hand it on has a value: that was checked before.
    fn step(&mut self, program: &Program, kind: &StmtKind, state: &mut InitialisedState<'_>) {
        match kind {
            StmtKind::Assign { dst, value } => {
                let has = state.has_value(value);
                state.set(*dst, has);
            }
            StmtKind::CheckInit { var } => state.set(*var, true),
            StmtKind::Call { results, callee: Callee::Procedure(callee), args } => {
                let params = &program.procedure(*callee).params;
                for (param, arg) in params.iter().zip(args) {
                    if !state.has_value(arg) {
                        self.params.insert((*callee, *param));
                    }
                }
                for (index, result) in results.iter().enumerate() {
                    state.set(*result, !self.results.contains(&(*callee, index)));
                }
            }
            other => other.writes().iter().for_each(|var| state.set(*var, true)),
        }
    }
}

/// The variables that are handed to calls, to callers and to each other as they are: only of these it matters.
struct HandedOn {
    /// The position of each, by variable.
    position: Vec<Option<usize>>,
    count: usize,
}

impl HandedOn {
    fn of(procedure: &Procedure) -> HandedOn {
        let (mut work, mut copies): (Vec<VarId>, Vec<(VarId, VarId)>) = (vec![], vec![]);
        for block in &procedure.blocks {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign { dst, value: Expr::Var(src) } => copies.push((*dst, *src)),
                    StmtKind::Call { callee: Callee::Procedure(_), args, .. } => {
                        work.extend(args.iter().filter_map(plain));
                    }
                    _ => {}
                }
            }
            if let TerminatorKind::Return(values) = &block.end.kind {
                work.extend(values.iter().filter_map(plain));
            }
        }
        copies.sort_unstable();
        let mut found = HandedOn { position: vec![None; procedure.vars.len()], count: 0 };
        while let Some(var) = work.pop() {
            if found.position[var.index()].is_none() {
                found.position[var.index()] = Some(found.count);
                found.count += 1;
                let first = copies.partition_point(|(dst, _)| *dst < var);
                let sources = copies[first..].iter().take_while(|(dst, _)| *dst == var);
                work.extend(sources.map(|(_, src)| *src));
            }
        }
        found
    }
}

/// Which of them have a value.
#[derive(Clone)]
struct InitialisedState<'a> {
    has: Vec<bool>,
    handed_on: &'a HandedOn,
}

impl InitialisedState<'_> {
    fn set(&mut self, var: VarId, has: bool) {
        if let Some(at) = self.handed_on.position[var.index()] {
            self.has[at] = has;
        }
    }

    /// Of one that is not handed on nobody asks.
    fn has_value(&self, e: &Expr) -> bool {
        plain(e).and_then(|var| self.handed_on.position[var.index()]).is_none_or(|at| self.has[at])
    }
}

/// A variable that is handed on as it is.
fn plain(e: &Expr) -> Option<VarId> {
    match e {
        Expr::Var(var) => Some(*var),
        _ => None,
    }
}
