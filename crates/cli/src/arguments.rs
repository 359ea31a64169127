//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Says, function by function, whether two versions of a C program behave the same.
#[derive(Debug, Parser)]
#[command(
    name = "verdiff",
    version,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "verdiff OLD NEW [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff --old A.c B.c --new A.c B.c [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff --old LIB.c --new LIB2.c --clients GLOB [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff git [REV [REV2]] [PATH...] [OPTIONS]\n       verdiff show FILE... [OPTIONS] [-- CLANG_FLAGS...]\n       verdiff replay REPORT.json [FUNCTION]\n       verdiff cache stat|clear|verify",
    after_help = "\
Exit codes, as diff has them:
  0  every judged function is equivalent
  1  at least one differs, confirmed by running both compiled programs
  3  no difference was found, but some function is undecided
  2  trouble: bad arguments, no such file, does not compile, nothing to judge

Examples:
  verdiff old.c new.c                    all functions of both versions
  verdiff old.c new.c --entry parse      one function; its callees as needed
  verdiff lib.c lib2.c --clients 'apps/*.c'
                                         what a change of a library means for its clients
  verdiff old.c new.c --format json      for scripts (schema verdiff-report/1)
  verdiff old.c new.c -o report.json     a report in a file, the text on the terminal
  verdiff old.c new.c --emit-test t/     a C test for each difference
  verdiff old.c new.c -- -Iinclude -DX   with flags for clang
  verdiff git HEAD~1                     the last commit and what is not committed yet
  verdiff replay report.json             run the differences of a report again
  verdiff show queue.c                   the model of a file"
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

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the program model of C code: procedures, call graph, loops, what is unsupported.
    Show(Show),
    /// Compare two revisions of a git repository, or a revision and the working tree; also `git verdiff`.
    Git(Box<Git>),
    /// Run the differences of a JSON report again on the compiled programs.
    Replay(Replay),
    /// Look after the results that earlier runs have kept.
    Cache(Cache),
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

    /// Many clients of one library: each file that matches is linked with the old and with the new version, and one line says what the
    /// change means for its functions. Quote the pattern, or let the shell list the files.
    #[arg(long, value_name = "GLOB", num_args = 1.., conflicts_with_all = ["entry", "accept", "assume", "emit_test"])]
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

/// How to judge and report, whatever is compared.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Judge only this function (repeatable); its callees are analysed as needed and ignored for
    /// the exit code.
    #[arg(long, value_name = "F")]
    pub entry: Vec<String>,

    /// How to write the report on standard output.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: Format,

    /// Write the report to a file too (repeatable): JSON if its name ends in .json, else text.
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,

    /// Seconds for each pair of functions.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, allow_negative_numbers = true)]
    pub timeout: f64,

    /// Work for each pair of functions, in nominal seconds, counted in steps and solver resource units: a pair that
    /// stops at this limit does so on every machine [default: four fifths of --timeout].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub effort: Option<f64>,

    /// Seconds for the whole run [default: no limit; for `git`, 60 once all is compiled].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub budget: Option<f64>,

    /// MiB for each worker process.
    #[arg(long, value_name = "MiB", default_value_t = 2048)]
    pub memory: u64,

    /// Worker processes [default: one for each core].
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// `full`: also prove that both versions terminate for the same inputs.
    #[arg(long, value_name = "CRITERION", default_value = "partial")]
    pub criterion: Criterion,

    /// Do not report it as a difference that only one version terminates.
    #[arg(long)]
    pub ignore_termination: bool,

    /// What signed overflow does.
    #[arg(long, value_name = "MODE", default_value = "wrap")]
    pub overflow: Overflow,

    /// Pointer parameters do not alias.
    #[arg(long)]
    pub no_alias: bool,

    /// Match two functions with different names (repeatable).
    #[arg(long, value_name = "OLD=NEW", value_parser = parse_rename)]
    pub rename: Vec<(String, String)>,

    /// A TOML file with expected differences; they are ignored for the exit code.
    #[arg(long, value_name = "FILE")]
    pub accept: Option<PathBuf>,

    /// A precondition on a function's parameters, as C (repeatable); listed in the report.
    #[arg(long, value_name = "F:EXPR", value_parser = parse_assume)]
    pub assume: Vec<(String, String)>,

    /// The seed for everything random.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,

    /// Prove what is unchanged as if it had changed: to test the engines.
    #[arg(long, hide = true)]
    pub as_if_changed: bool,

    /// One line for each difference and each undecided function, and the summary.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// More: unchanged functions, what each engine did.
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,

    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,

    /// A line on standard error for each changed function as soon as something is known of it.
    #[arg(long)]
    pub stream: bool,

    /// What is kept from one run to the next.
    #[command(flatten)]
    pub cache: CacheOptions,
}

/// What is kept from one run to the next.
#[derive(Clone, Debug, Args)]
pub struct CacheOptions {
    /// Keep compiled files and judgements in this folder [default: VERDIFF_CACHE, or the user's cache folder].
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// Keep nothing, and use nothing that was kept.
    #[arg(long, conflicts_with_all = ["cache", "cache_from"])]
    pub no_cache: bool,

    /// Do not run differences again that an earlier run has confirmed on the same programs.
    #[arg(long)]
    pub no_replay: bool,

    /// Also use what was kept in this folder, and write nothing there (repeatable).
    #[arg(long, value_name = "DIR")]
    pub cache_from: Vec<PathBuf>,
}

/// `verdiff cache`.
#[derive(Debug, Args)]
pub struct Cache {
    /// What to do.
    #[command(subcommand)]
    pub command: CacheCommand,

    /// The folder [default: VERDIFF_CACHE, or the user's cache folder].
    #[arg(long, value_name = "DIR", global = true)]
    pub cache: Option<PathBuf>,
}

/// What to do with the cache.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum CacheCommand {
    /// Say where it is and how much it holds.
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
the place of the working tree. Paths limit which changes are looked at.

Files that changed, and files that include one that changed, are compiled in a private folder; the
working tree and the index are only read. How a file is compiled is taken from compile_commands.json (of
the working tree, of a revision, or given with -p), or recorded with --build, or guessed from the
#include lines, which the report then says.

A file that does not compile is listed with clang's message; the rest is compared.",
    after_help = "\
Examples:
  git verdiff                            what is not committed yet
  git verdiff HEAD~1                     the last commit and what is not committed yet
  git verdiff HEAD~1 HEAD                the last commit
  git verdiff --cached                   what is staged
  git verdiff main...                    all that this branch changed
  git verdiff v1.2 v1.3 -- src           two releases, only changes in src
  git verdiff HEAD~1 --build 'make -j2'  with the flags and generated files of the real build
  git verdiff HEAD~1 -p build            with the flags of build/compile_commands.json
  git verdiff HEAD~1 --cflags '-Iinclude -DX=1'

Exit codes: 0 equivalent (or no C code changed), 1 different, 3 undecided, 2 trouble."
)]
pub struct Git {
    /// Revisions, then paths that limit which changes are looked at.
    #[arg(value_name = "REV | PATH")]
    pub arguments: Vec<String>,

    /// Compare with what is staged instead of the working tree.
    #[arg(long, visible_alias = "staged")]
    pub cached: bool,

    /// Compare all C files, and not only those that a change reaches.
    #[arg(long, conflicts_with = "only_changed")]
    pub all: bool,

    /// Compare only files that a change reaches; the default.
    #[arg(long)]
    pub only_changed: bool,

    /// A compilation database, or the folder that has it.
    #[arg(short = 'p', long, value_name = "FILE")]
    pub compile_commands: Option<PathBuf>,

    /// Run this command in a private copy of each revision, and compile as it does.
    #[arg(long, value_name = "CMD", conflicts_with = "compile_commands")]
    pub build: Option<String>,

    /// Further flags for clang, as one text (repeatable).
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Vec<String>,

    /// How to judge and report.
    #[command(flatten)]
    pub options: Options,

    /// Paths.
    #[arg(last = true, value_name = "PATH")]
    pub paths: Vec<String>,
}

/// `verdiff replay`.
#[derive(Debug, Args)]
pub struct Replay {
    /// A JSON report with witnesses; the files it names must be there.
    #[arg(value_name = "REPORT.json")]
    pub report: PathBuf,

    /// Only this function.
    #[arg(value_name = "FUNCTION")]
    pub function: Option<String>,
}

/// `verdiff worker`.
#[derive(Debug, Args)]
pub struct Worker {
    /// MiB of memory.
    #[arg(long, value_name = "MiB")]
    pub memory: Option<u64>,

    /// The process that gives the jobs: without it this one ends.
    #[arg(long, value_name = "PID")]
    pub parent: Option<u32>,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For scripts.
    Json,
}

/// What has to be proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Criterion {
    /// Equal outcomes wherever both versions terminate.
    Partial,
    /// Also that both versions terminate for the same inputs.
    Full,
}

/// What signed overflow does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Overflow {
    /// It wraps.
    Wrap,
    /// It is undefined: excluded in the old version, a trap in the new one.
    Ub,
}

fn parse_assume(text: &str) -> Result<(String, String), String> {
    match text.split_once(':') {
        Some((function, condition)) if !function.is_empty() && !condition.trim().is_empty() => {
            Ok((function.to_owned(), condition.trim().to_owned()))
        }
        _ => Err("write it as F:EXPR, a function and a condition on its parameters".to_owned()),
    }
}

fn parse_rename(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => {
            Ok((old.to_owned(), new.to_owned()))
        }
        _ => Err("write it as OLD=NEW, two function names".to_owned()),
    }
}

/// `verdiff show`.
#[derive(Debug, Args)]
#[command(
    override_usage = "verdiff show FILE... [--dot | --json] [--function F]... [-- CLANG_FLAGS...]",
    long_about = "\
Show the program model of C code: what verdiff makes of it before anything is compared.

A local variable whose address is not used is a variable of the model; memory is read and
written by statements only; all that can end a run (a division by zero, an assertion) is
spelled out. What the model cannot express is listed with its place; the rest of the file
is there all the same.

Several files are linked to one program. clang's messages go to standard error.",
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

clang is looked for in PATH, in the version verdiff is built with; VERDIFF_CLANG names another."
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

    /// With --json: add how long each step took, peak memory, and whether the model is valid.
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
