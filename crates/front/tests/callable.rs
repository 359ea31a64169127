//! Wrappers call what they should: a tiny driver in C, linked with a wrapped program.

use std::process::Command;
use verdiff_front::{CallableOptions, Clang, Inputs, compile_callable};

#[test]
fn a_static_function_with_a_struct_of_floats_can_be_called() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("p.c");
    std::fs::write(
        &source,
        "struct P { float a, b; }; int seen;
         static float mix(struct P p, signed char c, long long d) { seen += c; return p.a + 2 * p.b + d; }
         float use(struct P p) { return mix(p, -3, 100); }
         int elsewhere(int, ...); int leave(int x) { return elsewhere(x, 2.5, x + 1); }",
    )
    .unwrap();
    let object = folder.path().join("p.o");
    let inputs = Inputs { paths: vec![source], ..Inputs::default() };
    let callable = compile_callable(&inputs, &CallableOptions::default(), &object).unwrap();
    let number = |name: &str| callable.program.procedure_named(name).unwrap().index();
    assert_eq!(callable.external_frames[0].args, [(verdiff_model::Type::Int(32), 0)]);
    let frame = &callable.frames[number("mix")];
    assert_eq!(frame.args.iter().map(|a| a.1).collect::<Vec<_>>(), [0, 4, 16, 32]);
    let driver = folder.path().join("driver.c");
    std::fs::write(
        &driver,
        format!(
            r#"#include <stdarg.h>
            #include <stdio.h>
            #include <stdlib.h>
            extern void (*const verdiff_wrappers[])(const char *, char *);
            extern int *const verdiff_globals[];
            void verdiff_called(int n, const char *args, char *results, va_list *further) {{
                printf("called %d with %d", n, *(const int *)args);
                printf(" and %g", va_arg(*further, double));
                printf(" %d\n", va_arg(*further, int));
                *(int *)results = 42;
            }}
            int main(void) {{
                _Alignas(16) char args[64] = {{0}}, results[16];
                ((float *)args)[0] = 1.5f; ((float *)args)[1] = 2.0f; args[16] = -3; *(long long *)(args + 32) = 100;
                verdiff_wrappers[{}](args, results);
                printf("%g %d\n", *(float *)results, *verdiff_globals[{}]);
                *(int *)args = 7;
                verdiff_wrappers[{}](args, results);
                printf("%d\n", *(int *)results);
            }}"#,
            number("mix"),
            callable.program.global_named("seen").unwrap().index(),
            number("leave"),
        ),
    )
    .unwrap();
    let program = folder.path().join("run");
    let clang = Clang::find().unwrap();
    let built =
        Command::new(clang.path()).arg(&driver).arg(&object).arg("-o").arg(&program).status();
    assert!(built.unwrap().success());
    let output = Command::new(&program).output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "105.5 -3\ncalled 0 with 7 and 2.5 8\n42\n"
    );
}
