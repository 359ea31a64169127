//! `verdiff git`: two revisions of a repository.

use super::accept::Accepted;
use super::early_lenses::EarlyLenses;
use super::{Listener, judge, judging, output, overflow};
use crate::arguments::{Color, Git, Lenses};
use crate::{cache, fault};
use anyhow::{Context, bail};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::time::Instant;
use verdiff::{Job, Judged};
use verdiff_front::{Deadline, Inputs, Unit, split_command};
use verdiff_judge::{Answer, Changed, Comparison, Side, StopReason, Verdict};
use verdiff_plan::Progress;
use verdiff_report::{
    NotCompared, PairReport, Report, RevisionNote, does_not_compile, revision_note,
};
use verdiff_revisions::{Flags, Note, Project, ProjectOptions, Repository, Request, Selection};

/// Seconds for all of the judging where the user gives no number: somebody waits for the answer.
const BUDGET: f64 = 60.0;

/// Effort for each function in the first comparison for an editor, in nominal seconds.
const FIRST_EFFORT: f64 = 0.3;
/// And how long it may take, with the search for a short condition.
const FIRST_TIMEOUT: f64 = 0.8;

/// Two revisions, compared.
struct ComparedRevisions {
    /// Not freed piece by piece, as in a comparison of files.
    report: ManuallyDrop<Report>,
    project: Project,
    /// The folder of the working tree, which the paths of the report are relative to.
    root: Option<PathBuf>,
    /// Whether there was anything to judge.
    judged: bool,
}

impl ComparedRevisions {
    /// The text of a file, by the name that the report has for it.
    fn source(&self, side: Side, path: &str) -> Option<String> {
        self.project.read(side.index(), path)
    }

    /// What an editor shows of it.
    fn lenses(&self, than: &str, is_final: bool) -> verdiff_lsp::Lenses {
        let sources = |side: Side, path: &str| self.source(side, path);
        let problems = self.report.not_compared.iter();
        verdiff_lsp::Lenses {
            is_final,
            root: self.root.clone(),
            lenses: verdiff_report::lenses(&self.report, &sources, than),
            problems: problems.map(|file| format!("{}: {}", file.file, file.why)).collect(),
        }
    }
}

/// Runs the command.
pub fn run(arguments: &Git, color: Color) -> anyhow::Result<u8> {
    let (options, policy) = (&arguments.options, arguments.options.report.policy());
    let accepted = options.accept.as_deref().map(Accepted::read).transpose()?;
    let mut compared = compared(arguments, false, &|_, _| {}, color)?;
    if let Some(accepted) = accepted.filter(|_| compared.judged) {
        for unused in accepted.apply(&mut compared.report) {
            fault::warn(&unused, color);
        }
    }
    let report: &Report = &compared.report;
    output::write(report, options, &|side, path| compared.source(side, path), color)?;
    Ok(match compared.judged {
        true => verdiff_report::exit_code(report, policy),
        false if policy.unknown && !report.not_compared.is_empty() => 3,
        false => 0,
    })
}

/// What the language server shows of a file that differs from a revision, as lines of JSON ([`verdiff_lsp::Lenses`]): the
/// last one has everything, those before it what is known of single functions while others are still compared.
///
/// Somebody is typing, so the first comparison has little effort for each function. Only if it leaves a changed function
/// undecided there is a second one, and until then the first one's verdicts are shown.
pub fn lenses(arguments: &Lenses) -> anyhow::Result<u8> {
    let than = arguments.git.arguments.first().map_or("HEAD", String::as_str);
    let early = EarlyLenses::new(than);
    let listener = |comparison: &Comparison, event: &Progress| early.tell(comparison, event);
    let begun = Instant::now();
    let wanted = &arguments.git.options;
    let mut first = arguments.git.clone();
    let effort = wanted.effort.map_or(FIRST_EFFORT, |effort| effort.min(FIRST_EFFORT));
    first.options.effort = Some(effort);
    first.options.timeout = wanted.timeout.min(FIRST_TIMEOUT);
    let compare = |git: &Git| compared(git, arguments.tests, &listener, Color::Never);
    let mut found = compare(&first)?;
    // What more effort may decide.
    let is_undecided = |pair: &PairReport| {
        let own = matches!(pair.changed, Changed::Text | Changed::Types | Changed::Globals);
        let stopped = matches!(pair.reason, Some(StopReason::Time | StopReason::Incomplete { .. }));
        own && stopped && matches!(pair.answer, Answer::Judged(Verdict::Unknown(_)))
    };
    // With the limits that the user gives there may be nothing more to spend.
    let is_less = wanted.effort != Some(effort) || wanted.timeout > first.options.timeout;
    let mut second = arguments.git.clone();
    let budget = wanted.budget.unwrap_or(BUDGET) - begun.elapsed().as_secs_f64();
    second.options.budget = Some(budget);
    if is_less && budget > 0.0 && found.report.pairs.iter().any(is_undecided) {
        let mut decided = found.lenses(than, false);
        let undecided: Vec<&str> = found
            .report
            .pairs
            .iter()
            .filter(|pair| is_undecided(pair))
            .map(|pair| pair.function.as_str())
            .collect();
        decided.lenses.retain(|lens| !undecided.contains(&lens.function.as_str()));
        print_lenses(&decided)?;
        found = compare(&second)?;
    }
    print_lenses(&found.lenses(than, true))?;
    Ok(0)
}

fn print_lenses(lenses: &verdiff_lsp::Lenses) -> anyhow::Result<()> {
    output::print(std::io::stdout().lock(), &(serde_json::to_string(lenses)? + "\n"))
}

/// Compares the revisions; with C tests of differences, if they are wanted.
fn compared(
    arguments: &Git,
    tests: bool,
    listener: &Listener<'_>,
    color: Color,
) -> anyhow::Result<ComparedRevisions> {
    let begun = Instant::now();
    let mut options = arguments.options.clone();
    let mut limits = super::limits(&options, begun)?;
    output::probe(&options, None)?;
    let start = std::env::current_dir().context("cannot find the current directory")?;
    let repository = Repository::discover(&start)?;
    let root = repository.work_tree().map(Path::to_path_buf);
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
    let wish = ProjectOptions {
        all: arguments.all,
        flags,
        further: verdiff::flags(&further, options.ignore_line_numbers),
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
        let report = ManuallyDrop::new(report);
        return Ok(ComparedRevisions { report, root, project, judged: false });
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
        options: verdiff::Options { tests, ..judging(options, &further)? },
        limits,
        store,
        trusts_cached_replays: options.cache.no_replay,
    };
    let (mut report, compiled) = judge(&job, options, None, listener, color)?;
    complete(&mut report);
    if tests {
        compiled.add_tests(&mut report, |name, _| anyhow::Ok(name.to_owned()))?;
    }
    drop(compiled);
    let report = ManuallyDrop::new(report);
    Ok(ComparedRevisions { report, root, project, judged: true })
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
