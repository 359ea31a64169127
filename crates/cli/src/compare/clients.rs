//! `--clients GLOB`: what a change of a library means for many clients, one comparison each.
//!
//! Each client is linked with the old and with the new library, and its own functions are judged, as `--old client.c lib.c
//! --new client.c lib2.c --entry …` does. Clients are not linked with each other: a name that one of them defines must not be
//! taken for what another one calls.

use super::glob::files;
use super::{inputs, judge, judging, limits, output};
use crate::arguments::{Color, Compare, Options};
use crate::{cache, fault, interrupt};
use anyhow::bail;
use std::path::{Path, PathBuf};
use std::time::Instant;
use verdiff::{Job, Judged, is_file};
use verdiff_front::{FrontError, Inputs};
use verdiff_plan::Limits;
use verdiff_report::{Client, ClientTrouble, Report, clients_exit_code};

/// Runs the command.
pub fn run(arguments: &Compare, color: Color) -> anyhow::Result<u8> {
    let begun = Instant::now();
    let store = cache::open(&arguments.options.cache)?;
    let (old, new) = inputs(arguments, store.as_ref())?;
    let limits = limits(&arguments.options, begun)?;
    let mut paths: Vec<PathBuf> = vec![];
    for pattern in &arguments.clients {
        let found = files(pattern);
        if found.is_empty() {
            bail!("--clients: no file matches {pattern}");
        }
        for path in found {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    output::check_formats_of_clients(&arguments.options)?;
    output::probe(&arguments.options, None)?;
    let library = Job {
        old,
        new,
        judged: Judged::Named,
        options: judging(&arguments.options, &arguments.clang_flags)?,
        limits: limits.clone(),
        store,
        trusts_cached_replays: arguments.options.cache.no_replay,
    };
    let mut clients = vec![];
    for path in paths {
        let outcome = match is_over(&limits) {
            true => Err(ClientTrouble::NotAnalysed),
            false => one(&library, &path, &arguments.options, color),
        };
        clients.push(Client { file: path.display().to_string(), outcome });
    }
    output::write_clients(&clients, &arguments.options)?;
    Ok(clients_exit_code(&clients, arguments.options.report.policy()))
}

fn is_over(limits: &Limits) -> bool {
    let ends = limits.clock.engines_end();
    interrupt::requested() || ends.is_some_and(|end| end <= Instant::now())
}

/// One client. What is wrong with it costs no other one.
fn one(
    library: &Job,
    client: &Path,
    options: &Options,
    color: Color,
) -> Result<Report, ClientTrouble> {
    let with = |library: &Inputs| Inputs {
        paths: [&[client.to_owned()][..], &library.paths].concat(),
        ..library.clone()
    };
    let judged = Judged::Client(client.to_owned());
    let job = Job { old: with(&library.old), new: with(&library.new), judged, ..library.clone() };
    match judge(&job, options, None, &|_, _| {}, color) {
        Ok((mut report, _)) => {
            // A function of the library may have the name of one of the client's.
            report.pairs.retain(|pair| {
                let place = pair.old.as_ref().or(pair.new.as_ref());
                place.is_some_and(|place| is_file(&place.file, client))
            });
            Ok(report)
        }
        Err(error) => {
            if let Some(FrontError::DoesNotCompile { diagnostics, .. }) = error.downcast_ref() {
                fault::pass_on(diagnostics);
            }
            Err(ClientTrouble::Error(format!("{error:#}")))
        }
    }
}
