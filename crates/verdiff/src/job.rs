//! A comparison in two steps: loading both versions, judging them.

use crate::assume;
use crate::confirm::Compiled;
use crate::error::Error;
use crate::matched::{Judged, matched};
use crate::options::Options;
use crate::prepared::{before_report, compile_time, loading_time};
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdiff_cache::Store;
use verdiff_front::{Inputs, Loaded};
use verdiff_judge::{Comparison, hang_if_injected, within};
use verdiff_plan::{Cache, Limits, Matched, Plan, Progress, ReplayCache, Spare, account, scope};
use verdiff_report::Report;
use verdiff_witness::Deadline;

/// One comparison.
#[derive(Clone, Debug)]
pub struct Job {
    /// The old version.
    pub old: Inputs,
    /// The new one.
    pub new: Inputs,
    /// Which functions are judged.
    pub judged: Judged,
    /// How they are judged; the cache is `store`, and the flags for clang are those of the inputs.
    pub options: Options,
    /// What it may cost.
    pub limits: Limits,
    /// What earlier runs have kept.
    pub store: Option<Arc<Store>>,
    /// Whether a difference that an earlier run has confirmed on the same programs is not run again.
    pub trusts_cached_replays: bool,
}

/// Both versions, loaded and matched.
pub struct LoadedVersions<'a> {
    job: &'a Job,
    matched: Arc<Matched>,
    /// What tells the bitcode of both versions from any other.
    programs: String,
    /// How long it took to load the version that took longer.
    loading: Duration,
    /// What clang printed about each version.
    pub diagnostics: [String; 2],
    /// What the user should know about the inputs.
    pub warnings: Vec<String>,
}

/// What accompanies the judging.
pub struct Judging<'a> {
    /// Workers that were started already.
    pub spare: &'a Spare,
    /// Is told of every step.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

/// What [`LoadedVersions`] are made of, in its order.
type MatchedVersions = (Matched, String, Duration, [String; 2], Vec<String>);

impl Job {
    /// Loads both versions within the budget. Without them there is nothing to report.
    pub fn load(&self) -> Result<LoadedVersions<'_>, Error> {
        let job = self.clone();
        let load = move || {
            hang_if_injected("load", "");
            job.load_and_match()
        };
        let loaded = within(self.limits.clock.replay_ends(), load).result.ok_or(Error::Budget)?;
        let (matched, programs, loading, diagnostics, warnings) = loaded?;
        Ok(LoadedVersions {
            job: self,
            matched: Arc::new(matched),
            programs,
            loading,
            diagnostics,
            warnings,
        })
    }

    fn load_and_match(&self) -> Result<MatchedVersions, Error> {
        let (mut before, after) = load_both(&self.old, &self.new)?;
        let programs = format!("{} {}", before.digest, after.digest);
        let loading = before.times.whole().max(after.times.whole());
        let diagnostics = [before.diagnostics.clone(), after.diagnostics.clone()];
        let warnings = warnings(&before, &after);
        let mut settings = self.options.settings();
        let assumed = &self.options.assume;
        if !assumed.is_empty() {
            let (with, names) = assume::load(assumed, &self.old, &before.program)?;
            before = with;
            settings.assume = names;
            settings.assume_text.clone_from(assumed);
        }
        let matched = matched(before, after, settings, &self.options.entry, &self.judged)?;
        Ok((matched, programs, loading, diagnostics, warnings))
    }
}

impl LoadedVersions<'_> {
    /// What is compared.
    pub fn comparison(&self) -> &Comparison {
        &self.matched.comparison
    }

    /// Judges all pairs, confirms differences, and describes the results; with what compiled the programs.
    pub fn judge(&self, judging: &Judging<'_>) -> (Report, Compiled) {
        let Job { options, old, new, .. } = self.job;
        let matched = &self.matched;
        let comparison = &matched.comparison;
        let mut limits = self.job.limits.clone();
        limits.loading = loading_time(self.loading);
        limits.clock.budget = limits.clock.budget.map(|budget| before_report(budget, self.loading));
        let deadlines = limits.deadlines();
        let about = |store: Arc<Store>| Arc::new(scope(store, crate::TOOL, comparison.clone()));
        let kept = self.job.store.clone().map(about);
        let plan = Plan {
            matched,
            limits,
            workers: options.workers.for_plan(),
            spare: judging.spare,
            interrupted: &|| options.interrupt.is_requested(),
            cache: kept.clone().map(|kept| Cache::new(kept, crate::TOOL)),
        };
        let mut compiled = Compiled::new(matched.clone(), old.clone(), new.clone());
        compiled.wants_tests = options.tests;
        compiled.interrupt = options.interrupt.clone();
        let files = |inputs: &Inputs| inputs.paths.len() + inputs.units.len();
        let further = files(old).max(files(new)).saturating_sub(1) as u32;
        compiled.compile_time = compile_time(plan.limits.timeout, further, self.loading);
        compiled.end = plan.limits.clock.replay_ends().map_or(Deadline::NEVER, |end| {
            Deadline::after(end.saturating_duration_since(Instant::now()))
        });
        let results = match &kept {
            None => plan.run(&mut compiled, judging.progress),
            Some(kept) => {
                // A C test is made from a run.
                let trusted = self.job.trusts_cached_replays && !options.tests;
                let kept = kept.clone();
                let mut confirm = ReplayCache::new(&mut compiled, kept, &self.programs, trusted);
                plan.run(&mut confirm, judging.progress)
            }
        };
        let mut report =
            Report::with(&account(matched, &results), comparison, &deadlines, kept.as_deref());
        report.interrupted |= compiled.was_cut_short;
        let names = |inputs: &Inputs| -> Vec<String> {
            inputs.paths.iter().map(|path| path.display().to_string()).collect()
        };
        (report.old_files, report.new_files) = (names(old), names(new));
        report.options.extend(options.described());
        if let Some(store) = &self.job.store {
            store.trim();
        }
        (report, compiled)
    }
}

/// Both versions at once: clang takes most of the time, and there mostly is a second core.
pub fn load_both(old: &Inputs, new: &Inputs) -> Result<(Loaded, Loaded), Error> {
    let (old, new) = std::thread::scope(|scope| {
        let other = scope.spawn(|| verdiff_front::load(new));
        let old = verdiff_front::load(old);
        (old, other.join())
    });
    let new = new.map_err(|_| Error::Panicked)?;
    Ok((old?, new?))
}

/// What the user should know about two versions. What is wrong with both is said once.
pub fn warnings(old: &Loaded, new: &Loaded) -> Vec<String> {
    let further = new.warnings.iter().filter(|warning| !old.warnings.contains(warning));
    old.warnings.iter().chain(further).cloned().collect()
}
