//! Loops that do the same in another order.
//!
//! `for (i = 0; i < n; i++) s += v[i];` against `while (n-- > 0) s += v[n];`: nothing that is known of the prefix of an array is of
//! use for its suffix, so no invariant of [variables](super::invariant) proves that. But each iteration of one version is an
//! iteration of the other, and it does not matter in which order they come. The same is true of loops that are interchanged, split,
//! fused or tiled.
//!
//! # Rule `reordered`
//!
//! The state of a version at a loop head is divided into *control* and *data* ([`counted`]): which places a run passes, and the control
//! variables there, do not depend on data, and they have closed forms over the entry state and the numbers `d` of the iterations
//! of the loops around. So from an entry state that reaches the loops, a run of a version is a finite sequence of *updates* `T(d)`
//! of data, one for each number of iterations below the counts ([`updates`]); moves that change no data are left out.
//!
//! 1. **Traps.** The condition of each trap in the loops speaks of control alone, so there is one in the sequence or not, whatever
//!    the data. For each trap in one version there is one in the other: a solver is given the first and shows that one of a few
//!    places of the other traps, too (the start, the counterpart, the first iterations), all of them in the same way. So if one run traps,
//!    both do, with equal outcomes: neither makes outputs. From now on neither traps; of a
//!    few places (the start, the first iterations) that is given.
//! 2. **The same updates.** A map takes the updates of one version to updates of the other: of an iteration with the
//!    numbers `d` to one with the numbers `m(d)`. A solver shows of all `d` below the counts that `m(d)` is below the counts of the other version, that
//!    both do the same to any data, that a second map takes `m(d)` back to `d`, that no two updates are mapped to the same one,
//!    and that each of the other version is met. So it is a bijection of the updates of both sequences, and counterparts
//!    are equal functions of data.
//! 3. **Order.** For any two updates of one version, of which the first comes before the second there, and the counterpart of the first
//!    behind that of the second: applied to any data, one and then the other gives the same in both orders. A permutation of a
//!    finite sequence is made by swaps of neighbours that are in another order in the end, so it gives the same data.
//! 4. **Ends.** Where the first loop is reached, data are equal; with equal data behind the last update, outcomes are.
//!    A version may return without reaching a loop: then the other one makes no update, by 2, and is at the end with the
//!    data of its start.
//!
//! Data variables of both versions belong together by their names, or by their types; of those that only one has, nothing is asked,
//! so the others do not depend on them: they are any values in 2 and 4. ✗ `for (i = 0; i < n; i++) s = s * 2 + v[i];` from the end: updates do
//! not commute. ✗ `i <= n` against `i < n`: no bijection. ✗ `for (i = 0; i < n; i++) a[i] = a[i + 1];` from the end: the memories differ at some index
//! where neighbours are swapped.
//!
//! All of that is bit-precise: closed forms are modulo 2^w, counts are numbers that do not wrap. It is about entry states from which objects
//! behind pointers are large enough; a version that names objects otherwise is left alone.

mod counted;
mod ends;
mod order;
mod owners;
mod shape;
mod updates;

use super::begin::stepping;
use super::cases::Case;
use super::question::Question;
use super::step::Stepping;
use super::{Cut, CutPoint, Reach};
use counted::{Counted, Uncounted, data, decides};
use shape::{Asking, Map, Version, put, symbols};
use std::collections::{BTreeMap, BTreeSet};
use updates::{OwnSymbols, Updates, Walk};
use verdiff_judge::{
    Addition, Assumption, Budget, Evidence, Field, Findings, Obligation, ReorderedLoops, Rule, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::Answer;

use verdiff_logic::{ArrayValue, Assignment, Bits, Evaluator, Formula, Op, Sort, TermId, Value};
use verdiff_product::alias::unaliased;
use verdiff_product::entry::valid_parameters;
use verdiff_product::obligation;
use verdiff_product::solver_queries::ask;
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// What one question is worth, at most.
const ALONE: Effort = Effort::millis(300);
/// How many points are tried before a solver is asked.
const POINTS: u64 = 24;
/// How often variables without a closed form are taken for data, and how many ways to pair data variables are tried.
const MOST_DATA: usize = 24;
const MOST_PAIRINGS: usize = 6;

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Holds,
    Not,
}

/// The proof under construction.
struct Reordering<'c, 'a, 'b> {
    stepping: Stepping<'c, 'a>,
    budget: &'b Budget,
    /// Symbols for data, numbers of other iterations and places in memory.
    symbols: OwnSymbols,
    /// What is given of the entry state. The memory of a head has the same symbol as that of the entry, so this may be given only where
    /// nothing speaks of memory that is written, or data have symbols of their own.
    given: Vec<TermId>,
    obligations: Vec<Obligation>,
    asked: u64,
    /// The pointer parameters that do not alias, if objects are told apart by them.
    owners: Vec<TermId>,
    /// That a few places do not trap.
    calm: Vec<TermId>,
}

/// Proves a pair of versions that do the same in another order, or nothing.
pub fn reordered(task: &Task<'_>, cut: &Cut, budget: &Budget) -> Result<Option<Findings>, Stop> {
    let question = Question::of(Case::all(), Reach::Likely);
    let mut stepping = stepping(task, cut, &question, budget)?;
    stepping.heads_return = true;
    let unaliased = unaliased(task.comparison, task.pair);
    if unaliased.contains(&true) {
        stepping.accesses = Some(stepping.product.space.record_accesses());
    }
    let mut asking = Asking { budget, numbers: 0, obligations: vec![] };
    let mut versions = vec![];
    for side in [0, 1] {
        let Some(version) = Version::of(&mut stepping, side, &mut asking)? else { return Ok(None) };
        versions.push(version);
    }
    let written: BTreeSet<usize> = versions.iter().flat_map(|v| v.written.clone()).collect();
    versions.iter_mut().for_each(|version| version.written = written.clone());
    let obligations = asking.obligations;
    let mut reordering = Reordering {
        stepping,
        budget,
        symbols: OwnSymbols::default(),
        given: vec![],
        obligations,
        asked: 0,
        owners: vec![],
        calm: vec![],
    };
    reordering.assume(&unaliased)?;
    let mut sides = vec![];
    for version in &mut versions {
        let Some(updates) = reordering.updates(version)? else { return Ok(None) };
        sides.push(updates);
    }
    let Ok([old, mut new]) = <[Updates; 2]>::try_from(sides) else { return Ok(None) };
    let mut done = None;
    for names in pairings(&old, &new) {
        if budget.is_over() {
            return Ok(None);
        }
        let mut renamed = new.clone();
        renamed.rename(&names);
        let before = reordering.obligations.len();
        if reordering.same(&versions, [&old, &renamed])? {
            done = Some(renamed);
            break;
        }
        reordering.obligations.truncate(before);
    }
    let Some(found) = done else { return Ok(None) };
    new = found;
    if reordering.stepping.product.usage.undescribed {
        return Ok(None);
    }
    Ok(Some(reordering.addition(&versions, [&old, &new])))
}

impl Reordering<'_, '_, '_> {
    /// What is taken for granted of the entry state.
    fn assume(&mut self, unaliased: &[bool]) -> Result<(), Stop> {
        let start = [CutPoint::Start, CutPoint::Start];
        let mut given = vec![];
        let (entries, _) = self.stepping.entries(start, 0, &mut given)?;
        let stepping = &mut self.stepping;
        given.extend(valid_parameters(&mut stepping.product.space, &stepping.task, &entries[0])?);
        given.extend(stepping.product.preconditions(&entries[0])?);
        given.extend(stepping.product.space.axioms()?);
        self.given = given;
        let args = entries[0].args.iter().zip(unaliased);
        self.owners = args.filter(|(_, alone)| **alone).map(|(arg, _)| *arg).collect();
        Ok(())
    }

    /// A version as updates in loops that count.
    fn updates(&mut self, version: &mut Version) -> Result<Option<Updates>, Stop> {
        let mut open = BTreeSet::new();
        for _ in 0..MOST_DATA {
            if self.budget.is_over() {
                return Ok(None);
            }
            let space = &self.stepping.product.space;
            let data = data(space, version, &open);
            if decides(space, version, &data) {
                // What is assumed of memory at the entry does not hold at heads.
                let axioms = self.stepping.product.space.axioms()?;
                let given = std::mem::replace(&mut self.given, axioms);
                let done = self.without_data(version, &data);
                self.given = given;
                done?;
                if decides(&self.stepping.product.space, version, &data) {
                    return Ok(None);
                }
            }
            match self.all_counted(version, &data) {
                Ok(loops) => {
                    let space = &mut self.stepping.product.space;
                    let Some(mut updates) = Walk::through(space, version, &data, &loops)? else {
                        return Ok(None);
                    };
                    if updates.traps_on_data(space, &data) {
                        return Ok(None);
                    }
                    updates.keep_changes(space, &mut self.symbols)?;
                    return Ok(Some(updates));
                }
                Err(Uncounted::Data(param)) => {
                    open.insert(param);
                }
                Err(Uncounted::Unknown) => return Ok(None),
                Err(Uncounted::Stop(stop)) => return Err(stop),
            }
        }
        Ok(None)
    }

    /// Conditions that speak of data in vain, without that: where `v[i] > best` is true, `v[i]` is read once more, which traps only if
    /// the first read does.
    fn without_data(&mut self, version: &mut Version, data: &BTreeSet<TermId>) -> Result<(), Stop> {
        for (_, place) in version.places.iter_mut().filter(|(at, _)| **at != CutPoint::Start) {
            let mut found = Map::new();
            for term in place.conditions() {
                let space = &mut self.stepping.product.space;
                let speaks =
                    |space: &Space, term: TermId| !symbols(&space.pool, &[term]).is_disjoint(data);
                if !speaks(space, term) {
                    continue;
                }
                let compares = |op: Op| matches!(op, Op::BvUlt | Op::BvSlt | Op::Eq);
                let atoms = space.pool.sub_terms(&[term]).into_iter();
                let atoms: Vec<TermId> = atoms
                    .filter(|atom| compares(space.pool.op(*atom)) && speaks(space, *atom))
                    .collect();
                for value in [space.pool.truth(), space.pool.falsity()] {
                    let space = &mut self.stepping.product.space;
                    let values = atoms.iter().map(|atom| (*atom, value)).collect();
                    let plain = put(space, term, &values)?;
                    let differs = space.pool.ne(term, plain)?;
                    if !speaks(space, plain)
                        && self.show("a condition does not depend on data", &[differs])?
                            == Shown::Holds
                    {
                        found.insert(term, plain);
                        break;
                    }
                }
            }
            place.replace_conditions(&found);
        }
        Ok(())
    }

    fn all_counted(
        &mut self,
        version: &Version,
        data: &BTreeSet<TermId>,
    ) -> Result<Vec<Counted>, Uncounted> {
        let start = &version.places[&CutPoint::Start];
        let first = version.loops.first().map(|nest| nest.head);
        let Some(moved) = first.and_then(|head| start.move_to(head)) else { return Ok(vec![]) };
        let mut entry = moved.values.clone();
        let mut loops = vec![];
        for nest in &version.loops {
            let (counted, after) = self.counted(version, data, nest, &entry, &[moved.when])?;
            loops.push(counted);
            entry = after;
        }
        Ok(loops)
    }

    /// Whether both versions do the same.
    fn same(&mut self, versions: &[Version], sides: [&Updates; 2]) -> Result<bool, Stop> {
        self.calm = self.calm(sides)?;
        if !self.begins_and_ends(versions, sides)? {
            return Ok(false);
        }
        for [from, to] in [sides, [sides[1], sides[0]]] {
            let before = self.obligations.len();
            let Some(mapped) = self.mapped(from, to)? else { continue };
            let calm = std::mem::take(&mut self.calm);
            let traps = self.traps(from, to, &mapped)?;
            self.calm = calm;
            if traps && self.commute(from, to, &mapped)? {
                return Ok(true);
            }
            self.obligations.truncate(before);
            if self.budget.is_over() {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Asks whether these exclude each other, together with what is given. Each answer is worth an obligation.
    fn show(&mut self, name: &str, assertions: &[TermId]) -> Result<Shown, Stop> {
        let space = &mut self.stepping.product.space;
        let whole = space.and(assertions)?;
        let whole = space.tidy(whole)?;

        if whole == space.pool.falsity() {
            return Ok(Shown::Holds);
        }
        let mut all = self.given.clone();
        all.extend(&self.calm);
        all.push(whole);
        if self.budget.is_over() || self.is_refuted(&all) {
            return Ok(Shown::Not);
        }
        let space = &mut self.stepping.product.space;
        let most = (self.budget.left() / 4).min(ALONE);
        if !matches!(ask(space, &all, &self.budget.at_most(most * 2)), Answer::Unsat { .. }) {
            return Ok(Shown::Not);
        }
        match obligation::script(&space.pool, name, &all) {
            // One that is too long to be written down could not be checked by another solver.
            None => Ok(Shown::Not),
            Some(obligation) => {
                self.obligations.push(obligation);
                Ok(Shown::Holds)
            }
        }
    }

    /// Whether all of these hold at some point: most wrong guesses are wrong for small numbers.
    fn is_refuted(&mut self, all: &[TermId]) -> bool {
        let pool = &self.stepping.product.space.pool;
        let names = symbols(pool, all);
        let accesses = |op: Op| matches!(op, Op::Select | Op::Store);
        let terms = pool.sub_terms(all).into_iter().filter(|term| accesses(pool.op(*term)));
        let indexes: BTreeSet<TermId> = terms.map(|term| pool.operands(term)[1]).collect();
        for point in 0..POINTS {
            let mut assignment = Assignment::new();
            for (n, symbol) in names.iter().enumerate() {
                let random = next(&mut self.asked, n);
                let small = random % (3 + point);
                let value = match pool.sort(*symbol) {
                    Sort::Bool => Value::Bool(random % 2 == 1),
                    // As likely an address as a number.
                    Sort::BitVec(64) if random & 64 != 0 => {
                        Value::Bits(Bits::new(64, u128::from((1 + random % 7) << 20)))
                    }
                    Sort::BitVec(bits) if random & 128 != 0 => {
                        Value::Bits(Bits::new(bits, u128::from(random)))
                    }
                    Sort::BitVec(bits) => Value::Bits(Bits::new(bits, u128::from(small))),
                    _ => continue,
                };
                if assignment.set_term(pool, *symbol, value).is_err() {
                    return false;
                }
            }
            // What is accessed then has contents, and memories are compared where something is accessed.
            let mut places: Vec<Value> = vec![];
            let mut evaluator = Evaluator::new(&assignment);
            for index in &indexes {
                let compared = names.contains(index);
                places.extend(evaluator.eval(pool, *index).ok().filter(|_| !compared));
            }
            for (n, symbol) in names.iter().enumerate() {
                let random = next(&mut self.asked, n);
                let value = match pool.sort(*symbol) {
                    Sort::BitVec(64) if indexes.contains(symbol) && !places.is_empty() => {
                        places[random as usize % places.len()].clone()
                    }
                    Sort::Array(sort) => {
                        let Sort::BitVec(bits) = pool.array_parts(sort).1 else { continue };
                        let zero = Value::Bits(Bits::zero(bits));
                        let mut array = ArrayValue::constant(sort, zero);
                        for place in &places {
                            let held = u128::from(next(&mut self.asked, n));
                            array = array.store(place.clone(), Value::Bits(Bits::new(bits, held)));
                        }
                        Value::Array(array)
                    }
                    _ => continue,
                };
                if assignment.set_term(pool, *symbol, value).is_err() {
                    return false;
                }
            }
            let mut evaluator = Evaluator::new(&assignment);
            if all.iter().all(|term| evaluator.holds(pool, *term).unwrap_or(false)) {
                return true;
            }
        }
        false
    }

    fn name(&self, version: &Version, at: CutPoint) -> String {
        self.stepping.cut.place_name(&self.stepping.task, version.side, at)
    }

    /// What is added to the judgement.
    fn addition(&self, versions: &[Version], sides: [&Updates; 2]) -> Findings {
        let stepping = &self.stepping;
        let task = &stepping.task;
        let settings = &task.comparison.settings;
        let function = &task.comparison.pair(task.pair).function;
        let assumed = settings.assume.iter().any(|(f, _)| f == function);
        let restricted = self.uses_owners();
        let holds_in_calls =
            !assumed && !restricted && stepping.cut.facts.holds_in_calls(task, true);
        let loops = [0, 1].map(|side| {
            let heads = versions[side].places.keys().filter(|at| matches!(at, CutPoint::Head(_)));
            heads.map(|at| self.name(&versions[side], *at)).collect()
        });
        let rule = Rule::Reordered {
            loops: ReorderedLoops { loops, updates: sides.map(|updates| updates.all.len()) },
        };
        let mut assumes = verdiff_product::entry::preconditions_assumed(task);
        if restricted {
            let no_alias = settings.no_alias;
            assumes.push(if no_alias { Assumption::NoAlias } else { Assumption::Restrict });
        }
        let mut evidence = Evidence { assumes, ..Evidence::new(Field::EqualUnder, "align", rule) };
        evidence.obligations.extend(self.obligations.iter().cloned());
        evidence.uses.extend(stepping.product.judgements_used());
        let additions = vec![Addition::new(Formula::truth(), evidence).in_calls(holds_in_calls)];
        Findings { additions, ..Findings::default() }
    }
}

/// Ways to say which data variable of the new version is which of the old one: those of one name belong together, the
/// others by their types. What is left is private.
fn pairings(old: &Updates, new: &Updates) -> Vec<BTreeMap<String, String>> {
    let is_shared = |name: &String, sort: &Sort| {
        old.slots.get(name) == Some(sort) && new.slots.contains_key(name)
    };
    let open: Vec<(&String, &Sort)> =
        new.slots.iter().filter(|(name, sort)| !is_shared(name, sort)).collect();
    let free: Vec<(&String, &Sort)> =
        old.slots.iter().filter(|(name, sort)| new.slots.get(*name) != Some(sort)).collect();
    let mut found: Vec<BTreeMap<String, String>> = vec![BTreeMap::new()];
    for (name, sort) in open {
        let mut longer = vec![];
        for known in &found {
            let fits = |(other, s): &&(&String, &Sort)| {
                *s == sort && !known.values().any(|taken| taken == *other)
            };
            for (other, _) in free.iter().filter(fits) {
                let mut next = known.clone();
                next.insert(name.clone(), (*other).clone());
                longer.push(next);
            }
            let mut next = known.clone();
            next.insert(name.clone(), format!("new.{name}"));
            longer.push(next);
        }
        longer.truncate(MOST_PAIRINGS);
        found = longer;
    }
    found
}

/// The next of a sequence of random numbers.
fn next(state: &mut u64, n: usize) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407 + n as u64);
    *state >> 33
}
