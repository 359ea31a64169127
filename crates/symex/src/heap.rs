//! Objects made and ended during a run: the heap, variable-length arrays.
//!
//! An allocation is numbered by the run's own counter and not by the world, so that
//! allocating in another order is no difference by itself. It may fail; whether it does is a
//! symbol of its number, common to both versions.

use crate::execute::{Executor, Flow, Frame, Stop};
use crate::memory::Link;
use crate::outcome::{Exit, ExitKind};
use crate::space::{ObjectId, Origin};
use crate::state::{Path, State};
use crate::translate;
use verdiff_logic::{Sort, TermId};
use verdiff_model::{BinaryOp, Expr, Loc, Trap, Type, VarId};

impl Executor<'_> {
    /// `malloc`, or `calloc` if `zeroed`; the address or null.
    pub(crate) fn allocate(
        &mut self,
        frame: &Frame,
        size: TermId,
        zeroed: bool,
        fails: Option<TermId>,
        results: &[VarId],
        state: &mut State,
    ) -> Result<TermId, Stop> {
        let number = state.allocated;
        state.allocated += 1;
        let object = self.space.object(&format!("heap.{number}"), size, 16, true, false)?;
        self.space.outlives_run(object);
        let base = self.space.object_at(object).base;
        if let Some(dst) = results.first() {
            let region = self.regions.region_of(self.side, frame.id, &Expr::Var(*dst)).index();
            self.fresh(state, region, object)?;
            if zeroed {
                let before = state.memory[region];
                let byte = self.space.pool.bits(8, 0)?;
                let link = Link::Fill { before, addr: base, byte, len: size };
                state.memory[region] = self.space.memories.write(before, link);
            }
        }
        let mut failed = self.space.pool.symbol(&format!("fails.heap.{number}"), Sort::Bool)?;
        if let Some(more) = fails {
            failed = self.space.or(&[failed, more])?;
        }
        let null = self.space.pool.bits(64, 0)?;
        Ok(self.space.ite(failed, null, base)?)
    }

    /// `calloc(count, size)`.
    pub(crate) fn allocate_zeroed(
        &mut self,
        frame: &Frame,
        args: &[TermId],
        results: &[VarId],
        state: &mut State,
    ) -> Result<TermId, Stop> {
        let too_large = translate::binary(
            &mut self.space.pool,
            BinaryOp::UMulOverflows,
            Type::WORD,
            args[0],
            args[1],
        )?;
        let too_large = self.space.tidy(too_large)?;
        let size = self.space.pool.bv_mul(args[0], args[1])?;
        let size = self.space.tidy(size)?;
        self.allocate(frame, size, true, Some(too_large), results, state)
    }

    /// `free`.
    pub(crate) fn release(
        &mut self,
        addr: TermId,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        loc: Loc,
    ) -> Result<Flow, Stop> {
        let zero = self.space.pool.bits(64, 0)?;
        let is_null = self.space.pool.eq(addr, zero)?;
        let is_null = self.space.tidy(is_null)?;
        if addr == zero {
            return Ok(Flow::On);
        }
        let Origin::Object(object) = self.space.origin(addr) else {
            // How far the object reaches is not known, so neither which later access would be
            // a use after this: nothing is said rather than that there is none.
            return Err(Stop::Construct("a free of an object of the entry state".into()));
        };
        if !self.space.object_at(object).outlives {
            exits.push(Exit::new(ExitKind::Trap(Trap::BadFree), path.clone(), state, loc));
            return Ok(Flow::Dead);
        }
        let base = self.space.object_at(object).base;
        let dead = state.freed.get(&object).copied().unwrap_or(self.space.pool.falsity());
        let at_start =
            if addr == base { self.space.pool.truth() } else { self.space.pool.eq(addr, base)? };
        let alive = self.space.not(dead)?;
        let good = self.space.and(&[at_start, alive])?;
        let is_null = if addr == base { self.space.pool.falsity() } else { is_null };
        let good = self.space.or(&[is_null, good])?;
        if self.check(state, path, exits, good, Trap::BadFree, loc)? == Flow::Dead {
            return Ok(Flow::Dead);
        }
        let not_null = self.space.not(is_null)?;
        let dead = self.space.or(&[dead, not_null])?;
        state.freed.insert(object, dead);
        Ok(Flow::On)
    }

    /// A variable-length array.
    pub(crate) fn stack_array(
        &mut self,
        frame: &Frame,
        dst: VarId,
        size: TermId,
        align: u32,
        state: &mut State,
    ) -> Result<(), Stop> {
        let number = state.allocated;
        state.allocated += 1;
        let object =
            self.space.object(&format!("stack.{number}"), size, align.into(), true, false)?;
        let region = self.regions.region_of(self.side, frame.id, &Expr::Var(dst)).index();
        self.fresh(state, region, object)?;
        let base = self.space.object_at(object).base;
        self.assign(frame, state, dst, base)
    }

    /// Ends the stack arrays made since a token.
    pub(crate) fn restore_stack(&mut self, token: TermId, state: &mut State) -> Result<(), Stop> {
        let Some(first) = self.space.constant(token) else {
            return Err(Stop::Construct("a variable-length array on one of two paths".into()));
        };
        let ended: Vec<ObjectId> = (first..u64::from(state.allocated))
            .flat_map(|number| self.space.objects_named(&format!("stack.{number}")))
            .collect();
        for object in ended {
            state.freed.insert(object, self.space.pool.truth());
        }
        Ok(())
    }
}
