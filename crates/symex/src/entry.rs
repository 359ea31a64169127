//! The entry state: parameters, memory and world that both versions start from.

use crate::execute::{Executor, Stop};
use crate::memory::{Contents, Link, MemoryId};
use crate::regions::Regions;
use crate::space::Space;
use crate::state::State;
use crate::translate;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_logic::{EntrySymbol, LogicError, Op, Sort, TermId};
use verdiff_model::{Address, Callee, Expr, GlobalId, Init, ProcId, Procedure, StmtKind};

/// Larger contents are not written down byte by byte.
pub(crate) const MAX_CONTENTS: u64 = 1 << 16;

/// What both versions start from.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The parameters, by position.
    pub args: Vec<TermId>,
    /// Whether each of them has a value; empty if all have.
    pub set: Vec<TermId>,
    /// The array of each region.
    pub memory: Vec<MemoryId>,
    /// The world.
    pub world: TermId,
}

impl Entry {
    /// The entry state of a procedure: a symbol for each parameter (named as it is), an
    /// array for each region, a world.
    pub fn of(space: &mut Space, regions: &Regions, proc: &Procedure) -> Result<Entry, LogicError> {
        Entry::named(space, regions, proc, "")
    }

    /// The same with `prefix` before the name of each parameter. A callee that is looked at in the
    /// space of its caller needs one: their parameters may have one name and two types.
    pub fn named(
        space: &mut Space,
        regions: &Regions,
        proc: &Procedure,
        prefix: &str,
    ) -> Result<Entry, LogicError> {
        let mut args = Vec::new();
        for (param, name) in proc.params.iter().zip(Entry::parameter_names(proc)) {
            let sort = translate::sort_of(proc.var(*param).ty);
            let term = space.pool.symbol(&format!("{prefix}{name}"), sort)?;
            space.note_entry(term);
            args.push(term);
        }
        let mut memory = Vec::new();
        for region in regions.ids() {
            let info = regions.info(region);
            let cell = info.cell.bytes();
            let sort = space.array_sort(cell)?;
            let array = space.pool.symbol(&EntrySymbol::Memory(&info.name).name(), sort)?;
            space.note_entry(array);
            memory.push(if space.is_any_call() {
                let sort = space.flags_sort()?;
                let flags = space.pool.symbol(&format!("initialised.{}", info.name), sort)?;
                space.memories.partly_initialised(array, cell, flags)
            } else {
                space.memories.array(array, cell)
            });
        }
        let sort = space.pool.uninterpreted_sort("World")?;
        let world = space.pool.symbol("the world", sort)?;
        Ok(Entry { args, set: vec![], memory, world })
    }

    /// What parameters are called in formulas. One may have no name, or a part of a struct another's, or one that something else
    /// has in formulas: each is a symbol of its own.
    pub fn parameter_names(proc: &Procedure) -> Vec<String> {
        let mut taken = BTreeSet::new();
        let mut names = vec![];
        for (index, param) in proc.params.iter().enumerate() {
            let name = &proc.var(*param).name;
            let plain = EntrySymbol::is_parameter_name(name) && taken.insert(name.clone());
            names.push(if plain { name.clone() } else { EntrySymbol::numbered(name, index) });
        }
        names
    }

    /// The same for a procedure that was outlined: its parameters may be variables of its parent that have no value
    /// yet. Of those that `unset` says so of (by position; all beyond its end) whether each has one is a symbol; the others have one.
    pub fn with_unset(mut self, space: &mut Space, unset: &[bool]) -> Result<Entry, LogicError> {
        self.set.clear();
        for (index, arg) in self.args.iter().enumerate() {
            self.set.push(match space.pool.op(*arg) {
                Op::Symbol(id) if unset.get(index).copied().unwrap_or(true) => {
                    let name = format!("set.{}", space.pool.symbol_name(id));
                    space.pool.symbol(&name, Sort::Bool)?
                }
                _ => space.pool.truth(),
            });
        }
        Ok(self)
    }

    /// Of the flags of a call those that must hold for anything that is said over this entry state to be said of the call: of
    /// parameters that are taken to have a value.
    pub(crate) fn presumed(&self, space: &Space, flags: &[TermId]) -> Vec<TermId> {
        let truth = space.pool.truth();
        let taken = |index: usize| self.set.get(index).is_none_or(|set| *set == truth);
        flags.iter().enumerate().filter(|(index, _)| taken(*index)).map(|(_, flag)| *flag).collect()
    }
}

impl Executor<'_> {
    /// The terms and objects that it makes.
    pub fn space(&mut self) -> &mut Space {
        self.space
    }

    /// The state at the entry of `proc`: the shared entry state, with the contents of this
    /// version's constants in place. If `initialised`, every global has its initial value
    /// (as it has when `main` starts).
    pub fn entry_state(
        &mut self,
        entry: &Entry,
        proc: ProcId,
        initialised: bool,
    ) -> Result<State, Stop> {
        let mut state = State {
            roles: Rc::from([]),
            vars: vec![],
            set: BTreeMap::new(),
            memory: entry.memory.clone(),
            world: entry.world,
            freed: BTreeMap::new(),
            released: BTreeMap::new(),
            lives: crate::freed_objects::all_alive(self.space)?,
            allocations: no_allocations(self.space)?,
            allocated: 0,
            requests: self.space.pool.bits(32, 0)?,
            touched: vec![],
            frames: 0,
        };
        for id in self.globals_behind(proc) {
            let global = self.program.global(id);
            let Some(init) = &global.init else { continue };
            if global.constant {
                self.constants.push(id);
            }
            if global.constant || initialised {
                self.place(&mut state, id, init)?;
            }
        }
        Ok(state)
    }

    /// Constants keep their contents whatever an external function does to the memory they
    /// lie in.
    pub(crate) fn keep_constants(&mut self, state: &mut State) -> Result<(), Stop> {
        for id in self.constants.clone() {
            if let Some(init) = &self.program.global(id).init {
                self.place(state, id, init)?;
            }
        }
        Ok(())
    }

    /// The globals that a procedure and those it calls may name, in order.
    fn globals_behind(&self, proc: ProcId) -> BTreeSet<GlobalId> {
        let mut globals = BTreeSet::new();
        let mut seen = BTreeSet::from([proc]);
        let mut work = vec![proc];
        let mut named: Vec<Address> = Vec::new();
        while let Some(id) = work.pop() {
            let body = self.program.procedure(id);
            let mut look = |e: &Expr| {
                e.walk(&mut |e| {
                    if let Expr::Address(a) = e {
                        named.push(*a);
                    }
                });
            };
            for block in &body.blocks {
                for stmt in &block.stmts {
                    stmt.kind.exprs().into_iter().for_each(&mut look);
                    if let StmtKind::Call { callee: Callee::Procedure(callee), .. } = &stmt.kind {
                        named_procedure(&mut seen, &mut work, *callee);
                    }
                }
                block.end.kind.exprs().into_iter().for_each(&mut look);
            }
        }
        // What a constant points to may be reached through it.
        while let Some(address) = named.pop() {
            if let Address::Global(id) = address
                && globals.insert(id)
                && let Some(init) = &self.program.global(id).init
            {
                named.extend(init.relocations.iter().map(|r| r.target));
            }
        }
        globals
    }

    /// Puts the initial contents of a global into memory.
    fn place(&mut self, state: &mut State, id: GlobalId, init: &Init) -> Result<(), Stop> {
        let global = self.program.global(id);
        let object = self.global_object(id)?;
        if global.size > MAX_CONTENTS {
            return self.place_whole(state, id, object);
        }
        let mut bytes = Vec::with_capacity(global.size as usize);
        for at in 0..global.size as usize {
            let byte = init.bytes.get(at).copied().unwrap_or(0);
            bytes.push(self.space.pool.bits(8, byte.into())?);
        }
        for relocation in &init.relocations {
            let base = self.constant_address(relocation.target)?;
            let addend = self.space.pool.bits(64, relocation.addend as u64 as u128)?;
            let address = self.space.add(base, addend)?;
            for index in 0..8u32 {
                let byte = self.space.pool.extract(index * 8 + 7, index * 8, address)?;
                if let Some(place) = bytes.get_mut(relocation.offset as usize + index as usize) {
                    *place = byte;
                }
            }
        }
        let (base, size) = (self.space.object_at(object).base, self.space.object_at(object).size);
        let region = self.regions.of_global(self.side, id).index();
        let before = state.memory[region];
        let contents = Rc::new(Contents { bytes, size });
        state.memory[region] =
            self.space.memories.write(before, Link::Known { before, base, contents });
        Ok(())
    }

    /// Contents too large to be written down byte by byte: an array of which nothing is known but its name, which is made from
    /// the contents. Equal contents are one array, others another.
    fn place_whole(
        &mut self,
        state: &mut State,
        id: GlobalId,
        object: crate::space::ObjectId,
    ) -> Result<(), Stop> {
        let contents = self.program.contents(id, &|id| self.procedure_name(id));
        let region = self.regions.of_global(self.side, id).index();
        let cell = self.cell(region);
        let sort = self.space.array_sort(cell)?;
        let name = format!("contents.{contents:032x}.{cell}");
        let array = self.space.pool.symbol(&name, sort)?;
        let from = self.space.memories.array(array, cell);
        let (base, len) = (self.space.object_at(object).base, self.space.object_at(object).size);
        let before = state.memory[region];
        let link = Link::Copy { before, addr: base, from, src: base, len };
        state.memory[region] = self.space.memories.write(before, link);
        Ok(())
    }
}

fn named_procedure(seen: &mut BTreeSet<ProcId>, work: &mut Vec<ProcId>, id: ProcId) {
    if seen.insert(id) {
        work.push(id);
    }
}

/// That nothing was called which may have allocated.
pub(crate) fn no_allocations(space: &mut Space) -> Result<TermId, LogicError> {
    let sort = space.pool.uninterpreted_sort("Allocations")?;
    space.pool.symbol("no allocations", sort)
}

/// The sort of worlds.
pub fn world_sort(space: &mut Space) -> Result<Sort, LogicError> {
    space.pool.uninterpreted_sort("World")
}
