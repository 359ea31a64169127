//! Functions with instructions that the model cannot express: what is contained beside them, and what must not be.

use super::{compared, equal_within, judged};
use crate::support;
use verdiff_engines::normalise::Normalise;
use verdiff_engines::{Facts, all};
use verdiff_judge::{
    Budget, Engine, Evidence, Field, Judgement, Judgements, Rule, StopReason, Task,
};
use verdiff_logic::Formula;
use verdiff_logic::effort::Effort;

const HEAD: &str = "#include <stdarg.h>\n#include <setjmp.h>\nint tell(int); static jmp_buf b;\n";

/// Kinds of functions around one statement: with a variable argument list, with `setjmp`, with `asm goto`.
const KINDS: [&str; 3] = [
    "int f(long double n, int *a, int x, ...) {
         int total = 0; va_list l; va_start(l, x);
         for (int i = 0; i < n; i++) {
             if (a[i] > tell(i)) total += va_arg(l, int);
             STATEMENT
             if (total == 77) goto out;
         }
     out: va_end(l); return total + x;
     }",
    "int f(int n, int *a, int x) {
         int total = 0;
         if (setjmp(b)) return total + a[0];
         for (int i = 0; i < n; i++) {
             if (a[i] > tell(i)) total += a[i];
             STATEMENT
             if (total == 77) goto out;
         }
     out: return total + x;
     }",
    "int f(int n, int *a, int x) {
         int total = 0;
         for (int i = 0; i < n; i++) {
             if (a[i] > tell(i)) total += a[i];
             __asm__ goto(\"testl $1, %0\\n\\tjne %l1\" : : \"r\"(total) : \"cc\", \"memory\" : out);
             STATEMENT
         }
     out: return total + x;
     }",
];

fn with(kind: &str, declarations: &str, statement: &str) -> String {
    format!("{HEAD}{declarations}\n{}", kind.replace("STATEMENT", statement))
}

/// With as much effort for what must not be equal as for what must: proofs beside holes take milliseconds.
fn equal_by(old: &str, new: &str) -> Option<String> {
    equal_within(old, new, support::effort(Effort::millis(300), Effort::seconds(3)))
}

#[track_caller]
fn contained(old: &str, new: &str) {
    for (old, new) in [(old, new), (new, old)] {
        assert_eq!(equal_by(old, new).as_deref(), Some("boundary"), "{old}\n{new}");
    }
}

#[track_caller]
fn not_contained(old: &str, new: &str) {
    for (old, new) in [(old, new), (new, old)] {
        assert_eq!(equal_by(old, new), None, "{old}\n{new}");
    }
}

#[test]
fn changes_beside_holes_are_contained() {
    let cases = [
        ("", "total = total * 2;", "total = total + total;"),
        ("", "a[i] = x; a[i] += 1;", "a[i] = x + 1;"),
        ("", "x = x < 0 ? -x : x;", "if (x < 0) x = -x;"),
        ("static int twice(int v) { return 2 * v; }", "x += x + x;", "x += twice(x);"),
    ];
    for kind in KINDS {
        for (declarations, old, new) in cases {
            contained(&with(kind, declarations, old), &with(kind, declarations, new));
        }
    }
}

#[test]
fn changes_that_get_out_beside_holes_are_not_contained() {
    let cases = [
        ("total += 1;", "total += 2;"),
        ("a[i] = x;", "a[i] = x + 1;"),
        ("tell(1); tell(2);", "tell(2); tell(1);"),
        ("if (x) goto out;", "if (!x) goto out;"),
        ("x = x;", "x = x + (a[3] - a[3]);"),
    ];
    for kind in KINDS {
        for (old, new) in cases {
            not_contained(&with(kind, "", old), &with(kind, "", new));
        }
    }
}

/// Nobody can run such code, so nobody would find that it hangs in one version.
#[test]
fn parts_that_hang_in_one_version_beside_holes_are_not_contained() {
    for kind in KINDS {
        not_contained(&with(kind, "", "if (x == 3) for (;;);"), &with(kind, "", ";"));
    }
}

#[test]
fn renamed_variables_beside_holes_are_the_same_code() {
    for kind in KINDS {
        let old = with(kind, "", "total ^= x;");
        let new = old.replace("total", "sum");
        assert_eq!(equal_by(&old, &new).as_deref(), Some("normalise"), "{new}");
    }
}

#[test]
fn changes_of_a_hole_are_not_contained() {
    let asm = with(KINDS[2], "", "");
    for (from, to) in [
        // The template, an operand, a clobber, where it goes.
        ("testl $1", "testl $2"),
        ("\"r\"(total)", "\"r\"(x)"),
        ("\"cc\", \"memory\"", "\"cc\""),
        ("jne %l1", "je %l1"),
    ] {
        assert!(asm.contains(from));
        not_contained(&asm, &asm.replace(from, to));
    }
    let two = |first: &str, second: &str| {
        format!(
            "{HEAD}int f(long double n, ...) {{ va_list k, l; va_start({first}, n); int x = va_arg({first}, int);
             va_start({second}, n); return x - va_arg({second}, int) + va_arg(k, int); }}"
        )
    };
    not_contained(&two("k", "l"), &two("l", "k"));
    let buffers = |first: &str| {
        format!("{HEAD}static jmp_buf c; int f(int x) {{ return setjmp({first}) ? x : tell(x); }}")
    };
    not_contained(&buffers("b"), &buffers("c"));
    let names = |symbol: &str| {
        format!(
            "{HEAD}int u, v; int f(int x) {{ u = 1; v = 2; __asm__ goto(\"decl %0; je %l1\" : : \"m\"({symbol}) : \"memory\" : out);
             return u; out: return v; }}"
        )
    };
    not_contained(&names("u"), &names("v"));
}

#[test]
fn holes_that_move_across_a_store_are_not_contained() {
    let hole = "__asm__ goto(\"decl %0; je %l1\" : : \"m\"(*p) : \"memory\" : out);";
    let function =
        |body: &str| format!("{HEAD}int f(int *p) {{ {body} return *p; out: return 9; }}");
    not_contained(&function(&format!("*p = 1; {hole}")), &function(&format!("{hole} *p = 1;")));
    let list = |body: &str| {
        format!(
            "{HEAD}int f(long double n, ...) {{ va_list l; {body} return n + va_arg(l, int); }}"
        )
    };
    let other = "n = *(int *)l;";
    not_contained(
        &list(&format!("va_start(l, n); {other}")),
        &list(&format!("{other} va_start(l, n);")),
    );
}

/// `leave` goes on behind `setjmp` in the middle of the part that changed: what memory holds then is no outcome of the part, and
/// `longjmp` does not look at `g` itself.
#[test]
fn regions_that_longjmp_may_leave_are_not_contained() {
    let version = |value: &str| {
        format!(
            "{HEAD}static int g; static void leave(int x) {{ if (x > 0) longjmp(b, 1); }}
             int f(int x) {{ if (setjmp(b)) return g; g = {value}; leave(x); g = 2; return 0; }}"
        )
    };
    not_contained(&version("1"), &version("5"));
    // The callee itself changed, and is equal whenever it returns.
    let callee = |value: &str| {
        format!(
            "{HEAD}static int g; static void leave(int x) {{ g = {value}; if (x > 0) longjmp(b, 1); g = 2; }}
             int f(int x) {{ if (setjmp(b)) return g; leave(x); return 0; }}"
        )
    };
    not_contained(&callee("1"), &callee("5"));
}

/// Whether the last function is the same code if all others are taken for equal in every call.
fn is_same_if_callees_are_equal(old: &str, new: &str) -> bool {
    let comparison = compared(old, new).unwrap();
    let last = comparison.pair_ids().last().unwrap();
    let mut judgements = Judgements::new();
    for pair in comparison.pair_ids().filter(|pair| *pair != last) {
        let mut equal = Judgement::default();
        let evidence = Evidence::new(Field::EqualUnder, "test", Rule::Unchanged);
        equal.grow(Formula::truth(), evidence).unwrap();
        equal.hold_in_calls(Formula::truth());
        judgements.insert(pair, equal);
    }
    let judgement = Judgement::default();
    let task = Task {
        comparison: &comparison,
        pair: last,
        judgement: &judgement,
        judgements: &judgements,
    };
    !Normalise.run(&task, &Budget::lasting(Effort::seconds(1), 0)).additions.is_empty()
}

/// That a callee is equal in every call says nothing of calls that it does not return from.
#[test]
fn equal_callees_that_longjmp_may_leave_do_not_make_code_equal_that_returns_twice() {
    let version = |callee: &str, hole: &str| {
        format!(
            "{HEAD}static int g; static void callee(int x) {{ {callee} }}
             int f(int x) {{ {hole} callee(x); return 0; out: return g; }}"
        )
    };
    let twice = "if (setjmp(b)) goto out;";
    let once = "__asm__ goto(\"jmp %l0\" : : : : out);";
    let is_same = |hole: &str, old: &str, new: &str| {
        is_same_if_callees_are_equal(&version(old, hole), &version(new, hole))
    };
    let (old, new) = ("g = 1; longjmp(b, 1);", "g = 2; longjmp(b, 1);");
    assert!(is_same(once, old, new));
    assert!(!is_same(twice, old, new));
    let (old, new) = ("g = 1; g = tell(x);", "g = 2; g = tell(x);");
    assert!(is_same(once, old, new));
    assert!(!is_same(twice, old, new));
    assert!(is_same(twice, "g = 1; g = x;", "g = 2; g = x;"));
}

/// The flow graph has no edge from `leave` to behind `setjmp`, so no one reads what is written to the local before it.
#[test]
fn variables_are_live_where_longjmp_may_leave() {
    let version = |first: &str, second: &str| {
        format!(
            "{HEAD}static void leave(int x) {{ if (x > 0) longjmp(b, 1); }}
             int f(int x) {{ int s = 0; if (setjmp(b)) return s; {first} leave(x); {second} return 4; }}"
        )
    };
    not_contained(&version("s = 1;", ""), &version("s = 2;", ""));
    not_contained(&version("s = 1;", "s = 3;"), &version("s = 2;", "s = 3;"));
    not_contained(&version("", ""), &version("s = 2;", ""));
    // On one of two paths, and with the value from before on the other.
    not_contained(&version("if (x == 3) s = 1;", ""), &version("if (x == 4) s = 1;", ""));
    not_contained(
        &version("if (x == 3) s = 1;", ""),
        &version("s = x == 3;", "").replace("s = 0", "s = 7"),
    );
    contained(&version("s = x * 2;", ""), &version("s = x + x;", ""));
    contained(&version("s += x * 2;", "s = 3;"), &version("s += x + x;", "s = 3;"));
}

/// A callee that reaches nothing outside of the program cannot be left: its outcome is all there is of it.
#[test]
fn callees_that_cannot_be_left_may_change_where_something_returns_twice() {
    let version = |body: &str| {
        format!(
            "{HEAD}static int lib(int x) {{ {body} }}
             int f(int x) {{ int s = 0; if (setjmp(b)) return s; s = lib(x) > 0; tell(s); return s; }}"
        )
    };
    let old = version("return x < 0 ? -1 : x > 0;");
    contained(&old, &version("return x < 0 ? -7 : x > 0 ? 3 : 0;"));
    not_contained(&old, &version("return x < 0 ? 1 : x > 0;"));
    not_contained(&old, &version("tell(1); return x < 0 ? -1 : x > 0;"));
}

/// Pointers into the procedure around a region, its statics and what its caller gave may be the same.
#[test]
fn nothing_is_assumed_of_pointers_in_parts_of_unsupported_code() {
    let version = |body: &str| {
        format!(
            "{HEAD}static int s; int f(long double n, int *p, ...) {{
                 va_list l; int x = 0; int *q = n ? &s : &x; va_start(l, p);
                 if (n > 5) p = va_arg(l, int *);
                 tell(*q); {body} va_end(l); return *q + x + s; }}"
        )
    };
    not_contained(
        &version("s = 1; *q = 2; n = s;  tell(n);"),
        &version("s = 1; *q = 2; n = 1; tell(n);"),
    );
    not_contained(
        &version("x = 1; *q = 2; n = x;  tell(n);"),
        &version("x = 1; *q = 2; n = 1; tell(n);"),
    );
    not_contained(
        &version("*p = 1; *q = 2; n = *p; tell(n);"),
        &version("*p = 1; *q = 2; n = 1; tell(n);"),
    );
}

/// A variable without a value is handed into the region, and is read by one version only.
#[test]
fn variables_without_a_value_are_handed_into_parts_of_unsupported_code() {
    let version = |body: &str| {
        format!(
            "{HEAD}int f(int c, long double n, ...) {{
                 va_list l; int x; va_start(l, n); for (int i = 0; i < n; i++) tell(i);
                 {body}
                 for (int i = 0; i < n; i++) tell(va_arg(l, int)); return c ? x : 0; }}"
        )
    };
    not_contained(&version("if (c) x = 1;"), &version("x = c ? 1 : x;"));
}

#[test]
fn no_engine_executes_holes() {
    for kind in KINDS {
        // The first is a change that is no difference; the second a difference in the hole, or next to it.
        let old = with(kind, "", "total = total * 2;");
        let new = with(kind, "", "total = total * 3;").replace("testl $1", "testl $2");
        let comparison = compared(&old, &new).unwrap();
        let pair = comparison.pair_ids().last().unwrap();
        let facts = Facts::of(comparison.clone());
        let (judgement, judgements) = (Judgement::default(), Judgements::new());
        let task =
            Task { comparison: &comparison, pair, judgement: &judgement, judgements: &judgements };
        for mut engine in all(&facts) {
            let findings = engine.run(&task, &Budget::lasting(Effort::seconds(2), 0));
            let name = engine.name();
            assert!(findings.additions.is_empty(), "{name}: {findings:?}");
            assert!(findings.candidates.is_empty(), "{name}: {findings:?}");
            assert!(!findings.common_run, "{name}: {findings:?}");
        }
        let stopped = judged(&comparison).pop().unwrap().stopped;
        assert!(matches!(stopped, Some(StopReason::Unsupported { .. })), "{stopped:?}");
    }
}
