//! Whether a compiled run did what the interpreter says.
//!
//! What is compared, and what cannot be:
//! - results and the final bytes of entry objects and globals, byte for byte. Pointers to entry
//!   objects are equal bit for bit; those to globals and functions are translated; those to what the
//!   run made are followed to the heap block, whose contents are compared too (locals are dead by then).
//!   Bytes that have no value for the interpreter may be anything.
//! - NaNs: the model has one for each format, the hardware many. Results are compared by type; in memory, where
//!   no types are, a word that differs counts as equal if the model has its NaN there, of a format
//!   that fits, and the compiled program any.
//! - traps: those that the hardware shows, by the signal. The others are left to a program built with
//!   sanitizers ([`confirm`]), where any report counts: sanitizers see the same error at another
//!   place or under another name.
//! - what an unknown external function does is made up by the interpreter; the compiled run
//!   ends there, and only which one was called first is compared.

use crate::compiled::{Addresses, CompiledEnd, CompiledOutcome};
use std::collections::BTreeMap;
use verdiff_model::state::{
    Contents, End, EntryState, Event, Link, ObjectEnd, Outcome, Pointer, PointerTarget, StopReason,
    Value, layout,
};
use verdiff_model::{
    Address, ExternalKind, FloatKind, Frame, GlobalId, Program, Trap, Type, interp, ops,
};

/// What came of comparing two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They did the same.
    Agree,
    /// They did not.
    Disagree(String),
    /// They cannot be compared.
    Skipped(Skip),
}

/// Why two runs cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Skip {
    /// The interpreter ran out of steps.
    OutOfSteps,
    /// The compiled run took too long.
    TimedOut,
    /// The interpreter reached a limit of depth or memory, or the driver's heap was full.
    Limit,
    /// A procedure that is not supported was called.
    Unsupported,
    /// An external function whose effect is unknown was called; both called the same.
    External,
    /// An operation that the model leaves open (inline assembly, an intrinsic) may have been executed.
    Operation,
    /// It trapped in a way that plain hardware does not show, and no sanitizer was asked.
    HiddenTrap,
    /// It trapped so, and no sanitizer reported anything.
    Unconfirmed,
    /// It depends on where globals, locals or the heap lie.
    Addresses,
    /// The driver could not set the state up.
    Refused,
}

impl Skip {
    /// In a few words.
    pub fn reason(self) -> &'static str {
        match self {
            Skip::OutOfSteps => "steps",
            Skip::TimedOut => "time",
            Skip::Limit => "limit",
            Skip::Unsupported => "unsupported",
            Skip::External => "external",
            Skip::Operation => "operation",
            Skip::HiddenTrap => "hidden trap",
            Skip::Unconfirmed => "unconfirmed trap",
            Skip::Addresses => "addresses",
            Skip::Refused => "refused",
        }
    }
}

/// A run of the interpreter.
#[derive(Clone, Copy)]
pub struct Modelled<'a> {
    /// The program.
    pub program: &'a Program,
    /// For each external, whether the compiled program has it for real.
    pub real: &'a [bool],
    /// Where the run started.
    pub entry: &'a EntryState,
    /// How it ended.
    pub outcome: &'a Outcome,
}

impl Modelled<'_> {
    /// Why there is no use in running the compiled program, if there is none.
    pub fn without_compiled(&self) -> Option<Skip> {
        match &self.outcome.end {
            End::OutOfSteps => Some(Skip::OutOfSteps),
            End::Stopped(StopReason::Unsupported(_)) => Some(Skip::Unsupported),
            End::Stopped(StopReason::BadEntry(_)) => Some(Skip::Refused),
            End::Stopped(StopReason::NotEmulated(_)) => Some(Skip::External),
            End::Stopped(_) => Some(Skip::Limit),
            End::Trapped { trap, .. } if self.first_unknown().is_none() && !is_visible(*trap) => {
                Some(Skip::HiddenTrap)
            }
            _ => None,
        }
    }

    /// Whether interpreter and compiled program both do what the function or operation does.
    fn is_known(&self, name: &str) -> bool {
        let same = |e: &&verdiff_model::External| e.name == name;
        self.program.externals.iter().zip(self.real).filter(|(e, _)| same(e)).all(|(e, real)| {
            match e.kind {
                ExternalKind::Function => *real && interp::is_emulated(e),
                // An empty text is a barrier for the optimiser; it does nothing.
                ExternalKind::Assembly => name.trim().is_empty(),
                ExternalKind::PureIntrinsic => false,
            }
        })
    }

    /// The first call whose effect the interpreter made up.
    fn first_unknown(&self) -> Option<&str> {
        self.outcome.world.events.iter().find_map(|event| match event {
            Event::Call { name, .. } if !self.is_known(name) => Some(name.as_str()),
            _ => None,
        })
    }
}

/// Whether plain hardware, or the driver's heap, shows the trap.
fn is_visible(trap: Trap) -> bool {
    matches!(
        trap,
        Trap::DivisionByZero
            | Trap::DivisionOverflow
            | Trap::NullAccess
            | Trap::Abort
            | Trap::AssertFailed
            | Trap::TrapInstruction
            | Trap::BadFree
    )
}

/// Compares a run of the interpreter with one of the compiled program, built plainly.
pub fn compare(
    modelled: Modelled<'_>,
    frame: &Frame,
    addresses: &Addresses,
    compiled: &CompiledOutcome,
) -> Verdict {
    if let Some(skip) = modelled.without_compiled() {
        return Verdict::Skipped(skip);
    }
    match &compiled.end {
        CompiledEnd::TimedOut => return Verdict::Skipped(Skip::TimedOut),
        CompiledEnd::OutOfHeap => return Verdict::Skipped(Skip::Limit),
        CompiledEnd::Refused(_) => return Verdict::Skipped(Skip::Refused),
        _ => {}
    }
    let ended = || {
        let end = match &modelled.outcome.end {
            End::Trapped { trap, procedure, loc } => format!(
                "trapped: {trap} in {} line {}",
                modelled.program.procedure(*procedure).name,
                loc.line
            ),
            other => format!("{other:?}"),
        };
        Verdict::Disagree(format!("the interpreter {end}, the compiled run {:?}", compiled.end))
    };
    let left_through = |name: &str| match &compiled.end {
        CompiledEnd::LeftThrough(id) => {
            modelled.program.externals.get(id.index()).is_some_and(|e| e.name == name)
        }
        _ => false,
    };
    if let Some(name) = modelled.first_unknown() {
        let kind = modelled.program.externals.iter().find(|e| e.name == name).map(|e| e.kind);
        return match kind {
            // An operation does not leave the compiled program; what it gave is unknown.
            Some(ExternalKind::Assembly | ExternalKind::PureIntrinsic) => {
                Verdict::Skipped(Skip::Operation)
            }
            _ if left_through(name) => Verdict::Skipped(Skip::External),
            _ => match ended() {
                Verdict::Disagree(text) => {
                    Verdict::Disagree(format!("{text} (first unknown call: {name})"))
                }
                other => other,
            },
        };
    }
    // The interpreter emulates output functions and traps on what they may not read (`write` from
    // null); the compiled program left before the system could answer. Nothing to compare.
    if let (CompiledEnd::LeftThrough(id), End::Trapped { .. }) =
        (&compiled.end, &modelled.outcome.end)
        && let Some(external) = modelled.program.externals.get(id.index())
        && verdiff_model::interp::is_emulated(external)
    {
        return Verdict::Skipped(Skip::External);
    }
    let signal = |numbers: &[i32]| matches!(&compiled.end, CompiledEnd::Signal { number, .. } if numbers.contains(number));
    let same_end = match &modelled.outcome.end {
        End::Returned(_) => compiled.end == CompiledEnd::Returned,
        End::Exited(status) => compiled.end == CompiledEnd::Exited(*status),
        End::LeftThrough(name) => left_through(name),
        End::Trapped { trap, .. } => match trap {
            Trap::DivisionByZero | Trap::DivisionOverflow => signal(&[SIGFPE]),
            Trap::NullAccess => signal(&[SIGSEGV]),
            Trap::Abort => compiled.end == CompiledEnd::Aborted || signal(&[SIGABRT]),
            Trap::AssertFailed => compiled.end == CompiledEnd::AssertFailed,
            Trap::TrapInstruction => signal(&[SIGILL, SIGTRAP]),
            Trap::BadFree => compiled.end == CompiledEnd::BadFree,
            _ => true,
        },
        End::OutOfSteps | End::Stopped(_) => true,
    };
    if !same_end {
        return ended();
    }
    let End::Returned(values) = &modelled.outcome.end else { return Verdict::Agree };
    let mut comparison = Comparison { modelled, addresses, compiled, made: BTreeMap::new() };
    for (index, ((ty, offset), value)) in frame.results.iter().zip(values).enumerate() {
        let actual = bits_at(&compiled.results, *offset, *ty);
        if let Err(problem) = comparison.value(*ty, value.value, actual) {
            return problem.verdict(&format!("result {index}"));
        }
    }
    match comparison.memory() {
        Ok(()) => Verdict::Agree,
        Err((place, problem)) => problem.verdict(&place),
    }
}

/// Compares a trap with what the program built with a sanitizer did: `None` if it said nothing.
pub fn confirm(compiled: &CompiledOutcome) -> Option<Verdict> {
    match &compiled.end {
        CompiledEnd::Reported(_) | CompiledEnd::Signal { .. } | CompiledEnd::BadFree => {
            Some(Verdict::Agree)
        }
        CompiledEnd::TimedOut => Some(Verdict::Skipped(Skip::TimedOut)),
        CompiledEnd::Refused(_) | CompiledEnd::Died => Some(Verdict::Skipped(Skip::Refused)),
        _ => None,
    }
}

const SIGILL: i32 = 4;
const SIGTRAP: i32 = 5;
const SIGABRT: i32 = 6;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;

/// How two values differ.
enum Problem {
    Differs(String),
    Addresses,
}

impl Problem {
    fn verdict(self, place: &str) -> Verdict {
        match self {
            Problem::Differs(how) => Verdict::Disagree(format!("{place}: {how}")),
            Problem::Addresses => Verdict::Skipped(Skip::Addresses),
        }
    }
}

struct Comparison<'a> {
    modelled: Modelled<'a>,
    addresses: &'a Addresses,
    compiled: &'a CompiledOutcome,
    /// Where the compiled run has what the interpreter's run made.
    made: BTreeMap<u32, u64>,
}

impl Comparison<'_> {
    fn value(&mut self, ty: Type, expected: Option<Value>, actual: u128) -> Result<(), Problem> {
        match expected {
            // A variable that never got a value.
            None => Ok(()),
            Some(Value::Bits(bits)) if ops::same_value(ty, bits, actual) => Ok(()),
            // Floats that the ABI returns as another type.
            Some(Value::Bits(bits))
                if {
                    let (a, b) = (bits.to_le_bytes(), actual.to_le_bytes());
                    (0..ty.bytes() as usize).all(|at| a[at] == b[at] || both_nan(&a, &b, at))
                } =>
            {
                Ok(())
            }
            Some(Value::Bits(bits)) if ty == Type::WORD && is_internal(bits as u64) => {
                Err(Problem::Addresses)
            }
            Some(Value::Bits(bits)) => {
                Err(Problem::Differs(format!("{bits:#x} and compiled {actual:#x}")))
            }
            Some(Value::Pointer(to)) => self.pointer(to, actual as u64),
        }
    }

    fn pointer(&mut self, to: Pointer, actual: u64) -> Result<(), Problem> {
        if let PointerTarget::Fresh(number) = to.target {
            let base = actual.wrapping_sub(to.offset as u64);
            return match self.made.insert(number, base) {
                _ if actual == 0 => Err(Problem::Differs("a new object and compiled null".into())),
                Some(other) if other != base && self.is_alive(number) => {
                    Err(Problem::Differs("one new object and compiled two".into()))
                }
                _ => Ok(()),
            };
        }
        // The interpreter takes a number for a pointer if it is what it has as an address. If the
        // compiled run has that very number, it never was a pointer.
        if actual == own_address(to) {
            return Ok(());
        }
        match self.addresses.of(to, self.modelled.entry) {
            Some(expected) if expected == actual => Ok(()),
            Some(expected) => {
                Err(Problem::Differs(format!("{to:?} ({expected:#x}) and compiled {actual:#x}")))
            }
            // Not in the tables (thread-local): all that is known is that it is something.
            None if actual != 0 => Ok(()),
            None => Err(Problem::Differs(format!("{to:?} and compiled null"))),
        }
    }

    fn is_alive(&self, number: u32) -> bool {
        let object = self.modelled.outcome.fresh.get(number as usize);
        object.is_some_and(|object| object.contents.is_some())
    }

    fn memory(&mut self) -> Result<(), (String, Problem)> {
        let Modelled { program, entry, outcome, .. } = self.modelled;
        for (index, end) in outcome.objects.iter().enumerate() {
            let Some(actual) = self.compiled.objects.get(index) else { continue };
            let place = || format!("object {index}");
            let contents = match end {
                ObjectEnd::Freed if actual.freed => continue,
                ObjectEnd::Freed => {
                    return Err((
                        place(),
                        Problem::Differs("freed by the interpreter alone".into()),
                    ));
                }
                _ if actual.freed => {
                    return Err((place(), Problem::Differs("freed by compiled code alone".into())));
                }
                ObjectEnd::Untouched => &entry.objects[index].contents,
                ObjectEnd::Written(contents) => contents,
            };
            self.contents(contents, &actual.bytes).map_err(|problem| (place(), problem))?;
        }
        let mut ids: Vec<GlobalId> = outcome.globals.iter().map(|(id, _)| *id).collect();
        ids.extend(self.compiled.globals.iter().map(|(id, _)| *id));
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let global = program.global(id);
            if global.thread_local || self.addresses.globals.get(id.index()) == Some(&0) {
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
            self.contents(&expected, &actual)
                .map_err(|problem| (format!("global {}", global.name), problem))?;
        }
        self.heap()
    }

    /// Compares what the run made, as far as it was reached.
    fn heap(&mut self) -> Result<(), (String, Problem)> {
        let mut done = 0;
        // Following one object may lead to others, with any number.
        let mut seen = vec![false; self.modelled.outcome.fresh.len()];
        while let Some((number, base)) = self
            .made
            .iter()
            .map(|(n, b)| (*n, *b))
            .find(|(n, _)| seen.get(*n as usize) == Some(&false))
        {
            seen[number as usize] = true;
            done += 1;
            if done > 1000 {
                break;
            }
            let object = &self.modelled.outcome.fresh[number as usize];
            let block = self.compiled.heap.iter().find(|(address, _)| *address == base);
            let (Some(contents), Some((_, bytes))) = (&object.contents, block) else { continue };
            let place = || format!("new object {number}");
            if contents.bytes.len() != bytes.len() {
                let sizes = format!("{} bytes and compiled {}", contents.bytes.len(), bytes.len());
                return Err((place(), Problem::Differs(sizes)));
            }
            self.contents(contents, bytes).map_err(|problem| (place(), problem))?;
        }
        Ok(())
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

    fn contents(&mut self, expected: &Contents, actual: &[u8]) -> Result<(), Problem> {
        let image = self.image(expected);
        if image == actual && expected.unset.is_empty() {
            return Ok(());
        }
        let mut compared = vec![true; image.len()];
        for range in &expected.unset {
            compared[range.start as usize..range.end as usize].fill(false);
        }
        for link in &expected.pointers {
            let at = link.offset as usize;
            let mut word = [0; 8];
            let all_set = compared[at..at + 8].iter().all(|c| *c);
            compared[at..at + 8].fill(false);
            if let (true, Some(bytes)) = (all_set, actual.get(at..at + 8)) {
                word.copy_from_slice(bytes);
                self.pointer(link.to, u64::from_le_bytes(word)).map_err(
                    |problem| match problem {
                        Problem::Differs(how) => {
                            Problem::Differs(format!("pointer at byte {at}: {how}"))
                        }
                        other => other,
                    },
                )?;
            }
        }
        for at in 0..image.len() {
            let same = actual.get(at) == Some(&image[at]) || !compared[at];
            if !same && !both_nan(&image, actual, at) {
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
        }
        Ok(())
    }
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

fn bits_at(bytes: &[u8], offset: u64, ty: Type) -> u128 {
    let mut word = [0; 16];
    let at = offset as usize;
    if let Some(bytes) = bytes.get(at..at + ty.bytes() as usize) {
        word[..bytes.len()].copy_from_slice(bytes);
    }
    u128::from_le_bytes(word) & ty.mask()
}

/// What a global's initialiser says.
pub(crate) fn initial_contents(program: &Program, id: GlobalId) -> Contents {
    let global = program.global(id);
    let mut contents = Contents::default();
    if let Some(init) = &global.init {
        contents.bytes.extend_from_slice(&init.bytes);
        contents.pointers.extend(init.relocations.iter().filter_map(|r| {
            let target = match r.target {
                Address::Global(g) => PointerTarget::Global(g),
                Address::Procedure(p) => PointerTarget::Procedure(p),
                Address::External(e) => PointerTarget::External(e),
                Address::Local(_) => return None,
            };
            Some(Link { offset: r.offset, to: Pointer { target, offset: r.addend } })
        }));
    }
    contents.bytes.resize(global.size as usize, 0);
    contents
}
