//! The facts about two programs, the versions of a comparison: as they were written, or with their loops as procedures.
//! Regions, effects, call graphs, termination, which memory is accessed and how.

use super::rewriting::{IsOutput, Loops, as_written, cut, inlined, outlined};
use super::shapes;
use super::simplify::forget_faint;
use super::split::split_loops;
use super::traits::{Traits, traits};
use super::unset::Unset;
use super::unwritten;
use crate::outside::Outside;
use crate::process::starts_plainly;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdiff_judge::{Comparison, Pair, PairId, Side, Task};
use verdiff_model::graph::calls::CallGraph;
use verdiff_model::outline::Reach;
use verdiff_model::{Callee, Expr, ProcId, Procedure, Program, StmtKind, Type};
use verdiff_symex::effects::{Effects, ProcedureEffects};
use verdiff_symex::regions::{RegionId, Regions};

/// So many statements may be repeated as often as one likes.
const FEW_STATEMENTS: u64 = 600;
/// How often the statements of all procedures may be repeated by inlining calls.
const OFTEN: u64 = 16;

/// Procedures that have local objects, with their number.
type Framed = Rc<[(ProcId, usize)]>;

/// The facts about two programs.
pub struct ProgramFacts {
    /// Both programs. Procedures of the comparison keep their numbers; outlined loops come behind them.
    pub programs: [Rc<Program>; 2],
    /// The loops that each procedure had, outer ones first; none if the programs are as they were written.
    pub loops: [Loops; 2],
    /// The regions of both versions' memory.
    pub regions: Regions,
    /// The regions into which memory is copied as it is, with values or without.
    pub spread: BTreeSet<RegionId>,
    effects: Effects,
    /// Who calls whom.
    pub graphs: [CallGraph; 2],
    traits: [Vec<Traits>; 2],
    /// The same with all callees, of procedures that were asked for.
    closures: [RefCell<HashMap<ProcId, Traits>>; 2],
    /// The callees that have local objects, with their number, of procedures that were asked for.
    framed: [RefCell<HashMap<ProcId, Framed>>; 2],
    /// For each side and procedure, whether every call of it terminates.
    terminates: [Vec<bool>; 2],
    /// For each side and procedure, whether it or a callee loops or recurses.
    unbounded: [Vec<bool>; 2],
    /// For each side and procedure, how many statements it has with all callees inlined.
    expanded: [Vec<u64>; 2],
    unset: [Unset; 2],
    /// The variables that the versions have in different shapes, once asked for.
    ambiguous: OnceCell<BTreeSet<String>>,
    /// What code outside of the program can reach.
    pub outside: Rc<Outside>,
}

impl ProgramFacts {
    /// The facts about the programs as they were written.
    pub(super) fn as_written(comparison: &Comparison, outside: Rc<Outside>) -> ProgramFacts {
        let programs = Side::BOTH.map(|side| Rc::new(comparison.program(side).clone()));
        ProgramFacts::about(programs, Default::default(), outside)
    }

    /// The line at which an outlined loop begins, in the file of its function.
    pub fn loop_line(&self, side: usize, id: ProcId) -> Option<u32> {
        let procedure = self.programs[side].procedure(id);
        procedure.outlined_from?;
        let head = procedure.blocks.first()?;
        let mut locs = head.stmts.iter().map(|stmt| stmt.loc).chain([head.end.loc]);
        let loc = locs.find(|loc| loc.is_known())?;
        (loc.file == procedure.loc.file).then_some(loc.line)
    }

    /// The same with every loop a tail-recursive procedure.
    pub(super) fn with_loops_outlined(
        comparison: &Comparison,
        reach: Reach,
        outside: Rc<Outside>,
    ) -> ProgramFacts {
        let (programs, loops) = outlined(as_written(comparison), reach);
        ProgramFacts::simplified(programs, loops, outside)
    }

    /// The same with calls in the procedures of a pair replaced by bodies; loops reach to the end. `None` if there is no such call.
    pub(super) fn with_calls_inlined(
        comparison: &Comparison,
        pair: PairId,
        chosen: &dyn Fn(Side, ProcId) -> bool,
        reach: Reach,
        outside: Rc<Outside>,
    ) -> Option<ProgramFacts> {
        let programs = inlined(comparison, pair, chosen)?;
        let (programs, loops) = outlined(programs, reach);
        Some(ProgramFacts::simplified(programs, loops, outside))
    }

    /// The same with loops that compute several things taken apart; `None` if there are none.
    pub(super) fn with_loops_split(
        comparison: &Comparison,
        outside: Rc<Outside>,
    ) -> Option<ProgramFacts> {
        let (mut programs, mut loops) = outlined(as_written(comparison), Reach::Loop);
        let split = programs.iter_mut().zip(&mut loops).map(|(p, l)| split_loops(p, l));
        // On both sides, whatever the first one says.
        let any = split.fold(false, |any, split| any | split);
        any.then(|| ProgramFacts::simplified(programs, loops, outside))
    }

    /// Of the programs with the procedures of a pair cut at their loop heads or at outputs, chosen callees in place of
    /// calls, and the procedures that run from there; `None` if one cannot be cut.
    pub(super) fn cut(
        comparison: &Comparison,
        pair: PairId,
        chosen: &dyn Fn(Side, ProcId) -> bool,
        outputs: Option<IsOutput<'_>>,
        outside: Rc<Outside>,
    ) -> Option<(ProgramFacts, [Vec<ProcId>; 2])> {
        let programs = inlined(comparison, pair, chosen).unwrap_or_else(|| as_written(comparison));
        let (programs, heads) = cut(comparison, pair, programs, outputs)?;
        Some((ProgramFacts::simplified(programs, Default::default(), outside), heads))
    }

    fn simplified(
        mut programs: [Program; 2],
        loops: [Loops; 2],
        outside: Rc<Outside>,
    ) -> ProgramFacts {
        programs.iter_mut().for_each(forget_faint);
        ProgramFacts::about(programs.map(Rc::new), loops, outside)
    }

    fn about(programs: [Rc<Program>; 2], loops: [Loops; 2], outside: Rc<Outside>) -> ProgramFacts {
        let both = [&*programs[0], &*programs[1]];
        let regions = Regions::analyse(&both);
        let effects = Effects::analyse(&both, &regions, Default::default());
        let graphs = both.map(CallGraph::of);
        let spread = unwritten::spread(both, &regions);
        let traits: [Vec<Traits>; 2] = Side::BOTH.map(|side| {
            let program = both[side.index()];
            let unset =
                |place: &Expr| unwritten::may_be_unwritten(side, program, &regions, &spread, place);
            let of = |procedure| traits(program, procedure, &unset);
            program.procedures.iter().map(of).collect()
        });
        let [(terminates_old, unbounded_old), (terminates_new, unbounded_new)] =
            [0, 1].map(|side| bounded(both[side], &graphs[side], &traits[side]));
        let expanded = [0, 1].map(|side| expanded(both[side], &graphs[side]));
        ProgramFacts {
            loops,
            regions,
            spread,
            effects,
            graphs,
            traits,
            closures: Default::default(),
            framed: Default::default(),
            terminates: [terminates_old, terminates_new],
            unbounded: [unbounded_old, unbounded_new],
            expanded,
            unset: both.map(Unset::of),
            ambiguous: OnceCell::new(),
            outside,
            programs,
        }
    }

    /// Whether an object, by its name in formulas, is a variable that both versions have in one shape, if they have it. Then its name
    /// means the same in all executions.
    pub fn is_one_object(&self, name: &str) -> bool {
        let both = [&*self.programs[0], &*self.programs[1]];
        !shapes::is_one_of(self.ambiguous.get_or_init(|| shapes::ambiguous(both)), name)
    }

    /// One version's program.
    pub fn program(&self, side: Side) -> &Program {
        &self.programs[side.index()]
    }

    /// Whether a pair reaches other loops here than there.
    pub fn has_other_loops(&self, there: &ProgramFacts, pair: &Pair) -> bool {
        let count = |facts: &ProgramFacts, side| facts.reached(side, pair.of(side)).len();
        Side::BOTH.into_iter().any(|side| count(self, side) != count(there, side))
    }

    /// Which parameters of what was a loop may be without a value, by position; in either version, if there are two.
    pub fn unset(&self, procedures: &[(Side, ProcId, &Procedure)]) -> Vec<bool> {
        let count = procedures.iter().map(|(.., p)| p.params.len()).max().unwrap_or(0);
        let may_be = |at: usize| {
            procedures.iter().any(|(side, id, procedure)| {
                let param = procedure.params.get(at);
                param.is_none_or(|param| self.unset[side.index()].may_be(*id, *param))
            })
        };
        (0..count).map(may_be).collect()
    }

    /// What a procedure may do, with all that it calls.
    pub fn effects(&self, side: Side, id: ProcId) -> &ProcedureEffects {
        self.effects.of(side, id)
    }

    /// What a call of an unknown external function may do.
    pub fn effects_of_unknown(&self, side: Side) -> &ProcedureEffects {
        self.effects.of_unknown(side)
    }

    /// A procedure and all that it calls.
    pub fn reached(&self, side: Side, id: ProcId) -> Vec<ProcId> {
        self.graphs[side.index()].reachable_from(&[id])
    }

    fn any(&self, side: Side, id: ProcId, test: impl Fn(&Traits) -> bool) -> bool {
        let all = self.closure(side, id);
        test(&all) || all.unsupported
    }

    /// What a procedure does with all that it calls. It is asked for again and again of the same few procedures, of which
    /// some reach most of a large program.
    fn closure(&self, side: Side, id: ProcId) -> Traits {
        let mut known = self.closures[side.index()].borrow_mut();
        *known.entry(id).or_insert_with(|| {
            let traits = &self.traits[side.index()];
            let reached = self.reached(side, id).into_iter().map(|p| traits[p.index()]);
            reached.fold(Traits::default(), Traits::also)
        })
    }

    /// Whether it is part of a cycle of calls.
    pub fn is_recursive(&self, side: Side, id: ProcId) -> bool {
        self.graphs[side.index()].is_recursive(id)
    }

    /// Whether it is part of a cycle of calls, or has a loop left.
    pub fn is_cyclic(&self, side: Side, id: ProcId) -> bool {
        self.graphs[side.index()].is_recursive(id) || self.traits[side.index()][id.index()].loops
    }

    /// The procedures that are part of a cycle of calls even if `cut` are not entered, and those with a loop left.
    pub fn cyclic_without(&self, side: Side, cut: &BTreeSet<ProcId>) -> BTreeSet<ProcId> {
        let graph = &self.graphs[side.index()];
        let traits = &self.traits[side.index()];
        let all = self.programs[side.index()].procedure_ids();
        let on_cycle = |start: ProcId| {
            let mut work: Vec<ProcId> = graph.callees(start).to_vec();
            let mut seen = BTreeSet::new();
            while let Some(id) = work.pop() {
                if id == start {
                    return true;
                }
                if !cut.contains(&id) && seen.insert(id) {
                    work.extend(graph.callees(id));
                }
            }
            false
        };
        let cyclic = |id: &ProcId| {
            !cut.contains(id)
                && (traits[id.index()].loops || graph.is_recursive(*id) && on_cycle(*id))
        };
        all.filter(cyclic).collect()
    }

    /// Whether it loops or recurses, itself or in a callee.
    pub fn is_unbounded(&self, side: Side, id: ProcId) -> bool {
        self.unbounded[side.index()][id.index()]
    }

    /// Whether every run of a procedure terminates: no loop, no recursion, and only calls of
    /// which that is known.
    pub fn terminates(&self, side: Side, id: ProcId) -> bool {
        self.terminates[side.index()][id.index()]
    }

    /// Whether every run of a procedure that takes finitely many steps of its own terminates: nothing it calls is
    /// outside and may wait for ever, nothing is called through a pointer, and all of it is known.
    pub fn terminates_if_finite(&self, side: Side, id: ProcId) -> bool {
        !self.any(side, id, |t| t.calls_indirectly || t.may_wait)
    }

    /// Whether a procedure does not terminate only because a function outside does not come back whose call is I/O: no loop, no
    /// recursion, no call through a pointer, all code is known, and nothing can be called back.
    ///
    /// If no formula about such code tells two versions apart, they terminate alike. A call of that kind is an unknown function of
    /// the world and of all that the function can reach, and gives a new world. Take functions that always return and that give
    /// different worlds for different inputs: then both versions terminate, with equal worlds, so they have made the same calls in the same
    /// order with the same inputs. Whichever of these calls is the first that does not come back, both versions make it.
    pub fn waits_visibly(&self, side: Side, id: ProcId) -> bool {
        let program = &self.programs[side.index()];
        !self.is_unbounded(side, id)
            && !self.any(side, id, |t| t.calls_indirectly || t.waits_silently)
            && CallGraph::of(program).address_taken().is_empty()
    }

    /// How many statements a procedure has with all callees inlined; as many as there can be if it recurses.
    /// What inlining costs, before it is done.
    pub fn expanded(&self, side: Side, id: ProcId) -> u64 {
        self.expanded[side.index()][id.index()]
    }

    /// Whether a pair with all callees inlined would be many times the code that there is: what is called
    /// several times, by something that is called several times. What recurses is not meant; nobody inlines it
    /// without end.
    pub fn repeats(&self, pair: &Pair) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let size = self.expanded(side, pair.of(side));
            if size <= FEW_STATEMENTS || size == u64::MAX {
                return false;
            }
            let written = self.size(side, pair.of(side)) as u64;
            size > written.saturating_mul(OFTEN)
        })
    }

    /// The pairs that a procedure calls, itself or through procedures without a partner.
    pub fn callees(
        &self,
        comparison: &Comparison,
        side: Side,
        procedure: ProcId,
    ) -> BTreeSet<PairId> {
        let (mut found, mut seen, mut work) = (BTreeSet::new(), BTreeSet::new(), vec![procedure]);
        while let Some(id) = work.pop() {
            for callee in self.graphs[side.index()].callees(id) {
                match comparison.pair_of(side, *callee) {
                    Some(pair) => {
                        found.insert(pair);
                    }
                    None if seen.insert(*callee) => work.push(*callee),
                    None => {}
                }
            }
        }
        found
    }

    /// Whether it calls a pair of which outcomes are known to be equal, itself or below, with all arguments or
    /// with some.
    pub fn calls_known(&self, task: &Task<'_>) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let start = task.comparison.pair(task.pair).of(side);
            self.reached(side, start).into_iter().filter(|id| *id != start).any(|id| {
                let pair = task.comparison.pair_of(side, id);
                let judgement = pair.and_then(|p| task.judgement_of(p));
                judgement.is_some_and(|j| !j.called_under().is_false())
            })
        })
    }

    /// Whether what was proved of the entry states of a pair holds of every call of it, too (soundness.md,
    /// "Calls are not entries"):
    ///
    /// - Neither version [touches](ProgramFacts::touches) memory that a caller may have got wrong. So what a caller has
    ///   behind its pointers, how large it is, whether it overlaps and whether it has values is seen by neither.
    /// - No parameter is a pointer, or the proof used nothing of what is assumed of them at entry (`used_pointers`).
    /// - If it is a part of another procedure, all variables that it gets are initialised wherever it is called: entry states
    ///   have no others.
    /// - No result is a float: two NaNs are equal outcomes, yet a function that is common to both versions gives one.
    ///
    /// World, allocations and the values of globals are any in a proof, as they are in a call; `main`, where they are
    /// not, is taken care of in [`sound`](crate::process::sound). Preconditions and `restrict` are the caller's affair:
    /// whoever used one must not ask.
    pub fn holds_in_calls(&self, task: &Task<'_>, used_pointers: bool) -> bool {
        let pair = task.comparison.pair(task.pair);
        let touches = Side::BOTH.into_iter().any(|side| self.touches(side, pair.of(side)));
        let procedure = task.comparison.procedure(task.pair, Side::Old);
        let pointers = procedure.params.iter().any(|p| procedure.var(*p).ty == Type::Ptr);
        let floats = procedure.results.iter().any(|ty| matches!(ty, Type::Float(_)));
        let of = |side: Side| {
            let id = pair.of(side);
            (side, id, self.programs[side.index()].procedure(id))
        };
        let unset = procedure.outlined_from.is_some()
            && self.unset(&[of(Side::Old), of(Side::New)]).contains(&true);
        !(unset || touches || floats || pointers && used_pointers)
    }

    /// Whether a proof for every call ([`AnyCall`](verdiff_symex::space::PointedTo::AnyCall)) says more than one for entry
    /// states: there are callers, and what is proved of entry states does not hold of calls by itself. Not with
    /// `--overflow=ub`, where nothing holds of calls.
    pub fn proof_of_calls_helps(&self, task: &Task<'_>) -> bool {
        let pair = task.comparison.pair(task.pair);
        let called = || {
            Side::BOTH.into_iter().any(|side| {
                let (graph, id) = (&self.graphs[side.index()], pair.of(side));
                !graph.callers(id).is_empty() || graph.address_taken().contains(&id)
            })
        };
        let settings = &task.comparison.settings;
        !settings.overflow_undefined && !self.holds_in_calls(task, true) && called()
    }

    /// Whether it makes or frees heap objects itself, as far as that is known; what unknown functions do does not count.
    pub fn manages_heap(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.manages_heap)
    }

    /// Whether only a proof for every call can use induction: unknown functions are called, which may free objects, and nothing
    /// else makes or frees any ([`may_start`](crate::inner_states::may_start)).
    pub fn needs_proof_of_calls(&self, task: &Task<'_>) -> bool {
        let pair = task.comparison.pair(task.pair);
        let frees = |side: Side| {
            let effects = self.effects(side, pair.of(side));
            effects.allocates || effects.frees
        };
        let own = |side: Side| self.manages_heap(side, pair.of(side));
        let settings = &task.comparison.settings;
        // `main` starts from initial values, which may differ; in a call they are any, and the same. (✗ `int opterr = 0;` is
        // new, and the library looks for it.)
        let is_main = task.comparison.pair(task.pair).function == "main" || starts_plainly(task);
        !settings.overflow_undefined
            && !is_main
            && Side::BOTH.into_iter().any(frees)
            && !Side::BOTH.into_iter().any(own)
    }

    /// Whether a run of it that ends surely returns: no trap, no exit.
    pub fn returns_if_it_ends(&self, side: Side, id: ProcId) -> bool {
        !self.effects(side, id).may_trap && !self.any(side, id, |t| t.may_leave)
    }

    /// Whether a run of it without any cyclic call surely ends.
    pub fn outside_ends(&self, side: Side, id: ProcId) -> bool {
        !self.any(side, id, |t| t.may_leave)
    }

    /// Whether a caller that passes memory which is uninitialised or too small may see that it accesses it: it, or a
    /// callee, accesses memory otherwise than at a fixed place of a global or of its own frame, reads a fixed place
    /// that may be uninitialised, or passes a pointer to a function outside of the program.
    ///
    /// A function outside that gets no pointer is not meant, whatever it does: it is one function of its arguments, of
    /// all memory with what of it is initialised or freed, and of the world, in both versions. It
    /// changes the world, so versions that are equal make the same calls of it, from states of which only
    /// initialisation could differ; and that does not, for such versions write at fixed places alone, and what they
    /// write there is initialised or copied from a place that both have. A call through a pointer without pointer
    /// arguments is the same: what it reaches in the program is taken as equal only if it is so in all calls.
    pub fn touches(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.touches)
    }

    /// Whether it accesses memory through pointers that it was given or loaded.
    pub fn is_loose(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.loose)
    }

    /// Whether something outside looks at memory for it.
    pub fn shows_memory(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.shows_memory)
    }

    /// Whether a pointer to an object of known size may come up in a run of it, besides those that it starts with.
    pub fn names_objects(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.names_objects || t.relocates)
    }

    /// Whether memory without a value may get among that of the entry state.
    pub fn spreads_unwritten(&self, side: Side, id: ProcId) -> bool {
        self.any(side, id, |t| t.makes_objects)
            || self.any(side, id, |t| t.copies) && !self.locals(side, id).is_empty()
    }

    /// The procedures that it reaches and that have local objects, with their number.
    pub fn locals(&self, side: Side, id: ProcId) -> Framed {
        let mut known = self.framed[side.index()].borrow_mut();
        let found = known.entry(id).or_insert_with(|| {
            let program = &self.programs[side.index()];
            let reached = self.reached(side, id).into_iter();
            let counted = reached.map(|p| (p, program.procedure(p).locals.len()));
            counted.filter(|(_, count)| *count > 0).collect()
        });
        found.clone()
    }

    /// How many statements it has, callees included.
    pub fn size(&self, side: Side, id: ProcId) -> usize {
        self.closure(side, id).size
    }
}

/// For each procedure, whether it surely terminates, and whether it loops or recurses somewhere.
fn bounded(program: &Program, graph: &CallGraph, traits: &[Traits]) -> (Vec<bool>, Vec<bool>) {
    let count = program.procedures.len();
    let (mut terminates, mut unbounded) = (vec![false; count], vec![true; count]);
    // Callees come before callers.
    for id in graph.components().iter().flatten() {
        let own = traits[id.index()];
        let loops = own.loops || graph.is_recursive(*id);
        let all = |list: &[bool]| graph.callees(*id).iter().all(|c| list[c.index()]);
        let none = |list: &[bool]| graph.callees(*id).iter().all(|c| !list[c.index()]);
        let waits = own.may_wait || own.calls_indirectly;
        terminates[id.index()] =
            program.procedure(*id).is_supported() && !loops && !waits && all(&terminates);
        unbounded[id.index()] = loops || !none(&unbounded);
    }
    (terminates, unbounded)
}

/// For each procedure, its statements with all callees inlined.
fn expanded(program: &Program, graph: &CallGraph) -> Vec<u64> {
    let mut sizes = vec![u64::MAX; program.procedures.len()];
    // Callees come before callers.
    for id in graph.components().iter().flatten().filter(|id| !graph.is_recursive(**id)) {
        let stmts = program.procedure(*id).blocks.iter().flat_map(|block| &block.stmts);
        sizes[id.index()] = stmts.fold(1, |sum: u64, stmt| {
            let inside = match &stmt.kind {
                StmtKind::Call { callee: Callee::Procedure(callee), .. } => sizes[callee.index()],
                _ => 1,
            };
            sum.saturating_add(inside)
        });
    }
    sizes
}
