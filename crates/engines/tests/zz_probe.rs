#[path = "testing_support/mod.rs"]
mod support;
use std::time::{Duration, Instant};
use support::{compare_texts, pair_named, with_task};
use verdiff_engines::termination::Termination;
use verdiff_judge::{Budget, Engine};
#[test]
fn probe() {
    let old = std::env::var("OLD").unwrap();
    let new = std::env::var("NEW").unwrap_or(old.clone());
    let comparison = compare_texts(&old, &new);
    let pair = pair_named(&comparison, "f").unwrap();
    let start = Instant::now();
    let found = with_task(&comparison, pair, |task| {
        Termination::default().run(task, &Budget::lasting(Duration::from_secs(20), 1))
    });
    println!("{:?}", start.elapsed());
    for a in &found.additions {
        println!(
            "{:?} {} {}\n   {}  ({} obligations)",
            a.evidence.adds,
            a.evidence.rule,
            a.formula.smt(),
            a.evidence.because,
            a.evidence.obligations.len()
        );
    }
    println!("{:?}", found.stopped);
    for c in &found.candidates {
        println!("{:?}", c.old.args);
    }
}
