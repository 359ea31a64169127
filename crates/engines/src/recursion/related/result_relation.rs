//! How the results of a coupled pair of calls belong together: equal, or one carries along what the other adds in the end.

use super::coordinate::SideParameter;
use super::trace::Visit;
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::space::Space;

/// How results belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultRelation {
    /// They are equal.
    Same,
    /// The result of the side that has this parameter is that of the other side plus it.
    Sum(SideParameter),
    /// The same, times it.
    Product(SideParameter),
}

impl ResultRelation {
    /// The ways that runs allow, for single results of `width` bits.
    pub fn observed(
        places: &[SideParameter],
        width: u32,
        together: &[[&Visit; 2]],
    ) -> Vec<ResultRelation> {
        let fits = places.iter().filter(|place| place.width == width && width <= 64);
        let all =
            fits.flat_map(|place| [ResultRelation::Sum(*place), ResultRelation::Product(*place)]);
        all.filter(|results| together.iter().all(|pair| results.holds(pair, width))).collect()
    }

    fn holds(self, pair: &[&Visit; 2], width: u32) -> bool {
        let (ResultRelation::Sum(place) | ResultRelation::Product(place)) = self else {
            return true;
        };
        let result = |side: usize| pair[side].results.first().copied().flatten();
        let (Some(with), Some(without), Some(carried)) =
            (result(place.side), result(1 - place.side), pair[place.side].args[place.param])
        else {
            return false;
        };
        let both = match self {
            ResultRelation::Product(_) => without.wrapping_mul(carried),
            _ => without.wrapping_add(carried),
        };
        both & (u128::MAX >> (128 - width)) == with
    }

    /// The side whose result lacks something; none if they are equal.
    pub fn other(self) -> Option<usize> {
        match self {
            ResultRelation::Same => None,
            ResultRelation::Sum(place) | ResultRelation::Product(place) => Some(1 - place.side),
        }
    }

    /// The result of that side with what it lacks.
    pub fn as_the_other(
        self,
        space: &mut Space,
        result: TermId,
        args: [&[TermId]; 2],
    ) -> Result<TermId, LogicError> {
        match self {
            ResultRelation::Same => Ok(result),
            ResultRelation::Sum(place) => space.pool.bv_add(result, args[place.side][place.param]),
            ResultRelation::Product(place) => {
                space.pool.bv_mul(result, args[place.side][place.param])
            }
        }
    }
}
