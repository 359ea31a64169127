//! Which globals are constants though they are not declared so.

use verdiff_front::{Inputs, load};
use verdiff_model::{Program, never_written};

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, source).unwrap();
    load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap().program
}

/// The names of the globals that nothing can write.
fn found(source: &str) -> Vec<String> {
    let program = program(source);
    never_written(&program).iter().map(|id| program.global(*id).name.clone()).collect()
}

/// Whether `t` is a constant, given some code beside a function that reads it.
fn constant(code: &str) -> bool {
    let source = format!(
        "static int t[4] = {{1, 2, 3, 4}};\nint use(const int *); int *keep; int sum;\n\
         int read(unsigned i) {{ return t[i & 3]; }}\n{code}"
    );
    found(&source).contains(&"t".to_owned())
}

#[test]
fn tables_that_are_only_read_are_constants() {
    assert!(constant(""));
    assert!(constant("int all(void) { for (int i = 0; i < 4; i++) sum += t[i]; return sum; }"));
    assert!(constant("struct s { int a[4]; }; struct s copy(void) { return *(struct s *)t; }"));
    assert!(constant(
        "int walk(void) { int n = 0; for (int *p = t; n < 4; n++) sum += *p++; return n; }"
    ));
    assert_eq!(
        found("int name(int i) { static const char *n[] = {\"a\", 0}; return !n[i]; }"),
        ["n"]
    );
}

#[test]
fn tables_that_something_may_write_are_none() {
    assert!(!constant("void set(int i) { t[i & 3] = 0; }"));
    assert!(!constant("void set(int *p, int c) { int *q = c ? t : p; *q = 0; }"));
    assert!(!constant("void clear(void) { __builtin_memset(t, 0, sizeof t); }"));
    assert!(!constant("void load(int *p) { __builtin_memcpy(t, p, sizeof t); }"));
    assert!(!constant("int pass(void) { return use(t); }"));
    assert!(!constant("int *give(void) { return &t[1]; }"));
    assert!(!constant("void store(void) { keep = t + 1; }"));
    assert!(!constant("int **pointer(void) { static int *p = &t[2]; return &p; }"));
    assert!(!constant("long number(void) { return (long)t; }"));
}

#[test]
fn what_others_may_know_is_none() {
    assert!(found("int t[2] = {1, 2}; int f(int i) { return t[i & 1]; }").is_empty());
    assert!(found("static volatile int t = 1; int f(void) { return t; }").is_empty());
    assert!(found("static _Thread_local int t = 1; int f(void) { return t; }").is_empty());
    assert!(!constant(
        "int f(long double n, ...) { __builtin_va_list l; __builtin_va_start(l, n); t[0] = n; return n; }"
    ));
}

#[test]
fn what_others_may_find_is_none() {
    assert!(!constant("extern int other[4] __attribute__((alias(\"t\")));"));
    let with = |attribute: &str| {
        format!("static int t[2] {attribute} = {{1, 2}}; int f(int i) {{ return t[i & 1]; }}")
    };
    assert_eq!(found(&with("")), ["t"]);
    assert!(found(&with("__attribute__((section(\"tables\")))")).is_empty());
    assert!(found(&with("__attribute__((used))")).is_empty());
}

#[test]
fn assembly_may_know_names() {
    assert!(!constant("void f(void) { __asm__ volatile(\"movl $0, t(%%rip)\" ::: \"memory\"); }"));
    assert!(constant("void f(void) { __asm__ volatile(\"nop\" ::: \"memory\"); }"));
    assert!(!constant("__asm__(\".globl other\\n.set other, t\");"));
}
