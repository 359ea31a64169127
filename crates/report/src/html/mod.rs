//! The report as one self-contained page for a browser: no server, no network, no framework.
//!
//! The page is a template with its style and script inside, and the data of all functions as JSON. The script draws the
//! overview and, on demand, one function: a report on thousands of functions opens at once.
//!
//! | file | what it is |
//! |---|---|
//! | `page.html` | the template |
//! | `style.css` | light, dark, narrow screens, print |
//! | `script.js`, `source.js` | overview, filters, function pages, keyboard; C in colours, side by side |
//! | `data` | what is shown of each function |
//! | `picture` | conditions as a number line or grid |

mod advice;
mod data;
mod expression;
mod picture;

use crate::function_diff::Sources;
use crate::report::Report;
use crate::sarif::capitalised;
use crate::summary::{Summary, is_unchanged};
use crate::text::{conclusion, summary};
use minijinja::{Environment, Value as Shown, context};
use serde_json::{Value, json};

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = concat!(include_str!("source.js"), "\n", include_str!("script.js"));

/// A page that could not be made from its template.
#[derive(Debug, thiserror::Error)]
#[error("the HTML report could not be made: {0}")]
pub struct HtmlError(#[from] minijinja::Error);

/// A report as an HTML page.
pub fn html(report: &Report, sources: Sources<'_>) -> Result<String, HtmlError> {
    let counts = Summary::of(report);
    let unchanged = report.pairs.iter().filter(|pair| is_unchanged(pair)).count();
    let data = json!({
        "functions": data::functions(report, sources),
        "assumptions": report.assumptions,
        "rules": crate::rules::RULES.iter().map(|rule| json!([rule.code, rule.short])).collect::<Vec<_>>(),
    });
    let title = match (&report.revisions, &report.old_files[..], &report.new_files[..]) {
        (Some([old, new]), ..) => format!("{old} and {new}"),
        (None, [old], [new]) => format!("{old} and {new}"),
        (None, olds, news) => format!("{} files and {} files", olds.len(), news.len()),
    };
    let result = conclusion(report).map(|text| text.trim_start_matches("result: ").to_owned());
    let tiles: Vec<Shown> = [
        ("different", counts.different),
        ("unknown", counts.unknown),
        ("equivalent", counts.equivalent - counts.unchanged),
        ("unchanged", unchanged),
        ("added", counts.added),
        ("removed", counts.removed),
    ]
    .into_iter()
    .filter(|(word, count)| *count > 0 || matches!(*word, "different" | "unknown" | "equivalent"))
    .map(|(word, count)| context! { word => word, label => label(word), count => count })
    .collect();
    // A template of this name has its values escaped.
    let page = Environment::new().render_named_str(
        "page.html",
        PAGE,
        context! {
            title => title,
            version => env!("CARGO_PKG_VERSION"),
            result => result.or_else(|| report.notes.first().cloned()).map(|text| capitalised(&text)),
            summary => summary(&counts),
            tiles => tiles,
            notes => report.notes.clone(),
            not_compared => report.not_compared.iter().map(|f| format!("{}: {}", f.file, f.why)).collect::<Vec<_>>(),
            interrupted => report.interrupted,
            assumptions => report.assumptions.clone(),
            style => Shown::from_safe_string(STYLE.to_owned()),
            script => Shown::from_safe_string(SCRIPT.to_owned()),
            data => Shown::from_safe_string(embedded(&data)),
        },
    )?;
    Ok(page)
}

/// A verdict as the page names it.
fn label(word: &str) -> &str {
    if word == "unknown" { "undecided" } else { word }
}

/// JSON inside a script element: nothing in it ends the element.
fn embedded(data: &Value) -> String {
    data.to_string()
        .replace('<', "\\u003c")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
