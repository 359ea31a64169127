//! How an entry is written: what it is, a hash of its key and contents, the contents.

use crate::key::Key;

/// What every entry begins with. Entries of another form are none.
const MAGIC: &[u8] = b"verdiff-cache/1\n";
/// How long a hash is.
const HASH: usize = blake3::OUT_LEN;

/// An entry's file.
pub fn encode(key: &Key, contents: &[u8]) -> Vec<u8> {
    [MAGIC, &hash(key, contents), contents].concat()
}

/// What an entry's file holds; `None` if it is no entry of this key, or not as it was written.
pub fn decode(key: &Key, mut file: Vec<u8>) -> Option<Vec<u8>> {
    let rest = file.strip_prefix(MAGIC)?;
    let (expected, contents) = rest.split_at_checked(HASH)?;
    if hash(key, contents) != expected {
        return None;
    }
    file.drain(..MAGIC.len() + HASH);
    Some(file)
}

fn hash(key: &Key, contents: &[u8]) -> [u8; HASH] {
    let mut hasher = blake3::Hasher::new();
    // A key has one length, so where it ends is known.
    hasher.update(key.as_str().as_bytes()).update(contents);
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_damaged_anywhere_is_no_entry(
            contents in prop::collection::vec(any::<u8>(), 0..200),
            at in any::<prop::sample::Index>(),
            bit in 0..8,
            cut in any::<prop::sample::Index>(),
        ) {
            let (key, other) = (Key::of("a").done(), Key::of("b").done());
            let file = encode(&key, &contents);
            prop_assert_eq!(decode(&key, file.clone()), Some(contents));
            prop_assert_eq!(decode(&other, file.clone()), None);
            let mut damaged = file.clone();
            damaged[at.index(file.len())] ^= 1_u8 << bit;
            prop_assert_eq!(decode(&key, damaged), None);
            prop_assert_eq!(decode(&key, file[..cut.index(file.len())].to_vec()), None);
            prop_assert_eq!(decode(&key, [&file[..], b"x"].concat()), None);
        }
    }
}
