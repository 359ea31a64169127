//! Well-formedness: what every producer of programs promises and every consumer relies on.
//!
//! [`validate`] looks at each id, type, expression, statement and initialiser once, so it
//! costs one walk over the program. It is run in every test after lowering and outlining:
//! an engine may index by any id and evaluate any expression of a program that passed.

mod expr;
mod problem;

pub use problem::{Problem, ProblemKind, ProblemLocation};

use crate::ctype::CType;
use crate::expr::{Address, Expr};
use crate::ids::{BlockId, CTypeId, ExternId, GlobalId, ProcId, VarId};
use crate::opaque::{Opaque, OpaqueCall};
use crate::program::{External, Global, Procedure, Program};
use crate::stmt::{Callee, Loc, Signature, StmtKind, TerminatorKind};
use crate::types::{MAX_INT_WIDTH, Type};
use std::collections::HashSet;

/// Checks a whole program. Of an expression with several faults the first is given.
pub fn validate(program: &Program) -> Result<(), Vec<Problem>> {
    let mut found = Problems::default();
    check_ctypes(program, &mut found);
    check_symbols(program, &mut found);
    for (i, global) in program.globals.iter().enumerate() {
        found.place = Some(ProblemLocation::Global(GlobalId::new(i)));
        check_global(program, global, &mut found);
    }
    for (i, external) in program.externals.iter().enumerate() {
        found.place = Some(ProblemLocation::External(ExternId::new(i)));
        check_external(program, external, &mut found);
    }
    for (i, procedure) in program.procedures.iter().enumerate() {
        check_procedure(program, ProcId::new(i), procedure, &mut found);
    }
    if found.problems.is_empty() { Ok(()) } else { Err(found.problems) }
}

/// Checks one procedure of a program.
pub fn validate_procedure(program: &Program, id: ProcId) -> Result<(), Vec<Problem>> {
    let mut found = Problems::default();
    check_procedure(program, id, program.procedure(id), &mut found);
    if found.problems.is_empty() { Ok(()) } else { Err(found.problems) }
}

/// The problems so far, and where the next one is.
#[derive(Default)]
struct Problems {
    place: Option<ProblemLocation>,
    problems: Vec<Problem>,
}

impl Problems {
    fn note<T>(&mut self, outcome: Result<T, ProblemKind>) -> Option<T> {
        match (outcome, self.place) {
            (Ok(value), _) => Some(value),
            (Err(kind), Some(place)) => {
                self.problems.push(Problem { place, kind });
                None
            }
            (Err(_), None) => unreachable!("a place is set before anything is checked"),
        }
    }

    fn demand(&mut self, right: bool, kind: impl FnOnce() -> ProblemKind) {
        if !right {
            self.note::<()>(Err(kind()));
        }
    }
}

fn within<T>(index: usize, list: &[T], problem: ProblemKind) -> Result<(), ProblemKind> {
    if index < list.len() { Ok(()) } else { Err(problem) }
}

fn valid_type(ty: Type) -> Result<(), ProblemKind> {
    match ty {
        Type::Int(width) if width == 0 || width > MAX_INT_WIDTH => Err(ProblemKind::Width(width)),
        _ => Ok(()),
    }
}

fn alignment(align: u32) -> Result<(), ProblemKind> {
    if align.is_power_of_two() { Ok(()) } else { Err(ProblemKind::Alignment(align)) }
}

fn check_ctypes(program: &Program, found: &mut Problems) {
    let ctypes = &program.ctypes;
    for id in (0..ctypes.len()).map(CTypeId::new) {
        found.place = Some(ProblemLocation::CType(id));
        let mut target = |t: &CTypeId| check_ctype(program, Some(*t), found);
        match ctypes.get(id) {
            CType::Void | CType::Int { .. } | CType::Float { .. } | CType::Enum { .. } => {}
            CType::Pointer(t)
            | CType::Array { element: t, .. }
            | CType::Typedef { target: t, .. }
            | CType::Qualified { target: t, .. } => target(t),
            CType::Record { fields, .. } => fields.iter().for_each(|f| target(&f.ctype)),
            CType::Function { result, parameters, .. } => {
                target(result);
                parameters.iter().for_each(target);
            }
        }
    }
}

fn check_ctype(program: &Program, id: Option<CTypeId>, found: &mut Problems) {
    if let Some(id) = id {
        found.demand(id.index() < program.ctypes.len(), || ProblemKind::NoCType(id));
    }
}

fn check_loc(program: &Program, loc: Loc, found: &mut Problems) {
    if loc.is_known() {
        found.demand(loc.file.index() < program.files.len(), || ProblemKind::NoFile(loc.file));
    }
}

/// Procedures and globals share one name space, the linker's.
fn check_symbols(program: &Program, found: &mut Problems) {
    let mut seen = HashSet::new();
    for (i, p) in program.procedures.iter().enumerate() {
        found.place = Some(ProblemLocation::Procedure(ProcId::new(i)));
        found.demand(seen.insert(&p.symbol), || ProblemKind::SymbolTwice(p.symbol.clone()));
    }
    for (i, g) in program.globals.iter().enumerate() {
        found.place = Some(ProblemLocation::Global(GlobalId::new(i)));
        found.demand(seen.insert(&g.symbol), || ProblemKind::SymbolTwice(g.symbol.clone()));
    }
}

fn check_global(program: &Program, global: &Global, found: &mut Problems) {
    check_ctype(program, global.ctype, found);
    check_loc(program, global.loc, found);
    found.note(alignment(global.align));
    let Some(init) = &global.init else { return };
    let (bytes, size) = (init.bytes.len() as u64, global.size);
    found.demand(bytes <= size, || ProblemKind::InitTooLong { bytes, size });
    let mut free_from = 0;
    for relocation in &init.relocations {
        let at = relocation.offset;
        found.note(expr::global_address(program, relocation.target));
        found.demand(at >= free_from, || ProblemKind::RelocationOrder(at));
        match at.checked_add(8) {
            Some(end) if end <= size => {
                free_from = end;
                let below = init.bytes.iter().skip(at as usize).take(8);
                found.demand(below.into_iter().all(|b| *b == 0), || {
                    ProblemKind::RelocationBytes(at)
                });
            }
            _ => found.demand(false, || ProblemKind::RelocationOutside(at)),
        }
    }
}

fn check_external(program: &Program, external: &External, found: &mut Problems) {
    check_ctype(program, external.ctype, found);
    check_signature(&external.signature, found);
    let (entries, params) = (external.by_value.len(), external.signature.params.len());
    let counts_agree =
        entries == 0 || entries == params || (external.signature.variadic && entries > params);
    found.demand(counts_agree, || ProblemKind::ByValueCount { found: entries, expected: params });
    for (i, (entry, ty)) in external.by_value.iter().zip(&external.signature.params).enumerate() {
        found.demand(entry.is_none() || *ty == Type::Ptr, || ProblemKind::ByValueType(i));
    }
}

fn check_signature(signature: &Signature, found: &mut Problems) {
    for ty in signature.params.iter().chain(&signature.results) {
        found.note(valid_type(*ty));
    }
}

fn check_procedure(program: &Program, id: ProcId, procedure: &Procedure, found: &mut Problems) {
    found.place = Some(ProblemLocation::Procedure(id));
    check_ctype(program, procedure.ctype, found);
    check_loc(program, procedure.loc, found);
    for ty in &procedure.results {
        found.note(valid_type(*ty));
    }
    for unsupported in &procedure.unsupported {
        check_loc(program, unsupported.loc, found);
    }
    if let Some(from) = procedure.outlined_from {
        let there = within(from.index(), &program.procedures, ProblemKind::NoProcedure(from));
        found.note(there);
    }
    match (procedure.blocks.is_empty(), procedure.is_supported()) {
        (true, true) => found.demand(false, || ProblemKind::NoBlocks),
        (false, false) => found.demand(false, || ProblemKind::BlocksDespiteUnsupported),
        _ => {}
    }
    found.demand(procedure.holes().next().is_none(), || ProblemKind::Hole);
    check_code(program, id, procedure, found);
    if procedure.with_holes.is_none() {
        return;
    }
    let opened = procedure.opened().filter(|_| !procedure.is_supported());
    found.place = Some(ProblemLocation::Procedure(id));
    found.demand(opened.is_some(), || ProblemKind::BodyWithHoles);
    let Some(opened) = opened else { return };
    let problems = found.problems.len();
    check_code(program, id, &opened, found);
    if found.problems.len() == problems {
        let whole = !opened.blocks.is_empty() && opened.signature() == procedure.signature();
        found.place = Some(ProblemLocation::Procedure(id));
        found.demand(whole, || ProblemKind::BodyWithHoles);
    }
}

/// Variables, local objects and blocks.
fn check_code(program: &Program, id: ProcId, procedure: &Procedure, found: &mut Problems) {
    found.place = Some(ProblemLocation::Procedure(id));
    for var in &procedure.vars {
        found.note(valid_type(var.ty));
        check_ctype(program, var.ctype, found);
    }
    for local in &procedure.locals {
        check_ctype(program, local.ctype, found);
        check_loc(program, local.loc, found);
        found.note(alignment(local.align));
    }
    for (i, param) in procedure.params.iter().enumerate() {
        match procedure.vars.get(param.index()) {
            None => found.demand(false, || ProblemKind::NoVar(*param)),
            Some(var) => {
                let kind =
                    matches!(var.kind, crate::VarKind::Parameter | crate::VarKind::VariadicArea);
                found.demand(kind, || ProblemKind::NotAParameter(*param));
            }
        }
        found.demand(!procedure.params[..i].contains(param), || ProblemKind::Repeated(*param));
    }
    let body = CodeChecker { program, procedure };
    for (i, block) in procedure.blocks.iter().enumerate() {
        let b = BlockId::new(i);
        for (index, stmt) in block.stmts.iter().enumerate() {
            found.place = Some(ProblemLocation::Statement(id, b, index));
            check_loc(program, stmt.loc, found);
            found.note(body.statement(&stmt.kind));
        }
        found.place = Some(ProblemLocation::Terminator(id, b));
        check_loc(program, block.end.loc, found);
        found.note(body.terminator(b, &block.end.kind));
    }
}

/// One procedure's code; each check stops at its first problem.
struct CodeChecker<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
}

impl CodeChecker<'_> {
    fn ty(&self, e: &Expr) -> Result<Type, ProblemKind> {
        expr::check(self.program, self.procedure, e)
    }

    fn var(&self, v: VarId) -> Result<Type, ProblemKind> {
        self.procedure.vars.get(v.index()).map(|var| var.ty).ok_or(ProblemKind::NoVar(v))
    }

    fn expect(&self, what: &'static str, e: &Expr, expected: Type) -> Result<(), ProblemKind> {
        expr::expect(what, self.ty(e)?, expected)
    }

    fn statement(&self, kind: &StmtKind) -> Result<(), ProblemKind> {
        match kind {
            StmtKind::Assign { dst, value } => {
                self.expect("the assigned value", value, self.var(*dst)?)
            }
            StmtKind::Load { dst, addr, align, .. } => {
                self.var(*dst)?;
                alignment(*align)?;
                self.expect("the address", addr, Type::Ptr)
            }
            StmtKind::Store { addr, value, align, .. } => {
                self.ty(value)?;
                alignment(*align)?;
                self.expect("the address", addr, Type::Ptr)
            }
            StmtKind::Copy { dst, src, len, align, .. } => {
                alignment(*align)?;
                self.expect("the target", dst, Type::Ptr)?;
                self.expect("the source", src, Type::Ptr)?;
                self.expect("the length", len, Type::WORD)
            }
            StmtKind::Fill { dst, byte, len, align, .. } => {
                alignment(*align)?;
                self.expect("the target", dst, Type::Ptr)?;
                self.expect("the byte", byte, Type::BYTE)?;
                self.expect("the length", len, Type::WORD)
            }
            StmtKind::Call { results, callee, args } => self.call(results, callee, args),
            StmtKind::Check { cond, .. } => self.expect("the condition", cond, Type::BOOL),
            StmtKind::CheckInit { var } => self.var(*var).map(|_| ()),
            StmtKind::Alloc { dst, size, align } => {
                alignment(*align)?;
                expr::expect("the variable for the address", self.var(*dst)?, Type::Ptr)?;
                self.expect("the size", size, Type::WORD)
            }
            StmtKind::SaveStack { dst } => {
                expr::expect("the variable for the token", self.var(*dst)?, Type::Ptr)
            }
            StmtKind::RestoreStack { token } => self.expect("the token", token, Type::Ptr),
            StmtKind::Hole { results, code, args } => self.hole(results, code, args),
        }
    }

    fn hole(&self, results: &[VarId], code: &Opaque, args: &[Expr]) -> Result<(), ProblemKind> {
        for (i, v) in results.iter().enumerate() {
            self.var(*v)?;
            if results[..i].contains(v) {
                return Err(ProblemKind::Repeated(*v));
            }
        }
        for arg in args {
            self.ty(arg)?;
        }
        for address in code.names.iter().chain(&code.takes) {
            expr::global_address(self.program, *address)?;
        }
        code.calls.iter().try_for_each(|call| match call {
            OpaqueCall::Procedure(p) => expr::global_address(self.program, Address::Procedure(*p)),
            OpaqueCall::External(e) => expr::global_address(self.program, Address::External(*e)),
            OpaqueCall::Unknown => Ok(()),
        })
    }

    fn call(&self, results: &[VarId], callee: &Callee, args: &[Expr]) -> Result<(), ProblemKind> {
        match callee {
            Callee::Procedure(id) => {
                let Some(p) = self.program.procedures.get(id.index()) else {
                    return Err(ProblemKind::NoProcedure(*id));
                };
                if p.params.iter().any(|v| v.index() >= p.vars.len()) {
                    // Reported where that procedure is checked.
                    return Ok(());
                }
                self.call_of(&p.signature(), results, args)
            }
            Callee::External(id) => {
                let Some(e) = self.program.externals.get(id.index()) else {
                    return Err(ProblemKind::NoExternal(*id));
                };
                self.call_of(&e.signature, results, args)
            }
            Callee::Indirect { addr, signature } => {
                self.expect("the called address", addr, Type::Ptr)?;
                for ty in signature.params.iter().chain(&signature.results) {
                    valid_type(*ty)?;
                }
                self.call_of(signature, results, args)
            }
        }
    }

    fn call_of(
        &self,
        signature: &Signature,
        results: &[VarId],
        args: &[Expr],
    ) -> Result<(), ProblemKind> {
        let (found, expected) = (args.len(), signature.params.len());
        if found < expected || (found > expected && !signature.variadic) {
            return Err(ProblemKind::ArgumentCount { found, expected });
        }
        for (i, arg) in args.iter().enumerate() {
            match signature.params.get(i) {
                Some(ty) => self.expect("an argument", arg, *ty)?,
                None => {
                    self.ty(arg)?;
                }
            }
        }
        if results.is_empty() {
            return Ok(());
        }
        if results.len() != signature.results.len() {
            return Err(ProblemKind::ResultCount {
                found: results.len(),
                expected: signature.results.len(),
            });
        }
        for (i, (v, ty)) in results.iter().zip(&signature.results).enumerate() {
            expr::expect("the variable for a result", self.var(*v)?, *ty)?;
            if results[..i].contains(v) {
                return Err(ProblemKind::Repeated(*v));
            }
        }
        Ok(())
    }

    fn target(&self, b: BlockId, from: BlockId) -> Result<(), ProblemKind> {
        if b == Procedure::ENTRY {
            return Err(ProblemKind::EntryHasPredecessor(from));
        }
        within(b.index(), &self.procedure.blocks, ProblemKind::NoBlock(b))
    }

    fn terminator(&self, from: BlockId, kind: &TerminatorKind) -> Result<(), ProblemKind> {
        match kind {
            TerminatorKind::Goto(b) => self.target(*b, from),
            TerminatorKind::Branch { cond, then, otherwise } => {
                self.expect("the condition", cond, Type::BOOL)?;
                self.target(*then, from)?;
                self.target(*otherwise, from)
            }
            TerminatorKind::Switch { value, cases, default } => {
                let ty = self.ty(value)?;
                if ty.is_float() {
                    return Err(ProblemKind::SwitchType(ty));
                }
                let mut seen = HashSet::with_capacity(cases.len());
                for (bits, b) in cases {
                    if bits & !ty.mask() != 0 {
                        return Err(ProblemKind::CaseTooWide { bits: *bits, ty });
                    }
                    if !seen.insert(bits) {
                        return Err(ProblemKind::CaseTwice(*bits));
                    }
                    self.target(*b, from)?;
                }
                self.target(*default, from)
            }
            TerminatorKind::Return(values) => {
                let (found, expected) = (values.len(), self.procedure.results.len());
                if found != expected {
                    return Err(ProblemKind::ResultCount { found, expected });
                }
                for (value, ty) in values.iter().zip(&self.procedure.results) {
                    self.expect("a returned value", value, *ty)?;
                }
                Ok(())
            }
            TerminatorKind::Trap(_) => Ok(()),
        }
    }
}
