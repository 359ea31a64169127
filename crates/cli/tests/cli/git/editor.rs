//! The language server, as an editor meets it.

use super::{Repository, independent};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

const OLD: &str = "int same(int n) { return n + n; }\n\
                   int half(int n) { return n / 2; }\n\
                   int wide(int x) { _BitInt(256) y = x; return (int)(y + 1); }\n\
                   int slow(int n) { return n; }\n";
const NEW: &str = "/* It has moved. */\n\
                   int same(int n) { return n * 2; }\n\
                   int half(int n) { return n >> 1; }\n\
                   int wide(int x) { _BitInt(256) y = x; return (int)(y + 2); }\n\
                   int slow(int n) { return n; }\n";

/// An editor that has a file of the repository open.
struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    uri: String,
    requests: u32,
    /// What the server said before it answered.
    early: VecDeque<Value>,
}

impl Editor {
    /// Starts the server and opens `a.c`.
    fn open(repository: &Repository, capabilities: Value) -> Editor {
        let mut command = Command::new(env!("CARGO_BIN_EXE_verdiff"));
        command.args(["lsp", "--", "--cache"]).arg(repository.path("cache"));
        command.current_dir(repository.work()).env("TMPDIR", repository.path("temporary"));
        // A comparison of `slow` takes as long as it may.
        command.env("VERDIFF_TEST_WORKER", "hang:slow");
        let pipes = independent(&mut command).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut server = pipes.spawn().unwrap();
        let input = server.stdin.take().unwrap();
        let output = BufReader::new(server.stdout.take().unwrap());
        let uri = format!("file://{}", repository.work().join("a.c").display());
        let mut editor = Editor { server, input, output, uri, requests: 0, early: VecDeque::new() };
        let parameters = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
        let answer = editor.ask("initialize", parameters);
        assert!(answer["capabilities"]["codeLensProvider"].is_object(), "{answer}");
        editor.tell("initialized", json!({}));
        let document = json!({"uri": editor.uri, "languageId": "c", "version": 1, "text": ""});
        editor.tell("textDocument/didOpen", json!({"textDocument": document}));
        editor
    }

    fn tell(&mut self, method: &str, parameters: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has ended");
            match line.trim().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line.trim().is_empty() => break,
                None => {}
            }
        }
        let mut bytes = vec![0; length];
        self.output.read_exact(&mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// What the server says by itself.
    fn hear(&mut self) -> Value {
        self.early.pop_front().unwrap_or_else(|| self.receive())
    }

    /// The answer to a request.
    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": parameters}));
        loop {
            let mut message = self.receive();
            if message["method"].is_string() {
                self.early.push_back(message);
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            return message["result"].take();
        }
    }

    /// What the server asks for next; the answer is `result`.
    fn asked(&mut self, method: &str, result: Value) -> Value {
        let mut request = self.hear();
        assert_eq!(request["method"], method, "{request}");
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
        request["params"].take()
    }

    fn about_document(&self) -> Value {
        json!({"textDocument": {"uri": self.uri}})
    }

    fn save(&mut self) {
        self.tell("textDocument/didSave", self.about_document());
    }

    /// Lines from 0, and titles.
    fn lenses(&mut self) -> Vec<(u64, String)> {
        let lenses = self.ask("textDocument/codeLens", self.about_document());
        let one = |lens: &Value| {
            let title = lens["command"]["title"].as_str().unwrap().to_owned();
            (lens["range"]["start"]["line"].as_u64().unwrap(), title)
        };
        lenses.as_array().unwrap().iter().map(one).collect()
    }

    /// The lenses after the comparison that is under way, of so many functions. Before its end, some are known already.
    fn lenses_then(&mut self, count: usize) -> Vec<(u64, String)> {
        loop {
            self.asked("workspace/codeLens/refresh", Value::Null);
            let lenses = self.lenses();
            if lenses.len() == count
                && lenses.iter().all(|(_, title)| !title.contains("(comparing"))
            {
                return lenses;
            }
            let is_early = |title: &String| {
                title == "may differ from HEAD (comparing)" || title.ends_with("(comparing again)")
            };
            assert!(lenses.iter().all(|(_, title)| is_early(title)), "{lenses:?}");
        }
    }

    fn execute(&mut self, action: &Value) {
        let command = &action["command"];
        let parameters = json!({"command": command["command"], "arguments": command["arguments"]});
        assert_eq!(self.ask("workspace/executeCommand", parameters), Value::Null);
    }

    /// Ends the server, which leaves nothing behind. What it has ended removes its files itself.
    fn close(mut self, repository: &Repository) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
        let left = || std::fs::read_dir(repository.path("temporary")).unwrap().count();
        for _ in 0..200 {
            if left() == 0 {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{} temporary files are left", left());
    }
}

fn capable() -> Value {
    json!({
        "window": {"showDocument": {"support": true}},
        "workspace": {
            "applyEdit": true,
            "codeLens": {"refreshSupport": true},
            "workspaceEdit": {"documentChanges": true, "resourceOperations": ["create"]},
        },
    })
}

fn lens(line: u64, title: &str) -> (u64, String) {
    (line, title.to_owned())
}

#[test]
fn lenses_say_how_a_saved_file_differs_from_head() {
    let repository = Repository::with(&[&[("a.c", OLD)]]);
    repository.write(&[("a.c", NEW)]);
    let mut editor = Editor::open(&repository, capable());
    assert_eq!(
        editor.lenses_then(3),
        [
            lens(1, "equivalent to HEAD"),
            lens(2, "differs when n < 0 && (n & 1) == 1"),
            lens(3, "undecided: an integer of 256 bits is not supported"),
        ]
    );

    // What is edited and not saved is not what was compared.
    let position = json!({"line": 0, "character": 0});
    let edit = json!({"range": {"start": position, "end": position}, "text": "\n\n"});
    let document = json!({"uri": editor.uri, "version": 2});
    let changed = json!({"textDocument": document, "contentChanges": [edit]});
    editor.tell("textDocument/didChange", changed);
    assert_eq!(editor.lenses()[0], lens(3, "equivalent to HEAD (as last saved)"));

    // Both actions, at the function that differs and at no other.
    let actions = |editor: &mut Editor, line: u32| {
        let position = json!({"line": line, "character": 4});
        let range = json!({"start": position, "end": position});
        let document = editor.about_document()["textDocument"].take();
        let context = json!({"diagnostics": []});
        let asked = json!({"textDocument": document, "range": range, "context": context});
        editor.ask("textDocument/codeAction", asked)
    };
    assert_eq!(actions(&mut editor, 3), json!([]));
    let half = actions(&mut editor, 4);
    assert_eq!(half[0]["title"], "Show counterexample of half");
    editor.execute(&half[0]);
    let shown = editor.asked("window/showDocument", json!({"success": true}));
    let path = shown["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    let text = std::fs::read_to_string(path).unwrap();
    assert!(text.contains("n = -1   returns 0   returns -1"), "{text}");
    assert_eq!(half[1]["title"], "Insert test for half");
    editor.execute(&half[1]);
    let applied = editor.asked("workspace/applyEdit", json!({"applied": true}));
    let [create, insert] = [0, 1].map(|n| &applied["edit"]["documentChanges"][n]);
    assert!(create["uri"].as_str().unwrap().ends_with("/half_test.c"), "{create}");
    let text = insert["edits"][0]["newText"].as_str().unwrap();
    assert!(text.contains("#include SOURCE") && text.contains("half(arg0)"), "{text}");
    editor.asked("window/showDocument", json!({"success": true}));

    // A difference is shown while another function is still compared.
    let text = NEW.replace("return n; }", "return n + 1; }").replace("n >> 1", "n / 3");
    repository.write(&[("a.c", &text)]);
    editor.save();
    let early = lens(2, "may differ from HEAD (comparing)");
    loop {
        editor.asked("workspace/codeLens/refresh", Value::Null);
        if editor.lenses().contains(&early) {
            break;
        }
    }
    // A newer save ends an older comparison, whose result is never shown.
    repository.write(&[("a.c", &OLD.replace("n + n", "2 * n"))]);
    editor.save();
    assert_eq!(editor.lenses_then(1), [lens(0, "equivalent to HEAD")]);

    // What cannot be compared says so.
    repository.write(&[("a.c", "int same(int n) {\n")]);
    editor.save();
    let log = editor.hear();
    assert_eq!(log["method"], "window/logMessage", "{log}");
    assert!(log["params"]["message"].as_str().unwrap().contains("expected '}'"), "{log}");
    let lenses = editor.lenses_then(1);
    assert!(lenses.len() == 1 && lenses[0].1.starts_with("verdiff: none of"), "{lenses:?}");
    editor.close(&repository);
}

/// An editor that can do nothing of that is told in messages, and asks for lenses when it likes.
#[test]
fn an_editor_without_abilities_gets_messages() {
    let repository = Repository::with(&[&[("a.c", OLD)]]);
    repository.write(&[("a.c", &OLD.replace("n / 2", "n >> 1"))]);
    let mut editor = Editor::open(&repository, json!({}));
    while !editor.lenses().iter().any(|(_, title)| title.starts_with("differs")) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let commands = ["verdiff.showDetails", "verdiff.insertTest"];
    let [details, test] = commands
        .map(|command| json!({"command": {"command": command, "arguments": [editor.uri, "half"]}}));
    for (action, message) in [(details, "returns -1"), (test, "half_test.c")] {
        editor.execute(&action);
        let shown = editor.hear();
        assert_eq!(shown["method"], "window/showMessage", "{shown}");
        assert!(shown["params"]["message"].as_str().unwrap().contains(message), "{shown}");
    }
    let written = std::fs::read_to_string(repository.work().join("half_test.c")).unwrap();
    assert!(written.contains("#include SOURCE"), "{written}");
    editor.close(&repository);
}
