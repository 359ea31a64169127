//! The simplifier: terms that mean the same should become the same term.
//!
//! It is a table of named rules ([`rules()`]), applied to a term after its operands until none
//! fires. The normal form is chosen so that common refactorings collapse:
//!
//! - sums are sums of products with coefficients modulo `2^w`; `-x`, `x - y`, `x << 3`, `x * 8`
//!   and `~x + 1` are such sums (`polynomial.rs`);
//! - operands of commutative operators are ordered by number;
//! - comparisons are `<` or `=`, with a constant on the right, perhaps negated; equations of sums
//!   are brought to one shape;
//! - negations sit at the leaves;
//! - constant shifts, masks, divisions and remainders by powers of two are extractions; fields
//!   that do not overlap, however they were put together, are one concatenation; bit operations on
//!   extended words are done before they are extended;
//! - conditionals have a positive condition and are merged where they share a branch; what both
//!   branches of a conditional add is added outside;
//! - comparisons and equations speak of what their sides were computed from: factors that are powers of
//!   two are divided away, `x < x + k` is a limit for `x`, signs go through bit operations (`orders.rs`);
//! - idioms have one form: `(x ^ y) + 2 * (x & y)` is `x + y`, a choice of bits is two masks, the carry of
//!   a sum is a comparison, a signed division by a power of two a shift (`idioms.rs`);
//! - `select` looks through `store`, and `store`s to different places are ordered.
//!
//! Why it is sound: each rule replaces a term by an equal one, and `tests/rules.rs` has the solver
//! prove that for every rule at widths 1 to 8 and 32. Why it ends: a count of rewrites stops it,
//! which costs a normal form and nothing else; the tests see to it that the count is not reached.

mod polynomial;
mod rules;
mod sample;

use crate::effort::{self, Deadline, Effort};
use crate::term::{TermId, TermPool};

pub use sample::Sample;

/// A rule of the simplifier, with terms that show where it applies and where it must not.
pub struct Rule {
    /// What the rule is called in tests and statistics.
    pub name: &'static str,
    /// The equal, simpler term, if the rule applies at the root of a term.
    pub apply: fn(&mut TermPool, TermId) -> Option<TermId>,
    /// Terms on which the rule fires, for a given width; `None` where a width is too small.
    pub fires: &'static [fn(&mut Sample<'_>) -> Option<TermId>],
    /// A term much like those on which the rule must not fire.
    pub near_miss: fn(&mut Sample<'_>) -> Option<TermId>,
}

/// The table of all rules, in the order in which they are tried.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::TABLES.iter().flat_map(|table| table.iter())
}

/// Rewrites per call of [`TermPool::simplify`], beyond those that new terms account for, after
/// which it stops looking for more.
const SPARE_REWRITES: u64 = 10_000;
/// After so many tasks it is looked at what they cost.
const LOOK_EVERY: u32 = 4096;

/// Rewrites that each visited term may account for.
const REWRITES_PER_TERM: u64 = 50;

enum Task {
    /// Simplify a term, operands first.
    Visit(TermId),
    /// Its operands are done: rebuild it and try the rules.
    Finish(TermId),
    /// `from` and `rebuilt` were rewritten to `to`, which is done.
    Settle { from: TermId, rebuilt: TermId, to: TermId },
}

impl TermPool {
    /// An equal term in normal form. What was simplified before is remembered by the pool, so
    /// simplifying a term whose operands were simplified costs one step.
    ///
    /// ```
    /// # use verdiff_logic::{Sort, TermPool};
    /// # fn main() -> Result<(), verdiff_logic::LogicError> {
    /// let mut pool = TermPool::new();
    /// let x = pool.symbol("x", Sort::BitVec(32))?;
    /// let y = pool.symbol("y", Sort::BitVec(32))?;
    /// let three = pool.bits(32, 3)?;
    /// // (x + y) << 3 and 8 * y - -8 * x
    /// let sum = pool.bv_add(x, y)?;
    /// let shifted = pool.bv_shl(sum, three)?;
    /// let (eight, minus_eight) = (pool.bits(32, 8)?, pool.bits_signed(32, -8)?);
    /// let left = pool.bv_mul(eight, y)?;
    /// let right = pool.bv_mul(minus_eight, x)?;
    /// let difference = pool.bv_sub(left, right)?;
    /// assert_eq!(pool.simplify(shifted), pool.simplify(difference));
    /// # Ok(()) }
    /// ```
    pub fn simplify(&mut self, root: TermId) -> TermId {
        self.simplify_within(root, Effort::UNLIMITED).unwrap_or(root)
    }

    /// The same, or nothing if it costs more than this. What was found until then is kept for the next time.
    pub fn simplify_within(&mut self, root: TermId, most: Effort) -> Option<TermId> {
        let reading = effort::spent();
        let mut count = 0u32;
        // Only terms that were there before add to the budget: rules that feed each other with new
        // terms for ever must not.
        let known = self.len();
        let mut budget = SPARE_REWRITES;
        let mut tasks = vec![Task::Visit(root)];
        let mut operands = Vec::new();
        while let Some(task) = tasks.pop() {
            count = count.wrapping_add(1);
            if count.is_multiple_of(LOOK_EVERY)
                && most != Effort::UNLIMITED
                && (effort::since(reading) > most || Deadline::has_passed())
            {
                return None;
            }
            match task {
                Task::Visit(term) => {
                    if self.normal_form(term).is_none() {
                        if term.index() < known {
                            budget += REWRITES_PER_TERM;
                        }
                        tasks.push(Task::Finish(term));
                        let unknown = self.operands(term).iter();
                        let unknown = unknown.filter(|t| self.normal_form(**t).is_none());
                        tasks.extend(unknown.map(|t| Task::Visit(*t)));
                    }
                }
                Task::Finish(term) => {
                    if self.normal_form(term).is_some() {
                        continue;
                    }
                    operands.clear();
                    operands.extend(
                        self.operands(term).iter().map(|t| self.normal_form(*t).unwrap_or(*t)),
                    );
                    let rebuilt = self.rebuild(term, &operands);
                    if let Some(known) = self.normal_form(rebuilt) {
                        self.set_normal_form(term, known);
                        continue;
                    }
                    match self.rewrite(rebuilt) {
                        Some(to) if budget > 0 => {
                            budget -= 1;
                            tasks.push(Task::Settle { from: term, rebuilt, to });
                            tasks.push(Task::Visit(to));
                        }
                        _ => {
                            self.set_normal_form(rebuilt, rebuilt);
                            self.set_normal_form(term, rebuilt);
                        }
                    }
                }
                Task::Settle { from, rebuilt, to } => {
                    let normal = self.normal_form(to).unwrap_or(to);
                    self.set_normal_form(from, normal);
                    self.set_normal_form(rebuilt, normal);
                }
            }
        }
        Some(self.normal_form(root).unwrap_or(root))
    }

    /// What the first rule that fires at the root makes of a term.
    fn rewrite(&mut self, term: TermId) -> Option<TermId> {
        if self.operands(term).is_empty() {
            return None;
        }
        rules().find_map(|rule| (rule.apply)(self, term).filter(|result| *result != term))
    }

    fn normal_form(&self, term: TermId) -> Option<TermId> {
        self.simplified.get(term.index()).copied().flatten()
    }

    fn set_normal_form(&mut self, term: TermId, normal: TermId) {
        if self.simplified.len() <= term.index() {
            self.simplified.resize(self.len().max(term.index() + 1), None);
        }
        self.simplified[term.index()] = Some(normal);
    }

    /// The rule that fires at the root of a term, if any; for tests and explanations.
    pub fn firing_rule(&mut self, term: TermId) -> Option<&'static str> {
        let fires = |rule: &&Rule, pool: &mut TermPool| {
            (rule.apply)(pool, term).is_some_and(|result| result != term)
        };
        rules().find(|rule| fires(rule, self)).map(|rule| rule.name)
    }
}
