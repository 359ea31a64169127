//! Objects that a run did not make but has ended: what `free` of a pointer of the entry state does.
//!
//! Nothing is known of such an object but its address, so three functions, common to both
//! versions, say what there is to say of the entry state:
//!
//! - `object.start(a)`: where the object begins that `a` lies in;
//! - `object.heap(a)`: whether an object of the heap begins at `a`;
//! - `object.dead(l, a)`: whether what begins at `a` is dead once the calls `l` were made: of callees
//!   and externals that may free, and of which no more is known.
//!
//! Why that is right: the truth is one meaning of these functions, and whatever is proved is proved for
//! every meaning. Two facts are used besides. What lies behind a pointer, in the distance of a
//! constant, lies in its object (C lets it reach no other, docs/internals/semantics.md). And the object that
//! was released begins at the address it was released by, for the run has trapped otherwise.

use crate::execute::{Construct, Executor, Flow, Stop};
use crate::memory::{Link, MemoryId};
use crate::outcome::Exit;
use crate::space::{NULL_ZONE, ObjectId, Origin, Space};
use crate::state::{Path, State};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use verdiff_logic::{LogicError, Op, Sort, TermId};
use verdiff_model::{Loc, Trap};

/// Where the objects begin that were freed, and when.
pub type FreedObjects = BTreeMap<TermId, TermId>;

/// What is to be done for one of the addresses that a pointer may be.
enum Release {
    Nothing,
    Object(ObjectId),
    Entry(TermId),
}

impl Space {
    /// Where the object begins that an address lies in.
    pub(crate) fn object_start(&mut self, addr: TermId) -> Result<TermId, LogicError> {
        let (root, offset) = self.split(addr)?;
        let near = offset < NULL_ZONE && self.constant(root).is_none();
        let addr = if near { root } else { addr };
        self.function_call("object.start", &[addr], Sort::BitVec(64))
    }

    /// Whether an address is `start`, or a constant and small distance behind it: if it is accessed at
    /// all, it lies in the same object.
    fn is_behind(&mut self, addr: TermId, start: TermId) -> Result<bool, LogicError> {
        let ((root, at), (other, from)) = (self.split(addr)?, self.split(start)?);
        let near = at.wrapping_sub(from) < NULL_ZONE && self.constant(root).is_none();
        Ok(addr == start || root == other && near)
    }

    /// A memory without what was written into objects that are dead in the end (where each begins,
    /// and when): nobody can read it any more. What was written there was written without a trap, so it
    /// does lie in the object.
    pub(crate) fn without_dead(
        &mut self,
        root: MemoryId,
        dead: &[(TermId, TermId)],
    ) -> Result<MemoryId, LogicError> {
        let mut done: HashMap<MemoryId, MemoryId> = HashMap::new();
        let mut stack = vec![root];
        while let Some(id) = stack.last().copied() {
            let mut link = self.memories.link(id).clone();
            let needs = match &link {
                Link::Choose { then, otherwise, .. } => vec![*then, *otherwise],
                Link::Array(_) | Link::Called { .. } => vec![],
                Link::Fresh { before, .. }
                | Link::Known { before, .. }
                | Link::Store { before, .. }
                | Link::Fill { before, .. }
                | Link::Copy { before, .. } => vec![*before],
            };
            let missing: Vec<MemoryId> =
                needs.iter().filter(|n| !done.contains_key(n)).copied().collect();
            if done.contains_key(&id) || !missing.is_empty() {
                if missing.is_empty() {
                    stack.pop();
                }
                stack.extend(missing);
                continue;
            }
            let mut here = id;
            match &mut link {
                Link::Choose { cond, then, otherwise } => {
                    here = self.memories.choose(*cond, done[then], done[otherwise]);
                }
                Link::Array(_) | Link::Called { .. } => {}
                Link::Fresh { before, .. } | Link::Known { before, .. } => {
                    *before = done[before];
                    here = self.memories.write(*before, link.clone());
                }
                Link::Store { before, addr, .. }
                | Link::Fill { before, addr, .. }
                | Link::Copy { before, addr, .. } => {
                    *before = done[before];
                    let (before, addr) = (*before, *addr);
                    here = self.memories.write(before, link.clone());
                    for (start, when) in dead {
                        if self.is_behind(addr, *start)? {
                            here = match *when == self.pool.truth() {
                                true => before,
                                false => self.memories.choose(*when, before, here),
                            };
                        }
                    }
                }
            }
            done.insert(id, here);
            stack.pop();
        }
        Ok(done[&root])
    }

    /// Whether an address lies in the object that was released by `start`.
    pub(crate) fn lies_in(&mut self, addr: TermId, start: TermId) -> Result<TermId, LogicError> {
        if self.is_behind(addr, start)? {
            return Ok(self.pool.truth());
        }
        let begins = self.object_start(addr)?;
        let same = self.pool.eq(begins, start)?;
        let equal = self.pool.eq(addr, start)?;
        self.or(&[equal, same])
    }

    /// Whether the object that begins at `start` was freed by one of these.
    fn is_released(
        &mut self,
        released: &FreedObjects,
        start: TermId,
    ) -> Result<TermId, LogicError> {
        let mut any = Vec::new();
        for (other, when) in released {
            let same =
                if *other == start { self.pool.truth() } else { self.pool.eq(*other, start)? };
            any.push(self.and(&[same, *when])?);
        }
        self.or(&any)
    }

    /// When two runs ended different objects of the entry state, and the objects that both did:
    /// where each begins and when.
    pub(crate) fn released_apart(
        &mut self,
        old: &FreedObjects,
        new: &FreedObjects,
    ) -> Result<(TermId, Vec<(TermId, TermId)>), LogicError> {
        let (mut apart, mut both) = (Vec::new(), Vec::new());
        for (one, other, first) in [(old, new, true), (new, old, false)] {
            for (start, when) in one {
                let too = self.is_released(other, *start)?;
                if too != *when {
                    let not = self.not(too)?;
                    apart.push(self.and(&[*when, not])?);
                }
                if first {
                    both.push((*start, self.and(&[*when, too])?));
                }
            }
        }
        Ok((self.or(&apart)?, both))
    }

    /// `a` if `cond` holds, else `b`.
    pub(crate) fn choose_released(
        &mut self,
        cond: TermId,
        a: &FreedObjects,
        b: &FreedObjects,
    ) -> Result<FreedObjects, LogicError> {
        let falsity = self.pool.falsity();
        let mut all = BTreeMap::new();
        for start in a.keys().chain(b.keys()) {
            let of = |list: &FreedObjects| list.get(start).copied().unwrap_or(falsity);
            all.insert(*start, self.ite(cond, of(a), of(b))?);
        }
        Ok(all)
    }

    /// The objects made during the run that the value of a term may be an address of: those whose
    /// address it is built from. (What a condition asks is not what a value is built from.)
    pub(crate) fn built_from(&self, terms: &[TermId]) -> BTreeSet<ObjectId> {
        let (mut work, mut seen) = (terms.to_vec(), BTreeSet::new());
        let mut found = BTreeSet::new();
        while let Some(term) = work.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Some(id) = self.by_base.get(&term) {
                found.insert(*id);
                continue;
            }
            let operands = self.pool.operands(term);
            match self.pool.op(term) {
                Op::Ite => work.extend_from_slice(&operands[1..]),
                Op::Select => work.push(operands[0]),
                _ => work.extend_from_slice(operands),
            }
        }
        found
    }
}

impl Executor<'_> {
    /// When an address that does not surely come from one object lies in a dead one.
    pub(crate) fn dead_at(&mut self, state: &State, addr: TermId) -> Result<TermId, Stop> {
        let mut any = Vec::new();
        for (start, when) in &state.released {
            let lies = self.space.lies_in(addr, *start)?;
            any.push(self.space.and(&[*when, lies])?);
        }
        if state.lives != all_alive(self.space)? {
            let start = self.space.object_start(addr)?;
            any.push(self.dead_after(state.lives, start)?);
        }
        if !state.freed.is_empty() && self.space.origin(addr) == Origin::Unknown {
            for id in self.space.built_from(&[addr]) {
                let Some(dead) = state.freed.get(&id).copied() else { continue };
                let (base, size) = (self.space.object_at(id).base, self.space.object_at(id).size);
                let offset = self.space.sub(addr, base)?;
                let within = self.space.pool.bv_ult(offset, size)?;
                any.push(self.space.and(&[dead, within])?);
            }
        }
        Ok(self.space.or(&any)?)
    }

    /// Whether calls have ended the object that begins at `start`.
    fn dead_after(&mut self, lives: TermId, start: TermId) -> Result<TermId, Stop> {
        if lives == all_alive(self.space)? {
            return Ok(self.space.pool.falsity());
        }
        if self.space.pool.op(lives) == Op::Ite
            && let [cond, then, otherwise] = *self.space.pool.operands(lives)
        {
            let then = self.dead_after(then, start)?;
            let otherwise = self.dead_after(otherwise, start)?;
            return Ok(self.space.ite(cond, then, otherwise)?);
        }
        Ok(self.space.function_call("object.dead", &[lives, start], Sort::Bool)?)
    }

    /// `free`.
    pub(crate) fn release(
        &mut self,
        addr: TermId,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        loc: Loc,
    ) -> Result<Flow, Stop> {
        let mut good = Vec::new();
        let mut actions = Vec::new();
        for (cond, leaf) in self.leaves(addr)? {
            let (ok, action) = self.release_one(leaf, state)?;
            let not = self.space.not(cond)?;
            good.push(self.space.or(&[not, ok])?);
            let zero = self.space.pool.bits(64, 0)?;
            let null = if self.space.is_object_base(leaf) {
                self.space.pool.falsity()
            } else {
                self.space.pool.eq(leaf, zero)?
            };
            let null = self.space.tidy(null)?;
            let not_null = self.space.not(null)?;
            actions.push((self.space.and(&[cond, not_null])?, action));
        }
        let good = self.space.and(&good)?;
        if self.check(state, path, exits, good, Trap::BadFree, loc)? == Flow::Dead {
            return Ok(Flow::Dead);
        }
        let falsity = self.space.pool.falsity();
        for (when, action) in actions.into_iter().filter(|(when, _)| *when != falsity) {
            match action {
                Release::Nothing => {}
                Release::Object(id) => {
                    let dead = state.freed.get(&id).copied().unwrap_or(falsity);
                    state.freed.insert(id, self.space.or(&[dead, when])?);
                }
                Release::Entry(start) => {
                    let dead = state.released.get(&start).copied().unwrap_or(falsity);
                    state.released.insert(start, self.space.or(&[dead, when])?);
                }
            }
        }
        Ok(Flow::On)
    }

    /// Whether one address may be freed, and what that does to it unless it is null.
    fn release_one(&mut self, addr: TermId, state: &State) -> Result<(TermId, Release), Stop> {
        let zero = self.space.pool.bits(64, 0)?;
        let is_null = self.space.pool.eq(addr, zero)?;
        let is_null = self.space.tidy(is_null)?;
        if let Origin::Object(id) = self.space.origin(addr) {
            let object = self.space.object_at(id);
            let (base, heap) = (object.base, object.fresh && object.outlives);
            if addr == base && !heap {
                return Ok((self.space.pool.falsity(), Release::Nothing));
            }
            if !heap {
                return Ok((is_null, Release::Nothing));
            }
            let dead = state.freed.get(&id).copied().unwrap_or(self.space.pool.falsity());
            let alive = self.space.not(dead)?;
            if addr == base {
                return Ok((alive, Release::Object(id)));
            }
            let at_start = self.space.pool.eq(addr, base)?;
            let good = self.space.and(&[at_start, alive])?;
            return Ok((self.space.or(&[is_null, good])?, Release::Object(id)));
        }
        if is_null == self.space.pool.truth() {
            return Ok((is_null, Release::Nothing));
        }
        // What was made during the run is told apart by its address, which must be known.
        let made = self.space.built_from(&[addr]);
        if made.iter().any(|id| self.space.object_at(*id).fresh) {
            return Err(Stop::Construct(Construct::AmbiguousFree));
        }
        let heap = self.space.function_call("object.heap", &[addr], Sort::Bool)?;
        let start = self.space.function_call("object.start", &[addr], Sort::BitVec(64))?;
        let at_start = self.space.pool.eq(start, addr)?;
        let dead = self.dead_at(state, addr)?;
        let alive = self.space.not(dead)?;
        // No object begins near null or behind the end of the address space.
        let low = self.space.pool.bits(64, NULL_ZONE.into())?;
        let low = self.space.pool.bv_ule(low, addr)?;
        let high = self.space.pool.bits(64, 1 << 63)?;
        let high = self.space.pool.bv_ult(addr, high)?;
        let good = self.space.and(&[low, high, heap, at_start, alive])?;
        Ok((self.space.or(&[is_null, good])?, Release::Entry(addr)))
    }

    /// The addresses that a pointer of mixed origin may be, each with its condition.
    fn leaves(&mut self, addr: TermId) -> Result<Vec<(TermId, TermId)>, Stop> {
        const MOST: usize = 16;
        let mut work = vec![(self.space.pool.truth(), addr)];
        let mut found = Vec::new();
        while let Some((cond, term)) = work.pop() {
            let mixed = self.space.origin(term) == Origin::Unknown;
            if mixed && self.space.pool.op(term) == Op::Ite && found.len() + work.len() < MOST {
                let [question, then, otherwise] = *self.space.pool.operands(term) else {
                    continue;
                };
                let not = self.space.not(question)?;
                work.push((self.space.and(&[cond, not])?, otherwise));
                work.push((self.space.and(&[cond, question])?, then));
                continue;
            }
            found.push((cond, term));
        }
        Ok(found)
    }

    /// What may free, and of which no more is known, was called: `lives` says what, and with what
    /// `inputs`. What it was not given, it cannot free, but for what there was at entry.
    pub(crate) fn may_release(
        &mut self,
        lives: TermId,
        inputs: &[TermId],
        state: &mut State,
    ) -> Result<(), Stop> {
        state.lives = lives;
        let falsity = self.space.pool.falsity();
        // Most runs allocate nothing: then the inputs, which may be large, need not be looked at.
        if !self.space.objects().iter().any(|o| o.fresh && o.outlives) {
            return Ok(());
        }
        for id in self.space.built_from(inputs) {
            let object = self.space.object_at(id);
            let (base, heap) = (object.base, object.fresh && object.outlives);
            if heap {
                let released = self.dead_after(lives, base)?;
                let dead = state.freed.get(&id).copied().unwrap_or(falsity);
                state.freed.insert(id, self.space.or(&[dead, released])?);
            }
        }
        Ok(())
    }

    /// Which objects are dead, as an input of what is not executed: whether an access in it traps
    /// depends on that. `None` if none is that it can get at: it knows the addresses it is
    /// given, in `inputs`, and if `entry` those of the entry state.
    pub(crate) fn liveness(
        &mut self,
        state: &State,
        inputs: &[TermId],
        entry: bool,
    ) -> Result<Option<TermId>, Stop> {
        let all_alive = all_alive(self.space)?;
        let sort = self.space.pool.sort(all_alive);
        let mut token = all_alive;
        let mut dead: Vec<(TermId, TermId)> = Vec::new();
        if entry {
            token = state.lives;
            dead.extend(state.released.iter().map(|(start, when)| (*start, *when)));
        }
        if !state.freed.is_empty() {
            for id in self.space.built_from(inputs) {
                if let Some(when) = state.freed.get(&id).copied() {
                    dead.push((self.space.object_at(id).base, when));
                }
            }
        }
        for (start, when) in dead {
            let after = self.space.function_call("object.freed", &[start, token], sort)?;
            token = self.space.ite(when, after, token)?;
        }
        Ok((token != all_alive).then_some(token))
    }
}

/// That nothing was called which may have freed.
pub(crate) fn all_alive(space: &mut Space) -> Result<TermId, LogicError> {
    let sort = space.pool.uninterpreted_sort("Liveness")?;
    space.pool.symbol("all alive", sort)
}
