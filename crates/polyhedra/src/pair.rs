//! A cone with both of its descriptions, each minimal and in canonical form.
//!
//! Canonical means: lines in reduced echelon form, every ray reduced by the lines and in lowest terms,
//! rays sorted. Both descriptions of a cone are then unique, so that equal cones have equal pairs.
//!
//! All changes are incremental: adding constraints extends the generators by [`Conversion`] and drops
//! the constraints that have become redundant; adding generators is the same with the roles
//! exchanged ([`Pair::dual`]).

use crate::bits::{BitMatrix, is_subset};
use crate::conversion::{Conversion, Rows, echelon, reduce, sort};
use crate::limits::{Exceeded, Meter};
use crate::row::Row;

/// Constraints and generators of one cone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) width: usize,
    pub(crate) constraints: Rows,
    pub(crate) generators: Rows,
    /// For each ray of the generators the inequalities it does not saturate.
    pub(crate) missing: BitMatrix,
}

impl Pair {
    /// The half-space of vectors whose first entry is not negative: all points.
    pub(crate) fn whole(width: usize) -> Pair {
        let mut missing = BitMatrix::new(1, 1);
        missing.set(0, 0);
        let first = vec![Row::unit(width, 0)];
        let lines = (1..width).map(|column| Row::unit(width, column)).collect();
        Pair {
            width,
            constraints: Rows { lines: Vec::new(), rays: first.clone() },
            generators: Rows { lines, rays: first },
            missing,
        }
    }

    /// The cone without any ray: no points.
    pub(crate) fn nothing(width: usize) -> Pair {
        let mut lines: Vec<Row> = (0..width).map(|column| Row::unit(width, column)).collect();
        echelon(&mut lines);
        Pair {
            width,
            constraints: Rows { lines, rays: Vec::new() },
            generators: Rows::default(),
            missing: BitMatrix::new(0, 0),
        }
    }

    /// The pair of the given descriptions, which must be minimal and belong together.
    pub(crate) fn of_minimal(width: usize, constraints: Rows, generators: Rows) -> Pair {
        let mut missing = BitMatrix::new(generators.rays.len(), constraints.rays.len());
        for (row, ray) in generators.rays.iter().enumerate() {
            for (column, inequality) in constraints.rays.iter().enumerate() {
                if !ray.dot(inequality).is_zero() {
                    missing.set(row, column);
                }
            }
        }
        Pair { width, constraints, generators, missing }.canonical()
    }

    /// The polar cone: constraints become generators and the other way round.
    pub(crate) fn dual(self) -> Pair {
        Pair {
            width: self.width,
            constraints: self.generators,
            generators: self.constraints,
            missing: self.missing.transposed(),
        }
    }

    /// Whether a generator has a positive entry in the column.
    pub(crate) fn reaches(&self, column: usize) -> bool {
        self.generators.rays.iter().any(|ray| ray.sign(column).is_gt())
    }

    /// The part of the cone that satisfies these constraints as well. If no generator is left with a
    /// positive entry in column `needed`, the result is `None`, and the rest of the work is saved.
    pub(crate) fn with_constraints(
        &self,
        added: &Rows,
        needed: Option<usize>,
        meter: &mut Meter,
    ) -> Result<Option<Pair>, Exceeded> {
        let dest = self.generators.clone();
        let rank = self.constraints.lines.len();
        let mut conversion = Conversion::new(self.width, dest, self.missing.clone(), rank, meter);
        let mut source = self.constraints.clone();
        let mut changed = false;
        let is_dead = |conversion: &Conversion<'_>| {
            let alive = |column| conversion.dest.rays.iter().any(|ray| ray.sign(column).is_gt());
            !needed.is_none_or(alive)
        };
        for row in &added.lines {
            if conversion.add_equality(row)? {
                changed = true;
                source.lines.push(row.clone());
                if is_dead(&conversion) {
                    return Ok(None);
                }
            }
        }
        for row in &added.rays {
            if conversion.add_inequality(row)? {
                changed = true;
                source.rays.push(row.clone());
                if is_dead(&conversion) {
                    return Ok(None);
                }
            }
        }
        if !changed {
            return Ok(Some(self.clone()));
        }
        let (generators, missing) = (conversion.dest, conversion.missing);
        let (constraints, missing) = minimal(source, &missing);
        let pair = Pair { width: self.width, constraints, generators, missing };
        Ok(Some(pair.canonical()))
    }

    /// The smallest cone that contains this one and these generators.
    pub(crate) fn with_generators(
        &self,
        added: &Rows,
        meter: &mut Meter,
    ) -> Result<Pair, Exceeded> {
        let dual = self.clone().dual().with_constraints(added, None, meter)?;
        Ok(dual.map_or_else(|| self.clone(), Pair::dual))
    }

    /// The same cone with rows in canonical form.
    pub(crate) fn canonical(mut self) -> Pair {
        for rows in [&mut self.constraints, &mut self.generators] {
            let pivots = echelon(&mut rows.lines);
            for ray in &mut rows.rays {
                if let Some(reduced) = reduce(ray, &rows.lines, &pivots) {
                    *ray = reduced;
                }
            }
        }
        if let Some(order) = sort(&mut self.generators.rays) {
            self.missing = self.missing.select_rows(&order);
        }
        if let Some(order) = sort(&mut self.constraints.rays) {
            self.missing = self.missing.transposed().select_rows(&order).transposed();
        }
        self
    }

    /// Both descriptions with their columns rearranged: `columns[i]` says which column becomes `i`;
    /// a column that comes from none is free if `free`, and zero otherwise. A column that goes must
    /// be zero in all constraints.
    pub(crate) fn select(&self, columns: &[Option<usize>], free: bool) -> Pair {
        let width = columns.len();
        let mut constraints = self.constraints.map(|row| row.select(columns));
        let mut generators = self.generators.map(|row| row.select(columns));
        generators.lines.retain(|line| !line.is_zero());
        let fresh = (0..width).filter(|column| columns[*column].is_none());
        let fresh = fresh.map(|column| Row::unit(width, column));
        if free {
            generators.lines.extend(fresh);
        } else {
            constraints.lines.extend(fresh);
        }
        Pair { width, constraints, generators, missing: self.missing.clone() }.canonical()
    }
}

/// The source without redundant rows, and its saturations. An inequality that every generator saturates
/// is an equality; one is redundant if another is saturated by at least the same generators.
fn minimal(mut source: Rows, missing: &BitMatrix) -> (Rows, BitMatrix) {
    let by_source = missing.transposed();
    let mut order: Vec<usize> = Vec::with_capacity(by_source.rows());
    for at in 0..by_source.rows() {
        if by_source.row(at).iter().all(|word| *word == 0) {
            source.lines.push(source.rays[at].clone());
        } else {
            order.push(at);
        }
    }
    // A row that is redundant has more bits than the one that makes it so, or equally many.
    order.sort_by_key(|at| crate::bits::count(by_source.row(*at)));
    let mut kept: Vec<usize> = Vec::with_capacity(order.len());
    for at in order {
        let row = by_source.row(at);
        if !kept.iter().any(|other| is_subset(by_source.row(*other), row)) {
            kept.push(at);
        }
    }
    kept.sort_unstable();
    let rays = kept.iter().map(|at| std::mem::replace(&mut source.rays[*at], Row::zero(0)));
    let rays = rays.collect();
    (Rows { lines: source.lines, rays }, by_source.select_rows(&kept).transposed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integer::Integer;
    use crate::limits::ConversionLimits;

    fn row(entries: &[i64]) -> Row {
        Row::new(&entries.iter().map(|e| Integer::from(*e)).collect::<Vec<_>>())
    }

    fn meet(pair: &Pair, rays: &[&[i64]]) -> Option<Pair> {
        let rays = rays.iter().map(|entries| row(entries)).collect();
        let added = Rows { lines: Vec::new(), rays };
        pair.with_constraints(&added, Some(0), &mut Meter::new(ConversionLimits::NONE)).unwrap()
    }

    #[test]
    fn a_square_has_four_corners() {
        let square: &[&[i64]] = &[&[0, 1, 0], &[1, -1, 0], &[0, 0, 1], &[1, 0, -1], &[5, 1, 1]];
        let pair = meet(&Pair::whole(3), square).unwrap();
        assert_eq!(pair.generators.rays.len(), 4);
        assert_eq!(pair.constraints.rays.len(), 4);
        // And back again from the generators alone.
        let back = Pair::nothing(3)
            .with_generators(&pair.generators, &mut Meter::new(ConversionLimits::NONE))
            .unwrap();
        assert_eq!(back, pair);
    }

    #[test]
    fn opposite_inequalities_are_an_equality() {
        let pair = meet(&Pair::whole(3), &[&[-1, 2, 0], &[1, -2, 0]]).unwrap();
        assert_eq!(pair.constraints.lines, [row(&[-1, 2, 0])]);
        assert_eq!(meet(&pair, &[&[0, -1, 0]]), None);
    }
}
