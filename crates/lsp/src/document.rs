//! A file that is open in the editor, and what is shown of it.

use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use verdiff_report::Lens;

/// Shows what is known of a function.
pub const SHOW_DETAILS: &str = "verdiff.showDetails";
/// Writes the C test of a difference to a file beside the document.
pub const INSERT_TEST: &str = "verdiff.insertTest";

/// An open file.
#[derive(Debug, Default)]
pub struct Document {
    /// By the last comparison that ended, or by the one under way; lines are kept current with edits.
    lenses: Vec<Lens>,
    /// The functions whose lens is by the comparison that is under way.
    pub early: BTreeSet<String>,
    /// Why there was no comparison.
    pub problem: Option<String>,
    /// Whether there are changes that are not saved.
    pub is_edited: bool,
    /// Whether a comparison is wanted or under way.
    pub is_compared: bool,
}

/// An edit, as the protocol has it.
#[derive(Debug, Deserialize)]
pub struct Edit {
    /// What is replaced; everything, if there is none.
    range: Option<Range>,
    text: String,
}

/// From and to.
#[derive(Clone, Copy, Debug, Deserialize)]
pub struct Range {
    start: Position,
    end: Position,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Position {
    line: u32,
}

impl Document {
    /// Moves what stands below an edit.
    pub fn edit(&mut self, edit: &Edit) {
        self.is_edited = true;
        let Some(range) = edit.range else { return };
        let added = edit.text.matches('\n').count() as i64;
        let moved = added - i64::from(range.end.line - range.start.line);
        let shift = |line: &mut u32| *line = u32::try_from(i64::from(*line) + moved).unwrap_or(1);
        for lens in &mut self.lenses {
            // The protocol counts from 0.
            if lens.first_line > range.end.line + 1 {
                shift(&mut lens.first_line);
            }
            if lens.last_line > range.end.line {
                shift(&mut lens.last_line);
            }
        }
    }

    /// Shows what a comparison that goes on has found out about a function.
    pub fn know_early(&mut self, lens: Lens) {
        self.early.insert(lens.function.clone());
        match self.lenses.iter_mut().find(|other| other.function == lens.function) {
            Some(other) => *other = lens,
            None => self.lenses.push(lens),
        }
    }

    /// Shows what a comparison that ended has found out.
    pub fn replace(&mut self, lenses: Vec<Lens>) {
        self.lenses = lenses;
        self.early.clear();
    }

    /// The function of a name.
    pub fn lens(&self, function: &str) -> Option<&Lens> {
        self.lenses.iter().find(|lens| lens.function == function)
    }

    /// The code lenses.
    pub fn code_lenses(&self, uri: &str) -> Value {
        let aside = match (self.is_compared, self.is_edited) {
            (true, _) => " (comparing again)",
            (false, true) => " (as last saved)",
            (false, false) => "",
        };
        let problem = self.problem.iter().map(|problem| {
            let title = format!("verdiff: {problem}{aside}");
            json!({"range": line(1), "command": {"title": title, "command": ""}})
        });
        let lenses = self.lenses.iter().map(|lens| {
            let aside = match (self.early.contains(&lens.function), self.is_edited) {
                (true, true) => " (as last saved)",
                (true, false) => "",
                (false, _) => aside,
            };
            let title = format!("{}{aside}", lens.title);
            let command = command(&title, SHOW_DETAILS, uri, &lens.function);
            json!({"range": line(lens.first_line), "command": command})
        });
        problem.chain(lenses).collect()
    }

    /// The code actions for a part of the file.
    pub fn code_actions(&self, uri: &str, range: Range) -> Value {
        let here = |lens: &&Lens| {
            lens.has_counterexample
                && lens.first_line <= range.end.line + 1
                && range.start.line < lens.last_line
        };
        let mut actions = vec![];
        for lens in self.lenses.iter().filter(here) {
            let name = &lens.function;
            for (title, id) in [
                (format!("Show counterexample of {name}"), SHOW_DETAILS),
                (format!("Insert test for {name}"), INSERT_TEST),
            ] {
                let command = command(&title, id, uri, name);
                actions.push(json!({"title": title, "kind": "refactor", "command": command}));
            }
        }
        Value::Array(actions)
    }
}

fn command(title: &str, id: &str, uri: &str, function: &str) -> Value {
    json!({"title": title, "command": id, "arguments": [uri, function]})
}

/// The beginning of a line that counts from 1.
fn line(line: u32) -> Value {
    let position = json!({"line": line.saturating_sub(1), "character": 0});
    json!({"start": position, "end": position})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lens(function: &str, first_line: u32, last_line: u32) -> Lens {
        Lens {
            function: function.to_owned(),
            file: "a.c".to_owned(),
            first_line,
            last_line,
            title: "differs when n == 0".to_owned(),
            details: String::new(),
            has_counterexample: true,
            test: None,
            notes: vec![],
        }
    }

    fn document() -> Document {
        Document { lenses: vec![lens("f", 3, 5), lens("g", 9, 9)], ..Document::default() }
    }

    fn edited(edit: Value) -> Vec<(u32, u32)> {
        let mut document = document();
        document.edit(&serde_json::from_value(edit).unwrap());
        assert!(document.is_edited);
        document.lenses.iter().map(|lens| (lens.first_line, lens.last_line)).collect()
    }

    fn edit(from: u32, to: u32, text: &str) -> Value {
        let position = |line: u32| json!({"line": line, "character": 0});
        json!({"range": {"start": position(from), "end": position(to)}, "text": text})
    }

    #[test]
    fn functions_move_with_the_lines_above_them() {
        assert_eq!(edited(edit(0, 0, "// one\n// two\n")), [(5, 7), (11, 11)]);
        assert_eq!(edited(edit(3, 3, "more;\n")), [(3, 6), (10, 10)], "within f");
        assert_eq!(edited(edit(6, 7, "")), [(3, 5), (8, 8)], "between them");
        assert_eq!(edited(edit(8, 8, "x")), [(3, 5), (9, 9)]);
        assert_eq!(edited(json!({"text": "all of it"})), [(3, 5), (9, 9)]);
    }

    #[test]
    fn a_line_that_is_out_of_date_says_so() {
        let mut document = document();
        let title = |document: &Document| document.code_lenses("file:///a.c")[0].clone();
        assert_eq!(title(&document)["command"]["title"], "differs when n == 0");
        assert_eq!(title(&document)["range"]["start"]["line"], 2);
        document.is_edited = true;
        assert_eq!(title(&document)["command"]["title"], "differs when n == 0 (as last saved)");
        document.is_compared = true;
        assert_eq!(title(&document)["command"]["title"], "differs when n == 0 (comparing again)");
    }

    #[test]
    fn what_is_known_early_replaces_what_is_out_of_date() {
        let mut document = document();
        document.is_compared = true;
        let known =
            |name: &str| Lens { title: "equivalent to HEAD".to_owned(), ..lens(name, 1, 1) };
        document.know_early(known("f"));
        document.know_early(known("h"));
        let titles = |document: &Document| -> Vec<String> {
            let lenses = document.code_lenses("file:///a.c");
            let title = |lens: &Value| lens["command"]["title"].as_str().unwrap().to_owned();
            lenses.as_array().unwrap().iter().map(title).collect()
        };
        let old = "differs when n == 0 (comparing again)";
        assert_eq!(titles(&document), ["equivalent to HEAD", old, "equivalent to HEAD"]);
        document.replace(vec![known("f")]);
        assert_eq!(titles(&document), ["equivalent to HEAD (comparing again)"], "of the next run");
    }

    #[test]
    fn actions_are_those_of_the_function_at_the_cursor() {
        let at = |line: u32| Range { start: Position { line }, end: Position { line } };
        let titles = |line: u32| -> Vec<String> {
            let actions = document().code_actions("file:///a.c", at(line));
            let title = |action: &Value| action["title"].as_str().unwrap().to_owned();
            actions.as_array().unwrap().iter().map(title).collect()
        };
        assert_eq!(titles(4), ["Show counterexample of f", "Insert test for f"]);
        assert_eq!(titles(8), ["Show counterexample of g", "Insert test for g"]);
        assert_eq!(titles(6), [""; 0]);
    }
}
