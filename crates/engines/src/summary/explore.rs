//! Rounds of exploration: each goes on where the last one stopped.

use super::FEASIBLE_TIME;
use crate::flat::decide::Attempt;
use verdiff_judge::{Budget, Side};
use verdiff_logic::TermId;
use verdiff_logic::solver::{self, Decide, Limits as SolverLimits, Query};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Executor, Limits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::paths::{Bounds, Explored, Explorer, Feasible};
use verdiff_symex::space::Space;

/// Paths of one version beyond which formulas over all of them are of no use.
const MOST_PATHS: usize = 300;
/// Blocks that one round executes in one version.
const MOST_BLOCKS: usize = 6_000;

/// The paths of both versions so far.
pub(super) struct Rounds {
    entry: Entry,
    explorers: [Explorer; 2],
    solver: Box<dyn Decide>,
    /// What is taken for granted of entry states.
    given: Vec<TermId>,
}

/// What is known after a round.
pub(super) struct Seen {
    pub(super) entry: Entry,
    pub(super) outcomes: [Outcome; 2],
    /// Where both versions took a path that was followed to its end.
    pub(super) covered: TermId,
    /// Whether there are no other paths.
    pub(super) exhausted: bool,
    /// How often a path could enter a block.
    pub(super) bound: u32,
    /// How many paths were followed to their end, in the version that has more.
    pub(super) paths: usize,
}

impl Rounds {
    /// Nothing explored yet.
    pub(super) fn new(attempt: &mut Attempt<'_>) -> Result<Rounds, Stop> {
        let comparison = attempt.task.comparison;
        let pair = comparison.pair(attempt.task.pair);
        attempt.seen.prepare(&mut attempt.space)?;
        let old = comparison.old.program.procedure(pair.old);
        let entry = Entry::of(&mut attempt.space, &attempt.facts.regions, old)?;
        let mut explorers = vec![];
        for side in Side::BOTH {
            let initialised = crate::process::starts_plainly(&attempt.task);
            let mut executor = executor(attempt, side);
            explorers.push(Explorer::new(&mut executor, pair.of(side), &entry, initialised)?);
        }
        let Ok(explorers) = <[Explorer; 2]>::try_from(explorers) else {
            return Err(Stop::Construct("there are two sides".to_owned()));
        };
        let mut given = attempt.space.axioms()?;
        given.extend(attempt.valid_entry(&entry)?);
        Ok(Rounds { entry, explorers, solver: Box::new(solver::standard()), given })
    }

    /// When each version takes one of the paths that were followed to their end.
    pub(super) fn taken(&self, attempt: &mut Attempt<'_>) -> Result<Vec<TermId>, Stop> {
        let mut both = vec![];
        for explorer in &self.explorers {
            let mut paths = vec![];
            for exit in explorer.done() {
                paths.push(attempt.space.and(&exit.path)?);
            }
            both.push(attempt.space.or(&paths)?);
        }
        Ok(both)
    }

    /// One round. `None` if nothing was followed to its end.
    pub(super) fn explore(
        &mut self,
        attempt: &mut Attempt<'_>,
        bound: u32,
        budget: &Budget,
    ) -> Result<Option<Seen>, Stop> {
        let bounds = Bounds {
            visits: bound,
            depth: 2 * bound as usize + 2,
            paths: MOST_PATHS,
            blocks: MOST_BLOCKS,
        };
        let mut exhausted = true;
        let (mut outcomes, mut covered) = (vec![], vec![]);
        let Rounds { explorers, solver, given, .. } = self;
        for (side, explorer) in Side::BOTH.into_iter().zip(explorers.iter_mut()) {
            let mut executor = executor(attempt, side);
            let mut feasible = |space: &mut Space, path: &[TermId]| {
                if path.iter().any(|t| space.pool.as_bool(*t) == Some(false)) {
                    return Feasible::No;
                }
                if budget.is_over() {
                    return Feasible::Later;
                }
                if path.iter().all(|t| space.pool.as_bool(*t) == Some(true)) {
                    return Feasible::Maybe;
                }
                let mut assertions = given.clone();
                assertions.extend_from_slice(path);
                let query = Query { assertions: &assertions, assumptions: &[] };
                let limits = SolverLimits::effort(FEASIBLE_TIME);
                match solver.decide(&mut space.pool, &query, &limits).is_unsat() {
                    true => Feasible::No,
                    false => Feasible::Maybe,
                }
            };
            let explored = explorer.explore(&mut executor, &bounds, &mut feasible)?;
            exhausted &= explored == Explored::Exhausted;
            if explorer.done().is_empty() {
                return Ok(None);
            }
            let space = &mut *executor.space;
            outcomes.push(Outcome::of(space, explorer.done())?);
            // What is an entry state and takes none of the open paths has taken one that is done: the others were ruled out.
            let open = explorer.open(space)?;
            covered.push(space.not(open)?);
        }
        let Ok(outcomes) = <[Outcome; 2]>::try_from(outcomes) else { return Ok(None) };
        let covered = match exhausted {
            true => attempt.space.pool.truth(),
            false => attempt.space.and(&covered)?,
        };
        let covered = attempt.space.tidy(covered)?;
        let paths = self.explorers.iter().map(|e| e.done().len()).max().unwrap_or_default();
        Ok(Some(Seen { entry: self.entry.clone(), outcomes, covered, exhausted, bound, paths }))
    }
}

impl Attempt<'_> {
    /// Where paths were followed, where they differ there, and where they do not.
    pub(super) fn within(&mut self, covered: TermId, differ: TermId) -> Result<[TermId; 3], Stop> {
        let same = self.space.not(differ)?;
        let inside = self.space.and(&[covered, differ])?;
        let equal = self.space.and(&[covered, same])?;
        Ok([covered, self.space.tidy(inside)?, self.space.tidy(equal)?])
    }
}

fn executor<'e>(attempt: &'e mut Attempt<'_>, side: Side) -> Executor<'e> {
    let program = attempt.task.comparison.program(side);
    let limits = Limits { terms: 1_500_000, depth: 400 };
    let regions = &attempt.facts.regions;
    Executor::new(&mut attempt.space, program, side.index(), regions, &mut attempt.seen, limits)
}
