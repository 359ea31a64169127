//! What is known of functions that invariants speak of: an application, in other words. Why that is right: [`folds`](super).

use super::super::prove::Proving;
use super::functions::{Functions, Kind};
use super::rewrite::{Open, Way};
use super::sums::width_of;
use std::collections::BTreeMap;
use verdiff_judge::Budget;
use verdiff_logic::{FunctionId, LogicError, Op, TermId};
use verdiff_symex::execute::Stop;

/// What is done with applications of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// `power(b, n) = b * power(b, n - 1)`; a traced variable by those of one iteration less.
    Step,
    /// That twice.
    Twice,
    /// That twice, and what is said of one iteration less is put in everywhere.
    Both,
    /// `power(b, n) = power(b * b, n / 2)`, times b if n is odd.
    Halve,
    /// `power(b, n) = power(b, n / 2) * power(b, n / 2)`, times b if n is odd.
    Square,
    /// `ones(x) = (x & 1) + ones(x / 2)`.
    Shift,
    /// `ones(x) = 1 + ones(x & (x - 1))`.
    Lowest,
}

/// Applications that are rewritten together: those of a function, or of all of one trace, to the same arguments. Which,
/// the functions, and the arguments.
pub(super) type Applied = (usize, (Vec<FunctionId>, Vec<TermId>));

impl Proving<'_, '_> {
    pub(super) fn kind_of(&self, functions: &[FunctionId]) -> Option<Kind> {
        self.folds.functions.kinds.get(functions.first()?).copied()
    }

    /// The applications of functions, by what they are rewritten with: the functions, and the arguments.
    pub(super) fn groups(&self, open: &Open, violated: TermId) -> Vec<Applied> {
        let pool = &self.stepping.product.space.pool;
        let mut terms: Vec<TermId> = open.related.iter().flat_map(|(a, b)| [*a, *b]).collect();
        terms.push(violated);
        let mut found: Vec<Applied> = vec![];
        for term in pool.sub_terms(&terms) {
            let Op::Apply(function) = pool.op(term) else { continue };
            let Some(kind) = self.folds.functions.kinds.get(&function) else { continue };
            let (family, functions) = match kind {
                Kind::Traced(trace, _) => {
                    let vars = &self.folds.functions.traces[*trace].vars;
                    (1000 + trace, vars.iter().map(|var| var.function).collect())
                }
                Kind::Power | Kind::Ones => {
                    (function_number(&self.folds.functions, function), vec![function])
                }
            };
            let arguments = pool.operands(term).to_vec();
            if !found.iter().any(|(f, (_, a))| (*f, a) == (family, &arguments)) {
                found.push((family, (functions, arguments)));
            }
        }
        found
    }

    /// When a function has its first value.
    pub(super) fn is_first(
        &mut self,
        kind: Kind,
        arguments: &[TermId],
    ) -> Result<TermId, LogicError> {
        let space = &mut self.stepping.product.space;
        let last = arguments.last().copied().ok_or(LogicError::NoPath)?;
        let is = match kind {
            Kind::Power | Kind::Ones => {
                let zero = space.pool.bits(width_of(&space.pool, last), 0)?;
                space.pool.eq(last, zero)?
            }
            Kind::Traced(trace, _) => self.folds.functions.traces[trace].is_first(space, last)?,
        };
        space.tidy(is)
    }

    /// What applications of functions are where they have their first values.
    pub(super) fn at_first(
        &mut self,
        functions: &[FunctionId],
        arguments: &[TermId],
    ) -> Result<BTreeMap<TermId, TermId>, LogicError> {
        let space = &mut self.stepping.product.space;
        let mut map = BTreeMap::new();
        for function in functions {
            let term = space.pool.call(*function, arguments)?;
            let width = width_of(&space.pool, term);
            let value = match self.folds.functions.kinds.get(function) {
                Some(Kind::Power) => space.pool.bits(width, 1)?,
                Some(Kind::Ones) => space.pool.bits(width, 0)?,
                Some(Kind::Traced(trace, var)) => {
                    let params = &arguments[..arguments.len() - 1];
                    self.folds.functions.traces[*trace].first(space, *var, params)?
                }
                None => continue,
            };
            map.insert(term, value);
        }
        Ok(map)
    }

    /// What applications of functions are by a rule.
    pub(super) fn rewritten(
        &mut self,
        (functions, arguments): (&[FunctionId], &[TermId]),
        rule: Rule,
        open: &Open,
        way: &mut Way,
        budget: &Budget,
    ) -> Result<Option<BTreeMap<TermId, TermId>>, Stop> {
        let Some(kind) = self.kind_of(functions) else { return Ok(None) };
        let first = self.is_first(kind, arguments)?;
        let decided = match rule {
            Rule::Halve | Rule::Square | Rule::Shift => Some(false),
            _ => self.decide(first, open, way, budget)?,
        };
        let firsts = self.at_first(functions, arguments)?;
        if decided == Some(true) {
            return Ok(Some(firsts));
        }
        let mut map = BTreeMap::new();
        for function in functions {
            let space = &mut self.stepping.product.space;
            let term = space.pool.call(*function, arguments)?;
            let width = width_of(&space.pool, term);
            let last = arguments[arguments.len() - 1];
            let bits = width_of(&space.pool, last);
            let one = space.pool.bits(bits, 1)?;
            let next = match (self.folds.functions.kinds.get(function), rule) {
                (Some(Kind::Power), Rule::Step) => {
                    let less = space.pool.bv_sub(last, one)?;
                    let less = space.tidy(less)?;
                    let rest = space.pool.call(*function, &[arguments[0], less])?;
                    space.pool.bv_mul(arguments[0], rest)?
                }
                (Some(Kind::Power), Rule::Halve | Rule::Square) => {
                    let half = space.pool.bv_lshr(last, one)?;
                    let half = space.tidy(half)?;
                    let rest = match rule {
                        Rule::Square => {
                            let rest = space.pool.call(*function, &[arguments[0], half])?;
                            space.pool.bv_mul(rest, rest)?
                        }
                        _ => {
                            let square = space.pool.bv_mul(arguments[0], arguments[0])?;
                            let square = space.tidy(square)?;
                            space.pool.call(*function, &[square, half])?
                        }
                    };
                    let low = space.pool.extract(0, 0, last)?;
                    let odd = space.pool.bits(1, 1)?;
                    let odd = space.pool.eq(low, odd)?;
                    let odd = space.tidy(odd)?;
                    let number = space.pool.bits(width, 1)?;
                    let factor = space.pool.ite(odd, arguments[0], number)?;
                    space.pool.bv_mul(factor, rest)?
                }
                (Some(Kind::Ones), Rule::Shift) => {
                    let half = space.pool.bv_lshr(last, one)?;
                    let half = space.tidy(half)?;
                    let rest = space.pool.call(*function, &[half])?;
                    let low = space.pool.bv_and(last, one)?;
                    let low = match width > bits {
                        true => space.pool.zero_extend(width - bits, low)?,
                        false => space.pool.extract(width - 1, 0, low)?,
                    };
                    let low = space.tidy(low)?;
                    space.pool.bv_add(low, rest)?
                }
                (Some(Kind::Ones), Rule::Lowest) => {
                    let less = space.pool.bv_sub(last, one)?;
                    let rest = space.pool.bv_and(last, less)?;
                    let rest = space.tidy(rest)?;
                    let rest = space.pool.call(*function, &[rest])?;
                    let one = space.pool.bits(width, 1)?;
                    space.pool.bv_add(one, rest)?
                }
                (Some(Kind::Traced(trace, var)), Rule::Step | Rule::Twice | Rule::Both) => {
                    self.folds.functions.traces[*trace].next(space, *var, arguments)?
                }
                _ => return Ok(None),
            };
            let value = match decided {
                Some(_) => next,
                None => space.pool.ite(first, firsts[&term], next)?,
            };
            map.insert(term, value);
        }
        if matches!(rule, Rule::Twice | Rule::Both) {
            let space = &mut self.stepping.product.space;
            let time = arguments[arguments.len() - 1];
            let one = space.pool.bits(width_of(&space.pool, time), 1)?;
            let less = space.pool.bv_sub(time, one)?;
            let less = space.tidy(less)?;
            let before = [&arguments[..arguments.len() - 1], &[less]].concat();
            let inner = self.rewritten((functions, &before), Rule::Step, open, way, budget)?;
            let Some(inner) = inner else { return Ok(None) };
            let put = inner.iter().map(|(a, b)| (*a, *b)).collect();
            for value in map.values_mut() {
                *value = self.stepping.product.space.pool.substitute(*value, &put)?;
            }
            if rule == Rule::Both {
                map.extend(inner);
            }
        }
        Ok(Some(map))
    }
}

fn function_number(functions: &Functions, function: FunctionId) -> usize {
    functions.kinds.keys().position(|known| *known == function).unwrap_or(0)
}
