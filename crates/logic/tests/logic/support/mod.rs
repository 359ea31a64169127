//! Random terms and assignments for the property tests.
#![allow(dead_code)]

use verdiff_logic::{
    ArrayValue, Assignment, Bits, FloatFormat, FloatValue, FunctionValue, Op, Rounding, Sort,
    TermId, TermPool, Value,
};

/// A small generator, so that a seed is all that a failure needs to be repeated.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545F4914F6CDD1D)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        (self.next() >> 11) % limit
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

/// A float format small enough for solvers.
pub fn tiny() -> FloatFormat {
    FloatFormat::new(3, 4).expect("is a format")
}

/// Makes random terms, favouring those that rules look at.
pub struct Maker {
    pub random: Random,
    pub widths: Vec<u32>,
    pub floats: bool,
    pub hard: bool,
    pools: Vec<TermId>,
}

impl Maker {
    pub fn new(seed: u64, widths: &[u32]) -> Maker {
        let random = Random(seed.wrapping_mul(2).wrapping_add(0x9E3779B97F4A7C15) | 1);
        Maker { random, widths: widths.to_vec(), floats: true, hard: true, pools: Vec::new() }
    }

    /// A truth-valued term over about `size` operators.
    pub fn formula(&mut self, pool: &mut TermPool, size: usize) -> TermId {
        self.pools.clear();
        self.leaves(pool);
        for _ in 0..size {
            if let Some(term) = self.grow(pool) {
                self.pools.push(term);
            }
        }
        let mut last: Vec<TermId> = Vec::new();
        for term in self.pools.iter().rev() {
            if pool.sort(*term) == Sort::Bool && last.len() < 3 {
                last.push(*term);
            }
        }
        pool.and(&last).expect("truth values")
    }

    /// All terms of the last formula.
    pub fn terms(&self) -> &[TermId] {
        &self.pools
    }

    fn leaves(&mut self, pool: &mut TermPool) {
        for name in ["p", "q"] {
            self.pools.push(pool.symbol(name, Sort::Bool).expect("new"));
        }
        for width in self.widths.clone() {
            let sort = Sort::BitVec(width);
            for name in ["x", "y", "z"] {
                self.pools.push(pool.symbol(&format!("{name}{width}"), sort).expect("new"));
            }
            let function = pool.function(&format!("f{width}"), &[sort, sort], sort).expect("new");
            let x = self.pools[self.pools.len() - 1];
            let y = self.pools[self.pools.len() - 2];
            self.pools.push(pool.call(function, &[x, y]).expect("fits"));
            let constant = self.random.next();
            let small = self.random.below(5);
            self.pools.push(pool.bits(width, constant.into()).expect("fits"));
            self.pools.push(pool.bits(width, small.into()).expect("fits"));
        }
        let width = self.widths[0];
        let array = pool.array_sort(Sort::BitVec(width), Sort::BitVec(width)).expect("a sort");
        self.pools.push(pool.symbol("a", array).expect("new"));
        if self.floats {
            for name in ["f", "g"] {
                self.pools.push(pool.symbol(name, Sort::Float(tiny())).expect("new"));
            }
            let bits = Bits::new(7, self.random.next().into());
            let value = FloatValue::from_bits(tiny(), bits).expect("seven bits");
            self.pools.push(pool.constant_float(&value));
        }
    }

    fn any(&mut self, pool: &TermPool, wanted: impl Fn(Sort) -> bool) -> Option<TermId> {
        // Later terms are larger: prefer them.
        for _ in 0..20 {
            let a = self.random.below(self.pools.len() as u64) as usize;
            let b = self.random.below(self.pools.len() as u64) as usize;
            let term = self.pools[a.max(b)];
            if wanted(pool.sort(term)) {
                return Some(term);
            }
        }
        None
    }

    fn grow(&mut self, pool: &mut TermPool) -> Option<TermId> {
        let bits = |sort: Sort| sort.width().is_some();
        let a = self.any(pool, |_| true)?;
        let same = pool.sort(a);
        let b = self.any(pool, |sort| sort == same)?;
        let c = self.any(pool, |sort| sort == Sort::Bool)?;
        let mode = self.random.pick(&Rounding::ALL);
        let built = match (self.random.below(10), same) {
            (0, _) => pool.eq(a, b),
            (1, _) => pool.ite(c, a, b),
            (_, Sort::Bool) => match self.random.below(4) {
                0 => pool.not(a),
                1 => pool.and(&[a, b]),
                2 => pool.or(&[a, b]),
                _ => pool.implies(a, b),
            },
            (_, Sort::BitVec(width)) => return self.grow_bits(pool, a, b, width),
            (_, Sort::Float(_)) => match self.random.below(if self.hard { 12 } else { 6 }) {
                0 => pool.fp_neg(a),
                1 => pool.fp_abs(a),
                2 => pool.fp_lt(a, b),
                3 => pool.fp_eq(a, b),
                4 => pool.fp_is_nan(a),
                5 => pool.fp_to_bits(a),
                6 => pool.fp_add(mode, a, b),
                7 => pool.fp_mul(mode, a, b),
                8 => pool.fp_sub(mode, a, b),
                9 => pool.fp_round(mode, a),
                10 => pool.fp_to_signed(mode, 4, a),
                _ => pool.fp_div(mode, a, b),
            },
            (_, Sort::Array(_)) => {
                let width = self.widths[0];
                let index = self.any(pool, |sort| sort == Sort::BitVec(width))?;
                let element = self.any(pool, |sort| sort == Sort::BitVec(width))?;
                match self.random.below(2) {
                    0 => pool.select(a, index),
                    _ => pool.store(a, index, element),
                }
            }
            _ => return self.any(pool, bits),
        };
        Some(built.expect("sorts fit"))
    }

    fn grow_bits(
        &mut self,
        pool: &mut TermPool,
        a: TermId,
        b: TermId,
        width: u32,
    ) -> Option<TermId> {
        let amount = self.random.below(u64::from(width) + 1);
        let constant = pool.bits(width, amount.into()).expect("fits");
        let other = self.any(pool, |sort| sort.width().is_some())?;
        let built = match self.random.below(if self.hard { 24 } else { 20 }) {
            0 => pool.bv_add(a, b),
            1 => pool.bv_sub(a, b),
            2 => pool.bv_neg(a),
            3 => pool.bv_not(a),
            4 => pool.bv_and(a, b),
            5 => pool.bv_or(a, b),
            6 => pool.bv_xor(a, b),
            7 => pool.bv_shl(a, constant),
            8 => pool.bv_lshr(a, constant),
            9 => pool.bv_ashr(a, constant),
            10 => pool.bv_ult(a, b),
            11 => pool.bv_slt(a, b),
            12 => pool.bv_and(a, constant),
            13 => pool.bv_mul(a, constant),
            14 => pool.bv_ult(a, constant),
            15 => pool.eq(a, constant),
            16 | 17 => {
                let high = self.random.below(width.into()) as u32;
                let low = self.random.below(u64::from(high) + 1) as u32;
                let part = pool.extract(high, low, a).expect("in range");
                let more = width - (high - low + 1);
                match self.random.below(3) {
                    0 => pool.zero_extend(more, part),
                    1 => pool.sign_extend(more, part),
                    _ => Ok(part),
                }
            }
            18 if width + pool.sort(other).width()? <= 16 => pool.concat(a, other),
            18 | 19 => pool.bv_shl(a, b),
            20 => pool.bv_mul(a, b),
            21 => pool.bv_udiv(a, b),
            22 => pool.bv_srem(a, b),
            _ => pool.bv_sdiv(a, constant),
        };
        Some(built.expect("sorts fit"))
    }

    /// Random values for all names of the pool that a term speaks of.
    pub fn assignment(&mut self, pool: &TermPool, roots: &[TermId]) -> Assignment {
        let names = pool.free_names(roots);
        let mut assignment = Assignment::new();
        for symbol in names.symbols {
            let value = self.value(pool, pool.sort(pool.symbol_term(symbol)));
            assignment.set(pool, symbol, value).expect("sorts fit");
        }
        for function in names.functions {
            let signature = pool.signature(function).clone();
            let mut meaning = FunctionValue::constant(self.value(pool, signature.result));
            for _ in 0..4 {
                let arguments =
                    signature.parameters.iter().map(|sort| self.value(pool, *sort)).collect();
                meaning.set(arguments, self.value(pool, signature.result));
            }
            assignment.set_function(pool, function, meaning).expect("sorts fit");
        }
        assignment
    }

    fn value(&mut self, pool: &TermPool, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.random.below(2) == 0),
            Sort::BitVec(width) => {
                let number = match self.random.below(3) {
                    0 => self.random.below(3),
                    1 => 0u64.wrapping_sub(self.random.below(3)),
                    _ => self.random.next(),
                };
                Value::Bits(Bits::from_signed(width, (number as i64).into()))
            }
            Sort::Float(format) => {
                let bits = Bits::new(format.width(), self.random.next().into());
                Value::Float(FloatValue::from_bits(format, bits).expect("width fits"))
            }
            Sort::Array(array) => {
                let (index, element) = pool.array_parts(array);
                let mut value = ArrayValue::constant(array, self.value(pool, element));
                for _ in 0..3 {
                    value = value.store(self.value(pool, index), self.value(pool, element));
                }
                Value::Array(value)
            }
            Sort::Uninterpreted(_) => pool.default_value(sort),
        }
    }
}

/// A term with `depth` operators one above the other, all different.
pub fn deep(pool: &mut TermPool, depth: usize) -> TermId {
    let x = pool.symbol("x", Sort::BitVec(32)).expect("new");
    let y = pool.symbol("y", Sort::BitVec(32)).expect("new");
    let mut term = x;
    for level in 0..depth {
        term = match level % 3 {
            0 => pool.bv_xor(term, y),
            1 => pool.bv_shl(term, x),
            _ => pool.bv_udiv(term, y),
        }
        .expect("sorts fit");
    }
    term
}

/// The operators that occur in a term; to see what a generator covers.
pub fn operators(pool: &TermPool, root: TermId) -> Vec<Op> {
    pool.sub_terms(&[root]).iter().map(|t| pool.op(*t)).collect()
}
