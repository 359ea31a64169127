//! Calls of procedures of which only an abstraction is known (docs/internals/engines.md).
//!
//! ```text
//! if U(a):  ite(some summary of g or of g' covers a, what it says, F(a))   -- common to both versions
//! else:     ite(a summary of g covers a, what it says, Fold(a))            -- Fnew for g'
//! ```
//!
//! F stands for one function an output, all of the same inputs: the arguments, whether they have values,
//! the regions that may be read, the world, the allocations so far and what is dead. The outputs
//! are how it ended, the results and whether they have values, the regions that may be written and
//! which of their cells got a value, the world, the allocations and what is dead then. What comes after the
//! call is guarded by "it returned".

use crate::callee::{Abstraction, UseOfPaths};
use crate::entry::Entry;
use crate::execute::{CallSite, Executor, Flow, Given, Stop};
use crate::memory::Link;
use crate::outcome::{Exit, ExitKind, Outcome};
use crate::record::CallRecord;
use crate::state::{Path, Role, State};
use crate::summary::Instance;
use crate::translate;
use std::collections::{BTreeMap, BTreeSet};
use std::iter::repeat;
use verdiff_logic::{Sort, TermId};
use verdiff_model::VarId;

/// The inputs of a call.
#[derive(Clone)]
pub(crate) struct Inputs {
    /// Those of the function that is common to both versions.
    shared: Vec<TermId>,
    /// Those of each version's own.
    own: Vec<TermId>,
    /// Where the function is the common one.
    pub(crate) common: TermId,
    /// Where all arguments have values.
    all_set: TermId,
    /// The arguments, zero where they have no value.
    args: Vec<TermId>,
    /// Whether they have values.
    flags: Vec<TermId>,
    /// All but the arguments.
    rest: Vec<TermId>,
}

impl Executor<'_> {
    /// A call of a procedure of which only the abstraction is known.
    pub(crate) fn abstract_call(
        &mut self,
        view: &Abstraction,
        call: CallSite<'_>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Given, Stop> {
        let CallSite { args, flags, loc, .. } = call;
        let inputs = self.inputs(view, args, flags, state)?;
        if let Some(log) = self.space.common_calls.clone()
            && inputs.common != self.space.pool.truth()
        {
            let made = self.made_when(path, exits)?;
            let not_made = self.space.not(made)?;
            let common = self.space.or(&[not_made, inputs.common])?;
            log.push(common);
        }
        if let UseOfPaths::Facts { with_memory } = view.use_of_paths {
            let before = state.clone();
            let guard = self.made_when(path, exits)?;
            let earlier = exits.len();
            let given = self.by_function(view, &inputs, call, state, path, exits)?;
            let mut said = exits[earlier..].to_vec();
            let kind = ExitKind::Return(given.values.clone());
            said.push(Exit { set: given.set.clone(), ..Exit::new(kind, path.clone(), state, loc) });
            let said = Outcome::of(self.space, &said)?;
            self.tell(view, call, guard, &before, &said, with_memory)?;
            return Ok(given);
        }
        let (truth, falsity) = (self.space.pool.truth(), self.space.pool.falsity());
        // The known paths, first to last; of each what no earlier one covers.
        let mut covered = falsity;
        let mut edges: Vec<(Path, State)> = Vec::new();
        for summary in &view.summaries {
            let mut inner = state.clone();
            let Some(end) = self.instantiate(summary, args, flags, &mut inner)? else { continue };
            let mut may = vec![end.when];
            if summary.side != self.side {
                may.push(inputs.common);
            }
            let may = self.space.and(&may)?;
            let earlier = self.space.not(covered)?;
            let when = self.space.and(&[earlier, may])?;
            let when = self.space.tidy(when)?;
            if when == falsity {
                continue;
            }
            covered = self.space.or(&[covered, may])?;
            covered = self.space.tidy(covered)?;
            let mut way = path.clone();
            if when != truth {
                way.push(when);
            }
            if let ExitKind::Return(values) = end.kind {
                let flags = end.set.into_iter().chain(repeat(truth));
                edges.push((way, with_results(inner, values, flags)));
            } else {
                exits.push(Exit::new(end.kind, way, &inner, loc));
            }
            if covered == truth {
                break;
            }
        }
        if covered == falsity {
            return self.by_function(view, &inputs, call, state, path, exits);
        }
        if covered != truth {
            let (mut way, mut inner) = (path.clone(), state.clone());
            way.push(self.space.not(covered)?);
            let given = self.by_function(view, &inputs, call, &mut inner, &mut way, exits)?;
            let flags = given.set.into_iter().chain(repeat(truth));
            edges.push((way, with_results(inner, given.values, flags)));
        }
        if edges.is_empty() {
            return Ok(Given::dead());
        }
        let (joined_path, joined) = State::join(self.space, edges)?;
        *path = joined_path;
        let given = Given::of(&joined);
        state.go_on_from(joined);
        Ok(given)
    }

    /// What the functions depend on, and where they are common.
    pub(crate) fn inputs(
        &mut self,
        view: &Abstraction,
        args: &[TermId],
        flags: &[TermId],
        state: &State,
    ) -> Result<Inputs, Stop> {
        let mut rest = Vec::new();
        for region in &view.reads {
            rest.push(self.space.to_array(state.memory[region.index()])?);
        }
        // What is only partly written depends on what was there.
        for region in view.writes.iter().filter(|r| !view.reads.contains(r)) {
            rest.push(self.space.to_array(state.memory[region.index()])?);
        }
        if self.space.is_any_call() {
            let regions: BTreeSet<_> = view.reads.iter().chain(&view.writes).collect();
            for region in regions {
                rest.push(self.space.to_initialised(state.memory[region.index()])?);
            }
        }
        if view.world {
            rest.push(state.world);
        }
        if view.allocates {
            rest.push(state.allocations);
            rest.push(self.space.pool.bits(32, state.allocated.into())?);
        }
        // What calls something outside may be left there.
        if (view.allocates || view.world) && self.space.counts_requests() {
            rest.push(state.requests);
        }
        // Whether an access in it traps depends on what is dead.
        if view.frees || !(view.reads.is_empty() && view.writes.is_empty()) {
            let given: Vec<TermId> = args.iter().chain(&rest).copied().collect();
            rest.extend(self.liveness(state, &given, true)?);
        }
        let all_set = self.space.and(flags)?;
        let mut common = match view.common_under {
            None => self.space.pool.truth(),
            Some(condition) => {
                let mut instance = Instance::of(self.space, &view.entry, args, flags, state);
                let mut all = vec![instance.term(self.space, condition)?];
                // What was said of whole cells says nothing of others.
                all.append(&mut instance.aligned);
                let condition = self.space.and(&all)?;
                self.space.tidy(condition)?
            }
        };
        if all_set == self.space.pool.truth() {
            let shared: Vec<TermId> = args.iter().chain(&rest).copied().collect();
            let (own, args, flags) = (shared.clone(), args.to_vec(), vec![all_set; args.len()]);
            return Ok(Inputs { own, shared, common, all_set, args, flags, rest });
        }
        // What an argument without a value is does not matter: it is zero then.
        let mut own = Vec::new();
        for (arg, flag) in args.iter().zip(flags) {
            let zero = match self.space.pool.sort(*arg) {
                Sort::BitVec(width) => self.space.pool.bits(width, 0)?,
                _ => self.space.pool.falsity(),
            };
            own.push(self.space.ite(*flag, *arg, zero)?);
        }
        let zeroed = own.clone();
        own.extend_from_slice(flags);
        own.extend_from_slice(&rest);
        // Nothing was said of calls in which a parameter has no value that was taken to have one.
        let mut said = view.entry.presumed(self.space, flags);
        said.push(common);
        common = self.space.and(&said)?;
        let shared = match view.entry.set.is_empty() {
            true => args.iter().chain(&rest).copied().collect(),
            false => own.clone(),
        };
        let (args, flags) = (zeroed, flags.to_vec());
        Ok(Inputs { shared, own, common, all_set, args, flags, rest })
    }

    /// Whether a call of it surely returns. What is known of that holds where memory is initialised: in any call a read of
    /// a global may trap, too.
    fn surely_returns(&self, view: &Abstraction) -> bool {
        view.returns && (view.reads.is_empty() || !self.space.is_any_call())
    }

    /// The outputs as functions.
    pub(crate) fn by_function(
        &mut self,
        view: &Abstraction,
        inputs: &Inputs,
        call: CallSite<'_>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Given, Stop> {
        let (id, loc) = (call.callee, call.loc);
        let before = state.memory.clone();
        let recorded = match self.space.calls.clone().filter(|_| !self.by_path) {
            Some(log) => Some((log, self.made_when(path, exits)?)),
            None => None,
        };
        let mut ended = None;
        let mut outputs = BTreeMap::new();
        if !self.surely_returns(view) {
            let how = self.output(view, inputs, "how", Sort::BitVec(8))?;
            ended = Some(how);
            let zero = self.space.pool.bits(8, 0)?;
            let returned = self.space.pool.eq(how, zero)?;
            let mut left = path.clone();
            left.push(self.space.not(returned)?);
            let mut at_end = state.clone();
            if view.world {
                let sort = self.space.pool.sort(state.world);
                at_end.world = self.output(view, inputs, "world.left", sort)?;
                outputs.insert("world.left".to_owned(), at_end.world);
            }
            exits.push(Exit::new(ExitKind::Left(how), left, &at_end, loc));
            if self.by_path {
                path.push(returned);
            }
        }
        let types = self.program.procedure(id).results.clone();
        let (mut values, mut set) = (Vec::new(), Vec::new());
        let gives_values = self.gives_values(id);
        for (index, ty) in types.iter().enumerate() {
            let name = format!("result.{index}");
            values.push(self.output(view, inputs, &name, translate::sort_of(*ty))?);
            let flag = if gives_values && inputs.all_set == self.space.pool.truth() {
                inputs.all_set
            } else {
                let flag = self.output(view, inputs, &format!("set.{index}"), Sort::Bool)?;
                let surely = if gives_values { inputs.all_set } else { self.space.pool.falsity() };
                self.space.or(&[surely, flag])?
            };
            set.push(flag);
        }
        for (index, (value, flag)) in values.iter().zip(&set).enumerate() {
            outputs.insert(format!("result.{index}"), *value);
            outputs.insert(format!("set.{index}"), *flag);
        }
        let bundled = self.bundled(view, inputs)?;
        for region in &view.writes {
            let index = region.index();
            let cell = self.cell(index);
            let sort = self.space.array_sort(cell)?;
            let region = &self.regions.info(*region).name;
            let array = self.output(view, &bundled, &format!("memory.{region}"), sort)?;
            let flags = self.space.pool.array_sort(Sort::BitVec(64), Sort::BitVec(1))?;
            let defines = self.output(view, &bundled, &format!("defines.{region}"), flags)?;
            let before = state.memory[index];
            outputs.insert(format!("memory.{region}"), array);
            // Elsewhere outcomes do not say what is initialised.
            if self.space.is_any_call() {
                outputs.insert(format!("defines.{region}"), defines);
            }
            let link = Link::Called { before, array, defines };
            state.memory[index] = self.space.memories.write(before, link);
        }
        if !view.writes.is_empty() {
            self.keep_constants(state)?;
        }
        if view.world {
            let sort = self.space.pool.sort(state.world);
            state.world = self.output(view, inputs, "world", sort)?;
            outputs.insert("world".to_owned(), state.world);
        }
        if view.allocates {
            let sort = self.space.pool.sort(state.allocations);
            state.allocations = self.output(view, inputs, "allocations", sort)?;
            outputs.insert("allocations".to_owned(), state.allocations);
            if self.space.counts_requests() {
                let sort = self.space.pool.sort(state.requests);
                state.requests = self.output(view, inputs, "requests", sort)?;
                outputs.insert("requests".to_owned(), state.requests);
            }
        }
        let mut lives = None;
        if view.frees {
            let sort = self.space.pool.sort(state.lives);
            let after = self.output(view, inputs, "lives", sort)?;
            outputs.insert("lives".to_owned(), after);
            lives = Some(after);
        }
        if let Some((log, when)) = recorded {
            let (name, results) = (view.name.clone(), values.clone());
            log.push(CallRecord {
                side: self.side,
                name,
                when,
                inputs: inputs.own.clone(),
                how: ended,
                results,
                args: inputs.args.clone(),
                flags: inputs.flags.clone(),
                rest: inputs.rest.clone(),
                memory: before,
                outputs,
            });
        }
        if let Some(lives) = lives {
            self.may_release(lives, &inputs.own, state)?;
        }
        Ok(Given { values, set, flow: Flow::On })
    }

    /// An execution as the call that it is: from an entry state, with this outcome. Its memory is an output only
    /// where no local objects lie in it.
    pub fn as_call(
        &mut self,
        view: &Abstraction,
        entry: &Entry,
        state: &State,
        outcome: &Outcome,
        with_memory: bool,
    ) -> Result<CallRecord, Stop> {
        let truth = self.space.pool.truth();
        let flags = match entry.set.is_empty() {
            true => vec![truth; entry.args.len()],
            false => entry.set.clone(),
        };
        let inputs = self.inputs(view, &entry.args, &flags, state)?;
        let mut outputs = BTreeMap::new();
        for (index, (value, flag)) in outcome.results.iter().zip(&outcome.set).enumerate() {
            outputs.insert(format!("result.{index}"), *value);
            outputs.insert(format!("set.{index}"), *flag);
        }
        for region in view.writes.iter().filter(|_| with_memory) {
            let array = self.space.to_array(outcome.memory[region.index()])?;
            outputs.insert(format!("memory.{}", self.regions.info(*region).name), array);
        }
        if view.world {
            outputs.insert("world".to_owned(), outcome.world);
            outputs.insert("world.left".to_owned(), outcome.world);
        }
        let how = self.space.pool.extract(7, 0, outcome.how)?;
        Ok(CallRecord {
            side: self.side,
            name: view.name.clone(),
            when: truth,
            inputs: inputs.own,
            how: (!self.surely_returns(view)).then_some(how),
            results: outcome.results.clone(),
            args: inputs.args,
            flags: inputs.flags,
            rest: inputs.rest,
            memory: state.memory.clone(),
            outputs,
        })
    }

    /// When a call is made at the end of a path, given the exits before it.
    pub(crate) fn made_when(&mut self, path: &Path, exits: &[Exit]) -> Result<TermId, Stop> {
        let mut when = path.clone();
        for exit in exits {
            let taken = self.space.and(&exit.path)?;
            when.push(self.space.not(taken)?);
        }
        Ok(self.space.and(&when)?)
    }

    /// The inputs for the outputs in memory ([`bundled`](crate::space::Space::bundled)).
    fn bundled(&mut self, view: &Abstraction, inputs: &Inputs) -> Result<Inputs, Stop> {
        let (callee, outputs) = (Some(&*view.name), view.writes.len());
        let mut bundled = inputs.clone();
        let truth = inputs.common == self.space.pool.truth();
        if inputs.common != self.space.pool.falsity() {
            let name = format!("{}.inputs", view.name);
            bundled.shared = self.space.bundled(callee, &name, &inputs.shared, outputs)?;
        }
        if !truth {
            let name = format!("{}.{}.inputs", view.private, self.side.index());
            bundled.own = self.space.bundled(callee, &name, &inputs.own, outputs)?;
        }
        Ok(bundled)
    }

    /// One output of an abstracted callee.
    fn output(
        &mut self,
        view: &Abstraction,
        inputs: &Inputs,
        what: &str,
        sort: Sort,
    ) -> Result<TermId, Stop> {
        let shared = format!("{}.{what}", view.name);
        if inputs.common == self.space.pool.truth() {
            return Ok(self.space.output_of(&view.name, &shared, &inputs.shared, sort)?);
        }
        let private = format!("{}.{}.{what}", view.private, self.side.index());
        let own = self.space.output_of(&view.name, &private, &inputs.own, sort)?;
        if inputs.common == self.space.pool.falsity() {
            return Ok(own);
        }
        let shared = self.space.output_of(&view.name, &shared, &inputs.shared, sort)?;
        Ok(self.space.ite(inputs.common, shared, own)?)
    }
}

/// A state behind a call, with its results as variables.
pub(crate) fn with_results(
    mut state: State,
    values: Vec<TermId>,
    flags: impl Iterator<Item = TermId>,
) -> State {
    state.roles = vec![Role::Local; values.len()].into();
    state.set = (0..values.len()).map(VarId::new).zip(flags).collect();
    state.vars = values.into_iter().map(Some).collect();
    state
}
