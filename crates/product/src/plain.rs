//! Procedures as they are without anything assumed: their entry states, and what they are to those that call them.

use crate::Product;
use crate::callees::{Basis, Function};
use crate::judged::function_name;
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::Side;
use verdiff_logic::LogicError;
use verdiff_model::{ProcId, Procedure};
use verdiff_symex::entry::Entry;
use verdiff_symex::regions::Regions;
use verdiff_symex::space::Space;

/// Callees that take this many statements in all are inlined even where they are known to be equal.
const SMALL: usize = 300;

/// The entry state of a procedure, each parameter with a name of its own: variables of a block and of the one
/// around it may have one name, and must not become one symbol. `unset` says of what was a loop which parameters may be
/// uninitialised.
pub fn entry_of(
    space: &mut Space,
    regions: &Regions,
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

/// A procedure as a function, unless it is inlined.
pub fn plain_function(
    product: &mut Product<'_>,
    side: Side,
    id: ProcId,
    cyclic: bool,
) -> Result<Option<Function>, LogicError> {
    let (facts, comparison) = (product.facts, product.task.comparison);
    let regions = &facts.regions;
    let equal = comparison.pair_of(side, id).filter(|pair| product.is_equal(*pair));
    if let Some(pair) = equal {
        let procedures = comparison.pair(pair);
        let of = |side: Side| procedures.of(side);
        let unbounded = Side::BOTH.into_iter().any(|s| facts.is_unbounded(s, of(s)));
        let small = Side::BOTH.into_iter().all(|s| facts.size(s, of(s)) <= SMALL);
        if procedures.same_interface && (unbounded || !small) {
            let name = function_name(comparison, pair);
            let old = product.program(Side::Old).procedure(procedures.old).clone();
            let entry = entry_of(&mut product.space, regions, &old, &format!("{name}."), &[])?;
            let effects = Side::BOTH.map(|s| facts.effects(s, of(s)));
            let mut function = product.unproved(&name, Rc::new(entry), &effects);
            function.abstraction.common_under = None;
            function.abstraction.returns =
                Side::BOTH.into_iter().all(|s| facts.returns_if_it_ends(s, of(s)));
            function.basis = Basis::Judged { pair, everywhere: true };
            return Ok(Some(function));
        }
    }
    if !cyclic {
        return Ok(None);
    }
    // Nothing is known of it.
    let procedure = product.program(side).procedure(id).clone();
    let name = format!("call.{}.{}.{}", procedure.name, side.index(), id.index());
    let entry = entry_of(&mut product.space, regions, &procedure, &format!("{name}."), &[])?;
    let mut function = product.unproved(&name, Rc::new(entry), &[facts.effects(side, id)]);
    function.abstraction.returns = facts.returns_if_it_ends(side, id);
    Ok(Some(function))
}
