//! One attempt: execute, ask, and make an entry state of the answer.

use super::addition;
use verdiff_judge::{
    Assumption, Budget, Candidate, Field, Findings, Incomplete, Judgement, Obligation, PairId,
    Rule, Side, StopReason, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query, Reason};
use verdiff_logic::{Formula, TermId};
use verdiff_model::state::EntryState;
use verdiff_product::counterexample::Runnable;
use verdiff_product::difference::Formed;
use verdiff_product::judged::Abstracting;
use verdiff_product::obligation::script;
use verdiff_product::over_integers::{is_hard, over_integers};
use verdiff_product::{Product, ProgramFacts};
use verdiff_symex::execute::Stop;
use verdiff_symex::record::{CallRecord, Log};
use verdiff_symex::space::{PointedTo, Space, Terms};

/// How many cases are looked at before a solver is asked.
pub(super) const CASES: usize = 2000;

/// The name of the obligation of a proof for all inputs.
const NAME: &str = "no outcome differs";

/// One way of treating callees.
pub(super) struct Attempt<'a> {
    pub(super) product: Product<'a>,
    /// Whether pairs of which something is known are functions, even where they could be inlined.
    abstracting: bool,
    /// Of each call of a pair that is known to be equal in part, that it is one of the equal ones.
    pub(super) common_calls: Log<TermId>,
    /// The calls of functions, where some callee is known to differ.
    calls: Option<Log<CallRecord>>,
}

impl<'a> Attempt<'a> {
    /// From entry states as they are assumed to be ([`PointedTo::LargeEnough`]), or as any call may have them.
    pub(super) fn new(
        task: Task<'a>,
        facts: &'a ProgramFacts,
        abstracting: bool,
        pointed_to: PointedTo,
        budget: &Budget,
    ) -> Attempt<'a> {
        let product = Product::new(task, facts, budget).in_space_of(pointed_to, Terms::Simplified);
        Attempt::of(product, abstracting)
    }

    fn of(mut product: Product<'a>, abstracting: bool) -> Attempt<'a> {
        let common_calls = product.space.record_common_calls();
        let calls = product.has_targets().then(|| product.space.record_calls());
        Attempt { product, abstracting, common_calls, calls }
    }

    /// The same once more, with terms that stay as they are built.
    pub(super) fn again_as_built(&self) -> Attempt<'a> {
        let Product { task, facts, .. } = self.product;
        let product = Product::new(task, facts, self.product.budget());
        let product = product.in_space_of(self.product.space.pointed_to(), Terms::AsBuilt);
        Attempt::of(product, self.abstracting)
    }

    /// D for this way of treating callees.
    pub(super) fn form(&mut self) -> Result<Formed, Stop> {
        let abstracting = Abstracting { known: self.abstracting, unbounded: true };
        self.product.treat_by_judgement(abstracting)?;
        self.product.formed()
    }

    /// Executes both sides and asks whether they differ.
    pub(super) fn run(&mut self, budget: &Budget) -> Result<Findings, Stop> {
        let formed = self.form()?;
        let (task, facts) = (self.product.task, self.product.facts);
        let pair = task.comparison.pair(task.pair);
        let both_end = Side::BOTH.into_iter().all(|side| facts.terminates(side, pair.of(side)));
        let (assertions, assumes) = self.product.assertions(&formed)?;
        let restricted = !assumes.is_empty();
        if self.product.space.refute(formed.differ, CASES)? {
            return match self.possible(&assertions, restricted, budget) {
                Ok(()) => {
                    let obligations = self.rewritten(&assertions, budget);
                    Ok(self.equal(obligations, both_end, true, assumes))
                }
                Err(findings) => Ok(*findings),
            };
        }
        let mut solver = solver::standard();
        let (answer, over_integers) = self.ask(&mut solver, &assertions, budget);
        let model = match answer {
            Answer::Unsat { .. } => {
                return match self.possible(&assertions, restricted, budget) {
                    Ok(()) => {
                        let pool = &self.product.space.pool;
                        let in_bits = || script(pool, NAME, &assertions).into_iter().collect();
                        let obligations = over_integers.unwrap_or_else(in_bits);
                        Ok(self.equal(obligations, both_end, false, assumes))
                    }
                    Err(findings) => Ok(*findings),
                };
            }
            Answer::Unknown(reason) => {
                return Ok(Findings::nothing(solver_reason(&reason)));
            }
            // No state is made of this one: it need not be an entry state.
            Answer::Sat(_) if self.product.space.is_any_call() => {
                return Ok(Findings::nothing(StopReason::incomplete(Incomplete::NoAttempt)));
            }
            Answer::Sat(model) => model,
        };
        let model = self.product.smaller(&formed, &assertions, model, &mut solver)?;
        // Where more is given of the entry, D alone says too much.
        let condition = match restricted {
            true => None,
            false => self.product.exact_condition(&formed, both_end)?,
        };
        let common = match condition {
            Some(_) => None,
            None => self.where_calls_are_equal(&formed, budget)?,
        };
        let found = match self.product.runnable(&formed, &model)? {
            Some(found) => Some(found),
            None => self.where_callees_differ(&formed, &assertions, budget)?,
        };
        let mut findings = match found {
            Some((entry, run)) => self.different(&formed, entry, condition, run, budget)?,
            None => Findings::nothing(StopReason::incomplete(Incomplete::Counterexample)),
        };
        findings.additions.extend(common);
        // There are additions only where nothing was taken for granted but what pointers are at entry.
        let in_calls = self.product.facts.holds_in_calls(&self.product.task, true);
        findings.additions.iter_mut().for_each(|addition| addition.holds_in_calls = in_calls);
        Ok(findings)
    }

    /// What solvers say of assertions: bit by bit, and over the integers if that takes long. Products, quotients and parts of words are often
    /// plain there. With the obligations of what was refuted over the integers.
    fn ask(
        &mut self,
        solver: &mut impl Decide,
        assertions: &[TermId],
        budget: &Budget,
    ) -> (Answer, Option<Vec<Obligation>>) {
        let pool = &mut self.product.space.pool;
        let whole = budget.left().max(Effort::millis(10));
        let query = Query { assertions, assumptions: &[] };
        // Where there is a product, bits may take all that there is.
        let first = if is_hard(pool, assertions) { whole / 4 } else { whole / 4 * 3 };
        match solver.decide(pool, &query, &SolverLimits::effort(first)) {
            Answer::Unknown(Reason::Time | Reason::Resource) => {}
            answer => return (answer, None),
        }
        if let Some(shown) = over_integers(pool, NAME, assertions, budget.left() / 4) {
            return (Answer::Unsat { core: vec![] }, Some(shown));
        }
        let rest = budget.left().max(Effort::millis(10));
        (solver.decide(pool, &query, &SolverLimits::effort(rest)), None)
    }

    /// What stands for a proof by rewriting: the formula before it was rewritten, or after.
    fn rewritten(&self, assertions: &[TermId], budget: &Budget) -> Vec<Obligation> {
        let again = self.as_built(NAME, None, budget);
        again.or_else(|| script(&self.product.space.pool, NAME, assertions)).into_iter().collect()
    }

    /// Another counterexample, in which a callee is called with arguments for which it is known to differ
    /// ([`Product::targets`]).
    fn where_callees_differ(
        &mut self,
        formed: &Formed,
        assertions: &[TermId],
        budget: &Budget,
    ) -> Result<Option<Runnable>, Stop> {
        let Some(calls) = &self.calls else { return Ok(None) };
        let targets = self.product.targets(&calls.records())?;
        if targets.is_empty() {
            return Ok(None);
        }
        let mut all = assertions.to_vec();
        all.push(self.product.space.or(&targets)?);
        let limits = SolverLimits::effort((budget.left() / 2).max(Effort::millis(10)));
        let query = Query { assertions: &all, assumptions: &[] };
        match solver::standard().decide(&mut self.product.space.pool, &query, &limits) {
            Answer::Sat(model) => self.product.runnable(formed, &model),
            _ => Ok(None),
        }
    }

    /// Whether any input fulfils the user's preconditions: from those that exclude each other everything follows. Without
    /// preconditions there is one, all zero. The last assertion is D.
    fn possible(
        &mut self,
        assertions: &[TermId],
        restricted: bool,
        budget: &Budget,
    ) -> Result<(), Box<Findings>> {
        let Some((_, given)) = assertions.split_last().filter(|_| restricted) else {
            return Ok(());
        };
        let time = budget.left().clamp(Effort::millis(10), Effort::seconds(2));
        let limits = SolverLimits::effort(time);
        let query = Query { assertions: given, assumptions: &[] };
        match solver::standard().decide(&mut self.product.space.pool, &query, &limits) {
            Answer::Sat(_) => Ok(()),
            Answer::Unsat { .. } => {
                let reason = StopReason::incomplete(Incomplete::NoInput);
                Err(Box::new(Findings { hopeless: true, ..Findings::nothing(reason) }))
            }
            Answer::Unknown(reason) => Err(Box::new(Findings::nothing(solver_reason(&reason)))),
        }
    }

    /// U is valid.
    fn equal(
        &mut self,
        obligations: Vec<Obligation>,
        both_end: bool,
        by_rewriting: bool,
        assumes: Vec<Assumption>,
    ) -> Findings {
        let uses = self.product.uses();
        let (rule, truth) = (Rule::Flat { by_rewriting }, Formula::truth());
        let mut additions =
            vec![addition(Field::EqualUnder, truth.clone(), rule, obligations, uses)];
        if both_end {
            let rule = Rule::AlwaysEnds { ranked: None };
            additions.push(addition(Field::AlikeUnder, truth, rule, vec![], vec![]));
        } else if assumes.is_empty() && self.makes_the_same_calls() {
            let rule = Rule::MutualTermination;
            additions.push(addition(Field::AlikeUnder, truth, rule, vec![], self.product.uses()));
        }
        // A proof by rewriting used nothing of what is taken for granted of pointers at entry; a caller may pass any.
        let facts = self.product.facts;
        let in_calls = self.product.space.is_any_call()
            || facts.holds_in_calls(&self.product.task, !by_rewriting);
        // Whoever calls it need not know of what was assumed.
        let in_calls = in_calls && assumes.is_empty();
        additions.iter_mut().for_each(|addition| addition.holds_in_calls = in_calls);
        // Only where these hold no outcome differs.
        additions[0].evidence.assumes = assumes;
        additions[0].evidence.equal_when_left = self.product.space.counts_requests();
        Findings { additions, common_run: both_end, ..Findings::default() }
    }

    /// Whether both versions terminate alike because they are equal: they wait for nothing but the same calls of functions outside
    /// ([`ProgramFacts::waits_visibly`]), and for callees that terminate alike. Asked of regions only: where something around them is
    /// not supported, nobody else finds that out.
    fn makes_the_same_calls(&mut self) -> bool {
        let (task, facts) = (self.product.task, self.product.facts);
        let pair = task.comparison.pair(task.pair);
        let alike = |used: &PairId| task.judgement_of(*used).is_some_and(Judgement::is_alike);
        task.comparison.sub_pairs.iter().any(|(_, sub)| *sub == task.pair)
            && Side::BOTH.into_iter().all(|side| facts.waits_visibly(side, pair.of(side)))
            && self.product.uses().iter().all(alike)
    }

    fn different(
        &mut self,
        formed: &Formed,
        (old, new): (EntryState, EntryState),
        condition: Option<TermId>,
        common_run: bool,
        budget: &Budget,
    ) -> Result<Findings, Stop> {
        let mut additions = vec![];
        let mut differ = None;
        let mut unique = false;
        let mut effect = None;
        if let Some(condition) = condition {
            let equal = self.product.space.not(condition)?;
            let uses = self.product.uses();
            let formula = |space: &Space, term| Formula::of(&space.pool, term);
            let outside = formula(&self.product.space, equal)?;
            // The formula that the condition was rewritten from says nothing outside of it.
            let name = "no outcome differs elsewhere";
            let obligations = self.as_built(name, Some(&outside), budget).into_iter().collect();
            // Where everything differs there is no outside.
            if !outside.is_false() {
                additions.push(addition(
                    Field::EqualUnder,
                    outside,
                    Rule::FlatCondition,
                    obligations,
                    uses.clone(),
                ));
            }
            additions.push(addition(
                Field::AlikeUnder,
                Formula::truth(),
                Rule::AlwaysEnds { ranked: None },
                vec![],
                vec![],
            ));
            let inside = formula(&self.product.space, condition)?;
            let rule = Rule::FlatCondition;
            differ = Some(addition(Field::DifferUnder, inside, rule, vec![], uses));
            unique = self.product.is_unique(formed, condition, &old)?;
            effect = self.product.effect(formed, condition)?;
        }
        let candidate =
            Candidate { condition: differ, unique, effect, ..Candidate::new("flat", old, new) };
        Ok(Findings { additions, candidates: vec![candidate], common_run, ..Findings::default() })
    }
}

fn solver_reason(reason: &Reason) -> StopReason {
    match reason {
        Reason::Time | Reason::Interrupted | Reason::Resource => StopReason::Time,
        Reason::Memory => StopReason::Memory,
        // It was not believed: the same as no answer. (z3 is free to choose the bits of a NaN.)
        Reason::WrongModel { .. } => StopReason::incomplete(Incomplete::WrongModel),
        Reason::Incomplete(why) => StopReason::incomplete(Incomplete::SolverGaveUp(why.clone())),
        other => StopReason::incomplete(Incomplete::SolverFailed(other.to_string())),
    }
}
