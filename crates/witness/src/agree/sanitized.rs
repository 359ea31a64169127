//! Hidden traps, shown to sanitizers.

use super::{AgreeError, Build, Builds, Report, Sample};
use crate::compare::{self, Skip, Verdict};
use crate::compiled::{CompiledProgram, Instrument, Job};
use crate::translate::Translation;
use verdiff_model::Trap;
use verdiff_process::Deadline;

/// Runs the samples, each for the row with its number, on the build that would see its trap.
pub(super) fn check(
    builds: &Builds<'_>,
    plain: &Build,
    samples: Vec<(usize, Sample)>,
    report: &mut Report,
) -> Result<(), AgreeError> {
    for instrument in [Instrument::Address, Instrument::Memory] {
        let mine: Vec<&(usize, Sample)> =
            samples.iter().filter(|(_, s)| who_sees(s.trap) == Some(instrument)).collect();
        if mine.is_empty() {
            continue;
        }
        let build = (builds.make)(instrument, Deadline::NEVER).map_err(AgreeError::Build)?;
        let mut compiled = CompiledProgram::build(builds.toolchain, build.parts(instrument))?;
        let translation = Translation::new(&plain.program, &build.program);
        for (row, sample) in mine {
            let row = &mut report.procedures[*row];
            let (Some(procedure), Some(entry)) =
                (translation.procedure(sample.job.procedure), translation.entry(&sample.job.entry))
            else {
                continue;
            };
            let job = Job::new(procedure, entry);
            let outcomes = compiled.run(&[job])?;
            let verdict = outcomes.first().and_then(compare::confirm);
            row.unskip(Skip::HiddenTrap);
            match verdict {
                Some(Verdict::Agree) => row.confirmed += 1,
                Some(Verdict::Skipped(skip)) => row.skip(skip),
                _ => {
                    row.skip(Skip::Unconfirmed);
                    let (procedure, loc) = sample.at;
                    row.unconfirmed.push(format!(
                        "{} in {} line {} (input {}), the compiled run {:?}",
                        sample.trap,
                        plain.program.procedure(procedure).name,
                        loc.line,
                        sample.number,
                        outcomes.first().map(|outcome| &outcome.end)
                    ));
                }
            }
        }
    }
    Ok(())
}

/// The build that reports a trap. Nothing reports a wrong call.
pub(crate) fn who_sees(trap: Trap) -> Option<Instrument> {
    match trap {
        Trap::OutOfBounds
        | Trap::UseAfterFree
        | Trap::Misaligned
        | Trap::ReadOnly
        | Trap::Unreachable => Some(Instrument::Address),
        Trap::Uninitialised => Some(Instrument::Memory),
        _ => None,
    }
}
