//! Whole objects instead of their bytes.
//!
//! A condition reads memory byte by byte: `q->count == 16` is four comparisons of `(select memory.outside (bvadd q 4))` and its neighbours,
//! and `q->count % 16` reads one byte alone. C has names for objects, not for bytes. So each scalar object of which a byte is read becomes a symbol, its
//! bytes become parts of that symbol, and the simplifier puts together what belongs together. What is behind a pointer that was read from memory has its turn
//! once that pointer is a symbol itself.
//!
//! Soundness: the symbol stands for the concatenation of all bytes of the object (`definitions`), so nothing is lost as long as the solver knows
//! the definitions. It is told them where two objects can be the same; where none can, symbols that may have any value are all that there is.

use super::lvalues::{Lvalues, address, global, is_entry_memory};
use super::paths::{ObjectPath, named, object_behind, object_within};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{
    EntrySymbol, LogicError, Named, Names, Nature, Op, TermId, TermPool, c_expression,
    c_value_expression,
};
use verdiff_model::{CTypeId, Procedure, Program};

/// How many objects a condition may speak of that anybody reads.
const MOST: usize = 24;
/// How many pointers may be followed one after another.
const DEEPEST: usize = 5;

/// The streams of the C library.
const STREAMS: [&str; 3] = ["stdin", "stdout", "stderr"];

/// What is known of the terms that have names.
#[derive(Clone, Default)]
pub(super) struct KnownObject {
    pub(super) names: Names,
    /// The types of what pointers point to.
    pub(super) targets: BTreeMap<TermId, CTypeId>,
    /// For each place behind a pointer, the pointer.
    pub(super) through: BTreeMap<TermId, TermId>,
}

/// An object that became a symbol.
struct Object {
    array: TermId,
    /// Which address it is relative to: the pointer and the index.
    base: (TermId, Option<(TermId, u64)>),
    start: i128,
    bytes: u64,
    symbol: TermId,
    address: TermId,
}

/// The conditions with symbols for objects.
pub(super) struct Objects {
    /// The conditions, in the order in which they were given.
    pub(super) conditions: Vec<TermId>,
    pub(super) known: KnownObject,
    /// That objects at the same address are the same.
    pub(super) same: Vec<TermId>,
    /// What the symbols stand for.
    pub(super) definitions: Vec<TermId>,
    /// Whether that matters: two objects may be the same.
    pub(super) may_alias: bool,
    all: Vec<Object>,
}

impl Objects {
    pub(super) fn of(
        pool: &mut TermPool,
        program: &Program,
        procedure: &Procedure,
        conditions: &[TermId],
    ) -> Result<Objects, LogicError> {
        let mut objects = Objects {
            conditions: conditions.to_vec(),
            known: KnownObject::default(),
            same: vec![],
            definitions: vec![],
            may_alias: false,
            all: vec![],
        };
        // An index is written with the names of what it is made of, so it has its turn when there is nothing else.
        for _ in 0..DEEPEST {
            let at_pointers = objects.round(pool, program, procedure, false)?;
            if !at_pointers && !objects.round(pool, program, procedure, true)? {
                break;
            }
        }
        objects.aliases(pool)?;
        Ok(objects)
    }

    /// Names the objects behind the pointers that have a name by now; whether there were any.
    fn round(
        &mut self,
        pool: &mut TermPool,
        program: &Program,
        procedure: &Procedure,
        indexed: bool,
    ) -> Result<bool, LogicError> {
        let known = Lvalues::of(pool, program, procedure, &self.conditions, &self.known).known;
        let mut parts = vec![];
        let several = self.several(pool, program, &known);
        for term in pool.sub_terms(&self.conditions) {
            if pool.op(term) != Op::Select || !is_entry_memory(pool, pool.operands(term)[0]) {
                continue;
            }
            let place = address(pool, pool.operands(term)[1]);
            if place.is_none_or(|place| place.scaled.is_some() != indexed) {
                continue;
            }
            if let Some((symbol, low)) =
                self.object(pool, (program, procedure), &known, &several, term)?
            {
                let width = pool.sort(term).width().unwrap_or(8);
                let part = pool.extract(low + width - 1, low, symbol)?;
                parts.push((term, part));
            }
        }
        if parts.is_empty() {
            return Ok(false);
        }
        let parts = parts.into_iter().collect();
        self.conditions = pool.substitute_all(&self.conditions, &parts)?;
        for condition in &mut self.conditions {
            *condition = pool.simplify(*condition);
        }
        Ok(true)
    }

    /// The pointers behind which more than one element is read.
    fn several(&self, pool: &TermPool, program: &Program, known: &KnownObject) -> BTreeSet<TermId> {
        let mut elements: BTreeMap<TermId, BTreeSet<i128>> = BTreeMap::new();
        for term in pool.sub_terms(&self.conditions) {
            if pool.op(term) == Op::Select
                && let Some(place) = address(pool, pool.operands(term)[1])
                && let Some(size) =
                    known.targets.get(&place.base).and_then(|t| program.ctypes.size(*t))
            {
                let element = place.offset.div_euclid(i128::from(size.max(1)));
                elements.entry(place.base).or_default().insert(element);
            }
        }
        elements.retain(|_, elements| elements.len() > 1);
        elements.into_keys().collect()
    }

    /// The object that a cell is part of, and at which of its bits the cell begins.
    fn object(
        &mut self,
        pool: &mut TermPool,
        (program, procedure): (&Program, &Procedure),
        known: &KnownObject,
        several: &BTreeSet<TermId>,
        cell: TermId,
    ) -> Result<Option<(TermId, u32)>, LogicError> {
        let types = &program.ctypes;
        let [array, at] = pool.operands(cell)[..] else { return Ok(None) };
        let Some(step) = pool.sort(cell).width().map(|width| u64::from(width / 8)) else {
            return Ok(None);
        };
        let Some(place) = address(pool, at) else { return Ok(None) };
        let scale = place.scaled.map(|(_, scale)| scale);
        let global = global(pool, program, procedure, place.base);
        let offset = u64::try_from(place.offset).ok();
        let found = match (global.and_then(|g| g.ctype), offset) {
            // The compiler tells no type of variables that others define; of these everybody knows it.
            (_, Some(0..8)) if scale.is_none() && is_stream(pool, place.base) => {
                let name = address_of(pool, place.base).unwrap_or_default();
                Some(ObjectPath::pointer(name, place.offset as u64))
            }
            (Some(ctype), Some(offset)) => {
                let name = address_of(pool, place.base).unwrap_or_default();
                object_within(types, name, ctype, offset, scale)
            }
            _ => known.names.get(&place.base).zip(known.targets.get(&place.base)).and_then(
                |(pointer, target)| {
                    let starred = !several.contains(&place.base) && types.size(*target) != Some(1);
                    let (code, offset) = (&pointer.code, place.offset);
                    object_behind(types, code, *target, offset, scale, starred)
                },
            ),
        };
        let Some(found) = found else { return Ok(None) };
        let (start, bytes) = (place.offset - i128::from(found.inside), found.bytes);
        if bytes % step != 0 || found.inside % step != 0 || step == 0 {
            return Ok(None);
        }
        let low = 8 * found.inside as u32;
        let base = (place.base, place.scaled);
        let is_it =
            |o: &&Object| (o.array, o.base, o.start, o.bytes) == (array, base, start, bytes);
        if let Some(object) = self.all.iter().find(is_it) {
            return Ok(Some((object.symbol, low)));
        }
        let index = match place.scaled {
            Some((index, _)) => match index_text(pool, index, &known.names) {
                Some(text) => Some(text),
                None => return Ok(None),
            },
            None => None,
        };
        let rank = procedure.params.len() + known.names.len() + self.all.len();
        let code = found.code(index.as_deref());
        let named = match found.ctype {
            Some(ctype) => named(types, code, ctype, rank),
            None => Some(Named { code, signed: false, nature: Nature::Pointer(0), rank }),
        };
        let Some(named) = named.filter(|_| self.all.len() < MOST) else { return Ok(None) };
        let symbol = pool.fresh_symbol("object", verdiff_logic::Sort::BitVec(8 * bytes as u32))?;
        let first = pool.bits_signed(64, -i128::from(found.inside))?;
        let first = pool.bv_add(at, first)?;
        let address = pool.simplify(first);
        let mut whole: Option<TermId> = None;
        for number in 0..bytes / step {
            let offset = pool.bits(64, u128::from(number * step))?;
            let here = pool.bv_add(address, offset)?;
            let here = pool.simplify(here);
            let part = pool.select(array, here)?;
            whole = Some(match whole {
                Some(lower) => pool.concat(part, lower)?,
                None => part,
            });
        }
        let Some(whole) = whole else { return Ok(None) };
        let definition = pool.eq(symbol, whole)?;
        self.definitions.push(definition);
        let target = found.ctype.and_then(|c| types.target(c));
        self.known.targets.extend(target.map(|target| (symbol, target)));
        self.known.names.insert(symbol, named);
        if address_of(pool, place.base).is_none() {
            self.known.through.insert(symbol, place.base);
        }
        self.all.push(Object { array, base, start, bytes, symbol, address });
        Ok(Some((symbol, low)))
    }

    /// Where two objects may be the same, what that means; where none may, the definitions are not needed.
    fn aliases(&mut self, pool: &mut TermPool) -> Result<(), LogicError> {
        self.may_alias = pool.sub_terms(&self.conditions).iter().any(|t| pool.op(*t) == Op::Select);
        for (number, a) in self.all.iter().enumerate() {
            for b in &self.all[number + 1..] {
                if a.array != b.array || a.base == b.base {
                    continue;
                }
                self.may_alias = true;
                if a.bytes == b.bytes {
                    let apart = pool.ne(a.address, b.address)?;
                    let equal = pool.eq(a.symbol, b.symbol)?;
                    self.same.push(pool.or(&[apart, equal])?);
                }
            }
        }
        Ok(())
    }
}

/// The variable that a symbol is the address of.
fn address_of(pool: &TermPool, base: TermId) -> Option<&str> {
    match EntrySymbol::of(pool.symbol_name(pool.as_symbol(base)?)) {
        EntrySymbol::Address(name) => Some(name),
        _ => None,
    }
}

fn is_stream(pool: &TermPool, base: TermId) -> bool {
    address_of(pool, base).is_some_and(|name| STREAMS.contains(&name))
}

/// An index as C: what was made wider is as good as it was before.
pub(super) fn index_text(pool: &TermPool, index: TermId, names: &Names) -> Option<String> {
    match pool.op(index) {
        Op::ZeroExtend(_) => c_value_expression(pool, pool.operands(index)[0], names, false),
        Op::SignExtend(_) => c_value_expression(pool, pool.operands(index)[0], names, true),
        _ => c_expression(pool, index, names),
    }
}
