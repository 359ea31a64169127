//! `qsort` and `bsearch`, which call back into the program.

use super::super::Observer;
use super::super::call::Arg;
use super::super::exec::Exec;
use super::super::loop_exit::Stop;
use super::host::word;
use crate::state::{PointerTarget, StopReason};
use crate::stmt::{Signature, Trap};
use crate::types::Type;

/// How many comparisons may be active within each other.
const MAX_CALLBACKS: u32 = 64;

impl<O: Observer> Exec<'_, '_, O> {
    /// `qsort`: a stable merge sort, as glibc's is while memory lasts. Comparisons are made on the array
    /// as it was; the order is put into effect at the end.
    pub(super) fn sort(&mut self, args: &[Arg]) -> Result<(), Stop> {
        let [base, count, size, compare] = [0, 1, 2, 3].map(|i| word(args[i]));
        if count < 2 || size == 0 {
            return Ok(());
        }
        let Some(bytes) = count.checked_mul(size) else { return Err(Trap::OutOfBounds.into()) };
        // Nothing is sorted that could not be read and written.
        let program = self.shared.program;
        self.run.mem.copy(program, base, base, bytes, 1)?;
        let order = self.merge_sorted(0, count, &|at| base + at * size, compare)?;

        let buffer =
            self.run.mem.allocate(super::super::memory::AllocationKind::Local, bytes, false)?;
        for (to, from) in order.into_iter().enumerate() {
            let (to, from) = (buffer + to as u64 * size, base + from * size);
            self.run.mem.copy(program, to, from, size, 1)?;
        }
        self.run.mem.copy(program, base, buffer, bytes, 1)?;
        self.run.mem.end_local(buffer);
        Ok(())
    }

    /// The positions from `first` to `end` in order of what they hold.
    fn merge_sorted(
        &mut self,
        first: u64,
        end: u64,
        address: &dyn Fn(u64) -> u64,
        compare: u64,
    ) -> Result<Vec<u64>, Stop> {
        if end - first < 2 {
            return Ok((first..end).collect());
        }
        let middle = first + (end - first) / 2;
        let left = self.merge_sorted(first, middle, address, compare)?;
        let right = self.merge_sorted(middle, end, address, compare)?;
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut i, mut j) = (0, 0);
        while i < left.len() && j < right.len() {
            if self.order(compare, address(left[i]), address(right[j]))? <= 0 {
                merged.push(left[i]);
                i += 1;
            } else {
                merged.push(right[j]);
                j += 1;
            }
        }
        merged.extend_from_slice(&left[i..]);
        merged.extend_from_slice(&right[j..]);
        Ok(merged)
    }

    /// `bsearch`, with glibc's choice of the middle.
    pub(super) fn search(&mut self, args: &[Arg]) -> Result<u128, Stop> {
        let [key, base, count, size, compare] = [0, 1, 2, 3, 4].map(|i| word(args[i]));
        let (mut low, mut high) = (0, count);
        while low < high {
            let middle = low + (high - low) / 2;
            let element = base.wrapping_add(middle.wrapping_mul(size));
            match self.order(compare, key, element)? {
                0 => return Ok(u128::from(element)),
                order if order < 0 => high = middle,
                _ => low = middle + 1,
            }
        }
        Ok(0)
    }

    /// What the program's comparison says of two addresses.
    fn order(&mut self, compare: u64, a: u64, b: u64) -> Result<i32, Stop> {
        let arg = |address| Arg { ty: Type::Ptr, bits: u128::from(address) };
        let args = [arg(a), arg(b)];
        let bad = Err(Trap::BadCall.into());
        let pointer = self.run.mem.symbolic(compare);
        if pointer.offset != 0 {
            return bad;
        }
        let program = self.shared.program;
        match pointer.target {
            PointerTarget::External(id) => match self.shared.builtins.get(id.index()) {
                Some(Some(builtin))
                    if program.external(id).signature.params == [Type::Ptr; 2]
                        && program.external(id).signature.results == [Type::Int(32)] =>
                {
                    self.builtin(*builtin, id, &args).map(|order| order as i32)
                }
                _ => bad,
            },
            PointerTarget::Procedure(id) if id.index() < program.procedures.len() => {
                let compares = |own: &Signature| {
                    own.params == [Type::Ptr; 2] && own.results == [Type::Int(32)]
                };
                if !program.procedure(id).may_be_called_as(compares) {
                    return bad;
                }
                // The interpreter itself recurses here, on a stack that is not the program's.
                if self.run.callbacks >= MAX_CALLBACKS {
                    return Err(StopReason::StackDepth.into());
                }
                self.run.callbacks += 1;
                let depth = self.run.frames.len();
                let code = self.push_frame(id, 0)?;
                for (place, arg) in code.params.iter().zip(&args) {
                    self.give(&[*place], &[arg.bits]);
                }
                self.execute(depth)?;
                self.run.callbacks -= 1;
                Ok(self.run.returned.first().map_or(0, |(_, bits, _)| *bits as i32))
            }
            _ => bad,
        }
    }
}
