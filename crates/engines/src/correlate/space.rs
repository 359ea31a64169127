//! The variables of both versions as slots of one state.

use super::Precision;
use super::flow::{FlowEnd, Location, Locations};
use std::collections::BTreeMap;
use std::rc::Rc;
use verdiff_judge::{Changed, Comparison, PairId};
use verdiff_model::{
    Address, Callee, Expr, LocalId, ProcId, Procedure, Program, Side, StmtKind, Type, VarId,
    VarKind,
};
use verdiff_polyhedra::Var;
use verdiff_product::Facts;
use verdiff_symex::libc::{FunctionModel, Hidden, Returns, known_external};

/// Where a value is kept.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub side: Side,
    pub kind: SlotKind,
    pub name: String,
    /// How many bits; 64 for what is no number.
    pub width: u16,
    /// Its dimension of the polyhedra, for integers of at most 64 bits.
    pub dimension: Option<Var>,
    /// The slot of the other version with the same name and type.
    pub partner: Option<usize>,
}

/// What is kept in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    Variable(VarId),
    /// All memory but private objects.
    Memory,
    /// A local object whose address is used for nothing but access.
    Object(LocalId),
    World,
    Result(usize),
}

/// One version of the pair.
pub(super) struct Version<'c> {
    pub program: &'c Program,
    pub procedure: &'c Procedure,
    pub locations: Locations,
    variables: Vec<usize>,
    objects: BTreeMap<LocalId, usize>,
    pub memory: usize,
    pub world: usize,
    pub results: Vec<usize>,
}

impl Version<'_> {
    /// The slot of a variable.
    pub fn variable(&self, id: VarId) -> usize {
        self.variables[id.index()]
    }

    /// The slot of the memory that an access at this address is in.
    pub fn region(&self, address: &Expr) -> usize {
        let base = match address {
            Expr::Binary { op: verdiff_model::BinaryOp::PtrAdd, lhs, .. } => lhs,
            other => other,
        };
        match base {
            Expr::Address(Address::Local(id)) => {
                self.objects.get(id).copied().unwrap_or(self.memory)
            }
            _ => self.memory,
        }
    }
}

/// Both versions, their slots and what is known of their callees.
pub(super) struct Space<'c> {
    pub comparison: &'c Comparison,
    pub pair: PairId,
    pub facts: &'c Rc<Facts>,
    pub slots: Vec<Slot>,
    pub versions: [Version<'c>; 2],
    /// The entry values of parameters: their names and dimensions.
    pub entries: Vec<(String, Var, u16)>,
    pub dimensions: usize,
    /// Whether calls of the pair itself are taken for equal: the hypothesis of an induction.
    pub induction: bool,
    /// How precise numbers are.
    pub precision: Precision,
    /// Whether functions that unknown code may call back are the same in both versions.
    same_callbacks: bool,
}

/// What a call does, as far as a state shows it.
pub(super) struct CallEffect {
    /// The name of the functions it applies.
    pub name: String,
    pub reads: bool,
    pub writes: bool,
    pub world: bool,
    /// Whether it only reads through its arguments.
    pub through_arguments: bool,
    pub returns: bool,
}

impl<'c> Space<'c> {
    /// The slots of a pair.
    pub fn of(
        facts: &'c Rc<Facts>,
        pair: PairId,
        induction: bool,
        precision: Precision,
    ) -> Space<'c> {
        let comparison: &'c Comparison = facts.comparison();
        let mut slots: Vec<Slot> = vec![];
        let mut dimensions = 0;
        let mut version = |side: Side| {
            let procedure = comparison.procedure(pair, side);
            let mut add = |kind: SlotKind, name: String, ty: Option<Type>| {
                let number = matches!(ty, Some(Type::Int(width)) if width <= 64);
                let dimension = number.then(|| {
                    dimensions += 1;
                    Var(dimensions - 1)
                });
                let width = ty.map_or(64, |ty| ty.width().min(64));
                slots.push(Slot { side, kind, name, width, dimension, partner: None });
                slots.len() - 1
            };
            let variables = (0..procedure.vars.len()).map(VarId::new).map(|id| {
                let var = procedure.var(id);
                add(SlotKind::Variable(id), var.name.clone(), Some(var.ty))
            });
            let variables = variables.collect();
            let private = private_objects(procedure).into_iter();
            let objects = private
                .map(|id| (id, add(SlotKind::Object(id), procedure.local(id).name.clone(), None)))
                .collect();
            let memory = add(SlotKind::Memory, "memory".to_owned(), None);
            let world = add(SlotKind::World, "outputs so far".to_owned(), None);
            let results = procedure.results.iter().enumerate();
            let results = results
                .map(|(at, ty)| add(SlotKind::Result(at), "return value".to_owned(), Some(*ty)))
                .collect();
            let outputs = |callee: &Callee| facts.is_output(side, callee);
            let locations = Locations::of(procedure, &outputs);
            let program = comparison.program(side);
            Version { program, procedure, locations, variables, objects, memory, world, results }
        };
        let versions = Side::BOTH.map(&mut version);
        let old = &versions[0];
        let mut entries = vec![];
        for id in &old.procedure.params {
            let var = old.procedure.var(*id);
            if let Type::Int(width) = var.ty
                && width <= 64
            {
                entries.push((var.name.clone(), Var(dimensions), width));
                dimensions += 1;
            }
        }
        pair_up(&mut slots, &versions);
        let same_callbacks = comparison.pair_ids().all(|id| {
            let pair = comparison.pair(id);
            pair.changed == Changed::No
                || !Side::BOTH
                    .iter()
                    .any(|side| is_pointed_to(comparison.program(*side), pair.of(*side)))
        });
        Space {
            precision,
            comparison,
            pair,
            facts,
            slots,
            versions,
            entries,
            dimensions,
            induction,
            same_callbacks,
        }
    }

    /// One version.
    pub fn version(&self, side: Side) -> &Version<'c> {
        &self.versions[side.index()]
    }

    /// Whether a slot is a variable of the source.
    pub fn is_named(&self, slot: usize) -> bool {
        let Slot { side, kind, .. } = &self.slots[slot];
        match kind {
            SlotKind::Variable(id) => {
                self.version(*side).procedure.var(*id).kind != VarKind::Temporary
            }
            SlotKind::Result(_) => true,
            _ => false,
        }
    }

    /// Whether a slot matters at a location: a variable that may be read from there on, memory, the world.
    pub fn is_live(&self, slot: usize, at: Location) -> bool {
        let Slot { side, kind, .. } = &self.slots[slot];
        let version = self.version(*side);
        match (kind, &version.locations.steps[at].kind) {
            (SlotKind::Variable(id), super::flow::StepKind::Code { block, from, .. }) => {
                *from > 0 || version.locations.liveness.is_live_in(*block, *id)
            }
            (SlotKind::Variable(_), super::flow::StepKind::End(_)) => false,
            (SlotKind::Result(_), _) => version.locations.end(at) == Some(FlowEnd::Return),
            (SlotKind::Object(_), _) => version.locations.end(at).is_none(),
            (SlotKind::Memory, _) => {
                !matches!(version.locations.end(at), Some(FlowEnd::Exit | FlowEnd::Trap(_)))
            }
            (SlotKind::World, _) => true,
        }
    }

    /// A name for an object or function that means the same in both versions, or is private to one.
    pub fn address_name(&self, side: Side, address: &Address) -> String {
        let comparison = self.comparison;
        let program = comparison.program(side);
        match address {
            Address::Global(id) => {
                let global = program.global(*id);
                let other = comparison.global_in_other(side, *id);
                // What never changes has each version's own contents; so has everything where main begins.
                let fixed = global.constant || comparison.pair(self.pair).function == "main";
                let same = other.is_some_and(|other| {
                    !fixed
                        || comparison.contents_of(side, *id)
                            == comparison.contents_of(side.other(), other)
                });
                let kind = if global.constant { "constant" } else { "global" };
                match same {
                    true if global.is_literal() => {
                        format!("{kind} {:x}", comparison.contents_of(side, *id))
                    }
                    true => format!("{kind} {} {:?}", global.identity(), global.owner),
                    false => format!("{side:?} {kind} {}", id.0),
                }
            }
            Address::Procedure(id) => match comparison.pair_of(side, *id) {
                Some(pair) => format!("function {}", pair.0),
                None => format!("{side:?} function {}", id.0),
            },
            Address::External(id) => format!("external {}", program.external(*id).name),
            Address::Local(id) => {
                let local = self.version(side).procedure.local(*id);
                let same = |version: &Version<'_>| {
                    let all = version.procedure.locals.iter();
                    all.filter(|other| other.name == local.name && other.size == local.size).count()
                        == 1
                };
                match self.versions.iter().all(same) {
                    true => format!("local {}", local.name),
                    false => format!("{side:?} local {}", id.0),
                }
            }
        }
    }

    /// What a call does.
    pub fn call_effect(&self, side: Side, callee: &Callee) -> CallEffect {
        let private = |name: String| format!("{side:?} {name}");
        match callee {
            Callee::External(id) => {
                let external = self.version(side).program.external(*id);
                let known = known_external(external);
                let alike = match known {
                    Some(known) => known.calls_back.is_empty() || self.same_callbacks,
                    None => self.same_callbacks,
                };
                CallEffect {
                    name: if alike {
                        external.name.clone()
                    } else {
                        private(external.name.clone())
                    },
                    reads: known
                        .is_none_or(|known| !known.reads.is_empty() || !known.does_nothing()),
                    writes: known.is_none_or(writes),
                    world: known
                        .is_none_or(|known| known.world || known.hidden != Hidden::Untouched),
                    through_arguments: known.is_some_and(|known| {
                        known.hidden == Hidden::Untouched
                            && known.calls_back.is_empty()
                            && known.keeps.is_empty()
                    }),
                    returns: !external.no_return
                        && known.is_none_or(|k| k.ends != verdiff_symex::libc::Ends::Never),
                }
            }
            Callee::Procedure(id) => {
                let pair = self.comparison.pair_of(side, *id);
                let same = |pair: &PairId| {
                    let changed = self.comparison.pair(*pair).changed;
                    changed == Changed::No || (self.induction && *pair == self.pair)
                };
                let effects = self.facts.written().effects(side, *id);
                CallEffect {
                    name: match pair.filter(same) {
                        Some(pair) => format!("pair {}", pair.0),
                        None => private(format!("procedure {}", id.0)),
                    },
                    reads: !effects.reads.is_empty(),
                    writes: !effects.writes.is_empty()
                        || effects.errno
                        || effects.allocates
                        || effects.frees,
                    world: effects.world,
                    through_arguments: false,
                    returns: true,
                }
            }
            Callee::Indirect { .. } => CallEffect {
                name: if self.same_callbacks {
                    "indirect".to_owned()
                } else {
                    private("indirect".to_owned())
                },
                reads: true,
                writes: true,
                world: true,
                through_arguments: false,
                returns: true,
            },
        }
    }
}

fn writes(known: &FunctionModel) -> bool {
    !known.writes.is_empty()
        || !known.stores.is_empty()
        || known.frees.is_some()
        || known.allocates
        || known.errno
        || !known.calls_back.is_empty()
        || known.hidden == Hidden::Writes
        || known.returns == Returns::Outside
}

/// Slots of both versions that mean the same: by kind, name and type, and by order among those of one name.
fn pair_up(slots: &mut [Slot], versions: &[Version<'_>; 2]) {
    let key = |slot: &Slot| {
        let version = &versions[slot.side.index()];
        let (kind, ty) = match slot.kind {
            SlotKind::Variable(id) if version.procedure.var(id).kind == VarKind::Temporary => {
                return None;
            }
            SlotKind::Variable(id) => (0, Some(version.procedure.var(id).ty)),
            SlotKind::Memory => (1, None),
            SlotKind::Object(_) => (2, None),
            SlotKind::World => (3, None),
            SlotKind::Result(at) => (4 + at, Some(version.procedure.results[at])),
        };
        Some((kind, slot.name.clone(), ty))
    };
    let mut found: BTreeMap<_, [Vec<usize>; 2]> = BTreeMap::new();
    for (at, slot) in slots.iter().enumerate() {
        if let Some(key) = key(slot) {
            found.entry(key).or_default()[slot.side.index()].push(at);
        }
    }
    // Parameters belong together by position, whatever they are called.
    let parameters = versions[0].procedure.params.iter().zip(&versions[1].procedure.params);
    let parameters = parameters.map(|(a, b)| (versions[0].variable(*a), versions[1].variable(*b)));
    let named = found.values().flat_map(|[old, new]| old.iter().copied().zip(new.iter().copied()));
    let all: Vec<(usize, usize)> = parameters.chain(named).collect();
    for (old, new) in all {
        if slots[old].partner.is_none()
            && slots[new].partner.is_none()
            && slots[old].width == slots[new].width
        {
            slots[old].partner = Some(new);
            slots[new].partner = Some(old);
        }
    }
}

/// The local objects whose address is used for nothing but loads and stores: nothing else can reach them.
fn private_objects(procedure: &Procedure) -> Vec<LocalId> {
    let mut private = vec![true; procedure.locals.len()];
    let mut mark = |e: &Expr| {
        e.walk(&mut |part| {
            if let Expr::Address(Address::Local(id)) = part {
                private[id.index()] = false;
            }
        });
    };
    for block in &procedure.blocks {
        for stmt in &block.stmts {
            let (address, others): (Option<&Expr>, Vec<&Expr>) = match &stmt.kind {
                StmtKind::Load { addr, .. } => (Some(addr), vec![]),
                StmtKind::Store { addr, value, .. } => (Some(addr), vec![value]),
                other => (None, other.exprs()),
            };
            match address {
                Some(Expr::Binary { op: verdiff_model::BinaryOp::PtrAdd, lhs, rhs, .. })
                    if matches!(**lhs, Expr::Address(Address::Local(_))) =>
                {
                    mark(rhs);
                }
                Some(Expr::Address(Address::Local(_))) | None => {}
                Some(other) => mark(other),
            }
            others.into_iter().for_each(&mut mark);
        }
        block.end.kind.exprs().into_iter().for_each(&mut mark);
    }
    (0..private.len()).filter(|at| private[*at]).map(LocalId::new).collect()
}

/// Whether the address of a procedure is used for anything but a direct call.
fn is_pointed_to(program: &Program, id: ProcId) -> bool {
    let in_code = program.procedures.iter().any(|procedure| {
        let stmts = procedure.blocks.iter().flat_map(|block| {
            block.stmts.iter().flat_map(|stmt| stmt.kind.exprs()).chain(block.end.kind.exprs())
        });
        let mut found = !procedure.is_supported();
        for e in stmts {
            e.walk(&mut |part| {
                found |= matches!(part, Expr::Address(Address::Procedure(there)) if *there == id)
            });
        }
        found
    });
    let is_it = |target: &Address| matches!(target, Address::Procedure(there) if *there == id);
    let mut inits = program.globals.iter().filter_map(|global| global.init.as_ref());
    in_code
        || program.hidden_initialisers
        || program.assembly
        || inits.any(|init| init.relocations.iter().any(|relocation| is_it(&relocation.target)))
}
