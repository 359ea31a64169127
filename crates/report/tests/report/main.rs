//! Reports written by hand, and how they look.

mod different;
mod examples;
mod impact;
mod json;
mod text;
