//! Every back end gives right answers, keeps its limits, and survives whatever a solver does.

use crate::support;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use support::Maker;
use verdiff_logic::solver::{
    Answer, Decide, Limits, Process, ProcessConfig, Query, Race, Reason, Session, Solver,
    SolverError, Strategy, Validated, Z3,
};
use verdiff_logic::{LogicError, Sort, TermId, TermPool};

/// The back ends that are installed, each by name. Those that are not are named on the way.
fn backends() -> Vec<(String, Box<dyn Decide>)> {
    let mut all: Vec<(String, Box<dyn Decide>)> = vec![
        ("z3 in process".to_string(), Box::new(Z3::new())),
        ("z3 fresh".to_string(), Box::new(Z3::with_strategy(Strategy::Fresh))),
    ];
    for config in [ProcessConfig::z3(), ProcessConfig::cvc5(), ProcessConfig::bitwuzla()] {
        match Process::start(config.clone()) {
            Ok(process) => all.push((format!("{} child", config.command), Box::new(process))),
            Err(error) => println!("SKIPPED: {error}"),
        }
    }
    all
}

fn ask(decide: &mut dyn Decide, pool: &mut TermPool, terms: &[TermId], limits: &Limits) -> Answer {
    decide.decide(pool, &Query { assertions: terms, assumptions: &[] }, limits)
}

/// A formula made true by a known assignment must not be unsatisfiable, one that equates a term
/// with something else than its value must not hold there, and all back ends must agree.
#[test]
fn back_ends_agree_with_each_other_and_with_evaluation() {
    let mut all: Vec<(String, Validated<Box<dyn Decide>>)> =
        backends().into_iter().map(|(name, b)| (name, Validated::new(b))).collect();
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..60u64 {
        let mut pool = TermPool::new();
        let mut maker = Maker::new(seed * 7919 + 1, &[4, 8]);
        maker.floats = seed % 3 == 0;
        maker.hard = seed % 2 == 0;
        let formula = maker.formula(&mut pool, 25);
        let mut verdicts = Vec::new();
        for (name, backend) in &mut all {
            let query = Query { assertions: &[formula], assumptions: &[] };
            match backend.decide(&mut pool, &query, &Limits::seconds(5.0)) {
                Answer::Sat(_) => verdicts.push((name.clone(), true)),
                Answer::Unsat { .. } => verdicts.push((name.clone(), false)),
                Answer::Unknown(Reason::Time) => {}
                // cvc5 has no floats of unusual formats.
                Answer::Unknown(Reason::Unsupported(_)) if maker.floats => {}
                Answer::Unknown(reason) => panic!("{name}, seed {seed}: {reason}"),
            }
        }
        let first = verdicts.first().expect("somebody answers").1;
        assert!(verdicts.iter().all(|(_, v)| *v == first), "seed {seed}: {verdicts:?}");
        let holds = (0..50).any(|_| {
            let assignment = maker.assignment(&pool, &[formula]);
            pool.eval(formula, &assignment).expect("evaluates").as_bool() == Some(true)
        });
        assert!(first || !holds, "seed {seed}: unsat, but true under an assignment");
        if first { sat += 1 } else { unsat += 1 }
    }
    assert!(sat > 5 && unsat > 1, "too one-sided: {sat} sat, {unsat} unsat");
}

#[test]
fn cores_name_the_assumptions_that_matter() {
    for (name, backend) in backends() {
        let mut pool = TermPool::new();
        let mut solver = Session::new(backend);
        let x = pool.symbol("x", Sort::BitVec(8)).expect("new");
        let (one, two) = (pool.bits(8, 1).expect("fits"), pool.bits(8, 2).expect("fits"));
        let (is_one, is_two) = (pool.eq(x, one).expect("fits"), pool.eq(x, two).expect("fits"));
        let p = pool.symbol("p", Sort::Bool).expect("new");
        solver.assert(&pool, is_one).expect("a truth value");
        let answer = solver.check(&mut pool, &[p, is_two], &Limits::seconds(5.0)).expect("fits");
        let Answer::Unsat { core } = answer else { panic!("{name}: {answer:?}") };
        assert!(core.contains(&is_two), "{name}: {core:?}");
        if name.starts_with("z3") {
            assert_eq!(core, [is_two], "{name}");
        }
        let answer = solver.check(&mut pool, &[p], &Limits::seconds(5.0)).expect("fits");
        assert!(answer.is_sat(), "{name}: {answer:?}");
    }
}

/// Two primes multiplied.
fn hopeless(pool: &mut TermPool) -> Vec<TermId> {
    let mut build = || -> Result<Vec<TermId>, LogicError> {
        let (p, q) = (pool.symbol("p", Sort::BitVec(32))?, pool.symbol("q", Sort::BitVec(32))?);
        let (wide_p, wide_q) = (pool.zero_extend(32, p)?, pool.zero_extend(32, q)?);
        let product = pool.bv_mul(wide_p, wide_q)?;
        let number = pool.bits(64, 2654435761 * 3266489917)?;
        let one = pool.bits(32, 1)?;
        Ok(vec![pool.eq(product, number)?, pool.bv_ult(one, p)?, pool.bv_ult(one, q)?])
    };
    build().expect("is well sorted")
}

#[test]
fn a_hopeless_query_ends_at_its_limit_and_the_solver_can_be_used_again() {
    for (name, mut backend) in backends() {
        let mut pool = TermPool::new();
        let query = hopeless(&mut pool);
        let answer = ask(&mut *backend, &mut pool, &query, &Limits::seconds(0.5));
        assert_eq!(answer, Answer::Unknown(Reason::Time), "{name}");
        let x = pool.symbol("x", Sort::BitVec(8)).expect("new");
        let less = pool.bv_ult(x, x).expect("fits");
        let answer = ask(&mut *backend, &mut pool, &[less], &Limits::seconds(5.0));
        assert!(answer.is_unsat(), "{name}: {answer:?}");
    }
}

#[test]
fn a_resource_limit_ends_a_query_the_same_way_every_time() {
    let limits = Limits { resource: Some(50_000), ..Limits::seconds(20.0) };
    for _ in 0..2 {
        let mut pool = TermPool::new();
        let query = hopeless(&mut pool);
        let answer = ask(&mut Z3::new(), &mut pool, &query, &limits);
        assert_eq!(answer, Answer::Unknown(Reason::Resource));
    }
}

#[test]
fn a_memory_limit_ends_in_unknown_and_nothing_else() {
    for config in [ProcessConfig::z3(), ProcessConfig::cvc5()] {
        let Ok(mut process) = Process::start(config.clone()) else {
            println!("SKIPPED: {} is not installed", config.command);
            continue;
        };
        let mut pool = TermPool::new();
        let query = hungry(&mut pool);
        let limits = Limits { memory: Some(200 << 20), ..Limits::seconds(60.0) };
        let answer = ask(&mut process, &mut pool, &query, &limits);
        assert_eq!(answer, Answer::Unknown(Reason::Memory), "{}", config.command);
    }
    let mut pool = TermPool::new();
    let query = hungry(&mut pool);
    let limits = Limits { memory: Some(256 << 20), ..Limits::seconds(60.0) };
    let mut z3 = Z3::new();
    let answer = ask(&mut z3, &mut pool, &query, &limits);
    assert_eq!(answer, Answer::Unknown(Reason::Memory), "z3 in process");
}

fn hungry(pool: &mut TermPool) -> Vec<TermId> {
    let mut terms = Vec::new();
    for index in 0..60 {
        let mut symbol = |name: &str| {
            let name = format!("{name}{index}");
            pool.symbol(&name, Sort::BitVec(256)).expect("new")
        };
        let (x, y) = (symbol("x"), symbol("y"));
        let t = pool.symbol(&format!("t{}", index % 7), Sort::BitVec(256)).expect("fits");
        let (a, b) = (pool.bv_mul(x, y).expect("fits"), pool.bv_udiv(x, y).expect("fits"));
        let both = pool.bv_mul(a, b).expect("fits");
        terms.push(pool.eq(both, t).expect("fits"));
        terms.push(pool.bv_ult(y, x).expect("fits"));
    }
    terms
}

#[test]
fn a_race_is_won_by_the_quick_and_lost_by_the_hanging() {
    let folder = tempfile::tempdir().expect("a folder");
    let hanging =
        Process::start(fake(folder.path(), "cat >/dev/null & sleep 1000")).expect("starts");
    let mut race = Race::new(vec![Box::new(hanging), Box::new(Z3::new())]);
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(8)).expect("new");
    let less = pool.bv_ult(x, x).expect("fits");
    let answer = ask(&mut race, &mut pool, &[less], &Limits::seconds(30.0));
    assert!(answer.is_unsat(), "{answer:?}");
}

/// A solver that is a shell script.
fn fake(folder: &Path, script: &str) -> ProcessConfig {
    let path = folder.join("solver.sh");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("writes");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("sets the mode");
    let command = path.to_str().expect("a plain path").to_string();
    ProcessConfig { command, arguments: Vec::new(), ..ProcessConfig::z3() }
}

fn ask_fake(script: &str) -> Answer {
    let folder = tempfile::tempdir().expect("a folder");
    let process = Process::start(fake(folder.path(), script)).expect("starts");
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(8)).expect("new");
    let zero = pool.bits(8, 0).expect("fits");
    let equal = pool.eq(x, zero).expect("fits");
    let limits = Limits::seconds(1.0);
    ask(&mut Validated::new(process), &mut pool, &[equal], &limits)
}

/// Reads up to the question, then says something.
fn says(text: &str) -> String {
    format!("while read l; do case \"$l\" in *check-sat*) {text};; esac; done")
}

#[test]
fn a_missing_solver_is_an_error() {
    let config = ProcessConfig { command: "no-such-solver".to_string(), ..ProcessConfig::z3() };
    let error = Process::start(config).err();
    assert!(matches!(error, Some(SolverError::CannotStart { .. })), "{error:?}");
}

#[test]
fn a_solver_that_dies_is_told_from_one_that_answers() {
    for script in ["exit 3", &says("kill -9 $$"), &says("exit 0")] {
        let answer = ask_fake(script);
        assert!(matches!(answer, Answer::Unknown(Reason::Crashed { .. })), "{script}: {answer:?}");
    }
}

#[test]
fn a_solver_that_talks_nonsense_is_not_believed() {
    for text in ["echo banana", "echo '(((('; echo", "echo satt", "echo sat; echo '((x 5))'"] {
        let answer = ask_fake(&says(text));
        assert!(matches!(answer, Answer::Unknown(Reason::Nonsense { .. })), "{text}: {answer:?}");
    }
    let answer = ask_fake(&says("echo '(error \"no\")'"));
    assert!(matches!(answer, Answer::Unknown(Reason::Unsupported(_))), "{answer:?}");
    let answer = ask_fake(&says("echo '(error \"out of memory\")'"));
    assert_eq!(answer, Answer::Unknown(Reason::Memory));
}

#[test]
fn a_wrong_model_is_reported_loudly() {
    let answer = ask_fake(&says("echo sat; echo '((x #x07))'"));
    assert!(matches!(answer, Answer::Unknown(Reason::WrongModel { .. })), "{answer:?}");
    let answer = ask_fake(&says("echo sat; echo '((x #x00))'"));
    assert!(answer.is_sat(), "{answer:?}");
}

#[test]
fn a_solver_that_hangs_is_killed() {
    for script in ["sleep 1000", &says("sleep 1000"), &says("echo sat")] {
        assert_eq!(ask_fake(script), Answer::Unknown(Reason::Time), "{script}");
    }
}

#[test]
fn misuse_is_a_typed_error() {
    let (mut pool, mut other) = (TermPool::new(), TermPool::new());
    let mut solver = Session::new(Z3::new());
    let x = pool.symbol("x", Sort::BitVec(8)).expect("new");
    let p = other.symbol("p", Sort::Bool).expect("new");
    assert_eq!(solver.assert(&pool, x), Err(SolverError::NotBoolean(x)));
    assert_eq!(solver.pop(), Err(SolverError::NothingToPop));
    assert_eq!(solver.assert(&other, p), Err(SolverError::OtherPool));
    assert_eq!(pool.bits(0, 1), Err(LogicError::ZeroWidth));
    assert_eq!(pool.symbol("w", Sort::BitVec(0)), Err(LogicError::ZeroWidth));
    assert_eq!(pool.symbol("x", Sort::Bool), Err(LogicError::Redeclared("x".to_string())));
    assert_eq!(pool.symbol("a|b", Sort::Bool), Err(LogicError::BadName("a|b".to_string())));
    let wide = pool.symbol("wide", Sort::BitVec(16)).expect("new");
    assert!(matches!(pool.bv_add(x, wide), Err(LogicError::SortMismatch { .. })));
    assert!(matches!(pool.extract(8, 0, x), Err(LogicError::BadExtract { .. })));
    assert!(matches!(pool.and(&[x]), Err(LogicError::SortMismatch { .. })));
    assert!(matches!(pool.zero_extend(u32::MAX, x), Err(LogicError::TooWide(_))));
}
