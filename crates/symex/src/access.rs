//! The traps of an access to memory.

use crate::execute::{Executor, Flow, Stop};
use crate::memory::MemoryId;
use crate::outcome::{Exit, ExitKind};
use crate::record::{AccessRecord, PointerLoad};
use crate::space::{NULL_ZONE, ObjectId, Origin, PointedTo, Space};
use crate::state::{Path, State, Touch};
use verdiff_logic::{LogicError, Sort, TermId};
use verdiff_model::{Loc, Trap, Type};

impl Space {
    /// That a read of so many bytes, a power of two and aligned, through a pointer of which nothing is known does not trap where objects are
    /// of [any size](PointedTo): what [`Executor::range`] asks of it, if nothing was freed since the state that the run started
    /// from.
    pub fn is_accessible(&mut self, addr: TermId, bytes: u32) -> Result<TermId, LogicError> {
        let (len, zero) = (self.pool.bits(64, bytes.into())?, self.pool.bits(8, 0)?);
        let how = self.function_call("access.how", &[addr, len], Sort::BitVec(8))?;
        let (limit, end) = (self.pool.bits(64, NULL_ZONE.into())?, self.pool.bits(64, 1 << 63)?);
        let room = self.sub(end, len)?;
        let mask = self.pool.bits(64, u128::from(bytes - 1))?;
        let (low, none) = (self.pool.bv_and(addr, mask)?, self.pool.bits(64, 0)?);
        let all = [
            self.pool.eq(how, zero)?,
            self.pool.bv_ule(limit, addr)?,
            self.pool.bv_ule(addr, room)?,
            self.pool.eq(low, none)?,
        ];
        self.and(&all)
    }
}

impl Executor<'_> {
    /// The traps of an access to a fixed number of bytes.
    #[expect(clippy::too_many_arguments, reason = "an access has that many sides")]
    pub(crate) fn access(
        &mut self,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        addr: TermId,
        bytes: u32,
        align: u32,
        write: bool,
        loc: Loc,
    ) -> Result<Flow, Stop> {
        let len = self.space.pool.bits(64, bytes.into())?;
        self.range(state, path, exits, addr, len, align, write, loc)
    }

    /// The traps of an access to `len` bytes, none if `len` is zero: null, out of bounds, dead,
    /// misaligned, read-only, in the interpreter's order.
    #[expect(clippy::too_many_arguments, reason = "an access has that many sides")]
    pub(crate) fn range(
        &mut self,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        addr: TermId,
        len: TermId,
        align: u32,
        write: bool,
        loc: Loc,
    ) -> Result<Flow, Stop> {
        if self.space.constant(len) == Some(0) {
            return Ok(Flow::On);
        }
        let any_shape = self.space.pointed_to() != PointedTo::LargeEnough
            && !matches!(self.space.origin(addr), Origin::Object(_));
        if any_shape {
            self.by_shape("access.how", &[addr, len], state, path, exits, loc)?;
        }
        for (ok, trap) in self.checks(state, addr, len, align, write)? {
            if trap == Trap::Misaligned {
                // Where the object is known, its end is looked at first.
                self.note_touch(state, None, addr, len, 1, write);
            }
            if self.check(state, path, exits, ok, trap, loc)? == Flow::Dead {
                return Ok(Flow::Dead);
            }
        }
        if any_shape && write {
            self.by_shape("access.write", &[addr, len], state, path, exits, loc)?;
        }
        self.note_touch(state, None, addr, len, align, write);
        if let Some(log) = self.space.accesses.clone()
            && let Some(bytes) = self.space.constant(len)
            && !self.by_path
        {
            let when = self.made_when(path, exits)?;
            log.push(AccessRecord { when, address: addr, bytes });
        }
        Ok(Flow::On)
    }

    /// An access may end the run because of the object behind its address, in a way that depends on the address and the
    /// length alone: on which objects there were at entry, where they end, which of them were dead then, which are constants.
    /// That is one state for both versions, so it is one function, zero if the run goes on. It comes in two parts: what
    /// the interpreter looks at before it asks whether the run itself has freed the object and whether the address is aligned
    /// (null, bounds, dead at entry), and what it looks at afterwards (a write to a constant).
    fn by_shape(
        &mut self,
        name: &str,
        given: &[TermId],
        state: &State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        loc: Loc,
    ) -> Result<(), Stop> {
        let how = self.space.function_call(name, given, Sort::BitVec(8))?;
        let zero = self.space.pool.bits(8, 0)?;
        let mut ok = self.space.pool.eq(how, zero)?;
        if self.space.constant(given[1]).is_none() {
            // Nothing is accessed where the length is zero.
            let none = self.space.pool.bits(64, 0)?;
            let empty = self.space.pool.eq(given[1], none)?;
            ok = self.space.or(&[empty, ok])?;
        }
        let mut failed = path.clone();
        failed.push(self.space.not(ok)?);
        exits.push(Exit::new(ExitKind::Left(how), failed, state, loc));
        if self.by_path {
            path.push(ok);
        }
        Ok(())
    }

    /// A loaded value; a pointer is kept for whoever wants to know ([`Space::loaded`](crate::space::Space)).
    pub(crate) fn loaded(
        &mut self,
        ty: Type,
        value: TermId,
        path: &Path,
        exits: &[Exit],
    ) -> Result<TermId, Stop> {
        let value = self.space.tidy(value)?;
        if let Some(log) = self.space.loads.clone()
            && ty == Type::Ptr
            && !self.by_path
        {
            let when = self.made_when(path, exits)?;
            log.push(PointerLoad { when, pointer: value });
        }
        Ok(value)
    }

    /// Keeps an access for whoever wants to know the path's ([`Touch`]). One of a known object is the
    /// same for every caller; but what a global holds may be without a value for some.
    pub(crate) fn note_touch(
        &mut self,
        state: &mut State,
        read: Option<MemoryId>,
        addr: TermId,
        len: TermId,
        align: u32,
        write: bool,
    ) {
        let same_for_all = match self.space.origin(addr) {
            Origin::Object(id) => {
                let object = self.space.object_at(id);
                read.is_none() || object.fresh || object.read_only
            }
            _ => false,
        };
        if self.by_path && !same_for_all {
            let touch = Touch { read, addr, len, align, write };
            if !state.touched.contains(&touch) {
                state.touched.push(touch);
            }
        }
    }

    /// What an access must fulfil, and the trap it ends in otherwise.
    pub(crate) fn checks(
        &mut self,
        state: &State,
        addr: TermId,
        len: TermId,
        align: u32,
        write: bool,
    ) -> Result<Vec<(TermId, Trap)>, Stop> {
        let zero = self.space.pool.bits(64, 0)?;
        let empty = match self.space.constant(len) {
            Some(_) => self.space.pool.falsity(),
            None => self.space.pool.eq(len, zero)?,
        };
        let origin = self.space.origin(addr);
        let object = match origin {
            Origin::Object(id) => Some(id),
            _ => None,
        };
        let mut checks: Vec<(TermId, Trap)> = Vec::new();
        let surely_object = object.is_some_and(|id| !self.may_be_null(addr, id));
        if !surely_object {
            let limit = self.space.pool.bits(64, NULL_ZONE.into())?;
            checks.push((self.space.pool.bv_ule(limit, addr)?, Trap::NullAccess));
            // No object lies across the end of the address space.
            let end = self.space.pool.bits(64, 1 << 63)?;
            let room = self.space.sub(end, len)?;
            let near = self.space.pool.bv_ule(addr, room)?;
            let fits = match self.space.constant(len) {
                Some(_) => self.space.pool.truth(),
                None => self.space.pool.bv_ule(len, end)?,
            };
            checks.push((self.space.and(&[fits, near])?, Trap::OutOfBounds));
        }
        if let Some(id) = object {
            let (base, size) = (self.space.object_at(id).base, self.space.object_at(id).size);
            if let Some(dead) = state.freed.get(&id).copied() {
                checks.push((self.space.not(dead)?, Trap::UseAfterFree));
            }
            let offset = self.space.sub(addr, base)?;
            checks.push((self.within(offset, len, size)?, Trap::OutOfBounds));
        } else {
            let dead = self.dead_at(state, addr)?;
            checks.push((self.space.not(dead)?, Trap::UseAfterFree));
        }
        if align > 1 && self.space.trailing_zeros(addr) < align.trailing_zeros() {
            let mask = self.space.pool.bits(64, u128::from(align - 1))?;
            let rest = self.space.pool.bv_and(addr, mask)?;
            checks.push((self.space.pool.eq(rest, zero)?, Trap::Misaligned));
        }
        if write && object.is_some_and(|id| self.space.object_at(id).read_only) {
            checks.push((self.space.pool.falsity(), Trap::ReadOnly));
        }
        for (ok, _) in &mut checks {
            *ok = self.space.or(&[empty, *ok])?;
        }
        Ok(checks)
    }

    /// Whether one byte may be read at an address that is not near null: within its object, or
    /// within the address space.
    pub(crate) fn byte_is_there(&mut self, addr: TermId) -> Result<TermId, Stop> {
        if let Origin::Object(id) = self.space.origin(addr) {
            let (base, size) = (self.space.object_at(id).base, self.space.object_at(id).size);
            let offset = self.space.sub(addr, base)?;
            let one = self.space.pool.bits(64, 1)?;
            return self.within(offset, one, size);
        }
        let end = self.space.pool.bits(64, 1 << 63)?;
        Ok(self.space.pool.bv_ult(addr, end)?)
    }

    /// Whether an address that comes from an object may also be null (a failed allocation).
    fn may_be_null(&self, addr: TermId, id: ObjectId) -> bool {
        let base = self.space.object_at(id).base;
        if addr == base {
            return false;
        }
        let pool = &self.space.pool;
        !(pool.op(addr) == verdiff_logic::Op::BvAdd && pool.operands(addr).contains(&base))
    }

    /// Whether `len` bytes at `offset` lie in `size` bytes.
    fn within(&mut self, offset: TermId, len: TermId, size: TermId) -> Result<TermId, Stop> {
        if let (Some(offset), Some(len), Some(size)) =
            (self.space.constant(offset), self.space.constant(len), self.space.constant(size))
        {
            return Ok(self.space.pool.boolean(len <= size && offset <= size - len));
        }
        if let (Some(len), Some(size)) = (self.space.constant(len), self.space.constant(size)) {
            return match size.checked_sub(len) {
                Some(room) => Ok(self.space.below(offset, room + 1)?),
                None => Ok(self.space.pool.falsity()),
            };
        }
        let fits = self.space.pool.bv_ule(len, size)?;
        let room = self.space.sub(size, len)?;
        let near = self.space.pool.bv_ule(offset, room)?;
        Ok(self.space.and(&[fits, near])?)
    }
}
