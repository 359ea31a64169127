//! What a person sees, verdict by verdict.

use crate::examples::*;
use expect_test::{Expect, expect};
use verdiff_judge::{
    Answer, Changed, Disagreement, Kind, PredictedEnd, Replay, ReplayProblem, RunEnd, Side,
    StopReason, Verdict,
};
use verdiff_report::{PairReport, Report, Style, WitnessView, text};

const OLD: &str = "#include <stdio.h>\n\nint f(int x) {\n    int y = x + 1;\n    return y;\n}\n";
const NEW: &str =
    "#include <stdio.h>\n\nint f(int x) {\n    int y = x + 1;\n    return 10 / (y - 5);\n}\n";

fn sources(_: verdiff_judge::Side, name: &str) -> Option<String> {
    match name {
        "old.c" => Some(OLD.to_owned()),
        "new.c" => Some(NEW.to_owned()),
        _ => None,
    }
}

/// Checks a report's text.
pub fn check_report(report: &Report, style: Style, expect: Expect) {
    expect.assert_eq(&text(report, &sources, &style));
}

/// Checks the text of a report without assumptions.
pub fn check(pairs: Vec<PairReport>, expect: Expect) {
    check_report(&Report { assumptions: vec![], ..report(pairs) }, Style::default(), expect);
}

/// 4 goes in; 5 and 10 come out.
pub fn four() -> WitnessView {
    WitnessView {
        inputs: inputs(&[("x", int(4))]),
        old: returned(int(5)),
        new: returned(int(10)),
        ..WitnessView::default()
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

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            last: equivalent (both compute x * 2)  old.c:3, new.c:3

            2 equivalent, 1 different, 0 unknown, 1 unchanged
            assumptions: wrapping overflow (`-v` lists all)
            result: behaviour changed: 1 caller of changed functions differs
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
              flat: added a proof (1.2 ms)

            caller: different (value)  old.c:3, new.c:3
              differs when x > 3

              input   old         new
              x = 4   returns 5   returns 10

              confirmed by running both compiled programs

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the new version returns 10 where the old one returns 5

            last: equivalent (both compute x * 2)  old.c:3, new.c:3
              flat: added a proof (1.2 ms)

            same: equivalent (unchanged)  old.c:3, new.c:3

            2 equivalent, 1 different, 0 unknown, 1 unchanged
            assumptions:
              signed overflow wraps
              external functions are deterministic
            result: behaviour changed: 1 caller of changed functions differs
        "#]],
    );
    let quiet = Style { quiet: true, ..Style::default() };
    check_report(
        &mixed(),
        quiet,
        expect![[r#"
            caller: different (value)  old.c:3, new.c:3
            2 equivalent, 1 different, 0 unknown, 1 unchanged
            result: behaviour changed: 1 caller of changed functions differs
        "#]],
    );
}

#[test]
fn the_result_states_accepted_differences_and_functions_of_one_version() {
    let mut accepted = different("wanted", true, &[Kind::Value], "x > 3", four());
    (accepted.accepted, accepted.counts) = (Some("a new limit".to_owned()), false);
    let removed = pair("removed", Changed::Text, Answer::Removed);
    let added = pair("added", Changed::Text, Answer::Added);
    let undecided = pair("slow", Changed::Text, Answer::Judged(Verdict::Unknown(StopReason::Time)));
    let other = different("other", true, &[Kind::Value], "x > 3", four());
    let result = |pairs: &[&PairReport]| {
        let report = report(pairs.iter().map(|pair| (*pair).clone()).collect());
        text(&report, &sources, &Style::default()).lines().last().unwrap_or_default().to_owned()
    };
    let equivalent = equivalent("twice");
    let results = [
        result(&[&accepted]),
        result(&[&accepted, &equivalent, &removed]),
        result(&[&accepted, &undecided]),
        result(&[&accepted, &other]),
        result(&[&equivalent, &removed]),
        result(&[&equivalent, &added, &removed]),
    ];
    expect![[r#"
        result: behaviour changed only as accepted: 1 difference
        result: behaviour changed only as accepted: 1 difference
        result: only accepted differences were found, but 1 function is undecided
        result: behaviour changed: 1 changed function differs, 1 accepted difference
        result: behaviour unchanged: the changed function is equivalent (1 function removed)
        result: behaviour unchanged: the changed function is equivalent (1 function added, 1 removed)
    "#]].assert_eq(&(results.join("\n") + "\n"));
}

#[test]
fn the_summary_of_the_json_report_counts_unchanged_functions() {
    let summary = verdiff_report::json(&mixed())["summary"].clone();
    assert_eq!((&summary["equivalent"], &summary["unchanged"]), (&3.into(), &1.into()));
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
            vacuous: equivalent (both compute x * 2; vacuous: no run is known in which both terminate)  old.c:3, new.c:3

            assuming: equivalent (both compute x * 2)  old.c:3, new.c:3  [ignored for the exit code]
              assuming n >= 0

            before (now after): equivalent (both compute x * 2)  old.c:3, new.c:3

            3 equivalent, 0 different, 0 unknown, 0 unchanged
            result: behaviour unchanged: both changed functions are equivalent
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
    let (predicted, observed) = (PredictedEnd::Exited(3), RunEnd::Signal(11));
    let disagreed = ReplayProblem::Disagreed(Disagreement::End { predicted, observed });
    refuted.witness.as_mut().unwrap().replay = Replay::Refuted { why: disagreed.of(Side::Old) };
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
            result: no difference was found, but 3 functions are undecided
        "#]],
    );
    let quiet = Style { quiet: true, ..Style::default() };
    check_report(
        &report(pairs.clone()),
        quiet,
        expect![[r#"
        asm: unknown (inline assembly is not supported)  old.c:3, new.c:3
        slow: unknown (the time limit was reached)  old.c:3, new.c:3
        odd: unknown (internal error: the compiled programs refute it)  old.c:3, new.c:3
        0 equivalent, 0 different, 3 unknown, 0 unchanged
        result: no difference was found, but 3 functions are undecided
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

              the counterexample did not reproduce: the old version: it was predicted to exit with 3, but the
                compiled program received SIGSEGV

            0 equivalent, 0 different, 1 unknown, 0 unchanged
            assumptions:
              signed overflow wraps
              external functions are deterministic
            result: no difference was found, but 1 function is undecided
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
            f: different (interface)  old.c:3, new.c:3

                3 | int f(int x) {
                4 |     int y = x + 1;
              - 5 |     return y;
              + 5 |     return 10 / (y - 5);
                6 | }
                  = the signature changed: callers of one version cannot call the other

            fresh: added  new.c:3
            gone: removed  old.c:3

            0 equivalent, 1 different, 0 unknown, 0 unchanged, 1 added, 1 removed
            result: behaviour changed: 1 changed function differs
        "#]],
    );
}

#[test]
fn a_changed_global_is_counted_separately() {
    let answer = Answer::Judged(Verdict::Different { exact: true });
    let global = PairReport {
        old: None,
        new: None,
        kinds: vec![Kind::Memory],
        notes: vec!["the initial value of the global limit changed".to_owned()],
        ..pair("(global) limit", Changed::Globals, answer)
    };
    check(
        vec![equivalent("twice"), global],
        expect![[r#"
            twice: equivalent (both compute x * 2)  old.c:3, new.c:3

            (global) limit: different (memory)
              note: the initial value of the global limit changed

            1 equivalent, 1 different, 0 unknown, 0 unchanged
            result: behaviour changed: 1 global changed
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
            interrupted: the results above are complete, the rest was not analysed
            assumptions: wrapping overflow (`-v` lists all)
            result: no difference was found, but the run was interrupted
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

          confirmed by running both compiled programs

            3 | int f(int x) {
            4 |     int y = x + 1;
          ESC[31m- 5 |     return y;ESC[0m
          ESC[32m+ 5 |     return 10 / (y - 5);ESC[0m
            6 | }
              = ESC[1mESC[31mthe new version returns 10 where the old one returns 5ESC[0m

        ESC[1m0 equivalent, 1 different, 0 unknown, 0 unchangedESC[0m
        ESC[36massumptions: wrapping overflow (`-v` lists all)ESC[0m
        ESC[1mresult: behaviour changed: 1 changed function differsESC[0m
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
