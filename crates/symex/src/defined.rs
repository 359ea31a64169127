//! Which bytes of memory have been written: a second walk of the chain of [`memory`](crate::memory).

use crate::memory::{Link, MemoryId};
use crate::space::{AccessPosition, Space};
use verdiff_logic::{LogicError, Sort, TermId};

impl Space {
    /// Whether the cells at `addr` have been written (or were there at entry).
    pub fn is_defined(
        &mut self,
        memory: MemoryId,
        addr: TermId,
        bytes: u32,
    ) -> Result<TermId, LogicError> {
        let cell = self.memories.cell(memory);
        let mut all = Vec::new();
        for index in (0..bytes).step_by(cell as usize) {
            let addr = self.offset(addr, index.into())?;
            let one = self.cell_defined(memory, addr)?;
            if one == self.pool.falsity() {
                return Ok(one);
            }
            if one != self.pool.truth() && !all.contains(&one) {
                all.push(one);
            }
        }
        self.and(&all)
    }

    fn cell_defined(&mut self, memory: MemoryId, addr: TermId) -> Result<TermId, LogicError> {
        let mut stack = vec![(memory, addr)];
        while let Some((memory, addr)) = stack.last().copied() {
            if self.memories.defined.contains_key(&(memory, addr)) {
                stack.pop();
                continue;
            }
            match self.defined_step(memory, addr)? {
                Ok(value) => {
                    self.memories.defined.insert((memory, addr), value);
                    stack.pop();
                }
                Err(missing) => stack.extend(missing),
            }
        }
        Ok(self.memories.defined[&(memory, addr)])
    }

    fn defined_step(
        &mut self,
        memory: MemoryId,
        addr: TermId,
    ) -> Result<Result<TermId, Vec<(MemoryId, TermId)>>, LogicError> {
        let cell = self.memories.cell(memory);
        let (truth, falsity) = (self.pool.truth(), self.pool.falsity());
        let mut memory = memory;
        loop {
            let link = self.memories.link(memory).clone();
            let (before, start, len, inside) = match link {
                Link::Array(_) => {
                    let Some(flags) = self.memories.initialised.get(&memory).copied() else {
                        return Ok(Ok(truth));
                    };
                    let (flag, one) = (self.pool.select(flags, addr)?, self.pool.bits(1, 1)?);
                    return self.pool.eq(flag, one).map(Ok);
                }
                Link::Called { before, defines, .. } => {
                    let Some(had) = self.memories.defined.get(&(before, addr)).copied() else {
                        return Ok(Err(vec![(before, addr)]));
                    };
                    if had == truth {
                        return Ok(Ok(truth));
                    }
                    let one = self.pool.bits(1, 1)?;
                    let flag = self.pool.select(defines, addr)?;
                    let given = self.pool.eq(flag, one)?;
                    return self.or(&[had, given]).map(Ok);
                }
                Link::Choose { cond, then, otherwise } => {
                    let known = |m: MemoryId| self.memories.defined.get(&(m, addr)).copied();
                    return match (known(then), known(otherwise)) {
                        (Some(a), Some(b)) => self.ite(cond, a, b).map(Ok),
                        _ => Ok(Err(vec![(then, addr), (otherwise, addr)])),
                    };
                }
                Link::Fresh { before, base, size, .. } => (before, base, size, Some(falsity)),
                Link::Known { before, base, ref contents } => {
                    (before, base, contents.size, Some(truth))
                }
                Link::Store { before, addr, bytes, .. } => {
                    (before, addr, self.pool.bits(64, bytes.into())?, Some(truth))
                }
                Link::Fill { before, addr, len, .. } => (before, addr, len, Some(truth)),
                Link::Copy { before, addr, len, .. } => (before, addr, len, None),
            };
            let relation = self.relation(addr, cell, start, len)?;
            if matches!(relation, AccessPosition::Outside) {
                memory = before;
                continue;
            }
            let offset = self.sub(addr, start)?;
            let within = match (&link, inside) {
                (_, Some(value)) => value,
                (Link::Copy { from, src, .. }, None) => {
                    let there = self.add(*src, offset)?;
                    match self.memories.defined.get(&(*from, there)) {
                        Some(value) => *value,
                        None => return Ok(Err(vec![(*from, there)])),
                    }
                }
                _ => truth,
            };
            if matches!(relation, AccessPosition::Inside(_)) {
                return Ok(Ok(within));
            }
            let Some(rest) = self.memories.defined.get(&(before, addr)).copied() else {
                return Ok(Err(vec![(before, addr)]));
            };
            let covered = self.pool.bv_ult(offset, len)?;
            return self.ite(covered, within, rest).map(Ok);
        }
    }

    /// The sort of arrays that say of each cell whether it is initialised.
    pub fn flags_sort(&mut self) -> Result<Sort, LogicError> {
        self.pool.array_sort(Sort::BitVec(64), Sort::BitVec(1))
    }

    /// Which cells of a memory are initialised, as one array, for functions that depend on it. As with
    /// [`Space::to_array`], what is long becomes a function of what it depends on.
    pub fn to_initialised(&mut self, memory: MemoryId) -> Result<TermId, LogicError> {
        let mut stack = vec![memory];
        while let Some(id) = stack.last().copied() {
            if self.memories.initialised_arrays.contains_key(&id) {
                stack.pop();
                continue;
            }
            let needs: Vec<MemoryId> = match self.memories.link(id) {
                Link::Array(_) => vec![],
                Link::Choose { then, otherwise, .. } => vec![*then, *otherwise],
                Link::Copy { before, from, .. } => vec![*before, *from],
                Link::Fresh { before, .. }
                | Link::Known { before, .. }
                | Link::Store { before, .. }
                | Link::Fill { before, .. }
                | Link::Called { before, .. } => vec![*before],
            };
            let known = |id: &MemoryId| self.memories.initialised_arrays.contains_key(id);
            let missing: Vec<_> = needs.into_iter().filter(|n| !known(n)).collect();
            if missing.is_empty() {
                let array = self.link_initialised(id)?;
                self.memories.initialised_arrays.insert(id, array);
                stack.pop();
            } else {
                stack.extend(missing);
            }
        }
        Ok(self.memories.initialised_arrays[&memory])
    }

    fn link_initialised(&mut self, id: MemoryId) -> Result<TermId, LogicError> {
        let cell = self.memories.cell(id);
        let link = self.memories.link(id).clone();
        let of = |space: &Space, m: MemoryId| space.memories.initialised_arrays[&m];
        let sort = self.flags_sort()?;
        let function = |space: &mut Space, name: &str, given: &[TermId]| {
            space.function_call(&format!("initialised.{name}"), given, sort)
        };
        match link {
            Link::Array(_) => match self.memories.initialised.get(&id) {
                Some(flags) => Ok(*flags),
                None => self.pool.symbol("initialised everywhere", sort),
            },
            Link::Choose { cond, then, otherwise } => {
                let (a, b) = (of(self, then), of(self, otherwise));
                self.ite(cond, a, b)
            }
            Link::Called { before, defines, .. } => {
                let before = of(self, before);
                function(self, "called", &[before, defines])
            }
            Link::Known { before, base, contents } => {
                let before = of(self, before);
                function(self, "known", &[before, base, contents.size])
            }
            Link::Fresh { before, base, size, .. } => {
                let before = of(self, before);
                function(self, "fresh", &[before, base, size])
            }
            Link::Store { before, addr, bytes, .. } => {
                let mut whole = of(self, before);
                let one = self.pool.bits(1, 1)?;
                for index in (0..bytes).step_by(cell as usize) {
                    let at = self.offset(addr, index.into())?;
                    whole = self.pool.store(whole, at, one)?;
                }
                Ok(whole)
            }
            Link::Fill { before, addr, len, .. } => {
                let before = of(self, before);
                function(self, "fill", &[before, addr, len])
            }
            Link::Copy { before, addr, from, src, len } => {
                let (before, from) = (of(self, before), of(self, from));
                function(self, "copy", &[before, from, addr, src, len])
            }
        }
    }
}
