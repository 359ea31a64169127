//! Progress on standard error, where a person watches.

use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::Duration;
use verdiff_judge::{Comparison, PairId};
use verdiff_plan::Progress;

/// A bar, or nothing.
pub struct Bar<'a> {
    bar: Option<ProgressBar>,
    comparison: &'a Comparison,
    running: Mutex<BTreeSet<PairId>>,
}

impl<'a> Bar<'a> {
    /// A bar, if standard error is a terminal and nobody asked for silence.
    pub fn new(silent: bool, comparison: &'a Comparison) -> Bar<'a> {
        let wanted = !silent && std::io::stderr().is_terminal();
        let bar = wanted.then(|| {
            let bar = ProgressBar::new(0);
            let style = ProgressStyle::with_template("{spinner} {pos}/{len} functions  {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar.enable_steady_tick(Duration::from_millis(120));
            bar
        });
        Bar { bar, comparison, running: Mutex::new(BTreeSet::new()) }
    }

    /// Shows an event.
    pub fn show(&self, event: &Progress) {
        let Some(bar) = &self.bar else { return };
        let Ok(mut running) = self.running.lock() else { return };
        match event {
            Progress::Planned(count) => bar.set_length(*count as u64),
            Progress::Started(pair) => {
                running.insert(*pair);
            }
            Progress::Finished(pair) => {
                running.remove(pair);
                bar.inc(1);
            }
            Progress::Replaying(count) => {
                let many = if *count == 1 { "difference" } else { "differences" };
                bar.set_message(format!("running {count} {many} on the compiled programs"));
                return;
            }
        }
        let names: Vec<&str> =
            running.iter().take(3).map(|p| self.comparison.pair(*p).function.as_str()).collect();
        bar.set_message(names.join(", "));
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
