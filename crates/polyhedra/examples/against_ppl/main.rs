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
use verdiff_polyhedra::Polyhedron;
use verdiff_polyhedra::trace::Trace;

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
    println!("| trace | steps | here | PPL | ratio |\n|---|---:|---:|---:|---:|");
    let mut product = (0.0, 0);
    for (name, trace) in &traces {
        let own = time(|| {
            trace.replay::<Polyhedron>();
        });
        let theirs = ppl::driver().map(|driver| in_ppl(driver, trace, (0.3 / own) as usize + 1));
        let other = theirs.map_or("-".to_owned(), milliseconds);
        let ratio = theirs.map_or("-".to_owned(), |theirs| format!("{:.2}", own / theirs));
        product.0 += theirs.map_or(0.0, |theirs| (own / theirs).ln());
        product.1 += 1;
        let own = milliseconds(own);
        println!("| {name} | {} | {own} | {other} | {ratio} |", trace.steps.len());
    }
    println!("\nGeometric mean of the ratios: {:.2}", (product.0 / f64::from(product.1)).exp());
}

fn milliseconds(seconds: f64) -> String {
    format!("{:.3} ms", seconds * 1e3)
}

/// Seconds a run, of the fastest third of about half a second of runs.
fn time(mut run: impl FnMut()) -> f64 {
    let begun = Instant::now();
    let mut times = Vec::new();
    while begun.elapsed().as_secs_f64() < 0.4 || times.len() < 3 {
        let start = Instant::now();
        run();
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    let best = &times[..times.len().div_ceil(3)];
    best.iter().sum::<f64>() / best.len() as f64
}

fn in_ppl(driver: &std::path::PathBuf, trace: &Trace, runs: usize) -> f64 {
    let strict = if trace.to_string().contains("> ") && is_strict(trace) { "strict" } else { "closed" };
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
    run().min(run()).min(run())
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
    traces
}
