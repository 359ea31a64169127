//! Callees that `longjmp` may leave, below a function that calls `setjmp`: when equality of the callee is enough, when not, and
//! random callees, whose callers are run.

use super::{compared, equal_within, judged};
use crate::support::{self, Random};
use verdiff_judge::Side;
use verdiff_logic::effort::Effort;
use verdiff_model::Program;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Value};
use verdiff_model::trial::trial;

const HEAD: &str = "#include <setjmp.h>\n#include <stdlib.h>\nint tell(int);
    static jmp_buf b, c; static int g; int h; static int *kept;\n";

/// A function that sees everything when its callee is left.
const CALLER: &str = "
    int f(int x) {
        int s = x;
        int r = setjmp(b);
        if (r) return r * 31 + s + g * 7 + h;
        r = callee(&s, x);
        return r + s * 3 + g * 5 + h;
    }";

fn version(body: &str) -> String {
    format!("{HEAD}static int callee(int *p, int x) {{ {body} }}{CALLER}")
}

fn is_equal(old: &str, new: &str) -> bool {
    equal_within(old, new, support::effort(Effort::millis(300), Effort::seconds(3))).is_some()
}

#[test]
fn callees_that_are_left_in_equal_states_make_callers_equal() {
    let cases = [
        ("g = x + x; longjmp(b, 1);", "g = x * 2; longjmp(b, 1);"),
        ("h = x; g = 3; longjmp(b, x);", "g = 3; h = x; longjmp(b, x);"),
        (
            "if (x > 3) { g = 1; longjmp(b, 2); } return x * 2;",
            "if (x <= 3) return x + x; g = 1; longjmp(b, 2);",
        ),
        ("g = x * 4; g = tell(g); return 1;", "g = x << 2; g = tell(g); return 1;"),
        ("int t = x * 2; g = t; longjmp(b, t);", "g = x + x; longjmp(b, g);"),
    ];
    for (old, new) in cases {
        for (old, new) in [(old, new), (new, old)] {
            assert!(is_equal(&version(old), &version(new)), "{old}\n{new}");
        }
    }
}

/// Between them and the caller there may be code that did not change, and it may call through further ones.
#[test]
fn callees_that_are_left_in_equal_states_may_be_further_down() {
    let version = |body: &str| {
        format!(
            "{HEAD}static void leave(int x) {{ {body} }}
             static int callee(int *p, int x) {{ *p = 1; leave(x); *p = 2; return 0; }}{CALLER}"
        )
    };
    let old = version("g = x * 2; if (x > 9) longjmp(b, 1);");
    assert!(is_equal(&old, &version("g = x + x; if (x > 9) longjmp(b, 1);")));
    assert!(!is_equal(&old, &version("if (x > 9) longjmp(b, 1); g = x + x;")));
}

#[test]
fn callees_that_are_left_in_other_states_do_not_make_callers_equal() {
    let cases = [
        // Memory: a static variable, one that others see, a local of the caller.
        ("g = 1; longjmp(b, 1);", "g = 2; longjmp(b, 1);"),
        (
            "h = 1; if (x) longjmp(b, 1); h = 2; return 0;",
            "h = 3; if (x) longjmp(b, 1); h = 2; return 0;",
        ),
        (
            "*p = 1; if (x) longjmp(b, 1); *p = 2; return 0;",
            "if (x) longjmp(b, 1); *p = 2; return 0;",
        ),
        // The value and the target.
        ("longjmp(b, 1);", "longjmp(b, 2);"),
        ("longjmp(b, 1);", "longjmp(c, 1);"),
        // An unknown function may leave as well, although nothing says so.
        ("g = 1; tell(x); g = 2; return 0;", "g = 5; tell(x); g = 2; return 0;"),
        ("tell(x); return 0;", "tell(x); tell(x); return 0;"),
        // It is not left any more, or hangs instead.
        ("if (x > 5) longjmp(b, 1); return 0;", "if (x > 6) longjmp(b, 1); return 0;"),
        ("g = 1; tell(x); for (;;);", "g = 2; tell(x); for (;;);"),
        // Lifetimes and allocations.
        ("free(kept); longjmp(b, 1);", "longjmp(b, 1);"),
        (
            "int *t = malloc(4); tell(x); free(t); return 0;",
            "tell(x); int *t = malloc(4); free(t); return 0;",
        ),
    ];
    for (old, new) in cases {
        for (old, new) in [(old, new), (new, old)] {
            assert!(!is_equal(&version(old), &version(new)), "{old}\n{new}");
        }
    }
}

/// What a part of the caller itself assigned until then is nowhere in memory.
#[test]
fn parts_of_the_caller_are_not_left_in_equal_states() {
    let version = |first: &str| {
        format!(
            "{HEAD}static void leave(int x) {{ if (x > 3) longjmp(b, 1); }}
             int f(int x) {{ int s = 0; if (setjmp(b)) return s; s = {first}; leave(x); s = 7; return s; }}"
        )
    };
    assert!(!is_equal(&version("1"), &version("2")));
}

const VALUES: [&str; 10] = ["x", "g", "h", "*p", "1", "2", "x + 1", "g + x", "*p + 2", "x * 2"];

fn statement(random: &mut Random) -> String {
    let value = random.one_of(&VALUES);
    let other = random.one_of(&VALUES);
    match random.below(10) {
        0..=1 => format!("g = {value};"),
        2 => format!("h = {value};"),
        3..=4 => format!("*p = {value};"),
        5..=6 => format!("if ({value} > {other}) longjmp(b, {});", random.one_of(&["1", "2", "x"])),
        7 => format!("x = {value};"),
        8 => format!("if ({value} == {other}) return {value};"),
        _ => format!("if ({value} > {other}) {{ g += 1; }}"),
    }
}

/// Another body: mostly the same in other words, sometimes not.
fn changed(body: &[String], random: &mut Random) -> Vec<String> {
    let mut body = body.to_vec();
    let at = random.below(body.len());
    match random.below(6) {
        0 if at > 0 => body.swap(at - 1, at),
        1 => body[at] = body[at].replace("x * 2", "x + x").replace("x + 1", "1 + x"),
        2 => body.insert(at, "g = g;".to_owned()),
        3 => body[at] = body[at].replace("*p", "p[0]").replace('1', "(2 - 1)"),
        4 => body[at] = format!("if (x == x) {{ {} }}", body[at]),
        _ => body[at] = statement(random),
    }
    body
}

/// How `f` ends in a run with guesses in place of `setjmp`.
fn run(program: &Program, x: i32) -> End {
    let trial = trial(program).expect("something can be tried");
    let f = trial.procedure_named("f").expect("the caller");
    let args = vec![Value::Bits(u128::from(x as u32))];
    let entry = EntryState { args, ..EntryState::default() };
    Machine::new(&trial).run(f, &entry, &Limits::default()).end
}

#[test]
fn callers_of_random_callees_that_are_reported_as_equal_are_equal_when_run() {
    let percent = std::env::var("VERDIFF_CASES").ok().and_then(|text| text.parse::<u64>().ok());
    let cases = 24 * percent.unwrap_or(100) / 100;
    let (mut equal, mut different) = (0, 0);
    for seed in 1..=cases {
        let mut random = Random(seed * 0x9e37_79b9 + 77);
        let old: Vec<String> = (0..2 + random.below(4)).map(|_| statement(&mut random)).collect();
        let mut new = changed(&old, &mut random);
        if random.below(2) == 0 {
            new = changed(&new, &mut random);
        }
        let text = |body: &[String]| version(&format!("{} return x;", body.join(" ")));
        let (old, new) = (text(&old), text(&new));
        let comparison = compared(&old, &new).expect("it compiles");
        let is_equal = judged(&comparison).last().is_some_and(|last| last.judgement.is_equal());
        let differs = [-3, -1, 0, 1, 2, 3, 4, 7, 1000].into_iter().any(|x| {
            let [old, new] = Side::BOTH.map(|side| run(comparison.program(side), x));
            let is_outcome = |end: &End| !matches!(end, End::Stopped(_));
            is_outcome(&old) && is_outcome(&new) && old != new
        });
        assert!(!(is_equal && differs), "{old}\n{new}");
        equal += u64::from(is_equal);
        different += u64::from(differs);
    }
    assert!(equal > cases / 5 && different > cases / 10, "{equal} equal, {different} different");
}
