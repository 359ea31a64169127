//! What `witness` promises: one program for all tests of the crate, so that it is linked once.

mod corpus;
mod driver;
mod emit;
mod features;
mod hang;
mod limits;
mod minimise;
mod replay;
mod replay_corpus;
mod replay_outside;
mod support;
