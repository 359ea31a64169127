//! What the language server can show before a comparison is over.

use super::output;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use verdiff_judge::{Changed, Comparison, PairId, Side};
use verdiff_plan::Progress;
use verdiff_report::Lens;
use verdiff_revisions::Repository;

/// Prints a line for a function as soon as a difference of it is predicted.
pub struct EarlyLenses<'a> {
    /// The old version's name.
    than: &'a str,
    root: Option<PathBuf>,
    /// The functions of which a difference was told.
    told: Mutex<BTreeSet<PairId>>,
}

impl<'a> EarlyLenses<'a> {
    /// Nothing is known yet.
    pub fn new(than: &'a str) -> EarlyLenses<'a> {
        let repository = std::env::current_dir().ok().and_then(|at| Repository::discover(&at).ok());
        let root = repository.and_then(|found| found.work_tree().map(Into::into));
        EarlyLenses { than, root, told: Mutex::default() }
    }

    /// Tells what an event means.
    pub fn tell(&self, comparison: &Comparison, event: &Progress) {
        let own = |pair: PairId| {
            let pair = comparison.pair(pair);
            pair.wanted && matches!(pair.changed, Changed::Text | Changed::Types | Changed::Globals)
        };
        let pair = match *event {
            Progress::Predicted(pair) => {
                let is_new = self.told.lock().is_ok_and(|mut told| told.insert(pair));
                if !is_new {
                    return;
                }
                pair
            }
            // A pair that is proved equal so far is not told: its signature may have changed, and a proof counts only once nothing
            // contradicts it.
            Progress::Planned(_)
            | Progress::Started(_)
            | Progress::Finished(..)
            | Progress::Replaying(_) => return,
        };
        let program = comparison.program(Side::New);
        let loc = program.procedure(comparison.pair(pair).of(Side::New)).loc;
        if !own(pair) || !loc.is_known() {
            return;
        }
        let (function, file) = (&comparison.pair(pair).function, program.file(loc.file));
        let lens = Lens::early(function, (file, loc.line), self.than);
        let root = self.root.clone();
        let lenses =
            verdiff_lsp::Lenses { is_final: false, root, lenses: vec![lens], problems: vec![] };
        if let Ok(text) = serde_json::to_string(&lenses) {
            // A server that is gone is noticed when everything is printed.
            let _ = output::print(std::io::stdout().lock(), &(text + "\n"));
        }
    }
}
