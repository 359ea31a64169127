//! What can be wrong with a program, and where.

use crate::ids::{BlockId, CTypeId, ExternId, FileId, GlobalId, LocalId, ProcId, VarId};
use crate::program::Program;
use crate::types::Type;
use std::fmt;

/// Something that is not as the model demands.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Where.
    pub place: ProblemLocation,
    /// What.
    pub kind: ProblemKind,
}

/// A place in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemLocation {
    /// The table of C types.
    CType(CTypeId),
    /// A global.
    Global(GlobalId),
    /// An external.
    External(ExternId),
    /// A procedure as a whole.
    Procedure(ProcId),
    /// A statement: procedure, block, index.
    Statement(ProcId, BlockId, usize),
    /// The end of a block.
    Terminator(ProcId, BlockId),
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemKind {
    /// No such variable.
    #[error("there is no variable {0:?}")]
    NoVar(VarId),
    /// No such block.
    #[error("there is no block {0:?}")]
    NoBlock(BlockId),
    /// No such local object.
    #[error("there is no local object {0:?}")]
    NoLocal(LocalId),
    /// No such global.
    #[error("there is no global {0:?}")]
    NoGlobal(GlobalId),
    /// No such procedure.
    #[error("there is no procedure {0:?}")]
    NoProcedure(ProcId),
    /// No such external.
    #[error("there is no external {0:?}")]
    NoExternal(ExternId),
    /// No such file.
    #[error("there is no file {0:?}")]
    NoFile(FileId),
    /// No such C type.
    #[error("there is no C type {0:?}")]
    NoCType(CTypeId),
    /// An integer type that is too narrow or too wide.
    #[error("an integer cannot have {0} bits")]
    Width(u16),
    /// A constant with bits above its width.
    #[error("the constant {bits:#x} does not fit its type {ty}")]
    ConstTooWide {
        /// Its type.
        ty: Type,
        /// Its bits.
        bits: u128,
    },
    /// A value of one type where another is wanted.
    #[error("{what} has type {found}, not {expected}")]
    WrongType {
        /// Which value.
        what: &'static str,
        /// Its type.
        found: Type,
        /// What it should be.
        expected: Type,
    },
    /// An operator that does not take such an operand.
    #[error("{op} cannot take an operand of type {ty}")]
    Operand {
        /// The operator.
        op: String,
        /// The operand's type.
        ty: Type,
    },
    /// An operator whose operands differ in type.
    #[error("{op} has operands of types {lhs} and {rhs}")]
    Operands {
        /// The operator.
        op: String,
        /// The left operand's type.
        lhs: Type,
        /// The right operand's type.
        rhs: Type,
    },
    /// A cast that is none.
    #[error("{op} cannot lead from {from} to {to}")]
    Cast {
        /// The operator.
        op: String,
        /// The operand's type.
        from: Type,
        /// The result's type.
        to: Type,
    },
    /// An expression that is too deep.
    #[error("the expression is deeper than {} levels", crate::MAX_EXPR_DEPTH)]
    TooDeep,
    /// An alignment that is no power of two.
    #[error("{0} is no alignment")]
    Alignment(u32),
    /// A call with too few or too many arguments.
    #[error("the call has {found} arguments, the callee {expected} parameters")]
    ArgumentCount {
        /// How many there are.
        found: usize,
        /// How many the callee has.
        expected: usize,
    },
    /// Not as many results as there should be.
    #[error("{found} results where there should be {expected}")]
    ResultCount {
        /// How many there are.
        found: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A variable that is to get two results of one call, or is two parameters.
    #[error("the variable {0:?} occurs twice")]
    Repeated(VarId),
    /// Two cases with one value.
    #[error("two cases for the value {0:#x}")]
    CaseTwice(u128),
    /// A case for a value that cannot occur.
    #[error("the case {bits:#x} does not fit the type {ty}")]
    CaseTooWide {
        /// The value.
        bits: u128,
        /// The type that is switched on.
        ty: Type,
    },
    /// A `switch` over something that is neither integer nor address.
    #[error("a switch over a value of type {0}")]
    SwitchType(Type),
    /// No blocks though all is supported.
    #[error("there are no blocks, yet nothing is unsupported")]
    NoBlocks,
    /// Blocks though something is unsupported.
    #[error("there are blocks, yet something is unsupported")]
    BlocksDespiteUnsupported,
    /// A statement that could not be lowered where code is executed.
    #[error("a hole in code that is executed")]
    Hole,
    /// A body with holes of a procedure that is supported, or with other parameters.
    #[error("a body with holes that is not the procedure's")]
    BodyWithHoles,
    /// A way back to the entry.
    #[error("the entry has a predecessor, {0:?}")]
    EntryHasPredecessor(BlockId),
    /// A parameter that is not marked as one.
    #[error("the parameter {0:?} is not of kind Parameter")]
    NotAParameter(VarId),
    /// One symbol for two things.
    #[error("the symbol {0:?} is there twice")]
    SymbolTwice(String),
    /// An initialiser longer than its object.
    #[error("an initialiser of {bytes} bytes for an object of {size}")]
    InitTooLong {
        /// How many bytes there are.
        bytes: u64,
        /// How many bytes the object has.
        size: u64,
    },
    /// An address in an initialiser that does not lie inside the object.
    #[error("the address at offset {0} of the initialiser is outside the object")]
    RelocationOutside(u64),
    /// Addresses in an initialiser that overlap or are out of order.
    #[error(
        "the address at offset {0} of the initialiser overlaps the one before or is out of order"
    )]
    RelocationOrder(u64),
    /// Bytes below an address in an initialiser that are not zero.
    #[error("the bytes below the address at offset {0} of the initialiser are not zero")]
    RelocationBytes(u64),
    /// The address of a local in an initialiser.
    #[error("the initialiser holds the address of a local object")]
    RelocationLocal,
    /// Sizes of structs by value for other parameters than there are.
    #[error("{found} entries of by_value for {expected} parameters")]
    ByValueCount {
        /// How many entries there are.
        found: usize,
        /// How many parameters.
        expected: usize,
    },
    /// A struct passed by value through something that is no address.
    #[error("parameter {0} is passed by value, yet is no address")]
    ByValueType(usize),
}

impl Problem {
    /// The problem in one line with names in place of numbers.
    pub fn describe(&self, program: &Program) -> String {
        let procedure = |id: ProcId| match program.procedures.get(id.index()) {
            Some(p) => format!("procedure {}", p.name),
            None => format!("{id:?}"),
        };
        let block = |id: ProcId, b: BlockId| {
            let label = program
                .procedures
                .get(id.index())
                .and_then(|p| p.blocks.get(b.index()))
                .map_or("", |b| b.label.as_str());
            format!("{}, block {b:?} ({label})", procedure(id))
        };
        let place = match self.place {
            ProblemLocation::CType(id) => format!("C type {id:?}"),
            ProblemLocation::Global(id) => match program.globals.get(id.index()) {
                Some(g) => format!("global {}", g.name),
                None => format!("{id:?}"),
            },
            ProblemLocation::External(id) => match program.externals.get(id.index()) {
                Some(e) => format!("external {}", e.name),
                None => format!("{id:?}"),
            },
            ProblemLocation::Procedure(id) => procedure(id),
            ProblemLocation::Statement(id, b, index) => {
                format!("{}, statement {index}", block(id, b))
            }
            ProblemLocation::Terminator(id, b) => format!("{}, end", block(id, b)),
        };
        format!("{place}: {}", self.kind)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.place, self.kind)
    }
}

impl std::error::Error for Problem {}
