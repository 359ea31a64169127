//! Progress on standard error: a bar where a person watches, a line now and then elsewhere; with `--stream` a line for each changed function
//! as soon as something is known of it.

use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use verdiff_judge::{Changed, Comparison, PairId};
use verdiff_plan::{Found, Progress};

/// How often a run that nobody watches says how far it is.
const PAUSE: Duration = Duration::from_secs(15);

/// What is shown of a run.
pub struct ProgressDisplay<'a> {
    bar: Option<ProgressBar>,
    /// Whether lines are printed where there is no bar.
    lines: bool,
    /// Whether there is a line for each function.
    stream: bool,
    comparison: &'a Comparison,
    /// When the run must end.
    end: Option<Instant>,
    state: Mutex<RunState>,
}

#[derive(Default)]
struct RunState {
    /// How many changed functions there are.
    count: usize,
    done: usize,
    running: BTreeSet<PairId>,
    found: BTreeMap<Found, usize>,
    /// When the last line was printed.
    told: Option<Instant>,
}

impl<'a> ProgressDisplay<'a> {
    /// Shows nothing if it is to be silent, but for what `stream` asks for.
    pub fn new(
        silent: bool,
        stream: bool,
        comparison: &'a Comparison,
        end: Option<Instant>,
    ) -> ProgressDisplay<'a> {
        let terminal = std::io::stderr().is_terminal();
        let bar = (!silent && terminal).then(|| bar(end));
        let state = RunState { told: Some(Instant::now()), ..RunState::default() };
        ProgressDisplay { bar, lines: !silent, stream, comparison, end, state: Mutex::new(state) }
    }

    /// Shows an event.
    pub fn show(&self, event: &Progress) {
        let Ok(mut state) = self.state.lock() else { return };
        match event {
            Progress::Planned(pairs) => {
                state.count = pairs.iter().filter(|pair| self.counts(**pair)).count();
                if let Some(bar) = &self.bar {
                    bar.set_length(state.count as u64);
                }
            }
            Progress::Started(pair) => drop(state.running.insert(*pair)),
            // It is told when the pair is done.
            Progress::Predicted(_) => return,
            Progress::Finished(pair, found) => self.finished(&mut state, *pair, *found),
            Progress::Replaying(count) => {
                let many = if *count == 1 { "difference" } else { "differences" };
                let message = format!("running {count} {many} on the compiled programs");
                if let Some(bar) = &self.bar {
                    bar.set_message(message);
                }
                return;
            }
        }
        if let Some(bar) = &self.bar {
            bar.set_message(self.message(&state));
        } else if self.lines && state.told.is_some_and(|told| told.elapsed() > PAUSE) {
            state.told = Some(Instant::now());
            let left = self.end.map(left).unwrap_or_default();
            let (done, count) = (state.done, state.count);
            eprintln!("{done}/{count} changed functions  {}{left}", self.message(&state));
        }
    }

    /// Whether it is one of those that are counted: what did not change costs nothing.
    fn counts(&self, pair: PairId) -> bool {
        let pair = self.comparison.pair(pair);
        pair.changed != Changed::No && pair.wanted
    }

    fn finished(&self, state: &mut RunState, pair: PairId, found: Found) {
        state.running.remove(&pair);
        if !self.counts(pair) {
            return;
        }
        state.done += 1;
        *state.found.entry(found).or_default() += 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        if self.stream {
            let line = format!("{}: {}", self.comparison.pair(pair).function, words(found).0);
            match &self.bar {
                Some(bar) => bar.println(line),
                None => eprintln!("{line}"),
            }
        }
    }

    /// What was found, and what is in work.
    fn message(&self, state: &RunState) -> String {
        let count = |(found, count): (&Found, &usize)| format!("{count} {}", words(*found).1);
        let mut parts: Vec<String> = state.found.iter().map(count).collect();
        let name = |pair: &PairId| self.comparison.pair(*pair).function.as_str();
        let running: Vec<&str> = state.running.iter().take(3).map(name).collect();
        if !running.is_empty() {
            parts.push(format!("now {}", running.join(" ")));
        }
        parts.join(", ")
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(end: Option<Instant>) -> ProgressBar {
    let bar = ProgressBar::new(0);
    let template = "{spinner} [{bar:16}] {pos}/{len} changed functions  {wide_msg}{left}";
    let style = ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
        .with_key("left", move |_: &ProgressState, to: &mut dyn Write| {
            let _ = to.write_str(&end.map(left).unwrap_or_default());
        });
    bar.set_style(style);
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// How much of the budget is left.
fn left(end: Instant) -> String {
    format!("  {} s left", end.saturating_duration_since(Instant::now()).as_secs())
}

/// What is said of one function, and of several.
fn words(found: Found) -> (&'static str, &'static str) {
    match found {
        Found::Equivalent => ("equivalent", "equivalent"),
        Found::Difference => ("a difference is predicted, to be confirmed", "may differ"),
        Found::Undecided => ("undecided", "undecided"),
    }
}
