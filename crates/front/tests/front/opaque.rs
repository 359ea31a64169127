//! What is known of functions that cannot be lowered.

use verdiff_front::{Inputs, load};
use verdiff_model::graph::CallGraph;
use verdiff_model::{Address, Opaque, OpaqueCall, Program, validate};

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, format!("#include <stdarg.h>\n{source}")).unwrap();
    let loaded = load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap();
    validate(&loaded.program).unwrap_or_else(|problems| panic!("{problems:?}"));
    loaded.program
}

/// What is known of `f`, which must be unsupported.
fn opaque(program: &Program) -> Opaque {
    let f = program.procedure(program.procedure_named("f").unwrap());
    assert!(!f.is_supported());
    *f.opaque.clone().expect("its code is known")
}

/// A function with a variable argument list around some code.
fn around(before: &str, body: &str) -> String {
    format!(
        "{before}\nint f(long double n, ...) {{ va_list l; va_start(l, n); va_end(l); {body} }}"
    )
}

fn code(before: &str, body: &str) -> u128 {
    opaque(&program(&around(before, body))).code
}

#[test]
fn calls_and_addresses_are_known() {
    let source = around(
        "int g(int x) { return x; }\nint h(void) { return 1; }\nint (*p)(void); int puts(const char *);",
        "p = h; puts(\"x\"); return g(n);",
    );
    let program = program(&source);
    let found = opaque(&program);
    let named = |name: &str| program.procedure_named(name).unwrap();
    assert!(found.calls.contains(&OpaqueCall::Procedure(named("g"))));
    assert!(!found.calls.contains(&OpaqueCall::Procedure(named("h"))));
    assert!(found.calls.iter().any(|call| matches!(call, OpaqueCall::External(_))));
    assert!(!found.calls.contains(&OpaqueCall::Unknown));
    let graph = CallGraph::of(&program);
    assert!(graph.is_complete());
    assert_eq!(graph.callees(named("f")), [named("g")]);
    assert_eq!(graph.address_taken(), [named("h")]);
}

#[test]
fn what_may_call_anything_is_known() {
    let found = |body| opaque(&program(&around("int (*p)(void); int g(void) { return 1; }", body)));
    assert!(found("return p();").calls.contains(&OpaqueCall::Unknown));
    assert!(found("__asm__(\"nop\"); return 0;").calls.contains(&OpaqueCall::Unknown));
    // A name in assembly is a call that nothing else shows.
    let calls = found("__asm__(\"call g\"); return 0;").calls;
    assert!(calls.iter().any(|call| matches!(call, OpaqueCall::Procedure(_))), "{calls:?}");
    assert!(!found("return 0;").returns_twice);
    let jumps = program("#include <setjmp.h>\njmp_buf b;\nint f(void) { return setjmp(b); }");
    assert!(opaque(&jumps).returns_twice);
}

#[test]
fn the_fingerprint_is_that_of_the_code_alone() {
    let plain = code("int a, b;", "return a;");
    assert_eq!(plain, code("int c;\n\n\nint a, b;", "\n\n  return a;"));
    assert_ne!(plain, code("int a, b;", "return a + 1;"));
    // Which global it is says the list of names.
    let named = |body| {
        let program = program(&around("int a, b;", body));
        let found = opaque(&program);
        let symbol = |address: &Address| match address {
            Address::Global(id) => Some(program.global(*id).symbol.clone()),
            _ => None,
        };
        (found.code, found.names.iter().filter_map(symbol).collect::<Vec<_>>())
    };
    assert_eq!(named("return a;"), (plain, vec!["a".to_owned()]));
    assert_eq!(named("return b;"), (plain, vec!["b".to_owned()]));
    assert_ne!(code("int a, b;", "return a - b;"), code("int a, b;", "return a - a;"));
}

#[test]
fn flags_types_and_layouts_are_part_of_the_code() {
    let body = "return p->b;";
    let with = |fields: &str| code(&format!("struct s {{ {fields} }} *p;"), body);
    assert_eq!(with("int a, b;"), with("int a, b;"));
    assert_ne!(with("int a, b;"), with("int b, a;"));
    // The same offset, but another layout of the struct.
    assert_ne!(with("int a, b;"), with("int a, b, c;"));
    let shift = |ty: &str| code(&format!("{ty} x;"), "return x >> 1;");
    assert_ne!(shift("int"), shift("unsigned"));
    assert_ne!(code("int x;", "return x;"), code("volatile int x;", "return x;"));
    // Overflow wraps, so a sum is the same with and without a sign.
    assert_eq!(code("int x;", "return x + 1;"), code("unsigned x;", "return x + 1;"));
}

#[test]
fn attributes_of_functions_and_calls_are_part_of_the_code() {
    let plain = code("int g(int);", "return g(n);");
    let strict = "int g(int);\n#pragma STDC FENV_ACCESS ON";
    assert_ne!(code(strict, "return n * 2.0 > 3.0;"), code("", "return n * 2.0 > 3.0;"));
    assert_eq!(plain, code("int g(int);\n", "return g(n);"));
    let twice = "int g(int) __attribute__((returns_twice));";
    assert_ne!(plain, code(twice, "return g(n);"));
}

/// A table of functions with an entry that cannot be expressed.
const TABLE: &str = "int g(void) { return 1; }
static int (*choose(void))(void) { return g; }
int chosen(void) __attribute__((ifunc(\"choose\")));
static int (*const table[2])(void) = { chosen, g };
static const struct { int (*const *t)(void); } holder = { table };
";

#[test]
fn what_an_unknown_initialiser_holds_is_not_guessed() {
    let program = program(&format!(
        "{TABLE}int f(void) {{ return table[1](); }}
         int through(int i) {{ return holder.t[i](); }}
         int other(int x) {{ return x; }}
         int main(void) {{ return 0; }}"
    ));
    let of = |name: &str| program.procedure(program.procedure_named(name).unwrap());
    for name in ["f", "through", "main"] {
        assert!(!of(name).is_supported() && of(name).opaque.is_none(), "{name}");
    }
    assert!(of("other").is_supported() && of("g").is_supported());
    assert!(!CallGraph::of(&program).is_complete());
}
