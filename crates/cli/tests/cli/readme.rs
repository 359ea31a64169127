//! The output that README.md shows is what the program prints.

use crate::support::{Run, command};
use std::path::Path;

#[test]
fn the_output_in_the_readme_is_real() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let mut checked = 0;
    for block in readme.split("```console\n").skip(1) {
        let (block, _) = block.split_once("```").unwrap();
        let (line, shown) = block.split_once('\n').unwrap();
        let arguments = line.strip_prefix("$ verdiff ").unwrap().split(' ');
        let real = Run::of(&command(&root).args(arguments).output().unwrap()).ok();
        assert_eq!(shown, real, "after `{line}` README.md should have:\n{real}");
        checked += 1;
    }
    assert!(checked > 0);
}
