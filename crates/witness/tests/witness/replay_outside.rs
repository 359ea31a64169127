//! Replays with failing allocations, stubs that write, and traps that only a sanitizer shows.

use crate::support;

use support::pair::{Pair, args, objects};
use support::status::{confirmed, not_run, trap, with_stubs};
use verdiff_judge::NoTest;
use verdiff_model::Trap;
use verdiff_model::state::{
    Answer, End, EntryState, Event, Fill, Given, Link, Object, Outside, Pointer, Value, Write,
};
use verdiff_witness::replay::{ReplayOptions, Status};

fn failing(numbers: &[u32], entry: EntryState) -> EntryState {
    let outside = Outside { failures: numbers.to_vec(), ..Outside::default() };
    EntryState { outside, ..entry }
}

/// The state in which the first unknown call of `f` does something else.
fn answering(pair: &Pair, entry: EntryState, change: impl Fn(&mut Answer)) -> EntryState {
    let request = pair.request("f", |_| entry.clone());
    let [old, _] = pair.outcomes(&request);
    let effect = old.world.events.iter().find_map(|event| match event {
        Event::Call { effect, .. } => effect.clone(),
        _ => None,
    });
    let effect = effect.unwrap();
    let mut answer =
        Answer { call: effect.call, results: effect.results, writes: vec![], fills: vec![] };
    change(&mut answer);
    EntryState { outside: Outside { answers: vec![answer], ..Outside::default() }, ..entry }
}

const ALLOCATION: &str =
    "#include <errno.h>\n#include <malloc.h>\n#include <stdlib.h>\n#include <string.h>\n";

#[test]
fn allocations_that_fail() {
    let side = |body: &str| format!("{ALLOCATION}int f(int x) {{ {body} }}");
    let pair = Pair::new(
        &side("int *p = malloc(4); if (!p) return -1; *p = x; x = *p; free(p); return x;"),
        &side("int *p = malloc(4); *p = x; x = *p; free(p); return x;"),
    );
    let replayed = with_stubs(pair.replay(failing(&[0], args(&[7]))));
    assert_eq!(trap(&replayed.new.end), Some(Trap::NullAccess));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(u128::from(u32::MAX))));
    not_run(pair.replay(failing(&[1], args(&[7]))), "NoDifference");
    // The counter begins anew in each run.
    let request = pair.request("f", |_| failing(&[0], args(&[7])));
    pair.with(ReplayOptions::default(), |replayer| {
        for _ in 0..2 {
            with_stubs(replayer.replay(&request));
        }
        let small = replayer.minimise(&request, 100);
        assert_eq!(small.old.1, failing(&[0], args(&[0])));
        let replayed = replayer.replay(&request);
        let refused = replayer.test_case(&request, &replayed).unwrap_err();
        assert_eq!(refused, NoTest::FailingAllocation);
    });
}

/// Which requests count, by every function that makes one: the number of the one that fails follows from what went before.
const REQUESTS: &[(&str, &str)] = &[
    ("malloc(8)", "0"),
    ("calloc(2, 4)", "0"),
    ("realloc(0, 4)", "0"),
    ("realloc(p, 4)", "0"),
    ("reallocarray(0, 2, 4)", "0"),
    ("aligned_alloc(16, 16)", "0"),
    ("memalign(16, 16)", "0"),
    ("valloc(8)", "0"),
    ("strdup(\"ab\")", "0"),
    ("strndup(\"ab\", 1)", "0"),
    ("(free(malloc(3)), malloc(8))", "1"),
    ("(realloc(malloc(3), 0), malloc(8))", "1"),
    ("(calloc(-1ul, 16), reallocarray(0, -1ul, 16), malloc(8))", "0"),
    ("(malloc(-1ul), malloc(8))", "1"),
    ("(calloc(1ul << 60, 8), malloc(8))", "1"),
];

#[test]
fn every_request_counts() {
    // Plain, and with a sanitizer: where `x` is set, the new version goes out of bounds after it.
    let switch = |body: &dyn Fn(&str) -> String| -> String {
        REQUESTS.iter().enumerate().fold(String::new(), |all, (index, (request, _))| {
            format!("{all} case {index}: {}", body(request))
        })
    };
    let start = "char *p = malloc(2); char b[4] = {0}; void *q = p; *p = 1;";
    let old = switch(&|request| format!("q = {request}; break;"));
    let side = |end: &str| {
        format!(
            "{ALLOCATION}int f(int x, int y) {{ {start} errno = 0; switch (x) {{ {old} }} {end} }}"
        )
    };
    let pair = Pair::new(
        &side("return (q == 0) * 2 + (errno == ENOMEM);"),
        &side("if (!q) return b[y] + errno; return (q == 0) * 2 + (errno == ENOMEM);"),
    );
    pair.with(ReplayOptions::default(), |replayer| {
        for (index, (request, number)) in REQUESTS.iter().enumerate() {
            let number = number.parse::<u32>().unwrap() + 1;
            for y in [0, 4] {
                let entry = failing(&[number], args(&[index as i64, y]));
                let asked = pair.request("f", |_| entry.clone());
                let replayed = replayer.replay(&asked);
                assert_eq!(
                    replayed.status,
                    Status::ConfirmedWithStubs,
                    "{request} {y}: {replayed:#?}"
                );
                assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(3)), "{request}");
                let expected = (y == 4).then_some(Trap::OutOfBounds);
                assert_eq!(trap(&replayed.new.end), expected, "{request}");
            }
        }
    });
}

#[test]
fn what_a_failed_request_leaves_alone() {
    // `posix_memalign` writes nothing, `realloc` keeps the old object.
    let side = |end: &str| {
        format!(
            "{ALLOCATION}int f(char *p) {{ void *q = p; int e = posix_memalign(&q, 16, 8); {end} }}"
        )
    };
    let pair = Pair::new(&side("return e + (q == p);"), &side("return e + (q != p);"));
    let entry = objects(vec![Object::new(1, vec![5, 6])]);
    let replayed = with_stubs(pair.replay(failing(&[0], entry.clone())));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(13)));

    for end in ["*p", "p[2] * 0"] {
        let side = |end: &str| {
            format!("{ALLOCATION}int f(char *p) {{ char *q = realloc(p, 9); return {end}; }}")
        };
        let pair = Pair::new(&side("q ? 1 : 2"), &side(&format!("q ? 1 : {end}")));
        let replayed = with_stubs(pair.replay(failing(&[0], entry.clone())));
        assert_eq!(trap(&replayed.new.end).is_some(), end != "*p");
    }
}

#[test]
fn failures_must_strike_both_alike() {
    let side = |size: u32| {
        format!("{ALLOCATION}int f(int x) {{ free(malloc({size})); return malloc(4) != 0; }}")
    };
    let pair = Pair::new(&side(4), &side(8).replace("!= 0", "== 0"));
    not_run(pair.replay(failing(&[1], args(&[0]))), "OneSidedFailure");
    // The first is the same request in both.
    let pair = Pair::new(
        &format!("{ALLOCATION}int f(int x) {{ char *p = malloc(4); return p == 0; }}"),
        &format!("{ALLOCATION}int f(int x) {{ char *p = malloc(4); malloc(5); return p != 0; }}"),
    );
    with_stubs(pair.replay(failing(&[0], args(&[0]))));
}

#[test]
fn stubs_write_globals() {
    let write = |symbol: &str, offset: u64, bytes: &[u8]| Write {
        symbol: symbol.to_owned(),
        offset,
        bytes: bytes.to_vec(),
    };
    for head in ["int level[2] = {5, 6};", "int level[2];", "extern int level[2];"] {
        let head = format!("{head} void update(int *);");
        let pair = Pair::new(
            &format!("{head} int f(int x) {{ update(&x); return level[1]; }}"),
            &format!("{head} int f(int x) {{ int y = level[1]; update(&x); return y; }}"),
        );
        let entry = answering(&pair, args(&[4]), |answer| {
            answer.writes = vec![write("level", 4, &[1, 2, 3, 4]), write("level", 5, &[9])];
        });
        let replayed = with_stubs(pair.replay(entry.clone()));
        assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(0x0403_0901)));
        assert_eq!(replayed.externals[0].writes.len(), 2);
        // The next run does not feel it.
        let request = pair.request("f", |_| entry.clone());
        pair.with(ReplayOptions::default(), |replayer| {
            for _ in 0..2 {
                with_stubs(replayer.replay(&request));
            }
        });
    }
    // What the function sees is what was there before; with a sanitizer, too.
    let head = "int level; void update(int *);";
    let pair = Pair::new(
        &format!("{head} int f(int x) {{ int b[2] = {{0}}; update(&level); return level; }}"),
        &format!(
            "{head} int f(int x) {{ int b[2] = {{0}}; update(&level); return b[level] * 0 + level; }}"
        ),
    );
    let entry = answering(&pair, args(&[4]), |answer| {
        answer.writes = vec![write("level", 0, &[2])];
    });
    let replayed = with_stubs(pair.replay(entry));
    assert_eq!(trap(&replayed.new.end), Some(Trap::OutOfBounds));
    // What the library has is its own.
    let head = "extern int optind; void update(void);";
    let pair = Pair::new(
        &format!("{head} int f(int x) {{ update(); return optind; }}"),
        &format!("{head} int f(int x) {{ int y = optind; update(); return y; }}"),
    );
    let entry = answering(&pair, args(&[4]), |answer| {
        answer.writes = vec![write("optind", 0, &[77])];
    });
    not_run(pair.replay(entry), "WritesMissing(\"optind\")");
}

#[test]
fn stubs_overwrite_what_is_behind_arguments() {
    let head = "void update(int *);";
    let pair = Pair::new(
        &format!("{head} int f(int x) {{ int y[2] = {{x, x}}; update(y); return y[1]; }}"),
        &format!("{head} int f(int x) {{ int y[2] = {{x, x}}; update(y); return x; }}"),
    );
    let entry = answering(&pair, args(&[4]), |answer| {
        answer.fills = vec![Fill { arg: 0, offset: 4, bytes: vec![6] }];
    });
    let replayed = with_stubs(pair.replay(entry));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(6)));
    // A callee's copy is its own.
    let head = "struct L { long v[4]; }; void take(struct L);";
    let side = |end: &str| {
        format!("{head} long f(int x) {{ struct L l = {{{{x}}}}; take(l); return {end}; }}")
    };
    let pair = Pair::new(&side("l.v[0]"), &side("x"));
    let entry = answering(&pair, args(&[4]), |answer| {
        answer.fills = vec![Fill { arg: 0, offset: 0, bytes: vec![6] }];
    });
    let replayed = pair.replay(entry);
    assert!(matches!(replayed.status, Status::NotRun { .. }), "{replayed:#?}");
}

#[test]
fn the_unreachable_is_reached() {
    let side = |rest: &str| format!("int f(int x) {{ if (x == 3) {rest}; return x; }}");
    let pair = Pair::new(&side("return 0"), &side("__builtin_unreachable()"));
    let replayed = confirmed(pair.replay(args(&[3])));
    assert_eq!(trap(&replayed.new.end), Some(Trap::Unreachable));
}

#[test]
fn accesses_before_the_first_global() {
    for table in ["static const int t[8] = {3};", "static int t[8] = {3};", "static int t[8];"] {
        let side = |check: &str| format!("{table} int f(int i) {{ {check} return t[i]; }}");
        let pair = Pair::new(&side("if (i < 0) return -1;"), &side(""));
        for i in [-1, -100] {
            let replayed = confirmed(pair.replay(args(&[i])));
            assert_eq!(trap(&replayed.new.end), Some(Trap::OutOfBounds), "{table} {i}");
        }
    }
}

#[test]
fn a_trap_that_the_compiler_removed_is_not_refuted() {
    // What is predicted is what the source says; the compiled program of this source has no trap.
    let pair = Pair::new("int f(int x) { return 1; }", "int f(int x) { return 2; }");
    let request = pair.request("f", |_| args(&[0]));
    for trap in [Trap::DivisionByZero, Trap::DivisionOverflow, Trap::NullAccess] {
        let [mut old, new] = pair.outcomes(&request);
        let loc = verdiff_model::Loc::default();
        old.end = End::Trapped { trap, procedure: request.old.0, loc };
        let replayed = pair.with(ReplayOptions::default(), |replayer| {
            replayer.replay(&request);
            replayer.replay_predicted(&request, &old, &new)
        });
        not_run(replayed, "TrapRemoved");
    }
    for (old, new) in [
        ("int f(int x) { return x / x; }", "int f(int x) { return x ? 1 : 5; }"),
        ("int f(int *p) { *p; return 1; }", "int f(int *p) { return 1; }"),
    ] {
        let replayed = Pair::new(old, new).replay(args(&[0]));
        assert!(!matches!(replayed.status, Status::Refuted { .. }), "{old}: {replayed:#?}");
    }
}

#[test]
fn stubs_return_pointers() {
    let head = "struct s { int a; struct s *next; }; struct s *find(int);";
    let side = |more: &str| {
        format!("{head} int f(int x) {{ struct s *p = find(x); return p ? p->next->a{more} : 0; }}")
    };
    let pair = Pair::new(&side(""), &side(" + 1"));
    let mut entry = args(&[4]);
    let mut first = Object::new(8, vec![0; 16]);
    first.contents.pointers.push(Link { offset: 8, to: Pointer::object(1) });
    let mut second = Object::new(8, vec![0; 16]);
    second.contents.bytes[0] = 41;
    entry.objects = vec![first, second];
    let given = |pointers: Vec<Pointer>| vec![Given { external: "find".to_owned(), pointers }];
    entry.outside.given = given(vec![Pointer::object(0)]);
    let replayed = with_stubs(pair.replay(entry.clone()));
    assert_eq!(replayed.old.returned[0].value, Some(Value::Bits(41)));
    assert_eq!(replayed.new.returned[0].value, Some(Value::Bits(42)));
    // What only the stub leads to is needed, and what is found in it is not.
    let request = pair.request("f", |_| entry.clone());
    pair.with(ReplayOptions::default(), |replayer| {
        let small = replayer.minimise(&request, 200).old.1;
        assert_eq!(small.outside.given, entry.outside.given);
        assert!(small.objects.iter().all(|o| o.contents.bytes.iter().all(|byte| *byte == 0)));
        let replayed = replayer.replay(&request);
        let refused = replayer.test_case(&request, &replayed).unwrap_err();
        assert_eq!(refused, NoTest::StubResult("find".to_owned()));
    });
    // Null is one of the things to give, and so is nothing at all.
    entry.outside.given = given(vec![Pointer::NULL]);
    not_run(pair.replay(entry.clone()), "NoDifference");
    entry.outside.given = vec![];
    not_run(pair.replay(entry), "NoDifference");
}
