//! Pointers that unknown functions return: to objects that the outside has had all along.
//!
//! Such an object is one more of the entry state that nothing leads to but the function. It is made as what parameters point to is, by
//! the type that the function's callers take it for.

use super::input_locations::Targets;
use super::outside::may_write;
use super::search::DifferenceSearch;
use verdiff_judge::{Comparison, Side};
use verdiff_model::interp::is_emulated;
use verdiff_model::state::{EntryState, Event, Given, Object, Outcome, Pointer, PointerTarget};
use verdiff_model::{ExternId, External, Type, external_results};
use verdiff_symex::libc::Returns;

/// Functions of the library whose result only the library looks behind.
const HANDLES: [&str; 9] = [
    "fopen",
    "fdopen",
    "tmpfile",
    "popen",
    "opendir",
    "freopen",
    "newlocale",
    "duplocale",
    "uselocale",
];

/// Whether a function gives such a handle.
fn is_handle(external: &External) -> bool {
    HANDLES.contains(&external.name.as_str())
        && !is_emulated(external)
        && verdiff_symex::libc::known_external(external)
            .is_none_or(|known| known.returns == Returns::Outside)
}

/// Whether a function gives a handle, by its name.
pub(super) fn is_handle_function(name: &str) -> bool {
    HANDLES.contains(&name)
}

/// Functions of the library that give a string of the library's own.
const STRINGS: [&str; 5] = ["getenv", "secure_getenv", "setlocale", "strerror", "strsignal"];

/// Whether a function gives such a string.
fn gives_string(external: &External) -> bool {
    STRINGS.contains(&external.name.as_str())
        && !is_emulated(external)
        && verdiff_symex::libc::known_external(external)
            .is_none_or(|known| known.returns == Returns::Outside)
}

/// No more objects than this.
const OBJECTS: usize = 48;

/// The unknown functions of both programs that return pointers.
pub(super) fn pointer_functions(comparison: &Comparison) -> Targets {
    let mut found = Targets::new();
    for side in Side::BOTH {
        let program = comparison.program(side);
        let known = external_results(program);
        for (index, external) in program.externals.iter().enumerate() {
            if external.signature.results != [Type::Ptr] {
                continue;
            }
            if is_handle(external) {
                found.insert(external.name.clone(), None);
            } else if may_write(external) || gives_string(external) {
                let target = known.get(&ExternId::new(index)).map(|target| (side, *target));
                found.entry(external.name.clone()).or_insert(target);
            }
        }
    }
    found
}

impl DifferenceSearch<'_> {
    /// Notes which functions runs have called that could have given something.
    pub(super) fn note_givers(&mut self, ran: &[&Outcome]) {
        for event in ran.iter().flat_map(|outcome| &outcome.world.events) {
            if let Event::Call { name, effect: Some(_), .. } = event
                && self.targets.contains_key(name)
                && !self.givers.contains(name)
            {
                self.givers.insert(name.clone());
            }
        }
    }

    /// Lets functions give something that give nothing in a state of the queue: one after the other, and all.
    pub(super) fn give(&mut self, index: usize) {
        let Some(item) = self.queue.get(index) else { return };
        let base = item.entry.clone();
        let gives = |name: &String| base.outside.given.iter().any(|g| g.external == *name);
        let open: Vec<String> = self.givers.iter().filter(|name| !gives(name)).cloned().collect();
        if open.is_empty() {
            return;
        }
        let mut all = base.clone();
        for name in &open {
            let mut entry = base.clone();
            self.give_one(&mut entry, name);
            self.attempt(&entry);
            self.give_one(&mut all, name);
            if self.is_over() {
                return;
            }
        }
        self.attempt(&all);
    }

    /// Lets all functions give something.
    pub(super) fn give_all(&mut self, entry: &mut EntryState) {
        for name in self.givers.clone() {
            self.give_one(entry, &name);
        }
    }

    /// Lets a function give something: always, now and then, or one of two things.
    pub(super) fn give_one(&mut self, entry: &mut EntryState, name: &str) {
        if entry.objects.len() >= OBJECTS {
            return;
        }
        let target = self.targets.get(name).copied().flatten();
        if is_handle_function(name) {
            // It is a name, and nobody looks behind it.
            let pointer = Pointer::object(entry.objects.len() as u32);
            entry.objects.push(Object::new(16, vec![0; 16]));
            let pointers = match self.random.below(4) {
                0 => vec![pointer, Pointer::NULL],
                _ => vec![pointer],
            };
            entry.outside.given.retain(|given| given.external != name);
            entry.outside.given.push(Given { external: name.to_owned(), pointers });
            return;
        }
        let object = |search: &mut Self, entry: &mut EntryState| {
            let (seed, from) = (search.random.word(), entry.objects.len());
            let side = target.map_or(Side::Old, |(side, _)| side);
            let generator = &search.generators[side.index()];
            let pointer = generator.object(entry, target.map(|(_, target)| target), seed);
            if side == Side::New {
                // Functions and globals have other numbers there.
                for object in &mut entry.objects[from..] {
                    let links = &mut object.contents.pointers;
                    links.retain(|link| matches!(link.to.target, PointerTarget::Object(_)));
                }
            }
            search.fit_objects(entry, from);
            pointer
        };
        let first = object(self, entry);
        let never_null = verdiff_symex::libc::known(name).is_some_and(|known| known.never_null);
        let pointers = match self.random.below(4) {
            _ if never_null => vec![first],
            0 => vec![first],
            // Loops over what is given come to their end.
            1 | 2 => vec![first, Pointer::NULL],
            _ => vec![first, object(self, entry), Pointer::NULL],
        };
        entry.outside.given.retain(|given| given.external != name);
        entry.outside.given.push(Given { external: name.to_owned(), pointers });
    }
}
