//! One entry state in the numbers of either version.
//!
//! Globals, procedures and externals are numbered by each program; a state that both start from
//! must be told to each in its own numbers.

use crate::comparison::{Comparison, Side};
use verdiff_model::state::{Contents, EntryState, Link, Pointer, PointerTarget, Value};

impl Comparison {
    /// The state in the other version's numbers. `None` if it mentions something that the other
    /// version does not have, or that has another size there: then it is no common state.
    pub fn entry_for_other(&self, side: Side, entry: &EntryState) -> Option<EntryState> {
        let args =
            entry.args.iter().map(|value| self.value(side, *value)).collect::<Option<_>>()?;
        let mut objects = entry.objects.clone();
        for object in &mut objects {
            object.contents = self.contents(side, &object.contents)?;
        }
        let mut globals = Vec::new();
        for (id, contents) in &entry.globals {
            let Some(other) = self.global_in_other(side, *id) else {
                // It cannot influence the version that has no such thing.
                continue;
            };
            if self.program(side.other()).global(other).size != self.program(side).global(*id).size
            {
                return None;
            }
            globals.push((other, self.contents(side, contents)?));
        }
        globals.sort_by_key(|(id, _)| *id);
        let mut outside = entry.outside.clone();
        for pointer in outside.pointers_mut() {
            *pointer = self.pointer(side, *pointer)?;
        }
        Some(EntryState { args, objects, globals, outside })
    }

    fn value(&self, side: Side, value: Value) -> Option<Value> {
        match value {
            Value::Bits(_) => Some(value),
            Value::Pointer(pointer) => self.pointer(side, pointer).map(Value::Pointer),
        }
    }

    fn contents(&self, side: Side, contents: &Contents) -> Option<Contents> {
        let link =
            |link: &Link| Some(Link { offset: link.offset, to: self.pointer(side, link.to)? });
        let pointers = contents.pointers.iter().map(link).collect::<Option<_>>()?;
        Some(Contents { pointers, ..contents.clone() })
    }

    fn pointer(&self, side: Side, pointer: Pointer) -> Option<Pointer> {
        let target = match pointer.target {
            PointerTarget::Global(id) => PointerTarget::Global(self.global_in_other(side, id)?),
            PointerTarget::Procedure(id) => {
                PointerTarget::Procedure(self.procedure_in_other(side, id)?)
            }
            PointerTarget::External(id) => {
                PointerTarget::External(self.external_in_other(side, id)?)
            }
            same => same,
        };
        Some(Pointer { target, ..pointer })
    }
}
