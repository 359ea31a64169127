//! Which format of the report goes where.
//!
//! The name of a file decides its format. A file with any other name takes the first `--format` that no file has,
//! else text. A `--format` that a file has is not printed, except JSON, which scripts read from both. What is left
//! goes to standard output: one format at most, text if there is none.

use crate::report_arguments::{Format, ReportOptions};
use anyhow::bail;
use clap::ValueEnum;
use std::path::{Path, PathBuf};

/// Where the report goes.
#[derive(Debug, PartialEq, Eq)]
pub struct Destinations {
    /// The format on standard output.
    pub stdout: Format,
    /// All files with their formats.
    pub files: Vec<(PathBuf, Format)>,
}

impl Destinations {
    /// As the arguments name them.
    pub fn of(options: &ReportOptions) -> anyhow::Result<Destinations> {
        let named: Vec<(&PathBuf, Option<Format>)> =
            options.output.iter().map(|path| (path, format_of(path))).collect();
        let has_file = |format: &Format| named.iter().any(|(_, named)| *named == Some(*format));
        let mut left: Vec<Format> = vec![];
        for format in &options.format {
            let stays = *format == Format::Json || !has_file(format);
            if stays && !left.contains(format) {
                left.push(*format);
            }
        }
        let mut files = vec![];
        for (path, format) in named {
            let format =
                format.unwrap_or_else(|| match left.iter().position(|f| *f != Format::Json) {
                    Some(index) => left.remove(index),
                    None => Format::Text,
                });
            files.push((path.clone(), format));
        }
        if let [_, second, ..] = left[..] {
            let name = name(second);
            bail!(
                "--format {name}: name a file for it with -o; only one format fits standard output"
            );
        }
        Ok(Destinations { stdout: left.first().copied().unwrap_or(Format::Text), files })
    }
}

/// A format as the user writes it.
pub fn name(format: Format) -> String {
    format.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// The format that a file's name stands for.
fn format_of(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?.to_lowercase();
    let is_quality = name.contains("code-quality") || name.contains("codequality");
    match name.rsplit_once('.')?.1 {
        "json" if name.ends_with(".sarif.json") => Some(Format::Sarif),
        "json" if is_quality => Some(Format::CodeQuality),
        "json" => Some(Format::Json),
        "sarif" => Some(Format::Sarif),
        "html" | "htm" => Some(Format::Html),
        "md" | "markdown" => Some(Format::Markdown),
        "txt" => Some(Format::Text),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(formats: &[Format], files: &[&str], stdout: Format, expected: &[Format]) {
        let options = ReportOptions {
            evidence: None,
            format: formats.to_vec(),
            output: files.iter().map(PathBuf::from).collect(),
            fail_on: vec![],
            no_pager: false,
            baseline: None,
        };
        let found = Destinations::of(&options).unwrap();
        assert_eq!(found.stdout, stdout);
        let formats: Vec<Format> = found.files.into_iter().map(|(_, format)| format).collect();
        assert_eq!(formats, expected);
    }

    #[test]
    fn names_decide_formats() {
        use Format::*;
        check(&[], &[], Text, &[]);
        check(&[Json], &[], Json, &[]);
        check(&[Json], &["a.json"], Json, &[Json]);
        check(&[], &["a.json", "b.sarif", "c.SARIF.json"], Text, &[Json, Sarif, Sarif]);
        check(&[Html], &["report.html"], Text, &[Html]);
        check(&[Sarif, Markdown], &["a.sarif"], Markdown, &[Sarif]);
        check(&[Html, Sarif], &["a.out", "b"], Text, &[Html, Sarif]);
        check(&[], &["report", "gl-code-quality-report.json"], Text, &[Text, CodeQuality]);
        check(&[Json], &["report"], Json, &[Text]);
    }

    #[test]
    fn only_one_format_is_printed() {
        let options = ReportOptions {
            evidence: None,
            format: vec![Format::Sarif, Format::Markdown],
            output: vec![],
            fail_on: vec![],
            no_pager: false,
            baseline: None,
        };
        let error = Destinations::of(&options).unwrap_err().to_string();
        assert!(error.contains("--format markdown"), "{error}");
    }
}
