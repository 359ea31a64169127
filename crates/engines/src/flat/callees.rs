//! How flat execution sees callees (ENGINES.md, "How a caller sees a callee").

use super::common_function::common_under;
use crate::unwritten;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;
use verdiff_judge::{Comparison, PairId, Side, Task};
use verdiff_logic::LogicError;
use verdiff_model::graph::{DominatorTree, Flow, Loops, calls::CallGraph};
use verdiff_model::{Address, BinaryOp, Callee, Expr, ProcId, Procedure, Program, StmtKind, Type};
use verdiff_symex::callee::{Abstraction, Callees, View};
use verdiff_symex::effects::Effects;
use verdiff_symex::entry::Entry;
use verdiff_symex::libc::{Ends, known_external};
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

/// So many statements may be repeated as often as one likes.
const FEW_STATEMENTS: u64 = 600;
/// How often the statements of all procedures may be repeated by putting calls in place.
const OFTEN: u64 = 16;

/// What is found out once for a comparison.
pub struct Facts {
    /// The regions of both versions' memory.
    pub regions: Regions,
    effects: Effects,
    graphs: [CallGraph; 2],
    /// For each side and procedure, whether a call of it surely comes to an end.
    ends: [Vec<bool>; 2],
    /// For each side and procedure, whether it or something it calls loops or recurses.
    unbounded: [Vec<bool>; 2],
    /// For each side and procedure, whether it touches memory that a caller may have got wrong.
    touches: [Vec<bool>; 2],
    /// For each side and procedure, how many statements it has with all that it calls in place.
    expanded: [Vec<u64>; 2],
    /// The pairs whose address is taken; `None` if they do not correspond.
    taken: Option<BTreeSet<PairId>>,
    outside_is_equal: bool,
}

impl Facts {
    /// The facts of a comparison.
    pub fn of(comparison: &Comparison) -> Facts {
        let programs = [&comparison.old.program, &comparison.new.program];
        let regions = Regions::analyse(&programs);
        let effects = Effects::analyse(&programs, &regions, Default::default());
        let graphs = programs.map(CallGraph::of);
        let side = |side: usize| bounded(programs[side], &graphs[side]);
        let ((ends_old, loops_old), (ends_new, loops_new)) = (side(0), side(1));
        let spread = unwritten::spread(programs, &regions);
        let touches = [0, 1].map(|side| {
            let unset = |place: &Expr| {
                unwritten::may_be_unwritten(side, programs[side], &regions, &spread, place)
            };
            touching(programs[side], &graphs[side], &unset)
        });
        let expanded = [0, 1].map(|side| expanded(programs[side], &graphs[side]));
        Facts {
            regions,
            effects,
            touches,
            expanded,
            ends: [ends_old, ends_new],
            unbounded: [loops_old, loops_new],
            graphs,
            taken: crate::normalise::address_taken(comparison),
            outside_is_equal: crate::normalise::outside_is_equal(comparison),
        }
    }

    /// Whether every run of a procedure comes to an end: no loop, no recursion, and only calls of
    /// which that is known.
    pub fn ends(&self, side: Side, procedure: ProcId) -> bool {
        self.ends[side.index()][procedure.index()]
    }

    /// Whether it reads or writes memory through pointers that it was given or loaded, itself or in what it
    /// calls: whoever calls it with memory that is uninitialised or too small may see the difference between an access and
    /// none.
    pub fn touches(&self, side: Side, procedure: ProcId) -> bool {
        self.touches[side.index()][procedure.index()]
    }

    /// Whether every run of a procedure that takes finitely many steps of its own comes to an end: nothing it calls is outside and may
    /// wait for ever, nothing is called through a pointer, and all of it is known.
    pub fn ends_if_finite(&self, comparison: &Comparison, side: Side, procedure: ProcId) -> bool {
        let (program, graph) = (comparison.program(side), &self.graphs[side.index()]);
        graph.reachable_from(&[procedure]).into_iter().all(|id| {
            let procedure = program.procedure(id);
            let indirect =
                procedure.blocks.iter().flat_map(|b| &b.stmts).any(|s| {
                    matches!(&s.kind, StmtKind::Call { callee: Callee::Indirect { .. }, .. })
                });
            procedure.is_supported() && !indirect && outside_ends(program, graph, id)
        })
    }

    /// Whether it loops or recurses, itself or in what it calls.
    pub fn is_unbounded(&self, side: Side, procedure: ProcId) -> bool {
        self.unbounded[side.index()][procedure.index()]
    }

    /// How many statements a procedure has with the body of all that it calls in place of each call; as many as there can be if it recurses.
    /// What inlining costs, before it is done.
    pub fn expanded(&self, side: Side, procedure: ProcId) -> u64 {
        self.expanded[side.index()][procedure.index()]
    }

    /// Whether a pair with the body of all that it calls in place of each call would be many times the code that there is: what is called
    /// several times, by something that is called several times. What recurses is not meant; nobody puts it in place without end.
    pub fn repeats(&self, comparison: &Comparison, pair: PairId) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let procedure = comparison.pair(pair).of(side);
            let size = self.expanded(side, procedure);
            if size <= FEW_STATEMENTS || size == u64::MAX {
                return false;
            }
            let program = comparison.program(side);
            let reached = self.graphs[side.index()].reachable_from(&[procedure]).into_iter();
            let blocks = reached.flat_map(|id| &program.procedure(id).blocks);
            let there_is: u64 = blocks.map(|block| block.stmts.len() as u64 + 1).sum();
            size > there_is.saturating_mul(OFTEN)
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

    /// Whether it calls a pair of which outcomes are known to be equal, itself or below, with all arguments or with some.
    pub fn calls_known(&self, task: &Task<'_>) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let start = task.comparison.pair(task.pair).of(side);
            let reached = self.graphs[side.index()].reachable_from(&[start]);
            reached.into_iter().filter(|id| *id != start).any(|id| {
                let pair = task.comparison.pair_of(side, id);
                let judgement = pair.and_then(|p| task.judgement_of(p));
                judgement.is_some_and(|j| !j.called_under().is_false())
            })
        })
    }

    /// Whether what was proved of the entry states of a pair holds of every call of it, too (soundness.md, "Calls are not entries"):
    ///
    /// - Neither version accesses memory but at fixed places of globals and of its own frame, nor reads there what may be without a
    ///   value. So what a caller has behind its pointers, how large it is, whether it overlaps and whether it has values is seen by neither.
    /// - No parameter is a pointer, or the proof used nothing of what is taken for granted of them at entry.
    /// - No result is a float: two NaNs are equal outcomes, yet a function that is common to both versions gives one.
    ///
    /// World, allocations and the values of globals are any in a proof, as they are in a call; `main`, where they are not, is taken care of in
    /// [`sound`](crate::process::sound). Preconditions and `restrict` are the caller's affair: whoever used one must not ask.
    pub fn holds_in_calls(&self, task: &Task<'_>, used_pointers: bool) -> bool {
        let pair = task.comparison.pair(task.pair);
        let touches = Side::BOTH.into_iter().any(|side| self.touches(side, pair.of(side)));
        let procedure = task.comparison.procedure(task.pair, Side::Old);
        let pointers = procedure.params.iter().any(|p| procedure.var(*p).ty == Type::Ptr);
        let floats = procedure.results.iter().any(|ty| matches!(ty, Type::Float(_)));
        !(touches || floats || pointers && used_pointers)
    }
}

/// For each procedure, whether it surely ends, and whether it loops or recurses somewhere.
fn bounded(program: &Program, graph: &CallGraph) -> (Vec<bool>, Vec<bool>) {
    let count = program.procedures.len();
    let (mut ends, mut unbounded) = (vec![false; count], vec![true; count]);
    // Callees come before callers.
    for id in graph.components().iter().flatten() {
        let procedure = program.procedure(*id);
        let loops = has_loop(procedure) || graph.is_recursive(*id);
        let all = |list: &[bool]| graph.callees(*id).iter().all(|c| list[c.index()]);
        let none = |list: &[bool]| graph.callees(*id).iter().all(|c| !list[c.index()]);
        let indirect = procedure
            .blocks
            .iter()
            .flat_map(|b| &b.stmts)
            .any(|s| matches!(&s.kind, StmtKind::Call { callee: Callee::Indirect { .. }, .. }));
        let outside = outside_ends(program, graph, *id);
        ends[id.index()] = procedure.is_supported() && !loops && !indirect && outside && all(&ends);
        unbounded[id.index()] = loops || !none(&unbounded);
    }
    (ends, unbounded)
}

/// For each procedure, its statements with all calls in place.
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

/// Whether all that a procedure calls outside is known to end.
fn outside_ends(program: &Program, graph: &CallGraph, id: ProcId) -> bool {
    graph.externals(id).iter().all(|e| {
        let external = program.external(*e);
        external.kind == verdiff_model::ExternalKind::PureIntrinsic
            || known_external(external)
                .is_some_and(|k| k.ends != Ends::Maybe && k.calls_back.is_empty())
    })
}

/// For each procedure, whether it, or what it calls, accesses memory otherwise than at a fixed place of a global
/// or of its own frame; or reads a place that may be without a value.
fn touching(program: &Program, graph: &CallGraph, unset: &dyn Fn(&Expr) -> bool) -> Vec<bool> {
    let fixed = |e: &Expr| match e {
        Expr::Address(Address::Global(_) | Address::Local(_)) => true,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            matches!(**lhs, Expr::Address(Address::Global(_) | Address::Local(_)))
                && matches!(**rhs, Expr::Const(_))
        }
        _ => false,
    };
    let own = |procedure: &Procedure| {
        procedure.blocks.iter().flat_map(|b| &b.stmts).any(|stmt| match &stmt.kind {
            StmtKind::Load { addr, .. } => !fixed(addr) || unset(addr),
            StmtKind::Store { addr, .. } => !fixed(addr),
            StmtKind::Copy { dst, src, .. } => !fixed(dst) || !fixed(src),
            StmtKind::Fill { dst, .. } => !fixed(dst),
            StmtKind::Call { callee: Callee::Procedure(_), .. } => false,
            // What they are given they may look at.
            StmtKind::Call { args, .. } => args.iter().any(|a| procedure.type_of(a) == Type::Ptr),
            _ => false,
        })
    };
    let mut touches = vec![true; program.procedures.len()];
    for component in graph.components() {
        let any = component.iter().any(|id| {
            let procedure = program.procedure(*id);
            let mut below = graph.callees(*id).iter().filter(|c| !component.contains(c));
            !procedure.is_supported() || own(procedure) || below.any(|c| touches[c.index()])
        });
        for id in component {
            touches[id.index()] = any;
        }
    }
    touches
}

fn has_loop(procedure: &Procedure) -> bool {
    let flow = Flow::of(procedure);
    let dominators = DominatorTree::of(&flow);
    let loops = Loops::of(&flow, &dominators);
    !loops.is_empty() || !loops.irreducible().is_empty()
}

/// How callees are seen in one attempt.
pub struct Seen<'a> {
    task: Task<'a>,
    facts: &'a Facts,
    /// Whether pairs known to be equal are taken as functions, even where they could be inlined.
    pub(crate) abstracting: bool,
    /// Whether callees that loop or recurse are entered, as path-by-path execution can.
    entering: bool,
    views: HashMap<PairId, View>,
    /// The pairs that were taken as functions of which something is known.
    pub used: BTreeSet<PairId>,
    /// Whether one was taken as a function of its own on each side, with some arguments or with all.
    pub private: bool,
    /// Whether one is known to be equal with some arguments only, and was taken as a function: those who look into it see more.
    pub partly: bool,
    /// Whether an external was taken as common though it may call back: then all pairs whose
    /// address is taken are used as well.
    pub called_back: bool,
}

impl<'a> Seen<'a> {
    /// Callees for an attempt.
    pub fn new(task: Task<'a>, facts: &'a Facts, abstracting: bool) -> Seen<'a> {
        Seen {
            task,
            facts,
            abstracting,
            entering: false,
            views: HashMap::new(),
            used: BTreeSet::new(),
            private: false,
            partly: false,
            called_back: false,
        }
    }

    /// Callees for execution path by path: entered, unless they are known to be equal and `abstracting`.
    pub fn entering(task: Task<'a>, facts: &'a Facts, abstracting: bool) -> Seen<'a> {
        Seen { entering: true, ..Seen::new(task, facts, abstracting) }
    }

    /// The pairs that the attempt rests on.
    pub fn uses(&self) -> Vec<PairId> {
        let mut pairs = self.used.clone();
        if self.called_back {
            pairs.extend(self.facts.taken.iter().flatten());
        }
        pairs.into_iter().collect()
    }

    /// How each pair that can be reached is seen; made before anything is executed, in the space of the execution.
    pub fn prepare(&mut self, space: &mut Space) -> Result<(), LogicError> {
        let comparison = self.task.comparison;
        let mut pairs = BTreeSet::new();
        for side in Side::BOTH {
            let start = comparison.pair(self.task.pair).of(side);
            let reached = self.facts.graphs[side.index()].reachable_from(&[start]);
            pairs.extend(reached.into_iter().filter_map(|id| comparison.pair_of(side, id)));
        }
        for pair in pairs {
            let view = self.pair_view(space, pair)?;
            self.views.insert(pair, view);
        }
        Ok(())
    }

    fn pair_view(&self, space: &mut Space, pair: PairId) -> Result<View, LogicError> {
        let comparison = self.task.comparison;
        let unbounded = Side::BOTH
            .into_iter()
            .any(|side| self.facts.is_unbounded(side, comparison.pair(pair).of(side)));
        let wanted = unbounded && !self.entering || self.abstracting && self.is_known(pair);
        if !wanted || !self.is_describable(pair) {
            return Ok(View::Inline);
        }
        Ok(View::Abstract(self.abstraction(space, pair)?))
    }

    /// A pair as a function: common to both versions where it is known to be, each version's own elsewhere.
    pub(crate) fn abstraction(
        &self,
        space: &mut Space,
        pair: PairId,
    ) -> Result<Abstraction, LogicError> {
        let comparison = self.task.comparison;
        let effects = Side::BOTH
            .map(|side| self.facts.effects.of(side.index(), comparison.pair(pair).of(side)));
        let name = function_name(comparison, pair);
        let procedure = comparison.procedure(pair, Side::Old);
        let regions = &self.facts.regions;
        let prefix = format!("{name}.");
        let entry = Entry::named(space, regions, procedure, &prefix)?;
        let mut view = Abstraction::unproved(space, regions, &name, Rc::new(entry), &effects);
        if self.is_known(pair) {
            view.common_under = common_under(&self.task, self.facts, space, pair, &prefix)?;
        }
        view.returns = effects.iter().all(|e| !e.may_trap && !e.may_not_return);
        Ok(view)
    }

    /// Whether a pair can be seen as a function at all.
    pub(crate) fn is_describable(&self, pair: PairId) -> bool {
        let pair = self.task.comparison.pair(pair);
        // New objects of an abstraction are nobody's; better to see where they come from.
        let describable = |side: Side| {
            let effects = self.facts.effects.of(side.index(), pair.of(side));
            !effects.allocates && !effects.frees
        };
        pair.same_interface && Side::BOTH.into_iter().all(describable)
    }

    /// Says how a pair is seen.
    pub(crate) fn see(&mut self, pair: PairId, view: View) {
        self.views.insert(pair, view);
    }

    pub(crate) fn is_equal(&self, pair: PairId) -> bool {
        pair != self.task.pair
            && self.task.judgement_of(pair).is_some_and(|j| j.is_equal_in_calls())
    }

    /// Whether something is known of it: with all arguments, or with some.
    fn is_known(&self, pair: PairId) -> bool {
        let judgement = self.task.judgement_of(pair).filter(|_| pair != self.task.pair);
        judgement.is_some_and(|j| !j.called_under().is_false())
    }
}

/// What the function of a pair is called in formulas.
pub(crate) fn function_name(comparison: &Comparison, pair: PairId) -> String {
    format!("call.{}.{}", comparison.pair(pair).function, pair.0)
}

impl Callees for Seen<'_> {
    fn view(&mut self, side: usize, callee: ProcId, _: usize) -> View {
        let side = Side::BOTH[side];
        let Some(pair) = self.task.comparison.pair_of(side, callee) else {
            // Only one version has it: its body, or nothing if it has no end.
            return View::Inline;
        };
        let view = self.views.get(&pair).cloned().unwrap_or(View::Inline);
        if let View::Abstract(_) = view {
            if self.is_known(pair) {
                self.used.insert(pair);
            }
            if !self.is_equal(pair) {
                self.private = true;
                self.partly |= self.is_known(pair);
            }
        }
        view
    }

    fn external(&mut self, side: usize, name: &str, calls_back: bool) -> String {
        // What is nothing but a name may look at every constant that it can name itself.
        let looks_around = verdiff_symex::libc::known(name).is_none();
        if !calls_back {
            if looks_around && !self.facts.outside_is_equal {
                self.private = true;
                return format!("{name}.{side}");
            }
            return name.to_owned();
        }
        // It may call whatever has its address taken: common only if all of that is equal.
        let equal = |pair: &PairId| self.is_equal(*pair);
        let all = self.facts.taken.as_ref().is_some_and(|taken| taken.iter().all(equal));
        if all && self.facts.outside_is_equal {
            self.called_back = true;
            name.to_owned()
        } else {
            self.private = true;
            format!("{name}.{side}")
        }
    }
}
