//! The operations on polyhedra of real correlation runs, as files for `against_ppl` of `polyhedra`: one for each function
//! with a loop of the topic `correlate` of the corpus. `correlation_traces FOLDER`

#[path = "../tests/engines/testing_support/mod.rs"]
mod support;

use std::path::PathBuf;
use support::{corpus, pair_named};
use verdiff_engines::correlate::correlate;
use verdiff_polyhedra::trace::record;
use verdiff_product::Facts;

/// As many steps as `verdiff correlate` takes if nobody says otherwise.
const STEPS: u64 = 20_000;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("a folder"));
    std::fs::create_dir_all(&folder).expect("a folder that can be made");
    for case in corpus().into_iter().filter(|case| case.name.starts_with("correlate/")) {
        let Ok(comparison) = case.compare() else { continue };
        for function in &case.functions {
            let Some(pair) = pair_named(&comparison, &function.name) else { continue };
            let facts = Facts::of(comparison.clone());
            let (_, trace) = record(|| correlate(&facts, pair, STEPS));
            let name = format!("{}.{}.trace", case.name.replace('/', "."), function.name);
            println!("{name}: {} steps", trace.steps.len());
            std::fs::write(folder.join(name), trace.to_string())
                .expect("a file that can be written");
        }
    }
}
