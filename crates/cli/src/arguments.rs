//! The command line.

use crate::generated::{Completions, Man};
use crate::report_arguments::{Accept, Audit, Explain, ReportOptions};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// A verified diff for C: decides, function by function, whether two versions of a program behave the same.
#[derive(Debug, Parser)]
#[command(
    name = "verdiff",
    version,
    long_version = crate::version::TEXT.as_str(),
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "verdiff OLD NEW [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff --old A.c B.c --new A.c B.c [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff --old LIB.c --new LIB2.c --clients GLOB [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff git [REV [REV2]] [PATH...] [OPTIONS]\n       verdiff show FILE... [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff correlate OLD NEW --entry F [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff replay REPORT.json [FUNCTION]\n       verdiff audit REPORT.json [FUNCTION...]\n       verdiff explain REPORT.json FUNCTION | CODE\n       verdiff accept REPORT.json [FUNCTION...]\n       verdiff cache stat|clear|verify\n       verdiff lsp",
    after_help = "\
Exit codes, as in diff:
  0  every judged function is equivalent
  1  at least one differs, confirmed by running both compiled programs
  3  no difference was found, but some function is undecided
  2  error: bad arguments, no such file, compile error, nothing to judge

Examples:
  verdiff old.c new.c                    all functions of both versions
  verdiff old.c new.c --entry parse      one function; its callees as needed
  verdiff lib.c lib2.c --clients 'apps/*.c'
                                         the impact of a library change on its clients
  verdiff old.c new.c --format json      for scripts (schema verdiff-report/1)
  verdiff old.c new.c -o report.json     a report in a file, the text on the terminal
  verdiff old.c new.c -o report.sarif    for code scanning; also .md, .html
  verdiff old.c new.c --emit-test t/     a C test for each difference
  verdiff old.c new.c -- -Iinclude -DX   with flags for clang
  verdiff git HEAD~1                     the last commit and uncommitted changes
  verdiff replay report.json             run the differences of a report again
  verdiff audit report.json              check its proofs with another solver (needs --evidence DIR)
  verdiff show queue.c                   the program model of a file"
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The comparison.
    #[command(flatten)]
    pub compare: Compare,

    /// When to use colours. `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

impl Arguments {
    /// The memory limit of the workers, if it is a comparison, which has some.
    pub fn memory_of_workers(&self) -> Option<u64> {
        match &self.command {
            None => Some(self.compare.options.memory),
            Some(Command::Git(git)) => Some(git.options.memory),
            Some(Command::Lenses(lenses)) => Some(lenses.git.options.memory),
            Some(_) => None,
        }
    }
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the program model of C code: procedures, call graph, loops, unsupported constructs.
    Show(Show),
    /// Describe how the states of two versions of a function are related, at each output and at the end.
    Correlate(Correlate),
    /// Compare two revisions of a git repository, or a revision and the working tree; also `git verdiff`.
    Git(Box<Git>),
    /// Run the differences of a JSON report again on the compiled programs.
    Replay(Replay),
    /// Check the proofs of a JSON report again with another solver.
    Audit(Audit),
    /// Write the accept file for the differences of a JSON report.
    Accept(Accept),
    /// Explain one verdict of a JSON report, or the meaning of a code.
    Explain(Explain),
    /// Show the size of the result cache, check it, or clear it.
    Cache(Cache),
    /// Run the language server: an editor shows above each changed function how it differs from HEAD.
    Lsp(Lsp),
    /// Compare revisions for the language server.
    #[command(hide = true)]
    Lenses(Box<Lenses>),
    /// Print a completion script for a shell.
    Completions(Completions),
    /// Write the manual pages.
    Man(Man),
    /// Judge pairs: one job as a line of JSON on standard input, one judgement on standard output.
    #[command(hide = true)]
    Worker(Worker),
}

/// The comparison of two versions.
#[derive(Clone, Debug, Args)]
pub struct Compare {
    /// The old version: a C file, LLVM bitcode or IR, or a folder with compile_commands.json.
    #[arg(value_name = "OLD", required_unless_present = "old_files")]
    pub old: Option<PathBuf>,

    /// The new version.
    #[arg(value_name = "NEW", required_unless_present = "new_files")]
    pub new: Option<PathBuf>,

    /// Several files of the old version, linked (a client and its library).
    #[arg(long = "old", value_name = "FILE", num_args = 1.., conflicts_with_all = ["old", "new"], requires = "new_files")]
    pub old_files: Vec<PathBuf>,

    /// Several files of the new version, linked.
    #[arg(long = "new", value_name = "FILE", num_args = 1.., conflicts_with_all = ["old", "new"], requires = "old_files")]
    pub new_files: Vec<PathBuf>,

    /// Client files of a library (OLD and NEW). Each matching file is linked with both versions of the library, and
    /// one line reports the impact of the change on it. Quote the pattern, or let the shell expand it.
    #[arg(long, value_name = "GLOB", num_args = 1.., conflicts_with_all = ["entry", "accept", "assume", "emit_test", "evidence"])]
    pub clients: Vec<String>,

    /// Write a C test for each difference into this folder.
    #[arg(long, value_name = "DIR")]
    pub emit_test: Option<PathBuf>,

    /// How to judge and report.
    #[command(flatten)]
    pub options: Options,

    /// Flags for clang.
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub clang_flags: Vec<String>,
}

/// How to judge and report, for all kinds of comparisons.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Judge only this function (repeatable); its callees are analysed as needed and ignored for
    /// the exit code [default: every function that both versions define].
    #[arg(long, value_name = "F")]
    pub entry: Vec<String>,

    /// The formats of the report, the files for it, and what makes the exit code non-zero.
    #[command(flatten)]
    pub report: ReportOptions,

    /// The time limit for each pair of functions.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, allow_negative_numbers = true, value_parser = parse_seconds)]
    pub timeout: f64,

    /// The effort limit for each pair of functions, in nominal seconds. Effort is counted in steps and solver resource
    /// units, so this limit has the same effect on every machine [default: four fifths of --timeout].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub effort: Option<f64>,

    /// The time limit for the whole run [default: none; for `git`, 60 seconds after compilation].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = parse_seconds)]
    pub budget: Option<f64>,

    /// The memory limit for each worker process.
    #[arg(long, value_name = "MiB", default_value_t = 2048)]
    pub memory: u64,

    /// The number of worker processes [default: one for each core].
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// What `equivalent` requires.
    #[arg(long, value_name = "CRITERION", default_value = "partial")]
    pub criterion: Criterion,

    /// Do not report a difference if only one version terminates.
    #[arg(long)]
    pub ignore_termination: bool,

    /// Compile both versions with 0 for `__LINE__`: an added line does not change the messages of every `assert` below
    /// it.
    #[arg(long)]
    pub ignore_line_numbers: bool,

    /// The behaviour of signed overflow.
    #[arg(long, value_name = "MODE", default_value = "wrap")]
    pub overflow: Overflow,

    /// Assume that pointer parameters do not alias.
    #[arg(long)]
    pub no_alias: bool,

    /// Match two functions with different names (repeatable).
    #[arg(long, value_name = "OLD=NEW", value_parser = parse_rename)]
    pub rename: Vec<(String, String)>,

    /// A TOML file with expected differences; they are ignored for the exit code.
    #[arg(long, value_name = "FILE")]
    pub accept: Option<PathBuf>,

    /// Assume a precondition on the parameters of a function, as a C expression (repeatable).
    #[arg(long, value_name = "F:EXPR", value_parser = parse_assume)]
    pub assume: Vec<(String, String)>,

    /// The seed of the random number generator.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Analyse unchanged functions as if they had changed, to test the engines.
    #[arg(long, hide = true)]
    pub as_if_changed: bool,

    /// Print one line for each difference and each undecided function, and the summary.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Also print unchanged functions, all conditions and all assumptions; -vv: the engines that ran.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,

    /// Do not print progress on standard error.
    #[arg(long)]
    pub no_progress: bool,

    /// Print a line on standard error for each changed function as soon as its result is known.
    #[arg(long)]
    pub stream: bool,

    /// The result cache.
    #[command(flatten)]
    pub cache: CacheOptions,
}

/// The result cache.
#[derive(Clone, Debug, Args)]
pub struct CacheOptions {
    /// Cache compiled files and results in this folder [default: $VERDIFF_CACHE, or the user's cache folder].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Neither read nor write the cache.
    #[arg(long, conflicts_with_all = ["cache", "cache_from"])]
    pub no_cache: bool,

    /// Do not run a cached difference again if an earlier run confirmed it on the same programs.
    #[arg(long)]
    pub no_replay: bool,

    /// Also read from this cache folder, without writing to it (repeatable).
    #[arg(long, value_name = "DIR")]
    pub cache_from: Vec<PathBuf>,
}

/// `verdiff cache`.
#[derive(Debug, Args)]
pub struct Cache {
    /// What to do.
    #[command(subcommand)]
    pub command: CacheCommand,

    /// The cache folder [default: $VERDIFF_CACHE, or the user's cache folder].
    #[arg(long, value_name = "DIR", global = true)]
    pub cache: Option<PathBuf>,
}

/// What to do with the cache.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum CacheCommand {
    /// Print the location and size of the cache.
    Stat,
    /// Remove all entries.
    Clear,
    /// Check all entries and remove damaged ones; exit code 1 if there were any.
    Verify,
}

/// `verdiff git`.
#[derive(Clone, Debug, Args)]
#[command(
    override_usage = "verdiff git [OPTIONS] [REV [REV2]] [PATH...]\n       verdiff git [OPTIONS] [REV [REV2]] -- PATH...\n       git verdiff ...",
    long_about = "\
Compare two revisions of a git repository, function by function.

Revisions are named as in `git diff`: none (HEAD and the working tree), REV (that revision and the working
tree), REV REV2 or A..B (two revisions), A...B (the merge base of both, and B). With --cached the index takes
the place of the working tree. Paths restrict which changes are compared.

Files that changed, and files that include one that changed, are compiled in a private folder; the
working tree and the index are only read. Compiler flags are taken from compile_commands.json (of the
working tree, of a revision, or given with -p), recorded from a build with --build, or guessed from the
#include lines; the report notes guessed flags.

A file that does not compile is listed with clang's message; all other files are compared.",
    after_help = "\
Examples:
  git verdiff                            uncommitted changes
  git verdiff HEAD~1                     the last commit and uncommitted changes
  git verdiff HEAD~1 HEAD                the last commit
  git verdiff --cached                   staged changes
  git verdiff main...                    all changes of this branch
  git verdiff v1.2 v1.3 -- src           two releases, only changes in src
  git verdiff HEAD~1 --build 'make -j2'  with the flags and generated files of the real build
  git verdiff HEAD~1 -p build            with the flags of build/compile_commands.json
  git verdiff HEAD~1 --cflags '-Iinclude -DX=1'

Exit codes: 0 equivalent (or no C code changed), 1 different, 3 undecided, 2 error."
)]
pub struct Git {
    /// Revisions, then paths that restrict which changes are compared.
    #[arg(value_name = "REV | PATH")]
    pub arguments: Vec<String>,

    /// Compare with the index instead of the working tree.
    #[arg(long, visible_alias = "staged")]
    pub cached: bool,

    /// Compare all C files, not only those that changed or include a changed file.
    #[arg(long, conflicts_with = "only_changed")]
    pub all: bool,

    /// Compare only files that changed or include a changed file (the default).
    #[arg(long)]
    pub only_changed: bool,

    /// A compilation database, or the folder that contains compile_commands.json.
    #[arg(short = 'p', long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,

    /// Run this build command in a private copy of each revision, and use the compiler flags that it uses.
    #[arg(long, value_name = "CMD", conflicts_with = "compile_commands")]
    pub build: Option<String>,

    /// Additional flags for clang, as one argument (repeatable).
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// How to judge and report.
    #[command(flatten)]
    pub options: Options,

    /// Paths.
    #[arg(last = true, value_name = "PATH")]
    pub paths: Vec<String>,
}

/// `verdiff lsp`.
#[derive(Debug, Args)]
pub struct Lsp {
    /// For editors that pass it: the server always speaks on standard input and output.
    #[arg(long, hide = true)]
    pub stdio: bool,

    /// Further options of `verdiff git` for each comparison, such as --timeout 5 or -p build.
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<String>,
}

/// `verdiff lenses`.
#[derive(Clone, Debug, Args)]
pub struct Lenses {
    /// Make a C test of each difference.
    #[arg(long)]
    pub tests: bool,

    /// What is compared.
    #[command(flatten)]
    pub git: Git,
}

/// `verdiff replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// A JSON report; the files that it names must exist.
    #[arg(value_name = "REPORT.json")]
    pub report: PathBuf,

    /// Only this function.
    #[arg(value_name = "FUNCTION")]
    pub function: Option<String>,
}

/// `verdiff worker`.
#[derive(Debug, Args)]
pub struct Worker {
    /// The memory limit.
    #[arg(long, value_name = "MiB")]
    pub memory: Option<u64>,

    /// The process that sends the jobs; the worker exits when its parent is another process.
    #[arg(long, value_name = "PID")]
    pub parent: Option<u32>,
}

/// What `equivalent` requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// Equal outcomes for all inputs for which both versions terminate.
    Partial,
    /// In addition, both versions terminate for the same inputs.
    Full,
}

/// The behaviour of signed overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Overflow {
    /// It wraps.
    Wrap,
    /// It is undefined: inputs for which the old version overflows are excluded, overflow in the new version traps.
    Ub,
}

fn parse_assume(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((function, condition)) if !function.is_empty() && !condition.trim().is_empty() => {
            Ok((function.to_owned(), condition.trim().to_owned()))
        }
        _ => Err("expected F:EXPR, a function and a condition on its parameters".to_owned()),
    }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    text.parse().map_err(|_| "expected a number of seconds".to_owned())
}

fn parse_rename(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            Ok((old.to_owned(), new.to_owned()))
        }
        _ => Err("expected OLD=NEW, two function names".to_owned()),
    }
}

/// `verdiff correlate`.
#[derive(Debug, Args)]
#[command(
    override_usage = "verdiff correlate OLD NEW --entry F [--json] [--svg FILE] [-- CLANG_FLAGS...]",
    long_about = "\
Describe how the states of two versions of a function are related: at every output and at
the end, which variables are equal, and the linear relations of the others. x is a
variable of the old version, x' of the new one, entry(n) the value of a parameter at entry.

A description holds whenever both versions get to that point from equal entry states. It
is no verdict: `verdiff OLD NEW --entry F` gives one."
)]
pub struct Correlate {
    /// The old version: a C file, LLVM bitcode or IR.
    #[arg(value_name = "OLD")]
    pub old: PathBuf,

    /// The new version.
    #[arg(value_name = "NEW")]
    pub new: PathBuf,

    /// The function.
    #[arg(long, value_name = "F")]
    pub entry: String,

    /// Print JSON, schema "verdiff-correlation/1".
    #[arg(long)]
    pub json: bool,

    /// Write a picture of the interleaving: lines of the old version upwards, of the new version to the right.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,

    /// How many steps to execute at most.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    pub steps: u64,

    /// Flags for clang.
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub clang_flags: Vec<String>,
}

/// `verdiff show`.
#[derive(Debug, Args)]
#[command(
    override_usage = "verdiff show FILE... [--dot | --json] [--function F]... [-- CLANG_FLAGS...]",
    long_about = "\
Show the program model of C code, which is what verdiff compares.

A local variable whose address is not used is a variable of the model; memory is read and
written by statements only; every trap (a division by zero, a failed assertion) is an
explicit check. Unsupported constructs are listed with file and line; the rest of the file
is shown as usual.

Several files are linked into one program. clang's messages go to standard error.",
    after_help = "\
Examples:
  verdiff show queue.c                          all procedures, calls and loops
  verdiff show client.c library.c               two files, linked
  verdiff show queue.c -- -Iinclude -DSMALL=1   with flags for clang
  verdiff show build/                           all of build/compile_commands.json
  verdiff show queue.c --function push          one procedure
  verdiff show queue.c --json                   for scripts (schema verdiff-model/1)
  verdiff show queue.c --dot | dot -Tsvg        the call graph as a picture
  verdiff show queue.c --dot --function push | dot -Tsvg
                                                the control flow of one procedure

verdiff uses the clang in PATH that matches its LLVM version; VERDIFF_CLANG overrides it."
)]
pub struct Show {
    /// C files (.c, .i), LLVM bitcode (.bc), LLVM IR (.ll), or folders with compile_commands.json.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Print Graphviz: the call graph or, with --function, that procedure's control flow.
    #[arg(long, conflicts_with = "json")]
    pub dot: bool,

    /// Print JSON, schema "verdiff-model/1".
    #[arg(long)]
    pub json: bool,

    /// Show only this procedure (repeatable).
    #[arg(long, value_name = "F")]
    pub function: Vec<String>,

    /// With --json: add the time of each step, peak memory, and whether the model is valid.
    #[arg(long, hide = true, requires = "json")]
    pub measure: bool,

    /// Flags for clang.
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub clang_flags: Vec<String>,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn flags_after_two_dashes_are_clangs() {
        let arguments =
            Arguments::try_parse_from(["verdiff", "show", "a.c", "b.c", "--", "-DX=1", "--dot"])
                .unwrap();
        let Some(Command::Show(show)) = arguments.command else { panic!("show") };
        assert_eq!(show.files, [PathBuf::from("a.c"), PathBuf::from("b.c")]);
        assert_eq!(show.clang_flags, ["-DX=1", "--dot"]);
        assert!(!show.dot);
    }

    #[test]
    fn two_files_are_a_comparison() {
        let arguments =
            Arguments::try_parse_from(["verdiff", "a.c", "b.c", "--", "-DX=1"]).unwrap();
        assert!(arguments.command.is_none());
        assert_eq!(arguments.compare.new, Some(PathBuf::from("b.c")));
        assert_eq!(arguments.compare.clang_flags, ["-DX=1"]);
    }

    #[test]
    fn several_files_a_side() {
        let arguments =
            Arguments::try_parse_from(["verdiff", "--old", "a.c", "b.c", "--new", "c.c"]).unwrap();
        assert_eq!(arguments.compare.old_files.len(), 2);
        assert!(Arguments::try_parse_from(["verdiff", "--old", "a.c"]).is_err());
        assert!(Arguments::try_parse_from(["verdiff", "a.c", "--new", "c.c"]).is_err());
        assert!(Arguments::try_parse_from(["verdiff", "a.c", "b.c", "--rename", "f"]).is_err());
    }
}
