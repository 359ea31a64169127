//! A second look at a question: symbols are taken apart, and facts are multiplied.
//!
//! `n / 2 * (n + 1)` for an even n and `(n / 2 + 1) * n` for an odd one are polynomials only of the half of n, and the high and
//! the low half of a word are terms that nobody knows to be parts of one number. So what is divided by a number, or of which some bits are
//! taken, is written as `c * k + r`; then quotients and remainders are polynomials, too.
//!
//! # Why that is sound
//!
//! Every number s from 0 to 2^w - 1 is `c * k + r` for one k from 0 to `(2^w - 1 - r) / c`, rounded down, and one r from 0 to
//! c - 1. So values that satisfy the terms satisfy what is said of that sum in place of the symbol, with these ranges:
//!
//! - *Parts*, for c = 2^p: k and r are both unknown. r is below 2^p, and k is below 2^(w - p) whatever r is.
//! - *Remainders*, for a small c: r is a number, and there is a case for each from 0 to c - 1. All must be refuted, so that no
//!   value is left. Each case is a question of its own, whose scripts speak of k alone.
//!
//! Facts are multiplied: where `a >= 0` and `b >= 0`, `a * b >= 0`; where `a = 0`, `a * b = 0`. Only facts that are given in the
//! case that is asked about, and unknowns whose range says that they are not negative.

use super::sum::{Range, Sum, Unknown, power};
use super::translation::{Said, Translation};
use crate::term::TermId;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;
use std::collections::{BTreeMap, BTreeSet};

/// For larger divisors there are too many remainders.
const MOST_REMAINDERS: u32 = 12;
/// More symbols are not taken apart, nor is one into more parts.
const MOST_SYMBOLS: usize = 8;
const MOST_PARTS: usize = 4;
/// How many ways of taking symbols apart are tried, besides that in parts.
const MOST_TRIED: usize = 2;
/// More products of facts are not said, nor those of longer sums.
const MOST_PRODUCTS: usize = 60;
const LONGEST: usize = 5;

/// How symbols are taken apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// At which bits.
    parts: Vec<(TermId, BTreeSet<u32>)>,
    /// One symbol, and by what it is divided with each remainder.
    pub remainders: Option<(TermId, u32)>,
}

impl Plan {
    /// How many cases it has.
    pub(super) fn cases(&self) -> u32 {
        self.remainders.map_or(1, |(_, divisor)| divisor)
    }
}

/// Ways to take symbols apart, by what was divided in a first look. Nothing if that would say the same again.
pub(super) fn plans(translation: &Translation<'_>) -> Vec<Plan> {
    let mut divisors: BTreeMap<TermId, BTreeSet<BigInt>> = BTreeMap::new();
    for (term, unknown) in &translation.symbols {
        let own = translation.divided.iter().filter(|(divided, _)| divided == unknown);
        let own: BTreeSet<BigInt> = own.map(|(_, divisor)| divisor.clone()).collect();
        if !own.is_empty() {
            divisors.insert(*term, own);
        }
    }
    let parts: Vec<(TermId, BTreeSet<u32>)> = divisors
        .iter()
        .filter_map(|(term, divisors)| {
            let width = translation.pool.width(*term);
            let exponent = |divisor: &BigInt| {
                let twos = divisor.trailing_zeros().and_then(|twos| u32::try_from(twos).ok())?;
                (power(twos) == *divisor && (1..width).contains(&twos)).then_some(twos)
            };
            let at: BTreeSet<u32> = divisors.iter().filter_map(exponent).collect();
            (!at.is_empty() && at.len() < MOST_PARTS).then_some((*term, at))
        })
        .take(MOST_SYMBOLS)
        .collect();
    let small = |(term, divisors): (&TermId, &BTreeSet<BigInt>)| {
        let of = |divisor: &BigInt| u32::try_from(divisor).ok().filter(|c| *c <= MOST_REMAINDERS);
        let all = divisors.iter().filter_map(of).fold(1, |a: u32, b| {
            let both = a.lcm(&b);
            if both <= MOST_REMAINDERS { both } else { a }
        });
        (all > 1).then_some((*term, all))
    };
    let by_remainders =
        divisors.iter().filter_map(small).take(MOST_TRIED).map(|(term, divisor)| {
            let others = parts.iter().filter(|(other, _)| *other != term).cloned();
            Plan { parts: others.collect(), remainders: Some((term, divisor)) }
        });
    let mut found: Vec<Plan> = by_remainders.collect();
    let large = |(_, at): &(TermId, BTreeSet<u32>)| at.iter().any(|p| *p > 3);
    if parts.iter().any(large) {
        found.insert(0, Plan { parts, remainders: None });
    }
    // Facts can be multiplied, at least.
    let multiplies = |said: &&Said| !said.linear && !products(&said.text).is_empty();
    if found.is_empty()
        && translation.said.iter().chain(&translation.conditions).any(|s| multiplies(&s))
    {
        found.push(Plan::default());
    }
    found
}

impl Translation<'_> {
    /// Notes that something with these unknowns is divided by a number.
    pub(super) fn note_divided(&mut self, sum: &Sum, divisor: &BigInt) {
        let small = *divisor <= BigInt::from(MOST_REMAINDERS);
        for (monomial, _) in sum.monomials() {
            if monomial.len() == 1 || small {
                self.divided.extend(monomial.iter().map(|unknown| (*unknown, divisor.clone())));
            }
        }
    }

    /// Takes symbols apart, in one of the cases. Before anything is translated.
    pub(super) fn take_apart(&mut self, plan: &Plan, remainder: u32) {
        self.again = true;
        for (term, at) in &plan.parts {
            let width = self.pool.width(*term);
            let mut sum = Sum::default();
            let mut from = 0;
            for to in at.iter().copied().chain([width]) {
                let part = self.unknown(Range::unsigned(to - from));
                sum = sum.plus(&power(from), &Sum::unknown(part));
                from = to;
            }
            self.take_as(*term, sum);
        }
        if let Some((term, divisor)) = plan.remainders {
            let most: BigInt = power(self.pool.width(term)) - 1 - remainder;
            if most.is_negative() {
                // No number of so few bits has this remainder.
                self.assume(&super::formula::Formula::False);
                return;
            }
            let part = self.unknown(Range::new(0, most.div_floor(&divisor.into())));
            let sum = Sum::constant(remainder).plus(&divisor.into(), &Sum::unknown(part));
            self.take_as(term, sum);
        }
    }

    fn take_as(&mut self, term: TermId, sum: Sum) {
        let unknown = self.unknown(Range::unsigned(self.pool.width(term)));
        self.symbols.insert(term, unknown);
        self.merge(unknown, sum);
    }

    /// Facts that are given here times unknowns, as far as that speaks of products that are asked about.
    pub(super) fn products_of_facts(&self) -> Vec<Said> {
        let mut monomials: BTreeSet<Vec<Unknown>> = BTreeSet::new();
        for said in self.conditions.iter().chain(&self.said).filter(|said| !said.linear) {
            monomials.extend(products(&said.text));
        }
        let is_negative = |unknown: &Unknown| self.ranges[*unknown as usize].low.is_negative();
        let mut factors: BTreeSet<Unknown> = monomials.iter().flatten().copied().collect();
        factors.retain(|unknown| !is_negative(unknown));
        let mut found = vec![];
        for fact in &self.conditions {
            let Some((sum, zero)) = &fact.about else { continue };
            if sum.degree() != 1 || sum.len() > LONGEST {
                continue;
            }
            for factor in &factors {
                let product = sum.times(&Sum::unknown(*factor));
                let known = |(monomial, _): (&Vec<Unknown>, &BigInt)| {
                    monomial.len() < 2 || monomials.contains(monomial)
                };
                if found.len() < MOST_PRODUCTS && product.monomials().all(known) {
                    let relation = if *zero { "=" } else { "<=" };
                    let text = format!("({relation} 0 {})", product.text());
                    found.push(Said { text, linear: false, about: None });
                }
            }
        }
        found
    }
}

/// The products of unknowns in a text.
fn products(text: &str) -> Vec<Vec<Unknown>> {
    let mut found = vec![];
    for part in text.split("(* ").skip(1) {
        let end = part.find([')', '(']).unwrap_or(part.len());
        // A number that is negative comes first, in brackets.
        let part = match part.starts_with("(- ") {
            true => part.split_once(')').map_or("", |(_, rest)| rest),
            false => &part[..end],
        };
        let part = &part[..part.find([')', '(']).unwrap_or(part.len())];
        let words = part.split(' ').filter_map(|word| word.strip_prefix('v')?.parse().ok());
        let mut unknowns: Vec<Unknown> = words.collect();
        unknowns.sort_unstable();
        if unknowns.len() > 1 {
            found.push(unknowns);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_found_in_texts() {
        let text = "(<= 0 (+ 3 (* 2 v0 v1) (* (- 4) v2 v3) (* 5 v9) (* v4 v4)))";
        assert_eq!(products(text), [vec![0, 1], vec![2, 3], vec![4, 4]]);
        assert!(products("(= 0 (+ v1 v2))").is_empty());
    }
}
