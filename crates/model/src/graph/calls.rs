//! The call graph: who may call whom, and in which order to look at procedures so that
//! callees come before callers.
//!
//! A call through a pointer may reach every procedure whose address is taken anywhere, in
//! code or in an initialiser, and whose machine types can match those of the call; with
//! other types the call traps. An external function may call back procedures too; those
//! edges are added by [`CallGraph::with_callbacks`] only, since what an engine concludes
//! from them depends on what it assumes of the outside.

use crate::expr::{Address, Expr};
use crate::ids::{BlockId, ExternId, ProcId};
use crate::opaque::OpaqueCall;
use crate::program::{ExternalKind, Procedure, Program};
use crate::stmt::{Callee, Signature, StmtKind};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::{BTreeSet, HashMap};

/// The call graph of a program.
#[derive(Clone, Debug)]
pub struct CallGraph {
    sites: Vec<Vec<CallSite>>,
    callees: Vec<Vec<ProcId>>,
    callers: Vec<Vec<ProcId>>,
    externals: Vec<Vec<ExternId>>,
    taken: Vec<ProcId>,
    taken_externals: Vec<ExternId>,
    indirect_targets: HashMap<Signature, Vec<ProcId>>,
    components: Vec<Vec<ProcId>>,
    component_of: Vec<usize>,
    recursive: Vec<bool>,
    complete: bool,
}

/// A call in a procedure.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSite {
    /// The block; the first one for code that could not be lowered.
    pub block: BlockId,
    /// The index of the statement.
    pub statement: usize,
    /// What is called.
    pub target: CallTarget,
}

/// What a call may reach.
#[derive(Clone, Debug, PartialEq)]
pub enum CallTarget {
    /// A procedure of the program.
    Procedure(ProcId),
    /// An external function or operation.
    External(ExternId),
    /// Whatever address was computed: one of [`CallGraph::indirect_targets`].
    Indirect(Signature),
    /// Anything whose address is taken: a call in code that could not be lowered, of which not even the types are known.
    Unknown,
}

impl CallGraph {
    /// The call graph with direct and indirect calls.
    pub fn of(program: &Program) -> CallGraph {
        CallGraph::build(program, false)
    }

    /// The call graph in which an external function may also call back every procedure whose
    /// address is taken. Edges of this kind count for components and recursion, and are not
    /// listed as callees.
    pub fn with_callbacks(program: &Program) -> CallGraph {
        CallGraph::build(program, true)
    }

    /// The calls in a procedure, in order.
    pub fn sites(&self, procedure: ProcId) -> &[CallSite] {
        &self.sites[procedure.index()]
    }

    /// The procedures that a procedure may call, in order.
    pub fn callees(&self, procedure: ProcId) -> &[ProcId] {
        &self.callees[procedure.index()]
    }

    /// The procedures that may call a procedure, in order.
    pub fn callers(&self, procedure: ProcId) -> &[ProcId] {
        &self.callers[procedure.index()]
    }

    /// The externals that a procedure may call, in order; those reached through a pointer included.
    pub fn externals(&self, procedure: ProcId) -> &[ExternId] {
        &self.externals[procedure.index()]
    }

    /// The procedures whose address is taken, in code or in an initialiser, in order.
    pub fn address_taken(&self) -> &[ProcId] {
        &self.taken
    }

    /// The externals whose address is taken, in order.
    pub fn externals_address_taken(&self) -> &[ExternId] {
        &self.taken_externals
    }

    /// Whether all calls and all addresses that are taken are known: not so if the code of some procedure is neither
    /// lowered nor [known otherwise](crate::Opaque), or if some initialiser is not known.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// The procedures that a call through a pointer with these types may reach.
    pub fn indirect_targets(&self, signature: &Signature) -> &[ProcId] {
        self.indirect_targets.get(signature).map_or(&[], Vec::as_slice)
    }

    /// The strongly connected components, callees before callers; members in order of ids.
    pub fn components(&self) -> &[Vec<ProcId>] {
        &self.components
    }

    /// The position of a procedure's component in [`CallGraph::components`].
    pub fn component_of(&self, procedure: ProcId) -> usize {
        self.component_of[procedure.index()]
    }

    /// Whether a procedure may, through whatever calls, call itself.
    pub fn is_recursive(&self, procedure: ProcId) -> bool {
        self.recursive[procedure.index()]
    }

    /// The procedures that can be reached from these by calls, themselves included, in order.
    pub fn reachable_from(&self, start: &[ProcId]) -> Vec<ProcId> {
        let mut seen: BTreeSet<ProcId> = start.iter().copied().collect();
        let mut work = start.to_vec();
        while let Some(p) = work.pop() {
            for callee in self.callees(p) {
                if seen.insert(*callee) {
                    work.push(*callee);
                }
            }
        }
        seen.into_iter().collect()
    }

    fn build(program: &Program, callbacks: bool) -> CallGraph {
        let (taken, taken_externals) = addresses_taken(program);
        let sites: Vec<Vec<CallSite>> = program.procedures.iter().map(call_sites).collect();
        let mut indirect_targets: HashMap<Signature, Vec<ProcId>> = HashMap::new();
        for site in sites.iter().flatten() {
            if let CallTarget::Indirect(signature) = &site.target {
                indirect_targets.entry(signature.clone()).or_insert_with(|| {
                    let fits = |p: &ProcId| {
                        program.procedure(*p).may_be_called_as(|own| may_match(own, signature))
                    };
                    taken.iter().copied().filter(fits).collect()
                });
            }
        }
        let mut callees = Vec::new();
        let mut externals = Vec::new();
        for list in &sites {
            let mut procs = BTreeSet::new();
            let mut outside = BTreeSet::new();
            for site in list {
                match &site.target {
                    CallTarget::Procedure(p) => {
                        procs.insert(*p);
                    }
                    CallTarget::External(e) => {
                        outside.insert(*e);
                    }
                    CallTarget::Unknown => {
                        procs.extend(&taken);
                        outside.extend(&taken_externals);
                    }
                    CallTarget::Indirect(signature) => {
                        procs.extend(&indirect_targets[signature]);
                        outside.extend(
                            taken_externals
                                .iter()
                                .filter(|e| may_match(&program.external(**e).signature, signature)),
                        );
                    }
                }
            }
            callees.push(procs.into_iter().collect::<Vec<_>>());
            externals.push(outside.into_iter().collect::<Vec<_>>());
        }
        let mut callers = vec![Vec::new(); callees.len()];
        for (i, list) in callees.iter().enumerate() {
            for callee in list {
                callers[callee.index()].push(ProcId::new(i));
            }
        }
        let outward: Vec<bool> = externals
            .iter()
            .map(|list| {
                let calls_back = |e: &ExternId| program.external(*e).kind == ExternalKind::Function;
                callbacks && list.iter().any(calls_back)
            })
            .collect();
        let order = Order::of(&callees, &outward, &taken);
        let is_known = |p: &Procedure| p.is_supported() || p.opaque.is_some();
        CallGraph {
            sites,
            callees,
            callers,
            externals,
            taken,
            taken_externals,
            indirect_targets,
            components: order.components,
            component_of: order.component_of,
            recursive: order.recursive,
            complete: program.procedures.iter().all(is_known)
                && !program.hidden_initialisers
                && !program.assembly,
        }
    }
}

/// Whether a call with the types of `call` can be a proper call of a function with those of
/// `callee`. Where either is variadic (or was declared without a prototype) the fixed
/// parameters must agree as far as both have them.
fn may_match(callee: &Signature, call: &Signature) -> bool {
    if callee.results != call.results {
        return false;
    }
    if callee.variadic || call.variadic {
        callee.params.iter().zip(&call.params).all(|(a, b)| a == b)
    } else {
        callee.params == call.params
    }
}

fn call_sites(procedure: &Procedure) -> Vec<CallSite> {
    let mut sites = Vec::new();
    if !procedure.is_supported() {
        // Their places are not known; what is called is, or may be anything.
        let target = |call: &OpaqueCall| match *call {
            OpaqueCall::Procedure(p) => CallTarget::Procedure(p),
            OpaqueCall::External(e) => CallTarget::External(e),
            OpaqueCall::Unknown => CallTarget::Unknown,
        };
        let calls = procedure.opaque.as_ref().map_or(&[OpaqueCall::Unknown][..], |o| &o.calls);
        let site = |call| CallSite { block: Procedure::ENTRY, statement: 0, target: target(call) };
        sites.extend(calls.iter().map(site));
    }
    for (b, block) in procedure.blocks.iter().enumerate() {
        for (statement, stmt) in block.stmts.iter().enumerate() {
            let StmtKind::Call { callee, .. } = &stmt.kind else { continue };
            let target = match callee {
                Callee::Procedure(p) => CallTarget::Procedure(*p),
                Callee::External(e) => CallTarget::External(*e),
                Callee::Indirect { signature, .. } => CallTarget::Indirect(signature.clone()),
            };
            sites.push(CallSite { block: BlockId::new(b), statement, target });
        }
    }
    sites
}

/// The procedures and externals whose address occurs in an expression or an initialiser.
fn addresses_taken(program: &Program) -> (Vec<ProcId>, Vec<ExternId>) {
    let mut procedures = BTreeSet::new();
    let mut externals = BTreeSet::new();
    let mut note = |a: Address| match a {
        Address::Procedure(p) => {
            procedures.insert(p);
        }
        Address::External(e) => {
            externals.insert(e);
        }
        Address::Global(_) | Address::Local(_) => {}
    };
    for init in program.globals.iter().filter_map(|g| g.init.as_ref()) {
        init.relocations.iter().for_each(|r| note(r.target));
    }
    // The system calls what runs before and after `main`.
    program.constructors.iter().chain(&program.destructors).for_each(|s| note(s.function));
    program.procedures.iter().filter_map(|p| p.opaque.as_ref()).for_each(|opaque| {
        opaque.takes.iter().for_each(|a| note(*a));
    });
    let mut visit = |e: &Expr| {
        e.walk(&mut |e| {
            if let Expr::Address(a) = e {
                note(*a);
            }
        });
    };
    for block in program.procedures.iter().flat_map(|p| &p.blocks) {
        block.stmts.iter().flat_map(|s| s.kind.exprs()).for_each(&mut visit);
        block.end.kind.exprs().into_iter().for_each(&mut visit);
    }
    (procedures.into_iter().collect(), externals.into_iter().collect())
}

struct Order {
    components: Vec<Vec<ProcId>>,
    component_of: Vec<usize>,
    recursive: Vec<bool>,
}

impl Order {
    /// One more node stands for the outside: procedures that call out lead to it, and it
    /// leads to every procedure whose address is taken.
    fn of(callees: &[Vec<ProcId>], outward: &[bool], taken: &[ProcId]) -> Order {
        let count = callees.len();
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in 0..=count {
            graph.add_node(());
        }
        let outside = NodeIndex::new(count);
        let node = |p: ProcId| NodeIndex::new(p.index());
        for (i, list) in callees.iter().enumerate() {
            for callee in list {
                graph.add_edge(NodeIndex::new(i), node(*callee), ());
            }
            if outward[i] {
                graph.add_edge(NodeIndex::new(i), outside, ());
            }
        }
        for p in taken {
            graph.add_edge(outside, node(*p), ());
        }
        let mut components = Vec::new();
        let mut component_of = vec![0; count];
        let mut recursive = vec![false; count];
        // Kosaraju's algorithm gives components in postorder: callees first.
        for mut members in kosaraju_scc(&graph) {
            let several = members.len() > 1;
            members.retain(|n| *n != outside);
            let mut list: Vec<ProcId> =
                members.into_iter().map(|n| ProcId::new(n.index())).collect();
            list.sort_unstable();
            for p in &list {
                component_of[p.index()] = components.len();
                recursive[p.index()] = several || callees[p.index()].contains(p);
            }
            if !list.is_empty() {
                components.push(list);
            }
        }
        Order { components, component_of, recursive }
    }
}
