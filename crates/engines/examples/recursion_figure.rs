//! How many of the corpus's equivalent functions with loops or recursion `recursion` proves, which ones it does
//! not and why, and whether it proves one that is labelled different:
//! `cargo run -p verdiff-engines --example recursion_figure [milliseconds [case]]`.

#[path = "../tests/engines/testing_support/mod.rs"]
mod support;

use std::time::Instant;
use support::{corpus, pair_named, with_task};
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Budget, Engine};
use verdiff_logic::effort::Effort;
use verdiff_product::Facts;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let time = arguments.next().map_or(1500, |text| text.parse().expect("milliseconds"));
    let only = arguments.next();
    let (mut proved, mut equivalent, mut wrong, mut alike) = (0, 0, 0, 0);
    for case in corpus() {
        let other = only.as_ref().is_some_and(|only| !case.name.contains(only));
        if case.loop_free || case.has_options || other {
            continue;
        }
        let comparison = case.compare().expect("the corpus compiles");
        for function in &case.functions {
            let Some(pair) = pair_named(&comparison, &function.name) else { continue };
            let start = Instant::now();
            let budget = Budget::lasting(Effort::millis(time), 1);
            let mut engine = Recursion::new(&Facts::of(comparison.clone()));
            let findings = with_task(&comparison, pair, |task| engine.run(task, &budget));
            let took = start.elapsed().as_millis();
            let name = format!("{} {}", case.name, function.name);
            let verdict = function.verdict.as_str();
            if verdict == "equivalent" {
                equivalent += 1;
            }
            match findings.additions.first() {
                Some(addition) => {
                    let evidence = &addition.evidence;
                    proved += usize::from(verdict == "equivalent");
                    // Where only ends differ, outcomes are equal.
                    let by_end = function.kinds.iter().all(|kind| kind == "termination");
                    wrong += usize::from(verdict == "different" && !by_end);
                    alike += usize::from(findings.additions.len() > 1);
                    println!("{verdict}: proved {name} ({took} ms): {:?}", evidence.rule);
                }
                None if verdict == "equivalent" || only.is_some() => {
                    let why = findings.stopped.map(|s| format!("{s:?}")).unwrap_or_default();
                    println!("{verdict}: not proved {name} ({took} ms): {why}");
                }
                None => {}
            }
        }
    }
    println!("{proved} of {equivalent} equivalent functions proved, {wrong} different ones");
    println!("{alike} of the proved end alike");
}
