//! Comparisons from C files, and the cases of the corpus, for the tests and figures of `testing`.

#![allow(dead_code, reason = "each user needs a part")]

use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use verdiff_cache::Store;
use verdiff_front::{Inputs, load};
use verdiff_judge::{Changed, Comparison, Judgement, Judgements, Pair, PairId, Task, Version};
use verdiff_logic::effort::Effort;
use verdiff_model::{Callee, Expr, ProcId, Program, StmtKind, print};

/// Where bitcode of the corpus is kept, which the test programs of several crates share: each file is compiled once for all
/// of them. Examples, which use this module as well, have no such folder.
fn corpus_bitcode() -> Option<PathBuf> {
    Some(Path::new(option_env!("CARGO_TARGET_TMPDIR")?).join("corpus-bitcode"))
}

/// Both files, procedures paired by name.
pub fn compare_files(old: &Path, new: &Path) -> Result<Rc<Comparison>, String> {
    Ok(paired(corpus_version(old)?, corpus_version(new)?))
}

/// A file of the corpus.
pub fn corpus_version(path: &Path) -> Result<Version, String> {
    let store = corpus_bitcode().map(|folder| Arc::new(Store::new(folder)));
    // A name that does not depend on the crate: it is in the bitcode.
    let path = path.canonicalize().map_err(|error| error.to_string())?;
    version(&Inputs { paths: vec![path], store, ..Inputs::default() })
}

fn version(inputs: &Inputs) -> Result<Version, String> {
    let loaded = load(inputs).map_err(|error| error.to_string())?;
    Ok(Version { program: loaded.program, frames: loaded.frames })
}

fn paired(old: Version, new: Version) -> Rc<Comparison> {
    let mut pairs = vec![];
    for id in old.program.procedure_ids() {
        let procedure = old.program.procedure(id);
        let named = new.program.procedures.iter().position(|p| p.symbol == procedure.symbol);
        let Some(other) = named.map(ProcId::new) else { continue };
        let same = is_plain(&old.program, id)
            && print::procedure(&old.program, id) == print::procedure(&new.program, other);
        pairs.push(Pair {
            function: procedure.name.clone(),
            old: id,
            new: other,
            changed: if same { Changed::No } else { Changed::Text },
            same_interface: procedure.signature() == new.program.procedure(other).signature(),
            wanted: true,
        });
    }
    Rc::new(Comparison { old, new, pairs, ..Comparison::default() })
}

/// Whether all that a procedure does is in its text.
fn is_plain(program: &Program, id: ProcId) -> bool {
    let mut plain = true;
    for stmt in program.procedure(id).blocks.iter().flat_map(|b| &b.stmts) {
        plain &= !matches!(
            stmt.kind,
            StmtKind::Call { callee: Callee::Procedure(_) | Callee::Indirect { .. }, .. }
        );
        let mut note = |e: &Expr| plain &= !matches!(e, Expr::Address(_));
        stmt.kind.exprs().into_iter().for_each(|e| e.walk(&mut note));
    }
    plain
}

/// How many random cases a test looks at: a fixed number, so that it is the same test on every machine. `VERDIFF_CASES` is what is
/// looked at in percent of the usual: `cargo xtask test --quick` takes fewer, `cargo xtask soak` more.
pub fn cases(usual: usize) -> usize {
    (usual * percent()).div_ceil(100)
}

/// How much is looked at, in percent of the usual.
pub fn percent() -> usize {
    std::env::var("VERDIFF_CASES").map_or(100, |text| text.parse().unwrap())
}

/// What an engine may spend on a pair that it must not prove, or that most likely has no proof: all of it is spent then, so the
/// suite gives what the proofs of the same test need several times over. `cargo xtask soak` gives more.
pub fn effort(usual: Effort, in_soak: Effort) -> Effort {
    if percent() > 100 { in_soak } else { usual }
}

/// Whether a case is in the part of the corpus, one of `parts`, that the test suite runs: by its name, so that no case
/// joins or leaves because of another. `cargo xtask soak` runs all (`VERDIFF_CORPUS_ALL`).
pub fn is_in_part(case: &Case, parts: u32) -> bool {
    let sum: u32 = case.name.bytes().map(u32::from).sum();
    // Pairs of loops are many and alike.
    let parts = if case.name.starts_with("align/") { 5 * parts } else { parts };
    std::env::var_os("VERDIFF_CORPUS_ALL").is_some() || sum.is_multiple_of(parts)
}

/// Both texts.
pub fn compare_texts(old: &str, new: &str) -> Rc<Comparison> {
    paired(text_version(old), text_version(new))
}

/// A text as a version. The last ones are kept: most tests compare a text with several others, and in both orders, and to
/// start clang takes longer than what many of them do then.
fn text_version(text: &str) -> Version {
    const MOST: usize = 4;
    thread_local! {
        static KEPT: RefCell<VecDeque<(String, Version)>> = const { RefCell::new(VecDeque::new()) };
    }
    let known = KEPT.with_borrow(|kept| {
        kept.iter().find(|(of, _)| of == text).map(|(_, version)| version.clone())
    });
    known.unwrap_or_else(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("version.c");
        std::fs::write(&path, text).unwrap();
        let version = version(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap();
        KEPT.with_borrow_mut(|kept| {
            kept.truncate(MOST - 1);
            kept.push_front((text.to_owned(), version.clone()));
        });
        version
    })
}

/// The pair of a function.
pub fn pair_named(comparison: &Rc<Comparison>, name: &str) -> Option<PairId> {
    comparison.pair_ids().find(|id| comparison.pair(*id).function == name)
}

/// Has an engine look at a pair of which nothing is known.
pub fn with_task<T>(
    comparison: &Rc<Comparison>,
    pair: PairId,
    work: impl FnOnce(&Task<'_>) -> T,
) -> T {
    let (judgement, judgements) = (Judgement::default(), Judgements::default());
    work(&Task { comparison, pair, judgement: &judgement, judgements: &judgements })
}

/// A function of a case of the corpus.
#[derive(Clone, Debug)]
pub struct Labelled {
    pub name: String,
    pub verdict: String,
    pub kinds: Vec<String>,
}

/// A case of the corpus.
#[derive(Clone, Debug)]
pub struct Case {
    pub folder: PathBuf,
    pub name: String,
    pub loop_free: bool,
    pub has_options: bool,
    pub functions: Vec<Labelled>,
}

impl Case {
    pub fn compare(&self) -> Result<Rc<Comparison>, String> {
        compare_files(&self.folder.join("old.c"), &self.folder.join("new.c"))
    }
}

/// All cases of the corpus, in order.
pub fn corpus() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut cases = vec![];
    for topic in folders(&root) {
        for folder in folders(&topic) {
            let text = std::fs::read_to_string(folder.join("case.toml")).unwrap();
            let table: toml::Table = text.parse().unwrap();
            let text_of = |t: &toml::Value, key: &str| {
                t.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_owned()
            };
            let functions = table.get("function").and_then(|f| f.as_array());
            let functions = functions.into_iter().flatten().map(|f| Labelled {
                name: text_of(f, "name"),
                verdict: text_of(f, "verdict"),
                kinds: f
                    .get("kinds")
                    .and_then(|k| k.as_array())
                    .into_iter()
                    .flatten()
                    .filter_map(|k| k.as_str().map(str::to_owned))
                    .collect(),
            });
            let last = |p: &Path| p.file_name().unwrap().to_string_lossy().into_owned();
            cases.push(Case {
                name: format!("{}/{}", last(&topic), last(&folder)),
                loop_free: table.get("loop_free").and_then(|v| v.as_bool()).unwrap_or(false),
                has_options: table.contains_key("options"),
                functions: functions.collect(),
                folder,
            });
        }
    }
    cases
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}
