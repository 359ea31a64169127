//! Answers about a part of two programs, in the numbers and lines of the whole.

use crate::job::Judged;
use verdiff_engines::reduced::Numbers;
use verdiff_judge::correlation::{Correlation, CorrelationStop};
use verdiff_judge::{Candidate, EngineOutcome, Evidence, Judgements, Rule, Side, StopReason};
use verdiff_model::state::{Contents, EntryState, Pointer, PointerTarget, Value};

/// What is known of pairs, in the numbers of a part; those that are not in it are left out.
pub(crate) fn into_part(numbers: &Numbers, judgements: &Judgements) -> Judgements {
    let known = judgements.iter();
    known.filter_map(|(pair, known)| Some((numbers.of_pair(*pair)?, known.clone()))).collect()
}

/// An answer in the numbers of the whole. One that speaks of what its part does not have is a bug.
pub(crate) fn into_whole(numbers: &Numbers, judged: Judged) -> Judged {
    let pair = numbers.pair(judged.pair).unwrap_or(judged.pair);
    whole(numbers, judged).unwrap_or_else(|| {
        let reason = StopReason::internal("an answer about what its job does not have");
        Judged::nothing(pair, verdiff_judge::Judgement::default(), reason)
    })
}

/// Candidates in the numbers of the whole; those that have none there are left out.
pub(crate) fn candidates_into_whole(numbers: &Numbers, candidates: &[Candidate]) -> Vec<Candidate> {
    candidates.iter().filter_map(|found| candidate(numbers, found.clone())).collect()
}

fn whole(numbers: &Numbers, judged: Judged) -> Option<Judged> {
    let evidence = judged.judgement.evidence().iter().cloned();
    let evidence = evidence.map(|given| self::evidence(numbers, given)).collect::<Option<_>>()?;
    let candidates = judged.candidates.into_iter().map(|given| candidate(numbers, given));
    let mut engines = judged.engines;
    for run in &mut engines {
        if let EngineOutcome::Stopped(reason) = &mut run.outcome {
            stop(numbers, reason)?;
        }
    }
    let mut local = judged.local;
    for pair in local.iter_mut().flat_map(|local| &mut local.modulo) {
        *pair = numbers.pair(*pair)?;
    }
    let mut correlation = judged.correlation;
    if let Some(correlation) = &mut correlation {
        correlated(numbers, correlation)?;
    }
    let mut stopped = judged.stopped;
    if let Some(reason) = &mut stopped {
        stop(numbers, reason)?;
    }
    Some(Judged {
        pair: numbers.pair(judged.pair)?,
        judgement: judged.judgement.with_evidence(evidence),
        candidates: candidates.collect::<Option<_>>()?,
        engines,
        local,
        correlation,
        stopped,
        ..judged
    })
}

fn line(numbers: &Numbers, line: &mut u32) -> Option<()> {
    *line = numbers.line(*line)?;
    Some(())
}

fn stop(numbers: &Numbers, reason: &mut StopReason) -> Option<()> {
    match reason {
        StopReason::Unsupported { line: at, .. } => line(numbers, at),
        StopReason::Time
        | StopReason::Memory
        | StopReason::Incomplete { .. }
        | StopReason::Internal { .. } => Some(()),
    }
}

fn evidence(numbers: &Numbers, mut given: Evidence) -> Option<Evidence> {
    for pair in &mut given.uses {
        *pair = numbers.pair(*pair)?;
    }
    for boundary in &mut given.boundaries {
        line(numbers, &mut boundary.first_line)?;
        line(numbers, &mut boundary.last_line)?;
    }
    rule(numbers, &mut given.rule)?;
    Some(given)
}

fn rule(numbers: &Numbers, given: &mut Rule) -> Option<()> {
    let lines: Vec<&mut [Option<u32>; 2]> = match given {
        Rule::PartEqRelated { relations } => relations.iter_mut().map(|r| &mut r.lines).collect(),
        Rule::Aligned { places } => places.iter_mut().map(|place| &mut place.lines).collect(),
        Rule::Guarded { by } => return rule(numbers, by),
        _ => vec![],
    };
    for at in lines.into_iter().flatten().flatten() {
        line(numbers, at)?;
    }
    Some(())
}

fn correlated(numbers: &Numbers, correlation: &mut Correlation) -> Option<()> {
    for point in &mut correlation.points {
        line(numbers, &mut point.old.line)?;
        line(numbers, &mut point.new.line)?;
    }
    for meeting in &mut correlation.meetings {
        line(numbers, &mut meeting.old)?;
        line(numbers, &mut meeting.new)?;
    }
    if let Some(CorrelationStop::Unsupported { line: at, .. }) = &mut correlation.stopped {
        line(numbers, at)?;
    }
    Some(())
}

fn candidate(numbers: &Numbers, mut given: Candidate) -> Option<Candidate> {
    entry(numbers, Side::Old, &mut given.old)?;
    entry(numbers, Side::New, &mut given.new)?;
    if let Some(condition) = &mut given.condition {
        condition.evidence = evidence(numbers, condition.evidence.clone())?;
    }
    Some(given)
}

fn entry(numbers: &Numbers, side: Side, state: &mut EntryState) -> Option<()> {
    for value in &mut state.args {
        if let Value::Pointer(to) = value {
            pointer(numbers, side, to)?;
        }
    }
    let contents = |given: &mut Contents| -> Option<()> {
        given.pointers.iter_mut().try_for_each(|link| pointer(numbers, side, &mut link.to))
    };
    state.objects.iter_mut().try_for_each(|object| contents(&mut object.contents))?;
    for (id, given) in &mut state.globals {
        *id = numbers.global(side, *id)?;
        contents(given)?;
    }
    state.globals.sort_by_key(|(id, _)| *id);
    state.outside.pointers_mut().try_for_each(|to| pointer(numbers, side, to))
}

fn pointer(numbers: &Numbers, side: Side, pointer: &mut Pointer) -> Option<()> {
    pointer.target = match pointer.target {
        PointerTarget::Global(id) => PointerTarget::Global(numbers.global(side, id)?),
        PointerTarget::Procedure(id) => PointerTarget::Procedure(numbers.procedure(side, id)?),
        PointerTarget::External(id) => PointerTarget::External(numbers.external(side, id)?),
        same @ (PointerTarget::Null | PointerTarget::Object(_) | PointerTarget::Fresh(_)) => same,
    };
    Some(())
}
