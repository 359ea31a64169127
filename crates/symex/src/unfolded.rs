//! Calls of which a function is known and the body, too (RVT's sync-unrolling, paper 000, Definition 3).
//!
//! The code behind the call sees the function. That the function gives what the body gives becomes a lemma:
//!
//! ```text
//! the call is made  =>  it ends as the body does, in the same world, and if it returns, with the body's results
//! ```
//!
//! So nobody has to choose which calls to unroll: a proof may use the function, the body, or both.
//!
//! Why "the call is made" must be exact: where it is not made, the function's value at these arguments is not
//! that of any run, and `f(n) = f(n) + 1` has no solution. In merged execution code behind a failed check is
//! executed as if the check had not failed; so the lemma is guarded by "no exit before was taken", too.
//!
//! How a call ends is a number of eight bits, the same for a run whatever frame it ended in: that of a trap or `exit` as in
//! [`how`](crate::outcome::how), that of a callee that was left as the callee's. So the lemma says it of runs
//! that do not return, too.
//!
//! Memory is left out of the lemma: the body's memory has the body's dead locals in it.

use crate::callee::Abstraction;
use crate::execute::{CallSite, Executor, Flow, Given, Stop};
use crate::outcome::{Exit, ExitKind, Outcome, one_nan};
use crate::state::{Path, State};
use verdiff_logic::TermId;
use verdiff_model::{ProcId, Type};

impl Executor<'_> {
    /// A call whose function is known to give what the body gives.
    pub(crate) fn unfolded_call(
        &mut self,
        view: &Abstraction,
        call: CallSite<'_>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Given, Stop> {
        let CallSite { callee: id, args, flags, loc } = call;
        let guard = self.made_when(path, exits)?;
        let (before, way, mut inner) = (state.clone(), path.clone(), exits.clone());
        let earlier = exits.len();
        let given = self.abstract_call(view, call, state, path, exits)?;
        let mut said = exits[earlier..].to_vec();
        if given.flow == Flow::On {
            let kind = ExitKind::Return(given.values.clone());
            said.push(Exit { set: given.set.clone(), ..Exit::new(kind, path.clone(), state, loc) });
        }
        let returns = self.body(id, args, flags, before, &way, &mut inner)?;
        let mut done = inner.split_off(earlier);
        done.extend(returns);
        if said.is_empty() || done.is_empty() {
            return Ok(given);
        }
        let said = Outcome::of(self.space, &said)?;
        let done = Outcome::of(self.space, &done)?;
        let lemma = self.same_ends(view, id, &said, &done)?;
        let not_made = self.space.not(guard)?;
        let lemma = self.space.or(&[not_made, lemma])?;
        let lemma = self.space.tidy(lemma)?;
        if lemma != self.space.pool.truth() {
            self.space.lemmas.push(lemma);
        }
        Ok(given)
    }

    /// Says of a function what the known paths give: where one is taken, that is what it gives. Each version's own function, from its own paths.
    pub(crate) fn tell(
        &mut self,
        view: &Abstraction,
        call: CallSite<'_>,
        guard: TermId,
        before: &State,
        said: &Outcome,
        with_memory: bool,
    ) -> Result<(), Stop> {
        let side = self.side;
        for summary in view.summaries.iter().filter(|s| s.side == side) {
            let mut state = before.clone();
            let Some(end) = self.instantiate(summary, call.args, call.flags, &mut state)? else {
                continue;
            };
            let exit = Exit {
                set: end.set,
                ..Exit::new(end.kind, vec![], &state, verdiff_model::Loc::default())
            };
            let done = Outcome::of(self.space, &[exit])?;
            let mut all = vec![self.same_ends(view, call.callee, said, &done)?];
            for region in view.writes.iter().filter(|_| with_memory) {
                let (a, b) = (said.memory[region.index()], done.memory[region.index()]);
                let (a, b) = (self.space.to_array(a)?, self.space.to_array(b)?);
                let same = self.space.pool.eq(a, b)?;
                let not = self.space.not(said.returned)?;
                all.push(self.space.or(&[not, same])?);
            }
            let same = self.space.and(&all)?;
            let taken = self.space.and(&[guard, end.when])?;
            let not = self.space.not(taken)?;
            let lemma = self.space.or(&[not, same])?;
            let lemma = self.space.tidy(lemma)?;
            if lemma != self.space.pool.truth() {
                self.space.lemmas.push(lemma);
            }
        }
        Ok(())
    }

    /// That two outcomes of one call end alike, in the same world, and with the same results if they return.
    fn same_ends(
        &mut self,
        view: &Abstraction,
        id: ProcId,
        said: &Outcome,
        done: &Outcome,
    ) -> Result<TermId, Stop> {
        let types = self.program.procedure(id).results.clone();
        let mut same = vec![];
        for (index, (a, b)) in said.results.iter().zip(&done.results).enumerate() {
            let (mut a, mut b) = (*a, *b);
            if let Some(Type::Float(kind)) = types.get(index) {
                a = one_nan(self.space, *kind, a)?;
                b = one_nan(self.space, *kind, b)?;
            }
            same.push(self.space.pool.eq(a, b)?);
        }
        for (a, b) in said.set.iter().zip(&done.set).filter(|(a, b)| a != b) {
            same.push(self.space.pool.eq(*a, *b)?);
        }
        let same = self.space.and(&same)?;
        let not = self.space.not(said.returned)?;
        let mut all = vec![self.space.or(&[not, same])?];
        all.push(self.space.pool.eq(said.returned, done.returned)?);
        let low = [said.how, done.how].map(|how| self.space.pool.extract(7, 0, how));
        let [said_how, done_how] = low;
        all.push(self.space.pool.eq(said_how?, done_how?)?);
        if view.world {
            all.push(self.space.pool.eq(said.world, done.world)?);
        }
        Ok(self.space.and(&all)?)
    }
}
