//! What the pointers lead to that external functions return.

use crate::expr::Expr;
use crate::{CType, CTypeId, Callee, ExternId, Program, StmtKind, Type};
use std::collections::BTreeMap;

/// For each external that returns a pointer, the C type of what it leads to: as the external is declared, or as the variable is that the
/// pointer is put into. Without an entry it is not known; callers may take the same `void *` for this and for that, and the first counts.
pub fn external_results(program: &Program) -> BTreeMap<ExternId, CTypeId> {
    let types = &program.ctypes;
    let is_typed = |id: &CTypeId| !matches!(types.get(types.resolve(*id)), CType::Void);
    let target = |ctype: Option<CTypeId>| ctype.and_then(|c| types.target(c)).filter(is_typed);
    let mut found = BTreeMap::new();
    if program.externals.iter().all(|e| e.signature.results.first() != Some(&Type::Ptr)) {
        return found;
    }
    for procedure in &program.procedures {
        for block in &procedure.blocks {
            for (at, stmt) in block.stmts.iter().enumerate() {
                let StmtKind::Call { results, callee: Callee::External(id), .. } = &stmt.kind
                else {
                    continue;
                };
                let external = program.external(*id);
                let (Some(Type::Ptr), [result]) =
                    (external.signature.results.first(), &results[..])
                else {
                    continue;
                };
                if found.contains_key(id) {
                    continue;
                }
                let declared = external.ctype.and_then(|c| match types.get(types.resolve(c)) {
                    CType::Function { result, .. } => Some(*result),
                    _ => None,
                });
                let put = block.stmts[at + 1..].iter().find_map(|later| match &later.kind {
                    StmtKind::Assign { dst, value: Expr::Var(v) } if v == result => {
                        target(procedure.var(*dst).ctype)
                    }
                    _ => None,
                });
                let own = target(procedure.var(*result).ctype);
                if let Some(ctype) = target(declared).or(own).or(put) {
                    found.insert(*id, ctype);
                }
            }
        }
    }
    found
}
