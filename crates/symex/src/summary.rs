//! What is known of one path of a callee, and what that says at a call.
//!
//! (Paper 003, section 4.) A path of a callee, found by [`Explorer`](crate::paths::Explorer), is a pair
//! (R, T) over the callee's entry state: when it is taken, and how it ends. At a call R and T are
//! *instantiated*: parameters become arguments, the world becomes the caller's, a read of the
//! callee's entry memory becomes a read of the caller's memory at the call, and the chain of the callee's
//! writes is built again on top of that memory.
//!
//! Why that is right: the callee's entry state stands for every state. Yet the caller may know more of
//! a pointer than the callee did: the object behind it ends somewhere, or a part of it has no value.
//! The accesses of the path ([`Touch`]) are kept for that; where one of them would trap, the summary does not
//! cover the call.
//!
//! What cannot be built again is no summary ([`Summary::of`] says no): paths that allocate, that call what may
//! free, whose outcome speaks of an object of their own frame, or of a value nobody has chosen.

use crate::entry::Entry;
use crate::execute::{Executor, Stop};
use crate::freed_objects::{self, FreedObjects};
use crate::memory::{Link, MemoryId};
use crate::outcome::{Exit, ExitKind};
use crate::space::{Origin, Space};
use crate::state::{State, Touch};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdiff_logic::{LogicError, Op, Sort, TermId};
use verdiff_model::Side;

/// One path of a callee, over its entry state.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The version whose path it is. The other one may use it where the two are known to be equal.
    pub side: Side,
    /// The state it starts from.
    pub entry: Rc<Entry>,
    /// When the path is taken.
    pub reachable: TermId,
    /// How it ends.
    pub kind: ExitKind,
    /// Whether each result has a value; empty if all have.
    pub set: Vec<TermId>,
    /// The memory of each region then; empty if it is as it was.
    pub memory: Vec<MemoryId>,
    /// The world then.
    pub world: TermId,
    /// What it has freed, and when.
    pub released: FreedObjects,
    /// What it has accessed.
    pub touched: Vec<Touch>,
    /// Whether it calls something that gets at memory and is itself not executed.
    pub calls: bool,
}

/// A summary at a call: when it covers it, and how the call ends then.
pub(crate) struct CoveredEnd {
    pub(crate) when: TermId,
    pub(crate) kind: ExitKind,
    pub(crate) set: Vec<TermId>,
}

impl Summary {
    /// Whether all that it says is about the arguments: it neither accesses memory nor does anything outside, so it is
    /// taken whatever memory is initialised or alive. Every access that may trap, and every value that is read,
    /// would be a function or an array in its terms.
    pub fn is_about_arguments(&self, space: &Space) -> bool {
        let ExitKind::Return(values) = &self.kind else { return false };
        let mut regions = self.memory.iter().zip(&self.entry.memory);
        let plain = regions.all(|(now, entry)| is_as_it_was(space, *now, *entry))
            && self.released.is_empty()
            && self.touched.is_empty()
            && !self.calls
            && self.world == self.entry.world;
        let given = |term: &TermId| self.entry.args.contains(term) || self.entry.set.contains(term);
        let roots: Vec<TermId> =
            [self.reachable].iter().chain(values).chain(&self.set).copied().collect();
        plain
            && space.pool.sub_terms(&roots).iter().all(|term| match space.pool.op(*term) {
                Op::Symbol(_) => given(term),
                Op::Apply(_) | Op::Select | Op::Store => false,
                _ => !matches!(space.pool.sort(*term), Sort::Array(..)),
            })
    }

    /// A path that touches no memory and does no I/O, over these parameters.
    pub fn returning(
        space: &mut Space,
        side: Side,
        parameters: &[TermId],
        reachable: TermId,
        results: Vec<TermId>,
    ) -> Result<Summary, LogicError> {
        let sort = crate::entry::world_sort(space)?;
        let world = space.pool.symbol("the world", sort)?;
        let entry = Entry { args: parameters.to_vec(), set: vec![], memory: vec![], world };
        Ok(Summary {
            side,
            entry: Rc::new(entry),
            reachable,
            kind: ExitKind::Return(results),
            set: vec![],
            memory: vec![],
            world,
            released: FreedObjects::new(),
            touched: vec![],
            calls: false,
        })
    }

    /// The summary of a finished path of version `side` that started from `entry`; `None` if it is
    /// one that cannot be used elsewhere. Only for paths of an [`Explorer`](crate::paths::Explorer): in
    /// merged execution the condition of an exit says nothing of the checks before it.
    pub fn of(
        space: &mut Space,
        side: Side,
        entry: &Rc<Entry>,
        exit: &Exit,
    ) -> Result<Option<Summary>, LogicError> {
        if exit.allocated != 0
            || exit.allocations != crate::entry::no_allocations(space)?
            || exit.lives != freed_objects::all_alive(space)?
        {
            return Ok(None);
        }
        // Memory that is gone with the frame is not looked at: after a trap nobody sees any.
        let memory = match exit.kind {
            ExitKind::Return(_) => exit.memory.clone(),
            _ => vec![],
        };
        let mut summary = Summary {
            side,
            entry: entry.clone(),
            reachable: space.and(&exit.path)?,
            kind: exit.kind.clone(),
            set: exit.set.clone(),
            memory,
            world: exit.world,
            released: exit.released.clone(),
            touched: exit.touched.clone(),
            calls: false,
        };
        let Some(terms) = summary.terms(space) else { return Ok(None) };
        summary.calls = terms.iter().any(|term| {
            let operands = space.pool.operands(*term).iter();
            matches!(space.pool.op(*term), Op::Apply(_))
                && operands.map(|t| space.pool.sort(*t)).any(|s| matches!(s, Sort::Array(_)))
        });
        Ok(summary.is_closed(space, &terms).then_some(summary))
    }

    /// All terms it speaks of. `None` if it cannot be built again.
    fn terms(&self, space: &mut Space) -> Option<Vec<TermId>> {
        let read = self.touched.iter().filter_map(|t| t.read);
        let memories: Vec<MemoryId> = self.memory.iter().copied().chain(read).collect();
        let mut roots = written_terms(space, &memories)?;
        roots.extend([self.reachable, self.world]);
        roots.extend_from_slice(&self.set);
        match &self.kind {
            ExitKind::Return(values) => roots.extend_from_slice(values),
            ExitKind::Exit(term) | ExitKind::Left(term) => roots.push(*term),
            ExitKind::Trap(_) => {}
        }
        roots.extend(self.released.iter().flat_map(|(start, when)| [*start, *when]));
        roots.extend(self.touched.iter().flat_map(|t| [t.addr, t.len]));
        Some(space.pool.sub_terms(&roots))
    }

    /// Whether all it speaks of is part of the entry state, or has a name that both the callee and
    /// its caller know it by.
    fn is_closed(&self, space: &Space, terms: &[TermId]) -> bool {
        let mut known: BTreeSet<TermId> = self.entry.args.iter().copied().collect();
        known.extend(&self.entry.set);
        known.insert(self.entry.world);
        known.extend(arrays(space, &self.entry.memory));
        terms.iter().all(|term| match space.pool.op(*term) {
            Op::Symbol(_) => match space.by_base.get(term) {
                Some(id) => !space.object_at(*id).fresh,
                None => known.contains(term),
            },
            _ => true,
        })
    }
}

/// Whether memory is that of an entry state, with constants in place.
fn is_as_it_was(space: &Space, mut memory: MemoryId, entry: MemoryId) -> bool {
    while let Link::Known { before, .. } = space.memories.link(memory) {
        memory = *before;
    }
    memory == entry
}

/// The arrays that an entry state begins with.
fn arrays(space: &Space, memory: &[MemoryId]) -> Vec<TermId> {
    let array = |id: &MemoryId| match space.memories.link(*id) {
        Link::Array(array) => Some(*array),
        _ => None,
    };
    memory.iter().filter_map(array).collect()
}

/// Whether a link only concerns an object made during the path, which is gone when it returns.
fn own_object(space: &mut Space, link: &Link) -> bool {
    let addr = match link {
        Link::Fresh { base, .. } => *base,
        Link::Store { addr, .. } | Link::Fill { addr, .. } | Link::Copy { addr, .. } => *addr,
        _ => return false,
    };
    matches!(space.origin(addr), Origin::Object(id) if space.object_at(id).fresh)
}

/// The memories that another is built from.
fn below(link: &Link) -> Vec<MemoryId> {
    match link {
        Link::Array(_) => vec![],
        Link::Choose { then, otherwise, .. } => vec![*then, *otherwise],
        Link::Copy { before, from, .. } => vec![*before, *from],
        Link::Fresh { before, .. }
        | Link::Known { before, .. }
        | Link::Store { before, .. }
        | Link::Fill { before, .. }
        | Link::Called { before, .. } => vec![*before],
    }
}

/// All terms that are needed to build these memories again, those of objects made during the path left
/// out. `None` if one copies from such an object.
fn written_terms(space: &mut Space, memory: &[MemoryId]) -> Option<Vec<TermId>> {
    let (mut work, mut seen, mut terms) = (memory.to_vec(), BTreeSet::new(), Vec::new());
    while let Some(id) = work.pop() {
        if !seen.insert(id) {
            continue;
        }
        let link = space.memories.link(id).clone();
        if own_object(space, &link) {
            work.push(below(&link)[0]);
            continue;
        }
        work.extend(below(&link));
        match link {
            Link::Array(array) => terms.push(array),
            Link::Known { .. } | Link::Fresh { .. } => {}
            Link::Store { addr, value, .. } => terms.extend([addr, value]),
            Link::Fill { addr, byte, len, .. } => terms.extend([addr, byte, len]),
            Link::Copy { addr, src, len, .. } => {
                let from_entry = match space.origin(src) {
                    Origin::Object(id) => !space.object_at(id).fresh,
                    Origin::Entry | Origin::Nothing => true,
                    Origin::Unknown => false,
                };
                if !from_entry {
                    return None;
                }
                terms.extend([addr, src, len]);
            }
            Link::Called { array, defines, .. } => terms.extend([array, defines]),
            Link::Choose { cond, .. } => terms.push(cond),
        }
    }
    Some(terms)
}

/// Terms and memories over a callee's entry state, at a call.
pub(crate) struct Instance {
    /// What each symbol and each term is here.
    pub(crate) map: HashMap<TermId, TermId>,
    /// What each entry array is here.
    arrays: HashMap<TermId, MemoryId>,
    memories: HashMap<MemoryId, MemoryId>,
    /// What must hold for the reads to be those of whole cells.
    pub(crate) aligned: Vec<TermId>,
}

impl Instance {
    /// For a callee's entry state.
    pub(crate) fn of(
        space: &Space,
        entry: &Entry,
        args: &[TermId],
        flags: &[TermId],
        state: &State,
    ) -> Instance {
        let mut map: HashMap<TermId, TermId> =
            entry.args.iter().copied().zip(args.iter().copied()).collect();
        // Where a value is taken for granted there is no symbol for it ([`Entry::presumed`]).
        let is_symbol = |set: &TermId| matches!(space.pool.op(*set), Op::Symbol(_));
        let set = entry.set.iter().copied().zip(flags.iter().copied());
        map.extend(set.filter(|(set, _)| is_symbol(set)));
        map.insert(entry.world, state.world);
        let mut arrays = HashMap::new();
        for (id, here) in entry.memory.iter().zip(&state.memory) {
            if let Link::Array(array) = space.memories.link(*id) {
                arrays.insert(*array, *here);
            }
        }
        Instance { map, arrays, memories: HashMap::new(), aligned: vec![] }
    }

    /// A term at the call.
    pub(crate) fn term(&mut self, space: &mut Space, root: TermId) -> Result<TermId, LogicError> {
        for term in space.pool.sub_terms(&[root]) {
            if self.map.contains_key(&term) || self.arrays.contains_key(&term) {
                continue;
            }
            let op = space.pool.op(term);
            let operands = space.pool.operands(term).to_vec();
            let here = if let (Op::Select, Some(memory)) =
                (op, operands.first().and_then(|a| self.arrays.get(a)).copied())
            {
                let at = self.whole(space, operands[1])?;
                self.read(space, memory, at)?
            } else if operands.is_empty() {
                term
            } else {
                let mut moved = Vec::with_capacity(operands.len());
                for operand in &operands {
                    moved.push(self.whole(space, *operand)?);
                }
                if moved == operands { term } else { space.pool.apply_op(op, &moved)? }
            };
            self.map.insert(term, here);
        }
        let here = self.whole(space, root)?;
        space.tidy(here)
    }

    /// A term that has been looked at; an entry array becomes the whole memory.
    fn whole(&self, space: &mut Space, term: TermId) -> Result<TermId, LogicError> {
        match self.arrays.get(&term) {
            Some(memory) => space.to_array(*memory),
            None => Ok(self.map[&term]),
        }
    }

    /// One cell of the caller's memory.
    fn read(
        &mut self,
        space: &mut Space,
        memory: MemoryId,
        at: TermId,
    ) -> Result<TermId, LogicError> {
        let cell = space.memories.cell(memory);
        if cell > 1 && space.trailing_zeros(at) < cell.trailing_zeros() {
            let mask = space.pool.bits(64, u128::from(cell - 1))?;
            let rest = space.pool.bv_and(at, mask)?;
            let zero = space.pool.bits(64, 0)?;
            let multiple = space.pool.eq(rest, zero)?;
            self.aligned.push(multiple);
        }
        let value = space.read(memory, at, cell, true)?;
        space.tidy(value)
    }

    /// A memory at the call: the callee's writes on top of the caller's memory.
    fn memory(&mut self, space: &mut Space, root: MemoryId) -> Result<MemoryId, LogicError> {
        // With a stack of our own: a chain may be thousands of links long.
        let mut stack = vec![root];
        while let Some(id) = stack.last().copied() {
            if self.memories.contains_key(&id) {
                stack.pop();
                continue;
            }
            let link = space.memories.link(id).clone();
            let own = own_object(space, &link);
            let mut needs = below(&link);
            if own {
                needs.truncate(1);
            }
            let missing: Vec<MemoryId> =
                needs.into_iter().filter(|n| !self.memories.contains_key(n)).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let here =
                if own { self.memories[&below(&link)[0]] } else { self.link(space, link, id)? };
            self.memories.insert(id, here);
            stack.pop();
        }
        Ok(self.memories[&root])
    }

    fn link(
        &mut self,
        space: &mut Space,
        link: Link,
        id: MemoryId,
    ) -> Result<MemoryId, LogicError> {
        let link = match link {
            Link::Array(array) => {
                if let Some(here) = self.arrays.get(&array) {
                    return Ok(*here);
                }
                let cell = space.memories.cell(id);
                let array = self.term(space, array)?;
                return Ok(space.memories.array(array, cell));
            }
            // The caller has its own version's constants in place.
            Link::Known { before, .. } | Link::Fresh { before, .. } => {
                return Ok(self.memories[&before]);
            }
            Link::Choose { cond, then, otherwise } => {
                let cond = self.term(space, cond)?;
                let (then, otherwise) = (self.memories[&then], self.memories[&otherwise]);
                return Ok(space.memories.choose(cond, then, otherwise));
            }
            Link::Store { before, addr, value, bytes, aligned } => {
                let (addr, value) = (self.term(space, addr)?, self.term(space, value)?);
                Link::Store { before: self.memories[&before], addr, value, bytes, aligned }
            }
            Link::Fill { before, addr, byte, len } => {
                let (addr, byte) = (self.term(space, addr)?, self.term(space, byte)?);
                let len = self.term(space, len)?;
                Link::Fill { before: self.memories[&before], addr, byte, len }
            }
            Link::Copy { before, addr, from, src, len } => {
                let (addr, src) = (self.term(space, addr)?, self.term(space, src)?);
                let len = self.term(space, len)?;
                let (before, from) = (self.memories[&before], self.memories[&from]);
                Link::Copy { before, addr, from, src, len }
            }
            Link::Called { before, array, defines } => {
                let (array, defines) = (self.term(space, array)?, self.term(space, defines)?);
                Link::Called { before: self.memories[&before], array, defines }
            }
        };
        let (Link::Store { before, .. }
        | Link::Fill { before, .. }
        | Link::Copy { before, .. }
        | Link::Called { before, .. }) = link
        else {
            return Ok(id);
        };
        Ok(space.memories.write(before, link))
    }
}

impl Executor<'_> {
    /// What a summary says of a call; `state` becomes what it is at the path's end. `None` if it says
    /// nothing.
    pub(crate) fn instantiate(
        &mut self,
        summary: &Summary,
        args: &[TermId],
        flags: &[TermId],
        state: &mut State,
    ) -> Result<Option<CoveredEnd>, Stop> {
        // What it calls would have to know what is dead.
        let all_alive = state.lives == freed_objects::all_alive(self.space)?;
        if summary.calls && !(state.released.is_empty() && state.freed.is_empty() && all_alive) {
            return Ok(None);
        }
        let before = state.clone();
        let mut at = Instance::of(self.space, &summary.entry, args, flags, &before);
        let mut when = vec![at.term(self.space, summary.reachable)?];
        // Nothing was said of arguments without a value that were taken to have one.
        when.extend(summary.entry.presumed(self.space, flags));
        for touch in &summary.touched {
            when.push(self.touch(&mut at, touch, &before, state)?);
        }
        let kind = match &summary.kind {
            ExitKind::Return(values) => {
                let values = values.iter().map(|v| at.term(self.space, *v));
                ExitKind::Return(values.collect::<Result<_, _>>()?)
            }
            ExitKind::Trap(trap) => ExitKind::Trap(*trap),
            ExitKind::Exit(status) => ExitKind::Exit(at.term(self.space, *status)?),
            ExitKind::Left(how) => ExitKind::Left(at.term(self.space, *how)?),
        };
        let mut set = Vec::new();
        for flag in &summary.set {
            set.push(at.term(self.space, *flag)?);
        }
        state.world = at.term(self.space, summary.world)?;
        for (region, memory) in summary.memory.iter().enumerate() {
            state.memory[region] = at.memory(self.space, *memory)?;
        }
        if summary.calls {
            self.keep_constants(state)?;
        }
        let falsity = self.space.pool.falsity();
        for (start, freed) in &summary.released {
            let (start, freed) = (at.term(self.space, *start)?, at.term(self.space, *freed)?);
            let made = self.space.built_from(&[start]);
            match self.space.origin(start) {
                Origin::Object(id) => {
                    let object = self.space.object_at(id);
                    if object.base != start || !object.fresh || !object.outlives {
                        return Ok(None);
                    }
                    let dead = state.freed.get(&id).copied().unwrap_or(falsity);
                    let twice = self.space.and(&[dead, freed])?;
                    when.push(self.space.not(twice)?);
                    state.freed.insert(id, self.space.or(&[dead, freed])?);
                }
                _ if made.iter().any(|id| self.space.object_at(*id).fresh) => return Ok(None),
                _ => {
                    let dead = self.dead_at(&before, start)?;
                    let twice = self.space.and(&[dead, freed])?;
                    when.push(self.space.not(twice)?);
                    let dead = state.released.get(&start).copied().unwrap_or(falsity);
                    state.released.insert(start, self.space.or(&[dead, freed])?);
                }
            }
        }
        when.append(&mut at.aligned);
        let when = self.space.and(&when)?;
        let when = self.space.tidy(when)?;
        self.limit()?;
        Ok((when != falsity).then_some(CoveredEnd { when, kind, set }))
    }

    /// Whether an access of the path is a good one from here, `before` being the state at the call. It is
    /// an access of the caller's path, too.
    fn touch(
        &mut self,
        at: &mut Instance,
        touch: &Touch,
        before: &State,
        state: &mut State,
    ) -> Result<TermId, Stop> {
        let addr = at.term(self.space, touch.addr)?;
        let len = at.term(self.space, touch.len)?;
        if let Some(memory) = touch.read {
            let memory = at.memory(self.space, memory)?;
            self.note_touch(state, Some(memory), addr, len, touch.align, touch.write);
            let Some(bytes) = self.space.constant(len) else {
                return Ok(self.space.pool.falsity());
            };
            return Ok(self.space.is_defined(memory, addr, bytes as u32)?);
        }
        self.note_touch(state, None, addr, len, touch.align, touch.write);
        let good = self.checks(before, addr, len, touch.align, touch.write)?;
        let good: Vec<TermId> = good.into_iter().map(|(ok, _)| ok).collect();
        Ok(self.space.and(&good)?)
    }
}
