//! Inputs for procedures: entry states that are likely to get somewhere.
//!
//! Uniformly random bits would mostly be huge numbers and wild pointers. So numbers are boundaries,
//! small ones, and constants of the procedure's own text and their neighbours; pointers lead to objects of the
//! C type that the source says, filled field by field; a number after a pointer is often a length
//! that fits; strings end. Some pointers are null, alias each other or point into the middle,
//! because callers do that too.
//!
//! The same seed gives the same states, on every machine.

mod facts;
mod fill;
mod random;
mod scalar;
mod shape;
pub mod shrink;
mod text;

use crate::state::{EntryState, Pointer, PointerTarget, Value};
use crate::{CType, CTypeId, Frame, ProcId, Program, Type};
use facts::Facts;
use fill::Draft;
pub use random::Random;
use shape::Containers;
pub use shape::is_opaque;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Makes entry states for the procedures of a program.
pub struct Generator<'p> {
    program: &'p Program,
    /// Made when a state needs them.
    known: TypeFacts,
}

/// What is found out about a program's types once a state needs it.
#[derive(Default)]
struct TypeFacts {
    /// Few procedures take pointers to functions.
    functions: OnceCell<Functions>,
    containers: OnceCell<Containers>,
}

/// For each C type of functions, procedures that have it.
type Functions = HashMap<CTypeId, Vec<ProcId>>;

/// More procedures of one type are not chosen from.
const MOST_FUNCTIONS: usize = 16;

/// What a parameter is to be filled with.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'p> {
    /// Its name.
    pub name: &'p str,
    /// Its machine type.
    pub ty: Type,
    /// Its C type, if the parameter is one of the source.
    pub ctype: Option<CTypeId>,
    /// The size of a struct behind a pointer that the ABI made: passed by value, or for the result.
    pub hidden: Option<u64>,
}

impl<'p> Generator<'p> {
    /// A generator for a program.
    pub fn new(program: &'p Program) -> Generator<'p> {
        Generator { program, known: TypeFacts::default() }
    }

    /// Entry state number `number` for a procedure.
    pub fn entry(&self, procedure: ProcId, frame: &Frame, seed: u64, number: u64) -> EntryState {
        self.for_procedure(procedure, frame).entry(seed, number)
    }

    /// What is needed to know of a procedure, found out once for many states.
    pub fn for_procedure(&self, procedure: ProcId, frame: &Frame) -> ProcedureGenerator<'_> {
        ProcedureGenerator {
            program: self.program,
            known: &self.known,
            facts: Facts::of(self.program, procedure),
            parameters: parameters(self.program, procedure, frame),
            name: &self.program.procedure(procedure).symbol,
        }
    }
}

/// Makes entry states for one procedure.
pub struct ProcedureGenerator<'p> {
    program: &'p Program,
    known: &'p TypeFacts,
    facts: Facts,
    parameters: Vec<Parameter<'p>>,
    name: &'p str,
}

impl<'p> ProcedureGenerator<'p> {
    /// The parameters that are filled.
    pub fn parameters(&self) -> &[Parameter<'p>] {
        &self.parameters
    }

    /// Has the numbers of another procedure's text, its other version's, tried too.
    pub fn learn(&mut self, other: &ProcedureGenerator<'_>) {
        self.facts.learn(&other.facts);
    }

    /// Entry state number `number`.
    pub fn entry(&self, seed: u64, number: u64) -> EntryState {
        let name = self
            .name
            .bytes()
            .fold(seed, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        let random = Random::new(name ^ number.wrapping_mul(0x9e6c_63d0_876a_3f6b));
        let mut draft = Draft::new(self.program, self.known, &self.facts, random);
        let mut args: Vec<Value> = vec![];
        for parameter in &self.parameters {
            let value = match (parameter.hidden, parameter.ty) {
                (Some(size), _) if parameter.name.starts_with("...") => draft.passed(size).into(),
                (Some(size), _) => draft.hidden(size, parameter.ctype).into(),
                (None, Type::Ptr) => {
                    let target = parameter.ctype.and_then(|c| self.program.ctypes.target(c));
                    draft.pointer(target, 0, parameter.ctype.is_some()).into()
                }
                (None, ty) => Value::Bits(draft.scalar(ty, parameter.ctype, parameter.name)),
            };
            args.push(value);
        }
        draft.finish(args)
    }

    /// Adds an object of a type, and what it leads to, and gives the pointer to it.
    pub fn object(&self, entry: &mut EntryState, target: Option<CTypeId>, seed: u64) -> Pointer {
        let mut draft = Draft::new(self.program, self.known, &self.facts, Random::new(seed));
        let mut pointer = draft.new_object(target.map(|t| self.program.ctypes.resolve(t)), 0);
        let known = entry.objects.len() as u32;
        let later = |pointer: &mut Pointer| {
            if let PointerTarget::Object(index) = &mut pointer.target {
                *index += known;
            }
        };
        for mut object in draft.finish(vec![]).objects {
            object.contents.pointers.iter_mut().for_each(|link| later(&mut link.to));
            entry.objects.push(object);
        }
        later(&mut pointer);
        pointer
    }
}

/// For each type of functions, those that have it.
fn functions_by_type(program: &Program) -> Functions {
    // Types are told apart by how they are written: a table may have one type twice.
    let types = &program.ctypes;
    let mut by_text: HashMap<String, Vec<ProcId>> = HashMap::new();
    for id in program.procedure_ids() {
        let procedure = program.procedure(id);
        if let Some(ctype) = procedure.ctype.filter(|_| procedure.is_supported()) {
            let list = by_text.entry(types.display(types.resolve(ctype))).or_default();
            if list.len() < MOST_FUNCTIONS {
                list.push(id);
            }
        }
    }
    let mut functions = Functions::new();
    for id in (0..types.len()).map(CTypeId::new) {
        if matches!(types.get(id), CType::Function { .. })
            && let Some(list) = by_text.get(&types.display(id))
        {
            functions.insert(id, list.clone());
        }
    }
    functions
}

/// The parameters, each with the type that tells most of what to fill it with.
fn parameters<'p>(program: &'p Program, id: ProcId, frame: &Frame) -> Vec<Parameter<'p>> {
    let mut list = declared(program, id, frame);
    let types = &program.ctypes;
    let procedure = program.procedure(id);
    for (parameter, var) in list.iter_mut().zip(&procedure.params) {
        let target = parameter.ctype.and_then(|c| types.target(c));
        let is_void = target.is_some_and(|t| matches!(types.get(types.resolve(t)), CType::Void));
        if is_void && parameter.hidden.is_none() {
            parameter.ctype = shape::taken_for(program, procedure, *var).or(parameter.ctype);
        }
    }
    list
}

/// Matches the machine's parameters with the source's. The ABI may have put a pointer for
/// the result in front, turned structs into pointers or split them into scalars.
fn declared<'p>(program: &'p Program, id: ProcId, frame: &Frame) -> Vec<Parameter<'p>> {
    let procedure = program.procedure(id);
    let types = &program.ctypes;
    let mut list: Vec<Parameter<'p>> = procedure
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| {
            let var = procedure.var(*param);
            let hidden = frame.by_value.get(index).copied().flatten();
            Parameter { name: &var.name, ty: var.ty, ctype: var.ctype, hidden }
        })
        .collect();
    let Some(ctype) = procedure.ctype else { return list };
    let CType::Function { result, parameters, .. } = types.get(types.resolve(ctype)) else {
        return list;
    };
    let is_record = |id: CTypeId| matches!(types.get(types.resolve(id)), CType::Record { .. });
    let mut at = 0;
    if procedure.results.is_empty()
        && let CType::Record { size, .. } = types.get(types.resolve(*result))
        && *size > 0
        && let Some(first) = list.first_mut().filter(|p| p.ty == Type::Ptr)
    {
        first.hidden = Some(*size);
        first.ctype = Some(*result);
        at = 1;
    }
    for param in parameters {
        let Some(place) = list.get_mut(at) else { break };
        if !is_record(*param) || place.hidden.is_some() {
            place.ctype = Some(*param);
            at += 1;
            continue;
        }
        // Split into scalars: as many as it takes to have its size.
        let mut left = types.size(*param).unwrap_or(0);
        while left > 0 && at < list.len() {
            left = left.saturating_sub(list[at].ty.bytes());
            at += 1;
        }
    }
    list
}
