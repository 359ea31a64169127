//! Remembers models and unsatisfiable sets.
//!
//! Two facts make it more than a table: a model that makes a query true answers it, whatever query
//! it came from; and a query that contains an unsatisfiable set is unsatisfiable. `unknown` is
//! never remembered: the next limit may be larger.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::assignment::Assignment;
use crate::term::{TermId, TermPool};

use super::validate::first_false;
use super::{Answer, Decide, Limits, Query};

/// How many of the latest models are tried.
const RECENT_MODELS: usize = 8;

/// Queries remembered before all are forgotten.
const MAX_QUERIES: usize = 100_000;

/// Unsatisfiable sets that are kept for one member.
const MAX_SETS: usize = 32;

/// How often the cache had the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheStatistics {
    /// The very same query was there.
    pub same_query: u64,
    /// A model of another query was one of this too.
    pub other_model: u64,
    /// The query contained a set known to be unsatisfiable.
    pub core: u64,
    /// The layer below was asked.
    pub misses: u64,
}

/// Answers from memory where it can.
pub struct Cached<D> {
    inner: D,
    pool: u64,
    /// Satisfiable queries, as sorted terms.
    models: FxHashMap<Vec<TermId>, Assignment>,
    recent: VecDeque<Assignment>,
    /// Unsatisfiable sets, each sorted, under their largest member.
    cores: FxHashMap<TermId, Vec<Vec<TermId>>>,
    statistics: CacheStatistics,
}

impl<D: Decide> Cached<D> {
    /// A layer over `inner`.
    pub fn new(inner: D) -> Cached<D> {
        Cached {
            inner,
            pool: 0,
            models: FxHashMap::default(),
            recent: VecDeque::new(),
            cores: FxHashMap::default(),
            statistics: CacheStatistics::default(),
        }
    }

    /// How often the cache had the answer.
    pub fn statistics(&self) -> CacheStatistics {
        self.statistics
    }

    fn forget(&mut self, pool: &TermPool) {
        self.pool = pool.id();
        self.models.clear();
        self.recent.clear();
        self.cores.clear();
    }

    /// The core of a known unsatisfiable set within the query.
    fn known_core(&self, key: &[TermId], query: &Query<'_>) -> Option<Vec<TermId>> {
        let members: FxHashSet<TermId> = key.iter().copied().collect();
        for largest in key {
            let Some(sets) = self.cores.get(largest) else { continue };
            if let Some(set) = sets.iter().find(|set| set.iter().all(|t| members.contains(t))) {
                let needed = query.assumptions.iter().filter(|t| set.contains(t));
                return Some(needed.copied().collect());
            }
        }
        None
    }

    fn remember_core(&mut self, query: &Query<'_>, core: &[TermId]) {
        let mut set = query.assertions.to_vec();
        set.extend_from_slice(core);
        set.sort_unstable();
        set.dedup();
        let Some(largest) = set.last() else { return };
        let sets = self.cores.entry(*largest).or_default();
        if sets.len() < MAX_SETS {
            sets.push(set);
        }
    }
}

impl<D: Decide> Decide for Cached<D> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        if self.pool != pool.id() || self.models.len() + self.cores.len() > MAX_QUERIES {
            self.forget(pool);
        }
        let mut key = query.all();
        key.sort_unstable();
        key.dedup();
        if let Some(model) = self.models.get(&key) {
            self.statistics.same_query += 1;
            return Answer::Sat(model.clone());
        }
        if let Some(core) = self.known_core(&key, query) {
            self.statistics.core += 1;
            return Answer::Unsat { core };
        }
        let fits = |model: &&Assignment| first_false(pool, query, model).is_none();
        if let Some(model) = self.recent.iter().find(fits) {
            self.statistics.other_model += 1;
            let mut model = model.clone();
            // Only what the query speaks of: the rest belongs to other queries.
            let names = pool.free_names(&key);
            model.retain(
                |s| names.symbols.binary_search(&s).is_ok(),
                |f| names.functions.binary_search(&f).is_ok(),
            );
            self.models.insert(key, model.clone());
            return Answer::Sat(model);
        }
        self.statistics.misses += 1;
        let answer = self.inner.decide(pool, query, limits);
        match &answer {
            Answer::Sat(model) => {
                self.models.insert(key, model.clone());
                self.recent.push_front(model.clone());
                self.recent.truncate(RECENT_MODELS);
            }
            Answer::Unsat { core } => self.remember_core(query, core),
            Answer::Unknown(_) => {}
        }
        answer
    }
}
