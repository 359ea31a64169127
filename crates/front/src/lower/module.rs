//! A whole module: who is who, globals and their initialisers, then every function.

use super::ctypes::TypeReader;
use super::variadic::{PointerCalls, Taken};
use super::{function, labels, literals};
use crate::llvm::{BasicBlock, Layout, Meta, Module, Ty, TyKind, Value, unlinked};
use std::collections::{HashMap, HashSet};
use verdiff_model::{
    Address, CType, CTypeId, ExternId, External, ExternalKind, FileId, Global, GlobalId, Linkage,
    Loc, ProcId, Procedure, Program, Signature, Startup, Type, Unsupported,
};

/// The bytes that there are at least of what is declared without an end.
const ROOM: u64 = 4096;

/// What a function lowering needs to know of the module it stands in.
pub struct ModuleLowering<'m> {
    pub module: &'m Module<'m>,
    pub layout: Layout<'m>,
    pub program: Program,
    pub types: TypeReader<'m>,
    pub attributes: Attributes,
    globals: HashMap<Value<'m>, GlobalId>,
    procedures: HashMap<Value<'m>, ProcId>,
    externals: HashMap<Value<'m>, ExternId>,
    operations: HashMap<(String, Signature), ExternId>,
    /// The variadic functions whose further arguments are in areas.
    pub variadic: HashMap<Value<'m>, Taken>,
    /// What may call functions by their address.
    pub calls_through_pointers: PointerCalls,
    /// The types of their areas.
    pub area_types: Option<[CTypeId; 2]>,
    files: HashMap<Meta<'m>, FileId>,
    scopes: HashMap<Meta<'m>, FileId>,
    pub(super) labels: HashMap<BasicBlock<'m>, u128>,
    pointers: HashMap<CTypeId, CTypeId>,
    /// Constants whose initialiser could not be expressed, or leads to such a one.
    unknown: HashSet<GlobalId>,
}

/// LLVM's numbers of the attributes that matter.
pub struct Attributes {
    pub by_value: u32,
    pub no_return: u32,
    pub returns_twice: u32,
    pub align: u32,
}

/// Something the model cannot express, in words.
pub type Lowered<T> = Result<T, String>;

/// Where the attributes of a function itself are kept.
pub const ON_FUNCTION: u32 = u32::MAX;

/// The LLVM values behind a program's lists, in the same order.
pub struct Symbols<'m> {
    pub procedures: Vec<Value<'m>>,
    pub globals: Vec<Value<'m>>,
    /// `None` for an operation that is no function.
    pub externals: Vec<Option<Value<'m>>>,
    /// For each procedure whose further arguments are in areas, which registers they do not have.
    pub variadic: Vec<Option<Taken>>,
}

/// Lowers a linked module and says what became what.
pub fn lower_with_symbols<'m>(module: &'m Module<'m>) -> (Program, Symbols<'m>) {
    literals::name(module);
    let mut lowering = ModuleLowering {
        module,
        layout: module.layout(),
        program: Program {
            target: module.target(),
            assembly: module.has_assembly(),
            ..Program::default()
        },
        types: TypeReader::new(module),
        attributes: Attributes {
            by_value: Module::attribute_kind("byval"),
            no_return: Module::attribute_kind("noreturn"),
            returns_twice: Module::attribute_kind("returns_twice"),
            align: Module::attribute_kind("align"),
        },
        globals: HashMap::new(),
        procedures: HashMap::new(),
        externals: HashMap::new(),
        operations: HashMap::new(),
        variadic: HashMap::new(),
        calls_through_pointers: PointerCalls::default(),
        area_types: None,
        files: HashMap::new(),
        scopes: HashMap::new(),
        labels: HashMap::new(),
        pointers: HashMap::new(),
        unknown: HashSet::new(),
    };
    lowering.run();
    fn in_order<'m, I>(
        map: HashMap<Value<'m>, I>,
        index: fn(&I) -> usize,
    ) -> Vec<(usize, Value<'m>)> {
        let mut list: Vec<_> = map.into_iter().map(|(value, id)| (index(&id), value)).collect();
        list.sort_by_key(|(index, _)| *index);
        list
    }
    let mut externals = vec![None; lowering.program.externals.len()];
    for (index, value) in in_order(lowering.externals, |id| id.index()) {
        externals[index] = Some(value);
    }
    let procedures: Vec<_> =
        in_order(lowering.procedures, |id| id.index()).into_iter().map(|p| p.1).collect();
    let symbols = Symbols {
        variadic: procedures.iter().map(|f| lowering.variadic.get(f).copied()).collect(),
        procedures,
        globals: in_order(lowering.globals, |id| id.index()).into_iter().map(|g| g.1).collect(),
        externals,
    };
    (lowering.program, symbols)
}

/// The scalars of a type with their byte offsets in memory.
pub fn lane_offsets<'m>(module: &'m Module<'_>, ty: Ty<'m>) -> Lowered<Vec<(Type, u64)>> {
    let mut lanes = Vec::new();
    collect_lanes(module.layout(), ty, 0, &mut |lane, offset| lanes.push((lane, offset)))?;
    Ok(lanes)
}

impl<'m> ModuleLowering<'m> {
    /// Whether a `va_list` is the one of the System V ABI for x86-64.
    pub fn has_system_v_lists(&self) -> bool {
        let target = &self.program.target;
        target.starts_with("x86_64") && !target.contains("windows") && !target.ends_with("x32")
    }

    fn run(&mut self) {
        let functions = self.in_source_order(self.module.functions());
        let globals = self.module.globals();
        if functions.iter().any(|f| f.value_type().is_variadic() && !f.is_declaration()) {
            self.calls_through_pointers = PointerCalls::of(self, &functions);
        }
        // Names first, so that any body or initialiser can refer to any of them.
        for f in &functions {
            if f.is_declaration() {
                continue;
            }
            let procedure = self.declare_procedure(*f);
            if let Some(taken) = Taken::of(self, *f) {
                self.variadic.insert(*f, taken);
            }
            self.procedures.insert(*f, ProcId::new(self.program.procedures.len()));
            self.program.procedures.push(procedure);
        }
        for g in &globals {
            // Lists the linker keeps for itself (llvm.used, llvm.global_ctors).
            if g.name().starts_with("llvm.") {
                continue;
            }
            let global = self.declare_global(*g);
            self.globals.insert(*g, GlobalId::new(self.program.globals.len()));
            self.program.globals.push(global);
        }
        for g in globals {
            let (Some(id), Some(init)) = (self.globals.get(&g).copied(), g.initializer()) else {
                continue;
            };
            // An initialiser that cannot be expressed leaves the object without a known
            // one; whoever reads it then is not judged by guessed bytes.
            let unlinked = self.uses_unlinked(init.operands().chain([init]).collect());
            let lowered = self.initializer(init).ok().filter(|_| unlinked.is_none());
            if lowered.is_none() {
                self.program.hidden_initialisers = true;
                self.unknown.insert(id);
            }
            self.program.globals[id.index()].init = lowered;
        }
        self.spread_unknown();
        self.program.constructors = self.startup("llvm.global_ctors");
        self.program.destructors = self.startup("llvm.global_dtors");
        self.weak_symbols();
        self.found_otherwise();
        for f in functions {
            if let Some(id) = self.procedures.get(&f).copied() {
                function::lower(self, f, id);
            }
        }
        labels::narrow(&mut self.program);
    }

    /// A constant that leads to an unknown one is not known either: whoever reads it gets there. A global that may be written can
    /// hold anything when a function begins, so only `main` cares what it begins with.
    fn spread_unknown(&mut self) {
        let globals = &self.program.globals;
        self.unknown.retain(|id| globals[id.index()].constant);
        loop {
            let leads = |(index, global): (usize, &Global)| {
                let relocations = global.init.iter().flat_map(|init| &init.relocations);
                let mut targets = relocations.filter_map(|r| match r.target {
                    Address::Global(id) => Some(id),
                    _ => None,
                });
                let id = GlobalId::new(index);
                let found = global.constant && targets.any(|target| self.unknown.contains(&target));
                (found && !self.unknown.contains(&id)).then_some(id)
            };
            let more: Vec<GlobalId> = globals.iter().enumerate().filter_map(leads).collect();
            if more.is_empty() {
                return;
            }
            self.unknown.extend(more);
        }
    }

    /// What a function uses whose definition is not linked (several files have one, or one that does not compile): the same code may do something
    /// else in each version.
    pub fn unlinked_reference(&self, function: Value<'m>) -> Option<String> {
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        self.uses_unlinked(instructions.flat_map(|i| i.operands().collect::<Vec<_>>()).collect())
    }

    fn uses_unlinked(&self, mut work: Vec<Value<'m>>) -> Option<String> {
        let mut seen = HashSet::new();
        while let Some(value) = work.pop() {
            let value = self.resolve(value);
            if !value.is_constant() || !seen.insert(value) {
                continue;
            }
            if let Some(name) = unlinked(&value.name()) {
                return Some(name.to_owned());
            }
            if !value.is_function() && self.global(value).is_none() {
                work.extend(value.operands());
            }
        }
        None
    }

    /// What about the initialisers that a function depends on cannot be expressed.
    pub fn unknown_initialiser(&self, function: Value<'m>) -> Option<String> {
        if !self.program.hidden_initialisers {
            return None;
        }
        if function.name() == "main" {
            return Some("a global with an initialiser that cannot be expressed".to_owned());
        }
        let instructions = function.blocks().into_iter().flat_map(|block| block.instructions());
        let mut work: Vec<Value<'m>> =
            instructions.flat_map(|inst| inst.operands().collect::<Vec<_>>()).collect();
        let mut seen = HashSet::new();
        while let Some(value) = work.pop() {
            let value = self.resolve(value);
            if !value.is_constant() || !seen.insert(value) || value.is_function() {
                continue;
            }
            match self.global(value) {
                Some(id) if self.unknown.contains(&id) => {
                    let name = &self.program.globals[id.index()].name;
                    return Some(format!("the initialiser of {name}"));
                }
                Some(_) => {}
                None if value.as_block_address().is_some() => {}
                None => work.extend(value.operands()),
            }
        }
        None
    }

    /// One of the lists of functions that run before or after `main`.
    fn startup(&mut self, list: &str) -> Vec<Startup> {
        let mut found = vec![];
        let named = self.module.globals().into_iter().filter(|g| g.name() == list);
        for list in named.filter_map(Value::initializer) {
            for entry in (0..).map_while(|index| list.element(index)) {
                let (Some(priority), Some(function)) = (entry.element(0), entry.element(1)) else {
                    continue;
                };
                let function = self.resolve(function);
                let function = match self.procedure(function) {
                    Some(id) => Address::Procedure(id),
                    None if function.is_function() => match self.external(function) {
                        Ok(id) => Address::External(id),
                        Err(_) => continue,
                    },
                    None => continue,
                };
                found.push(Startup { priority: priority.int_low() as u32, function });
            }
        }
        found
    }

    /// Notes which globals code outside may find though it cannot name them: by an alias, in a section (the linker says where one
    /// begins and ends), or because the source says that they are used (`__attribute__((used))`).
    fn found_otherwise(&mut self) {
        let mut found: Vec<Value<'m>> = self.module.aliases();
        for g in self.module.globals() {
            if g.name().starts_with("llvm.") && g.name().ends_with("used") {
                found.extend(g.initializer().into_iter().flat_map(|list| list.operands()));
            } else if g.has_section() {
                found.push(g);
            }
        }
        for value in found {
            let mut work = vec![value];
            while let Some(value) = work.pop() {
                let value = self.resolve(value);
                match self.globals.get(&value) {
                    Some(id) => drop(self.program.found_otherwise.insert(*id)),
                    // A constant expression around it.
                    None if value.is_constant_expr() => work.extend(value.operands()),
                    None => {}
                }
            }
        }
    }

    /// Notes which symbols may be missing, and which definitions may not be the ones that are used.
    fn weak_symbols(&mut self) {
        let all = self.module.functions().into_iter().chain(self.module.globals());
        for value in all.filter(|v| v.is_weak()) {
            let program = &mut self.program;
            let list = match value.is_declaration() {
                true => &mut program.weak_undefined,
                false => &mut program.weak_definitions,
            };
            list.insert(value.name());
        }
    }

    /// Functions as they stand in their files; LLVM puts static ones after their first use.
    fn in_source_order(&mut self, functions: Vec<Value<'m>>) -> Vec<Value<'m>> {
        let mut placed: Vec<_> = functions
            .into_iter()
            .map(|f| {
                let place = f.subprogram().filter(|_| !f.is_declaration());
                (place.map(|s| (self.scope_file(s), s.subprogram_line())), f)
            })
            .collect();
        placed.sort_by_key(|(place, _)| *place);
        placed.into_iter().map(|(_, f)| f).collect()
    }

    fn declare_procedure(&mut self, f: Value<'m>) -> Procedure {
        let symbol = f.name();
        let mut name = symbol.clone();
        let mut ctype = None;
        let mut loc = Loc::NONE;
        if let Some(sub) = f.subprogram() {
            let (debug_name, debug_type) = self.types.subprogram(sub, &mut self.program.ctypes);
            if !debug_name.is_empty() {
                name = debug_name;
            }
            ctype = debug_type;
            loc = Loc { file: self.scope_file(sub), line: sub.subprogram_line(), column: 0 };
        }
        let ty = f.value_type();
        let mut unsupported = Vec::new();
        let results = self.lane_types(ty.function_result()).unwrap_or_else(|construct| {
            unsupported.push(Unsupported::new(construct, loc));
            vec![]
        });
        Procedure {
            name,
            symbol,
            linkage: if f.is_local() { Linkage::Internal } else { Linkage::External },
            loc,
            params: vec![],
            results,
            variadic: ty.is_variadic(),
            ctype,
            vars: vec![],
            locals: vec![],
            blocks: vec![],
            unsupported,
            opaque: None,
            with_holes: None,
            outlined_from: None,
        }
    }

    fn declare_global(&mut self, g: Value<'m>) -> Global {
        let symbol = g.name();
        let (mut name, mut ctype, mut owner, mut loc) = (symbol.clone(), None, None, Loc::NONE);
        if let Some(var) = g.global_debug() {
            let (debug_name, debug_type) = self.types.variable(var, &mut self.program.ctypes);
            if !debug_name.is_empty() {
                name = debug_name;
            }
            ctype = debug_type;
            if let Some(file) = var.variable_file() {
                loc = Loc { file: self.file(file), line: var.variable_line(), column: 0 };
            }
            owner = var
                .variable_scope()
                .filter(|s| s.kind() == crate::llvm::MetaKind::Subprogram)
                .map(|s| self.types.subprogram_name(s));
        }
        let ty = g.value_type();
        let sized = ty.is_sized();
        let declared = if sized { self.layout.size(ty) } else { 0 };
        let open_ended = g.initializer().is_none() && is_open_ended(ty);
        Global {
            name,
            symbol,
            owner,
            identity: None,
            linkage: if g.is_local() { Linkage::Internal } else { Linkage::External },
            // Whoever defines it makes it as large as is needed.
            size: if open_ended { declared.max(ROOM) } else { declared },
            open_ended,
            align: g.alignment().max(if sized { self.layout.align(ty) } else { 1 }),
            constant: g.is_global_constant(),
            thread_local: g.is_thread_local(),
            init: None,
            ctype,
            loc,
        }
    }

    /// What a global value stands for, aliases followed.
    pub fn resolve(&self, value: Value<'m>) -> Value<'m> {
        let mut value = value;
        while let Some(target) = value.as_alias() {
            value = target;
        }
        value
    }

    /// The global behind a value.
    pub fn global(&self, value: Value<'m>) -> Option<GlobalId> {
        self.globals.get(&value).copied()
    }

    /// The procedure behind a function.
    pub fn procedure(&self, value: Value<'m>) -> Option<ProcId> {
        self.procedures.get(&value).copied()
    }

    /// The external behind a declared function, entered in the program on its first use.
    pub fn external(&mut self, f: Value<'m>) -> Lowered<ExternId> {
        if let Some(id) = self.externals.get(&f) {
            return Ok(*id);
        }
        let ty = f.value_type();
        let signature = self.signature(ty)?;
        let ctype =
            f.subprogram().and_then(|s| self.types.subprogram(s, &mut self.program.ctypes).1);
        let mut by_value = Vec::new();
        for (index, param) in ty.function_params().into_iter().enumerate() {
            let lanes = self.lane_types(param)?.len();
            let pointee = f.type_attribute(index as u32 + 1, self.attributes.by_value);
            let size = pointee.map(|t| self.layout.size(t));
            by_value.extend(std::iter::repeat_n(size, lanes));
        }
        let id = ExternId::new(self.program.externals.len());
        self.program.externals.push(External {
            name: f.name(),
            kind: ExternalKind::Function,
            signature,
            ctype,
            no_return: f.has_attribute(ON_FUNCTION, self.attributes.no_return),
            by_value,
        });
        self.externals.insert(f, id);
        Ok(id)
    }

    /// The external for an operation that is no function: inline assembly, an intrinsic.
    pub fn operation(&mut self, name: &str, kind: ExternalKind, signature: Signature) -> ExternId {
        let key = (name.to_owned(), signature.clone());
        if let Some(id) = self.operations.get(&key) {
            return *id;
        }
        let id = ExternId::new(self.program.externals.len());
        let by_value = vec![None; signature.params.len()];
        self.program.externals.push(External {
            name: name.to_owned(),
            kind,
            signature,
            ctype: None,
            no_return: false,
            by_value,
        });
        self.operations.insert(key, id);
        id
    }

    /// The machine types of a function type.
    pub fn signature(&self, ty: Ty<'m>) -> Lowered<Signature> {
        let mut params = Vec::new();
        for param in ty.function_params() {
            params.extend(self.lane_types(param)?);
        }
        let results = self.lane_types(ty.function_result())?;
        Ok(Signature { params, results, variadic: ty.is_variadic() })
    }

    /// The scalars a value of the type consists of, in order: one for a scalar, one
    /// for each element of a vector, array or struct.
    pub fn lane_types(&self, ty: Ty<'m>) -> Lowered<Vec<Type>> {
        let mut lanes = Vec::new();
        collect_lanes(self.layout, ty, 0, &mut |lane, _| lanes.push(lane))?;
        Ok(lanes)
    }

    /// The scalars with their byte offsets in memory.
    pub fn lane_offsets(&self, ty: Ty<'m>) -> Lowered<Vec<(Type, u64)>> {
        let mut lanes = Vec::new();
        collect_lanes(self.layout, ty, 0, &mut |lane, offset| lanes.push((lane, offset)))?;
        Ok(lanes)
    }

    /// The C type of pointers to a type.
    pub fn pointer_to(&mut self, target: CTypeId) -> CTypeId {
        let types = &mut self.program.ctypes;
        *self.pointers.entry(target).or_insert_with(|| types.add(CType::Pointer(target)))
    }

    /// The file of a scope.
    pub fn scope_file(&mut self, scope: Meta<'m>) -> FileId {
        if let Some(id) = self.scopes.get(&scope) {
            return *id;
        }
        let id = scope.scope_file().map_or(FileId(0), |f| self.file(f));
        self.scopes.insert(scope, id);
        id
    }

    /// A file by its debug node; two nodes with one name are one file.
    pub fn file(&mut self, meta: Meta<'m>) -> FileId {
        if let Some(id) = self.files.get(&meta) {
            return *id;
        }
        let name = meta.file_name();
        let index = self.program.files.iter().position(|f| *f == name).unwrap_or_else(|| {
            self.program.files.push(name);
            self.program.files.len() - 1
        });
        self.files.insert(meta, FileId::new(index));
        FileId::new(index)
    }
}

/// The machine type of a scalar.
pub fn scalar(ty: Ty<'_>) -> Lowered<Type> {
    match ty.kind() {
        TyKind::Int(width @ 1..=128) => Ok(Type::Int(width as u16)),
        TyKind::Int(width) => Err(format!("an integer of {width} bits")),
        TyKind::Float(kind) => Ok(Type::Float(kind)),
        TyKind::Ptr => Ok(Type::Ptr),
        _ => Err(format!("a value of type {}", ty.text())),
    }
}

fn collect_lanes<'m>(
    layout: Layout<'m>,
    ty: Ty<'m>,
    offset: u64,
    add: &mut impl FnMut(Type, u64),
) -> Lowered<()> {
    match ty.kind() {
        TyKind::Void => {}
        TyKind::Struct(fields) => {
            for (index, field) in fields.into_iter().enumerate() {
                let at = offset + layout.field_offset(ty, index as u32);
                collect_lanes(layout, field, at, add)?;
            }
        }
        TyKind::Array(element, count) | TyKind::Vector(element, count) => {
            if count > 4096 {
                return Err(format!("a value of type {}", ty.text()));
            }
            let step = match (ty.kind(), element.kind()) {
                // Vector elements are packed, whatever their alignment.
                (TyKind::Vector(..), TyKind::Int(width)) => u64::from(width.div_ceil(8)),
                _ => layout.size(element),
            };
            for index in 0..count {
                collect_lanes(layout, element, offset + index * step, add)?;
            }
        }
        _ => add(scalar(ty)?, offset),
    }
    Ok(())
}

/// Whether the size of a type is not all of an object that another file defines: `int table[]`, a struct that ends in such an array, or one
/// of which only the name is known.
fn is_open_ended(ty: Ty<'_>) -> bool {
    match ty.kind() {
        _ if !ty.is_sized() => true,
        TyKind::Array(_, 0) => true,
        TyKind::Struct(fields) => fields.last().is_some_and(|last| is_open_ended(*last)),
        _ => false,
    }
}
