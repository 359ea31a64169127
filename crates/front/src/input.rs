//! What the user gave: files and folders, told apart before anything is compiled.

use crate::clang::Unit;
use crate::error::FrontError;
use crate::llvm::LLVM_MAJOR;
use serde::Deserialize;
use std::io::Read;
use std::path::{Path, PathBuf};

/// One input, looked at.
#[derive(Debug, PartialEq, Eq)]
pub enum Input {
    /// A C file.
    Source(Unit),
    /// LLVM bitcode or IR.
    Ir(PathBuf),
    /// A folder with a compilation database.
    Database(Vec<Unit>),
}

/// Looks at a path.
pub fn classify(path: &Path, flags: &[String]) -> Result<Input, FrontError> {
    let path_buf = || path.to_path_buf();
    let metadata = std::fs::metadata(path).map_err(|source| match source.kind() {
        std::io::ErrorKind::NotFound => FrontError::NotFound { path: path_buf() },
        _ => FrontError::NotReadable { path: path_buf(), source },
    })?;
    if metadata.is_dir() {
        return database(path, flags).map(Input::Database);
    }
    // A pipe or device would be waited for, perhaps for ever.
    if !metadata.is_file() {
        return Err(FrontError::NotAFile { path: path_buf() });
    }
    let head =
        read_head(path).map_err(|source| FrontError::NotReadable { path: path_buf(), source })?;
    if head.is_empty() {
        return Err(FrontError::Empty { path: path_buf() });
    }
    if head.starts_with(b"BC\xC0\xDE") || head.starts_with(&[0xDE, 0xC0, 0x17, 0x0B]) {
        return match producer(&head) {
            Some(version) if version.split('.').next() != Some(&LLVM_MAJOR.to_string()) => {
                Err(FrontError::OtherLlvm { path: path_buf(), found: version, wanted: LLVM_MAJOR })
            }
            _ => Ok(Input::Ir(path_buf())),
        };
    }
    if head.contains(&0) {
        return Err(FrontError::Binary { path: path_buf() });
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "i") => Ok(Input::Source(Unit {
            file: path_buf(),
            directory: None,
            flags: flags.to_vec(),
            bitcode: None,
        })),
        Some("ll") => Ok(Input::Ir(path_buf())),
        Some("bc") => Err(FrontError::BadIr {
            path: path_buf(),
            wanted: LLVM_MAJOR,
            detail: "it does not begin as bitcode does".into(),
        }),
        _ => Err(FrontError::UnknownKind { path: path_buf() }),
    }
}

fn read_head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    std::fs::File::open(path)?.take(4096).read_to_end(&mut head)?;
    Ok(head)
}

/// The LLVM version that wrote a bitcode file, if it is one.
pub fn producer_of(path: &Path) -> Option<String> {
    producer(&read_head(path).ok()?)
}

/// The LLVM version that wrote some bitcode, "19.1.7".
///
/// Bitcode begins with an identification block whose first record is the text
/// `LLVM19.1.7` in LLVM's 6-bit letters, not aligned to bytes (LLVM's bitcode file
/// format, "IDENTIFICATION_BLOCK"). A search for the four letters at every bit is all it takes.
fn producer(head: &[u8]) -> Option<String> {
    const LETTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    let bits = head.len().min(256) * 8;
    let letter = |at: usize| -> Option<char> {
        if at + 6 > bits {
            return None;
        }
        let code = (0..6).fold(0usize, |code, i| {
            code | usize::from(head[(at + i) / 8] >> ((at + i) % 8) & 1) << i
        });
        Some(LETTERS[code].into())
    };
    let text =
        |at: usize, len: usize| (0..len).map(|i| letter(at + 6 * i)).collect::<Option<String>>();
    let start = (0..bits).find(|at| text(*at, 4).as_deref() == Some("LLVM"))?;
    let version: String = (4..24)
        .map_while(|i| letter(start + 6 * i))
        .take_while(|c| c.is_ascii_digit() || *c == '.')
        .collect();
    (!version.is_empty()).then_some(version)
}

/// An entry of compile_commands.json.
#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    #[serde(default)]
    command: Option<String>,
    #[serde(default)]
    arguments: Option<Vec<String>>,
}

fn database(folder: &Path, flags: &[String]) -> Result<Vec<Unit>, FrontError> {
    let path = [folder.join("compile_commands.json"), folder.join("build/compile_commands.json")]
        .into_iter()
        .find(|p| p.is_file())
        .ok_or_else(|| FrontError::NoDatabase { path: folder.to_path_buf() })?;
    let units = compilation_database(&path)?;
    Ok(units.iter().map(|unit| unit.with_flags(flags)).collect())
}

/// The C files of a compilation database, each with the flags that say what the program is.
pub fn compilation_database(path: &Path) -> Result<Vec<Unit>, FrontError> {
    let bad = |detail: String| FrontError::BadDatabase { path: path.to_path_buf(), detail };
    let text = std::fs::read_to_string(path)
        .map_err(|source| FrontError::NotReadable { path: path.to_path_buf(), source })?;
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    let mut units = Vec::new();
    for entry in entries {
        // Only C: a database may list C++ or assembly beside it.
        if entry.file.extension().and_then(|e| e.to_str()) != Some("c") {
            continue;
        }
        let arguments = match (entry.arguments, entry.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => split_command(&command).map_err(&bad)?,
            (None, None) => {
                return Err(bad(format!(
                    "{}: neither command nor arguments",
                    entry.file.display()
                )));
            }
        };
        // A relative directory is relative to the database.
        let directory = path.parent().unwrap_or(Path::new("")).join(&entry.directory);
        let flags = unit_flags(&arguments);
        let unit = Unit { file: entry.file, directory: Some(directory), flags, bitcode: None };
        if !units.contains(&unit) {
            units.push(unit);
        }
    }
    if units.is_empty() {
        return Err(bad("it lists no C file".into()));
    }
    Ok(units)
}

/// Options whose value is the next word, and that say what the program is.
const WITH_VALUE: [&str; 17] = [
    "-I",
    "-D",
    "-U",
    "-include",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-imacros",
    "-iprefix",
    "-isysroot",
    "-x",
    "-Xclang",
    "-Xpreprocessor",
    "-mllvm",
    "-target",
    "-arch",
    "--sysroot",
];

/// The flags of a recorded compiler call that say what the program is: all but the compiler's name, inputs, the
/// output, optimisation, debugging, linking and dependency files.
pub fn unit_flags(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.iter().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "-o" | "-MF" | "-MT" | "-MQ" | "-MJ" | "-L" | "-l" | "-T" | "-z" | "-Xlinker"
            | "--param" => {
                arguments.next();
            }
            "-c" | "-S" | "-E" | "-M" | "-MM" | "-MD" | "-MMD" | "-MP" | "-MG" | "--"
            | "-Werror" | "-pipe" | "-shared" | "-static" | "-rdynamic" | "-s" => {}
            a if WITH_VALUE.contains(&a) => {
                kept.push(a.to_owned());
                kept.extend(arguments.next().cloned());
            }
            a if a.starts_with("-O") || a.starts_with("-g") || a.starts_with("-Werror=") => {}
            a if a.starts_with("-l") || a.starts_with("-L") || a.starts_with("-Wl,") => {}
            a if a.starts_with("-flto")
                || a.starts_with("-fsanitize")
                || a.starts_with("-fprofile") => {}
            a if a.starts_with('-') => kept.push(a.to_owned()),
            // Sources, objects and libraries. (A response file is clang's to read.)
            a if a.starts_with('@') => kept.push(a.to_owned()),
            _ => {}
        }
    }
    kept
}

/// Splits a command line as a shell does, quotes and backslashes included.
pub fn split_command(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = command.chars();
    while let Some(c) = letters.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, '\\') => {
                let next = letters.next().ok_or("a command ends in a backslash")?;
                word.get_or_insert_default().push(next);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err("a command with an open quote".into());
    }
    words.extend(word);
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let words = split_command(r#"cc -DX="a b" -D'Y="q"' a\ b.c"#).unwrap();
        assert_eq!(words, ["cc", "-DX=a b", "-DY=\"q\"", "a b.c"]);
        assert!(split_command("cc 'open").is_err());
    }

    #[test]
    fn flags_that_only_concern_the_build_are_dropped() {
        let arguments: Vec<String> =
            "cc -O2 -g3 -Iinc -DA=1 -std=c99 -MD -MF x.d -o x src/x.c y.c z.o -I other.c -lm -L lib"
                .split(' ')
                .map(Into::into)
                .collect();
        assert_eq!(unit_flags(&arguments), ["-Iinc", "-DA=1", "-std=c99", "-I", "other.c"]);
    }
}
