//! A part in numbers of its own, and what they mean in the whole.

use super::lines::{Lines, Moved, change_places};
use super::reach::Named;
use super::rest::{REST, procedure as empty};
use super::select::Selection;
use super::{Part, Reducer};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use verdiff_judge::{Changed, Comparison, Pair, PairId, Side, Version};
use verdiff_model::{
    Address, Block, CType, CTypeId, CTypes, Callee, Expr, ExternId, FileId, Frame, GlobalId, Loc,
    Opaque, OpaqueCall, ProcId, Procedure, Program, StmtKind, Var, VarKind,
};

/// What the numbers of a part mean in the whole.
#[derive(Clone, Debug, Default)]
pub struct Numbers {
    pairs: Vec<PairId>,
    pub(super) sides: [SideNumbers; 2],
}

#[derive(Clone, Debug, Default)]
pub(super) struct SideNumbers {
    pub(super) procedures: Vec<ProcId>,
    pub(super) globals: Vec<GlobalId>,
    externals: Vec<ExternId>,
    lines: Lines,
}

impl Numbers {
    /// The number that a pair of the whole has in the part.
    pub fn of_pair(&self, pair: PairId) -> Option<PairId> {
        let at = self.pairs.iter().position(|other| *other == pair)?;
        Some(PairId(at as u32))
    }

    /// A pair of the part in the whole.
    pub fn pair(&self, pair: PairId) -> Option<PairId> {
        self.pairs.get(pair.index()).copied()
    }

    /// A procedure of the part in the whole.
    pub fn procedure(&self, side: Side, id: ProcId) -> Option<ProcId> {
        self.sides[side.index()].procedures.get(id.index()).copied()
    }

    /// A global of the part in the whole.
    pub fn global(&self, side: Side, id: GlobalId) -> Option<GlobalId> {
        self.sides[side.index()].globals.get(id.index()).copied()
    }

    /// An external of the part in the whole.
    pub fn external(&self, side: Side, id: ExternId) -> Option<ExternId> {
        self.sides[side.index()].externals.get(id.index()).copied()
    }

    /// A line of the part, of either version, in the whole; 0 is no line in either.
    pub fn line(&self, line: u32) -> Option<u32> {
        let mut sides = self.sides.iter();
        if line == 0 { Some(0) } else { sides.find_map(|side| side.lines.back(line)) }
    }
}

/// The part that a selection is.
pub(super) fn build(reducer: &Reducer, all: &Selection) -> Part {
    let comparison = &reducer.comparison;
    let (old, old_numbers) = Builder::of(reducer, all, Side::Old).build(1);
    let behind = old_numbers.lines.end;
    let (new, new_numbers) = Builder::of(reducer, all, Side::New).build(behind);
    let mut numbers = Numbers { pairs: vec![], sides: [old_numbers, new_numbers] };
    let position = |side: Side, id: ProcId| {
        let at = numbers.sides[side.index()].procedures.iter().position(|other| *other == id);
        at.map(ProcId::new)
    };
    let mut pairs: Vec<(Pair, PairId)> = vec![];
    for id in comparison.pair_ids() {
        let pair = comparison.pair(id);
        if let (Some(old), Some(new)) =
            (position(Side::Old, pair.old), position(Side::New, pair.new))
        {
            pairs.push((Pair { old, new, ..pair.clone() }, id));
        }
    }
    pairs.sort_by_key(|(pair, id)| (pair.old, pair.new, *id));
    let (mut pairs, ids): (Vec<Pair>, Vec<PairId>) = pairs.into_iter().unzip();
    numbers.pairs = ids;
    let first = [0, 1].map(|at: usize| numbers.sides[at].procedures.len());
    for (number, (name, _)) in REST.iter().enumerate() {
        pairs.push(Pair {
            function: (*name).to_owned(),
            old: ProcId::new(first[0] + number),
            new: ProcId::new(first[1] + number),
            changed: Changed::No,
            same_interface: true,
            wanted: false,
        });
    }
    let settings = comparison.settings.clone();
    let comparison = Comparison { old, new, pairs, settings, ..Comparison::default() };
    Part { comparison: Arc::new(comparison), numbers }
}

struct Builder<'a> {
    program: &'a Program,
    frames: &'a [Frame],
    all: &'a Selection,
    side: Side,
    procedures: Vec<ProcId>,
    globals: Vec<GlobalId>,
    externals: Vec<ExternId>,
    procedure_numbers: BTreeMap<ProcId, ProcId>,
    global_numbers: BTreeMap<GlobalId, GlobalId>,
    external_numbers: BTreeMap<ExternId, ExternId>,
    file_numbers: BTreeMap<FileId, FileId>,
    types: CTypes,
    type_numbers: BTreeMap<CTypeId, CTypeId>,
}

fn positions<T: Copy + Ord, N>(list: &[T], number: impl Fn(usize) -> N) -> BTreeMap<T, N> {
    list.iter().enumerate().map(|(at, id)| (*id, number(at))).collect()
}

impl<'a> Builder<'a> {
    fn of(reducer: &'a Reducer, all: &'a Selection, side: Side) -> Builder<'a> {
        let (program, at) = (reducer.comparison.program(side), side.index());
        let mut procedures: Vec<ProcId> = all.present(side).into_iter().collect();
        procedures.sort_by_key(|id| {
            let procedure = program.procedure(*id);
            (place(program, procedure.loc), &procedure.symbol)
        });
        let mut externals: Vec<ExternId> = all.externals[at].iter().copied().collect();
        externals.sort_by_key(|id| (&program.external(*id).name, *id));
        let (mut literals, mut globals): (Vec<GlobalId>, Vec<GlobalId>) =
            all.globals[at].iter().partition(|id| program.global(**id).is_literal());
        globals.sort_by_key(|id| {
            let global = program.global(*id);
            (place(program, global.loc), global.identity(), &global.symbol)
        });
        // Literals in the order in which they are met: their numbers shift with every change.
        let mut met: Vec<GlobalId> = vec![];
        for id in &procedures {
            match all.touching[at].get(id) {
                Some(procedure) => met.extend(Named::by(procedure).globals),
                None if all.reached[at].contains(id) => {
                    met.extend(Named::by(program.procedure(*id)).globals);
                }
                None => {}
            }
        }
        met.extend(&globals);
        let mut seen: BTreeSet<GlobalId> = met.iter().copied().collect();
        let mut next = 0;
        while let Some(id) = met.get(next).copied() {
            next += 1;
            for relocation in program.global(id).init.iter().flat_map(|init| &init.relocations) {
                if let Address::Global(to) = relocation.target
                    && seen.insert(to)
                {
                    met.push(to);
                }
            }
        }
        let rank: BTreeMap<GlobalId, usize> =
            met.iter().enumerate().rev().map(|(at, id)| (*id, at)).collect();
        literals.sort_by_cached_key(|id| {
            let contents = reducer.comparison.contents_of(side, *id);
            (rank.get(id).copied().unwrap_or(usize::MAX), contents, *id)
        });
        globals.append(&mut literals);
        let mut files: BTreeSet<(&str, FileId)> = BTreeSet::new();
        let mut file = |loc: Loc| {
            if loc.is_known() {
                files.insert((program.file(loc.file), loc.file));
            }
        };
        for id in &procedures {
            let procedure = program.procedure(*id);
            file(procedure.loc);
            if all.reached[at].contains(id) {
                let note = &mut |loc: Loc| file(loc);
                super::lines::for_each_place(procedure, note);
            }
        }
        globals.iter().for_each(|id| file(program.global(*id).loc));
        let files: Vec<FileId> = files.into_iter().map(|(_, id)| id).collect();
        Builder {
            program,
            frames: &reducer.comparison.version(side).frames,
            all,
            side,
            procedure_numbers: positions(&procedures, ProcId::new),
            global_numbers: positions(&globals, GlobalId::new),
            external_numbers: positions(&externals, ExternId::new),
            file_numbers: positions(&files, FileId::new),
            procedures,
            globals,
            externals,
            types: CTypes::default(),
            type_numbers: BTreeMap::new(),
        }
    }

    fn build(mut self, first_line: u32) -> (Version, SideNumbers) {
        let (program, at) = (self.program, self.side.index());
        let reached = |id: &ProcId| self.all.reached[at].contains(id);
        let whole: Vec<&Procedure> = self
            .procedures
            .iter()
            .filter(|id| reached(id))
            .map(|id| program.procedure(*id))
            .collect();
        let (lines, moved) = Lines::of(program, &whole, first_line);
        let mut moved = moved.into_iter();
        let mut procedures = vec![];
        for id in self.procedures.clone() {
            let given = program.procedure(id);
            let procedure = match self.all.touching[at].get(&id) {
                _ if self.all.reached[at].contains(&id) => {
                    let moved = moved.next().unwrap_or_default();
                    self.with_code(given, &moved)
                }
                Some(touching) => self.without_places(touching.clone()),
                None => self.without_places(declared(given)),
            };
            procedures.push(procedure);
        }
        procedures.extend(self.all.rest[at].iter().map(|rest| {
            let mut rest = rest.clone();
            self.addresses(&mut rest);
            rest
        }));
        let frame = |id: &ProcId| self.frames.get(id.index()).cloned().unwrap_or_default();
        let mut frames: Vec<Frame> = self.procedures.iter().map(frame).collect();
        frames.resize(procedures.len(), Frame::default());
        let globals = self.globals.clone().into_iter().enumerate();
        let globals = globals.map(|(number, id)| self.global(number, id)).collect();
        let externals = self.externals.clone().into_iter().map(|id| {
            let mut external = program.external(id).clone();
            external.ctype = external.ctype.map(|id| self.ctype(id));
            external
        });
        let externals = externals.collect();
        let mut files = vec![String::new(); self.file_numbers.len()];
        for (id, number) in &self.file_numbers {
            files[number.index()] = program.file(*id).to_owned();
        }
        let symbols: BTreeSet<&str> = self
            .procedures
            .iter()
            .map(|id| program.procedure(*id).symbol.as_str())
            .chain(self.globals.iter().map(|id| program.global(*id).symbol.as_str()))
            .chain(self.externals.iter().map(|id| program.external(*id).name.as_str()))
            .collect();
        let of_part = |names: &BTreeSet<String>| {
            names.iter().filter(|name| symbols.contains(name.as_str())).cloned().collect()
        };
        let found = program.found_otherwise.iter().filter_map(|id| self.global_numbers.get(id));
        let part = Program {
            target: program.target.clone(),
            files,
            globals,
            procedures,
            externals,
            constructors: vec![],
            destructors: vec![],
            weak_undefined: of_part(&program.weak_undefined),
            weak_definitions: of_part(&program.weak_definitions),
            hidden_initialisers: false,
            found_otherwise: found.copied().collect(),
            assembly: false,
            ctypes: self.types,
        };
        let numbers = SideNumbers {
            procedures: self.procedures,
            globals: self.globals,
            externals: self.externals,
            lines,
        };
        (Version { program: part, frames }, numbers)
    }

    /// A procedure as it is.
    fn with_code(&mut self, given: &Procedure, moved: &Moved) -> Procedure {
        let mut made = given.clone();
        let files = &self.file_numbers;
        change_places(&mut made, &|loc| {
            if !loc.is_known() {
                return Loc::NONE;
            }
            let by = moved.get(&loc.file).copied().unwrap_or(0);
            let line = u32::try_from(i64::from(loc.line) + by).unwrap_or(0);
            Loc { file: files.get(&loc.file).copied().unwrap_or_default(), line, ..loc }
        });
        self.addresses(&mut made);
        made.ctype = made.ctype.map(|id| self.ctype(id));
        let body = made.with_holes.as_deref_mut();
        let (vars, locals) = match body {
            Some(body) => (&mut body.vars[..], &mut body.locals[..]),
            None => (&mut [][..], &mut [][..]),
        };
        for var in made.vars.iter_mut().chain(vars) {
            var.ctype = var.ctype.map(|id| self.ctype(id));
        }
        for local in made.locals.iter_mut().chain(locals) {
            local.ctype = local.ctype.map(|id| self.ctype(id));
        }
        made
    }

    /// One of the rest: it has a file, for its name, and no line.
    fn without_places(&self, mut made: Procedure) -> Procedure {
        let loc = self.in_file(made.loc);
        change_places(&mut made, &|_| Loc::NONE);
        made.loc = loc;
        self.addresses(&mut made);
        made
    }

    fn in_file(&self, loc: Loc) -> Loc {
        match self.file_numbers.get(&loc.file) {
            Some(file) if loc.is_known() => Loc { file: *file, line: 1, column: 0 },
            _ => Loc::NONE,
        }
    }

    fn global(&mut self, number: usize, id: GlobalId) -> verdiff_model::Global {
        let mut global = self.program.global(id).clone();
        if global.is_literal() {
            global.name = format!(".literal.{number}");
            global.symbol.clone_from(&global.name);
        }
        for relocation in global.init.iter_mut().flat_map(|init| &mut init.relocations) {
            relocation.target = self.address(relocation.target);
        }
        global.ctype = global.ctype.map(|id| self.ctype(id));
        global.loc = self.in_file(global.loc);
        global
    }

    fn address(&self, address: Address) -> Address {
        match address {
            Address::Global(id) => Address::Global(self.global_numbers[&id]),
            Address::Procedure(id) => Address::Procedure(self.procedure_numbers[&id]),
            Address::External(id) => Address::External(self.external_numbers[&id]),
            Address::Local(id) => Address::Local(id),
        }
    }

    fn addresses(&self, procedure: &mut Procedure) {
        self.blocks(&mut procedure.blocks);
        if let Some(body) = &mut procedure.with_holes {
            self.blocks(&mut body.blocks);
        }
        if let Some(opaque) = &mut procedure.opaque {
            self.opaque(opaque);
        }
        procedure.outlined_from = procedure.outlined_from.map(|id| self.procedure_numbers[&id]);
    }

    fn opaque(&self, opaque: &mut Opaque) {
        let addresses = opaque.names.iter_mut().chain(&mut opaque.takes);
        addresses.for_each(|address| *address = self.address(*address));
        for call in &mut opaque.calls {
            match call {
                OpaqueCall::Procedure(id) => *id = self.procedure_numbers[id],
                OpaqueCall::External(id) => *id = self.external_numbers[id],
                OpaqueCall::Unknown => {}
            }
        }
    }

    fn blocks(&self, blocks: &mut [Block]) {
        let change = |e: &mut Expr| {
            e.walk_mut(&mut |e| {
                if let Expr::Address(address) = e {
                    *address = self.address(*address);
                }
            });
        };
        for block in blocks {
            for stmt in &mut block.stmts {
                match &mut stmt.kind {
                    StmtKind::Call { callee: Callee::Procedure(id), .. } => {
                        *id = self.procedure_numbers[id];
                    }
                    StmtKind::Call { callee: Callee::External(id), .. } => {
                        *id = self.external_numbers[id];
                    }
                    StmtKind::Hole { code, .. } => self.opaque(code),
                    _ => {}
                }
                stmt.kind.exprs_mut().into_iter().for_each(change);
            }
            block.end.kind.exprs_mut().into_iter().for_each(change);
        }
    }

    /// A C type with all that it is made of, in the order in which types are met.
    fn ctype(&mut self, id: CTypeId) -> CTypeId {
        if let Some(known) = self.type_numbers.get(&id) {
            return *known;
        }
        let number = self.types.add(CType::Void);
        self.type_numbers.insert(id, number);
        let mut made = self.program.ctypes.get(id).clone();
        match &mut made {
            CType::Void | CType::Int { .. } | CType::Float { .. } | CType::Enum { .. } => {}
            CType::Pointer(to)
            | CType::Array { element: to, .. }
            | CType::Typedef { target: to, .. }
            | CType::Qualified { target: to, .. } => *to = self.ctype(*to),
            CType::Record { fields, .. } => {
                fields.iter_mut().for_each(|field| field.ctype = self.ctype(field.ctype));
            }
            CType::Function { result, parameters, .. } => {
                *result = self.ctype(*result);
                parameters.iter_mut().for_each(|id| *id = self.ctype(*id));
            }
        }
        self.types.set(number, made);
        number
    }
}

/// Where something stands, for the order: files and lines.
fn place(program: &Program, loc: Loc) -> (&str, u32, u32) {
    match loc.is_known() {
        true => (program.file(loc.file), loc.line, loc.column),
        false => ("", 0, 0),
    }
}

/// A procedure that is only named: its signature. Nothing in the part calls it.
fn declared(given: &Procedure) -> Procedure {
    let mut made = empty(&given.name, given.linkage);
    made.symbol.clone_from(&given.symbol);
    made.loc = given.loc;
    made.results.clone_from(&given.results);
    made.variadic = given.variadic;
    for param in &given.params {
        let Var { ty, kind, .. } = *given.var(*param);
        debug_assert!(matches!(kind, VarKind::Parameter | VarKind::VariadicArea));
        let var = made.add_var(Var { name: String::new(), ty, ctype: None, kind });
        made.params.push(var);
    }
    made
}
