//! What the knowledge file says of the C library, tested against the real library.
//!
//! One C program is generated from the file and calls every function with random arguments in guarded memory (`probe.c`
//! says how). It reports what a function does that the file does not say: an access outside of the named extents, a result
//! that depends on what is not read, `errno`, a system call, an allocation, a pointer to something else, a return.

mod generate;

use std::collections::BTreeSet;
use std::process::Command;
use verdiff_symex::libc::{Ends, Knowledge, knowledge, parse};

/// Functions that this machine's library need not have.
const OF_OTHER_LIBRARIES: [&str; 10] = [
    // macOS.
    "__error",
    // glibc 2.38.
    "strlcpy",
    "strlcat",
    "__isoc23_strtol",
    "__isoc23_strtoll",
    "__isoc23_strtoul",
    "__isoc23_strtoull",
    "__isoc23_scanf",
    "__isoc23_fscanf",
    "__isoc23_sscanf",
];

/// What the program reports.
struct Probed {
    violations: Vec<String>,
    functions: BTreeSet<String>,
}

/// Compiles and runs the program; nothing if there is no compiler.
fn probe(knowledge: &Knowledge, trials: u32) -> Option<Probed> {
    let clang = std::env::var("VERDIFF_CLANG").unwrap_or_else(|_| "clang-19".to_owned());
    if Command::new(&clang).arg("--version").output().is_err() {
        eprintln!("SKIPPED: {clang} is not there, nothing was compared with the real library");
        return None;
    }
    let folder = tempfile::tempdir().expect("a temporary directory");
    let (source, binary) = (folder.path().join("probe.c"), folder.path().join("probe"));
    std::fs::write(&source, generate::program(knowledge)).expect("the source is written");
    let mut compile = Command::new(&clang);
    compile.args(["-O1", "-fno-builtin", "-w", "-o"]).arg(&binary).arg(&source);
    let made = compile.args(["-Wl,--no-as-needed", "-lm", "-ldl"]).output().expect("clang runs");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let work = folder.path().join("work");
    std::fs::create_dir(&work).expect("a folder for the files that functions make");
    let mut run = Command::new(&binary);
    run.arg(trials.to_string()).current_dir(&work).env_clear().env("PATH", "/bin:/usr/bin");
    // Blocks that are free count as free, and locales are those of the program.
    run.env("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0").env("TZ", "UTC");
    let output = run.output().expect("the compiled program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("DONE\n"), "it ended early ({}):\n{text}", output.status);
    if text.contains("UNFILTERED") {
        eprintln!("SKIPPED: system calls cannot be observed here");
    }
    let lines = |word: &'static str| text.lines().filter_map(move |line| line.strip_prefix(word));
    let functions = lines("PROBED ").filter_map(|l| l.split(' ').next()).map(str::to_owned);
    Some(Probed {
        functions: functions.collect(),
        violations: lines("VIOLATION ").map(str::to_owned).collect(),
    })
}

/// How often each function is called.
fn trials() -> u32 {
    std::env::var("VERDIFF_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

#[test]
fn the_real_library_does_what_the_file_says() {
    let Some(probed) = probe(knowledge(), trials()) else { return };
    assert!(probed.violations.is_empty(), "{}", probed.violations.join("\n"));
    let missing: Vec<&str> = knowledge()
        .iter()
        .map(|known| known.name.as_str())
        .filter(|name| !probed.functions.contains(*name) && !OF_OTHER_LIBRARIES.contains(name))
        .collect();
    assert!(missing.is_empty(), "not run: {missing:?}");
    assert!(probed.functions.len() >= 250, "{} functions", probed.functions.len());
}

/// Each of these changes makes a claim wrong, and the program must notice it.
#[test]
fn wrong_claims_are_noticed() {
    let text = include_str!("../../../src/libc/libc.toml");
    let claims = [
        ("memcpy", "reads = { src = \"n\" }", "reads = { src = 1 }"),
        ("memset", "writes = { dst = \"n\" }", "writes = { dst = 1 }"),
        ("strncpy", "writes = { dst = \"n\" }", "writes = { dst = 2 }"),
        ("strcat", "reads = { dst = \"string\", src", "reads = { src"),
        ("strcmp", ", b = \"string\" }", " }"),
        ("strtol", "stores = { end = \"s\" }, ", ""),
        ("strtol", ", errno = true", ""),
        ("strdup", "returns = \"fresh\"", "returns = \"s\""),
        ("strchr", "returns = \"s\"", "returns = \"s\", null = \"never\""),
        ("malloc", "errno = true, ", ""),
        ("pow", "errno = true", "pure = true"),
        ("getpid", "world = true", "hidden = \"reads\""),
        ("frexp", "writes = { n = 4 }", "writes = { n = 2 }"),
        ("qsort", "writes = { base = \"count * size\" }, ", ""),
        ("abs", "pure = true", "ends = \"never\", world = true"),
        ("rand", "world = true", "pure = true"),
        ("snprintf", "writes = { dst = \"n\" }", "writes = { dst = 3 }"),
        ("modf", "writes = { whole = 8 }", "reads = { whole = 8 }"),
    ];
    // One program for all, and a second one for functions with two wrong claims.
    let mut files = [String::from("[wrong]\n"), String::from("[wrong]\n")];
    for (name, from, to) in claims {
        let start = format!("{name} = {{");
        let line = text.lines().find(|line| line.starts_with(&start)).expect(name);
        assert!(line.contains(from), "{line}");
        let again = usize::from(files[0].contains(&format!("\n{start}")));
        files[again].push_str(&format!("{}\n", line.replace(from, to)));
    }
    for file in files {
        let wrong = parse(&file).expect("claims that can be read");
        let Some(probed) = probe(&wrong, 100) else { return };
        for known in wrong.iter() {
            let start = format!("{}: ", known.name);
            let noticed = probed.violations.iter().any(|line| line.starts_with(&start));
            assert!(noticed, "what is wrong about {} is not noticed", known.name);
        }
    }
}

#[test]
fn functions_that_end_the_process_are_listed_as_such() {
    let never: Vec<&str> = knowledge()
        .iter()
        .filter(|known| known.ends == Ends::Never)
        .map(|known| known.name.as_str())
        .collect();
    assert_eq!(
        never,
        ["_Exit", "__assert_fail", "__stack_chk_fail", "_exit", "abort", "exit", "quick_exit"]
    );
}
