//! Turns the results of a run, which are data, into the texts of a report.

use crate::conditions::{About, conditions};
use crate::executed::executed;
use crate::impact;
use crate::proof;
use crate::replay_sentences::replay_problem;
use crate::report::{ConditionText, EvidenceReport, PairReport, Report, WitnessReport};
use crate::sentences;
use crate::witness_view::show_witness;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use verdiff_cache::Scope;
use verdiff_judge::{
    Account, Answer, Comparison, Confirmed, Deadlines, Evidence, Note, PairAccount, PairId,
    StopReason, Termination, Verdict,
};

impl Report {
    /// The report of a run, made by then. Files and options are the caller's to add.
    pub fn of(account: &Account, comparison: &Arc<Comparison>, deadlines: &Deadlines) -> Report {
        Report::with(account, comparison, deadlines, None)
    }

    /// The same with what earlier runs have kept about this comparison.
    pub fn with(
        account: &Account,
        comparison: &Arc<Comparison>,
        deadlines: &Deadlines,
        kept: Option<&Scope>,
    ) -> Report {
        Report {
            settings: account.settings.clone(),
            assumptions: account.assumptions.iter().map(sentences::assumption).collect(),
            assumed_shortly: sentences::short_assumptions(&account.assumptions),
            pairs: on_all_cores(&account.pairs, |pair| {
                describe(pair, account, comparison, deadlines, kept)
            }),
            interrupted: account.interrupted,
            only_some: account.only_some,
            ..Report::default()
        }
    }
}

/// The results for all items, in their order. Workers have finished when conditions are worded, so all cores are free; what is made of one
/// item does not depend on the others.
fn on_all_cores<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let next = AtomicUsize::new(0);
    let some = || {
        let mut done = vec![];
        while let Some((at, item)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            items.get(at).map(|item| (at, item))
        } {
            done.push((at, of(item)));
        }
        done
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..cores.min(items.len())).map(|_| scope.spawn(some)).collect();
        let mut all = some();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

fn describe(
    account: &PairAccount,
    whole: &Account,
    comparison: &Arc<Comparison>,
    deadlines: &Deadlines,
    kept: Option<&Scope>,
) -> PairReport {
    let mut report = PairReport {
        function: account.function.clone(),
        old: account.old.clone(),
        new: account.new.clone(),
        renamed: account.renamed.clone(),
        changed: account.changed,
        answer: account.answer.clone(),
        kinds: account.kinds.clone(),
        termination: account.termination,
        equal_under: ConditionText::default(),
        differ_under: ConditionText::default(),
        open_under: ConditionText::default(),
        alike_under: ConditionText::default(),
        split_under: ConditionText::default(),
        old_only: ConditionText::default(),
        new_only: ConditionText::default(),
        ends_exact: account.ends_exact,
        in_calls: account.judgement.is_equal_in_calls(),
        assuming: account.assuming.iter().map(sentences::precondition).collect(),
        evidence: account.judgement.evidence().iter().map(|e| evidence(comparison, e)).collect(),
        witness: None,
        local: account
            .local
            .as_ref()
            .map(|local| impact::local_report(&account.function, local, whole, comparison)),
        correlation: account.correlation.clone(),
        impact: account.impact.clone(),
        boundaries: account.boundaries.clone(),
        reason: account.reason.clone(),
        effect: account.effect.as_ref().map(sentences::effect),
        notes: vec![],
        engines: account.engines.clone(),
        ms: account.ms,
        cached: account.cached,
        reproducible: account.reproducible,
        counts: account.counts,
        accepted: None,
        tests: vec![],
    };
    if let Some(pair) = account.judged {
        report.witness = account.witness.as_ref().map(|w| witness(comparison, pair, w));
        let answer = underlying(account);
        let about = About { comparison, pair, judgement: &account.judgement, answer: &answer };
        conditions(&about, deadlines, kept, &mut report);
    }
    report.notes = account.notes.iter().map(|note| sentence(note, &report)).collect();
    if !report.reproducible {
        report.notes.push(sentences::NOT_REPRODUCIBLE.to_owned());
    }
    report
}

fn evidence(comparison: &Comparison, evidence: &Evidence) -> EvidenceReport {
    let name = |pair: &PairId| comparison.pair(*pair).function.clone();
    EvidenceReport {
        adds: evidence.adds,
        engine: evidence.engine.clone(),
        rule: evidence.rule.clone(),
        because: proof::proof_sentence(&evidence.rule),
        obligations: evidence.obligations.clone(),
        file: None,
        uses: evidence.uses.iter().map(name).collect(),
        assumes: evidence.assumes.iter().map(sentences::assumption).collect(),
        cut: evidence.cut,
    }
}

/// The answer that the conditions are about: of a changed signature, that of the common part.
fn underlying(account: &PairAccount) -> Answer {
    let of_part = account.notes.iter().find_map(|note| match note {
        Note::CommonPart { verdict, .. } => Some(Answer::Judged(verdict.clone())),
        _ => None,
    });
    of_part.unwrap_or_else(|| account.answer.clone())
}

fn witness(comparison: &Comparison, pair: PairId, confirmed: &Confirmed) -> WitnessReport {
    let Confirmed { candidate, replay, kinds, outcomes: [old, new] } = confirmed;
    WitnessReport {
        candidate: candidate.clone(),
        replay: replay.clone(),
        kinds: kinds.clone(),
        shown: show_witness(comparison, pair, &candidate.old, &candidate.new, old, new),
        executed: executed(comparison, pair, candidate),
    }
}

fn sentence(note: &Note, report: &PairReport) -> String {
    match note {
        Note::Global(change) => sentences::global_change(change),
        Note::NoCommonPart { why } => sentences::no_common_part(why),
        Note::CommonPart { declared, drops_result, verdict, reason } => {
            common_part(declared, *drops_result, verdict, reason.as_ref(), report)
        }
    }
}

/// What is known of the common part of two signatures.
fn common_part(
    [old, new]: &[String; 2],
    drops_result: bool,
    verdict: &Verdict,
    reason: Option<&StopReason>,
    report: &PairReport,
) -> String {
    let but = match drops_result {
        true => ", except for the result, which only one version has",
        false => "",
    };
    let condition = |shown: &ConditionText| match shown.c.as_deref() {
        Some("0" | "1") | None => None,
        Some(c) => Some(c.to_owned()),
    };
    let equal = condition(&report.equal_under);
    let example = |witness: &WitnessReport| {
        let inputs = &witness.shown.inputs;
        let list: Vec<String> = inputs.iter().map(|(name, v)| format!("{name} = {v}")).collect();
        format!("for instance with {}", list.join(", "))
    };
    match (verdict, &report.witness) {
        (Verdict::Equivalent { .. }, _) => {
            let ends = match report.termination {
                Termination::Alike => "",
                _ => ", wherever both terminate",
            };
            format!("equal in the common part: `{old}` and `{new}` behave the same{but}{ends}")
        }
        (Verdict::Different { .. }, Some(witness)) => {
            let equal = equal.map(|c| format!("are equal{but} if {c}, and ")).unwrap_or_default();
            let example = example(witness);
            format!(
                "`{old}` and `{new}` {equal}differ{but}, {example}, confirmed by running both versions"
            )
        }
        (_, Some(witness)) => {
            let why = replay_problem(&witness.replay).unwrap_or_default();
            let equal = equal.map(|c| format!("are equal{but} if {c}, and ")).unwrap_or_default();
            let example = example(witness);
            format!(
                "`{old}` and `{new}` {equal}are predicted to differ{but}, {example}, but that was not confirmed: {why}"
            )
        }
        (_, None) => {
            let why = reason.map(sentences::stop_reason).unwrap_or_default();
            match equal {
                Some(c) => {
                    format!(
                        "`{old}` and `{new}` are equal{but} if {c}; other inputs are undecided: {why}"
                    )
                }
                None => format!("`{old}` and `{new}` were compared without a result: {why}"),
            }
        }
    }
}
