//! Entry states: arguments, the objects they point to, and globals that differ from
//! their initialisers.

use crate::ids::{ExternId, GlobalId, ProcId};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What a run starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EntryState {
    /// A value for each parameter of the procedure.
    pub args: Vec<Value>,
    /// The objects that exist besides the globals, at most
    /// [`MAX_ENTRY_OBJECTS`](super::layout::MAX_ENTRY_OBJECTS).
    pub objects: Vec<Object>,
    /// Globals that hold something else than their initialisers say, each at most once.
    pub globals: Vec<(GlobalId, Contents)>,
    /// How unknown external functions behave.
    #[serde(default, skip_serializing_if = "Outside::is_default")]
    pub outside: Outside,
}

/// How unknown external functions behave: one of the deterministic functions they might be.
/// What is not answered here is a hash of the call, all that went before it, and the seed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Outside {
    /// Chooses the hash.
    #[serde(default)]
    pub seed: u64,
    /// Calls whose results and effects were chosen.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// What functions give that return a pointer: nothing but null if they are not listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub given: Vec<Given>,
    /// The allocations that fail, by number: null, `ENOMEM`. Every request for a heap object counts, in the order of the
    /// run and from 0: `malloc`, `strdup` and so on; `calloc` and `reallocarray` unless the product is too large for a word,
    /// `realloc` unless it is a `free`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<u32>,
    /// What lies behind the end of an object, in the rest of an aligned word that begins in it. `None`: to read such a word is out of
    /// bounds, as in all proofs. Code that reads strings word by word and masks what it must not have read
    /// (hash functions do) goes on only with it, as it does in a compiled program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<u8>,
}

/// The pointers that an unknown function returns. Which of them a call gives, a hash of the call says, as with other results.
#[derive(Clone, Default, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Given {
    /// The function's name.
    pub external: String,
    /// Null, and pointers to objects of the entry state: those are the outside's, from before the run.
    pub pointers: Vec<Pointer>,
}

/// What one call of an unknown function gives and does.
#[derive(Clone, Default, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Answer {
    /// Which call: the hash of the world once the call is part of it
    /// ([`Effect::call`](super::Effect::call)). It covers name, arguments, what they point to and all that went
    /// before, so a call has one answer in both versions.
    pub call: u64,
    /// The bits of each result.
    pub results: Vec<u128>,
    /// What it writes to globals: any that is known outside, not constant and there is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<Write>,
    /// What it writes behind its pointer arguments, over what is there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<Fill>,
}

/// Bytes that an unknown function writes to a global.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Write {
    /// The global's linker name, which is the same in both versions.
    pub symbol: String,
    /// Where in it the first byte is.
    pub offset: u64,
    /// The bytes; no addresses.
    pub bytes: Vec<u8>,
}

/// Bytes that an unknown function put behind an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fill {
    /// Behind which argument.
    pub arg: u32,
    /// How far behind the argument the first byte is.
    pub offset: i64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Outside {
    /// Whether the failures are alike in two runs, given what each allocation of either asked for
    /// ([`Machine::allocations`](crate::interp::Machine::allocations)). An allocation of one version is that of the other if
    /// all up to it asked for the same; where they did not, a failure may have struck one that did not
    /// fail on the other side, and then a difference says nothing.
    pub fn fails_alike(&self, left: &[u64], right: &[u64]) -> bool {
        let shorter = left.len().min(right.len());
        self.failures.iter().filter(|n| (**n as usize) < left.len().max(right.len())).all(|n| {
            let upto = shorter.min(*n as usize + 1);
            left[..upto] == right[..upto]
        })
    }

    /// The pointers that functions give.
    pub fn pointers(&self) -> impl Iterator<Item = &Pointer> {
        self.given.iter().flat_map(|given| &given.pointers)
    }

    /// The pointers that functions give, to be changed.
    pub fn pointers_mut(&mut self) -> impl Iterator<Item = &mut Pointer> {
        self.given.iter_mut().flat_map(|given| &mut given.pointers)
    }

    fn is_default(&self) -> bool {
        *self == Outside::default()
    }
}

impl EntryState {
    /// Where a pointer to an object of this state leads; `None` for others.
    pub fn object_address(&self, pointer: Pointer) -> Option<u64> {
        let PointerTarget::Object(index) = pointer.target else { return None };
        let object = self.objects.get(index as usize)?;
        let base = super::layout::entry_base(index, object.size(), object.align);
        Some(base.wrapping_add_signed(pointer.offset))
    }

    /// All pointers of this state.
    pub fn pointers(&self) -> impl Iterator<Item = Pointer> + '_ {
        let args = self.args.iter().filter_map(|value| match value {
            Value::Pointer(pointer) => Some(*pointer),
            Value::Bits(_) => None,
        });
        let objects = self.objects.iter().map(|object| &object.contents);
        let contents = objects.chain(self.globals.iter().map(|(_, contents)| contents));
        let inside = contents.flat_map(|contents| contents.pointers.iter().map(|link| link.to));
        args.chain(inside).chain(self.outside.pointers().copied())
    }

    /// The pointer that an unknown function gave, if it gave this address.
    pub fn given_pointer(&self, external: &str, address: u64) -> Option<Pointer> {
        let given = self.outside.given.iter().find(|given| given.external == external)?;
        given.pointers.iter().copied().find(|p| self.object_address(*p) == Some(address))
    }
}

/// A value: bits, or a pointer that is known by what it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Value {
    /// Plain bits of the parameter's width; a float's encoding.
    Bits(u128),
    /// A pointer.
    Pointer(Pointer),
}

/// A pointer as an object and a distance from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pointer {
    /// What it points to.
    pub target: PointerTarget,
    /// How many bytes past its start; may be outside of it.
    pub offset: i64,
}

/// What a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PointerTarget {
    /// Nothing: the offset is the address itself.
    Null,
    /// An object of the entry state, by its position there.
    Object(u32),
    /// A global.
    Global(GlobalId),
    /// A procedure.
    Procedure(ProcId),
    /// An external function.
    External(ExternId),
    /// An object the run made itself (a local, an allocation), numbered in the order in
    /// which the outcome mentions them. Only in outcomes.
    Fresh(u32),
}

/// An object of the entry state. All its bytes are initialised.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Object {
    /// Alignment in bytes, a power of two.
    pub align: u32,
    /// What it holds; as many bytes as the object has.
    pub contents: Contents,
}

/// The contents of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Contents {
    /// Its bytes, those below a pointer being zero.
    pub bytes: Vec<u8>,
    /// The pointers in it, in order of offset, 8 bytes each and not overlapping.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointers: Vec<Link>,
    /// The bytes without a value, as ranges in order; they are zero in `bytes`. Never in an entry state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unset: Vec<Range<u64>>,
}

/// A pointer within an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Link {
    /// Where in the object.
    pub offset: u64,
    /// Where it leads.
    pub to: Pointer,
}

impl Pointer {
    /// The null pointer.
    pub const NULL: Pointer = Pointer { target: PointerTarget::Null, offset: 0 };

    /// A pointer to the start of an entry object.
    pub fn object(index: u32) -> Pointer {
        Pointer { target: PointerTarget::Object(index), offset: 0 }
    }

    /// A pointer to the start of a global.
    pub fn global(id: GlobalId) -> Pointer {
        Pointer { target: PointerTarget::Global(id), offset: 0 }
    }

    /// The pointer `bytes` further on.
    pub fn plus(self, bytes: i64) -> Pointer {
        Pointer { offset: self.offset.wrapping_add(bytes), ..self }
    }
}

impl From<Pointer> for Value {
    fn from(p: Pointer) -> Value {
        Value::Pointer(p)
    }
}

impl From<u128> for Value {
    fn from(bits: u128) -> Value {
        Value::Bits(bits)
    }
}

impl Object {
    /// An object with these bytes.
    pub fn new(align: u32, bytes: Vec<u8>) -> Object {
        Object { align, contents: Contents::from(bytes) }
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.contents.bytes.len() as u64
    }
}

impl From<Vec<u8>> for Contents {
    fn from(bytes: Vec<u8>) -> Contents {
        Contents { bytes, pointers: vec![], unset: vec![] }
    }
}
