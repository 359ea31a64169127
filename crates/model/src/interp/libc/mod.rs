//! The C library, as far as it is emulated: exactly, with every byte checked as a load or
//! store of the program would be.
//!
//! A function is recognised by name *and* machine types; one that is declared otherwise is
//! somebody else's and stays unknown. What glibc on x86-64 leaves to itself (the magnitude of
//! `strcmp`'s result, the bits of `isalpha`'s) is done as there, because that is what a
//! witness is replayed with.

mod character;
mod format;
mod heap;
mod host;
mod list;
mod math;
mod memory;
mod number;
mod output;
mod sort;
mod string;

use super::Observer;
use super::call::Arg;
use super::exec::Exec;
use super::loop_exit::Stop;
use crate::ids::ExternId;
use crate::program::{External, ExternalKind};
use crate::stmt::{Signature, Trap};
use crate::types::{FloatKind, Type};
pub(super) use host::{Host, Kept};

/// A library function.
#[derive(Clone, Copy)]
pub(super) enum Builtin {
    /// One that needs memory and world alone.
    Plain(Function),
    /// Those that call back.
    Sort,
    Search,
}

/// A library function's body: its result's bits, 0 if it has none.
type Function = fn(&mut Host<'_>, &[Arg]) -> Result<u128, Stop>;

/// Name, types and body. The types are a letter each, the result before the colon:
/// `p` address, `c` `s` `i` `l` integers of 8, 16, 32 and 64 bits, `f` `d` `x` floats,
/// `v` nothing, `*` further arguments.
type Entry = (&'static str, &'static str, Function);

/// All functions but those that call back.
const TABLES: [&[Entry]; 9] = [
    memory::TABLE,
    string::TABLE,
    heap::TABLE,
    number::TABLE,
    character::TABLE,
    math::TABLE,
    math::UNARY,
    output::TABLE,
    ENDS,
];

impl Builtin {
    /// The names of all of them.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        let plain = TABLES.into_iter().flatten().map(|entry| entry.0);
        plain.chain(["qsort", "bsearch"])
    }

    /// The library function that an external is.
    pub(super) fn find(external: &External) -> Option<Builtin> {
        if external.kind != ExternalKind::Function {
            return None;
        }
        let name = external.name.as_str();
        match name {
            "qsort" if has_types(&external.signature, "v:pllp") => return Some(Builtin::Sort),
            "bsearch" if has_types(&external.signature, "p:ppllp") => return Some(Builtin::Search),
            _ => {}
        }
        TABLES
            .into_iter()
            .flatten()
            .find(|entry| entry.0 == name && has_types(&external.signature, entry.1))
            .map(|entry| Builtin::Plain(entry.2))
    }
}

/// Functions that end the run.
const ENDS: &[Entry] = &[
    ("abort", "v:", |_, _| Err(Trap::Abort.into())),
    ("__stack_chk_fail", "v:", |_, _| Err(Trap::Abort.into())),
    ("__assert_fail", "v:ppip", |_, _| Err(Trap::AssertFailed.into())),
    ("__assert", "v:ppi", |_, _| Err(Trap::AssertFailed.into())),
    ("__assert_rtn", "v:ppip", |_, _| Err(Trap::AssertFailed.into())),
    ("exit", "v:i", |_, args| exit(args)),
    ("_exit", "v:i", |_, args| exit(args)),
    ("_Exit", "v:i", |_, args| exit(args)),
    ("quick_exit", "v:i", |_, args| exit(args)),
];

fn exit(args: &[Arg]) -> Result<u128, Stop> {
    Err(Stop::Exited(args[0].bits as i32))
}

fn has_types(signature: &Signature, types: &str) -> bool {
    let (result, params) = types.split_once(':').unwrap_or((types, ""));
    let (params, variadic) = match params.strip_suffix('*') {
        Some(params) => (params, true),
        None => (params, false),
    };
    let result: Vec<Type> = result.bytes().filter_map(letter).collect();
    let params: Vec<Type> = params.bytes().filter_map(letter).collect();
    signature.results == result && signature.params == params && signature.variadic == variadic
}

fn letter(letter: u8) -> Option<Type> {
    Some(match letter {
        b'p' => Type::Ptr,
        b'c' => Type::Int(8),
        b's' => Type::Int(16),
        b'i' => Type::Int(32),
        b'l' => Type::Int(64),
        b'f' => Type::Float(FloatKind::Single),
        b'd' => Type::Float(FloatKind::Double),
        b'x' => Type::Float(FloatKind::X87),
        _ => return None,
    })
}

impl<O: Observer> Exec<'_, '_, O> {
    /// Runs a library function.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        id: ExternId,
        args: &[Arg],
    ) -> Result<u128, Stop> {
        // A call through a pointer of a looser type may pass too few.
        if args.len() < self.shared.program.external(id).signature.params.len() {
            return Err(Trap::BadCall.into());
        }
        match builtin {
            Builtin::Plain(function) => {
                let name = &self.shared.program.external(id).name;
                function(&mut self.host(name), args)
            }
            Builtin::Sort => self.sort(args).map(|()| 0),
            Builtin::Search => self.search(args),
        }
    }

    /// What library functions work on.
    pub(super) fn host<'a>(&'a mut self, name: &'a str) -> Host<'a> {
        let run = &mut *self.run;
        Host {
            program: self.shared.program,
            mem: &mut run.mem,
            world: &mut run.world,
            kept: &mut run.kept,
            requests: &mut run.requests,
            name,
        }
    }
}
