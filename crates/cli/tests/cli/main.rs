//! The program as its users meet it: arguments, output, exit codes.

mod anytime;
mod audit;
mod bad_comparison;
mod bad_input;
mod cache;
mod clients;
mod compare;
mod confirmed;
mod correlate;
mod crash;
mod exit_codes;
mod formats;
mod git;
mod impact;
mod interface;
mod limits;
mod local;
mod opaque;
mod options;
mod readme;
mod replay;
mod robust;
mod show;
mod signals;
mod soundness;
mod support;
