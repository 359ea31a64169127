//! Which terms of a condition are places in memory, and what C calls them.
//!
//! A condition reads memory at entry: `(select memory.outside (bvadd s 1))`, byte by byte where the region has bytes. A read
//! at a fixed distance from a pointer that has a name has one itself, by the pointer's C type.

use super::objects::{KnownObject, index_text};
use super::paths::{Path, behind, named, part, raw};
use verdiff_logic::{EntrySymbol, Named, Nature, Op, Sort, TermId, TermPool};
use verdiff_model::{CType, CTypeId, Global, Procedure, Program};

/// How a struct in registers is cut into pieces.
const PIECE: &str = ".coerce";

/// What clang calls the place where a large struct is returned.
pub(super) const RESULT: &str = "agg.result";

/// A read of memory: where, and how many bytes.
#[derive(Clone, Copy)]
struct Read {
    term: TermId,
    address: TermId,
    bytes: u64,
}

/// What an address is made of.
pub(super) struct Address {
    pub(super) base: TermId,
    pub(super) offset: i128,
    /// What is added besides, and how many bytes each counts.
    pub(super) scaled: Option<(TermId, u64)>,
}

/// The parameter of the source that a symbol is a part of, which eightbyte of it, and which lane of that: `p.coerce1.0` is
/// the first lane of the second eightbyte of `p`, `v.3` the last lane of a vector. No C name has a dot in it.
fn in_registers(name: &str) -> Option<(&str, u64, u64)> {
    let number = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse().ok() };
    match name.split_once(PIECE) {
        Some((object, rest)) => {
            let (piece, lane) = rest.split_once('.').unwrap_or((rest, ""));
            Some((object, number(piece)?, number(lane)?))
        }
        None => {
            let (object, lane) = name.split_once('.')?;
            Some((object, 0, lane.parse().ok()?))
        }
    }
}

/// Finds names for the terms of conditions.
pub(super) struct Lvalues<'a> {
    pub(super) pool: &'a TermPool,
    pub(super) program: &'a Program,
    pub(super) procedure: &'a Procedure,
    pub(super) known: KnownObject,
}

impl<'a> Lvalues<'a> {
    /// Names for parameters, parts of parameters, globals and memory behind pointers.
    pub(super) fn of(
        pool: &'a TermPool,
        program: &'a Program,
        procedure: &'a Procedure,
        roots: &[TermId],
        known: &KnownObject,
    ) -> Lvalues<'a> {
        let mut places = Lvalues { pool, program, procedure, known: known.clone() };
        places.parameters();
        let terms = pool.sub_terms(roots);
        places.pieces(&terms);
        for term in &terms {
            if let Some(global) = places.global(*term) {
                let size = global.ctype.and_then(|c| program.ctypes.size(c)).unwrap_or(0);
                let (code, nature) = (format!("&{}", global.name), Nature::Pointer(size));
                let named = Named { code, signed: false, nature, rank: places.rank() };
                places.known.names.insert(*term, named);
            }
        }
        // Operands come first, so a pointer in memory has its name before what is behind it.
        let reads: Vec<Read> = terms.iter().filter_map(|t| read(pool, *t)).collect();
        let addresses: Vec<Option<Address>> =
            reads.iter().map(|r| address(pool, r.address)).collect();
        for (read, address) in reads.iter().zip(&addresses) {
            let Some(address) = address else { continue };
            let same = |other: &Option<Address>| {
                other.as_ref().is_some_and(|o| o.base == address.base && o.offset != address.offset)
            };
            let alone = !addresses.iter().any(same);
            if let Some((named, target)) = places.place(read, address, alone) {
                places.known.names.insert(read.term, named);
                places.known.targets.extend(target.map(|target| (read.term, target)));
                if places.known.names.contains_key(&address.base)
                    && places.global(address.base).is_none()
                {
                    places.known.through.insert(read.term, address.base);
                }
            }
        }
        places
    }

    fn parameters(&mut self) {
        let types = &self.program.ctypes;
        for (rank, param) in self.procedure.params.iter().enumerate() {
            let var = self.procedure.var(*param);
            let (Some(symbol), Some(ctype)) = (self.pool.find_symbol(&var.name), var.ctype) else {
                continue;
            };
            let term = self.pool.symbol_term(symbol);
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            if let Some(named) = named(types, var.name.clone(), ctype, rank)
                && var.name.chars().all(is_word)
                && fits(self.pool, term, types.size(ctype))
            {
                self.known.names.insert(term, named);
                self.known.targets.extend(types.target(ctype).map(|target| (term, target)));
            }
        }
    }

    /// Parts of structs and vectors that arrive in registers.
    fn pieces(&mut self, terms: &[TermId]) {
        let types = &self.program.ctypes;
        let mut found = vec![];
        for term in terms {
            let (symbol, low, width) = match self.pool.op(*term) {
                Op::Extract { high, low } => (self.pool.operands(*term)[0], low, high - low + 1),
                Op::Symbol(_) => (*term, 0, self.pool.sort(*term).width().unwrap_or(0)),
                _ => continue,
            };
            let Some(id) = self.pool.as_symbol(symbol) else { continue };
            let Some((object, piece, lane)) = in_registers(self.pool.symbol_name(id)) else {
                continue;
            };
            let lane_bytes = u64::from(self.pool.sort(symbol).width().unwrap_or(0) / 8);
            let at = 8 * piece + lane * lane_bytes + u64::from(low / 8);
            if let Some(ctype) = self.source_type(object)
                && low % 8 == 0
                && width % 8 == 0
                && let Some(path) = part(types, object, ctype, at, (width / 8).into())
            {
                found.push((*term, path));
            }
        }
        for (term, path) in found {
            self.note(term, path);
        }
    }

    /// The C type of a parameter of the source, by its position there: pieces of one count once.
    fn source_type(&self, name: &str) -> Option<CTypeId> {
        let types = &self.program.ctypes;
        let whole = |p: &verdiff_model::VarId| {
            let name = self.procedure.var(*p).name.as_str();
            in_registers(name).map_or(name, |(object, _, _)| object)
        };
        let mut sources: Vec<&str> = self.procedure.params.iter().map(whole).collect();
        sources.retain(|source| *source != RESULT);
        sources.dedup();
        let CType::Function { parameters, .. } = types.get(types.resolve(self.procedure.ctype?))
        else {
            return None;
        };
        let position = sources.iter().position(|source| *source == name)?;
        parameters.get(position).copied().filter(|_| parameters.len() == sources.len())
    }

    /// Parameters come first, then what is found in them or behind them.
    fn rank(&self) -> usize {
        self.procedure.params.len() + self.known.names.len()
    }

    fn note(&mut self, term: TermId, Path { code, ctype }: Path) {
        if let Some(named) = named(&self.program.ctypes, code, ctype, self.rank()) {
            self.known.names.insert(term, named);
            self.known.targets.extend(self.program.ctypes.target(ctype).map(|t| (term, t)));
        }
    }

    /// The name of what is read, and what it points to.
    fn place(
        &self,
        read: &Read,
        address: &Address,
        alone: bool,
    ) -> Option<(Named, Option<CTypeId>)> {
        let types = &self.program.ctypes;
        if let Some(global) = self.global(address.base) {
            let offset = u64::try_from(address.offset).ok().filter(|_| address.scaled.is_none())?;
            let path = part(types, &global.name, global.ctype?, offset, read.bytes)?;
            let named = named(types, path.code, path.ctype, self.rank())?;
            return Some((named, types.target(path.ctype)));
        }
        let pointer = self.known.names.get(&address.base)?;
        let text = match pointer.code.starts_with('*') {
            true => format!("({})", pointer.code),
            false => pointer.code.clone(),
        };
        let target = *self.known.targets.get(&address.base)?;
        let index = match address.scaled {
            None => None,
            Some((term, scale)) if types.size(target) == Some(scale) => {
                Some(index_text(self.pool, term, &self.known.names)?)
            }
            Some(_) => return None,
        };
        let starred = alone && !matches!(pointer.nature, Nature::Pointer(1));
        let (offset, bytes) = (address.offset, read.bytes);
        let path = behind(types, &text, target, offset, bytes, index.as_deref(), starred);
        match path
            .and_then(|path| Some((named(types, path.code, path.ctype, self.rank())?, path.ctype)))
        {
            Some((named, ctype)) => Some((named, types.target(ctype))),
            None if index.is_none() => Some((raw(&text, offset, bytes, self.rank())?, None)),
            None => None,
        }
    }

    /// The global whose address a symbol is, if C can name it here.
    pub(super) fn global(&self, base: TermId) -> Option<&'a Global> {
        global(self.pool, self.program, self.procedure, base)
    }
}

/// The global whose address a symbol is, if C can name it in a procedure.
pub(super) fn global<'p>(
    pool: &TermPool,
    program: &'p Program,
    procedure: &Procedure,
    base: TermId,
) -> Option<&'p Global> {
    let symbol = pool.symbol_name(pool.as_symbol(base)?);
    let EntrySymbol::Address(name) = EntrySymbol::of(symbol) else { return None };
    let same = |g: &&Global| g.name == name && g.owner.is_none();
    let mut all = program.globals.iter().filter(same);
    // A parameter of the same name hides it.
    let hidden = procedure.params.iter().any(|p| procedure.var(*p).name == name);
    all.next().filter(|_| !hidden && all.next().is_none())
}

/// Whether a symbol is as wide as its type: otherwise it is not the value but something else of it.
fn fits(pool: &TermPool, term: TermId, bytes: Option<u64>) -> bool {
    match pool.sort(term) {
        Sort::Bool => true,
        Sort::BitVec(width) => bytes.is_some_and(|bytes| bytes * 8 == u64::from(width)),
        _ => false,
    }
}

/// Whether an array is the memory of an entry state.
pub(super) fn is_entry_memory(pool: &TermPool, array: TermId) -> bool {
    let name = pool.as_symbol(array).map(|symbol| pool.symbol_name(symbol));
    name.is_some_and(|name| matches!(EntrySymbol::of(name), EntrySymbol::Memory(_)))
}

/// A read of one cell, or of neighbouring cells, lowest address last.
fn read(pool: &TermPool, term: TermId) -> Option<Read> {
    let bytes = |term: TermId| pool.sort(term).width().map(|w| u64::from(w / 8));
    match pool.op(term) {
        Op::Select if is_entry_memory(pool, pool.operands(term)[0]) => {
            Some(Read { term, address: pool.operands(term)[1], bytes: bytes(term)? })
        }
        Op::Concat => {
            let mut parts = vec![term];
            while let Some(at) = parts.iter().position(|t| pool.op(*t) == Op::Concat) {
                let inner = pool.operands(parts[at]).to_vec();
                parts.splice(at..=at, inner);
            }
            let reads: Option<Vec<Read>> = parts.iter().map(|t| read(pool, *t)).collect();
            let reads = reads?;
            let array = |r: &Read| pool.operands(r.term)[0];
            let lowest = *reads.last()?;
            let start = address(pool, lowest.address)?;
            let mut expected = start.offset;
            for read in reads.iter().rev() {
                let here = address(pool, read.address)?;
                let follows = here.base == start.base
                    && here.offset == expected
                    && here.scaled.map(|s| s.0) == start.scaled.map(|s| s.0)
                    && array(read) == array(&lowest);
                if !follows {
                    return None;
                }
                expected += i128::from(read.bytes);
            }
            Some(Read { term, address: lowest.address, bytes: bytes(term)? })
        }
        _ => None,
    }
}

/// The base, the distance and what is multiplied.
pub(super) fn address(pool: &TermPool, term: TermId) -> Option<Address> {
    let summands = match pool.op(term) {
        Op::BvAdd => pool.operands(term).to_vec(),
        _ => vec![term],
    };
    let (mut bases, mut offset, mut scaled) = (vec![], 0i128, None);
    for summand in summands {
        if let Some(value) = pool.as_bits(summand) {
            offset += value.to_i128()?;
        } else if let Some((index, scale)) = multiple(pool, summand) {
            if scaled.replace((index, scale)).is_some() {
                return None;
            }
        } else {
            bases.push(summand);
        }
    }
    match bases[..] {
        [base] => Some(Address { base, offset, scaled }),
        _ => None,
    }
}

/// A multiple of an index, or the index of bytes: what was made wider is no pointer.
fn multiple(pool: &TermPool, term: TermId) -> Option<(TermId, u64)> {
    let operands = pool.operands(term);
    match pool.op(term) {
        Op::BvMul => match *operands {
            [a, b] => match (pool.as_bits(a), pool.as_bits(b)) {
                (Some(scale), None) => Some((b, scale.to_u64()?)),
                (None, Some(scale)) => Some((a, scale.to_u64()?)),
                _ => None,
            },
            _ => None,
        },
        Op::SignExtend(_) | Op::ZeroExtend(_) => Some((term, 1)),
        _ => None,
    }
}
