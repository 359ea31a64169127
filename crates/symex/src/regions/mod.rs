//! Memory split into regions, once for both versions.
//!
//! A region is a set of objects such that every pointer of either program leads into one
//! region only. So memory can be one array for each region: a store to one leaves all others as
//! they are. The analysis is Steensgaard's, by unification, with fields at constant offsets told apart
//! (as in Lattner's data structure analysis): it looks at no order of
//! statements, and takes time close to linear in the size of the programs.
//!
//! # Why it is sound
//!
//! Everything that can hold an address has one *target*: a region and a position in it
//! (`points.rs`). The following is kept at every step of every run that starts at an entry: **if the
//! value of a variable is (or holds a part of) an address within an object, the object lies in the
//! region of the variable's target, and if it is all of an address, then at the target's
//! position, modulo the stride. The same holds for what lies at each position of each object.**
//!
//! * *At the entry.* Parameters of entries, memory that outsiders can reach, and what is in it
//!   all lead to one region, [`Regions::outside`], whose contents lead to itself. So entry
//!   pointers may be equal to each other, and may lead to every global with external linkage
//!   and to every object whose address ever left the program. Numbers are no exception: a
//!   parameter of any type may carry an address. An object that is not in
//!   that region is one whose address never left the program, in any run of any of its
//!   procedures, so that nobody outside can have it. The contents of an internal global
//!   are what its initialiser and the stores of the program put there; entry states in which
//!   they are something else do not occur in any run of the whole program.
//! * *Assignments, parameters, results, loads and stores* join the targets of both sides. Copies join
//!   what lies in both objects, position by position.
//!   Numbers are followed as pointers are: through all casts and all integer operators, at every
//!   width, since an address may be copied byte by byte; whatever is more than adding a constant to
//!   64 bits makes the position unknown. A comparison, a count of
//!   bits or a float sum is no address. The difference of two pointers is none either; the two are
//!   joined, so adding it to one of them stays in their region.
//! * *Address plus offset* points to where the address does, whatever the offset is: a C
//!   pointer must stay within its object. An access that leaves it is
//!   [`OutOfBounds`](verdiff_model::Trap::OutOfBounds); who executes an access in a region has
//!   to check that it hits an object of this region.
//! * *External functions* that nothing is known of may keep all they are given and return
//!   anything: both are joined with the outside. What `libc.toml` says of the others is believed. A
//!   procedure that could not be lowered is such a function, too, and may besides know the
//!   statics of its file.
//! * *Calls through pointers* reach every procedure whose address is taken and whose types
//!   match, and the outside. A procedure whose address is taken is always an entry.
//! * *A number used as an address* that no address flowed into (a device's register) is in the
//!   outside: a region without an object that is accessed is joined with it.
//!
//! What is not followed is information that moves without data: an address told by branches
//! or by a table lookup, bit by bit, or guessed. A pointer made from it is taken to lead
//! where the data flow says, or outside.
//!
//! # What is equal in both versions
//!
//! Globals with the same name are one object here (see `names.rs`), and so are locals of the same
//! procedure with the same name and rank, and the n-th allocation by the same function in the
//! same procedure; parameters and results are joined by position. Region ids and names
//! mean the same in both versions. None of this matters for soundness, only for what can be proved.

mod calls;
mod cells;
mod collect;
mod names;
mod points;
mod private;
mod value;

use points::{Holder, Points, Target};
use std::fmt;
use value::Leaf;
use verdiff_model::{Expr, GlobalId, LocalId, ProcId, Program, Side, VarId};

/// A region.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionId(u32);

impl RegionId {
    /// The outside region.
    pub const OUTSIDE: RegionId = RegionId(0);

    /// The position among all regions.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(crate) fn new(index: usize) -> RegionId {
        RegionId(u32::try_from(index).expect("fewer than 2^32 regions"))
    }
}

impl fmt::Debug for RegionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "region{}", self.0)
    }
}

/// What the cells of a region's array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cell {
    /// Bytes.
    Bytes,
    /// Words of so many bytes (2, 4, 8 or 16). Every load and store of either program in the region has
    /// this width and at least this alignment; every copy and fill has a constant length
    /// that is a multiple of it, at such an alignment; no known external function reads or
    /// writes there; every known object there has at least this alignment, so that initialisers
    /// can be regrouped. A misaligned access traps, so words by address are exact. An
    /// unknown external may still change a region of words: all of it at once.
    Words(u32),
}

impl Cell {
    /// How many bytes a cell has.
    pub fn bytes(self) -> u32 {
        match self {
            Cell::Bytes => 1,
            Cell::Words(bytes) => bytes,
        }
    }
}

/// What is known of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionInfo {
    /// What its array holds.
    pub cell: Cell,
    /// Whether callers of entries or external functions can reach it. Exactly one region is so.
    pub outside: bool,
    /// Whether it holds only locals of one procedure, and each running instance
    /// of the procedure has its own that nobody else can reach: new at entry, gone at return, not
    /// visible to callees, recursive calls included.
    pub locals_only: bool,
    /// As `locals_only`, for a region that may hold allocated objects as well: nobody but the
    /// instance of this procedure that made the objects can ever reach them.
    pub private_to: Option<String>,
    /// Whether it holds objects that are allocated at run time, by `malloc` and the like.
    pub heap: bool,
    /// Whether all its objects are globals that may never be written.
    pub constant: bool,
    /// A name that is the same in both versions and unique among regions.
    pub name: String,
    /// The names of all its objects, in order; none of those that only the outside knows.
    pub objects: Vec<String>,
    /// The regions that addresses lying in it may lead to, in order.
    pub contents: Vec<RegionId>,
}

/// What the analysis may assume.
pub struct RegionOptions<'a> {
    /// Whether a procedure (of which program, which) may be called from outside with any
    /// arguments, or may be looked at on its own. Procedures whose address is taken always are.
    pub is_entry: &'a dyn Fn(usize, ProcId) -> bool,
}

/// The regions of some programs.
#[derive(Clone, Debug)]
pub struct Regions {
    points: Points,
    /// For each region of `points`, its number here; those without objects have none.
    region: Vec<Option<RegionId>>,
    infos: Vec<RegionInfo>,
    sides: Vec<SideHolders>,
}

/// What has a name in a program.
#[derive(Clone, Debug, Default)]
struct SideHolders {
    globals: Vec<Target>,
    procedures: Vec<ProcHolders>,
}

#[derive(Clone, Debug, Default)]
struct ProcHolders {
    vars: Vec<Holder>,
    locals: Vec<Target>,
    results: Vec<Holder>,
}

impl Regions {
    /// The regions in which memories are compared, but for those that `hidden` says nobody can look into: number, bytes of a
    /// cell, name.
    pub fn visible(&self, hidden: impl Fn(&RegionInfo) -> bool) -> Vec<(usize, u32, String)> {
        self.ids()
            .map(|r| (r.index(), self.info(r)))
            .filter(|(_, info)| !hidden(info))
            .map(|(index, info)| (index, info.cell.bytes(), info.name.clone()))
            .collect()
    }

    /// The regions of these programs together, where every procedure may be an entry but those
    /// that were outlined from others. Of those from which a part of unsupported code was outlined the calls are not seen.
    pub fn analyse(programs: &[&Program]) -> Regions {
        let is_entry = |side: usize, id: ProcId| {
            let from = programs[side].procedure(id).outlined_from;
            from.is_none_or(|from| !programs[side].procedure(from).is_supported())
        };
        Regions::analyse_with(programs, &RegionOptions { is_entry: &is_entry })
    }

    /// The regions of these programs together.
    pub fn analyse_with(programs: &[&Program], options: &RegionOptions<'_>) -> Regions {
        collect::Collector::run(programs, options)
    }

    /// How many regions there are; at least one.
    pub fn len(&self) -> usize {
        self.infos.len()
    }

    /// Never: there is always an outside.
    pub fn is_empty(&self) -> bool {
        self.infos.is_empty()
    }

    /// All regions.
    pub fn ids(&self) -> impl Iterator<Item = RegionId> + use<> {
        (0..self.infos.len()).map(RegionId::new)
    }

    /// The region of all that callers and external functions can reach.
    pub fn outside(&self) -> RegionId {
        RegionId::OUTSIDE
    }

    /// What is known of a region.
    pub fn info(&self, region: RegionId) -> &RegionInfo {
        &self.infos[region.index()]
    }

    /// The region with this name.
    pub fn named(&self, name: &str) -> Option<RegionId> {
        self.infos.iter().position(|info| info.name == name).map(RegionId::new)
    }

    /// Where an access through this pointer goes. The expression must be one that occurs in the
    /// procedure, or part of one: an expression that mixes pointers as the
    /// program never does is taken to lead outside.
    pub fn region_of(&self, side: Side, procedure: ProcId, pointer: &Expr) -> RegionId {
        let Some(names) = self.sides.get(side.index()) else { return self.outside() };
        let Some(owner) = names.procedures.get(procedure.index()) else { return self.outside() };
        let mut found: Option<RegionId> = None;
        let mut mixed = false;
        value::sources(pointer, &mut |leaf| {
            let target = match leaf {
                Leaf::Var(v) => owner.vars.get(v.index()).and_then(|v| self.points.known(*v)),
                Leaf::Global(g) => names.globals.get(g.index()).copied(),
                Leaf::Local(l) => owner.locals.get(l.index()).copied(),
            };
            // What points nowhere known (a number, a null pointer) goes where the rest does.
            if let Some(region) = target.and_then(|target| self.region(target)) {
                mixed |= found.is_some_and(|other| other != region);
                found = Some(region);
            }
        });
        found.filter(|_| !mixed).unwrap_or(self.outside())
    }

    /// The region that a variable points to.
    pub fn of_var(&self, side: Side, procedure: ProcId, var: VarId) -> RegionId {
        self.region_of(side, procedure, &Expr::Var(var))
    }

    /// The region that the addresses lead to which a variable may hold; `None` if it holds none that lead to an object.
    pub fn leads_to(&self, side: Side, procedure: ProcId, var: VarId) -> Option<RegionId> {
        let owner = self.sides.get(side.index())?.procedures.get(procedure.index())?;
        self.region(self.points.known(*owner.vars.get(var.index())?)?)
    }

    /// The region a global lies in.
    pub fn of_global(&self, side: Side, id: GlobalId) -> RegionId {
        let target = self.sides.get(side.index()).and_then(|side| side.globals.get(id.index()));
        target.and_then(|target| self.region(*target)).unwrap_or(self.outside())
    }

    /// The region a local object lies in.
    pub fn of_local(&self, side: Side, procedure: ProcId, id: LocalId) -> RegionId {
        let owner =
            self.sides.get(side.index()).and_then(|side| side.procedures.get(procedure.index()));
        let target = owner.and_then(|owner| owner.locals.get(id.index()));
        target.and_then(|target| self.region(*target)).unwrap_or(self.outside())
    }

    fn region(&self, target: Target) -> Option<RegionId> {
        self.region[self.points.region(target)]
    }
}
