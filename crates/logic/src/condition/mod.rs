//! Conditions for people: a short condition that means the same as a long one.
//!
//! What an engine finds out is exact and unreadable: `(x < 100 ? x : 100) != (x < 99 ? x : 100)`. A person
//! wants `x == 99`. [`readable`] looks for the shortest combination of atoms (comparisons of variables with numbers and
//! with each other, bit tests, comparisons that the condition itself makes) in the way of counterexample-guided
//! synthesis: find a combination that is right at all known points ([`cover`]), ask the solver whether it is right
//! everywhere, learn from its counterexample, and where the atoms do not suffice look for the number at which the condition
//! changes between two points ([`points`]).
//!
//! Soundness: nothing is believed but the solver's answer that no state, of those that are given, tells the two apart. Everything else
//! only chooses what to ask. If time is over there is no answer.

mod atoms;
mod context;
mod cover;
mod points;

pub use context::without_redundancy;

use rustc_hash::FxHashMap;

use crate::assignment::Assignment;
use crate::bits::Bits;
use crate::c_print::{Names, Nature, c_partial_expression};
use crate::effort::{self, Deadline, Effort};
use crate::error::LogicError;
use crate::op::Op;
use crate::solver::{self, Answer, Decide, Limits, Query};
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use crate::value::Value;
use atoms::{Atom, Atoms, length, terms_above};
use cover::{Combination, Literal, MOST_POINTS, Points, smallest};
use points::{SamplePoint, Sampler};

/// Points that are tried before the solver is asked.
const FIRST_POINTS: usize = 160;
/// Variables beyond which no short condition is to be expected.
const MOST_VARIABLES: usize = 16;
/// How often a combination is asked of the solver.
const MOST_QUESTIONS: usize = 60;

/// What nobody would read.
const LONGEST: u32 = 60;
/// What is good enough not to look at what two variables make together.
const GOOD: u32 = 14;
/// What nobody would want shorter: one comparison.
const SHORT: u32 = 4;

/// Something a condition may speak of.
#[derive(Clone, Debug)]
struct Variable {
    term: TermId,
    signed: bool,
    nature: Nature,
}

impl Variable {
    fn is_number(&self) -> bool {
        matches!(self.nature, Nature::Number | Nature::Character)
    }

    fn is_pointer(&self) -> bool {
        matches!(self.nature, Nature::Pointer(_))
    }
}

/// A short condition that holds of the same states as `condition`, among those of which all of `given` and of `definitions` hold; the latter
/// are for the solver only, since a state that is tried out need not fulfil them. It speaks
/// of what `names` has names for, and C can say it. `None` if none was found in time, or none that is shorter than the condition itself.
///
/// ```
/// use verdiff_logic::effort::Effort;
/// use verdiff_logic::{Named, Nature, Sort, TermPool, c_expression, readable};
/// # fn main() -> Result<(), verdiff_logic::LogicError> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let names = [(x, Named { code: "x".into(), signed: true, nature: Nature::Number, rank: 0 })];
/// let names = names.into_iter().collect();
/// // min(x, 100) != (x < 99 ? x : 100)
/// let (hundred, less) = (pool.bits(32, 100)?, pool.bits(32, 99)?);
/// let below = pool.bv_slt(x, hundred)?;
/// let old = pool.ite(below, x, hundred)?;
/// let below = pool.bv_slt(x, less)?;
/// let new = pool.ite(below, x, hundred)?;
/// let differ = pool.ne(old, new)?;
/// let short = readable(&mut pool, differ, &[], &[], &names, Effort::seconds(5)).unwrap();
/// assert_eq!(c_expression(&pool, short, &names).as_deref(), Some("x == 99"));
/// # Ok(()) }
/// ```
pub fn readable(
    pool: &mut TermPool,
    condition: TermId,
    given: &[TermId],
    definitions: &[TermId],
    names: &Names,
    effort: Effort,
) -> Option<TermId> {
    let variables = variables(pool, condition, names)?;
    let mut search = ConditionSearch {
        condition,
        given,
        definitions,
        names,
        variables,
        points: vec![],
        end: effort::spent() + effort,
        solver: Box::new(solver::standard()),
    };
    let found = search.run(pool, effort).ok().flatten()?;
    let long = c_partial_expression(pool, condition, names).map(|text| length(&text));
    let short = length(&c_partial_expression(pool, found, names)?);
    long.is_none_or(|long| short <= long).then_some(found)
}

/// Counts what a question costs besides what the solver counts: here questions are short but many, each about the whole of a condition that
/// may be long, and the solver is told all of it anew each time.
fn charge_question(pool: &TermPool, assertions: &[TermId]) {
    let terms = pool.sub_terms(assertions).len() as u64;
    effort::charge(Effort::of(effort::Step::Translation, terms));
}

/// What the condition speaks of; `None` if there is too much of it.
fn variables(pool: &TermPool, condition: TermId, names: &Names) -> Option<Vec<Variable>> {
    let named = |term: TermId| {
        if let Some(named) = names.get(&term) {
            return Some(Variable { term, signed: named.signed, nature: named.nature });
        }
        // A symbol without a name is called by its own.
        let is_number = matches!(pool.sort(term), Sort::BitVec(_) | Sort::Bool);
        let is_symbol = matches!(pool.op(term), Op::Symbol(_)) && is_number;
        let said = is_symbol && c_partial_expression(pool, term, names).is_some();
        said.then_some(Variable { term, signed: true, nature: Nature::Number })
    };
    let mut all: Vec<Variable> =
        terms_above(pool, condition, names).into_iter().filter_map(named).collect();
    // Of two equally short conditions the one about earlier parameters is found.
    all.sort_by_key(|v| (names.get(&v.term).map_or(usize::MAX, |named| named.rank), v.term));
    (all.len() <= MOST_VARIABLES).then_some(all)
}

struct ConditionSearch<'a> {
    condition: TermId,
    given: &'a [TermId],
    definitions: &'a [TermId],
    names: &'a Names,
    variables: Vec<Variable>,
    points: Vec<SamplePoint>,
    /// The reading of the meter at which the search ends.
    end: Effort,
    solver: Box<dyn Decide>,
}

impl ConditionSearch<'_> {
    fn run(&mut self, pool: &mut TermPool, effort: Effort) -> Result<Option<TermId>, LogicError> {
        let opposite = pool.not(self.condition)?;
        for (asked, otherwise) in [(self.condition, false), (opposite, true)] {
            match self.ask(pool, asked) {
                Answer::Unsat { .. } => return Ok(Some(pool.boolean(otherwise))),
                Answer::Sat(model) => self.learn(pool, model),
                Answer::Unknown(_) => return Ok(None),
            }
        }
        let mut atoms = Atoms::of(pool, self.condition, &self.variables, self.names);
        self.sample_neighbours(pool, &atoms);
        let mut wider = false;
        let mut best: Option<(u32, TermId)> = None;
        for _ in 0..MOST_QUESTIONS {
            if self.is_over() {
                break;
            }
            let shape = self.propose(pool, &atoms);
            let most = best.map_or(LONGEST, |(cost, _)| cost);
            let cheaper = |shape: &Combination| shape.cost() < most;
            let Some(shape) = shape.filter(cheaper) else {
                if self.refine(pool, &mut atoms) {
                    continue;
                }
                if wider || best.is_some_and(|(cost, _)| cost <= GOOD) {
                    break;
                }
                wider = true;
                self.widen(pool, &mut atoms);
                continue;
            };
            match self.differs(pool, &atoms, &shape)? {
                // One comparison is as short as it gets; otherwise there may be numbers that say it with less.
                Answer::Unsat { .. } => {
                    let shape = self.without_redundant_literals(pool, &atoms, shape)?;
                    best = Some((shape.cost(), build(pool, &atoms, &shape, self.names)?));
                    self.end = self.end.min(effort::spent() + effort / 4);
                    let done = shape.cost() <= GOOD || wider;
                    if shape.cost() <= SHORT || !self.refine(pool, &mut atoms) && done {
                        break;
                    }
                }
                Answer::Sat(model) => {
                    self.learn(pool, model);
                    self.bisect(pool, &mut atoms);
                }
                Answer::Unknown(_) => break,
            }
        }
        Ok(best.map(|(_, term)| term))
    }

    /// A state of which the combination says something else than the condition.
    fn differs(
        &mut self,
        pool: &mut TermPool,
        atoms: &Atoms,
        shape: &Combination,
    ) -> Result<Answer, LogicError> {
        let proposed = build(pool, atoms, shape, self.names)?;
        let same = pool.eq(self.condition, proposed)?;
        let unlike = pool.not(same)?;
        Ok(self.ask(pool, unlike))
    }

    /// The combination without what it does not need.
    fn without_redundant_literals(
        &mut self,
        pool: &mut TermPool,
        atoms: &Atoms,
        mut shape: Combination,
    ) -> Result<Combination, LogicError> {
        let mut position = 0;
        while let Some(smaller) = shape.without(position) {
            if self.differs(pool, atoms, &smaller)?.is_unsat() {
                shape = smaller;
            } else {
                position += 1;
            }
        }
        Ok(shape)
    }

    fn ask(&mut self, pool: &mut TermPool, term: TermId) -> Answer {
        let mut assertions = self.given.to_vec();
        assertions.extend_from_slice(self.definitions);
        assertions.push(term);
        charge_question(pool, &assertions);
        let left = self.end.saturating_sub(effort::spent());
        let limits = Limits::effort(left.max(Effort::millis(1)));
        let query = Query { assertions: &assertions, assumptions: &[] };
        self.solver.decide(pool, &query, &limits)
    }

    fn is_over(&self) -> bool {
        effort::spent() >= self.end || Deadline::has_passed()
    }

    fn sampler<'s>(&'s self, pool: &'s TermPool) -> Sampler<'s> {
        let (condition, given, variables) = (self.condition, self.given, &self.variables);
        Sampler { pool, condition, given, variables }
    }

    fn learn(&mut self, pool: &TermPool, model: Assignment) {
        let point = self.sampler(pool).of_model(model);
        self.keep(point);
    }

    fn keep(&mut self, point: Option<SamplePoint>) {
        let Some(point) = point.filter(|_| self.points.len() < MOST_POINTS) else { return };
        let known = |p: &SamplePoint| p.values == point.values && p.holds == point.holds;
        if !self.points.iter().any(known) {
            self.points.push(point);
        }
    }

    /// Points near those that are known: one variable set to a number of the condition, or to another variable.
    fn sample_neighbours(&mut self, pool: &TermPool, atoms: &Atoms) {
        let bases: Vec<SamplePoint> = self.points.clone();
        let mut tries: Vec<(usize, usize, Value)> = vec![];
        for (index, variable) in self.variables.iter().enumerate() {
            let feature = atoms.features.iter().position(|f| f.term == variable.term);
            let mut values: Vec<Value> = match pool.sort(variable.term) {
                Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
                Sort::BitVec(width) if variable.is_pointer() => {
                    vec![Value::Bits(Bits::zero(width))]
                }
                _ => vec![],
            };
            let constants = atoms.list.iter().filter_map(|(atom, _)| match atom {
                Atom::Less(of, value) if Some(*of) == feature => Some(Value::Bits(value.clone())),
                _ => None,
            });
            values.extend(constants);
            for (number, base) in bases.iter().enumerate() {
                let same = base.values.iter().filter(|v| v.sort() == pool.sort(variable.term));
                let all = values.iter().chain(same);
                tries.extend(all.map(|value| (number, index, value.clone())));
            }
        }
        // An even choice, always the same.
        let step = tries.len().div_ceil(FIRST_POINTS).max(1);
        for (number, index, value) in tries.into_iter().step_by(step) {
            let base = &bases[number];
            let mut values = base.values.clone();
            values[index] = value;
            let point = self.sampler(pool).at(&base.base, values);
            self.keep(point);
        }
    }

    /// The shortest combination that is right at all points.
    fn propose(&self, pool: &TermPool, atoms: &Atoms) -> Option<Combination> {
        let (mut yes, mut no) = (Points::default(), Points::default());
        let mut holds = vec![[Points::default(); 2]; atoms.list.len()];
        let features: Vec<TermId> = atoms.features.iter().map(|f| f.term).collect();
        let truths: Vec<TermId> = atoms
            .list
            .iter()
            .filter_map(|(atom, _)| if let Atom::Holds(term) = atom { Some(*term) } else { None })
            .collect();
        let sampler = self.sampler(pool);
        for (number, point) in self.points.iter().enumerate() {
            if point.holds { &mut yes } else { &mut no }.insert(number);
            let all: Vec<TermId> = features.iter().chain(&truths).copied().collect();
            let values = sampler.values(point, &all);
            let known: FxHashMap<TermId, bool> = truths
                .iter()
                .zip(&values[features.len()..])
                .filter_map(|(term, value)| Some((*term, value.as_ref()?.as_bool()?)))
                .collect();
            for ((atom, _), holds) in atoms.list.iter().zip(&mut holds) {
                if let Some(truth) = atoms.holds(atom, &values, &known) {
                    holds[usize::from(!truth)].insert(number);
                }
            }
        }
        let all = yes.or(&no);
        let mut seen: FxHashMap<Points, (u32, usize)> = FxHashMap::default();
        for (index, (holds, (_, cost))) in holds.iter().zip(&atoms.list).enumerate() {
            let is_useful = !holds[0].is_empty() && !holds[1].is_empty();
            if is_useful && holds[0].or(&holds[1]) == all {
                let best = seen.entry(holds[0]).or_insert((*cost, index));
                *best = (*best).min((*cost, index));
            }
        }
        let mut chosen: Vec<usize> = seen.into_values().map(|(_, index)| index).collect();
        chosen.sort_unstable();
        let literal = |atom: usize, negated: bool| {
            let (holds, cost) = (holds[atom][usize::from(negated)], atoms.list[atom].1);
            Literal { atom, negated, holds, cost }
        };
        let literals: Vec<Literal> = chosen
            .into_iter()
            .flat_map(|atom| [literal(atom, false), literal(atom, true)])
            .collect();
        smallest(&literals, yes, no, self.end)
    }

    /// After a counterexample: where the condition changes between it and points of the other kind.
    fn bisect(&mut self, pool: &TermPool, atoms: &mut Atoms) -> bool {
        const MOST: usize = 3;
        let Some(last) = self.points.last().cloned() else { return false };
        let others: Vec<SamplePoint> = self
            .points
            .iter()
            .rev()
            .filter(|p| p.holds != last.holds)
            .take(MOST)
            .cloned()
            .collect();
        let mut grown = false;
        for other in others {
            for (from, to) in [(&last, &other), (&other, &last)] {
                grown |= self.change(pool, atoms, from, to);
            }
        }
        grown
    }

    /// Where no combination is right at all points: what tells those apart that look alike.
    fn refine(&mut self, pool: &TermPool, atoms: &mut Atoms) -> bool {
        const MOST: usize = 12;
        let some = |holds: bool| -> Vec<SamplePoint> {
            let all: Vec<SamplePoint> =
                self.points.iter().filter(|p| p.holds == holds).cloned().collect();
            let step = all.len().div_ceil(MOST).max(1);
            all.into_iter().rev().step_by(step).collect()
        };
        let (yes, no) = (some(true), some(false));
        let mut grown = false;
        for (number, from) in yes.iter().enumerate() {
            for to in no.iter().cycle().skip(number).take(2) {
                grown |= self.change(pool, atoms, from, to);
            }
            if self.is_over() {
                break;
            }
        }
        grown
    }

    /// Two neighbours at which the condition changes; the numbers there become constants.
    fn change(
        &mut self,
        pool: &TermPool,
        atoms: &mut Atoms,
        from: &SamplePoint,
        to: &SamplePoint,
    ) -> bool {
        let Some(neighbours) = self.sampler(pool).boundary(from, to) else { return false };
        let terms: Vec<TermId> = atoms.features.iter().map(|f| f.term).collect();
        let mut grown = false;
        let values = neighbours.each_ref().map(|point| self.sampler(pool).values(point, &terms));
        for (index, (one, other)) in values[0].iter().zip(&values[1]).enumerate() {
            if one == other {
                continue;
            }
            for value in [one, other].into_iter().flatten().filter_map(|v| v.as_bits()) {
                grown |= atoms.found(index, value.clone(), digits(value));
            }
        }
        for point in neighbours {
            self.keep(Some(point));
        }
        grown
    }

    /// Where comparisons of variables are not enough: single bits, and what two variables make together.
    fn widen(&mut self, pool: &mut TermPool, atoms: &mut Atoms) {
        const MOST: usize = 4;
        let numbers: Vec<Variable> =
            self.variables.iter().filter(|v| v.is_number()).cloned().collect();
        for (index, a) in numbers.iter().take(MOST).enumerate() {
            for b in numbers.iter().take(MOST).skip(index + 1) {
                if pool.sort(a.term) != pool.sort(b.term) || pool.sort(a.term) == Sort::Bool {
                    continue;
                }
                let width = pool.width(a.term);
                let made = [
                    pool.bv_sub(a.term, b.term),
                    pool.bv_add(a.term, b.term),
                    pool.bv_and(a.term, b.term),
                    pool.bv_xor(a.term, b.term),
                ];
                let signed = a.signed && b.signed;
                for term in made.into_iter().flatten() {
                    if let Some(new) = atoms.feature(pool, self.names, term, signed, false) {
                        atoms.constant(new, Bits::zero(width));
                    }
                }
                if let Ok(unlike) = pool.bv_xor(a.term, b.term) {
                    atoms.masked(pool, self.names, unlike, &Bits::one(width), signed);
                }
            }
            let Some(width) = pool.sort(a.term).width() else { continue };
            for bit in (0..width).filter(|bit| *bit < 8 || numbers.len() == 1) {
                let mask = Bits::power_of_two(width, bit);
                atoms.masked(pool, self.names, a.term, &mask, a.signed);
            }
        }
        self.refine(pool, atoms);
    }
}

/// The combination as a term. Pointers come first, so that the C text asks whether there is an object
/// before it looks into it.
fn build(
    pool: &mut TermPool,
    atoms: &Atoms,
    shape: &Combination,
    names: &Names,
) -> Result<TermId, LogicError> {
    let ranks: Vec<(u8, usize)> = (0..atoms.list.len())
        .map(|atom| match &atoms.list[atom].0 {
            Atom::Holds(term) if speaks_of_pointers(pool, *term, names) => (0, atom),
            Atom::Less(feature, _) | Atom::Equal(feature, _) => {
                (if atoms.features[*feature].is_variable { 1 } else { 2 }, atom)
            }
            Atom::Holds(_) => (1, atom),
        })
        .collect();
    let rank = |l: &Literal| ranks[l.atom];
    let literal = |pool: &mut TermPool, l: &Literal| -> Result<TermId, LogicError> {
        let term = atoms.term(pool, l.atom)?;
        if l.negated { pool.not(term) } else { Ok(term) }
    };
    let (groups, any) = match shape {
        Combination::Unlike(guards, a, b) => {
            let mut all = vec![];
            for guard in guards {
                all.push(literal(pool, guard)?);
            }
            // The case that is easier to tell comes first.
            let easy = |l: &Literal| match &atoms.list[l.atom].0 {
                Atom::Less(feature, _) | Atom::Equal(feature, _) => {
                    atoms.features[*feature].is_variable
                }
                Atom::Holds(_) => false,
            };
            let (a, b) = if easy(b) && !easy(a) { (b, a) } else { (a, b) };
            let is_split = easy(a) && !easy(b);
            let (case, other) = (literal(pool, a)?, literal(pool, b)?);
            let opposite = pool.not(other)?;
            all.push(match is_split {
                true => pool.ite(case, opposite, other)?,
                false => pool.ne(case, other)?,
            });
            return joined(pool, &all, false);
        }
        Combination::Any(groups) => (groups, true),
        Combination::All(groups) => (groups, false),
    };
    let mut groups = groups.clone();
    for group in &mut groups {
        group.sort_by_key(&rank);
    }
    groups.sort_by_key(|group| (group.len(), group.first().map(&rank)));
    if let (true, Some((case, rests))) = (any, cases(&groups)) {
        let mut sides = vec![];
        for rest in rests {
            let mut inner = vec![];
            for l in &rest {
                inner.push(literal(pool, l)?);
            }
            sides.push(joined(pool, &inner, false)?);
        }
        let case = literal(pool, &case)?;
        return pool.ite(case, sides[0], sides[1]);
    }
    let mut made = vec![];
    for group in &groups {
        let mut inner = vec![];
        for l in group {
            inner.push(literal(pool, l)?);
        }
        made.push(joined(pool, &inner, !any)?);
    }
    joined(pool, &made, any)
}

/// Two alternatives of which one asks for the opposite of what the other asks for: the case, and what is asked besides where it holds and where
/// it does not.
fn cases(groups: &[Vec<Literal>]) -> Option<(Literal, [Vec<Literal>; 2])> {
    let [one, other] = groups else { return None };
    if one.len() < 2 || other.len() < 2 {
        return None;
    }
    one.iter().find_map(|case| {
        let is_opposite = |l: &&Literal| l.atom == case.atom && l.negated != case.negated;
        let opposite = other.iter().find(is_opposite)?;
        let without = |group: &[Literal], out: &Literal| {
            group.iter().filter(|l| *l != out).copied().collect::<Vec<_>>()
        };
        Some((*case, [without(one, case), without(other, opposite)]))
    })
}

/// How many digits a number has that are not at its end.
fn digits(value: &Bits) -> u32 {
    let value = if value.is_negative() { value.neg() } else { value.clone() };
    value.to_biguint().to_string().trim_end_matches('0').len() as u32
}

fn speaks_of_pointers(pool: &TermPool, term: TermId, names: &Names) -> bool {
    let is_pointer =
        |t: &TermId| matches!(names.get(t).map(|n| n.nature), Some(Nature::Pointer(_)));
    terms_above(pool, term, names).iter().any(is_pointer)
}

fn joined(pool: &mut TermPool, terms: &[TermId], any: bool) -> Result<TermId, LogicError> {
    match (terms, any) {
        ([], _) => Ok(pool.boolean(!any)),
        ([one], _) => Ok(*one),
        (_, true) => pool.or(terms),
        (_, false) => pool.and(terms),
    }
}
