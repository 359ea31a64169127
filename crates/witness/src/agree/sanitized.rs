//! Hidden traps, shown to sanitizers.

use super::{AgreeError, Build, Builds, Report, Sample};
use crate::compare::{self, Skip, Verdict};
use crate::compiled::{CompiledProgram, Instrument, Job};
use std::collections::HashMap;
use verdiff_model::state::{Contents, EntryState, Pointer, PointerTarget, Value};
use verdiff_model::{GlobalId, ProcId, Program, Trap};

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
        let build = (builds.make)(instrument).map_err(AgreeError::Build)?;
        let mut compiled = CompiledProgram::build(builds.toolchain, build.parts(instrument))?;
        let translation = Translation::new(&plain.program, &build.program);
        for (row, sample) in mine {
            let row = &mut report.procedures[*row];
            let Some(job) = translation.job(&sample.job) else { continue };
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

/// The build that reports a trap. Nothing reports a wrong call or that the unreachable was reached.
fn who_sees(trap: Trap) -> Option<Instrument> {
    match trap {
        Trap::OutOfBounds | Trap::UseAfterFree | Trap::Misaligned | Trap::ReadOnly => {
            Some(Instrument::Address)
        }
        Trap::Uninitialised => Some(Instrument::Memory),
        _ => None,
    }
}

/// Instrumented programs have further globals; ids are translated by symbol.
struct Translation {
    globals: HashMap<GlobalId, GlobalId>,
    procedures: HashMap<ProcId, ProcId>,
}

impl Translation {
    fn new(from: &Program, to: &Program) -> Translation {
        let globals: HashMap<&str, usize> =
            to.globals.iter().enumerate().map(|(i, g)| (g.symbol.as_str(), i)).collect();
        let procedures: HashMap<&str, usize> =
            to.procedures.iter().enumerate().map(|(i, p)| (p.symbol.as_str(), i)).collect();
        let global = |(i, g): (usize, &verdiff_model::Global)| {
            let to = globals.get(g.symbol.as_str())?;
            Some((GlobalId::new(i), GlobalId::new(*to)))
        };
        let procedure = |(i, p): (usize, &verdiff_model::Procedure)| {
            let to = procedures.get(p.symbol.as_str())?;
            Some((ProcId::new(i), ProcId::new(*to)))
        };
        Translation {
            globals: from.globals.iter().enumerate().filter_map(global).collect(),
            procedures: from.procedures.iter().enumerate().filter_map(procedure).collect(),
        }
    }

    fn job(&self, job: &Job) -> Option<Job> {
        let mut entry = EntryState::default();
        for arg in &job.entry.args {
            entry.args.push(match arg {
                Value::Pointer(pointer) => Value::Pointer(self.pointer(*pointer)?),
                bits => *bits,
            });
        }
        for object in &job.entry.objects {
            let mut object = object.clone();
            object.contents = self.contents(&object.contents)?;
            entry.objects.push(object);
        }
        for (id, contents) in &job.entry.globals {
            entry.globals.push((*self.globals.get(id)?, self.contents(contents)?));
        }
        Some(Job::new(*self.procedures.get(&job.procedure)?, entry))
    }

    fn contents(&self, contents: &Contents) -> Option<Contents> {
        let mut contents = contents.clone();
        for link in &mut contents.pointers {
            link.to = self.pointer(link.to)?;
        }
        Some(contents)
    }

    fn pointer(&self, pointer: Pointer) -> Option<Pointer> {
        let target = match pointer.target {
            PointerTarget::Global(id) => PointerTarget::Global(*self.globals.get(&id)?),
            PointerTarget::Procedure(id) => PointerTarget::Procedure(*self.procedures.get(&id)?),
            // Their numbers may differ, too; no generated state has them.
            PointerTarget::External(_) => return None,
            other => other,
        };
        Some(Pointer { target, ..pointer })
    }
}
