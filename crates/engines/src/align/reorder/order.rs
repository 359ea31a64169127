//! Which update of one version is which of the other, and that the order does not matter where it is another.

use super::shape::{Map, fitted, put, width};
use super::updates::{Data, Update, Updates};
use super::{Reordering, Shown};
use verdiff_logic::{LogicError, Sort, TermId};
use verdiff_symex::execute::Stop;
use verdiff_symex::regions::Cell;
use verdiff_symex::space::Space;

/// How many ways are tried to say which iteration is which.
const MOST_MAPS: usize = 60;

/// Which iteration of the other version an iteration of an update is.
pub struct Mapped {
    /// Which update.
    pub to: usize,
    /// The numbers of the loops around that, over the numbers of the loops around this one.
    pub numbers: Vec<TermId>,
    /// The other way round, for those that it is a counterpart of.
    pub back: Vec<TermId>,
}

impl Reordering<'_, '_, '_> {
    /// For each update of one version, which of the other it is: in each of its iterations it does to data what that does, and
    /// each iteration of the other version is of one of them, once.
    pub fn mapped(&mut self, from: &Updates, to: &Updates) -> Result<Option<Vec<Mapped>>, Stop> {
        let mut found: Vec<Mapped> = vec![];
        for (number, update) in from.all.iter().enumerate() {
            let Some(mapped) = self.counterpart(from, to, number)? else {
                return Ok(None);
            };
            // Two updates that are the same one are so in different iterations.
            for (other, known) in found.iter().enumerate().filter(|(_, k)| k.to == mapped.to) {
                let others = self.others(&from.all[other])?;
                let own = update.numbers();
                let space = &mut self.stepping.product.space;
                let places = from.all[other].numbered(&others);
                let mut all = vec![
                    from.iterates(space, update, &own)?,
                    from.iterates(space, &from.all[other], &others)?,
                ];
                for (a, b) in mapped.numbers.iter().zip(&known.numbers) {
                    let b = put(space, *b, &places)?;
                    all.push(space.pool.eq(*a, b)?);
                }
                if self.show("no iteration is of two updates", &all)? != Shown::Holds {
                    return Ok(None);
                }
            }
            found.push(mapped);
        }
        // Each iteration of the other version is one of these.
        for (number, update) in to.all.iter().enumerate() {
            let own = update.numbers();
            let space = &mut self.stepping.product.space;
            let mut all = vec![to.iterates(space, update, &own)?];
            for (n, mapped) in found.iter().enumerate().filter(|(_, m)| m.to == number) {
                let back = from.all[n].numbered(&mapped.back);
                let mut same = vec![from.iterates(space, &from.all[n], &mapped.back)?];
                for (own, there) in own.iter().zip(&mapped.numbers) {
                    let there = put(space, *there, &back)?;
                    same.push(space.pool.eq(*own, there)?);
                }
                let same = space.and(&same)?;
                all.push(space.not(same)?);
            }
            if self.show("every iteration has a counterpart", &all)? != Shown::Holds {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Which update of the other version one is, and in which of its own iterations it is one of that.
    fn counterpart(
        &mut self,
        from: &Updates,
        to: &Updates,
        number: usize,
    ) -> Result<Option<Mapped>, Stop> {
        let update = &from.all[number];
        let own = update.numbers();
        for (index, other) in to.all.iter().enumerate() {
            let maps = self.maps(update, other)?;
            let backs = self.maps(other, update)?;
            for numbers in maps {
                if !self.is_same(from, to, (update, other), &numbers)? {
                    continue;
                }
                let places = other.numbered(&numbers);
                for back in &backs {
                    let space = &mut self.stepping.product.space;
                    let mut differs = vec![];
                    for (own, back) in own.iter().zip(back) {
                        let back = put(space, *back, &places)?;
                        differs.push(space.pool.ne(*own, back)?);
                    }
                    let all = [from.iterates(space, update, &own)?, space.or(&differs)?];
                    if self.show("different iterations have different counterparts", &all)?
                        == Shown::Holds
                    {
                        let back = back.clone();
                        return Ok(Some(Mapped { to: index, numbers, back }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Whether an update does in each iteration what another one does in the iterations with these numbers, which there are.
    fn is_same(
        &mut self,
        from: &Updates,
        to: &Updates,
        (update, other): (&Update, &Update),
        numbers: &[TermId],
    ) -> Result<bool, Stop> {
        let own = update.numbers();
        let space = &mut self.stepping.product.space;
        let here = from.iterates(space, update, &own)?;
        let there = to.iterates(space, other, numbers)?;
        let not_there = space.not(there)?;
        let all = [here, not_there];
        if self.show("counterparts are iterations", &all)? != Shown::Holds {
            return Ok(false);
        }
        let space = &mut self.stepping.product.space;
        let own_symbols = &mut self.symbols;
        let (data, others) = (from.any_data(space, own_symbols)?, to.any_data(space, own_symbols)?);
        let left = update.apply(space, &from.written, &own, &data)?;
        let right = other.apply(space, &to.written, numbers, &others)?;
        let differs = self.differs(&left, &right)?;
        let mut all = vec![here, differs];
        all.extend(self.owners((update, from), &own, &data)?);
        all.extend(self.owners((other, to), numbers, &others)?);
        Ok(self.show("counterparts do the same", &all)? == Shown::Holds)
    }

    /// That what both versions have of data is not the same.
    pub fn differs(&mut self, left: &Data, right: &Data) -> Result<TermId, LogicError> {
        let regions = &self.stepping.cut.facts.regions;
        let cells: Vec<Cell> = regions.ids().map(|id| regions.info(id).cell).collect();
        let space = &mut self.stepping.product.space;
        let mut found = vec![];
        for (name, a) in &left.slots {
            if let Some(b) = right.slots.get(name) {
                found.push(space.pool.ne(*a, *b)?);
            }
        }
        for (region, a) in &left.arrays {
            let b = right.arrays[region];
            if *a == b {
                continue;
            }
            let at = self.symbols.get(space, &format!("index.{region}"), Sort::BitVec(64))?;
            let (a, b) = (space.pool.select(*a, at)?, space.pool.select(b, at)?);
            let mut differs = vec![space.pool.ne(a, b)?];
            if let Cell::Words(bytes) = cells[*region] {
                let low = space.pool.bits(64, u128::from(bytes - 1))?;
                let (low, zero) = (space.pool.bv_and(at, low)?, space.pool.bits(64, 0)?);
                differs.push(space.pool.eq(low, zero)?);
            }
            found.push(space.and(&differs)?);
        }
        space.or(&found)
    }

    /// Numbers of other iterations of an update, as symbols.
    fn others(&mut self, update: &Update) -> Result<Vec<TermId>, LogicError> {
        let space = &mut self.stepping.product.space;
        let mut found = vec![];
        for number in update.numbers() {
            let name = match space.pool.as_symbol(number) {
                Some(symbol) => format!("other.{}", space.pool.symbol_name(symbol)),
                None => "other".to_owned(),
            };
            let sort = space.pool.sort(number);
            found.push(self.symbols.get(space, &name, sort)?);
        }
        Ok(found)
    }

    /// Whether two iterations of updates that come in another order in the other version may be done in any order.
    pub fn commute(
        &mut self,
        from: &Updates,
        to: &Updates,
        mapped: &[Mapped],
    ) -> Result<bool, Stop> {
        for (k, first) in from.all.iter().enumerate() {
            for (m, second) in from.all.iter().enumerate() {
                let (own, others) = (first.numbers(), self.others(second)?);
                let space = &mut self.stepping.product.space;
                let places = second.numbered(&others);
                let mut there = vec![];
                for number in &mapped[m].numbers {
                    there.push(put(space, *number, &places)?);
                }
                let here = before(space, (first, &own), (second, &others))?;
                let (a, b) = (&to.all[mapped[k].to], &to.all[mapped[m].to]);
                let turned = before(space, (b, &there), (a, &mapped[k].numbers))?;
                let mut all = vec![
                    here,
                    turned,
                    from.iterates(space, first, &own)?,
                    from.iterates(space, second, &others)?,
                ];
                let conjunction = space.and(&all)?;
                if space.tidy(conjunction)? == space.pool.falsity() {
                    continue;
                }
                let data = from.any_data(space, &mut self.symbols)?;
                let one = first.apply(space, &from.written, &own, &data)?;
                let both = second.apply(space, &from.written, &others, &one)?;
                let other = second.apply(space, &from.written, &others, &data)?;
                let turned = first.apply(space, &from.written, &own, &other)?;
                all.push(self.differs(&both, &turned)?);
                all.extend(self.owners((first, from), &own, &data)?);
                all.extend(self.owners((second, from), &others, &one)?);
                if self.show("updates in another order commute", &all)? != Shown::Holds {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Ways to say which iteration of another update an iteration of one is: for each loop around the other, its number over
    /// the numbers of the loops around this one.
    fn maps(&mut self, from: &Update, to: &Update) -> Result<Vec<Vec<TermId>>, LogicError> {
        let mut found: Vec<Vec<TermId>> = vec![vec![]];
        for index in 0..to.around.len() {
            let mut longer = vec![];
            for known in &found {
                for number in self.numbers_for(from, to, index, known)? {
                    longer.push([&known[..], &[number]].concat());
                }
            }
            found = longer;
        }
        found.truncate(MOST_MAPS);
        Ok(found)
    }

    /// What the number of a loop around an update may be, over those of the loops around another, if the loops further out have
    /// these numbers: so that a counter is what one is there, the same number, or the same from the end.
    fn numbers_for(
        &mut self,
        from: &Update,
        to: &Update,
        index: usize,
        outer: &[TermId],
    ) -> Result<Vec<TermId>, LogicError> {
        let space = &mut self.stepping.product.space;
        let around = &to.around[index];
        let places: Map = to.numbered(outer);
        let Some(bits) = width(&space.pool, around.number) else { return Ok(vec![]) };
        let mut found: Vec<TermId> = vec![];
        let mut named = vec![];
        let mut unnamed = vec![];
        for (name, [first, step]) in &around.counters {
            let (first, step) = (put(space, *first, &places)?, put(space, *step, &places)?);
            for (other, value) in &from.names {
                if space.pool.sort(*value) != space.pool.sort(first) {
                    continue;
                }
                let Some(number) = distance(space, first, step, *value)? else { continue };
                let number = fitted(space, number, bits)?;
                let number = space.tidy(number)?;
                if name == other { named.push(number) } else { unnamed.push(number) }
            }
        }
        let mut same = vec![];
        let mut others = vec![];
        for (n, own) in from.around.iter().enumerate() {
            let number = fitted(space, own.number, bits)?;
            let count = fitted(space, own.count, bits)?;
            let one = space.pool.bits(bits, 1)?;
            let last = space.pool.bv_sub(count, one)?;
            let turned = space.pool.bv_sub(last, number)?;
            let both = [number, space.tidy(turned)?];
            if n == index { same.extend(both) } else { others.extend(both) }
        }
        // Two iterations change places: those whose numbers the code looks for.
        let mut swapped = vec![];
        if let (Some(own), 1, 1) = (from.around.first(), from.around.len(), to.around.len()) {
            let number = fitted(space, own.number, bits)?;
            for update in [from, to] {
                let mut places = vec![];
                for place in update.compared_counts(space)? {
                    places.push(fitted(space, place, bits)?);
                }
                for (n, a) in places.iter().enumerate() {
                    for b in &places[n + 1..] {
                        let (is_a, is_b) = (space.pool.eq(number, *a)?, space.pool.eq(number, *b)?);
                        let other = space.ite(is_b, *a, number)?;
                        let swap = space.ite(is_a, *b, other)?;
                        swapped.push(space.tidy(swap)?);
                    }
                }
            }
        }
        for number in [named, same, others, swapped, unnamed].concat() {
            if !found.contains(&number) {
                found.push(number);
            }
        }
        Ok(found)
    }
}

/// How often a constant is added until something is a value.
pub fn distance(
    space: &mut Space,
    first: TermId,
    step: TermId,
    value: TermId,
) -> Result<Option<TermId>, LogicError> {
    let Some(bits) = width(&space.pool, first).filter(|bits| *bits <= 64) else {
        return Ok(None);
    };
    let Some(constant) = space.constant(step) else { return Ok(None) };
    let shift = 64 - bits;
    let signed = ((constant << shift) as i64) >> shift;
    let way = match signed {
        0 => return Ok(None),
        1.. => space.pool.bv_sub(value, first)?,
        _ => space.pool.bv_sub(first, value)?,
    };
    let size = signed.unsigned_abs();
    let number = match size {
        1 => way,
        _ => {
            let size = space.pool.bits(bits, size.into())?;
            space.pool.bv_udiv(way, size)?
        }
    };
    Ok(Some(space.tidy(number)?))
}

/// When one iteration of an update comes before another one of the same version.
fn before(
    space: &mut Space,
    (first, own): (&Update, &[TermId]),
    (second, others): (&Update, &[TermId]),
) -> Result<TermId, LogicError> {
    let mut found = vec![];
    let mut same = vec![];
    let places = first.position.places.iter().zip(&second.position.places);
    for (level, (a, b)) in places.enumerate() {
        if a != b {
            if a < b {
                found.push(space.and(&same)?);
            }
            break;
        }
        if let (Some(own), Some(other)) = (own.get(level), others.get(level)) {
            let less = space.pool.bv_ult(*own, *other)?;
            found.push(space.and(&[&same[..], &[less]].concat())?);
            same.push(space.pool.eq(*own, *other)?);
        }
    }
    space.or(&found)
}
