//! Errors as the user sees them: one message, exit code 2. A panic is reported as a bug in verdiff.

use crate::arguments::Color;
use crate::paint::Paint;
use std::fmt::Write as _;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, PanicHookInfo};
use std::process::ExitCode;
use verdiff_front::FrontError;

/// The exit code of trouble.
pub const TROUBLE: u8 = 2;

/// Prints an error and returns the exit code.
///
/// A closed pipe (`verdiff show x.c | head`) is no error: nothing is printed, and the exit code is 0.
pub fn report(error: &anyhow::Error, color: Color) -> u8 {
    let closed = |e: &std::io::Error| e.kind() == std::io::ErrorKind::BrokenPipe;
    if error.downcast_ref::<std::io::Error>().is_some_and(closed) {
        return 0;
    }
    let message = match error.downcast_ref::<FrontError>() {
        // These messages are complete: they contain the system's message.
        Some(front) => {
            if let FrontError::DoesNotCompile { diagnostics, .. } = front {
                pass_on(diagnostics);
            }
            front.to_string()
        }
        None => format!("{error:#}"),
    };
    say("error", &message, color);
    TROUBLE
}

/// Warns of something that does not end the run.
pub fn warn(message: &str, color: Color) {
    say("warning", message, color);
}

/// Passes clang's messages on as they are.
pub fn pass_on(diagnostics: &str) {
    // If standard error is closed there is nowhere to report that.
    let _ = std::io::stderr().lock().write_all(diagnostics.as_bytes());
}

fn say(kind: &str, message: &str, color: Color) {
    let mut stream = std::io::stderr().lock();
    let paint = Paint::for_stream(&stream, color);
    let style = if kind == "error" { paint.error } else { paint.alarm };
    let message = message.trim_end();
    let _ = writeln!(stream, "{style}{kind}{style:#}: {message}");
}

/// Runs the program; a panic becomes a message and exit code 2.
pub fn guard(program: impl FnOnce() -> ExitCode) -> ExitCode {
    std::panic::set_hook(Box::new(|info| {
        let _ = std::io::stderr().lock().write_all(internal_error(info).as_bytes());
    }));
    let result = std::panic::catch_unwind(AssertUnwindSafe(program));
    result.unwrap_or(ExitCode::from(TROUBLE))
}

fn internal_error(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let text = payload.downcast_ref::<&str>().copied();
    let what = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = what.unwrap_or("no message");
    let mut text = format!("error: internal error: {what}\n");
    if let Some(place) = info.location() {
        let _ = writeln!(text, "  at {}:{}", place.file(), place.line());
    }
    let _ = writeln!(text, "This is a bug in verdiff, not in your program. {REPORT}");
    text
}

/// Prints that the run was interrupted before there was anything to report.
pub fn interrupted() {
    let _ = std::io::stderr().lock().write_all(b"error: interrupted: nothing was judged yet\n");
}

/// Prints that the worker process crashed.
pub fn crashed(end: &str) {
    let text = format!(
        "error: internal error: verdiff, or LLVM within it, crashed on this input ({end})\n\
         If the input is bitcode or IR, the file may be damaged: compile it again from its source.\n\
         Otherwise this is a bug in verdiff, not in your program. {REPORT}\n"
    );
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Prints that the exit status of the worker process is not available.
pub fn lost(error: &std::io::Error) {
    let text = format!(
        "error: the exit status of the worker process is not available: {error}\n\
         This happens if verdiff is started with SIGCHLD ignored. A report printed above is complete, but this exit code does not belong to it.\n"
    );
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

const REPORT: &str = concat!(
    "Please report it to\nthe project, with these lines, the command line, \
     the version (",
    env!("CARGO_PKG_VERSION"),
    ") and, if you\ncan share it, the input."
);

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "VERDIFF_TEST_PANICS";

    /// Run by the test below in a process of its own, since the hook is the process's.
    #[test]
    fn panics_when_told() {
        if std::env::var_os(MARK).is_some() {
            let code = guard(|| panic!("the {} is on fire", "printer"));
            assert_eq!(format!("{code:?}"), format!("{:?}", ExitCode::from(TROUBLE)));
            eprintln!("survived");
        }
    }

    #[test]
    fn a_panic_says_where_to_report_it() {
        let output = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "fault::tests::panics_when_told", "--nocapture"])
            .env(MARK, "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(text.contains("internal error: the printer is on fire"), "{text}");
        assert!(text.contains("Please report it"), "{text}");
        assert!(text.contains("survived"), "{text}");
        assert!(!text.contains("panicked at"), "{text}");
    }
}
