//! What correlated states say at pairs of loop heads, as candidates for an engine that checks invariants bit by bit.
//!
//! Of several sub-states at a pair of heads, the hull: a fact of it holds in each of them. Facts about entry values and
//! about temporaries are left out, since they are no variables there.

use super::correlate;
use super::map::{Claims, Map};
use std::rc::Rc;
use verdiff_judge::Task;
use verdiff_polyhedra::{Budget, Budgeted, Constraint, ConversionLimits, Domain, Relation, Var};
use verdiff_product::Facts;
use verdiff_product::candidates::{CandidateFact, CandidateInvariant, CandidateSource, ToZero};

/// More facts at one pair of heads are not offered: each costs whoever checks it.
const MOST_FACTS: usize = 40;
/// How many steps candidates are worth.
const STEPS: u64 = 2_000;

/// Candidates from correlated states.
pub struct Correlated {
    facts: Rc<Facts>,
}

impl Correlated {
    /// For the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Correlated {
        Correlated { facts: facts.clone() }
    }
}

impl CandidateSource for Correlated {
    fn candidates(&self, task: &Task<'_>) -> Vec<CandidateInvariant> {
        if self.facts.about(task).is_err() {
            return vec![];
        }
        let (_, map) = correlate(&self.facts, task.pair, STEPS);
        map.map_or(vec![], |map| candidates(&map))
    }
}

/// The candidates of a map.
pub fn candidates(map: &Map) -> Vec<CandidateInvariant> {
    let mut found = vec![];
    for ((old, new), claims) in &map.cells {
        let places = [map.places[0][*old], map.places[1][*new]];
        let [Some((old, 0)), Some((new, 0))] = places.map(|place| place.code) else { continue };
        if places.iter().all(|place| place.head) {
            let facts = facts(map, claims);
            found.push(CandidateInvariant { heads: [old, new], facts });
        }
    }
    found
}

fn facts(map: &Map, claims: &Claims) -> Vec<CandidateFact> {
    let Some(first) = claims.states.first() else { return vec![] };
    let mut equal = first.equal.clone();
    equal.retain(|pair| claims.states.iter().all(|state| state.equal.contains(pair)));
    let mut list: Vec<CandidateFact> =
        equal.into_iter().map(|(old, new)| CandidateFact::Equal(old, new)).collect();
    let linear = hull(map, claims).into_iter().filter_map(|constraint| linear(map, &constraint));
    list.extend(linear);
    list.truncate(MOST_FACTS);
    list
}

/// The constraints on variables that hold in every sub-state.
fn hull(map: &Map, claims: &Claims) -> Vec<Constraint> {
    let limits = ConversionLimits { rows: 60, bits: 128, steps: 40_000 };
    let budget = Budget::new(limits, 1_000_000);
    let mut all: Option<Budgeted> = None;
    for state in &claims.states {
        let mut numbers = Budgeted::within(map.size, budget.clone());
        numbers.meet_constraints(&state.constraints);
        match &mut all {
            None => all = Some(numbers),
            Some(all) => all.join(&numbers),
        }
    }
    let Some(mut all) = all else { return vec![] };
    let named = |var: &Var| map.dimensions.iter().any(|(_, _, there)| there == var);
    let others: Vec<Var> = (0..map.size).map(Var).filter(|var| !named(var)).collect();
    all.forget(&others);
    all.constraints()
}

/// A constraint as a fact; `None` if its numbers are large, as those of the range of a type are.
fn linear(map: &Map, constraint: &Constraint) -> Option<CandidateFact> {
    let form = constraint.form();
    let term = |(var, coefficient): (Var, &verdiff_polyhedra::Integer)| {
        let (side, id, _) = map.dimensions.iter().find(|(_, _, there)| *there == var)?;
        let small = coefficient.to_i64().filter(|c| c.unsigned_abs() < 1 << 20)?;
        Some((small, *side, *id))
    };
    let terms = form.terms().map(term).collect::<Option<Vec<_>>>()?;
    let constant = form.constant().to_i64()?;
    // The range of a type is no news.
    let limit = i64::from(i32::MAX);
    if terms.is_empty() || constant.unsigned_abs() >= limit.unsigned_abs() {
        return None;
    }
    let (relation, constant) = match constraint.relation() {
        Relation::EqualToZero => (ToZero::Equal, constant),
        Relation::AtLeastZero => (ToZero::AtLeast, constant),
        // Integers: more than zero is at least one.
        Relation::GreaterThanZero => (ToZero::AtLeast, constant - 1),
    };
    Some(CandidateFact::Linear { terms, relation, constant })
}
