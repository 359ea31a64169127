//! What `front` promises: one program for all tests of the crate, so that it is linked once.

mod callable;
mod holes;
mod input;
mod labels;
mod lower;
mod never_written;
mod opaque;
mod trial;
mod variadic;
