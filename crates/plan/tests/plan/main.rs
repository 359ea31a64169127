//! What `plan` promises: one program for all tests of the crate, so that it is linked once.

mod boundary;
mod local;
mod restricted;
mod support;
mod worker;
