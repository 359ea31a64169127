//! Writes every query to a folder, as a script another solver can run, with the answer as a
//! comment.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::smtlib::{Script, Sharing};
use crate::term::TermPool;

use super::{Answer, Decide, Limits, Query, SolverError};

/// Logs what passes.
pub struct Logged<D> {
    inner: D,
    folder: PathBuf,
    count: u64,
}

impl<D: Decide> Logged<D> {
    /// Logs to `folder`, which is made if need be: `query-000001.smt2` and so on.
    pub fn new(inner: D, folder: &Path) -> Result<Logged<D>, SolverError> {
        fs::create_dir_all(folder).map_err(|error| SolverError::CannotLog {
            folder: folder.display().to_string(),
            why: error.to_string(),
        })?;
        Ok(Logged { inner, folder: folder.to_path_buf(), count: 0 })
    }
}

impl<D: Decide> Decide for Logged<D> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        self.count += 1;
        let path = self.folder.join(format!("query-{:06}.smt2", self.count));
        let mut text = String::from(Script::new(pool, &query.all(), &[], Sharing::Let).text());
        text.push_str("(check-sat)\n");
        // Written before it is asked: the query that brings everything down is the one wanted.
        // A full disk must not change an answer, so failures are ignored.
        let _ = fs::write(&path, &text);
        let start = Instant::now();
        let answer = self.inner.decide(pool, query, limits);
        let outcome = match &answer {
            Answer::Sat(_) => "sat".to_string(),
            Answer::Unsat { .. } => "unsat".to_string(),
            Answer::Unknown(reason) => format!("unknown: {reason}").replace('\n', " "),
        };
        let milliseconds = start.elapsed().as_millis();
        let _ = fs::write(&path, format!("{text}; {outcome}, {milliseconds} ms\n"));
        answer
    }
}
