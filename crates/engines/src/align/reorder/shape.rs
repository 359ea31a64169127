//! What a version does between its cut points, and how its loops lie in each other.

use super::super::step::{Continuation, Stepping};
use super::super::{CutPoint, Node};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Obligation, Side};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::Answer;
use verdiff_logic::{LogicError, Op, Sort, TermId, TermPool};
use verdiff_model::ProcId;
use verdiff_product::obligation;
use verdiff_product::solver_queries::ask;
use verdiff_symex::execute::Stop;
use verdiff_symex::outcome::Outcome;
use verdiff_symex::record::AccessRecord;
use verdiff_symex::space::Space;

/// What one question about alternatives is worth.
const ALONE: Effort = Effort::millis(20);

/// Terms that are put in place of others.
pub type Map = BTreeMap<TermId, TermId>;

/// A term with others put in.
pub fn put(space: &mut Space, term: TermId, map: &Map) -> Result<TermId, LogicError> {
    if map.is_empty() {
        return space.tidy(term);
    }
    let map = map.iter().map(|(a, b)| (*a, *b)).collect();
    let term = space.pool.substitute(term, &map)?;
    space.tidy(term)
}

/// The symbols that a term speaks of.
pub fn symbols(pool: &TermPool, terms: &[TermId]) -> BTreeSet<TermId> {
    pool.free_names(terms).symbols.into_iter().map(|symbol| pool.symbol_term(symbol)).collect()
}

/// One way from a cut point to the next.
#[derive(Clone)]
pub struct Move {
    pub to: CutPoint,
    pub when: TermId,
    /// The variables there.
    pub values: Vec<TermId>,
    /// The memories there, an array for each region.
    pub arrays: Vec<TermId>,
    /// If the run has returned.
    pub outcome: Option<Outcome>,
}

/// A cut point: what its variables are called, and what follows.
pub struct Place {
    pub params: Vec<TermId>,
    pub names: Vec<String>,
    pub moves: Vec<Move>,
    /// When the run ends here otherwise than by a return, and how.
    pub trap: Option<[TermId; 2]>,
    /// What is accessed, and when.
    pub accesses: Vec<AccessRecord>,
}

impl Place {
    /// When a run goes where, and when and how it ends here.
    pub fn conditions(&self) -> Vec<TermId> {
        let moves = self.moves.iter().map(|one| one.when);
        moves.chain(self.trap.into_iter().flatten()).collect()
    }

    /// The same conditions in another form.
    pub fn replace_conditions(&mut self, by: &Map) {
        let new = |term: &mut TermId| *term = by.get(term).copied().unwrap_or(*term);
        self.moves.iter_mut().for_each(|one| new(&mut one.when));
        self.trap.iter_mut().flatten().for_each(new);
    }

    pub fn move_to(&self, to: CutPoint) -> Option<&Move> {
        self.moves.iter().find(|one| one.to == to)
    }
}

/// A loop: its head, and the loops in its body, one after the other.
#[derive(Clone, Debug)]
pub struct Nest {
    pub head: CutPoint,
    /// Where an iteration goes first: to the head again, or to the first loop inside.
    pub stay: CutPoint,
    /// Where the loop leads when it ends.
    pub exit: CutPoint,
    pub inner: Vec<Nest>,
}

/// A version: what happens at each cut point, and its outermost loops.
pub struct Version {
    pub side: usize,
    pub places: BTreeMap<CutPoint, Place>,
    pub loops: Vec<Nest>,
    /// For each region, the array that memory is at every cut point, as a symbol.
    pub memory: Vec<TermId>,
    /// The regions that are written.
    pub written: BTreeSet<usize>,
}

impl Version {
    /// A version, executed; nothing if it is not of the shape that is looked at here: loops in sequence and in each other, each
    /// left at one place alone, without outputs.
    pub fn of(
        stepping: &mut Stepping<'_, '_>,
        side: usize,
        asking: &mut Asking<'_>,
    ) -> Result<Option<Version>, Stop> {
        let mut places = BTreeMap::new();
        let mut open = vec![CutPoint::Start];
        let mut memory = vec![];
        while let Some(at) = open.pop() {
            if places.contains_key(&at) {
                continue;
            }
            let Some((place, arrays)) = Place::of(stepping, side, at, asking, &memory)? else {
                return Ok(None);
            };
            if at == CutPoint::Start {
                memory = arrays;
            }
            open.extend(place.moves.iter().map(|one| one.to).filter(|to| !to.is_over()));
            places.insert(at, place);
        }
        let mut written = BTreeSet::new();
        for one in places.values().flat_map(|place| &place.moves) {
            let changed = one.arrays.iter().zip(&memory).enumerate();
            written.extend(changed.filter(|(_, (a, b))| a != b).map(|(region, _)| region));
        }
        let mut version = Version { side, places, loops: vec![], memory, written };
        let first = version.places[&CutPoint::Start].moves.iter().map(|one| one.to);
        let mut heads = first.filter(|to| *to != CutPoint::End);
        match (heads.next(), heads.next()) {
            // It has no loop.
            (None, _) => {}
            (Some(head), None) => {
                let nests = version.nests(head, CutPoint::End, &mut BTreeSet::new());
                let Some(loops) = nests else { return Ok(None) };
                version.loops = loops;
            }
            _ => return Ok(None),
        }
        Ok(Some(version))
    }

    /// The loops from a head on until this place.
    fn nests(
        &self,
        first: CutPoint,
        until: CutPoint,
        seen: &mut BTreeSet<CutPoint>,
    ) -> Option<Vec<Nest>> {
        let mut found = vec![];
        let mut head = first;
        while head != until {
            if head.is_over() || !seen.insert(head) {
                return None;
            }
            let targets: Vec<CutPoint> =
                self.places.get(&head)?.moves.iter().map(|one| one.to).collect();
            let inside = |to: &CutPoint| *to == head || self.comes_to(*to, head, seen);
            let (stays, exits): (Vec<CutPoint>, Vec<CutPoint>) =
                targets.into_iter().partition(inside);
            let ([stay], [exit]) = (&stays[..], &exits[..]) else { return None };
            let inner = match *stay == head {
                true => vec![],
                false => self.nests(*stay, head, seen)?,
            };
            found.push(Nest { head, stay: *stay, exit: *exit, inner });
            head = *exit;
        }
        Some(found)
    }

    /// Whether a run comes from one place to another without passing these.
    fn comes_to(&self, from: CutPoint, to: CutPoint, but: &BTreeSet<CutPoint>) -> bool {
        let mut open = vec![from];
        let mut seen = BTreeSet::new();
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if but.contains(&at) || !seen.insert(at) {
                continue;
            }
            let moves = self.places.get(&at).map_or(&[][..], |place| &place.moves);
            open.extend(moves.iter().map(|one| one.to));
        }
        false
    }
}

impl Place {
    /// A place, executed, and the arrays of its memories. Every place of a side has the same.
    fn of(
        stepping: &mut Stepping<'_, '_>,
        side: usize,
        at: CutPoint,
        asking: &mut Asking<'_>,
        memory: &[TermId],
    ) -> Result<Option<(Place, Vec<TermId>)>, Stop> {
        let node: Node = match (at, side) {
            (CutPoint::Start, _) => [at, at],
            (_, 0) => [at, CutPoint::End],
            _ => [CutPoint::End, at],
        };
        asking.numbers += 1;
        let mut given = vec![];
        let (entries, states) = stepping.entries(node, asking.numbers, &mut given)?;
        let found = stepping.continuations(node, side, 1, &entries, &states)?;
        let state = &states[side];
        let space = &mut stepping.product.space;
        let truth = space.pool.truth();
        let all_set = state.flags.iter().chain(found.iter().flat_map(|c| &c.flags));
        if all_set.into_iter().any(|flag| *flag != truth) {
            return Ok(None);
        }
        let same: Map = state.arrays.iter().copied().zip(memory.iter().copied()).collect();
        let mut place = Place {
            params: state.values.clone(),
            names: vec![],
            moves: vec![],
            trap: None,
            accesses: vec![],
        };
        if let CutPoint::Head(id) = at {
            place.names = names(stepping, side, id);
        }
        let space = &mut stepping.product.space;
        for record in stepping.accesses.iter().flat_map(|log| log.take()) {
            let (when, address) =
                (put(space, record.when, &same)?, put(space, record.address, &same)?);
            place.accesses.push(AccessRecord { when, address, ..record });
        }
        for Continuation { when, place: to, values, memory, outcome, world, .. } in found {
            let when = put(space, when, &same)?;
            // What holds on this way is put in: what comes behind another head is not looked at here.
            let known = literals(space, when)?;
            let mut put_in = |space: &mut Space, term: TermId| -> Result<TermId, LogicError> {
                let term = put(space, term, &same)?;
                let term = put(space, term, &known)?;
                pruned(space, term, when, asking)
            };
            if put_in(space, world)? != state.world {
                return Ok(None);
            }
            let values: Result<Vec<TermId>, LogicError> =
                values.into_iter().map(|term| put_in(space, term)).collect();
            let values = values?;
            let outcome = match outcome {
                Some(known) if to == CutPoint::End => {
                    let lives = put_in(space, known.lives)?;
                    Some(Outcome { world: state.world, lives, ..known })
                }
                _ => None,
            };
            if to == CutPoint::Stopped {
                // A number of eight bits.
                let Some(how) = values.first() else { return Ok(None) };
                let how = space.pool.extract(7, 0, *how)?;
                if place.trap.is_some() {
                    return Ok(None);
                }
                place.trap = Some([when, space.tidy(how)?]);
                continue;
            }
            let mut arrays = vec![];
            for memory in memory {
                let array = space.to_array(memory)?;
                arrays.push(put_in(space, array)?);
            }
            let Some(known) = place.moves.iter_mut().find(|one| one.to == to) else {
                place.moves.push(Move { to, when, values, arrays, outcome });
                continue;
            };
            // Two ways to the same place become one; of two returns only one outcome would be kept.
            if outcome.is_some() {
                return Ok(None);
            }
            for (a, b) in known.values.iter_mut().zip(values) {
                *a = space.ite(when, b, *a)?;
            }
            for (a, b) in known.arrays.iter_mut().zip(arrays) {
                *a = space.ite(when, b, *a)?;
            }
            known.when = space.or(&[known.when, when])?;
        }
        Ok(Some((place, state.arrays.clone())))
    }
}

/// What executing versions needs, and what was shown on the way.
pub struct Asking<'b> {
    pub budget: &'b Budget,
    pub numbers: usize,
    pub obligations: Vec<Obligation>,
}

/// A term without alternatives that are none where a condition holds.
fn pruned(
    space: &mut Space,
    term: TermId,
    when: TermId,
    asking: &mut Asking<'_>,
) -> Result<TermId, LogicError> {
    let op = space.pool.op(term);
    if matches!(op, Op::ZeroExtend(_) | Op::Extract { .. }) {
        let inner = space.pool.operands(term)[0];
        let inner = pruned(space, inner, when, asking)?;
        let term = space.pool.apply_op(op, &[inner])?;
        return space.tidy(term);
    }
    if op != Op::Ite {
        return Ok(term);
    }
    let [cond, then, otherwise] = *space.pool.operands(term) else { return Ok(term) };
    let not = space.not(cond)?;
    for (excluded, kept) in [(cond, otherwise), (not, then)] {
        let all = [when, excluded];
        let share = asking.budget.at_most(ALONE.min(asking.budget.left() / 8));
        if matches!(ask(space, &all, &share), Answer::Unsat { .. })
            && let Some(obligation) = obligation::script(&space.pool, "another way", &all)
        {
            asking.obligations.push(obligation);
            return pruned(space, kept, when, asking);
        }
    }
    Ok(term)
}

/// What conditions are where all of these hold.
fn literals(space: &mut Space, when: TermId) -> Result<Map, LogicError> {
    let parts = match space.pool.op(when) {
        Op::And => space.pool.operands(when).to_vec(),
        _ => vec![when],
    };
    let (truth, falsity) = (space.pool.truth(), space.pool.falsity());
    let mut found = Map::new();
    for part in parts {
        match space.pool.op(part) {
            Op::Not => found.insert(space.pool.operands(part)[0], falsity),
            _ => found.insert(part, truth),
        };
    }
    found.remove(&truth);
    Ok(found)
}

/// What the variables of a head are called: equal names have equal types.
fn names(stepping: &Stepping<'_, '_>, side: usize, id: ProcId) -> Vec<String> {
    let procedure = stepping.cut.facts.programs[Side::BOTH[side].index()].procedure(id);
    let mut found: Vec<String> = vec![];
    for param in &procedure.params {
        let var = procedure.var(*param);
        let base = format!("{}:{:?}", var.name, var.ty);
        let count = found.iter().filter(|name| **name == base).count();
        found.push(if count == 0 { base } else { format!("{base}.{count}") });
    }
    found
}

/// Whether a term has a width.
pub fn width(pool: &TermPool, term: TermId) -> Option<u32> {
    match pool.sort(term) {
        Sort::BitVec(width) => Some(width),
        _ => None,
    }
}

/// A number of another width: without its high bits, or with zeros.
pub fn fitted(space: &mut Space, term: TermId, bits: u32) -> Result<TermId, LogicError> {
    match width(&space.pool, term) {
        Some(own) if own > bits => space.pool.extract(bits - 1, 0, term),
        Some(own) => space.pool.zero_extend(bits - own, term),
        None => space.pool.bool_to_bits(bits, term),
    }
}
