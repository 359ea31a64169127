//! Functions that invariants of loops speak of, and what is known of them.

use super::super::invariant::Var;
use super::super::step::{Pairing, Step};
use super::sums::width_of;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{Assignment, Bits, Evaluator, FunctionId, LogicError, Sort, TermId, Value};
use verdiff_symex::space::Space;

/// Larger bodies are not followed.
const LARGEST: usize = 60;
/// How far iterations are counted in runs.
const FARTHEST: usize = 80;

/// One of these functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `base^exponent`, modulo `2^w` for a base of w bits; the exponent has no sign. `base^0` is 1.
    Power,
    /// How many bits of a number are set, modulo `2^w`.
    Ones,
    /// What a variable of a loop is after so many iterations: a trace, and which of its variables.
    Traced(usize, usize),
}

/// A variable of a traced loop.
pub struct Traced {
    /// Which variable of the loop it is.
    pub index: usize,
    pub width: u32,
    pub function: FunctionId,
    /// Its symbol in `next`.
    before: TermId,
    first: TermId,
    next: TermId,
}

/// A loop whose iterations are a recursive function of their number t and of parameters. With `signed`, the number has a sign,
/// and what is not positive counts as zero: `f(t) = first` if t is (at most) zero, else `next` of all `f(t - 1)`.
pub struct Trace {
    /// The parameters that it depends on: their number and their symbol in `first` and `next`.
    pub params: Vec<(usize, TermId)>,
    pub width: u32,
    signed: bool,
    /// The symbol of t - 1 in `next`.
    time: TermId,
    pub vars: Vec<Traced>,
}

/// All functions of a proof.
#[derive(Default)]
pub struct Functions {
    pub kinds: BTreeMap<FunctionId, Kind>,
    pub traces: Vec<Trace>,
}

impl Functions {
    pub fn power(
        &mut self,
        space: &mut Space,
        base: TermId,
        exponent: TermId,
    ) -> Result<TermId, LogicError> {
        let sorts = [space.pool.sort(base), space.pool.sort(exponent)];
        let name = format!(
            "the power of {} bits by {}",
            width_of(&space.pool, base),
            width_of(&space.pool, exponent)
        );
        let function = space.pool.function(&name, &sorts, sorts[0])?;
        self.kinds.insert(function, Kind::Power);
        space.pool.call(function, &[base, exponent])
    }

    pub fn ones(
        &mut self,
        space: &mut Space,
        of: TermId,
        width: u32,
    ) -> Result<TermId, LogicError> {
        let name = format!("the ones of {} bits in {width}", width_of(&space.pool, of));
        let function = space.pool.function(&name, &[space.pool.sort(of)], Sort::BitVec(width))?;
        self.kinds.insert(function, Kind::Ones);
        space.pool.call(function, &[of])
    }

    /// Traces a loop of one side, if every run enters it in one way and goes round in one way: `start` leads to its head and
    /// `round` back to it. Variables that are computed from what the loop does not compute by itself are left out.
    pub fn trace(
        &mut self,
        space: &mut Space,
        (side, width, signed): (usize, u32, bool),
        params: &[TermId],
        (start, round): (&Pairing, &Pairing),
        (step, vars): (&Step, &[Var]),
    ) -> Result<(), LogicError> {
        let number = self.traces.len();
        let time = space
            .pool
            .symbol(&format!("the time of loop {number} in {width} bits"), Sort::BitVec(width))?;
        let own: Vec<Var> = vars
            .iter()
            .filter(|var| var.side == side && !var.pointer && (2..=64).contains(&var.width))
            .copied()
            .collect();
        // What is known of each: a number plus so many times t, or a function of its own.
        let mut map: BTreeMap<TermId, TermId> = BTreeMap::new();
        let mut open: Vec<(Var, TermId)> = vec![];
        for var in own {
            let symbol = step.at[side].values[var.index];
            let next = round.values[side][var.index];
            let first = start.values[side][var.index];
            if space.pool.as_symbol(symbol).is_none() || !is_of(space, first, params) {
                continue;
            }
            let by = space.pool.bv_sub(next, symbol)?;
            let by = space.tidy(by)?;
            if let Some(by) = space.pool.as_bits(by) {
                if by.is_zero() {
                    map.insert(symbol, first);
                } else if var.width <= width {
                    let low = space.pool.extract(var.width - 1, 0, time)?;
                    let by = space.pool.constant_bits(&by);
                    let more = space.pool.bv_mul(by, low)?;
                    let sum = space.pool.bv_add(first, more)?;
                    map.insert(symbol, space.tidy(sum)?);
                }
            } else if space.pool.dag_size(next) <= LARGEST {
                open.push((var, first));
            }
        }
        // Those whose next value is known from these.
        loop {
            let mut known: BTreeSet<TermId> = map.keys().copied().collect();
            known.extend(open.iter().map(|(var, _)| step.at[side].values[var.index]));
            let known: Vec<TermId> = known.into_iter().collect();
            let before = open.len();
            open.retain(|(var, _)| is_of(space, round.values[side][var.index], &known));
            if open.len() == before {
                break;
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let mut found = vec![];
        for (var, _) in &open {
            let name = format!("trace{number}.before{}", var.index);
            let before = space.pool.symbol(&name, Sort::BitVec(var.width))?;
            map.insert(step.at[side].values[var.index], before);
        }
        let all = map.iter().map(|(a, b)| (*a, *b)).collect();
        let mut needed = BTreeSet::new();
        for (var, first) in &open {
            let symbol = step.at[side].values[var.index];
            let next = space.pool.substitute(round.values[side][var.index], &all)?;
            let next = space.tidy(next)?;
            needed.extend(space.pool.free_names(&[*first, next]).symbols);
            found.push((var, map[&symbol], *first, next));
        }
        let used = |term: &TermId| needed.iter().any(|s| space.pool.symbol_term(*s) == *term);
        let params: Vec<(usize, TermId)> =
            params.iter().copied().enumerate().filter(|(_, term)| used(term)).collect();
        let mut sorts: Vec<Sort> = params.iter().map(|(_, term)| space.pool.sort(*term)).collect();
        sorts.push(Sort::BitVec(width));
        let mut vars = vec![];
        for (n, (var, before, first, next)) in found.into_iter().enumerate() {
            let name = format!("the variable {} of loop {number}", var.index);
            let function = space.pool.function(&name, &sorts, Sort::BitVec(var.width))?;
            self.kinds.insert(function, Kind::Traced(number, n));
            let (index, width) = (var.index, var.width);
            vars.push(Traced { index, width, function, before, first, next });
        }
        self.traces.push(Trace { params, width, signed, time, vars });
        Ok(())
    }
}

/// Whether a term speaks of these symbols alone.
fn is_of(space: &Space, term: TermId, symbols: &[TermId]) -> bool {
    let names = space.pool.free_names(&[term]);
    let known = |symbol| symbols.contains(&space.pool.symbol_term(symbol));
    names.functions.is_empty() && names.symbols.into_iter().all(known)
}

impl Trace {
    /// Whether a number of iterations counts as zero.
    pub fn is_first(&self, space: &mut Space, time: TermId) -> Result<TermId, LogicError> {
        let zero = space.pool.bits(self.width, 0)?;
        match self.signed {
            true => space.pool.bv_sle(time, zero),
            false => space.pool.eq(time, zero),
        }
    }

    /// What a variable is at first.
    pub fn first(
        &self,
        space: &mut Space,
        var: usize,
        arguments: &[TermId],
    ) -> Result<TermId, LogicError> {
        let map = self.params.iter().map(|(_, term)| *term).zip(arguments.iter().copied());
        space.pool.substitute(self.vars[var].first, &map.collect())
    }

    /// What a variable is after so many iterations, by what all are after one less.
    pub fn next(
        &self,
        space: &mut Space,
        var: usize,
        arguments: &[TermId],
    ) -> Result<TermId, LogicError> {
        let (time, params) = arguments.split_last().ok_or(LogicError::NoPath)?;
        let one = space.pool.bits(self.width, 1)?;
        let less = space.pool.bv_sub(*time, one)?;
        let less = space.tidy(less)?;
        let before = [params, &[less]].concat();
        let mut map: BTreeMap<TermId, TermId> =
            self.params.iter().map(|(_, term)| *term).zip(params.iter().copied()).collect();
        map.insert(self.time, less);
        for traced in &self.vars {
            map.insert(traced.before, space.pool.call(traced.function, &before)?);
        }
        space.pool.substitute(self.vars[var].next, &map.into_iter().collect())
    }

    /// What all variables are after 0, 1, 2… iterations, for these parameters at the entry.
    pub fn numbers(&self, space: &Space, entry: &[Option<u128>]) -> Option<Vec<Vec<u128>>> {
        let pool = &space.pool;
        let bits = |term: TermId, number: u128| {
            Some(Value::Bits(Bits::new(pool.sort(term).width()?, number)))
        };
        let mut assignment = Assignment::new();
        for (number, term) in &self.params {
            let value = bits(*term, (*entry.get(*number)?)?)?;
            assignment.set_term(pool, *term, value).ok()?;
        }
        let number = |assignment: &Assignment, term| {
            let value = Evaluator::new(assignment).eval(pool, term).ok()?;
            value.as_bits().and_then(Bits::to_u128)
        };
        let first: Option<Vec<u128>> =
            self.vars.iter().map(|traced| number(&assignment, traced.first)).collect();
        let mut found = vec![first?];
        for time in 0..FARTHEST {
            assignment.set_term(pool, self.time, bits(self.time, time as u128)?).ok()?;
            for (traced, before) in self.vars.iter().zip(&found[time]) {
                assignment.set_term(pool, traced.before, bits(traced.before, *before)?).ok()?;
            }
            let next: Option<Vec<u128>> =
                self.vars.iter().map(|traced| number(&assignment, traced.next)).collect();
            found.push(next?);
        }
        Some(found)
    }

    /// Which of these numbers belongs to a time of so many bits.
    pub fn at(&self, time: u128) -> Option<usize> {
        let negative = time >> (self.width - 1) != 0;
        match self.signed && negative {
            true => Some(0),
            false => usize::try_from(time).ok().filter(|time| *time <= FARTHEST),
        }
    }
}
