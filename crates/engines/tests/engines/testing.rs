//! The engine `testing`: what it finds, and that it finds nothing where nothing is.

use crate::testing_support;

use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use testing_support::{compare_texts, corpus, is_in_part, pair_named, with_task};
use verdiff_engines::testing::Testing;
use verdiff_judge::{Budget, Comparison, Engine, Findings};
use verdiff_logic::effort;
use verdiff_model::state::{EntryState, Pointer, Value};

fn look(comparison: &Rc<Comparison>, function: &str, time: effort::Effort) -> Findings {
    let pair = pair_named(comparison, function).expect(function);
    let mut engine = Testing::default();
    with_task(comparison, pair, |task| engine.run(task, &Budget::lasting(time, 1)))
}

/// What is found of `f`, with as much time as it takes.
fn check(old: &str, new: &str) -> Findings {
    look(&compare_texts(old, new), "f", effort::Effort::seconds(60))
}

/// The simplest differing state of `f`.
fn differs(old: &str, new: &str) -> EntryState {
    let findings = check(old, new);
    let first = findings.candidates.into_iter().next();
    first.unwrap_or_else(|| panic!("{:?}: {old}", findings.stopped)).old
}

fn nothing(old: &str, new: &str) {
    let findings = check(old, new);
    assert_eq!(findings.candidates, [], "{old}");
    assert!(findings.common_run, "{old}");
    assert!(findings.additions.is_empty());
    let why = verdiff_report::stop_reason(&findings.stopped.expect("a reason"));
    assert!(why.starts_with("no difference found in "), "{why}");
}

#[test]
fn numbers_of_either_text_are_tried_and_made_simple() {
    let found = differs(
        "int f(int x) { return x; }",
        "int f(int x) { if (x == 123456789) return 0; return x; }",
    );
    assert_eq!(found.args, [Value::Bits(123_456_789)]);
    let found = differs("int f(int x) { return x / 4; }", "int f(int x) { return x >> 2; }");
    assert_eq!(found.args, [Value::Bits(0xffff_ffff)]);
}

#[test]
fn branches_are_solved_for() {
    let old = "unsigned f(unsigned x, unsigned y) { return x; }";
    for condition in [
        "(x ^ 0xdeadbeef) == y",
        "x * 3 + 7 == 0x12345678",
        "(x >> 7 & 0xffff) == 0xabcd && y == x + 77",
        "__builtin_bswap32(x) == 0x01020304",
        "(unsigned short)(x - 5) == 0xbeef && (x >> 16) == 0x1357 && y > 4000000000u",
    ] {
        let new = format!(
            "unsigned f(unsigned x, unsigned y) {{ if ({condition}) return 7; return x; }}"
        );
        differs(old, &new);
    }
}

/// A change behind conditions that depend on each other, in the midst of comparisons that lead nowhere.
#[test]
fn a_change_far_inside_is_reached() {
    let around = |change: &str| {
        let noise = |n: u32| {
            format!(
                "for (i = 0; i < (b + {n}u) % 9u; i++) {{ if ((s ^ i) % 7u == {n}u % 7u) s = s * 31u + i; else s ^= {n}u; }}\n"
            )
        };
        let noise: String = (0..40).map(noise).collect();
        format!(
            "unsigned f(unsigned a, unsigned b, unsigned gate, const unsigned *v) {{\n\
             unsigned s = a, i, c = 0;\n{noise}\
             if (v[3] == gate * 3u + 1u) {{\n{noise}\
             switch (gate >> 8) {{ case 77u: s++; break; case 48879u:\n{noise}\
             if ((gate & 33u) == 32u) {{ {change} }} }} }}\n{noise} return s + c; }}"
        )
    };
    differs(&around("c = a > 9u ? 1 : 2;"), &around("c = a > 10u ? 1 : 2;"));
}

/// A text between two pointers, which a callee compares with a word: what it returns decides whether its caller goes on to the change.
#[test]
fn a_text_that_a_callee_reads_is_found() {
    let parse = |digit: &str| {
        format!(
            "static const char *word(const char *p, const char *end) {{\n\
             for (const char *w = \"PROTO/1.\"; *w; w++, p++) if (p == end || *p != *w) return 0;\n\
             return p; }}\n\
             int f(const char *p, const char *end) {{\n\
             if (!(p = word(p, end)) || p == end) return -1;\n\
             return {digit}; }}"
        )
    };
    differs(&parse("*p != '0'"), &parse("*p != '0' && *p != '1'"));
}

/// Each run makes a table first, which takes longer than runs may at first.
#[test]
fn runs_take_as_long_as_the_first_one() {
    let check = |result: &str| {
        format!(
            "static unsigned char t[256];\n\
             int f(const unsigned char d[4]) {{\n\
             for (unsigned i = 0; i < 256; i++) {{ unsigned v = i;\n\
             for (int k = 0; k < 4; k++) v = v & 1 ? 0xb8u ^ v >> 1 : v >> 1; t[i] = v; }}\n\
             if (d[0] != 'T') return -1;\n\
             if (d[1] != t[d[0]]) return -2;\n\
             return {result}; }}"
        )
    };
    differs(&check("d[2]"), &check("d[2] & 127"));
}

#[test]
fn pointers_alias_overlap_and_are_null() {
    let found = differs(
        "void f(int *p, int *q) { *p = 1; *q = 2; }",
        "void f(int *p, int *q) { *q = 2; *p = 1; }",
    );
    assert_eq!(found.args[0], found.args[1]);
    let found = differs("int f(int *p) { return p ? *p : 0; }", "int f(int *p) { return *p; }");
    assert_eq!(found.args, [Value::Pointer(Pointer::NULL)]);
    differs(
        "void f(char *p, char *q) { for (int i = 0; i < 4; i++) p[i] = q[i]; }",
        "void f(char *p, char *q) { for (int i = 3; i >= 0; i--) p[i] = q[i]; }",
    );
    differs(
        "int g; int f(int *p) { int x = ++g; *p = 0; return g - x; }",
        "int g; int f(int *p) { ++g; *p = 0; return 0; }",
    );
}

/// As in a parser that takes its state from a stack: where the stack has too little below its top, both versions trap.
#[test]
fn objects_are_enlarged_where_a_run_leaves_them() {
    let parse = |last: &str| {
        format!(
            "struct state {{ long index, line, column; }};
             struct parser {{ struct state *top, *end; }};
             int f(struct parser *p, int *event) {{
                 struct state *below = p->top - sizeof *p / 2;
                 *event = below->line;
                 return {last};
             }}"
        )
    };
    differs(&parse("1"), &parse("2"));
}

#[test]
fn unknown_functions_answer_as_a_branch_would_like_it() {
    let found = differs(
        "int ask(int); int f(int x) { return ask(x) == 4711 ? 1 : 0; }",
        "int ask(int); int f(int x) { return ask(x) == 4711 ? 2 : 0; }",
    );
    assert_eq!(found.outside.answers[0].results, [4711]);
}

#[test]
fn allocations_fail_alike() {
    let boxed = |check: &str| {
        format!(
            "#include <stdlib.h>\nint f(int x) {{ int *p = malloc(4); {check} *p = x; x = *p; free(p); return x; }}"
        )
    };
    let found = differs(&boxed("if (!p) return -1;"), &boxed(""));
    assert_eq!(found.outside.failures, [0]);
    // The second one is not the first one of the other version.
    let two = |a: &str, b: &str, first: &str| {
        format!(
            "#include <stdlib.h>\nint f(void) {{ char *a, *b; {first} int r = !{a} + 2 * !{b}; free(a); free(b); return r; }}"
        )
    };
    nothing(
        &two("a", "b", "a = malloc(4); b = malloc(8);"),
        &two("a", "b", "b = malloc(8); a = malloc(4);"),
    );
    let found = differs(
        &two("a", "b", "a = malloc(4); b = malloc(8);"),
        &two("a", "a", "a = malloc(4); b = malloc(8);"),
    );
    assert!(found.outside.failures.len() == 1);
}

#[test]
fn unknown_functions_write_globals() {
    let early = |level: &str, call: &str| {
        format!(
            "#include <stdlib.h>\n{level}; void update(void); int f(void) {{ int now = level; {call}; return now; }}"
        )
    };
    let late = |level: &str, call: &str| {
        format!(
            "#include <stdlib.h>\n{level}; void update(void); int f(void) {{ {call}; return level; }}"
        )
    };
    let found = differs(&late("int level", "update()"), &early("int level", "update()"));
    let write = &found.outside.answers[0].writes[0];
    assert_eq!((write.symbol.as_str(), write.offset, write.bytes.len()), ("level", 0, 4));
    // Not what they cannot, nor what is known to leave it alone.
    nothing(&late("static int level", "update()"), &early("static int level", "update()"));
    nothing(&late("const int level = 3", "update()"), &early("const int level = 3", "update()"));
    let other = "getenv(\"HOME\")";
    nothing(&late("int level", other), &early("int level", other));
}

#[test]
fn a_number_is_not_an_address_of_what_one_version_made() {
    // Found in structs/update_through_pointer: x = -1, y = 0x10000000 in the version with a local.
    let comparison = compare_texts(
        "struct s { int x, y; }; void f(struct s *p, int x, int y) { p->x = x; p->y = y; }",
        "struct s { int x, y; }; static void set(struct s *p, struct s *q) { *p = *q; } void f(struct s *p, int x, int y) { struct s new = {x, y}; set(p, &new); }",
    );
    assert_eq!(look(&comparison, "f", effort::Effort::seconds(60)).candidates, []);
}

#[test]
fn floats_are_not_a_number_or_minus_zero() {
    differs("int f(double x) { return x < 1; }", "int f(double x) { return !(x >= 1); }");
    differs("float f(float x) { return x + 0.0f; }", "float f(float x) { return x; }");
}

#[test]
fn what_is_equal_stays_so() {
    nothing("int f(int x) { return x * 2; }", "int f(int x) { return x << 1; }");
    nothing(
        "int f(signed char x) { return x & 1; }",
        "int f(signed char x) { return (x % 2) != 0; }",
    );
    // Out of the caller's object one could see anything; it is taken to be large enough.
    nothing(
        "void f(char *restrict p, char *restrict q) { *p = 1; *q = 2; }",
        "void f(char *restrict p, char *restrict q) { *q = 2; *p = 1; }",
    );
}

#[test]
fn common_states_have_common_globals() {
    // Arbitrary equal values at entry, whatever the initialisers say.
    nothing(
        "int limit = 10; int f(void) { return limit; }",
        "int limit = 20; int f(void) { return limit; }",
    );
    // A static that nobody writes is a constant.
    nothing(
        "static int mode = 1; int f(int x) { return mode ? x : 0; }",
        "static int mode = 1; int f(int x) { return x; }",
    );
    let main = |limit: &str| format!("int limit = {limit}; int main(void) {{ return limit; }}");
    let comparison = compare_texts(&main("10"), &main("20"));
    let findings = look(&comparison, "main", effort::Effort::seconds(60));
    assert_eq!(findings.candidates.len(), 1);
    assert!(findings.candidates[0].old.globals.is_empty());
}

#[test]
fn settings_are_kept_to() {
    let mut comparison = compare_texts(
        "int f(int *p, int *q) { *p = 1; *q = 2; return *p; }",
        "int f(int *p, int *q) { *p = 1; *q = 2; return 1; }",
    );
    assert!(!look(&comparison, "f", effort::Effort::seconds(60)).candidates.is_empty());
    Rc::make_mut(&mut comparison).settings.no_alias = true;
    assert!(look(&comparison, "f", effort::Effort::seconds(60)).candidates.is_empty());
}

#[test]
fn signatures_that_differ_have_no_common_states() {
    let findings = check("int f(int x) { return x; }", "int f(long x) { return x; }");
    assert!(findings.candidates.is_empty() && !findings.common_run);
}

#[test]
fn the_same_seed_gives_the_same_findings() {
    let old = "int f(const char *s, int n) { int c = 0; while (n-- > 0 && *s) c += *s++ == 'x'; return c; }";
    let new = "int f(const char *s, int n) { int c = 0; while (n-- > 1 && *s) c += *s++ == 'x'; return c; }";
    assert_eq!(check(old, new), check(old, new));
}

#[test]
fn no_equivalent_function_of_the_corpus_differs() {
    let cases: Vec<_> =
        corpus().into_iter().filter(|case| !case.has_options && is_in_part(case, 5)).collect();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(vec![]);
    let looked_at = AtomicUsize::new(0);
    let work = || {
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            if case.functions.iter().all(|f| f.verdict != "equivalent") {
                continue;
            }
            let comparison = case.compare().unwrap();
            for function in case.functions.iter().filter(|f| f.verdict == "equivalent") {
                if pair_named(&comparison, &function.name).is_none() {
                    continue;
                }
                let findings = look(&comparison, &function.name, effort::Effort::millis(40));
                looked_at.fetch_add(1, Ordering::Relaxed);
                if let Some(candidate) = findings.candidates.first() {
                    let text = format!("{} {}: {:?}", case.name, function.name, candidate.old);
                    wrong.lock().unwrap().push(text);
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(work);
        }
    });
    let least = if std::env::var_os("VERDIFF_CORPUS_ALL").is_some() { 200 } else { 70 };
    assert!(looked_at.into_inner() > least);
    assert_eq!(wrong.into_inner().unwrap(), Vec::<String>::new());
}
