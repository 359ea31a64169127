//! Facts about what is in memory: a variable is the contents of a place that the code reads, two such places hold the
//! same, or a place can be read at all.
//!
//! Places are taken from the code: the addresses of reads in the step of a node, as expressions over the variables of
//! one side.

use super::given::Given;
use super::invariant::{Invariant, Terms, Var};
use std::collections::BTreeMap;
use verdiff_logic::{LogicError, Op, TermId};
use verdiff_symex::memory::MemoryId;
use verdiff_symex::space::Space;

/// More places are not looked at.
const MOST_PLACES: usize = 8;

/// That a place in memory holds something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    pub held: Held,
    pub place: ReadPlace,
    /// What is equal, for people; variables are named by whoever prints.
    pub text: [Option<String>; 2],
}

/// What a place holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// The value of a variable; `signed` is how what is in memory is extended to it.
    Variable { var: Var, signed: bool },
    /// What another place holds, of as many bytes.
    Place(ReadPlace),
    /// Anything: a read of it does not trap. Of use where nothing is known of pointers.
    Something,
}

impl Contents {
    /// What it says, with the variables of the node's symbols replaced, and of these memories.
    pub fn said_of(
        &self,
        space: &mut Space,
        symbols: &Terms<'_>,
        terms: &Terms<'_>,
        memory: [&[MemoryId]; 2],
    ) -> Result<TermId, LogicError> {
        if self.held == Held::Something {
            return self.place.is_readable(space, symbols, terms, memory);
        }
        let read = self.place.read(space, symbols, terms, memory)?;
        match self.held {
            Held::Something => Ok(space.pool.truth()),
            Held::Place(other) => {
                let other = other.read(space, symbols, terms, memory)?;
                space.pool.eq(other, read)
            }
            Held::Variable { var, signed } => {
                let value = var.term(space, terms)?;
                let read = match (var.width - 8 * self.place.bytes, signed) {
                    (0, _) => read,
                    (more, true) => space.pool.sign_extend(more, read)?,
                    (more, false) => space.pool.zero_extend(more, read)?,
                };
                space.pool.eq(value, read)
            }
        }
    }

    /// The fact as text, by the names of variables.
    pub fn text(&self, names: &dyn Fn(Var) -> String) -> String {
        let [held, place] = &self.text;
        if self.held == Held::Something {
            return format!("{} can be read", place.as_deref().unwrap_or_default());
        }
        let held = match (self.held, held) {
            (Held::Variable { var, .. }, _) => names(var),
            (_, text) => text.clone().unwrap_or_default(),
        };
        format!("{held} == {}", place.as_deref().unwrap_or_default())
    }
}

impl Invariant {
    /// Drops that a place holds what another one does, if equations say that both are the same: with equal memory that says
    /// nothing, and it is hard to show.
    pub fn drop_same_places(
        &mut self,
        space: &mut Space,
        terms: &Terms<'_>,
    ) -> Result<(), LogicError> {
        let symbols = self.substitution(space, terms)?;
        let given = Given { symbols, ..Given::default() };
        for contents in std::mem::take(&mut self.contents) {
            if let Held::Place(other) = contents.held
                && given.put(space, other.address)? == given.put(space, contents.place.address)?
            {
                continue;
            }
            self.contents.push(contents);
        }
        Ok(())
    }
}

/// A place that the code of one side reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadPlace {
    /// Whose memory, and in which region.
    pub side: usize,
    pub region: usize,
    /// Over the symbols of the node.
    pub address: TermId,
    pub bytes: u32,
    /// How many bytes a cell of the region has.
    pub cell: u32,
}

impl ReadPlace {
    /// What is there, with the variables of the node's symbols replaced.
    fn read(
        &self,
        space: &mut Space,
        symbols: &Terms<'_>,
        terms: &Terms<'_>,
        memory: [&[MemoryId]; 2],
    ) -> Result<TermId, LogicError> {
        let address = self.address_of(space, symbols, terms)?;
        // Of one cell: memory is an array of cells by address, whatever the address.
        space.read(memory[self.side][self.region], address, self.bytes, self.bytes == self.cell)
    }

    fn address_of(
        &self,
        space: &mut Space,
        symbols: &Terms<'_>,
        terms: &Terms<'_>,
    ) -> Result<TermId, LogicError> {
        let both = [0, 1].into_iter().flat_map(|side| {
            symbols.values[side].iter().copied().zip(terms.values[side].iter().copied())
        });
        let places: BTreeMap<TermId, TermId> = both.collect();
        let address = space.pool.substitute(self.address, &places.into_iter().collect())?;
        space.tidy(address)
    }

    /// That reading it does not trap.
    fn is_readable(
        &self,
        space: &mut Space,
        symbols: &Terms<'_>,
        terms: &Terms<'_>,
        memory: [&[MemoryId]; 2],
    ) -> Result<TermId, LogicError> {
        let address = self.address_of(space, symbols, terms)?;
        let there = space.is_accessible(address, self.bytes)?;
        let set = space.is_defined(memory[self.side][self.region], address, self.bytes)?;
        space.and(&[there, set])
    }
}

/// The places in the entry memory of one side that terms read, where the address speaks of that side's variables
/// alone. `arrays` are the entry memories by region, with the bytes of their cells.
pub fn read_places(
    space: &Space,
    side: usize,
    arrays: &[(TermId, u32)],
    symbols: &[TermId],
    roots: &[TermId],
) -> Vec<ReadPlace> {
    let pool = &space.pool;
    let mut found: Vec<ReadPlace> = vec![];
    for term in pool.sub_terms(roots) {
        if pool.op(term) != Op::Select {
            continue;
        }
        let [array, address] = pool.operands(term) else { continue };
        let Some(region) = arrays.iter().position(|(known, _)| known == array) else { continue };
        let names = pool.free_names(&[*address]);
        let own = names.symbols.iter().all(|symbol| symbols.contains(&pool.symbol_term(*symbol)));
        let place = ReadPlace {
            side,
            region,
            address: *address,
            bytes: arrays[region].1,
            cell: arrays[region].1,
        };
        if own && !names.symbols.is_empty() && !found.contains(&place) {
            found.push(place);
        }
    }
    found.truncate(MOST_PLACES);
    found
}
