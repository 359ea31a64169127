//! Each layer of the solver stack does its one thing and changes no answer.

use crate::support;

use support::Maker;
use verdiff_logic::solver::{
    Abstracted, Answer, Cached, Decide, Limits, Logged, Query, Reason, Session, Simplified, Sliced,
    Solver, Strategy, Validated, Z3, standard,
};
use verdiff_logic::{FloatFormat, Rounding, Sort, TermId, TermPool};

/// Counts the queries that reach the bottom, and how large they were.
struct Counting<'a> {
    inner: Z3,
    sizes: &'a mut Vec<usize>,
}

impl Decide for Counting<'_> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        self.sizes.push(query.all().len());
        self.inner.decide(pool, query, limits)
    }
}

fn ask(decide: &mut impl Decide, pool: &mut TermPool, terms: &[TermId]) -> Answer {
    decide.decide(pool, &Query { assertions: terms, assumptions: &[] }, &Limits::seconds(10.0))
}

fn word(pool: &mut TermPool, name: &str) -> TermId {
    pool.symbol(name, Sort::BitVec(32)).expect("new")
}

#[test]
fn the_whole_stack_agrees_with_the_bare_back_end() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..120u64 {
        let mut pool = TermPool::new();
        let mut maker = Maker::new(seed * 104_729 + 17, &[4, 8]);
        let mut bare = Session::new(Validated::new(Z3::with_strategy(Strategy::Fresh)));
        let mut stack = Session::new(standard());
        for round in 0..4 {
            maker.hard = seed % 2 == 0;
            maker.floats = seed % 5 == 0;
            let formula = maker.formula(&mut pool, 8 + 4 * round);
            let assumption = maker.formula(&mut pool, 6);
            let limits = Limits::seconds(10.0);
            let a = bare.check(&mut pool, &[formula, assumption], &limits).expect("fits");
            let b = stack.check(&mut pool, &[formula, assumption], &limits).expect("fits");
            match (&a, &b) {
                (Answer::Unknown(Reason::Time), _) | (_, Answer::Unknown(Reason::Time)) => {}
                _ => assert_eq!(a.is_sat(), b.is_sat(), "seed {seed}: {a:?} and {b:?}"),
            }
            if let Answer::Unknown(reason) = &b {
                panic!("seed {seed}: {reason}");
            }
            if let Answer::Unsat { core } = &b {
                unsat += 1;
                let again = bare.check(&mut pool, core, &limits).expect("fits");
                assert!(again.is_unsat(), "seed {seed}: not a core");
            } else {
                sat += 1;
            }
            bare.push();
            stack.push();
            bare.assert(&pool, formula).expect("a truth value");
            stack.assert(&pool, formula).expect("a truth value");
            if round == 2 {
                bare.pop().expect("was pushed");
                stack.pop().expect("was pushed");
            }
        }
    }
    assert!(sat > 20 && unsat > 20, "too one-sided: {sat} sat, {unsat} unsat");
}

#[test]
fn what_does_not_depend_on_a_product_is_decided_without_multiplying() {
    let mut pool = TermPool::new();
    let (x, y, z) = (word(&mut pool, "x"), word(&mut pool, "y"), word(&mut pool, "z"));
    let (xy, yx) = (pool.bv_mul(x, y).unwrap(), pool.bv_mul(y, x).unwrap());
    let (left, right) = (pool.bv_udiv(xy, z).unwrap(), pool.bv_udiv(yx, z).unwrap());
    let differ = pool.ne(left, right).unwrap();
    let mut sizes = Vec::new();
    let mut solver = Abstracted::new(Counting { inner: Z3::new(), sizes: &mut sizes });
    assert!(ask(&mut solver, &mut pool, &[differ]).is_unsat());
    assert_eq!(solver.rounds(), 1, "one weak query was enough");
}

#[test]
fn a_product_that_matters_is_made_exact() {
    let mut pool = TermPool::new();
    let (x, y) = (word(&mut pool, "x"), word(&mut pool, "y"));
    let (six, seven) = (pool.bits(32, 6).unwrap(), pool.bits(32, 42).unwrap());
    let product = pool.bv_mul(x, y).unwrap();
    let (a, b) = (pool.eq(x, six).unwrap(), pool.eq(product, seven).unwrap());
    let quotient = pool.bv_udiv(product, x).unwrap();
    let c = pool.eq(quotient, y).unwrap();
    let mut solver = Abstracted::new(Z3::new());
    let Answer::Sat(model) = ask(&mut solver, &mut pool, &[a, b, c]) else { panic!("is sat") };
    for term in [a, b, c] {
        assert_eq!(pool.eval(term, &model).unwrap().as_bool(), Some(true));
    }
    let not_c = pool.not(c).unwrap();
    let small = pool.bits(32, 100).unwrap();
    let less = pool.bv_ult(y, small).unwrap();
    assert!(ask(&mut solver, &mut pool, &[a, less, not_c]).is_unsat());
}

#[test]
fn float_refactorings_need_no_float_reasoning() {
    let mut pool = TermPool::new();
    let sort = Sort::Float(FloatFormat::DOUBLE);
    let (f, g) = (pool.symbol("f", sort).unwrap(), pool.symbol("g", sort).unwrap());
    let mode = Rounding::NearestEven;
    let (product, other) = (pool.fp_mul(mode, f, g).unwrap(), pool.fp_mul(mode, g, f).unwrap());
    let (a, b) = (pool.fp_div(mode, product, f).unwrap(), pool.fp_div(mode, other, f).unwrap());
    let differ = pool.ne(a, b).unwrap();
    let mut solver = Abstracted::new(Z3::new());
    assert!(ask(&mut solver, &mut pool, &[differ]).is_unsat());
    assert_eq!(solver.rounds(), 1, "no exact division of doubles took place");
}

#[test]
fn independent_parts_are_asked_alone() {
    let mut pool = TermPool::new();
    let mut terms = Vec::new();
    for index in 0..5 {
        let x = word(&mut pool, &format!("x{index}"));
        let y = word(&mut pool, &format!("y{index}"));
        terms.push(pool.bv_ult(x, y).unwrap());
        terms.push(pool.bv_slt(y, x).unwrap());
    }
    let mut sizes = Vec::new();
    let mut solver = Sliced::new(Counting { inner: Z3::new(), sizes: &mut sizes });
    let Answer::Sat(model) = ask(&mut solver, &mut pool, &terms) else { panic!("is sat") };
    for term in terms {
        assert_eq!(pool.eval(term, &model).unwrap().as_bool(), Some(true));
    }
    assert_eq!(sizes, [2, 2, 2, 2, 2]);
}

#[test]
fn models_and_cores_answer_other_queries() {
    let mut pool = TermPool::new();
    let (x, five) = (word(&mut pool, "x"), pool.bits(32, 5).unwrap());
    let equal = pool.eq(x, five).unwrap();
    let (less, more) = (pool.bv_ult(x, five).unwrap(), pool.bv_ult(five, x).unwrap());
    let mut solver = Cached::new(Z3::new());
    assert!(ask(&mut solver, &mut pool, &[equal]).is_sat());
    let at_least = pool.not(less).unwrap();
    assert!(ask(&mut solver, &mut pool, &[at_least]).is_sat(), "by the model of the first");
    assert!(ask(&mut solver, &mut pool, &[at_least]).is_sat(), "by memory");
    assert!(ask(&mut solver, &mut pool, &[less, more]).is_unsat());
    assert!(ask(&mut solver, &mut pool, &[more, at_least, less]).is_unsat(), "by the core");
    let statistics = solver.statistics();
    assert_eq!((statistics.misses, statistics.other_model), (2, 1));
    assert_eq!((statistics.same_query, statistics.core), (1, 1));
}

#[test]
fn simplification_names_the_original_assumptions() {
    let mut pool = TermPool::new();
    let (x, one) = (word(&mut pool, "x"), pool.bits(32, 1).unwrap());
    let next = pool.bv_add(x, one).unwrap();
    let (a, b) = (pool.eq(next, one).unwrap(), pool.eq(x, one).unwrap());
    let never = pool.ne(x, x).unwrap();
    let mut solver = Session::new(Simplified::new(Z3::new()));
    let limits = Limits::seconds(10.0);
    assert_eq!(
        solver.check(&mut pool, &[a, never], &limits),
        Ok(Answer::Unsat { core: vec![never] })
    );
    let Ok(Answer::Unsat { core }) = solver.check(&mut pool, &[a, b], &limits) else {
        panic!("is unsat")
    };
    assert_eq!(core, [a, b]);
}

#[test]
fn the_log_can_be_run_by_another_solver() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut pool = TermPool::new();
    let mut expected = Vec::new();
    let mut solver = Logged::new(Z3::new(), folder.path()).expect("can be written");
    for seed in 0..10 {
        let mut maker = Maker::new(seed + 77, &[4, 8]);
        maker.floats = seed == 0;
        let formula = maker.formula(&mut pool, 20);
        expected.push(ask(&mut solver, &mut pool, &[formula]).is_sat());
    }
    for (number, sat) in expected.iter().enumerate() {
        let path = folder.path().join(format!("query-{:06}.smt2", number + 1));
        let output = std::process::Command::new("z3").arg(&path).output().expect("z3 runs");
        let verdict = String::from_utf8_lossy(&output.stdout).trim().to_string();
        assert_eq!(verdict, if *sat { "sat" } else { "unsat" }, "query {number}");
    }
    let nowhere = Logged::new(Z3::new(), std::path::Path::new("/proc/no-such-folder"));
    assert!(nowhere.is_err());
}
