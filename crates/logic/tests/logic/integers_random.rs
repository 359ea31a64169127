//! Random attacks on the translation into integers: whatever holds under an assignment must not be refuted.
//!
//! Widths are from 1 to 5, so that nearly everything wraps. Conditionals say of words how large they are, and have sums,
//! quotients, stores and calls inside that mean something else where the condition does not hold. What holds is asserted
//! in all forms that the search takes apart. In most cases all symbols are pinned to their values by a choice between
//! two ways to say so: nothing is concluded from a choice before it is split, but then only one model is left, so
//! anything wrong that is said of another branch excludes it. `VERDIFF_SEED` is the first of the seeds.

use crate::support::Random;
use verdiff_logic::effort::Effort;
use verdiff_logic::integers::refute;
use verdiff_logic::{
    ArrayValue, Assignment, Bits, Evaluator, FunctionValue, Op, Sort, TermId, TermPool, Value,
};

const WORTH: Effort = Effort::millis(200);

/// Terms in the making.
struct Made {
    pool: TermPool,
    random: Random,
    terms: Vec<TermId>,
    /// The usual width.
    width: u32,
}

impl Made {
    fn new(seed: u64) -> Made {
        let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let mut made = Made { pool: TermPool::new(), random, terms: vec![], width: 1 };
        for _ in 0..3 {
            made.random.next();
        }
        made.width = 1 + made.random.below(5) as u32;
        let word = Sort::BitVec(made.width);
        // Names that are like those of the translation.
        for name in ["v1", "f0", "S0"] {
            let term = made.pool.symbol(name, word).expect("new");
            made.terms.push(term);
        }
        let wide = Sort::BitVec(made.width + 2);
        made.terms.push(made.pool.symbol("v0", wide).expect("new"));
        made.terms.push(made.pool.symbol("b0", Sort::Bool).expect("new"));
        let words = made.pool.array_sort(word, word).expect("a sort");
        let truths = made.pool.array_sort(word, Sort::Bool).expect("a sort");
        let rows = made.pool.array_sort(Sort::BitVec(2), words).expect("a sort");
        for (name, sort) in [("m", words), ("n", words), ("t", truths), ("r", rows)] {
            if made.random.below(2) == 0 {
                made.terms.push(made.pool.symbol(name, sort).expect("new"));
            }
        }
        made
    }

    /// A term of some sort; later ones are likelier.
    fn any(&mut self, sort: Sort) -> Option<TermId> {
        let fits: Vec<TermId> =
            self.terms.iter().copied().filter(|t| self.pool.sort(*t) == sort).collect();
        let count = fits.len() as u64;
        if count == 0 {
            return None;
        }
        let (a, b) = (self.random.below(count), self.random.below(count));
        Some(fits[a.max(b) as usize])
    }

    /// Bits of a width: such a term, a constant, or another term made wider or narrower.
    fn bits(&mut self, width: u32) -> TermId {
        let from = |made: &mut Made| -> Option<TermId> {
            let other = [made.width, made.width + 2][made.random.below(2) as usize];
            let term = made.any(Sort::BitVec(other))?;
            let pool = &mut made.pool;
            let choice = made.random.below(3);
            let built = match other.cmp(&width) {
                std::cmp::Ordering::Equal => return Some(term),
                std::cmp::Ordering::Less if choice == 0 => pool.zero_extend(width - other, term),
                std::cmp::Ordering::Less if choice == 1 => pool.sign_extend(width - other, term),
                std::cmp::Ordering::Less => {
                    let high = pool.extract(width - other - 1, 0, term);
                    match width - other <= other {
                        true => pool.concat(high.expect("in range"), term),
                        false => pool.zero_extend(width - other, term),
                    }
                }
                std::cmp::Ordering::Greater => {
                    let low = made.random.below(u64::from(other - width) + 1) as u32;
                    pool.extract(low + width - 1, low, term)
                }
            };
            Some(built.expect("sorts fit"))
        };
        let choice = self.random.below(8);
        if choice == 0 {
            return self.constant(width);
        }
        let found = if choice < 3 { from(self) } else { self.any(Sort::BitVec(width)) };
        match found {
            Some(found) => found,
            None => self.constant(width),
        }
    }

    fn constant(&mut self, width: u32) -> TermId {
        let number = match self.random.below(3) {
            0 => self.random.below(4) as i128,
            1 => -(self.random.below(3) as i128),
            _ => i128::from(self.random.next() as i64),
        };
        let bits = Bits::from_signed(width, number);
        self.pool.constant_bits(&bits)
    }

    fn truth(&mut self) -> TermId {
        self.any(Sort::Bool).expect("there is one")
    }

    fn grow(&mut self) {
        let width = [self.width, self.width, self.width + 2][self.random.below(3) as usize];
        let built = match self.random.below(13) {
            0..5 => self.word(width),
            5 | 6 => self.compared(width),
            7 => self.combined(),
            8 | 9 => self.array(),
            _ => self.guarded(width),
        };
        if let Some(built) = built {
            self.terms.push(built);
        }
    }

    fn word(&mut self, width: u32) -> Option<TermId> {
        let (a, b) = (self.bits(width), self.bits(width));
        let constant = self.constant(width);
        let truth = self.truth();
        let by = if self.random.below(2) == 0 { constant } else { b };
        let choice = self.random.below(24);
        let word = Sort::BitVec(self.width);
        let array = match choice {
            20..22 => {
                let sort = self.pool.array_sort(word, word).expect("a sort");
                self.any(sort)
            }
            _ => None,
        };
        let pool = &mut self.pool;
        let built = match choice {
            0 | 1 => pool.bv_add(a, b),
            2 => pool.bv_sub(a, b),
            3 | 4 => pool.bv_mul(a, b),
            5 => pool.bv_not(a),
            6 => pool.bv_and(a, b),
            7 => pool.bv_or(a, b),
            8 => pool.bv_xor(a, b),
            9 => pool.bv_udiv(a, by),
            10 => pool.bv_urem(a, by),
            11 => pool.bv_sdiv(a, by),
            12 => pool.bv_srem(a, by),
            13 => pool.bv_shl(a, by),
            14 => pool.bv_lshr(a, by),
            15 => pool.bv_ashr(a, by),
            16..19 => pool.ite(truth, a, b),
            19 => {
                let sort = Sort::BitVec(width);
                let function = pool.function(&format!("f{width}"), &[sort, sort], sort);
                pool.call(function.expect("one signature"), &[a, b])
            }
            20..22 => {
                let index = self.bits(self.width);
                self.pool.select(array?, index)
            }
            _ => pool.bv_add(a, constant),
        };
        Some(built.expect("sorts fit"))
    }

    /// A conditional whose condition says of two words that they are small, not negative or not zero, and something
    /// computed from these words in one of its branches, where it does not wrap or is no division by zero. Sometimes
    /// the same is computed elsewhere, too.
    fn guarded(&mut self, width: u32) -> Option<TermId> {
        let symbols = ["v1", "f0", "S0"].map(|name| {
            let symbol = self.pool.find_symbol(name).expect("made at first");
            self.pool.symbol_term(symbol)
        });
        let word = |made: &mut Made| match made.random.below(3) {
            0 => made.bits(width),
            _ if width == made.width => made.random.pick(&symbols),
            _ => {
                let symbol = made.random.pick(&symbols);
                let more = width - made.width;
                match made.random.below(2) {
                    0 => made.pool.zero_extend(more, symbol).expect("fits"),
                    _ => made.pool.sign_extend(more, symbol).expect("fits"),
                }
            }
        };
        let words = [word(self), word(self)];
        Some(self.conditional(words, width, 2))
    }

    fn conditional(&mut self, words: [TermId; 2], width: u32, depth: u32) -> TermId {
        let condition = self.limits(words, width);
        let (computed, other) =
            (self.computed(words, width, depth), self.computed(words, width, 0));
        if self.random.below(5) == 0 {
            self.terms.push(computed);
        }
        let branches = match self.random.below(3) {
            0 => [other, computed],
            _ => [computed, other],
        };
        self.pool.ite(condition, branches[0], branches[1]).expect("sorts fit")
    }

    fn limits(&mut self, words: [TermId; 2], width: u32) -> TermId {
        let limited = match self.random.below(4) {
            0 => vec![words[0]],
            1 => vec![words[1]],
            _ => words.to_vec(),
        };
        let kind = self.random.below(5);
        let mut conditions = vec![];
        for word in limited {
            let small = 1 + self.random.below(1 << (width - 1));
            let small = self.pool.bits(width, small.into()).expect("fits");
            let zero = self.pool.bits(width, 0).expect("fits");
            let pool = &mut self.pool;
            let said = match kind {
                0..2 => pool.bv_ult(word, small),
                2 => pool.bv_sle(zero, word),
                3 => pool.ne(word, zero),
                _ => pool.bv_ult(small, word),
            };
            conditions.push(said.expect("sorts fit"));
        }
        self.pool.and(&conditions).expect("truth values")
    }

    /// Something computed from two words; what is deeper needs exact values of what is less deep.
    fn computed(&mut self, words: [TermId; 2], width: u32, depth: u32) -> TermId {
        let [a, b] = match self.random.below(4) {
            0 if depth > 0 => [self.computed(words, width, depth - 1), self.random.pick(&words)],
            _ => words,
        };
        let pool = &mut self.pool;
        let built = match self.random.below(12) {
            0..4 => pool.bv_add(a, b),
            4 => pool.bv_sub(a, b),
            5 => pool.bv_mul(a, b),
            6 => pool.bv_udiv(a, b),
            7 => pool.bv_urem(a, b),
            8 => pool.bv_sdiv(a, b),
            9 => pool.bv_srem(a, b),
            _ => Ok(a),
        };
        let computed = built.expect("sorts fit");
        if depth == 0 {
            return computed;
        }
        let more = 1 + self.random.below(2) as u32;
        let constant = self.constant(width);
        let other = self.bits(width);
        let word = Sort::BitVec(width);
        let pool = &mut self.pool;
        let further = match self.random.below(13) {
            0 => pool.bv_udiv(computed, constant),
            1 => pool.bv_srem(computed, constant),
            2 => {
                let wide = pool.zero_extend(more, computed).expect("fits");
                pool.extract(width + more - 1, more, wide)
            }
            3 => {
                let wide = pool.sign_extend(more, computed).expect("fits");
                pool.extract(width + more - 1, more, wide)
            }
            4 => {
                let function = pool.function(&format!("f{width}"), &[word, word], word);
                pool.call(function.expect("one signature"), &[computed, b])
            }
            5 => {
                let less = pool.bv_ult(computed, constant).expect("fits");
                pool.ite(less, computed, other)
            }
            6 => {
                let less = pool.bv_slt(constant, computed).expect("fits");
                pool.ite(less, other, computed)
            }
            7 => pool.bv_and(computed, other),
            8 => pool.bv_or(computed, other),
            9 | 10 => return self.conditional(words, width, depth - 1),
            11 if width == self.width => {
                let sort = self.pool.array_sort(word, word).expect("a sort");
                let (at, there) = (self.bits(width), self.bits(width));
                let Some(array) = self.any(sort) else { return computed };
                let (index, stored) = match self.random.below(3) {
                    0 => (computed, other),
                    _ => (at, computed),
                };
                let array = self.pool.store(array, index, stored).expect("sorts fit");
                self.pool.select(array, there)
            }
            _ => Ok(computed),
        };
        further.expect("sorts fit")
    }

    fn compared(&mut self, width: u32) -> Option<TermId> {
        let (a, b) = (self.bits(width), self.bits(width));
        let constant = self.constant(width);
        let by = if self.random.below(3) == 0 { constant } else { b };
        let sort = Sort::BitVec(width);
        let built = match self.random.below(8) {
            0..2 => self.pool.bv_ult(a, by),
            2 => self.pool.bv_ult(by, a),
            3 => self.pool.bv_slt(a, by),
            4 => self.pool.bv_slt(by, a),
            5 | 6 => self.pool.eq(a, by),
            _ => {
                let function = self.pool.function(&format!("b{width}"), &[sort], Sort::Bool);
                self.pool.call(function.expect("one signature"), &[a])
            }
        };
        Some(built.expect("sorts fit"))
    }

    fn combined(&mut self) -> Option<TermId> {
        let (a, b, c) = (self.truth(), self.truth(), self.truth());
        let built = match self.random.below(6) {
            0 => self.pool.and(&[a, b, c]),
            1 => self.pool.or(&[a, b, c]),
            2 => self.pool.not(a),
            3 => self.pool.ite(a, b, c),
            4 => self.pool.eq(a, b),
            _ => {
                let word = Sort::BitVec(self.width);
                let sort = self.pool.array_sort(word, Sort::Bool).expect("a sort");
                let (array, index) = (self.any(sort)?, self.bits(self.width));
                self.pool.select(array, index)
            }
        };
        Some(built.expect("sorts fit"))
    }

    fn array(&mut self) -> Option<TermId> {
        let arrays: Vec<TermId> =
            self.terms.iter().copied().filter(|t| self.is_array(*t)).collect();
        if arrays.is_empty() {
            return None;
        }
        let array = arrays[self.random.below(arrays.len() as u64) as usize];
        let sort = self.pool.sort(array);
        let Sort::Array(parts) = sort else { return None };
        let (index, element) = self.pool.array_parts(parts);
        let at = self.bits(index.width()?);
        let value = match element {
            Sort::BitVec(width) => self.bits(width),
            sort => self.any(sort)?,
        };
        let other = self.any(sort)?;
        let truth = self.truth();
        let built = match self.random.below(10) {
            0..4 => self.pool.store(array, at, value),
            4 | 5 => self.pool.select(array, at),
            6 | 7 => self.pool.ite(truth, array, other),
            8 => self.pool.eq(array, other),
            _ => self.pool.const_array(sort, value),
        };
        Some(built.expect("sorts fit"))
    }

    fn is_array(&self, term: TermId) -> bool {
        matches!(self.pool.sort(term), Sort::Array(_))
    }

    /// Random values of all that is free.
    fn assignment(&mut self) -> Assignment {
        let names = self.pool.free_names(&self.terms);
        let mut assignment = Assignment::new();
        for symbol in names.symbols {
            let value = self.value(self.pool.sort(self.pool.symbol_term(symbol)));
            assignment.set(&self.pool, symbol, value).expect("sorts fit");
        }
        for function in names.functions {
            let signature = self.pool.signature(function).clone();
            let mut meaning = FunctionValue::constant(self.value(signature.result));
            for _ in 0..6 {
                let arguments = signature.parameters.iter().map(|s| self.value(*s)).collect();
                meaning.set(arguments, self.value(signature.result));
            }
            assignment.set_function(&self.pool, function, meaning).expect("sorts fit");
        }
        assignment
    }

    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.random.below(2) == 0),
            Sort::BitVec(width) => {
                Value::Bits(Bits::from_signed(width, i128::from(self.random.next() as i64)))
            }
            Sort::Array(array) => {
                let (index, element) = self.pool.array_parts(array);
                let mut value = ArrayValue::constant(array, self.value(element));
                for _ in 0..3 {
                    value = value.store(self.value(index), self.value(element));
                }
                Value::Array(value)
            }
            other => self.pool.default_value(other),
        }
    }

    fn not(&mut self, term: TermId) -> TermId {
        self.pool.not(term).expect("a truth value")
    }

    /// The term or its negation, whichever holds.
    fn holding(&mut self, of: &mut Evaluator<'_>, term: TermId) -> Option<TermId> {
        match of.holds(&self.pool, term).ok()? {
            true => Some(term),
            false => Some(self.not(term)),
        }
    }

    /// That a term has its value, or something that follows from it.
    fn about(&mut self, of: &mut Evaluator<'_>, term: TermId) -> Option<TermId> {
        let Value::Bits(bits) = of.eval(&self.pool, term).ok()? else { return None };
        let value = self.pool.constant_bits(&bits);
        let width = bits.width();
        let other = self.constant(width);
        let literal = match self.random.below(4) {
            0 => self.pool.bv_ule(term, value).expect("fits"),
            1 => self.pool.bv_ule(value, term).expect("fits"),
            2 => self.pool.eq(term, other).expect("fits"),
            _ => self.pool.eq(term, value).expect("fits"),
        };
        self.holding(of, literal)
    }

    /// What holds, among wrong alternatives, or as the negation of a conjunction.
    fn choice(&mut self, of: &mut Evaluator<'_>, literals: &[TermId]) -> Option<TermId> {
        let mut right = literals.to_vec();
        let mut alternatives = vec![];
        for _ in 0..1 + self.random.below(2) {
            let (a, b) = (self.truth(), self.truth());
            let (a, b) = (self.holding(of, a)?, self.holding(of, b)?);
            let falsity = self.not(a);
            let wrong = [&literals[..literals.len() - 1], &[falsity, b]].concat();
            alternatives.push(self.pool.and(&wrong).expect("truth values"));
            right.push(b);
        }
        alternatives.push(self.pool.and(&right).expect("truth values"));
        if self.random.below(3) == 0 {
            let negations: Vec<TermId> = alternatives.iter().map(|a| self.not(*a)).collect();
            let none = self.pool.and(&negations).expect("truth values");
            return Some(self.not(none));
        }
        Some(self.pool.or(&alternatives).expect("truth values"))
    }

    /// That all symbols, and all that is read or given by functions, have their values: a choice between two ways to
    /// say so.
    fn pinned(&mut self, of: &mut Evaluator<'_>, all: &[TermId]) -> Option<TermId> {
        let (mut ways, mut other) = (vec![], vec![]);
        for term in self.pool.sub_terms(all) {
            let op = self.pool.op(term);
            if !matches!(op, Op::Symbol(_) | Op::Select | Op::Apply(_)) {
                continue;
            }
            let Ok(Value::Bits(bits)) = of.eval(&self.pool, term) else { continue };
            let value = self.pool.constant_bits(&bits);
            ways.push(self.pool.eq(term, value).expect("sorts fit"));
            let at_most = self.pool.bv_ule(term, value).expect("sorts fit");
            let at_least = self.pool.bv_ule(value, term).expect("sorts fit");
            other.extend([at_most, at_least]);
        }
        let (ways, other) = (self.pool.and(&ways).ok()?, self.pool.and(&other).ok()?);
        Some(self.pool.or(&[ways, other]).expect("truth values"))
    }

    /// Assertions that all hold under one assignment.
    fn assertions(&mut self) -> Vec<TermId> {
        for _ in 0..14 + self.random.below(22) {
            self.grow();
        }
        let assignment = self.assignment();
        let mut of = Evaluator::new(&assignment);
        let mut all = vec![];
        let terms = self.terms.clone();
        let words: Vec<TermId> =
            terms.iter().copied().filter(|t| self.pool.sort(*t).width().is_some()).collect();
        for _ in 0..3 + self.random.below(5) {
            let (truth, word) = (self.truth(), self.random.pick(&words));
            let said = match self.random.below(3) {
                0 => self.holding(&mut of, truth),
                _ => self.about(&mut of, word),
            };
            all.extend(said);
        }
        if all.len() > 2 && self.random.below(4) == 0 {
            let hidden = all.split_off(all.len() - 2);
            all.extend(self.choice(&mut of, &hidden));
        }
        if self.random.below(4) > 0 {
            let pinned = self.pinned(&mut of, &all);
            all.extend(pinned);
        }
        for term in &all {
            assert_eq!(of.holds(&self.pool, *term).ok(), Some(true));
        }
        all
    }
}

/// What is left of assertions that are refuted together if all are left out that need not be there.
fn smallest(pool: &TermPool, mut assertions: Vec<TermId>) -> Vec<String> {
    let mut at = 0;
    while at < assertions.len() {
        let mut less = assertions.clone();
        less.remove(at);
        match refute(pool, &less, Effort::seconds(2)).is_some() {
            true => assertions = less,
            false => at += 1,
        }
    }
    assertions.iter().map(|term| pool.display(*term).to_string()).collect()
}

#[test]
fn no_nested_terms_with_a_model_are_refuted() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let cases = number("VERDIFF_CASES").unwrap_or(30) * 5;
    let first = number("VERDIFF_SEED").unwrap_or(0);
    for seed in first..first + cases {
        let mut made = Made::new(seed);
        let assertions = made.assertions();
        if refute(&made.pool, &assertions, WORTH).is_some() {
            panic!("seed {seed} has a model: {:#?}", smallest(&made.pool, assertions));
        }
    }
}
