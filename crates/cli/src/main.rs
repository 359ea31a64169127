//! The program `verdiff`.
//!
//! Architecture invariant: this crate reads arguments, calls the other crates, and turns
//! what they give back into output and an exit code. It decides nothing about programs.

#![forbid(unsafe_code)]

mod accept_file;
mod arguments;
mod audit;
mod cache;
mod compare;
mod correlate;
mod explain;
mod fault;
mod generated;
mod interrupt;
mod lsp;
mod pager;
mod paint;
mod report_arguments;
mod show;
mod supervise;
mod version;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;
use verdiff_judge::exit_if_abandoned;

/// Notes failed allocations, so that a worker can say that it ran out of memory.
#[global_allocator]
static ALLOCATOR: verdiff_plan::worker::Allocator = verdiff_plan::worker::Allocator;

fn main() -> ExitCode {
    fault::guard(|| {
        let arguments = Arguments::parse();
        let color = arguments.color;
        // A worker has whoever started it for a supervisor.
        if let Some(Command::Worker(worker)) = &arguments.command {
            return ExitCode::from(compare::worker(worker));
        }
        // Standard input belongs to the editor. What may crash is done by processes of its own.
        if let Some(Command::Lsp(server)) = &arguments.command {
            let code = lsp::run(server).unwrap_or_else(|error| fault::report(&error, color));
            return ExitCode::from(code);
        }
        let memory = arguments.memory_of_workers();
        let work = || {
            let code = run(arguments).unwrap_or_else(|error| fault::report(&error, color));
            exit_if_abandoned(code);
            ExitCode::from(code)
        };
        supervise::supervised(|| compare::first_worker(memory?).map(ExitCode::from), work)
    })
}

fn run(arguments: Arguments) -> anyhow::Result<u8> {
    match arguments.command {
        Some(Command::Show(show)) => show::run(&show, arguments.color),
        Some(Command::Correlate(correlate)) => correlate::run(&correlate, arguments.color),
        Some(Command::Git(git)) => compare::git(&git, arguments.color),
        Some(Command::Cache(arguments)) => cache::run(&arguments),
        Some(Command::Audit(audit)) => audit::run(&audit),
        Some(Command::Accept(accept)) => accept_file::run(&accept),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::Completions(arguments)) => generated::completions(&arguments),
        Some(Command::Man(arguments)) => generated::manual(&arguments),
        Some(Command::Replay(replay)) => compare::replay(&replay, arguments.color),
        Some(Command::Lenses(lenses)) => compare::lenses(&lenses),
        Some(Command::Lsp(server)) => lsp::run(&server),
        Some(Command::Worker(worker)) => Ok(compare::worker(&worker)),
        None => compare::run(&arguments.compare, arguments.color),
    }
}
