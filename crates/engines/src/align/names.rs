//! The variables of places, and what both are called.

use super::invariant::Var;
use super::{Cut, CutPoint, Node, width};
use verdiff_judge::{Side, Task};
use verdiff_model::Type;

impl Cut {
    /// The variables of both sides at a node, and what the parameters were at the entry: they count as variables of the old
    /// side, behind its own.
    pub(super) fn vars_and_parameters(&self, task: &Task<'_>, node: Node) -> Vec<Var> {
        let mut vars = self.vars(task, node);
        let own = vars.iter().filter(|var| var.side == 0).count();
        if node[0] != CutPoint::Start {
            for (n, ty) in self.parameters(task).into_iter().enumerate() {
                let (width, pointer) = (width(ty), ty == Type::Ptr);
                vars.push(Var { side: 0, index: own + n, width, pointer });
            }
        }
        vars
    }

    /// The variables of both sides at a node.
    pub(super) fn vars(&self, task: &Task<'_>, node: Node) -> Vec<Var> {
        let pair = task.comparison.pair(task.pair);
        let mut vars = vec![];
        for side in Side::BOTH {
            let program = &self.facts.programs[side.index()];
            let types: Vec<Type> = match node[side.index()] {
                CutPoint::Start => vec![],
                CutPoint::Head(id) => {
                    let procedure = program.procedure(id);
                    procedure.params.iter().map(|param| procedure.var(*param).ty).collect()
                }
                CutPoint::End => program.procedure(pair.of(side)).results.clone(),
                // How it ended.
                CutPoint::Stopped => vec![Type::Int(16)],
            };
            vars.extend(types.into_iter().enumerate().map(|(index, ty)| Var {
                side: side.index(),
                index,
                width: width(ty),
                pointer: ty == Type::Ptr,
            }));
        }
        vars
    }

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

    /// Whether any head has a pointer and an integer that is narrower: only then may the size of objects matter.
    pub(super) fn indexes(&self, task: &Task<'_>) -> bool {
        [0, 1].into_iter().any(|side| {
            self.heads[side].iter().any(|head| {
                let mut node = [CutPoint::End, CutPoint::End];
                node[side] = CutPoint::Head(*head);
                let vars = self.vars(task, node);
                let own = || vars.iter().filter(|var| var.side == side);
                own().any(|var| var.pointer) && own().any(|var| (2..64).contains(&var.width))
            })
        })
    }
}
