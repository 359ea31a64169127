//! The lines that an editor shows above functions.

use crate::examples::{different, pair, report};
use crate::sarif::{everything, sources};
use verdiff_judge::{Answer, Changed, Kind, Verdict};
use verdiff_report::{ConditionText, PairReport, WitnessView, lenses};

#[test]
fn every_function_that_changed_has_a_line() {
    let lenses = lenses(&everything(), &sources, "HEAD");
    let titles: Vec<String> =
        lenses.iter().map(|lens| format!("{}: {}", lens.function, lens.title)).collect();
    expect_test::expect![[r#"
        f: differs when x == 4
        t: differs at least when all == 0
        wanted: differs when x == 4
        e: equivalent to HEAD
        loop: undecided: no proof by induction over the calls and loops of both versions succeeded
        u: undecided: asm goto is not supported
        sig: differs from HEAD: the signature changed
    "#]]
    .assert_eq(&(titles.join("\n") + "\n"));
    let f = lenses.iter().find(|lens| lens.function == "f").unwrap();
    assert_eq!((f.first_line, f.last_line), (3, 8), "the function's first and last line");
    assert!(f.has_counterexample && f.details.contains("x = 4"), "{}", f.details);
}

#[test]
fn one_that_does_not_terminate_any_more_hangs() {
    let condition = |c: &str| ConditionText { c: Some(c.to_owned()), smt: c.to_owned() };
    let hangs = PairReport {
        old_only: condition("n < 0"),
        ..pair("f", Changed::Text, Answer::Judged(Verdict::Different { exact: true }))
    };
    let long = format!("x == {}", "1 + ".repeat(40) + "1");
    let unclear = different("g", false, &[Kind::Value], &long, WitnessView::default());
    let lenses = lenses(&report(vec![hangs, unclear]), &sources, "HEAD");
    let titles: Vec<&str> = lenses.iter().map(|lens| lens.title.as_str()).collect();
    assert_eq!(titles, ["hangs when n < 0", "differs from HEAD"]);
}
