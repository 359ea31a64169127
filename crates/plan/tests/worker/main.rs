//! A new engine is a folder (`toy`) and a line in the registry: it is run by the schedule, its sub-pairs are judged like
//! any pair, and it is run again when they are.

mod toy;

use std::rc::Rc;
use std::time::Duration;
use verdiff_engines::Facts;
use verdiff_engines::flat::Flat;
use verdiff_front::{Inputs, load};
use verdiff_judge::{Engine, Judgement, Judgements, PairId, Settings, Version};
use verdiff_logic::effort::Effort;
use verdiff_plan::job::{Allowance, Judged};
use verdiff_plan::matching;
use verdiff_plan::worker::Worker;

/// The registry, with a line for the toy.
fn registry(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    let mut all: Vec<Box<dyn Engine>> = vec![Box::new(Flat::new(facts))];
    all.push(Box::new(toy::Toy));
    all
}

fn judged(old: &str, new: &str) -> Judged {
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
    let allowed = Allowance { effort: Effort::seconds(5), timeout: Duration::from_secs(60) };
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
