//! Setting a run up from its entry state.

use super::Observer;
use super::exec::Exec;
use super::libc::Kept;
use super::loop_exit::Stop;
use super::memory::address_of;
use crate::expr::Address;
use crate::ids::ProcId;
use crate::state::layout::{MAX_ENTRY_OBJECTS, entry_base};
use crate::state::{Contents, EntryState, Pointer, PointerTarget, StopReason, Value};

impl<O: Observer> Exec<'_, '_, O> {
    /// Sets memory, world and the first frame up.
    pub(super) fn start(&mut self, procedure: ProcId, entry: &EntryState) -> Result<(), Stop> {
        let run = &mut *self.run;
        run.regs.clear();
        run.frames.clear();
        run.frame_objects.clear();
        run.returned.clear();
        run.kept = Kept::default();
        run.requests.clear();
        run.callbacks = 0;
        run.jumps.clear();
        run.world.reset();
        run.world.outside.clone_from(&entry.outside);
        run.mem.reset(self.limits.memory, self.limits.objects);
        run.mem.beyond = entry.outside.beyond;
        run.steps_left = self.limits.steps;
        for given in &entry.outside.given {
            let addresses = given.pointers.iter().map(|pointer| resolve(*pointer, entry));
            run.world.given.push((given.external.clone(), addresses.collect::<Result<_, _>>()?));
        }
        self.make_objects(entry)?;
        self.set_globals(entry)?;

        let Some(callee) = self.shared.program.procedures.get(procedure.index()) else {
            return Err(bad("there is no such procedure"));
        };
        if callee.params.len() != entry.args.len() {
            return Err(bad("the number of arguments is not that of the parameters"));
        }
        let code = self.push_frame(procedure, 0)?;
        for (place, arg) in code.params.iter().zip(&entry.args) {
            let bits = match arg {
                Value::Bits(bits) => *bits,
                Value::Pointer(pointer) => u128::from(resolve(*pointer, entry)?),
            };
            self.give(&[*place], &[bits]);
        }
        if O::ARGUMENTS {
            let mut given = vec![];
            for arg in &entry.args {
                given.push(Some(match arg {
                    Value::Bits(bits) => *bits,
                    Value::Pointer(pointer) => u128::from(resolve(*pointer, entry)?),
                }));
            }
            self.observer.arguments(procedure, &given);
        }
        Ok(())
    }

    fn make_objects(&mut self, entry: &EntryState) -> Result<(), Stop> {
        if entry.objects.len() > MAX_ENTRY_OBJECTS as usize {
            return Err(bad("there are too many objects"));
        }
        let mut slots = Vec::new();
        for (index, object) in entry.objects.iter().enumerate() {
            if !object.align.is_power_of_two() {
                return Err(bad("an alignment is no power of two"));
            }
            let base = entry_base(index as u32, object.size(), object.align);
            slots.push(self.run.mem.add_entry(base, &object.contents.bytes)?);
        }
        for (slot, object) in slots.into_iter().zip(&entry.objects) {
            self.link(slot, &object.contents, entry)?;
        }
        Ok(())
    }

    fn set_globals(&mut self, entry: &EntryState) -> Result<(), Stop> {
        for (id, contents) in &entry.globals {
            match self.shared.program.globals.get(id.index()) {
                Some(global) if global.size == contents.bytes.len() as u64 => {}
                _ => return Err(bad("a global has another size, or there is no such global")),
            }
            self.run.mem.set_global(*id, &contents.bytes);
            // A global's slot is its number.
            self.link(id.0, contents, entry)?;
        }
        Ok(())
    }

    fn link(&mut self, slot: u32, contents: &Contents, entry: &EntryState) -> Result<(), Stop> {
        for link in &contents.pointers {
            let address = resolve(link.to, entry)?;
            if !self.run.mem.patch(slot, link.offset, address) {
                return Err(bad("a pointer does not lie within its object"));
            }
        }
        Ok(())
    }
}

/// The address a pointer of the entry state stands for.
fn resolve(pointer: Pointer, entry: &EntryState) -> Result<u64, Stop> {
    let base = match pointer.target {
        PointerTarget::Null => 0,
        PointerTarget::Object(index) => match entry.objects.get(index as usize) {
            Some(object) => entry_base(index, object.size(), object.align),
            None => return Err(bad("a pointer leads to an object that is not there")),
        },
        PointerTarget::Global(id) => address_of(Address::Global(id)),
        PointerTarget::Procedure(id) => address_of(Address::Procedure(id)),
        PointerTarget::External(id) => address_of(Address::External(id)),
        PointerTarget::Fresh(_) => return Err(bad("a pointer leads to what a run makes")),
    };
    Ok(base.wrapping_add_signed(pointer.offset))
}

fn bad(why: &str) -> Stop {
    StopReason::BadEntry(why.to_owned()).into()
}
