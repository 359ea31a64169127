//! What a change means for functions whose own code did not change.

use crate::support::{Folder, pair};
use serde_json::{Value, json};

fn impact<'a>(report: &'a Value, function: &str) -> &'a Value {
    &pair(report, function)["impact"]
}

#[test]
fn an_impact_has_its_kind_its_cause_and_its_way() {
    let old = "
static const int table[2] = {1, 2};
int doubled(int x) { return x * 2; }
int next(int x) { return x + 1; }
int calls_doubled(int x) { return doubled(x) - 1; }
int calls_next(int x) { return next(x) - 1; }
int further(int x) { return calls_next(x); }
int looks_up(int i) { return table[i & 1]; }
int nothing(int x) { return x; }
";
    let new = old
        .replace("return x * 2", "return x + x")
        .replace("return x + 1", "return x + 2")
        .replace("{1, 2}", "{1, 3}");
    let (code, report) = Folder::versions(old, &new).compare(&[]);
    assert_eq!(code, 1);
    let expected =
        |kind: &str, through: &str, by: &str| json!({"kind": kind, "through": [through], "by": by});
    assert_eq!(*impact(&report, "calls_doubled"), expected("none", "doubled", "call"));
    assert_eq!(*impact(&report, "calls_next"), expected("proved", "next", "call"));
    assert_eq!(*impact(&report, "further"), expected("proved", "next", "call"));
    assert_eq!(*impact(&report, "looks_up"), expected("proved", "table", "global"));
    // What changed itself is decided, not affected; what nothing can reach is neither.
    for function in ["doubled", "next", "nothing"] {
        assert_eq!(*impact(&report, function), Value::Null, "{function}");
    }
    assert_eq!(report["summary"]["changed"], json!({"decided": 2, "undecided": 0}));
    let callers = json!({"unaffected": 1, "affected": 3, "possible": 0});
    assert_eq!(report["summary"]["callers"], callers);
}

/// A hang is no outcome, so equal outcomes alone do not make a caller unaffected.
#[test]
fn no_impact_needs_equal_termination() {
    let old = "int g(int x) { return 0; }\nint f(int x) { return g(x); }\n";
    let new = old.replace("return 0", "for (;;) x++; return 0");
    let (_, report) =
        Folder::versions(old, &new).compare(&["--ignore-termination", "--timeout", "3"]);
    assert_ne!(impact(&report, "f")["kind"], "none", "{report:#}");
}

#[test]
fn functions_that_changed_come_first_and_undecided_callers_take_one_line() {
    let version = |more: &str| {
        let callers: String = (0..20)
            .map(|n| format!("int caller{n}(int x) {{ return sum(1, x) + {n}; }}\n"))
            .collect();
        format!(
            "#include <stdarg.h>
int sum(long double n, ...);
{callers}
int sum(long double n, ...) {{
    int s = 0;
    va_list l;
    va_start(l, n);
    {more}
    for (int i = 0; i < n; i++) s += va_arg(l, int);
    va_end(l);
    return s;
}}
"
        )
    };
    let copied = "va_list k; va_copy(k, l); va_end(k);";
    let folder = Folder::versions(&version(""), &version(copied));
    let run = folder.run(&["old.c", "new.c"]);
    assert_eq!(run.code, Some(3), "{run:#?}");
    let text = run.stdout.replace("\n  ", " ");
    assert!(run.stdout.starts_with("sum: unknown"), "{}", run.stdout);
    let line = "20 functions may be affected through sum: caller0, caller1, caller2 and 17 more (`-v` lists them)";
    assert!(text.contains(line), "{text}");
    assert!(!run.stdout.contains("caller7"), "{}", run.stdout);
    let line = "changed functions: 0 decided, 1 undecided; callers: 0 not affected, 0 affected, 20 possibly affected";
    assert!(text.contains(line), "{text}");
    let line =
        "result: no difference was found, but 1 function is undecided, 20 callers may be affected";
    assert!(text.contains(line), "{text}");
    let all = folder.run(&["old.c", "new.c", "-v"]).stdout;
    assert!(
        all.contains("caller7: unknown") && all.contains("may be affected through sum"),
        "{all}"
    );
}

#[test]
fn what_may_be_called_back_is_a_cause_of_its_own() {
    let old = "
#include <stdarg.h>
void elsewhere(void);
static int hook(long double n, ...) { va_list l; va_start(l, n); int x = va_arg(l, int); va_end(l); return x; }
int (*installed)(long double, ...) = hook;
int runs(int x) { elsewhere(); return x; }
int around(int x) { return runs(x) + 1; }
";
    let new = old.replace("va_end(l); return x;", "va_end(l); return x + n;");
    let (code, report) = Folder::versions(old, &new).compare(&["--timeout", "5"]);
    assert_eq!(code, 3, "{report:#}");
    let expected = json!({"kind": "possible", "through": ["hook"], "by": "callback"});
    assert_eq!(*impact(&report, "runs"), expected, "{report:#}");
    assert_eq!(*impact(&report, "around"), expected);
    assert_eq!(*impact(&report, "hook"), Value::Null);
}

#[test]
fn who_asks_for_one_function_gets_one_sentence() {
    let library = "int half(int x) { return x / 2; }\nint odd(int x) { return x & 1; }\n";
    let client = "int half(int); int odd(int);
int area(unsigned char x) { return half(x) * 2; }
int parity(int x) { return odd(x) + 1; }
";
    let changed = library.replace("x / 2", "x >> 1").replace("x & 1", "x % 2");
    let folder = Folder::with(&[("app.c", client), ("lib.c", library), ("lib2.c", &changed)]);
    let result = |entry: &str| {
        let files = ["--old", "app.c", "lib.c", "--new", "app.c", "lib2.c", "--entry", entry];
        let run = folder.run(&files);
        let last = run.stdout.lines().last().unwrap_or_default().to_owned();
        (run.code, last)
    };
    let (code, last) = result("area");
    assert_eq!(
        (code, last.as_str()),
        (Some(0), "result: area() is not affected by the change in half()")
    );
    let (code, last) = result("parity");
    assert_eq!(code, Some(1));
    let expected = "result: parity() is affected by the change in odd(): it differs exactly when ";
    assert!(last.starts_with(expected), "{last}");
    assert!(last.contains(", for instance with x = "), "{last}");
}

/// A new variable that only changed functions use is part of their change: `main` calls them, and that is all.
#[test]
fn main_is_a_caller_where_only_changed_functions_use_a_new_variable() {
    let old = "int level(int x) { return x; }\nint main(void) { return level(3); }\n";
    let new = "int most = 1000;\nint level(int x) { return x > most ? most : x; }\n\
               int main(void) { return level(3); }\n";
    let (_, report) = Folder::versions(old, new).compare(&["--timeout", "3"]);
    assert_eq!(pair(&report, "main")["changed"], "callees", "{report:#}");
    // One that unchanged code reads, or that has another value now, is a change of what main begins with.
    let reads = "int most = 1;\nint level(int x) { return x; }\n\
                 int main(void) { return level(3) + most; }\n";
    let other = reads.replace("return x;", "return x + 1;").replace("most = 1;", "most = 2;");
    let (_, report) = Folder::versions(reads, &other).compare(&["--timeout", "3"]);
    assert_eq!(pair(&report, "main")["changed"], "globals", "{report:#}");
    // Nothing that main calls changed: then it is the variable.
    let (old, new) =
        ("int main(void) { return 3; }\n", "int opterr = 0;\nint main(void) { return 3; }\n");
    let (_, report) = Folder::versions(old, new).compare(&["--timeout", "3"]);
    assert_eq!(pair(&report, "main")["changed"], "globals", "{report:#}");
}

/// A variable that one version has, and that no code of this program names, does not matter to it, unless a library may know its name.
#[test]
fn a_new_variable_that_nobody_looks_for_does_not_change_main() {
    let text = |variable: &str, calls: &str| {
        let (global, most) = match variable {
            "" => (String::new(), "9".to_owned()),
            name => (format!("int {name} = 1;\n"), name.to_owned()),
        };
        format!(
            "#include <stdio.h>\nvoid other(void);\n{global}int level(int x) {{ return x < {most}; }}\n\
             int main(void) {{ {calls}; return 0; }}\n"
        )
    };
    let changed = |variable: &str, calls: &str| {
        let versions = Folder::versions(&text("", calls), &text(variable, calls));
        let (_, report) = versions.compare(&["--timeout", "3"]);
        let main = pair(&report, "main");
        (main["changed"].clone(), main["verdict"] == "equivalent")
    };
    assert_eq!(changed("MAX_LEVEL", "puts(\"a\")"), (json!("no"), true));
    assert_eq!(changed("opterr", "puts(\"a\")").0, json!("globals"));
    assert_eq!(changed("MAX_LEVEL", "other()"), (json!("globals"), false));
    assert_eq!(changed("MAX_LEVEL", "level(puts(\"a\"))").0, json!("callees"));
}
