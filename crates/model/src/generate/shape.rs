//! What is behind a pointer besides what its type says: the object of which it is a part, and what calls with `...` pass.

use crate::{CType, CTypeId, Callee, Expr, Procedure, Program, StmtKind, VarId};
use std::collections::HashMap;

/// No more containers of one type are chosen from.
const MOST: usize = 12;

/// For each struct, the structs that have one as a member, with the member's offset. C programs derive types so, and
/// find the way back by a cast or by `container_of`.
pub(super) type Containers = HashMap<String, Vec<(CTypeId, u64)>>;

/// The containers of a program's types. Types are told apart by how they are written: a table may have one type twice.
pub(super) fn containers(program: &Program) -> Containers {
    let types = &program.ctypes;
    let mut found = Containers::new();
    for id in (0..types.len()).map(CTypeId::new) {
        let CType::Record { union: false, fields, .. } = types.get(id) else { continue };
        for field in fields {
            if let Some(name) = named_record(program, field.ctype) {
                let list = found.entry(name).or_default();
                let offset = field.offset_bits / 8;
                let known = |(other, at): &(CTypeId, u64)| {
                    *at == offset && types.display(*other) == types.display(id)
                };
                if list.len() < MOST && !list.iter().any(known) {
                    list.push((id, offset));
                }
            }
        }
    }
    found
}

/// How a struct with a name is written.
pub(super) fn named_record(program: &Program, ctype: CTypeId) -> Option<String> {
    let types = &program.ctypes;
    let id = types.resolve(ctype);
    match types.get(id) {
        CType::Record { union: false, name, .. } if !name.is_empty() => Some(types.display(id)),
        _ => None,
    }
}

/// What a procedure takes a `void *` for: the type of the variable that it is copied to, or of the parameter that it is passed as.
pub(super) fn taken_for(program: &Program, procedure: &Procedure, var: VarId) -> Option<CTypeId> {
    let types = &program.ctypes;
    let typed = |ctype: Option<CTypeId>| {
        let target = ctype.and_then(|c| types.target(c))?;
        let known =
            !matches!(types.get(types.resolve(target)), CType::Void | CType::Function { .. });
        ctype.filter(|_| known)
    };
    let mut copies = vec![var];
    for stmt in procedure.blocks.iter().flat_map(|block| &block.stmts) {
        let is_copy = |e: &Expr| matches!(e, Expr::Var(v) if copies.contains(v));
        match &stmt.kind {
            StmtKind::Assign { dst, value } if is_copy(value) => {
                if let Some(found) = typed(procedure.var(*dst).ctype) {
                    return Some(found);
                }
                copies.push(*dst);
            }
            StmtKind::Call { callee: Callee::Procedure(id), args, .. } => {
                let callee = program.procedure(*id);
                let passed = args.iter().zip(&callee.params).filter(|(arg, _)| is_copy(arg));
                let mut found = passed.filter_map(|(_, param)| typed(callee.var(*param).ctype));
                if let Some(found) = found.next() {
                    return Some(found);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether only the library looks into a struct: what a program is given is a name of it.
pub fn is_opaque(program: &Program, ctype: CTypeId) -> bool {
    let types = &program.ctypes;
    matches!(types.get(types.resolve(ctype)),
        CType::Record { name, .. } if ["_IO_FILE", "__dirstream"].contains(&name.as_str()))
}

/// Whether a struct is what a `va_list` has.
pub(super) fn is_argument_list(program: &Program, ctype: CTypeId) -> bool {
    let types = &program.ctypes;
    matches!(types.get(types.resolve(ctype)),
        CType::Record { name, size: 24, fields, .. } if name == "__va_list_tag" && fields.len() == 4)
}
