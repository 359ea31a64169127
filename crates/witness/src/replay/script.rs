//! From what the interpreter made up to what external functions are made to answer.

use crate::agree::Build;
use crate::compare::{Modelled, further_types};
use crate::compiled::{Addresses, Answered, ArgPlace, Further};
use verdiff_judge::{ReplayProblem, StubProblem};
use verdiff_model::state::{Effect, EntryState, Event, Fill, Payload, Write, layout};
use verdiff_model::{ExternId, ExternalKind, FloatKind, Frame, GlobalId, Linkage, Program, Type};

/// How the functions that are not linked answer, in order; an error says why they cannot be made to.
pub(super) fn script(
    modelled: &Modelled<'_>,
    build: &Build,
    addresses: &Addresses,
) -> Result<Vec<Answered>, ReplayProblem> {
    let world = &modelled.outcome.world;
    if world.count > world.events.len() as u64 {
        return Err(ReplayProblem::TooManyEvents);
    }
    let mut script = vec![];
    for event in &world.events {
        let Event::Call { name, args, payloads, effect } = event else {
            continue;
        };
        let stub = |why| ReplayProblem::Stub { function: name.clone(), why };
        if modelled.is_known(name) {
            continue;
        }
        let externals = &modelled.program.externals;
        let Some(id) = externals.iter().position(|e| e.name == *name).map(ExternId::new) else {
            return Err(stub(StubProblem::NotDeclared));
        };
        let external = modelled.program.external(id);
        if external.kind != ExternalKind::Function {
            return Err(ReplayProblem::OpenOperation);
        }
        let frame = build.external_frames.get(id.index()).cloned().unwrap_or_default();
        if frame.args.len() != external.signature.params.len() {
            return Err(stub(StubProblem::Parameters));
        }
        let types = further_types(modelled, id, args.len());
        let declared = frame.args.len();
        let further = match &types {
            Some(types) => further(types.get(declared..).unwrap_or(&[])),
            None => vec![],
        };
        let place = |arg: u32| match frame.args.get(arg as usize) {
            Some((_, offset)) => Some(ArgPlace::Area(*offset as u32)),
            None => {
                let number = arg - declared as u32;
                (further.get(number as usize) == Some(&Further::Word))
                    .then_some(ArgPlace::Further(number))
            }
        };
        let by_value = |arg: u32| external.by_value.get(arg as usize).copied().flatten();
        let mut looks = vec![];
        for payload in payloads {
            // Looks answer payloads one by one.
            let place = place(payload.arg).ok_or_else(|| stub(StubProblem::Unseen(payload.arg)))?;
            let size = payload.contents.bytes.len() as u64;
            looks.push((place, by_value(payload.arg).map_or(size, |copy| size.min(copy)) as u32));
        }
        let mut fills = vec![];
        let effect = effect.as_ref();
        for fill in effect.map_or(&[][..], |effect| &effect.fills) {
            // What a callee does to its copy, nobody sees; the interpreter has no copy.
            if by_value(fill.arg).is_some() {
                if overwrites(fill, payloads) {
                    return Err(stub(StubProblem::WritesCopy(fill.arg)));
                }
                continue;
            }
            let place = place(fill.arg).ok_or_else(|| stub(StubProblem::Unfilled(fill.arg)))?;
            fills.push((place, fill.offset, fill.bytes.clone()));
        }
        let mut writes = vec![];
        for write in effect.map_or(&[][..], |effect| &effect.writes) {
            let id = written(modelled.program, addresses, write)
                .ok_or_else(|| stub(StubProblem::WritesMissing(write.symbol.clone())))?;
            writes.push((id, write.offset, write.bytes.clone()));
        }
        let returned = effect.and_then(|effect| effect.returned);
        let returned = match returned.map(place) {
            None => None,
            Some(Some(place)) => Some(place),
            Some(None) => return Err(stub(StubProblem::ReturnsAddress)),
        };
        script.push(Answered {
            external: id,
            returns: !external.no_return,
            args_size: frame.args_size as u32,
            results: results(&frame, name, effect, modelled.entry, addresses).map_err(stub)?,
            further,
            looks,
            fills,
            writes,
            returned,
        });
    }
    Ok(script)
}

/// Whether a fill changes bytes that had a value.
fn overwrites(fill: &Fill, payloads: &[Payload]) -> bool {
    let Some(Payload { contents, .. }) = payloads.iter().find(|p| p.arg == fill.arg) else {
        return false;
    };
    let end = fill.offset.saturating_add(fill.bytes.len() as i64).min(contents.bytes.len() as i64);
    (fill.offset.max(0)..end)
        .any(|at| !contents.unset.iter().any(|range| range.contains(&(at as u64))))
}

/// The global that is written, if the compiled program has it where the driver can write it.
fn written(program: &Program, addresses: &Addresses, write: &Write) -> Option<GlobalId> {
    let index = program
        .globals
        .iter()
        .position(|global| global.symbol == write.symbol && global.linkage == Linkage::External)?;
    let there = addresses.globals.get(index).is_some_and(|address| *address != 0);
    let global = &program.globals[index];
    (there && !global.thread_local && !global.constant).then(|| GlobalId::new(index))
}

fn further(types: &[Type]) -> Vec<Further> {
    let class = |ty: &Type| match ty {
        Type::Int(0..=64) | Type::Ptr => Some(Further::Word),
        Type::Float(FloatKind::Double) => Some(Further::Double),
        Type::Float(FloatKind::X87) => Some(Further::Extended),
        _ => None,
    };
    // From the first that is passed in some other way on, nothing is known.
    types.iter().map_while(class).take(64).collect()
}

fn results(
    frame: &Frame,
    name: &str,
    effect: Option<&Effect>,
    entry: &EntryState,
    addresses: &Addresses,
) -> Result<Vec<u8>, StubProblem> {
    let mut area = vec![0; frame.results_size as usize];
    // A result that the program ignores was not made up.
    let values = effect.map_or(&[][..], |effect| &effect.results);
    if values.len() != frame.results.len() && !values.is_empty() {
        return Err(StubProblem::ResultCount);
    }
    if effect.is_none() && !frame.results.is_empty() {
        return Err(StubProblem::ResultUnknown);
    }
    for ((ty, offset), bits) in frame.results.iter().zip(values) {
        let mut bits = *bits;
        let argument = effect.is_some_and(|effect| effect.returned.is_some());
        if *ty == Type::Ptr && layout::zone_of(bits as u64) > 0 && argument {
            // The stub looks at what it was called with.
            bits = 0;
        } else if *ty == Type::Ptr && layout::zone_of(bits as u64) > 0 {
            let pointer = entry.given_pointer(name, bits as u64);
            let address = pointer.and_then(|pointer| addresses.of(pointer, entry));
            bits = address.ok_or(StubProblem::ReturnsAddress)?.into();
        }
        let at = *offset as usize;
        let bytes = ty.bytes() as usize;
        let place = area.get_mut(at..at + bytes).ok_or(StubProblem::ResultFrame)?;
        place.copy_from_slice(&bits.to_le_bytes()[..bytes]);
    }
    Ok(area)
}
