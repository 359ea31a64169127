//! The report, to where it was asked for.

use super::destinations::{Destinations, name};
use crate::arguments::{Color, Options};
use crate::pager;
use crate::paint::Paint;
use crate::report_arguments::{Format, ReportOptions};
use anyhow::{Context, anyhow, bail};
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::mem::ManuallyDrop;
use std::path::Path;
use verdiff_judge::Side;
use verdiff_report::{Baseline, Client, Report, Style};

/// How wide text is where nobody says how wide it can be.
const WIDTH: usize = 100;

/// Sees that reports can be written before any work is done for them. Leaves nothing behind.
pub fn probe(options: &Options, emit_test: Option<&Path>) -> anyhow::Result<()> {
    Destinations::of(&options.report)?;
    baseline(&options.report)?;
    for path in &options.report.output {
        let there = path.exists();
        OpenOptions::new().append(true).create(!there).open(path).with_context(|| cannot(path))?;
        if !there {
            std::fs::remove_file(path).with_context(|| cannot(path))?;
        }
    }
    for folder in emit_test.into_iter().chain(options.report.evidence.as_deref()) {
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
    let destinations = Destinations::of(&options.report)?;
    let baseline = baseline(&options.report)?;
    let stdout = std::io::stdout().lock();
    let plain = Style { verbose: options.verbose, quiet: options.quiet, ..plain_style() };
    let formatted = |format: Format, style: &Style| match format {
        Format::Text => Ok(verdiff_report::text(report, sources, style)),
        Format::Json => json(verdiff_report::json(report)),
        Format::Sarif => json(verdiff_report::sarif(report, sources, baseline.as_ref())),
        Format::Markdown => Ok(verdiff_report::markdown(report, sources)),
        Format::CodeQuality => json(verdiff_report::code_quality(report, sources)),
        Format::Html => Ok(verdiff_report::html(report, sources)?),
    };
    let colour = Paint::wants(&stdout, color);
    let style = Style {
        colour,
        width: pager::width().unwrap_or(WIDTH),
        links_below: links_below(report).filter(|_| colour),
        ..plain.clone()
    };
    let text = formatted(destinations.stdout, &style)?;
    let is_paged = destinations.stdout == Format::Text && !options.report.no_pager;
    if !(is_paged && pager::show(&text)) {
        print(stdout, &text)?;
    }
    for (path, format) in &destinations.files {
        std::fs::write(path, formatted(*format, &plain)?).with_context(|| cannot(path))?;
    }
    Ok(())
}

/// How text looks in a file.
fn plain_style() -> Style {
    Style { width: WIDTH, ..Style::default() }
}

/// The folder of the files that the report names, if the terminal shows links. Files of a revision are nowhere.
fn links_below(report: &Report) -> Option<String> {
    let shows_links = supports_hyperlinks::on(supports_hyperlinks::Stream::Stdout);
    let folder = std::env::current_dir().ok()?.display().to_string();
    (shows_links && report.revisions.is_none()).then_some(folder)
}

/// The earlier report, if one was named.
fn baseline(options: &ReportOptions) -> anyhow::Result<Option<Baseline>> {
    let Some(path) = &options.baseline else { return Ok(None) };
    let report = read_report(path)?;
    let name = path.display();
    Baseline::read(&report).map(Some).map_err(|error| anyhow!("{name}: {error}"))
}

/// Reads a JSON report.
pub fn read_report(path: &Path) -> anyhow::Result<Value> {
    let name = path.display();
    let text =
        std::fs::read_to_string(path).with_context(|| format!("{name}: cannot read the report"))?;
    serde_json::from_str(&text).with_context(|| format!("{name}: not valid JSON"))
}

/// Writes what is said of all clients to standard output and to all files.
pub fn write_clients(clients: &[Client], options: &Options) -> anyhow::Result<()> {
    let formatted = |format: Format| match format {
        Format::Json => json(verdiff_report::clients_json(clients)),
        _ => Ok(clients_as_text(clients, options)),
    };
    let destinations = Destinations::of(&options.report)?;
    print(std::io::stdout().lock(), &formatted(destinations.stdout)?)?;
    for (path, format) in &destinations.files {
        std::fs::write(path, formatted(*format)?).with_context(|| cannot(path))?;
    }
    Ok(())
}

/// Only these formats can tell of many clients.
pub fn check_formats_of_clients(options: &Options) -> anyhow::Result<()> {
    let destinations = Destinations::of(&options.report)?;
    let files = destinations.files.iter().map(|(_, format)| *format);
    for format in files.chain([destinations.stdout]) {
        if !matches!(format, Format::Text | Format::Json) {
            bail!("--clients: reports are available as text and JSON, not as {}", name(format));
        }
    }
    Ok(())
}

/// One line each; with `-v` also the whole report of each.
fn clients_as_text(clients: &[Client], options: &Options) -> String {
    let lines = verdiff_report::clients_text(clients);
    if options.verbose == 0 {
        return lines;
    }
    let style = Style { verbose: options.verbose, ..plain_style() };
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

fn json(value: Value) -> anyhow::Result<String> {
    // Of thousands of functions: the process ends soon, and all its memory at once.
    let value = ManuallyDrop::new(value);
    Ok(serde_json::to_string_pretty(&*value)? + "\n")
}
