//! Reports written by hand, and how they look.

mod different;
mod examples;
mod json;
mod text;
