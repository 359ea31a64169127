//! Objects made and ended during a run: the heap, variable-length arrays.
//!
//! An allocation is numbered by the run's own counter and not by the world, so that
//! allocating in another order is no difference by itself. It may fail; whether it does is a
//! symbol of its number, common to both versions.

use crate::execute::{Construct, Executor, Frame, Stop};
use crate::memory::Link;
use crate::space::ObjectId;
use crate::state::State;
use crate::translate;
use verdiff_logic::{Sort, TermId};
use verdiff_model::{BinaryOp, Expr, Type, VarId};

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
        let number = self.next_allocation(state)?;
        self.count_request(fails, state)?;
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
        // What could not be made is not there: like a dead object, nobody sees what it holds.
        state.freed.insert(object, failed);
        let null = self.space.pool.bits(64, 0)?;
        Ok(self.space.ite(failed, null, base)?)
    }

    /// Counts a request, unless the library refuses it without making one. Unlike the number of an object, which is one
    /// for all paths, the count is that of the path that was taken.
    fn count_request(&mut self, refused: Option<TermId>, state: &mut State) -> Result<(), Stop> {
        if !self.space.counts_requests() {
            return Ok(());
        }
        let one = self.space.pool.bits(32, 1)?;
        let more = self.space.pool.bv_add(state.requests, one)?;
        state.requests = match refused {
            Some(refused) => self.space.ite(refused, state.requests, more)?,
            None => more,
        };
        Ok(())
    }

    /// The number of the next allocation. After a call of what may allocate an unknown number of
    /// objects, it says what was called: one more object after it is not one more before it.
    fn next_allocation(&mut self, state: &mut State) -> Result<String, Stop> {
        let number = state.allocated;
        state.allocated += 1;
        Ok(if state.allocations == crate::entry::no_allocations(self.space)? {
            number.to_string()
        } else {
            format!("{}.{number}", state.allocations.index())
        })
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
            return Err(Stop::Construct(Construct::ArrayOnOnePath));
        };
        let ended: Vec<ObjectId> = (first..u64::from(state.allocated))
            .flat_map(|number| self.space.objects_named(&format!("stack.{number}")))
            .filter(|object| self.space.object_at(*object).fresh)
            .collect();
        for object in ended {
            state.freed.insert(object, self.space.pool.truth());
        }
        Ok(())
    }
}
