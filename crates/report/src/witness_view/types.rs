//! What a witness is made of. Plain data: it travels from worker to report as it is.

use serde::{Deserialize, Serialize};

/// A value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValueView {
    /// An integer, with the sign its C type gives it, in decimal.
    Integer(String),
    /// An integer that has a name too: an enumerator, a printable `char`.
    Named {
        /// In decimal.
        value: String,
        /// `RED`, `'a'`.
        name: String,
    },
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
        /// What kind of thing that is.
        target: PointeeKind,
    },
    /// A pointer that is a number and points to no object.
    Address(i64),
    /// A struct or union: its fields by name.
    Record(Vec<(String, ValueView)>),
    /// An array, or several values where C has one.
    List {
        /// The elements.
        values: Vec<ValueView>,
        /// As a C string, if it is one.
        text: Option<String>,
    },
    /// No value.
    Unset,
}

/// The kind of object that a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PointeeKind {
    /// Memory under a name of verdiff's own.
    Memory,
    /// A global.
    Global,
    /// A function.
    Function,
    /// A string literal, named by its text.
    Text,
}

/// Memory behind a pointer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemoryView {
    /// `m0`, or a global's name.
    pub name: String,
    /// The C type, `int[3]`.
    pub ctype: String,
    /// The elements; a single one if it is no array.
    pub values: Vec<ValueView>,
    /// How many bytes an element has.
    pub element_size: u64,
    /// As a C string, if it is one.
    pub text: Option<String>,
    /// How many further elements were left out.
    pub omitted: u64,
    /// Whether it was freed; there are no values then.
    pub freed: bool,
}

/// How one side ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutcomeView {
    /// What it returned.
    pub returned: Option<ValueView>,
    /// How it trapped.
    pub trap: Option<String>,
    /// File and line of the trap, where known.
    pub trap_at: Option<(String, u32)>,
    /// The status it exited with.
    pub exit: Option<i32>,
    /// The function that it called and that never returns.
    pub left_through: Option<String>,
    /// Whether it does not terminate.
    pub diverges: bool,
    /// Memory that differs from the other side's.
    pub memory: Vec<MemoryView>,
    /// Its calls of external functions, in order; empty if both versions made the same calls.
    pub output: Vec<String>,
}

/// A call whose result was chosen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExternalCallView {
    /// The function.
    pub call: String,
    /// What it returned.
    pub returns: Option<ValueView>,
    /// What it wrote behind its arguments.
    pub fills: Vec<ArgumentWrite>,
    /// What it wrote to globals, in order.
    #[serde(default)]
    pub writes: Vec<GlobalWrite>,
}

/// Bytes that an external function wrote.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArgumentWrite {
    /// Behind which argument, the first being 0.
    pub argument: u32,
    /// How many bytes behind it.
    pub offset: i64,
    /// The bytes in hexadecimal.
    pub bytes: String,
}

/// Bytes that an external function wrote to a global.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalWrite {
    /// The global's name.
    pub global: String,
    /// How many bytes behind its start.
    pub offset: u64,
    /// The bytes in hexadecimal.
    pub bytes: String,
    /// What the global then holds, if all of it was written.
    pub value: Option<ValueView>,
}

/// A witness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WitnessView {
    /// Parameters by name, in order.
    pub inputs: Vec<(String, ValueView)>,
    /// The objects behind pointers, and relevant globals.
    pub memory: Vec<MemoryView>,
    /// Calls whose results matter.
    pub externals: Vec<ExternalCallView>,
    /// The allocations that fail, by number: 0 is the first that the function makes.
    #[serde(default)]
    pub failures: Vec<u32>,
    /// Whether both versions read whole words past the end of an object, and go on.
    #[serde(default)]
    pub reads_past_end: bool,
    /// The old version's outcome.
    pub old: OutcomeView,
    /// The new version's.
    pub new: OutcomeView,
}
