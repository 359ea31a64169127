//! Reports written by hand, and how they look.

mod common;
mod different;
mod json;
mod text;
