//! The report, to where it was asked for.

use crate::arguments::{Color, Format, Options};
use crate::paint::Paint;
use anyhow::{Context, bail};
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;
use verdiff_judge::Side;
use verdiff_report::{Client, Report, Style};

/// How wide text is where nobody says how wide it can be.
const WIDTH: usize = 100;

/// Sees that reports can be written before any work is done for them. Leaves nothing behind.
pub fn probe(options: &Options, emit_test: Option<&Path>) -> anyhow::Result<()> {
    for path in &options.output {
        let there = path.exists();
        OpenOptions::new().append(true).create(!there).open(path).with_context(|| cannot(path))?;
        if !there {
            std::fs::remove_file(path).with_context(|| cannot(path))?;
        }
    }
    if let Some(folder) = emit_test {
        std::fs::create_dir_all(folder).with_context(|| cannot(folder))?;
    }
    Ok(())
}

/// The text of a file of one version, by the name that the report has for it.
pub type Sources<'a> = &'a dyn Fn(Side, &str) -> Option<String>;

/// Files where they are.
pub fn on_disk(_: Side, path: &str) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// Writes the report to standard output and to all files.
pub fn write(
    report: &Report,
    options: &Options,
    sources: Sources<'_>,
    color: Color,
) -> anyhow::Result<()> {
    let stdout = std::io::stdout().lock();
    let plain =
        Style { colour: false, width: WIDTH, verbose: options.verbose, quiet: options.quiet };
    let text = match options.format {
        Format::Json => json(report)?,
        Format::Text => {
            let style = Style { colour: Paint::wants(&stdout, color), ..plain };
            verdiff_report::text(report, sources, &style)
        }
    };
    print(stdout, &text)?;
    for path in &options.output {
        let text = match path.extension().is_some_and(|e| e == "json") {
            true => json(report)?,
            false => verdiff_report::text(report, sources, &plain),
        };
        std::fs::write(path, text).with_context(|| cannot(path))?;
    }
    Ok(())
}

/// Writes what is said of all clients to standard output and to all files.
pub fn write_clients(clients: &[Client], options: &Options) -> anyhow::Result<()> {
    let of = |as_json: bool| match as_json {
        true => Ok(serde_json::to_string_pretty(&verdiff_report::clients_json(clients))? + "\n"),
        false => Ok::<String, anyhow::Error>(clients_as_text(clients, options)),
    };
    print(std::io::stdout().lock(), &of(options.format == Format::Json)?)?;
    for path in &options.output {
        let text = of(path.extension().is_some_and(|e| e == "json"))?;
        std::fs::write(path, text).with_context(|| cannot(path))?;
    }
    Ok(())
}

/// One line each; with `-v` also the whole report of each.
fn clients_as_text(clients: &[Client], options: &Options) -> String {
    let lines = verdiff_report::clients_text(clients);
    if options.verbose == 0 {
        return lines;
    }
    let style = Style { colour: false, width: WIDTH, verbose: options.verbose, quiet: false };
    let reports = clients.iter().filter_map(|client| {
        let report = client.outcome.as_ref().ok()?;
        let text = verdiff_report::text(report, &on_disk, &style);
        Some(format!("{}\n\n{text}\n", client.file))
    });
    reports.collect::<String>() + &lines
}

/// Prints text. A reader that went away has what it wanted: the run goes on to its exit code.
pub fn print(mut stream: impl Write, text: &str) -> anyhow::Result<()> {
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            bail!("cannot write the report: {error}")
        }
        _ => Ok(()),
    }
}

fn cannot(path: &Path) -> String {
    format!("cannot write {}", path.display())
}

fn json(report: &Report) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(&verdiff_report::json(report))? + "\n")
}
