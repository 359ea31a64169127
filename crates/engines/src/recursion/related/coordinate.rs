//! The arguments of a pair of calls, and the numbers that equations are about.

use verdiff_logic::{LogicError, Sort, TermId};
use verdiff_symex::space::Space;

/// The arguments of a pair of calls as numbers; `None` where one has no value.
pub type ArgumentPoint = [Vec<Option<u128>>; 2];

/// The arguments of a pair of calls as terms, and whether they have values.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    pub args: [&'a [TermId]; 2],
    pub flags: [&'a [TermId]; 2],
}

/// One parameter of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SideParameter {
    pub side: usize,
    pub param: usize,
    pub width: u32,
    pub pointer: bool,
}

impl SideParameter {
    /// All parameters of these widths, and whether they are pointers.
    pub fn all(widths: &[Vec<(u32, bool)>; 2]) -> Vec<SideParameter> {
        let of = |side: usize| {
            let widths = widths[side].iter().enumerate();
            widths.map(move |(param, (width, pointer))| SideParameter {
                side,
                param,
                width: *width,
                pointer: *pointer,
            })
        };
        of(0).chain(of(1)).collect()
    }

    /// Its number; zero where it has no value.
    pub fn value(self, point: &ArgumentPoint) -> u128 {
        point[self.side][self.param].unwrap_or(0)
    }

    /// Its number, taken as signed.
    pub fn signed(self, point: &ArgumentPoint) -> i128 {
        signed(self.value(point), self.width)
    }

    /// Its term.
    pub fn term(self, terms: &Terms<'_>) -> TermId {
        terms.args[self.side][self.param]
    }

    /// Its term, made as wide as that.
    pub fn wide(
        self,
        space: &mut Space,
        terms: &Terms<'_>,
        width: u32,
        signed: bool,
    ) -> Result<TermId, LogicError> {
        let more = width - self.width;
        match signed {
            _ if more == 0 => Ok(self.term(terms)),
            true => space.pool.sign_extend(more, self.term(terms)),
            false => space.pool.zero_extend(more, self.term(terms)),
        }
    }
}

/// A number in an equation of some width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinate {
    /// A parameter, extended if it is narrower.
    Param { place: SideParameter, signed: bool },
    /// The product of two parameters of that width.
    Product(SideParameter, SideParameter),
}

impl Coordinate {
    /// Its number.
    pub fn value(self, point: &ArgumentPoint) -> u64 {
        match self {
            Coordinate::Param { place, signed: true } => place.signed(point) as u64,
            Coordinate::Param { place, signed: false } => place.value(point) as u64,
            Coordinate::Product(a, b) => {
                (a.value(point) as u64).wrapping_mul(b.value(point) as u64)
            }
        }
    }

    /// Its term.
    pub fn term(
        self,
        space: &mut Space,
        terms: &Terms<'_>,
        width: u32,
    ) -> Result<TermId, LogicError> {
        match self {
            Coordinate::Param { place, signed } => place.wide(space, terms, width, signed),
            Coordinate::Product(a, b) => space.pool.bv_mul(a.term(terms), b.term(terms)),
        }
    }

    /// The parameter, if it is one of just that width.
    pub fn whole(self, width: u32) -> Option<SideParameter> {
        match self {
            Coordinate::Param { place, .. } if place.width == width => Some(place),
            _ => None,
        }
    }

    /// Whether it has a number of a side in it.
    pub fn is_of(self, side: usize) -> bool {
        match self {
            Coordinate::Param { place, .. } => place.side == side,
            Coordinate::Product(a, b) => a.side == side || b.side == side,
        }
    }

    /// Whether all in it surely has a value.
    pub fn is_set(self, flags: &[Vec<TermId>; 2], truth: TermId) -> bool {
        let set = |place: SideParameter| flags[place.side][place.param] == truth;
        match self {
            Coordinate::Param { place, .. } => set(place),
            Coordinate::Product(a, b) => set(a) && set(b),
        }
    }
}

/// The width of a term that stands for an argument; `None` if it is no number.
pub fn width_of(space: &Space, term: TermId) -> Option<u32> {
    match space.pool.sort(term) {
        Sort::BitVec(width) if width <= 128 => Some(width),
        _ => None,
    }
}

/// A number of so many bits, taken as signed.
pub fn signed(value: u128, width: u32) -> i128 {
    let shift = 128 - width;
    ((value << shift) as i128) >> shift
}
