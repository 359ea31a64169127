//! Long reports on a terminal are shown by a pager, as git does: the program in VERDIFF_PAGER or PAGER, else `less`. An
//! empty value or `cat` means none. `less` gets the options that git gives it: it ends by itself if the text fits the
//! screen, shows colours, and leaves the text on the screen.

use std::io::{IsTerminal, Write};
use std::process::{Command, Stdio};

/// The pager that the environment names; `None` if it wants none.
fn chosen(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let named = ["VERDIFF_PAGER", "PAGER"].into_iter().find_map(variable);
    let pager = named.unwrap_or_else(|| "less".to_owned());
    Some(pager.trim().to_owned()).filter(|pager| !pager.is_empty() && pager != "cat")
}

/// Shows text in a pager if standard output is a terminal and the text is longer than its screen. Gives whether it did.
pub fn show(text: &str) -> bool {
    let Some((_, height)) =
        terminal_size::terminal_size().filter(|_| std::io::stdout().is_terminal())
    else {
        return false;
    };
    if text.lines().count() < usize::from(height.0) {
        return false;
    }
    let Some(pager) = chosen(|name| std::env::var(name).ok()) else { return false };
    page(&pager, text)
}

fn page(pager: &str, text: &str) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", pager]).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", "FRX");
    }
    let Ok(mut child) = command.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Who leaves the pager early has seen enough.
        let _ = input.write_all(text.as_bytes());
    }
    // A shell that does not find the pager exits with 127: the text is then printed.
    child.wait().is_ok_and(|status| status.code() != Some(127))
}

/// How wide the terminal is, if standard output is one.
pub fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size().filter(|_| std::io::stdout().is_terminal())?;
    Some(usize::from(width.0).clamp(40, 240))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_names_the_pager() {
        let with = |own: Option<&str>, common: Option<&str>| {
            chosen(|name| if name == "PAGER" { common } else { own }.map(str::to_owned))
        };
        assert_eq!(with(None, None).as_deref(), Some("less"));
        assert_eq!(with(None, Some("more")).as_deref(), Some("more"));
        assert_eq!(with(Some("most -s"), Some("more")).as_deref(), Some("most -s"));
        assert_eq!(with(Some(""), Some("more")), None);
        assert_eq!(with(None, Some("cat")), None);
    }

    #[test]
    fn a_pager_that_is_missing_leaves_the_text_to_be_printed() {
        assert!(!page("no-such-pager-here 2>/dev/null", "text"));
        assert!(page("cat >/dev/null", "text"));
    }
}
