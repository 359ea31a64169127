//! Predicted differences on the really compiled programs.

use std::path::Path;
use verdiff_front::{CallableOptions, Clang, Inputs, compile_callable};
use verdiff_judge::{
    Candidate, Comparison, Confirm, Confirmed, PairId, Replay, Side as Version, kinds, show_witness,
};
use verdiff_model::interp::Machine;
use verdiff_witness::agree::{Build, real_externals};
use verdiff_witness::replay::{ReplayOptions, Replayer, Request, Side, Status, TestCase};
use verdiff_witness::{Instrument, Toolchain};

/// Both versions, to be compiled when the first candidate comes.
pub struct Compiled<'a> {
    comparison: &'a Comparison,
    old: &'a Inputs,
    new: &'a Inputs,
    /// Whether a C test is wanted for each difference.
    tests: bool,
    /// Those that were written, by function; an error says why there is none.
    pub written: Vec<(String, Result<TestCase, String>)>,
    trouble: Option<String>,
}

impl<'a> Compiled<'a> {
    /// Nothing is compiled yet.
    pub fn new(
        comparison: &'a Comparison,
        old: &'a Inputs,
        new: &'a Inputs,
        tests: bool,
    ) -> Compiled<'a> {
        Compiled { comparison, old, new, tests, written: vec![], trouble: None }
    }

    /// Each candidate, made smaller, and what came of running it.
    fn replayed(&self, candidates: &[(PairId, Candidate)]) -> anyhow::Result<Vec<Ran>> {
        let clang = Clang::find()?;
        let toolchain = Toolchain::new(clang.path())?;
        let folder = tempfile::Builder::new().prefix("verdiff-").tempdir()?;
        let make_old = |instrument| make(self.old, folder.path(), "old", instrument);
        let make_new = |instrument| make(self.new, folder.path(), "new", instrument);
        let side = |version, make| Side { program: self.comparison.program(version), make };
        let mut replayer = Replayer::new(
            &toolchain,
            side(Version::Old, &make_old),
            side(Version::New, &make_new),
            ReplayOptions::default(),
        );
        let mut all = vec![];
        for (pair, candidate) in candidates {
            let pair = self.comparison.pair(*pair);
            let request = Request {
                old: (pair.old, candidate.old.clone()),
                new: (pair.new, candidate.new.clone()),
            };
            let (request, replayed) = replayer.replay_small(&request, SHRINKING);
            let status = match replayed.status.clone() {
                Status::Confirmed => Replay::Confirmed,
                Status::ConfirmedWithStubs => Replay::ConfirmedWithStubs,
                Status::Refuted { why } => Replay::Refuted { why },
                Status::NotRun { why } => Replay::NotRun { why },
            };
            let test = match self.tests && status.is_confirmed() {
                true => Some(replayer.test_case(&request, &replayed)),
                false => None,
            };
            all.push(Ran { request, status, test });
        }
        Ok(all)
    }
}

/// How many runs of the interpreter may be spent on a smaller input.
const SHRINKING: u32 = 300;

/// A candidate that was run.
struct Ran {
    request: Request,
    status: Replay,
    test: Option<Result<TestCase, String>>,
}

impl Confirm for Compiled<'_> {
    fn confirm(&mut self, candidates: Vec<(PairId, Candidate)>) -> Vec<Confirmed> {
        let mut ran = match self.replayed(&candidates) {
            Ok(ran) => ran.into_iter().map(Some).collect(),
            Err(error) => {
                self.trouble = Some(format!("{error:#}"));
                vec![]
            }
        };
        ran.resize_with(candidates.len(), || None);
        let mut machines =
            [Version::Old, Version::New].map(|v| Machine::new(self.comparison.program(v)));
        let limits = ReplayOptions::default().limits;
        let mut confirmed = vec![];
        for ((id, mut candidate), ran) in candidates.into_iter().zip(ran) {
            let pair = self.comparison.pair(id);
            let replay = match ran {
                Some(ran) => {
                    (candidate.old, candidate.new) = (ran.request.old.1, ran.request.new.1);
                    if let Some(test) = ran.test {
                        self.written.push((pair.function.clone(), test));
                    }
                    ran.status
                }
                None => Replay::NotRun { why: self.trouble.clone().unwrap_or_default() },
            };
            let old = machines[0].run(pair.old, &candidate.old, &limits);
            let new = machines[1].run(pair.new, &candidate.new, &limits);
            let (before, after) = (&candidate.old, &candidate.new);
            let shown = show_witness(self.comparison, id, before, after, &old, &new);
            let kinds = kinds(self.comparison, id, before, after, &old, &new);
            confirmed.push(Confirmed { candidate, replay, kinds, shown });
        }
        confirmed
    }
}

/// Compiles one version with wrappers.
fn make(
    inputs: &Inputs,
    folder: &Path,
    name: &str,
    instrument: Instrument,
) -> Result<Build, String> {
    let object = folder.join(format!("{name}-{instrument:?}.o"));
    let options = CallableOptions {
        flags: instrument.flags().iter().map(|f| (*f).to_owned()).collect(),
        real_externals: real_externals(instrument),
        as_written: instrument.as_written(),
    };
    let made = compile_callable(inputs, &options, &object).map_err(|e| e.to_string())?;
    Ok(Build {
        program: made.program,
        frames: made.frames,
        external_frames: made.external_frames,
        real: made.real,
        object,
    })
}
