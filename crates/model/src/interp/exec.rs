//! The inner loop.

use super::access::{load_any, store_any};
use super::code::{Code, Op, value_of};
use super::jumps::{self, Jump, Jumping};
use super::libc::{Builtin, Kept};
use super::loop_exit::Stop;
use super::memory::{AllocationKind, Memory};
use super::world::WorldState;
use super::{Limits, Observer};
use crate::expr::BinaryOp;
use crate::ids::{BlockId, ProcId};
use crate::ops;
use crate::program::Program;
use crate::stmt::Trap;
use crate::types::Type;
use std::cell::OnceCell;

/// What all runs share.
pub(super) struct Shared<'p> {
    pub(super) program: &'p Program,
    codes: Vec<OnceCell<Code>>,
    /// For each external, the library function it is emulated by.
    pub(super) builtins: Vec<Option<Builtin>>,
    /// For each external, whether it returns twice or goes back.
    pub(super) jumping: Vec<Option<Jumping>>,
}

impl<'p> Shared<'p> {
    pub(super) fn new(program: &'p Program) -> Shared<'p> {
        Shared {
            program,
            codes: program.procedures.iter().map(|_| OnceCell::new()).collect(),
            builtins: program.externals.iter().map(Builtin::find).collect(),
            jumping: program.externals.iter().map(jumps::jumping).collect(),
        }
    }

    #[inline]
    pub(super) fn code(&self, id: ProcId) -> &Code {
        self.codes[id.index()]
            .get_or_init(|| super::compile::compile(self.program, self.program.procedure(id)))
    }
}

/// An active procedure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) procedure: ProcId,
    /// The next instruction.
    pub(super) pc: u32,
    /// Its first register.
    pub(super) base: usize,
    /// Its first object in `RunState::frame_objects`.
    pub(super) objects: usize,
    /// Which of the caller's calls made it.
    pub(super) call: u32,
}

/// An object that ends with a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameObject {
    pub(super) base: u64,
    /// Whether it was made by `Alloc` and so may end earlier.
    pub(super) allocated: bool,
}

/// What belongs to one run; kept to reuse its memory.
pub(super) struct RunState {
    pub(super) regs: Vec<u128>,
    pub(super) frames: Vec<Frame>,
    pub(super) frame_objects: Vec<FrameObject>,
    pub(super) mem: Memory,
    pub(super) world: WorldState,
    /// Objects of the emulated library.
    pub(super) kept: Kept,
    /// How many bytes each allocation asked for.
    pub(super) requests: Vec<u64>,
    pub(super) steps_left: u64,
    /// How many library functions that call back are active.
    pub(super) callbacks: u32,
    /// Where `longjmp` may go back to.
    pub(super) jumps: Vec<Jump>,
    /// What the outermost procedure returned: type, value, and whether it has one.
    pub(super) returned: Vec<(Type, u128, bool)>,
}

impl RunState {
    pub(super) fn new(program: &Program) -> RunState {
        RunState {
            regs: vec![],
            frames: vec![],
            frame_objects: vec![],
            mem: Memory::new(program),
            world: WorldState::default(),
            kept: Kept::default(),
            requests: vec![],
            steps_left: 0,
            callbacks: 0,
            jumps: vec![],
            returned: vec![],
        }
    }
}

/// A run.
pub(super) struct Exec<'m, 'p, O> {
    pub(super) shared: &'m Shared<'p>,
    pub(super) run: &'m mut RunState,
    pub(super) observer: &'m mut O,
    pub(super) limits: Limits,
}

/// How many bytes moved or looked at count as one statement.
const BYTES_A_STEP: u64 = 64;

/// Why the inner loop was left for a moment.
enum Action {
    Call(u32),
    Return(u32),
    Stop(Stop),
}

impl<'m, O: Observer> Exec<'m, '_, O> {
    /// Runs until only `depth` frames are left.
    pub(super) fn execute(&mut self, depth: usize) -> Result<(), Stop> {
        while self.run.frames.len() > depth {
            let (code, action) = self.run_frame();
            match action {
                Action::Call(info) => {
                    // Copies and fills of the program itself are counted already.
                    self.run.mem.take_work();
                    self.call(code, info)?;
                    let work = self.run.mem.take_work() / BYTES_A_STEP;
                    self.run.steps_left = self.run.steps_left.saturating_sub(work);
                }
                Action::Return(info) => self.leave(code, info, depth),
                Action::Stop(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// Runs the topmost frame until it calls, returns or stops.
    #[expect(clippy::too_many_lines, reason = "one arm for each instruction, most of one line")]
    fn run_frame(&mut self) -> (&'m Code, Action) {
        let shared = self.shared;
        let program = shared.program;
        let RunState { regs, frames, frame_objects, mem, world, steps_left, .. } = &mut *self.run;
        let Some(frame) = frames.last_mut() else { unreachable!("a frame is active") };
        let procedure = frame.procedure;
        let code = shared.code(procedure);
        let ops = &code.ops[..];
        let regs = &mut regs[frame.base..frame.base + code.template.len()];
        let observer = &mut *self.observer;
        let mut pc = frame.pc as usize;
        let mut steps = *steps_left;

        // The low half of a register: a narrow value without its mark.
        macro_rules! get {
            ($r:expr) => {
                regs[$r as usize] as u64
            };
        }
        macro_rules! set {
            ($d:expr, $value:expr) => {
                regs[$d as usize] = u128::from($value)
            };
        }
        // The same with the sign at the top.
        macro_rules! high {
            ($sh:expr, $r:expr) => {
                (get!($r) << $sh) as i64
            };
        }
        macro_rules! cut {
            ($sh:expr, $value:expr) => {
                ($value << $sh) >> $sh
            };
        }
        macro_rules! or_stop {
            ($result:expr) => {
                match $result {
                    Ok(value) => value,
                    Err(stop) => break Action::Stop(stop),
                }
            };
        }
        macro_rules! compare {
            ($op:ident, $a:expr, $b:expr) => {
                observer.compare(procedure, pc as u32, BinaryOp::$op, $a, $b)
            };
        }
        macro_rules! jump_if {
            ($op:ident, $a:expr, $b:expr, $holds:expr, $to:expr) => {{
                compare!($op, get!($a), get!($b));
                if observer.decide($holds) {
                    pc = $to as usize;
                }
            }};
        }
        macro_rules! predicate {
            ($op:ident, $d:expr, $a:expr, $b:expr, $holds:expr) => {{
                compare!($op, get!($a), get!($b));
                set!($d, $holds)
            }};
        }
        macro_rules! load {
            ($int:ty, $n:literal, $align:expr, $d:expr, $a:expr, $off:expr) => {{
                let address = get!($a).wrapping_add_signed(i64::from($off));
                let bytes = match mem.read::<$n>(address, (1 << $align) - 1) {
                    Some(bytes) => bytes,
                    None => {
                        let bytes = or_stop!(mem.word(program, address, $n, 1 << $align));
                        bytes[..$n].try_into().unwrap_or([0; $n])
                    }
                };
                set!($d, <$int>::from_le_bytes(bytes))
            }};
        }
        macro_rules! store {
            ($int:ty, $n:literal, $align:expr, $a:expr, $v:expr, $off:expr) => {{
                let address = get!($a).wrapping_add_signed(i64::from($off));
                let bytes = (get!($v) as $int).to_le_bytes();
                let before: Option<[u8; $n]> = if O::STORES { mem.read(address, 0) } else { None };
                if !mem.write::<$n>(address, (1 << $align) - 1, bytes) {
                    or_stop!(mem.put(program, address, &bytes, 1 << $align));
                }
                if O::STORES {
                    observer.stored(address, &bytes, before.as_ref().map(|b| &b[..]));
                }
            }};
        }
        macro_rules! float {
            ($function:ident, $bits:ty, $d:expr, $a:expr, $b:expr) => {
                set!($d, ops::$function(get!($a) as $bits, get!($b) as $bits))
            };
        }

        let action = loop {
            let op = ops[pc];
            pc += 1;
            match op {
                Op::Enter { block, cost } => {
                    if steps < u64::from(cost) {
                        break Action::Stop(Stop::OutOfSteps);
                    }
                    steps -= u64::from(cost);
                    observer.block(procedure, BlockId(block));
                }
                Op::Copy { d, a } => regs[d as usize] = regs[a as usize],
                Op::Move { d, a } => set!(d, get!(a)),
                Op::ClearMark { d } => regs[d as usize] = 0,
                Op::Add { sh, d, a, b } => set!(d, cut!(sh, get!(a).wrapping_add(get!(b)))),
                Op::Sub { sh, d, a, b } => set!(d, cut!(sh, get!(a).wrapping_sub(get!(b)))),
                Op::Mul { sh, d, a, b } => set!(d, cut!(sh, get!(a).wrapping_mul(get!(b)))),
                Op::UDiv { sh, d, a, b } => {
                    set!(d, get!(a).checked_div(get!(b)).unwrap_or(u64::MAX >> sh));
                }
                Op::URem { d, a, b } => {
                    let a = get!(a);
                    set!(d, a.checked_rem(get!(b)).unwrap_or(a));
                }
                Op::SDiv { sh, d, a, b } => {
                    let (x, y) = (high!(sh, a) >> sh, high!(sh, b) >> sh);
                    let by_zero = if x < 0 { 1 } else { -1 };
                    let quotient = if y == 0 { by_zero } else { x.wrapping_div(y) };
                    set!(d, cut!(sh, quotient as u64));
                }
                Op::SRem { sh, d, a, b } => {
                    let (x, y) = (high!(sh, a) >> sh, high!(sh, b) >> sh);
                    let remainder = if y == 0 { x } else { x.wrapping_rem(y) };
                    set!(d, cut!(sh, remainder as u64));
                }
                Op::Shl { sh, d, a, b } => set!(d, cut!(sh, get!(a) << (get!(b) & 63))),
                Op::LShr { d, a, b } => set!(d, get!(a) >> (get!(b) & 63)),
                Op::AShr { sh, d, a, b } => {
                    let shifted = (high!(sh, a) >> sh) >> (get!(b) & 63);
                    set!(d, cut!(sh, shifted as u64));
                }
                Op::And { d, a, b } => set!(d, get!(a) & get!(b)),
                Op::Or { d, a, b } => set!(d, get!(a) | get!(b)),
                Op::Xor { d, a, b } => set!(d, get!(a) ^ get!(b)),
                Op::Eq { d, a, b } => predicate!(Eq, d, a, b, get!(a) == get!(b)),
                Op::Ne { d, a, b } => predicate!(Ne, d, a, b, get!(a) != get!(b)),
                Op::Ult { d, a, b } => predicate!(Ult, d, a, b, get!(a) < get!(b)),
                Op::Ule { d, a, b } => predicate!(Ule, d, a, b, get!(a) <= get!(b)),
                Op::Slt { sh, d, a, b } => predicate!(Slt, d, a, b, high!(sh, a) < high!(sh, b)),
                Op::Sle { sh, d, a, b } => predicate!(Sle, d, a, b, high!(sh, a) <= high!(sh, b)),
                Op::Truncate { sh, d, a } => set!(d, cut!(sh, get!(a))),
                Op::SignExtend { from, to, d, a } => {
                    set!(d, cut!(to, (high!(from, a) >> from) as u64));
                }
                Op::Index { sh, scale, d, a, b } => {
                    let distance = (high!(sh, b) >> sh).wrapping_mul(i64::from(scale));
                    set!(d, get!(a).wrapping_add_signed(distance));
                }
                Op::AddF32 { d, a, b } => float!(add_f32, u32, d, a, b),
                Op::SubF32 { d, a, b } => float!(sub_f32, u32, d, a, b),
                Op::MulF32 { d, a, b } => float!(mul_f32, u32, d, a, b),
                Op::DivF32 { d, a, b } => float!(div_f32, u32, d, a, b),
                Op::AddF64 { d, a, b } => float!(add_f64, u64, d, a, b),
                Op::SubF64 { d, a, b } => float!(sub_f64, u64, d, a, b),
                Op::MulF64 { d, a, b } => float!(mul_f64, u64, d, a, b),
                Op::DivF64 { d, a, b } => float!(div_f64, u64, d, a, b),
                Op::Binary { op, ty, d, a, b } => {
                    let ty = Type::from(ty);
                    let a = value_of(regs[a as usize], ty);
                    let b = value_of(regs[b as usize], ty);
                    regs[d as usize] = ops::binary_bits(op, ty, a, b);
                }
                Op::Unary { d, a, info } => {
                    let info = code.unaries[info as usize];
                    let a = value_of(regs[a as usize], info.from);
                    regs[d as usize] = ops::unary_bits(info.op, info.to, info.from, a);
                }
                Op::Select { d, c, pair } => {
                    let (then, otherwise) = code.pairs[pair as usize];
                    let chosen = if get!(c) != 0 { then } else { otherwise };
                    regs[d as usize] = regs[chosen as usize];
                }
                Op::FusedMulAdd { kind, d, a, pair } => {
                    let ty = Type::Float(kind);
                    let (b, c) = code.pairs[pair as usize];
                    let [a, b, c] = [a, b, c].map(|r| value_of(regs[r as usize], ty));
                    regs[d as usize] = ops::fused_mul_add_bits(ty, a, b, c);
                }
                Op::LocalAddress { d, slot, local } => {
                    if regs[slot as usize] == 0 {
                        let size = program.procedure(procedure).local(local).size;
                        let base = or_stop!(mem.allocate(AllocationKind::Local, size, false));
                        frame_objects.push(FrameObject { base, allocated: false });
                        set!(slot, base);
                    }
                    regs[d as usize] = regs[slot as usize];
                }
                Op::Load8 { align, d, a, off } => load!(u8, 1, align, d, a, off),
                Op::Load16 { align, d, a, off } => load!(u16, 2, align, d, a, off),
                Op::Load32 { align, d, a, off } => load!(u32, 4, align, d, a, off),
                Op::Load64 { align, d, a, off } => load!(u64, 8, align, d, a, off),
                Op::Store8 { align, a, v, off } => store!(u8, 1, align, a, v, off),
                Op::Store16 { align, a, v, off } => store!(u16, 2, align, a, v, off),
                Op::Store32 { align, a, v, off } => store!(u32, 4, align, a, v, off),
                Op::Store64 { align, a, v, off } => store!(u64, 8, align, a, v, off),
                Op::Load { d, a, info } => {
                    let info = &code.accesses[info as usize];
                    let address = get!(a).wrapping_add_signed(info.off);
                    regs[d as usize] = or_stop!(load_any(program, mem, world, address, info));
                }
                Op::Store { a, v, info } => {
                    let info = &code.accesses[info as usize];
                    let address = get!(a).wrapping_add_signed(info.off);
                    let value = value_of(regs[v as usize], info.ty);
                    or_stop!(store_any(program, mem, world, address, value, info));
                }
                Op::CopyBytes { info } => {
                    let info = &code.blocks[info as usize];
                    let (to, from, len) = (get!(info.dst), get!(info.second), get!(info.len));
                    or_stop!(super::access::copy(program, mem, world, to, from, len, info));
                    steps = steps.saturating_sub(len / BYTES_A_STEP);
                }
                Op::FillBytes { info } => {
                    let info = &code.blocks[info as usize];
                    let (to, byte, len) = (get!(info.dst), get!(info.second), get!(info.len));
                    or_stop!(super::access::fill(program, mem, world, to, byte as u8, len, info));
                    steps = steps.saturating_sub(len / BYTES_A_STEP);
                }
                Op::Alloc { d, a } => {
                    let base = or_stop!(mem.allocate(AllocationKind::Local, get!(a), false));
                    frame_objects.push(FrameObject { base, allocated: true });
                    set!(d, base);
                }
                // The token is the next zone: whatever this frame allocates later lies above it.
                Op::SaveStack { d } => set!(d, mem.next_base()),
                Op::RestoreStack { a } => {
                    let token = get!(a);
                    let mut kept = frame.objects;
                    for at in frame.objects..frame_objects.len() {
                        let object = frame_objects[at];
                        if object.allocated && object.base >= token {
                            mem.end_local(object.base);
                        } else {
                            frame_objects[kept] = object;
                            kept += 1;
                        }
                    }
                    frame_objects.truncate(kept);
                }
                Op::CheckInit { a } => {
                    if regs[a as usize] >> 64 != 0 {
                        break Action::Stop(Trap::Uninitialised.into());
                    }
                }
                Op::Jump { to } => pc = to as usize,
                Op::JumpIf { a, to } => {
                    if observer.decide(get!(a) != 0) {
                        pc = to as usize;
                    }
                }
                Op::JumpUnless { a, to } => {
                    if observer.decide(get!(a) == 0) {
                        pc = to as usize;
                    }
                }
                Op::JumpEq { a, b, to } => jump_if!(Eq, a, b, get!(a) == get!(b), to),
                Op::JumpNe { a, b, to } => jump_if!(Ne, a, b, get!(a) != get!(b), to),
                Op::JumpUlt { a, b, to } => jump_if!(Ult, a, b, get!(a) < get!(b), to),
                Op::JumpUle { a, b, to } => jump_if!(Ule, a, b, get!(a) <= get!(b), to),
                Op::JumpSlt { sh, a, b, to } => {
                    jump_if!(Slt, a, b, high!(sh, a) < high!(sh, b), to);
                }
                Op::JumpSle { sh, a, b, to } => {
                    jump_if!(Sle, a, b, high!(sh, a) <= high!(sh, b), to);
                }
                Op::Switch { a, table } => {
                    let switch = &code.switches[table as usize];
                    let value = value_of(regs[a as usize], switch.ty);
                    observer.switch(procedure, pc as u32, value);
                    pc = observer.choose(switch.target(value)) as usize;
                }
                Op::Call { info } => break Action::Call(info),
                Op::Return { info } => break Action::Return(info),
                Op::Trap { trap } => break Action::Stop(trap.into()),
            }
        };
        *steps_left = steps;
        frame.pc = pc as u32;
        (code, action)
    }
}
