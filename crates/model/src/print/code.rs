//! Procedures and whole programs as text.

use super::expr::{Level, Renderer, type_name};
use super::names::{Names, ProgramNames};
use super::path;
use crate::ctype::CType;
use crate::expr::Expr;
use crate::ids::{BlockId, CTypeId, ProcId, VarId};
use crate::program::{Linkage, Procedure, Program};
use crate::stmt::{Access, Callee, Loc, StmtKind, TerminatorKind};
use crate::types::Type;
use std::collections::HashSet;
use std::fmt::Write;

/// Prints parts of one program; names are made unique once.
pub struct Printer<'a> {
    program: &'a Program,
    names: ProgramNames,
}

impl<'a> Printer<'a> {
    /// A printer for a program.
    pub fn new(program: &'a Program) -> Printer<'a> {
        Printer { program, names: ProgramNames::of(program) }
    }

    /// The whole program: what is declared, then every procedure.
    pub fn program(&self) -> String {
        let mut out = String::new();
        for (global, name) in self.program.globals.iter().zip(&self.names.globals) {
            if path::string_literal(global).is_some() {
                continue;
            }
            let storage = match (&global.init, global.linkage) {
                (None, _) => "extern ",
                (_, Linkage::Internal) => "static ",
                (_, Linkage::External) => "",
            };
            let size = format!("char {name}[{}]", global.size);
            let declared = global.ctype.map_or(size, |c| self.program.ctypes.declare(c, name));
            let _ = writeln!(out, "{storage}{declared};{}", self.comment(global.loc));
        }
        for id in self.program.procedure_ids() {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&self.procedure(id));
        }
        out
    }

    /// One procedure.
    pub fn procedure(&self, id: ProcId) -> String {
        let procedure = self.program.procedure(id);
        let names = Names::of(self.program, &self.names, procedure);
        let r = self.renderer(procedure, &names);
        let mut out = format!("{}{}\n", self.head(id, &r), self.comment(procedure.loc));
        for unsupported in &procedure.unsupported {
            let at = self.comment(unsupported.loc).replace("  // ", " at ");
            let _ = writeln!(out, "    // unsupported: {}{at}", unsupported.construct);
        }
        if procedure.blocks.is_empty() {
            return out;
        }
        out.push_str("{\n");
        self.declarations(&r, &mut out);
        let labelled = jump_targets(procedure);
        for (i, block) in procedure.blocks.iter().enumerate() {
            let b = BlockId::new(i);
            if labelled.contains(&b) {
                let _ = writeln!(out, "{b:?}:{}", block_comment(procedure, b));
            }
            for stmt in &block.stmts {
                let _ = writeln!(out, "    {}", statement(&r, &stmt.kind));
            }
            let next = (i + 1 < procedure.blocks.len()).then(|| BlockId::new(i + 1));
            for line in terminator(&r, &block.end.kind, next) {
                let _ = writeln!(out, "    {line}");
            }
        }
        out.push_str("}\n");
        out
    }

    /// One expression of a procedure.
    pub fn expr(&self, id: ProcId, e: &Expr) -> String {
        let procedure = self.program.procedure(id);
        let names = Names::of(self.program, &self.names, procedure);
        self.renderer(procedure, &names).plain(e)
    }

    /// The head of a procedure: results, name and parameters, and where it is defined.
    pub fn signature(&self, id: ProcId) -> String {
        let procedure = self.program.procedure(id);
        let names = Names::of(self.program, &self.names, procedure);
        let head = self.head(id, &self.renderer(procedure, &names));
        format!("{head}{}", self.comment(procedure.loc))
    }

    /// The name of a procedure, unique in the program.
    pub fn procedure_name(&self, id: ProcId) -> &str {
        &self.names.procedures[id.index()]
    }

    /// The lines of a block: its statements and where it goes, all ways named.
    pub(super) fn block_lines(&self, id: ProcId) -> Vec<Vec<String>> {
        let procedure = self.program.procedure(id);
        let names = Names::of(self.program, &self.names, procedure);
        let r = self.renderer(procedure, &names);
        let lines = procedure.blocks.iter().map(|block| {
            let mut lines: Vec<String> =
                block.stmts.iter().map(|s| statement(&r, &s.kind)).collect();
            lines.extend(match &block.end.kind {
                TerminatorKind::Goto(_) => None,
                TerminatorKind::Branch { cond, .. } => Some(format!("if ({})", r.plain(cond))),
                TerminatorKind::Switch { value, .. } => {
                    Some(format!("switch ({})", r.plain(value)))
                }
                end => terminator(&r, end, None).pop(),
            });
            lines
        });
        lines.collect()
    }

    fn renderer<'b>(&'b self, procedure: &'b Procedure, names: &'b Names) -> Renderer<'b> {
        Renderer { program: self.program, procedure, global_names: &self.names, names }
    }

    /// A place in the source as a comment at the end of a line.
    fn comment(&self, loc: Loc) -> String {
        if !loc.is_known() {
            return String::new();
        }
        format!("  // {}:{}", self.program.file(loc.file), loc.line)
    }

    fn head(&self, id: ProcId, r: &Renderer) -> String {
        let procedure = r.procedure;
        let mut params: Vec<String> = procedure.params.iter().map(|p| declaration(r, *p)).collect();
        if procedure.variadic {
            params.push("...".to_owned());
        } else if params.is_empty() {
            params.push("void".to_owned());
        }
        let call = format!("{}({})", self.procedure_name(id), params.join(", "));
        let storage = if procedure.linkage == Linkage::Internal { "static " } else { "" };
        let ctypes = &self.program.ctypes;
        let declared = procedure.ctype.and_then(|c| match ctypes.get(ctypes.resolve(c)) {
            CType::Function { result, .. } => Some(ctypes.declare(*result, &call)),
            _ => None,
        });
        let head = declared.unwrap_or_else(|| match &procedure.results[..] {
            [] => format!("void {call}"),
            [one] => declare_machine(*one, &call),
            several => {
                let list: Vec<String> = several.iter().map(|t| type_name(*t, true)).collect();
                format!("({}) {call}", list.join(", "))
            }
        });
        format!("{storage}{head}")
    }

    /// Variables that occur, then local objects.
    fn declarations(&self, r: &Renderer, out: &mut String) {
        let declared = |v: &VarId| r.names.used[v.index()] && !r.procedure.params.contains(v);
        let before = out.len();
        for v in (0..r.procedure.vars.len()).map(VarId::new).filter(declared) {
            let _ = writeln!(out, "    {};", declaration(r, v));
        }
        for (local, name) in r.procedure.locals.iter().zip(&r.names.locals) {
            let bytes = format!("char {name}[{}]", local.size);
            let declared = local.ctype.map_or(bytes, |c| self.program.ctypes.declare(c, name));
            let _ = writeln!(out, "    {declared};  /* memory */");
        }
        if out.len() > before {
            out.push('\n');
        }
    }
}

fn declaration(r: &Renderer, v: VarId) -> String {
    let var = r.procedure.var(v);
    let name = &r.names.vars[v.index()];
    match var.ctype.filter(|c| agrees(r, *c, var.ty)) {
        Some(c) => r.program.ctypes.declare(c, name),
        None => declare_machine(var.ty, name),
    }
}

/// Whether a C type is one for values of the machine type; a part of a struct may carry the
/// type of the whole.
fn agrees(r: &Renderer, ctype: CTypeId, ty: Type) -> bool {
    match r.program.ctypes.get(r.program.ctypes.resolve(ctype)) {
        CType::Int { .. } | CType::Enum { .. } => ty.is_int(),
        CType::Float { .. } => ty.is_float(),
        CType::Pointer(_) | CType::Array { .. } | CType::Function { .. } => ty == Type::Ptr,
        _ => false,
    }
}

fn declare_machine(ty: Type, name: &str) -> String {
    match type_name(ty, true) {
        t if t.ends_with('*') => format!("{t}{name}"),
        t => format!("{t} {name}"),
    }
}

/// The blocks that some printed line jumps to: not those that are only fallen into.
fn jump_targets(procedure: &Procedure) -> HashSet<BlockId> {
    let mut targets = HashSet::new();
    for (i, block) in procedure.blocks.iter().enumerate() {
        let next = BlockId::new(i + 1);
        match &block.end.kind {
            TerminatorKind::Switch { .. } => targets.extend(block.end.kind.successors()),
            kind => targets.extend(kind.successors().into_iter().filter(|b| *b != next)),
        }
    }
    targets
}

fn block_comment(procedure: &Procedure, b: BlockId) -> String {
    let block = procedure.block(b);
    let locs = block.stmts.iter().map(|s| s.loc).chain([block.end.loc]);
    let line = locs.into_iter().find(|l| l.is_known()).map(|l| format!("line {}", l.line));
    let label = Some(block.label.clone()).filter(|l| !l.is_empty() && *l != format!("{b:?}"));
    let parts: Vec<String> = label.into_iter().chain(line).collect();
    if parts.is_empty() { String::new() } else { format!("  // {}", parts.join(", ")) }
}

fn statement(r: &Renderer, kind: &StmtKind) -> String {
    let name = |v: &VarId| &r.names.vars[v.index()];
    match kind {
        StmtKind::Assign { dst, value } => format!("{} = {};", name(dst), r.converted(value)),
        StmtKind::Load { dst, addr, access, .. } => {
            let var = r.procedure.var(*dst);
            let from = path::scalar(r, addr, var.ty, var.ctype);
            format!("{} = {}{};", name(dst), volatile(*access), from.text)
        }
        StmtKind::Store { addr, value, access, .. } => {
            let ctype = match value {
                Expr::Var(v) => r.procedure.var(*v).ctype,
                _ => None,
            };
            let to = path::scalar(r, addr, r.ty(value), ctype);
            format!("{}{} = {};", volatile(*access), to.text, r.converted(value))
        }
        StmtKind::Copy { dst, src, len, access, .. } => {
            let whole = len.as_const().and_then(|n| {
                let bytes = u64::try_from(n.bits).ok()?;
                Some((path::aggregate(r, dst, bytes)?, path::aggregate(r, src, bytes)?))
            });
            let volatile = volatile(*access);
            match whole {
                Some((to, from)) => format!("{volatile}{} = {};", to.text, from.text),
                None => {
                    let (to, from) = (r.plain(dst), r.plain(src));
                    format!("{volatile}memmove({to}, {from}, {});", r.converted(len))
                }
            }
        }
        StmtKind::Fill { dst, byte, len, access, .. } => {
            let (to, byte) = (r.plain(dst), r.converted(byte));
            format!("{}memset({to}, {byte}, {});", volatile(*access), r.converted(len))
        }
        StmtKind::Call { results, callee, args } => call(r, results, callee, args),
        StmtKind::Check { cond, trap } => format!("check {} else {trap};", r.plain(cond)),
        StmtKind::CheckInit { var } => {
            format!("check {} is set else {};", name(var), crate::Trap::Uninitialised)
        }
        StmtKind::Alloc { dst, size, .. } => {
            format!("{} = alloca({});", name(dst), r.converted(size))
        }
        StmtKind::SaveStack { dst } => format!("{} = save_stack();", name(dst)),
        StmtKind::RestoreStack { token } => format!("restore_stack({});", r.plain(token)),
        StmtKind::Hole { results, code, args } => {
            let results: Vec<String> = results.iter().map(|v| name(v).clone()).collect();
            let args: Vec<String> = args.iter().map(|arg| r.plain(arg)).collect();
            format!("[{}] = hole {:x}({});", results.join(", "), code.code, args.join(", "))
        }
    }
}

fn volatile(access: Access) -> &'static str {
    match access {
        Access::Volatile => "/* volatile */ ",
        Access::Plain | Access::Coerced => "",
    }
}

fn call(r: &Renderer, results: &[VarId], callee: &Callee, args: &[Expr]) -> String {
    let (function, fixed) = match callee {
        Callee::Procedure(p) => {
            (r.global_names.procedures[p.index()].clone(), r.program.procedure(*p).params.len())
        }
        Callee::External(x) => {
            let external = r.program.external(*x);
            let name = match external.kind {
                crate::ExternalKind::Assembly => format!("asm({:?})", external.name),
                _ => external.name.clone(),
            };
            (name, external.signature.params.len())
        }
        Callee::Indirect { addr, signature } => {
            (r.expr(addr).at(Level::Postfix), signature.params.len())
        }
    };
    let list: Vec<String> = args
        .iter()
        .enumerate()
        .map(|(i, a)| if i < fixed { r.converted(a) } else { r.plain(a) })
        .collect();
    let call = format!("{function}({});", list.join(", "));
    let names: Vec<&str> = results.iter().map(|v| r.names.vars[v.index()].as_str()).collect();
    match names[..] {
        [] => call,
        [one] => format!("{one} = {call}"),
        _ => format!("({}) = {call}", names.join(", ")),
    }
}

fn terminator(r: &Renderer, kind: &TerminatorKind, next: Option<BlockId>) -> Vec<String> {
    match kind {
        TerminatorKind::Goto(b) if Some(*b) == next => vec![],
        TerminatorKind::Goto(b) => vec![format!("goto {b:?};")],
        TerminatorKind::Branch { cond, then, otherwise } => {
            let test = |cond: &Expr| r.plain(cond);
            vec![if Some(*otherwise) == next {
                format!("if ({}) goto {then:?};", test(cond))
            } else if Some(*then) == next {
                format!("if ({}) goto {otherwise:?};", test(&cond.clone().not()))
            } else {
                format!("if ({}) goto {then:?}; else goto {otherwise:?};", test(cond))
            }]
        }
        TerminatorKind::Switch { value, cases, default } => {
            let ty = r.ty(value);
            let mut lines = vec![format!("switch ({}) {{", r.plain(value))];
            for group in cases.chunk_by(|a, b| a.1 == b.1) {
                let labels: Vec<String> = group
                    .iter()
                    .map(|(bits, _)| format!("case {}:", case_label(ty, *bits)))
                    .collect();
                lines.push(format!("{} goto {:?};", labels.join(" "), group[0].1));
            }
            lines.push(format!("default: goto {default:?};"));
            lines.push("}".to_owned());
            lines
        }
        TerminatorKind::Return(values) => {
            let list: Vec<String> = values.iter().map(|v| r.converted(v)).collect();
            vec![match &list[..] {
                [] => "return;".to_owned(),
                [one] => format!("return {one};"),
                _ => format!("return ({});", list.join(", ")),
            }]
        }
        TerminatorKind::Trap(trap) => vec![format!("trap({trap});")],
    }
}

/// The value of a case.
pub(super) fn case_label(ty: Type, bits: u128) -> String {
    match ty {
        Type::Int(width) => crate::types::signed(bits, width).to_string(),
        _ => format!("{bits:#x}"),
    }
}
