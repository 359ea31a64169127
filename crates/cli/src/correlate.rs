//! `verdiff correlate`: what the states of two versions have to do with each other at outputs and ends.

use crate::arguments::{Color, Correlate};
use crate::fault;
use anyhow::{Context, bail};
use std::io::{self, Write};
use std::rc::Rc;
use verdiff_engines::Facts;
use verdiff_engines::correlate::correlate;
use verdiff_front::{Inputs, Loaded};
use verdiff_judge::{Settings, Version};
use verdiff_plan::matching;
use verdiff_report::{correlation_json, correlation_svg, correlation_text};

/// Runs the command.
pub fn run(arguments: &Correlate, color: Color) -> anyhow::Result<u8> {
    let load = |path: &std::path::PathBuf| {
        let paths = vec![path.clone()];
        let inputs =
            Inputs { paths, clang_flags: arguments.clang_flags.clone(), ..Inputs::default() };
        verdiff_front::load(&inputs)
    };
    let (old, new) = (load(&arguments.old)?, load(&arguments.new)?);
    for loaded in [&old, &new] {
        fault::pass_on(&loaded.diagnostics);
        loaded.warnings.iter().for_each(|warning| fault::warn(warning, color));
    }
    let version = |loaded: Loaded| Version { program: loaded.program, frames: loaded.frames };
    let entries = std::slice::from_ref(&arguments.entry);
    let matched = matching(version(old), version(new), Settings::default(), entries)?;
    let comparison = Rc::new((*matched.comparison).clone());
    let wanted = |id: &_| comparison.pair(*id).function == arguments.entry;
    let Some(pair) = comparison.pair_ids().find(wanted) else {
        bail!("{}: no such function in both versions", arguments.entry);
    };
    if !comparison.pair(pair).same_interface {
        bail!("{}: its parameters or results have other types in the new version", arguments.entry);
    }
    let facts = Facts::of(comparison);
    let (correlation, _) = correlate(&facts, pair, arguments.steps);
    if let Some(path) = &arguments.svg {
        let read = |path: &std::path::PathBuf| std::fs::read_to_string(path).unwrap_or_default();
        let picture = correlation_svg(&correlation, &read(&arguments.old), &read(&arguments.new));
        std::fs::write(path, picture)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    let text = match arguments.json {
        true => {
            serde_json::to_string_pretty(&correlation_json(&correlation))
                .context("cannot write the output")?
                + "\n"
        }
        false => correlation_text(&correlation),
    };
    io::stdout().lock().write_all(text.as_bytes()).context("cannot write the output")?;
    Ok(if correlation.stopped.is_some() { 3 } else { 0 })
}
