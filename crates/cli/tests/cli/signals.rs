//! Ctrl-C and kill: what is finished is printed, and neither a process nor a file is left.

#![cfg(all(debug_assertions, target_os = "linux"))]

use crate::support::{Folder, Run, command};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const OLD: &str = "\
int slow(int x) { return x * 3; }
int differs(int x) { return x == 77 ? 1 : x; }
int equal(int x) { return x * 5; }
int caller(int x) { return slow(x) * 2; }
";
const NEW: &str = "\
int slow(int x) { return x + x + x; }
int differs(int x) { return x == 77 ? 2 : x; }
int equal(int x) { return x + 4 * x; }
int caller(int x) { return slow(x) + slow(x); }
";

/// A run, ended with the test if that fails.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A run that has judged all but the pair that hangs, and has compiled what replays the difference, as a process group of its own.
fn hanging(folder: &Folder, options: &[&str]) -> Running {
    std::fs::create_dir(folder.path("temporary")).unwrap();
    let child = command(&folder.path("."))
        .env("VERDIFF_TEST_WORKER", "hang:slow")
        .env("TMPDIR", folder.path("temporary"))
        .args([&["old.c", "new.c", "--timeout", "300", "--jobs", "2"], options].concat())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn();
    let child = Running(child.unwrap());
    let start = Instant::now();
    // Workers are there, and idle but for the one that hangs, when their processor time stands still.
    let mut before = None;
    loop {
        assert!(start.elapsed() < Duration::from_secs(60), "no worker was seen");
        std::thread::sleep(Duration::from_millis(500));
        let workers =
            of_group(child.0.id()).into_iter().filter(|p| p.is_worker).collect::<Vec<_>>();
        let now: Vec<(u32, u64)> = workers.iter().map(|p| (p.id, p.ticks)).collect();
        let compiled = running_in(&folder.path("temporary"));
        if now.len() == 2 && compiled > 0 && before.as_ref() == Some(&now) {
            return child;
        }
        before = Some(now);
    }
}

struct Seen {
    id: u32,
    is_worker: bool,
    ticks: u64,
}

/// The processes of a group that still run, as the system lists them.
fn of_group(group: u32) -> Vec<Seen> {
    let mut found: Vec<(Seen, u32)> = vec![];
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|n| n.parse().ok()) else { continue };
        let read = |name: &str| std::fs::read_to_string(entry.path().join(name));
        let Ok(stat) = read("stat") else { continue };
        // Behind the name in brackets: state, parent, group, …, and ticks as the 12th and 13th.
        let Some((_, fields)) = stat.rsplit_once(") ") else { continue };
        let fields: Vec<&str> = fields.split(' ').collect();
        if fields[2] == group.to_string() && fields[0] != "Z" {
            let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
            found.push((Seen { id, is_worker: false, ticks }, fields[1].parse().unwrap()));
        }
    }
    // The first of the group watches over the second, which starts the workers.
    let second = found.iter().find(|(_, parent)| *parent == group).map(|(seen, _)| seen.id);
    let told = |(seen, parent)| Seen { is_worker: Some(parent) == second, ..seen };
    found.into_iter().map(told).collect()
}

/// How many programs run that lie below a folder: compiled versions, which are groups of their own.
fn running_in(folder: &Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let line = |entry: std::fs::DirEntry| std::fs::read_to_string(entry.path().join("cmdline"));
    let folder = folder.to_str().unwrap();
    processes.filter_map(|p| line(p).ok()).filter(|line| line.starts_with(folder)).count()
}

fn send(signal: &str, to: &str) {
    let sent = std::process::Command::new("kill").args([signal, "--", to]).status().unwrap();
    assert!(sent.success());
}

/// The run ends soon, and nothing of it is left.
#[track_caller]
fn ends(mut child: Running, folder: &Folder) -> Run {
    let start = Instant::now();
    let group = child.0.id();
    let (mut stdout, mut stderr) = (String::new(), String::new());
    let status = child.0.wait().unwrap();
    // First this: a process that survives would hold the pipes open.
    let temporary = folder.path("temporary");
    let files = || std::fs::read_dir(&temporary).unwrap().count();
    while !of_group(group).is_empty() || running_in(&temporary) > 0 || files() > 0 {
        assert!(start.elapsed() < Duration::from_secs(15), "a process or a file survived");
        std::thread::sleep(Duration::from_millis(20));
    }
    child.0.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.0.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    assert!(start.elapsed() < Duration::from_secs(15), "{:?}", start.elapsed());
    Run { code: status.code(), stdout, stderr }
}

#[track_caller]
fn reports_what_is_finished(run: &Run) {
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""), "{run:#?}");
    assert!(run.stdout.contains("differs exactly when x == 77: "), "{run:#?}");
    assert!(run.stdout.contains("equal: equivalent"), "{run:#?}");
    assert!(run.stdout.contains("slow: unknown"), "{run:#?}");
    assert!(run.stdout.contains("\ninterrupted: "), "{run:#?}");
}

#[test]
fn control_c_reaches_the_whole_group() {
    let folder = Folder::versions(OLD, NEW);
    let child = hanging(&folder, &["-o", "r.json"]);
    send("-INT", &format!("-{}", child.0.id()));
    reports_what_is_finished(&ends(child, &folder));
    let report = std::fs::read_to_string(folder.path("r.json")).unwrap();
    assert!(report.contains("\"interrupted\": true"), "{report}");
}

#[test]
fn termination_reaches_the_supervisor_alone() {
    let folder = Folder::versions(OLD, NEW);
    let child = hanging(&folder, &[]);
    send("-TERM", &child.0.id().to_string());
    reports_what_is_finished(&ends(child, &folder));
}

#[test]
fn who_is_killed_leaves_nobody_behind() {
    let folder = Folder::versions(OLD, NEW);
    let child = hanging(&folder, &[]);
    send("-KILL", &child.0.id().to_string());
    assert_eq!(ends(child, &folder).stdout, "");
}

#[test]
fn the_working_process_killed_leaves_nobody_behind() {
    let folder = Folder::versions(OLD, NEW);
    let child = hanging(&folder, &[]);
    let is_between = |p: &Seen| !p.is_worker && p.id != child.0.id();
    let working = of_group(child.0.id()).into_iter().find(is_between).unwrap();
    send("-KILL", &working.id.to_string());
    let run = ends(child, &folder);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("it was killed"), "{run:#?}");
}

#[test]
fn who_asks_twice_is_left_alone() {
    let folder = Folder::versions(OLD, NEW);
    let child = hanging(&folder, &[]);
    // The replay of the difference is what it waits for after the first.
    for _ in 0..2 {
        send("-INT", &child.0.id().to_string());
    }
    let run = ends(child, &folder);
    assert!(matches!(run.code, Some(130 | 1)), "{run:#?}");
}

#[test]
fn a_compiler_that_was_ended_early_is_started_again() {
    // What is compiled before it is needed may be ended by a signal that is meant for verdiff. Code with a constructor
    // is assembled by clang for the replay; it is one compiler for each version.
    let clang = verdiff_front::Clang::find().unwrap();
    let script = format!(
        "#!/bin/sh\n\
         case \"$*\" in *'-x ir'*) if mkdir one || mkdir two; then kill -INT $$; fi;; esac\n\
         exec '{}' \"$@\"\n",
        clang.path().display()
    );
    let constructor = "__attribute__((constructor)) static void first(void) {}\n";
    let folder = Folder::versions(&format!("{OLD}{constructor}"), &format!("{NEW}{constructor}"));
    std::fs::write(folder.path("clang"), script).unwrap();
    let executable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path("clang"), executable).unwrap();
    let output = command(&folder.path("."))
        .env("VERDIFF_CLANG", folder.path("clang"))
        .args(["old.c", "new.c", "--entry", "differs"])
        .output()
        .unwrap();
    let run = Run::of(&output);
    assert!(folder.path("two").exists());
    assert_eq!(run.code, Some(1), "{run:#?}");
    assert!(run.stdout.contains("differs exactly when x == 77: "), "{run:#?}");
}
