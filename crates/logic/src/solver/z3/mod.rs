//! z3 in this process.
//!
//! Queries that share a prefix of assertions reuse what z3 knows of it: what one query adds to the one before is a
//! level of z3's own stack. That solver is quick on small queries and weak on hard ones. What it does not decide within
//! a small budget is given to a fresh solver chosen for the logic of the query.

mod context;
mod cost;
mod ffi;
pub(super) mod horn;
mod kept_contexts;
mod shares;
pub(super) mod text;
mod watchdog;

use super::{Answer, Backend, Decide, Limits, Query, Reason, Stop};
use crate::assignment::Assignment;
use crate::bits::Bits;
use crate::cut::{self, Limit};
use crate::effort::{self, Deadline, Effort, Step};
use crate::eval::Evaluator;
use crate::op::Op;
use crate::smtlib::{ElementNames, Sexprs, logic_of, parse_value};
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use crate::value::{FunctionValue, Value};
use context::{Translation, copy};
use cost::{cost, resource_units};
pub use kept_contexts::KeptContexts;
use rustc_hash::FxHashMap;
use shares::{INCREMENTAL_BUDGET, INCREMENTAL_PART, at_first, is_undecided};
use watchdog::Watchdog;

/// Which of z3's solvers is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Strategy {
    /// The incremental one, and a fresh one when that uses up a small budget.
    #[default]
    Both,
    /// The incremental one alone.
    Incremental,
    /// A fresh one for every query.
    Fresh,
}

/// Cost (see [`cost()`]) beyond which the incremental solver is not asked at all. It translates hard
/// operators into clauses without ever looking whether it was interrupted.
const INCREMENTAL_COST: u64 = 64 * 64 * 8;

/// Queries with clauses of hard operators that cost more than this are not begun if that is many times their limit.
const TOO_DEAR: Effort = Effort::seconds(4);

/// How many times the resource units of a query its clauses may cost: z3 does not count while it creates them.
/// Measured: up to 200 times for a query that is a single division, about as much as the units for most others.
const CLAUSES_PER_UNIT: u64 = 50;

/// A context with more translated terms is dropped and started anew.
const MAX_TERMS: usize = 1_000_000;

/// z3 as a library in this process.
///
/// A limit on memory counts what z3 itself has allocated in this whole process, and is looked at
/// every few milliseconds; a hard limit needs a process of its own ([`super::Process`]).
pub struct Z3 {
    strategy: Strategy,
    /// Taken when the first query comes: most solvers are never asked, since the layers above have the answer.
    watchdog: Option<Watchdog>,
    state: Option<SolverState>,
    /// What was computed by [`cost()`], for the pool with this number.
    costs: (u64, FxHashMap<TermId, u64>),
}

struct SolverState {
    pool: u64,
    solver: Option<SolverHandle>,
    asserted: Vec<TermId>,
    /// How many assertions there were when each level of the solver was opened.
    levels: Vec<usize>,
    // Dropped last: the solver lives in it.
    translation: Translation,
}

// SAFETY: z3's contexts may be used from any thread, by one at a time; the state is only reached through `&mut Z3`.
unsafe impl Send for SolverState {}

/// A solver of a context, released on drop.
struct SolverHandle {
    context: ffi::Context,
    solver: ffi::SolverRef,
    resource_limit: u32,
}

impl SolverHandle {
    fn new(context: ffi::Context, solver: ffi::SolverRef) -> SolverHandle {
        // SAFETY: a solver just made by this context.
        unsafe { ffi::Z3_solver_inc_ref(context, solver) };
        SolverHandle { context, solver, resource_limit: 0 }
    }

    fn assert(&self, term: ffi::Ast) {
        // SAFETY: solver and term are of this context.
        unsafe { ffi::Z3_solver_assert(self.context, self.solver, term) };
    }

    fn set_resource_limit(&mut self, limit: Option<u64>) {
        let limit = limit.map_or(0, |limit| u32::try_from(limit).unwrap_or(u32::MAX).max(1));
        if limit == self.resource_limit {
            return;
        }
        self.resource_limit = limit;
        // SAFETY: plain calls on objects of this context; the parameters are released again.
        unsafe {
            let c = self.context;
            let params = ffi::Z3_mk_params(c);
            ffi::Z3_params_inc_ref(c, params);
            let name = ffi::Z3_mk_string_symbol(c, c"rlimit".as_ptr());
            ffi::Z3_params_set_uint(c, params, name, limit);
            ffi::Z3_solver_set_params(c, self.solver, params);
            ffi::Z3_params_dec_ref(c, params);
        }
    }
}

impl Drop for SolverHandle {
    fn drop(&mut self) {
        // SAFETY: the counterpart of the reference taken in `new`.
        unsafe { ffi::Z3_solver_dec_ref(self.context, self.solver) };
    }
}

impl Default for Z3 {
    fn default() -> Self {
        Z3::new()
    }
}

impl Z3 {
    /// z3 with both strategies.
    pub fn new() -> Z3 {
        Z3::with_strategy(Strategy::default())
    }

    /// z3 with a strategy.
    pub fn with_strategy(strategy: Strategy) -> Z3 {
        Z3 { strategy, watchdog: None, state: None, costs: Default::default() }
    }

    /// The version of the library.
    pub fn version() -> String {
        // SAFETY: gives a static string.
        copy(unsafe { ffi::Z3_get_full_version() })
    }

    /// Lets this thread use contexts again while the result lives, or the one that was there before it. What is asked
    /// may then depend on what was asked since, and on nothing before.
    pub fn keep_contexts() -> KeptContexts {
        KeptContexts::begin()
    }

    /// Bytes that z3 has allocated in this process.
    pub fn allocated() -> u64 {
        // SAFETY: reads a counter.
        unsafe { ffi::Z3_get_estimated_alloc_size() }
    }

    /// About how many clauses the hard operators of a query become.
    fn cost(&mut self, pool: &TermPool, query: &Query<'_>) -> u64 {
        if self.costs.0 != pool.id() {
            self.costs = (pool.id(), FxHashMap::default());
        }
        let costs = &mut self.costs.1;
        let terms = query.assertions.iter().chain(query.assumptions);
        terms.map(|term| *costs.entry(*term).or_insert_with(|| cost(pool, *term))).sum()
    }

    fn attempt(
        &mut self,
        pool: &TermPool,
        query: &Query<'_>,
        limits: &Limits,
        stop: &Stop,
        fresh: bool,
    ) -> Answer {
        let clauses = self.cost(pool, query);
        let outdated = |s: &SolverState| s.pool != pool.id() || s.translation.len() > MAX_TERMS;
        if self.state.as_ref().is_none_or(outdated) {
            self.state = None;
            self.state = Some(SolverState::new(pool.id()));
        }
        let Some(state) = &mut self.state else { return Answer::Unknown(Reason::Interrupted) };
        let watchdog = self.watchdog.get_or_insert_with(Watchdog::take);
        let answer = state.decide(pool, query, limits, stop, (fresh, clauses), watchdog);
        if let Answer::Unknown(reason) = &answer {
            // After an interrupt z3 keeps all it allocated; a fresh start frees it.
            if *reason != Reason::Resource {
                state.translation.intact = false;
                self.state = None;
            }
        }
        answer
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        self.watchdog.take().into_iter().for_each(Watchdog::put);
    }
}

impl Backend for Z3 {
    fn name(&self) -> String {
        "z3".to_string()
    }

    fn solve(
        &mut self,
        pool: &TermPool,
        query: &Query<'_>,
        limits: &Limits,
        stop: &Stop,
    ) -> Answer {
        if cut::is_reached(Limit::Query) {
            return Answer::Unknown(Reason::Resource);
        }
        let spending = limits.begin();
        let both = self.strategy == Strategy::Both;
        let fresh = self.strategy == Strategy::Fresh;
        let clauses = self.cost(pool, query);
        // z3 heeds nothing while it makes clauses of hard operators: what is far beyond the limit is not begun. Not
        // what is a little beyond it, for z3 often finds out without any clauses.
        let price = Effort::of(Step::Clause, clauses);
        if price > TOO_DEAR && limits.effort.is_some_and(|effort| effort * 8 < price) {
            return Answer::Unknown(Reason::Resource);
        }
        // Whoever counts steps wants them of the incremental solver, if they are few.
        let counted = limits.resource.is_some_and(|units| units <= INCREMENTAL_BUDGET);
        let mut again = None;
        if !(fresh || both && clauses > INCREMENTAL_COST) {
            let units = match (both && !counted, limits.units()) {
                (true, units) => Some(units.map_or(INCREMENTAL_BUDGET, at_first)),
                (false, units) => units,
            };
            let first = Limits { resource: units, ..*limits };
            let answer = self.attempt(pool, query, &first, stop, false);
            if !both || !is_undecided(&answer) || counted {
                return answer;
            }
            again = limits.units().filter(|units| *units < INCREMENTAL_BUDGET * INCREMENTAL_PART);
        }
        let left = match spending.more() {
            Ok(left) => left,
            Err(reason) => return Answer::Unknown(reason),
        };
        let part = if again.is_some() { 2 } else { 1 };
        let rest = Limits { resource: left.units().map(|units| units / part), ..left };
        let answer = self.attempt(pool, query, &rest, stop, true);
        if again.is_none() || !is_undecided(&answer) {
            return answer;
        }
        let left = match spending.more() {
            Ok(left) => left,
            Err(reason) => return Answer::Unknown(reason),
        };
        self.attempt(pool, query, &Limits { resource: left.units(), ..left }, stop, false)
    }
}

impl Decide for Z3 {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        self.solve(pool, query, limits, &Stop::new())
    }
}

impl SolverState {
    fn new(pool: u64) -> SolverState {
        SolverState {
            pool,
            solver: None,
            asserted: Vec::new(),
            levels: Vec::new(),
            translation: Translation::new(),
        }
    }

    fn decide(
        &mut self,
        pool: &TermPool,
        query: &Query<'_>,
        limits: &Limits,
        stop: &Stop,
        (fresh, clauses): (bool, u64),
        watchdog: &Watchdog,
    ) -> Answer {
        let c = self.translation.context;
        // Asserting and opening levels make z3 work as well, so they are watched too.
        let (checked, fired) = watchdog.run(c, limits, stop, || {
            let (mut solver, proxies) = self.prepare(pool, query, fresh)?;
            solver.set_resource_limit(limits.resource);
            // SAFETY: solver and assumptions are of this context, which nobody else uses.
            let status = unsafe {
                let n = proxies.len() as u32;
                ffi::Z3_solver_check_assumptions(c, solver.solver, n, proxies.as_ptr())
            };
            Ok((solver, proxies, status))
        });
        if fired.is_some() {
            self.translation.intact = false;
        }
        let (solver, proxies, status) = match checked {
            Ok(checked) => checked,
            Err(reason) => return Answer::Unknown(fired.unwrap_or(reason)),
        };
        let handle = solver.solver;
        let units = resource_units(c, handle);
        effort::count(Step::Query, 1);
        let used = units.saturating_sub(self.translation.counted);
        self.translation.counted = units;
        effort::count(Step::Resource, used);
        effort::charge(
            Effort::of(Step::Clause, clauses)
                .min(Effort::of(Step::Resource, used) * CLAUSES_PER_UNIT),
        );
        let answer = match status {
            ffi::TRUE => self.model(pool, query, handle),
            ffi::FALSE => Answer::Unsat { core: core(c, handle, query, &proxies) },
            _ => Answer::Unknown(fired.unwrap_or_else(|| why(c, handle, limits))),
        };
        if !fresh {
            if !query.assumptions.is_empty() {
                // SAFETY: closes the level that `prepare` opened for the assumptions.
                unsafe { ffi::Z3_solver_pop(c, handle, 1) };
            }
            self.solver = Some(solver);
        }
        answer
    }

    /// A solver that holds the query, and the literals that stand for its assumptions.
    fn prepare(
        &mut self,
        pool: &TermPool,
        query: &Query<'_>,
        fresh: bool,
    ) -> Result<(SolverHandle, Vec<ffi::Ast>), Reason> {
        let c = self.translation.context;
        for term in query.assertions.iter().chain(query.assumptions) {
            self.translation.term(pool, *term)?;
        }
        let solver = if fresh {
            let solver = fresh_solver(c, logic_of(pool, &pool.sub_terms(&query.all())));
            for term in query.assertions {
                solver.assert(self.translation.term(pool, *term)?);
            }
            solver
        } else {
            self.rewind(pool, query.assertions)?
        };
        let mut proxies = Vec::new();
        if !query.assumptions.is_empty() && !fresh {
            // SAFETY: opens a level, which `decide` closes.
            unsafe { ffi::Z3_solver_push(c, solver.solver) };
        }
        if let &[only] = query.assumptions {
            // With one assumption there is nothing to choose a core from.
            solver.assert(self.translation.term(pool, only)?);
            return Ok((solver, proxies));
        }
        for term in query.assumptions {
            let proxy = self.translation.proxy(*term)?;
            let meaning = self.translation.term(pool, *term)?;
            solver.assert(self.translation.implies(proxy, meaning)?);
            proxies.push(proxy);
        }
        Ok((solver, proxies))
    }

    /// The incremental solver with exactly these assertions: the levels that do not agree are
    /// closed, and what is missing is asserted on one new level.
    fn rewind(&mut self, pool: &TermPool, wanted: &[TermId]) -> Result<SolverHandle, Reason> {
        let c = self.translation.context;
        let solver = self.solver.take().unwrap_or_else(|| {
            self.asserted.clear();
            self.levels.clear();
            // SAFETY: the context is alive.
            SolverHandle::new(c, unsafe { ffi::Z3_mk_simple_solver(c) })
        });
        let common = wanted.iter().zip(&self.asserted).take_while(|(new, old)| new == old).count();
        // A level stays if all of it is wanted.
        let whole =
            |level: &usize| self.levels.get(level + 1).unwrap_or(&self.asserted.len()) <= &common;
        let kept = (0..self.levels.len()).take_while(whole).count();
        let surplus = (self.levels.len() - kept) as u32;
        if surplus > 0 {
            // SAFETY: that many levels are open.
            unsafe { ffi::Z3_solver_pop(c, solver.solver, surplus) };
            self.asserted.truncate(self.levels[kept]);
            self.levels.truncate(kept);
        }
        let missing = &wanted[self.asserted.len()..];
        if !missing.is_empty() {
            // SAFETY: the solver is of this context.
            unsafe { ffi::Z3_solver_push(c, solver.solver) };
            self.levels.push(self.asserted.len());
            for term in missing {
                solver.assert(self.translation.term(pool, *term)?);
                self.asserted.push(*term);
            }
        }
        Ok(solver)
    }

    /// The model as an assignment of everything the query speaks of.
    fn model(&self, pool: &TermPool, query: &Query<'_>, solver: ffi::SolverRef) -> Answer {
        let c = self.translation.context;
        // SAFETY: the solver has just said that there is a model; it is kept while it is read.
        let model = unsafe {
            let model = ffi::Z3_solver_get_model(c, solver);
            if model.is_null() {
                return Answer::Unknown(Reason::Incomplete("z3 has no model".to_string()));
            }
            ffi::Z3_model_inc_ref(c, model);
            model
        };
        let result = self.read_model(pool, query, model);
        // SAFETY: the counterpart of the reference above.
        unsafe { ffi::Z3_model_dec_ref(c, model) };
        match result {
            Ok(assignment) => Answer::Sat(assignment),
            Err(reason) => Answer::Unknown(reason),
        }
    }

    fn read_model(
        &self,
        pool: &TermPool,
        query: &Query<'_>,
        model: ffi::Model,
    ) -> Result<Assignment, Reason> {
        let mut elements = ElementNames::default();
        let mut symbols = Vec::new();
        let mut calls = Vec::new();
        for term in pool.sub_terms(&query.all()) {
            match pool.op(term) {
                Op::Symbol(_) => {
                    symbols.push((term, self.value(pool, term, model, &mut elements)?))
                }
                Op::Apply(_) => calls.push((term, self.value(pool, term, model, &mut elements)?)),
                _ => {}
            }
        }
        assignment_of(pool, symbols, calls).map_err(|e| Reason::Unsupported(e.to_string()))
    }

    /// The value that the model gives a term.
    fn value(
        &self,
        pool: &TermPool,
        term: TermId,
        model: ffi::Model,
        elements: &mut ElementNames,
    ) -> Result<Value, Reason> {
        let c = self.translation.context;
        let unreadable = |what: &str| Reason::Unsupported(format!("z3's value {what}"));
        let ast = self.translation.get(term).ok_or_else(|| unreadable("of a new term"))?;
        let mut result: ffi::Ast = std::ptr::null_mut();
        // SAFETY: model and term are of this context. The result is kept with the context.
        unsafe {
            if !ffi::Z3_model_eval(c, model, ast, true, &mut result) || result.is_null() {
                return Err(unreadable("is missing"));
            }
        }
        self.translation.keep(result)?;
        match pool.sort(term) {
            Sort::Bool => {
                // SAFETY: a term of this context.
                match unsafe { ffi::Z3_get_bool_value(c, result) } {
                    ffi::TRUE => return Ok(Value::Bool(true)),
                    ffi::FALSE => return Ok(Value::Bool(false)),
                    _ => {}
                }
            }
            Sort::BitVec(width) if width <= 64 => {
                let mut number = 0;
                // SAFETY: a term of this context; gives false if it is no numeral that fits.
                if unsafe { ffi::Z3_get_numeral_uint64(c, result, &mut number) } {
                    return Ok(Value::Bits(Bits::new(width, number.into())));
                }
            }
            _ => {}
        }
        // SAFETY: a term of this context; the text is copied at once.
        let text = copy(unsafe { ffi::Z3_ast_to_string(c, result) });
        let parsed = Sexprs::parse(&text).map_err(|e| unreadable(&e.to_string()))?;
        let root = parsed.roots().first().ok_or_else(|| unreadable("is empty"))?;
        parse_value(pool, &parsed, *root, pool.sort(term), elements)
            .map_err(|e| unreadable(&e.to_string()))
    }
}

/// Puts values of symbols and of applications together: a function is the table of its
/// applications. Their arguments are evaluated here, so only the applications' values are needed.
pub(super) fn assignment_of(
    pool: &TermPool,
    symbols: Vec<(TermId, Value)>,
    calls: Vec<(TermId, Value)>,
) -> Result<Assignment, crate::error::LogicError> {
    let mut assignment = Assignment::new();
    for (term, value) in symbols {
        assignment.set_term(pool, term, value)?;
    }
    let mut tables = std::collections::BTreeMap::new();
    let mut evaluator = Evaluator::new(&assignment);
    for (term, value) in &calls {
        evaluator.suppose(*term, value.clone());
    }
    for (term, value) in calls {
        let Op::Apply(function) = pool.op(term) else { continue };
        let mut arguments = Vec::new();
        for operand in pool.operands(term) {
            arguments.push(evaluator.eval(pool, *operand)?);
        }
        let result = pool.signature(function).result;
        let table = tables
            .entry(function)
            .or_insert_with(|| FunctionValue::constant(pool.default_value(result)));
        table.set(arguments, value);
    }
    drop(evaluator);
    for (function, table) in tables {
        assignment.set_function(pool, function, table)?;
    }
    Ok(assignment)
}

fn fresh_solver(c: ffi::Context, logic: &str) -> SolverHandle {
    // SAFETY: the context is alive; the name is one of the literals below.
    let solver = unsafe {
        let name = match logic {
            "QF_BV" => Some(c"QF_BV"),
            "QF_ABV" => Some(c"QF_ABV"),
            "QF_UFBV" => Some(c"QF_UFBV"),
            "QF_AUFBV" => Some(c"QF_AUFBV"),
            "QF_BVFP" => Some(c"QF_BVFP"),
            _ => None,
        };
        match name {
            Some(name) => {
                let symbol = ffi::Z3_mk_string_symbol(c, name.as_ptr());
                ffi::Z3_mk_solver_for_logic(c, symbol)
            }
            None => ffi::Z3_mk_solver(c),
        }
    };
    SolverHandle::new(c, solver)
}

/// The assumptions that the solver needed.
fn core(
    c: ffi::Context,
    solver: ffi::SolverRef,
    query: &Query<'_>,
    proxies: &[ffi::Ast],
) -> Vec<TermId> {
    if query.assumptions.len() <= 1 {
        return query.assumptions.to_vec();
    }
    // SAFETY: the solver has just said that there is a core; it is kept while it is read.
    let needed: Vec<ffi::Ast> = unsafe {
        let vector = ffi::Z3_solver_get_unsat_core(c, solver);
        if vector.is_null() {
            return query.assumptions.to_vec();
        }
        ffi::Z3_ast_vector_inc_ref(c, vector);
        let size = ffi::Z3_ast_vector_size(c, vector);
        let needed = (0..size).map(|i| ffi::Z3_ast_vector_get(c, vector, i)).collect();
        ffi::Z3_ast_vector_dec_ref(c, vector);
        needed
    };
    let pairs = query.assumptions.iter().zip(proxies);
    pairs.filter(|(_, proxy)| needed.contains(proxy)).map(|(term, _)| *term).collect()
}

/// Why z3 gave up by itself.
fn why(c: ffi::Context, solver: ffi::SolverRef, limits: &Limits) -> Reason {
    // SAFETY: the solver is alive; the text is copied at once.
    let text = copy(unsafe { ffi::Z3_solver_get_reason_unknown(c, solver) });
    // Some of z3's solvers call it cancelled when their steps are used up; nobody else did.
    let cancelled = text.contains("cancel") && limits.resource.is_some();
    if text.contains("resource") || cancelled {
        Reason::Resource
    } else if text.contains("memory") || text.contains("memout") {
        // How much is there is another matter in the next run.
        Deadline::note();
        Reason::Memory
    } else if text.contains("timeout") {
        Reason::Time
    } else {
        Reason::Incomplete(text)
    }
}
