//! How far a change reaches, and what it means for callers.

use crate::examples::*;
use crate::text::check;
use expect_test::expect;
use serde_json::json;
use verdiff_judge::{Answer, Boundary, Changed, LocalVerdict, StopReason, Verdict};
use verdiff_report::{LocalReport, PairReport};

fn region(first_line: u32, last_line: u32) -> Boundary {
    let (function, callees) = ("sum_primes".to_owned(), vec!["composite".to_owned()]);
    Boundary { function, first_line, last_line, callees }
}

#[test]
fn a_boundary_is_said_with_its_lines() {
    let client = PairReport {
        changed: Changed::Callees,
        boundaries: vec![region(5, 6)],
        ..equivalent("sum_primes")
    };
    check(
        vec![client.clone()],
        expect![[r#"
            sum_primes: equivalent (both compute x * 2)  old.c:3, new.c:3
              the change in composite() has no effect beyond lines 5-6 of sum_primes()

            1 equivalent, 0 different, 0 unknown, 0 unchanged
            result: behaviour unchanged: no function changed
        "#]],
    );
    let json = |pair: &PairReport| {
        let all = verdiff_report::json(&report(vec![pair.clone()]));
        all["pairs"][0]["boundary"].clone()
    };
    let lines = |first: u32, last: u32| json!({"function": "sum_primes", "first_line": first, "last_line": last});
    assert_eq!(json(&client), lines(5, 6));
    let several = PairReport { boundaries: vec![region(5, 6), region(9, 9)], ..client };
    let mut hull = lines(5, 9);
    hull["regions"] = json!([lines(5, 6), lines(9, 9)]);
    assert_eq!(json(&several), hull);
}

#[test]
fn a_local_verdict_is_said_where_there_is_no_other() {
    let open = PairReport {
        local: Some(LocalReport {
            verdict: LocalVerdict::Equivalent,
            modulo: vec!["g".to_owned()],
            sentence: "the change in f itself is equivalent; it calls g, which is undecided"
                .to_owned(),
        }),
        ..pair("f", Changed::Text, Answer::Judged(Verdict::Unknown(StopReason::Time)))
    };
    check(
        vec![open.clone()],
        expect![[r#"
            f: unknown  old.c:3, new.c:3
              the time limit was reached
              the change in f itself is equivalent; it calls g, which is undecided

            0 equivalent, 0 different, 1 unknown, 0 unchanged
            result: no difference was found, but 1 function is undecided
        "#]],
    );
    let json = verdiff_report::json(&report(vec![open]));
    let expected = json!({"verdict": "equivalent", "modulo": ["g"]});
    assert_eq!(json["pairs"][0]["local"], expected);
    assert_eq!(json["pairs"][0]["verdict"], "unknown");
}
