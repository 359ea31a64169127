//! Local verdicts: what a change does by itself, with undecided callees taken as common, and that nothing of it gets
//! into a verdict.

mod random;

use crate::support::{self, compared};
use std::rc::Rc;
use verdiff_engines::Facts;
use verdiff_engines::boundary::Boundary;
use verdiff_engines::flat::Flat;
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Comparison, Engine, LocalVerdict, PairId, Settings};
use verdiff_logic::effort::Effort;
use verdiff_plan::job::Judged;
use verdiff_plan::worker::Registry;

/// Without induction loops are undecided, and so is who calls them.
fn proving(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![Box::new(Flat::new(facts)), Box::new(Boundary::new(facts))]
}

fn inducing(facts: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(Flat::new(facts)),
        Box::new(Boundary::new(facts)),
        Box::new(Recursion::new(facts)),
    ]
}

fn judged_by(registry: Registry, comparison: &Rc<Comparison>) -> Vec<Judged> {
    support::judged_by(registry, Effort::seconds(5), comparison)
}

/// What is known of each function of a file: `=` if it is equal, else the callees that it is locally equivalent modulo,
/// or `?`.
fn said_by(registry: Registry, settings: Settings, old: &str, new: &str) -> String {
    let comparison = compared(old, new, settings).expect("it compiles");
    let mut said = vec![];
    for judged in judged_by(registry, &comparison) {
        let pair = comparison.pair(judged.pair);
        let name = |callee: &PairId| comparison.pair(*callee).function.clone();
        let what = match (&judged.local, judged.judgement.is_equal()) {
            (Some(_), true) => panic!("{} needs no local verdict", pair.function),
            (None, true) => "=".to_owned(),
            (None, false) => "?".to_owned(),
            (Some(local), false) => {
                assert_eq!(local.verdict, LocalVerdict::Equivalent);
                assert!(!local.modulo.contains(&judged.pair), "{} assumes itself", pair.function);
                format!("modulo {}", local.modulo.iter().map(name).collect::<Vec<_>>().join("+"))
            }
        };
        said.push(format!("{}: {what}", pair.function));
    }
    said.join(", ")
}

#[track_caller]
fn check(old: &str, new: &str, expected: &str) {
    assert_eq!(said_by(proving, Settings::default(), old, new), expected, "{old}\n{new}");
}

/// A callee that reads, writes and calls, with a loop whose change nobody follows here.
fn busy(step: &str) -> String {
    format!(
        "int tell(int); int G; int g(int x) {{ while (x > 9) {{ x -= {step}; G += tell(x); }} return x; }}"
    )
}

#[test]
fn a_change_is_judged_modulo_what_is_undecided() {
    let version = |step: &str, f: &str| format!("{} int f(int a, int b) {{ {f} }}", busy(step));
    let cases = [
        ("return g(a) * 2;", "int t = g(a); return t + t;"),
        ("if (a < b) return g(a); return 0;", "int r = 0; if (a < b) r = g(a) + 0 * b; return r;"),
        ("G = a; int t = g(b); return t + G;", "int t; G = a + 0; t = g(b); return G + t;"),
        // In a loop, which is contained.
        (
            "int s = 0; for (int i = 0; i < a; i++) { s += g(i); s = s * 2; } return s;",
            "int s = 0; for (int i = 0; i < a; i++) { s += g(i); s = s + s; } return s;",
        ),
    ];
    for (old, new) in cases {
        let (old, new) = (version("3", old), version("2", new));
        check(&old, &new, "g: ?, f: modulo g");
    }
}

#[test]
fn a_change_that_is_not_equivalent_by_itself_has_no_local_verdict() {
    let version = |step: &str, f: &str| format!("{} int f(int a, int b) {{ {f} }}", busy(step));
    let cases = [
        ("return g(a) * 2;", "return g(a) * 3;"),
        ("return g(a) + 1;", "return g(a + 1);"),
        // It may write, tell, trap or not return.
        ("int t = G; g(a); return t;", "g(a); return G;"),
        ("g(a); return b;", "return b;"),
        ("int s = g(a); tell(b); return s;", "tell(b); return g(a);"),
        ("return g(a) - g(a);", "g(a); return 0;"),
        ("int s = g(a); return s + g(b);", "int s = g(b); return s + g(a);"),
    ];
    for (old, new) in cases {
        let (old, new) = (version("3", old), version("2", new));
        check(&old, &new, "g: ?, f: ?");
    }
}

/// docs/internals/soundness.md, "Local verdicts": only the new version of the callee writes the global.
#[test]
fn a_common_callee_has_the_effects_of_both_versions() {
    for kind in ["int", "static int"] {
        let version = |body: &str, f: &str| {
            format!(
                "{kind} G; void set(int x) {{ G = x; }}
                 void g(int x) {{ while (x > 9) {{ x -= 2; {body} }} }}
                 int f(int a) {{ {f} }}"
            )
        };
        let (before, behind) = ("int t = G; g(a); return t;", "g(a); return G;");
        for bodies in [["", "G = x;"], ["G = x;", ""], ["G = x;", "G = 3;"], ["", "set(x);"]] {
            for fs in [[before, behind], [behind, before]] {
                let (old, new) = (version(bodies[0], fs[0]), version(bodies[1], fs[1]));
                check(&old, &new, "set: =, g: ?, f: ?");
            }
        }
    }
}

/// The same with a static of a function that the callee reaches, and through a pointer.
#[test]
fn what_a_common_callee_reaches_is_written() {
    let version = |body: &str, f: &str| {
        format!(
            "int *count(void) {{ static int n; return &n; }}
             void g(int x) {{ while (x > 9) {{ x -= 2; {body} }} }}
             void h(int *p, int x) {{ while (x > 9) {{ x -= 2; if (x == 3) *p = x; {body} }} }}
             int f(int a) {{ {f} }}"
        )
    };
    let cases = [
        ("int t = *count(); g(a); return t;", "g(a); return *count();"),
        ("int v = 1; h(&v, a); return 1;", "int v = 1; h(&v, a); return v;"),
    ];
    for (old, new) in cases {
        let (old, new) = (version("", old), version("++*count();", new));
        check(&old, &new, "count: =, g: ?, h: ?, f: ?");
    }
}

/// A function of its arguments alone may be called once instead of twice, in another order, or not at all.
#[test]
fn a_callee_without_effects_is_a_function_of_its_arguments() {
    let pure = |step: &str, f: &str| {
        format!(
            "int g(int x) {{ while (x > 9) x -= {step}; return x; }}
             int f(int a, int b) {{ {f} }}"
        )
    };
    let cases = [
        ("return g(a) + g(b);", "int t = g(b); return t + g(a);"),
        ("return g(a) + g(a);", "return 2 * g(a);"),
        ("return g(a) - g(a);", "return 0;"),
        ("return b ? g(a) : 1;", "int t = g(a); return b ? t : 1;"),
    ];
    for (old, new) in cases {
        let (old, new) = (pure("3", old), pure("2", new));
        check(&old, &new, "g: ?, f: modulo g");
    }
    // One that may hang is not left out where equal termination must be proved, nor is one that may exit or trap.
    let full = Settings { full: true, ..Settings::default() };
    let (old, new) = (pure("3", cases[2].0), pure("2", cases[2].1));
    assert_eq!(said_by(proving, full, &old, &new), "g: ?, f: ?");
    for more in ["if (x == 3) __builtin_trap();", "if (x == 3) exit(1);", "x /= x - 3;"] {
        let more = |text: &str| {
            format!("void exit(int); {}", text.replace("return x;", &format!("{more} return x;")))
        };
        check(&more(&old), &more(&new), "g: ?, f: ?");
    }
}

#[test]
fn nothing_of_it_gets_into_the_verdicts_of_others() {
    let version = |step: &str, f: &str| {
        format!(
            "{} int f(int a) {{ {f} }}
             int caller(int a) {{ return f(a); }}
             int other(int a) {{ return g(a); }}
             int changed(int a) {{ int t = f(a); return {}; }}",
            busy(step),
            if step == "3" { "t * 2" } else { "t + t" },
        )
    };
    let (old, new) = (version("3", "return g(a) * 2;"), version("2", "return g(a) + 0 << 1;"));
    // The callers' own code did not change: they have no local verdict.
    let expected = "g: ?, f: modulo g, caller: ?, other: ?, changed: modulo f";
    let new = new.replace("g(a) + 0 << 1", "2 * g(a)");
    check(&old, &new, expected);
    let comparison = compared(&old, &new, Settings::default()).unwrap();
    let judged = judged_by(proving, &comparison);
    for one in judged.iter().filter(|one| one.local.is_some()) {
        assert!(one.judgement.evidence().iter().all(|e| e.engine != "local"));
        assert!(!one.judgement.is_equal() && !one.judgement.holds_in_calls());
        assert!(one.stopped.is_some(), "nothing says why it is undecided");
    }
}

/// What a callee is equal for may rest on what it calls.
#[test]
fn an_equal_callee_of_an_undecided_one_is_not_looked_into() {
    let version = |step: &str, middle: &str, f: &str| {
        format!(
            "{} int middle(int x) {{ if (x < 5) return {middle}; return 1; }} int f(int a) {{ {f} }}",
            busy(step)
        )
    };
    // Both are equal for what is known of `g`, and a common function is more than that.
    let old = version("3", "x", "return middle(a) * 2 + g(a);");
    let new = version("2", "x + 0", "int t = middle(a); return t + t + g(a);");
    check(&old, &new, "g: ?, middle: =, f: modulo g");
    let old = version("3", "g(x)", "return middle(a) * 2;");
    let new = version("2", "g(x)", "int t = middle(a); return t + t;");
    let said = said_by(proving, Settings::default(), &old, &new);
    assert!(said.ends_with("f: modulo middle"), "{said}");
}

#[test]
fn the_pair_itself_is_never_assumed() {
    let own = |step: &str, f: &str| format!("{} int f(int a) {{ {f} }}", busy(step));
    // A recursive call of it is no common function: this differs, whatever `g` is.
    let old = own("3", "if (a < 1) return 1; return f(a - 1) + g(a);");
    let new = own("2", "if (a < 1) return 2; return f(a - 1) + g(a);");
    check(&old, &new, "g: ?, f: ?");
    let old = own("3", "if (a < 1) return f(a) + g(a); return 2;");
    let new = own("2", "if (a < 1) return f(a) + g(a); return 3;");
    check(&old, &new, "g: ?, f: ?");
    // Mutual recursion: the other one is.
    let mutual = |g: &str, f: &str| {
        format!(
            "int tell(int); int f(int);
             int g(int x) {{ if (x < 1) return tell({g}); return f(x - 1); }}
             int f(int a) {{ {f} }}"
        )
    };
    let old = mutual("x", "if (a < 1) return 0; return g(a) * 2;");
    let new = mutual("x + 1", "if (a < 1) return 0; int t = g(a); return t + t;");
    check(&old, &new, "g: ?, f: modulo g");
    let new = mutual("x + 1", "if (a < 1) return 1; int t = g(a); return t + t;");
    check(&old, &new, "g: ?, f: ?");
}

/// What has no counterpart is part of the change.
#[test]
fn helpers_of_one_version_are_looked_into() {
    let version = |step: &str, rest: &str| format!("{} {rest}", busy(step));
    let old = version("3", "int f(int a) { return g(a) * 2 + 1; }");
    let new = |by: &str| {
        version(
            "2",
            &format!(
                "static int help(int a) {{ return {by} * g(a); }} int f(int a) {{ return help(a) + 1; }}"
            ),
        )
    };
    check(&old, &new("2"), "g: ?, f: modulo g");
    check(&old, &new("3"), "g: ?, f: ?");
}

/// Code that cannot be lowered, and a function that is called through a pointer.
#[test]
fn unsupported_and_called_back_functions_are_taken_as_common() {
    let version = |more: &str, f: &str| {
        format!(
            "#include <stdarg.h>
             int g(long double n, ...) {{ va_list l; va_start(l, n); int r = va_arg(l, int); va_end(l); return r + {more}; }}
             int f(int a) {{ {f} }}"
        )
    };
    let old = version("1", "return g(1, a) * 2;");
    check(&old, &version("2", "int t = g(1, a); return t + t;"), "g: ?, f: modulo g");
    check(&old, &version("2", "int t = g(1, a); return t + t + t;"), "g: ?, f: ?");
    let version = |step: &str, f: &str| {
        format!("{} void each(int (*)(int), int); int f(int a, int b) {{ {f} }}", busy(step))
    };
    let old = version("3", "each(g, a * 2); return G;");
    check(&old, &version("2", "each(g, a + a); return G;"), "g: ?, f: modulo g");
    check(&old, &version("2", "int t = G; each(g, a + a); return t;"), "g: ?, f: ?");
}

/// What saw `setjmp` return twice is no function.
#[test]
fn what_returns_twice_is_not_taken_as_common() {
    let version = |more: &str, f: &str| {
        format!(
            "#include <setjmp.h>
             jmp_buf at; int g(int n) {{ if (setjmp(at)) return 1; return n + {more}; }}
             int f(int a) {{ {f} }}"
        )
    };
    let old = version("1", "return g(a) * 2;");
    check(&old, &version("2", "int t = g(a); return t + t;"), "g: ?, f: ?");
}

/// With induction for the function's own loop.
#[test]
fn loops_around_a_callee_without_effects_are_proved_by_induction() {
    let version = |g: &str, f: &str| {
        format!(
            "unsigned g(unsigned n) {{ unsigned c = 0; while (n > 1) {{ n = n & 1 ? {g} : n >> 1; c++; }} return c; }}
             unsigned f(unsigned a) {{ {f} }}"
        )
    };
    let old = version(
        "3 * n + 1",
        "unsigned s = 0; for (unsigned i = 0; i < a; i++) s += g(i); return s;",
    );
    let new = version(
        "5 * n + 1",
        "unsigned s = 0, i = 0; while (i != a) { s = g(i) + s; ++i; } return s;",
    );
    let said = said_by(inducing, Settings::default(), &old, &new);
    assert_eq!(said, "g: ?, f: modulo g");
    let said = said_by(inducing, Settings::default(), &old, &new.replace("g(i) + s", "g(i) - s"));
    assert_eq!(said, "g: ?, f: ?");
}
