//! Flags for files that nobody says how to compile: the repository's own include folders.
//!
//! A folder is added because an `#include` line needs it, not because it has headers: a folder of replacements for system headers would
//! otherwise come before the system's own.

use crate::includes::Includes;
use crate::snapshot::Snapshot;
use std::collections::BTreeSet;
use std::path::Path;

/// Headers that the system has. A folder with one of them is searched behind the system's.
const SYSTEM: [&str; 36] = [
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fcntl.h",
    "float.h",
    "getopt.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "malloc.h",
    "math.h",
    "memory.h",
    "poll.h",
    "pthread.h",
    "regex.h",
    "sched.h",
    "search.h",
    "setjmp.h",
    "signal.h",
    "stdalign.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "termios.h",
    "time.h",
    "unistd.h",
    "utime.h",
    "wchar.h",
    "wctype.h",
    "endian.h",
];

/// The files that say how a project is built.
const BUILD_FILES: [&str; 7] = [
    "CMakeLists.txt",
    "configure.ac",
    "configure.in",
    "Makefile",
    "Makefile.am",
    "GNUmakefile",
    "meson.build",
];

/// Flags for a file.
pub fn flags<'a>(
    snapshot: &'a Snapshot,
    includes: &mut Includes<'a>,
    unit: &'a str,
) -> Vec<String> {
    let mut options: Vec<[String; 2]> = vec![];
    let mut seen = BTreeSet::new();
    let mut work = vec![unit];
    // What is asked of the system, and whether a header answers that.
    let (mut asked, mut configured) = (BTreeSet::new(), false);
    while let Some(path) = work.pop() {
        if !seen.insert(path) {
            continue;
        }
        let included = includes.of(path).clone();
        let asks_for_config = included.asked.contains("HAVE_CONFIG_H");
        asked.extend(included.asked);
        for include in included.names {
            let beside = join(folder(path), &include.name);
            let is_config =
                include.name == "config.h" || asks_for_config && include.name.ends_with("config.h");
            if include.quoted && snapshot.has(&beside) {
                configured |= is_config;
                work.extend(snapshot_path(snapshot, &beside));
                continue;
            }
            if SYSTEM.contains(&include.name.as_str()) && !include.quoted {
                continue;
            }
            let candidates = includes.candidates(&include.name);
            let Some(chosen) = candidates
                .into_iter()
                .max_by_key(|c| (common(unit, c), std::cmp::Reverse(c.len())))
            else {
                continue;
            };
            configured |= is_config;
            work.push(chosen);
            let Some(found) = chosen.strip_suffix(include.name.as_str()) else { continue };
            let found = match found.trim_end_matches('/') {
                "" => ".",
                folder => folder,
            };
            let shadows = SYSTEM.iter().any(|header| snapshot.has(&join(found, header)));
            let option = match (include.quoted, shadows) {
                (true, _) => "-iquote",
                (false, true) => "-idirafter",
                (false, false) => "-I",
            };
            let option = [option.to_owned(), found.to_owned()];
            if !options.contains(&option) {
                options.push(option);
            }
        }
    }
    let mut flags = options.concat();
    if configured || has_config(snapshot, includes) {
        flags.push("-DHAVE_CONFIG_H=1".to_owned());
    } else {
        // No header says what `configure` would have put on the command line.
        let is_there = |name: &&String| SYSTEM.contains(&header_name(name).as_str());
        flags.extend(asked.iter().filter(is_there).map(|name| format!("-D{name}=1")));
    }
    if asks_for_gnu(snapshot) {
        flags.push("-D_GNU_SOURCE=1".to_owned());
    }
    flags
}

/// Whether the project's build asks for all that the C library has. Without it, functions such as `vasprintf` are not declared,
/// and a call of one is a call of something else.
fn asks_for_gnu(snapshot: &Snapshot) -> bool {
    let names: [&[u8]; 3] = [b"_GNU_SOURCE", b"AC_USE_SYSTEM_EXTENSIONS", b"AC_GNU_SOURCE"];
    BUILD_FILES
        .iter()
        .filter_map(|path| snapshot.read(path))
        .any(|text| names.iter().any(|name| text.windows(name.len()).any(|window| window == *name)))
}

/// `HAVE_UNISTD_H` is about `unistd.h`.
fn header_name(macro_name: &str) -> String {
    let name = macro_name.trim_start_matches("HAVE_").trim_end_matches("_H");
    format!("{}.h", name.to_lowercase())
}

fn has_config(snapshot: &Snapshot, includes: &Includes<'_>) -> bool {
    snapshot.has("config.h") || !includes.candidates("config.h").is_empty()
}

fn snapshot_path<'a>(snapshot: &'a Snapshot, path: &str) -> Option<&'a str> {
    snapshot.key(path)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn join(folder: &str, name: &str) -> String {
    crate::request::normalised(&Path::new(folder).join(name)).to_string_lossy().into_owned()
}

/// How many folders two paths share.
fn common(a: &str, b: &str) -> usize {
    folder(a).split('/').zip(folder(b).split('/')).take_while(|(a, b)| a == b).count()
}
