//! What is given and shown of the memories at a node. What is given is put into terms: variables that equations determine
//! are replaced, memories that are equal become one array, and what is read from a memory that is known in part becomes
//! what is known.

use super::invariant::Invariant;
use super::runs::Point;
use super::step::{Pairing, Step, Stepping};
use std::collections::BTreeMap;
use verdiff_logic::{Assignment, LogicError, Op, Sort, TermId, Value};
use verdiff_symex::regions::Cell;
use verdiff_symex::space::Space;

/// What is given.
#[derive(Default)]
pub struct Given {
    /// Symbols, and what they are.
    pub symbols: BTreeMap<TermId, TermId>,
    /// Arrays of which something is known at each address.
    pub arrays: Vec<Known>,
}

/// An array that is another one at all addresses but those of a range.
pub struct Known {
    pub array: TermId,
    pub other: TermId,
    /// The array itself, under another name: what is in the range.
    pub inside: TermId,
    /// Where the range begins, and how many bytes it has; the symbols above are replaced in them.
    pub low: TermId,
    pub length: TermId,
}

impl Given {
    /// A term with all that is given put in.
    pub fn put(&self, space: &mut Space, term: TermId) -> Result<TermId, LogicError> {
        let map = self.symbols.iter().map(|(a, b)| (*a, *b)).collect();
        let mut term = space.pool.substitute(term, &map)?;
        if !self.arrays.is_empty() {
            term = self.read(space, term)?;
        }
        space.tidy(term)
    }

    /// The variables at a target in a model, by their terms and whether they have values.
    pub fn point(
        &self,
        space: &mut Space,
        model: &Assignment,
        [values, flags]: [&[Vec<TermId>; 2]; 2],
    ) -> Result<Option<Point>, LogicError> {
        let mut found: Point = [vec![], vec![]];
        for side in 0..2 {
            for (value, flag) in values[side].iter().zip(&flags[side]) {
                let (value, flag) = (self.put(space, *value)?, self.put(space, *flag)?);
                let number = match space.pool.eval(value, model)? {
                    Value::Bits(bits) => bits.to_u128(),
                    Value::Bool(truth) => Some(u128::from(truth)),
                    _ => None,
                };
                let Some(number) = number else { return Ok(None) };
                let set = space.pool.eval(flag, model)?.as_bool() == Some(true);
                found[side].push(set.then_some(number));
            }
        }
        Ok(Some(found))
    }

    /// Each read of an array of which something is known, by what is known at its address. Inner reads come first.
    fn read(&self, space: &mut Space, term: TermId) -> Result<TermId, LogicError> {
        let mut map = Default::default();
        for read in space.pool.sub_terms(&[term]) {
            if space.pool.op(read) != Op::Select {
                continue;
            }
            let [array, address] = *space.pool.operands(read) else { continue };
            let Some(known) = self.arrays.iter().find(|known| known.array == array) else {
                continue;
            };
            let address = space.pool.substitute(address, &map)?;
            map.insert(read, known.at(space, address)?);
        }
        space.pool.substitute(term, &map)
    }
}

impl Known {
    fn at(&self, space: &mut Space, address: TermId) -> Result<TermId, LogicError> {
        let distance = space.sub(address, self.low)?;
        let distance = space.tidy(distance)?;
        let within = space.pool.bv_ult(distance, self.length)?;
        let within = space.tidy(within)?;
        let (inside, other) =
            (space.pool.select(self.inside, address)?, space.pool.select(self.other, address)?);
        space.ite(within, inside, other)
    }
}

impl Stepping<'_, '_> {
    /// For each region that both sides must have equal at a target, or equal but for a range: when they have not. The index
    /// is fresh, so that equality holds everywhere if it holds there.
    pub fn memory_differs(
        &mut self,
        pairing: &Pairing,
        goal: &Invariant,
    ) -> Result<Vec<(usize, TermId)>, LogicError> {
        let there = pairing.terms();
        let facts = &self.cut.facts;
        let space = &mut self.product.space;
        let mut found = vec![];
        for region in facts.regions.ids() {
            let (index, info) = (region.index(), facts.regions.info(region));
            let (old, new) = (pairing.memory[0][index], pairing.memory[1][index]);
            if goal.apart.contains(&index) || old == new || info.constant {
                continue;
            }
            let cell = info.cell.bytes();
            let at = space.pool.symbol(&format!("index.{}", info.name), Sort::BitVec(64))?;
            let (a, b) = (space.read_final(old, at, cell)?, space.read_final(new, at, cell)?);
            let mut differs = vec![space.pool.ne(a, b)?];
            if let Cell::Words(bytes) = info.cell {
                let low = space.pool.bits(64, u128::from(bytes - 1))?;
                let (low, zero) = (space.pool.bv_and(at, low)?, space.pool.bits(64, 0)?);
                differs.push(space.pool.eq(low, zero)?);
            }
            if let Some(range) = goal.except.get(&index) {
                let within = range.contains(space, &there, at)?;
                differs.push(space.not(within)?);
            }
            found.push((index, space.and(&differs)?));
        }
        Ok(found)
    }

    /// The regions that a step writes, on any side.
    pub fn written(&self, step: &Step) -> Vec<usize> {
        let regions = &self.cut.facts.regions;
        let written = |region: &usize| {
            step.pairings.iter().any(|pairing| {
                (0..2).any(|side| pairing.memory[side][*region] != step.at[side].memory[*region])
            })
        };
        let usual = regions.ids().filter(|id| !regions.info(*id).constant).map(|id| id.index());
        usual.filter(written).collect()
    }

    /// How many bytes a cell of a region has.
    pub fn cell(&self, region: usize) -> u32 {
        self.cells()[region]
    }

    /// What is given of the memories at a node.
    pub fn given_memory(
        &mut self,
        step: &Step,
        invariant: &Invariant,
        given: &mut Given,
    ) -> Result<(), LogicError> {
        let facts = &self.cut.facts;
        let names: Vec<String> =
            facts.regions.ids().map(|id| facts.regions.info(id).name.clone()).collect();
        let (terms, space) = (step.terms(), &mut self.product.space);
        let arrays = step.at[0].arrays.iter().zip(&step.at[1].arrays);
        for (region, (old, new)) in arrays.enumerate() {
            if invariant.apart.contains(&region) || old == new {
                continue;
            }
            let Some(range) = invariant.except.get(&region) else {
                given.symbols.insert(*new, *old);
                continue;
            };
            let low = range.low.term(space, &terms)?;
            let length = range.length.term(space, &terms)?;
            let name = format!("new.memory.{}.inside", names[region]);
            let inside = space.pool.symbol(&name, space.pool.sort(*new))?;
            given.arrays.push(Known { array: *new, other: *old, inside, low, length });
        }
        // Ranges speak of variables that equations determine.
        let map = given.symbols.iter().map(|(a, b)| (*a, *b)).collect();
        for known in &mut given.arrays {
            known.low = space.pool.substitute(known.low, &map)?;
            known.length = space.pool.substitute(known.length, &map)?;
        }
        Ok(())
    }
}
