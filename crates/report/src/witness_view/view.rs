//! One version's run as it is shown: what things are called, and what lies where.

use super::reachable::ReachableObjects;
use super::text;
use super::types::{MemoryView, PointeeKind, ValueView};
use verdiff_judge::{Comparison, PairId, Side, returned_object};
use verdiff_model::state::{
    Contents, EntryState, Outcome, Pointer, PointerTarget, Value, initial_contents,
};
use verdiff_model::{CType, CTypeId, CTypes, Frame, GlobalId, Linkage, Procedure, Program};

/// How much of a string literal a pointer is named by.
const LONGEST_NAME: usize = 60;

/// One version, what it starts from and how it ends.
pub(super) struct RunView<'a> {
    pub(super) program: &'a Program,
    pub(super) procedure: &'a Procedure,
    pub(super) frame: Option<&'a Frame>,
    pub(super) entry: &'a EntryState,
    pub(super) outcome: &'a Outcome,
    pub(super) reach: ReachableObjects,
    /// The names of the entry state's objects.
    names: Vec<Option<String>>,
}

impl<'a> RunView<'a> {
    pub(super) fn new(
        comparison: &'a Comparison,
        pair: PairId,
        side: Side,
        entry: &'a EntryState,
        outcome: &'a Outcome,
    ) -> RunView<'a> {
        let program = comparison.program(side);
        let procedure = comparison.procedure(pair, side);
        let frame = comparison.version(side).frames.get(comparison.pair(pair).of(side).index());
        let reach = ReachableObjects::of(program, procedure, entry, outcome);
        RunView { program, procedure, frame, entry, outcome, reach, names: vec![] }
    }

    /// The object in which a large struct is returned.
    pub(super) fn result_object(&self) -> Option<u32> {
        returned_object(self.procedure, self.entry)
    }

    /// The object that a parameter passes by value, if it does.
    pub(super) fn passed_object(&self, param: usize) -> Option<u32> {
        let size = self.frame?.by_value.get(param)?;
        match (size, self.entry.args.get(param)) {
            (Some(_), Some(Value::Pointer(p))) => object_start(*p),
            _ => None,
        }
    }

    /// Whether an object is an object to the programmer, not a way to pass a struct.
    pub(super) fn is_memory(&self, object: u32) -> bool {
        let passed = |param| self.passed_object(param) == Some(object);
        self.result_object() != Some(object) && !(0..self.entry.args.len()).any(passed)
    }

    /// What a target is called.
    pub(super) fn name(&self, target: PointerTarget) -> (String, PointeeKind) {
        match target {
            PointerTarget::Null => ("NULL".to_owned(), PointeeKind::Memory),
            PointerTarget::Object(index) => {
                let name = self.names.get(index as usize).cloned().flatten();
                (name.unwrap_or_else(|| format!("object{index}")), PointeeKind::Memory)
            }
            PointerTarget::Fresh(index) => (format!("fresh{index}"), PointeeKind::Memory),
            PointerTarget::Global(id) => self.global_name(id),
            PointerTarget::Procedure(id) => {
                (self.program.procedure(id).name.clone(), PointeeKind::Function)
            }
            PointerTarget::External(id) => {
                (self.program.external(id).name.clone(), PointeeKind::Function)
            }
        }
    }

    /// What a global is called: a literal by its text, a static local after its function too.
    pub(super) fn global_name(&self, id: GlobalId) -> (String, PointeeKind) {
        let global = self.program.global(id);
        if global.is_literal()
            && let Some(init) = &global.init
            && init.relocations.is_empty()
        {
            let end = init.bytes.iter().position(|b| *b == 0).unwrap_or(init.bytes.len());
            let literal = text::quoted(&init.bytes[..end.min(LONGEST_NAME)]);
            let dots = if end > LONGEST_NAME { "…" } else { "" };
            return (format!("{literal}{dots}"), PointeeKind::Text);
        }
        let name = match (&global.owner, global.linkage) {
            (Some(owner), Linkage::Internal) => format!("{owner}.{}", global.name),
            _ => global.name.clone(),
        };
        (name, PointeeKind::Global)
    }

    /// What a global holds at the start.
    pub(super) fn global_at_entry(&self, id: GlobalId) -> Contents {
        by_id(&self.entry.globals, id).unwrap_or_else(|| initial_contents(self.program, id))
    }

    /// What a global holds at the end.
    pub(super) fn global_at_end(&self, id: GlobalId) -> Contents {
        by_id(&self.outcome.globals, id).unwrap_or_else(|| self.global_at_entry(id))
    }

    /// Memory that begins with elements of a type, as many as there are room for.
    pub(super) fn memory(
        &self,
        name: String,
        element: Option<CTypeId>,
        contents: &Contents,
        most: u64,
    ) -> MemoryView {
        let types = &self.program.ctypes;
        let size = contents.bytes.len() as u64;
        // A global array is one element of its own type: its elements are what is meant.
        let (element, step) = match element.and_then(|e| Some((e, types.size(e)?))) {
            Some((ctype, step)) if step > 0 && size.is_multiple_of(step) => {
                let inner = types.target(ctype).filter(|_| size == step && is_array(types, ctype));
                match inner.and_then(|inner| Some((inner, types.size(inner)?))) {
                    Some((inner, step)) if step > 0 => (Some(inner), step),
                    _ => (Some(ctype), step),
                }
            }
            _ => (None, 1),
        };
        let count = size / step;
        let shown = count.min(most);
        let array = element.is_none() || count != 1;
        let (ctype, values, text) = match element {
            Some(element) => (
                type_text(types, element, array.then_some(count)),
                (0..shown).map(|i| self.decode(element, contents, i * step)).collect(),
                self.string(element, contents, 0, count),
            ),
            None => match self.bytes(contents, 0, shown) {
                ValueView::List { values, .. } => (format!("unsigned char[{count}]"), values, None),
                other => (format!("unsigned char[{count}]"), vec![other], None),
            },
        };
        let omitted = count - shown;
        MemoryView { name, ctype, values, element_size: step, text, omitted, freed: false }
    }
}

/// Gives the objects of both versions' common entry state their names, in the order in which a
/// reader meets them: `m0`, `m1`, …
pub(super) fn name_objects(old: &mut RunView<'_>, new: &mut RunView<'_>) {
    let count = old.entry.objects.len().max(new.entry.objects.len());
    let mut names: Vec<Option<String>> = vec![None; count];
    let mut order = old.reach.order.clone();
    order.extend(new.reach.order.iter().filter(|index| !old.reach.order.contains(index)));
    let taken = |name: &str| {
        let named = |program: &Program| program.globals.iter().any(|g| g.name == name);
        named(old.program) || named(new.program)
    };
    let mut free = (0..).map(|number| format!("m{number}")).filter(|name| !taken(name));
    for index in order {
        let Some(name) = names.get_mut(index as usize) else { continue };
        *name = match old.is_memory(index) && new.is_memory(index) {
            true => free.next(),
            false => Some("result".to_owned()),
        };
    }
    old.names.clone_from(&names);
    new.names = names;
}

fn by_id(list: &[(GlobalId, Contents)], id: GlobalId) -> Option<Contents> {
    list.iter().find(|(other, _)| *other == id).map(|(_, contents)| contents.clone())
}

fn object_start(pointer: Pointer) -> Option<u32> {
    match pointer {
        Pointer { target: PointerTarget::Object(index), offset: 0 } => Some(index),
        _ => None,
    }
}

fn is_array(types: &CTypes, ctype: CTypeId) -> bool {
    matches!(types.get(types.resolve(ctype)), CType::Array { .. })
}

/// A type as it stands before values: without qualifiers, and as an array of so many.
fn type_text(types: &CTypes, mut ctype: CTypeId, count: Option<u64>) -> String {
    for _ in 0..types.len() {
        match types.get(ctype) {
            CType::Qualified { target, .. } => ctype = *target,
            _ => break,
        }
    }
    match count {
        Some(count) => types.declare(ctype, &format!("[{count}]")).replace(" [", "["),
        None => types.display(ctype),
    }
}
