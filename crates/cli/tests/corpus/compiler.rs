//! Small C programs that check a condition.
//!
//! There are hundreds of them, and clang and the linker take much longer to start than to work on one. So clang only
//! compiles, which it does in one process, and the linker is called as clang would call it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use tempfile::TempDir;

/// The compiler of the tests.
const CLANG: &str = "clang-19";

/// A program that was compiled.
pub struct Compiled {
    folder: TempDir,
}

/// A linker with its arguments, some of which stand for what differs from one program to the next.
struct Linker {
    words: Vec<String>,
    objects: String,
    output: String,
}

impl Compiled {
    /// Compiles a text, and links it with further objects; or what clang says against that.
    pub fn new(text: &str, flags: &[&str], further: &[PathBuf]) -> Result<Compiled, String> {
        let folder = tempfile::tempdir().unwrap();
        let (source, made) = (folder.path().join("check.c"), folder.path().join("check.o"));
        std::fs::write(&source, text).unwrap();
        object(&source, flags, &made)?;
        let objects: Vec<PathBuf> = further.iter().cloned().chain([made]).collect();
        link(&objects, &folder.path().join("check"))?;
        Ok(Compiled { folder })
    }

    /// Runs it: its exit code and what it printed, if it did not succeed.
    pub fn failure(&self) -> Option<(Option<i32>, String)> {
        let run = Command::new(self.folder.path().join("check")).output().unwrap();
        let printed = || String::from_utf8_lossy(&run.stdout).into_owned();
        (!run.status.success()).then(|| (run.status.code(), printed()))
    }
}

/// Compiles a file.
pub fn object(source: &Path, flags: &[&str], output: &Path) -> Result<(), String> {
    run(Command::new(CLANG).args(flags).arg("-c").arg(source).arg("-o").arg(output))
}

fn link(objects: &[PathBuf], output: &Path) -> Result<(), String> {
    static LINKER: OnceLock<Linker> = OnceLock::new();
    let Linker { words, objects: to_link, output: made } = LINKER.get_or_init(linker);
    let mut command = Command::new(&words[0]);
    for word in &words[1..] {
        match word {
            _ if word == to_link => command.args(objects),
            _ if word == made => command.arg(output),
            _ => command.arg(word),
        };
    }
    run(&mut command)
}

/// How clang links a program; by gold, which takes half the time, if it is there.
fn linker() -> Linker {
    let folder = tempfile::tempdir().unwrap();
    let [objects, output] = ["objects.o", "program"].map(|name| folder.path().join(name));
    std::fs::write(&objects, "").unwrap();
    let words = |flag: Option<&str>| -> Vec<String> {
        let mut clang = Command::new(CLANG);
        clang.args(flag).arg("-###").arg(&objects).args(["-lm", "-o"]).arg(&output);
        let said = clang.output().unwrap();
        // The last line has the words of the command, each quoted.
        let text = String::from_utf8_lossy(&said.stderr).into_owned();
        let line = text.lines().last().unwrap_or_default();
        let quoted = line.split('"').skip(1).step_by(2).map(str::to_owned);
        quoted.filter(|_| said.status.success()).collect()
    };
    let faster = Some(words(Some("-fuse-ld=gold"))).filter(|words| !words.is_empty());
    let words = faster.unwrap_or_else(|| words(None));
    assert!(!words.is_empty(), "clang does not say how it links");
    let text = |path: PathBuf| path.display().to_string();
    Linker { words, objects: text(objects), output: text(output) }
}

/// Runs a command, or what it says against that.
fn run(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}
