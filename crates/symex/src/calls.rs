//! Calls of what is not executed: externals, pointers.
//!
//! An external function is deterministic but unknown (docs/internals/semantics.md): it takes the arguments,
//! everything an outsider can reach and the world, and gives result, that memory and a new world.
//! It is written as uninterpreted functions of exactly these, one an output. It may call back
//! into the program, so everything but the locals that never left their frame is in its reach.

use crate::execute::{CallSite, Executor, Flow, Frame, Given, Stop};
use crate::libc::{self, Model};
use crate::memory::Link;
use crate::outcome::{Exit, ExitKind};
use crate::regions::RegionId;
use crate::space::Origin;
use crate::state::{Path, Role, State};
use crate::symbols::WorldFunction;
use crate::translate;
use verdiff_logic::{Sort, TermId};
use verdiff_model::graph::calls::CallGraph;
use verdiff_model::{Expr, ExternId, ExternalKind, Loc, ProcId, Signature, Trap, Type, VarId};

/// What a call can touch.
struct Reach {
    reads: Vec<RegionId>,
    writes: Vec<RegionId>,
    world: bool,
    /// Whether it may call procedures of the program.
    calls_back: bool,
    /// Whether it may free objects.
    frees: bool,
    /// Whether it may get at objects of the entry state.
    entry: bool,
    /// Whether it gets at memory through its arguments.
    through_arguments: bool,
    /// Whether it may ask for memory, or be left by `longjmp`.
    requests: bool,
}

/// Whether a function's results depend on its arguments alone and nothing else happens.
fn is_pure(known: &libc::FunctionModel) -> bool {
    known.reads.is_empty()
        && known.writes.is_empty()
        && known.stores.is_empty()
        && known.calls_back.is_empty()
        && known.hidden == libc::Hidden::Untouched
        && known.ends == libc::Ends::Always
        && !(known.world || known.errno || known.allocates || known.frees.is_some())
}

/// An external function that is called: with the expressions of the arguments, which say where pointers come from, and the
/// variables that take the results.
#[derive(Clone, Copy)]
pub(crate) struct ExternalCallee<'c> {
    pub(crate) id: ExternId,
    pub(crate) frame: &'c Frame,
    pub(crate) exprs: &'c [Expr],
    pub(crate) results: &'c [VarId],
}

/// What is called through a pointer.
#[derive(Clone, Copy)]
pub(crate) struct PointerCallee<'c> {
    pub(crate) addr: TermId,
    pub(crate) signature: &'c Signature,
}

/// Results of a call, and whether anything comes after it.
type Called = Result<(Vec<TermId>, Flow), Stop>;

impl Executor<'_> {
    /// A call of an external.
    pub(crate) fn external(
        &mut self,
        call: CallSite<'_, ExternalCallee<'_>>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Called {
        let CallSite { callee: ExternalCallee { id, frame, exprs, .. }, args, loc, .. } = call;
        let external = self.program.external(id);
        let name = external.name.clone();
        let types = external.signature.results.clone();
        let present = self.is_present(&name)?;
        if self.check(state, path, exits, present, Trap::BadCall, loc)? == Flow::Dead {
            return Ok((vec![], Flow::Dead));
        }
        match external.kind {
            ExternalKind::PureIntrinsic => return self.pure(&name, args, &types),
            ExternalKind::Assembly if name.is_empty() => return Ok((vec![], Flow::On)),
            ExternalKind::Assembly | ExternalKind::Function => {}
        }
        let known = match external.kind {
            ExternalKind::Function => libc::known_external(external),
            _ => None,
        };
        // Handlers of the program see what memory holds when it ends: `exit` is then a call of anything.
        let runs_handlers =
            known.is_some_and(libc::FunctionModel::runs_handlers) && self.program.runs_at_exit();
        if let Some(model) = known.and_then(|k| k.model).filter(|_| !runs_handlers)
            && let Some(done) = self.model(model, call, state, path, exits)?
        {
            return Ok(done);
        }
        if known.is_some_and(is_pure) {
            return self.pure(&name, args, &types);
        }
        let reach = match known {
            Some(known) if !runs_handlers => self.reach_of(known, frame, exprs, args),
            _ => self.everything(),
        };
        if external.no_return || known.is_some_and(|k| k.ends == libc::Ends::Never) {
            // Where it went is told by the world alone: it must be part of it, whatever is known.
            let reach = Reach { world: true, ..reach };
            let name = self.callees.external(self.side, &name, reach.calls_back);
            self.unknown(&name, args, &[], state, &reach, None)?;
            let number = self.space.pool.bits(8, 1)?;
            exits.push(Exit::new(ExitKind::Left(number), path.clone(), state, loc));
            return Ok((vec![], Flow::Dead));
        }
        let way = Some((path, exits, loc));
        let name = self.callees.external(self.side, &name, reach.calls_back);
        let results = self.unknown(&name, args, &types, state, &reach, way)?;
        Ok((results, Flow::On))
    }

    /// A call of a procedure that is not executed, by a name that both versions have for it. Nothing if some argument may be
    /// without a value: of such calls nothing is said.
    ///
    /// Soundness: a function of the arguments and of all that it can reach, as an unknown external function is; what is said of
    /// those (the world tells that it was called, and how it ended) holds here for the same reasons. Pointers that it is given, and the
    /// statics that it can see, lead to the outside region, so that [`everything`](Executor::everything) has all that it can reach.
    pub(crate) fn outside_call(
        &mut self,
        name: &str,
        call: CallSite<'_>,
        state: &mut State,
    ) -> Result<Option<Vec<TermId>>, Stop> {
        if self.space.and(call.flags)? != self.space.pool.truth() {
            return Ok(None);
        }
        let types = self.program.procedure(call.callee).results.clone();
        let reach = self.everything();
        self.unknown(name, call.args, &types, state, &reach, None).map(Some)
    }

    /// Everything but what never left its frame.
    fn everything(&self) -> Reach {
        let regions: Vec<RegionId> =
            self.regions.ids().filter(|r| !self.regions.info(*r).locals_only).collect();
        let program = self.program;
        let calls_back =
            *self.calls_back.get_or_init(|| !CallGraph::of(program).address_taken().is_empty());
        let (reads, writes) = (regions.clone(), regions);
        Reach {
            reads,
            writes,
            world: true,
            calls_back,
            frees: true,
            entry: true,
            through_arguments: true,
            requests: true,
        }
    }

    /// What a known function touches: what its arguments point to, the library's own state,
    /// and everything if it calls back.
    fn reach_of(
        &mut self,
        known: &libc::FunctionModel,
        frame: &Frame,
        exprs: &[Expr],
        args: &[TermId],
    ) -> Reach {
        if !known.calls_back.is_empty() {
            return self.everything();
        }
        let touched = libc::touched(known, self.program, exprs);
        let pointed = |positions: &[usize]| -> Vec<RegionId> {
            let args = positions.iter().filter_map(|n| exprs.get(*n));
            args.map(|e| self.regions.region_of(self.side, frame.id, e)).collect()
        };
        let through_arguments = !(touched.reads.is_empty() && touched.writes.is_empty());
        let mut writes = pointed(&touched.writes);
        let stored = known.stores.iter().filter_map(|(n, _)| exprs.get(*n));
        writes.extend(stored.map(|e| self.regions.region_of(self.side, frame.id, e)));
        let mut reads = pointed(&touched.reads);
        if known.errno || known.hidden == libc::Hidden::Writes {
            writes.push(self.regions.outside());
        }
        if known.hidden != libc::Hidden::Untouched {
            reads.push(self.regions.outside());
        }
        // What is only partly written depends on what was there.
        reads.extend(writes.iter().copied());
        let tidy = |mut list: Vec<RegionId>| {
            list.sort_unstable();
            list.dedup();
            list
        };
        let world = known.world || known.allocates || known.frees.is_some();
        let (reads, writes) = (tidy(reads), tidy(writes));
        // Through a pointer that comes from one object it gets at that object only.
        let entry = !(reads.is_empty() && writes.is_empty())
            && args.iter().any(|a| match self.space.origin(*a) {
                Origin::Object(_) | Origin::Nothing => false,
                Origin::Entry | Origin::Unknown => self.space.pool.sort(*a) == Sort::BitVec(64),
            });
        let frees = known.frees.is_some();
        let (calls_back, entry, requests) = (false, entry || frees, known.allocates);
        Reach { reads, writes, world, calls_back, frees, entry, through_arguments, requests }
    }

    /// Results that depend on the arguments alone.
    fn pure(&mut self, name: &str, args: &[TermId], types: &[Type]) -> Called {
        let mut results = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let name = format!("{name}.result.{index}");
            results.push(self.space.function_call(&name, args, translate::sort_of(*ty))?);
        }
        Ok((results, Flow::On))
    }

    /// A function of which nothing is known but its name and what it can touch.
    ///
    /// One that is given memory may trap there (`strlen` of a null pointer), and what comes after
    /// it must not be taken to happen in any case. Where it tells the world nothing else would
    /// show that it was called; where it does, the world says so, and both versions' ends are the same.
    fn unknown(
        &mut self,
        name: &str,
        args: &[TermId],
        types: &[Type],
        state: &mut State,
        reach: &Reach,
        way: Option<(&mut Path, &mut Vec<Exit>, Loc)>,
    ) -> Result<Vec<TermId>, Stop> {
        let mut inputs = args.to_vec();
        for region in &reach.reads {
            inputs.push(self.space.to_array(state.memory[region.index()])?);
            if self.space.is_any_call() {
                inputs.push(self.space.to_initialised(state.memory[region.index()])?);
            }
        }
        if reach.world {
            inputs.push(state.world);
        }
        if reach.requests && self.space.counts_requests() {
            inputs.push(state.requests);
        }
        inputs.extend(self.liveness(state, &inputs, reach.entry)?);
        if let Some((path, exits, loc)) = way.filter(|_| !reach.world && reach.through_arguments) {
            // In which way it ends is part of the outcome: zero is a return.
            let how = self.space.function_call(&format!("{name}.how"), &inputs, Sort::BitVec(8))?;
            let zero = self.space.pool.bits(8, 0)?;
            let ends = self.space.pool.eq(how, zero)?;
            let mut left = path.clone();
            left.push(self.space.not(ends)?);
            exits.push(Exit::new(ExitKind::Left(how), left, state, loc));
            if self.by_path {
                path.push(ends);
            }
        }
        let mut results = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let output = format!("{name}.result.{index}");
            results.push(self.space.function_call(&output, &inputs, translate::sort_of(*ty))?);
        }
        let bundle = format!("{name}.inputs");
        let bundled = self.space.bundled(None, &bundle, &inputs, reach.writes.len())?;
        for region in &reach.writes {
            let index = region.index();
            let cell = self.cell(index);
            let sort = self.space.array_sort(cell)?;
            let output = format!("{name}.memory.{}", self.regions.info(*region).name);
            let array = self.space.function_call(&output, &bundled, sort)?;
            state.memory[index] = if self.space.is_any_call() {
                let region = &self.regions.info(*region).name;
                let (output, sort) =
                    (format!("{name}.initialised.{region}"), self.space.flags_sort()?);
                let flags = self.space.function_call(&output, &bundled, sort)?;
                self.space.memories.partly_initialised(array, cell, flags)
            } else {
                self.space.memories.array(array, cell)
            };
        }
        if !reach.writes.is_empty() {
            self.keep_constants(state)?;
        }
        if reach.world {
            let sort = self.space.pool.sort(state.world);
            state.world =
                self.space.world_after(WorldFunction::External(name.into()), &inputs, sort)?;
        }
        if reach.frees {
            let sort = self.space.pool.sort(state.lives);
            let lives = self.space.function_call(&format!("{name}.lives"), &inputs, sort)?;
            self.may_release(lives, &inputs, state)?;
        }
        Ok(results)
    }

    /// A call through a pointer.
    pub(crate) fn indirect(
        &mut self,
        call: CallSite<'_, PointerCallee<'_>>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Given, Stop> {
        let PointerCallee { addr, signature } = call.callee;
        // A pointer that is surely one of some functions of this program is a call of each, in its case.
        let functions = self.space.functions_behind(addr).unwrap_or_default();
        let procedures: Option<Vec<(TermId, ProcId)>> = functions
            .iter()
            .map(|object| {
                let object = self.space.object_at(*object);
                let id = self.program.procedure_named(object.function.as_deref()?)?;
                Some((object.base, id))
            })
            .collect();
        if let Some(procedures) = procedures.filter(|p| !p.is_empty()) {
            return self.one_of(call, &procedures, state, path, exits);
        }
        let mut all = vec![addr];
        all.extend_from_slice(call.args);
        let reach = self.everything();
        let name = self.callees.external(self.side, "indirect", reach.calls_back);
        let results = self.unknown(&name, &all, &signature.results, state, &reach, None)?;
        Ok((results, Flow::On).into())
    }

    /// A call of one of several procedures, by address.
    fn one_of(
        &mut self,
        call: CallSite<'_, PointerCallee<'_>>,
        procedures: &[(TermId, ProcId)],
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Given, Stop> {
        let CallSite { callee: PointerCallee { addr, signature }, loc, .. } = call;
        let mut edges = Vec::new();
        let mut others: Vec<TermId> = Vec::new();
        let truth = self.space.pool.truth();
        for (base, id) in procedures {
            let mut path = path.clone();
            let mut inner = state.clone();
            if *base != addr {
                let is = self.space.pool.eq(addr, *base)?;
                path.extend_from_slice(&others);
                path.push(is);
                others.push(self.space.not(is)?);
            }
            let fits = |own: &Signature| {
                own.params == signature.params && own.results == signature.results
            };
            if !self.program.procedure(*id).may_be_called_as(fits) {
                exits.push(Exit::new(ExitKind::Trap(Trap::BadCall), path, &inner, loc));
                continue;
            }
            let given = self.procedure(call.of(*id), &mut inner, &mut path, exits)?;
            if given.flow == Flow::On {
                let flags = given.set.into_iter().chain(std::iter::repeat(truth));
                let flags = (0..given.values.len()).map(VarId::new).zip(flags);
                inner.roles = vec![Role::Local; given.values.len()].into();
                inner.set = flags.collect();
                inner.vars = given.values.into_iter().map(Some).collect();
                edges.push((path, inner));
            }
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

    /// An external whose meaning is known exactly; `None` if the model does not cover this call.
    fn model(
        &mut self,
        model: Model,
        call: CallSite<'_, ExternalCallee<'_>>,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
    ) -> Result<Option<(Vec<TermId>, Flow)>, Stop> {
        let CallSite { callee, args, loc, .. } = call;
        let ExternalCallee { id, frame, exprs, results: into } = callee;
        let types = &self.program.external(id).signature.results;
        let mut end = |kind, state: &State| {
            exits.push(Exit::new(kind, path.clone(), state, loc));
            Ok(Some((vec![], Flow::Dead)))
        };
        match model {
            Model::Abort => end(ExitKind::Trap(Trap::Abort), state),
            Model::AssertFail => end(ExitKind::Trap(Trap::AssertFailed), state),
            Model::Exit => end(ExitKind::Exit(args[0]), state),
            Model::Abs => {
                let width = self.space.pool.sort(args[0]).width().unwrap_or(32);
                let zero = self.space.pool.bits(width, 0)?;
                let negative = self.space.pool.bv_slt(args[0], zero)?;
                let minus = self.space.pool.bv_neg(args[0])?;
                Ok(Some((vec![self.space.ite(negative, minus, args[0])?], Flow::On)))
            }
            Model::Memcpy | Model::Memmove => {
                let region =
                    |this: &Self, e: &Expr| this.regions.region_of(this.side, frame.id, e).index();
                let (to, from) = (region(self, &exprs[0]), region(self, &exprs[1]));
                for (addr, write) in [(args[1], false), (args[0], true)] {
                    if self.range(state, path, exits, addr, args[2], 1, write, loc)? == Flow::Dead {
                        return Ok(Some((vec![], Flow::Dead)));
                    }
                }
                let (before, source) = (state.memory[to], state.memory[from]);
                let link =
                    Link::Copy { before, addr: args[0], from: source, src: args[1], len: args[2] };
                state.memory[to] = self.space.memories.write(before, link);
                Ok(Some((vec![args[0]; types.len()], Flow::On)))
            }
            Model::Memset => {
                let to = self.regions.region_of(self.side, frame.id, &exprs[0]).index();
                if self.range(state, path, exits, args[0], args[2], 1, true, loc)? == Flow::Dead {
                    return Ok(Some((vec![], Flow::Dead)));
                }
                let before = state.memory[to];
                let byte = self.space.pool.extract(7, 0, args[1])?;
                let link = Link::Fill { before, addr: args[0], byte, len: args[2] };
                state.memory[to] = self.space.memories.write(before, link);
                Ok(Some((vec![args[0]; types.len()], Flow::On)))
            }
            Model::Malloc => {
                let address = self.allocate(frame, args[0], false, None, into, state)?;
                Ok(Some((vec![address], Flow::On)))
            }
            Model::Calloc => {
                let address = self.allocate_zeroed(frame, args, into, state)?;
                Ok(Some((vec![address], Flow::On)))
            }
            Model::Free => Ok(Some((vec![], self.release(args[0], state, path, exits, loc)?))),
            Model::Strlen => {
                let region = self.regions.region_of(self.side, frame.id, &exprs[0]).index();
                let Some(length) = self.known_length(state, region, args[0])? else {
                    return Ok(None);
                };
                // Its bytes may be known and yet not be there any more.
                let one = self.space.pool.bits(64, 1)?;
                let with_zero = self.space.add(length, one)?;
                let flow = self.range(state, path, exits, args[0], with_zero, 1, false, loc)?;
                Ok(Some((vec![length], flow)))
            }
            Model::Strcmp | Model::Strncmp | Model::Memcmp => {
                let region = |e: &Expr| self.regions.region_of(self.side, frame.id, e).index();
                let strings = [(region(&exprs[0]), args[0]), (region(&exprs[1]), args[1])];
                let stops_at_zero = model != Model::Memcmp;
                let most = args.get(2).copied();
                let found =
                    self.compare_strings(strings, most, stops_at_zero, state, path, exits, loc)?;
                Ok(found.map(|(value, flow)| (vec![value], flow)))
            }
            _ => Ok(None),
        }
    }
}
