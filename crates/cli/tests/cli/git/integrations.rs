//! The scripts of the GitHub Action and the GitLab job, and the pre-commit hook, run on a repository made here; and the
//! extension for Visual Studio Code, without the editor.

use super::{CLAMP, CLAMP_OTHER, CLAMP_SAME, Repository, independent};
use crate::support::{Run, command};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The lines of a YAML file that stand behind a line, as far as they are indented more than `indentation`.
fn block(file: &str, line: &str, indentation: usize) -> String {
    let text = std::fs::read_to_string(root().join(file)).unwrap();
    let lines = text.lines().skip_while(|text| text.trim() != line).skip(1);
    let inner = lines.take_while(|text| text.len() - text.trim_start().len() > indentation);
    inner.map(|text| text.trim().to_owned() + "\n").collect()
}

/// The script of a step of the Action.
fn step(name: &str) -> String {
    let step = block("action.yml", &format!("- name: {name}"), 4);
    let (_, script) = step.split_once("run: ").unwrap();
    script.trim_start_matches("|\n").to_owned()
}

/// Runs the steps of the Action that compare and that give the result, as GitHub runs them.
fn compare(repository: &Repository, fail_on: &str) -> Run {
    let bash = |script: &str, status: &str| {
        let mut shell = Command::new("bash");
        shell
            .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
            .current_dir(repository.work())
            .env("GITHUB_ACTION_PATH", root())
            .env("BASE", "HEAD~1")
            .env("HEAD", "HEAD")
            .env("STATUS", status)
            .env("VERDIFF", env!("CARGO_BIN_EXE_verdiff"))
            .env("VERDIFF_CACHE", "")
            .env("VERDIFF_FAIL_ON", fail_on)
            .env("VERDIFF_ARGS", "--timeout 20 --jobs 1")
            .env("VERDIFF_OUTPUT", repository.path("reports"))
            .env("GITHUB_STEP_SUMMARY", repository.path("summary.md"))
            .env("GITHUB_OUTPUT", repository.path("outputs"));
        Run::of(&independent(&mut shell).output().unwrap())
    };
    // What GitHub hands from one step to the next is in this file.
    let _ = std::fs::remove_file(repository.path("outputs"));
    let compared = bash(&step("Compare"), "");
    assert_eq!(compared.code, Some(0), "the steps that upload run in any case: {compared:#?}");
    let outputs = read(repository, "outputs");
    let status = outputs.lines().find_map(|line| line.strip_prefix("status=")).unwrap();
    bash(&step("Result"), status)
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
fn the_job_of_gitlab_writes_code_quality() {
    let repository = Repository::with(&[&[("clamp.c", CLAMP)], &[("clamp.c", CLAMP_OTHER)]]);
    let script = block("integrations/gitlab/verdiff.gitlab-ci.yml", "script:", 2);
    let script = script.trim_start_matches("- ").replace('\n', " ");
    let programs = Path::new(env!("CARGO_BIN_EXE_verdiff")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    let mut shell = Command::new("sh");
    shell.args(["-euc", &script]).current_dir(repository.work());
    shell.env("PATH", format!("{}:{path}", programs.display()));
    for (name, value) in [
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD~1"),
        ("CI_COMMIT_SHA", "HEAD"),
        ("VERDIFF_FAIL_ON", "different"),
        ("VERDIFF_ARGS", "--jobs 1"),
        ("VERDIFF_CACHE", ""),
    ] {
        shell.env(name, value);
    }
    let run = Run::of(&independent(&mut shell).output().unwrap());
    assert_eq!(run.code, Some(1), "{run:#?}");
    let quality = read(&repository, "work/gl-code-quality-report.json");
    let issues: Value = serde_json::from_str(&quality).unwrap();
    assert_eq!(issues[0]["location"]["path"], "clamp.c", "{issues}");
    assert!(read(&repository, "work/report.html").contains("clamp"));
}

#[test]
fn the_extension_starts_and_restarts_the_server() {
    let test = root().join("integrations/vscode/test/extension.test.js");
    match Command::new("node").arg(test).output() {
        Ok(output) => {
            let run = Run::of(&output);
            assert_eq!((run.code, run.stdout.trim()), (Some(0), "ok"), "{run:#?}");
        }
        Err(error) => eprintln!("skipped: the extension needs node ({error})"),
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
