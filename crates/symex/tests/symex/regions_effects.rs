//! What procedures may do, on C snippets.

use crate::regions_common;

use regions_common::{Side, one};
use verdiff_model::StmtKind;
use verdiff_symex::effects::{Callers, Effects, ProcedureEffects};

struct Case {
    side: Side,
    effects: Effects,
}

impl Case {
    fn new(source: &str) -> Case {
        Case::with(source, Callers::ByName)
    }

    fn with(source: &str, callers: Callers) -> Case {
        let side = one(source);
        let effects = Effects::analyse(&[&side.program], &side.regions, callers);
        Case { side, effects }
    }

    fn of(&self, name: &str) -> &ProcedureEffects {
        self.effects.of(verdiff_model::Side::Old, self.side.procedure(name))
    }

    fn names(&self, set: &verdiff_symex::effects::RegionSet) -> Vec<&str> {
        set.iter().map(|id| self.side.info(id).name.as_str()).collect()
    }

    fn reads(&self, name: &str) -> Vec<&str> {
        self.names(&self.of(name).reads)
    }

    fn writes(&self, name: &str) -> Vec<&str> {
        self.names(&self.of(name).writes)
    }
}

#[test]
fn arithmetic_does_nothing() {
    let c = Case::new(
        "int f(int a, int b) { return a * b + 1; } int g(int a, int b) { return a / b; }",
    );
    assert_eq!(*c.of("f"), ProcedureEffects::default());
    assert!(c.of("f").is_removable());
    assert!(c.of("g").may_trap && !c.of("g").is_removable());
}

#[test]
fn statics_are_read_and_written_through_callees() {
    let c = Case::new(
        "static int s, t; static void set(int n) { s = n; } static int get(void) { return t; }
         int f(int n) { set(n); return get(); } int g(void) { return s; }",
    );
    assert_eq!((c.reads("f"), c.writes("f")), (vec!["t"], vec!["s"]));
    assert_eq!((c.reads("g"), c.writes("g")), (vec!["s"], vec![]));
    assert!(!c.of("f").may_trap && !c.of("f").world && !c.of("f").may_not_return);
}

#[test]
fn locals_of_a_frame_are_nobodys_business() {
    let c = Case::new(
        "int f(int n) { int a[4] = {0}; a[n & 3] = n; return a[1]; } int g(int n) { return f(n); }",
    );
    assert!(c.reads("g").is_empty() && c.writes("g").is_empty());
    assert!(c.of("g").may_trap);
}

#[test]
fn recursion_and_loops_may_not_return() {
    let c = Case::new(
        "static int s; int odd(int); int even(int n) { s = 1; return n ? odd(n - 1) : 1; } int odd(int n) { return n ? even(n - 1) : 0; }
         int loop(int n) { while (n != 7) n += 2; return n; } int straight(int n) { if (n) n = 3; return n; }",
    );
    assert!(
        c.of("even").may_not_return && c.of("odd").may_not_return && c.of("loop").may_not_return
    );
    assert!(!c.of("straight").may_not_return);
    assert_eq!(c.writes("odd"), ["s"]);
}

#[test]
fn an_unknown_function_may_call_back() {
    let source = "void other(void); static int by_name, by_address, never;
         void exported(void) { by_name = 1; } static void handler(void) { by_address = 1; }
         void (*slot)(void) = handler; static void unused(void) { never = 1; } void (*const unreachable)(int);
         int f(void) { other(); return 1; } int g(void) { unused(); return by_name; }";
    let c = Case::new(source);
    assert_eq!(c.writes("f"), ["outside", "by_name", "by_address", "never"]);
    let c = Case::with(source, Callers::ByAddress);
    assert_eq!(c.writes("f"), ["outside", "by_address"]);
    assert!(c.of("f").world && c.of("f").may_not_return && c.of("f").may_trap);
}

#[test]
fn calls_through_pointers_reach_what_fits() {
    let c = Case::with(
        "static int a, b; static int one(int n) { return a = n; } static int two(int n, int m) { return b = n + m; }
         int (*const table[])(int) = {one}; int (*const pairs[])(int, int) = {two};
         int f(int n) { return table[0](n); }",
        Callers::ByAddress,
    );
    // The pointer may also be one of the outside, which may call back both.
    assert!(c.writes("f").contains(&"a") && c.writes("f").contains(&"outside"));
    assert!(c.of("f").world);
}

#[test]
fn known_functions_do_what_the_file_says() {
    let c = Case::new(
        "#include <string.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <ctype.h>
         static char text[8], copy[8];
         unsigned long length(void) { return strlen(text); }
         void fill(void) { strcpy(copy, text); }
         void say(void) { printf(\"%d %s\\n\", 3, text); }
         void count(int n) { static int seen; printf(\"%d%n\", n, &seen); }
         void *make(void) { return malloc(8); } void drop(void *p) { free(p); }
         void leave(void) { exit(1); } int magnitude(int n) { return abs(n); }",
    );
    assert_eq!((c.reads("length"), c.writes("length")), (vec!["text"], vec![]));
    assert!(!c.of("length").world && !c.of("length").may_not_return);
    assert_eq!((c.reads("fill"), c.writes("fill")), (vec!["text"], vec!["copy"]));
    assert!(
        c.of("say").world && !c.writes("say").contains(&"text") && c.reads("say").contains(&"text")
    );
    assert!(c.writes("count").contains(&"count.seen"));
    assert!(c.of("make").errno && c.writes("make").is_empty() && c.writes("leave").is_empty());
    assert!(c.of("make").allocates && !c.of("make").frees);
    assert!(c.of("drop").frees && !c.of("drop").allocates);
    assert!(c.of("leave").may_not_return && c.of("leave").world);
    assert!(c.of("magnitude").is_removable());
}

#[test]
fn a_comparison_is_called_back() {
    let c = Case::with(
        "#include <stdlib.h>
         static int calls; static int by_value(const void *a, const void *b) { calls++; return *(const int *)a - *(const int *)b; }
         static int other; static void hidden(void) { other = 1; } void (*slot)(void) = hidden;
         void sort(int *p, int n) { qsort(p, n, 4, by_value); }",
        Callers::ByAddress,
    );
    assert!(c.writes("sort").contains(&"calls") && !c.writes("sort").contains(&"other"));
}

#[test]
fn volatile_is_an_event() {
    let c = Case::new("static volatile int v; int f(void) { return v; }");
    assert!(c.of("f").world);
}

#[test]
fn a_call_by_itself() {
    let c =
        Case::new("static int s; void set(int n) { s = n; } int f(int n) { set(n); return n; }");
    let id = c.side.procedure("f");
    let program = &c.side.program;
    let stmts = program.procedure(id).blocks.iter().flat_map(|b| &b.stmts);
    let mut calls = stmts.filter_map(|s| match &s.kind {
        StmtKind::Call { callee, args, .. } => Some((callee, args)),
        _ => None,
    });
    let (callee, args) = calls.next_back().unwrap();
    let effects =
        c.effects.of_call(program, &c.side.regions, verdiff_model::Side::Old, id, callee, args);
    assert_eq!(effects, *c.of("set"));
}
