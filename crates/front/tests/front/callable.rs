//! Wrappers call what they should: a tiny driver in C, linked with a wrapped program.

use std::process::Command;
use std::sync::Arc;
use verdiff_cache::Store;
use verdiff_front::{CallableOptions, Clang, Inputs, Overflow, compile_callable};

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

/// What an object file holds: code, data and relocations, as text.
fn contents(object: &std::path::Path) -> String {
    let mut command = Command::new("objdump");
    command.args(["-s", "-r", "-j", ".text", "-j", ".data", "-j", ".data.rel.ro"]);
    command.args(["-j", ".rodata", "-j", ".rodata.str1.1", "-j", ".bss", "-j", ".eh_frame"]);
    let output = command.arg(object).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    // Its own name.
    text.lines().filter(|line| !line.contains("file format")).collect::<Vec<_>>().join("\n")
}

/// Small files are compiled without a process of clang's: what comes of it must be what clang makes of them.
#[test]
fn an_object_made_here_is_what_clang_makes() {
    let texts = [
        "int f(int x) { return x * 3 + 1; }",
        "#include <string.h>\nstatic int g[10] = {1, 2}; char *s = \"text\"; static int *p = &g[3];
         int f(const char *a, unsigned n) { static int k; k += n; memcpy(g, a, n); return *p + s[k] + strlen(a); }",
        "#include <stdarg.h>\ndouble f(int n, ...) { va_list l; va_start(l, n); double d = 0;
         while (n-- > 0) d += va_arg(l, double); va_end(l); return d; }",
        "struct S { long a[5]; char c; }; struct S f(struct S s, float x, long double y) { s.a[1] = x / y; s.c = s.a[2] % 7; return s; }",
        "static int g(int x) { return x + 1; } int f(int x) { switch (x) {
         case 1: return g(x); case 2: return 5; case 3: return 8; case 4: return -x; default: return __builtin_ctz(x); } }",
        "_Thread_local int t; extern int e; int f(__int128 x) { void *l = &&a; if (x > e) goto *l; return t; a: return x / 3; }",
        "#include <stdio.h>\nint f(int n) { char v[n]; for (int i = 0; i < n; i++) v[i] = i; printf(\"%d\\n\", v[0]); return v[n - 1]; }",
    ];
    for text in texts {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("p.c");
        std::fs::write(&source, text).unwrap();
        let inputs = Inputs { paths: vec![source], ..Inputs::default() };
        let make = |name: &str, flags: &[&str]| {
            let object = folder.path().join(name);
            let options = CallableOptions {
                flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
                real_externals: vec!["memcpy".to_owned(), "strlen".to_owned()],
                ..CallableOptions::default()
            };
            compile_callable(&inputs, &options, &object).unwrap();
            // A section that clang alone adds tells who made it.
            let sections = Command::new("objdump").arg("-h").arg(&object).output().unwrap();
            let by_clang = String::from_utf8_lossy(&sections.stdout).contains(".llvm_addrsig");
            assert_eq!(by_clang, !flags.is_empty(), "{text}");
            contents(&object)
        };
        // Any flag is clang's business.
        assert_eq!(make("here.o", &[]), make("clang.o", &["-O0"]), "{text}");
    }
}

#[test]
fn the_model_and_what_is_run_are_made_from_one_run_of_clang() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("p.c");
    std::fs::write(&source, "int f(int x) { return x + 1; }").unwrap();
    let inputs = Inputs { paths: vec![source.clone()], ..Inputs::default() };
    let loaded = verdiff_front::load(&inputs).unwrap();
    // Somebody edits the file in between.
    std::fs::write(&source, "int f(int x) { return x + 2; }").unwrap();
    let object = folder.path().join("p.o");
    let callable = compile_callable(&inputs, &CallableOptions::default(), &object).unwrap();
    let text = verdiff_model::print::program;
    assert_eq!(text(&callable.program), text(&loaded.program));
    // Inputs that share nothing with them see the file as it is now.
    let again = Inputs { paths: vec![source], ..Inputs::default() };
    let edited = verdiff_front::load(&again).unwrap();
    assert_ne!(text(&edited.program), text(&loaded.program));
}

/// Each part of what an object is made of, changed alone, is another object; nothing changed is the one that was kept.
#[test]
fn a_compiled_program_is_kept_under_all_that_it_is_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("p.c");
    let store = Arc::new(Store::new(folder.path().join("cache")));
    let text = "#include <string.h>\nint f(int x, char *s) { return x + 1 + strlen(s); }\n";
    std::fs::write(&source, text).unwrap();
    let plain = CallableOptions { tool: Some("a".to_owned()), ..CallableOptions::default() };
    // Whether it was kept, and the object.
    let make = |options: &CallableOptions, overflow: Overflow| {
        let paths = vec![source.clone()];
        let inputs = Inputs { paths, store: Some(store.clone()), overflow, ..Inputs::default() };
        let object = folder.path().join("p.o");
        let (_, misses) = store.hits_and_misses();
        let made = compile_callable(&inputs, options, &object).unwrap();
        let kept = store.hits_and_misses().1 == misses;
        (kept, std::fs::read(&object).unwrap(), serde_json::to_string(&made).unwrap())
    };
    let (kept, object, made) = make(&plain, Overflow::Wraps);
    assert!(!kept);
    assert_eq!(make(&plain, Overflow::Wraps), (true, object.clone(), made.clone()));
    let others = [
        CallableOptions { flags: vec!["-O1".to_owned()], ..plain.clone() },
        CallableOptions { real_externals: vec!["strlen".to_owned()], ..plain.clone() },
        CallableOptions { as_written: true, ..plain.clone() },
        CallableOptions { tool: Some("b".to_owned()), ..plain.clone() },
    ];
    for other in &others {
        assert!(!make(other, Overflow::Wraps).0, "{other:?}");
        assert!(make(other, Overflow::Wraps).0, "{other:?}");
    }
    assert!(!make(&plain, Overflow::Traps).0);
    // Another program, under the same name and of the same size.
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(&source, text.replace("+ 1", "+ 2")).unwrap();
    let (kept, changed, _) = make(&plain, Overflow::Wraps);
    assert!(!kept && changed != object);
    std::fs::write(&source, text).unwrap();
    assert_eq!(make(&plain, Overflow::Wraps).1, object);
    // Nobody says which build this is.
    let nobody = CallableOptions { tool: None, ..plain };
    let entries = store.statistics().entries;
    make(&nobody, Overflow::Wraps);
    assert_eq!(store.statistics().entries, entries);
}
