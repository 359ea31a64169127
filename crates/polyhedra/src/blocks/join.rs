//! Join, widening and narrowing of blocks: operations on two values with different partitions.
//!
//! Both operands are split as far as possible first. Their *classes* are the groups of variables that
//! have no relation to others in either operand: a block of either lies within one class. Within a
//! class both operands are products of their blocks, over the same variables.

use super::{Block, Blocks, product};
use crate::limits::{Exceeded, Meter};
use crate::linear::{Constraint, Var};
use std::sync::Arc;

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
        // Where the partitions are the same, inclusion is cheap to decide, and saves the product of
        // blocks that differ.
        if self.has_partition_of(&theirs) {
            if self.try_includes(&theirs, meter)? {
                return Ok(());
            }
            if theirs.try_includes(self, meter)? {
                *self = theirs;
                return Ok(());
            }
        }
        // Equal blocks stay as they are; those that differ become related.
        let mut result = Vec::new();
        let left = self.blocks.take().unwrap_or_default();
        let right = theirs.blocks.take().unwrap_or_default();
        let (mut left, mut right) = equal_apart(left, right, &mut result);
        // A variable that is free in one operand is free in the hull. Forgetting it in the other one
        // before the hull is formed keeps the other variables as they are; it may free more of them.
        let vars_of = |blocks: &[Arc<Block>]| {
            let mut vars: Vec<Var> = blocks.iter().flat_map(|b| b.vars.iter().copied()).collect();
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
        let (left, right) = equal_apart(left, right, &mut result);
        if !left.is_empty() {
            let mut hull = Block { finest: false, ..product(&left, &[], meter)? };
            let with = product(&right, &[], meter)?;
            hull.value.convert_within(meter)?;
            with.value.convert_within(meter)?;
            hull.value.join_with(&with.value);
            hull.value.convert_within(meter)?;
            super::split_into(Arc::new(hull), &mut result);
        }
        result.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(result);
        Ok(())
    }

    fn has_partition_of(&self, other: &Blocks) -> bool {
        let own = self.blocks.iter().flatten().map(|block| &block.vars);
        own.eq(other.blocks.iter().flatten().map(|block| &block.vars))
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
            if let ([a], [b]) = (&own[..], &larger[..])
                && Arc::ptr_eq(a, b)
            {
                result.push(a.clone());
                continue;
            }
            let mut old = Block { finest: false, ..product(&own, &class, meter)? };
            let larger = product(&larger, &class, meter)?;
            old.value.convert_within(meter)?;
            larger.value.convert_within(meter)?;
            old.value.widen_with(&larger.value, &[]);
            old.value.convert_within(meter)?;
            super::split_into(Arc::new(old), &mut result);
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
            let mut old = Block { finest: false, ..product(&own, &class, meter)? };
            let smaller = product(&smaller, &class, meter)?;
            old.value.convert_within(meter)?;
            smaller.value.convert_within(meter)?;
            old.value.narrow_with(&smaller.value);
            old.value.convert_within(meter)?;
            super::split_into(Arc::new(old), &mut result);
        }
        result.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(result);
        Ok(())
    }
}

/// The blocks without the variables that are in none of `kept`.
fn without(
    blocks: Vec<Arc<Block>>,
    kept: &[Var],
    meter: &mut Meter,
) -> Result<Vec<Arc<Block>>, Exceeded> {
    let mut value = Blocks { dimension: usize::MAX, blocks: Some(blocks) };
    let vars = value.blocks.iter().flatten().flat_map(|block| block.vars.iter().copied());
    let gone: Vec<Var> = vars.filter(|var| !kept.contains(var)).collect();
    if !gone.is_empty() {
        value.try_forget(&gone, meter)?;
    }
    Ok(value.blocks.unwrap_or_default())
}

/// Moves blocks that are equal on both sides to `result`.
fn equal_apart(
    left: Vec<Arc<Block>>,
    mut right: Vec<Arc<Block>>,
    result: &mut Vec<Arc<Block>>,
) -> (Vec<Arc<Block>>, Vec<Arc<Block>>) {
    let same = |a: &Arc<Block>, b: &Arc<Block>| {
        Arc::ptr_eq(a, b) || (a.vars == b.vars && a.value.same_as(&b.value))
    };
    let mut rest = Vec::new();
    for block in left {
        match right.iter().position(|other| same(&block, other)) {
            Some(at) => {
                right.remove(at);
                result.push(block);
            }
            None => rest.push(block),
        }
    }
    (rest, right)
}

/// The finest partition in which every block of both lies in one class; sorted.
fn classes(a: &Blocks, b: &Blocks) -> Vec<Vec<Var>> {
    if a.has_partition_of(b) {
        return a.blocks.iter().flatten().map(|block| block.vars.clone()).collect();
    }
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

fn blocks_in(value: &Blocks, class: &[Var]) -> Vec<Arc<Block>> {
    let inside = |block: &&Arc<Block>| class.binary_search(&block.vars[0]).is_ok();
    value.blocks.iter().flatten().filter(inside).cloned().collect()
}
