//! Relations with products: `s' == s + (i - 1) * n'`.
//!
//! Runs give all equations over the parameters and their products. Those without products say what they did before. Of the others one is taken for each
//! parameter of the new version that is not determined yet; but any sum with an equation of the old version alone (`2 * s == i * i - i`) is as good, and
//! only some of these sums can be proved without the latter, which is hard on solvers. So several are guessed, those with few and small
//! coefficients first.

use super::coordinate::{Coordinate, SideParameter, signed};
use super::relation::{CallRelation, cross_facts, pivots};
use std::collections::BTreeSet;
use verdiff_product::affine::Affine;

/// How many guesses are made.
const MOST: usize = 8;
/// How often an equation of the old version alone is added or subtracted.
const TIMES: i64 = 4;
/// Larger coefficients are chance.
const LARGEST: i128 = 16;

impl CallRelation {
    /// Guesses with products, the plain ones first; this one was learned from runs without them.
    pub fn quadratic(
        &self,
        widths: &[Vec<(u32, bool)>; 2],
        learn: &dyn Fn(&mut CallRelation),
    ) -> Vec<CallRelation> {
        let Some(mut whole) = self.with_products(widths) else { return vec![] };
        learn(&mut whole);
        let mut classes = vec![];
        for ((size, coordinates, affine), (_, plain, known)) in
            whole.classes.iter().zip(&self.classes)
        {
            let determined: BTreeSet<usize> =
                known.solved(&pivots(plain, *size)).iter().filter_map(|s| s.pivot).collect();
            let targets = (0..coordinates.len()).filter(|n| {
                let is_new = coordinates[*n].whole(*size).is_some_and(|p| p.side == 1);
                is_new && !determined.contains(n)
            });
            for target in targets {
                let order: Vec<usize> = determined.iter().copied().chain([target]).collect();
                let rows = affine.solved(&order);
                let Some(row) = rows.iter().find(|row| row.pivot == Some(target)) else { continue };
                let alone: Vec<&Vec<u64>> =
                    rows.iter().filter(|r| r.pivot.is_none()).map(|r| &r.coefficients).collect();
                let mut rows = sums(&row.coefficients, &alone, *size);
                rows.retain(|row| is_solved(coordinates, row, target));
                classes.push((*size, coordinates.clone(), rows));
            }
        }
        classes.retain(|(.., rows)| !rows.is_empty());
        let count = classes.iter().map(|(.., rows)| rows.len()).max().unwrap_or(0).min(MOST);
        let guess = |number: usize| {
            let mut guess = self.clone();
            guess.facts.extend(cross_facts(widths));
            // Orders of what is summed up are chance, and speak of products.
            let is_factor = |place: &SideParameter| {
                let of = |c: &Coordinate| matches!(c, Coordinate::Product(a, b) if a == place || b == place);
                let used = |(_, coordinates, rows): &(u32, Vec<Coordinate>, Vec<Vec<u64>>)| {
                    let row = rows.get(number).or(rows.first());
                    row.is_some_and(|row| {
                        coordinates.iter().zip(row).any(|(c, f)| *f != 0 && of(c))
                    })
                };
                classes.iter().any(used) || self.determines(place)
            };
            guess.facts.retain(|fact| fact.compares().iter().all(is_factor));
            for (size, coordinates, rows) in &classes {
                if let Some(row) = rows.get(number).or(rows.first()) {
                    let affine = Affine::single(*size, row.clone());
                    guess.classes.push((*size, coordinates.clone(), affine));
                }
            }
            learn(&mut guess);
            guess
        };
        (0..count).map(guess).collect()
    }
}

/// Whether an equation has products, none of them of the coordinate that it is solved for.
fn is_solved(coordinates: &[Coordinate], row: &[u64], target: usize) -> bool {
    let Coordinate::Param { place, .. } = coordinates[target] else { return false };
    let factors = coordinates.iter().zip(row).filter(|(_, factor)| **factor != 0);
    let products: Vec<(SideParameter, SideParameter)> = factors
        .filter_map(|(c, _)| match c {
            Coordinate::Product(a, b) => Some((*a, *b)),
            Coordinate::Param { .. } => None,
        })
        .collect();
    !products.is_empty() && products.iter().all(|(a, b)| *a != place && *b != place)
}

/// An equation with multiples of others added, the simplest ones first.
fn sums(row: &[u64], others: &[&Vec<u64>], size: u32) -> Vec<Vec<u64>> {
    let mask = u64::MAX >> (64 - size);
    let mut all = vec![row.to_vec()];
    for other in others {
        for times in (-TIMES..=TIMES).filter(|t| *t != 0) {
            let add = |(c, o): (&u64, &u64)| c.wrapping_add(o.wrapping_mul(times as u64)) & mask;
            all.push(row.iter().zip(other.iter()).map(add).collect());
        }
    }
    let sizes = |row: &Vec<u64>| -> Vec<i128> {
        row.iter().map(|c| signed(u128::from(*c), size).abs()).collect()
    };
    all.retain(|row| sizes(row).into_iter().all(|c| c <= LARGEST));
    all.sort_by_key(|row| {
        let sizes = sizes(row);
        (sizes.iter().sum::<i128>(), sizes.iter().filter(|c| **c != 0).count())
    });
    all.dedup();
    all
}
