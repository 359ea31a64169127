//! Local verdicts: what a change does by itself, where a callee is undecided.

use crate::support::{Folder, pair};
use serde_json::{Value, json};

/// A function with a variable argument list, which is not supported, and functions around it.
fn version(result: &str, twice: &str, thrice: &str) -> String {
    format!(
        "#include <stdarg.h>
int first(long double n, ...) {{ va_list l; va_start(l, n); int r = va_arg(l, int); va_end(l); return {result}; }}
int twice(int x) {{ {twice} }}
int thrice(int x) {{ {thrice} }}
int caller(int x) {{ return twice(x); }}
int differs(int x) {{ return {result_of}; }}
int both(int x) {{ int r = first(1, x); return r + differs(x) {plus}; }}
",
        result_of = if result == "r" { "x" } else { "x + 1" },
        plus = if result == "r" { "* 2" } else { "+ differs(x)" },
    )
}

fn folder() -> Folder {
    let old = version("r", "return first(1, x) * 2;", "return first(1, x) * 3;");
    let new = version("r + 1", "int r = first(1, x); return r + r;", "return first(1, x) * 4;");
    Folder::versions(&old, &new)
}

#[test]
fn a_local_verdict_leaves_the_verdict_as_it_is() {
    let (code, report) = folder().compare(&["--timeout", "10"]);
    assert_eq!(code, 1, "differs() differs: {report:#}");
    let twice = pair(&report, "twice");
    assert_eq!(twice["verdict"], "unknown");
    assert_eq!(twice["local"], json!({"verdict": "equivalent", "modulo": ["first"]}));
    assert_eq!(twice["proof"], Value::Null);
    assert_eq!(twice["evidence"], json!([]));
    // Its own change is none that is equivalent by itself; its own code did not change; it is decided.
    for (function, verdict) in [
        ("thrice", "unknown"),
        ("caller", "unknown"),
        ("first", "unknown"),
        ("differs", "different"),
    ] {
        let pair = pair(&report, function);
        assert_eq!(pair["verdict"], verdict, "{function}: {pair:#}");
        assert_eq!(pair["local"], Value::Null, "{function}: {pair:#}");
    }
    assert_eq!(pair(&report, "caller")["impact"]["kind"], "possible");
    // A callee that is known to differ is taken as common, too.
    let both = pair(&report, "both");
    assert_eq!(both["verdict"], "unknown", "{both:#}");
    assert_eq!(both["local"]["modulo"], json!(["first", "differs"]), "{both:#}");
}

#[test]
fn a_local_verdict_is_one_sentence() {
    let sentences = [
        "the change in twice itself is equivalent; it calls first, which is undecided",
        "the change in both itself is equivalent; it calls first and differs, which differ or are undecided",
    ];
    let said = |options: &[&str]| {
        let run = folder().run(&[&["old.c", "new.c", "--timeout", "10"], options].concat());
        // Long lines are broken.
        run.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for options in [&[][..], &["-q"][..]] {
        let text = said(options);
        for sentence in sentences {
            assert_eq!(text.matches(sentence).count(), 1, "{text}");
        }
        assert_eq!(text.matches("itself").count(), 2, "{text}");
    }
}
