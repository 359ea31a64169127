//! What the library functions among the events of a run print.
//!
//! Nobody outside sees which functions a program prints with, only the bytes: `puts("a")` and `printf("a\n")` are the same output, and
//! so are one call and two calls that print the same text in pieces. So the hash of a world, the comparison of two runs and the
//! replay all speak of what is printed where, in order, and of nothing else that a printing function was called with.

use super::compare::is_stream;
use super::entry::{Pointer, PointerTarget, Value};
use super::outcome::Payload;
use crate::program::Program;
use std::borrow::Cow;

/// What is seen of a call of an emulated library function.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<'a> {
    /// Nothing: `fflush`, or an empty text.
    Nothing,
    /// These bytes, to a stream or a file descriptor.
    Printed {
        /// Where to.
        to: Value,
        /// What.
        bytes: Cow<'a, [u8]>,
    },
    /// A text that cannot be made out, because addresses are in it, for instance.
    Unclear,
}

impl<'a> Output<'a> {
    /// What a call prints. It must be one of an emulated function.
    pub fn of(program: &Program, name: &str, args: &[Value], payloads: &'a [Payload]) -> Self {
        let text = || {
            let bytes = payloads.first().map_or(&[][..], |p| &p.contents.bytes);
            Some(Cow::Borrowed(bytes))
        };
        let line = || {
            let mut bytes = text()?.into_owned();
            bytes.push(b'\n');
            Some(Cow::Owned(bytes))
        };
        let byte = || match args.first() {
            Some(Value::Bits(bits)) => Some(Cow::Owned(vec![*bits as u8])),
            _ => None,
        };
        let arg = |index: usize| args.get(index).copied();
        let stdout = || Some(stream(program, "stdout"));
        // Of a text that could not be made out the arguments are listed.
        let clear = |format: usize| args.len() == format && payloads.len() == 1;
        let (to, bytes) = match name {
            "putchar" | "putchar_unlocked" => (stdout(), byte()),
            "fputc" | "putc" => (arg(1), byte()),
            "puts" => (stdout(), line()),
            "fputs" => (arg(0), text()),
            "perror" => (Some(stream(program, "stderr")), text()),
            "fwrite" => (arg(2), text()),
            "write" => (arg(0), text()),
            "printf" | "vprintf" if clear(0) => (stdout(), text()),
            "fprintf" | "dprintf" | "vfprintf" | "vdprintf" if clear(1) => (arg(0), text()),
            "printf" | "fprintf" | "dprintf" | "vprintf" | "vfprintf" | "vdprintf" => (None, None),
            _ => return Output::Nothing,
        };
        match (to, bytes) {
            (Some(_), Some(bytes)) if bytes.is_empty() => Output::Nothing,
            (Some(to), Some(bytes)) => Output::Printed { to, bytes },
            _ => Output::Unclear,
        }
    }
}

/// A standard stream. A program that does not mention it has no object for it.
fn stream(program: &Program, name: &str) -> Value {
    match program.global_named(name).filter(|id| is_stream(program.global(*id))) {
        Some(id) => Value::Pointer(Pointer::global(id)),
        None if name == "stdout" => Value::Pointer(Pointer::NULL.plus(1)),
        None => Value::Pointer(Pointer::NULL.plus(2)),
    }
}

/// Which of the standard streams a value is, by its file descriptor.
pub fn standard_stream(program: &Program, to: Value) -> Option<u64> {
    let Value::Pointer(Pointer { target, offset }) = to else { return None };
    match target {
        PointerTarget::Null if offset == 1 || offset == 2 => Some(offset as u64),
        PointerTarget::Global(id) if offset == 0 => {
            let global = program.global(id);
            let names = ["stdin", "stdout", "stderr"];
            let number = names.iter().position(|name| global.symbol == *name)?;
            is_stream(global).then_some(number as u64)
        }
        _ => None,
    }
}

/// Where something is printed, the same for a standard stream and for its descriptor: the bytes end up in one place.
pub fn destination(program: &Program, to: Value) -> Value {
    match (standard_stream(program, to), to) {
        (Some(number), _) => Value::Bits(number.into()),
        (None, Value::Bits(descriptor)) => Value::Bits(u128::from(descriptor as u32)),
        (None, to) => to,
    }
}
