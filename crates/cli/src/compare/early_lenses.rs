//! What the language server can show before a comparison is over.

use super::output;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use verdiff_judge::{Changed, Comparison, PairId, Side};
use verdiff_plan::{Found, Progress};
use verdiff_report::{EarlyLens, Lens};
use verdiff_revisions::Repository;

/// Prints a line for a function as soon as something is known of it.
pub struct EarlyLenses<'a> {
    /// The old version's name.
    than: &'a str,
    root: Option<PathBuf>,
    /// How many changed functions are compared.
    count: AtomicUsize,
    /// The functions of which a difference was told.
    told: Mutex<BTreeSet<PairId>>,
}

impl<'a> EarlyLenses<'a> {
    /// Nothing is known yet.
    pub fn new(than: &'a str) -> EarlyLenses<'a> {
        let repository = std::env::current_dir().ok().and_then(|at| Repository::discover(&at).ok());
        let root = repository.and_then(|found| found.work_tree().map(Into::into));
        EarlyLenses { than, root, count: AtomicUsize::new(0), told: Mutex::default() }
    }

    /// Tells what an event means.
    pub fn tell(&self, comparison: &Comparison, event: &Progress) {
        let own = |pair: PairId| {
            let pair = comparison.pair(pair);
            pair.wanted && matches!(pair.changed, Changed::Text | Changed::Types | Changed::Globals)
        };
        let (pair, known) = match *event {
            Progress::Planned(ref pairs) => {
                let count = pairs.iter().filter(|pair| own(**pair)).count();
                return self.count.store(count, Ordering::Relaxed);
            }
            Progress::Predicted(pair) => {
                let is_new = self.told.lock().is_ok_and(|mut told| told.insert(pair));
                if !is_new {
                    return;
                }
                (pair, EarlyLens::Difference)
            }
            // The end of a comparison of one function follows at once. Preconditions are part of the whole answer.
            Progress::Finished(pair, Found::Equivalent)
                if self.count.load(Ordering::Relaxed) > 1
                    && comparison.settings.assume.is_empty() =>
            {
                (pair, EarlyLens::Equivalent)
            }
            Progress::Started(_) | Progress::Finished(..) | Progress::Replaying(_) => return,
        };
        let program = comparison.program(Side::New);
        let loc = program.procedure(comparison.pair(pair).of(Side::New)).loc;
        if !own(pair) || !loc.is_known() {
            return;
        }
        let (function, file) = (&comparison.pair(pair).function, program.file(loc.file));
        let lens = Lens::early(known, function, (file, loc.line), self.than);
        let root = self.root.clone();
        let lenses =
            verdiff_lsp::Lenses { is_final: false, root, lenses: vec![lens], problems: vec![] };
        if let Ok(text) = serde_json::to_string(&lenses) {
            // A server that is gone is noticed when everything is printed.
            let _ = output::print(std::io::stdout().lock(), &(text + "\n"));
        }
    }
}
