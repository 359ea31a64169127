//! `setjmp` and `longjmp`: what returns twice, and what goes back to it.
//!
//! A call of `setjmp` notes where its frame goes on, under the address of the buffer; `longjmp` with that address ends
//! the frames above and goes on there. Variables keep the values that they have, as locals of unoptimised code do: in
//! C those that changed in between and are not `volatile` are indeterminate, so that such a run is an input worth
//! running and nothing more. `longjmp` with a buffer that no `setjmp` of this run has filled leaves the run, like
//! every function that does not return: its target is the caller's.
//!
//! Only [trial programs](crate::trial) contain calls of `setjmp`.

use super::Observer;
use super::call::Arg;
use super::code::{CallInfo, TypedRegister};
use super::exec::Exec;
use super::loop_exit::Stop;
use crate::program::{External, ExternalKind};
use crate::state::StopReason;
use crate::types::Type;

/// What may be gone back to.
#[derive(Clone, Debug)]
pub(super) struct Jump {
    /// The buffer.
    buffer: u64,
    /// The position of the frame, and whether it is still active.
    frame: usize,
    alive: bool,
    /// The next instruction of the frame.
    pc: u32,
    /// Where the result goes.
    results: Vec<TypedRegister>,
    /// What the frame allocates from now on lies above this address.
    token: u64,
}

/// Which of the two a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jumping {
    /// It returns twice.
    Set,
    /// It goes back.
    Back,
}

/// The functions that return twice and are known to do nothing else, by the linker's names.
pub const RETURN_TWICE: [&str; 3] = ["setjmp", "_setjmp", "__sigsetjmp"];
/// Those that go back to where one of them returned.
const GO_BACK: [&str; 3] = ["longjmp", "_longjmp", "siglongjmp"];

/// Whether an external is one that returns twice.
pub fn returns_twice(external: &External) -> bool {
    jumping(external) == Some(Jumping::Set)
}

/// Whether an external is one that goes back.
pub fn goes_back(external: &External) -> bool {
    jumping(external) == Some(Jumping::Back)
}

pub(super) fn jumping(external: &External) -> Option<Jumping> {
    if external.kind != ExternalKind::Function {
        return None;
    }
    let (int, name) = (Type::Int(32), external.name.as_str());
    let (params, results) = (&external.signature.params[..], &external.signature.results[..]);
    let sets = matches!(params, [Type::Ptr] | [Type::Ptr, Type::Int(32)]) && results == [int];
    let goes_back = params == [Type::Ptr, int] && results.is_empty();
    if RETURN_TWICE.contains(&name) && sets {
        return Some(Jumping::Set);
    }
    (GO_BACK.contains(&name) && goes_back).then_some(Jumping::Back)
}

impl<O: Observer> Exec<'_, '_, O> {
    /// The first return of `setjmp`.
    pub(super) fn set_jump(&mut self, args: &[Arg], call: &CallInfo) {
        let run = &mut *self.run;
        let buffer = args.first().map_or(0, |arg| arg.bits as u64);
        let frame = run.frames.len() - 1;
        let jump = Jump {
            buffer,
            frame,
            alive: true,
            pc: run.frames[frame].pc,
            results: call.results.clone(),
            token: run.mem.next_base(),
        };
        run.jumps.retain(|other| other.buffer != buffer);
        run.jumps.push(jump);
        self.give(&call.results, &[0]);
    }

    /// A call of `longjmp`. Whether it goes back to where this run was; if not, it leaves the run.
    pub(super) fn jump_back(&mut self, args: &[Arg]) -> Result<bool, Stop> {
        let run = &mut *self.run;
        let [buffer, value] = args else { return Ok(false) };
        let wanted = |jump: &&Jump| jump.buffer == buffer.bits as u64;
        let Some(jump) = run.jumps.iter().find(wanted).cloned() else { return Ok(false) };
        // A frame that is gone is undefined behaviour, and a library function that called back is not left here.
        if !jump.alive || run.callbacks > 0 {
            return Err(StopReason::NotEmulated("longjmp".to_owned()).into());
        }
        while run.frames.len() > jump.frame + 1 {
            let Some(frame) = run.frames.pop() else { break };
            self.observer.leave(frame.procedure);
            for object in run.frame_objects.drain(frame.objects..) {
                run.mem.end_local(object.base);
            }
            run.regs.truncate(frame.base);
        }
        run.forget_jumps();
        let frame = &mut run.frames[jump.frame];
        frame.pc = jump.pc;
        // As on the stack: what was allocated since is gone, locals are not.
        let mut kept = frame.objects;
        for at in frame.objects..run.frame_objects.len() {
            let object = run.frame_objects[at];
            if object.allocated && object.base >= jump.token {
                run.mem.end_local(object.base);
            } else {
                run.frame_objects[kept] = object;
                kept += 1;
            }
        }
        run.frame_objects.truncate(kept);
        let value = value.bits & Type::Int(32).mask();
        self.give(&jump.results, &[value.max(1)]);
        Ok(true)
    }
}

impl super::exec::RunState {
    /// After frames ended: nothing goes back to them.
    #[inline]
    pub(super) fn forget_jumps(&mut self) {
        let frames = self.frames.len();
        self.jumps.iter_mut().filter(|jump| jump.frame >= frames).for_each(|j| j.alive = false);
    }
}
