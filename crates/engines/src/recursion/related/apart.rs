//! How callees are seen where each version's loops and recursive functions are functions of its own.

use super::super::callees::Seen;
use std::collections::BTreeMap;
use verdiff_model::ProcId;
use verdiff_symex::callee::{Abstraction, Callees, View};

/// Everything else as it is seen elsewhere.
pub struct Apart<'a> {
    pub seen: Seen<'a>,
    /// What is cut: by side and number.
    pub cut: BTreeMap<(usize, ProcId), Abstraction>,
    /// How many levels of calls of what is cut are replaced by the body, on each side.
    pub unfold: [usize; 2],
    /// The depths of calls at which bodies were entered in that way.
    pub inside: Vec<usize>,
}

impl Callees for Apart<'_> {
    fn view(&mut self, side: usize, callee: ProcId, depth: usize) -> View {
        while self.inside.last().is_some_and(|at| *at >= depth) {
            self.inside.pop();
        }
        match self.cut.get(&(side, callee)) {
            Some(view) if self.inside.len() >= self.unfold[side] => {
                self.seen.lost |= view.allocates || view.frees;
                View::Abstract(view.clone())
            }
            Some(_) => {
                self.inside.push(depth);
                View::Inline
            }
            None => self.seen.view(side, callee, depth),
        }
    }

    fn external(&mut self, side: usize, name: &str, calls_back: bool) -> String {
        self.seen.external(side, name, calls_back)
    }
}
