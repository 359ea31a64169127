//! One body as a relation: which calls of cyclic procedures it makes, when, and with which arguments.
//!
//! Cyclic procedures (loops among them) are cut: calls of them are functions of which nothing is known. Everything else is
//! executed in place, so that every run that stays in this body is one of the formula. What is not known is any value: for
//! "it ends" the relation has at least the real transitions. When a call is made is exact
//! ([`CallRecord::when`](verdiff_symex::record::CallRecord)): for "it never ends" a condition must imply it for every value of what is not known.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_judge::Side;
use verdiff_logic::{LogicError, Op, Sort, TermId, TermPool};
use verdiff_model::ProcId;
use verdiff_product::callees::Treatment;
use verdiff_product::{Product, Start};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Construct, ExecutionLimits, Stop};
use verdiff_symex::memory::MemoryId;
use verdiff_symex::space::Space;

/// What executing one body may cost.
const LIMITS: ExecutionLimits = ExecutionLimits { terms: 200_000, depth: 24 };

/// A call that a body makes.
#[derive(Clone, Debug)]
pub struct Call {
    pub callee: ProcId,
    /// When, exactly.
    pub when: TermId,
    pub args: Vec<TermId>,
    /// Which arguments surely have a value.
    pub set: Vec<bool>,
    memory: Vec<MemoryId>,
}

/// A body.
#[derive(Clone, Debug)]
pub struct CyclicBody {
    /// A symbol for each parameter.
    pub params: Vec<TermId>,
    pub calls: Vec<Call>,
    /// The entry memory of each region.
    memory: Vec<TermId>,
}

/// Executes one body. Cut procedures are functions, everything else is inlined.
pub fn execute(
    product: &mut Product<'_>,
    side: Side,
    id: ProcId,
    cuts: &BTreeSet<ProcId>,
) -> Result<CyclicBody, Stop> {
    let facts = product.facts;
    let mut callees = BTreeMap::new();
    for cut in facts.reached(side, id).into_iter().filter(|p| cuts.contains(p)) {
        let name = format!("call.{}.{}", side.index(), cut.index());
        let (procedure, prefix) = (facts.program(side).procedure(cut), format!("{name}."));
        let entry = Entry::named(&mut product.space, &facts.regions, procedure, &prefix)?;
        let mut function = product.unproved(&name, Rc::new(entry), &[facts.effects(side, cut)]);
        function.abstraction.returns = facts.returns_if_it_ends(side, cut);
        product.policy.treat(side, cut, Treatment::Function(function));
        callees.insert(name, cut);
    }
    let prefix = format!("{}.{}.", side.index(), id.index());
    let procedure = facts.program(side).procedure(id);
    let entry = Entry::named(&mut product.space, &facts.regions, procedure, &prefix)?;
    let made = product.space.record_calls();
    let executed = product.run(side, id, &entry, Start::Anywhere, LIMITS);
    executed?;
    if product.usage.undescribed {
        return Err(Stop::Construct(Construct::AllocatingLoop));
    }
    let space = &mut product.space;
    let mut calls = vec![];
    for call in made.take() {
        let Some(callee) = callees.get(&call.name) else { continue };
        let when = space.tidy(call.when)?;
        if when == space.pool.falsity() {
            continue;
        }
        let truth = space.pool.truth();
        let set = call.flags.iter().map(|flag| *flag == truth).collect();
        let args = call.args.iter().map(|a| space.tidy(*a)).collect::<Result<_, _>>()?;
        calls.push(Call { callee: *callee, when, args, set, memory: call.memory });
    }
    let mut memory = vec![];
    for region in &entry.memory {
        memory.push(space.to_array(*region)?);
    }
    Ok(CyclicBody { params: entry.args, calls, memory })
}

impl CyclicBody {
    /// Whether a term speaks of parameters alone.
    pub fn is_plain(&self, space: &Space, term: TermId) -> bool {
        let names = space.pool.free_names(&[term]);
        let known = |symbol| self.params.contains(&space.pool.symbol_term(symbol));
        names.functions.is_empty() && names.symbols.into_iter().all(known)
    }

    /// Whether a term is one of several values that each speak of parameters alone, whatever decides between them. Of others
    /// (what is loaded, what is returned) hardly anything can be proved.
    pub fn is_settled(&self, space: &Space, term: TermId) -> bool {
        let mut seen = BTreeSet::new();
        let mut work = vec![term];
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            let operands = space.pool.operands(term);
            match space.pool.op(term) {
                Op::Ite => work.extend(&operands[1..]),
                Op::Select | Op::Apply(_) => return false,
                Op::Symbol(_) if !self.params.contains(&term) => return false,
                _ => work.extend(operands),
            }
        }
        true
    }

    /// Whether a term speaks of parameters, of memory at entry and of where objects lie.
    pub fn is_entry(&self, space: &Space, term: TermId) -> bool {
        let names = space.pool.free_names(&[term]);
        let known = |symbol| {
            let term = space.pool.symbol_term(symbol);
            self.params.contains(&term) || self.memory.contains(&term) || space.is_object_base(term)
        };
        names.functions.is_empty() && names.symbols.into_iter().all(known)
    }

    /// The parameters on which it depends whether and how the procedure goes on: those that some terms speak of, and
    /// those from which the calls compute such a one.
    pub fn relevant(&self, space: &Space, calls: &[&Call], roots: &[TermId]) -> Vec<usize> {
        let position = |symbol| {
            let term = space.pool.symbol_term(symbol);
            self.params.iter().position(|p| *p == term)
        };
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut work: Vec<TermId> = roots.to_vec();
        work.extend(calls.iter().map(|c| c.when));
        while let Some(term) = work.pop() {
            for at in space.pool.free_names(&[term]).symbols.into_iter().filter_map(position) {
                if found.insert(at) {
                    work.extend(calls.iter().map(|c| c.args[at]));
                }
            }
        }
        found.into_iter().collect()
    }

    /// A term over this body's entry state, at the next entry of it.
    pub fn next(&self, space: &mut Space, call: &Call, term: TermId) -> Result<TermId, LogicError> {
        let mut map: Vec<(TermId, TermId)> =
            self.params.iter().copied().zip(call.args.iter().copied()).collect();
        for symbol in space.pool.free_names(&[term]).symbols {
            let array = space.pool.symbol_term(symbol);
            if let Some(region) = self.memory.iter().position(|m| *m == array) {
                map.push((array, space.to_array(call.memory[region])?));
            }
        }
        let term = space.pool.substitute(term, &map.into_iter().collect())?;
        space.tidy(term)
    }

    /// A condition over the parameters of what is called, at a call.
    pub fn at_call(
        space: &mut Space,
        callee: &CyclicBody,
        call: &Call,
        condition: TermId,
    ) -> Result<TermId, LogicError> {
        let map = callee.params.iter().copied().zip(call.args.iter().copied()).collect();
        let term = space.pool.substitute(condition, &map)?;
        space.tidy(term)
    }

    /// Whether every call of this procedure by `caller` has a value for all parameters that a term speaks of.
    pub fn reads_set(&self, space: &Space, term: TermId, calls: &[&Call]) -> bool {
        let symbols = space.pool.free_names(&[term]).symbols;
        symbols.into_iter().all(|symbol| {
            let param = space.pool.symbol_term(symbol);
            let position = self.params.iter().position(|p| *p == param);
            position.is_none_or(|at| calls.iter().all(|c| c.set[at]))
        })
    }
}

/// The truth-valued parts of terms that are not made of others: comparisons of numbers, and parameters.
pub fn literals_of(pool: &TermPool, roots: &[TermId]) -> Vec<TermId> {
    let mut found = vec![];
    for term in pool.sub_terms(roots) {
        let is_literal = match pool.op(term) {
            Op::BvUlt | Op::BvSlt => true,
            Op::Eq => pool.sort(pool.operands(term)[0]).width().is_some(),
            Op::Symbol(_) => pool.sort(term) == Sort::Bool,
            _ => false,
        };
        if is_literal && !found.contains(&term) {
            found.push(term);
        }
    }
    found
}
