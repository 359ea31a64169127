//! How many of the corpus's different functions `testing` finds in a time, and whether it finds one
//! that is labelled equivalent:
//! (of this thread on the processor, so that a busy machine does not matter)
//! `cargo run --release -p verdiff-engines --example testing_figure [milliseconds [seed [case]]]`.

#[path = "../tests/engines/testing_support/mod.rs"]
mod support;

use std::time::{Duration, Instant};
use support::{Case, corpus, pair_named, with_task};
use verdiff_engines::testing::Testing;
use verdiff_judge::{Budget, Engine, Findings};
use verdiff_logic::effort;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let time = arguments.next().map_or(50, |text| text.parse().expect("milliseconds"));
    let seed = arguments.next().map_or(1, |text| text.parse().expect("a seed"));
    let only = arguments.next();
    let mut tally = Tally::default();
    for case in corpus() {
        if case.has_options || only.as_ref().is_some_and(|only| !case.name.contains(only)) {
            continue;
        }
        tally.case(&case, Duration::from_millis(time), seed, only.is_some());
    }
    tally.print();
}

#[derive(Default)]
struct Tally {
    found: [usize; 2],
    wanted: [usize; 2],
    times: Vec<Duration>,
    missed: Vec<String>,
    wrong: Vec<String>,
    equal: usize,
    runs: u64,
    spent: Duration,
}

impl Tally {
    fn case(&mut self, case: &Case, time: Duration, seed: u64, talk: bool) {
        let comparison = match case.compare() {
            Ok(comparison) => comparison,
            Err(error) => return self.missed.push(format!("{}: {error}", case.name)),
        };
        for function in &case.functions {
            let Some(pair) = pair_named(&comparison, &function.name) else { continue };
            let different = match function.verdict.as_str() {
                "different" => true,
                "equivalent" => false,
                _ => continue,
            };
            let unseen = |kind: &String| kind == "interface" || kind == "termination";
            if different && function.kinds.iter().all(unseen) {
                continue;
            }
            // The deadline is the wall's; others may be at work on this machine.
            let start = (processor_time(), Instant::now());
            let mut engine = Testing::default();
            let budget = Budget::lasting(effort::Effort::lasting(time * 20), seed);
            let findings = with_task(&comparison, pair, |task| engine.run(task, &budget));
            // The processor's clock may be some milliseconds late.
            let took =
                (processor_time() - start.0 + Duration::from_millis(4)).min(start.1.elapsed());
            let name = format!("{} {}", case.name, function.name);
            let some = !findings.candidates.is_empty() && (took <= time || !different);
            if talk {
                println!("{name}: {took:?} {findings:#?}");
            }
            if different {
                let sort = usize::from(!case.loop_free);
                self.wanted[sort] += 1;
                self.found[sort] += usize::from(some);
                if some {
                    self.times.push(took);
                } else {
                    self.missed.push(format!("{name} ({}, {took:?})", stopped(&findings)));
                }
            } else {
                self.equal += 1;
                self.spent += took;
                self.runs += runs(&findings);
                if some {
                    self.wrong.push(format!("{name}: {:?}", findings.candidates[0].old));
                }
            }
        }
    }

    fn print(&mut self) {
        self.missed.iter().for_each(|name| println!("not found: {name}"));
        self.wrong.iter().for_each(|name| println!("differs though labelled equivalent: {name}"));
        let percent = |found: usize, of: usize| 100.0 * found as f64 / of.max(1) as f64;
        for (sort, name) in ["without loops", "with loops"].into_iter().enumerate() {
            let (found, of) = (self.found[sort], self.wanted[sort]);
            println!("{name}: {found} of {of} found, {:.1} %", percent(found, of));
        }
        let (found, of) = (self.found.iter().sum(), self.wanted.iter().sum());
        println!("all: {found} of {of} found, {:.1} %", percent(found, of));
        self.times.sort();
        if let (Some(middle), Some(last)) =
            (self.times.get(self.times.len() / 2), self.times.last())
        {
            println!("time to candidates: median {middle:?}, longest {last:?}");
        }
        let rate = self.runs as f64 / self.spent.as_secs_f64() / 1000.0;
        println!(
            "{} equivalent functions, {} differ; {rate:.0} thousand pairs of runs a second",
            self.equal,
            self.wrong.len()
        );
    }
}

/// How long this thread has run.
fn processor_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let first = text.split(' ').next().and_then(|word| word.parse().ok());
    Duration::from_nanos(first.expect("nanoseconds"))
}

fn stopped(findings: &Findings) -> String {
    findings.stopped.as_ref().map(|why| format!("{why:?}")).unwrap_or_default()
}

fn runs(findings: &Findings) -> u64 {
    let text = stopped(findings);
    text.split(' ').find_map(|word| word.parse().ok()).unwrap_or(0)
}
