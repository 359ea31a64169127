//! What a printed condition says, tried out: hundreds of inputs on both compiled programs, of which some fulfil
//! the condition and some do not. They must differ exactly where it holds.

use super::Case;
use crate::compiler::{Compiled, object};
use crate::{conditions, memory};
use std::collections::BTreeSet;
use std::fmt::Write;

/// How the programs are compiled: as replay compiles them.
const FLAGS: [&str; 6] = [
    "-w",
    "-O1",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-ffp-contract=off",
];

/// What is wrong with an exact condition on numbers: that it is not the label, or not where runs differ. One program
/// finds out both; `None` if it cannot have both versions, or if the function cannot be called so.
pub fn try_with_label(
    case: &Case,
    function: &str,
    label: &str,
    condition: &str,
) -> Option<Option<String>> {
    let read = |name: &str| std::fs::read_to_string(case.folder.join(name)).unwrap();
    let (old, new) = (read("old.c"), read("new.c"));
    let parameters = conditions::parameters(&old, function)?;
    result_type(&old, function)?;
    let values: BTreeSet<i128> =
        conditions::values(case, &[label, condition]).into_iter().collect();
    let mut text = memory::both_versions(case, function, &new);
    text += &conditions::values_text(&values);
    text += "static ";
    text +=
        &conditions::comparison("verdiff_labelled", &parameters, label, condition, values.len());
    text += "static ";
    text += &samples("verdiff_sampled", &parameters, condition, values.len());
    text += "int main(void) { return verdiff_labelled() ? 1 : verdiff_sampled() ? 2 : 0; }\n";
    let compiled = Compiled::new(&text, &FLAGS, &[]).ok()?;
    let wrong = compiled.failure();
    Some(wrong.map(|(code, said)| match code {
        Some(1) => conditions::disagreement(label, condition, &said),
        _ => not_where_they_differ(condition, &said),
    }))
}

/// What is wrong with an exact condition; nothing if the function cannot be called so (pointers, globals, traps).
pub fn try_out(case: &Case, function: &str, condition: &str) -> Option<String> {
    let source = std::fs::read_to_string(case.folder.join("old.c")).unwrap();
    let parameters = conditions::parameters(&source, function)?;
    let result = result_type(&source, function)?;
    let values: BTreeSet<i128> = conditions::values(case, &[condition]).into_iter().collect();
    let folder = tempfile::tempdir().unwrap();
    let mut objects = vec![];
    for (side, file) in [("old", "old.c"), ("new", "new.c")] {
        let made = folder.path().join(format!("{side}.o"));
        let renamed = format!("-D{function}=verdiff_{side}");
        let flags: Vec<&str> = FLAGS.into_iter().chain([renamed.as_str()]).collect();
        if object(&case.folder.join(file), &flags, &made).is_err() {
            return Some(format!("{file} does not compile with {function} renamed"));
        }
        objects.push(made);
    }
    let mut text = String::from("#include <stdio.h>\n");
    let list: Vec<String> =
        parameters.iter().map(|(ctype, name)| format!("{ctype} {name}")).collect();
    for side in ["old", "new"] {
        let _ = writeln!(text, "{result} verdiff_{side}({});", list.join(", "));
    }
    text += &conditions::values_text(&values);
    text += &samples("main", &parameters, condition, values.len());
    // Both may define the same global: then they cannot be in one program.
    let compiled = Compiled::new(&text, &FLAGS, &objects).ok()?;
    compiled.failure().map(|(_, said)| not_where_they_differ(condition, &said))
}

fn not_where_they_differ(condition: &str, said: &str) -> String {
    format!("{condition} is not where they differ: {said}")
}

/// The type in front of a function's name, if it returns a number.
fn result_type(source: &str, function: &str) -> Option<String> {
    let at = source.rfind(&format!(" {function}("))?;
    let line = source[..at].rsplit('\n').next()?.trim();
    let is_number = ["int", "unsigned", "long", "char", "short"].iter().any(|t| line.ends_with(t));
    is_number.then(|| line.replace("static ", ""))
}

/// A C function that returns whether there is a difference where the condition does not hold, or none where it does,
/// and prints where.
fn samples(
    function: &str,
    parameters: &[(String, String)],
    condition: &str,
    count: usize,
) -> String {
    const MOST: usize = 600;
    let names: Vec<&str> = parameters.iter().map(|(_, name)| name.as_str()).collect();
    let calls = names.join(", ");
    let mut text = format!(
        "int {function}(void) {{ unsigned long long verdiff_state = 1; int verdiff_seen[2] = {{0, 0}};\n\
         for (int verdiff_round = 0; verdiff_round < 200000; verdiff_round++) {{\n"
    );
    for (ctype, name) in parameters {
        let _ = writeln!(
            text,
            "verdiff_state = verdiff_state * 6364136223846793005ull + 1442695040888963407ull;\n\
             {ctype} {name} = ({ctype})verdiff_values[(verdiff_state >> 33) % {count}];"
        );
    }
    // As many of each kind, not all of one.
    let _ = writeln!(
        text,
        "int verdiff_says = !!({condition});\nif (verdiff_seen[verdiff_says]++ >= {MOST}) continue;\n\
         if ((verdiff_old({calls}) != verdiff_new({calls})) != verdiff_says) {{"
    );
    for name in names {
        let _ = writeln!(text, "printf(\"{name} = %lld \", (long long){name});");
    }
    text.push_str("return 1; } }\nreturn 0; }\n");
    text
}
