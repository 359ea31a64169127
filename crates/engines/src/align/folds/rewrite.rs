//! Claims that speak of functions: what is known of the functions is put in, cases are told apart, and what is left is an
//! identity of sums of products.
//!
//! A step of the proof is a *decision*: a comparison follows from what is given, as an obligation about bits; a *split*: a
//! condition holds or it does not; or an *identity*: both sides of an equation, or their difference and that of an equation that is
//! given, are the same sum modulo 2^w, as an obligation about integers. Between them, terms are replaced by equal ones
//! (by what is known of a function, or by an equation that is given).

use super::super::claims::{Claim, Part, Posed};
use super::super::prove::{Proving, Shown};
use super::functions::Kind;
use super::rules::{Applied, Rule};
use super::sums::{Sums, minus, plus, script, width_of};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Obligation};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{Answer, Limits, refutes_text};
use verdiff_logic::{LogicError, Op, TermId, TermPool, Value};
use verdiff_product::solver_queries::ask;
use verdiff_symex::execute::Stop;

/// What a decision is worth.
const DECISION: Effort = Effort::millis(40);
/// What an identity is worth.
const IDENTITY: Effort = Effort::millis(40);
/// How many decisions are asked for, and how many splits there are on one way.
const MOST_ASKED: usize = 120;
const MOST_SPLITS: usize = 4;
/// Larger parts of what is given are left out.
const LARGEST: usize = 80;

/// Which functions, and their arguments.
type Group = (usize, Vec<TermId>);

/// A question in the making.
#[derive(Clone, Default)]
pub(super) struct Open {
    pub facts: Vec<TermId>,
    /// Equations that are given.
    pub related: Vec<(TermId, TermId)>,
    /// Whether it is about the body of a version that calls itself.
    pub of_body: bool,
    pub splits: usize,
}

/// What was shown on the way.
#[derive(Default)]
pub(super) struct Way {
    name: String,
    shown: Vec<Obligation>,
    asked: usize,
}

impl Proving<'_, '_> {
    /// The claims that are not shown by what is known of functions, and what was shown of the others.
    pub(in super::super) fn without_folds(
        &mut self,
        posed: &Posed,
        parts: &[Part],
        claims: Vec<usize>,
        budget: &Budget,
    ) -> Result<(Vec<usize>, Vec<Obligation>), Stop> {
        let (mut rest, mut shown) = (vec![], vec![]);
        let space = &mut self.stepping.product.space;
        let mut related = vec![];
        for (left, right) in &posed.related {
            related.push((posed.replace.put(space, *left)?, posed.replace.put(space, *right)?));
        }
        let pool = &space.pool;
        let plain = |term: &TermId| is_plain(pool, *term);
        let facts: Vec<TermId> = parts.iter().map(|part| part.0).filter(plain).collect();
        for claim in claims {
            let (kind, violated) = &posed.claims[claim];
            let space = &mut self.stepping.product.space;
            let violated = posed.replace.put(space, *violated)?;
            let about = matches!(kind, Claim::Related(_) | Claim::Needed);
            let name = format!("{} (claim {claim})", posed.name);
            let (facts, related) = (facts.clone(), related.clone());
            let open = Open { facts, related, ..Open::default() };
            match about.then(|| self.refuted(&name, open, violated, budget)).transpose()?.flatten()
            {
                Some(obligations) => shown.extend(obligations),
                None => rest.push(claim),
            }
        }
        Ok((rest, shown))
    }

    /// Shows that a violation is not possible.
    pub(super) fn refuted(
        &mut self,
        name: &str,
        mut open: Open,
        mut violated: TermId,
        budget: &Budget,
    ) -> Result<Option<Vec<Obligation>>, Stop> {
        let mut way = Way { name: name.to_owned(), ..Way::default() };
        // Variables that are given by equations.
        for n in 0..open.related.len() {
            let (left, right) = open.related[n];
            let space = &mut self.stepping.product.space;
            let speaks = space.pool.sub_terms(&[right]).contains(&left);
            if space.pool.as_symbol(left).is_some() && !speaks {
                let map: BTreeMap<TermId, TermId> = [(left, right)].into();
                (open, violated) = self.replaced(open, violated, &map)?;
            }
        }
        // What is zero.
        for (_, arguments) in self.groups(&open, violated) {
            let Some(kind) = self.kind_of(&arguments.0) else { continue };
            let first = self.is_first(kind, &arguments.1)?;
            if self.decide(first, &open, &mut way, budget)? == Some(true) {
                let map = self.at_first(&arguments.0, &arguments.1)?;
                (open, violated) = self.replaced(open, violated, &map)?;
            }
        }
        let kept = way.shown.len();
        let mut groups = self.groups(&open, violated);
        let mut options: Vec<Option<(Group, Rule, bool)>> = vec![];
        let calls_itself = self.stepping.cut.recursive.contains(&true);
        if calls_itself {
            // What a body returns is a function of its parameters, and only a rule says what that is. What a loop has next is
            // said by a rule for what is claimed, not for what is given.
            let pool = &self.stepping.product.space.pool;
            let claimed = pool.sub_terms(&[violated]);
            let place = |(_, (_, arguments)): &Applied| {
                let size: usize = arguments.iter().map(|a| pool.dag_size(*a)).sum();
                let applied = |term: &TermId| {
                    matches!(pool.op(*term), Op::Apply(_)) && pool.operands(*term) == &arguments[..]
                };
                let size = if open.of_body { size } else { usize::MAX - size };
                (!claimed.iter().any(applied), size)
            };
            groups.sort_by_key(place);
        }
        if !open.of_body {
            options.push(None);
        }
        for (family, (functions, arguments)) in &groups {
            let rules: &[Rule] = match self.kind_of(functions) {
                Some(Kind::Power) if open.of_body => &[Rule::Square, Rule::Step, Rule::Halve],
                Some(Kind::Power) => &[Rule::Step, Rule::Halve],
                Some(Kind::Ones) => &[Rule::Shift, Rule::Lowest],
                Some(Kind::Traced(..)) if open.of_body => &[Rule::Both, Rule::Step],
                Some(Kind::Traced(..)) => &[Rule::Step, Rule::Twice],
                None => &[],
            };
            for rule in rules {
                // With no equation given there is nothing to be said of one.
                for given in
                    [true, false].into_iter().filter(|given| !given || !open.related.is_empty())
                {
                    options.push(Some(((*family, arguments.clone()), *rule, given)));
                }
            }
        }
        if open.of_body {
            options.push(None);
        }
        for option in options {
            if budget.is_over() || way.asked > MOST_ASKED {
                return Ok(None);
            }
            way.shown.truncate(kept);
            let (mut asked, mut question) = (open.clone(), violated);
            if let Some((group, rule, given)) = option {
                let Some((_, (functions, arguments))) = groups
                    .iter()
                    .find(|(family, (_, arguments))| (*family, arguments) == (group.0, &group.1))
                else {
                    continue;
                };
                let (functions, arguments) = (functions.clone(), arguments.clone());
                let found =
                    self.rewritten((&functions, &arguments), rule, &open, &mut way, budget)?;
                let Some(map) = found else { continue };
                let (there, here) = self.replaced(open.clone(), violated, &map)?;
                if given {
                    asked.related = there.related;
                } else {
                    question = here;
                }
                if asked.related == open.related && question == violated {
                    continue;
                }
            }
            if self.is_refuted_by(asked, question, &mut way, budget)? {
                return Ok(Some(way.shown));
            }
        }
        // Replacements so far rest on what was shown before the first option.
        way.shown.truncate(kept);
        let found = self.alternatives(name, &open, violated, budget)?;
        Ok(found.map(|more| [way.shown, more].concat()))
    }

    /// Refutes a violation in each case of a disjunction that is given.
    fn alternatives(
        &mut self,
        name: &str,
        open: &Open,
        violated: TermId,
        budget: &Budget,
    ) -> Result<Option<Vec<Obligation>>, Stop> {
        let space = &mut self.stepping.product.space;
        let is_either = |fact: &TermId| space.pool.op(*fact) == Op::Or;
        let Some(at) = open.facts.iter().position(is_either) else { return Ok(None) };
        if open.splits == MOST_SPLITS {
            return Ok(None);
        }
        let mut open = open.clone();
        open.splits += 1;
        let either = open.facts.remove(at);
        let mut shown = vec![];
        for (n, part) in space.pool.operands(either).to_vec().into_iter().enumerate() {
            let mut case = open.clone();
            case.facts.push(part);
            let name = format!("{name}, alternative {n}");
            match self.refuted(&name, case, violated, budget)? {
                Some(more) => shown.extend(more),
                None => return Ok(None),
            }
        }
        Ok(Some(shown))
    }

    /// A question with terms replaced by equal ones, but for the facts.
    fn replaced(
        &mut self,
        mut open: Open,
        violated: TermId,
        map: &BTreeMap<TermId, TermId>,
    ) -> Result<(Open, TermId), LogicError> {
        let space = &mut self.stepping.product.space;
        let map = map.iter().map(|(a, b)| (*a, *b)).collect();
        for (left, right) in &mut open.related {
            *left = space.pool.substitute(*left, &map)?;
            *right = space.pool.substitute(*right, &map)?;
        }
        let violated = space.pool.substitute(violated, &map)?;
        Ok((open, violated))
    }

    /// Whether a condition follows from the facts, or that it does not hold.
    pub(super) fn decide(
        &mut self,
        condition: TermId,
        open: &Open,
        way: &mut Way,
        budget: &Budget,
    ) -> Result<Option<bool>, Stop> {
        let space = &mut self.stepping.product.space;
        let condition = space.tidy(condition)?;
        if let Some(known) = space.pool.as_bool(condition) {
            return Ok(Some(known));
        }
        let not = space.not(condition)?;
        for (term, holds) in [(condition, true), (not, false)] {
            if open.facts.contains(&term) {
                return Ok(Some(holds));
            }
        }
        for (negated, holds) in [(not, true), (condition, false)] {
            if self.is_excluded(negated, open, way, budget)? {
                return Ok(Some(holds));
            }
        }
        Ok(None)
    }

    /// Whether the facts exclude a condition.
    fn is_excluded(
        &mut self,
        condition: TermId,
        open: &Open,
        way: &mut Way,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        way.asked += 1;
        if way.asked > MOST_ASKED || budget.is_over() {
            return Ok(false);
        }
        let mut all = open.facts.clone();
        all.push(condition);
        let space = &mut self.stepping.product.space;
        let whole = space.and(&all)?;
        if space.tidy(whole)? != space.pool.falsity() {
            let share = budget.at_most(DECISION * 2);
            if !matches!(ask(space, &all, &share), Answer::Unsat { .. }) {
                return Ok(false);
            }
        }
        let name = format!("{}, decision {}", way.name, way.asked);
        Ok(match self.shown(&name, &all) {
            Shown::Written(obligation) => {
                way.shown.extend(obligation);
                true
            }
            Shown::TooLong => false,
        })
    }

    /// Whether a violation is refuted without further rules.
    fn is_refuted_by(
        &mut self,
        open: Open,
        violated: TermId,
        way: &mut Way,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let space = &mut self.stepping.product.space;
        let operands = space.pool.operands(violated).to_vec();
        let parts =
            |op: Op| -> Vec<TermId> { if op == Op::Or { operands.clone() } else { vec![] } };
        match space.pool.op(violated) {
            Op::False => Ok(true),
            Op::Or => {
                for part in parts(Op::Or) {
                    if !self.is_refuted_by(open.clone(), part, way, budget)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Op::And => {
                // Of all parts that hold together one is refuted; those without functions are given for the others.
                let pool = &space.pool;
                let (plain, others): (Vec<TermId>, Vec<TermId>) =
                    operands.into_iter().partition(|part| is_plain(pool, *part));
                let all = space.and(&plain)?;
                if self.is_excluded(all, &open, way, budget)? {
                    return Ok(true);
                }
                let mut open = open;
                open.facts.extend(plain);
                for part in others {
                    let before = way.shown.len();
                    if self.is_refuted_by(open.clone(), part, way, budget)? {
                        return Ok(true);
                    }
                    way.shown.truncate(before);
                }
                Ok(false)
            }
            Op::Ite => self.split(operands[0], open, violated, way, budget),
            Op::Not => {
                let inner = operands[0];
                let inside = space.pool.operands(inner).to_vec();
                match space.pool.op(inner) {
                    Op::Eq if space.pool.sort(inside[0]).width().is_some() => {
                        self.is_equal(open, violated, [inside[0], inside[1]], way, budget)
                    }
                    Op::And | Op::Or => {
                        let mut negated = vec![];
                        for part in inside {
                            negated.push(space.not(part)?);
                        }
                        let turned = match space.pool.op(inner) {
                            Op::And => space.or(&negated)?,
                            _ => space.and(&negated)?,
                        };
                        match turned == violated {
                            true => Ok(false),
                            false => self.is_refuted_by(open, turned, way, budget),
                        }
                    }
                    _ => self.is_excluded(violated, &open, way, budget),
                }
            }
            _ => self.is_excluded(violated, &open, way, budget),
        }
    }

    /// Refutes a violation where a condition holds, and where it does not.
    fn split(
        &mut self,
        condition: TermId,
        open: Open,
        violated: TermId,
        way: &mut Way,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let decided = self.decide(condition, &open, way, budget)?;
        if open.splits == MOST_SPLITS && decided.is_none() {
            return Ok(false);
        }
        for holds in [true, false] {
            if decided.is_some_and(|known| known != holds) {
                continue;
            }
            let space = &mut self.stepping.product.space;
            let (truth, not) = (space.pool.boolean(holds), space.not(condition)?);
            let map = [(condition, truth)].into();
            let (mut case, there) = self.replaced(open.clone(), violated, &map)?;
            let space = &mut self.stepping.product.space;
            for (left, right) in &mut case.related {
                (*left, *right) = (space.tidy(*left)?, space.tidy(*right)?);
            }
            let there = space.tidy(there)?;
            if decided.is_none() {
                case.facts.push(if holds { condition } else { not });
                case.splits += 1;
            }
            if !self.is_refuted_by(case, there, way, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether two terms are equal by what is given.
    fn is_equal(
        &mut self,
        open: Open,
        violated: TermId,
        sides: [TermId; 2],
        way: &mut Way,
        budget: &Budget,
    ) -> Result<bool, Stop> {
        let space = &mut self.stepping.product.space;
        let mut terms = sides.to_vec();
        terms.extend(open.related.iter().flat_map(|(a, b)| [*a, *b]));
        let pool = &space.pool;
        let plain = |term: &TermId| {
            let inner = pool.sub_terms(&[pool.operands(*term)[0]]);
            !inner.iter().any(|inner| pool.op(*inner) == Op::Ite)
        };
        let conditional = |term: &TermId| pool.op(*term) == Op::Ite;
        let first = pool.sub_terms(&terms).into_iter().filter(conditional).find(plain);
        if let Some(first) = first {
            let condition = pool.operands(first)[0];
            return self.split(condition, open, violated, way, budget);
        }
        if self.is_identity(&open, sides, way)? {
            return Ok(true);
        }
        // Functions that have their first values here.
        let calls: Vec<TermId> = space_calls(self, &terms);
        for call in &calls {
            let pool = &self.stepping.product.space.pool;
            let Op::Apply(function) = pool.op(*call) else { continue };
            let arguments = pool.operands(*call).to_vec();
            let Some(kind) = self.kind_of(&[function]) else { continue };
            let first = self.is_first(kind, &arguments)?;
            let before = way.shown.len();
            if self.decide(first, &open, way, budget)? == Some(true) {
                let map = self.at_first(&[function], &arguments)?;
                let (case, there) = self.replaced(open, violated, &map)?;
                return self.is_refuted_by(case, there, way, budget);
            }
            way.shown.truncate(before);
        }
        // Applications of the same function to arguments that are equal by the facts.
        for (n, a) in calls.iter().enumerate() {
            for b in &calls[n + 1..] {
                let space = &mut self.stepping.product.space;
                if space.pool.op(*a) != space.pool.op(*b) {
                    continue;
                }
                let pairs: Vec<(TermId, TermId)> = space
                    .pool
                    .operands(*a)
                    .iter()
                    .copied()
                    .zip(space.pool.operands(*b).iter().copied())
                    .filter(|(a, b)| a != b)
                    .collect();
                let mut differ = vec![];
                for (a, b) in pairs {
                    differ.push(space.pool.ne(a, b)?);
                }
                let differ = space.or(&differ)?;
                let before = way.shown.len();
                if self.is_excluded(differ, &open, way, budget)? {
                    let map = [(*b, *a)].into();
                    let (case, there) = self.replaced(open, violated, &map)?;
                    return self.is_refuted_by(case, there, way, budget);
                }
                way.shown.truncate(before);
            }
        }
        if self.is_excluded(violated, &open, way, budget)? {
            return Ok(true);
        }
        // Variables of which the facts leave one value.
        let space = &mut self.stepping.product.space;
        let share = budget.at_most(DECISION * 2);
        let Answer::Sat(model) = ask(space, &open.facts, &share) else { return Ok(false) };
        for symbol in space.pool.free_names(&sides).symbols {
            let space = &mut self.stepping.product.space;
            let term = space.pool.symbol_term(symbol);
            let speaks = space.pool.free_names(&open.facts).symbols.contains(&symbol);
            let Some(Value::Bits(value)) = model.get(symbol).cloned().filter(|_| speaks) else {
                continue;
            };
            let value = space.pool.constant_bits(&value);
            let differs = space.pool.ne(term, value)?;
            let before = way.shown.len();
            if self.is_excluded(differs, &open, way, budget)? {
                let map = [(term, value)].into();
                let (case, there) = self.replaced(open, violated, &map)?;
                return self.is_refuted_by(case, there, way, budget);
            }
            way.shown.truncate(before);
        }
        Ok(false)
    }

    /// Whether the difference of two terms is zero, or that of an equation that is given.
    fn is_identity(
        &mut self,
        open: &Open,
        [left, right]: [TermId; 2],
        way: &mut Way,
    ) -> Result<bool, Stop> {
        let pool = &self.stepping.product.space.pool;
        let width = width_of(pool, left);
        let related = open.related.iter().filter(|(a, _)| pool.sort(*a) == pool.sort(left));
        let mut candidates: Vec<Option<(TermId, TermId)>> = vec![None];
        for (a, b) in related {
            candidates.extend([Some((*a, *b)), Some((*b, *a))]);
        }
        for candidate in candidates {
            let mut sums = Sums::new(pool);
            let mut difference = |a: TermId, b: TermId| {
                let a = sums.of(a, width)?;
                minus(a, sums.of(b, width)?, width)
            };
            let Some(mut whole) = difference(left, right) else { continue };
            if let Some((a, b)) = candidate {
                let Some(given) = difference(b, a) else { continue };
                whole = plus(whole, given, width);
            }
            if !whole.sum.is_empty() {
                continue;
            }
            let smt = script(&whole, width);
            if refutes_text(&smt, &Limits::effort(IDENTITY)) {
                let name =
                    format!("{}, identity {} (over the integers)", way.name, way.shown.len());
                way.shown.push(Obligation { name, smt });
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a condition may be given to a solver: it is small, and speaks of no function and of no memory.
fn is_plain(pool: &TermPool, term: TermId) -> bool {
    let hard = |term: &TermId| matches!(pool.op(*term), Op::Select | Op::Apply(_));
    pool.dag_size(term) <= LARGEST && !pool.sub_terms(&[term]).iter().any(hard)
}

fn space_calls(proving: &Proving<'_, '_>, terms: &[TermId]) -> Vec<TermId> {
    let pool = &proving.stepping.product.space.pool;
    let is = |term: &TermId| match pool.op(*term) {
        Op::Apply(function) => proving.folds.functions.kinds.contains_key(&function),
        _ => false,
    };
    let found: BTreeSet<TermId> = pool.sub_terms(terms).into_iter().filter(is).collect();
    found.into_iter().collect()
}
