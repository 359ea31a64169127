//! Versions that call themselves: what they return is a function that is known.
//!
//! `power(b, e)` by `b * power(b, e - 1)` and by the square of `power(b, e / 2)`; Fibonacci numbers by two calls, against a
//! loop. No calls of the two versions belong together. But what a recursive version returns may be a function that has
//! a name here ([`functions`](super::functions)): a power, a number of bits, or what a variable of the other version's loop is
//! after so many iterations.
//!
//! # Why that is sound
//!
//! A version q of which this is asked calls nothing but itself and what can be executed: each call that is recorded when its body
//! is executed is one of q (`Proving::body`). It reads and writes no memory, makes no
//! objects and does no I/O; its parameters are integers, and so is the one result ([`may_be_known`]). Let Φ be a
//! function of its parameters that always has a value. H(d): every run of q that ends, and in which calls of q are nested at
//! most d deep, returns Φ(x), where x are its arguments, whatever they are.
//!
//! Given H(d - 1), take a run of x with depth d that ends. Each of its calls ends, and is less deep; so it returns Φ of its
//! arguments. The body is executed with its calls as a function P of which nothing is known. Where P(y) returned Φ(y), the body
//! is shown to return, and to return Φ(x): that is H(d). Nothing is assumed of x, neither what the user gives nor what
//! holds of pointers, for calls have any arguments. Every run that ends has a depth, so all that end return Φ.
//!
//! If both versions are recursive, the same Φ is shown of both: where both end, both return it. If the other one has a loop,
//! a run of q that ends is a run that returns Φ of the parameters at once, and the proof goes on with that in place of its body.
//!
//! ✗ `f(n) = n ? f(n - 1) : 0` against `1`: Φ = 0 is shown, and the other one does not return it. ✗ A base case that is never
//! reached: the run does not end, and nothing is said of it. ✗ `power(b, e / 2)` squared without the factor of an odd e.

use super::super::alignment::Alignment;
use super::super::invariant::{Invariant, Var};
use super::super::prove::Proving;
use super::super::runs::Run;
use super::super::step::{At, LIMITS, Stepping};
use super::super::{Cut, CutPoint, Node, width};
use super::forms::{Form, Visits};
use super::rewrite::Open;
use super::{Related, only_way, result_width};
use std::collections::BTreeMap;
use std::rc::Rc;
use verdiff_judge::{Budget, Obligation, Side, Task};
use verdiff_logic::{LogicError, TermId};
use verdiff_model::Type;
use verdiff_product::{ProgramFacts, Start};
use verdiff_symex::execute::Stop;
use verdiff_symex::outcome::{Outcome, how};
use verdiff_symex::record::CallRecord;
use verdiff_symex::space::Space;

const START: Node = [CutPoint::Start, CutPoint::Start];

/// What recursive versions return.
pub struct Returned {
    pub obligations: Vec<Obligation>,
    /// For people.
    pub invariant: Invariant,
}

/// What the body of a recursive version returns, by its parameters.
struct Body {
    at: At,
    /// With calls of functions that are known in place of its calls.
    result: TermId,
}

impl Proving<'_, '_> {
    /// Shows of each recursive version that it returns a function of its parameters, the same if both are recursive. Steps
    /// begin with that from then on.
    pub fn returned(&mut self, budget: &Budget) -> Result<Option<Returned>, Stop> {
        let cut = self.stepping.cut;
        let Some(width) = result_width(&self.stepping.task, cut) else { return Ok(None) };
        self.trace_loop()?;
        let sides: Vec<usize> = (0..2).filter(|side| cut.recursive[*side]).collect();
        let vars = parameters(cut, &self.stepping.task);
        let runs = self.alignment.runs.clone();
        // Runs in which they return different results are refuted before.
        let visits = Visits::of_entries(&runs, sides[0], &vars, width);
        let forms = visits.forms(&self.folds.functions, &self.folds.tables, &[]);
        for form in forms {
            let mut obligations = vec![];
            let mut terms = vec![];
            for side in &sides {
                let found = self.returns((&visits, &runs), *side, form, budget)?;
                let Some((term, shown)) = found else { break };
                obligations.extend(shown);
                terms.push((*side, term));
            }
            if terms.len() < sides.len() || terms.iter().any(|(_, term)| *term != terms[0].1) {
                continue;
            }
            let mut invariant = Invariant::same_start();
            let name = |index: usize| parameter_name(cut, &self.stepping.task, index);
            let looping = self.folds.lead;
            let head = cut.heads[looping].first().copied();
            let traced = |index: usize| {
                let head = head.map_or(CutPoint::Start, CutPoint::Head);
                cut.variable(&self.stepping.task, looping, head, index)
            };
            let said = visits.text(&self.folds.functions, [&name, &traced], form);
            for (side, term) in terms {
                let text = format!("{}.result == {said}", ["old", "new"][side]);
                invariant.related.push(Related { left: term, right: term, data: vec![], text });
                self.stepping.returned[side] = Some(term);
            }
            return Ok(Some(Returned { obligations, invariant }));
        }
        Ok(None)
    }

    /// Traces the loop of the version that is not recursive, if there is one.
    fn trace_loop(&mut self) -> Result<(), Stop> {
        let cut = self.stepping.cut;
        let Some(lead) = (0..2).find(|side| !cut.recursive[*side]) else { return Ok(()) };
        let Some(head) = cut.heads[lead].first().copied() else { return Ok(()) };
        let mut node = [CutPoint::End, CutPoint::End];
        node[lead] = CutPoint::Head(head);
        let start = self.stepping.step(START, self.alignment.at(START), 0)?;
        let step = self.stepping.step(node, self.alignment.at(node), 1)?;
        let vars = cut.vars(&self.stepping.task, node);
        let (Some(first), Some(round)) = (only_way(&start, node), only_way(&step, node)) else {
            return Ok(());
        };
        let runs = self.alignment.runs.clone();
        let space = &mut self.stepping.product.space;
        let folds = &mut self.folds;
        folds.lead = lead;
        let mut widths: Vec<u32> =
            parameters(cut, &self.stepping.task).iter().map(|var| var.width).collect();
        widths.sort_unstable();
        widths.dedup();
        for width in widths {
            for signed in [false, true] {
                let params = &start.at[0].values;
                let what = (lead, width, signed);
                folds.functions.trace(space, what, params, (first, round), (&step, &vars))?;
            }
        }
        for trace in &folds.functions.traces {
            let of = |run: &Run| trace.numbers(space, &run.entry);
            folds.tables.push(runs.iter().map(of).collect());
        }
        Ok(())
    }

    /// Shows that a version returns what a form says: that, over its parameters.
    fn returns(
        &mut self,
        (visits, runs): (&Visits, &[Run]),
        side: usize,
        form: Form,
        budget: &Budget,
    ) -> Result<Option<(TermId, Vec<Obligation>)>, Stop> {
        let Some(Body { at, result }) = self.body((visits, runs), side, form)? else {
            return Ok(None);
        };
        let space = &mut self.stepping.product.space;
        let Some(term) = visits.term(space, &mut self.folds.functions, (&at, runs), form)? else {
            return Ok(None);
        };
        // Of any arguments, and with nothing else in it.
        let names = space.pool.free_names(&[term, result]);
        let is_argument = |symbol| at.values.contains(&space.pool.symbol_term(symbol));
        let is_known = |function| self.folds.functions.kinds.contains_key(&function);
        if !names.symbols.iter().copied().all(is_argument)
            || !names.functions.iter().copied().all(is_known)
            || space.pool.sort(term) != space.pool.sort(result)
        {
            return Ok(None);
        }
        let violated = space.pool.ne(result, term)?;
        let violated = space.tidy(violated)?;
        let name = format!("what the {} version returns", ["old", "new"][side]);
        let shown =
            self.refuted(&name, Open { of_body: true, ..Open::default() }, violated, budget)?;
        Ok(shown.map(|shown| (term, shown)))
    }

    /// What the body returns where its calls return what a form says; nothing if it may end otherwise.
    fn body(
        &mut self,
        (visits, runs): (&Visits, &[Run]),
        side: usize,
        form: Form,
    ) -> Result<Option<Body>, Stop> {
        let (at, outcome, calls) = self.stepping.body(side)?;
        // ✗ A call of another function that is recursive, too, does not return Φ.
        let own_name = self.stepping.own_names[side].as_ref();
        if calls.iter().any(|call| Some(&call.name) != own_name) {
            return Ok(None);
        }
        let space = &mut self.stepping.product.space;
        let truth = space.pool.truth();
        let mut map: BTreeMap<TermId, TermId> = BTreeMap::new();
        for call in calls {
            // Calls inside of others come first.
            let put = map.iter().map(|(a, b)| (*a, *b)).collect();
            let mut values = vec![];
            for value in &call.args {
                let value = space.pool.substitute(*value, &put)?;
                values.push(space.tidy(value)?);
            }
            let mut flags = vec![];
            for flag in &call.flags {
                let flag = space.pool.substitute(*flag, &put)?;
                flags.push(space.tidy(flag)?);
            }
            if flags.iter().any(|flag| *flag != truth) || call.results.len() != 1 {
                return Ok(None);
            }
            let there = At { values, flags: vec![], memory: vec![], arrays: vec![], world: truth };
            let term = visits.term(space, &mut self.folds.functions, (&there, runs), form)?;
            let Some(term) = term else { return Ok(None) };
            if space.pool.sort(term) != space.pool.sort(call.results[0]) {
                return Ok(None);
            }
            map.insert(call.results[0], term);
            if let Some(how) = call.how {
                let returned = space.pool.bits(width_of(space, how), how::RETURNED.into())?;
                map.insert(how, returned);
            }
        }
        let put = map.into_iter().collect();
        let mut settle = |term: TermId| -> Result<TermId, LogicError> {
            let term = space.pool.substitute(term, &put)?;
            space.tidy(term)
        };
        let returned = settle(outcome.returned)?;
        let Some(result) = outcome.results.first().copied() else { return Ok(None) };
        let set = outcome.set.first().copied().map(&mut settle).transpose()?;
        let result = settle(result)?;
        let is_plain = returned == truth && set.is_none_or(|set| set == truth);
        Ok(is_plain.then_some(Body { at, result }))
    }
}

impl Stepping<'_, '_> {
    /// The body of one side, executed from any parameters: these, how it ends, and the calls in it.
    fn body(&mut self, side: usize) -> Result<(At, Outcome, Vec<CallRecord>), Stop> {
        let (entries, at) = self.entries(START, 0, &mut vec![])?;
        let version = Side::BOTH[side];
        let root = self.task.comparison.pair(self.task.pair).of(version);
        self.calls.take();
        self.product.policy.unfold = [0, 0];
        let outcome = self.product.run(version, root, &entries[side], Start::Anywhere, LIMITS)?;
        let [old, new] = at;
        Ok((if side == 0 { old } else { new }, outcome, self.calls.take()))
    }
}

/// Whether a version may be a function that is known: of integers alone, with nothing but a result.
pub fn may_be_known(task: &Task<'_>, facts: &ProgramFacts, side: Side) -> bool {
    let id = task.comparison.pair(task.pair).of(side);
    let procedure = facts.programs[side.index()].procedure(id);
    let is_integer = |ty: &Type| matches!(ty, Type::Int(_)) && width(*ty) <= 64;
    let effects = facts.effects(side, id);
    let pure = effects.reads.is_empty() && effects.writes.is_empty() && !effects.world;
    facts.is_cyclic(side, id)
        && pure
        && !(effects.errno || effects.allocates || effects.frees)
        && procedure.results.len() == 1
        && procedure.results.iter().all(is_integer)
        && procedure.params.iter().all(|param| is_integer(&procedure.var(*param).ty))
}

fn width_of(space: &Space, term: TermId) -> u32 {
    space.pool.sort(term).width().unwrap_or(16)
}

/// The parameters, as variables of the old version at its start.
fn parameters(cut: &Cut, task: &Task<'_>) -> Vec<Var> {
    let types = cut.parameters(task).into_iter().enumerate();
    let var = |(index, ty)| Var { side: 0, index, width: width(ty), pointer: false };
    types.map(var).collect()
}

fn parameter_name(cut: &Cut, task: &Task<'_>, index: usize) -> String {
    let pair = task.comparison.pair(task.pair);
    let procedure = cut.facts.programs[0].procedure(pair.old);
    procedure.params.get(index).map_or_else(String::new, |p| procedure.var(*p).name.clone())
}

/// An alignment in which a version that is recursive has returned at once.
pub fn alignment(runs: &Rc<Vec<Run>>) -> Alignment {
    Alignment::of(vec![], runs)
}
