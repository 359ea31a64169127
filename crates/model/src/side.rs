//! Which of two versions a program is.

use serde::{Deserialize, Serialize};

/// One of two versions. The program model itself knows one program at a time and never asks; this is here so that all who
/// do speak of versions mean the same two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Side {
    /// The old one.
    Old,
    /// The new one.
    New,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::Old, Side::New];

    /// 0 or 1, for arrays of both.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::Old => Side::New,
            Side::New => Side::Old,
        }
    }
}
