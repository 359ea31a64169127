//! What single procedures do: which memory they access and how, whether they loop, and what they call.

use verdiff_model::graph::{self, DominatorTree, Flow};
use verdiff_model::{
    Address, BinaryOp, Callee, Expr, ExternalKind, Procedure, Program, StmtKind, Type,
};
use verdiff_symex::libc::{Ends, known_external};

/// What a procedure does itself; or, of a [closure](Traits::also), with all that it calls.
#[derive(Clone, Copy, Default)]
pub(super) struct Traits {
    /// It loops still: a loop that could not be cut out.
    pub(super) loops: bool,
    /// It accesses memory by an address that is not a fixed place of a global or of its own frame.
    pub(super) touches: bool,
    /// The same, but a computed place in a global or in its own frame counts as fixed.
    pub(super) loose: bool,
    /// It names the address of a global or of a local otherwise than to access it.
    pub(super) names_objects: bool,
    /// It makes objects in its frame as it goes.
    pub(super) makes_objects: bool,
    /// It copies memory, written or not.
    pub(super) copies: bool,
    /// It calls something outside of which it is not known that it always comes back, or by a pointer.
    pub(super) may_leave: bool,
    /// It hands an address to something outside.
    pub(super) shows_memory: bool,
    /// It calls through a pointer.
    pub(super) calls_indirectly: bool,
    /// It calls an external function of which it is not known that it terminates, or that may call back.
    pub(super) may_wait: bool,
    /// It calls a library function that may not come back although it does no I/O: that it was called is told to nobody.
    pub(super) waits_silently: bool,
    /// How many statements it has.
    pub(super) size: usize,
    /// It names a global whose initialiser has addresses.
    pub(super) relocates: bool,
    /// It makes or frees heap objects by functions that are known to, calls through a pointer, or has the library call
    /// back. What an unknown function does to the heap does not count.
    pub(super) manages_heap: bool,
    /// Not all of it is known.
    pub(super) unsupported: bool,
}

impl Traits {
    /// What either does.
    pub(super) fn also(self, other: Traits) -> Traits {
        Traits {
            loops: self.loops | other.loops,
            touches: self.touches | other.touches,
            loose: self.loose | other.loose,
            names_objects: self.names_objects | other.names_objects,
            makes_objects: self.makes_objects | other.makes_objects,
            copies: self.copies | other.copies,
            may_leave: self.may_leave | other.may_leave,
            shows_memory: self.shows_memory | other.shows_memory,
            calls_indirectly: self.calls_indirectly | other.calls_indirectly,
            may_wait: self.may_wait | other.may_wait,
            waits_silently: self.waits_silently | other.waits_silently,
            size: self.size + other.size,
            relocates: self.relocates | other.relocates,
            manages_heap: self.manages_heap | other.manages_heap,
            unsupported: self.unsupported | other.unsupported,
        }
    }
}

/// Whether an address is a place in an object that the procedure names.
fn is_rooted(e: &Expr) -> bool {
    match e {
        Expr::Address(Address::Global(_) | Address::Local(_)) => true,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => is_rooted(lhs),
        _ => false,
    }
}

fn is_fixed(e: &Expr) -> bool {
    match e {
        Expr::Address(Address::Global(_) | Address::Local(_)) => true,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            matches!(**lhs, Expr::Address(Address::Global(_) | Address::Local(_)))
                && matches!(**rhs, Expr::Const(_))
        }
        _ => false,
    }
}

/// How often the address of an object is named in an expression.
fn names(e: &Expr) -> usize {
    let mut count = 0;
    e.walk(&mut |e| {
        count += usize::from(matches!(e, Expr::Address(Address::Global(_) | Address::Local(_))));
    });
    count
}

/// What a procedure does itself. `unset` says of a place whether it may be without a value.
pub(super) fn traits(
    program: &Program,
    procedure: &Procedure,
    unset: &dyn Fn(&Expr) -> bool,
) -> Traits {
    let flow = Flow::of(procedure);
    let loops = graph::Loops::of(&flow, &DominatorTree::of(&flow));
    let mut found =
        Traits { loops: !loops.is_empty() || !loops.irreducible().is_empty(), ..Traits::default() };
    found.unsupported = !procedure.is_supported();
    found.relocates = relocates(program, procedure);
    for block in &procedure.blocks {
        found.size += block.stmts.len() + 1;
        found.names_objects |= block.end.kind.exprs().iter().any(|e| names(e) > 0);
        for stmt in &block.stmts {
            statement(program, procedure, &stmt.kind, &mut found);
            if let StmtKind::Load { addr, .. } = &stmt.kind {
                found.touches |= unset(addr);
            }
        }
    }
    found
}

/// Whether a procedure names a global whose initialiser has addresses.
fn relocates(program: &Program, procedure: &Procedure) -> bool {
    let mut found = false;
    let mut look = |e: &Expr| {
        e.walk(&mut |e| {
            if let Expr::Address(Address::Global(global)) = e {
                let init = &program.global(*global).init;
                found |= init.as_ref().is_some_and(|i| !i.relocations.is_empty());
            }
        });
    };
    for block in &procedure.blocks {
        block.stmts.iter().flat_map(|stmt| stmt.kind.exprs()).for_each(&mut look);
        block.end.kind.exprs().into_iter().for_each(&mut look);
    }
    found
}

/// How many addresses of objects are only shown to something outside that neither keeps nor gives back any.
fn shown_only(program: &Program, kind: &StmtKind) -> usize {
    let StmtKind::Call { callee: Callee::External(id), args, .. } = kind else { return 0 };
    let external = program.external(*id);
    let forgets = known_external(external).is_some_and(|known| {
        known.keeps.is_empty() && known.stores.is_empty() && known.calls_back.is_empty()
    });
    let gives = external.signature.results.contains(&Type::Ptr);
    if forgets && !gives { args.iter().filter(|a| is_rooted(a)).count() } else { 0 }
}

fn statement(program: &Program, procedure: &Procedure, kind: &StmtKind, found: &mut Traits) {
    let accessed: Vec<&Expr> = match kind {
        StmtKind::Load { addr, .. } | StmtKind::Store { addr, .. } => vec![addr],
        StmtKind::Copy { dst, src, .. } => vec![dst, src],
        StmtKind::Fill { dst, .. } => vec![dst],
        _ => vec![],
    };
    found.touches |= accessed.iter().any(|e| !is_fixed(e));
    found.loose |= accessed.iter().any(|e| !is_rooted(e));
    // The root of an accessed address is not a value that goes anywhere.
    let all: usize = kind.exprs().iter().map(|e| names(e)).sum();
    let roots = accessed.iter().filter(|e| is_rooted(e)).count();
    let shown = shown_only(program, kind);
    found.names_objects |= all > roots + shown;
    found.copies |= matches!(kind, StmtKind::Copy { .. });
    found.makes_objects |= matches!(kind, StmtKind::Alloc { .. });
    match kind {
        StmtKind::Call { callee: Callee::External(id), args, .. } => {
            let external = program.external(*id);
            if external.kind == ExternalKind::PureIntrinsic {
                return;
            }
            let known = known_external(external);
            found.may_leave |= external.no_return
                || !known.is_some_and(|k| k.ends == Ends::Always && k.calls_back.is_empty());
            found.may_wait |=
                !known.is_some_and(|k| k.ends != Ends::Maybe && k.calls_back.is_empty());
            found.waits_silently |= known.is_some_and(|k| k.ends == Ends::Maybe && !k.world);
            found.manages_heap |=
                known.is_some_and(|k| k.allocates || k.frees.is_some() || !k.calls_back.is_empty());
            let shows = args.iter().any(|a| procedure.type_of(a) == Type::Ptr);
            found.touches |= shows;
            // An unknown function may access whatever has its address kept somewhere.
            found.shows_memory |= shows || known.is_none();
            found.loose |= shows || known.is_none();
        }
        StmtKind::Call { callee: Callee::Indirect { .. }, args, .. } => {
            found.calls_indirectly = true;
            found.manages_heap = true;
            found.may_leave = true;
            found.shows_memory = true;
            found.touches |= args.iter().any(|a| procedure.type_of(a) == Type::Ptr);
            found.loose = true;
        }
        _ => {}
    }
}
