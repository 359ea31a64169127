//! The part of two programs that the judgement of a pair rests on.
//!
//! A worker is told a part of the comparison, so that what it answers, and the key under which the answer is kept, depend on nothing else:
//! after a further commit only what that commit changed is judged again (docs/internals/cache.md). A part is a comparison like any
//! other: the procedures that the pair reaches (`reach`), the variables and types that these name, and what the rest of the
//! programs does to them (`rest`), all in numbers and lines (`lines`) of its own. Numbers follow names and places in the source, so
//! that what is added elsewhere changes none of them.
//!
//! # Why conclusions about a part hold of the whole
//!
//! Engines execute only what the pair reaches, and that is in the part as it is. Of other code they use what analyses of whole programs find:
//! regions and effects, what has its address taken, which constants the outside sees, who is called. That is checked
//! for each part to be what the same analyses find in the whole programs (`agree`). Where it is not, and where not
//! all code is known, the part is the whole.

mod agree;
mod lines;
mod numbers;
mod reach;
mod rest;
mod select;

pub use numbers::Numbers;

use crate::facts::Facts;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::{GlobalId, ProcId, Program};

/// Larger programs, in statements of both versions together, are not looked at: finding out what is in them takes long.
const MOST_STATEMENTS: usize = 60_000;
/// In programs with more statements than this, a part must leave out half of them: otherwise telling it to a worker
/// costs more than it saves.
const FEW_STATEMENTS: usize = 20_000;

/// So many statements of both versions together take longer to judge than a part takes to be made.
const MUCH_CODE: usize = 200;

/// A part of a comparison.
pub struct Part {
    /// The part itself.
    pub comparison: Arc<Comparison>,
    /// What its numbers mean.
    pub numbers: Numbers,
}

/// Makes parts of a comparison.
pub struct Reducer {
    comparison: Rc<Comparison>,
    facts: Rc<Facts>,
    sides: [SideNames; 2],
    /// How many statements both programs have.
    size: usize,
    made: HashMap<[BTreeSet<ProcId>; 2], Option<Arc<Part>>>,
}

/// What is looked up in one version.
struct SideNames {
    by_name: HashMap<String, Vec<ProcId>>,
    pairs: BTreeMap<ProcId, Vec<PairId>>,
    globals: HashMap<String, Vec<GlobalId>>,
    /// Literals by their contents.
    literals: HashMap<u128, GlobalId>,
    /// Constants that the outside sees and that the other version has otherwise or not at all.
    changed_constants: BTreeSet<GlobalId>,
    /// The procedures that calls from outside may lead to.
    from_outside: BTreeSet<ProcId>,
}

impl Reducer {
    /// One for a comparison; `None` if all its parts are the whole: not all code is known, or there is too much of it.
    pub fn of(comparison: &Comparison) -> Option<Reducer> {
        let programs = Side::BOTH.map(|side| comparison.program(side));
        let size = programs.map(statements).iter().sum();
        // What runs around `main` sees everything. Regions of procedures have been cut out of what they were.
        let simple = |program: &&Program| {
            program.constructors.is_empty()
                && program.destructors.is_empty()
                && !program.hidden_initialisers
                && !program.assembly
        };
        if size > MOST_STATEMENTS
            || !programs.iter().all(simple)
            || !comparison.sub_pairs.is_empty()
        {
            return None;
        }
        let comparison = Rc::new(comparison.clone());
        let facts = Facts::of(comparison.clone());
        if !facts.written().graphs.iter().all(|graph| graph.is_complete()) {
            return None;
        }
        let sides = Side::BOTH.map(|side| SideNames::of(&facts, side));
        Some(Reducer { comparison, facts, sides, size, made: HashMap::new() })
    }

    /// Whether judging a pair that may use what is known of `others` takes longer than making a part: it does if there are loops or much code.
    pub fn is_worthwhile(&self, pair: PairId, others: &BTreeSet<PairId>) -> bool {
        let both = Side::BOTH.map(|side| (side, self.comparison.pair(pair).of(side)));
        let written = self.facts.written();
        if both.iter().any(|(side, id)| written.is_unbounded(*side, *id)) {
            return true;
        }
        let mut pairs = others.clone();
        pairs.insert(pair);
        let reached = self.reached(&pairs, &BTreeSet::new());
        let code = Side::BOTH.into_iter().flat_map(|side| {
            let program = self.comparison.program(side);
            reached[side.index()].iter().flat_map(|id| &program.procedure(*id).blocks)
        });
        code.map(|block| block.stmts.len() + 1).sum::<usize>() >= MUCH_CODE
    }

    /// The part for a pair that may use what is known of `others`, and for which procedures of the old version may be run to make
    /// inputs; `None` if it is the whole.
    pub fn part(
        &mut self,
        pair: PairId,
        others: &BTreeSet<PairId>,
        old_only: &BTreeSet<ProcId>,
    ) -> Option<Arc<Part>> {
        // A run of `main` is a run of the process.
        if self.comparison.procedure(pair, Side::Old).name == "main" {
            return None;
        }
        let mut pairs = others.clone();
        pairs.insert(pair);
        let reached = self.reached(&pairs, old_only);
        if let Some(part) = self.made.get(&reached) {
            return part.clone();
        }
        let part = self.select(&reached).map(Arc::new);
        self.made.insert(reached, part.clone());
        part
    }
}

/// How many statements a program has.
fn statements(program: &Program) -> usize {
    let blocks = program.procedures.iter().flat_map(|p| &p.blocks);
    blocks.map(|block| block.stmts.len() + 1).sum()
}

impl SideNames {
    fn of(facts: &Facts, side: Side) -> SideNames {
        let comparison = facts.comparison();
        let program = comparison.program(side);
        let graph = &facts.written().graphs[side.index()];
        let mut by_name: HashMap<String, Vec<ProcId>> = HashMap::new();
        let mut exported = graph.address_taken().to_vec();
        for id in program.procedure_ids() {
            let procedure = program.procedure(id);
            by_name.entry(procedure.name.clone()).or_default().push(id);
            exported.extend((procedure.linkage == verdiff_model::Linkage::External).then_some(id));
        }
        let mut pairs: BTreeMap<ProcId, Vec<PairId>> = BTreeMap::new();
        for pair in comparison.pair_ids() {
            pairs.entry(comparison.pair(pair).of(side)).or_default().push(pair);
        }
        let mut globals: HashMap<String, Vec<GlobalId>> = HashMap::new();
        let mut literals = HashMap::new();
        for (index, global) in program.globals.iter().enumerate() {
            let id = GlobalId::new(index);
            match global.is_literal() {
                true => drop(literals.entry(comparison.contents_of(side, id)).or_insert(id)),
                false => globals.entry(global.name.clone()).or_default().push(id),
            }
        }
        SideNames {
            by_name,
            pairs,
            globals,
            literals,
            changed_constants: select::changed_constants(comparison, side),
            from_outside: graph.reachable_from(&exported).into_iter().collect(),
        }
    }
}
