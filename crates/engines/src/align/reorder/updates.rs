//! Updates: what a move of a version does to its data, as a function of the numbers of the iterations around it.

use super::counted::Counted;
use super::order::distance;
use super::shape::{Map, Move, Nest, Version, put, symbols, width};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{LogicError, Op, Sort, TermId};
use verdiff_symex::record::AccessRecord;
use verdiff_symex::space::Space;

/// How many comparisons of a counter are looked at.
const MOST_COMPARED: usize = 4;

/// The data of a run: variables by their names, and the arrays of written regions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    pub slots: BTreeMap<String, TermId>,
    pub arrays: BTreeMap<usize, TermId>,
}

/// Symbols of this rule alone. A parameter of the program may have any name, so theirs are made anew: one that is taken for the number
/// of an iteration would be replaced by other numbers.
#[derive(Default)]
pub struct OwnSymbols(BTreeMap<String, TermId>);

impl OwnSymbols {
    /// The symbol of this name and sort.
    pub fn get(&mut self, space: &mut Space, name: &str, sort: Sort) -> Result<TermId, LogicError> {
        let key = format!("{name} {sort:?}");
        if let Some(known) = self.0.get(&key) {
            return Ok(*known);
        }
        let symbol = space.pool.fresh_symbol(name, sort)?;
        self.0.insert(key, symbol);
        Ok(symbol)
    }
}

/// A loop around an update. Its terms are over the entry and the numbers of the loops further out.
#[derive(Clone)]
pub struct Around {
    pub number: TermId,
    pub count: TermId,
    /// What changes by the same in each iteration: its name, what it is at first, and by what.
    pub counters: Vec<(String, [TermId; 2])>,
}

/// Where something happens in an iteration: the order of loops and moves in its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// For each loop around, where it is in the body of the loop around that, and last where the move is.
    pub places: Vec<u32>,
}

/// A move in the loops around it.
#[derive(Clone)]
pub struct Update {
    pub around: Vec<Around>,
    pub position: Position,
    pub moved: Move,
    /// The control variables where it begins, over the entry and the numbers of the loops around.
    pub control: Map,
    /// Their names.
    pub names: Vec<(String, TermId)>,
    /// The data variables where it begins, and where it leads.
    from: Vec<(String, TermId)>,
    /// What is accessed where it begins.
    pub accesses: Vec<AccessRecord>,
    to: Vec<(String, usize)>,
}

/// When a trap ends a run in a place, in the loops around it. In the last of them the number may be as large as the count: the
/// loop is left then.
#[derive(Clone)]
pub struct Trap {
    pub around: Vec<Around>,
    pub when: TermId,
    pub how: TermId,
    /// Whether it is at the head of the last loop around.
    pub at_head: bool,
}

/// A version with its updates.
#[derive(Clone)]
pub struct Updates {
    /// What changes data in loops and between them.
    pub all: Vec<Update>,
    pub traps: Vec<Trap>,
    /// From the start to the first loop.
    pub first: Update,
    /// From the last loop to the end.
    pub last: Update,
    /// The data variables, with their sorts.
    pub slots: BTreeMap<String, Sort>,
    /// The arrays of written regions, as symbols.
    pub written: BTreeMap<usize, TermId>,
    /// When the loops are reached.
    pub entered: TermId,
}

impl Update {
    /// The data behind it, in the iterations with these numbers.
    pub fn apply(
        &self,
        space: &mut Space,
        memory: &BTreeMap<usize, TermId>,
        numbers: &[TermId],
        data: &Data,
    ) -> Result<Data, LogicError> {
        let map = self.places(space, memory, numbers, data)?;
        let mut next = data.clone();
        for (name, index) in &self.to {
            let value = put(space, self.moved.values[*index], &map)?;
            next.slots.insert(name.clone(), value);
        }
        for (region, array) in &mut next.arrays {
            *array = put(space, self.moved.arrays[*region], &map)?;
        }
        Ok(next)
    }

    /// The numbers of the iterations that the code looks for in a single loop: where a counter equals something that is the same in all
    /// iterations, how often it was changed until then.
    pub fn compared_counts(&self, space: &mut Space) -> Result<Vec<TermId>, LogicError> {
        let [around] = &self.around[..] else { return Ok(vec![]) };
        let roots: Vec<TermId> =
            self.moved.values.iter().chain(&self.moved.arrays).copied().collect();
        let mut found = vec![];
        for term in space.pool.sub_terms(&roots) {
            let [left, right] = *space.pool.operands(term) else { continue };
            if space.pool.op(term) != Op::Eq || width(&space.pool, left).is_none() {
                continue;
            }
            for (counter, other) in [(left, right), (right, left)] {
                let Some(value) = self.control.get(&counter) else { continue };
                let is_named = |name: &str| self.names.iter().any(|(n, v)| n == name && v == value);
                let known = around.counters.iter().find(|(name, _)| is_named(name));
                let Some((_, [first, step])) = known else { continue };
                let other = put(space, other, &self.control)?;
                if symbols(&space.pool, &[other]).contains(&around.number) {
                    continue;
                }
                found.extend(distance(space, *first, *step, other)?);
            }
        }
        found.dedup();
        found.truncate(MOST_COMPARED);
        Ok(found)
    }

    /// What variables and memories are where it begins.
    pub fn places(
        &self,
        space: &mut Space,
        memory: &BTreeMap<usize, TermId>,
        numbers: &[TermId],
        data: &Data,
    ) -> Result<Map, LogicError> {
        let numbered = self.numbered(numbers);
        let mut map = Map::new();
        for (symbol, term) in &self.control {
            map.insert(*symbol, put(space, *term, &numbered)?);
        }
        for (name, symbol) in &self.from {
            if let Some(value) = data.slots.get(name) {
                map.insert(*symbol, *value);
            }
        }
        for (region, symbol) in memory {
            map.insert(*symbol, data.arrays[region]);
        }
        Ok(map)
    }

    /// The numbers of the loops around, replaced by these.
    pub fn numbered(&self, numbers: &[TermId]) -> Map {
        numbered(&self.around, numbers)
    }

    /// Its own numbers.
    pub fn numbers(&self) -> Vec<TermId> {
        self.around.iter().map(|around| around.number).collect()
    }
}

/// The numbers of loops, replaced by these.
pub fn numbered(around: &[Around], numbers: &[TermId]) -> Map {
    around.iter().map(|around| around.number).zip(numbers.iter().copied()).collect()
}

/// That these are numbers of iterations.
pub fn within(
    space: &mut Space,
    around: &[Around],
    numbers: &[TermId],
    last_may_be_count: bool,
) -> Result<TermId, LogicError> {
    let map = numbered(around, numbers);
    let mut all = vec![];
    for (index, around) in around.iter().enumerate() {
        let count = put(space, around.count, &map)?;
        all.push(match last_may_be_count && index + 1 == numbers.len() {
            true => space.pool.bv_ule(numbers[index], count)?,
            false => space.pool.bv_ult(numbers[index], count)?,
        });
    }
    space.and(&all)
}

/// Walks through a version.
pub struct Walk<'v> {
    version: &'v Version,
    data: &'v BTreeSet<TermId>,
    all: Vec<Update>,
    traps: Vec<Trap>,
    slots: BTreeMap<String, Sort>,
}

/// Where a walk is: the loops around, and the numbers of all loops that it passed replaced.
#[derive(Clone)]
struct At {
    around: Vec<Around>,
    places: Vec<u32>,
}

impl<'v> Walk<'v> {
    /// The updates of a version, with what its loops count.
    pub fn through(
        space: &mut Space,
        version: &'v Version,
        data: &'v BTreeSet<TermId>,
        loops: &[Counted],
    ) -> Result<Option<Updates>, LogicError> {
        let mut slots = BTreeMap::new();
        for place in version.places.values() {
            for (param, name) in place.params.iter().zip(&place.names) {
                if data.contains(param) {
                    slots.insert(name.clone(), space.pool.sort(*param));
                }
            }
        }
        let mut walk = Walk { version, data, all: vec![], traps: vec![], slots };
        let start = super::super::CutPoint::Start;
        let outside = At { around: vec![], places: vec![] };
        // What has no loops reaches none.
        let head = loops.first().map_or(super::super::CutPoint::End, |first| first.nest.head);
        let moved = version.places[&start].move_to(head);
        let Some(moved) = moved.cloned() else { return Ok(None) };
        let entered = if loops.is_empty() { space.pool.falsity() } else { moved.when };
        let first = walk.update(start, moved, &outside, 0, Map::new());
        let at_start = version.places[&start].trap;
        if let Some([when, how]) = at_start {
            walk.traps.push(Trap { around: vec![], when, how, at_head: false });
        }
        walk.sequence(space, loops, &outside, &Map::new())?;
        // The last move is that to the end.
        let last = walk.all.pop().unwrap_or_else(|| first.clone());
        let regions = version.written.iter();
        let written = regions.map(|region| (*region, version.memory[*region])).collect();
        let (all, traps, slots) = (walk.all, walk.traps, walk.slots);
        Ok(Some(Updates { all, traps, first, last, slots, written, entered }))
    }

    /// Loops one after the other. `outer` are the variables of the loop around.
    fn sequence(
        &mut self,
        space: &mut Space,
        loops: &[Counted],
        at: &At,
        outer: &Map,
    ) -> Result<(), LogicError> {
        for (index, counted) in loops.iter().enumerate() {
            let place = &self.version.places[&counted.nest.head];
            let count = put(space, counted.count, outer)?;
            let mut counters = vec![];
            let mut control = Map::new();
            for (n, param) in place.params.iter().enumerate() {
                if let Some(value) = counted.values[n] {
                    control.insert(*param, put(space, value, outer)?);
                }
                if let Some([first, step]) = counted.parts[n] {
                    let parts = [put(space, first, outer)?, put(space, step, outer)?];
                    counters.push((place.names[n].clone(), parts));
                }
            }
            let around = Around { number: counted.number, count, counters };
            let position = 2 * index as u32 + 1;
            let mut inside = at.clone();
            inside.around.push(around);
            inside.places.push(position);
            if let Some([when, how]) = place.trap {
                let (when, how) = (put(space, when, &control)?, put(space, how, &control)?);
                let around = inside.around.clone();
                self.traps.push(Trap { around, when, how, at_head: true });
            }
            let Nest { head, stay, exit, .. } = counted.nest;
            if let Some(moved) = place.move_to(stay).cloned() {
                let update = self.update(head, moved, &inside, 0, control.clone());
                self.all.push(update);
            }
            self.sequence(space, &counted.inner, &inside, &control)?;
            if let Some(moved) = place.move_to(exit).cloned() {
                let ended: Map = [(counted.number, count)].into_iter().collect();
                let mut control = control;
                for value in control.values_mut() {
                    *value = put(space, *value, &ended)?;
                }
                let update = self.update(head, moved, at, position + 1, control);
                self.all.push(update);
            }
        }
        Ok(())
    }

    fn update(
        &self,
        from: super::super::CutPoint,
        moved: Move,
        at: &At,
        position: u32,
        control: Map,
    ) -> Update {
        let places = &self.version.places;
        let is_data = |param: &TermId| self.data.contains(param);
        let named = |at| -> Vec<(String, TermId)> {
            let place = places.get(&at);
            let pairs = place.iter().flat_map(|p| p.names.iter().cloned().zip(p.params.clone()));
            pairs.collect()
        };
        let of = |at| named(at).into_iter().filter(|(_, param)| is_data(param));
        let to = named(moved.to).into_iter().enumerate();
        let to = to.filter(|(_, (_, param))| is_data(param));
        let names = named(from).into_iter();
        let names = names.filter_map(|(name, param)| Some((name, *control.get(&param)?)));
        let mut positions = at.places.clone();
        positions.push(position);
        Update {
            around: at.around.clone(),
            position: Position { places: positions },
            from: of(from).collect(),
            accesses: places.get(&from).map_or(vec![], |place| place.accesses.clone()),
            to: to.map(|(index, (name, _))| (name, index)).collect(),
            names: names.collect(),
            moved,
            control,
        }
    }
}

impl Updates {
    /// That an update has an iteration with these numbers.
    pub fn iterates(
        &self,
        space: &mut Space,
        update: &Update,
        numbers: &[TermId],
    ) -> Result<TermId, LogicError> {
        let within = within(space, &update.around, numbers, false)?;
        space.and(&[self.entered, within])
    }

    /// The data of any state, as symbols.
    pub fn any_data(&self, space: &mut Space, own: &mut OwnSymbols) -> Result<Data, LogicError> {
        let mut data = Data { slots: BTreeMap::new(), arrays: BTreeMap::new() };
        for (name, sort) in &self.slots {
            let symbol = own.get(space, &format!("data.{name}"), *sort)?;
            data.slots.insert(name.clone(), symbol);
        }
        for (region, array) in &self.written {
            let sort = space.pool.sort(*array);
            let symbol = own.get(space, &format!("data.memory.{region}"), sort)?;
            data.arrays.insert(*region, symbol);
        }
        Ok(data)
    }

    /// The symbols that are data where an update begins.
    pub fn data_symbols(&self, update: &Update) -> BTreeSet<TermId> {
        let slots = update.from.iter().map(|(_, symbol)| *symbol);
        slots.chain(self.written.values().copied()).collect()
    }

    /// Leaves out what changes nothing.
    pub fn keep_changes(
        &mut self,
        space: &mut Space,
        own: &mut OwnSymbols,
    ) -> Result<(), LogicError> {
        let data = self.any_data(space, own)?;
        let mut kept = vec![];
        for update in std::mem::take(&mut self.all) {
            if update.apply(space, &self.written, &update.numbers(), &data)? != data {
                kept.push(update);
            }
        }
        self.all = kept;
        Ok(())
    }

    /// Gives data variables other names.
    pub fn rename(&mut self, names: &BTreeMap<String, String>) {
        let new = |name: &String| names.get(name).unwrap_or(name).clone();
        let own = [&mut self.first, &mut self.last];
        for update in self.all.iter_mut().chain(own) {
            update.from.iter_mut().for_each(|(name, _)| *name = new(name));
            update.to.iter_mut().for_each(|(name, _)| *name = new(name));
        }
        let slots = std::mem::take(&mut self.slots);
        self.slots = slots.into_iter().map(|(name, sort)| (new(&name), sort)).collect();
    }

    /// Whether any term of the traps speaks of data.
    pub fn traps_on_data(&self, space: &Space, data: &BTreeSet<TermId>) -> bool {
        let of_loops = self.traps.iter().filter(|trap| !trap.around.is_empty());
        let terms: Vec<TermId> = of_loops.flat_map(|trap| [trap.when, trap.how]).collect();
        !symbols(&space.pool, &terms).is_disjoint(data)
    }
}
