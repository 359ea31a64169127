//! Witnesses as people and scripts see them (docs/book/scripts.md).
//!
//! An entry state and two outcomes know objects by number and values by bits. Here they get the
//! C types of the pointers that lead to them, names that both versions share, and, for the end, only what
//! the two versions do not have in common.
//!
//! | module | what it makes |
//! |---|---|
//! | `types` | the types below |
//! | `values` | bytes and bits with a C type -> values |
//! | `text` | values as C writes them |
//! | `reach` | what parameters and globals lead to, and as what |
//! | `view` | names of objects, globals, functions in one version |
//! | `inputs` | parameters, structs passed in pieces put together again |
//! | `ends` | results, and memory where the ends differ |
//! | `output` | events of the world as calls |

mod ends;
mod inputs;
mod output;
mod reach;
#[cfg(test)]
mod tests;
mod text;
mod types;
mod values;
mod view;

pub use types::{
    EndShown, ExternalShown, FillShown, MemoryShown, Target, ValueShown, WitnessShown, WriteShown,
};

use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::state::{EntryState, Outcome};
use view::View;

/// The witness for people and scripts: what both versions start from, and how each ends.
///
/// The outcomes are those that were predicted and, for a confirmed witness, seen. Names of
/// parameters and types are the old version's, but what the new version leaves behind is read
/// with its own types: a field that moved is shown where the new version has it.
pub fn show_witness(
    comparison: &Comparison,
    pair: PairId,
    old: &EntryState,
    new: &EntryState,
    old_outcome: &Outcome,
    new_outcome: &Outcome,
) -> WitnessShown {
    let of = |side, entry, outcome| View::new(comparison, pair, side, entry, outcome);
    let mut left = of(Side::Old, old, old_outcome);
    let mut right = of(Side::New, new, new_outcome);
    view::name_objects(&mut left, &mut right);
    let both = ends::Both { comparison, old: &left, new: &right };
    let (old_end, new_end) = both.ends();
    WitnessShown {
        inputs: inputs::inputs(&left, &right),
        memory: both.memory_at_entry(),
        externals: output::externals(&left, &right),
        failures: old.outside.failures.clone(),
        old: old_end,
        new: new_end,
    }
}
