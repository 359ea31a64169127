//! The corpus's different pairs: states on which the interpreter sees a difference must be confirmed
//! by the compiled programs, and none may refute it.

use crate::support;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::pair::Pair;
use verdiff_model::generate::Generator;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Difference, Run, compare};
use verdiff_model::{Frame, ProcId, Program};
use verdiff_witness::replay::{ReplayOptions, Replayed, Request, Status};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// The cases below a folder that have both versions.
fn cases(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = support::c_files(folder)
        .into_iter()
        .filter(|file| file.ends_with("old.c") && file.with_file_name("new.c").exists())
        .map(|file| file.parent().unwrap().to_path_buf())
        .collect();
    found.sort();
    found
}

/// A frame is needed for structs that are passed by value alone.
fn frame(program: &Program, id: ProcId) -> Frame {
    let procedure = program.procedure(id);
    Frame { by_value: vec![None; procedure.params.len()], ..Frame::default() }
}

/// The first states on which a function's two versions differ.
fn requests(pair: &Pair, name: &str) -> Vec<Request> {
    let [old, new] = &pair.programs;
    let (Some(a), Some(b)) = (old.procedure_named(name), new.procedure_named(name)) else {
        return vec![];
    };
    let same = old.procedure(a).signature() == new.procedure(b).signature();
    if !same || !old.procedure(a).is_supported() || !new.procedure(b).is_supported() {
        return vec![];
    }
    let generator = Generator::new(old);
    let frame = frame(old, a);
    let states = generator.for_procedure(a, &frame);
    let (mut first, mut second) = (Machine::new(old), Machine::new(new));
    let limits = Limits { steps: 50_000, ..ReplayOptions::default().limits };
    let mut found: Vec<Request> = vec![];
    for number in 0..2000 {
        let mut entry = states.entry(1, number);
        // Numbers of globals may differ between the versions.
        entry.globals.clear();
        let (x, y) = (first.run(a, &entry, &limits), second.run(b, &entry, &limits));
        let difference = compare(
            Run { program: old, entry: &entry, outcome: &x },
            Run { program: new, entry: &entry, outcome: &y },
        );
        match difference {
            None | Some(Difference::Inconclusive | Difference::Initialisation { .. }) => continue,
            Some(_) => found.push(Request { old: (a, entry.clone()), new: (b, entry) }),
        }
        if found.len() == 3 {
            break;
        }
    }
    found
}

/// Replays what is found in each case; one line a function.
fn replay_all(cases: &[PathBuf]) -> Vec<String> {
    let next = AtomicUsize::new(0);
    let lines = Mutex::new(vec![vec![]; cases.len()]);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(index) else { return };
                    let files = [case.join("old.c"), case.join("new.c")];
                    let pair = Pair::of_files(tempfile::tempdir().unwrap(), files);
                    let mut told = vec![];
                    pair.with(ReplayOptions::default(), |replayer| {
                        let names = pair.programs[0].procedures.iter().map(|p| p.name.clone());
                        for name in names {
                            let all: Vec<Replayed> = requests(&pair, &name)
                                .iter()
                                .map(|request| replayer.replay(request))
                                .collect();
                            let line = all.iter().map(|r| match &r.status {
                                Status::NotRun { why } | Status::Refuted { why } => {
                                    format!("{} ({why:?})", r.status.name())
                                }
                                status => status.name().to_owned(),
                            });
                            let line: Vec<String> = line.collect();
                            if !line.is_empty() {
                                let case = case.strip_prefix(corpus()).unwrap_or(case);
                                told.push(format!(
                                    "{} {name}: {}",
                                    case.display(),
                                    line.join(", ")
                                ));
                            }
                        }
                    });
                    lines.lock().unwrap()[index] = told;
                }
            });
        }
    });
    lines.into_inner().unwrap().concat()
}

#[test]
fn output_of_the_corpus_is_confirmed() {
    let lines = replay_all(&cases(&corpus().join("io")));
    let different: Vec<&String> = lines.iter().filter(|line| !line.contains("confirmed")).collect();
    assert!(different.is_empty(), "{different:#?}");
    assert!(lines.len() >= 8, "{lines:#?}");
}

#[test]
#[ignore = "takes minutes; run with --ignored --nocapture to see every case"]
fn the_whole_corpus_is_never_refuted() {
    let lines = replay_all(&cases(&corpus()));
    for line in &lines {
        println!("{line}");
    }
    assert!(!lines.iter().any(|line| line.contains("refuted")));
}
