//! From statements to classes: which assignment joins what.

use super::cells::{Access, CellBuilder};
use super::names::{Counter, Names, is_compilers};
use super::points::{Holder, Points, Target};
use super::value::is_nothing;
use super::{
    Cell, ProcHolders, RegionId, RegionInfo, RegionOptions, Regions, SideHolders, private,
};
use std::collections::HashMap;
use verdiff_model::graph::CallGraph;
use verdiff_model::{
    Address, Block, Expr, GlobalId, Linkage, ProcId, Procedure, Program, StmtKind, TerminatorKind,
    VarId,
};

/// An object that was seen in one of the programs.
pub(super) struct Seen {
    pub(super) target: Target,
    pub(super) name: String,
    pub(super) kind: StorageKind,
}

/// What kind of object it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum StorageKind {
    /// A global.
    Global { constant: bool, align: u32 },
    /// A local or variable-length array of the procedure with this name.
    Local { procedure: String, align: u32 },
    /// An object allocated in the procedure with this name.
    Heap { procedure: String },
}

pub(super) struct Collector<'p, 'o> {
    pub(super) programs: &'o [&'p Program],
    pub(super) options: &'o RegionOptions<'o>,
    pub(super) names: Names,
    pub(super) graphs: Vec<CallGraph>,
    pub(super) points: Points,
    pub(super) outside: Target,
    pub(super) sides: Vec<SideHolders>,
    pub(super) objects: Vec<Seen>,
    by_name: HashMap<String, Target>,
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
    pub(super) fn run(programs: &'o [&'p Program], options: &'o RegionOptions<'o>) -> Regions {
        let mut points = Points::default();
        let outside = points.object();
        let contents = points.anything(outside);
        points.join(outside, contents);
        let mut collector = Collector {
            programs,
            options,
            names: Names::of(programs),
            graphs: programs.iter().map(|p| CallGraph::of(p)).collect(),
            points,
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
        for (side, program) in programs.iter().enumerate() {
            collector.globals(side);
            collector.entries(side);
            for id in program.procedure_ids() {
                collector.procedure(Here { side, id });
            }
        }
        collector.finish()
    }

    /// Targets and holders for everything with a name.
    fn declare(&mut self, side: usize) {
        let program = self.programs[side];
        let mut known = SideHolders::default();
        for (index, global) in program.globals.iter().enumerate() {
            let kind = StorageKind::Global { constant: global.constant, align: global.align };
            let name = self.names.globals[side][index].clone();
            known.globals.push(self.object(name, kind));
        }
        for (index, procedure) in program.procedures.iter().enumerate() {
            let name = self.names.procedures[side][index].clone();
            let mut counter = Counter::default();
            let locals = procedure.locals.iter().map(|local| {
                let kind = StorageKind::Local { procedure: name.clone(), align: local.align };
                self.object(format!("{name}:{}", counter.next(local.name.clone())), kind)
            });
            let locals = locals.collect();
            let vars = procedure.vars.iter().map(|_| self.points.holder()).collect();
            let results = procedure.results.iter().map(|_| self.points.holder()).collect();
            known.procedures.push(ProcHolders { vars, locals, results });
        }
        self.sides.push(known);
    }

    /// The object with this name, of whatever version.
    pub(super) fn object(&mut self, name: String, kind: StorageKind) -> Target {
        let points = &mut self.points;
        let target = *self.by_name.entry(name.clone()).or_insert_with(|| points.object());
        self.objects.push(Seen { target, name, kind });
        target
    }

    /// The object allocated at the statement that is looked at.
    pub(super) fn site(&mut self, here: Here, what: &str, align: Option<u32>) -> Target {
        let procedure = self.names.procedures[here.side][here.id.index()].clone();
        let name = self.sites.next(format!("{procedure}:{what}()"));
        let kind = match align {
            Some(align) => StorageKind::Local { procedure, align },
            None => StorageKind::Heap { procedure },
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
                    self.same(*a, *b);
                }
            }
        }
    }

    /// The parameters and results.
    pub(super) fn interface(&self, side: usize, id: ProcId) -> (Vec<Holder>, Vec<Holder>) {
        let holders = &self.sides[side].procedures[id.index()];
        let params = &self.programs[side].procedure(id).params;
        (params.iter().map(|p| holders.vars[p.index()]).collect(), holders.results.clone())
    }

    /// Two variables lead to the same.
    pub(super) fn same(&mut self, a: Holder, b: Holder) {
        let target = self.points.held(a);
        self.points.hold(b, target);
    }

    fn globals(&mut self, side: usize) {
        let program = self.programs[side];
        for (index, global) in program.globals.iter().enumerate() {
            let object = self.sides[side].globals[index];
            if global.linkage == Linkage::External || global.init.is_none() {
                self.escape(object);
            }
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                if let Address::Global(target) = relocation.target {
                    let target = self.sides[side].globals[target.index()];
                    let place = object.plus(relocation.offset as i64);
                    let held = self.points.field(place, 8);
                    self.points.join(held, target.plus(relocation.addend));
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
                for holder in params.into_iter().chain(results) {
                    self.points.hold(holder, self.outside);
                }
            }
            if opaque {
                self.opaque(side, program.procedure(id));
            }
        }
    }

    /// A procedure whose body is not known may do what it likes with the statics it can see, and with what it names:
    /// the code may stand for other code, too.
    fn opaque(&mut self, side: usize, procedure: &Procedure) {
        let names = procedure.opaque.as_ref().map_or(&[][..], |opaque| &opaque.names);
        for (index, global) in self.programs[side].globals.iter().enumerate() {
            let named = names.contains(&Address::Global(GlobalId::new(index)));
            let visible = match &global.owner {
                _ if named => true,
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

    /// What is there can be reached from outside.
    pub(super) fn escape(&mut self, target: Target) {
        self.points.join(target, self.outside);
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
                if let Some(place) = self.place(here, addr) {
                    self.accesses.push(Access::word(place, width, *align));
                    let held = self.points.field(place, width);
                    let dst = self.var(here, *dst);
                    self.points.hold(dst, held);
                }
            }
            StmtKind::Store { addr, value, align, .. } => {
                let width = procedure.type_of(value).bytes();
                if let Some(place) = self.place(here, addr) {
                    self.accesses.push(Access::word(place, width, *align));
                    if let Some(target) = self.value(here, value) {
                        let held = self.points.field(place, width);
                        self.points.join(held, target);
                    }
                }
            }
            StmtKind::Copy { dst, src, len, align, .. } => {
                let (to, from) = (self.place(here, dst), self.place(here, src));
                for place in [to, from].into_iter().flatten() {
                    self.accesses.push(Access::block(place, len, *align));
                }
                if let (Some(to), Some(from)) = (to, from) {
                    self.points.copy(to, from);
                }
            }
            StmtKind::Fill { dst, byte, len, align, .. } => {
                if let Some(place) = self.place(here, dst) {
                    self.accesses.push(Access::block(place, len, *align));
                    if let Some(target) = self.value(here, byte) {
                        let held = self.points.anything(place);
                        self.points.join(held, target);
                    }
                }
            }
            StmtKind::Call { results, callee, args } => self.call(here, results, callee, args),
            StmtKind::Alloc { dst, align, .. } => {
                let object = self.site(here, "alloca", Some(*align));
                let dst = self.var(here, *dst);
                self.points.hold(dst, object);
            }
            StmtKind::Hole { results, args, .. } => self.call_unknown(here, results, args),
            StmtKind::Check { .. }
            | StmtKind::CheckInit { .. }
            | StmtKind::SaveStack { .. }
            | StmtKind::RestoreStack { .. } => {}
        }
    }

    pub(super) fn var(&self, here: Here, var: VarId) -> Holder {
        self.sides[here.side].procedures[here.id.index()].vars[var.index()]
    }

    /// The value goes into a variable.
    pub(super) fn flow(&mut self, here: Here, value: &Expr, holder: Holder) {
        if let Some(target) = self.value(here, value) {
            self.points.hold(holder, target);
        }
    }

    /// The memory behind an address; `None` if there certainly is none.
    pub(super) fn place(&mut self, here: Here, address: &Expr) -> Option<Target> {
        match self.value(here, address) {
            Some(target) => Some(target),
            None if is_nothing(address) => None,
            None => Some(self.outside),
        }
    }

    fn finish(mut self) -> Regions {
        // Memory that is accessed and in which no object is known to lie.
        for access in &self.accesses {
            if !self.points.has_object(access.place) {
                self.points.join(access.place, self.outside);
            }
        }
        let mut region: Vec<Option<RegionId>> = vec![None; self.points.region_count()];
        let mut infos: Vec<RegionInfo> = vec![];
        let mut cells: Vec<CellBuilder> = vec![];
        let outside = Seen {
            target: self.outside,
            name: "outside".to_owned(),
            kind: StorageKind::Global { constant: false, align: u32::MAX },
        };
        self.objects.insert(0, outside);
        for object in &self.objects {
            let root = self.points.region(object.target);
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
                    contents: vec![],
                });
                cells.push(CellBuilder::default());
                RegionId::new(infos.len() - 1)
            });
            let info = &mut infos[id.index()];
            info.heap |= matches!(object.kind, StorageKind::Heap { .. });
            info.constant &= matches!(object.kind, StorageKind::Global { constant: true, .. });
            if object.kind != (StorageKind::Global { constant: false, align: u32::MAX }) {
                info.objects.push(object.name.clone());
            }
            if let StorageKind::Global { align, .. } | StorageKind::Local { align, .. } =
                object.kind
            {
                cells[id.index()].object(align);
            }
        }
        for access in &self.accesses {
            if let Some(id) = region[self.points.region(access.place)] {
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
        for object in &self.objects {
            let Some(id) = region[self.points.region(object.target)] else { continue };
            let contents = self.points.contents(object.target);
            let contents = contents.filter_map(|to| region[self.points.region(to)]);
            infos[id.index()].contents.extend(contents);
        }
        for info in &mut infos {
            info.contents.sort_unstable();
            info.contents.dedup();
        }
        private::mark(&self, &region, &mut infos);
        Regions { points: self.points, region, infos, sides: self.sides }
    }
}

/// Whether code of any file may see the statics of this one: it is a header.
fn program_wide(program: &Program, file: verdiff_model::FileId) -> bool {
    !program.file(file).ends_with(".c")
}
