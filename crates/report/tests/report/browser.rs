//! The HTML report in a browser: what a user does with it, and whether everybody can read it.

use crate::examples::{condition, with_loops, with_states};
use crate::html::page;
use crate::sarif::everything;
use std::path::PathBuf;
use std::process::Command;
use verdiff_report::{Remark, Report};

/// How wide a window is: for a table of both versions, and for a phone. Chromium has no narrower windows.
const WIDE: u32 = 1200;
const NARROW: u32 = 500;

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

/// The text of axe-core, which checks accessibility: from `VERDIFF_AXE`, or where `cargo xtask browser` puts it.
fn axe() -> Option<String> {
    let named = std::env::var_os("VERDIFF_AXE").map(PathBuf::from);
    let fetched =
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/browser/axe.min.js"));
    match named {
        Some(path) => Some(std::fs::read_to_string(path).unwrap()),
        None => std::fs::read_to_string(fetched()).ok(),
    }
}

/// Opens a page, runs scripts in it, and gives the lines that they reported; `None` without a browser.
fn run_in_browser(page: &str, library: &str, steps: &str, width: u32) -> Option<Vec<String>> {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium in PATH; install it, or name it in VERDIFF_CHROMIUM");
        return None;
    };
    let folder = tempfile::tempdir().unwrap();
    let script = include_str!("browser_steps.js").replace("/* STEPS */", steps);
    let file = folder.path().join("page.html");
    let page = page
        .replace("</body>", &format!("<script>{library}</script><script>{script}</script></body>"));
    std::fs::write(&file, page).unwrap();
    let output = Command::new(browser)
        .args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--dump-dom",
        ])
        .arg("--virtual-time-budget=20000")
        .arg(format!("--window-size={width},900"))
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
    let Some(results) = run_in_browser(page, "", steps, WIDE) else { return };
    let failed: Vec<&String> = results.iter().filter(|line| !line.starts_with("ok ")).collect();
    assert!(failed.is_empty(), "{results:#?}");
    assert_eq!(results.len(), expected, "all steps ran: {results:#?}");
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
    report.pairs.push(with_loops());
    report.pairs.push(with_states());
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
        location.hash = "#f=loops";
        await pause();
        const loops = find(".loops tbody tr").textContent;
        check("loops with their lines", loops.includes("loop 1 of f, line 5") && loops.includes("line 6"));
        check("their iterations", loops.includes("2 : 1"));
        check("their invariant", loops.includes("new.s == 3*old.i"));
        location.hash = "#f=states";
        await pause();
        const states = byId("function").textContent;
        check("related states", states.includes("when both versions return: x is equal, i may differ (i' == i + 1)"));
        check("their table", find(".loops tbody tr").textContent.includes("return, line 6"));
        location.hash = "";
        await pause();
        check("the impact tree", byId("tree").textContent.includes("caller"));
    "##;
    check_in_browser(&page(&report), steps, steps.matches("check(").count());
}

#[test]
fn everybody_can_read_it() {
    let Some(axe) = axe() else {
        eprintln!(
            "skipped: no axe-core; `cargo xtask browser` fetches it, or name its file in VERDIFF_AXE"
        );
        return;
    };
    let mut report: Report = everything();
    report.pairs.push(with_loops());
    report.pairs.push(with_states());
    let steps = r##"
        const broken = async (where) => {
            const { violations } = await axe.run();
            return violations.map((one) => `${where}: ${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
        };
        let found = [];
        for (const dark of [false, true]) {
            setTheme(dark);
            const theme = dark ? "dark" : "light";
            location.hash = "";
            byId("keyhelp").hidden = false;
            await pause();
            found.push(...(await broken(`overview, ${theme}`)));
            byId("keyhelp").hidden = true;
            for (const entry of functions) {
                location.hash = "#f=" + encodeURIComponent(entry.f);
                await pause();
                document.querySelectorAll("details").forEach((details) => (details.open = true));
                found.push(...(await broken(`${entry.f}, ${theme}`)));
            }
        }
        check("no violations " + found.join("; ").slice(0, 4000), found.length === 0);
        byId("function").innerHTML += '<p style="color: #888; background: #999">hard to read</p>';
        found = await broken("a bad page");
        check("the check can fail", found.some((one) => one.includes("color-contrast")));
    "##;
    for width in [WIDE, NARROW] {
        let Some(results) = run_in_browser(&page(&report), &axe, steps, width) else { return };
        assert_eq!(results, ["ok no violations ", "ok the check can fail"], "{width} pixels wide");
    }
}
