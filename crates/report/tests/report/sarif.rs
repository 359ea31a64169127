//! SARIF, checked against its schema.

use crate::examples::{different, equivalent, inputs, int, pair, report, returned};
use crate::schema::{problems, sarif_schema};
use serde_json::{Value, json};
use verdiff_judge::{
    Answer, Changed, Impact, ImpactBy, ImpactKind, Incomplete, Kind, Side, SourceLocation,
    StopReason, Verdict,
};
use verdiff_report::{
    Baseline, MOST_LINES, NotCompared, OutcomeView, PairReport, Remark, Report, WitnessView,
    code_quality, markdown, sarif,
};

const OLD: &str =
    "int g;\n\nint f(int x)\n{\n    if (x == 3)\n        return 4;\n    return x;\n}\n";
const NEW: &str =
    "int g;\n\nint f(int x)\n{\n    if (x == 4)\n        return 4;\n    return x;\n}\n";

pub fn sources(side: Side, file: &str) -> Option<String> {
    let text = if side == Side::Old { OLD } else { NEW };
    (!file.is_empty()).then(|| text.to_owned())
}

fn witness() -> WitnessView {
    WitnessView {
        inputs: inputs(&[("x", int(4))]),
        old: returned(int(4)),
        new: returned(int(3)),
        ..WitnessView::default()
    }
}

fn undecided(name: &str, changed: Changed) -> PairReport {
    let reason = StopReason::Incomplete { why: Incomplete::NoInduction };
    PairReport {
        reason: Some(reason.clone()),
        ..pair(name, changed, Answer::Judged(Verdict::Unknown(reason)))
    }
}

/// One function of every kind.
pub fn everything() -> Report {
    let mut traps = different("t", false, &[Kind::Trap], "all == 0", witness());
    if let Some(witness) = &mut traps.witness {
        let trap = Some("division by zero".to_owned());
        let trap_at = Some(("my file.c".to_owned(), 5));
        witness.shown.new = OutcomeView { trap, trap_at, ..OutcomeView::default() };
    }
    let mut wanted = different("wanted", true, &[Kind::Value], "x == 4", witness());
    wanted.add(&Remark::Accepted(vec!["it is a new rule".to_owned()]));
    let through =
        Impact { kind: ImpactKind::Possible, through: vec!["f".to_owned()], by: ImpactBy::Call };
    let caller = PairReport { impact: Some(through), ..undecided("caller", Changed::Callees) };
    let reason = StopReason::Unsupported {
        construct: "asm goto".to_owned(),
        file: "new.c".to_owned(),
        line: 6,
    };
    let unsupported = PairReport {
        reason: Some(reason.clone()),
        new: Some(SourceLocation { file: "/abs/a b.c".to_owned(), line: 3 }),
        ..pair("u", Changed::Text, Answer::Judged(Verdict::Unknown(reason)))
    };
    let global = PairReport {
        old: None,
        new: None,
        notes: vec!["the initial value of the global g changed".to_owned()],
        ..pair("(global) g", Changed::Globals, Answer::Judged(Verdict::Different { exact: false }))
    };
    let pairs = vec![
        different("f", true, &[Kind::Value], "x == 4", witness()),
        traps,
        wanted,
        equivalent("e"),
        undecided("loop", Changed::Text),
        caller,
        unsupported,
        global,
        pair("sig", Changed::Types, Answer::Interface),
        pair("gone", Changed::Text, Answer::Removed),
    ];
    let why = "does not compile in HEAD".to_owned();
    Report {
        not_compared: vec![NotCompared { file: "bad.c".to_owned(), why }],
        notes: vec!["compiler flags were guessed".to_owned()],
        ..report(pairs)
    }
}

fn results(log: &Value) -> Vec<&Value> {
    log["runs"][0]["results"].as_array().unwrap().iter().collect()
}

fn result<'a>(log: &'a Value, function: &str) -> &'a Value {
    let of = |r: &&&Value| r["locations"][0]["logicalLocations"][0]["name"] == function;
    results(log).iter().find(of).copied().unwrap_or_else(|| panic!("{function} is not in {log:#}"))
}

#[test]
fn it_follows_the_schema() {
    let Some(schema) = sarif_schema() else {
        eprintln!(
            "skipped: cargo does not have the package with the schema; `cargo fetch` brings it"
        );
        return;
    };
    let report = everything();
    let before = Baseline::read(&verdiff_report::json(&report)).unwrap();
    for log in [
        sarif(&report, &sources, None),
        sarif(&report, &|_, _| None, Some(&before)),
        sarif(&crate::examples::report(vec![]), &sources, Some(&before)),
    ] {
        assert_eq!(problems(&schema, &log), Vec::<String>::new(), "{log:#}");
    }
    // The check itself can fail.
    let mut wrong = sarif(&report, &sources, None);
    wrong["runs"][0]["results"][0]["level"] = json!("grave");
    wrong["runs"][0]["results"][1]["locations"][0]["physicalLocation"]["region"]["startLine"] =
        json!(0);
    wrong["runs"][0]["tool"]["driver"]["colour"] = json!("red");
    wrong["runs"][0]["results"][2].as_object_mut().unwrap().remove("message");
    let found = problems(&schema, &wrong);
    assert_eq!(found.len(), 4, "{found:#?}");
}

#[test]
fn a_difference_has_its_condition_and_its_counterexample() {
    let log = sarif(&everything(), &sources, None);
    let found = result(&log, "f");
    assert_eq!(found["ruleId"], "different-value");
    let index = found["ruleIndex"].as_u64().unwrap() as usize;
    assert_eq!(log["runs"][0]["tool"]["driver"]["rules"][index]["id"], "different-value");
    assert_eq!(found["level"], "warning");
    let text = found["message"]["text"].as_str().unwrap();
    assert_eq!(
        text,
        "f() behaves differently (value).\nDiffers exactly when x == 4.\nCounterexample: x = 4. Old: returns 4. \
         New: returns 3.\nConfirmed by running both compiled programs."
    );
    let place = &found["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "new.c");
    assert_eq!(place["region"], json!({"startLine": 5}));
    let related = &found["relatedLocations"][0];
    assert_eq!(related["physicalLocation"]["artifactLocation"]["uri"], "old.c");
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 3);
}

#[test]
fn levels_tell_defects_from_changes_and_from_undecided_functions() {
    let log = sarif(&everything(), &sources, None);
    assert_eq!(result(&log, "t")["level"], "error");
    assert_eq!(result(&log, "loop")["level"], "note");
    assert_eq!(result(&log, "loop")["ruleId"], "unknown-incomplete");
    assert_eq!(result(&log, "wanted")["suppressions"][0]["justification"], "it is a new rule");
    assert_eq!(result(&log, "sig")["ruleId"], "different-interface");
    let uri = &result(&log, "u")["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(*uri, json!({"uri": "file:///abs/a%20b.c"}));
    let rules: Vec<&str> = results(&log).iter().filter_map(|r| r["ruleId"].as_str()).collect();
    assert_eq!(rules.len(), 8, "neither equivalent functions nor callers: {rules:?}");
    assert!(rules.contains(&"not-compared"));
}

#[test]
fn fingerprints_survive_moved_lines_and_tell_results_apart() {
    let marks = |report: &Report| -> Vec<String> {
        let log = sarif(report, &sources, None);
        let mark = |r: &&Value| r["fingerprints"]["verdiff/v1"].as_str().unwrap().to_owned();
        results(&log).iter().map(mark).collect()
    };
    let report = everything();
    let mut moved = report.clone();
    for place in moved.pairs.iter_mut().flat_map(|pair| [&mut pair.old, &mut pair.new]).flatten() {
        place.line += 40;
    }
    let all = marks(&report);
    assert_eq!(all, marks(&moved));
    let mut distinct = all.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), all.len());
}

#[test]
fn a_baseline_tells_new_results_from_known_ones() {
    let mut before = everything();
    before.pairs.retain(|pair| pair.function != "loop");
    before.pairs.push(undecided("fixed", Changed::Text));
    before.pairs[1].differ_under = crate::examples::condition("all < 1");
    let baseline = Baseline::read(&verdiff_report::json(&before)).unwrap();
    let log = sarif(&everything(), &sources, Some(&baseline));
    assert_eq!(result(&log, "f")["baselineState"], "unchanged");
    assert_eq!(result(&log, "t")["baselineState"], "updated");
    assert_eq!(result(&log, "loop")["baselineState"], "new");
    let absent: Vec<&Value> =
        results(&log).into_iter().filter(|r| r["baselineState"] == "absent").collect();
    // The caller is undecided in both reports, and no result of its own in either log.
    let texts: Vec<&str> = absent.iter().filter_map(|r| r["message"]["text"].as_str()).collect();
    assert_eq!(texts, ["fixed() no longer has this result."]);
    assert!(Baseline::read(&json!({"schema": "other"})).is_err());
}

#[test]
fn code_quality_has_a_fingerprint_and_a_severity_for_each_issue() {
    let issues = code_quality(&everything(), &sources);
    let found: Vec<(&str, &str, u64)> = issues
        .as_array()
        .unwrap()
        .iter()
        .map(|issue| {
            let text = |value: &'_ Value| -> &'_ str {
                value.as_str().map_or("", |t| t.to_owned().leak())
            };
            assert_eq!(issue["fingerprint"].as_str().unwrap().len(), 32);
            let line = issue["location"]["lines"]["begin"].as_u64().unwrap();
            (text(&issue["check_name"]), text(&issue["severity"]), line)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("different-value", "major", 5),
            ("different-trap", "critical", 5),
            ("unknown-incomplete", "info", 5),
            ("unknown-unsupported", "info", 5),
            ("different-interface", "major", 5),
            ("not-compared", "info", 1),
        ]
    );
}

#[test]
fn markdown_is_a_table_with_folded_details() {
    let text = markdown(&everything(), &sources);
    assert!(
        text.contains(
            "| `f` <sub>new.c:5</sub> | ❌ different | value: differs exactly when x == 4 |"
        ),
        "{text}"
    );
    assert!(text.contains("<details><summary>f</summary>"), "{text}");
    assert!(text.contains("caller may be affected through f"), "{text}");
    assert!(text.contains("☑️ accepted"), "{text}");
    assert!(text.lines().count() <= MOST_LINES, "{text}");
}

#[test]
fn markdown_stays_short_and_escapes_what_it_quotes() {
    let many = (0..300).map(|n| {
        let mut pair =
            different(&format!("f{n}"), true, &[Kind::Value], "a || b < `1` @me", witness());
        pair.notes = vec!["a *note*".to_owned(); n % 7];
        pair
    });
    let text = markdown(&report(many.collect()), &sources);
    assert!(text.lines().count() <= MOST_LINES, "{} lines", text.lines().count());
    assert!(text.contains("a \\|\\| b &lt; \\`1\\` &#64;me"), "{text}");
    assert!(text.contains("… and 280 more functions."), "{text}");
    let one = markdown(&report(vec![equivalent("f")]), &sources);
    assert!(one.contains("**Behaviour unchanged: the changed function is equivalent**"), "{one}");
}
