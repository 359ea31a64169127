//! Canonical forms: texts that are equal exactly if two procedures are the same code.
//!
//! Variables, blocks and local objects are numbered as they are met along the control flow, so
//! names, their order, and blocks that are never reached do not matter. What has an identity beyond the
//! procedure is named by what both versions know it by: globals by the linker's name, literals by
//! their contents, procedures by the pair they belong to, externals by name and type.
//!
//! Code that could not be lowered has the fingerprint of its exact text for a form, with what it names in order ([`Opaque`]). Where only
//! some instructions could not be lowered there is another form besides ([`canonical_with_holes`]), where each of them is a statement with
//! its fingerprint, its operands and what it writes.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::graph::flow::Flow;
use verdiff_model::{
    Address, BinaryOp, BlockId, Callee, Const, Expr, ExternId, GlobalId, LocalId, Marks, Opaque,
    OpaqueCall, ProcId, Procedure, Program, Stmt, StmtKind, TerminatorKind, Type, VarId,
};

/// How much is evened out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Nothing but names and order: two procedures of one exact form are unchanged.
    Exact,
    /// Commuted operands too, comparisons turned round, and assignments to variables that nobody
    /// reads left out; the marks of undefined overflow only if they mean something.
    Normal {
        /// Whether overflow may be undefined.
        marks: bool,
    },
}

/// The canonical form of a procedure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Canonical {
    /// The body.
    pub code: String,
    /// Signature and local objects.
    pub types: String,
    /// The shape of the globals it names, and the contents of constants.
    pub globals: String,
    /// The pairs it calls or takes the address of.
    pub pairs: BTreeSet<PairId>,
    /// The pairs it calls directly.
    pub callees: BTreeSet<PairId>,
    /// Whether it names a procedure that has no partner.
    pub unpaired: bool,
    /// Whether it calls through a pointer, or an external that might call back.
    pub calls_anything: bool,
    /// Whether it calls what may return twice.
    pub returns_twice: bool,
}

/// The canonical form of one side's procedure.
pub fn canonical(comparison: &Comparison, side: Side, id: ProcId, form: Form) -> Canonical {
    form_of(comparison, side, id, comparison.program(side).procedure(id), form)
}

/// The canonical form of one side's procedure with holes, if that is known.
pub fn canonical_with_holes(
    comparison: &Comparison,
    side: Side,
    id: ProcId,
    form: Form,
) -> Option<Canonical> {
    let opened = comparison.program(side).procedure(id).opened()?;
    Some(form_of(comparison, side, id, &opened, form))
}

fn form_of(
    comparison: &Comparison,
    side: Side,
    id: ProcId,
    procedure: &Procedure,
    form: Form,
) -> Canonical {
    let program = comparison.program(side);
    let mut writer = Writer {
        comparison,
        side,
        program,
        id,
        procedure,
        form,
        vars: HashMap::new(),
        locals: HashMap::new(),
        blocks: HashMap::new(),
        globals: BTreeSet::new(),
        done: Canonical::default(),
    };
    writer.write();
    writer.done
}

struct Writer<'a> {
    comparison: &'a Comparison,
    side: Side,
    program: &'a Program,
    id: ProcId,
    procedure: &'a Procedure,
    form: Form,
    vars: HashMap<VarId, usize>,
    locals: HashMap<LocalId, usize>,
    blocks: HashMap<BlockId, usize>,
    globals: BTreeSet<GlobalId>,
    done: Canonical,
}

impl Writer<'_> {
    fn write(&mut self) {
        let procedure = self.procedure;
        for param in &procedure.params {
            self.var(*param);
        }
        let _ = write!(
            self.done.types,
            "{:?} {:?}",
            procedure.signature(),
            self.comparison.version(self.side).frames.get(self.id.index()).map(|f| &f.by_value)
        );
        if !procedure.is_supported() {
            self.done.code = self.opaque(procedure.opaque.as_deref());
            self.finish();
            return;
        }
        let flow = Flow::of(procedure);
        let order: Vec<BlockId> = flow.reverse_postorder().to_vec();
        for (number, block) in order.iter().enumerate() {
            self.blocks.insert(*block, number);
        }
        let dead = match self.form {
            Form::Exact => BTreeSet::new(),
            Form::Normal { .. } => never_read(procedure),
        };
        let mut code = String::new();
        for block in &order {
            let block = procedure.block(*block);
            for stmt in &block.stmts {
                self.stmt(stmt, &dead, &mut code);
            }
            self.end(&block.end.kind, &mut code);
        }
        self.done.code = code;
        self.finish();
    }

    fn finish(&mut self) {
        self.done.calls_anything |=
            self.procedure.name == "main" && crate::process::runs_more(self.program);
        self.locals_and_globals();
    }

    /// Code that could not be lowered. What is not even known is the same as nothing, least of all as the other version.
    fn opaque(&mut self, opaque: Option<&Opaque>) -> String {
        let Some(opaque) = opaque else {
            self.done.unpaired = true;
            // The same text says that what is used changed, if anything; `unpaired` that nothing follows for the pair.
            let mut unlinked =
                self.procedure.unsupported.iter().filter_map(|u| u.unlinked.as_ref());
            return match unlinked.next() {
                Some((name, code)) => format!("unlinked {name} {code:032x}"),
                None => format!("unknown {:?}", self.side),
            };
        };
        let mut code = format!("opaque {:032x}", opaque.code);
        for address in opaque.names.iter().chain(&opaque.takes) {
            if let Address::Global(id) = address {
                self.globals.insert(*id);
            }
            let _ = write!(code, " {}", self.address_name(*address));
        }
        for call in &opaque.calls {
            match *call {
                OpaqueCall::Procedure(id) => drop(self.callee(&Callee::Procedure(id))),
                OpaqueCall::External(id) => drop(self.callee(&Callee::External(id))),
                OpaqueCall::Unknown => self.done.calls_anything = true,
            }
        }
        self.done.returns_twice |= opaque.returns_twice;
        code
    }

    fn locals_and_globals(&mut self) {
        let mut locals: Vec<(usize, LocalId)> = self.locals.iter().map(|(l, n)| (*n, *l)).collect();
        locals.sort_unstable();
        for (_, local) in locals {
            let local = self.procedure.local(local);
            let _ = write!(self.done.types, " {}/{}", local.size, local.align);
        }
        // Constants may hold addresses of further ones.
        let mut seen = BTreeSet::new();
        let mut work: Vec<GlobalId> = self.globals.iter().copied().collect();
        let mut lines = BTreeSet::new();
        while let Some(id) = work.pop() {
            if !seen.insert(id) {
                continue;
            }
            let global = self.program.global(id);
            let mut line = format!(
                "{} {} {} {} {} {}",
                self.global_name(id),
                global.size,
                global.align,
                global.constant,
                global.thread_local,
                global.init.is_some()
            );
            if let (true, Some(init)) = (global.constant, &global.init) {
                let _ = write!(line, " {:?}", init.bytes);
                for relocation in &init.relocations {
                    if let Address::Global(to) = relocation.target {
                        work.push(to);
                    }
                    let target = self.address_name(relocation.target);
                    let _ = write!(line, " {}:{target}+{}", relocation.offset, relocation.addend);
                }
            }
            lines.insert(line);
        }
        self.done.globals = lines.into_iter().collect::<Vec<_>>().join("\n");
    }

    fn var(&mut self, id: VarId) -> usize {
        let next = self.vars.len();
        *self.vars.entry(id).or_insert(next)
    }

    fn stmt(&mut self, stmt: &Stmt, dead: &BTreeSet<VarId>, out: &mut String) {
        let ty = |w: &Self, v: &VarId| w.procedure.var(*v).ty;
        match &stmt.kind {
            StmtKind::Assign { dst, .. } if dead.contains(dst) => return,
            StmtKind::Assign { dst, value } => {
                let value = self.expr(value);
                let _ = write!(out, "v{}:{:?}={value}", self.var(*dst), ty(self, dst));
            }
            StmtKind::Load { dst, addr, align, access } => {
                let addr = self.expr(addr);
                let _ = write!(
                    out,
                    "v{}:{:?}=*{addr} {align} {access:?}",
                    self.var(*dst),
                    ty(self, dst)
                );
            }
            StmtKind::Store { addr, value, align, access } => {
                let bits = self.procedure.type_of(value);
                let (addr, value) = (self.expr(addr), self.expr(value));
                let _ = write!(out, "*{addr}={value}:{bits:?} {align} {access:?}");
            }
            StmtKind::Copy { dst, src, len, align, access } => {
                let (dst, src, len) = (self.expr(dst), self.expr(src), self.expr(len));
                let _ = write!(out, "copy {dst} {src} {len} {align} {access:?}");
            }
            StmtKind::Fill { dst, byte, len, align, access } => {
                let (dst, byte, len) = (self.expr(dst), self.expr(byte), self.expr(len));
                let _ = write!(out, "fill {dst} {byte} {len} {align} {access:?}");
            }
            // It ends the run with a trap whatever it is given; the message, with a number of a line, is no outcome. Its
            // arguments are expressions, which do not trap. So a function in which only lines moved is the same code.
            StmtKind::Call { callee: Callee::External(id), .. }
                if is_assertion(self.program, *id) =>
            {
                out.push_str("assertion failed");
            }
            StmtKind::Call { results, callee, args } => {
                let args: Vec<String> = args.iter().map(|arg| self.typed(arg)).collect();
                let callee = self.callee(callee);
                for result in results {
                    let _ = write!(out, "v{}:{:?} ", self.var(*result), ty(self, result));
                }
                let _ = write!(out, "=call {callee}({})", args.join(","));
            }
            StmtKind::Check { cond, trap } => {
                let cond = self.expr(cond);
                let _ = write!(out, "check {cond} {trap:?}");
            }
            StmtKind::CheckInit { var } => {
                let _ = write!(out, "set? v{}", self.var(*var));
            }
            StmtKind::Alloc { dst, size, align } => {
                let size = self.expr(size);
                let _ = write!(out, "v{}=alloc {size} {align}", self.var(*dst));
            }
            StmtKind::SaveStack { dst } => {
                let _ = write!(out, "v{}=save", self.var(*dst));
            }
            StmtKind::RestoreStack { token } => {
                let token = self.expr(token);
                let _ = write!(out, "restore {token}");
            }
            StmtKind::Hole { results, code, args } => {
                let args: Vec<String> = args.iter().map(|arg| self.typed(arg)).collect();
                let code = self.opaque(Some(code));
                for result in results {
                    let _ = write!(out, "v{}:{:?} ", self.var(*result), ty(self, result));
                }
                let _ = write!(out, "={code}({})", args.join(","));
            }
        }
        out.push('\n');
    }

    fn end(&mut self, end: &TerminatorKind, out: &mut String) {
        let block = |w: &Self, b: &BlockId| w.blocks.get(b).copied().unwrap_or(usize::MAX);
        match end {
            TerminatorKind::Goto(to) => {
                let _ = write!(out, "goto {}", block(self, to));
            }
            TerminatorKind::Branch { cond, then, otherwise } => {
                let cond = self.expr(cond);
                let _ = write!(out, "if {cond} {} {}", block(self, then), block(self, otherwise));
            }
            TerminatorKind::Switch { value, cases, default } => {
                let value = self.typed(value);
                // Their bits are distinct: order does not matter.
                let mut cases: Vec<(u128, usize)> =
                    cases.iter().map(|(bits, to)| (*bits, block(self, to))).collect();
                cases.sort_unstable();
                let _ = write!(out, "switch {value} {cases:?} {}", block(self, default));
            }
            TerminatorKind::Return(values) => {
                let values: Vec<String> = values.iter().map(|v| self.typed(v)).collect();
                let _ = write!(out, "return {}", values.join(","));
            }
            TerminatorKind::Trap(trap) => {
                let _ = write!(out, "trap {trap:?}");
            }
        }
        out.push('\n');
    }

    fn callee(&mut self, callee: &Callee) -> String {
        match callee {
            Callee::Procedure(id) => {
                match self.comparison.pair_of(self.side, *id) {
                    Some(pair) => {
                        self.done.callees.insert(pair);
                    }
                    None => self.done.unpaired = true,
                }
                self.address_name(Address::Procedure(*id))
            }
            Callee::External(id) => {
                self.done.calls_anything |= may_call_back(self.program, *id);
                self.address_name(Address::External(*id))
            }
            Callee::Indirect { addr, signature } => {
                self.done.calls_anything = true;
                format!("*{}:{signature:?}", self.expr(addr))
            }
        }
    }

    fn typed(&mut self, e: &Expr) -> String {
        let ty = self.procedure.type_of(e);
        format!("{}:{ty:?}", self.expr(e))
    }

    fn expr(&mut self, e: &Expr) -> String {
        match e {
            Expr::Const(Const { ty, bits }) => format!("{bits:x}:{ty:?}"),
            Expr::Var(id) => format!("v{}", self.var(*id)),
            Expr::Address(address) => {
                if let Address::Global(id) = address {
                    self.globals.insert(*id);
                }
                self.address_name(*address)
            }
            Expr::Unary { op, ty, arg } => format!("({op:?}:{ty:?} {})", self.typed(arg)),
            Expr::Binary { op, marks, lhs, rhs } => self.binary(*op, *marks, lhs, rhs),
            Expr::Select { cond, then, otherwise } => {
                format!("(? {} {} {})", self.expr(cond), self.typed(then), self.expr(otherwise))
            }
            Expr::FusedMulAdd { a, b, c } => {
                format!("(fma {} {} {})", self.typed(a), self.expr(b), self.expr(c))
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, marks: Marks, lhs: &Expr, rhs: &Expr) -> String {
        let ty = self.procedure.type_of(lhs);
        let (mut a, mut b) = (self.expr(lhs), self.expr(rhs));
        let mut op = op;
        let marks = match self.form {
            Form::Exact | Form::Normal { marks: true } => marks,
            Form::Normal { marks: false } => Marks::NONE,
        };
        if let Form::Normal { .. } = self.form {
            if let Some(turned) = turned_round(op) {
                op = turned;
                std::mem::swap(&mut a, &mut b);
            }
            if is_commutative(op, ty) && b < a {
                std::mem::swap(&mut a, &mut b);
            }
        }
        let marks = match (marks.no_signed_wrap, marks.no_unsigned_wrap) {
            (false, false) => "",
            (true, false) => "s",
            (false, true) => "u",
            (true, true) => "su",
        };
        format!("({op:?}{marks}:{ty:?} {a} {b})")
    }

    /// The name that both versions know a global by: for what has none, its contents.
    fn global_name(&self, id: GlobalId) -> String {
        let global = self.program.global(id);
        match global.is_literal() && global.init.is_some() {
            true => format!("literal {:032x}", self.comparison.contents_of(self.side, id)),
            false => format!("{}/{}", global.owner.as_deref().unwrap_or(""), global.identity()),
        }
    }

    fn address_name(&mut self, address: Address) -> String {
        match address {
            Address::Global(id) => format!("&{}", self.global_name(id)),
            Address::Local(id) => {
                let next = self.locals.len();
                format!("&local{}", self.locals.entry(id).or_insert(next))
            }
            Address::Procedure(id) => match self.comparison.pair_of(self.side, id) {
                Some(pair) => {
                    self.done.pairs.insert(pair);
                    format!("&pair{}", pair.0)
                }
                None => {
                    self.done.unpaired = true;
                    format!("&{:?}:{}", self.side, self.program.procedure(id).symbol)
                }
            },
            Address::External(id) => {
                let e = self.program.external(id);
                format!(
                    "&{}:{:?}:{:?}:{}:{:?}",
                    e.name, e.kind, e.signature, e.no_return, e.by_value
                )
            }
        }
    }
}

/// Whether an external may call procedures of the program: all but the known ones that do not.
pub fn may_call_back(program: &Program, id: ExternId) -> bool {
    use verdiff_model::ExternalKind::*;
    let external = program.external(id);
    match external.kind {
        PureIntrinsic => false,
        Assembly => true,
        Function => match verdiff_symex::libc::known_external(external) {
            // `exit` calls what was registered with `atexit`. ✗ To take `exit` to be the same in both versions where
            // a handler changed.
            Some(known) => {
                !known.calls_back.is_empty() || known.runs_handlers() && program.runs_at_exit()
            }
            None => true,
        },
    }
}

/// Whether an external is the library's function that is called where an assertion fails.
pub fn is_assertion(program: &Program, id: ExternId) -> bool {
    let known = verdiff_symex::libc::known_external(program.external(id));
    known.is_some_and(|known| known.model == Some(verdiff_symex::libc::Model::AssertFail))
}

/// Variables that are only ever written by plain assignments, or read for such alone. Expressions neither trap nor
/// touch memory, so what nobody reads need not be computed.
fn never_read(procedure: &Procedure) -> BTreeSet<VarId> {
    let mut dead = BTreeSet::new();
    loop {
        let mut read = BTreeSet::new();
        for block in &procedure.blocks {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Assign { dst, .. } if dead.contains(dst) => {}
                    kind => kind.reads(&mut |v| {
                        read.insert(v);
                    }),
                }
            }
            for e in block.end.kind.exprs() {
                e.vars(&mut |v| {
                    read.insert(v);
                });
            }
        }
        let now: BTreeSet<VarId> =
            (0..procedure.vars.len()).map(VarId::new).filter(|v| !read.contains(v)).collect();
        if now == dead {
            return dead;
        }
        dead = now;
    }
}

/// The comparison with its operands exchanged, for those that are not kept as they are.
fn turned_round(op: BinaryOp) -> Option<BinaryOp> {
    use BinaryOp::*;
    Some(match op {
        Ugt => Ult,
        Uge => Ule,
        Sgt => Slt,
        Sge => Sle,
        FOgt => FOlt,
        FOge => FOle,
        FUgt => FUlt,
        FUge => FUle,
        _ => return None,
    })
}

/// Whether operands may be exchanged. Float sums and products are commutative, all NaNs being one.
fn is_commutative(op: BinaryOp, _ty: Type) -> bool {
    use BinaryOp::*;
    matches!(
        op,
        Add | Mul
            | And
            | Or
            | Xor
            | Eq
            | Ne
            | SAddOverflows
            | UAddOverflows
            | SMulOverflows
            | UMulOverflows
            | FAdd
            | FMul
            | FOeq
            | FOne
            | FOrd
            | FUno
            | FUeq
            | FUne
    )
}
