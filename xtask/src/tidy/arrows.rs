//! Who may know whom: the arrows between the crates, as docs/internals/architecture.md has
//! them, checked against the manifests.

use super::Finding;
use crate::process::{cargo, output};
use anyhow::{Context, Result};
use serde_json::Value;

/// Each crate and the crates it may depend on. `cli` may depend on all.
const ARROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("process", &[]),
    ("cache", &[]),
    ("front", &["model", "process", "cache"]),
    // Revisions become translation units.
    ("revisions", &["front", "process", "cache"]),
    ("logic", &[]),
    ("polyhedra", &[]),
    ("symex", &["model", "logic"]),
    ("judge", &["model", "logic"]),
    // What judge and symex speak of, those who use them must be able to name.
    ("product", &["judge", "symex", "model", "logic"]),
    ("engines", &["product", "judge", "symex", "polyhedra", "model", "logic"]),
    ("plan", &["judge", "engines", "model", "logic", "cache", "process"]),
    ("witness", &["model", "judge", "process"]),
    // Conditions become C, entry states become C values.
    ("report", &["judge", "model", "logic", "cache"]),
    // What an editor shows is worded by the report.
    ("lsp", &["report"]),
    // The library joins what the program joins, without a command line and without git.
    ("verdiff", &["front", "plan", "witness", "report", "judge", "model", "logic", "cache"]),
];

/// Foreign crates that only some of ours may know: the beginning of a name, who may, why.
const FENCED: &[(&str, &[&str], &str)] = &[
    ("llvm-sys", &["front"], "only front knows LLVM"),
    ("inkwell", &["front"], "only front knows LLVM"),
    ("z3", &["logic"], "only logic knows Z3"),
    ("git2", &["revisions"], "only revisions knows git"),
    ("anyhow", &["cli", "xtask"], "a library has an error type of its own"),
    ("clap", &["cli"], "only cli reads arguments"),
    ("lsp-", &["lsp"], "only lsp knows editors"),
];

/// A package and what it depends on.
#[derive(Debug)]
pub struct Package {
    name: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug)]
struct Dependency {
    name: String,
    /// Whether only tests and examples see it.
    dev: bool,
}

/// The workspace's packages, from their manifests.
pub fn packages() -> Result<Vec<Package>> {
    let text = output(&mut cargo(&["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&text).context("cargo metadata")?;
    parse(&metadata).context("cargo metadata has another form than expected")
}

fn parse(metadata: &Value) -> Option<Vec<Package>> {
    let package = |value: &Value| {
        let dependency = |value: &Value| {
            Some(Dependency {
                name: value["name"].as_str()?.to_owned(),
                dev: value["kind"].as_str() == Some("dev"),
            })
        };
        Some(Package {
            name: value["name"].as_str()?.to_owned(),
            dependencies: value["dependencies"]
                .as_array()?
                .iter()
                .map(dependency)
                .collect::<Option<_>>()?,
        })
    };
    metadata["packages"].as_array()?.iter().map(package).collect()
}

/// Checks all edges.
pub fn check(packages: &[Package], findings: &mut Vec<Finding>) {
    for package in packages {
        let Some(own) = short(&package.name) else {
            findings
                .push(format!("{}: a package is named verdiff, verdiff-… or xtask", package.name));
            continue;
        };
        if allowed(own).is_none() {
            findings.push(format!("{own}: this crate is not in the list of arrows"));
            continue;
        }
        for dependency in &package.dependencies {
            if let Some(why) = forbidden(own, dependency) {
                findings.push(format!("crate {own}: may not depend on {}: {why}", dependency.name));
            }
        }
    }
}

/// Why a crate may not depend on another, if so.
fn forbidden(own: &str, dependency: &Dependency) -> Option<String> {
    for (start, who, why) in FENCED {
        if dependency.name.starts_with(start) && !who.contains(&own) {
            return Some((*why).to_owned());
        }
    }
    let other = short(&dependency.name).filter(|name| *name != "xtask")?;
    if own == "cli" && allowed(other).is_some() {
        return None;
    }
    if own != "xtask" && dependency.dev {
        // Tests may look down and sideways, never up.
        return reaches(other, own).then(|| format!("{other} itself depends on {own}"));
    }
    let list = allowed(own).unwrap_or_default();
    (!list.contains(&other)).then(|| match list {
        [] => "it knows none of our crates".to_owned(),
        list => format!("it knows only {}", list.join(", ")),
    })
}

/// Whether one crate knows another, itself or through others.
fn reaches(from: &str, to: &str) -> bool {
    from == to || allowed(from).unwrap_or_default().iter().any(|next| reaches(next, to))
}

fn allowed(own: &str) -> Option<&'static [&'static str]> {
    match own {
        "cli" | "xtask" => Some(&[]),
        own => ARROWS.iter().find(|(name, _)| *name == own).map(|(_, list)| *list),
    }
}

fn short(package: &str) -> Option<&str> {
    match package {
        "xtask" | "verdiff" => Some(package),
        package => package.strip_prefix("verdiff-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(own: &str, name: &str, dev: bool) -> Vec<Finding> {
        let dependencies = vec![Dependency { name: name.to_owned(), dev }];
        let mut findings = Vec::new();
        check(&[Package { name: own.to_owned(), dependencies }], &mut findings);
        findings
    }

    #[test]
    fn listed_arrows_are_fine() {
        assert!(findings("verdiff-symex", "verdiff-logic", false).is_empty());
        assert!(findings("verdiff-cli", "verdiff-report", false).is_empty());
        assert!(findings("verdiff-cli", "verdiff", false).is_empty());
        assert!(findings("verdiff", "verdiff-plan", false).is_empty());
        assert!(findings("verdiff-front", "llvm-sys", false).is_empty());
        assert!(findings("verdiff-model", "serde", false).is_empty());
    }

    #[test]
    fn others_are_not() {
        assert_eq!(
            findings("verdiff-report", "verdiff-engines", false),
            [
                "crate report: may not depend on verdiff-engines: it knows only judge, model, logic, cache"
            ]
        );
        assert_eq!(findings("verdiff-model", "verdiff-front", false).len(), 1);
        assert_eq!(findings("verdiff-symex", "z3-sys", false).len(), 1);
        assert_eq!(findings("verdiff-model", "llvm-sys", true).len(), 1);
        assert_eq!(findings("xtask", "verdiff-model", false).len(), 1);
        assert_eq!(findings("verdiff-model", "anyhow", false).len(), 1);
        assert_eq!(findings("verdiff-report", "verdiff", false).len(), 1);
        assert_eq!(findings("verdiff", "verdiff-revisions", false).len(), 1);
    }

    #[test]
    fn tests_look_down_and_sideways_only() {
        assert!(findings("verdiff-witness", "verdiff-front", true).is_empty());
        assert_eq!(findings("verdiff-model", "verdiff-front", true).len(), 1);
    }

    #[test]
    fn a_crate_outside_the_house_is_found() {
        assert_eq!(findings("verdiff-util", "serde", false).len(), 1);
        assert_eq!(findings("other", "serde", false).len(), 1);
    }
}
