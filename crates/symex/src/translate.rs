//! Expressions as terms.
