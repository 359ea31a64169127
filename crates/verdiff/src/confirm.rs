//! Predicted differences on the really compiled programs.
//!
//! A thread compiles, and replays candidates as soon as they are found, while engines still work. In the end
//! nobody waits longer for a candidate than its pair's time allows. When that is over the thread is left behind, and
//! another one begins afresh with the next candidate.

use crate::common_part::{common, judged};
use crate::interrupt::Interrupt;
use crate::prepared::{COMPILE_TIME, Compiling, Prepared, Workshop};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use verdiff_front::Inputs;
use verdiff_judge::{
    Candidate, CandidateKind, Comparison, Confirm, Confirmed, NoTest, PairId, Replay,
    ReplayProblem, Replayed, Side as Version, abandon, hang_if_injected, kinds,
};
use verdiff_model::interp::Machine;
use verdiff_model::state::Outcome;
use verdiff_plan::Matched;
use verdiff_report::{PairReport, Remark, Report};
use verdiff_witness::Deadline;
use verdiff_witness::replay::{ReplayOptions, Replayer, Request, Side, TestCase};

/// Both versions, to be compiled when the first candidate comes.
pub struct Compiled {
    versions: Arc<Versions>,
    /// Whether differences are to be written down as C tests.
    pub(crate) wants_tests: bool,
    /// Whether the user did not wait for all of them.
    pub(crate) was_cut_short: bool,
    /// When the whole run is to end.
    pub(crate) end: Deadline,
    /// How long both versions may be compiled.
    pub(crate) compile_time: Duration,
    /// Whether the user wants an end.
    pub interrupt: Interrupt,
    tests: BTreeMap<PairId, Result<TestCase, NoTest>>,
    /// Works on candidates; there already while engines still work, if a candidate was found.
    replaying: Option<Replaying>,
    /// What it was asked and did not answer yet, in that order.
    waiting: VecDeque<(PairId, Candidate)>,
    /// Since when the first of these is waited for, and how long had been compiled by then.
    since: Option<(Instant, Duration)>,
    /// How long was waited for the candidates of each pair.
    spent: BTreeMap<PairId, Duration>,
    answered: Vec<(PairId, Candidate, Replayed)>,
}

/// What is compared, as its thread has it.
struct Versions {
    matched: Arc<Matched>,
    old: Inputs,
    new: Inputs,
    workshop: Workshop,
}

/// A candidate to replay.
struct Asked {
    pair: PairId,
    candidate: Candidate,
    /// Whether it is to be written down as a C test.
    wants_test: bool,
    /// How long it may take as long as nobody waits for it.
    time: Duration,
    /// When the whole run is to end.
    end: Deadline,
}

/// What came of it.
struct Answered {
    confirmed: Confirmed,
    test: Option<Result<TestCase, NoTest>>,
}

/// How waiting for an answer ended.
struct Waited {
    /// Nothing if there will be none.
    answered: Option<Answered>,
    /// How long was waited, without what was compiled for all candidates.
    time: Duration,
}

/// The thread that replays.
struct Replaying {
    asked: Sender<Asked>,
    answers: Receiver<Answered>,
    compiling: Arc<Compiling>,
    thread: JoinHandle<()>,
}

/// How often somebody who waits looks at the clock.
const TICK: Duration = Duration::from_millis(20);
/// How long a thread that has nothing more to do may take to remove its files.
const TIDYING: Duration = Duration::from_millis(300);

impl Replaying {
    fn start(versions: &Arc<Versions>, deadline: Deadline) -> Replaying {
        let (asked, to_do) = channel();
        let (answer, answers) = channel();
        let compiling = Arc::new(Compiling::default());
        let (versions, at_it) = (versions.clone(), compiling.clone());
        let thread = std::thread::spawn(move || {
            hang_if_injected("prepare", "");
            let plain = || {
                let Versions { old, new, workshop, .. } = &*versions;
                Prepared::plain(workshop, old, new, deadline)
            };
            // Where it fails it is tried again: a signal that was meant for verdiff may have ended clang as well. Who took too
            // long once would do so again.
            let prepared = at_it.during(|| match plain() {
                Ok(prepared) if prepared.is_whole() || prepared.is_late() => Ok(prepared),
                _ => plain(),
            });
            versions.serve(prepared, &at_it, &to_do, &answer);
        });
        Replaying { asked, answers, compiling, thread }
    }

    /// Ends it, if it ends soon: it has files and processes of its own, and removes them itself.
    fn end(self) {
        let Replaying { asked, thread, .. } = self;
        drop(asked);
        let until = Instant::now() + TIDYING;
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(TICK / 10);
        }
        match thread.is_finished() {
            true => drop(thread.join()),
            false => abandon(),
        }
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        if let Some(replaying) = self.replaying.take() {
            replaying.end();
        }
    }
}

impl Versions {
    fn comparison(&self) -> &Comparison {
        &self.matched.comparison
    }

    /// Replays candidates until there are no more, and says what came of each, which is made smaller where that can be.
    fn serve(
        &self,
        prepared: Result<Prepared, String>,
        compiling: &Compiling,
        asked: &Receiver<Asked>,
        answers: &Sender<Answered>,
    ) {
        let in_time = |prepared: Prepared| match prepared.is_late() {
            true => Err("the versions could not be compiled within the time limit".to_owned()),
            false => Ok(prepared),
        };
        let Prepared { old: ready_old, new: ready_new, toolchain } =
            match prepared.and_then(in_time) {
                Ok(prepared) => prepared,
                Err(error) => {
                    for Asked { pair, candidate, .. } in asked {
                        let replay = Replay::not_run(ReplayProblem::Preparation(error.clone()));
                        let confirmed = self.confirmed(pair, candidate, replay, None);
                        let _ = answers.send(Answered { confirmed, test: None });
                    }
                    return;
                }
            };
        let make = |version, inputs, which, deadline| {
            compiling.during(|| self.workshop.make(version, inputs, which, deadline))
        };
        let make_old = |which, deadline| make(Version::Old, &self.old, which, deadline);
        let make_new = |which, deadline| make(Version::New, &self.new, which, deadline);
        let side = |version, make| Side { program: self.comparison().program(version), make };
        let mut replayer = Replayer::with_ready(
            &toolchain,
            (side(Version::Old, &make_old), ready_old),
            (side(Version::New, &make_new), ready_new),
            ReplayOptions::default(),
        );
        for asked in asked {
            replayer.until(asked.end.earlier(Deadline::after(asked.time)));
            hang_if_injected("replay", &self.comparison().pair(asked.pair).function);
            if answers.send(self.replayed(&mut replayer, asked)).is_err() {
                return;
            }
        }
    }

    fn replayed(&self, replayer: &mut Replayer<'_>, asked: Asked) -> Answered {
        let Asked { pair: id, mut candidate, wants_test, .. } = asked;
        let comparison = self.comparison();
        if let Some((interface, part)) = self.matched.stands_for(id) {
            let replay = common(replayer, comparison.pair(interface), part, &candidate);
            return Answered { confirmed: self.confirmed(id, candidate, replay, None), test: None };
        }
        let pair = comparison.pair(id);
        let request = Request {
            old: (pair.old, candidate.old.clone()),
            new: (pair.new, candidate.new.clone()),
        };
        // Who proves that a version never ends gives the state as it is.
        let (request, replayed) = match candidate.kind {
            CandidateKind::Hang { ends } => {
                let replayed = replayer.replay_hang(&request, ends);
                (request, replayed)
            }
            CandidateKind::Difference => replayer.replay_small(&request, SHRINKING),
        };
        (candidate.old, candidate.new) = (request.old.1.clone(), request.new.1.clone());
        if replayed.unpredicted.is_some() {
            // What an engine said about other states rests on a prediction that nobody could check.
            (candidate.condition, candidate.effect, candidate.unique) = (None, None, false);
        }
        let predicted = replayed.unpredicted.is_none();
        let testable = replayed.status.is_confirmed() && !candidate.is_hang() && predicted;
        let test = (wants_test && testable).then(|| match comparison.settings.overflow_undefined {
            true => Err(NoTest::UndefinedOverflow),
            false => replayer.test_case(&request, &replayed),
        });
        let replay = judged(replayed.status);
        Answered { confirmed: self.confirmed(id, candidate, replay, replayed.unpredicted), test }
    }

    /// What a candidate does, with what came of it: by the interpreter, or as it was observed where that cannot tell.
    fn confirmed(
        &self,
        id: PairId,
        candidate: Candidate,
        replay: Replay,
        observed: Option<[Outcome; 2]>,
    ) -> Confirmed {
        let comparison = self.comparison();
        let limits = ReplayOptions::default().limits;
        let pair = comparison.pair(id);
        let mut machines =
            [Version::Old, Version::New].map(|v| Machine::new(comparison.program(v)));
        let old = machines[0].run(pair.old, &candidate.old, &limits);
        let new = machines[1].run(pair.new, &candidate.new, &limits);
        // However it came about: from there nothing is claimed.
        let unseen = comparison.settings.overflow_undefined && observed.is_some();
        let replay = match unseen || comparison.settings.excludes(&old) {
            true => Replay::not_run(ReplayProblem::OldOverflows),
            false => replay,
        };
        let [old, new] = observed.unwrap_or([old, new]);
        let kinds = kinds(comparison, id, &candidate.old, &candidate.new, &old, &new);
        Confirmed { candidate, replay, kinds, outcomes: [old, new] }
    }
}

impl Compiled {
    /// Nothing is compiled yet.
    pub fn new(matched: Arc<Matched>, old: Inputs, new: Inputs) -> Compiled {
        Compiled {
            versions: Arc::new(Versions { matched, old, new, workshop: Workshop::default() }),
            wants_tests: false,
            was_cut_short: false,
            end: Deadline::NEVER,
            compile_time: COMPILE_TIME,
            interrupt: Interrupt::default(),
            tests: BTreeMap::new(),
            replaying: None,
            waiting: VecDeque::new(),
            since: None,
            spent: BTreeMap::new(),
            answered: vec![],
        }
    }

    /// Adds the C tests to the report, and what stands in the way of one. `write` is told the name and the text of each
    /// file, and gives the name that the report has for it.
    pub fn add_tests<E>(
        &self,
        report: &mut Report,
        mut write: impl FnMut(&str, &str) -> Result<String, E>,
    ) -> Result<(), E> {
        let mut taken = BTreeSet::new();
        let several = [&self.versions.old, &self.versions.new]
            .into_iter()
            .any(|inputs| inputs.paths.len() + inputs.units.len() > 1);
        for (id, test) in &self.tests {
            let pair = self.versions.comparison().pair(*id);
            let place = |p: &&mut PairReport| p.function == pair.function && p.witness.is_some();
            let remark = match test {
                Err(why) => Remark::NoTest(why.clone()),
                Ok(_) if several => Remark::NoTest(NoTest::SeveralFiles),
                Ok(test) => {
                    let mut files = vec![];
                    for (name, text) in &test.files {
                        files.push((write(&unused(name, &mut taken), text)?, text.clone()));
                    }
                    Remark::TestWritten { files, passes_on_old: test.passes_on_old }
                }
            };
            if let Some(shown) = report.pairs.iter_mut().find(place) {
                shown.add(&remark);
            }
        }
        Ok(())
    }
}

/// A name that no other test has: two `static` functions may share theirs.
fn unused(name: &str, taken: &mut BTreeSet<String>) -> String {
    let mut unused = name.to_owned();
    let mut number = 2;
    while !taken.insert(unused.clone()) {
        unused = format!("{}_{number}.c", name.trim_end_matches(".c"));
        number += 1;
    }
    unused
}

/// How many runs of the interpreter may be spent on a smaller input.
const SHRINKING: u32 = 300;

impl Compiled {
    /// Asks for a candidate, if nobody did before.
    fn ask(&mut self, pair: PairId, candidate: &Candidate) {
        let is_it = |(p, c): (&PairId, &Candidate)| *p == pair && c == candidate;
        let mut waiting = self.waiting.iter().map(|(p, c)| (p, c));
        let mut answered = self.answered.iter().map(|(p, c, _)| (p, c));
        if waiting.any(is_it) || answered.any(is_it) {
            return;
        }
        self.waiting.push_back((pair, candidate.clone()));
        self.send(pair, candidate.clone());
    }

    /// Has the thread replay a candidate.
    fn send(&mut self, pair: PairId, candidate: Candidate) {
        let (end, time) = (self.end, self.compile_time);
        let deadline = end.earlier(Deadline::after(time));
        let replaying =
            self.replaying.get_or_insert_with(|| Replaying::start(&self.versions, deadline));
        let wants_test = self.wants_tests && !self.tests.get(&pair).is_some_and(Result::is_ok);
        // If nobody takes it there is no answer either.
        let _ = replaying.asked.send(Asked { pair, candidate, wants_test, time, end });
    }

    /// Waits a little for the answer to the first candidate that is waiting, whose pair has so much time left. Nothing if
    /// there may still be one.
    fn wait(&mut self, left: Duration, until: Option<Instant>, tick: Duration) -> Option<Waited> {
        let Some(replaying) = &self.replaying else {
            return Some(Waited { answered: None, time: Duration::ZERO });
        };
        let now = || (Instant::now(), replaying.compiling.time());
        let (begun, compiled_before) = *self.since.get_or_insert_with(now);
        let answer = replaying.answers.recv_timeout(tick);
        let compiled = replaying.compiling.time().saturating_sub(compiled_before);
        let time = begun.elapsed().saturating_sub(compiled);
        let is_over = until.is_some_and(|until| Instant::now() >= until);
        let answered = match answer {
            Ok(answered) => Some(answered),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout)
                if is_over || self.interrupt.is_overdue() || time >= left =>
            {
                None
            }
            Err(RecvTimeoutError::Timeout) => return None,
        };
        self.since = None;
        Some(Waited { answered, time })
    }

    /// Waits a little for the first candidate that is waiting, and keeps what came of it. Whether something did, be it that
    /// there will be no answer.
    fn step(
        &mut self,
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
        tick: Duration,
    ) -> bool {
        let Some((pair, _)) = self.waiting.front() else {
            return false;
        };
        let pair = *pair;
        let spent = self.spent.get(&pair).copied().unwrap_or_default();
        let may_take = left.get(&pair).map_or(Duration::MAX, |left| left.saturating_sub(spent));
        let Some(Waited { answered, time }) = self.wait(may_take, until, tick) else {
            return false;
        };
        self.spent.insert(pair, spent + time);
        let Some((_, asked)) = self.waiting.pop_front() else {
            return false;
        };
        let confirmed = answered.map(|Answered { confirmed, test }| {
            if let Some(test) = test {
                let known = self.tests.entry(pair).or_insert_with(|| test.clone());
                if known.is_err() {
                    *known = test;
                }
            }
            confirmed
        });
        let is_over = until.is_some_and(|until| Instant::now() >= until);
        self.was_cut_short |= confirmed.is_none() && self.interrupt.is_overdue();
        let is_lost = confirmed.is_none();
        self.answered.push((pair, asked, Replayed { confirmed, time }));
        if is_lost && (is_over || self.interrupt.is_overdue()) {
            // There is no time for any of the others.
            abandon();
            self.replaying = None;
            self.waiting.clear();
        } else if is_lost {
            self.begin_afresh();
        }
        true
    }

    /// What came of a candidate, if that is known.
    fn answer(&self, pair: PairId, candidate: &Candidate) -> Option<Replayed> {
        let is_it = |(p, c, _): &&(PairId, Candidate, Replayed)| *p == pair && c == candidate;
        self.answered.iter().find(is_it).map(|(_, _, replayed)| replayed.clone())
    }

    /// Leaves the thread behind and has another one go on with the rest.
    fn begin_afresh(&mut self) {
        abandon();
        self.replaying = None;
        for (pair, candidate) in self.waiting.clone() {
            self.send(pair, candidate);
        }
    }
}

impl Confirm for Compiled {
    fn expect(&mut self, pair: PairId, candidates: &[Candidate]) {
        for candidate in candidates {
            self.ask(pair, candidate);
        }
    }

    fn confirmed_by_now(
        &mut self,
        pair: PairId,
        candidates: &[Candidate],
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
    ) -> Option<Vec<Replayed>> {
        self.expect(pair, candidates);
        while self.step(left, until, Duration::ZERO) {}
        candidates.iter().map(|candidate| self.answer(pair, candidate)).collect()
    }

    fn confirm(
        &mut self,
        candidates: &[(PairId, Candidate)],
        left: &BTreeMap<PairId, Duration>,
        until: Option<Instant>,
    ) -> Vec<Replayed> {
        for (pair, candidate) in candidates {
            self.ask(*pair, candidate);
        }
        while !self.waiting.is_empty() {
            self.step(left, until, TICK);
        }
        let nothing = Replayed { confirmed: None, time: Duration::ZERO };
        let answer = |(pair, c): &(PairId, Candidate)| self.answer(*pair, c);
        candidates.iter().map(|one| answer(one).unwrap_or(nothing.clone())).collect()
    }
}
