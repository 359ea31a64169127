//! Real C code: five libraries from the public registry's crates, fetched into
//! target/real-code/ (nothing of theirs is kept in this repository), and how well and how
//! fast they are lowered.

mod agree;
mod fetch;
mod figures;
mod libraries;

pub use agree::run_all as agree;
pub use figures::Figures;

use crate::{demo, setup};
use anyhow::{Result, bail};
use libraries::LIBRARIES;
use std::path::Path;

/// Fetches, measures, prints the table; fails if a figure that must be reached is not.
pub fn run() -> Result<()> {
    setup::run()?;
    let verdiff = demo::build()?;
    let all = measure_all(&verdiff, 1)?;
    println!("{}", figures::table(&all));
    println!("{}", figures::unsupported(&all));
    let missed = figures::missed(&all);
    if missed.is_empty() {
        return Ok(());
    }
    bail!("not reached:\n  {}", missed.join("\n  "))
}

/// All libraries, each measured several times.
pub fn measure_all(verdiff: &Path, times: usize) -> Result<Vec<Figures>> {
    let folder = fetch::all()?;
    let mut all = Vec::new();
    for library in LIBRARIES {
        eprintln!("measuring {}", library.name);
        all.push(figures::measure(verdiff, library, &folder, times)?);
    }
    Ok(all)
}

/// The report's part on real code.
pub fn report(all: &[Figures]) -> String {
    let mut text = format!("{}\n{}", figures::table(all), figures::unsupported(all));
    for missed in figures::missed(all) {
        text.push_str(&format!("\nNot reached: {missed}\n"));
    }
    text
}
