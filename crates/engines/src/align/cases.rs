//! Cases: conditions on the entry state under which a pair is proved.
//!
//! Where no proof of all entry states is found, those of a condition and those of its negation are tried apart: loops
//! are often equal for one sign of a bound only, or for two reasons. What is proved under a condition is added to U
//! under that condition. Conditions speak of the parameters as they are at the entry, so nothing has to be pulled back.
//! They are guessed from runs; nothing rests on the guess.

use super::runs::Run;
use verdiff_logic::{LogicError, TermId};
use verdiff_model::Type;
use verdiff_symex::space::{NULL_ZONE, Space};

/// More conditions are not tried.
const MOST: usize = 3;

/// A set of entry states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case(Option<(Condition, bool)>);

/// A condition on parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison.
    Compares(Comparison),
    /// None of these pointers is null, nor so near that an access of it traps as one of null.
    NoNull(Vec<usize>),
}

/// A comparison of a parameter with a constant or with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    left: Param,
    right: Operand,
    relation: Relation,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Param {
    index: usize,
    width: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operand {
    Constant(i64),
    Param(Param),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Equal,
    Less,
    Below,
}

impl Case {
    /// All entry states.
    pub fn all() -> Case {
        Case(None)
    }

    /// Those that satisfy a condition, or those that do not.
    pub fn of(condition: Condition, holds: bool) -> Case {
        Case(Some((condition, holds)))
    }

    /// Whether it is the states in which some pointer is null: both versions trap, and nobody asked.
    pub fn is_null(&self) -> bool {
        matches!(self.0, Some((Condition::NoNull(_), false)))
    }

    /// Whether a run starts from one of the states.
    pub fn holds(&self, run: &Run) -> bool {
        let same = |(condition, holds): &(Condition, bool)| {
            condition.holds(&run.entry).is_none_or(|known| known == *holds)
        };
        self.0.as_ref().is_none_or(same)
    }

    /// Whether a run is known to start from one of the states.
    pub fn is_of(&self, run: &Run) -> bool {
        let same = |(condition, holds): &(Condition, bool)| {
            condition.holds(&run.entry).is_some_and(|known| known == *holds)
        };
        self.0.as_ref().is_none_or(same)
    }

    /// The condition over these parameters; nothing if it is all states.
    pub fn term(&self, space: &mut Space, args: &[TermId]) -> Result<Option<TermId>, LogicError> {
        let Some((condition, holds)) = &self.0 else { return Ok(None) };
        let term = condition.term(space, args)?;
        Ok(Some(if *holds { term } else { space.not(term)? }))
    }
}

impl Condition {
    fn holds(&self, entry: &[Option<u128>]) -> Option<bool> {
        match self {
            Condition::Compares(comparison) => comparison.holds(entry),
            Condition::NoNull(pointers) => {
                let valid = |index: &usize| Some((*entry.get(*index)?)? >= NULL_ZONE.into());
                let known: Option<Vec<bool>> = pointers.iter().map(valid).collect();
                Some(known?.into_iter().all(|valid| valid))
            }
        }
    }

    fn term(&self, space: &mut Space, args: &[TermId]) -> Result<TermId, LogicError> {
        match self {
            Condition::Compares(comparison) => comparison.term(space, args),
            Condition::NoNull(pointers) => {
                let zone = space.pool.bits(64, NULL_ZONE.into())?;
                let mut all = vec![];
                for index in pointers {
                    all.push(space.pool.bv_ule(zone, args[*index])?);
                }
                space.and(&all)
            }
        }
    }
}

impl Comparison {
    fn holds(self, entry: &[Option<u128>]) -> Option<bool> {
        let signed = |param: Param, number: u128| {
            let shift = 128 - param.width;
            ((number << shift) as i128) >> shift
        };
        let left = (*entry.get(self.left.index)?)?;
        let right = match self.right {
            Operand::Constant(k) => k as u128 & (u128::MAX >> (128 - self.left.width)),
            Operand::Param(param) => (*entry.get(param.index)?)?,
        };
        Some(match self.relation {
            Relation::Equal => left == right,
            Relation::Less => signed(self.left, left) < signed(self.left, right),
            Relation::Below => left < right,
        })
    }

    fn term(self, space: &mut Space, args: &[TermId]) -> Result<TermId, LogicError> {
        let left = args[self.left.index];
        let right = match self.right {
            Operand::Constant(k) => space.pool.bits_signed(self.left.width, k.into())?,
            Operand::Param(param) => args[param.index],
        };
        match self.relation {
            Relation::Equal => space.pool.eq(left, right),
            Relation::Less => space.pool.bv_slt(left, right),
            Relation::Below => space.pool.bv_ult(left, right),
        }
    }
}

/// The conditions to try, likely ones first: that no pointer is null, where there are pointers; then those that tell
/// runs of different kinds apart.
pub fn conditions(types: &[Type], runs: &[Run]) -> Vec<Condition> {
    let pointers: Vec<usize> =
        (0..types.len()).filter(|index| types[*index] == Type::Ptr).collect();
    let null = (!pointers.is_empty()).then_some(Condition::NoNull(pointers));
    null.into_iter().chain(comparisons(types, runs).into_iter().map(Condition::Compares)).collect()
}

/// Comparisons that tell runs of different kinds apart, the best first: those that go round from those that do not, and
/// those with equal outcomes from the others.
fn comparisons(types: &[Type], runs: &[Run]) -> Vec<Comparison> {
    let kind = |run: &Run| (run.iterates(), run.equal);
    let mut found: Vec<(usize, Comparison)> = vec![];
    let whole = impurity(runs.iter().map(kind));
    for condition in candidates(types) {
        let side = |holds: bool| {
            runs.iter().filter(move |run| condition.holds(&run.entry) == Some(holds)).map(kind)
        };
        let (yes, no) = (side(true).count(), side(false).count());
        let left = impurity(side(true)) + impurity(side(false));
        if yes > 0 && no > 0 && left < whole {
            found.push((left, condition));
        }
    }
    found.sort_by_key(|(left, _)| *left);
    found.truncate(MOST);
    found.into_iter().map(|(_, condition)| condition).collect()
}

/// How many runs are not of the most frequent kind.
fn impurity(kinds: impl Iterator<Item = (bool, bool)>) -> usize {
    let mut counts = [0usize; 4];
    for (a, b) in kinds {
        counts[2 * usize::from(a) + usize::from(b)] += 1;
    }
    counts.iter().sum::<usize>() - counts.iter().max().copied().unwrap_or(0)
}

fn candidates(types: &[Type]) -> Vec<Comparison> {
    let params: Vec<(Param, bool)> = types
        .iter()
        .enumerate()
        .filter_map(|(index, ty)| match ty {
            Type::Int(width) if (2..=64).contains(width) => {
                Some((Param { index, width: u32::from(*width) }, false))
            }
            Type::Ptr => Some((Param { index, width: 64 }, true)),
            _ => None,
        })
        .collect();
    let mut found = vec![];
    for (left, pointer) in &params {
        let left = *left;
        for k in 0..=2 {
            let right = Operand::Constant(k);
            let relations: &[Relation] = match (pointer, k) {
                (true, _) => &[],
                (false, 0) => &[Relation::Less, Relation::Equal],
                (false, _) => &[Relation::Less, Relation::Below],
            };
            found.extend(relations.iter().map(|relation| Comparison {
                left,
                right,
                relation: *relation,
            }));
        }
        for (right, other) in &params {
            if right.index == left.index || right.width != left.width || other != pointer {
                continue;
            }
            let right = Operand::Param(*right);
            let mut relations = vec![Relation::Below];
            if !pointer {
                relations.push(Relation::Less);
            }
            found.extend(relations.into_iter().map(|relation| Comparison {
                left,
                right,
                relation,
            }));
        }
    }
    found
}
