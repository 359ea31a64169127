//! Every function of every corpus case: model and compiled code do the same.

use crate::support;

use std::path::Path;
use support::{agree, assert_no_disagreement, c_files};
use verdiff_witness::AgreementOptions;

#[test]
fn the_corpus_agrees_with_compiled_code() {
    let mut files = c_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"));
    // Both versions of a case are alike: the suite takes one file of six, by its name; `cargo xtask soak` all.
    if std::env::var_os("VERDIFF_CORPUS_ALL").is_none() {
        let sum = |path: &Path| -> u32 {
            let parts: Vec<_> = path.components().rev().take(3).collect();
            parts.iter().flat_map(|p| p.as_os_str().as_encoded_bytes()).map(|b| u32::from(*b)).sum()
        };
        // Pairs of loops are many and alike.
        let is_loop = |path: &Path| path.components().any(|part| part.as_os_str() == "align");
        files.retain(|path| sum(path).is_multiple_of(if is_loop(path) { 30 } else { 6 }));
    }
    // Sanitizers are not asked here: to build each file three times would take as long as
    // everything else together, and the features' test asks them.
    let options = AgreementOptions {
        inputs: 200,
        samples: 0,
        steps: 20_000_000,
        ..AgreementOptions::default()
    };
    let reports = agree(&files, &options);
    assert_no_disagreement(&files, &reports);
    // Loops whose bounds are any numbers run out of steps from many states: they are compared, and not counted.
    let is_counted = |path: &Path| {
        !path.components().any(|part| ["align", "correlate"].iter().any(|t| part.as_os_str() == *t))
    };
    let counted = || files.iter().zip(&reports).filter(|(path, _)| is_counted(path));
    let rows = || counted().flat_map(|(_, report)| &report.procedures);
    let compared = rows().filter(|p| p.compared() >= 200).count();
    let all = rows().count();
    assert!(compared * 10 >= all * 9, "only {compared} of {all} functions were compared");
}
