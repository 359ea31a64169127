//! In what outcomes differ, wherever they do, as data.

use serde::{Deserialize, Serialize};
use verdiff_model::Trap;

/// What the new version does otherwise for every input that differs. Numbers are written with the sign of the C type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The returned value is the same; something else differs.
    SameResult,
    /// It returns another constant.
    Constant {
        /// What the old version returns, if that is one constant.
        old: Option<String>,
        /// What the new version returns.
        new: String,
    },
    /// It returns so much more.
    Offset {
        /// The new result minus the old one; never 0.
        by: i128,
        /// Modulo this power of two, where some results wrap.
        modulo_bits: Option<u32>,
    },
    /// It traps.
    Traps(Trap),
    /// It traps otherwise.
    OtherTrap {
        /// How the old version traps.
        old: Trap,
        /// How the new version does.
        new: Trap,
    },
    /// It no longer traps.
    NoTrap {
        /// How the old version traps.
        old: Trap,
        /// The constant that the new version returns, if it is one.
        returns: Option<String>,
    },
}
