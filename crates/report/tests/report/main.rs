//! Reports written by hand, and how they look.

mod browser;
mod different;
mod examples;
mod html;
mod impact;
mod json;
mod lens;
mod sarif;
mod schema;
mod text;
