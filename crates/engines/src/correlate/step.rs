//! One step of one version: what statements do to a state.
//!
//! Memory is one value a region, read and written by applications; a load behind stores to other places, and a
//! store that
//! overwrites an equal place, are simplified, so that memories written in another order are equal. An access
//! that traps
//! ends the run and is not followed: facts are about runs that go on.

use super::flow::{FlowEnd, Location, StepKind};
use super::numbers::ExpressionReader;
use super::space::{SlotKind, Space};
use super::state::SubState;
use super::value::{Node, Operation, Terms, Value};
use verdiff_model::{
    Access, BinaryOp, Callee, Expr, Side, Stmt, StmtKind, TerminatorKind, Trap, Type, VarKind,
};
use verdiff_polyhedra::{Domain, Linear};

/// How many states the cases of one assignment may make of one.
const MOST_CASES: usize = 6;
/// How many stores a load or a store looks behind.
const MOST_STORES: usize = 40;

/// A construct that states cannot describe.
#[derive(Clone, Debug)]
pub(super) struct Unsupported(pub String, pub u32);

/// Runs steps.
pub(super) struct Runner<'s, 'c> {
    pub space: &'s Space<'c>,
    pub terms: &'s mut Terms,
}

impl<'c> Runner<'_, 'c> {
    fn reader(&mut self, side: Side) -> ExpressionReader<'_, 'c> {
        ExpressionReader { space: self.space, terms: self.terms, side }
    }

    /// Where a state is after one step of one version.
    pub fn run(
        &mut self,
        side: Side,
        at: Location,
        state: SubState,
    ) -> Result<Vec<(Location, SubState)>, Unsupported> {
        let space = self.space;
        let version = space.version(side);
        let StepKind::Code { block: id, from, to, .. } = version.locations.steps[at].kind else {
            return Ok(vec![]);
        };
        let block = version.procedure.block(id);
        let mut states = vec![state];
        let mut ended: Vec<(Location, SubState)> = vec![];
        for stmt in &block.stmts[from..to] {
            let mut next = vec![];
            for state in states {
                next.extend(self.statement(side, stmt, state, &mut ended)?);
            }
            states = next;
        }
        let mut reached = vec![];
        if to < block.stmts.len() {
            reached.extend(states.into_iter().map(|state| (at + 1, state)));
        } else {
            for state in states {
                self.terminator(side, &block.end.kind, state, &mut reached);
            }
            self.forget_dead(side, &mut reached);
        }
        reached.extend(ended);
        reached.retain(|(_, state)| !state.is_bottom());
        Ok(reached)
    }

    /// Temporaries that nobody reads any more are forgotten; variables of the source are kept for the description.
    fn forget_dead(&mut self, side: Side, reached: &mut [(Location, SubState)]) {
        let version = self.space.version(side);
        for (at, state) in reached {
            let StepKind::Code { block, from: 0, .. } = version.locations.steps[*at].kind else {
                continue;
            };
            let mut dimensions = vec![];
            for (slot, there) in self.space.slots.iter().enumerate() {
                let SlotKind::Variable(id) = there.kind else { continue };
                let gone = there.side == side
                    && version.procedure.var(id).kind == VarKind::Temporary
                    && !version.locations.liveness.is_live_in(block, id);
                if gone {
                    dimensions.extend(there.dimension);
                    state.values[slot] = Value::constant(there.width, 0);
                }
            }
            state.numbers.forget(&dimensions);
        }
    }

    fn terminator(
        &mut self,
        side: Side,
        kind: &TerminatorKind,
        state: SubState,
        reached: &mut Vec<(Location, SubState)>,
    ) {
        let version = self.space.version(side);
        let locations = &version.locations;
        match kind {
            TerminatorKind::Goto(to) => reached.push((locations.of_block(*to), state)),
            TerminatorKind::Branch { cond, then, otherwise } => {
                for (truth, to) in [(true, then), (false, otherwise)] {
                    for next in self.reader(side).assume(state.clone(), cond, truth) {
                        reached.push((locations.of_block(*to), next));
                    }
                }
            }
            TerminatorKind::Switch { value, cases, default } => {
                let ty = version.procedure.type_of(value);
                let mut rest = vec![state];
                for (bits, to) in cases {
                    let label = Expr::Const(verdiff_model::Const::new(ty, *bits));
                    let is_it = Expr::binary(BinaryOp::Eq, value.clone(), label);
                    let mut others = vec![];
                    for state in rest {
                        for next in self.reader(side).assume(state.clone(), &is_it, true) {
                            reached.push((locations.of_block(*to), next));
                        }
                        others.extend(self.reader(side).assume(state, &is_it, false));
                    }
                    rest = others;
                }
                reached.extend(rest.into_iter().map(|state| (locations.of_block(*default), state)));
            }
            TerminatorKind::Return(values) => {
                let mut states = self.split(side, state, &values.iter().collect::<Vec<_>>());
                for (slot, value) in version.results.iter().zip(values) {
                    states = states
                        .into_iter()
                        .flat_map(|state| self.set(side, state, *slot, value))
                        .collect();
                }
                reached.extend(
                    states.into_iter().map(|state| (locations.of_end(FlowEnd::Return), state)),
                );
            }
            TerminatorKind::Trap(trap) => {
                reached.push((locations.of_end(FlowEnd::Trap(*trap)), state))
            }
        }
    }

    /// Sets a slot to the value of an expression.
    fn set(&mut self, side: Side, mut state: SubState, slot: usize, e: &Expr) -> Vec<SubState> {
        let space = self.space;
        let mut reader = self.reader(side);
        let value = reader.value(&state, e);
        let Some(dimension) = space.slots[slot].dimension else {
            state.values[slot] = value;
            return vec![state];
        };
        let forms = match reader.linear(&state, e) {
            Some(form) => Some(vec![(state.clone(), form)]),
            // What has overflowed once is not followed that closely any more.
            None if state.wrapped => None,
            None => reader.by_overflow(&state, e),
        };
        let mut states = match forms {
            Some(forms) => forms
                .into_iter()
                .map(|(mut state, form)| {
                    state.numbers.assign(dimension, &form);
                    state.values[slot] = value.clone();
                    state
                })
                .collect(),
            None => {
                let range = reader.result_range(e);
                state.set_opaque(space, slot, value);
                if let Some((low, high)) = range {
                    let var = Linear::from(dimension);
                    state.numbers.meet_constraints(&[
                        var.at_least(Linear::from(low)),
                        var.at_most(Linear::from(high)),
                    ]);
                }
                vec![state]
            }
        };
        // What the polyhedron knows to be equal has the same value.
        for state in &mut states {
            if let Some(partner) = space.slots[slot].partner
                && state.values[slot] != state.values[partner]
                && state.are_equal(space, slot, partner)
            {
                state.values[slot] = state.values[partner].clone();
            }
        }
        states
    }

    /// The state by cases of the comparisons in some expressions, so that their values are known.
    fn split(&mut self, side: Side, state: SubState, list: &[&Expr]) -> Vec<SubState> {
        let mut states = vec![state];
        let mut conditions: Vec<Expr> = vec![];
        for e in list {
            e.walk(&mut |part| match part {
                Expr::Binary { op, .. } if op.is_comparison() && !op.is_float_comparison() => {
                    conditions.push(part.clone())
                }
                Expr::Select { cond, .. } => conditions.push((**cond).clone()),
                _ => {}
            });
        }
        for cond in conditions {
            let mut next = vec![];
            for state in &states {
                for truth in [true, false] {
                    next.extend(self.reader(side).assume(state.clone(), &cond, truth));
                }
            }
            if next.len() > MOST_CASES {
                break;
            }
            states = next;
        }
        states
    }

    fn statement(
        &mut self,
        side: Side,
        stmt: &Stmt,
        mut state: SubState,
        ended: &mut Vec<(Location, SubState)>,
    ) -> Result<Vec<SubState>, Unsupported> {
        let space = self.space;
        let version = space.version(side);
        let no = |what: &str| Err(Unsupported(what.to_owned(), stmt.loc.line));
        match &stmt.kind {
            StmtKind::Assign { dst, value } => {
                let slot = version.variable(*dst);
                let states = self.split(side, state, &[value]);
                return Ok(states
                    .into_iter()
                    .flat_map(|state| self.set(side, state, slot, value))
                    .collect());
            }
            StmtKind::Load { access: Access::Volatile, .. }
            | StmtKind::Store { access: Access::Volatile, .. }
            | StmtKind::Copy { access: Access::Volatile, .. }
            | StmtKind::Fill { access: Access::Volatile, .. } => return no("volatile access"),
            StmtKind::Load { dst, addr, .. } => {
                let slot = version.variable(*dst);
                let memory = state.values[version.region(addr)].clone();
                let address = self.reader(side).value(&state, addr);
                let ty = version.procedure.var(*dst).ty;
                let value = load(self.terms, &memory, &address, ty);
                state.set_opaque(space, slot, value);
            }
            StmtKind::Store { addr, value, .. } => {
                let ty = version.procedure.type_of(value);
                let region = version.region(addr);
                let mut states = self.split(side, state, &[value]);
                for state in &mut states {
                    let mut reader = self.reader(side);
                    let (address, stored) = (reader.value(state, addr), reader.value(state, value));
                    let memory = state.values[region].clone();
                    state.values[region] =
                        store(self.terms, &memory, address, stored, ty, MOST_STORES);
                }
                return Ok(states);
            }
            StmtKind::Copy { dst, src, len, .. } => {
                let mut reader = self.reader(side);
                let operands = [dst, src, len].map(|e| reader.value(&state, e));
                let memory = [state.values[version.memory].clone()];
                let all = memory.into_iter().chain(operands).collect();
                state.values[version.memory] = self.terms.apply(Operation::Bulk("copy"), all, 64);
            }
            StmtKind::Fill { dst, byte, len, .. } => {
                let mut reader = self.reader(side);
                let operands = [dst, byte, len].map(|e| reader.value(&state, e));
                let memory = [state.values[version.memory].clone()];
                let all = memory.into_iter().chain(operands).collect();
                state.values[version.memory] = self.terms.apply(Operation::Bulk("fill"), all, 64);
            }
            StmtKind::Call { results, callee, args } => {
                return Ok(self.call(side, results, callee, args, state, ended));
            }
            StmtKind::Check { cond, trap } => {
                let stopped = self.reader(side).assume(state.clone(), cond, false);
                let place = version.locations.of_end(FlowEnd::Trap(*trap));
                ended.extend(stopped.into_iter().map(|state| (place, state)));
                return Ok(self.reader(side).assume(state, cond, true));
            }
            StmtKind::CheckInit { var } => {
                let slot = version.variable(*var);
                if state.values[slot].as_constant().is_none() {
                    let place = version.locations.of_end(FlowEnd::Trap(Trap::Uninitialised));
                    ended.push((place, state.clone()));
                }
            }
            StmtKind::Alloc { .. } | StmtKind::SaveStack { .. } | StmtKind::RestoreStack { .. } => {
                return no("variable-length array");
            }
            StmtKind::Hole { .. } => return no("unsupported instruction"),
        }
        Ok(vec![state])
    }

    /// A call applies functions to its arguments and what it reads; the same functions in both versions if the callee
    /// is the same.
    fn call(
        &mut self,
        side: Side,
        results: &[verdiff_model::VarId],
        callee: &Callee,
        args: &[Expr],
        mut state: SubState,
        ended: &mut Vec<(Location, SubState)>,
    ) -> Vec<SubState> {
        let space = self.space;
        let version = space.version(side);
        let effect = space.call_effect(side, callee);
        let target = match callee {
            Callee::Indirect { addr, .. } => Some(addr),
            _ => None,
        };
        let pointer = |e: &Expr| version.procedure.type_of(e) == Type::Ptr;
        let mut operands: Vec<Value> =
            target.into_iter().chain(args).map(|e| self.reader(side).value(&state, e)).collect();
        // What is behind an address of a constant is part of the constant's name.
        let fixed = |value: &Value, terms: &Terms| {
            let constant = |atom| match terms.node(atom) {
                Node::Apply { operation: Operation::Address(name), .. } => {
                    name.starts_with("constant ")
                }
                _ => false,
            };
            value.as_constant() == Some(0) || value.as_atom().is_some_and(constant)
        };
        let behind = args
            .iter()
            .zip(&operands)
            .filter(|(e, _)| pointer(e))
            .any(|(_, value)| !fixed(value, self.terms));
        let reads = effect.reads && (behind || !effect.through_arguments);
        if reads {
            operands.push(state.values[version.memory].clone());
        }
        if effect.world {
            operands.push(state.values[version.world].clone());
        }
        for (at, result) in results.iter().enumerate() {
            let ty = version.procedure.var(*result).ty;
            let operation = Operation::Result(effect.name.clone(), at);
            let value = self.terms.apply(operation, operands.clone(), ty.width().min(64));
            state.set_opaque(space, version.variable(*result), value);
        }
        if effect.world {
            let operation = Operation::WorldAfter(effect.name.clone());
            state.values[version.world] = self.terms.apply(operation, operands.clone(), 64);
        }
        if effect.writes {
            if !reads {
                operands.push(state.values[version.memory].clone());
            }
            let operation = Operation::MemoryAfter(effect.name);
            state.values[version.memory] = self.terms.apply(operation, operands, 64);
        }
        if !effect.returns {
            ended.push((version.locations.of_end(FlowEnd::Exit), state));
            return vec![];
        }
        vec![state]
    }
}

/// Whether two accesses cannot touch the same byte. Different objects do not overlap, and an access that leaves its
/// object traps.
fn are_apart(terms: &Terms, a: &Value, a_bytes: u64, b: &Value, b_bytes: u64) -> bool {
    let distance = b.plus(a, u64::MAX);
    if let Some(distance) = distance.as_constant() {
        return distance >= a_bytes && distance <= 0_u64.wrapping_sub(b_bytes);
    }
    let object = |value: &Value| match value.terms[..] {
        [(atom, 1)] => match terms.node(atom) {
            Node::Apply { operation: Operation::Address(name), .. } => Some(name.clone()),
            _ => None,
        },
        _ => None,
    };
    matches!((object(a), object(b)), (Some(a), Some(b)) if a != b)
}

/// What is in memory at an address.
fn load(terms: &mut Terms, memory: &Value, address: &Value, ty: Type) -> Value {
    let mut memory = memory.clone();
    for _ in 0..MOST_STORES {
        let Some(Node::Apply { operation: Operation::Store(stored), operands, .. }) =
            memory.as_atom().map(|atom| terms.node(atom))
        else {
            break;
        };
        let [before, place, value] = &operands[..] else { break };
        if place == address && *stored == ty {
            return value.clone();
        }
        if !are_apart(terms, place, stored.bytes(), address, ty.bytes()) {
            break;
        }
        memory = before.clone();
    }
    terms.apply(Operation::Load(ty), vec![memory, address.clone()], ty.width().min(64))
}

/// Memory with a value stored: stores to other places are in the order of their addresses, an overwritten one
/// is gone.
fn store(
    terms: &mut Terms,
    memory: &Value,
    address: Value,
    value: Value,
    ty: Type,
    depth: usize,
) -> Value {
    if let Some(Node::Apply { operation: Operation::Store(stored), operands, .. }) =
        memory.as_atom().map(|atom| terms.node(atom).clone())
        && let [before, place, other] = &operands[..]
        && depth > 0
    {
        if *place == address && stored == ty {
            return terms.apply(Operation::Store(ty), vec![before.clone(), address, value], 64);
        }
        if address < *place && are_apart(terms, place, stored.bytes(), &address, ty.bytes()) {
            let inner = store(terms, before, address, value, ty, depth - 1);
            return terms.apply(
                Operation::Store(stored),
                vec![inner, place.clone(), other.clone()],
                64,
            );
        }
    }
    // Storing what is there changes nothing.
    if load(terms, memory, &address, ty) == value {
        return memory.clone();
    }
    terms.apply(Operation::Store(ty), vec![memory.clone(), address, value], 64)
}
