//! Predicted differences on the really compiled programs.

use std::path::Path;
use verdiff_front::{CallableOptions, Clang, Inputs, compile_callable};
use verdiff_judge::{
    Candidate, Comparison, Confirm, Confirmed, PairId, Replay, Side as Version, WitnessShown,
    kinds, show_witness,
};
use verdiff_model::interp::Machine;
use verdiff_witness::agree::{Build, real_externals};
use verdiff_witness::replay::{ReplayOptions, Replayer, Request, Side, Status};
use verdiff_witness::{Instrument, Toolchain};

/// Both versions, to be compiled when the first candidate comes.
pub struct Compiled<'a> {
    comparison: &'a Comparison,
    old: &'a Inputs,
    new: &'a Inputs,
}

impl<'a> Compiled<'a> {
    /// Nothing is compiled yet.
    pub fn new(comparison: &'a Comparison, old: &'a Inputs, new: &'a Inputs) -> Compiled<'a> {
        Compiled { comparison, old, new }
    }

    fn replayed(&self, candidates: &[(PairId, Candidate)]) -> anyhow::Result<Vec<Replay>> {
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
        let request = |(pair, candidate): &(PairId, Candidate)| {
            let pair = self.comparison.pair(*pair);
            Request {
                old: (pair.old, candidate.old.clone()),
                new: (pair.new, candidate.new.clone()),
            }
        };
        let status = |status: Status| match status {
            Status::Confirmed => Replay::Confirmed,
            Status::ConfirmedWithStubs => Replay::ConfirmedWithStubs,
            Status::Refuted { why } => Replay::Refuted { why },
            Status::NotRun { why } => Replay::NotRun { why },
        };
        Ok(candidates.iter().map(|c| status(replayer.replay(&request(c)).status)).collect())
    }
}

impl Confirm for Compiled<'_> {
    fn confirm(&mut self, candidates: Vec<(PairId, Candidate)>) -> Vec<Confirmed> {
        let replays = self.replayed(&candidates).unwrap_or_else(|error| {
            let why = format!("{error:#}");
            candidates.iter().map(|_| Replay::NotRun { why: why.clone() }).collect()
        });
        let mut machines =
            [Version::Old, Version::New].map(|v| Machine::new(self.comparison.program(v)));
        let limits = ReplayOptions::default().limits;
        let mut confirmed = vec![];
        for ((id, candidate), replay) in candidates.into_iter().zip(replays) {
            let pair = self.comparison.pair(id);
            let old = machines[0].run(pair.old, &candidate.old, &limits);
            let new = machines[1].run(pair.new, &candidate.new, &limits);
            let shown: WitnessShown =
                show_witness(self.comparison, id, &candidate.old, &candidate.new, &old, &new);
            let kinds = kinds(self.comparison, id, &candidate.old, &candidate.new, &old, &new);
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
        as_written: true,
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
