//! Contracts: what a cut procedure of one version returns for some arguments, found from runs and proved by induction.
//!
//! Ties relate calls of both versions. Where only one version goes on (the other one has returned already, or has a formula in the
//! place of the loop), what is needed is a fact about that version alone: a loop that has counted something once does not
//! return zero; a loop that counts up to zero returns the distance. A contract is a precondition on the arguments
//! and a relation between arguments and results. It says: a call from a state that satisfies the precondition, if it terminates, returns,
//! with results of which the relation holds. Or it says that such a call does not terminate (`Promise::Never`): a loop that
//! halves zero until it is odd, a loop without an exit.
//!
//! # Why that is sound
//!
//! By induction on the depth of the run (how deeply calls of cut procedures are nested in it), for each contract alone. The body is executed from
//! arbitrary arguments that satisfy the precondition; calls of what is cut are functions of which nothing is known, except that
//! each call of this procedure whose arguments satisfy the precondition returns as the contract says (its depth is smaller), and that contracts
//! proved before hold. If no outcome can violate the contract then, it holds at this depth. Only procedures that access no memory, make
//! nothing and do no I/O have contracts, so the arguments are all that a call depends on. What a run without an end would
//! return is not asked: like U, a contract is about runs that terminate. A promise that no call terminates is proved in the same way: if every
//! run of the body makes a call that satisfies the precondition, there is no run of the smallest depth that terminates. A trap or an exit ends a
//! run and violates the promise, and so does a call that is outside the precondition: nothing is known of that one.
//! ✗ `while (x >= 0) x--;` never terminates from `x >= 0` as long as only the first visits are looked at.
//!
//! Where contracts come from does not matter. They are learned from runs, and weakened by counterexamples to their proof.

use super::super::policy::treat_others;
use super::super::prove::{Premises, obligation};
use super::Related;
use super::coordinate::{ArgumentPoint, SideParameter, Terms};
use super::goal::{Call, DEPTH, ROUNDS, TERMS, ask_stepwise};
use super::relation::CallRelation;
use super::trace::{Runs, Trace, Visit};
use std::collections::BTreeSet;
use verdiff_judge::{Budget, Obligation, PairId, Side};
use verdiff_logic::solver::Answer;
use verdiff_logic::{Assignment, LogicError, TermId, TermPool, Value};
use verdiff_model::{ProcId, Type};
use verdiff_product::Start;
use verdiff_product::callees::Function;
use verdiff_product::plain::entry_of;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::record::CallRecord;
use verdiff_symex::space::Space;

/// Fewer visits say nothing.
const FEWEST_VISITS: usize = 3;
/// More contracts of one procedure are not tried.
const MOST_CONTRACTS: usize = 4;

/// What a cut procedure returns. In both relations side 0 is the arguments; side 1 is the results.
#[derive(Clone, Debug)]
pub struct Contract {
    pub side: Side,
    pub procedure: ProcId,
    requires: CallRelation,
    ensures: Promise,
}

/// What a contract says of calls that satisfy its precondition.
#[derive(Clone, Debug)]
enum Promise {
    /// They do not terminate.
    Never,
    /// If they terminate, they return, and this holds of arguments and results.
    Returns(CallRelation),
}

impl Promise {
    /// The more a promise says, the earlier it is proved, so that proofs of others can use it.
    fn rank(&self) -> u8 {
        match self {
            Promise::Never => 0,
            Promise::Returns(relation) if relation.has_equation_about(1) => 1,
            Promise::Returns(_) => 2,
        }
    }
}

/// A contract that was proved, and what the proof rests on.
pub struct ProvedContract {
    pub contract: Contract,
    pub obligation: Option<Obligation>,
    pub judged: BTreeSet<PairId>,
}

/// Which visits a contract is learned from.
#[derive(Clone, Copy, Debug)]
enum Guard {
    All,
    Zero(usize),
    NotZero(usize),
    Positive(usize),
    Negative(usize),
}

impl Guard {
    fn holds(self, visit: &Visit, places: &[SideParameter]) -> bool {
        let number = |param: usize| -> Option<i128> {
            visit.args[param].map(|bits| super::coordinate::signed(bits, places[param].width))
        };
        match self {
            Guard::All => true,
            Guard::Zero(param) => number(param) == Some(0),
            Guard::NotZero(param) => number(param).is_some_and(|n| n != 0),
            Guard::Positive(param) => number(param).is_some_and(|n| n > 0),
            Guard::Negative(param) => number(param).is_some_and(|n| n < 0),
        }
    }
}

/// Guards about each number.
fn guards(places: &[SideParameter]) -> impl Iterator<Item = Guard> {
    places.iter().filter(|place| !place.pointer && place.width > 1).flat_map(|place| {
        let n = place.param;
        [Guard::Positive(n), Guard::Negative(n), Guard::NotZero(n), Guard::Zero(n)]
    })
}

/// One body, executed alone.
struct Alone {
    space: Space,
    given: Vec<TermId>,
    made: CallRecord,
    how: TermId,
    results: Vec<TermId>,
    calls: Vec<Call>,
    judged: BTreeSet<PairId>,
}

impl Related<'_> {
    /// Learns contracts from runs and proves what can be proved.
    pub fn contracts(&self, runs: &Runs, budget: &Budget) -> Vec<ProvedContract> {
        let mut proved: Vec<ProvedContract> = vec![];
        let mut guessed: Vec<Contract> = vec![];
        for side in Side::BOTH {
            for id in self.cut[side.index()].iter().copied() {
                guessed.extend(self.endless(runs, side, id));
                guessed.extend(self.learned(&runs.traces, side, id));
            }
        }
        guessed.sort_by_key(|contract| contract.ensures.rank());
        for contract in guessed {
            if let Ok(Some(one)) = self.prove_contract(contract, &proved, budget) {
                proved.push(one);
            }
            if budget.is_over() {
                break;
            }
        }
        proved
    }

    /// Whether the arguments are all that a call of a procedure depends on.
    fn computes(&self, side: Side, id: ProcId) -> bool {
        let effects = self.facts.effects(side, id);
        effects.reads.is_empty()
            && effects.writes.is_empty()
            && !(effects.world || effects.errno || effects.allocates || effects.frees)
            && self.facts.locals(side, id).is_empty()
    }

    /// From which arguments a procedure may have no end, by the last visits of runs that were stopped.
    fn endless(&self, runs: &Runs, side: Side, id: ProcId) -> Vec<Contract> {
        let (true, Some(args)) = (self.computes(side, id), self.widths(side, id)) else {
            return vec![];
        };
        let of = |visit: &&Visit| visit.procedure == id;
        let visits: Vec<&Visit> = runs.late[side.index()].iter().filter(of).collect();
        let ended =
            || runs.traces.iter().flat_map(|run| run.visits[side.index()].iter()).filter(of);
        let places = SideParameter::all(&[args.clone(), vec![]]);
        let mut seen: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut found = vec![];
        // What holds of all of them comes first: if that is proved, the others say less.
        for guard in [Guard::All].into_iter().chain(guards(&places)) {
            let holds = |n: &usize| guard.holds(visits[*n], &places);
            let chosen: Vec<usize> = (0..visits.len()).filter(holds).collect();
            if chosen.len() < FEWEST_VISITS || !seen.insert(chosen.clone()) {
                continue;
            }
            let mut requires = CallRelation::everything(&[args.clone(), vec![]]);
            for visit in chosen.iter().map(|n| visits[*n]) {
                requires.join(&[visit.args.clone(), vec![]]);
            }
            requires.keep_plain_facts(None);
            // A visit that ended is a counterexample: mostly the loop is only long.
            if ended().any(|visit| requires.broken(&[visit.args.clone(), vec![]]) == 0) {
                continue;
            }
            found.push(Contract { side, procedure: id, requires, ensures: Promise::Never });
        }
        found.truncate(MOST_CONTRACTS);
        found
    }

    /// What runs say of the results of a procedure, for arguments of several kinds.
    fn learned(&self, runs: &[Trace], side: Side, id: ProcId) -> Vec<Contract> {
        let computes = self.computes(side, id);
        let results = &self.facts.programs[side.index()].procedure(id).results;
        let widths: Option<Vec<(u32, bool)>> = results
            .iter()
            .map(|ty| match ty {
                Type::Int(width) => Some((u32::from(*width), false)),
                _ => None,
            })
            .collect();
        let (true, Some(results), Some(args)) = (computes, widths, self.widths(side, id)) else {
            return vec![];
        };
        let complete = |visit: &&Visit| {
            visit.procedure == id
                && visit.results.len() == results.len()
                && visit.results.iter().all(Option::is_some)
        };
        let (mut visits, mut goes_on) = (vec![], BTreeSet::new());
        for run in runs {
            let first = visits.len();
            visits.extend(run.visits[side.index()].iter().filter(complete));
            goes_on.extend(first + 1..visits.len());
        }
        let places = SideParameter::all(&[args.clone(), vec![]]);
        let mut seen: BTreeSet<Vec<usize>> = BTreeSet::new();
        let mut learned = vec![];
        for guard in guards(&places).chain([Guard::All]) {
            let chosen: Vec<usize> =
                (0..visits.len()).filter(|n| guard.holds(visits[*n], &places)).collect();
            // Visits that make no further call need no induction.
            let inductive =
                chosen.windows(2).any(|two| two[0] + 1 == two[1] && goes_on.contains(&two[1]));
            if chosen.len() < FEWEST_VISITS || !inductive || !seen.insert(chosen.clone()) {
                continue;
            }
            let mut requires = CallRelation::everything(&[args.clone(), vec![]]);
            let mut ensures = CallRelation::everything(&[args.clone(), results.clone()]);
            for visit in chosen.iter().map(|n| visits[*n]) {
                requires.join(&[visit.args.clone(), vec![]]);
                ensures.join(&[visit.args.clone(), visit.results.clone()]);
            }
            requires.keep_plain_facts(None);
            ensures.keep_plain_facts(Some(1));
            if ensures.is_about(1) {
                let ensures = Promise::Returns(ensures);
                learned.push(Contract { side, procedure: id, requires, ensures });
            }
        }
        learned.sort_by_key(|contract| contract.ensures.rank());
        learned.truncate(MOST_CONTRACTS);
        learned
    }

    /// Proves a contract, weakened where that is needed.
    fn prove_contract(
        &self,
        mut contract: Contract,
        known: &[ProvedContract],
        budget: &Budget,
    ) -> Result<Option<ProvedContract>, Stop> {
        let Some(mut alone) = self.executed_alone(&contract, budget)? else { return Ok(None) };
        for _ in 0..ROUNDS {
            if budget.is_over() {
                break;
            }
            let space = &mut alone.space;
            let mut assertions = alone.given.clone();
            let required = contract.requires.said_of(space, &arguments(&alone.made))?;
            assertions.extend(&required);
            let mut pairs = vec![];
            for call in &alone.calls {
                if call.procedure == contract.procedure {
                    let facts = contract.requires.said_of(space, &arguments(&call.made))?;
                    pairs.push((call.made.when, facts));
                }
                let others = known.iter().map(|known| &known.contract);
                let presumed = self.presumed(call);
                for one in others.chain([&contract]) {
                    assertions.extend(one.said_of_call(space, call, &presumed)?);
                }
            }
            let (how, results) = (alone.how, alone.results.clone());
            let claim = contract.claim(space, &alone.made, Some(how), &results)?;
            assertions.push(space.not(claim)?);
            let mut asked = assertions.clone();
            let answer = ask_stepwise(space, &mut asked, &required, &pairs, budget)?;
            match answer {
                Answer::Unsat { .. } => {
                    let name = &self.facts.programs[contract.side.index()]
                        .procedure(contract.procedure)
                        .name;
                    let claim = format!("the contract of {name} ({:?}) holds", contract.side);
                    let obligation = obligation(&alone.space, claim, &assertions);
                    let judged = alone.judged;
                    return Ok(Some(ProvedContract { contract, obligation, judged }));
                }
                Answer::Unknown(_) => break,
                Answer::Sat(model) => {
                    if !contract.weaken(&alone, &model)? {
                        break;
                    }
                }
            }
        }
        Ok(None)
    }

    /// Executes one version's body from arguments of which nothing is known.
    fn executed_alone(&self, contract: &Contract, budget: &Budget) -> Result<Option<Alone>, Stop> {
        let (side, id) = (contract.side, contract.procedure);
        let pair = self.task.comparison.pair(self.task.pair);
        let mut roots = [pair.old, pair.new];
        roots[side.index()] = id;
        let nothing = BTreeSet::new();
        let premises = Premises {
            task: self.task,
            facts: self.facts,
            matching: self.matching,
            assumed: &nothing,
            any_shape: self.any_shape,
            in_calls: false,
            valid: false,
            dropped: None,
            under: None,
            as_built: false,
        };
        let mut product = premises.product(budget);
        let recorded = product.space.record_calls();
        treat_others(&mut product, self.matching, &nothing, roots)?;
        let names = self.cut_to_functions(&mut product, roots, true)?;
        let Some(Function { abstraction: view, .. }) = product.policy.function(side, id).cloned()
        else {
            return Ok(None);
        };
        let procedure = self.facts.programs[side.index()].procedure(id);
        let unset = self.facts.unset(&[(side, id, procedure)]);
        let entry = entry_of(&mut product.space, &self.facts.regions, procedure, "", &unset)?;
        let limits = ExecutionLimits { terms: TERMS, depth: DEPTH };
        let (outcome, made) =
            product.run_as_call(side, id, &entry, Start::Anywhere, limits, &view, true)?;
        if product.usage.undescribed {
            return Ok(None);
        }
        let mut given = product.space.axioms()?;
        given.extend(product.space.lemmas().iter().copied());
        let how = product.space.pool.extract(7, 0, outcome.how)?;
        let mut calls = vec![];
        for record in recorded.take() {
            if let Some((at, procedure)) = names.get(&record.name).copied()
                && at == side.index()
            {
                calls.push(Call { made: record, procedure, whole: false });
            }
        }
        let judged = product.judgements_used();
        let results = outcome.results;
        Ok(Some(Alone { space: product.space, given, made, how, results, calls, judged }))
    }

    /// What proved contracts say of the calls that both versions make.
    pub fn said_by_contracts(
        &self,
        space: &mut Space,
        calls: &[Vec<Call>; 2],
    ) -> Result<Vec<TermId>, LogicError> {
        let mut said = vec![];
        for known in &self.known {
            let contract = &known.contract;
            for call in calls[contract.side.index()].iter().filter(|call| !call.whole) {
                let presumed = self.presumed(call);
                said.extend(contract.said_of_call(space, call, &presumed)?);
            }
        }
        Ok(said)
    }
}

impl Contract {
    /// Whether it says that calls do not terminate.
    pub fn is_never(&self) -> bool {
        matches!(self.ensures, Promise::Never)
    }

    /// What it says of a call, if the call is one of its procedure: where the call is made, with the arguments initialised that
    /// the proof [takes to be](Related::presumed), and the precondition holds, it returns, and the results are as promised.
    fn said_of_call(
        &self,
        space: &mut Space,
        call: &Call,
        presumed: &[TermId],
    ) -> Result<Option<TermId>, LogicError> {
        // Procedures of both versions are numbered alike.
        if call.made.side != self.side || call.procedure != self.procedure {
            return Ok(None);
        }
        let made = &call.made;
        let mut when = vec![made.when];
        when.extend(presumed);
        when.extend(self.requires.said_of(space, &arguments(made))?);
        let when = space.and(&when)?;
        let otherwise = space.not(when)?;
        let claim = self.claim(space, made, made.how, &made.results)?;
        Ok(Some(space.or(&[otherwise, claim])?))
    }

    /// That a run returned, with results that the contract promises.
    fn claim(
        &self,
        space: &mut Space,
        made: &CallRecord,
        how: Option<TermId>,
        results: &[TermId],
    ) -> Result<TermId, LogicError> {
        let flags = vec![space.pool.truth(); results.len()];
        let terms = Terms { args: [&made.args, results], flags: [&made.flags, &flags] };
        let Promise::Returns(ensures) = &self.ensures else { return Ok(space.pool.falsity()) };
        let mut all = ensures.said_about(1, space, &terms)?;
        if let Some(how) = how {
            let zero = space.pool.bits(8, 0)?;
            all.push(space.pool.eq(how, zero)?);
        }
        space.and(&all)
    }

    /// Weakens it by a counterexample to its proof: by a call that the precondition does not cover, else by the results. Whether
    /// that changed something, and something is left.
    fn weaken(&mut self, alone: &Alone, model: &Assignment) -> Result<bool, LogicError> {
        let pool = &alone.space.pool;
        // All of them are made by this side.
        for call in alone.calls.iter().filter(|call| call.procedure == self.procedure) {
            if pool.eval(call.made.when, model)?.as_bool() != Some(true) {
                continue;
            }
            let Some(args) = numbers(pool, model, &call.made.args, Some(&call.made.flags))? else {
                return Ok(false);
            };
            let point: ArgumentPoint = [args, vec![]];
            if self.requires.broken(&point) > 0 {
                return Ok(self.requires.join(&point));
            }
        }
        let Promise::Returns(ensures) = &mut self.ensures else { return Ok(false) };
        let returned = match pool.eval(alone.how, model)? {
            Value::Bits(bits) => bits.to_u128() == Some(0),
            _ => false,
        };
        let args = numbers(pool, model, &alone.made.args, Some(&alone.made.flags))?;
        let results = numbers(pool, model, &alone.results, None)?;
        let (true, Some(args), Some(results)) = (returned, args, results) else {
            return Ok(false);
        };
        Ok(ensures.join(&[args, results]) && ensures.is_about(1))
    }
}

/// The arguments of a call; there are no results to speak of.
fn arguments(made: &CallRecord) -> Terms<'_> {
    Terms { args: [&made.args, &[]], flags: [&made.flags, &[]] }
}

/// Terms in a model, as numbers.
fn numbers(
    pool: &TermPool,
    model: &Assignment,
    terms: &[TermId],
    flags: Option<&[TermId]>,
) -> Result<Option<Vec<Option<u128>>>, LogicError> {
    let mut found = vec![];
    for (n, term) in terms.iter().enumerate() {
        let Value::Bits(bits) = pool.eval(*term, model)? else { return Ok(None) };
        let Some(value) = bits.to_u128() else { return Ok(None) };
        let set = match flags.and_then(|flags| flags.get(n)) {
            Some(flag) => pool.eval(*flag, model)?.as_bool() == Some(true),
            None => true,
        };
        found.push(set.then_some(value));
    }
    Ok(Some(found))
}
