//! What `verdiff audit` reads from a report, and what it says of it.
//!
//! A proof in a report is a set of obligations, each an SMT-LIB script that must be unsatisfiable, and the rule that
//! joins them. Another solver checks the obligations. The rule, and that a script says what the C code means, are taken
//! on trust (docs/internals/soundness.md).

use crate::json::ReadError;
use serde_json::Value;
use std::fmt::Write;
use verdiff_judge::Obligation;

/// What begins each script in a file.
const MARK: &str = "; ==== obligation: ";

/// The proofs of one function of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedFunction {
    /// The function.
    pub function: String,
    /// Its verdict.
    pub verdict: String,
    /// Its proofs.
    pub proofs: Vec<AuditedProof>,
}

/// One proof: where its obligations are, and what became of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditedProof {
    /// The rule that joins the obligations.
    pub rule: String,
    /// How many obligations the report counts.
    pub obligations: usize,
    /// The file that has them, and its SHA-256.
    pub file: Option<(String, String)>,
    /// What another solver said of each of them.
    pub answers: Vec<AuditAnswer>,
    /// Why they were not checked.
    pub unchecked: Option<AuditProblem>,
}

/// What another solver said of an obligation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditAnswer {
    /// It is unsatisfiable, as it must be.
    Confirmed,
    /// It is satisfiable: the proof is wrong. With the obligation's name.
    Refuted(String),
    /// Nothing, in the time that it had.
    Undecided(String),
}

/// Why the obligations of a proof were not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuditProblem {
    /// The report names no file.
    NoFile,
    /// The file cannot be read.
    Unreadable,
    /// The file is not the one that was written with the report.
    Changed,
    /// The file has another number of obligations than the report.
    Incomplete,
}

/// The text of a file with obligations.
pub fn evidence_file(obligations: &[Obligation]) -> String {
    let mut text = String::new();
    for Obligation { name, smt } in obligations {
        let name = name.replace(['\n', '\r'], " ");
        let _ = writeln!(text, "{MARK}{name}\n{}", smt.trim_end());
    }
    text
}

/// The obligations in the text of such a file.
pub fn obligations_in(text: &str) -> Vec<Obligation> {
    let mut found: Vec<Obligation> = vec![];
    for line in text.lines() {
        if let Some(name) = line.strip_prefix(MARK) {
            found.push(Obligation { name: name.to_owned(), smt: String::new() });
        } else if let Some(last) = found.last_mut() {
            last.smt.push_str(line);
            last.smt.push('\n');
        }
    }
    found
}

/// The functions of a JSON report that have proofs. Unchanged ones are left out: nothing was proved about them.
pub fn audited_functions(report: &Value) -> Result<Vec<AuditedFunction>, ReadError> {
    // The same checks of the schema as for replays.
    crate::witnesses(report)?;
    let pairs = report["pairs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let function = |pair: &Value| {
        let evidence = pair["evidence"].as_array().map(Vec::as_slice).unwrap_or_default();
        // What is added to C is a run, and `verdiff replay` repeats it.
        let proofs =
            evidence.iter().filter(|e| e["adds"] != "differ_under").map(|e| AuditedProof {
                rule: text(&e["rule"]).unwrap_or_default(),
                obligations: e["obligations"].as_u64().unwrap_or(0) as usize,
                file: text(&e["file"]).zip(text(&e["sha256"])),
                answers: vec![],
                unchecked: None,
            });
        Some(AuditedFunction {
            function: text(&pair["function"])?,
            verdict: text(&pair["verdict"])?,
            proofs: proofs.collect(),
        })
    };
    let all = pairs.iter().filter(|pair| pair["changed"] != "no").filter_map(function);
    Ok(all.filter(|function| !function.proofs.is_empty()).collect())
}

/// How many obligations are confirmed, refuted and not checked or undecided.
fn counts(proofs: &[AuditedProof]) -> [usize; 3] {
    let mut counts = [0; 3];
    for proof in proofs {
        for answer in &proof.answers {
            counts[match answer {
                AuditAnswer::Confirmed => 0,
                AuditAnswer::Refuted(_) => 1,
                AuditAnswer::Undecided(_) => 2,
            }] += 1;
        }
        if proof.unchecked.is_some() {
            counts[2] += proof.obligations;
        }
    }
    counts
}

/// What is said of an audit: a line for each function, and a summary.
pub fn audit_text(functions: &[AuditedFunction], solver: &str) -> String {
    let mut text = String::new();
    for AuditedFunction { function, verdict, proofs } in functions {
        let all: usize = proofs.iter().map(|proof| proof.obligations).sum();
        let [confirmed, ..] = counts(proofs);
        let _ = match all {
            0 => writeln!(text, "{function} ({verdict}): no proof obligations ({})", rules(proofs)),
            _ => writeln!(
                text,
                "{function} ({verdict}): {confirmed} of {all} proof obligations confirmed by {solver}"
            ),
        };
        // Proofs without a file have the same line: it is printed once.
        let mut before = String::new();
        for proof in proofs {
            let mut lines = String::new();
            details(&mut lines, proof, solver);
            if lines != before {
                text += &lines;
            }
            before = lines;
        }
    }
    let sums = functions.iter().map(|function| counts(&function.proofs));
    let [confirmed, refuted, open] =
        sums.fold([0; 3], |all, one| [all[0] + one[0], all[1] + one[1], all[2] + one[2]]);
    let _ = writeln!(
        text,
        "\n{confirmed} proof obligations confirmed by {solver}, {refuted} refuted, {open} not confirmed"
    );
    text
}

fn rules(proofs: &[AuditedProof]) -> String {
    let mut rules: Vec<&str> = proofs.iter().map(|proof| proof.rule.as_str()).collect();
    rules.dedup();
    format!("proved by rule {}", rules.join(", "))
}

fn details(text: &mut String, proof: &AuditedProof, solver: &str) {
    let file = proof.file.as_ref().map_or("", |(file, _)| file.as_str());
    for answer in &proof.answers {
        let _ = match answer {
            AuditAnswer::Confirmed => Ok(()),
            AuditAnswer::Refuted(name) => writeln!(
                text,
                "  REFUTED: {solver} finds a counterexample to \"{name}\" in {file}; please report this bug of verdiff"
            ),
            AuditAnswer::Undecided(name) => {
                writeln!(text, "  undecided: {solver} gives no answer to \"{name}\" in {file}")
            }
        };
    }
    let _ = match proof.unchecked {
        None => Ok(()),
        Some(AuditProblem::NoFile) => writeln!(
            text,
            "  not checked: the report names no file; compare again with `--evidence DIR`"
        ),
        Some(AuditProblem::Unreadable) => writeln!(text, "  not checked: cannot read {file}"),
        Some(AuditProblem::Changed) => {
            writeln!(text, "  not checked: {file} is not the file that the report names (SHA-256)")
        }
        Some(AuditProblem::Incomplete) => {
            writeln!(text, "  not checked: {file} does not have all obligations of the report")
        }
    };
}

/// The exit code of an audit: 1 if an obligation is refuted, 3 if some are not confirmed, else 0.
pub fn audit_exit_code(functions: &[AuditedFunction]) -> u8 {
    let all: Vec<AuditedProof> = functions.iter().flat_map(|f| f.proofs.clone()).collect();
    match counts(&all) {
        [_, 0, 0] => 0,
        [_, 0, _] => 3,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn obligation(name: &str, smt: &str) -> Obligation {
        Obligation { name: name.to_owned(), smt: smt.to_owned() }
    }

    #[test]
    fn a_file_has_all_obligations() {
        let all = [
            obligation("the pair", "(assert false)\n(check-sat)\n"),
            obligation("a\nname", "(check-sat)\n"),
        ];
        let read = obligations_in(&evidence_file(&all));
        assert_eq!(read[0], all[0]);
        assert_eq!(read[1], obligation("a name", "(check-sat)\n"));
        assert_eq!(read.len(), 2);
    }

    #[test]
    fn every_answer_is_told_apart() {
        let proof = |answers: Vec<AuditAnswer>, unchecked| AuditedProof {
            rule: "part-eq".to_owned(),
            obligations: answers.len().max(1),
            file: Some(("proofs/f.smt2".to_owned(), "00".to_owned())),
            answers,
            unchecked,
        };
        let function = |proofs| {
            let (function, verdict) = ("f".to_owned(), "equivalent".to_owned());
            vec![AuditedFunction { function, verdict, proofs }]
        };
        let good = function(vec![proof(vec![AuditAnswer::Confirmed], None)]);
        assert_eq!(audit_exit_code(&good), 0);
        assert!(audit_text(&good, "cvc5").starts_with("f (equivalent): 1 of 1 proof obligations"));
        let open = AuditAnswer::Undecided("the pair".to_owned());
        let open = function(vec![proof(vec![AuditAnswer::Confirmed, open], None)]);
        assert_eq!(audit_exit_code(&open), 3);
        assert!(audit_text(&open, "cvc5").contains("cvc5 gives no answer to \"the pair\""));
        let bad = AuditAnswer::Refuted("the pair".to_owned());
        let bad = function(vec![proof(vec![bad], None), proof(vec![], Some(AuditProblem::NoFile))]);
        assert_eq!(audit_exit_code(&bad), 1);
        let text = audit_text(&bad, "cvc5");
        assert!(text.contains("REFUTED") && text.contains("`--evidence DIR`"), "{text}");
        assert!(
            text.ends_with("0 proof obligations confirmed by cvc5, 1 refuted, 1 not confirmed\n")
        );
        let unchecked = function(vec![proof(vec![], Some(AuditProblem::Changed))]);
        assert_eq!(audit_exit_code(&unchecked), 3);
    }
}
