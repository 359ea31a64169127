//! External functions that nothing is known about.
//!
//! docs/internals/semantics.md: such a function is deterministic but unknown; it takes its arguments, the memory
//! it can reach and the world, and gives results, that memory and a new world. The interpreter picks
//! one such function, the same for both versions: its results are a hash of its name,
//! its arguments, what they point to, and the world, which already holds all that went before. It writes nothing, except
//! that bytes without a value behind its arguments get hashed ones: a function that is given
//! an uninitialised buffer most likely fills it, and it is a legal choice, since
//! *some* deterministic function does just that. Without it every program that reads what
//! `fill(&buffer)` left there would trap, as no real run of it does.
//!
//! The entry state may have chosen otherwise for a call ([`Answer`](crate::state::Answer)): other results, and bytes that
//! it writes behind its arguments and to globals. An answer belongs to a hash of all that the function may depend on, and
//! names globals by what the linker calls them, so it is the same function in both versions.

use super::Observer;
use super::call::Arg;
use super::code::CallInfo;
use super::exec::Exec;
use super::jumps::Jumping;
use super::loop_exit::Stop;
use super::memory::address_of;
use super::readers::Read;
use super::world::Hash;
use crate::ids::{ExternId, GlobalId};
use crate::ops;
use crate::program::{External, ExternalKind, Global, Linkage};
use crate::state::{Contents, Effect, Fill, Value, Write};
use crate::types::Type;
use crate::{Address, UnaryOp};

/// How much of what an argument points to is looked at.
const SEEN: usize = 4096;

impl<O: Observer> Exec<'_, '_, O> {
    /// A call of an external by the running procedure.
    pub(super) fn external(&mut self, id: ExternId, call: &CallInfo) -> Result<(), Stop> {
        let args = self.args(call);
        if let Some(builtin) = self.shared.builtins[id.index()] {
            let value = self.builtin(builtin, id, &args)?;
            self.give(&call.results, &[value]);
            return Ok(());
        }
        match self.shared.jumping[id.index()] {
            Some(Jumping::Set) => {
                self.set_jump(&args, call);
                return Ok(());
            }
            Some(Jumping::Back) if self.jump_back(&args)? => return Ok(()),
            _ => {}
        }
        let program = self.shared.program;
        let external = program.external(id);
        let types: Vec<Type> = call.results.iter().map(|place| place.ty).collect();
        let values = match external.kind {
            ExternalKind::PureIntrinsic => self.pure(external, &args, &types),
            ExternalKind::Function | ExternalKind::Assembly => {
                let payloads = self.payloads(&args);
                self.host(&external.name).report_unknown(&args, payloads);
                let call = self.run.world.hash();
                let mut fills = vec![];
                let read = self.read_text(external, &args, &mut fills);
                if fills.is_empty() {
                    fills = self.fill_buffers(&args);
                }
                let results = match &read {
                    Some(read) => self.read_result(call, read, &types),
                    None => self.made_up(external, &args, &types),
                };
                let writes = self.answered(external, call, &args, &mut fills);
                let returned = read.and_then(|read| read.argument(&results));
                let effect = Effect { call, results: results.clone(), fills, writes, returned };
                self.run.world.note_effect(effect);
                results
            }
        };
        if external.no_return {
            return Err(Stop::LeftThrough(external.name.as_str().into()));
        }
        self.give(&call.results, &values);
        Ok(())
    }

    fn value(&mut self, arg: Arg) -> Value {
        match arg.ty {
            Type::Ptr => self.run.world.pointer(&self.run.mem, arg.bits as u64).into(),
            _ => Value::Bits(arg.bits),
        }
    }

    fn payloads(&mut self, args: &[Arg]) -> Vec<(u32, Contents)> {
        let mut payloads = vec![];
        for (index, arg) in args.iter().enumerate().filter(|(_, arg)| arg.ty == Type::Ptr) {
            let address = arg.bits as u64;
            self.run.mem.touch(self.shared.program, address);
            let (mem, world) = (&self.run.mem, &mut self.run.world);
            let Some((data, set)) = mem.peek(address) else { continue };
            let len = data.len().min(SEEN);
            let contents =
                world.contents(mem, address, &data[..len], set.get(..len).unwrap_or(&[]));
            payloads.push((index as u32, contents));
        }
        payloads
    }

    fn fill_buffers(&mut self, args: &[Arg]) -> Vec<Fill> {
        let mut fills = vec![];
        let world = self.run.world.hash() ^ self.run.world.outside.seed;
        for (index, arg) in args.iter().enumerate().filter(|(_, arg)| arg.ty == Type::Ptr) {
            let mut hash = Hash::new(world);
            hash.word(index as u64);
            let filled = self.run.mem.fill_unset(arg.bits as u64, || {
                hash.word(0);
                hash.finish() as u8
            });
            let arg = index as u32;
            fills.extend(filled.into_iter().map(|(offset, bytes)| Fill { arg, offset, bytes }));
        }
        fills
    }

    /// Writes what the answer to a call says, as far as it can be written; adds what was written
    /// behind arguments to `fills` and gives what was written to globals.
    fn answered(
        &mut self,
        external: &External,
        call: u64,
        args: &[Arg],
        fills: &mut Vec<Fill>,
    ) -> Vec<Write> {
        let program = self.shared.program;
        let run = &mut *self.run;
        let answer = run.world.outside.answers.iter().find(|answer| answer.call == call);
        let Some(answer) = answer.filter(|_| external.kind == ExternalKind::Function) else {
            return vec![];
        };
        for fill in &answer.fills {
            let arg = args.get(fill.arg as usize).filter(|arg| arg.ty == Type::Ptr);
            let Some(arg) = arg else { continue };
            let address = (arg.bits as u64).wrapping_add_signed(fill.offset);
            if run.mem.put(program, address, &fill.bytes, 1).is_ok() {
                fills.push(fill.clone());
            }
        }
        let mut writes = vec![];
        for write in &answer.writes {
            let visible = |global: &Global| {
                global.symbol == write.symbol && global.linkage == Linkage::External
            };
            let Some(index) = program.globals.iter().position(visible) else { continue };
            let base = address_of(Address::Global(GlobalId::new(index)));
            let address = base.wrapping_add(write.offset);
            if run.mem.put(program, address, &write.bytes, 1).is_ok() {
                writes.push(write.clone());
            }
        }
        writes
    }

    /// What a function returns that reads text: as the entry state has it, within what is possible.
    fn read_result(&self, call: u64, read: &Read, types: &[Type]) -> Vec<u128> {
        let answer = self.run.world.outside.answers.iter().find(|answer| answer.call == call);
        let chosen = answer.map(|a| &a.results).filter(|results| results.len() == types.len());
        let result = |(index, ty): (usize, &Type)| {
            let bits = chosen.map_or(read.result, |results| read.chosen(results[index]));
            bits & ty.mask()
        };
        types.iter().enumerate().map(result).collect()
    }

    /// Results from the world, which knows the call already.
    fn made_up(&self, external: &External, args: &[Arg], types: &[Type]) -> Vec<u128> {
        // An empty assembly text is how a C program hides a value from the optimiser: it
        // gives back what it was given.
        let barrier = external.kind == ExternalKind::Assembly && external.name.trim().is_empty();
        let call = self.run.world.hash();
        let outside = &self.run.world.outside;
        let seed = outside.seed;
        let pointers = self.given(external);
        let pick = |list: &[u64], hash: u64| u128::from(list[(hash % list.len() as u64) as usize]);
        if let Some(answer) = outside.answers.iter().find(|answer| answer.call == call) {
            let given = |(ty, bits): (&Type, &u128)| match (ty, pointers) {
                (Type::Ptr, Some(list)) => pick(list, Hash::new(call ^ seed).finish()),
                _ => bits & ty.mask(),
            };
            if answer.results.len() == types.len() {
                return types.iter().zip(&answer.results).map(given).collect();
            }
        }
        let mut hash = Hash::new(call ^ seed);
        let result = |(index, ty): (usize, &Type)| {
            hash.word(index as u64);
            match args.get(index) {
                Some(arg) if barrier && arg.ty == *ty => arg.bits,
                _ => match (ty, pointers) {
                    (Type::Ptr, Some(list)) => pick(list, Hash::new(call ^ seed).finish()),
                    _ => plausible(*ty, hash.finish(), seed),
                },
            }
        };
        types.iter().enumerate().map(result).collect()
    }

    /// The addresses that a function gives, if it gives any.
    fn given(&self, external: &External) -> Option<&[u64]> {
        let given = self.run.world.given.iter().find(|(name, _)| *name == external.name)?;
        let unknown = external.kind == ExternalKind::Function && !given.1.is_empty();
        unknown.then_some(&given.1[..])
    }

    fn pure(&mut self, external: &External, args: &[Arg], types: &[Type]) -> Vec<u128> {
        let mut hash = Hash::new(0);
        hash.bytes(external.name.as_bytes());
        for arg in args {
            let value = self.value(*arg);
            hash.value(value, self.shared.program);
        }
        let result = |ty: &Type| {
            hash.word(0);
            plausible(*ty, hash.finish(), 0)
        };
        types.iter().map(result).collect()
    }
}

/// A value of a type from a hash. Pointers are null: a function that gives nothing is
/// always possible, and any other pointer would need an object behind it. Floats are
/// small whole numbers, as random bits would be huge, tiny or NaN. With a seed, integers are
/// mostly small ones too: status codes and characters rather than noise.
fn plausible(ty: Type, hash: u64, seed: u64) -> u128 {
    let hash = match (ty, seed) {
        (Type::Int(_), 1..) => match hash >> 61 {
            0 | 1 => hash & 1,
            2 | 3 => u64::from(hash as u8 & 15).wrapping_sub(4),
            4 | 5 => hash & 0x7f,
            _ => hash,
        },
        _ => hash,
    };
    match ty {
        Type::Ptr => 0,
        Type::Float(_) => {
            ops::unary_bits(UnaryOp::SignedToF, ty, Type::Int(16), u128::from(hash as u16))
        }
        // Widened with its sign, so that a small negative number stays one.
        Type::Int(_) if seed > 0 => (hash as i64 as i128) as u128 & ty.mask(),
        Type::Int(_) => (u128::from(hash) << 64 | u128::from(hash)) & ty.mask(),
    }
}
