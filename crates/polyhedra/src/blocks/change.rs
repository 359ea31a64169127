//! Operations on blocks that follow the variables of constraints and assignments.
//!
//! Each may stop at a limit. Then the value is in no particular state: whoever gives limits keeps a copy
//! (see `budgeted.rs`).

use super::{Block, Blocks, localised, sorted};
use crate::domain::Domain;
use crate::integer::Integer;
use crate::limits::{Exceeded, Meter};
use crate::linear::{Constraint, Linear, Var};
use crate::polyhedron::Polyhedron;
use std::sync::Arc;

impl Blocks {
    pub(crate) fn try_constraints(
        &mut self,
        constraints: &[Constraint],
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        for constraint in constraints {
            let form = constraint.form();
            assert!(form.dimensions() <= self.dimension, "a variable outside of the space");
            if self.blocks.is_none() {
                return Ok(());
            }
            let vars: Vec<Var> = form.vars().collect();
            if vars.is_empty() {
                if !constraint.holds_at(&[]) {
                    self.blocks = None;
                }
                continue;
            }
            let at = self.merge(&vars, meter)?;
            if let Some(block) = self.block_mut(at) {
                let local = localised(constraint, block);
                block.value.add_constraints(&[local]);
            }
        }
        Ok(())
    }

    pub(crate) fn try_meet(&mut self, other: &Blocks, meter: &mut Meter) -> Result<(), Exceeded> {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        let Some(theirs) = &other.blocks else {
            self.blocks = None;
            return Ok(());
        };
        for block in theirs {
            let Some(own) = &mut self.blocks else { return Ok(()) };
            match own.iter_mut().find(|own| own.vars == block.vars) {
                Some(same) if Arc::ptr_eq(same, block) => {}
                Some(same) => {
                    let same = Arc::make_mut(same);
                    same.finest = false;
                    same.value.meet_with(&block.value);
                }
                None => {
                    block.value.convert_within(meter)?;
                    let list = block.value.constraint_list();
                    let list: Vec<Constraint> =
                        list.iter().map(|c| c.rename(|place| block.name(place))).collect();
                    self.try_constraints(&list, meter)?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn try_forget(&mut self, vars: &[Var], meter: &mut Meter) -> Result<(), Exceeded> {
        assert!(vars.iter().all(|var| var.0 < self.dimension), "a variable outside of the space");
        if !self.check(meter)? {
            return Ok(());
        }
        let mut blocks = Vec::new();
        for block in self.blocks.take().unwrap_or_default() {
            let gone: Vec<Var> =
                vars.iter().filter(|v| block.has(**v)).map(|v| block.place(*v)).collect();
            if gone.is_empty() {
                blocks.push(block);
                continue;
            }
            if gone.len() == block.vars.len() {
                continue;
            }
            let mut block = Block { finest: false, ..(*block).clone() };
            block.value.forget_vars(&gone);
            block.value.convert_within(meter)?;
            super::split_into(Arc::new(block), &mut blocks);
        }
        blocks.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(blocks);
        Ok(())
    }

    pub(crate) fn try_assign(
        &mut self,
        var: Var,
        form: &Linear,
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        assert!(var.0 < self.dimension, "a variable outside of the space");
        let form = self.with_known_constants(var, form, meter)?;
        if form.coefficient(var).is_zero() {
            self.try_forget(&[var], meter)?;
            return self.try_constraints(&[form.equal_to(var)], meter);
        }
        self.map(var, &form, meter, Polyhedron::assign_form)
    }

    pub(crate) fn try_substitute(
        &mut self,
        var: Var,
        form: &Linear,
        meter: &mut Meter,
    ) -> Result<(), Exceeded> {
        assert!(var.0 < self.dimension, "a variable outside of the space");
        if form.coefficient(var).is_zero() {
            self.try_constraints(&[form.equal_to(var)], meter)?;
            return self.try_forget(&[var], meter);
        }
        let form = self.with_known_constants(var, form, meter)?;
        self.map(var, &form, meter, Polyhedron::substitute_form)
    }

    /// A block that is about to change.
    fn block_mut(&mut self, at: usize) -> Option<&mut Block> {
        let block = Arc::make_mut(self.blocks.as_mut()?.get_mut(at)?);
        block.finest = false;
        Some(block)
    }

    /// An assignment that can be undone, on the blocks of its variables.
    fn map(
        &mut self,
        var: Var,
        form: &Linear,
        meter: &mut Meter,
        change: fn(&mut Polyhedron, Var, &Linear),
    ) -> Result<(), Exceeded> {
        // If the variable has any value before, it has any value afterwards.
        if !self.blocks.iter().flatten().any(|block| block.has(var)) {
            return Ok(());
        }
        let vars: Vec<Var> = form.vars().collect();
        let at = self.merge(&vars, meter)?;
        if let Some(block) = self.block_mut(at) {
            let local = form.rename(|var| block.place(var));
            let place = block.place(var);
            change(&mut block.value, place, &local);
        }
        Ok(())
    }

    /// The form with whole numbers in place of variables that have a single value, so that no blocks
    /// need be merged for them. Not in place of the variable that is assigned.
    fn with_known_constants(
        &self,
        target: Var,
        form: &Linear,
        meter: &mut Meter,
    ) -> Result<Linear, Exceeded> {
        let mut result = form.clone();
        let others = form.terms().filter(|(var, _)| *var != target);
        for (var, coefficient) in others {
            let single = |block: &&Arc<Block>| block.vars == [var];
            let Some(block) = self.blocks.iter().flatten().find(single) else { continue };
            block.value.convert_within(meter)?;
            let bounds = block.value.bounds_of(&Linear::from(Var(0)));
            let Some(value) = bounds.as_ref().and_then(|bounds| bounds.exact()) else { continue };
            if *value.denominator() == Integer::ONE {
                let term = Linear::from(var).scaled(coefficient);
                result = result.minus(&term) + (value.numerator() * coefficient);
            }
        }
        Ok(result)
    }

    pub(crate) fn try_remove(&mut self, vars: &[Var], meter: &mut Meter) -> Result<(), Exceeded> {
        self.try_forget(vars, meter)?;
        let left = (0..self.dimension).map(Var).filter(|var| !vars.contains(var));
        let left: Vec<Var> = left.collect();
        let place = |var: &Var| Var(left.binary_search(var).unwrap_or(0));
        for block in self.blocks.iter_mut().flatten() {
            if block.vars.iter().any(|var| place(var) != *var) {
                Arc::make_mut(block).vars.iter_mut().for_each(|var| *var = place(var));
            }
        }
        self.dimension = left.len();
        Ok(())
    }

    pub(crate) fn try_rename(&mut self, to: &[Var], meter: &mut Meter) -> Result<(), Exceeded> {
        assert_eq!(to.len(), self.dimension, "a place for each variable");
        let Some(blocks) = self.blocks.take() else { return Ok(()) };
        let mut renamed = Vec::with_capacity(blocks.len());
        for block in blocks {
            let vars = block.vars.iter().map(|var| to[var.0]).collect();
            renamed.push(Arc::new(sorted(vars, block.value.clone(), meter)?));
        }
        renamed.sort_by_key(|block| block.vars[0]);
        self.blocks = Some(renamed);
        Ok(())
    }

    pub(crate) fn try_entails(
        &self,
        constraint: &Constraint,
        meter: &mut Meter,
    ) -> Result<bool, Exceeded> {
        let bounds = self.bounds_within(constraint.form(), meter)?;
        Ok(bounds.is_none_or(|bounds| bounds.entail(constraint.relation())))
    }

    pub(crate) fn try_includes(&self, other: &Blocks, meter: &mut Meter) -> Result<bool, Exceeded> {
        assert_eq!(self.dimension, other.dimension, "values of different dimension");
        let Some(theirs) = &other.blocks else { return Ok(true) };
        for block in theirs {
            block.value.convert_within(meter)?;
        }
        if theirs.iter().any(|block| block.value.is_empty()) {
            return Ok(true);
        }
        let Some(own) = &self.blocks else { return Ok(false) };
        for block in own {
            if theirs.iter().any(|other| Arc::ptr_eq(other, block)) {
                continue;
            }
            block.value.convert_within(meter)?;
            let same = theirs.iter().find(|other| other.vars == block.vars);
            if let Some(same) = same {
                if !block.value.includes_all_of(&same.value) {
                    return Ok(false);
                }
                continue;
            }
            if block.value.is_empty() {
                return Ok(false);
            }
            let holds = |constraint: Constraint| {
                other.try_entails(&constraint.rename(|place| block.name(place)), meter)
            };
            if !block.value.all_constraints(holds)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Blocks {
    pub(super) fn whole(dimension: usize) -> Blocks {
        Blocks { dimension, blocks: Some(Vec::new()) }
    }

    /// What is known about single variables, and pairs if wanted, without converting anything.
    pub(crate) fn outline(&self, pairs: bool) -> Vec<Constraint> {
        let Some(blocks) = &self.blocks else { return vec![Linear::from(-1).at_least(0)] };
        let of_block = |block: &Arc<Block>| {
            let list = block.value.outline(pairs);
            list.iter().map(|c| c.rename(|place| block.name(place))).collect::<Vec<_>>()
        };
        blocks.iter().flat_map(of_block).collect()
    }

    /// All constraints, in the terms of all variables.
    pub(super) fn constraint_list(&self) -> Vec<Constraint> {
        if self.is_bottom() {
            return vec![Linear::from(-1).at_least(0)];
        }
        let of_block = |block: &Arc<Block>| {
            let list = block.value.constraint_list();
            list.iter().map(|c| c.rename(|place| block.name(place))).collect::<Vec<_>>()
        };
        self.blocks.iter().flatten().flat_map(of_block).collect()
    }
}
