//! From a model of the solver to an entry state that can be run.
//!
//! A model gives bits to parameters, contents to the arrays of memory, and addresses to objects. An
//! entry state has objects instead of addresses: what the run reads or writes and that belongs to no global is cut into
//! pieces, near ones together, and each piece becomes an object. Pointers keep their distance from the piece's start
//! and their alignment up to 16. Nothing hangs on this being right: the entry state is run before anyone believes it.

use crate::entry::Entry;
use crate::execute::{Executor, Stop};
use crate::outcome::Outcome;
use crate::space::NULL_ZONE;
use std::collections::{BTreeMap, HashMap};
use verdiff_logic::{Assignment, Evaluator, Op, TermId, Value as Model};
use verdiff_model::state::{Contents, EntryState, Link, Object, Pointer, PointerTarget, Value};
use verdiff_model::{ExternId, GlobalId, ProcId, Type};

/// Pieces nearer to each other than this are one object.
const GAP: u64 = 64;
/// Larger objects are not made.
const LARGEST: u64 = 1 << 20;
/// Objects begin and end at multiples of this, so that alignment is kept.
const ALIGN: u64 = 16;

/// No object reaches beyond this: the next ones are so near to the end of all addresses that they come from null.
const HIGHEST: u64 = u64::MAX - NULL_ZONE;

/// What an address leads to.
#[derive(Clone, Copy)]
enum Named {
    Global(GlobalId, u64),
    Procedure(ProcId),
    External(ExternId),
}

/// A piece of memory that belongs to nobody.
struct Piece {
    start: u64,
    end: u64,
}

struct Concrete<'m> {
    model: &'m Assignment,
    /// Bytes at entry, where some run looks at them.
    bytes: BTreeMap<u64, u8>,
    pieces: Vec<Piece>,
    named: BTreeMap<u64, (u64, Named)>,
}

impl Executor<'_> {
    /// An entry state for `proc` as the model describes it, in this program's numbers.
    /// `about` are the terms that the model is a model of; `outcomes` the runs it is about.
    pub fn concrete(
        &mut self,
        entry: &Entry,
        proc: ProcId,
        model: &Assignment,
        about: &[TermId],
        outcomes: &[&Outcome],
    ) -> Result<EntryState, Stop> {
        let named = self.named(model)?;
        let mut concrete = Concrete { model, bytes: BTreeMap::new(), pieces: vec![], named };
        let mut ranges = self.reads(entry, about, &mut concrete)?;
        for outcome in outcomes {
            for memory in outcome.memory.clone() {
                let written = self.space.written(memory)?;
                for (addr, len) in written.ranges {
                    let (addr, len) = (self.number(model, addr), self.number(model, len));
                    if let (Some(addr), Some(len)) = (addr, len.filter(|l| *l <= LARGEST)) {
                        ranges.push((addr, len));
                    }
                }
            }
        }
        let parameters = self.program.procedure(proc).params.clone();
        let mut args = Vec::new();
        for (param, term) in parameters.iter().zip(&entry.args) {
            let ty = self.program.procedure(proc).var(*param).ty;
            let value = Evaluator::new(model).eval(&self.space.pool, *term)?;
            let bits = match &value {
                // A `_Bool` is a truth value in formulas.
                Model::Bool(truth) => u128::from(*truth),
                Model::Float(float) => float.bits().to_u128().unwrap_or(0),
                value => value.as_bits().and_then(|b| b.to_u128()).unwrap_or(0),
            };
            if ty == Type::Ptr {
                ranges.push((bits as u64, 0));
            }
            args.push((ty, bits));
        }
        concrete.cut(ranges);
        let args = args
            .into_iter()
            .map(|(ty, bits)| match ty {
                Type::Ptr => concrete.pointer(bits as u64).into(),
                _ => Value::Bits(bits),
            })
            .collect();
        let objects = concrete.objects();
        let globals = concrete.globals(self.program);
        Ok(EntryState { args, objects, globals, ..EntryState::default() })
    }

    fn number(&self, model: &Assignment, term: TermId) -> Option<u64> {
        let value = Evaluator::new(model).eval(&self.space.pool, term).ok()?;
        value.as_bits().and_then(|b| b.to_u64())
    }

    /// Where the things with names are in the model, by their start.
    fn named(&mut self, model: &Assignment) -> Result<BTreeMap<u64, (u64, Named)>, Stop> {
        // In order: of two at one address, always the same one is named.
        let mut by_base: BTreeMap<TermId, Named> = BTreeMap::new();
        for index in 0..self.program.globals.len() {
            let id = GlobalId::new(index);
            let known = self.space.pool.len();
            let object = self.global_object(id)?;
            // One that was made just now is in no term, and so in no model.
            if self.space.pool.len() == known {
                let size = self.program.global(id).size;
                by_base.insert(self.space.object_at(object).base, Named::Global(id, size));
            }
        }
        // A program may have thousands of procedures: whether a name is shared is found out once for all of them.
        let mut times: HashMap<&str, usize> = HashMap::new();
        for procedure in &self.program.procedures {
            *times.entry(&procedure.name).or_default() += 1;
        }
        for id in self.program.procedure_ids() {
            let name = &self.program.procedure(id).name;
            let shared = times.get(name.as_str()).is_some_and(|times| *times > 1);
            let name = if shared { self.procedure_name(id) } else { name.clone() };
            if let Some(object) = self.space.function_named(&name) {
                by_base.insert(self.space.object_at(object).base, Named::Procedure(id));
            }
        }
        for (index, external) in self.program.externals.iter().enumerate() {
            if let Some(object) = self.space.function_named(&external.name) {
                let base = self.space.object_at(object).base;
                by_base.insert(base, Named::External(ExternId::new(index)));
            }
        }
        let mut named = BTreeMap::new();
        for (base, what) in by_base {
            if let Some(address) = self.number(model, base) {
                let size = match what {
                    Named::Global(_, size) => size,
                    _ => 1,
                };
                named.insert(address, (size, what));
            }
        }
        Ok(named)
    }

    /// The cells of the entry's memory that the terms look at, and what the model has there.
    fn reads(
        &mut self,
        entry: &Entry,
        about: &[TermId],
        concrete: &mut Concrete<'_>,
    ) -> Result<Vec<(u64, u64)>, Stop> {
        let mut arrays: HashMap<TermId, u32> = HashMap::new();
        for (region, memory) in entry.memory.iter().enumerate() {
            let written = self.space.written(*memory)?;
            arrays.extend(written.arrays.iter().map(|array| (*array, self.cell(region))));
        }
        let mut ranges = vec![];
        let mut evaluator = Evaluator::new(concrete.model);
        for term in self.space.pool.sub_terms(about) {
            if self.space.pool.op(term) != Op::Select {
                continue;
            }
            let [array, index] = *self.space.pool.operands(term) else { continue };
            let Some(cell) = arrays.get(&array) else { continue };
            let at = evaluator.eval(&self.space.pool, index)?;
            let Some(at) = at.as_bits().and_then(|b| b.to_u64()) else { continue };
            let value = evaluator.eval(&self.space.pool, term)?;
            let Model::Bits(bits) = value else { continue };
            let bits = bits.to_u128().unwrap_or(0);
            for n in 0..u64::from(*cell) {
                concrete.bytes.insert(at.wrapping_add(n), (bits >> (8 * n)) as u8);
            }
            ranges.push((at, u64::from(*cell)));
        }
        Ok(ranges)
    }
}

impl Concrete<'_> {
    /// The named thing that an address is in, or one past the end of.
    fn name_of(&self, address: u64) -> Option<(Named, i64)> {
        let (start, (size, what)) = self.named.range(..=address).next_back()?;
        (address - start <= *size).then_some((*what, (address - start) as i64))
    }

    /// Cuts what is touched into pieces.
    fn cut(&mut self, mut ranges: Vec<(u64, u64)>) {
        ranges.retain(|(at, _)| (NULL_ZONE..HIGHEST).contains(at) && self.name_of(*at).is_none());
        ranges.sort_unstable();
        for (at, len) in ranges {
            let start = at / ALIGN * ALIGN;
            let last = at.saturating_add(len.max(1)).min(HIGHEST);
            let end = last.next_multiple_of(ALIGN);
            match self.pieces.last_mut() {
                Some(last)
                    if start <= last.end.saturating_add(GAP)
                        && end.saturating_sub(last.start) <= LARGEST =>
                {
                    last.end = last.end.max(end);
                }
                _ => self.pieces.push(Piece { start, end }),
            }
        }
    }

    fn pointer(&self, address: u64) -> Pointer {
        if address < NULL_ZONE {
            return Pointer { target: PointerTarget::Null, offset: address as i64 };
        }
        if let Some((what, offset)) = self.name_of(address) {
            let target = match what {
                Named::Global(id, _) => PointerTarget::Global(id),
                Named::Procedure(id) => PointerTarget::Procedure(id),
                Named::External(id) => PointerTarget::External(id),
            };
            return Pointer { target, offset };
        }
        match self.piece_of(address) {
            Some(index) => {
                let offset = (address - self.pieces[index].start) as i64;
                Pointer { target: PointerTarget::Object(index as u32), offset }
            }
            None => Pointer { target: PointerTarget::Null, offset: address as i64 },
        }
    }

    fn piece_of(&self, address: u64) -> Option<usize> {
        let before = self.pieces.partition_point(|piece| piece.start <= address);
        let index = before.checked_sub(1)?;
        (address <= self.pieces[index].end).then_some(index)
    }

    /// The contents of `size` bytes at `start`, over what is there without the model.
    fn contents(&self, start: u64, mut contents: Contents) -> Contents {
        let end = start + contents.bytes.len() as u64;
        let mut at = start;
        while at < end {
            let word: Option<Vec<u8>> = (at..at + 8).map(|a| self.bytes.get(&a).copied()).collect();
            if let Some(word) = word.filter(|_| at.is_multiple_of(8) && at + 8 <= end) {
                let value = u64::from_le_bytes(word.try_into().unwrap_or_default());
                let to = self.pointer(value);
                if to.target != PointerTarget::Null {
                    let offset = at - start;
                    contents.pointers.retain(|l| l.offset + 8 <= offset || offset + 8 <= l.offset);
                    contents.pointers.push(Link { offset, to });
                    let index = offset as usize;
                    contents.bytes[index..index + 8].fill(0);
                    at += 8;
                    continue;
                }
            }
            if let Some(byte) = self.bytes.get(&at) {
                let offset = at - start;
                contents.pointers.retain(|l| offset < l.offset || l.offset + 8 <= offset);
                contents.bytes[offset as usize] = *byte;
            }
            at += 1;
        }
        contents.pointers.sort_by_key(|link| link.offset);
        contents
    }

    fn objects(&self) -> Vec<Object> {
        let object = |piece: &Piece| {
            let empty = Contents::from(vec![0; (piece.end - piece.start) as usize]);
            Object { align: ALIGN as u32, contents: self.contents(piece.start, empty) }
        };
        self.pieces.iter().map(object).collect()
    }

    fn globals(&self, program: &verdiff_model::Program) -> Vec<(GlobalId, Contents)> {
        let mut globals = vec![];
        for (start, (size, what)) in &self.named {
            let Named::Global(id, _) = what else { continue };
            let global = program.global(*id);
            let touched = self.bytes.range(*start..start + size).next().is_some();
            if !touched || global.constant || *size > LARGEST {
                continue;
            }
            let before = verdiff_model::state::initial_contents(program, *id);
            let after = self.contents(*start, before.clone());
            if after != before {
                globals.push((*id, after));
            }
        }
        globals.sort_by_key(|(id, _)| *id);
        globals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_at_the_end_of_all_addresses_is_no_object() {
        let model = Assignment::default();
        let mut concrete = Concrete {
            model: &model,
            bytes: BTreeMap::new(),
            pieces: vec![],
            named: BTreeMap::new(),
        };
        let high = [u64::MAX, u64::MAX - 17, u64::MAX - 70, HIGHEST, HIGHEST - 1, 1 << 63];
        concrete.cut(high.iter().flat_map(|at| [(*at, 0), (*at, 8)]).collect());
        let sizes: Vec<usize> = concrete.objects().iter().map(|o| o.contents.bytes.len()).collect();
        assert_eq!(sizes, [16, 16]);
        assert_eq!(concrete.pointer(u64::MAX).target, PointerTarget::Null);
    }
}
