//! Paths of a callee, found path by path, used where it is called.

use crate::pair_support;

use pair_support::{program, surely_equal};
use std::rc::Rc;
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{Sort, TermId, TermPool};
use verdiff_model::{ProcId, Program};
use verdiff_symex::callee::{Abstraction, Callees, Summary, View};
use verdiff_symex::effects::{Callers, Effects};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Executor};
use verdiff_symex::paths::{Bounds, Explorer, Feasible};
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

/// `g` and `h` are abstract, all else is inlined.
struct Seen<'p> {
    programs: [&'p Program; 2],
    views: Vec<(String, Abstraction)>,
}

impl Callees for Seen<'_> {
    fn view(&mut self, side: verdiff_model::Side, callee: ProcId, _: usize) -> View {
        let name = &self.programs[side.index()].procedure(callee).name;
        match self.views.iter().find(|(n, _)| n == name) {
            Some((_, view)) => View::Abstract(view.clone()),
            None => View::Inline,
        }
    }
}

fn feasible(space: &mut Space, path: &[TermId]) -> Feasible {
    let query = Query { assertions: path, assumptions: &[] };
    let answer = solver::standard().decide(&mut space.pool, &query, &SolverLimits::seconds(2.0));
    if matches!(answer, Answer::Unsat { .. }) { Feasible::No } else { Feasible::Maybe }
}

/// How `g` is seen.
struct With {
    /// The versions whose paths are given.
    sides: &'static [usize],
    /// Where it is common.
    common: fn(&mut TermPool, &Entry) -> TermId,
    /// Whether the paths of `h` are given, too.
    nested: bool,
}

const NOWHERE: With = With { sides: &[0, 1], common: |pool, _| pool.falsity(), nested: false };
const NO_PATHS: With = With { sides: &[], common: |pool, _| pool.truth(), nested: false };

/// Whether `f` is surely equal, and how many summaries of `g` there were.
fn compare(old: &str, new: &str, with: &With) -> (bool, usize) {
    let (old, new) = (program(old), program(new));
    let programs = [&old, &new];
    let regions = Regions::analyse(&programs);
    let effects = Effects::analyse(&programs, &regions, Callers::ByName);
    let mut space = Space::new();
    let mut seen = Seen { programs, views: vec![] };
    for name in ["h", "g"] {
        let Some(id) = old.procedure_named(name) else { continue };
        let mut both = vec![effects.of(verdiff_model::Side::Old, id)];
        both.extend(
            new.procedure_named(name).map(|other| effects.of(verdiff_model::Side::New, other)),
        );
        let entry = Entry::named(&mut space, &regions, old.procedure(id), &format!("{name}'s "));
        let entry = Rc::new(entry.unwrap());
        let mut summaries: Vec<Summary> = Vec::new();
        for side in with.sides.iter().filter(|_| name == "g" || with.nested) {
            let id = programs[*side].procedure_named(name).unwrap();
            let limits = ExecutionLimits::default();
            let mut executor = Executor::new(
                &mut space,
                programs[*side],
                verdiff_model::Side::BOTH[*side],
                &regions,
                &mut seen,
                limits,
            );
            let mut explorer = Explorer::new(&mut executor, id, &entry, false).unwrap();
            let bounds = Bounds { visits: 4, depth: 40, paths: 100, blocks: 1000 };
            explorer.explore(&mut executor, &bounds, &mut feasible).unwrap();
            summaries.extend(explorer.summaries(&mut executor, &entry).unwrap());
        }
        let mut view = Abstraction::unproved(&mut space, &regions, name, entry, &both);
        view.common_under = match name {
            "g" => Some((with.common)(&mut space.pool, &view.entry)),
            _ => None,
        };
        view.summaries = summaries;
        seen.views.push((name.into(), view));
    }
    let count = seen.views.last().map_or(0, |(_, view)| view.summaries.len());
    (surely_equal(&mut space, &regions, programs, &mut seen).unwrap(), count)
}

/// With its paths as summaries, and nothing else known, `f` is equal to what says the same without
/// `g`, and different from what says something else.
fn check(g: &str, f: &str, same: &str, other: &str) {
    let text = |f: &str| format!("{g}\n{f}");
    assert!(compare(&text(f), &text(same), &NOWHERE).0, "{f} is {same}");
    assert!(!compare(&text(f), &text(other), &NOWHERE).0, "{f} is not {other}");
    assert!(!compare(&text(f), &text(same), &NO_PATHS).0, "the function alone does not say it");
}

#[test]
fn a_callee_that_writes_through_a_pointer() {
    check(
        "void g(int *p, int v) { if (v > 0) *p = v; else *p += 1; }",
        "int f(int *q, int n) { *q = 5; g(q, n); return *q; }",
        "int f(int *q, int n) { *q = 5; if (n > 0) { *q = n; return n; } *q = 6; return 6; }",
        "int f(int *q, int n) { *q = 5; if (n > 0) { *q = n; return n; } *q = 7; return 7; }",
    );
    // An own object of the caller.
    check(
        "void g(int *p, int v) { if (v > 0) *p = v; else *p += 1; }",
        "int f(int n) { int x = 5; g(&x, n); return x; }",
        "int f(int n) { if (n > 0) return n; return 6; }",
        "int f(int n) { if (n >= 0) return n; return 6; }",
    );
}

#[test]
fn pointers_that_may_be_the_same() {
    check(
        "void g(int *p, int *q) { *p = 1; *q = 2; }",
        "int f(int *a, int *b) { g(a, b); return *a; }",
        "int f(int *a, int *b) { *a = 1; *b = 2; return a == b ? 2 : 1; }",
        "int f(int *a, int *b) { *a = 1; *b = 2; return 1; }",
    );
}

#[test]
fn a_callee_that_writes_a_global_twice() {
    check(
        "int count; int g(int a) { int old = count; count += a; return old; }",
        "int f(int x) { count = 3; int a = g(x); int b = g(1); return a * 100 + b; }",
        "int f(int x) { count = x + 4; return 300 + 3 + x; }",
        "int f(int x) { count = x + 4; return 300 + 4 + x; }",
    );
    check(
        "int count; int g(int a) { int old = count; count += a; return old; }",
        "int f(int x) { int a = g(x); g(a); return count; }",
        "int f(int x) { int a = count; count = a + x + a; return count; }",
        "int f(int x) { int a = count; count = a + x + x; return count; }",
    );
}

#[test]
fn a_callee_that_traps() {
    check(
        "int g(int a) { return 10 / a; }",
        "int f(int x) { return g(x) + 1; }",
        "int f(int x) { int r = 10 / x; return r + 1; }",
        "int f(int x) { if (x == 0) return 0; int r = 10 / x; return r + 1; }",
    );
    check(
        "#include <stdlib.h>\nint seen; int g(int a) { if (a > 3) exit(a); seen = a; return a; }",
        "int f(int x) { g(x); return 1; }",
        "int f(int x) { if (x > 3) exit(x); seen = x; return 1; }",
        "int f(int x) { if (x > 3) exit(4); seen = x; return 1; }",
    );
}

#[test]
fn a_caller_knows_where_an_object_ends() {
    // In g nothing is known of p; here it is one int.
    let g = "int g(int *p) { p[0] = 1; p[1] = 2; return 3; }";
    let f = format!("{g}\nint f(int n) {{ int x = 0; return g(&x); }}");
    let three = format!("{g}\nint f(int n) {{ return 3; }}");
    assert!(!compare(&f, &three, &NOWHERE).0, "the second store is out of bounds");
    let g = "int g(int *p) { int t = p[1]; return 3; }";
    let f = format!("{g}\nint f(int n) {{ int x = 0; return g(&x); }}");
    let three = format!("{g}\nint f(int n) {{ return 3; }}");
    assert!(!compare(&f, &three, &NOWHERE).0, "so is the load that nobody uses");
}

#[test]
fn a_caller_knows_what_has_no_value() {
    let g = "int g(int *p) { int t = *p; return 3; }";
    let f = |init: &str| format!("{g}\nint f(int n) {{ int x{init}; return g(&x); }}");
    let three = format!("{g}\nint f(int n) {{ return 3; }}");
    assert!(compare(&f(" = 1"), &three, &NOWHERE).0);
    assert!(!compare(&f(""), &three, &NOWHERE).0, "an uninitialised read");
    // A callee that gives it a value first.
    check(
        "int g(int *p) { *p = 4; return *p; }",
        "int f(int n) { int x; return g(&x) + x; }",
        "int f(int n) { return 8; }",
        "int f(int n) { return 9; }",
    );
}

#[test]
fn what_an_unknown_callee_did_not_write_has_no_value() {
    let g = "void g(int *p) { if (*p == 0) while (1); }\nint h(int *p) { return 1; }";
    let f = |rest: &str| format!("{g}\nint f(int n) {{ int x; h(&x); {rest} return 0; }}");
    assert!(!compare(&f(""), &f("int y = x;"), &NO_PATHS).0);
}

#[test]
fn a_callee_that_calls_what_is_not_known() {
    check(
        "int state; int h(int a) { state += a; return state * a; }\nint g(int a) { int r = h(a + 1); state = 7; return r; }",
        "int f(int x) { state = x; return g(x); }",
        "int f(int x) { state = x; int r = h(1 + x); state = 7; return r; }",
        "int f(int x) { state = 1; int r = h(1 + x); state = 7; return r; }",
    );
}

#[test]
fn a_callee_that_does_output() {
    check(
        "#include <stdio.h>\nvoid g(int a) { putchar(a); putchar(a + 1); }",
        "void f(int x) { putchar(7); g(x); }",
        "void f(int x) { putchar(7); putchar(x); putchar(1 + x); }",
        "void f(int x) { putchar(7); putchar(1 + x); putchar(x); }",
    );
}

#[test]
fn a_callee_that_frees() {
    check(
        "#include <stdlib.h>\nvoid g(int *p) { if (p && *p > 3) free(p); }",
        "void f(int *q) { g(q); }",
        "void f(int *q) { if (q && *q > 3) free(q); }",
        "void f(int *q) { if (q && *q > 4) free(q); }",
    );
    let g = "#include <stdlib.h>\nvoid g(int *p) { free(p); }";
    let twice = format!("{g}\nvoid f(int *q) {{ g(q); g(q); }}");
    let once = format!("{g}\nvoid f(int *q) {{ g(q); }}");
    assert!(!compare(&twice, &once, &NOWHERE).0);
    let read = |f: &str| format!("{g}\nint f(int *q) {{ {f} }}");
    let before = read("int r = *q; g(q); return r;");
    assert!(compare(&before, &before, &NO_PATHS).0);
    assert!(!compare(&before, &read("g(q); return *q;"), &NOWHERE).0);
}

#[test]
fn the_other_version_is_believed_only_where_they_are_equal() {
    let text = |g: &str| format!("{g}\nint f(int x) {{ return g(x); }}");
    let (one, two) =
        ("int g(int a) { return a > 0 ? 1 : 2; }", "int g(int a) { return a > 0 ? 1 : 3; }");
    let positive = |pool: &mut TermPool, entry: &Entry| {
        let zero = pool.bits(32, 0).unwrap();
        pool.bv_slt(zero, entry.args[0]).unwrap()
    };
    // The old version's paths only: they hold for the new one where that is said to be equal.
    let some = With { sides: &[0], common: positive, nested: false };
    assert!(!compare(&text(one), &text(two), &some).0);
    let guarded = |g: &str| format!("{g}\nint f(int x) {{ return x > 0 ? g(x) : 0; }}");
    assert!(compare(&guarded(one), &guarded(two), &some).0);
    let plain = format!("{two}\nint f(int x) {{ return x > 0 ? 1 : 0; }}");
    assert!(compare(&guarded(one), &plain, &some).0);
    assert!(!compare(&guarded(one), &guarded(two), &With { sides: &[0], ..NOWHERE }).0);
}

#[test]
fn where_it_is_common_may_depend_on_memory() {
    // Equal where the global is zero: that is asked of the memory at the call, not at entry.
    let text = |value: i32, f: &str| {
        format!("static int mode; int g(int a) {{ if (mode) return {value}; return a; }}\n{f}")
    };
    let zero_mode = |pool: &mut TermPool, _: &Entry| {
        let mode = pool.symbol("&mode", Sort::BitVec(64)).unwrap();
        let sort = pool.array_sort(Sort::BitVec(64), Sort::BitVec(32)).unwrap();
        let memory = pool.symbol("memory.mode", sort).unwrap();
        let value = pool.select(memory, mode).unwrap();
        let zero = pool.bits(32, 0).unwrap();
        pool.eq(value, zero).unwrap()
    };
    let with = With { sides: &[], common: zero_mode, nested: false };
    let zero = "int f(int x) { mode = 0; return g(x); }";
    assert!(compare(&text(1, zero), &text(2, zero), &with).0);
    let one = "int f(int x) { if (mode) return 0; mode = 1; return g(x); }";
    assert!(!compare(&text(1, one), &text(2, one), &with).0);
}

#[test]
fn paths_that_cannot_be_built_again_are_none() {
    let count = |g: &str| {
        let text = format!("#include <stdlib.h>\n{g}\nint f(int x) {{ return x; }}");
        compare(&text, &text, &With { sides: &[0], ..NOWHERE }).1
    };
    assert_eq!(count("void *g(int a) { return malloc(4); }"), 0);
    assert_eq!(count("int *g(int a) { int x = a; return &x; }"), 0);
    assert_eq!(count("int g(int a) { int x[4] = {1, 2, 3, a}; return x[3]; }"), 1);
}

#[test]
fn what_a_callee_does_not_write_stays() {
    let g = "static int x[8]; void g(int i) { x[i & 3] = 1; }";
    let f = |v: i32| format!("{g}\nint f(int n) {{ x[5] = {v}; g(n); return x[5]; }}");
    let plain = |v: i32| format!("{g}\nint f(int n) {{ x[5] = {v}; g(n); return {v}; }}");
    assert!(!compare(&f(1), &f(2), &NO_PATHS).0, "what is there depends on what was there");
    assert!(compare(&f(1), &plain(1), &NOWHERE).0);
    assert!(!compare(&f(1), &plain(2), &NOWHERE).0);
}

#[test]
fn own_objects_of_a_callee_are_gone() {
    check(
        "int g(int *p, int i) { int t[4] = {1, 2, 3, 4}; t[i & 3] = *p; *p = t[1]; return t[2]; }",
        "int f(int *q, int i) { return g(q, i); }",
        "int f(int *q, int i) { int v = *q, k = i & 3; *q = k == 1 ? v : 2; return k == 2 ? v : 3; }",
        "int f(int *q, int i) { int v = *q, k = i & 3; *q = k == 1 ? v : 2; return k == 3 ? v : 3; }",
    );
}

#[test]
fn a_write_to_a_constant_of_the_caller() {
    let g = "int g(int *p) { *p = 1; return 3; }\nstatic const int one[2] = {1, 1};";
    let f = format!("{g}\nint f(int n) {{ return g((int *)&one[1]); }}");
    let three = format!("{g}\nint f(int n) {{ return 3 + one[0] - 1; }}");
    assert!(!compare(&f, &three, &NOWHERE).0);
}

#[test]
fn copies_are_built_again() {
    check(
        "#include <string.h>\nchar buffer[8]; void g(char *p, char c) { memcpy(buffer, p, 4); memset(p, c, 2); }",
        "int f(char *q) { q[0] = 5; g(q, 9); return buffer[0] * 100 + q[1]; }",
        "int f(char *q) { q[0] = 5; memcpy(buffer, q, 4); memset(q, 9, 2); return buffer[0] * 100 + q[1]; }",
        "int f(char *q) { q[0] = 5; memset(q, 9, 2); memcpy(buffer, q, 4); return buffer[0] * 100 + q[1]; }",
    );
}

#[test]
fn what_the_callee_freed_is_dead_in_the_caller() {
    let g = "#include <stdlib.h>\nvoid g(int *p) { free(p); }";
    let f = |rest: &str| {
        format!("{g}\nint f(int n) {{ int *m = calloc(1, 4); if (!m) return 1; {rest} }}")
    };
    assert!(!compare(&f("int r = *m; g(m); return r;"), &f("g(m); return *m;"), &NOWHERE).0);
    assert!(!compare(&f("g(m); return 0;"), &f("g(m); g(m); return 0;"), &NOWHERE).0);
    assert!(!compare(&f("g(m); return 0;"), &f("return 0;"), &NOWHERE).0);
}

#[test]
fn a_dead_object_is_dead_in_the_callee() {
    let g = "#include <stdlib.h>\nint g(int *p) { int t = *p; return 3; }";
    let f = |rest: &str| format!("{g}\nint f(int *q) {{ {rest} }}");
    let (before, after) = (f("int r = g(q); free(q); return r;"), f("free(q); return g(q);"));
    assert!(compare(&before, &f("int r = *q; free(q); return 3;"), &NOWHERE).0);
    assert!(!compare(&before, &after, &NOWHERE).0);
}

#[test]
fn a_path_through_a_summary_is_a_summary() {
    // What h accesses is accessed by g as well, and checked where g is called.
    let nested = With { nested: true, ..NOWHERE };
    let head = "int h(int *p) { int t = p[1]; return 3; }\nint g(int *p) { return h(p) + 1; }";
    let f = |body: &str| format!("{head}\nint f(int n) {{ {body} }}");
    assert!(compare(&f("int x[2] = {1, n}; return g(x);"), &f("return 4;"), &nested).0);
    assert!(!compare(&f("int x[1] = {1}; return g(x);"), &f("return 4;"), &nested).0, "the end");
    assert!(
        !compare(&f("int x[2]; x[0] = n; return g(x);"), &f("return 4;"), &nested).0,
        "no value"
    );
}
