//! Real C code: five libraries from the public registry's crates, fetched into
//! target/real-code/ (nothing of theirs is kept in this repository): how well and how
//! fast they are lowered, and what comparing two releases of each says and costs.

mod agree;
mod fetch;
mod figures;
mod libraries;
mod memory;
mod releases;

pub use agree::run_all as agree;
pub use figures::Figures;

use anyhow::Result;
use libraries::LIBRARIES;
use std::path::Path;

/// How a line begins that names a goal that was missed.
pub const MISSED: &str = "Not reached:";

/// What a comparison may take unless somebody says otherwise, in seconds.
pub const BUDGET: f64 = 300.0;

/// How comparisons are run.
pub struct Limits<'a> {
    /// With how many workers.
    pub jobs: &'a str,
    /// For how long, in seconds.
    pub budget: f64,
}

/// Lowering, and two releases of each library (or of the named ones) compared.
pub fn measure(verdiff: &Path, limits: &Limits<'_>, wanted: &[&str]) -> Result<String> {
    let lowered = measure_all(verdiff, 1, wanted)?;
    let (compared, failed) = releases::measure(verdiff, limits, wanted)?;
    let mut text = format!(
        "## Lowering\n\n{}\n## Two releases, `--jobs {}`\n\n",
        report(&lowered),
        limits.jobs
    );
    text.push_str(&releases::tables(&compared, limits.budget));
    for missed in failed.into_iter().chain(releases::missed(&compared, limits.budget)) {
        text.push_str(&format!("\n{MISSED} {missed}\n"));
    }
    Ok(text)
}

/// All libraries (or the named ones), each measured several times.
pub fn measure_all(verdiff: &Path, times: usize, wanted: &[&str]) -> Result<Vec<Figures>> {
    let folder = fetch::all()?;
    let mut all = Vec::new();
    for library in LIBRARIES.iter().filter(|l| wanted.is_empty() || wanted.contains(&l.name)) {
        eprintln!("measuring {}", library.name);
        all.push(figures::measure(verdiff, library, &folder, times)?);
    }
    Ok(all)
}

/// The report's part on real code.
pub fn report(all: &[Figures]) -> String {
    let mut text = format!("{}\n{}", figures::table(all), figures::unsupported(all));
    for missed in figures::missed(all) {
        text.push_str(&format!("\n{MISSED} {missed}\n"));
    }
    text
}
