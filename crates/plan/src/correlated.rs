//! How the states of two versions are related, for the report of a pair that is different or undecided.
//!
//! It describes and decides nothing: no part of a judgement rests on it ([`restricted`](crate::restricted) has what it
//! suggests proved by the engines). So it is the last thing that is done for a pair, and
//! cheap: it gets few steps, and only where there is a loop. Without one, the condition of a difference says more.

use crate::job::Judged;
use std::rc::Rc;
use verdiff_engines::Facts;
use verdiff_engines::correlate::correlate_quickly;
use verdiff_engines::testing;
use verdiff_judge::correlation::Correlation;
use verdiff_judge::{Changed, Comparison, Side, StopReason, Verdict};

/// How many statements a version may have. The description of a longer one is too long to be read.
const LONGEST: u64 = 150;

/// The correlated states of a pair, if they are of use to a reader.
pub(crate) fn correlated(facts: &Rc<Facts>, judged: &Judged) -> Option<Box<Correlation>> {
    let (comparison, id) = (facts.comparison(), judged.pair);
    let pair = comparison.pair(id);
    let own = matches!(pair.changed, Changed::Text | Changed::Types | Changed::Globals);
    if !own || !pair.wanted || !pair.same_interface || !is_open(judged, comparison) {
        return None;
    }
    let is_short = |side| testing::size(comparison.procedure(id, side)) <= LONGEST;
    let loops = |side| facts.written().is_cyclic(side, comparison.pair(id).of(side));
    if !Side::BOTH.into_iter().all(is_short) || !Side::BOTH.into_iter().any(loops) {
        return None;
    }
    let (mut correlation, _) = correlate_quickly(facts, id);
    // The picture of `verdiff correlate` alone needs them.
    correlation.meetings.clear();
    (correlation.inductive && !correlation.points.is_empty()).then(|| Box::new(correlation))
}

/// Whether a difference was found, or no verdict.
fn is_open(judged: &Judged, comparison: &Comparison) -> bool {
    let settings = &comparison.settings;
    let verdict = Verdict::of(&judged.judgement, &[], settings, &StopReason::Time);
    let contradiction = judged.stopped.as_ref().is_some_and(StopReason::is_internal);
    let decided = matches!(verdict, Verdict::Equivalent { .. });
    !contradiction && (!judged.candidates.is_empty() || !decided)
}
