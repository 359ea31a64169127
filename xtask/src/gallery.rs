//! `cargo xtask gallery`: the pictures of the gallery, one for each kind of verdict, from the examples.

use crate::book::GALLERY;
use crate::browser::{evaluated, headless};
use crate::demo;
use crate::process::{root, verdiff};
use anyhow::{Context, Result, bail};
use std::path::Path;

/// The examples.
const PICTURES: [&str; 9] = [
    "equivalent",
    "value",
    "memory",
    "output",
    "trap",
    "termination",
    "interface",
    "unknown",
    "added",
];
/// The window, in pixels of the page.
const WIDTH: u32 = 760;
/// How large a pixel of the page is in the picture: text stays readable, and the file small.
const SCALE: f64 = 0.8;
/// The pictures are in the repository, so they are small.
const MOST_BYTES: u64 = 60_000;

/// The bottoms of the sections that a picture may end with, the lowest first.
const BOTTOMS: &str =
    "const parts = document.querySelectorAll('#function section, #function .lead, .list');
    const shown = [...parts].filter((part) => part.offsetHeight);
    const kept = shown.filter((part) => !/^(Engines|Related|C test)/.test(part.textContent));
    return kept.map((part) => Math.ceil(part.getBoundingClientRect().bottom + scrollY)).reverse();";

/// Makes all pictures, with the binary that is built now or with another one.
pub fn pictures(binary: Option<&str>) -> Result<()> {
    let binary = match binary {
        Some(binary) => Path::new(binary).canonicalize().context("no such program")?,
        None => demo::build()?,
    };
    for name in PICTURES {
        picture(&binary, name)?;
    }
    Ok(())
}

fn picture(binary: &Path, name: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let example = format!("examples/gallery/{name}");
    let page = folder.path().join("report.html");
    let mut compare = verdiff(binary);
    compare.current_dir(root()).args([format!("{example}/old.c"), format!("{example}/new.c")]);
    // The exit code says what was found; whether the page is there is what matters.
    compare.args(["--quiet", "--no-progress", "-o"]).arg(&page).status()?;
    let text = std::fs::read_to_string(&page).context("verdiff wrote no page")?;
    // The overview, where several functions are what the example is about.
    let several = evaluated(&text, "", "return functions.length;", WIDTH)? != "1";
    let function = evaluated(&text, "", "return functions[0].f;", WIDTH)?;
    let fragment = if several { String::new() } else { format!("f={function}") };
    let bottoms = evaluated(&text, &fragment, BOTTOMS, WIDTH)?;
    let file = root().join(format!("{GALLERY}/{name}.png"));
    for bottom in bottoms.split(',') {
        let height = bottom.parse::<u32>().with_context(|| format!("{name} has no sections"))? + 12;
        let mut browser = headless(folder.path())?;
        browser.arg(format!("--window-size={WIDTH},{height}"));
        browser.arg(format!("--force-device-scale-factor={SCALE}"));
        browser.arg(format!("--screenshot={}", file.display())).arg("--virtual-time-budget=2000");
        browser.arg(format!("file://{}#{fragment}", page.display())).status()?;
        let bytes = std::fs::metadata(&file).context("Chromium took no picture")?.len();
        if bytes <= MOST_BYTES {
            println!("{name}.png: {WIDTH} x {height}, {bytes} bytes");
            return Ok(());
        }
    }
    bail!("{name}.png has more than {MOST_BYTES} bytes, even with one section");
}
