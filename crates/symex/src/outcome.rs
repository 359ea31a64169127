//! How a run ends, as terms.
//!
//! An outcome (docs/internals/jobs.md) is how the run ended together with the world at that point and, if it
//! returned, values and memory. Execution collects [`Exit`]s in the order in which they would
//! be reached; the outcome is the first whose condition holds.

use crate::freed_objects::FreedObjects;
use crate::memory::MemoryId;
use crate::space::{ObjectId, Space};
use crate::state::{Path, Role, State, Touch};
use crate::symbols::WorldFunction;
use std::collections::BTreeMap;
use verdiff_logic::{LogicError, TermId};
use verdiff_model::{Loc, Trap, VarId};

/// A way out of a procedure.
#[derive(Clone, Debug)]
pub struct Exit {
    /// When it is taken, provided that no exit before it is: literals, all of which must hold.
    pub path: Path,
    /// How it ends.
    pub kind: ExitKind,
    /// For a return: whether each result has a value.
    pub set: Vec<TermId>,
    /// The memory of each region then.
    pub memory: Vec<MemoryId>,
    /// The world then.
    pub world: TermId,
    /// Heap objects that are dead then, and when.
    pub freed: BTreeMap<ObjectId, TermId>,
    /// Objects of the entry state that were freed, and when.
    pub released: FreedObjects,
    /// What was called that may have freed some.
    pub lives: TermId,
    /// What was called that may have made heap objects.
    pub allocations: TermId,
    /// How many heap objects were made besides.
    pub allocated: u32,
    /// How often memory was asked for.
    pub requests: TermId,
    /// Path by path: what was accessed through pointers of which nothing is known.
    pub touched: Vec<Touch>,
    /// How many frames were made.
    pub frames: u32,
    /// Which place ends the run.
    pub loc: Loc,
}

impl Exit {
    /// An exit from a state.
    pub fn new(kind: ExitKind, path: Path, state: &State, loc: Loc) -> Exit {
        Exit {
            path,
            kind,
            set: vec![],
            memory: state.memory.clone(),
            world: state.world,
            freed: state.freed.clone(),
            released: state.released.clone(),
            lives: state.lives,
            allocations: state.allocations,
            allocated: state.allocated,
            requests: state.requests,
            touched: state.touched.clone(),
            frames: state.frames,
            loc,
        }
    }
}

impl Exit {
    /// The state behind a return, with the results as its variables, and the path there.
    pub(crate) fn into_state(self) -> (Path, State) {
        let values = match self.kind {
            ExitKind::Return(values) => values,
            _ => vec![],
        };
        let vars: Vec<Option<TermId>> = values.into_iter().map(Some).collect();
        let flags = self.set.into_iter().enumerate().map(|(n, flag)| (VarId::new(n), flag));
        let state = State {
            roles: vec![Role::Local; vars.len()].into(),
            vars,
            set: flags.collect(),
            memory: self.memory,
            world: self.world,
            freed: self.freed,
            released: self.released,
            lives: self.lives,
            allocations: self.allocations,
            allocated: self.allocated,
            requests: self.requests,
            touched: self.touched,
            frames: self.frames,
        };
        (self.path, state)
    }
}

/// How a run ends.
#[derive(Clone, Debug, PartialEq)]
pub enum ExitKind {
    /// It returns these values.
    Return(Vec<TermId>),
    /// It traps.
    Trap(Trap),
    /// `exit`, with the status.
    Exit(TermId),
    /// A callee of which only this is known did not return.
    Left(TermId),
}

/// How a run ends, for all entry states at once.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// How it ends: a number of 16 bits, see [`how`].
    pub how: TermId,
    /// Whether it returns.
    pub returned: TermId,
    /// The results, if it does.
    pub results: Vec<TermId>,
    /// Whether each of them has a value.
    pub set: Vec<TermId>,
    /// The memory of each region, if it does.
    pub memory: Vec<MemoryId>,
    /// The world at the end.
    pub world: TermId,
    /// Objects that are dead at the end, and when.
    pub freed: BTreeMap<ObjectId, TermId>,
    /// Objects of the entry state that were freed, and when.
    pub released: FreedObjects,
    /// What was called that may have freed some.
    pub lives: TermId,
}

/// The numbers that say how a run ended.
pub mod how {
    use verdiff_model::Trap;

    /// It returned.
    pub const RETURNED: u16 = 0;
    /// It called `exit`.
    pub const EXITED: u16 = 1;
    /// A callee did not return; the callee's own number is in the low byte.
    pub const LEFT: u16 = 0x100;

    /// It trapped.
    pub fn trapped(trap: Trap) -> u16 {
        0x10 + trap as u16
    }
}

impl Outcome {
    /// The outcome of a run with these exits. Where none applies (which execution rules out,
    /// but for values the run cannot have) the last one is taken.
    pub fn of(space: &mut Space, exits: &[Exit]) -> Result<Outcome, LogicError> {
        let mut whole: Option<Outcome> = None;
        for exit in exits.iter().rev() {
            let one = Outcome::of_exit(space, exit)?;
            whole = Some(match whole {
                None => one,
                Some(rest) => {
                    let cond = space.and(&exit.path)?;
                    one.or_else(space, cond, rest)?
                }
            });
        }
        whole.ok_or(LogicError::NoOutcome)
    }

    fn of_exit(space: &mut Space, exit: &Exit) -> Result<Outcome, LogicError> {
        let (truth, falsity) = (space.pool.truth(), space.pool.falsity());
        let mut world = exit.world;
        let (how, results) = match &exit.kind {
            ExitKind::Return(values) => {
                (space.pool.bits(16, how::RETURNED.into())?, values.clone())
            }
            ExitKind::Trap(trap) => (space.pool.bits(16, how::trapped(*trap).into())?, vec![]),
            ExitKind::Exit(status) => {
                // The status is part of the world: its low byte, which is what a parent sees.
                let (sort, seen) = (space.pool.sort(world), space.pool.extract(7, 0, *status)?);
                world = space.world_after(WorldFunction::Exit, &[seen, world], sort)?;
                (space.pool.bits(16, how::EXITED.into())?, vec![])
            }
            ExitKind::Left(number) => {
                let wide = space.pool.zero_extend(8, *number)?;
                let flag = space.pool.bits(16, how::LEFT.into())?;
                (space.pool.bv_or(wide, flag)?, vec![])
            }
        };
        let returned = if matches!(exit.kind, ExitKind::Return(_)) { truth } else { falsity };
        Ok(Outcome {
            how,
            returned,
            results,
            set: exit.set.clone(),
            memory: exit.memory.clone(),
            world,
            freed: exit.freed.clone(),
            released: exit.released.clone(),
            lives: exit.lives,
        })
    }

    /// This outcome if `cond` holds, else the other.
    fn or_else(
        self,
        space: &mut Space,
        cond: TermId,
        other: Outcome,
    ) -> Result<Outcome, LogicError> {
        let how = space.ite(cond, self.how, other.how)?;
        let returned = space.ite(cond, self.returned, other.returned)?;
        let world = space.ite(cond, self.world, other.world)?;
        let falsity = space.pool.falsity();
        // Results and memory matter only where the run returned.
        if self.returned == falsity {
            return Ok(Outcome { how, returned, world, ..other });
        }
        if other.returned == falsity {
            return Ok(Outcome { how, returned, world, ..self });
        }
        let mut both = |a: &[TermId], b: &[TermId]| {
            let pairs = a.iter().zip(b);
            pairs.map(|(a, b)| space.ite(cond, *a, *b)).collect::<Result<Vec<_>, _>>()
        };
        let results = both(&self.results, &other.results)?;
        let set = both(&self.set, &other.set)?;
        let memory = self.memory.iter().zip(&other.memory);
        let memory = memory.map(|(a, b)| space.memories.choose(cond, *a, *b)).collect();
        let mut freed = BTreeMap::new();
        for object in self.freed.keys().chain(other.freed.keys()) {
            let of = |o: &Outcome| o.freed.get(object).copied().unwrap_or(falsity);
            freed.insert(*object, space.ite(cond, of(&self), of(&other))?);
        }
        let released = space.choose_released(cond, &self.released, &other.released)?;
        let lives = space.ite(cond, self.lives, other.lives)?;
        Ok(Outcome { how, returned, results, set, memory, world, freed, released, lives })
    }

    /// When two outcomes differ, for the regions a caller can see (`visible`, with the bytes of
    /// their cells). The addresses at which memory differs are symbols `at.<region>`: the
    /// formula is satisfiable exactly if some address shows a difference.
    pub fn differ(
        space: &mut Space,
        old: &Outcome,
        new: &Outcome,
        floats: &[Option<verdiff_model::FloatKind>],
        visible: &[(usize, u32, String)],
    ) -> Result<TermId, LogicError> {
        let same_how = space.pool.eq(old.how, new.how)?;
        let same_world = space.pool.eq(old.world, new.world)?;
        let mut inside = Vec::new();
        // In any call a result may be uninitialised, and what it holds then nobody sees.
        let has_flags = |o: &Outcome| o.set.len() == o.results.len();
        let flagged = space.is_any_call() && has_flags(old) && has_flags(new);
        for (index, (a, b)) in old.results.iter().zip(&new.results).enumerate() {
            if a != b || space.is_as_built() {
                let (mut a, mut b) = (*a, *b);
                if let Some(kind) = floats.get(index).copied().flatten() {
                    a = one_nan(space, kind, a)?;
                    b = one_nan(space, kind, b)?;
                }
                let same = space.pool.eq(a, b)?;
                let mut other = space.not(same)?;
                if flagged {
                    other = space.and(&[old.set[index], other])?;
                }
                inside.push(other);
            }
        }
        for (a, b) in old.set.iter().zip(&new.set).filter(|(a, b)| a != b) {
            let same = space.pool.eq(*a, *b)?;
            inside.push(space.not(same)?);
        }
        // An object that is dead on one side only. (One that nobody can reach any more counts
        // too: that errs towards "different", which replay then refutes.)
        let falsity = space.pool.falsity();
        let mut dead_on_both = BTreeMap::new();
        for object in old.freed.keys().chain(new.freed.keys()) {
            if !space.object_at(*object).outlives {
                continue;
            }
            let of = |o: &Outcome| o.freed.get(object).copied().unwrap_or(falsity);
            let (a, b) = (of(old), of(new));
            if a != b && !dead_on_both.contains_key(object) {
                let same = space.pool.eq(a, b)?;
                inside.push(space.not(same)?);
            }
            dead_on_both.insert(*object, space.and(&[a, b])?);
        }
        let (apart, released_on_both) = space.released_apart(&old.released, &new.released)?;
        inside.push(apart);
        if old.lives != new.lives {
            let same = space.pool.eq(old.lives, new.lives)?;
            inside.push(space.not(same)?);
        }
        for (region, cell, name) in visible {
            let (mut a, mut b) = (old.memory[*region], new.memory[*region]);
            if a != b && !released_on_both.is_empty() {
                a = space.without_dead(a, &released_on_both)?;
                b = space.without_dead(b, &released_on_both)?;
            }
            if a == b {
                continue;
            }
            let at = space.compare_at(*region, name)?;
            let left = space.read_final(a, at, *cell)?;
            let right = space.read_final(b, at, *cell)?;
            if left == right && !space.is_any_call() {
                continue;
            }
            let same = space.pool.eq(left, right)?;
            let mut seen = vec![space.not(same)?];
            // What has no value on either side is the same to everyone: whoever reads it traps.
            let (in_old, in_new) =
                (space.is_defined(a, at, *cell)?, space.is_defined(b, at, *cell)?);
            seen.push(space.or(&[in_old, in_new])?);
            if space.is_any_call() {
                // A cell that only one version has initialised is a difference, whatever it holds.
                let alike = space.pool.eq(in_old, in_new)?;
                let other = space.and(&seen)?;
                let not_alike = space.not(alike)?;
                seen = vec![space.or(&[not_alike, other])?];
            }
            // What was made during the run and died with it is nobody's business.
            let truth = space.pool.truth();
            let mut gone: Vec<(TermId, TermId, TermId)> = Vec::new();
            // Nor is a large constant, which each version has for itself: whoever writes to it by name traps. Of a call in which
            // only one version names a constant, the other does not know that it is initialised. An object with these contents is a
            // constant in every version that names it ([`Space::object_holding`]), so nothing is there to be compared.
            let large = |space: &Space, size| {
                space.constant(size).is_some_and(|size| size > crate::entry::MAX_CONTENTS)
            };
            let any_call = space.is_any_call();
            for object in space.objects() {
                let whole = || any_call && object.contents.is_some() || large(space, object.size);
                if !object.outlives || object.read_only && whole() {
                    gone.push((object.base, object.size, truth));
                }
            }
            gone.extend(dead_on_both.iter().map(|(id, when)| {
                let object = space.object_at(*id);
                (object.base, object.size, *when)
            }));
            for (base, size, when) in gone {
                let offset = space.sub(at, base)?;
                let within = space.pool.bv_ult(offset, size)?;
                let hidden = space.and(&[within, when])?;
                seen.push(space.not(hidden)?);
            }
            for (start, when) in &released_on_both {
                let lies = space.lies_in(at, *start)?;
                let hidden = space.and(&[lies, *when])?;
                seen.push(space.not(hidden)?);
            }
            inside.push(space.and(&seen)?);
        }
        let any = space.or(&inside)?;
        let returned = space.and(&[old.returned, new.returned, any])?;
        let other_end = space.not(same_how)?;
        let other_world = space.not(same_world)?;
        let (truth, falsity) = (space.pool.truth(), space.pool.falsity());
        let as_built = space.is_as_built();
        let trivially = |same: TermId, a: TermId, b: TermId, other: TermId| {
            // That a formula is the same on both sides is for the other solver to see.
            if (a == b || same == truth) && !as_built { falsity } else { other }
        };
        let other_end = trivially(same_how, old.how, new.how, other_end);
        let other_world = trivially(same_world, old.world, new.world, other_world);
        space.or(&[other_end, other_world, returned])
    }
}

/// The bits of a float with all NaNs made one.
pub fn one_nan(
    space: &mut Space,
    kind: verdiff_model::FloatKind,
    bits: TermId,
) -> Result<TermId, LogicError> {
    use verdiff_model::FloatKind::*;
    let width = u32::from(kind.width());
    let fraction = match kind {
        Half => 10,
        BFloat => 7,
        Single => 23,
        Double => 52,
        X87 => 64,
        Quad => 112,
    };
    // All exponent bits set and a fraction that is not zero (for x87, not just the integer bit).
    let exponent_width = width - fraction - 1;
    let magnitude = space.pool.extract(width - 2, 0, bits)?;
    let infinity: u128 = ((1u128 << exponent_width) - 1) << fraction;
    let infinity = if kind == X87 { infinity | 1 << 63 } else { infinity };
    let infinity = space.pool.bits(width - 1, infinity)?;
    let is_nan = space.pool.bv_ult(infinity, magnitude)?;
    let canonical = space.pool.bits(width, verdiff_model::ops::canonical_nan(kind))?;
    space.ite(is_nan, canonical, bits)
}
