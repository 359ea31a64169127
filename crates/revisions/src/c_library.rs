//! Which functions the C library of this machine has, as a configure run would find out: by linking.
//!
//! All names are asked for in one run of the linker: a program that mentions every one of them does not link, and the linker says
//! which names it did not find.

use std::collections::BTreeSet;
use std::process::Command;
use std::time::Duration;
use verdiff_front::Clang;
use verdiff_process::Deadline;

/// How long the linker may take.
const TIME: Duration = Duration::from_secs(10);

/// Those of these functions that can be linked; `None` if that cannot be found out.
pub fn functions<'n>(names: &BTreeSet<&'n str>) -> Option<BTreeSet<&'n str>> {
    if names.is_empty() {
        return Some(BTreeSet::new());
    }
    let folder = tempfile::tempdir().ok()?;
    let (source, program) = (folder.path().join("names.c"), folder.path().join("names"));
    std::fs::write(&source, mentioning(names)).ok()?;
    let clang = Clang::find().ok()?;
    let mut command = Command::new(clang.path());
    command.arg("-w").arg(&source).arg("-o").arg(&program).arg("-lm");
    let done = verdiff_process::run(&mut command, Deadline::after(TIME)).ok()?;
    let missing = missing(&done.stderr);
    if !done.status.success() && missing.is_empty() {
        return None;
    }
    Some(names.iter().copied().filter(|name| !missing.contains(*name)).collect())
}

/// A program that mentions all names, as symbols: in C, some would be keywords or have other types.
fn mentioning(names: &BTreeSet<&str>) -> String {
    let declare = |(number, name): (usize, &&str)| {
        format!("extern char verdiff_{number}[] __asm__(\"{name}\");\n")
    };
    let declared: String = names.iter().enumerate().map(declare).collect();
    let mentioned: Vec<String> = (0..names.len()).map(|n| format!("verdiff_{n}")).collect();
    let list = mentioned.join(", ");
    format!("{declared}char *verdiff_names[] = {{ {list} }};\nint main(void) {{ return 0; }}\n")
}

/// The names that the linker did not find.
fn missing(said: &str) -> BTreeSet<String> {
    let name = |line: &str| {
        let (_, rest) = line
            .split_once("undefined reference to ")
            .or_else(|| line.split_once("undefined symbol: "))?;
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let name: String =
            rest.trim_start_matches(['`', '\'']).chars().take_while(|c| is_part(*c)).collect();
        (!name.is_empty()).then_some(name)
    };
    said.lines().filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linker_says_what_is_missing() {
        let names = BTreeSet::from(["strdup", "no_such_function", "floor", "printf", "int"]);
        let found = functions(&names).expect("clang links");
        assert_eq!(found, BTreeSet::from(["floor", "printf", "strdup"]));
    }

    #[test]
    fn names_are_read_from_what_linkers_say() {
        let said = "ld: a.o:(.data+0x0): undefined reference to `strlcpy'\nld.lld: error: undefined symbol: arc4\n";
        assert_eq!(missing(said), BTreeSet::from(["arc4".to_owned(), "strlcpy".to_owned()]));
    }
}
