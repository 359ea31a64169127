//! Reports written by hand, and how they look.

mod different;
mod examples;
mod html;
mod impact;
mod json;
mod lens;
mod sarif;
mod schema;
mod text;
