//! Limits that are reached where a test says so.
//!
//! Whatever was proved when a limit is reached must be true (docs/internals/soundness.md, "When a limit is reached"). That a
//! limit is reached at the one moment at which it does harm is rare: on a busy machine, with one budget out of thousands. So a
//! test says at which look at a limit it is reached: the N-th look at the clock, the N-th query, the N-th count of terms.
//! What happens then happens at the same place in every run.
//!
//! Debug builds only: in release builds nothing is counted, and no limit is reached but the real one.
//!
//! ```
//! use verdiff_logic::cut::{Cut, Cutting, Limit, Until};
//! use verdiff_logic::effort::Deadline;
//! # if cfg!(debug_assertions) {
//! let cutting = Cutting::begin(Some(Cut { limit: Limit::Time, at: 1, until: Until::Looks(2) }));
//! let looks: Vec<bool> = (0..4).map(|_| Deadline::has_passed()).collect();
//! assert_eq!(looks, [false, true, true, false]);
//! assert_eq!(cutting.looks(Limit::Time), 4);
//! # }
//! ```

use std::cell::RefCell;

/// A limit that work may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The clock, or counted effort: [`Deadline::has_passed`](crate::effort::Deadline::has_passed). While it is over, no query is
    /// decided either.
    Time,
    /// What z3 may take for one query.
    Query,
    /// How many terms an execution may make.
    Terms,
}

/// For how long it stays reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// For so many looks: the budget of one attempt is over, and that of the next is not.
    Looks(u64),
    /// Until the deadline that holds when it is reached gives way to an outer one: the share of one engine is over.
    ShareEnds,
    /// From then on.
    Forever,
}

/// Where a limit is reached, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Which one.
    pub limit: Limit,
    /// After how many looks at it.
    pub at: u64,
    /// For how long.
    pub until: Until,
}

/// For as long as it lives, looks of this thread are counted, and a limit is reached where the cut says.
pub struct Cutting {
    before: Option<CutState>,
}

#[derive(Clone, Copy, Default)]
struct CutState {
    cut: Option<Cut>,
    looks: [u64; 3],
    /// How many deadlines of this thread are alive.
    deadlines: usize,
    /// How many were when the limit was reached; `None` before that, and after it is over.
    reached: Option<usize>,
    over: bool,
}

thread_local! {
    static STATE: RefCell<Option<CutState>> = const { RefCell::new(None) };
}

impl Cutting {
    /// Begins. Without a cut, looks are counted and nothing else.
    pub fn begin(cut: Option<Cut>) -> Cutting {
        let state = CutState { cut, ..CutState::default() };
        Cutting { before: STATE.with(|now| now.replace(Some(state))) }
    }

    /// How often this limit was looked at.
    pub fn looks(&self, limit: Limit) -> u64 {
        STATE.with(|now| now.borrow().map_or(0, |state| state.looks[limit as usize]))
    }
}

impl Drop for Cutting {
    fn drop(&mut self) {
        STATE.with(|now| now.replace(self.before));
    }
}

/// Looks at a limit: whether a test says that it is reached.
pub fn is_reached(limit: Limit) -> bool {
    cfg!(debug_assertions)
        && STATE.with(|now| now.borrow_mut().as_mut().is_some_and(|state| state.look(limit)))
}

/// A deadline of this thread begins, or gives way to an outer one.
pub(crate) fn note_deadline(begins: bool) {
    if !cfg!(debug_assertions) {
        return;
    }
    STATE.with(|now| {
        let mut now = now.borrow_mut();
        let Some(state) = now.as_mut() else { return };
        match begins {
            true => state.deadlines += 1,
            false => state.deadlines = state.deadlines.saturating_sub(1),
        }
        let shared = state.cut.is_some_and(|cut| cut.until == Until::ShareEnds);
        if shared && state.reached.is_some_and(|at| state.deadlines < at) {
            (state.reached, state.over) = (None, true);
        }
    });
}

impl CutState {
    fn look(&mut self, limit: Limit) -> bool {
        let number = self.looks[limit as usize];
        self.looks[limit as usize] += 1;
        let Some(cut) = self.cut else { return false };
        if cut.limit == Limit::Time && limit == Limit::Query {
            return self.reached.is_some();
        }
        if cut.limit != limit || self.over {
            return false;
        }
        if number >= cut.at {
            self.reached.get_or_insert(self.deadlines);
        }
        if let Until::Looks(looks) = cut.until
            && number >= cut.at.saturating_add(looks)
        {
            (self.reached, self.over) = (None, true);
        }
        self.reached.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effort::Deadline;
    use std::time::{Duration, Instant};

    #[test]
    fn a_share_that_is_over_gives_way_to_the_rest() {
        let cut = Cut { limit: Limit::Time, at: 1, until: Until::ShareEnds };
        let _cutting = Cutting::begin(Some(cut));
        let far = Instant::now() + Duration::from_secs(3600);
        let job = Deadline::begin(far);
        let share = Deadline::begin(far);
        assert!(!Deadline::has_passed());
        assert!(Deadline::has_passed() && Deadline::has_passed());
        assert!(is_reached(Limit::Query), "no query is decided meanwhile");
        drop(share);
        assert!(!Deadline::has_passed() && !is_reached(Limit::Query));
        assert!(job.was_noticed(), "the result is marked as one that depends on the clock");
    }

    #[test]
    fn nothing_is_reached_where_nobody_says_so() {
        assert!(!is_reached(Limit::Query));
        let cutting = Cutting::begin(None);
        assert!(!is_reached(Limit::Terms) && !is_reached(Limit::Terms));
        assert_eq!(cutting.looks(Limit::Terms), 2);
        drop(cutting);
        let forever =
            Cutting::begin(Some(Cut { limit: Limit::Query, at: 0, until: Until::Forever }));
        assert!(is_reached(Limit::Query) && is_reached(Limit::Query) && !is_reached(Limit::Time));
        drop(forever);
        assert!(!is_reached(Limit::Query));
    }
}
