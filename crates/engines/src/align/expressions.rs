//! Variables that are what the other version computes anew in each iteration.
//!
//! ✗ `i % 10` against a `digit` that is increased with `i` and begins again at 10; `for (i = 0; i < limit(k); i++)` against
//! an `n` that was `limit(k)` before the loop. Equations cannot say that, since what is computed is no sum. So the code of
//! a step is looked through for what it computes of the variables of one version, and each variable of the other one that
//! was equal to it in all runs is taken to be so.
//!
//! Also here: which variables orders are worth guessing of. What a loop sums up decides neither how the code goes on nor
//! what is read; that it was below some counter in all runs is chance, or true and hard to show.

use super::invariant::{Terms, Var};
use super::lanes::lanes;
use super::runs::Point;
use super::step::{Pairing, Step};
use super::{CutPoint, Node};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{Assignment, Bits, Evaluator, LogicError, Op, TermId, TermPool, Value};
use verdiff_symex::space::Space;

/// More of them are not looked at, nor tried.
const MOST_TERMS: usize = 40;
pub const MOST_FOUND: usize = 4;
/// With fewer different numbers in runs, equality is chance.
pub const FEWEST_NUMBERS: usize = 3;
/// With so many states of runs, two are enough for a quotient.
const MANY_POINTS: usize = 24;

/// That a variable is an expression over the variables of the other side.
#[derive(Clone, Debug)]
pub struct Expressed {
    pub var: Var,
    /// Over the symbols of the node.
    pub term: TermId,
    /// The variables that it speaks of.
    pub of: Vec<Var>,
}

impl Expressed {
    /// What it says, with the variables of the node's symbols replaced.
    pub fn said_of(
        &self,
        space: &mut Space,
        symbols: &Terms<'_>,
        terms: &Terms<'_>,
    ) -> Result<TermId, LogicError> {
        let mut map = BTreeMap::new();
        for var in &self.of {
            map.insert(symbols.values[var.side][var.index], terms.values[var.side][var.index]);
        }
        let term = space.pool.substitute(self.term, &map.into_iter().collect())?;
        let term = space.tidy(term)?;
        let value = self.var.term(space, terms)?;
        space.pool.eq(value, term)
    }

    /// As text, by the names of variables.
    pub fn text(&self, names: &dyn Fn(Var) -> String) -> String {
        let of: Vec<String> = self.of.iter().map(|var| names(*var)).collect();
        format!("{} is computed from {}", names(self.var), of.join(" and "))
    }
}

/// Variables that are expressions of the other side at all of these points.
pub fn expressed(
    space: &mut Space,
    step: &Step,
    vars: &[Var],
    points: &[Point],
) -> Result<Vec<Expressed>, LogicError> {
    let lanes = lanes(space, step, vars, points)?;
    let pool = &space.pool;
    let symbol = |var: &Var| pool.as_symbol(step.at[var.side].values[var.index]);
    let mut known = BTreeMap::new();
    for var in vars {
        if let Some(symbol) = symbol(var) {
            known.entry(symbol).or_insert(*var);
        }
    }
    let roots = roots(step);
    let computes = |op: Op| {
        let divides = matches!(op, Op::BvUdiv | Op::BvSdiv | Op::BvUrem | Op::BvSrem);
        let shifts = matches!(op, Op::BvShl | Op::BvLshr | Op::BvAshr);
        let bits = matches!(op, Op::BvAnd | Op::BvOr | Op::BvXor | Op::Concat);
        divides || shifts || bits || op == Op::Ite
    };
    // Each expression with its numbers at all points.
    let mut terms: Vec<(TermId, Vec<Var>, Vec<u128>)> = vec![];
    for term in pool.sub_terms(&roots) {
        let usual = pool.sort(term).width().is_some_and(|w| (8..=64).contains(&w));
        if !usual || !computes(pool.op(term)) || terms.len() == MOST_TERMS {
            continue;
        }
        let names = pool.free_names(&[term]);
        let of: Option<Vec<Var>> =
            names.symbols.iter().map(|symbol| known.get(symbol).copied()).collect();
        let Some(of) = of.filter(|of| !of.is_empty() && names.functions.is_empty()) else {
            continue;
        };
        if of.iter().any(|var| var.side != of[0].side) {
            continue;
        }
        let numbers = numbers_at(pool, term, &of, step, points);
        let different: BTreeSet<u128> = numbers.iter().copied().collect();
        // A quotient of a counter changes rarely, but it does at the same time as the variable that is it.
        let divides = matches!(pool.op(term), Op::BvUdiv | Op::BvSdiv);
        let fewest = if divides && points.len() >= MANY_POINTS { 2 } else { FEWEST_NUMBERS };
        if numbers.len() == points.len() && different.len() >= fewest {
            terms.push((term, of, numbers));
        }
    }
    let mut found = vec![];
    for var in vars.iter().filter(|var| !var.pointer && symbol(var).is_some()) {
        let fits = |(term, of, numbers): &&(TermId, Vec<Var>, Vec<u128>)| {
            of[0].side != var.side
                && pool.sort(*term).width() == Some(var.width)
                && points.iter().zip(numbers).all(|(point, number)| var.number(point) == *number)
        };
        // The shortest.
        let first = terms.iter().filter(fits).min_by_key(|(term, ..)| pool.dag_size(*term));
        if let Some((term, of, _)) = first {
            found.push(Expressed { var: *var, term: *term, of: of.clone() });
        }
    }
    for lane in lanes {
        if found.iter().all(|known| known.var != lane.var) {
            found.push(lane);
        }
    }
    found.truncate(MOST_FOUND);
    Ok(found)
}

/// What an expression over some variables is at each point; fewer numbers if it has none at one.
pub fn numbers_at(
    pool: &TermPool,
    term: TermId,
    of: &[Var],
    step: &Step,
    points: &[Point],
) -> Vec<u128> {
    let mut numbers = vec![];
    for point in points {
        let mut assignment = Assignment::new();
        for var in of {
            let number = match var.width {
                1 => Value::Bool(var.number(point) != 0),
                width => Value::Bits(Bits::new(width, var.number(point))),
            };
            let symbol = step.at[var.side].values[var.index];
            if assignment.set_term(pool, symbol, number).is_err() {
                return numbers;
            }
        }
        let value = Evaluator::new(&assignment).eval(pool, term);
        match value.ok().and_then(|value| value.as_bits().and_then(Bits::to_u128)) {
            Some(number) => numbers.push(number),
            None => return numbers,
        }
    }
    numbers
}

/// What orders and bounds are guessed of.
#[derive(Clone, Debug, Default)]
pub struct Relevant {
    /// The variables on which it depends how the code goes on, what is chosen on the way and what is read, now or later.
    pub vars: BTreeSet<Var>,
    /// Numbers that the code compares variables with.
    pub compared: Vec<(Var, u64)>,
}

/// What orders are guessed of at a node.
pub fn relevant(space: &Space, node: Node, step: &Step, vars: &[Var]) -> Relevant {
    let vars_of = relevant_vars(space, node, step, vars);
    let pool = &space.pool;
    let mut compared = vec![];
    for term in pool.sub_terms(&roots(step)) {
        let [a, b] = *pool.operands(term) else { continue };
        for (symbol, number) in [(a, b), (b, a)] {
            if let (Op::Eq, Op::Small(number)) = (pool.op(term), pool.op(number)) {
                let is = |var: &&Var| step.at[var.side].values[var.index] == symbol;
                let usual = |var: &&Var| var.width > 1 && !var.pointer && number != 0;
                compared.extend(vars.iter().filter(is).filter(usual).map(|var| (*var, number)));
            }
        }
    }
    compared.truncate(MOST_TERMS);
    Relevant { vars: vars_of, compared }
}

/// What is computed in a step.
pub fn roots(step: &Step) -> Vec<TermId> {
    let of = |pairing: &Pairing| {
        let values: Vec<TermId> = pairing.values.iter().flatten().copied().collect();
        [vec![pairing.when], values].concat()
    };
    step.pairings.iter().flat_map(of).chain(step.stored.iter().copied()).collect()
}

fn relevant_vars(space: &Space, node: Node, step: &Step, vars: &[Var]) -> BTreeSet<Var> {
    let pool = &space.pool;
    let roots = roots(step);
    let decides = |term: &TermId| match pool.op(*term) {
        Op::BvUlt | Op::BvSlt | Op::Eq => Some(*term),
        Op::Select => pool.operands(*term).get(1).copied(),
        Op::BvUdiv | Op::BvSdiv | Op::BvUrem | Op::BvSrem => Some(*term),
        _ => None,
    };
    let deciding: Vec<TermId> = pool.sub_terms(&roots).iter().filter_map(decides).collect();
    let of = |terms: &[TermId]| -> BTreeSet<Var> {
        let names = pool.free_names(terms).symbols;
        let symbols: BTreeSet<TermId> = names.into_iter().map(|s| pool.symbol_term(s)).collect();
        let is_of = |var: &&Var| symbols.contains(&step.at[var.side].values[var.index]);
        vars.iter().filter(is_of).copied().collect()
    };
    let mut found = of(&deciding);
    loop {
        let mut next = vec![];
        for pairing in &step.pairings {
            for (side, place) in node.into_iter().enumerate() {
                if pairing.target[side] == place && matches!(place, CutPoint::Head(_)) {
                    let own = found.iter().filter(|var| var.side == side);
                    next.extend(own.map(|var| pairing.values[side][var.index]));
                }
            }
        }
        let before = found.len();
        found.extend(of(&next));
        if found.len() == before {
            return found;
        }
    }
}
