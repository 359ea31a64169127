//! The comparison: loads both versions, has them judged, writes the report.

mod accept;
mod clients;
mod destinations;
mod early_lenses;
#[cfg(debug_assertions)]
mod fault_injection;
mod git;
mod glob;
mod output;
mod progress;
mod replay;
mod worker;

pub use git::{lenses, run as git};
pub use output::{print, read_report};
pub use replay::replay;
pub use worker::{first as first_worker, serve as worker};

use crate::arguments::{Color, Compare, Criterion, Options, Overflow};
use crate::{audit, cache, fault, interrupt};
use accept::Accepted;
use anyhow::{Context, bail};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdiff::{Compiled, Job, Judged, Judging};
use verdiff_cache::Store;
use verdiff_front::Inputs;
use verdiff_judge::Comparison;
use verdiff_plan::{JobOrder, Limits, Progress};
use verdiff_report::Report;

/// Runs the command.
pub fn run(arguments: &Compare, color: Color) -> anyhow::Result<u8> {
    if !arguments.clients.is_empty() {
        return clients::run(arguments, color);
    }
    let begun = Instant::now();
    let options = &arguments.options;
    let store = cache::open(&options.cache)?;
    let (old, new) = inputs(arguments, store.as_ref())?;
    let limits = limits(options, begun)?;
    let accepted = options.accept.as_deref().map(Accepted::read).transpose()?;
    let emit_test = arguments.emit_test.as_deref();
    let job = Job {
        old,
        new,
        judged: Judged::Named,
        options: verdiff::Options {
            tests: emit_test.is_some(),
            ..judging(options, &arguments.clang_flags)?
        },
        limits,
        store,
        trusts_cached_replays: options.cache.no_replay,
    };
    let (report, compiled) = judge(&job, options, emit_test, &|_, _| {}, color)?;
    let mut report = ManuallyDrop::new(report);
    if let Some(folder) = emit_test {
        write_tests(&compiled, folder, &mut report)?;
    }
    if let Some(accepted) = accepted {
        for unused in accepted.apply(&mut report) {
            fault::warn(&unused, color);
        }
    }
    output::write(&report, options, &output::on_disk, color)?;
    Ok(verdiff_report::exit_code(&report, options.report.policy()))
}

/// Is told of every step of a comparison.
type Listener<'a> = dyn Fn(&Comparison, &Progress) + Sync + 'a;

/// Loads, judges and describes; with what compiled the programs.
fn judge(
    job: &Job,
    options: &Options,
    emit_test: Option<&Path>,
    listener: &Listener<'_>,
    color: Color,
) -> anyhow::Result<(Report, Compiled)> {
    let spare = worker::spare(&job.options.workers);
    // Two large programs take seconds to be freed piece by piece, in a time that nobody planned. The process ends
    // soon, and all its memory at once.
    let loaded = ManuallyDrop::new(job.load().map_err(known)?);
    for diagnostics in &loaded.diagnostics {
        fault::pass_on(diagnostics);
    }
    for warning in &loaded.warnings {
        fault::warn(warning, color);
    }
    output::probe(options, emit_test)?;
    let silent = options.quiet || options.no_progress;
    let end = job.limits.clock.replay_ends();
    let shown = progress::ProgressDisplay::new(silent, options.stream, loaded.comparison(), end);
    interrupt::end_in_good_order();
    let show = |event| {
        shown.show(&event);
        listener(loaded.comparison(), &event);
    };
    let (mut report, compiled) = loaded.judge(&Judging { spare: &spare, progress: &show });
    shown.finish();
    if let Some(folder) = &options.report.evidence {
        audit::write_evidence(folder, &mut report)?;
    }
    Ok((report, compiled))
}

/// Writes the C tests, and says so in the report.
fn write_tests(compiled: &Compiled, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    compiled.add_tests(report, |name, text| {
        let path = folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path.display().to_string())
    })
}

/// An error of the library, so that what clang printed is found where errors are shown.
fn known(error: verdiff::Error) -> anyhow::Error {
    match error {
        verdiff::Error::Front(error) => error.into(),
        error => error.into(),
    }
}

fn inputs(arguments: &Compare, store: Option<&Arc<Store>>) -> anyhow::Result<(Inputs, Inputs)> {
    let traps = arguments.options.overflow == Overflow::Ub;
    let side = |one: &Option<PathBuf>, several: &[PathBuf]| {
        let paths = one.iter().chain(several).cloned().collect();
        let options = &arguments.options;
        let flags = verdiff::flags(&arguments.clang_flags, options.ignore_line_numbers);
        let inputs = with_overflow(paths, flags, traps)?;
        anyhow::Ok(Inputs { store: store.cloned(), ..inputs })
    };
    Ok((side(&arguments.old, &arguments.old_files)?, side(&arguments.new, &arguments.new_files)?))
}

/// Inputs whose overflows are traps, if that is wanted: an overflow that C leaves undefined is then a trap of its own, in the
/// model as in what is run.
fn with_overflow(
    paths: Vec<PathBuf>,
    clang_flags: Vec<String>,
    traps: bool,
) -> anyhow::Result<Inputs> {
    if traps {
        verdiff::only_source(&paths)?;
    }
    let overflow =
        if traps { verdiff_front::Overflow::Traps } else { verdiff_front::Overflow::Wraps };
    Ok(Inputs { paths, clang_flags, overflow, ..Inputs::default() })
}

fn limits(options: &Options, begun: Instant) -> anyhow::Result<Limits> {
    let seconds = |name: &str, value: f64| match value.is_finite() && value > 0.0 && value < 1e9 {
        true => Ok(Duration::from_secs_f64(value)),
        false => bail!("--{name}: must be a positive number of seconds, not {value}"),
    };
    if options.jobs == Some(0) {
        bail!("--jobs: must be at least 1");
    }
    if options.memory == 0 {
        bail!("--memory: must be a positive number of MiB");
    }
    let timeout = seconds("timeout", options.timeout)?;
    let budget = options.budget.map(|value| seconds("budget", value)).transpose()?;
    let effort = options.effort.map(|value| seconds("effort", value)).transpose()?;
    let judging = verdiff::Options {
        timeout,
        effort,
        budget,
        jobs: options.jobs,
        ..verdiff::Options::default()
    };
    let (order, shortcuts) = (job_order(), !options.as_if_changed);
    Ok(Limits { order, shortcuts, ..judging.limits(begun) })
}

/// How pairs are judged, as the arguments say.
fn judging(options: &Options, clang_flags: &[String]) -> anyhow::Result<verdiff::Options> {
    Ok(verdiff::Options {
        entry: options.entry.clone(),
        timeout: Duration::from_secs_f64(options.timeout),
        jobs: options.jobs,
        criterion: match options.criterion {
            Criterion::Partial => verdiff::Criterion::Partial,
            Criterion::Full => verdiff::Criterion::Full,
        },
        ignore_termination: options.ignore_termination,
        ignore_line_numbers: options.ignore_line_numbers,
        overflow: overflow(options),
        no_alias: options.no_alias,
        rename: options.rename.clone(),
        assume: options.assume.clone(),
        clang_flags: clang_flags.to_vec(),
        seed: options.seed,
        workers: worker::processes(options)?,
        interrupt: interrupt::of_user(),
        ..verdiff::Options::default()
    })
}

/// What a signed overflow does, in the model as in what is run.
fn overflow(options: &Options) -> verdiff::Overflow {
    match options.overflow {
        Overflow::Ub => verdiff::Overflow::Traps,
        Overflow::Wrap => verdiff::Overflow::Wraps,
    }
}

/// For tests: in debug builds the last pair can be judged first, or pairs in an order that a number stands for.
fn job_order() -> JobOrder {
    let order = std::env::var("VERDIFF_TEST_ORDER").ok().filter(|_| cfg!(debug_assertions));
    match order.as_deref() {
        None => JobOrder::ByImportance,
        Some(seed) => seed.parse().map_or(JobOrder::LastFirst, JobOrder::Shuffled),
    }
}
