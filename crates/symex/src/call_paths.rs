//! The paths that a call of an abstracted callee may take (paper 003, section 4: modular symbolic execution).
//!
//! ```text
//! where U(a), if the function is preferred:  F(a)               -- common to both versions, and nobody asks what it is
//! where a path of the callee is taken:       what the path says
//! elsewhere:                                 F(a) where U(a), else the version's own function
//! ```
//!
//! The ways exclude each other and one of them is taken: the paths of one exploration part at branches, and "elsewhere" is where neither those nor
//! the first holds. Only paths of the version itself are used here; those of the other one say no more, as they are explored alike.
//!
//! What the path to the call says of variables (`x == 12`) is put into what the way adds and gives. That is right since R and T are used
//! together: T need be right only where R holds. It is what keeps the path of a caller, of its caller and so on as short as that of
//! the callee.

use crate::abstracted::{Inputs, with_results};
use crate::callee::{Abstraction, UseOfPaths};
use crate::execute::{CallSite, Executor, Stop};
use crate::outcome::{Exit, ExitKind};
use crate::space::Space;
use crate::state::{Path, State};
use std::collections::HashMap;
use std::iter::repeat;
use verdiff_logic::{LogicError, Op, TermId};

/// One path on which a call returns.
pub(crate) struct CallPath {
    /// How the run came there, and when it goes this way.
    pub(crate) path: Path,
    /// The state behind the call, with the results as its variables.
    pub(crate) state: State,
    /// Whether nothing is known of the callee there.
    pub(crate) by_function: bool,
}

impl Executor<'_> {
    /// The ways a call may go that return; the others become exits.
    pub(crate) fn call_paths(
        &mut self,
        view: &Abstraction,
        call: CallSite<'_>,
        state: &State,
        path: &Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Vec<CallPath>, Stop> {
        let CallSite { args, flags, loc, .. } = call;
        let inputs = self.inputs(view, args, flags, state)?;
        let (truth, falsity) = (self.space.pool.truth(), self.space.pool.falsity());
        let (common, side) = (inputs.common, self.side);
        let own = self.space.not(common)?;
        let mut ways = Vec::new();
        let called = Called { view, call, inputs: &inputs, state };
        let mut rest = path.clone();
        // With numbers for arguments a path gives numbers, which is better than a function of them.
        let numbers = !args.is_empty() && args.iter().all(|a| self.space.constant(*a).is_some());
        let prefers_function = view.use_of_paths == UseOfPaths::TakenWhereNotCommon
            && !(numbers && view.reads.is_empty());
        if prefers_function && common != falsity {
            self.called(&called, truth, path, &[common], exits, &mut ways)?;
            if !self.along(&mut rest, &[own])? {
                return Ok(ways);
            }
        }
        for summary in view.summaries.iter().filter(|summary| summary.side == side) {
            let mut inner = state.clone();
            let Some(end) = self.instantiate(summary, args, flags, &mut inner)? else { continue };
            let mut when = vec![end.when];
            if prefers_function {
                when.push(own);
            }
            let mut way = path.clone();
            if !self.along(&mut way, &when)? {
                continue;
            }
            if let ExitKind::Return(values) = end.kind {
                let flags = end.set.into_iter().chain(repeat(truth));
                let values = self.all_at(&values, &way)?;
                let state = with_results(inner, values, flags);
                ways.push(CallPath { path: way, state, by_function: false });
            } else {
                exits.push(Exit::new(end.kind, way, &inner, loc));
            }
            let not_taken = self.space.not(end.when)?;
            if !self.along(&mut rest, &[not_taken])? {
                return Ok(ways);
            }
        }
        if prefers_function || common == falsity {
            self.called(&called, falsity, &rest, &[], exits, &mut ways)?;
        } else {
            self.called(&called, truth, &rest, &[common], exits, &mut ways)?;
            self.called(&called, falsity, &rest, &[own], exits, &mut ways)?;
        }
        Ok(ways)
    }

    /// The call as one of a function: the common one or the version's own.
    fn called(
        &mut self,
        called: &Called<'_>,
        common: TermId,
        path: &Path,
        when: &[TermId],
        exits: &mut Vec<Exit>,
        ways: &mut Vec<CallPath>,
    ) -> Result<(), Stop> {
        let mut path = path.clone();
        if !self.along(&mut path, when)? {
            return Ok(());
        }
        let mut inputs = called.inputs.clone();
        inputs.common = common;
        let mut state = called.state.clone();
        let (view, call) = (called.view, called.call);
        let given = self.by_function(view, &inputs, call, &mut state, &mut path, exits)?;
        let flags = given.set.into_iter().chain(repeat(self.space.pool.truth()));
        let values = self.all_at(&given.values, &path)?;
        ways.push(CallPath { path, state: with_results(state, values, flags), by_function: true });
        Ok(())
    }

    /// Goes on along a path; `false` if that is seen to be impossible.
    fn along(&mut self, path: &mut Path, literals: &[TermId]) -> Result<bool, LogicError> {
        let mut work: Vec<TermId> = literals.iter().rev().copied().collect();
        while let Some(literal) = work.pop() {
            let known = known_values(self.space, path);
            let here = self.at(literal, &known)?;
            if self.space.pool.op(here) == Op::And {
                work.extend(self.space.pool.operands(here).iter().rev());
                continue;
            }
            match self.space.pool.as_bool(here) {
                Some(true) => {}
                Some(false) => return Ok(false),
                None if path.contains(&here) => {}
                None => path.push(here),
            }
        }
        Ok(true)
    }

    fn all_at(&mut self, terms: &[TermId], path: &Path) -> Result<Vec<TermId>, LogicError> {
        let known = known_values(self.space, path);
        terms.iter().map(|term| self.at(*term, &known)).collect()
    }

    /// A term where some variables are known.
    fn at(&mut self, term: TermId, known: &HashMap<TermId, TermId>) -> Result<TermId, LogicError> {
        if known.is_empty() || self.space.is_as_built() {
            return Ok(term);
        }
        let map = known.iter().map(|(a, b)| (*a, *b)).collect();
        let term = self.space.pool.substitute(term, &map)?;
        self.space.tidy(term)
    }
}

/// A call and where it is made.
struct Called<'c> {
    view: &'c Abstraction,
    call: CallSite<'c>,
    inputs: &'c Inputs,
    state: &'c State,
}

/// What a path says that variables are.
fn known_values(space: &Space, path: &[TermId]) -> HashMap<TermId, TermId> {
    let mut known = HashMap::new();
    for literal in path.iter().filter(|literal| space.pool.op(**literal) == Op::Eq) {
        let [a, b] = *space.pool.operands(*literal) else { continue };
        for (variable, value) in [(a, b), (b, a)] {
            let is_number = space.constant(value).is_some() && !space.is_object_base(variable);
            if is_number && matches!(space.pool.op(variable), Op::Symbol(_)) {
                known.insert(variable, value);
            }
        }
    }
    known
}
