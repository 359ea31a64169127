//! Keys: hashes of everything that was read to make a result.

use std::io::{self, BufWriter, Write};

/// The name of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(String);

impl Key {
    /// Begins a key for results of a kind. The kind changes whenever results are written in another way.
    pub fn of(kind: &str) -> KeyBuilder {
        KeyBuilder { hasher: blake3::Hasher::new() }.with(kind.as_bytes())
    }

    /// As hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key that digits or a file name stand for, if they stand for one.
    pub fn parse(text: &str) -> Option<Key> {
        let digit = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        (text.len() == 64 && text.bytes().all(digit)).then(|| Key(text.to_owned()))
    }
}

/// A key that is being made.
#[derive(Clone, Debug)]
pub struct KeyBuilder {
    hasher: blake3::Hasher,
}

impl KeyBuilder {
    /// With a further part. Where one part ends and the next begins is part of the key.
    #[must_use]
    pub fn with(mut self, part: &[u8]) -> KeyBuilder {
        self.hasher.update(&(part.len() as u64).to_le_bytes());
        self.hasher.update(part);
        self
    }

    /// With a further part that is written piece by piece.
    ///
    /// # Errors
    /// What `write` gives back; the key is then none.
    pub fn with_written<E>(
        self,
        write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
    ) -> Result<KeyBuilder, E> {
        // Hashing many bytes at a time is faster.
        let mut part = BufWriter::new(Part(blake3::Hasher::new()));
        write(&mut part)?;
        // Writing to a hasher never fails.
        let _ = part.flush();
        Ok(self.with(part.get_ref().0.finalize().as_bytes()))
    }

    /// The key.
    pub fn done(&self) -> Key {
        Key(self.hasher.finalize().to_hex().to_string())
    }
}

/// A part that is being written.
struct Part(blake3::Hasher);

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_counts_and_so_does_where_it_ends() {
        let keys = [
            Key::of("a").done(),
            Key::of("b").done(),
            Key::of("a").with(b"").done(),
            Key::of("a").with(b"xy").done(),
            Key::of("a").with(b"x").with(b"y").done(),
            Key::of("a").with(b"y").with(b"x").done(),
            Key::of("ax").with(b"y").done(),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}");
            assert_eq!(Key::parse(key.as_str()).as_ref(), Some(key));
        }
        assert_eq!(Key::parse("../../etc"), None);
    }

    #[test]
    fn a_part_may_be_written_in_pieces() {
        let whole = Key::of("a").with_written(|w| w.write_all(b"xyz")).unwrap().done();
        let pieces = Key::of("a").with_written(|w| {
            w.write_all(b"x")?;
            w.write_all(b"yz")
        });
        assert_eq!(whole, pieces.unwrap().done());
        assert!(Key::of("a").with_written(|_| Err(())).is_err());
    }
}
