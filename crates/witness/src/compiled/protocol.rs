//! What is said between this crate and `driver.c`. Numbers are little endian; each message
//! follows its length (32 bits).
//!
//! ```text
//! configuration  functions:32 externals:32 globals:32 (size:64 writable:32)*
//! answer         address:64 of each function, external and global
//!
//! job            milliseconds:32 procedure:32 results:32 args:32 bytes*
//!                objects:32 (address:64 size:32 bytes*)*
//!                globals:32 (id:32 size:32 bytes*)*
//!                patches:32 (place:32 index:32 offset:64 target:32 id:32 addend:64)*
//!                failures:32 (number:32)* script (outside.c)
//! outcome        kind:32 detail:32 address:64 results:32 bytes*
//!                objects:32 (freed:32 size:32 bytes*)*
//!                globals:32 (id:32 size:32 bytes*)*
//!                heap:32 (address:64 size:32 bytes*)* log:32 bytes* (outside.c)
//! ```
//!
//! A patch is an address that only the process knows, of a global (target 0), a procedure (1)
//! or an external (2), to be written into the arguments (place 0), an object (1) or a global (2).
//! An outcome without a run has a text instead of results.

use super::script::{self, Message, ResultReader};
use super::{Addresses, CompiledEnd, CompiledObject, CompiledOutcome, Job};
use verdiff_model::state::{Contents, EntryState, Pointer, PointerTarget, Value};
use verdiff_model::{ExternId, Frame, GlobalId};

/// What the driver must know of a global.
#[derive(Clone)]
pub(super) struct GlobalShape {
    pub(super) size: u64,
    pub(super) writable: bool,
}

pub(super) fn encode_configuration(
    (procedures, externals): (usize, usize),
    globals: &[GlobalShape],
) -> Vec<u8> {
    let mut message = Message::default();
    message.word32(procedures as u32);
    message.word32(externals as u32);
    message.word32(globals.len() as u32);
    for global in globals {
        message.word64(global.size);
        message.word32(u32::from(global.writable));
    }
    message.bytes
}

pub(super) fn decode_addresses(
    answer: &[u8],
    (procedures, externals): (usize, usize),
    globals: usize,
) -> Option<Addresses> {
    let mut reader = ResultReader(answer);
    let mut list = |count: usize| (0..count).map(|_| reader.word64()).collect::<Option<Vec<_>>>();
    Some(Addresses {
        procedures: list(procedures)?,
        externals: list(externals)?,
        globals: list(globals)?,
        shift: 0,
    })
}

/// A job for the driver; an error says what about it cannot be told. `shift` is added to the addresses
/// of entry objects.
pub(super) fn encode_job(job: &Job, frames: &[Frame], shift: u64) -> Result<Vec<u8>, String> {
    let frame = frames.get(job.procedure.index()).ok_or("there is no such procedure")?;
    if frame.args.len() != job.entry.args.len() {
        return Err("the number of arguments is not that of the parameters".to_owned());
    }
    let mut encoder = Encoder { entry: &job.entry, shift, patches: vec![] };
    let mut message = Message::default();
    message.word32(job.time.as_millis().clamp(1, 1 << 30) as u32);
    message.word32(job.procedure.0);
    message.word32(frame.results_size as u32);
    let args = encoder.args(frame)?;
    message.block(&args);
    message.word32(job.entry.objects.len() as u32);
    for (index, object) in job.entry.objects.iter().enumerate() {
        message.word64(encoder.object_address(index as u32).ok_or("an object is missing")?);
        let bytes = encoder.contents(&object.contents, 1, index as u32)?;
        message.block(&bytes);
    }
    message.word32(job.entry.globals.len() as u32);
    for (id, contents) in &job.entry.globals {
        message.word32(id.0);
        let bytes = encoder.contents(contents, 2, id.0)?;
        message.block(&bytes);
    }
    message.word32(encoder.patches.len() as u32);
    for patch in encoder.patches {
        message.word32(patch.place);
        message.word32(patch.index);
        message.word64(patch.offset);
        message.word32(patch.target);
        message.word32(patch.id);
        message.word64(patch.addend as u64);
    }
    let failures = &job.entry.outside.failures;
    message.word32(failures.len() as u32);
    failures.iter().for_each(|number| message.word32(*number));
    script::encode(&job.script, &mut message);
    Ok(message.bytes)
}

pub(super) fn decode_outcome(answer: &[u8]) -> Option<CompiledOutcome> {
    let mut reader = ResultReader(answer);
    let (kind, detail, address) = (reader.word32()?, reader.word32()? as i32, reader.word64()?);
    let results = reader.block()?;
    let text = || String::from_utf8_lossy(&results).into_owned();
    let end = match kind {
        0 => CompiledEnd::Returned,
        1 => CompiledEnd::Signal { number: detail, address },
        2 => CompiledEnd::Exited(detail),
        3 => CompiledEnd::LeftThrough(ExternId(detail as u32)),
        4 => CompiledEnd::TimedOut,
        5 => CompiledEnd::BadFree,
        6 => CompiledEnd::AssertFailed,
        7 => CompiledEnd::Aborted,
        8 => CompiledEnd::OutOfHeap,
        9 => CompiledEnd::Reported(text()),
        10 => CompiledEnd::Refused(text()),
        _ => return None,
    };
    let mut outcome = super::ended(end);
    outcome.results = results;
    outcome.unset = kind == 0 && detail != 0;
    for _ in 0..reader.word32()? {
        let freed = reader.word32()? != 0;
        outcome.objects.push(CompiledObject { freed, bytes: reader.block()? });
    }
    for _ in 0..reader.word32()? {
        outcome.globals.push((GlobalId(reader.word32()?), reader.block()?));
    }
    for _ in 0..reader.word32()? {
        outcome.heap.push((reader.word64()?, reader.block()?));
    }
    outcome.log = script::decode_log(&reader.block()?);
    Some(outcome)
}

struct Patch {
    place: u32,
    index: u32,
    offset: u64,
    target: u32,
    id: u32,
    addend: i64,
}

struct Encoder<'a> {
    entry: &'a EntryState,
    shift: u64,
    patches: Vec<Patch>,
}

impl Encoder<'_> {
    fn object_address(&self, index: u32) -> Option<u64> {
        let pointer = Pointer::object(index);
        Some(Addresses::default().of(pointer, self.entry)?.wrapping_add(self.shift))
    }

    fn args(&mut self, frame: &Frame) -> Result<Vec<u8>, String> {
        let mut area = vec![0; frame.args_size as usize];
        for ((ty, offset), value) in frame.args.iter().zip(&self.entry.args) {
            let bits = match value {
                Value::Bits(bits) => bits & ty.mask(),
                Value::Pointer(to) => u128::from(self.pointer(*to, 0, 0, *offset)?),
            };
            let place = area
                .get_mut(*offset as usize..)
                .and_then(|rest| rest.get_mut(..ty.bytes() as usize))
                .ok_or("an argument does not fit its frame")?;
            place.copy_from_slice(&bits.to_le_bytes()[..ty.bytes() as usize]);
        }
        self.variadic_arguments(frame, &mut area)?;
        Ok(area)
    }

    /// The contents of the areas with variadic arguments. What is not there is passed as zero.
    fn variadic_arguments(&mut self, frame: &Frame, area: &mut [u8]) -> Result<(), String> {
        let Some(start) = frame.areas else { return Ok(()) };
        let mut at = start as usize;
        let sizes = frame.by_value.iter().zip(&self.entry.args).rev().take(2).rev();
        for (size, value) in sizes {
            let room = size.ok_or("a variadic function without areas")? as usize;
            if let Value::Pointer(Pointer { target: PointerTarget::Object(id), offset, .. }) = value
                && let Some(object) = self.entry.objects.get(*id as usize)
            {
                let from = usize::try_from(*offset).map_err(|_| "an area begins elsewhere")?;
                let mut bytes = object.contents.bytes.clone();
                for link in &object.contents.pointers {
                    let offset = (link.offset as usize).checked_sub(from).map(|o| (at + o) as u64);
                    let inside = offset.filter(|o| *o + 8 <= (at + room) as u64);
                    let Some(offset) = inside else { continue };
                    let address = self.pointer(link.to, 0, 0, offset)?;
                    let place = link.offset as usize;
                    bytes
                        .get_mut(place..place + 8)
                        .ok_or("a pointer does not lie within its object")?
                        .copy_from_slice(&address.to_le_bytes());
                }
                let bytes = bytes.get(from..).unwrap_or_default();
                // (A register area may be larger than what it stands for.)
                if bytes.len() > room && at != start as usize {
                    return Err("there are too many variadic arguments".to_owned());
                }
                let passed = bytes.len().min(room);
                area.get_mut(at..at + passed)
                    .ok_or("an area does not fit its frame")?
                    .copy_from_slice(&bytes[..passed]);
            }
            at += room;
        }
        Ok(())
    }

    fn contents(&mut self, contents: &Contents, place: u32, index: u32) -> Result<Vec<u8>, String> {
        let mut bytes = contents.bytes.clone();
        for link in &contents.pointers {
            let address = self.pointer(link.to, place, index, link.offset)?;
            let at = link.offset as usize;
            bytes
                .get_mut(at..at.saturating_add(8))
                .ok_or("a pointer does not lie within its object")?
                .copy_from_slice(&address.to_le_bytes());
        }
        Ok(bytes)
    }

    /// The address, as far as it is known here; what is not becomes a patch.
    fn pointer(&mut self, to: Pointer, place: u32, index: u32, offset: u64) -> Result<u64, String> {
        let (target, id) = match to.target {
            PointerTarget::Null => return Ok(to.offset as u64),
            PointerTarget::Object(object) => {
                let base = self.object_address(object).ok_or("an object is missing")?;
                return Ok(base.wrapping_add_signed(to.offset));
            }
            PointerTarget::Global(id) => (0, id.0),
            PointerTarget::Procedure(id) => (1, id.0),
            PointerTarget::External(id) => (2, id.0),
            PointerTarget::Fresh(_) => {
                return Err("a pointer leads to what a run makes".to_owned());
            }
        };
        self.patches.push(Patch { place, index, offset, target, id, addend: to.offset });
        Ok(0)
    }
}
