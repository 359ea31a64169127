//! How callees are treated in the proof of one pair of bodies: what is assumed, what is known, what is cut.

use super::matching::Matching;
use super::partition::{Regions, over};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use verdiff_judge::Side;
use verdiff_logic::{LogicError, TermId};
use verdiff_model::ProcId;
use verdiff_product::Product;
use verdiff_product::callees::{Basis, Function, Policy, Treatment};
use verdiff_product::plain::{entry_of, plain_function};
use verdiff_symex::callee::Summary;
use verdiff_symex::entry::Entry;
use verdiff_symex::space::Space;

/// The couplings that are assumed, by number: each as one function for both versions.
#[derive(Default)]
pub struct Assumed {
    functions: BTreeMap<usize, Function>,
}

impl Assumed {
    /// Assumes couplings: each becomes one function for both versions, but for one that is `private`, and where `under`
    /// is given only there.
    pub fn of(
        product: &mut Product<'_>,
        matching: &Matching,
        couplings: &BTreeSet<usize>,
        private: Option<usize>,
        under: Option<&Regions>,
    ) -> Result<Assumed, LogicError> {
        let mut functions = BTreeMap::new();
        for number in couplings {
            let mut function = describe(product, matching, *number)?;
            let view = &mut function.abstraction;
            if private != Some(*number) {
                view.common_under = match under {
                    None => None,
                    Some(under) => {
                        let region = match under.get(number) {
                            Some(region) => over(&mut product.space, region, &view.entry)?,
                            None => None,
                        };
                        Some(region.unwrap_or(product.space.pool.falsity()))
                    }
                };
            }
            functions.insert(*number, function);
        }
        Ok(Assumed { functions })
    }

    /// Adds runs that are known exactly to an assumed coupling.
    pub fn know(&mut self, number: usize, summaries: Vec<Summary>) {
        if let Some(function) = self.functions.get_mut(&number) {
            function.abstraction.summaries.extend(summaries);
        }
    }

    /// The name of an assumed coupling's function.
    pub fn name(&self, number: usize) -> Option<&str> {
        self.functions.get(&number).map(|function| function.abstraction.name.as_str())
    }

    /// The entry state over which an assumed coupling is described.
    pub fn entry(&self, number: usize) -> Option<Rc<Entry>> {
        self.functions.get(&number).map(|function| function.abstraction.entry.clone())
    }

    /// Treats calls of the couplings as calls of their functions, after unfolding. With `lemmas` unfolding gives lemmas, where
    /// that is possible: a lemma says nothing of memory.
    pub fn treat(&self, product: &mut Product<'_>, matching: &Matching, lemmas: bool) {
        for (number, function) in &self.functions {
            let coupled = &matching.pairs[*number];
            let effects = Side::BOTH.map(|side| product.facts.effects(side, coupled.of(side)));
            let by_lemma = lemmas && effects.iter().all(|e| e.writes.is_empty() && !e.errno);
            for side in Side::BOTH {
                let treatment = Treatment::Unfolded { function: function.clone(), by_lemma };
                // Of two couplings of one procedure the first is meant.
                if first_coupling(matching, side, coupled.of(side)) == Some(*number) {
                    product.policy.treat(side, coupled.of(side), treatment);
                }
            }
        }
    }
}

/// A coupling as a function.
fn describe(
    product: &mut Product<'_>,
    matching: &Matching,
    number: usize,
) -> Result<Function, LogicError> {
    let coupled = &matching.pairs[number];
    let facts = product.facts;
    let procedure = matching.programs[0].procedure(coupled.old);
    let name = format!("call.{}.coupled{number}", procedure.name);
    let unset = matching.unset(facts, number);
    let prefix = format!("{name}.");
    let entry = entry_of(&mut product.space, &facts.regions, procedure, &prefix, &unset)?;
    let effects = Side::BOTH.map(|side| facts.effects(side, coupled.of(side)));
    let mut function = product.unproved(&name, Rc::new(entry), &effects);
    function.abstraction.returns =
        Side::BOTH.into_iter().all(|side| facts.returns_if_it_ends(side, coupled.of(side)));
    function.basis = Basis::Coupling(number);
    let manages = |side: Side| facts.manages_heap(side, coupled.of(side));
    function.heap_described = product.space.is_any_call() && !Side::BOTH.into_iter().any(manages);
    Ok(function)
}

fn first_coupling(matching: &Matching, side: Side, id: ProcId) -> Option<usize> {
    matching.pairs.iter().position(|c| c.of(side) == id)
}

/// Treats what is reached and not assumed: a function where a judgement says that it is equal, inlined where that ends, and
/// each version's own function elsewhere. Done before anything is executed.
pub fn treat_others(
    product: &mut Product<'_>,
    matching: &Matching,
    assumed: &BTreeSet<usize>,
    roots: [ProcId; 2],
) -> Result<(), LogicError> {
    for side in Side::BOTH {
        let cut = assumed.iter().map(|n| matching.pairs[*n].of(side)).collect();
        let cyclic = product.facts.cyclic_without(side, &cut);
        for id in product.facts.reached(side, roots[side.index()]) {
            if let Some(function) = plain_function(product, side, id, cyclic.contains(&id))? {
                product.policy.treat(side, id, Treatment::Function(function));
            }
        }
    }
    Ok(())
}

/// The policy for finding the runs that make no call into the induction, nor any other that is not executed: such calls are
/// of functions, which mark the paths on which they are made.
pub fn marking_calls(
    product: &mut Product<'_>,
    side: Side,
    root: ProcId,
) -> Result<(Policy, BTreeSet<String>), LogicError> {
    let (mut policy, mut marks) = (Policy::default(), BTreeSet::new());
    let facts = product.facts;
    for id in facts.reached(side, root) {
        if matches!(product.policy.of(side, id), Treatment::Inline) {
            continue;
        }
        let procedure = product.program(side).procedure(id).clone();
        let name = format!("a call that is not executed: {}.{}", side.index(), id.index());
        let prefix = format!("{name}.");
        let entry = entry_of(&mut product.space, &facts.regions, &procedure, &prefix, &[])?;
        let function = product.unproved(&name, Rc::new(entry), &[facts.effects(side, id)]);
        policy.treat(side, id, Treatment::Function(function));
        marks.insert(name);
    }
    Ok((policy, marks))
}

/// Whether a path makes a marked call: how it ended is a condition of the path. Of other callees there are no functions.
pub fn makes_marked_call(space: &Space, marks: &BTreeSet<String>, path: &[TermId]) -> bool {
    space.callees_in(path).into_iter().any(|name| marks.contains(name))
}
