//! Which parameters and results surely have a value.
//!
//! A variable that was not written yet is handed to a loop that became a procedure, and back, without a value. Most have one: that is
//! found out here for all calls of a program at once, so that nobody has to prove loops for variables without a value that never
//! come without one. From "all have one" downwards until nothing changes; what remains is right, by induction on the steps of a
//! run: whatever a parameter, a variable or a result is set from had a value before.

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
    /// For all calls that a program makes. Who calls it from outside gives values.
    pub fn of(program: &Program) -> Unset {
        let mut unset = Unset::default();
        let mut work: BTreeSet<ProcId> = program.procedure_ids().collect();
        while let Some(id) = work.pop_first() {
            let procedure = program.procedure(id);
            if procedure.blocks.is_empty() {
                continue;
            }
            let before = (unset.params.len(), unset.results.len());
            unset.look_at(program, id);
            if before == (unset.params.len(), unset.results.len()) {
                continue;
            }
            // Few have any: all that could be concerned are looked at again.
            work.extend(program.procedure_ids());
        }
        unset
    }

    /// Whether a parameter may be without a value.
    pub fn may_be(&self, procedure: ProcId, param: VarId) -> bool {
        self.params.contains(&(procedure, param))
    }

    fn look_at(&mut self, program: &Program, id: ProcId) {
        let procedure = program.procedure(id);
        let flow = Flow::of(procedure);
        let mut states: Vec<Option<Vec<bool>>> = vec![None; procedure.blocks.len()];
        let mut entry = vec![false; procedure.vars.len()];
        for param in &procedure.params {
            entry[param.index()] = !self.may_be(id, *param);
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
                        if !has_value(&state, value) {
                            self.results.insert((id, index));
                        }
                    }
                }
                for next in flow.successors(*block) {
                    match &mut states[next.index()] {
                        Some(there) => {
                            for (there, here) in there.iter_mut().zip(&state) {
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
    fn step(&mut self, program: &Program, kind: &StmtKind, state: &mut [bool]) {
        match kind {
            StmtKind::Assign { dst, value } => state[dst.index()] = has_value(state, value),
            StmtKind::CheckInit { var } => state[var.index()] = true,
            StmtKind::Call { results, callee: Callee::Procedure(callee), args } => {
                let params = &program.procedure(*callee).params;
                for (param, arg) in params.iter().zip(args) {
                    if !has_value(state, arg) {
                        self.params.insert((*callee, *param));
                    }
                }
                for (index, result) in results.iter().enumerate() {
                    state[result.index()] = !self.results.contains(&(*callee, index));
                }
            }
            other => other.writes().iter().for_each(|var| state[var.index()] = true),
        }
    }
}

fn has_value(state: &[bool], e: &Expr) -> bool {
    match e {
        Expr::Var(var) => state[var.index()],
        _ => true,
    }
}
