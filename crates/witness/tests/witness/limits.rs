//! Whatever clang or a compiled program does, a deadline ends it, and the next one is not the worse for it.

use crate::support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::pair::{Pair, args};
use verdiff_front::Clang;
use verdiff_judge::{ReplayProblem, Side as Version};
use verdiff_model::state::EntryState;
use verdiff_witness::compiled::{CompiledError, LoadAddress};
use verdiff_witness::replay::{ReplayOptions, Replayer, Side, Status};
use verdiff_witness::{CompiledProgram, Deadline, Instrument, Job, Toolchain};

const NEAR: Duration = Duration::from_millis(500);
/// A script that is called as clang is.
fn script(folder: &Path, text: &str) -> PathBuf {
    let file = folder.join("clang");
    std::fs::write(&file, format!("#!/bin/sh\n{text}\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    file
}

fn real_clang() -> String {
    Clang::find().unwrap().path().display().to_string()
}

/// Runs what a function does until a deadline; afterwards the same program must still run another one.
fn is_ended(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.c");
    std::fs::write(&file, format!("{text}\nint other(int x) {{ return x + 1; }}")).unwrap();
    let build =
        support::build(&file, folder.path(), Instrument::AsWritten, Deadline::NEVER).unwrap();
    let parts = build.parts(Instrument::AsWritten);
    let mut program = CompiledProgram::build(&support::toolchain(), parts).unwrap();
    let job = |name: &str| Job {
        time: Duration::from_secs(3600),
        ..Job::new(build.program.procedure_named(name).unwrap(), args(&[1]))
    };
    let ended = program.run_until(&[job("f")], Deadline::after(NEAR));
    assert!(matches!(ended, Err(CompiledError::TimedOut)), "{ended:?}");
    let outcomes = program.run(&[job("other")]).unwrap();
    assert_eq!(outcomes[0].results[..4], [2, 0, 0, 0]);
}

#[test]
fn a_program_that_waits_for_ever() {
    // `pause`: it takes no CPU time, which is what the driver limits.
    is_ended(
        "int f(int x) { for (;;) __asm__ volatile(\"syscall\" : : \"a\"(34) : \"rcx\", \"r11\", \"memory\"); }",
    );
}

#[test]
fn a_program_that_ignores_signals() {
    // `rt_sigprocmask(SIG_BLOCK, all)`, and then a loop.
    is_ended(
        "int f(int x) {\n\
         unsigned long all = ~0UL; register long size __asm__(\"r10\") = 8; long result;\n\
         __asm__ volatile(\"syscall\" : \"=a\"(result) : \"a\"(14), \"D\"(0), \"S\"(&all), \"d\"(0), \"r\"(size) : \"rcx\", \"r11\", \"memory\");\n\
         for (volatile int i = 0;; i++) ; }",
    );
}

#[test]
fn a_program_that_prints_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("p.c");
    std::fs::write(&file, "int puts(const char *); int f(int x) { for (;;) puts(\"text\"); }")
        .unwrap();
    let build =
        support::build(&file, folder.path(), Instrument::AsWritten, Deadline::NEVER).unwrap();
    let parts = build.parts(Instrument::AsWritten);
    let mut program = CompiledProgram::build(&support::toolchain(), parts).unwrap();
    let job = Job::new(build.program.procedure_named("f").unwrap(), args(&[1]));
    let outcomes = program.run_until(&[job], Deadline::NEVER).unwrap();
    // However it ended, what is kept of it is bounded.
    assert!(outcomes[0].log.len() <= 1 << 20, "{}", outcomes[0].log.len());
}

#[test]
fn a_clang_that_hangs_when_it_links() {
    let pair = Pair::new("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    let folder = tempfile::tempdir().unwrap();
    for text in ["sleep 1000", "trap '' TERM INT; while :; do sleep 1000; done", "yes >&2", "yes"] {
        let toolchain = Toolchain::new(&script(folder.path(), text)).unwrap().with_own_drivers();
        let build =
            support::build(&pair.files[0], folder.path(), Instrument::AsWritten, Deadline::NEVER)
                .unwrap();
        let parts = build.parts(Instrument::AsWritten);
        let linked =
            CompiledProgram::build_at(&toolchain, parts, LoadAddress::Usual, Deadline::after(NEAR));
        assert!(matches!(linked, Err(CompiledError::TimedOut)), "{text}");
    }
}

/// One request has too little time; the next one has enough, and is run by the same replayer.
#[test]
fn a_clang_that_hangs_once_costs_nobody_else() {
    let pair = Pair::new("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    let folder = tempfile::tempdir().unwrap();
    let slow = folder.path().join("slow");
    std::fs::write(&slow, "").unwrap();
    let text = format!(
        "if [ -e '{}' ]; then sleep 1000; fi\nexec '{}' \"$@\"",
        slow.display(),
        real_clang()
    );
    let toolchain = Toolchain::new(&script(folder.path(), &text)).unwrap().with_own_drivers();
    let side = |index: usize| {
        let folder = folder.path().join(index.to_string());
        std::fs::create_dir(&folder).unwrap();
        let file = pair.files[index].clone();
        move |instrument, deadline| support::build(&file, &folder, instrument, deadline)
    };
    let (old, new) = (side(0), side(1));
    let mut replayer = Replayer::new(
        &toolchain,
        Side { program: &pair.programs[0], make: &old },
        Side { program: &pair.programs[1], make: &new },
        ReplayOptions::default(),
    );
    let request = pair.request("f", |_| EntryState { ..args(&[1]) });
    replayer.until(Deadline::after(NEAR));
    let status = replayer.replay(&request).status;
    // While it was compiled, or before it was run.
    let told = format!("{status:?}");
    assert!(matches!(&status, Status::NotRun { .. }), "{told}");
    assert!(told.contains("time limit") || told.contains("Late"), "{told}");
    std::fs::remove_file(&slow).unwrap();
    replayer.until(Deadline::after(Duration::from_secs(600)));
    assert_eq!(replayer.replay(&request).status, Status::Confirmed);
    // And one without any time, although all is there.
    replayer.until(Deadline::after(Duration::ZERO));
    for status in [
        replayer.replay(&request).status,
        replayer.replay_small(&request, 10).1.status,
        replayer.replay_hang(&request, Version::New).status,
    ] {
        assert_eq!(status, Status::NotRun { why: ReplayProblem::Late.into() });
    }
}

/// That a run was ended by a deadline does not show that it would go on for ever.
#[test]
fn a_deadline_shows_no_hang() {
    let pair = Pair::new(
        "int f(int x) { volatile int i = 0; while (x) i++; return i; }",
        "int f(int x) { return 0; }",
    );
    let request = pair.request("f", |_| args(&[1]));
    pair.with(ReplayOptions { time: Duration::from_secs(4000), ..ReplayOptions::default() }, |r| {
        r.until(Deadline::NEVER);
        // Compiled while there is time.
        assert!(matches!(r.replay(&request).status, Status::NotRun { .. }));
        r.until(Deadline::after(NEAR));
        let status = r.replay_hang(&request, Version::New).status;
        assert!(matches!(&status, Status::NotRun { .. }), "{status:?}");
    });
}
