//! What the options of the library do, on texts.

use verdiff::{Answer, Error, Interrupt, Options, Source, Verdict, compare};

const OLD: &str = "int f(int n) { return n > 0 ? n : 0; }\nint g(int n) { return n / 2; }\n";
const NEW: &str = "int f(int n) { return n > 0 ? n : -n; }\nint g(int n) { return n >> 1; }\n";

fn versions() -> [Source; 2] {
    [Source::text(OLD), Source::text(NEW)]
}

#[test]
fn the_entry_and_a_precondition_decide_what_is_judged() {
    let [old, new] = versions();
    let assume = vec![("g".to_owned(), "n >= 0".to_owned())];
    let options = Options { entry: vec!["g".to_owned()], assume, ..Options::default() };
    let compared = compare(&old, &new, &options).unwrap();
    let g = compared.function("g").unwrap();
    assert_eq!(g.answer, Answer::Judged(Verdict::Equivalent { vacuous: false }));
    assert_eq!(g.assuming, ["n >= 0"]);
    assert!(compared.report.pairs.iter().all(|pair| pair.function == "g" || !pair.counts));
    assert_eq!(compared.exit_code(), 0);
}

#[test]
fn a_test_is_part_of_the_report_and_texts_have_names() {
    let [old, new] = versions();
    let entry = vec!["f".to_owned()];
    let compared = compare(&old, &new, &Options { entry, tests: true, ..Options::default() });
    let compared = compared.unwrap();
    let f = compared.function("f").unwrap();
    assert_eq!(f.tests.len(), 1);
    assert!(f.tests[0].1.contains("#include SOURCE"), "{}", f.tests[0].1);
    assert_eq!(compared.report.new_files, ["new.c"]);
    assert_eq!(f.new.as_ref().map(|place| place.file.as_str()), Some("new.c"));
    // The formats that show code find it.
    assert!(compared.text().contains("return n > 0 ? n : -n;"), "{}", compared.text());
    let html = compared.html().unwrap();
    assert!(html.starts_with("<!doctype html>") && html.contains(": -n;"), "{html}");
    assert_eq!(compared.exit_code(), 1);
}

#[test]
fn a_name_that_does_not_exist_is_an_error() {
    let [old, new] = versions();
    let options = Options { entry: vec!["h".to_owned()], ..Options::default() };
    let error = compare(&old, &new, &options).unwrap_err();
    assert!(matches!(error, Error::Plan(_)), "{error}");
    assert!(error.to_string().starts_with("h: no such function"), "{error}");
}

#[test]
fn a_comparison_that_is_interrupted_says_so() {
    let [old, new] = versions();
    let interrupt = Interrupt::default();
    interrupt.request();
    let compared = compare(&old, &new, &Options { interrupt, ..Options::default() }).unwrap();
    assert!(compared.report.interrupted);
    let undecided = |answer: &Answer| matches!(answer, Answer::Judged(Verdict::Unknown(_)));
    assert!(compared.report.pairs.iter().all(|pair| undecided(&pair.answer)));
}
