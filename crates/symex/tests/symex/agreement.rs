//! Three-way agreement: what merged execution says of all entry states, evaluated on one, is what the
//! interpreter does from it, and that is what the compiled program does; results, traps and memory.
//!
//! The procedures are those of the corpus and of random programs, the inputs are generated for each from one seed. Procedures with
//! loops and unknown externals have no terms that could be evaluated; `crates/witness` compares interpreter and
//! compiled code on those too.

use crate::agreement_support;
use crate::corpus::inputs;

use agreement_support::programs;
use agreement_support::terms::{Terms, excluded, execute};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use verdiff_front::{CallableOptions, Clang, Deadline, compile_callable};
use verdiff_model::ProcId;
use verdiff_model::interp::{Limits as RunLimits, Machine};
use verdiff_model::state::End;
use verdiff_symex::execute::Stop;
use verdiff_witness::agree::{Build, real_externals};
use verdiff_witness::compare::{Modelled, compare};
use verdiff_witness::compiled::LoadAddress;
use verdiff_witness::generate::Generator;
use verdiff_witness::{CompiledEnd, CompiledProgram, Instrument, Job, Toolchain, Verdict};

/// Inputs for each procedure.
const INPUTS: u64 = 60;
const SEED: u64 = 1;

/// What became of the procedures of some files.
#[derive(Default, Debug)]
struct Tally {
    procedures: usize,
    /// Procedures whose terms could be evaluated.
    executed: usize,
    /// Inputs on which terms and interpreter were compared.
    two: usize,
    /// Inputs on which the compiled program was compared too.
    three: usize,
    /// Runs that trapped in the interpreter, and those of them in which the compiled program did not.
    trapped: usize,
    left_out: usize,
    skipped: BTreeMap<String, usize>,
    wrong: Vec<String>,
}

impl Tally {
    fn skip(&mut self, why: &str) {
        *self.skipped.entry(why.to_owned()).or_default() += 1;
    }

    fn add(&mut self, other: Tally) {
        self.procedures += other.procedures;
        self.executed += other.executed;
        self.two += other.two;
        self.three += other.three;
        self.trapped += other.trapped;
        self.left_out += other.left_out;
        for (why, count) in other.skipped {
            *self.skipped.entry(why).or_default() += count;
        }
        self.wrong.extend(other.wrong);
    }
}

fn build(file: &Path, folder: &Path) -> Build {
    let inputs = inputs(file);
    let object = folder.join("plain.o");
    let options = CallableOptions {
        flags: Instrument::Nothing.flags().iter().map(|flag| (*flag).to_owned()).collect(),
        real_externals: real_externals(Instrument::Nothing),
        as_written: false,
        ..CallableOptions::default()
    };
    let made = compile_callable(&inputs, &options, &object)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    Build {
        program: made.program.into(),
        frames: made.frames,
        external_frames: made.external_frames,
        real: made.real,
        object,
    }
}

/// The procedures of a program whose terms have a value.
fn with_terms<'p>(build: &'p Build, file: &str, tally: &mut Tally) -> Vec<(ProcId, Terms<'p>)> {
    let mut found = Vec::new();
    for id in build.program.procedure_ids() {
        tally.procedures += 1;
        let procedure = build.program.procedure(id);
        let frame = &build.frames[id.index()];
        if !procedure.is_supported() || frame.args.len() != procedure.params.len() {
            tally.skip("not supported");
            continue;
        }
        match execute(&build.program, id) {
            Ok(terms) if terms.are_open() => tally.skip("unknown functions"),
            Ok(terms) => found.push((id, terms)),
            Err(stop @ Stop::Logic(_)) => {
                tally.wrong.push(format!("{file} {}: {stop}", procedure.name));
            }
            Err(stop) => {
                let words: Vec<String> =
                    stop.to_string().split_whitespace().skip(1).map(str::to_owned).collect();
                tally.skip(&words.join(" "));
            }
        }
    }
    tally.executed += found.len();
    found
}

/// Compares terms, interpreter and compiled code of one file.
fn check_file(file: &Path, toolchain: &Toolchain) -> Tally {
    let mut tally = Tally::default();
    let folder = tempfile::tempdir().unwrap();
    let build = build(file, folder.path());
    let shown = file.display().to_string();
    let procedures = with_terms(&build, &shown, &mut tally);
    if procedures.is_empty() {
        return tally;
    }
    let parts = build.parts(Instrument::Nothing);
    let mut compiled = CompiledProgram::build(toolchain, parts).unwrap();
    let mut machine = Machine::new(&build.program);
    let generator = Generator::new(&build.program);
    // All procedures' inputs in one exchange with the compiled program.
    let (mut jobs, mut runs) = (Vec::new(), Vec::new());
    for (id, terms) in &procedures {
        let name = &build.program.procedure(*id).name;
        let states = generator.for_procedure(*id, &build.frames[id.index()]);
        for number in 0..INPUTS {
            let entry = states.entry(SEED, number);
            let ran = machine.run(*id, &entry, &RunLimits::default());
            if let Some(why) = excluded(&ran) {
                tally.skip(why);
                continue;
            }
            tally.two += 1;
            if let Some(what) = terms.disagreement(*id, &entry, &ran, number) {
                tally.wrong.push(format!("{shown} {name}, input {number}: {what}\n{entry:?}"));
                break;
            }
            let modelled = Modelled {
                program: &build.program,
                procedure: *id,
                real: &build.real,
                entry: &entry,
                outcome: &ran,
            };
            if let Some(skip) = modelled.without_compiled() {
                tally.skip(&format!("compiled: {}", skip.reason()));
                continue;
            }
            jobs.push(Job::new(*id, entry));
            runs.push((number, ran));
        }
    }
    let ends = compiled.run(&jobs).unwrap();
    let mut elsewhere = None;
    for ((job, end), (number, ran)) in jobs.iter().zip(&ends).zip(&runs) {
        let frame = &build.frames[job.procedure.index()];
        let modelled = Modelled {
            program: &build.program,
            procedure: job.procedure,
            real: &build.real,
            entry: &job.entry,
            outcome: ran,
        };
        let mut verdict = compare(modelled, frame, compiled.addresses(), end);
        if let Verdict::Disagree(_) = verdict {
            // What changes when code and globals lie elsewhere depends on addresses, of which the
            // model promises nothing.
            let other = elsewhere.get_or_insert_with(|| {
                CompiledProgram::build_at(toolchain, parts, LoadAddress::Elsewhere, Deadline::NEVER)
                    .unwrap()
            });
            for _ in 0..6 {
                other.restart().unwrap();
                let ends = other.run(std::slice::from_ref(job)).unwrap();
                if compare(modelled, frame, other.addresses(), &ends[0]) != verdict {
                    verdict = Verdict::Skipped(verdiff_witness::Skip::Addresses);
                    break;
                }
            }
        }
        let trapped = matches!(ran.end, End::Trapped { .. });
        tally.trapped += usize::from(trapped);
        match verdict {
            Verdict::Agree => tally.three += 1,
            // A division or a load that traps and that nothing needs the result of: C lets the
            // compiler leave it out, so hardware cannot show the trap. Few are like that.
            Verdict::Disagree(_) if trapped && end.end == CompiledEnd::Returned => {
                tally.left_out += 1;
            }
            Verdict::Skipped(skip) => tally.skip(&format!("compiled: {}", skip.reason())),
            Verdict::Disagree(what) => {
                let name = &build.program.procedure(job.procedure).name;
                let what = format!("{shown} {name}, input {number}, compiled: {what:?}");
                tally.wrong.push(format!("{what}\n{:?}", job.entry));
            }
        }
    }
    tally
}

/// Compares all files, in as many threads as there are cores.
fn check_files(files: &[PathBuf]) -> Tally {
    let toolchain = Toolchain::new(Clang::find().unwrap().path()).unwrap();
    let (next, all) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let workers = std::thread::available_parallelism().map_or(2, |n| n.get());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let tally = check_file(file, &toolchain);
                    all.lock().unwrap().add(tally);
                }
            });
        }
    });
    all.into_inner().unwrap()
}

fn assert_agreement(tally: &Tally, least: usize) {
    eprintln!(
        "{} procedures, {} with terms; {} inputs on which terms and interpreter agree, {} on which \
         the compiled program does too; {} of {} traps were left out by the compiler; skipped: {:#?}",
        tally.procedures,
        tally.executed,
        tally.two,
        tally.three,
        tally.left_out,
        tally.trapped,
        tally.skipped
    );
    let wrong = &tally.wrong;
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
    let (trapped, left_out) = (tally.trapped, tally.left_out);
    assert!(left_out * 50 <= trapped, "{left_out} of {trapped} traps did not show");
    assert!(tally.three >= least, "only {} inputs were compared", tally.three);
}

/// One version of each case that the suite runs here, the old and the new one in turn: compiling all takes twice as long, and the two
/// are much alike. All of them with `VERDIFF_ALL`, or those whose path has `VERDIFF_ONLY` in it.
fn corpus_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus");
    let mut cases = Vec::new();
    for topic in std::fs::read_dir(root).into_iter().flatten().flatten() {
        cases.extend(std::fs::read_dir(topic.path()).into_iter().flatten().flatten());
    }
    let mut cases: Vec<PathBuf> = cases.into_iter().map(|case| case.path()).collect();
    cases.retain(|case| crate::corpus::is_in_suite(case));
    cases.sort();
    let only = std::env::var("VERDIFF_ONLY").ok();
    let all = only.is_some() || std::env::var_os("VERDIFF_ALL").is_some();
    let mut files = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let versions = ["old.c", "new.c"].map(|version| case.join(version));
        let chosen = versions.into_iter().filter(|file| file.is_file()).enumerate();
        files.extend(chosen.filter(|(v, _)| all || *v == number % 2).map(|(_, file)| file));
    }
    let only = only.unwrap_or_default();
    files.retain(|file| file.to_string_lossy().contains(&only));
    files
}

#[test]
fn terms_interpreter_and_compiled_code_agree_on_the_corpus() {
    let tally = check_files(&corpus_files());
    assert_agreement(&tally, if std::env::var_os("VERDIFF_ONLY").is_none() { 7_000 } else { 0 });
}

#[test]
fn terms_interpreter_and_compiled_code_agree_on_random_programs() {
    const PROGRAMS: u64 = 12;
    const FUNCTIONS: usize = 25;
    let folder = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for seed in 0..PROGRAMS {
        let file = folder.path().join(format!("random{seed}.c"));
        std::fs::write(&file, programs::program(seed, FUNCTIONS)).unwrap();
        files.push(file);
    }
    let tally = check_files(&files);
    assert_agreement(&tally, 10_000);
}
