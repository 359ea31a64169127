//! Coupling invariants: what holds of the variables of both versions, and of their memories, whenever both are at a
//! pair of places.
//!
//! An invariant is a guess made from runs and weakened by counterexamples to its proof. Nothing rests on how it came
//! about.
//!
//! - Affine equations modulo 2^w between variables of both sides ([`Affine`]); "i is even" is one. Where they leave
//!   variables open, products of variables count as variables, too.
//! - Orders between variables, and of a variable and a small constant.
//! - A variable is what is in memory at a place that the code reads, or two such places hold the same ([`Contents`]):
//!   "the largest so far is the element at the best position".
//! - A variable is what the other version computes ([`Expressed`]).
//! - The memories of both sides are equal, region by region, or equal except in a [`Range`].
//!
//! Variables without a value count as zero.

use super::claims::Claim;
use super::contents::Contents;
use super::coordinates::{Coordinate, polynomials};
use super::equations::{Class, Stated, mask, signed};
use super::expressions::{Expressed, Relevant};
use super::facts::{Fact, begun, candidates, either, narrow};
use super::folds::Related;
use super::ranges::Range;
use super::runs::Point;
use std::collections::{BTreeMap, BTreeSet};
use verdiff_logic::{LogicError, Sort, TermId};
use verdiff_product::affine::Affine;
use verdiff_symex::space::Space;

/// Equations are not looked for among more numbers than this.
const MOST_COORDINATES: usize = 40;
/// How many points show which variables are determined by others.
const SOME_POINTS: usize = 40;

/// A variable of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Var {
    pub side: usize,
    pub index: usize,
    /// How many bits it has; 1 for a truth value.
    pub width: u32,
    pub pointer: bool,
}

/// The variables of both sides as terms, and whether they have values.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    pub values: [&'a [TermId]; 2],
    pub flags: [&'a [TermId]; 2],
}

impl Var {
    pub fn number(self, point: &Point) -> u128 {
        point[self.side][self.index].unwrap_or(0)
    }

    pub fn signed(self, point: &Point) -> i128 {
        let shift = 128 - self.width;
        ((self.number(point) << shift) as i128) >> shift
    }

    /// Its term, as bits.
    pub fn term(self, space: &mut Space, terms: &Terms<'_>) -> Result<TermId, LogicError> {
        let term = terms.values[self.side][self.index];
        match space.pool.sort(term) {
            Sort::Bool => space.pool.bool_to_bits(1, term),
            _ => Ok(term),
        }
    }
}

/// What is taken to hold at a node.
#[derive(Clone, Debug, Default)]
pub struct Invariant {
    vars: Vec<Var>,
    classes: Vec<Class>,
    facts: Vec<Fact>,
    /// Variables that are what is in memory.
    pub contents: Vec<Contents>,
    /// Variables that are what the other version computes.
    pub expressed: Vec<Expressed>,
    /// What is equal in words of functions that the code does not have.
    pub related: Vec<Related>,
    /// The regions in which the memories may differ in a range.
    pub except: BTreeMap<usize, Range>,
    /// The regions in which they may differ anywhere.
    pub apart: BTreeSet<usize>,
    /// The variables that decide how the code goes on, if only these are compared where no run passes.
    deciding: Option<BTreeSet<Var>>,
    /// What orders are guessed of, if not of all variables.
    relevant: Option<Relevant>,
    /// Whether it holds of any point: of none all holds, and that is what it says then.
    seen: bool,
}

impl Invariant {
    /// What says nothing of variables, with all memory equal.
    pub fn same_start() -> Invariant {
        Invariant { seen: true, ..Invariant::default() }
    }

    /// Whether any state is known to satisfy it; if none is, it is false.
    pub fn is_seen(&self) -> bool {
        self.seen
    }

    /// All that holds of these points; with no points, everything does. `deciding` are
    /// the variables that decide how the code goes on, `addressing` those that may have a part in addresses, `relevant` those that orders are guessed of, if not of all. If
    /// `products` are wanted, they are looked at where sums leave something open.
    pub fn learned(
        vars: &[Var],
        points: &[Point],
        deciding: BTreeSet<Var>,
        addressing: &BTreeSet<Var>,
        relevant: Option<Relevant>,
        products: bool,
    ) -> Invariant {
        let mut invariant = Invariant::all_equations(vars);
        invariant.speak_of_addresses(vars, addressing);
        invariant.facts = candidates(vars, points);
        invariant.relevant = relevant;
        invariant.keep_relevant(points);
        invariant.seen = !points.is_empty();
        for point in points {
            invariant.join(point);
        }
        if products && invariant.seen {
            invariant.find_products(&deciding, points);
        }
        invariant.deciding = products.then_some(deciding);
        invariant
    }

    /// Guesses bounds by variables of fewer bits, too.
    pub fn guess_narrow(&mut self, points: &[Point]) {
        if !points.is_empty() {
            self.facts.extend(narrow(&self.vars, points));
        }
    }

    /// Guesses that counters have not passed their bounds, unless they are where they began.
    pub fn guess_begun(&mut self, points: &[Point]) {
        if !points.is_empty() {
            self.facts.extend(begun(&self.vars, points));
        }
    }

    /// Adds facts that hold of these points. Whether there are any.
    pub fn suggest(&mut self, facts: Vec<Fact>, points: &[Point]) -> bool {
        let before = self.facts.len();
        let new = facts.into_iter().filter(|fact| points.iter().all(|point| fact.holds(point)));
        self.facts.extend(new);
        self.facts.len() > before
    }

    /// The equations that say what a variable is, of these terms.
    pub fn needed_of(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
    ) -> Result<Vec<TermId>, LogicError> {
        let said = self.equations_said_of(space, terms)?;
        Ok(said.into_iter().filter(|(claim, _)| *claim == Claim::Needed).map(|(_, s)| s).collect())
    }

    /// Drops comparisons of these variables, and equations that say what no variable is.
    pub fn forget(&mut self, vars: &BTreeSet<Var>) {
        self.facts.retain(|fact| !fact.compares(vars));
        for class in &mut self.classes {
            let chance = class.equations().into_iter().filter(|equation| equation.pivot.is_none());
            class.dropped.extend(chance.map(|equation| equation.coefficients));
        }
    }

    /// Drops orders of variables that they are not guessed of, and guesses more of the others.
    fn keep_relevant(&mut self, points: &[Point]) {
        let Some(relevant) = &self.relevant else { return };
        let not_zero = |fact: &Fact| match fact {
            Fact::NotZero(var) => relevant.vars.contains(var),
            _ => true,
        };
        self.facts.retain(|fact| fact.is_of(&relevant.vars) && not_zero(fact));
        if !points.is_empty() {
            let more = either(&relevant.vars, &self.facts, points);
            self.facts.extend(more);
            let is_not = |(var, number): &(Var, u64)| Fact::IsNot(*var, *number);
            self.facts.extend(relevant.compared.iter().map(is_not));
            self.facts.retain(|fact| points.iter().all(|point| fact.holds(point)));
        }
    }

    /// Looks for equations with products for variables that sums leave open: those of the new side by the old side's or
    /// by their own, those of the old side by others of it.
    fn find_products(&mut self, deciding: &BTreeSet<Var>, points: &[Point]) {
        let mut solved = self.determined(true);
        let linear = self.classes.len();
        for side in [1, 0] {
            let open = |var: &&Var| var.side == side;
            for var in self.vars.clone().iter().filter(open) {
                let usual = var.width > 1 && var.width <= 64;
                if !usual || solved.contains(var) || deciding.contains(var) {
                    continue;
                }
                let others = |sides: &[usize]| -> Vec<Var> {
                    let other =
                        |v: &&Var| *v != var && sides.contains(&v.side) && !solved.contains(v);
                    self.vars.iter().filter(other).copied().collect()
                };
                let among: &[&[usize]] = if side == 1 { &[&[0], &[1], &[0, 1]] } else { &[&[0]] };
                let mut sets =
                    among.iter().flat_map(|sides| polynomials(var.width, &others(sides), points));
                let found = sets.find_map(|set| Class::solved_for(*var, set, points));
                if let Some(class) = found {
                    self.classes.insert(0, class);
                    solved.insert(*var);
                }
            }
        }
        // Comparisons of products are hard, and mostly chance.
        if self.classes.len() > linear {
            self.facts.retain(|fact| fact.is_of(deciding));
        }
    }

    fn all_equations(vars: &[Var]) -> Invariant {
        let mut classes = vec![];
        let widths: BTreeSet<u32> =
            vars.iter().map(|var| var.width).filter(|w| *w > 1 && *w <= 64).collect();
        for width in widths.into_iter().rev() {
            let mut coordinates = vec![];
            for var in vars.iter().filter(|var| var.width <= width && !(var.pointer && width < 64))
            {
                coordinates.push(Coordinate::single(*var, false));
                if var.width < width && var.width > 1 {
                    coordinates.push(Coordinate::single(*var, true));
                }
            }
            coordinates.truncate(MOST_COORDINATES);
            let affine = Affine::all(width, coordinates.len());
            classes.push(Class { width, coordinates, affine, products: None, dropped: vec![] });
        }
        Invariant { vars: vars.to_vec(), classes, ..Invariant::default() }
    }

    /// Puts equations first in which, of the variables that are narrower than addresses, only those take part that may have a
    /// part in addresses. ✗ After a few iterations of four lanes there are more sums than points: each holds some equation with
    /// a pointer by chance, which hides that one pointer is the other one plus four times a counter. They are equations like all
    /// others, of fewer variables.
    fn speak_of_addresses(&mut self, vars: &[Var], addressing: &BTreeSet<Var>) {
        let is_narrow = |var: &&Var| !var.pointer && var.width > 1 && var.width < 64;
        let (own, others): (Vec<Var>, Vec<Var>) =
            vars.iter().filter(is_narrow).partition(|var| addressing.contains(var));
        if others.is_empty() || own.is_empty() || !vars.iter().any(|var| var.pointer) {
            return;
        }
        let whole = vars.iter().filter(|var| var.width == 64);
        let few: Vec<Var> = whole.copied().chain(own).collect();
        let classes = Invariant::all_equations(&few).classes;
        let wide = classes.into_iter().filter(|class| class.width == 64);
        self.classes.splice(0..0, wide);
    }

    /// How many variables of the new side are not determined by equations that hold of some of these points.
    pub fn undetermined_at(vars: &[Var], points: &[Point]) -> usize {
        let mut invariant = Invariant::all_equations(vars);
        let step = points.len().div_ceil(SOME_POINTS).max(1);
        for point in points.iter().step_by(step) {
            for class in &mut invariant.classes {
                class.join(point);
            }
        }
        invariant.undetermined()
    }

    /// Weakens it so that it holds of a point. Whether anything was lost.
    pub fn join(&mut self, point: &Point) -> bool {
        let mut lost = !self.seen;
        if !self.seen {
            self.facts = candidates(&self.vars, std::slice::from_ref(point));
            self.keep_relevant(std::slice::from_ref(point));
            // Of one point most comparisons are chance.
            if let Some(deciding) = &self.deciding {
                self.facts.retain(|fact| fact.is_of(deciding));
            }
            self.seen = true;
        }
        for class in &mut self.classes {
            lost |= class.join(point);
        }
        let broken = |fact: &&Fact| !fact.holds(point);
        let weaker: Vec<Fact> =
            self.facts.iter().filter(broken).filter_map(|fact| fact.weaker(point)).collect();
        let before = self.facts.len();
        self.facts.retain(|fact| fact.holds(point));
        lost |= self.facts.len() < before;
        if self.relevant.is_some() {
            self.facts.extend(weaker);
        }
        lost
    }

    /// The equations that it states; nothing if it is false.
    pub fn stated(&self) -> Option<Vec<Stated>> {
        self.seen.then(|| self.classes.iter().map(Class::stated).collect())
    }

    /// Whether its equations follow from those that it stated before it was weakened.
    pub fn follows_from(&self, before: &Option<Vec<Stated>>) -> bool {
        // From what is false everything follows.
        let Some(before) = before else { return true };
        self.classes.iter().zip(before).all(|(class, before)| class.follows_from(before))
    }

    /// The variables that equations are solved for; if asked for, only those with small coefficients: others are chance.
    fn determined(&self, small: bool) -> BTreeSet<Var> {
        let mut determined: BTreeSet<Var> = BTreeSet::new();
        for class in &self.classes {
            let mut solved = class.affine.solved(&class.wanted());
            solved.retain(|s| !small || class.is_small(s));
            determined.extend(solved.iter().filter_map(|s| class.coordinates[s.pivot?].variable()));
        }
        determined
    }

    /// How many variables of the new side are not determined by equations.
    fn undetermined(&self) -> usize {
        let determined = self.determined(false);
        let new = self.vars.iter().filter(|var| var.side == 1 && !determined.contains(var));
        new.count()
    }

    /// What it says of these terms, memory left out.
    pub fn said_of(&self, space: &mut Space, terms: &Terms<'_>) -> Result<Vec<TermId>, LogicError> {
        let equations = self.equations_said_of(space, terms)?;
        let mut said: Vec<TermId> = equations.into_iter().map(|(_, said)| said).collect();
        said.extend(self.facts_said_of(space, terms)?);
        Ok(said)
    }

    /// Its equations; or that it holds of nothing.
    pub fn equations_said_of(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
    ) -> Result<Vec<(Claim, TermId)>, LogicError> {
        if !self.seen {
            return Ok(vec![(Claim::Needed, space.pool.falsity())]);
        }
        let mut said = vec![];
        for (number, class) in self.classes.iter().enumerate() {
            for solved in class.equations() {
                let (left, right) =
                    class.sides(space, terms, solved.pivot, &solved.coefficients)?;
                let claim = match solved.pivot {
                    Some(_) => Claim::Needed,
                    None => Claim::Equation(number, solved.coefficients),
                };
                said.push((claim, space.pool.eq(left, right)?));
            }
        }
        Ok(said)
    }

    /// Its orders and bounds.
    pub fn facts_said_of(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
    ) -> Result<Vec<TermId>, LogicError> {
        let facts = if self.seen { &self.facts[..] } else { &[] };
        facts.iter().map(|fact| fact.term(space, terms)).collect()
    }

    /// Drops equations that say what no variable is, orders, bounds, and what places hold.
    pub fn drop_claims(&mut self, claims: &[Claim]) {
        for claim in claims {
            if let Claim::Equation(class, coefficients) = claim {
                self.classes[*class].dropped.push(coefficients.clone());
            }
        }
        let mut numbers = 0..;
        self.facts.retain(|_| !claims.contains(&Claim::Fact(numbers.next().unwrap_or(0))));
        let mut numbers = 0..;
        self.contents.retain(|_| !claims.contains(&Claim::Contents(numbers.next().unwrap_or(0))));
        let mut numbers = 0..;
        let dropped = |n: Option<usize>| claims.contains(&Claim::Expressed(n.unwrap_or(0)));
        self.expressed.retain(|_| !dropped(numbers.next()));
        let mut numbers = 0..;
        self.related.retain(|_| !claims.contains(&Claim::Related(numbers.next().unwrap_or(0))));
    }

    /// What symbols are by its equations: each variable that is determined by others, as an expression of these. Only
    /// for variables that are symbols.
    pub fn substitution(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
    ) -> Result<BTreeMap<TermId, TermId>, LogicError> {
        let mut found = BTreeMap::new();
        for class in &self.classes {
            let mut here = BTreeMap::new();
            for solved in class.equations() {
                let Some(pivot) = solved.pivot else { continue };
                let Some(var) = class.coordinates[pivot].variable() else { continue };
                let symbol = terms.values[var.side][var.index];
                let (_, right) = class.sides(space, terms, Some(pivot), &solved.coefficients)?;
                if var.width == class.width && space.pool.as_symbol(symbol).is_some() {
                    here.insert(symbol, right);
                }
            }
            // What a wider class says of a symbol is taken.
            for (symbol, right) in here {
                found.entry(symbol).or_insert(right);
            }
        }
        Ok(found)
    }

    /// Takes variables to be expressions, unless they are known to be others.
    pub fn express(&mut self, found: Vec<Expressed>) {
        for expressed in found {
            if !self.expressed.iter().any(|known| known.var == expressed.var) {
                self.expressed.push(expressed);
            }
        }
    }

    /// Adds the variables that are what the other version computes to what symbols are. (If it goes round in a circle, less is
    /// known, and nothing is wrong: what is given is equal by what holds.)
    pub fn replace_expressed(
        &self,
        space: &mut Space,
        terms: &Terms<'_>,
        symbols: &mut BTreeMap<TermId, TermId>,
    ) -> Result<(), LogicError> {
        for expressed in &self.expressed {
            let symbol = terms.values[expressed.var.side][expressed.var.index];
            let map = symbols.iter().map(|(a, b)| (*a, *b)).collect();
            let by = space.pool.substitute(expressed.term, &map)?;
            let speaks = space.pool.sub_terms(&[by]).contains(&symbol);
            if space.pool.as_symbol(symbol).is_none() || symbols.contains_key(&symbol) || speaks {
                continue;
            }
            let one = [(symbol, by)].into_iter().collect();
            for known in symbols.values_mut() {
                *known = space.pool.substitute(*known, &one)?;
            }
            symbols.insert(symbol, by);
        }
        Ok(())
    }

    /// The equations and orders as text over `old.x` and `new.x`, by the names of variables.
    pub fn text(&self, names: &dyn Fn(Var) -> String) -> Vec<String> {
        let mut texts = vec![];
        for class in &self.classes {
            let solved = class.equations();
            // A wide class says again what a narrow one said of its variables.
            let own = |n: usize| class.coordinates[n].is_whole(class.width);
            for row in solved.iter().filter(|row| row.pivot.is_some_and(own)) {
                let Some(pivot) = row.pivot else { continue };
                let mut right = String::new();
                let mut add = |coefficient: u64, name: Option<String>| {
                    let minus = coefficient.wrapping_neg() & mask(class.width);
                    let value = signed(minus, class.width);
                    if value == 0 {
                        return;
                    }
                    let (sign, size) = (if value < 0 { "-" } else { "+" }, value.unsigned_abs());
                    let factor = match (&name, size) {
                        (Some(name), 1) => name.clone(),
                        (Some(name), _) => format!("{size} * {name}"),
                        (None, _) => size.to_string(),
                    };
                    right = match (right.is_empty(), sign) {
                        (true, "-") => format!("-{factor}"),
                        (true, _) => factor,
                        (false, _) => format!("{right} {sign} {factor}"),
                    };
                };
                for (n, coordinate) in class.coordinates.iter().enumerate() {
                    if n != pivot {
                        add(row.coefficients[n], Some(coordinate.text(names)));
                    }
                }
                add(*row.coefficients.last().unwrap_or(&0), None);
                let right = if right.is_empty() { "0".to_owned() } else { right };
                texts.push(format!("{} == {right}", class.coordinates[pivot].text(names)));
            }
        }
        for contents in &self.contents {
            texts.push(contents.text(names));
        }
        texts.extend(self.expressed.iter().map(|expressed| expressed.text(names)));
        texts.extend(self.related.iter().map(|related| related.text().to_owned()));
        let mut ranges: Vec<&Range> = self.except.values().collect();
        ranges.dedup();
        let except = |range: &Range| format!("memory is equal except for {}", range.text(names));
        texts.extend(ranges.into_iter().map(except));
        texts
    }
}
