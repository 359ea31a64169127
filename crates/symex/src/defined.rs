//! Which bytes of memory have been written: a second walk of the chain of [`memory`](crate::memory).

use crate::memory::{Link, MemoryId};
use crate::space::{Relation, Space};
use verdiff_logic::{LogicError, TermId};

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
                Link::Array(_) => return Ok(Ok(truth)),
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
            if matches!(relation, Relation::Outside) {
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
            if matches!(relation, Relation::Inside(_)) {
                return Ok(Ok(within));
            }
            let Some(rest) = self.memories.defined.get(&(before, addr)).copied() else {
                return Ok(Err(vec![(before, addr)]));
            };
            let covered = self.pool.bv_ult(offset, len)?;
            return self.ite(covered, within, rest).map(Ok);
        }
    }
}
