//! Programs to try inputs on: functions with `setjmp` and `asm goto` run in the interpreter, with guesses.

use verdiff_front::{Inputs, load};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, StopReason, Value};
use verdiff_model::trial::trial;
use verdiff_model::{Program, validate};

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    let head = "#include <setjmp.h>\n#include <stdlib.h>\nstatic jmp_buf b;\n";
    std::fs::write(&path, format!("{head}{source}")).unwrap();
    load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap().program
}

fn tried(source: &str) -> Program {
    let trial = trial(&program(source)).expect("something can be tried");
    validate(&trial).unwrap_or_else(|problems| panic!("{problems:?}"));
    trial
}

fn end(program: &Program, x: i32) -> End {
    let f = program.procedure_named("f").unwrap();
    let args = vec![Value::Bits(u128::from(x as u32))];
    let entry = EntryState { args, ..EntryState::default() };
    Machine::new(program).run(f, &entry, &Limits::default()).end
}

/// What `f` returns.
#[track_caller]
fn returned(source: &str, x: i32) -> i32 {
    match end(&tried(source), x) {
        End::Returned(values) => match values[0].value {
            Some(Value::Bits(bits)) => bits as u32 as i32,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn setjmp_returns_twice() {
    let source = "static void deep(int n) { if (n == 0) longjmp(b, 7); deep(n - 1); }
        int f(int x) { int r = setjmp(b); if (r) return r + x; deep(x); return -1; }";
    assert_eq!(returned(source, 5), 12);
    // Zero becomes one, and locals keep what they have.
    let source =
        "int f(int x) { volatile int n = 0; if (setjmp(b) == 1) return n; n = x; longjmp(b, 0); }";
    assert_eq!(returned(source, 9), 9);
    // Several times, from a loop, and to the last one that was set.
    let source =
        "int f(int x) { volatile int n = 0; setjmp(b); n++; if (n < x) longjmp(b, 1); return n; }";
    assert_eq!(returned(source, 6), 6);
    let source = "int f(int x) { volatile int n = 0; if (setjmp(b)) { n += 1; }
        if (n == 0 && setjmp(b)) { n += 10; } if (n < x) longjmp(b, 1); return n; }";
    assert_eq!(returned(source, 12), 20);
    // Through a buffer of its own, with a signal mask.
    let source =
        "int f(int x) { sigjmp_buf own; volatile int n = 0; if (sigsetjmp(own, 1)) return n * 2;
        n = x; siglongjmp(own, 3); }";
    assert_eq!(returned(source, 4), 8);
}

#[test]
fn jumps_that_are_undefined_say_nothing() {
    // The frame is gone.
    let source = "static int set(void) { return setjmp(b); }
        int f(int x) { volatile int n = 0; if (set()) return 1; n++; if (x) longjmp(b, 1); return n; }";
    let stopped = End::Stopped(StopReason::NotEmulated("longjmp".to_owned()));
    assert_eq!(end(&tried(source), 1), stopped);
    assert_eq!(returned(source, 0), 1);
    // From a function that the library calls back.
    let source = "static int less(const void *x, const void *y) { longjmp(b, 1); }
        int f(int x) { int v[2] = {1, 2}; if (setjmp(b)) return 1; qsort(v, 2, 4, less); return 0; }";
    assert_eq!(end(&tried(source), 1), stopped);
    // Where the target is a caller's, it leaves, as it does without a trial.
    let source =
        "int g(void) { return setjmp(b); } int f(int x) { if (x) longjmp(b, 1); return 2; }";
    assert_eq!(end(&tried(source), 1), End::LeftThrough("longjmp".to_owned()));
    assert_eq!(end(&program(source), 1), End::LeftThrough("longjmp".to_owned()));
}

#[test]
fn objects_of_frames_that_were_left_are_dead() {
    let source = "static int *kept;
        static void deep(void) { int local = 3; kept = &local; longjmp(b, 1); }
        int f(int x) { if (setjmp(b)) return x ? *kept : 5; deep(); return 0; }";
    assert!(matches!(end(&tried(source), 1), End::Trapped { .. }));
    assert_eq!(returned(source, 0), 5);
    // An array of variable length that was made since; a local is still there.
    let source = "static int *kept;
        int f(int x) { int local = 4, *own = &local; if (setjmp(b)) return *own + (x < 0 ? *kept : 0);
            int array[(x & 3) + 1]; array[0] = 8; kept = array; local = 6; longjmp(b, 1); }";
    assert_eq!(returned(source, 2), 6);
    assert!(matches!(end(&tried(source), -2), End::Trapped { .. }));
}

#[test]
fn every_label_of_asm_goto_is_guessed() {
    let source = "int f(int x) { __asm__ goto(\"cmpl $3, %0\" : : \"r\"(x) : \"cc\" : one, two);
        return 0; one: return 1; two: return 2; }";
    let trial = tried(source);
    let mut seen = std::collections::BTreeSet::new();
    for x in 0..40 {
        let (first, second) = (end(&trial, x), end(&trial, x));
        assert_eq!(first, second, "the same input is guessed the same");
        seen.insert(format!("{first:?}"));
    }
    assert_eq!(seen.len(), 3, "{seen:?}");
}

#[test]
fn what_else_returns_twice_is_not_tried() {
    let source =
        "int vfork(void) __attribute__((returns_twice)); int f(int x) { return vfork() + x; }";
    assert!(trial(&program(source)).is_none());
    assert!(trial(&program("int f(int x) { return x; }")).is_none());
    // Nor does anybody execute it in the program itself.
    let program = program("int f(int x) { return setjmp(b) + x; }");
    assert!(matches!(end(&program, 1), End::Stopped(StopReason::Unsupported(_))));
}
