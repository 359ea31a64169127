//! The operations that are timed, as traces.

use verdiff_polyhedra::trace::{Recorded, Trace, TraceStep, record};
use verdiff_polyhedra::{Blocks, Constraint, Domain, Linear, Relation, Var};

type Value = Recorded<Blocks>;

/// A small generator of random numbers (xorshift), so that all runs see the same traces.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }

    fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    fn form(&mut self, dimension: usize, terms: usize) -> Linear {
        let mut form = Linear::from(self.between(-8, 8));
        for _ in 0..terms {
            form = form + Var(self.below(dimension)) * self.between(-3, 3);
        }
        form
    }
}

/// A cube: few constraints, many points.
pub fn cube(dimension: usize) -> Trace {
    record(|| {
        let mut value = Value::top(dimension);
        for at in 0..dimension {
            value.meet_constraints(&[(Var(at) + 0).at_least(0), (Var(at) + 0).at_most(1)]);
        }
        value.bounds(&Linear::new((0..dimension).map(|at| (Var(at), 1.into())), 0));
    })
    .1
}

/// The convex hull of the unit points and their opposites: few points, many constraints.
pub fn cross(dimension: usize) -> Trace {
    record(|| {
        let mut hull = Value::bottom(dimension);
        for at in 0..dimension {
            for sign in [-1, 1] {
                let mut point = Value::top(dimension);
                let place = |other: usize| Linear::from(if other == at { sign } else { 0 });
                let list: Vec<Constraint> = (0..dimension)
                    .map(|other| Linear::from(Var(other)).equal_to(place(other)))
                    .collect();
                point.meet_constraints(&list);
                hull.join(&point);
            }
        }
        hull.constraints();
    })
    .1
}

/// Random half-spaces around the origin.
pub fn random_polytope(dimension: usize, count: usize, seed: u64) -> Trace {
    record(|| {
        let mut random = Random(seed);
        let mut value = Value::top(dimension);
        for _ in 0..count {
            let terms = (0..dimension)
                .map(|at| (Var(at), random.between(-9, 9).into()))
                .collect::<Vec<_>>();
            let form = Linear::new(terms, random.between(5, 50));
            value.meet_constraints(&[form.at_least(0)]);
        }
        value.bounds(&Linear::from(Var(0)));
        let mut shadow = value.clone();
        shadow.forget(&[Var(0)]);
        shadow.constraints();
    })
    .1
}

/// Like a correlation of two versions: pairs of equal variables, loops with counters, branches that
/// are joined, widening.
pub fn correlation(pairs: usize, seed: u64) -> Trace {
    record(|| {
        let mut random = Random(seed);
        let dimension = 2 * pairs;
        let (old, new) = (|at: usize| Var(at), |at: usize| Var(pairs + at));
        let mut state = Value::top(dimension);
        let equal: Vec<Constraint> =
            (0..pairs).map(|at| Linear::from(old(at)).equal_to(new(at))).collect();
        state.meet_constraints(&equal);
        state.meet_constraints(&[Linear::from(old(0)).at_least(0)]);
        state.assign(old(1), &0.into());
        state.assign(new(1), &0.into());
        for visit in 0..8 {
            let mut body = state.clone();
            body.meet_constraints(&[(old(1) + 1).at_most(old(0)), (new(1) + 1).at_most(new(0))]);
            let mut branch = body.clone();
            let var = 1 + random.below(pairs - 1);
            let test = Linear::from(old(var)).at_least(random.between(-5, 5));
            body.meet_constraints(std::slice::from_ref(&test));
            branch.meet_constraints(&[test.form().at_most(-1)]);
            for side in [0, pairs] {
                let (to, from) = (1 + random.below(pairs - 1), random.below(pairs));
                body.assign(Var(side + to), &(Var(side + to) + Var(side + from)));
                branch.assign(Var(side + to), &(Var(side + from) + random.between(0, 3)));
            }
            body.join(&branch);
            for side in [0, pairs] {
                body.assign(Var(side + 1), &(Var(side + 1) + 1));
            }
            for at in 0..pairs {
                body.are_equal(old(at), new(at));
            }
            if state.includes(&body) {
                break;
            }
            if visit < 3 {
                state.join(&body);
            } else {
                state.widen(&body, &[]);
            }
        }
        state.meet_constraints(&[Linear::from(old(1)).at_least(old(0))]);
        for at in 0..pairs {
            state.bounds(&(old(at) - new(at)));
        }
        state.constraints();
    })
    .1
}

/// Random operations on a few values.
pub fn random_operations(dimension: usize, count: usize, seed: u64) -> Trace {
    record(|| {
        let mut random = Random(seed);
        let fresh = |random: &mut Random| {
            let mut value = Value::top(dimension);
            let box_of = |at| {
                let low = random.between(-9, 0);
                [(Var(at) + 0).at_least(low), (Var(at) + 0).at_most(low + 7)]
            };
            let list: Vec<Constraint> = (0..dimension).flat_map(box_of).collect();
            value.meet_constraints(&list[..list.len() * 3 / 4]);
            value
        };
        let mut values: Vec<Value> = (0..3).map(|_| fresh(&mut random)).collect();
        for _ in 0..count {
            let at = random.below(3);
            let var = Var(random.below(dimension));
            match random.below(6) {
                0 | 1 => {
                    let list = [random.form(dimension, 3).at_least(0)];
                    values[at].meet_constraints(&list);
                }
                2 => {
                    let form = random.form(dimension, 2);
                    values[at].assign(var, &form);
                }
                3 => {
                    let form = random.form(dimension, 1) + var;
                    values[at].assign(var, &form);
                }
                4 => {
                    let other = values[(at + 1) % 3].clone();
                    values[at].join(&other);
                }
                _ => values[at].forget(&[var]),
            }
            if values[at].is_bottom() {
                values[at] = fresh(&mut random);
            }
            values[at].bounds(&Linear::from(var));
        }
    })
    .1
}

/// Several unrelated groups of two pairs of variables, one after the other in a loop with a counter
/// and an accumulator each, as in two versions of a program with many small loops. Each group is a cone
/// with one point, so that generators of groups add up; with a `bound` on the counters
/// it has two, and their numbers multiply in one block.
pub fn independent(groups: usize, bound: Option<i64>) -> Trace {
    record(|| {
        let mut state = Value::top(4 * groups);
        for group in 0..groups {
            let [i, s, j, t] = [0, 1, 2, 3].map(|at| Var(4 * group + at));
            state.meet_constraints(&[
                Linear::from(i).equal_to(j),
                Linear::from(s).equal_to(t),
                Linear::from(i).at_least(0),
                Linear::from(s).at_least(i),
            ]);
            if let Some(bound) = bound {
                state.meet_constraints(&[Linear::from(i).at_most(bound)]);
            }
        }
        for group in 0..groups {
            let [i, s, j, t] = [0, 1, 2, 3].map(|at| Var(4 * group + at));
            for visit in 0..4 {
                let mut body = state.clone();
                body.assign(i, &(i + 1));
                body.assign(s, &(s + i));
                let mut branch = body.clone();
                body.meet_constraints(&[Linear::from(j).at_least(3)]);
                branch.meet_constraints(&[Linear::from(j).at_most(2)]);
                body.assign(j, &(j + 1));
                branch.assign(j, &(j + 1));
                body.assign(t, &(t + j - 1));
                branch.assign(t, &(t + j - 1));
                body.join(&branch);
                body.are_equal(s, t);
                if state.includes(&body) {
                    break;
                }
                if visit < 1 {
                    state.join(&body);
                } else {
                    state.widen(&body, &[]);
                }
            }
        }
        for group in 0..groups {
            state.bounds(&(Var(4 * group + 1) - Var(4 * group + 3)));
        }
    })
    .1
}

/// Random half-spaces with coefficients of about a million.
pub fn large_coefficients(dimension: usize, count: usize, seed: u64) -> Trace {
    record(|| {
        let mut random = Random(seed);
        let mut value = Value::top(dimension);
        for _ in 0..count {
            let terms = (0..dimension)
                .map(|at| (Var(at), random.between(-1_000_000, 1_000_000).into()))
                .collect::<Vec<_>>();
            let form = Linear::new(terms, random.between(500_000, 5_000_000));
            value.meet_constraints(&[form.at_least(0)]);
        }
        value.bounds(&Linear::from(Var(0)));
    })
    .1
}

/// Random operations with strict constraints.
pub fn strict_operations(dimension: usize, count: usize, seed: u64) -> Trace {
    let trace = random_operations(dimension, count, seed);
    let mut at = 0;
    let mut strict = |constraint: &Constraint| {
        at += 1;
        let relation = if at % 2 == 0 { Relation::GreaterThanZero } else { constraint.relation() };
        Constraint::new(constraint.form().clone(), relation)
    };
    let steps = trace.steps.iter().map(|step| match step {
        TraceStep::MeetConstraints(at, list) => {
            TraceStep::MeetConstraints(*at, list.iter().map(&mut strict).collect())
        }
        other => other.clone(),
    });
    Trace { steps: steps.collect() }
}
