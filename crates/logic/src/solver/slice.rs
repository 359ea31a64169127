//! Splits a query into parts that share no symbol and no function.
//!
//! Sound because parts without common names have models independently of each other: the query
//! has one exactly if every part has, and their union is it. Uninterpreted sorts and arrays over
//! them tie parts together through the number of their elements, so terms that speak of such a
//! sort share it as a name.

use rustc_hash::FxHashMap;

use crate::effort::{self, Step};
use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

use super::{Answer, Decide, Limits, Query};

/// Decides the independent parts of a query one by one.
pub struct Sliced<D> {
    inner: D,
}

impl<D: Decide> Sliced<D> {
    /// A layer over `inner`.
    pub fn new(inner: D) -> Sliced<D> {
        Sliced { inner }
    }
}

/// The parts, each as the positions of its terms in `all`, in order of the first.
///
/// One walk over all terms, each visited once: terms of a query share most of what is below them. Two that share a
/// term are in one part. So are two that share a name in different terms. A shared constant means nothing.
fn parts(pool: &TermPool, all: &[TermId]) -> Vec<Vec<usize>> {
    let mut groups = UnionFind::new(all.len());
    let mut owner: FxHashMap<u64, usize> = FxHashMap::default();
    let mut visited: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut names = Vec::new();
    for (position, root) in all.iter().enumerate() {
        let mut pending = vec![*root];
        while let Some(term) = pending.pop() {
            if !pool.op(term).is_constant() {
                if let Some(other) = visited.get(&term) {
                    groups.join(*other, position);
                    continue;
                }
                visited.insert(term, position);
            }
            names_of(pool, term, &mut names);
            for name in names.drain(..) {
                let first = *owner.entry(name).or_insert(position);
                groups.join(first, position);
            }
            pending.extend_from_slice(pool.operands(term));
        }
    }
    effort::count(Step::Visit, visited.len() as u64);
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut part_of: FxHashMap<usize, usize> = FxHashMap::default();
    for position in 0..all.len() {
        let part = *part_of.entry(groups.find(position)).or_insert_with(|| {
            parts.push(Vec::new());
            parts.len() - 1
        });
        parts[part].push(position);
    }
    parts
}

impl<D: Decide> Decide for Sliced<D> {
    fn decide(&mut self, pool: &mut TermPool, query: &Query<'_>, limits: &Limits) -> Answer {
        let spending = limits.begin();
        let all = query.all();
        let mut parts = parts(pool, &all);
        if parts.len() <= 1 {
            return self.inner.decide(pool, query, limits);
        }
        // What was added last is most likely to be what decides.
        parts.sort_by_key(|part| std::cmp::Reverse(part.last().copied()));
        let mut model = crate::assignment::Assignment::new();
        let mut unknown = None;
        for part in parts {
            let split = part.partition_point(|p| *p < query.assertions.len());
            let terms: Vec<TermId> = part.iter().map(|p| all[*p]).collect();
            let (assertions, assumptions) = terms.split_at(split);
            let part = Query { assertions, assumptions };
            match self.inner.decide(pool, &part, &spending.left()) {
                Answer::Sat(found) => model.merge(&found),
                // One part is enough; even if another is unknown.
                Answer::Unsat { core } => return Answer::Unsat { core },
                Answer::Unknown(reason) => unknown = Some(reason),
            }
        }
        match unknown {
            Some(reason) => Answer::Unknown(reason),
            None => Answer::Sat(model),
        }
    }
}

/// The symbol or function that a term is, and the uninterpreted sorts of its values, as numbers that do not collide.
fn names_of(pool: &TermPool, term: TermId, names: &mut Vec<u64>) {
    match pool.op(term) {
        Op::Symbol(symbol) => names.push(u64::from(symbol.0) * 4),
        Op::Apply(function) => names.push(u64::from(function.0) * 4 + 1),
        _ => {}
    }
    let mut sorts = vec![pool.sort(term)];
    while let Some(sort) = sorts.pop() {
        match sort {
            Sort::Uninterpreted(id) => names.push(u64::from(id.0) * 4 + 2),
            Sort::Array(array) => {
                let (index, element) = pool.array_parts(array);
                sorts.extend([index, element]);
            }
            _ => {}
        }
    }
}

struct UnionFind {
    parents: Vec<usize>,
}

impl UnionFind {
    fn new(size: usize) -> UnionFind {
        UnionFind { parents: (0..size).collect() }
    }

    fn find(&mut self, mut item: usize) -> usize {
        while self.parents[item] != item {
            self.parents[item] = self.parents[self.parents[item]];
            item = self.parents[item];
        }
        item
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b)] = a.min(b);
    }
}
