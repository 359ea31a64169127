//! The linker, called as clang calls it.
//!
//! clang takes longer to start than the linker takes for a small program, and all it does is to say where the C library is. That was asked when
//! verdiff was built (`build.rs`). It holds for that clang alone, and if anything about it is wrong the linker fails, and clang is asked after all.
//!
//! Most programs need the C library and nothing else. To look through the others takes the linker as long as all the rest, so that is tried
//! first; where something is missing, all of them are given.
//!
//! For programs that small, gold takes half the time of the linker that clang calls. It comes with that one on many systems, and it is the
//! faster first attempt, no more: what it does not link, clang's linker does.

use super::CompiledError;
use super::pieces::{LINKED, OBJECTS, OUTPUT};
use super::toolchain::{LoadAddress, WRAPPED, run};
use std::path::{Path, PathBuf};
use std::process::Command;
use verdiff_process::Deadline;

/// What the build script wrote, in the order of [`LINKED`]; empty if it could not.
const LINES: [&str; LINKED.len()] = [
    include_str!(concat!(env!("OUT_DIR"), "/link-fixed.txt")),
    include_str!(concat!(env!("OUT_DIR"), "/link-pie.txt")),
];

/// A linker that takes half the time, if it is there beside the one that clang calls.
const FASTER: &str = "ld.gold";

/// How programs are linked without clang.
pub(super) struct Linker {
    /// The C library's file.
    library: &'static str,
    /// For each of [`LINKED`], the linker and its arguments.
    lines: [Vec<&'static str>; LINKED.len()],
}

impl Linker {
    /// The linker that this clang calls, if it is known.
    pub(super) fn of(clang: &Path) -> Option<Linker> {
        let clang = clang.canonicalize().ok()?;
        let line = |text: &'static str| {
            let mut words = text.lines();
            let is_same = words.next().is_some_and(|file| Path::new(file) == clang);
            is_same.then(|| words.skip(1).collect::<Vec<_>>()).filter(|line| line.len() > 2)
        };
        let library = LINES[0].lines().nth(1)?;
        Some(Linker { library, lines: [line(LINES[0])?, line(LINES[1])?] })
    }

    /// Links objects, and what an assembly file defines.
    pub(super) fn link(
        &self,
        place: LoadAddress,
        objects: &[&Path],
        assembly: Option<&Path>,
        output: &Path,
        deadline: Deadline,
    ) -> Result<(), CompiledError> {
        let line = &self.lines[usize::from(place == LoadAddress::Elsewhere)];
        let mut objects: Vec<PathBuf> = objects.iter().map(|path| path.to_path_buf()).collect();
        if let Some(file) = assembly {
            let object = file.with_extension("outside.o");
            // It comes with the linker.
            let mut command = Command::new(Path::new(line[0]).with_file_name("as"));
            run(command.arg(file).arg("-o").arg(&object), deadline)?;
            objects.push(object);
        }
        let link = |linker: &Path, words: &[&str]| {
            let mut command = Command::new(linker);
            command.args(WRAPPED.iter().map(|name| format!("--wrap={name}")));
            for word in words {
                match *word {
                    OBJECTS => command.args(&objects),
                    OUTPUT => command.arg(output),
                    word => command.arg(word),
                };
            }
            run(&mut command, deadline)
        };
        let short = self.with_the_library_alone(&line[1..]);
        let clangs_own = Path::new(line[0]);
        let faster = clangs_own.with_file_name(FASTER);
        let attempts = [(&*faster, &*short), (clangs_own, &*short), (clangs_own, &line[1..])];
        let mut failed = CompiledError::DoesNotStart;
        for (linker, words) in attempts {
            match link(linker, words) {
                Err(error @ CompiledError::Link { .. }) => failed = error,
                ended => return ended,
            }
        }
        Err(failed)
    }

    /// The arguments without all libraries but the one.
    fn with_the_library_alone(&self, words: &[&'static str]) -> Vec<&'static str> {
        let is_other = |word: &&str| {
            matches!(*word, "--as-needed" | "--no-as-needed" | "--build-id")
                || word.starts_with("-L")
                || (word.starts_with("-l") && *word != "-lc")
        };
        let words = words.iter().copied().filter(|word| !is_other(word));
        words.map(|word| if word == "-lc" { self.library } else { word }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_clang_is_asked() {
        assert!(Linker::of(Path::new("/bin/sh")).is_none());
        assert!(Linker::of(Path::new("/no/such/clang")).is_none());
    }

    #[test]
    fn the_line_has_a_library_and_both_places() {
        // Empty where the build script found no clang.
        let Some(file) = LINES[0].lines().next() else { return };
        let linker = Linker::of(Path::new(file)).unwrap();
        for line in &linker.lines {
            let short = linker.with_the_library_alone(&line[1..]);
            assert!(short.len() < line.len(), "{line:?}");
            for word in [OBJECTS, OUTPUT, linker.library] {
                assert_eq!(short.iter().filter(|w| **w == word).count(), 1, "{word}: {short:?}");
            }
        }
        assert!(linker.lines[1].contains(&"-pie") && !linker.lines[0].contains(&"-pie"));
    }
}
