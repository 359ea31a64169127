//! C expressions mean what their terms mean: random conditions are printed, compiled by the C compiler that links this very
//! test, and evaluated at random points.

use crate::support;

use std::fmt::Write;
use std::process::Command;
use support::Random;
use verdiff_logic::{
    Assignment, Bits, FloatFormat, FloatValue, LogicError, Named, Names, Nature, Rounding, Sort,
    TermId, TermPool, Value, c_expression,
};

const CONDITIONS: usize = 1500;
const POINTS: usize = 40;

/// The variables: their C type, width and sign.
const VARIABLES: [(&str, &str, u32, bool); 8] = [
    ("x", "int", 32, true),
    ("u", "unsigned", 32, false),
    ("c", "signed char", 8, true),
    ("b", "unsigned char", 8, false),
    ("s", "short", 16, true),
    ("h", "unsigned short", 16, false),
    ("l", "long", 64, true),
    ("m", "unsigned long", 64, false),
];

/// Floating-point variables: their C type, the integer type of their size, and their width.
const FLOATS: [(&str, &str, &str, u32); 4] = [
    ("f", "float", "unsigned", 32),
    ("g", "float", "unsigned", 32),
    ("d", "double", "unsigned long", 64),
    ("e", "double", "unsigned long", 64),
];

fn format_of(width: u32) -> FloatFormat {
    if width == 32 { FloatFormat::SINGLE } else { FloatFormat::DOUBLE }
}

/// Bits of a float that something may be wrong about, or of a number that people calculate with.
fn float_bits(random: &mut Random, width: u32) -> Bits {
    let format = format_of(width);
    match random.below(8) {
        0 => FloatValue::zero(format, random.below(2) == 0).bits().clone(),
        1 => FloatValue::nan(format).bits().clone(),
        2 => FloatValue::infinity(format, random.below(2) == 0).bits().clone(),
        // Next to zero: numbers with leading zeros in their significand.
        3 => Bits::new(width, random.below(5).into()),
        4 => Bits::new(64, random.next().into()).extract(width - 1, 0),
        _ => {
            let fourths = FloatValue::from_f64((random.below(40) as f64 - 20.0) / 4.0);
            fourths.convert(format, Rounding::NearestEven).bits().clone()
        }
    }
}

/// Grows a floating-point number.
fn grow_float(
    pool: &mut TermPool,
    random: &mut Random,
    width: u32,
    depth: u32,
) -> Result<TermId, LogicError> {
    let (format, nearest) = (format_of(width), Rounding::NearestEven);
    if depth == 0 || random.below(6) == 0 {
        if random.below(4) == 0 {
            let value = FloatValue::from_bits(format, float_bits(random, width));
            let value = value.expect("the bits are as many");
            return Ok(pool.constant_float(&value));
        }
        let names: Vec<&str> = FLOATS.iter().filter(|v| v.3 == width).map(|v| v.0).collect();
        let bits = pool.symbol(random.pick(&names), Sort::BitVec(width))?;
        return pool.fp_from_bits(format, bits);
    }
    let a = grow_float(pool, random, width, depth - 1)?;
    match random.below(12) {
        0 => pool.fp_neg(a),
        1 => pool.fp_abs(a),
        2 => {
            let other = grow_float(pool, random, 96 - width, depth - 1)?;
            pool.fp_convert(nearest, format, other)
        }
        3 | 4 => {
            let from = random.pick(&[8, 16, 32, 64]);
            let whole = grow(pool, random, from, depth - 1)?;
            match random.below(2) {
                0 => pool.fp_from_signed(nearest, format, whole),
                _ => pool.fp_from_unsigned(nearest, format, whole),
            }
        }
        5 => pool.fp_round(random.pick(&[Rounding::Down, Rounding::Up, Rounding::Zero]), a),
        further => {
            let b = grow_float(pool, random, width, depth - 1)?;
            match further {
                6 | 7 => pool.fp_add(nearest, a, b),
                8 => {
                    let b = pool.fp_neg(b)?;
                    pool.fp_add(nearest, a, b)
                }
                9 => pool.fp_mul(nearest, a, b),
                10 => pool.fp_div(nearest, a, b),
                _ => {
                    let c = condition(pool, random, depth - 1)?;
                    pool.ite(c, a, b)
                }
            }
        }
    }
}

/// Grows a condition about floating-point numbers.
fn float_condition(
    pool: &mut TermPool,
    random: &mut Random,
    depth: u32,
) -> Result<TermId, LogicError> {
    let width = random.pick(&[32, 64]);
    let a = grow_float(pool, random, width, depth)?;
    let b = grow_float(pool, random, width, depth)?;
    match random.below(8) {
        0 => pool.fp_lt(a, b),
        1 => pool.fp_le(a, b),
        2 => pool.fp_eq(a, b),
        3 => pool.fp_is_nan(a),
        4 => pool.fp_is_zero(a),
        5 => pool.fp_is_infinite(a),
        6 => pool.eq(a, b),
        _ => pool.ne(a, b),
    }
}

/// Grows a term of some width.
fn grow(
    pool: &mut TermPool,
    random: &mut Random,
    width: u32,
    depth: u32,
) -> Result<TermId, LogicError> {
    let leaves: Vec<_> = VARIABLES.iter().filter(|v| v.2 == width).collect();
    if depth == 0 || random.below(6) == 0 {
        if !leaves.is_empty() && random.below(4) > 0 {
            let (name, ..) = leaves[random.below(leaves.len() as u64) as usize];
            return pool.symbol(name, Sort::BitVec(width));
        }
        if leaves.is_empty() && width > 1 && random.below(4) > 0 {
            let whole = [32, 64].into_iter().find(|w| *w > width).unwrap_or(64);
            let whole = grow(pool, random, whole, 0)?;
            let low = random.below(u64::from(pool_width(pool, whole) - width + 1)) as u32;
            return pool
                .extract(low + width - 1, if random.below(2) == 0 { low } else { 0 }, whole)
                .and_then(|t| pool.extract(width - 1, 0, t));
        }
        let value = boundary(random, width);
        return Ok(pool.constant_bits(&value));
    }
    let mut next = |pool: &mut TermPool, width| grow(pool, random, width, depth - 1);
    let (a, b) = (next(pool, width)?, next(pool, width)?);
    let odd = [1, 3, 4, 5, 7, 12, 20, 31, 33, 40, 48];
    let any = [8, 16, 32, 64];
    match random.below(15) {
        0 | 1 => pool.bv_add(a, b),
        2 => pool.bv_sub(a, b),
        3 => pool.bv_mul(a, b),
        4 => pool.bv_and(a, b),
        5 => pool.bv_or(a, b),
        6 => pool.bv_xor(a, b),
        7 => pool.bv_not(a),
        8 => {
            let by =
                pool.bits(width, u128::from(1 + random.below(9)).min((1 << width.min(5)) - 1))?;
            if random.below(2) == 0 { pool.bv_udiv(a, by) } else { pool.bv_srem(a, by) }
        }
        9 => {
            let by = pool.bits(width, u128::from(random.below(width.into())))?;
            match random.below(3) {
                0 => pool.bv_shl(a, by),
                1 => pool.bv_lshr(a, by),
                _ => pool.bv_ashr(a, by),
            }
        }
        10 => {
            let c = condition(pool, random, depth - 1)?;
            pool.ite(c, a, b)
        }
        11 | 12 => {
            let narrow: Vec<u32> = odd.into_iter().chain(any).filter(|w| *w < width).collect();
            if narrow.is_empty() {
                return Ok(a);
            }
            let narrow = random.pick(&narrow);
            let term = grow(pool, random, narrow, depth - 1)?;
            match random.below(2) {
                0 => pool.zero_extend(width - narrow, term),
                _ => pool.sign_extend(width - narrow, term),
            }
        }
        13 => {
            let wide: Vec<u32> = odd.into_iter().chain(any).filter(|w| *w > width).collect();
            if wide.is_empty() {
                return Ok(a);
            }
            let wide = random.pick(&wide);
            let term = grow(pool, random, wide, depth - 1)?;
            let low = random.below(u64::from(wide - width + 1)) as u32;
            pool.extract(low + width - 1, low, term)
        }
        _ if width > 1 => {
            let high = 1 + random.below(u64::from(width - 1)) as u32;
            let (a, b) = (
                grow(pool, random, high, depth - 1)?,
                grow(pool, random, width - high, depth - 1)?,
            );
            pool.concat(a, b)
        }
        _ => Ok(a),
    }
}

fn pool_width(pool: &TermPool, term: TermId) -> u32 {
    pool.sort(term).width().unwrap_or(1)
}

/// Grows a condition.
fn condition(pool: &mut TermPool, random: &mut Random, depth: u32) -> Result<TermId, LogicError> {
    if depth > 1 && random.below(4) == 0 {
        let (a, b) = (condition(pool, random, depth - 1)?, condition(pool, random, depth - 1)?);
        return match random.below(4) {
            0 => pool.and(&[a, b]),
            1 => pool.or(&[a, b]),
            2 => pool.not(a),
            _ => pool.ne(a, b),
        };
    }
    let depth = depth.saturating_sub(1);
    if random.below(5) == 0 {
        return float_condition(pool, random, depth.min(2));
    }
    let width = random.pick(&[8, 16, 32, 32, 64, 5, 40]);
    let (a, b) = (grow(pool, random, width, depth)?, grow(pool, random, width, depth)?);
    match random.below(4) {
        0 => pool.eq(a, b),
        1 => pool.bv_ult(a, b),
        2 => pool.bv_slt(a, b),
        _ => pool.bv_sle(a, b),
    }
}

fn boundary(random: &mut Random, width: u32) -> Bits {
    match random.below(5) {
        0 => Bits::new(width, random.below(17).into()),
        1 => Bits::ones(width),
        2 => Bits::signed_min(width),
        3 => Bits::signed_max(width),
        _ => Bits::new(64, random.next().into()).extract(width - 1, 0),
    }
}

#[test]
fn compiled_conditions_hold_where_their_terms_hold() {
    // Others with `VERDIFF_SEED`.
    let seed = std::env::var("VERDIFF_SEED").ok().and_then(|seed| seed.parse().ok());
    let (mut pool, mut random) = (TermPool::new(), Random(seed.unwrap_or(0x5EED)));
    let mut names = Names::default();
    for (rank, (name, _, width, signed)) in VARIABLES.into_iter().enumerate() {
        let term = pool.symbol(name, Sort::BitVec(width)).expect("new");
        let named = Named { code: name.to_owned(), signed, nature: Nature::Number, rank };
        names.insert(term, named);
    }
    for (rank, (name, _, _, width)) in FLOATS.into_iter().enumerate() {
        let term = pool.symbol(name, Sort::BitVec(width)).expect("new");
        let (code, rank) = (name.to_owned(), VARIABLES.len() + rank);
        names.insert(term, Named { code, signed: true, nature: Nature::Float, rank });
    }
    let points: Vec<Vec<Bits>> = (0..POINTS)
        .map(|_| {
            let integers: Vec<Bits> =
                VARIABLES.iter().map(|v| boundary(&mut random, v.2)).collect();
            let floats = FLOATS.iter().map(|v| float_bits(&mut random, v.3));
            integers.into_iter().chain(floats).collect()
        })
        .collect();
    let mut source = String::from("#include <stdio.h>\n");
    let integers = VARIABLES.iter().map(|v| (v.1, v.0));
    let parameters: Vec<String> = integers
        .chain(FLOATS.iter().map(|v| (v.1, v.0)))
        .map(|(ctype, name)| format!("{ctype} {name}"))
        .collect();
    let mut printed: Vec<(TermId, String)> = vec![];
    for number in 0..CONDITIONS {
        let mut term = condition(&mut pool, &mut random, 4).expect("is well sorted");
        if number % 2 == 0 {
            term = pool.simplify(term);
        }
        let Some(text) = c_expression(&pool, term, &names) else { continue };
        let (number, parameters) = (printed.len(), parameters.join(", "));
        writeln!(source, "static int f{number}({parameters}) {{ return {text}; }}").expect("fits");
        printed.push((term, text));
    }
    assert!(printed.len() * 2 > CONDITIONS, "{} of {CONDITIONS} have a text", printed.len());
    let types: Vec<&str> =
        VARIABLES.iter().map(|v| v.1).chain(FLOATS.iter().map(|v| v.1)).collect();
    writeln!(source, "static int (*const all[])({}) = {{", types.join(", ")).expect("fits");
    (0..printed.len()).for_each(|number| writeln!(source, "f{number},").expect("fits"));
    writeln!(source, "}};\nstatic const unsigned long points[][{}] = {{", types.len())
        .expect("fits");
    for point in &points {
        let values: Vec<String> = point.iter().map(|v| format!("{}ul", v.to_biguint())).collect();
        writeln!(source, "{{{}}},", values.join(", ")).expect("fits");
    }
    let given = (0..VARIABLES.len()).map(|at| format!("p[{at}]"));
    let floats = FLOATS.iter().enumerate().map(|(at, (_, ctype, word, _))| {
        let at = VARIABLES.len() + at;
        format!("((union {{ {word} bits; {ctype} number; }}){{p[{at}]}}).number")
    });
    let given = given.chain(floats).collect::<Vec<_>>().join(", ");
    writeln!(
        source,
        "}};\nint main(void) {{ for (int i = 0; i < {POINTS}; i++) for (int j = 0; j < {}; j++) {{\n\
         const unsigned long *p = points[i]; putchar('0' + !!all[j]({given})); }} return 0; }}",
        printed.len()
    )
    .expect("fits");
    let folder = tempfile::tempdir().expect("a folder");
    let (file, program) = (folder.path().join("all.c"), folder.path().join("all"));
    std::fs::write(&file, source).expect("is written");
    let flags = ["-w", "-O0", "-fwrapv", "-o"];
    let compiled = Command::new("cc").args(flags).arg(&program).arg(&file).arg("-lm").output();
    let compiled = compiled.expect("there is a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&program).output().expect("runs").stdout;
    assert_eq!(output.len(), points.len() * printed.len());
    let mut answers = output.chunks(printed.len());
    for point in &points {
        let mut assignment = Assignment::new();
        let all = VARIABLES.iter().map(|v| v.0).chain(FLOATS.iter().map(|v| v.0));
        for (bits, name) in point.iter().zip(all) {
            let symbol = pool.symbol(name, Sort::BitVec(bits.width())).expect("known");
            assignment.set_term(&pool, symbol, Value::Bits(bits.clone())).expect("fits");
        }
        for ((term, text), answer) in printed.iter().zip(answers.next().expect("one each")) {
            let expected = pool.eval(*term, &assignment).expect("evaluates");
            let term = pool.display(*term);
            assert_eq!(Value::Bool(*answer == b'1'), expected, "{text}\n{term}\n{point:?}");
        }
    }
}
