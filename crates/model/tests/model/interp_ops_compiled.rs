//! The operators against compiled C: every conversion and float operator, on special,
//! boundary and random values, in one program made by clang at `-O0`.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};
use verdiff_model::ops;
use verdiff_model::{BinaryOp, FloatKind, Type, UnaryOp};

/// An operator in both languages.
struct Case {
    c: String,
    args: Vec<CType>,
    result: CType,
    ours: Box<Ours>,
}

/// What `ops` says, from the arguments' bits.
type Ours = dyn Fn(&[u128]) -> u128;

/// A C type, its machine type, and its name.
#[derive(Clone, Copy)]
struct CType {
    name: &'static str,
    ty: Type,
}

const fn float(name: &'static str, kind: FloatKind) -> CType {
    CType { name, ty: Type::Float(kind) }
}

const fn int(name: &'static str, width: u16) -> CType {
    CType { name, ty: Type::Int(width) }
}

const FLOATS: [(CType, &str); 6] = [
    (float("_Float16", FloatKind::Half), ""),
    (float("__bf16", FloatKind::BFloat), ""),
    (float("float", FloatKind::Single), "f"),
    (float("double", FloatKind::Double), " "),
    (float("long double", FloatKind::X87), "l"),
    (float("__float128", FloatKind::Quad), "f128"),
];

const SIGNED: [CType; 9] = [
    int("_BitInt(7)", 7),
    int("signed char", 8),
    int("short", 16),
    int("_BitInt(24)", 24),
    int("int", 32),
    int("_BitInt(40)", 40),
    int("long", 64),
    int("_BitInt(100)", 100),
    int("__int128", 128),
];

const UNSIGNED: [CType; 10] = [
    int("unsigned _BitInt(7)", 7),
    int("unsigned char", 8),
    int("unsigned _BitInt(12)", 12),
    int("unsigned short", 16),
    int("unsigned _BitInt(24)", 24),
    int("unsigned", 32),
    int("unsigned _BitInt(40)", 40),
    int("unsigned long", 64),
    int("unsigned _BitInt(100)", 100),
    int("unsigned __int128", 128),
];

const BOOL: CType = int("_Bool", 1);

fn cases() -> Vec<Case> {
    let mut cases = vec![];
    for (from, _) in FLOATS {
        for (to, sign) in SIGNED.map(|t| (t, true)).into_iter().chain(UNSIGNED.map(|t| (t, false)))
        {
            let (there, back) = if sign {
                (UnaryOp::FToSigned, UnaryOp::SignedToF)
            } else {
                (UnaryOp::FToUnsigned, UnaryOp::UnsignedToF)
            };
            cases.push(cast(there, from, to));
            // Not every libgcc can make a bfloat.
            if from.ty != Type::Float(FloatKind::BFloat) {
                cases.push(cast(back, to, from));
            }
        }
        for (to, _) in FLOATS {
            if from.ty != to.ty && to.ty != Type::Float(FloatKind::BFloat) {
                cases.push(cast(UnaryOp::FConvert, from, to));
            }
        }
        arithmetic(&mut cases, from);
    }
    for (ty, suffix) in FLOATS.into_iter().filter(|(_, suffix)| !suffix.is_empty()) {
        library(&mut cases, ty, suffix.trim());
    }
    cases
}

fn cast(op: UnaryOp, from: CType, to: CType) -> Case {
    // clang 19 crashes on some casts of a bfloat; it is a float cut short, so go through that.
    let through = if from.ty == Type::Float(FloatKind::BFloat) { "(float)" } else { "" };
    Case {
        c: format!("({}){through}a", to.name),
        args: vec![from],
        result: to,
        ours: Box::new(move |a| ops::unary_bits(op, to.ty, from.ty, a[0])),
    }
}

fn binary(c: String, op: BinaryOp, ty: CType, result: CType) -> Case {
    let ours = Box::new(move |a: &[u128]| ops::binary_bits(op, ty.ty, a[0], a[1]));
    Case { c, args: vec![ty; 2], result, ours }
}

fn arithmetic(cases: &mut Vec<Case>, ty: CType) {
    use BinaryOp::*;
    if ty.ty == Type::Float(FloatKind::BFloat) {
        return;
    }
    for (sign, op) in [("+", FAdd), ("-", FSub), ("*", FMul), ("/", FDiv)] {
        cases.push(binary(format!("a {sign} b"), op, ty, ty));
    }
    for (sign, op) in
        [("==", FOeq), ("!=", FUne), ("<", FOlt), ("<=", FOle), (">", FOgt), (">=", FOge)]
    {
        cases.push(binary(format!("a {sign} b"), op, ty, BOOL));
    }
    let negated = move |a: &[u128]| ops::unary_bits(UnaryOp::FNeg, ty.ty, ty.ty, a[0]);
    cases.push(Case { c: "-a".into(), args: vec![ty], result: ty, ours: Box::new(negated) });
}

fn library(cases: &mut Vec<Case>, ty: CType, suffix: &str) {
    use BinaryOp::*;
    use UnaryOp::*;
    for (name, op) in [
        ("fabs", FAbs),
        ("sqrt", FSqrt),
        ("floor", FFloor),
        ("ceil", FCeil),
        ("trunc", FTrunc),
        ("round", FRound),
        ("rint", FRoundEven),
        ("nearbyint", FRoundEven),
    ] {
        let ours = move |a: &[u128]| ops::unary_bits(op, ty.ty, ty.ty, a[0]);
        let c = format!("{name}{suffix}(a)");
        cases.push(Case { c, args: vec![ty], result: ty, ours: Box::new(ours) });
    }
    for (name, op) in [("fmin", FMin), ("fmax", FMax), ("fmod", FRem), ("copysign", FCopySign)] {
        cases.push(binary(format!("{name}{suffix}(a, b)"), op, ty, ty));
    }
    let fused = move |a: &[u128]| ops::fused_mul_add_bits(ty.ty, a[0], a[1], a[2]);
    let c = format!("fma{suffix}(a, b, c)");
    cases.push(Case { c, args: vec![ty; 3], result: ty, ours: Box::new(fused) });
}

/// A program that reads lines of a case's number and arguments, and prints the results.
fn c_program(cases: &[Case]) -> String {
    let mut c = String::from(
        "#define _GNU_SOURCE\n#define __STDC_WANT_IEC_60559_TYPES_EXT__ 1\n\
         #include <math.h>\n#include <stdio.h>\n#include <string.h>\n\
         typedef __float128 Q;\n\
         Q fabsf128(Q), sqrtf128(Q), floorf128(Q), ceilf128(Q), truncf128(Q), roundf128(Q), rintf128(Q);\n\
         Q nearbyintf128(Q), fminf128(Q, Q), fmaxf128(Q, Q), fmodf128(Q, Q), copysignf128(Q, Q);\n\
         Q fmaf128(Q, Q, Q);\n\
         typedef unsigned __int128 U;\n\
         static U in(void) { unsigned long h, l; if (scanf(\"%lx %lx\", &h, &l) != 2) h = l = 0;\n\
         return (U)h << 64 | l; }\n\
         int main(void) { int n; while (scanf(\"%d\", &n) == 1) { U x = in(), y = in(), z = in(), r = 0;\n\
         switch (n) {\n",
    );
    for (number, case) in cases.iter().enumerate() {
        let _ = write!(c, "case {number}: {{ ");
        for ((arg, name), from) in case.args.iter().zip(["a", "b", "c"]).zip(["x", "y", "z"]) {
            let _ = write!(c, "{} {name}; memcpy(&{name}, &{from}, sizeof {name}); ", arg.name);
        }
        let size = case.result.ty.bytes();
        let _ =
            writeln!(c, "{} s = {}; memcpy(&r, &s, {size}); break; }}", case.result.name, case.c);
    }
    c.push_str("}\nprintf(\"%016lx%016lx\\n\", (unsigned long)(r >> 64), (unsigned long)r); }\nreturn 0; }\n");
    c
}

/// A generator of numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 ^ self.0 >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd) ^ self.0 >> 29
    }

    fn bits(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// Values worth trying: powers of two and what is next to them, specials, random ones.
fn values(ty: Type, random: &mut Random) -> Vec<u128> {
    let mut values = vec![0, ty.mask(), 1 << (ty.width() - 1)];
    match ty {
        Type::Float(kind) => {
            let from_double = |x: f64| {
                let double = Type::Float(FloatKind::Double);
                ops::unary_bits(UnaryOp::FConvert, ty, double, u128::from(x.to_bits()))
            };
            let mut doubles = vec![
                f64::INFINITY,
                f64::NAN,
                f64::MIN_POSITIVE,
                5e-324,
                f64::MAX,
                0.5,
                1.5,
                2.5,
                0.49999999999999994,
                3.999,
                1e300,
            ];
            for exponent in [
                0, 1, 2, 6, 7, 8, 11, 12, 15, 16, 23, 24, 31, 32, 39, 40, 52, 53, 62, 63, 64, 65,
                99, 100, 126, 127, 128, 129,
            ] {
                doubles.push(2f64.powi(exponent));
                doubles.push(2f64.powi(exponent) - 0.5);
                doubles.push(2f64.powi(-exponent));
            }
            for _ in 0..30 {
                doubles.push(random.next() as i64 as f64 / 2f64.powi((random.next() % 80) as i32));
            }
            for x in doubles {
                let bits = from_double(x);
                for bits in [bits, bits.wrapping_add(1), bits.wrapping_sub(1)] {
                    values.extend([bits & ty.mask(), (bits & ty.mask()) ^ 1 << (ty.width() - 1)]);
                }
            }
            values.extend((0..40).map(|_| random.bits() & ty.mask()));
            values.retain(|bits| valid(kind, *bits));
        }
        _ => {
            for shift in 0..ty.width() {
                let power = 1u128 << shift;
                values.extend([power, power - 1, power + 1, power.wrapping_neg()]);
                values.push(random.bits() >> shift);
            }
            values.iter_mut().for_each(|bits| *bits &= ty.mask());
        }
    }
    values
}

/// Whether it is a NaN whose quiet bit is not set. All NaNs are one here, but `fmin` of glibc
/// gives a NaN for such a one and the other operand for a quiet one.
fn signalling(kind: FloatKind, bits: u128) -> bool {
    let quiet = ops::canonical_nan(kind)
        & !ops::unary_bits(
            UnaryOp::FConvert,
            Type::Float(kind),
            Type::Float(FloatKind::Double),
            u128::from(f64::INFINITY.to_bits()),
        );
    ops::is_nan(kind, bits) && bits & quiet == 0
}

/// Whether the x87 encoding is one that its operations make: the integer bit is set
/// exactly if the exponent is not zero. What libraries do with others is anybody's guess.
fn valid(kind: FloatKind, bits: u128) -> bool {
    kind != FloatKind::X87 || ((bits >> 64 & 0x7fff != 0) == (bits >> 63 & 1 != 0))
}

#[test]
fn operators_do_what_compiled_code_does() {
    let clang = std::env::var("VERDIFF_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
    if Command::new(&clang).arg("--version").output().is_err() {
        eprintln!("SKIPPED: {clang} is not there, nothing was compared with compiled code");
        return;
    }
    let cases = cases();
    let dir = tempfile::tempdir().expect("a temporary directory");
    let (source, binary) = (dir.path().join("ops.c"), dir.path().join("ops"));
    std::fs::write(&source, c_program(&cases)).expect("the source is written");
    let made = Command::new(&clang)
        .args(["-O0", "-w", "-fwrapv", "-ffp-contract=off", "-o"])
        .arg(&binary)
        .arg(&source)
        .arg("-lm")
        .output()
        .expect("clang runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));

    let mut random = Random(42);
    let mut inputs: Vec<(usize, [u128; 3])> = vec![];
    for (number, case) in cases.iter().enumerate() {
        let lists: Vec<Vec<u128>> =
            case.args.iter().map(|arg| values(arg.ty, &mut random)).collect();
        match &lists[..] {
            [list] => inputs.extend(list.iter().map(|a| (number, [*a, 0, 0]))),
            _ => inputs.extend((0..1500).map(|_| {
                let mut args = [0; 3];
                for (arg, list) in args.iter_mut().zip(&lists) {
                    *arg = list[random.next() as usize % list.len()];
                }
                if let Type::Float(kind) = case.result.ty
                    && case.c.starts_with("fm")
                {
                    args.iter_mut().filter(|a| signalling(kind, **a)).for_each(|a| *a = 0);
                }
                (number, args)
            })),
        }
    }
    let mut text = String::new();
    for (number, args) in &inputs {
        let words = args.map(|a| format!("{:x} {:x}", a >> 64, a as u64));
        let _ = writeln!(text, "{number} {}", words.join(" "));
    }
    let mut child = Command::new(&binary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the compiled program runs");
    let mut stdin = child.stdin.take().expect("it has an input");
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer ends").expect("it reads its input");
    let output = String::from_utf8(output.stdout).expect("it prints text");

    let mut wrong = vec![];
    let mut compared = 0;
    for ((number, args), line) in inputs.iter().zip(output.lines()) {
        let case = &cases[*number];
        let theirs = u128::from_str_radix(line, 16).expect("a number") & case.result.ty.mask();
        let ours = (case.ours)(args);
        compared += 1;
        if !ops::same_value(case.result.ty, ours, theirs) {
            let types: Vec<&str> = case.args.iter().map(|arg| arg.name).collect();
            wrong.push(format!(
                "{} {types:?} -> {} of {args:x?}: ours {ours:x}, compiled {theirs:x}",
                case.c, case.result.name
            ));
        }
    }
    assert_eq!(compared, inputs.len(), "every input has a result");
    let count = wrong.len();
    wrong.dedup_by_key(|line| line.split(" of ").next().map(str::to_owned));
    assert!(wrong.is_empty(), "{count} of {compared} differ, among them:\n{}", wrong.join("\n"));
}
