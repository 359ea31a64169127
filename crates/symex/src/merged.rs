//! Merged execution: one formula for a loop-free body.
//!
//! Blocks are taken in an order in which all ways to a block come before it; where ways
//! meet, states are joined by conditionals ([`State::join`]). The work is proportional to
//! the size of the body, not to the number of its paths.
//!
//! A check that fails ends the run; later code is executed as if it had not, and the order
//! of the exits says which one counts. So checks do not make the conditions of joins longer.

use crate::callee::View;
use crate::calls::{ExternalCallee, PointerCallee};
use crate::entry::Entry;
use crate::execute::{CallSite, Executor, Flow, Frame, Given, Stop};
use crate::outcome::{Exit, ExitKind, Outcome};
use crate::state::{Path, State};
use std::collections::HashMap;
use verdiff_logic::TermId;
use verdiff_model::graph::flow::Flow as Graph;
use verdiff_model::{BlockId, Callee, Loc, ProcId, Procedure, Stmt, StmtKind, TerminatorKind};

impl Executor<'_> {
    /// The outcome of a procedure for all entry states that `state` and `args` stand for.
    pub fn run(&mut self, proc: ProcId, args: &[TermId], state: State) -> Result<Outcome, Stop> {
        self.run_with(proc, args, &[], state)
    }

    /// The outcome from an entry state in which globals hold anything, as one formula.
    pub fn execute(&mut self, proc: ProcId, entry: &Entry) -> Result<Outcome, Stop> {
        let state = self.entry_state(entry, proc, false)?;
        self.run_from(proc, entry, state)
    }

    /// The outcome from an entry state in which parameters may be without a value
    /// ([`Entry::with_unset`]).
    pub fn run_from(&mut self, proc: ProcId, entry: &Entry, state: State) -> Result<Outcome, Stop> {
        self.run_with(proc, &entry.args, &entry.set, state)
    }

    fn run_with(
        &mut self,
        proc: ProcId,
        args: &[TermId],
        flags: &[TermId],
        state: State,
    ) -> Result<Outcome, Stop> {
        let mut exits = Vec::new();
        let returns = self.body(proc, args, flags, state, &vec![], &mut exits)?;
        exits.extend(returns);
        Ok(Outcome::of(self.space, &exits)?)
    }

    /// Executes a body. Traps and other ends go to `exits`; the returns are given back.
    pub(crate) fn body(
        &mut self,
        id: ProcId,
        args: &[TermId],
        flags: &[TermId],
        mut state: State,
        path: &Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Vec<Exit>, Stop> {
        if self.depth > self.limits.depth {
            return Err(Stop::Depth(self.limits.depth));
        }
        let proc = self.program.procedure(id);
        let frame = self.enter(id, &mut state)?;
        self.parameters(&frame, &mut state, args, flags);
        let graph = Graph::of(proc);
        let mut waiting: HashMap<BlockId, Vec<(Path, State)>> = HashMap::new();
        waiting.insert(Procedure::ENTRY, vec![(path.clone(), state)]);
        let mut returns = Vec::new();
        self.depth += 1;
        for block in graph.reverse_postorder() {
            let Some(edges) = waiting.remove(block) else { continue };
            let (mut path, mut state) = State::join(self.space, edges)?;
            let body = proc.block(*block);
            let mut flow = Flow::On;
            for stmt in &body.stmts {
                flow = self.step(&frame, &mut state, &mut path, exits, stmt)?;
                if flow == Flow::Dead {
                    break;
                }
            }
            if flow == Flow::Dead {
                continue;
            }
            for (target, path, state) in
                self.leave(&frame, &body.end.kind, body.end.loc, path, state, exits, &mut returns)?
            {
                let backwards = graph.position(target) <= graph.position(*block);
                if backwards {
                    return Err(Stop::Loop { procedure: proc.name.clone(), loc: body.end.loc });
                }
                waiting.entry(target).or_default().push((path, state));
            }
        }
        self.depth -= 1;
        // The frame's locals are dead behind every return.
        for exit in &mut returns {
            exit.freed.extend(frame.locals.iter().map(|l| (*l, self.space.pool.truth())));
        }
        Ok(returns)
    }

    /// Where control goes at the end of a block.
    #[expect(clippy::too_many_arguments, reason = "the parts of a state at the end of a block")]
    pub(crate) fn leave(
        &mut self,
        frame: &Frame,
        end: &TerminatorKind,
        loc: Loc,
        path: Path,
        mut state: State,
        exits: &mut Vec<Exit>,
        returns: &mut Vec<Exit>,
    ) -> Result<Vec<(BlockId, Path, State)>, Stop> {
        Ok(match end {
            TerminatorKind::Goto(target) => vec![(*target, path, state)],
            TerminatorKind::Branch { cond, then, otherwise } => {
                let cond = self.value(frame, &mut state, cond)?;
                if cond == self.space.pool.truth() || then == otherwise {
                    return Ok(vec![(*then, path, state)]);
                }
                if cond == self.space.pool.falsity() {
                    return Ok(vec![(*otherwise, path, state)]);
                }
                let not = self.space.not(cond)?;
                let (mut yes, mut no) = (path.clone(), path);
                yes.push(cond);
                no.push(not);
                vec![(*then, yes, state.clone()), (*otherwise, no, state)]
            }
            TerminatorKind::Switch { value, cases, default } => {
                let value = self.value(frame, &mut state, value)?;
                self.switch(value, cases, *default, path, state)?
            }
            TerminatorKind::Return(values) => {
                let mut results = Vec::new();
                let set = values.iter().map(|v| self.flag(frame, &state, v)).collect();
                for value in values {
                    results.push(self.value(frame, &mut state, value)?);
                }
                let exit = Exit::new(ExitKind::Return(results), path, &state, loc);
                returns.push(Exit { set, ..exit });
                vec![]
            }
            TerminatorKind::Trap(trap) => {
                exits.push(Exit::new(ExitKind::Trap(*trap), path, &state, loc));
                vec![]
            }
        })
    }

    /// A switch: one edge for each target, however many cases lead to it.
    fn switch(
        &mut self,
        value: TermId,
        cases: &[(u128, BlockId)],
        default: BlockId,
        path: Path,
        state: State,
    ) -> Result<Vec<(BlockId, Path, State)>, Stop> {
        let sort = self.space.pool.sort(value);
        let mut conditions: Vec<(BlockId, Vec<TermId>)> = Vec::new();
        let mut none = Vec::new();
        for (bits, target) in cases {
            let is = match sort.width() {
                Some(width) => {
                    let constant = self.space.pool.bits(width, *bits)?;
                    let is = self.space.pool.eq(value, constant)?;
                    self.space.tidy(is)?
                }
                // A truth value.
                None if *bits == 1 => value,
                None => self.space.not(value)?,
            };
            none.push(self.space.not(is)?);
            match conditions.iter_mut().find(|(t, _)| t == target) {
                Some((_, list)) => list.push(is),
                None => conditions.push((*target, vec![is])),
            }
        }
        let otherwise = self.space.and(&none)?;
        match conditions.iter_mut().find(|(t, _)| *t == default) {
            Some((_, list)) => list.push(otherwise),
            None => conditions.push((default, vec![otherwise])),
        }
        let mut edges = Vec::new();
        for (target, list) in conditions {
            let cond = self.space.or(&list)?;
            if cond == self.space.pool.falsity() {
                continue;
            }
            let mut path = path.clone();
            path.push(cond);
            edges.push((target, path, state.clone()));
        }
        Ok(edges)
    }

    /// Executes a statement, calls included.
    pub(crate) fn step(
        &mut self,
        frame: &Frame,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        stmt: &Stmt,
    ) -> Result<Flow, Stop> {
        let StmtKind::Call { results, callee, args } = &stmt.kind else {
            return self.statement(frame, state, path, exits, stmt);
        };
        let flags: Vec<TermId> = args.iter().map(|arg| self.flag(frame, state, arg)).collect();
        let mut values = Vec::new();
        for arg in args {
            values.push(self.value(frame, state, arg)?);
        }
        let call = CallSite { callee: (), args: &values, flags: &flags, loc: stmt.loc };
        let given = match callee {
            Callee::Procedure(id) => self.procedure(call.of(*id), state, path, exits)?,
            Callee::External(id) => {
                let external = ExternalCallee { id: *id, frame, exprs: args, results };
                self.external(call.of(external), state, path, exits)?.into()
            }
            Callee::Indirect { addr, signature } => {
                let pointer = PointerCallee { addr: self.value(frame, state, addr)?, signature };
                self.indirect(call.of(pointer), state, path, exits)?
            }
        };
        if given.flow == Flow::Dead {
            return Ok(Flow::Dead);
        }
        for (index, (dst, value)) in results.iter().zip(given.values).enumerate() {
            self.assign(frame, state, *dst, value)?;
            if let Some(flag) = given.set.get(index) {
                self.set_flag(frame, state, *dst, *flag);
            }
        }
        Ok(Flow::On)
    }

    /// A call of a procedure, as the caller sees it.
    pub(crate) fn procedure(
        &mut self,
        call: CallSite<'_>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Given, Stop> {
        match self.callees.view(self.side, call.callee, self.depth) {
            View::Inline => self.inline(call, state, path, exits),
            View::Abstract(view) => self.abstract_call(&view, call, state, path, exits),
            View::Unfolded(view) if self.by_path => {
                self.abstract_call(&view, call, state, path, exits)
            }
            View::Unfolded(view) => self.unfolded_call(&view, call, state, path, exits),
            View::Outside(name) => match self.outside_call(&name, call, state)? {
                Some(results) => Ok((results, Flow::On).into()),
                None => self.inline(call, state, path, exits),
            },
        }
    }

    /// Executes a callee's body in place.
    pub(crate) fn inline(
        &mut self,
        call: CallSite<'_>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Given, Stop> {
        let inner = state.clone();
        let returns = self.body(call.callee, call.args, call.flags, inner, path, exits)?;
        if returns.is_empty() {
            return Ok(Given::dead());
        }
        // The returns meet like edges of a graph; results travel as variables.
        let edges = returns.into_iter().map(Exit::into_state).collect();
        let (joined_path, joined) = State::join(self.space, edges)?;
        *path = joined_path;
        let given = Given::of(&joined);
        state.go_on_from(joined);
        Ok(given)
    }
}
