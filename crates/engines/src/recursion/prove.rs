//! The proof of one pair of bodies, under assumptions about what they call.

use super::ask::{by_cases, products};
use super::callees::{Leaves, Seen, entry_of};
use super::dropped;
use super::matching::Matching;
use super::partition::Regions;
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{Budget, Obligation, PairId, Side, Task};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{LogicError, TermId};
use verdiff_model::{ProcId, Type};
use verdiff_product::ProgramFacts;
use verdiff_symex::callee::Summary;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Executor, Limits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::paths::{Bounds, Explorer, Feasible};
use verdiff_symex::regions::Cell;
use verdiff_symex::space::{NULL_ZONE, Space};

/// How many cases are looked at before a solver is asked.
const CASES: usize = 600;
/// What executing one body may cost.
const LIMITS: Limits = Limits { terms: 300_000, depth: 24 };
/// Executions with more terms than this are not made again for evidence.
const MAX_AGAIN: usize = 60_000;
/// How many runs without a call are kept of one side.
const MOST_LEAVES: usize = 8;

/// What is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Goal {
    /// A coupling, of every state that a call in the induction may be made from.
    Coupling(usize),
    /// The pair itself, of entry states; nobody assumes it.
    Root,
}

/// How much a proof looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unfolding {
    /// Whether runs without a call are known (the leaf rule).
    pub leaves: bool,
    /// Whether unfolded calls are functions of which the body is known, rather than the body itself.
    pub lemmas: bool,
    /// How many levels of calls are unfolded on each side.
    pub unfold: [usize; 2],
}

/// A proof.
#[derive(Clone, Debug)]
pub struct Proved {
    pub obligation: Option<Obligation>,
    /// The couplings that it assumes.
    pub used: BTreeSet<usize>,
    /// The pairs whose judgements it rests on.
    pub judged: BTreeSet<PairId>,
    pub unfolding: Unfolding,
    /// Whether pointers were taken to be valid at entry.
    pub valid_pointers: bool,
}

/// What came of trying to prove a goal.
pub enum Tried {
    Proved(Proved),
    /// It does not follow, with that unfolding.
    Refuted,
    /// Nobody could say in time.
    Late,
}

/// Both bodies, executed.
pub struct Executed<'a> {
    pub space: Space,
    pub seen: Seen<'a>,
    pub entry: Entry,
    pub outcomes: Vec<Outcome>,
}

/// Everything a proof starts from.
#[derive(Clone, Copy)]
pub struct Premises<'a> {
    pub task: Task<'a>,
    pub facts: &'a ProgramFacts,
    pub matching: &'a Matching,
    pub assumed: &'a BTreeSet<usize>,
    /// Whether objects behind pointers may end anywhere.
    pub any_shape: bool,
    /// Whether terms are to stay as they are built, for evidence.
    pub as_built: bool,
    /// Whether all pointers, those in memory too, are taken to be null or to lead to objects.
    pub valid: bool,
    /// A coupling and a parameter of it that does not matter: the outcomes are equal whatever either version gets for it.
    pub dropped: Option<(usize, usize)>,
    /// Where couplings are assumed, if that is not everywhere.
    pub under: Option<&'a Regions>,
}

impl<'a> Premises<'a> {
    pub fn roots(&self, goal: Goal) -> [ProcId; 2] {
        match goal {
            Goal::Coupling(number) => {
                let coupled = &self.matching.pairs[number];
                [coupled.old, coupled.new]
            }
            Goal::Root => {
                let pair = self.task.comparison.pair(self.task.pair);
                [pair.old, pair.new]
            }
        }
    }

    /// Tries to prove a goal.
    pub fn prove(
        &self,
        goal: Goal,
        unfolding: Unfolding,
        valid_pointers: bool,
        budget: &Budget,
    ) -> Result<Tried, Stop> {
        let (mut executed, assertions, differ) = self.formed(goal, unfolding, valid_pointers)?;
        if executed.seen.lost {
            return Ok(Tried::Refuted);
        }
        let space = &mut executed.space;
        let by_rewriting = by_rewriting(space, unfolding, &assertions, differ)?;
        if !by_rewriting && !by_few_products(space, &assertions, differ, budget)? {
            match answer(space, &assertions, budget) {
                Answer::Unsat { .. } => {}
                Answer::Sat(_) => return Ok(Tried::Refuted),
                Answer::Unknown(_) => return Ok(Tried::Late),
            }
        }
        let again = match by_rewriting && space.pool.len() < MAX_AGAIN {
            true => self.as_built(goal, unfolding, valid_pointers, budget).ok().flatten(),
            false => None,
        };
        let obligation = again.or_else(|| obligation(space, self.claim(goal), &assertions));
        let (used, judged) = (executed.seen.used.clone(), executed.seen.judged());
        let valid_pointers = valid_pointers || self.valid;
        Ok(Tried::Proved(Proved { obligation, used, judged, unfolding, valid_pointers }))
    }

    fn claim(&self, goal: Goal) -> String {
        format!("no outcome of {} differs", self.name(goal))
    }

    /// Both bodies executed, all that is assumed with "some outcome differs" at the end, and that alone.
    pub fn formed(
        &self,
        goal: Goal,
        unfolding: Unfolding,
        valid_pointers: bool,
    ) -> Result<(Executed<'a>, Vec<TermId>, TermId), Stop> {
        let log = self.dropped.is_some() || self.valid;
        let mut executed = self.execute(goal, unfolding, log)?;
        let Executed { space, seen, entry, outcomes } = &mut executed;
        let roots = self.roots(goal);
        let mut differ = self.differ(space, goal, roots, outcomes)?;
        let mut assertions = space.axioms()?;
        assertions.extend(self.aligned(space)?);
        if valid_pointers || self.valid {
            assertions.extend(self.valid_pointers(space, roots, entry)?);
        }
        if self.valid {
            for (when, pointer) in space.loaded.take().unwrap_or_default() {
                let (not, good) = (space.not(when)?, valid(space, pointer)?);
                assertions.push(space.or(&[not, good])?);
            }
            let invalid = self.invalid_calls(space, seen)?;
            differ = space.or(&[differ, invalid])?;
        }
        let lemmas = space.lemmas.clone();
        assertions.extend(&lemmas);
        if let Some((number, parameter)) = self.dropped {
            let name = seen.name(number).unwrap_or_default();
            assertions.extend(dropped::answers(space, &name, parameter)?);
        }
        assertions.push(differ);
        Ok((executed, assertions, differ))
    }

    /// What a proof by rewriting showed, before any rewriting, for another solver: as
    /// [`flat`](crate::flat) has it, and kept only if it is seen to be unsatisfiable.
    fn as_built(
        &self,
        goal: Goal,
        unfolding: Unfolding,
        valid_pointers: bool,
        budget: &Budget,
    ) -> Result<Option<Obligation>, Stop> {
        let again = Premises { as_built: true, ..*self };
        let (mut executed, assertions, differ) = again.formed(goal, unfolding, valid_pointers)?;
        let (space, shortly) = (&mut executed.space, budget.at_most(Effort::millis(200)));
        if executed.seen.lost
            || !by_rewriting(space, unfolding, &assertions, differ)?
                && !unsatisfiable(space, &assertions, &shortly)
        {
            return Ok(None);
        }
        Ok(obligation(space, self.claim(goal), &assertions))
    }

    /// Executes both bodies of a goal.
    pub fn execute(
        &self,
        goal: Goal,
        unfolding: Unfolding,
        log_calls: bool,
    ) -> Result<Executed<'a>, Stop> {
        let mut space = Space::new();
        space.any_shape = self.any_shape;
        space.as_built = self.as_built;
        let mut seen = Seen::new(self.task, self.facts, self.matching);
        let roots = self.roots(goal);
        let private = self.dropped.map(|(number, _)| number);
        seen.assume(&mut space, self.assumed, private, self.under)?;
        seen.prepare(&mut space, roots)?;
        if unfolding.leaves {
            self.find_leaves(&mut space, &mut seen, roots)?;
        }
        seen.unfold = unfolding.unfold;
        seen.lemmas = unfolding.lemmas;
        if log_calls {
            space.made = Some(vec![]);
        }
        if self.valid {
            space.loaded = Some(vec![]);
        }
        let entry = self.entry(&mut space, goal)?;
        let regions = &self.facts.regions;
        let mut outcomes = vec![];
        for side in Side::BOTH {
            let program = &self.matching.programs[side.index()];
            let root = roots[side.index()];
            let mut executor =
                Executor::new(&mut space, program, side.index(), regions, &mut seen, LIMITS);
            let initialised = goal == Goal::Root && crate::process::starts_plainly(&self.task);
            let state = executor.entry_state(&entry, root, initialised)?;
            let mut entry = entry.clone();
            if let (Some((number, parameter)), Side::New) = (self.dropped, side)
                && goal == Goal::Coupling(number)
            {
                dropped::free(executor.space, &mut entry, parameter)?;
            }
            outcomes.push(executor.run_from(root, &entry, state)?);
        }
        Ok(Executed { space, seen, entry, outcomes })
    }

    /// The states that a goal starts from.
    pub fn entry(&self, space: &mut Space, goal: Goal) -> Result<Entry, LogicError> {
        let unset = match goal {
            Goal::Coupling(number) => self.matching.unset(self.facts, number),
            Goal::Root => vec![],
        };
        let old = self.matching.programs[0].procedure(self.roots(goal)[0]);
        entry_of(space, &self.facts.regions, old, "", &unset)
    }

    pub fn differ(
        &self,
        space: &mut Space,
        goal: Goal,
        roots: [ProcId; 2],
        outcomes: &[Outcome],
    ) -> Result<TermId, Stop> {
        let regions = &self.facts.regions;
        let results = &self.matching.programs[0].procedure(roots[0]).results;
        // What is assumed of a call must be exact; for the caller of the pair all NaNs are one.
        let float = |ty: &Type| match ty {
            Type::Float(kind) if goal == Goal::Root => Some(*kind),
            _ => None,
        };
        let floats: Vec<_> = results.iter().map(float).collect();
        let visible = regions.visible(|info| match goal {
            Goal::Root => info.locals_only,
            Goal::Coupling(_) => info.private_to.is_some(),
        });
        let differ = Outcome::differ(space, &outcomes[0], &outcomes[1], &floats, &visible)?;
        Ok(space.tidy(differ)?)
    }

    /// Memories of words are compared where words are: the cells of such a region lie at multiples of their size.
    pub fn aligned(&self, space: &mut Space) -> Result<Vec<TermId>, LogicError> {
        let mut facts = vec![];
        for region in self.facts.regions.ids() {
            let info = self.facts.regions.info(region);
            if let Cell::Words(bytes) = info.cell
                && let Some(at) = space.pool.find_symbol(&format!("at.{}", info.name))
            {
                let at = space.pool.symbol_term(at);
                let mask = space.pool.bits(64, u128::from(bytes - 1))?;
                let (low, zero) = (space.pool.bv_and(at, mask)?, space.pool.bits(64, 0)?);
                facts.push(space.pool.eq(low, zero)?);
            }
        }
        Ok(facts)
    }

    /// A pointer parameter of an entry state is null, or leads to an object in the lower half of the address space.
    pub fn valid_pointers(
        &self,
        space: &mut Space,
        roots: [ProcId; 2],
        entry: &Entry,
    ) -> Result<Vec<TermId>, LogicError> {
        let procedure = self.matching.programs[0].procedure(roots[0]);
        let mut facts = vec![];
        for (term, param) in entry.args.iter().zip(&procedure.params) {
            if procedure.var(*param).ty == Type::Ptr {
                facts.push(valid(space, *term)?);
            }
        }
        Ok(facts)
    }

    /// When a call into the induction is made with a pointer of which more was assumed than holds.
    fn invalid_calls(&self, space: &mut Space, seen: &Seen<'_>) -> Result<TermId, LogicError> {
        let mut bad = vec![];
        for call in space.made.take().unwrap_or_default() {
            for number in self.assumed {
                if seen.name(*number).as_ref() != Some(&call.name) {
                    continue;
                }
                let coupled = &self.matching.pairs[*number];
                let procedure = self.matching.programs[0].procedure(coupled.old);
                for (term, param) in call.inputs.iter().zip(&procedure.params) {
                    if procedure.var(*param).ty == Type::Ptr {
                        let good = valid(space, *term)?;
                        let not = space.not(good)?;
                        bad.push(space.and(&[call.when, not])?);
                    }
                }
            }
        }
        space.or(&bad)
    }

    /// The runs of both sides of each coupling that make no call: what they do is known exactly.
    fn find_leaves(
        &self,
        space: &mut Space,
        seen: &mut Seen<'a>,
        roots: [ProcId; 2],
    ) -> Result<(), Stop> {
        for number in self.assumed {
            let coupled = &self.matching.pairs[*number];
            let reached = Side::BOTH.into_iter().any(|side| {
                self.facts.reached(side, roots[side.index()]).contains(&coupled.of(side))
            });
            if !reached {
                continue;
            }
            let Some(entry) = seen.entry(*number) else { continue };
            for side in Side::BOTH {
                // A run that waits for something outside may have no end, and then says nothing of the other side.
                if self.facts.outside_ends(side, coupled.of(side)) {
                    let found = self.leaves_of(space, seen, side, coupled.of(side), &entry)?;
                    seen.know(*number, found);
                }
            }
        }
        Ok(())
    }

    pub fn leaves_of(
        &self,
        space: &mut Space,
        seen: &Seen<'a>,
        side: Side,
        root: ProcId,
        entry: &Rc<Entry>,
    ) -> Result<Vec<Summary>, Stop> {
        let program = &self.matching.programs[side.index()];
        let mut leaves = Leaves::new(seen, space, side, root)?;
        let mut executor =
            Executor::new(space, program, side.index(), &self.facts.regions, &mut leaves, LIMITS);
        let mut explorer = Explorer::new(&mut executor, root, entry, false)?;
        let bounds = Bounds { visits: 1, depth: 40, paths: 4 * MOST_LEAVES, blocks: 200 };
        let mut feasible = |space: &mut Space, path: &[TermId]| match space.and(path) {
            Ok(all) if space.tidy(all).ok() == Some(space.pool.falsity()) => Feasible::No,
            _ => Feasible::Maybe,
        };
        explorer.explore(&mut executor, &bounds, &mut feasible)?;
        let mut found = vec![];
        for exit in explorer.done() {
            if found.len() < MOST_LEAVES && !Leaves::calls(executor.space, &exit.path) {
                found.extend(Summary::of(executor.space, side.index(), entry, exit)?);
            }
        }
        Ok(found)
    }

    /// What a goal is called.
    pub fn name(&self, goal: Goal) -> String {
        let id = self.roots(goal)[0];
        self.matching.programs[0].procedure(id).name.clone()
    }
}

/// That a pointer is null (or so near that nobody crosses the gap) or leads to an object in the lower half of the
/// address space.
fn valid(space: &mut Space, pointer: TermId) -> Result<TermId, LogicError> {
    let limit = space.pool.bits(64, 1 << 62)?;
    let (near, zone) = (space.pool.bits(64, 4096)?, space.pool.bits(64, NULL_ZONE.into())?);
    let low = space.pool.bv_ule(pointer, limit)?;
    let null = space.pool.bv_ult(pointer, near)?;
    let object = space.pool.bv_ule(zone, pointer)?;
    let either = space.pool.or(&[null, object])?;
    space.and(&[low, either])
}

/// Assertions that are unsatisfiable, as text.
pub fn obligation(space: &Space, name: String, assertions: &[TermId]) -> Option<Obligation> {
    verdiff_product::obligation::script(&space.pool, &name, assertions)
}

/// Whether it is seen without a solver that the assertions exclude each other, of which `differ` is one. Calls and their bodies are
/// equations, which are used up one by one.
pub fn by_rewriting(
    space: &mut Space,
    unfolding: Unfolding,
    assertions: &[TermId],
    differ: TermId,
) -> Result<bool, LogicError> {
    let formula = if unfolding.lemmas { space.and(assertions)? } else { differ };
    space.refute(formula, CASES)
}

/// Whether products, which are hard on solvers, go away case by case, and the rest is unsatisfiable.
fn by_few_products(
    space: &mut Space,
    assertions: &[TermId],
    differ: TermId,
    budget: &Budget,
) -> Result<bool, LogicError> {
    if products(space, &[differ]) == 0 {
        return Ok(false);
    }
    let until = effort::spent() + budget.left() / 4;
    let left = space.left_open(differ, CASES, until, true)?;
    let given = &assertions[..assertions.len() - 1];
    let share = budget.at_most(budget.left() / 2);
    let answer = by_cases(space, given, &left, assertions, &share)?;
    Ok(answer.is_some_and(|answer| answer.is_unsat()))
}

/// Whether a solver says in time that the assertions exclude each other.
pub fn unsatisfiable(space: &mut Space, assertions: &[TermId], budget: &Budget) -> bool {
    answer(space, assertions, budget).is_unsat()
}

fn answer(space: &mut Space, assertions: &[TermId], budget: &Budget) -> Answer {
    let time = (budget.left() / 2).max(Effort::millis(10));
    let limits = SolverLimits::effort(time);
    let query = Query { assertions, assumptions: &[] };
    solver::standard().decide(&mut space.pool, &query, &limits)
}
