//! What a printed condition over pointers, strings and globals says, tried out: both versions are compiled into one program and run from hundreds of
//! entry states that fulfil it and hundreds that do not. They must differ exactly where it holds.
//!
//! An entry state is two blocks of memory with contents of all kinds, pointers into them (the same, different or null), globals and numbers. An outcome is
//! the signal that ended the run, or else the result, the memory and the globals.

use super::Case;
use crate::compiler::{self, Compiled};
use crate::conditions;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many conditions were tried out so.
pub static TRIED: AtomicUsize = AtomicUsize::new(0);

/// Numbers beyond this lead out of the blocks.
const NEAR: i128 = 100;

const BEGIN: &str = r#"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
"#;

/// What rolls the dice: most of the work, so it is a file of its own and optimised, which the versions must not be.
const DICE: &str = r#"
#include <string.h>
extern const unsigned long long verdiff_values[];
extern const unsigned verdiff_count;
static unsigned long long verdiff_state = 1;
unsigned verdiff_roll(unsigned sides) {
    verdiff_state = verdiff_state * 6364136223846793005ull + 1442695040888963407ull;
    return (verdiff_state >> 33) % sides;
}
unsigned long long verdiff_number(void) {
    return verdiff_values[verdiff_roll(verdiff_count)];
}
void verdiff_fill(void *to, size_t size) {
    // With a size that the compiler knows, a copy is one instruction.
    #define VERDIFF_FILL(type) \
        for (size_t at = 0; at + sizeof(type) <= size; at += sizeof(type)) { \
            type value = (type)verdiff_number(); \
            memcpy((char *)to + at, &value, sizeof value); \
        }
    switch (verdiff_roll(4)) {
    case 0: VERDIFF_FILL(unsigned char) break;
    case 1: VERDIFF_FILL(unsigned short) break;
    case 2: VERDIFF_FILL(unsigned) break;
    default: VERDIFF_FILL(unsigned long long)
    }
}
"#;

const MACHINE: &str = r#"
enum { VERDIFF_BLOCK = 4096, VERDIFF_MOST = 400 };
static unsigned char verdiff_memory[2][VERDIFF_BLOCK] __attribute__((aligned(64)));
static unsigned char verdiff_before[2][VERDIFF_BLOCK];
static unsigned char verdiff_after[2][2][VERDIFF_BLOCK];
static sigjmp_buf verdiff_home;
unsigned verdiff_roll(unsigned sides);
unsigned long long verdiff_number(void);
void verdiff_fill(void *to, size_t size);
static void *verdiff_pointer(void) {
    switch (verdiff_roll(6)) {
    case 0: return 0;
    case 1: case 2: return verdiff_memory[1] + VERDIFF_BLOCK / 2;
    case 3: return verdiff_memory[0] + VERDIFF_BLOCK / 2 + 16;
    default: return verdiff_memory[0] + VERDIFF_BLOCK / 2;
    }
}
static void verdiff_caught(int signal) { siglongjmp(verdiff_home, signal); }
"#;

/// What is wrong with an exact condition; nothing if the function cannot be called so.
pub fn try_out(case: &Case, function: &str, condition: &str) -> Option<String> {
    let read = |name: &str| std::fs::read_to_string(case.folder.join(name)).unwrap();
    let (old, new) = (read("old.c"), read("new.c"));
    let parameters = parameters(&old, function)?;
    let result = result(&old, function)?;
    let pointers = parameters.iter().any(|(ctype, _)| ctype.ends_with('*'));
    let globals = globals(&old)?;
    if globals != self::globals(&new)? || !pointers && globals.is_empty() {
        return None;
    }
    let mut values: BTreeSet<i128> = conditions::values(case, &[condition]).into_iter().collect();
    for text in [condition, &old, &new] {
        let quoted = text.split('\'').skip(1).step_by(2).filter(|part| part.len() == 1);
        values.extend(quoted.flat_map(|part| part.bytes()).map(i128::from));
    }
    if pointers {
        values.retain(|value| value.abs() <= NEAR || (0..128).contains(value));
    }
    let text = program(case, function, &result, &parameters, &globals, condition, &values, &new);
    let flags = ["-w", "-O0", "-fwrapv", "-fno-strict-aliasing", "-fno-delete-null-pointer-checks"];
    let compiled = Compiled::new(&text, &flags, &[dice().to_owned()]).ok()?;
    TRIED.fetch_add(1, Ordering::Relaxed);
    compiled.failure().map(|(_, said)| format!("{condition} is not where they differ: {said}"))
}

/// [`DICE`], compiled once.
fn dice() -> &'static Path {
    static OBJECT: OnceLock<PathBuf> = OnceLock::new();
    OBJECT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let made = tempfile::Builder::new().prefix("dice-").tempdir_in(folder).unwrap();
        let [source, object] = ["dice.c", "dice.o"].map(|name| made.path().join(name));
        std::fs::write(&source, DICE).unwrap();
        compiler::object(&source, &["-O2"], &object).unwrap();
        // In the end it has one name, whoever was first.
        let dice = folder.join("corpus-dice.o");
        std::fs::rename(&object, &dice).unwrap();
        dice
    })
}

/// Both versions in one text: the function is `verdiff_old` and `verdiff_new`, and whatever else the new one declares has
/// another name.
pub fn both_versions(case: &Case, function: &str, new: &str) -> String {
    let mut text = String::from(BEGIN);
    let include = |name: &str| format!("#include \"{}\"\n", case.folder.join(name).display());
    let _ = write!(
        text,
        "#define {function} verdiff_old\n#define main verdiff_main\n{}#undef {function}\n#undef main\n",
        include("old.c")
    );
    let names: Vec<&str> = declared(new).into_iter().filter(|n| *n != function).collect();
    names.iter().for_each(|name| writeln!(text, "#define {name} {name}_of_new").unwrap());
    let _ = write!(text, "#define {function} verdiff_new\n{}#undef {function}\n", include("new.c"));
    names.iter().for_each(|name| writeln!(text, "#undef {name}").unwrap());
    text
}

#[expect(clippy::too_many_arguments, reason = "the parts of a program")]
fn program(
    case: &Case,
    function: &str,
    result: &str,
    parameters: &[(String, String)],
    globals: &[String],
    condition: &str,
    values: &BTreeSet<i128>,
    new: &str,
) -> String {
    let mut text = both_versions(case, function, new);
    text.push_str("const unsigned long long verdiff_values[] = {");
    values.iter().for_each(|value| write!(text, "{}ull,", *value as u64).unwrap());
    let _ = writeln!(text, "}};\nconst unsigned verdiff_count = {};", values.len());
    text.push_str(MACHINE);
    text.push_str(
        "int main(void) {\nint verdiff_seen[2] = {0, 0};\n\
         int verdiff_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL, SIGTRAP};\n\
         for (int n = 0; n < 6; n++) signal(verdiff_signals[n], verdiff_caught);\n\
         for (int verdiff_round = 0; verdiff_round < 100000; verdiff_round++) {\n\
         if (verdiff_seen[0] >= VERDIFF_MOST && verdiff_seen[1] >= VERDIFF_MOST) break;\n\
         verdiff_fill(verdiff_before, sizeof verdiff_before);\n\
         memset(verdiff_before[0] + VERDIFF_BLOCK - 64, 0, 64);\n\
         memset(verdiff_before[1] + VERDIFF_BLOCK - 64, 0, 64);\n\
         memcpy(verdiff_memory, verdiff_before, sizeof verdiff_memory);\n",
    );
    for name in globals {
        let _ = writeln!(
            text,
            "verdiff_fill(&{name}, sizeof {name}); memcpy(&{name}_of_new, &{name}, sizeof {name});"
        );
    }
    for (ctype, name) in parameters {
        let value = if ctype.ends_with('*') { "verdiff_pointer()" } else { "verdiff_number()" };
        let _ = writeln!(text, "{ctype} {name} = ({ctype}){value};");
    }
    let arguments: Vec<String> = parameters
        .iter()
        .map(|(ctype, name)| match ctype.ends_with('*') {
            true => format!("(void *){name}"),
            false => name.clone(),
        })
        .collect();
    let (given, arguments) = (if result == "void" { "" } else { "given = " }, arguments.join(", "));
    let _ = writeln!(
        text,
        "int verdiff_says = !!({condition});\nif (verdiff_seen[verdiff_says]++ >= VERDIFF_MOST) continue;\n\
         volatile long long given_old = 0, given_new = 0; volatile int ends[2];\n"
    );
    for (side, name) in ["old", "new"].into_iter().enumerate() {
        let given = given.replace("given", &format!("given_{name}"));
        let _ = writeln!(
            text,
            "ends[{side}] = sigsetjmp(verdiff_home, 1);\n\
             if (!ends[{side}]) {given}verdiff_{name}({arguments});\n\
             memcpy(verdiff_after[{side}], verdiff_memory, sizeof verdiff_memory);\n\
             memcpy(verdiff_memory, verdiff_before, sizeof verdiff_memory);"
        );
    }
    let same: String = globals
        .iter()
        .map(|name| format!(" || memcmp(&{name}, &{name}_of_new, sizeof {name})"))
        .collect();
    let _ = writeln!(
        text,
        "int verdiff_differ = ends[0] != ends[1] || !ends[0] && (given_old != given_new\n\
         || memcmp(verdiff_after[0], verdiff_after[1], sizeof verdiff_memory){same});\n\
         if (verdiff_differ != verdiff_says) {{ printf(\"it says %d, they end by %d and %d and give %lld and %lld\\n\",\n\
         verdiff_says, ends[0], ends[1], given_old, given_new);"
    );
    for (_, name) in parameters {
        let _ = writeln!(text, "printf(\"{name} = %lld\\n\", (long long){name});");
    }
    text.push_str("return 1; } }\nreturn 0; }\n");
    text
}

/// Type and name of each parameter, if all are numbers or pointers to what has no pointers to follow.
fn parameters(source: &str, function: &str) -> Option<Vec<(String, String)>> {
    let at = source.rfind(&format!(" {function}(")).or(source.rfind(&format!("*{function}(")))?;
    let open = at + function.len() + 2;
    let close = open + source[open..].find(')')?;
    let parameter = |text: &str| {
        let text = text.trim();
        let bad = ["[", "float", "double", "(", "**"];
        if bad.iter().any(|b| text.contains(b)) {
            return None;
        }
        let name_at = text.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')? + 1;
        let ctype = text[..name_at].trim().replace("restrict", "");
        let whole_struct = ["struct", "union"].iter().any(|w| ctype.starts_with(w));
        (!whole_struct || ctype.ends_with('*')).then(|| (ctype, text[name_at..].to_owned()))
    };
    if source[open..close].trim() == "void" {
        return Some(vec![]);
    }
    source[open..close].split(',').map(parameter).collect()
}

/// The type in front of a function's name, if it is a number or nothing.
fn result(source: &str, function: &str) -> Option<String> {
    let at = source.rfind(&format!(" {function}("))?;
    let line = source[..at].rsplit('\n').next()?.trim();
    let plain = ["int", "unsigned", "long", "char", "short", "void", "bool", "_Bool", "_t"];
    plain.iter().any(|t| line.ends_with(t)).then(|| line.replace("static ", ""))
}

/// The text outside of all braces, without comments, strings and lines for the preprocessor.
fn outside(source: &str) -> String {
    let (mut text, mut depth) = (String::new(), 0);
    for line in source.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let line = line.split("//").next().unwrap_or_default();
        for c in line.chars() {
            match c {
                '{' => depth += 1,
                '}' => {
                    depth -= 1;
                    text.push_str(if depth == 0 { "{} " } else { "" });
                }
                _ if depth == 0 => text.push(c),
                _ => {}
            }
        }
        text.push(' ');
    }
    text
}

/// The variables that both versions may change; `None` if one holds pointers.
fn globals(source: &str) -> Option<Vec<String>> {
    let mut found = vec![];
    let text = outside(source).replace("{}", "");
    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
        let declared = part.split('=').next().unwrap_or_default().trim();
        let no_variable = ["typedef", "enum", "extern"].iter().any(|w| declared.starts_with(w));
        if declared.contains('(') || declared.contains("const ") || no_variable {
            continue;
        }
        if declared.contains('*') || declared.contains(',') {
            return None;
        }
        let declared = declared.split('[').next().unwrap_or_default().trim();
        // `struct box` alone declares no variable.
        let words: Vec<&str> = declared.split_whitespace().collect();
        let least = if words.iter().any(|w| ["struct", "union"].contains(w)) { 3 } else { 2 };
        if words.len() >= least {
            found.push(words[words.len() - 1].to_owned());
        }
    }
    Some(found)
}

/// All names that a text may declare outside of functions.
fn declared(source: &str) -> BTreeSet<&str> {
    const WORDS: &[&str] = &[
        "auto", "bool", "char", "const", "double", "enum", "extern", "float", "inline", "int",
        "long", "register", "restrict", "short", "signed", "static", "struct", "typedef", "union",
        "unsigned", "void", "volatile", "_Bool", "FILE", "NULL", "sizeof", "main", "true", "false",
    ];
    let text = outside(source);
    let known: BTreeSet<&str> =
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let name = |word: &&str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && !WORDS.contains(word)
            && !word.ends_with("_t")
    };
    source
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| known.contains(word))
        .filter(name)
        .collect()
}

#[test]
fn a_wrong_condition_over_memory_is_found_out() {
    let cases = super::cases();
    let tried = [
        ("difference/memory_field", "b != 0 && b->width > 10", false),
        ("difference/memory_field", "b != 0 && (b->width > 10) != (b->height > 10)", true),
        ("difference/string_two", "s != 0 && s[0] == 'o'", false),
        ("difference/string_two", "s != 0 && s[0] == 'o' && s[1] != 'k'", true),
        ("difference/global_mode", "mode != 0", false),
        ("difference/global_mode", "mode != 0 && x != -x", true),
    ];
    for (name, condition, right) in tried {
        let case = cases.iter().find(|case| case.name == name).unwrap();
        let before = TRIED.load(Ordering::Relaxed);
        let wrong = try_out(case, "f", condition);
        assert!(TRIED.load(Ordering::Relaxed) > before, "{name} was not run");
        assert_eq!(wrong.is_none(), right, "{name}: {condition}: {wrong:?}");
    }
}
