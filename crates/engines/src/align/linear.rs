//! Addresses as sums of variables, learned from points.

use super::coordinates::Coordinate;
use super::invariant::{Terms, Var};
use super::runs::Point;
use verdiff_logic::{LogicError, TermId};
use verdiff_product::affine::Affine;
use verdiff_symex::space::Space;

/// Larger coefficients are chance.
const LARGEST: u64 = 4096;
/// Sums are not looked for among more variables than this.
const MOST_COORDINATES: usize = 30;

/// A sum of variables of 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    parts: Vec<(u64, Coordinate)>,
    constant: u64,
}

impl Linear {
    /// A constant.
    pub fn constant(constant: u64) -> Linear {
        Linear { parts: vec![], constant }
    }

    /// The sum that is a number at each of these points, if there is one.
    pub fn learned(vars: &[Var], rows: &[(&Point, u64)]) -> Option<Linear> {
        let (_, first) = *rows.first()?;
        if rows.iter().all(|(_, number)| *number == first) && first < LARGEST {
            return Some(Linear::constant(first));
        }
        let mut coordinates = vec![];
        for var in vars.iter().filter(|var| var.width > 1 && var.width <= 64) {
            coordinates.push(Coordinate::single(*var, false));
            if var.width < 64 {
                coordinates.push(Coordinate::single(*var, true));
            }
        }
        coordinates.truncate(MOST_COORDINATES);
        let mut affine = Affine::all(64, 1 + coordinates.len());
        for (point, number) in rows {
            let row: Vec<u64> =
                [*number].into_iter().chain(coordinates.iter().map(|c| c.number(point))).collect();
            affine.join(&row);
        }
        // Variables that others determine are left out, those of the new version first.
        let whole = |side: usize| {
            let own = move |var: Var| var.side == side && var.width == 64;
            let all = coordinates.iter().enumerate();
            all.filter(move |(_, c)| c.variable().is_some_and(own)).map(|(n, _)| n + 1)
        };
        let narrow = (1..=coordinates.len()).filter(|n| !coordinates[*n - 1].is_whole(64));
        let wanted: Vec<usize> =
            [0].into_iter().chain(whole(1)).chain(whole(0)).chain(narrow).collect();
        let solved = affine.solved(&wanted);
        let row = solved.into_iter().find(|row| row.pivot == Some(0))?;
        let mut parts = vec![];
        for (n, coordinate) in coordinates.into_iter().enumerate() {
            let factor = row.coefficients[n + 1].wrapping_neg();
            if (factor as i64).unsigned_abs() > LARGEST {
                return None;
            }
            if factor != 0 {
                parts.push((factor, coordinate));
            }
        }
        Some(Linear { parts, constant: row.coefficients.last()?.wrapping_neg() })
    }

    /// The difference of two sums.
    pub fn minus(&self, other: &Linear) -> Linear {
        let mut parts = self.parts.clone();
        for (factor, coordinate) in &other.parts {
            match parts.iter_mut().find(|(_, known)| known == coordinate) {
                Some((known, _)) => *known = known.wrapping_sub(*factor),
                None => parts.push((factor.wrapping_neg(), coordinate.clone())),
            }
        }
        parts.retain(|(factor, _)| *factor != 0);
        Linear { parts, constant: self.constant.wrapping_sub(other.constant) }
    }

    /// Its value, if that does not depend on variables.
    pub fn as_constant(&self) -> Option<u64> {
        self.parts.is_empty().then_some(self.constant)
    }

    pub fn term(&self, space: &mut Space, terms: &Terms<'_>) -> Result<TermId, LogicError> {
        let mut sum = space.pool.bits(64, self.constant.into())?;
        for (factor, coordinate) in &self.parts {
            let term = coordinate.term(space, terms, 64)?;
            let factor = space.pool.bits(64, (*factor).into())?;
            let part = space.pool.bv_mul(factor, term)?;
            sum = space.pool.bv_add(sum, part)?;
        }
        space.tidy(sum)
    }

    /// As text, by the names of variables.
    pub fn text(&self, names: &dyn Fn(Var) -> String) -> String {
        let mut texts: Vec<String> = vec![];
        for (factor, coordinate) in &self.parts {
            let (value, name) = (*factor as i64, coordinate.text(names));
            let size = value.unsigned_abs();
            let part = if size == 1 { name } else { format!("{size} * {name}") };
            texts.push(match (texts.is_empty(), value < 0) {
                (true, false) => part,
                (true, true) => format!("-{part}"),
                (false, false) => format!("+ {part}"),
                (false, true) => format!("- {part}"),
            });
        }
        let constant = self.constant as i64;
        match (texts.is_empty(), constant) {
            (true, _) => texts.push(constant.to_string()),
            (false, 0) => {}
            (false, c) if c < 0 => texts.push(format!("- {}", c.unsigned_abs())),
            (false, c) => texts.push(format!("+ {c}")),
        }
        texts.join(" ")
    }
}
