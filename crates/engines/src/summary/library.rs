//! What is known of the paths of procedures, kept for a whole comparison and shared by all callers (paper 003, sections 4 and 6.2).
//!
//! For each procedure that was looked at there is a resumable exploration from its own entry state. Its callees are never entered: each is a function, common to both
//! versions where the pair is known to be equal, and besides that the paths of it that are known. So a path of a procedure costs what its own statements
//! cost, whatever is below.
//!
//! # One space for all
//!
//! Paths are terms and chains of writes, which live in a [`Space`]. One is kept for the comparison: a path is then used by every caller as it is, and
//! the function of a pair is the same function wherever it is called. Carrying paths over as portable formulas would do for results
//! but not for memory, and exploring anew in each caller's space would be no sharing. What grows with a space (terms, objects of frames that
//! are gone) is bounded by beginning anew when it is too much ([`Library::begin`]): that costs time and loses nothing.
//!
//! # Why that is right
//!
//! Every function has one meaning throughout: that of a pair that is common is what both versions give where U of the pair holds (and both end); a version's own is
//! what this version gives. What is said of the paths of a procedure is said for every meaning of the functions, so for that one. It stays
//! true when judgements grow, when more paths become known, and in the task of another pair: nothing is ever assumed while a
//! path is followed. Which paths were *not* followed (because they cannot be taken from valid entry states, or nobody asked for them) is of no
//! importance to callers, for whom a call that no known path covers is one of a function.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_judge::{PairId, Side};
use verdiff_logic::{Op, TermId};
use verdiff_product::feasible::Feasibility;
use verdiff_product::judged::function_name;
use verdiff_product::{Exploration, Product, Start};
use verdiff_symex::callee::{Summary, UseOfPaths};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::outcome::Exit;
use verdiff_symex::paths::{Bounds, Explored, Uncovered};
use verdiff_symex::space::Space;

/// What executing one procedure may cost.
const LIMITS: ExecutionLimits = ExecutionLimits { terms: 100_000, depth: 60 };
/// With more terms than this a new space is begun.
const MOST_TERMS: usize = 400_000;
/// With more objects of frames than this, too: wherever memory is compared it is said of each that it does not matter.
const MOST_OBJECTS: usize = 24;
/// Paths of one procedure beyond which callers are better off with a function.
const MOST_PATHS: usize = 80;
/// Blocks that are executed in one go.
const MOST_BLOCKS: usize = 1_500;
/// A callee that is not known to be equal and has no more statements than this is explored before anybody asks: the ways it can go are
/// needed wherever a caller may leave what is known to be equal. What is larger, and what is equal, waits until somebody does.
const AT_ONCE: usize = 80;

/// The explorations of a comparison.
#[derive(Default)]
pub(super) struct Library {
    space: Space,
    kept: BTreeMap<(PairId, Side), Kept>,
    entries: BTreeMap<PairId, Rc<Entry>>,
}

/// What is known of callees: how many paths, and whether the common function is preferred to them.
type KnownCallees = BTreeMap<PairId, (usize, bool)>;

/// The paths of one procedure.
struct Kept {
    exploration: Exploration,
    /// Its finished paths for callers, and of how many of them that is.
    summaries: Vec<Summary>,
    looked_at: usize,
    exhausted: bool,
    knew: KnownCallees,
    rests_on: RestsOn,
}

/// What paths rest on, all together. It goes wherever the paths go: whoever takes a path for a call rests on all of this, also if
/// the exploration that found the path was forgotten meanwhile.
///
/// ✗ `f(n){ if (n==0) return 0; r = f(n-1); return r==1 ? f(n) : r; }` calls itself with the paths that were found last time, of which all but one
/// rest on its own function, and which cover every call. So the new exploration meets no call that is one of the function, and
/// without what the old one rested on it would seem to have followed all of its runs to their ends (recursion/retry_hangs).
#[derive(Clone, Default)]
struct RestsOn {
    /// Pairs that are taken as functions, by the procedure itself or in paths of its callees.
    functions: BTreeSet<PairId>,
    /// Pairs whose judgement is used.
    uses: BTreeSet<PairId>,
}

impl RestsOn {
    fn extend(&mut self, other: &RestsOn) {
        self.functions.extend(&other.functions);
        self.uses.extend(&other.uses);
    }
}

/// What one task asks of the explorations.
#[derive(Default)]
pub(super) struct Wanted {
    /// Pairs whose paths somebody needs.
    pub(super) explored: BTreeSet<PairId>,
    /// Pairs whose paths are taken everywhere, also where the pair is known to be equal.
    pub(super) everywhere: BTreeSet<PairId>,
    /// The calls for which paths are needed; empty if it is all of them.
    pub(super) calls: BTreeMap<PairId, Vec<Uncovered>>,
    /// How often a path may enter a block.
    pub(super) visits: u32,
}

/// What is known of a procedure's paths.
pub(super) struct Paths<'l> {
    pub(super) done: &'l [Exit],
    pub(super) open: Vec<Vec<TermId>>,
    pub(super) uncovered: &'l [Uncovered],
    pub(super) functions: &'l BTreeSet<PairId>,
    pub(super) uses: &'l BTreeSet<PairId>,
}

impl Library {
    /// Lends its space to an product.
    pub(super) fn begin(&mut self, product: &mut Product<'_>) {
        let objects = self.space.objects().iter().filter(|object| object.fresh).count();
        if self.space.pool.len() > MOST_TERMS || objects > MOST_OBJECTS {
            *self = Library::default();
        }
        product.space = std::mem::take(&mut self.space);
    }

    /// Takes it back.
    pub(super) fn end(&mut self, product: &mut Product<'_>) {
        self.space = std::mem::take(&mut product.space);
    }

    /// The entry state of a pair, one for both versions.
    pub(super) fn entry(
        &mut self,
        product: &mut Product<'_>,
        pair: PairId,
    ) -> Result<Rc<Entry>, Stop> {
        if let Some(entry) = self.entries.get(&pair) {
            return Ok(entry.clone());
        }
        let comparison = product.task.comparison;
        let prefix = format!("{}.", function_name(comparison, pair));
        let procedure = comparison.procedure(pair, Side::Old);
        let regions = &product.facts.regions;
        let entry = Rc::new(Entry::named(&mut product.space, regions, procedure, &prefix)?);
        self.entries.insert(pair, entry.clone());
        Ok(entry)
    }

    /// The paths of a procedure found so far.
    pub(super) fn paths(&self, pair: PairId, side: Side) -> Option<Paths<'_>> {
        let kept = self.kept.get(&(pair, side))?;
        Some(Paths {
            done: kept.exploration.done(),
            open: kept.exploration.open_paths().cloned().collect(),
            uncovered: kept.exploration.uncovered(),
            functions: &kept.rests_on.functions,
            uses: &kept.rests_on.uses,
        })
    }

    /// Whether other procedures that were explored call it, besides the one of the task.
    pub(super) fn is_called_elsewhere(&self, product: &Product<'_>, callee: PairId) -> bool {
        let mut others = self.kept.keys().filter(|(pair, _)| *pair != product.task.pair);
        others.any(|(pair, _)| below(product, *pair).contains(&callee))
    }

    /// Forgets the paths of a pair: what was found before its callees were known as well as they are now.
    fn forget(&mut self, pair: PairId) {
        self.kept.retain(|(other, _), _| *other != pair);
    }

    /// Brings the paths of a pair up to date: first those of what it calls, as far as they are known or wanted, then its own. `given` is what holds of its
    /// entry states, if they are those of a run and not of any call.
    pub(super) fn update(
        &mut self,
        product: &mut Product<'_>,
        pair: PairId,
        wanted: &Wanted,
        given: &[TermId],
    ) -> Result<(), Stop> {
        let mut seen = BTreeSet::new();
        self.update_below(product, pair, wanted, &mut seen)?;
        self.explore(product, pair, wanted, given)
    }

    fn update_below(
        &mut self,
        product: &mut Product<'_>,
        pair: PairId,
        wanted: &Wanted,
        seen: &mut BTreeSet<PairId>,
    ) -> Result<(), Stop> {
        if !seen.insert(pair) {
            return Ok(());
        }
        for callee in below(product, pair) {
            let unknown = callee == product.task.pair || !product.is_describable(callee);
            if unknown || product.budget().is_over() {
                continue;
            }
            let kept = self.kept.contains_key(&(callee, Side::Old));
            let wants = wanted.explored.contains(&callee);
            let small = |side: Side| {
                let procedure = product.task.comparison.procedure(callee, side);
                procedure.blocks.iter().map(|block| block.stmts.len()).sum::<usize>() <= AT_ONCE
            };
            let at_once = !kept && !product.is_equal(callee) && Side::BOTH.into_iter().all(small);
            if wants || kept || at_once {
                self.update_below(product, callee, wanted, seen)?;
            }
            if wants || at_once {
                self.explore(product, callee, wanted, &[])?;
            }
        }
        Ok(())
    }

    /// Explores both versions of a pair, from where it stopped if its callees are known as they were.
    fn explore(
        &mut self,
        product: &mut Product<'_>,
        pair: PairId,
        wanted: &Wanted,
        given: &[TermId],
    ) -> Result<(), Stop> {
        let (knows, shown) = self.show_callees(product, pair, wanted)?;
        let outdated =
            Side::BOTH.iter().any(|s| self.kept.get(&(pair, *s)).is_some_and(|k| k.knew != knows));
        let entry = self.entry(product, pair)?;
        // Paths that were known before are asked for again.
        let mut demand = demand(product, &entry, wanted.calls.get(&pair))?;
        if outdated {
            self.forget(pair);
            demand = None;
        }
        for side in Side::BOTH {
            let procedure = product.task.comparison.pair(pair).of(side);
            let mut kept = match self.kept.remove(&(pair, side)) {
                Some(kept) => kept,
                None => {
                    // What starts from initial values is of no use to callers ([`Exploration::summaries`]).
                    let start = match pair == product.task.pair {
                        true => Start::of(&product.task),
                        false => Start::Anywhere,
                    };
                    let exploration =
                        product.exploration(side, procedure, &entry, start, LIMITS)?;
                    Kept {
                        exploration: exploration.forking(),
                        summaries: vec![],
                        looked_at: 0,
                        exhausted: false,
                        knew: knows.clone(),
                        rests_on: RestsOn::default(),
                    }
                }
            };
            if !kept.exhausted {
                kept.rests_on.extend(&shown);
                go_on(product, side, &mut kept, &entry, wanted, (given, demand))?;
            }
            self.kept.insert((pair, side), kept);
        }
        Ok(())
    }

    /// Shows the product what a pair calls: functions with the paths that are known. Says what that is, and what these paths rest on.
    fn show_callees(
        &mut self,
        product: &mut Product<'_>,
        pair: PairId,
        wanted: &Wanted,
    ) -> Result<(KnownCallees, RestsOn), Stop> {
        let (mut knows, mut shown) = (BTreeMap::new(), RestsOn::default());
        for callee in below(product, pair) {
            if !product.is_describable(callee) {
                continue;
            }
            let mut function = product.function_of(callee)?;
            let view = &mut function.abstraction;
            view.entry = self.entry(product, callee)?;
            // A condition that is dear to ask is asked at every call of every path; what the paths of the callee say is cheaper.
            if view.common_under.is_some_and(|under| is_dear(&product.space, under)) {
                view.common_under = Some(product.space.pool.falsity());
            }
            // Whoever needed to know what the common function is here will need it again.
            let before = self.kept.get(&(pair, Side::Old)).and_then(|kept| kept.knew.get(&callee));
            let prefers_function = !wanted.everywhere.contains(&callee)
                && before.is_none_or(|(_, prefers_function)| *prefers_function);
            if prefers_function {
                view.use_of_paths = UseOfPaths::TakenWhereNotCommon;
            }
            // Of itself a procedure knows the paths that were found last time: each time it is asked for, one call deeper.
            let itself = callee == pair && !wanted.explored.contains(&pair);
            for side in Side::BOTH {
                if let Some(kept) = self.kept.get(&(callee, side)).filter(|_| !itself) {
                    view.summaries.extend(kept.summaries.iter().cloned());
                    shown.extend(&kept.rests_on);
                }
            }
            knows.insert(callee, (view.summaries.len(), prefers_function));
            product.treat_pair(callee, function);
        }
        Ok((knows, shown))
    }
}

/// Goes on with the exploration of one version.
fn go_on(
    product: &mut Product<'_>,
    side: Side,
    kept: &mut Kept,
    entry: &Rc<Entry>,
    wanted: &Wanted,
    (given, demand): (&[TermId], Option<TermId>),
) -> Result<(), Stop> {
    let before = std::mem::take(&mut product.usage.pairs);
    let visits = wanted.visits;
    let bounds =
        Bounds { visits, depth: 2 * visits as usize + 2, paths: MOST_PATHS, blocks: MOST_BLOCKS };
    let mut feasibility = Feasibility::by_solver(given).demanding(demand);
    let explored = product.explore(&mut kept.exploration, &bounds, &mut feasibility)?;
    kept.exhausted = explored == Explored::Exhausted;
    let found = kept.exploration.summaries(&mut product.space, entry, kept.looked_at)?;
    kept.summaries.extend(found);
    kept.looked_at = kept.exploration.done().len();
    let comparison = product.task.comparison;
    kept.rests_on.uses.append(&mut product.usage.pairs);
    product.usage.pairs = before;
    let called = kept.exploration.functions().iter();
    kept.rests_on.functions.extend(called.filter_map(|callee| comparison.pair_of(side, *callee)));
    Ok(())
}

/// Whether a condition has quotients or products in it, which no solver relates soon.
fn is_dear(space: &Space, condition: TermId) -> bool {
    space.pool.sub_terms(&[condition]).into_iter().any(|term| match space.pool.op(term) {
        Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => true,
        Op::BvMul => {
            let operands = space.pool.operands(term);
            operands.iter().filter(|t| !space.pool.op(**t).is_constant()).count() > 1
        }
        _ => false,
    })
}

/// The pairs that a pair calls, in either version; also through what is entered: procedures without a partner, and pairs that cannot be
/// functions. So whatever an exploration calls as a function was shown to it, with what the paths rest on.
pub(super) fn below(product: &Product<'_>, pair: PairId) -> BTreeSet<PairId> {
    let comparison = product.task.comparison;
    let (mut found, mut work) = (BTreeSet::new(), vec![pair]);
    while let Some(caller) = work.pop() {
        for side in Side::BOTH {
            for callee in product.facts.callees(comparison, side, comparison.pair(caller).of(side))
            {
                if found.insert(callee) && !product.is_describable(callee) {
                    work.push(callee);
                }
            }
        }
    }
    found
}

/// That a state is one of those in which the calls are made: the caller's path, with the callee's parameters for the arguments.
fn demand(
    product: &mut Product<'_>,
    entry: &Entry,
    calls: Option<&Vec<Uncovered>>,
) -> Result<Option<TermId>, Stop> {
    let Some(calls) = calls else { return Ok(None) };
    let mut any = vec![];
    for call in calls {
        let mut all = call.path.clone();
        for (parameter, arg) in entry.args.iter().zip(&call.args) {
            all.push(product.space.pool.eq(*parameter, *arg)?);
        }
        any.push(product.space.and(&all)?);
    }
    let any = product.space.or(&any)?;
    Ok(Some(product.space.tidy(any)?))
}
