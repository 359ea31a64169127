//! One goal of the partition: which conditions its bodies ask, and what is equal in a cell.

use super::super::prove::{
    Executed, Goal, Premises, Unfolding, by_rewriting, obligation, unsatisfiable,
};
use super::{Cell, over, parameter};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Obligation, PairId, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Formula, LogicError, Op, Sort, TermId, TermPool};
use verdiff_model::Type;
use verdiff_product::Start;
use verdiff_product::feasible::Feasibility;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::paths::{Bounds, Explored};
use verdiff_symex::space::Space;

/// What is tried for a cell.
const UNFOLDINGS: [Unfolding; 3] = [
    Unfolding { leaves: true, lemmas: false, unfold: [0, 0] },
    Unfolding { leaves: true, lemmas: true, unfold: [1, 1] },
    Unfolding { leaves: true, lemmas: false, unfold: [1, 1] },
];
/// How many conditions cells are made of.
const MOST_ATOMS: usize = 12;
/// How many cases are looked at to see that a cell is empty.
const CASES: usize = 60;
/// For one question to the solver.
const PATIENCE: Effort = Effort::millis(150);
/// What executing one version of a base case may cost, and how far it goes.
const BASE_LIMITS: ExecutionLimits = ExecutionLimits { terms: 200_000, depth: 400 };
const BASE: Bounds = Bounds { visits: 2_000, depth: 200, paths: 64, blocks: 20_000 };

/// What that may take: base cases are short, or none.
const BASE_TIME: Effort = Effort::millis(300);

/// One goal, with what was executed for it.
pub(super) struct GoalCells<'p> {
    premises: Premises<'p>,
    goal: Goal,
    /// Whether pointers are taken to be valid.
    pointers: bool,
    /// With each unfolding, as far as it was needed.
    tries: Vec<Option<Formed<'p>>>,
}

/// Both bodies executed, all that is assumed with "some outcome differs" at the end, and that alone.
type Formed<'p> = (Executed<'p>, Vec<TermId>, TermId);

/// What a proof of a cell gives.
pub(super) type CellProof = (Option<Obligation>, BTreeSet<PairId>);

impl<'p> GoalCells<'p> {
    pub(super) fn at(premises: Premises<'p>, goal: Goal, pointers: bool) -> GoalCells<'p> {
        GoalCells { premises, goal, pointers, tries: vec![] }
    }

    fn tried(&mut self, at: usize, budget: &Budget) -> Result<Option<&mut Formed<'p>>, Stop> {
        while self.tries.len() <= at {
            let unfolding = UNFOLDINGS[self.tries.len()];
            let formed = self.premises.formed(self.goal, unfolding, self.pointers, budget);
            self.tries.push(match formed {
                Ok(formed) if !formed.0.product.usage.undescribed => Some(formed),
                Ok(_) => None,
                // Deeper executions may be too large.
                Err(stop) if self.tries.is_empty() => return Err(stop),
                // Another cell may have more effort left for it.
                Err(Stop::Effort) => return Ok(None),
                Err(_) => None,
            });
        }
        Ok(self.tries[at].as_mut())
    }

    /// Whether no outcome differs in a cell.
    pub(super) fn proves(
        &mut self,
        cell: &Cell,
        budget: &Budget,
    ) -> Result<Option<CellProof>, Stop> {
        let name = format!("no outcome of {} differs in a part", self.premises.name(self.goal));
        for (at, unfolding) in UNFOLDINGS.into_iter().enumerate() {
            let Some((executed, assertions, differ)) = self.tried(at, budget)? else { continue };
            let Some(mut all) = within(&mut executed.product.space, cell, &executed.entry)? else {
                return Ok(None);
            };
            let product = &mut executed.product;
            let space = &mut product.space;
            all.push(*differ);
            let here = space.and(&all)?;
            let mut asserted = assertions[..assertions.len() - 1].to_vec();
            asserted.push(here);
            let shortly = budget.at_most(PATIENCE * 2);
            if by_rewriting(space, unfolding, &asserted, here)?
                || unsatisfiable(space, &asserted, &shortly)
            {
                return Ok(Some((obligation(space, name, &asserted), product.judgements_used())));
            }
        }
        Ok(None)
    }

    /// The conditions that the bodies ask of parameters alone.
    pub(super) fn atoms(&mut self, budget: &Budget) -> Result<Vec<Formula>, Stop> {
        let unset = match self.goal {
            Goal::Coupling(number) => self.premises.matching.unset(self.premises.facts, number),
            Goal::Root => vec![],
        };
        let old = self.premises.matching.programs[0].procedure(self.premises.roots(self.goal)[0]);
        let pointers: Vec<bool> = old.params.iter().map(|p| old.var(*p).ty == Type::Ptr).collect();
        let goal = self.goal;
        let Some((executed, _, differ)) = self.tried(0, budget)? else { return Ok(vec![]) };
        let Executed { product, entry, outcomes, .. } = executed;
        let space = &mut product.space;
        let mut names = BTreeMap::new();
        for (index, arg) in entry.args.iter().enumerate() {
            // What may be without a value says nothing, nor does where the objects of the caller lie.
            let pointer = goal == Goal::Root && pointers[index];
            if !unset.get(index).copied().unwrap_or(false)
                && !pointer
                && let Op::Symbol(id) = space.pool.op(*arg)
            {
                names.insert(space.pool.symbol_name(id).to_owned(), parameter(index));
            }
        }
        let mut roots = vec![*differ];
        for outcome in outcomes.iter() {
            roots.push(outcome.how);
            roots.extend(&outcome.results);
        }
        let mut found = vec![];
        for term in space.pool.sub_terms(&roots) {
            let asks = matches!(space.pool.op(term), Op::Eq | Op::BvUlt | Op::BvSlt)
                && matches!(space.pool.sort(space.pool.operands(term)[0]), Sort::BitVec(_));
            let free = space.pool.free_names(&[term]);
            let of_parameters =
                |id: &verdiff_logic::SymbolId| names.contains_key(space.pool.symbol_name(*id));
            if asks && free.functions.is_empty() && free.symbols.iter().all(of_parameters) {
                found.push(term);
            }
        }
        found.truncate(MOST_ATOMS);
        // Below a number it may be otherwise than above it.
        for term in found.clone() {
            let [a, b] = space.pool.operands(term)[..] else { continue };
            let (a, b) = if space.pool.as_bits(a).is_some() { (b, a) } else { (a, b) };
            if space.pool.op(term) == Op::Eq && space.pool.as_bits(b).is_some() {
                found.push(space.pool.bv_slt(a, b)?);
                found.push(space.pool.bv_ult(a, b)?);
            }
        }
        let mut atoms = vec![];
        for term in found {
            let term = space.tidy(term)?;
            let atom = Formula::of(&space.pool, term)?;
            let mut pool = TermPool::new();
            if let Some(term) = atom.build_as(&mut pool, &|name| names.get(name).cloned())? {
                let atom = Formula::of(&pool, term)?;
                if !atom.is_true() && !atom.is_false() && !atoms.contains(&atom) {
                    atoms.push(atom);
                }
            }
        }
        Ok(atoms)
    }

    /// A cell in two, by the first condition that can be true in it and false.
    pub(super) fn split(
        &mut self,
        cell: &Cell,
        atoms: &[Formula],
    ) -> Result<Option<[Cell; 2]>, Stop> {
        let mut space = Space::new();
        let mut all = vec![];
        for literal in &cell.condition {
            all.push(literal.build(&mut space.pool)?);
        }
        for atom in atoms.iter().filter(|atom| !cell.condition.contains(atom)) {
            let yes = atom.build(&mut space.pool)?;
            let no = space.not(yes)?;
            let mut parts = vec![];
            for literal in [yes, no] {
                let mut here = all.clone();
                here.push(literal);
                if !is_empty(&mut space, &here)? {
                    let condition =
                        [cell.condition.clone(), vec![Formula::of(&space.pool, literal)?]].concat();
                    parts.push(Cell { condition, outright: false });
                }
            }
            if let Ok(parts) = <[Cell; 2]>::try_from(parts) {
                return Ok(Some(parts));
            }
        }
        Ok(None)
    }

    /// The pairs whose judgements are used, if both versions terminate from all states of a cell in which some parameter is a
    /// number, and no outcome differs.
    pub(super) fn equal_by_execution(
        &mut self,
        cell: &Cell,
        budget: &Budget,
    ) -> Result<Option<BTreeSet<PairId>>, Stop> {
        let Goal::Coupling(_) = self.goal else { return Ok(None) };
        let budget = &budget.at_most(BASE_TIME);
        let roots = self.premises.roots(self.goal);
        // Everything is inlined.
        let mut product = self.premises.product(budget);
        let space = &mut product.space;
        let mut entry = self.premises.entry(space, self.goal)?;
        let Some(given) = within(space, cell, &entry)? else { return Ok(None) };
        let mut numbers = 0;
        for arg in &mut entry.args {
            let number = given.iter().find_map(|literal| match space.pool.op(*literal) {
                Op::Eq => {
                    let [a, b] = space.pool.operands(*literal)[..] else { return None };
                    let other = if a == *arg { b } else { a };
                    ((a == *arg || b == *arg) && space.pool.as_bits(other).is_some())
                        .then_some(other)
                }
                _ => None,
            });
            if let Some(number) = number {
                *arg = number;
                numbers += 1;
            }
        }
        if numbers == 0 {
            return Ok(None);
        }
        let mut outcomes = vec![];
        for side in Side::BOTH {
            let (root, start) = (roots[side.index()], Start::Anywhere);
            let mut exploration = product.exploration(side, root, &entry, start, BASE_LIMITS)?;
            let mut feasibility = Feasibility::by_cases(&given, PATIENCE / 2);
            let explored = product.explore(&mut exploration, &BASE, &mut feasibility);
            if !matches!(explored, Ok(Explored::Exhausted)) || exploration.done().is_empty() {
                return Ok(None);
            }
            outcomes.push(Outcome::of(&mut product.space, exploration.done())?);
        }
        let differ = self.premises.differ(&mut product.space, self.goal, roots, &outcomes)?;
        let mut assertions = product.space.axioms()?;
        assertions.extend(product.aligned_cells()?);
        assertions.extend(given);
        assertions.push(differ);
        let space = &mut product.space;
        let all = space.and(&assertions)?;
        let equal = space.refute(all, CASES)?
            || unsatisfiable(space, &assertions, &budget.at_most(PATIENCE * 2));
        Ok(equal.then(|| product.judgements_used()))
    }
}

/// What holds in a cell, over an entry state.
fn within(
    space: &mut Space,
    cell: &Cell,
    entry: &Entry,
) -> Result<Option<Vec<TermId>>, LogicError> {
    let mut all = vec![];
    for literal in &cell.condition {
        let Some(literal) = over(space, literal, entry)? else { return Ok(None) };
        all.push(literal);
    }
    Ok(Some(all))
}

/// Whether conditions surely exclude each other.
fn is_empty(space: &mut Space, conditions: &[TermId]) -> Result<bool, LogicError> {
    let all = space.and(conditions)?;
    let all = space.tidy(all)?;
    if space.pool.as_bool(all) == Some(false) || space.refute(all, CASES)? {
        return Ok(true);
    }
    if space.pool.as_bool(all) == Some(true) {
        return Ok(false);
    }
    let shortly = Budget::lasting(PATIENCE, 0);
    Ok(unsatisfiable(space, conditions, &shortly))
}
