//! From the state of a run that ended to its outcome.

use super::Observer;
use super::exec::Exec;
use super::loop_exit::Stop;
use crate::ids::ProcId;
use crate::state::{End, FreshObject, ObjectEnd, Outcome, Returned, Value};
use crate::stmt::Loc;
use crate::types::Type;

impl<O: Observer> Exec<'_, '_, O> {
    /// The outcome of a run that returned or stopped.
    pub(super) fn finish(&mut self, ended: Result<(), Stop>) -> Outcome {
        let end = match ended {
            Ok(()) => End::Returned(self.results()),
            Err(Stop::Trap(trap)) => {
                let (procedure, loc) = self.place();
                End::Trapped { trap, procedure, loc }
            }
            Err(Stop::Exited(status)) => End::Exited(status),
            Err(Stop::LeftThrough(name)) => End::LeftThrough(name.into()),
            Err(Stop::OutOfSteps) => End::OutOfSteps,
            Err(Stop::Gave(reason)) => End::Stopped(*reason),
        };
        // A run that was never set up has nothing to show.
        if self.run.frames.is_empty() && !matches!(end, End::Returned(_)) {
            let steps = 0;
            return Outcome {
                end,
                objects: vec![],
                globals: vec![],
                fresh: vec![],
                world: self.run.world.take(),
                steps,
            };
        }
        let run = &mut *self.run;
        let (mem, world) = (&run.mem, &mut run.world);
        let objects = mem
            .entry_slots()
            .map(|(slot, written)| match (slot.alive, written) {
                (false, _) => ObjectEnd::Freed,
                (true, false) => ObjectEnd::Untouched,
                (true, true) => {
                    ObjectEnd::Written(world.contents(mem, slot.base, &slot.data, &slot.set))
                }
            })
            .collect();
        let globals = mem
            .written_globals()
            .into_iter()
            .map(|(id, slot)| (id, world.contents(mem, slot.base, &slot.data, &slot.set)))
            .collect();
        // Describing one object may name others, which then come later in this list.
        let mut fresh = vec![];
        while let Some(zone) = world.named.get(fresh.len()).copied() {
            let contents = mem
                .fresh_slot(zone)
                .map(|slot| world.contents(mem, slot.base, &slot.data, &slot.set));
            fresh.push(FreshObject { contents });
        }
        let steps = self.limits.steps - run.steps_left;
        Outcome { end, objects, globals, fresh, world: run.world.take(), steps }
    }

    fn results(&mut self) -> Vec<Returned> {
        let run = &mut *self.run;
        let values = std::mem::take(&mut run.returned);
        let returned = |(ty, bits, set): (Type, u128, bool)| {
            let value = match ty {
                Type::Ptr => Value::Pointer(run.world.pointer(&run.mem, bits as u64)),
                _ => Value::Bits(bits),
            };
            Returned { ty, value: set.then_some(value) }
        };
        values.into_iter().map(returned).collect()
    }

    /// Which procedure was running, and where.
    fn place(&self) -> (ProcId, Loc) {
        let Some(frame) = self.run.frames.last() else { return (ProcId(0), Loc::NONE) };
        let code = self.shared.code(frame.procedure);
        // The next instruction is already the one after.
        let loc = code.locs.get((frame.pc as usize).saturating_sub(1));
        (frame.procedure, loc.copied().unwrap_or(Loc::NONE))
    }
}
