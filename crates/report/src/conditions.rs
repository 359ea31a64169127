//! The conditions of a judgement for people and scripts.

use crate::report::{ConditionShown, PairReport};
use crate::wording::{Wording, opposite};
use verdiff_judge::{Answer, Comparison, Field, Judgement, PairId, Side, Verdict};
use verdiff_logic::effort::Effort;
use verdiff_logic::{LogicError, TermPool};

/// What the search for a shorter way to write a condition may cost.
const WORDING_EFFORT: Effort = Effort::seconds(1);

/// Writes the conditions into a report.
pub(crate) fn conditions(
    comparison: &Comparison,
    id: PairId,
    judgement: &Judgement,
    answer: &Answer,
    report: &mut PairReport,
) {
    let mut pool = TermPool::new();
    let exact = matches!(answer, Answer::Judged(Verdict::Different { exact: true }));
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
    let short_c = words.shorter(pool, c, WORDING_EFFORT)?;
    // Where nothing is open, U is all that C is not.
    let short_u = match short_c {
        Some(c) if exact && judgement.condition(Field::SplitUnder).is_false() => {
            Some(opposite(pool, c)?)
        }
        _ => words.shorter(pool, u, WORDING_EFFORT)?,
    };
    let short_t = words.shorter(pool, t, WORDING_EFFORT)?;
    let short_s = words.shorter(pool, s, WORDING_EFFORT)?;
    let short_old = words.shorter(pool, old, WORDING_EFFORT)?;
    let short_new = words.shorter(pool, new, WORDING_EFFORT)?;
    let short_open = words.shorter(pool, open, WORDING_EFFORT)?;
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
