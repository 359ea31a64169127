//! The HTML report: what is in it, and how it behaves in a browser.

use crate::examples::{condition, different, equivalent, inputs, int, report, returned};
use crate::sarif::{everything, sources};
use std::path::PathBuf;
use std::process::Command;
use verdiff_judge::{Kind, Side};
use verdiff_report::{Remark, Report, WitnessView, html};

fn page(report: &Report) -> String {
    html(report, &sources).unwrap()
}

/// A browser, if there is one: Chromium, from `VERDIFF_CHROMIUM` or from the path.
fn browser() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("VERDIFF_CHROMIUM") {
        return Some(PathBuf::from(named));
    }
    let path = std::env::var_os("PATH")?;
    let folders = std::env::split_paths(&path);
    let names = ["chromium", "chromium-browser", "google-chrome"];
    folders.flat_map(|folder| names.map(|name| folder.join(name))).find(|file| file.is_file())
}

/// Opens a page, runs steps in it, and gives the lines that they reported; `None` without a browser.
fn run_in_browser(page: &str, steps: &str) -> Option<Vec<String>> {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium in PATH; install it, or name it in VERDIFF_CHROMIUM");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let script = include_str!("browser_steps.js").replace("/* STEPS */", steps);
    // Accessibility is checked too where the file of axe-core is named.
    let axe = std::env::var_os("VERDIFF_AXE").map(|path| std::fs::read_to_string(path).unwrap());
    let axe = axe.unwrap_or_default();
    let file = folder.path().join("page.html");
    let page =
        page.replace("</body>", &format!("<script>{axe}</script><script>{script}</script></body>"));
    std::fs::write(&file, page).unwrap();
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--dump-dom",
        ])
        .args(["--virtual-time-budget=20000", "--window-size=1200,900"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .arg(format!("file://{}", file.display()))
        .output()
        .unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    let (_, results) = shown.split_once("<pre id=\"results\">").unwrap_or_else(|| {
        panic!("no results: {}\n{}", shown.len(), String::from_utf8_lossy(&output.stderr))
    });
    let results = results.split("</pre>").next().unwrap();
    Some(results.lines().map(str::to_owned).collect())
}

#[track_caller]
fn check_in_browser(page: &str, steps: &str, expected: usize) {
    let Some(results) = run_in_browser(page, steps) else { return };
    let failed: Vec<&String> = results.iter().filter(|line| !line.starts_with("ok ")).collect();
    assert!(failed.is_empty(), "{results:#?}");
    assert_eq!(results.len(), expected, "all steps ran: {results:#?}");
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

#[test]
fn filters_search_links_and_keys_work() {
    let mut report = everything();
    let test = Remark::TestWritten {
        files: vec![("t/f.c".to_owned(), "int main(void) { return f(4) != 4; }\n".to_owned())],
        passes_on_old: true,
    };
    report.pairs[0].add(&test);
    report.pairs[0].equal_under = condition("x != 4");
    let steps = r##"
        check("differences come first", rows()[0].textContent.includes("f"));
        check("equivalent functions are listed", text().includes("Equivalent"));
        const all = rows().length;
        click('[data-verdict="different"]');
        check("a tile filters", rows().length < all && rows().every((row) => row.textContent.includes("different")));
        check("filters are in the address", location.hash.includes("v=different"));
        click('[data-verdict="different"]');
        check("and back", rows().length === all);
        type("#search", "division by zero");
        check("search finds text of results", rows().length === 1 && text().includes("t"));
        check("the number is told", byId("count").textContent.startsWith("1 of"));
        click("#reset");
        await pause();
        check("reset shows all", rows().length === all);
        choose("#kind", "interface");
        check("kinds filter", rows().length === 1 && text().includes("sig"));
        choose("#kind", "");
        choose("#cause", "types");
        check("causes filter", rows().length === 1);
        choose("#cause", "");
        rows()[0].querySelector("a").click();
        await pause();
        check("a function has an address", location.hash === "#f=f");
        const shown = byId("function").textContent;
        check("its condition", shown.includes("differs exactly when x == 4"));
        check("its counterexample", shown.includes("x = 4") && shown.includes("returns 3"));
        check("its source", byId("function").querySelectorAll(".diff .added").length === 1);
        check("C has colours", byId("function").querySelector(".diff .k").textContent === "int");
        check("a number line", byId("function").querySelectorAll(".picture td.cd").length === 1);
        check("its C test", shown.includes("return f(4) != 4"));
        check("the heading has the focus", document.activeElement.tagName === "H1");
        key("j");
        await pause();
        check("j goes on", location.hash.startsWith("#f=") && location.hash !== "#f=f");
        key("Escape");
        await pause();
        check("Escape goes back", byId("function").hidden && !byId("overview").hidden);
        key("/");
        check("/ searches", document.activeElement.id === "search");
        document.activeElement.blur();
        key("t");
        check("t changes the theme", ["dark", "light"].includes(document.documentElement.dataset.theme));
        location.hash = "#f=loop";
        await pause();
        check("a deep link opens", byId("function").textContent.includes("What you can do"));
        check("with options to try", byId("function").textContent.includes("--assume 'loop:"));
        location.hash = "#f=u";
        await pause();
        check("the place of unsupported code", byId("function").textContent.includes("new.c:6"));
        location.hash = "";
        await pause();
        check("the impact tree", byId("tree").textContent.includes("caller"));
    "##;
    check_in_browser(&page(&report), steps, steps.matches("check(").count() + 2);
}
