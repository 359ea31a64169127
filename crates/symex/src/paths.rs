//! Path-by-path execution: for each path, when it is taken (R) and what it does (T).
//!
//! (Paper 003, section 4: modular symbolic execution.) An [`Explorer`] keeps what it has found and
//! where it stopped; a later call with a larger bound goes on from there, nothing is done twice.
//! What has not been explored is a condition too ([`Explorer::open`]): whoever
//! wants to say something about all states must exclude it.
//!
//! An exploration may be [headed](Explorer::towards) somewhere: then paths that come nearer are followed first, those that
//! do not lead there at all are set aside, and only paths that were there count as finished. What is set aside is not explored, as
//! what lies beyond a bound.

use crate::callee::{Abstraction, View};
use crate::entry::Entry;
use crate::execute::{CallSite, Executor, Flow, Frame, Given, Stop};
use crate::guide::{FAR, Guide};
use crate::outcome::Exit;
use crate::space::Space;
use crate::state::{Path, State};
use crate::summary::Summary;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use verdiff_logic::TermId;
use verdiff_logic::effort;
use verdiff_model::{BlockId, Callee, ProcId, Procedure, StmtKind, VarId};

/// How far an exploration may go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// How often one path may enter one block of one frame.
    pub visits: u32,
    /// How many calls may be open at once.
    pub depth: usize,
    /// How many paths may be finished in all.
    pub paths: usize,
    /// How many blocks may be executed by one call of [`Explorer::explore`].
    pub blocks: usize,
}

/// Why an exploration stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Explored {
    /// All paths are done.
    Exhausted,
    /// Some are left; see [`Explorer::open`].
    Bounded,
}

/// Whether the conditions of a path can hold together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feasible {
    /// They can, or nobody knows.
    Maybe,
    /// They cannot.
    No,
    /// Nobody knows, and there is no time left: the path waits.
    Later,
}

/// The paths of one procedure, found so far.
pub struct Explorer {
    running: VecDeque<Running>,
    /// Paths that wait for a larger bound.
    paused: Vec<Running>,
    done: Vec<Exit>,
    /// Where to, if anywhere.
    guide: Option<Rc<Guide>>,
    /// Paths that do not lead there, and how those went that ended elsewhere.
    aside: Vec<Running>,
    missed: Vec<Path>,
    /// Whether globals have their initial values at the start.
    initialised: bool,
    /// Whether each known path of an abstracted callee makes a path of its own ([`Explorer::forking`]).
    forking: bool,
    /// The calls of which no known path says all.
    uncovered: Vec<Uncovered>,
    /// What was called as a function, whether or not such a call returns.
    functions: BTreeSet<ProcId>,
}

/// A call that is made, as far as anybody knows, from states for which its callee is nothing but a function.
#[derive(Clone, Debug)]
pub struct Uncovered {
    /// What is called.
    pub callee: ProcId,
    /// When: how the run came there, and that no known path is taken.
    pub path: Path,
    /// With what.
    pub args: Vec<TermId>,
}

/// A path on its way.
struct Running {
    frames: Vec<Called>,
    state: State,
    path: Path,
    /// Whether it was where the exploration is headed.
    arrived: bool,
    /// Whether nobody has asked yet if it can be taken. Where an exploration is headed somewhere, most paths are never gone
    /// on with, so that is asked when one is.
    unasked: bool,
}

/// A frame of a path: the procedure, where it is, and what waits for its results.
struct Called {
    frame: Rc<Frame>,
    block: BlockId,
    position: usize,
    visits: Vec<u32>,
    caller_vars: Option<CallerVars>,
}

struct CallerVars {
    state: State,
    results: Vec<VarId>,
}

impl Explorer {
    /// Nothing explored yet.
    pub fn new(
        executor: &mut Executor<'_>,
        proc: ProcId,
        entry: &Entry,
        initialised: bool,
    ) -> Result<Explorer, Stop> {
        let state = executor.entry_state(entry, proc, initialised)?;
        let mut explorer = Explorer {
            running: VecDeque::new(),
            paused: vec![],
            done: vec![],
            guide: None,
            aside: vec![],
            missed: vec![],
            initialised,
            forking: false,
            uncovered: vec![],
            functions: BTreeSet::new(),
        };
        let mut first =
            Running { frames: vec![], state, path: vec![], arrived: false, unasked: false };
        push_frame(executor, &mut first, proc, (&entry.args, &entry.set), None)?;
        explorer.running.push_back(first);
        Ok(explorer)
    }

    /// The same, with a path for each known path of an abstracted callee instead of one for all of them. The paths of a callee that
    /// cannot be taken from here are seen not to be, so that what one call has decided is not asked again by the next; but there are more of them.
    pub fn forking(self) -> Explorer {
        Explorer { forking: true, ..self }
    }

    /// The same, headed where the guide leads.
    pub fn towards(self, guide: Rc<Guide>) -> Explorer {
        Explorer { guide: Some(guide), ..self }
    }

    /// Whether it starts from the initial values of globals: that says nothing of a call later on.
    pub fn starts_initialised(&self) -> bool {
        self.initialised
    }

    /// The calls that were made, as far as anybody knows, where no known path of the callee is taken.
    pub fn uncovered(&self) -> &[Uncovered] {
        &self.uncovered
    }

    /// What is called as a function on any path, also where that call is known not to return: a path that ends in the callee rests on it, too.
    pub fn functions(&self) -> &BTreeSet<ProcId> {
        &self.functions
    }

    /// How the paths that are not finished go, as far as they were followed.
    pub fn open_paths(&self) -> impl Iterator<Item = &Path> {
        let unfinished = self.running.iter().chain(&self.paused).chain(&self.aside);
        unfinished.map(|run| &run.path).chain(&self.missed)
    }

    /// The finished paths: R is the conjunction of `path`, T the rest.
    pub fn done(&self) -> &[Exit] {
        &self.done
    }

    /// The finished paths as summaries for callers, those that can be ([`Summary::of`]). `entry` is
    /// what the exploration started from.
    pub fn summaries(
        &self,
        executor: &mut Executor<'_>,
        entry: &Rc<Entry>,
    ) -> Result<Vec<Summary>, Stop> {
        let mut found = Vec::new();
        // What starts from initial values says nothing of a call later on.
        for exit in self.done.iter().filter(|_| !self.initialised) {
            found.extend(Summary::of(executor.space, executor.side, entry, exit)?);
        }
        Ok(found)
    }

    /// When a path is taken that is not finished.
    pub fn open(&self, space: &mut Space) -> Result<TermId, Stop> {
        let mut conditions = Vec::new();
        for path in self.open_paths() {
            conditions.push(space.and(path)?);
        }
        Ok(space.or(&conditions)?)
    }

    /// Goes on within the bounds. `feasible` may rule paths out; a path that is not ruled
    /// out is followed, so a lazy one costs time but not truth.
    pub fn explore(
        &mut self,
        executor: &mut Executor<'_>,
        bounds: &Bounds,
        feasible: &mut dyn FnMut(&mut Space, &[TermId]) -> Feasible,
    ) -> Result<Explored, Stop> {
        executor.by_path = true;
        let outcome = self.explore_paths(executor, bounds, feasible);
        executor.by_path = false;
        outcome
    }

    fn explore_paths(
        &mut self,
        executor: &mut Executor<'_>,
        bounds: &Bounds,
        feasible: &mut dyn FnMut(&mut Space, &[TermId]) -> Feasible,
    ) -> Result<Explored, Stop> {
        self.running.extend(self.paused.drain(..));
        let mut blocks = 0;
        while let Some(path) = self.next() {
            let late = effort::has_passed(executor.until);
            if late || blocks >= bounds.blocks || self.done.len() >= bounds.paths {
                self.paused.push(path);
                self.paused.extend(self.running.drain(..));
                break;
            }
            let feasible_now = match path.unasked {
                true => feasible(executor.space, &path.path),
                false => Feasible::Maybe,
            };
            match feasible_now {
                Feasible::No => continue,
                Feasible::Later => {
                    self.paused.push(path);
                    continue;
                }
                Feasible::Maybe => {}
            }
            blocks += 1;
            self.advance(executor, bounds, feasible, Running { unasked: false, ..path })?;
        }
        Ok(match self.open_paths().next() {
            None => Explored::Exhausted,
            Some(_) => Explored::Bounded,
        })
    }

    /// The path to go on with: the last one, or of those that are nearest to where the exploration is headed.
    fn next(&mut self) -> Option<Running> {
        let Some(guide) = &self.guide else { return self.running.pop_front() };
        let far = |run: &Running| if run.arrived { 0 } else { run.distance(guide) };
        let nearest = (0..self.running.len()).min_by_key(|index| far(&self.running[*index]))?;
        if far(&self.running[nearest]) == FAR {
            self.aside.extend(self.running.drain(..));
        }
        self.running.remove(nearest)
    }

    /// Executes one block of a path, up to a call that is entered.
    fn advance(
        &mut self,
        executor: &mut Executor<'_>,
        bounds: &Bounds,
        feasible: &mut dyn FnMut(&mut Space, &[TermId]) -> Feasible,
        mut run: Running,
    ) -> Result<(), Stop> {
        let Some(top) = run.frames.last_mut() else { return Ok(()) };
        let frame = top.frame.clone();
        let proc = executor.program.procedure(frame.id);
        let here = self.guide.as_ref().map_or(FAR, |guide| guide.distance(frame.id, top.block));
        run.arrived |= here == 0;
        if top.position == 0 {
            let visits = &mut top.visits[top.block.index()];
            if *visits >= bounds.visits {
                self.paused.push(run);
                return Ok(());
            }
            *visits += 1;
        }
        let block = proc.block(top.block);
        let mut exits = Vec::new();
        let mut flow = Flow::On;
        let mut entered = None;
        while top.position < block.stmts.len() {
            let stmt = &block.stmts[top.position];
            top.position += 1;
            if let StmtKind::Call { results, callee: Callee::Procedure(id), args } = &stmt.kind {
                let view = executor.callees.view(executor.side, *id, executor.depth);
                let forks =
                    matches!(&view, View::Abstract(view) if self.forking && !view.tells_facts());
                if forks || matches!(view, View::Inline) {
                    let flags: Vec<TermId> =
                        args.iter().map(|arg| executor.flag(&frame, &run.state, arg)).collect();
                    let mut values = Vec::new();
                    for arg in args {
                        values.push(executor.value(&frame, &mut run.state, arg)?);
                    }
                    entered = Some((*id, values, flags, results.clone(), view, stmt.loc));
                    break;
                }
            }
            flow = executor.step(&frame, &mut run.state, &mut run.path, &mut exits, stmt)?;
            if flow == Flow::Dead {
                break;
            }
        }
        self.finish(executor, feasible, run.arrived, exits);
        if flow == Flow::Dead {
            return Ok(());
        }
        if let Some((id, values, flags, results, view, loc)) = entered {
            if let View::Abstract(view) = view {
                let call = CallSite { callee: id, args: &values, flags: &flags, loc };
                return self.fork(executor, feasible, run, &view, call, &results);
            }
            if run.frames.len() > bounds.depth {
                // The call is made when there is more room.
                if let Some(top) = run.frames.last_mut() {
                    top.position -= 1;
                }
                self.paused.push(run);
                return Ok(());
            }
            let waiting = CallerVars { state: run.state.clone(), results };
            push_frame(executor, &mut run, id, (&values, &flags), Some(waiting))?;
            self.running.push_front(run);
            return Ok(());
        }
        self.leave_block(executor, feasible, run, proc)
    }

    fn leave_block(
        &mut self,
        executor: &mut Executor<'_>,
        feasible: &mut dyn FnMut(&mut Space, &[TermId]) -> Feasible,
        mut run: Running,
        proc: &Procedure,
    ) -> Result<(), Stop> {
        let Some(top) = run.frames.last() else { return Ok(()) };
        let frame = top.frame.clone();
        let end = &proc.block(top.block).end;
        let (mut exits, mut returns) = (Vec::new(), Vec::new());
        let path = std::mem::take(&mut run.path);
        let state = run.state.clone();
        let next =
            executor.leave(&frame, &end.kind, end.loc, path, state, &mut exits, &mut returns)?;
        self.finish(executor, feasible, run.arrived, exits);
        let several = next.len() > 1;
        let unasked = several && self.guide.is_some();
        for (block, path, state) in next.into_iter().rev() {
            let feasible = match several && !unasked {
                true => feasible(executor.space, &path),
                false => Feasible::Maybe,
            };
            if feasible == Feasible::No {
                continue;
            }
            let mut frames: Vec<Called> = run.frames.iter().map(Called::copy).collect();
            if let Some(top) = frames.last_mut() {
                top.block = block;
                top.position = 0;
            }
            let next = Running { frames, state, path, arrived: run.arrived, unasked };
            match feasible {
                Feasible::Later => self.paused.push(next),
                _ => self.running.push_front(next),
            }
        }
        for exit in returns {
            self.give_back(executor, feasible, &run, exit)?;
        }
        Ok(())
    }

    /// A call of an abstracted callee: a path for each path that it may take.
    fn fork(
        &mut self,
        executor: &mut Executor<'_>,
        feasible: &mut dyn FnMut(&mut Space, &[TermId]) -> Feasible,
        run: Running,
        view: &Abstraction,
        call: CallSite<'_>,
        results: &[VarId],
    ) -> Result<(), Stop> {
        let mut exits = Vec::new();
        let Running { frames, state, path, arrived, .. } = run;
        let paths = executor.call_paths(view, call, &state, &path, &mut exits)?;
        if paths.iter().any(|way| way.by_function) {
            self.functions.insert(call.callee);
        }
        self.finish(executor, feasible, arrived, exits);
        let Some(frame) = frames.last().map(|top| top.frame.clone()) else { return Ok(()) };
        for way in paths.into_iter().rev() {
            let feasible = feasible(executor.space, &way.path);
            if feasible == Feasible::No {
                continue;
            }
            if way.by_function {
                let (callee, path, args) = (call.callee, way.path.clone(), call.args.to_vec());
                self.uncovered.push(Uncovered { callee, path, args });
            }
            let mut after = state.clone();
            let given = Given::of(&way.state);
            after.go_on_from(way.state);
            for (index, (dst, value)) in results.iter().zip(given.values).enumerate() {
                executor.assign(&frame, &mut after, *dst, value)?;
                if let Some(flag) = given.set.get(index) {
                    executor.set_flag(&frame, &mut after, *dst, *flag);
                }
            }
            let frames: Vec<Called> = frames.iter().map(Called::copy).collect();
            let next = Running { frames, state: after, path: way.path, arrived, unasked: false };
            match feasible {
                Feasible::Later => self.paused.push(next),
                _ => self.running.push_front(next),
            }
        }
        Ok(())
    }

    /// A return: the end of the path, or back to the caller.
    fn give_back(
        &mut self,
        executor: &mut Executor<'_>,
        feasible: &mut dyn FnMut(&mut Space, &[TermId]) -> Feasible,
        run: &Running,
        exit: Exit,
    ) -> Result<(), Stop> {
        let mut frames: Vec<Called> = run.frames.iter().map(Called::copy).collect();
        let Some(CallerVars { mut state, results }) = frames.pop().and_then(|f| f.caller_vars)
        else {
            self.finish(executor, feasible, run.arrived, vec![exit]);
            return Ok(());
        };
        let (path, after) = exit.into_state();
        let given = Given::of(&after);
        state.go_on_from(after);
        // The callee's locals are dead now.
        if let Some(callee) = run.frames.last() {
            let dead = callee.frame.locals.iter().map(|l| (*l, executor.space.pool.truth()));
            state.freed.extend(dead);
        }
        if let Some(caller) = frames.last() {
            let frame = caller.frame.clone();
            for (index, (dst, value)) in results.iter().zip(given.values).enumerate() {
                executor.assign(&frame, &mut state, *dst, value)?;
                if let Some(flag) = given.set.get(index) {
                    executor.set_flag(&frame, &mut state, *dst, *flag);
                }
            }
        }
        self.running.push_front(Running {
            frames,
            state,
            path,
            arrived: run.arrived,
            unasked: false,
        });
        Ok(())
    }

    fn finish(
        &mut self,
        executor: &mut Executor<'_>,
        feasible: &mut dyn FnMut(&mut Space, &[TermId]) -> Feasible,
        arrived: bool,
        exits: Vec<Exit>,
    ) {
        for exit in exits {
            match feasible(executor.space, &exit.path) {
                Feasible::No => {}
                _ if self.guide.is_some() && !arrived => self.missed.push(exit.path),
                _ => self.done.push(exit),
            }
        }
    }
}

impl Running {
    /// How far it is from where a guide leads: in the procedure that it executes, or once that has returned.
    fn distance(&self, guide: &Guide) -> u32 {
        let far = |called: &Called| guide.distance(called.frame.id, called.block);
        self.frames.iter().map(far).min().unwrap_or(FAR)
    }
}

impl Called {
    fn copy(&self) -> Called {
        Called {
            frame: self.frame.clone(),
            block: self.block,
            position: self.position,
            visits: self.visits.clone(),
            caller_vars: self
                .caller_vars
                .as_ref()
                .map(|c| CallerVars { state: c.state.clone(), results: c.results.clone() }),
        }
    }
}

fn push_frame(
    executor: &mut Executor<'_>,
    run: &mut Running,
    id: ProcId,
    (args, flags): (&[TermId], &[TermId]),
    caller_vars: Option<CallerVars>,
) -> Result<(), Stop> {
    let proc = executor.program.procedure(id);
    let frame = executor.enter(id, &mut run.state)?;
    executor.parameters(&frame, &mut run.state, args, flags);
    run.frames.push(Called {
        frame: Rc::new(frame),
        block: Procedure::ENTRY,
        position: 0,
        visits: vec![0; proc.blocks.len()],
        caller_vars,
    });
    Ok(())
}
