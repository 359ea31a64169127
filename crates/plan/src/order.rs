//! The order of work: pairs whose callees come first.

use std::collections::{BTreeSet, HashSet};
use verdiff_engines::normalise::{self, may_call_back};
use verdiff_engines::process::runs_more;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::ProcId;
use verdiff_model::graph::calls::{CallGraph, CallTarget};

/// The strongly connected components of the joint call graph.
#[derive(Clone, Debug, Default)]
pub struct Order {
    /// Components, callees before callers.
    pub components: Vec<Vec<PairId>>,
    /// For each pair, the pairs that its proof may rest on, itself not among them.
    pub below: Vec<BTreeSet<PairId>>,
    /// For each pair, the pairs that it calls by name, itself not among them: those that are only called back or through a
    /// pointer are left out.
    pub direct: Vec<BTreeSet<PairId>>,
    /// For each component, the components that must be done first.
    pub needs: Vec<BTreeSet<usize>>,
}

impl Order {
    /// The order for a comparison.
    pub fn of(comparison: &Comparison) -> Order {
        let count = comparison.pairs.len();
        let graphs = Side::BOTH.map(|side| CallGraph::of(comparison.program(side)));
        let taken: BTreeSet<PairId> = match normalise::address_taken(comparison) {
            Some(taken) => taken,
            // They do not correspond: each side's own, as far as they have partners.
            None => Side::BOTH
                .into_iter()
                .flat_map(|side| {
                    graphs[side.index()]
                        .address_taken()
                        .iter()
                        .filter_map(move |id| comparison.pair_of(side, *id))
                })
                .collect(),
        };
        let mut below = vec![BTreeSet::new(); count];
        let mut direct = vec![BTreeSet::new(); count];
        for pair in comparison.pair_ids() {
            for side in Side::BOTH {
                let start = comparison.pair(pair).of(side);
                let graph = &graphs[side.index()];
                reach(comparison, side, graph, start, &taken, &mut below[pair.index()]);
                called_by_name(comparison, side, graph, start, &mut direct[pair.index()]);
            }
        }
        let components = components(&below);
        let mut component_of = vec![0; count];
        for (number, members) in components.iter().enumerate() {
            for pair in members {
                component_of[pair.index()] = number;
            }
        }
        let needs = components
            .iter()
            .enumerate()
            .map(|(number, members)| {
                let all = members.iter().flat_map(|p| &below[p.index()]);
                all.map(|p| component_of[p.index()]).filter(|n| *n != number).collect()
            })
            .collect();
        for (index, set) in below.iter_mut().enumerate() {
            set.remove(&PairId(index as u32));
            direct[index].remove(&PairId(index as u32));
        }
        Order { components, below, direct, needs }
    }

    /// The pairs that the members of a component rest on, directly or not: whatever is reached from what is called may be
    /// inlined as well. Members are among them where there are several: each rests on the others, and they on it.
    pub(crate) fn rests_on(&self, component: usize) -> BTreeSet<PairId> {
        let mut seen = BTreeSet::new();
        let mut work: Vec<usize> = self.needs[component].iter().copied().collect();
        while let Some(below) = work.pop() {
            if seen.insert(below) {
                work.extend(&self.needs[below]);
            }
        }
        if self.components[component].len() > 1 {
            seen.insert(component);
        }
        seen.iter().flat_map(|component| &self.components[*component]).copied().collect()
    }
}

/// The pairs that a procedure calls, through procedures without a partner too.
fn reach(
    comparison: &Comparison,
    side: Side,
    graph: &CallGraph,
    start: ProcId,
    taken: &BTreeSet<PairId>,
    found: &mut BTreeSet<PairId>,
) {
    let program = comparison.program(side);
    let mut seen = HashSet::from([start]);
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for callee in graph.callees(id) {
            match comparison.pair_of(side, *callee) {
                Some(pair) => {
                    found.insert(pair);
                }
                None if seen.insert(*callee) => work.push(*callee),
                None => {}
            }
        }
        let around = id == start && program.procedure(id).name == "main" && runs_more(program);
        let anything = around
            || graph.sites(id).iter().any(|site| match &site.target {
                CallTarget::Indirect(_) | CallTarget::Unknown => true,
                CallTarget::External(e) => may_call_back(program, *e),
                CallTarget::Procedure(_) => false,
            });
        if anything {
            found.extend(taken.iter().copied());
        }
    }
}

/// The pairs that a procedure calls by name, through procedures without a partner too.
fn called_by_name(
    comparison: &Comparison,
    side: Side,
    graph: &CallGraph,
    start: ProcId,
    found: &mut BTreeSet<PairId>,
) {
    let mut seen = HashSet::from([start]);
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for site in graph.sites(id) {
            let CallTarget::Procedure(callee) = site.target else { continue };
            match comparison.pair_of(side, callee) {
                Some(pair) => {
                    found.insert(pair);
                }
                None if seen.insert(callee) => work.push(callee),
                None => {}
            }
        }
    }
}

/// Tarjan's algorithm, without recursion: graphs of real programs are deep.
fn components(edges: &[BTreeSet<PairId>]) -> Vec<Vec<PairId>> {
    let mut graph = petgraph::graph::DiGraph::<(), ()>::new();
    let nodes: Vec<_> = edges.iter().map(|_| graph.add_node(())).collect();
    for (from, targets) in edges.iter().enumerate() {
        for to in targets {
            graph.add_edge(nodes[from], nodes[to.index()], ());
        }
    }
    // Post-order: what is called comes first.
    petgraph::algo::kosaraju_scc(&graph)
        .into_iter()
        .map(|members| {
            let mut pairs: Vec<PairId> =
                members.into_iter().map(|node| PairId(node.index() as u32)).collect();
            pairs.sort_unstable();
            pairs
        })
        .collect()
}
