//! `cargo xtask book`: the book as web pages, made by the library of mdBook, and every link in them checked.

mod pages;

use crate::process::{cargo, root, run, target};
use crate::tidy::links::{ARCHIVE, SUMMARY, links, resolved};
use crate::tidy::{TextFile, tracked};
use anyhow::{Context, Result, bail};

/// Where the pages are documents.
const DOCUMENTS: &str = "docs/";
/// Where pictures are.
pub const GALLERY: &str = "docs/book/gallery";
/// The package that has mdBook as a library.
const BUILDER: &str = "integrations/book/Cargo.toml";

/// Whether mdBook can be had: it is no dependency of verdiff, and comes from the registry when it is first needed.
pub fn is_available() -> bool {
    let fetch = cargo(&["fetch", "--quiet", "--locked", "--manifest-path", BUILDER]).status();
    fetch.is_ok_and(|status| status.success())
}

/// Builds the book in target/book.
pub fn build() -> Result<()> {
    let folder = root().join("target/book-source/docs");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).context("cannot remove the old copy of the pages")?;
    }
    let is_page =
        |file: &TextFile| file.path.starts_with(DOCUMENTS) && !file.path.starts_with(ARCHIVE);
    for file in tracked()?.into_iter().filter(is_page) {
        let path = folder.join(&file.path[DOCUMENTS.len()..]);
        std::fs::create_dir_all(path.parent().context("a page has no folder")?)?;
        let text = if file.path.ends_with(".md") { within_book(&file) } else { file.content };
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    }
    for picture in std::fs::read_dir(root().join(GALLERY))? {
        let path = picture?.path();
        if path.extension().is_some_and(|end| end == "png") {
            let name = path.file_name().context("a picture has no name")?;
            std::fs::copy(&path, folder.join(&GALLERY[DOCUMENTS.len()..]).join(name))?;
        }
    }
    let output = root().join("target/book");
    let mut builder = cargo(&["run", "--quiet", "--locked", "--manifest-path", BUILDER, "--"]);
    // Beside what is built of verdiff: nothing is shared.
    builder.env("CARGO_TARGET_DIR", target().join("book-builder"));
    run(builder.arg(&folder).arg(&output))?;
    let broken = pages::broken_links(&output)?;
    if !broken.is_empty() {
        bail!("links of the book lead nowhere:\n{}", broken.join("\n"));
    }
    println!("{}", output.join("index.html").display());
    Ok(())
}

/// A page whose links lead to pages: files of the repository are no part of the book, and only named. mdBook makes
/// `index.html` of a `README.md`, and does not know that where it is linked.
fn within_book(file: &TextFile) -> String {
    let mut text = String::new();
    let mut done = 0;
    for link in links(&file.content) {
        let target = resolved(&file.path, link.target).map(|(path, _)| path);
        let is_page = target.is_some_and(|path| {
            let is_document = path.starts_with(DOCUMENTS) && !path.starts_with(ARCHIVE);
            // The table of contents is beside every page, and no page.
            is_document && path.ends_with(".md") && path != SUMMARY
        });
        let is_readme = link.target.ends_with("README.md") && file.path != SUMMARY;
        let is_picture = link.target.ends_with(".png");
        let stays = link.target.contains("://") || is_picture || (is_page && !is_readme);
        if stays || link.at < done {
            continue;
        }
        text += &file.content[done..link.at];
        text += &match is_page {
            true => format!("[{}]({})", link.text, link.target.replace("README.md", "index.md")),
            false => link.text.to_owned(),
        };
        let end = link.at + link.text.len() + 2;
        done = end + file.content[end..].find(')').map_or(0, |at| at + 1);
    }
    text + &file.content[done..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_are_linked() {
        let content = "[a](limits.md), [`b`](../../crates/x.rs), [c](../bench/y.md), [d](../internals/), ![p](p.png) and [e](https://x.org).";
        let file = TextFile { path: "docs/book/report.md".to_owned(), content: content.to_owned() };
        assert_eq!(
            within_book(&file),
            "[a](limits.md), `b`, c, d, ![p](p.png) and [e](https://x.org)."
        );
        let content = "- [a](book/gallery/README.md)\n".to_owned();
        let list = TextFile { path: SUMMARY.to_owned(), content: content.clone() };
        assert_eq!(within_book(&list), content);
        let page = TextFile { path: "docs/README.md".to_owned(), content };
        assert_eq!(within_book(&page), "- [a](book/gallery/index.md)\n");
    }
}
