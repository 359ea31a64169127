//! What a procedure's text says about the inputs that matter to it.

use crate::{
    Address, CType, Callee, Expr, GlobalId, ProcId, Program, StmtKind, TerminatorKind, Type,
};

/// At most this many constants and globals are of interest.
const MOST: usize = 64;
/// So many procedures have a say in what text looks like.
const PROCEDURES: usize = 24;
/// No longer strings, and no larger arrays.
const STRING: usize = 40;
const LONGEST: u64 = 4200;

/// Constants and globals that a procedure mentions.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// Integer constants, comparisons and cases among them.
    pub(super) constants: Vec<u128>,
    /// Bits of float constants, with their types.
    pub(super) floats: Vec<(Type, u128)>,
    /// Writable globals of plain numbers.
    pub(super) globals: Vec<GlobalId>,
    /// Letters among the constants, of more procedures that it calls.
    pub(super) letters: Vec<u8>,
    /// The strings that these mention, without the final zero.
    pub(super) strings: Vec<Vec<u8>>,
    /// The sizes of their local arrays: what does not fit into one of them is longer.
    pub(super) sizes: Vec<u64>,
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
        facts.read_texts(program, id);
        mentioned.retain(|id| is_plain(program, *id));
        facts.globals = mentioned;
        tidy(&mut facts.constants);
        tidy(&mut facts.floats);
        tidy(&mut facts.globals);
        facts
    }

    /// Takes letters, strings and sizes of a procedure and of what it calls.
    fn read_texts(&mut self, program: &Program, root: ProcId) {
        let mut procedures = vec![root];
        let mut at = 0;
        while let Some(id) = procedures.get(at).copied() {
            at += 1;
            let procedure = program.procedure(id);
            let small = |size: &u64| (16..=LONGEST).contains(size);
            self.sizes.extend(procedure.locals.iter().map(|local| local.size).filter(small));
            for block in &procedure.blocks {
                let mut note = |e: &Expr| match e {
                    Expr::Const(c) => self.letters.extend(letter(c.bits)),
                    Expr::Address(Address::Global(id)) => {
                        self.strings.extend(string(program, *id));
                    }
                    _ => {}
                };
                let mut called = vec![];
                for stmt in &block.stmts {
                    stmt.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
                    if let StmtKind::Call { callee: Callee::Procedure(callee), .. } = &stmt.kind {
                        called.push(*callee);
                    }
                }
                block.end.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
                if let TerminatorKind::Switch { cases, .. } = &block.end.kind {
                    self.letters.extend(cases.iter().filter_map(|case| letter(case.0)));
                }
                for callee in called {
                    if procedures.len() < PROCEDURES && !procedures.contains(&callee) {
                        procedures.push(callee);
                    }
                }
            }
        }
        self.letters.sort_unstable();
        self.letters.dedup();
        tidy(&mut self.strings);
        tidy(&mut self.sizes);
    }

    /// Adds the numbers of another text.
    pub(super) fn learn(&mut self, other: &Facts) {
        self.letters.extend(&other.letters);
        self.letters.sort_unstable();
        self.letters.dedup();
        self.strings.extend(other.strings.iter().cloned());
        tidy(&mut self.strings);
        self.sizes.extend(&other.sizes);
        tidy(&mut self.sizes);
        self.constants.extend(&other.constants);
        self.floats.extend(&other.floats);
        tidy(&mut self.constants);
        tidy(&mut self.floats);
    }
}

/// A constant as a letter.
fn letter(bits: u128) -> Option<u8> {
    let byte = u8::try_from(bits).ok()?;
    (matches!(byte, b'!'..=b'~') || b"\t\n\r".contains(&byte)).then_some(byte)
}

/// The text that a constant global is, without its end.
fn string(program: &Program, id: GlobalId) -> Option<Vec<u8>> {
    let global = program.global(id);
    let bytes = &global.init.as_ref().filter(|_| global.constant)?.bytes;
    let text = bytes.strip_suffix(&[0])?;
    let is_text = |byte: &u8| (b' '..0x7f).contains(byte) || b"\t\n\r".contains(byte);
    (!text.is_empty() && text.len() <= STRING && text.iter().all(is_text)).then(|| text.to_vec())
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
