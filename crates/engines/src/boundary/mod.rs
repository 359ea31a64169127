//! From the change outwards: a pair is equal if all its changes stay inside regions that are (2clever, widened from calls of
//! a changed library to every change).
//!
//! A *change site* is a statement without a counterpart in the other version, or a call of a pair that is not known to be equal in calls. Around
//! the sites regions with one entry are cut out of both versions as calls of sub-pairs with one joint border ([`divide`]);
//! the sub-pairs are judged like any pair. If that fails, the regions grow ([`regions`]) and it is tried again, with more effort.
//!
//! Rule `contained`: the two residual procedures, with the regions as calls, are the same code
//! ([`verdiff_product::same_code`]), and every pair that they call, the sub-pairs among them, is equal in calls. Then so is
//! the pair. T needs T of all of them.
//!
//! Soundness: cutting a region out changes no outcome of its version ([`verdiff_model::outline`]), whatever the border, which is
//! checked to have all that the version needs. So the outcomes of the pair are those of the residual pair, and for that the rule `same-code` is
//! valid, in every call. Nothing rests on how statements, variables or regions were matched: a wrong match makes residual procedures
//! that are not the same code, or sub-pairs that are not equal. In particular:
//!
//! - Numbers of parameters, results and exits: if two regions number them differently, either the residual
//!   procedures use them differently and are not the same code, or the sub-pairs return different results.
//! - Entry assumptions: a sub-pair must be equal *in calls*, where nothing is assumed of pointers, aliasing or initialisation
//!   ([`AnyCall`](verdiff_symex::space::PointedTo::AnyCall)), and floats compare by bits.
//! - All changed callees in a region are switched at once, since a sub-pair is judged with each version's own callees.
//! - Instructions that the model cannot express (`va_start`, `asm goto`, `setjmp`) are holes in the two bodies
//!   ([`OpaqueBody`](verdiff_model::OpaqueBody)). No region contains one, so the sub-pairs are ordinary code; the residual procedures are compared hole by
//!   hole, and stay unsupported for everybody else. If such an instruction returns twice, `same-code` asks that nothing in a region can
//!   be left by `longjmp`, and the border has every variable that a region writes and its procedure mentions elsewhere ([`divide`]).
//! - Preconditions: a region may begin with checks of what its version establishes there ([`preconditions`]).
//! - Postconditions: a region may end with assignments of numbers that its version cannot tell from others ([`postconditions`]).
//! - A recursive call of the pair itself outside of all regions is covered by the induction of `same-code`; within a region it is a call of
//!   a pair of which nothing is known.

mod divide;
mod postconditions;
mod preconditions;
mod private_objects;
mod regions;
mod unpaired_functions;

use divide::Refused;
use regions::{Blocks, Graphs, RegionPair};
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{
    Addition, Boundary as Bound, Budget, Changed, Comparison, Depth, Engine, Evidence, Field,
    Findings, Incomplete, PairId, Rule, Side, StopReason, Task,
};
use verdiff_logic::Formula;
use verdiff_logic::effort::Effort;
use verdiff_model::{BlockId, Callee, Procedure, StmtKind, VarId};
use verdiff_product::Facts;
use verdiff_product::matching::Matched;
use verdiff_product::same_code::{Equal, Form, equal_by_same_code, may_call_back};

/// How often regions grow.
const LEVELS: usize = 7;
/// How often regions that cannot be cut out are made larger before that counts as one more level.
const REPAIRS: usize = 24;
/// A variable without a counterpart that is mentioned more often is not followed.
const MOST_MENTIONS: usize = 40;

/// The engine. One instance serves one comparison.
pub struct Boundary {
    facts: Rc<Facts>,
    search: Option<RegionSearch>,
    /// The pair that is searched with changed callees in place of their calls, and what must be left of the budget to go on; `None`
    /// if that is over.
    inlining: Option<(PairId, Option<Effort>)>,
}

/// How far the search for a pair has come.
struct RegionSearch {
    pair: PairId,
    matched: Matched,
    /// The regions that were last given to be judged, and whether each was found equal.
    regions: Vec<(RegionPair, bool)>,
    /// Whether regions have [preconditions] and [postconditions], and those that were found equal without.
    with_conditions: bool,
    without: Vec<RegionPair>,
    /// Whether regions were made to reach as far as what they assign is used.
    to_last_uses: bool,
    level: usize,
    /// How deep it goes, and whether there are no larger regions to be tried.
    depth: Depth,
    over: bool,
}

impl Boundary {
    /// An engine for the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Boundary {
        Boundary { facts: facts.clone(), search: None, inlining: None }
    }
}

impl Engine for Boundary {
    fn name(&self) -> &'static str {
        "boundary"
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        if task.comparison.sub_pairs_of(task.pair).next().is_some() {
            return self.conclude(task);
        }
        self.choose_inlining(task, budget);
        let is_new = self.search.as_ref().is_none_or(|search| search.pair != task.pair);
        let with_helpers = match task.comparison.sub_pairs.is_empty() {
            true => unpaired_functions::inlined(task, self.is_inlining(task.pair)),
            false => None,
        };
        if let Some(inlined) = &with_helpers
            && is_new
        {
            let findings =
                concluded(&Task { comparison: inlined, ..*task }, &[], Rule::WithHelpers);
            if findings.additions.iter().any(|a| a.evidence.adds == Field::EqualUnder) {
                return findings;
            }
        }
        let comparison = with_helpers.as_ref().unwrap_or(task.comparison);
        match self.propose(&Task { comparison, ..*task }, task, budget) {
            Ok(divided) => Findings { divided: Some(Rc::new(divided)), ..Findings::default() },
            Err(why) => {
                if self.is_inlining(task.pair) && !budget.is_over() {
                    self.inlining = Some((task.pair, None));
                    self.search = None;
                    return self.run(task, budget);
                }
                if let Some(search) = &mut self.search {
                    search.over = !budget.is_over();
                }
                Findings::nothing(StopReason::incomplete(why))
            }
        }
    }
}

impl Boundary {
    /// What is called may be equal where it is called, in parts that are smaller than the call. So where the smallest regions around the
    /// calls did not do, half of what is left is for changed callees in place of their calls.
    fn choose_inlining(&mut self, task: &Task<'_>, budget: &Budget) {
        match self.inlining {
            Some((pair, Some(least))) if pair == task.pair => {
                if budget.left() < least {
                    self.inlining = Some((pair, None));
                    self.search = None;
                }
            }
            Some((pair, None)) if pair == task.pair => {}
            _ => {
                // The smallest regions around the calls come first.
                let tried = |search: &RegionSearch| {
                    search.pair == task.pair
                        && search.depth > Depth::Quick
                        && search.with_conditions
                };
                let fits = task.comparison.pair(task.pair).changed == Changed::Callees
                    && task.comparison.sub_pairs.is_empty()
                    && self.search.as_ref().is_some_and(tried);
                if fits && unpaired_functions::inlined(task, true).is_some() {
                    self.inlining = Some((task.pair, Some(budget.left() / 2)));
                    self.search = None;
                }
            }
        }
    }

    fn is_inlining(&self, pair: PairId) -> bool {
        matches!(self.inlining, Some((inlining, Some(_))) if inlining == pair)
    }

    /// The next regions to be judged, of a task that may have [unpaired functions](unpaired_functions) in place of their calls.
    fn propose(
        &mut self,
        task: &Task<'_>,
        as_written: &Task<'_>,
        budget: &Budget,
    ) -> Result<Comparison, Incomplete> {
        let comparison = task.comparison;
        if !comparison.sub_pairs.is_empty() {
            // A part of a divided pair is not divided again.
            return Err(Incomplete::OtherCode);
        }
        // With more effort the smallest regions are tried again, once none larger is left; at once around calls of what
        // changed, where larger ones are seldom easier.
        let called = comparison.pair(task.pair).changed == Changed::Callees;
        let again = |search: &RegionSearch| budget.depth > search.depth && (search.over || called);
        let mut needs_conditions = false;
        if self.search.as_ref().is_none_or(|search| search.pair != task.pair || again(search)) {
            let pair = comparison.pair(task.pair);
            if !pair.same_interface {
                return Err(Incomplete::OtherCode);
            }
            let opened = |side| comparison.procedure(task.pair, side).opened();
            let both = opened(Side::Old).zip(opened(Side::New)).ok_or(Incomplete::OtherCode)?;
            let matched = Matched::between(comparison, [both.0, both.1]);
            let matched = matched.ok_or(Incomplete::OtherCode)?;
            self.callbacks_are_equal(as_written, &matched)?;
            let sites = calls_to_look_into(task, &matched);
            let graphs = Graphs::of(&matched);
            let mut regions = graphs.regions(graphs.seeds(&sites)).ok_or(Incomplete::OtherCode)?;
            let mut grows = false;
            if pair.changed == Changed::Callees {
                // A call alone was judged already: it is the pair that it calls. What its result is used for first
                // belongs to it; what its arguments are computed from comes later, so that calls that are used alike
                // are alike.
                let uses: Vec<Blocks> = regions.iter().map(|r| graphs.with_use(r)).collect();
                let with_uses = graphs.regions(uses).ok_or(Incomplete::OtherCode)?;
                grows = with_uses == regions;
                regions = with_uses;
            }
            let regions: Vec<_> = regions.into_iter().map(|region| (region, false)).collect();
            let depth = budget.depth;
            self.search = Some(RegionSearch {
                pair: task.pair,
                matched,
                regions,
                with_conditions: false,
                without: vec![],
                to_last_uses: false,
                level: 0,
                depth,
                over: false,
            });
            if grows {
                self.grow()?;
            }
        } else if let Some(search) = self.search.as_mut().filter(|s| !s.with_conditions) {
            // The same regions once more; without a condition in any, that would be of no use.
            search.with_conditions = true;
            needs_conditions = true;
        } else if !self.reach_last_uses()? {
            self.grow()?;
        }
        for _ in 0..REPAIRS {
            if budget.is_over() {
                return Err(Incomplete::OtherCode);
            }
            let Some(search) = &self.search else { return Err(Incomplete::OtherCode) };
            if search.regions.is_empty() || search.is_everything() {
                return Err(Incomplete::OtherCode);
            }
            let regions: Vec<RegionPair> = search.regions.iter().map(|(r, _)| r.clone()).collect();
            if regions.iter().any(|region| search.matched.has_hole(&region.blocks)) {
                // It is in all larger ones as well.
                return Err(Incomplete::OtherCode);
            }
            let checked = search.checked();
            match divide::divided(comparison, task.pair, &search.matched, &regions, &checked) {
                Ok((_, 0)) if needs_conditions => {
                    needs_conditions = false;
                    self.grow()?;
                }
                Ok((divided, _)) => return Ok(divided),
                Err(refused) => self.repair(&refused)?,
            }
        }
        Err(Incomplete::OtherCode)
    }

    /// Whether the pairs that may be called back or through pointers are equal, if the pair calls anything of the kind.
    fn callbacks_are_equal(&self, task: &Task<'_>, matched: &Matched) -> Result<(), Incomplete> {
        let comparison = task.comparison;
        let calls_anything = Side::BOTH.into_iter().any(|side| {
            let program = comparison.program(side);
            let blocks = &matched.procedures[side.index()].blocks;
            blocks.iter().flat_map(|b| &b.stmts).any(|stmt| match &stmt.kind {
                StmtKind::Call { callee: Callee::Indirect { .. }, .. } => true,
                StmtKind::Call { callee: Callee::External(id), .. } => may_call_back(program, *id),
                _ => false,
            })
        });
        if !calls_anything {
            return Ok(());
        }
        let facts = self.facts.about(task).map_err(|_| Incomplete::NoCounterpart)?;
        let outside = &facts.written().outside;
        let Some(taken) = outside.taken.as_ref().filter(|_| outside.constants_are_equal) else {
            return Err(Incomplete::NoCounterpart);
        };
        let equal = |p: &PairId| {
            *p == task.pair || task.judgement_of(*p).is_some_and(|j| j.is_equal_in_calls())
        };
        if taken.iter().all(equal) { Ok(()) } else { Err(Incomplete::Callees) }
    }

    /// The regions that were not found equal, as far as what they assign is used: `i = 0` on one side alone is equal to nothing
    /// until `i` is not used any more. Once for a search; whether it gives other regions.
    fn reach_last_uses(&mut self) -> Result<bool, Incomplete> {
        let Some(search) = &mut self.search else { return Err(Incomplete::OtherCode) };
        if std::mem::replace(&mut search.to_last_uses, true) {
            return Ok(false);
        }
        let graphs = Graphs::of(&search.matched);
        let mut seeds: Vec<Blocks> = vec![];
        for (region, equal) in &search.regions {
            let mut blocks = kept(region);
            for side in Side::BOTH.into_iter().filter(|_| !equal) {
                let procedure = &search.matched.procedures[side.index()];
                let inside = &region.blocks[side.index()];
                let assigned: BTreeSet<VarId> = inside
                    .iter()
                    .flat_map(|block| &procedure.block(*block).stmts)
                    .flat_map(|stmt| stmt.kind.writes())
                    .copied()
                    .collect();
                let behind = graphs.behind(side, inside);
                for var in assigned {
                    let used: Vec<BlockId> = mentions(procedure, var);
                    let used = used.into_iter().filter(|block| behind.contains(block));
                    let used: Vec<BlockId> = used.take(MOST_MENTIONS + 1).collect();
                    if used.len() <= MOST_MENTIONS {
                        blocks[side.index()].extend(used);
                    }
                }
            }
            seeds.push(blocks);
        }
        let regions = graphs.regions(seeds).ok_or(Incomplete::OtherCode)?;
        if regions.iter().eq(search.regions.iter().map(|(region, _)| region)) {
            return Ok(false);
        }
        search.regions = regions.into_iter().map(|region| (region, false)).collect();
        Ok(true)
    }

    /// The regions that were not found equal, larger.
    fn grow(&mut self) -> Result<(), Incomplete> {
        let Some(search) = &mut self.search else { return Err(Incomplete::OtherCode) };
        search.level += 1;
        if search.level > LEVELS {
            return Err(Incomplete::OtherCode);
        }
        let by = 1 << (2 * (search.level - 1)).min(16);
        let before = search.regions.clone();
        let graphs = Graphs::of(&search.matched);
        let seeds: Vec<Blocks> = before
            .iter()
            .map(|(r, equal)| if *equal { kept(r) } else { graphs.grown(r, by) })
            .collect();
        let regions = graphs.regions(seeds).ok_or(Incomplete::OtherCode)?;
        search.regions = regions.into_iter().map(|r| (r, false)).collect();
        Ok(())
    }

    /// A region that cannot be cut out, larger.
    fn repair(&mut self, refused: &Refused) -> Result<(), Incomplete> {
        let Some(search) = &mut self.search else { return Err(Incomplete::OtherCode) };
        let graphs = Graphs::of(&search.matched);
        let mut seeds: Vec<Blocks> = search.regions.iter().map(|(r, _)| kept(r)).collect();
        match refused {
            Refused::Region(number) => {
                let region = &search.regions[*number].0;
                seeds[*number] = graphs.grown(region, 1);
            }
            Refused::Variable(number, side, var) => {
                let procedure = &search.matched.procedures[side.index()];
                let mentions: Vec<BlockId> = mentions(procedure, *var);
                if mentions.len() > MOST_MENTIONS {
                    return Err(Incomplete::OtherCode);
                }
                seeds[*number][side.index()].extend(mentions);
            }
        }
        let before = search.size();
        let regions = graphs.regions(seeds).ok_or(Incomplete::OtherCode)?;
        search.regions = regions.into_iter().map(|r| (r, false)).collect();
        // What does not grow will not be cut out the next time either.
        if search.size() > before { Ok(()) } else { Err(Incomplete::OtherCode) }
    }

    /// What follows from the judgements of the sub-pairs.
    fn conclude(&mut self, task: &Task<'_>) -> Findings {
        let subs: Vec<PairId> = task.comparison.sub_pairs_of(task.pair).collect();
        let equal = |sub: &PairId| task.judgement_of(*sub).is_some_and(|j| j.is_equal_in_calls());
        // Lines of callees are not lines of the pair.
        let own = self.search.as_ref().filter(|_| !self.is_inlining(task.pair));
        let boundaries = own.map(|s| s.bounds(task)).unwrap_or_default();
        let all_equal = subs.iter().all(equal);
        if let Some(search) = &mut self.search {
            let checked = search.checked();
            for ((region, sub), checked) in search.regions.iter_mut().zip(&subs).zip(checked) {
                if equal(sub) && !checked && !search.without.contains(&region.0) {
                    search.without.push(region.0.clone());
                }
                // If the rest is not the same code, all of them are too small.
                region.1 = equal(sub) && !all_equal;
            }
        }
        concluded(task, &boundaries, Rule::Contained)
    }
}

/// That a pair is equal because it is the same code as it stands in this comparison, if it is.
fn concluded(task: &Task<'_>, boundaries: &[Bound], rule: Rule) -> Findings {
    let form = Form::Normal { marks: task.comparison.settings.overflow_undefined };
    let Equal { rests_on, alike, when_left } = match equal_by_same_code(task, form) {
        Ok(equal) => equal,
        Err(why) => return Findings::nothing(StopReason::incomplete(why)),
    };
    // Nobody can run what is unsupported, and nobody would find out that one version hangs. What is the same code around
    // parts that terminate alike ends as often as it does in the other version.
    let unsupported = |side| !task.comparison.procedure(task.pair, side).is_supported();
    let common_run = Side::BOTH.into_iter().any(unsupported);
    if common_run && !alike {
        return Findings::nothing(StopReason::incomplete(Incomplete::EqualTermination));
    }
    let evidence = |adds| Evidence {
        uses: rests_on.iter().copied().collect(),
        boundaries: boundaries.to_vec(),
        equal_when_left: when_left && rule == Rule::Contained,
        ..Evidence::new(adds, "boundary", rule.clone())
    };
    let truth = |adds| Addition::new(Formula::truth(), evidence(adds)).in_calls(true);
    let mut additions = vec![truth(Field::EqualUnder)];
    if alike {
        additions.push(truth(Field::AlikeUnder));
    }
    Findings { additions, common_run, ..Findings::default() }
}

impl RegionSearch {
    /// For each region, whether it gets pre- and postconditions.
    fn checked(&self) -> Vec<bool> {
        let regions = self.regions.iter();
        regions.map(|(r, _)| self.with_conditions && !self.without.contains(r)).collect()
    }

    fn size(&self) -> usize {
        self.regions.iter().map(|(r, _)| r.size()).sum()
    }

    /// Whether nothing is left outside.
    fn is_everything(&self) -> bool {
        let all: usize = self.matched.procedures.iter().map(|p| p.blocks.len()).sum();
        self.regions.len() == 1 && self.size() + 2 >= all
    }

    /// Where the regions are in the source of the new version, and what is called there that changed.
    fn bounds(&self, task: &Task<'_>) -> Vec<Bound> {
        let comparison = task.comparison;
        let function = comparison.pair(task.pair).function.clone();
        let mut bounds = vec![];
        for (region, _) in &self.regions {
            let mut lines = vec![];
            let mut callees = vec![];
            let procedure = &self.matched.procedures[1];
            let empty = region.on[1].iter().map(|(_, target)| target);
            for block in region.blocks[1].iter().chain(empty) {
                let block = procedure.block(*block);
                lines.extend(block.stmts.iter().map(|s| s.loc.line).filter(|line| *line > 0));
                lines.extend(Some(block.end.loc.line).filter(|line| *line > 0));
                for stmt in &block.stmts {
                    let StmtKind::Call { callee: Callee::Procedure(id), .. } = &stmt.kind else {
                        continue;
                    };
                    let Some(pair) = comparison.pair_of(Side::New, *id) else { continue };
                    let equal = task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls());
                    let name = &comparison.pair(pair).function;
                    if !equal && pair != task.pair && !callees.contains(name) {
                        callees.push(name.clone());
                    }
                }
            }
            if comparison.pair(task.pair).changed != Changed::Callees {
                callees.clear();
            }
            let (Some(first), Some(last)) = (lines.iter().min(), lines.iter().max()) else {
                continue;
            };
            let (first_line, last_line) = (*first, *last);
            bounds.push(Bound { function: function.clone(), first_line, last_line, callees });
        }
        bounds
    }
}

/// The blocks of a region as seeds. An empty one on one side comes again from the other.
fn kept(region: &RegionPair) -> Blocks {
    region.blocks.clone()
}

/// Matched calls of pairs that are not known to be equal in calls.
fn calls_to_look_into(task: &Task<'_>, matched: &Matched) -> Blocks {
    let comparison = task.comparison;
    let mut sites = Blocks::default();
    for side in Side::BOTH {
        for (number, block) in matched.procedures[side.index()].blocks.iter().enumerate() {
            let Some(StmtKind::Call { callee: Callee::Procedure(id), .. }) =
                block.stmts.first().map(|stmt| &stmt.kind)
            else {
                continue;
            };
            let equal = match comparison.pair_of(side, *id) {
                Some(pair) if pair == task.pair => true,
                Some(pair) => task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls()),
                None => false,
            };
            if !equal {
                sites[side.index()].insert(BlockId::new(number));
            }
        }
    }
    sites
}

/// The blocks that mention a variable.
fn mentions(procedure: &Procedure, var: VarId) -> Vec<BlockId> {
    let mut found = vec![];
    for (number, block) in procedure.blocks.iter().enumerate() {
        let mut mentioned = false;
        for stmt in &block.stmts {
            stmt.kind.reads(&mut |v| mentioned |= v == var);
            mentioned |= stmt.kind.writes().contains(&var);
        }
        block.end.kind.exprs().into_iter().for_each(|e| e.vars(&mut |v| mentioned |= v == var));
        if mentioned {
            found.push(BlockId::new(number));
        }
    }
    found
}
