//! The concrete interpreter: runs a procedure of a [`Program`] from an [`EntryState`] and
//! says how it ended.
//!
//! It is the reference for what a program means here: memory is byte-exact, with bounds,
//! liveness and initialisation, everything that can trap traps, and a run depends on nothing but
//! program, entry state and limits. It is also what testing calls millions of times, so a
//! procedure is compiled to register code when it is first needed (`code.rs`), and what
//! one run costs before its first statement depends on the entry state, not on the
//! size of the program.
//!
//! ```
//! # use verdiff_model::*;
//! # use verdiff_model::interp::{Limits, Machine};
//! # use verdiff_model::state::{EntryState, End, Value};
//! # let program = verdiff_model::build::example_double();
//! let mut machine = Machine::new(&program);
//! let entry = EntryState { args: vec![Value::Bits(21)], ..EntryState::default() };
//! let outcome = machine.run(ProcId(0), &entry, &Limits::default());
//! let End::Returned(results) = outcome.end else { panic!("it returns") };
//! assert_eq!(results[0].value, Some(Value::Bits(42)));
//! ```
//!
//! Architecture invariant: nothing here knows that there are two versions; that two
//! outcomes are compared is [`state`](crate::state)'s business.

mod access;
mod call;
mod code;
mod compile;
mod compile_expr;
mod exec;
mod finish;
mod jumps;
mod libc;
mod loop_exit;
mod memory;
mod readers;
mod rewrite;
mod start;
mod unknown;
mod world;

use crate::expr::BinaryOp;
use crate::ids::{BlockId, ProcId};
use crate::program::{External, Program};
use crate::state::{EntryState, Outcome};
use exec::{Exec, RunState, Shared};
pub use jumps::{RETURN_TWICE, goes_back, returns_twice};

/// How far a run may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many statements, the ends of blocks included. They are counted a block at a time;
    /// 64 bytes that are copied, filled or looked at by a library function count as one.
    pub steps: u64,
    /// How many procedures may be active at once.
    pub depth: u32,
    /// How many bytes the objects that are alive may have together, globals excepted.
    pub memory: u64,
    /// How many objects the run may make.
    pub objects: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 10_000_000, depth: 10_000, memory: 256 << 20, objects: 1 << 24 }
    }
}

/// Whether the interpreter does exactly what the external does, instead of making up what it might do.
pub fn is_emulated(external: &External) -> bool {
    libc::Builtin::find(external).is_some()
}

/// The names of the library functions that are emulated where they are declared as the
/// library has them; some more than once.
pub fn emulated_names() -> impl Iterator<Item = &'static str> {
    libc::Builtin::names()
}

/// Watches a run. Every method does nothing unless it is overridden, and is compiled away then.
///
/// Branches are not reported by themselves: the one taken is the pair of blocks entered one after
/// the other in a procedure, and [`call`](Observer::call) and [`leave`](Observer::leave) tell
/// which procedure runs.
pub trait Observer {
    /// A block was entered.
    #[inline]
    fn block(&mut self, procedure: ProcId, block: BlockId) {
        let _ = (procedure, block);
    }

    /// Two integers or addresses are compared. `site` tells the comparisons of a procedure apart.
    #[inline]
    fn compare(&mut self, procedure: ProcId, site: u32, op: BinaryOp, lhs: u64, rhs: u64) {
        let _ = (procedure, site, op, lhs, rhs);
    }

    /// A switch chooses by `value`.
    #[inline]
    fn switch(&mut self, procedure: ProcId, site: u32, value: u128) {
        let _ = (procedure, site, value);
    }

    /// A branch is about to be taken, or not. What is given back is done: whoever gives back something else than `taken` sees a run
    /// that no entry state has.
    #[inline]
    fn decide(&mut self, taken: bool) -> bool {
        taken
    }

    /// A switch is about to go on at an instruction. What is given back is where it goes on.
    #[inline]
    fn choose(&mut self, target: u32) -> u32 {
        target
    }

    /// Whether [`arguments`](Observer::arguments) and [`results`](Observer::results) are wanted.
    const ARGUMENTS: bool = false;

    /// A procedure begins with these arguments; `None` is one without a value.
    #[inline]
    fn arguments(&mut self, procedure: ProcId, arguments: &[Option<u128>]) {
        let _ = (procedure, arguments);
    }

    /// The hash of the world ([`World`](crate::state::World)) when a procedure is called; told before its arguments.
    #[inline]
    fn world(&mut self, hash: u64) {
        let _ = hash;
    }

    /// A procedure returns these; only if [`ARGUMENTS`](Observer::ARGUMENTS) are wanted.
    #[inline]
    fn results(&mut self, procedure: ProcId, results: &[Option<u128>]) {
        let _ = (procedure, results);
    }

    /// Whether [`stored`](Observer::stored) is wanted.
    const STORES: bool = false;

    /// A number is stored, and what was there before if that had a value; copies and fills of many bytes are not told.
    #[inline]
    fn stored(&mut self, address: u64, bytes: &[u8], before: Option<&[u8]>) {
        let _ = (address, bytes, before);
    }

    /// A procedure begins.
    #[inline]
    fn call(&mut self, procedure: ProcId) {
        let _ = procedure;
    }

    /// A procedure returns.
    #[inline]
    fn leave(&mut self, procedure: ProcId) {
        let _ = procedure;
    }
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// An interpreter for one program, to be used for many runs.
pub struct Machine<'p> {
    shared: Shared<'p>,
    run: RunState,
}

impl<'p> Machine<'p> {
    /// An interpreter for `program`. Procedures are compiled when they are first called.
    pub fn new(program: &'p Program) -> Machine<'p> {
        Machine { shared: Shared::new(program), run: RunState::new(program) }
    }

    /// The program it runs.
    pub fn program(&self) -> &'p Program {
        self.shared.program
    }

    /// How many bytes each allocation of the last run asked for, in order: those that failed too. Their positions are
    /// the numbers that [`Outside::failures`](crate::state::Outside::failures) has.
    pub fn allocations(&self) -> &[u64] {
        &self.run.requests
    }

    /// Whether the last run read a word that reaches past the end of its object ([`Outside::beyond`](crate::state::Outside::beyond)).
    pub fn read_beyond(&self) -> bool {
        self.run.mem.read_beyond
    }

    /// Runs a procedure. What earlier runs did leaves no trace.
    pub fn run(&mut self, procedure: ProcId, entry: &EntryState, limits: &Limits) -> Outcome {
        self.run_observed(procedure, entry, limits, &mut NoObserver)
    }

    /// Runs a procedure and lets `observer` watch.
    pub fn run_observed<O: Observer>(
        &mut self,
        procedure: ProcId,
        entry: &EntryState,
        limits: &Limits,
        observer: &mut O,
    ) -> Outcome {
        let mut exec = Exec { shared: &self.shared, run: &mut self.run, observer, limits: *limits };
        let ended = exec.start(procedure, entry).and_then(|()| exec.execute(0));
        exec.finish(ended)
    }
}
