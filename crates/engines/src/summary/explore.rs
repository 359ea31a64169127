//! Rounds of exploration: each goes on where the last one stopped.

use verdiff_judge::Side;
use verdiff_logic::TermId;
use verdiff_product::feasible::Feasibility;
use verdiff_product::judged::Abstracting;
use verdiff_product::{Exploration, Product, Start};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::paths::{Bounds, Explored};
use verdiff_symex::space::Space;

/// What the execution of one version may cost.
const LIMITS: ExecutionLimits = ExecutionLimits { terms: 1_500_000, depth: 400 };
/// Paths of one version beyond which formulas over all of them are of no use.
const MOST_PATHS: usize = 300;
/// Blocks that one round executes in one version.
const MOST_BLOCKS: usize = 6_000;

/// The paths of both versions so far.
pub(super) struct Rounds {
    entry: Entry,
    explorations: [Exploration; 2],
    /// What is assumed of entry states.
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
    /// Nothing explored yet. `abstracting` says whether callees of which something is known are functions.
    pub(super) fn new(product: &mut Product<'_>, abstracting: bool) -> Result<Rounds, Stop> {
        let comparison = product.task.comparison;
        let pair = comparison.pair(product.task.pair);
        product.treat_by_judgement(Abstracting { known: abstracting, unbounded: false })?;
        let old = comparison.old.program.procedure(pair.old);
        let entry = Entry::of(&mut product.space, &product.facts.regions, old)?;
        let start = Start::of(&product.task);
        let explorations = [
            product.exploration(Side::Old, pair.old, &entry, start, LIMITS)?,
            product.exploration(Side::New, pair.new, &entry, start, LIMITS)?,
        ];
        let given = product.valid_entry(&entry)?;
        Ok(Rounds { entry, explorations, given })
    }

    /// When each version takes one of the paths that were followed to their end.
    pub(super) fn taken(&self, product: &mut Product<'_>) -> Result<Vec<TermId>, Stop> {
        let mut both = vec![];
        for exploration in &self.explorations {
            let mut paths = vec![];
            for exit in exploration.done() {
                paths.push(product.space.and(&exit.path)?);
            }
            both.push(product.space.or(&paths)?);
        }
        Ok(both)
    }

    /// One round. `None` if nothing was followed to its end.
    pub(super) fn explore(
        &mut self,
        product: &mut Product<'_>,
        bound: u32,
    ) -> Result<Option<Seen>, Stop> {
        let bounds = Bounds {
            visits: bound,
            depth: 2 * bound as usize + 2,
            paths: MOST_PATHS,
            blocks: MOST_BLOCKS,
        };
        let mut exhausted = true;
        let (mut outcomes, mut covered) = (vec![], vec![]);
        let Rounds { explorations, given, .. } = self;
        let mut feasibility = Feasibility::by_solver(given);
        for exploration in explorations.iter_mut() {
            let explored = product.explore(exploration, &bounds, &mut feasibility)?;
            exhausted &= explored == Explored::Exhausted;
            if exploration.done().is_empty() {
                return Ok(None);
            }
            let space = &mut product.space;
            outcomes.push(Outcome::of(space, exploration.done())?);
            // What is an entry state and takes none of the open paths has taken one that is done: the others were ruled out.
            let open = exploration.open(space)?;
            covered.push(space.not(open)?);
        }
        let Ok(outcomes) = <[Outcome; 2]>::try_from(outcomes) else { return Ok(None) };
        let covered = match exhausted {
            true => product.space.pool.truth(),
            false => product.space.and(&covered)?,
        };
        let covered = product.space.tidy(covered)?;
        let paths = self.explorations.iter().map(|e| e.done().len()).max().unwrap_or_default();
        Ok(Some(Seen { entry: self.entry.clone(), outcomes, covered, exhausted, bound, paths }))
    }
}

/// Where paths were followed, where they differ there, and where they do not.
pub(super) fn within(
    space: &mut Space,
    covered: TermId,
    differ: TermId,
) -> Result<[TermId; 3], Stop> {
    let same = space.not(differ)?;
    let inside = space.and(&[covered, differ])?;
    let equal = space.and(&[covered, same])?;
    Ok([covered, space.tidy(inside)?, space.tidy(equal)?])
}
