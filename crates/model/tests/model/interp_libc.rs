//! The emulated C library, function by function; formats and numbers against the real one.

use crate::interp_support;

use interp_support::*;
use std::fmt::Write as _;
use std::process::Command;
use verdiff_model::build::*;
use verdiff_model::state::{
    Contents, End, EntryState, Event, Object, ObjectEnd, Outcome, Pointer, PointerTarget,
    StopReason, Value,
};
use verdiff_model::{
    Address, BinaryOp, Callee, Const, Expr, FloatKind, Program, Signature, Trap, Type, UnaryOp,
};

/// Calls a function on strings (with their ends) and further numbers.
fn on(name: &str, strings: &[&str], numbers: &[(Type, u128)], result: Type) -> Outcome {
    let params: Vec<Type> =
        strings.iter().map(|_| PTR).chain(numbers.iter().map(|(ty, _)| *ty)).collect();
    let bytes: Vec<Vec<u8>> = strings.iter().map(|s| s.bytes().chain([0]).collect()).collect();
    let mut entry = objects(&bytes.iter().map(Vec::as_slice).collect::<Vec<_>>());
    entry.args.extend(numbers.iter().map(|(_, n)| Value::Bits(*n)));
    run(&calling(name, &params, &[result]), &entry)
}

fn signed_on(name: &str, strings: &[&str], numbers: &[(Type, u128)]) -> i32 {
    result(&on(name, strings, numbers, I32)) as u32 as i32
}

/// The offset of the result in the first string; `None` for null.
fn offset_on(name: &str, strings: &[&str], numbers: &[(Type, u128)]) -> Option<i64> {
    let p = pointer(&on(name, strings, numbers, PTR));
    (p.target == PointerTarget::Object(0)).then_some(p.offset)
}

fn len(n: u64) -> (Type, u128) {
    (I64, u128::from(n))
}

fn char(c: char) -> (Type, u128) {
    (I32, u128::from(u32::from(c)))
}

#[test]
fn lengths_and_comparisons() {
    assert_eq!(result(&on("strlen", &["hello"], &[], I64)), 5);
    assert_eq!(result(&on("strnlen", &["hello"], &[len(3)], I64)), 3);
    assert_eq!(signed_on("strcmp", &["abc", "abd"], &[]), -1);
    assert_eq!(signed_on("strcmp", &["abc", "ab"], &[]), 99);
    assert_eq!(signed_on("strncmp", &["abc", "abd"], &[len(2)]), 0);
    assert_eq!(signed_on("strcasecmp", &["ABC", "abc"], &[]), 0);
    assert_eq!(signed_on("memcmp", &["abc", "ab\u{7f}"], &[len(3)]), 99 - 127);
    assert_eq!(trap(&on("memcmp", &["abc", "abc"], &[len(9)], I32)), Trap::OutOfBounds);
}

#[test]
fn searches() {
    assert_eq!(offset_on("strchr", &["hello"], &[char('l')]), Some(2));
    assert_eq!(offset_on("strchr", &["hello"], &[char('\0')]), Some(5));
    assert_eq!(offset_on("strchr", &["hello"], &[char('z')]), None);
    assert_eq!(offset_on("strrchr", &["hello"], &[char('l')]), Some(3));
    assert_eq!(offset_on("strstr", &["hello", "lo"], &[]), Some(3));
    assert_eq!(offset_on("strstr", &["hello", ""], &[]), Some(0));
    assert_eq!(offset_on("strstr", &["hello", "loo"], &[]), None);
    assert_eq!(offset_on("strpbrk", &["hello", "ol"], &[]), Some(2));
    assert_eq!(offset_on("strpbrk", &["hello", "xyz"], &[]), None);
    assert_eq!(offset_on("memchr", &["hello"], &[char('o'), len(100)]), Some(4));
    assert_eq!(offset_on("memchr", &["hello"], &[char('o'), len(3)]), None);
    assert_eq!(offset_on("memrchr", &["hello"], &[char('l'), len(5)]), Some(3));
    assert_eq!(offset_on("strchrnul", &["hello"], &[char('z')]), Some(5));
    assert_eq!(result(&on("strspn", &["aabc", "ab"], &[], I64)), 3);
    assert_eq!(result(&on("strcspn", &["aabc", "cd"], &[], I64)), 3);
}

/// What a function leaves in its first argument, a buffer of eight `#`.
fn written(
    name: &str,
    start: &str,
    source: &str,
    numbers: &[(Type, u128)],
) -> Result<String, Trap> {
    let mut buffer = [b'#'; 8];
    buffer[..start.len()].copy_from_slice(start.as_bytes());
    let params: Vec<Type> = [PTR, PTR].into_iter().chain(numbers.iter().map(|n| n.0)).collect();
    let source: Vec<u8> = source.bytes().chain([0]).collect();
    let mut entry = objects(&[&buffer, &source]);
    entry.args.extend(numbers.iter().map(|(_, n)| Value::Bits(*n)));
    let outcome = run(&calling(name, &params, &[PTR]), &entry);
    match (&outcome.end, &outcome.objects[0]) {
        (End::Trapped { trap, .. }, _) => Err(*trap),
        (_, ObjectEnd::Written(contents)) => {
            Ok(String::from_utf8_lossy(&contents.bytes).replace('\0', "0"))
        }
        _ => Ok("untouched".into()),
    }
}

#[test]
fn copies() {
    assert_eq!(written("strcpy", "", "abc", &[]), Ok("abc0####".into()));
    assert_eq!(written("stpcpy", "", "abc", &[]), Ok("abc0####".into()));
    assert_eq!(written("strcpy", "", "too long for it", &[]), Err(Trap::OutOfBounds));
    assert_eq!(written("strncpy", "", "abc", &[len(6)]), Ok("abc000##".into()));
    assert_eq!(written("strncpy", "", "abcdef", &[len(3)]), Ok("abc#####".into()));
    assert_eq!(written("strcat", "x\0", "abc", &[]), Ok("xabc0###".into()));
    assert_eq!(written("strncat", "x\0", "abc", &[len(2)]), Ok("xab0####".into()));
    assert_eq!(written("memcpy", "", "abcdef", &[len(4)]), Ok("abcd####".into()));
    assert_eq!(written("mempcpy", "", "abcdef", &[len(4)]), Ok("abcd####".into()));
    assert_eq!(written("memmove", "", "ab", &[len(9)]), Err(Trap::OutOfBounds));
    assert_eq!(written("memcpy", "", "", &[len(0)]), Ok("untouched".into()));
}

#[test]
fn a_string_without_an_end_is_out_of_bounds_and_one_without_values_uninitialised() {
    let strlen = calling("strlen", &[PTR], &[I64]);
    assert_eq!(trap(&run(&strlen, &objects(&[b"abc"]))), Trap::OutOfBounds);
    assert_eq!(trap(&run(&strlen, &args(&[0]))), Trap::NullAccess);
    let mut program = Program::default();
    let strlen = add_external(&mut program, "strlen", &[PTR], &[I64]);
    let mut b = ProcBuilder::new("f", &[I64]);
    let (local, r) = (b.local("s", 4, 1), b.var("r", I64));
    let s = Expr::Address(Address::Local(local));
    b.store(s.clone(), byte(b'a')).call(&[r], Callee::External(strlen), vec![s]).ret(vec![v(r)]);
    add_procedure(&mut program, b);
    assert_eq!(trap(&run(&program, &args(&[]))), Trap::Uninitialised);
}

#[test]
fn the_heap() {
    // p = calloc(2, 4); p[0] = 5; p = realloc(p, 16); return p[0] + p[1] (and p[2], which traps).
    let build = |index: i64| {
        let mut program = Program::default();
        let calloc = add_external(&mut program, "calloc", &[I64, I64], &[PTR]);
        let realloc = add_external(&mut program, "realloc", &[PTR, I64], &[PTR]);
        let mut b = ProcBuilder::new("f", &[I32]);
        let [p, q] = ["p", "q"].map(|name| b.var(name, PTR));
        let (x, y) = (b.var("x", I32), b.var("y", I32));
        b.call(&[p], Callee::External(calloc), vec![i64c(2), i64c(4)]).store(v(p), i32c(5));
        b.call(&[q], Callee::External(realloc), vec![v(p), i64c(16)]);
        b.load(x, v(q)).load(y, at(v(q), i64c(index * 4))).ret(vec![add(v(x), v(y))]);
        add_procedure(&mut program, b);
        program
    };
    assert_eq!(result(&run(&build(1), &args(&[]))), 5);
    assert_eq!(trap(&run(&build(2), &args(&[]))), Trap::Uninitialised);
    assert_eq!(trap(&run(&build(4), &args(&[]))), Trap::OutOfBounds);
    let copy = run(&calling("strdup", &[PTR], &[PTR]), &objects(&[b"copy\0"]));
    assert_eq!(copy.fresh[0].contents, Some(Contents::from(b"copy\0".to_vec())));
    // A caller's object may be freed, and that is part of the outcome.
    let freed = run(&calling("free", &[PTR], &[]), &objects(&[b"x"]));
    assert_eq!(freed.objects, [ObjectEnd::Freed]);
}

#[test]
fn numbers_and_characters() {
    let one = |name, ty, x: u128| result(&run(&calling(name, &[ty], &[ty]), &args(&[x])));
    assert_eq!(one("abs", I32, 0xffff_fffb), 5);
    assert_eq!(one("labs", I64, u128::from((-5i64) as u64)), 5);
    assert_eq!(one("htonl", I32, 0x0102_0304), 0x0403_0201);
    assert_eq!(one("htons", Type::Int(16), 0x0102), 0x0201);
    assert_eq!(one("toupper", I32, u128::from(b'q')), u128::from(b'Q'));
    assert_eq!(one("tolower", I32, u128::from(b'!')), u128::from(b'!'));
    assert_ne!(one("isalpha", I32, u128::from(b'q')), 0);
    assert_eq!(one("isdigit", I32, u128::from(b'q')), 0);
    assert_eq!(one("isspace", I32, 0xffff_ffff), 0);
}

#[test]
fn the_tables_behind_glibcs_character_macros() {
    // (*__ctype_b_loc())[c] and (*__ctype_tolower_loc())[c]
    let mut program = Program::default();
    let classes = add_external(&mut program, "__ctype_b_loc", &[], &[PTR]);
    let lower = add_external(&mut program, "__ctype_tolower_loc", &[], &[PTR]);
    let mut b = ProcBuilder::new("f", &[Type::Int(16), I32]);
    let c = b.param("c", I32);
    let [p, q] = ["p", "q"].map(|name| b.var(name, PTR));
    let (class, low) = (b.var("class", Type::Int(16)), b.var("low", I32));
    let index = |scale| op2(BinaryOp::Mul, sext(64, v(c)), i64c(scale));
    b.call(&[p], Callee::External(classes), vec![]).load(q, v(p)).load(class, at(v(q), index(2)));
    b.call(&[p], Callee::External(lower), vec![]).load(q, v(p)).load(low, at(v(q), index(4)));
    b.ret(vec![v(class), v(low)]);
    add_procedure(&mut program, b);
    let of = |c: i32| {
        let outcome = run(&program, &args(&[u128::from(c as u32)]));
        let End::Returned(results) = &outcome.end else { panic!("{:?}", outcome.end) };
        results.iter().map(|r| r.value).collect::<Vec<_>>()
    };
    assert_eq!(of('A' as i32), [Some(Value::Bits(0xd508)), Some(Value::Bits(97))]);
    assert_eq!(of(-1), [Some(Value::Bits(0)), Some(Value::Bits(0xffff_ffff))]);
}

#[test]
fn floats_go_through_the_operators() {
    let double = Type::Float(FloatKind::Double);
    let of = |name, x: f64| {
        let bits = result(&run(&calling(name, &[double], &[double]), &args(&[x.to_bits().into()])));
        f64::from_bits(bits as u64)
    };
    assert_eq!(of("sqrt", 2.25), 1.5);
    assert_eq!(of("floor", -1.5), -2.0);
    assert_eq!(of("rint", 2.5), 2.0);
    assert_eq!(of("round", 2.5), 3.0);
    assert_eq!(of("fabs", -3.0), 3.0);
    let x87 = Type::Float(FloatKind::X87);
    let four = verdiff_model::ops::unary_bits(UnaryOp::SignedToF, x87, I32, 4);
    let two = verdiff_model::ops::unary_bits(UnaryOp::SignedToF, x87, I32, 2);
    assert_eq!(result(&run(&calling("sqrtl", &[x87], &[x87]), &args(&[four]))), two);
}

#[test]
fn another_function_of_the_same_name_is_not_the_librarys() {
    // `double abs(double)` is nobody we know.
    let double = Type::Float(FloatKind::Double);
    let outcome = run(&calling("abs", &[double], &[double]), &args(&[1.0f64.to_bits().into()]));
    assert_eq!(outcome.world.count, 1);
}

/// Sorts or searches ints with `cmp(a, b)`: the difference of what they point to.
fn with_comparison(name: &str, params: &[Type], results: &[Type]) -> Program {
    let mut program = Program::default();
    let mut b = ProcBuilder::new("cmp", &[I32]);
    let (p, q) = (b.param("p", PTR), b.param("q", PTR));
    let (x, y) = (b.var("x", I8), b.var("y", I8));
    b.load(x, v(p)).load(y, v(q));
    b.ret(vec![op2(BinaryOp::Sub, sext(32, v(x)), sext(32, v(y)))]);
    let compare = add_procedure(&mut program, b);
    let external = add_external(&mut program, name, params, results);
    let mut b = ProcBuilder::new("f", results);
    let mut list: Vec<Expr> = params[..params.len() - 1]
        .iter()
        .enumerate()
        .map(|(i, ty)| v(b.param(&format!("p{i}"), *ty)))
        .collect();
    list.push(Expr::Address(Address::Procedure(compare)));
    let outs: Vec<_> = results.iter().map(|ty| b.var("r", *ty)).collect();
    b.call(&outs, Callee::External(external), list).ret(outs.into_iter().map(v).collect());
    add_procedure(&mut program, b);
    program
}

#[test]
fn sorting_is_stable_and_calls_back() {
    // Pairs of a key and a mark.
    let program = with_comparison("qsort", &[PTR, I64, I64, PTR], &[]);
    let mut entry = objects(&[b"3a1b2c1d3e0f"]);
    entry.args.extend([Value::Bits(6), Value::Bits(2)]);
    let outcome = run(&program, &entry);
    let sorted = Contents::from(b"0f1b1d2c3a3e".to_vec());
    assert_eq!(outcome.objects[0], ObjectEnd::Written(sorted));
    entry.args[1] = Value::Bits(7);
    assert_eq!(trap(&run(&program, &entry)), Trap::OutOfBounds);
}

#[test]
fn comparisons_that_sort_again_are_stopped_before_the_interpreters_own_stack_ends() {
    let mut program = with_comparison("qsort", &[PTR, I64, I64, PTR], &[]);
    // The comparison now sorts its own array first.
    let qsort = Callee::External(verdiff_model::ExternId(0));
    let compare = verdiff_model::ProcId(0);
    let p = program.procedures[0].params[0];
    let args = vec![v(p), i64c(2), i64c(1), Expr::Address(Address::Procedure(compare))];
    let stmt = verdiff_model::Stmt {
        kind: verdiff_model::StmtKind::Call { results: vec![], callee: qsort, args },
        loc: verdiff_model::Loc::NONE,
    };
    program.procedures[0].blocks[0].stmts.insert(0, stmt);
    let mut entry = objects(&[b"21"]);
    entry.args.extend([Value::Bits(2), Value::Bits(1)]);
    assert_eq!(run(&program, &entry).end, End::Stopped(StopReason::StackDepth));
}

#[test]
fn work_in_the_library_counts_as_steps() {
    let program = calling("memset", &[PTR, I32, I64], &[PTR]);
    let mut entry = objects(&[&[0; 64_000]]);
    entry.args.extend([Value::Bits(1), Value::Bits(64_000)]);
    assert_eq!(run(&program, &entry).steps, 1002);
}

#[test]
fn searching_calls_back() {
    let program = with_comparison("bsearch", &[PTR, PTR, I64, I64, PTR], &[PTR]);
    let mut entry = objects(&[b"5", b"1357"]);
    entry.args.extend([Value::Bits(4), Value::Bits(1)]);
    assert_eq!(pointer(&run(&program, &entry)), Pointer::object(1).plus(2));
    entry.objects[0] = Object::new(1, b"4".to_vec());
    assert_eq!(pointer(&run(&program, &entry)), Pointer::NULL);
}

/// A call of a variadic function with a format and arguments.
fn formatted(name: &str, format: &str, values: &[(Type, u128)], strings: &[&str]) -> Outcome {
    let mut program = Program::default();
    let format: Vec<u8> = format.bytes().chain([0]).collect();
    let format = add_global(&mut program, "format", &format, true);
    let into_buffer = name == "snprintf";
    let params: &[Type] = if into_buffer { &[PTR, I64, PTR] } else { &[PTR] };
    let external = add_external(&mut program, name, params, &[I32]);
    program.externals[external.index()].signature =
        Signature { params: params.to_vec(), results: vec![I32], variadic: true };
    let mut b = ProcBuilder::new("f", &[I32]);
    let (buffer, r) = (b.param("buffer", PTR), b.var("r", I32));
    let mut list = vec![Expr::Address(Address::Global(format))];
    if into_buffer {
        list.splice(0..0, [v(buffer), i64c(64)]);
    }
    list.extend(values.iter().map(|(ty, bits)| Expr::Const(Const::new(*ty, *bits))));
    for (i, text) in strings.iter().enumerate() {
        let text: Vec<u8> = text.bytes().chain([0]).collect();
        let id = add_global(&mut program, &format!("s{i}"), &text, true);
        list.push(Expr::Address(Address::Global(id)));
    }
    b.call(&[r], Callee::External(external), list).ret(vec![v(r)]);
    add_procedure(&mut program, b);
    run(&program, &objects(&[&[b'#'; 64]]))
}

#[test]
fn output_is_compared_as_text() {
    let outcome = formatted("printf", "%d %s!", &[(I32, 42)], &["apples"]);
    assert_eq!(result(&outcome), 10);
    let Event::Call { name, payloads, .. } = &outcome.world.events[0] else { panic!("a call") };
    assert_eq!((name.as_str(), &payloads[0].contents.bytes[..]), ("printf", &b"42 apples!"[..]));
    // An address has no text that all runs share, but the call is still an event.
    let outcome = formatted("printf", "%p", &[(PTR, 0)], &[]);
    assert_eq!(outcome.world.count, 1);
    let outcome = formatted("snprintf", "%p", &[(PTR, 0)], &[]);
    assert!(matches!(outcome.end, End::Stopped(StopReason::NotEmulated(_))));
    let puts = run(&calling("puts", &[PTR], &[I32]), &objects(&[b"line\0"]));
    assert_eq!((result(&puts), puts.world.count), (5, 1));
}

#[test]
fn formats_and_numbers_are_the_real_librarys() {
    let clang = std::env::var("VERDIFF_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
    if Command::new(&clang).arg("--version").output().is_err() {
        eprintln!("SKIPPED: {clang} is not there, nothing was compared with the real library");
        return;
    }
    let mut c = String::from(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <errno.h>\nint main(void) {\n",
    );
    let mut ours: Vec<String> = vec![];
    let double = Type::Float(FloatKind::Double);
    for flags in ["", "-", "+", "0", " ", "#", "012", "-9", "+.3", "8.4", ".0", "#.0"] {
        for value in [0i64, 7, -7, 123_456_789, i64::MIN, i64::MAX] {
            for letter in ["ld", "lu", "lx", "lX", "lo", "hhd", "hu", "d"] {
                let format = format!("[%{flags}{letter}]");
                let _ = writeln!(c, "printf(\"{format}\\n\", {}L);", hex(value as u64));
                let outcome = formatted("snprintf", &format, &[(I64, value as u64 as u128)], &[]);
                ours.push(buffer_text(&outcome));
            }
        }
        for value in [0.0, -0.0, 1.0, 0.1, 123456.789, 1e-7, 9.9999995e10, 1e22, f64::INFINITY, 2.5]
        {
            for letter in ["f", "e", "g", "G", "E"] {
                let format = format!("[%{flags}{letter}]");
                let _ = writeln!(
                    c,
                    "{{ unsigned long u = {}L; double d; __builtin_memcpy(&d, &u, 8); printf(\"{format}\\n\", d); }}",
                    hex(value.to_bits())
                );
                let outcome =
                    formatted("snprintf", &format, &[(double, value.to_bits().into())], &[]);
                ours.push(buffer_text(&outcome));
            }
        }
        for text in ["", "abc", "a longer one"] {
            let format = format!("[%{flags}s]").replace(['+', '#', '0', ' '], "");
            let _ = writeln!(c, "printf(\"{format}\\n\", \"{text}\");");
            ours.push(buffer_text(&formatted("snprintf", &format, &[], &[text])));
        }
    }
    for text in [
        "0",
        "42",
        "-42",
        "+7",
        "  12x",
        "0x1f",
        "0x",
        "0xg",
        "077",
        "08",
        "z",
        "",
        "-",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551616",
        "-1",
        "zz",
    ] {
        for base in [0u128, 8, 10, 16, 36] {
            for name in ["strtol", "strtoul"] {
                let _ = writeln!(
                    c,
                    "{{ char *s = \"{text}\", *e; errno = 0; long v = (long){name}(s, &e, {base}); printf(\"%ld %ld %d\\n\", v, (long)(e - s), errno); }}"
                );
                ours.push(parsed(name, text, base));
            }
        }
    }
    for text in DECIMALS {
        for (name, ty, word) in [("strtod", "double", "long"), ("strtof", "float", "int")] {
            let _ = writeln!(
                c,
                "{{ char *s = \"{text}\", *e; errno = 0; {ty} v = {name}(s, &e); {word} b; __builtin_memcpy(&b, &v, sizeof b); printf(\"%ld %ld %d\\n\", (long)b, (long)(e - s), errno); }}"
            );
            ours.push(decimal(name, text));
        }
    }
    c.push_str("return 0; }\n");

    let dir = tempfile::tempdir().expect("a temporary directory");
    let (source, binary) = (dir.path().join("libc.c"), dir.path().join("libc"));
    std::fs::write(&source, c).expect("the source is written");
    let made = Command::new(&clang).args(["-O0", "-w", "-o"]).arg(&binary).arg(&source).output();
    let made = made.expect("clang runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let output = Command::new(&binary).output().expect("the compiled program runs");
    let theirs = String::from_utf8(output.stdout).expect("it prints text");
    let theirs: Vec<&str> = theirs.lines().collect();
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(theirs) {
        assert_eq!(ours, theirs);
    }
}

fn hex(value: u64) -> String {
    format!("0x{value:x}")
}

/// The standard library of Rust formats no more than 65,535 digits.
#[test]
fn doubles_are_printed_with_any_number_of_digits() {
    let double = Type::Float(FloatKind::Double);
    for (format, start) in [("%.65535e", "5.000"), ("%.70000f", "0.500"), ("%#.65536g", "0.500")] {
        let outcome = formatted("snprintf", format, &[(double, 0.5f64.to_bits().into())], &[]);
        let text = buffer_text(&outcome);
        assert!(text.starts_with(start) && text.len() == 63, "{format}: {text}");
    }
}

fn buffer_text(outcome: &Outcome) -> String {
    let ObjectEnd::Written(contents) = &outcome.objects[0] else { panic!("{:?}", outcome.end) };
    let end = contents.bytes.iter().position(|b| *b == 0).expect("it has an end");
    String::from_utf8_lossy(&contents.bytes[..end]).into_owned()
}

/// Numbers, and what is none or only begins with one.
const DECIMALS: [&str; 36] = [
    "0",
    "-0",
    "1",
    "+1.5",
    "  -2.25e3x",
    "1e",
    "1e+",
    "1e-2",
    "1E5",
    ".5",
    "5.",
    ".",
    "-.",
    ".e5",
    "",
    "x",
    "+",
    "1..5",
    "1.5.5",
    "0.1",
    "3.4028235e38",
    "3.4028236e38",
    "1.7976931348623157e308",
    "1.7976931348623159e308",
    "1e309",
    "-1e999999999999",
    "1e-999999999999",
    "0e999999999999",
    "123456789012345678901234567890",
    "0.30000000000000004440892098500626",
    "9007199254740993",
    "16777217",
    "inf",
    "-INFINITY!",
    "infin",
    "in",
];

/// `v = name(s, &e)`, then the bits, distance, and `errno`.
fn decimal(name: &str, text: &str) -> String {
    let (kind, word) = match name {
        "strtof" => (FloatKind::Single, I32),
        _ => (FloatKind::Double, I64),
    };
    let float = Type::Float(kind);
    let mut program = Program::default();
    let parse = add_external(&mut program, name, &[PTR, PTR], &[float]);
    let errno = add_external(&mut program, "__errno_location", &[], &[PTR]);
    let mut b = ProcBuilder::new("f", &[word, I64, I32]);
    let s = b.param("s", PTR);
    let end = Expr::Address(Address::Local(b.local("e", 8, 8)));
    let place = Expr::Address(Address::Local(b.local("v", 8, 8)));
    let (r, bits) = (b.var("r", float), b.var("bits", word));
    let (e, p, code) = (b.var("e", I64), b.var("p", PTR), b.var("c", I32));
    b.call(&[r], Callee::External(parse), vec![v(s), end.clone()]).load(e, end);
    b.store(place.clone(), v(r)).load(bits, place);
    b.call(&[p], Callee::External(errno), vec![]).load(code, v(p));
    let distance = op2(BinaryOp::Sub, v(e), Expr::unary(UnaryOp::PtrToInt, I64, v(s)));
    b.ret(vec![v(bits), distance, v(code)]);
    add_procedure(&mut program, b);
    let bytes: Vec<u8> = text.bytes().chain([0]).collect();
    let entry = EntryState {
        args: vec![Pointer::object(0).into()],
        objects: vec![Object::new(1, bytes)],
        ..EntryState::default()
    };
    let outcome = run(&program, &entry);
    let End::Returned(results) = &outcome.end else { panic!("{text}: {:?}", outcome.end) };
    let number = |index: usize| match results[index].value {
        Some(Value::Bits(bits)) => bits as u64,
        other => panic!("{other:?}"),
    };
    let bits = match kind {
        FloatKind::Single => i64::from(number(0) as u32 as i32),
        _ => number(0) as i64,
    };
    format!("{bits} {} {}", number(1) as i64, number(2) as i32)
}

#[test]
fn numbers_that_are_not_emulated_stop_the_run() {
    for text in ["nan", "-NaN(1)", "0x1p3", "1e-310"] {
        let stopped = std::panic::catch_unwind(|| decimal("strtod", text));
        assert!(stopped.is_err(), "{text}");
    }
}

/// `v = name(s, &e, base)`, then value, distance, and `errno`.
fn parsed(name: &str, text: &str, base: u128) -> String {
    let mut program = Program::default();
    let parse = add_external(&mut program, name, &[PTR, PTR, I32], &[I64]);
    let errno = add_external(&mut program, "__errno_location", &[], &[PTR]);
    let mut b = ProcBuilder::new("f", &[I64, I64, I32]);
    let (s, base_param) = (b.param("s", PTR), b.param("base", I32));
    let end = Expr::Address(Address::Local(b.local("e", 8, 8)));
    let (r, e, p, code) = (b.var("r", I64), b.var("e", I64), b.var("p", PTR), b.var("c", I32));
    b.call(&[r], Callee::External(parse), vec![v(s), end.clone(), v(base_param)]).load(e, end);
    b.call(&[p], Callee::External(errno), vec![]).load(code, v(p));
    let distance = op2(BinaryOp::Sub, v(e), Expr::unary(UnaryOp::PtrToInt, I64, v(s)));
    b.ret(vec![v(r), distance, v(code)]);
    add_procedure(&mut program, b);
    let bytes: Vec<u8> = text.bytes().chain([0]).collect();
    let entry = EntryState {
        args: vec![Pointer::object(0).into(), Value::Bits(base)],
        objects: vec![Object::new(1, bytes)],
        ..EntryState::default()
    };
    let outcome = run(&program, &entry);
    let End::Returned(results) = &outcome.end else { panic!("{:?}", outcome.end) };
    let words: Vec<String> = results
        .iter()
        .map(|r| match r.value {
            Some(Value::Bits(bits)) => (bits as u64 as i64).to_string(),
            other => panic!("{other:?}"),
        })
        .collect();
    words.join(" ")
}
