//! The outcome of each version: result, trap, exit, and memory that differs.

use super::output;
use super::reachable::result_type;
use super::types::{MemoryView, OutcomeView, ValueView};
use super::view::RunView;
use verdiff_judge::{Comparison, Side};
use verdiff_model::state::{Contents, End, ObjectEnd, PointerTarget, Returned, Value};
use verdiff_model::{CType, CTypeId, GlobalId, Type};

/// How many elements of an object at the start are shown.
const MOST_AT_ENTRY: u64 = 4096;
/// How many at the end, where the difference may be far behind.
const MOST_AT_END: u64 = 65536;

/// BothRuns versions' runs from one entry state.
pub(super) struct BothRuns<'a> {
    pub(super) comparison: &'a Comparison,
    pub(super) old: &'a RunView<'a>,
    pub(super) new: &'a RunView<'a>,
}

/// Memory at both ends; `None` where it is not there at all.
type Pair = (Option<MemoryView>, Option<MemoryView>);

impl BothRuns<'_> {
    /// What pointers lead to at the start, globals that the entry state sets, and those that
    /// end differently.
    pub(super) fn memory_at_entry(&self) -> Vec<MemoryView> {
        let mut shown = vec![];
        for (view, side) in [(self.old, Side::Old), (self.new, Side::New)] {
            for index in &view.reach.order {
                let object = view.entry.objects.get(*index as usize);
                let Some(object) = object.filter(|_| view.is_memory(*index)) else { continue };
                let name = view.name(PointerTarget::Object(*index)).0;
                let ctype = view.reach.objects.get(*index as usize).copied().flatten();
                add(&mut shown, view.memory(name, ctype, &object.contents, MOST_AT_ENTRY));
            }
            let set = view.entry.globals.iter().map(|(id, _)| *id);
            let ends = if side == Side::Old { self.globals_that_differ() } else { vec![] };
            for id in set.chain(ends.into_iter().map(|(id, _)| id)) {
                let name = view.global_name(id).0;
                let ctype = view.program.global(id).ctype;
                let contents = view.global_at_entry(id);
                add(&mut shown, view.memory(name, ctype, &contents, MOST_AT_ENTRY));
            }
        }
        shown
    }

    /// BothRuns ends.
    pub(super) fn ends(&self) -> (OutcomeView, OutcomeView) {
        let (mut old, mut new) = (self.old.end(), self.new.end());
        if self.both_show_memory() {
            for (left, right) in self.memory_that_differs() {
                old.memory.extend(left);
                new.memory.extend(right);
            }
        }
        let (said, other) = (output::output_lines(self.old), output::output_lines(self.new));
        if said != other || !same_world(self.old, self.new) {
            (old.output, new.output) = (said, other);
        }
        (old, new)
    }

    /// Only who returns, or goes back by `longjmp`, leaves memory to somebody.
    fn both_show_memory(&self) -> bool {
        let shows = |view: &RunView<'_>| view.outcome.end.shows_memory(view.program);
        shows(self.old) && shows(self.new)
    }

    fn memory_that_differs(&self) -> Vec<Pair> {
        let (old, new) = (self.old, self.new);
        let mut found: Vec<Pair> = vec![];
        let further = new.reach.order.iter().filter(|index| !old.reach.order.contains(index));
        for index in old.reach.order.iter().chain(further) {
            if old.is_memory(*index) && new.is_memory(*index) {
                let index = *index as usize;
                found.extend(differing(old.object_at_end(index), new.object_at_end(index)));
            }
        }
        for (left, right) in self.globals_that_differ() {
            found.extend(differing(old.global_shown(left), new.global_shown(right)));
        }
        for index in 0..old.outcome.fresh.len().max(new.outcome.fresh.len()) {
            found.extend(differing(old.fresh_at_end(index), new.fresh_at_end(index)));
        }
        found
    }

    /// Globals that both versions have and leave different, if somebody sees them then.
    fn globals_that_differ(&self) -> Vec<(GlobalId, GlobalId)> {
        if !self.both_show_memory() {
            return vec![];
        }
        let other = |side, id: GlobalId| self.comparison.global_in_other(side, id);
        let of_old = self.old.outcome.globals.iter();
        let of_new = self.new.outcome.globals.iter();
        let mut pairs: Vec<_> = of_old
            .filter_map(|(id, _)| Some((*id, other(Side::Old, *id)?)))
            .chain(of_new.filter_map(|(id, _)| Some((other(Side::New, *id)?, *id))))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs.retain(|(left, right)| {
            differing(self.old.global_shown(*left), self.new.global_shown(*right)).is_some()
        });
        pairs
    }
}

/// An object at the end: as its type shows it, and byte by byte.
type ObjectViews = Option<(MemoryView, MemoryView)>;

impl RunView<'_> {
    fn end(&self) -> OutcomeView {
        let mut shown = OutcomeView::default();
        match &self.outcome.end {
            End::Returned(results) => shown.returned = self.returned(results),
            End::Trapped { trap, loc, .. } => {
                shown.trap = Some(trap.to_string());
                let file = self.program.file(loc.file).to_owned();
                shown.trap_at = loc.is_known().then_some((file, loc.line));
            }
            End::Exited(status) => shown.exit = Some(*status),
            End::LeftThrough(name) => shown.left_through = Some(name.clone()),
            End::OutOfSteps => shown.diverges = true,
            End::Stopped(_) => {}
        }
        shown
    }

    fn returned(&self, results: &[Returned]) -> Option<ValueView> {
        let ctype = result_type(self.program, self.procedure);
        if let Some(object) = self.result_object() {
            let contents = self.contents_at_end(object as usize)?;
            return Some(match ctype {
                Some(ctype) => self.decode(ctype, contents, 0),
                None => self.bytes(contents, 0, contents.bytes.len() as u64),
            });
        }
        let shown = |r: &Returned| match r.value {
            Some(value) => self.scalar(r.ty, ctype, value),
            None => ValueView::Unset,
        };
        let places = self.frame.map(|f| &f.results).filter(|p| p.len() == results.len());
        let pieces: Option<Vec<(u64, Type, Value)>> = places.and_then(|places| {
            let piece = |(r, (_, at)): (&Returned, &(Type, u64))| Some((*at, r.ty, r.value?));
            results.iter().zip(places).map(piece).collect()
        });
        match (results, ctype, pieces) {
            ([], ..) => None,
            (_, Some(ctype), Some(pieces)) if self.is_aggregate(ctype) || results.len() > 1 => {
                Some(self.assembled(ctype, &pieces))
            }
            ([one], ..) => Some(shown(one)),
            _ => Some(ValueView::List { values: results.iter().map(shown).collect(), text: None }),
        }
    }

    fn is_aggregate(&self, ctype: CTypeId) -> bool {
        let types = &self.program.ctypes;
        matches!(types.get(types.resolve(ctype)), CType::Record { .. } | CType::Array { .. })
    }

    /// What an object of the entry state holds at the end, unless it was freed.
    fn contents_at_end(&self, index: usize) -> Option<&Contents> {
        match self.outcome.objects.get(index) {
            Some(ObjectEnd::Written(contents)) => Some(contents),
            Some(ObjectEnd::Freed) => None,
            _ => self.entry.objects.get(index).map(|object| &object.contents),
        }
    }

    fn object_at_end(&self, index: usize) -> ObjectViews {
        let name = self.name(PointerTarget::Object(index as u32)).0;
        let ctype = self.reach.objects.get(index).copied().flatten();
        match self.contents_at_end(index) {
            Some(contents) => self.both_ways(name, ctype, contents),
            None => {
                let before = &self.entry.objects.get(index)?.contents;
                let shown = self.memory(name, ctype, before, 0);
                let freed = MemoryView { freed: true, omitted: 0, text: None, ..shown };
                Some((freed.clone(), freed))
            }
        }
    }

    fn global_shown(&self, id: GlobalId) -> ObjectViews {
        let ctype = self.program.global(id).ctype;
        self.both_ways(self.global_name(id).0, ctype, &self.global_at_end(id))
    }

    fn fresh_at_end(&self, index: usize) -> ObjectViews {
        let object = self.outcome.fresh.get(index)?;
        let name = self.name(PointerTarget::Fresh(index as u32)).0;
        let ctype = self.reach.fresh.get(index).copied().flatten();
        match &object.contents {
            Some(contents) => self.both_ways(name, ctype, contents),
            None => {
                let freed = MemoryView { name, freed: true, ..MemoryView::default() };
                Some((freed.clone(), freed))
            }
        }
    }

    fn both_ways(&self, name: String, ctype: Option<CTypeId>, contents: &Contents) -> ObjectViews {
        let typed = self.memory(name.clone(), ctype, contents, MOST_AT_END);
        Some((typed, self.memory(name, None, contents, MOST_AT_END)))
    }
}

/// BothRuns sides of something if they differ: as their types show it, or byte by byte where the types
/// do not show the difference (padding, a union).
fn differing(old: ObjectViews, new: ObjectViews) -> Option<Pair> {
    match (old, new) {
        (None, None) => None,
        (Some((typed, bytes)), Some((other, other_bytes))) => {
            if bytes == other_bytes {
                None
            } else if typed.values != other.values || typed.freed != other.freed {
                Some((Some(typed), Some(other)))
            } else {
                Some((Some(bytes), Some(other_bytes)))
            }
        }
        (old, new) => Some((old.map(|(typed, _)| typed), new.map(|(typed, _)| typed))),
    }
}

fn same_world(old: &RunView<'_>, new: &RunView<'_>) -> bool {
    let (x, y) = (&old.outcome.world, &new.outcome.world);
    x.hash == y.hash
}

/// Adds what is not there yet under its name.
fn add(shown: &mut Vec<MemoryView>, memory: MemoryView) {
    if shown.iter().all(|m| m.name != memory.name) {
        shown.push(memory);
    }
}
