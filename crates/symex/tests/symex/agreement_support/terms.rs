//! The terms of a procedure, and what they say of one entry state.

use std::collections::BTreeMap;
use verdiff_logic::{ArrayValue, Assignment, Bits, Sort, TermId, Value as TermValue};
use verdiff_model::state::layout::{
    EXTERNAL_ZONE, FUNCTION_SIZE, GLOBAL_ZONE, PROCEDURE_ZONE, entry_base, zone_base,
};
use verdiff_model::state::{
    Contents, End, EntryState, ObjectEnd, Outcome as Ran, Pointer, PointerTarget, Value,
};
use verdiff_model::{GlobalId, ProcId, Program, Trap, Type};
use verdiff_symex::callee::InlineAll;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor, Stop};
use verdiff_symex::objects::literal_name;
use verdiff_symex::outcome::{Outcome, how};
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

fn address(entry: &EntryState, pointer: Pointer) -> u64 {
    let base = match pointer.target {
        PointerTarget::Null => 0,
        PointerTarget::Object(index) => {
            let object = &entry.objects[index as usize];
            entry_base(index, object.size(), object.align)
        }
        PointerTarget::Global(id) => zone_base(GLOBAL_ZONE + id.0),
        PointerTarget::Procedure(id) => zone_base(PROCEDURE_ZONE) + u64::from(id.0) * FUNCTION_SIZE,
        PointerTarget::External(id) => zone_base(EXTERNAL_ZONE) + u64::from(id.0) * FUNCTION_SIZE,
        _ => 0,
    };
    base.wrapping_add(pointer.offset as u64)
}

fn bytes_of(entry: &EntryState, contents: &Contents) -> Vec<u8> {
    let mut bytes = contents.bytes.clone();
    for link in &contents.pointers {
        let value = address(entry, link.to).to_le_bytes();
        bytes[link.offset as usize..link.offset as usize + 8].copy_from_slice(&value);
    }
    bytes
}

/// What symbolic execution says of a procedure.
pub struct Terms<'p> {
    program: &'p Program,
    space: Space,
    regions: Regions,
    entry: Entry,
    outcome: Outcome,
    /// For each region, a symbol and what memory holds there at the end.
    probes: Vec<(TermId, TermId)>,
}

/// Executes a procedure symbolically, everything it calls included.
pub fn execute<'p>(program: &'p Program, proc: ProcId) -> Result<Terms<'p>, Stop> {
    let regions = Regions::analyse(&[program]);
    let mut space = Space::new();
    let entry = Entry::of(&mut space, &regions, program.procedure(proc))?;
    let mut inline = InlineAll;
    let mut executor = Executor::new(
        &mut space,
        program,
        verdiff_model::Side::Old,
        &regions,
        &mut inline,
        ExecutionLimits { terms: 200_000, depth: 20 },
    );
    let state = executor.entry_state(&entry, proc, false)?;
    let args = entry.args.clone();
    let outcome = executor.run(proc, &args, state)?;
    let mut probes = Vec::new();
    for region in regions.ids() {
        let at = space.pool.symbol(&format!("probe.{region:?}"), Sort::BitVec(64))?;
        let cell = regions.info(region).cell.bytes();
        let value = space.read(outcome.memory[region.index()], at, cell, true)?;
        probes.push((at, value));
    }
    Ok(Terms { program, space, regions, entry, outcome, probes })
}

impl Terms<'_> {
    /// The entry state as an assignment of the symbols.
    fn assignment(&self, proc: ProcId, entry: &EntryState) -> Assignment {
        let pool = &self.space.pool;
        let mut all = Assignment::new();
        let procedure = self.program.procedure(proc);
        for (index, (term, param)) in self.entry.args.iter().zip(&procedure.params).enumerate() {
            let bits = match entry.args[index] {
                Value::Bits(bits) => bits,
                Value::Pointer(pointer) => address(entry, pointer).into(),
            };
            let ty = procedure.var(*param).ty;
            let value = if ty == Type::BOOL {
                TermValue::Bool(bits & 1 == 1)
            } else {
                TermValue::Bits(Bits::new(ty.width().into(), bits & ty.mask()))
            };
            all.set_term(pool, *term, value).unwrap();
        }
        // Memory: entry objects are outside, globals in their regions.
        let mut bytes: Vec<BTreeMap<u64, u8>> = vec![BTreeMap::new(); self.regions.len()];
        let mut put = |region: usize, base: u64, contents: &[u8]| {
            bytes[region].extend(contents.iter().enumerate().map(|(i, b)| (base + i as u64, *b)));
        };
        for (index, object) in entry.objects.iter().enumerate() {
            let base = entry_base(index as u32, object.size(), object.align);
            put(self.regions.outside().index(), base, &bytes_of(entry, &object.contents));
        }
        for (index, global) in self.program.globals.iter().enumerate() {
            let id = verdiff_model::GlobalId::new(index);
            let base = zone_base(GLOBAL_ZONE + id.0);
            let region = self.regions.of_global(verdiff_model::Side::Old, id).index();
            let given = entry.globals.iter().find(|(g, _)| *g == id);
            let contents = match given {
                Some((_, contents)) => bytes_of(entry, contents),
                None => {
                    let mut bytes =
                        global.init.as_ref().map(|i| i.bytes.clone()).unwrap_or_default();
                    bytes.resize(global.size as usize, 0);
                    for r in global.init.iter().flat_map(|i| &i.relocations) {
                        let target = match r.target {
                            verdiff_model::Address::Global(g) => PointerTarget::Global(g),
                            verdiff_model::Address::Procedure(p) => PointerTarget::Procedure(p),
                            verdiff_model::Address::External(e) => PointerTarget::External(e),
                            verdiff_model::Address::Local(_) => PointerTarget::Null,
                        };
                        let value = address(entry, Pointer { target, offset: r.addend });
                        bytes[r.offset as usize..r.offset as usize + 8]
                            .copy_from_slice(&value.to_le_bytes());
                    }
                    bytes
                }
            };
            put(region, base, &contents);
        }
        for region in self.regions.ids() {
            let info = self.regions.info(region);
            let cell = u64::from(info.cell.bytes());
            let name = format!("memory.{}", info.name);
            let Some(symbol) = pool.find_symbol(&name).map(|s| pool.symbol_term(s)) else {
                continue;
            };
            let Sort::Array(sort) = pool.sort(symbol) else { continue };
            let zero = TermValue::Bits(Bits::zero(cell as u32 * 8));
            let mut array = ArrayValue::constant(sort, zero);
            let mut words: BTreeMap<u64, u128> = BTreeMap::new();
            for (at, byte) in &bytes[region.index()] {
                let word = at / cell * cell;
                *words.entry(word).or_default() |= u128::from(*byte) << (8 * (at - word));
            }
            for (at, word) in words {
                let index = TermValue::Bits(Bits::new(64, at.into()));
                array = array.store(index, TermValue::Bits(Bits::new(cell as u32 * 8, word)));
            }
            all.set_term(pool, symbol, TermValue::Array(array)).unwrap();
        }
        // Addresses of what has a name.
        for (number, object) in self.space.objects().iter().enumerate() {
            let at =
                self.object_address(&object.name).unwrap_or(zone_base(0x2000_0000 + number as u32));
            all.set_term(pool, object.base, TermValue::Bits(Bits::new(64, at.into()))).unwrap();
        }
        all
    }

    fn object_address(&self, name: &str) -> Option<u64> {
        if let Some(function) = name.strip_suffix("()") {
            if let Some(at) = self.program.procedures.iter().position(|p| p.name == function) {
                return Some(zone_base(PROCEDURE_ZONE) + at as u64 * FUNCTION_SIZE);
            }
            let at = self.program.externals.iter().position(|e| e.name == function)?;
            return Some(zone_base(EXTERNAL_ZONE) + at as u64 * FUNCTION_SIZE);
        }
        let at = self.program.globals.iter().enumerate().position(|(n, g)| {
            let full = match &g.owner {
                Some(owner) => format!("{owner}.{}", g.name),
                None => g.name.clone(),
            };
            let program = &self.program;
            let names = |id| program.procedure(id).name.clone();
            let contents = || program.contents(GlobalId::new(n), &names);
            let literal = g.init.as_ref().map(|init| literal_name(init, contents()));
            // One of several static variables of a name.
            let shared = name.ends_with(&format!(":{}", g.symbol));
            full == name || shared || (g.is_literal() && literal.as_deref() == Some(name))
        })?;
        Some(zone_base(GLOBAL_ZONE + at as u32))
    }

    /// Whether the terms speak of unknown functions, and so have no value of their own.
    pub fn are_open(&self) -> bool {
        let mut roots = vec![self.outcome.how];
        roots.extend(&self.outcome.results);
        roots.extend(self.probes.iter().map(|p| p.1));
        !self.space.pool.free_names(&roots).functions.is_empty()
    }

    /// What differs between the evaluated terms and the interpreter's run.
    ///
    /// Of large objects some cells are looked at: those that changed and a few others, different ones for
    /// each `spread`.
    pub fn disagreement(
        &self,
        proc: ProcId,
        entry: &EntryState,
        ran: &Ran,
        spread: u64,
    ) -> Option<String> {
        let mut assignment = self.assignment(proc, entry);
        let pool = &self.space.pool;
        let number = |term: TermId, a: &Assignment| -> u128 {
            match pool.eval(term, a).unwrap() {
                TermValue::Bool(b) => b.into(),
                TermValue::Bits(bits) => bits.to_u128().unwrap(),
                other => panic!("{other:?}"),
            }
        };
        let ended = number(self.outcome.how, &assignment) as u16;
        let expected = match &ran.end {
            End::Returned(_) => how::RETURNED,
            End::Trapped { trap, .. } => how::trapped(*trap),
            _ => how::EXITED,
        };
        if ended != expected {
            return Some(format!(
                "ended {ended:#x}, the interpreter {expected:#x} ({:?})",
                ran.end
            ));
        }
        let End::Returned(results) = &ran.end else { return None };
        for (index, (term, result)) in self.outcome.results.iter().zip(results).enumerate() {
            let bits = number(*term, &assignment);
            let theirs = match result.value {
                Some(Value::Bits(bits)) => bits,
                Some(Value::Pointer(Pointer { target: PointerTarget::Fresh(_), .. })) | None => {
                    continue;
                }
                Some(Value::Pointer(pointer)) => address(entry, pointer).into(),
            };
            if !verdiff_model::ops::same_value(result.ty, bits, theirs) {
                return Some(format!("result {index} is {bits:#x}, the interpreter's {theirs:#x}"));
            }
        }
        let mut finals: Vec<(usize, u64, &Contents, Option<&Contents>)> = Vec::new();
        for (index, object) in ran.objects.iter().enumerate() {
            let start = &entry.objects[index];
            let base = entry_base(index as u32, start.size(), start.align);
            let contents = match object {
                ObjectEnd::Untouched => &start.contents,
                ObjectEnd::Written(contents) => contents,
                ObjectEnd::Freed => continue,
            };
            let start = Some(&start.contents);
            finals.push((self.regions.outside().index(), base, contents, start));
        }
        for (id, contents) in &ran.globals {
            finals.push((
                self.regions.of_global(verdiff_model::Side::Old, *id).index(),
                zone_base(GLOBAL_ZONE + id.0),
                contents,
                None,
            ));
        }
        for (region, base, contents, start) in finals {
            let cell =
                u64::from(self.regions.info(self.regions.ids().nth(region).unwrap()).cell.bytes());
            // Words lie at multiples of their size: an object that nobody accesses may lie between.
            if base % cell != 0 {
                continue;
            }
            let theirs = bytes_of(entry, contents);
            let fresh = |at: u64| {
                contents.pointers.iter().any(|link| {
                    matches!(link.to.target, PointerTarget::Fresh(_))
                        && (link.offset..link.offset + 8).contains(&at)
                })
            };
            let (probe, value) = self.probes[region];
            let before = start.map(|contents| bytes_of(entry, contents));
            for at in cells_to_look_at(before.as_deref(), &theirs, cell, spread) {
                assignment
                    .set_term(pool, probe, TermValue::Bits(Bits::new(64, (base + at).into())))
                    .unwrap();
                let word = number(value, &assignment);
                for index in 0..cell {
                    let (mine, other) =
                        ((word >> (8 * index)) as u8, theirs[(at + index) as usize]);
                    if mine != other && !fresh(at + index) {
                        return Some(format!(
                            "memory at {:#x} is {mine:#x}, the interpreter's {other:#x}",
                            base + at + index
                        ));
                    }
                }
            }
        }
        None
    }
}

/// Where cells begin that are worth evaluating the memory's terms for: all of a small object; of a large
/// one those that the run changed, and about a dozen others.
fn cells_to_look_at(before: Option<&[u8]>, after: &[u8], cell: u64, spread: u64) -> Vec<u64> {
    const FEW: u64 = 12;
    let count = after.len() as u64 / cell;
    let step = (count / FEW).max(1);
    let changed = |at: usize| match before {
        Some(before) => before[at..at + cell as usize] != after[at..at + cell as usize],
        None => true,
    };
    let looked = |index: &u64| index % step == spread % step || changed((index * cell) as usize);
    (0..count).filter(looked).map(|index| index * cell).collect()
}

/// Entry states on which terms and interpreter need not agree, and why.
pub fn excluded(ran: &Ran) -> Option<&'static str> {
    match &ran.end {
        End::Trapped { trap: Trap::OutOfBounds | Trap::UseAfterFree, .. } => {
            Some("out of bounds of an entry object, which is assumed large enough")
        }
        End::OutOfSteps | End::Stopped(_) | End::LeftThrough { .. } => {
            Some("the interpreter stopped")
        }
        End::Trapped { trap: Trap::BadFree, .. } => Some("free of an entry object"),
        _ if ran.objects.contains(&ObjectEnd::Freed) => Some("free of an entry object"),
        _ if !ran.world.events.is_empty() => Some("external functions"),
        _ => None,
    }
}
