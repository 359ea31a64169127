//! Sets of points with numbered dimensions, described by linear constraints. What follows is the README.
//!
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod bits;
mod blocks;
mod boxes;
mod budgeted;
mod conversion;
mod domain;
mod integer;
mod limits;
mod linear;
mod octagon;
mod pair;
mod polyhedron;
mod row;
pub mod trace;

pub use blocks::Blocks;
pub use boxes::Boxes;
pub use budgeted::{Budget, Budgeted, Fallback, Operation, Precision};
pub use domain::{Domain, Widening};
pub use integer::{Integer, Rational};
pub use limits::{ConversionLimits, Exceeded};
pub use linear::{Constraint, Linear, Relation, Var};
pub use octagon::Octagon;
pub use polyhedron::{Bound, Bounds, Generator, Polyhedron};
