//! Why two versions differ, as a remark below a line of code.

use super::lines::Remark;
use super::table;
use crate::report::PairReport;
use crate::witness_view::{OutcomeView, WitnessView};
use verdiff_judge::{Answer, Changed};

/// The remarks below the changed lines.
pub(super) fn remarks(pair: &PairReport) -> Vec<Remark> {
    let plain = |text: &str| vec![Remark { at: None, text: text.to_owned() }];
    if pair.answer == Answer::Interface {
        return plain("the signature changed: callers of one version cannot call the other");
    }
    match &pair.witness {
        Some(witness) => of_witness(&witness.shown, pair),
        None => vec![],
    }
}

/// The reason of a difference that is not in the function's own lines.
pub(crate) fn indirect_reason(pair: &PairReport) -> Option<&'static str> {
    match pair.changed {
        Changed::Callees => Some("its own code is unchanged; a callee changed"),
        Changed::Globals => {
            Some("its own code is unchanged; a constant or global that it uses changed")
        }
        Changed::Types => Some("its own code is unchanged; types that it uses changed"),
        Changed::No | Changed::Text => None,
    }
}

fn of_witness(witness: &WitnessView, pair: &PairReport) -> Vec<Remark> {
    let (old, new) = (&witness.old, &witness.new);
    let ended = |end: &OutcomeView| table::outcome_text(end, &witness.memory);
    let mut remarks = vec![];
    if old.trap != new.trap {
        for (end, is_new) in [(old, false), (new, true)] {
            let Some(trap) = &end.trap else { continue };
            let version = if is_new { "new" } else { "old" };
            let place = if is_new { &pair.new } else { &pair.old };
            let at = end.trap_at.as_ref();
            let here = at.filter(|(file, _)| place.as_ref().is_some_and(|p| p.file == *file));
            let text = match (here, at) {
                (None, Some((file, line))) => {
                    format!("the {version} version traps at {file}:{line}: {trap}")
                }
                _ => format!("the {version} version traps: {trap}"),
            };
            remarks.push(Remark { at: here.map(|(_, line)| (is_new, *line)), text });
        }
        return remarks;
    }
    let (left, right) = (ended(old), ended(new));
    let say = |text: String| vec![Remark { at: None, text }];
    if let Some((old, new)) = table::within_results(witness) {
        return say(format!("the new version returns {new} where the old one returns {old}"));
    }
    if left != right {
        return say(format!("the new version {right} where the old one {left}"));
    }
    // Beyond how it ended: the first place of memory or the first call that differs.
    let rows = table::outcome_rows(witness);
    let first = rows.iter().find(|(a, b)| a != b);
    match first {
        Some((a, b)) if !old.memory.is_empty() || !new.memory.is_empty() => {
            let state =
                |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
            say(format!("the new version leaves {}, the old one leaves {}", state(b), state(a)))
        }
        Some((a, b)) => {
            let made = |text: &str| match text {
                table::NO_OUTPUT => "makes no further call".to_owned(),
                call => format!("calls {call}"),
            };
            say(format!("the new version {} where the old one {}", made(b), made(a)))
        }
        None => vec![],
    }
}
