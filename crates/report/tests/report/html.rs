//! The HTML report: what is in it.

use crate::examples::{different, equivalent, inputs, int, report, returned};
use crate::sarif::{everything, sources};
use verdiff_judge::{Kind, Side};
use verdiff_report::{Report, WitnessView, html};

pub fn page(report: &Report) -> String {
    html(report, &sources).unwrap()
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    let page = page(&everything());
    assert!(page.starts_with("<!doctype html>"));
    for word in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn names_and_sources_cannot_break_out_of_the_page() {
    let evil = "</script><script>alert(1)</script>";
    let mut pair = equivalent(evil);
    pair.notes = vec![evil.to_owned()];
    let report = Report {
        notes: vec![evil.to_owned()],
        old_files: vec![evil.to_owned()],
        ..report(vec![pair])
    };
    let page =
        html(&report, &|_, _| Some(format!("int f(void)\n\nint f(void) {{ /* {evil} */ }}\n")))
            .unwrap();
    assert!(!page.contains("<script>alert"), "{page}");
}

#[test]
fn a_page_with_many_functions_stays_small() {
    let long: String = (0..60).map(|n| format!("    total += values[{n}] * weight;\n")).collect();
    let body = |last: &str| format!("\n\nint f(int x)\n{{\n{long}    return {last};\n}}\n");
    let many = (0..5000).map(|n| match n % 2 {
        0 => {
            let shown = WitnessView {
                inputs: inputs(&[("x", int(n))]),
                old: returned(int(1)),
                new: returned(int(2)),
                ..WitnessView::default()
            };
            different(&format!("function_{n}"), true, &[Kind::Value], &format!("x == {n}"), shown)
        }
        _ => equivalent(&format!("function_{n}")),
    });
    let report = report(many.collect());
    let text = |side: Side| body(if side == Side::Old { "x" } else { "x + 1" });
    let page = html(&report, &|side, _| Some(text(side))).unwrap();
    assert!(page.len() < 10_000_000, "{} bytes", page.len());
    if let Some(path) = std::env::var_os("VERDIFF_KEEP_PAGE") {
        std::fs::write(path, page).unwrap();
    }
}
