//! What all symbolic executions of a comparison share: the terms, the memory states, and
//! the objects with their addresses.
//!
//! Addresses are terms of 64 bits. Every object has a symbol for where it begins; an
//! address that is such a symbol plus something *comes from* that object, and C lets it reach
//! no other (an access that leaves its object traps). That is what tells most addresses apart
//! without asking a solver.

use crate::memory::Memories;
use crate::record::{AccessRecord, CallRecord, Log, PointerLoad};
use crate::symbols::WorldFunction;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use verdiff_logic::{FunctionId, LogicError, Op, Sort, SymbolId, TermId, TermPool};

/// Addresses below this are null pointers, or so near to one that they come from one.
pub const NULL_ZONE: u64 = 65536;

/// Shared state of all executions of one comparison.
#[derive(Default)]
pub struct Space {
    /// The terms.
    pub pool: TermPool,
    /// The memory states.
    pub memories: Memories,
    pointed_to: PointedTo,
    terms: Terms,
    counts_requests: bool,
    pub(crate) lemmas: Vec<TermId>,
    pub(crate) calls: Option<Log<CallRecord>>,
    pub(crate) common_calls: Option<Log<TermId>>,
    pub(crate) loads: Option<Log<PointerLoad>>,
    pub(crate) accesses: Option<Log<AccessRecord>>,
    /// For each region whose memories were compared, the address at which they were.
    pub(crate) compared_at: BTreeMap<usize, TermId>,
    /// The abstracted callees whose outputs functions and symbols are.
    pub(crate) callee_functions: HashMap<FunctionId, Rc<str>>,
    /// How sorts are written in the names of functions.
    pub(crate) sort_suffixes: HashMap<Sort, String>,
    pub(crate) callee_symbols: HashMap<SymbolId, Rc<str>>,
    /// What the functions stand for that make a world of another.
    pub(crate) world_functions: HashMap<FunctionId, WorldFunction>,
    pub(crate) objects: Vec<Object>,
    pub(crate) by_base: HashMap<TermId, ObjectId>,
    pub(crate) by_name: HashMap<String, Vec<ObjectId>>,
    origins: HashMap<TermId, Origin>,
    /// Terms whose origin was said, not worked out.
    said: HashMap<TermId, Origin>,
    /// Which terms have no names in them.
    ground: HashMap<TermId, bool>,
}

/// How large the objects behind pointers are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointedTo {
    /// Large enough: what entry states are taken to be.
    #[default]
    LargeEnough,
    /// Of any size: what a statement about every call must allow. Then each access through a pointer of which nothing is known
    /// may end the run, in a way that depends on the access alone and is common to both versions.
    AnySize,
    /// Of any size, and uninitialised where they happen to be: what a statement about every call must allow. Which cells
    /// of the entry memory are initialised is a second array of each region ([`Memories`]), common to both versions, as is
    /// how an access ends. So equal accesses in equal states trap alike, and nothing is assumed of either.
    AnyCall,
}

/// What becomes of terms when they are built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terms {
    /// They are simplified.
    #[default]
    Simplified,
    /// They stay as they are built ([`Space::tidy`] then computes constants and nothing else). For evidence: what is
    /// asserted of such terms was not touched by the simplifier, so another solver can check the proof from the start.
    AsBuilt,
}

/// An object of a [`Space`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub(crate) u32);

/// A thing with an address.
#[derive(Clone, Debug)]
pub struct Object {
    /// What it is called; the same in both versions.
    pub name: String,
    /// Where it begins.
    pub base: TermId,
    /// How many bytes it has, a term of 64 bits.
    pub size: TermId,
    /// What its address is a multiple of, a power of two.
    pub align: u64,
    /// Whether it was made during the run: no pointer at entry leads to it.
    pub fresh: bool,
    /// Whether a write to it traps.
    pub read_only: bool,
    /// Whether it is still there after the run: all but locals.
    pub outlives: bool,
    /// For a constant: what it holds, with all that it leads to, as a number.
    pub contents: Option<u128>,
    /// For the address of a function: its name ([`Space::function`]).
    pub function: Option<Rc<str>>,
}

/// What an address is known to come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A number without an address in it.
    Nothing,
    /// This object.
    Object(ObjectId),
    /// The entry state: parameters, what memory held then.
    Entry,
    /// Anything.
    Unknown,
}

/// How an access lies to a range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessPosition {
    /// Wholly in it, so many bytes from its start.
    Inside(TermId),
    /// Wholly out of it.
    Outside,
    /// That depends.
    Unknown,
}

impl Space {
    /// An empty space.
    pub fn new() -> Space {
        Space::default()
    }

    /// An empty space in which objects behind pointers are of any size, or terms stay as they are built.
    pub fn with(pointed_to: PointedTo, terms: Terms) -> Space {
        Space { pointed_to, terms, ..Space::default() }
    }

    /// How large the objects behind pointers are.
    pub fn pointed_to(&self) -> PointedTo {
        self.pointed_to
    }

    /// Whether entry states are those of any call: memory may be uninitialised.
    pub fn is_any_call(&self) -> bool {
        self.pointed_to == PointedTo::AnyCall
    }

    /// Has runs count how often they ask for memory by calls that are executed, and makes that an argument of all other calls
    /// that may ask for memory or leave the run. Which requests fail is known by their numbers.
    pub fn count_requests(&mut self) {
        self.counts_requests = true;
    }

    /// Whether it is counted how often memory was asked for.
    pub fn counts_requests(&self) -> bool {
        self.counts_requests
    }

    /// Whether terms stay as they are built.
    pub fn is_as_built(&self) -> bool {
        self.terms == Terms::AsBuilt
    }

    /// How terms are treated.
    pub fn terms(&self) -> Terms {
        self.terms
    }

    /// The same space, in which further terms are treated so.
    pub fn treating(self, terms: Terms) -> Space {
        Space { terms, ..self }
    }

    /// What is known of abstracted callees besides ([`View::Unfolded`](crate::callee::View)); it holds in
    /// every pair of runs that terminates.
    pub fn lemmas(&self) -> &[TermId] {
        &self.lemmas
    }

    /// Says that a fresh object is still there after the run.
    pub fn outlives_run(&mut self, id: ObjectId) {
        self.objects[id.0 as usize].outlives = true;
    }

    /// Whether a term is where an object begins.
    pub fn is_object_base(&self, term: TermId) -> bool {
        self.by_base.contains_key(&term)
    }

    /// Whether a term is where an object begins that is there at entry.
    pub fn is_entry_object(&self, term: TermId) -> bool {
        self.by_base.get(&term).is_some_and(|id| !self.object_at(*id).fresh)
    }

    /// The objects of a name, of whatever size.
    pub fn objects_named(&self, name: &str) -> Vec<ObjectId> {
        self.by_name.get(name).cloned().unwrap_or_default()
    }

    /// An object.
    pub fn object_at(&self, id: ObjectId) -> &Object {
        &self.objects[id.0 as usize]
    }

    /// All objects.
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// What holds of the objects' addresses: aligned, not null, not at the end of the
    /// address space, apart from each other.
    pub fn axioms(&mut self) -> Result<Vec<TermId>, LogicError> {
        self.axioms_among(self.objects.clone())
    }

    /// The same of the objects that are spoken of in these terms. What is said of the others can always be fulfilled, wherever these lie.
    pub fn axioms_about(&mut self, terms: &[TermId]) -> Result<Vec<TermId>, LogicError> {
        let terms = self.pool.sub_terms(terms);
        let mut ids: Vec<ObjectId> =
            terms.iter().filter_map(|term| self.by_base.get(term)).copied().collect();
        ids.sort_unstable();
        let objects = ids.into_iter().map(|id| self.object_at(id).clone()).collect();
        self.axioms_among(objects)
    }

    fn axioms_among(&mut self, objects: Vec<Object>) -> Result<Vec<TermId>, LogicError> {
        let mut all = Vec::new();
        let (low, high) = (self.pool.bits(64, NULL_ZONE.into())?, self.pool.bits(64, 1 << 62)?);
        for object in &objects {
            all.push(self.pool.bv_ule(low, object.base)?);
            all.push(self.pool.bv_ule(object.base, high)?);
            all.push(self.pool.bv_ule(object.size, high)?);
            if object.align > 1 {
                let mask = self.pool.bits(64, u128::from(object.align - 1))?;
                let rest = self.pool.bv_and(object.base, mask)?;
                let zero = self.pool.bits(64, 0)?;
                all.push(self.pool.eq(rest, zero)?);
            }
        }
        for (index, a) in objects.iter().enumerate() {
            for b in &objects[index + 1..] {
                let end_a = self.pool.bv_add(a.base, a.size)?;
                let end_b = self.pool.bv_add(b.base, b.size)?;
                // One past the end of one may be the start of the other, as far as the linker places them. For what is
                // made during the run, equality of addresses would depend on the layout, which is taken for granted not to matter.
                // An object without bytes may begin where another one does ([`Space::are_apart`]).
                let apart = |pool: &mut TermPool, end, base| match a.fresh || b.fresh {
                    true => pool.bv_ult(end, base),
                    false => pool.bv_ule(end, base),
                };
                let before = apart(&mut self.pool, end_a, b.base)?;
                let after = apart(&mut self.pool, end_b, a.base)?;
                let mut either = vec![before, after];
                for object in [a, b] {
                    if !self.has_own_address(object) {
                        let zero = self.pool.bits(64, 0)?;
                        either.push(self.pool.eq(object.size, zero)?);
                    }
                }
                all.push(self.pool.or(&either)?);
            }
        }
        Ok(all)
    }

    /// Whether two different objects surely begin at different addresses, whatever their sizes turn out to be. It follows
    /// from [`Space::axioms`], and must not say more than they do.
    ///
    /// An object with bytes shares none with another. One without may begin where another begins or ends: a global declared as
    /// `extern char end[]`, whose size is only known to be zero or more, or a local `int a[0]`. The allocator alone gives
    /// every object an address of its own, and beside what it made nothing begins.
    pub fn are_apart(&self, a: ObjectId, b: ObjectId) -> bool {
        if a == b {
            return false;
        }
        let (a, b) = (self.object_at(a), self.object_at(b));
        let both_have_bytes = self.has_bytes(a.size) && self.has_bytes(b.size);
        both_have_bytes
            || (a.fresh || b.fresh) && self.has_own_address(a) && self.has_own_address(b)
    }

    /// Whether no other object that is made during the run begins where this one does, or just behind it. What is there at
    /// entry is apart from what is made later, whatever its size; a local without bytes lies anywhere.
    fn has_own_address(&self, object: &Object) -> bool {
        let is_local = object.fresh && !object.outlives;
        !is_local || self.has_bytes(object.size)
    }

    /// Whether a size is surely not zero: a constant, or a constant and more, which [`Space`] makes so that it does not wrap.
    fn has_bytes(&self, size: TermId) -> bool {
        if let Some(size) = self.constant(size) {
            return size > 0;
        }
        let [a, b] = *self.pool.operands(size) else { return false };
        let is_more = |t: TermId| matches!(self.pool.op(t), Op::ZeroExtend(by) if by >= 2);
        let is_some = |t: TermId| self.constant(t).is_some_and(|c| c > 0 && c < 1 << 62);
        self.pool.op(size) == Op::BvAdd && (is_some(a) && is_more(b) || is_some(b) && is_more(a))
    }

    /// Says that a symbol is part of the entry state.
    pub fn note_entry(&mut self, term: TermId) {
        self.origins.insert(term, Origin::Entry);
        self.said.insert(term, Origin::Entry);
    }

    /// Notes an integer that was computed by adding or subtracting integers. Where a pointer is moved it stays in its object, or the
    /// access traps; the sum of an object's address as a number and another number may be the address of anything, for
    /// the other may be a distance between objects.
    pub fn note_number(&mut self, term: TermId) {
        let Origin::Object(id) = self.origin(term) else { return };
        let base = self.object_at(id).base;
        let is_near = |space: &Space, t: &TermId| *t == base || space.constant(*t).is_some();
        let near = term == base
            || self.pool.op(term) == Op::BvAdd
                && self.pool.operands(term).iter().all(|t| is_near(self, t));
        if !near && self.said.insert(term, Origin::Unknown).is_none() {
            // What was worked out from it before came from a pointer that was moved likewise.
            self.origins.clone_from(&self.said);
        }
    }

    /// Whether a term is one number, only not computed yet: neither symbols nor functions are in it.
    pub(crate) fn is_ground(&mut self, term: TermId) -> bool {
        let mut stack = vec![term];
        while let Some(t) = stack.last().copied() {
            let operands = self.pool.operands(t);
            let missing: Vec<_> =
                operands.iter().filter(|o| !self.ground.contains_key(o)).copied().collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let named = matches!(self.pool.op(t), Op::Symbol(_) | Op::Apply(_));
            let ground = !named && operands.iter().all(|o| self.ground[o]);
            self.ground.insert(t, ground);
            stack.pop();
        }
        self.ground[&term]
    }

    // Where addresses come from.

    /// What an address comes from. Worked out with a stack of our own, since terms may be deep.
    pub fn origin(&mut self, term: TermId) -> Origin {
        let mut stack = vec![term];
        while let Some(t) = stack.last().copied() {
            if self.origins.contains_key(&t) {
                stack.pop();
                continue;
            }
            let op = self.pool.op(t);
            let operands = self.pool.operands(t).to_vec();
            let missing: Vec<_> =
                operands.iter().filter(|o| !self.origins.contains_key(o)).copied().collect();
            if !missing.is_empty() && !op.is_constant() {
                stack.extend(missing);
                continue;
            }
            let origin = self.origin_of(t, op, &operands);
            self.origins.insert(t, origin);
            stack.pop();
        }
        self.origins[&term]
    }

    fn origin_of(&self, term: TermId, op: Op, operands: &[TermId]) -> Origin {
        if op.is_constant() {
            return Origin::Nothing;
        }
        if let Some(id) = self.by_base.get(&term) {
            return Origin::Object(*id);
        }
        let of = |t: &TermId| self.origins[t];
        match op {
            Op::Symbol(_) | Op::Apply(_) => Origin::Unknown,
            Op::BvAdd => operands.iter().map(of).fold(Origin::Nothing, |a, b| match (a, b) {
                (Origin::Nothing, other) | (other, Origin::Nothing) => other,
                // An object's address plus a number of the entry state stays in the object.
                (Origin::Object(o), Origin::Entry) | (Origin::Entry, Origin::Object(o)) => {
                    Origin::Object(o)
                }
                (Origin::Entry, Origin::Entry) => Origin::Entry,
                (Origin::Object(o), Origin::Unknown) | (Origin::Unknown, Origin::Object(o)) => {
                    Origin::Object(o)
                }
                _ => Origin::Unknown,
            }),
            Op::Ite => match (of(&operands[1]), of(&operands[2])) {
                (a, b) if a == b => a,
                // A null pointer or an address of an object.
                (Origin::Nothing, other) | (other, Origin::Nothing) => other,
                _ => Origin::Unknown,
            },
            // Anything computed from the entry state alone belongs to it.
            _ => {
                let all = operands.iter().map(of);
                let mut result = Origin::Nothing;
                for o in all {
                    result = match (result, o) {
                        (r, Origin::Nothing) => r,
                        (Origin::Nothing | Origin::Entry, Origin::Entry) => Origin::Entry,
                        _ => return Origin::Unknown,
                    };
                }
                result
            }
        }
    }

    /// An address as a root and a constant number of bytes behind it.
    pub fn split(&mut self, addr: TermId) -> Result<(TermId, u64), LogicError> {
        if let Some(c) = self.constant(addr) {
            return Ok((self.pool.bits(64, 0)?, c));
        }
        if self.pool.op(addr) == Op::BvAdd {
            let operands = self.pool.operands(addr).to_vec();
            let constant = |space: &Space, t: &TermId| space.constant(*t);
            let sum =
                operands.iter().filter_map(|t| constant(self, t)).fold(0u64, u64::wrapping_add);
            let rest: Vec<_> =
                operands.into_iter().filter(|t| constant(self, t).is_none()).collect();
            if sum != 0 {
                return Ok((self.sum(&rest)?, sum));
            }
        }
        Ok((addr, 0))
    }

    /// How `bytes` bytes at `addr` lie to `len` bytes at `start`.
    pub fn relation(
        &mut self,
        addr: TermId,
        bytes: u32,
        start: TermId,
        len: TermId,
    ) -> Result<AccessPosition, LogicError> {
        let ((root_a, off_a), (root_b, off_b)) = (self.split(addr)?, self.split(start)?);
        if root_a == root_b {
            let distance = off_a.wrapping_sub(off_b);
            let bytes = u64::from(bytes);
            return Ok(match self.constant(len) {
                Some(len) if len >= bytes && distance <= len - bytes => {
                    AccessPosition::Inside(self.pool.bits(64, distance.into())?)
                }
                // Behind the range and not wrapping round into it.
                Some(len) if distance >= len && distance.checked_add(bytes - 1).is_some() => {
                    AccessPosition::Outside
                }
                _ => AccessPosition::Unknown,
            });
        }
        let (from_a, from_b) = (self.origin(addr), self.origin(start));
        Ok(match (from_a, from_b) {
            (Origin::Object(a), Origin::Object(b)) if a != b => AccessPosition::Outside,
            // The whole of an object: an access that comes from it lies in it.
            (Origin::Object(a), Origin::Object(_))
                if self.object_at(a).base == start && self.object_at(a).size == len =>
            {
                AccessPosition::Inside(self.sub(addr, start)?)
            }
            (Origin::Object(o), Origin::Entry) | (Origin::Entry, Origin::Object(o))
                if self.object_at(o).fresh =>
            {
                AccessPosition::Outside
            }
            _ => AccessPosition::Unknown,
        })
    }

    /// `offset < limit`, unsigned. Where the offset is a constant times a widened index (an
    /// element of an array) the index itself is compared: a negative one, widened with its sign, is
    /// beyond any limit, before as after.
    pub fn below(&mut self, offset: TermId, limit: u64) -> Result<TermId, LogicError> {
        let mut scale = 1;
        let mut index = offset;
        if self.pool.op(offset) == Op::BvMul
            && let [a, b] = *self.pool.operands(offset)
        {
            match (self.constant(a), self.constant(b)) {
                (Some(c), None) => (scale, index) = (c, b),
                (None, Some(c)) => (scale, index) = (c, a),
                _ => {}
            }
        }
        let widened = match self.pool.op(index) {
            Op::ZeroExtend(_) | Op::SignExtend(_) => Some(self.pool.operands(index)[0]),
            _ => None,
        };
        if let Some(narrow) = widened
            && let Some(width) = self.pool.sort(narrow).width()
            // The product of scale and index stays well below 2^63, whatever the index.
            && (1..1 << 24).contains(&scale)
            && width <= 32
            && limit < 1 << 60
        {
            let count = limit.div_ceil(scale);
            if count <= 1 << (width - 1) {
                let count = self.pool.bits(width, count.into())?;
                return self.pool.bv_ult(narrow, count);
            }
        }
        let limit = self.pool.bits(64, limit.into())?;
        self.pool.bv_ult(offset, limit)
    }

    /// How many low bits of a term are surely zero.
    pub fn trailing_zeros(&self, term: TermId) -> u32 {
        self.trailing_zeros_at(term, 24)
    }

    fn trailing_zeros_at(&self, term: TermId, depth: u32) -> u32 {
        if let Some(id) = self.by_base.get(&term) {
            return self.object_at(*id).align.trailing_zeros();
        }
        if let Some(c) = self.constant(term) {
            return if c == 0 { 64 } else { c.trailing_zeros() };
        }
        if depth == 0 {
            return 0;
        }
        let operands = self.pool.operands(term);
        let of = |t: &TermId| self.trailing_zeros_at(*t, depth - 1);
        match self.pool.op(term) {
            Op::BvAdd | Op::BvOr | Op::BvXor => operands.iter().map(of).min().unwrap_or(0),
            Op::BvMul => operands.iter().map(of).sum::<u32>().min(64),
            Op::BvAnd => operands.iter().map(of).max().unwrap_or(0),
            Op::Ite => of(&operands[1]).min(of(&operands[2])),
            Op::SignExtend(_) | Op::ZeroExtend(_) => of(&operands[0]),
            Op::BvShl => match self.constant(operands[1]) {
                Some(by) => (u64::from(of(&operands[0])) + by).min(64) as u32,
                None => of(&operands[0]),
            },
            Op::Concat => {
                let last = operands[operands.len() - 1];
                let width = self.pool.sort(last).width().unwrap_or(0);
                of(&last).min(width)
            }
            _ => 0,
        }
    }
}
