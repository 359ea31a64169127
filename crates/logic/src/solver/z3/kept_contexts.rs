//! Empty contexts that wait for their next use.
//!
//! To make and delete a context takes z3 one to seven milliseconds, as much as many small queries together, and a pair
//! of functions needs dozens of contexts one after the other. So a context whose terms were all released is kept for
//! the next translation of the same thread.
//!
//! The search of z3 depends on the numbers that it gives to terms, and those of a used context are others than those of
//! a new one. The answers are as right as before, but which queries are decided within a limit may depend on what was
//! asked earlier. So contexts are kept only within a job ([`KeptContexts`]), and a result depends on nothing but its
//! job.
//!
//! Solvers are not kept. A solver whose assertions were all taken back would save half a millisecond for each query
//! stack, but what it then decides depends on what other threads of the process do: `obligations` of the tests of
//! `engines` proved one pair more beside other tests than alone, each time, and the same with new solvers.

use std::cell::RefCell;

use super::ffi;

/// A context that held more references than this is deleted: z3 does not return the memory of its tables.
pub(super) const MAX_REFERENCES: usize = 20_000;

/// Contexts that are kept at most.
const MAX_SPARE: usize = 4;

/// A context without terms, and how many of its resource units were counted.
struct Spare {
    context: ffi::Context,
    counted: u64,
}

impl Drop for Spare {
    fn drop(&mut self) {
        // SAFETY: whoever puts a context here, or takes it from here, holds it alone.
        unsafe { ffi::Z3_del_context(self.context) };
    }
}

thread_local! {
    /// The spare contexts of this thread, if any are kept.
    static SPARE: RefCell<Option<Vec<Spare>>> = const { RefCell::new(None) };
}

/// Contexts of this thread are kept for further use while this lives ([`super::Z3::keep_contexts`]).
#[must_use]
pub struct KeptContexts {
    /// Whether this is the outermost one of the thread, which deletes them.
    outermost: bool,
}

impl KeptContexts {
    pub(super) fn begin() -> KeptContexts {
        let outermost = SPARE.with_borrow_mut(|all| {
            let first = all.is_none();
            all.get_or_insert_default();
            first
        });
        KeptContexts { outermost }
    }
}

impl Drop for KeptContexts {
    fn drop(&mut self) {
        if self.outermost {
            let _ = SPARE.try_with(RefCell::take);
        }
    }
}

/// A context without terms, if there is one, and how many of its resource units were counted.
pub(super) fn take() -> Option<(ffi::Context, u64)> {
    // A thread that ends has no spare contexts any more.
    let spare = SPARE.try_with(|all| all.borrow_mut().as_mut()?.pop()).ok().flatten()?;
    let taken = (spare.context, spare.counted);
    std::mem::forget(spare);
    Some(taken)
}

/// Keeps a context that has no terms and no solvers any more, or deletes it.
pub(super) fn put(context: ffi::Context, counted: u64, reusable: bool) {
    let spare = Spare { context, counted };
    if !reusable {
        return;
    }
    // Dropped, and so deleted, where none are kept, there is no room, or the thread ends.
    let _ = SPARE.try_with(|all| {
        if let Some(all) = all.borrow_mut().as_mut()
            && all.len() < MAX_SPARE
        {
            all.push(spare);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::context::Translation;
    use super::*;

    #[test]
    fn a_context_is_used_again_unless_it_was_interrupted_or_the_job_ends() {
        drop(Translation::new());
        assert!(take().is_none(), "outside of a job nothing is kept");
        let job = KeptContexts::begin();
        let first = Translation::new();
        let context = first.context;
        drop(first);
        let mut second = Translation::new();
        assert_eq!(second.context, context);
        second.counted = 7;
        drop(second);
        drop(KeptContexts::begin());
        let mut third = Translation::new();
        assert_eq!((third.context, third.counted), (context, 7));
        third.intact = false;
        drop(third);
        assert!(take().is_none(), "an interrupted context is deleted");
        drop(Translation::new());
        drop(job);
        assert!(take().is_none(), "nothing is left of the last job");
    }
}
