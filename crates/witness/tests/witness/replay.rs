//! Predicted differences, run on both compiled programs.

use crate::support;

use std::time::{Duration, Instant};
use support::pair::{Pair, args, global, ints, objects};
use support::status::{confirmed, not_run, trap, with_stubs};
use verdiff_judge::Side;
use verdiff_model::Trap;
use verdiff_model::state::{Difference, End, EntryState, Object, Pointer, Value};
use verdiff_witness::replay::{Ended, ReplayOptions, Status};

#[test]
fn runs_with_assembly_are_observed() {
    let function = |operand: &str, how: &str| {
        format!(
            "int f(int x) {{ int y = x; __asm__(\"xorl %1, %0\" : \"+r\"(y) : \"r\"({operand}) : \"cc\"); {how} }}"
        )
    };
    let pair = Pair::new(&function("5", "return y;"), &function("4", "return y;"));
    let replayed = confirmed(pair.replay(args(&[7])));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(2)));
    assert_eq!(replayed.new.returned[0].value, Some(Value::Bits(3)));
    let [old, new] = replayed.unpredicted.expect("nobody can predict it");
    assert!(matches!(old.end, End::Returned(_)) && old.end != new.end);
    // The interpreter's assembly makes other numbers of them; the compiled programs return the same.
    let pair = Pair::new(&function("5", "return y & 2;"), &function("4", "return y & 2;"));
    assert!(!pair.replay(args(&[7])).status.is_confirmed());
    // An uninitialised value, an access out of bounds.
    let bad = "int z[2]; int *volatile p = z; return y ^ p[x & 1];";
    let pair = Pair::new(&function("5", bad), &function("4", bad));
    assert!(!pair.replay(args(&[7])).status.is_confirmed());
    let bad = "static int z[2]; int *volatile p = z; return y ^ p[x];";
    let pair = Pair::new(&function("5", bad), &function("4", bad));
    assert!(!pair.replay(args(&[7])).status.is_confirmed());
}

#[test]
fn what_assembly_reads_from_the_machine_is_no_difference() {
    let function =
        |how: &str| format!("unsigned f(int x) {{ unsigned long y; char z[64]; z[x] = 1; {how} }}");
    let stack = "__asm__ volatile(\"movq %%rsp, %0\" : \"=r\"(y)); return (unsigned)y";
    let pair = Pair::new(&function(&format!("{stack};")), &function(&format!("{stack} + 64;")));
    assert!(!pair.replay(args(&[7])).status.is_confirmed());
    let clock = "__asm__ volatile(\"rdtsc; movl %%eax, %%eax\" : \"=a\"(y) : : \"edx\"); return (unsigned)y";
    let pair = Pair::new(&function(&format!("{clock};")), &function(&format!("{clock} + 1;")));
    assert!(!pair.replay(args(&[7])).status.is_confirmed());
}

#[test]
fn runs_with_setjmp_are_observed() {
    let function = |number: &str| {
        format!(
            "#include <setjmp.h>
             static jmp_buf b;
             static void leave(int n) {{ if (n == 0) longjmp(b, {number}); leave(n - 1); }}
             int f(int x) {{ int r = setjmp(b); if (r) return r; leave(x); return -1; }}"
        )
    };
    let replayed = confirmed(Pair::new(&function("7"), &function("8")).replay(args(&[3])));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(7)));
    assert_eq!(replayed.new.returned[0].value, Some(Value::Bits(8)));
    assert!(replayed.unpredicted.is_some());
    assert!(!Pair::new(&function("7"), &function("7")).replay(args(&[3])).status.is_confirmed());
    // Where the target is not in this run, the call is an outcome as it was: nothing jumps.
    let leaves = |number: &str| {
        format!(
            "#include <setjmp.h>
             jmp_buf b; int g(void) {{ return setjmp(b); }}
             int f(int x) {{ if (x) longjmp(b, {number}); return 0; }}"
        )
    };
    with_stubs(Pair::new(&leaves("7"), &leaves("8")).replay(args(&[3])));
    // Nor back into a frame that is gone.
    let gone = |number: &str| {
        format!(
            "#include <setjmp.h>
             static jmp_buf b; static int set(void) {{ return setjmp(b); }}
             int f(int x) {{ volatile int pad[64]; pad[x] = 1; int r = set(); if (r) return r; longjmp(b, {number}); }}"
        )
    };
    assert!(!Pair::new(&gone("7"), &gone("8")).replay(args(&[3])).status.is_confirmed());
}

#[test]
fn the_way_of_asm_goto_is_observed() {
    let function = |odd: &str, even: &str| {
        format!(
            "int f(int x, int y) {{
                 __asm__ goto(\"testl $1, %0\\n\\tjne %l1\" : : \"r\"(x) : \"cc\" : odd);
                 return {even}; odd: return {odd};
             }}"
        )
    };
    let pair = Pair::new(&function("y", "1"), &function("y + 1", "1"));
    confirmed(pair.replay(args(&[3, 5])));
    assert!(!pair.replay(args(&[4, 5])).status.is_confirmed(), "it goes the other way");
    // A division is seen as a signal, and only a division by zero is called one.
    let pair = Pair::new(&function("8", "8"), &function("8 / y", "8 / y"));
    let replayed = confirmed(pair.replay(args(&[3, 0])));
    assert!(matches!(replayed.new.end, Some(Ended::Trapped { trap: Trap::DivisionByZero, .. })));
    let least = "x / (y - 1)";
    let pair = Pair::new(&function("8", "8"), &function(least, least));
    assert!(!pair.replay(args(&[0x8000_0000, 0])).status.is_confirmed());
}

#[test]
fn memory_behind_assembly_is_observed() {
    let function = |store: &str| {
        format!(
            "int g[4]; int *q; struct s {{ char c; int i; }} s;
             void f(int x) {{ int y = x; __asm__(\"xorl %1, %0\" : \"+r\"(y) : \"r\"(5) : \"cc\"); {store} }}"
        )
    };
    let pair = Pair::new(&function("g[1] = y;"), &function("g[1] = y + 1;"));
    let replayed = confirmed(pair.replay(args(&[7])));
    assert!(matches!(replayed.difference, Some(Difference::Memory { .. })));
    let [old, new] = replayed.unpredicted.expect("nobody can predict it");
    assert_eq!(old.globals[0].1.bytes[4..8], [2, 0, 0, 0]);
    assert_eq!(new.globals[0].1.bytes[4..8], [3, 0, 0, 0]);
    // What has no value, padding, and addresses.
    let local = "int l[4]; int *volatile p = l; p[y & 1] = 1;";
    let stores = [
        (format!("{local} g[1] = p[2]; g[2] = y;"), format!("{local} g[1] = p[3]; g[2] = y;")),
        (
            "struct s t; t.c = 1; t.i = y; s = t;".into(),
            "struct s t; t.i = y; t.c = 1; s = t;".into(),
        ),
        ("int l[4]; q = l + (y & 1);".into(), "int l[4]; q = l + 2 + (y & 1);".into()),
        ("q = g + (y & 1);".into(), "q = (int *)(long)(g + (y & 1));".into()),
        // The same bytes.
        ("g[1] = y;".into(), "g[1] = y + 0;".into()),
    ];
    for (old, new) in stores {
        let replayed = Pair::new(&function(&old), &function(&new)).replay(args(&[7]));
        assert!(!replayed.status.is_confirmed(), "{old} {new}: {replayed:?}");
    }
}

#[test]
fn numbers() {
    let pair =
        Pair::new("int f(int x) { return x + 1; }", "int f(int x) { return x > 5 ? x : x + 1; }");
    let replayed = confirmed(pair.replay(args(&[7])));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(8)));
    assert_eq!(replayed.new.returned[0].value, Some(Value::Bits(7)));
    assert!(matches!(replayed.difference, Some(Difference::Result { .. })));
    not_run(pair.replay(args(&[5])), "NoDifference");

    let pair =
        Pair::new("double f(double x) { return x * 0.5; }", "double f(double x) { return x / 3; }");
    let entry = EntryState {
        args: vec![Value::Bits(u128::from(3.0f64.to_bits()))],
        ..EntryState::default()
    };
    confirmed(pair.replay(entry));
}

#[test]
fn a_static_function() {
    let rest = "int g(int x) { return f(x); }";
    let pair = Pair::new(
        &format!("static int f(int x) {{ return x * 2; }} {rest}"),
        &format!("static int f(int x) {{ return x << 2; }} {rest}"),
    );
    confirmed(pair.replay(args(&[3])));
}

#[test]
fn traps_that_hardware_shows() {
    let pair = Pair::new(
        "int f(int a, int b) { return a / b; }",
        "int f(int a, int b) { return b == -1 ? 0 - a : a / b; }",
    );
    let replayed = confirmed(pair.replay(args(&[i64::from(i32::MIN), -1])));
    assert_eq!(trap(&replayed.old.end), Some(Trap::DivisionOverflow));
    assert_eq!(replayed.new.end, Some(Ended::Returned));

    let pair = Pair::new("int f(int *p) { return p ? *p : -1; }", "int f(int *p) { return *p; }");
    let null = EntryState { args: vec![Pointer::NULL.into()], ..EntryState::default() };
    let replayed = confirmed(pair.replay(null));
    assert_eq!(trap(&replayed.new.end), Some(Trap::NullAccess));
}

#[test]
fn traps_that_look_the_same_are_not_told_apart() {
    let pair = Pair::new(
        "int f(int a, int b) { return a / (b + 1); }",
        "int f(int a, int b) { return a / b; }",
    );
    // Division by zero against overflow: one signal.
    not_run(pair.replay(args(&[i64::from(i32::MIN), -1])), "NotShown");
}

#[test]
fn traps_that_sanitizers_show() {
    // Out of bounds, towards what lies on the same page.
    let pair =
        Pair::new("int f(int *p) { return p[0]; }", "int f(int *p) { return p[0] + 0 * p[-1]; }");
    let replayed = confirmed(pair.replay(objects(vec![ints(&[4, 5])])));
    assert_eq!(trap(&replayed.new.end), Some(Trap::OutOfBounds));

    let pair = Pair::new(
        "#include <stdlib.h>\nint f(int *p) { int x = *p; free(p); return x; }",
        "#include <stdlib.h>\nint f(int *p) { free(p); return *p; }",
    );
    let replayed = confirmed(pair.replay(objects(vec![ints(&[4])])));
    assert_eq!(trap(&replayed.new.end), Some(Trap::UseAfterFree));

    let pair = Pair::new(
        "int f(int c) { int x = 0; if (c) x = 1; if (x > 5) return 2; return 3; }",
        "int f(int c) { int x; if (c) x = 1; if (x > 5) return 2; return 3; }",
    );
    let replayed = confirmed(pair.replay(args(&[0])));
    assert_eq!(trap(&replayed.new.end), Some(Trap::Uninitialised));

    let pair = Pair::new(
        "int f(int *p) { int x = 0; if (*p > 9) x = 1; if (x > 5) return 2; return 3; }",
        "int f(int *p) { int x; if (*p > 9) x = 1; if (x > 5) return 2; return 3; }",
    );
    let replayed = confirmed(pair.replay(objects(vec![ints(&[4])])));
    assert_eq!(trap(&replayed.new.end), Some(Trap::Uninitialised));

    let pair = Pair::new(
        "int f(char *p) { int x; __builtin_memcpy(&x, p + 1, 4); return x; }",
        "int f(char *p) { return *(int *)(p + 1); }",
    );
    let replayed = confirmed(pair.replay(objects(vec![Object::new(4, vec![1; 8])])));
    assert_eq!(trap(&replayed.new.end), Some(Trap::Misaligned));
}

#[test]
fn memory() {
    let pair = Pair::new(
        "void f(int *p, int *q) { *p = 1; *q = *p + 1; }",
        "void f(int *p, int *q) { int x = 1; *q = x + 1; *p = x; }",
    );
    let mut alias = objects(vec![ints(&[0])]);
    alias.args.push(Pointer::object(0).into());
    let replayed = confirmed(pair.replay(alias));
    assert!(matches!(replayed.difference, Some(Difference::Memory { .. })));
    assert_eq!(replayed.old.objects.len(), 1);
    // Two bytes apart: misaligned in both.
    not_run(pair.replay(objects(vec![ints(&[0]), ints(&[0])])), "NoDifference");

    let pair = Pair::new(
        "int n = 3; static int m; void f(void) { m = n; }",
        "int n = 3; static int m; void f(void) { m = n < 9 ? n : 0; }",
    );
    let request = pair.request("f", |program| EntryState {
        globals: vec![global(program, "n", &[9, 0, 0, 0])],
        ..EntryState::default()
    });
    let replayed = confirmed(pair.with(ReplayOptions::default(), |r| r.replay(&request)));
    let written = |observed: &verdiff_witness::Observed| {
        observed.globals.iter().find(|(name, _)| name == "m").map(|(_, c)| c.bytes[0])
    };
    assert_eq!(written(&replayed.old), Some(9));

    let pair = Pair::new(
        "#include <stdlib.h>\nint *f(int x) { int *p = malloc(8); p[0] = 1; p[1] = x; return p; }",
        "#include <stdlib.h>\nint *f(int x) { int *p = malloc(8); p[0] = 1; p[1] = x + 1; return p; }",
    );
    let replayed = confirmed(pair.replay(args(&[4])));
    assert_eq!(
        replayed.difference,
        Some(Difference::Memory { place: "new object 0".to_owned(), offset: Some(4) })
    );
    // Only one frees its argument.
    let pair = Pair::new(
        "#include <stdlib.h>\nvoid f(char *p) { *p = 0; }",
        "#include <stdlib.h>\nvoid f(char *p) { *p = 0; free(p); }",
    );
    confirmed(pair.replay(objects(vec![Object::new(1, vec![1])])));
}

#[test]
fn what_only_one_side_initialises_is_not_shown() {
    let pair = Pair::new(
        "#include <stdlib.h>\nchar *f(void) { char *p = malloc(2); p[0] = 1; return p; }",
        "#include <stdlib.h>\nchar *f(void) { char *p = malloc(2); p[0] = 1; p[1] = 0; return p; }",
    );
    not_run(pair.replay(args(&[])), "NotShown");
}

#[test]
fn external_functions_answer_what_the_model_chose() {
    let pair = Pair::new(
        "int get(int); int f(int x) { return get(x); }",
        "int get(int); int f(int x) { return get(x) + 1; }",
    );
    let replayed = with_stubs(pair.replay(args(&[4])));
    assert_eq!(replayed.externals.len(), 1);
    let call = &replayed.externals[0];
    assert_eq!((call.name.as_str(), call.old, call.new), ("get", true, true));
    assert_eq!(call.returns[0].value, replayed.old.returned[0].value);

    // Floats, structs, buffers that are filled.
    let head =
        "struct S { double a; int b; }; struct S make(float, struct S); void fill(char *, int);";
    let body = |k: &str| {
        format!(
            "{head} int f(int x) {{ struct S s = {{1.5, x}}; s = make(2.5f, s); char b[4]; fill(b, 4);
             return s.b + (int)s.a + b[3] {k}; }}"
        )
    };
    let pair = Pair::new(&body(""), &body("+ 1"));
    let replayed = with_stubs(pair.replay(args(&[4])));
    assert_eq!(replayed.externals.len(), 2);
    assert_eq!(replayed.externals[1].fills[0].bytes.len(), 4);
}

#[test]
fn calls_of_external_functions() {
    // Order, arguments, what is behind pointers, further arguments.
    for (old, new) in [
        ("a(); b();", "b(); a();"),
        ("c(x);", "c(x + 1);"),
        ("int v = x; d(&v);", "int v = x + 1; d(&v);"),
        ("e(1, 2.5, x, &x);", "e(1, 2.5, x - 1, &x);"),
        ("e(1, 2.5, x, &x);", "e(1, 2.25, x, &x);"),
        ("a();", ""),
        ("quit(x);", "quit(x + 1);"),
    ] {
        let head = "void a(void), b(void), c(int), d(const int *), e(int, ...);
                    _Noreturn void quit(int);";
        let side = |body: &str| format!("{head} void f(int x) {{ {body} }}");
        let pair = Pair::new(&side(old), &side(new));
        let replayed = with_stubs(pair.replay(args(&[4])));
        assert!(matches!(replayed.difference, Some(Difference::World { .. })), "{replayed:?}");
    }
    // A large struct is copied for the callee.
    let head =
        "struct L { long v[4]; } l = {{1, 2, 3, 4}}; void take(struct L); struct L give(void);";
    for (old, new) in [
        ("take(l); return l.v[1];", "take(l); return l.v[2];"),
        ("take(l); return 0;", "struct L m = l; m.v[2]++; take(m); return 0;"),
        ("return give().v[1] & 255;", "return (give().v[1] & 255) + 1;"),
        ("struct L m = l; take(m); return 0;", "take(give()); return 0;"),
    ] {
        let side = |body: &str| format!("{head} int f(int x) {{ {body} }}");
        with_stubs(Pair::new(&side(old), &side(new)).replay(args(&[4])));
    }
    let side = |body: &str| format!("{head} int f(int x) {{ {body} }}");
    let copy = Pair::new(&side("take(l); return 0;"), &side("struct L m = l; take(m); return 0;"));
    let replayed = copy.replay(args(&[4]));
    assert!(matches!(replayed.status, Status::NotRun { .. }), "{replayed:#?}");
    // How large the object is nobody can see.
    let side = |size: u32| {
        format!("void d(const char *); void f(int x) {{ char v[{size}] = {{x}}; d(v); }}")
    };
    not_run(Pair::new(&side(4), &side(5)).replay(args(&[4])), "NotShown");
}

#[test]
fn output() {
    let side = |body: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nvoid f(int x) {{ {body} }}"
        )
    };
    for (old, new) in [
        (r#"puts("a"); puts("b");"#, r#"puts("b"); puts("a");"#),
        (r#"printf("%d\n", x);"#, r#"printf("%u\n", x);"#),
        (r#"fprintf(stdout, "%d", x);"#, r#"fprintf(stderr, "%d", x);"#),
        (r#"fputs("a", stderr);"#, ""),
        (r#"putchar(x);"#, r#"putchar(x + 1);"#),
        (r#"fwrite("abc", 1, 2, stdout);"#, r#"fwrite("abc", 1, 3, stdout);"#),
        (r#"puts("a"); abort();"#, r#"abort();"#),
        (r#"puts("a"); exit(1);"#, r#"exit(1);"#),
        (r#"exit(0);"#, r#"exit(1);"#),
        (r#"write(1, "a", 1);"#, r#"write(2, "a", 1);"#),
        (r#"puts("a"); int *p = 0; *p = x;"#, r#"int *p = 0; *p = x;"#),
        (r#"char b[2]; puts("a"); b[x + 5] = 1;"#, r#"char b[2]; b[x + 5] = 1;"#),
    ] {
        let replayed = Pair::new(&side(old), &side(new)).replay(args(&[-3]));
        assert_eq!(replayed.status, Status::Confirmed, "{old} | {new}: {replayed:#?}");
    }
    // The same bytes in the same places, and the same status.
    for (old, new) in [
        (r#"puts("a");"#, r#"printf("a\n");"#),
        (r#"printf("a"); printf("b");"#, r#"printf("ab");"#),
        (r#"putchar('a');"#, r#"write(1, "a", 1);"#),
        (r#"puts("a"); fflush(stdout);"#, r#"puts("a");"#),
        (r#"fputs("", stderr); fputs("a", stdout);"#, r#"putchar('a');"#),
        // No parent sees more of a status than the low byte.
        (r#"exit(256);"#, r#"exit(0);"#),
    ] {
        not_run(Pair::new(&side(old), &side(new)).replay(args(&[-3])), "NoDifference");
    }
    let printed = Pair::new(&side(r#"printf("%d %s\n", x, "é");"#), &side("")).replay(args(&[-3]));
    assert_eq!(printed.old.printed[0].to, "stdout");
    assert_eq!(printed.old.printed[0].bytes, "-3 é\n".as_bytes());
}

#[test]
fn a_false_prediction_is_refuted() {
    let pair = Pair::new("int f(int x) { return x + 1; }", "int f(int x) { return x + 2; }");
    let request = pair.request("f", |_| args(&[7]));
    let [old, mut new] = pair.outcomes(&request);
    let End::Returned(values) = &mut new.end else { panic!() };
    values[0].value = Some(Value::Bits(10));
    let replayed = pair.with(ReplayOptions::default(), |replayer| {
        replayer.replay(&request);
        replayer.replay_predicted(&request, &old, &new)
    });
    let status = &replayed.status;
    assert!(
        matches!(status, Status::Refuted { why } if why.side == Some(Side::New)),
        "{replayed:?}"
    );

    let pair = Pair::new(
        "#include <stdio.h>\nint f(int x) { return puts(\"a\"); }",
        "int f(int x) { return 2; }",
    );
    let request = pair.request("f", |_| args(&[7]));
    let [mut old, new] = pair.outcomes(&request);
    let replayed = pair.with(ReplayOptions::default(), |replayer| {
        let as_it_is = replayer.replay(&request);
        assert_eq!(as_it_is.status, Status::Confirmed);
        // It printed, and was said not to.
        old.world = new.world.clone();
        old.end = End::Exited(2);
        replayer.replay_predicted(&request, &old, &new)
    });
    assert!(matches!(replayed.status, Status::Refuted { .. }), "{replayed:?}");
}

#[test]
fn an_endless_loop_is_not_run() {
    let pair = Pair::new(
        "int f(unsigned x) { while (x) x += 2; return 1; }",
        "int f(unsigned x) { return 2; }",
    );
    let start = Instant::now();
    not_run(pair.replay(args(&[1])), "OutOfSteps");
    // The compiled program, against a prediction that it ends.
    let request = pair.request("f", |_| args(&[1]));
    let ends = pair.request("f", |_| args(&[0]));
    let [old, new] = pair.outcomes(&ends);
    let options = ReplayOptions { time: Duration::from_millis(300), ..ReplayOptions::default() };
    not_run(
        pair.with(options, |r| {
            r.replay(&ends);
            r.replay_predicted(&request, &old, &new)
        }),
        "StillRunning",
    );
    assert!(start.elapsed() < Duration::from_secs(15));
}

#[test]
fn what_depends_on_addresses_is_not_confirmed() {
    let pair = Pair::new(
        "#include <stdint.h>\nint g; int f(void) { return (uintptr_t)&g >> 12 & 1; }",
        "#include <stdint.h>\nint g; int f(void) { return 1 - ((uintptr_t)&g >> 12 & 1); }",
    );
    let replayed = pair.replay(args(&[]));
    assert!(matches!(replayed.status, Status::NotRun { .. }), "{replayed:#?}");
}

#[test]
fn undefined_behaviour_is_not_confirmed() {
    // What `clz` of zero gives depends on the processor's age.
    let pair = Pair::new(
        "int f(unsigned x) { return __builtin_ctz(x); }",
        "int f(unsigned x) { return 31; }",
    );
    let replayed = pair.replay(args(&[0]));
    assert!(!matches!(replayed.status, Status::Refuted { .. }), "{replayed:#?}");
}

#[test]
fn many_requests_share_the_processes() {
    let pair = Pair::new("int f(int x) { return x; }", "int f(int x) { return x + 1; }");
    pair.with(ReplayOptions::default(), |replayer| {
        for x in 0..20 {
            let request = pair.request("f", |_| args(&[x]));
            assert_eq!(replayer.replay(&request).status, Status::Confirmed);
        }
    });
}

#[test]
fn both_sides_start_from_the_same_state() {
    // Another initialiser is a difference of its own, not one of the function.
    let pair =
        Pair::new("int n = 3; int f(void) { return n; }", "int n = 4; int f(void) { return n; }");
    not_run(pair.replay(args(&[])), "NoDifference");
    let pair = Pair::new(
        "int n = 3; int f(void) { return n; }",
        "int n = 4; int f(void) { return n + 1; }",
    );
    let replayed = confirmed(pair.replay(args(&[])));
    assert_eq!(replayed.new.returned[0].value, Some(Value::Bits(4)));
    // `main` does start from it.
    let pair = Pair::new(
        "int n = 3; int main(void) { return n; }",
        "int n = 4; int main(void) { return n; }",
    );
    let request = pair.request("main", |_| args(&[]));
    confirmed(pair.with(ReplayOptions::default(), |r| r.replay(&request)));
    // Other states on both sides prove nothing.
    let pair = Pair::new("int f(int x) { return x; }", "int f(int x) { return x; }");
    let mut request = pair.request("f", |_| args(&[1]));
    request.new.1 = args(&[2]);
    not_run(pair.with(ReplayOptions::default(), |r| r.replay(&request)), "OtherState");
    // A constant is the version's own.
    let pair = Pair::new(
        "static const int t[] = {1, 2}; int f(int i) { return t[i & 1]; }",
        "static const int t[] = {1, 3}; int f(int i) { return t[i & 1]; }",
    );
    confirmed(pair.replay(args(&[1])));
    let pair = Pair::new(
        "const char *f(int x) { return \"a\"; }",
        "const char *f(int x) { return \"b\"; }",
    );
    confirmed(pair.replay(args(&[1])));
    let pair = Pair::new(
        "const char *f(int x) { return x ? \"a\" : \"b\"; }",
        "const char *f(int x) { return !x ? \"b\" : \"a\"; }",
    );
    not_run(pair.replay(args(&[1])), "NoDifference");
}

#[test]
fn a_number_that_looks_like_an_address_is_no_difference() {
    // To the interpreter, bytes 5 to 12 are the address of the new version's local.
    let head = "struct point { int x, y; };";
    let pair = Pair::new(
        &format!("{head} void f(struct point *p) {{ p->x += 0; }}"),
        &format!("{head} void f(struct point *p) {{ struct point m = *p; m.x += 0; *p = m; }}"),
    );
    let replayed = pair.replay(objects(vec![ints(&[0, 0, 157, 16])]));
    assert!(matches!(replayed.status, Status::NotRun { .. }), "{replayed:#?}");
}
