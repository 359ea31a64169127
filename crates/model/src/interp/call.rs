//! Calls and returns.

use super::Observer;
use super::code::{CallInfo, Code, Target, TypedRegister, value_of};
use super::exec::{Exec, Frame};
use super::loop_exit::Stop;
use crate::ids::ProcId;
use crate::state::layout::NULL_LIMIT;
use crate::state::{PointerTarget, StopReason};
use crate::stmt::{Signature, Trap};

/// An argument with its type, without a mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arg {
    pub(super) ty: crate::types::Type,
    pub(super) bits: u128,
}

impl<'m, O: Observer> Exec<'m, '_, O> {
    /// The call number `info` of the running procedure.
    pub(super) fn call(&mut self, code: &'m Code, info: u32) -> Result<(), Stop> {
        let call = &code.calls[info as usize];
        match &call.callee {
            Target::Procedure(id) => self.enter(*id, call, info),
            Target::External(id) => self.external(*id, call),
            Target::Indirect { address, signature } => {
                let address = self.register(*address) as u64;
                if address < NULL_LIMIT {
                    return Err(Trap::NullAccess.into());
                }
                let pointer = self.run.mem.symbolic(address);
                let program = self.shared.program;
                match pointer.target {
                    PointerTarget::Procedure(id) if pointer.offset == 0 => {
                        let callee = program.procedures.get(id.index());
                        let fits = callee.is_some_and(|p| {
                            p.may_be_called_as(|own| {
                                agree(signature, own) && fits(&call.args, &call.results, own)
                            })
                        });
                        if fits { self.enter(id, call, info) } else { Err(Trap::BadCall.into()) }
                    }
                    PointerTarget::External(id) if pointer.offset == 0 => {
                        let callee = program.externals.get(id.index());
                        let fits = callee.is_some_and(|e| agree(signature, &e.signature));
                        if fits { self.external(id, call) } else { Err(Trap::BadCall.into()) }
                    }
                    _ => Err(Trap::BadCall.into()),
                }
            }
        }
    }

    /// A register of the running procedure.
    fn register(&self, reg: u32) -> u128 {
        let base = self.run.frames.last().map_or(0, |frame| frame.base);
        self.run.regs[base + reg as usize]
    }

    /// The arguments of a call of the running procedure.
    pub(super) fn args(&self, call: &CallInfo) -> Vec<Arg> {
        let arg = |place: &TypedRegister| Arg {
            ty: place.ty,
            bits: value_of(self.register(place.reg), place.ty),
        };
        call.args.iter().map(arg).collect()
    }

    /// Gives the results of a call of the running procedure.
    pub(super) fn give(&mut self, results: &[TypedRegister], values: &[u128]) {
        let base = self.run.frames.last().map_or(0, |frame| frame.base);
        for (place, value) in results.iter().zip(values) {
            let at = base + place.reg as usize;
            self.run.regs[at] = value & place.ty.mask();
            if place.is_wide() {
                self.run.regs[at + 1] = 0;
            }
        }
    }

    /// Makes a frame for a procedure; its parameters are still unset.
    pub(super) fn push_frame(&mut self, id: ProcId, call: u32) -> Result<&'m Code, Stop> {
        let procedure = self.shared.program.procedure(id);
        if procedure.blocks.is_empty() {
            return Err(StopReason::Unsupported(id).into());
        }
        let run = &mut *self.run;
        if run.frames.len() >= self.limits.depth as usize {
            return Err(StopReason::StackDepth.into());
        }
        let code = self.shared.code(id);
        if code.has_holes {
            return Err(StopReason::Unsupported(id).into());
        }
        let base = run.regs.len();
        if (base + code.template.len()) as u64 * 16 > self.limits.memory {
            return Err(StopReason::Memory.into());
        }
        run.regs.extend_from_slice(&code.template);
        run.frames.push(Frame {
            procedure: id,
            pc: 0,
            base,
            objects: run.frame_objects.len(),
            call,
        });
        self.observer.call(id);
        Ok(code)
    }

    /// Enters a procedure that the running one calls.
    fn enter(&mut self, id: ProcId, call: &CallInfo, info: u32) -> Result<(), Stop> {
        let from = self.run.frames.last().map_or(0, |frame| frame.base);
        let code = self.push_frame(id, info)?;
        let to = self.run.regs.len() - code.template.len();
        let regs = &mut self.run.regs;
        for (arg, param) in call.args.iter().zip(&code.params) {
            let (source, target) = (from + arg.reg as usize, to + param.reg as usize);
            regs[target] = regs[source];
            if param.is_wide() {
                regs[target + 1] = regs[source + 1];
            }
        }
        if O::ARGUMENTS {
            let given: Vec<Option<u128>> =
                code.params.iter().map(|place| known(regs, to, place)).collect();
            self.observer.world(self.run.world.hash());
            self.observer.arguments(id, &given);
        }
        Ok(())
    }

    /// Returns from the running procedure: to its caller, or if that is the last of the
    /// frames above `depth`, to whoever started them.
    pub(super) fn leave(&mut self, code: &'m Code, info: u32, depth: usize) {
        let values = &code.returns[info as usize];
        let run = &mut *self.run;
        let Some(frame) = run.frames.pop() else { return };
        self.observer.leave(frame.procedure);
        if O::ARGUMENTS {
            let given: Vec<Option<u128>> =
                values.iter().map(|place| known(&run.regs, frame.base, place)).collect();
            self.observer.results(frame.procedure, &given);
        }
        while run.frame_objects.len() > frame.objects {
            if let Some(object) = run.frame_objects.pop() {
                run.mem.end_local(object.base);
            }
        }
        if !run.jumps.is_empty() {
            run.forget_jumps();
        }
        if run.frames.len() == depth {
            run.returned.clear();
            run.returned.extend(values.iter().map(|place| {
                let at = frame.base + place.reg as usize;
                let mark = if place.is_wide() { run.regs[at + 1] } else { run.regs[at] };
                (place.ty, value_of(run.regs[at], place.ty), mark >> 64 == 0)
            }));
        } else if let Some(caller) = run.frames.last() {
            let call = &self.shared.code(caller.procedure).calls[frame.call as usize];
            for (value, result) in values.iter().zip(&call.results) {
                let source = frame.base + value.reg as usize;
                let target = caller.base + result.reg as usize;
                run.regs[target] = run.regs[source];
                if result.is_wide() {
                    run.regs[target + 1] = run.regs[source + 1];
                }
            }
        }
        run.regs.truncate(frame.base);
    }
}

/// What a frame's register holds, if it has a value.
fn known(regs: &[u128], base: usize, place: &TypedRegister) -> Option<u128> {
    let at = base + place.reg as usize;
    let mark = if place.is_wide() { regs[at + 1] } else { regs[at] };
    (mark >> 64 == 0).then(|| value_of(regs[at], place.ty))
}

/// A call's values for a procedure's parameters and results, if their types agree.
pub(super) fn fits(args: &[TypedRegister], results: &[TypedRegister], callee: &Signature) -> bool {
    let counted =
        args.len() == callee.params.len() || (callee.variadic && args.len() > callee.params.len());
    counted
        && args.iter().zip(&callee.params).all(|(a, p)| a.ty == *p)
        && (results.is_empty()
            || (results.len() == callee.results.len()
                && results.iter().zip(&callee.results).all(|(r, t)| r.ty == *t)))
}

/// Whether a function may be called at this type. A variadic one may be called with any
/// number of further arguments; `f()` with an empty list in C says nothing about them.
fn agree(call: &Signature, callee: &Signature) -> bool {
    let shared = call.params.len().min(callee.params.len());
    let counted = call.params.len() == callee.params.len()
        || (call.variadic && call.params.len() <= callee.params.len())
        || (callee.variadic && callee.params.len() <= call.params.len());
    counted && call.params[..shared] == callee.params[..shared] && call.results == callee.results
}
