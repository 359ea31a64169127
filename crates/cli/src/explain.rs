//! `verdiff explain`.

use crate::compare::{print, read_report};
use crate::report_arguments::Explain;
use anyhow::{anyhow, bail};
use std::path::Path;
use verdiff_report::{explain_code, explain_function, explained_codes};

/// Runs the command.
pub fn run(arguments: &Explain) -> anyhow::Result<u8> {
    let text = match (&arguments.subject, &arguments.function) {
        (None, _) => explained_codes(),
        (Some(code), None) => match explain_code(code) {
            Some(text) => text,
            None if Path::new(code).exists() => {
                bail!("{code}: name a function of the report: verdiff explain {code} FUNCTION")
            }
            None => bail!("{code}: no such code; `verdiff explain` lists all of them"),
        },
        (Some(path), Some(function)) => {
            let report = read_report(Path::new(path))?;
            let story =
                explain_function(&report, function).map_err(|error| anyhow!("{path}: {error}"))?;
            story.ok_or_else(|| anyhow!("{path}: the report has no function {function}"))?
        }
    };
    print(std::io::stdout().lock(), &text)?;
    Ok(0)
}
