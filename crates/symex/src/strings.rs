//! Strings whose length is known: literals, and what was built from constants.
//!
//! `strlen` of one is a constant, and `strcmp` with one looks at no more bytes than it has; both
//! are then exact. A string of unknown length stays with the uninterpreted function.

use crate::execute::{Executor, Flow, Stop};
use crate::outcome::Exit;
use crate::space::{Origin, PointedTo};
use crate::state::{Path, State};
use verdiff_logic::TermId;
use verdiff_model::{Loc, Trap};

impl Executor<'_> {
    /// The length of a string whose bytes are known, if it is so.
    pub(crate) fn known_length(
        &mut self,
        state: &State,
        region: usize,
        addr: TermId,
    ) -> Result<Option<TermId>, Stop> {
        const LONGEST: u64 = 256;
        if self.cell(region) != 1 {
            return Ok(None);
        }
        for length in 0..LONGEST {
            let at = self.space.offset(addr, length)?;
            let byte = self.space.read(state.memory[region], at, 1, true)?;
            let byte = self.space.tidy(byte)?;
            match self.space.constant(byte) {
                Some(0) => return Ok(Some(self.space.pool.bits(64, length.into())?)),
                Some(_) => {}
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// `strcmp`, `strncmp` or `memcmp` (`stops_at_zero` is false), exactly as glibc computes it: the
    /// difference of the first bytes that differ. `None` if the number of bytes to look at
    /// is not known, or one of them may be unwritten.
    #[expect(clippy::too_many_arguments, reason = "two strings and a state")]
    pub(crate) fn compare_strings(
        &mut self,
        strings: [(usize, TermId); 2],
        most: Option<TermId>,
        stops_at_zero: bool,
        state: &mut State,
        path: &mut Path,
        exits: &mut Vec<Exit>,
        loc: Loc,
    ) -> Result<Option<(TermId, Flow)>, Stop> {
        const LONGEST: u64 = 64;
        // Which bytes of an object of any size are there is not said byte by byte.
        let any_size = self.space.pointed_to() != PointedTo::LargeEnough;
        for (_, addr) in strings {
            if any_size && !matches!(self.space.origin(addr), Origin::Object(_)) {
                return Ok(None);
            }
        }
        let mut count = match most {
            Some(most) => self.space.constant(most),
            None => None,
        };
        if most.is_some() && count.is_none() {
            return Ok(None);
        }
        if stops_at_zero {
            for (region, addr) in strings {
                if let Some(length) = self.known_length(state, region, addr)? {
                    let with_zero = self.space.constant(length).map(|l| l + 1);
                    count = [count, with_zero].into_iter().flatten().min();
                }
            }
        }
        let zero = self.space.pool.bits(32, 0)?;
        let count = match count {
            Some(0) => return Ok(Some((zero, Flow::On))),
            Some(count) if count <= LONGEST && strings.iter().all(|(r, _)| self.cell(*r) == 1) => {
                count
            }
            _ => return Ok(None),
        };
        let mut bytes = Vec::new();
        for index in 0..count {
            let mut pair = Vec::new();
            for (region, addr) in strings {
                let at = self.space.offset(addr, index)?;
                if self.space.is_defined(state.memory[region], at, 1)? != self.space.pool.truth() {
                    return Ok(None);
                }
                pair.push(self.space.read(state.memory[region], at, 1, true)?);
            }
            bytes.push((pair[0], pair[1]));
        }
        for (_, addr) in strings {
            if self.access(state, path, exits, addr, 1, 1, false, loc)? == Flow::Dead {
                return Ok(Some((zero, Flow::Dead)));
            }
        }
        // A byte is looked at only if all before it were equal and did not end the strings.
        let mut going = self.space.pool.truth();
        for (index, (a, b)) in bytes.iter().enumerate() {
            for (_, addr) in strings.iter().filter(|_| index > 0) {
                let at = self.space.offset(*addr, index as u64)?;
                let there = self.byte_is_there(at)?;
                let past = self.space.not(going)?;
                let ok = self.space.or(&[past, there])?;
                if self.check(state, path, exits, ok, Trap::OutOfBounds, loc)? == Flow::Dead {
                    return Ok(Some((zero, Flow::Dead)));
                }
            }
            let same = self.space.pool.eq(*a, *b)?;
            let mut goes_on = vec![going, same];
            if stops_at_zero {
                let end = self.space.pool.bits(8, 0)?;
                let ends = self.space.pool.eq(*a, end)?;
                goes_on.push(self.space.not(ends)?);
            }
            going = self.space.and(&goes_on)?;
            going = self.space.tidy(going)?;
        }
        let mut result = zero;
        for (a, b) in bytes.into_iter().rev() {
            let (wide_a, wide_b) =
                (self.space.pool.zero_extend(24, a)?, self.space.pool.zero_extend(24, b)?);
            let difference = self.space.pool.bv_sub(wide_a, wide_b)?;
            let same = self.space.pool.eq(a, b)?;
            let same = self.space.tidy(same)?;
            let rest = if stops_at_zero {
                let end = self.space.pool.bits(8, 0)?;
                let ends = self.space.pool.eq(a, end)?;
                let ends = self.space.tidy(ends)?;
                self.space.ite(ends, zero, result)?
            } else {
                result
            };
            result = self.space.ite(same, rest, difference)?;
        }
        Ok(Some((self.space.tidy(result)?, Flow::On)))
    }
}
