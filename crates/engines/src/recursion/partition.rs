//! Path partition (FULL-PART-EQ, Algorithm 4 of paper 000): where induction does not go through for all arguments, for which does it?
//!
//! Rule `part-eq-in-parts`. For each coupling there is a region K of arguments, a union of *cells*: conjunctions of conditions that the bodies ask of
//! their parameters. A call with arguments in K is one of the common function F, any other one of each version's own function; what is known of the other
//! version's runs without a call is used in K alone. A cell stays in K if no outcome differs from any state of it; otherwise it is split by a
//! further condition, and what cannot be split any more is dropped. That is repeated until nothing changes.
//!
//! # Why that is sound
//!
//! P(n): for every coupling and every call state in its K, if both versions end from there with depth at most n, their outcomes are equal. In the end every cell of every
//! K is proved with these very regions: in the last pass nothing changed. Given P(n-1), take a state of a cell from which both end with depth at most n. F is what the old
//! version does where that has a depth below n, else what the new one does there; the private functions are what each version does. Calls of the
//! two runs have depths below n; one in K is a value of F by P(n-1), one outside is one of its own version's function. So this is an interpretation of all functions, the
//! formula "from this cell, and some outcome differs" has none that makes it true: P(n).
//! (✗ `f(n){if(n==0)return 0;return f(n-1);}` against the same with base 1: the step is "proved" while K is everything, then 0 is
//! dropped, and with it n = 1 has two private calls.)
//!
//! **Base cases by execution** (PATH-BASE-EQUIV). A cell in which a parameter is a number is also executed to the end, calls and all. If that ends on all paths of both versions and no
//! outcome differs, it is equal without any assumption; whoever calls it rests on a fact.
//!
//! Where the cells come from does not matter for that, nor how many there are.

mod cells;

use super::induction::Context;
use super::matching::{Matching, matchings};
use super::prove::{Goal, Premises};
use cells::GoalCells;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Obligation, PairId, Side, Task};
use verdiff_logic::{EntrySymbol, Formula, LogicError, Op, TermId};
use verdiff_model::Type;
use verdiff_product::ProgramFacts;
use verdiff_product::entry::valid_parameters;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// The regions of couplings, over parameters that are called [`parameter`].
pub type Regions = BTreeMap<usize, Formula>;

/// What the parameter of a coupling at a position is called in its region.
pub fn parameter(index: usize) -> String {
    EntrySymbol::numbered("", index)
}

/// A region over an entry state. `None` if it speaks of something else.
pub fn over(
    space: &mut Space,
    region: &Formula,
    entry: &Entry,
) -> Result<Option<TermId>, LogicError> {
    let mut names = BTreeMap::new();
    for (index, arg) in entry.args.iter().enumerate() {
        if let Op::Symbol(id) = space.pool.op(*arg) {
            names.insert(parameter(index), space.pool.symbol_name(id).to_owned());
        }
    }
    let there = |name: &str| names.get(name).cloned();
    region.build_as(&mut space.pool, &there)
}

/// What is equal.
pub struct EqualParts {
    /// From which entry states.
    pub equal: Formula,
    pub obligations: Vec<Obligation>,
    pub judged: BTreeSet<PairId>,
    /// Whether that is proved of every call, as far as pointers go.
    pub of_calls: bool,
    /// The couplings that took part, by name.
    pub steps: Vec<String>,
    /// Whether some base cases were executed to their end.
    pub executed: bool,
}

/// How many cells one region may have.
const MOST_CELLS: usize = 24;
/// How often all regions are looked at.
const MOST_PASSES: usize = 12;
/// A part of a region.
#[derive(Clone, PartialEq)]
struct Cell {
    /// Over the parameters of its coupling.
    condition: Vec<Formula>,
    /// Whether it was executed to the end: then it rests on nothing.
    outright: bool,
}

/// The search for one pair.
struct Partition<'a> {
    task: Task<'a>,
    facts: &'a ProgramFacts,
    matching: &'a Matching,
    assumed: BTreeSet<usize>,
    any_shape: bool,
    cells: BTreeMap<Goal, Vec<Cell>>,
    atoms: BTreeMap<Goal, Vec<Formula>>,
    obligations: BTreeMap<Goal, Vec<Obligation>>,
    judged: BTreeSet<PairId>,
}

/// Searches for a region of the pair that is equal. `None` if there is none, or time is up.
pub fn search(task: &Task<'_>, facts: &ProgramFacts, budget: &Budget) -> Option<EqualParts> {
    let guesses = matchings(task, facts);
    let matching = guesses.first()?;
    let context = Context { task: *task, facts, in_calls: false };
    let (mut assumed, mut any_shape) = (BTreeSet::new(), false);
    for (number, coupled) in matching.pairs.iter().enumerate() {
        if let Ok(shape) = context.may_assume(coupled) {
            assumed.insert(number);
            any_shape |= shape;
        }
    }
    let mut partition = Partition {
        task: *task,
        facts,
        matching,
        assumed,
        any_shape,
        cells: BTreeMap::new(),
        atoms: BTreeMap::new(),
        obligations: BTreeMap::new(),
        judged: BTreeSet::new(),
    };
    partition.run(budget).ok().flatten()
}

impl Partition<'_> {
    fn run(&mut self, budget: &Budget) -> Result<Option<EqualParts>, Stop> {
        let pair = self.task.comparison.pair(self.task.pair);
        let root = self.matching.pairs.iter().position(|c| c.old == pair.old && c.new == pair.new);
        let root = root.filter(|number| self.assumed.contains(number));
        // What is called before who calls it: by then its region is known.
        let mut order: Vec<usize> = self.assumed.iter().copied().collect();
        order.sort_by_key(|number| self.reached(*number).len());
        if order.is_empty() {
            return Ok(None);
        }
        let everything = vec![Cell { condition: vec![], outright: false }];
        for number in &order {
            self.cells.insert(Goal::Coupling(*number), everything.clone());
        }
        for _ in 0..MOST_PASSES {
            let mut changed = false;
            for number in &order {
                let Some(one) = self.refined(Goal::Coupling(*number), budget)? else {
                    return Ok(None);
                };
                changed |= one;
            }
            if changed {
                continue;
            }
            let goal = match root {
                Some(number) => Goal::Coupling(number),
                None => {
                    self.cells.insert(Goal::Root, everything);
                    if self.refined(Goal::Root, budget)?.is_none() {
                        return Ok(None);
                    }
                    Goal::Root
                }
            };
            return Ok(self.finished(goal)?);
        }
        Ok(None)
    }

    /// The couplings that a coupling may call.
    fn reached(&self, number: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        for side in Side::BOTH {
            let ids = self.facts.reached(side, self.matching.pairs[number].of(side));
            let calls = |n: &usize| ids.contains(&self.matching.pairs[*n].of(side));
            reached.extend(self.assumed.iter().copied().filter(calls));
        }
        reached
    }

    fn regions(&self) -> Result<Regions, LogicError> {
        let mut regions = Regions::new();
        for (goal, cells) in &self.cells {
            if let Goal::Coupling(number) = goal {
                regions.insert(*number, region(cells)?);
            }
        }
        Ok(regions)
    }

    /// Looks at all cells of a goal again: whether they are others now. `None` if time is up.
    fn refined(&mut self, goal: Goal, budget: &Budget) -> Result<Option<bool>, Stop> {
        let regions = self.regions()?;
        let premises = Premises {
            task: self.task,
            facts: self.facts,
            matching: self.matching,
            assumed: &self.assumed,
            any_shape: self.any_shape,
            in_calls: false,
            as_built: false,
            valid: false,
            dropped: None,
            under: Some(&regions),
        };
        let before = self.cells.remove(&goal).unwrap_or_default();
        let mut prover = GoalCells::at(premises, goal, self.pointers(goal));
        let atoms = match self.atoms.remove(&goal) {
            Some(atoms) => atoms,
            None => prover.atoms(budget)?,
        };
        let (mut open, mut kept) = (before.clone(), vec![]);
        let (mut obligations, mut judged) = (vec![], BTreeSet::new());
        while let Some(cell) = open.pop() {
            if budget.is_over() {
                return Ok(None);
            }
            if cell.outright {
                kept.push(cell);
                continue;
            }
            if let Some((obligation, rests_on)) = prover.proves(&cell, budget)? {
                obligations.extend(obligation);
                judged.extend(rests_on);
                kept.push(cell);
                continue;
            }
            if kept.len() + open.len() < MOST_CELLS
                && let Some(parts) = prover.split(&cell, &atoms)?
            {
                open.extend(parts);
                continue;
            }
            if let Some(rests_on) = prover.equal_by_execution(&cell, budget)? {
                judged.extend(rests_on);
                kept.push(Cell { outright: true, ..cell });
            }
        }
        let changed = kept.len() != before.len() || kept.iter().any(|cell| !before.contains(cell));
        self.atoms.insert(goal, atoms);
        self.obligations.insert(goal, obligations);
        self.judged.extend(judged);
        self.cells.insert(goal, kept);
        Ok(Some(changed))
    }

    /// Whether pointers are taken to be valid: those of the pair are, which nobody assumes.
    fn pointers(&self, goal: Goal) -> bool {
        let pair = self.task.comparison.pair(self.task.pair);
        let procedure = self.facts.programs[0].procedure(pair.old);
        goal == Goal::Root && procedure.params.iter().any(|p| procedure.var(*p).ty == Type::Ptr)
    }

    fn finished(&self, goal: Goal) -> Result<Option<EqualParts>, LogicError> {
        let cells = &self.cells[&goal];
        if cells.is_empty() {
            return Ok(None);
        }
        let pair = self.task.comparison.pair(self.task.pair);
        let old = self.task.comparison.old.program.procedure(pair.old);
        let mut space = Space::new();
        let entry = Entry::of(&mut space, &self.facts.regions, old)?;
        let Some(term) = over(&mut space, &region(cells)?, &entry)? else { return Ok(None) };
        let mut term = space.tidy(term)?;
        if term != space.pool.truth() {
            // Of states that no entry state is others may say that they differ; nothing is claimed of them.
            let mut all = valid_parameters(&mut space, &self.task, &entry)?;
            all.push(term);
            term = space.and(&all)?;
            term = space.tidy(term)?;
        }
        let equal = Formula::of(&space.pool, term)?;
        let name = |goal: &Goal| match goal {
            Goal::Coupling(number) => {
                let id = self.matching.pairs[*number].old;
                self.matching.programs[0].procedure(id).name.clone()
            }
            Goal::Root => pair.function.clone(),
        };
        let with_cells = self.cells.iter().filter(|(_, cells)| !cells.is_empty());
        Ok(Some(EqualParts {
            equal,
            obligations: self.obligations.values().flatten().cloned().collect(),
            judged: self.judged.clone(),
            of_calls: !self.pointers(goal),
            steps: with_cells.map(|(goal, _)| name(goal)).collect(),
            executed: self.cells.values().flatten().any(|cell| cell.outright),
        }))
    }
}

/// All cells as one.
fn region(cells: &[Cell]) -> Result<Formula, LogicError> {
    let mut space = Space::new();
    let mut parts = vec![];
    for cell in cells {
        let mut all = vec![];
        for literal in &cell.condition {
            all.push(literal.build(&mut space.pool)?);
        }
        parts.push(space.and(&all)?);
    }
    let any = space.or(&parts)?;
    let any = space.tidy(any)?;
    Formula::of(&space.pool, any)
}
