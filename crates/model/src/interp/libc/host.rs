//! What library functions work on: memory and world, with the checks they share.

use super::super::call::Arg;
use super::super::loop_exit::Stop;
use super::super::memory::{AllocationKind, Memory};
use super::super::world::WorldState;
use crate::program::Program;
use crate::state::{Contents, Event, Payload, StopReason, Value};
use crate::stmt::Trap;
use crate::types::Type;

/// Objects of the library's own, made when they are first needed; addresses, 0 if not yet.
#[derive(Clone, Copy, Debug, Default)]
pub(in super::super) struct Kept {
    pub(super) errno: u64,
    pub(super) class: u64,
    pub(super) lower: u64,
    pub(super) upper: u64,
}

/// The machine as a library function sees it.
pub(in super::super) struct Host<'a> {
    pub(in super::super) program: &'a Program,
    pub(in super::super) mem: &'a mut Memory,
    pub(in super::super) world: &'a mut WorldState,
    pub(in super::super) kept: &'a mut Kept,
    pub(in super::super) requests: &'a mut Vec<u64>,
    pub(in super::super) name: &'a str,
}

/// The bytes from an address to the end of its object.
#[derive(Clone, Copy)]
pub(super) struct ObjectBytes<'a> {
    data: &'a [u8],
    set: &'a [u8],
}

impl ObjectBytes<'_> {
    /// One byte, checked as a load of it would be.
    #[inline]
    pub(super) fn get(&self, at: u64) -> Result<u8, Stop> {
        let at = at as usize;
        match self.data.get(at) {
            None => Err(Trap::OutOfBounds.into()),
            Some(_) if self.set.get(at) == Some(&0) => Err(Trap::Uninitialised.into()),
            Some(byte) => Ok(*byte),
        }
    }
}

impl Host<'_> {
    /// The bytes at an address, at least one of which will be read.
    pub(super) fn reader(&mut self, address: u64) -> Result<ObjectBytes<'_>, Stop> {
        let (data, set) = self.mem.rest(self.program, address)?;
        Ok(ObjectBytes { data, set })
    }

    /// The bytes at two addresses.
    pub(super) fn readers(
        &mut self,
        a: u64,
        b: u64,
    ) -> Result<(ObjectBytes<'_>, ObjectBytes<'_>), Stop> {
        self.mem.rest(self.program, a)?;
        self.mem.rest(self.program, b)?;
        let reader = |address| {
            let (data, set) = self.mem.peek(address).unwrap_or((&[], &[]));
            ObjectBytes { data, set }
        };
        Ok((reader(a), reader(b)))
    }

    /// Bytes that must all have values.
    pub(super) fn bytes(&mut self, address: u64, len: u64) -> Result<&[u8], Stop> {
        self.mem.bytes(self.program, address, len, 1)
    }

    /// The length of the string at `address`, at most `most`.
    pub(super) fn length(&mut self, address: u64, most: u64) -> Result<u64, Stop> {
        if most == 0 {
            return Ok(0);
        }
        let reader = self.reader(address)?;
        let mut len = 0;
        while len < most && reader.get(len)? != 0 {
            len += 1;
        }
        self.mem.worked(len);
        Ok(len)
    }

    /// The string at `address` without its end, at most `most` bytes.
    pub(super) fn string(&mut self, address: u64, most: u64) -> Result<Vec<u8>, Stop> {
        let len = self.length(address, most)?;
        Ok(self.bytes(address, len)?.to_vec())
    }

    pub(super) fn put(&mut self, address: u64, bytes: &[u8]) -> Result<(), Stop> {
        self.mem.put(self.program, address, bytes, 1)
    }

    /// Writes an integer.
    pub(super) fn put_int<const N: usize>(
        &mut self,
        address: u64,
        bytes: [u8; N],
    ) -> Result<(), Stop> {
        self.mem.put(self.program, address, &bytes, N as u64)
    }

    /// An object of the library's own that holds these bytes.
    pub(super) fn keep(&mut self, bytes: &[u8]) -> Result<u64, Stop> {
        let address = self.mem.allocate(AllocationKind::Local, bytes.len() as u64, true)?;
        self.put(address, bytes)?;
        Ok(address)
    }

    /// Where `errno` is. Like all memory of the library's own it begins as zero.
    pub(super) fn errno(&mut self) -> Result<u64, Stop> {
        if self.kept.errno == 0 {
            self.kept.errno = self.keep(&[0; 4])?;
        }
        Ok(self.kept.errno)
    }

    pub(super) fn set_errno(&mut self, value: i32) -> Result<(), Stop> {
        let at = self.errno()?;
        self.put_int(at, value.to_le_bytes())
    }

    /// This cannot be emulated.
    pub(super) fn give_up<T>(&self, how: &str) -> Result<T, Stop> {
        Err(StopReason::NotEmulated(format!("{} {how}", self.name)).into())
    }

    /// Adds a call of the running function, which is emulated, to the world.
    pub(super) fn report(&mut self, args: &[Arg], payloads: Vec<(u32, Contents)>) {
        self.add_call(args, payloads, true);
    }

    /// Adds a call of a function that is not emulated to the world.
    pub(in super::super) fn report_unknown(
        &mut self,
        args: &[Arg],
        payloads: Vec<(u32, Contents)>,
    ) {
        self.add_call(args, payloads, false);
    }

    fn add_call(&mut self, args: &[Arg], payloads: Vec<(u32, Contents)>, library: bool) {
        let args = args
            .iter()
            .map(|arg| match arg.ty {
                Type::Ptr => self.world.pointer(self.mem, arg.bits as u64).into(),
                _ => Value::Bits(arg.bits),
            })
            .collect();
        let payloads =
            payloads.into_iter().map(|(arg, contents)| Payload { arg, contents }).collect();
        let event = Event::Call { name: self.name.to_owned(), args, payloads, effect: None };
        self.world.push(event, library, self.program);
    }
}

/// An argument's bits as an address or 64-bit number.
pub(super) fn word(arg: Arg) -> u64 {
    arg.bits as u64
}
