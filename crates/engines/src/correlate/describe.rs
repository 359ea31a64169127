//! From a state map to what people read: the states at outputs and ends, and the interleaving.

use super::flow::{FlowEnd, Location};
use super::map::Moves;
use super::search::{At, InterleavingSearch, first_statement};
use super::space::Space;
use super::state::{SubState, in_range};
use super::step::Runner;
use super::value::Terms;
use std::collections::BTreeMap;
use verdiff_judge::correlation::{
    Compared, Event, EventKind, Meeting, Name, Point, PointState, Relation,
};
use verdiff_model::{Callee, Side, StmtKind};
use verdiff_polyhedra::{Constraint, Domain, Linear, Var};
use verdiff_product::affine::inverse;

/// How many relations of a state are kept.
const MOST_RELATIONS: usize = 16;
/// How large a coefficient of a relation may be.
const MOST_BITS: u64 = 20;

/// Makes points and meetings of a search.
pub(super) struct Describer<'s, 'c> {
    pub space: &'s Space<'c>,
}

impl Describer<'_, '_> {
    /// All outputs and ends, in the order of lines.
    pub fn points(&self, search: &mut InterleavingSearch<'_, '_>) -> Vec<Point> {
        let all: Vec<(At, Vec<SubState>)> = search
            .cells
            .iter()
            .map(|(at, cell)| (*at, cell.subs.iter().map(|sub| sub.state.clone()).collect()))
            .collect();
        let mut points = vec![];
        for (at, states) in all {
            let (Some(old), Some(new)) = (self.event(Side::Old, at.0), self.event(Side::New, at.1))
            else {
                continue;
            };
            let states: Vec<PointState> =
                states.iter().map(|state| self.state(at, state, search.terms)).collect();
            let equal = states.iter().all(|state| state.seen_equal);
            points.push(Point { old, new, equal, states });
        }
        points.sort_by_key(|point| {
            let end = |event: &Event| !matches!(event.kind, EventKind::Output(_));
            (
                end(&point.old) || end(&point.new),
                end(&point.old) && end(&point.new),
                point.old.line,
                point.new.line,
            )
        });
        points
    }

    fn event(&self, side: Side, at: Location) -> Option<Event> {
        let version = self.space.version(side);
        let line = version.locations.steps[at].line;
        let kind = match version.locations.end(at) {
            Some(FlowEnd::Return) => EventKind::Return,
            Some(FlowEnd::Exit) => EventKind::Exit,
            Some(FlowEnd::Trap(trap)) => EventKind::Trap(trap.to_string()),
            None if version.locations.is_output(at) => {
                let stmt = first_statement(self.space, side, at)?;
                let StmtKind::Call { callee, .. } = &stmt.kind else { return None };
                EventKind::Output(match callee {
                    Callee::External(id) => version.program.external(*id).name.clone(),
                    Callee::Procedure(id) => version.program.procedure(*id).name.clone(),
                    Callee::Indirect { .. } => String::new(),
                })
            }
            None => return None,
        };
        Some(Event { kind, line })
    }

    /// Whether what can be seen is equal: outputs so far and the one made here; at ends result and memory too.
    pub fn seen_equal(&self, at: At, state: &SubState, terms: &mut Terms) -> bool {
        let [old, new] = &self.space.versions;
        let worlds = |state: &SubState| state.are_equal(self.space, old.world, new.world);
        match (old.locations.end(at.0), new.locations.end(at.1)) {
            (Some(FlowEnd::Return), Some(FlowEnd::Return)) => {
                let results = old.results.iter().zip(&new.results);
                worlds(state)
                    && old.results.len() == new.results.len()
                    && results.clone().all(|(a, b)| state.are_equal(self.space, *a, *b))
                    && state.are_equal(self.space, old.memory, new.memory)
            }
            (Some(a), Some(b)) => a == b && worlds(state),
            (None, None) => {
                let mut runner = Runner { space: self.space, terms };
                let Ok(reached) = runner.run(Side::Old, at.0, state.clone()) else { return false };
                reached.into_iter().all(|(_, state)| match runner.run(Side::New, at.1, state) {
                    Ok(reached) => reached.iter().all(|(_, state)| worlds(state)),
                    Err(_) => false,
                })
            }
            // One version has ended and the other one goes on to output.
            _ => false,
        }
    }

    fn state(&self, at: At, state: &SubState, terms: &mut Terms) -> PointState {
        let space = self.space;
        let seen_equal = self.seen_equal(at, state, terms);
        let (mut equal, mut unequal, mut relations) = (vec![], vec![], vec![]);
        let mut kept: Vec<Var> = space.entries.iter().map(|(_, dimension, _)| *dimension).collect();
        let returned = |slot: usize| space.is_named(slot) && !state.is_unset(slot, terms);
        for (slot, there) in space.slots.iter().enumerate().filter(|(slot, _)| returned(*slot)) {
            let Some(partner) = there.partner.filter(|partner| returned(*partner)) else {
                kept.extend(there.dimension);
                continue;
            };
            let same = state.are_equal(space, slot, partner);
            // What is equal is one variable: the old one.
            if there.side == Side::Old || !same {
                kept.extend(there.dimension);
            }
            if there.side == Side::New {
                continue;
            }
            match same {
                true => equal.push(there.name.clone()),
                false => {
                    unequal.push(there.name.clone());
                    relations.extend(self.modular(state, slot, partner));
                }
            }
        }
        let [old, new] = &space.versions;
        for (slot, partner) in [(old.memory, new.memory), (old.world, new.world)] {
            let list =
                if state.are_equal(space, slot, partner) { &mut equal } else { &mut unequal };
            list.push(space.slots[slot].name.clone());
        }
        let names = self.names(&kept);
        // An equation that holds without wrapping needs no modulus.
        let numbers = self.relations(state, &kept, &names);
        let exact = |relation: &Relation| {
            numbers.iter().any(|other: &Relation| {
                other.terms.len() == relation.terms.len()
                    && other.relation == Compared::Equal
                    && other
                        .terms
                        .iter()
                        .all(|term| relation.terms.iter().any(|there| there.1 == term.1))
            })
        };
        relations.retain(|relation| !exact(relation));
        relations.extend(numbers);
        relations.truncate(MOST_RELATIONS);
        let ghosts: Vec<Var> = space.entries.iter().map(|(_, dimension, _)| *dimension).collect();
        let entry = self.relations(state, &ghosts, &self.names(&ghosts));
        PointState { equal, unequal, relations, entry, overflowed: state.wrapped, seen_equal }
    }

    fn names(&self, kept: &[Var]) -> BTreeMap<Var, (Name, u16)> {
        let mut names = BTreeMap::new();
        for slot in &self.space.slots {
            let name = match slot.side {
                Side::Old => Name::Old(slot.name.clone()),
                Side::New => Name::New(slot.name.clone()),
            };
            if let Some(dimension) = slot.dimension.filter(|dimension| kept.contains(dimension)) {
                names.insert(dimension, (name, slot.width));
            }
        }
        for (name, dimension, width) in &self.space.entries {
            names.insert(*dimension, (Name::Entry(name.clone()), *width));
        }
        names
    }

    /// The constraints on some variables, without what their types say.
    fn relations(
        &self,
        state: &SubState,
        kept: &[Var],
        names: &BTreeMap<Var, (Name, u16)>,
    ) -> Vec<Relation> {
        let mut numbers = state.numbers.clone();
        let gone: Vec<Var> =
            (0..self.space.dimensions).map(Var).filter(|var| !kept.contains(var)).collect();
        numbers.forget(&gone);
        // A parameter that was not changed is its entry value.
        let ranges: Vec<Constraint> =
            names.iter().flat_map(|(dimension, (_, width))| in_range(*dimension, *width)).collect();
        let known = |constraint: &Constraint| {
            ranges.iter().any(|range| range.to_string() == constraint.to_string())
        };
        // A coefficient as large as a range of a type says nothing to people.
        let small =
            |constraint: &Constraint| constraint.form().terms().all(|(_, c)| c.bits() <= MOST_BITS);
        let list = numbers
            .constraints()
            .into_iter()
            .filter(|constraint| !known(constraint) && small(constraint));
        list.map(|constraint| relation(&constraint, names)).collect()
    }

    /// `new = a * old + c` modulo 2^w, where the values say so and the numbers are small.
    fn modular(&self, state: &SubState, old: usize, new: usize) -> Option<Relation> {
        let width = self.space.slots[old].width;
        if self.space.slots[old].dimension.is_none() || width == 1 {
            return None;
        }
        let (a, b) = (&state.values[old], &state.values[new]);
        let (atom, unit) = *a.terms.iter().find(|(_, coefficient)| coefficient & 1 == 1)?;
        let there = b.terms.iter().find(|(other, _)| *other == atom)?.1;
        let factor = there.wrapping_mul(inverse(unit));
        let rest = b.plus(a, 0_u64.wrapping_sub(factor));
        let constant = rest.as_constant()?;
        let signed = |bits: u64| ((bits << (64 - width)) as i64) >> (64 - width);
        let (factor, constant) = (signed(factor), signed(constant));
        if factor == 0 || factor.unsigned_abs() > 1 << 20 || constant.unsigned_abs() > 1 << 40 {
            return None;
        }
        let [old, new] = [old, new].map(|slot| self.space.slots[slot].name.clone());
        Some(Relation {
            terms: vec![("1".to_owned(), Name::New(new)), ((-factor).to_string(), Name::Old(old))],
            relation: Compared::Equal,
            constant: constant.to_string(),
            modulo: Some(u32::from(width)),
        })
    }

    /// The interleaving, for the picture.
    pub fn meetings(&self, search: &mut InterleavingSearch<'_, '_>, moves: &Moves) -> Vec<Meeting> {
        let places: Vec<At> = search.cells.keys().copied().collect();
        let number: BTreeMap<At, u32> =
            places.iter().enumerate().map(|(at, place)| (*place, at as u32)).collect();
        let [old, new] = &self.space.versions;
        let list = places.iter().map(|at| {
            let visible =
                self.event(Side::Old, at.0).is_some() && self.event(Side::New, at.1).is_some();
            let states: Vec<SubState> =
                search.cells[at].subs.iter().map(|sub| sub.state.clone()).collect();
            let equal = match visible {
                true => states.iter().all(|state| self.seen_equal(*at, state, search.terms)),
                false => states.iter().all(|state| search.share(*at, state) >= 1.0),
            };
            let next = moves
                .get(at)
                .into_iter()
                .flatten()
                .filter_map(|to| number.get(to).copied())
                .collect();
            let (old, new) = (old.locations.steps[at.0].line, new.locations.steps[at.1].line);
            Meeting { old, new, equal, visible, next }
        });
        list.collect()
    }
}

fn relation(constraint: &Constraint, names: &BTreeMap<Var, (Name, u16)>) -> Relation {
    use verdiff_polyhedra::Relation as Of;
    let form: &Linear = constraint.form();
    let name = |var: Var| {
        names.get(&var).map_or_else(|| Name::Entry(format!("?{}", var.0)), |(name, _)| name.clone())
    };
    let terms =
        form.terms().map(|(var, coefficient)| (coefficient.to_string(), name(var))).collect();
    let relation = match constraint.relation() {
        Of::EqualToZero => Compared::Equal,
        Of::AtLeastZero => Compared::AtLeast,
        Of::GreaterThanZero => Compared::Greater,
    };
    Relation { terms, relation, constant: (-form.constant()).to_string(), modulo: None }
}
