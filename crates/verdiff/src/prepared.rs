//! Both versions, compiled for replay, and how long that may take.
//!
//! A version is compiled once for each instrument in a run, whoever asks for it: the thread that replays, or the one that takes its
//! place when it was left behind.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use verdiff_front::{CallableOptions, Clang, Inputs, compile_callable};
use verdiff_judge::Side as Version;
use verdiff_witness::agree::{Build, real_externals};
use verdiff_witness::replay::{Ready, ReplayOptions};
use verdiff_witness::{Deadline, Instrument, Toolchain};

/// How long both versions may be compiled where nobody says otherwise, and at least.
pub(crate) const COMPILE_TIME: Duration = Duration::from_secs(10);
/// And for each file beyond the first: a project takes longer than a file, and without it no difference is confirmed at all.
const COMPILE_EACH: Duration = Duration::from_millis(500);
/// And so many times as long as it took to load the version that took longer. To compile for replay is to read and lower the same
/// bitcode once more, to make an object of it, which takes clang about as long as the bitcode did, and to link that: about one
/// and a half times as long, or two and a half if the bitcode was in the cache. What took long on a busy machine will do so again.
const COMPILE_AGAIN: u32 = 4;

/// How many times as long as loading a version a worker may take to load both.
const LOADING_AGAIN: u32 = 3;

/// Which part of the time to load a version the report may take. Measured for two releases of SQLite on a machine with twenty
/// busy processes: a tenth of the processor time, but what is shared with others varies by a factor of two within seconds.
const REPORTING: u32 = 4;
/// And at most of a budget.
const MOST_REPORTING: u32 = 8;

/// How long both versions may be compiled: with the limit of a pair, so many files beyond the first, and so much time to load.
pub(crate) fn compile_time(timeout: Duration, further: u32, loading: Duration) -> Duration {
    timeout.max(COMPILE_TIME) + COMPILE_EACH * further + COMPILE_AGAIN * loading
}

/// How long a worker may take to read both programs and to analyse them as a whole, beyond the time of its first pair: it is about as long as
/// it takes to load the versions that were compiled before.
pub(crate) fn loading_time(loading: Duration) -> Duration {
    LOADING_AGAIN * loading
}

/// What of a budget there is before the report is made. To put together and write what is known of thousands of functions takes a small
/// part of the time that it took to load them, on a busy machine as on another.
pub(crate) fn before_report(budget: Duration, loading: Duration) -> Duration {
    budget - (loading / REPORTING).min(budget / MOST_REPORTING)
}

/// How long was compiled: that is for all candidates, and not counted for the one that happens to be the first.
#[derive(Default)]
pub(crate) struct Compiling(Mutex<CompilingSince>);

#[derive(Default)]
struct CompilingSince {
    /// How many are at it; each may have a thread of its own.
    now: u32,
    since: Option<Instant>,
    before: Duration,
}

impl Compiling {
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        self.change(|state| {
            state.now += 1;
            state.since.get_or_insert_with(Instant::now);
        });
        let done = work();
        self.change(|state| {
            state.now -= 1;
            if state.now == 0 {
                state.before += state.since.take().map_or(Duration::ZERO, |since| since.elapsed());
            }
        });
        done
    }

    /// The whole until now.
    pub(crate) fn time(&self) -> Duration {
        let mut time = Duration::ZERO;
        self.change(|state| {
            time = state.before + state.since.map_or(Duration::ZERO, |since| since.elapsed());
        });
        time
    }

    fn change(&self, change: impl FnOnce(&mut CompilingSince)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Compiles versions, each once for each instrument.
#[derive(Default)]
pub(crate) struct Workshop(Mutex<Objects>);

#[derive(Default)]
struct Objects {
    /// Where object files are; as long as anybody may use one.
    folder: Option<TempDir>,
    /// How many were begun.
    count: usize,
    made: HashMap<(Version, Instrument), Build>,
}

impl Workshop {
    /// Compiles one version with wrappers, unless that was done. What fails is not kept: it may have been the time.
    pub(crate) fn make(
        &self,
        version: Version,
        inputs: &Inputs,
        instrument: Instrument,
        deadline: Deadline,
    ) -> Result<Build, String> {
        let object = {
            let mut objects = self.objects();
            if let Some(made) = objects.made.get(&(version, instrument)) {
                return Ok(made.clone());
            }
            if objects.folder.is_none() {
                let folder = tempfile::Builder::new().prefix("verdiff-").tempdir();
                objects.folder = Some(folder.map_err(|error| error.to_string())?);
            }
            // A thread that was left behind may still be writing its own.
            objects.count += 1;
            let name = format!("{}-{version:?}-{instrument:?}.o", objects.count);
            objects.folder.as_ref().map(|folder| folder.path().join(name)).unwrap_or_default()
        };
        let options = CallableOptions {
            flags: instrument.flags().iter().map(|f| (*f).to_owned()).collect(),
            real_externals: real_externals(instrument),
            as_written: instrument.as_written(),
            deadline,
            tool: Some(crate::TOOL.to_owned()),
        };
        let made = compile_callable(inputs, &options, &object).map_err(|e| e.to_string())?;
        let build = Build {
            program: Arc::new(made.program),
            frames: made.frames,
            external_frames: made.external_frames,
            real: made.real,
            object,
        };
        self.objects().made.insert((version, instrument), build.clone());
        Ok(build)
    }

    /// A thread that panicked while it held the lock left a map that is whole: each change is one insertion.
    fn objects(&self) -> MutexGuard<'_, Objects> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Both versions, compiled, linked and started.
pub(crate) struct Prepared {
    pub(crate) old: Ready,
    pub(crate) new: Ready,
    pub(crate) toolchain: Toolchain,
}

impl Prepared {
    /// What every candidate needs.
    pub(crate) fn plain(
        workshop: &Workshop,
        old: &Inputs,
        new: &Inputs,
        deadline: Deadline,
    ) -> Result<Prepared, String> {
        let clang = Clang::find().map_err(|error| error.to_string())?;
        let toolchain = Toolchain::new(clang.path()).map_err(|error| error.to_string())?;
        let places = ReplayOptions::default().places;
        let ready = |inputs, version| {
            let make = |instrument, deadline| workshop.make(version, inputs, instrument, deadline);
            Ready::plain(&toolchain, &make, places, deadline)
        };
        let (old, new) = std::thread::scope(|scope| {
            let other = scope.spawn(|| ready(old, Version::Old));
            let new = ready(new, Version::New);
            (other.join(), new)
        });
        let old = old.map_err(|_| "compiling the old version failed")?;
        Ok(Prepared { old, new, toolchain })
    }

    /// Whether nothing failed.
    pub(crate) fn is_whole(&self) -> bool {
        self.old.is_plain() && self.new.is_plain()
    }

    /// Whether the time was too short.
    pub(crate) fn is_late(&self) -> bool {
        !self.old.was_tried() || !self.new.was_tried()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_compile_grows_with_the_time_to_load() {
        let seconds = Duration::from_secs;
        assert_eq!(compile_time(seconds(1), 0, Duration::ZERO), seconds(10));
        assert_eq!(compile_time(seconds(30), 2, Duration::ZERO), seconds(31));
        // SQLite on a machine with ten busy processes.
        assert_eq!(compile_time(seconds(10), 0, seconds(60)), seconds(250));
    }

    #[test]
    fn a_part_of_the_budget_is_for_the_report_of_a_large_program() {
        let milliseconds = Duration::from_millis;
        assert_eq!(before_report(milliseconds(60_000), milliseconds(80)), milliseconds(59_980));
        assert_eq!(
            before_report(milliseconds(300_000), milliseconds(40_000)),
            milliseconds(290_000)
        );
        // What takes most of it to load.
        assert_eq!(
            before_report(milliseconds(80_000), milliseconds(900_000)),
            milliseconds(70_000)
        );
    }

    #[test]
    fn a_version_is_compiled_once_for_each_instrument() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("version.c");
        std::fs::write(&path, "int f(int x) { return x; }").unwrap();
        let inputs = Inputs { paths: vec![path], ..Inputs::default() };
        let workshop = Workshop::default();
        let make = |version, instrument| {
            workshop.make(version, &inputs, instrument, Deadline::NEVER).unwrap().object
        };
        let first = make(Version::Old, Instrument::AsWritten);
        assert!(first.exists());
        assert_eq!(make(Version::Old, Instrument::AsWritten), first);
        assert_ne!(make(Version::New, Instrument::AsWritten), first);
        assert_ne!(make(Version::Old, Instrument::Nothing), first);
        // What had too little time is made by who has more.
        let late = Deadline::after(Duration::ZERO);
        let workshop = Workshop::default();
        let sanitized = Instrument::ALL.into_iter().find(|i| !i.flags().is_empty());
        let sanitized = sanitized.unwrap_or(Instrument::AsWritten);
        assert!(workshop.make(Version::Old, &inputs, sanitized, late).is_err());
        assert!(workshop.make(Version::Old, &inputs, sanitized, Deadline::NEVER).is_ok());
    }
}
