//! Names for things by position: each is an index into one list of its owner, and
//! a type of its own so that a block cannot be taken for a variable.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, $prefix:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the owner's list.
            #[inline]
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of position `index`.
            #[inline]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("fewer than 2^32 items in one list"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    )*};
}

ids! {
    /// A procedure of a [`Program`](crate::Program).
    ProcId, "proc";
    /// A global object of a program.
    GlobalId, "global";
    /// A function that the program calls but does not define.
    ExternId, "extern";
    /// A basic block of a procedure.
    BlockId, "b";
    /// A variable of a procedure: parameter, local or temporary.
    VarId, "v";
    /// A local object of a procedure: a local variable that lives in memory.
    LocalId, "local";
    /// A source file of a program.
    FileId, "file";
    /// A C type in a program's [`CTypes`](crate::CTypes).
    CTypeId, "type";
}
