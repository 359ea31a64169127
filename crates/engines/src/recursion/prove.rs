//! The proof of one pair of bodies, under assumptions about what they call.

use super::fewer_parameters;
use super::matching::Matching;
use super::partition::Regions;
use super::policy::{Assumed, makes_marked_call, marking_calls, treat_others};
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{Budget, Obligation, PairId, Side, Task};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{LogicError, TermId};
use verdiff_model::{ProcId, Type};
use verdiff_product::entry::{valid_parameters, valid_pointer};
use verdiff_product::feasible::Feasibility;
use verdiff_product::plain::entry_of;
use verdiff_product::solver_queries::{by_cases, products};
use verdiff_product::{Product, ProgramFacts, Start};
use verdiff_symex::callee::Summary;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::paths::Bounds;
use verdiff_symex::record::CallRecord;
use verdiff_symex::space::{PointedTo, Space, Terms};

/// How many cases are looked at before a solver is asked.
const CASES: usize = 600;
/// What executing one body may cost.
const LIMITS: ExecutionLimits = ExecutionLimits { terms: 300_000, depth: 24 };
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
    pub product: Product<'a>,
    pub assumed: Assumed,
    pub entry: Entry,
    pub outcomes: [Outcome; 2],
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
    /// Whether nothing is assumed of the states that a goal starts from: those of any call.
    pub in_calls: bool,
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
        let (mut executed, assertions, differ) =
            self.formed(goal, unfolding, valid_pointers, budget)?;
        if executed.product.usage.undescribed {
            return Ok(Tried::Refuted);
        }
        let space = &mut executed.product.space;
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
        let product = &executed.product;
        let (used, judged) = (product.usage.couplings.clone(), product.judgements_used());
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
        budget: &Budget,
    ) -> Result<(Executed<'a>, Vec<TermId>, TermId), Stop> {
        let mut product = self.product(budget);
        let loads = self.valid.then(|| product.space.record_loads());
        let wanted = self.dropped.is_some() || self.valid;
        let calls = wanted.then(|| product.space.record_calls());
        let mut executed = self.execute(product, goal, unfolding)?;
        let Executed { product, assumed, entry, outcomes } = &mut executed;
        let roots = self.roots(goal);
        let mut differ = self.differ(&mut product.space, goal, roots, outcomes)?;
        let mut assertions = product.space.axioms()?;
        assertions.extend(product.aligned_cells()?);
        let space = &mut product.space;
        if valid_pointers || self.valid {
            assertions.extend(self.valid_pointers(space, goal, entry)?);
        }
        if let (Some(loads), Some(calls)) = (loads, &calls) {
            for load in loads.take() {
                let (not, good) = (space.not(load.when)?, valid_pointer(space, load.pointer)?);
                assertions.push(space.or(&[not, good])?);
            }
            let invalid = self.invalid_calls(space, assumed, &calls.records())?;
            differ = space.or(&[differ, invalid])?;
        }
        let lemmas = space.lemmas().to_vec();
        assertions.extend(&lemmas);
        if let (Some((number, parameter)), Some(calls)) = (self.dropped, &calls)
            && let Some(name) = assumed.name(number)
        {
            let own: Vec<_> = calls.records().into_iter().filter(|c| c.name == name).collect();
            assertions.extend(fewer_parameters::answers(space, &own, parameter)?);
        }
        assertions.push(differ);
        Ok((executed, assertions, differ))
    }

    /// What a proof by rewriting showed, before any rewriting, for another solver; kept only if it is seen to be unsatisfiable.
    fn as_built(
        &self,
        goal: Goal,
        unfolding: Unfolding,
        valid_pointers: bool,
        budget: &Budget,
    ) -> Result<Option<Obligation>, Stop> {
        let again = Premises { as_built: true, ..*self };
        let (mut executed, assertions, differ) =
            again.formed(goal, unfolding, valid_pointers, budget)?;
        let (space, shortly) = (&mut executed.product.space, budget.at_most(Effort::millis(200)));
        if executed.product.usage.undescribed
            || !by_rewriting(space, unfolding, &assertions, differ)?
                && !unsatisfiable(space, &assertions, &shortly)
        {
            return Ok(None);
        }
        Ok(obligation(space, self.claim(goal), &assertions))
    }

    /// Executes both bodies of a goal, in a product with [nothing executed yet](Premises::product).
    pub fn execute(
        &self,
        mut product: Product<'a>,
        goal: Goal,
        unfolding: Unfolding,
    ) -> Result<Executed<'a>, Stop> {
        let roots = self.roots(goal);
        let private = self.dropped.map(|(number, _)| number);
        let mut assumed =
            Assumed::of(&mut product, self.matching, self.assumed, private, self.under)?;
        treat_others(&mut product, self.matching, self.assumed, roots)?;
        assumed.treat(&mut product, self.matching, unfolding.lemmas);
        if unfolding.leaves {
            self.find_leaves(&mut product, &mut assumed, roots)?;
            assumed.treat(&mut product, self.matching, unfolding.lemmas);
        }
        product.policy.unfold = unfolding.unfold;
        let entry = self.entry(&mut product.space, goal)?;
        let start = self.start(goal);
        let mut other = entry.clone();
        if let Some((number, parameter)) = self.dropped
            && goal == Goal::Coupling(number)
        {
            fewer_parameters::free(&mut product.space, &mut other, parameter)?;
        }
        let outcomes = [
            product.run(Side::Old, roots[0], &entry, start, LIMITS)?,
            product.run(Side::New, roots[1], &other, start, LIMITS)?,
        ];
        Ok(Executed { product, assumed, entry, outcomes })
    }

    /// Both programs with nothing executed yet.
    pub fn product(&self, budget: &Budget) -> Product<'a> {
        let programs = self.matching.programs.clone();
        let product = Product::of_programs(self.task, self.facts, programs, budget);
        let pointed_to = match (self.in_calls, self.any_shape) {
            (true, _) => PointedTo::AnyCall,
            (false, true) => PointedTo::AnySize,
            (false, false) => PointedTo::LargeEnough,
        };
        let terms = if self.as_built { Terms::AsBuilt } else { Terms::Simplified };
        product.in_space_of(pointed_to, terms)
    }

    /// What globals hold where a goal starts.
    pub fn start(&self, goal: Goal) -> Start {
        if goal == Goal::Root && !self.in_calls { Start::of(&self.task) } else { Start::Anywhere }
    }

    /// The states that a goal starts from.
    pub fn entry(&self, space: &mut Space, goal: Goal) -> Result<Entry, LogicError> {
        let unset = match goal {
            Goal::Coupling(number) => self.matching.unset(self.facts, number),
            Goal::Root if self.in_calls => self.unset_at_root(),
            Goal::Root => vec![],
        };
        let old = self.matching.programs[0].procedure(self.roots(goal)[0]);
        entry_of(space, &self.facts.regions, old, "", &unset)
    }

    /// Which parameters of the pair may be uninitialised where it is called: those of a part of a procedure.
    fn unset_at_root(&self) -> Vec<bool> {
        let [old, new] = self.roots(Goal::Root);
        let of = |side: Side, id| (side, id, self.matching.programs[side.index()].procedure(id));
        match self.matching.programs[0].procedure(old).outlined_from {
            Some(_) => self.facts.unset(&[of(Side::Old, old), of(Side::New, new)]),
            None => vec![],
        }
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
            Type::Float(kind) if goal == Goal::Root && !self.in_calls => Some(*kind),
            _ => None,
        };
        let floats: Vec<_> = results.iter().map(float).collect();
        let visible = regions.visible(|info| match goal {
            _ if self.in_calls => false,
            Goal::Root => info.locals_only,
            Goal::Coupling(_) => info.private_to.is_some(),
        });
        let differ = Outcome::differ(space, &outcomes[0], &outcomes[1], &floats, &visible)?;
        Ok(space.tidy(differ)?)
    }

    /// What is assumed of the pointers among the parameters of a goal. Those of the pair are
    /// [valid and aligned](valid_parameters) as those of entry states are; of those of a coupling, of which it is proved that
    /// calls are made with such, only that they are valid.
    pub fn valid_pointers(
        &self,
        space: &mut Space,
        goal: Goal,
        entry: &Entry,
    ) -> Result<Vec<TermId>, LogicError> {
        if goal == Goal::Root {
            return valid_parameters(space, &self.task, entry);
        }
        let procedure = self.matching.programs[0].procedure(self.roots(goal)[0]);
        let mut facts = vec![];
        for (term, param) in entry.args.iter().zip(&procedure.params) {
            if procedure.var(*param).ty == Type::Ptr {
                facts.push(valid_pointer(space, *term)?);
            }
        }
        Ok(facts)
    }

    /// When a call into the induction is made with a pointer of which more was assumed than holds.
    fn invalid_calls(
        &self,
        space: &mut Space,
        assumed: &Assumed,
        calls: &[CallRecord],
    ) -> Result<TermId, LogicError> {
        let mut bad = vec![];
        for call in calls {
            for number in self.assumed {
                if assumed.name(*number) != Some(call.name.as_str()) {
                    continue;
                }
                let coupled = &self.matching.pairs[*number];
                let procedure = self.matching.programs[0].procedure(coupled.old);
                for (term, param) in call.inputs.iter().zip(&procedure.params) {
                    if procedure.var(*param).ty == Type::Ptr {
                        let good = valid_pointer(space, *term)?;
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
        product: &mut Product<'a>,
        assumed: &mut Assumed,
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
            let Some(entry) = assumed.entry(*number) else { continue };
            for side in Side::BOTH {
                // A run that waits for something outside may not terminate, and then says nothing of the other side.
                if self.facts.outside_ends(side, coupled.of(side)) {
                    let found = leaves_of(product, side, coupled.of(side), &entry)?;
                    assumed.know(*number, found);
                }
            }
        }
        Ok(())
    }

    /// What a goal is called.
    pub fn name(&self, goal: Goal) -> String {
        let id = self.roots(goal)[0];
        self.matching.programs[0].procedure(id).name.clone()
    }
}

/// The runs of one version's procedure that make no call that is not executed, from an entry state.
pub fn leaves_of(
    product: &mut Product<'_>,
    side: Side,
    root: ProcId,
    entry: &Rc<Entry>,
) -> Result<Vec<Summary>, Stop> {
    let (policy, marks) = marking_calls(product, side, root)?;
    let bounds = Bounds { visits: 1, depth: 40, paths: 4 * MOST_LEAVES, blocks: 200 };
    let (exploration, usage) = product.with_policy(policy, |product| {
        let start = Start::Anywhere;
        let mut exploration = product.exploration(side, root, entry, start, LIMITS)?;
        product.explore(&mut exploration, &bounds, &mut Feasibility::by_rewriting())?;
        Ok::<_, Stop>(exploration)
    });
    // Of what was marked nothing is used; what was called back is.
    product.usage.called_back |= usage.called_back;
    let mut found = vec![];
    for exit in exploration?.done() {
        if found.len() < MOST_LEAVES && !makes_marked_call(&product.space, &marks, &exit.path) {
            found.extend(Summary::of(&mut product.space, side, entry, exit)?);
        }
    }
    Ok(found)
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
