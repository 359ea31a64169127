//! Several back ends at once; the first that decides wins, and the others are stopped.
//!
//! The winner depends on timing, so a race gives up the promise that the same input gives the
//! same model. It is for queries where any answer is better than none.

use std::sync::mpsc;

use crate::term::TermPool;

use super::{Answer, Backend, Decide, Limits, Query, Reason, Stop};

/// A race of back ends.
pub struct Race {
    runners: Vec<Box<dyn Backend>>,
}

impl Race {
    /// A race of these.
    pub fn new(runners: Vec<Box<dyn Backend>>) -> Race {
        Race { runners }
    }
}

impl Backend for Race {
    fn name(&self) -> String {
        let names: Vec<String> = self.runners.iter().map(|runner| runner.name()).collect();
        format!("race of {}", names.join(", "))
    }

    fn solve(
        &mut self,
        pool: &TermPool,
        query: &Query<'_>,
        limits: &Limits,
        stop: &Stop,
    ) -> Answer {
        let finished = Stop::new();
        let mut reasons = Vec::new();
        let mut winner = None;
        std::thread::scope(|scope| {
            let (sender, answers) = mpsc::channel();
            for runner in &mut self.runners {
                let (sender, finished) = (sender.clone(), finished.clone());
                scope.spawn(move || {
                    let answer = runner.solve(pool, query, limits, &finished);
                    // The receiver is gone once somebody has won.
                    let _ = sender.send(answer);
                });
            }
            drop(sender);
            loop {
                if stop.is_requested() {
                    finished.request();
                }
                match answers.recv_timeout(std::time::Duration::from_millis(10)) {
                    Ok(Answer::Unknown(reason)) => reasons.push(reason),
                    Ok(answer) => {
                        finished.request();
                        winner.get_or_insert(answer);
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => break,
                }
            }
        });
        match (winner, reasons.len()) {
            (Some(answer), _) => answer,
            (None, 1) => Answer::Unknown(reasons.remove(0)),
            (None, _) => Answer::Unknown(joint(reasons)),
        }
    }
}

/// One reason if all agree.
fn joint(reasons: Vec<Reason>) -> Reason {
    match reasons.first() {
        Some(first) if reasons.iter().all(|reason| reason == first) => first.clone(),
        _ => Reason::All(reasons),
    }
}

impl Decide for Race {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        self.solve(pool, query, limits, &Stop::new())
    }
}
