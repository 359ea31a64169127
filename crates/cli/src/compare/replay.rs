//! `verdiff replay`.
