//! Verdicts: derived from a judgement, never stored by hand.

use crate::comparison::Settings;
use crate::engine::{Confirmed, Replay};
use crate::judgement::{Field, Judgement};
use crate::stop::StopReason;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use verdiff_logic::solver::{self, Decide, Limits, Query};
use verdiff_logic::{LogicError, TermPool};

/// What is said of a pair in the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Outcomes are equal wherever both sides end, and nothing is known to end on one side only.
    Equivalent {
        /// No entry state is known from which both sides end.
        vacuous: bool,
    },
    /// A confirmed witness shows a difference.
    Different {
        /// Whether every state is in C, in S, or in both U and T.
        exact: bool,
    },
    /// Anything else.
    Unknown(StopReason),
}

/// What is known of termination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Termination {
    /// Both end from the same states.
    Alike,
    /// From some state exactly one ends.
    Split,
    /// Not proved.
    Unknown,
}

/// In what outcomes can differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The returned value.
    Value,
    /// Memory that the caller sees.
    Memory,
    /// What is said to the outside, exit status included.
    Output,
    /// One side traps, or they trap in different ways.
    Trap,
    /// One side ends, the other does not.
    Termination,
    /// The signature.
    Interface,
}

impl Verdict {
    /// The verdict that a judgement and the confirmed witnesses allow.
    ///
    /// Soundness: `Equivalent` needs U valid and S empty, and no confirmed witness (which would be a
    /// contradiction, but for a hang: U speaks of runs that end). A witness that was not
    /// confirmed counts for nothing. A reason to stop is never turned into an answer.
    pub fn of(
        judgement: &Judgement,
        witnesses: &[Confirmed],
        settings: &Settings,
        stopped: &StopReason,
    ) -> Verdict {
        let confirmed = || witnesses.iter().filter(|w| w.replay.is_confirmed());
        let shown = confirmed().any(|w| !w.kinds.contains(&Kind::Termination));
        let split = !judgement.condition(Field::SplitUnder).is_false();
        // A run that does not end shows nothing by itself: that it never does must be proved.
        let hangs = split && confirmed().any(|w| w.kinds.contains(&Kind::Termination));
        if judgement.is_equal() && shown {
            return Verdict::Unknown(StopReason::internal(
                "a proof of equality and a confirmed difference contradict each other",
            ));
        }
        if shown || hangs && !settings.ignore_termination {
            return Verdict::Different { exact: is_exact(judgement).unwrap_or(false) };
        }
        if judgement.is_equal() && (!split || settings.ignore_termination) {
            return match settings.full && !judgement.is_alike() {
                true => Verdict::Unknown(StopReason::incomplete(
                    "outcomes are equal, but that both versions end alike is not proved",
                )),
                false => Verdict::Equivalent { vacuous: !judgement.common_run },
            };
        }
        if let Some(Replay::Refuted { why }) =
            witnesses.iter().map(|w| &w.replay).find(|r| matches!(r, Replay::Refuted { .. }))
        {
            return Verdict::Unknown(StopReason::internal(format!(
                "the compiled programs refute a predicted difference: {why}"
            )));
        }
        if let Some(Replay::NotRun { why }) =
            witnesses.iter().map(|w| &w.replay).find(|r| matches!(r, Replay::NotRun { .. }))
        {
            return Verdict::Unknown(StopReason::incomplete(format!(
                "a difference was found but could not be run: {why}"
            )));
        }
        Verdict::Unknown(stopped.clone())
    }
}

impl Termination {
    /// What a judgement says of termination.
    pub fn of(judgement: &Judgement) -> Termination {
        if !judgement.condition(Field::SplitUnder).is_false() {
            Termination::Split
        } else if judgement.is_alike() {
            Termination::Alike
        } else {
            Termination::Unknown
        }
    }
}

/// Whether every state is in C, in S, or in both U and T.
fn is_exact(judgement: &Judgement) -> Result<bool, LogicError> {
    let mut pool = TermPool::new();
    let mut build = |field| judgement.condition(field).build(&mut pool);
    let (u, c) = (build(Field::EqualUnder)?, build(Field::DifferUnder)?);
    let (t, s) = (build(Field::AlikeUnder)?, build(Field::SplitUnder)?);
    let both = pool.and(&[u, t])?;
    let covered = pool.or(&[c, s, both])?;
    let open = pool.not(covered)?;
    let limits = Limits { time: Some(Duration::from_secs(1)), ..Limits::default() };
    let assertions = [open];
    let query = Query { assertions: &assertions, assumptions: &[] };
    Ok(solver::standard().decide(&mut pool, &query, &limits).is_unsat())
}
