//! Symbolic execution of the paths that lead to the change, in search of an entry state from which the versions differ
//! (docs/internals/engines.md, "directed").
//!
//! Testing reaches what is likely; a change behind a checksum, a magic number or many conditions at once is not. One version leads: its paths
//! are followed towards the change ([`Direction`]), nearest first, and those that do not lead there are set aside. For each path that was there
//! and came to its end the other version is executed from the same states, which leaves it few paths. Then a solver is asked for such a state
//! with different outcomes.
//!
//! The new version leads first, for most changes add something; then the old one.
//!
//! Soundness: nothing is added to the judgement. A differing state becomes a [`Candidate`], after the interpreter has
//! differed from it, and is not believed until the compiled programs have shown it. So it is no matter that paths were set aside, or that
//! a path's condition holds only where no earlier path is taken.

use std::rc::Rc;
use verdiff_judge::{Budget, Candidate, Engine, Findings, Incomplete, Side, StopReason, Task};
use verdiff_logic::TermId;
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query, Z3};
use verdiff_product::direction::Direction;
use verdiff_product::feasible::Feasibility;
use verdiff_product::judged::Abstracting;
use verdiff_product::stop::{not_executable, reason};
use verdiff_product::{Facts, Product, ProgramFacts, Start};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::outcome::{Exit, Outcome};
use verdiff_symex::paths::{Bounds, Explored};

/// How often a path may enter a block in each round, and how many calls may be open.
const VISITS: [u32; 5] = [2, 4, 8, 16, 32];
/// What the execution of one version may cost.
const LIMITS: ExecutionLimits = ExecutionLimits { terms: 1_500_000, depth: 400 };
/// Blocks that one version executes before it is looked at what it has come to.
const MOST_BLOCKS: usize = 6_000;
/// Paths to the change that are compared.
const MOST_PATHS: usize = 60;
/// For one question whether a path can be taken: a path is followed if that is not known, and there are many questions.
const PATIENCE: Effort = Effort::millis(10);
/// Paths of the other version from the states of one path.
const MOST_FOLLOWING: usize = 20;

/// The engine. One instance serves one comparison.
pub struct Directed {
    facts: Rc<Facts>,
}

impl Directed {
    /// An engine for the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Directed {
        Directed { facts: facts.clone() }
    }
}

impl Engine for Directed {
    fn name(&self) -> &'static str {
        "directed"
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let _contexts = Z3::keep_contexts();
        let (comparison, settings) = (task.comparison, &task.comparison.settings);
        let pair = comparison.pair(task.pair);
        if let Some(reason) = not_executable(task) {
            return Findings::nothing(reason);
        }
        if settings.overflow_undefined || settings.assume.iter().any(|(f, _)| *f == pair.function) {
            return Findings::nothing(StopReason::incomplete(Incomplete::UnderPreconditions));
        }
        let facts = match self.facts.about(task) {
            Ok(facts) => facts.written(),
            Err(reason) => return Findings::nothing(reason),
        };
        let Some(direction) = Direction::of(comparison, task.pair) else {
            return Findings::default();
        };
        let mut stopped = None;
        for (lead, share) in [(Side::New, 2), (Side::Old, 1)] {
            if !direction.guide(lead).leads_anywhere() {
                continue;
            }
            let budget = budget.at_most(budget.left() / share);
            match PathSearch::new(task, facts, lead, &budget).and_then(|s| s.found(&direction)) {
                Ok(Some(found)) => return found,
                Ok(None) => {}
                Err(stop) => stopped = Some(reason(task, &stop)),
            }
        }
        Findings { stopped, ..Findings::default() }
    }
}

/// The search along one version.
struct PathSearch<'a> {
    product: Product<'a>,
    entry: Entry,
    start: Start,
    /// What is assumed of entry states.
    given: Vec<TermId>,
    lead: Side,
}

impl<'a> PathSearch<'a> {
    fn new(
        task: &Task<'a>,
        facts: &'a ProgramFacts,
        lead: Side,
        budget: &Budget,
    ) -> Result<PathSearch<'a>, Stop> {
        let mut product = Product::new(*task, facts, budget);
        // A state is wanted, so all that is known of callees counts: they are entered.
        product.treat_by_judgement(Abstracting { known: false, unbounded: false })?;
        let old = task.comparison.procedure(task.pair, Side::Old);
        let entry = Entry::of(&mut product.space, &facts.regions, old)?;
        let given = product.valid_entry(&entry)?;
        Ok(PathSearch { product, entry, start: Start::of(task), given, lead })
    }

    /// The first state from which the versions differ.
    fn found(mut self, direction: &Direction) -> Result<Option<Findings>, Stop> {
        let task = self.product.task;
        let procedure = task.comparison.pair(task.pair).of(self.lead);
        let leading =
            self.product.exploration(self.lead, procedure, &self.entry, self.start, LIMITS)?;
        let mut leading = leading.towards(direction.guide(self.lead).clone());
        let mut seen = 0;
        let given = self.given.clone();
        let mut feasibility = Feasibility::by_solver(&given).remembering().patient(PATIENCE);
        for visits in VISITS {
            loop {
                let bounds = bounds(visits, seen + 1);
                let explored = self.product.explore(&mut leading, &bounds, &mut feasibility)?;
                let new: Vec<Exit> = leading.done()[seen..].to_vec();
                for exit in &new {
                    if let Some(found) = self.compared(exit, visits)? {
                        return Ok(Some(found));
                    }
                }
                seen += new.len();
                if self.product.budget().is_over() || seen >= MOST_PATHS {
                    return Ok(None);
                }
                if explored == Explored::Exhausted {
                    return Ok(None);
                }
                if new.is_empty() {
                    break;
                }
            }
        }
        Ok(None)
    }

    /// A state that takes this path of the leading version and from which the other one does something else.
    fn compared(&mut self, exit: &Exit, visits: u32) -> Result<Option<Findings>, Stop> {
        let PathSearch { product, entry, start, given, lead } = self;
        let task = product.task;
        let other = lead.other();
        let taken = product.space.and(&exit.path)?;
        let mut from = given.clone();
        from.push(taken);
        let procedure = task.comparison.pair(task.pair).of(other);
        let mut following = product.exploration(other, procedure, entry, *start, LIMITS)?;
        // A loop may turn once more than in the other version.
        let bounds = bounds(2 * visits, MOST_FOLLOWING);
        let share = product.budget().at_most(product.budget().left() / 4);
        product.within(&share, |product| {
            let mut feasibility = Feasibility::by_solver(&from).remembering().patient(PATIENCE);
            product.explore(&mut following, &bounds, &mut feasibility)
        })?;
        if following.done().is_empty() || product.budget().is_over() {
            return Ok(None);
        }
        let space = &mut product.space;
        let leading = Outcome::of(space, std::slice::from_ref(exit))?;
        let others = Outcome::of(space, following.done())?;
        let open = following.open(space)?;
        let followed = space.not(open)?;
        let outcomes = match lead {
            Side::Old => [leading, others],
            Side::New => [others, leading],
        };
        let mut formed = product.compared(entry.clone(), outcomes)?;
        // An entry state is made from what the condition speaks of: how the path is taken belongs to it.
        formed.differ = product.space.and(&[taken, followed, formed.differ])?;
        let mut assertions = product.space.axioms()?;
        assertions.extend(product.valid_entry(&formed.entry)?);
        let paths = [std::slice::from_ref(exit), following.done()].concat();
        assertions.extend(product.apart(&formed, &paths)?);
        assertions.push(formed.differ);
        // The comparison of outcomes may be large: then it alone took the share, and its simplification would take many times that.
        if product.budget().is_over() {
            return Ok(None);
        }
        let mut solver = solver::standard();
        let query = Query { assertions: &assertions, assumptions: &[] };
        let limits = SolverLimits::effort(product.budget().left() / 4);
        let Answer::Sat(model) = solver.decide(&mut product.space.pool, &query, &limits) else {
            return Ok(None);
        };
        let model = product.smaller(&formed, &assertions, model, &mut solver)?;
        let Some(((old, new), common_run)) = product.runnable(&formed, &model)? else {
            return Ok(None);
        };
        let candidates = vec![Candidate::new("directed", old, new)];
        let stopped = Some(StopReason::incomplete(Incomplete::SomePaths));
        Ok(Some(Findings { candidates, common_run, stopped, ..Findings::default() }))
    }
}

fn bounds(visits: u32, paths: usize) -> Bounds {
    Bounds { visits, depth: 2 * visits as usize + 2, paths, blocks: MOST_BLOCKS }
}
