//! Times the same traces here and in PPL and prints the ratios as a table:
//! `cargo run --release -p verdiff-polyhedra --example against_ppl [FILE…]`, with recorded traces
//! as arguments, or without for the built-in ones.

#[allow(dead_code)]
#[path = "../../tests/polyhedra/ppl.rs"]
mod ppl;
mod workloads;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Instant;
use verdiff_polyhedra::trace::Trace;
use verdiff_polyhedra::{Blocks, Polyhedron};

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut traces: Vec<(String, Trace)> = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file that can be read");
        traces.push((file, text.parse().expect("a trace")));
    }
    if traces.is_empty() {
        traces = built_in();
    }
    println!("| trace | steps | PPL | one block | ratio to PPL | blocks | ratio to PPL |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    let mut totals = [0.0; 3];
    let mut logarithms = [0.0; 2];
    for (name, trace) in &traces {
        let own =
            [time(|| drop(trace.replay::<Polyhedron>())), time(|| drop(trace.replay::<Blocks>()))];
        let runs = (0.15 / own[0]) as usize;
        let ppl =
            ppl::driver().map_or(f64::NAN, |driver| in_ppl(driver, trace, runs.clamp(1, 3_000)));
        let ratios = own.map(|own| own / ppl);
        for (sum, value) in totals.iter_mut().zip([ppl, own[0], own[1]]) {
            *sum += value;
        }
        logarithms[0] += ratios[0].ln();
        logarithms[1] += ratios[1].ln();
        println!(
            "| {name} | {} | {} | {} | {:.2} | {} | {:.2} |",
            trace.steps.len(),
            milliseconds(ppl),
            milliseconds(own[0]),
            ratios[0],
            milliseconds(own[1]),
            ratios[1]
        );
    }
    let mean = logarithms.map(|sum| (sum / traces.len() as f64).exp());
    println!(
        "| total; geometric mean of the ratios | | {} | {} | {:.2} | {} | {:.2} |",
        milliseconds(totals[0]),
        milliseconds(totals[1]),
        mean[0],
        milliseconds(totals[2]),
        mean[1]
    );
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.3} ms", seconds * 1e3)
}

/// Seconds a run, on average over at least 0.15 seconds, best of two; one run if it takes long. Time of
/// the processor where the system tells it, as the driver of PPL does, so that other load does not count.
fn time(run: impl Fn()) -> f64 {
    let measure = || {
        let begun = processor_seconds();
        let (mut runs, mut batch) = (0, 1);
        loop {
            // Asking for the time costs some itself.
            (0..batch).for_each(|_| run());
            runs += batch;
            batch = runs;
            let seconds = processor_seconds() - begun;
            if seconds > 0.15 {
                return seconds / f64::from(runs);
            }
        }
    };
    let first = measure();
    if first > 0.5 { first } else { first.min(measure()) }
}

fn processor_seconds() -> f64 {
    static BEGUN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let wall = BEGUN.get_or_init(Instant::now).elapsed().as_secs_f64();
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.map_or(wall, |nanoseconds| nanoseconds / 1e9)
}

fn in_ppl(driver: &std::path::PathBuf, trace: &Trace, runs: usize) -> f64 {
    let strict = if is_strict(trace) { "strict" } else { "closed" };
    let run = || {
        let mut child = Command::new(driver)
            .args([strict, &runs.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("PPL's driver");
        let text = trace.to_string();
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("the driver reads");
        let output = child.wait_with_output().expect("output");
        let text = String::from_utf8(output.stdout).expect("text");
        text.trim().parse::<f64>().expect("nanoseconds") / 1e9
    };
    let first = run();
    if first > 0.5 { first } else { first.min(run()) }
}

fn is_strict(trace: &Trace) -> bool {
    trace.to_string().split_whitespace().any(|word| word == ">")
}

fn built_in() -> Vec<(String, Trace)> {
    let mut traces = Vec::new();
    for dimension in [4, 8, 10] {
        traces.push((format!("cube of dimension {dimension}"), workloads::cube(dimension)));
        traces.push((format!("cross of dimension {dimension}"), workloads::cross(dimension)));
    }
    for (dimension, count) in [(4, 20), (5, 20), (6, 18)] {
        let name = format!("{count} random half-spaces, dimension {dimension}");
        traces.push((name, workloads::random_polytope(dimension, count, 7)));
    }
    for pairs in [3, 4, 6, 8] {
        let name = format!("like a correlation, {pairs} pairs of variables");
        traces.push((name, workloads::correlation(pairs, 11)));
    }
    for (dimension, seed) in [(3, 1), (4, 2), (5, 3), (6, 4)] {
        let name = format!("random operations, dimension {dimension}");
        traces.push((name, workloads::random_operations(dimension, 60, seed)));
    }
    for (dimension, seed) in [(3, 5), (4, 6), (5, 7)] {
        let name = format!("random operations with strict constraints, dimension {dimension}");
        traces.push((name, workloads::strict_operations(dimension, 40, seed)));
    }
    for (dimension, count) in [(3, 12), (5, 16)] {
        let name = format!("{count} half-spaces, coefficients to a million, dimension {dimension}");
        traces.push((name, workloads::large_coefficients(dimension, count, 9)));
    }
    for groups in [2, 5, 10] {
        let name = format!("{} variables in blocks of 4", 4 * groups);
        traces.push((name, workloads::independent(groups, None)));
    }
    for groups in [2, 5, 10] {
        let name = format!("{} variables in blocks of 4, with bounds", 4 * groups);
        traces.push((name, workloads::independent(groups, Some(10))));
    }
    traces
}
