//! Witnesses as people and scripts see them (CONTRACT.md, "witness").

use serde::{Deserialize, Serialize};

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValueShown {
    /// An integer, with the sign its C type gives it, in decimal.
    Integer(String),
    /// A float: how it is written, and its bits in hexadecimal.
    Float {
        /// `1.5`, `nan`, `-inf`.
        text: String,
        /// The bits.
        bits: String,
    },
    /// A null pointer.
    Null,
    /// A pointer into memory that is shown, or to something with a name.
    Pointer {
        /// `m0`, or the name of a global or function.
        points_to: String,
        /// How many bytes behind its start.
        offset: i64,
    },
    /// No value.
    Unset,
}

/// Memory behind a pointer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryShown {
    /// `m0`, or a global's name.
    pub name: String,
    /// The C type, `int[3]`.
    pub ctype: String,
    /// Names of fields where there are any, and values.
    pub values: Vec<(Option<String>, ValueShown)>,
}

/// How one side ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EndShown {
    /// What it returned.
    pub returned: Option<ValueShown>,
    /// How it trapped.
    pub trap: Option<String>,
    /// The status it exited with.
    pub exit: Option<i32>,
    /// Whether it never ends.
    pub diverges: bool,
    /// Memory that differs from what it was, or from the other side.
    pub memory: Vec<MemoryShown>,
    /// What it said to the outside, in order.
    pub output: Vec<String>,
}

/// A call whose result was chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExternalShown {
    /// The function.
    pub call: String,
    /// What it returned.
    pub returns: Option<ValueShown>,
}

/// A witness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WitnessShown {
    /// Parameters by name, in order.
    pub inputs: Vec<(String, ValueShown)>,
    /// What pointers lead to, and globals that matter.
    pub memory: Vec<MemoryShown>,
    /// Calls whose results matter.
    pub externals: Vec<ExternalShown>,
    /// The old version's end.
    pub old: EndShown,
    /// The new version's.
    pub new: EndShown,
}
