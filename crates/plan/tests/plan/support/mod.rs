//! What the tests of several engines together share.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::time::Duration;
use verdiff_engines::normalise::Normalise;
use verdiff_front::{Inputs, load};
use verdiff_judge::{Budget, Comparison, Engine, Judgement, Judgements, Settings, Task, Version};
use verdiff_logic::effort::Effort;
use verdiff_plan::job::{Allowance, Judged};
use verdiff_plan::matching;
use verdiff_plan::worker::{Registry, Worker};

/// Two texts as versions of a program; `None` if one does not compile.
pub fn compared(old: &str, new: &str, settings: Settings) -> Option<Rc<Comparison>> {
    let matched = matching(version(old)?, version(new)?, settings, &[]).unwrap();
    Some(Rc::new((*matched.comparison).clone()))
}

/// A text as a version. The last ones are kept: many tests compare two texts in both orders, or one with several others, and
/// to start clang takes longer than what most of them do then.
fn version(text: &str) -> Option<Version> {
    const MOST: usize = 4;
    thread_local! {
        static KEPT: RefCell<VecDeque<(String, Version)>> = const { RefCell::new(VecDeque::new()) };
    }
    let known = KEPT.with_borrow(|kept| {
        kept.iter().find(|(of, _)| of == text).map(|(_, version)| version.clone())
    });
    known.or_else(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("version.c");
        std::fs::write(&path, text).unwrap();
        let loaded = load(&Inputs { paths: vec![path], ..Inputs::default() }).ok()?;
        let version = Version { program: loaded.program, frames: loaded.frames };
        KEPT.with_borrow_mut(|kept| {
            kept.truncate(MOST - 1);
            kept.push_front((text.to_owned(), version.clone()));
        });
        Some(version)
    })
}

/// What engines may spend on a pair: all of it where there is no proof, so the suite gives what proofs need several times
/// over. `cargo xtask soak` (more than 100 percent of the cases) gives more.
pub fn effort(usual: Effort, in_soak: Effort) -> Effort {
    let percent = std::env::var("VERDIFF_CASES").ok().and_then(|text| text.parse::<u64>().ok());
    if percent.is_some_and(|percent| percent > 100) { in_soak } else { usual }
}

/// Judges all pairs, callees first as they stand in the file, by the same code or by the engines.
pub fn judged_by(registry: Registry, effort: Effort, comparison: &Rc<Comparison>) -> Vec<Judged> {
    let mut judgements = Judgements::new();
    let mut all = vec![];
    for pair in comparison.pair_ids() {
        let task =
            Task { comparison, pair, judgement: &Judgement::default(), judgements: &judgements };
        let mut judgement = Judgement::default();
        let budget = Budget::lasting(Effort::seconds(1), 0);
        for addition in Normalise.run(&task, &budget).additions {
            judgement.add(addition).unwrap();
        }
        let mut worker = Worker::with(comparison.clone(), registry);
        let allowed =
            Allowance { effort, timeout: Duration::from_secs(120), loading: Duration::ZERO };
        let one = worker.judge(pair, judgement, &judgements, allowed, &mut |_| {});
        judgements.insert(pair, one.judgement.clone());
        all.push(one);
    }
    all
}

/// Numbers from a seed.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// One below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// One of a list.
    pub fn one_of<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.below(list.len())]
    }
}
