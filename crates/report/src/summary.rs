//! The number of functions with each verdict, the result, and the exit code.

use crate::report::{PairReport, Report};
use verdiff_judge::{Answer, Changed, ImpactKind, StopReason, Termination, Verdict};

/// How many functions got which verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Equivalent, unchanged ones included.
    pub equivalent: usize,
    /// Different, changed signatures included.
    pub different: usize,
    /// Undecided.
    pub unknown: usize,
    /// Only in the new version.
    pub added: usize,
    /// Only in the old version.
    pub removed: usize,
    /// Equivalent because nothing about them changed.
    pub unchanged: usize,
}

impl Summary {
    /// Counts the functions of a report.
    pub fn of(report: &Report) -> Summary {
        let mut summary = Summary::default();
        for pair in &report.pairs {
            *match &pair.answer {
                Answer::Judged(Verdict::Equivalent { .. }) => &mut summary.equivalent,
                Answer::Judged(Verdict::Different { .. }) | Answer::Interface => {
                    &mut summary.different
                }
                Answer::Judged(Verdict::Unknown(_)) => &mut summary.unknown,
                Answer::Added => &mut summary.added,
                Answer::Removed => &mut summary.removed,
            } += 1;
            summary.unchanged += usize::from(is_unchanged(pair));
        }
        summary
    }
}

/// Whether a function is equivalent because nothing about it changed.
pub(crate) fn is_unchanged(pair: &PairReport) -> bool {
    pair.changed == Changed::No
        && pair.renamed.is_none()
        && matches!(pair.answer, Answer::Judged(Verdict::Equivalent { .. }))
}

/// How the behaviour changed, for functions that are not ignored for the exit code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conclusion {
    /// Functions whose own code, types or constants changed.
    pub changed: usize,
    /// Those of them that differ.
    pub different: usize,
    /// Callers of changed functions that differ.
    pub callers: usize,
    /// Undecided functions, those that may be affected by changes elsewhere left out.
    pub undecided: usize,
    /// Undecided functions whose own code did not change.
    pub possibly_affected: usize,
    /// Globals whose initial value or visibility changed.
    pub globals: usize,
    /// Whether termination is not proved for some equivalent function.
    pub partial: bool,
    /// Differences that the user expects (`--accept`).
    pub accepted: usize,
    /// Functions that only the new version defines.
    pub added: usize,
    /// Functions that only the old version defines.
    pub removed: usize,
}

impl Conclusion {
    /// Of a report.
    pub(crate) fn of(report: &Report) -> Conclusion {
        let Summary { added, removed, .. } = Summary::of(report);
        let accepted = report.pairs.iter().filter(|pair| pair.accepted.is_some()).count();
        let mut all = Conclusion { accepted, added, removed, ..Conclusion::default() };
        for pair in report.pairs.iter().filter(|pair| pair.counts) {
            let own = !matches!(pair.changed, Changed::No | Changed::Callees);
            let (differs, open) = match &pair.answer {
                Answer::Judged(Verdict::Different { .. }) | Answer::Interface => (true, false),
                Answer::Judged(Verdict::Unknown(_)) => (false, true),
                Answer::Judged(Verdict::Equivalent { .. }) => (false, false),
                Answer::Added | Answer::Removed => continue,
            };
            if pair.is_global() {
                all.globals += usize::from(differs);
                continue;
            }
            all.changed += usize::from(own);
            all.different += usize::from(differs && own);
            all.callers += usize::from(differs && !own);
            all.undecided += usize::from(open && pair.impact.is_none());
            all.possibly_affected += usize::from(open && pair.impact.is_some());
            all.partial |= !differs && !open && pair.termination != Termination::Alike;
        }
        all
    }
}

/// What changes mean, in numbers: for the functions that changed, and for those that did not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImpactCounts {
    /// Functions whose own code changed, and that are decided.
    pub decided: usize,
    /// And that are not.
    pub undecided: usize,
    /// Other functions that are proved not to be affected.
    pub unaffected: usize,
    /// That are equivalent, but only for valid inputs, or without equal termination.
    pub equivalent: usize,
    /// That are affected, as a confirmed difference shows.
    pub affected: usize,
    /// That may be affected.
    pub possible: usize,
}

impl ImpactCounts {
    /// Of a report.
    pub fn of(report: &Report) -> ImpactCounts {
        let mut all = ImpactCounts::default();
        for pair in &report.pairs {
            let decided = match &pair.answer {
                Answer::Judged(Verdict::Unknown(_)) => false,
                Answer::Judged(_) | Answer::Interface => true,
                Answer::Added | Answer::Removed => continue,
            };
            match (&pair.impact, pair.changed) {
                (Some(impact), _) => match impact.kind {
                    ImpactKind::None => all.unaffected += 1,
                    ImpactKind::Proved => all.affected += 1,
                    ImpactKind::Possible if decided => all.equivalent += 1,
                    ImpactKind::Possible => all.possible += 1,
                },
                (None, Changed::No) => {}
                (None, _) if decided => all.decided += 1,
                (None, _) => all.undecided += 1,
            }
        }
        all
    }

    /// How many functions may only be affected by changes elsewhere.
    pub fn callers(&self) -> usize {
        self.unaffected + self.equivalent + self.affected + self.possible
    }
}

/// Why there is no verdict, or why it does not cover everything.
pub(crate) fn undecided_reason(pair: &PairReport) -> Option<&StopReason> {
    match &pair.answer {
        Answer::Judged(Verdict::Unknown(reason)) => Some(pair.reason.as_ref().unwrap_or(reason)),
        _ => pair.reason.as_ref(),
    }
}

/// What makes the exit code non-zero (`--fail-on`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FailOn {
    /// A difference.
    pub different: bool,
    /// An undecided function, a file that could not be compared, or an interrupted run.
    pub unknown: bool,
}

impl Default for FailOn {
    fn default() -> FailOn {
        FailOn { different: true, unknown: true }
    }
}

/// The exit code of a comparison that came to its report (docs/book/scripts.md).
///
/// | code | when |
/// |---|---|
/// | 0 | every judged function that counts is equivalent, or nothing is found of what the user asks to fail on |
/// | 1 | at least one differs |
/// | 3 | none differs, but some are undecided, or a file could not be compared, or the run was interrupted |
/// | 2 | nothing could be judged: no function is in both versions |
pub fn exit_code(report: &Report, fail_on: FailOn) -> u8 {
    let judged = |pair: &PairReport| !matches!(pair.answer, Answer::Added | Answer::Removed);
    if !report.pairs.iter().any(judged) {
        return 2;
    }
    let differs = |pair: &PairReport| {
        matches!(pair.answer, Answer::Judged(Verdict::Different { .. }) | Answer::Interface)
    };
    let undecided = |pair: &PairReport| matches!(pair.answer, Answer::Judged(Verdict::Unknown(_)));
    let any = |test: &dyn Fn(&PairReport) -> bool| report.pairs.iter().any(|p| p.counts && test(p));
    let is_open = || any(&undecided) || report.interrupted || !report.not_compared.is_empty();
    if fail_on.different && any(&differs) {
        1
    } else if fail_on.unknown && is_open() {
        3
    } else {
        0
    }
}
