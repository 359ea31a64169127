//! The comparison of two sources.

use crate::error::Error;
use crate::job::{Job, Judging};
use crate::matched::Judged;
use crate::options::Options;
use crate::source::{Source, given};
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use verdiff_cache::Store;
use verdiff_judge::Side;
use verdiff_plan::Spare;
use verdiff_report::{FailOn, PairReport, Report, Style};

/// Compares two versions of a program.
///
/// An error is about the versions or the options (no such file, it does not compile, no such function). What goes wrong
/// with one pair of functions makes that pair undecided, with its reason.
///
/// ```
/// use verdiff::{Error, Options, Source, compare};
///
/// let broken = compare(&Source::text("int f(void) {"), &Source::text("int f(void);"), &Options::default());
/// assert!(matches!(broken, Err(Error::Front(_))));
/// ```
pub fn compare(old: &Source, new: &Source, options: &Options) -> Result<ComparedVersions, Error> {
    let begun = Instant::now();
    let store = options.cache.clone().map(|folder| Arc::new(Store::new(folder)));
    let before = given(old, "old.c", options, store.as_ref())?;
    let after = given(new, "new.c", options, store.as_ref())?;
    let job = Job {
        old: before.inputs.clone(),
        new: after.inputs.clone(),
        judged: Judged::Named,
        limits: options.limits(begun),
        options: options.clone(),
        store,
        trusts_cached_replays: false,
    };
    let loaded = job.load()?;
    let (mut report, compiled) =
        loaded.judge(&Judging { spare: &Spare::none(), progress: &|_| {} });
    if options.tests {
        let added = compiled.add_tests(&mut report, |name, _| Ok::<_, Error>(name.to_owned()));
        added?;
    }
    let file = |inputs: &verdiff_front::Inputs| {
        let units = inputs.units.iter().map(|unit| unit.file.display().to_string());
        let paths = inputs.paths.iter().map(|path| path.display().to_string());
        paths.chain(units).collect()
    };
    (report.old_files, report.new_files) = (file(&job.old), file(&job.new));
    Ok(ComparedVersions { report, sources: [old.clone(), new.clone()] })
}

/// The report about two versions, with their sources for the formats that show code.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedVersions {
    /// The report.
    pub report: Report,
    sources: [Source; 2],
}

impl ComparedVersions {
    /// What was found out about a function.
    pub fn function(&self, name: &str) -> Option<&PairReport> {
        self.report.pairs.iter().find(|pair| pair.function == name)
    }

    /// The JSON report, schema `verdiff-report/1`.
    pub fn json(&self) -> Value {
        verdiff_report::json(&self.report)
    }

    /// The report for a terminal, without colours.
    pub fn text(&self) -> String {
        verdiff_report::text(&self.report, &|side, path| self.read(side, path), &Style::default())
    }

    /// The report as one HTML page without external resources.
    pub fn html(&self) -> Result<String, Error> {
        Ok(verdiff_report::html(&self.report, &|side, path| self.read(side, path))?)
    }

    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        verdiff_report::markdown(&self.report, &|side, path| self.read(side, path))
    }

    /// The report as SARIF 2.1.0.
    pub fn sarif(&self) -> Value {
        verdiff_report::sarif(&self.report, &|side, path| self.read(side, path), None)
    }

    /// The exit code of the program for this report: 0 equivalent, 1 different, 3 undecided, 2 nothing was judged.
    pub fn exit_code(&self) -> u8 {
        verdiff_report::exit_code(&self.report, FailOn::default())
    }

    fn read(&self, side: Side, path: &str) -> Option<String> {
        self.sources[side.index()].read(path)
    }
}
