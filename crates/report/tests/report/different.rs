//! What a person sees of a difference.

use crate::examples::*;
use crate::text::{check, check_report, four};
use expect_test::expect;
use verdiff_judge::{Kind, Replay, Termination};
use verdiff_report::{
    ArgumentWrite, ExternalCallView, GlobalWrite, MemoryView, OutcomeView, Style, ValueView,
    WitnessView,
};

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

              confirmed by running both compiled programs; no other input differs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5
              note: x is never 4 in this file

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
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

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
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

              confirmed by running both compiled programs

              the new version returns 10 where the old one returns 5

            f: different (value)  old.c:3, new.c:3
              differs for every input

              input   old         new
              x = 4   returns 5   returns 10

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            f: different (value)  old.c:3, new.c:3
              differs: no C expression for this condition; see the JSON report

              input   old         new
              x = 4   returns 5   returns 10

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            0 equivalent, 3 different, 0 unknown, 0 unchanged
            result: behaviour changed: 3 changed functions differ
        "#]],
    );
}

#[test]
fn different_memory_behind_pointers() {
    let point = |x, y| ValueView::Record(vec![("x".to_owned(), int(x)), ("y".to_owned(), int(y))]);
    let record = |y| MemoryView {
        name: "m1".to_owned(),
        ctype: "struct point".to_owned(),
        values: vec![point(1, y)],
        element_size: 8,
        ..MemoryView::default()
    };
    let text = |text: &str| MemoryView {
        text: Some(format!("\"{text}\"")),
        ctype: "char[4]".to_owned(),
        element_size: 1,
        ..ints("m2", &[97, 98, 99, 0])
    };
    let freed = MemoryView { freed: true, values: vec![], ..ints("m3", &[1]) };
    let end = |memory: Vec<MemoryView>| OutcomeView { memory, ..OutcomeView::default() };
    let shown = WitnessView {
        inputs: inputs(&[
            ("p", pointer("m0", 0)),
            ("q", pointer("m0", 8)),
            ("r", pointer("m1", 0)),
            ("s", pointer("m2", 1)),
            ("t", ValueView::Null),
        ]),
        memory: vec![ints("m0", &[1, 2, 3]), record(2), text("abc"), ints("m3", &[1])],
        old: end(vec![ints("m0", &[1, 2, 4]), record(3), text("abd"), freed]),
        new: end(vec![ints("m0", &[1, 5, 3]), record(2), text(""), ints("m3", &[1])]),
        ..WitnessView::default()
    };
    let pair = different("f", false, &[Kind::Memory], "p == q", shown);
    check(
        vec![pair.clone()],
        expect![[r#"
            f: different (memory)  old.c:3, new.c:3
              differs when p == q

              input                   old          new
              p = m0                  m0[1] = 2    m0[1] = 5
              q = &m0[2]              m0[2] = 4    m0[2] = 3
              r = &m1                 m1.y = 3     m1.y = 2
              s = &m2[1]              m2 = "abd"   m2 = ""
              t = NULL                m3 freed     m3 not freed
              m0 = {1, 2, 3}
              m1 = {.x = 1, .y = 2}
              m2 = "abc"
              m3 = {1}

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version leaves m0[1] = 5, the old one leaves m0[1] = 2

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
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
                     m3 freed
              new    m0[1] = 5
                     m0[2] = 3
                     m1.y = 2
                     m2 = ""
                     m3 not freed

              confirmed by running both compiled
                programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version leaves m0[1] = 5, the old one leaves m0[1] = 2

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            assumptions: wrapping overflow (`-v`
              lists all)
            result: behaviour changed: 1 changed function differs
        "#]],
    );
}

#[test]
fn returned_structs_name_the_field_that_differs() {
    let point = |x, y| {
        let fields = [("x", int(x)), ("colour", y)];
        returned(ValueView::Record(inputs(&fields)))
    };
    let named = |value: &str, name: &str| ValueView::Named {
        value: value.to_owned(),
        name: name.to_owned(),
    };
    let list = ValueView::List { values: vec![named("97", "'a'"), int(1)], text: None };
    let shown = WitnessView {
        inputs: inputs(&[("c", named("0", "RED")), ("l", list)]),
        old: point(1, named("0", "RED")),
        new: point(1, named("1", "GREEN")),
        ..WitnessView::default()
    };
    check(
        vec![different("f", false, &[Kind::Value], "0", shown)],
        expect![[r#"
            f: different (value)  old.c:3, new.c:3
              differs at least for this input

              input          old                                   new
              c = 0 (RED)    returns {.x = 1, .colour = 0 (RED)}   returns {.x = 1, .colour = 1 (GREEN)}
              l = {'a', 1}

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns .colour = 1 (GREEN) where the old one returns .colour = 0 (RED)

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
        "#]],
    );
}

#[test]
fn a_trap_stands_under_its_line() {
    let trap = OutcomeView {
        trap: Some("division by zero".to_owned()),
        trap_at: Some(("new.c".to_owned(), 5)),
        ..OutcomeView::default()
    };
    let shown = WitnessView { new: trap, ..four() };
    let pair = different("f", true, &[Kind::Trap], "x == 4", shown.clone());
    check(
        vec![pair],
        expect![[r#"
            f: different (trap)  old.c:3, new.c:3
              differs exactly when x == 4

              input   old         new
              x = 4   returns 5   traps: division by zero

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                  |     ^ the new version traps: division by zero
                6 | }

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
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

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version traps at lib.c:9: division by zero

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
        "#]],
    );
}

#[test]
fn what_the_outside_does_to_memory() {
    let returned = |value| OutcomeView { returned: Some(int(value)), ..OutcomeView::default() };
    let shown =
        WitnessView { failures: vec![0, 11, 1], old: returned(0), new: returned(1), ..four() };
    let mut stubbed = different("f", false, &[Kind::Value], "0", shown);
    let witness = stubbed.witness.as_mut().unwrap();
    witness.replay = Replay::ConfirmedWithStubs;
    let write = |global: &str, offset, value| GlobalWrite {
        global: global.to_owned(),
        offset,
        bytes: "07000000".to_owned(),
        value,
    };
    witness.shown.externals = vec![ExternalCallView {
        call: "update".to_owned(),
        writes: vec![write("level", 0, Some(int(7))), write("table", 8, None)],
        ..ExternalCallView::default()
    }];
    check(
        vec![stubbed],
        expect![[r#"
            f: different (value)  old.c:3, new.c:3
              differs at least for this input

              input                                    old         new
              x = 4                                    returns 0   returns 1
              the 1st, 12th and 2nd allocations fail

              confirmed by running both compiled programs with stubs for external functions: update() set
                level to 7 and wrote 07000000 to table at offset 8

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 1 where the old one returns 0

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
        "#]],
    );
}

#[test]
fn different_output_and_exit() {
    let said = |calls: &[&str]| OutcomeView {
        output: calls.iter().map(|c| (*c).to_owned()).collect(),
        ..OutcomeView::default()
    };
    let shown = |old, new| WitnessView { old, new, ..four() };
    let more = shown(said(&["puts(\"a\")", "puts(\"b\")"]), said(&["puts(\"a\")"]));
    let exits = |status| OutcomeView { exit: Some(status), ..OutcomeView::default() };
    let mut stubbed = different("g", false, &[Kind::Output], "0", shown(exits(0), exits(1)));
    let witness = stubbed.witness.as_mut().unwrap();
    witness.replay = Replay::ConfirmedWithStubs;
    witness.shown.externals = vec![
        ExternalCallView {
            call: "read".to_owned(),
            returns: Some(int(5)),
            ..ExternalCallView::default()
        },
        ExternalCallView {
            call: "fill".to_owned(),
            fills: vec![ArgumentWrite { argument: 0, offset: 0, bytes: "00ff".to_owned() }],
            ..ExternalCallView::default()
        },
    ];
    check(
        vec![different("f", false, &[Kind::Output], "0", more), stubbed],
        expect![[r#"
            f: different (output)  old.c:3, new.c:3
              differs at least for this input

              input   old            new
              x = 4   1 equal call   1 equal call
                      puts("b")      no output

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version makes no further call where the old one calls puts("b")

            g: different (output)  old.c:3, new.c:3
              differs at least for this input

              input   old            new
              x = 4   exits with 0   exits with 1

              confirmed by running both compiled programs with stubs for external functions: read() returned
                5, fill() wrote 00ff to the object behind argument 1

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version exits with 1 where the old one exits with 0

            0 equivalent, 2 different, 0 unknown, 0 unchanged
            result: behaviour changed: 2 changed functions differ
        "#]],
    );
}

#[test]
fn a_run_that_never_ends() {
    let diverges = OutcomeView { diverges: true, ..OutcomeView::default() };
    let shown = WitnessView { new: diverges, ..four() };
    let mut pair = different("f", true, &[Kind::Termination], "0", shown);
    pair.termination = Termination::Split;
    pair.old_only = condition("x == 4");
    check(
        vec![pair],
        expect![[r#"
            f: different (termination)  old.c:3, new.c:3
              only the old version terminates exactly when x == 4

              input   old         new
              x = 4   returns 5   does not terminate

              confirmed by running both compiled programs: one terminated; the other, which is proved not to
                terminate, was stopped at the time limit

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version does not terminate where the old one returns 5

            0 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 changed function differs
        "#]],
    );
}
