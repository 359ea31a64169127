//! What a procedure's text says about the inputs that matter to it.

use crate::{
    Address, CType, Callee, Expr, GlobalId, ProcId, Program, StmtKind, TerminatorKind, Type,
};

/// At most this many constants and globals are of interest.
const MOST: usize = 64;

/// Constants and globals that a procedure mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Integer constants, comparisons and cases among them.
    pub(super) constants: Vec<u128>,
    /// Bits of float constants, with their types.
    pub(super) floats: Vec<(Type, u128)>,
    /// Writable globals of plain numbers.
    pub(super) globals: Vec<GlobalId>,
}

impl Facts {
    pub(super) fn of(program: &Program, id: ProcId) -> Facts {
        let mut facts = Facts::default();
        let mut mentioned = vec![];
        // Its own text first, then that of the procedures it calls directly: a small wrapper's
        // constants are there.
        let mut procedures = vec![id];
        for block in &program.procedure(id).blocks {
            for stmt in &block.stmts {
                if let StmtKind::Call { callee: Callee::Procedure(callee), .. } = &stmt.kind
                    && !procedures.contains(callee)
                    && procedures.len() < 8
                {
                    procedures.push(*callee);
                }
            }
        }
        for id in procedures {
            for block in &program.procedure(id).blocks {
                let mut note = |e: &Expr| match e {
                    Expr::Const(c) if c.ty.is_float() => facts.floats.push((c.ty, c.bits)),
                    Expr::Const(c) if c.ty != Type::BOOL => facts.constants.push(c.bits),
                    Expr::Address(Address::Global(global)) => mentioned.push(*global),
                    _ => {}
                };
                for stmt in &block.stmts {
                    stmt.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
                }
                block.end.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
                if let TerminatorKind::Switch { cases, .. } = &block.end.kind {
                    facts.constants.extend(cases.iter().map(|case| case.0));
                }
            }
        }
        mentioned.retain(|id| is_plain(program, *id));
        facts.globals = mentioned;
        tidy(&mut facts.constants);
        tidy(&mut facts.floats);
        tidy(&mut facts.globals);
        facts
    }

    /// Adds the numbers of another text.
    pub(super) fn learn(&mut self, other: &Facts) {
        self.constants.extend(&other.constants);
        self.floats.extend(&other.floats);
        tidy(&mut self.constants);
        tidy(&mut self.floats);
    }
}

fn tidy<T: Ord>(list: &mut Vec<T>) {
    list.sort();
    list.dedup();
    list.truncate(MOST);
}

/// A writable global that holds numbers and nothing else.
fn is_plain(program: &Program, id: GlobalId) -> bool {
    let global = program.global(id);
    let types = &program.ctypes;
    let Some(mut ctype) = global.ctype else { return false };
    while let CType::Array { element, .. } = types.get(types.resolve(ctype)) {
        ctype = *element;
    }
    !global.constant
        && !global.thread_local
        && global.init.as_ref().is_some_and(|init| init.relocations.is_empty())
        && global.size <= 4096
        && matches!(
            types.get(types.resolve(ctype)),
            CType::Int { .. } | CType::Float { .. } | CType::Enum { .. }
        )
}
