//! What a person sees, verdict by verdict.

#![allow(missing_docs)]

mod common;

use common::*;
use expect_test::{Expect, expect};
use verdiff_judge::report::{Answer, PairReport, Report};
use verdiff_judge::{
    Changed, EndShown, ExternalShown, FillShown, Kind, MemoryShown, Replay, StopReason,
    Termination, ValueShown, Verdict, WitnessShown,
};
use verdiff_report::{Style, text};

const OLD: &str = "#include <stdio.h>\n\nint f(int x) {\n    int y = x + 1;\n    return y;\n}\n";
const NEW: &str =
    "#include <stdio.h>\n\nint f(int x) {\n    int y = x + 1;\n    return 10 / (y - 5);\n}\n";

fn sources(name: &str) -> Option<String> {
    match name {
        "old.c" => Some(OLD.to_owned()),
        "new.c" => Some(NEW.to_owned()),
        _ => None,
    }
}

fn check_report(report: &Report, style: Style, expect: Expect) {
    expect.assert_eq(&text(report, &sources, &style));
}

fn check(pairs: Vec<PairReport>, expect: Expect) {
    check_report(&Report { assumptions: vec![], ..report(pairs) }, Style::default(), expect);
}

fn four() -> WitnessShown {
    WitnessShown {
        inputs: inputs(&[("x", int(4))]),
        old: returned(int(5)),
        new: returned(int(10)),
        ..WitnessShown::default()
    }
}

fn mixed() -> Report {
    let unchanged =
        pair("same", Changed::No, Answer::Judged(Verdict::Equivalent { vacuous: false }));
    let callees = PairReport {
        changed: Changed::Callees,
        ..different("caller", false, &[Kind::Value], "x > 3", four())
    };
    report(vec![equivalent("twice"), unchanged, callees, equivalent("last")])
}

#[test]
fn equivalent_functions_take_a_line_and_unchanged_ones_none() {
    check_report(
        &mixed(),
        Style::default(),
        expect![[r#"
        twice: equivalent (both compute x * 2)  old.c:3, new.c:3

        caller: different (value)  old.c:3, new.c:3
          differs when x > 3

          input   old         new
          x = 4   returns 5   returns 10

          run on both compiled programs

            3 | int f(int x) {
            4 |     int y = x + 1;
          - 5 |     return y;
          + 5 |     return 10 / (y - 5);
            6 | }
              = the new version returns 10 where the old one returns 5

        last: equivalent (both compute x * 2)  old.c:3, new.c:3

        2 equivalent, 1 different, 0 unknown, 1 unchanged
        assuming: signed overflow wraps; external functions are deterministic
    "#]],
    );
}

#[test]
fn verbose_says_more_and_quiet_says_less() {
    let verbose = Style { verbose: 2, width: 60, ..Style::default() };
    check_report(
        &mixed(),
        verbose,
        expect![[r#"
            twice: equivalent (both compute x * 2)  old.c:3, new.c:3
              flat: proved equal (1.2 ms)

            same: equivalent (unchanged)  old.c:3, new.c:3

            caller: different (value)  old.c:3, new.c:3
              differs when x > 3

              input   old         new
              x = 4   returns 5   returns 10

              run on both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            last: equivalent (both compute x * 2)  old.c:3, new.c:3
              flat: proved equal (1.2 ms)

            2 equivalent, 1 different, 0 unknown, 1 unchanged
            assuming: signed overflow wraps; external functions are
              deterministic
        "#]],
    );
    let quiet = Style { quiet: true, ..Style::default() };
    check_report(
        &mixed(),
        quiet,
        expect![[r#"
        caller: different (value)  old.c:3, new.c:3
        2 equivalent, 1 different, 0 unknown, 1 unchanged
    "#]],
    );
}

#[test]
fn what_is_known_of_equivalence_is_said() {
    let mut vacuous = equivalent("vacuous");
    vacuous.answer = Answer::Judged(Verdict::Equivalent { vacuous: true });
    let mut assuming = equivalent("assuming");
    assuming.assuming = vec!["n >= 0".to_owned()];
    assuming.counts = false;
    let mut renamed = equivalent("before");
    renamed.renamed = Some("after".to_owned());
    check(
        vec![vacuous, assuming, renamed],
        expect![[r#"
        vacuous: equivalent (both compute x * 2; vacuous: no run is known in which both end)  old.c:3, new.c:3

        assuming: equivalent (both compute x * 2)  old.c:3, new.c:3  [does not count]
          assuming n >= 0

        before (now after): equivalent (both compute x * 2)  old.c:3, new.c:3

        3 equivalent, 0 different, 0 unknown, 0 unchanged
    "#]],
    );
}

#[test]
fn a_different_value_exactly() {
    let mut pair = different("f", true, &[Kind::Value], "x == 4", four());
    pair.equal_under = condition("x != 4");
    pair.witness.as_mut().unwrap().candidate.unique = true;
    pair.notes = vec!["x is never 4 in this file".to_owned()];
    check(
        vec![pair],
        expect![[r#"
        f: different (value)  old.c:3, new.c:3
          differs exactly when x == 4

          input   old         new
          x = 4   returns 5   returns 10

          run on both compiled programs; this is the only such input

            3 | int f(int x) {
            4 |     int y = x + 1;
          - 5 |     return y;
          + 5 |     return 10 / (y - 5);
            6 | }
              = the new version returns 10 where the old one returns 5
          note: x is never 4 in this file

        0 equivalent, 1 different, 0 unknown, 0 unchanged
    "#]],
    );
}

#[test]
fn a_different_value_not_exactly() {
    let mut pair = different("f", false, &[Kind::Value], "x == 4", four());
    pair.equal_under = condition("x < 4");
    check(
        vec![pair],
        expect![[r#"
        f: different (value)  old.c:3, new.c:3
          differs when x == 4
          equal when x < 4

          input   old         new
          x = 4   returns 5   returns 10

          run on both compiled programs

            3 | int f(int x) {
            4 |     int y = x + 1;
          - 5 |     return y;
          + 5 |     return 10 / (y - 5);
            6 | }
              = the new version returns 10 where the old one returns 5

        0 equivalent, 1 different, 0 unknown, 0 unchanged
    "#]],
    );
    let mut witness_only = different("f", false, &[Kind::Value], "0", four());
    witness_only.new = None;
    let everywhere = different("f", true, &[Kind::Value], "1", four());
    let mut unsayable = different("f", true, &[Kind::Value], "x", four());
    unsayable.differ_under.c = None;
    check(
        vec![witness_only, everywhere, unsayable],
        expect![[r#"
            f: different (value)  old.c:3
              differs at least for this input

              input   old         new
              x = 4   returns 5   returns 10

              run on both compiled programs

              the new version returns 10 where the old one returns 5

            f: different (value)  old.c:3, new.c:3
              differs for every input

              input   old         new
              x = 4   returns 5   returns 10

              run on both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            f: different (value)  old.c:3, new.c:3
              differs under a condition that C cannot say (the JSON report has it)

              input   old         new
              x = 4   returns 5   returns 10

              run on both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            0 equivalent, 3 different, 0 unknown, 0 unchanged
        "#]],
    );
}

#[test]
fn different_memory_behind_pointers() {
    let point = |x, y| ValueShown::Record(vec![("x".to_owned(), int(x)), ("y".to_owned(), int(y))]);
    let record = |y| MemoryShown {
        name: "m1".to_owned(),
        ctype: "struct point".to_owned(),
        values: vec![point(1, y)],
        element_size: 8,
        ..MemoryShown::default()
    };
    let text = |text: &str| MemoryShown {
        text: Some(format!("\"{text}\"")),
        ctype: "char[4]".to_owned(),
        element_size: 1,
        ..ints("m2", &[97, 98, 99, 0])
    };
    let freed = MemoryShown { freed: true, values: vec![], ..ints("m3", &[1]) };
    let end = |memory: Vec<MemoryShown>| EndShown { memory, ..EndShown::default() };
    let shown = WitnessShown {
        inputs: inputs(&[
            ("p", pointer("m0", 0)),
            ("q", pointer("m0", 8)),
            ("r", pointer("m1", 0)),
            ("s", pointer("m2", 1)),
            ("t", ValueShown::Null),
        ]),
        memory: vec![ints("m0", &[1, 2, 3]), record(2), text("abc"), ints("m3", &[1])],
        old: end(vec![ints("m0", &[1, 2, 4]), record(3), text("abd"), freed]),
        new: end(vec![ints("m0", &[1, 5, 3]), record(2), text(""), ints("m3", &[1])]),
        ..WitnessShown::default()
    };
    let pair = different("f", false, &[Kind::Memory], "p == q", shown);
    check(
        vec![pair.clone()],
        expect![[r#"
            f: different (memory)  old.c:3, new.c:3
              differs when p == q

              input                   old           new
              p = m0                  m0[1] = 2     m0[1] = 5
              q = &m0[2]              m0[2] = 4     m0[2] = 3
              r = &m1                 m1.y = 3      m1.y = 2
              s = &m2[1]              m2 = "abd"    m2 = ""
              t = NULL                m3 is freed   m3 is still there
              m0 = {1, 2, 3}
              m1 = {.x = 1, .y = 2}
              m2 = "abc"
              m3 = {1}

              run on both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version leaves m0[1] = 5 where the old one leaves m0[1] = 2

            0 equivalent, 1 different, 0 unknown, 0 unchanged
        "#]],
    );
    let narrow = Style { width: 40, ..Style::default() };
    check_report(
        &report(vec![pair]),
        narrow,
        expect![[r#"
            f: different (memory)  old.c:3, new.c:3
              differs when p == q

              input  p = m0
                     q = &m0[2]
                     r = &m1
                     s = &m2[1]
                     t = NULL
                     m0 = {1, 2, 3}
                     m1 = {.x = 1, .y = 2}
                     m2 = "abc"
                     m3 = {1}
              old    m0[1] = 2
                     m0[2] = 4
                     m1.y = 3
                     m2 = "abd"
                     m3 is freed
              new    m0[1] = 5
                     m0[2] = 3
                     m1.y = 2
                     m2 = ""
                     m3 is still there

              run on both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version leaves m0[1] = 5 where the old one leaves m0[1] = 2

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            assuming: signed overflow wraps;
              external functions are deterministic
        "#]],
    );
}

#[test]
fn a_trap_stands_under_its_line() {
    let trap = EndShown {
        trap: Some("division by zero".to_owned()),
        trap_at: Some(("new.c".to_owned(), 5)),
        ..EndShown::default()
    };
    let shown = WitnessShown { new: trap, ..four() };
    let pair = different("f", true, &[Kind::Trap], "x == 4", shown.clone());
    check(
        vec![pair],
        expect![[r#"
        f: different (trap)  old.c:3, new.c:3
          differs exactly when x == 4

          input   old         new
          x = 4   returns 5   traps: division by zero

          run on both compiled programs

            3 | int f(int x) {
            4 |     int y = x + 1;
          - 5 |     return y;
          + 5 |     return 10 / (y - 5);
              |     ^ the new version traps: division by zero
            6 | }

        0 equivalent, 1 different, 0 unknown, 0 unchanged
    "#]],
    );
    let mut elsewhere = shown;
    elsewhere.new.trap_at = Some(("lib.c".to_owned(), 9));
    let pair = different("f", true, &[Kind::Trap], "x == 4", elsewhere);
    check(
        vec![pair],
        expect![[r#"
        f: different (trap)  old.c:3, new.c:3
          differs exactly when x == 4

          input   old         new
          x = 4   returns 5   traps: division by zero

          run on both compiled programs

            3 | int f(int x) {
            4 |     int y = x + 1;
          - 5 |     return y;
          + 5 |     return 10 / (y - 5);
            6 | }
              = the new version traps at lib.c:9: division by zero

        0 equivalent, 1 different, 0 unknown, 0 unchanged
    "#]],
    );
}

#[test]
fn different_output_and_exit() {
    let said = |calls: &[&str]| EndShown {
        output: calls.iter().map(|c| (*c).to_owned()).collect(),
        ..EndShown::default()
    };
    let shown = |old, new| WitnessShown { old, new, ..four() };
    let more = shown(said(&["puts(\"a\")", "puts(\"b\")"]), said(&["puts(\"a\")"]));
    let exits = |status| EndShown { exit: Some(status), ..EndShown::default() };
    let mut stubbed = different("g", false, &[Kind::Output], "0", shown(exits(0), exits(1)));
    let witness = stubbed.witness.as_mut().unwrap();
    witness.replay = Replay::ConfirmedWithStubs;
    witness.shown.externals = vec![
        ExternalShown { call: "read".to_owned(), returns: Some(int(5)), fills: vec![] },
        ExternalShown {
            call: "fill".to_owned(),
            returns: None,
            fills: vec![FillShown { argument: 0, offset: 0, bytes: "00ff".to_owned() }],
        },
    ];
    check(
        vec![different("f", false, &[Kind::Output], "0", more), stubbed],
        expect![[r#"
            f: different (output)  old.c:3, new.c:3
              differs at least for this input

              input   old            new
              x = 4   1 call alike   1 call alike
                      puts("b")      no output

              run on both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version says nothing where the old one says puts("b")

            g: different (output)  old.c:3, new.c:3
              differs at least for this input

              input   old            new
              x = 4   exits with 0   exits with 1

              run on both compiled programs, with stubs that the difference needs: read() returned 5, fill()
                wrote 00ff behind argument 1

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version exits with 1 where the old one exits with 0

            0 equivalent, 2 different, 0 unknown, 0 unchanged
        "#]],
    );
}

#[test]
fn a_run_that_never_ends() {
    let diverges = EndShown { diverges: true, ..EndShown::default() };
    let shown = WitnessShown { new: diverges, ..four() };
    let mut pair = different("f", true, &[Kind::Termination], "0", shown);
    pair.termination = Termination::Split;
    pair.old_only = condition("x == 4");
    check(
        vec![pair],
        expect![[r#"
        f: different (termination)  old.c:3, new.c:3
          only the old version ends exactly when x == 4

          input   old         new
          x = 4   returns 5   never ends

          run on both compiled programs

            3 | int f(int x) {
            4 |     int y = x + 1;
          - 5 |     return y;
          + 5 |     return 10 / (y - 5);
            6 | }
              = the new version never ends where the old one returns 5

        0 equivalent, 1 different, 0 unknown, 0 unchanged
    "#]],
    );
}

#[test]
fn unknown_says_why_and_where() {
    let unsupported = StopReason::Unsupported {
        construct: "inline assembly".to_owned(),
        file: "new.c".to_owned(),
        line: 7,
    };
    let unknown = |name: &str, reason: StopReason| {
        pair(name, Changed::Text, Answer::Judged(Verdict::Unknown(reason)))
    };
    let mut time = unknown("slow", StopReason::Time);
    time.equal_under = condition("x < 4");
    let mut refuted = unknown("odd", StopReason::internal("the compiled programs refute it"));
    refuted.witness = Some(confirmed(four(), &[Kind::Value]));
    refuted.witness.as_mut().unwrap().replay =
        Replay::Refuted { why: "the old version returned 6".to_owned() };
    let pairs = vec![unknown("asm", unsupported), time, refuted];
    check(
        pairs.clone(),
        expect![[r#"
        asm: unknown  old.c:3, new.c:3
          new.c:7: inline assembly is not supported

        slow: unknown  old.c:3, new.c:3
          the time limit was reached
          equal when x < 4

        odd: unknown  old.c:3, new.c:3
          internal error: the compiled programs refute it

        0 equivalent, 0 different, 3 unknown, 0 unchanged
    "#]],
    );
    let verbose = Style { verbose: 1, ..Style::default() };
    check_report(
        &report(vec![pairs[2].clone()]),
        verbose,
        expect![[r#"
        odd: unknown  old.c:3, new.c:3
          internal error: the compiled programs refute it

          input   old         new
          x = 4   returns 5   returns 10

          the compiled programs did something else: the old version returned 6

        0 equivalent, 0 different, 1 unknown, 0 unchanged
        assuming: signed overflow wraps; external functions are deterministic
    "#]],
    );
}

#[test]
fn added_removed_and_changed_signatures() {
    let mut added = pair("fresh", Changed::Text, Answer::Added);
    added.old = None;
    let mut removed = pair("gone", Changed::Text, Answer::Removed);
    removed.new = None;
    let mut interface = pair("f", Changed::Types, Answer::Interface);
    interface.kinds = vec![Kind::Interface];
    check(
        vec![added, removed, interface],
        expect![[r#"
        fresh: added  new.c:3
        gone: removed  old.c:3

        f: different (interface)  old.c:3, new.c:3

            3 | int f(int x) {
            4 |     int y = x + 1;
          - 5 |     return y;
          + 5 |     return 10 / (y - 5);
            6 | }
              = the signature changed: callers of the one cannot call the other

        0 equivalent, 1 different, 0 unknown, 0 unchanged, 1 added, 1 removed
    "#]],
    );
}

#[test]
fn an_interrupted_run_says_so() {
    let report = Report { interrupted: true, ..report(vec![equivalent("twice")]) };
    check_report(
        &report,
        Style::default(),
        expect![[r#"
        twice: equivalent (both compute x * 2)  old.c:3, new.c:3

        1 equivalent, 0 different, 0 unknown, 0 unchanged
        interrupted: what is said above is finished, the rest was not looked at
        assuming: signed overflow wraps; external functions are deterministic
    "#]],
    );
}

#[test]
fn colours_are_there_when_wanted() {
    let pair = different("f", true, &[Kind::Value], "x == 4", four());
    let colour = Style { colour: true, ..Style::default() };
    let coloured = text(&report(vec![pair]), &sources, &colour);
    expect![[r#"
        ESC[1mfESC[0m: ESC[1mESC[31mdifferentESC[0m (value)  ESC[36mold.c:3, new.c:3ESC[0m
          differs exactly when x == 4

          ESC[1minput   old         newESC[0m
          x = 4   returns 5   returns 10

          run on both compiled programs

            3 | int f(int x) {
            4 |     int y = x + 1;
          ESC[31m- 5 |     return y;ESC[0m
          ESC[32m+ 5 |     return 10 / (y - 5);ESC[0m
            6 | }
              = ESC[1mESC[31mthe new version returns 10 where the old one returns 5ESC[0m

        ESC[1m0 equivalent, 1 different, 0 unknown, 0 unchangedESC[0m
        ESC[36massuming: signed overflow wraps; external functions are deterministicESC[0m
    "#]]
    .assert_eq(&coloured.replace('\u{1b}', "ESC"));
}

#[test]
fn nothing_at_all_is_a_report_too() {
    check(
        vec![],
        expect![[r#"
        0 equivalent, 0 different, 0 unknown, 0 unchanged
    "#]],
    );
}
