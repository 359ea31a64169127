//! What is known of pairs while a run goes on, and how keys of the cache speak of it.

use crate::cache::{Cache, WholeQuestion, known};
use crate::limits::PartialJobs;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_cache::Key;
use verdiff_judge::{Judgement, Judgements, PairId};
use verdiff_logic::effort::Effort;

/// The judgements of a run.
#[derive(Default)]
pub(crate) struct Known {
    judgements: Judgements,
    /// Hashes of those that were part of a key: each is part of the keys of all callers.
    hashes: RefCell<BTreeMap<PairId, Key>>,
}

impl Known {
    /// All of them.
    pub(crate) fn all(&self) -> &Judgements {
        &self.judgements
    }

    /// What is known of a pair.
    pub(crate) fn get(&self, pair: PairId) -> Option<&Judgement> {
        self.judgements.get(&pair)
    }

    /// Notes what is known of a pair now.
    pub(crate) fn insert(&mut self, pair: PairId, judgement: Judgement) {
        self.hashes.get_mut().remove(&pair);
        self.judgements.insert(pair, judgement);
    }

    /// What is known of these pairs, as jobs have it.
    pub(crate) fn for_job(&self, pairs: &BTreeSet<PairId>) -> Judgements {
        let known = |pair: &PairId| Some((*pair, slim(self.get(*pair)?)));
        pairs.iter().filter_map(known).collect()
    }

    /// Has the hashes of all that is known of these pairs. Whether all of it could be written down.
    fn hash(&self, pairs: &BTreeSet<PairId>) -> bool {
        let mut hashes = self.hashes.borrow_mut();
        pairs.iter().all(|pair| {
            let Some(judgement) = self.get(*pair) else { return true };
            if !hashes.contains_key(pair) {
                let Some(hash) = known(&slim(judgement)) else { return false };
                hashes.insert(*pair, hash);
            }
            true
        })
    }

    /// The key of a question about a pair in the numbers of the whole: of [the same](Known::for_job) as the job, in another form.
    pub(crate) fn whole_key(
        &self,
        cache: &Cache,
        (pair, judgement): (PairId, &Judgement),
        rests_on: &BTreeSet<PairId>,
        effort: Effort,
        parts: PartialJobs,
    ) -> Option<Key> {
        if !self.hash(rests_on) {
            return None;
        }
        let hashes = self.hashes.borrow();
        let hash = |pair: &PairId| (*pair, hashes.get(pair).map(Key::as_str));
        let judgements = rests_on.iter().map(hash).collect();
        cache.whole_key(&WholeQuestion { pair, judgement, judgements, effort, parts })
    }
}

/// A judgement without its evidence, which callers do not need.
fn slim(judgement: &Judgement) -> Judgement {
    judgement.without_evidence()
}
