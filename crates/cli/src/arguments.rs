//! The command line.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Says, function by function, whether two versions of a C program behave the same.
#[derive(Debug, Parser)]
#[command(
    version,
    arg_required_else_help = true,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    override_usage = "verdiff OLD NEW [-- CLANG_FLAGS...]\n       verdiff show FILE... [OPTIONS] [-- CLANG_FLAGS...]",
    after_help = "\
Exit codes: 0 fine, 2 trouble (bad arguments, no such file, does not compile).

This version is the foundation: it shows the program model of C code. The comparison of
two versions is not built yet and says so.

Examples:
  verdiff show queue.c                 the model of a file
  verdiff show --help                  everything about `show`"
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// The old version: a C file, LLVM bitcode or IR, or a folder with compile_commands.json.
    #[arg(required = true, value_name = "OLD")]
    pub old: Option<PathBuf>,

    /// The new version.
    #[arg(required = true, value_name = "NEW")]
    pub new: Option<PathBuf>,

    /// Flags for clang.
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub clang_flags: Vec<String>,

    /// When to use colours. `auto`: on a terminal, unless NO_COLOR is set.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Show the program model of C code: procedures, call graph, loops, what is unsupported.
    Show(Show),
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
        assert_eq!(arguments.new, Some(PathBuf::from("b.c")));
    }
}
