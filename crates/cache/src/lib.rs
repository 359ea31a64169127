//! Results by the content of what they were made from: a folder of checked entries.
//!
//! A [`Key`] is the hash of everything that was read to make a result. A [`Store`] keeps results by their keys in a
//! folder, with further folders that are only read. It is never needed: whatever goes wrong with it (a damaged file, a
//! full disk, no permission) is a miss, and a run does what it would have done without.
//!
//! - An entry is one file. It is written under another name and then renamed, so nobody sees a part of it, and several
//!   runs may write at once: under one key all of them write the same.
//! - It begins with a hash of its key and contents. What does not match is no entry; it is removed, and the next result
//!   takes its place.
//! - The size is limited. What was not used for longest goes first.
//!
//! Why files and no embedded database is measured in docs/internals/cache.md.
//!
//! Architecture invariant: this crate knows bytes and keys, and nothing of what they mean.
//!
//! ```
//! use verdiff_cache::{Key, Store};
//! let folder = tempfile::tempdir()?;
//! let store = Store::new(folder.path());
//! let key = Key::of("square/1").with(b"12").done();
//! assert_eq!(store.get(&key), None);
//! store.put(&key, b"144");
//! assert_eq!(store.get(&key).as_deref(), Some(&b"144"[..]));
//! # Ok::<(), std::io::Error>(())
//! ```

#![forbid(unsafe_code)]

mod entry;
mod key;
mod maintenance;
mod scope;
mod store;

pub use key::{Key, KeyBuilder};
pub use maintenance::{Statistics, Verified};
pub use scope::Scope;
pub use store::{DEFAULT_LIMIT, Store};
