//! The figures of symbolic execution: forty consecutive `if`s by merged execution and one
//! query, and a straight-line function of five thousand lines.
//!
//! `cargo run --release -p verdiff-symex --example figures`

use std::fmt::Write;
use std::time::Instant;
use verdiff_front::{Inputs, load};
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_model::Program;
use verdiff_symex::callee::InlineAll;
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

fn program(name: &str, source: &str) -> Program {
    let path =
        std::env::temp_dir().join(format!("verdiff-figures-{}-{name}.c", std::process::id()));
    std::fs::write(&path, source).expect("the temporary folder can be written");
    let loaded = load(&Inputs { paths: vec![path.clone()], ..Inputs::default() });
    let _ = std::fs::remove_file(path);
    loaded.expect("the generated C compiles").program
}

/// Forty independent questions, each of which may change the state: 2^40 paths. `negated` asks
/// them the other way round; `changed` has another constant behind one of them.
fn ifs(negated: bool, changed: bool) -> String {
    let mut text = "unsigned f(unsigned x, unsigned long bits) { unsigned s = x;\n".to_owned();
    for i in 0..40 {
        let constant = i * i + if changed && i == 23 { 4 } else { 3 };
        let _ = if negated {
            writeln!(
                text,
                "if (!(bits >> {i} & 1)) {{ s = s; }} else {{ s = ({constant} ^ s) * 2; }}"
            )
        } else {
            writeln!(text, "if (bits >> {i} & 1) s = (s ^ {constant}) << 1;")
        };
    }
    text + "return s; }\n"
}

/// Straight-line code with locals, arithmetic and memory.
fn straight(lines: usize) -> String {
    let mut text = "void f(int *p, int x) { int a = x, b = 1;\n".to_owned();
    for i in 0..lines {
        let _ = match i % 4 {
            0 => writeln!(text, "a = a * 3 + {i};"),
            1 => writeln!(text, "p[{}] = a ^ b;", i % 97),
            2 => writeln!(text, "b = p[{}] + (a >> 3);", i % 89),
            _ => writeln!(text, "b -= a & {i};"),
        };
    }
    text + "p[0] = a + b; }\n"
}

/// Executes both programs and asks whether they differ.
fn compare(old: &Program, new: &Program) -> (String, f64) {
    let start = Instant::now();
    let regions = Regions::analyse(&[old, new]);
    let mut space = Space::new();
    let proc = old.procedure_named("f").expect("it is there");
    let entry = Entry::of(&mut space, &regions, old.procedure(proc)).expect("sorts fit");
    let mut outcomes = Vec::new();
    for (side, program) in verdiff_model::Side::BOTH.into_iter().zip([old, new]) {
        let mut inline = InlineAll;
        let mut executor = Executor::new(
            &mut space,
            program,
            side,
            &regions,
            &mut inline,
            ExecutionLimits::default(),
        );
        let state = executor.entry_state(&entry, proc, false).expect("a state");
        outcomes.push(executor.run(proc, &entry.args, state).expect("it is loop-free"));
    }
    let visible = [(0, 1, "outside".to_owned())];
    let differ = Outcome::differ(&mut space, &outcomes[0], &outcomes[1], &[None], &visible)
        .expect("sorts fit");
    let differ = space.tidy(differ).expect("sorts fit");
    let answer = if differ == space.pool.falsity() {
        "equal, by the simplifier"
    } else {
        let query = Query { assertions: &[differ], assumptions: &[] };
        match solver::standard().decide(&mut space.pool, &query, &SolverLimits::seconds(20.0)) {
            Answer::Unsat { .. } => "equal, by the solver",
            Answer::Sat(_) => "different",
            Answer::Unknown(_) => "undecided",
        }
    };
    (format!("{answer}, {} terms", space.pool.len()), start.elapsed().as_secs_f64())
}

fn main() {
    let plain = program("plain", &ifs(false, false));
    let negated = program("negated", &ifs(true, false));
    let changed = program("changed", &ifs(false, true));
    let (answer, seconds) = compare(&plain, &negated);
    println!("40 ifs against the same, asked the other way round: {seconds:6.3} s  {answer}");
    let (answer, seconds) = compare(&plain, &changed);
    println!("40 ifs against one changed constant:                {seconds:6.3} s  {answer}");
    let long = program("long", &straight(5000));
    let (answer, seconds) = compare(&long, &long);
    println!("5,000 lines against themselves:                     {seconds:6.3} s  {answer}");
}
