//! From what was found out to what is reported.

use crate::matching::Matched;
use crate::run::{PairResult, Results};
use crate::signature::{Common, CommonPart};
use std::collections::BTreeSet;
use std::time::Duration;
use verdiff_judge::report::{Answer, ConditionShown, PairReport, Place, Report};
use verdiff_judge::{
    Changed, Comparison, Confirmed, Field, Judgement, Kind, PairId, Replay, Side, StopReason,
    Termination, Verdict, Wording, opposite,
};
use verdiff_logic::{LogicError, TermPool};
use verdiff_model::{ProcId, Program, Type};

/// The report of a run. Files, options and assumptions are the caller's to add.
pub fn report(matched: &Matched, results: &Results) -> Report {
    let comparison = &matched.comparison;
    let mut pairs = vec![];
    for pair in comparison.pair_ids().filter(|p| comparison.pair(*p).wanted) {
        if matched.stands_for(pair).is_some() {
            continue;
        }
        pairs.push(match matched.common_of(pair) {
            Some(common) => interface(matched, common, results),
            None => one(matched, pair, results.pairs.get(&pair)),
        });
    }
    // A precondition is a procedure that no version has.
    let assumed = |id: &&ProcId| {
        let name = &comparison.old.program.procedure(**id).name;
        comparison.settings.assume.iter().any(|(_, procedure)| procedure == name)
    };
    let removed = matched.removed.iter().filter(|id| !assumed(id));
    pairs.extend(removed.map(|id| alone(comparison, Side::Old, *id)));
    pairs.extend(matched.added.iter().map(|id| alone(comparison, Side::New, *id)));
    // What the program begins with is part of it, whoever looks at it (DESIGN.md section 4, "main").
    if comparison.pairs.iter().all(|pair| pair.wanted) {
        for global in &matched.initialisers {
            let answer = Answer::Judged(Verdict::Different { exact: true });
            let mut report = empty(format!("(global) {}", global.name), answer);
            report.changed = Changed::Globals;
            report.kinds = vec![if global.interface { Kind::Interface } else { Kind::Memory }];
            report.notes.push(global.what.clone());
            pairs.push(report);
        }
    }
    Report {
        settings: comparison.settings.clone(),
        assumptions: assumptions(comparison),
        pairs,
        interrupted: results.interrupted,
        ..Report::default()
    }
}

/// What every verdict takes for granted (DESIGN.md section 4).
fn assumptions(comparison: &Comparison) -> Vec<String> {
    let settings = &comparison.settings;
    let overflow = match settings.overflow_undefined {
        true => "signed overflow does not happen in the old version, and traps in the new one",
        false => "signed overflow wraps",
    };
    let mut all = vec![
        overflow.to_owned(),
        "external functions are deterministic: the same calls in the same state do the same".into(),
        "pointers at entry are null, or aligned for their type and lead to objects that are large enough where no bound is known"
            .into(),
        "there is enough stack, and there are no threads or signals".into(),
        format!("the ABI of {}", comparison.old.program.target),
        "no result depends on where locals and fresh objects lie".into(),
    ];
    all.push("pointer parameters that are `restrict` in both versions do not alias".into());
    if settings.no_alias {
        all.push("pointer parameters do not alias".into());
    }
    all.extend(of_what_occurs(comparison));
    all.extend(settings.assume_text.iter().map(|(function, text)| format!("{function}: {text}")));
    all
}

/// What is taken for granted of constructs that not every program has.
fn of_what_occurs(comparison: &Comparison) -> Vec<String> {
    let programs = Side::BOTH.map(|side| comparison.program(side));
    let mut all = vec![];
    let weak: BTreeSet<&str> =
        programs.iter().flat_map(|p| &p.weak_definitions).map(String::as_str).collect();
    if !weak.is_empty() {
        let names: Vec<&str> = weak.into_iter().collect();
        all.push(format!("weak definitions are the ones that are used: {}", names.join(", ")));
    }
    let has_floats = |p: &&Program| {
        let vars = p.procedures.iter().flat_map(|procedure| &procedure.vars);
        vars.into_iter().any(|var| matches!(var.ty, Type::Float(_)))
    };
    if programs.iter().any(has_floats) {
        all.push("floating-point operations round to nearest".into());
    }
    let compares = |p: &&Program| {
        let names = ["memcmp", "strcmp", "strncmp"];
        p.externals.iter().any(|e| names.contains(&e.name.as_str()))
    };
    if programs.iter().any(compares) {
        let what = "memcmp, strcmp and strncmp return the difference of the first bytes that differ, as glibc's do";
        all.push(what.into());
    }
    all
}

fn place(program: &Program, id: ProcId) -> Place {
    let loc = program.procedure(id).loc;
    let file = if loc.is_known() { program.file(loc.file).to_owned() } else { String::new() };
    Place { file, line: loc.line }
}

fn empty(function: String, answer: Answer) -> PairReport {
    PairReport {
        function,
        old: None,
        new: None,
        renamed: None,
        changed: Changed::Text,
        answer,
        kinds: vec![],
        termination: Termination::Unknown,
        equal_under: ConditionShown::default(),
        differ_under: ConditionShown::default(),
        open_under: ConditionShown::default(),
        alike_under: ConditionShown::default(),
        split_under: ConditionShown::default(),
        old_only: ConditionShown::default(),
        new_only: ConditionShown::default(),
        ends_exact: false,
        assuming: vec![],
        evidence: vec![],
        witness: None,
        reason: None,
        effect: None,
        notes: vec![],
        engines: vec![],
        ms: 0.0,
        counts: true,
    }
}

/// A function that only one version has.
fn alone(comparison: &Comparison, side: Side, id: ProcId) -> PairReport {
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

fn one(matched: &Matched, id: PairId, result: Option<&PairResult>) -> PairReport {
    let comparison = &matched.comparison;
    let pair = comparison.pair(id);
    let nothing = Judgement::default();
    let mut judgement = result.map_or(&nothing, |r| &r.judged.judgement);
    let witnesses = result.map_or(&[][..], |r| &r.witnesses);
    let stopped = result
        .and_then(|r| r.judged.stopped.clone())
        .unwrap_or_else(|| StopReason::incomplete("it was not looked at"));
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
    report.assuming = assumed.map(|(_, text)| text.clone()).collect();
    if comparison.settings.overflow_undefined && pair.changed != Changed::No {
        report.assuming.push("no signed overflow in the old version".to_owned());
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
    report.evidence = judgement.evidence().to_vec();
    if let Some(result) = result {
        report.engines.clone_from(&result.judged.engines);
        report.ms = (result.time.as_secs_f64() * 10_000.0).round() / 10.0;
    }
    conditions(comparison, id, judgement, &mut report);
    report
}

/// In what the outcomes differ wherever C holds. It was proved of what one candidate adds to C, so there must be no more in it.
fn effect(judgement: &Judgement, witnesses: &[Confirmed]) -> Option<String> {
    let parts = judgement.evidence().iter().filter(|e| e.adds == Field::DifferUnder).count();
    let said = |w: &&Confirmed| w.replay.is_confirmed() && w.candidate.effect.is_some();
    let witness = witnesses.iter().find(said).filter(|_| parts == 1)?;
    witness.candidate.effect.clone()
}

/// A pair whose signature changed: a difference of the interface, with what is known of the common part.
fn interface(matched: &Matched, common: &Common, results: &Results) -> PairReport {
    let comparison = &matched.comparison;
    let pair = comparison.pair(common.interface);
    let mut report = match &common.judged {
        Ok(part) => one(matched, part.pair, results.pairs.get(&part.pair)),
        Err(_) => one(matched, common.interface, None),
    };
    report.notes.push(match &common.judged {
        Ok(part) => said_of(part, &report),
        Err(why) => format!("nothing of it is compared: {why}"),
    });
    report.answer = Answer::Interface;
    report.kinds = vec![Kind::Interface];
    // It is no open question: that the signature changed is known.
    report.reason = None;
    report.changed = pair.changed;
    report.old = Some(place(&comparison.old.program, pair.old));
    report.new = Some(place(&comparison.new.program, pair.new));
    report
}

/// What is known of the common part, in a sentence.
fn said_of(part: &CommonPart, report: &PairReport) -> String {
    let [old, new] = &part.declared;
    let but = match part.drops_result {
        true => ", but for the result, which only one version has",
        false => "",
    };
    let condition = |shown: &ConditionShown| match shown.c.as_deref() {
        Some("0" | "1") | None => None,
        Some(c) => Some(c.to_owned()),
    };
    let equal = condition(&report.equal_under);
    let example = |witness: &Confirmed| {
        let inputs = &witness.shown.inputs;
        let list: Vec<String> = inputs.iter().map(|(name, v)| format!("{name} = {v}")).collect();
        format!("for instance with {}", list.join(", "))
    };
    match (&report.answer, &report.witness) {
        (Answer::Judged(Verdict::Equivalent { .. }), _) => {
            let ends = match report.termination {
                Termination::Alike => "",
                _ => ", wherever both end",
            };
            format!("equal in the common part: `{old}` and `{new}` do the same{but}{ends}")
        }
        (Answer::Judged(Verdict::Different { .. }), Some(witness)) => {
            let equal = equal.map(|c| format!("are equal{but} if {c}, and ")).unwrap_or_default();
            let example = example(witness);
            format!("`{old}` and `{new}` {equal}differ{but}, {example}, as a run of both showed")
        }
        (_, Some(witness)) => {
            let why = match &witness.replay {
                Replay::Refuted { why } | Replay::NotRun { why } => why.as_str(),
                _ => "",
            };
            let equal = equal.map(|c| format!("are equal{but} if {c}, and ")).unwrap_or_default();
            let example = example(witness);
            format!(
                "`{old}` and `{new}` {equal}are predicted to differ{but}, {example}, but that was not confirmed: {why}"
            )
        }
        (_, None) => {
            let why = report.reason.as_ref().map(ToString::to_string).unwrap_or_default();
            match equal {
                Some(c) => {
                    format!("`{old}` and `{new}` are equal{but} if {c}; more is not known: {why}")
                }
                None => format!("`{old}` and `{new}` were compared, and nothing is known: {why}"),
            }
        }
    }
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

/// How long a shorter way to say a condition is looked for.
const WORDING_TIME: Duration = Duration::from_millis(1000);

fn conditions(comparison: &Comparison, id: PairId, judgement: &Judgement, report: &mut PairReport) {
    let mut pool = TermPool::new();
    let exact = matches!(report.answer, Answer::Judged(Verdict::Different { exact: true }));
    let shown = worded(&mut pool, comparison, id, judgement, exact);
    let Ok([u, c, t, s, old, new, open]) = shown else { return };
    report.open_under = open;
    report.equal_under = u;
    report.differ_under = c;
    report.alike_under = t;
    report.split_under = s;
    report.old_only = old;
    report.new_only = new;
}

/// The four conditions, where only one side ends, and what is open, for people as short as they get.
fn worded(
    pool: &mut TermPool,
    comparison: &Comparison,
    id: PairId,
    judgement: &Judgement,
    exact: bool,
) -> Result<[ConditionShown; 7], LogicError> {
    let mut of = |field| judgement.condition(field).build(pool);
    let (u, c) = (of(Field::EqualUnder)?, of(Field::DifferUnder)?);
    let (t, s) = (of(Field::AlikeUnder)?, of(Field::SplitUnder)?);
    let not_s = pool.not(s)?;
    let known = pool.or(&[u, c, s])?;
    let open = if exact { pool.falsity() } else { pool.not(known)? };
    let u = pool.and(&[u, not_s])?;
    let [old, new] = Side::BOTH.map(|side| judgement.ends_alone(side).build(pool));
    let all = [u, c, t, s, old?, new?, open].map(|term| pool.simplify(term));
    let [u, c, t, s, old, new, open] = all;
    let procedure = comparison.procedure(id, Side::Old);
    let words = Wording::of(pool, &comparison.old.program, procedure, &all)?;
    let short_c = words.shorter(pool, c, WORDING_TIME)?;
    // Where nothing is open, U is all that C is not.
    let short_u = match short_c {
        Some(c) if exact && judgement.condition(Field::SplitUnder).is_false() => {
            Some(opposite(pool, c)?)
        }
        _ => words.shorter(pool, u, WORDING_TIME)?,
    };
    let short_t = words.shorter(pool, t, WORDING_TIME)?;
    let short_s = words.shorter(pool, s, WORDING_TIME)?;
    let short_old = words.shorter(pool, old, WORDING_TIME)?;
    let short_new = words.shorter(pool, new, WORDING_TIME)?;
    let short_open = words.shorter(pool, open, WORDING_TIME)?;
    // Scripts get the condition itself: the short one means the same only of valid entry states.
    let pairs = [
        (u, short_u),
        (c, short_c),
        (t, short_t),
        (s, short_s),
        (old, short_old),
        (new, short_new),
        (open, short_open),
    ];
    Ok(pairs.map(|(whole, short)| ConditionShown {
        c: short.and_then(|t| words.c(pool, t)),
        smt: pool.display(whole).to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Judged;
    use verdiff_front::{Inputs, load};
    use verdiff_judge::{Candidate, Evidence, Settings, Version, WitnessShown};
    use verdiff_logic::{Formula, Sort};
    use verdiff_model::state::EntryState;

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
            let evidence = Evidence {
                adds,
                engine: "summary".to_owned(),
                rule: "paths-differ".to_owned(),
                because: String::new(),
                obligations: vec![],
                uses: vec![],
            };
            judgement.grow(Formula::of(&pool, is_it).unwrap(), evidence).unwrap();
        }
        judgement
    }

    fn confirmed(effect: &str) -> Confirmed {
        let candidate = Candidate {
            old: EntryState::default(),
            new: EntryState::default(),
            engine: "summary".to_owned(),
            condition: None,
            unique: false,
            effect: Some(effect.to_owned()),
        };
        let shown = WitnessShown::default();
        Confirmed { candidate, replay: Replay::Confirmed, kinds: vec![Kind::Value], shown }
    }

    #[test]
    fn an_effect_is_said_of_all_inputs_that_differ_or_not_at_all() {
        let witnesses = [confirmed("the new version returns one more")];
        let said = |numbers: &[u128]| effect(&grown(Field::DifferUnder, numbers), &witnesses);
        assert_eq!(said(&[4]).as_deref(), Some("the new version returns one more"));
        assert_eq!(said(&[4, 7]), None);
        assert_eq!(said(&[]), None);
    }

    #[test]
    fn what_is_not_believed_is_not_shown() {
        let matched = matched("int f(int x) { return x; }", "int f(int x) { return x + 0; }");
        let shown = |stopped: StopReason| {
            let judgement = grown(Field::EqualUnder, &[4]);
            let judged = Judged::nothing(PairId(0), judgement, stopped);
            let result = PairResult { judged, witnesses: vec![], time: Duration::ZERO };
            one(&matched, PairId(0), Some(&result))
        };
        assert_eq!(shown(StopReason::Time).equal_under.c.as_deref(), Some("x == 4"));
        let report = shown(StopReason::internal("a contradiction"));
        assert_eq!(report.equal_under.c.as_deref(), Some("0"));
        assert!(report.evidence.is_empty());
    }
}
