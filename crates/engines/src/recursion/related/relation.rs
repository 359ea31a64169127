//! What holds between the variables of both versions at a coupled pair of calls.
//!
//! A relation is a guess made from runs, and weakened where a solver finds a pair of calls that breaks it. Nothing rests on
//! how it came about: whatever it says, it is proved from it and used under it.

use super::coordinate::{ArgumentPoint, Coordinate, SideParameter, Terms, signed};
use verdiff_logic::{LogicError, TermId};
use verdiff_product::affine::{Affine, Solved};
use verdiff_symex::space::Space;

/// Parameters further back are not compared with each other.
const MOST_COMPARED: usize = 8;
/// No products are formed of more parameters than this.
const MOST_FACTORS: usize = 5;

/// How two numbers of one side lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Different,
    Less,
    AtMost,
    LessUnsigned,
    AtMostUnsigned,
}

const ORDERS: [Order; 5] =
    [Order::Different, Order::Less, Order::AtMost, Order::LessUnsigned, Order::AtMostUnsigned];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    /// A parameter has a value.
    Set(SideParameter),
    /// Two parameters of one type are equal.
    Equal(SideParameter, SideParameter),
    /// Two parameters; the narrower one extended, as signed or not.
    Compared { order: Order, left: SideParameter, right: SideParameter, signed: bool },
    /// Two parameters, one of each side: both are zero, or neither is.
    ZeroAlike(SideParameter, SideParameter),
    /// A parameter and zero.
    Zero { order: Order, place: SideParameter, swapped: bool },
}

/// What is taken to hold.
#[derive(Clone, Debug)]
pub struct CallRelation {
    pub(super) classes: Vec<(u32, Vec<Coordinate>, Affine)>,
    pub(super) facts: Vec<Fact>,
    /// How many pairs of calls it was learned from.
    pub points: usize,
}

impl CallRelation {
    /// Everything, between parameters of these widths: what holds of no pair of calls.
    pub fn everything(widths: &[Vec<(u32, bool)>; 2]) -> CallRelation {
        let places = SideParameter::all(widths);
        let mut sizes: Vec<u32> = places.iter().map(|p| p.width).filter(|w| *w <= 64).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut classes = vec![];
        for size in sizes {
            let mut coordinates = vec![];
            for place in places.iter().filter(|p| p.width == size || p.width > 1 && p.width < size)
            {
                let signs: &[bool] = if place.width == size { &[false] } else { &[false, true] };
                let with = |signed: &bool| Coordinate::Param { place: *place, signed: *signed };
                coordinates.extend(signs.iter().map(with));
            }
            let affine = Affine::all(size, coordinates.len());
            classes.push((size, coordinates, affine));
        }
        CallRelation { classes, facts: all_facts(&places), points: 0 }
    }

    /// Everything, with products of the parameters that this relation does not determine.
    pub(super) fn with_products(&self, widths: &[Vec<(u32, bool)>; 2]) -> Option<CallRelation> {
        let mut whole = CallRelation::everything(widths);
        let mut any = false;
        for ((size, coordinates, affine), (_, _, known)) in
            whole.classes.iter_mut().zip(&self.classes)
        {
            let solved = known.solved(&pivots(coordinates, *size));
            let free = |n: &usize| !solved.iter().any(|s| s.pivot == Some(*n));
            let factors: Vec<SideParameter> = (0..coordinates.len())
                .filter(free)
                .filter_map(|n| coordinates[n].whole(*size))
                .take(MOST_FACTORS)
                .collect();
            if *size < 8 {
                continue;
            }
            for (n, a) in factors.iter().enumerate() {
                coordinates.extend(factors[n..].iter().map(|b| Coordinate::Product(*a, *b)));
                any = true;
            }
            *affine = Affine::all(*size, coordinates.len());
        }
        any.then_some(whole)
    }

    /// Whether its equations say what a parameter is.
    pub(super) fn determines(&self, place: &SideParameter) -> bool {
        self.classes.iter().any(|(size, coordinates, affine)| {
            let pivot = |s: &Solved| s.pivot.and_then(|n| coordinates[n].whole(*size));
            affine.solved(&pivots(coordinates, *size)).iter().any(|s| pivot(s) == Some(*place))
        })
    }

    /// Whether it says something about the numbers of a side.
    pub(super) fn is_about(&self, side: usize) -> bool {
        let about = |fact: &Fact| fact.compares().iter().any(|place| place.side == side);
        self.facts.iter().any(about) || self.has_equation_about(side)
    }

    /// Whether one of its equations is about the numbers of a side.
    pub(super) fn has_equation_about(&self, side: usize) -> bool {
        self.classes.iter().any(|(size, coordinates, affine)| {
            affine.solved(&pivots(coordinates, *size)).iter().any(|solved| {
                let used = coordinates.iter().zip(&solved.coefficients);
                used.into_iter().any(|(c, factor)| *factor != 0 && c.is_of(side))
            })
        })
    }

    /// Weakens it so that it holds of this pair of calls, too. Whether it did not before.
    pub fn join(&mut self, point: &ArgumentPoint) -> bool {
        self.points += 1;
        let mut changed = false;
        for (_, coordinates, affine) in &mut self.classes {
            let numbers: Vec<u64> = coordinates.iter().map(|c| c.value(point)).collect();
            changed |= affine.join(&numbers);
        }
        let before = self.facts.len();
        self.facts.retain(|fact| fact.holds(point));
        changed || self.facts.len() != before
    }

    /// How far it is from holding of this pair of calls; zero if it does.
    pub fn broken(&self, point: &ArgumentPoint) -> usize {
        let numbers = |list: &[Coordinate]| list.iter().map(|c| c.value(point)).collect::<Vec<_>>();
        let equations = self.classes.iter().map(|(_, list, affine)| affine.broken(&numbers(list)));
        // An equation says more than an order does.
        4 * equations.sum::<usize>() + self.facts.iter().filter(|fact| !fact.holds(point)).count()
    }

    /// Keeps the facts about the numbers of a side, and of the others those that a loop mostly keeps up: signed orders.
    pub(super) fn keep_plain_facts(&mut self, side: Option<usize>) {
        let of = |fact: &Fact, side: usize| fact.compares().iter().any(|place| place.side == side);
        self.facts.retain(|fact| match (side, fact) {
            (Some(side), fact) => of(fact, side),
            (None, Fact::Compared { order, .. }) => matches!(order, Order::Less | Order::AtMost),
            (None, _) => true,
        });
    }

    /// What it says of these arguments.
    pub fn said_of(&self, space: &mut Space, terms: &Terms<'_>) -> Result<Vec<TermId>, LogicError> {
        self.said_where(space, terms, &|_| true)
    }

    /// What it says of the numbers of a side, equations with others included.
    pub(super) fn said_about(
        &self,
        side: usize,
        space: &mut Space,
        terms: &Terms<'_>,
    ) -> Result<Vec<TermId>, LogicError> {
        self.said_where(space, terms, &|coordinate| coordinate.is_of(side))
    }

    /// What it says, equations only if one of their numbers is wanted.
    fn said_where(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
        wanted: &dyn Fn(&Coordinate) -> bool,
    ) -> Result<Vec<TermId>, LogicError> {
        let mut said = vec![];
        for (size, coordinates, affine) in &self.classes {
            for solved in affine.solved(&pivots(coordinates, *size)) {
                let used = coordinates.iter().zip(&solved.coefficients).filter(|(_, f)| **f != 0);
                if !used.map(|(c, _)| c).any(wanted) {
                    continue;
                }
                let equal = equation(space, *size, coordinates, &solved, terms)?;
                said.push(space.tidy(equal)?);
            }
        }
        for fact in &self.facts {
            // What is equal is zero alike.
            if let Fact::ZeroAlike(a, b) = *fact
                && self.facts.contains(&Fact::Equal(a, b))
            {
                continue;
            }
            said.push(fact.term(space, terms)?);
        }
        Ok(said)
    }

    /// Puts what the equations say in the place of arguments that they determine. What they say of these holds then.
    pub fn substitute(
        &self,
        space: &mut Space,
        args: &mut [Vec<TermId>; 2],
        flags: &mut [Vec<TermId>; 2],
    ) -> Result<(), LogicError> {
        let truth = space.pool.truth();
        for fact in &self.facts {
            if let Fact::Set(place) = fact {
                flags[place.side][place.param] = truth;
            }
        }
        // Narrow ones first: wide equations speak of them, extended.
        for (size, coordinates, affine) in &self.classes {
            for solved in affine.solved(&pivots(coordinates, *size)) {
                let Some(place) = solved.pivot.and_then(|n| coordinates[n].whole(*size)) else {
                    continue;
                };
                let used = coordinates.iter().zip(&solved.coefficients).filter(|(_, c)| **c != 0);
                if !used.into_iter().all(|(c, _)| c.is_set(flags, truth)) {
                    continue;
                }
                let terms = Terms { args: [&args[0], &args[1]], flags: [&flags[0], &flags[1]] };
                let value = others(space, *size, coordinates, &solved, &terms)?;
                args[place.side][place.param] = space.tidy(value)?;
            }
        }
        Ok(())
    }

    /// The equations between both sides that are short enough to be read, in the words of C.
    pub fn in_words(&self, name: &dyn Fn(SideParameter) -> String) -> Vec<String> {
        let mut said = vec![];
        for (size, coordinates, affine) in &self.classes {
            for solved in affine.solved(&pivots(coordinates, *size)) {
                said.extend(solved_in_words(*size, coordinates, &solved, name));
            }
        }
        said
    }
}

fn solved_in_words(
    size: u32,
    coordinates: &[Coordinate],
    solved: &Solved,
    name: &dyn Fn(SideParameter) -> String,
) -> Option<String> {
    let pivot = coordinates[solved.pivot?].whole(size)?;
    let mut text = String::new();
    let terms = coordinates.iter().map(Some).chain([None]).zip(&solved.coefficients);
    for (n, (coordinate, factor)) in terms.enumerate() {
        let number = -signed((*factor).into(), size);
        if number == 0 || Some(n) == solved.pivot {
            continue;
        }
        if number.abs() > 1000 {
            return None;
        }
        let what = match coordinate {
            Some(Coordinate::Param { place, .. }) => name(*place),
            Some(Coordinate::Product(a, b)) => format!("{}*{}", name(*a), name(*b)),
            None => String::new(),
        };
        let size = match (number.abs(), what.is_empty()) {
            (1, false) => what,
            (by, true) => by.to_string(),
            (by, false) => format!("{by}*{what}"),
        };
        text += match (text.is_empty(), number < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text += &size;
    }
    let text = if text.is_empty() { "0".to_owned() } else { text };
    Some(format!("{} == {text}", name(pivot)))
}

/// The coordinates that equations are solved for: those of the new version first.
pub(super) fn pivots(coordinates: &[Coordinate], size: u32) -> Vec<usize> {
    let side = |n: &usize| coordinates[*n].whole(size).map(|place| 1 - place.side);
    let whole = |n: &usize| coordinates[*n].whole(size).is_some();
    let mut pivots: Vec<usize> = (0..coordinates.len()).filter(whole).collect();
    pivots.sort_by_key(side);
    pivots
}

fn equation(
    space: &mut Space,
    size: u32,
    coordinates: &[Coordinate],
    solved: &Solved,
    terms: &Terms<'_>,
) -> Result<TermId, LogicError> {
    if let Some(place) = solved.pivot.and_then(|n| coordinates[n].whole(size)) {
        let value = others(space, size, coordinates, solved, terms)?;
        return space.pool.eq(place.term(terms), value);
    }
    let total = sum(space, size, coordinates, &solved.coefficients, terms)?;
    let zero = space.pool.bits(size, 0)?;
    space.pool.eq(total, zero)
}

/// What the coordinate is that an equation is solved for.
fn others(
    space: &mut Space,
    size: u32,
    coordinates: &[Coordinate],
    solved: &Solved,
    terms: &Terms<'_>,
) -> Result<TermId, LogicError> {
    let mask = u64::MAX >> (64 - size);
    let mut rest: Vec<u64> = solved.coefficients.iter().map(|c| c.wrapping_neg() & mask).collect();
    if let Some(pivot) = solved.pivot {
        rest[pivot] = 0;
    }
    sum(space, size, coordinates, &rest, terms)
}

/// A sum, with small factors as people would write them.
fn sum(
    space: &mut Space,
    size: u32,
    coordinates: &[Coordinate],
    coefficients: &[u64],
    terms: &Terms<'_>,
) -> Result<TermId, LogicError> {
    let constant = coefficients.last().copied().unwrap_or(0);
    let mut total = space.pool.bits(size, constant.into())?;
    for (c, factor) in coordinates.iter().zip(coefficients).filter(|(_, f)| **f != 0) {
        let term = c.term(space, terms, size)?;
        let number = signed((*factor).into(), size);
        let by = space.pool.bits(size, number.unsigned_abs())?;
        let part = if number.abs() == 1 { term } else { space.pool.bv_mul(by, term)? };
        total = match number < 0 {
            true => space.pool.bv_sub(total, part)?,
            false => space.pool.bv_add(total, part)?,
        };
    }
    Ok(total)
}

/// How numbers of both sides lie to each other.
pub(super) fn cross_facts(widths: &[Vec<(u32, bool)>; 2]) -> Vec<Fact> {
    let places = SideParameter::all(widths);
    let mut facts = vec![];
    for left in places.iter().filter(|p| p.param < MOST_COMPARED && !p.pointer) {
        let others = places.iter().filter(|p| p.side != left.side && p.param < MOST_COMPARED);
        for right in others.filter(|p| p.width == left.width && p.width > 1 && !p.pointer) {
            let of = |order| Fact::Compared { order, left: *left, right: *right, signed: false };
            facts.extend([Order::AtMost, Order::AtMostUnsigned].map(of));
        }
    }
    facts
}

fn all_facts(places: &[SideParameter]) -> Vec<Fact> {
    let mut facts = vec![];
    for place in places {
        facts.push(Fact::Set(*place));
        if place.width <= 64 {
            facts.push(Fact::Zero { order: Order::Different, place: *place, swapped: false });
            for swapped in [false, true].into_iter().filter(|_| !place.pointer) {
                let of = |order| Fact::Zero { order, place: *place, swapped };
                facts.extend([Order::Less, Order::AtMost].map(of));
            }
        }
    }
    for left in places {
        for right in places.iter().filter(|right| *right != left) {
            if left.param.max(right.param) >= MOST_COMPARED || left.pointer != right.pointer {
                continue;
            }
            if left.width == right.width && left < right {
                facts.push(Fact::Equal(*left, *right));
            }
            if left.side < right.side && !left.pointer {
                facts.push(Fact::ZeroAlike(*left, *right));
            }
            let narrow = left.width.min(right.width);
            if left.side != right.side || left.width.max(right.width) > 64 || narrow == 1 {
                continue;
            }
            let signs: &[bool] = if left.width == right.width { &[false] } else { &[false, true] };
            for signed in signs {
                let of =
                    |order| Fact::Compared { order, left: *left, right: *right, signed: *signed };
                facts.extend(ORDERS.map(of));
            }
        }
    }
    facts
}

impl Order {
    fn holds(self, left: u128, right: u128, width: u32) -> bool {
        match self {
            Order::Different => left != right,
            Order::Less => signed(left, width) < signed(right, width),
            Order::AtMost => signed(left, width) <= signed(right, width),
            Order::LessUnsigned => left < right,
            Order::AtMostUnsigned => left <= right,
        }
    }

    fn term(self, space: &mut Space, left: TermId, right: TermId) -> Result<TermId, LogicError> {
        match self {
            Order::Different => space.pool.ne(left, right),
            Order::Less => space.pool.bv_slt(left, right),
            Order::AtMost => space.pool.bv_sle(left, right),
            Order::LessUnsigned => space.pool.bv_ult(left, right),
            Order::AtMostUnsigned => space.pool.bv_ule(left, right),
        }
    }
}

impl Fact {
    /// The places that it compares.
    pub(super) fn compares(&self) -> Vec<SideParameter> {
        match *self {
            Fact::Set(_) => vec![],
            Fact::Equal(a, b) | Fact::ZeroAlike(a, b) => vec![a, b],
            Fact::Compared { left, right, .. } => vec![left, right],
            Fact::Zero { place, .. } => vec![place],
        }
    }

    fn holds(&self, point: &ArgumentPoint) -> bool {
        match *self {
            Fact::Set(p) => point[p.side][p.param].is_some(),
            Fact::Equal(a, b) => a.value(point) == b.value(point),
            Fact::ZeroAlike(a, b) => (a.value(point) == 0) == (b.value(point) == 0),
            Fact::Compared { order, left, right, signed } => {
                let width = left.width.max(right.width);
                let mask = u128::MAX >> (128 - width);
                let number = |p: SideParameter| match signed {
                    true => p.signed(point) as u128 & mask,
                    false => p.value(point),
                };
                order.holds(number(left), number(right), width)
            }
            Fact::Zero { order, place, swapped } => match swapped {
                true => order.holds(0, place.value(point), place.width),
                false => order.holds(place.value(point), 0, place.width),
            },
        }
    }

    fn term(&self, space: &mut Space, terms: &Terms<'_>) -> Result<TermId, LogicError> {
        match *self {
            Fact::Set(p) => Ok(terms.flags[p.side][p.param]),
            Fact::Equal(a, b) => space.pool.eq(a.term(terms), b.term(terms)),
            Fact::ZeroAlike(a, b) => {
                let mut zero = |place: SideParameter| {
                    let zero = space.pool.bits(place.width, 0)?;
                    space.pool.eq(place.term(terms), zero)
                };
                let (a, b) = (zero(a)?, zero(b)?);
                space.pool.eq(a, b)
            }
            Fact::Compared { order, left, right, signed } => {
                let width = left.width.max(right.width);
                let (a, b) = (
                    left.wide(space, terms, width, signed)?,
                    right.wide(space, terms, width, signed)?,
                );
                order.term(space, a, b)
            }
            Fact::Zero { order, place, swapped } => {
                let zero = space.pool.bits(place.width, 0)?;
                match swapped {
                    true => order.term(space, zero, place.term(terms)),
                    false => order.term(space, place.term(terms), zero),
                }
            }
        }
    }
}
