//! The smallest combination of atoms that tells the points where a condition holds from those where it
//! does not.
//!
//! Only points count here: whether a combination means the condition everywhere is asked of the solver
//! afterwards.

use crate::effort::{self, Effort, Step};

/// How many points there may be.
pub(super) const MOST_POINTS: usize = 512;
const WORDS: usize = MOST_POINTS / 64;
/// How many choices of literals are looked at for one cube.
const MOST_CHOICES: usize = 4_000;
/// From how many points cubes are grown.
const MOST_SEEDS: usize = 24;
/// How long a condition may be to be one that others depend on.
const GUARD: u32 = 3;
/// Literals of a cube, and cubes of a condition, that anybody would read.
const MOST_PARTS: usize = 8;

/// A set of points. Its loops are plain ones: they are the innermost of the search, and builds for tests hardly inline
/// closures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub(super) struct Points([u64; WORDS]);

impl Points {
    pub(super) fn insert(&mut self, point: usize) {
        self.0[point / 64] |= 1 << (point % 64);
    }

    #[inline]
    fn contains(&self, point: usize) -> bool {
        self.0[point / 64] & (1 << (point % 64)) != 0
    }

    #[inline]
    pub(super) fn and(&self, other: &Points) -> Points {
        let mut all = *self;
        for word in 0..WORDS {
            all.0[word] &= other.0[word];
        }
        all
    }

    pub(super) fn or(&self, other: &Points) -> Points {
        let mut all = *self;
        for word in 0..WORDS {
            all.0[word] |= other.0[word];
        }
        all
    }

    #[inline]
    pub(super) fn without(&self, other: &Points) -> Points {
        let mut all = *self;
        for word in 0..WORDS {
            all.0[word] &= !other.0[word];
        }
        all
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    /// How many points are in both.
    #[inline]
    fn common(&self, other: &Points) -> u32 {
        let mut sum = 0;
        for word in 0..WORDS {
            sum += (self.0[word] & other.0[word]).count_ones();
        }
        sum
    }

    fn count(&self) -> u32 {
        self.common(self)
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let of_word = |word: usize| (64 * word..64 * word + 64).filter(|p| self.contains(*p));
        (0..WORDS).filter(|word| self.0[*word] != 0).flat_map(of_word)
    }
}

/// An atom or its opposite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub(super) atom: usize,
    pub(super) negated: bool,
    /// Where it holds.
    pub(super) holds: Points,
    /// How long it is to read.
    pub(super) cost: u32,
}

/// A combination: an "or" of "and"s, or an "and" of "or"s, or two atoms that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Combination {
    Any(Vec<Vec<Literal>>),
    All(Vec<Vec<Literal>>),
    /// Exactly one of two, where all of these hold.
    Unlike(Vec<Literal>, Literal, Literal),
}

impl Combination {
    /// How long it is to read.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Combination::Unlike(guards, a, b) => {
                a.cost + b.cost + 5 + guards.iter().map(|l| l.cost + 1).sum::<u32>()
            }
            Combination::Any(groups) | Combination::All(groups) => {
                let one = |group: &Vec<Literal>| {
                    let inner = group.iter().map(|l| l.cost + 1).sum::<u32>();
                    inner + u32::from(group.len() > 1 && groups.len() > 1)
                };
                groups.iter().map(one).sum()
            }
        }
    }
}

impl Combination {
    /// The combination without one of its literals, counted through; `None` if there is no such literal.
    pub(super) fn without(&self, position: usize) -> Option<Combination> {
        let (Combination::Any(groups) | Combination::All(groups)) = self else { return None };
        if groups.iter().map(Vec::len).sum::<usize>() < 2 {
            return None;
        }
        let mut left = position;
        let mut smaller = groups.clone();
        for group in &mut smaller {
            if left < group.len() {
                group.remove(left);
                smaller.retain(|group| !group.is_empty());
                return Some(match self {
                    Combination::Any(_) => Combination::Any(smaller),
                    _ => Combination::All(smaller),
                });
            }
            left -= group.len();
        }
        None
    }
}

/// The cheapest combination that holds at all of `yes` and at none of `no`, among those that are looked at before the meter of work reaches `end`.
pub(super) fn smallest(
    literals: &[Literal],
    yes: Points,
    no: Points,
    end: Effort,
) -> Option<Combination> {
    let mut shapes = vec![];
    if let Some(groups) = any_of(literals, yes, no, end) {
        shapes.push(Combination::Any(groups));
    }
    // An "and" of "or"s is the opposite of an "or" of "and"s of the opposites.
    if let Some(groups) = any_of(literals, no, yes, end) {
        let opposite = |l: &Literal| {
            let find = |m: &&Literal| m.atom == l.atom && m.negated != l.negated;
            literals.iter().find(find).copied()
        };
        let turned: Option<Vec<Vec<Literal>>> =
            groups.iter().map(|group| group.iter().map(opposite).collect()).collect();
        shapes.extend(turned.map(Combination::All));
    }
    shapes.extend(unlike(literals, &[], yes, no));
    // Behind a pointer, or in a range: what must hold in any case comes first.
    let needed = literals.iter().filter(|l| yes.without(&l.holds).is_empty());
    for guard in needed.filter(|l| l.cost <= GUARD) {
        shapes.extend(unlike(literals, &[*guard], yes, no.and(&guard.holds)));
    }
    shapes.into_iter().min_by_key(Combination::cost)
}

/// Two atoms of which exactly one holds.
fn unlike(
    literals: &[Literal],
    guards: &[Literal],
    yes: Points,
    no: Points,
) -> Option<Combination> {
    let all = yes.or(&no);
    let mut known = rustc_hash::FxHashMap::default();
    for literal in literals.iter().filter(|l| !l.negated) {
        known.entry(literal.holds.and(&all)).or_insert(*literal);
    }
    let pair = |first: &Literal| {
        let here = first.holds.and(&all);
        let wanted = here.without(&yes).or(&yes.without(&here));
        let second = known.get(&wanted)?;
        (first.atom != second.atom).then(|| Combination::Unlike(guards.to_vec(), *first, *second))
    };
    literals.iter().filter_map(pair).min_by_key(Combination::cost)
}

/// Cubes that together hold at all of `yes` and nowhere in `no`.
fn any_of(literals: &[Literal], yes: Points, no: Points, end: Effort) -> Option<Vec<Vec<Literal>>> {
    let mut cubes: Vec<(Vec<Literal>, Points)> = vec![];
    // One cube for all, if there is one.
    let everywhere: Vec<Literal> =
        literals.iter().filter(|l| yes.without(&l.holds).is_empty()).copied().collect();
    if let Some(cube) = cube(&everywhere, no, end) {
        return Some(vec![cube]);
    }
    let seeds: Vec<usize> = yes.iter().collect();
    let step = seeds.len().div_ceil(MOST_SEEDS).max(1);
    let mut open = yes;
    // Spread over all points first, then from what is left.
    let spread: Vec<usize> = seeds.iter().step_by(step).copied().collect();
    let grow = |seed: usize, wanted: Points, cubes: &mut Vec<(Vec<Literal>, Points)>| {
        let here: Vec<Literal> =
            literals.iter().filter(|l| l.holds.contains(seed)).copied().collect();
        let found = [cube(&here, no, end), wide_cube(&here, wanted, no)];
        for cube in found.into_iter().flatten() {
            let holds = cube.iter().fold(yes, |all, l| all.and(&l.holds));
            let cost = |cube: &[Literal]| cube.iter().map(|l| l.cost + 1).sum::<u32>();
            match cubes.iter_mut().find(|(_, other)| *other == holds) {
                Some((other, _)) if cost(&cube) < cost(other) => *other = cube,
                Some(_) => {}
                None => cubes.push((cube, holds)),
            }
        }
    };
    for seed in spread {
        if effort::spent() >= end {
            return None;
        }
        grow(seed, yes, &mut cubes);
        open = cubes.iter().fold(open, |open, (_, holds)| open.without(holds));
    }
    for _ in 0..MOST_SEEDS {
        let Some(seed) = open.iter().next() else { break };
        let before = cubes.len();
        grow(seed, open, &mut cubes);
        if cubes.len() == before {
            return None;
        }
        open = cubes.iter().fold(open, |open, (_, holds)| open.without(holds));
    }
    let cost = |cube: &[Literal]| cube.iter().map(|l| l.cost + 1).sum::<u32>() + 1;
    let options: Vec<(Points, u32)> =
        cubes.iter().map(|(cube, holds)| (*holds, cost(cube))).collect();
    let chosen = cover(yes, &options, end)?;
    Some(chosen.into_iter().map(|index| cubes[index].0.clone()).collect())
}

/// The cheapest literals of which at each point of `no` one fails.
fn cube(literals: &[Literal], no: Points, end: Effort) -> Option<Vec<Literal>> {
    let options: Vec<(Points, u32)> =
        literals.iter().map(|l| (no.without(&l.holds), l.cost + 1)).collect();
    Some(cover(no, &options, end)?.into_iter().map(|index| literals[index]).collect())
}

/// Literals of which at each point of `no` one fails, and which hold at many points of `yes`: taken one by one.
fn wide_cube(literals: &[Literal], yes: Points, no: Points) -> Option<Vec<Literal>> {
    let (mut cube, mut kept, mut open): (Vec<Literal>, _, _) = (vec![], yes, no);
    while !open.is_empty() {
        if cube.len() >= MOST_PARTS {
            return None;
        }
        effort::count(Step::Literal, literals.len() as u64 * 2);
        let worth = |l: &&Literal| {
            let fails = u64::from(open.without(&l.holds).count());
            let keeps = u64::from(kept.common(&l.holds));
            (fails > 0).then(|| keeps * keeps * fails * 100 / u64::from(l.cost + 2))
        };
        let best = literals.iter().filter_map(|l| Some((worth(&l)?, l))).max_by_key(|(w, _)| *w);
        let (_, literal) = best?;
        cube.push(*literal);
        kept = kept.and(&literal.holds);
        open = open.and(&literal.holds);
    }
    Some(cube)
}

/// The cheapest options that cover everything: branch and bound, with the first answer found greedily.
fn cover(all: Points, options: &[(Points, u32)], end: Effort) -> Option<Vec<usize>> {
    if all.is_empty() {
        return Some(vec![]);
    }
    let mut covered = vec![0; MOST_POINTS];
    for point in all.iter() {
        covered[point] = options.iter().filter(|(points, _)| points.contains(point)).count();
    }
    effort::count(Step::Literal, options.len() as u64 * u64::from(all.count()) / 8);
    let best = greedy(all, options);
    let mut search = Cover { options, covered, best, choices: MOST_CHOICES, end };
    search.branch(all, 0, &mut vec![]);
    let (_, chosen) = search.best?;
    (chosen.len() <= MOST_PARTS).then_some(chosen)
}

fn greedy(all: Points, options: &[(Points, u32)]) -> Option<(u32, Vec<usize>)> {
    let (mut open, mut cost, mut chosen) = (all, 0, vec![]);
    while !open.is_empty() {
        effort::count(Step::Literal, options.len() as u64);
        let worth = |(points, cost): &(Points, u32)| points.common(&open) * 1000 / (cost + 1);
        let (index, option) = options.iter().enumerate().max_by_key(|(_, o)| worth(o))?;
        if option.0.and(&open).is_empty() {
            return None;
        }
        chosen.push(index);
        cost += option.1;
        open = open.without(&option.0);
    }
    Some((cost, chosen))
}

struct Cover<'a> {
    options: &'a [(Points, u32)],
    /// How many options cover each point.
    covered: Vec<usize>,
    end: Effort,
    best: Option<(u32, Vec<usize>)>,
    choices: usize,
}

impl Cover<'_> {
    /// Covers what is open, at most as dear as the best so far; the depth is that of [`MOST_PARTS`].
    fn branch(&mut self, open: Points, cost: u32, chosen: &mut Vec<usize>) {
        if open.is_empty() {
            if self.best.as_ref().is_none_or(|(best, _)| cost < *best) {
                self.best = Some((cost, chosen.clone()));
            }
            return;
        }
        if chosen.len() >= MOST_PARTS {
            return;
        }
        if effort::spent() >= self.end {
            self.choices = 0;
            return;
        }
        effort::count(Step::Literal, self.options.len() as u64);
        // The point that fewest options cover leaves the fewest choices.
        let hardest = open.iter().take(16).min_by_key(|point| self.covered[*point]);
        let Some(hardest) = hardest else { return };
        // What is too dear already is not sorted, and the price of each option is computed once: this is the innermost
        // loop of the search.
        let too_dear = |dear: u32| self.best.as_ref().is_some_and(|(best, _)| cost + dear >= *best);
        let possible = self.options.iter().enumerate();
        let possible = possible.filter(|(_, o)| o.0.contains(hardest) && !too_dear(o.1));
        let mut here: Vec<usize> = possible.map(|(index, _)| index).collect();
        here.sort_by_cached_key(|i| {
            let (points, cost) = &self.options[*i];
            (u64::from(*cost) << 20) / u64::from(points.common(&open) + 1)
        });
        for index in here {
            let (points, dear) = self.options[index];
            if self.best.as_ref().is_some_and(|(best, _)| cost + dear >= *best) {
                continue;
            }
            if self.choices == 0 {
                return;
            }
            self.choices -= 1;
            chosen.push(index);
            self.branch(open.without(&points), cost + dear, chosen);
            chosen.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[usize]) -> Points {
        let mut points = Points::default();
        list.iter().for_each(|p| points.insert(*p));
        points
    }

    /// Literals over eight points, each atom with its opposite.
    fn literals(atoms: &[&[usize]]) -> Vec<Literal> {
        let all = points(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let both = |(atom, list): (usize, &&[usize])| {
            let holds = points(list);
            let opposite = all.without(&holds);
            [(false, holds), (true, opposite)].map(|(negated, holds)| Literal {
                atom,
                negated,
                holds,
                cost: 3,
            })
        };
        atoms.iter().enumerate().flat_map(both).collect()
    }

    #[test]
    fn the_smallest_combination_is_found() {
        let names = |shape: Option<Combination>| match shape {
            Some(Combination::Any(groups) | Combination::All(groups)) => groups
                .iter()
                .map(|g| {
                    let mut group: Vec<_> = g.iter().map(|l| (l.atom, l.negated)).collect();
                    group.sort_unstable();
                    group
                })
                .collect::<Vec<_>>(),
            _ => vec![],
        };
        let list = literals(&[&[0, 1, 2, 3], &[2, 3, 4, 5], &[2, 3]]);
        let all = points(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let one = points(&[2, 3]);
        assert_eq!(
            names(smallest(&list, one, all.without(&one), Effort::UNLIMITED)),
            [[(2, false)]]
        );
        let both = literals(&[&[0, 1, 2, 3], &[2, 3, 4, 5]]);
        assert_eq!(
            names(smallest(&both, one, all.without(&one), Effort::UNLIMITED)),
            [[(0, false), (1, false)]]
        );
        let either = points(&[0, 1, 2, 3, 4, 5]);
        let found = smallest(&both, either, all.without(&either), Effort::UNLIMITED);
        assert_eq!(found.map(|s| s.cost()), Some(8));
        let exactly_one = points(&[0, 1, 4, 5]);
        let found = smallest(&both, exactly_one, all.without(&exactly_one), Effort::UNLIMITED);
        assert!(matches!(found, Some(Combination::Unlike(..))), "{found:?}");
        let lost = points(&[0]);
        assert_eq!(smallest(&both, lost, all.without(&lost), Effort::UNLIMITED), None);
    }
}
