//! What parameters, globals and results lead to, and as what: the C type of an object is that of
//! the pointer that leads to it.

use verdiff_model::state::{
    Contents, End, EntryState, ObjectEnd, Outcome, Pointer, PointerTarget, Value,
};
use verdiff_model::{
    CType, CTypeId, CTypes, ExternId, GlobalId, Procedure, Program, external_results,
};

/// What was found of the objects of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct ReachableObjects {
    /// Objects of the entry state, in the order in which they are met.
    pub(super) order: Vec<u32>,
    /// The C type of an element of each object of the entry state.
    pub(super) objects: Vec<Option<CTypeId>>,
    /// The same for each object that the run made.
    pub(super) fresh: Vec<Option<CTypeId>>,
}

impl ReachableObjects {
    /// Walks from parameters and globals, then from results and what was written.
    pub(super) fn of(
        program: &Program,
        procedure: &Procedure,
        entry: &EntryState,
        outcome: &Outcome,
    ) -> ReachableObjects {
        let mut walk = Walk {
            program,
            entry,
            outcome,
            order: vec![],
            objects: vec![vec![]; entry.objects.len()],
            fresh: vec![vec![]; outcome.fresh.len()],
        };
        walk.entry(procedure);
        walk.outcome(procedure);
        let types = &program.ctypes;
        let sizes = entry.objects.iter().map(|o| o.size());
        let objects = walk.objects.iter().zip(sizes).map(|(c, size)| best(types, c, size));
        let fresh = walk.fresh.iter().zip(&outcome.fresh).map(|(candidates, object)| {
            let size = object.contents.as_ref().map_or(0, |c| c.bytes.len() as u64);
            best(types, candidates, size)
        });
        ReachableObjects { objects: objects.collect(), fresh: fresh.collect(), order: walk.order }
    }
}

/// What a pointer to an object says of it: the type behind the pointer, and where it points.
type Candidate = (CTypeId, i64);

struct Walk<'a> {
    program: &'a Program,
    entry: &'a EntryState,
    outcome: &'a Outcome,
    order: Vec<u32>,
    objects: Vec<Vec<Candidate>>,
    fresh: Vec<Vec<Candidate>>,
}

impl Walk<'_> {
    fn entry(&mut self, procedure: &Procedure) {
        for (param, value) in procedure.params.iter().zip(&self.entry.args) {
            if let Value::Pointer(pointer) = value {
                let ctype = procedure.var(*param).ctype;
                self.meet(*pointer, ctype.and_then(|c| behind(&self.program.ctypes, c, 0)));
            }
        }
        for (id, contents) in &self.entry.globals {
            self.global(*id, contents);
        }
        let targets = match self.entry.outside.given.is_empty() {
            true => Default::default(),
            false => external_results(self.program),
        };
        for given in &self.entry.outside.given {
            let named = |id: &ExternId| self.program.external(*id).name == given.external;
            let target = targets.iter().find(|(id, _)| named(id)).map(|(_, target)| *target);
            given.pointers.iter().for_each(|pointer| self.meet(*pointer, target));
        }
        let mut next = 0;
        while let Some(index) = self.order.get(next).copied() {
            next += 1;
            if let Some(object) = self.entry.objects.get(index as usize) {
                self.object(index, &object.contents);
            }
        }
    }

    fn outcome(&mut self, procedure: &Procedure) {
        let types = &self.program.ctypes;
        if let End::Returned(results) = &self.outcome.end {
            let ctype = result_type(self.program, procedure);
            for value in results.iter().filter_map(|r| r.value) {
                if let Value::Pointer(pointer) = value {
                    self.meet(pointer, ctype.and_then(|c| behind(types, c, 0)));
                }
            }
        }
        for (index, object) in self.outcome.objects.iter().enumerate() {
            if let ObjectEnd::Written(contents) = object {
                self.object(index as u32, contents);
            }
        }
        for (id, contents) in &self.outcome.globals {
            self.global(*id, contents);
        }
        // They are numbered as they are found, so most types are known when they are needed.
        for (index, object) in self.outcome.fresh.iter().enumerate() {
            let Some(contents) = &object.contents else { continue };
            let ctype = best(types, &self.fresh[index], contents.bytes.len() as u64);
            self.contents(ctype, contents);
        }
    }

    fn global(&mut self, id: GlobalId, contents: &Contents) {
        let ctype = self.program.globals.get(id.index()).and_then(|g| g.ctype);
        self.contents(ctype, contents);
    }

    fn object(&mut self, index: u32, contents: &Contents) {
        let Some(candidates) = self.objects.get(index as usize) else { return };
        let ctype = best(&self.program.ctypes, candidates, contents.bytes.len() as u64);
        self.contents(ctype, contents);
    }

    /// The pointers in an object whose elements have a type.
    fn contents(&mut self, element: Option<CTypeId>, contents: &Contents) {
        let types = &self.program.ctypes;
        for link in &contents.pointers {
            let at = element.and_then(|element| {
                let size = types.size(element).filter(|size| *size > 0)?;
                behind(types, element, link.offset % size)
            });
            self.meet(link.to, at);
        }
    }

    fn meet(&mut self, pointer: Pointer, ctype: Option<CTypeId>) {
        let candidates = match pointer.target {
            PointerTarget::Object(index) => {
                if !self.order.contains(&index) {
                    self.order.push(index);
                }
                self.objects.get_mut(index as usize)
            }
            PointerTarget::Fresh(index) => self.fresh.get_mut(index as usize),
            _ => None,
        };
        if let (Some(candidates), Some(ctype)) = (candidates, ctype) {
            candidates.push((ctype, pointer.offset));
        }
    }
}

/// What the pointer at an offset within a type leads to.
fn behind(types: &CTypes, mut ctype: CTypeId, mut offset: u64) -> Option<CTypeId> {
    // A type holds itself only through pointers, but the table is data from outside.
    for _ in 0..types.len() {
        match types.get(types.resolve(ctype)) {
            CType::Pointer(target) => return (offset == 0).then_some(*target),
            CType::Array { element, .. } => {
                offset %= types.size(*element).filter(|size| *size > 0)?;
                ctype = *element;
            }
            CType::Record { fields, union: true, .. } => {
                return fields.iter().find_map(|field| {
                    match types.get(types.resolve(field.ctype)) {
                        CType::Pointer(target) if offset == 0 => Some(*target),
                        _ => None,
                    }
                });
            }
            CType::Record { fields, .. } => {
                let holds = |start: u64, size: u64| start <= offset && offset < start + size;
                let field = fields.iter().find(|field| {
                    let size = types.size(field.ctype).unwrap_or(0);
                    field.bit_width.is_none() && holds(field.offset_bits / 8, size)
                })?;
                offset -= field.offset_bits / 8;
                ctype = field.ctype;
            }
            _ => return None,
        }
    }
    None
}

/// The type that tells most of an object: the first whose elements fill it, bytes only if there is
/// nothing else.
fn best(types: &CTypes, candidates: &[Candidate], size: u64) -> Option<CTypeId> {
    let fits = |(ctype, offset): &&Candidate| match types.size(*ctype) {
        Some(element) if element > 0 && size.is_multiple_of(element) => {
            offset.rem_euclid(element as i64) == 0
        }
        _ => false,
    };
    let telling = |c: &&Candidate| types.size(c.0).is_some_and(|size| size > 1);
    let found = candidates.iter().filter(telling).find(fits);
    found.or_else(|| candidates.iter().find(fits)).map(|(ctype, _)| *ctype)
}

/// The C type of a procedure's result.
pub(super) fn result_type(program: &Program, procedure: &Procedure) -> Option<CTypeId> {
    function_type(program, procedure.ctype).map(|(result, _)| result)
}

/// Result and parameters of a function's C type.
pub(super) fn function_type(
    program: &Program,
    ctype: Option<CTypeId>,
) -> Option<(CTypeId, &[CTypeId])> {
    match program.ctypes.get(program.ctypes.resolve(ctype?)) {
        CType::Function { result, parameters, .. } => Some((*result, parameters)),
        _ => None,
    }
}
