//! Whether random programs that were rewritten do what they did.

use super::outline_random::{Random, entry, program};
use std::ops::Range;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Difference, Run, compare};
use verdiff_model::{ProcId, Program, validate};

/// Rewrites a program for each seed and runs both from `entries` states. How many were changed comes back: `rewrite` says whether it changed one.
#[track_caller]
pub fn programs_do_what_they_did(
    seeds: Range<u64>,
    entries: usize,
    rewrite: impl Fn(u64, &mut Program) -> bool,
) -> usize {
    let limits = Limits { steps: 20_000, ..Limits::default() };
    let mut changed = 0;
    for seed in seeds {
        let mut random = Random::new(seed);
        let before = program(&mut random);
        let mut after = before.clone();
        if !rewrite(seed, &mut after) {
            continue;
        }
        changed += 1;
        assert!(validate(&after).is_ok(), "seed {seed}: {:?}", validate(&after));
        let (mut left, mut right) = (Machine::new(&before), Machine::new(&after));
        for _ in 0..entries {
            let state = entry(&mut random);
            let old = left.run(ProcId(0), &state, &limits);
            let new = right.run(ProcId(0), &state, &limits);
            let old = Run { program: &before, entry: &state, outcome: &old };
            let new = Run { program: &after, entry: &state, outcome: &new };
            let difference = compare(old, new);
            assert!(
                matches!(difference, None | Some(Difference::Inconclusive)),
                "seed {seed}: {difference:?}"
            );
        }
    }
    changed
}
