//! Many clients of one library.

use crate::support::Folder;
use serde_json::Value;

const LIBRARY: &str = "int half(int x) { return x / 2; }
int odd(int x) { return x & 1; }
static int hidden(int x) { return x; }
int same(int x) { return hidden(x); }
";

fn folder() -> Folder {
    let changed = LIBRARY.replace("x / 2", "x >> 1").replace("x & 1", "x % 2");
    Folder::with(&[
        ("lib.c", LIBRARY),
        ("lib2.c", &changed),
        (
            "apps/area.c",
            "int half(int);\nint area(unsigned char x) { return half(x) * 2; }\nint main(void) { return area(4); }\n",
        ),
        ("apps/parity.c", "int odd(int);\nint parity(int x) { return odd(x) + 1; }\n"),
        // Its own function has the name of one of the library's, which nobody else can see.
        (
            "apps/quiet.c",
            "int same(int);\nstatic int hidden(int x) { return x + 1; }\nint quiet(int x) { return same(x) + hidden(x); }\n",
        ),
        (
            "apps/varies.c",
            "#include <stdarg.h>\nint odd(int);\nint varies(long double n, ...) { va_list l; va_start(l, n); int x = va_arg(l, int); va_end(l); return odd(x); }\n",
        ),
        ("more/broken.c", "int broken(int x) { return }\n"),
        ("more/empty.c", "int data = 3;\n"),
    ])
}

#[test]
fn each_client_has_one_line() {
    let folder = folder();
    let run = folder.run(&["lib.c", "lib2.c", "--clients", "apps/*.c"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    let expected = [
        "apps/area.c: not affected: the change in half() makes no difference to it",
        "apps/parity.c: affected: parity() differs exactly when ",
        "apps/quiet.c: not affected: it uses nothing that changed",
        "apps/varies.c: undecided: varies() may be affected through odd",
        "",
        "4 clients: 2 not affected, 1 affected, 1 undecided",
    ];
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{}", run.stdout);
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line} is not {expected}");
    }
    assert!(lines[1].contains(", for instance with x = "), "{}", lines[1]);
}

#[test]
fn clients_as_json_have_their_whole_reports() {
    let folder = folder();
    let files = ["--old", "lib.c", "--new", "lib2.c", "--format", "json"];
    let run = folder.run(&[&files[..], &["--clients", "apps/area.c", "apps/quiet.c"]].concat());
    assert_eq!(run.code, Some(0), "{run:#?}");
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["schema"], "verdiff-clients/1");
    let clients = report["clients"].as_array().unwrap();
    assert_eq!(clients.len(), 2);
    assert_eq!(clients[0]["client"], "apps/area.c");
    assert_eq!(clients[0]["impact"], "none");
    assert_eq!(clients[0]["report"]["schema"], "verdiff-report/1");
    let names = |client: &Value| -> Vec<String> {
        let pairs = client["report"]["pairs"].as_array().unwrap();
        pairs.iter().map(|pair| pair["function"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&clients[0]), ["area", "main"]);
    assert_eq!(names(&clients[1]), ["hidden", "quiet"]);
}

#[test]
fn what_is_wrong_with_one_client_costs_no_other() {
    let folder = folder();
    let run = folder.run(&["lib.c", "lib2.c", "--clients", "apps/quiet.c", "more/*.c"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].starts_with("apps/quiet.c: not affected"), "{}", run.stdout);
    assert!(lines[1].starts_with("more/broken.c: not compared: "), "{}", run.stdout);
    assert_eq!(lines[2], "more/empty.c: not compared: it defines no function");
    assert!(run.stderr.contains("expected expression"), "{}", run.stderr);
}

#[test]
fn bad_patterns_are_named() {
    let folder = folder();
    let run = folder.run(&["lib.c", "lib2.c", "--clients", "apps/*.h"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
    assert!(run.stderr.contains("--clients: no file matches apps/*.h"), "{}", run.stderr);
    let run = folder.run(&["lib.c", "lib2.c", "--clients", "apps/*.c", "--entry", "f"]);
    assert_eq!(run.code, Some(2), "{run:#?}");
}
