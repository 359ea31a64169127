//! The part of a store that is about one thing: every key has what that thing is in it.

use crate::key::{Key, KeyBuilder};
use crate::store::Store;
use std::sync::{Arc, LazyLock};

/// Says what the results are about; `None` if that cannot be written down, and then nothing is kept.
type About = Box<dyn FnOnce() -> Option<KeyBuilder> + Send>;

/// Results about one thing.
pub struct Scope {
    store: Arc<Store>,
    about: LazyLock<Option<KeyBuilder>, About>,
}

impl Scope {
    /// Results about what `about` writes down, which is asked when it is first needed.
    pub fn new(
        store: Arc<Store>,
        about: impl FnOnce() -> Option<KeyBuilder> + Send + 'static,
    ) -> Scope {
        let about: About = Box::new(about);
        Scope { store, about: LazyLock::new(about) }
    }

    /// Begins a key for results of a kind.
    pub fn key(&self, kind: &str) -> Option<KeyBuilder> {
        let about = self.about.as_ref()?.done();
        Some(Key::of(kind).with(about.as_str().as_bytes()))
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }
}
