//! How callees are seen in the proof of one pair of bodies.

use super::matching::Matching;
use super::partition::{Regions, over};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_judge::{PairId, Side, Task};
use verdiff_logic::{LogicError, TermId};
use verdiff_model::{ProcId, Procedure};
use verdiff_product::ProgramFacts;
use verdiff_symex::callee::{Abstraction, Callees, Summary, View};
use verdiff_symex::entry::Entry;
use verdiff_symex::regions;
use verdiff_symex::space::Space;

/// Callees that take this many statements in all are inlined even where they are known to be equal.
const SMALL: usize = 300;

/// The entry state of a procedure, each parameter with a name of its own: variables of a block and of the one
/// around it may have one name, and must not become one symbol. `unset` says of what was a loop which parameters may be
/// without a value.
pub fn entry_of(
    space: &mut Space,
    regions: &regions::Regions,
    procedure: &Procedure,
    prefix: &str,
    unset: &[bool],
) -> Result<Entry, LogicError> {
    let mut named = procedure.clone();
    let params = named.params.clone();
    let mut used = BTreeSet::new();
    for (index, param) in params.iter().enumerate() {
        let var = &mut named.vars[param.index()];
        if var.name.is_empty() || !used.insert(var.name.clone()) {
            var.name = format!("{}#{index}", var.name);
        }
    }
    let entry = Entry::named(space, regions, &named, prefix)?;
    if unset.is_empty() { Ok(entry) } else { entry.with_unset(space, unset) }
}

/// What an assumed pair looks like to a caller.
#[derive(Clone)]
pub struct Assumed {
    pub view: Abstraction,
    /// Whether calls may be unfolded into lemmas; otherwise they are replaced by the body.
    pub by_lemma: bool,
}

/// How callees are seen.
pub struct Seen<'a> {
    task: Task<'a>,
    facts: &'a ProgramFacts,
    matching: &'a Matching,
    /// The couplings that are assumed, by number.
    assumed: BTreeMap<usize, Assumed>,
    /// How many levels of assumed calls are looked into, on each side.
    pub unfold: [usize; 2],
    /// Whether that gives lemmas, where it can.
    pub lemmas: bool,
    /// The assumed bodies that execution is in: at which depth of calls each was entered.
    inside: Vec<(usize, bool)>,
    views: BTreeMap<(usize, ProcId), View>,
    /// The couplings that were used.
    pub used: BTreeSet<usize>,
    /// The pairs whose judgements were used.
    pub rests_on: BTreeSet<PairId>,
    called_back: bool,
    /// Something was called that cannot be described.
    pub lost: bool,
    /// Something was called of which nothing is known.
    pub private: bool,
}

impl<'a> Seen<'a> {
    pub fn new(task: Task<'a>, facts: &'a ProgramFacts, matching: &'a Matching) -> Seen<'a> {
        Seen {
            task,
            facts,
            matching,
            assumed: BTreeMap::new(),
            unfold: [0, 0],
            lemmas: false,
            inside: vec![],
            views: BTreeMap::new(),
            used: BTreeSet::new(),
            rests_on: BTreeSet::new(),
            called_back: false,
            lost: false,
            private: false,
        }
    }

    /// The pairs outside of the induction that the proof rests on.
    pub fn judged(&self) -> BTreeSet<PairId> {
        let mut pairs = self.rests_on.clone();
        if self.called_back {
            pairs.extend(self.facts.outside.taken.iter().flatten());
        }
        pairs
    }

    /// Assumes couplings: each becomes one function for both versions, but for one that is `private`, and where that is said only
    /// `under` a condition.
    pub fn assume(
        &mut self,
        space: &mut Space,
        couplings: &BTreeSet<usize>,
        private: Option<usize>,
        under: Option<&Regions>,
    ) -> Result<(), LogicError> {
        for number in couplings {
            let coupled = &self.matching.pairs[*number];
            let mut view = self.describe(space, *number)?;
            if private != Some(*number) {
                view.common_under = match under {
                    None => None,
                    Some(under) => Some(self.region(space, under, *number, &view.entry)?),
                };
            }
            let effects = Side::BOTH.map(|side| self.facts.effects(side, coupled.of(side)));
            let by_lemma = effects.iter().all(|e| e.writes.is_empty() && !e.errno);
            self.assumed.insert(*number, Assumed { view, by_lemma });
        }
        Ok(())
    }

    /// Where a coupling is assumed, over its entry state.
    fn region(
        &self,
        space: &mut Space,
        under: &Regions,
        number: usize,
        entry: &Entry,
    ) -> Result<TermId, LogicError> {
        let region = match under.get(&number) {
            Some(region) => over(space, region, entry)?,
            None => None,
        };
        Ok(region.unwrap_or(space.pool.falsity()))
    }

    /// Adds runs that are known exactly to an assumed coupling.
    pub fn know(&mut self, number: usize, summaries: Vec<Summary>) {
        if let Some(assumed) = self.assumed.get_mut(&number) {
            assumed.view.summaries.extend(summaries);
        }
    }

    /// What an assumed coupling is called.
    pub fn name(&self, number: usize) -> Option<String> {
        self.assumed.get(&number).map(|assumed| assumed.view.name.clone())
    }

    /// The entry state over which an assumed coupling is described.
    pub fn entry(&self, number: usize) -> Option<Rc<Entry>> {
        self.assumed.get(&number).map(|assumed| assumed.view.entry.clone())
    }

    /// A coupling as a function.
    fn describe(&self, space: &mut Space, number: usize) -> Result<Abstraction, LogicError> {
        let coupled = &self.matching.pairs[number];
        let regions = &self.facts.regions;
        let procedure = self.matching.programs[0].procedure(coupled.old);
        let name = format!("call.{}.coupled{number}", procedure.name);
        let unset = self.matching.unset(self.facts, number);
        let entry = entry_of(space, regions, procedure, &format!("{name}."), &unset)?;
        let effects = Side::BOTH.map(|side| self.facts.effects(side, coupled.of(side)));
        let mut view = Abstraction::unproved(space, regions, &name, Rc::new(entry), &effects);
        view.returns = Side::BOTH
            .into_iter()
            .all(|side| self.facts.returns_if_it_ends(side, coupled.of(side)));
        Ok(view)
    }

    /// Views of what is not coupled, made before anything is executed.
    pub fn prepare(&mut self, space: &mut Space, roots: [ProcId; 2]) -> Result<(), LogicError> {
        for side in Side::BOTH {
            let cut = self.assumed.keys().map(|n| self.matching.pairs[*n].of(side)).collect();
            let cyclic = self.facts.cyclic_without(side, &cut);
            for id in self.facts.reached(side, roots[side.index()]) {
                let view = self.plain_view(space, side, id, cyclic.contains(&id))?;
                self.views.insert((side.index(), id), view);
            }
        }
        Ok(())
    }

    fn plain_view(
        &self,
        space: &mut Space,
        side: Side,
        id: ProcId,
        cyclic: bool,
    ) -> Result<View, LogicError> {
        let facts = self.facts;
        let pair = self.task.comparison.pair_of(side, id);
        let regions = &facts.regions;
        if let Some(pair) = pair.filter(|p| self.is_equal(*p)) {
            let procedures = self.task.comparison.pair(pair);
            let of = |side: Side| procedures.of(side);
            let unbounded = Side::BOTH.into_iter().any(|s| facts.is_unbounded(s, of(s)));
            let small = Side::BOTH.into_iter().all(|s| facts.size(s, of(s)) <= SMALL);
            if procedures.same_interface && (unbounded || !small) {
                let name = format!("call.{}.{}", procedures.function, pair.0);
                let old = self.matching.programs[0].procedure(procedures.old);
                let entry = entry_of(space, regions, old, &format!("{name}."), &[])?;
                let effects = Side::BOTH.map(|s| facts.effects(s, of(s)));
                let mut view =
                    Abstraction::unproved(space, regions, &name, Rc::new(entry), &effects);
                view.common_under = None;
                view.returns = Side::BOTH.into_iter().all(|s| facts.returns_if_it_ends(s, of(s)));
                return Ok(View::Abstract(view));
            }
        }
        if !cyclic {
            return Ok(View::Inline);
        }
        // Nothing is known of it.
        let procedure = self.matching.programs[side.index()].procedure(id);
        let name = format!("call.{}.{}.{}", procedure.name, side.index(), id.index());
        let entry = entry_of(space, regions, procedure, &format!("{name}."), &[])?;
        let effects = [facts.effects(side, id)];
        let mut view = Abstraction::unproved(space, regions, &name, Rc::new(entry), &effects);
        view.returns = facts.returns_if_it_ends(side, id);
        Ok(View::Abstract(view))
    }

    fn is_equal(&self, pair: PairId) -> bool {
        pair != self.task.pair
            && self.task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls())
    }

    fn coupling(&self, side: Side, id: ProcId) -> Option<usize> {
        self.matching.pairs.iter().position(|c| c.of(side) == id)
    }
}

impl Callees for Seen<'_> {
    fn view(&mut self, side: usize, callee: ProcId, depth: usize) -> View {
        let here = Side::BOTH[side];
        while self.inside.last().is_some_and(|(at, _)| *at >= depth) {
            self.inside.pop();
        }
        let level = self.inside.iter().filter(|(_, assumed)| *assumed).count();
        if let Some(number) = self.coupling(here, callee)
            && let Some(assumed) = self.assumed.get(&number)
        {
            if level >= self.unfold[side] {
                self.used.insert(number);
                return View::Abstract(assumed.view.clone());
            }
            self.inside.push((depth, true));
            if assumed.by_lemma && self.lemmas {
                self.used.insert(number);
                return View::Unfolded(assumed.view.clone());
            }
            return View::Inline;
        }
        let view = self.views.get(&(side, callee)).cloned().unwrap_or(View::Inline);
        match &view {
            View::Abstract(view) => {
                self.lost |= view.allocates || view.frees;
                match self.task.comparison.pair_of(here, callee) {
                    Some(pair) if self.is_equal(pair) => {
                        self.rests_on.insert(pair);
                    }
                    _ => self.private = true,
                }
            }
            _ => self.inside.push((depth, false)),
        }
        view
    }

    fn external(&mut self, side: usize, name: &str, calls_back: bool) -> String {
        // What is nothing but a name may look at every constant that it can name itself.
        let looks_around = verdiff_symex::libc::known(name).is_none();
        if !calls_back {
            return match looks_around && !self.facts.outside.constants_are_equal {
                true => format!("{name}.{side}"),
                false => name.to_owned(),
            };
        }
        // It may call whatever has its address taken: common only if all of that is equal.
        let equal = |pair: &PairId| self.is_equal(*pair);
        let all = self.facts.outside.taken.as_ref().is_some_and(|taken| taken.iter().all(equal));
        if all && self.facts.outside.constants_are_equal {
            self.called_back = true;
            name.to_owned()
        } else {
            format!("{name}.{side}")
        }
    }
}

/// Everything is executed, whatever it is.
pub struct Everything<'a> {
    seen: Seen<'a>,
}

impl<'a> Everything<'a> {
    pub fn new(task: Task<'a>, facts: &'a ProgramFacts, matching: &'a Matching) -> Everything<'a> {
        Everything { seen: Seen::new(task, facts, matching) }
    }
}

impl Callees for Everything<'_> {
    fn view(&mut self, _: usize, _: ProcId, _: usize) -> View {
        View::Inline
    }

    fn external(&mut self, side: usize, name: &str, calls_back: bool) -> String {
        self.seen.external(side, name, calls_back)
    }
}

/// What marks a call on a path of [`Leaves`].
const CALLED: &str = "a call that is not executed";

/// Callees for finding the runs that make no call into the induction, nor any other that is not executed.
pub struct Leaves {
    marks: BTreeMap<ProcId, Abstraction>,
}

impl Leaves {
    /// For the runs of one side of a coupling.
    pub fn new(
        seen: &Seen<'_>,
        space: &mut Space,
        side: Side,
        root: ProcId,
    ) -> Result<Leaves, LogicError> {
        let mut marks = BTreeMap::new();
        for id in seen.facts.reached(side, root) {
            let assumed = seen.coupling(side, id).is_some_and(|n| seen.assumed.contains_key(&n));
            let inline = matches!(seen.views.get(&(side.index(), id)), Some(View::Inline));
            if assumed || !inline {
                let procedure = seen.matching.programs[side.index()].procedure(id);
                let name = format!("{CALLED}: {}.{}", side.index(), id.index());
                let regions = &seen.facts.regions;
                let entry = entry_of(space, regions, procedure, &format!("{name}."), &[])?;
                let effects = [seen.facts.effects(side, id)];
                let view = Abstraction::unproved(space, regions, &name, Rc::new(entry), &effects);
                marks.insert(id, view);
            }
        }
        Ok(Leaves { marks })
    }

    /// Whether a path makes such a call: how it ended is a condition of the path.
    pub fn calls(space: &Space, path: &[TermId]) -> bool {
        let functions = space.pool.free_names(path).functions;
        let symbols = space.pool.free_names(path).symbols;
        functions.into_iter().any(|f| space.pool.signature(f).name.starts_with(CALLED))
            || symbols.into_iter().any(|s| space.pool.symbol_name(s).starts_with(CALLED))
    }
}

impl Callees for Leaves {
    fn view(&mut self, _: usize, callee: ProcId, _: usize) -> View {
        match self.marks.get(&callee) {
            Some(mark) => View::Abstract(mark.clone()),
            None => View::Inline,
        }
    }
}
