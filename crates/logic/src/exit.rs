//! How a process ends that cannot go on as usual.
//!
//! One that runs out of memory says so with an exit code, which whoever started it need not guess from a text.
//! Three things run out: an allocation of ours fails, z3 or the C++ library throws an exception that nobody catches, or
//! z3 throws one into frames of Rust, which aborts. All end in `SIGABRT`. [`exit_when_exhausted`] installs a handler for that
//! signal, which looks for the cause in what was noted before ([`Allocator`], [`note_solver_exhausted`]) or in
//! the type of the C++ exception, and ends the process with [`OUT_OF_MEMORY`]. Any other abort stays one.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The exit code of a process that ran out of memory.
pub const OUT_OF_MEMORY: u8 = 112;

/// Whether an allocation of ours failed.
static EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// Whether z3 has exceeded its limit in the query that it works on.
static SOLVER_EXHAUSTED: AtomicBool = AtomicBool::new(false);

/// The address of `__cxa_current_exception_type`, if a C++ library is there; found before it is needed, since a signal handler
/// must not look symbols up.
static EXCEPTION_TYPE: AtomicUsize = AtomicUsize::new(0);

/// What is thrown for want of memory, as the Itanium C++ ABI spells the types: `std::bad_alloc` and z3's own.
const EXCEPTIONS: [&CStr; 2] = [c"St9bad_alloc", c"19out_of_memory_error"];

/// The system's allocator, which notes that an allocation failed. What then happens is up to whoever asked for it.
pub struct Allocator;

// SAFETY: every function passes its arguments on to `System` and its result back, unchanged.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc`.
        noted(unsafe { System.alloc(layout) })
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::dealloc`.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::alloc_zeroed`.
        noted(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `GlobalAlloc::realloc`.
        noted(unsafe { System.realloc(at, layout, size) })
    }
}

fn noted(allocated: *mut u8) -> *mut u8 {
    if allocated.is_null() {
        EXHAUSTED.store(true, Ordering::SeqCst);
    }
    allocated
}

/// Notes whether z3 has allocated more than it may in this query: if the process aborts then, this is why.
pub(crate) fn note_solver_exhausted(is_exhausted: bool) {
    SOLVER_EXHAUSTED.store(is_exhausted, Ordering::SeqCst);
}

/// From now on this process ends with [`OUT_OF_MEMORY`] when it aborts for want of memory. Failed allocations of Rust are
/// seen only if [`Allocator`] is the global allocator.
pub fn exit_when_exhausted() {
    // SAFETY: a lookup of a name that ends in a zero byte.
    let found =
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"__cxa_current_exception_type".as_ptr()) };
    EXCEPTION_TYPE.store(found as usize, Ordering::SeqCst);
    let handler: extern "C" fn(c_int) = at_abort;
    // SAFETY: the handler reads atomic variables and calls `_exit`, which may be done in a handler; the one other call is
    // argued where it is made.
    unsafe { libc::signal(libc::SIGABRT, handler as libc::sighandler_t) };
}

/// Ends the process without taking anything down: neither destructors nor what libraries do at exit. For when a
/// thread cannot be stopped that may be using any of it.
pub fn at_once(code: u8) -> ! {
    // SAFETY: ends the process without running anything else of it.
    unsafe { libc::_exit(code.into()) }
}

extern "C" fn at_abort(_: c_int) {
    let noted = EXHAUSTED.load(Ordering::SeqCst) || SOLVER_EXHAUSTED.load(Ordering::SeqCst);
    if noted || exception_says_so() || is_full() {
        // SAFETY: ends the process without running anything else of it.
        unsafe { libc::_exit(OUT_OF_MEMORY.into()) };
    }
    // `abort` restores the default action and raises the signal again.
}

/// Whether there is hardly any address space left: an exception that is thrown into frames of Rust is not one that is being handled,
/// so nobody knows its type when the process aborts.
fn is_full() -> bool {
    const LITTLE: usize = 32 << 20;
    // SAFETY: a system call that maps pages nobody uses; the process ends in either case.
    let mapped = unsafe {
        let how = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        libc::mmap(std::ptr::null_mut(), LITTLE, libc::PROT_NONE, how, -1, 0)
    };
    mapped == libc::MAP_FAILED
}

/// Whether the C++ exception that is being handled is one of [`EXCEPTIONS`].
fn exception_says_so() -> bool {
    let address = EXCEPTION_TYPE.load(Ordering::SeqCst);
    if address == 0 {
        return false;
    }
    // SAFETY: the Itanium C++ ABI gives the function this type. It reads a variable of the thread, which `abort` was called
    // on: the signal is raised by the thread itself.
    let current =
        unsafe { std::mem::transmute::<usize, extern "C" fn() -> *const TypeInfo>(address) };
    let exception = current();
    if exception.is_null() {
        return false;
    }
    // SAFETY: a `std::type_info` of the C++ library, whose name ends in a zero byte.
    let name = unsafe { CStr::from_ptr((*exception).name) };
    EXCEPTIONS.contains(&name)
}

/// `std::type_info` in the Itanium C++ ABI.
#[repr(C)]
struct TypeInfo {
    virtual_table: *const c_void,
    name: *const c_char,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Command, ExitStatus};

    const MARK: &str = "VERDIFF_TEST_ABORTS";

    /// Run by the test below in processes of its own, which it ends.
    #[test]
    fn aborts_when_told() {
        let Ok(how) = std::env::var(MARK) else { return };
        exit_when_exhausted();
        match how.as_str() {
            "plain" => {}
            "allocation" => assert!(noted(std::ptr::null_mut()).is_null()),
            "solver" => note_solver_exhausted(true),
            "solver, before" => {
                note_solver_exhausted(true);
                note_solver_exhausted(false);
            }
            thrown => throw(thrown),
        }
        std::process::abort();
    }

    /// Throws a C++ exception that nobody catches: it is z3's library that brings the C++ library with it.
    fn throw(what: &str) {
        let name = match what {
            "bad_alloc" => c"_ZSt17__throw_bad_allocv",
            _ => c"_ZSt16__throw_bad_castv",
        };
        // SAFETY: a lookup of a name, and a call of a function without parameters, which does not return. Nobody
        // catches on a thread of the C library.
        unsafe {
            let found = libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr());
            assert!(!found.is_null(), "no C++ library");
            let start = std::mem::transmute::<*mut c_void, extern "C" fn(*mut c_void) -> *mut c_void>(
                found,
            );
            let mut thread = std::mem::zeroed();
            libc::pthread_create(&mut thread, std::ptr::null(), start, std::ptr::null_mut());
            libc::pthread_join(thread, std::ptr::null_mut());
        }
    }

    fn aborted(how: &str) -> ExitStatus {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "exit::tests::aborts_when_told", "--nocapture"])
            .env(MARK, how)
            .output();
        output.unwrap().status
    }

    #[test]
    fn an_exit_code_says_that_memory_ran_out() {
        // So that the library is loaded.
        drop(crate::solver::Z3::new());
        for how in ["allocation", "solver", "bad_alloc"] {
            let status = aborted(how);
            assert_eq!(status.code(), Some(OUT_OF_MEMORY.into()), "{how}: {status}");
        }
        for how in ["plain", "solver, before", "bad_cast"] {
            let status = aborted(how);
            assert_eq!(status.signal(), Some(libc::SIGABRT), "{how}: {status}");
        }
    }
}
