//! Orders and bounds: what holds of single variables or of two.

use super::horn::Disjunction;
use super::invariant::{Terms, Var};
use super::runs::Point;
use std::collections::BTreeSet;
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::space::{NULL_ZONE, Space};

/// More facts are not tried.
const MOST_FACTS: usize = 300;
/// Nor more with an alternative.
const MOST_EITHER: usize = 12;
/// Bounds by larger constants are chance.
const SMALL: i128 = 2;
/// Addresses up to which something may be: where objects behind parameters end at the latest, and the last address at
/// which so many bytes can be accessed. What was accessed a moment ago is below the latter.
const HIGHEST: [u64; 4] = [1 << 62, (1 << 63) - 8, (1 << 63) - 4, (1 << 63) - 1];
/// How near to null a pointer parameter that leads nowhere is.
const NEAR: u128 = 4096;

/// Something that holds of single variables or of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fact {
    Set(Var),
    /// Two variables of one width.
    Less {
        left: Var,
        right: Var,
        signed: bool,
        or_equal: bool,
    },
    AtLeast(Var, i64),
    AtMost(Var, i64),
    NotZero(Var),
    /// A variable is not this number, which the code compares it with.
    IsNot(Var, u64),
    /// A variable is at most another one, or at most a number: a counter from 0 on and its bound, which may be negative.
    AtMostEither(Var, Var, i64),
    /// A variable is at least one of two others: a loop ended for one of two reasons.
    AtLeastEither {
        left: Var,
        right: [Var; 2],
        signed: bool,
    },
    /// A variable is at most one of fewer bits without its sign plus a number, or at most a number.
    AtMostNarrow {
        left: Var,
        right: Var,
        more: i64,
        bound: i64,
    },
    /// An address that is neither near null nor above this one.
    InMemory(Var, u64),
    /// An address that is not above this one, whether it leads anywhere or not.
    Below(Var, u64),
    /// An address that is null, or so near that nobody crosses the gap.
    NearNull(Var),
    /// Two variables of one width that are the same; wider than equations are.
    Same(Var, Var),
    /// What Horn clauses suggest.
    Suggested(Disjunction),
}

impl Fact {
    /// Whether it is no comparison, or one of these variables.
    pub fn is_of(&self, vars: &BTreeSet<Var>) -> bool {
        match self {
            Fact::Less { left, right, .. } => vars.contains(left) && vars.contains(right),
            Fact::AtLeast(var, _) | Fact::AtMost(var, _) => vars.contains(var),
            _ => true,
        }
    }

    /// Whether it compares numbers, and one of them is one of these variables.
    pub fn compares(&self, vars: &BTreeSet<Var>) -> bool {
        let own = match self {
            Fact::Less { left, right, .. }
            | Fact::AtMostNarrow { left, right, .. }
            | Fact::AtMostEither(left, right, _) => vec![*left, *right],
            Fact::AtLeast(var, _) | Fact::AtMost(var, _) | Fact::NotZero(var) => vec![*var],
            Fact::AtLeastEither { left, right: [a, b], .. } => vec![*left, *a, *b],
            _ => vec![],
        };
        own.iter().any(|var| vars.contains(var))
    }

    /// What follows from it, and holds of a point of which it does not: a counter that starts at this number is at most
    /// its bound, unless it is still this number; what may be null is not near the last address either, where
    /// one version would trap at a first field in another way than the other one at a second field.
    pub fn weaker(&self, point: &Point) -> Option<Fact> {
        match *self {
            Fact::Less { left, right, signed: true, or_equal: true } if left.side == right.side => {
                let least = left.signed(point);
                let usual = least.abs() <= SMALL;
                usual.then_some(Fact::AtMostEither(left, right, least as i64))
            }
            Fact::InMemory(var, highest) if highest == HIGHEST[0] => {
                let below = Fact::Below(var, highest);
                below.holds(point).then_some(below)
            }
            _ => None,
        }
    }

    pub fn holds(&self, point: &Point) -> bool {
        match *self {
            Fact::Set(var) => point[var.side][var.index].is_some(),
            Fact::Less { left, right, signed, or_equal } => {
                let order = match signed {
                    true => left.signed(point).cmp(&right.signed(point)),
                    false => left.number(point).cmp(&right.number(point)),
                };
                if or_equal { order.is_le() } else { order.is_lt() }
            }
            Fact::AtLeast(var, bound) => var.signed(point) >= bound.into(),
            Fact::AtMost(var, bound) => var.signed(point) <= bound.into(),
            Fact::NotZero(var) => var.number(point) != 0,
            Fact::IsNot(var, number) => var.number(point) != u128::from(number),
            Fact::AtMostEither(left, right, bound) => {
                left.signed(point) <= right.signed(point) || left.signed(point) <= bound.into()
            }
            Fact::AtLeastEither { left, right, signed } => right.iter().any(|right| match signed {
                true => left.signed(point) >= right.signed(point),
                false => left.number(point) >= right.number(point),
            }),
            Fact::AtMostNarrow { left, right, more, bound } => {
                let most = right.number(point) as i128 + i128::from(more);
                left.signed(point) <= most.max(bound.into())
            }
            Fact::InMemory(var, highest) => {
                (NULL_ZONE.into()..=u128::from(highest)).contains(&var.number(point))
            }
            Fact::Below(var, highest) => var.number(point) <= u128::from(highest),
            Fact::NearNull(var) => var.number(point) < NEAR,
            Fact::Same(a, b) => a.number(point) == b.number(point),
            Fact::Suggested(ref disjunction) => disjunction.holds(point),
        }
    }

    pub fn term(&self, space: &mut Space, terms: &Terms<'_>) -> Result<TermId, LogicError> {
        match *self {
            Fact::Set(var) => Ok(terms.flags[var.side][var.index]),
            Fact::Less { left, right, signed, or_equal } => {
                let (a, b) = (left.term(space, terms)?, right.term(space, terms)?);
                match (signed, or_equal) {
                    (true, true) => space.pool.bv_sle(a, b),
                    (true, false) => space.pool.bv_slt(a, b),
                    (false, true) => space.pool.bv_ule(a, b),
                    (false, false) => space.pool.bv_ult(a, b),
                }
            }
            Fact::AtLeast(var, bound) => {
                let term = var.term(space, terms)?;
                let bound = space.pool.bits_signed(var.width, bound.into())?;
                space.pool.bv_sle(bound, term)
            }
            Fact::AtMost(var, bound) => {
                let term = var.term(space, terms)?;
                let bound = space.pool.bits_signed(var.width, bound.into())?;
                space.pool.bv_sle(term, bound)
            }
            Fact::NotZero(var) => {
                let term = var.term(space, terms)?;
                let zero = space.pool.bits(var.width, 0)?;
                space.pool.ne(term, zero)
            }
            Fact::IsNot(var, number) => {
                let term = var.term(space, terms)?;
                let number = space.pool.bits(var.width, number.into())?;
                space.pool.ne(term, number)
            }
            Fact::AtMostEither(left, right, bound) => {
                let (a, b) = (left.term(space, terms)?, right.term(space, terms)?);
                let bound = space.pool.bits_signed(left.width, bound.into())?;
                let either = [space.pool.bv_sle(a, b)?, space.pool.bv_sle(a, bound)?];
                space.or(&either)
            }
            Fact::AtLeastEither { left, right, signed } => {
                let a = left.term(space, terms)?;
                let mut either = vec![];
                for right in right {
                    let b = right.term(space, terms)?;
                    either.push(match signed {
                        true => space.pool.bv_sle(b, a)?,
                        false => space.pool.bv_ule(b, a)?,
                    });
                }
                space.or(&either)
            }
            Fact::AtMostNarrow { left, right, more, bound } => {
                let (a, b) = (left.term(space, terms)?, right.term(space, terms)?);
                let b = space.pool.zero_extend(left.width - right.width, b)?;
                let more = space.pool.bits_signed(left.width, more.into())?;
                let most = space.pool.bv_add(b, more)?;
                let bound = space.pool.bits_signed(left.width, bound.into())?;
                let either = [space.pool.bv_sle(a, most)?, space.pool.bv_sle(a, bound)?];
                space.or(&either)
            }
            Fact::InMemory(var, highest) => {
                let term = var.term(space, terms)?;
                let zone = space.pool.bits(64, NULL_ZONE.into())?;
                let highest = space.pool.bits(64, highest.into())?;
                let low = space.pool.bv_ule(zone, term)?;
                let high = space.pool.bv_ule(term, highest)?;
                space.and(&[low, high])
            }
            Fact::Below(var, highest) => {
                let term = var.term(space, terms)?;
                let highest = space.pool.bits(64, highest.into())?;
                space.pool.bv_ule(term, highest)
            }
            Fact::NearNull(var) => {
                let (term, near) = (var.term(space, terms)?, space.pool.bits(64, NEAR)?);
                space.pool.bv_ult(term, near)
            }
            Fact::Same(a, b) => {
                let (a, b) = (a.term(space, terms)?, b.term(space, terms)?);
                space.pool.eq(a, b)
            }
            Fact::Suggested(ref disjunction) => disjunction.term(space, terms),
        }
    }
}

/// Facts with an alternative that hold of these points, where neither alone is known to hold: of variables of one side.
pub fn either(vars: &BTreeSet<Var>, known: &[Fact], points: &[Point]) -> Vec<Fact> {
    let is_known = |left: Var, right: Var| {
        let says = |fact: &Fact| match fact {
            Fact::Less { left: a, right: b, .. } => (*a, *b) == (left, right),
            _ => false,
        };
        known.iter().any(says)
    };
    let numbers = |width: u32, side: usize| {
        let usual = move |var: &&Var| var.side == side && !var.pointer && var.width == width;
        vars.iter().filter(usual).copied().collect::<Vec<Var>>()
    };
    let mut found = vec![];
    for left in vars.iter().filter(|var| !var.pointer && (2..=64).contains(&var.width)) {
        let others = numbers(left.width, left.side);
        let least = points.iter().map(|point| left.signed(point)).min().unwrap_or(0);
        let most = points.iter().map(|point| left.signed(point)).max().unwrap_or(0);
        let constant = least == most;
        for (n, right) in others.iter().enumerate().filter(|(_, other)| *other != left) {
            if least.abs() <= SMALL && !constant && !is_known(*left, *right) {
                found.push(Fact::AtMostEither(*left, *right, least as i64));
            }
            for second in others[n + 1..].iter().filter(|other| *other != left) {
                let right = [*right, *second];
                if right.iter().all(|right| !is_known(*right, *left)) {
                    found.extend([true, false].map(|signed| Fact::AtLeastEither {
                        left: *left,
                        right,
                        signed,
                    }));
                }
            }
        }
    }
    found.retain(|fact| points.iter().all(|point| fact.holds(point)));
    found.truncate(MOST_EITHER);
    found
}

/// Bounds of counters by variables with fewer bits that hold of these points.
pub fn narrow(vars: &[Var], points: &[Point]) -> Vec<Fact> {
    let mut found = vec![];
    for left in vars.iter().filter(|var| !var.pointer && var.width <= 64) {
        let bound = points.iter().map(|point| left.signed(point)).min().unwrap_or(0);
        // With two bits more no sum wraps.
        let narrow = |var: &&Var| !var.pointer && var.width > 1 && var.width + 2 <= left.width;
        for right in vars.iter().filter(narrow).filter(|_| bound.abs() <= SMALL) {
            let all = [-1, 0, 1].map(|more| Fact::AtMostNarrow {
                left: *left,
                right: *right,
                more,
                bound: bound as i64,
            });
            // The closest.
            let holds = |fact: &&Fact| points.iter().all(|point| fact.holds(point));
            found.extend(all.iter().find(holds).cloned());
        }
    }
    found.truncate(MOST_EITHER);
    found
}

/// Counters that are at most their bounds, unless they are still where they began, at these points: whatever else is known of their
/// order. Without a sign, a counter may be at most a bound that is negative.
pub fn begun(vars: &[Var], points: &[Point]) -> Vec<Fact> {
    let mut found = vec![];
    let usual = |var: &&Var| !var.pointer && (8..=64).contains(&var.width);
    for left in vars.iter().filter(usual) {
        let least = points.iter().map(|point| left.signed(point)).min().unwrap_or(0);
        let same =
            |right: &&Var| *right != left && right.side == left.side && right.width == left.width;
        if least.abs() <= SMALL {
            let rights = vars.iter().filter(usual).filter(same);
            found.extend(rights.map(|right| Fact::AtMostEither(*left, *right, least as i64)));
        }
    }
    found.retain(|fact| points.iter().all(|point| fact.holds(point)));
    found.truncate(MOST_EITHER);
    found
}

/// The facts that hold of these points.
pub fn candidates(vars: &[Var], points: &[Point]) -> Vec<Fact> {
    let mut facts: Vec<Fact> = vars.iter().map(|var| Fact::Set(*var)).collect();
    if points.is_empty() {
        return facts;
    }
    let numbers = vars.iter().filter(|var| var.width > 1 && var.width <= 64);
    for var in numbers.clone() {
        facts.push(Fact::NotZero(*var));
        if var.pointer {
            facts.extend(HIGHEST.map(|highest| Fact::InMemory(*var, highest)));
            facts.push(Fact::NearNull(*var));
            // What follows from another one is not said.
            let leads = |point: &Point| Fact::InMemory(*var, HIGHEST[0]).holds(point);
            if !points.iter().all(leads) {
                facts.push(Fact::Below(*var, HIGHEST[0]));
            }
            continue;
        }
        let values = || points.iter().map(|point| var.signed(point));
        let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        if least.abs() <= SMALL {
            facts.push(Fact::AtLeast(*var, least as i64));
        }
        if most.abs() <= SMALL {
            facts.push(Fact::AtMost(*var, most as i64));
        }
    }
    for left in vars {
        for right in vars.iter().filter(|right| *right != left && right.width == left.width) {
            if left < right && (left.width == 1 || left.width > 64) {
                facts.push(Fact::Same(*left, *right));
            }
            let same = points.iter().all(|p| left.number(p) == right.number(p));
            // What is equal by an equation needs no order; but of one version's own variables that may be chance.
            let equal = same && (left.side != right.side || left.pointer);
            if equal || left.width == 1 || left.width > 64 || left.pointer != right.pointer {
                continue;
            }
            for signed in [true, false] {
                if signed && left.pointer {
                    continue;
                }
                for or_equal in [true, false] {
                    facts.push(Fact::Less { left: *left, right: *right, signed, or_equal });
                }
            }
        }
    }
    facts.retain(|fact| points.iter().all(|point| fact.holds(point)));
    facts.truncate(MOST_FACTS);
    facts
}
