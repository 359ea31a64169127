//! Statements and the ends of blocks.

use crate::expr::Expr;
use crate::ids::{BlockId, ExternId, FileId, ProcId, VarId};
use crate::opaque::Opaque;
use crate::types::Type;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A place in the source. Line 0 means that clang gave none.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Loc {
    /// Which file of the program; meaningless while `line` is 0.
    pub file: FileId,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1; 0 if unknown.
    pub column: u32,
}

impl Loc {
    /// No place.
    pub const NONE: Loc = Loc { file: FileId(0), line: 0, column: 0 };

    /// Whether there is a place.
    pub fn is_known(self) -> bool {
        self.line > 0
    }
}

/// A statement and where it came from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands in the source.
    pub loc: Loc,
}

/// What a statement does. Everything that can trap or touch memory is one of these,
/// never inside an expression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum StmtKind {
    /// `dst = value`. Copying a variable that has no value yet leaves `dst` without one.
    Assign {
        /// The variable.
        dst: VarId,
        /// Its new value, of its type.
        value: Expr,
    },
    /// `dst = *addr`, as many bytes as `dst`'s type has, little endian.
    Load {
        /// The variable.
        dst: VarId,
        /// The address.
        addr: Expr,
        /// What the address must be a multiple of.
        align: u32,
        /// What kind of access it is.
        access: Access,
    },
    /// `*addr = value`.
    Store {
        /// The address.
        addr: Expr,
        /// The value; its type says how many bytes are written.
        value: Expr,
        /// What the address must be a multiple of.
        align: u32,
        /// What kind of access it is.
        access: Access,
    },
    /// `memcpy` or `memmove`: `len` bytes from `src` to `dst`, initialised or not.
    /// Nothing is accessed when `len` is zero. The source is read as a whole first,
    /// so overlapping areas are copied rightly.
    Copy {
        /// Where to.
        dst: Expr,
        /// Where from.
        src: Expr,
        /// How many bytes, `Int(64)`.
        len: Expr,
        /// What both addresses must be multiples of.
        align: u32,
        /// What kind of access it is.
        access: Access,
    },
    /// `memset`: `len` bytes at `dst` become `byte`.
    Fill {
        /// Where.
        dst: Expr,
        /// The byte, `Int(8)`.
        byte: Expr,
        /// How many, `Int(64)`.
        len: Expr,
        /// What the address must be a multiple of.
        align: u32,
        /// What kind of access it is.
        access: Access,
    },
    /// A call. `results` is empty (they are ignored) or names a variable for each result.
    Call {
        /// Where the results go.
        results: Vec<VarId>,
        /// What is called.
        callee: Callee,
        /// The arguments.
        args: Vec<Expr>,
    },
    /// Goes on if `cond` is true, else the run ends with `trap`.
    Check {
        /// A truth value.
        cond: Expr,
        /// How the run ends if it is false.
        trap: Trap,
    },
    /// Traps ([`Trap::Uninitialised`]) unless the variable has been given a value.
    /// Stands before each read that could come too early; reads without one are
    /// proved to come after a write.
    CheckInit {
        /// The variable.
        var: VarId,
    },
    /// Makes a new object of `size` bytes in this procedure's frame (a variable-length
    /// array); it lives until the procedure returns or the stack is restored.
    Alloc {
        /// Gets the address, a `Ptr`.
        dst: VarId,
        /// How many bytes, `Int(64)`.
        size: Expr,
        /// Its alignment.
        align: u32,
    },
    /// Remembers which [`Alloc`](StmtKind::Alloc)s are alive.
    SaveStack {
        /// Gets a token, a `Ptr`, for [`RestoreStack`](StmtKind::RestoreStack).
        dst: VarId,
    },
    /// Ends the objects allocated in this frame since the token was made.
    RestoreStack {
        /// The token.
        token: Expr,
    },
    /// An instruction that the model cannot express. Only [bodies with holes](crate::OpaqueBody) contain it, which nobody executes.
    Hole {
        /// Where its results go.
        results: Vec<VarId>,
        /// Which instruction it is, and what it calls.
        code: Box<Opaque>,
        /// Its operands that are no constants; the others are part of the code. Of a call of what returns twice, all
        /// arguments.
        args: Vec<Expr>,
    },
}

/// What kind of access to memory it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Access {
    /// An ordinary one. Reading an uninitialised byte traps.
    Plain,
    /// A volatile one: an event of the world, in order with all I/O.
    Volatile,
    /// A struct that the ABI passes in registers, read or written whole. Padding comes along:
    /// uninitialised bytes read as unspecified ones (the interpreter takes zero) and do not trap.
    Coerced,
}

/// What a call calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Callee {
    /// A procedure of the program.
    Procedure(ProcId),
    /// An external function or operation.
    External(ExternId),
    /// Whatever the address points to.
    Indirect {
        /// The address.
        addr: Expr,
        /// The types at the call.
        signature: Signature,
    },
}

/// The machine types of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Signature {
    /// Of the parameters.
    pub params: Vec<Type>,
    /// Of the results: none for `void`, several for a struct in registers.
    pub results: Vec<Type>,
    /// Whether further arguments may follow.
    pub variadic: bool,
}

/// How a run ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Trap {
    /// Integer division or remainder by zero.
    DivisionByZero,
    /// `INT_MIN / -1` or `INT_MIN % -1`.
    DivisionOverflow,
    /// Access through a null pointer, or so close to it that it must have been one.
    NullAccess,
    /// Access outside the object, or where no object is.
    OutOfBounds,
    /// Access to an object that is dead.
    UseAfterFree,
    /// Access at an address that is not a multiple of the type's alignment.
    Misaligned,
    /// A local or heap byte read before it was written.
    Uninitialised,
    /// A write to a constant: a string literal, a `const` object.
    ReadOnly,
    /// A place that is never reached, said the program.
    Unreachable,
    /// A failed `assert`.
    AssertFailed,
    /// `abort()`.
    Abort,
    /// `__builtin_trap()`.
    TrapInstruction,
    /// `free` of what is not the start of a live heap object.
    BadFree,
    /// A call through a pointer that is no function, or one of another type.
    BadCall,
    /// A signed sum, difference or product that has no room, where that is undefined (`--overflow=ub`).
    SignedOverflow,
}

impl Trap {
    /// All of them.
    pub const ALL: [Trap; 15] = [
        Trap::DivisionByZero,
        Trap::DivisionOverflow,
        Trap::NullAccess,
        Trap::OutOfBounds,
        Trap::UseAfterFree,
        Trap::Misaligned,
        Trap::Uninitialised,
        Trap::ReadOnly,
        Trap::Unreachable,
        Trap::AssertFailed,
        Trap::Abort,
        Trap::TrapInstruction,
        Trap::BadFree,
        Trap::BadCall,
        Trap::SignedOverflow,
    ];
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Trap::DivisionByZero => "division by zero",
            Trap::DivisionOverflow => "division overflow",
            Trap::NullAccess => "null pointer access",
            Trap::OutOfBounds => "out-of-bounds access",
            Trap::UseAfterFree => "use after free",
            Trap::Misaligned => "misaligned access",
            Trap::Uninitialised => "uninitialised read",
            Trap::ReadOnly => "write to a constant",
            Trap::Unreachable => "unreachable",
            Trap::AssertFailed => "assertion failed",
            Trap::Abort => "abort",
            Trap::TrapInstruction => "trap instruction",
            Trap::BadFree => "invalid free",
            Trap::BadCall => "invalid call",
            Trap::SignedOverflow => "signed overflow",
        })
    }
}

/// The end of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Terminator {
    /// Where it goes.
    pub kind: TerminatorKind,
    /// Where it stands in the source.
    pub loc: Loc,
}

/// Where control goes at the end of a block.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TerminatorKind {
    /// On to a block.
    Goto(BlockId),
    /// One of two.
    Branch {
        /// A truth value.
        cond: Expr,
        /// If it is true.
        then: BlockId,
        /// If it is false.
        otherwise: BlockId,
    },
    /// One of several; computed gotos too, over the numbers of labels.
    Switch {
        /// An integer or an address.
        value: Expr,
        /// Distinct bits and where they lead.
        cases: Vec<(u128, BlockId)>,
        /// For all other values.
        default: BlockId,
    },
    /// Back to the caller, with a value for each result.
    Return(Vec<Expr>),
    /// The run ends.
    Trap(Trap),
}

impl TerminatorKind {
    /// The blocks that may follow, in order, one that is named twice given twice.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            TerminatorKind::Goto(b) => vec![*b],
            TerminatorKind::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter().map(|(_, b)| *b).chain([*default]).collect()
            }
            TerminatorKind::Return(_) | TerminatorKind::Trap(_) => vec![],
        }
    }

    /// The blocks that may follow, to be changed.
    pub fn successors_mut(&mut self) -> Vec<&mut BlockId> {
        match self {
            TerminatorKind::Goto(b) => vec![b],
            TerminatorKind::Branch { then, otherwise, .. } => vec![then, otherwise],
            TerminatorKind::Switch { cases, default, .. } => {
                cases.iter_mut().map(|(_, b)| b).chain([default]).collect()
            }
            TerminatorKind::Return(_) | TerminatorKind::Trap(_) => vec![],
        }
    }

    /// The expressions that are evaluated.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            TerminatorKind::Branch { cond, .. } => vec![cond],
            TerminatorKind::Switch { value, .. } => vec![value],
            TerminatorKind::Return(values) => values.iter().collect(),
            TerminatorKind::Goto(_) | TerminatorKind::Trap(_) => vec![],
        }
    }

    /// The expressions that are evaluated, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            TerminatorKind::Branch { cond, .. } => vec![cond],
            TerminatorKind::Switch { value, .. } => vec![value],
            TerminatorKind::Return(values) => values.iter_mut().collect(),
            TerminatorKind::Goto(_) | TerminatorKind::Trap(_) => vec![],
        }
    }
}

impl StmtKind {
    /// The expressions that are evaluated, in order.
    pub fn exprs(&self) -> Vec<&Expr> {
        match self {
            StmtKind::Assign { value, .. } => vec![value],
            StmtKind::Load { addr, .. } => vec![addr],
            StmtKind::Store { addr, value, .. } => vec![addr, value],
            StmtKind::Copy { dst, src, len, .. } => vec![dst, src, len],
            StmtKind::Fill { dst, byte, len, .. } => vec![dst, byte, len],
            StmtKind::Call { callee: Callee::Indirect { addr, .. }, args, .. } => {
                std::iter::once(addr).chain(args).collect()
            }
            StmtKind::Call { args, .. } | StmtKind::Hole { args, .. } => args.iter().collect(),
            StmtKind::Check { cond, .. } => vec![cond],
            StmtKind::Alloc { size, .. } => vec![size],
            StmtKind::RestoreStack { token } => vec![token],
            StmtKind::CheckInit { .. } | StmtKind::SaveStack { .. } => vec![],
        }
    }

    /// The expressions that are evaluated, to be changed.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            StmtKind::Assign { value, .. } => vec![value],
            StmtKind::Load { addr, .. } => vec![addr],
            StmtKind::Store { addr, value, .. } => vec![addr, value],
            StmtKind::Copy { dst, src, len, .. } => vec![dst, src, len],
            StmtKind::Fill { dst, byte, len, .. } => vec![dst, byte, len],
            StmtKind::Call { callee: Callee::Indirect { addr, .. }, args, .. } => {
                std::iter::once(addr).chain(args).collect()
            }
            StmtKind::Call { args, .. } | StmtKind::Hole { args, .. } => args.iter_mut().collect(),
            StmtKind::Check { cond, .. } => vec![cond],
            StmtKind::Alloc { size, .. } => vec![size],
            StmtKind::RestoreStack { token } => vec![token],
            StmtKind::CheckInit { .. } | StmtKind::SaveStack { .. } => vec![],
        }
    }

    /// The variables that are written.
    pub fn writes(&self) -> &[VarId] {
        match self {
            StmtKind::Assign { dst, .. }
            | StmtKind::Load { dst, .. }
            | StmtKind::Alloc { dst, .. }
            | StmtKind::SaveStack { dst } => std::slice::from_ref(dst),
            StmtKind::Call { results, .. } | StmtKind::Hole { results, .. } => results,
            _ => &[],
        }
    }

    /// The variables that are written, to be changed.
    pub fn writes_mut(&mut self) -> &mut [VarId] {
        match self {
            StmtKind::Assign { dst, .. }
            | StmtKind::Load { dst, .. }
            | StmtKind::Alloc { dst, .. }
            | StmtKind::SaveStack { dst } => std::slice::from_mut(dst),
            StmtKind::Call { results, .. } | StmtKind::Hole { results, .. } => results,
            _ => &mut [],
        }
    }

    /// Calls `visit` on every variable that is read, the one of a [`StmtKind::CheckInit`] included.
    pub fn reads(&self, visit: &mut impl FnMut(VarId)) {
        if let StmtKind::CheckInit { var } = self {
            visit(*var);
        }
        for e in self.exprs() {
            e.vars(visit);
        }
    }
}
