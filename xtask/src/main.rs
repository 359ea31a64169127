//! Everything a person types that is not the product: `cargo xtask …`.
//!
//! Architecture invariant: this crate depends on none of verdiff's crates. They need LLVM
//! and Z3 to be built, and it is this program that installs those.

#![forbid(unsafe_code)]

mod bench;
mod book;
mod browser;
mod checks;
mod demo;
mod gallery;
mod package;
mod process;
mod real_code;
mod setup;
mod suite;
mod tidy;

use anyhow::{Result, bail};
use std::process::ExitCode;
use suite::Extent;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  demo        install missing tools, build verdiff, and run it on an example
  test        install missing tools, then run the test suite (--quick: a part that takes a few minutes)
  soak        all tests with sixty times the random cases and all corpus runs (hours)
  ci          the steps of CI: format, lints, tidy, test (--no-test: all except the last)
  tidy        check the project rules: crate dependencies, file sizes, no absolute paths, links of documents
  book        build the book in target/book with mdBook, and check its links
  browser     run the tests of the HTML report in Chromium, with axe-core for accessibility (fetched by npm)
  gallery [BINARY]  make the pictures of the gallery in docs/book/gallery again, with Chromium
  bench       measure lowering and interpreter, archive the figures in docs/bench/
  bench align [BINARY]  measure the loops of the corpus: how many are proved, how many differences are found (long)
  bench cache  measure second runs of the same comparisons
  bench boundary [BINARY]  measure small changes in large functions, and clients of changed libraries
  bench commits NAME REPOSITORY N [OPTIONS]  verdiff git on the last N commits of a repository of this machine (long)
  bench compare  measure the comparison of small pairs and of a thousand functions
  bench conditions NAME [BINARY]  measure the printed conditions of the corpus: share printed as C, length
  bench correlate [BINARY]  measure correlated states: the paper's figures and rows, conditions that are proved
  bench editor [BINARY]  measure how soon the language server answers an edit in a file of 3,000 lines
  bench html [BINARY]  measure the HTML report of 5,000 functions: its size, how fast Chromium opens it
  bench induction  measure loops and recursion: the paper's figures, how much is proved
  bench limits  measure whether pairs and runs keep within their time limits
  bench summary  measure difference summaries: the paper's pairs, chains of calls
  bench verdicts NAME [BINARY]  archive the verdicts of the whole corpus under a name (long)
  corpus      every case of the corpus: in both orders, and each version against itself (long)
  package     build the Debian package with cargo-deb (--dev: of a development build, to try it out)
  real-code [--budget SECONDS] [BINARY [JOBS [LIB...]]]  fetch two releases each of zlib, sqlite, lz4, bzip2 and zstd into
              target/, measure lowering and the comparison of both, archive the figures (an hour; 300 s for each comparison)
  agree [LIB] run the functions of these libraries in the interpreter and compiled, compare (long)
  setup       only install missing tools";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Real code with so many seconds for each comparison: which binary, how many workers, which libraries.
fn real_code(budget: f64, arguments: &[&str]) -> Result<()> {
    let limits = |jobs| real_code::Limits { jobs, budget };
    match arguments {
        [] => bench::libraries(None, &limits("2"), &[]),
        [binary] => bench::libraries(Some(binary), &limits("2"), &[]),
        [binary, jobs, libraries @ ..] => bench::libraries(Some(binary), &limits(jobs), libraries),
    }
}

fn run(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["demo"] => demo::run(),
        ["test"] => suite::test(Extent::Whole),
        ["test", "--quick"] => suite::test(Extent::Quick),
        ["soak"] => suite::test(Extent::Soak),
        ["ci"] => checks::ci(true),
        ["ci", "--no-test"] => checks::ci(false),
        ["tidy"] => tidy::run(),
        ["book"] => book::build(),
        ["browser"] => browser::test(),
        ["gallery"] => gallery::pictures(None),
        ["gallery", binary] => gallery::pictures(Some(binary)),
        ["bench"] => bench::run(),
        ["bench", "align"] => bench::aligned_loops(None),
        ["bench", "align", binary] => bench::aligned_loops(Some(binary)),
        ["bench", "boundary"] => bench::change_outwards(None),
        ["bench", "boundary", binary] => bench::change_outwards(Some(binary)),
        ["bench", "cache"] => bench::second_runs(),
        ["bench", "commits", name, repository, count, options @ ..] => {
            bench::commits(name, repository, count, options)
        }
        ["bench", "compare"] => bench::comparison(),
        ["bench", "conditions", name] => bench::conditions(name, None),
        ["bench", "conditions", name, binary] => bench::conditions(name, Some(binary)),
        ["bench", "correlate"] => bench::correlated(None),
        ["bench", "correlate", binary] => bench::correlated(Some(binary)),
        ["bench", "editor"] => bench::editor(None),
        ["bench", "editor", binary] => bench::editor(Some(binary)),
        ["bench", "html"] => bench::page(None),
        ["bench", "html", binary] => bench::page(Some(binary)),
        ["bench", "induction"] => bench::loops(),
        ["bench", "limits"] => bench::limits(),
        ["bench", "summary"] => bench::difference(),
        ["bench", "verdicts", name] => bench::verdicts(name, None),
        ["bench", "verdicts", name, binary] => bench::verdicts(name, Some(binary)),
        ["package"] => package::debian(true),
        ["package", "--dev"] => package::debian(false),
        ["real-code", "--budget", budget, rest @ ..] => real_code(budget.parse()?, rest),
        ["real-code", rest @ ..] => real_code(real_code::BUDGET, rest),
        ["agree", libraries @ ..] => real_code::agree(libraries),
        ["corpus"] => checks::corpus(),
        ["setup"] => setup::run(),
        [] | ["help" | "-h" | "--help"] => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("unknown command: {}\n\n{USAGE}", other.join(" ")),
    }
}
