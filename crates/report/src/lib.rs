//! Reports: the same [`Report`](verdiff_judge::report::Report) for a terminal and as JSON.
//!
//! Architecture invariant: a report decides nothing; it writes down what it is given.

#![forbid(unsafe_code)]
