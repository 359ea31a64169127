//! Pointer parameters that do not alias: `restrict` in both versions, or `--no-alias`.
//!
//! What such a pointer leads to is reached through it alone. As formulas: a function `owner` of addresses
//! has one value for every byte that is accessed through one such pointer, and another for every other pointer; then two
//! addresses with different owners are not equal, by congruence, and no two accesses share a byte.
//!
//! That is so of bytes that a run does access. ✗ `if (c) { p[i] = 1; q[0] = 2; } return p + i == q;` against `return 0;`: where `c` is
//! zero nothing is accessed, and both addresses may be equal. So [`of_accesses`] takes each access with the exact condition under which
//! it is made. [`of_addresses`] takes all addresses of a formula, for those who look for inputs and prove nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_logic::{FunctionId, LogicError, Op, Sort, TermId};
use verdiff_model::{Qualifier, Type};
use verdiff_symex::entry::Entry;
use verdiff_symex::outcome::Outcome;
use verdiff_symex::record::AccessRecord;
use verdiff_symex::space::Space;

/// For each parameter, whether it is a pointer that aliases no other.
pub fn unaliased(comparison: &Comparison, pair: PairId) -> Vec<bool> {
    let of = |side: Side| {
        let procedure = comparison.procedure(pair, side);
        let program = comparison.program(side);
        procedure
            .params
            .iter()
            .map(|param| {
                let restrict = |id| program.ctypes.has_qualifier(id, Qualifier::Restrict);
                procedure.var(*param).ty == Type::Ptr
                    && procedure.var(*param).ctype.is_some_and(restrict)
            })
            .collect::<Vec<bool>>()
    };
    let (old, new) = (of(Side::Old), of(Side::New));
    let procedure = comparison.procedure(pair, Side::Old);
    let pointer = |index: usize| procedure.var(procedure.params[index]).ty == Type::Ptr;
    (0..procedure.params.len())
        .map(|n| {
            pointer(n)
                && (comparison.settings.no_alias || old[n] && new.get(n).copied().unwrap_or(false))
        })
        .collect()
}

/// Accesses of more bytes are told apart by their first ones.
const LONGEST: u64 = 64;

/// What holds of the addresses of these accesses, if these parameters do not alias.
pub fn of_accesses(
    space: &mut Space,
    entry: &Entry,
    unaliased: &[bool],
    accesses: &[AccessRecord],
) -> Result<Vec<TermId>, LogicError> {
    if !unaliased.contains(&true) {
        return Ok(vec![]);
    }
    let pointers = numbered(entry, unaliased);
    let mut known: HashMap<TermId, TermId> = HashMap::new();
    let mut all = BTreeSet::new();
    for AccessRecord { when, address, bytes } in accesses {
        let mut addresses = BTreeSet::new();
        add_bytes(space, *address, (*bytes).min(LONGEST), &mut addresses)?;
        for address in addresses {
            let owned = match known.get(&address) {
                Some(owned) => *owned,
                None => match owned(space, &pointers, address)? {
                    Some(owned) => *known.entry(address).or_insert(owned),
                    None => continue,
                },
            };
            let not_made = space.not(*when)?;
            all.insert(space.or(&[not_made, owned])?);
        }
    }
    let mut all: Vec<TermId> = all.into_iter().collect();
    all.extend(of_objects(space)?);
    Ok(all)
}

/// What would hold of the addresses in a formula and in the memories it is about, if these parameters do not alias and all that is at
/// these addresses is accessed.
pub fn of_addresses(
    space: &mut Space,
    entry: &Entry,
    unaliased: &[bool],
    about: TermId,
    outcomes: &[Outcome],
) -> Result<Vec<TermId>, LogicError> {
    if !unaliased.contains(&true) {
        return Ok(vec![]);
    }
    let pointers = numbered(entry, unaliased);
    // Everything that is read, and everything that is written, byte by byte.
    let mut addresses: BTreeSet<TermId> = BTreeSet::new();
    for term in space.pool.sub_terms(&[about]) {
        if space.pool.op(term) == Op::Select {
            let [_, index] = *space.pool.operands(term) else { continue };
            let width = space.pool.sort(term).width().unwrap_or(8);
            add_bytes(space, index, u64::from(width / 8), &mut addresses)?;
        }
    }
    for outcome in outcomes {
        for memory in outcome.memory.clone() {
            for (addr, len) in space.written(memory)?.ranges {
                let len = space.constant(len).filter(|len| *len <= LONGEST);
                add_bytes(space, addr, len.unwrap_or(1), &mut addresses)?;
            }
        }
    }
    let mut all = vec![];
    for address in addresses {
        all.extend(owned(space, &pointers, address)?);
    }
    all.extend(of_objects(space)?);
    Ok(all)
}

/// The pointers that alias no other, with a number for each.
fn numbered(entry: &Entry, unaliased: &[bool]) -> BTreeMap<TermId, u128> {
    let alone = entry.args.iter().zip(unaliased).filter(|(_, alone)| **alone);
    alone.enumerate().map(|(number, (term, _))| (*term, number as u128 + 1)).collect()
}

/// Through which pointer something at an address is accessed, if it is at one of these plus something.
fn owned(
    space: &mut Space,
    pointers: &BTreeMap<TermId, u128>,
    address: TermId,
) -> Result<Option<TermId>, LogicError> {
    let terms = symbols(space, address);
    let mut owners = pointers.iter().filter(|(pointer, _)| terms.contains(pointer));
    let (Some((pointer, number)), None) = (owners.next(), owners.next()) else { return Ok(None) };
    // The pointer itself plus something: not a number that happens to be made from it.
    let rest = space.sub(address, *pointer)?;
    let rest = space.tidy(rest)?;
    if symbols(space, rest).contains(pointer) {
        return Ok(None);
    }
    let owner = owner(space)?;
    let whose = space.pool.call(owner, &[address])?;
    let number = space.pool.bits(16, *number)?;
    Ok(Some(space.pool.eq(whose, number)?))
}

fn symbols(space: &Space, term: TermId) -> HashSet<TermId> {
    let names = space.pool.free_names(&[term]).symbols;
    names.into_iter().map(|symbol| space.pool.symbol_term(symbol)).collect()
}

fn owner(space: &mut Space) -> Result<FunctionId, LogicError> {
    space.pool.function("alias.owner", &[Sort::BitVec(64)], Sort::BitVec(16))
}

/// Objects with names are not behind such a pointer.
fn of_objects(space: &mut Space) -> Result<Vec<TermId>, LogicError> {
    let owner = owner(space)?;
    let mut all = vec![];
    let bases: Vec<(TermId, TermId)> = space.objects().iter().map(|o| (o.base, o.size)).collect();
    for (base, size) in bases {
        let bytes = space.constant(size).filter(|size| *size <= LONGEST).unwrap_or(1);
        let mut of_object = BTreeSet::new();
        add_bytes(space, base, bytes, &mut of_object)?;
        for address in of_object {
            let whose = space.pool.call(owner, &[address])?;
            let nobody = space.pool.bits(16, 0)?;
            all.push(space.pool.eq(whose, nobody)?);
        }
    }
    Ok(all)
}

fn add_bytes(
    space: &mut Space,
    start: TermId,
    count: u64,
    to: &mut BTreeSet<TermId>,
) -> Result<(), LogicError> {
    for offset in 0..count {
        let offset = space.pool.bits(64, offset.into())?;
        let address = space.pool.bv_add(start, offset)?;
        to.insert(space.tidy(address)?);
    }
    Ok(())
}
