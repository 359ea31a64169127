//! Exit codes, as diff has them and one more: 2 wins over 1, 1 over 3.

use crate::support::{Folder, verdict};

const EQUAL: (&str, &str) =
    ("int twice(int x) { return x + x; }\n", "int twice(int x) { return 2 * x; }\n");
const DIFFERENT: (&str, &str) = (
    "int limit(int x) { return x > 9 ? 9 : x; }\n",
    "int limit(int x) { return x > 8 ? 8 : x; }\n",
);
/// A change in how a function reads its further arguments, which is not modelled.
const OPEN: (&str, &str) = (
    "int first(long double n, ...) { __builtin_va_list a; __builtin_va_start(a, n); return __builtin_va_arg(a, int); }\n",
    "int first(long double n, ...) { __builtin_va_list a; __builtin_va_list b; __builtin_va_start(b, n); __builtin_va_copy(a, b); return __builtin_va_arg(a, int); }\n",
);

#[track_caller]
fn check(parts: &[(&str, &str)], options: &[&str], code: i32) {
    let [old, new] = [|p: &(&str, &str)| p.0.to_owned(), |p: &(&str, &str)| p.1.to_owned()]
        .map(|side| parts.iter().map(side).collect::<String>());
    let run = Folder::versions(&old, &new).run(&[&["old.c", "new.c"], options].concat());
    assert_eq!(run.code, Some(code), "{run:#?}");
}

#[test]
fn equivalent_is_0() {
    check(&[EQUAL], &[], 0);
}

#[test]
fn different_is_1() {
    check(&[EQUAL, DIFFERENT], &[], 1);
}

#[test]
fn undecided_is_3() {
    check(&[EQUAL, OPEN], &[], 3);
}

#[test]
fn a_difference_wins_over_what_is_undecided() {
    check(&[OPEN, DIFFERENT], &[], 1);
}

#[test]
fn trouble_wins_over_a_difference() {
    check(&[DIFFERENT], &["-o", "no/such/folder/report.json"], 2);
}

#[test]
fn only_entries_count() {
    check(&[EQUAL, DIFFERENT, OPEN], &["--entry", "twice"], 0);
    check(&[EQUAL, DIFFERENT, OPEN], &["--entry", "first", "--entry", "twice"], 3);
    check(&[EQUAL, DIFFERENT, OPEN], &["--entry", "limit", "--entry", "first"], 1);
}

#[test]
fn callees_of_an_entry_do_not_count() {
    let client = "int small(int x) { return limit(x & 7); }\n";
    let (old, new) = (DIFFERENT.0.to_owned() + client, DIFFERENT.1.to_owned() + client);
    let (code, report) = Folder::versions(&old, &new).compare(&["--entry", "small"]);
    assert_eq!((code, verdict(&report, "small").as_str()), (0, "equivalent"));
    assert_eq!(report["pairs"].as_array().unwrap().len(), 1);
}

#[test]
fn added_and_removed_functions_are_listed_and_do_not_count() {
    let folder = Folder::versions(
        "int same(void) { return 1; }\nint before(void) { return 2; }\n",
        "int same(void) { return 1; }\nint after(void) { return 2; }\n",
    );
    let (code, report) = folder.compare(&[]);
    assert_eq!(code, 0, "{report:#}");
    assert_eq!(verdict(&report, "before"), "removed");
    assert_eq!(verdict(&report, "after"), "added");
    assert_eq!(report["summary"]["added"], 1);
    assert_eq!(report["summary"]["removed"], 1);
    let text = folder.run(&["old.c", "new.c"]).ok();
    assert!(text.contains("before: removed  old.c:2"), "{text}");
    assert!(text.contains("after: added  new.c:2"), "{text}");
}

#[test]
fn a_changed_signature_is_a_difference_of_its_own_kind() {
    let folder = Folder::versions("int f(int x) { return x; }\n", "long f(long x) { return x; }\n");
    let (code, report) = folder.compare(&[]);
    assert_eq!((code, verdict(&report, "f").as_str()), (1, "different"), "{report:#}");
    assert_eq!(report["pairs"][0]["kinds"], serde_json::json!(["interface"]));
}

#[test]
fn a_hang_counts_unless_it_is_ignored() {
    let old = "int wait_for(int x) { while (x == 2) { } return x; }\n";
    let folder = Folder::versions("int wait_for(int x) { return x; }\n", old);
    let (code, report) = folder.compare(&[]);
    assert_eq!((code, verdict(&report, "wait_for").as_str()), (1, "different"), "{report:#}");
    let pair = &report["pairs"][0];
    assert_eq!(pair["kinds"], serde_json::json!(["termination"]));
    assert_eq!(pair["termination"], "split");
    assert_eq!(pair["split_under"]["old_only"], "x == 2");
    assert_eq!(pair["split_under"]["new_only"], "0");
    assert_eq!(pair["alike_under"]["c"], "x != 2");
    assert_eq!(pair["witness"]["new"]["diverges"], true);
    assert_eq!(pair["witness"]["replay"], "confirmed");
    let (code, report) = folder.compare(&["--ignore-termination"]);
    assert_eq!((code, verdict(&report, "wait_for").as_str()), (0, "equivalent"), "{report:#}");
    assert_eq!(report["pairs"][0]["termination"], "split");
}

#[test]
fn a_proof_of_equal_ends_is_asked_for_by_full_only() {
    let folder = Folder::versions(
        "unsigned count(unsigned n) { unsigned c = 0; while (n) { n &= n - 1; c++; } return c; }\n",
        "unsigned count(unsigned n) { unsigned c = 0; while (n) { c++; n &= n - 1; } return c; }\n",
    );
    // The same code but for its order is proved to end alike as well.
    let (code, report) = folder.compare(&["--criterion", "full"]);
    assert_eq!(report["options"]["criterion"], "full");
    match verdict(&report, "count").as_str() {
        "equivalent" => {
            assert_eq!((code, &report["pairs"][0]["termination"]), (0, &"alike".into()))
        }
        other => assert_eq!((code, other.starts_with("unknown")), (3, true), "{other}"),
    }
}
