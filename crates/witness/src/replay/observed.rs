//! What a compiled run did, for people and reports.

use crate::compare::{ObservedOutcome, PRINTED};
use serde::{Deserialize, Serialize};
use verdiff_judge::RunEnd;
use verdiff_model::state::{
    Contents, End, Event, FreshObject, ObjectEnd, Outcome, Returned, Value, standard_stream,
};
use verdiff_model::{Program, Trap};

/// What a compiled run did: all of it seen, with the names that the entry state has for objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Observed {
    /// How it ended; `None` if it was not run, or did not do what was predicted.
    pub end: Option<Ended>,
    /// What it returned.
    pub returned: Vec<Returned>,
    /// Objects of the entry state that were written or freed, by their position there.
    pub objects: Vec<(u32, ObjectEnd)>,
    /// Globals that were written, by name.
    pub globals: Vec<(String, Contents)>,
    /// New objects that can be reached, where they were seen.
    pub fresh: Vec<FreshObject>,
    /// What it printed.
    pub printed: Vec<Printed>,
}

/// How a compiled run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Ended {
    /// It returned.
    Returned,
    /// It trapped.
    Trapped {
        /// How, as the model has it.
        trap: Trap,
        /// How that was seen: a signal, a sanitizer's report.
        seen: RunEnd,
        /// The file it happened in, as the model has it.
        file: String,
        /// The line; 0 if it is not known.
        line: u32,
    },
    /// It called `exit`.
    Exited(i32),
    /// It called a function that does not return.
    LeftThrough(String),
}

/// Something that was printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Printed {
    /// Where to: `stdout`, `stderr`, or a descriptor or stream in words.
    pub to: String,
    /// What.
    pub bytes: Vec<u8>,
}

/// What an external function was made to answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExternalCall {
    /// Which function.
    pub name: String,
    /// Which call it is ([`Effect::call`](verdiff_model::state::Effect::call)).
    pub call: u64,
    /// Whether the old version makes the call.
    pub old: bool,
    /// Whether the new version does.
    pub new: bool,
    /// What it returned.
    pub returns: Vec<Returned>,
    /// What it wrote behind which argument.
    pub fills: Vec<verdiff_model::state::Fill>,
    /// What it wrote to globals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<verdiff_model::state::Write>,
}

pub(super) fn observed(program: &Program, shown: &ObservedOutcome, seen: &RunEnd) -> Observed {
    let outcome = &shown.outcome;
    let mut observed = Observed::default();
    observed.end = match &outcome.end {
        End::Returned(values) => {
            observed.returned.clone_from(values);
            Some(Ended::Returned)
        }
        End::Trapped { trap, loc, .. } => Some(Ended::Trapped {
            trap: *trap,
            seen: seen.clone(),
            file: if loc.is_known() { program.file(loc.file).to_owned() } else { String::new() },
            line: loc.line,
        }),
        End::Exited(status) => Some(Ended::Exited(*status)),
        End::LeftThrough(name) => Some(Ended::LeftThrough(name.clone())),
        End::OutOfSteps | End::Stopped(_) => None,
    };
    let changed = |(index, end): (usize, &ObjectEnd)| match end {
        ObjectEnd::Untouched => None,
        end => Some((index as u32, end.clone())),
    };
    observed.objects = outcome.objects.iter().enumerate().filter_map(changed).collect();
    let global =
        |(id, contents): &(_, Contents)| (program.global(*id).name.clone(), contents.clone());
    observed.globals = outcome.globals.iter().map(global).collect();
    observed.fresh.clone_from(&outcome.fresh);
    for event in &outcome.world.events {
        let Event::Call { name, args, payloads, .. } = event else { continue };
        if name != PRINTED {
            continue;
        }
        let to = match args.first() {
            Some(value) => match (standard_stream(program, *value), value) {
                (Some(1), _) => "stdout".to_owned(),
                (Some(2), _) => "stderr".to_owned(),
                (_, Value::Bits(fd)) => format!("descriptor {fd}"),
                (_, other) => format!("{other:?}"),
            },
            None => String::new(),
        };
        let bytes = payloads.first().map(|p| p.contents.bytes.clone()).unwrap_or_default();
        observed.printed.push(Printed { to, bytes });
    }
    observed
}

/// What external functions answered, each call once.
pub(super) fn external_calls(
    (old_program, old): (&Program, &Outcome),
    (new_program, new): (&Program, &Outcome),
) -> Vec<ExternalCall> {
    let mut calls: Vec<ExternalCall> = vec![];
    for (program, outcome, is_old) in [(old_program, old, true), (new_program, new, false)] {
        for event in &outcome.world.events {
            let Event::Call { name, effect: Some(effect), .. } = event else { continue };
            if let Some(known) =
                calls.iter_mut().find(|c| c.call == effect.call && c.old && !is_old)
            {
                known.new = true;
                continue;
            }
            let external = program.externals.iter().find(|e| e.name == *name);
            let types = external.map_or(&[][..], |e| &e.signature.results);
            let returned =
                |(ty, bits): (&_, &u128)| Returned { ty: *ty, value: Some(Value::Bits(*bits)) };
            calls.push(ExternalCall {
                name: name.clone(),
                call: effect.call,
                old: is_old,
                new: !is_old,
                returns: types.iter().zip(&effect.results).map(returned).collect(),
                fills: effect.fills.clone(),
                writes: effect.writes.clone(),
            });
        }
    }
    calls
}
