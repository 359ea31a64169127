//! CPU time against counted effort, engine by engine, over a part of the corpus (docs/internals/effort.md).
//!
//! `cargo run --example effort_figure [N] [TEXT]`: every N-th case whose name contains TEXT. CPU time is that of the thread,
//! so that a busy machine does not matter much.

#[path = "../tests/engines/testing_support/mod.rs"]
mod support;

use std::time::Duration;
use support::{corpus, pair_named, with_task};
use verdiff_engines::{Facts, all};
use verdiff_judge::{Budget, Depth};
use verdiff_logic::effort::{self, Effort};

/// What an engine gets for a pair.
const BUDGET: Effort = Effort::millis(1500);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let nth = arguments.first().and_then(|n| n.parse().ok()).unwrap_or(7);
    let text = arguments.get(1).cloned().unwrap_or_default();
    let mut sums: Vec<(String, Duration, f64)> = vec![];
    let mut worst = vec![];
    let cases = corpus();
    for case in cases.iter().filter(|case| case.name.contains(&text)).step_by(nth) {
        let Ok(comparison) = case.compare() else {
            continue;
        };
        for function in &case.functions {
            let Some(pair) = pair_named(&comparison, &function.name) else {
                continue;
            };
            let facts = Facts::of(comparison.clone());
            for mut engine in all(&facts) {
                let (cpu, counted) = (processor_time(), effort::spent());
                let budget = Budget::lasting(BUDGET, 1).at_depth(Depth::Full);
                with_task(&comparison, pair, |task| drop(engine.run(task, &budget)));
                let cpu = processor_time() - cpu;
                let counted = effort::since(counted).as_millis();
                let name = engine.name().to_owned();
                match sums.iter_mut().find(|(known, ..)| *known == name) {
                    Some(sum) => {
                        sum.1 += cpu;
                        sum.2 += counted;
                    }
                    None => sums.push((name.clone(), cpu, counted)),
                }
                worst.push((
                    ratio(cpu, counted),
                    cpu,
                    name,
                    format!("{} {}", case.name, function.name),
                ));
            }
        }
    }
    for (name, cpu, counted) in sums {
        let ratio = ratio(cpu, counted);
        println!(
            "{name}: {cpu:.2?} of CPU time for {:.2} nominal seconds: {ratio:.2}",
            counted / 1e3
        );
    }
    worst.retain(|(_, cpu, ..)| *cpu > Duration::from_millis(300));
    worst.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("the worst of those that took more than 0.3 s:");
    for (ratio, cpu, engine, pair) in worst.iter().take(25) {
        println!("  {ratio:.2}  {cpu:.2?}  {engine}  {pair}");
    }
}

fn ratio(cpu: Duration, counted: f64) -> f64 {
    cpu.as_secs_f64() * 1e3 / counted.max(0.001)
}

/// How long this thread has run.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let first = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(first.expect("nanoseconds"))
}
