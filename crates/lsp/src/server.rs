//! The conversation with the editor.

use crate::document::{Document, Edit, INSERT_TEST, Range, SHOW_DETAILS};
use crate::runs::{Finished, News, Purpose, Runs, Wanted};
use crate::{Comparer, Lenses, LspError, uri};
use crossbeam_channel::{Receiver, select, unbounded};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Messages of the protocol: an error, a warning, a remark.
const ERROR: u8 = 1;
const WARNING: u8 = 2;
const INFO: u8 = 3;

/// The server, as long as the editor is there.
struct Server {
    connection: Connection,
    can: Abilities,
    documents: HashMap<String, Document>,
    runs: Runs,
    /// Where texts are that the editor shows as files.
    shown: TempDir,
    /// The number of the last request to the editor.
    requests: i32,
    /// Files to be shown when the edit of this number was made.
    inserted: HashMap<i32, String>,
}

/// What the editor can do.
#[derive(Clone, Copy, Debug, Default)]
struct Abilities {
    refresh_lenses: bool,
    show_documents: bool,
    create_files: bool,
}

impl Abilities {
    fn of(parameters: &Value) -> Abilities {
        let can = |path: &str| parameters["capabilities"].pointer(path) == Some(&json!(true));
        let created = parameters["capabilities"]
            .pointer("/workspace/workspaceEdit/resourceOperations")
            .and_then(Value::as_array)
            .is_some_and(|all| all.contains(&json!("create")));
        Abilities {
            refresh_lenses: can("/workspace/codeLens/refreshSupport"),
            show_documents: can("/window/showDocument/support"),
            create_files: created
                && can("/workspace/applyEdit")
                && can("/workspace/workspaceEdit/documentChanges"),
        }
    }
}

/// Serves an editor until it goes away.
pub fn run(connection: Connection, mut comparer: Comparer) -> Result<(), LspError> {
    let parameters = connection.initialize(json!({
        // Edits are told as they are, and saving without the text.
        "textDocumentSync": {"openClose": true, "change": 2, "save": true},
        "codeLensProvider": {},
        "codeActionProvider": {"codeActionKinds": ["refactor"]},
        "executeCommandProvider": {"commands": [SHOW_DETAILS, INSERT_TEST]},
    }))?;
    let options = parameters["initializationOptions"]["options"].as_array();
    let options = options.into_iter().flatten().filter_map(Value::as_str);
    comparer.options.extend(options.map(str::to_owned));
    let (tell, news) = unbounded();
    let mut server = Server {
        can: Abilities::of(&parameters),
        connection,
        documents: HashMap::new(),
        runs: Runs::new(comparer, tell),
        shown: tempfile::Builder::new().prefix("verdiff-lsp-").tempdir()?,
        requests: 0,
        inserted: HashMap::new(),
    };
    server.serve(&news)
}

impl Server {
    fn serve(&mut self, news: &Receiver<News>) -> Result<(), LspError> {
        let messages = self.connection.receiver.clone();
        loop {
            select! {
                recv(messages) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if self.connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        self.request(request);
                    }
                    Ok(Message::Notification(notification)) => self.notification(notification),
                    Ok(Message::Response(response)) => self.response(&response),
                    // The editor is gone.
                    Err(_) => return Ok(()),
                },
                recv(news) -> news => match news {
                    Ok(News::Early(number, lenses)) => self.known_early(number, lenses),
                    Ok(News::Finished(finished)) => self.finished(finished),
                    Err(_) => {}
                }
            }
        }
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = match method.as_str() {
            "textDocument/codeLens" => parsed(params).map(|about: AboutDocument| {
                let uri = &about.text_document.uri;
                self.documents.get(uri).map_or(json!([]), |document| document.code_lenses(uri))
            }),
            "textDocument/codeAction" => parsed(params).map(|asked: AskedActions| {
                let (uri, only) = (&asked.text_document.uri, asked.context.only);
                let wanted = only.is_none_or(|only| only.iter().any(|kind| kind == "refactor"));
                let document = self.documents.get(uri).filter(|_| wanted);
                document.map_or(json!([]), |document| document.code_actions(uri, asked.range))
            }),
            "workspace/executeCommand" => parsed(params).map(|command: Execute| {
                self.execute(&command);
                Value::Null
            }),
            _ => {
                let code = ErrorCode::MethodNotFound as i32;
                self.send(Response::new_err(id, code, format!("no such method: {method}")));
                return;
            }
        };
        self.send(match answer {
            Ok(answer) => Response::new_ok(id, answer),
            Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error),
        });
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        // What cannot be read is a message of a later version of the protocol, and has no answer.
        match method.as_str() {
            "textDocument/didOpen" | "textDocument/didSave" => {
                if let Ok(about) = parsed::<AboutDocument>(params) {
                    self.saved(about.text_document.uri);
                }
            }
            "textDocument/didChange" => {
                if let Ok(changed) = parsed::<Changed>(params)
                    && let Some(document) = self.documents.get_mut(&changed.text_document.uri)
                {
                    changed.content_changes.iter().for_each(|edit| document.edit(edit));
                }
            }
            "textDocument/didClose" => {
                if let Ok(about) = parsed::<AboutDocument>(params) {
                    self.documents.remove(&about.text_document.uri);
                    self.runs.closed(&about.text_document.uri);
                }
            }
            _ => {}
        }
    }

    /// A file is on the disk as the editor has it.
    fn saved(&mut self, uri: String) {
        // Only what is in a repository has a HEAD.
        if !uri::path(&uri).is_some_and(|path| is_in_repository(&path)) {
            return;
        }
        let document = self.documents.entry(uri.clone()).or_default();
        document.is_edited = false;
        document.is_compared = true;
        document.early.clear();
        self.runs.want(Wanted { uri, purpose: Purpose::Lenses });
    }

    /// Something is known of some functions, while the comparison goes on.
    fn known_early(&mut self, number: u64, lenses: Lenses) {
        let Some(Wanted { uri, purpose: Purpose::Lenses }) = self.runs.wanted(number) else {
            return;
        };
        let Some(document) = self.documents.get_mut(uri) else { return };
        // Its lines are those of the saved file.
        if document.is_edited {
            return;
        }
        for lens in of_file(lenses, uri) {
            document.know_early(lens);
        }
        self.refresh();
    }

    fn finished(&mut self, finished: Finished) {
        let Some(wanted) = self.runs.ended(&finished) else { return };
        if let Err((message, printed)) = &finished.result {
            self.log(&format!("{}: {message}\n{printed}", wanted.uri));
        }
        match wanted.purpose {
            Purpose::Lenses => self.compared(&wanted.uri, finished.result),
            Purpose::Test(function) => self.insert_test(&wanted.uri, &function, finished.result),
        }
    }

    fn compared(&mut self, uri: &str, result: Result<Lenses, (String, String)>) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.is_compared = false;
        match result {
            Ok(lenses) => {
                document.problem = lenses.problems.first().cloned();
                document.replace(of_file(lenses, uri));
            }
            Err((message, _)) => {
                document.problem = Some(message);
                document.replace(vec![]);
            }
        }
        self.refresh();
    }

    /// Has the editor ask for the lenses again.
    fn refresh(&mut self) {
        if self.can.refresh_lenses {
            self.ask("workspace/codeLens/refresh", Value::Null);
        }
    }

    fn execute(&mut self, command: &Execute) {
        let Some([uri, function]) = &command.arguments else { return };
        match command.command.as_str() {
            SHOW_DETAILS => {
                let lens = self.documents.get(uri).and_then(|document| document.lens(function));
                if let Some(text) = lens.map(|lens| lens.details.clone()) {
                    self.show(function, &text);
                }
            }
            INSERT_TEST => {
                let purpose = Purpose::Test(function.clone());
                self.runs.want(Wanted { uri: uri.clone(), purpose });
            }
            _ => {}
        }
    }

    /// Shows a text of several lines.
    fn show(&mut self, name: &str, text: &str) {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = name.chars().map(plain).take(60).collect();
        let path = self.shown.path().join(format!("{name}.txt"));
        match self.can.show_documents && std::fs::write(&path, text).is_ok() {
            true => self.show_document(&uri::of(&path)),
            false => self.tell(INFO, text),
        }
    }

    fn show_document(&mut self, uri: &str) {
        let parameters = json!({"uri": uri, "external": false, "takeFocus": true});
        self.ask("window/showDocument", parameters);
    }

    fn insert_test(&mut self, uri: &str, function: &str, result: Result<Lenses, (String, String)>) {
        let lenses = match result {
            Ok(lenses) => lenses.lenses,
            Err((message, _)) => return self.tell(ERROR, &message),
        };
        let lens = lenses.into_iter().find(|lens| lens.function == function);
        let Some((name, text)) = lens.as_ref().and_then(|lens| lens.test.clone()) else {
            let notes = lens.map(|lens| lens.notes.join("; ")).filter(|notes| !notes.is_empty());
            let why = notes.unwrap_or("the saved file does not differ from HEAD there".to_owned());
            return self.tell(WARNING, &format!("verdiff: {function}: {why}"));
        };
        let folder = uri::path(uri).and_then(|path| path.parent().map(Path::to_path_buf));
        let path = unused(&folder.unwrap_or_default(), &name);
        if !self.can.create_files {
            match std::fs::write(&path, text) {
                Ok(()) if self.can.show_documents => self.show_document(&uri::of(&path)),
                Ok(()) => self.tell(INFO, &format!("verdiff: wrote {}", path.display())),
                Err(error) => self.tell(ERROR, &format!("{}: {error}", path.display())),
            }
            return;
        }
        let test = uri::of(&path);
        let start = json!({"line": 0, "character": 0});
        let number = self.ask(
            "workspace/applyEdit",
            json!({
                "label": format!("insert test for {function}"),
                "edit": {"documentChanges": [
                    {"kind": "create", "uri": test},
                    {
                        "textDocument": {"uri": test, "version": null},
                        "edits": [{"range": {"start": start, "end": start}, "newText": text}],
                    },
                ]},
            }),
        );
        self.inserted.insert(number, test);
    }

    fn response(&mut self, response: &Response) {
        let numbers: Vec<i32> = self.inserted.keys().copied().collect();
        let Some(number) = numbers.into_iter().find(|n| response.id == RequestId::from(*n)) else {
            return;
        };
        let Some(test) = self.inserted.remove(&number) else { return };
        let applied =
            response.response_result.as_ref().is_ok_and(|result| result["applied"] == true);
        if applied && self.can.show_documents {
            self.show_document(&test);
        }
    }

    /// Asks the editor for something; gives the number of the request.
    fn ask(&mut self, method: &str, parameters: Value) -> i32 {
        self.requests += 1;
        self.send(Request::new(self.requests.into(), method.to_owned(), parameters));
        self.requests
    }

    /// Shows a short message.
    fn tell(&self, kind: u8, message: &str) {
        let parameters = json!({"type": kind, "message": message});
        self.send(Notification::new("window/showMessage".to_owned(), parameters));
    }

    /// Leaves a message where users look for the reason of a problem.
    fn log(&self, message: &str) {
        let parameters = json!({"type": WARNING, "message": message});
        self.send(Notification::new("window/logMessage".to_owned(), parameters));
    }

    fn send(&self, message: impl Into<Message>) {
        // If nobody reads it the editor is gone, and that is seen where messages are received.
        let _ = self.connection.sender.send(message.into());
    }
}

/// The lenses of one file.
fn of_file(lenses: Lenses, uri: &str) -> Vec<verdiff_report::Lens> {
    let whole = |path: &Path| path.canonicalize().ok();
    let file = uri::path(uri).and_then(|path| whole(&path));
    let root = lenses.root.unwrap_or_default();
    let here =
        |lens: &verdiff_report::Lens| file.is_some() && whole(&root.join(&lens.file)) == file;
    lenses.lenses.into_iter().filter(here).collect()
}

fn is_in_repository(path: &Path) -> bool {
    path.ancestors().any(|folder| folder.join(".git").exists())
}

/// A file that is not there yet.
fn unused(folder: &Path, name: &str) -> PathBuf {
    let stem = name.trim_end_matches(".c");
    let others = (2..).map(|number| format!("{stem}_{number}.c"));
    let mut names = std::iter::once(name.to_owned()).chain(others).map(|name| folder.join(name));
    names.find(|path| !path.exists()).unwrap_or_else(|| folder.join(name))
}

fn parsed<T: DeserializeOwned>(parameters: Value) -> Result<T, String> {
    serde_json::from_value(parameters).map_err(|error| error.to_string())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AboutDocument {
    text_document: DocumentName,
}

#[derive(Deserialize)]
struct DocumentName {
    uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Changed {
    text_document: DocumentName,
    content_changes: Vec<Edit>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct AskedActions {
    text_document: DocumentName,
    range: Range,
    #[serde(default)]
    context: ActionContext,
}

#[derive(Default, Deserialize)]
struct ActionContext {
    only: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Execute {
    command: String,
    arguments: Option<[String; 2]>,
}
