//! The state map as plain data: what a test needs to walk along two runs and check every claim.

use super::flow::StepKind;
use super::search::{At, InterleavingSearch};
use super::space::{SlotKind, Space};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_model::{BlockId, Side, VarId};
use verdiff_polyhedra::{Constraint, Domain, Var};

/// Which pairs of meeting points follow each.
pub(super) type Moves = BTreeMap<At, BTreeSet<At>>;

/// A location of one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeetingPoint {
    /// The block and the number of the statement it begins with; `None` for an end.
    pub code: Option<(BlockId, usize)>,
    /// Whether versions wait for each other here.
    pub meeting: bool,
    /// Whether it begins with an output.
    pub output: bool,
    /// Whether it is the head of a loop.
    pub head: bool,
}

/// What is claimed at a pair of locations.
#[derive(Clone, Debug)]
pub struct Claims {
    /// How many meeting points either version goes on from here; `None` where both have ended.
    pub chosen: Option<(u32, u32)>,
    /// The possible states.
    pub states: Vec<Claim>,
}

/// What is claimed of one possible state.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Constraints over the dimensions of [`Map::dimensions`].
    pub constraints: Vec<Constraint>,
    /// Variables of the old and the new version that are equal.
    pub equal: Vec<(VarId, VarId)>,
}

/// A state map.
#[derive(Clone, Debug)]
pub struct Map {
    /// The locations of either version.
    pub places: [Vec<MeetingPoint>; 2],
    /// The claims at each pair of locations that is met.
    pub cells: BTreeMap<(usize, usize), Claims>,
    /// The variables of the source that have a dimension.
    pub dimensions: Vec<(Side, VarId, Var)>,
    /// The dimensions of the entry values: the number of the parameter among the integers of at most 64 bits.
    pub entries: Vec<Var>,
    /// How many dimensions there are.
    pub size: usize,
}

impl Map {
    /// The map of a search, with what is said of variables of the source.
    pub(super) fn of(space: &Space<'_>, search: &InterleavingSearch<'_, '_>) -> Map {
        let places = [0, 1].map(|side| {
            let locations = &space.versions[side].locations;
            let place = |at: usize| MeetingPoint {
                code: match locations.steps[at].kind {
                    StepKind::Code { block, from, .. } => Some((block, from)),
                    StepKind::End(_) => None,
                },
                meeting: locations.is_meeting_point(at),
                output: locations.is_output(at),
                head: locations.steps[at].head,
            };
            (0..locations.steps.len()).map(place).collect()
        });
        let variable = |slot: usize| match space.slots[slot].kind {
            SlotKind::Variable(id) if space.is_named(slot) => Some(id),
            _ => None,
        };
        let named = (0..space.slots.len()).filter_map(|slot| {
            Some((space.slots[slot].side, variable(slot)?, space.slots[slot].dimension?))
        });
        let dimensions: Vec<(Side, VarId, Var)> = named.collect();
        let entries: Vec<Var> = space.entries.iter().map(|(_, dimension, _)| *dimension).collect();
        let kept = |var: &Var| {
            entries.contains(var) || dimensions.iter().any(|(_, _, there)| there == var)
        };
        let gone: Vec<Var> = (0..space.dimensions).map(Var).filter(|var| !kept(var)).collect();
        let mut cells = BTreeMap::new();
        for (at, cell) in &search.cells {
            let states = cell.subs.iter().map(|sub| {
                let mut numbers = sub.state.numbers.clone();
                numbers.forget(&gone);
                let equal = (0..space.slots.len()).filter_map(|slot| {
                    let partner = space.slots[slot]
                        .partner
                        .filter(|_| space.slots[slot].side == Side::Old)?;
                    space.slots[slot].dimension?;
                    sub.state
                        .are_equal(space, slot, partner)
                        .then_some((variable(slot)?, variable(partner)?))
                });
                Claim { constraints: numbers.constraints(), equal: equal.collect() }
            });
            let chosen = cell.chosen.map(|chosen| (chosen.old, chosen.new));
            cells.insert(*at, Claims { chosen, states: states.collect() });
        }
        Map { places, cells, dimensions, entries, size: space.dimensions }
    }
}
