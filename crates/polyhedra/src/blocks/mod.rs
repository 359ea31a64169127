//! Polyhedra in independent blocks of variables.
//!
//! Most variables of a program are not related with most others, and the cost of double description
//! is exponential in the number of variables that are described together. [`Blocks`] keeps a polyhedron as
//! a product of smaller ones (as ELINA does: Singh, Püschel, Vechev, "Fast polyhedra abstract
//! domain", POPL 2017): each block has some of the variables, and a variable in no block has any
//! value. Blocks are merged when a constraint or an assignment relates their variables, and split
//! again, into the finest factors, when an operation may have separated them.
//!
//! All operations are exact: the set of points is the same as that of one
//! [`Polyhedron`] over all variables after the same operations, and the tests check that.
//! - Constraints and assignments touch the blocks of the variables that occur in them.
//! - A join leaves blocks alone that are equal in both operands, and frees variables that are free in one of them:
//!   the hull of `A × Q` and `B × Q` is the hull of `A` and `B`, times `Q`. All other blocks become one.
//! - The bound of a sum over several blocks is the sum of the bounds, so inclusion needs no merging.
//! - Widening keeps facets, and the facets of a product are those of its factors.

mod change;
mod domain;
mod join;

use crate::domain::Domain;
use crate::limits::{ConversionLimits, Exceeded, Meter};
use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::{Bound, Bounds, Polyhedron};
use std::fmt;
use std::sync::Arc;

/// A convex polyhedron as a product of polyhedra over few variables.
///
/// ```
/// use verdiff_polyhedra::{Blocks, Domain, Linear, Var};
/// let [a, b, c, d] = [0, 1, 2, 3].map(Var);
/// let mut state = Blocks::top(4);
/// state.meet_constraints(&[(a + 0).at_most(b), (c + 0).at_most(d)]);
/// assert_eq!(state.partition(), [vec![a, b], vec![c, d]]);
/// state.meet_constraints(&[(b + 0).at_most(c)]);
/// assert_eq!(state.partition(), [vec![a, b, c, d]]);
/// state.assign(c, &7.into());
/// assert_eq!(state.partition(), [vec![a, b, d], vec![c]]);
/// ```
#[derive(Clone)]
pub struct Blocks {
    dimension: usize,
    /// Sorted by their first variable; `None` if there is no point. Values that were copied share
    /// the blocks in which they do not differ, and operations on two values skip those.
    blocks: Option<Vec<Arc<Block>>>,
}

/// A factor.
#[derive(Clone)]
struct Block {
    /// Sorted; variable `vars[i]` is dimension `i` of `value`.
    vars: Vec<Var>,
    value: Polyhedron,
    /// Whether it is known that there are no smaller factors.
    finest: bool,
}

impl Block {
    /// The place of a variable in this block, which must have it.
    fn place(&self, var: Var) -> Var {
        Var(self.vars.binary_search(&var).expect("a variable of the block"))
    }

    fn has(&self, var: Var) -> bool {
        self.vars.binary_search(&var).is_ok()
    }

    fn name(&self, place: Var) -> Var {
        self.vars[place.0]
    }
}

impl Blocks {
    /// The variables of each block. Variables in no block have any value. Blocks are split as far as
    /// possible first.
    pub fn partition(&self) -> Vec<Vec<Var>> {
        let mut split = self.clone();
        // Without limits nothing is exceeded.
        let _ = split.split_all(&mut Meter::new(ConversionLimits::NONE));
        split.blocks.iter().flatten().map(|block| block.vars.clone()).collect()
    }

    /// Converts all blocks, within limits. Afterwards questions cost little.
    pub fn convert(&self, limits: ConversionLimits) -> Result<(), Exceeded> {
        self.convert_within(&mut Meter::new(limits))
    }

    pub(crate) fn convert_within(&self, meter: &mut Meter) -> Result<(), Exceeded> {
        self.blocks.iter().flatten().try_for_each(|block| block.value.convert_within(meter))
    }

    /// The same set of points as one polyhedron over all variables.
    pub fn to_polyhedron(&self) -> Polyhedron {
        let mut result = Polyhedron::top(self.dimension);
        result.meet_constraints(&self.constraints());
        result
    }

    /// Notes if a block has no point. Says whether there is any point left.
    fn check(&mut self, meter: &mut Meter) -> Result<bool, Exceeded> {
        for block in self.blocks.iter().flatten() {
            block.value.convert_within(meter)?;
        }
        if self.blocks.iter().flatten().any(|block| block.value.is_empty()) {
            self.blocks = None;
        }
        Ok(self.blocks.is_some())
    }

    /// Splits all blocks into their finest factors. Says whether there is any point.
    fn split_all(&mut self, meter: &mut Meter) -> Result<bool, Exceeded> {
        if !self.check(meter)? {
            return Ok(false);
        }
        if self.blocks.iter().flatten().all(|block| block.finest) {
            return Ok(true);
        }
        let old = self.blocks.take().unwrap_or_default();
        let mut blocks = Vec::with_capacity(old.len());
        for block in old {
            split_into(block, &mut blocks);
        }
        blocks.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(blocks);
        Ok(true)
    }

    /// Merges the blocks that have any of these variables into one that has all of them, and gives its
    /// index. There must be a point.
    fn merge(&mut self, vars: &[Var], meter: &mut Meter) -> Result<usize, Exceeded> {
        let blocks = self.blocks.get_or_insert_default();
        let touched = |block: &Arc<Block>| vars.iter().any(|var| block.has(*var));
        if let Some(at) = blocks.iter().position(|b| vars.iter().all(|var| b.has(*var))) {
            return Ok(at);
        }
        let (parts, mut rest): (Vec<Arc<Block>>, Vec<Arc<Block>>) =
            std::mem::take(blocks).into_iter().partition(touched);
        let merged = product(&parts, vars, meter)?;
        let first = merged.vars[0];
        rest.push(Arc::new(merged));
        rest.sort_by_key(|block| block.vars[0]);
        let at = rest.iter().position(|block| block.vars[0] == first);
        self.blocks = Some(rest);
        Ok(at.unwrap_or(0))
    }

    /// The values of a form, block by block; `None` if there is no point.
    fn bounds_within(&self, form: &Linear, meter: &mut Meter) -> Result<Option<Bounds>, Exceeded> {
        assert!(form.dimensions() <= self.dimension, "a variable outside of the space");
        let Some(blocks) = &self.blocks else { return Ok(None) };
        let mut rest: Vec<(Var, &crate::Integer)> = form.terms().collect();
        let constant = Bound { value: form.constant().into(), attained: true };
        let mut sum = Bounds { lower: Some(constant.clone()), upper: Some(constant) };
        for block in blocks {
            block.value.convert_within(meter)?;
            if block.value.is_empty() {
                return Ok(None);
            }
            let (own, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(|t| block.has(t.0));
            rest = others;
            if own.is_empty() {
                continue;
            }
            let terms = own.into_iter().map(|(var, c)| (block.place(var), c.clone()));
            let Some(bounds) = block.value.bounds_of(&Linear::new(terms, 0)) else {
                return Ok(None);
            };
            sum.lower = add(sum.lower, bounds.lower);
            sum.upper = add(sum.upper, bounds.upper);
        }
        if !rest.is_empty() {
            sum = Bounds::default();
        }
        Ok(Some(sum))
    }
}

fn add(a: Option<Bound>, b: Option<Bound>) -> Option<Bound> {
    let (a, b) = (a?, b?);
    Some(Bound { value: &a.value + &b.value, attained: a.attained && b.attained })
}

/// The factors of a block, appended.
fn split_into(mut block: Arc<Block>, blocks: &mut Vec<Arc<Block>>) {
    if block.finest {
        blocks.push(block);
        return;
    }
    let groups = block.value.groups();
    if let [group] = &groups[..]
        && group.len() == block.vars.len()
    {
        Arc::make_mut(&mut block).finest = true;
        blocks.push(block);
        return;
    }
    for group in groups {
        let vars = group.iter().map(|at| block.vars[*at]).collect();
        let value = block.value.factor(&group);
        blocks.push(Arc::new(Block { vars, value, finest: true }));
    }
}

/// The product of blocks, over their variables and more, sorted.
fn product(parts: &[Arc<Block>], more: &[Var], meter: &mut Meter) -> Result<Block, Exceeded> {
    let has_all = |part: &Arc<Block>| more.iter().all(|var| part.has(*var));
    if let Some(part) = parts.first().filter(|part| parts.len() == 1 && has_all(part)) {
        return Ok((**part).clone());
    }
    let mut vars: Vec<Var> = Vec::new();
    let mut value = Polyhedron::top(0);
    for part in parts {
        value =
            if vars.is_empty() { part.value.clone() } else { value.product(&part.value, meter)? };
        vars.extend(&part.vars);
    }
    let mut free: Vec<Var> = more.iter().copied().filter(|var| !vars.contains(var)).collect();
    free.sort_unstable();
    free.dedup();
    if !free.is_empty() {
        value.convert_within(meter)?;
        value.append(free.len());
        vars.extend(free);
    }
    sorted(vars, value, meter)
}

/// The block with its variables sorted.
fn sorted(vars: Vec<Var>, mut value: Polyhedron, meter: &mut Meter) -> Result<Block, Exceeded> {
    if vars.is_sorted() {
        return Ok(Block { vars, value, finest: false });
    }
    value.convert_within(meter)?;
    let mut in_order = vars.clone();
    in_order.sort_unstable();
    let place = |var: &Var| Var(in_order.binary_search(var).unwrap_or(0));
    let to: Vec<Var> = vars.iter().map(place).collect();
    value.permute(&to);
    Ok(Block { vars: in_order, value, finest: false })
}

/// The constraint in the terms of a block.
fn localised(constraint: &Constraint, block: &Block) -> Constraint {
    constraint.rename(|var| block.place(var))
}

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_bottom() {
            return f.write_str("{ empty }");
        }
        let list: Vec<String> = self.constraints().iter().map(ToString::to_string).collect();
        write!(f, "{{ {} }}", list.join(", "))
    }
}

impl fmt::Debug for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
