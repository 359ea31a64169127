//! Maps whose newest entries can be forgotten.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// A map in layers: what is entered belongs to the newest layer.
pub(super) struct Layers<K, V> {
    layers: Vec<FxHashMap<K, V>>,
}

impl<K: Hash + Eq, V> Layers<K, V> {
    pub(super) fn new() -> Layers<K, V> {
        Layers { layers: vec![FxHashMap::default()] }
    }

    pub(super) fn push(&mut self) {
        self.layers.push(FxHashMap::default());
    }

    pub(super) fn pop(&mut self) {
        if self.layers.len() > 1 {
            self.layers.pop();
        }
    }

    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.layers.iter().rev().find_map(|layer| layer.get(key))
    }

    /// An entry of the oldest layer, which is never forgotten.
    pub(super) fn lasting(&self, key: &K) -> Option<&V> {
        self.layers.first().and_then(|layer| layer.get(key))
    }

    pub(super) fn insert(&mut self, key: K, value: V) {
        if let Some(layer) = self.layers.last_mut() {
            layer.insert(key, value);
        }
    }

    /// Enters something that is never forgotten.
    pub(super) fn insert_lasting(&mut self, key: K, value: V) {
        if let Some(layer) = self.layers.first_mut() {
            layer.insert(key, value);
        }
    }
}
