//! Whether a printed condition says what the label says: both are compiled behind the text of the old version and
//! evaluated on boundary values, the constants of both texts and their neighbours.

use super::Case;
use crate::compiler::Compiled;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::atomic::AtomicUsize;

/// More combinations than this are not tried; the rest is sampled.
const MOST: usize = 200_000;

/// How many conditions were longer than twice their label, or not said at all, and how many were not.
pub static COUNTED: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];

/// How many words and signs there are.
pub fn length(text: &str) -> usize {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || "_.'".contains(c) => 2,
        ' ' | ')' | ']' => 0,
        _ => 1,
    };
    let kinds: Vec<u8> = text.chars().map(kind).collect();
    let begins = |(i, k): (usize, &u8)| *k != 0 && (i == 0 || kinds[i - 1] != *k);
    kinds.iter().enumerate().filter(|(i, k)| begins((*i, k))).count()
}

/// What is wrong with a condition, if anything; nothing if it cannot be compared (pointers, floats).
pub fn compare(case: &Case, function: &str, label: &str, found: &str) -> Option<String> {
    let source = std::fs::read_to_string(case.folder.join("old.c")).unwrap();
    let parameters = parameters(&source, function)?;
    let values: BTreeSet<i128> = values(case, &[label, found]).into_iter().collect();
    let source = case.folder.join("old.c");
    let mut program = format!(
        "#define main verdiff_main\n#include \"{}\"\n#undef main\n#include <stdio.h>\n",
        source.display()
    );
    program += &values_text(&values);
    program += &comparison("main", &parameters, label, found, values.len());
    let compiled = match Compiled::new(&program, &["-w", "-O1", "-fwrapv"], &[]) {
        Ok(compiled) => compiled,
        Err(said) => return Some(format!("the condition does not compile: {found}: {said}")),
    };
    compiled.failure().map(|(_, said)| disagreement(label, found, &said))
}

/// What is wrong with a condition that is not the label.
pub fn disagreement(label: &str, found: &str, said: &str) -> String {
    format!("the condition is {label}, found {found}: they differ at {said}")
}

/// Boundary values, the constants of these texts and of both versions, and their neighbours.
pub fn values(case: &Case, texts: &[&str]) -> Vec<i128> {
    let mut values: BTreeSet<i128> = [0, 1, -1, 2, -2, 3].into();
    for width in [8, 16, 32, 64] {
        for edge in [1i128 << (width - 1), -(1i128 << (width - 1)), 1i128 << width] {
            values.extend([edge - 1, edge, edge + 1]);
        }
    }
    let versions =
        ["old.c", "new.c"].map(|f| std::fs::read_to_string(case.folder.join(f)).unwrap());
    for text in texts.iter().copied().chain(versions.iter().map(String::as_str)) {
        for number in numbers(text) {
            values.extend([number - 1, number, number + 1, -number]);
        }
    }
    values.into_iter().collect()
}

/// Type and name of each parameter, if all are integers.
pub fn parameters(source: &str, function: &str) -> Option<Vec<(String, String)>> {
    let mut from = 0;
    let list = loop {
        let at = from + source[from..].find(&format!("{function}("))?;
        let open = at + function.len() + 1;
        let close = open + source[open..].find(')')?;
        if source[close + 1..].trim_start().starts_with('{') {
            break &source[open..close];
        }
        from = close;
    };
    let parameter = |text: &str| {
        let text = text.trim();
        let bad = ["*", "[", "struct", "union", "float", "double", "("];
        if bad.iter().any(|b| text.contains(b)) {
            return None;
        }
        let (ctype, name) = text.rsplit_once(' ')?;
        Some((ctype.trim().to_owned(), name.to_owned()))
    };
    list.split(',').map(parameter).collect()
}

fn numbers(text: &str) -> Vec<i128> {
    let mut found = vec![];
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
        let number = match digits.strip_prefix("0x") {
            Some(hex) => i128::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        found.extend(number.ok().filter(|n| *n < 1 << 64));
    }
    found
}

/// The values as an array.
pub fn values_text(values: &BTreeSet<i128>) -> String {
    let list: Vec<String> = values.iter().map(|value| format!("{}ull", *value as u64)).collect();
    format!("static const unsigned long long verdiff_values[] = {{{}}};\n", list.join(","))
}

/// A C function that returns whether the label and the condition differ somewhere, and prints where.
pub fn comparison(
    name: &str,
    parameters: &[(String, String)],
    label: &str,
    found: &str,
    count: usize,
) -> String {
    let mut text = String::new();
    let total = count.checked_pow(parameters.len() as u32).unwrap_or(usize::MAX);
    let rounds = total.min(MOST);
    let _ = write!(
        text,
        "int {name}(void) {{ unsigned long long verdiff_state = 1;\n\
         for (unsigned long long verdiff_round = 0; verdiff_round < {rounds}ull; verdiff_round++) {{\n\
         unsigned long long verdiff_rest = verdiff_round;\n"
    );
    for (ctype, name) in parameters {
        if total <= MOST {
            let _ = writeln!(
                text,
                "{ctype} {name} = ({ctype})verdiff_values[verdiff_rest % {count}]; verdiff_rest /= {count};"
            );
        } else {
            let _ = writeln!(
                text,
                "verdiff_state = verdiff_state * 6364136223846793005ull + 1442695040888963407ull;\n\
                 {ctype} {name} = ({ctype})verdiff_values[(verdiff_state >> 33) % {count}];"
            );
        }
    }
    let _ = writeln!(text, "if (!!({label}) != !!({found})) {{");
    for (_, name) in parameters {
        let _ = writeln!(text, "printf(\"{name} = %lld \", (long long){name});");
    }
    text.push_str("return 1; } }\nreturn 0; }\n");
    text
}
