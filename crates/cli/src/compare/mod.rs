//! The comparison: loads both versions, has them judged, writes the report.

mod confirm;
mod interrupt;
mod progress;
mod replay;

pub use replay::replay;

use crate::arguments::{Color, Compare, Criterion, Format, Overflow, Worker};
use crate::fault;
use anyhow::{Context, bail};
use confirm::Compiled;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use verdiff_front::{Inputs, Loaded};
use verdiff_judge::report::Report;
use verdiff_judge::{Settings, Version};
use verdiff_plan::{Limits, Matched, Plan, WorkerCommand, matching};

/// Runs the command.
pub fn run(arguments: &Compare, color: Color) -> anyhow::Result<ExitCode> {
    let interrupted = interrupt::watch();
    let (old, new) = inputs(arguments);
    let limits = limits(arguments)?;
    let (old_loaded, new_loaded) = load_both(&old, &new, color)?;
    let version = |loaded: Loaded| Version { program: loaded.program, frames: loaded.frames };
    let matched =
        matching(version(old_loaded), version(new_loaded), settings(arguments), &arguments.entry)?;
    if matched.comparison.pairs.is_empty() {
        bail!("the two versions have no function in common: there is nothing to compare");
    }
    let plan = Plan {
        matched: &matched,
        limits,
        worker: worker_command(arguments)?,
        interrupted: &|| interrupt::requested(interrupted),
    };
    let bar = progress::Bar::new(arguments.quiet || arguments.no_progress, &matched.comparison);
    let mut compiled =
        Compiled::new(&matched.comparison, &old, &new, arguments.emit_test.is_some());
    let results = plan.run(&mut compiled, &|event| bar.show(&event));
    bar.finish();
    let mut report = verdiff_plan::report(&matched, &results);
    complete(&mut report, arguments, &old, &new, &matched);
    if let Some(folder) = &arguments.emit_test {
        emit_tests(folder, &compiled, color)?;
    }
    write(&report, arguments, color)?;
    Ok(ExitCode::from(verdiff_report::exit_code(&report)))
}

/// Serves jobs of another process of verdiff.
pub fn worker(arguments: &Worker) -> ExitCode {
    if let Some(memory) = arguments.memory {
        let bytes = Some(memory.saturating_mul(1 << 20));
        let limit = rustix::process::Rlimit { current: bytes, maximum: bytes };
        // Without a limit the system has to help itself.
        let _ = rustix::process::setrlimit(rustix::process::Resource::As, limit);
    }
    interrupt::leave_to_parent();
    let served = verdiff_plan::worker::serve(std::io::stdin().lock(), std::io::stdout().lock());
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fault::report(&error.into(), Color::Never),
    }
}

fn inputs(arguments: &Compare) -> (Inputs, Inputs) {
    let side = |one: &Option<PathBuf>, several: &[PathBuf]| Inputs {
        paths: one.iter().chain(several).cloned().collect(),
        clang_flags: arguments.clang_flags.clone(),
    };
    (side(&arguments.old, &arguments.old_files), side(&arguments.new, &arguments.new_files))
}

fn limits(arguments: &Compare) -> anyhow::Result<Limits> {
    let seconds = |name: &str, value: f64| match value.is_finite() && value > 0.0 && value < 1e9 {
        true => Ok(Duration::from_secs_f64(value)),
        false => bail!("--{name}: {value} is no number of seconds above zero"),
    };
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    if arguments.jobs == Some(0) {
        bail!("--jobs: at least one worker is needed");
    }
    Ok(Limits {
        timeout: seconds("timeout", arguments.timeout)?,
        budget: arguments.budget.map(|value| seconds("budget", value)).transpose()?,
        jobs: arguments.jobs.unwrap_or_else(cores),
        shortcuts: !arguments.as_if_changed,
    })
}

fn settings(arguments: &Compare) -> Settings {
    Settings {
        full: arguments.criterion == Criterion::Full,
        ignore_termination: arguments.ignore_termination,
        overflow_undefined: arguments.overflow == Overflow::Ub,
        no_alias: arguments.no_alias,
        renamed: arguments.rename.clone(),
        assume: vec![],
        seed: arguments.seed,
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
        for warning in &loaded.warnings {
            fault::warn(warning, color);
        }
    }
    Ok((old, new))
}

fn worker_command(arguments: &Compare) -> anyhow::Result<WorkerCommand> {
    let program = std::env::current_exe().context("cannot find the program itself")?;
    let args = ["worker", "--memory"].map(OsString::from);
    let memory = OsString::from(arguments.memory.to_string());
    Ok(WorkerCommand { program: program.into(), args: args.into_iter().chain([memory]).collect() })
}

/// What only the command line knows.
fn complete(
    report: &mut Report,
    arguments: &Compare,
    old: &Inputs,
    new: &Inputs,
    matched: &Matched,
) {
    let names = |inputs: &Inputs| -> Vec<String> {
        inputs.paths.iter().map(|path| path.display().to_string()).collect()
    };
    report.old_files = names(old);
    report.new_files = names(new);
    let mut option = |name: &str, value: String| report.options.push((name.to_owned(), value));
    option("timeout", arguments.timeout.to_string());
    option("memory", arguments.memory.to_string());
    option("seed", arguments.seed.to_string());
    let word = |value: &dyn std::fmt::Debug| format!("{value:?}").to_lowercase();
    option("criterion", word(&arguments.criterion));
    option("overflow", word(&arguments.overflow));
    for flag in &arguments.clang_flags {
        option("clang_flag", flag.clone());
    }
    for name in &matched.initialisers {
        if let Some(main) = report.pairs.iter_mut().find(|p| p.function == "main") {
            main.notes.push(format!("the initial value of the global {name} changed"));
        }
    }
}

fn write(report: &Report, arguments: &Compare, color: Color) -> anyhow::Result<()> {
    let sources = |path: &str| std::fs::read_to_string(path).ok();
    let plain = verdiff_report::Style {
        colour: false,
        width: 100,
        verbose: arguments.verbose,
        quiet: arguments.quiet,
    };
    for path in &arguments.output {
        let text = match path.extension().is_some_and(|e| e == "json") {
            true => json(report)?,
            false => verdiff_report::text(report, &sources, &plain),
        };
        write_file(path, &text)?;
    }
    let mut stdout = std::io::stdout().lock();
    let colour = crate::paint::Paint::wants(&stdout, color);
    let text = match arguments.format {
        Format::Json => json(report)?,
        Format::Text => {
            verdiff_report::text(report, &sources, &verdiff_report::Style { colour, ..plain })
        }
    };
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Writes the C tests of the differences.
fn emit_tests(folder: &Path, compiled: &Compiled<'_>, color: Color) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut done = std::collections::BTreeSet::new();
    for (function, test) in &compiled.written {
        match test {
            // Several witnesses of one function: the first is the simplest.
            Ok(_) if !done.insert(function) => {}
            Ok(test) => {
                for (name, text) in &test.files {
                    write_file(&folder.join(name), text)?;
                }
            }
            Err(why) => fault::warn(&format!("{function}: no C test: {why}"), color),
        }
    }
    Ok(())
}

fn json(report: &Report) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&verdiff_report::json(report))? + "\n")
}

fn write_file(path: &Path, text: &str) -> anyhow::Result<()> {
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
