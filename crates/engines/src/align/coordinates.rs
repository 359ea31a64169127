//! What equations speak of: variables, and products of variables.

use super::invariant::{Terms, Var};
use super::runs::Point;
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::space::Space;

/// How many variables are multiplied with each other.
const MOST_FACTORS: usize = 6;

/// A product of variables; mostly of one. Each is extended if it is narrower than the equation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coordinate {
    factors: Vec<Factor>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Factor {
    var: Var,
    signed: bool,
}

impl Coordinate {
    /// A variable.
    pub fn single(var: Var, signed: bool) -> Coordinate {
        Coordinate { factors: vec![Factor { var, signed }] }
    }

    /// The variable, if it is one.
    pub fn variable(&self) -> Option<Var> {
        match self.factors[..] {
            [one] => Some(one.var),
            _ => None,
        }
    }

    /// Whether it is a variable of so many bits.
    pub fn is_whole(&self, width: u32) -> bool {
        self.variable().is_some_and(|var| var.width == width)
    }

    pub fn number(&self, point: &Point) -> u64 {
        self.factors
            .iter()
            .fold(1, |product: u64, factor| product.wrapping_mul(factor.number(point)))
    }

    pub fn term(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
        width: u32,
    ) -> Result<TermId, LogicError> {
        let mut product = None;
        for factor in &self.factors {
            let term = factor.term(space, terms, width)?;
            product = Some(match product {
                None => term,
                Some(product) => space.pool.bv_mul(product, term)?,
            });
        }
        match product {
            Some(product) => Ok(product),
            None => space.pool.bits(width, 1),
        }
    }

    /// As text, by the names of variables.
    pub fn text(&self, names: &dyn Fn(Var) -> String) -> String {
        let names: Vec<String> = self.factors.iter().map(|factor| names(factor.var)).collect();
        names.join(" * ")
    }
}

impl Factor {
    fn number(self, point: &Point) -> u64 {
        if self.signed { self.var.signed(point) as u64 } else { self.var.number(point) as u64 }
    }

    fn term(self, space: &mut Space, terms: &Terms<'_>, width: u32) -> Result<TermId, LogicError> {
        let term = self.var.term(space, terms)?;
        match (width - self.var.width, self.signed) {
            (0, _) => Ok(term),
            (more, true) => space.pool.sign_extend(more, term),
            (more, false) => space.pool.zero_extend(more, term),
        }
    }
}

/// Small sets of products that a variable may be a sum of, for equations of so many bits: powers of one variable, or two
/// variables and their products. Of variables that are the same in all points one is taken, and none that is a constant.
pub fn polynomials(width: u32, vars: &[Var], points: &[Point]) -> Vec<Vec<Coordinate>> {
    let mut factors: Vec<(Factor, Vec<u64>)> = vec![];
    for var in vars.iter().filter(|var| !var.pointer && var.width > 1 && var.width <= width) {
        for signed in [false, true] {
            let factor = Factor { var: *var, signed };
            let numbers: Vec<u64> = points.iter().map(|point| factor.number(point)).collect();
            let constant = numbers.iter().all(|n| *n == numbers[0]);
            if !constant && !factors.iter().any(|(_, known)| *known == numbers) {
                factors.push((factor, numbers));
            }
        }
    }
    factors.truncate(MOST_FACTORS);
    let factors: Vec<Factor> = factors.into_iter().map(|(factor, _)| factor).collect();
    let product = |factors: &[Factor]| Coordinate { factors: factors.to_vec() };
    let mut found = vec![];
    for v in &factors {
        found.push(vec![product(&[*v]), product(&[*v, *v]), product(&[*v, *v, *v])]);
    }
    for (n, v) in factors.iter().enumerate() {
        for w in &factors[n + 1..] {
            let mut set = vec![product(&[*v]), product(&[*w]), product(&[*v, *w])];
            set.extend(factors.iter().filter(|u| *u != v && *u != w).map(|u| product(&[*u])));
            let pointers = vars.iter().filter(|var| var.pointer && var.width == width);
            set.extend(pointers.map(|var| Coordinate::single(*var, false)));
            found.push(set);
        }
    }
    found
}
