//! Statements, one at a time: shared by merged and path-by-path execution.

use crate::callee::Callees;
use crate::memory::Link;
use crate::outcome::{Exit, ExitKind};
use crate::regions::{Cell, Regions};
use crate::space::{ObjectId, Origin, Space};
use crate::state::{Path, Role, State};
pub use crate::stop::{Construct, ExecutionLimits, Stop};
use crate::translate;
use crate::unset::Variables;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use verdiff_logic::cut::{self, Limit};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::{LogicError, Sort, TermId, TermPool};
use verdiff_model::{
    Access, Address, BinaryOp, Expr, GlobalId, Loc, ProcId, Procedure, Program, Side, Stmt,
    StmtKind, Trap, Type, VarId,
};

/// Whether execution goes on after a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    On,
    /// No state gets past it.
    Dead,
}

/// What a call gives: results, whether each has a value (nothing: all have), and whether anything
/// comes after it.
pub(crate) struct Given {
    pub(crate) values: Vec<TermId>,
    pub(crate) set: Vec<TermId>,
    pub(crate) flow: Flow,
}

impl Given {
    /// Nothing: the run does not get past the call.
    pub(crate) fn dead() -> Given {
        Given { values: vec![], set: vec![], flow: Flow::Dead }
    }

    /// What comes of the results of a call, which travel as the variables of a state.
    pub(crate) fn of(joined: &State) -> Given {
        let values: Vec<TermId> = joined.vars.iter().copied().flatten().collect();
        let set = (0..values.len()).filter_map(|n| joined.set.get(&VarId::new(n)).copied());
        Given { set: set.collect(), values, flow: Flow::On }
    }
}

impl From<(Vec<TermId>, Flow)> for Given {
    fn from((values, flow): (Vec<TermId>, Flow)) -> Given {
        Given { values, set: vec![], flow }
    }
}

/// A call as it is made: what is called, with which arguments, and where.
#[derive(Clone, Copy)]
pub(crate) struct CallSite<'c, C = ProcId> {
    /// What is called.
    pub(crate) callee: C,
    /// The arguments.
    pub(crate) args: &'c [TermId],
    /// Whether each of them is initialised.
    pub(crate) flags: &'c [TermId],
    /// Where the call stands.
    pub(crate) loc: Loc,
}

impl<'c, C> CallSite<'c, C> {
    /// The same call of something else.
    pub(crate) fn of<D>(&self, callee: D) -> CallSite<'c, D> {
        CallSite { callee, args: self.args, flags: self.flags, loc: self.loc }
    }
}

/// Executes procedures of one program.
pub struct Executor<'a> {
    /// Terms, memory and objects; shared with the other version's executor.
    pub(crate) space: &'a mut Space,
    /// The program.
    pub(crate) program: &'a Program,
    /// Which version it is.
    pub(crate) side: Side,
    /// Where accesses go.
    pub(crate) regions: &'a Regions,
    /// How callees are seen.
    pub(crate) callees: &'a mut dyn Callees,
    /// What it may cost.
    pub(crate) limits: ExecutionLimits,
    /// When it stops in any case, by the meter of the thread.
    pub(crate) until: Effort,
    /// Whether conditions that were checked become part of the path.
    pub(crate) by_path: bool,
    pub(crate) depth: usize,
    pub(crate) terms_at_start: usize,
    pub(crate) constants: Vec<GlobalId>,
    /// The objects of the globals that were met.
    pub(crate) objects: HashMap<GlobalId, ObjectId>,
    /// Whether an external function may call procedures of the program.
    pub(crate) calls_back: OnceCell<bool>,
    pub(crate) variables: HashMap<ProcId, Variables>,
    /// Whether all results of a procedure have values.
    pub(crate) gives_values: HashMap<ProcId, bool>,
}

/// The running procedure, as expressions see it.
pub(crate) struct Frame {
    pub(crate) id: ProcId,
    /// Numbers the frames of a run, so that locals of two of them are two objects.
    pub(crate) locals: Vec<ObjectId>,
    pub(crate) checked: Rc<[Role]>,
    /// Which variables have a flag that says whether they have a value.
    pub(crate) tracked: Rc<[bool]>,
}

/// The environment of one expression.
struct Values<'s> {
    proc: &'s Procedure,
    vars: &'s mut Vec<Option<TermId>>,
    addresses: HashMap<Address, TermId>,
}

impl translate::Environment for Values<'_> {
    fn var_type(&self, var: VarId) -> Type {
        self.proc.var(var).ty
    }

    fn var(&mut self, pool: &mut TermPool, var: VarId) -> Result<TermId, LogicError> {
        if let Some(term) = self.vars[var.index()] {
            return Ok(term);
        }
        // No value: any will do, but the same for each read until it gets one.
        let term = pool.fresh_symbol("unspecified", translate::sort_of(self.var_type(var)))?;
        self.vars[var.index()] = Some(term);
        Ok(term)
    }

    fn address(&mut self, _: &mut TermPool, address: Address) -> Result<TermId, LogicError> {
        self.addresses.get(&address).copied().ok_or(LogicError::NoObject)
    }
}

impl<'a> Executor<'a> {
    /// An executor for one version.
    pub fn new(
        space: &'a mut Space,
        program: &'a Program,
        side: Side,
        regions: &'a Regions,
        callees: &'a mut dyn Callees,
        limits: ExecutionLimits,
    ) -> Executor<'a> {
        let terms_at_start = space.pool.len();
        Executor {
            space,
            program,
            side,
            regions,
            callees,
            limits,
            until: Effort::UNLIMITED,
            by_path: false,
            depth: 0,
            terms_at_start,
            constants: vec![],
            objects: HashMap::new(),
            calls_back: OnceCell::new(),
            variables: HashMap::new(),
            gives_values: HashMap::new(),
        }
    }

    /// The same, which stops when the meter of the thread shows this, or when the thread's deadline has passed: as one
    /// formula with [`Stop::Effort`], path by path so that all paths wait.
    pub fn stopping_at(self, until: Effort) -> Executor<'a> {
        Executor { until, ..self }
    }

    /// The bytes of a region's cells.
    pub(crate) fn cell(&self, region: usize) -> u32 {
        let cell = self.regions.ids().nth(region).map(|r| self.regions.info(r).cell);
        match cell {
            Some(Cell::Words(bytes)) => bytes,
            _ => 1,
        }
    }

    /// A frame for a call of a procedure: its locals are new objects.
    pub(crate) fn enter(&mut self, id: ProcId, state: &mut State) -> Result<Frame, Stop> {
        let proc = self.program.procedure(id);
        if let Some(what) = proc.unsupported.first() {
            return Err(Stop::Unsupported {
                procedure: proc.name.clone(),
                construct: what.construct.clone(),
                loc: what.loc,
            });
        }
        let frame = state.frames;
        state.frames += 1;
        let mut locals = Vec::new();
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for (index, local) in proc.locals.iter().enumerate() {
            let order = seen.entry(local.name.as_str()).or_insert(0);
            let name = format!("{}.{}.{order}@{frame}", proc.name, local.name);
            *order += 1;
            let size = self.space.pool.bits(64, local.size.into())?;
            let object = self.space.object(&name, size, local.align.into(), true, false)?;
            let region =
                self.regions.of_local(self.side, id, verdiff_model::LocalId::new(index)).index();
            self.fresh(state, region, object)?;
            locals.push(object);
        }
        let Variables { roles, tracked } = self.variables(id);
        Ok(Frame { id, locals, checked: roles, tracked })
    }

    /// Puts a new object without contents into a region.
    pub(crate) fn fresh(
        &mut self,
        state: &mut State,
        region: usize,
        object: ObjectId,
    ) -> Result<(), Stop> {
        let cell = self.cell(region);
        let sort = self.space.array_sort(cell)?;
        let (base, size) = (self.space.object_at(object).base, self.space.object_at(object).size);
        // What unwritten memory holds is each version's own affair.
        let array =
            self.space.pool.symbol(&format!("unwritten.{}.{cell}", self.side.index()), sort)?;
        let before = state.memory[region];
        state.memory[region] =
            self.space.memories.write(before, Link::Fresh { before, base, size, array });
        Ok(())
    }

    /// The address of something with a name.
    fn address(&mut self, frame: &Frame, address: Address) -> Result<TermId, Stop> {
        Ok(match address {
            Address::Local(id) => self.space.object_at(frame.locals[id.index()]).base,
            other => self.constant_address(other)?,
        })
    }

    /// The value of an expression.
    pub(crate) fn value(
        &mut self,
        frame: &Frame,
        state: &mut State,
        e: &Expr,
    ) -> Result<TermId, Stop> {
        let mut addresses = HashMap::new();
        let mut wanted = Vec::new();
        e.walk(&mut |e| {
            if let Expr::Address(a) = e {
                wanted.push(*a);
            }
        });
        for address in wanted {
            let term = self.address(frame, address)?;
            addresses.insert(address, term);
        }
        let proc = self.program.procedure(frame.id);
        let mut values = Values { proc, vars: &mut state.vars, addresses };
        let term = translate::expr(&mut self.space.pool, &mut values, e)?;
        for sum in integer_sums(proc, e) {
            let sum = translate::expr(&mut self.space.pool, &mut values, sum)?;
            let sum = self.space.tidy(sum)?;
            self.space.note_number(sum);
        }
        for (distance, moved) in moves(e) {
            let distance = translate::expr(&mut self.space.pool, &mut values, distance)?;
            let distance = self.space.tidy(distance)?;
            if matches!(self.space.origin(distance), Origin::Object(_)) {
                let moved = translate::expr(&mut self.space.pool, &mut values, moved)?;
                let moved = self.space.tidy(moved)?;
                self.space.note_number(moved);
            }
        }
        self.limit()?;
        self.space.tidy(term).map_err(Stop::from)
    }

    pub(crate) fn limit(&self) -> Result<(), Stop> {
        let terms = self.space.pool.len() - self.terms_at_start;
        if terms > self.limits.terms || cut::is_reached(Limit::Terms) {
            return Err(Stop::Size(self.limits.terms));
        }
        // Paths wait between two blocks instead.
        if !self.by_path && effort::has_passed(self.until) {
            return Err(Stop::Effort);
        }
        Ok(())
    }

    /// Ends the run with `trap` where `ok` does not hold.
    pub(crate) fn check(
        &mut self,
        state: &State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        ok: TermId,
        trap: Trap,
        loc: Loc,
    ) -> Result<Flow, Stop> {
        let ok = self.space.tidy(ok)?;
        if ok == self.space.pool.truth() {
            return Ok(Flow::On);
        }
        let mut failed = path.clone();
        let not_ok = self.space.not(ok)?;
        if not_ok != self.space.pool.truth() {
            failed.push(not_ok);
        }
        exits.push(Exit::new(ExitKind::Trap(trap), failed, state, loc));
        if ok == self.space.pool.falsity() {
            return Ok(Flow::Dead);
        }
        if self.by_path {
            path.push(ok);
        }
        Ok(Flow::On)
    }

    /// Executes a statement that is no call.
    pub(crate) fn statement(
        &mut self,
        frame: &Frame,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        stmt: &Stmt,
    ) -> Result<Flow, Stop> {
        let loc = stmt.loc;
        let proc = self.program.procedure(frame.id);
        match &stmt.kind {
            StmtKind::Assign { dst, value } => {
                let set = self.flag(frame, state, value);
                let term = self.value(frame, state, value)?;
                state.vars[dst.index()] = Some(term);
                self.set_flag(frame, state, *dst, set);
                Ok(Flow::On)
            }
            StmtKind::Check { cond, trap } => {
                let ok = self.value(frame, state, cond)?;
                self.check(state, path, exits, ok, *trap, loc)
            }
            StmtKind::CheckInit { var } => {
                let is_param = proc.params.contains(var);
                let unset = self.space.pool.boolean(is_param);
                let ok = state.set.get(var).copied().unwrap_or(unset);
                self.check(state, path, exits, ok, Trap::Uninitialised, loc)
            }
            StmtKind::Load { dst, addr, align, access } => {
                let region = self.regions.region_of(self.side, frame.id, addr).index();
                let ty = proc.var(*dst).ty;
                let bytes = ty.bytes() as u32;
                let addr = self.value(frame, state, addr)?;
                if self.access(state, path, exits, addr, bytes, *align, false, loc)? == Flow::Dead {
                    return Ok(Flow::Dead);
                }
                if *access == Access::Volatile {
                    let value = self.volatile(state, "load", &[addr], Sort::BitVec(bytes * 8))?;
                    self.assign_bits(frame, state, *dst, value)?;
                    return Ok(Flow::On);
                }
                if *access == Access::Plain {
                    let ok = self.space.is_defined(state.memory[region], addr, bytes)?;
                    if self.check(state, path, exits, ok, Trap::Uninitialised, loc)? == Flow::Dead {
                        return Ok(Flow::Dead);
                    }
                    let len = self.space.pool.bits(64, bytes.into())?;
                    let memory = Some(state.memory[region]);
                    self.note_touch(state, memory, addr, len, *align, false);
                }
                let value =
                    self.space.read(state.memory[region], addr, bytes, aligned(*align, bytes))?;
                let value = self.loaded(ty, value, path, exits)?;
                self.assign_bits(frame, state, *dst, value)?;
                Ok(Flow::On)
            }
            StmtKind::Store { addr, value, align, access } => {
                let region = self.regions.region_of(self.side, frame.id, addr).index();
                let ty = proc.type_of(value);
                let bytes = ty.bytes() as u32;
                let addr = self.value(frame, state, addr)?;
                let value = self.value(frame, state, value)?;
                let value = self.bytes_in_memory(value, ty)?;
                if self.access(state, path, exits, addr, bytes, *align, true, loc)? == Flow::Dead {
                    return Ok(Flow::Dead);
                }
                if *access == Access::Volatile {
                    self.volatile(state, "store", &[addr, value], Sort::Bool)?;
                }
                let before = state.memory[region];
                let link =
                    Link::Store { before, addr, value, bytes, aligned: aligned(*align, bytes) };
                state.memory[region] = self.space.memories.write(before, link);
                Ok(Flow::On)
            }
            StmtKind::Copy { dst, src, len, align, access } => {
                let to = self.regions.region_of(self.side, frame.id, dst).index();
                let from = self.regions.region_of(self.side, frame.id, src).index();
                let dst = self.value(frame, state, dst)?;
                let src = self.value(frame, state, src)?;
                let len = self.value(frame, state, len)?;
                for (addr, write) in [(src, false), (dst, true)] {
                    if self.range(state, path, exits, addr, len, *align, write, loc)? == Flow::Dead
                    {
                        return Ok(Flow::Dead);
                    }
                }
                if *access == Access::Volatile {
                    self.volatile(state, "copy", &[dst, src, len], Sort::Bool)?;
                }
                let (before, source) = (state.memory[to], state.memory[from]);
                if self.space.constant(len) != Some(0) {
                    let link = Link::Copy { before, addr: dst, from: source, src, len };
                    state.memory[to] = self.space.memories.write(before, link);
                }
                Ok(Flow::On)
            }
            StmtKind::Fill { dst, byte, len, align, access } => {
                let region = self.regions.region_of(self.side, frame.id, dst).index();
                let dst = self.value(frame, state, dst)?;
                let byte = self.value(frame, state, byte)?;
                let len = self.value(frame, state, len)?;
                if self.range(state, path, exits, dst, len, *align, true, loc)? == Flow::Dead {
                    return Ok(Flow::Dead);
                }
                if *access == Access::Volatile {
                    self.volatile(state, "fill", &[dst, byte, len], Sort::Bool)?;
                }
                let before = state.memory[region];
                if self.space.constant(len) != Some(0) {
                    let link = Link::Fill { before, addr: dst, byte, len };
                    state.memory[region] = self.space.memories.write(before, link);
                }
                Ok(Flow::On)
            }
            StmtKind::Alloc { dst, size, align } => {
                let size = self.value(frame, state, size)?;
                self.stack_array(frame, *dst, size, *align, state)?;
                Ok(Flow::On)
            }
            StmtKind::SaveStack { dst } => {
                let token = self.space.pool.bits(64, state.allocated.into())?;
                self.assign(frame, state, *dst, token)?;
                Ok(Flow::On)
            }
            StmtKind::RestoreStack { token } => {
                let token = self.value(frame, state, token)?;
                self.restore_stack(token, state)?;
                Ok(Flow::On)
            }
            StmtKind::Call { .. } => Err(Stop::Construct(Construct::UnexpectedCall)),
            StmtKind::Hole { .. } => Err(Stop::Construct(Construct::NotLowered)),
        }
    }

    /// A value of `ty` as it lies in memory: whole bytes.
    pub(crate) fn bytes_in_memory(&mut self, value: TermId, ty: Type) -> Result<TermId, Stop> {
        let width = u32::from(ty.width());
        let whole = ty.bytes() as u32 * 8;
        if ty == Type::BOOL {
            return Ok(self.space.pool.bool_to_bits(whole, value)?);
        }
        Ok(if whole > width { self.space.pool.zero_extend(whole - width, value)? } else { value })
    }

    /// Assigns whole bytes from memory to a variable.
    pub(crate) fn assign_bits(
        &mut self,
        frame: &Frame,
        state: &mut State,
        dst: VarId,
        bits: TermId,
    ) -> Result<(), Stop> {
        let ty = self.program.procedure(frame.id).var(dst).ty;
        let width = u32::from(ty.width());
        let whole = ty.bytes() as u32 * 8;
        let bits = if whole > width { self.space.pool.extract(width - 1, 0, bits)? } else { bits };
        let value = if ty == Type::BOOL {
            let one = self.space.pool.bits(1, 1)?;
            self.space.pool.eq(bits, one)?
        } else {
            bits
        };
        self.assign(frame, state, dst, value)
    }

    /// Assigns a value to a variable.
    pub(crate) fn assign(
        &mut self,
        frame: &Frame,
        state: &mut State,
        dst: VarId,
        value: TermId,
    ) -> Result<(), Stop> {
        let value = self.space.tidy(value)?;
        state.vars[dst.index()] = Some(value);
        self.set_flag(frame, state, dst, self.space.pool.truth());
        Ok(())
    }

    /// A volatile access: an event of the world with an unknown result.
    fn volatile(
        &mut self,
        state: &mut State,
        what: &str,
        args: &[TermId],
        result: Sort,
    ) -> Result<TermId, Stop> {
        let mut all = args.to_vec();
        all.push(state.world);
        let value = self.space.function_call(&format!("volatile.{what}"), &all, result)?;
        let sort = self.space.pool.sort(state.world);
        state.world = self.space.function_call(&format!("world.volatile.{what}"), &all, sort)?;
        Ok(value)
    }
}

/// Whether an access is one of a whole word: the address is then a multiple of its length,
/// for the access traps otherwise.
fn aligned(align: u32, bytes: u32) -> bool {
    bytes.is_power_of_two() && align >= bytes
}

/// Sums and differences of whole words as numbers, which may be addresses of anything; not those of constants.
fn integer_sums<'e>(proc: &Procedure, e: &'e Expr) -> Vec<&'e Expr> {
    let mut found = vec![];
    let mut work = vec![e];
    while let Some(e) = work.pop() {
        if let Expr::Binary { op: BinaryOp::Add | BinaryOp::Sub, lhs, rhs, .. } = e
            && lhs.as_const().is_none()
            && rhs.as_const().is_none()
            && proc.type_of(lhs) == Type::WORD
        {
            found.push(e);
        }
        work.extend(e.operands());
    }
    found
}

/// Pointers that are moved by what is no constant: by what, and the whole.
fn moves(e: &Expr) -> Vec<(&Expr, &Expr)> {
    let mut found = vec![];
    let mut work = vec![e];
    while let Some(e) = work.pop() {
        if let Expr::Binary { op: BinaryOp::PtrAdd, rhs, .. } = e
            && rhs.as_const().is_none()
        {
            found.push((&**rhs, e));
        }
        work.extend(e.operands());
    }
    found
}
