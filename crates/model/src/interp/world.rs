//! The world of a run: events and their hash, with names for the objects the run made.
//!
//! The hash is over what an outsider sees: names of functions and globals, not their numbers;
//! objects and offsets, not addresses; fresh objects in the order in which the outside
//! first heard of them. So two versions that do the same have the same hash even if they
//! number or allocate differently. Of output it has the bytes, not the calls that print them: unknown functions answer by this
//! hash, and they must not answer differently because `puts("a")` became `printf("a\n")`.

use super::memory::Memory;
use crate::program::Program;
use crate::state::layout::FRESH_ZONE;
use crate::state::{
    Contents, Effect, Event, Link, Output, Outside, Pointer, PointerTarget, Value, World,
    destination,
};
use std::collections::HashMap;

/// A hash that is the same on every machine and in every version of verdiff.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hash(u64);

impl Hash {
    pub(super) fn new(seed: u64) -> Hash {
        Hash(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    pub(super) fn word(&mut self, word: u64) {
        // The finaliser of splitmix64, which spreads every bit over the whole word.
        let mut z = (self.0 ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        self.0 = z ^ z >> 31;
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
    }

    pub(super) fn value(&mut self, value: Value, program: &Program) {
        match value {
            Value::Bits(bits) => {
                self.word(1);
                self.word(bits as u64);
                self.word((bits >> 64) as u64);
            }
            Value::Pointer(pointer) => self.pointer(pointer, program),
        }
    }

    fn pointer(&mut self, pointer: Pointer, program: &Program) {
        self.word(pointer.offset as u64);
        match pointer.target {
            PointerTarget::Null => self.word(2),
            PointerTarget::Object(index) => self.word(3 | u64::from(index) << 8),
            // Which string literal it is says less than what it holds.
            PointerTarget::Global(id) => match program.global(id) {
                global if global.constant => {
                    self.bytes(global.init.as_ref().map_or(&[], |init| &init.bytes));
                }
                global => self.bytes(global.symbol.as_bytes()),
            },
            PointerTarget::Procedure(id) => self.bytes(program.procedure(id).symbol.as_bytes()),
            PointerTarget::External(id) => self.bytes(program.external(id).name.as_bytes()),
            PointerTarget::Fresh(number) => self.word(4 | u64::from(number) << 8),
        }
    }

    fn contents(&mut self, contents: &Contents, program: &Program) {
        self.bytes(&contents.bytes);
        for link in &contents.pointers {
            self.word(link.offset);
            self.pointer(link.to, program);
        }
        for range in &contents.unset {
            self.word(range.start);
            self.word(range.end);
        }
    }

    fn event(&mut self, event: &Event, program: &Program) {
        match event {
            Event::Call { name, args, payloads, effect: _ } => {
                self.bytes(name.as_bytes());
                self.word(args.len() as u64);
                args.iter().for_each(|arg| self.value(*arg, program));
                for payload in payloads {
                    self.word(u64::from(payload.arg));
                    self.contents(&payload.contents, program);
                }
            }
            Event::VolatileRead { address, value, bytes } => {
                self.word(5 | bytes << 8);
                self.value(*address, program);
                self.value(Value::Bits(*value), program);
            }
            Event::VolatileWrite { address, value, bytes } => {
                self.word(6 | bytes << 8);
                self.value(*address, program);
                self.value(Value::Bits(*value), program);
            }
            Event::VolatileBlock { address, contents } => {
                self.word(7);
                self.value(*address, program);
                self.contents(contents, program);
            }
        }
    }

    pub(super) fn finish(self) -> u64 {
        self.0
    }
}

/// The world while the run goes on.
#[derive(Default)]
pub(super) struct WorldState {
    world: World,
    /// Where the last event printed to, if it printed: more output to the same place continues it.
    printing: Option<Value>,
    names: HashMap<u32, u32>,
    /// The fresh zones that have names, in order.
    pub(super) named: Vec<u32>,
    /// How unknown functions behave.
    pub(super) outside: Outside,
    /// The addresses that functions give.
    pub(super) given: Vec<(String, Vec<u64>)>,
}

impl WorldState {
    pub(super) fn reset(&mut self) {
        self.world = World::default();
        self.printing = None;
        self.names.clear();
        self.named.clear();
        self.given.clear();
    }

    /// Says what came of the call that was pushed last.
    pub(super) fn note_effect(&mut self, done: Effect) {
        // Events beyond the limit are not kept, and neither is what came of them.
        if self.world.count == self.world.events.len() as u64
            && let Some(Event::Call { effect, .. }) = self.world.events.last_mut()
        {
            *effect = Some(done);
        }
    }

    pub(super) fn hash(&self) -> u64 {
        self.world.hash
    }

    pub(super) fn take(&mut self) -> World {
        std::mem::take(&mut self.world)
    }

    /// Adds an event; `library` if it is the call of an emulated function.
    pub(super) fn push(&mut self, event: Event, library: bool, program: &Program) {
        let output = match &event {
            Event::Call { name, args, payloads, .. } if library => {
                Output::of(program, name, args, payloads)
            }
            _ => Output::Unclear,
        };
        match output {
            Output::Nothing => {}
            Output::Printed { to, bytes } => {
                let to = destination(program, to);
                if self.printing != Some(to) {
                    let mut hash = Hash::new(self.world.hash);
                    hash.word(8);
                    hash.value(to, program);
                    self.world.hash = hash.finish();
                    self.printing = Some(to);
                }
                // Byte by byte: in which pieces they are printed must not matter.
                for byte in bytes.iter() {
                    let mut hash = Hash::new(self.world.hash);
                    hash.word(u64::from(*byte) << 8 | 9);
                    self.world.hash = hash.finish();
                }
            }
            Output::Unclear => {
                let mut hash = Hash::new(self.world.hash);
                hash.event(&event, program);
                self.world.hash = hash.finish();
                self.printing = None;
            }
        }
        self.world.count += 1;
        if self.world.events.len() < World::MAX_EVENTS {
            self.world.events.push(event);
        }
    }

    /// An address as an outsider would describe it.
    pub(super) fn pointer(&mut self, memory: &Memory, address: u64) -> Pointer {
        let pointer = memory.symbolic(address);
        let PointerTarget::Fresh(zone) = pointer.target else { return pointer };
        let next = self.named.len() as u32;
        let number = *self.names.entry(zone).or_insert(next);
        if number == next {
            self.named.push(zone);
        }
        Pointer { target: PointerTarget::Fresh(number), ..pointer }
    }

    /// Bytes as an outsider would describe them: what looks like an address, where one may lie, is one.
    /// They begin at `start`.
    pub(super) fn contents(
        &mut self,
        memory: &Memory,
        start: u64,
        data: &[u8],
        set: &[u8],
    ) -> Contents {
        let mut contents = Contents::from(data.to_vec());
        for (at, flag) in set.iter().enumerate().filter(|(_, flag)| **flag == 0) {
            debug_assert_eq!(*flag, 0);
            match contents.unset.last_mut() {
                Some(range) if range.end == at as u64 => range.end += 1,
                _ => contents.unset.push(at as u64..at as u64 + 1),
            }
        }
        let step = memory.address_step();
        let mut at = (start.wrapping_neg() as usize) % step;
        while let Some(word) = data.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
            let address = u64::from_le_bytes(*word);
            // Most words are no addresses, and their top says so at once.
            if address >> 32 != 0
                && address >> 32 <= u64::from(FRESH_ZONE) * 8
                && memory.is_address(address)
            {
                let to = self.pointer(memory, address);
                contents.pointers.push(Link { offset: at as u64, to });
                contents.bytes[at..at + 8].fill(0);
                at += 8;
            } else {
                at += step;
            }
        }
        contents
    }
}
