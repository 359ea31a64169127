//! Which functions of two loaded versions are judged.

use crate::error::Error;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use verdiff_front::Loaded;
use verdiff_judge::{Settings, Version};
use verdiff_model::{ProcId, Procedure, Program, merge_copies};
use verdiff_plan::{Matched, matching};

/// Which functions are judged.
#[derive(Clone, Debug, Default)]
pub enum Judged {
    /// Those that the options name, or all.
    #[default]
    Named,
    /// Those of this file.
    Client(PathBuf),
    /// Those that the options name, or all but those of these files.
    AllBut(Vec<PathBuf>),
}

/// Matches the functions of two versions.
pub fn matched(
    mut before: Loaded,
    mut after: Loaded,
    settings: Settings,
    entry: &[String],
    judged: &Judged,
) -> Result<Matched, Error> {
    let entries = match judged {
        Judged::Client(client) => functions_of(&before.program, client)?,
        Judged::Named | Judged::AllBut(_) => entry.to_vec(),
    };
    let copies = match judged {
        Judged::AllBut(_) => [&mut before, &mut after].map(|version| {
            let program = &mut version.program;
            program.files.iter_mut().for_each(|file| *file = plain_path(file));
            merge_copies(program)
        }),
        _ => Default::default(),
    };
    let version = |loaded: Loaded| Version { program: loaded.program, frames: loaded.frames };
    let mut matched = matching(version(before), version(after), settings, &entries)?;
    if let Judged::AllBut(files) = judged {
        leave_out(&mut matched, files, &copies);
    }
    match matched.comparison.pairs.is_empty() {
        true => Err(Error::NothingInCommon),
        false => Ok(matched),
    }
}

/// A path without `.` and `..`: clang writes `src/../x.h` for a header that `src/a.c` includes as `../x.h`.
fn plain_path(path: &str) -> String {
    let mut parts: Vec<&str> = vec![];
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Leaves out functions of files that are only there to be called, and copies of functions that are judged.
fn leave_out(matched: &mut Matched, files: &[PathBuf], copies: &[BTreeSet<ProcId>; 2]) {
    let comparison = Arc::make_mut(&mut matched.comparison);
    let program = &comparison.new.program;
    let left_out = |id: ProcId| {
        let loc = program.procedure(id).loc;
        loc.is_known() && files.iter().any(|file| file.as_os_str() == program.file(loc.file))
    };
    for pair in &mut comparison.pairs {
        let is_copy = copies[0].contains(&pair.old) && copies[1].contains(&pair.new);
        pair.wanted &= !is_copy && !left_out(pair.new);
    }
    matched.removed.retain(|id| !copies[0].contains(id));
    matched.added.retain(|id| !copies[1].contains(id));
}

/// The functions that a file defines, as the linker names them.
fn functions_of(program: &Program, client: &Path) -> Result<Vec<String>, Error> {
    let here = |p: &&Procedure| p.loc.is_known() && is_file(program.file(p.loc.file), client);
    let all: Vec<String> =
        program.procedures.iter().filter(here).map(|p| p.symbol.clone()).collect();
    if all.is_empty() {
        return Err(Error::NoFunction);
    }
    Ok(all)
}

/// Whether clang's name for a file is that of this one.
pub fn is_file(name: &str, path: &Path) -> bool {
    let name = Path::new(name);
    let whole = |path: &Path| path.canonicalize().ok();
    name == path || whole(name).is_some_and(|name| Some(name) == whole(path))
}
