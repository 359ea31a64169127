//! Proof by cases, without a solver.
//!
//! Two versions often differ only in the order in which they ask the same questions. Then it is
//! enough to answer the questions one way and the other and to simplify what is left. In the
//! case where an equation with a constant holds, its other side *is* the constant; so
//! the cases of a `switch` exclude each other without being told.
//!
//! A term that is only ever compared with constants has finitely many cases too: between two
//! neighbouring constants nothing changes, so one value of each stretch stands for all. And what
//! has few bits can simply be given all its values.
//!
//! What was answered stays known: a later question about the same words may be decided by it
//! ([`facts`]), and bits whose value is known are known wherever the word is cut up.
//!
//! Sound: the formula is false if it is false in both cases of some question, and replacing equals by equals
//! does not change it. A case is its facts and its formula together; it is closed when the facts contradict each
//! other or the formula is false. Addresses of two known objects are never equal unless one of them may have
//! no bytes ([`Space::are_apart`]).

mod equations;
mod facts;
mod value_sets;

use crate::space::Space;
use facts::{Facts, is_fact};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::{LogicError, Op, Sort, TermId};

/// A refutation takes no more than this: the cases of a large formula are themselves large, and solvers do better there.
const MOST_EFFORT: Effort = Effort::millis(150);

/// One case: what was answered, and what is left of the formula.
#[derive(Clone)]
struct Case {
    /// Literals that hold in this case.
    facts: Vec<TermId>,
    term: TermId,
    /// What symbols are that were replaced.
    bound: Vec<TermId>,
}

impl Space {
    /// Whether the formula is surely false. `cases` bounds how many cases are looked at; when they do
    /// not suffice, or the formula is so large that they would take long, the answer is "not surely".
    pub fn refute(&mut self, formula: TermId, cases: usize) -> Result<bool, LogicError> {
        let until = effort::spent() + MOST_EFFORT;
        Ok(self.cases(formula, cases, until, false)?.is_empty())
    }

    /// What is left of a formula in the cases in which it is not surely false, until that time: it can be true only if one of
    /// these can, or if `all` is not asked for, then the first that was found. In each case what is known to be equal is the
    /// same term, so that much may be plain that was not.
    pub fn left_open(
        &mut self,
        formula: TermId,
        cases: usize,
        until: Effort,
        all: bool,
    ) -> Result<Vec<TermId>, LogicError> {
        self.cases(formula, cases, until, all)
    }

    /// What is left in the cases that are not closed: all of them, or the first.
    fn cases(
        &mut self,
        formula: TermId,
        cases: usize,
        until: Effort,
        all: bool,
    ) -> Result<Vec<TermId>, LogicError> {
        let mut rest = vec![];
        let mut open = vec![Case { facts: Vec::new(), term: formula, bound: Vec::new() }];
        let mut left = cases;
        while let Some(mut case) = open.pop() {
            let Some(facts) = self.tidy_case(&mut case)? else { continue };
            if left == 0 || effort::has_passed(until) {
                rest.push(case.whole(self)?);
                if all {
                    continue;
                }
                return Ok(rest);
            }
            left -= 1;
            // A conjunction need only fail in one of its parts, a disjunction must in all.
            if self.pool.op(case.term) == Op::Or {
                for term in self.pool.operands(case.term) {
                    open.push(Case { term: *term, ..case.clone() });
                }
                continue;
            }
            if let Some(settled) = self.settle(&case, &facts)? {
                open.push(settled);
                continue;
            }
            // What says most first: all values of the only symbol, then stretches, then questions;
            // bits of a word only when nothing else is left, for they forget the word.
            let question = self.question(case.term);
            let split = self.only_symbol(&case).or_else(|| self.stretches(&case));
            if let Some((word, values)) = split {
                left = left.saturating_sub(values.len());
                let width = self.pool.sort(word).width().unwrap_or(1);
                for value in values {
                    // A value that stands for a stretch says nothing of other pieces of the word.
                    let value = self.pool.bits(width, value)?;
                    let map = [(word, value)].into_iter().collect();
                    open.push(case.substituted(self, &map)?);
                }
                continue;
            }
            if let Some(question) = question {
                open.push(self.answered(&case, question, false)?);
                if !self.is_never(question) {
                    open.push(self.answered(&case, question, true)?);
                }
                continue;
            }
            let Some((word, high, low)) = self.few_bits(&case) else {
                rest.push(case.whole(self)?);
                if all {
                    continue;
                }
                return Ok(rest);
            };
            let values = 1u128 << (high - low + 1);
            left = left.saturating_sub(values as usize);
            for value in 0..values {
                open.push(self.with_bits(&case, word, (high, low), value)?);
            }
        }
        Ok(rest)
    }

    /// Simplifies a case and moves what its formula says of words to its facts. `None` if it is closed.
    fn tidy_case(&mut self, case: &mut Case) -> Result<Option<Facts>, LogicError> {
        case.term = self.pool.simplify(case.term);
        let said = match self.pool.op(case.term) {
            Op::And => self.pool.operands(case.term).to_vec(),
            _ => vec![case.term],
        };
        let (facts, rest): (Vec<TermId>, Vec<TermId>) =
            said.into_iter().partition(|t| is_fact(self, *t) && self.question(*t).is_none());
        for fact in &facts {
            if self.is_never(*fact) {
                return Ok(None);
            }
        }
        case.facts.extend(facts);
        case.term = self.pool.and(&rest)?;
        if case.term == self.pool.falsity() {
            return Ok(None);
        }
        let mut facts: Vec<TermId> = Vec::new();
        for fact in &case.facts {
            let fact = self.pool.simplify(*fact);
            if fact == self.pool.falsity() || self.is_never(fact) {
                return Ok(None);
            }
            match self.pool.op(fact) {
                Op::And => facts.extend_from_slice(self.pool.operands(fact)),
                _ => facts.push(fact),
            }
        }
        facts.retain(|fact| is_fact(self, *fact));
        facts.sort_unstable();
        facts.dedup();
        case.facts = facts;
        Ok(Facts::of(self, &case.facts))
    }

    /// The case with everything in it that its facts decide, if they decide anything.
    fn settle(&mut self, case: &Case, facts: &Facts) -> Result<Option<Case>, LogicError> {
        if let Some((word, value)) = facts.single() {
            return Ok(Some(self.with_value(case, word, value)?));
        }
        if let Some((a, b)) = facts.equal() {
            let solved = self.solved(a, b).or_else(|| self.solved(b, a));
            let isolated = match solved {
                None => self.isolated(a, b)?,
                solved => solved,
            };
            let (from, to) = match isolated {
                Some(solved) => solved,
                None if self.pool.op(a).is_constant() => (b, a),
                None => (a, b),
            };
            return Ok(Some(case.substituted(self, &[(from, to)].into_iter().collect())?));
        }
        let mut decided = BTreeMap::new();
        for atom in self.pool.sub_terms(&[case.term]) {
            if is_fact(self, atom)
                && let Some(value) = facts.decide(self, atom)
            {
                decided.insert(atom, self.pool.boolean(value));
            }
        }
        if decided.is_empty() {
            return self.unwrapped(case, facts);
        }
        let term = self.pool.substitute(case.term, &decided.into_iter().collect())?;
        Ok(Some(Case { term, ..case.clone() }))
    }

    /// The case with sums extended where it is known whether they wrap: `zext(x - k)` is `zext(x) - k` unless `x < k`, and
    /// then it is that plus a power of two.
    fn unwrapped(&mut self, case: &Case, facts: &Facts) -> Result<Option<Case>, LogicError> {
        let mut map = BTreeMap::new();
        for term in self.pool.sub_terms(&[case.term]) {
            let (Op::ZeroExtend(more), [sum]) = (self.pool.op(term), self.pool.operands(term))
            else {
                continue;
            };
            let (Some((x, c)), Some(width)) = (self.moved(*sum), self.pool.sort(*sum).width())
            else {
                continue;
            };
            if width > 64 || width + more > 128 || c == 0 {
                continue;
            }
            let k = (c as u128).wrapping_neg() & (u128::MAX >> (128 - width));
            let bound = self.pool.bits(width, k)?;
            let below = self.pool.bv_ult(x, bound)?;
            let below = self.pool.simplify(below);
            let Some(is_below) = facts.decide(self, below) else { continue };
            let wide = self.pool.zero_extend(more, x)?;
            let by = if is_below { u128::from(c) } else { k.wrapping_neg() };
            let by = by & (u128::MAX >> (128 - width - more));
            let by = self.pool.bits(width + more, by)?;
            map.insert(term, self.pool.bv_add(wide, by)?);
        }
        if map.is_empty() {
            return Ok(None);
        }
        Ok(Some(case.substituted(self, &map)?))
    }

    /// The case in which a question is answered.
    fn answered(&mut self, case: &Case, question: TermId, yes: bool) -> Result<Case, LogicError> {
        let answer = self.pool.boolean(yes);
        let mut case = case.substituted(self, &[(question, answer)].into_iter().collect())?;
        if is_fact(self, question) {
            let fact = if yes { question } else { self.pool.not(question)? };
            case.facts.push(fact);
        }
        if let (Op::BvSlt, [word, zero]) = (self.pool.op(question), self.pool.operands(question))
            && self.constant(*zero) == Some(0)
        {
            // The sign is a bit.
            let word = *word;
            let sign = self.pool.sort(word).width().unwrap_or(1) - 1;
            return self.with_bits(&case, word, (sign, sign), yes.into());
        }
        let Some((from, to)) = self.equation(question) else { return Ok(case) };
        match (self.constant(to), self.pool.sort(from)) {
            (Some(value), Sort::BitVec(_)) if yes => self.with_value(&case, from, value.into()),
            (Some(value), Sort::BitVec(1)) => self.with_value(&case, from, u128::from(value ^ 1)),
            _ if yes => case.substituted(self, &[(from, to)].into_iter().collect()),
            _ => Ok(case),
        }
    }

    /// The case in which a word has this value.
    fn with_value(&mut self, case: &Case, word: TermId, value: u128) -> Result<Case, LogicError> {
        if let (Op::Extract { high, low }, [whole]) = (self.pool.op(word), self.pool.operands(word))
        {
            return self.with_bits(case, *whole, (high, low), value);
        }
        let width = self.pool.sort(word).width().unwrap_or(1);
        let value = self.pool.bits(width, value)?;
        case.substituted(self, &[(word, value)].into_iter().collect())
    }

    /// The case in which some bits of a word have this value: every piece of the word that has
    /// some of them is put together from what is known and what is not.
    fn with_bits(
        &mut self,
        case: &Case,
        word: TermId,
        (high, low): (u32, u32),
        value: u128,
    ) -> Result<Case, LogicError> {
        let mut pieces = Vec::new();
        for term in self.pool.sub_terms(&case.roots()) {
            if let Op::Extract { high: top, low: bottom } = self.pool.op(term)
                && self.pool.operands(term) == [word]
                && bottom <= high
                && low <= top
            {
                pieces.push((term, top, bottom));
            }
        }
        let mut map = BTreeMap::new();
        for (piece, top, bottom) in pieces {
            let (last, first) = (top.min(high), bottom.max(low));
            let width = last - first + 1;
            let known = value >> (first - low) & ((1 << width) - 1);
            let mut term = self.pool.bits(width, known)?;
            if top > last {
                let above = self.pool.extract(top, last + 1, word)?;
                term = self.pool.concat(above, term)?;
            }
            if bottom < first {
                let below = self.pool.extract(first - 1, bottom, word)?;
                term = self.pool.concat(term, below)?;
            }
            map.insert(piece, term);
        }
        case.substituted(self, &map)
    }

    /// A term that occurs only in comparisons with constants, itself or moved by a constant, and a
    /// value from each stretch between them. Where such a comparison changes as the term grows: at
    /// the constant, behind it, and (for signed ones) in the middle; each stretch begins at zero or at one of these.
    fn stretches(&self, case: &Case) -> Option<(TermId, Vec<u128>)> {
        const MOST: usize = 40;
        let mut uses: BTreeMap<TermId, Vec<TermId>> = BTreeMap::new();
        for t in self.pool.sub_terms(&case.roots()) {
            for operand in self.pool.operands(t) {
                uses.entry(*operand).or_default().push(t);
            }
        }
        let terms = self.pool.sub_terms(&case.open(self));
        let candidates = terms.iter().filter_map(|t| {
            let width = self.pool.sort(*t).width().filter(|w| *w <= 64)?;
            // Only what is not computed from other terms: splitting a computed one forgets them.
            if !matches!(
                self.pool.op(*t),
                Op::Symbol(_) | Op::Select | Op::Apply(_) | Op::Extract { .. }
            ) {
                return None;
            }
            let mut starts = BTreeSet::from([0]);
            self.borders(*t, 0, width, &uses, &mut starts)?;
            (starts.len() > 1 && starts.len() <= MOST).then_some((*t, starts))
        });
        let (term, starts) = candidates.min_by_key(|(_, starts)| starts.len())?;
        Some((term, starts.into_iter().collect()))
    }

    /// `x` and `k` of `x + k`.
    fn moved(&self, term: TermId) -> Option<(TermId, u64)> {
        if self.pool.op(term) != Op::BvAdd {
            return None;
        }
        match *self.pool.operands(term) {
            [a, b] => match (self.constant(a), self.constant(b)) {
                (Some(k), None) => Some((b, k)),
                (None, Some(k)) => Some((a, k)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Collects where the answers about `term`, which is the candidate plus `by`, change as the
    /// candidate grows; `None` if it is used otherwise.
    fn borders(
        &self,
        term: TermId,
        by: u64,
        width: u32,
        uses: &BTreeMap<TermId, Vec<TermId>>,
        starts: &mut BTreeSet<u128>,
    ) -> Option<()> {
        let mask = u128::MAX >> (128 - width);
        for user in uses.get(&term).into_iter().flatten() {
            if by == 0
                && let Some((_, k)) = self.moved(*user)
            {
                self.borders(*user, k, width, uses, starts)?;
                continue;
            }
            if !matches!(self.pool.op(*user), Op::Eq | Op::BvUlt | Op::BvSlt) {
                return None;
            }
            let operands = self.pool.operands(*user);
            let other = if operands[0] == term { operands[1] } else { operands[0] };
            let constant = u128::from(self.constant(other)?);
            for border in [0, 1 << (width - 1), constant, constant + 1] {
                starts.insert(border.wrapping_sub(by.into()) & mask);
            }
        }
        Some(())
    }

    /// The bits of a word that the formula looks at, if they are few and lie close together: word, highest and lowest.
    fn few_bits(&self, case: &Case) -> Option<(TermId, u32, u32)> {
        const FEW: u32 = 6;
        let mut words: BTreeMap<TermId, (u32, u32)> = BTreeMap::new();
        for term in self.pool.sub_terms(&case.open(self)) {
            if let Op::Extract { high, low } = self.pool.op(term)
                && high - low < FEW
            {
                let seen = words.entry(self.pool.operands(term)[0]).or_insert((high, low));
                // The first few bits, and whatever overlaps or lies beside them.
                let both = (seen.0.max(high), seen.1.min(low));
                if both.0 - both.1 < FEW {
                    *seen = both;
                }
            }
        }
        let least = words.into_iter().min_by_key(|(_, (high, low))| high - low);
        least.map(|(word, (high, low))| (word, high, low))
    }

    /// The only symbol of a formula, if it has few values.
    fn only_symbol(&self, case: &Case) -> Option<(TermId, Vec<u128>)> {
        let names = self.pool.free_names(&case.roots());
        let [symbol] = names.symbols[..] else { return None };
        let symbol = self.pool.symbol_term(symbol);
        let width = self.pool.sort(symbol).width().filter(|w| *w <= 8)?;
        Some((symbol, (0..1u128 << width).collect()))
    }

    /// The first question the formula asks: a truth value that is neither built from others
    /// nor the whole formula.
    fn question(&self, term: TermId) -> Option<TermId> {
        let whole = match self.pool.op(term) {
            Op::Not => self.pool.operands(term)[0],
            _ => term,
        };
        let asked = |t: &TermId| {
            *t != whole
                && self.pool.sort(*t) == Sort::Bool
                && !matches!(
                    self.pool.op(*t),
                    Op::True | Op::False | Op::Not | Op::And | Op::Or | Op::Ite
                )
                && !(self.pool.op(*t) == Op::Eq
                    && self.pool.sort(self.pool.operands(*t)[0]) == Sort::Bool)
        };
        let questions: Vec<TermId> =
            self.pool.sub_terms(&[term]).into_iter().filter(asked).collect();
        // One whose answer replaces a term first: it settles the most.
        let settles = |q: &&TermId| self.equation(**q).is_some();
        questions.iter().find(settles).or(questions.first()).copied()
    }

    /// Whether an equation surely fails: two known objects that cannot have one address ([`Space::are_apart`]), or bits
    /// that are set on one side (`x | 1`) and not on the other.
    fn is_never(&self, question: TermId) -> bool {
        if self.pool.op(question) != Op::Eq {
            return false;
        }
        let operands = self.pool.operands(question);
        if let (Some(a), Some(b)) = (self.by_base.get(&operands[0]), self.by_base.get(&operands[1]))
        {
            return self.are_apart(*a, *b);
        }
        let set_bits = |t: TermId| match self.pool.op(t) {
            Op::BvOr => {
                self.pool.operands(t).iter().filter_map(|o| self.constant(*o)).fold(0, |a, b| a | b)
            }
            _ => 0,
        };
        [(0, 1), (1, 0)].into_iter().any(|(a, b)| match self.constant(operands[b]) {
            Some(constant) => set_bits(operands[a]) & !constant != 0,
            None => false,
        })
    }
}

impl Case {
    /// All that it says, in one, and what the symbols are that it does not speak of any more.
    fn whole(&self, space: &mut Space) -> Result<TermId, LogicError> {
        let mut all = self.roots();
        all.extend(&self.bound);
        space.and(&all)
    }

    /// Everything the case says.
    fn roots(&self) -> Vec<TermId> {
        let mut roots = self.facts.clone();
        roots.push(self.term);
        roots
    }

    /// What is to be refuted: the formula, or the facts when nothing else is left.
    fn open(&self, space: &Space) -> Vec<TermId> {
        if self.term == space.pool.truth() { self.facts.clone() } else { vec![self.term] }
    }

    /// The case with equals replaced by equals.
    fn substituted(
        &self,
        space: &mut Space,
        map: &BTreeMap<TermId, TermId>,
    ) -> Result<Case, LogicError> {
        let mut bound = self.bound.clone();
        for (from, to) in map {
            if matches!(space.pool.op(*from), Op::Symbol(_)) {
                bound.push(space.pool.eq(*from, *to)?);
            }
        }
        let map = map.iter().map(|(from, to)| (*from, *to)).collect();
        let mut facts = space.pool.substitute_all(&self.roots(), &map)?;
        let term = facts.pop().unwrap_or(self.term);
        Ok(Case { facts, term, bound })
    }
}

#[cfg(test)]
mod tests;
