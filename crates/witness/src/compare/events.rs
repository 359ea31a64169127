//! What happened between a run and the outside: the interpreter's events against a compiled run's log.
//!
//! Output is compared as bytes to streams; how it was cut into calls is not: `puts("a")` and
//! `printf("a\\n")` print the same. Calls of functions that were answered by a script are compared with their arguments
//! and what was behind them. Volatile accesses leave no trace in a compiled run.
//! Neither does the sign of a NaN count: the model has one NaN, and C libraries print `-nan` for that of a division.

use super::memory::{MemoryComparison, Problem, bits_at};
use super::{Modelled, Skip};
use crate::compiled::{Logged, Stream};
use verdiff_model::graph::calls::CallGraph;
use verdiff_model::state::{
    Contents, Event, Output, Payload, Pointer, PointerTarget, Value, standard_stream,
};
use verdiff_model::{Callee, ExternId, ExternalKind, Frame, StmtKind, Type};

/// The name of the event that stands for what was printed.
pub(crate) const PRINTED: &str = "output";

/// The events that a compiled run was seen to have.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) events: Vec<Event>,
    /// Arguments that are not certain: event and argument.
    pub(super) unsure: Vec<(usize, usize)>,
}

/// What the interpreter says should be in the log.
enum Expected<'a> {
    Printed { to: Value, bytes: Vec<u8> },
    Call { id: ExternId, args: &'a [Value], payloads: &'a [Payload] },
}

/// A text without the signs of NaNs, and without the spaces before them that make up for a missing sign.
fn without_signs_of_nans(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if bytes[at..].starts_with(b"nan") || bytes[at..].starts_with(b"NAN") {
            if text.last() == Some(&b'-') {
                text.pop();
            }
            while text.last() == Some(&b' ') {
                text.pop();
            }
        }
        text.push(*byte);
    }
    text
}

impl MemoryComparison<'_> {
    /// Compares events and log.
    pub(super) fn events(&mut self, frames: &[Frame]) -> Result<Seen, (String, Problem)> {
        let wrong = |how: String| Err(("the world".to_owned(), Problem::Differs(how)));
        let expected = expected(&self.modelled).map_err(|p| ("the world".to_owned(), p))?;
        let log = &self.compiled.log;
        let mut seen = Seen::default();
        for (index, (expected, logged)) in expected.iter().zip(log).enumerate() {
            let place = || format!("event {index}");
            match (expected, logged) {
                (
                    Expected::Printed { to, bytes },
                    Logged::Printed { to: stream, bytes: actual },
                ) => {
                    self.stream(*to, *stream).map_err(|problem| (place(), problem))?;
                    let shown = without_signs_of_nans(bytes);
                    if shown != without_signs_of_nans(actual) {
                        let (a, b) =
                            (String::from_utf8_lossy(bytes), String::from_utf8_lossy(actual));
                        return wrong(format!("prints {a:?} and compiled {b:?}"));
                    }
                    seen.events.push(Event::Call {
                        name: PRINTED.to_owned(),
                        args: vec![*to],
                        payloads: vec![Payload { arg: 0, contents: Contents::from(shown) }],
                        effect: None,
                    });
                }
                (Expected::Call { id, args, payloads }, Logged::Call { external, .. })
                    if id == external =>
                {
                    let event = self
                        .call(*id, args, payloads, logged, frames, index, &mut seen.unsure)
                        .map_err(|problem| (place(), problem))?;
                    seen.events.push(event);
                }
                _ => {
                    let name = |id: &ExternId| self.modelled.program.external(*id).name.clone();
                    let told = match expected {
                        Expected::Printed { bytes, .. } => {
                            format!("prints {:?}", String::from_utf8_lossy(bytes))
                        }
                        Expected::Call { id, .. } => format!("calls {}", name(id)),
                    };
                    return wrong(format!("{told} and compiled {}", tell(logged, &name)));
                }
            }
        }
        if expected.len() != log.len() {
            return wrong(format!("{} events and compiled {}", expected.len(), log.len()));
        }
        Ok(seen)
    }

    fn stream(&mut self, to: Value, actual: Stream) -> Result<(), Problem> {
        let same = match (to, actual) {
            (Value::Bits(fd), Stream::Descriptor(number)) => fd as u32 == number as u32,
            (Value::Pointer(_), Stream::Standard(number)) => {
                standard_stream(self.modelled.program, to) == Some(number)
            }
            (Value::Pointer(to), Stream::File(address)) => {
                return self.pointer(to, address).map(drop);
            }
            _ => false,
        };
        if same {
            return Ok(());
        }
        Err(Problem::Differs(format!("prints to {to:?} and compiled to {actual:?}")))
    }

    #[allow(clippy::too_many_arguments)] // One event, taken apart.
    fn call(
        &mut self,
        id: ExternId,
        args: &[Value],
        payloads: &[Payload],
        logged: &Logged,
        frames: &[Frame],
        event: usize,
        unsure: &mut Vec<(usize, usize)>,
    ) -> Result<Event, Problem> {
        let Logged::Call { args: area, further, looks, .. } = logged else {
            return Err(Problem::Skip(Skip::External));
        };
        let declared = frames.get(id.index()).map_or(&[][..], |frame| &frame.args);
        // Looking through the whole program takes longer than all else here.
        let has_further = args.len() > declared.len();
        let types = has_further.then(|| further_types(&self.modelled, id, args.len())).flatten();
        let external = self.modelled.program.external(id);
        let name = external.name.clone();
        let by_value = |arg: usize| external.by_value.get(arg).copied().flatten();
        let mut args = args.to_vec();
        for (index, arg) in args.iter_mut().enumerate() {
            // The callee has a copy: where it lies is nobody's business, what is in it comes below.
            if by_value(index).is_some() {
                *arg = Value::Bits(0);
                continue;
            }
            let (ty, bits) = match declared.get(index) {
                Some((ty, offset)) => (*ty, bits_at(area, *offset, *ty)),
                None => {
                    let number = index - declared.len();
                    let ty = types.as_ref().and_then(|types| types.get(index)).copied();
                    match (further.get(number), ty) {
                        (Some(bytes), Some(ty)) => (ty, bits_at(bytes, 0, ty)),
                        _ => {
                            unsure.push((event, index));
                            continue;
                        }
                    }
                }
            };
            match self.value(ty, Some(*arg), bits) {
                Ok(Some(_)) => {}
                Ok(None) => unsure.push((event, index)),
                Err(Problem::Differs(how)) => {
                    return Err(Problem::Differs(format!("argument {index} of {name}: {how}")));
                }
                Err(other) => return Err(other),
            }
        }
        let mut seen = vec![];
        for (payload, actual) in payloads.iter().zip(looks) {
            let mut contents = payload.contents.clone();
            if let Some(size) = by_value(payload.arg as usize) {
                let size = contents.bytes.len().min(size as usize);
                super::observed_outcome::cut(&mut contents, size);
            }
            let contents = self.contents(&contents, actual).map_err(|p| match p {
                Problem::Differs(how) => {
                    Problem::Differs(format!("behind argument {} of {name}: {how}", payload.arg))
                }
                other => other,
            })?;
            seen.push(Payload { arg: payload.arg, contents });
        }
        Ok(Event::Call { name, args, payloads: seen, effect: None })
    }
}

fn tell(logged: &Logged, name: &dyn Fn(&ExternId) -> String) -> String {
    match logged {
        Logged::Printed { bytes, .. } => format!("prints {:?}", String::from_utf8_lossy(bytes)),
        Logged::Call { external, .. } => format!("calls {}", name(external)),
    }
}

fn expected<'a>(modelled: &Modelled<'a>) -> Result<Vec<Expected<'a>>, Problem> {
    let world = &modelled.outcome.world;
    if world.count > world.events.len() as u64 {
        return Err(Problem::Skip(Skip::Limit));
    }
    let mut list: Vec<Expected<'a>> = vec![];
    for event in &world.events {
        let Event::Call { name, args, payloads, .. } = event else { continue };
        let externals = &modelled.program.externals;
        let external = externals.iter().position(|e| e.name == *name).map(ExternId::new);
        if modelled.is_known(name) {
            let (to, bytes) = match Output::of(modelled.program, name, args, payloads) {
                Output::Nothing => continue,
                Output::Printed { to, bytes } => (to, bytes),
                Output::Unclear => return Err(Problem::Skip(Skip::External)),
            };
            match list.last_mut() {
                Some(Expected::Printed { to: last, bytes: all }) if *last == to => {
                    all.extend_from_slice(&bytes);
                }
                _ => list.push(Expected::Printed { to, bytes: bytes.into_owned() }),
            }
            continue;
        }
        match external {
            Some(id) if modelled.program.external(id).kind == ExternalKind::Function => {
                list.push(Expected::Call { id, args, payloads });
            }
            _ => return Err(Problem::Skip(Skip::Operation)),
        }
    }
    Ok(list)
}

/// The types of a call's arguments, if all calls of the function with as many have the same. A call through a pointer can only be one of it if the program takes
/// its address, or the entry state has it.
pub(crate) fn further_types(
    modelled: &Modelled<'_>,
    id: ExternId,
    count: usize,
) -> Option<Vec<Type>> {
    let program = modelled.program;
    let mut found: Option<Vec<Type>> = None;
    let mut pointed_to = None;
    for procedure in &program.procedures {
        for stmt in procedure.blocks.iter().flat_map(|b| &b.stmts) {
            let StmtKind::Call { callee, args, .. } = &stmt.kind else { continue };
            let (called, maybe) = match callee {
                Callee::External(e) => (*e == id, false),
                Callee::Indirect { .. } => (false, true),
                Callee::Procedure(_) => (false, false),
            };
            if args.len() != count || !(called || maybe) {
                continue;
            }
            if maybe && !*pointed_to.get_or_insert_with(|| is_pointed_to(modelled, id)) {
                continue;
            }
            let types: Vec<Type> = args.iter().map(|arg| procedure.type_of(arg)).collect();
            match &found {
                Some(other) if *other != types => return None,
                _ => found = Some(types),
            }
        }
    }
    found
}

/// Whether something may call an external function through a pointer.
fn is_pointed_to(modelled: &Modelled<'_>, id: ExternId) -> bool {
    let graph = CallGraph::of(modelled.program);
    let given = |pointer: Pointer| pointer.target == PointerTarget::External(id);
    graph.externals_address_taken().contains(&id)
        || !graph.is_complete()
        || modelled.entry.pointers().any(given)
}

#[cfg(test)]
mod tests {
    use super::without_signs_of_nans;

    #[test]
    fn signs_of_nans_are_not_compared() {
        let same = |a: &str, b: &str| {
            without_signs_of_nans(a.as_bytes()) == without_signs_of_nans(b.as_bytes())
        };
        assert!(same("x = nan;", "x = -nan;") && same("[    nan]", "[   -nan]"));
        assert!(same("nan", "-nan") && same("NAN -NAN", "-NAN NAN"));
        assert!(!same("-1", "1") && !same("-inf", "inf") && !same("- an", " an"));
        assert!(!same("nan 1", "nan 2"));
    }
}
