//! `verdiff worker`: judges pairs for another process of verdiff, or for whoever speaks its language
//! (docs/internals/jobs.md).

use crate::arguments::{Color, Options, Worker};
use crate::{fault, interrupt};
use anyhow::Context;
use std::os::unix::process::parent_id;
use std::sync::Mutex;
use std::time::Duration;
use verdiff::{Spare, Workers};
use verdiff_process::{Captured, Fork, Forked, fork};

/// How often a worker looks whether its parent is still there.
const TICK: Duration = Duration::from_millis(100);

/// The workers of this comparison: processes of this program.
pub fn processes(options: &Options) -> anyhow::Result<Workers> {
    let program = std::env::current_exe().context("cannot find the program itself")?;
    Ok(Workers::Processes { program, memory: options.memory })
}

/// The first worker, which was made before this process had several threads.
static FIRST: Mutex<Option<Forked>> = Mutex::new(None);

/// Makes the first worker as a copy of this process, which is much faster than to start one. In the copy it serves until it is done and
/// gives its exit code.
pub fn first(memory: u64) -> Option<u8> {
    let parent = std::process::id();
    match fork(Captured::Output) {
        Ok(Fork::First(forked)) => {
            if let Ok(mut first) = FIRST.lock() {
                *first = Some(forked);
            }
            None
        }
        Ok(Fork::Second) => Some(serve(&Worker { memory: Some(memory), parent: Some(parent) })),
        // It is started as all others are.
        Err(_) => None,
    }
}

/// A worker that waits for work: the first one, or a new one.
pub fn spare(workers: &Workers) -> Spare {
    match FIRST.lock().ok().and_then(|mut first| first.take()) {
        Some(forked) => Spare::of(forked),
        None => Spare::start(&workers.for_plan()),
    }
}

/// The stack of a worker: as much as a program mostly has.
const STACK: usize = 8 << 20;

/// Serves jobs until the input ends. It has a thread of its own, whose stack is there before memory is limited: the first thread's grows as it is needed, and
/// where it cannot any more the process dies in a way that looks like a bug.
pub fn serve(arguments: &Worker) -> u8 {
    verdiff_plan::worker::share_one_heap();
    std::thread::scope(|scope| {
        let work = || serve_here(arguments);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(code)) => code,
            // As a program ends that panics.
            Ok(Err(_)) => 101,
            Err(error) => fault::report(&error.into(), Color::Never),
        }
    })
}

fn serve_here(arguments: &Worker) -> u8 {
    if let Some(parent) = arguments.parent {
        std::thread::spawn(move || end_with(parent));
    }
    if let Some(memory) = arguments.memory {
        let bytes = Some(memory.saturating_mul(1 << 20));
        let limit = rustix::process::Rlimit { current: bytes, maximum: bytes };
        // Without a limit the system has to help itself.
        let _ = rustix::process::setrlimit(rustix::process::Resource::As, limit);
    }
    verdiff_plan::worker::exit_when_exhausted();
    interrupt::leave_to_another();
    let stdout = std::io::stdout().lock();
    #[cfg(debug_assertions)]
    let stdin = super::fault_injection::input(std::io::stdin().lock());
    #[cfg(not(debug_assertions))]
    let stdin = std::io::stdin().lock();
    match verdiff_plan::worker::serve(stdin, stdout) {
        Ok(()) => 0,
        Err(error) => fault::report(&error.into(), Color::Never),
    }
}

/// A busy worker does not see that its input was closed, and would go on until its pair's time is over.
fn end_with(parent: u32) {
    while parent_id() == parent {
        std::thread::sleep(TICK);
    }
    interrupt::end_at_once();
}
