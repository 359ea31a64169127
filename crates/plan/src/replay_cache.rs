//! Differences that an earlier run has confirmed.
//!
//! What compiled programs do with an input was seen once, and they have not changed: the key has the comparison, both versions' bitcode, and the
//! candidate. Still a difference is run again in every run, unless the user says otherwise: that costs little, and it is what a
//! reader trusts.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use verdiff_cache::{Key, Scope};
use verdiff_judge::{Candidate, Confirm, Confirmed, PairId, Replayed};

/// What replays are called. It changes with their form, and with what is run.
const KIND: &str = "verdiff-replay/2";

/// Asks another one to run candidates, and keeps what was confirmed.
pub struct ReplayCache<'a> {
    inner: &'a mut dyn Confirm,
    scope: Arc<Scope>,
    /// What tells the compiled programs from all others.
    programs: String,
    /// Whether what was confirmed before is not run again.
    trusted: bool,
}

impl<'a> ReplayCache<'a> {
    /// Keeps what `inner` confirms, and if it is `trusted` does not ask again.
    pub fn new(
        inner: &'a mut dyn Confirm,
        scope: Arc<Scope>,
        programs: &str,
        trusted: bool,
    ) -> ReplayCache<'a> {
        ReplayCache { inner, scope, programs: programs.to_owned(), trusted }
    }

    fn key(&self, pair: PairId, candidate: &Candidate) -> Option<Key> {
        let key = self.scope.key(KIND)?.with(self.programs.as_bytes());
        let what = (pair, candidate);
        Some(key.with_written(|part| serde_json::to_writer(part, &what)).ok()?.done())
    }

    fn before(&self, pair: PairId, candidate: &Candidate) -> Option<Replayed> {
        if !self.trusted {
            return None;
        }
        let text = self.scope.store().get(&self.key(pair, candidate)?)?;
        let KeptReplay { asked, confirmed } = serde_json::from_slice(&text).ok()?;
        let is_it = asked == *candidate && is_kept(&confirmed);
        is_it.then_some(Replayed { confirmed: Some(confirmed), time: Duration::ZERO })
    }

    fn keep(&self, pair: PairId, candidate: &Candidate, replayed: &Replayed) {
        if let Some(confirmed) = replayed.confirmed.clone().filter(is_kept)
            && let Some(key) = self.key(pair, candidate)
            && let Ok(text) =
                serde_json::to_vec(&KeptReplay { asked: candidate.clone(), confirmed })
        {
            self.scope.store().put(&key, &text);
        }
    }
}

/// What came of a candidate.
#[derive(Serialize, Deserialize)]
struct KeptReplay {
    /// The candidate as it was predicted.
    asked: Candidate,
    /// What was seen. Its candidate may be another one: it is made smaller before it is run, and what an engine said about
    /// other states is taken back where no interpreter could follow the run.
    confirmed: Confirmed,
}

/// What was seen is kept, and that nothing was to be seen; not what was refuted, and not where the clock, the user, the compiler or the
/// system had a part in it. What could not be confirmed stays so only for who does not want known differences to be run again.
fn is_kept(confirmed: &Confirmed) -> bool {
    confirmed.replay.is_confirmed() || confirmed.replay.is_settled()
}

impl Confirm for ReplayCache<'_> {
    fn expect(&mut self, pair: PairId, candidates: &[Candidate]) {
        let new = |candidate: &&Candidate| self.before(pair, candidate).is_none();
        let new: Vec<Candidate> = candidates.iter().filter(new).cloned().collect();
        if !new.is_empty() {
            self.inner.expect(pair, &new);
        }
    }

    fn confirmed_by_now(
        &mut self,
        pair: PairId,
        candidates: &[Candidate],
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
    ) -> Option<Vec<Replayed>> {
        let before: Option<Vec<Replayed>> =
            candidates.iter().map(|candidate| self.before(pair, candidate)).collect();
        if before.is_some() {
            return before;
        }
        let all = self.inner.confirmed_by_now(pair, candidates, left, until)?;
        for (candidate, replayed) in candidates.iter().zip(&all) {
            self.keep(pair, candidate, replayed);
        }
        Some(all)
    }

    fn confirm(
        &mut self,
        candidates: &[(PairId, Candidate)],
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
    ) -> Vec<Replayed> {
        let before: Vec<Option<Replayed>> =
            candidates.iter().map(|(pair, candidate)| self.before(*pair, candidate)).collect();
        let open = candidates.iter().zip(&before).filter(|(_, before)| before.is_none());
        let open: Vec<(PairId, Candidate)> = open.map(|(asked, _)| asked.clone()).collect();
        let mut answers = match open.is_empty() {
            true => vec![],
            false => self.inner.confirm(&open, left, until),
        };
        for ((pair, candidate), replayed) in open.iter().zip(&answers) {
            self.keep(*pair, candidate, replayed);
        }
        answers.reverse();
        // One that gave no answer had no time for it.
        let none = Replayed { confirmed: None, time: Duration::ZERO };
        let answer = |before: Option<Replayed>| {
            before.unwrap_or_else(|| answers.pop().unwrap_or_else(|| none.clone()))
        };
        before.into_iter().map(answer).collect()
    }
}
