//! Measures the solver stack and prints the figures as a table. Run with
//! `cargo run --release -p verdiff-logic --example solver_bench`.

use std::time::{Duration, Instant};

use verdiff_logic::solver::{
    Answer, Decide, Limits, Process, ProcessConfig, Query, Race, Reason, Session, Solver, Strategy,
    Validated, Z3, standard,
};
use verdiff_logic::{Sort, TermId, TermPool};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    println!("z3 library {}", Z3::version());
    println!("{:<58} {:>14}", "what", "measured");
    feasibility("z3 in process, incremental", Z3::with_strategy(Strategy::Incremental), 4000)?;
    feasibility("z3 in process, fresh solvers", Z3::with_strategy(Strategy::Fresh), 400)?;
    feasibility("z3 in process, both", Z3::new(), 4000)?;
    feasibility("z3 in process, validated", Validated::new(Z3::new()), 4000)?;
    feasibility("standard stack", standard(), 4000)?;
    if std::env::args().nth(1).as_deref() == Some("--quick") {
        return Ok(());
    }
    for config in [ProcessConfig::z3(), ProcessConfig::cvc5(), ProcessConfig::bitwuzla()] {
        let name = config.command.clone();
        let Ok(process) = Process::start(config.clone()) else {
            println!("{name}: not installed, skipped");
            continue;
        };
        feasibility(&format!("{name} as a child"), process, 200)?;
        warm(&name, Process::start(config.clone())?)?;
        hopeless(&format!("{name} as a child"), Process::start(config.clone())?)?;
        hungry(&format!("{name} as a child"), Process::start(config)?)?;
    }
    hopeless("z3 in process", Z3::new())?;
    hopeless("standard stack", standard())?;
    let race = || -> Outcome<Race> {
        Ok(Race::new(vec![Box::new(Z3::new()), Box::new(Process::start(ProcessConfig::z3())?)]))
    };
    hopeless("race of z3 and z3", race()?)?;
    hungry("z3 in process", Z3::new())?;
    equivalences("z3 in process, bare", Z3::new)?;
    equivalences("standard stack", standard)?;
    for config in [ProcessConfig::z3(), ProcessConfig::cvc5()] {
        if Process::start(config.clone()).is_ok() {
            let name = format!("{} as a child", config.command);
            let start = || Process::start(config.clone()).map_err(|e| e.to_string());
            equivalences(&name, || start().unwrap_or_else(|error| panic!("{error}")))?;
        }
    }
    simplifier()?;
    Ok(())
}

/// Pairs of programs as one formula: "the results differ". All are equal.
fn equivalences<D: Decide>(name: &str, make: impl Fn() -> D) -> Outcome<()> {
    for (what, build) in [
        ("population count, two ways", population_count as fn(&mut TermPool) -> Outcome<TermId>),
        ("average without overflow, two ways", average),
        ("x*(y+z) against x*y+x*z at 12 bits, hidden", distributed),
        ("quotient and remainder, 16 bits", quotient),
    ] {
        let mut pool = TermPool::new();
        let differ = build(&mut pool)?;
        let start = Instant::now();
        let query = Query { assertions: &[differ], assumptions: &[] };
        let answer = make().decide(&mut pool, &query, &Limits::seconds(20.0));
        let spent = start.elapsed().as_secs_f64() * 1000.0;
        let verdict = if answer.is_unsat() { "equal" } else { "not decided" };
        row(&format!("{name}: {what}: {verdict}"), format!("{spent:.1} ms"));
    }
    Ok(())
}

fn population_count(pool: &mut TermPool) -> Outcome<TermId> {
    let x = pool.symbol("x", Sort::BitVec(32))?;
    let one = pool.bits(32, 1)?;
    let mut slow = pool.bits(32, 0)?;
    for bit in 0..32 {
        let by = pool.bits(32, bit)?;
        let shifted = pool.bv_lshr(x, by)?;
        let last = pool.bv_and(shifted, one)?;
        slow = pool.bv_add(slow, last)?;
    }
    let mut fast = x;
    for (by, mask) in
        [(1, 0x55555555), (2, 0x33333333), (4, 0x0f0f0f0f), (8, 0x00ff00ff), (16, 0xffff)]
    {
        let (by, mask) = (pool.bits(32, by)?, pool.bits(32, mask)?);
        let high = pool.bv_lshr(fast, by)?;
        let (low, high) = (pool.bv_and(fast, mask)?, pool.bv_and(high, mask)?);
        fast = pool.bv_add(low, high)?;
    }
    Ok(pool.ne(slow, fast)?)
}

fn average(pool: &mut TermPool) -> Outcome<TermId> {
    let (x, y) = (pool.symbol("x", Sort::BitVec(32))?, pool.symbol("y", Sort::BitVec(32))?);
    let (both, differ, one) = (pool.bv_and(x, y)?, pool.bv_xor(x, y)?, pool.bits(32, 1)?);
    let half = pool.bv_lshr(differ, one)?;
    let narrow = pool.bv_add(both, half)?;
    let (wide_x, wide_y) = (pool.zero_extend(1, x)?, pool.zero_extend(1, y)?);
    let (sum, one) = (pool.bv_add(wide_x, wide_y)?, pool.bits(33, 1)?);
    let half = pool.bv_lshr(sum, one)?;
    let wide = pool.extract(31, 0, half)?;
    Ok(pool.ne(narrow, wide)?)
}

fn distributed(pool: &mut TermPool) -> Outcome<TermId> {
    let mut symbol = |name: &str| pool.symbol(name, Sort::BitVec(12));
    let (x, y, z, w) = (symbol("x")?, symbol("y")?, symbol("z")?, symbol("w")?);
    // A conditional that always takes the same way keeps rewriting from seeing it.
    let less = pool.bv_ult(w, x)?;
    let more = pool.bv_ult(x, w)?;
    let both = pool.and(&[less, more])?;
    let y2 = pool.ite(both, w, y)?;
    let sum = pool.bv_add(y, z)?;
    let (left, xy, xz) = (pool.bv_mul(x, sum)?, pool.bv_mul(x, y2)?, pool.bv_mul(x, z)?);
    let right = pool.bv_add(xy, xz)?;
    Ok(pool.ne(left, right)?)
}

fn quotient(pool: &mut TermPool) -> Outcome<TermId> {
    let (x, y) = (pool.symbol("x", Sort::BitVec(16))?, pool.symbol("y", Sort::BitVec(16))?);
    let (q, r) = (pool.bv_udiv(x, y)?, pool.bv_urem(x, y)?);
    let product = pool.bv_mul(q, y)?;
    let zero = pool.bits(16, 0)?;
    let back = pool.bv_add(product, r)?;
    let (nonzero, differ) = (pool.ne(y, zero)?, pool.ne(back, x)?);
    Ok(pool.and(&[nonzero, differ])?)
}

/// How fast terms are built and simplified.
fn simplifier() -> Outcome<()> {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(32))?;
    let y = pool.symbol("y", Sort::BitVec(32))?;
    let mut term = x;
    let start = Instant::now();
    for index in 0..500_000u32 {
        let constant = pool.bits(32, index.into())?;
        let other = pool.bv_xor(y, constant)?;
        term = match index % 3 {
            0 => pool.bv_add(term, other)?,
            1 => pool.bv_xor(term, other)?,
            _ => pool.bv_and(term, other)?,
        };
    }
    let built = pool.len() as f64 / start.elapsed().as_secs_f64();
    row("terms built a second", format!("{built:.0}"));
    let (start, count) = (Instant::now(), pool.len() as f64);
    pool.simplify(term);
    row("terms simplified a second", format!("{:.0}", count / start.elapsed().as_secs_f64()));
    Ok(())
}

fn row(what: &str, measured: String) {
    println!("{what:<58} {measured:>14}");
}

/// Depth-first exploration of a small program: at each branch both sides are checked under the
/// path condition so far, as symbolic execution does it.
fn feasibility(name: &str, decide: impl Decide, checks: usize) -> Outcome<()> {
    let mut pool = TermPool::new();
    let mut solver = Session::new(decide);
    let mut variables = Vec::new();
    for index in 0..6 {
        variables.push(pool.symbol(&format!("x{index}"), Sort::BitVec(32))?);
    }
    let mut random = 88172645463325252u64;
    let mut next = move |below: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random % below
    };
    let limits = Limits::seconds(10.0);
    let (start, cpu_start) = (Instant::now(), cpu_seconds());
    let (mut done, mut depth, mut unsat) = (0, 0, 0);
    while done < checks {
        let condition = branch(&mut pool, &variables, &mut next)?;
        let other = pool.not(condition)?;
        let mut feasible = Vec::new();
        for side in [condition, other] {
            done += 1;
            match solver.check(&mut pool, &[side], &limits)? {
                Answer::Sat(_) => feasible.push(side),
                Answer::Unsat { .. } => unsat += 1,
                Answer::Unknown(reason) => return Err(reason.into()),
            }
        }
        if depth < 10 && !feasible.is_empty() {
            solver.push();
            solver.assert(&pool, feasible[next(feasible.len() as u64) as usize])?;
            depth += 1;
        } else {
            let back = 1 + next(depth);
            for _ in 0..back {
                solver.pop()?;
            }
            depth -= back;
        }
    }
    let rate = checks as f64 / start.elapsed().as_secs_f64();
    // A child's work is not counted as ours.
    let cpu_rate = checks as f64 / (cpu_seconds() - cpu_start);
    row(
        &format!("{name}: checks a second / a CPU second ({unsat} unsat)"),
        format!("{rate:.0} / {cpu_rate:.0}"),
    );
    Ok(())
}

/// Processor time of this process, which tells more than the clock on a machine that others use.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = text.rsplit(')').next().unwrap_or_default();
    let ticks = |n: usize| after_name.split_whitespace().nth(n).and_then(|t| t.parse().ok());
    let total: f64 = ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0);
    total / 100.0
}

/// A condition of the kind programs have.
fn branch(
    pool: &mut TermPool,
    variables: &[TermId],
    next: &mut impl FnMut(u64) -> u64,
) -> Outcome<TermId> {
    let a = variables[next(variables.len() as u64) as usize];
    let b = variables[next(variables.len() as u64) as usize];
    let constant = pool.bits(32, next(100).into())?;
    let sum = pool.bv_add(b, constant)?;
    let masked = pool.bv_and(a, constant)?;
    Ok(match next(5) {
        0 => pool.bv_slt(a, constant)?,
        1 => pool.bv_slt(a, sum)?,
        2 => pool.eq(masked, b)?,
        3 => pool.bv_ult(masked, sum)?,
        _ => pool.eq(a, sum)?,
    })
}

fn warm(name: &str, mut process: Process) -> Outcome<()> {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(32))?;
    let mut worst = Duration::ZERO;
    let mut total = Duration::ZERO;
    for index in 0..200 {
        let constant = pool.bits(32, index)?;
        let equal = pool.eq(x, constant)?;
        let start = Instant::now();
        let query = Query { assertions: &[equal], assumptions: &[] };
        let answer = process.decide(&mut pool, &query, &Limits::seconds(10.0));
        if !answer.is_sat() {
            return Err(format!("{answer:?}").into());
        }
        if index > 0 {
            worst = worst.max(start.elapsed());
            total += start.elapsed();
        }
    }
    let mean = total.as_secs_f64() / 199.0 * 1000.0;
    let worst = worst.as_secs_f64() * 1000.0;
    row(
        &format!("{name} as a child, trivial, warm: mean / worst ms"),
        format!("{mean:.2} / {worst:.2}"),
    );
    Ok(())
}

/// Factors of a product of two 32-bit primes: no solver finds them within the limit.
fn hopeless(name: &str, mut decide: impl Decide) -> Outcome<()> {
    let mut pool = TermPool::new();
    let product = semiprime(&mut pool, 64)?;
    let start = Instant::now();
    let query = Query { assertions: &product, assumptions: &[] };
    let answer = decide.decide(&mut pool, &query, &Limits::seconds(2.0));
    let spent = start.elapsed().as_secs_f64();
    let verdict = match answer {
        Answer::Unknown(Reason::Time) => "unknown(time)".to_string(),
        other => format!("{other:?}"),
    };
    row(&format!("{name}: hopeless query, limit 2 s: {verdict}"), format!("{spent:.3} s"));
    Ok(())
}

fn semiprime(pool: &mut TermPool, width: u32) -> Outcome<Vec<TermId>> {
    let half = width / 2;
    let (p, q) = (pool.symbol("p", Sort::BitVec(half))?, pool.symbol("q", Sort::BitVec(half))?);
    let (wide_p, wide_q) = (pool.zero_extend(half, p)?, pool.zero_extend(half, q)?);
    let product = pool.bv_mul(wide_p, wide_q)?;
    let number = pool.bits(width, 2654435761 * 3266489917)?;
    let one = pool.bits(half, 1)?;
    Ok(vec![pool.eq(product, number)?, pool.bv_ult(one, p)?, pool.bv_ult(one, q)?])
}

/// A query whose clauses alone take gigabytes.
fn hungry(name: &str, mut decide: impl Decide) -> Outcome<()> {
    let mut pool = TermPool::new();
    let mut terms = Vec::new();
    for index in 0..60 {
        let x = pool.symbol(&format!("x{index}"), Sort::BitVec(256))?;
        let y = pool.symbol(&format!("y{index}"), Sort::BitVec(256))?;
        let (a, b) = (pool.bv_mul(x, y)?, pool.bv_udiv(x, y)?);
        let both = pool.bv_mul(a, b)?;
        let target = pool.symbol(&format!("t{}", index % 7), Sort::BitVec(256))?;
        terms.push(pool.eq(both, target)?);
        terms.push(pool.bv_ult(y, x)?);
    }
    let limits = Limits { memory: Some(512 << 20), ..Limits::seconds(60.0) };
    let start = Instant::now();
    let query = Query { assertions: &terms, assumptions: &[] };
    let answer = decide.decide(&mut pool, &query, &limits);
    let spent = start.elapsed().as_secs_f64();
    let verdict = match answer {
        Answer::Unknown(Reason::Memory) => "unknown(memory)".to_string(),
        Answer::Sat(_) => "sat".to_string(),
        other => format!("{other:?}"),
    };
    row(&format!("{name}: 512 MiB limit: {verdict}"), format!("{spent:.3} s"));
    Ok(())
}
