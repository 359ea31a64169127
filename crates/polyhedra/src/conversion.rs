//! Double description: from constraints to generators and back, one row at a time.
//!
//! A polyhedron is kept as a cone: the point `x` is the ray `(1, x)`, the constraint `a·x + b >= 0`
//! the row `(b, a)`. A cone is the set of vectors whose product with every row of one system (the
//! *source*) is zero (equalities) or not negative (inequalities), and it is also the set of sums
//! of the rows of another (the *destination*): any multiples of its lines, positive multiples of its
//! rays. Which of the two is called constraints does not matter: both directions are this module.
//!
//! [`Conversion`] adds a source row to a destination that is already known, as in Chernikova's
//! algorithm in the form of Le Verge ("A note on Chernikova's algorithm", 1992) that PPL and NewPolka
//! use as well:
//! - If some line is not orthogonal to the row, the line becomes a ray on the positive side (or
//!   vanishes, for an equality), and multiples of it make all others orthogonal. No row is added.
//! - Otherwise rays on the negative side go, and each pair of *adjacent* rays on both sides
//!   contributes the ray where the segment between them meets the hyperplane.
//!
//! Two extreme rays are adjacent if no third one saturates all source inequalities that both
//! saturate. This keeps the destination minimal, given that it was; why it is sound and complete
//! is Proposition 7 of Fukuda and Prodon, "Double description method revisited" (1996).

use crate::bits::{BitMatrix, count, is_subset};
use crate::integer::Integer;
use crate::limits::{Exceeded, Meter};
use crate::row::Row;
use std::cmp::Ordering;

/// One system of rows: equalities and inequalities, or lines and rays.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Rows {
    /// Equalities or lines.
    pub(crate) lines: Vec<Row>,
    /// Inequalities, or rays (points among them).
    pub(crate) rays: Vec<Row>,
}

impl Rows {
    pub(crate) fn len(&self) -> usize {
        self.lines.len() + self.rays.len()
    }

    pub(crate) fn map(&self, change: impl Fn(&Row) -> Row) -> Rows {
        Rows {
            lines: self.lines.iter().map(&change).collect(),
            rays: self.rays.iter().map(&change).collect(),
        }
    }
}

/// A destination to which source rows are added.
#[derive(Debug)]
pub(crate) struct Conversion<'m> {
    width: usize,
    /// The generators of what the source rows so far describe; minimal.
    pub(crate) dest: Rows,
    /// For each ray of `dest` the source inequalities it does not saturate.
    pub(crate) missing: BitMatrix,
    /// The number of independent source equalities so far.
    rank: usize,
    meter: &'m mut Meter,
}

impl<'m> Conversion<'m> {
    pub(crate) fn new(
        width: usize,
        dest: Rows,
        missing: BitMatrix,
        rank: usize,
        meter: &'m mut Meter,
    ) -> Conversion<'m> {
        debug_assert_eq!(dest.rays.len(), missing.rows());
        Conversion { width, dest, missing, rank, meter }
    }

    /// Adds the row as an equality. Says whether it changed anything.
    pub(crate) fn add_equality(&mut self, row: &Row) -> Result<bool, Exceeded> {
        self.meter.charge(self.dest.len())?;
        if self.pivot(row)?.is_some() {
            self.rank += 1;
            return Ok(true);
        }
        let products = self.products(row);
        if products.iter().all(Integer::is_zero) {
            return Ok(false);
        }
        self.cut(&products, false)?;
        self.rank += 1;
        Ok(true)
    }

    /// Adds the row as an inequality, with a column of its own in `missing`, unless the rows so far
    /// imply it. Says whether it was added.
    pub(crate) fn add_inequality(&mut self, row: &Row) -> Result<bool, Exceeded> {
        self.meter.charge(self.dest.len())?;
        if let Some(ray) = self.pivot(row)? {
            // The lines saturate all earlier rows, so the new ray does; all others saturate `row`.
            let column = self.missing.columns();
            self.missing.add_column();
            self.missing.push(&vec![0; self.missing.stride()]);
            self.missing.set(self.dest.rays.len(), column);
            self.dest.rays.push(ray);
            return Ok(true);
        }
        let products = self.products(row);
        if products.iter().all(|product| product.sign().is_ge()) {
            return Ok(false);
        }
        self.cut(&products, true)?;
        Ok(true)
    }

    fn products(&self, row: &Row) -> Vec<Integer> {
        self.dest.rays.iter().map(|ray| ray.dot(row)).collect()
    }

    /// If a line is not orthogonal to the row, takes it out, makes all others orthogonal with its
    /// help, and gives it back on the positive side.
    fn pivot(&mut self, row: &Row) -> Result<Option<Row>, Exceeded> {
        let products: Vec<Integer> = self.dest.lines.iter().map(|line| line.dot(row)).collect();
        // Small factors keep the others small.
        let weight = |at: &usize| (products[*at].bits(), self.dest.lines[*at].bits());
        let candidates = (0..products.len()).filter(|at| !products[*at].is_zero());
        let Some(chosen) = candidates.min_by_key(weight) else { return Ok(None) };
        let line = self.dest.lines.remove(chosen);
        let product = &products[chosen];
        for (at, other) in self.dest.lines.iter_mut().enumerate() {
            let of_other = &products[if at < chosen { at } else { at + 1 }];
            if !of_other.is_zero() {
                *other = other.eliminate(of_other, &line, product);
                self.meter.row(other)?;
            }
        }
        for ray in &mut self.dest.rays {
            let of_ray = ray.dot(row);
            if !of_ray.is_zero() {
                *ray = ray.eliminate(&of_ray, &line, product);
                self.meter.row(ray)?;
            }
        }
        Ok(Some(if product.sign().is_lt() { line.negated() } else { line }))
    }

    /// Keeps the side of the rays whose products are not negative (or zero, for an equality), and
    /// adds the rays between adjacent ones of both sides.
    fn cut(&mut self, products: &[Integer], keep_positive: bool) -> Result<(), Exceeded> {
        let side = |sign: Ordering| {
            let on_it = |at: &usize| products[*at].sign() == sign;
            (0..products.len()).filter(on_it).collect::<Vec<usize>>()
        };
        let positive = side(Ordering::Greater);
        let negative = side(Ordering::Less);
        let mut added = Vec::new();
        let mut unions = Vec::new();
        for (at, second) in self.adjacent_pairs(&positive, &negative, &mut unions)? {
            let divisor = products[at].gcd(&products[second]);
            let ray = self.dest.rays[at].combine(
                &-products[second].div_floor(&divisor),
                &self.dest.rays[second],
                &products[at].div_floor(&divisor),
            );
            self.meter.row(&ray)?;
            added.push(ray);
        }
        let stays = |sign: Ordering| sign.is_eq() || (keep_positive && sign.is_gt());
        let kept: Vec<usize> =
            (0..products.len()).filter(|at| stays(products[*at].sign())).collect();
        self.meter.rows(kept.len() + added.len())?;
        let stride = self.missing.stride();
        let mut missing = self.missing.select_rows(&kept);
        let mut rays = Vec::with_capacity(kept.len() + added.len());
        rays.extend(
            kept.iter().map(|at| std::mem::replace(&mut self.dest.rays[*at], Row::zero(0))),
        );
        rays.append(&mut added);
        for union in unions.chunks(stride) {
            missing.push(union);
        }
        if keep_positive {
            let column = missing.columns();
            missing.add_column();
            for (row, at) in kept.iter().enumerate() {
                if products[*at].sign().is_gt() {
                    missing.set(row, column);
                }
            }
        }
        self.dest.rays = rays;
        self.missing = missing;
        Ok(())
    }

    /// The adjacent pairs, and for each the union of their missing saturations, appended to `unions`.
    fn adjacent_pairs(
        &mut self,
        positive: &[usize],
        negative: &[usize],
        unions: &mut Vec<u64>,
    ) -> Result<Vec<(usize, usize)>, Exceeded> {
        // The rays of a face with two extreme rays, lines apart, span two dimensions, so that many
        // independent inequalities must be saturated by both.
        let needed = (self.width - self.rank).saturating_sub(self.dest.lines.len() + 2);
        let columns = self.missing.columns();
        let stride = self.missing.stride();
        let mut pairs = Vec::new();
        let mut union = vec![0; stride];
        for first in positive {
            let mut tests = 0;
            for second in negative {
                let rows = self.missing.row(*first).iter().zip(self.missing.row(*second));
                union.iter_mut().zip(rows).for_each(|(to, (a, b))| *to = a | b);
                if columns - count(&union) < needed {
                    continue;
                }
                tests += 1;
                if self.has_no_third(*first, *second, &union) {
                    pairs.push((*first, *second));
                    unions.extend_from_slice(&union);
                }
            }
            self.meter.charge(negative.len() + tests * self.dest.rays.len())?;
            self.meter.rows(pairs.len())?;
        }
        Ok(pairs)
    }

    fn has_no_third(&self, first: usize, second: usize, union: &[u64]) -> bool {
        let words = self.missing.words();
        if let [union] = union {
            let within =
                |(at, word): (usize, &u64)| word & !union == 0 && at != first && at != second;
            return !words.iter().enumerate().any(within);
        }
        let rows = words.chunks_exact(union.len()).enumerate();
        !rows.into_iter().any(|(at, row)| is_subset(row, union) && at != first && at != second)
    }
}

/// Brings lines into reduced echelon form: each has a positive entry in a column of its own (its
/// pivot), where all others have a zero. Dependent lines vanish. Gives the pivots.
pub(crate) fn echelon(lines: &mut Vec<Row>) -> Vec<usize> {
    let width = lines.first().map_or(0, Row::width);
    let mut pivots = Vec::new();
    // The constant last: an equality of a polyhedron with points always has another entry.
    for column in (1..width).chain(0..width.min(1)) {
        let done = pivots.len();
        let Some(at) = (done..lines.len()).find(|at| !lines[*at].sign(column).is_eq()) else {
            continue;
        };
        lines.swap(done, at);
        if lines[done].sign(column).is_lt() {
            lines[done] = lines[done].negated();
        }
        let pivot = lines[done].clone();
        let of_pivot = pivot.get(column);
        for (other, line) in lines.iter_mut().enumerate() {
            if other != done && !line.sign(column).is_eq() {
                *line = line.eliminate(&line.get(column), &pivot, &of_pivot);
            }
        }
        pivots.push(column);
    }
    lines.truncate(pivots.len());
    pivots
}

/// Makes the entries of the pivots' columns zero, by adding multiples of the lines.
pub(crate) fn reduce(row: &Row, lines: &[Row], pivots: &[usize]) -> Option<Row> {
    let mut reduced: Option<Row> = None;
    for (line, column) in lines.iter().zip(pivots) {
        let current = reduced.as_ref().unwrap_or(row);
        if !current.sign(*column).is_eq() {
            let product = current.get(*column);
            reduced = Some(current.eliminate(&product, line, &line.get(*column)));
        }
    }
    reduced
}

/// Sorts the rays and says which was where.
pub(crate) fn sort(rays: &mut Vec<Row>) -> Option<Vec<usize>> {
    if rays.is_sorted_by(|a, b| a.compare(b).is_le()) {
        return None;
    }
    let mut order: Vec<usize> = (0..rays.len()).collect();
    order.sort_by(|a, b| rays[*a].compare(&rays[*b]));
    let mut old = std::mem::take(rays);
    *rays = order.iter().map(|at| std::mem::replace(&mut old[*at], Row::zero(0))).collect();
    Some(order)
}
