//! Jobs before they are told: what of the programs they are about.

use crate::cache::{Cache, Question};
use crate::job::{AskedPair, Judged};
use crate::limits::PartialJobs;
use crate::translated::{candidates_into_whole, into_part, into_whole};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::sync::Arc;
use verdiff_cache::Key;
use verdiff_engines::reduced::{Part, Reducer};
use verdiff_engines::testing::constructing;
use verdiff_judge::{Candidate, Changed, Comparison, Judgement, Judgements, PairId};
use verdiff_logic::effort::Effort;

/// A job for a worker thread.
pub(crate) struct Work {
    pub(crate) pair: PairId,
    /// The part of the programs that it is about; `None` if that is all.
    part: Option<Arc<Part>>,
    /// The pair, and what is known, in the numbers of the part.
    pub(crate) asked: AskedPair,
    pub(crate) effort: Effort,
    /// Under which key its answer is kept in the numbers of the whole.
    whole_key: Option<Key>,
    /// And in those of the part.
    part_key: Option<Key>,
}

impl Work {
    /// A job about the whole of both programs.
    pub(crate) fn whole(
        pair: PairId,
        effort: Effort,
        judgement: Judgement,
        judgements: Judgements,
    ) -> Work {
        let asked = AskedPair { pair, judgement, judgements };
        Work { pair, part: None, asked, effort, whole_key: None, part_key: None }
    }

    /// Makes it one about a part, if the pair is in it.
    pub(crate) fn reduce(&mut self, part: Arc<Part>) {
        if let Some(pair) = part.numbers.of_pair(self.pair) {
            let judgements = into_part(&part.numbers, &self.asked.judgements);
            self.asked = AskedPair { pair, judgements, ..self.asked.clone() };
            self.part = Some(part);
        }
    }

    /// Notes under which keys its answer is kept.
    pub(crate) fn note_keys(&mut self, cache: &Cache, whole_key: Option<Key>) {
        let AskedPair { pair, judgement, judgements } = &self.asked;
        let question =
            |part| Question { part, pair: *pair, judgement, judgements, effort: self.effort };
        let part = self.part.as_ref().map(|part| &*part.comparison);
        self.part_key = part.and_then(|part| cache.key(&question(part)));
        self.whole_key = whole_key;
    }

    /// What an earlier run has answered about the part, in the numbers of the whole. It is kept in these too from now on.
    pub(crate) fn answered_before(&self, cache: &Cache) -> Option<Judged> {
        let judged = cache.get(self.part_key.as_ref()?, self.asked.pair, self.pair)?;
        let judged = self.answer(judged);
        self.keep_whole(cache, &judged);
        Some(judged)
    }

    /// Keeps what a worker said, and gives it in the numbers of the whole.
    pub(crate) fn answered(&self, cache: Option<&Cache>, judged: Judged) -> Judged {
        if let Some((cache, key)) = cache.zip(self.part_key.as_ref()) {
            cache.put(key, &judged, self.pair);
        }
        let judged = self.answer(judged);
        if let Some(cache) = cache {
            self.keep_whole(cache, &judged);
        }
        judged
    }

    fn keep_whole(&self, cache: &Cache, judged: &Judged) {
        if let Some(key) = &self.whole_key {
            cache.put_whole(key, judged, self.part_key.as_ref());
        }
    }

    /// The programs that a worker is told.
    pub(crate) fn comparison(&self, whole: &Arc<Comparison>) -> Arc<Comparison> {
        self.part.as_ref().map_or(whole, |part| &part.comparison).clone()
    }

    /// What a worker said, in the numbers of the whole.
    fn answer(&self, judged: Judged) -> Judged {
        match &self.part {
            Some(part) => into_whole(&part.numbers, judged),
            None => judged,
        }
    }

    /// The same for candidates.
    pub(crate) fn candidates(&self, candidates: &[Candidate]) -> Vec<Candidate> {
        match &self.part {
            Some(part) => candidates_into_whole(&part.numbers, candidates),
            None => candidates.to_vec(),
        }
    }
}

/// With fewer pairs than this to judge, all jobs are about the whole: a further commit mostly changes one of them, and the first part takes as
/// long as judging a small pair.
const FEW_PAIRS: usize = 8;

/// Makes the parts that jobs are about, once there is a job.
pub(crate) struct PartMaker {
    which: PartialJobs,
    reducer: OnceCell<Option<RefCell<Reducer>>>,
}

impl PartMaker {
    pub(crate) fn new(which: PartialJobs) -> PartMaker {
        PartMaker { which, reducer: OnceCell::new() }
    }

    /// Which jobs are about parts.
    pub(crate) fn which(&self) -> PartialJobs {
        self.which
    }

    /// What of the programs a job is about; `None` if that is all. It is the same with and without a cache.
    pub(crate) fn part(
        &self,
        comparison: &Comparison,
        pair: PairId,
        others: &BTreeSet<PairId>,
    ) -> Option<Arc<Part>> {
        let all = self.which == PartialJobs::All;
        let reducer = || {
            let changed = comparison.pairs.iter().filter(|pair| pair.changed != Changed::No);
            let wanted = all || changed.count() >= FEW_PAIRS;
            wanted.then(|| Reducer::of(comparison).map(RefCell::new)).flatten()
        };
        let mut reducer = self.reducer.get_or_init(reducer).as_ref()?.borrow_mut();
        if !all && !reducer.is_worthwhile(pair, others) {
            return None;
        }
        reducer.part(pair, others, &constructing(comparison, pair))
    }
}
