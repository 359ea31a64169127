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
//! Making a part takes longer than all else in a run in which nothing changed. So the same answer, in the numbers of the whole, is
//! kept under a second key as well, which is asked first ([`WholeQuestion`]). What the first key is made of is a function of what
//! is in the second: the part is made of the comparison as a whole, of the pair and of the pairs below it, by this build of verdiff; the
//! scope of a store has the hash of that comparison, of the build and of the solver, and the judgements and the effort are in
//! both. Two jobs with the same second key thus are the same job. So this key is right if the first one is, and where it knows
//! nothing the first one is asked.
//!
//! The clock is no part of it. An answer that the clock, want of memory, an interruption or an internal error had a part in is not kept; nor is one
//! whose predicted difference was refuted when it was run. So all that is kept would be found again.

use crate::job::Judged;
use crate::limits::PartialJobs;
use crate::run::{PairResult, Plan, Results};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
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
/// The same in the numbers of both programs as a whole.
const WHOLE: &str = "verdiff-judgement-in-whole/1";
/// What is known of one pair, as a part of a key.
const KNOWN: &str = "verdiff-known/1";
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
    keys: Mutex<BTreeMap<PairId, Vec<Key>>>,
}

/// A job about a part, as far as its answer depends on it.
#[derive(Serialize)]
pub(crate) struct Question<'a> {
    /// What the pair needs of both versions.
    pub part: &'a Comparison,
    pub pair: PairId,
    pub judgement: &'a Judgement,
    pub judgements: &'a Judgements,
    pub effort: Effort,
}

/// A job before it is known which part of the programs it is about; the comparison is in the key of all that is asked of it.
#[derive(Serialize)]
pub(crate) struct WholeQuestion<'a> {
    pub pair: PairId,
    pub judgement: &'a Judgement,
    /// For each pair that it may rest on: nothing if nothing is known of it, or else [what is known](known) as a hash.
    pub judgements: Vec<(PairId, Option<&'a str>)>,
    pub effort: Effort,
    /// Which jobs are about parts: an answer about a part need not be the same as one about the whole.
    pub parts: PartialJobs,
}

/// An answer in the numbers of the whole.
#[derive(Serialize, Deserialize)]
struct WholeAnswer {
    judged: Judged,
    /// The key of the same answer in the numbers of a part: who forgets one of them forgets both.
    part: Option<String>,
}

/// What is known of a pair, as a part of a key; `None` if it cannot be written down.
pub(crate) fn known(judgement: &Judgement) -> Option<Key> {
    let key = Key::of(KNOWN).with_written(|part| serde_json::to_writer(part, judgement));
    Some(key.ok()?.done())
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
        let key = Key::of(ANSWER).with(self.tool.as_bytes()).with(Z3::version().as_bytes());
        Some(key.with_written(|part| serde_json::to_writer(part, question)).ok()?.done())
    }

    pub(crate) fn whole_key(&self, question: &WholeQuestion<'_>) -> Option<Key> {
        self.key_of(WHOLE, question)
    }

    /// The answer to a question about `asked` in a part, which is `pair` here; in the numbers of the part.
    pub(crate) fn get(&self, key: &Key, asked: PairId, pair: PairId) -> Option<Judged> {
        let judged = self.read(key).filter(|judged| is_answer(judged, asked))?;
        self.note(pair, key);
        Some(judged)
    }

    /// Keeps the answer about what is `pair` here, in the numbers of a part.
    pub(crate) fn put(&self, key: &Key, judged: &Judged, pair: PairId) {
        if is_kept(judged) {
            self.write(key, &judged.with_loading(Duration::ZERO));
            self.note(pair, key);
        }
    }

    /// The answer about a pair, in the numbers of the whole.
    pub(crate) fn get_whole(&self, key: &Key, pair: PairId) -> Option<Judged> {
        let WholeAnswer { judged, part } = self.read(key)?;
        if !is_answer(&judged, pair) {
            return None;
        }
        self.note(pair, key);
        if let Some(part) = part.as_deref().and_then(Key::parse) {
            self.note(pair, &part);
        }
        Some(judged)
    }

    /// Keeps the answer about a pair, in the numbers of the whole, with the key under which the same is kept in those of a part.
    pub(crate) fn put_whole(&self, key: &Key, judged: &Judged, part: Option<&Key>) {
        if is_kept(judged) {
            let part = part.map(|key| key.as_str().to_owned());
            self.write(key, &WholeAnswer { judged: judged.with_loading(Duration::ZERO), part });
            self.note(judged.pair, key);
        }
    }

    fn note(&self, pair: PairId, key: &Key) {
        if let Ok(mut keys) = self.keys.lock() {
            keys.entry(pair).or_default().push(key.clone());
        }
    }

    /// What was kept of a pair is not to be used again.
    pub(crate) fn forget(&self, pair: PairId) {
        let keys = self.keys.lock().ok().and_then(|mut keys| keys.remove(&pair));
        for key in keys.into_iter().flatten() {
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

/// Whether this can be the answer to a question about a pair. Nothing else is put there; who reads files believes nothing.
fn is_answer(judged: &Judged, asked: PairId) -> bool {
    judged.pair == asked && !judged.interim && is_kept(judged)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::known::Known;
    use std::collections::BTreeSet;
    use verdiff_judge::{Evidence, Field, Rule, Settings, Version};
    use verdiff_logic::Formula;
    use verdiff_model::Program;

    fn equal() -> Judgement {
        let mut judgement = Judgement::default();
        let evidence = Evidence::new(Field::EqualUnder, "test", Rule::PathsEqual);
        judgement.grow(Formula::truth(), evidence).unwrap();
        judgement
    }

    /// The cache of a comparison whose old version has this target.
    fn cache(folder: &tempfile::TempDir, tool: &str, target: &str, settings: Settings) -> Cache {
        let program = Program { target: target.to_owned(), ..Program::default() };
        let version = |program| Version { program, frames: vec![] };
        let comparison = Comparison {
            old: version(program),
            new: version(Program::default()),
            pairs: vec![],
            settings,
            ..Comparison::default()
        };
        let store = Arc::new(Store::new(folder.path()));
        Cache::new(Arc::new(scope(store, tool, Arc::new(comparison))), tool)
    }

    #[test]
    fn each_part_of_the_key_of_both_whole_programs_changed_alone_is_another_key() {
        let folder = tempfile::tempdir().unwrap();
        let plain = cache(&folder, "tool", "x86_64", Settings::default());
        let rests_on = |pairs: &[u32]| pairs.iter().copied().map(PairId).collect::<BTreeSet<_>>();
        let (effort, parts) = (Effort::seconds(1), PartialJobs::Worthwhile);
        let nothing = Judgement::default();
        let mut known = Known::default();
        known.insert(PairId(0), Judgement::default());
        let of = |known: &Known, pair, judgement: &Judgement, pairs: &[u32], effort, parts| {
            known.whole_key(&plain, (PairId(pair), judgement), &rests_on(pairs), effort, parts)
        };
        let key = of(&known, 2, &nothing, &[0, 1], effort, parts);
        assert!(key.is_some());
        assert_eq!(of(&known, 2, &nothing, &[0, 1], effort, parts), key);
        let mut keys = vec![
            key,
            of(&known, 3, &nothing, &[0, 1], effort, parts),
            of(&known, 2, &equal(), &[0, 1], effort, parts),
            of(&known, 2, &nothing, &[0], effort, parts),
            of(&known, 2, &nothing, &[0, 1], Effort::seconds(2), parts),
            of(&known, 2, &nothing, &[0, 1], effort, PartialJobs::All),
        ];
        // Of a callee nothing was known; or that nothing follows; or something else.
        known.insert(PairId(1), Judgement::default());
        keys.push(of(&known, 2, &nothing, &[0, 1], effort, parts));
        known.insert(PairId(1), equal());
        keys.push(of(&known, 2, &nothing, &[0, 1], effort, parts));
        known.insert(PairId(0), equal());
        keys.push(of(&known, 2, &nothing, &[0, 1], effort, parts));
        // Another build, other programs, other options.
        let strict = Settings { overflow_undefined: true, ..Settings::default() };
        for other in [
            cache(&folder, "another", "x86_64", Settings::default()),
            cache(&folder, "tool", "aarch64", Settings::default()),
            cache(&folder, "tool", "x86_64", strict),
        ] {
            let mut known = Known::default();
            known.insert(PairId(0), Judgement::default());
            let (asked, pairs) = ((PairId(2), &nothing), rests_on(&[0, 1]));
            keys.push(known.whole_key(&other, asked, &pairs, effort, parts));
        }
        for (at, key) in keys.iter().enumerate() {
            assert!(key.is_some() && !keys[..at].contains(key), "{at}");
        }
    }

    #[test]
    fn an_answer_that_is_forgotten_is_forgotten_in_both_forms() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, part) = (Key::of("whole").done(), Key::of("part").done());
        let judged = Judged::nothing(PairId(1), equal(), StopReason::Time);
        let first = cache(&folder, "tool", "x86_64", Settings::default());
        first.put(&part, &Judged { pair: PairId(0), ..judged.clone() }, PairId(1));
        first.put_whole(&whole, &judged, Some(&part));
        // A run that finds it in the numbers of the whole has never seen the other key.
        let second = cache(&folder, "tool", "x86_64", Settings::default());
        assert!(second.get_whole(&whole, PairId(0)).is_none(), "another pair");
        assert!(second.get_whole(&whole, PairId(1)).is_some());
        second.forget(PairId(1));
        let third = cache(&folder, "tool", "x86_64", Settings::default());
        assert!(third.get_whole(&whole, PairId(1)).is_none());
        assert!(third.get(&part, PairId(0), PairId(1)).is_none());
        // What the clock cut is never kept.
        third.put_whole(&whole, &Judged { clock_expired: true, ..judged }, None);
        assert!(third.get_whole(&whole, PairId(1)).is_none());
    }
}
