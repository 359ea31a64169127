//! What C becomes: golden text of small functions, and every file validated.

use expect_test::{Expect, expect};
use std::path::Path;
use verdiff_front::{Inputs, load};
use verdiff_model::{Program, print, validate};

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, source).unwrap();
    program_at(&path)
}

fn program_at(path: &Path) -> Program {
    let loaded = load(&Inputs { paths: vec![path.into()], ..Inputs::default() }).unwrap();
    validate(&loaded.program).unwrap_or_else(|problems| panic!("{problems:?}"));
    loaded.program
}

/// The body of the last function of `source`, without places.
fn check(source: &str, expected: Expect) {
    let program = program(source);
    let id = program.procedure_ids().last().unwrap();
    let text = print::procedure(&program, id);
    let lines: Vec<&str> = text.lines().map(|l| l.split("  //").next().unwrap_or(l)).collect();
    expected.assert_eq(&lines.join("\n"));
}

fn unsupported(source: &str, construct: &str, line: u32) {
    let program = program(source);
    let found: Vec<_> = program.procedures.iter().flat_map(|p| &p.unsupported).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].construct.contains(construct), "{found:?}");
    assert_eq!(found[0].loc.line, line);
}

#[test]
fn temporaries_fold_into_expressions() {
    check(
        "int f(int a, int b) { int c = a * b + 1; return c << 2 | (a & b); }",
        expect![[r#"
        int f(int a, int b)
        {
            int c;

            c = a * b + 1;
            return c << 2 | a & b;
        }"#]],
    );
}

#[test]
fn post_increment_keeps_the_old_value() {
    check(
        "int f(int x) { int y = x++; return y + x; }",
        expect![[r#"
        int f(int x)
        {
            int y;
            int t1;

            t1 = x;
            x = x + 1;
            y = t1;
            return y + x;
        }"#]],
    );
}

#[test]
fn swapping_through_a_comma_reads_before_it_writes() {
    check(
        "int f(int a, int b) { int t = a; a = b; b = t; return a - b; }",
        expect![[r#"
        int f(int a, int b)
        {
            int t;

            t = a;
            a = b;
            b = t;
            return a - b;
        }"#]],
    );
}

#[test]
fn short_circuits_branch() {
    check(
        "int f(int a, int b) { return a > 0 && b / a > 3; }",
        expect![[r#"
        int f(int a, int b)
        {
            _Bool t1;

            if (a <= 0) goto b3;
            check a != 0 else division by zero;
            check b != -2147483648 || a != -1 else division overflow;
            t1 = b / a > 3;
        b2:
            return t1;
        b3:
            t1 = 0;
            goto b2;
        }"#]],
    );
}

#[test]
fn fields_and_elements_read_as_in_c() {
    check(
        "struct node { int key; struct node *next; short tail[4]; };
         int f(struct node *n, int i) { n->next->key = n->tail[i]; return n->next->next == 0; }",
        expect![[r#"
            int f(struct node *n, int i)
            {
                short t1;
                struct node *t2;
                struct node *t3;
                struct node *t4;

                t1 = n->tail[i];
                t2 = n->next;
                t2->key = t1;
                t3 = n->next;
                t4 = t3->next;
                return t4 == NULL;
            }"#]],
    );
}

#[test]
fn a_struct_whose_address_goes_nowhere_is_variables() {
    check(
        "struct p { int x, y; }; int f(int a) { struct p p; p.x = a; p.y = p.x + 1; int v[2]; v[0] = p.y; v[1] = 7; return v[0] * v[1]; }",
        expect![[r#"
            int f(int a)
            {
                int p.x;
                int p.y;
                int v[0];
                int v[1];

                p.x = a;
                p.y = p.x + 1;
                v[0] = p.y;
                v[1] = 7;
                return v[0] * v[1];
            }"#]],
    );
}

#[test]
fn an_escaping_local_is_an_object() {
    check(
        "void g(int *); int f(void) { int x = 3; g(&x); return x; }",
        expect![[r#"
        int f(void)
        {
            int t1;
            int x;  /* memory */

            x = 3;
            g(&x);
            t1 = x;
            return t1;
        }"#]],
    );
}

#[test]
fn a_read_that_may_come_too_early_is_checked_once() {
    check(
        "int f(int c) { int x; if (c) x = 1; int y = x; return x + y; }",
        expect![[r#"
        int f(int c)
        {
            int x;
            int y;

            if (c == 0) goto b2;
            x = 1;
        b2:
            check x is set else uninitialised read;
            y = x;
            return x + y;
        }"#]],
    );
}

#[test]
fn bit_fields_are_masked_words() {
    check(
        "struct b { unsigned a : 3; int b : 5; }; int f(struct b *s, int v) { s->a = v; return s->b; }",
        expect![[r#"
            int f(struct b *s, int v)
            {
                char t1;
                char t2;
                char t3;

                t1 = *(char *)s;
                t2 = (char)v & 7;
                *(char *)s = t1 & 0xf8 | t2;
                t3 = *(char *)s;
                return t3 >> 3;
            }"#]],
    );
}

#[test]
fn a_struct_in_registers_is_its_scalars() {
    check(
        "struct p { float a, b; }; struct p f(struct p p) { struct p r = { p.b, p.a }; return r; }",
        expect![[r#"
            struct p f(float p.coerce.0, float p.coerce.1)
            {
                float r.a;
                float r.b;
                float p.a;
                float p.b;

                p.a = p.coerce.0;
                p.b = p.coerce.1;
                r.a = p.b;
                r.b = p.a;
                return (r.a, r.b);
            }"#]],
    );
}

#[test]
fn a_large_struct_by_value_is_the_callees_own_copy() {
    check(
        "struct big { long v[8]; }; long f(struct big b) { b.v[1] = 5; return b.v[1] + b.v[2]; }",
        expect![[r#"
            long f(struct big *b)
            {
                long t1;
                long t2;
                struct big b_2;  /* memory */

                b_2 = *b;
                b_2.v[1] = 5;
                t1 = b_2.v[1];
                t2 = b_2.v[2];
                return t1 + t2;
            }"#]],
    );
}

#[test]
fn computed_gotos_switch_over_labels() {
    check(
        "int f(int k) { static const void *const t[] = { &&a, &&b }; goto *t[k & 1]; a: return 1; b: return 2; }",
        expect![[r#"
            int f(int k)
            {
                int retval;
                void *t1;
                const void *const t2;

                t2 = t[k & 1];
                t1 = t2;
                switch (t1) {
                case 0x7e0000000000: goto b1;
                case 0x7e0000000010: goto b2;
                default: goto b4;
                }
            b1:
                retval = 1;
                goto b3;
            b2:
                retval = 2;
            b3:
                return retval;
            b4:
                trap(unreachable);
            }"#]],
    );
}

#[test]
fn loops_that_swap_phis_move_at_once() {
    // Optimised code keeps both in registers: the classic parallel copy.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.ll");
    std::fs::write(
        &path,
        "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"
         define i32 @f(i32 %n) {
         entry:
           br label %loop
         loop:
           %a = phi i32 [ 0, %entry ], [ %b, %loop ]
           %b = phi i32 [ 1, %entry ], [ %a, %loop ]
           %i = phi i32 [ 0, %entry ], [ %j, %loop ]
           %j = add i32 %i, 1
           %c = icmp slt i32 %j, %n
           br i1 %c, label %loop, label %done
         done:
           ret i32 %a
         }",
    )
    .unwrap();
    let program = program_at(&path);
    let text = print::procedure(&program, program.procedure_ids().next().unwrap());
    expect![[r#"
        int f(int n)
        {
            int t1;
            int t2;
            int t3;
            int t4;
            int t5;
            int t6;
            int t7;

            t1 = 0;
            t2 = 1;
            t3 = 0;
        b1:  // loop
            t4 = t3 + 1;
            if (t4 < n) goto b3;
            return t1;
        b3:  // loop.to.loop
            t5 = t2;
            t6 = t1;
            t7 = t4;
            t1 = t5;
            t2 = t6;
            t3 = t7;
            goto b1;
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn what_cannot_be_expressed_is_named_with_its_line() {
    unsupported(
        "#include <stdarg.h>\nint f(long double n, ...) {\n va_list l;\n va_start(l, n);\n return 0; }",
        "va_start",
        4,
    );
    unsupported(
        "#include <setjmp.h>\njmp_buf b;\nint f(void) {\n return setjmp(b);\n}",
        "_setjmp",
        4,
    );
    unsupported("_BitInt(200) f(_BitInt(200) a) {\n return a + 1;\n}", "256 bits", 1);
}

#[test]
fn one_unsupported_function_leaves_the_others_alone() {
    let program = program(
        "#include <stdarg.h>\nint f(long double n, ...) { va_list l; va_start(l, n); return 0; }\nint g(int x) { return f(x, 1) + 1; }",
    );
    let supported: Vec<_> =
        program.procedures.iter().map(|p| (p.name.as_str(), p.is_supported())).collect();
    assert_eq!(supported, [("f", false), ("g", true)]);
}

#[test]
fn static_functions_of_two_files_stay_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.c"), folder.path().join("b.c"));
    std::fs::write(&a, "static int helper(void) { return 1; } int fa(void) { return helper(); }")
        .unwrap();
    std::fs::write(&b, "static int helper(void) { return 2; } int fa(void); int fb(void) { return helper() + fa(); }").unwrap();
    let loaded = load(&Inputs { paths: vec![a, b], ..Inputs::default() }).unwrap();
    let helpers: Vec<_> = loaded.program.procedures.iter().filter(|p| p.name == "helper").collect();
    assert_eq!(helpers.len(), 2);
    assert_ne!(helpers[0].symbol, helpers[1].symbol);
    assert_ne!(loaded.program.file(helpers[0].loc.file), loaded.program.file(helpers[1].loc.file));
    assert!(loaded.program.externals.is_empty(), "fa is resolved");
}

#[test]
fn signedness_comes_from_the_flags() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, "int f(char c) { return c; }").unwrap();
    for (flag, expected) in [("-fsigned-char", true), ("-funsigned-char", false)] {
        let inputs = Inputs {
            paths: vec![path.clone()],
            clang_flags: vec![flag.into()],
            ..Inputs::default()
        };
        let program = load(&inputs).unwrap().program;
        let f = &program.procedures[0];
        let ctype = f.var(f.params[0]).ctype.unwrap();
        assert_eq!(program.ctypes.signed(ctype), Some(expected));
    }
}

#[test]
fn a_bit_field_of_an_uninitialised_local_can_be_written() {
    // Clang reads the word around the field first; that read is none of the program's.
    let source = "int f(int x) { struct { int v : 12; } s; s.v = x; return s.v; }";
    let program = program(source);
    let mut machine = verdiff_model::interp::Machine::new(&program);
    let entry = verdiff_model::state::EntryState {
        args: vec![verdiff_model::state::Value::Bits(5)],
        ..Default::default()
    };
    let outcome = machine.run(verdiff_model::ProcId(0), &entry, &Default::default());
    let verdiff_model::state::End::Returned(values) = outcome.end else { panic!("{outcome:?}") };
    assert_eq!(values[0].value, Some(verdiff_model::state::Value::Bits(5)));
}

#[test]
fn the_dynamic_size_of_a_local_depends_on_the_address() {
    check(
        "unsigned long f(unsigned n) { char a[8]; return __builtin_dynamic_object_size(a + n, 0); }",
        expect![[r#"
            unsigned long f(unsigned int n)
            {
                long t1;
                char a[8];  /* memory */

                t1 = (unsigned long)&a[n] - (unsigned long)a;
                return 8 < (unsigned long)t1 ? 0 : 8 - t1;
            }"#]],
    );
}

#[test]
fn a_wide_bit_int_can_be_returned() {
    // It is returned in two registers, whose upper bits it never wrote.
    let source = "_BitInt(100) f(long a) { return a; }";
    let program = program(source);
    let mut machine = verdiff_model::interp::Machine::new(&program);
    let entry = verdiff_model::state::EntryState {
        args: vec![verdiff_model::state::Value::Bits(5)],
        ..Default::default()
    };
    let outcome = machine.run(verdiff_model::ProcId(0), &entry, &Default::default());
    let verdiff_model::state::End::Returned(values) = outcome.end else { panic!("{outcome:?}") };
    assert_eq!(values[0].value, Some(verdiff_model::state::Value::Bits(5)));
}

#[test]
fn a_number_near_the_functions_addresses_is_no_function() {
    // Given to an unknown function, it is described to the world.
    let source = "int show(char *);
        int h(char *p) { return show(p); }";
    let program = program(source);
    let mut machine = verdiff_model::interp::Machine::new(&program);
    use verdiff_model::state::layout::{EXTERNAL_ZONE, PROCEDURE_ZONE, zone_base};
    for zone in [PROCEDURE_ZONE, EXTERNAL_ZONE] {
        let bits = u128::from(zone_base(zone) + 16 * 1000);
        let args = vec![verdiff_model::state::Value::Bits(bits)];
        let entry = verdiff_model::state::EntryState { args, ..Default::default() };
        let h = program.procedure_named("h").unwrap();
        let outcome = machine.run(h, &entry, &Default::default());
        assert!(outcome.is_conclusive(), "{outcome:?}");
        assert_eq!(outcome.world.count, 1);
    }
}
