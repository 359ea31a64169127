//! `verdiff git`: two revisions of a repository.

use super::accept::Accepted;
use super::{judge, judging, output, overflow};
use crate::arguments::{Color, Git};
use crate::{cache, fault};
use anyhow::{Context, bail};
use std::path::PathBuf;
use std::time::Instant;
use verdiff::{Job, Judged};
use verdiff_front::{Deadline, Inputs, Unit, split_command};
use verdiff_judge::Side;
use verdiff_report::{NotCompared, Report, RevisionNote, does_not_compile, revision_note};
use verdiff_revisions::{Flags, Note, Options, Project, Repository, Request, Selection};

/// Seconds for all of the judging where the user gives no number: somebody waits for the answer.
const BUDGET: f64 = 60.0;

/// Runs the command.
pub fn run(arguments: &Git, color: Color) -> anyhow::Result<u8> {
    let begun = Instant::now();
    let mut options = arguments.options.clone();
    let mut limits = super::limits(&options, begun)?;
    let accepted = options.accept.as_deref().map(Accepted::read).transpose()?;
    output::probe(&options, None)?;
    let start = std::env::current_dir().context("cannot find the current directory")?;
    let repository = Repository::discover(&start)?;
    let span = repository.resolve(&request(arguments), &start)?;
    let flags = match (&arguments.build, &arguments.compile_commands) {
        (Some(command), _) => Flags::Build(command.clone()),
        (None, Some(path)) => Flags::Database(path.clone()),
        (None, None) => Flags::Automatic,
    };
    let mut further = vec![];
    for text in &arguments.cflags {
        further.extend(split_command(text).map_err(|why| anyhow::anyhow!("--cflags: {why}"))?);
    }
    let ends = limits.clock.replay_ends();
    let deadline = ends.map_or(Deadline::NEVER, |end| {
        Deadline::after(end.saturating_duration_since(Instant::now()))
    });
    let store = cache::open(&options.cache)?;
    let wish = Options {
        all: arguments.all,
        flags,
        further: further.clone(),
        deadline,
        store: store.clone(),
    };
    let project = Project::prepare(&repository, &span, &wish)?;
    // How long a build takes is the user's affair.
    if options.budget.is_none() {
        options.budget = Some(BUDGET);
        limits = super::limits(&options, Instant::now())?;
    }
    let options = &options;
    let names = [span.old.describe(), span.new.describe()];
    for failure in &project.failures {
        fault::pass_on(&failure.diagnostics);
        let why = does_not_compile(&failure.revision);
        fault::warn(&format!("{}: {why}", failure.file), color);
    }
    let notes: Vec<String> = project.notes.iter().map(|note| revision_note(&known(note))).collect();
    let complete = |report: &mut Report| {
        let files = |units: &[Unit]| units.iter().map(|u| u.file.display().to_string()).collect();
        report.old_files = files(&project.old);
        report.new_files = files(&project.new);
        report.revisions = Some(names.clone());
        report.notes.extend(notes.iter().cloned());
        report.not_compared.extend(project.failures.iter().map(|failure| NotCompared {
            file: failure.file.clone(),
            why: does_not_compile(&failure.revision),
        }));
    };
    let sources = |side: Side, path: &str| project.read(side.index(), path);
    let [old, new] = names.clone();
    let nothing = match (project.selection, project.old.is_empty(), project.new.is_empty()) {
        (Selection::NoChange, ..) => Some(RevisionNote::NoChange([old, new])),
        (Selection::NoCodeChanged, ..) => Some(RevisionNote::NoCodeChanged([old, new])),
        (Selection::Files, false, true) => Some(RevisionNote::OnlyIn(old)),
        (Selection::Files, true, false) => Some(RevisionNote::OnlyIn(new)),
        (Selection::Files, ..) => None,
    };
    if let Some(nothing) = nothing {
        let mut report = Report::default();
        complete(&mut report);
        report.notes.insert(0, revision_note(&nothing));
        output::write(&report, options, &sources, color)?;
        let fails = options.report.policy().unknown && !report.not_compared.is_empty();
        return Ok(if fails { 3 } else { 0 });
    }
    if project.old.is_empty() && project.new.is_empty() {
        for note in &notes {
            fault::warn(note, color);
        }
        bail!(
            "none of the affected files compiles in both revisions, so nothing was compared{}",
            hint(arguments)
        );
    }
    let inputs = |units: &[Unit], beside: &[Unit]| Inputs {
        units: units.iter().chain(beside).chain(&project.linked).cloned().collect(),
        unlinked: project.unlinked.clone(),
        store: store.clone(),
        overflow: overflow(options),
        ..Inputs::default()
    };
    let job = Job {
        old: inputs(&project.old, &project.beside[0]),
        new: inputs(&project.new, &project.beside[1]),
        judged: Judged::AllBut(only_called(&project)),
        options: judging(options, &further)?,
        limits,
        store,
        trusts_cached_replays: options.cache.no_replay,
    };
    let (mut report, _) = judge(&job, options, None, color)?;
    complete(&mut report);
    if let Some(accepted) = accepted {
        for unused in accepted.apply(&mut report) {
            fault::warn(&unused, color);
        }
    }
    output::write(&report, options, &sources, color)?;
    Ok(verdiff_report::exit_code(&report, options.report.policy()))
}

/// The files that are only there to be called.
fn only_called(project: &Project) -> Vec<PathBuf> {
    let beside = project.beside.iter().flatten();
    project.linked.iter().chain(beside).map(|unit| unit.file.clone()).collect()
}

fn request(arguments: &Git) -> Request {
    let separated = std::env::args_os().any(|argument| argument == "--");
    Request {
        arguments: arguments.arguments.clone(),
        paths: separated.then(|| arguments.paths.clone()),
        cached: arguments.cached,
    }
}

/// What helps against files that do not compile.
fn hint(arguments: &Git) -> &'static str {
    match (&arguments.build, &arguments.compile_commands) {
        (None, None) => {
            ": say how they are compiled with --build 'make', -p compile_commands.json or --cflags"
        }
        _ => "",
    }
}

/// A note of the revisions, as reports know it.
fn known(note: &Note) -> RevisionNote {
    match note.clone() {
        Note::GuessedFlags => RevisionNote::GuessedFlags,
        Note::MissingSubmodule(path) => RevisionNote::MissingSubmodule(path),
        Note::BuildFailed { revision, status, said } => {
            RevisionNote::BuildFailed { revision, status, output: said }
        }
        Note::EmptyDatabase(path) => RevisionNote::EmptyDatabase(path),
        Note::Unlinked(names) => RevisionNote::Unlinked(names),
        Note::Copies(files) => RevisionNote::Copies(files),
        Note::Borrowed(names) => RevisionNote::Borrowed(names),
        Note::Made { header, template } => RevisionNote::Made { header, template },
        Note::Exports(header) => RevisionNote::Exports(header),
    }
}
