//! What the outside does besides answering: allocations fail, and unknown functions write to globals.
//!
//! A function that nothing is known about may write any global that is known outside the program. Here it writes
//! numbers, where the C types have them in both versions. What it writes belongs to one call, by a hash of all that it
//! may depend on, so it is one deterministic function for both. Library functions that are known to leave globals alone
//! are asked nothing of the kind. What its arguments point to it leaves as it is: clang does not tell here whether
//! a function is declared to take pointers to constants.

use super::input_locations::{Call, Number, answer, numbers_in};
use super::search::DifferenceSearch;
use verdiff_judge::{Comparison, Kind, Side};
use verdiff_model::interp::is_emulated;
use verdiff_model::state::{Answer, EntryState, Write};
use verdiff_model::{CType, CTypeId, External, ExternalKind, GlobalId, Linkage, Program};

/// No more numbers than this.
const NUMBERS: usize = 32;
/// So many allocations may fail at once.
const FAILURES: usize = 16;
/// Types are compared this deep.
const DEPTH: u32 = 6;

/// A number in a global that unknown functions may write.
pub(super) struct Writable {
    /// The global's name for the linker.
    symbol: String,
    /// Where in it.
    offset: u64,
    number: Number,
}

/// Whether the outside does more in a state than to answer.
pub(super) fn interferes(entry: &EntryState) -> bool {
    let outside = &entry.outside;
    let writes = |answer: &Answer| !answer.writes.is_empty() || !answer.fills.is_empty();
    !outside.failures.is_empty() || outside.answers.iter().any(writes)
}

/// Whether nothing is known of an external, so that it may write what it can reach.
pub(super) fn may_write(external: &External) -> bool {
    external.kind == ExternalKind::Function
        && !is_emulated(external)
        && verdiff_symex::libc::known(&external.name).is_none()
}

/// The numbers that may be written in these globals of the old version: of those that both have and nobody hides.
pub(super) fn writable(comparison: &Comparison, globals: &[GlobalId]) -> Vec<Writable> {
    let (old, new) = (comparison.program(Side::Old), comparison.program(Side::New));
    let mut list = vec![];
    for id in globals {
        let Some(other) = comparison.global_in_other(Side::Old, *id) else { continue };
        let (a, b) = (old.global(*id), new.global(other));
        let (Some(x), Some(y)) = (a.ctype, b.ctype) else { continue };
        let changeable = !a.constant && !b.constant && !a.thread_local && !b.thread_local;
        let public = a.linkage == Linkage::External && b.linkage == Linkage::External;
        let same = a.symbol == b.symbol && a.size == b.size;
        let library = super::source_values::LIBRARY.contains(&a.symbol.as_str());
        if changeable && public && same && !library && same_type([old, new], [x, y], DEPTH) {
            let numbers = numbers_in(old, x).into_iter();
            let number = |(offset, number)| Writable { symbol: a.symbol.clone(), offset, number };
            list.extend(numbers.map(number).take(NUMBERS - list.len()));
        }
    }
    list
}

/// Whether a type is laid out alike in both versions. Of unions nobody knows what they hold.
fn same_type(programs: [&Program; 2], ids: [CTypeId; 2], depth: u32) -> bool {
    let kind = |side: usize| {
        let types = &programs[side].ctypes;
        types.get(types.resolve(ids[side]))
    };
    match (kind(0), kind(1)) {
        (
            CType::Record { union: false, size: a, fields: x, .. },
            CType::Record { union: false, size: b, fields: y, .. },
        ) => {
            a == b
                && x.len() == y.len()
                && depth > 0
                && x.iter().zip(y).all(|(f, g)| {
                    f.offset_bits == g.offset_bits
                        && f.bit_width == g.bit_width
                        && same_type(programs, [f.ctype, g.ctype], depth - 1)
                })
        }
        (CType::Array { element: x, count: a }, CType::Array { element: y, count: b }) => {
            a == b && same_type(programs, [*x, *y], depth)
        }
        (CType::Pointer(_), CType::Pointer(_)) => true,
        (a @ (CType::Int { .. } | CType::Float { .. }), b) => a == b,
        (CType::Enum { width: a, .. }, CType::Enum { width: b, .. }) => a == b,
        _ => false,
    }
}

impl DifferenceSearch<'_> {
    /// Tries what the outside may do in the runs from a state of the queue.
    pub(super) fn interfere(&mut self, index: usize) {
        let Some(item) = self.queue.get(index) else { return };
        let (base, calls) = (item.entry.clone(), item.places.calls.clone());
        if self.allocations > 0 {
            let all = self.allocations.min(FAILURES) as u32;
            for failures in [vec![0], vec![1], (0..all).collect()] {
                let mut entry = base.clone();
                entry.outside.failures = failures;
                self.attempt(&entry);
            }
        }
        for variant in 0..2 {
            let mut all = base.clone();
            for call in &calls {
                let mut entry = base.clone();
                for entry in [&mut entry, &mut all] {
                    self.write_all(entry, call, variant);
                }
                self.attempt(&entry);
                if self.is_over() {
                    return;
                }
            }
            if calls.len() > 1 {
                self.attempt(&all);
            }
        }
    }

    /// Has a call write all it can: small numbers that are not all alike.
    fn write_all(&self, entry: &mut EntryState, call: &Call, variant: u128) {
        for (at, number) in self.text.writable.iter().enumerate() {
            write(entry, call, number, at as u128 % 5 + 1 + variant * 6);
        }
    }

    /// Has a call write something else.
    pub(super) fn mutate_effect(&mut self, entry: &mut EntryState, calls: &[Call]) {
        let at = self.random.below(calls.len() as u64) as usize;
        let text = self.text;
        let pick = self.random.below(text.writable.len() as u64) as usize;
        let Some(to) = text.writable.get(pick) else { return };
        let list = self.values.of(text, to.number.ty);
        let bits = list[self.random.below(list.len() as u64) as usize];
        write(entry, &calls[at], to, bits);
    }

    /// Lets other allocations fail.
    pub(super) fn mutate_failures(&mut self, entry: &mut EntryState) {
        let number = self.random.below(self.allocations.min(FAILURES) as u64) as u32;
        let failures = &mut entry.outside.failures;
        match failures.iter().position(|n| *n == number) {
            Some(at) => {
                failures.remove(at);
            }
            None => failures.push(number),
        }
        failures.sort_unstable();
    }

    /// Leaves out what need not be done, piece by piece.
    pub(super) fn less_interference(&mut self, kind: Kind, entry: &mut EntryState) {
        self.simpler(kind, entry, |e| e.outside.seed = 0);
        for number in entry.outside.failures.clone() {
            self.simpler(kind, entry, |e| e.outside.failures.retain(|n| *n != number));
        }
        for name in entry.outside.given.iter().map(|g| g.external.clone()).collect::<Vec<_>>() {
            self.simpler(kind, entry, |e| e.outside.given.retain(|g| g.external != name));
        }
        for call in entry.outside.answers.iter().map(|answer| answer.call).collect::<Vec<_>>() {
            let answered =
                |e: &EntryState| e.outside.answers.iter().position(|answer| answer.call == call);
            self.simpler(kind, entry, |e| e.outside.answers.retain(|a| a.call != call));
            let Some(at) = answered(entry) else { continue };
            for n in (0..entry.outside.answers[at].writes.len()).rev() {
                self.simpler(kind, entry, |e| drop(e.outside.answers[at].writes.remove(n)));
            }
            for n in (0..entry.outside.answers[at].fills.len()).rev() {
                self.simpler(kind, entry, |e| drop(e.outside.answers[at].fills.remove(n)));
            }
        }
    }
}

fn write(entry: &mut EntryState, call: &Call, to: &Writable, bits: u128) {
    let bytes = bytes(to.number, bits);
    let writes = &mut answer(&mut entry.outside.answers, call.call, || call.results.clone()).writes;
    match writes.iter_mut().find(|w| w.symbol == to.symbol && w.offset == to.offset) {
        Some(known) => known.bytes = bytes,
        None => writes.push(Write { symbol: to.symbol.clone(), offset: to.offset, bytes }),
    }
}

fn bytes(number: Number, bits: u128) -> Vec<u8> {
    let bits = bits & verdiff_model::types::mask(number.width());
    bits.to_le_bytes()[..number.ty.bytes() as usize].to_vec()
}
