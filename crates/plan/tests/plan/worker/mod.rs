//! A new engine is a folder (`toy`) and a line in the registry: it is run by the schedule, its sub-pairs are judged
//! like any pair, and it is run again when they are.

mod toy;

use std::rc::Rc;
use std::time::Duration;
use verdiff_engines::Facts;
use verdiff_engines::flat::Flat;
use verdiff_front::{Inputs, load};
use verdiff_judge::{
    Addition, Assumption, Budget, Candidate, Engine, Evidence, Field, Findings, Judgement,
    Judgements, PairId, Rule, Settings, StopReason, Task, Version,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Formula, Sort, TermPool};
use verdiff_plan::job::{Allowance, Judged};
use verdiff_plan::matching;
use verdiff_plan::worker::{Registry, Worker};

/// Says of every sub-pair that it is equal and that it differs.
struct Liar;

impl Engine for Liar {
    fn name(&self) -> &'static str {
        "liar"
    }

    fn run(&mut self, task: &Task<'_>, _: &Budget) -> Findings {
        if !task.comparison.sub_pairs.iter().any(|(_, sub)| *sub == task.pair) {
            return Findings::default();
        }
        let rule = Rule::SameCode { cycle: false };
        let evidence = Evidence::new(Field::EqualUnder, "liar", rule);
        let additions = vec![Addition::new(Formula::truth(), evidence).in_calls(true)];
        let candidates = vec![Candidate::new("liar", Default::default(), Default::default())];
        Findings { additions, candidates, ..Findings::default() }
    }
}

fn with_liar(_: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![Box::new(Liar), Box::new(toy::Toy)]
}

/// Says that outcomes are equal under a condition on what is no part of an entry state. Names of that are each
/// execution's own: joined with what another engine says of the same name, anything would follow.
struct Babbler;

impl Engine for Babbler {
    fn name(&self) -> &'static str {
        "babbler"
    }

    fn run(&mut self, _: &Task<'_>, _: &Budget) -> Findings {
        let mut pool = TermPool::new();
        let some = pool.symbol("unspecified!1", Sort::Bool).unwrap();
        let parts = [some, pool.not(some).unwrap()];
        let addition = |part| {
            let evidence = Evidence::new(Field::EqualUnder, "babbler", Rule::PathsEqual);
            Addition::new(Formula::of(&pool, part).unwrap(), evidence)
        };
        Findings { additions: parts.map(addition).into(), ..Findings::default() }
    }
}

fn with_babbler(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![Box::new(Flat::new(facts)), Box::new(Babbler)]
}

/// The registry, with a line for the toy.
fn registry(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    let mut all: Vec<Box<dyn Engine>> = vec![Box::new(Flat::new(facts))];
    all.push(Box::new(toy::Toy));
    all
}

fn judged(old: &str, new: &str) -> Judged {
    judged_by(registry, old, new)
}

fn judged_by(registry: Registry, old: &str, new: &str) -> Judged {
    let folder = tempfile::tempdir().unwrap();
    let version = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let loaded = load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap();
        Version { program: loaded.program, frames: loaded.frames }
    };
    let (old, new) = (version("old.c", old), version("new.c", new));
    let matched = matching(old, new, Settings::default(), &[]).unwrap();
    let mut worker = Worker::with(Rc::new((*matched.comparison).clone()), registry);
    let allowed = Allowance {
        effort: Effort::seconds(5),
        timeout: Duration::from_secs(60),
        loading: Duration::ZERO,
    };
    let nothing = (Judgement::default(), Judgements::new());
    worker.judge(PairId(0), nothing.0, &nothing.1, allowed, &mut |_| {})
}

const OLD: &str = "int f(int x) { int y = x * 2; while (y > 7) y -= 3; return y; }";

#[test]
fn an_engine_is_run_again_when_its_sub_pairs_are_judged() {
    let judged = judged(OLD, &OLD.replace("x * 2", "x + x"));
    let names: Vec<&str> = judged.engines.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["flat", "toy"], "{judged:#?}");
    assert!(judged.judgement.is_equal(), "{judged:#?}");
    let [evidence] = judged.judgement.evidence() else { panic!("{judged:#?}") };
    assert_eq!(evidence.engine, "toy");
    assert!(evidence.uses.is_empty(), "a sub-pair is no pair of the comparison");
    assert!(!evidence.obligations.is_empty(), "what the sub-pair rests on was lost");
}

#[test]
fn a_sub_pair_that_differs_proves_nothing() {
    let judged = judged(OLD, &OLD.replace("x * 2", "x * 3"));
    assert!(!judged.judgement.is_equal() && judged.candidates.is_empty(), "{judged:#?}");
    assert!(judged.stopped.is_some());
}

/// Nobody replays a difference of a sub-pair, so one that is predicted takes away what is said to be proved.
#[test]
fn a_sub_pair_that_is_equal_and_differs_proves_nothing() {
    let judged = judged_by(with_liar, OLD, &OLD.replace("x * 2", "x * 3"));
    assert!(judged.engines.iter().any(|run| run.name == "toy"), "{judged:#?}");
    assert!(!judged.judgement.is_equal() && judged.candidates.is_empty(), "{judged:#?}");
}

#[test]
fn a_condition_on_more_than_the_entry_state_is_a_bug_and_no_proof() {
    let judged = judged_by(with_babbler, OLD, &OLD.replace("x * 2", "x * 3"));
    assert!(judged.engines.iter().any(|run| run.name == "babbler"), "{judged:#?}");
    assert_eq!(judged.judgement, Judgement::default(), "{judged:#?}");
    assert!(judged.stopped.as_ref().is_some_and(StopReason::is_internal), "{judged:#?}");
}

/// Whatever an engine says under settings that restrict inputs, its evidence says so.
#[test]
fn settings_that_restrict_inputs_are_in_all_evidence() {
    let folder = tempfile::tempdir().unwrap();
    let version = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let loaded = load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap();
        Version { program: loaded.program, frames: loaded.frames }
    };
    let (old, new) = (version("old.c", OLD), version("new.c", &OLD.replace("x * 2", "x + x")));
    let settings = Settings {
        no_alias: true,
        overflow_undefined: true,
        assume_text: vec![("f".to_owned(), "x > 0".to_owned()), ("g".to_owned(), "1".to_owned())],
        ..Settings::default()
    };
    let matched = matching(old, new, settings, &[]).unwrap();
    let mut worker = Worker::with(Rc::new((*matched.comparison).clone()), registry);
    let allowed = Allowance {
        effort: Effort::seconds(5),
        timeout: Duration::from_secs(60),
        loading: Duration::ZERO,
    };
    let nothing = (Judgement::default(), Judgements::new());
    let judged = worker.judge(PairId(0), nothing.0, &nothing.1, allowed, &mut |_| {});
    let [evidence] = judged.judgement.evidence() else { panic!("{judged:#?}") };
    let given = Assumption::Precondition { function: "f".to_owned(), c: "x > 0".to_owned() };
    assert_eq!(evidence.engine, "toy");
    for assumption in [Assumption::NoAlias, Assumption::OverflowUndefined, given] {
        assert!(evidence.assumes.contains(&assumption), "{evidence:#?}");
    }
    assert_eq!(evidence.assumes.len(), 3, "{evidence:#?}");
}
