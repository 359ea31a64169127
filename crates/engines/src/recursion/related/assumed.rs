//! What a proof assumes of the calls that both bodies make, and of the states that they start from.

use super::coordinate::Terms;
use super::goal::{Call, Executed};
use super::result_relation::ResultRelation;
use super::{Goal, Related};
use std::collections::BTreeSet;
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::record::CallRecord;
use verdiff_symex::space::Space;

/// What is assumed.
#[derive(Default)]
pub struct Assumed {
    /// One fact for each pair of calls that a tie is about.
    pub facts: Vec<TermId>,
    /// The same as a substitution: what an output of a call is, wherever a fact says so. Equal to the output in every model
    /// of the facts.
    pub answers: Vec<(TermId, TermId)>,
    /// For each pair of calls: that both are made, and what must hold of their arguments and states for the tie to be about them.
    pub pairs: Vec<(TermId, Vec<TermId>)>,
    /// The ties.
    pub used: BTreeSet<usize>,
}

/// That an output of one call is that of another, under a condition.
struct Same {
    when: TermId,
    old: TermId,
    new: TermId,
}

impl Related<'_> {
    /// What is assumed of the calls that were met: of each pair of one call of either side that some tie is about.
    pub fn assumed(&self, executed: &mut Executed) -> Result<Assumed, LogicError> {
        let mut assumed = Assumed::default();
        let [olds, news] = &executed.calls;
        let space = &mut executed.space;
        for old in olds {
            for new in news.iter().filter(|new| !(old.whole && new.whole)) {
                let Some(number) = self.tie(old.procedure, new.procedure) else { continue };
                if old.made.rest.len() != new.made.rest.len() {
                    continue;
                }
                let tie = &self.ties[number];
                let mut given = tie.relation.said_of(space, &terms(&old.made, &new.made))?;
                for (a, b) in old.made.rest.iter().zip(&new.made.rest).filter(|(a, b)| a != b) {
                    given.push(space.pool.eq(*a, *b)?);
                }
                given.extend(self.presumed(old));
                given.extend(self.presumed(new));
                let made = space.and(&[old.made.when, new.made.when])?;
                let asked = given.clone();
                given.push(made);
                let given = space.and(&given)?;
                let given = space.tidy(given)?;
                if given == space.pool.falsity() {
                    continue;
                }
                assumed.used.insert(number);
                assumed.pairs.push((made, asked));
                let not = space.not(given)?;
                for same in same_outcome(space, &old.made, &new.made, tie.results)? {
                    let equal = space.pool.eq(same.old, same.new)?;
                    let otherwise = space.not(same.when)?;
                    assumed.facts.push(space.or(&[not, otherwise, equal])?);
                    // The execution itself is known, and so is a sum; the call is what is replaced.
                    let sum = tie.results.other() == Some(1) && !old.whole;
                    let (call, by) = match new.whole || sum {
                        true => (same.old, same.new),
                        false => (same.new, same.old),
                    };
                    let known = assumed.answers.iter().any(|(known, _)| *known == call);
                    if !known && call != by {
                        let when = space.and(&[given, same.when])?;
                        let answer = space.ite(when, by, call)?;
                        assumed.answers.push((call, answer));
                    }
                }
            }
        }
        Ok(assumed)
    }

    /// That the arguments of a call are initialised wherever proofs about its procedure take them to be. Calls in runs of the program
    /// are like that; if nothing is assumed of the state at the root, a call that no run makes need not be.
    pub fn presumed(&self, call: &Call) -> Vec<TermId> {
        let side = call.made.side;
        let procedure = self.facts.programs[side.index()].procedure(call.procedure);
        let unset = self.facts.unset(&[(side, call.procedure, procedure)]);
        let may_be = |number: usize| unset.get(number).copied().unwrap_or(false);
        let flags = call.made.flags.iter().enumerate();
        flags.filter(|(number, _)| !may_be(*number)).map(|(_, flag)| *flag).collect()
    }

    /// What is given of the states from which a tie is proved.
    pub fn related(&self, goal: Goal, executed: &mut Executed) -> Result<Vec<TermId>, LogicError> {
        let Goal::Tie(number) = goal else { return Ok(vec![]) };
        let whole = |side: usize| executed.calls[side].iter().find(|call| call.whole);
        let (Some(old), Some(new)) = (whole(0), whole(1)) else { return Ok(vec![]) };
        let terms = terms(&old.made, &new.made);
        self.ties[number].relation.said_of(&mut executed.space, &terms)
    }
}

fn terms<'m>(old: &'m CallRecord, new: &'m CallRecord) -> Terms<'m> {
    Terms { args: [&old.args, &new.args], flags: [&old.flags, &new.flags] }
}

/// That two calls end alike, and if they return, with the same results, memory and world. What they would give
/// if they returned says nothing where they do not.
fn same_outcome(
    space: &mut Space,
    old: &CallRecord,
    new: &CallRecord,
    results: ResultRelation,
) -> Result<Vec<Same>, LogicError> {
    let truth = space.pool.truth();
    let (mut all, mut returned) = (vec![], truth);
    if let (Some(a), Some(b)) = (old.how, new.how) {
        all.push(Same { when: truth, old: a, new: b });
        let zero = space.pool.bits(8, 0)?;
        returned = space.pool.eq(a, zero)?;
    }
    let left = space.not(returned)?;
    for (name, a) in &old.outputs {
        let Some(b) = new.outputs.get(name) else { continue };
        let (mut a, mut b) = (*a, *b);
        if name == "result.0" {
            let args = [&old.args[..], &new.args[..]];
            match results.other() {
                Some(0) => a = results.as_the_other(space, a, args)?,
                Some(_) => b = results.as_the_other(space, b, args)?,
                None => {}
            }
        }
        let when = if name == "world.left" { left } else { returned };
        all.push(Same { when, old: a, new: b });
    }
    Ok(all)
}
