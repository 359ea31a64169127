//! The output that README.md and the book show is what the program prints.
//! `UPDATE_EXPECT=1 cargo test -p verdiff-cli` writes what it prints now into them.

use crate::support::{Run, command};
use std::path::{Path, PathBuf};

const PAGES: &[&str] =
    &["README.md", "docs/book/getting-started.md", "docs/book/report.md", "docs/book/witnesses.md"];
const FENCE: &str = "```console\n";
/// Before the name of a file whose text follows.
const FILE: &str = "```c examples/";

#[test]
fn the_output_in_the_pages_is_real() {
    PAGES.iter().for_each(|page| check(&root().join(page)));
}

/// A page for each kind of verdict, with the code that it is about.
#[test]
fn the_gallery_is_real() {
    let folder = root().join("docs/book/gallery");
    let pages = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_page = |page: &PathBuf| {
        page.extension().is_some_and(|end| end == "md") && !page.ends_with("README.md")
    };
    let pages: Vec<PathBuf> = pages.filter(is_page).collect();
    assert!(pages.len() >= 9, "{pages:?}");
    for page in &pages {
        check(page);
        // `cargo xtask tidy` finds out whether the picture is there.
        let name = page.file_stem().unwrap().to_string_lossy();
        let text = std::fs::read_to_string(page).unwrap();
        assert!(text.contains(&format!("]({name}.png)")), "{name} has no picture");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[track_caller]
fn check(page: &Path) {
    let shown = std::fs::read_to_string(page).unwrap();
    let real = with_real_output(&root(), &with_real_files(&root(), &shown));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(page, &real).unwrap();
    } else {
        let first = shown.lines().zip(real.lines()).find(|(shown, real)| shown != real);
        assert!(shown == real, "{}: {first:#?}", page.display());
    }
    assert!(shown.contains(FENCE), "{} shows nothing", page.display());
}

/// A page with the text of each file of the examples that it shows.
fn with_real_files(root: &Path, page: &str) -> String {
    let mut blocks = page.split(FILE);
    let mut real = blocks.next().unwrap().to_owned();
    for block in blocks {
        let (block, after) = block.split_once("```").unwrap();
        let (name, _) = block.split_once('\n').unwrap();
        let text = std::fs::read_to_string(root.join("examples").join(name)).unwrap();
        real += &format!("{FILE}{name}\n{text}```{after}");
    }
    real
}

/// A page with each block of console output made anew.
fn with_real_output(root: &Path, page: &str) -> String {
    let mut blocks = page.split(FENCE);
    let mut real = blocks.next().unwrap().to_owned();
    for block in blocks {
        let (block, after) = block.split_once("```").unwrap();
        let (line, _) = block.split_once('\n').unwrap();
        let mut arguments: Vec<&str> =
            line.strip_prefix("$ verdiff ").unwrap().split(' ').collect();
        // A busy machine may reach the usual time limit. So the usual effort is counted, with more time for it.
        if arguments[0].ends_with(".c") && !arguments.contains(&"--timeout") {
            arguments.extend(["--effort", "8", "--timeout", "200"]);
        }
        let run = Run::of(&command(root).args(arguments).output().unwrap());
        assert!([Some(0), Some(1), Some(3)].contains(&run.code), "{line}: {run:#?}");
        assert_eq!(run.stderr, "", "{line}");
        real += &format!("{FENCE}{line}\n{}```{after}", run.stdout);
    }
    real
}
