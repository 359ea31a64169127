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
//! - what is printed, as bytes to streams.
//! - what an unknown external function does is made up by the interpreter; without a script the compiled run
//!   ends there, and only which one was called first is compared. With one the function answers as
//!   the interpreter did, and arguments are compared too.

mod events;
mod memory;
mod observed_outcome;

use crate::compiled::{Addresses, CompiledEnd, CompiledOutcome};
use crate::padding;
use memory::{MemoryComparison, bits_at};
use std::collections::BTreeMap;
use verdiff_judge::Disagreement;
use verdiff_model::state::{End, EntryState, Event, Outcome, Returned, StopReason, Value, World};
use verdiff_model::{ExternalKind, Frame, ProcId, Program, Trap, interp};

pub(crate) use events::{PRINTED, further_types};
pub(crate) use observed_outcome::{ObservedOutcome, ObservedSide, observed_difference};

/// What came of comparing two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They did the same.
    Agree,
    /// They did not.
    Disagree(Disagreement),
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
    /// What was called.
    pub procedure: ProcId,
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
    pub(crate) fn is_known(&self, name: &str) -> bool {
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
pub(crate) fn is_visible(trap: Trap) -> bool {
    matches!(
        trap,
        Trap::DivisionByZero
            | Trap::DivisionOverflow
            | Trap::NullAccess
            | Trap::Abort
            | Trap::AssertFailed
            | Trap::TrapInstruction
            | Trap::SignedOverflow
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
        format!("the interpreter {end}, the compiled run {:?}", compiled.end)
    };
    let disagree = |text: String| Verdict::Disagree(Disagreement::Detail(text));
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
            _ => disagree(format!("{} (first unknown call: {name})", ended())),
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
    if !same_end(&modelled, compiled) {
        return disagree(ended());
    }
    match agreed(modelled, frame, &[], addresses, compiled) {
        Ok(_) => Verdict::Agree,
        Err(verdict) => verdict,
    }
}

/// Whether the compiled run ended as the interpreter's did; what no hardware shows is let pass.
pub(crate) fn same_end(modelled: &Modelled<'_>, compiled: &CompiledOutcome) -> bool {
    let signal = |numbers: &[i32]| matches!(&compiled.end, CompiledEnd::Signal { number, .. } if numbers.contains(number));
    match &modelled.outcome.end {
        End::Returned(_) => compiled.end == CompiledEnd::Returned,
        End::Exited(status) => compiled.end == CompiledEnd::Exited(*status),
        End::LeftThrough(name) => match &compiled.end {
            CompiledEnd::LeftThrough(id) => {
                modelled.program.externals.get(id.index()).is_some_and(|e| e.name == *name)
            }
            _ => false,
        },
        End::Trapped { trap, .. } => match trap {
            Trap::DivisionByZero => signal(&[SIGFPE]),
            // Where overflow is watched, the check comes before the division.
            Trap::DivisionOverflow => signal(&[SIGFPE, SIGILL]),
            Trap::NullAccess => signal(&[SIGSEGV]),
            Trap::Abort => compiled.end == CompiledEnd::Aborted || signal(&[SIGABRT]),
            Trap::AssertFailed => compiled.end == CompiledEnd::AssertFailed,
            Trap::TrapInstruction | Trap::SignedOverflow => signal(&[SIGILL, SIGTRAP]),
            Trap::BadFree => compiled.end == CompiledEnd::BadFree,
            _ => true,
        },
        End::OutOfSteps | End::Stopped(_) => true,
    }
}

/// Compares two runs that ended alike; gives back the outcome as far as the compiled run was seen to have it.
/// `externals` says where functions that were answered by a script had their arguments.
pub(crate) fn agreed(
    modelled: Modelled<'_>,
    frame: &Frame,
    externals: &[Frame],
    addresses: &Addresses,
    compiled: &CompiledOutcome,
) -> Result<ObservedOutcome, Verdict> {
    let told = |(place, problem): (String, memory::Problem)| problem.verdict(&place);
    let mut comparison = MemoryComparison { modelled, addresses, compiled, made: BTreeMap::new() };
    let seen = comparison.events(externals).map_err(told)?;
    let world = World { count: seen.events.len() as u64, events: seen.events, hash: 0 };
    let mut outcome = Outcome {
        end: modelled.outcome.end.clone(),
        objects: vec![],
        globals: vec![],
        fresh: vec![],
        world,
        steps: 0,
    };
    let mut unseen = vec![];
    if let End::Returned(values) = &modelled.outcome.end {
        let mut returned: Vec<Returned> = vec![];
        let types = frame.results.iter().map(|(ty, _)| *ty);
        let members = padding::result_bits(modelled.program, modelled.procedure, types);
        let expected = frame.results.iter().zip(values).zip(members).enumerate();
        for (index, (((ty, offset), value), members)) in expected {
            let actual = bits_at(&compiled.results, *offset, *ty);
            // What a struct in registers has between its members is whatever the stack held.
            let (expected, actual) = match value.value {
                Some(Value::Bits(bits)) => (Some(Value::Bits(bits & members)), actual & members),
                other => (other, actual),
            };
            let seen = comparison
                .value(*ty, expected, actual)
                .map_err(|problem| problem.verdict(&format!("result {index}")))?;
            returned.push(Returned { ty: value.ty, value: seen });
        }
        outcome.end = End::Returned(returned);
    }
    if modelled.outcome.end.shows_memory(modelled.program) {
        let memory = comparison.memory().map_err(told)?;
        outcome.objects = memory.objects;
        outcome.globals = memory.globals;
        outcome.fresh = memory.fresh;
        unseen = memory.unseen;
    }
    Ok(ObservedOutcome { outcome, made: comparison.made, unsure: seen.unsure, unseen })
}

/// The results of a run that returned, each without what lies between the members of a struct.
pub(crate) fn returned_bits(
    program: &Program,
    procedure: ProcId,
    frame: &Frame,
    compiled: &CompiledOutcome,
) -> Vec<u128> {
    let types = frame.results.iter().map(|(ty, _)| *ty);
    let members = padding::result_bits(program, procedure, types);
    let results = frame.results.iter().zip(members);
    results.map(|((ty, at), members)| bits_at(&compiled.results, *at, *ty) & members).collect()
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

pub(crate) const SIGILL: i32 = 4;
pub(crate) const SIGTRAP: i32 = 5;
pub(crate) const SIGABRT: i32 = 6;
pub(crate) const SIGFPE: i32 = 8;
pub(crate) const SIGSEGV: i32 = 11;
