//! Which variadic functions have areas for their further arguments: those to which no call leads that does not make them.

use verdiff_front::{Inputs, load};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Value};
use verdiff_model::{Program, Trap, validate};

fn program(text: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, text).unwrap();
    let clang_flags = vec!["-std=c11".to_owned(), "-w".to_owned()];
    let inputs = Inputs { paths: vec![path], clang_flags, ..Inputs::default() };
    let program = load(&inputs).unwrap().program;
    validate(&program).unwrap_or_else(|problems| panic!("{problems:?}"));
    program
}

/// Whether `va_start` is supported in `f`.
fn has_areas(text: &str) -> bool {
    let program = program(text);
    let f = program.procedure(program.procedure_named("f").unwrap());
    assert_eq!(f.is_supported(), f.areas().count() == 2);
    f.is_supported()
}

/// A file with `f` and with this.
fn beside(text: &str) -> String {
    format!(
        "#include <setjmp.h>\n#include <stdarg.h>\n\
         int f(int n, ...) {{ va_list l; va_start(l, n); return va_arg(l, int); }}\n{text}"
    )
}

#[test]
fn an_address_that_no_call_uses_is_allowed() {
    let allowed = [
        "int g(int a) { return f(1, a); }",
        // In a table, in a variable, compared, passed on, returned.
        "int (*const table[1])(int, ...) = {f};",
        "void *v; void g(void) { v = (void *)f; }",
        "int g(void *p) { return p == (void *)f; }",
        "void take(void *); void g(void) { take((void *)f); }",
        "void *g(void) { return (void *)f; }",
        "int g(int a) { return f(1, (void *)f); }",
        // Calls of other types.
        "void *v = (void *)f; int g(int (*p)(char *, ...), char *s) { return p(s, 1); }",
        "void *v = (void *)f; long g(long (*p)(int, ...)) { return p(1, 2); }",
        "void *v = (void *)f; int g(int (*p)(long)) { return p(1); }",
        "void *v = (void *)f; void g(void (*p)(int, int)) { p(1, 2); }",
        // It must not read two pointers as the addresses of the areas.
        "void *v = (void *)f; int g(int (*p)(int, int *, int *), int *a) { return p(1, a, a); }",
        // A call of an external function with the same type names it.
        "int h(int, ...); void *v = (void *)f; int g(void) { return h(1, 2); }",
    ];
    for text in allowed {
        assert!(has_areas(&beside(text)), "{text}");
    }
}

#[test]
fn what_a_call_through_a_pointer_may_lead_to_has_none() {
    let forbidden = [
        "int g(int a) { int (*p)(int, ...) = f; return p(1, a); }",
        "void *v = (void *)f; int g(int (*p)(int, ...)) { return p(1, 2); }",
        // More types: as far as both have some, they agree.
        "void *v = (void *)f; int g(int (*p)(int, int, ...)) { return p(1, 2, 3); }",
        // In code that cannot be lowered.
        "jmp_buf b; void *v = (void *)f;\n\
         int g(int (*p)(int, ...)) { if (setjmp(b)) return 1; return p(1, 2); }",
        // Without a prototype.
        "void *v = (void *)f; int g(int (*p)()) { return p(1, 2); }",
        // Called at another type by its name.
        "int g(void) { return ((int (*)(int))f)(1); }",
        // Another name.
        "int h(int n, ...) __attribute__((alias(\"f\"))); int g(void) { return h(1, 2); }",
    ];
    for text in forbidden {
        assert!(!has_areas(&beside(text)), "{text}");
    }
}

/// Whoever takes the pointers of a call for the addresses of areas would read 7 there.
#[test]
fn a_call_at_another_type_is_a_bad_call() {
    let calls = [
        "((int (*)(int, int *, int *))v)(1, a, a)",
        "((int (*)(int, int))v)(1, 7)",
        "((int (*)(int))v)(1)",
    ];
    for call in calls {
        let text = "void *v = (void *)f; int g(int n) { int a[40] = {7}; a[2] = 7; return CALL; }";
        let program = program(&beside(&text.replace("CALL", call)));
        let run = |name: &str| {
            let args = vec![Value::Bits(1)];
            let entry = EntryState { args, ..EntryState::default() };
            let id = program.procedure_named(name).unwrap();
            Machine::new(&program).run(id, &entry, &Limits::default()).end
        };
        let end = run("g");
        assert!(matches!(end, End::Trapped { trap: Trap::BadCall, .. }), "{call}: {end:?}");
    }
}

/// A step of a generator of numbers.
fn random(state: &mut u64, below: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % below
}

/// Random variadic functions, whose addresses are in a table or not, called by name and through the table at their own type: whatever the
/// rule says, a call that C allows returns what it does in C, or is not supported.
#[test]
fn proper_calls_of_random_functions_are_right_or_not_supported() {
    // Named parameters, and what a call passes for them.
    let named =
        [("int n", "2"), ("long n", "2"), ("char *s, int n", "0, 2"), ("int n, double d", "2, 1")];
    let (mut right, mut open) = (0, 0);
    for seed in 0..10 {
        let mut state = seed;
        let (mut text, mut calls) = ("#include <stdarg.h>\n".to_owned(), vec![]);
        for f in 0..4 {
            let (parameters, arguments) = named[random(&mut state, named.len())];
            let kind = ["int", "long"][random(&mut state, 2)];
            text += &format!(
                "{kind} f{f}({parameters}, ...) {{ va_list l; va_start(l, n); long r = {f}; \
                 while (n-- > 0) r = 10 * r + va_arg(l, int); va_end(l); return r; }}\n"
            );
            let taken = random(&mut state, 3) > 0;
            if taken {
                text += &format!("void *p{f} = (void *)f{f};\n");
            }
            let through = taken && random(&mut state, 3) == 0;
            let callee = match through {
                true => format!("(({kind} (*)({parameters}, ...))p{f})"),
                false => format!("f{f}"),
            };
            text += &format!("int g{f}(void) {{ return {callee}({arguments}, 3, 4); }}\n");
            calls.push((format!("g{f}"), through, 100 * f + 34));
        }
        let program = program(&text);
        for (name, through, expected) in calls {
            let id = program.procedure_named(&name).unwrap();
            match Machine::new(&program).run(id, &EntryState::default(), &Limits::default()).end {
                End::Returned(values) => {
                    assert_eq!(values[0].value, Some(Value::Bits(expected)), "{name} of\n{text}");
                    assert!(!through, "areas that nobody has made: {name} of\n{text}");
                    right += 1;
                }
                End::Stopped(_) => open += 1,
                other => panic!("{other:?}: {name} of\n{text}"),
            }
        }
    }
    assert!(right >= 20 && open >= 5, "{right} {open}");
}
