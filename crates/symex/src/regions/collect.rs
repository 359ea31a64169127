//! From statements to classes: which assignment joins what.

use super::cells::{Access, CellBuilder};
use super::classes::{Class, Classes};
use super::names::{Counter, Names, is_compilers};
use super::{Cell, Options, ProcClasses, RegionId, RegionInfo, Regions, Side, private};
use std::collections::HashMap;
use verdiff_model::graph::CallGraph;
use verdiff_model::{
    Address, BinaryOp, Block, Const, Expr, GlobalId, Linkage, LocalId, ProcId, Procedure, Program,
    StmtKind, TerminatorKind, Type, UnaryOp, VarId,
};

/// Addresses below this, and as close to the end of memory, are no object's.
const NULL_PAGE: u64 = 4096;

/// An object that was seen in one of the programs.
pub(super) struct Seen {
    pub(super) class: Class,
    pub(super) name: String,
    pub(super) kind: Kind,
}

/// What kind of object it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A global.
    Global { constant: bool, align: u32 },
    /// A local or variable-length array of the procedure with this name.
    Local { procedure: String, align: u32 },
    /// An object allocated in the procedure with this name.
    Heap { procedure: String },
}

pub(super) struct Collector<'p, 'o> {
    pub(super) programs: &'o [&'p Program],
    pub(super) options: &'o Options<'o>,
    pub(super) names: Names,
    pub(super) graphs: Vec<CallGraph>,
    pub(super) classes: Classes,
    pub(super) outside: Class,
    pub(super) sides: Vec<Side>,
    pub(super) objects: Vec<Seen>,
    by_name: HashMap<String, Class>,
    pub(super) accesses: Vec<Access>,
    /// The allocations of the procedure that is looked at, numbered.
    sites: Counter,
}

/// A procedure that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Here {
    pub(super) side: usize,
    pub(super) id: ProcId,
}

impl<'p, 'o> Collector<'p, 'o> {
    pub(super) fn run(programs: &'o [&'p Program], options: &'o Options<'o>) -> Regions {
        let mut classes = Classes::default();
        let outside = classes.object();
        classes.close(outside);
        let mut collector = Collector {
            programs,
            options,
            names: Names::of(programs),
            graphs: programs.iter().map(|p| CallGraph::of(p)).collect(),
            classes,
            outside,
            sides: vec![],
            objects: vec![],
            by_name: HashMap::new(),
            accesses: vec![],
            sites: Counter::default(),
        };
        for side in 0..programs.len() {
            collector.declare(side);
        }
        collector.match_procedures();
        for side in 0..programs.len() {
            collector.globals(side);
            collector.entries(side);
            for id in programs[side].procedure_ids() {
                collector.procedure(Here { side, id });
            }
        }
        collector.finish()
    }

    /// Classes for everything with a name.
    fn declare(&mut self, side: usize) {
        let program = self.programs[side];
        let mut classes = Side::default();
        for (index, global) in program.globals.iter().enumerate() {
            let kind = Kind::Global { constant: global.constant, align: global.align };
            let name = self.names.globals[side][index].clone();
            classes.globals.push(self.object(name, kind));
        }
        for (index, procedure) in program.procedures.iter().enumerate() {
            let name = self.names.procedures[side][index].clone();
            let mut counter = Counter::default();
            let locals = procedure.locals.iter().map(|local| {
                let kind = Kind::Local { procedure: name.clone(), align: local.align };
                self.object(format!("{name}:{}", counter.next(local.name.clone())), kind)
            });
            let locals = locals.collect();
            let vars = procedure.vars.iter().map(|_| self.classes.fresh()).collect();
            let results = procedure.results.iter().map(|_| self.classes.fresh()).collect();
            classes.procedures.push(ProcClasses { vars, locals, results });
        }
        self.sides.push(classes);
    }

    /// The class of the object with this name, of whatever version.
    pub(super) fn object(&mut self, name: String, kind: Kind) -> Class {
        let class = match self.by_name.get(&name) {
            Some(class) => *class,
            None => {
                let class = self.classes.object();
                self.by_name.insert(name.clone(), class);
                class
            }
        };
        self.objects.push(Seen { class, name, kind });
        class
    }

    /// The class of the object allocated at the statement that is looked at.
    pub(super) fn site(&mut self, here: Here, what: &str, align: Option<u32>) -> Class {
        let procedure = self.names.procedures[here.side][here.id.index()].clone();
        let name = self.sites.next(format!("{procedure}:{what}()"));
        let kind = match align {
            Some(align) => Kind::Local { procedure, align },
            None => Kind::Heap { procedure },
        };
        self.object(name, kind)
    }

    /// Parameters and results of procedures that correspond point to the same.
    fn match_procedures(&mut self) {
        let mut first: HashMap<String, (usize, ProcId)> = HashMap::new();
        for side in 0..self.programs.len() {
            for id in self.programs[side].procedure_ids() {
                let name = self.names.procedures[side][id.index()].clone();
                let (other_side, other) = *first.entry(name).or_insert((side, id));
                let mine = self.interface(side, id);
                let theirs = self.interface(other_side, other);
                for (a, b) in mine.0.iter().zip(&theirs.0).chain(mine.1.iter().zip(&theirs.1)) {
                    self.classes.join(*a, *b);
                }
            }
        }
    }

    /// The classes of parameters and results.
    pub(super) fn interface(&self, side: usize, id: ProcId) -> (Vec<Class>, Vec<Class>) {
        let classes = &self.sides[side].procedures[id.index()];
        let params = &self.programs[side].procedure(id).params;
        (params.iter().map(|p| classes.vars[p.index()]).collect(), classes.results.clone())
    }

    fn globals(&mut self, side: usize) {
        let program = self.programs[side];
        for (index, global) in program.globals.iter().enumerate() {
            let class = self.sides[side].globals[index];
            if global.linkage == Linkage::External || global.init.is_none() {
                self.escape(class);
            }
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                if let Address::Global(target) = relocation.target {
                    let target = self.sides[side].globals[target.index()];
                    let contents = self.classes.target(class);
                    self.classes.join(contents, target);
                }
            }
        }
    }

    fn entries(&mut self, side: usize) {
        let program = self.programs[side];
        for id in program.procedure_ids() {
            let taken = self.graphs[side].address_taken().binary_search(&id).is_ok();
            let opaque = program.procedure(id).blocks.is_empty();
            if taken || opaque || (self.options.is_entry)(side, id) {
                let (params, results) = self.interface(side, id);
                for class in params.into_iter().chain(results) {
                    let target = self.classes.target(class);
                    self.escape(target);
                }
            }
            if opaque {
                self.opaque(side, program.procedure(id));
            }
        }
    }

    /// A procedure whose body is not known may do what it likes with the statics it can see.
    fn opaque(&mut self, side: usize, procedure: &Procedure) {
        for (index, global) in self.programs[side].globals.iter().enumerate() {
            let visible = match &global.owner {
                Some(owner) => *owner == procedure.name,
                None => {
                    !global.loc.is_known()
                        || !procedure.loc.is_known()
                        || global.loc.file == procedure.loc.file
                        || program_wide(self.programs[side], global.loc.file)
                }
            };
            if visible && !is_compilers(global) {
                self.escape(self.sides[side].globals[index]);
            }
        }
    }

    /// What is in the class can be reached from outside.
    pub(super) fn escape(&mut self, class: Class) {
        self.classes.join(class, self.outside);
    }

    fn procedure(&mut self, here: Here) {
        self.sites = Counter::default();
        let procedure = self.programs[here.side].procedure(here.id);
        for block in &procedure.blocks {
            self.block(here, procedure, block);
        }
    }

    fn block(&mut self, here: Here, procedure: &'p Procedure, block: &'p Block) {
        for stmt in &block.stmts {
            self.statement(here, procedure, &stmt.kind);
        }
        if let TerminatorKind::Return(values) = &block.end.kind {
            for (index, value) in values.iter().enumerate() {
                let result = self.sides[here.side].procedures[here.id.index()].results[index];
                self.flow(here, value, result);
            }
        }
    }

    fn statement(&mut self, here: Here, procedure: &'p Procedure, kind: &'p StmtKind) {
        match kind {
            StmtKind::Assign { dst, value } => {
                let dst = self.var(here, *dst);
                self.flow(here, value, dst);
            }
            StmtKind::Load { dst, addr, align, .. } => {
                let width = procedure.var(*dst).ty.bytes();
                if let Some(memory) = self.place(here, addr) {
                    self.accesses.push(Access::word(memory, width, *align));
                    let dst = self.var(here, *dst);
                    self.same_target(dst, memory);
                }
            }
            StmtKind::Store { addr, value, align, .. } => {
                let width = procedure.type_of(value).bytes();
                if let Some(memory) = self.place(here, addr) {
                    self.accesses.push(Access::word(memory, width, *align));
                    self.flow(here, value, memory);
                }
            }
            StmtKind::Copy { dst, src, len, align, .. } => {
                let (to, from) = (self.place(here, dst), self.place(here, src));
                for place in [to, from].into_iter().flatten() {
                    self.accesses.push(Access::block(place, len, *align));
                }
                if let (Some(to), Some(from)) = (to, from) {
                    self.same_target(to, from);
                }
            }
            StmtKind::Fill { dst, byte, len, align, .. } => {
                if let Some(memory) = self.place(here, dst) {
                    self.accesses.push(Access::block(memory, len, *align));
                    self.flow(here, byte, memory);
                }
            }
            StmtKind::Call { results, callee, args } => self.call(here, results, callee, args),
            StmtKind::Alloc { dst, align, .. } => {
                let object = self.site(here, "alloca", Some(*align));
                let dst = self.var(here, *dst);
                self.points_to(dst, object);
            }
            StmtKind::Check { .. }
            | StmtKind::CheckInit { .. }
            | StmtKind::SaveStack { .. }
            | StmtKind::RestoreStack { .. } => {}
        }
    }

    pub(super) fn var(&self, here: Here, var: VarId) -> Class {
        self.sides[here.side].procedures[here.id.index()].vars[var.index()]
    }

    /// Two classes that point to the same.
    pub(super) fn same_target(&mut self, a: Class, b: Class) {
        let (a, b) = (self.classes.target(a), self.classes.target(b));
        self.classes.join(a, b);
    }

    /// `class` points to what is in `target`.
    pub(super) fn points_to(&mut self, class: Class, target: Class) {
        let known = self.classes.target(class);
        self.classes.join(known, target);
    }

    /// The value goes into `class`.
    pub(super) fn flow(&mut self, here: Here, value: &Expr, class: Class) {
        if let Some(target) = self.value(here, value) {
            self.points_to(class, target);
        }
    }

    /// The class of what a value points to; `None` if it is no address. All that the value may be
    /// made of is joined.
    pub(super) fn value(&mut self, here: Here, value: &Expr) -> Option<Class> {
        let mut found: Option<Class> = None;
        let mut same: Vec<(Expr, Expr)> = vec![];
        sources_and_differences(value, &mut same, &mut |leaf| {
            let class = match leaf {
                Leaf::Var(v) => {
                    let var = self.var(here, v);
                    self.classes.target(var)
                }
                Leaf::Global(g) => self.sides[here.side].globals[g.index()],
                Leaf::Local(l) => {
                    self.sides[here.side].procedures[here.id.index()].locals[l.index()]
                }
                Leaf::Number => self.outside,
            };
            match found {
                None => found = Some(class),
                Some(other) => self.classes.join(other, class),
            }
        });
        for (a, b) in same {
            if let (Some(a), Some(b)) = (self.value(here, &a), self.value(here, &b)) {
                self.classes.join(a, b);
            }
        }
        found
    }

    /// The class of the memory behind an address; `None` if the address is certainly null.
    pub(super) fn place(&mut self, here: Here, address: &Expr) -> Option<Class> {
        match self.value(here, address) {
            Some(class) => Some(class),
            None if is_nothing(address) => None,
            None => Some(self.outside),
        }
    }

    fn finish(mut self) -> Regions {
        // Memory that is accessed and in which no object is known to lie.
        for access in &self.accesses {
            if !self.classes.has_object(access.class) {
                self.classes.join(access.class, self.outside);
            }
        }
        let mut region: Vec<Option<RegionId>> = vec![None; self.classes.len()];
        let mut infos: Vec<RegionInfo> = vec![];
        let mut cells: Vec<CellBuilder> = vec![];
        let outside = Seen {
            class: self.outside,
            name: "outside".to_owned(),
            kind: Kind::Global { constant: false, align: u32::MAX },
        };
        self.objects.insert(0, outside);
        for object in &self.objects {
            let root = self.classes.find(object.class).index();
            let id = *region[root].get_or_insert_with(|| {
                infos.push(RegionInfo {
                    cell: Cell::Bytes,
                    outside: infos.is_empty(),
                    locals_only: false,
                    private_to: None,
                    heap: false,
                    constant: true,
                    name: object.name.clone(),
                    objects: vec![],
                });
                cells.push(CellBuilder::default());
                RegionId::new(infos.len() - 1)
            });
            let info = &mut infos[id.index()];
            info.heap |= matches!(object.kind, Kind::Heap { .. });
            info.constant &= matches!(object.kind, Kind::Global { constant: true, .. });
            if object.kind != (Kind::Global { constant: false, align: u32::MAX }) {
                info.objects.push(object.name.clone());
            }
            if let Kind::Global { align, .. } | Kind::Local { align, .. } = object.kind {
                cells[id.index()].object(align);
            }
        }
        for access in &self.accesses {
            if let Some(id) = region[self.classes.find(access.class).index()] {
                cells[id.index()].access(access);
            }
        }
        for (info, cell) in infos.iter_mut().zip(&cells) {
            info.cell = cell.cell();
            info.objects.sort();
            info.objects.dedup();
            if !info.outside {
                info.name = info.objects.first().cloned().unwrap_or_default();
            }
        }
        private::mark(&self, &region, &mut infos);
        Regions { classes: self.classes, region, infos, sides: self.sides }
    }
}

/// Whether code of any file may see the statics of this one: it is a header.
fn program_wide(program: &Program, file: verdiff_model::FileId) -> bool {
    !program.file(file).ends_with(".c")
}

/// What a value may get its address from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Leaf {
    Var(VarId),
    Global(GlobalId),
    Local(LocalId),
    /// A number that is used as an address.
    Number,
}

/// Calls `visit` with everything a value may get an address from.
pub(super) fn sources(value: &Expr, visit: &mut impl FnMut(Leaf)) {
    sources_and_differences(value, &mut vec![], visit);
}

/// As [`sources`]; pairs of pointers that are subtracted go to `same`.
fn sources_and_differences(
    value: &Expr,
    same: &mut Vec<(Expr, Expr)>,
    visit: &mut impl FnMut(Leaf),
) {
    match value {
        Expr::Const(c) => {
            if c.ty == Type::Ptr && !is_no_object(*c) {
                visit(Leaf::Number);
            }
        }
        Expr::Var(v) => visit(Leaf::Var(*v)),
        Expr::Address(Address::Global(g)) => visit(Leaf::Global(*g)),
        Expr::Address(Address::Local(l)) => visit(Leaf::Local(*l)),
        // Code is in no region.
        Expr::Address(Address::Procedure(_) | Address::External(_)) => {}
        Expr::Unary { op: UnaryOp::IntToPtr, arg, .. } if arg.as_const().is_some() => {
            if arg.as_const().is_some_and(|c| !is_no_object(c)) {
                visit(Leaf::Number);
            }
        }
        Expr::Unary { op, ty, arg } => {
            if *ty != Type::BOOL && keeps_bits(*op) {
                sources_and_differences(arg, same, visit);
            }
        }
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            let base = if is_number(lhs) { rhs } else { lhs };
            sources_and_differences(base, same, visit);
        }
        Expr::Binary { op, lhs, rhs, .. } => {
            use BinaryOp::*;
            if let (Sub, Some(a), Some(b)) = (op, pointer_as_int(lhs), pointer_as_int(rhs)) {
                same.push((a.clone(), b.clone()));
            } else if !op.is_predicate() && !matches!(op, FAdd | FSub | FMul | FDiv | FRem) {
                sources_and_differences(lhs, same, visit);
                sources_and_differences(rhs, same, visit);
            }
        }
        Expr::Select { then, otherwise, .. } => {
            sources_and_differences(then, same, visit);
            sources_and_differences(otherwise, same, visit);
        }
        Expr::FusedMulAdd { .. } => {}
    }
}

/// Whether parts of the operand's bits may be in the result.
fn keeps_bits(op: UnaryOp) -> bool {
    use UnaryOp::*;
    matches!(
        op,
        Not | Neg
            | ZeroExtend
            | SignExtend
            | Truncate
            | PtrToInt
            | IntToPtr
            | Bitcast
            | ByteSwap
            | BitReverse
            | FNeg
            | FAbs
    )
}

fn pointer_as_int(e: &Expr) -> Option<&Expr> {
    match e {
        Expr::Unary { op: UnaryOp::PtrToInt, arg, .. } => Some(arg),
        _ => None,
    }
}

fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Const(_) => true,
        Expr::Unary { op: UnaryOp::IntToPtr, arg, .. } => is_number(arg),
        _ => false,
    }
}

/// Whether no object can lie at this address: near null or near the end of memory.
fn is_no_object(c: Const) -> bool {
    let address = c.bits as u64;
    address < NULL_PAGE || address >= u64::MAX - NULL_PAGE
}

/// Whether an address is a constant where no object can lie.
fn is_nothing(address: &Expr) -> bool {
    match address {
        Expr::Const(c) => is_no_object(*c),
        Expr::Unary { op: UnaryOp::IntToPtr, arg, .. } => is_nothing(arg),
        Expr::Address(Address::Procedure(_) | Address::External(_)) => true,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            is_nothing(lhs) && rhs.as_const().is_some()
        }
        _ => false,
    }
}
