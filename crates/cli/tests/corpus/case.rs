//! Cases of the corpus (docs/corpus.md).

use super::{Run, WHOLE};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// One case.
pub struct Case {
    /// `topic/name`.
    pub name: String,
    /// Where it is.
    pub folder: PathBuf,
    /// Whether no function loops or recurses.
    pub loop_free: bool,
    /// Whether it takes seconds of solving: the test suite runs a quarter of these.
    pub long: bool,
    /// The functions and what is true of them.
    pub functions: Vec<Function>,
    options: Options,
}

/// What is true of one function.
#[derive(Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// `equivalent`, `different`, `unknown`, `added`, `removed`.
    pub verdict: String,
    /// What can differ.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Exactly when outcomes differ.
    pub differ_under: Option<String>,
    /// Exactly when one version ends and the other does not.
    pub split_under: Option<String>,
    /// What the report says of the common part of a changed signature, or how that begins.
    pub common: Option<String>,
    /// `alike` or `split`.
    pub termination: Option<String>,
    /// Where it is undecided: the undecided callees with which, taken as common, the change is equivalent by itself;
    /// empty if it is not.
    pub local: Option<Vec<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    overflow: Option<String>,
    #[serde(default)]
    no_alias: bool,
    #[serde(default)]
    ignore_termination: bool,
    #[serde(default)]
    assume: Vec<String>,
    #[serde(default)]
    rename: Vec<String>,
    #[serde(default)]
    entry: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    loop_free: bool,
    #[serde(default)]
    long: bool,
    #[serde(default)]
    options: Options,
    function: Vec<Function>,
}

impl Case {
    /// The flags with which the case is run.
    pub fn flags(&self, run: Run) -> Vec<String> {
        let options = &self.options;
        let mut flags = vec![];
        if let Some(mode) = &options.overflow {
            flags.push(format!("--overflow={mode}"));
        }
        if options.no_alias {
            flags.push("--no-alias".to_owned());
        }
        if options.ignore_termination {
            flags.push("--ignore-termination".to_owned());
        }
        for text in &options.assume {
            flags.extend(["--assume".to_owned(), text.clone()]);
        }
        for text in options.rename.iter().filter(|_| run == Run::Plain) {
            flags.extend(["--rename".to_owned(), text.clone()]);
        }
        for text in options.rename.iter().filter(|_| run == Run::Mirrored) {
            let (old, new) = text.split_once('=').unwrap();
            flags.extend(["--rename".to_owned(), format!("{new}={old}")]);
        }
        for name in &options.entry {
            flags.extend(["--entry".to_owned(), name.clone()]);
        }
        flags
    }

    /// Whether it is in the part of the corpus, one of `parts`, that the test suite runs. The name alone says so: whatever cases come
    /// and go, a case is always run or never. `cargo xtask corpus` runs all of them.
    pub fn is_in_part(&self, parts: u32) -> bool {
        let all = std::env::var_os("VERDIFF_CORPUS_ALL").is_some();
        // Pairs of loops are many and alike.
        let parts = if self.name.starts_with("align/") { 7 * parts } else { parts };
        all || self.name.bytes().map(u32::from).sum::<u32>().is_multiple_of(parts)
    }

    /// Whether the test suite runs it plainly: of the clients of changed libraries, which are many and alike, a fifth; of
    /// pairs that take seconds of solving, an eighth.
    pub fn is_in_suite(&self) -> bool {
        (!self.name.starts_with("clients/") || self.is_in_part(5))
            && (!self.long || self.is_in_part(8))
    }

    /// Whether a plain run replays differences. What is said of the common part of two signatures depends on it.
    pub fn is_replayed(&self) -> bool {
        self.is_in_part(WHOLE) || self.functions.iter().any(|f| f.common.is_some())
    }

    /// Whether it is run where only a part of the usual cases is wanted (`VERDIFF_CASES`, in percent).
    pub fn is_in_quick_part(&self) -> bool {
        let percent = std::env::var("VERDIFF_CASES").ok().and_then(|text| text.parse::<u32>().ok());
        percent.is_none_or(|percent| {
            let sum = self
                .name
                .bytes()
                .fold(0u32, |sum, b| sum.wrapping_mul(31).wrapping_add(u32::from(b)));
            sum % 100 < percent
        })
    }

    /// Whether exchanging the sides must give the same verdict. What the old version alone is excused from says nothing of the new one.
    pub fn is_symmetric(&self) -> bool {
        self.options.overflow.is_none()
    }

    /// The function of a name in the report: where a renamed one is listed under the other name when the sides are exchanged.
    pub fn name_in(&self, function: &str, run: Run) -> String {
        let renamed = self.options.rename.iter().filter_map(|r| r.split_once('='));
        match run {
            Run::Mirrored | Run::NewItself => renamed
                .into_iter()
                .find(|(old, _)| *old == function)
                .map_or(function.to_owned(), |(_, new)| new.to_owned()),
            _ => function.to_owned(),
        }
    }
}

/// All cases, in order.
pub fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut folders = Vec::new();
    for topic in std::fs::read_dir(root).unwrap().flatten() {
        for case in std::fs::read_dir(topic.path()).into_iter().flatten().flatten() {
            if case.path().join("case.toml").is_file() {
                folders.push((topic.file_name(), case.file_name(), case.path()));
            }
        }
    }
    folders.sort();
    let case = |(topic, name, folder): (std::ffi::OsString, std::ffi::OsString, PathBuf)| {
        let name = format!("{}/{}", topic.to_string_lossy(), name.to_string_lossy());
        let text = std::fs::read_to_string(folder.join("case.toml")).unwrap();
        let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let File { loop_free, long, options, function } = file;
        Case { name, folder, loop_free, long, functions: function, options }
    };
    folders.into_iter().map(case).collect()
}
