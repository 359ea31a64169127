//! `verdiff audit`: the proofs of a report, checked again by another solver; and the files that it reads.

use crate::compare::{print, read_report};
use crate::report_arguments::Audit;
use anyhow::{Context, anyhow, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use verdiff_process::{Deadline, Failure};
use verdiff_report::{
    AuditAnswer, AuditProblem, AuditedProof, Report, audit_exit_code, audit_text,
    audited_functions, evidence_file, obligations_in,
};

/// Writes the obligations of each proof to a file, and says in the report which. The name has a part of the content's
/// hash: functions of several files may share a name.
pub fn write_evidence(folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    for pair in &mut report.pairs {
        for evidence in pair.evidence.iter_mut().filter(|e| !e.obligations.is_empty()) {
            let text = evidence_file(&evidence.obligations);
            let sum = sha256(&text);
            let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let name: String = pair.function.chars().filter(|c| is_plain(*c)).take(60).collect();
            let path = folder.join(format!("{name}-{}.smt2", &sum[..12]));
            std::fs::write(&path, text)
                .with_context(|| format!("cannot write {}", path.display()))?;
            evidence.file = Some((path.display().to_string(), sum));
        }
    }
    Ok(())
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Runs the command.
pub fn run(arguments: &Audit) -> anyhow::Result<u8> {
    let path = arguments.report.display();
    if arguments.timeout == 0 {
        bail!("--timeout: must be a positive number of seconds");
    }
    let report = read_report(&arguments.report)?;
    let mut functions = audited_functions(&report).map_err(|error| anyhow!("{path}: {error}"))?;
    for name in &arguments.functions {
        if !functions.iter().any(|function| function.function == *name) {
            bail!("{path}: the report has no proof about {name}");
        }
    }
    if !arguments.functions.is_empty() {
        functions.retain(|function| arguments.functions.contains(&function.function));
    }
    let mut words = arguments.solver.split_whitespace();
    let Some(program) = words.next() else { bail!("--solver: must name a program") };
    let solver = Solver {
        program,
        options: words.collect(),
        time: Duration::from_secs(arguments.timeout),
        folder: tempfile::tempdir().context("cannot make a temporary folder")?,
    };
    let beside = arguments.report.parent().map(Path::to_owned).unwrap_or_default();
    for proof in functions.iter_mut().flat_map(|function| &mut function.proofs) {
        solver.check(proof, &beside)?;
    }
    print(std::io::stdout().lock(), &audit_text(&functions, program))?;
    Ok(audit_exit_code(&functions))
}

/// The solver that is asked.
struct Solver<'a> {
    program: &'a str,
    options: Vec<&'a str>,
    time: Duration,
    folder: tempfile::TempDir,
}

impl Solver<'_> {
    /// Asks for all obligations of a proof. A file that is not where the report says may lie beside the report.
    fn check(&self, proof: &mut AuditedProof, beside: &Path) -> anyhow::Result<()> {
        if proof.obligations == 0 {
            return Ok(());
        }
        let Some((file, sum)) = &proof.file else {
            proof.unchecked = Some(AuditProblem::NoFile);
            return Ok(());
        };
        let places = [PathBuf::from(file), beside.join(file)];
        let text = places.iter().find_map(|path| std::fs::read_to_string(path).ok());
        let Some(text) = text else {
            proof.unchecked = Some(AuditProblem::Unreadable);
            return Ok(());
        };
        if sha256(&text) != *sum {
            proof.unchecked = Some(AuditProblem::Changed);
            return Ok(());
        }
        let obligations = obligations_in(&text);
        if obligations.len() != proof.obligations {
            proof.unchecked = Some(AuditProblem::Incomplete);
            return Ok(());
        }
        for obligation in obligations {
            let answer = match self.ask(&obligation.smt)?.as_str() {
                "unsat" => AuditAnswer::Confirmed,
                "sat" => AuditAnswer::Refuted(obligation.name),
                _ => AuditAnswer::Undecided(obligation.name),
            };
            proof.answers.push(answer);
        }
        Ok(())
    }

    /// What the solver prints first for a script; nothing if it needs too long.
    fn ask(&self, script: &str) -> anyhow::Result<String> {
        let path = self.folder.path().join("obligation.smt2");
        std::fs::write(&path, script).context("cannot write to a temporary folder")?;
        let mut command = Command::new(self.program);
        command.args(&self.options).arg(&path);
        match verdiff_process::run(&mut command, Deadline::after(self.time)) {
            Ok(done) => Ok(done.stdout.lines().next().unwrap_or_default().trim().to_owned()),
            Err(Failure::TimedOut { .. }) => Ok(String::new()),
            Err(Failure::Start { program, source }) => bail!(
                "cannot start {program} ({source}): install it, or name another solver: --solver 'z3'"
            ),
        }
    }
}
