//! Programs that behave in every way they should not.

use std::process::Command;
use std::time::Duration;
use verdiff_process::{Deadline, Failure, run};

fn shell(script: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", script]);
    command
}

/// Long enough that nothing but the deadline of the test's harness would end a wait for it.
const FAR: Duration = Duration::from_secs(600);
const NEAR: Duration = Duration::from_millis(300);

fn is_timed_out(script: &str) {
    let failure = run(&mut shell(script), Deadline::after(NEAR)).unwrap_err();
    assert!(matches!(failure, Failure::TimedOut { .. }), "{failure:?}");
    assert_eq!(failure.to_string(), "sh was still running at the time limit");
}

#[test]
fn what_it_printed_and_how_it_ended() {
    let done = run(&mut shell("echo one; echo two >&2; exit 3"), Deadline::after(FAR)).unwrap();
    assert_eq!((done.stdout.as_str(), done.stderr.as_str()), ("one\n", "two\n"));
    assert_eq!(done.status.code(), Some(3));
    assert!(run(&mut shell("read line"), Deadline::NEVER).unwrap().status.code() == Some(1));
    let failure = run(&mut Command::new("/no/such/program"), Deadline::NEVER).unwrap_err();
    assert_eq!(failure.to_string(), "cannot start /no/such/program");
}

#[test]
fn one_that_hangs_is_killed() {
    is_timed_out("sleep 1000");
    // One that ignores what can be ignored.
    is_timed_out("trap '' TERM INT HUP PIPE; while :; do sleep 1000; done");
    // One that says it is done and is not.
    is_timed_out("exec >&- 2>&-; sleep 1000");
    // One whose child holds the streams.
    is_timed_out("sleep 1000 & exit 0");
}

#[test]
fn a_deadline_that_has_passed_starts_nothing() {
    let folder = std::env::temp_dir().join(format!("verdiff-process-{}", std::process::id()));
    let mut command = shell("touch \"$0\"");
    let failure = run(command.arg(&folder), Deadline::after(Duration::ZERO)).unwrap_err();
    assert!(matches!(failure, Failure::TimedOut { .. }) && !folder.exists());
}

#[test]
fn one_that_prints_for_ever_is_killed() {
    is_timed_out("yes");
    is_timed_out("yes >&2");
}

#[test]
fn a_long_output_is_cut() {
    let script = "head -c 9000000 /dev/zero; head -c 9000000 /dev/zero >&2";
    let done = run(&mut shell(script), Deadline::after(FAR)).unwrap();
    assert!(done.status.success());
    assert_eq!((done.stdout.len(), done.stderr.len()), (1 << 20, 1 << 20));
}

/// Nothing of the group is left: a process that the program started would have written the file.
#[test]
fn its_children_are_killed() {
    let name = std::env::temp_dir().join(format!("verdiff-child-{}", std::process::id()));
    let mut command = shell("(sleep 1; touch \"$0\") & wait");
    run(command.arg(&name), Deadline::after(NEAR)).unwrap_err();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(!name.exists());
}
