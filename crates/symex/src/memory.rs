//! Memory as terms.
//!
//! The memory of a region is a chain of writes over an array: nothing is ever copied, and a
//! read walks the chain until it finds who wrote. So reads become conditionals over the
//! values written and selections from the array at entry, which solvers like better than
//! nested stores, and two equal reads are one term.
//!
//! A *cell* is what the array holds at an index: a byte, or a word where every access of
//! the region is that wide and aligned (see [`Regions`](crate)); the index is the address.
//!
//! Why a read is right: each link says for which addresses it decides and with what value.
//! Where the relation of two addresses is known from their form (same root and constant
//! distance; distinct objects; see [`Space::relation`](crate::space::Space)), the walk goes on or ends;
//! where it is not, both cases become a conditional on the addresses themselves.

use crate::space::{AccessPosition, Space};
use std::collections::HashMap;
use std::rc::Rc;
use verdiff_logic::{LogicError, Sort, TermId};

/// One state of one region's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MemoryId(u32);

/// A link of the chain. (`before` is the memory it changes.)
#[expect(missing_docs, reason = "each field is named in the text of its variant")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// Memory of which nothing is known but that it is this array (index: address).
    Array(TermId),
    /// An object that has just been made: `size` bytes at `base` without a value. What is
    /// there is `array`'s, unspecified.
    Fresh { before: MemoryId, base: TermId, size: TermId, array: TermId },
    /// An object whose contents are known: a constant table.
    Known { before: MemoryId, base: TermId, contents: Rc<Contents> },
    /// `bytes` bytes of `value` at `addr`; `aligned` if the address is surely a multiple of them.
    Store { before: MemoryId, addr: TermId, value: TermId, bytes: u32, aligned: bool },
    /// `len` bytes at `addr` are `byte`.
    Fill { before: MemoryId, addr: TermId, byte: TermId, len: TermId },
    /// `len` bytes at `addr` are those at `src` of the memory `from`.
    Copy { before: MemoryId, addr: TermId, from: MemoryId, src: TermId, len: TermId },
    /// What a callee left of which no more is known: `array`. A cell has a value if it had one
    /// before, or if `defines` (cells of one bit) says that the callee gave it one.
    Called { before: MemoryId, array: TermId, defines: TermId },
    /// One of two.
    Choose { cond: TermId, then: MemoryId, otherwise: MemoryId },
}

/// The bytes of a constant object, each a term of 8 bits (addresses in it are cut into bytes).
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Contents {
    /// One term a byte.
    pub bytes: Vec<TermId>,
    /// The object's size as a term of 64 bits.
    pub size: TermId,
}

/// All memory states, each once.
#[derive(Default)]
pub struct Memories {
    links: Vec<(Link, u32)>,
    table: HashMap<(Link, u32), MemoryId>,
    reads: HashMap<Read, TermId>,
    pub(crate) defined: HashMap<(MemoryId, TermId), TermId>,
    arrays: HashMap<MemoryId, TermId>,
    /// Of memories that are arrays, which cells are initialised (cells of one bit); all, if nothing is said.
    pub(crate) initialised: HashMap<MemoryId, TermId>,
    pub(crate) initialised_arrays: HashMap<MemoryId, TermId>,
}

/// A read: so many bytes at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Read {
    memory: MemoryId,
    addr: TermId,
    bytes: u32,
    aligned: bool,
    /// Whether the contents of constants are seen. Where two final memories are compared they are
    /// not: a version may lack a table that the other has, but a write to one is to be seen.
    constants: bool,
}

/// What a step of a read needs first.
enum ReadStep {
    Done(TermId),
    Needs(Vec<Read>),
}

/// A table with more entries than this is read as a function of the index when the index is not known.
const MAX_TABLE: usize = 1024;

impl Memories {
    pub(crate) fn link(&self, id: MemoryId) -> &Link {
        &self.links[id.0 as usize].0
    }

    pub(crate) fn cell(&self, id: MemoryId) -> u32 {
        self.links[id.0 as usize].1
    }

    fn add(&mut self, link: Link, cell: u32) -> MemoryId {
        if let Some(id) = self.table.get(&(link.clone(), cell)) {
            return *id;
        }
        let id = MemoryId(self.links.len() as u32);
        self.links.push((link.clone(), cell));
        self.table.insert((link, cell), id);
        id
    }

    /// Memory that is an array with cells of `cell` bytes.
    pub fn array(&mut self, array: TermId, cell: u32) -> MemoryId {
        self.add(Link::Array(array), cell)
    }

    /// The same, of which only the cells are initialised that a second array (of one bit each) says so of.
    pub fn partly_initialised(
        &mut self,
        array: TermId,
        cell: u32,
        initialised: TermId,
    ) -> MemoryId {
        let id = self.array(array, cell);
        self.initialised.insert(id, initialised);
        id
    }

    /// The memory after a write.
    pub fn write(&mut self, before: MemoryId, link: Link) -> MemoryId {
        let cell = self.cell(before);
        self.add(link, cell)
    }

    /// One of two memories.
    pub fn choose(&mut self, cond: TermId, then: MemoryId, otherwise: MemoryId) -> MemoryId {
        if then == otherwise {
            return then;
        }
        let cell = self.cell(then);
        self.add(Link::Choose { cond, then, otherwise }, cell)
    }
}

impl Space {
    /// The value of `bytes` bytes at `addr`, little endian.
    pub fn read(
        &mut self,
        memory: MemoryId,
        addr: TermId,
        bytes: u32,
        aligned: bool,
    ) -> Result<TermId, LogicError> {
        self.read_job(Read { memory, addr, bytes, aligned, constants: true })
    }

    /// One cell at `addr` of a final memory: what was written there, or was there at entry,
    /// constants left out.
    pub fn read_final(
        &mut self,
        memory: MemoryId,
        addr: TermId,
        cell: u32,
    ) -> Result<TermId, LogicError> {
        self.read_job(Read { memory, addr, bytes: cell, aligned: true, constants: false })
    }

    fn read_job(&mut self, wanted: Read) -> Result<TermId, LogicError> {
        // Depth first with a stack of our own: a chain may be thousands of links long.
        let mut stack = vec![wanted];
        while let Some(job) = stack.last().copied() {
            if self.memories.reads.contains_key(&job) {
                stack.pop();
                continue;
            }
            match self.step(job)? {
                ReadStep::Done(value) => {
                    self.memories.reads.insert(job, value);
                    stack.pop();
                }
                ReadStep::Needs(jobs) => stack.extend(jobs),
            }
        }
        Ok(self.memories.reads[&wanted])
    }

    /// The values of earlier reads, or the list of those still missing.
    fn have(&self, jobs: &[Read]) -> Result<Vec<TermId>, Vec<Read>> {
        let known = |job: &Read| self.memories.reads.get(job).copied();
        let missing: Vec<Read> = jobs.iter().filter(|j| known(j).is_none()).copied().collect();
        if missing.is_empty() { Ok(jobs.iter().filter_map(known).collect()) } else { Err(missing) }
    }

    fn step(&mut self, job: Read) -> Result<ReadStep, LogicError> {
        let mut memory = job.memory;
        loop {
            let at = |memory| Read { memory, ..job };
            let link = self.memories.link(memory).clone();
            let (before, start, len) = match &link {
                Link::Array(array) | Link::Called { array, .. } => {
                    return self.select(*array, memory, job).map(ReadStep::Done);
                }
                Link::Choose { cond, then, otherwise } => {
                    return match self.have(&[at(*then), at(*otherwise)]) {
                        Err(missing) => Ok(ReadStep::Needs(missing)),
                        Ok(v) => self.ite(*cond, v[0], v[1]).map(ReadStep::Done),
                    };
                }
                Link::Fresh { before, base, size, .. } => (*before, *base, *size),
                Link::Known { before, .. } if !job.constants => {
                    memory = *before;
                    continue;
                }
                Link::Known { before, base, contents } => (*before, *base, contents.size),
                Link::Store { before, addr, bytes, .. } => {
                    (*before, *addr, self.pool.bits(64, (*bytes).into())?)
                }
                Link::Fill { before, addr, len, .. } | Link::Copy { before, addr, len, .. } => {
                    (*before, *addr, *len)
                }
            };
            match self.relation(job.addr, job.bytes, start, len)? {
                AccessPosition::Outside => memory = before,
                AccessPosition::Inside(offset) => return self.inside(&link, job, offset),
                AccessPosition::Unknown => {
                    // Two aligned accesses of one width are the same or apart.
                    if let Link::Store { value, bytes, aligned: true, .. } = link
                        && job.aligned
                        && bytes == job.bytes
                    {
                        return match self.have(&[at(before)]) {
                            Err(missing) => Ok(ReadStep::Needs(missing)),
                            Ok(rest) => {
                                let same = self.pool.eq(job.addr, start)?;
                                self.ite(same, value, rest[0]).map(ReadStep::Done)
                            }
                        };
                    }
                    if job.bytes > self.memories.cell(memory) {
                        return self.by_cells(job, memory);
                    }
                    return match self.have(&[at(before)]) {
                        Err(missing) => Ok(ReadStep::Needs(missing)),
                        Ok(rest) => {
                            let offset = self.sub(job.addr, start)?;
                            let within = self.pool.bv_ult(offset, len)?;
                            match self.inside(&link, job, offset)? {
                                ReadStep::Done(value) => {
                                    self.ite(within, value, rest[0]).map(ReadStep::Done)
                                }
                                needs => Ok(needs),
                            }
                        }
                    };
                }
            }
        }
    }

    /// The value when the address lies in what the link wrote, `offset` bytes from its start.
    fn inside(&mut self, link: &Link, job: Read, offset: TermId) -> Result<ReadStep, LogicError> {
        let constant = self.constant(offset);
        Ok(match link {
            Link::Fresh { array, .. } => ReadStep::Done(self.select(*array, job.memory, job)?),
            Link::Store { value, bytes, .. } => {
                if job.bytes == *bytes {
                    return Ok(ReadStep::Done(*value));
                }
                let width = bytes * 8;
                ReadStep::Done(match constant {
                    // A read that begins before what was written has an offset near the largest one.
                    Some(offset)
                        if offset <= u64::from(*bytes)
                            && offset + u64::from(job.bytes) <= u64::from(*bytes) =>
                    {
                        let low = offset as u32 * 8;
                        self.pool.extract(low + job.bytes * 8 - 1, low, *value)?
                    }
                    _ => {
                        let by = self.resize(offset, width)?;
                        let eight = self.pool.bits(width, 8)?;
                        let by = self.pool.bv_mul(by, eight)?;
                        let moved = self.pool.bv_lshr(*value, by)?;
                        self.pool.extract(job.bytes * 8 - 1, 0, moved)?
                    }
                })
            }
            Link::Fill { byte, .. } => {
                let mut value = *byte;
                for _ in 1..job.bytes {
                    value = self.pool.concat(value, *byte)?;
                }
                ReadStep::Done(value)
            }
            Link::Copy { from, src, .. } => {
                let addr = self.add(*src, offset)?;
                let read =
                    Read { memory: *from, addr, bytes: job.bytes, aligned: false, constants: true };
                match self.have(&[read]) {
                    Ok(value) => ReadStep::Done(value[0]),
                    Err(missing) => ReadStep::Needs(missing),
                }
            }
            Link::Known { contents, .. } => {
                let contents = contents.clone();
                ReadStep::Done(self.table(&contents, offset, job.bytes)?)
            }
            Link::Array(_) | Link::Called { .. } | Link::Choose { .. } => {
                unreachable!("they decide for every address")
            }
        })
    }

    /// A read cell by cell.
    fn by_cells(&mut self, job: Read, memory: MemoryId) -> Result<ReadStep, LogicError> {
        let cell = self.memories.cell(memory);
        let mut parts = Vec::new();
        for index in (0..job.bytes).step_by(cell as usize) {
            let addr = self.offset(job.addr, index.into())?;
            let constants = job.constants;
            parts.push(Read { memory, addr, bytes: cell, aligned: false, constants });
        }
        match self.have(&parts) {
            Err(missing) => Ok(ReadStep::Needs(missing)),
            Ok(values) => self.join(&values).map(ReadStep::Done),
        }
    }

    /// Cells from an array.
    fn select(&mut self, array: TermId, memory: MemoryId, job: Read) -> Result<TermId, LogicError> {
        let cell = self.memories.cell(memory);
        if job.bytes < cell {
            return self.select_within(array, cell, job);
        }
        let mut parts = Vec::new();
        for index in (0..job.bytes).step_by(cell as usize) {
            let addr = self.offset(job.addr, index.into())?;
            let part = self.pool.select(array, addr)?;
            parts.push(part);
        }
        self.join(&parts)
    }

    /// Some bytes of a word: a copy into a region of smaller cells reads them.
    fn select_within(&mut self, array: TermId, cell: u32, job: Read) -> Result<TermId, LogicError> {
        let low = self.pool.bits(64, u128::from(cell - 1))?;
        let inside = self.pool.bv_and(job.addr, low)?;
        let start = self.pool.bv_sub(job.addr, inside)?;
        let start = self.tidy(start)?;
        let word = self.pool.select(array, start)?;
        let by = self.resize(inside, cell * 8)?;
        let eight = self.pool.bits(cell * 8, 8)?;
        let by = self.pool.bv_mul(by, eight)?;
        let moved = self.pool.bv_lshr(word, by)?;
        self.pool.extract(job.bytes * 8 - 1, 0, moved)
    }

    /// Bytes joined, the first lowest.
    pub fn join(&mut self, parts: &[TermId]) -> Result<TermId, LogicError> {
        if let Some(whole) = self.rejoin(parts)? {
            return Ok(whole);
        }
        let mut value = parts[0];
        for part in &parts[1..] {
            value = self.pool.concat(*part, value)?;
        }
        Ok(value)
    }

    /// Entry `offset` of a constant table.
    fn table(
        &mut self,
        contents: &Contents,
        offset: TermId,
        bytes: u32,
    ) -> Result<TermId, LogicError> {
        let size = contents.bytes.len();
        let entry = |space: &mut Space, at: usize| -> Result<TermId, LogicError> {
            let end = at + bytes as usize;
            if end > size {
                return space.pool.bits(bytes * 8, 0);
            }
            space.join(&contents.bytes[at..end])
        };
        if let Some(at) = self.constant(offset) {
            return entry(self, at as usize);
        }
        // Only multiples of a known power of two can be asked for.
        let step = (1usize << self.trailing_zeros(offset).min(4)).max(1);
        let step = step.min(bytes.next_power_of_two() as usize).max(1);
        let count = size.div_ceil(step);
        if count > MAX_TABLE {
            return self.table_function(contents, offset, bytes);
        }
        // A tree of comparisons: as deep as the logarithm of the table's length.
        let mut leaves = Vec::with_capacity(count);
        for index in 0..count {
            leaves.push(entry(self, index * step)?);
        }
        self.search(&leaves, 0, step, offset)
    }

    fn search(
        &mut self,
        leaves: &[TermId],
        first: usize,
        step: usize,
        offset: TermId,
    ) -> Result<TermId, LogicError> {
        if leaves.len() == 1 || leaves.iter().all(|l| *l == leaves[0]) {
            return Ok(leaves[0]);
        }
        let middle = leaves.len() / 2;
        let below = self.below(offset, ((first + middle) * step) as u64)?;
        let low = self.search(&leaves[..middle], first, step, offset)?;
        let high = self.search(&leaves[middle..], first + middle, step, offset)?;
        self.ite(below, low, high)
    }

    /// The whole memory as one array term, for functions that take it as an argument.
    ///
    /// Long copies and fills, and fresh objects, become uninterpreted functions of what they
    /// depend on: equal arguments give equal arrays, and nothing else is claimed.
    pub fn to_array(&mut self, memory: MemoryId) -> Result<TermId, LogicError> {
        let mut stack = vec![memory];
        while let Some(id) = stack.last().copied() {
            if self.memories.arrays.contains_key(&id) {
                stack.pop();
                continue;
            }
            let needs: Vec<MemoryId> = match self.memories.link(id) {
                Link::Array(_) | Link::Called { .. } => vec![],
                Link::Choose { then, otherwise, .. } => vec![*then, *otherwise],
                Link::Copy { before, from, .. } => vec![*before, *from],
                Link::Fresh { before, .. }
                | Link::Known { before, .. }
                | Link::Store { before, .. }
                | Link::Fill { before, .. } => vec![*before],
            };
            let missing: Vec<_> =
                needs.into_iter().filter(|n| !self.memories.arrays.contains_key(n)).collect();
            if missing.is_empty() {
                let array = self.link_array(id)?;
                self.memories.arrays.insert(id, array);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
        Ok(self.memories.arrays[&memory])
    }

    fn link_array(&mut self, id: MemoryId) -> Result<TermId, LogicError> {
        let cell = self.memories.cell(id);
        let link = self.memories.link(id).clone();
        let array = |space: &Space, m: MemoryId| space.memories.arrays[&m];
        match link {
            Link::Array(array) | Link::Called { array, .. } => Ok(array),
            Link::Choose { cond, then, otherwise } => {
                let (a, b) = (array(self, then), array(self, otherwise));
                self.ite(cond, a, b)
            }
            // The contents of constants are the same for every state of one program; a
            // changed table is another base name, so leaving them out loses nothing but
            // what an external function might read of a changed constant: see `Space::constants`.
            Link::Known { before, base, contents } => {
                let before = array(self, before);
                let tag = self.contents_tag(&contents);
                self.memory_function(&format!("known.{tag}"), before, &[base])
            }
            Link::Fresh { before, base, size, .. } => {
                let before = array(self, before);
                self.memory_function("fresh", before, &[base, size])
            }
            Link::Store { before, addr, value, bytes, .. } => {
                let mut whole = array(self, before);
                for index in (0..bytes).step_by(cell as usize) {
                    let at = self.offset(addr, index.into())?;
                    let low = index * 8;
                    let part = if bytes == cell {
                        value
                    } else {
                        self.pool.extract(low + cell * 8 - 1, low, value)?
                    };
                    whole = self.pool.store(whole, at, part)?;
                }
                Ok(whole)
            }
            Link::Fill { before, addr, byte, len } => {
                let before = array(self, before);
                self.memory_function("fill", before, &[addr, byte, len])
            }
            Link::Copy { before, addr, from, src, len } => {
                let (before, from) = (array(self, before), array(self, from));
                self.memory_function("copy", before, &[from, addr, src, len])
            }
        }
    }

    /// An uninterpreted function from an array and more to an array of the same sort.
    fn memory_function(
        &mut self,
        name: &str,
        array: TermId,
        more: &[TermId],
    ) -> Result<TermId, LogicError> {
        let sort = self.pool.sort(array);
        let mut args = vec![array];
        args.extend_from_slice(more);
        self.function_call(&format!("memory.{name}"), &args, sort)
    }

    /// The sort of a region's array.
    pub fn array_sort(&mut self, cell: u32) -> Result<Sort, LogicError> {
        self.pool.array_sort(Sort::BitVec(64), Sort::BitVec(cell * 8))
    }
}
