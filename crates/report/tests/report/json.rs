//! The JSON report, field by field.

use crate::examples::*;
use expect_test::{Expect, expect};
use serde_json::Value;
use verdiff_judge::{Answer, Changed, Kind, Replay, StopReason, Verdict};
use verdiff_report::{
    ExternalCallView, FailOn, GlobalWrite, MemoryView, OutcomeView, PairReport, Report, ValueView,
    WitnessView, exit_code, json, witnesses,
};

/// The last pair is told by what it has other than the one before it.
fn check(report: &Report, expect: Expect) {
    let mut value = json(report);
    let [.., before, last] = &mut value["pairs"].as_array_mut().unwrap()[..] else {
        panic!("there are two");
    };
    let fields = |pair: &Value| pair.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(fields(before), fields(last));
    last.as_object_mut().unwrap().retain(|field, value| before[field] != *value);
    expect.assert_eq(&serde_json::to_string_pretty(&value).unwrap());
}

fn double(text: &str, bits: &str) -> ValueView {
    ValueView::Float { text: text.to_owned(), bits: bits.to_owned() }
}

fn shown() -> WitnessView {
    let half = || double("0.5", "0x3fe0000000000000");
    WitnessView {
        inputs: inputs(&[
            ("x", int(4)),
            ("big", int(1 << 53)),
            ("small", int(-(1 << 53) + 1)),
            ("d", double("nan", "0x7ff8000000000000")),
            ("p", pointer("m0", 4)),
            ("q", ValueView::Null),
            ("e", ValueView::Named { value: "1".to_owned(), name: "GREEN".to_owned() }),
            ("s", ValueView::Record(vec![("a".to_owned(), int(1)), ("h".to_owned(), half())])),
            ("a", ValueView::Address(16)),
        ]),
        memory: vec![
            ints("m0", &[1, 2, 3]),
            MemoryView {
                ctype: "double[2]".to_owned(),
                values: vec![half(), double("-inf", "0xfff0000000000000")],
                ..ints("m1", &[])
            },
        ],
        externals: vec![ExternalCallView {
            call: "read".to_owned(),
            returns: Some(int(5)),
            writes: vec![GlobalWrite {
                global: "level".to_owned(),
                offset: 0,
                bytes: "07000000".to_owned(),
                value: Some(int(7)),
            }],
            ..ExternalCallView::default()
        }],
        failures: vec![1],
        reads_past_end: false,
        old: returned(double("-0.0", "0x8000000000000000")),
        new: OutcomeView {
            trap: Some("division by zero".to_owned()),
            trap_at: Some(("new.c".to_owned(), 5)),
            ..OutcomeView::default()
        },
    }
}

#[test]
fn every_field_of_the_contract_is_there_in_its_order() {
    let mut different = different("f", true, &[Kind::Value, Kind::Trap], "x == 4", shown());
    different.equal_under = condition("x != 4");
    let witness = different.witness.as_mut().unwrap();
    witness.replay = Replay::ConfirmedWithStubs;
    witness.candidate.unique = true;
    let entry = serde_json::json!({"args": [{"Bits": 4}], "objects": [], "globals": []});
    witness.candidate.old = serde_json::from_value(entry.clone()).unwrap();
    witness.candidate.new = serde_json::from_value(entry).unwrap();
    let mut added = pair("fresh", Changed::Text, Answer::Added);
    added.old = None;
    let unsupported = StopReason::Unsupported {
        construct: "inline assembly".to_owned(),
        file: "new.c".to_owned(),
        line: 7,
    };
    let unknown = pair("asm", Changed::Text, Answer::Judged(Verdict::Unknown(unsupported)));
    let mut report = report(vec![equivalent("twice"), different, unknown, added]);
    report.options.push(("entry".to_owned(), "f".to_owned()));
    report.options.push(("entry".to_owned(), "g".to_owned()));
    check(
        &report,
        expect![[r#"
            {
              "schema": "verdiff-report/1",
              "tool": {
                "name": "verdiff",
                "version": "0.1.0",
                "solver": "z3 4.8.12.0"
              },
              "old": {
                "files": [
                  "old.c"
                ]
              },
              "new": {
                "files": [
                  "new.c"
                ]
              },
              "options": {
                "timeout": "10",
                "entry": [
                  "f",
                  "g"
                ]
              },
              "assumptions": [
                "signed overflow wraps",
                "external functions are deterministic"
              ],
              "summary": {
                "equivalent": 1,
                "different": 1,
                "unknown": 1,
                "added": 1,
                "removed": 0,
                "unchanged": 0,
                "changed": {
                  "decided": 2,
                  "undecided": 1
                },
                "callers": {
                  "unaffected": 0,
                  "affected": 0,
                  "possible": 0
                }
              },
              "pairs": [
                {
                  "function": "twice",
                  "old": {
                    "file": "old.c",
                    "line": 3
                  },
                  "new": {
                    "file": "new.c",
                    "line": 3
                  },
                  "changed": "text",
                  "verdict": "equivalent",
                  "kinds": [],
                  "termination": "alike",
                  "equal_under": {
                    "c": "1",
                    "smt": "true"
                  },
                  "differ_under": {
                    "c": "0",
                    "smt": "false"
                  },
                  "open_under": {
                    "c": null,
                    "smt": ""
                  },
                  "alike_under": {
                    "c": "1",
                    "smt": "true"
                  },
                  "split_under": {
                    "c": "0",
                    "smt": "false",
                    "old_only": "0",
                    "new_only": "0"
                  },
                  "exact": true,
                  "vacuous": false,
                  "in_calls": false,
                  "assuming": [],
                  "proof": {
                    "engine": "flat",
                    "rule": "flat",
                    "obligations": 1
                  },
                  "evidence": [
                    {
                      "adds": "equal_under",
                      "engine": "flat",
                      "rule": "flat",
                      "file": null,
                      "sha256": null,
                      "obligations": 1,
                      "because": "both compute x * 2",
                      "uses": [
                        "abs"
                      ],
                      "assumes": [],
                      "cut": false
                    }
                  ],
                  "witness": null,
                  "local": null,
                  "correlation": null,
                  "impact": null,
                  "boundary": null,
                  "reason": null,
                  "effect": null,
                  "notes": [],
                  "engines": [
                    {
                      "name": "flat",
                      "ms": 1.25,
                      "outcome": "added a proof"
                    }
                  ],
                  "ms": 1.5,
                  "cached": false,
                  "renamed": null,
                  "reproducible": true,
                  "counts": true,
                  "accepted": null
                },
                {
                  "function": "f",
                  "old": {
                    "file": "old.c",
                    "line": 3
                  },
                  "new": {
                    "file": "new.c",
                    "line": 3
                  },
                  "changed": "text",
                  "verdict": "different",
                  "kinds": [
                    "value",
                    "trap"
                  ],
                  "termination": "unknown",
                  "equal_under": {
                    "c": "x != 4",
                    "smt": "(= x #x00000004)"
                  },
                  "differ_under": {
                    "c": "x == 4",
                    "smt": "(= x #x00000004)"
                  },
                  "open_under": {
                    "c": null,
                    "smt": ""
                  },
                  "alike_under": {
                    "c": "0",
                    "smt": "false"
                  },
                  "split_under": {
                    "c": "0",
                    "smt": "false",
                    "old_only": "0",
                    "new_only": "0"
                  },
                  "exact": true,
                  "vacuous": false,
                  "in_calls": false,
                  "assuming": [],
                  "proof": null,
                  "evidence": [],
                  "witness": {
                    "inputs": {
                      "x": 4,
                      "big": "9007199254740992",
                      "small": -9007199254740991,
                      "d": "nan",
                      "p": {
                        "points_to": "m0",
                        "offset": 4
                      },
                      "q": null,
                      "e": 1,
                      "s": {
                        "a": 1,
                        "h": 0.5
                      },
                      "a": {
                        "points_to": null,
                        "offset": 16
                      }
                    },
                    "input_bits": {
                      "d": "0x7ff8000000000000",
                      "s": {
                        "h": "0x3fe0000000000000"
                      }
                    },
                    "memory": {
                      "m0": {
                        "type": "int[3]",
                        "values": [
                          1,
                          2,
                          3
                        ]
                      },
                      "m1": {
                        "type": "double[2]",
                        "values": [
                          0.5,
                          "-inf"
                        ],
                        "bits": [
                          "0x3fe0000000000000",
                          "0xfff0000000000000"
                        ]
                      }
                    },
                    "externals": [
                      {
                        "call": "read",
                        "returns": 5,
                        "writes": [
                          {
                            "global": "level",
                            "offset": 0,
                            "bytes": "07000000",
                            "value": 7
                          }
                        ]
                      }
                    ],
                    "failing_allocations": [
                      1
                    ],
                    "old": {
                      "return": -0.0,
                      "return_bits": "0x8000000000000000"
                    },
                    "new": {
                      "trap": "division by zero",
                      "at": {
                        "file": "new.c",
                        "line": 5
                      }
                    },
                    "replay": "confirmed-with-stubs",
                    "unique": true,
                    "engine": "testing",
                    "entry": {
                      "old": {
                        "args": [
                          {
                            "Bits": 4
                          }
                        ],
                        "objects": [],
                        "globals": []
                      },
                      "new": {
                        "args": [
                          {
                            "Bits": 4
                          }
                        ],
                        "objects": [],
                        "globals": []
                      }
                    }
                  },
                  "local": null,
                  "correlation": null,
                  "impact": null,
                  "boundary": null,
                  "reason": null,
                  "effect": null,
                  "notes": [],
                  "engines": [],
                  "ms": 1.5,
                  "cached": false,
                  "renamed": null,
                  "reproducible": true,
                  "counts": true,
                  "accepted": null
                },
                {
                  "function": "asm",
                  "old": {
                    "file": "old.c",
                    "line": 3
                  },
                  "new": {
                    "file": "new.c",
                    "line": 3
                  },
                  "changed": "text",
                  "verdict": "unknown",
                  "kinds": [],
                  "termination": "unknown",
                  "equal_under": {
                    "c": "0",
                    "smt": "false"
                  },
                  "differ_under": {
                    "c": "0",
                    "smt": "false"
                  },
                  "open_under": {
                    "c": null,
                    "smt": ""
                  },
                  "alike_under": {
                    "c": "0",
                    "smt": "false"
                  },
                  "split_under": {
                    "c": "0",
                    "smt": "false",
                    "old_only": "0",
                    "new_only": "0"
                  },
                  "exact": false,
                  "vacuous": false,
                  "in_calls": false,
                  "assuming": [],
                  "proof": null,
                  "evidence": [],
                  "witness": null,
                  "local": null,
                  "correlation": null,
                  "impact": null,
                  "boundary": null,
                  "reason": {
                    "kind": "unsupported",
                    "code": null,
                    "detail": "inline assembly is not supported",
                    "file": "new.c",
                    "line": 7
                  },
                  "effect": null,
                  "notes": [],
                  "engines": [],
                  "ms": 1.5,
                  "cached": false,
                  "renamed": null,
                  "reproducible": true,
                  "counts": true,
                  "accepted": null
                },
                {
                  "function": "fresh",
                  "old": null,
                  "verdict": "added",
                  "reason": null
                }
              ],
              "interrupted": false,
              "notes": [],
              "not_compared": []
            }"#]],
    );
}

#[test]
fn witnesses_can_be_read_back() {
    let wide = format!(r#"{{"args": [{{"Bits": {}}}], "objects": [], "globals": []}}"#, u128::MAX);
    let mut pair = different("f", true, &[Kind::Value], "x == 4", shown());
    let candidate = &mut pair.witness.as_mut().unwrap().candidate;
    candidate.old = serde_json::from_str(&wide).unwrap();
    candidate.unique = true;
    let expected = candidate.clone();
    let text = json(&report(vec![equivalent("g"), pair])).to_string();
    let read = witnesses(&serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(read, [("f".to_owned(), expected)]);
    assert!(witnesses(&serde_json::json!({"schema": "other"})).is_err());
    let broken = serde_json::json!({
        "schema": "verdiff-report/1",
        "pairs": [{"function": "f", "witness": {"entry": {"old": 1}}}],
    });
    let error = witnesses(&broken).unwrap_err().to_string();
    assert!(error.starts_with("the witness of f cannot be read"), "{error}");
}

#[test]
fn exit_codes_are_those_of_the_contract() {
    let judged = |verdict| pair("f", Changed::Text, Answer::Judged(verdict));
    let same = equivalent("same");
    let differs = judged(Verdict::Different { exact: false });
    let open = judged(Verdict::Unknown(StopReason::Time));
    let added = pair("a", Changed::Text, Answer::Added);
    let removed = pair("r", Changed::Text, Answer::Removed);
    let interface = pair("i", Changed::Types, Answer::Interface);
    let check = |pairs: &[&PairReport], expected: u8| {
        let report = report(pairs.iter().map(|p| (*p).clone()).collect());
        assert_eq!(exit_code(&report, FailOn::default()), expected);
    };
    check(&[&same], 0);
    check(&[&same, &added, &removed], 0);
    check(&[&same, &differs, &open], 1);
    check(&[&interface], 1);
    check(&[&same, &open], 3);
    check(&[], 2);
    check(&[&added, &removed], 2);
    // What is accepted, or was only looked at for a caller, was judged and does not count.
    let aside = |pair: &PairReport| PairReport { counts: false, ..pair.clone() };
    check(&[&aside(&differs)], 0);
    check(&[&aside(&differs), &open], 3);
    let interrupted = Report { interrupted: true, ..report(vec![same]) };
    assert_eq!(exit_code(&interrupted, FailOn::default()), 3);
}

#[test]
fn a_proof_about_loops_has_their_alignment() {
    let report = report(vec![with_loops(), equivalent("other")]);
    let pairs = &json(&report)["pairs"];
    assert_eq!(
        pairs[0]["evidence"][0]["alignment"],
        serde_json::json!([{
            "old": {"name": "loop 1 of f", "line": 5},
            "new": {"name": "loop 1 of f", "line": 6},
            "iterations": [2, 1],
            "invariant": ["new.n == old.n", "new.s == 3*old.i"],
            "notes": ["the results are equal"],
        }])
    );
    assert!(pairs[1]["evidence"][0].get("alignment").is_none(), "other proofs have none");
}
