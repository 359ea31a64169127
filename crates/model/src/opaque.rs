//! Code that the model cannot express: not what it does, but whether it is the same, and whom it calls.
//!
//! A procedure with an unsupported construct has no blocks. Without more, it would call nobody, and "all that it calls
//! is equal" would be true of it for no reason. So the front end keeps what can be known without lowering: a
//! fingerprint of the exact code with every operand, what the code names, what it calls, and whose address it takes.
//!
//! Where all but some instructions can be lowered there is a [body with holes](OpaqueBody) besides: those
//! instructions are
//! [`StmtKind::Hole`], each with its own fingerprint. It is no code to execute, and lies apart from
//! the procedure's blocks so that nobody does; it serves to tell which parts of the procedure changed, and to compare the others
//! exactly.

use crate::contents::Hash;
use crate::expr::Address;
use crate::ids::{ExternId, ProcId, VarId};
use crate::program::{Block, Local, Procedure, Var};
use crate::stmt::StmtKind;
use serde::{Deserialize, Serialize};

/// What is known of code that could not be lowered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Opaque {
    /// A [fingerprint] of the exact code with its types, constants, attributes and operands. What has an identity beyond
    /// the procedure stands in it as a position in `names`.
    pub code: u128,
    /// The globals, procedures and externals that the code names, in the order of first mention.
    pub names: Vec<Address>,
    /// What it calls, in order, each once.
    pub calls: Vec<OpaqueCall>,
    /// The procedures and externals whose address it uses otherwise than to call them.
    pub takes: Vec<Address>,
    /// Whether it calls what may return twice (`setjmp`): then it sees what memory holds when a callee is left by
    /// `longjmp`, which is no outcome of that callee here.
    pub returns_twice: bool,
    /// Whether it copies memory as it is, values or not.
    pub copies: bool,
}

/// The body of a procedure of which some instructions could not be lowered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpaqueBody {
    /// Parameters in order.
    pub params: Vec<VarId>,
    /// All variables.
    pub vars: Vec<Var>,
    /// Local objects.
    pub locals: Vec<Local>,
    /// Blocks; control enters at the first.
    pub blocks: Vec<Block>,
}

impl Procedure {
    /// The procedure with all the code that is known of it in its blocks: itself if it is supported, the body with holes in
    /// the place of nothing if it has one. For those who compare code and never execute it.
    pub fn opened(&self) -> Option<Procedure> {
        if self.is_supported() {
            return Some(self.clone());
        }
        let OpaqueBody { params, vars, locals, blocks } = (**self.with_holes.as_ref()?).clone();
        Some(Procedure {
            name: self.name.clone(),
            symbol: self.symbol.clone(),
            linkage: self.linkage,
            loc: self.loc,
            params,
            results: self.results.clone(),
            variadic: self.variadic,
            ctype: self.ctype,
            vars,
            locals,
            blocks,
            unsupported: vec![],
            opaque: None,
            with_holes: None,
            outlined_from: self.outlined_from,
        })
    }

    /// The procedure with the code of an [opened](Procedure::opened) one, which may have been changed. What is not supported
    /// keeps its code where nobody executes it.
    pub fn closed(&self, opened: Procedure) -> Procedure {
        if self.is_supported() {
            return opened;
        }
        let Procedure { params, vars, locals, blocks, .. } = opened;
        let body = OpaqueBody { params, vars, locals, blocks };
        Procedure { with_holes: Some(Box::new(body)), ..self.clone() }
    }

    /// The holes in its blocks.
    pub fn holes(&self) -> impl Iterator<Item = &Opaque> {
        self.blocks.iter().flat_map(|block| &block.stmts).filter_map(|stmt| match &stmt.kind {
            StmtKind::Hole { code, .. } => Some(&**code),
            _ => None,
        })
    }
}

/// What code that could not be lowered calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OpaqueCall {
    /// A procedure.
    Procedure(ProcId),
    /// An external function.
    External(ExternId),
    /// Anything whose address is taken: a call through a pointer, inline assembly.
    Unknown,
}

/// A number for a text (128 bits, FNV-1a): two equal ones are taken for equal texts.
pub fn fingerprint(text: &str) -> u128 {
    let mut hash = Hash::new();
    hash.text(text);
    hash.0
}
