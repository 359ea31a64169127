//! The corpus, judged in this process and without replay: which functions come out as their labels say.
//!
//! `cargo run --release -p verdiff-plan --example corpus -- [PART OF A NAME]... [--loops] [--mirror]`

use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use verdiff_front::{Inputs, load};
use verdiff_judge::{Changed, Judgement, Judgements, Settings, Version};
use verdiff_plan::{Order, matching, worker::Worker};

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    loop_free: bool,
    #[serde(default)]
    options: toml::Table,
    function: Vec<Function>,
}

#[derive(Deserialize)]
struct Function {
    name: String,
    verdict: String,
    #[serde(default)]
    kinds: Vec<String>,
}

fn version(path: &Path) -> Version {
    let loaded = load(&Inputs { paths: vec![path.to_owned()], ..Inputs::default() });
    let loaded = loaded.expect("the corpus compiles");
    Version { program: loaded.program, frames: loaded.frames }
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut found = Vec::new();
    for topic in std::fs::read_dir(root).into_iter().flatten().flatten() {
        for case in std::fs::read_dir(topic.path()).into_iter().flatten().flatten() {
            if case.path().join("case.toml").is_file() {
                found.push(case.path());
            }
        }
    }
    found.sort();
    found
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|a| a == name);
    let parts: Vec<&String> = arguments.iter().filter(|a| !a.starts_with("--")).collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for folder in cases() {
        let name = folder.strip_prefix(folder.ancestors().nth(2).unwrap()).unwrap();
        let name = name.display().to_string();
        if !parts.is_empty() && !parts.iter().any(|p| name.contains(p.as_str())) {
            continue;
        }
        let text = std::fs::read_to_string(folder.join("case.toml")).unwrap();
        let case: Case = toml::from_str(&text).unwrap();
        if !case.options.is_empty() || case.loop_free == flag("--loops") {
            continue;
        }
        let (mut old, mut new) = (version(&folder.join("old.c")), version(&folder.join("new.c")));
        if flag("--mirror") {
            std::mem::swap(&mut old, &mut new);
        }
        let matched = matching(old, new, Settings { seed: 1, ..Settings::default() }, &[]).unwrap();
        let comparison = &matched.comparison;
        let order = Order::of(comparison);
        let mut worker = Worker::new(comparison.clone());
        let mut judgements = Judgements::new();
        for id in order.components.iter().flatten() {
            let pair = comparison.pair(*id);
            let Some(label) = case.function.iter().find(|f| f.name == pair.function) else {
                continue;
            };
            let start = Instant::now();
            let judged =
                worker.judge(*id, Judgement::default(), &judgements, Duration::from_secs(10));
            let time = start.elapsed();
            judgements.insert(*id, judged.judgement.clone());
            let found = if judged.judgement.is_equal() {
                "equivalent"
            } else if !judged.candidates.is_empty() {
                "different"
            } else {
                "unknown"
            };
            let mut result = match (label.verdict.as_str(), found) {
                (a, b) if a == b => "right",
                (_, "unknown") => "open",
                ("unknown", _) => "answered",
                _ => "WRONG",
            };
            if !pair.same_interface || label.kinds == ["interface"] {
                result = "interface";
            }
            if pair.changed == Changed::No && label.verdict != "equivalent" {
                result = "WRONG: unchanged";
            }
            *counts.entry(format!("{} {result}", label.verdict)).or_default() += 1;
            if result != "right" && result != "interface" || flag("--all") {
                let why = judged.stopped.map_or(String::new(), |r| r.to_string());
                let engine = judged.engines.last().map_or("", |e| e.name.as_str());
                println!(
                    "{result:6} {name} {}: is {}, found {found} ({engine}, {:.0} ms) {why}",
                    pair.function,
                    label.verdict,
                    time.as_secs_f64() * 1000.0
                );
            }
            if flag("--show") {
                println!("{:#?}", judged.candidates);
                println!(
                    "{:#?}",
                    judged.judgement.evidence().iter().map(|e| &e.because).collect::<Vec<_>>()
                );
            }
        }
    }
    for (what, count) in counts {
        println!("{count:4} {what}");
    }
}
