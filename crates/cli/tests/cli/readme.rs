//! The output that README.md and the book show is what the program prints.
//! `UPDATE_EXPECT=1 cargo test -p verdiff-cli` writes what it prints now into them.

use crate::support::{Run, command};
use std::path::Path;

const PAGES: &[&str] =
    &["README.md", "docs/book/getting-started.md", "docs/book/report.md", "docs/book/witnesses.md"];
const FENCE: &str = "```console\n";

#[test]
fn the_output_in_the_pages_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for page in PAGES {
        let shown = std::fs::read_to_string(root.join(page)).unwrap();
        let real = with_real_output(&root, &shown);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(root.join(page), &real).unwrap();
        } else {
            assert_eq!(shown, real, "{page}");
        }
        assert!(shown.contains(FENCE), "{page} shows nothing");
    }
}

/// A page with each block of console output made anew.
fn with_real_output(root: &Path, page: &str) -> String {
    let mut blocks = page.split(FENCE);
    let mut real = blocks.next().unwrap().to_owned();
    for block in blocks {
        let (block, after) = block.split_once("```").unwrap();
        let (line, _) = block.split_once('\n').unwrap();
        let arguments = line.strip_prefix("$ verdiff ").unwrap().split(' ');
        let run = Run::of(&command(root).args(arguments).output().unwrap());
        assert!([Some(0), Some(1), Some(3)].contains(&run.code), "{line}: {run:#?}");
        assert_eq!(run.stderr, "", "{line}");
        real += &format!("{FENCE}{line}\n{}```{after}", run.stdout);
    }
    real
}
