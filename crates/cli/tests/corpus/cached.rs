//! The cache changes no report: without a cache, in a first run that fills one and in a second run that reads it.

use super::{Case, Run, cases, is_partial, limit, verdiff_with};
use serde_json::Value;

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

/// Every 60th loop-free case; all cases with `cargo xtask corpus`.
fn is_chosen(case: &Case) -> bool {
    let all = std::env::var_os("VERDIFF_CORPUS_ALL").is_some();
    let only = std::env::var("VERDIFF_CORPUS").ok();
    (all || case.loop_free)
        && case.is_in_part(60)
        && case.is_in_quick_part()
        && only.is_none_or(|part| case.name.contains(&part))
}

#[test]
fn the_cache_changes_no_report() {
    let (mut compared, mut read) = (0, 0);
    for case in cases().iter().filter(|case| is_chosen(case)) {
        let folder = tempfile::tempdir().unwrap();
        let cache = folder.path().to_string_lossy().into_owned();
        let seconds = limit(case, Run::Plain);
        let run = |options: &[&str]| {
            let report = verdiff_with(case, Run::Plain, seconds, options);
            report.unwrap_or_else(|error| panic!("{}: {error}", case.name))
        };
        let without = run(&["--no-cache"]);
        let reports = [run(&["--cache", &cache]), run(&["--cache", &cache])];
        if is_cut(&without) || reports.iter().any(is_cut) {
            continue;
        }
        let mut pairs = reports[1]["pairs"].as_array().into_iter().flatten();
        read += usize::from(pairs.any(|pair| pair["cached"] == true));
        for report in reports {
            assert_eq!(plain(report), plain(without.clone()), "{}", case.name);
        }
        compared += 1;
    }
    eprintln!("{compared} cases have the same report with a cache, {read} were read from it");
    assert!(is_partial() || 2 * read > compared && compared > 5, "{read} of {compared}");
}
