//! The script behind the GitHub Action and the GitLab job, and the pre-commit hook, run on a repository made here.

use super::{CLAMP, CLAMP_OTHER, CLAMP_SAME, Repository, independent};
use crate::support::{Run, command};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Runs the script as the Action does.
fn compare(repository: &Repository, fail_on: &str) -> Run {
    let mut script = Command::new(root().join("integrations/compare.sh"));
    script
        .args(["HEAD~1", "HEAD"])
        .current_dir(repository.work())
        .env("VERDIFF", env!("CARGO_BIN_EXE_verdiff"))
        .env("VERDIFF_CACHE", "")
        .env("VERDIFF_FAIL_ON", fail_on)
        .env("VERDIFF_ARGS", "--timeout 20 --jobs 1")
        .env("VERDIFF_OUTPUT", repository.path("reports"))
        .env("GITHUB_STEP_SUMMARY", repository.path("summary.md"))
        .env("GITHUB_OUTPUT", repository.path("outputs"));
    Run::of(&independent(&mut script).output().unwrap())
}

fn read(repository: &Repository, name: &str) -> String {
    std::fs::read_to_string(repository.path(name)).unwrap()
}

#[test]
fn the_script_of_the_action_writes_all_reports_and_the_summary() {
    let repository =
        Repository::with(&[&[("src/clamp.c", CLAMP)], &[("src/clamp.c", CLAMP_OTHER)]]);
    let run = compare(&repository, "different");
    assert_eq!(run.code, Some(1), "{run:#?}");
    let sarif: Value = serde_json::from_str(&read(&repository, "reports/report.sarif")).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/clamp.c");
    let issues = read(&repository, "reports/gl-code-quality-report.json");
    assert!(issues.contains("\"path\": \"src/clamp.c\""), "{issues}");
    let summary = read(&repository, "summary.md");
    assert!(summary.contains("| `clamp` <sub>src/clamp.c:1</sub> | ❌ different |"), "{summary}");
    assert!(read(&repository, "reports/report.html").contains("clamp"));
    assert!(read(&repository, "outputs").starts_with("status=1\nreports="));

    assert_eq!(compare(&repository, "nothing").code, Some(0));
    // What the accept file of the repository names does not fail the job.
    let report = repository.path("reports/report.json");
    let mut accept = command(&repository.work());
    let accepted = accept.arg("accept").arg(report).args(["--why", "wanted"]).output().unwrap();
    assert!(accepted.status.success(), "{accepted:?}");
    let run = compare(&repository, "different");
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert!(read(&repository, "reports/report.md").contains("☑️ accepted"));
}

#[test]
fn the_hook_lets_equivalent_changes_pass() {
    let hooks = std::fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: verdiff ")).unwrap();
    let repository = Repository::with(&[&[("clamp.c", CLAMP)]]);
    for (text, code) in [(CLAMP_SAME, 0), (CLAMP_OTHER, 1)] {
        repository.write(&[("clamp.c", text)]);
        repository.git_in("work", &["add", "-A"]);
        let mut hook = command(&repository.work());
        let run = Run::of(&independent(&mut hook).args(entry.split(' ')).output().unwrap());
        assert_eq!(run.code, Some(code), "{run:#?}");
    }
}

#[test]
fn the_files_for_ci_name_options_that_exist() {
    let help = Run::of(&command(&root()).args(["git", "--help"]).output().unwrap()).ok();
    for file in [
        "integrations/compare.sh",
        "integrations/gitlab/verdiff.gitlab-ci.yml",
        ".pre-commit-hooks.yaml",
    ] {
        let text = std::fs::read_to_string(root().join(file)).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words = code.flat_map(|line| line.split([' ', '"', '\''])).collect::<Vec<_>>();
        let options = words.iter().filter(|word| word.starts_with("--") && word.len() > 3);
        for option in options {
            assert!(help.contains(*option), "{file}: {option}");
        }
    }
}
