//! Difference summaries from the paths that are kept of each procedure, callees never entered (paper 003, Algorithm 2 and section 6).
//!
//! Both versions of a pair are explored with the [`Library`]: R and T of each path speak of the entry state and of functions of callees. For each pair of
//! paths that can be taken together it is asked whether they end alike:
//!
//! - *alike*: for every meaning of the functions and from every state that takes both, the outcomes are equal;
//! - *apart*: they differ, again for every meaning;
//! - by a condition over the entry state alone, exactly;
//! - *open*: that depends on a function. Then the callee is explored further, from the states in which the call is made (section 6.2), in unchanged callees as well, and the
//!   pair is looked at again.
//!
//! # Why that is right
//!
//! A condition for the judgement speaks of the entry state alone, while R may depend on functions. Let R^ be R without those literals that speak of more than the
//! entry state: wherever R holds, for whatever meaning, R^ does. Every run takes a pair of paths, or one that was not followed to its end.
//!
//! - Rule `paths-equal`: let B be the union of the R^ of all pairs that are not alike, and of the paths that were not followed. From a state outside of B every
//!   pair of paths that is taken is alike, so U may grow by ¬B. (✗ `return g(x)?1:2;` against `g(x)?1:3;`: the second pair has R^ = true, so nothing is added.)
//! - Rule `paths-differ`: let G be the union of the R^ of all pairs that are not apart and of the paths that were not followed. C may grow by ¬G, if nothing on the paths may wait
//!   for ever: every callee that is taken as a function is known to end, and so is all that is outside.
//! - Rule `paths-end`: under that condition both end from every state outside of the paths that were not followed.
//!
//! That nothing waits for ever is asked of every function that the paths rest on, those of paths of callees included, and those of earlier rounds
//! ([`Library`]): a path is finite, so a run along it ends if the calls that are functions do. What calls itself does so by its own function, unless all
//! such calls are ruled out, and it is not known to end. So nothing is said then, whatever round is the last one.

use super::evidence::Again;
use super::library::{self, Library, Wanted};
use super::pairs::{PathPairs, Sorted, compare};
use super::{Round, addition};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use verdiff_judge::{
    Budget, Candidate, Field, Findings, Incomplete, PairId, Rule, Side, StopReason, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Formula, TermId, TermPool};
use verdiff_product::Product;
use verdiff_product::ProgramFacts;
use verdiff_product::difference::Formed;
use verdiff_product::judged::function_name;
use verdiff_product::stop::reason;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::Stop;
use verdiff_symex::outcome::Outcome;
use verdiff_symex::paths::Uncovered;

/// How often callees are explored further.
const ROUNDS: usize = 12;
/// How many open questions are asked before their reasons are looked for.
const ENOUGH: usize = 6;
/// Two to the power of this is how many levels of calls are explored further at once, at most.
const MOST_LEVELS: usize = 6;
/// How often a path may enter a block, and how often when there is time for more.
const VISITS: [u32; 2] = [4, 40];
/// With less time than this no input that differs is looked for.
const WORTH_A_SEARCH: Effort = Effort::millis(60);
/// What the search for an input that differs may take.
const MODEL_TIME: Effort = Effort::millis(300);

/// What the kept paths say of a pair.
pub(super) fn judge(
    task: &Task<'_>,
    facts: &ProgramFacts,
    library: &mut Library,
    budget: &Budget,
) -> Findings {
    let mut product = Product::new(*task, facts, budget);
    library.begin(&mut product);
    let found = rounds(&mut product, library, budget);
    library.end(&mut product);
    match found {
        Ok(findings) => findings,
        Err(stop) => {
            // What is half explored is not kept.
            *library = Library::default();
            Findings::nothing(reason(task, &stop))
        }
    }
}

fn rounds(
    product: &mut Product<'_>,
    library: &mut Library,
    budget: &Budget,
) -> Result<Findings, Stop> {
    let pair = product.task.pair;
    let entry = library.entry(product, pair)?;
    let given = product.valid_entry(&entry)?;
    let mut wanted = Wanted { visits: VISITS[0], ..Wanted::default() };
    let mut asked: BTreeSet<(PairId, usize)> = BTreeSet::new();
    for round in 1..=ROUNDS {
        // Some of what is left is for what the paths say, and some for an input that shows it.
        let exploring = budget.at_most(budget.left() / 2);
        product.within(&exploring, |product| library.update(product, pair, &wanted, &given))?;
        let comparing = budget.at_most(budget.left() * 2 / 3);
        let Some(compared) = compare(product, library, &given, ENOUGH, &comparing)? else {
            if wanted.visits == VISITS[1] || budget.is_over() {
                break;
            }
            wanted.visits = VISITS[1];
            continue;
        };
        let followed = compared.unfollowed.is_empty();
        let late = exploring.is_over() || comparing.is_over();
        if compared.is_complete() || late {
            return conclude(product, library, compared, budget);
        }
        // Which callees are in the way, and where they are called.
        let mut further = false;
        let blamed = blamed(product, library, &compared);
        // What they call will be in the way next; the further down, the later, and each time twice as far.
        let mut below: BTreeSet<PairId> = blamed.keys().copied().collect();
        for _ in 1..1 << round.min(MOST_LEVELS) {
            let more: Vec<PairId> =
                below.iter().flat_map(|callee| library::below(product, *callee)).collect();
            below.extend(more);
        }
        for callee in below.into_iter().filter(|callee| !blamed.contains_key(callee)) {
            further |= wanted.explored.insert(callee) | wanted.everywhere.insert(callee);
        }
        for (callee, calls) in blamed {
            let known =
                Side::BOTH.map(|side| library.paths(callee, side).map_or(0, |p| p.done.len()));
            let news = wanted.explored.insert(callee)
                | wanted.everywhere.insert(callee)
                | asked.insert((callee, known[0] + known[1]));
            if news {
                let by_others = library.is_called_elsewhere(product, callee);
                match by_others || callee == pair || calls.is_empty() {
                    // Calls further below are made in states that nobody has written down.
                    true => wanted.calls.remove(&callee),
                    false => wanted.calls.insert(callee, calls),
                };
                further = true;
            }
        }
        if !further && !followed && wanted.visits < VISITS[1] {
            wanted.visits = VISITS[1];
            further = true;
        }
        if !further || round == ROUNDS {
            // Now all of them count.
            let all = compare(product, library, &given, usize::MAX, &comparing)?;
            return conclude(product, library, all.unwrap_or(compared), budget);
        }
    }
    Ok(Findings::nothing(match budget.is_over() {
        true => StopReason::Time,
        false => StopReason::incomplete(Incomplete::NoPath),
    }))
}

/// The pairs whose functions the open questions speak of, with their calls as far as they are made by the pair itself.
fn blamed(
    product: &Product<'_>,
    library: &Library,
    compared: &PathPairs,
) -> BTreeMap<PairId, Vec<Uncovered>> {
    let comparison = product.task.comparison;
    let names = product.space.callees_in(&compared.open_terms);
    let mut blamed = BTreeMap::new();
    for callee in comparison.pair_ids() {
        if !names.contains(function_name(comparison, callee).as_str()) {
            continue;
        }
        let mut calls = vec![];
        for side in Side::BOTH {
            let paths = library.paths(product.task.pair, side);
            let all = paths.iter().flat_map(|paths| paths.uncovered);
            calls.extend(
                all.filter(|call| comparison.pair_of(side, call.callee) == Some(callee)).cloned(),
            );
        }
        blamed.insert(callee, calls);
    }
    blamed
}

/// What the pairs of paths say.
fn conclude(
    product: &mut Product<'_>,
    library: &Library,
    compared: PathPairs,
    budget: &Budget,
) -> Result<Findings, Stop> {
    let (task, facts) = (product.task, product.facts);
    let mut functions = BTreeSet::new();
    for side in Side::BOTH {
        let Some(paths) = library.paths(task.pair, side) else { continue };
        functions.extend(paths.functions.iter().copied());
        product.usage.pairs.extend(paths.uses);
    }
    let ends = |side: Side| {
        facts.terminates_if_finite(side, task.comparison.pair(task.pair).of(side))
            && functions.iter().all(|p| facts.terminates(side, task.comparison.pair(*p).of(side)))
    };
    let both_end = Side::BOTH.into_iter().all(ends);
    let complete = compared.is_complete();
    let round = Round {
        both_end,
        uses: product.uses(),
        holds_in_calls: facts.holds_in_calls(&task, true),
        again: Again { bound: 0, abstracting: true },
        stopped: (!complete).then(|| StopReason::incomplete(Incomplete::CalleeResults)),
    };
    let Sorted { equal, differ, followed } = compared.sorted(product)?;
    let entry = compared.entry.clone();
    let mut obligations = vec![];
    if product.space.pool.as_bool(equal) != Some(false) {
        obligations = compared.obligations(product, equal, budget)?;
    }
    // Who has little time wants to know where callers may rely on it.
    let searched = !compared.apart.is_empty() && budget.left() >= WORTH_A_SEARCH;
    let candidate = match searched {
        true => candidate(product, &compared, budget)?,
        false => None,
    };
    let equal = over_parameters(product, &entry, equal)?;
    let followed = over_parameters(product, &entry, followed)?;
    let additions = round.additions(equal, followed, obligations);
    let Some((mut candidate, formed, common_run)) = candidate else {
        let ends = both_end && complete;
        return Ok(round.findings(additions, vec![], ends));
    };
    if both_end && product.space.pool.as_bool(differ) != Some(false) {
        let inside = over_parameters(product, &entry, differ)?;
        candidate.condition =
            Some(addition(Field::DifferUnder, inside, Rule::PathsDiffer, &round.uses));
        candidate.unique = complete && product.is_unique(&formed, differ, &candidate.old)?;
        candidate.effect = product.effect(&formed, differ)?;
    }
    Ok(round.findings(additions, vec![candidate], common_run))
}

/// An input on which the versions do differ.
fn candidate(
    product: &mut Product<'_>,
    compared: &PathPairs,
    budget: &Budget,
) -> Result<Option<(Candidate, Formed, bool)>, Stop> {
    let mut solver = solver::standard();
    let outcomes = [
        Outcome::of(&mut product.space, &compared.exits[0])?,
        Outcome::of(&mut product.space, &compared.exits[1])?,
    ];
    let entry = (*compared.entry).clone();
    let formed = product.compared(entry, outcomes)?;
    for apart in compared.apart.iter().rev().take(3) {
        let mut assertions = apart.clone();
        compared.with_given(product, &mut assertions)?;
        let limits = Limits::effort(MODEL_TIME.min(budget.left()));
        let query = Query { assertions: &assertions, assumptions: &[] };
        let Answer::Sat(model) = solver.decide(&mut product.space.pool, &query, &limits) else {
            continue;
        };
        let model = product.smaller(&formed, &assertions, model, &mut solver)?;
        let Some(((old, new), common_run)) = product.runnable(&formed, &model)? else { continue };
        let candidate = Candidate::new("summary", old, new);
        return Ok(Some((candidate, formed, common_run)));
    }
    Ok(None)
}

/// A condition as judgements have it: over the parameters by their own names.
fn over_parameters(product: &Product<'_>, entry: &Entry, term: TermId) -> Result<Formula, Stop> {
    let Product { task, space, .. } = product;
    let procedure = task.comparison.procedure(task.pair, Side::Old);
    let symbols = entry.args.iter().map(|arg| space.pool.as_symbol(*arg));
    let named: HashMap<&str, String> = symbols
        .zip(Entry::parameter_names(procedure))
        .filter_map(|(symbol, name)| Some((space.pool.symbol_name(symbol?), name)))
        .collect();
    let here = Formula::of(&space.pool, term)?;
    let mut pool = TermPool::new();
    let own = |name: &str| Some(named.get(name).cloned().unwrap_or_else(|| name.to_owned()));
    match here.build_as(&mut pool, &own)? {
        Some(term) => Ok(Formula::of(&pool, term)?),
        None => Ok(here),
    }
}
