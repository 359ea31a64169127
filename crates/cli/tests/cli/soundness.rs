//! What once came out as equal and is not, or rests on something that a report must say. Pairs that run alike everywhere
//! are cases of the corpus (`corpus/soundness`); here are those whose truth depends on linker, process or layout.

use crate::support::{Folder, pair, verdict};
use serde_json::Value;

/// Compares a text with itself after one replacement.
#[track_caller]
fn changed(text: &str, from: &str, to: &str) -> (i32, Value) {
    assert!(text.contains(from), "{from}");
    Folder::versions(text, &text.replacen(from, to, 1)).compare(&["--timeout", "3"])
}

/// A function must not come out as equal after one replacement.
#[track_caller]
fn not_equal(function: &str, text: &str, from: &str, to: &str) -> Value {
    let (code, report) = changed(text, from, to);
    assert_ne!(code, 0, "{report:#}");
    assert_ne!(verdict(&report, function), "equivalent", "{report:#}");
    report
}

/// A function must not come out as different after one replacement.
#[track_caller]
fn assumed(function: &str, text: &str, from: &str, to: &str, assumption: &str) {
    let (_, report) = changed(text, from, to);
    assert_eq!(verdict(&report, function), "equivalent", "{report:#}");
    let all = report["assumptions"].as_array().unwrap();
    let said = all.iter().any(|a| a.as_str().unwrap().starts_with(assumption));
    assert!(said, "{all:#?}");
}

#[track_caller]
fn says_of_global(report: &Value, name: &str, note: &str) {
    let global = pair(report, &format!("(global) {name}"));
    assert_eq!(global["verdict"], "different");
    assert_eq!(global["notes"][0], note, "{global:#}");
}

#[test]
fn assembly_is_taken_to_be_deterministic() {
    let text = "unsigned f(unsigned x) { unsigned r; __asm__(\"roll $3, %0\" : \"=r\"(r) : \"0\"(x)); return r * 2; }\n";
    assumed("f", text, "r * 2", "r + r", "inline assembly is deterministic");
    not_equal("f", text, "$3", "$4");
}

#[test]
fn compound_literals_of_lists_are_followed() {
    let text = "struct s { int a; struct s *n; };\n\
        static struct s *list = &(struct s){1, &(struct s){2, 0}};\n\
        int main(void) { return list->n->a; }\n";
    let report = not_equal("main", text, "{2, 0}", "{3, 0}");
    let name = "list.literal.literal";
    says_of_global(&report, name, &format!("the initial value of the global {name} changed"));
}

#[test]
fn compound_literals_behind_constant_pointers_are_globals() {
    let text = "static int *const p = (int[]){1, 2, 3};\nint f(void) { return p[0]; }\n";
    let (code, report) = changed(text, "{1", "{5");
    assert_eq!(code, 1);
    // Nobody writes to it, so the function reads a constant.
    assert_eq!(verdict(&report, "f"), "different");
    let text = format!("{text}void set(int x) {{ p[1] = x; }}\n");
    let (code, report) = changed(&text, "{1", "{5");
    assert_eq!(code, 1);
    says_of_global(&report, "f.literal", "the initial value of the global f.literal changed");
}

#[test]
fn globals_may_be_neighbours() {
    not_equal("f", "int a[4], b[4];\nint f(void) { return a + 4 == b; }\n", "a + 4 == b", "0");
}

#[test]
fn constructors_run_before_main() {
    let text = "static int x = 1;\n\
        __attribute__((constructor)) static void first(void) { x = 2; }\n\
        int main(void) { return x; }\n";
    let report = not_equal("main", text, "constructor", "used");
    let note = "other functions run before or after main, or in another order";
    says_of_global(&report, "startup", note);
    // What a constructor does is what main starts from.
    not_equal("main", text, "x = 2", "x = 3");
    // From the initialisers alone these would differ.
    let text = text.replace("return x;", "return x == 1 ? 1 : 4;");
    let (_, report) = changed(&text, "? 1", "? 3");
    assert_eq!(verdict(&report, "main"), "unknown(incomplete)");
}

#[test]
fn constructors_run_in_an_order() {
    let text = "static int x = 1;\n\
        __attribute__((constructor(101))) static void first(void) { x = 2; }\n\
        __attribute__((constructor(101))) static void second(void) { x = 3; }\n\
        int main(void) { return x; }\n";
    not_equal("main", text, "(101)", "(102)");
}

#[test]
fn handlers_see_memory_at_exit() {
    let text = "#include <stdlib.h>\n#include <stdio.h>\nstatic int x;\n\
        static void tell(void) { printf(\"%d\\n\", x); }\n\
        int main(void) { atexit(tell); x = 1; exit(0); }\n";
    not_equal("main", text, "x = 1", "x = 2");
    let destructor = "static int x;\n#include <stdio.h>\n#include <stdlib.h>\n\
        __attribute__((destructor)) static void tell(void) { printf(\"%d\\n\", x); }\n\
        void leave(void) { x = 1; exit(0); }\n";
    not_equal("leave", destructor, "x = 1", "x = 2");
}

#[test]
fn handlers_are_part_of_main() {
    let text = "#include <stdlib.h>\n#include <stdio.h>\n\
        static void tell(void) { puts(\"a\"); }\n\
        int main(void) { atexit(tell); return 0; }\n";
    not_equal("main", text, "\"a\"", "\"b\"");
    let report = not_equal("tell", text, "puts(\"a\");", "for (;;);");
    assert_ne!(pair(&report, "main")["termination"], "alike");
}

#[test]
fn numbers_may_be_distances_between_objects() {
    let text = "#include <stdint.h>\nchar g;\nuintptr_t off;\n\
        void set(char *p) { off = (uintptr_t)p - (uintptr_t)&g; }\n\
        char f(void) { char r = *(char *)((uintptr_t)&g + off); return off == 0 ? r : r; }\n";
    not_equal("f", text, ": r;", ": r + 1;");
}

#[test]
fn magnitudes_of_comparisons_are_assumed() {
    let text = "#include <string.h>\n\
        int f(const unsigned char *p, const unsigned char *q) { return memcmp(p, q, 1); }\n";
    assumed("f", text, "memcmp(p, q, 1)", "p[0] - q[0]", "memcmp, strcmp and strncmp return");
}

#[test]
fn addresses_that_are_printed_can_be_read() {
    let text = "#include <stdio.h>\nstatic int x;\n\
        int f(void) { char b[32]; int *q; sprintf(b, \"%p\", (void *)&x);\n\
        sscanf(b, \"%p\", (void **)&q); x = 1; *q = 2; return x; }\n";
    not_equal("f", text, "return x", "return 1");
    let number = text.replace("\"%p\", (void *)&x", "\"0x%lx\", (unsigned long)&x");
    not_equal("f", &number, "return x", "return 1");
}

#[test]
fn addresses_that_are_written_can_be_read() {
    let text = "#include <stdio.h>\nstatic int x;\n\
        int f(FILE *file) { int *p = &x, *q = 0; fwrite(&p, 8, 1, file); rewind(file);\n\
        if (fread(&q, 8, 1, file) != 1) return 7; x = 1; *q = 2; return x; }\n";
    not_equal("f", text, "return x", "return 1");
}

#[test]
fn the_environment_is_memory() {
    let text = "#include <stdlib.h>\nextern char **environ;\n\
        char *f(char **e) { environ = e; char *r = getenv(\"a\"); return r; }\n";
    let swapped = "char *r = getenv(\"a\"); environ = e;";
    not_equal("f", text, "environ = e; char *r = getenv(\"a\");", swapped);
    let text = "#include <stdlib.h>\nstatic char b[8] = \"A=1\";\n\
        int f(void) { putenv(b); b[0] = 'B'; char *e = getenv(\"A\"); return e != 0; }\n";
    let swapped = "char *e = getenv(\"A\"); b[0] = 'B';";
    not_equal("f", text, "b[0] = 'B'; char *e = getenv(\"A\");", swapped);
}

#[test]
fn weak_functions_may_be_missing() {
    let weak = "extern int g(void) __attribute__((weak));\n";
    not_equal("f", &format!("{weak}int f(void) {{ return g != 0; }}\n"), "g != 0", "1");
    not_equal("f", &format!("{weak}int f(void) {{ return g ? g() : 0; }}\n"), "g ? g() : 0", "g()");
    let hook = "extern void hook(int) __attribute__((weak));\n\
        int f(int x) { if (hook) hook(x); return x; }\n";
    not_equal("f", hook, "if (hook) ", "");
    // The test itself may be written in another way.
    let (code, _) = changed(hook, "if (hook) hook(x);", "if (!hook) return x; hook(x);");
    assert_eq!(code, 0);
}

#[test]
fn weak_objects_may_be_missing() {
    let text = "extern int v __attribute__((weak));\nint f(void) { return &v != 0; }\n";
    not_equal("f", text, "&v != 0", "1");
}

#[test]
fn weak_definitions_are_assumed_to_be_used() {
    let used = "no other file overrides these weak definitions: ";
    let text = "__attribute__((weak)) const int w = 3;\nint f(void) { return w; }\n";
    assumed("f", text, "return w", "return 3", &format!("{used}w"));
    let text = "__attribute__((weak)) int g(int x) { return x; }\nint f(int x) { return g(x); }\n";
    assumed("f", text, "return g(x)", "return x", &format!("{used}g"));
}

#[test]
fn exported_data_is_part_of_the_program() {
    let text = "const int table[2] = {1, 2};\nint size = 4;\nint f(void) { return 0; }\n";
    let (code, report) = changed(text, "{1, 2}", "{1, 3}");
    assert_eq!(code, 1);
    says_of_global(&report, "table", "the initial value of the global table changed");
    let (code, report) = changed(text, "int size = 4;", "");
    assert_eq!(code, 1);
    says_of_global(&report, "size", "the global size was removed");
    let (_, report) = changed(text, "int size", "long size");
    says_of_global(&report, "size", "the global size had 4 bytes and has 8");
    let (code, _) = changed(text, "int size", "static int size");
    assert_eq!(code, 1);
    let (code, _) = changed(text, "int f", "int more;\nint f");
    assert_eq!(code, 0, "what is new harms nobody");
}

#[test]
fn rounding_may_be_changed() {
    let text = "#include <fenv.h>\n\
        double f(double a, double b) { fesetround(FE_UPWARD); double r = a + b; return r; }\n";
    let swapped = "double r = a + b; fesetround(FE_UPWARD);";
    not_equal("f", text, "fesetround(FE_UPWARD); double r = a + b;", swapped);
}

#[test]
fn addresses_may_go_through_floats() {
    let text = "#include <stdint.h>\nstatic int x;\n\
        int f(void) { double d = (double)(uintptr_t)&x; int *q = (int *)(uintptr_t)d;\n\
        x = 1; *q = 2; return x; }\n";
    not_equal("f", text, "return x", "return 1");
}

#[test]
fn inline_bodies_in_headers_are_seen() {
    let folder = Folder::with(&[
        ("old/next.h", "inline int next(int x) { return x + 1; }\n"),
        ("new/next.h", "inline int next(int x) { return x + 2; }\n"),
        ("old/a.c", "#include \"next.h\"\nint step(int x) { return next(x); }\n"),
        ("new/a.c", "#include \"next.h\"\nint step(int x) { return next(x); }\n"),
        ("old/b.c", "#include \"next.h\"\nextern inline int next(int x);\n"),
        ("new/b.c", "#include \"next.h\"\nextern inline int next(int x);\n"),
    ]);
    for files in [
        &["old/a.c", "new/a.c"][..],
        &["--old", "old/a.c", "old/b.c", "--new", "new/a.c", "new/b.c"],
    ] {
        let run = folder.run(&[files, &["--format", "json"]].concat());
        let report: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:#?}"));
        assert_eq!(verdict(&report, "step"), "different", "{report:#}");
        assert_eq!(verdict(&report, "next"), "different");
    }
}

/// The linker numbers variables of one name, and differently in a version that has one more of them: `limit.1`, `limit.2`.
#[test]
fn static_variables_of_one_name_are_those_of_their_files() {
    let file = |more: &str, limit: u32, function: &str| {
        format!(
            "{more}static int limit = {limit};\n\
             void raise_{function}(int n) {{ limit = n; }}\n\
             int {function}(int x) {{ return x > limit; }}\n"
        )
    };
    let more = "static int count;\nint counted(void) { return count++; }\n";
    let other = more.replace("counted", "counted_too");
    let folder = Folder::with(&[
        ("old/a.c", &file(more, 3, "over")),
        ("old/b.c", &file("", 5, "above")),
        ("new/a.c", &file(more, 3, "over")),
        ("new/b.c", &file(&other, 5, "above")),
        ("other/b.c", &file(&other, 6, "above").replace("limit = n", "(void)n")),
    ]);
    let compare = |new: &str| {
        let files = ["--old", "old/a.c", "old/b.c", "--new", "new/a.c", new, "--format", "json"];
        let run = folder.run(&files);
        serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:#?}"))
    };
    let report: Value = compare("new/b.c");
    for function in ["over", "above", "raise_over", "raise_above"] {
        assert_eq!(pair(&report, function)["changed"], "no", "{report:#}");
    }
    // A file that comes first takes the name.
    let files = ["--old", "old/b.c", "--new", "new/a.c", "old/b.c", "--format", "json"];
    let run = folder.run(&files);
    let alone: Value = serde_json::from_str(&run.stdout).unwrap();
    for function in ["above", "raise_above"] {
        assert_eq!(pair(&alone, function)["changed"], "no", "{alone:#}");
    }
    let report: Value = compare("other/b.c");
    assert_eq!(pair(&report, "over")["changed"], "no", "{report:#}");
    assert_eq!(verdict(&report, "raise_above"), "different", "{report:#}");
}

/// True for one number that no test run finds.
const RARE: &str = "static int rare(unsigned long v) {\n\
    v ^= v >> 29; v *= 0xbf58476d1ce4e5b9ul; v ^= v >> 32; v = v * v * 2 + v;\n\
    v ^= v >> 29; v *= 0xbf58476d1ce4e5b9ul; v ^= v >> 32; v = v * v * 2 + v;\n\
    v ^= v >> 29; v *= 0xbf58476d1ce4e5b9ul; v ^= v >> 32; v = v * v * 2 + v;\n\
    return v == 4333656119931578298ul; }\n";

/// A static variable was taken for one of the same name that all files see, if the names of their files were alike or one of them had
/// become the other.
#[test]
fn a_static_variable_is_not_one_that_all_files_see() {
    let public = "int n;\nint *ext_n(void) { return &n; }\n";
    let hidden = "static int n;\nint *ext_n(void) { return &n; }\n";
    let before =
        format!("{RARE}int n;\nint *ext_n(void);\nint g(unsigned long v) {{ return !rare(v); }}\n");
    let after =
        before.replace("int n;", "static int n;").replace("!rare(v)", "!rare(v) || &n != ext_n()");
    let same = format!(
        "{RARE}static int n;\nint *ext_n(void);\nint *g(unsigned long v) {{ return &n; }}\n"
    );
    let other = same.replace("return &n", "return rare(v) ? ext_n() : &n");
    let third = "static int n;\nint third(void) { return n++; }\n";
    let folder = Folder::with(&[
        ("old/a.c", &before),
        ("old/b.c", hidden),
        ("new/a.c", &after),
        ("new/b.c", public),
        ("old/y/a.c", &same),
        ("new/y/a.c", &other),
        ("x/a.c", public),
        ("z/b.c", third),
    ]);
    for files in [
        &["--old", "old/a.c", "old/b.c", "--new", "new/a.c", "new/b.c"][..],
        &["--old", "x/a.c", "old/y/a.c", "z/b.c", "--new", "x/a.c", "new/y/a.c", "z/b.c"],
    ] {
        let run = folder.run(&[files, &["--format", "json", "--timeout", "5"]].concat());
        let report: Value =
            serde_json::from_str(&run.stdout).unwrap_or_else(|e| panic!("{e}: {run:#?}"));
        assert_ne!(verdict(&report, "g"), "equivalent", "{report:#}");
    }
}

/// A library looks for some variables by name; `getopt` prints nothing if `opterr` is zero.
#[test]
fn a_variable_that_all_files_see_is_seen_by_libraries() {
    let text = "#include <stdio.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) {\n\
        int c;\nwhile ((c = getopt(argc, argv, \"a\")) != -1) printf(\"%d\\n\", c);\nreturn 0;\n}\n";
    let (_, report) = changed(text, "int main", "int opterr = 0;\nint main");
    let main = pair(&report, "main");
    assert_ne!(main["changed"], "no", "{report:#}");
    assert_ne!(main["verdict"], "equivalent", "{report:#}");
    // In a function that `main` calls, too.
    let text = "#include <stdio.h>\n#include <unistd.h>\n\
        static int next(int argc, char **argv) { return getopt(argc, argv, \"a\"); }\n\
        int main(int argc, char **argv) { printf(\"%d\\n\", next(argc, argv)); return 0; }\n";
    let (_, report) = changed(text, "int main", "int opterr = 0;\nint main");
    assert_ne!(pair(&report, "main")["verdict"], "equivalent", "{report:#}");
    // Both versions have it, and it begins with another value.
    let text = format!("int opterr = 1;\n{text}");
    let (_, report) = changed(&text, "opterr = 1", "opterr = 0");
    assert_ne!(pair(&report, "main")["verdict"], "equivalent", "{report:#}");
}

#[test]
fn a_struct_that_is_passed_by_value_is_there() {
    let text = "struct list { int items[10]; };\n\
        int fourth(struct list l) { return l.items[3]; }\n";
    let (_, report) = changed(text, "items[3]", "items[3] + 1");
    assert_eq!(pair(&report, "fourth")["differ_under"]["c"], "1", "{report:#}");
}

#[test]
fn what_another_file_defines_has_no_initial_value_here() {
    let text = "extern int table[4];\nint first(void) { return table[0]; }\n";
    let (_, report) = changed(text, "table[4]", "table[5]");
    let pairs = report["pairs"].as_array().unwrap();
    assert!(pairs.iter().all(|p| p["function"] != "(global) table"), "{report:#}");
}

/// LLVM allows any name, and `&g` is what formulas call the address of `g`. A parameter of that name was taken for the address:
/// for a multiple of four, so that no odd number was left for which the versions differ.
#[test]
fn a_parameter_is_not_taken_for_the_address_of_a_global() {
    let module = |body: &str| {
        format!(
            "@g = global i32 0, align 4\n\
             define i32 @f(i64 %\"&g\") {{\n  store i32 5, ptr @g, align 4\n{body}}}\n"
        )
    };
    let hashed = "  %a = ptrtoint ptr @g to i64\n\
                  \x20 %b = mul i64 %\"&g\", -7046029254386353131\n\
                  \x20 %c = lshr i64 %b, 29\n\
                  \x20 %d = xor i64 %b, %c\n\
                  \x20 %h = icmp eq i64 %d, 906252358721246503\n\
                  \x20 %k = and i64 %\"&g\", 1\n\
                  \x20 %r = select i1 %h, i64 %k, i64 0\n\
                  \x20 %t = trunc i64 %r to i32\n\
                  \x20 ret i32 %t\n";
    let folder = Folder::with(&[("old.ll", &module("  ret i32 0\n")), ("new.ll", &module(hashed))]);
    let run = folder.run(&["old.ll", "new.ll", "--format", "json", "--timeout", "60"]);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(verdict(&report, "f"), "different", "{report:#}");
}

/// What a recursive function returns is known of calls of that function alone, not of all that are recursive.
#[test]
fn another_recursive_function_returns_something_else() {
    let text = "unsigned g(unsigned b, unsigned n) { if (n == 0) return 5; return 3 * g(b, n - 1) + b; }\n\
        unsigned f(unsigned b, unsigned n) { if (n == 0) return 1; return b * f(b, n - 1); }\n";
    let by_halves = "unsigned h = f(b, n / 2); return n & 1 ? h * h * b : h * h;";
    let from = "return b * f(b, n - 1);";
    let rarely = by_halves.replace("f(b, n / 2)", "n == 700001 ? g(b, n / 2) : f(b, n / 2)");
    not_equal("f", text, from, &rarely);
    let (_, report) = changed(text, from, by_halves);
    assert_eq!(verdict(&report, "f"), "equivalent", "{report:#}");
}
