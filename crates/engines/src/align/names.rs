//! What places and variables are called, for people.

use super::{Cut, CutPoint};
use verdiff_judge::Task;

impl Cut {
    /// What a place is called.
    pub(super) fn place_name(&self, task: &Task<'_>, side: usize, place: CutPoint) -> String {
        let pair = task.comparison.pair(task.pair);
        match place {
            CutPoint::Start => format!("the start of {}", pair.function),
            CutPoint::End | CutPoint::Stopped => format!("the end of {}", pair.function),
            CutPoint::Head(id) => self.facts.programs[side].procedure(id).name.clone(),
        }
    }

    /// What a variable is called.
    pub(super) fn variable(
        &self,
        task: &Task<'_>,
        side: usize,
        place: CutPoint,
        index: usize,
    ) -> String {
        let version = ["old", "new"][side];
        let pair = task.comparison.pair(task.pair);
        let root = self.facts.programs[0].procedure(pair.old);
        let own = match place {
            CutPoint::Head(id) => {
                let procedure = self.facts.programs[side].procedure(id);
                if let Some(param) = procedure.params.get(index) {
                    return format!("{version}.{}", procedure.var(*param).name);
                }
                procedure.params.len()
            }
            CutPoint::End => root.results.len(),
            CutPoint::Start | CutPoint::Stopped => 1,
        };
        match index.checked_sub(own).and_then(|n| root.params.get(n)) {
            Some(param) => format!("{} at the entry", root.var(*param).name),
            None => format!("{version}.result"),
        }
    }
}
