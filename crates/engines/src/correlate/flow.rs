//! Locations: the steps of one version. A step is a block, cut before every output point and behind it, so that both
//! versions can wait for each other there.

use verdiff_model::graph::{Flow, Liveness};
use verdiff_model::{BlockId, Callee, Procedure, StmtKind, TerminatorKind, Trap};

/// A location: an index into [`Locations`].
pub(super) type Location = usize;

/// One step: some statements of a block, or an end of the run.
#[derive(Clone, Debug)]
pub(super) struct FlowStep {
    /// What is done from here on.
    pub kind: StepKind,
    /// The line it begins in, 0 if that is not known.
    pub line: u32,
    /// Whether control may come back to here: widening takes place.
    pub head: bool,
    /// Where its block comes in reverse postorder: what leads to a step comes first, but for back edges.
    pub rank: usize,
}

/// What a step does.
#[derive(Clone, Debug)]
pub(super) enum StepKind {
    /// Statements `from..to` of a block and, if it is the last step of it, the end of the block.
    Code { block: BlockId, from: usize, to: usize, output: bool },
    /// The run has ended: by return, by a trap, by a function that does not return.
    End(FlowEnd),
}

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FlowEnd {
    Return,
    Exit,
    Trap(Trap),
}

/// All locations of a procedure.
pub(super) struct Locations {
    pub steps: Vec<FlowStep>,
    /// The first step of each block.
    first: Vec<Location>,
    pub liveness: Liveness,
}

impl Locations {
    /// Cuts a procedure; `outputs` says which calls are output points.
    pub fn of(procedure: &Procedure, outputs: &dyn Fn(&Callee) -> bool) -> Locations {
        let flow = Flow::of(procedure);
        let liveness = Liveness::of(procedure, &flow);
        let (mut steps, mut first) = (vec![], vec![]);
        for id in procedure.block_ids() {
            first.push(steps.len());
            let block = procedure.block(id);
            let back = |from: &&BlockId| flow.position(**from) >= flow.position(id);
            let head =
                flow.is_reachable(id) && flow.predecessors(id).iter().any(|from| back(&from));
            let is_output =
                |kind: &StmtKind| matches!(kind, StmtKind::Call { callee, .. } if outputs(callee));
            let mut from = 0;
            loop {
                let output = block.stmts.get(from).is_some_and(|stmt| is_output(&stmt.kind));
                let rest = block.stmts.iter().enumerate().skip(from + 1);
                let next =
                    rest.into_iter().find(|(_, stmt)| is_output(&stmt.kind)).map(|(at, _)| at);
                let to = match (output, next) {
                    (true, _) if from + 1 < block.stmts.len() => from + 1,
                    (_, next) => next.unwrap_or(block.stmts.len()),
                };
                let places =
                    block.stmts[from..to].iter().map(|stmt| stmt.loc).chain([block.end.loc]);
                let line =
                    places.filter(|loc| loc.is_known()).map(|loc| loc.line).next().unwrap_or(0);
                let kind = StepKind::Code { block: id, from, to, output };
                let rank = flow.position(id).unwrap_or(usize::MAX);
                steps.push(FlowStep { kind, line, head: head && from == 0, rank });
                if to >= block.stmts.len() {
                    break;
                }
                from = to;
            }
        }
        let last = procedure
            .blocks
            .iter()
            .rev()
            .find(|block| matches!(block.end.kind, TerminatorKind::Return(_)));
        let line = last.map_or(0, |block| block.end.loc.line);
        for end in [FlowEnd::Return, FlowEnd::Exit].into_iter().chain(Trap::ALL.map(FlowEnd::Trap))
        {
            steps.push(FlowStep { kind: StepKind::End(end), line, head: false, rank: usize::MAX });
        }
        Locations { steps, first, liveness }
    }

    /// The first step of a block.
    pub fn of_block(&self, block: BlockId) -> Location {
        self.first[block.index()]
    }

    /// Where a run is that has ended.
    pub fn of_end(&self, end: FlowEnd) -> Location {
        let is = |step: &FlowStep| matches!(step.kind, StepKind::End(there) if there == end);
        self.steps.iter().position(is).expect("every end is a location")
    }

    /// How the run has ended, if it has.
    pub fn end(&self, at: Location) -> Option<FlowEnd> {
        match self.steps[at].kind {
            StepKind::End(end) => Some(end),
            StepKind::Code { .. } => None,
        }
    }

    /// Whether versions wait for each other here: at heads of loops, outputs and ends.
    pub fn is_meeting_point(&self, at: Location) -> bool {
        self.steps[at].head || self.is_output(at) || self.end(at).is_some()
    }

    /// Whether the step begins with an output.
    pub fn is_output(&self, at: Location) -> bool {
        matches!(self.steps[at].kind, StepKind::Code { output: true, .. })
    }
}
