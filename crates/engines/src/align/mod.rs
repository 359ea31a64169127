//! Relational proofs of loops: alignments and coupling invariants, found without annotations.
//!
//! After Rêve (Felsing et al., *Automating regression verification*) and semantic program alignment (Churchill et
//! al., PLDI 2019). Both versions are cut at their loop heads
//! ([`cut_at_heads`](verdiff_model::outline::cut_at_heads)); the start and the end of a run are cut points, too. Where
//! that proves nothing, they are cut before outputs, and at heads of loops that can iterate without any
//! ([`cut_at_calls`](verdiff_model::outline::cut_at_calls)): two loops may make the same outputs in another part of
//! their bodies, so that at their heads one version is ahead. Every cycle has a cut point either way. A
//! *node* is a pair of cut points, one of each version. An [`alignment`] says for each node which side moves, and how
//! far the other one follows. Invariants ([`invariant`]) are guessed from [`runs`] and weakened by the solver's
//! counterexamples until they are inductive.
//!
//! # Why that is sound
//!
//! Rule `aligned`. Take an entry state from which both versions end, both runs cut into steps from one cut point to
//! the next. The alignment makes one *joint run* of them: it begins at the node (start, start), and at each node the
//! lead makes one step, the other side follows with some number of steps (fewer if it ends before), which the
//! alignment says for each place that the lead may come to. Each node but (end, end) has a move, and in each move a
//! side that has not ended makes a step; both runs have finitely many, so the joint run reaches (end, end), or a move
//! in which a side ends otherwise than by a return; then that side waits, and how it ended is its only variable.
//!
//! By induction on the moves: the invariant of each node holds whenever the joint run is there. For every node the
//! obligation is that from all states that satisfy its invariant, *every* pair of continuations of its move leads to
//! a node whose invariant holds of the states there (coverage: continuations are all paths of the code, the list is
//! not chosen), or, where both sides have ended, to equal outcomes. A world that differs is a violation. So the joint
//! run ends with equal outcomes. ✗ A loop by 1 against a loop by 2 with `i + 1 < n`, two steps against one: for n = 1
//! the new version is at its end and the old one is not; that is a node of its own, (head, end), from which the old
//! version goes on alone.
//!
//! All of that is bit-precise. An equation of the invariant is put in by replacing a variable; a memory that is equal
//! by using one array for both sides. What is concluded of memories is concluded at a fresh index; what is given is
//! used at the places that are read. ✗ `a[i] = 0;` against `a[i] = 0; if (i == 9) a[3] = 1;`: the fresh index may be
//! that of `a[3]`.
//!
//! A run that terminates is never twice in the same state, as far as it decides how the run goes on: where that helps, it
//! is given in steps ([`repeats`]). That, too, is about entry states from which both versions end.
//!
//! Which states steps start from: see [`may_start`]. Only what is written in the obligations is assumed: valid
//! pointers and the user's preconditions hold of the entry state, and are used at the start alone. U grows by `true`, or
//! by a condition on parameters that was given at the start ([`cases`]); T does not grow.
//!
//! # Every call
//!
//! U is of use to callers, and to a procedure that a region was cut out of, only if it holds of every call. So versions that write no memory,
//! do no I/O, and neither make nor free objects are proved first from states of which nothing is assumed
//! ([`AnyCall`](verdiff_symex::space::PointedTo::AnyCall)): how an access ends and what is initialised are functions common to both. Since nothing is
//! written or freed, memory, what is initialised in it and which objects are dead are at every node what they were at the
//! start, so all nodes share these symbols. Results that are floats compare by bits. That a place can be read is one more
//! kind of fact ([`Held::Something`](contents::Held::Something)), shown like the others. ✗ `while (*a && *b)` against `while (*b && *a)`: which read ends the run
//! first is a difference.
//!
//! # Indexes that are narrower than addresses
//!
//! `a[i]` with an `int i` is not `*p++` after 2^31 elements: the index wraps, the pointer does not. Where no proof is
//! found otherwise, one is tried in which accesses are taken to lie less than 2 GiB from the pointer that they are computed
//! from, that is, no array or string is larger. The evidence and the report name that assumption, and what is proved so
//! does not hold in calls: callers would have to assume it too.

mod addition;
mod alignment;
mod begin;
mod cases;
mod claims;
mod closed_forms;
mod contents;
mod coordinates;
mod entry_facts;
mod equations;
mod expressions;
mod facts;
mod folds;
mod given;
mod horn;
mod invariant;
mod lanes;
mod linear;
mod names;
mod orders;
mod pinned;
mod prove;
mod question;
mod ranges;
mod reorder;
mod repeats;
mod runs;
mod small_objects;
mod step;
mod widened;

use addition::equal;
use alignment::Alignment;
use cases::Case;
use horn::Horn;
use prove::Proof;
use question::Question;
use runs::Run;
use std::cell::RefCell;
use std::rc::Rc;
use verdiff_judge::{Budget, Depth, Engine, Findings, Side, Task};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::Z3;
use verdiff_model::{ProcId, Type};
use verdiff_product::inner_states::may_start;
use verdiff_product::{Facts, ProgramFacts};
use verdiff_symex::execute::Stop;

/// Larger programs are not cut: the facts about both are found out once more.
const MOST_STATEMENTS: usize = 2_000;
/// Procedures with more loops are not aligned, nor ones with more cuts.
const MOST_HEADS: usize = 6;
const MOST_CUTS: usize = 10;
/// How many alignments are tried.
const MOST_TRIED: usize = 6;
const FIRST_TRIED: usize = 2;
/// Which part of a turn is for loops that do the same in another order.
const REORDERED: u64 = 2;
/// And for loops that compute the same by other steps.
const FOLDED: u64 = 2;
/// And for facts that Horn clauses suggest, of what the likeliest proofs leave.
const HORN: u64 = 2;
/// Which part of a turn is for loops of callees that are equal.
const CALLEES: u64 = 4;

/// A place that a run passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CutPoint {
    /// Its start.
    Start,
    /// A loop head or an output, as the procedure that runs from there.
    Head(ProcId),
    /// Its end, by a return.
    End,
    /// Its end, by a trap or in another way.
    Stopped,
}

impl CutPoint {
    /// Whether the run is over.
    fn is_over(self) -> bool {
        matches!(self, CutPoint::End | CutPoint::Stopped)
    }
}

/// A place of each version.
pub type Node = [CutPoint; 2];

/// Where versions are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CutPlaces {
    /// At loop heads.
    Heads,
    /// Before outputs, and at the heads of loops that can iterate without any.
    Outputs,
}

/// Both versions, cut at their loop heads, or at outputs.
///
/// No run allocates, frees or has local objects that heads may access, unless heads access no memory ([`may_start`]).
pub struct Cut {
    facts: ProgramFacts,
    heads: [Vec<ProcId>; 2],
    /// Whether objects behind pointers may be of any size in a proof of entry states; `None` if there can be no such proof.
    any_size: Option<bool>,
    /// Whether a proof of every call may be looked for, and is of use.
    of_calls: bool,
    /// Whether some parameters are pointers that do not alias.
    unaliased: bool,
    /// Which versions call themselves, and may be a function that is known ([`folds::recursive`]).
    recursive: [bool; 2],
    /// Whether nothing but callees that are equal has loops. That these matter is rare.
    of_callees: bool,
}

/// The engine. One instance serves one comparison.
pub struct Align {
    facts: Rc<Facts>,
    /// Whether nothing but proofs by other steps is looked for.
    other_steps_alone: bool,
}

impl Align {
    /// An engine for the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Align {
        Align { facts: facts.clone(), other_steps_alone: false }
    }

    /// An engine that looks for nothing but proofs by other steps ([`folds`]): for tests of these. What it does not prove costs
    /// little, while all else that is tried of such loops takes all the effort that there is.
    #[doc(hidden)]
    pub fn by_other_steps_alone(facts: &Rc<Facts>) -> Align {
        Align { facts: facts.clone(), other_steps_alone: true }
    }
}

impl Engine for Align {
    fn name(&self) -> &'static str {
        "align"
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let _contexts = Z3::keep_contexts();
        if task.judgement.is_equal() {
            return Findings::default();
        }
        let all = match self.facts.about(task) {
            Ok(facts) => facts,
            Err(reason) => return Findings::nothing(reason),
        };
        // Where it does not apply, whoever could do something says why it did not.
        let Some(cut) = Cut::of(task, all, CutPlaces::Heads) else { return Findings::default() };
        if cut.of_callees && budget.depth <= Depth::Quick {
            return Findings::default();
        }
        let share = if cut.of_callees { budget.left() / CALLEES } else { budget.left() };
        let budget = &budget.at_most(share);
        let runs = runs::runs(task, &cut);
        if runs.is_empty() {
            return Findings::default();
        }
        let searching = Searching { task, cut: &cut, runs: &runs, found: RefCell::default() };
        if self.other_steps_alone || cut.recursive.contains(&true) {
            let found = searching.folded(budget);
            return found.map_or_else(Findings::default, |proof| equal(task, &cut, vec![proof]));
        }
        if cut.of_calls {
            // It holds of entry states, too. What is a part of a procedure needs nothing else.
            let part = if cut.any_size.is_some() { 4 } else { 1 };
            let question = Question { in_calls: true, ..Question::of(Case::all(), Reach::Likely) };
            let share = budget.at_most(budget.left() / part);
            if let Some(proof) = searching.proof(question, &share) {
                return equal(task, &cut, vec![proof]);
            }
        }
        if cut.any_size.is_none() {
            return Findings::default();
        }
        let in_step = searching.alignments(&Case::all()).first().is_some_and(|alignment| {
            alignment.determines_all(&|node| searching.cut.vars(task, node))
        });
        if !in_step && let Some(found) = searching.reordered(budget) {
            return found;
        }
        if !in_step && let Some(proof) = searching.folded(budget) {
            return equal(task, &cut, vec![proof]);
        }
        // Where runs make outputs at other places of their loops, heads do not align: then outputs come first.
        let (quick, mut part) = (budget.depth <= Depth::Quick, None);
        let ahead = searching.alignments(&Case::all()).is_empty();
        let wanted = ahead || !quick;
        let cut_at_outputs = wanted.then(|| Cut::of(task, all, CutPlaces::Outputs)).flatten();
        let runs = cut_at_outputs.as_ref().map(|cut| runs::runs(task, cut)).unwrap_or_default();
        let may_start = |cut: &&Cut| cut.any_size.is_some() && !runs.is_empty();
        let at_outputs = cut_at_outputs.as_ref().filter(may_start);
        let at_outputs =
            at_outputs.map(|cut| Searching { task, cut, runs: &runs, found: RefCell::default() });
        let (first, last) =
            if ahead { (at_outputs.as_ref(), None) } else { (None, at_outputs.as_ref()) };
        // Little effort for all that can be asked first, then more: an alignment that is no good may cost any effort.
        let left = budget.left();
        let mut rounds = vec![];
        rounds.extend(
            first.map(|first| (first, if quick { left } else { left / 2 }, Reach::Extended)),
        );
        match quick {
            true => rounds.push((&searching, left, Reach::Likely)),
            false => {
                // What is assumed of the entry is known behind it only where the reach is far.
                let assumed = !verdiff_product::entry::preconditions_assumed(task).is_empty();
                let (likely, more) = if assumed { (left / 2, 12) } else { (left / 4 * 3, 6) };
                rounds.push((&searching, likely, Reach::Likely));
                rounds.push((&searching, left / more, Reach::Thorough));
                rounds.extend(last.map(|last| (last, left / 16, Reach::Extended)));
                rounds.push((&searching, left, Reach::Extended));
            }
        }
        for (searching, most, reach) in rounds {
            let most = most.min(budget.left());
            if let Some(found) = searching.round(most, reach, budget, &mut part) {
                return found;
            }
            if reach == Reach::Likely
                && !quick
                && let Some(proof) = searching.by_horn_clauses(budget)
            {
                return equal(task, &cut, vec![proof]);
            }
            if in_step
                && reach == Reach::Likely
                && let Some(proof) = searching.folded(budget)
            {
                return equal(task, &cut, vec![proof]);
            }
        }
        if in_step && let Some(found) = searching.reordered(budget) {
            return found;
        }
        if quick {
            return Findings::default();
        }
        // A part is taken when nothing more is found.
        part.unwrap_or_default()
    }
}

/// How far a proof is looked for. Each reach costs more than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// By the likeliest alignments, all the time at places that runs pass.
    Likely,
    /// By more of them, and with more facts about memory.
    Thorough,
    /// With products, parameters at the entry, memory that is equal except in a range, and states that are not repeated.
    Extended,
}

/// A proof, the alignment it follows, and what it is about.
struct Proved {
    alignment: Alignment,
    proof: Proof,
    question: Question,
}

/// The search for alignments that prove something.
struct Searching<'s, 'a> {
    task: &'s Task<'a>,
    cut: &'s Cut,
    runs: &'s [Run],
    found: RefCell<Vec<(Case, Rc<Vec<Alignment>>)>>,
}

impl Searching<'_, '_> {
    /// Asks for a proof of all entry states, of cases, and under a bound on the size of objects, with so much effort in
    /// all. Each may take a third of that, the first three fifths; after the first round all of it. What assumes least is
    /// taken: cases before a bound, a bound before a part of the states. The first proof of a part is put in
    /// `found_part`.
    fn round(
        &self,
        most: Effort,
        reach: Reach,
        budget: &Budget,
        found_part: &mut Option<Findings>,
    ) -> Option<Findings> {
        let whole = budget.at_most(most);
        // A short turn is all that there is for the first.
        let likely = reach == Reach::Likely && budget.depth > Depth::Quick;
        let ask = |case: Case, small_objects: bool, most: Effort| {
            let question = Question { small_objects, ..Question::of(case, reach) };
            self.proof(question, &whole.at_most(most))
        };
        let equal = |proved: Vec<Proved>| Some(equal(self.task, self.cut, proved));
        if let Some(proof) = ask(Case::all(), false, if likely { most / 5 * 3 } else { most }) {
            return equal(vec![proof]);
        }
        let bounded =
            self.cut.indexes(self.task).then(|| ask(Case::all(), true, most / 3)).flatten();
        let mut part = None;
        // A proof without an assumption is worth a little effort.
        let part_of = match bounded.is_some() {
            true => 24,
            // Nothing else is asked where a difference is known.
            false if self.is_refuted(&Case::all()) => 1,
            false => 3,
        };
        for condition in cases::conditions(&self.cut.parameters(self.task), self.runs) {
            let prove = |holds| ask(Case::of(condition.clone(), holds), false, most / part_of);
            let first = prove(true);
            if first.is_none() && part.is_some() {
                continue;
            }
            let both: Vec<Proved> = first.into_iter().chain(prove(false)).collect();
            if both.len() == 2 {
                return equal(both);
            }
            part = part.or(both.into_iter().find(|proved| !proved.question.case.is_null()));
        }
        if let Some(proof) = bounded {
            return equal(vec![proof]);
        }
        if found_part.is_none() {
            *found_part = part.and_then(|proof| equal(vec![proof]));
        }
        None
    }

    /// The alignments of a case, likely ones first. They are looked for once.
    fn alignments(&self, case: &Case) -> Rc<Vec<Alignment>> {
        if let Some((_, known)) = self.found.borrow().iter().find(|(known, _)| known == case) {
            return known.clone();
        }
        let runs = runs::some(self.runs, case);
        let vars = |node: Node| self.cut.vars(self.task, node);
        let found = Rc::new(match runs.is_empty() {
            // No run is known to return: step by step, then, with invariants from counterexamples alone.
            true => vec![Alignment::default()],
            false => alignment::alignments(runs, MOST_TRIED, &vars),
        });
        self.found.borrow_mut().push((case.clone(), found.clone()));
        found
    }

    /// A proof that the versions do the same in another order. It is looked for first, unless an alignment is likely: that proof
    /// says more to people. Most loops do nothing that may be done in another order, and that costs little.
    fn reordered(&self, budget: &Budget) -> Option<Findings> {
        if self.cut.any_size != Some(false) || self.is_refuted(&Case::all()) {
            return None;
        }
        let share = budget.at_most(budget.left() / REORDERED);
        reorder::reordered(self.task, self.cut, &share).ok().flatten()
    }

    /// A proof that both loops compute the same by other steps. Most loops have no invariant of that kind, and that costs little.
    fn folded(&self, budget: &Budget) -> Option<Proved> {
        if self.cut.any_size.is_none() || self.is_refuted(&Case::all()) {
            return None;
        }
        let part = if self.cut.recursive.contains(&true) { 1 } else { FOLDED };
        let share = budget.at_most(budget.left() / part);
        folds::folded(self.task, self.cut, self.runs, &share)
    }

    /// A proof with facts that Horn clauses suggest, for which there is a part of what is left. Where they suggest none, most of
    /// that is left.
    fn by_horn_clauses(&self, budget: &Budget) -> Option<Proved> {
        for horn in [Horn::Plain, Horn::InRange] {
            let question =
                Question { horn: Some(horn), ..Question::of(Case::all(), Reach::Likely) };
            let suggested = question.suggested.clone();
            let proof = self.proof(question, &budget.at_most(budget.left() / HORN));
            // With more rules there is no other solution.
            if proof.is_some() || !suggested.get() {
                return proof;
            }
        }
        None
    }

    /// Whether a run from a state of a case shows a difference. Runs know nothing of pointers that do not alias.
    fn is_refuted(&self, case: &Case) -> bool {
        let refuted = |run: &Run| !run.equal && case.is_of(run);
        !self.cut.unaliased && self.runs.iter().any(refuted)
    }

    /// A proof of a question, if one is found.
    fn proof(&self, question: Question, budget: &Budget) -> Option<Proved> {
        if self.is_refuted(&question.case) {
            return None;
        }
        let all = self.alignments(&question.case);
        let most = match question.reach {
            Reach::Likely if question.horn.is_some() => 1,
            Reach::Likely => FIRST_TRIED,
            _ => MOST_TRIED,
        };
        let found = &all[..all.len().min(most)];
        let count = found.len() as u64;
        for (number, alignment) in found.iter().enumerate() {
            if budget.is_over() {
                break;
            }
            // The first is the likeliest.
            let left = budget.left();
            let (last, quick) = (number as u64 + 1 == count, budget.depth <= Depth::Quick);
            let share = match last {
                false if quick => left / 6 * 5,
                false => left / 5 * 4,
                // In a short turn something is left for a bound on the size of objects.
                true if quick && number > 0 && !question.small_objects => left / 2,
                true => left,
            };
            let share = budget.at_most(share);
            match prove::prove(self.task, self.cut, alignment, &question, &share) {
                Ok(Some(proof)) => {
                    return Some(Proved { alignment: alignment.clone(), proof, question });
                }
                Ok(None) | Err(Stop::Effort) => {}
                Err(_) => break,
            }
        }
        None
    }
}

impl Cut {
    /// Both versions cut, if they are of the kind that is aligned: loops, no recursion, callees known to be equal or
    /// in place of their calls.
    fn of(task: &Task<'_>, all: &Facts, places: CutPlaces) -> Option<Cut> {
        let comparison = task.comparison;
        let pair = comparison.pair(task.pair);
        let settings = &comparison.settings;
        let supported =
            Side::BOTH.into_iter().all(|side| comparison.procedure(task.pair, side).is_supported());
        if !pair.same_interface || !supported || settings.overflow_undefined {
            return None;
        }
        let size = |side: Side| {
            let procedures = comparison.program(side).procedures.iter();
            procedures.flat_map(|p| &p.blocks).map(|block| block.stmts.len() + 1).sum::<usize>()
        };
        if Side::BOTH.into_iter().any(|side| size(side) > MOST_STATEMENTS) {
            return None;
        }
        let written = all.written();
        if !Side::BOTH.into_iter().any(|side| written.is_unbounded(side, pair.of(side))) {
            return None;
        }
        let equal = |side: Side, id: ProcId| {
            let known = comparison.pair_of(side, id).filter(|other| *other != task.pair);
            let judgement = known.and_then(|pair| task.judgement_of(pair));
            judgement.is_some_and(|judgement| judgement.is_equal_in_calls())
        };
        let recursive = Side::BOTH.map(|side| folds::recursive::may_be_known(task, written, side));
        let cut = |chosen: &dyn Fn(Side, ProcId) -> bool| match places {
            CutPlaces::Heads => all.cut_at_heads(task.pair, chosen),
            CutPlaces::Outputs => all.cut_at_outputs(task.pair, chosen),
        };
        let loops = |side: Side, id: ProcId| written.is_unbounded(side, id) && id != pair.of(side);
        let (mut facts, mut heads) = cut(&|side, id| loops(side, id) && !equal(side, id))?;
        // Where only equal callees loop, what they return may matter: then they are cut, too.
        let no_heads = places == CutPlaces::Heads && heads.iter().all(Vec::is_empty);
        let of_callees = no_heads && recursive == [false, false];
        if of_callees {
            (facts, heads) = cut(&loops)?;
        }
        let (most, empty) = match places {
            CutPlaces::Heads => {
                (MOST_HEADS, heads.iter().all(Vec::is_empty) && recursive != [true, true])
            }
            CutPlaces::Outputs => (MOST_CUTS, heads.iter().any(Vec::is_empty)),
        };
        if empty || heads.iter().any(|heads| heads.len() > most) {
            return None;
        }
        // All that goes round is a head, or known to be equal.
        for side in Side::BOTH {
            let (root, own) = (pair.of(side), &heads[side.index()]);
            for id in facts.reached(side, root) {
                let cyclic = facts.is_cyclic(side, id) && !own.contains(&id);
                let is_recursive = recursive[side.index()] && own.is_empty() && id == root;
                if cyclic && !is_recursive && (id == root || !equal(side, id)) {
                    return None;
                }
            }
        }
        // Besides calls of itself a recursive version has no loop, and the other version has one or is recursive, too.
        let calls_itself = |side: Side| facts.is_cyclic(side, pair.of(side));
        let recursive = Side::BOTH.map(calls_itself);
        let places = |side: Side| {
            heads[side.index()].iter().copied().chain([pair.of(side)]).collect::<Vec<_>>()
        };
        let new = places(Side::New);
        let all_places: Vec<[ProcId; 2]> = places(Side::Old)
            .into_iter()
            .flat_map(|old| new.iter().map(move |n| [old, *n]))
            .collect();
        let started = |in_calls: bool| -> Option<bool> {
            let mut any_size = false;
            for both in &all_places {
                any_size |= may_start(task, &facts, *both, in_calls).ok()?;
            }
            Some(any_size)
        };
        // Of each part: what is private to the whole is not among its effects, but among those of a part that writes it.
        let reads_only = |side: Side, id: ProcId| {
            let effects = facts.effects(side, id);
            effects.writes.is_empty() && !effects.world && !effects.errno
        };
        let only_reads = Side::BOTH
            .into_iter()
            .all(|side| places(side).into_iter().all(|id| reads_only(side, id)));
        let of_calls = only_reads
            && recursive == [false, false]
            && facts.proof_of_calls_helps(task)
            && started(true).is_some();
        // Of a part of a procedure only a proof of every call is of use.
        let is_part = facts.programs[0].procedure(pair.old).outlined_from.is_some();
        let is_of_use = !is_part || facts.holds_in_calls(task, true);
        let any_size = if is_of_use { started(false) } else { None };
        let unaliased = verdiff_product::alias::unaliased(comparison, task.pair).contains(&true);
        let cut = || Cut { facts, heads, any_size, of_calls, unaliased, recursive, of_callees };
        (of_calls || any_size.is_some()).then(cut)
    }

    /// The types of the parameters.
    fn parameters(&self, task: &Task<'_>) -> Vec<Type> {
        let pair = task.comparison.pair(task.pair);
        let procedure = self.facts.programs[0].procedure(pair.old);
        procedure.params.iter().map(|param| procedure.var(*param).ty).collect()
    }
}

fn width(ty: Type) -> u32 {
    verdiff_symex::translate::sort_of(ty).width().unwrap_or(1)
}
