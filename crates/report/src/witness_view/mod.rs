//! Witnesses with the names and types of the C program (docs/book/scripts.md).
//!
//! An entry state and two outcomes identify objects by number and values by bits. Here objects get the C types of the
//! pointers to them and names that both versions share; of the outcomes only the differences are shown.
//!
//! | module | contents |
//! |---|---|
//! | `types` | the types below |
//! | `decode` | bytes and bits with a C type -> values |
//! | `text` | values as C text |
//! | `reachable` | the objects behind parameters and globals, and their types |
//! | `view` | names of objects, globals, functions in one version |
//! | `inputs` | parameters, structs passed in pieces reassembled |
//! | `outcomes` | results, and memory that differs |
//! | `output` | events of the world as calls |

mod decode;
mod inputs;
mod outcomes;
mod output;
mod reachable;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod view;

pub(crate) use text::elements;
pub use types::{
    ArgumentWrite, ExternalCallView, GlobalWrite, MemoryView, OutcomeView, PointeeKind, ValueView,
    WitnessView,
};

use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::state::{EntryState, Outcome};
use view::RunView;

/// The witness for people and scripts: the entry state and the outcome of each version.
///
/// The outcomes are those that were predicted and, for a confirmed witness, observed. Names of parameters and types are
/// the old version's, but memory of the new version is decoded with its own types: a field that moved is shown at its new
/// position.
pub fn show_witness(
    comparison: &Comparison,
    pair: PairId,
    old: &EntryState,
    new: &EntryState,
    old_outcome: &Outcome,
    new_outcome: &Outcome,
) -> WitnessView {
    let of = |side, entry, outcome| RunView::new(comparison, pair, side, entry, outcome);
    let mut left = of(Side::Old, old, old_outcome);
    let mut right = of(Side::New, new, new_outcome);
    view::name_objects(&mut left, &mut right);
    let both = outcomes::BothRuns { comparison, old: &left, new: &right };
    let (old_end, new_end) = both.ends();
    WitnessView {
        inputs: inputs::inputs(&left, &right),
        memory: both.memory_at_entry(),
        externals: output::externals(&left, &right),
        failures: old.outside.failures.clone(),
        reads_past_end: old.outside.beyond.is_some(),
        old: old_end,
        new: new_end,
    }
}
