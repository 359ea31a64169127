//! The explanation of one verdict: what was matched, what was found and proved, which engines ran, why they stopped.

use super::{WIDTH, reason};
use crate::ReadError;
use crate::json::SCHEMA;
use crate::rules::rule;
use crate::text::wrapped;
use serde_json::Value;

/// The explanation of a function's verdict, from a JSON report; `None` if the report does not have the function.
pub fn explain_function(report: &Value, function: &str) -> Result<Option<String>, ReadError> {
    if report["schema"] != SCHEMA {
        return Err(ReadError::Schema);
    }
    let pairs = report["pairs"].as_array().map_or(&[][..], Vec::as_slice);
    let is = |pair: &&Value| pair["function"] == function || pair["renamed"] == function;
    Ok(pairs.iter().find(is).map(|pair| Explanation::of(report, pair)))
}

/// The lines so far.
#[derive(Default)]
struct Explanation(String);

impl Explanation {
    fn of(report: &Value, pair: &Value) -> String {
        let mut explanation = Explanation::default();
        let name = text(&pair["function"]);
        let kinds = list(&pair["kinds"]).join(", ");
        let aside = if kinds.is_empty() { String::new() } else { format!(" ({kinds})") };
        explanation.0 = format!("{name}: {}{aside}\n", text(&pair["verdict"]));
        explanation.matched(report, pair);
        explanation.found(pair);
        explanation.conditions(pair);
        explanation.proved(pair);
        explanation.elsewhere(pair);
        explanation.stopped(pair);
        explanation.engines(pair);
        let assumptions = list(&report["assumptions"]);
        if !assumptions.is_empty() {
            explanation.section("Assumptions of every verdict");
            assumptions.iter().for_each(|assumption| explanation.item(assumption));
        }
        explanation.0
    }

    fn section(&mut self, title: &str) {
        self.0 += &format!("\n{title}\n");
    }

    fn item(&mut self, text: &str) {
        for (index, line) in wrapped(text, WIDTH - 4).into_iter().enumerate() {
            self.0 += &format!("  {}{line}\n", if index > 0 { "  " } else { "" });
        }
    }

    fn matched(&mut self, report: &Value, pair: &Value) {
        self.section("What was matched");
        for (side, name) in [("old", &pair["function"]), ("new", &pair["renamed"])] {
            let place = &pair[side];
            if place.is_null() {
                self.item(&format!("the {side} version does not define it"));
                continue;
            }
            let name = name.as_str().or(pair["function"].as_str()).unwrap_or_default();
            let revision =
                report[side]["revision"].as_str().map_or(String::new(), |r| format!(" in {r}"));
            let (file, line) = (text(&place["file"]), &place["line"]);
            self.item(&format!("{name} at {file}:{line}{revision} ({side} version)"));
        }
        self.item(match text(&pair["changed"]) {
            "no" => "nothing that it depends on changed",
            "text" => "its own code changed",
            "types" => "types that it uses changed",
            "globals" => "a constant or global that it uses changed",
            "callees" => "its own code is unchanged; a callee changed",
            _ => "how it changed is not recorded",
        });
    }

    fn found(&mut self, pair: &Value) {
        let witness = &pair["witness"];
        if witness.is_null() {
            return;
        }
        let replay = text(&witness["replay"]);
        self.section(match replay {
            "confirmed" | "confirmed-with-stubs" => "The counterexample",
            _ => "A predicted counterexample",
        });
        let inputs = witness["inputs"].as_object().into_iter().flatten();
        let inputs: Vec<String> = inputs.map(|(name, value)| format!("{name} = {value}")).collect();
        if !inputs.is_empty() {
            self.item(&format!("input: {}", inputs.join(", ")));
        }
        for (name, object) in witness["memory"].as_object().into_iter().flatten() {
            let values =
                object["text"].as_str().map_or(object["values"].to_string(), str::to_owned);
            self.item(&format!("memory: {} {name} = {values}", text(&object["type"])));
        }
        for call in witness["externals"].as_array().into_iter().flatten() {
            self.item(&format!("external: {}() returns {}", text(&call["call"]), call["returns"]));
        }
        for side in ["old", "new"] {
            self.item(&format!("{side} version: {}", outcome(&witness[side])));
        }
        let why = witness["why"].as_str().map_or(String::new(), |why| format!(": {why}"));
        self.item(&format!("found by {}, {replay}{why}", text(&witness["engine"])));
    }

    fn conditions(&mut self, pair: &Value) {
        let named = [
            ("differ_under", "the outcomes differ"),
            ("equal_under", "the outcomes are equal if both versions terminate"),
            ("alike_under", "one version terminates if and only if the other does"),
            ("split_under", "exactly one version terminates"),
            ("open_under", "undecided"),
        ];
        let mut lines = vec![];
        for (field, meaning) in named {
            let condition = &pair[field];
            match condition["c"].as_str() {
                Some("0") => {}
                Some("1") => lines.push(format!("{meaning}: for every input")),
                Some(c) => lines.push(format!("{meaning}: when {c}")),
                None if matches!(text(&condition["smt"]), "" | "false") => {}
                None => lines.push(format!(
                    "{meaning}: under a condition without a C expression (smt in the report)"
                )),
            }
        }
        if !lines.is_empty() {
            self.section("For which inputs");
            lines.iter().for_each(|line| self.item(line));
            if pair["exact"] == true {
                self.item("every input is covered");
            }
        }
        for assumed in list(&pair["assuming"]) {
            self.item(&format!("assuming {assumed}"));
        }
    }

    fn proved(&mut self, pair: &Value) {
        let evidence = pair["evidence"].as_array().map_or(&[][..], Vec::as_slice);
        if evidence.is_empty() {
            return;
        }
        self.section("What was proved");
        for step in evidence {
            let about = match text(&step["adds"]) {
                "equal_under" => "equal outcomes",
                "differ_under" => "different outcomes",
                "alike_under" => "equal termination",
                "split_under" => "different termination",
                other => other,
            };
            let part = if step["cut"] == true { " (in part)" } else { "" };
            let count = &step["obligations"];
            self.item(&format!(
                "{about}{part}: {} [engine {}, rule {}, proof obligations: {count}]",
                text(&step["because"]),
                text(&step["engine"]),
                text(&step["rule"])
            ));
            let uses = list(&step["uses"]);
            if !uses.is_empty() {
                self.item(&format!("  using the verdicts on {}", uses.join(", ")));
            }
            for assumed in list(&step["assumes"]) {
                self.item(&format!("  assuming that {assumed}"));
            }
        }
        if pair["vacuous"] == true {
            self.item("vacuous: no run is known in which both versions terminate");
        }
    }

    fn elsewhere(&mut self, pair: &Value) {
        let (impact, boundary, local) = (&pair["impact"], &pair["boundary"], &pair["local"]);
        let mut lines = vec![];
        if !impact.is_null() {
            let kind = match text(&impact["kind"]) {
                "none" => "not affected by",
                "proved" => "affected by",
                _ => "possibly affected by",
            };
            let through = list(&impact["through"]).join(", ");
            lines.push(format!("{kind} changes in {through} (by {})", text(&impact["by"])));
        }
        if !boundary.is_null() {
            let (first, last) = (&boundary["first_line"], &boundary["last_line"]);
            let function = text(&boundary["function"]);
            lines.push(format!(
                "the change has no effect beyond lines {first}-{last} of {function}()"
            ));
        }
        if !local.is_null() {
            let modulo = list(&local["modulo"]).join(", ");
            let verdict = text(&local["verdict"]);
            lines.push(format!(
                "the change itself is {verdict} if these callees are equal: {modulo}"
            ));
        }
        lines.extend(list(&pair["notes"]).iter().map(|note| format!("note: {note}")));
        if !lines.is_empty() {
            self.section("Related facts");
            lines.iter().for_each(|line| self.item(line));
        }
    }

    fn stopped(&mut self, pair: &Value) {
        let stop = &pair["reason"];
        if stop.is_null() {
            return;
        }
        let kind = text(&stop["kind"]);
        self.section("Why it stopped");
        let place = match stop["file"].as_str() {
            Some(file) => format!(" ({file}:{})", stop["line"]),
            None => String::new(),
        };
        self.item(&format!("{}{place}", text(&stop["detail"])));
        let advice = match stop["code"].as_str().and_then(reason) {
            Some(reason) => Some((reason.code.to_owned(), reason.meaning, reason.advice)),
            None => {
                rule(&format!("unknown-{kind}")).map(|r| (r.code.to_owned(), r.meaning, r.advice))
            }
        };
        if let Some((code, meaning, advice)) = advice {
            self.item(&format!("{code}: {meaning}"));
            self.item(&format!("what to do: {advice}"));
        }
    }

    fn engines(&mut self, pair: &Value) {
        let runs = pair["engines"].as_array().map_or(&[][..], Vec::as_slice);
        if runs.is_empty() {
            return;
        }
        self.section(match pair["cached"] == true {
            true => "Engines that ran, in the earlier run that is cached",
            false => "Engines that ran",
        });
        for run in runs {
            let ms = run["ms"].as_f64().unwrap_or(0.0);
            self.item(&format!("{:12} {ms:8.1} ms  {}", text(&run["name"]), text(&run["outcome"])));
        }
    }
}

/// What one version did, from its JSON.
fn outcome(end: &Value) -> String {
    let mut parts = vec![];
    match end {
        end if end["diverges"] == true => parts.push("does not terminate".to_owned()),
        end if end["trap"].is_string() => {
            let at = &end["at"];
            let place = at["file"]
                .as_str()
                .map_or(String::new(), |file| format!(" at {file}:{}", at["line"]));
            parts.push(format!("traps{place}: {}", text(&end["trap"])));
        }
        end if !end["exit"].is_null() => parts.push(format!("exits with {}", end["exit"])),
        end if !end["return"].is_null() => parts.push(format!("returns {}", end["return"])),
        _ => parts.push("returns".to_owned()),
    }
    parts.extend(list(&end["output"]).into_iter().map(|call| format!("calls {call}")));
    for (name, object) in end["memory"].as_object().into_iter().flatten() {
        let values = object["text"].as_str().map_or(object["values"].to_string(), str::to_owned);
        parts.push(format!("leaves {name} = {values}"));
    }
    parts.join(", ")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}
