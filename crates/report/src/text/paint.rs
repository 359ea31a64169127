//! Colours, or none, and text that keeps to a width.

use anstyle::AnsiColor;

/// The colours of a report. Plain ones write nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Paint {
    /// Whether there are any.
    pub(super) is_coloured: bool,
    pub(super) title: anstyle::Style,
    pub(super) aside: anstyle::Style,
    pub(super) good: anstyle::Style,
    pub(super) bad: anstyle::Style,
    pub(super) undecided: anstyle::Style,
    pub(super) removed: anstyle::Style,
    pub(super) added: anstyle::Style,
}

impl Paint {
    pub(super) fn new(colour: bool) -> Paint {
        if !colour {
            return Paint::default();
        }
        Paint {
            is_coloured: true,
            title: anstyle::Style::new().bold(),
            aside: AnsiColor::Cyan.on_default(),
            good: AnsiColor::Green.on_default().bold(),
            bad: AnsiColor::Red.on_default().bold(),
            undecided: AnsiColor::Yellow.on_default().bold(),
            removed: AnsiColor::Red.on_default(),
            added: AnsiColor::Green.on_default(),
        }
    }
}

/// Text in a colour.
pub(super) fn painted(style: anstyle::Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

/// How many columns a text takes.
pub(super) fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Breaks a text at spaces into lines of at most `width` columns; a longer word stands alone.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for part in text.lines() {
        let mut line = String::new();
        for word in part.split(' ') {
            let needed = columns(&line) + 1 + columns(word);
            if !line.is_empty() && needed > width {
                lines.push(std::mem::take(&mut line));
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// The text, cut off with a sign of it if it is wider.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}
