//! Entry states of one build, for another build of the same program.
//!
//! Instrumented programs have further globals, and numbers need not be the same; symbols are.

use std::collections::HashMap;
use verdiff_model::state::{
    Contents, End, EntryState, Event, Outcome, Pointer, PointerTarget, Value,
};
use verdiff_model::{ExternId, Global, GlobalId, ProcId, Program};

/// From the numbers of one program to those of another.
pub(crate) struct Translation {
    globals: HashMap<GlobalId, GlobalId>,
    procedures: HashMap<ProcId, ProcId>,
    externals: HashMap<ExternId, ExternId>,
}

impl Translation {
    pub(crate) fn new(from: &Program, to: &Program) -> Translation {
        let mut globals = pairs(
            from.globals.iter().map(|g| &g.symbol),
            to.globals.iter().map(|g| &g.symbol),
            GlobalId::new,
        );
        // The names of literals are the compiler's: another version may have another text by the same one.
        globals.retain(|a, b| {
            let (a, b) = (from.global(*a), to.global(*b));
            let bytes = |g: &Global| g.init.as_ref().map(|init| init.bytes.clone());
            a.constant == b.constant && (!a.constant || bytes(a) == bytes(b))
        });
        same_literals(from, to, &mut globals);
        Translation {
            globals,
            procedures: pairs(
                from.procedures.iter().map(|p| &p.symbol),
                to.procedures.iter().map(|p| &p.symbol),
                ProcId::new,
            ),
            externals: pairs(
                from.externals.iter().map(|e| &e.name),
                to.externals.iter().map(|e| &e.name),
                ExternId::new,
            ),
        }
    }

    pub(crate) fn procedure(&self, id: ProcId) -> Option<ProcId> {
        self.procedures.get(&id).copied()
    }

    pub(crate) fn global(&self, id: GlobalId) -> Option<GlobalId> {
        self.globals.get(&id).copied()
    }

    /// The global that is translated to this one.
    pub(crate) fn global_back(&self, id: GlobalId) -> Option<GlobalId> {
        // Of several literals with one text, the first.
        self.globals.iter().filter(|(_, to)| **to == id).map(|(from, _)| *from).min()
    }

    /// The procedure that is translated to this one.
    pub(crate) fn procedure_back(&self, id: ProcId) -> Option<ProcId> {
        self.procedures.iter().find(|(_, to)| **to == id).map(|(from, _)| *from)
    }

    /// The state; `None` if it mentions what the other program does not have.
    pub(crate) fn entry(&self, entry: &EntryState) -> Option<EntryState> {
        let mut translated = EntryState { outside: entry.outside.clone(), ..EntryState::default() };
        for arg in &entry.args {
            translated.args.push(match arg {
                Value::Pointer(pointer) => Value::Pointer(self.pointer(*pointer)?),
                bits => *bits,
            });
        }
        for object in &entry.objects {
            let mut object = object.clone();
            object.contents = self.contents(&object.contents)?;
            translated.objects.push(object);
        }
        for (id, contents) in &entry.globals {
            translated.globals.push((*self.globals.get(id)?, self.contents(contents)?));
        }
        for pointer in translated.outside.pointers_mut() {
            *pointer = self.pointer(*pointer)?;
        }
        Some(translated)
    }

    /// An outcome of which only end and world are of interest: a trap's.
    pub(crate) fn trapped(&self, outcome: &Outcome) -> Option<Outcome> {
        let mut outcome = outcome.clone();
        if let End::Trapped { procedure, .. } = &mut outcome.end {
            *procedure = self.procedure(*procedure)?;
        }
        (outcome.objects, outcome.globals, outcome.fresh) = (vec![], vec![], vec![]);
        for event in &mut outcome.world.events {
            // Volatile accesses are not compared.
            let Event::Call { args, payloads, .. } = event else { continue };
            for arg in args {
                if let Value::Pointer(pointer) = arg {
                    *pointer = self.pointer(*pointer)?;
                }
            }
            for payload in payloads {
                payload.contents = self.contents(&payload.contents)?;
            }
        }
        Some(outcome)
    }

    pub(crate) fn contents(&self, contents: &Contents) -> Option<Contents> {
        let mut contents = contents.clone();
        for link in &mut contents.pointers {
            link.to = self.pointer(link.to)?;
        }
        Some(contents)
    }

    fn pointer(&self, pointer: Pointer) -> Option<Pointer> {
        let target = match pointer.target {
            PointerTarget::Global(id) => PointerTarget::Global(*self.globals.get(&id)?),
            PointerTarget::Procedure(id) => PointerTarget::Procedure(*self.procedures.get(&id)?),
            PointerTarget::External(id) => PointerTarget::External(*self.externals.get(&id)?),
            other => other,
        };
        Some(Pointer { target, ..pointer })
    }
}

/// Adds literals that have a literal with the same text, by whatever name: the compiler numbers them, so that one that is
/// added gives those behind it other names.
fn same_literals(from: &Program, to: &Program, globals: &mut HashMap<GlobalId, GlobalId>) {
    let literals = |program: &Program| -> Vec<(GlobalId, Vec<u8>, u64)> {
        let all = program.globals.iter().enumerate();
        let literal = |(index, g): (usize, &Global)| {
            let init = g.init.as_ref().filter(|init| init.relocations.is_empty())?;
            (g.constant && g.is_literal())
                .then(|| (GlobalId::new(index), init.bytes.clone(), g.size))
        };
        all.filter_map(literal).collect()
    };
    let mut there: HashMap<(Vec<u8>, u64), GlobalId> = HashMap::new();
    for (id, bytes, size) in literals(to) {
        there.entry((bytes, size)).or_insert(id);
    }
    for (id, bytes, size) in literals(from) {
        if let (false, Some(other)) = (globals.contains_key(&id), there.get(&(bytes, size))) {
            globals.insert(id, *other);
        }
    }
}

fn pairs<'a, Id: std::hash::Hash + Eq>(
    from: impl Iterator<Item = &'a String>,
    to: impl Iterator<Item = &'a String>,
    id: fn(usize) -> Id,
) -> HashMap<Id, Id> {
    let there: HashMap<&str, usize> =
        to.enumerate().map(|(index, symbol)| (symbol.as_str(), index)).collect();
    from.enumerate()
        .filter_map(|(index, symbol)| Some((id(index), id(*there.get(symbol.as_str())?))))
        .collect()
}
