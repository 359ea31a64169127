//! The state of a symbolic run between two statements.

use crate::freed_objects::FreedObjects;
use crate::memory::MemoryId;
use crate::space::{ObjectId, Space};
use std::collections::BTreeMap;
use std::mem::take;
use std::rc::Rc;
use verdiff_logic::{LogicError, TermId};
use verdiff_model::VarId;

/// A conjunction of literals: how a run came here.
pub type Path = Vec<TermId>;

/// What a variable without a value on one of two paths becomes where they meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Every read is checked: the other path's value will do.
    Checked,
    /// Reads are not checked (what a function returns when it falls off its end): any value.
    Local,
    /// Is never read where it may have none.
    Temporary,
}

/// An access through a pointer of which nothing is known here, but maybe where the procedure is
/// called from: there the object has an end, or a part without a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    /// If what is there must have a value: the memory that it is read from.
    pub read: Option<MemoryId>,
    /// Where.
    pub addr: TermId,
    /// How many bytes, a term of 64 bits.
    pub len: TermId,
    /// What the address must be a multiple of.
    pub align: u32,
    /// Whether it is a write.
    pub write: bool,
}

/// What a run knows.
#[derive(Clone, Debug)]
pub struct State {
    /// What each variable is.
    pub roles: Rc<[Role]>,
    /// The variables of the running procedure; `None` while one has no value.
    pub vars: Vec<Option<TermId>>,
    /// For the variables that are checked: whether they have a value.
    pub set: BTreeMap<VarId, TermId>,
    /// The memory of each region.
    pub memory: Vec<MemoryId>,
    /// All input and output so far.
    pub world: TermId,
    /// Heap objects that have been freed, and when.
    pub freed: BTreeMap<ObjectId, TermId>,
    /// Objects of the entry state that have been freed, and when.
    pub released: FreedObjects,
    /// What was called that may have freed some, of which no more is known.
    pub lives: TermId,
    /// What was called that may have made objects, of which no more is known.
    pub allocations: TermId,
    /// How many objects were made on the heap besides.
    pub allocated: u32,
    /// How often memory was asked for on the path that was taken, where that is counted ([`Space::counts_requests`]).
    pub requests: TermId,
    /// Path by path: what was accessed through pointers of which nothing is known.
    pub touched: Vec<Touch>,
    /// How many frames were made: it tells the locals of two calls apart.
    pub frames: u32,
}

impl State {
    /// One state for several ways to come to a place, with the path to it.
    ///
    /// The paths are exclusive (they part at branches), so at the place exactly one of
    /// their remainders after the common part holds.
    pub fn join(
        space: &mut Space,
        mut edges: Vec<(Path, State)>,
    ) -> Result<(Path, State), LogicError> {
        let Some((mut path, mut state)) = edges.pop() else { return Err(LogicError::NoPath) };
        while let Some((other_path, other)) = edges.pop() {
            let common = path.iter().zip(&other_path).take_while(|(a, b)| a == b).count();
            let rest = space.and(&path[common..])?;
            let other_rest = space.and(&other_path[common..])?;
            state = state.choose(space, other_rest, other)?;
            path.truncate(common);
            // `c or not c` is nothing to remember.
            let opposite = space.not(rest)?;
            if opposite != other_rest {
                let either = space.or(&[other_rest, rest])?;
                if either != space.pool.truth() {
                    path.push(either);
                }
            }
        }
        Ok((path, state))
    }

    /// All but the variables becomes what it is in another state: behind a call.
    pub(crate) fn go_on_from(&mut self, other: State) {
        let (roles, vars, set) = (self.roles.clone(), take(&mut self.vars), take(&mut self.set));
        *self = State { roles, vars, set, ..other };
    }

    /// `other` if `cond` holds, else this.
    fn choose(self, space: &mut Space, cond: TermId, other: State) -> Result<State, LogicError> {
        let mut vars = Vec::with_capacity(self.vars.len());
        for ((a, b), role) in other.vars.iter().zip(&self.vars).zip(self.roles.iter()) {
            vars.push(match (a, b, role) {
                (Some(a), Some(b), _) => Some(space.ite(cond, *a, *b)?),
                (a, b, Role::Checked) => a.or(*b),
                (Some(a), None, Role::Local) => {
                    let any = space.pool.fresh_symbol("unspecified", space.pool.sort(*a))?;
                    Some(space.ite(cond, *a, any)?)
                }
                (None, Some(b), Role::Local) => {
                    let any = space.pool.fresh_symbol("unspecified", space.pool.sort(*b))?;
                    Some(space.ite(cond, any, *b)?)
                }
                _ => None,
            });
        }
        let falsity = space.pool.falsity();
        let mut set = BTreeMap::new();
        for var in self.set.keys().chain(other.set.keys()) {
            let of = |s: &BTreeMap<VarId, TermId>| s.get(var).copied().unwrap_or(falsity);
            set.insert(*var, space.ite(cond, of(&other.set), of(&self.set))?);
        }
        let mut freed = BTreeMap::new();
        for object in self.freed.keys().chain(other.freed.keys()) {
            let of = |s: &BTreeMap<ObjectId, TermId>| s.get(object).copied().unwrap_or(falsity);
            freed.insert(*object, space.ite(cond, of(&other.freed), of(&self.freed))?);
        }
        let memory = other.memory.iter().zip(&self.memory);
        let memory = memory.map(|(a, b)| space.memories.choose(cond, *a, *b)).collect();
        let world = space.ite(cond, other.world, self.world)?;
        let released = space.choose_released(cond, &other.released, &self.released)?;
        let mut touched = self.touched;
        for touch in other.touched {
            if !touched.contains(&touch) {
                touched.push(touch);
            }
        }
        let lives = space.ite(cond, other.lives, self.lives)?;
        let allocations = space.ite(cond, other.allocations, self.allocations)?;
        let requests = space.ite(cond, other.requests, self.requests)?;
        Ok(State {
            roles: self.roles,
            vars,
            set,
            memory,
            world,
            freed,
            released,
            lives,
            touched,
            allocations,
            allocated: self.allocated.max(other.allocated),
            requests,
            frames: self.frames.max(other.frames),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Outcome;

    /// Both were reported as bit-vectors without bits.
    #[test]
    fn nothing_to_join_is_an_error_of_its_own() {
        let mut space = Space::new();
        assert!(matches!(State::join(&mut space, vec![]), Err(LogicError::NoPath)));
        assert!(matches!(Outcome::of(&mut space, &[]), Err(LogicError::NoOutcome)));
    }
}
