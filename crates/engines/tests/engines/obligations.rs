//! What another solver says of the proofs of `flat`, `recursion` and `summary`: over cases of the corpus, cvc5 is given every obligation.
//!
//! None may be satisfiable: that would be a proof of something false, or evidence that is none. Most must be found to be
//! unsatisfiable within some of cvc5's resource units. Some cases are taken (one of eighteen without loops), all with `VERDIFF_CORPUS_ALL=1`. Without cvc5 (`cargo xtask
//! setup` installs it) the answers are not asked for, and the test says so.

use crate::testing_support::{Case, corpus, corpus_version, effort, is_in_part, percent};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use verdiff_engines::flat::Flat;
use verdiff_engines::recursion::Recursion;
use verdiff_engines::summary::Summary;
use verdiff_judge::{
    Budget, Changed, Comparison, Engine, Field, Judgement, Judgements, Obligation, Pair, PairId,
    Task,
};
use verdiff_logic::effort::Effort;
use verdiff_product::Facts;

/// What share of the proofs must have obligations, in percent.
const SHARE: usize = 95;

/// The folders of the cases that are taken, one of so many: those without loops, or those with.
fn cases(loop_free: bool, parts: u32) -> Vec<PathBuf> {
    let all = std::env::var_os("VERDIFF_CORPUS_ALL").is_some();
    // Pairs of loops are many and alike, and take long; those of `limits` take all the time that they are given.
    let left_out =
        |case: &Case| ["align/", "limits/"].iter().any(|topic| case.name.starts_with(topic));
    let plain = |case: &Case| case.loop_free == loop_free && !case.has_options;
    let taken = |case: &Case| plain(case) && is_in_part(case, parts) && (all || !left_out(case));
    corpus().into_iter().filter(taken).map(|case| case.folder).collect()
}

fn comparison(case: &Path) -> Rc<Comparison> {
    let [old, new] = ["old.c", "new.c"].map(|name| corpus_version(&case.join(name)).unwrap());
    let mut comparison = Comparison { old, new, ..Comparison::default() };
    for old in comparison.old.program.procedure_ids() {
        let procedure = comparison.old.program.procedure(old);
        if let Some(new) = comparison.new.program.procedure_named(&procedure.name) {
            let same_interface =
                procedure.signature() == comparison.new.program.procedure(new).signature();
            let (function, changed) = (procedure.name.clone(), Changed::Text);
            let pair = Pair { function, old, new, changed, same_interface, wanted: true };
            comparison.pairs.push(pair);
        }
    }
    Rc::new(comparison)
}

/// The obligations of what the engine adds to U, how many proofs of equality there are, and how many of them have obligations.
fn obligations(
    case: &Path,
    effort: Effort,
    engine: fn(&Rc<Facts>) -> Box<dyn Engine>,
) -> (Vec<Obligation>, [usize; 2]) {
    let comparison = comparison(case);
    let mut engine = engine(&Facts::of(comparison.clone()));
    let (mut found, mut proofs, mut with) = (vec![], 0, 0);
    for pair in comparison.pair_ids() {
        let (judgement, judgements) = (Judgement::default(), Judgements::new());
        let task = Task {
            comparison: &comparison,
            pair: PairId(pair.0),
            judgement: &judgement,
            judgements: &judgements,
        };
        let findings = engine.run(&task, &Budget::lasting(effort, 1));
        for addition in findings.additions {
            if addition.evidence.adds == Field::EqualUnder {
                proofs += 1;
                with += usize::from(!addition.evidence.obligations.is_empty());
                if addition.evidence.obligations.is_empty() {
                    println!(
                        "{}: {} has no obligation",
                        case.display(),
                        addition.evidence.rule.name()
                    );
                }
                found.extend(addition.evidence.obligations);
            }
        }
    }
    (found, [proofs, with])
}

/// What cvc5 says after at most so many of its resource units; `None` if it is not there. It counts little of what its
/// SAT solver does, so its processor time is limited, too: neither depends on what else the machine does.
fn cvc5(script: &str, units: u64) -> Option<String> {
    let seconds = if percent() > 100 { "15" } else { "8" };
    let limited = r#"command -v cvc5 > /dev/null || exit 127; ulimit -t "$1"; exec cvc5 --lang smt2 --rlimit "$2" -"#;
    let mut child = Command::new("sh")
        .args(["-c", limited, "cvc5", seconds, &units.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .ok()?;
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(script.as_bytes());
    let output = child.wait_with_output().unwrap();
    if output.status.code() == Some(127) {
        return None;
    }
    Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[test]
fn another_solver_proves_what_flat_proved() {
    let share = Share { percent: 95, units: MANY };
    check(&cases(true, 50), share, LONG, |facts| Box::new(Flat::new(facts)));
}

#[test]
fn another_solver_proves_what_recursion_proved() {
    let share = Share { percent: 95, units: MANY };
    check(&cases(false, 36), share, LONG, |facts| Box::new(Recursion::new(facts)));
}

#[test]
fn another_solver_proves_what_paths_proved() {
    // Both kinds: U of what is equal everywhere, and outside of where it differs.
    let both = [cases(true, 110), cases(false, 36)].concat();
    // Loops that were unwound make long formulas: not all are proved again so soon.
    let share = Share { percent: 85, units: MANY / 20 };
    // Four times the effort gave 30 additions with 62 obligations, this 31 with 59.
    let time = effort(Effort::millis(500), LONG);
    check(&both, share, time, |facts| Box::new(Summary::new(facts)));
}

/// What an engine may spend on a pair.
const LONG: Effort = Effort::seconds(2);

/// Resource units that take cvc5 several seconds. The hardest obligation seen was proved with 5 million and not with one.
const MANY: u64 = 20_000_000;

/// How many of the obligations cvc5 is to prove.
struct Share {
    percent: usize,
    /// What each may take.
    units: u64,
}

/// Gives cvc5 all obligations of what the engine proves with this effort; it is to prove this share of them.
fn check(
    cases: &[PathBuf],
    share: Share,
    effort: Effort,
    engine: fn(&Rc<Facts>) -> Box<dyn Engine>,
) {
    let (mut unsat, mut all, mut proofs, mut checked) = (0, 0, 0, 0);
    let mut wrong = vec![];
    for case in cases {
        let (obligations, [count, with]) = obligations(case, effort, engine);
        proofs += count;
        checked += with;
        for obligation in obligations {
            let name = format!("{}: {}", case.display(), obligation.name);
            assert!(!obligation.smt.contains("(assert false)"), "{name} says nothing");
            match cvc5(&obligation.smt, share.units).as_deref() {
                None => {
                    println!("cvc5 is not installed (`cargo xtask setup` does): nothing is asked");
                    return;
                }
                Some("unsat") => unsat += 1,
                Some("sat") => wrong.push(name),
                Some(other) => println!("{name}: {other:?}"),
            }
            all += 1;
        }
    }
    println!("{proofs} additions to U, {checked} with {all} obligations, cvc5 proves {unsat}");
    assert!(wrong.is_empty(), "satisfiable: {wrong:#?}");
    assert!(checked * 100 >= proofs * SHARE, "obligations for {checked} of {proofs} additions");
    assert!(unsat * 100 >= all * share.percent, "cvc5 proves {unsat} of {all}");
}
