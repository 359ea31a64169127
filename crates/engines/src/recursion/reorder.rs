//! Parameters and results of an outlined procedure in another order.
//!
//! What belongs together in the two versions must stand at the same place, so that one function can stand
//! for both. Every call is changed with the procedure: the program does what it did.

use verdiff_model::{Callee, Expr, ProcId, Program, StmtKind, TerminatorKind, VarId};

/// Where each parameter and each result comes from: position `n` gets what was at `params[n]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reordering {
    pub params: Vec<usize>,
    pub results: Vec<usize>,
}

impl Reordering {
    /// Whether nothing changes.
    pub fn is_identity(&self) -> bool {
        let straight = |list: &[usize]| list.iter().enumerate().all(|(n, at)| n == *at);
        straight(&self.params) && straight(&self.results)
    }

    /// Changes a procedure and all calls of it.
    pub fn apply(&self, program: &mut Program, id: ProcId) {
        let procedure = &mut program.procedures[id.index()];
        procedure.params = pick(&procedure.params, &self.params);
        procedure.results = pick(&procedure.results, &self.results);
        for block in &mut procedure.blocks {
            if let TerminatorKind::Return(values) = &mut block.end.kind {
                *values = pick::<Expr>(values, &self.results);
            }
        }
        for stmt in
            program.procedures.iter_mut().flat_map(|p| &mut p.blocks).flat_map(|b| &mut b.stmts)
        {
            if let StmtKind::Call { results, callee: Callee::Procedure(callee), args } =
                &mut stmt.kind
                && *callee == id
            {
                *args = pick(args, &self.params);
                if !results.is_empty() {
                    *results = pick::<VarId>(results, &self.results);
                }
            }
        }
    }
}

fn pick<T: Clone>(list: &[T], order: &[usize]) -> Vec<T> {
    order.iter().map(|at| list[*at].clone()).collect()
}
