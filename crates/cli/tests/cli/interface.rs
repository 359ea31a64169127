//! Functions whose signature changed: what is said of the common part.

use crate::support::{Folder, Run, pair};

const OLD: &str = "
int sum(const int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int product(int n) { return n <= 1 ? 1 : n * product(n - 1); }
int low(int x) { return x & 255; }
int negative(int x) { return x < 0; }
float half(float x) { return x / 2; }
int first(int a, int b) { return a; }
int length(const char *s) { return s[0] != 0; }
struct point { int x, y; };
int across(struct point p) { return p.x; }
static int scale(int x) { return 3 * x; }
int price(int n) { return scale(n); }
int main(void) { return product(3); }
";

const NEW: &str = "
int sum(const int *p, int n, int start) { while (n-- > 0) start += *p++; return start; }
int product(int n, int unused) { if (n > 1) return product(n - 1, unused) * n; return 1; }
unsigned char low(long x) { return x; }
int negative(long x) { return x < -1; }
double half(double x) { return x * 0.5; }
int first(int a) { return a; }
int length(long s) { return s != 0; }
struct point { int x, y; };
int across(struct point p, int scale) { return p.x * scale; }
static int scale(int x, _Bool double_it) { return double_it ? 6 * x : 3 * x; }
int price(int n) { return scale(n, 0); }
int main(int argc, char **argv) { return product(3, argc); }
";

/// What is said of the common part of a function.
#[track_caller]
fn said(report: &serde_json::Value, function: &str, words: &str) {
    let pair = pair(report, function);
    assert_eq!(pair["verdict"], "different", "{pair:#}");
    assert_eq!(pair["kinds"], serde_json::json!(["interface"]), "{pair:#}");
    let note = pair["notes"][0].as_str().unwrap_or_default();
    assert!(note.contains(words), "{function}: {note}");
}

#[test]
fn the_common_part_is_compared() {
    let folder = Folder::versions(OLD, NEW);
    let (code, report) = folder.compare(&[]);
    assert_eq!(code, 1);
    said(&report, "product", "equal in the common part");
    said(
        &report,
        "low",
        "equal in the common part: `int low(int x)` and `unsigned char low(long x)`",
    );
    said(&report, "first", "equal in the common part");
    said(&report, "main", "equal in the common part");
    said(&report, "sum", "start = ");
    said(&report, "sum", "confirmed by running both versions");
    said(&report, "scale", "confirmed by running both versions");
    // An argument that has other bits in the wider type cannot be given to both compiled functions.
    said(&report, "negative", "predicted to differ, for instance with x = -1, but");
    said(&report, "length", "the parameter s has a type of another kind");
    said(&report, "across", "structs are passed or returned by value");
    assert_eq!(pair(&report, "price")["verdict"], "equivalent");
}

#[test]
fn what_is_compared_of_them_is_no_function_of_its_own() {
    let folder = Folder::versions(OLD, NEW);
    let (_, report) = folder.compare(&[]);
    let pairs = report["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 11, "{report:#}");
    let (_, report) = folder.compare(&["--entry", "first"]);
    assert_eq!(report["pairs"].as_array().unwrap().len(), 1);
}

#[test]
fn differences_in_the_common_part_are_run_again() {
    let folder = Folder::versions(OLD, NEW);
    let run: Run = folder.run(&["old.c", "new.c", "-q", "-o", "r.json"]);
    assert_eq!(run.code, Some(1), "{run:#?}");
    let run = folder.run(&["replay", "r.json", "scale"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), "scale: confirmed\n"));
    let run = folder.run(&["replay", "r.json", "negative"]);
    assert!(run.stdout.starts_with("negative: not-run: an argument is converted"), "{run:#?}");
}
