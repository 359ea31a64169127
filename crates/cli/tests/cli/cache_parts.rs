//! What an answer depends on: what its pair reaches, and what the rest of the programs does to that. Everything else may change.

use crate::cache::{entries, plain};
use crate::support::{Folder, Run, command, pair, verdict};
use serde_json::Value;

/// Functions that rest on static variables, pointers, literals, callees and external functions.
const OLD: &str = "\
#include <stdio.h>
#include <stdlib.h>
struct item { int value; struct item *next; };
static int counter;
static int table[4] = {1, 2, 3, 4};
static struct item *list;
int seen = 3;
static int helper(int x);
int unrelated(int x) { return x + 1; }
void count(void) { counter++; }
void add(int value) {
    struct item *made = malloc(sizeof *made);
    if (!made) return;
    made->value = value;
    made->next = list;
    list = made;
}
static int helper(int x) { return x > 0 ? x : -x; }
int sum(int a, int b) { return (a & b) + (a | b) + counter; }
int entry(int i) { return table[i & 3] + helper(i); }
int loop(int n) {
    int total = 0;
    for (int i = 0; i < n; i++) {
        total += seen;
    }
    return total;
}
int first(void) { return list ? list->value : 0; }
void show(int x) { if (x > 2) printf(\"large %d\\n\", x); else printf(\"small\\n\"); }
int limit(int x) { return helper(x) > 9 ? 9 : x; }
";

/// What is changed in the new version.
const CHANGES: [(&str, &str); 6] = [
    ("(a & b) + (a | b) + counter", "counter + a + b"),
    ("table[i & 3] + helper(i)", "helper(i) + table[i & 3]"),
    ("total += seen", "total -= -seen"),
    ("list ? list->value : 0", "list ? (list->value ^ 5) ^ 5 : 0"),
    ("x > 2", "x >= 3"),
    ("> 9 ? 9 : x", "> 9 ? 8 : x"),
];

const FUNCTIONS: [&str; 6] = ["sum", "entry", "loop", "first", "show", "limit"];

/// Compares with the folder's cache and with jobs about parts, however small; gives the report, and which functions were judged in an
/// earlier run.
#[track_caller]
fn cached(folder: &Folder) -> (Value, Vec<String>) {
    let report = with_parts(folder, &["--cache", "cache"]);
    let pairs = report["pairs"].as_array().unwrap().iter();
    let known = pairs.filter(|pair| pair["cached"] == true);
    let known = known.map(|pair| pair["function"].as_str().unwrap().to_owned()).collect();
    (report, known)
}

/// The report with jobs about parts.
#[track_caller]
fn with_parts(folder: &Folder, options: &[&str]) -> Value {
    let mut command = command(&folder.path("."));
    command.env("VERDIFF_TEST_PARTS", "all").args(["old.c", "new.c", "--format", "json"]);
    let run = Run::of(&command.args(options).output().unwrap());
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

fn changed(text: &str) -> String {
    CHANGES.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Changes both versions.
fn write(folder: &Folder, old: &str, new: &str) {
    std::fs::write(folder.path("old.c"), old).unwrap();
    std::fs::write(folder.path("new.c"), new).unwrap();
}

/// If both programs are as they were, no part is made: an answer that was found by the key of a part is known to the next
/// run by that of both programs.
#[test]
fn what_is_known_of_both_programs_needs_no_part() {
    let folder = Folder::versions(OLD, &changed(OLD));
    let (first, _) = cached(&folder);
    let before = entries(&folder);
    let text = OLD.replace("return x + 1;", "return x * 3;");
    write(&folder, &text, &changed(&text));
    assert_eq!(cached(&folder).1, FUNCTIONS);
    // All that the first run has kept is gone, the keys of parts with it.
    for entry in before {
        std::fs::remove_file(entry).unwrap();
    }
    let (third, known) = cached(&folder);
    assert_eq!(known, FUNCTIONS);
    for name in FUNCTIONS {
        assert_eq!(pair(&first, name)["verdict"], pair(&third, name)["verdict"], "{name}");
    }
}

#[test]
fn an_edit_elsewhere_changes_no_key() {
    let folder = Folder::versions(OLD, &changed(OLD));
    cached(&folder);
    let (_, known) = cached(&folder);
    assert_eq!(known, FUNCTIONS);
    let edits = [
        // Another function's body, with a line more and with a call.
        ("return x + 1;", "x *= 3;\n    return helper(x) + 7;"),
        // A literal before all others, an external function and a type.
        (
            "return x + 1;",
            "struct more { char c; } m = {0};\n    putchar(m.c);\n    return puts(\"no\");",
        ),
        // It is changed in one version only, later.
        ("int unrelated", "\n\n/* a comment */\nint unrelated"),
        // Functions.
        ("int unrelated", "int further(int *p) { return *p; }\nint unrelated"),
        ("int limit", "static int alone(int x) { return x; }\nint limit"),
        // Variables, used or not.
        ("static int counter;", "int above = 4;\nstatic int counter;"),
        (
            "static int counter;",
            "static int own;\nint *get(void) { return &own; }\nstatic int counter;",
        ),
        (
            "static int counter;",
            "static const char *names[] = {\"a\", \"b\"};\nconst char *name(int i) { return names[i & 1]; }\nstatic int counter;",
        ),
        // What was done before.
        ("counter++;", "counter++;\n    if (counter > 3) counter++;"),
    ];
    for (from, to) in edits {
        let text = OLD.replace(from, to);
        assert_ne!(text, OLD, "{from}");
        write(&folder, &text, &changed(&text));
        let (report, known) = cached(&folder);
        let missing: Vec<_> = FUNCTIONS.iter().filter(|f| !known.iter().any(|k| k == *f)).collect();
        assert!(missing.is_empty(), "{from} -> {to}: {missing:?}");
        // Names, lines and inputs are those of the new text.
        assert_eq!(plain(report), plain(with_parts(&folder, &["--no-cache"])), "{from} -> {to}");
    }
    // In one version alone.
    let new = changed(OLD).replace("return x + 1;", "return x + 2;");
    write(&folder, OLD, &new);
    let (_, known) = cached(&folder);
    assert!(FUNCTIONS.iter().all(|f| known.iter().any(|k| k == f)), "{known:?}");
}

/// Each fact about the rest of the programs that a judgement may rest on, changed alone in both versions.
#[test]
fn each_fact_about_the_rest_is_in_the_key() {
    let pointer = "int f(int *p) { return *p + 1; }\n";
    let outside = "void act(void);\nstatic int n;\nint f(void) { n = 1; act(); return n + 1; }\n";
    let cases = [
        // Code outside may call what writes a static variable.
        (outside, "void set(void) { n = 5; }\n"),
        // It can reach one.
        (outside, "int *get(void) { return &n; }\n"),
        // The address of one is kept in another.
        (
            outside,
            "static int *kept;\nvoid keep(void) { kept = &n; }\nint **where(void) { return &kept; }\n",
        ),
        // Code outside may call back.
        (
            "void act(void);\nint f(int x) { act(); return x + 1; }\n",
            "int g(int x) { return x; }\nint (*pointer)(int) = g;\n",
        ),
        // What a pointer may lead to.
        (
            "int f(int (*p)(int)) { return p(1) + 1; }\n",
            "int g(int x) { return x; }\nint (*pointer)(int) = g;\n",
        ),
        // There are callers.
        (pointer, "int caller(int *p) { return f(p); }\n"),
        // Accesses of another width.
        (pointer, "char narrow(char *p) { return *p; }\n"),
        // Memory without a value is copied.
        (
            pointer,
            "struct pad { char c; int i; };\nvoid copy(struct pad *p, struct pad *q) { *p = *q; }\n",
        ),
        // Another variable has the name.
        ("int n;\nint f(void) { return n + 1; }\n", "int g(void) { static char n; return n++; }\n"),
        // What static variables lead to.
        (
            "struct s { struct s *to; int v; };\nstatic struct s *head;\nint f(void) { return head ? head->v + 1 : 0; }\n",
            "static struct s one;\nvoid put(void) { head = &one; }\n",
        ),
        // What makes inputs.
        (
            "struct s { int v; };\nint f(struct s *p) { return p->v + 1; }\n",
            "struct s *make(int v) { static struct s made; made.v = v; return &made; }\n",
        ),
        // Functions run at exit, before `main`, or are not known.
        (
            "int f(int x) { return x + 1; }\n",
            "int atexit(void (*)(void));\nvoid bye(void) {}\nint reg(void) { return atexit(bye); }\n",
        ),
        ("int f(int x) { return x + 1; }\n", "__attribute__((constructor)) void before(void) {}\n"),
        ("int f(int x) { return x + 1; }\n", "__asm__(\".globl somewhere\");\n"),
    ];
    for (old, more) in cases {
        let new = old.replace(" + 1", " - -1");
        let folder = Folder::versions(old, &new);
        cached(&folder);
        assert_eq!(cached(&folder).1, ["f"], "{old}");
        write(&folder, &(old.to_owned() + more), &(new.clone() + more));
        let (report, known) = cached(&folder);
        assert!(!known.iter().any(|k| k == "f"), "{old}{more}");
        assert_eq!(plain(report), plain(with_parts(&folder, &["--no-cache"])), "{old}{more}");
        let known = cached(&folder).1;
        assert!(known.iter().any(|k| k == "f"), "{old}{more}");
    }
    // Constants that the outside sees differ.
    let old = "void act(void);\nint f(int x) { act(); return x + 1; }\nconst int c = 1;\n";
    let new = old.replace(" + 1", " - -1");
    let folder = Folder::versions(old, &new);
    cached(&folder);
    write(&folder, old, &new.replace("c = 1", "c = 2"));
    assert_eq!(cached(&folder).1, Vec::<String>::new());
}

/// Without being told so, jobs are about parts where there are several pairs to judge, and where that takes long.
#[test]
fn small_comparisons_have_no_parts() {
    let loops = |count: usize, step: &str| -> String {
        let one = |n: usize| {
            format!(
                "int f{n}(int n) {{ int t = 0; for (int i = 0; i < n; i++) t {step}; return t; }}\n"
            )
        };
        (0..count).map(one).collect()
    };
    for (count, expected) in [(2, 0), (8, 8)] {
        let (old, new) = (loops(count, "+= 1"), loops(count, "-= -1"));
        let folder = Folder::versions(&old, &new);
        crate::cache::cached(&folder, &[]);
        assert_eq!(crate::cache::cached(&folder, &[]).1.len(), count);
        let more = "int straight(int x) { return x + 1; }\n";
        write(&folder, &(old + more), &(new + &more.replace("+ 1", "- -1")));
        assert_eq!(crate::cache::cached(&folder, &[]).1.len(), expected);
    }
}

/// `f` names a static function whose name one in another file has, too, which `f` does not reach. In the condition under
/// which `f` differs it is called the same in a part as in the whole, so that callers whose parts have both know which is
/// meant.
#[test]
fn functions_of_one_name_have_one_name_in_all_parts() {
    let a = "static int same(int a) { return a + 1; }\n\
             int f(int (*g)(int), int x) { return g == same ? x + 1 : x; }\n";
    let b = "static int same(int a) { return a * 3; }\nint other(int x) { return same(x); }\n";
    let (new_a, shown) = (a.replace("x + 1 :", "x + 2 :"), "a.c:same()");
    let folder =
        Folder::with(&[("old/a.c", a), ("new/a.c", &new_a), ("old/b.c", b), ("new/b.c", b)]);
    let conditions = ["worthwhile", "all"].map(|parts| {
        let mut command = command(&folder.path("."));
        command.env("VERDIFF_TEST_PARTS", parts).args(["--format", "json", "--no-cache"]);
        command.args(["--old", "old/a.c", "old/b.c", "--new", "new/a.c", "new/b.c"]);
        let run = Run::of(&command.output().unwrap());
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        pair(&report, "f")["equal_under"]["smt"].as_str().unwrap().to_owned()
    });
    assert!(conditions[0].contains(shown), "{conditions:?}");
    assert_eq!(conditions[0], conditions[1]);
}

/// `exit` runs what was registered with `atexit`, which the function that calls `exit` does not reach otherwise. A handler
/// changed: so the function is not proved equal, neither by formulas nor as the same code.
#[test]
fn a_changed_handler_is_part_of_what_calls_exit() {
    let start = "#include <stdlib.h>\nvoid act(int);\nstatic int n;\n\
                 static void last(void) { act(n); }\nvoid reg(void) { atexit(last); }\n";
    let bodies = [
        ("if (x > 3) exit(x + x); return x + 1;", "if (x > 3) exit(2 * x); return x + 1;"),
        (
            "int y = x; if (y > 3) exit(y); return y + 1;",
            "int y = x; if (y > 3) exit(y); return 1 + y;",
        ),
    ];
    for (old, new) in bodies {
        let program = |start: &str, body: &str| format!("{start}int f(int x) {{ {body} }}\n");
        for (handler, proved) in [("act(n)", true), ("act(n + 1)", false)] {
            let new = program(&start.replace("act(n)", handler), new);
            let folder = Folder::versions(&program(start, old), &new);
            for parts in ["worthwhile", "all"] {
                let mut command = command(&folder.path("."));
                command.env("VERDIFF_TEST_PARTS", parts).args(["old.c", "new.c", "--no-cache"]);
                let run = Run::of(
                    &command.args(["--format", "json", "--effort", "0.5"]).output().unwrap(),
                );
                let report: Value = serde_json::from_str(&run.stdout).unwrap();
                let said = verdict(&report, "f");
                assert_eq!(said == "equivalent", proved, "{parts}: {said}\n{new}");
            }
        }
    }
}
