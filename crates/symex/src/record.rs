//! What an execution writes down on the way, for whoever asked for it.
//!
//! Nothing is recorded unless somebody holds the [`Log`] for it, and a log is only to be had by switching the recording on: "nothing
//! was recorded" and "there was nothing to record" cannot be mixed up.

use crate::memory::MemoryId;
use crate::space::Space;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use verdiff_logic::TermId;
use verdiff_model::Side;

/// Records of one kind, in the order in which they were made. Copies are the same log.
#[derive(Clone, Debug)]
pub struct Log<T>(Rc<RefCell<Vec<T>>>);

impl<T> Log<T> {
    pub(crate) fn new() -> Log<T> {
        Log(Rc::new(RefCell::new(vec![])))
    }

    pub(crate) fn push(&self, record: T) {
        self.0.borrow_mut().push(record);
    }

    /// The records so far; the log is empty then.
    pub fn take(&self) -> Vec<T> {
        self.0.take()
    }
}

impl<T> Log<T> {
    /// How many records there are.
    pub fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Forgets all but the first records.
    pub fn forget_after(&self, count: usize) {
        self.0.borrow_mut().truncate(count);
    }
}

impl<T: Clone> Log<T> {
    /// The records so far.
    pub fn records(&self) -> Vec<T> {
        self.0.borrow().clone()
    }
}

/// A call of an abstracted callee whose outcome is the function's.
#[derive(Clone, Debug)]
pub struct CallRecord {
    /// Which version makes it.
    pub side: Side,
    /// The name of the abstraction.
    pub name: String,
    /// When it is made, exactly: how execution comes there, and that no exit before was taken.
    pub when: TermId,
    /// All that the function depends on.
    pub inputs: Vec<TermId>,
    /// How it ends, zero if it returns; nothing if it always does.
    pub how: Option<TermId>,
    /// The results, if it returns.
    pub results: Vec<TermId>,
    /// The arguments among the inputs.
    pub args: Vec<TermId>,
    /// Whether each of them is initialised.
    pub flags: Vec<TermId>,
    /// The inputs that are no arguments.
    pub rest: Vec<TermId>,
    /// The memory of each region when it is made.
    pub memory: Vec<MemoryId>,
    /// All outputs, by name: how it ends, results, memory, the world, the allocations and what is dead.
    pub outputs: BTreeMap<String, TermId>,
}

/// A pointer that was loaded.
#[derive(Clone, Copy, Debug)]
pub struct PointerLoad {
    /// When it is loaded, exactly.
    pub when: TermId,
    /// The pointer.
    pub pointer: TermId,
}

/// An access to memory that did not trap.
#[derive(Clone, Copy, Debug)]
pub struct AccessRecord {
    /// When it is made, exactly.
    pub when: TermId,
    /// Where.
    pub address: TermId,
    /// How many bytes.
    pub bytes: u64,
}

impl Space {
    /// From now on merged execution records the accesses to memory that do not trap, except those of no bytes.
    pub fn record_accesses(&mut self) -> Log<AccessRecord> {
        self.accesses.insert(Log::new()).clone()
    }

    /// From now on merged execution records the calls of abstracted callees.
    pub fn record_calls(&mut self) -> Log<CallRecord> {
        self.calls.insert(Log::new()).clone()
    }

    /// From now on it is recorded of each call of an abstracted callee that is common to both versions in part only, that
    /// it is one of the common ones if it is made.
    pub fn record_common_calls(&mut self) -> Log<TermId> {
        self.common_calls.insert(Log::new()).clone()
    }

    /// From now on merged execution records the pointers that are loaded.
    pub fn record_loads(&mut self) -> Log<PointerLoad> {
        self.loads.insert(Log::new()).clone()
    }
}
