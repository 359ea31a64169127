//! Local verdicts: what a change does by itself, with undecided callees taken as common to both versions.
//!
//! A changed function that calls an undecided one is mostly undecided itself, and the report should say which of the
//! two is the problem. So the function is judged once more in a comparison of its own ([`CommonCallees`]), in which
//! each callee that is not known to be equal has one and the same body in both versions, of which nothing is known.
//!
//! **What is claimed.** "The change in f itself is equivalent" with `modulo: [g]` says: whatever function is put in the
//! place of g, the same in both versions, f is equivalent. Any such function has at most the effects that both versions
//! of g have together, traps and calls that do not return included. So the body that stands for it is
//!
//! - code that cannot be lowered ([`Opaque`]), with the same fingerprint in both versions. It names every global that
//!   either version of an undecided callee, or anything that these call, names, and takes the addresses that either
//!   takes. Formulas see it as an unknown external function that may read and write everything but locals that never
//!   left their frame, and that tells the world of each call.
//! - or, where both versions access no memory, call nothing outside, do not trap (and, with `--full`, terminate), an
//!   operation whose results depend on the arguments alone. A call that does not terminate says nothing of U, which is
//!   about runs of f that terminate.
//!
//! An equal callee whose own callees are not all known to be equal was proved with *these* callees, so it gets such a
//! body, too. It is not in `modulo`: it is one particular function, and the claim is about all.
//!
//! **Why nothing of this gets into a verdict.** The two programs and the judgements that say "these callees are equal"
//! exist in the comparison that is made here and nowhere else; the engines that see them are made for it
//! ([`Facts`] refuse any other comparison). What comes out of it is a [`Local`], which has no
//! conditions and no evidence: no judgement can grow by it, and no other pair sees it. The pair itself is never among
//! the callees, so a recursive call of it is what it was before.

use crate::job::Judged;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_engines::Facts;
use verdiff_engines::normalise::may_call_back;
use verdiff_judge::{
    Changed, Comparison, Evidence, Field, Judgement, Judgements, Local, LocalVerdict, PairId, Rule,
    Settings, Side, StopReason, Verdict,
};
use verdiff_logic::Formula;
use verdiff_model::graph::calls::{CallGraph, CallTarget};
use verdiff_model::{
    Address, Block, Callee, Expr, ExternId, External, ExternalKind, GlobalId, Opaque, OpaqueCall,
    ProcId, Procedure, Program, Stmt, StmtKind, Terminator, TerminatorKind, Unsupported, Var,
    VarId, VarKind, fingerprint,
};

/// Who calls whom, in both versions.
pub(crate) struct Calls {
    comparison: Rc<Comparison>,
    graphs: [CallGraph; 2],
    pairs: [BTreeMap<ProcId, PairId>; 2],
}

impl Calls {
    /// Of a comparison.
    pub(crate) fn of(comparison: &Rc<Comparison>) -> Calls {
        let graphs = Side::BOTH.map(|side| CallGraph::of(comparison.program(side)));
        let pairs = Side::BOTH.map(|side| {
            let mut pairs = BTreeMap::new();
            for pair in comparison.pair_ids() {
                // The first one, as `Comparison::pair_of` has it.
                pairs.entry(comparison.pair(pair).of(side)).or_insert(pair);
            }
            pairs
        });
        Calls { comparison: comparison.clone(), graphs, pairs }
    }

    /// One version's call graph.
    pub(crate) fn graph(&self, side: Side) -> &CallGraph {
        &self.graphs[side.index()]
    }

    /// The pair that a procedure belongs to.
    pub(crate) fn pair_of(&self, side: Side, procedure: ProcId) -> Option<PairId> {
        self.pairs[side.index()].get(&procedure).copied()
    }

    /// Whether a procedure calls what is not known by name: through a pointer, or an external function that may call
    /// back.
    fn calls_unknown(&self, side: Side, procedure: ProcId) -> bool {
        let program = self.comparison.program(side);
        self.graph(side).sites(procedure).iter().any(|site| match site.target {
            CallTarget::Indirect(_) | CallTarget::Unknown => true,
            CallTarget::External(external) => may_call_back(program, external),
            CallTarget::Procedure(_) => false,
        })
    }

    /// The procedures that one may call: whatever has its address taken, if it calls what is not known by name.
    fn callees(&self, side: Side, procedure: ProcId) -> BTreeSet<ProcId> {
        let graph = self.graph(side);
        let mut all: BTreeSet<ProcId> = graph.callees(procedure).iter().copied().collect();
        if self.calls_unknown(side, procedure) {
            all.extend(graph.address_taken());
        }
        all
    }

    /// All procedures that can be reached from some, these included.
    fn reached(&self, side: Side, from: impl IntoIterator<Item = ProcId>) -> BTreeSet<ProcId> {
        let mut seen: BTreeSet<ProcId> = from.into_iter().collect();
        let mut work: Vec<ProcId> = seen.iter().copied().collect();
        while let Some(id) = work.pop() {
            work.extend(self.callees(side, id).into_iter().filter(|callee| seen.insert(*callee)));
        }
        seen
    }

    /// Whether a version of a pair may be called while it runs, by itself or through anything that it calls.
    pub(crate) fn may_call_itself(&self, pair: PairId) -> bool {
        Side::BOTH.into_iter().any(|side| {
            let start = self.comparison.pair(pair).of(side);
            let callees = self.callees(side, start);
            self.reached(side, callees).contains(&start)
        })
    }

    /// The pairs that a pair calls, itself not among them: by name, through a pointer or as a call-back, and through
    /// procedures that have no counterpart or another interface, which are part of the change.
    fn called(&self, pair: PairId) -> BTreeSet<PairId> {
        let mut found = BTreeSet::new();
        for side in Side::BOTH {
            let start = self.comparison.pair(pair).of(side);
            let mut seen = BTreeSet::from([start]);
            let mut work = vec![start];
            while let Some(id) = work.pop() {
                for callee in self.callees(side, id) {
                    let same = |pair: &PairId| self.comparison.pair(*pair).same_interface;
                    match self.pair_of(side, callee).filter(same) {
                        Some(callee) => drop(found.insert(callee)),
                        None if seen.insert(callee) => work.push(callee),
                        None => {}
                    }
                }
            }
        }
        found.remove(&pair);
        found
    }

    /// The callees of a pair that a local verdict is modulo: none if there is no use in one.
    pub(crate) fn undecided(&self, pair: PairId, judgements: &Judgements) -> BTreeSet<PairId> {
        let this = self.comparison.pair(pair);
        let own = !matches!(this.changed, Changed::No | Changed::Callees);
        if !own || !this.wanted || !this.same_interface {
            return BTreeSet::new();
        }
        let mut called = self.called(pair);
        called.retain(|callee| !self.is_known(*callee, judgements));
        called
    }

    /// Whether a pair is known to be equal as far as a caller asks.
    fn is_known(&self, pair: PairId, judgements: &Judgements) -> bool {
        let full = self.comparison.settings.full;
        let known = |j: &Judgement| j.is_equal_in_calls() && (j.is_alike() || !full);
        judgements.get(&pair).is_some_and(known)
    }

    /// Whether a pair is known to be equal, whatever stands in the place of undecided callees: so is all that it calls,
    /// and that is known.
    fn is_closed(&self, pair: PairId, of: PairId, judgements: &Judgements) -> bool {
        Side::BOTH.into_iter().all(|side| {
            let reached = self.reached(side, [self.comparison.pair(pair).of(side)]);
            reached.into_iter().all(|id| {
                let known = |p: PairId| p != of && self.is_known(p, judgements);
                !self.calls_unknown(side, id) && self.pair_of(side, id).is_none_or(known)
            })
        })
    }
}

/// A comparison in which some callees of a pair are common to both versions.
pub(crate) struct CommonCallees {
    /// Both versions, with common bodies for these callees.
    pub(crate) comparison: Rc<Comparison>,
    /// What is known there.
    pub(crate) judgements: Judgements,
    /// The callees of which that is not known otherwise.
    undecided: BTreeSet<PairId>,
    /// Those that are operations: engines execute their bodies, so that no evidence names them.
    operations: BTreeSet<PairId>,
}

impl CommonCallees {
    /// Of a pair; nothing if its callees need not or cannot be taken as common.
    pub(crate) fn of(
        calls: &Calls,
        facts: &Facts,
        pair: PairId,
        judgements: &Judgements,
    ) -> Option<CommonCallees> {
        let undecided = calls.undecided(pair, judgements);
        if undecided.is_empty() {
            return None;
        }
        let closed: BTreeSet<PairId> = judgements
            .keys()
            .copied()
            .filter(|callee| calls.is_closed(*callee, pair, judgements))
            .collect();
        let taken: BTreeSet<PairId> = calls.called(pair).difference(&closed).copied().collect();
        let (operations, opaque): (BTreeSet<PairId>, BTreeSet<PairId>) =
            taken.into_iter().partition(|callee| is_operation(calls, facts, *callee));
        let mut known: Judgements =
            closed.iter().map(|closed| (*closed, judgements[closed].without_evidence())).collect();
        known.extend(operations.iter().chain(&opaque).map(|callee| (*callee, equal())));
        let code = Common::of(calls, &opaque)?;
        let mut comparison = (*calls.comparison).clone();
        for callee in &opaque {
            code.put(&mut comparison, *callee);
        }
        for callee in &operations {
            put_operation(&mut comparison, *callee);
        }
        let comparison = Rc::new(comparison);
        Some(CommonCallees { comparison, judgements: known, undecided, operations })
    }

    /// The local verdict, if what was found out here is one.
    pub(crate) fn verdict(&self, judged: &Judged) -> Option<Local> {
        if !is_equivalent(judged, &self.comparison.settings) {
            return None;
        }
        let evidence = judged.judgement.evidence().iter();
        let mut modulo: BTreeSet<PairId> = evidence.flat_map(|e| e.uses.iter().copied()).collect();
        modulo.extend(&self.operations);
        modulo.retain(|callee| self.undecided.contains(callee));
        if modulo.is_empty() {
            // The proof needed none of them. It is still no proof about the programs as they are.
            modulo.clone_from(&self.undecided);
        }
        let modulo = modulo.into_iter().collect();
        Some(Local { verdict: LocalVerdict::Equivalent, modulo })
    }
}

/// Whether this would be the verdict if nothing more were found. Nobody replays a difference of such a comparison:
/// where one is predicted, or something contradicts itself, nothing counts as proved.
pub(crate) fn is_equivalent(judged: &Judged, settings: &Settings) -> bool {
    let contradiction = matches!(judged.stopped, Some(StopReason::Internal { .. }));
    let verdict = Verdict::of(&judged.judgement, &[], settings, &StopReason::Time);
    let equivalent = matches!(verdict, Verdict::Equivalent { .. });
    equivalent && judged.candidates.is_empty() && !contradiction
}

/// The judgement of what has the same body in both versions.
fn equal() -> Judgement {
    let mut judgement = Judgement::default();
    for adds in [Field::EqualUnder, Field::AlikeUnder] {
        let evidence = Evidence::new(adds, "local", Rule::SameCode { cycle: false });
        // An empty judgement contradicts nothing.
        let _ = judgement.grow(Formula::truth(), evidence);
    }
    judgement.hold_in_calls(Formula::truth());
    judgement.common_run = true;
    judgement.without_evidence()
}

/// Whether the results of both versions of a pair depend on the arguments alone, and nothing else happens.
fn is_operation(calls: &Calls, facts: &Facts, pair: PairId) -> bool {
    let comparison = &calls.comparison;
    Side::BOTH.into_iter().all(|side| {
        let id = comparison.pair(pair).of(side);
        let program = comparison.program(side);
        let effects = facts.written().effects(side, id);
        let accesses = !effects.reads.is_empty() || !effects.writes.is_empty() || effects.errno;
        let acts = effects.world || effects.allocates || effects.frees || effects.may_trap;
        // Calls outside may not return for other reasons than that they do not terminate.
        let is_inside = |id: ProcId| {
            program.procedure(id).is_supported()
                && calls.graph(side).sites(id).iter().all(|site| match site.target {
                    CallTarget::Procedure(_) => true,
                    CallTarget::External(e) => {
                        program.external(e).kind == ExternalKind::PureIntrinsic
                    }
                    CallTarget::Indirect(_) | CallTarget::Unknown => false,
                })
        };
        let hangs = comparison.settings.full && effects.may_not_return;
        let inside = calls.reached(side, [id]).into_iter().all(is_inside);
        !accesses && !acts && !hangs && inside && !program.procedure(id).variadic
    })
}

/// Gives both versions of a pair one operation for a body.
fn put_operation(comparison: &mut Comparison, pair: PairId) {
    let name = format!("common.{}.{}", comparison.pair(pair).function, pair.0);
    let Comparison { old, new, pairs, .. } = comparison;
    let both =
        [(&mut old.program, pairs[pair.index()].old), (&mut new.program, pairs[pair.index()].new)];
    for (program, id) in both {
        let operation = ExternId::new(program.externals.len());
        let procedure = &mut program.procedures[id.index()];
        program.externals.push(External {
            name: name.clone(),
            kind: ExternalKind::PureIntrinsic,
            signature: procedure.signature(),
            ctype: None,
            no_return: false,
            by_value: vec![],
        });
        empty(procedure);
        let first = procedure.vars.len();
        let results: Vec<VarId> =
            (first..first + procedure.results.len()).map(VarId::new).collect();
        procedure.vars.extend(procedure.results.iter().map(|ty| Var {
            name: String::new(),
            ty: *ty,
            ctype: None,
            kind: VarKind::Temporary,
        }));
        let values = results.iter().map(|var| Expr::Var(*var)).collect();
        let args = procedure.params.iter().map(|var| Expr::Var(*var)).collect();
        let kind = StmtKind::Call { results, callee: Callee::External(operation), args };
        procedure.blocks = vec![Block {
            label: "entry".to_owned(),
            stmts: vec![Stmt { kind, loc: procedure.loc }],
            end: Terminator { kind: TerminatorKind::Return(values), loc: procedure.loc },
        }];
    }
}

/// Takes the body away.
fn empty(procedure: &mut Procedure) {
    procedure.blocks.clear();
    procedure.locals.clear();
    procedure.unsupported.clear();
    procedure.opaque = None;
    procedure.with_holes = None;
}

/// What code may do that stands for all undecided callees, in the numbers of either version.
struct Common {
    sides: [Opaque; 2],
}

impl Common {
    /// For these callees; nothing if one of them cannot be taken for a function.
    fn of(calls: &Calls, callees: &BTreeSet<PairId>) -> Option<Common> {
        let comparison = &*calls.comparison;
        let own = Side::BOTH.map(|side| {
            let bodies = callees.iter().map(|pair| comparison.pair(*pair).of(side));
            Named::of(calls, side, bodies.collect())
        });
        let constants = own[0].names.iter().all(|old| {
            let Some(new) = in_other(comparison, Side::Old, *old) else { return true };
            let [old, new] = [(Side::Old, *old), (Side::New, new)].map(|(side, address)| {
                let program = comparison.program(side);
                matches!(address, Address::Global(id) if program.global(id).constant)
            });
            old == new
        });
        // Code that writes what one version has as a constant is no code of that version.
        if !constants || own.iter().any(|named| named.returns_twice) {
            return None;
        }
        let unknown = own.iter().any(|named| named.unknown);
        let sides = Side::BOTH.map(|side| {
            let [mine, others] = [side, side.other()].map(|side| &own[side.index()]);
            let there = |address: &Address| in_other(comparison, side.other(), *address);
            let union = |mine: &BTreeSet<Address>, others: &BTreeSet<Address>| -> Vec<Address> {
                let all = mine.iter().copied().chain(others.iter().filter_map(there));
                all.collect::<BTreeSet<Address>>().into_iter().collect()
            };
            let called = union(&mine.called, &others.called);
            let external = |address: &Address| match address {
                Address::External(id) => Some(OpaqueCall::External(*id)),
                _ => None,
            };
            let mut calls: Vec<OpaqueCall> = called.iter().filter_map(external).collect();
            calls.extend(unknown.then_some(OpaqueCall::Unknown));
            Opaque {
                code: 0,
                names: union(&mine.names, &others.names),
                calls,
                takes: union(&mine.takes, &others.takes),
                returns_twice: false,
                copies: true,
            }
        });
        Some(Common { sides })
    }

    /// Gives both versions of a pair this body, each pair one of its own.
    fn put(&self, comparison: &mut Comparison, pair: PairId) {
        let function = comparison.pair(pair).function.clone();
        let code = fingerprint(&format!("common {function} {}", pair.0));
        let Comparison { old, new, pairs, .. } = comparison;
        let both = [
            (&mut old.program, pairs[pair.index()].old),
            (&mut new.program, pairs[pair.index()].new),
        ];
        for ((program, id), opaque) in both.into_iter().zip(&self.sides) {
            let procedure = &mut program.procedures[id.index()];
            empty(procedure);
            let construct = format!("{function}, which is taken as common");
            procedure.unsupported = vec![Unsupported::new(construct, procedure.loc)];
            procedure.opaque = Some(Box::new(Opaque { code, ..opaque.clone() }));
        }
    }
}

/// What one version of some callees names.
#[derive(Default)]
struct Named {
    /// The globals, of all that they reach.
    names: BTreeSet<Address>,
    /// The external functions that are called by all that they reach.
    called: BTreeSet<Address>,
    /// The procedures and externals whose address they take themselves.
    takes: BTreeSet<Address>,
    /// Whether something that they reach calls what is not known by name.
    unknown: bool,
    /// Whether something that they reach calls `setjmp`.
    returns_twice: bool,
}

impl Named {
    fn of(calls: &Calls, side: Side, bodies: BTreeSet<ProcId>) -> Named {
        let program = calls.comparison.program(side);
        let mut named = Named::default();
        for id in calls.reached(side, bodies.iter().copied()) {
            let procedure = program.procedure(id);
            for address in addresses(procedure) {
                match address {
                    Address::Global(_) => drop(named.names.insert(address)),
                    Address::Procedure(_) | Address::External(_) if bodies.contains(&id) => {
                        named.takes.insert(address);
                    }
                    Address::Procedure(_) | Address::External(_) | Address::Local(_) => {}
                }
            }
            let externals = calls.graph(side).externals(id).iter();
            named.called.extend(externals.map(|external| Address::External(*external)));
            named.unknown |= calls.calls_unknown(side, id);
            named.returns_twice |= procedure.opaque.as_ref().is_some_and(|o| o.returns_twice);
        }
        // What is called back may be any function of the program that has a name outside.
        if named.unknown {
            named
                .names
                .extend((0..program.globals.len()).map(|n| Address::Global(GlobalId::new(n))));
        }
        named.names.retain(|address| !is_literal(program, *address));
        named
    }
}

fn is_literal(program: &Program, address: Address) -> bool {
    matches!(address, Address::Global(id) if program.global(id).is_literal())
}

/// The addresses that a procedure uses otherwise than to call them, the globals that it names among them.
fn addresses(procedure: &Procedure) -> Vec<Address> {
    let mut found = vec![];
    let mut visit = |e: &Expr| {
        e.walk(&mut |e| {
            if let Expr::Address(address) = e {
                found.push(*address);
            }
        });
    };
    for block in &procedure.blocks {
        block.stmts.iter().flat_map(|stmt| stmt.kind.exprs()).for_each(&mut visit);
        block.end.kind.exprs().into_iter().for_each(&mut visit);
    }
    if let Some(opaque) = &procedure.opaque {
        let globals = opaque.names.iter().filter(|a| matches!(a, Address::Global(_)));
        found.extend(globals.chain(&opaque.takes));
    }
    found
}

/// What an address of one version is in the other one.
fn in_other(comparison: &Comparison, side: Side, address: Address) -> Option<Address> {
    match address {
        Address::Global(id) => comparison.global_in_other(side, id).map(Address::Global),
        Address::Procedure(id) => comparison.procedure_in_other(side, id).map(Address::Procedure),
        Address::External(id) => comparison.external_in_other(side, id).map(Address::External),
        Address::Local(_) => None,
    }
}
