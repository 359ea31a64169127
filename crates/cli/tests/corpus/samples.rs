//! What a printed condition says, tried out: hundreds of inputs on both compiled programs, of which some fulfil
//! the condition and some do not. They must differ exactly where it holds.

use super::Case;
use crate::conditions;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// How the programs are compiled: as replay compiles them.
const FLAGS: [&str; 6] = [
    "-w",
    "-O1",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fno-delete-null-pointer-checks",
    "-ffp-contract=off",
];

/// What is wrong with an exact condition; nothing if the function cannot be called so (pointers, globals, traps).
pub fn try_out(case: &Case, function: &str, condition: &str) -> Option<String> {
    let source = std::fs::read_to_string(case.folder.join("old.c")).unwrap();
    let parameters = conditions::parameters(&source, function)?;
    let result = result_type(&source, function)?;
    let values = conditions::values(case, &[condition]);
    let folder = tempfile::tempdir().unwrap();
    let mut objects = vec![];
    for (side, file) in [("old", "old.c"), ("new", "new.c")] {
        let object = folder.path().join(format!("{side}.o"));
        let renamed = format!("-D{function}=verdiff_{side}");
        let path = case.folder.join(file);
        if !clang(&[&renamed, "-c", &text(&path), "-o", &text(&object)]) {
            return Some(format!("{file} does not compile with {function} renamed"));
        }
        objects.push(text(&object));
    }
    let program = program(&result, &parameters, condition, &values);
    let (file, binary) = (folder.path().join("try.c"), folder.path().join("try"));
    std::fs::write(&file, program).unwrap();
    let (file, binary) = (text(&file), text(&binary));
    if !clang(&[&file, &objects[0], &objects[1], "-lm", "-o", &binary]) {
        // Both define the same global: they cannot be in one program.
        return None;
    }
    let run = Command::new(&binary).output().unwrap();
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    (!run.status.success()).then(|| format!("{condition} is not where they differ: {said}"))
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

fn clang(arguments: &[&str]) -> bool {
    Command::new("clang-19").args(FLAGS).args(arguments).output().unwrap().status.success()
}

/// The type in front of a function's name, if it returns a number.
fn result_type(source: &str, function: &str) -> Option<String> {
    let at = source.rfind(&format!(" {function}("))?;
    let line = source[..at].rsplit('\n').next()?.trim();
    let is_number = ["int", "unsigned", "long", "char", "short"].iter().any(|t| line.ends_with(t));
    is_number.then(|| line.replace("static ", ""))
}

fn program(
    result: &str,
    parameters: &[(String, String)],
    condition: &str,
    values: &[i128],
) -> String {
    const MOST: usize = 600;
    let list: Vec<String> =
        parameters.iter().map(|(ctype, name)| format!("{ctype} {name}")).collect();
    let names: Vec<&str> = parameters.iter().map(|(_, name)| name.as_str()).collect();
    let mut text = String::from("#include <stdio.h>\n");
    for side in ["old", "new"] {
        let _ = writeln!(text, "{result} verdiff_{side}({});", list.join(", "));
    }
    text.push_str("static const unsigned long long verdiff_values[] = {");
    values.iter().for_each(|value| write!(text, "{}ull,", *value as u64).unwrap());
    let (count, calls) = (values.len(), names.join(", "));
    let _ = writeln!(
        text,
        "}};\nint main(void) {{ unsigned long long verdiff_state = 1; int verdiff_seen[2] = {{0, 0}};\n\
         for (int verdiff_round = 0; verdiff_round < 200000; verdiff_round++) {{"
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
