//! Closed forms: formulas of one version, over what the loops of the other one have made of its variables.
//!
//! Where one version returns a formula `r(n)` and the other one sums up, mostly one of these holds at each iteration:
//! what is returned is the formula of what is left, plus what was summed up; or what was summed up is the formula of a
//! counter, or of how many iterations were made. The formula is in the code, so nobody has to find it: not `n (n - 1) / 2`
//! from numbers, whose division is no polynomial modulo 2^w, but whatever the other version computes, with a counter
//! in place of the parameter. The same for a formula in a loop, against an inner loop of the other version.
//!
//! These are guesses that runs agree with; each is a claim that must be shown.

use super::expressions::{Expressed, FEWEST_NUMBERS, MOST_FOUND, numbers_at, roots};
use super::invariant::Var;
use super::runs::{Point, Run};
use super::step::Step;
use super::{CutPoint, Node};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{LogicError, Op, Sort, TermId};
use verdiff_symex::space::Space;

/// How many formulas of a step are looked at, how large they may be, and how many terms are put into them.
const MOST_FORMULAS: usize = 4;
const LARGEST: usize = 40;
const MOST_ARGUMENTS: usize = 48;

/// Where one version has ended without a loop, what it returned as a function of its parameters: mostly that is the
/// same function of what the loop of the other one has made of these parameters, or that plus what it has summed up. ✗ `while
/// (n > 0) { s += n; n--; }` against a formula `r(n)`: what is returned is `s + r(n)` all the time.
pub fn closed_forms(
    space: &mut Space,
    start: &Step,
    (node, step): (Node, &Step),
    vars: &[Var],
    points: &[Point],
    runs: &[Run],
) -> Result<Vec<Expressed>, LogicError> {
    let Some(ended) = (0..2).find(|side| node[*side] == CutPoint::End) else { return Ok(vec![]) };
    let going = 1 - ended;
    let Some(pairing) = start.pairings.iter().find(|pairing| pairing.target == node) else {
        return Ok(vec![]);
    };
    let own: Vec<Var> = vars.iter().filter(|var| var.side == going).copied().collect();
    // What each parameter has become.
    let mut map = BTreeMap::new();
    let mut of = vec![];
    for (param, symbol) in start.at[0].values.iter().enumerate() {
        let is = |var: &&Var| {
            let first = |run: &Run| {
                let visits = run.visits[going].iter();
                let first = visits.clone().find(|visit| visit.place == node[going]);
                first.is_none_or(|first| first.values.get(var.index) == run.entry.get(param))
            };
            let sort = space.pool.sort(step.at[going].values[var.index]);
            sort == space.pool.sort(*symbol) && runs.iter().all(first)
        };
        let changes = |var: &&Var| {
            let changed = |run: &Run| {
                let mut visits = run.visits[going].iter().filter(|v| v.place == node[going]);
                let entry = run.entry.get(param);
                visits.any(|visit| visit.values.get(var.index) != entry)
            };
            runs.iter().any(changed)
        };
        let found = own.iter().filter(is).find(changes).or(own.iter().find(is));
        if let Some(var) = found {
            map.insert(*symbol, step.at[going].values[var.index]);
            of.push(*var);
        }
    }
    let map = map.into_iter().collect();
    let mut found = vec![];
    for var in vars.iter().filter(|var| var.side == ended && (2..=64).contains(&var.width)) {
        let Some(result) = pairing.values[ended].get(var.index).copied() else { continue };
        let result = space.pool.substitute(result, &map)?;
        let mut sums = vec![(result, of.clone())];
        for summed in own.iter().filter(|own| own.width == var.width && !own.pointer) {
            let more = step.at[going].values[summed.index];
            sums.push((space.pool.bv_add(result, more)?, [&of[..], &[*summed]].concat()));
        }
        for (term, mut of) in sums {
            of.sort();
            of.dedup();
            let names = space.pool.free_names(&[term]);
            let symbols: BTreeSet<TermId> =
                of.iter().map(|var| step.at[var.side].values[var.index]).collect();
            let is_known = |symbol| symbols.contains(&space.pool.symbol_term(symbol));
            if !names.functions.is_empty() || !names.symbols.iter().copied().all(is_known) {
                continue;
            }
            let numbers = numbers_at(&space.pool, term, &of, step, points);
            let different: BTreeSet<u128> = numbers.iter().copied().collect();
            let fits =
                points.iter().zip(&numbers).all(|(point, number)| var.number(point) == *number);
            if fits && numbers.len() == points.len() && different.len() >= FEWEST_NUMBERS {
                found.push(Expressed { var: *var, term: space.tidy(term)?, of });
                break;
            }
        }
    }
    Ok(found)
}

/// A formula with one argument.
struct Template {
    term: TermId,
    /// The symbol that is its argument.
    argument: TermId,
    /// What its other symbols are, and the variables among these.
    others: BTreeMap<TermId, TermId>,
    of: Vec<Var>,
    /// What the argument was at the entry, if it is a parameter that a variable still is.
    entry: Option<Var>,
}

/// A variable, or the difference of two, that may be a formula.
#[derive(Clone, Copy)]
struct Target {
    var: Var,
    less: Option<Var>,
}

impl Target {
    fn number(&self, point: &Point) -> u128 {
        let number = self.var.number(point);
        let less = self.less.map_or(0, |less| less.number(point));
        number.wrapping_sub(less) & (u128::MAX >> (128 - self.var.width))
    }

    fn is_of(&self, of: &[Var]) -> bool {
        of.contains(&self.var) || self.less.is_some_and(|less| of.contains(&less))
    }
}

/// Variables that are formulas of the code with another argument: a counter, or how far one is from where it began.
pub fn formulas(
    space: &mut Space,
    start: &Step,
    (node, step): (Node, &Step),
    vars: &[Var],
    points: &[Point],
    runs: &[Run],
) -> Result<Vec<Expressed>, LogicError> {
    if points.len() < FEWEST_NUMBERS {
        return Ok(vec![]);
    }
    let mut templates = results(space, start, (node, step), vars, runs);
    templates.extend(computed(space, step, vars));
    let mut found: Vec<Expressed> = vec![];
    for template in templates {
        for (argument, of) in arguments(space, &template, step, vars)? {
            if found.len() == MOST_FOUND {
                return Ok(found);
            }
            let mut map = template.others.clone();
            map.insert(template.argument, argument);
            let term = space.pool.substitute(template.term, &map.into_iter().collect())?;
            let term = space.tidy(term)?;
            let of = [&template.of[..], &of].concat();
            if let Some(target) = fitting(space, (term, &of), step, vars, points)
                && !found.iter().any(|known| known.var == target.var)
            {
                let (mut term, mut of) = (term, of);
                if let Some(less) = target.less {
                    let less_term = step.at[less.side].values[less.index];
                    term = space.pool.bv_add(term, less_term)?;
                    of.push(less);
                }
                of.sort();
                of.dedup();
                found.push(Expressed { var: target.var, term: space.tidy(term)?, of });
            }
        }
    }
    Ok(found)
}

/// What a version has returned that has ended, over its parameters.
fn results(
    space: &Space,
    start: &Step,
    (node, step): (Node, &Step),
    vars: &[Var],
    runs: &[Run],
) -> Vec<Template> {
    let Some(ended) = (0..2).find(|side| node[*side] == CutPoint::End) else { return vec![] };
    let going = 1 - ended;
    let pool = &space.pool;
    let parameters = &start.at[0].values;
    // What each parameter still is: a variable that does not change, or what it was at the entry.
    let kept = |param: usize| {
        let same = |var: &&Var| {
            let is = |run: &Run| {
                let mut visits = run.visits[going].iter().filter(|v| v.place == node[going]);
                visits.all(|visit| visit.values.get(var.index) == run.entry.get(param))
            };
            let sort = pool.sort(step.at[var.side].values[var.index]);
            var.side == going && sort == pool.sort(parameters[param]) && runs.iter().all(is)
        };
        let own = vars.iter().find(same).copied();
        // Behind the variables of the old side.
        let count = step.at[0].values.len().checked_sub(parameters.len());
        let at_entry = |var: &&Var| var.side == 0 && Some(var.index) == count.map(|n| n + param);
        own.or_else(|| {
            vars.iter().find(at_entry).copied().filter(|_| going == 0 || count.is_some())
        })
    };
    let ends = start.pairings.iter().filter(|pairing| pairing.target[ended] == CutPoint::End);
    let mut found = vec![];
    for pairing in ends.take(2) {
        for result in &pairing.values[ended] {
            let names = pool.free_names(&[*result]);
            if !names.functions.is_empty() || pool.dag_size(*result) > LARGEST {
                continue;
            }
            let symbols: Vec<TermId> =
                names.symbols.iter().map(|symbol| pool.symbol_term(*symbol)).collect();
            let numbers: Option<Vec<usize>> =
                symbols.iter().map(|s| parameters.iter().position(|p| p == s)).collect();
            let Some(numbers) = numbers else { continue };
            for number in &numbers {
                let others = numbers.iter().filter(|n| *n != number);
                let known: Option<Vec<(usize, Var)>> =
                    others.map(|n| Some((*n, kept(*n)?))).collect();
                let Some(known) = known else { continue };
                let value = |var: &Var| step.at[var.side].values[var.index];
                found.push(Template {
                    term: *result,
                    argument: parameters[*number],
                    others: known.iter().map(|(n, var)| (parameters[*n], value(var))).collect(),
                    of: known.iter().map(|(_, var)| *var).collect(),
                    entry: kept(*number),
                });
            }
        }
    }
    found.truncate(MOST_FORMULAS);
    found
}

/// What a step computes of one variable, with a quotient in it.
fn computed(space: &Space, step: &Step, vars: &[Var]) -> Vec<Template> {
    let pool = &space.pool;
    let divides = |term: &TermId| match pool.op(*term) {
        Op::BvUdiv | Op::BvSdiv | Op::BvUrem | Op::BvSrem => true,
        // The half of a product.
        Op::Extract { low, .. } => low > 0 && pool.op(pool.operands(*term)[0]) == Op::BvMul,
        _ => false,
    };
    let mut found = vec![];
    for term in pool.sub_terms(&roots(step)) {
        let operands = pool.operands(term);
        let extends = matches!(pool.op(term), Op::ZeroExtend(_) | Op::SignExtend(_));
        let own = divides(&term) || extends && divides(&operands[0]);
        if !own || pool.sort(term).width().is_none() || pool.dag_size(term) > LARGEST {
            continue;
        }
        let names = pool.free_names(&[term]);
        let ([symbol], true) = (&names.symbols[..], names.functions.is_empty()) else { continue };
        let argument = pool.symbol_term(*symbol);
        if !vars.iter().any(|var| step.at[var.side].values[var.index] == argument) {
            continue;
        }
        found.push(Template { term, argument, others: BTreeMap::new(), of: vec![], entry: None });
    }
    found.truncate(MOST_FORMULAS);
    found
}

/// What may be put into a formula: variables, one more and one less, and how far they are from where they began.
fn arguments(
    space: &mut Space,
    template: &Template,
    step: &Step,
    vars: &[Var],
) -> Result<Vec<(TermId, Vec<Var>)>, LogicError> {
    let pool = &mut space.pool;
    let Sort::BitVec(width) = pool.sort(template.argument) else { return Ok(vec![]) };
    let value = |var: &Var| step.at[var.side].values[var.index];
    let mut found = vec![];
    if let Some(entry) = template.entry {
        found.push((value(&entry), vec![entry]));
    }
    let usual = |var: &&Var| (8..=64).contains(&var.width) && !var.pointer;
    for var in vars.iter().filter(usual) {
        let own = value(var);
        if pool.as_symbol(own).is_none() {
            continue;
        }
        let mut bases = vec![(own, vec![*var])];
        if let Some(entry) = template.entry.filter(|entry| entry.width == var.width && entry != var)
        {
            bases.push((pool.bv_sub(value(&entry), own)?, vec![entry, *var]));
        }
        for (base, of) in bases {
            for more in [0, -1, 1] {
                let constant = pool.bits_signed(var.width, more)?;
                let sum = pool.bv_add(base, constant)?;
                let fitted = match var.width.cmp(&width) {
                    std::cmp::Ordering::Equal => sum,
                    std::cmp::Ordering::Greater => pool.extract(width - 1, 0, sum)?,
                    std::cmp::Ordering::Less => pool.zero_extend(width - var.width, sum)?,
                };
                if fitted != template.argument {
                    found.push((fitted, of.clone()));
                }
            }
        }
    }
    found.truncate(MOST_ARGUMENTS);
    Ok(found)
}

/// A variable, or a difference of two, that is this term at all points.
fn fitting(
    space: &Space,
    (term, of): (TermId, &[Var]),
    step: &Step,
    vars: &[Var],
    points: &[Point],
) -> Option<Target> {
    let pool = &space.pool;
    let width = pool.sort(term).width()?;
    if matches!(pool.op(term), Op::Symbol(_)) || pool.op(term).is_constant() {
        return None;
    }
    let same = |var: &&Var| {
        var.width == width
            && !var.pointer
            && pool.as_symbol(step.at[var.side].values[var.index]).is_some()
    };
    let own: Vec<Var> = vars.iter().filter(same).copied().collect();
    let mut targets: Vec<Target> = own.iter().map(|var| Target { var: *var, less: None }).collect();
    for var in &own {
        let others = own.iter().filter(|less| *less != var);
        targets.extend(others.map(|less| Target { var: *var, less: Some(*less) }));
    }
    targets.retain(|target| !target.is_of(of));
    let mut different = BTreeSet::new();
    for point in points {
        let number = *numbers_at(pool, term, of, step, std::slice::from_ref(point)).first()?;
        targets.retain(|target| target.number(point) == number);
        different.insert(number);
        if targets.is_empty() {
            return None;
        }
    }
    (different.len() >= FEWEST_NUMBERS).then(|| targets.first().copied()).flatten()
}
