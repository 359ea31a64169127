//! Which functions the pointers of an entry state lead to.

use super::search::DifferenceSearch;
use verdiff_model::Type;
use verdiff_model::state::{EntryState, Pointer, PointerTarget, Value};

impl DifferenceSearch<'_> {
    /// Lets pointers to functions lead to those that callers may have, and adds globals.
    pub(super) fn make_fit(&mut self, entry: &mut EntryState) {
        for index in 0..entry.args.len() {
            if let Value::Pointer(mut pointer) = entry.args[index] {
                self.fit(&mut pointer.target);
                entry.args[index] = Value::Pointer(pointer);
            }
        }
        self.fit_objects(entry, 0);
        let globals = self.text.globals.iter();
        entry.globals = globals.map(|global| (global.old, global.contents.clone())).collect();
    }

    /// Lets pointers to functions in objects from this one on lead to those that callers may have.
    pub(super) fn fit_objects(&mut self, entry: &mut EntryState, from: usize) {
        for object in &mut entry.objects[from..] {
            object.contents.pointers.iter_mut().for_each(|link| self.fit(&mut link.to.target));
        }
    }

    fn fit(&mut self, target: &mut PointerTarget) {
        if let PointerTarget::Procedure(_) = target
            && !self.text.functions().iter().any(|known| known.target == *target)
        {
            // Rather one that can be called in its place.
            let wanted = self.signature(*target);
            let text = self.text;
            let functions = text.functions();
            let fits = |other: &&Pointer| self.signature(other.target) == wanted;
            let fitting: Vec<Pointer> = functions.iter().filter(fits).copied().collect();
            let list = if fitting.is_empty() { functions } else { &fitting[..] };
            let other = self.random.pick(list);
            *target = other.map_or(PointerTarget::Null, |pointer| pointer.target);
        }
    }

    /// The machine types of a function of the old version: of its parameters, and of its results.
    fn signature(&self, target: PointerTarget) -> Option<(Vec<Type>, Vec<Type>)> {
        let program = self.programs[0];
        match target {
            PointerTarget::Procedure(id) => {
                let procedure = program.procedure(id);
                let params = procedure.params.iter().map(|param| procedure.var(*param).ty);
                Some((params.collect(), procedure.results.clone()))
            }
            PointerTarget::External(id) => {
                let signature = &program.external(id).signature;
                Some((signature.params.clone(), signature.results.clone()))
            }
            _ => None,
        }
    }
}
