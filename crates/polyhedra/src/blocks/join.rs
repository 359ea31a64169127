//! Join, widening and narrowing of blocks: operations on two values with different partitions.
//!
//! Both operands are split as far as possible first. Their *classes* are the groups of variables that
//! have no relation to others in either operand: a block of either lies within one class. Within a
//! class both operands are products of their blocks, over the same variables.

use super::{Block, Blocks, product};
use crate::limits::{Exceeded, Meter};
use crate::linear::{Constraint, Var};

impl Blocks {
    pub(crate) fn try_join(&mut self, other: &Blocks, meter: &mut Meter) -> Result<(), Exceeded> {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        let mut theirs = other.clone();
        if !theirs.split_all(meter)? {
            return Ok(());
        }
        if !self.split_all(meter)? {
            *self = theirs;
            return Ok(());
        }
        let mut result = Vec::new();
        // The blocks of both operands that differ; they become related.
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for class in classes(self, &theirs) {
            let (own, their) = (blocks_in(self, &class), blocks_in(&theirs, &class));
            if let ([a], [b]) = (&own[..], &their[..]) {
                if a.vars == b.vars && a.value.same_as(&b.value) {
                    result.push(a.clone());
                    continue;
                }
            }
            left.extend(own);
            right.extend(their);
        }
        // A variable that is free in one operand is free in the hull. Forgetting it in the other one
        // before the hull is formed keeps the other variables as they are; it may free more of them.
        let vars_of = |blocks: &[Block]| {
            let mut vars: Vec<Var> = blocks.iter().flat_map(|b| b.vars.clone()).collect();
            vars.sort_unstable();
            vars
        };
        loop {
            let (in_left, in_right) = (vars_of(&left), vars_of(&right));
            if in_left == in_right {
                break;
            }
            left = without(left, &in_right, meter)?;
            right = without(right, &in_left, meter)?;
        }
        let (left, right) = unrelated_apart(left, right, &mut result);
        if !left.is_empty() {
            let mut hull = product(&left, &[], meter)?;
            let with = product(&right, &[], meter)?;
            hull.value.convert_within(meter)?;
            with.value.convert_within(meter)?;
            hull.value.join_with(&with.value);
            hull.value.convert_within(meter)?;
            super::split_into(hull, &mut result);
        }
        result.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(result);
        Ok(())
    }

    pub(crate) fn try_widen(
        &mut self,
        newer: &Blocks,
        thresholds: &[Constraint],
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        let mut new = newer.clone();
        new.try_join(self, meter)?;
        if !self.split_all(meter)? || self.try_includes(&new, meter)? {
            *self = new;
            return Ok(());
        }
        new.split_all(meter)?;
        let mut result = Vec::new();
        for class in classes(self, &new) {
            let (own, larger) = (blocks_in(self, &class), blocks_in(&new, &class));
            if larger.is_empty() {
                continue;
            }
            let mut old = product(&own, &class, meter)?;
            let larger = product(&larger, &class, meter)?;
            old.value.convert_within(meter)?;
            larger.value.convert_within(meter)?;
            old.value.widen_with(&larger.value, &[]);
            old.value.convert_within(meter)?;
            super::split_into(old, &mut result);
        }
        result.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(result);
        for threshold in thresholds {
            if new.try_entails(threshold, meter)? {
                self.try_constraints(std::slice::from_ref(threshold), meter)?;
            }
        }
        Ok(())
    }

    pub(crate) fn try_narrow(&mut self, newer: &Blocks, meter: &mut Meter) -> Result<(), Exceeded> {
        let mut new = newer.clone();
        new.try_meet(self, meter)?;
        if !new.split_all(meter)? {
            *self = new;
            return Ok(());
        }
        if !self.split_all(meter)? {
            return Ok(());
        }
        let mut result = Vec::new();
        for class in classes(self, &new) {
            let (own, smaller) = (blocks_in(self, &class), blocks_in(&new, &class));
            let mut old = product(&own, &class, meter)?;
            let smaller = product(&smaller, &class, meter)?;
            old.value.convert_within(meter)?;
            smaller.value.convert_within(meter)?;
            old.value.narrow_with(&smaller.value);
            old.value.convert_within(meter)?;
            super::split_into(old, &mut result);
        }
        result.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(result);
        Ok(())
    }
}

/// The blocks without the variables that are in none of `kept`.
fn without(
    blocks: Vec<Block>,
    kept: &[Var],
    meter: &mut Meter,
) -> Result<Vec<Block>, Exceeded> {
    let mut value = Blocks { dimension: usize::MAX, blocks: Some(blocks) };
    let vars = value.blocks.iter().flatten().flat_map(|block| block.vars.clone());
    let gone: Vec<Var> = vars.filter(|var| !kept.contains(var)).collect();
    if !gone.is_empty() {
        value.try_forget(&gone, meter)?;
    }
    Ok(value.blocks.unwrap_or_default())
}

/// Takes blocks out that have become equal now that variables have been forgotten.
fn unrelated_apart(
    left: Vec<Block>,
    right: Vec<Block>,
    result: &mut Vec<Block>,
) -> (Vec<Block>, Vec<Block>) {
    let same = |a: &Block, b: &Block| a.vars == b.vars && a.value.same_as(&b.value);
    let (equal, left): (Vec<Block>, Vec<Block>) =
        left.into_iter().partition(|a| right.iter().any(|b| same(a, b)));
    let right = right.into_iter().filter(|b| !equal.iter().any(|a| same(a, b))).collect();
    result.extend(equal);
    (left, right)
}

/// The finest partition in which every block of both lies in one class; sorted.
fn classes(a: &Blocks, b: &Blocks) -> Vec<Vec<Var>> {
    let mut classes: Vec<Vec<Var>> = Vec::new();
    for block in a.blocks.iter().flatten().chain(b.blocks.iter().flatten()) {
        let touches = |class: &Vec<Var>| class.iter().any(|var| block.has(*var));
        let (touched, mut rest): (Vec<Vec<Var>>, Vec<Vec<Var>>) =
            classes.into_iter().partition(touches);
        let mut merged: Vec<Var> = touched.concat();
        merged.extend(&block.vars);
        merged.sort_unstable();
        merged.dedup();
        rest.push(merged);
        classes = rest;
    }
    classes.sort();
    classes
}

fn blocks_in(value: &Blocks, class: &[Var]) -> Vec<Block> {
    let inside = |block: &&Block| class.binary_search(&block.vars[0]).is_ok();
    value.blocks.iter().flatten().filter(inside).cloned().collect()
}
