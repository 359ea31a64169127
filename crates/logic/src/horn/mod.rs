//! Horn clauses over the integers: a source of guesses about loops.
//!
//! A [`System`] has predicates, one for each place of a program (or pair of places of two programs), and rules: what
//! holds at one place leads to another one, or is not allowed to happen. z3's Spacer looks for what may be taken for the
//! predicates so that all rules hold. Its answer is given back as [`Clause`]s: disjunctions of linear inequalities and
//! truth values of the predicate's arguments.
//!
//! # Nothing rests on it
//!
//! Terms are read as if numbers had no bounds: sums never wrap, the low bits of a number are the number, and what integers
//! cannot say (memory, bit operations, floats, calls) may be anything. So a system says neither more nor less than its
//! terms do, and an answer is a guess in both directions. Whoever uses clauses shows them of the bits.

mod reading;
mod solution;

use crate::effort::Effort;
use crate::op::Op;
use crate::solver::{Limits, solve_horn};
use crate::sort::Sort;
use crate::term::{TermId, TermPool};
use reading::Reading;
use std::fmt::Write;

/// Rules that are longer, written out, make no system.
const MOST_SIZE: u64 = 4_000;

/// What a predicate is named, before its number.
const PREDICATE: &str = "place";

/// A part of a clause, about the arguments of a predicate by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// A sum of arguments with these factors, none of which is zero, is at least this number.
    AtLeast {
        /// Arguments and their factors.
        sum: Vec<(usize, i64)>,
        /// The number.
        least: i64,
    },
    /// An argument is true, or false.
    Is(usize, bool),
}

/// A disjunction.
pub type Clause = Vec<Part>;

/// Predicates and rules.
pub struct System<'p> {
    pool: &'p TermPool,
    predicates: Vec<Vec<Sort>>,
    rules: Vec<String>,
    is_too_large: bool,
    /// Whether arguments are in the range of their widths, signed.
    in_range: bool,
}

impl System<'_> {
    /// A system about terms of a pool.
    pub fn new(pool: &TermPool) -> System<'_> {
        System { pool, predicates: vec![], rules: vec![], is_too_large: false, in_range: false }
    }

    /// From now on rules are about arguments that are in the range of their widths, signed. That this stays so is for other
    /// rules to say ([`Self::stays_in_range`]).
    pub fn keep_in_range(&mut self) {
        self.in_range = true;
    }

    /// A predicate whose arguments have the sorts of these terms: bit-vectors or truth values.
    pub fn predicate(&mut self, arguments: &[TermId]) -> usize {
        self.predicates.push(arguments.iter().map(|term| self.pool.sort(*term)).collect());
        self.predicates.len() - 1
    }

    /// A rule: where a predicate holds of some terms (or nothing is asked of the state before) and some terms hold, another one
    /// holds of these, or that is not allowed to happen.
    pub fn rule(
        &mut self,
        from: Option<(usize, &[TermId])>,
        given: &[TermId],
        to: Option<(usize, &[TermId])>,
    ) {
        let arguments = from.iter().chain(&to).flat_map(|(_, terms)| terms.iter());
        let all: Vec<TermId> = arguments.chain(given).copied().collect();
        let size = all.iter().fold(0u64, |sum, t| sum.saturating_add(self.pool.tree_size(*t)));
        if size > MOST_SIZE {
            self.is_too_large = true;
            return;
        }
        let mut reading = Reading::new(self.pool);
        let mut applied = |predicate: Option<(usize, &[TermId])>, none: &str| match predicate {
            None => none.to_owned(),
            Some(predicate) => applied(&mut reading, predicate),
        };
        let own = from.map_or(&[][..], |(_, terms)| terms);
        let (from, to) = (applied(from, "true"), applied(to, "false"));
        let mut given: Vec<String> = given.iter().map(|term| reading.text(*term)).collect();
        given.extend(self.ranges(&mut reading, own));
        self.push(&reading, &from, &given, &to);
    }

    /// A rule: where a predicate and some terms hold, another term is in the range of its width as an integer. Nothing is asked if the
    /// number is a matter of anything but the predicate's arguments: what is read somewhere may be as large as it likes.
    pub fn stays_in_range(
        &mut self,
        (predicate, arguments): (usize, &[TermId]),
        given: &[TermId],
        term: TermId,
    ) {
        let all = arguments.iter().chain(given).chain([&term]);
        let size = all.fold(0u64, |sum, t| sum.saturating_add(self.pool.tree_size(*t)));
        if size > MOST_SIZE || !self.is_counted(term, arguments) {
            return;
        }
        let mut reading = Reading::new(self.pool);
        let from = applied(&mut reading, (predicate, arguments));
        let Some([low, high]) = reading.beyond(term) else { return };
        let mut given: Vec<String> = given.iter().map(|term| reading.text(*term)).collect();
        given.extend(self.ranges(&mut reading, arguments));
        given.push(format!("(or {low} {high})"));
        self.push(&reading, &from, &given, "false");
    }

    /// Whether a number is made of these and of constants by sums and choices, whatever decides these.
    fn is_counted(&self, term: TermId, of: &[TermId]) -> bool {
        let pool = self.pool;
        let operands = pool.operands(term);
        let all = |terms: &[TermId]| terms.iter().all(|term| self.is_counted(*term, of));
        match pool.op(term) {
            _ if of.contains(&term) || pool.as_bits(term).is_some() => true,
            Op::BvAdd | Op::BvMul | Op::SignExtend(_) => all(operands),
            Op::Ite => all(&operands[1..]),
            _ => false,
        }
    }

    fn ranges(&self, reading: &mut Reading<'_>, arguments: &[TermId]) -> Vec<String> {
        let of = |term: &TermId| reading.beyond(*term).filter(|_| self.in_range);
        arguments.iter().filter_map(of).flatten().map(|text| format!("(not {text})")).collect()
    }

    fn push(&mut self, reading: &Reading<'_>, from: &str, given: &[String], to: &str) {
        let rule = format!("(=> (and {from} true {}) {to})", given.join(" "));
        self.rules.push(match reading.variables().as_str() {
            "" => format!("(assert {rule})"),
            variables => format!("(assert (forall ({variables}) {rule}))"),
        });
    }

    /// What may be taken for each predicate, if something is found.
    pub fn solve(&self, most: Effort) -> Option<Vec<Vec<Clause>>> {
        if self.is_too_large || self.rules.is_empty() {
            return None;
        }
        let model = solve_horn(&self.script(), &Limits::effort(most))?;
        let sizes: Vec<usize> = self.predicates.iter().map(Vec::len).collect();
        solution::read(&model, PREDICATE, &sizes)
    }

    /// All of it as text.
    fn script(&self) -> String {
        let mut script = String::new();
        for (number, sorts) in self.predicates.iter().enumerate() {
            let sorts: Vec<&str> = sorts.iter().map(reading::sort).collect();
            let sorts = sorts.join(" ");
            let _ = writeln!(script, "(declare-fun {PREDICATE}{number} ({sorts}) Bool)");
        }
        for rule in &self.rules {
            let _ = writeln!(script, "{rule}");
        }
        script
    }
}

/// A predicate of some terms.
fn applied(reading: &mut Reading<'_>, (number, terms): (usize, &[TermId])) -> String {
    match terms {
        [] => format!("{PREDICATE}{number}"),
        _ => {
            let terms: Vec<String> = terms.iter().map(|term| reading.text(*term)).collect();
            format!("({PREDICATE}{number} {})", terms.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting {
        pool: TermPool,
        vars: Vec<TermId>,
    }

    /// `n`, `i` and `j` of 32 bits.
    fn counting() -> Counting {
        let mut pool = TermPool::new();
        let vars = ["n", "i", "j"].map(|name| pool.symbol(name, Sort::BitVec(32)).unwrap());
        Counting { pool, vars: vars.to_vec() }
    }

    /// `for (i = j = 0; i < n; i++) if (?) j++;`, with what must not be behind it.
    fn solved(wrong: impl Fn(&mut TermPool, &[TermId]) -> TermId) -> Option<Vec<Vec<Clause>>> {
        let Counting { mut pool, vars } = counting();
        let (n, i, j) = (vars[0], vars[1], vars[2]);
        let (zero, one) = (pool.bits(32, 0).unwrap(), pool.bits(32, 1).unwrap());
        let more = pool.symbol("more", Sort::Bool).unwrap();
        let (next, plus) = (pool.bv_add(i, one).unwrap(), pool.bv_add(j, one).unwrap());
        let then = pool.ite(more, plus, j).unwrap();
        let enters = pool.bv_sle(zero, n).unwrap();
        let stays = pool.bv_slt(i, n).unwrap();
        let leaves = pool.not(stays).unwrap();
        let wrong = wrong(&mut pool, &vars);
        let mut system = System::new(&pool);
        let head = system.predicate(&vars);
        system.rule(None, &[enters], Some((head, &[n, zero, zero])));
        system.rule(Some((head, &vars)), &[stays], Some((head, &[n, next, then])));
        system.rule(Some((head, &vars)), &[leaves, wrong], None);
        system.solve(Effort::millis(2_000))
    }

    fn holds(clause: &Clause, values: &[i64]) -> bool {
        clause.iter().any(|part| match part {
            Part::AtLeast { sum, least } => {
                sum.iter().map(|(n, factor)| factor * values[*n]).sum::<i64>() >= *least
            }
            Part::Is(..) => false,
        })
    }

    #[test]
    fn an_inequality_that_is_needed_is_found() {
        let found = solved(|pool, vars| pool.bv_slt(vars[0], vars[2]).unwrap()).unwrap();
        let [clauses] = &found[..] else { panic!("{found:?}") };
        let all = |values: [i64; 3]| clauses.iter().all(|clause| holds(clause, &values));
        // What is reached, and what must not be.
        for (i, j) in [(0, 0), (1, 0), (1, 1), (3, 2)] {
            assert!(all([5, i, j]), "{clauses:?}");
        }
        assert!(!all([5, 5, 6]), "{clauses:?}");
    }

    #[test]
    fn what_stays_in_range_may_need_another_bound() {
        // `for (;;) { if (i > 9) i = 0; i += 3; }`: nothing must be excluded but that `i` wraps.
        let mut pool = TermPool::new();
        let i = pool.symbol("i", Sort::BitVec(8)).unwrap();
        let (zero, three) = (pool.bits(8, 0).unwrap(), pool.bits(8, 3).unwrap());
        let nine = pool.bits(8, 9).unwrap();
        let above = pool.bv_slt(nine, i).unwrap();
        let reset = pool.ite(above, zero, i).unwrap();
        let next = pool.bv_add(reset, three).unwrap();
        let truth = pool.truth();
        let any = pool.symbol("any", Sort::BitVec(8)).unwrap();
        let sum = pool.bv_add(i, any).unwrap();
        let mut system = System::new(&pool);
        system.keep_in_range();
        let head = system.predicate(&[i]);
        system.rule(None, &[], Some((head, &[zero])));
        system.rule(Some((head, &[i])), &[truth], Some((head, &[next])));
        system.stays_in_range((head, &[i]), &[truth], next);
        assert!(system.solve(Effort::millis(2_000)).is_some());
        // What is added to it comes from elsewhere: of that nothing is asked.
        let rules = system.rules.len();
        system.stays_in_range((head, &[i]), &[truth], sum);
        assert_eq!(system.rules.len(), rules);
    }

    #[test]
    fn a_predicate_may_be_about_nothing() {
        let mut pool = TermPool::new();
        let (truth, n) = (pool.truth(), pool.symbol("n", Sort::BitVec(8)).unwrap());
        let mut system = System::new(&pool);
        system.keep_in_range();
        let (first, second) = (system.predicate(&[]), system.predicate(&[n]));
        system.rule(None, &[], Some((first, &[])));
        system.rule(Some((first, &[])), &[truth], Some((second, &[n])));
        system.stays_in_range((first, &[]), &[truth], n);
        assert!(system.solve(Effort::millis(2_000)).is_some());
    }

    #[test]
    fn nothing_is_found_for_what_may_happen() {
        assert_eq!(solved(|pool, vars| pool.bv_slt(vars[2], vars[0]).unwrap()), None);
    }

    #[test]
    fn a_limit_ends_the_search() {
        // What is needed is no linear inequality: the search has no end.
        let Counting { mut pool, vars } = counting();
        let (n, i, j) = (vars[0], vars[1], vars[2]);
        let (zero, one) = (pool.bits(32, 0).unwrap(), pool.bits(32, 1).unwrap());
        let next = pool.bv_add(i, one).unwrap();
        let twice = pool.bv_add(i, next).unwrap();
        let sum = pool.bv_add(j, twice).unwrap();
        let stays = pool.bv_slt(i, n).unwrap();
        let seven = pool.bits(32, 7).unwrap();
        let times = pool.bv_mul(seven, i).unwrap();
        let less = pool.bits_signed(32, -13).unwrap();
        let bound = pool.bv_add(times, less).unwrap();
        // j is i * i, which is at least 7 i - 12.
        let wrong = pool.bv_slt(j, bound).unwrap();
        let mut system = System::new(&pool);
        let head = system.predicate(&vars);
        system.rule(None, &[], Some((head, &[n, zero, zero])));
        system.rule(Some((head, &vars)), &[stays], Some((head, &[n, next, sum])));
        system.rule(Some((head, &vars)), &[wrong], None);
        let before = crate::effort::spent();
        let most = Effort::millis(100);
        assert_eq!(system.solve(most), None);
        let spent = crate::effort::spent().saturating_sub(before);
        assert!(spent > most / 8 && spent < most * 3, "{spent:?}");
    }
}
