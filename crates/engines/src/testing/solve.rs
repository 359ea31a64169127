//! Values that flip a branch, from what was compared.
//!
//! A run is repeated with one bit of one number of its entry state changed, for each bit in turn; that shows how
//! both operands of each comparison depend on the number. Where the dependence is linear over
//! bits (extensions, truncations, masks, shifts, exclusive or, bytes in another order) a system of equations gives the value for which
//! the operands are equal; where it is linear over numbers (sums, constant factors), an equation
//! does. This is input-to-state correspondence as in Redqueen (Aschermann et al., NDSS 2019), with
//! the encodings solved for rather than listed. A wrong guess costs a run and nothing else.

use super::input_locations::{InputLocation, Number, Places};
use super::search::DifferenceSearch;
use super::watch::{ComparedNumbers, Decisions};
use std::collections::HashMap;
use std::rc::Rc;
use verdiff_model::state::{EntryState, layout};
use verdiff_model::types::mask;
use verdiff_product::direction::Direction;
use verdiff_symex::guide::FAR;

/// No more numbers of one entry state are looked at,
const NUMBERS: usize = 20;
/// nor more comparisons of one run.
const COMPARISONS: usize = 40;
/// The same where the change is known: those that have nothing to do with the way there cost little, and the comparisons that come next to
/// it come first.
const NUMBERS_NEAR: usize = 64;
const COMPARISONS_NEAR: usize = 32;
const EQUALLY_NEAR: usize = 4;
/// How many comparisons are looked at when an earlier condition is to be restored, how often that is nested, and for how many states.
const COMPARISONS_AGAIN: usize = 4;
const NESTED: usize = 2;
const RESTORED: usize = 6;
/// So many single bits are tried that decide a comparison in another way.
const DECIDING: usize = 3;
/// A switch is taken to compare with so many numbers of the text.
const CASES: usize = 24;

/// The comparisons of a run of both sides.
type RunComparisons = [Vec<ComparedNumbers>; 2];

impl DifferenceSearch<'_> {
    /// Looks at the comparisons of an entry state of the queue: first only at those where the run turned away from the change. If one of
    /// them is flipped, the state that comes nearer is the next to be looked at, and this one stays open. A run of a large procedure costs as
    /// much as the procedure is long, so a way of several conditions is found soon only if each of them takes few runs.
    pub(super) fn analyse(&mut self, index: usize) {
        let directed = self.runner.watch.direction.is_some();
        let item = &mut self.queue[index];
        let (base, places) = (item.entry.clone(), item.places.clone());
        let item = &mut self.queue[index];
        if directed && !item.glanced && item.far != 0 && item.far != FAR {
            item.glanced = true;
            let steps = self.steps;
            self.solve(&base, &places, &mut vec![], Some(steps));
            self.goes_on_from = None;
            if self.steps > steps {
                return;
            }
        }
        self.queue[index].analysed = true;
        self.solve(&base, &places, &mut vec![], None);
    }

    /// Tries values that flip what a run compares. What is `fixed` keeps its value. A value that brings a run near to the change may break a
    /// condition before that: then other numbers are changed to restore it. With a `goal`, few comparisons are looked at, and only until there are
    /// more steps towards the change than that.
    fn solve(
        &mut self,
        base: &EntryState,
        places: &Places,
        fixed: &mut Vec<InputLocation>,
        goal: Option<u64>,
    ) {
        let directed = self.runner.watch.direction.is_some();
        self.runner.watch.decisions = if directed { Decisions::Kept } else { Decisions::Own };
        let compared = self.recorded(base);
        self.runner.watch.decisions = Decisions::Own;
        let Some(compared) = compared else { return };
        let nearest = self.runner.watch.nearest;
        self.goes_on_from = goal.map(|_| self.runner.watch.blocks);
        let chosen = [0, 1]
            .map(|side| critical(&compared[side], directed, !fixed.is_empty(), goal.is_some()));
        for (side, chosen) in chosen.iter().enumerate() {
            chosen.iter().for_each(|at| self.learn(&compared[side][*at]));
        }
        let most = if directed { NUMBERS_NEAR } else { NUMBERS };
        let free = |n: &&Number| n.ty.is_int() && !fixed.contains(&n.place);
        let numbers: Vec<Number> = places.numbers.iter().filter(free).take(most).copied().collect();
        let mut entry = base.clone();
        let mut broken: Vec<(EntryState, InputLocation)> = vec![];
        for number in numbers {
            let width = number.width();
            let value = number.get(base);
            number.set(&mut entry, value.wrapping_add(1));
            let next = self.compared(&entry);
            if directed {
                number.set(&mut entry, !value);
                let other = self.compared(&entry);
                let moves = |run| moves(&compared, &chosen, run);
                if !moves(&next) && !moves(&other) {
                    entry.clone_from(base);
                    continue;
                }
            }
            let mut flipped = Vec::with_capacity(usize::from(width));
            for bit in 0..width {
                number.set(&mut entry, value ^ 1 << bit);
                flipped.push(self.compared(&entry));
                if self.is_over() {
                    return;
                }
            }
            let mut wanted = vec![];
            for (side, list) in compared.iter().enumerate() {
                for at in &chosen[side] {
                    let with = |run: &Option<RunComparisons>| aligned(run, side, &list[*at], *at);
                    let columns: Vec<Option<ComparedNumbers>> = flipped.iter().map(with).collect();
                    wanted.extend(deciding(&list[*at], &columns, value));
                    let known = (value, width);
                    self.solutions(&list[*at], side, known, &columns, with(&next), &mut wanted);
                }
            }
            wanted.iter_mut().for_each(|value| *value &= mask(width));
            let mut seen = std::collections::HashSet::new();
            wanted.retain(|value| seen.insert(*value));
            for (order, value) in wanted.into_iter().enumerate() {
                number.set(&mut entry, value);
                self.attempt(&entry);
                if self.is_over() || goal.is_some_and(|steps| self.steps > steps) {
                    return;
                }
                // Those for the nearest comparisons come first.
                let further = self.runner.watch.nearest > nearest;
                if directed && further && order < 4 && broken.len() < RESTORED {
                    broken.push((entry.clone(), number.place));
                }
            }
            entry.clone_from(base);
        }
        if fixed.len() >= NESTED || goal.is_some() {
            return;
        }
        for (entry, place) in broken {
            fixed.push(place);
            self.solve(&entry, places, fixed, None);
            fixed.pop();
            if self.is_over() {
                return;
            }
        }
    }

    /// The comparisons of both sides' runs from a changed state. Where the change of the program is known, they go the way of the state that was
    /// changed: a number that decides early what is compared late can be solved for then, too.
    fn compared(&mut self, entry: &EntryState) -> Option<RunComparisons> {
        match self.runner.watch.direction {
            Some(_) => self.runner.forced(entry),
            None => self.recorded(entry),
        }
    }

    /// The comparisons of both sides' runs.
    fn recorded(&mut self, entry: &EntryState) -> Option<RunComparisons> {
        self.runner.watch.recording = true;
        let ran = self.attempt(entry);
        self.runner.watch.recording = false;
        ran.then(|| self.runner.watch.comparisons.clone())
    }

    fn learn(&mut self, comparison: &ComparedNumbers) {
        for operand in [comparison.lhs, comparison.rhs] {
            let known = self.operands.contains(&operand);
            if self.operands.len() < 256 && !known && !layout::may_be_address(operand) {
                self.operands.push(operand);
            }
        }
    }

    /// Values for which the operands of a comparison might be equal, or next to it.
    fn solutions(
        &mut self,
        comparison: &ComparedNumbers,
        side: usize,
        (value, width): (u128, u16),
        columns: &[Option<ComparedNumbers>],
        next: Option<ComparedNumbers>,
        wanted: &mut Vec<u128>,
    ) {
        let affected = columns
            .iter()
            .flatten()
            .any(|other| (other.lhs, other.rhs) != (comparison.lhs, comparison.rhs));
        if !affected {
            return;
        }
        let rivals: Vec<u64> = if comparison.switch {
            let (procedure, block) = comparison.block;
            let cases = |d: &Rc<Direction>| d.cases(self.programs[side], side, procedure, block);
            let near = self.runner.watch.direction.as_ref().map(cases).unwrap_or_default();
            let ints = self.text.ints.iter().map(|(_, bits)| *bits as u64);
            near.into_iter().chain(ints).take(CASES).collect()
        } else {
            vec![comparison.rhs]
        };
        let columns: Vec<u64> = columns
            .iter()
            .map(|other| {
                let change = |c: &ComparedNumbers| c.lhs ^ c.rhs ^ comparison.lhs ^ comparison.rhs;
                other.as_ref().map_or(0, change)
            })
            .collect();
        let system = Bits::new(&columns);
        for rhs in rivals {
            let mut solved = vec![];
            if let Some(change) = system.solve(comparison.lhs ^ rhs) {
                solved.push(value ^ change);
                for free in &system.free {
                    solved.push(value ^ change ^ free);
                }
                solved.truncate(6);
                if !system.free.is_empty() {
                    let word = self.random.wide();
                    let pick =
                        |(at, free): (usize, &u128)| if word >> at & 1 == 1 { *free } else { 0 };
                    let some = system.free.iter().enumerate().map(pick).fold(0, |a, b| a ^ b);
                    solved.push(value ^ change ^ some);
                }
            }
            if let Some(next) = next {
                let difference = comparison.lhs.wrapping_sub(rhs);
                let rhs = if comparison.switch { rhs } else { next.rhs };
                let slope = next.lhs.wrapping_sub(rhs).wrapping_sub(difference);
                let narrow = [comparison.lhs, comparison.rhs, next.lhs, rhs]
                    .iter()
                    .all(|operand| *operand < 1 << 32);
                let bits = if narrow { 32 } else { 64 };
                let steps = steps_to_zero(difference, slope, bits);
                solved.extend(steps.map(|step| value.wrapping_add(step as i128 as u128)));
            }
            let exact = solved.len();
            for at in 0..exact {
                // Beside it a comparison by order flips.
                solved.extend([solved[at].wrapping_add(1), solved[at].wrapping_sub(1)]);
            }
            wanted.extend(solved);
            for operand in [comparison.lhs, rhs] {
                let wide = u128::from(operand);
                let narrow = operand as u32 as i32 as i128 as u128;
                wanted.extend([wide, wide.wrapping_add(1), wide.wrapping_sub(1), narrow]);
                wanted.extend([wide.wrapping_neg(), !wide]);
            }
        }
        wanted.retain(|other| {
            *other & mask(width) != value && !layout::may_be_address(*other as u64)
        });
    }
}

/// Which comparisons to look at: the nearest to the change first.
fn critical(list: &[ComparedNumbers], directed: bool, again: bool, nearest: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..list.len()).collect();
    if directed {
        // Of equally near ones the last: that is where the run turned away. But what looks near may not be on any way that is
        // taken (a computed goto leads to every label), so there are some of each distance.
        order.sort_by_key(|at| (list[*at].far, std::cmp::Reverse(*at)));
        let mut seen = HashMap::new();
        order.retain(|at| {
            let count = seen.entry(list[*at].far).or_insert(0);
            *count += 1;
            *count <= EQUALLY_NEAR
        });
    }
    if nearest {
        let far = order.first().map(|at| list[*at].far);
        order.retain(|at| Some(list[*at].far) == far);
    }
    let most = match (directed, again) {
        (_, true) => COMPARISONS_AGAIN,
        (true, false) => COMPARISONS_NEAR,
        (false, false) => COMPARISONS,
    };
    order.truncate(most);
    order
}

/// Values with one bit changed after which a comparison is decided in another way: whatever it compares, also where the operands are equal now
/// and must not be.
fn deciding(here: &ComparedNumbers, columns: &[Option<ComparedNumbers>], value: u128) -> Vec<u128> {
    let decides = |column: &Option<ComparedNumbers>| {
        let (now, then) = (here.decides, column.as_ref().and_then(|c| c.decides));
        now.is_some() && then.is_some() && now != then
    };
    let bits = columns.iter().enumerate().filter(|(_, column)| decides(column));
    bits.map(|(bit, _)| value ^ 1 << bit).take(DECIDING).collect()
}

/// Whether another run compares something else where it matters.
fn moves(
    compared: &RunComparisons,
    chosen: &[Vec<usize>; 2],
    run: &Option<RunComparisons>,
) -> bool {
    (0..2).any(|side| {
        chosen[side].iter().any(|at| {
            let here = &compared[side][*at];
            let there = aligned(run, side, here, *at);
            there.is_none_or(|there| (there.lhs, there.rhs) != (here.lhs, here.rhs))
        })
    })
}

/// The comparison of another run that is this run's comparison number `at`: of the same site, when that compared for the same
/// time.
fn aligned(
    run: &Option<RunComparisons>,
    side: usize,
    comparison: &ComparedNumbers,
    at: usize,
) -> Option<ComparedNumbers> {
    let other = &run.as_ref()?[side];
    let same = |c: &&ComparedNumbers| c.site == comparison.site && c.time == comparison.time;
    other.get(at).filter(same).or_else(|| other.iter().find(same)).copied()
}

/// Linear equations over bits, by Gaussian elimination.
struct Bits {
    /// For each highest bit, a change with it and which unknowns make it.
    basis: Vec<(u64, u128)>,
    /// Sets of unknowns that change nothing together.
    free: Vec<u128>,
}

impl Bits {
    /// `columns[i]` is what unknown `i` changes.
    fn new(columns: &[u64]) -> Bits {
        let mut system = Bits { basis: vec![], free: vec![] };
        for (at, column) in columns.iter().enumerate() {
            let (rest, combination) = system.reduce(*column, 1 << at);
            if rest == 0 {
                system.free.push(combination);
            } else {
                system.basis.push((rest, combination));
                system.basis.sort_by_key(|(change, _)| std::cmp::Reverse(*change));
            }
        }
        system
    }

    fn reduce(&self, mut change: u64, mut combination: u128) -> (u64, u128) {
        for (known, makes) in &self.basis {
            if change ^ known < change {
                change ^= known;
                combination ^= makes;
            }
        }
        (change, combination)
    }

    /// Unknowns that together make this change.
    fn solve(&self, change: u64) -> Option<u128> {
        let (rest, combination) = self.reduce(change, 0);
        (rest == 0).then_some(combination)
    }
}

/// How often a number must go up until `difference` is zero, if each time it changes by `slope`
/// modulo 2^`bits`; and where it comes next to zero without wrapping.
fn steps_to_zero(difference: u64, slope: u64, bits: u32) -> impl Iterator<Item = i64> {
    let all = if bits == 64 { u64::MAX } else { (1 << bits) - 1 };
    let (slope, wanted) = (slope & all, difference.wrapping_neg() & all);
    let mut steps = vec![];
    if slope != 0 {
        let twos = slope.trailing_zeros();
        if wanted.trailing_zeros() >= twos {
            let period = all >> twos;
            let odd = slope >> twos;
            // Newton's iteration for the inverse of an odd number: each round doubles the right bits.
            let mut inverse = odd;
            for _ in 0..6 {
                inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
            }
            let step = (wanted >> twos).wrapping_mul(inverse) & period;
            steps.push(step as i64);
            if twos > 0 {
                steps.push(step.wrapping_add(period.wrapping_add(1)) as i64);
            }
        }
        let sign = |bits_of: u64| (bits_of << (64 - bits)) as i64 >> (64 - bits);
        if let Some(step) = sign(wanted).checked_div(sign(slope)) {
            steps.push(step);
        }
    }
    steps.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equations_over_bits_are_solved() {
        // A byte's bits in reverse order, the lowest two ignored.
        let columns: Vec<u64> = (0..8).map(|i| if i < 2 { 0 } else { 1 << (7 - i) }).collect();
        let system = Bits::new(&columns);
        assert_eq!(system.solve(0b10_0001), Some(0b1000_0100));
        assert_eq!(system.solve(0b100_0000), None);
        assert_eq!(system.free, [1, 2]);
    }

    #[test]
    fn equations_over_numbers_are_solved() {
        // 3 * x + 7 == 0 and 12 * x - 24 == 0 modulo 2^32.
        let solved: Vec<i64> = steps_to_zero(7, 3, 32).collect();
        assert!(solved.iter().any(|x| 3u32.wrapping_mul(*x as u32).wrapping_add(7) == 0));
        let solved: Vec<i64> = steps_to_zero(24u64.wrapping_neg(), 12, 32).collect();
        assert!(solved.contains(&2));
        assert_eq!(steps_to_zero(1, 0, 64).count(), 0);
    }
}
