//! Which cyclic procedures of the two versions are taken for each other.
//!
//! Functions belong together as the comparison says. Loops have no names: they are matched by position and by what they
//! consist of ([`by_likeness`]), and their parameters, which are the variables that are live, by name and then by type. A wrong guess costs
//! time; what is guessed is proved or thrown away.

use super::likeness::by_likeness;
use super::reorder::Reordering;
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{PairId, Side, Task};
use verdiff_model::outline::{Outlined, Output};
use verdiff_model::{ProcId, Program, Type};
use verdiff_product::ProgramFacts;

/// How many ways to match all loops are tried.
const MOST: usize = 24;
/// How many orders of the parameters of one loop are tried.
const MOST_ORDERS: usize = 8;

/// Two procedures that are taken for versions of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupled {
    pub old: ProcId,
    pub new: ProcId,
    /// Whether one of them was a loop.
    pub outlined: bool,
}

impl Coupled {
    pub fn of(&self, side: Side) -> ProcId {
        match side {
            Side::Old => self.old,
            Side::New => self.new,
        }
    }
}

/// One guess: what is coupled, and the programs in which it stands in the same order.
pub struct Matching {
    pub pairs: Vec<Coupled>,
    pub programs: [Rc<Program>; 2],
}

impl Matching {
    /// Which parameters of a coupling may be without a value; none if it was no loop.
    pub fn unset(&self, facts: &ProgramFacts, number: usize) -> Vec<bool> {
        let coupled = &self.pairs[number];
        if !coupled.outlined {
            return vec![];
        }
        let of = |side: Side| {
            let id = coupled.of(side);
            (side, id, self.programs[side.index()].procedure(id))
        };
        facts.unset(&[of(Side::Old), of(Side::New)])
    }
}

/// One coupling and the order that it needs on one side.
#[derive(Clone)]
struct Choice {
    coupled: Coupled,
    side: Side,
    order: Reordering,
}

/// The guesses for a pair, the likely ones first.
pub fn matchings(task: &Task<'_>, facts: &ProgramFacts) -> Vec<Matching> {
    let comparison = task.comparison;
    let mut pairs: BTreeSet<PairId> = BTreeSet::new();
    for side in Side::BOTH {
        let reached = facts.reached(side, comparison.pair(task.pair).of(side));
        pairs.extend(reached.into_iter().filter_map(|id| comparison.pair_of(side, id)));
    }
    let mut guesses: Vec<Vec<Choice>> = vec![vec![]];
    for id in pairs {
        let known = id != task.pair && task.judgement_of(id).is_some_and(|j| j.is_equal_in_calls());
        if known {
            continue;
        }
        let mut next = vec![];
        // The first alternative of each before the second of any.
        for choices in alternatives(task, facts, id) {
            for guess in &guesses {
                if next.len() < MOST {
                    next.push([guess.clone(), choices.clone()].concat());
                }
            }
        }
        guesses = next;
    }
    guesses.into_iter().map(|guess| carried_out(facts, guess)).collect()
}

fn carried_out(facts: &ProgramFacts, guess: Vec<Choice>) -> Matching {
    let mut programs = facts.programs.clone();
    for choice in guess.iter().filter(|c| !c.order.is_identity()) {
        let program = Rc::make_mut(&mut programs[choice.side.index()]);
        choice.order.apply(program, choice.coupled.of(choice.side));
    }
    Matching { pairs: guess.into_iter().map(|c| c.coupled).collect(), programs }
}

/// The ways to couple a pair of functions and their loops; at least one, perhaps the empty one.
fn alternatives(task: &Task<'_>, facts: &ProgramFacts, id: PairId) -> Vec<Vec<Choice>> {
    let pair = task.comparison.pair(id);
    let cyclic = Side::BOTH.map(|side| facts.is_cyclic(side, pair.of(side)));
    let cut = Side::BOTH.map(|side| {
        facts.loops[side.index()].get(&pair.of(side)).map(Vec::as_slice).unwrap_or_default()
    });
    let functions = Coupled { old: pair.old, new: pair.new, outlined: false };
    let itself = Choice { coupled: functions, side: Side::New, order: same_order(facts, pair.old) };
    // One side may be cyclic alone: then the other is known exactly.
    let couple = cyclic != [false, false] && pair.same_interface;
    let base: Vec<Choice> = if couple { vec![itself] } else { vec![] };
    let mut all = vec![];
    // A recursion that became a loop, or the other way round.
    for side in Side::BOTH {
        let other = side.other();
        if !cyclic[side.index()] || cyclic[other.index()] {
            continue;
        }
        for l in cut[other.index()] {
            let target = shape_of_function(facts, side, pair.of(side));
            let source = shape_of_loop(facts, other, l);
            for order in orders(&target, &source) {
                let (old, new) = match side {
                    Side::Old => (pair.old, l.procedure),
                    Side::New => (l.procedure, pair.new),
                };
                let coupled = Coupled { old, new, outlined: false };
                all.push(vec![Choice { coupled, side: other, order }]);
            }
        }
    }
    let in_order = alignments(cut[0].len(), cut[1].len());
    for alignment in by_likeness(facts, cut, in_order) {
        let mut guesses = vec![base.clone()];
        for (old, new) in alignment {
            let (old, new) = (&cut[0][old], &cut[1][new]);
            let target = shape_of_loop(facts, Side::Old, old);
            let source = shape_of_loop(facts, Side::New, new);
            let orders = orders(&target, &source);
            if orders.is_empty() {
                continue;
            }
            let mut next = vec![];
            for order in orders {
                for guess in &guesses {
                    let coupled =
                        Coupled { old: old.procedure, new: new.procedure, outlined: true };
                    let choice = Choice { coupled, side: Side::New, order: order.clone() };
                    next.push([guess.clone(), vec![choice]].concat());
                }
            }
            next.truncate(MOST);
            guesses = next;
        }
        all.extend(guesses);
    }
    all.truncate(MOST);
    all
}

fn same_order(facts: &ProgramFacts, old: ProcId) -> Reordering {
    let procedure = facts.programs[0].procedure(old);
    Reordering {
        params: (0..procedure.params.len()).collect(),
        results: (0..procedure.results.len()).collect(),
    }
}

/// The ways to match two lists in order: as they stand if they have one length, else all ways to leave
/// out what is too much.
fn alignments(old: usize, new: usize) -> Vec<Vec<(usize, usize)>> {
    let (short, long) = (old.min(new), old.max(new));
    let mut chosen: Vec<Vec<usize>> = vec![vec![]];
    for position in 0..short {
        let mut next = vec![];
        for list in &chosen {
            let from = list.last().map_or(0, |last| last + 1);
            for at in from..=(long - short + position) {
                next.push([list.clone(), vec![at]].concat());
            }
        }
        next.truncate(MOST);
        chosen = next;
    }
    let one = |list: Vec<usize>| {
        let pairs = list.into_iter().enumerate();
        pairs.map(|(s, l)| if old <= new { (s, l) } else { (l, s) }).collect()
    };
    chosen.into_iter().map(one).collect()
}

/// The parameters and results of a procedure: what they are called and their types.
struct ProcedureInterface {
    params: Vec<(String, Type)>,
    results: Vec<(String, Type)>,
}

fn shape_of_function(facts: &ProgramFacts, side: Side, id: ProcId) -> ProcedureInterface {
    let procedure = facts.programs[side.index()].procedure(id);
    let params = procedure.params.iter().map(|p| procedure.var(*p));
    ProcedureInterface {
        params: params.map(|v| (v.name.clone(), v.ty)).collect(),
        results: procedure.results.iter().map(|ty| ("(returned)".to_owned(), *ty)).collect(),
    }
}

fn shape_of_loop(facts: &ProgramFacts, side: Side, l: &Outlined) -> ProcedureInterface {
    let program = &facts.programs[side.index()];
    let procedure = program.procedure(l.procedure);
    let params = procedure.params.iter().map(|p| procedure.var(*p));
    let parent = program.procedure(l.parent);
    let name = |output: &Output| match output {
        Output::ExitCode => "(exit code)".to_owned(),
        Output::Returned(index) => format!("(returned {index})"),
        Output::Var(var) => parent.var(*var).name.clone(),
    };
    ProcedureInterface {
        params: params.map(|v| (v.name.clone(), v.ty)).collect(),
        results: l.results.iter().map(name).zip(procedure.results.iter().copied()).collect(),
    }
}

/// The orders in which `source` looks like `target`, the likely ones first; none if there is none.
fn orders(target: &ProcedureInterface, source: &ProcedureInterface) -> Vec<Reordering> {
    let mut found = vec![];
    for params in assignments(&target.params, &source.params) {
        // A result that is a parameter is called what the parameter is.
        let called = |(name, ty): &(String, Type)| {
            let at = target.params.iter().position(|(n, t)| n == name && t == ty);
            let name = at.map_or(name, |at| &source.params[params[at]].0);
            (name.clone(), *ty)
        };
        let wanted: Vec<(String, Type)> = target.results.iter().map(called).collect();
        if let Some(results) = assignments(&wanted, &source.results).into_iter().next() {
            found.push(Reordering { params: params.clone(), results });
        }
    }
    found.truncate(MOST_ORDERS);
    found
}

/// The ways to find each target among the sources, by name and type where it is there, all of
/// them by type after that. Empty if the types are others.
fn assignments(target: &[(String, Type)], source: &[(String, Type)]) -> Vec<Vec<usize>> {
    if target.len() != source.len() {
        return vec![];
    }
    let mut named: Vec<Option<usize>> = vec![];
    for wanted in target {
        let free = |at: &usize| !named.contains(&Some(*at)) && source[*at] == *wanted;
        let at = (0..source.len()).find(free);
        named.push(at);
    }
    let mut all = vec![];
    complete(target, source, &named, &mut vec![], &mut all);
    // Where all names are there, they are believed.
    if named.contains(&None) {
        complete(target, source, &vec![None; target.len()], &mut vec![], &mut all);
    }
    let mut seen = BTreeSet::new();
    all.retain(|order| seen.insert(order.clone()));
    all
}

/// All ways to fill in what is not fixed, in order of the sources.
fn complete(
    target: &[(String, Type)],
    source: &[(String, Type)],
    fixed: &[Option<usize>],
    begun: &mut Vec<usize>,
    all: &mut Vec<Vec<usize>>,
) {
    if all.len() >= 2 * MOST_ORDERS {
        return;
    }
    let position = begun.len();
    if position == target.len() {
        all.push(begun.clone());
        return;
    }
    let choices: Vec<usize> = match fixed[position] {
        Some(at) => vec![at],
        None => (0..source.len()).filter(|at| !fixed.contains(&Some(*at))).collect(),
    };
    for at in choices {
        if !begun.contains(&at) && source[at].1 == target[position].1 {
            begun.push(at);
            complete(target, source, fixed, begun, all);
            begun.pop();
        }
    }
}
