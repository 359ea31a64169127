//! Loops whose proof needs a fact that no run shows and that Horn clauses suggest: a bound that is far off, a sum of several
//! variables, one of two things. Each has a variant that breaks it.

use crate::align::{Dice, findings, not_proved, runs_if_proved};
use crate::testing_support::{cases, compare_texts};
use verdiff_judge::Field;
use verdiff_logic::effort::Effort;

/// A loop that counts in some way, and checks what it counted.
fn counting(body: &str, check: &str) -> String {
    format!(
        "int f(unsigned x, int n) {{
            int a = 0, b = 0, s = 0;
            for (int k = 0; k < n; k++) {{ x = x * 5 + 1; {body} s += x & 15; }}
            {check} return s; }}"
    )
}

#[track_caller]
fn checks_nothing(body: &str, check: &str) {
    let (old, new) = (counting(body, check), counting("", ""));
    let found = findings(&compare_texts(&old, &new), Effort::seconds(8));
    let proof = found.additions.iter().find(|a| a.evidence.adds == Field::EqualUnder);
    assert!(proof.is_some_and(|proof| proof.formula.is_true()), "not proved:\n{old}\n{new}");
}

#[track_caller]
fn checks_something(body: &str, check: &str) {
    not_proved(&counting(body, check), &counting("", ""));
}

#[test]
fn a_bound_that_runs_do_not_show() {
    let body = "if (a < 50) a += 5; if ((x & 2) && a >= 10) a -= 7;";
    checks_nothing(body, "if (a > 54) return -1;");
    checks_something(body, "if (a > 40) return -1;");
}

#[test]
fn one_of_two_things() {
    let body = "if (b == 0) { if (a < 10) a++; else b = 1; } else if (a < 1000) a += 2;";
    checks_nothing(body, "if (b == 1 && a < 10) return -1;");
    let falls = "if (b == 0) { if (a < 10) a++; else b = 1; } else if (a > 8) a--;";
    checks_something(falls, "if (b == 1 && a < 10) return -1;");
}

/// Whatever is proved is so: constants are random, and some checks are of use.
#[test]
fn random_counters() {
    let mut dice = Dice(29);
    let (mut equal, mut runs) = (0, 0);
    for _ in 0..cases(4) {
        let (cap, step) = (dice.pick(&["3", "6", "9"]), dice.pick(&["1", "2", "4"]));
        let less = dice.pick(&["1", "3", "b"]);
        let when = dice.pick(&["x & 2", "a > 2", "a >= 4 && x & 1"]);
        let body = format!(
            "if (a < {cap}) {{ a += {step}; b = {}; }} if ({when}) a -= {less};",
            dice.pick(&["1", "2", "!b"])
        );
        let check = format!(
            "if ({} {} {}) return -1;",
            dice.pick(&["a", "a", "a + b", "b"]),
            dice.pick(&[">", ">", ">=", "<"]),
            dice.pick(&["2", "8", "12", "-3"])
        );
        let (old, new) = (counting(&body, &check), counting("", ""));
        let Some(agreed) = runs_if_proved(&old, &new, Effort::millis(700), 300) else { continue };
        equal += 1;
        runs += agreed;
    }
    assert!(equal > 0 && runs > 50, "nothing was proved, or nothing was run");
}
