//! A run that was cut: what is equal, what differs and what is open, as three conditions that are right.

use crate::support::{Folder, pair};
use serde_json::Value;
use std::fmt::Write;
use std::process::Command;

/// Loops without a bound that no induction relates; they differ for a few inputs.
const OLD: &str = "unsigned f(unsigned n) {
    unsigned s = 7;
    for (unsigned i = 0; i < n; i++)
        s = s * 5 + (s >> 3 ^ i);
    return s;
}
";

fn new() -> String {
    OLD.replace("return s;", "return n == 3 ? s + 1 : s;")
        .replace("s = s * 5 +", "s = 5 * s -")
        .replace("(s >> 3 ^ i)", "(-(s >> 3 ^ i) * (n < 1000 ? 1 : 3))")
}

/// Cut by counted work, which is the same on a busy machine, and not by the clock.
const CUT: [&str; 4] = ["--effort", "1", "--timeout", "20"];

#[test]
fn a_cut_run_says_what_is_equal_what_differs_and_what_is_open() {
    let folder = Folder::versions(OLD, &new());
    let (code, report) = folder.compare(&CUT);
    let found = pair(&report, "f");
    assert_eq!((code, &found["exact"]), (1, &Value::Bool(false)), "{found:#}");
    let condition = |name: &str| found[name]["c"].as_str().unwrap_or_else(|| panic!("{found:#}"));
    let all = ["equal_under", "differ_under", "open_under"].map(condition);
    assert!(all.iter().all(|c| !["0", "1"].contains(c)), "{all:?}");
    tried_out(&folder, all);
    // A person is told the same.
    let text = folder.run(&[&["old.c", "new.c"], &CUT[..]].concat()).stdout;
    for line in ["differs when ", "equal when ", "undecided when "] {
        assert!(text.contains(&format!("  {line}")), "{text}");
    }
}

/// Of every input exactly one of them holds, and both compiled programs do what it says.
fn tried_out(folder: &Folder, [equal, differ, open]: [&str; 3]) {
    let mut text = String::from("#define f verdiff_old\n#include \"old.c\"\n#undef f\n");
    text.push_str("#define f verdiff_new\n#include \"new.c\"\n#undef f\n");
    let _ = write!(
        text,
        "int main(void) {{ unsigned long long state = 1;\nfor (unsigned round = 0; round < 4000; round++) {{\n\
         state = state * 6364136223846793005ull + 1442695040888963407ull;\n\
         unsigned n = round < 2000 ? round : (unsigned)(state >> 33);\n\
         int equal = !!({equal}), differ = !!({differ}), open = !!({open});\n\
         if (equal + differ + open != 1) return 2;\n\
         if (open) continue;\n\
         if ((verdiff_old(n) != verdiff_new(n)) != differ) return 3; }}\nreturn 0; }}\n"
    );
    let (file, binary) = (folder.path("try.c"), folder.path("try"));
    std::fs::write(&file, text).unwrap();
    let clang =
        Command::new("clang-19").args(["-w", "-O1"]).arg(&file).arg("-o").arg(&binary).status();
    assert!(clang.unwrap().success());
    let status = Command::new(&binary).status().unwrap();
    assert!(status.success(), "{status}: equal {equal}, differ {differ}, open {open}");
}

#[test]
fn however_short_the_time_nothing_wrong_is_said() {
    let folder = Folder::versions(OLD, &new());
    for seconds in ["0.02", "0.05", "0.1", "0.2", "0.5"] {
        let (code, report) = folder.compare(&["--timeout", seconds]);
        let found = pair(&report, "f");
        assert!([1, 3].contains(&code), "{found:#}");
        let condition = |name: &str| found[name]["c"].as_str();
        let all = ["equal_under", "differ_under", "open_under"].map(condition);
        if let [Some(equal), Some(differ), Some(open)] = all {
            tried_out(&folder, [equal, differ, open]);
        }
    }
}
