//! Variables that are what several of the other version become joined: lanes.
//!
//! A loop by hand in two or four lanes keeps as many least elements, or exclusive ors; what the plain loop has is the least
//! of them, or their exclusive or. No equation says that. The code joins the lanes behind the loop only, often with a last
//! element, so that it has no expression of the lanes alone either. So the usual ways to join numbers are tried with
//! pairs of variables, and with four that follow each other. (Sums of lanes are equations.)
//!
//! What is found is a guess, shown and dropped like any other expression ([`Expressed`]).

use super::expressions::{Expressed, FEWEST_NUMBERS};
use super::invariant::Var;
use super::runs::Point;
use super::step::Step;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{LogicError, TermId, effort};
use verdiff_symex::space::Space;

/// More sets of variables are not tried for one.
const MOST_SETS: usize = 40;

/// How results of several lanes become one.
#[derive(Clone, Copy)]
enum Joined {
    Less { signed: bool },
    Greater { signed: bool },
    Xor,
    And,
    Or,
}

impl Joined {
    const ALL: [Joined; 7] = [
        Joined::Less { signed: true },
        Joined::Greater { signed: true },
        Joined::Less { signed: false },
        Joined::Greater { signed: false },
        Joined::Xor,
        Joined::And,
        Joined::Or,
    ];

    fn number(self, [a, b]: [u128; 2], width: u32) -> u128 {
        // With the sign bit flipped, numbers with a sign have the order of numbers without.
        let key = |number: u128, signed: bool| number ^ (u128::from(signed) << (width - 1));
        match self {
            Joined::Less { signed } if key(a, signed) < key(b, signed) => a,
            Joined::Greater { signed } if key(b, signed) < key(a, signed) => a,
            Joined::Less { .. } | Joined::Greater { .. } => b,
            Joined::Xor => a ^ b,
            Joined::And => a & b,
            Joined::Or => a | b,
        }
    }

    fn term(self, space: &mut Space, a: TermId, b: TermId) -> Result<TermId, LogicError> {
        let less = |space: &mut Space, a, b, signed| match signed {
            true => space.pool.bv_slt(a, b),
            false => space.pool.bv_ult(a, b),
        };
        match self {
            Joined::Less { signed } => {
                let less = less(space, a, b, signed)?;
                space.ite(less, a, b)
            }
            Joined::Greater { signed } => {
                let less = less(space, b, a, signed)?;
                space.ite(less, a, b)
            }
            Joined::Xor => space.pool.bv_xor(a, b),
            Joined::And => space.pool.bv_and(a, b),
            Joined::Or => space.pool.bv_or(a, b),
        }
    }
}

/// Variables that are at all points what two or four of the other side become joined.
pub fn lanes(
    space: &mut Space,
    step: &Step,
    vars: &[Var],
    points: &[Point],
) -> Result<Vec<Expressed>, LogicError> {
    let usual = |var: &&Var| !var.pointer && (8..=64).contains(&var.width);
    let is_symbol =
        |var: &&Var| space.pool.as_symbol(step.at[var.side].values[var.index]).is_some();
    let vars: Vec<Var> = vars.iter().filter(usual).filter(is_symbol).copied().collect();
    let column = |var: &Var| points.iter().map(|point| var.number(point)).collect::<Vec<u128>>();
    let columns: BTreeMap<Var, Vec<u128>> = vars.iter().map(|var| (*var, column(var))).collect();
    let differ = |a: &[u128]| a.iter().collect::<BTreeSet<_>>().len() >= FEWEST_NUMBERS;
    let mut found = vec![];
    for var in &vars {
        let numbers = &columns[var];
        let others: Vec<Var> = vars
            .iter()
            .filter(|other| other.side != var.side && other.width == var.width)
            .filter(|other| differ(&columns[other]))
            .copied()
            .collect();
        // What is a variable of the other side alone needs no other one.
        if !differ(numbers) || others.iter().any(|other| &columns[other] == numbers) {
            continue;
        }
        let pairs = others.iter().enumerate();
        let pairs = pairs.flat_map(|(n, a)| others[n + 1..].iter().map(move |b| vec![*a, *b]));
        let sets: Vec<Vec<Var>> =
            pairs.chain(others.windows(4).map(<[Var]>::to_vec)).take(MOST_SETS).collect();
        let joined = |how: Joined, of: &[Var]| {
            (0..points.len()).all(|point| {
                let number = |var: &Var| columns[var][point];
                let all = of.iter().map(number).reduce(|a, b| how.number([a, b], var.width));
                all == Some(numbers[point])
            })
        };
        effort::count(
            effort::Step::Interpreted,
            (sets.len() * Joined::ALL.len() * (1 + points.len() / 8)) as u64,
        );
        let first = sets.iter().find_map(|of| {
            Joined::ALL.into_iter().find(|how| joined(*how, of)).map(|how| (how, of))
        });
        let Some((how, of)) = first else { continue };
        let symbol = |var: &Var| step.at[var.side].values[var.index];
        let mut term = symbol(&of[0]);
        for other in &of[1..] {
            term = how.term(space, term, symbol(other))?;
        }
        found.push(Expressed { var: *var, term, of: of.clone() });
    }
    Ok(found)
}
