//! Random functions that print: the conditions of the report are those under which the outputs of the compiled programs differ.
//!
//! Output is a sequence of bytes, whichever calls print it, so `putchar('1'); printf("%d", x);` may print what `printf("%d", y);`
//! prints. A rule that compares calls one by one says too much there, and one that says too little gives no exact condition.

use crate::support::{Folder, pair};
use std::path::Path;
use std::process::Command;
use verdiff_model::generate::Random;

/// Calls of which the bodies consist. `C` stands for a condition, `N` for a number.
const CALLS: [&str; 16] = [
    "putchar('1');",
    "putchar(C ? '1' : 'a');",
    "putchar(N);",
    "printf(\"%d\", N);",
    "printf(\"%d\\n\", N);",
    "printf(\"1%d\\n\", N);",
    "printf(C ? \"a%d\" : \"1%d\", N);",
    "printf(C ? \"a\" : \"ab\");",
    "if (C) printf(\"\");",
    "puts(C ? \"1\" : \"a\");",
    "if (C) puts(\"a\"); else puts(\"ab\");",
    "fputs(C ? \"a\" : \"a1\", stdout);",
    "if (C) fputs(\"1\", stdout);",
    "if (C) other(N); else other(1);",
    "fputs(\"ab\", stdout);",
    "printf(\"%c\", N);",
];

const CONDITIONS: [&str; 4] = ["x > 1", "x > 2", "x == 1", "x < 2"];
const NUMBERS: [&str; 6] = ["x", "x + 1", "10 + x", "1", "x & 1", "x + 256"];
/// What stands before the output of each run, in C and as bytes: no calls above print it.
const MARK: &str = "\\1\\2|\\3";
const MARK_BYTES: &[u8] = b"\x01\x02|\x03";
const VALUES: std::ops::Range<i32> = -2..14;

/// A call with the condition and the number that are put in.
#[derive(Clone, Copy)]
struct Call(&'static str, &'static str, &'static str);

impl Call {
    fn any(random: &mut Random) -> Call {
        let mut pick = |list: &[&'static str]| random.pick(list).unwrap();
        Call(pick(&CALLS), pick(&CONDITIONS), pick(&NUMBERS))
    }

    fn text(&self) -> String {
        self.0.replace('C', self.1).replace('N', self.2)
    }
}

/// Bodies of two versions: some calls, and the same with one or two of them changed, mostly in the condition or the number.
fn bodies(random: &mut Random) -> [String; 2] {
    let old: Vec<Call> = (0..1 + random.below(3)).map(|_| Call::any(random)).collect();
    let mut new = old.clone();
    for _ in 0..1 + random.below(2) {
        let at = random.below(new.len() as u64) as usize;
        let other = Call::any(random);
        match random.below(12) {
            0 => new.insert(at, other),
            1 if new.len() > 1 => drop(new.remove(at)),
            2 => new[at] = other,
            3..6 => new[at].2 = other.2,
            _ => new[at].1 = other.1,
        }
    }
    [old, new].map(|calls| calls.iter().map(Call::text).collect::<Vec<_>>().join(" "))
}

/// A program that runs each function for each number, with a mark before each run.
fn runner(bodies: &[String]) -> String {
    let mut text =
        String::from("#include <stdio.h>\nstatic void other(int n) { printf(\"<%d>\", n); }\n");
    let mut calls = String::new();
    for (n, body) in bodies.iter().enumerate() {
        text += &format!("static void f{n}(int x) {{ {body} }}\n");
        calls += &format!("        fputs(\"{MARK}\", stdout); f{n}(x);\n");
    }
    let (first, last) = (VALUES.start, VALUES.end);
    text + &format!(
        "int main(void) {{\n    for (int x = {first}; x < {last}; x++) {{\n{calls}    }}\n}}\n"
    )
}

/// What a C file prints, in the pieces that marks divide.
fn run(folder: &Folder, name: &str) -> Vec<Vec<u8>> {
    let program = folder.path(&format!("{name}.exe"));
    let clang = std::env::var("VERDIFF_CLANG").unwrap_or_else(|_| "clang-19".into());
    let mut compiler = Command::new(clang);
    compiler.args(["-w", "-fwrapv", "-o"]).args([&program, &folder.path(name)]);
    assert!(compiler.status().unwrap().success(), "{name} does not compile");
    let output = Command::new(Path::new(&program)).output().unwrap();
    let mut pieces: Vec<Vec<u8>> = vec![];
    let mut rest = &output.stdout[..];
    while let Some(byte) = rest.first() {
        if let Some(after) = rest.strip_prefix(MARK_BYTES) {
            pieces.push(vec![]);
            rest = after;
            continue;
        }
        pieces.last_mut().unwrap().push(*byte);
        rest = &rest[1..];
    }
    pieces
}

/// Compares random functions. Gives back how many of them have an exact condition, how many differ for some values, and how many are
/// equal for others of the values as well.
fn compare(seed: u64, functions: u64) -> (usize, usize, usize) {
    let mut random = Random::new(seed);
    let pairs: Vec<[String; 2]> = (0..functions).map(|_| bodies(&mut random)).collect();
    let version = |side: usize| {
        let head = String::from("#include <stdio.h>\nvoid other(int n);\n");
        pairs.iter().enumerate().fold(head, |text, (n, pair)| {
            text + &format!("void f{n}(int x) {{ {} }}\n", pair[side])
        })
    };
    let runners =
        [0, 1].map(|side| runner(&pairs.iter().map(|pair| pair[side].clone()).collect::<Vec<_>>()));
    let folder = Folder::versions(&version(0), &version(1));
    std::fs::write(folder.path("run0.c"), &runners[0]).unwrap();
    std::fs::write(folder.path("run1.c"), &runners[1]).unwrap();
    let [old, new] = ["run0.c", "run1.c"].map(|name| run(&folder, name));
    let (_, report) = folder.compare(&["--effort", "2", "--timeout", "100"]);

    // A third program evaluates the conditions.
    let condition = |n: usize, field: &str| {
        pair(&report, &format!("f{n}"))[field]["c"].as_str().map(str::to_owned)
    };
    let mut text = String::from("#include <stdio.h>\n");
    let mut calls = String::new();
    for n in 0..pairs.len() {
        for (field, if_none) in [("equal_under", "0"), ("differ_under", "0")] {
            let c = condition(n, field).unwrap_or_else(|| if_none.into());
            text += &format!("static int {field}{n}(int x) {{ return {c}; }}\n");
            calls += &format!(
                "        fputs(\"{MARK}\", stdout); putchar({field}{n}(x) ? 'y' : 'n');\n"
            );
        }
    }
    let (first, last) = (VALUES.start, VALUES.end);
    text += &format!(
        "int main(void) {{\n    for (int x = {first}; x < {last}; x++) {{\n{calls}    }}\n}}\n"
    );
    std::fs::write(folder.path("conditions.c"), text).unwrap();
    let holds = run(&folder, "conditions.c");

    let (mut exact, mut different, mut mixed) = (0, 0, 0);
    for (n, bodies) in pairs.iter().enumerate() {
        let found = pair(&report, &format!("f{n}"));
        let is_exact = found["exact"] == true && condition(n, "differ_under").is_some();
        let (mut equal, mut unequal) = (false, false);
        for (k, x) in VALUES.enumerate() {
            let at = k * pairs.len() + n;
            let same = old[at] == new[at];
            let [equal_under, differ_under] = [0, 1].map(|field| holds[2 * at + field] == b"y");
            let context = || format!("f{n}({x}) of {bodies:#?}\n{found:#}");
            assert!(!equal_under || same, "said to be equal: {}", context());
            assert!(!differ_under || !same, "said to differ: {}", context());
            assert!(!is_exact || differ_under != same, "not exact: {}", context());
            assert!(
                found["verdict"] != "equivalent" || same,
                "said to be equivalent: {}",
                context()
            );
            equal |= same;
            unequal |= !same;
        }
        exact += usize::from(is_exact && unequal);
        different += usize::from(unequal);
        mixed += usize::from(is_exact && equal && unequal);
    }
    (exact, different, mixed)
}

#[test]
fn conditions_about_outputs_are_those_of_the_compiled_programs() {
    let cases = std::env::var("VERDIFF_CASES").ok().and_then(|cases| cases.parse::<u64>().ok());
    let functions = (60 * cases.unwrap_or(100) / 100).max(12);
    let (exact, different, mixed) = compare(1, functions);
    // Many have an exact condition, and some of these differ for some of the values only.
    assert!(exact * 5 > different && mixed * 10 > different, "{exact}, {mixed} of {different}");
}
