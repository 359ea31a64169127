//! What is confirmed of a callee is in the jobs of its callers, while the run goes on, whatever the order of work.

use crate::support::Folder;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use verdiff_front::{Inputs, load};
use verdiff_judge::{
    Candidate, Confirm, Confirmed, PairId, Replay, Replayed, Settings, Version, kinds,
};
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits as Steps, Machine};
use verdiff_plan::{
    Clock, JobOrder, Limits, Matched, PartialJobs, Plan, Spare, WorkerCommand, Workers, matching,
};

/// The callee differs where `k` is 77777, which no loop comes before; `plain` differs, too, but callers look into it.
const OLD: &str = "static int g(int n, int k) { if (k == 77777) return 1; while (n > 0) n -= 3; return n; }\n\
                   int f(int n, int k) { return g(n, k + 1); }\n\
                   static int plain(int k) { return k == 5; }\n\
                   int h(int k) { return plain(k) + 1; }\n";

/// Answers at the third request only, by what the interpreter says; or never.
struct Slow<'a> {
    matched: &'a Matched,
    requests: BTreeMap<PairId, u32>,
    answers: bool,
}

impl Confirm for Slow<'_> {
    fn confirmed_by_now(
        &mut self,
        pair: PairId,
        candidates: &[Candidate],
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
    ) -> Option<Vec<Replayed>> {
        let requests = self.requests.entry(pair).or_default();
        *requests += 1;
        let all: Vec<_> = candidates.iter().map(|c| (pair, c.clone())).collect();
        (self.answers && *requests >= 3).then(|| self.confirm(&all, left, until))
    }

    fn confirm(
        &mut self,
        candidates: &[(PairId, Candidate)],
        _: &BTreeMap<PairId, Duration>,
        _: Option<Instant>,
    ) -> Vec<Replayed> {
        let comparison = &self.matched.comparison;
        let one = |(id, candidate): &(PairId, Candidate)| {
            let (pair, limits) = (comparison.pair(*id), Steps::default());
            let old = Machine::new(&comparison.old.program).run(pair.old, &candidate.old, &limits);
            let new = Machine::new(&comparison.new.program).run(pair.new, &candidate.new, &limits);
            let kinds = kinds(comparison, *id, &candidate.old, &candidate.new, &old, &new);
            let (candidate, outcomes) = (candidate.clone(), [old, new]);
            let confirmed = Confirmed { candidate, replay: Replay::Confirmed, kinds, outcomes };
            Replayed { confirmed: Some(confirmed), time: Duration::ZERO }
        };
        candidates.iter().map(one).collect()
    }
}

/// What the jobs of a run say of the C of callees: by caller and callee, how many parts.
fn run(answers: bool, limits: Limits) -> (BTreeMap<(String, String), usize>, bool) {
    let new = OLD.replace("return 1;", "return 2;").replace("k == 5", "k == 6");
    let folder = Folder::versions(OLD, &new);
    let version = |name: &str| {
        let inputs = Inputs { paths: vec![folder.path(name)], ..Inputs::default() };
        let loaded = load(&inputs).unwrap();
        Version { program: loaded.program, frames: loaded.frames }
    };
    let matched = matching(version("old.c"), version("new.c"), Settings::default(), &[]).unwrap();
    // A worker that writes down what it is told, each in a file of its own: long lines are written in pieces.
    let script = "tee -a \"$0.$$\" | exec \"$1\" worker --memory 4096";
    let args = [
        OsString::from("-c"),
        script.into(),
        folder.path("jobs").into(),
        env!("CARGO_BIN_EXE_verdiff").into(),
    ];
    let command = WorkerCommand { program: "sh".into(), args: args.to_vec() };
    let spare = Spare::none();
    let plan = Plan {
        matched: &matched,
        limits,
        workers: Workers::Processes(command),
        spare: &spare,
        interrupted: &|| false,
        cache: None,
    };
    let mut confirm = Slow { matched: &matched, requests: BTreeMap::new(), answers };
    let results = plan.run(&mut confirm, &|_| {});
    let name = |pair: u64| matched.comparison.pair(PairId(pair as u32)).function.clone();
    let mut known = BTreeMap::new();
    let is_jobs = |path: &PathBuf| path.to_string_lossy().contains("/jobs.");
    let files = std::fs::read_dir(folder.path(".")).unwrap().map(|file| file.unwrap().path());
    let text: String =
        files.filter(is_jobs).map(|path| std::fs::read_to_string(path).unwrap()).collect();
    for line in text.lines() {
        let job: Value = serde_json::from_str(line).unwrap();
        let caller = name(job["pair"].as_u64().unwrap());
        for (callee, judgement) in job["judgements"].as_object().unwrap() {
            let parts = judgement["differ_under"]["parts"].as_array().unwrap().len();
            known.insert((caller.clone(), name(callee.parse().unwrap())), parts);
        }
    }
    (known, results.pairs.values().any(|result| result.judged.clock_expired))
}

fn limits(jobs: usize, order: JobOrder, budget: Option<Duration>) -> Limits {
    Limits {
        loading: Duration::ZERO,
        effort: Effort::seconds(3),
        timeout: Duration::from_secs(60),
        clock: Clock { begun: Instant::now(), budget },
        jobs,
        order,
        parts: PartialJobs::default(),
        shortcuts: true,
    }
}

#[test]
fn the_job_of_a_caller_has_the_confirmed_difference_of_its_callee() {
    let pair = |caller: &str, callee: &str| (caller.to_owned(), callee.to_owned());
    // Nobody waits for the replay of a callee that callers look into.
    let expected = BTreeMap::from([(pair("f", "g"), 1), (pair("h", "plain"), 0)]);
    let usual = JobOrder::ByImportance;
    for (jobs, order) in [(1, usual), (2, usual), (2, JobOrder::LastFirst)] {
        let (known, expired) = run(true, limits(jobs, order, None));
        assert_eq!(known, expected, "jobs {jobs}, {order:?}");
        assert!(!expired);
    }
}

/// At the end of the run nobody waits any more, and what was not waited for is said not to be reproducible.
#[test]
fn a_replay_that_has_no_answer_does_not_hold_the_run() {
    let begun = Instant::now();
    let (known, expired) = run(false, limits(2, JobOrder::default(), Some(Duration::from_secs(8))));
    assert!(expired, "{known:?}");
    assert!(begun.elapsed() < Duration::from_secs(60));
}
