//! Programs written by hand, for tests, examples and documentation. Not a stable interface.

use crate::expr::{BinaryOp, Const, Expr, UnaryOp};
use crate::ids::{BlockId, ExternId, GlobalId, LocalId, ProcId, VarId};
use crate::program::{
    Block, External, ExternalKind, Global, Init, Linkage, Local, Procedure, Program, Var, VarKind,
};
use crate::stmt::{
    Access, Callee, Loc, Signature, Stmt, StmtKind, Terminator, TerminatorKind, Trap,
};
use crate::types::Type;

/// Builds a procedure block by block.
pub struct ProcBuilder {
    procedure: Procedure,
    current: usize,
    line: u32,
}

impl ProcBuilder {
    /// A procedure with these results; its first block is the current one.
    pub fn new(name: &str, results: &[Type]) -> ProcBuilder {
        let procedure = Procedure {
            name: name.to_owned(),
            symbol: name.to_owned(),
            linkage: Linkage::External,
            loc: Loc::NONE,
            params: vec![],
            results: results.to_vec(),
            variadic: false,
            ctype: None,
            vars: vec![],
            locals: vec![],
            blocks: vec![],
            unsupported: vec![],
            opaque: None,
            with_holes: None,
            outlined_from: None,
        };
        let mut builder = ProcBuilder { procedure, current: 0, line: 0 };
        builder.block();
        builder
    }

    /// A parameter.
    pub fn param(&mut self, name: &str, ty: Type) -> VarId {
        let var = self.add(name, ty, VarKind::Parameter);
        self.procedure.params.push(var);
        var
    }

    /// A variable.
    pub fn var(&mut self, name: &str, ty: Type) -> VarId {
        self.add(name, ty, VarKind::Local)
    }

    fn add(&mut self, name: &str, ty: Type, kind: VarKind) -> VarId {
        self.procedure.add_var(Var { name: name.to_owned(), ty, ctype: None, kind })
    }

    /// A local object.
    pub fn local(&mut self, name: &str, size: u64, align: u32) -> LocalId {
        let local = Local { name: name.to_owned(), size, align, ctype: None, loc: Loc::NONE };
        self.procedure.locals.push(local);
        LocalId::new(self.procedure.locals.len() - 1)
    }

    /// A new block, which ends in [`Trap::Unreachable`] until it is given another end.
    pub fn block(&mut self) -> BlockId {
        let label = format!("b{}", self.procedure.blocks.len());
        let end =
            Terminator { kind: TerminatorKind::Trap(Trap::Unreachable), loc: self.next_loc() };
        self.procedure.blocks.push(Block { label, stmts: vec![], end });
        BlockId::new(self.procedure.blocks.len() - 1)
    }

    /// Goes on in another block.
    pub fn at(&mut self, block: BlockId) -> &mut ProcBuilder {
        self.current = block.index();
        self
    }

    fn next_loc(&mut self) -> Loc {
        self.line += 1;
        Loc { line: self.line, column: 1, ..Loc::NONE }
    }

    /// Any statement.
    pub fn stmt(&mut self, kind: StmtKind) -> &mut ProcBuilder {
        let loc = self.next_loc();
        self.procedure.blocks[self.current].stmts.push(Stmt { kind, loc });
        self
    }

    /// `dst = value`.
    pub fn assign(&mut self, dst: VarId, value: Expr) -> &mut ProcBuilder {
        self.stmt(StmtKind::Assign { dst, value })
    }

    /// An ordinary load without alignment.
    pub fn load(&mut self, dst: VarId, addr: Expr) -> &mut ProcBuilder {
        self.stmt(StmtKind::Load { dst, addr, align: 1, access: Access::Plain })
    }

    /// An ordinary store without alignment.
    pub fn store(&mut self, addr: Expr, value: Expr) -> &mut ProcBuilder {
        self.stmt(StmtKind::Store { addr, value, align: 1, access: Access::Plain })
    }

    /// A call.
    pub fn call(&mut self, results: &[VarId], callee: Callee, args: Vec<Expr>) -> &mut ProcBuilder {
        self.stmt(StmtKind::Call { results: results.to_vec(), callee, args })
    }

    /// A check.
    pub fn check(&mut self, cond: Expr, trap: Trap) -> &mut ProcBuilder {
        self.stmt(StmtKind::Check { cond, trap })
    }

    /// The end of the current block.
    pub fn end(&mut self, kind: TerminatorKind) -> &mut ProcBuilder {
        let loc = self.next_loc();
        self.procedure.blocks[self.current].end = Terminator { kind, loc };
        self
    }

    /// Ends the current block with a jump.
    pub fn goto(&mut self, to: BlockId) -> &mut ProcBuilder {
        self.end(TerminatorKind::Goto(to))
    }

    /// Ends the current block with a branch.
    pub fn branch(&mut self, cond: Expr, then: BlockId, otherwise: BlockId) -> &mut ProcBuilder {
        self.end(TerminatorKind::Branch { cond, then, otherwise })
    }

    /// Ends the current block with a return.
    pub fn ret(&mut self, values: Vec<Expr>) -> &mut ProcBuilder {
        self.end(TerminatorKind::Return(values))
    }

    /// The procedure.
    pub fn finish(self) -> Procedure {
        self.procedure
    }
}

/// Adds a procedure to a program.
pub fn add_procedure(program: &mut Program, builder: ProcBuilder) -> ProcId {
    if program.files.is_empty() {
        program.files.push("example.c".to_owned());
    }
    program.procedures.push(builder.finish());
    ProcId::new(program.procedures.len() - 1)
}

/// Adds a global with these bytes.
pub fn add_global(program: &mut Program, name: &str, bytes: &[u8], constant: bool) -> GlobalId {
    program.globals.push(Global {
        name: name.to_owned(),
        symbol: name.to_owned(),
        owner: None,
        identity: None,
        linkage: Linkage::External,
        size: bytes.len() as u64,
        open_ended: false,
        align: 16,
        constant,
        thread_local: false,
        init: Some(Init { bytes: bytes.to_vec(), relocations: vec![] }),
        ctype: None,
        loc: Loc::NONE,
    });
    GlobalId::new(program.globals.len() - 1)
}

/// Adds an external function.
pub fn add_external(
    program: &mut Program,
    name: &str,
    params: &[Type],
    results: &[Type],
) -> ExternId {
    program.externals.push(External {
        name: name.to_owned(),
        kind: ExternalKind::Function,
        signature: Signature {
            params: params.to_vec(),
            results: results.to_vec(),
            variadic: false,
        },
        ctype: None,
        no_return: false,
        by_value: vec![None; params.len()],
    });
    ExternId::new(program.externals.len() - 1)
}

/// The value of a variable.
pub fn v(var: VarId) -> Expr {
    Expr::Var(var)
}

/// A 32-bit integer constant.
pub fn i32c(value: i32) -> Expr {
    Expr::int(32, u128::from(value as u32))
}

/// A 64-bit integer constant.
pub fn i64c(value: i64) -> Expr {
    Expr::int(64, u128::from(value as u64))
}

/// A byte constant.
pub fn byte(value: u8) -> Expr {
    Expr::int(8, u128::from(value))
}

/// A double constant.
pub fn f64c(value: f64) -> Expr {
    Expr::Const(Const::new(
        Type::Float(crate::types::FloatKind::Double),
        u128::from(value.to_bits()),
    ))
}

/// An operator with two operands.
pub fn op2(op: BinaryOp, lhs: Expr, rhs: Expr) -> Expr {
    Expr::binary(op, lhs, rhs)
}

/// A sum.
pub fn add(lhs: Expr, rhs: Expr) -> Expr {
    Expr::binary(BinaryOp::Add, lhs, rhs)
}

/// `base + offset` on addresses.
pub fn at(base: Expr, offset: Expr) -> Expr {
    Expr::binary(BinaryOp::PtrAdd, base, offset)
}

/// A widening with the sign.
pub fn sext(to: u16, arg: Expr) -> Expr {
    Expr::unary(UnaryOp::SignExtend, Type::Int(to), arg)
}

/// The program of one procedure, `int twice(int x) { return x + x; }`.
pub fn example_double() -> Program {
    let mut program = Program::default();
    let mut p = ProcBuilder::new("twice", &[Type::Int(32)]);
    let x = p.param("x", Type::Int(32));
    p.ret(vec![add(v(x), v(x))]);
    add_procedure(&mut program, p);
    program
}
