//! The ends of both versions: traps, where the loops begin, and what is returned.

use super::super::CutPoint;
use super::order::Mapped;
use super::shape::{Map, Move, Version, put};
use super::updates::{Data, OwnSymbols, Trap, Update, Updates, numbered, within};
use super::{Reordering, Shown};
use verdiff_logic::{LogicError, TermId};
use verdiff_symex::execute::Stop;
use verdiff_symex::outcome::{Outcome, how};
use verdiff_symex::space::Space;

/// How many kinds of traps are tried.
const MOST_KINDS: usize = 4;

impl Reordering<'_, '_, '_> {
    /// Whether data are equal where the first loops are reached, and outcomes where data are equal in the end.
    pub fn begins_and_ends(
        &mut self,
        versions: &[Version],
        sides: [&Updates; 2],
    ) -> Result<bool, Stop> {
        let entered = sides.map(|updates| updates.entered);
        let space = &mut self.stepping.product.space;
        let own = &mut self.symbols;
        let first = [sides[0].at_first(space, own)?, sides[1].at_first(space, own)?];
        let differs = self.differs(&first[0], &first[1])?;
        if self.show("both begin with equal data", &[entered[0], entered[1], differs])?
            != Shown::Holds
        {
            return Ok(false);
        }
        // Returns without a loop, and those behind the last one.
        let direct = |side: usize| {
            let start = &versions[side].places[&CutPoint::Start];
            start.move_to(CutPoint::End).cloned()
        };
        let mut ways: [Vec<(TermId, Option<Move>)>; 2] = [vec![], vec![]];
        for side in [0, 1] {
            ways[side].push((entered[side], None));
            ways[side].extend(direct(side).map(|moved| (moved.when, Some(moved))));
        }
        for (old_when, old_way) in &ways[0] {
            for (new_when, new_way) in &ways[1] {
                let both = old_way.is_none() && new_way.is_none();
                let mut outcomes = vec![];
                for (side, way) in [(0, old_way), (1, new_way)] {
                    let space = &mut self.stepping.product.space;
                    let data = match both {
                        true => sides[side].any_data(space, &mut self.symbols)?,
                        // Then neither makes an update.
                        false => first[side].clone(),
                    };
                    let found = match way {
                        None => self.outcome(&sides[side].last, sides[side], &data)?,
                        Some(moved) => self.returned(moved, &Map::new())?,
                    };
                    let Some(found) = found else { return Ok(false) };
                    outcomes.push(found);
                }
                let Ok(outcomes) = <[Outcome; 2]>::try_from(outcomes) else { return Ok(false) };
                let differ = self.stepping.differ(&outcomes)?;
                let mut all = self.stepping.product.aligned_cells()?;
                all.extend([*old_when, *new_when, differ]);
                if self.show("both end with equal outcomes", &all)? != Shown::Holds {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn outcome(
        &mut self,
        last: &Update,
        updates: &Updates,
        data: &Data,
    ) -> Result<Option<Outcome>, Stop> {
        let space = &mut self.stepping.product.space;
        let map = last.places(space, &updates.written, &[], data)?;
        self.returned(&last.moved, &map)
    }

    fn returned(&mut self, moved: &Move, map: &Map) -> Result<Option<Outcome>, Stop> {
        let Some(known) = &moved.outcome else { return Ok(None) };
        let cells = self.stepping.cells();
        let space = &mut self.stepping.product.space;
        let (mut results, mut memory) = (vec![], vec![]);
        for value in &moved.values {
            results.push(put(space, *value, map)?);
        }
        for (array, cell) in moved.arrays.iter().zip(cells) {
            let array = put(space, *array, map)?;
            memory.push(space.memories.array(array, cell));
        }
        let (returned, truth) = (space.pool.bits(16, how::RETURNED.into())?, space.pool.truth());
        let set = vec![truth; results.len()];
        // What is dead may depend on data, like everything else.
        let lives = put(space, known.lives, map)?;
        let known = Outcome { how: returned, returned: truth, lives, ..known.clone() };
        Ok(Some(Outcome { results, set, memory, ..known }))
    }

    /// Whether both versions trap if one does, and all traps are alike.
    pub fn traps(&mut self, from: &Updates, to: &Updates, mapped: &[Mapped]) -> Result<bool, Stop> {
        let all: Vec<(&Updates, &Trap)> = [from, to]
            .into_iter()
            .flat_map(|updates| updates.traps.iter().map(move |trap| (updates, trap)))
            .collect();
        let mut alike = all.is_empty();
        for known in self.kinds(&all) {
            let mut holds = true;
            for (updates, trap) in &all {
                let space = &mut self.stepping.product.space;
                let reached = trap.reached(space, updates, &trap.numbers())?;
                let other = space.pool.ne(trap.how, known)?;
                let name = "all traps are alike";
                holds &= self.show(name, &[reached, trap.when, other])? == Shown::Holds;
                if !holds {
                    break;
                }
            }
            alike |= holds;
            if alike {
                break;
            }
        }
        if !alike {
            return Ok(false);
        }
        let pairs: Vec<(&Update, &Update, Vec<TermId>)> = from
            .all
            .iter()
            .zip(mapped)
            .map(|(update, m)| (update, &to.all[m.to], m.numbers.clone()))
            .collect();
        if !self.traps_follow(from, to, &pairs)? {
            return Ok(false);
        }
        let pairs: Vec<(&Update, &Update, Vec<TermId>)> = from
            .all
            .iter()
            .zip(mapped)
            .map(|(update, m)| (&to.all[m.to], update, m.back.clone()))
            .collect();
        self.traps_follow(to, from, &pairs)
    }

    /// Whether one version traps wherever the other one does.
    fn traps_follow(
        &mut self,
        from: &Updates,
        to: &Updates,
        pairs: &[(&Update, &Update, Vec<TermId>)],
    ) -> Result<bool, Stop> {
        for trap in &from.traps {
            let own = trap.numbers();
            let space = &mut self.stepping.product.space;
            let mut all = vec![trap.reached(space, from, &own)?, trap.when];
            for other in &to.traps {
                let mut witnesses = vec![];
                witnesses.push(other.zeros(space)?);
                for (here, there, numbers) in pairs {
                    // The numbers of the loops that the trap lies in, if these lie around the counterpart.
                    let same = |trap: &Trap, update: &Update| {
                        trap.around.len() <= update.around.len()
                            && trap
                                .around
                                .iter()
                                .zip(&update.around)
                                .all(|(a, b)| a.number == b.number)
                    };
                    let spoken = here.around.len() <= own.len();
                    if same(trap, here) && spoken && same(other, there) {
                        witnesses.push(numbers[..other.around.len()].to_vec());
                    }
                }
                for numbers in witnesses {
                    let reached = other.reached(space, to, &numbers)?;
                    let when = put(space, other.when, &numbered(&other.around, &numbers))?;
                    let traps = space.and(&[reached, when])?;
                    all.push(space.not(traps)?);
                }
            }
            if self.show("if one version traps, both do", &all)? != Shown::Holds {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// That neither version traps at the start, nor in the first iterations.
    pub fn calm(&mut self, sides: [&Updates; 2]) -> Result<Vec<TermId>, LogicError> {
        let space = &mut self.stepping.product.space;
        let mut found = vec![];
        for updates in sides {
            for trap in &updates.traps {
                let zeros = trap.zeros(space)?;
                let reached = trap.reached(space, updates, &zeros)?;
                let when = put(space, trap.when, &numbered(&trap.around, &zeros))?;
                let traps = space.and(&[reached, when])?;
                found.push(space.not(traps)?);
            }
        }
        Ok(found)
    }

    /// The kinds of traps, as numbers.
    fn kinds(&self, traps: &[(&Updates, &Trap)]) -> Vec<TermId> {
        let space = &self.stepping.product.space;
        let hows: Vec<TermId> = traps.iter().map(|(_, trap)| trap.how).collect();
        let is_number = |term: &TermId| {
            let kind = hows.iter().any(|how| space.pool.sort(*how) == space.pool.sort(*term));
            kind && space.constant(*term).is_some_and(|number| number != 0)
        };
        let mut found: Vec<TermId> =
            space.pool.sub_terms(&hows).into_iter().filter(is_number).collect();
        found.truncate(MOST_KINDS);
        found
    }
}

impl Trap {
    /// Its own numbers.
    fn numbers(&self) -> Vec<TermId> {
        self.around.iter().map(|around| around.number).collect()
    }

    /// The numbers of first iterations.
    fn zeros(&self, space: &mut Space) -> Result<Vec<TermId>, LogicError> {
        let mut zeros = vec![];
        for around in &self.around {
            let bits = space.pool.sort(around.number).width().unwrap_or(1);
            zeros.push(space.pool.bits(bits, 0)?);
        }
        Ok(zeros)
    }

    /// That its place is reached with these numbers.
    fn reached(
        &self,
        space: &mut Space,
        updates: &Updates,
        numbers: &[TermId],
    ) -> Result<TermId, LogicError> {
        if self.around.is_empty() {
            return Ok(space.pool.truth());
        }
        let within = within(space, &self.around, numbers, self.at_head)?;
        space.and(&[updates.entered, within])
    }
}

impl Updates {
    /// The data where the first loop is reached. What has no value there is any, and the same in both versions.
    fn at_first(&self, space: &mut Space, own: &mut OwnSymbols) -> Result<Data, LogicError> {
        let mut data = self.any_data(space, own)?;
        for (region, array) in &self.written {
            data.arrays.insert(*region, *array);
        }
        self.first.apply(space, &self.written, &[], &data)
    }
}
