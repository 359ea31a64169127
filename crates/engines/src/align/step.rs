//! One move at a node, executed: every pair of continuations of both sides.
//!
//! The execution starts from symbols for the variables of both sides and an array for each region of either side's
//! memory; what the invariant says of them is put in when a question is asked, so that a node is executed once.

use super::alignment::Move;
use super::cases::Case;
use super::contents::{ReadPlace, read_places};

use super::invariant::Terms;
use super::repeats::Passed;
use super::small_objects::Accesses;
use super::{Cut, CutPoint, Node};
use std::collections::BTreeMap;
use verdiff_judge::{Side, Task};
use verdiff_logic::{LogicError, Sort, TermId};
use verdiff_model::{ProcId, Type};
use verdiff_product::entry::valid_parameters;
use verdiff_product::plain::entry_of;
use verdiff_product::{Product, Start};
use verdiff_symex::entry::{Entry, world_sort};
use verdiff_symex::execute::{ExecutionLimits, Stop};
use verdiff_symex::memory::MemoryId;
use verdiff_symex::outcome::{Outcome, how};
use verdiff_symex::record::{AccessRecord, CallRecord, Log};

use verdiff_symex::space::Space;
use verdiff_symex::translate;

/// What executing one body may cost.
pub const LIMITS: ExecutionLimits = ExecutionLimits { terms: 200_000, depth: 32 };

/// The state of one side at a node.
#[derive(Clone, Debug)]
pub struct At {
    pub values: Vec<TermId>,
    pub flags: Vec<TermId>,
    pub memory: Vec<MemoryId>,
    /// The array of each region.
    pub arrays: Vec<TermId>,
    pub world: TermId,
}

/// How one side goes on.
#[derive(Clone, Debug)]
pub struct Continuation {
    pub when: TermId,
    pub place: CutPoint,
    pub values: Vec<TermId>,
    pub flags: Vec<TermId>,
    pub memory: Vec<MemoryId>,
    pub world: TermId,
    /// If the side has ended in this step.
    pub outcome: Option<Outcome>,
}

/// A pair of continuations.
pub struct Pairing {
    pub when: TermId,
    /// Where both are then.
    pub target: Node,
    pub values: [Vec<TermId>; 2],
    pub flags: [Vec<TermId>; 2],
    pub memory: [Vec<MemoryId>; 2],
    /// What must not be, whatever the invariant of the target says: outcomes or worlds that differ.
    pub wrong: TermId,
    /// Whether it stands for far accesses ([`small_objects`](super::small_objects)): only there they are not excluded.
    pub is_far: bool,
}

impl Pairing {
    /// The variables where both are then.
    pub fn terms(&self) -> Terms<'_> {
        Terms {
            values: [&self.values[0], &self.values[1]],
            flags: [&self.flags[0], &self.flags[1]],
        }
    }
}

/// A node, executed.
pub struct Step {
    pub at: [At; 2],
    pub pairings: Vec<Pairing>,
    /// What is known besides the invariant.
    pub given: Vec<TermId>,
    /// And that no access is far, where objects are taken to be below 2 GiB.
    pub near: Vec<TermId>,
    /// The places that each side reads.
    pub reads: Vec<ReadPlace>,
    /// The arrays of memories that it writes: what is stored may be read before, and computed.
    pub stored: Vec<TermId>,
}

impl Step {
    /// The variables at the node.
    pub fn terms(&self) -> Terms<'_> {
        let [old, new] = &self.at;
        Terms { values: [&old.values, &new.values], flags: [&old.flags, &new.flags] }
    }
}

/// What executions of the steps of one pair share.
pub struct Stepping<'c, 'a> {
    pub task: Task<'a>,
    pub cut: &'c Cut,
    pub product: Product<'c>,
    pub calls: Log<CallRecord>,
    /// The heads by the names of their functions.
    pub names: BTreeMap<String, (usize, ProcId)>,
    /// The entry states that are looked at.
    pub case: Case,
    /// The accesses, if objects are taken to be below 2 GiB.
    pub accesses: Option<Log<AccessRecord>>,
    /// Whether what the parameters were at the entry is spoken of, and states that no run comes to again.
    pub extended: bool,
    /// For each side, these states.
    pub passed: [Vec<Passed>; 2],
    /// What a recursive version is shown to return if it ends, over the parameters at the start ([`folds`](super::folds)).
    pub returned: [Option<TermId>; 2],
    /// What calls of the pair itself are recorded as, where it is a function in its own body.
    pub own_names: [Option<String>; 2],
}

impl Stepping<'_, '_> {
    /// Executes a move.
    pub fn step(&mut self, node: Node, chosen: Move, number: usize) -> Result<Step, Stop> {
        let mut given = vec![];
        let start = node == [CutPoint::Start, CutPoint::Start];
        let (entries, at) = self.entries(node, number, &mut given)?;
        // Of a call nothing is assumed.
        if start && !self.in_calls() {
            given.extend(valid_parameters(&mut self.product.space, &self.task, &entries[0])?);
            given.extend(self.product.preconditions(&entries[0])?);
            given.extend(self.case.term(&mut self.product.space, &entries[0].args)?);
        }
        let (lead, other) = (chosen.lead, 1 - chosen.lead);
        if !start && self.extended && !self.in_calls() && self.knows_of_entry() {
            given.extend(self.given_of_entry()?);
        }
        self.accesses_made();
        let leading = self.continuations(node, lead, 1, &entries, &at)?;
        let mut accesses = Accesses { leading: self.accesses_made(), ..Accesses::default() };
        let mut following: BTreeMap<usize, Vec<Continuation>> = BTreeMap::new();
        let mut pairings = vec![];
        let mut roots = vec![];
        for first in &leading {
            let steps = chosen.follows(node[lead], first.place);
            if let std::collections::btree_map::Entry::Vacant(place) = following.entry(steps) {
                place.insert(self.continuations(node, other, steps, &entries, &at)?);
                accesses.following.insert(steps, self.accesses_made());
            }
            for second in &following[&steps] {
                let sides = if lead == 0 { [first, second] } else { [second, first] };
                if let Some(pairing) = self.pairing(sides, &at)? {
                    roots.push(pairing.when);
                    roots.extend(pairing.values.iter().flatten());
                    pairings.push(pairing);
                }
            }
        }
        let followed = following.iter().filter(|(steps, _)| **steps > 0);
        let followed: Vec<&Continuation> = followed.flat_map(|(_, found)| found).collect();
        given.extend(self.not_again(node, lead, &leading.iter().collect::<Vec<_>>())?);
        given.extend(self.not_again(node, other, &followed)?);
        given.extend(self.product.space.axioms()?);
        given.extend(self.product.aligned_cells()?);
        let all = leading.iter().map(|next| (lead, next));
        let all = all.chain(following.values().flatten().map(|next| (other, next)));
        let near = self.near(node, &at, lead, &accesses, &all.collect::<Vec<_>>())?;
        let near = near.map_or_else(Vec::new, |near| {
            let truth = self.product.space.pool.truth();
            pairings.push(Pairing::of_far_accesses(&at, near.alone, truth));
            near.facts
        });
        let lemmas = self.product.space.lemmas().to_vec();
        given.extend(lemmas);
        let stored = self.stored(&pairings, &at)?;
        roots.extend(&stored);
        let mut reads = vec![];
        for (side, at) in at.iter().enumerate() {
            let arrays: Vec<(TermId, u32)> = at.arrays.iter().copied().zip(self.cells()).collect();
            let space = &self.product.space;
            reads.extend(read_places(space, side, &arrays, &at.values, &roots));
        }
        Ok(Step { at, pairings, given, near, reads, stored })
    }

    /// The arrays of memories that are not as they were.
    fn stored(&mut self, pairings: &[Pairing], at: &[At; 2]) -> Result<Vec<TermId>, LogicError> {
        let mut found = vec![];
        for pairing in pairings {
            for (memory, at) in pairing.memory.iter().zip(at) {
                for (after, _) in memory.iter().zip(&at.memory).filter(|(a, b)| a != b) {
                    found.push(self.product.space.to_array(*after)?);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    /// A place that is read, for people: the names of the variables that its address speaks of.
    pub fn place_text(&self, node: Node, at: &[At; 2], read: &ReadPlace) -> String {
        let pool = &self.product.space.pool;
        let names = pool.free_names(&[read.address]).symbols;
        let of = |symbol| at[read.side].values.iter().position(|v| *v == pool.symbol_term(symbol));
        let named: Vec<String> = names
            .into_iter()
            .filter_map(of)
            .map(|index| self.cut.variable(&self.task, read.side, node[read.side], index))
            .collect();
        format!("the element at {}", named.join(" and "))
    }

    /// Whether nothing is assumed of the states that the pair starts from.
    pub fn in_calls(&self) -> bool {
        self.product.space.is_any_call()
    }

    /// Which parameters of the pair may be uninitialised where it is called: those of a part of a procedure.
    fn unset_at_start(&self) -> Vec<bool> {
        let (facts, pair) = (&self.cut.facts, self.task.comparison.pair(self.task.pair));
        let of = |side: Side| {
            (side, pair.of(side), facts.programs[side.index()].procedure(pair.of(side)))
        };
        match self.in_calls() && of(Side::Old).2.outlined_from.is_some() {
            true => facts.unset(&[of(Side::Old), of(Side::New)]),
            false => vec![],
        }
    }

    pub fn cells(&self) -> Vec<u32> {
        let regions = &self.cut.facts.regions;
        regions.ids().map(|region| regions.info(region).cell.bytes()).collect()
    }

    /// The states of both sides: the same entry state at the start, else symbols.
    pub fn entries(
        &mut self,
        node: Node,
        number: usize,
        given: &mut Vec<TermId>,
    ) -> Result<([Entry; 2], [At; 2]), Stop> {
        let facts = &self.cut.facts;
        let pair = self.task.comparison.pair(self.task.pair);
        let mut entries = vec![];
        let mut states = vec![];
        for side in Side::BOTH {
            let program = &facts.programs[side.index()];
            let unset_at_start = self.unset_at_start();
            let space = &mut self.product.space;
            let (id, unset, prefix) = match node[side.index()] {
                // Both start from the parameters of the old version.
                CutPoint::Start => (pair.old, unset_at_start, String::new()),
                CutPoint::End | CutPoint::Stopped => {
                    (pair.of(side), vec![], format!("end{number}.{}.", side.index()))
                }
                CutPoint::Head(id) => {
                    let unset = facts.unset(&[(side, id, program.procedure(id))]);
                    (id, unset, format!("node{number}.{}.", side.index()))
                }
            };
            let program =
                if node[side.index()] == CutPoint::Start { &facts.programs[0] } else { program };
            let procedure = program.procedure(id);
            let mut entry = entry_of(space, &facts.regions, procedure, &prefix, &unset)?;
            let (mut values, truth) = (entry.args.clone(), space.pool.truth());
            let mut flags = entry.set.clone();
            flags.resize(values.len(), truth);
            if node[side.index()] == CutPoint::End {
                values.clear();
                flags.clear();
                for (index, ty) in procedure.results.iter().enumerate() {
                    let name = format!("{prefix}result{index}");
                    values.push(space.pool.symbol(&name, translate::sort_of(*ty))?);
                    flags.push(space.pool.symbol(&format!("{name}.set"), Sort::Bool)?);
                }
            }
            if node[side.index()] == CutPoint::Stopped {
                values = vec![space.pool.symbol(&format!("{prefix}how"), Sort::BitVec(16))?];
                flags = vec![truth];
            }
            for (value, flag) in values.iter().zip(&flags).filter(|(_, flag)| **flag != truth) {
                // What has no value counts as zero: arguments of calls are recorded so, results see `with_zeros`.
                let zero = zero(space, *value)?;
                let none = space.pool.eq(*value, zero)?;
                given.push(space.or(&[*flag, none])?);
            }
            let mut arrays = vec![];
            for (index, region) in facts.regions.ids().enumerate() {
                let info = facts.regions.info(region);
                // In a proof of every call nothing is written ([`Cut`]): memory is everywhere what it was at the start, and so
                // is what is initialised.
                let of_calls = space.is_any_call();
                let own = side == Side::New && node[side.index()] != CutPoint::Start && !of_calls;
                let name = if own { "new.memory." } else { "memory." };
                let sort = space.array_sort(info.cell.bytes())?;
                if own {
                    let array = space.pool.symbol(&format!("{name}{}", info.name), sort)?;
                    space.note_entry(array);
                    entry.memory[index] = space.memories.array(array, info.cell.bytes());
                }
                arrays.push(space.to_array(entry.memory[index])?);
            }
            if side == Side::Old {
                let own = values.len();
                values.extend(self.parameters_at_entry(node, &entry)?);
                flags.extend(vec![truth; values.len() - own]);
            }
            let (memory, world) = (entry.memory.clone(), entry.world);
            states.push(At { values, flags, memory, arrays, world });
            entries.push(entry);
        }
        let both = |mut list: Vec<_>| {
            let second = list.pop();
            (list.pop(), second)
        };
        match (both(entries), states.pop(), states.pop()) {
            ((Some(a), Some(b)), Some(new), Some(old)) => Ok(([a, b], [old, new])),
            _ => Err(LogicError::NoPath.into()),
        }
    }

    /// What the parameters were at the entry: the same at all nodes.
    fn parameters_at_entry(
        &mut self,
        node: Node,
        entry: &Entry,
    ) -> Result<Vec<TermId>, LogicError> {
        match node[0] {
            _ if !self.extended => Ok(vec![]),
            CutPoint::Start => Ok(entry.args.clone()),
            _ => self.entry_symbols(),
        }
    }

    /// What the parameters were at the entry, as symbols of all nodes but the start.
    pub fn entry_symbols(&mut self) -> Result<Vec<TermId>, LogicError> {
        let types = self.cut.parameters(&self.task);
        let pool = &mut self.product.space.pool;
        let symbol =
            |(n, ty): (usize, &Type)| pool.symbol(&format!("entry.{n}"), translate::sort_of(*ty));
        types.iter().enumerate().map(symbol).collect()
    }

    /// The variables of a side at a node without what the parameters were at the entry.
    fn own<'v>(&self, side: usize, values: &'v [TermId]) -> &'v [TermId] {
        let spoken_of = side == 0 && self.extended;
        let more = if spoken_of { self.cut.parameters(&self.task).len() } else { 0 };
        &values[..values.len() - more]
    }

    /// How one side goes on after so many steps.
    pub fn continuations(
        &mut self,
        node: Node,
        side: usize,
        steps: usize,
        entries: &[Entry; 2],
        at: &[At; 2],
    ) -> Result<Vec<Continuation>, Stop> {
        let place = node[side];
        let state = &at[side];
        let truth = self.product.space.pool.truth();
        let here = Continuation {
            when: truth,
            place,
            values: self.own(side, &state.values).to_vec(),
            flags: self.own(side, &state.flags).to_vec(),
            memory: state.memory.clone(),
            world: state.world,
            outcome: None,
        };
        let version = Side::BOTH[side];
        let procedure = match place {
            CutPoint::End | CutPoint::Stopped => return Ok(vec![here]),
            _ if steps == 0 => return Ok(vec![here]),
            CutPoint::Start => match self.returned[side] {
                Some(result) => {
                    let (values, flags) = (vec![result], vec![truth]);
                    return Ok(vec![Continuation { place: CutPoint::End, values, flags, ..here }]);
                }
                None => self.task.comparison.pair(self.task.pair).of(version),
            },
            CutPoint::Head(id) => id,
        };
        self.calls.take();
        self.product.policy.unfold = [0, 0];
        self.product.policy.unfold[side] = steps - 1;
        let start = match place == CutPoint::Start && !self.in_calls() {
            true => Start::of(&self.task),
            false => Start::Anywhere,
        };
        let outcome = self.product.run(version, procedure, &entries[side], start, LIMITS)?;
        let mut found = vec![];
        let mut calls = vec![];
        let mut returning = vec![];
        let world = world_sort(&mut self.product.space)?;
        let mut heads = vec![];
        for call in self.calls.take() {
            let Some((_, head)) = self.names.get(&call.name).copied() else { continue };
            // Each is the last thing that a step does: no other call is made behind it, and where the step ends none was
            // made. So how it ends decides neither whether a call is made nor, where none is, how the step ends, and in
            // these conditions it may as well return. Functions of all variables and memories would be left in them otherwise,
            // and no order of variables would be worth more than another.
            if let Some(how) = call.how {
                returning.push((how, zero(&mut self.product.space, how)?));
            }
            heads.push((head, call));
        }
        let returning = returning.into_iter().collect();
        for (head, mut call) in heads {
            let space = &mut self.product.space;
            let when = space.pool.substitute(call.when, &returning)?;
            call.when = space.tidy(when)?;
            let pool = &self.product.space.pool;
            let after = call.rest.iter().copied().find(|term| pool.sort(*term) == world);
            let Some(after) = after else { return Err(LogicError::NoOutcome.into()) };
            calls.push(call.when);
            found.push(Continuation {
                when: call.when,
                place: CutPoint::Head(head),
                values: call.args,
                flags: call.flags,
                memory: call.memory,
                world: after,
                outcome: None,
            });
        }
        let space = &mut self.product.space;
        let any = space.or(&calls)?;
        let none = space.not(any)?;
        let mut outcome = outcome;
        outcome.how = space.pool.substitute(outcome.how, &returning)?;
        // How a run ends is a number of eight bits, whatever frame it ended in.
        let low = space.pool.extract(7, 0, outcome.how)?;
        outcome.how = space.pool.zero_extend(8, low)?;
        let mut flags = outcome.set.clone();
        flags.resize(outcome.results.len(), truth);
        let returned = space.pool.substitute(outcome.returned, &returning)?;
        let not_returned = space.not(returned)?;
        for abrupt in [false, true] {
            let how = if abrupt { not_returned } else { returned };
            let (place, values, flags) = match abrupt {
                true => (CutPoint::Stopped, vec![outcome.how], vec![truth]),
                false => {
                    (CutPoint::End, with_zeros(space, &outcome.results, &flags)?, flags.clone())
                }
            };
            let when = space.and(&[none, how])?;
            let when = space.tidy(when)?;
            if when != space.pool.falsity() {
                found.push(Continuation {
                    when,
                    place,
                    values,
                    flags,
                    memory: outcome.memory.clone(),
                    world: outcome.world,
                    outcome: Some(outcome.clone()),
                });
            }
        }
        Ok(found)
    }

    /// Two continuations together; nothing if they exclude each other.
    fn pairing(
        &mut self,
        sides: [&Continuation; 2],
        at: &[At; 2],
    ) -> Result<Option<Pairing>, Stop> {
        let [old, new] = sides;
        let space = &mut self.product.space;
        let when = space.and(&[old.when, new.when])?;
        let when = space.tidy(when)?;
        if when == space.pool.falsity() {
            return Ok(None);
        }
        let target = [old.place, new.place];
        let wrong = if target.into_iter().all(CutPoint::is_over) {
            let ended = self.ended(sides)?;
            self.differ(&ended)?
        } else {
            let same = space.pool.eq(old.world, new.world)?;
            space.not(same)?
        };
        // What the parameters were is behind the variables of the old side.
        let own = self.own(0, &at[0].values).len();
        let (mut values, mut flags) = (old.values.clone(), old.flags.clone());
        values.extend(&at[0].values[own..]);
        flags.extend(&at[0].flags[own..]);
        Ok(Some(Pairing {
            when,
            target,
            values: [values, new.values.clone()],
            flags: [flags, new.flags.clone()],
            memory: [old.memory.clone(), new.memory.clone()],
            wrong,
            is_far: false,
        }))
    }

    /// The outcomes of two sides that have ended, one of them maybe before. Nothing is freed or made on the way
    /// ([`Cut`]), so that one that ended before is like the other in all but results, memory and world.
    fn ended(&mut self, sides: [&Continuation; 2]) -> Result<[Outcome; 2], Stop> {
        let known = sides.iter().find_map(|side| side.outcome.as_ref());
        let Some(known) = known else { return Err(LogicError::NoOutcome.into()) };
        let space = &mut self.product.space;
        let returned = space.pool.bits(16, how::RETURNED.into())?;
        let (truth, falsity) = (space.pool.truth(), space.pool.falsity());
        Ok(sides.map(|side| match &side.outcome {
            // One that ended before has flags for all results.
            Some(outcome) if side.place == CutPoint::End => {
                Outcome { set: side.flags.clone(), ..outcome.clone() }
            }
            Some(outcome) => outcome.clone(),
            None if side.place == CutPoint::Stopped => Outcome {
                how: side.values[0],
                returned: falsity,
                world: side.world,
                ..known.clone()
            },
            None => Outcome {
                how: returned,
                returned: truth,
                results: side.values.clone(),
                set: side.flags.clone(),
                memory: side.memory.clone(),
                world: side.world,
                ..known.clone()
            },
        }))
    }

    /// When two outcomes differ, for whoever sees those of the pair.
    pub fn differ(&mut self, outcomes: &[Outcome; 2]) -> Result<TermId, Stop> {
        let facts = &self.cut.facts;
        let pair = self.task.comparison.pair(self.task.pair);
        let results = &facts.programs[0].procedure(pair.old).results;
        // For the caller of the pair all NaNs are one; a call must be exact, bit for bit.
        let in_calls = self.in_calls();
        let float = |ty: &Type| match ty {
            Type::Float(kind) if !in_calls => Some(*kind),
            _ => None,
        };
        let floats: Vec<_> = results.iter().map(float).collect();
        // Locals of a caller may lie behind the pointers of a call.
        let visible = facts.regions.visible(|info| info.locals_only && !in_calls);
        let space = &mut self.product.space;
        let differ = Outcome::differ(space, &outcomes[0], &outcomes[1], &floats, &visible)?;
        Ok(space.tidy(differ)?)
    }
}

/// Values that are zero where they are uninitialised, as the states that steps start from have them.
fn with_zeros(
    space: &mut Space,
    values: &[TermId],
    flags: &[TermId],
) -> Result<Vec<TermId>, LogicError> {
    let mut found = vec![];
    for (value, flag) in values.iter().zip(flags) {
        let zero = zero(space, *value)?;
        found.push(space.ite(*flag, *value, zero)?);
    }
    Ok(found)
}

fn zero(space: &mut Space, like: TermId) -> Result<TermId, LogicError> {
    match space.pool.sort(like) {
        Sort::BitVec(width) => space.pool.bits(width, 0),
        _ => Ok(space.pool.falsity()),
    }
}
