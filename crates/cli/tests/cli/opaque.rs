//! Functions with unsupported code: the same code with equal callees is equal; nothing else is.

use crate::support::{Folder, pair, verdict};

/// Compares two versions of what stands around an unsupported function.
#[track_caller]
fn compare(old: &str, new: &str, expected: &[(&str, &str)]) {
    let head = "#include <stdarg.h>\n#include <stdlib.h>\n#include <setjmp.h>\n";
    let folder = Folder::versions(&format!("{head}{old}"), &format!("{head}{new}"));
    let (_, report) = folder.compare(&["--timeout", "4"]);
    for (function, expected) in expected {
        let verdict = verdict(&report, function);
        assert!(verdict.starts_with(expected), "{function} is {verdict} in {report:#}");
    }
}

const SUM: &str = "
int sum(long double n, ...) {
    int s = 0;
    va_list l;
    va_start(l, n);
    for (int i = 0; i < n; i++) s += scale(va_arg(l, int));
    va_end(l);
    return s;
}
int twice(int a) { return sum(2, a, a); }
";

#[test]
fn unchanged_unsupported_code_with_equal_callees_is_equal() {
    let version = |scale: &str| format!("int scale(int x) {{ {scale} }}{SUM}");
    let (old, new) = (version("return x * 2;"), version("return x + x;"));
    let equal = "equivalent";
    compare(&old, &new, &[("scale", equal), ("sum", equal), ("twice", equal)]);
    compare(&old, &old, &[("sum", equal), ("twice", equal)]);
}

#[test]
fn unsupported_code_with_a_changed_callee_is_not_common() {
    let version = |scale: &str| format!("int scale(int x) {{ {scale} }}{SUM}");
    let (old, new) = (version("return x * 2;"), version("return x * 3;"));
    let open = "unknown(unsupported)";
    compare(&old, &new, &[("scale", "different"), ("sum", open), ("twice", open)]);
}

#[test]
fn changed_unsupported_code_is_not_common() {
    let old = format!("int scale(int x) {{ return x; }}{SUM}");
    let new = old.replace("i < n", "i <= n");
    let open = "unknown(unsupported)";
    compare(&old, &new, &[("scale", "equivalent"), ("sum", open), ("twice", open)]);
}

#[test]
fn what_unsupported_code_uses_is_part_of_it() {
    let body = |more: &str, result: &str| {
        format!(
            "{more}\nint f(long double n, ...) {{ va_list l; va_start(l, n); va_end(l); return {result}; }}\nint g(int n) {{ return f(n); }}\n"
        )
    };
    let open = &[("f", "unknown(unsupported)"), ("g", "unknown(unsupported)")];
    let table = |last| body(&format!("static const int t[2] = {{1, {last}}};"), "t[(int)n & 1]");
    compare(&table(2), &table(3), open);
    let text = |text: &str| body("", &format!("\"{text}\"[(int)n & 1]"));
    compare(&text("ab"), &text("ac"), open);
    let layout = |fields: &str| body(&format!("struct s {{ {fields} }}; struct s *p;"), "p->b");
    compare(&layout("int a, b;"), &layout("int b, a;"), open);
}

#[test]
fn unsupported_code_that_has_a_changed_function_called_back_is_not_common() {
    let version = |order: &str| {
        format!(
            "static int cmp(const void *a, const void *b) {{ return {order}; }}
             void sort(long double n, ...) {{
                 va_list l;
                 va_start(l, n);
                 qsort(va_arg(l, int *), n, 4, cmp);
                 va_end(l);
             }}
             void both(int *p) {{ sort(2, p); }}
            "
        )
    };
    let (up, down) = ("*(int *)a > *(int *)b", "*(int *)a < *(int *)b");
    let open = "unknown(unsupported)";
    compare(&version(up), &version(down), &[("sort", open), ("both", open)]);
}

/// A callee that is left by longjmp has no outcome but the state in which it is left.
#[test]
fn code_that_returns_twice_is_common_if_its_callees_are_left_in_equal_states() {
    let version = |value: &str| {
        format!(
            "static jmp_buf b;
             static int state;
             static void leave(int n) {{ state = {value}; longjmp(b, 1); }}
             int run(int n) {{ if (setjmp(b)) return state; leave(n); return 0; }}
             int caller(int n) {{ return run(n); }}
            "
        )
    };
    compare(&version("1"), &version("2"), &[("run", "different"), ("caller", "different")]);
    for (old, new) in [("1 + 1", "4 / 2"), ("n * 2", "n + n")] {
        let expected = [("leave", "equivalent"), ("run", "equivalent"), ("caller", "equivalent")];
        compare(&version(old), &version(new), &expected);
    }
}

#[test]
fn the_proof_of_unsupported_code_names_its_callees() {
    let version = |scale: &str| format!("#include <stdarg.h>\nint scale(int x) {{ {scale} }}{SUM}");
    let folder = Folder::versions(&version("return x * 2;"), &version("return x + x;"));
    let (code, report) = folder.compare(&[]);
    assert_eq!(code, 0);
    let sum = pair(&report, "sum");
    assert_eq!(sum["proof"]["rule"], "same-code");
    assert_eq!(sum["changed"], "callees");
    assert_eq!(sum["termination"], "alike");
    assert_eq!(sum["evidence"][0]["uses"], serde_json::json!(["scale"]));
}

/// Unsupported code that writes a static, and what its further argument points to.
const SET: &str = "
static int level;
static int calls(void) { static int count; return ++count; }
void set(long double n, ...) {
    va_list l;
    va_start(l, n);
    *va_arg(l, int *) = n + calls();
    va_end(l);
    level = n;
}
int seen(void) { return level; }
int counted(void) { return calls(); }
";

/// Compares two versions of a function that calls the code above.
#[track_caller]
fn around_set(old: &str, new: &str, expected: &str) {
    let version = |body: &str| format!("{SET}int f(int x, int *p) {{ int a = 1; {body} }}\n");
    compare(&version(old), &version(new), &[("set", "equivalent"), ("f", expected)]);
}

#[test]
fn a_changed_caller_of_common_unsupported_code_is_proved() {
    around_set("set(x, p); return x * 2;", "set(x, p); return x + x;", "equivalent");
    around_set("set(x, &a); return a + x;", "set(x, &a); return x + a;", "equivalent");
    around_set("set(x, p); return *p - level;", "set(x, p); return -(level - *p);", "equivalent");
}

#[test]
fn what_common_unsupported_code_does_is_not_forgotten() {
    let open = "unknown";
    // It writes statics and what it is given; what it calls has statics of its own.
    around_set("int t = level; set(x, p); return t;", "set(x, p); return level;", open);
    around_set("set(x, &a); return a;", "set(x, &a); return 1;", open);
    around_set("int t = *p; set(x, p); return t;", "set(x, p); return *p;", open);
    around_set("int t = counted(); set(x, p); return t;", "set(x, p); return counted();", open);
    // How often it is called, in which order and with what.
    around_set("set(x, p); set(2, p); return 0;", "set(2, p); set(x, p); return 0;", open);
    around_set("set(x, p); return 0;", "return 0;", open);
    around_set("set(x, p); return 0;", "set(x + 1, p); return 0;", open);
}
