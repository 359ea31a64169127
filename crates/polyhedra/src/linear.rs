//! Variables, linear forms over them, and constraints: what a user of the crate writes and reads.

use crate::integer::{Integer, Rational};
use std::fmt;
use std::ops::{Add, Mul, Neg, Sub};

/// A variable: the index of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub usize);

impl Var {
    /// The index of the dimension.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A linear form `a₀·x₀ + a₁·x₁ + … + c` with whole coefficients.
///
/// ```
/// use verdiff_polyhedra::{Linear, Var};
/// let (x, y) = (Var(0), Var(1));
/// let form = x * 2 - y + 7;
/// assert_eq!(form.to_string(), "2*x0 - x1 + 7");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Linear {
    /// Sorted by variable; no coefficient is zero.
    terms: Vec<(Var, Integer)>,
    constant: Integer,
}

impl Linear {
    /// The form of these terms and this constant; terms of the same variable are added.
    pub fn new(
        terms: impl IntoIterator<Item = (Var, Integer)>,
        constant: impl Into<Integer>,
    ) -> Linear {
        let mut sum = Linear::constant_form(constant.into());
        for (var, coefficient) in terms {
            sum.add_term(var, &coefficient);
        }
        sum
    }

    fn constant_form(constant: Integer) -> Linear {
        Linear { terms: Vec::new(), constant }
    }

    /// The terms in the order of their variables, without those whose coefficient is zero.
    pub fn terms(&self) -> impl Iterator<Item = (Var, &Integer)> {
        self.terms.iter().map(|(var, coefficient)| (*var, coefficient))
    }

    /// The variables that occur.
    pub fn vars(&self) -> impl Iterator<Item = Var> {
        self.terms.iter().map(|(var, _)| *var)
    }

    /// The coefficient of a variable.
    pub fn coefficient(&self, var: Var) -> Integer {
        match self.terms.binary_search_by_key(&var, |(var, _)| *var) {
            Ok(at) => self.terms[at].1.clone(),
            Err(_) => Integer::ZERO,
        }
    }

    /// The constant.
    pub fn constant(&self) -> Integer {
        self.constant.clone()
    }

    /// Whether no variable occurs.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The number of dimensions a space needs to have all variables.
    pub fn dimensions(&self) -> usize {
        self.terms.last().map_or(0, |(var, _)| var.0 + 1)
    }

    /// The value at a point. Panics if the point has too few coordinates.
    pub fn value(&self, point: &[Rational]) -> Rational {
        let mut sum = Rational::from(self.constant());
        for (var, coefficient) in &self.terms {
            sum = &sum + &(&point[var.0] * coefficient);
        }
        sum
    }

    /// The form with other variables.
    pub fn rename(&self, name: impl Fn(Var) -> Var) -> Linear {
        let terms = self.terms.iter().map(|(var, coefficient)| (name(*var), coefficient.clone()));
        Linear::new(terms, self.constant())
    }

    /// The form with every coefficient and the constant multiplied.
    pub fn scaled(&self, factor: &Integer) -> Linear {
        let terms = self.terms.iter().map(|(var, coefficient)| (*var, coefficient * factor));
        Linear::new(terms, &self.constant() * factor)
    }

    /// The sum of two forms.
    pub fn plus(&self, other: &Linear) -> Linear {
        let mut sum = self.clone();
        sum.constant = &self.constant + &other.constant;
        for (var, coefficient) in &other.terms {
            sum.add_term(*var, coefficient);
        }
        sum
    }

    /// The difference of two forms.
    pub fn minus(&self, other: &Linear) -> Linear {
        self.plus(&other.scaled(&Integer::from(-1)))
    }

    /// The constraint `self >= other`.
    pub fn at_least(&self, other: impl Into<Linear>) -> Constraint {
        Constraint::new(self.minus(&other.into()), Relation::AtLeastZero)
    }

    /// The constraint `self <= other`.
    pub fn at_most(&self, other: impl Into<Linear>) -> Constraint {
        Constraint::new(other.into().minus(self), Relation::AtLeastZero)
    }

    /// The constraint `self > other`.
    pub fn greater_than(&self, other: impl Into<Linear>) -> Constraint {
        Constraint::new(self.minus(&other.into()), Relation::GreaterThanZero)
    }

    /// The constraint `self < other`.
    pub fn less_than(&self, other: impl Into<Linear>) -> Constraint {
        Constraint::new(other.into().minus(self), Relation::GreaterThanZero)
    }

    /// The constraint `self == other`.
    pub fn equal_to(&self, other: impl Into<Linear>) -> Constraint {
        Constraint::new(self.minus(&other.into()), Relation::EqualToZero)
    }

    fn add_term(&mut self, var: Var, coefficient: &Integer) {
        match self.terms.binary_search_by_key(&var, |(var, _)| *var) {
            Ok(at) => {
                let sum = &self.terms[at].1 + coefficient;
                if sum.is_zero() {
                    self.terms.remove(at);
                } else {
                    self.terms[at].1 = sum;
                }
            }
            Err(_) if coefficient.is_zero() => {}
            Err(at) => self.terms.insert(at, (var, coefficient.clone())),
        }
    }
}

impl From<Var> for Linear {
    fn from(var: Var) -> Linear {
        Linear { terms: vec![(var, Integer::ONE)], constant: Integer::ZERO }
    }
}

impl From<i64> for Linear {
    fn from(constant: i64) -> Linear {
        Linear::constant_form(Integer::from(constant))
    }
}

impl From<Integer> for Linear {
    fn from(constant: Integer) -> Linear {
        Linear::constant_form(constant)
    }
}

impl From<&Linear> for Linear {
    fn from(form: &Linear) -> Linear {
        form.clone()
    }
}

impl<T: Into<Linear>> Add<T> for Linear {
    type Output = Linear;
    fn add(self, other: T) -> Linear {
        self.plus(&other.into())
    }
}

impl<T: Into<Linear>> Sub<T> for Linear {
    type Output = Linear;
    fn sub(self, other: T) -> Linear {
        self.minus(&other.into())
    }
}

impl<T: Into<Integer>> Mul<T> for Linear {
    type Output = Linear;
    fn mul(self, factor: T) -> Linear {
        self.scaled(&factor.into())
    }
}

impl Neg for Linear {
    type Output = Linear;
    fn neg(self) -> Linear {
        self.scaled(&Integer::from(-1))
    }
}

impl<T: Into<Linear>> Add<T> for Var {
    type Output = Linear;
    fn add(self, other: T) -> Linear {
        Linear::from(self) + other
    }
}

impl<T: Into<Linear>> Sub<T> for Var {
    type Output = Linear;
    fn sub(self, other: T) -> Linear {
        Linear::from(self) - other
    }
}

impl<T: Into<Integer>> Mul<T> for Var {
    type Output = Linear;
    fn mul(self, factor: T) -> Linear {
        Linear::from(self) * factor
    }
}

impl fmt::Display for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut first = true;
        for (var, coefficient) in &self.terms {
            let negative = coefficient.sign().is_lt();
            match (first, negative) {
                (true, true) => write!(f, "-")?,
                (true, false) => {}
                (false, true) => write!(f, " - ")?,
                (false, false) => write!(f, " + ")?,
            }
            first = false;
            let size = coefficient.abs();
            if size != Integer::ONE {
                write!(f, "{size}*")?;
            }
            write!(f, "x{}", var.0)?;
        }
        match &self.constant {
            constant if first => write!(f, "{constant}"),
            constant if constant.is_zero() => Ok(()),
            constant if constant.sign().is_lt() => write!(f, " - {}", constant.abs()),
            constant => write!(f, " + {constant}"),
        }
    }
}

impl fmt::Debug for Linear {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How a linear form compares with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// `form == 0`
    EqualToZero,
    /// `form >= 0`
    AtLeastZero,
    /// `form > 0`
    GreaterThanZero,
}

/// A linear constraint: a form and how it compares with zero.
///
/// ```
/// use verdiff_polyhedra::{Linear, Var};
/// let (x, y) = (Var(0), Var(1));
/// assert_eq!((x * 2).at_most(y + 3).to_string(), "2*x0 - x1 <= 3");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Constraint {
    form: Linear,
    relation: Relation,
}

impl Constraint {
    /// `form` compared with zero.
    pub fn new(form: Linear, relation: Relation) -> Constraint {
        Constraint { form, relation }
    }

    /// The form on the left-hand side.
    pub fn form(&self) -> &Linear {
        &self.form
    }

    /// How the form compares with zero.
    pub fn relation(&self) -> Relation {
        self.relation
    }

    /// Whether a point satisfies it. Panics if the point has too few coordinates.
    pub fn holds_at(&self, point: &[Rational]) -> bool {
        let sign = self.form.value(point).numerator().sign();
        match self.relation {
            Relation::EqualToZero => sign.is_eq(),
            Relation::AtLeastZero => sign.is_ge(),
            Relation::GreaterThanZero => sign.is_gt(),
        }
    }

    /// The constraint with other variables.
    pub fn rename(&self, name: impl Fn(Var) -> Var) -> Constraint {
        Constraint { form: self.form.rename(name), relation: self.relation }
    }

    /// The strongest constraint on the same coefficients that is equivalent for whole values of the
    /// variables. Strict inequalities become non-strict: `2*x > 3` becomes `x >= 2`. An equality
    /// without whole solutions becomes `-1 >= 0`.
    pub fn tightened(&self) -> Constraint {
        let divisor = self.form.terms.iter().fold(Integer::ZERO, |d, (_, c)| d.gcd(c));
        if divisor.is_zero() {
            return self.clone();
        }
        let terms = || self.form.terms.iter().map(|(v, c)| (*v, c.div_floor(&divisor)));
        let constant = self.form.constant();
        match self.relation {
            Relation::EqualToZero => {
                let quotient = constant.div_floor(&divisor);
                if &quotient * &divisor == constant {
                    Constraint::new(Linear::new(terms(), quotient), Relation::EqualToZero)
                } else {
                    Constraint::new(Linear::from(-1), Relation::AtLeastZero)
                }
            }
            relation => {
                let strict = relation == Relation::GreaterThanZero;
                let constant = if strict { &constant - &Integer::ONE } else { constant };
                let form = Linear::new(terms(), constant.div_floor(&divisor));
                Constraint::new(form, Relation::AtLeastZero)
            }
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The constant on the right, the first coefficient positive.
        let flip = self.form.terms.first().is_some_and(|(_, c)| c.sign().is_lt());
        let form = if flip { -self.form.clone() } else { self.form.clone() };
        let (left, right) = (Linear { constant: Integer::ZERO, ..form.clone() }, -form.constant());
        let relation = match (self.relation, flip) {
            (Relation::EqualToZero, _) => "==",
            (Relation::AtLeastZero, false) => ">=",
            (Relation::AtLeastZero, true) => "<=",
            (Relation::GreaterThanZero, false) => ">",
            (Relation::GreaterThanZero, true) => "<",
        };
        write!(f, "{left} {relation} {right}")
    }
}

impl fmt::Debug for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tightening_rounds_towards_the_solutions() {
        let x = Var(0);
        let tight = |c: Constraint| c.tightened().to_string();
        assert_eq!(tight((x * 2).greater_than(3)), "x0 >= 2");
        assert_eq!(tight((x * 2).at_most(3)), "x0 <= 1");
        assert_eq!(tight((x * 4).less_than(-8)), "x0 <= -3");
        assert_eq!(tight((x * 4 - Var(1) * 2).equal_to(6)), "2*x0 - x1 == 3");
        assert_eq!(tight((x * 4 - Var(1) * 2).equal_to(3)), "0 >= 1");
    }
}
