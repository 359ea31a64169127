//! The links of the pages that mdBook made: each leads to a file that is there, and to a place that is in it.
//!
//! `tidy` checks the links of the documents. What mdBook makes of them, the names of headings above all, is seen only here.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// The links of all pages in a folder that lead nowhere, with the page of each.
pub fn broken_links(folder: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    collect(folder, &mut pages)?;
    let mut broken = vec![];
    for (page, text) in &pages {
        for link in values(text, "href") {
            if leads_nowhere(folder, page, link, &pages) {
                let page = page.strip_prefix(folder).unwrap_or(page);
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    broken.sort();
    broken.dedup();
    Ok(broken)
}

fn collect(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) -> Result<()> {
    let context = || format!("cannot read {}", folder.display());
    for entry in std::fs::read_dir(folder).with_context(context)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, pages)?;
        } else if path.extension().is_some_and(|end| end == "html") {
            let text = std::fs::read_to_string(&path).with_context(context)?;
            pages.insert(path, text);
        }
    }
    Ok(())
}

fn leads_nowhere(
    folder: &Path,
    page: &Path,
    link: &str,
    pages: &BTreeMap<PathBuf, String>,
) -> bool {
    let has_scheme = ["http:", "https:", "mailto:", "data:", "javascript:"]
        .iter()
        .any(|scheme| link.starts_with(scheme));
    // The page for what is not found is made for the root of a server.
    if has_scheme || link.starts_with('/') || page.ends_with("404.html") {
        return false;
    }
    let (file, place) = link.split_once('#').unwrap_or((link, ""));
    let target = match file {
        "" => page.to_path_buf(),
        file => normal(&page.parent().unwrap_or(folder).join(file)),
    };
    if !target.starts_with(folder) || !target.is_file() {
        return true;
    }
    let text = pages.get(&target);
    !place.is_empty() && text.is_some_and(|text| !values(text, "id").any(|id| id == place))
}

/// The values of an attribute in a page.
fn values<'t>(text: &'t str, attribute: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {attribute}=\"");
    text.match_indices(&start)
        .map(|(at, found)| &text[at + found.len()..])
        .filter_map(|rest| rest.split_once('"').map(|(value, _)| value))
        .collect::<Vec<_>>()
        .into_iter()
}

/// A path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(normal.pop()),
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_no_file_and_to_no_heading_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        write("a.html", "<a href=\"sub/b.html#x\"></a><a href=\"#y\"></a><h1 id=\"z\"></h1>");
        write(
            "sub/b.html",
            "<a href=\"../a.html#z\"></a><a href=\"c.html\"></a><h1 id=\"x\"></h1>",
        );
        let broken = broken_links(folder.path()).unwrap();
        assert_eq!(broken, ["a.html: #y", "sub/b.html: c.html"]);
    }
}
