//! What `logic` promises: one program for all tests of the crate, so that it is linked once.

mod backends;
mod c_text;
mod depth;
mod integers;
mod integers_parts;
mod integers_random;
mod layers;
mod readable;
mod rules;
mod simplifier;
mod support;
