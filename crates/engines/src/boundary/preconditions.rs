//! Preconditions of regions: checks of what is established wherever a region is entered.
//!
//! A region may be equal only under the conditions around it: `y = x > 0 ? 1 : 2;` against `y = 1;` inside of `if (x > 0)`. Both regions
//! get the same checks at their entry, which trap unless such a condition holds, and are compared with them.
//!
//! Soundness: each check is put into its version before the region is cut out, and it never fails there, since its fact is
//! [established](Established) in *that version* wherever the region is entered, in every call and whatever the entry state. So
//! it changes no outcome of the version, which is all that the rule needs ([module](super)). A fact of one version is never
//! concluded from the other one: ✗ `int x = a; x = 7; g(); return 7;` against `int x = a; g(); return x;`. The checks are part of the
//! sub-pair: ✗ `y = x > 0 ? 1 : 2;` against `y = 1;` once under `if (x > 0)` and once bare are two different sub-pairs.
//! That the checks of both versions say the same is only hoped for; if not, the sub-pairs trap differently and are not equal.

use super::divide::{Prepared, mentioned};
use std::collections::{BTreeSet, HashMap, HashSet};
use verdiff_judge::{Comparison, Side};
use verdiff_model::graph::established::{Established, Fact};
use verdiff_model::{Address, GlobalId, VarId};
use verdiff_product::matching::Matched;

/// A region gets at most so many checks.
const MOST_CHECKS: usize = 16;
/// How often the variables of a check make further facts relevant.
const STEPS: usize = 3;

/// Puts checks of what both versions establish into the regions for which that is wanted, and says how many there are.
pub fn check(
    comparison: &Comparison,
    matched: &Matched,
    sides: &mut [Prepared; 2],
    wanted: &[bool],
) -> usize {
    let numbers: Vec<usize> = (0..wanted.len()).filter(|number| wanted[*number]).collect();
    if numbers.is_empty() {
        return 0;
    }
    // What only one version mentions matters in both.
    let about = |side: Side, number: usize| {
        let here = |side: Side| {
            let Prepared { procedure, regions } = &sides[side.index()];
            mentioned(procedure, &regions[number])
        };
        let mut vars = here(side);
        let others = here(side.other()).into_iter();
        vars.extend(others.filter_map(|v| matched.var(side.other(), v)));
        vars
    };
    let known = Side::BOTH.map(|side| {
        let relevant = numbers.iter().flat_map(|number| about(side, *number)).collect();
        Established::of(&sides[side.index()].procedure, &relevant)
    });
    let about: Vec<BTreeSet<VarId>> = numbers.iter().map(|n| about(Side::Old, *n)).collect();
    let addresses = Addresses::of(comparison);
    let mut count = 0;
    for (number, about) in numbers.into_iter().zip(about) {
        let there: HashSet<&Fact> = known[1].at(sides[1].regions[number].entry).collect();
        let var = |v: VarId| matched.var(Side::Old, v);
        let address = |a: Address| addresses.of_new(matched, a);
        let both = |old: &Fact| {
            let new = old.translated(&var, &address)?;
            there.contains(&new).then(|| (old.clone(), new))
        };
        let common: Vec<(Fact, Fact)> =
            known[0].at(sides[0].regions[number].entry).filter_map(both).collect();
        let chosen = chosen(common, about);
        count += chosen.len();
        for (side, facts) in [0, 1].map(|side| (side, &chosen)) {
            let Prepared { procedure, regions } = &mut sides[side];
            let entry = regions[number].entry.index();
            let block = &procedure.blocks[entry];
            let loc = block.stmts.first().map_or(block.end.loc, |stmt| stmt.loc);
            let facts = facts.iter().map(|(old, new)| if side == 0 { old } else { new });
            let checks: Vec<_> = facts.flat_map(|fact| fact.checked(procedure, loc)).collect();
            procedure.blocks[entry].stmts.splice(0..0, checks);
        }
    }
    count
}

/// The facts about these variables, those about them directly first, then those about variables of such facts.
fn chosen(mut facts: Vec<(Fact, Fact)>, mut about: BTreeSet<VarId>) -> Vec<(Fact, Fact)> {
    let mut chosen = vec![];
    for _ in 0..STEPS {
        let is_about = |(old, _): &(Fact, Fact)| !old.vars().is_disjoint(&about);
        let (now, later): (Vec<_>, Vec<_>) = facts.into_iter().partition(is_about);
        now.iter().for_each(|(old, _)| about.extend(old.vars()));
        chosen.extend(now);
        facts = later;
    }
    chosen.truncate(MOST_CHECKS);
    chosen
}

/// Addresses of the old version in the words of the new one, by name.
struct Addresses<'c> {
    comparison: &'c Comparison,
    globals: HashMap<&'c str, GlobalId>,
}

impl<'c> Addresses<'c> {
    fn of(comparison: &'c Comparison) -> Addresses<'c> {
        let globals = comparison.new.program.globals.iter().enumerate();
        let globals = globals.map(|(id, global)| (global.name.as_str(), GlobalId::new(id)));
        Addresses { comparison, globals: globals.collect() }
    }

    fn of_new(&self, matched: &Matched, address: Address) -> Option<Address> {
        match address {
            Address::Global(id) => {
                let name = &self.comparison.old.program.global(id).name;
                self.globals.get(name.as_str()).map(|id| Address::Global(*id))
            }
            Address::Local(id) => matched.local(Side::Old, id).map(Address::Local),
            Address::Procedure(_) | Address::External(_) => None,
        }
    }
}
