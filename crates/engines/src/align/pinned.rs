//! Variables that what is given determines: where a loop `for (i = 1; i <= n; i++)` ends, `i` is `n + 1`.
//!
//! A solver that works with bits finds that out while it multiplies; for one that works with integers, what was given of `i`
//! and what is claimed of `n` are two products. So it is asked before, of the plain comparisons alone, and put in. The
//! obligations are that what is given excludes another number, and the question with that put in.

use super::claims::{Part, Posed};
use super::given::Given;
use super::prove::{Proving, Shown};
use std::collections::BTreeMap;
use verdiff_judge::{Budget, Obligation};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::Answer;
use verdiff_logic::{LogicError, Op, TermId, Value};
use verdiff_product::over_integers::is_hard;
use verdiff_product::solver_queries::ask;
use verdiff_symex::execute::Stop;

/// What one is worth.
const ONE: Effort = Effort::millis(20);
/// Larger parts of what is given are left out, and more pairs of variables are not looked at.
const LARGEST: usize = 40;
const MOST_TRIED: usize = 8;

impl Proving<'_, '_> {
    /// A question that multiplies or divides, with variables put in that are determined; nothing if there are none.
    pub fn pinned(
        &mut self,
        posed: &Posed,
        parts: &[Part],
        budget: &Budget,
    ) -> Result<Option<(Posed, Vec<Obligation>)>, Stop> {
        let space = &mut self.stepping.product.space;
        let mut claims = vec![];
        for (claim, violated) in &posed.claims {
            claims.push((claim.clone(), posed.replace.put(space, *violated)?));
        }
        let given: Vec<TermId> = parts.iter().map(|part| part.0).collect();
        let violated: Vec<TermId> = claims.iter().map(|claim| claim.1).collect();
        if !is_hard(&space.pool, &violated) || budget.is_over() {
            return Ok(None);
        }
        let pool = &space.pool;
        let hard = |term: &TermId| matches!(pool.op(*term), Op::Select | Op::Apply(_) | Op::BvMul);
        let plain = |term: &TermId| {
            pool.dag_size(*term) <= LARGEST
                && !pool.sub_terms(&[*term]).iter().any(hard)
                && !is_hard(pool, &[*term])
        };
        let facts: Vec<TermId> = given.iter().copied().filter(plain).collect();
        let Answer::Sat(model) = ask(space, &facts, &budget.at_most(ONE * 2)) else {
            return Ok(None);
        };
        let symbols = space.pool.free_names(&facts).symbols;
        let numbers: Vec<(TermId, u32, u128)> = symbols
            .into_iter()
            .filter_map(|symbol| match model.get(symbol)? {
                Value::Bits(bits) => {
                    Some((space.pool.symbol_term(symbol), bits.width(), bits.to_u128()?))
                }
                _ => None,
            })
            .filter(|(_, width, _)| (8..=64).contains(width))
            .collect();
        let (mut map, mut shown) = (BTreeMap::new(), vec![]);
        let mut tried = 0;
        for (var, width, number) in &numbers {
            for (other, narrow, value) in numbers.iter().filter(|(other, ..)| other != var) {
                let mask = u128::MAX >> (128 - width);
                let more = number.wrapping_sub(*value) & mask;
                let near = more <= 1 || more == mask;
                let again = map.contains_key(var) || map.contains_key(other);
                let used = map
                    .values()
                    .any(|by| self.stepping.product.space.pool.sub_terms(&[*by]).contains(var));
                if !near || narrow > width || again || used || tried == MOST_TRIED {
                    continue;
                }
                tried += 1;
                let space = &mut self.stepping.product.space;
                let by = space.pool.zero_extend(width - narrow, *other)?;
                let more = space.pool.bits(*width, more)?;
                let by = space.pool.bv_add(by, more)?;
                let by = space.tidy(by)?;
                let mut all = facts.clone();
                all.push(space.pool.ne(*var, by)?);
                if !matches!(ask(space, &all, &budget.at_most(ONE * 2)), Answer::Unsat { .. }) {
                    continue;
                }
                let name = format!("{} (a variable that is determined)", posed.name);
                if let Shown::Written(obligation) = self.shown(&name, &all) {
                    shown.extend(obligation);
                    map.insert(*var, by);
                }
            }
        }
        if map.is_empty() {
            return Ok(None);
        }
        let map = map.into_iter().collect();
        let space = &mut self.stepping.product.space;
        let mut put = |term: TermId| -> Result<TermId, LogicError> {
            let term = space.pool.substitute(term, &map)?;
            space.tidy(term)
        };
        let given = given.into_iter().map(&mut put).collect::<Result<Vec<_>, _>>()?;
        for (_, violated) in &mut claims {
            *violated = put(*violated)?;
        }
        let mut related = vec![];
        for (left, right) in &posed.related {
            let space = &mut self.stepping.product.space;
            let both = [posed.replace.put(space, *left)?, posed.replace.put(space, *right)?];
            related.push((
                space.pool.substitute(both[0], &map)?,
                space.pool.substitute(both[1], &map)?,
            ));
        }
        let name = format!("{} (with what is determined)", posed.name);
        let (axioms, replace) = (vec![], Given::default());
        Ok(Some((Posed { name, given, axioms, replace, claims, related }, shown)))
    }
}
