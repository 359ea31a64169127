//! The program as its users meet it: arguments, output, exit codes.

mod bad_input;
mod crash;
mod readme;
mod show;
mod support;
