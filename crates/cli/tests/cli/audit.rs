//! `verdiff audit`: the proofs of a report, checked again by another solver.

use crate::bad_input::refused;
use crate::support::{Folder, Run};

const OLD: &str = "unsigned twice(unsigned x) { return x * 2; }
unsigned sum(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += i * 3; return s; }
int same(int x) { return x; }
int other(int x) { return x; }
";
const NEW: &str = "unsigned twice(unsigned x) { return x + x; }
unsigned sum(unsigned n) { unsigned s = 0; for (unsigned i = 0; i < n; i++) s += i + i + i; return s; }
int same(int x) { return x; }
int other(int x) { return x ? x : 7; }
";

/// A folder with two versions, the report on them, and the evidence in `proofs`.
fn reported() -> Folder {
    let folder = Folder::versions(OLD, NEW);
    let run = folder.run(&["old.c", "new.c", "-q", "-o", "r.json", "--evidence", "proofs"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    folder
}

/// An audit by a solver that gives this answer.
fn audited_by(folder: &Folder, answer: &str) -> Run {
    std::fs::write(folder.path("solver.sh"), format!("echo {answer}\n")).unwrap();
    folder.run(&["audit", "r.json", "--solver", "sh solver.sh"])
}

#[test]
fn other_solvers_confirm_the_proofs() {
    let folder = reported();
    for solver in ["cvc5", "z3"] {
        let run = folder.run(&["audit", "r.json", "--solver", solver, "--timeout", "300"]);
        assert_eq!(run.code, Some(0), "{run:#?}");
        assert!(run.stdout.contains("sum (equivalent): "), "{run:#?}");
        let end = " refuted, 0 not confirmed\n";
        assert!(run.stdout.ends_with(end) && !run.stdout.contains("REFUTED"), "{run:#?}");
    }
    assert!(!folder.run(&["audit", "r.json"]).stdout.contains("same"), "it is unchanged");
    let run = folder.run(&["audit", "r.json", "sum", "--timeout", "300"]);
    assert!(run.code == Some(0) && !run.stdout.contains("twice"), "{run:#?}");
    let no_proof = "r.json: the report has no proof about nobody";
    refused(folder.run(&["audit", "r.json", "nobody"]), no_proof);
}

/// A copy of the folder of evidence may lie beside the report.
#[test]
fn evidence_is_found_beside_the_report() {
    let folder = reported();
    std::fs::create_dir(folder.path("elsewhere")).unwrap();
    std::fs::rename(folder.path("r.json"), folder.path("elsewhere/r.json")).unwrap();
    std::fs::rename(folder.path("proofs"), folder.path("elsewhere/proofs")).unwrap();
    let run = folder.run(&["audit", "elsewhere/r.json", "--solver", "z3"]);
    assert_eq!(run.code, Some(0), "{run:#?}");
}

#[test]
fn every_other_answer_of_the_solver_is_reported() {
    let folder = reported();
    let run = audited_by(&folder, "sat");
    assert!(run.code == Some(1) && run.stdout.contains("REFUTED: sh finds"), "{run:#?}");
    // No answer is a confirmation but one.
    for answer in ["unknown", "timeout", "'(error \"unsat\")'", "unsatisfiable"] {
        let run = audited_by(&folder, answer);
        assert_eq!(run.code, Some(3), "{run:#?}");
        assert!(run.stdout.contains("undecided: sh gives no answer"), "{run:#?}");
    }
    let missing = folder.run(&["audit", "r.json", "--solver", "no-such-solver"]);
    assert_eq!((missing.code, missing.stdout.as_str()), (Some(2), ""), "{missing:#?}");
    assert!(missing.stderr.starts_with("error: cannot start no-such-solver"), "{missing:#?}");
    assert!(missing.stderr.contains("install it, or name another solver"), "{missing:#?}");
    let never = folder.run(&["audit", "r.json", "--timeout", "0"]);
    refused(never, "--timeout: must be a positive number of seconds");
}

#[test]
fn evidence_that_is_not_that_of_the_report_is_not_checked() {
    let folder = reported();
    for file in std::fs::read_dir(folder.path("proofs")).unwrap().flatten() {
        std::fs::write(file.path(), "; ==== obligation: easy\n(assert false)\n(check-sat)\n")
            .unwrap();
    }
    let run = folder.run(&["audit", "r.json", "--solver", "z3"]);
    assert!(run.code == Some(3) && run.stdout.contains("is not the file"), "{run:#?}");
    std::fs::remove_dir_all(folder.path("proofs")).unwrap();
    let run = folder.run(&["audit", "r.json", "--solver", "z3"]);
    assert!(run.code == Some(3) && run.stdout.contains("cannot read"), "{run:#?}");
}

#[test]
fn without_evidence_the_audit_says_what_to_do() {
    let folder = Folder::versions(OLD, NEW);
    let run = folder.run(&["old.c", "new.c", "-q", "-o", "r.json"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    let run = folder.run(&["audit", "r.json"]);
    assert!(run.code == Some(3) && run.stdout.contains("`--evidence DIR`"), "{run:#?}");
}
