//! No operand of `&&` or `||` in a printed condition can be dropped.
//!
//! For each operand there is a function that returns the condition as it is printed, and one that returns the condition
//! without the operand. If verdiff proves the two equivalent, the operand is redundant.

use crate::case::Case;
use crate::inside;
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many operands were checked.
pub static CHECKED: AtomicUsize = AtomicUsize::new(0);

/// Seconds for each operand.
const SECONDS: f64 = 2.0;

/// The operands that can be dropped from a condition on a function of the old version. None if the condition has no `&&` and
/// no `||`, or if the parameters of the function are not found.
pub fn redundant(case: &Case, function: &str, condition: &str) -> Option<String> {
    let variants = variants(condition);
    let source = std::fs::read_to_string(case.folder.join("old.c")).unwrap();
    let parameters = parameters(&source, function).filter(|_| !variants.is_empty())?;
    let folder = tempfile::tempdir().unwrap();
    let included = case.folder.join("old.c").canonicalize().unwrap();
    let include = format!("#include \"{}\"\n", included.display());
    let mut versions = [include.clone(), include];
    for (number, (_, variant)) in variants.iter().enumerate() {
        for (version, text) in versions.iter_mut().zip([condition, variant]) {
            let _ =
                writeln!(version, "int {}({parameters}) {{ return !!({text}); }}", name(number));
        }
    }
    let paths = ["old.c", "new.c"].map(|file| folder.path().join(file));
    for (path, text) in paths.iter().zip(&versions) {
        std::fs::write(path, text).unwrap();
    }
    let names: Vec<String> = (0..variants.len()).map(name).collect();
    let report = inside::files(case, &paths, &names, SECONDS)?;
    // The parameters were looked for in the text, and what was found may be something else.
    let report = report.ok()?;
    CHECKED.fetch_add(variants.len(), Ordering::Relaxed);
    let is_equal = |number: usize| {
        let pairs = report["pairs"].as_array().unwrap();
        let pair = pairs.iter().find(|pair| pair["function"] == name(number).as_str()).unwrap();
        pair["verdict"] == "equivalent"
    };
    let numbered = variants.iter().enumerate();
    let dropped: Vec<&str> =
        numbered.filter(|(n, _)| is_equal(*n)).map(|(_, (operand, _))| operand.as_str()).collect();
    (!dropped.is_empty())
        .then(|| format!("{condition}: each of these can be dropped: {}", dropped.join(", ")))
}

fn name(number: usize) -> String {
    format!("verdiff_condition_{number}")
}

/// The text between the parentheses behind a function's name in its definition.
fn parameters<'s>(source: &'s str, function: &str) -> Option<&'s str> {
    let at =
        [" ", "*", "\n"].iter().filter_map(|c| source.rfind(&format!("{c}{function}("))).max()?;
    let open = at + function.len() + 2;
    Some(&source[open..open + closing(&source[open..])?])
}

/// The position of the parenthesis that closes one opened before the text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            _ => {}
        }
        None
    })
}

/// Each operand of `&&` or `||`, with the condition without it.
fn variants(condition: &str) -> Vec<(String, String)> {
    let condition = unwrapped(condition);
    let Some((operator, operands)) = operands(condition) else { return vec![] };
    let mut found = vec![];
    for (index, operand) in operands.iter().enumerate() {
        let mut rest: Vec<String> = operands.iter().map(|text| format!("({text})")).collect();
        for (inner, variant) in variants(operand) {
            rest[index] = format!("({variant})");
            found.push((inner, rest.join(operator)));
        }
        rest.remove(index);
        found.push(((*operand).to_owned(), rest.join(operator)));
    }
    found
}

/// A text without parentheses around all of it.
fn unwrapped(text: &str) -> &str {
    let text = text.trim();
    match text.strip_prefix('(') {
        Some(rest) if closing(rest) == Some(rest.len() - 1) => unwrapped(&rest[..rest.len() - 1]),
        _ => text,
    }
}

/// The operands of a disjunction or conjunction. Conditionals are left alone.
fn operands(text: &str) -> Option<(&'static str, Vec<&str>)> {
    [" || ", " && "].into_iter().find_map(|operator| {
        let (mut parts, mut depth, mut from) = (vec![], 0, 0);
        for (at, c) in text.char_indices() {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                '?' if depth == 0 => return None,
                _ if depth == 0 && text[at..].starts_with(operator) => {
                    parts.push(text[from..at].trim());
                    from = at + operator.len();
                }
                _ => {}
            }
        }
        parts.push(text[from..].trim());
        (parts.len() > 1).then_some((operator, parts))
    })
}

#[test]
fn operands_are_dropped_one_by_one() {
    let all = |condition: &str| -> Vec<String> {
        variants(condition)
            .into_iter()
            .map(|(dropped, rest)| format!("{dropped}: {rest}"))
            .collect()
    };
    assert_eq!(all("x == '('"), Vec::<String>::new());
    assert_eq!(all("a ? b && c : d"), Vec::<String>::new());
    assert_eq!(all("f(a && b)"), Vec::<String>::new());
    assert_eq!(
        all("a && (b || c)"),
        ["a: ((b || c))", "b: (a) && ((c))", "c: (a) && ((b))", "(b || c): (a)"]
    );
}

#[test]
fn a_redundant_operand_is_found() {
    let case =
        crate::case::cases().into_iter().find(|case| case.name == "difference/bit_low").unwrap();
    let found = redundant(&case, "f", "x > 3 && x > 2 && (x != 7 || x == 8)").unwrap();
    assert!(found.ends_with("can be dropped: x > 2, x == 8"), "{found}");
    assert_eq!(redundant(&case, "f", "x > 3 && x != 7"), None);
}
