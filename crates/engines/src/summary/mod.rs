//! Difference summaries (ModDiff, paper 003): for which inputs do the versions differ, path by path.
//!
//! Both procedures are executed symbolically path by path ([`Explorer`](verdiff_symex::paths::Explorer), modular symbolic execution), into callees
//! that are not known to be equal; callees that are become one function for both versions. Loops and recursion are unwound,
//! further in each round; an exploration goes on where the last round stopped. Any time it is stopped, what was found is right:
//!
//! Let K hold of the states from which both versions take a path that was followed to its end, and D where the outcomes of these
//! paths differ (Algorithm 2: r ∧ r' ∧ t ≠ t', over all pairs of paths at once).
//!
//! - Rule `paths-equal`: K ∧ ¬D is added to U. The paths of one version exclude each other, so from a state of K the outcome is that of the one
//!   path that was taken. Where D speaks of functions (common callees), it is added only what holds for every meaning of them: K, if K ∧ D cannot
//!   hold at all. (✗ `return g(x)?1:2;` against `g(x)?1:3;`: the first pair of paths alone justifies nothing.)
//! - Rule `paths-differ`: K ∧ D is added to C, once a state of it was confirmed, if D speaks of entry states alone and nothing on any path
//!   may wait for ever. (✗ `if(x>9)spin();return 0;` against `…return 1;`.)
//! - Rule `paths-end`: under the same condition both end from every state of K, so K is added to T.
//!
//! Where all paths of both were followed to the end, K is all states that entry states can be, and said to be true.
//!
//! Where bodies in place of calls would be many times the code, callees are not entered: the paths of each procedure are kept for the comparison and shared by
//! its callers (`library.rs`), and the same three rules are applied to pairs of paths that speak of functions (`modular.rs`, with the argument).
//!
//! # Asking for a difference summary
//!
//! What is found is an object that other programs can ask: a [`Judgement`](verdiff_judge::Judgement), whose conditions are formulas to be evaluated, given to a
//! solver, or said in C.
//!
//! ```
//! use std::rc::Rc;
//! use verdiff_engines::Facts;
//! use verdiff_engines::summary::Summary;
//! use verdiff_front::{Inputs, load};
//! use verdiff_judge::{
//!     Budget, Changed, Comparison, Engine, Field, Judgement, Judgements, Pair, PairId, Side, Task, Version,
//! };
//! use verdiff_logic::effort::Effort;
//! use verdiff_logic::{Assignment, Bits, Sort, TermPool, Value};
//! use verdiff_report::ConditionPrinter;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let version = |name: &str, text: &str| -> Result<Version, Box<dyn std::error::Error>> {
//!     let path = folder.path().join(name);
//!     std::fs::write(&path, text)?;
//!     let loaded = load(&Inputs { paths: vec![path], ..Inputs::default() })?;
//!     Ok(Version { program: loaded.program, frames: loaded.frames })
//! };
//! let old = version("old.c", "int digits(unsigned n) { int d = 1; while (n > 9) { n /= 10; d++; } return d; }")?;
//! let new = version("new.c", "int digits(unsigned n) { int d = 1; while (n > 10) { n /= 10; d++; } return d; }")?;
//!
//! // The function is the only one of either version.
//! let (first, function) = (verdiff_model::ProcId::new(0), "digits".to_owned());
//! let pair = Pair { function, old: first, new: first, changed: Changed::Text, same_interface: true, wanted: true };
//! let comparison = Rc::new(Comparison { old, new, pairs: vec![pair], ..Comparison::default() });
//! let (nothing, others) = (Judgement::default(), Judgements::new());
//! let task = Task { comparison: &comparison, pair: PairId(0), judgement: &nothing, judgements: &others };
//! let found = Summary::new(&Facts::of(comparison.clone())).run(&task, &Budget::lasting(Effort::seconds(60), 1));
//!
//! // What is proved may be taken at once; where they differ, once a run of the candidate has confirmed it. Here it is taken on trust.
//! let mut summary = Judgement::default();
//! let differ = found.candidates.into_iter().filter_map(|candidate| candidate.condition);
//! for addition in found.additions.into_iter().chain(differ) {
//!     summary.add(addition)?;
//! }
//!
//! // Do they differ for this number?
//! let mut pool = TermPool::new();
//! let differs = summary.condition(Field::DifferUnder).build(&mut pool)?;
//! let n = pool.symbol("n", Sort::BitVec(32))?;
//! let verdiff_logic::Op::Symbol(symbol) = pool.op(n) else { unreachable!() };
//! let mut differs_for = |number: u128| -> Result<bool, verdiff_logic::LogicError> {
//!     let mut assignment = Assignment::new();
//!     assignment.set(&pool, symbol, Value::Bits(Bits::new(32, number)))?;
//!     Ok(pool.eval(differs, &assignment)?.as_bool() == Some(true))
//! };
//! assert!(differs_for(10)? && differs_for(1009)?);
//! assert!(!differs_for(9)? && !differs_for(11)? && !differs_for(1100)?);
//!
//! // For which inputs are they equal? (All of them but those: every path came to its end.)
//! let mut pool = TermPool::new();
//! let equal = summary.condition(Field::EqualUnder).build(&mut pool)?;
//! let words = ConditionPrinter::of(&mut pool, &comparison.old.program, comparison.procedure(PairId(0), Side::Old), &[equal])?;
//! assert!(words.c(&pool, equal).is_some(), "C can say it");
//! # Ok(()) }
//! ```

mod evidence;
mod explore;
mod library;
mod modular;
mod pairs;

use evidence::{Again, NONE_DIFFERS, evidence};
use explore::{Rounds, Seen, within};
use library::Library;
use std::rc::Rc;
use verdiff_judge::{
    Addition, Budget, Candidate, Depth, Engine, Evidence, Field, Findings, Incomplete, Obligation,
    PairId, Rule, Side, StopReason, Task,
};
use verdiff_logic::solver::Z3;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Formula, TermId};
use verdiff_product::Product;
use verdiff_product::difference::Formed;
use verdiff_product::obligation::script;
use verdiff_product::stop::{not_executable, reason};
use verdiff_product::{Facts, ProgramFacts};
use verdiff_symex::execute::{Construct, Stop};

/// How often a path may enter a block in each round, and how many calls may be open.
const BOUNDS: [u32; 7] = [2, 4, 8, 16, 32, 64, 128];

/// The engine. One instance serves one comparison.
pub struct Summary {
    facts: Rc<Facts>,
    /// The paths of procedures that were found so far.
    library: Library,
    /// Whether callees are never entered, whatever would cost less: for those who want to see what kept paths alone say.
    pub never_entering: bool,
}

impl Summary {
    /// An engine for the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Summary {
        let (library, facts) = (Library::default(), facts.clone());
        Summary { facts, library, never_entering: false }
    }
}

impl Engine for Summary {
    fn name(&self) -> &'static str {
        "summary"
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let _contexts = Z3::keep_contexts();
        let comparison = task.comparison;
        let settings = &comparison.settings;
        let nothing = |why| Findings::nothing(StopReason::incomplete(why));
        if let Some(reason) = not_executable(task) {
            return Findings::nothing(reason);
        }
        let assumed =
            settings.assume.iter().any(|(f, _)| *f == comparison.pair(task.pair).function);
        if settings.overflow_undefined || settings.no_alias || assumed {
            return nothing(Incomplete::UnderPreconditions);
        }
        let facts = match self.facts.about(task) {
            Ok(facts) => facts.written(),
            Err(reason) => return Findings::nothing(reason),
        };
        let mut best = nothing(Incomplete::SomePaths);
        // What comes before induction is tried: it gives up where loops seem to have no bound, and says nothing unless all
        // paths were explored.
        let bounded_only = budget.depth <= Depth::Quick;
        let modes = match self.never_entering {
            true => vec![Mode::Modular],
            false => modes(task, facts),
        };
        for (number, mode) in modes.iter().enumerate() {
            let share = budget.at_most(budget.left() / (modes.len() - number) as u64);
            let found = match mode {
                Mode::Modular => modular::judge(task, facts, &mut self.library, &share),
                Mode::Entering { abstracting } => {
                    rounds(task, facts, *abstracting, bounded_only, &share)
                }
            };
            let says = |f: &Findings| {
                (f.candidates.iter().any(|c| c.condition.is_some()), !f.additions.is_empty())
            };
            let complete = found.stopped.is_none() && !found.additions.is_empty();
            if number == 0 || says(&found) > says(&best) {
                best = found;
            }
            if complete {
                break;
            }
        }
        match best.stopped.clone().filter(|_| bounded_only) {
            Some(reason) => Findings::nothing(reason),
            None => best,
        }
    }
}

/// How callees are seen.
enum Mode {
    /// By their paths, which are kept: never entered.
    Modular,
    /// Entered, unless they are known to be equal and `abstracting`.
    Entering { abstracting: bool },
}

/// With more statements than this, all calls in place, callees are entered only after their paths were asked.
const DEAR: u64 = 60;

/// The ways to see callees that are worth trying, by what they cost: a few small callees are entered, for then more is known of each call; where bodies in place of
/// calls would be many times the code, paths are kept and shared. First with callees that are equal as functions; where that says too little, into
/// those as well (section 6.2: refinement).
fn modes(task: &Task<'_>, facts: &ProgramFacts) -> Vec<Mode> {
    let pair = task.comparison.pair(task.pair);
    let cost = Side::BOTH.map(|side| facts.expanded(side, pair.of(side)));
    let cost = cost.into_iter().max().unwrap_or_default();
    let calls = Side::BOTH
        .into_iter()
        .any(|side| !facts.callees(task.comparison, side, pair.of(side)).is_empty());
    let mut entering = vec![];
    if facts.calls_known(task) {
        entering.push(Mode::Entering { abstracting: true });
    }
    entering.push(Mode::Entering { abstracting: false });
    match calls {
        false => entering,
        true if facts.repeats(pair) => vec![Mode::Modular],
        true if cost <= DEAR => entering.into_iter().chain([Mode::Modular]).collect(),
        true => [Mode::Modular].into_iter().chain(entering).collect(),
    }
}

/// Round after round, until everything is known or time is over.
fn rounds(
    task: &Task<'_>,
    facts: &ProgramFacts,
    abstracting: bool,
    bounded_only: bool,
    budget: &Budget,
) -> Findings {
    let mut product = Product::new(*task, facts, budget);
    let nothing = |why| Findings::nothing(StopReason::incomplete(why));
    let mut best = nothing(Incomplete::SomePaths);
    let mut rounds = match Rounds::new(&mut product, abstracting) {
        Ok(rounds) => rounds,
        Err(stop) => return Findings::nothing(reason(task, &stop)),
    };
    let mut before = 0;
    for bound in BOUNDS {
        // The next round costs more than all before it.
        if budget.is_over() {
            best.stopped = best.stopped.map(|_| StopReason::Time);
            break;
        }
        // Some of what is left is for what the paths say.
        let exploring = budget.at_most(budget.left() * 2 / 3);
        let seen = product.within(&exploring, |product| rounds.explore(product, bound));
        let in_time = !exploring.is_over();
        let exhausted = matches!(&seen, Ok(Some(seen)) if seen.exhausted);
        if bounded_only && !exhausted && seen.is_ok() {
            // A loop that may be left after any of its rounds gives new paths for ever.
            let paths = seen.ok().flatten().map_or(0, |seen| seen.paths);
            let endless = bound >= 4 && paths.saturating_sub(before) * 2 >= bound as usize;
            before = paths;
            if endless || !in_time {
                break;
            }
            continue;
        }
        let found = seen.and_then(|seen| match seen {
            Some(seen) => judged(&mut product, seen, abstracting, budget),
            None => Ok(None),
        });
        match found {
            Ok(Some(findings)) => {
                let complete = findings.stopped.is_none();
                best = findings;
                if complete {
                    break;
                }
                if !in_time {
                    best.stopped = Some(StopReason::Time);
                    break;
                }
            }
            // There are no more paths to follow.
            Ok(None) if exhausted => break,
            Ok(None) if !in_time => {
                best.stopped = best.stopped.map(|_| StopReason::Time);
                break;
            }
            Ok(None) => {}
            Err(stop) => {
                if best.additions.is_empty() {
                    best = Findings::nothing(reason(task, &stop));
                }
                break;
            }
        }
    }
    best
}

/// What the paths of one round say.
fn judged(
    product: &mut Product<'_>,
    seen: Seen,
    abstracting: bool,
    budget: &Budget,
) -> Result<Option<Findings>, Stop> {
    let Seen { entry, outcomes, covered, exhausted, bound, .. } = seen;
    let formed = product.compared(entry, outcomes)?;
    // With `restrict` D says too much; the formula for the whole is not made for that.
    if !product.apart(&formed, &[])?.is_empty() {
        return Err(Stop::Construct(Construct::Unaliased));
    }
    let mut assertions = product.space.axioms()?;
    assertions.extend(product.valid_entry(&formed.entry)?);
    assertions.extend([covered, formed.differ]);
    let (task, facts) = (product.task, product.facts);
    let pair = task.comparison.pair(task.pair);
    let ends = |side: Side| {
        // A callee that is seen as a function may loop for ever, in both versions alike.
        let mut callees = product.usage.pairs.iter().map(|p| task.comparison.pair(*p).of(side));
        facts.terminates_if_finite(side, pair.of(side))
            && callees.all(|callee| facts.terminates(side, callee))
    };
    let both_end = !product.usage.private && Side::BOTH.into_iter().all(ends);
    let round = Round {
        both_end,
        uses: product.uses(),
        // Feasibility and D were asked under what is taken for granted of pointers at entry.
        holds_in_calls: facts.holds_in_calls(&task, true),
        again: Again { bound, abstracting },
        stopped: (!exhausted).then(|| StopReason::incomplete(Incomplete::SomePaths)),
    };
    let mut solver = solver::standard();
    let query = Query { assertions: &assertions, assumptions: &[] };
    let limits = Limits::effort(budget.left() / 2);
    match solver.decide(&mut product.space.pool, &query, &limits) {
        Answer::Unknown(_) => Ok(None),
        Answer::Unsat { .. } => {
            // With functions of callees in it, too: for every meaning of them.
            let Some(whole) = formula(product, &formed, covered)? else { return Ok(None) };
            let again = Again { bound, abstracting };
            let mut obligations = evidence(product, &formed, &whole, again, budget);
            if obligations.is_empty() {
                obligations.extend(script(&product.space.pool, NONE_DIFFERS, &assertions));
            }
            let additions = round.additions(whole.clone(), whole, obligations);
            Ok(Some(round.findings(additions, vec![], both_end)))
        }
        Answer::Sat(model) => {
            let condition = product.exact_condition(&formed, both_end)?;
            let model = product.smaller(&formed, &assertions, model, &mut solver)?;
            let Some(((old, new), common_run)) = product.runnable(&formed, &model)? else {
                return Ok(None);
            };
            let candidate = Candidate::new("summary", old, new);
            let Some(differ) = condition else {
                return Ok(Some(round.findings(vec![], vec![candidate], common_run)));
            };
            let conditions = within(&mut product.space, covered, differ)?;
            different(product, &formed, candidate, conditions, round, budget)
        }
    }
}

/// What is known of one round besides its paths.
struct Round {
    /// Whether both versions end wherever their paths were followed.
    both_end: bool,
    uses: Vec<PairId>,
    holds_in_calls: bool,
    again: Again,
    stopped: Option<StopReason>,
}

impl Round {
    /// U and T grow.
    fn additions(
        &self,
        equal: Formula,
        covered: Formula,
        obligations: Vec<Obligation>,
    ) -> Vec<Addition> {
        let uses = &self.uses;
        let mut all = vec![];
        // Where everything differs nothing is equal.
        if !equal.is_false() {
            let mut equality = addition(Field::EqualUnder, equal, Rule::PathsEqual, uses);
            equality.evidence.obligations = obligations;
            all.push(equality.in_calls(self.holds_in_calls));
        }
        if self.both_end {
            all.push(addition(Field::AlikeUnder, covered, Rule::PathsEnd, uses));
        }
        all
    }

    fn findings(
        self,
        additions: Vec<Addition>,
        candidates: Vec<Candidate>,
        common_run: bool,
    ) -> Findings {
        Findings { additions, candidates, common_run, stopped: self.stopped, ..Findings::default() }
    }
}

/// C and U for a condition that is exact wherever the paths were followed.
fn different(
    product: &mut Product<'_>,
    formed: &Formed,
    candidate: Candidate,
    [covered, differ, equal]: [TermId; 3],
    round: Round,
    budget: &Budget,
) -> Result<Option<Findings>, Stop> {
    let (Some(covered), Some(inside), Some(outside)) = (
        formula(product, formed, covered)?,
        formula(product, formed, differ)?,
        formula(product, formed, equal)?,
    ) else {
        return Ok(None);
    };
    let condition = addition(Field::DifferUnder, inside, Rule::PathsDiffer, &round.uses);
    let unique = round.stopped.is_none() && product.is_unique(formed, differ, &candidate.old)?;
    let effect = product.effect(formed, differ)?;
    let candidate = Candidate { condition: Some(condition), unique, effect, ..candidate };
    let obligations = evidence(product, formed, &outside, round.again, budget);
    let additions = round.additions(outside, covered, obligations);
    Ok(Some(round.findings(additions, vec![candidate], true)))
}

/// A formula for the judgement, if it speaks of entry states alone.
fn formula(
    product: &mut Product<'_>,
    formed: &Formed,
    term: TermId,
) -> Result<Option<Formula>, Stop> {
    match product.speaks_of_entry(formed, term)? {
        true => Ok(Some(Formula::of(&product.space.pool, term)?)),
        false => Ok(None),
    }
}

fn addition(adds: Field, formula: Formula, rule: Rule, uses: &[PairId]) -> Addition {
    let evidence = Evidence { uses: uses.to_vec(), ..Evidence::new(adds, "summary", rule) };
    Addition::new(formula, evidence)
}
