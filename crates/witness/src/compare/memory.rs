//! Values and memory of two runs, compared one by one.
//!
//! Each comparison gives back the model's value as far as the compiled run really has it: what was let
//! pass without being equal (a NaN with other bits, an address that only the run knows) has no value there.

use super::{Modelled, Skip, Verdict};
use crate::compiled::{Addresses, CompiledOutcome};
use std::collections::BTreeMap;
use verdiff_judge::Disagreement;
use verdiff_model::state::{
    Contents, FreshObject, ObjectEnd, Pointer, PointerTarget, Value, initial_contents, layout,
};
use verdiff_model::{FloatKind, GlobalId, Type, ops};

/// How two values differ.
pub(super) enum Problem {
    Differs(String),
    Skip(Skip),
}

impl Problem {
    pub(super) fn verdict(self, place: &str) -> Verdict {
        match self {
            Problem::Differs(how) => {
                Verdict::Disagree(Disagreement::Detail(format!("{place}: {how}")))
            }
            Problem::Skip(skip) => Verdict::Skipped(skip),
        }
    }
}

/// Where a process can have stack and heap.
const ADDRESSES: std::ops::Range<u64> = 1 << 32..1 << 47;

/// A problem and where it is.
type Located = (String, Problem);

/// The memory that a compiled run was seen to have at its end.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) objects: Vec<ObjectEnd>,
    pub(super) globals: Vec<(GlobalId, Contents)>,
    /// Globals of which nothing is known.
    pub(super) unseen: Vec<GlobalId>,
    pub(super) fresh: Vec<FreshObject>,
}

pub(super) struct MemoryComparison<'a> {
    pub(super) modelled: Modelled<'a>,
    pub(super) addresses: &'a Addresses,
    pub(super) compiled: &'a CompiledOutcome,
    /// Where the compiled run has what the interpreter's run made.
    pub(super) made: BTreeMap<u32, u64>,
}

impl MemoryComparison<'_> {
    /// Compares a value; gives it back if the compiled run has the very same.
    pub(super) fn value(
        &mut self,
        ty: Type,
        expected: Option<Value>,
        actual: u128,
    ) -> Result<Option<Value>, Problem> {
        match expected {
            // A variable that never got a value.
            None => Ok(None),
            Some(Value::Bits(bits)) if ops::same_value(ty, bits, actual) => Ok(expected),
            // Floats that the ABI returns as another type.
            Some(Value::Bits(bits))
                if {
                    let (a, b) = (bits.to_le_bytes(), actual.to_le_bytes());
                    (0..ty.bytes() as usize).all(|at| a[at] == b[at] || both_nan(&a, &b, at))
                } =>
            {
                Ok(None)
            }
            Some(Value::Bits(bits)) if ty == Type::WORD && is_internal(bits as u64) => {
                Err(Problem::Skip(Skip::Addresses))
            }
            Some(Value::Bits(bits)) => {
                Err(Problem::Differs(format!("{bits:#x} and compiled {actual:#x}")))
            }
            Some(Value::Pointer(to)) => {
                let certain = self.pointer(to, actual as u64)?;
                Ok(expected.filter(|_| certain))
            }
        }
    }

    /// Compares a pointer; says whether it is certain that the compiled run has the same.
    pub(super) fn pointer(&mut self, to: Pointer, actual: u64) -> Result<bool, Problem> {
        if let PointerTarget::Fresh(number) = to.target {
            let base = actual.wrapping_sub(to.offset as u64);
            if actual == 0 {
                return Err(Problem::Differs("a new object and compiled null".into()));
            }
            // A number that happens to look like one of the interpreter's addresses: the compiled run has
            // the number, which no process could have as an address.
            if !ADDRESSES.contains(&base) {
                return Ok(false);
            }
            return match self.made.get(&number) {
                Some(other) if *other == base => Ok(true),
                Some(_) if self.is_alive(number) => {
                    Err(Problem::Differs("one new object and compiled two".into()))
                }
                Some(_) => Ok(false),
                None => {
                    self.made.insert(number, base);
                    Ok(true)
                }
            };
        }
        match self.addresses.of(to, self.modelled.entry) {
            Some(expected) if expected == actual => Ok(true),
            // The interpreter takes a number for a pointer if it is what it has as an address. If the
            // compiled run has that very number, it never was a pointer.
            _ if actual != 0 && actual == own_address(to) => Ok(false),
            Some(expected) => {
                Err(Problem::Differs(format!("{to:?} ({expected:#x}) and compiled {actual:#x}")))
            }
            // Not in the tables (thread-local): all that is known is that it is something.
            None if actual != 0 => Ok(false),
            None => Err(Problem::Differs(format!("{to:?} and compiled null"))),
        }
    }

    fn is_alive(&self, number: u32) -> bool {
        let object = self.modelled.outcome.fresh.get(number as usize);
        object.is_some_and(|object| object.contents.is_some())
    }

    /// Compares all memory that a caller can see.
    pub(super) fn memory(&mut self) -> Result<Memory, Located> {
        let mut seen = Memory::default();
        self.objects(&mut seen)?;
        self.globals(&mut seen)?;
        seen.fresh = self.heap()?;
        Ok(seen)
    }

    fn objects(&mut self, seen: &mut Memory) -> Result<(), Located> {
        let Modelled { entry, outcome, .. } = self.modelled;
        for (index, end) in outcome.objects.iter().enumerate() {
            let place = || format!("object {index}");
            let differs = |how: &str| Err((place(), Problem::Differs(how.to_owned())));
            let Some(actual) = self.compiled.objects.get(index) else {
                return differs("not reported by the compiled run");
            };
            seen.objects.push(match end {
                ObjectEnd::Freed if actual.freed => ObjectEnd::Freed,
                ObjectEnd::Freed => return differs("freed by the interpreter alone"),
                _ if actual.freed => return differs("freed by compiled code alone"),
                ObjectEnd::Untouched => {
                    let begun = &entry.objects[index].contents;
                    self.contents(begun, &actual.bytes).map_err(|problem| (place(), problem))?;
                    ObjectEnd::Untouched
                }
                ObjectEnd::Written(contents) => ObjectEnd::Written(
                    self.contents(contents, &actual.bytes).map_err(|problem| (place(), problem))?,
                ),
            });
        }
        Ok(())
    }

    fn globals(&mut self, seen: &mut Memory) -> Result<(), Located> {
        let Modelled { program, outcome, .. } = self.modelled;
        let mut ids: Vec<GlobalId> = outcome.globals.iter().map(|(id, _)| *id).collect();
        ids.extend(self.compiled.globals.iter().map(|(id, _)| *id));
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let global = program.global(id);
            if global.thread_local || self.addresses.globals.get(id.index()) == Some(&0) {
                seen.unseen.push(id);
                continue;
            }
            let initial = initial_contents(program, id);
            let find = |list: &[(GlobalId, Contents)]| {
                list.iter().find(|(g, _)| *g == id).map(|(_, contents)| contents.clone())
            };
            let expected = find(&outcome.globals).unwrap_or_else(|| initial.clone());
            let actual = self.compiled.globals.iter().find(|(g, _)| *g == id);
            let actual = match actual {
                Some((_, bytes)) => bytes.clone(),
                None => self.image(&initial),
            };
            let contents = self
                .contents(&expected, &actual)
                .map_err(|problem| (format!("global {}", global.name), problem))?;
            seen.globals.push((id, contents));
        }
        Ok(())
    }

    /// Compares what the run made, as far as it was reached; nothing is given for what was not.
    fn heap(&mut self) -> Result<Vec<FreshObject>, Located> {
        let fresh = &self.modelled.outcome.fresh;
        let mut seen = vec![FreshObject { contents: None }; fresh.len()];
        let mut done = vec![false; fresh.len()];
        // Following one object may lead to others, with any number.
        while let Some((number, base)) = self
            .made
            .iter()
            .map(|(n, b)| (*n, *b))
            .find(|(n, _)| done.get(*n as usize) == Some(&false))
        {
            done[number as usize] = true;
            if done.iter().filter(|done| **done).count() > 1000 {
                break;
            }
            let object = &fresh[number as usize];
            let block = self.compiled.heap.iter().find(|(address, _)| *address == base);
            let (Some(contents), Some((_, bytes))) = (&object.contents, block) else { continue };
            let place = || format!("new object {number}");
            if contents.bytes.len() != bytes.len() {
                let sizes = format!("{} bytes and compiled {}", contents.bytes.len(), bytes.len());
                return Err((place(), Problem::Differs(sizes)));
            }
            let contents = self.contents(contents, bytes).map_err(|problem| (place(), problem))?;
            seen[number as usize].contents = Some(contents);
        }
        Ok(seen)
    }

    /// The bytes a compiled program has for the contents; zeros for what only a run knows.
    fn image(&self, contents: &Contents) -> Vec<u8> {
        let mut bytes = contents.bytes.clone();
        for link in &contents.pointers {
            let address = self.addresses.of(link.to, self.modelled.entry).unwrap_or(0);
            if let Some(place) = bytes.get_mut(link.offset as usize..link.offset as usize + 8) {
                place.copy_from_slice(&address.to_le_bytes());
            }
        }
        bytes
    }

    /// Compares contents; gives them back as the compiled run was seen to have them.
    pub(super) fn contents(
        &mut self,
        expected: &Contents,
        actual: &[u8],
    ) -> Result<Contents, Problem> {
        let image = self.image(expected);
        let mut seen = expected.clone();
        if image == actual && expected.unset.is_empty() && expected.pointers.is_empty() {
            return Ok(seen);
        }
        // Whether each byte is still to be compared, and whether it is certain.
        let mut compared = vec![true; image.len()];
        let mut certain = vec![true; image.len()];
        for range in &expected.unset {
            compared[range.start as usize..range.end as usize].fill(false);
            certain[range.start as usize..range.end as usize].fill(false);
        }
        for link in &expected.pointers {
            let at = link.offset as usize;
            let mut word = [0; 8];
            let all_set = compared[at..at + 8].iter().all(|c| *c);
            compared[at..at + 8].fill(false);
            let mut sure = false;
            if let (true, Some(bytes)) = (all_set, actual.get(at..at + 8)) {
                word.copy_from_slice(bytes);
                sure =
                    self.pointer(link.to, u64::from_le_bytes(word)).map_err(
                        |problem| match problem {
                            Problem::Differs(how) => {
                                Problem::Differs(format!("pointer at byte {at}: {how}"))
                            }
                            other => other,
                        },
                    )?;
            }
            if !sure {
                certain[at..at + 8].fill(false);
            }
        }
        for at in 0..image.len() {
            if actual.get(at) == Some(&image[at]) || !compared[at] {
                continue;
            }
            if both_nan(&image, actual, at) {
                certain[at] = false;
                continue;
            }
            if let Some(word) = rest_of_an_address(&image, at) {
                // Nothing that a process has: what the compiled run has there is not known to be what was predicted.
                certain[word].fill(false);
                continue;
            }
            let shown = |bytes: &[u8]| {
                let from = at / 8 * 8;
                let end = (from + 8).min(bytes.len());
                bytes.get(from..end).map(|b| format!("{b:02x?}")).unwrap_or_default()
            };
            return Err(Problem::Differs(format!(
                "byte {at}: {} and compiled {}",
                shown(&image),
                shown(actual)
            )));
        }
        forget(&mut seen, &certain);
        Ok(seen)
    }
}

/// Takes the values of some bytes away; a pointer is lost as a whole.
pub(super) fn forget(contents: &mut Contents, certain: &[bool]) {
    let mut kept = certain.to_vec();
    kept.resize(contents.bytes.len(), false);
    contents.pointers.retain(|link| {
        let range = link.offset as usize..(link.offset as usize + 8).min(kept.len());
        let whole = kept[range.clone()].iter().all(|kept| *kept);
        if !whole {
            kept[range].fill(false);
        }
        whole
    });
    contents.unset.clear();
    for at in (0..kept.len()).filter(|at| !kept[*at]) {
        contents.bytes[at] = 0;
        match contents.unset.last_mut() {
            Some(range) if range.end == at as u64 => range.end += 1,
            _ => contents.unset.push(at as u64..at as u64 + 1),
        }
    }
}

/// The word around a byte, if the model has there what the interpreter's addresses begin with: a pointer of which a part was overwritten, as
/// by another member of a union. Where its rest lies in a process is another number.
fn rest_of_an_address(model: &[u8], at: usize) -> Option<std::ops::Range<usize>> {
    let word = at / 8 * 8..at / 8 * 8 + 8;
    let bytes = model.get(word.clone())?;
    is_internal(bits_at(bytes, 0, Type::WORD) as u64).then_some(word)
}

/// Whether the byte lies in a word that is the model's NaN (or that negated) and any NaN in the
/// compiled run. That the first must be the one NaN which computing gives keeps integers apart: as
/// bits of a float, -1 and -2 are NaNs, too.
fn both_nan(model: &[u8], compiled: &[u8], at: usize) -> bool {
    [FloatKind::Single, FloatKind::Double, FloatKind::X87, FloatKind::Half, FloatKind::Quad]
        .into_iter()
        .any(|kind| {
            let bytes = usize::from(kind.width() / 8);
            let align = bytes.next_power_of_two();
            let ty = Type::Float(kind);
            let from = at / align * align;
            let sign = 1 << (kind.width() - 1);
            at < from + bytes
                && from + bytes <= model.len().min(compiled.len())
                && bits_at(model, from as u64, ty) & !sign == ops::canonical_nan(kind)
                && ops::is_nan(kind, bits_at(compiled, from as u64, ty))
        })
}

/// Whether the bits are an address that only the interpreter has.
fn is_internal(bits: u64) -> bool {
    let zone = layout::zone_of(bits);
    (layout::GLOBAL_ZONE..0x8000_0000).contains(&zone)
        || zone == layout::PROCEDURE_ZONE
        || zone == layout::EXTERNAL_ZONE
}

/// Where the interpreter has what a pointer leads to; 0 for what it has nowhere else.
fn own_address(to: Pointer) -> u64 {
    let base = match to.target {
        PointerTarget::Global(id) => layout::zone_base(layout::GLOBAL_ZONE + id.0),
        PointerTarget::Procedure(id) => {
            layout::zone_base(layout::PROCEDURE_ZONE) + u64::from(id.0) * layout::FUNCTION_SIZE
        }
        PointerTarget::External(id) => {
            layout::zone_base(layout::EXTERNAL_ZONE) + u64::from(id.0) * layout::FUNCTION_SIZE
        }
        PointerTarget::Null | PointerTarget::Object(_) | PointerTarget::Fresh(_) => return 0,
    };
    base.wrapping_add_signed(to.offset)
}

pub(super) fn bits_at(bytes: &[u8], offset: u64, ty: Type) -> u128 {
    let mut word = [0; 16];
    let at = offset as usize;
    if let Some(bytes) = bytes.get(at..at + ty.bytes() as usize) {
        word[..bytes.len()].copy_from_slice(bytes);
    }
    u128::from_le_bytes(word) & ty.mask()
}
