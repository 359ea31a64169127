//! One goal: both bodies executed, and the question whether their outcomes can differ.

use super::super::policy::treat_others;
use super::super::prove::{Goal as Shape, Premises, leaves_of, obligation};
use super::coordinate::{ArgumentPoint, width_of};
use super::{Goal, Related, Unfolding};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_judge::{Budget, Obligation, PairId, Side};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::solver::Answer;
use verdiff_logic::{Assignment, LogicError, TermId, TermPool, Value};
use verdiff_model::{ProcId, Type};
use verdiff_product::Product;
use verdiff_product::callees::{Function, Treatment};
use verdiff_product::plain::entry_of;
use verdiff_product::solver_queries::{ask, by_cases, products};
use verdiff_symex::callee::UseOfPaths;
use verdiff_symex::effects::ProcedureEffects;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::record::CallRecord;
use verdiff_symex::space::Space;

/// What executing one body may cost.
pub(super) const TERMS: usize = 300_000;
pub(super) const DEPTH: usize = 24;
/// How many cases are looked at before a solver is asked.
const CASES: usize = 300;
/// Executions with more terms than this are not made again for evidence.
const MAX_AGAIN: usize = 60_000;
/// What the first question about a goal may take.
const SOON: Effort = Effort::millis(10);
/// How often relations are weakened in one proof before it is given up.
pub(super) const ROUNDS: usize = 60;

/// What came of a goal.
pub enum Checked {
    Proved(Proved),
    Failed,
}

/// A proof of one goal.
pub struct Proved {
    pub obligation: Option<Obligation>,
    pub judged: BTreeSet<PairId>,
    /// The ties that it assumes.
    pub used: BTreeSet<usize>,
    /// The ties whose relations were weakened on the way.
    pub weakened: BTreeSet<usize>,
    pub unfolding: Unfolding,
}

/// A call that was met, or the execution itself.
pub struct Call {
    pub made: CallRecord,
    pub procedure: ProcId,
    pub whole: bool,
}

/// Both bodies, executed.
pub struct Executed {
    pub space: Space,
    /// What does not depend on relations.
    given: Vec<TermId>,
    differ: TermId,
    pub calls: [Vec<Call>; 2],
    judged: BTreeSet<PairId>,
}

impl Related<'_> {
    /// Tries to prove a goal, weakening relations where they stand in the way.
    pub fn check(
        &mut self,
        goal: Goal,
        unfolding: Unfolding,
        budget: &Budget,
    ) -> Result<Checked, Stop> {
        let mut weakened = BTreeSet::new();
        for _ in 0..ROUNDS {
            if budget.is_over() {
                break;
            }
            let mut asked = false;
            let Some(mut executed) = self.execute(goal, unfolding, false, budget)? else {
                return Ok(Checked::Failed);
            };
            let said = self.said_by_contracts(&mut executed.space, &executed.calls)?;
            executed.given.extend(said);
            let assumed = self.assumed(&mut executed)?;
            let related = self.related(goal, &mut executed)?;
            let mut assertions = executed.given.clone();
            assertions.extend(&related);
            assertions.extend(&assumed.facts);
            assertions.push(executed.differ);
            let space = &mut executed.space;
            // With what is assumed put in, both sides often say the same; then no solver is needed, nor could it multiply.
            let differ = space
                .pool
                .substitute(executed.differ, &assumed.answers.iter().copied().collect())?;
            let differ = space.tidy(differ)?;
            let mut all = related.clone();
            all.push(differ);
            let all = space.and(&all)?;
            let mut answers = vec![];
            let until = effort::spent() + budget.left() / 2;
            // Products are hard on solvers, and often gone once it is known which case it is.
            let multiplies = products(space, &[all]) > 0;
            let left = space.left_open(all, CASES, until, multiplies)?;
            if left.is_empty() {
                answers.push(Answer::Unsat { core: vec![] });
            } else {
                let mut short = executed.given.clone();
                short.extend(&related);
                short.push(differ);
                let apart = match multiplies {
                    true => by_cases(space, &executed.given, &left, &short, budget)?,
                    false => None,
                };
                answers.push(match apart {
                    Some(answer) => answer,
                    None => ask_stepwise(space, &mut short, &related, &assumed.pairs, budget)?,
                });
            }
            let mut changed = BTreeSet::new();
            while let Some(answer) = answers.pop() {
                match answer {
                    Answer::Unsat { .. } => {
                        let size = executed.space.pool.len();
                        let again =
                            (size < MAX_AGAIN).then(|| self.as_built(goal, unfolding, budget));
                        let again = again.and_then(Result::ok).flatten();
                        let obligation = again
                            .or_else(|| obligation(&executed.space, self.claim(goal), &assertions));
                        let (judged, used) = (executed.judged, assumed.used);
                        let proved = Proved { obligation, judged, used, weakened, unfolding };
                        return Ok(Checked::Proved(proved));
                    }
                    Answer::Unknown(_) => {}
                    Answer::Sat(model) => {
                        changed = self.weaken(&executed, &model)?;
                        // The substitution says less than the facts do.
                        if changed.is_empty() && !asked {
                            asked = true;
                            answers.push(ask(&mut executed.space, &assertions, budget));
                        }
                    }
                }
            }
            if changed.is_empty() {
                break;
            }
            weakened.extend(changed);
        }
        Ok(Checked::Failed)
    }

    fn claim(&self, goal: Goal) -> String {
        format!("no outcome of {} differs", self.name(goal))
    }

    /// What was shown, before any rewriting, for another solver; kept only if it is seen to be unsatisfiable.
    fn as_built(
        &self,
        goal: Goal,
        unfolding: Unfolding,
        budget: &Budget,
    ) -> Result<Option<Obligation>, Stop> {
        let Some(mut executed) = self.execute(goal, unfolding, true, budget)? else {
            return Ok(None);
        };
        let said = self.said_by_contracts(&mut executed.space, &executed.calls)?;
        executed.given.extend(said);
        let assumed = self.assumed(&mut executed)?;
        let mut assertions = executed.given.clone();
        assertions.extend(self.related(goal, &mut executed)?);
        assertions.extend(&assumed.facts);
        assertions.push(executed.differ);
        let shortly = budget.at_most(Effort::millis(300));
        let holds = ask(&mut executed.space, &assertions, &shortly).is_unsat();
        Ok(holds.then(|| obligation(&executed.space, self.claim(goal), &assertions)).flatten())
    }

    fn procedures(&self, goal: Goal) -> [ProcId; 2] {
        match goal {
            Goal::Root => {
                let pair = self.task.comparison.pair(self.task.pair);
                [pair.old, pair.new]
            }
            Goal::Tie(number) => [self.ties[number].old, self.ties[number].new],
        }
    }

    /// What a goal is called.
    pub fn name(&self, goal: Goal) -> String {
        self.facts.programs[0].procedure(self.procedures(goal)[0]).name.clone()
    }

    fn execute(
        &self,
        goal: Goal,
        unfolding: Unfolding,
        as_built: bool,
        budget: &Budget,
    ) -> Result<Option<Executed>, Stop> {
        let roots = self.procedures(goal);
        let nothing = BTreeSet::new();
        let premises = Premises {
            task: self.task,
            facts: self.facts,
            matching: self.matching,
            assumed: &nothing,
            any_shape: self.any_shape,
            in_calls: self.in_calls,
            valid: false,
            dropped: None,
            under: None,
            as_built,
        };
        let mut product = premises.product(budget);
        let recorded = product.space.record_calls();
        treat_others(&mut product, self.matching, &nothing, roots)?;
        let with_memory = Side::BOTH
            .into_iter()
            .all(|side| self.facts.locals(side, roots[side.index()]).is_empty());
        let names = self.cut_to_functions(&mut product, roots, with_memory)?;
        product.policy.unfold = unfolding.unfold;
        let mut outcomes = vec![];
        let mut wholes = [None, None];
        let deeper = unfolding.unfold[0].max(unfolding.unfold[1]);
        // What is unfolded that often must become simple by itself.
        let terms = if deeper > 8 { TERMS / 20 } else { TERMS };
        let limits = ExecutionLimits { terms, depth: DEPTH + deeper };
        let shape = if goal == Goal::Root { Shape::Root } else { Shape::Coupling(0) };
        let entries = match goal {
            Goal::Root => {
                let entry = premises.entry(&mut product.space, Shape::Root)?;
                [entry.clone(), entry]
            }
            Goal::Tie(number) => self.tied_entries(&mut product.space, number, roots)?,
        };
        let start = premises.start(shape);
        for side in Side::BOTH {
            let (root, entry) = (roots[side.index()], &entries[side.index()]);
            let cut = self.cut[side.index()].contains(&root);
            let function = product.policy.function(side, root).filter(|_| cut).cloned();
            let Some(Function { abstraction: view, .. }) = function else {
                outcomes.push(product.run(side, root, entry, start, limits)?);
                continue;
            };
            let (outcome, made) =
                product.run_as_call(side, root, entry, start, limits, &view, with_memory)?;
            // Where its memory is not told nothing may be concluded from it.
            if with_memory || view.writes.is_empty() {
                wholes[side.index()] = Some(Call { made, procedure: root, whole: true });
            }
            outcomes.push(outcome);
        }
        if product.usage.undescribed {
            return Ok(None);
        }
        let space = &mut product.space;
        for outcome in &mut outcomes {
            // How a run ends is a number of eight bits, whatever frame it ended in.
            let low = space.pool.extract(7, 0, outcome.how)?;
            outcome.how = space.pool.zero_extend(8, low)?;
        }
        if let Goal::Tie(number) = goal
            && let Some(waiting) = self.ties[number].results.other()
            && let Some(result) = outcomes[waiting].results.first().copied()
        {
            let args = [&entries[0].args[..], &entries[1].args[..]];
            outcomes[waiting].results[0] =
                self.ties[number].results.as_the_other(space, result, args)?;
        }
        let differ = premises.differ(space, shape, roots, &outcomes)?;
        let mut given = product.space.axioms()?;
        given.extend(product.aligned_cells()?);
        let space = &mut product.space;
        if goal == Goal::Root && !self.in_calls {
            given.extend(premises.valid_pointers(space, shape, &entries[0])?);
        }
        given.extend(space.lemmas().iter().copied());
        let mut calls = [vec![], vec![]];
        for made in recorded.take() {
            if let Some((side, procedure)) = names.get(&made.name).copied() {
                calls[side].push(Call { made, procedure, whole: false });
            }
        }
        for (side, whole) in wholes.into_iter().enumerate() {
            calls[side].extend(whole);
        }
        let judged = product.judgements_used();
        Ok(Some(Executed { space: product.space, given, differ, calls, judged }))
    }

    /// The states from which both sides of a tie start: any two that its relation relates.
    fn tied_entries(
        &self,
        space: &mut Space,
        number: usize,
        roots: [ProcId; 2],
    ) -> Result<[Entry; 2], Stop> {
        let regions = &self.facts.regions;
        let procedure = |side: usize| self.facts.programs[side].procedure(roots[side]);
        let unset =
            |side: Side| self.facts.unset(&[(side, roots[side.index()], procedure(side.index()))]);
        let mut old = entry_of(space, regions, procedure(0), "old.", &unset(Side::Old))?;
        let mut new = entry_of(space, regions, procedure(1), "new.", &unset(Side::New))?;
        let mut args = [old.args.clone(), new.args.clone()];
        let mut flags = [old.set.clone(), new.set.clone()];
        self.ties[number].relation.substitute(space, &mut args, &mut flags)?;
        [old.args, new.args] = args;
        [old.set, new.set] = flags;
        Ok([old, new])
    }

    /// Treats what is cut as functions of each version's own, with the runs that make no further call, after unfolding:
    /// their names.
    pub fn cut_to_functions(
        &self,
        product: &mut Product<'_>,
        roots: [ProcId; 2],
        with_memory: bool,
    ) -> Result<BTreeMap<String, (usize, ProcId)>, Stop> {
        // One list of inputs and outputs for all, so that calls of both sides can be compared.
        let mut effects = ProcedureEffects::default();
        let mut returns = true;
        for side in Side::BOTH {
            for id in &self.cut[side.index()] {
                effects.extend(self.facts.effects(side, *id));
                returns &= self.facts.returns_if_it_ends(side, *id);
            }
        }
        // Each version has its own functions here, and a tie makes all their outputs equal, the dead objects among them.
        let manages = |side: Side| {
            let cut = self.cut[side.index()].iter();
            cut.copied().any(|id| self.facts.manages_heap(side, id))
        };
        let heap_described = product.space.is_any_call() && !Side::BOTH.into_iter().any(manages);
        let (mut cut, mut names) = (vec![], BTreeMap::new());
        for side in Side::BOTH {
            for id in self.facts.reached(side, roots[side.index()]) {
                if !self.cut[side.index()].contains(&id) {
                    continue;
                }
                let procedure = self.facts.programs[side.index()].procedure(id);
                let name = format!("call.{}.{}.{}", procedure.name, side.index(), id.index());
                let unset = match procedure.outlined_from {
                    Some(_) => self.facts.unset(&[(side, id, procedure)]),
                    None => vec![],
                };
                let (regions, prefix) = (&self.facts.regions, format!("{name}."));
                let entry =
                    Rc::new(entry_of(&mut product.space, regions, procedure, &prefix, &unset)?);
                let mut function = product.unproved(&name, entry.clone(), &[&effects]);
                function.abstraction.returns = returns;
                function.heap_described = heap_described;
                let mut leaves = leaves_of(product, side, id, &entry)?;
                // Others do not say which memory they take as initialised.
                leaves.retain(|leaf| !self.in_calls || leaf.is_about_arguments(&product.space));
                function.abstraction.summaries = leaves;
                function.abstraction.use_of_paths = UseOfPaths::Facts { with_memory };
                names.insert(name, (side.index(), id));
                cut.push((side, id, function));
            }
        }
        for (side, id, function) in cut {
            product.policy.treat(side, id, Treatment::Unfolded { function, by_lemma: false });
        }
        Ok(names)
    }

    pub fn tie(&self, old: ProcId, new: ProcId) -> Option<usize> {
        self.ties.iter().position(|tie| tie.active && tie.old == old && tie.new == new)
    }

    /// Weakens a relation of calls that a model makes and that it does not hold of: which.
    ///
    /// Calls that already belong together are left alone, and so are the calls of an execution that belongs to a call of the
    /// other side as a whole. Of the others the nearest two are taken to belong together.
    fn weaken(&mut self, executed: &Executed, model: &Assignment) -> Result<BTreeSet<usize>, Stop> {
        let pool = &executed.space.pool;
        let mut made: [Vec<&Call>; 2] = [vec![], vec![]];
        for (side, calls) in executed.calls.iter().enumerate() {
            for call in calls {
                if pool.eval(call.made.when, model)?.as_bool() == Some(true) {
                    made[side].push(call);
                }
            }
        }
        let mut near: Vec<(usize, usize, usize, usize, ArgumentPoint)> = vec![];
        for (i, old) in made[0].iter().enumerate() {
            for (j, new) in made[1].iter().enumerate().filter(|(_, n)| !(old.whole && n.whole)) {
                let Some(number) = self.tie(old.procedure, new.procedure) else { continue };
                let Some(point) = point(pool, model, [old, new])? else { continue };
                near.push((self.ties[number].relation.broken(&point), i, j, number, point));
            }
        }
        near.sort_by_key(|(broken, i, j, ..)| (*broken, *i, *j));
        let mut done: [BTreeSet<usize>; 2] = [BTreeSet::new(), BTreeSet::new()];
        for (broken, i, j, number, point) in near {
            if done[0].contains(&i) || done[1].contains(&j) {
                continue;
            }
            if broken > 0 {
                self.ties[number].relation.join(&point);
                return Ok(BTreeSet::from([number]));
            }
            for (side, at) in [i, j].into_iter().enumerate() {
                match made[side][at].whole {
                    true => done[side].extend(0..made[side].len()),
                    false => drop(done[side].insert(at)),
                }
            }
        }
        Ok(BTreeSet::new())
    }

    /// The widths of a procedure's parameters, and whether they are pointers; `None` if one of them is no number.
    pub fn widths(&self, side: Side, id: ProcId) -> Option<Vec<(u32, bool)>> {
        let mut space = Space::new();
        let procedure = self.facts.programs[side.index()].procedure(id);
        let entry = entry_of(&mut space, &self.facts.regions, procedure, "", &[]).ok()?;
        let pointers = procedure.params.iter().map(|p| procedure.var(*p).ty == Type::Ptr);
        let widths = entry.args.iter().map(|arg| width_of(&space, *arg));
        widths.zip(pointers).map(|(width, pointer)| Some((width?, pointer))).collect()
    }
}

/// What a solver says of assertions that follow from `related` and what else is given. One question about all that relates the calls of both
/// sides is hard where there are many facts, although each of them is easily seen to hold. So if it is not answered soon, the
/// facts are asked for one by one. Those that follow from `related` where both calls are made are added: that changes no answer.
pub(super) fn ask_stepwise(
    space: &mut Space,
    assertions: &mut Vec<TermId>,
    related: &[TermId],
    pairs: &[(TermId, Vec<TermId>)],
    budget: &Budget,
) -> Result<Answer, LogicError> {
    let soon = ask(space, assertions, &budget.at_most(SOON * 2));
    if !matches!(soon, Answer::Unknown(_)) || budget.left() < SOON {
        return Ok(soon);
    }
    let truth = space.pool.truth();
    for (made, facts) in pairs {
        for fact in facts.iter().filter(|fact| **fact != truth) {
            let mut question = related.to_vec();
            question.extend([*made, space.not(*fact)?]);
            if ask(space, &question, &budget.at_most(SOON)).is_unsat() {
                let otherwise = space.not(*made)?;
                assertions.push(space.or(&[otherwise, *fact])?);
            }
        }
    }
    Ok(ask(space, assertions, budget))
}

/// The arguments of two calls in a model.
fn point(
    pool: &TermPool,
    model: &Assignment,
    calls: [&Call; 2],
) -> Result<Option<ArgumentPoint>, LogicError> {
    let mut point: ArgumentPoint = [vec![], vec![]];
    for (side, call) in calls.into_iter().enumerate() {
        for (arg, flag) in call.made.args.iter().zip(&call.made.flags) {
            let Value::Bits(bits) = pool.eval(*arg, model)? else { return Ok(None) };
            let Some(value) = bits.to_u128() else { return Ok(None) };
            let set = pool.eval(*flag, model)?.as_bool() == Some(true);
            point[side].push(set.then_some(value));
        }
    }
    Ok(Some(point))
}
