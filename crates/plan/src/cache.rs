//! Judgements that were made before.
//!
//! A worker is a function of its job: what it answers follows from the comparison, the pair, what is known of it and of its callees, and the
//! effort that it may spend; its memory begins afresh with each job (docs/internals/effort.md), and of the clock and of memory it says whether
//! they have cut it short. So the key of an answer is the hash of the whole job, together with what the worker itself consists of: this
//! version of verdiff and the solver's. Nothing that a worker can read is left out of the key, by construction: there is no list of
//! what matters that could be incomplete. What is left out of a job is not read: it contains the [part](verdiff_engines::reduced) of both
//! programs that its pair rests on, in numbers of its own, so that changes elsewhere leave it as it is. Answers are kept in these
//! numbers.
//!
//! The clock is no part of it. An answer that the clock, want of memory, an interruption or an internal error had a part in is not kept; nor is one
//! whose predicted difference was refuted when it was run. So all that is kept would be found again.

use crate::job::Judged;
use crate::run::{PairResult, Plan, Results};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use verdiff_cache::{Key, Scope, Store};
use verdiff_judge::{
    Addition, Comparison, Incomplete, Judgement, Judgements, PairId, Replay, StopReason,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::Z3;

/// What answers of workers are called. It changes with their form.
const ANSWER: &str = "verdiff-judgement/2";
/// The same for judgements that have grown by a confirmed difference.
const GROWTH: &str = "verdiff-growth/1";

/// The part of a store that is about one comparison. `tool` is what tells this build of verdiff from all others.
pub fn scope(store: Arc<Store>, tool: &str, comparison: Arc<Comparison>) -> Scope {
    let tool = tool.to_owned();
    Scope::new(store, move || {
        let key = Key::of("verdiff-comparison/1").with(tool.as_bytes());
        let key = key.with(Z3::version().as_bytes());
        key.with_written(|part| serde_json::to_writer(part, &*comparison)).ok()
    })
}

/// Judgements of one comparison.
pub struct Cache {
    scope: Arc<Scope>,
    /// What tells this build of verdiff from all others.
    tool: String,
    /// Under which keys the answers of this run are kept.
    keys: Mutex<BTreeMap<PairId, Key>>,
}

/// A job, as far as its answer depends on it.
#[derive(Serialize)]
pub(crate) struct Question<'a> {
    /// What the pair needs of both versions; `None` if that is all of them.
    pub part: Option<&'a Comparison>,
    pub pair: PairId,
    pub judgement: &'a Judgement,
    pub judgements: &'a Judgements,
    pub effort: Effort,
}

impl Cache {
    /// Judgements in the part of a store that is about the comparison.
    pub fn new(scope: Arc<Scope>, tool: &str) -> Cache {
        Cache { scope, tool: tool.to_owned(), keys: Mutex::default() }
    }

    fn key_of(&self, kind: &str, what: &impl Serialize) -> Option<Key> {
        let key = self.scope.key(kind)?;
        Some(key.with_written(|part| serde_json::to_writer(part, what)).ok()?.done())
    }

    fn read<T: DeserializeOwned>(&self, key: &Key) -> Option<T> {
        serde_json::from_slice(&self.scope.store().get(key)?).ok()
    }

    fn write(&self, key: &Key, what: &impl Serialize) {
        if let Ok(text) = serde_json::to_vec(what) {
            self.scope.store().put(key, &text);
        }
    }

    pub(crate) fn key(&self, question: &Question<'_>) -> Option<Key> {
        // What the whole comparison is was written down once for all of its keys.
        if question.part.is_none() {
            return self.key_of(ANSWER, question);
        }
        let key = Key::of(ANSWER).with(self.tool.as_bytes()).with(Z3::version().as_bytes());
        Some(key.with_written(|part| serde_json::to_writer(part, question)).ok()?.done())
    }

    /// The answer to a question about `asked`, which is `pair` here.
    pub(crate) fn get(&self, key: &Key, asked: PairId, pair: PairId) -> Option<Judged> {
        let judged: Judged = self.read(key)?;
        // Nothing else is put there; who reads files believes nothing.
        if judged.pair != asked || judged.interim || !is_kept(&judged) {
            return None;
        }
        self.note(pair, key);
        Some(judged)
    }

    /// Keeps the answer about what is `pair` here.
    pub(crate) fn put(&self, key: &Key, judged: &Judged, pair: PairId) {
        if is_kept(judged) {
            self.write(key, &judged.with_loading(Duration::ZERO));
            self.note(pair, key);
        }
    }

    fn note(&self, pair: PairId, key: &Key) {
        if let Ok(mut keys) = self.keys.lock() {
            keys.insert(pair, key.clone());
        }
    }

    /// What was kept of a pair is not to be used again.
    pub(crate) fn forget(&self, pair: PairId) {
        if let Some(key) = self.keys.lock().ok().and_then(|mut keys| keys.remove(&pair)) {
            self.scope.store().forget(&key);
        }
    }

    /// What the judgement of a pair became when this was added to it: what the solver says of that follows from both and from
    /// what entry states of the pair are.
    pub(crate) fn grown(
        &self,
        pair: PairId,
        before: &Judgement,
        addition: &Addition,
    ) -> Option<Judgement> {
        self.read(&self.key_of(GROWTH, &(pair, before, addition))?)
    }

    /// Keeps what it became.
    pub(crate) fn put_grown(
        &self,
        pair: PairId,
        before: &Judgement,
        addition: &Addition,
        after: &Judgement,
    ) {
        if let Some(key) = self.key_of(GROWTH, &(pair, before, addition)) {
            self.write(&key, after);
        }
    }
}

/// Whether another run with the same job would give the same answer.
fn is_kept(judged: &Judged) -> bool {
    let stays = match &judged.stopped {
        None | Some(StopReason::Unsupported { .. } | StopReason::Time) => true,
        Some(StopReason::Incomplete { why }) => {
            !matches!(why, Incomplete::Interrupted | Incomplete::InterruptedBefore)
        }
        Some(StopReason::Memory | StopReason::Internal { .. }) => false,
    };
    // That time is over and no clock says so means that the counted work was.
    stays && !judged.clock_expired
}

impl Plan<'_> {
    /// A prediction that did not come true, or a contradiction, says that something is wrong: nothing of that is kept.
    pub(crate) fn forget_contradictions(&self, results: &Results) {
        let Some(cache) = &self.cache else { return };
        let wrong = |result: &PairResult| {
            let mut witnesses = result.witnesses.iter();
            witnesses.any(|witness| matches!(witness.replay, Replay::Refuted { .. }))
                || matches!(result.judged.stopped, Some(StopReason::Internal { .. }))
        };
        for (pair, _) in results.pairs.iter().filter(|(_, result)| wrong(result)) {
            cache.forget(*pair);
        }
    }
}
