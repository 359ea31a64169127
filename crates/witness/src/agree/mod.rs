//! Agreement with reality: interpreter and compiled code on the same inputs.
//!
//! Every procedure of a program is run on generated entry states by both, and what they did is
//! [compared](crate::compare). Traps that plain hardware does not show are collected, and a sample of them
//! is run again on builds with sanitizers, which must complain too.

mod report;
mod sanitized;
mod scope;

use crate::compare::{self, Modelled, Skip, Verdict};
use crate::compiled::{
    CompiledEnd, CompiledError, CompiledProgram, Instrument, Job, LoadAddress, ProgramParts,
    Toolchain,
};
use std::path::PathBuf;
use std::sync::Arc;
use verdiff_model::generate::Generator;
use verdiff_model::interp::{self, Limits, Machine};
use verdiff_model::state::{End, EntryState};
use verdiff_model::{Frame, Loc, ProcId, Program, Trap};
use verdiff_process::Deadline;

pub use report::{Disagreement, ProcedureReport, Report};
pub(crate) use sanitized::who_sees;
pub(crate) use scope::{with_numbers_of_addresses, with_open_operations};

/// A compiled program, as the front end makes it.
#[derive(Clone, Debug)]
pub struct Build {
    /// The program, lowered from what was compiled.
    pub program: Arc<Program>,
    /// How each procedure is called.
    pub frames: Vec<Frame>,
    /// How each external that is not linked for real is called.
    pub external_frames: Vec<Frame>,
    /// For each external, whether it is linked for real.
    pub real: Vec<bool>,
    /// The object file.
    pub object: PathBuf,
}

/// Builds the program with an instrument until a deadline; an error is told as text.
pub type Maker<'a> = &'a (dyn Fn(Instrument, Deadline) -> Result<Build, String> + Sync);

/// How a program is built.
#[derive(Clone, Copy)]
pub struct Builds<'a> {
    /// Links it with the driver.
    pub toolchain: &'a Toolchain,
    /// Compiles it.
    pub make: Maker<'a>,
}

/// How thoroughly to look.
#[derive(Clone, Debug)]
pub struct AgreementOptions {
    /// How many inputs of each procedure are to be compared. Up to four times as many are tried.
    pub inputs: u32,
    /// For the generator.
    pub seed: u64,
    /// How far the interpreter may go on one input.
    pub limits: Limits,
    /// How far the interpreter may go on all inputs of a procedure together.
    pub steps: u64,
    /// How many hidden traps of each procedure are shown to sanitizers.
    pub samples: usize,
    /// If not empty, only procedures of these names; a name that ends in `*` is the beginning of several.
    pub only: Vec<String>,
}

impl Default for AgreementOptions {
    fn default() -> AgreementOptions {
        AgreementOptions {
            inputs: 1000,
            seed: 1,
            limits: Limits { steps: 300_000, depth: 2000, memory: 64 << 20, objects: 1 << 15 },
            steps: 200_000_000,
            samples: 5,
            only: vec![],
        }
    }
}

impl AgreementOptions {
    fn wants(&self, name: &str) -> bool {
        let fits = |only: &String| match only.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => only == name,
        };
        self.only.is_empty() || self.only.iter().any(fits)
    }
}

/// Why nothing could be compared.
#[derive(Debug, thiserror::Error)]
pub enum AgreeError {
    /// The program could not be compiled.
    #[error("{0}")]
    Build(String),
    /// The compiled program cannot be used.
    #[error(transparent)]
    Compiled(#[from] CompiledError),
}

/// External functions to be linked for real: those that the interpreter does exactly, and `setjmp`, which cannot be
/// made up. Output goes to the driver, which keeps it and looks behind no `FILE *`.
pub fn real_externals(instrument: Instrument) -> Vec<String> {
    // Not of this system's library.
    let names = interp::emulated_names().filter(|name| *name != "__assert_rtn");
    let needed = interp::RETURN_TWICE.iter().chain(instrument.runtime()).copied();
    names.chain(needed).map(str::to_owned).collect()
}

/// After so many disagreements a procedure is given up.
const ENOUGH: usize = 5;

/// A hidden trap, to be shown to a sanitizer.
#[derive(Clone, Debug)]
struct Sample {
    trap: Trap,
    at: (ProcId, Loc),
    job: Job,
    number: u64,
}

/// The comparison of one program.
pub struct Agreement<'a> {
    builds: Builds<'a>,
    options: AgreementOptions,
}

impl<'a> Agreement<'a> {
    /// A comparison.
    pub fn new(builds: Builds<'a>, options: AgreementOptions) -> Agreement<'a> {
        Agreement { builds, options }
    }

    /// Runs it.
    pub fn run(&self) -> Result<Report, AgreeError> {
        self.run_watched(&mut |_| {})
    }

    /// Runs it and shows each procedure's report as soon as it is made; what sanitizers
    /// say comes later, in the report that is given back.
    pub fn run_watched(
        &self,
        watch: &mut dyn FnMut(&ProcedureReport),
    ) -> Result<Report, AgreeError> {
        let build =
            (self.builds.make)(Instrument::Nothing, Deadline::NEVER).map_err(AgreeError::Build)?;
        let mut compiled =
            CompiledProgram::build(self.builds.toolchain, build.parts(Instrument::Nothing))?;
        let mut elsewhere =
            Elsewhere { toolchain: self.builds.toolchain, build: &build, program: None };
        let mut machine = Machine::new(&build.program);
        let generator = Generator::new(&build.program);
        let open = scope::with_open_operations(&build.program);
        let mut report = Report::default();
        let mut samples = vec![];
        for id in build.program.procedure_ids() {
            let procedure = build.program.procedure(id);
            let frame = &build.frames[id.index()];
            let wanted = self.options.wants(&procedure.name);
            if !wanted || procedure.name == "main" && frame.args.len() > 1 {
                continue;
            }
            let mut row = ProcedureReport::new(&procedure.name);
            if !procedure.is_supported() || frame.args.len() != procedure.params.len() {
                row.unsupported = true;
                report.procedures.push(row);
                continue;
            }
            let states = generator.for_procedure(id, frame);
            let mut one = OneProcedure {
                build: &build,
                id,
                open: open[id.index()],
                row: &mut row,
                steps: 0,
                samples: vec![],
                most_samples: self.options.samples,
            };
            let mut number = 0;
            while one.wants_more(&self.options, number) {
                // Few at first: what goes wrong mostly goes wrong at once.
                let missing = self.options.inputs.saturating_sub(one.row.compared());
                let step = u64::from(missing).clamp(16, if number == 0 { 16 } else { 250 });
                let mut jobs = vec![];
                let mut outcomes = vec![];
                for number in number..number + step {
                    let entry = states.entry(self.options.seed, number);
                    let outcome = machine.run(id, &entry, &self.options.limits);
                    one.steps += outcome.steps;
                    let modelled = one.modelled(&entry, &outcome);
                    if let Some(skip) = modelled.without_compiled() {
                        one.hidden(skip, &entry, &outcome.end, number);
                        continue;
                    }
                    jobs.push(Job::new(id, entry));
                    outcomes.push((number, outcome));
                }
                let ends = compiled.run(&jobs)?;
                for ((job, end), (number, outcome)) in jobs.iter().zip(&ends).zip(&outcomes) {
                    let modelled = one.modelled(&job.entry, outcome);
                    let mut verdict = compare::compare(modelled, frame, compiled.addresses(), end);
                    if matches!(verdict, Verdict::Disagree(_)) {
                        verdict = elsewhere.check(verdict, modelled, frame, job)?;
                    }
                    one.note(verdict, *number, &job.entry, end.end == CompiledEnd::Died);
                }
                number += step;
            }
            let found = std::mem::take(&mut one.samples);
            watch(&row);
            samples.extend(found.into_iter().map(|sample| (report.procedures.len(), sample)));
            report.procedures.push(row);
        }
        drop(compiled);
        sanitized::check(&self.builds, &build, samples, &mut report)?;
        Ok(report)
    }
}

impl Build {
    /// What [`CompiledProgram::build`] takes.
    pub fn parts(&self, instrument: Instrument) -> ProgramParts<'_> {
        ProgramParts {
            program: &self.program,
            frames: &self.frames,
            object: &self.object,
            instrument,
        }
    }
}

/// The plain program at other addresses.
struct Elsewhere<'a> {
    toolchain: &'a Toolchain,
    build: &'a Build,
    program: Option<CompiledProgram>,
}

impl Elsewhere<'_> {
    /// What is left of a disagreement: a run that ends differently when code, globals and heap lie elsewhere
    /// depends on where they are (it took the address of a function for a number, say), and
    /// about that the model promises nothing.
    fn check(
        &mut self,
        verdict: Verdict,
        modelled: Modelled<'_>,
        frame: &Frame,
        job: &Job,
    ) -> Result<Verdict, CompiledError> {
        let program = match &mut self.program {
            Some(program) => program,
            none => none.insert(CompiledProgram::build_at(
                self.toolchain,
                self.build.parts(Instrument::Nothing),
                LoadAddress::Elsewhere,
                Deadline::NEVER,
            )?),
        };
        // One bit of an address may decide: several places.
        for _ in 0..6 {
            program.restart()?;
            let ends = program.run(std::slice::from_ref(job))?;
            let Some(end) = ends.first() else { break };
            if compare::compare(modelled, frame, program.addresses(), end) != verdict {
                return Ok(Verdict::Skipped(Skip::Addresses));
            }
        }
        Ok(verdict)
    }
}

struct OneProcedure<'a> {
    build: &'a Build,
    id: ProcId,
    /// Whether it may execute what the model leaves open.
    open: bool,
    row: &'a mut ProcedureReport,
    /// How many steps the interpreter made so far.
    steps: u64,
    samples: Vec<Sample>,
    most_samples: usize,
}

impl OneProcedure<'_> {
    fn modelled<'b>(
        &'b self,
        entry: &'b EntryState,
        outcome: &'b verdiff_model::state::Outcome,
    ) -> Modelled<'b> {
        let Build { program, real, .. } = self.build;
        Modelled { program, procedure: self.id, real, entry, outcome }
    }

    /// Whether there is use in further inputs: not when almost all of the first ones were in vain,
    /// nor when enough of them went wrong.
    fn wants_more(&self, options: &AgreementOptions, tried: u64) -> bool {
        let (wanted, compared) = (u64::from(options.inputs), u64::from(self.row.compared()));
        compared < wanted
            && self.row.disagreements.len() < ENOUGH
            && tried < 4 * wanted
            && self.steps < options.steps
            && !(tried >= wanted.max(64) / 2 && compared * 10 < tried)
            // A procedure without parameters and globals does the same each time.
            && !(tried >= 16 && self.build.program.procedure(self.id).params.is_empty() && tried >= wanted)
    }

    fn hidden(&mut self, skip: Skip, entry: &EntryState, end: &End, number: u64) {
        self.row.skip(skip);
        let End::Trapped { trap, procedure, loc } = end else { return };
        let at = (*procedure, *loc);
        // Different places say more than one place many times.
        if skip == Skip::HiddenTrap
            && self.samples.len() < self.most_samples
            && self.samples.iter().filter(|s| s.at == at && s.trap == *trap).count() < 2
        {
            let job = Job::new(self.id, entry.clone());
            self.samples.push(Sample { trap: *trap, at, job, number });
        }
    }

    fn note(&mut self, verdict: Verdict, number: u64, entry: &EntryState, died: bool) {
        match verdict {
            Verdict::Agree => self.row.agreed += 1,
            Verdict::Skipped(skip) => self.row.skip(skip),
            Verdict::Disagree(_) if self.open && !died => self.row.skip(Skip::Operation),
            Verdict::Disagree(how) => {
                let detail = match how {
                    verdiff_judge::Disagreement::Detail(detail) => detail,
                    end => format!("{end:?}"),
                };
                self.row.disagreements.push(Disagreement { number, detail, entry: entry.clone() });
            }
        }
    }
}
