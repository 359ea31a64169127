//! The library makes the report of the program, although it judges pairs on threads.

use crate::support::Folder;
use serde_json::Value;
use verdiff::{Options, Source, Workers, compare};

/// One of each: proved by induction, different in a caller and its callee, undecided, added.
const OLD: &str = "int sum(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }\n\
                   int odd(int n) { return n % 2 == 1; }\n\
                   int count(int n) { return odd(n) + 1; }\n\
                   int wide(int x) { _BitInt(256) y = x; return (int)(y + 1); }\n";
const NEW: &str = "int sum(int n) { int s = 0, i = 0; while (i < n) { s = i + s; i++; } return s; }\n\
                   int odd(int n) { return n & 1; }\n\
                   int count(int n) { return odd(n) + 1; }\n\
                   int wide(int x) { _BitInt(256) y = x; return (int)(y + 2); }\n\
                   int more(void) { return 1; }\n";

#[test]
fn the_library_and_the_program_make_the_same_report() {
    let folder = Folder::versions(OLD, NEW);
    let (code, of_program) = folder.compare(&[]);
    let of_program = comparable(of_program);
    assert_eq!(of_program["summary"]["different"], 2, "{of_program:#}");
    let [old, new] = [OLD, NEW].map(Source::text);
    let processes =
        Workers::Processes { program: env!("CARGO_BIN_EXE_verdiff").into(), memory: 2048 };
    for workers in [Workers::Threads, processes] {
        let options = Options { workers: workers.clone(), ..Options::default() };
        let compared = compare(&old, &new, &options).unwrap();
        let of_library = comparable(compared.json());
        assert_eq!(of_library, of_program, "{workers:?}:\n{of_library:#}\n{of_program:#}");
        assert_eq!(i32::from(compared.exit_code()), code);
    }
}

/// A report without times, and without the memory limit that threads do not have.
fn comparable(mut report: Value) -> Value {
    if let Some(options) = report["options"].as_object_mut() {
        options.remove("memory");
    }
    without_times(&mut report);
    report
}

fn without_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("ms");
            fields.values_mut().for_each(without_times);
        }
        Value::Array(values) => values.iter_mut().for_each(without_times),
        _ => {}
    }
}
