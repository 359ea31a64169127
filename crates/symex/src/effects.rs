//! What a procedure may do, with all that it calls.
//!
//! Upper bounds: a region that is not in [`ProcedureEffects::writes`] is the same after the call
//! as before, and the results depend on regions that are in [`ProcedureEffects::reads`]
//! only. Regions that are private to one running instance of a procedure
//! ([`RegionInfo::private_to`](crate::regions::RegionInfo::private_to)) are in neither: they are
//! new for each call and nobody else sees them.
//!
//! An unknown external function reads and writes the outside region and tells the
//! world; besides, it may call procedures of the program, which do what *they* do, in regions the
//! outside cannot reach itself. Which ones is [`Callers`].

use crate::libc::{self, Ends, FunctionModel, Hidden, Model};
use crate::regions::{RegionId, Regions};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use verdiff_model::graph::calls::CallTarget;
use verdiff_model::graph::{CallGraph, Flow};
use verdiff_model::{
    Access, Address, BinaryOp, Callee, Expr, ExternId, ExternalKind, Linkage, ProcId, Procedure,
    Program, Side, StmtKind, TerminatorKind, Trap,
};

/// A set of regions: a bit for each, up to the last that is in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegionSet(Vec<u64>);

impl RegionSet {
    /// Adds a region.
    pub fn insert(&mut self, region: RegionId) {
        let (word, bit) = (region.index() / 64, region.index() % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << bit;
    }

    /// Adds all of another set.
    pub fn extend(&mut self, other: &RegionSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine |= theirs;
        }
    }

    /// Whether a region is in it.
    pub fn contains(&self, region: RegionId) -> bool {
        self.0.get(region.index() / 64).is_some_and(|word| word >> (region.index() % 64) & 1 == 1)
    }

    /// The regions in order.
    pub fn iter(&self) -> impl Iterator<Item = RegionId> + '_ {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        let words = self.0.iter().enumerate();
        words.flat_map(move |(n, word)| bits(*word).map(move |bit| RegionId::new(n * 64 + bit)))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a procedure, or a call, may do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcedureEffects {
    /// The regions it may read.
    pub reads: RegionSet,
    /// The regions it may write.
    pub writes: RegionSet,
    /// Whether it may do I/O, call an unknown external, or access volatile memory.
    pub world: bool,
    /// Whether it may set `errno`, which lies in the outside region; that alone does
    /// not put the region into `writes`.
    pub errno: bool,
    /// Whether it may make heap objects.
    pub allocates: bool,
    /// Whether it may free some.
    pub frees: bool,
    /// Whether the run may end in it by a trap.
    pub may_trap: bool,
    /// Whether it may not come back for another reason: it loops, recurses, exits, or
    /// calls what may.
    pub may_not_return: bool,
}

impl ProcedureEffects {
    /// Whether a call that is not used can be left out: nothing is written, told or
    /// allocated, and it always comes back.
    pub fn is_removable(&self) -> bool {
        self.writes.is_empty()
            && !self.world
            && !self.errno
            && !self.allocates
            && !self.frees
            && !self.may_trap
            && !self.may_not_return
    }

    /// Does what another does, too.
    pub fn extend(&mut self, other: &ProcedureEffects) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.world |= other.world;
        self.errno |= other.errno;
        self.allocates |= other.allocates;
        self.frees |= other.frees;
        self.may_trap |= other.may_trap;
        self.may_not_return |= other.may_not_return;
    }
}

/// Which procedures an unknown external may call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Callers {
    /// Those whose address is taken and those with external linkage: the program may be a part
    /// of a larger one, whose other parts call it by name.
    #[default]
    ByName,
    /// Those whose address is taken: the program is complete, all else is libraries.
    ByAddress,
}

/// The effects of all procedures of some programs.
#[derive(Clone, Debug)]
pub struct Effects {
    sides: Vec<SideEffects>,
}

#[derive(Clone, Debug)]
struct SideEffects {
    graph: CallGraph,
    components: Vec<ProcedureEffects>,
    component_of: Vec<usize>,
}

impl Effects {
    /// The effects of the procedures of these programs, whose regions are known.
    pub fn analyse(programs: &[&Program], regions: &Regions, callers: Callers) -> Effects {
        let side = |(side, program): (Side, &&Program)| {
            let graph = CallGraph::of(program);
            let (components, component_of) =
                Walk { program, regions, side, graph: &graph }.side(callers);
            SideEffects { graph, components, component_of }
        };
        Effects { sides: Side::BOTH.into_iter().zip(programs).map(side).collect() }
    }

    /// What a procedure may do, with all that it calls.
    pub fn of(&self, side: Side, procedure: ProcId) -> &ProcedureEffects {
        self.node(side, procedure.index())
    }

    /// What a call of an unknown external function may do.
    pub fn of_unknown(&self, side: Side) -> &ProcedureEffects {
        self.node(side, self.sides[side.index()].component_of.len() - 1)
    }

    /// What a call in a procedure may do, the callees included.
    pub fn of_call(
        &self,
        program: &Program,
        regions: &Regions,
        side: Side,
        procedure: ProcId,
        callee: &Callee,
        args: &[Expr],
    ) -> ProcedureEffects {
        let walk = Walk { program, regions, side, graph: &self.sides[side.index()].graph };
        let mut effects = ProcedureEffects::default();
        let mut edges = vec![];
        walk.call(procedure, callee, args, &mut effects, &mut edges);
        for edge in edges {
            effects.extend(match edge {
                Edge::Procedure(id) => self.of(side, id),
                Edge::Unknown => self.of_unknown(side),
            });
        }
        effects
    }

    fn node(&self, side: Side, node: usize) -> &ProcedureEffects {
        let side = &self.sides[side.index()];
        &side.components[side.component_of[node]]
    }
}

/// What a call leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    Procedure(ProcId),
    Unknown,
}

struct Walk<'a> {
    program: &'a Program,
    regions: &'a Regions,
    side: Side,
    graph: &'a CallGraph,
}

impl Walk<'_> {
    /// The effects of each component of the call graph, and the component of each procedure
    /// and (last) of the outside.
    fn side(&self, callers: Callers) -> (Vec<ProcedureEffects>, Vec<usize>) {
        let count = self.program.procedures.len();
        let unknown = NodeIndex::new(count);
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        for _ in 0..=count {
            graph.add_node(());
        }
        let mut own: Vec<ProcedureEffects> = vec![];
        for id in self.program.procedure_ids() {
            let mut edges = vec![];
            own.push(self.procedure(id, &mut edges));
            edges.sort_unstable();
            edges.dedup();
            for edge in edges {
                let to = match edge {
                    Edge::Procedure(callee) => NodeIndex::new(callee.index()),
                    Edge::Unknown => unknown,
                };
                graph.add_edge(NodeIndex::new(id.index()), to, ());
            }
            let exported = self.program.procedure(id).linkage == Linkage::External;
            let taken = self.graph.address_taken().binary_search(&id).is_ok();
            if taken || (exported && callers == Callers::ByName) {
                graph.add_edge(unknown, NodeIndex::new(id.index()), ());
            }
        }
        own.push(self.unknown());
        let mut components: Vec<ProcedureEffects> = vec![];
        let mut component_of = vec![0; count + 1];
        // Callees come first.
        for members in kosaraju_scc(&graph) {
            let mut effects = ProcedureEffects::default();
            let several = members.len() > 1;
            for member in &members {
                component_of[member.index()] = components.len();
            }
            for member in &members {
                effects.extend(&own[member.index()]);
                for callee in graph.neighbors(*member) {
                    match component_of[callee.index()] {
                        same if same == components.len() => effects.may_not_return = true,
                        other => effects.extend(&components[other]),
                    }
                }
            }
            effects.may_not_return |= several;
            components.push(effects);
        }
        (components, component_of)
    }

    /// What the outside does by itself.
    fn unknown(&self) -> ProcedureEffects {
        let mut outside = RegionSet::default();
        outside.insert(self.regions.outside());
        ProcedureEffects {
            reads: outside.clone(),
            writes: outside,
            world: true,
            errno: true,
            allocates: true,
            frees: true,
            may_trap: true,
            may_not_return: true,
        }
    }

    fn procedure(&self, id: ProcId, edges: &mut Vec<Edge>) -> ProcedureEffects {
        let procedure = self.program.procedure(id);
        let mut effects = ProcedureEffects::default();
        if procedure.blocks.is_empty() {
            edges.push(Edge::Unknown);
            if procedure.opaque.is_none() {
                // Nobody knows what it calls, by name or not.
                edges.extend(self.program.procedure_ids().map(Edge::Procedure));
            }
            let sites = self.graph.sites(id).iter();
            edges.extend(sites.filter_map(|site| match site.target {
                CallTarget::Procedure(callee) => Some(Edge::Procedure(callee)),
                _ => None,
            }));
        }
        for block in &procedure.blocks {
            for stmt in &block.stmts {
                self.statement(id, procedure, &stmt.kind, &mut effects, edges);
            }
            effects.may_trap |= matches!(block.end.kind, TerminatorKind::Trap(_));
        }
        effects.may_not_return |= !procedure.blocks.is_empty() && has_cycle(procedure);
        effects
    }

    fn statement(
        &self,
        id: ProcId,
        procedure: &Procedure,
        kind: &StmtKind,
        effects: &mut ProcedureEffects,
        edges: &mut Vec<Edge>,
    ) {
        match kind {
            StmtKind::Load { dst, addr, align, access } => {
                effects.world |= *access == Access::Volatile;
                self.read(id, addr, effects);
                let width = procedure.var(*dst).ty.bytes();
                let safe = self.inside(procedure, addr, width, *align);
                // A local may hold nothing yet.
                effects.may_trap |= !matches!(safe, Some(ObjectKind::Global { .. }));
            }
            StmtKind::Store { addr, value, align, access } => {
                effects.world |= *access == Access::Volatile;
                self.write(id, addr, effects);
                let width = procedure.type_of(value).bytes();
                let safe = self.inside(procedure, addr, width, *align);
                effects.may_trap |= !matches!(
                    safe,
                    Some(ObjectKind::Local | ObjectKind::Global { constant: false })
                );
            }
            StmtKind::Copy { dst, src, access, .. } => {
                effects.world |= *access == Access::Volatile;
                self.read(id, src, effects);
                self.write(id, dst, effects);
                effects.may_trap = true;
            }
            StmtKind::Fill { dst, access, .. } => {
                effects.world |= *access == Access::Volatile;
                self.write(id, dst, effects);
                effects.may_trap = true;
            }
            StmtKind::Call { callee, args, .. } => self.call(id, callee, args, effects, edges),
            StmtKind::Check { cond, trap } => {
                let holds = cond.as_const().is_some_and(|c| c.bits != 0);
                effects.may_trap |= !holds || *trap == Trap::TrapInstruction;
            }
            StmtKind::CheckInit { .. } => effects.may_trap = true,
            StmtKind::Hole { .. } => edges.push(Edge::Unknown),
            StmtKind::Assign { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::SaveStack { .. }
            | StmtKind::RestoreStack { .. } => {}
        }
    }

    fn read(&self, id: ProcId, address: &Expr, effects: &mut ProcedureEffects) {
        self.note(id, address, &mut effects.reads);
    }

    fn write(&self, id: ProcId, address: &Expr, effects: &mut ProcedureEffects) {
        self.note(id, address, &mut effects.writes);
    }

    fn note(&self, id: ProcId, address: &Expr, set: &mut RegionSet) {
        let region = self.regions.region_of(self.side, id, address);
        if self.regions.info(region).private_to.is_none() {
            set.insert(region);
        }
    }

    fn call(
        &self,
        id: ProcId,
        callee: &Callee,
        args: &[Expr],
        effects: &mut ProcedureEffects,
        edges: &mut Vec<Edge>,
    ) {
        match callee {
            Callee::Procedure(callee) => edges.push(Edge::Procedure(*callee)),
            Callee::External(external) => self.external(id, *external, args, effects, edges),
            Callee::Indirect { signature, .. } => {
                let targets = self.graph.indirect_targets(signature);
                edges.extend(targets.iter().map(|target| Edge::Procedure(*target)));
                edges.push(Edge::Unknown);
            }
        }
    }

    fn external(
        &self,
        id: ProcId,
        external: ExternId,
        args: &[Expr],
        effects: &mut ProcedureEffects,
        edges: &mut Vec<Edge>,
    ) {
        let external = self.program.external(external);
        effects.may_not_return |= external.no_return;
        effects.may_trap |= self.program.weak_undefined.contains(&external.name);
        if external.kind == ExternalKind::PureIntrinsic {
            return;
        }
        match libc::known_external(external) {
            // What runs when the process ends may look at everything.
            Some(known) if known.runs_handlers() && self.program.runs_at_exit() => {
                effects.may_not_return = true;
                edges.push(Edge::Unknown);
            }
            Some(known) => self.known(id, known, args, effects, edges),
            None => edges.push(Edge::Unknown),
        }
    }

    fn known(
        &self,
        id: ProcId,
        known: &FunctionModel,
        args: &[Expr],
        effects: &mut ProcedureEffects,
        edges: &mut Vec<Edge>,
    ) {
        let outside = self.regions.outside();
        let touched = libc::touched(known, self.program, args);
        touched.reads.iter().for_each(|n| self.read(id, &args[*n], effects));
        touched.writes.iter().for_each(|n| self.write(id, &args[*n], effects));
        if known.hidden != Hidden::Untouched {
            effects.reads.insert(outside);
        }
        if known.hidden == Hidden::Writes && known.ends != Ends::Never {
            effects.writes.insert(outside);
        }
        effects.errno |= known.errno;
        effects.world |= known.world;
        effects.allocates |= known.allocates;
        effects.frees |= known.frees.is_some();
        effects.may_trap |= !touched.reads.is_empty()
            || !touched.writes.is_empty()
            || known.frees.is_some()
            || matches!(known.model, Some(Model::Abort | Model::AssertFail));
        effects.may_not_return |= known.ends != Ends::Always;
        // `realloc` moves what was there.
        if let (Some(n), true) = (known.frees, known.allocates)
            && let Some(arg) = args.get(n)
        {
            self.read(id, arg, effects);
            self.write(id, arg, effects);
        }
        for n in &known.calls_back {
            match args.get(*n) {
                Some(Expr::Address(Address::Procedure(callee))) => {
                    edges.push(Edge::Procedure(*callee));
                }
                _ => edges.push(Edge::Unknown),
            }
        }
        // The handlers that were registered before. What they do to memory nobody sees, but what
        // they tell the world may come from anywhere.
        if matches!(known.name.as_str(), "exit" | "quick_exit") && self.has_handlers() {
            edges.push(Edge::Unknown);
        }
    }

    /// Whether the program registers functions to be called at exit.
    fn has_handlers(&self) -> bool {
        let registers = ["atexit", "on_exit", "at_quick_exit", "__cxa_atexit"];
        self.program.externals.iter().any(|e| registers.contains(&e.name.as_str()))
    }

    /// The object an access certainly lies in, at an address that is certainly aligned.
    fn inside(
        &self,
        procedure: &Procedure,
        addr: &Expr,
        width: u64,
        align: u32,
    ) -> Option<ObjectKind> {
        let (target, offset) = named_address(addr)?;
        let (place, size, object_align) = match target {
            Address::Global(id) => {
                let global = self.program.global(id);
                (ObjectKind::Global { constant: global.constant }, global.size, global.align)
            }
            Address::Local(id) => {
                let local = procedure.local(id);
                (ObjectKind::Local, local.size, local.align)
            }
            Address::Procedure(_) | Address::External(_) => return None,
        };
        let align = u64::from(align.max(1));
        let aligned = u64::from(object_align) % align == 0 && offset % align == 0;
        (aligned && offset.checked_add(width)? <= size).then_some(place)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ObjectKind {
    Local,
    Global { constant: bool },
}

fn named_address(addr: &Expr) -> Option<(Address, u64)> {
    match addr {
        Expr::Address(address) => Some((*address, 0)),
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, rhs, .. } => {
            let (address, offset) = named_address(lhs)?;
            let step = i64::try_from(rhs.as_const()?.signed()).ok()?;
            Some((address, offset.checked_add_signed(step)?))
        }
        _ => None,
    }
}

/// Whether some block can be reached from itself.
fn has_cycle(procedure: &Procedure) -> bool {
    let flow = Flow::of(procedure);
    // In reverse postorder every edge that closes a cycle goes backwards.
    flow.reverse_postorder().iter().any(|block| {
        let at = flow.position(*block);
        flow.successors(*block).iter().any(|next| flow.position(*next) <= at)
    })
}
