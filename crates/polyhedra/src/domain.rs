//! The abstract domain: what every representation of sets of points can do.
//!
//! A value stands for a set of points of a space with numbered dimensions ([`Var`]). Every operation
//! is *sound*: its result contains all points that the operation on sets would give. Which ones are
//! exact is said where they are implemented: on [`Polyhedron`](crate::Polyhedron) all are, on
//! boxes and octagons few.

use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::Bounds;
use std::fmt::Debug;

/// A set of points, approximated from above.
///
/// Variables of an argument must be within the space, and two values of one operation must have the
/// same dimension; anything else panics.
pub trait Domain: Clone + Debug {
    /// All points of a space.
    fn top(dimension: usize) -> Self;

    /// No point.
    fn bottom(dimension: usize) -> Self;

    /// The number of dimensions.
    fn dimension(&self) -> usize;

    /// Whether there is no point.
    fn is_bottom(&self) -> bool;

    /// Whether all points are in it.
    fn is_top(&self) -> bool;

    /// Whether every point of `other` is a point of `self`. "No" may also mean "not known", except for
    /// polyhedra.
    fn includes(&self, other: &Self) -> bool;

    /// Whether both have the same points.
    fn equals(&self, other: &Self) -> bool {
        self.includes(other) && other.includes(self)
    }

    /// Keeps the points that are in both.
    fn meet(&mut self, other: &Self);

    /// Keeps the points that satisfy all constraints.
    fn meet_constraints(&mut self, constraints: &[Constraint]);

    /// Keeps the points that satisfy all constraints, for variables that have whole values only:
    /// constraints are tightened first ([`Constraint::tightened`]).
    fn meet_integer(&mut self, constraints: &[Constraint]) {
        let tight: Vec<Constraint> = constraints.iter().map(Constraint::tightened).collect();
        self.meet_constraints(&tight);
    }

    /// Tightens the constraints that are known, for variables that have whole values only: no point with
    /// whole coordinates is lost. This is a step towards the hull of these points, not all of it.
    fn tighten(&mut self) {
        let known = self.constraints();
        self.meet_integer(&known);
    }

    /// Adds the points of `other`, and what lies between.
    fn join(&mut self, other: &Self);

    /// The points after the assignment `var := form`.
    fn assign(&mut self, var: Var, form: &Linear);

    /// The points before the assignment `var := form`: those from which it leads into the set.
    fn substitute(&mut self, var: Var, form: &Linear);

    /// Any values for these variables.
    fn forget(&mut self, vars: &[Var]);

    /// Appends dimensions, with any values.
    fn add_dimensions(&mut self, count: usize);

    /// Removes dimensions: the shadow on the others, which move up and keep their order.
    fn remove_dimensions(&mut self, vars: &[Var]);

    /// The shadow on some variables, in the order of their indices; all other dimensions are removed.
    fn project(&mut self, kept: &[Var]) {
        let gone: Vec<Var> =
            (0..self.dimension()).map(Var).filter(|var| !kept.contains(var)).collect();
        self.remove_dimensions(&gone);
    }

    /// Moves variables: `to[i]` becomes the place of variable `i`. A permutation.
    fn rename(&mut self, to: &[Var]);

    /// The values of a linear form, or `None` if there is no point. Not always the smallest interval,
    /// except for polyhedra.
    fn bounds(&self, form: &Linear) -> Option<Bounds>;

    /// Whether all points satisfy a constraint. "No" may also mean "not known", except for polyhedra.
    fn entails(&self, constraint: &Constraint) -> bool;

    /// Whether two variables are known to be equal.
    fn are_equal(&self, a: Var, b: Var) -> bool {
        a == b || self.entails(&Linear::from(a).equal_to(b))
    }

    /// Makes `self` an upper bound of `self` and `newer` such that any sequence of widenings becomes
    /// stable. Thresholds are constraints that are kept where they hold for both.
    fn widen(&mut self, newer: &Self, thresholds: &[Constraint]);

    /// Makes `self` a value between `self` and its meet with `newer` such that any sequence of
    /// narrowings becomes stable.
    fn narrow(&mut self, newer: &Self);

    /// Constraints that describe the set; one that is never true if there is no point.
    fn constraints(&self) -> Vec<Constraint>;
}

/// How the values at the head of a loop are extrapolated: joins first, then widenings.
///
/// ```
/// use verdiff_polyhedra::{Domain, Polyhedron, Var, Widening};
/// let x = Var(0);
/// let mut state = Polyhedron::top(1);
/// state.assign(x, &0.into());
/// let strategy = Widening { delay: 1, thresholds: vec![(x + 0).at_most(100)] };
/// for visit in 0.. {
///     let mut next = state.clone();
///     next.assign(x, &(x + 1));
///     if strategy.extrapolate(&mut state, &next, visit) {
///         break;
///     }
/// }
/// assert_eq!(state.to_string(), "{ x0 >= 0 }");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Widening {
    /// How many visits join before widening starts.
    pub delay: usize,
    /// Constraints to be kept while they hold. The last threshold that is exceeded does no harm.
    pub thresholds: Vec<Constraint>,
}

impl Widening {
    /// Takes `newer` into `state`, at the given visit, counted from zero. Says whether `state` is
    /// stable: it included `newer` already.
    pub fn extrapolate<D: Domain>(&self, state: &mut D, newer: &D, visit: usize) -> bool {
        if state.includes(newer) {
            return true;
        }
        if visit < self.delay {
            state.join(newer);
        } else {
            state.widen(newer, &self.thresholds);
        }
        false
    }
}
