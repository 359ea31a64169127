//! The comparison: loads both versions, has them judged, writes the report.

mod accept;
mod assume;
mod clients;
mod common_part;
mod confirm;
mod destinations;
#[cfg(debug_assertions)]
mod fault_injection;
mod git;
mod glob;
mod output;
mod progress;
mod replay;
mod worker;

pub use git::run as git;
pub use output::{print, read_report};
pub use replay::replay;
pub use worker::{first as first_worker, serve as worker};

use crate::arguments::{Color, Compare, Criterion, Options, Overflow};
use crate::{audit, cache, fault, interrupt};
use accept::Accepted;
use anyhow::bail;
use confirm::{COMPILE_EACH, COMPILE_TIME, Compiled};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdiff_cache::Store;
use verdiff_front::{Inputs, Loaded};
use verdiff_judge::{Settings, Version, hang_if_injected, within};
use verdiff_logic::effort::Effort;
use verdiff_model::{ProcId, Procedure, Program, merge_copies};
use verdiff_plan::{
    Cache, Clock, JobOrder, Limits, Matched, Plan, ReplayCache, account, matching, scope,
};
use verdiff_report::Report;
use verdiff_witness::Deadline;

/// One comparison.
#[derive(Clone)]
struct Job<'a> {
    options: &'a Options,
    /// The user's flags for clang, for the report.
    clang_flags: &'a [String],
    /// Where C tests go.
    emit_test: Option<&'a Path>,
    limits: Limits,
    old: Inputs,
    new: Inputs,
    judged: Judged,
    color: Color,
    /// What earlier runs have kept.
    store: Option<Arc<Store>>,
}

/// Which functions are judged.
#[derive(Clone)]
enum Judged {
    /// Those that the arguments name, or all.
    Named,
    /// Those of this file.
    Client(PathBuf),
    /// Those that the arguments name, or all but those of these files.
    AllBut(Vec<PathBuf>),
}

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
    let clang_flags = &arguments.clang_flags;
    let job = Job {
        options,
        clang_flags,
        emit_test,
        limits,
        old,
        new,
        judged: Judged::Named,
        color,
        store,
    };
    let (mut report, compiled) = judge(&job)?;
    if let Some(folder) = emit_test {
        compiled.write_tests(folder, &mut report)?;
    }
    if let Some(accepted) = accepted {
        for unused in accepted.apply(&mut report) {
            fault::warn(&unused, color);
        }
    }
    output::write(&report, options, &output::on_disk, color)?;
    Ok(verdiff_report::exit_code(&report, options.report.policy()))
}

/// Loads, judges and describes; with what compiled the programs.
fn judge(job: &Job<'_>) -> anyhow::Result<(Report, Compiled)> {
    let Job { options, limits, old, new, .. } = job;
    let (options, limits) = (*options, limits.clone());
    let worker = worker::command(options)?;
    let spare = worker::spare(&worker);
    let (matched, programs) = load_in_time(job)?;
    output::probe(options, job.emit_test)?;
    let interrupted = &interrupt::requested;
    let deadlines = limits.deadlines();
    let comparison = &matched.comparison;
    let about = |store: Arc<Store>| Arc::new(scope(store, cache::TOOL, comparison.clone()));
    let kept = job.store.clone().map(about);
    let cache = kept.clone().map(Cache::new);
    let plan = Plan { matched: &matched, limits, worker, spare: &spare, interrupted, cache };
    let silent = options.quiet || options.no_progress;
    let end = plan.limits.clock.replay_ends();
    let shown = progress::Shown::new(silent, options.stream, comparison, end);
    let mut compiled = Compiled::new(matched.clone(), old.clone(), new.clone());
    compiled.wants_tests = job.emit_test.is_some();
    let files = |inputs: &Inputs| inputs.paths.len() + inputs.units.len();
    let further = files(old).max(files(new)).saturating_sub(1) as u32;
    compiled.compile_time = plan.limits.timeout.max(COMPILE_TIME) + COMPILE_EACH * further;
    compiled.end = plan.limits.clock.replay_ends().map_or(Deadline::NEVER, |end| {
        Deadline::after(end.saturating_duration_since(Instant::now()))
    });
    interrupt::end_in_good_order();
    let show = |event| shown.show(&event);
    let results = match &kept {
        None => plan.run(&mut compiled, &show),
        Some(kept) => {
            // A C test is made from a run.
            let trusted = options.cache.no_replay && job.emit_test.is_none();
            let kept = kept.clone();
            let mut confirm = ReplayCache::new(&mut compiled, kept, &programs, trusted);
            plan.run(&mut confirm, &show)
        }
    };
    shown.finish();
    let mut report =
        Report::with(&account(&matched, &results), comparison, &deadlines, kept.as_deref());
    report.interrupted |= compiled.was_cut_short;
    complete(&mut report, job);
    if let Some(folder) = &options.report.evidence {
        audit::write_evidence(folder, &mut report)?;
    }
    if let Some(store) = &job.store {
        store.trim();
    }
    Ok((report, compiled))
}

/// Loads both versions within the budget, and says what tells their bitcode from any other. Without them there is nothing to report.
fn load_in_time(job: &Job<'_>) -> anyhow::Result<(Arc<Matched>, String)> {
    let Job { options, limits, old, new, judged, color, .. } = job;
    let (options, old, new) = ((*options).clone(), old.clone(), new.clone());
    let (judged, color, clock) = (judged.clone(), *color, limits.clock);
    let load = move || {
        hang_if_injected("load", "");
        load_and_match(&options, &old, &new, &judged, color)
    };
    match within(clock.replay_ends(), load).result {
        Some(loaded) => loaded.map(|(matched, programs)| (Arc::new(matched), programs)),
        None => bail!("--budget: the time limit was reached before both versions were loaded"),
    }
}

fn load_and_match(
    options: &Options,
    old: &Inputs,
    new: &Inputs,
    judged: &Judged,
    color: Color,
) -> anyhow::Result<(Matched, String)> {
    let (mut before, mut after) = load_both(old, new, color)?;
    let programs = format!("{} {}", before.digest, after.digest);
    let mut settings = settings(options);
    if !options.assume.is_empty() {
        let (with, names) = assume::load(&options.assume, old, &before.program)?;
        before = with;
        settings.assume = names;
        settings.assume_text.clone_from(&options.assume);
    }
    let entries = match judged {
        Judged::Client(client) => functions_of(&before.program, client)?,
        Judged::Named | Judged::AllBut(_) => options.entry.clone(),
    };
    let copies = match judged {
        Judged::AllBut(_) => [&mut before, &mut after].map(|version| {
            let program = &mut version.program;
            program.files.iter_mut().for_each(|file| *file = plain_path(file));
            merge_copies(program)
        }),
        _ => Default::default(),
    };
    let version = |loaded: Loaded| Version { program: loaded.program, frames: loaded.frames };
    let mut matched = matching(version(before), version(after), settings, &entries)?;
    if let Judged::AllBut(files) = judged {
        leave_out(&mut matched, files, &copies);
    }
    if matched.comparison.pairs.is_empty() {
        bail!("the two versions have no function in common: there is nothing to compare");
    }
    Ok((matched, programs))
}

/// A path without `.` and `..`: clang writes `src/../x.h` for a header that `src/a.c` includes as `../x.h`.
fn plain_path(path: &str) -> String {
    let mut parts: Vec<&str> = vec![];
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Leaves out functions of files that are only there to be called, and copies of functions that are judged.
fn leave_out(matched: &mut Matched, files: &[PathBuf], copies: &[BTreeSet<ProcId>; 2]) {
    let comparison = Arc::make_mut(&mut matched.comparison);
    let program = &comparison.new.program;
    let left_out = |id: ProcId| {
        let loc = program.procedure(id).loc;
        loc.is_known() && files.iter().any(|file| file.as_os_str() == program.file(loc.file))
    };
    for pair in &mut comparison.pairs {
        let is_copy = copies[0].contains(&pair.old) && copies[1].contains(&pair.new);
        pair.wanted &= !is_copy && !left_out(pair.new);
    }
    matched.removed.retain(|id| !copies[0].contains(id));
    matched.added.retain(|id| !copies[1].contains(id));
}

/// The functions that a file defines, as the linker names them.
fn functions_of(program: &Program, client: &Path) -> anyhow::Result<Vec<String>> {
    let here =
        |p: &&Procedure| p.loc.is_known() && clients::is_file(program.file(p.loc.file), client);
    let all: Vec<String> =
        program.procedures.iter().filter(here).map(|p| p.symbol.clone()).collect();
    if all.is_empty() {
        bail!("it defines no function");
    }
    Ok(all)
}

fn inputs(arguments: &Compare, store: Option<&Arc<Store>>) -> anyhow::Result<(Inputs, Inputs)> {
    let traps = arguments.options.overflow == Overflow::Ub;
    let side = |one: &Option<PathBuf>, several: &[PathBuf]| {
        let paths = one.iter().chain(several).cloned().collect();
        let inputs = with_overflow(paths, arguments.clang_flags.clone(), traps)?;
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
        let compiled = |path: &&PathBuf| path.extension().is_some_and(|e| e == "bc" || e == "ll");
        if let Some(path) = paths.iter().find(compiled) {
            let path = path.display();
            bail!("{path}: --overflow=ub needs C files, which are compiled with overflow checks");
        }
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
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    if options.jobs == Some(0) {
        bail!("--jobs: must be at least 1");
    }
    if options.memory == 0 {
        bail!("--memory: must be a positive number of MiB");
    }
    let timeout = seconds("timeout", options.timeout)?;
    let budget = options.budget.map(|value| seconds("budget", value)).transpose()?;
    // Counted work should end a pair before the clock does, on a machine that is not busy.
    let effort = match options.effort {
        Some(value) => seconds("effort", value)?,
        None => timeout.mul_f64(0.8),
    };
    Ok(Limits {
        effort: Effort::lasting(effort),
        timeout,
        clock: Clock { begun, budget },
        jobs: options.jobs.unwrap_or_else(cores),
        order: job_order(),
        shortcuts: !options.as_if_changed,
    })
}

/// For tests: in debug builds the last pair can be judged first, or pairs in an order that a number stands for.
fn job_order() -> JobOrder {
    let order = std::env::var("VERDIFF_TEST_ORDER").ok().filter(|_| cfg!(debug_assertions));
    match order.as_deref() {
        None => JobOrder::ByImportance,
        Some(seed) => seed.parse().map_or(JobOrder::LastFirst, JobOrder::Shuffled),
    }
}

fn settings(options: &Options) -> Settings {
    Settings {
        full: options.criterion == Criterion::Full,
        ignore_termination: options.ignore_termination,
        overflow_undefined: options.overflow == Overflow::Ub,
        no_alias: options.no_alias,
        renamed: options.rename.clone(),
        assume: vec![],
        assume_text: vec![],
        seed: options.seed,
    }
}

/// Both versions at once: clang takes most of the time, and there mostly is a second core.
fn load_both(old: &Inputs, new: &Inputs, color: Color) -> anyhow::Result<(Loaded, Loaded)> {
    let (old, new) = std::thread::scope(|scope| {
        let other = scope.spawn(|| verdiff_front::load(new));
        let old = verdiff_front::load(old);
        (old, other.join())
    });
    let new = new.map_err(|_| anyhow::anyhow!("loading the new version failed"))?;
    let (old, new) = (old?, new?);
    for loaded in [&old, &new] {
        fault::pass_on(&loaded.diagnostics);
    }
    // What is wrong with both is said once.
    let further = new.warnings.iter().filter(|warning| !old.warnings.contains(warning));
    for warning in old.warnings.iter().chain(further) {
        fault::warn(warning, color);
    }
    Ok((old, new))
}

/// What only the command line knows.
fn complete(report: &mut Report, job: &Job<'_>) {
    let Job { options, clang_flags, old, new, .. } = job;
    let names = |inputs: &Inputs| -> Vec<String> {
        inputs.paths.iter().map(|path| path.display().to_string()).collect()
    };
    report.old_files = names(old);
    report.new_files = names(new);
    let mut option = |name: &str, value: String| report.options.push((name.to_owned(), value));
    option("timeout", options.timeout.to_string());
    option("memory", options.memory.to_string());
    option("seed", options.seed.to_string());
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    option("criterion", word(&options.criterion));
    option("overflow", word(&options.overflow));
    for name in &options.entry {
        option("entry", name.clone());
    }
    for (from, to) in &options.rename {
        option("rename", format!("{from}={to}"));
    }
    for flag in *clang_flags {
        option("clang_flags", flag.clone());
    }
}
