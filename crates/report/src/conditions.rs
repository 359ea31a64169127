//! The conditions of a judgement for people and scripts.

use crate::c_condition::{ConditionPrinter, negation};
use crate::report::{ConditionText, PairReport};
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdiff_cache::Scope;
use verdiff_judge::{
    Answer, Comparison, Deadlines, Field, Judgement, PairId, Side, Timed, Verdict,
    hang_if_injected, latest_within,
};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::solver::Z3;
use verdiff_logic::{LogicError, TermId, TermPool};

/// What the search for a shorter way to write a condition may cost.
const WORDING_EFFORT: Effort = Effort::millis(400);

/// What it may cost for all conditions of a pair. They are looked at in the order in which readers need them.
const WORDING_ALL: Effort = Effort::millis(1500);

/// What it may cost for a condition where the others have used all of that.
const WORDING_LEAST: Effort = Effort::millis(30);

/// What writing conditions down as they are may take where no time is left.
const AS_THEY_ARE: Duration = Duration::from_millis(100);

/// What conditions are kept as from one run to the next. It changes with how they are worded.
const KIND: &str = "verdiff-words/2";

/// Of what the conditions are.
pub(crate) struct About<'a> {
    pub comparison: &'a Arc<Comparison>,
    pub pair: PairId,
    pub judgement: &'a Judgement,
    pub answer: &'a Answer,
}

/// Writes the conditions into a report. Those that are not printed in time are in the JSON report only, or missing.
pub(crate) fn conditions(
    about: &About<'_>,
    deadlines: &Deadlines,
    kept: Option<&Scope>,
    report: &mut PairReport,
) {
    let About { comparison, pair: id, judgement, answer } = *about;
    let exact = matches!(answer, Answer::Judged(Verdict::Different { exact: true }));
    let begun = Instant::now();
    let own = begun + deadlines.pair.saturating_sub(Duration::from_secs_f64(report.ms / 1000.0));
    // Even if nothing is left there is time to write them down as they are.
    let until = deadlines.whole.map_or(own, |whole| whole.min(own)).max(begun + AS_THEY_ARE);
    let what = (id, judgement, exact);
    let (comparison, judgement) = (comparison.clone(), judgement.clone());
    let say = move || {
        latest_within(Some(until), move |tell| {
            let _contexts = Z3::keep_contexts();
            let mut pool = TermPool::new();
            // What is not told is left out of the report.
            if let Ok(plain) = plain(&mut pool, &judgement, exact) {
                tell(plain);
            }
            hang_if_injected("word", &comparison.pair(id).function);
            for search in [false, true] {
                if let Ok(worded) = worded(&mut pool, &comparison, id, &judgement, exact, search) {
                    tell(worded);
                }
            }
        })
    };
    let shown = match kept {
        Some(kept) => cached_or_computed(kept, &what, say),
        None => say(),
    };
    let took = begun.elapsed().as_secs_f64() * 10_000.0;
    report.ms = ((report.ms * 10.0) + took).round() / 10.0;
    // Decided or not: another run may say more.
    report.reproducible &= !shown.expired;
    let Some([u, c, t, s, old, new, open]) = shown.result else { return };
    report.open_under = open;
    report.equal_under = u;
    report.differ_under = c;
    report.alike_under = t;
    report.split_under = s;
    report.old_only = old;
    report.new_only = new;
}

/// The cached texts of an earlier run, else those that are computed now. The text of conditions follows from the comparison, the judgement and counted
/// work; what a clock has cut short is not kept.
fn cached_or_computed(
    kept: &Scope,
    what: &impl Serialize,
    say: impl FnOnce() -> Timed<[ConditionText; 7]>,
) -> Timed<[ConditionText; 7]> {
    let write = |part: &mut dyn Write| serde_json::to_writer(part, what);
    let key = kept.key(KIND).and_then(|key| Some(key.with_written(write).ok()?.done()));
    let Some(key) = key else { return say() };
    let before = kept.store().get(&key).and_then(|text| serde_json::from_slice(&text).ok());
    if let Some(before) = before {
        return Timed { result: Some(before), expired: false };
    }
    let printed = say();
    if let Some(shown) = printed.result.as_ref().filter(|_| !printed.expired)
        && let Ok(text) = serde_json::to_vec(shown)
    {
        kept.store().put(&key, &text);
    }
    printed
}

/// The conditions as they are, for scripts: [`worded`] has the same order.
fn plain(
    pool: &mut TermPool,
    judgement: &Judgement,
    exact: bool,
) -> Result<[ConditionText; 7], LogicError> {
    let all = terms(pool, judgement, exact)?;
    Ok(all.map(|term| {
        // What needs no words has them already.
        let c = [(pool.truth(), "1"), (pool.falsity(), "0")];
        let c = c.into_iter().find(|(constant, _)| *constant == term);
        ConditionText { c: c.map(|(_, c)| c.to_owned()), smt: pool.display(term).to_string() }
    }))
}

/// The terms of the four conditions, where only one version terminates, and what is undecided.
fn terms(
    pool: &mut TermPool,
    judgement: &Judgement,
    exact: bool,
) -> Result<[TermId; 7], LogicError> {
    let mut of = |field| judgement.condition(field).build(pool);
    let (u, c) = (of(Field::EqualUnder)?, of(Field::DifferUnder)?);
    let (t, s) = (of(Field::AlikeUnder)?, of(Field::SplitUnder)?);
    let not_s = pool.not(s)?;
    let known = pool.or(&[u, c, s])?;
    let open = if exact { pool.falsity() } else { pool.not(known)? };
    let u = pool.and(&[u, not_s])?;
    let [old, new] = Side::BOTH.map(|side| judgement.ends_alone(side).build(pool));
    Ok([u, c, t, s, old?, new?, open])
}

/// The four conditions, where only one version terminates, and what is undecided, as C: unchanged, or minimised.
fn worded(
    pool: &mut TermPool,
    comparison: &Comparison,
    id: PairId,
    judgement: &Judgement,
    exact: bool,
    search: bool,
) -> Result<[ConditionText; 7], LogicError> {
    let all = terms(pool, judgement, exact)?.map(|term| pool.simplify(term));
    let [u, c, t, s, old, new, open] = all;
    let procedure = comparison.procedure(id, Side::Old);
    let words = ConditionPrinter::of(pool, &comparison.old.program, procedure, &all)?;
    let end = effort::spent() + WORDING_ALL;
    let say = |pool: &mut TermPool, condition: TermId| {
        let left = end.saturating_sub(effort::spent()).max(WORDING_LEAST).min(WORDING_EFFORT);
        match search {
            true => words.shorter(pool, condition, left),
            false => words.as_it_is(pool, condition),
        }
    };
    let short_c = say(pool, c)?;
    let short_s = say(pool, s)?;
    let short_old = say(pool, old)?;
    let short_new = say(pool, new)?;
    let short_open = say(pool, open)?;
    // Where nothing is open, U is all that C is not.
    let short_u = match short_c {
        Some(c) if exact && judgement.condition(Field::SplitUnder).is_false() => {
            Some(negation(pool, c)?)
        }
        _ => say(pool, u)?,
    };
    let short_t = say(pool, t)?;
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
    Ok(pairs.map(|(whole, short)| ConditionText {
        c: short.and_then(|t| words.c(pool, t)),
        smt: pool.display(whole).to_string(),
    }))
}
