//! Colours, or none.

use crate::arguments::Color;
use anstream::ColorChoice;
use anstream::stream::RawStream;
use anstyle::{AnsiColor, Style};

/// The colours of the output. Plain unless they are wanted and the stream can show them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paint {
    /// Titles.
    pub title: Style,
    /// What is said beside the matter.
    pub aside: Style,
    /// What is unsupported.
    pub alarm: Style,
    /// An error.
    pub error: Style,
}

impl Paint {
    /// Whether a stream is to have colours.
    pub fn wants(stream: &impl RawStream, color: Color) -> bool {
        match color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => anstream::AutoStream::choice(stream) != ColorChoice::Never,
        }
    }

    /// The colours for a stream: as told, else by what the stream is and by `NO_COLOR`,
    /// `CLICOLOR_FORCE` and `TERM`.
    pub fn for_stream(stream: &impl RawStream, color: Color) -> Paint {
        if !Paint::wants(stream, color) {
            return Paint::default();
        }
        Paint {
            title: Style::new().bold(),
            aside: AnsiColor::Cyan.on_default(),
            alarm: AnsiColor::Yellow.on_default().bold(),
            error: AnsiColor::Red.on_default().bold(),
        }
    }
}
