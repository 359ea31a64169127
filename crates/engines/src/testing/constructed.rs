//! Entry states that the program itself makes: its own functions are called, one after the other, on what earlier calls
//! left behind.
//!
//! A list, a tree or a hash table that is filled field by field is seldom a valid one, and code that works on one gets
//! nowhere with it. The functions that make and change such structures are mostly part of the program. So a *scene* is
//! kept: objects, and pointers to the structs among them. A step calls a function of the old version that returns a
//! pointer to a struct that a parameter points to, or takes one, with pointers of the scene, strings of the code and small
//! numbers; if it returns, what it leaves is the next scene. Pointers of a scene then become arguments.
//!
//! Soundness: like everything here, this only chooses states. A scene is the end of a run of the old version, so what it
//! holds can be held in a real program, except that freed objects are gone and uninitialised bytes are zero.

use super::scene::{Root, Scene, after, without_unreachable};
use super::source_values::Text;
use std::collections::BTreeSet;
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::generate::{Generator, Parameter, Random, is_opaque};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Contents, EntryState, Link, Object, Pointer, PointerTarget, Value};
use verdiff_model::{CField, CType, CTypeId, ProcId, Program, Qualifier, Type};

/// No more functions than this are called.
const FUNCTIONS: usize = 160;
/// So many scenes are kept.
const SCENES: usize = 24;
/// How often, in percent, a scene begins with nothing, and how often one is kept that led to nothing new.
const ANEW: u64 = 15;
const KEPT: u64 = 8;
/// How often, in percent, a parameter gets null, and a string is one of the first, which are the function's own.
const NULL: u64 = 10;
const OWN_STRING: u64 = 60;
const OWN_STRINGS: u64 = 10;
/// A function that left all as it was so many times is called seldom.
const USELESS: u32 = 4;
/// What a call may do.
const LIMITS: Limits = Limits { steps: 30_000, depth: 200, memory: 1 << 20, objects: 2_000 };
/// What a call costs besides its steps, in steps.
const CALL: u64 = 300;
/// At most so many calls make a scene another one before it is used, and twice as many the first one.
const CALLS: u64 = 4;

/// What makes states with the program's own functions.
pub(super) struct Constructions<'a> {
    program: &'a Program,
    machine: Machine<'a>,
    text: &'a Text<'a>,
    random: Random,
    /// The functions that return a struct that is looked for, and those that change one.
    makers: Vec<Function>,
    changers: Vec<Function>,
    /// What each parameter of the pair is.
    parameters: Vec<Role>,
    scenes: Vec<Scene>,
    /// The scene of the last state, until it is known what it was worth.
    current: Option<Scene>,
}

/// A function that may be called.
struct Function {
    id: ProcId,
    parameters: Vec<Role>,
    /// The struct that its result points to.
    result: Option<String>,
    /// How often, the last times, it did not return or left everything as it was.
    useless: u32,
}

/// What a parameter is.
#[derive(Clone, PartialEq, Eq)]
enum Role {
    /// A pointer to a struct of this many bytes.
    Record { record: String, size: u64, constant: bool },
    /// A pointer to such a pointer.
    Place(String),
    /// A pointer to characters.
    Text,
    /// A pointer to functions of a type.
    Function(String),
    /// Another pointer.
    Pointer,
    /// A number.
    Number(Type),
}

impl<'a> Constructions<'a> {
    /// `None` if no parameter points to a struct that a function of the program makes or changes.
    pub(super) fn of(
        comparison: &'a Comparison,
        pair: PairId,
        parameters: &[Parameter<'_>],
        text: &'a Text<'a>,
        seed: u64,
    ) -> Option<Constructions<'a>> {
        let program = comparison.program(Side::Old);
        let parameters: Vec<Role> =
            parameters.iter().map(|p| role(program, p.ty, p.ctype)).collect();
        let [makers, changers] = chosen(comparison, pair, &parameters)?;
        let machine = Machine::new(program);
        let random = Random::new(seed ^ 0xc0_57);
        Some(Constructions {
            program,
            machine,
            text,
            random,
            makers,
            changers,
            parameters,
            scenes: vec![],
            current: None,
        })
    }

    /// Lets parameters of a state lead to what the program's functions made. What that cost, in steps.
    pub(super) fn put_into(&mut self, entry: &mut EntryState) -> u64 {
        let (scene, cost) = self.scene();
        if scene.roots.is_empty() {
            return cost;
        }
        let from = entry.objects.len() as u32;
        let later = |pointer: Pointer| match pointer.target {
            PointerTarget::Object(index) => {
                Pointer { target: PointerTarget::Object(index + from), ..pointer }
            }
            _ => pointer,
        };
        for mut object in scene.state.objects {
            object.contents.pointers.iter_mut().for_each(|link| link.to = later(link.to));
            entry.objects.push(object);
        }
        for (id, contents) in scene.state.globals {
            if let Some((_, known)) = entry.globals.iter_mut().find(|(known, _)| *known == id) {
                *known = contents;
                known.pointers.iter_mut().for_each(|link| link.to = later(link.to));
            }
        }
        for index in 0..self.parameters.len().min(entry.args.len()) {
            let record = match &self.parameters[index] {
                Role::Record { record, .. } | Role::Place(record) => record,
                Role::Text if self.random.chance(50) => {
                    entry.args[index] = Value::Pointer(self.string(entry).0);
                    continue;
                }
                _ => continue,
            };
            let fitting: Vec<Pointer> =
                scene.roots.iter().filter(|r| r.record == *record).map(|r| r.pointer).collect();
            let Some(root) = self.random.pick(&fitting).filter(|_| self.random.chance(90)) else {
                continue;
            };
            let pointer = match self.parameters[index] {
                Role::Place(_) => place(entry, Some(later(root))),
                _ => later(root),
            };
            entry.args[index] = Value::Pointer(pointer);
        }
        let state = std::mem::take(entry);
        *entry = without_unreachable(state, &mut []);
        cost
    }

    /// The next scene, and what it cost.
    fn scene(&mut self) -> (Scene, u64) {
        // Mostly from one that is known to be worth it; now and then all over again.
        let known = self.random.below(self.scenes.len().max(1) as u64) as usize;
        let mut scene = match self.random.chance(ANEW) {
            true => Scene::default(),
            false => self.scenes.get(known).cloned().unwrap_or_default(),
        };
        let mut cost = 0;
        let calls = match scene.roots.is_empty() {
            true => 2 * CALLS,
            false => 1 + self.random.below(CALLS),
        };
        for _ in 0..calls {
            cost += self.step(&mut scene);
        }
        self.current = Some(scene.clone()).filter(|scene| !scene.roots.is_empty());
        (scene, cost)
    }

    /// What the run from the last state was worth: a scene that led to something new, or as near to the change as any,
    /// is gone on with, and few others.
    pub(super) fn note(&mut self, is_worth_it: bool) {
        let Some(scene) = self.current.take() else { return };
        if !is_worth_it && !self.random.chance(KEPT) {
            return;
        }
        if self.scenes.len() < SCENES {
            self.scenes.push(scene);
        } else {
            let at = self.random.below(SCENES as u64) as usize;
            self.scenes[at] = scene;
        }
    }

    /// One call, if it returns. What it cost.
    fn step(&mut self, scene: &mut Scene) -> u64 {
        let makes = self.changers.is_empty()
            || !self.makers.is_empty() && (scene.roots.is_empty() || self.random.chance(35));
        let list = if makes { &self.makers } else { &self.changers };
        let mut at = self.random.below(list.len() as u64) as usize;
        for _ in 0..USELESS {
            if list[at].useless >= USELESS {
                at = self.random.below(list.len() as u64) as usize;
            }
        }
        let (id, result) = (list[at].id, list[at].result.clone());
        let parameters = list[at].parameters.clone();
        let mut entry = scene.state.clone();
        let mut roots = scene.roots.clone();
        let mut length = None;
        let mut places = vec![];
        for parameter in &parameters {
            let value = match parameter {
                Role::Record { record, size, .. } => {
                    let fitting: Vec<Pointer> =
                        roots.iter().filter(|r| r.record == *record).map(|r| r.pointer).collect();
                    match self.random.pick(&fitting) {
                        _ if self.random.chance(NULL) => Value::Pointer(Pointer::NULL),
                        Some(root) if self.random.chance(95) => Value::Pointer(root),
                        _ if *size == 0 => Value::Pointer(Pointer::NULL),
                        _ => {
                            let pointer = Pointer::object(entry.objects.len() as u32);
                            entry.objects.push(Object::new(16, vec![0; *size as usize]));
                            roots.push(Root { record: record.clone(), pointer });
                            Value::Pointer(pointer)
                        }
                    }
                }
                Role::Place(record) => {
                    let fitting: Vec<Pointer> =
                        roots.iter().filter(|r| r.record == *record).map(|r| r.pointer).collect();
                    let inside = self.random.pick(&fitting).filter(|_| self.random.chance(50));
                    let pointer = place(&mut entry, inside);
                    places.push((record.clone(), pointer));
                    Value::Pointer(pointer)
                }
                Role::Text => {
                    let (pointer, size) = self.string(&mut entry);
                    length = Some(size);
                    Value::Pointer(pointer)
                }
                Role::Function(written) => Value::Pointer(self.function(written)),
                Role::Pointer => Value::Pointer(Pointer::NULL),
                Role::Number(ty) => Value::Bits(self.number(*ty, length.take())),
            };
            entry.args.push(value);
        }
        // What fills a hash table may read a word past the end of a string.
        entry.outside.beyond = Some(0);
        let outcome = self.machine.run(id, &entry, &LIMITS);
        entry.outside.beyond = None;
        let cost = CALL + outcome.work();
        let next = after(entry, outcome, roots, &places, result);
        let list = if makes { &mut self.makers } else { &mut self.changers };
        match next.filter(|next| next.state != scene.state || next.roots != scene.roots) {
            Some(next) => {
                *scene = next;
                list[at].useless = 0;
            }
            None => list[at].useless = list[at].useless.saturating_add(1),
        }
        cost
    }

    /// A string of the code, or a short one.
    fn string(&mut self, entry: &mut EntryState) -> (Pointer, usize) {
        let strings = &self.text.strings;
        let bytes = match strings.is_empty() || self.random.chance(10) {
            true => b"a\0".to_vec(),
            false => {
                let all = strings.len() as u64;
                let own = self.random.chance(OWN_STRING);
                let among = if own { all.min(OWN_STRINGS) } else { all };
                strings[self.random.below(among) as usize].clone()
            }
        };
        let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        let pointer = Pointer::object(entry.objects.len() as u32);
        // Some functions read strings word by word.
        let mut bytes = bytes;
        bytes.resize(bytes.len().next_multiple_of(16), 0);
        entry.objects.push(Object::new(16, bytes));
        (pointer, length)
    }

    /// A function that is written so, if callers can have one.
    fn function(&mut self, written: &str) -> Pointer {
        let types = &self.program.ctypes;
        let fits = |pointer: &&Pointer| match pointer.target {
            PointerTarget::Procedure(id) => {
                let ctype = self.program.procedure(id).ctype;
                ctype.is_some_and(|c| types.display(types.resolve(c)) == written)
            }
            _ => false,
        };
        let fitting: Vec<Pointer> = self.text.functions().iter().filter(fits).copied().collect();
        let function = self.random.pick(&fitting).filter(|_| self.random.chance(70));
        function.unwrap_or(Pointer::NULL)
    }

    /// A number: a length if it follows a string, else mostly a small one.
    fn number(&mut self, ty: Type, length: Option<usize>) -> u128 {
        if let Some(length) = length.filter(|_| ty.width() >= 32 && self.random.chance(70)) {
            return length as u128;
        }
        if let Type::Float(_) = ty {
            return verdiff_model::ops::unary_bits(
                verdiff_model::UnaryOp::SignedToF,
                ty,
                Type::WORD,
                u128::from(self.random.below(4)),
            );
        }
        let ints = &self.text.ints;
        let bits = match self.random.below(4) {
            0 if !ints.is_empty() => ints[self.random.below(ints.len() as u64) as usize].1,
            1 => u128::from(self.random.below(40)),
            _ => u128::from(self.random.below(4)),
        };
        bits & ty.mask()
    }
}

impl Function {
    /// Whether it gives a pointer to one of these structs.
    fn makes(&self, records: &BTreeSet<String>) -> bool {
        let place = |role: &Role| matches!(role, Role::Place(record) if records.contains(record));
        self.result.as_ref().is_some_and(|result| records.contains(result))
            || self.parameters.iter().any(place)
    }

    /// Whether it may change one of them.
    fn changes(&self, records: &BTreeSet<String>) -> bool {
        self.parameters.iter().any(|role| {
            matches!(role, Role::Record { record, constant: false, .. } if records.contains(record))
        })
    }
}

/// The functions that make what a pair needs, and those that change it; `None` if there are none.
fn chosen(
    comparison: &Comparison,
    pair: PairId,
    parameters: &[Role],
) -> Option<[Vec<Function>; 2]> {
    let mut wanted = BTreeSet::new();
    for parameter in parameters {
        if let Role::Record { record, .. } | Role::Place(record) = parameter {
            wanted.insert(record.clone());
        }
    }
    wanted.retain(|record| is_same(comparison, record));
    if wanted.is_empty() {
        return None;
    }
    let all = functions(comparison, comparison.pair(pair).old);
    // What is needed to make them is wanted, too.
    let mut needed = wanted.clone();
    for function in all.iter().filter(|f| f.makes(&wanted)) {
        for parameter in &function.parameters {
            if let Role::Record { record, .. } = parameter {
                needed.insert(record.clone());
            }
        }
    }
    let (mut makers, mut changers) = (vec![], vec![]);
    for function in all {
        if function.makes(&needed) {
            makers.push(function);
        } else if function.changes(&needed) {
            changers.push(function);
        }
    }
    makers.truncate(FUNCTIONS / 2);
    changers.truncate(FUNCTIONS / 2);
    if makers.is_empty() && changers.is_empty() {
        return None;
    }
    Some([makers, changers])
}

/// The procedures of the old version that may be run to make inputs of a pair.
pub fn constructing(comparison: &Comparison, pair: PairId) -> BTreeSet<ProcId> {
    let (program, id) = (comparison.program(Side::Old), comparison.pair(pair).old);
    let frame = comparison.old.frames.get(id.index()).cloned().unwrap_or_default();
    let generator = Generator::new(program);
    let generator = generator.for_procedure(id, &frame);
    let parameters = generator.parameters().iter();
    let parameters: Vec<Role> = parameters.map(|p| role(program, p.ty, p.ctype)).collect();
    let chosen = chosen(comparison, pair, &parameters);
    chosen.into_iter().flatten().flatten().map(|function| function.id).collect()
}

/// The functions of the old version that can be called with what a scene has.
fn functions(comparison: &Comparison, pair: ProcId) -> Vec<Function> {
    let program = comparison.program(Side::Old);
    let types = &program.ctypes;
    let frames = &comparison.version(Side::Old).frames;
    let mut list = vec![];
    for id in program.procedure_ids() {
        let procedure = program.procedure(id);
        let hidden = frames.get(id.index()).is_some_and(|f| f.by_value.iter().any(Option::is_some));
        if id == pair || !procedure.is_supported() || hidden || procedure.symbol == "main" {
            continue;
        }
        let Some(ctype) = procedure.ctype else { continue };
        let CType::Function { result, parameters, variadic: false } =
            types.get(types.resolve(ctype))
        else {
            continue;
        };
        // The ABI may have split structs or put a pointer for the result in front.
        if parameters.len() != procedure.params.len() {
            continue;
        }
        let roles = procedure.params.iter().zip(parameters);
        let roles = roles.map(|(var, ctype)| role(program, procedure.var(*var).ty, Some(*ctype)));
        let result = match &procedure.results[..] {
            [Type::Ptr] => types.target(*result).and_then(|target| record(program, target)),
            _ => None,
        };
        let (parameters, result) = (roles.collect(), result.map(|r| r.0));
        list.push(Function { id, parameters, result, useless: 0 });
    }
    list
}

/// What a parameter is, by its types.
fn role(program: &Program, ty: Type, ctype: Option<CTypeId>) -> Role {
    if ty != Type::Ptr {
        return Role::Number(ty);
    }
    let types = &program.ctypes;
    let Some(target) = ctype.and_then(|c| types.target(c)) else { return Role::Pointer };
    if let Some((record, size)) = record(program, target) {
        let constant = types.has_qualifier(target, Qualifier::Const);
        return Role::Record { record, size, constant };
    }
    let resolved = types.resolve(target);
    match types.get(resolved) {
        CType::Int { width: 8, .. } => Role::Text,
        CType::Function { .. } => Role::Function(types.display(resolved)),
        CType::Pointer(inner) => match self::record(program, *inner) {
            Some((record, _)) => Role::Place(record),
            None => Role::Pointer,
        },
        _ => Role::Pointer,
    }
}

/// How a struct is called and how large it is: by its tag, or by a typedef of one that has none.
fn record(program: &Program, mut ctype: CTypeId) -> Option<(String, u64)> {
    let types = &program.ctypes;
    let mut alias = None;
    for _ in 0..types.len() {
        match types.get(ctype) {
            CType::Typedef { name, target } => {
                alias = Some(name.clone());
                ctype = *target;
            }
            CType::Qualified { target, .. } => ctype = *target,
            CType::Record { name, union: false, size, .. } if !is_opaque(program, ctype) => {
                let tag = Some(name).filter(|name| !name.is_empty());
                let name = tag.map(|_| types.display(ctype)).or(alias)?;
                return Some((name, *size));
            }
            _ => return None,
        }
    }
    None
}

/// Whether a struct, and all that its members lead to, is laid out alike in both versions. One that is only declared is, as
/// far as anybody knows.
fn is_same(comparison: &Comparison, wanted: &str) -> bool {
    let find = |side: Side| {
        let program = comparison.program(side);
        let ids = (0..program.ctypes.len()).map(CTypeId::new);
        let named = |id: &CTypeId| {
            record(program, *id).is_some_and(|(name, size)| name == wanted && size > 0)
        };
        ids.into_iter().find(named)
    };
    match (find(Side::Old), find(Side::New)) {
        (Some(old), Some(new)) => is_laid_out_alike(comparison, old, new),
        (old, new) => old.is_none() && new.is_none(),
    }
}

fn is_laid_out_alike(comparison: &Comparison, old: CTypeId, new: CTypeId) -> bool {
    let types = [&comparison.program(Side::Old).ctypes, &comparison.program(Side::New).ctypes];
    let mut seen = BTreeSet::new();
    let mut work = vec![[old, new]];
    while let Some(pair) = work.pop() {
        let pair = [types[0].resolve(pair[0]), types[1].resolve(pair[1])];
        if !seen.insert(pair) {
            continue;
        }
        match (types[0].get(pair[0]), types[1].get(pair[1])) {
            (
                CType::Record { union: a, size: m, fields: x, .. },
                CType::Record { union: b, size: n, fields: y, .. },
            ) => {
                let alike = |(f, g): (&CField, &CField)| {
                    (&f.name, f.offset_bits, f.bit_width) == (&g.name, g.offset_bits, g.bit_width)
                };
                if a != b || m != n || x.len() != y.len() || !x.iter().zip(y).all(alike) {
                    return false;
                }
                work.extend(x.iter().zip(y).map(|(f, g)| [f.ctype, g.ctype]));
            }
            (CType::Array { element: x, count: m }, CType::Array { element: y, count: n })
                if m == n =>
            {
                work.push([*x, *y]);
            }
            (CType::Pointer(x), CType::Pointer(y)) => work.push([*x, *y]),
            (CType::Function { .. }, CType::Function { .. }) | (CType::Void, CType::Void) => {}
            (CType::Enum { width: m, .. }, CType::Enum { width: n, .. }) if m == n => {}
            (a @ (CType::Int { .. } | CType::Float { .. }), b) if a == b => {}
            _ => return false,
        }
    }
    true
}

/// An object with room for a pointer.
fn place(entry: &mut EntryState, inside: Option<Pointer>) -> Pointer {
    let mut contents = Contents::from(vec![0; 8]);
    contents.pointers.extend(inside.map(|to| Link { offset: 0, to }));
    entry.objects.push(Object { align: 8, contents });
    Pointer::object(entry.objects.len() as u32 - 1)
}
