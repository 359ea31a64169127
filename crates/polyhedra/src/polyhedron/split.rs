//! Products of polyhedra, and the factors of one.
//!
//! A polyhedron is a product if its variables fall into groups such that no constraint of its canonical form
//! relates variables of different groups. Canonical forms find the finest such groups: the echelon
//! form of the equalities of a product is that of its factors, and the facets of a product are those of
//! its factors, reduced by the equalities of their own factor only.

use super::Polyhedron;
use crate::bits::is_subset;
use crate::conversion::Rows;
use crate::limits::{Exceeded, Meter};
use crate::linear::{Constraint, Var};
use crate::pair::Pair;
use crate::row::Row;
use std::sync::Arc;

/// Products with more generators than this are left to conversion, which can stop at a limit.
const LARGE_PRODUCT: usize = 4_096;

impl Polyhedron {
    /// The product with a polyhedron over other variables, which are appended.
    pub(crate) fn product(
        &self,
        other: &Polyhedron,
        meter: &mut Meter,
    ) -> Result<Polyhedron, Exceeded> {
        self.convert_within(meter)?;
        other.convert_within(meter)?;
        let dimension = self.dimension + other.dimension;
        let (Some(a), Some(b)) = (self.pair(), other.pair()) else {
            return Ok(Polyhedron::empty(dimension));
        };
        let size = a.generators.rays.len() * b.generators.rays.len();
        meter.charge(size)?;
        if self.is_wide(a.width) || other.is_wide(b.width) || size > LARGE_PRODUCT {
            let mut result = self.clone();
            result.append(other.dimension);
            let shift = |constraint: &Constraint| constraint.rename(|v| Var(v.0 + self.dimension));
            let more: Vec<Constraint> = other.minimal_constraints(b).iter().map(shift).collect();
            result.add_constraints(&more);
            return Ok(result);
        }
        Ok(Polyhedron::of_pair(dimension, Arc::new(product_of_closed(a, b))))
    }

    /// The groups of variables that are related with each other, each sorted; variables without any
    /// constraint are in none. Converts; the polyhedron must not be empty.
    pub(crate) fn groups(&self) -> Vec<Vec<usize>> {
        let Some(pair) = self.pair() else { return Vec::new() };
        let mut group: Vec<Option<usize>> = vec![None; self.dimension];
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for row in pair.constraints.lines.iter().chain(&pair.constraints.rays) {
            let vars = (0..self.dimension).filter(|at| !row.sign(at + 1).is_eq());
            let mut target: Option<usize> = None;
            for var in vars {
                match (group[var], target) {
                    (None, None) => {
                        target = Some(groups.len());
                        group[var] = target;
                        groups.push(vec![var]);
                    }
                    (None, Some(into)) => {
                        group[var] = target;
                        groups[into].push(var);
                    }
                    (Some(own), None) => target = Some(own),
                    (Some(own), Some(into)) if own != into => {
                        let moved = std::mem::take(&mut groups[own]);
                        moved.iter().for_each(|var| group[*var] = target);
                        groups[into].extend(moved);
                    }
                    _ => {}
                }
            }
        }
        groups.retain(|group| !group.is_empty());
        groups.iter_mut().for_each(|group| group.sort_unstable());
        groups.sort();
        groups
    }

    /// The factor over one of the [groups](Polyhedron::groups).
    pub(crate) fn factor(&self, group: &[usize]) -> Polyhedron {
        let Some(pair) = self.pair() else { return Polyhedron::empty(group.len()) };
        if self.is_wide(pair.width) {
            let place = |var: Var| Var(group.iter().position(|at| *at == var.0).unwrap_or(0));
            let inside = |c: &Constraint| c.form().vars().any(|var| group.contains(&var.0));
            let list = self.minimal_constraints(pair);
            let list: Vec<Constraint> =
                list.iter().filter(|c| inside(c)).map(|c| c.rename(place)).collect();
            let mut result = Polyhedron::whole(group.len());
            result.add_constraints(&list);
            return result;
        }
        let columns: Vec<Option<usize>> =
            std::iter::once(0).chain(group.iter().map(|var| var + 1)).map(Some).collect();
        let of_group = |rows: &[Row]| -> Vec<Row> {
            let rows = rows.iter().map(|row| row.select(&columns));
            let mut rows: Vec<Row> = rows.filter(|row| !row.is_zero()).collect();
            rows.sort_by(Row::compare);
            rows.dedup();
            rows
        };
        let speaks = |row: &&Row| group.iter().any(|var| !row.sign(var + 1).is_eq());
        let inequalities: Vec<Row> = pair.constraints.rays.iter().filter(speaks).cloned().collect();
        let equalities: Vec<Row> = pair.constraints.lines.iter().filter(speaks).cloned().collect();
        let constraints = Rows { lines: of_group(&equalities), rays: of_group(&inequalities) };
        let generators = pair.generators.clone();
        let generators =
            Rows { lines: of_group(&generators.lines), rays: of_group(&generators.rays) };
        let pair = with_positive(columns.len(), constraints, generators);
        Polyhedron::of_pair(group.len(), Arc::new(pair))
    }
}

/// The product of closed polyhedra: constraints of both; a point for each pair of points.
fn product_of_closed(a: &Pair, b: &Pair) -> Pair {
    let (first, second) = (a.width - 1, b.width - 1);
    let width = 1 + first + second;
    let place_a: Vec<Option<usize>> =
        (0..width).map(|column| (column <= first).then_some(column)).collect();
    let place_b: Vec<Option<usize>> = (0..width)
        .map(|column| match column {
            0 => Some(0),
            column if column > first => Some(column - first),
            _ => None,
        })
        .collect();
    let mut constraints = a.constraints.map(|row| row.select(&place_a));
    let others = b.constraints.map(|row| row.select(&place_b));
    constraints.lines.extend(others.lines);
    constraints.rays.extend(others.rays);
    let positive = Row::unit(width, 0);
    constraints.rays.retain(|row| *row != positive);
    let mut generators = Rows::default();
    for (pair, place) in [(a, &place_a), (b, &place_b)] {
        generators.lines.extend(pair.generators.lines.iter().map(|row| row.select(place)));
        let rays = pair.generators.rays.iter().filter(|ray| ray.sign(0).is_eq());
        generators.rays.extend(rays.map(|ray| ray.select(place)));
    }
    let of_b = points(&b.generators);
    for x in points(&a.generators) {
        for y in &of_b {
            let (p, q) = (x.get(0), y.get(0));
            let mut entries = vec![&p * &q];
            entries.extend((1..=first).map(|at| &x.get(at) * &q));
            entries.extend((1..=second).map(|at| &y.get(at) * &p));
            generators.rays.push(Row::new(&entries));
        }
    }
    with_positive(width, constraints, generators)
}

fn points(rows: &Rows) -> Vec<&Row> {
    rows.rays.iter().filter(|ray| ray.sign(0).is_gt()).collect()
}

/// The pair of minimal descriptions of which only the constraint that the first entry is not negative
/// may be missing, and may be redundant.
fn with_positive(width: usize, mut constraints: Rows, generators: Rows) -> Pair {
    constraints.rays.push(Row::unit(width, 0));
    let mut pair = Pair::of_minimal(width, constraints, generators);
    let positive = Row::unit(width, 0);
    let Some(at) = pair.constraints.rays.iter().position(|row| *row == positive) else {
        return pair;
    };
    let by_constraint = pair.missing.transposed();
    let redundant = (0..by_constraint.rows())
        .any(|other| other != at && is_subset(by_constraint.row(other), by_constraint.row(at)));
    if redundant {
        let kept: Vec<usize> = (0..by_constraint.rows()).filter(|row| *row != at).collect();
        pair.constraints.rays.remove(at);
        pair.missing = by_constraint.select_rows(&kept).transposed();
    }
    pair
}
