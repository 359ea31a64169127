//! Verdicts: derived from a judgement, never stored by hand.

use crate::comparison::Settings;
use crate::engine::Confirmed;
use crate::judgement::{Field, Judgement};
use crate::replay::Replay;
use crate::stop::{Incomplete, StopReason};
use serde::{Deserialize, Serialize};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Decide, Limits, Query};
use verdiff_logic::{LogicError, TermId, TermPool};

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
    /// Soundness: `Equivalent` needs U valid and S empty, and no witness: an entry state from which the interpreter saw
    /// a difference contradicts U, whatever came of its replay (but for a hang: U speaks of runs that terminate). A
    /// witness that was not confirmed makes nothing different. A reason to stop is never turned into an answer.
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
        // Replayed or not: what the interpreter did cannot be what is proved not to happen.
        if judgement.is_equal() && witnesses.iter().any(|w| w.is_difference(settings)) {
            return Verdict::Unknown(StopReason::internal(match shown {
                true => "a proof of equality and a confirmed difference contradict each other",
                false => {
                    "a proof of equality and a difference in the interpreter contradict each other"
                }
            }));
        }
        if shown || hangs && !settings.ignore_termination {
            return Verdict::Different { exact: is_exact(judgement).unwrap_or(false) };
        }
        // U says that both stop at a read past the end of an object; the interpreter went on there and saw a difference.
        let beyond = witnesses.iter().any(Confirmed::differs_beyond);
        if judgement.is_equal() && !beyond && (!split || settings.ignore_termination) {
            return match settings.full && !judgement.is_alike() {
                true => Verdict::Unknown(StopReason::incomplete(Incomplete::EqualTermination)),
                false => Verdict::Equivalent { vacuous: !judgement.common_run },
            };
        }
        // What they did instead is said with the witness.
        if witnesses.iter().any(|w| matches!(w.replay, Replay::Refuted { .. })) {
            let detail = "the compiled programs refute a predicted difference";
            return Verdict::Unknown(StopReason::internal(detail));
        }
        if let Some(Replay::NotRun { why }) =
            witnesses.iter().map(|w| &w.replay).find(|r| matches!(r, Replay::NotRun { .. }))
        {
            return Verdict::Unknown(StopReason::incomplete(Incomplete::NotRun(why.clone())));
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

    /// Whether every state is in T or in S.
    pub fn is_exact(judgement: &Judgement) -> bool {
        let mut pool = TermPool::new();
        let mut is_exact = || -> Result<bool, LogicError> {
            let t = judgement.condition(Field::AlikeUnder).build(&mut pool)?;
            let s = judgement.condition(Field::SplitUnder).build(&mut pool)?;
            let covered = pool.or(&[t, s])?;
            is_valid(&mut pool, covered)
        };
        judgement.is_alike() || is_exact().unwrap_or(false)
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
    is_valid(&mut pool, covered)
}

fn is_valid(pool: &mut TermPool, condition: TermId) -> Result<bool, LogicError> {
    let open = pool.not(condition)?;
    let limits = Limits::effort(Effort::seconds(1));
    let assertions = [open];
    let query = Query { assertions: &assertions, assumptions: &[] };
    Ok(solver::standard().decide(pool, &query, &limits).is_unsat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Candidate;
    use crate::evidence::Evidence;
    use crate::replay::{ReplayIssue, ReplayProblem};
    use crate::rule::Rule;
    use verdiff_logic::Formula;
    use verdiff_model::state::{End, Outcome, World};

    fn judgement(fields: &[Field]) -> Judgement {
        let mut judgement = Judgement::default();
        judgement.common_run = true;
        for adds in fields {
            let rule = Rule::only_ends(crate::Side::Old, vec![]);
            let evidence = Evidence::new(*adds, "test", rule);
            judgement.grow(Formula::truth(), evidence).unwrap();
        }
        judgement
    }

    fn witness(kind: Kind, replay: Replay) -> Confirmed {
        let candidate = Candidate::new("test", Default::default(), Default::default());
        let outcome = || Outcome {
            end: End::Returned(vec![]),
            objects: vec![],
            globals: vec![],
            fresh: vec![],
            world: World::default(),
            steps: 0,
        };
        Confirmed { candidate, replay, kinds: vec![kind], outcomes: [outcome(), outcome()] }
    }

    fn of(judgement: &Judgement, witness: Confirmed, settings: &Settings) -> Verdict {
        Verdict::of(judgement, &[witness], settings, &StopReason::Time)
    }

    #[test]
    fn a_hang_is_a_difference_though_outcomes_are_equal() {
        let known = judgement(&[Field::EqualUnder, Field::SplitUnder]);
        let (counts, ignored) =
            (Settings::default(), Settings { ignore_termination: true, ..Settings::default() });
        let hang = || witness(Kind::Termination, Replay::Confirmed);
        assert_eq!(of(&known, hang(), &counts), Verdict::Different { exact: true });
        assert_eq!(of(&known, hang(), &ignored), Verdict::Equivalent { vacuous: false });
        let lost = witness(Kind::Termination, Replay::not_run(ReplayProblem::NoAnswer));
        assert!(matches!(of(&known, lost, &counts), Verdict::Unknown(_)));
        // A run that was still going when it was stopped proves nothing.
        let unproved = judgement(&[Field::EqualUnder]);
        assert_eq!(of(&unproved, hang(), &counts), Verdict::Equivalent { vacuous: false });
        assert_eq!(
            of(&judgement(&[]), hang(), &counts),
            Verdict::Unknown(StopReason::Time),
            "nothing is proved of it"
        );
    }

    #[test]
    fn another_difference_contradicts_a_proof_of_equality() {
        let known = judgement(&[Field::EqualUnder, Field::SplitUnder]);
        let verdict = of(&known, witness(Kind::Value, Replay::Confirmed), &Settings::default());
        assert!(matches!(verdict, Verdict::Unknown(StopReason::Internal { .. })));
    }

    #[test]
    fn a_difference_in_the_interpreter_contradicts_a_proof_of_equality() {
        let known = judgement(&[Field::EqualUnder, Field::AlikeUnder]);
        let settings = Settings::default();
        let why = || ReplayIssue::from(ReplayProblem::NoAnswer);
        for replay in [Replay::Refuted { why: why() }, Replay::NotRun { why: why() }] {
            let verdict = of(&known, witness(Kind::Value, replay), &settings);
            assert!(
                matches!(verdict, Verdict::Unknown(StopReason::Internal { .. })),
                "{verdict:?}"
            );
        }
        // A state that does not count contradicts nothing.
        let mut excluded = witness(Kind::Trap, Replay::NotRun { why: why() });
        let (trap, procedure) =
            (verdiff_model::Trap::SignedOverflow, verdiff_model::ProcId::new(0));
        let loc = verdiff_model::Loc::default();
        excluded.outcomes[0].end = End::Trapped { trap, procedure, loc };
        let settings = Settings { overflow_undefined: true, ..Settings::default() };
        let verdict = of(&known, excluded, &settings);
        assert_eq!(verdict, Verdict::Equivalent { vacuous: false });
    }

    #[test]
    fn the_side_that_ends_is_known() {
        let known = judgement(&[Field::SplitUnder]);
        assert!(known.ends_alone(crate::Side::Old).is_true());
        assert!(known.ends_alone(crate::Side::New).is_false());
    }
}
