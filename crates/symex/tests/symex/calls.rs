//! How a caller sees a callee: bodies, common and private functions, summaries, externals.

use crate::pair_support;

use pair_support::{equal_inlined, equal_programs, program, surely_equal};
use std::rc::Rc;
use verdiff_front::{Inputs, load};
use verdiff_logic::TermId;
use verdiff_model::{ProcId, Program};
use verdiff_symex::callee::{Abstraction, Callees, Summary, View};
use verdiff_symex::effects::{Callers, Effects};
use verdiff_symex::entry::Entry;
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

/// `g` is abstract, all else is inlined.
struct GIsAbstract<'p> {
    programs: [&'p Program; 2],
    view: Abstraction,
}

impl Callees for GIsAbstract<'_> {
    fn view(&mut self, side: verdiff_model::Side, callee: ProcId, _: usize) -> View {
        match self.programs[side.index()].procedure(callee).name.as_str() {
            "g" => View::Abstract(self.view.clone()),
            _ => View::Inline,
        }
    }
}

/// Whether `f` is surely equal in both versions, with callees as `seen` says.
fn equal(old: &str, new: &str, seen: impl Fn(&mut Space, &mut Abstraction)) -> bool {
    let (old, new) = (program(old), program(new));
    let regions = Regions::analyse(&[&old, &new]);
    let effects = Effects::analyse(&[&old, &new], &regions, Callers::ByName);
    let g = old.procedure_named("g").unwrap();
    let mut space = Space::new();
    let entry = Rc::new(Entry::named(&mut space, &regions, old.procedure(g), "g's ").unwrap());
    let mut view = Abstraction::unproved(
        &mut space,
        &regions,
        "g",
        entry,
        &[effects.of(verdiff_model::Side::Old, g)],
    );
    view.common_under = None;
    seen(&mut space, &mut view);
    let mut callees = GIsAbstract { programs: [&old, &new], view };
    surely_equal(&mut space, &regions, [&old, &new], &mut callees).unwrap()
}

fn parameter(_: &mut Space, view: &mut Abstraction) -> TermId {
    view.entry.args[0]
}

const G: &str = "static int state; int g(int a) { state += a; return state * a; }\n";

#[test]
fn a_common_function_gives_equal_results_for_equal_arguments_and_memory() {
    let old = format!("{G} int f(int x) {{ return g(x + 1) + g(2); }}");
    let same = format!("{G} int f(int x) {{ int a = g(1 + x); int b = g(2); return b + a; }}");
    let swapped = format!("{G} int f(int x) {{ int b = g(2); int a = g(1 + x); return b + a; }}");
    let plain = |_: &mut Space, _: &mut Abstraction| {};
    assert!(equal(&old, &same, plain));
    assert!(!equal(&old, &swapped, plain), "g has a memory");
    let private =
        |space: &mut Space, view: &mut Abstraction| view.common_under = Some(space.pool.falsity());
    assert!(!equal(&old, &same, private));
}

#[test]
fn a_callee_that_may_not_return_hides_nothing() {
    // docs/internals/engines.md: what comes after a call is guarded by "it returned".
    let g = "int g(int a) { while (a); return 3; }\n";
    let old = format!("{g} int f(int x) {{ g(x); return 1; }}");
    let new = "int g(int a) { while (a); return 3; } int f(int x) { return 1; }";
    let plain = |_: &mut Space, _: &mut Abstraction| {};
    assert!(!equal(&old, new, plain));
    assert!(equal(&old, new, |_: &mut Space, view: &mut Abstraction| view.returns = true));
}

#[test]
fn a_function_is_common_only_where_it_is_said_to_be() {
    let pure = "int g(int a) { return a * a; }\n";
    let old = format!("{pure} int f(int x) {{ return x > 0 ? g(x) : 7; }}");
    let new = format!("{pure} int f(int x) {{ if (x <= 0) return 7; return g(x); }}");
    let positive = |space: &mut Space, view: &mut Abstraction| {
        let a = parameter(space, view);
        let zero = space.pool.bits(32, 0).unwrap();
        view.common_under = Some(space.pool.bv_slt(zero, a).unwrap());
    };
    assert!(equal(&old, &new, positive));
    let negative = |space: &mut Space, view: &mut Abstraction| {
        let a = parameter(space, view);
        let zero = space.pool.bits(32, 0).unwrap();
        view.common_under = Some(space.pool.bv_slt(a, zero).unwrap());
    };
    assert!(!equal(&old, &new, negative));
}

#[test]
fn a_summary_tells_what_the_function_alone_would_not() {
    // Paper 003, Fig. 3: the caller only uses abs(5).
    let g = "int g(int a) { return a < 0 ? -a : a; }\n";
    let old = format!("{g} int f(int x) {{ return g(5) + x; }}");
    let new = format!("{g} int f(int x) {{ return x + 5; }}");
    let plain = |_: &mut Space, _: &mut Abstraction| {};
    assert!(!equal(&old, &new, plain));
    let summarised = |space: &mut Space, view: &mut Abstraction| {
        let a = parameter(space, view);
        let zero = space.pool.bits(32, 0).unwrap();
        let reachable = space.pool.bv_sle(zero, a).unwrap();
        view.summaries = vec![
            Summary::returning(space, verdiff_model::Side::Old, &[a], reachable, vec![a]).unwrap(),
        ];
    };
    assert!(equal(&old, &new, summarised));
}

#[test]
fn externals_are_deterministic_and_their_order_is_seen() {
    let say = "#include <stdio.h>\nint other(int);\n";
    assert!(equal_inlined(
        &format!("{say} int f(int x) {{ puts(\"a\"); return other(x) + 1; }}"),
        &format!("{say} int f(int x) {{ puts(\"a\"); int r = other(x); return 1 + r; }}"),
    ));
    assert!(!equal_inlined(
        &format!("{say} int f(int x) {{ puts(\"a\"); return other(x); }}"),
        &format!("{say} int f(int x) {{ int r = other(x); puts(\"a\"); return r; }}"),
    ));
    assert!(!equal_inlined(
        "#include <stdio.h>\n#include <stdlib.h>\nint f(int x) { puts(\"a\"); abort(); }",
        "#include <stdlib.h>\nint f(int x) { abort(); }",
    ));
    assert!(!equal_inlined(
        "#include <stdlib.h>\nint f(int x) { exit(0); }",
        "#include <stdlib.h>\nint f(int x) { exit(1); }",
    ));
}

#[test]
fn a_global_read_before_an_external_call_is_not_one_read_after() {
    let head = "int g_count; void other(void);\n";
    assert!(!equal_inlined(
        &format!("{head} int f(void) {{ int r = g_count; other(); return r; }}"),
        &format!("{head} int f(void) {{ other(); return g_count; }}"),
    ));
}

#[test]
fn copies_of_symbolic_length_are_exact() {
    let head = "#include <string.h>\n";
    assert!(equal_inlined(
        &format!(
            "{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n); if (n) p[0] = q == p ? p[0] : p[0]; }}"
        ),
        &format!("{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n); }}"),
    ));
    assert!(!equal_inlined(
        &format!("{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n); }}"),
        &format!("{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n - 1); }}"),
    ));
    assert!(equal_inlined(
        &format!("{head} void f(char *p, unsigned n) {{ memset(p, 7, n); memset(p, 0, n); }}"),
        &format!("{head} void f(char *p, unsigned n) {{ memset(p, 0, n); }}"),
    ));
}

#[test]
fn strings_of_known_length_are_compared_exactly() {
    let head = "#include <string.h>\n";
    assert!(equal_inlined(
        &format!("{head} int f(const char *s) {{ return strcmp(s, \"ab\") == 0; }}"),
        &format!(
            "{head} int f(const char *s) {{ return s[0] == 'a' && s[1] == 'b' && s[2] == 0; }}"
        ),
    ));
    assert!(!equal_inlined(
        &format!("{head} int f(const char *s) {{ return strcmp(s, \"ab\") == 0; }}"),
        &format!("{head} int f(const char *s) {{ return s[0] == 'a' && s[1] == 'b'; }}"),
    ));
    assert!(equal_inlined(
        &format!("{head} unsigned long f(void) {{ return strlen(\"hello\"); }}"),
        "unsigned long f(void) { return 5; }",
    ));
}

#[test]
fn pointers_two_bytes_apart_overlap() {
    assert!(!equal_inlined(
        "int f(int *p, int *q) { *p = 1; *q = 2; return *p; }",
        "int f(int *p, int *q) { *p = 1; *q = 2; return 1; }",
    ));
    assert!(!equal_inlined(
        "#include <string.h>\nint f(char *p, char *q) { int a = 1, b = 2, r; memcpy(p, &a, 4); memcpy(q, &b, 4); memcpy(&r, p, 4); return r; }",
        "#include <string.h>\nint f(char *p, char *q) { int a = 1, b = 2; memcpy(p, &a, 4); memcpy(q, &b, 4); return p == q ? 2 : 1; }",
    ));
}

#[test]
fn statics_of_two_files_are_two_objects() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let a = write("a.c", "static int count; void bump(void) { count = 7; }");
    let side = |text: &str| {
        let main = write("b.c", text);
        load(&Inputs { paths: vec![a.clone(), main], ..Inputs::default() }).unwrap().program
    };
    let old =
        side("static int count; void bump(void); int f(void) { count = 1; bump(); return count; }");
    let new =
        side("static int count; void bump(void); int f(void) { count = 1; bump(); return 7; }");
    assert!(!equal_programs(&old, &new), "the old one returns 1");
}

#[test]
fn a_write_to_a_constant_is_seen_however_it_gets_there() {
    let head = "static const int table[2] = {1, 2};\n";
    assert!(!equal_inlined(
        &format!("{head} int f(int *p) {{ if (p == &table[1]) *p = 5; return table[0]; }}"),
        &format!("{head} int f(int *p) {{ return table[0]; }}"),
    ));
}

#[test]
fn an_abstract_callee_may_free_what_it_gets_at() {
    let g = "#include <stdlib.h>\nvoid g(int *p) { if (p && *p > 3) free(p); }\n";
    let returns = |_: &mut Space, view: &mut Abstraction| view.returns = true;
    let old = format!("{g} int f(int *p) {{ int r = *p; g(p); return r; }}");
    assert!(equal(&old, &old, returns));
    let new = format!("{g} int f(int *p) {{ int r = *p; g(p); int s = *p; return r; }}");
    assert!(!equal(&old, &new, returns), "the new one reads what may be dead");
    let own = "int *m = malloc(4); if (!m) return 1; *m = r;";
    let old = format!("{g} int f(int r) {{ {own} g(m); return r; }}");
    let new = format!("{g} int f(int r) {{ {own} g(m); int s = *m; return r; }}");
    assert!(!equal(&old, &new, returns), "so may an object of the run be");
}

#[test]
fn an_abstract_callee_traps_on_what_is_dead() {
    let g = "#include <stdlib.h>\nint g(int *p) { return *p; }\n";
    let plain = |_: &mut Space, _: &mut Abstraction| {};
    let old = format!("{g} int f(int *p) {{ int r = g(p); free(p); return r; }}");
    let new = format!("{g} int f(int *p) {{ free(p); return g(p); }}");
    assert!(equal(&old, &old, plain));
    assert!(!equal(&old, &new, plain));
    let own = "int *m = calloc(1, 4); if (!m) return 1; *m = 1;";
    let old = format!("{g} int f(void) {{ {own} int r = g(m); free(m); return r; }}");
    let new = format!("{g} int f(void) {{ {own} free(m); return g(m); }}");
    assert!(equal(&old, &old, plain));
    assert!(!equal(&old, &new, plain));
}

#[test]
fn two_calls_of_what_allocates_give_two_objects() {
    let g = "#include <stdlib.h>\nint *g(void) { return malloc(4); }\n";
    let returns = |_: &mut Space, view: &mut Abstraction| view.returns = true;
    let body = "int *a = g(), *b = g(); if (!a || !b) return 0;";
    let old = format!("{g} int f(void) {{ {body} return a == b; }}");
    let new = format!("{g} int f(void) {{ {body} return 1; }}");
    assert!(!equal(&old, &new, returns));
    // What is allocated behind it is another object than what is before it.
    let old = format!("{g} int *f(void) {{ g(); return calloc(1, 4); }}");
    let new = format!("{g} int *f(void) {{ int *p = calloc(1, 4); g(); return p; }}");
    assert!(equal(&old, &old, returns));
    assert!(!equal(&old, &new, returns));
}

#[test]
fn a_library_function_may_trap_on_what_it_is_given() {
    let head = "#include <string.h>\n#include <stdio.h>\n";
    assert!(!equal_inlined(
        &format!("{head} int f(const char *s) {{ strlen(s); return 0; }}"),
        &format!("{head} int f(const char *s) {{ return 0; }}"),
    ));
    assert!(!equal_inlined(
        &format!("{head} int f(const char *s) {{ int n = strlen(s); puts(\"a\"); return n; }}"),
        &format!("{head} int f(const char *s) {{ puts(\"a\"); return strlen(s); }}"),
    ));
    assert!(equal_inlined(
        &format!("{head} int f(const char *s) {{ int n = strlen(s); return n + n; }}"),
        &format!("{head} int f(const char *s) {{ return strlen(s) + strlen(s); }}"),
    ));
    // Both trap, maybe in two ways.
    assert!(!equal_inlined(
        &format!("{head} int f(char *p, char *q) {{ int n = strlen(p); return n - strlen(q); }}"),
        &format!("{head} int f(char *p, char *q) {{ int m = strlen(q); return strlen(p) - m; }}"),
    ));
}

#[test]
fn an_abstract_callee_may_set_errno() {
    let g = "#include <errno.h>\n#include <stdlib.h>\nint g(const char *s) { return atoi(s); }\n";
    let returns = |_: &mut Space, view: &mut Abstraction| view.returns = true;
    let old = format!("{g} int f(const char *s) {{ int e = errno; g(s); return e; }}");
    let new = format!("{g} int f(const char *s) {{ g(s); return errno; }}");
    assert!(!equal(&old, &new, returns));
}
