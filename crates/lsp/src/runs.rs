//! Comparisons in the background: one at a time, and none whose result nobody wants any more.

use crate::{Comparer, Lenses, uri};
use crossbeam_channel::Sender;
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// What is compared, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The file.
    pub uri: String,
    /// What is done with the result.
    pub purpose: Purpose,
}

/// What a comparison is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To show what is known of all functions.
    Lenses,
    /// To have a C test of this function.
    Test(String),
}

/// What comes from a comparison.
#[derive(Debug)]
pub enum News {
    /// What is known of some functions while it goes on, and its number.
    Early(u64, Lenses),
    /// It ended.
    Finished(Finished),
}

/// A comparison that ended.
#[derive(Debug)]
pub struct Finished {
    /// Its number.
    number: u64,
    /// What was found, or why nothing was: the program's message, and all that it printed.
    pub result: Result<Lenses, (String, String)>,
}

/// The comparisons of a server.
pub struct Runs {
    comparer: Comparer,
    /// Where results go.
    news: Sender<News>,
    /// Without a process if none could be started: then its end is on its way.
    running: Option<(u64, Wanted, Option<Child>)>,
    waiting: VecDeque<Wanted>,
    number: u64,
}

impl Runs {
    /// None yet.
    pub fn new(comparer: Comparer, news: Sender<News>) -> Runs {
        Runs { comparer, news, running: None, waiting: VecDeque::new(), number: 0 }
    }

    /// Compares a file, as soon as nothing else is compared. The same comparison that is under way is about an older file:
    /// it is ended.
    pub fn want(&mut self, wanted: Wanted) {
        self.forget(|other| *other == wanted);
        // Somebody looks at the file that was saved last.
        self.waiting.push_front(wanted);
        self.start_next();
    }

    /// Nobody wants to know anything of a file any more.
    pub fn closed(&mut self, uri: &str) {
        self.forget(|other| other.uri == uri);
        self.start_next();
    }

    /// What the comparison of this number is wanted for; nothing if nobody wants it any more.
    pub fn wanted(&self, number: u64) -> Option<&Wanted> {
        let running = self.running.as_ref().filter(|(running, ..)| *running == number);
        running.map(|(_, wanted, _)| wanted)
    }

    /// Takes note of an end, and goes on with the next. What it was wanted for; nothing if nobody wants it any more.
    pub fn ended(&mut self, finished: &Finished) -> Option<Wanted> {
        let (_, wanted, child) = self.running.take_if(|(number, ..)| *number == finished.number)?;
        if let Some(mut child) = child {
            let _ = child.wait();
        }
        self.start_next();
        Some(wanted)
    }

    fn forget(&mut self, is_it: impl Fn(&Wanted) -> bool) {
        self.waiting.retain(|other| !is_it(other));
        if let Some((_, _, child)) = self.running.take_if(|(_, other, _)| is_it(other)) {
            end(child);
        }
    }

    fn start_next(&mut self) {
        if self.running.is_some() {
            return;
        }
        let Some(wanted) = self.waiting.pop_front() else { return };
        self.number += 1;
        let child = self.start(&wanted);
        if let Err(error) = &child {
            // The program itself was removed, or there is no memory.
            let result = Err(("cannot start verdiff".to_owned(), error.to_string()));
            let finished = Finished { number: self.number, result };
            let _ = self.news.send(News::Finished(finished));
        }
        self.running = Some((self.number, wanted, child.ok()));
    }

    fn start(&self, wanted: &Wanted) -> std::io::Result<Child> {
        let path = uri::path(&wanted.uri).unwrap_or_default();
        let folder = path.parent().unwrap_or(Path::new("/"));
        let mut command = Command::new(&self.comparer.program);
        command.args(["lenses", "--no-progress"]);
        match &wanted.purpose {
            // A difference that was run on the same programs before is not run again.
            Purpose::Lenses => command.arg("--no-replay"),
            Purpose::Test(function) => command.args(["--tests", "--entry", function]),
        };
        command.args(&self.comparer.options).args(["HEAD", "--"]).arg(&path).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        let (number, news) = (self.number, self.news.clone());
        std::thread::spawn(move || {
            let errors = std::thread::spawn(move || all(stderr));
            // If nobody listens the server is about to end.
            let last = lines(stdout, |early| drop(news.send(News::Early(number, early))));
            let printed = errors.join().unwrap_or_default();
            let result = last.ok_or_else(|| (message(&printed), printed));
            let _ = news.send(News::Finished(Finished { number, result }));
        });
        Ok(child)
    }
}

impl Drop for Runs {
    fn drop(&mut self) {
        if let Some((_, _, child)) = self.running.take() {
            end(child);
        }
    }
}

/// Ends a comparison; the processes that it has started end with it.
fn end(child: Option<Child>) {
    if let Some(mut child) = child {
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Reads what a comparison prints: what it tells early is passed on; the last line is the result.
fn lines(stream: Option<impl Read>, mut early: impl FnMut(Lenses)) -> Option<Lenses> {
    for line in BufReader::new(stream?).lines() {
        let lenses: Lenses = serde_json::from_str(&line.ok()?).ok()?;
        match lenses.is_final {
            true => return Some(lenses),
            false => early(lenses),
        }
    }
    None
}

fn all(stream: Option<impl Read>) -> String {
    let mut bytes = vec![];
    if let Some(mut stream) = stream {
        let _ = stream.read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The program's own message: its last line of that kind, behind what clang had to say.
fn message(printed: &str) -> String {
    let mut errors = printed.lines().filter_map(|line| line.strip_prefix("error: "));
    errors.next_back().unwrap_or("the comparison ended without a result").to_owned()
}
