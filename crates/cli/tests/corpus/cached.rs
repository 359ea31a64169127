//! The cache changes no report: without a cache, in a first run that fills one and in a second run that reads it.

use super::{Case, Run, cases, is_partial, verdiff_with};
use serde_json::Value;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A report without times, and without what came from the cache.
fn plain(mut report: Value) -> Value {
    for pair in report["pairs"].as_array_mut().into_iter().flatten() {
        pair["ms"] = Value::Null;
        pair["cached"] = Value::Null;
        for engine in pair["engines"].as_array_mut().into_iter().flatten() {
            engine["ms"] = Value::Null;
        }
    }
    report
}

/// Whether a limit on time or memory had a part in a report: another run may then say something else.
fn is_cut(report: &Value) -> bool {
    let mut pairs = report["pairs"].as_array().into_iter().flatten();
    pairs.any(|pair| pair["reproducible"] == false)
}

/// Every 24th loop-free case that is decided fast; all cases, with loops too, with `cargo xtask soak` and `cargo xtask corpus`.
fn is_chosen(case: &Case) -> bool {
    let only = std::env::var("VERDIFF_CORPUS").ok();
    (is_whole() || case.loop_free && !case.long)
        && case.is_in_part(24)
        && case.is_in_quick_part()
        && only.is_none_or(|part| case.name.contains(&part))
}

fn is_whole() -> bool {
    std::env::var_os("VERDIFF_CORPUS_ALL").is_some()
}

/// The counted work and the time of a pair, in seconds. The clock must have no part in what is compared: it is far away, and what
/// is undecided after so much work is compared as well.
fn limits() -> [f64; 2] {
    [if is_whole() { 1.0 } else { 0.3 }, 600.0]
}

/// What came of a case.
#[derive(Default)]
struct Tally {
    /// Reports that are the same.
    compared: usize,
    /// Of these, those with something from the cache.
    read: usize,
    /// Cases where a limit on time or memory had a part.
    cut: usize,
    /// Cases with another report, and what is wrong.
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, case: &Case) {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().to_string_lossy().into_owned();
        let cached = ["--cache", &cache];
        let runs = [&["--no-cache"][..], &cached, &cached];
        let reports = runs.map(|options| verdiff_with(case, Run::Plain, limits(), options));
        let [without, first, second] = match reports {
            [Ok(without), Ok(first), Ok(second)] => [without, first, second],
            reports => {
                let errors = reports.into_iter().filter_map(Result::err);
                return self.wrong.extend(errors.map(|error| format!("{}: {error}", case.name)));
            }
        };
        if [&without, &first, &second].into_iter().any(is_cut) {
            self.cut += 1;
            return;
        }
        self.compared += 1;
        let mut pairs = second["pairs"].as_array().into_iter().flatten();
        self.read += usize::from(pairs.any(|pair| pair["cached"] == true));
        let without = plain(without);
        for (which, report) in [("first", first), ("second", second)] {
            let report = plain(report);
            if report != without {
                self.wrong.push(format!(
                    "{}: the {which} run with a cache:\n{report:#}\nwithout:\n{without:#}",
                    case.name
                ));
            }
        }
    }
}

#[test]
fn the_cache_changes_no_report() {
    let cases: Vec<Case> = cases().into_iter().filter(is_chosen).collect();
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut own = Tally::default();
                    own.add(case);
                    let mut all = tally.lock().unwrap();
                    all.compared += own.compared;
                    all.read += own.read;
                    all.cut += own.cut;
                    all.wrong.extend(own.wrong);
                }
            });
        }
    });
    let Tally { compared, read, cut, wrong } = tally.into_inner().unwrap();
    eprintln!(
        "{compared} cases have the same report with a cache, {read} were read from it, {cut} reached a limit"
    );
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(is_partial() || 2 * read > compared && compared > 5, "{read} of {compared}");
    assert!(is_partial() || 10 * cut <= compared, "{cut} cases reached a limit");
}
