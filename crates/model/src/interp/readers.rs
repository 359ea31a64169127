//! Functions of the library that read text from somewhere: what they put into the buffer that they are given.
//!
//! Nothing is known of what they read, so the function that the interpreter picks for them may give anything ([`unknown`](super::unknown)).
//! It gives what the library could: no more than there is room for, a line with its end, the buffer's address or null. The bytes are
//! letters that parsers look for rather than noise, and depend on the seed as all that is made up does. With seed 0 nothing is read.

use super::Observer;
use super::call::Arg;
use super::exec::Exec;
use super::world::Hash;
use crate::program::External;
use crate::state::Fill;
use crate::types::Type;

/// No more bytes at once.
const MOST: u64 = 96;

/// What is read: words and signs, each as often as it stands here.
const LETTERS: &[u8] = b"aabbccxyzeeAZ0011259  \t==::,,;;##\"\"'[]{}()<>+-*/%._\\\n\n";

/// A function that reads into a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadFunction {
    /// `char *fgets(char *buffer, int size, FILE *)`
    Line,
    /// `size_t fread(void *buffer, size_t size, size_t count, FILE *)`
    Items,
    /// `ssize_t read(int, void *buffer, size_t size)`, and `recv`
    Bytes,
}

/// What a call of a reader gave.
pub(super) struct Read {
    /// What it returns.
    pub(super) result: u128,
    /// The greatest number that it may return, if it returns one.
    most: Option<u64>,
    /// The address that it returns unless it is null.
    address: Option<u64>,
}

impl ReadFunction {
    fn of(external: &External) -> Option<ReadFunction> {
        let (params, results) = (&external.signature.params, &external.signature.results);
        let is = |wanted: &[Type], result: Type| params[..] == *wanted && results[..] == [result];
        let (int, word, ptr) = (Type::Int(32), Type::WORD, Type::Ptr);
        Some(match external.name.as_str() {
            "fgets" if is(&[ptr, int, ptr], ptr) => ReadFunction::Line,
            "fread" if is(&[ptr, word, word, ptr], word) => ReadFunction::Items,
            "read" if is(&[int, ptr, word], word) => ReadFunction::Bytes,
            "recv" if is(&[int, ptr, word, int], word) => ReadFunction::Bytes,
            _ => return None,
        })
    }
}

impl Read {
    /// The argument that is returned: the buffer of `fgets`.
    pub(super) fn argument(&self, results: &[u128]) -> Option<u32> {
        let address = self.address.filter(|address| *address != 0)?;
        (results == [u128::from(address)]).then_some(0)
    }

    /// What the caller of the function sees where the entry state has chosen this result.
    pub(super) fn chosen(&self, bits: u128) -> u128 {
        match (self.address, self.most) {
            (Some(address), _) if bits != 0 => address.into(),
            // A negative number is an error.
            (_, Some(most)) if bits as i64 >= 0 => bits.min(most.into()),
            _ => bits,
        }
    }
}

impl<O: Observer> Exec<'_, '_, O> {
    /// Has a reader read; nothing if it is none.
    pub(super) fn read_text(
        &mut self,
        external: &External,
        args: &[Arg],
        fills: &mut Vec<Fill>,
    ) -> Option<Read> {
        let reader = ReadFunction::of(external)?;
        let word = |index: usize| args.get(index).map_or(0, |arg| arg.bits as u64);
        let (buffer, room) = match reader {
            ReadFunction::Line => (0, u64::from(word(1) as u32).saturating_sub(1)),
            ReadFunction::Items => (0, word(1).saturating_mul(word(2))),
            ReadFunction::Bytes => (1, word(2)),
        };
        let size = word(1).max(1);
        let address = (reader == ReadFunction::Line).then_some(word(0));
        let most = match reader {
            ReadFunction::Line => None,
            ReadFunction::Items => Some(word(2)),
            ReadFunction::Bytes => Some(room),
        };
        let nothing = Read { result: 0, most, address };
        let seed = self.run.world.outside.seed;
        let mut hash = Hash::new(self.run.world.hash() ^ seed);
        hash.word(seed);
        let mut next = |below: u64| {
            hash.word(below);
            (hash.finish() >> 8) % below
        };
        // It ends now and then: loops do.
        if seed == 0 || room == 0 || i64::try_from(room).is_err() || next(4) == 0 {
            return Some(nothing);
        }
        let most_now = if next(2) == 0 { 12 } else { MOST };
        let length = 1 + next(room.min(most_now));
        let mut bytes: Vec<u8> =
            (0..length).map(|_| LETTERS[next(LETTERS.len() as u64) as usize]).collect();
        if reader == ReadFunction::Line {
            let end = bytes.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| at + 1);
            bytes.truncate(end);
            bytes.push(0);
        }
        let to = word(buffer as usize);
        if self.run.mem.put(self.shared.program, to, &bytes, 1).is_err() {
            return Some(nothing);
        }
        fills.push(Fill { arg: buffer, offset: 0, bytes });
        let result = match reader {
            ReadFunction::Line => word(0),
            ReadFunction::Items => length / size,
            ReadFunction::Bytes => length,
        };
        Some(Read { result: result.into(), most, address })
    }
}
