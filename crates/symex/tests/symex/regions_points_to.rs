//! Which objects share a region, on C snippets.

use crate::regions_common;

use regions_common::{Side, both, one};
use verdiff_symex::regions::Cell;

#[test]
fn two_locals_are_apart() {
    let s =
        one("int f(int i) { int a[4] = {0}, b[4] = {0}; a[i] = 1; b[i] = 2; return a[0] + b[i]; }");
    assert_ne!(s.local("f", "a"), s.local("f", "b"));
    assert!(!s.info(s.local("f", "a")).outside);
    assert!(s.info(s.local("f", "a")).locals_only);
    assert_eq!(s.info(s.local("f", "a")).cell, Cell::Words(4));
}

#[test]
fn a_pointer_to_either_joins_two_locals() {
    let s = one("int f(int c) { int a = 1, b = 2; int *p = c ? &a : &b; *p = 3; return a + b; }");
    assert_eq!(s.local("f", "a"), s.local("f", "b"));
    assert!(!s.info(s.local("f", "a")).outside);
}

#[test]
fn what_an_unknown_function_gets_is_outside() {
    let s =
        one("void g(int *); int f(void) { int a = 1, b[2] = {0, 1}; g(&a); return a + b[a & 1]; }");
    assert_eq!(s.local("f", "a"), s.outside());
    assert_ne!(s.local("f", "b"), s.outside());
}

#[test]
fn what_strlen_gets_stays_apart() {
    let s = one("#include <string.h>
         unsigned long f(int c) { char a[4] = {0}; a[0] = c; return strlen(a); }");
    assert_ne!(s.local("f", "a"), s.outside());
    assert_eq!(s.info(s.local("f", "a")).cell, Cell::Bytes);
}

#[test]
fn parameters_may_be_equal_and_lead_to_visible_globals() {
    let s = one("int g; static int h; void f(int *p, int *q) { *p = 1; *q = 2; g = 3; h = 4; }");
    assert_eq!(s.var("f", "p"), s.outside());
    assert_eq!(s.var("f", "q"), s.outside());
    assert_eq!(s.global("g"), s.outside());
    assert_ne!(s.global("h"), s.outside());
    assert!(!s.info(s.global("h")).locals_only);
}

#[test]
fn a_static_whose_address_escapes_is_outside() {
    let s = one("static int h, k; int *f(void) { return &h; }
         int *exported = &k; static int apart; int g(void) { return h + k + apart++; }");
    assert_eq!(s.global("h"), s.outside());
    assert_eq!(s.global("k"), s.outside());
    assert_ne!(s.global("apart"), s.outside());
}

#[test]
fn a_list_of_its_own_is_one_region() {
    let s = one(
        "#include <stdlib.h>
         struct node { struct node *next; long value; };
         static struct node *head;
         void push(void) { struct node *n = malloc(sizeof *n); if (!n) return; n->next = head; n->value = 1; head = n; }
         long sum(void) { long t = 0; for (struct node *n = head; n; n = n->next) t += n->value; return t; }",
    );
    let nodes = s.var("push", "n");
    assert_ne!(nodes, s.outside());
    assert_eq!(nodes, s.var("sum", "n"));
    assert_ne!(nodes, s.global("head"));
    // The sums are given out, so they may be addresses of the outside; the links are not.
    assert_eq!(s.info(nodes).contents, [s.outside(), nodes]);
    assert_eq!(s.info(s.global("head")).contents, [nodes]);
    assert!(s.info(nodes).heap && s.info(nodes).private_to.is_none());
    assert_eq!(s.info(nodes).cell, Cell::Words(8));
}

#[test]
fn a_list_given_out_is_outside() {
    let s = one(
        "#include <stdlib.h>
         struct node { struct node *next; };
         struct node *make(struct node *tail) { struct node *n = malloc(sizeof *n); if (n) n->next = tail; return n; }",
    );
    assert_eq!(s.var("make", "n"), s.outside());
}

#[test]
fn a_pointer_in_a_struct_in_a_global() {
    let s = one("struct s { int *p; }; static struct s hidden; struct s shown; static int a, b;
         void f(void) { hidden.p = &a; shown.p = &b; *hidden.p = 1; }");
    assert_ne!(s.global("a"), s.outside());
    assert_eq!(s.global("b"), s.outside());
    assert_eq!(s.info(s.global("hidden")).contents, [s.global("a")]);
}

#[test]
fn pointers_that_travel_as_integers_are_followed() {
    let s = one("#include <stdint.h>
         int f(int c) {
             int a = 1, b = 2, z = 3;
             uintptr_t x = (uintptr_t)&a; x ^= (uintptr_t)&b;
             int *p = (int *)(x ^ (uintptr_t)&a); *p = 5;
             int *q = &z; *q = c;
             return a + b + z; }");
    assert_eq!(s.var("f", "p"), s.local("f", "b"));
    assert_eq!(s.local("f", "a"), s.local("f", "b"));
    assert_ne!(s.local("f", "z"), s.local("f", "b"));
}

#[test]
fn an_integer_parameter_may_be_an_address() {
    let s = one(
        "static int h; int f(long x) { int a = 1; long y = x ? x : (long)&a; return *(int *)y + *(int *)x + h; }",
    );
    assert_eq!(s.local("f", "a"), s.outside());
    assert_ne!(s.global("h"), s.outside());
}

#[test]
fn a_device_register_is_outside() {
    let s = one(
        "static int a; static int *slot; void f(void) { *(int *volatile *)0x40001000 = &a; slot = &a; }
         int g(long n) { int x = 1; int *p = n ? &x : (int *)0x5000; return *p; }",
    );
    assert_eq!(s.global("a"), s.outside());
    assert_eq!(s.local("g", "x"), s.outside());
}

#[test]
fn an_offset_does_not_mix_regions() {
    let s = one(
        "static int t[8]; int f(long i) { int a[8]; a[i & 7] = 3; t[i] = 1; return a[i] + t[a[i]]; }",
    );
    assert_ne!(s.local("f", "a"), s.outside());
    assert_ne!(s.global("t"), s.outside());
    assert_ne!(s.global("t"), s.local("f", "a"));
    assert_eq!(s.info(s.global("t")).cell, Cell::Words(4));
}

#[test]
fn the_distance_between_two_pointers_joins_them() {
    let s = one(
        "long f(int n) { int a[4] = {0}, b[4] = {0}, c[4] = {0}; c[n & 3] = 1; int *p = a + n, *q = b + n;
           long d = q - p; a[n & 3] = 1; return d + c[n & 3] + *q; }",
    );
    assert_eq!(s.local("f", "a"), s.local("f", "b"));
    assert_ne!(s.local("f", "a"), s.local("f", "c"));
}

#[test]
fn what_a_function_pointer_gets_is_outside() {
    let s = one(
        "static int *kept; static int inc(int *p) { kept = p; return ++*p; } static int dec(int *p) { return --*p; }
         int f(int c) { int a = 1; int (*g)(int *) = c ? inc : dec; return g(&a) + a; }
         static int quiet(void) { int b[2] = {1, 2}; int *p = b; return p[1]; } int h(void) { return quiet(); }",
    );
    assert_eq!(s.local("f", "a"), s.outside());
    assert_eq!(s.info(s.global("kept")).contents, [s.outside()]);
    assert_ne!(s.local("quiet", "b"), s.outside());
}

#[test]
fn copied_pointers_are_followed() {
    let s = one(
        "#include <string.h>
         struct s { int *p; long n; };
         int f(void) { int a = 1; struct s x = {&a, 2}, y; memcpy(&y, &x, sizeof y); *y.p = 3; return a; }
         int byte_by_byte(void) {
             int a = 1; int *p = &a, *q; unsigned char *from = (unsigned char *)&p, *to = (unsigned char *)&q;
             for (int i = 0; i < 8; i++) to[i] = from[i];
             *q = 2; return a; }",
    );
    assert_ne!(s.local("f", "a"), s.outside());
    assert_eq!(s.info(s.local("f", "y")).contents, [s.local("f", "a")]);
    assert_eq!(s.info(s.local("byte_by_byte", "q")).contents, [s.local("byte_by_byte", "a")]);
}

#[test]
fn regions_mean_the_same_in_both_versions() {
    let (old, new) = both(
        "static int s; int f(int n) { int a[4] = {0}, gone[4] = {1}; a[n & 3] = n; gone[n & 3] = 1; s++; return a[0] + gone[1]; }",
        "static int s; int f(int n) { int a[4] = {0}, came[4] = {1}; a[n & 3] = n; came[n & 3] = 1; s++; return a[0] + came[1]; }",
    );
    assert_eq!(old.local("f", "a"), new.local("f", "a"));
    assert_eq!(old.global("s"), new.global("s"));
    let (gone, came) = (old.local("f", "gone"), new.local("f", "came"));
    assert_ne!(gone, came);
    assert_eq!(old.info(gone).name, "f:gone");
    assert_eq!(old.info(came).name, "f:came");
}

#[test]
fn one_version_decides_for_both() {
    let (old, new) = both(
        "static int s[4]; static short t[4]; int f(int n) { s[n] = n; t[n] = 1; return s[0]; }",
        "void g(int *); static int s[4]; static short t[4]; int f(int n) { s[n] = n; g(s); *(char *)t = 1; return s[0]; }",
    );
    assert_eq!(old.global("s"), old.outside());
    assert_eq!(new.global("s"), old.outside());
    assert_eq!(old.info(old.global("t")).cell, Cell::Bytes);
}

#[test]
fn an_unsupported_procedure_may_use_the_statics_of_its_file() {
    let s = one(
        "#include <stdarg.h>
         static int seen; int log_all(long double n, ...) { va_list l; va_start(l, n); seen += va_arg(l, int); va_end(l); return seen; }
         int f(void) { static int own; int a = 1; log_all(1, &a); return ++own + a; }",
    );
    assert_eq!(s.global("seen"), s.outside());
    assert_eq!(s.local("f", "a"), s.outside());
    assert_ne!(s.global("own"), s.outside());
}

#[test]
fn locals_that_a_recursive_call_can_reach_are_not_its_own() {
    let s = one(
        "static int *last; static int depth;
         int f(int n) { int a = n, b[2] = {n, 0}; int r = last ? *last : 0; last = &a; if (n > 0) r += f(n - 1); return r + a + b[n & 1] + depth; }",
    );
    assert!(!s.info(s.local("f", "a")).outside);
    assert!(!s.info(s.local("f", "a")).locals_only);
    assert!(s.info(s.local("f", "b")).locals_only);
}

#[test]
fn words_need_aligned_objects_and_whole_copies() {
    let s = one(
        "#include <string.h>
         static int whole[8], part[8], cleared[8], any[8]; static char odd[8]; static long double x[2]; static __int128 w[2];
         int f(int n) { memcpy(whole, whole + 4, 16); memcpy(part, part + 4, 15); memset(cleared, 0, 32); memset(any, 0, n);
             x[0] += 1; w[0] += 1; return whole[n] + part[n] + cleared[n] + any[n] + *(int *)odd; }",
    );
    let cell = |name: &str| s.info(s.global(name)).cell;
    assert_eq!(cell("whole"), Cell::Words(4));
    assert_eq!(cell("part"), Cell::Bytes);
    assert_eq!(cell("cleared"), Cell::Words(4));
    assert_eq!(cell("any"), Cell::Bytes);
    assert_eq!(cell("odd"), Cell::Bytes);
    assert_eq!(cell("x"), Cell::Bytes);
    assert_eq!(cell("w"), Cell::Words(16));
}

#[test]
fn statics_of_several_files_are_matched_by_file() {
    let old = Side::files(&[("a.c", "static int s; int f(void) { return ++s; }")]);
    let new = Side::files(&[
        ("b.c", "static int s; int g(void) { return ++s; }"),
        ("a.c", "static int s; int f(void) { return ++s; }"),
    ]);
    let (old, new) = Side::together(old, new);
    let region = |side: &Side, procedure: &str| side.stored(procedure);
    assert_eq!(region(&old, "f"), region(&new, "f"));
    assert_ne!(region(&new, "f"), region(&new, "g"));
}

#[test]
fn fields_are_told_apart() {
    let s = one(
        "struct view { int *data; long len; }; static struct view v; static int own[4];
         void set(long n) { v.data = own; v.len = n; } int get(long i) { return v.data[i]; } long len(void) { return v.len; }",
    );
    assert_ne!(s.global("own"), s.outside());
    assert_eq!(s.info(s.global("own")).cell, Cell::Words(4));
}

#[test]
fn fields_in_arrays_of_structs_are_told_apart_by_powers_of_two() {
    let text = |padding: &str| {
        format!(
            "struct view {{ int *data; long len; {padding} }}; static struct view v[4]; static int own[4];
             void set(long n, long i) {{ v[i].data = own; v[i].len = n; }} int get(long i) {{ return v[i].data[0]; }}"
        )
    };
    let s = one(&text(""));
    assert_ne!(s.global("own"), s.outside());
    // 24 * i may wrap to any multiple of 8.
    let s = one(&text("long more;"));
    assert_eq!(s.global("own"), s.outside());
}

#[test]
fn an_index_into_a_struct_mixes_its_fields() {
    let s = one(
        "struct view { char name[8]; int *data; }; static struct view v; static int own[4];
         void set(long i, char c) { v.name[i] = c; v.data = own; } int get(void) { return v.data[0]; }",
    );
    assert_eq!(s.global("own"), s.outside());
}

#[test]
fn unions_and_halves_are_followed() {
    let s = one(
        "union u { int *p; struct { unsigned lo, hi; } h; }; static int a[4], b[4]; static union u from, to;
         int f(void) { from.p = a; to.h.lo = from.h.lo; to.h.hi = from.h.hi; *to.p = 1; return a[0]; }
         void mix(unsigned x) { static union u other; other.p = b; other.h.lo = x; *other.p = 2; }",
    );
    assert_ne!(s.global("a"), s.outside());
    assert_eq!(s.info(s.global("to")).contents, [s.global("a")]);
    assert_eq!(s.global("b"), s.outside());
}

#[test]
fn a_pointer_to_a_member_leads_back_to_its_struct() {
    let s = one(
        "struct link { struct link *next; }; struct item { long key; int *value; struct link link; };
         static struct item items[2]; static struct link *head; static int x, y; long given;
         void add(void) { items[0].value = &x; items[0].key = given; head = &items[0].link; head->next = &items[1].link; items[1].value = &y; }
         int get(void) { struct item *i = (struct item *)((char *)head->next - 16); return *i->value; }
         long key(void) { return ((struct item *)((char *)head - 16))->key; }",
    );
    assert_eq!(s.var("get", "i"), s.global("items"));
    assert_ne!(s.global("items"), s.outside());
    assert_ne!(s.global("x"), s.global("y"));
    assert_ne!(s.global("y"), s.outside());
}

#[test]
fn walking_an_array_keeps_its_fields() {
    let s = one(
        "struct pair { int *p; long n; }; static struct pair table[8]; static int cell[2];
         void fill(long n) { for (struct pair *t = table; t != table + 8; t++) { t->p = cell; t->n = n; } }
         long total(void) { long s = 0; for (struct pair *t = table; t < table + 8; t++) s += t->n + *t->p; return s; }",
    );
    assert_ne!(s.global("cell"), s.outside());
    assert_ne!(s.global("table"), s.outside());
}

#[test]
fn what_a_conversion_leaves_behind_leads_into_its_text() {
    let s = one(
        "#include <stdlib.h>
         static char text[8]; long f(void) { char *end; long n = strtol(text, &end, 10); return n + (end == text) + *end; }",
    );
    assert_ne!(s.global("text"), s.outside());
    assert_eq!(s.info(s.local("f", "end")).contents, [s.global("text")]);
}

#[test]
fn a_distance_that_is_returned_gives_nothing_away() {
    let s = one(
        "static char text[8]; long f(void) { char *p = text; while (*p) p++; return p - text; }",
    );
    assert_ne!(s.global("text"), s.outside());
}

#[test]
fn library_functions_only_count_with_their_own_types() {
    let s = one("int strlen(int, char *); static char a[4]; int f(void) { return strlen(1, a); }");
    assert_eq!(s.global("a"), s.outside());
}
