//! Objects of the entry state that are freed: when they may be, and what is seen afterwards.

use crate::pair_support;

use pair_support::{equal_inlined, program, surely_equal};
use verdiff_symex::callee::InlineAll;
use verdiff_symex::execute::Stop;
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

const HEAD: &str = "#include <stdlib.h>\n#include <stdio.h>\nint other(int);\n";

fn equal(old: &str, new: &str) -> bool {
    equal_inlined(&format!("{HEAD}{old}"), &format!("{HEAD}{new}"))
}

#[test]
fn both_free_the_same_object() {
    let free = "int f(int *p) { free(p); return 0; }";
    assert!(equal(free, free));
    assert!(equal(free, "int f(int *p) { int r = 0; if (p) free(p); return r; }"));
    assert!(equal(
        "int f(int *p, int *q) { if (p == q) return 1; free(p); return 0; }",
        "int f(int *p, int *q) { if (q != p) { free(p); return 0; } return 1; }",
    ));
    assert!(equal(
        "int f(int *p, int *q) { if (p == q) { free(p); return 1; } return 0; }",
        "int f(int *p, int *q) { if (p == q) { free(q); return 1; } return 0; }",
    ));
}

#[test]
fn one_side_frees() {
    assert!(!equal("void f(int *p) { free(p); }", "void f(int *p) { }"));
    assert!(!equal("void f(int *p) { }", "void f(int *p) { free(p); }"));
    assert!(!equal("void f(int *p, int *q) { free(p); }", "void f(int *p, int *q) { free(q); }"));
    assert!(!equal(
        "void f(int *p, int c) { if (c) free(p); }",
        "void f(int *p, int c) { free(p); }"
    ));
    assert!(!equal(
        "void f(int *p, int c) { if (c > 1) free(p); }",
        "void f(int *p, int c) { if (c > 2) free(p); }",
    ));
    assert!(equal(
        "void f(int *p, int c) { if (c > 1) free(p); }",
        "void f(int *p, int c) { if (!(c <= 1)) { free(p); } else { c = 3; } }",
    ));
}

#[test]
fn free_of_null_is_nothing() {
    assert!(equal("void f(int *p) { free(NULL); }", "void f(int *p) { }"));
    assert!(equal("void f(int *p) { if (!p) free(p); }", "void f(int *p) { }"));
    assert!(equal(
        "int x; void f(int c) { free(c ? NULL : NULL); x = c; }",
        "int x; void f(int c) { x = c; }"
    ));
}

#[test]
fn freeing_twice_is_not_freeing_once() {
    assert!(!equal("void f(int *p) { free(p); free(p); }", "void f(int *p) { free(p); }"));
    // Both trap in the second free, or in the first.
    assert!(equal(
        "int f(int *p) { free(p); free(p); return 1; }",
        "int f(int *p) { free(p); free(p); if (p) return 2; return 1; }",
    ));
    // The second may be the first.
    assert!(!equal(
        "void f(int *p, int *q) { free(p); free(q); }",
        "void f(int *p, int *q) { free(p); if (p != q) free(q); }",
    ));
    assert!(equal(
        "void f(int *p, int *q) { free(p); free(q); }",
        "void f(int *p, int *q) { free(q); free(p); }",
    ));
    // Only the start of an object can be freed.
    assert!(!equal("void f(char *p) { free(p + 1); }", "void f(char *p) { free(p); }"));
    assert!(equal(
        "int f(char *p) { free(p); free(p + 1); return 1; }",
        "int f(char *p) { free(p); free(p + 1); return 2; }",
    ));
}

#[test]
fn a_read_behind_a_free_is_not_one_before_it() {
    let before = "int f(int *p) { int r = *p; free(p); return r; }";
    assert!(!equal(before, "int f(int *p) { free(p); return *p; }"));
    assert!(!equal(
        "int f(int *p) { int r = p[1]; free(p); return r; }",
        "int f(int *p) { free(p); return p[1]; }"
    ));
    assert!(!equal(
        "int f(int *p, long i) { int r = p[i]; free(p); return r; }",
        "int f(int *p, long i) { free(p); return p[i]; }",
    ));
    assert!(!equal(
        "int f(int *p) { int r = *p; free(p); return r; }",
        "int f(int *p) { int r = *p; free(p); (void)*(volatile int *)p; return r; }",
    ));
    // A read that traps traps, whatever comes then.
    assert!(equal(
        "int f(int *p) { free(p); if (!p) return 1; return *p; }",
        "int f(int *p) { free(p); if (!p) return 1; return *p + 5; }",
    ));
}

#[test]
fn an_alias_may_be_dead_too() {
    assert!(!equal(
        "int f(int *p, int *q) { int r = *q; free(p); return r; }",
        "int f(int *p, int *q) { int r = *q; free(p); return *q; }",
    ));
    assert!(!equal(
        "int f(int *p, int *q) { int r = *q; free(p); return r; }",
        "int f(int *p, int *q) { if (p == q) { int r = *q; free(p); return r; } int r = *q; free(p); return *q; }",
    ));
    assert!(equal(
        "int f(int *p, int *q) { free(p); return *q; }",
        "int f(int *p, int *q) { free(p); int r = *q; return r; }",
    ));
    assert!(!equal(
        "struct n { struct n *next; int v; }; int f(struct n *p) { int r = p->next->v; free(p); return r; }",
        "struct n { struct n *next; int v; }; int f(struct n *p) { struct n *q = p->next; int r = q->v; free(p); return q->v; }",
    ));
    // Writes behind a free trap too.
    assert!(!equal(
        "void f(int *p, int *q) { *q = 1; *q = 2; free(p); }",
        "void f(int *p, int *q) { *q = 1; free(p); *q = 2; }",
    ));
}

#[test]
fn globals_and_locals_are_never_freed() {
    assert!(
        equal(
            "int g; int f(int *p) { int r = g; free(p); return r; }",
            "int g; int f(int *p) { free(p); return g; }",
        ) == equal(
            "int g; int f(int *p) { int r = 1; free(p); return r; }",
            "int g; int f(int *p) { free(p); return 1; }",
        )
    );
    let bad = "int g; int f(int *p) { free(&g); return 1; }";
    assert!(equal(bad, "int g; int f(int *p) { free(&g); return 2; }"));
    assert!(!equal(bad, "int g; int f(int *p) { return 1; }"));
    assert!(!equal(
        "int f(int c) { int x = 0; free(c ? &x : NULL); return 1; }",
        "int f(int c) { int x = 0; free(c ? &x : NULL); return 2; }",
    ));
    assert!(equal(
        "int f(int c) { int x = 0; free(c ? &x : NULL); return 1; }",
        "#include <stdlib.h>\nint f(int c) { int x = 0; if (c) free(&x); return 1; }",
    ));
}

#[test]
fn what_both_have_freed_is_not_compared() {
    assert!(equal("void f(int *p) { *p = 1; free(p); }", "void f(int *p) { *p = 2; free(p); }"));
    assert!(equal(
        "void f(int *p) { p[2] = 1; free(p); }",
        "void f(int *p) { p[2] = 3; free(p); }"
    ));
    assert!(!equal(
        "void f(int *p, int *q) { *q = 1; free(p); }",
        "void f(int *p, int *q) { *q = 2; free(p); }"
    ));
    assert!(!equal(
        "void f(int *p, int c) { *p = 1; if (c) free(p); }",
        "void f(int *p, int c) { *p = 2; if (c) free(p); }"
    ));
}

#[test]
fn a_free_and_an_output_have_an_order() {
    // The free may trap.
    assert!(!equal(
        "void f(int *p) { puts(\"a\"); free(p); }",
        "void f(int *p) { free(p); puts(\"a\"); }"
    ));
    // What is dead cannot be shown.
    assert!(!equal(
        "void f(char *p) { puts(p); free(p); }",
        "void f(char *p) { free(p); puts(p); }"
    ));
    assert!(!equal(
        "void f(void) { char *p = calloc(1, 1); if (!p) return; puts(p); free(p); }",
        "void f(void) { char *p = calloc(1, 1); if (!p) return; free(p); puts(p); }"
    ));
}

#[test]
fn an_external_may_free() {
    assert!(!equal(
        "int f(int *p) { int r = *p; other(1); return 0; }",
        "int f(int *p) { int r = *p; other(1); r = *p; return 0; }",
    ));
    assert!(!equal(
        "int f(char *p) { *p = 0; char *q = realloc(p, 10); free(q); return 0; }",
        "int f(char *p) { *p = 0; char *q = realloc(p, 10); *p = 0; free(q); return 0; }",
    ));
    let same = "int f(char *p) { *p = 0; char *q = realloc(p, 10); *p = 0; free(q); return 0; }";
    assert!(equal(same, same));
}

#[test]
fn a_pointer_of_mixed_origin_is_followed() {
    let mixed = |rest: &str| {
        format!(
            "int f(int *p, int c) {{ int *m = malloc(4); if (!m) return 7; *m = 1; int *x = c ? m : p; free(x); {rest} }}"
        )
    };
    assert!(!equal(&mixed("return *m;"), &mixed("return 1;")));
    assert!(!equal(
        &mixed("return 1;"),
        "int f(int *p, int c) { int *m = malloc(4); if (!m) return 7; *m = 1; free(p); return 1; }"
    ));
    assert!(!equal(
        "int f(int *p, int c) { int *m = malloc(4); if (!m) return 7; *m = 1; int *x = c ? m : p; int r = *x; free(m); return r; }",
        "int f(int *p, int c) { int *m = malloc(4); if (!m) return 7; *m = 1; int *x = c ? m : p; free(m); return *x; }",
    ));
}

#[test]
fn what_cannot_be_told_apart_stops() {
    let source = format!(
        "{HEAD}int *pick(int *a, int *b); int f(int *p) {{ int *m = malloc(4); free(pick(m, p)); return 0; }}"
    );
    let program = program(&source);
    let regions = Regions::analyse(&[&program, &program]);
    let stop = surely_equal(&mut Space::new(), &regions, [&program, &program], &mut InlineAll);
    assert!(matches!(stop, Err(Stop::Construct(_))), "{stop:?}");
}
