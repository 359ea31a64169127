//! Expressions: as linear forms over mathematical integers, as values modulo 2^w, as conditions.
//!
//! An expression gets a linear form only if the polyhedron proves that it does not overflow in this sub-state.
//! An assignment that
//! may overflow divides the sub-state: where it does not, the form is exact; where it does, 2^w less or more
//! is, and the
//! sub-state is marked, so that sub-states without any overflow are never joined with others. Where that is not
//! possible,
//! what is known is the value modulo 2^w. Unsigned comparisons and zero extensions are read by
//! cases: a number that is negative as a signed one is at least 2^(w-1) as an unsigned one.

use super::space::Space;
use super::state::{SubState, number, range};
use super::value::{Operation, Terms, Value};
use verdiff_model::{BinaryOp, Expr, Side, Type, UnaryOp, ops};
use verdiff_polyhedra::{Constraint, Domain, Integer, Linear};

/// How an expression of one version is read in a state.
pub(super) struct ExpressionReader<'s, 'c> {
    pub space: &'s Space<'c>,
    pub terms: &'s mut Terms,
    pub side: Side,
}

/// A comparison of integers in normal form: `Eq`, `Ult` or `Slt` of two operands, or that negated.
struct IntegerComparison<'e> {
    op: BinaryOp,
    lhs: &'e Expr,
    rhs: &'e Expr,
    negated: bool,
}

fn comparison(e: &Expr) -> Option<IntegerComparison<'_>> {
    let Expr::Binary { op, lhs, rhs, .. } = e else { return None };
    use BinaryOp::*;
    let (op, swapped, negated) = match op {
        Eq => (Eq, false, false),
        Ne => (Eq, false, true),
        Ult => (Ult, false, false),
        Uge => (Ult, false, true),
        Ugt => (Ult, true, false),
        Ule => (Ult, true, true),
        Slt => (Slt, false, false),
        Sge => (Slt, false, true),
        Sgt => (Slt, true, false),
        Sle => (Slt, true, true),
        _ => return None,
    };
    let (lhs, rhs) = if swapped { (rhs, lhs) } else { (lhs, rhs) };
    Some(IntegerComparison { op, lhs, rhs, negated })
}

impl ExpressionReader<'_, '_> {
    fn ty(&self, e: &Expr) -> Type {
        self.space.version(self.side).procedure.type_of(e)
    }

    /// The width, if it is an integer of at most 64 bits.
    fn int(&self, e: &Expr) -> Option<u16> {
        match self.ty(e) {
            Type::Int(width) if width <= 64 => Some(width),
            _ => None,
        }
    }

    /// Bounds of a form, if both are known.
    fn within(&self, state: &SubState, form: &Linear, low: &Integer, high: &Integer) -> bool {
        let Some(bounds) = state.numbers.bounds(form) else { return true };
        let above = bounds.lower.is_some_and(|bound| bound.value.ceil() >= *low);
        above && bounds.upper.is_some_and(|bound| bound.value.floor() <= *high)
    }

    fn fits(&self, state: &SubState, form: Linear, width: u16) -> Option<Linear> {
        let (low, high) = range(width);
        self.within(state, &form, &low, &high).then_some(form)
    }

    /// The number as a linear form, if it does not overflow here. Parts of it may: what counts is the whole,
    /// which is congruent
    /// to the form and equal to it if the form is in range.
    pub fn linear(&mut self, state: &SubState, e: &Expr) -> Option<Linear> {
        let width = self.int(e)?;
        let form = self.congruent(state, e)?;
        match e {
            Expr::Const(_) | Expr::Var(_) => Some(form),
            _ => self.fits(state, form, width),
        }
    }

    /// A linear form that is congruent to the number, modulo 2 to its width.
    pub fn congruent(&mut self, state: &SubState, e: &Expr) -> Option<Linear> {
        let width = self.int(e)?;
        match e {
            Expr::Const(c) => Some(Linear::from(number(width, c.bits as u64))),
            Expr::Var(id) => {
                let slot = self.space.version(self.side).variable(*id);
                self.space.slots[slot].dimension.map(Linear::from)
            }
            Expr::Address(_) | Expr::FusedMulAdd { .. } => None,
            Expr::Unary { op, arg, .. } => self.congruent_unary(state, *op, width, arg),
            Expr::Binary { op, lhs, rhs, .. } if !op.is_predicate() => {
                self.congruent_binary(state, *op, width, lhs, rhs)
            }
            Expr::Binary { .. } => {
                self.decided(state, e).map(|truth| Linear::from(i64::from(truth)))
            }
            Expr::Select { cond, then, otherwise } => {
                let chosen = self.decided(state, cond)?;
                self.congruent(state, if chosen { then } else { otherwise })
            }
        }
    }

    fn congruent_unary(
        &mut self,
        state: &SubState,
        op: UnaryOp,
        width: u16,
        arg: &Expr,
    ) -> Option<Linear> {
        let from = self.int(arg)?;
        match op {
            UnaryOp::Not if width == 1 => Some(Linear::from(1) - self.linear(state, arg)?),
            UnaryOp::Not => Some(-self.congruent(state, arg)? - 1),
            UnaryOp::Neg if width > 1 => Some(-self.congruent(state, arg)?),
            UnaryOp::Truncate => self.congruent(state, arg),
            UnaryOp::SignExtend => {
                let form = self.linear(state, arg)?;
                Some(if from == 1 { -form } else { form })
            }
            UnaryOp::ZeroExtend => {
                let form = self.linear(state, arg)?;
                let (low, high) = range(from);
                if from == 1 || self.within(state, &form, &Integer::ZERO, &high) {
                    Some(form)
                } else if self.within(state, &form, &low, &Integer::from(-1)) {
                    // The number as an unsigned one.
                    let full = &(&high - &low) + &Integer::ONE;
                    Some(form + Linear::from(full))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    fn congruent_binary(
        &mut self,
        state: &SubState,
        op: BinaryOp,
        width: u16,
        lhs: &Expr,
        rhs: &Expr,
    ) -> Option<Linear> {
        if width == 1 {
            return None;
        }
        let constant = |form: &Linear| form.is_constant().then(|| form.constant());
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl => {
                let (a, b) = (self.congruent(state, lhs)?, self.congruent(state, rhs)?);
                match op {
                    BinaryOp::Add => Some(a.plus(&b)),
                    BinaryOp::Sub => Some(a.minus(&b)),
                    BinaryOp::Mul => match (constant(&a), constant(&b)) {
                        (_, Some(factor)) => Some(a.scaled(&factor)),
                        (Some(factor), None) => Some(b.scaled(&factor)),
                        (None, None) => None,
                    },
                    _ => {
                        let by = constant(&b)?
                            .to_i64()
                            .filter(|by| (0..i64::from(width.min(62))).contains(by))?;
                        Some(a.scaled(&Integer::from(1_i64 << by)))
                    }
                }
            }
            BinaryOp::And => {
                let (a, b) = (self.linear(state, lhs)?, self.linear(state, rhs)?);
                let low_ones = |n: &Integer| {
                    n.to_i64().filter(|n| *n > 0 && (n & n.wrapping_add(1)) == 0).is_some()
                };
                let (form, ones) = match (constant(&a), constant(&b)) {
                    (_, Some(ones)) => (a, ones),
                    (Some(ones), None) => (b, ones),
                    (None, None) => return None,
                };
                (low_ones(&ones) && self.within(state, &form, &Integer::ZERO, &ones))
                    .then_some(form)
            }
            _ => None,
        }
    }

    /// The number by cases: the states in which it does not overflow and those in which it does once, each with
    /// a linear
    /// form that is equal to it. `None` if it has no form, or may overflow more than once.
    pub fn by_overflow(&mut self, state: &SubState, e: &Expr) -> Option<Vec<(SubState, Linear)>> {
        let width = self.int(e).filter(|width| *width > 1)?;
        let form = self.congruent(state, e)?;
        let (low, high) = range(width);
        let full = &(&high - &low) + &Integer::ONE;
        if !self.within(state, &form, &(&low - &full), &(&high + &full)) {
            return None;
        }
        let bound = |n: &Integer| Linear::from(n.clone());
        let cases = [
            (vec![form.at_least(bound(&low)), form.at_most(bound(&high))], Integer::ZERO, false),
            (vec![form.greater_than(bound(&high))], -full.clone(), true),
            (vec![form.less_than(bound(&low))], full.clone(), true),
        ];
        let mut list = vec![];
        for (constraints, by, wrapped) in cases {
            let mut next = state.clone();
            next.numbers.meet_integer(&constraints);
            next.wrapped |= wrapped;
            if !next.is_bottom() {
                list.push((next, form.plus(&Linear::from(by))));
            }
        }
        Some(list)
    }

    /// The range of a result that has no linear form, where the operation gives one.
    pub fn result_range(&mut self, e: &Expr) -> Option<(Integer, Integer)> {
        let width = self.int(e)?;
        let constant =
            |e: &Expr| e.as_const().filter(|c| c.ty.is_int()).map(|c| number(width, c.bits as u64));
        match e {
            Expr::Unary { op: UnaryOp::ZeroExtend, arg, .. } => {
                let (low, high) = range(self.int(arg)?);
                let all = if self.int(arg)? == 1 { Integer::ONE } else { &high - &low };
                Some((Integer::ZERO, all))
            }
            Expr::Unary { op: UnaryOp::SignExtend, arg, .. } => {
                Some(range(self.int(arg)?)).filter(|_| width > 1)
            }
            Expr::Binary { op: BinaryOp::And, lhs, rhs, .. } if width > 1 => {
                let ones =
                    constant(rhs).or_else(|| constant(lhs)).filter(|ones| ones.sign().is_ge())?;
                Some((Integer::ZERO, ones))
            }
            Expr::Binary { op: BinaryOp::URem, rhs, .. } if width > 1 => {
                let by = constant(rhs).filter(|by| by.sign().is_gt())?;
                Some((Integer::ZERO, &by - &Integer::ONE))
            }
            Expr::Binary { op: BinaryOp::SRem, rhs, .. } if width > 1 => {
                let by = constant(rhs).filter(|by| by.sign().is_gt())?;
                let most = &by - &Integer::ONE;
                Some((-most.clone(), most))
            }
            _ => None,
        }
    }

    /// The value modulo 2^w.
    pub fn value(&mut self, state: &SubState, e: &Expr) -> Value {
        let value = self.value_of(state, e);
        state.normal(value)
    }

    fn value_of(&mut self, state: &SubState, e: &Expr) -> Value {
        let ty = self.ty(e);
        let width = ty.width().min(64);
        let linear = ty.width() <= 64 && !ty.is_float();
        match e {
            Expr::Const(c) if linear => Value::constant(width, c.bits as u64),
            Expr::Const(c) => self.terms.named(Operation::Bits(c.ty, c.bits), width),
            Expr::Var(id) => state.values[self.space.version(self.side).variable(*id)].clone(),
            Expr::Address(address) => {
                let name = self.space.address_name(self.side, address);
                self.terms.named(Operation::Address(name), 64)
            }
            Expr::Unary { op, arg, .. } => {
                let operand = self.value(state, arg);
                let narrow = linear && self.ty(arg).width() <= 64 && !self.ty(arg).is_float();
                match op {
                    UnaryOp::Neg if linear => operand.scaled(u64::MAX),
                    UnaryOp::Not if linear => {
                        operand.scaled(u64::MAX).plus(&Value::constant(width, 1), u64::MAX)
                    }
                    UnaryOp::Truncate if narrow => operand.truncated(width),
                    UnaryOp::PtrToInt | UnaryOp::IntToPtr | UnaryOp::Bitcast if narrow => operand,
                    _ => match (operand.as_constant().filter(|_| narrow), self.ty(arg)) {
                        (Some(bits), from) => Value::constant(
                            width,
                            ops::unary_bits(*op, ty, from, u128::from(bits)) as u64,
                        ),
                        _ => self.terms.apply(Operation::Unary(*op, ty), vec![operand], width),
                    },
                }
            }
            Expr::Binary { op, lhs, rhs, .. } => self.binary_value(state, e, *op, lhs, rhs),
            Expr::Select { cond, then, otherwise } => match self.decided(state, cond) {
                Some(true) => self.value(state, then),
                Some(false) => self.value(state, otherwise),
                None => {
                    let operands =
                        [cond, then, otherwise].map(|part| self.value(state, part)).to_vec();
                    if operands[1] == operands[2] {
                        return operands[1].clone();
                    }
                    self.terms.apply(Operation::Select, operands, width)
                }
            },
            Expr::FusedMulAdd { a, b, c } => {
                let operands = [a, b, c].map(|part| self.value(state, part)).to_vec();
                self.terms.apply(Operation::Fused, operands, width)
            }
        }
    }

    fn binary_value(
        &mut self,
        state: &SubState,
        e: &Expr,
        op: BinaryOp,
        lhs: &Expr,
        rhs: &Expr,
    ) -> Value {
        let ty = self.ty(e);
        let width = ty.width().min(64);
        if let Some(compared) = comparison(e) {
            let (value, negated) = (self.compared(state, &compared), compared.negated);
            return match self.decided(state, e) {
                Some(truth) => Value::constant(1, u64::from(truth)),
                None if negated => value.plus(&Value::constant(1, 1), 1),
                None => value,
            };
        }
        let (a, b) = (self.value(state, lhs), self.value(state, rhs));
        let from = self.ty(lhs);
        let linear = from.width() <= 64 && !from.is_float();
        use BinaryOp::*;
        match (op, a.as_constant(), b.as_constant()) {
            (Add | PtrAdd, ..) if linear => return a.plus(&b, 1),
            (Sub, ..) if linear => return a.plus(&b, u64::MAX),
            (Mul, Some(factor), _) if linear => return b.scaled(factor),
            (Mul, _, Some(factor)) if linear => return a.scaled(factor),
            (Shl, _, Some(by)) if linear => return a.scaled(1_u64 << (by % u64::from(width))),
            (_, Some(a), Some(b)) if linear => {
                let bits = ops::binary_bits(op, from, u128::from(a), u128::from(b));
                return Value::constant(width, bits as u64);
            }
            (Xor, ..) if linear && width == 1 => return a.plus(&b, 1),
            (And, ..) if linear => {
                // Where the mask changes nothing, the polyhedron knows: the form is that of an operand.
                let form = self.linear(state, e);
                for (part, value) in [(lhs, &a), (rhs, &b)] {
                    if form.is_some() && self.linear(state, part) == form {
                        return value.clone();
                    }
                }
            }
            _ => {}
        }
        let commutes = matches!(
            op,
            Mul | And
                | Or
                | Xor
                | FAdd
                | FMul
                | FOeq
                | FUne
                | SAddOverflows
                | UAddOverflows
                | SMulOverflows
                | UMulOverflows
        );
        let operands = if commutes && b < a { vec![b, a] } else { vec![a, b] };
        self.terms.apply(Operation::Binary(op), operands, width)
    }

    /// A comparison in normal form as a value.
    fn compared(&mut self, state: &SubState, compared: &IntegerComparison<'_>) -> Value {
        let (a, b) = (self.value(state, compared.lhs), self.value(state, compared.rhs));
        let operands = if compared.op == BinaryOp::Eq && b < a { vec![b, a] } else { vec![a, b] };
        self.terms.apply(Operation::Binary(compared.op), operands, 1)
    }

    /// Whether a condition is known to be true or false.
    pub fn decided(&mut self, state: &SubState, e: &Expr) -> Option<bool> {
        if let Some(compared) = comparison(e) {
            let (a, b) = (self.value(state, compared.lhs), self.value(state, compared.rhs));
            let difference = a.plus(&b, u64::MAX);
            let by_value = match (compared.op, difference.as_constant()) {
                (BinaryOp::Eq, Some(difference)) => Some(difference == 0),
                (_, Some(0)) => Some(false),
                _ => None,
            };
            let by_fact = |reader: &mut Self| {
                let atom = reader.compared(state, &compared).as_atom()?;
                state.known.get(&atom).copied()
            };
            let truth = by_value
                .or_else(|| by_fact(self))
                .or_else(|| self.decided_by_numbers(state, &compared));
            return truth.map(|truth| truth != compared.negated);
        }
        match e {
            Expr::Unary { op: UnaryOp::Not, ty: Type::BOOL, arg } => {
                return self.decided(state, arg).map(|truth| !truth);
            }
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs, .. }
                if self.ty(e) == Type::BOOL =>
            {
                let strong = *op == BinaryOp::Or;
                let parts = [self.decided(state, lhs), self.decided(state, rhs)];
                if parts.contains(&Some(strong)) {
                    return Some(strong);
                }
                if parts == [Some(!strong); 2] {
                    return Some(!strong);
                }
            }
            _ => {}
        }
        let value = match e {
            // Values of selects ask for decisions themselves.
            Expr::Select { .. } => return None,
            _ => self.value(state, e),
        };
        let known = |atom| state.known.get(&atom).copied();
        let by_number = |reader: &mut Self| {
            let form = reader.linear(state, e)?;
            let (zero, one) = (form.equal_to(0), form.equal_to(1));
            if state.numbers.entails(&zero) {
                Some(false)
            } else {
                state.numbers.entails(&one).then_some(true)
            }
        };
        value
            .as_constant()
            .map(|bits| bits == 1)
            .or_else(|| value.as_atom().and_then(known))
            .or_else(|| match e {
                Expr::Binary { .. } => None,
                _ => by_number(self),
            })
    }

    fn decided_by_numbers(
        &mut self,
        state: &SubState,
        compared: &IntegerComparison<'_>,
    ) -> Option<bool> {
        self.int(compared.lhs)?;
        let (a, b) = (self.linear(state, compared.lhs)?, self.linear(state, compared.rhs)?);
        let never = |cases: Vec<Vec<Constraint>>| {
            cases.into_iter().all(|case| {
                let mut there = state.numbers.clone();
                there.meet_integer(&case);
                there.is_bottom()
            })
        };
        if never(cases(compared.op, &a, &b, true)) {
            Some(false)
        } else {
            never(cases(compared.op, &a, &b, false)).then_some(true)
        }
    }

    /// The states in which a condition is true, or false.
    pub fn assume(&mut self, state: SubState, e: &Expr, truth: bool) -> Vec<SubState> {
        match self.decided(&state, e) {
            Some(decided) if decided == truth => return vec![state],
            Some(_) => return vec![],
            None => {}
        }
        match e {
            Expr::Unary { op: UnaryOp::Not, ty: Type::BOOL, arg } => {
                return self.assume(state, arg, !truth);
            }
            Expr::Binary { op: op @ (BinaryOp::And | BinaryOp::Or), lhs, rhs, .. }
                if self.ty(e) == Type::BOOL =>
            {
                // `a && b` true, or `a || b` false: both. Otherwise the first decides, or the first does not
                // and the second does.
                let both = truth == (*op == BinaryOp::And);
                let first = self.assume(state.clone(), lhs, truth);
                if both {
                    return first
                        .into_iter()
                        .flat_map(|state| self.assume(state, rhs, truth))
                        .collect();
                }
                let second = self.assume(state, lhs, !truth);
                let second = second.into_iter().flat_map(|state| self.assume(state, rhs, truth));
                return first.into_iter().chain(second.collect::<Vec<_>>()).collect();
            }
            _ => {}
        }
        let Some(compared) = comparison(e) else { return self.assume_value(state, e, truth) };
        let truth = truth != compared.negated;
        let (a, b) = (self.value(&state, compared.lhs), self.value(&state, compared.rhs));
        let mut next = state.clone();
        let atom = self.compared(&state, &compared).as_atom();
        // Only tests of a variable against a constant: an index that happens to be constant is not a flag.
        let plain = matches!((compared.lhs, compared.rhs), (Expr::Var(_), Expr::Const(_)));
        if let Some(atom) = atom.filter(|_| plain) {
            next.choose(self.terms, atom, truth);
        }
        if compared.op == BinaryOp::Eq && truth {
            if !next.unify(self.terms, &a, &b) {
                return vec![];
            }
        } else if let Some(atom) = atom {
            next.known.insert(atom, truth);
        }
        if self.int(compared.lhs).is_none() {
            return vec![next];
        }
        let (Some(a), Some(b)) =
            (self.linear(&state, compared.lhs), self.linear(&state, compared.rhs))
        else {
            return vec![next];
        };
        let all = cases(compared.op, &a, &b, truth).into_iter().map(|case| {
            let mut there = next.clone();
            there.numbers.meet_integer(&case);
            there
        });
        let mut all: Vec<SubState> = all.filter(|there| !there.is_bottom()).collect();
        if compared.op == BinaryOp::Eq && !truth && all.len() > 1 {
            // Two half-spaces would be exact, and double the states at every `!=`.
            all = vec![next];
        }
        all
    }

    /// A condition that is no comparison of integers: its value is a constant from now on.
    fn assume_value(&mut self, state: SubState, e: &Expr, truth: bool) -> Vec<SubState> {
        let value = self.value(&state, e);
        let mut next = state;
        // A truth value that was made of one flag.
        if let [(atom, _)] = value.terms[..]
            && value.width == 1
        {
            next.choose(self.terms, atom, truth != (value.constant == 1));
        }
        let form = self.linear(&next, e).or_else(|| match e {
            // The low bit of a number that is 0 or 1.
            Expr::Unary { op: UnaryOp::Truncate, arg, .. } => {
                let form = self.linear(&next, arg)?;
                self.within(&next, &form, &Integer::ZERO, &Integer::ONE).then_some(form)
            }
            _ => None,
        });
        if let Some(form) = form {
            next.numbers.meet_constraints(&[form.equal_to(i64::from(truth))]);
            if next.is_bottom() {
                return vec![];
            }
            // The whole variable is known then, not only its low bit.
            if let Expr::Unary { op: UnaryOp::Truncate, arg, .. } = e {
                let whole = self.value(&next, arg);
                let constant = Value::constant(whole.width, u64::from(truth));
                if !next.unify(self.terms, &whole, &constant) {
                    return vec![];
                }
            }
        }
        if !next.unify(self.terms, &value, &Value::constant(1, u64::from(truth))) {
            return vec![];
        }
        if let Some(atom) = value.as_atom() {
            next.known.insert(atom, truth);
        }
        vec![next]
    }
}

/// The sets of numbers for which a comparison is true, or false: their union is exact.
fn cases(op: BinaryOp, a: &Linear, b: &Linear, truth: bool) -> Vec<Vec<Constraint>> {
    let order = |truth: bool| if truth { a.less_than(b) } else { a.at_least(b) };
    match (op, truth) {
        (BinaryOp::Eq, true) => vec![vec![a.equal_to(b)]],
        (BinaryOp::Eq, false) => vec![vec![a.less_than(b)], vec![a.greater_than(b)]],
        (BinaryOp::Slt, truth) => vec![vec![order(truth)]],
        // Unsigned: negative numbers are above all others.
        (_, truth) => {
            let (above, below) = if truth { (b, a) } else { (a, b) };
            vec![
                vec![a.at_least(0), b.at_least(0), order(truth)],
                vec![a.less_than(0), b.less_than(0), order(truth)],
                vec![above.less_than(0), below.at_least(0)],
            ]
        }
    }
}
