//! Tests that are written out compile, pass on one version and fail on the other.

use crate::support;

use std::path::Path;
use std::process::Command;
use support::pair::{Pair, args, global, ints, objects};
use support::surroundings;
use verdiff_front::Clang;
use verdiff_judge::NoTest;
use verdiff_model::state::{
    Answer, EntryState, Event, Link, Object, Outside, Pointer, Value, Write,
};
use verdiff_witness::replay::{ReplayOptions, Request, TestCase};

/// Compiles a test with one version and says whether it passes, which must not depend on the machine.
fn passes(test: &TestCase, source: &Path, folder: &Path) -> bool {
    let (name, text) = &test.files[0];
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    let (program, fill) = (folder.join("test"), folder.join("fill.c"));
    surroundings::write(&fill);
    let built = Command::new(Clang::find().unwrap().path())
        .args(["-w", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"])
        .args(&test.flags)
        .arg(format!("-DSOURCE=\"{}\"", source.display()))
        .args([&file, &fill])
        .arg(surroundings::FLAG)
        .arg("-o")
        .arg(&program)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&built.stderr).into_owned();
    assert!(built.status.success(), "{text}\n{said}");
    let done = surroundings::runs(&program);
    let passed: Vec<bool> = done.iter().map(|run| run.status.success()).collect();
    let messages: Vec<_> = done.iter().map(|run| String::from_utf8_lossy(&run.stdout)).collect();
    assert!(
        passed.iter().all(|one| *one == passed[0]),
        "it depends on the machine: {passed:?} {messages:?}\n{text}"
    );
    passed[0]
}

fn check_request(pair: &Pair, request: &Request) -> String {
    let (replayed, test) = pair.with(ReplayOptions::default(), |replayer| {
        let replayed = replayer.replay(request);
        let test = replayer.test_case(request, &replayed);
        (replayed, test)
    });
    let test = test.unwrap_or_else(|why| panic!("{why:?}: {replayed:#?}"));
    let folder = pair.folder.path();
    let (old, new) = (passes(&test, &pair.files[0], folder), passes(&test, &pair.files[1], folder));
    assert_eq!((old, new), (test.passes_on_old, !test.passes_on_old), "{}", test.files[0].1);
    test.files[0].1.clone()
}

fn check(old: &str, new: &str, entry: EntryState) -> String {
    let pair = Pair::new(old, new);
    let request = pair.request("f", |_| entry.clone());
    check_request(&pair, &request)
}

fn doubles(values: &[f64]) -> EntryState {
    let bits = |value: &f64| Value::Bits(u128::from(value.to_bits()));
    EntryState { args: values.iter().map(bits).collect(), ..EntryState::default() }
}

#[test]
fn scalars() {
    let text = check(
        "int f(int x, unsigned char c) { return x + c; }",
        "int f(int x, unsigned char c) { return x - c; }",
        args(&[-7, 200]),
    );
    assert!(text.contains("int arg0 = -7;"), "{text}");
    check(
        "static long f(long x) { return x; } long g(void) { return f(1); }",
        "static long f(long x) { return x ^ 1; } long g(void) { return f(1); }",
        args(&[i64::MIN]),
    );
    check("_Bool f(_Bool b) { return b; }", "_Bool f(_Bool b) { return !b; }", args(&[1]));
}

#[test]
fn floats() {
    let (old, new) =
        ("double f(double x) { return x * 3; }", "double f(double x) { return x + x; }");
    for value in [0.1, -1e300, f64::INFINITY] {
        let old = if value.is_infinite() { "double f(double x) { return x - x; }" } else { old };
        check(old, new, doubles(&[value]));
    }
    check("float f(float x) { return -x; }", "float f(float x) { return 0 - x; }", args(&[0]));
    check(
        "long double f(double x) { return x; }",
        "long double f(double x) { return x + 1; }",
        doubles(&[1.5]),
    );
}

#[test]
fn memory() {
    let text = check(
        "int f(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }",
        "int f(const int *p, int n) { int s = 0; for (int i = 1; i < n; i++) s += p[i]; return s; }",
        {
            let mut entry = objects(vec![ints(&[1, -2, 3])]);
            entry.args.push(Value::Bits(3));
            entry
        },
    );
    assert!(text.contains("(const int [3]){1, -2, 3}"), "{text}");
    let text = check(
        "int f(const char *s) { return *s == 'x'; }",
        "int f(const char *s) { return *s == 'y'; }",
        objects(vec![Object::new(1, b"x\"y\0".to_vec())]),
    );
    assert!(text.contains(r#""x\"y""#), "{text}");
    // Written memory, aliasing, pointers in memory.
    let mut alias = objects(vec![ints(&[0])]);
    alias.args.push(Pointer::object(0).into());
    check(
        "void f(int *p, int *q) { *p = 1; *q = *p + 1; }",
        "void f(int *p, int *q) { int x = 1; *q = x + 1; *p = x; }",
        alias,
    );
    let mut holder = Object::new(8, vec![0; 16]);
    holder.contents.pointers.push(Link { offset: 8, to: Pointer::object(1) });
    let mut list = objects(vec![holder, Object::new(8, vec![0; 16])]);
    list.args.truncate(1);
    let head = "struct node { int value; struct node *next; };";
    check(
        &format!("{head} void f(struct node *n) {{ n->next->value = 3; n->next = 0; }}"),
        &format!("{head} void f(struct node *n) {{ n->next->value = 3; }}"),
        list,
    );
    // What the function makes.
    check(
        "#include <stdlib.h>\nint *f(int x) { int *p = malloc(4); *p = x; return p; }",
        "#include <stdlib.h>\nint *f(int x) { int *p = malloc(4); *p = x + 1; return p; }",
        args(&[4]),
    );
    check(
        "#include <stdlib.h>\nvoid f(char *p) { *p = 0; }",
        "#include <stdlib.h>\nvoid f(char *p) { *p = 0; free(p); }",
        objects(vec![Object::new(1, vec![1])]),
    );
}

#[test]
fn structs() {
    let head = "struct P { int x; short y; double z; };";
    let object = Object::new(8, {
        let mut bytes = vec![0; 16];
        bytes[0] = 5;
        bytes[4] = 7;
        bytes[8..].copy_from_slice(&2.5f64.to_le_bytes());
        bytes
    });
    let text = check(
        &format!("{head} int f(const struct P *p) {{ return p->x + p->y; }}"),
        &format!("{head} int f(const struct P *p) {{ return p->x - p->y; }}"),
        objects(vec![object]),
    );
    assert!(text.contains("{.x = 5, .y = 7, .z = 2.5}"), "{text}");
    // Another layout: the state is bytes.
    check(
        "struct P { int x, y; }; int f(struct P *p) { return p->x; }",
        "struct P { int y, x; }; int f(struct P *p) { return p->x; }",
        objects(vec![ints(&[1, 2])]),
    );
    // In registers, and behind a pointer; results, too.
    let head = "typedef struct { int a, b; } S; typedef struct { long v[4]; } L;";
    check(
        &format!("{head} S f(S s) {{ return (S){{s.b, s.a}}; }}"),
        &format!("{head} S f(S s) {{ return s; }}"),
        args(&[0x2_0000_0001]),
    );
    let long = Object::new(8, [1i64, 2, 3, 4].iter().flat_map(|v| v.to_le_bytes()).collect());
    let room = Object::new(8, vec![0; 32]);
    check(
        &format!("{head} L f(L l) {{ l.v[0] = 9; return l; }}"),
        &format!("{head} L f(L l) {{ l.v[0] = 8; return l; }}"),
        objects(vec![room, long]),
    );
}

/// A struct with two bytes of padding in the middle and six at its end.
const PADDED: &str = "struct P { char c; int x; double z; short s; };";

fn padded(c: u8, x: i32, padding: u8) -> Vec<u8> {
    let mut bytes = vec![padding; 24];
    bytes[0] = c;
    bytes[4..8].copy_from_slice(&x.to_le_bytes());
    bytes[8..16].copy_from_slice(&0.5f64.to_le_bytes());
    bytes[16..18].copy_from_slice(&9i16.to_le_bytes());
    bytes
}

/// Issue 12: the padding of a compound literal is what the stack held.
#[test]
fn padding_is_not_compared() {
    let side = |body: &str| format!("{PADDED} void f(struct P *p) {{ {body} }}");
    for padding in [0, 3] {
        let one = || objects(vec![Object::new(8, padded(1, 2, padding))]);
        let text = check(&side("p->x = 7;"), &side("p->x = 8;"), one());
        assert_eq!(text.contains("check_members(\""), padding == 0, "{text}");
        let two = || Object::new(8, [padded(1, 2, padding), padded(3, 4, padding)].concat());
        check(&side("p[1].x = 7;"), &side("p[1].c = 8;"), objects(vec![two()]));
        // A copy of all bytes.
        check(&side("p[1] = p[0];"), &side("p[1].x = p[0].x;"), objects(vec![two()]));
    }
    let global = |body: &str| format!("{PADDED} struct P g[2]; void f(void) {{ {body} }}");
    check(&global("g[1].x = 7;"), &global("g[1].x = 8;"), args(&[]));
    // What is read of a state with padding is what the state has there.
    let read = |body: &str| {
        format!("{PADDED} int f(const struct P *p) {{ const char *b = (void *)p; return {body}; }}")
    };
    let state = || objects(vec![Object::new(8, [padded(1, 2, 0), padded(3, 4, 0)].concat())]);
    check(&read("b[25] + b[20]"), &read("b[25] + b[20] + 1"), state());
}

#[test]
fn padding_of_arguments_and_results() {
    let head =
        "typedef struct { char c; int x; } S; typedef struct { short s; char c; long v[3]; } L;";
    // Other bytes on the stack, and then a result whose padding nobody wrote.
    let dirty = "static int fill(int n) { volatile char b[256]; for (int i = 0; i < 256; i++) b[i] = n; return b[3]; }";
    let small = |add: &str| {
        format!("{head} {dirty} S f(int n) {{ fill(n); S s; s.c = n; s.x = n {add}; return s; }}")
    };
    check(&small(""), &small("+ 1"), args(&[77]));
    let large = |add: &str| {
        format!(
            "{head} {dirty} L f(int n) {{ fill(n); L l; l.s = n; l.c = 1; l.v[0] = l.v[1] = l.v[2] = n {add}; return l; }}"
        )
    };
    let room = || {
        let mut entry = objects(vec![Object::new(8, vec![0; 32])]);
        entry.args.push(Value::Bits(77));
        entry
    };
    check(&large(""), &large("+ 1"), room());
    let argument = |add: &str| {
        format!("{head} int f(S s) {{ const char *b = (void *)&s; return b[1] + b[2] {add}; }}")
    };
    check(&argument(""), &argument("+ 1"), args(&[0x5_0000_0003]));
    check(&argument(""), &argument("+ 1"), args(&[0x5_0008_0003]));
}

/// Where padding is all that differs, it is compared.
#[test]
fn padding_alone_differs() {
    let side =
        |body: &str| format!("#include <string.h>\n{PADDED} void f(struct P *p) {{ {body} }}");
    let text = check(
        &side("memset(p, 0, sizeof *p);"),
        &side("p->c = 0; p->x = 0; p->z = 0; p->s = 0;"),
        objects(vec![Object::new(8, padded(1, 2, 3))]),
    );
    assert!(text.contains("check_bytes"), "{text}");
}

#[test]
fn long_doubles() {
    let side = |body: &str| {
        format!("struct D {{ int n; long double d; }}; void f(struct D *p) {{ {body} }}")
    };
    let object = || objects(vec![Object::new(16, vec![0; 32])]);
    check(&side("p->d = p->n + 1.5L;"), &side("p->d = p->n + 2.5L;"), object());
    let global = |value: &str| format!("long double d = 1; void f(void) {{ d = {value}; }}");
    check(&global("2.5L"), &global("3"), args(&[]));
}

#[test]
fn globals() {
    let pair = Pair::new(
        "int n = 3; static int m[2]; void f(void) { m[1] = n; }",
        "int n = 3; static int m[2]; void f(void) { m[1] = n < 9 ? n : 0; }",
    );
    let request = pair.request("f", |program| EntryState {
        globals: vec![global(program, "n", &[9, 0, 0, 0])],
        ..EntryState::default()
    });
    let text = check_request(&pair, &request);
    assert!(text.contains("n = 9;"), "{text}");
    // One that only the version that fails writes.
    check("int n = 3; void f(void) {}", "int n = 3; void f(void) { n = 4; }", args(&[]));
}

#[test]
fn traps() {
    check(
        "int f(int a, int b) { return a / b; }",
        "int f(int a, int b) { return b ? a / b : 0; }",
        args(&[1, 0]),
    );
    check(
        "int f(int *p) { return p[1]; }",
        "int f(int *p) { return p[1] + 0 * p[2]; }",
        objects(vec![ints(&[4, 5])]),
    );
    check(
        "int f(int c) { int x = 0; if (c) x = 1; if (x > 5) return 2; return 3; }",
        "int f(int c) { int x; if (c) x = 1; if (x > 5) return 2; return 3; }",
        args(&[0]),
    );
}

#[test]
fn output_and_ends() {
    let side =
        |body: &str| format!("#include <stdio.h>\n#include <stdlib.h>\nvoid f(int x) {{ {body} }}");
    for (old, new) in [
        (r#"puts("a"); puts("b\"?");"#, r#"puts("b\"?"); puts("a");"#),
        (r#"printf("%d\n", x);"#, r#"printf("%u\n", x);"#),
        (r#"fprintf(stdout, "%d", x);"#, r#"fprintf(stderr, "%d", x);"#),
        (r#"exit(0);"#, r#"exit(1);"#),
        (r#"exit(0);"#, r#"abort();"#),
        (r#"fputs("a", stderr); abort();"#, r#"abort();"#),
        (r#"puts("a"); abort();"#, r#"abort();"#),
        (r#""#, r#"exit(0);"#),
        (
            r#"putchar('a'); putchar(0); putchar('b');"#,
            r#"putchar('a'); putchar(0); putchar('c');"#,
        ),
        // More than a pipe holds, on both streams.
        (
            r#"for (int i = 0; i < 1000; i++) { fprintf(stderr, "%0100d", i); printf("%0100d", i); }"#,
            r#"for (int i = 0; i < 1000; i++) { fprintf(stderr, "%0100d", i); printf("%0100d", i + x); }"#,
        ),
    ] {
        check(&side(old), &side(new), args(&[-3]));
    }
}

#[test]
fn external_functions() {
    let head = "int get(int); void put(double); void fill(char *, int);";
    let side = |body: &str| format!("{head} int f(int x) {{ {body} }}");
    for (old, new) in [
        ("return get(x) + get(x + 1);", "return get(x) + get(x);"),
        ("put(x); get(1); return 0;", "get(1); put(x); return 0;"),
        ("put(0.5); return 0;", "put(0.25); return 0;"),
        ("char b[2]; fill(b, 2); return b[0];", "char b[2]; fill(b, 2); return b[1] + 1000;"),
        // More notes than four kilobytes.
        (
            "for (int i = 0; i < 600; i++) put(i * 0.1); return 0;",
            "for (int i = 0; i < 600; i++) put(i * 0.1); put(1); return 0;",
        ),
    ] {
        check(&side(old), &side(new), args(&[4]));
    }
}

#[test]
fn external_functions_that_write_globals() {
    let sides = |head: &str| {
        Pair::new(
            &format!("{head} void update(void); int f(void) {{ update(); return level; }}"),
            &format!(
                "{head} void update(void); int f(void) {{ int x = level; update(); return x; }}"
            ),
        )
    };
    let answered = |pair: &Pair| {
        let request = pair.request("f", |_| EntryState::default());
        let [old, _] = pair.outcomes(&request);
        let Event::Call { effect: Some(effect), .. } = &old.world.events[0] else { panic!() };
        let bytes = vec![7, 1, 0, 0];
        let answer = Answer {
            call: effect.call,
            results: vec![],
            writes: vec![Write { symbol: "level".to_owned(), offset: 0, bytes }],
            fills: vec![],
        };
        let outside = Outside { answers: vec![answer], ..Outside::default() };
        pair.request("f", |_| EntryState { outside: outside.clone(), ..EntryState::default() })
    };
    let pair = sides("int level;");
    let text = check_request(&pair, &answered(&pair));
    assert!(text.contains("__builtin_memcpy((char *)&level + 0"), "{text}");
    // What another file defines is not there.
    let pair = sides("extern int level;");
    let request = answered(&pair);
    let why = pair.with(ReplayOptions::default(), |replayer| {
        let replayed = replayer.replay(&request);
        replayer.test_case(&request, &replayed).unwrap_err()
    });
    assert_eq!(why, NoTest::DefinedElsewhere("level".to_owned()));
}
