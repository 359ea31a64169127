//! What is known of the C library's functions.
//!
//! The knowledge is data, in `libc.toml`, with the meaning of each field explained at its top.
//! It is used in three ways: the points-to analysis asks which pointers a function may keep
//! or give back ([`crate::regions`]), the effects ask what it reads and writes,
//! and symbolic execution asks whether there is an exact
//! [`Model`] or whether the call always comes back.
//!
//! A function counts as known only if it is declared as the library declares it: see
//! [`known_external`]. A function of the user's own with the same name and other types is
//! an unknown one.

mod parse;
mod prototype;
mod touch;

pub use parse::{KnowledgeError, parse};
pub use prototype::{Parameter, Prototype, PrototypeError, Scalar};
pub use touch::{Touched, touched};

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use verdiff_model::{External, ExternalKind};

/// What is known of all functions, by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knowledge {
    functions: BTreeMap<String, FunctionModel>,
}

/// What is known of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionModel {
    /// Its name.
    pub name: String,
    /// The header that declares it, without `.h`.
    pub header: String,
    /// How it is declared.
    pub prototype: Prototype,
    /// The memory it reads through its arguments.
    pub reads: Vec<Touch>,
    /// The memory it writes through its arguments.
    pub writes: Vec<Touch>,
    /// Where what it writes comes from.
    pub written: Written,
    /// The addresses it writes: through which parameter, and what address.
    pub stores: Vec<(usize, StoredTarget)>,
    /// What its result points to.
    pub returns: Returns,
    /// Whether its result is never a null pointer, unless it points to what a parameter points to and that is null.
    pub never_null: bool,
    /// The parameters it may keep after it has returned, or whose pointers it may follow.
    pub keeps: Vec<Which>,
    /// The parameters that are functions it calls before it returns.
    pub calls_back: Vec<usize>,
    /// The parameter whose object is dead afterwards.
    pub frees: Option<usize>,
    /// Whether it makes a new object.
    pub allocates: bool,
    /// The parameter that is a `printf` format for the further arguments.
    pub format: Option<usize>,
    /// What it does with the library's own state (locale, `strtok`'s place, static buffers).
    pub hidden: Hidden,
    /// Whether it makes or takes part in I/O, or asks the system for anything.
    pub world: bool,
    /// Whether it may set `errno`.
    pub errno: bool,
    /// Whether it comes back.
    pub ends: Ends,
    /// The exact meaning, where there is one.
    pub model: Option<Model>,
}

/// Memory touched through an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// The argument that is the address.
    pub which: Which,
    /// How much.
    pub extent: Extent,
}

/// Which arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The parameter at this position.
    Param(usize),
    /// All arguments past the last parameter.
    Rest,
}

/// How many bytes from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// So many.
    Bytes(u64),
    /// As many as this parameter says, at most.
    Param(usize),
    /// The product of two parameters, at most.
    Product(usize, usize),
    /// Up to and including the first zero byte.
    String,
    /// Up to the first zero byte, and no more than a parameter says.
    StringAtMost(usize),
    /// It is not known.
    Any,
}

/// Where the bytes that a function writes come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// They may be anything, addresses the outside knows included.
    #[default]
    Outside,
    /// From what these parameters point to, or (if there are none) computed, not addresses.
    Params(Vec<usize>),
}

/// What a stored address points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredTarget {
    /// Into what this parameter points to.
    Param(usize),
    /// To a new object.
    Fresh,
}

/// What a result points to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Returns {
    /// Nothing: it is a number, or there is none.
    #[default]
    Value,
    /// Into what this parameter points to, or nowhere (null).
    Param(usize),
    /// To a new object, or nowhere.
    Fresh,
    /// To a new object or to what the parameter points to (`realloc`), or nowhere.
    FreshOr(usize),
    /// To memory of the library, or anything the outside knows.
    Outside,
}

/// What a function does with state of the library that no pointer leads to. It is taken
/// to lie in the outside region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Hidden {
    /// Nothing.
    #[default]
    Untouched,
    /// Its result depends on it.
    Reads,
    /// It may change it.
    Writes,
}

/// Whether a call comes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ends {
    /// Always, if what it is given is valid.
    #[default]
    Always,
    /// Perhaps: it waits, or a function it calls may not.
    Maybe,
    /// Never.
    Never,
}

/// Functions with an exact meaning in symbolic execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each is the C function of its name")]
pub enum Model {
    Abs,
    Memcpy,
    Memmove,
    Memset,
    Memcmp,
    Memchr,
    Strlen,
    Strnlen,
    Strcmp,
    Strncmp,
    Strchr,
    Strrchr,
    Strcpy,
    Strncpy,
    Malloc,
    Calloc,
    Realloc,
    Free,
    Abort,
    Exit,
    /// `_exit`, `_Exit`: no handlers are run.
    ImmediateExit,
    AssertFail,
    Isdigit,
    Isxdigit,
    Isascii,
    Toascii,
    Fabs,
    Floor,
    Ceil,
    Trunc,
    Round,
    Sqrt,
    Fmin,
    Fmax,
    Copysign,
    Fmod,
    Ffs,
    Htonl,
    Htons,
}

impl Knowledge {
    /// What is known of a function.
    pub fn get(&self, name: &str) -> Option<&FunctionModel> {
        self.functions.get(name)
    }

    /// All functions, by name.
    pub fn iter(&self) -> impl Iterator<Item = &FunctionModel> {
        self.functions.values()
    }

    /// How many functions are known.
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }
}

impl FunctionModel {
    /// Whether the result depends on the arguments alone and nothing else happens.
    pub fn is_pure(&self) -> bool {
        self.reads.is_empty() && self.does_nothing()
    }

    /// Whether it ends the process in the orderly way: what was registered with `atexit` is run.
    pub fn runs_handlers(&self) -> bool {
        self.ends == Ends::Never && self.hidden != Hidden::Untouched
    }

    /// Whether nothing is written, allocated, freed, kept, called or told to the world, and it
    /// always comes back.
    pub fn does_nothing(&self) -> bool {
        self.writes.is_empty()
            && self.stores.is_empty()
            && self.keeps.is_empty()
            && self.calls_back.is_empty()
            && self.frees.is_none()
            && !self.allocates
            && self.format.is_none()
            && self.hidden == Hidden::Untouched
            && !self.world
            && !self.errno
            && self.ends == Ends::Always
            && self.returns != Returns::Outside
    }
}

/// What is known of the C library: the file that comes with verdiff.
pub fn knowledge() -> &'static Knowledge {
    static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(|| {
        parse(include_str!("libc.toml")).expect("a test parses the file that is built in")
    });
    &KNOWLEDGE
}

/// What is known of the function with this name.
pub fn known(name: &str) -> Option<&'static FunctionModel> {
    knowledge().get(name)
}

/// What is known of an external: only if it is a function and declared as the
/// library's, by its machine types.
pub fn known_external(external: &External) -> Option<&'static FunctionModel> {
    if external.kind != ExternalKind::Function {
        return None;
    }
    known(&external.name).filter(|known| known.prototype.fits(&external.signature))
}
