//! From what was found out about pairs to an account of every function, as data: the report crate makes the words.

use crate::caller_impact;
use crate::impact::Causes;
use crate::matching::Matched;
use crate::run::Results;
use crate::signature::Common;
use std::collections::BTreeSet;
use verdiff_judge::{
    Account, Answer, Assumption, Changed, Comparison, Confirmed, Effect, Evidence, Field,
    Incomplete, Judgement, Kind, NoCommonPart, Note, PairAccount, PairId, Replay, Side,
    SourceLocation, StopReason, Termination, Verdict,
};
use verdiff_model::{External, ExternalKind, ProcId, Program, Type};

/// The account of a run.
pub fn account(matched: &Matched, results: &Results) -> Account {
    let comparison = &matched.comparison;
    let causes = caller_impact::causes(matched, results);
    let mut pairs = vec![];
    for pair in comparison.pair_ids().filter(|p| comparison.pair(*p).wanted) {
        if matched.stands_for(pair).is_some() {
            continue;
        }
        pairs.push(match matched.common_of(pair) {
            Some(common) => interface(matched, common, results, &causes),
            None => one(matched, pair, results, &causes),
        });
    }
    // A precondition is a procedure that no version has.
    let assumed = |id: &&ProcId| {
        let name = &comparison.old.program.procedure(**id).name;
        comparison.settings.assume.iter().any(|(_, procedure)| procedure == name)
    };
    // Who asks about some functions does not ask which others came and went.
    if !matched.only_some {
        let removed = matched.removed.iter().filter(|id| !assumed(id));
        pairs.extend(removed.map(|id| alone(comparison, Side::Old, *id)));
        pairs.extend(matched.added.iter().map(|id| alone(comparison, Side::New, *id)));
    }
    if let Some(main) = pairs.iter_mut().find(|p| p.function == "main") {
        main.notes.extend(matched.initialisers.iter().cloned().map(Note::Global));
    }
    // What the program begins with is part of it, whoever looks at it (docs/internals/semantics.md).
    if !matched.only_some || comparison.pairs.iter().all(|pair| pair.wanted) {
        for global in &matched.initialisers {
            let answer = Answer::Judged(Verdict::Different { exact: true });
            let mut report = empty(format!("(global) {}", global.name), answer);
            report.changed = Changed::Globals;
            let interface = global.what.is_interface();
            report.kinds = vec![if interface { Kind::Interface } else { Kind::Memory }];
            report.notes.push(Note::Global(global.clone()));
            pairs.push(report);
        }
    }
    Account {
        settings: comparison.settings.clone(),
        assumptions: assumptions(comparison),
        pairs,
        interrupted: results.interrupted,
        only_some: matched.only_some,
    }
}

/// What every verdict assumes (docs/internals/semantics.md).
fn assumptions(comparison: &Comparison) -> Vec<Assumption> {
    let settings = &comparison.settings;
    let mut all = vec![
        match settings.overflow_undefined {
            true => Assumption::OverflowUndefined,
            false => Assumption::OverflowWraps,
        },
        Assumption::DeterministicExternals,
        Assumption::ValidPointers,
        Assumption::EnoughStack,
        Assumption::Abi(comparison.old.program.target.clone()),
        Assumption::IndifferentAddresses,
        Assumption::Restrict,
    ];
    all.extend(settings.no_alias.then_some(Assumption::NoAlias));
    all.extend(settings.ignore_line_numbers.then_some(Assumption::NoLineNumbers));
    all.extend(of_what_occurs(comparison));
    all.extend(settings.assume_text.iter().map(precondition));
    all
}

fn precondition((function, c): &(String, String)) -> Assumption {
    Assumption::Precondition { function: function.clone(), c: c.clone() }
}

/// What is assumed of constructs that not every program has.
fn of_what_occurs(comparison: &Comparison) -> Vec<Assumption> {
    let programs = Side::BOTH.map(|side| comparison.program(side));
    let mut all = vec![];
    let weak: BTreeSet<&String> = programs.iter().flat_map(|p| &p.weak_definitions).collect();
    if !weak.is_empty() {
        all.push(Assumption::WeakDefinitions(weak.into_iter().cloned().collect()));
    }
    let has_floats = |p: &&Program| {
        let vars = p.procedures.iter().flat_map(|procedure| &procedure.vars);
        vars.into_iter().any(|var| matches!(var.ty, Type::Float(_)))
    };
    if programs.iter().any(has_floats) {
        all.push(Assumption::RoundToNearest);
    }
    let compares = |p: &&Program| {
        let names = ["memcmp", "strcmp", "strncmp"];
        p.externals.iter().any(|e| names.contains(&e.name.as_str()))
    };
    if programs.iter().any(compares) {
        all.push(Assumption::ByteDifference);
    }
    // One without text is a barrier for the compiler alone.
    let is_assembly = |e: &External| e.kind == ExternalKind::Assembly && !e.name.is_empty();
    if programs.iter().any(|p| p.externals.iter().any(is_assembly)) {
        all.push(Assumption::DeterministicAssembly);
    }
    all
}

fn place(program: &Program, id: ProcId) -> SourceLocation {
    let loc = program.procedure(id).loc;
    let file = if loc.is_known() { program.file(loc.file).to_owned() } else { String::new() };
    SourceLocation { file, line: loc.line }
}

fn empty(function: String, answer: Answer) -> PairAccount {
    PairAccount {
        function,
        old: None,
        new: None,
        renamed: None,
        changed: Changed::Text,
        answer,
        kinds: vec![],
        termination: Termination::Unknown,
        judged: None,
        judgement: Judgement::default(),
        ends_exact: false,
        assuming: vec![],
        witness: None,
        local: None,
        correlation: None,
        impact: None,
        boundaries: vec![],
        reason: None,
        effect: None,
        notes: vec![],
        engines: vec![],
        ms: 0.0,
        cached: false,
        reproducible: true,
        counts: true,
    }
}

/// A function that only one version has.
fn alone(comparison: &Comparison, side: Side, id: ProcId) -> PairAccount {
    let program = comparison.program(side);
    let place = Some(place(program, id));
    let answer = if side == Side::Old { Answer::Removed } else { Answer::Added };
    let mut report = empty(program.procedure(id).name.clone(), answer);
    match side {
        Side::Old => report.old = place,
        Side::New => report.new = place,
    }
    report.counts = false;
    report
}

fn one(matched: &Matched, id: PairId, results: &Results, causes: &Causes) -> PairAccount {
    let result = results.pairs.get(&id);
    let comparison = &matched.comparison;
    let pair = comparison.pair(id);
    let nothing = Judgement::default();
    let mut judgement = result.map_or(&nothing, |r| &r.judged.judgement);
    let witnesses = result.map_or(&[][..], |r| &r.witnesses);
    let stopped = result
        .and_then(|r| r.judged.stopped.clone())
        .unwrap_or_else(|| StopReason::incomplete(Incomplete::NotAnalysed));
    let mut verdict = Verdict::of(judgement, witnesses, &comparison.settings, &stopped);
    if let StopReason::Internal { .. } = &stopped {
        // A contradiction was found: nothing that was said of this pair is to be believed, nor shown.
        verdict = Verdict::Unknown(stopped.clone());
        judgement = &nothing;
    }
    let mut report = empty(pair.function.clone(), Answer::Judged(verdict.clone()));
    report.old = Some(place(&comparison.old.program, pair.old));
    report.new = Some(place(&comparison.new.program, pair.new));
    let new_name = &comparison.new.program.procedure(pair.new).name;
    report.renamed = (*new_name != pair.function).then(|| new_name.clone());
    report.changed = pair.changed;
    let assumed = comparison.settings.assume_text.iter().filter(|(f, _)| *f == pair.function);
    report.assuming = assumed.map(precondition).collect();
    if comparison.settings.overflow_undefined && pair.changed != Changed::No {
        report.assuming.push(Assumption::OverflowUndefined);
    }
    let bounded = |evidence: &Evidence| evidence.assumes.contains(&Assumption::ObjectsBelow2GiB);
    if judgement.evidence().iter().any(bounded) {
        report.assuming.push(Assumption::ObjectsBelow2GiB);
    }
    report.termination = Termination::of(judgement);
    report.ends_exact = Termination::is_exact(judgement);
    report.witness = best(witnesses).cloned();
    report.effect = effect(judgement, witnesses);
    let kinds: BTreeSet<Kind> = witnesses
        .iter()
        .filter(|w| w.replay.is_confirmed())
        .flat_map(|w| w.kinds.iter().copied())
        .collect();
    report.kinds = kinds.into_iter().collect();
    if let Verdict::Unknown(reason) = &verdict {
        report.reason = Some(reason.clone());
    }
    if let Some(result) = result {
        report.reproducible = !result.judged.clock_expired;
        report.engines.clone_from(&result.judged.engines);
        report.cached = result.cached;
        report.ms = (result.own_time().as_secs_f64() * 10_000.0).round() / 10.0;
    }
    if !matches!(stopped, StopReason::Internal { .. }) {
        report.local = result.and_then(|r| r.judged.local.clone());
        if !matches!(verdict, Verdict::Equivalent { .. }) {
            report.correlation = result.and_then(|r| r.judged.correlation.clone());
        }
        report.boundaries = caller_impact::boundaries(results, id, judgement);
    }
    report.impact = caller_impact::impact(matched, causes, id, judgement, &verdict);
    report.judged = Some(id);
    report.judgement = judgement.clone();
    report
}

/// In what the outcomes differ wherever C holds. It was proved of what one candidate adds to C, so there must be no more in it.
fn effect(judgement: &Judgement, witnesses: &[Confirmed]) -> Option<Effect> {
    let parts = judgement.evidence().iter().filter(|e| e.adds == Field::DifferUnder).count();
    let said = |w: &&Confirmed| w.replay.is_confirmed() && w.candidate.effect.is_some();
    let witness = witnesses.iter().find(said).filter(|_| parts == 1)?;
    witness.candidate.effect.clone()
}

/// A pair whose signature changed: a difference of the interface, with what is known of the common part.
fn interface(
    matched: &Matched,
    common: &Common,
    results: &Results,
    causes: &Causes,
) -> PairAccount {
    let comparison = &matched.comparison;
    let pair = comparison.pair(common.interface);
    let mut report = match &common.judged {
        Ok(part) => one(matched, part.pair, results, causes),
        Err(_) => one(matched, common.interface, &Results::default(), causes),
    };
    report.notes.push(match (&common.judged, &report.answer) {
        (Ok(part), Answer::Judged(verdict)) => Note::CommonPart {
            declared: part.declared.clone(),
            drops_result: part.drops_result,
            verdict: verdict.clone(),
            reason: report.reason.take(),
        },
        (Ok(_), _) => Note::NoCommonPart { why: NoCommonPart::NotAnalysed },
        (Err(why), _) => Note::NoCommonPart { why: why.clone() },
    });
    report.answer = Answer::Interface;
    report.impact = None;
    report.kinds = vec![Kind::Interface];
    // It is no open question: that the signature changed is known.
    report.reason = None;
    report.changed = pair.changed;
    report.old = Some(place(&comparison.old.program, pair.old));
    report.new = Some(place(&comparison.new.program, pair.new));
    report
}

/// The witness to show: a confirmed one, if there is one, without stubs if there is one.
fn best(witnesses: &[Confirmed]) -> Option<&Confirmed> {
    let rank = |w: &Confirmed| match w.replay {
        Replay::Confirmed => 0,
        Replay::ConfirmedWithStubs => 1,
        Replay::Refuted { .. } => 2,
        Replay::NotRun { .. } => 3,
    };
    // The first of its rank: engines give the simplest first.
    witnesses.iter().min_by_key(|w| rank(w))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Judged;
    use crate::run::PairResult;
    use std::time::Duration;
    use verdiff_front::{Inputs, load};
    use verdiff_judge::{Candidate, Evidence, Rule, Settings, Version};
    use verdiff_logic::{Formula, Sort, TermPool};
    use verdiff_model::state::{End, EntryState, Outcome, World};

    fn matched(old: &str, new: &str) -> Matched {
        let folder = tempfile::tempdir().unwrap();
        let version = |text: &str| {
            let path = folder.path().join("version.c");
            std::fs::write(&path, text).unwrap();
            let loaded = load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap();
            Version { program: loaded.program, frames: loaded.frames }
        };
        crate::matching(version(old), version(new), Settings::default(), &[]).unwrap()
    }

    /// `x` is one of the numbers, which come one by one.
    fn grown(adds: Field, numbers: &[u128]) -> Judgement {
        let mut judgement = Judgement::default();
        for number in numbers {
            let mut pool = TermPool::new();
            let x = pool.symbol("x", Sort::BitVec(32)).unwrap();
            let value = pool.bits(32, *number).unwrap();
            let is_it = pool.eq(x, value).unwrap();
            let evidence = Evidence::new(adds, "summary", Rule::PathsDiffer);
            judgement.grow(Formula::of(&pool, is_it).unwrap(), evidence).unwrap();
        }
        judgement
    }

    fn confirmed(effect: Effect) -> Confirmed {
        let candidate = Candidate {
            effect: Some(effect),
            ..Candidate::new("summary", EntryState::default(), EntryState::default())
        };
        let outcome = || Outcome {
            end: End::Returned(vec![]),
            objects: vec![],
            globals: vec![],
            fresh: vec![],
            world: World::default(),
            steps: 0,
        };
        let (replay, outcomes) = (Replay::Confirmed, [outcome(), outcome()]);
        Confirmed { candidate, replay, kinds: vec![Kind::Value], outcomes }
    }

    #[test]
    fn an_effect_is_said_of_all_inputs_that_differ_or_not_at_all() {
        let more = Effect::Offset { by: 1, modulo_bits: None };
        let witnesses = [confirmed(more.clone())];
        let said = |numbers: &[u128]| effect(&grown(Field::DifferUnder, numbers), &witnesses);
        assert_eq!(said(&[4]), Some(more));
        assert_eq!(said(&[4, 7]), None);
        assert_eq!(said(&[]), None);
    }

    #[test]
    fn what_is_not_believed_is_not_told() {
        let matched = matched("int f(int x) { return x; }", "int f(int x) { return x + 0; }");
        let shown = |stopped: StopReason| {
            let judgement = grown(Field::EqualUnder, &[4]);
            let judged = Judged::nothing(PairId(0), judgement, stopped);
            let result = PairResult::of(judged, Duration::ZERO);
            let pairs = [(PairId(0), result)].into();
            let results = Results { pairs, ..Results::default() };
            one(&matched, PairId(0), &results, &caller_impact::causes(&matched, &results))
        };
        let equal =
            |account: &PairAccount| !account.judgement.condition(Field::EqualUnder).is_false();
        assert!(equal(&shown(StopReason::Time)));
        let report = shown(StopReason::internal("a contradiction"));
        assert!(!equal(&report));
        assert!(report.judgement.evidence().is_empty());
    }
}
