//! Compiled programs as jobs see them.

use crate::support;

use support::{build, toolchain};
use verdiff_model::state::{EntryState, Link, Object, Pointer, PointerTarget, Value, layout};
use verdiff_witness::compiled::CompiledObject;
use verdiff_witness::{
    CompiledEnd, CompiledOutcome, CompiledProgram, Deadline, Instrument, Job, Toolchain,
};

const SOURCE: &str = r#"
#include <stdlib.h>
int counter = 7;
int bump(int d) { counter += d; return counter; }
int read_at(const int *p, long i) { return p[i]; }
void release(void *p) { free(p); }
int spin(int x) { while (x) {} return x; }
int leave(int x) { exit(x); }
int elsewhere(int); int away(int x) { return elsewhere(x); }
int deep(int n) { volatile char room[100]; room[0] = n; return n ? deep(n - 1) + room[0] : 0; }
int (*chosen)(int); int call(int x) { return chosen(x); }
int *through(int **p) { return *p; }
void smash(void) { __asm__ volatile("syscall" : : "a"(231), "D"(5)); } /* exit_group */
int fail(void) { abort(); }
int descriptors(void) { /* fcntl(fd, F_GETFD) */
    int open = 0;
    for (long fd = 0; fd < 2000; fd++) {
        long result;
        __asm__ volatile("syscall" : "=a"(result) : "a"(72), "D"(fd), "S"(1) : "rcx", "r11", "memory");
        open += result >= 0;
    }
    return open;
}
"#;

struct Fixture {
    _folder: tempfile::TempDir,
    build: verdiff_witness::agree::Build,
    program: CompiledProgram,
}

fn fixture(instrument: Instrument) -> Fixture {
    fixture_with(&toolchain(), instrument)
}

fn fixture_with(toolchain: &Toolchain, instrument: Instrument) -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.c");
    std::fs::write(&file, SOURCE).unwrap();
    let build = build(&file, folder.path(), instrument, Deadline::NEVER).unwrap();
    let program = CompiledProgram::build(toolchain, build.parts(instrument)).unwrap();
    Fixture { _folder: folder, build, program }
}

impl Fixture {
    fn job(&self, name: &str, args: &[Value], objects: Vec<Object>) -> Job {
        let procedure = self.build.program.procedure_named(name).unwrap();
        let entry = EntryState { args: args.to_vec(), objects, ..EntryState::default() };
        Job::new(procedure, entry)
    }

    fn run(&mut self, job: Job) -> CompiledOutcome {
        self.program.run(&[job]).unwrap().remove(0)
    }
}

#[test]
fn drivers_that_are_compiled_here_do_what_those_do_that_came_with_verdiff() {
    for instrument in Instrument::ALL {
        let outcomes = [toolchain(), toolchain().with_own_drivers()].map(|toolchain| {
            let mut f = fixture_with(&toolchain, instrument);
            let ints = Object::new(4, vec![1; 12]);
            let at = |i: u128| [Value::Pointer(Pointer::object(0)), Value::Bits(i)];
            let jobs = [
                f.job("bump", &[Value::Bits(3)], vec![]),
                f.job("read_at", &at(2), vec![ints.clone()]),
                f.job("leave", &[Value::Bits(3)], vec![]),
                f.job("away", &[Value::Bits(3)], vec![]),
            ];
            f.program.run(&jobs).unwrap()
        });
        assert_eq!(outcomes[0], outcomes[1], "{instrument:?}");
        assert_eq!(outcomes[0][1].end, CompiledEnd::Returned, "{instrument:?}");
    }
}

#[test]
fn runs_end_in_every_way() {
    let mut f = fixture(Instrument::Nothing);
    let ints = Object::new(4, [1i32, 2, 3].iter().flat_map(|i| i.to_le_bytes()).collect());
    let at = |i: u128| [Value::Pointer(Pointer::object(0)), Value::Bits(i)];
    let jobs = [
        f.job("bump", &[Value::Bits(3)], vec![]),
        f.job("read_at", &at(2), vec![ints.clone()]),
        f.job("read_at", &at(3), vec![ints.clone()]),
        f.job("release", &at(0)[..1], vec![ints.clone()]),
        f.job("release", &[Value::Pointer(Pointer::object(0).plus(4))], vec![ints]),
        f.job("leave", &[Value::Bits(3)], vec![]),
        f.job("away", &[Value::Bits(3)], vec![]),
        f.job("fail", &[], vec![]),
        f.job("spin", &[Value::Bits(3)], vec![]),
        f.job("deep", &[Value::Bits(100_000)], vec![]),
        f.job("bump", &[Value::Bits(3)], vec![]),
    ];
    let outcomes = f.program.run(&jobs).unwrap();
    assert_eq!(outcomes[0].results[..4], 10i32.to_le_bytes());
    assert_eq!(outcomes[0].globals.len(), 1);
    assert_eq!(outcomes[1].results[..4], 3i32.to_le_bytes());
    // The first byte behind the object is on no page.
    let behind = layout::entry_base(0, 12, 4) + 12;
    assert_eq!(outcomes[2].end, CompiledEnd::Signal { number: 11, address: behind });
    assert!(outcomes[3].objects[0].freed);
    assert_eq!(outcomes[4].end, CompiledEnd::BadFree);
    assert_eq!(outcomes[5].end, CompiledEnd::Exited(3));
    let elsewhere = f.build.program.externals.iter().position(|e| e.name == "elsewhere").unwrap();
    assert!(matches!(outcomes[6].end, CompiledEnd::LeftThrough(id) if id.index() == elsewhere));
    assert_eq!(outcomes[7].end, CompiledEnd::Aborted);
    assert_eq!(outcomes[8].end, CompiledEnd::TimedOut);
    assert_eq!(outcomes[9].end, CompiledEnd::Returned);
    // Nothing is left of the runs before.
    assert_eq!(outcomes[10], outcomes[0]);
}

#[test]
fn addresses_of_globals_and_functions_are_filled_in() {
    let mut f = fixture(Instrument::Nothing);
    let counter = f.build.program.global_named("counter").unwrap();
    let mut object = Object::new(8, vec![0; 8]);
    object.contents.pointers.push(Link { offset: 0, to: Pointer::global(counter).plus(1) });
    let job = f.job("through", &[Value::Pointer(Pointer::object(0))], vec![object]);
    let outcome = f.run(job);
    let address = f.program.addresses().globals[counter.index()] + 1;
    assert_eq!(outcome.results[..8], address.to_le_bytes());
    assert_eq!(
        outcome.objects[0],
        CompiledObject { freed: false, bytes: address.to_le_bytes().into() }
    );

    let chosen = f.build.program.global_named("chosen").unwrap();
    let bump = f.build.program.procedure_named("bump").unwrap();
    let mut job = f.job("call", &[Value::Bits(1)], vec![]);
    let to = Pointer { target: PointerTarget::Procedure(bump), offset: 0 };
    let contents = verdiff_model::state::Contents {
        bytes: vec![0; 8],
        pointers: vec![Link { offset: 0, to }],
        unset: vec![],
    };
    job.entry.globals.push((chosen, contents));
    assert_eq!(f.run(job).results[..4], 8i32.to_le_bytes());
}

#[test]
fn a_run_that_destroys_the_process_costs_only_itself() {
    let mut f = fixture(Instrument::Nothing);
    let bump = f.job("bump", &[Value::Bits(3)], vec![]);
    let jobs = [bump.clone(), f.job("smash", &[], vec![]), bump];
    let outcomes = f.program.run(&jobs).unwrap();
    assert_eq!(outcomes[1].end, CompiledEnd::Died);
    assert_eq!(outcomes[2].results, outcomes[0].results);
    assert_eq!(outcomes[2].end, CompiledEnd::Returned);
}

#[test]
fn a_sanitizer_reports_what_hardware_does_not_show() {
    let mut f = fixture(Instrument::Address);
    let ints = Object::new(4, vec![0; 12]);
    // One before the object: on the same page.
    let args = [Value::Pointer(Pointer::object(0)), Value::Bits(-3i64 as u64 as u128)];
    let job = f.job("read_at", &args, vec![ints]);
    let outcome = f.run(job);
    let CompiledEnd::Reported(text) = outcome.end else { panic!("{outcome:?}") };
    assert!(text.contains("AddressSanitizer"), "{text}");
    // Answers belong to their jobs, whatever became of those before.
    for d in [3, 4, 5] {
        let fine = f.job("bump", &[Value::Bits(d)], vec![]);
        assert_eq!(f.run(fine).results[..4], (7 + d as i32).to_le_bytes());
    }
}

#[test]
fn a_compiled_program_has_no_descriptors_of_others() {
    let mut f = fixture(Instrument::Nothing);
    let job = f.job("descriptors", &[], vec![]);
    // Three times /dev/null, and the driver's two pipes.
    assert_eq!(f.run(job).results[..4], 5i32.to_le_bytes());
}

#[test]
fn a_job_has_the_time_it_is_given() {
    let mut f = fixture(Instrument::Nothing);
    let mut job = f.job("spin", &[Value::Bits(1)], vec![]);
    job.time = std::time::Duration::from_millis(20);
    let start = std::time::Instant::now();
    assert_eq!(f.run(job).end, CompiledEnd::TimedOut);
    assert!(start.elapsed() < std::time::Duration::from_secs(5));
}
