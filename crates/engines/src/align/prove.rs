//! The proof of one alignment: invariants that are inductive along all moves, and equal outcomes at the ends.

use super::alignment::Alignment;
use super::begin::stepping;
use super::claims::{Claim, Posed, Settled};
use super::closed_forms::{closed_forms, formulas};
use super::contents::{Contents, Held, ReadPlace};
use super::expressions::{expressed, relevant};
use super::folds::{self, Folds};
use super::given::Given;
use super::invariant::{Invariant, Var};
use super::orders::Orders;
use super::question::Question;
use super::ranges::Range;
use super::runs::Point;
use super::step::{Step, Stepping};
use super::{Cut, CutPoint, Node, Reach};
use std::collections::{BTreeMap, BTreeSet};
use verdiff_judge::{Budget, Depth, Obligation, PairId, Task};
use verdiff_logic::{Assignment, Evaluator, Formula, LogicError, TermId};
use verdiff_product::obligation;
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// How many cases are looked at before a solver is asked.
pub const CASES: usize = 200;
/// How often invariants are weakened before an alignment is given up.
const ROUNDS: usize = 120;
/// An alignment of more nodes is not proved.
const MOST_NODES: usize = 14;

/// A finished proof.
pub struct Proof {
    /// The entry states it is about.
    pub under: Formula,
    pub obligations: Vec<Obligation>,
    pub judged: BTreeSet<PairId>,
    /// The nodes at which something was shown, with their invariants.
    pub nodes: Vec<(Node, Invariant)>,
}

/// A node: executed, and what is taken to hold at it.
pub(super) struct Known {
    pub step: Step,
    pub invariant: Invariant,
    shown: bool,
}

/// What was shown of a node, and the nodes that were weakened on the way.
type CheckedNode = (Vec<Obligation>, BTreeSet<Node>);

/// What came of one question.
enum Asked {
    Holds(Vec<Obligation>),
    /// Something was weakened: at which node.
    Weakened(Node),
    Fails,
}

/// The proof under construction.
pub struct Proving<'c, 'a> {
    pub stepping: Stepping<'c, 'a>,
    pub alignment: &'c Alignment,
    pub(super) known: BTreeMap<Node, Known>,
    rounds: usize,
    reach: Reach,
    /// The continuations of which not all claims could be settled at once.
    pub hard: BTreeSet<(Node, usize)>,
    /// What is known of orders.
    pub orders: Orders,
    /// Nodes whose equations were weakened to some that do not follow from those before: what was shown of moves to them
    /// says nothing of these.
    stale: BTreeSet<Node>,
    /// What is known of functions that invariants speak of, if they do.
    pub folds: Folds,
    with_folds: bool,
    /// Whether Horn clauses suggest facts.
    pub is_by_horn: bool,
    /// Whether there is little effort.
    is_short: bool,
}

/// What is known to be unsatisfiable.
pub enum Shown {
    /// As an obligation, if it is not plain.
    Written(Option<Obligation>),
    TooLong,
}

/// Proves the pair by an alignment, or nothing.
pub fn prove(
    task: &Task<'_>,
    cut: &Cut,
    alignment: &Alignment,
    question: &Question,
    budget: &Budget,
) -> Result<Option<Proof>, Stop> {
    let stepping = stepping(task, cut, question, budget)?;
    let reach = question.reach;
    let (known, hard) = (BTreeMap::new(), BTreeSet::new());
    let (orders, stale) = (Orders::default(), BTreeSet::new());
    let (folds, with_folds) = (Folds::default(), question.folds);
    let mut proving = Proving {
        stepping,
        alignment,
        known,
        rounds: 0,
        reach,
        hard,
        orders,
        stale,
        folds,
        with_folds,
        is_by_horn: question.horn.is_some(),
        is_short: budget.depth <= Depth::Quick,
    };
    let start = [CutPoint::Start, CutPoint::Start];
    let mut returned = None;
    if cut.recursive.contains(&true) {
        returned = proving.returned(budget)?;
        let Some(returned) = &mut returned else { return Ok(None) };
        if cut.recursive == [true, true] {
            let judged = proving.stepping.product.judgements_used();
            let obligations = std::mem::take(&mut returned.obligations);
            let nodes = vec![([CutPoint::End, CutPoint::End], returned.invariant.clone())];
            let under = Formula::truth();
            return Ok(Some(Proof { under, obligations, judged, nodes }));
        }
    }
    proving.learn(start, &[])?;
    if question.folds && !proving.learn_heads()? {
        return Ok(None);
    }
    if let Some(horn) = question.horn {
        question.suggested.set(proving.guess_by_horn(horn, budget)?);
        if !question.suggested.get() {
            return Ok(None);
        }
    }
    let mut work = vec![start];
    let mut obligations: BTreeMap<Node, Vec<Obligation>> = BTreeMap::new();
    while let Some(node) = work.pop() {
        if budget.is_over() || proving.rounds > ROUNDS || proving.known.len() > MOST_NODES {
            return Ok(None);
        }
        if proving.known.get(&node).is_none_or(|known| known.shown) {
            continue;
        }
        let Some((said, weakened)) = proving.check(node, budget)? else { return Ok(None) };
        if weakened.contains(&node) {
            // It says less of where it starts from: it is shown again.
            work.push(node);
        } else {
            // What was shown of moves to nodes that were weakened then is right, unless one says something new.
            obligations.insert(node, said);
            if let Some(known) = proving.known.get_mut(&node) {
                known.shown = true;
                let targets: Vec<Node> = known.step.pairings.iter().map(|p| p.target).collect();
                // Where nobody was seen to come, nobody was shown to come.
                let seen = |node: &Node| {
                    proving.known.get(node).is_some_and(|known| known.invariant.is_seen())
                };
                work.extend(targets.into_iter().filter(seen));
            }
        }
        if !weakened.is_empty() {
            for other in weakened {
                if let Some(known) = proving.known.get_mut(&other) {
                    known.shown = false;
                }
                work.push(other);
            }
            // Moves to it are still right, unless it says something new.
            let stale = std::mem::take(&mut proving.stale);
            for (other, known) in &mut proving.known {
                let is_before = known.step.pairings.iter().any(|p| stale.contains(&p.target));
                if known.shown && is_before {
                    known.shown = false;
                    work.push(*other);
                }
            }
        }
    }
    if proving.stepping.product.usage.undescribed {
        return Ok(None);
    }
    let judged = proving.stepping.product.judgements_used();
    let entry = proving.known.get(&start).map(|known| known.step.at[0].values.clone());
    let space = &mut proving.stepping.product.space;
    let under = match question.case.term(space, &entry.unwrap_or_default())? {
        Some(term) => Formula::of(&space.pool, term)?,
        None => Formula::truth(),
    };
    let nodes = proving.known.into_iter().filter(|(_, known)| known.shown);
    let mut nodes: Vec<(Node, Invariant)> =
        nodes.map(|(node, known)| (node, known.invariant)).collect();
    let mut obligations: Vec<Obligation> = obligations.into_values().flatten().collect();
    if let Some(returned) = returned {
        nodes.insert(0, ([CutPoint::End, CutPoint::End], returned.invariant));
        obligations.extend(returned.obligations);
    }
    Ok(Some(Proof { under, obligations, judged, nodes }))
}

impl Proving<'_, '_> {
    /// Executes the node at which both loops begin. Whether something is related there.
    fn learn_heads(&mut self) -> Result<bool, Stop> {
        let start = [CutPoint::Start, CutPoint::Start];
        let recursive = self.stepping.cut.recursive;
        let heads = |node: &Node| {
            let inside = |side: usize| match node[side] {
                CutPoint::Head(_) => true,
                place => recursive[side] && place == CutPoint::End,
            };
            inside(0) && inside(1)
        };
        let known = self.known.get(&start);
        let targets = known.iter().flat_map(|known| known.step.pairings.iter());
        let mut targets = targets.map(|pairing| pairing.target);
        let Some(node) = targets.find(heads) else {
            return Ok(false);
        };
        self.learn(node, &[])?;
        Ok(self.known.get(&node).is_some_and(|known| !known.invariant.related.is_empty()))
    }

    /// Executes a node that was not met before, with an invariant that holds of runs and of these points.
    pub(super) fn learn(&mut self, node: Node, points: &[Point]) -> Result<(), Stop> {
        let chosen = self.alignment.at(node);
        let step = self.stepping.step(node, chosen, self.known.len())?;
        let mut all = self.alignment.points.get(&node).cloned().unwrap_or_default();
        all.extend(points.iter().cloned());
        let vars = self.vars(node, &all);
        let mut invariant = Invariant::same_start();
        if node != [CutPoint::Start, CutPoint::Start] {
            let deciding = self.deciding(&step, &vars);
            let space = &mut self.stepping.product.space;
            let likely = self.reach == Reach::Likely;
            let all_relevant = relevant(space, node, &step, &vars);
            let addressing = all_relevant.vars.clone();
            let mut relevant = likely.then_some(all_relevant);
            // A version that waits decides nothing, but what it waits with is compared.
            let all_vars = relevant.as_mut().filter(|_| self.with_folds || self.is_by_horn);
            all_vars.into_iter().for_each(|relevant| relevant.vars.extend(&vars));
            let products = self.reach == Reach::Extended;
            invariant = Invariant::learned(&vars, &all, deciding, &addressing, relevant, products);
            invariant.expressed = expressed(space, &step, &vars, &all)?;
            if let Some(start) = self.known.get(&[CutPoint::Start, CutPoint::Start]) {
                let (space, at) = (&mut self.stepping.product.space, (node, &step));
                let runs = &self.alignment.runs;
                let forms = closed_forms(space, &start.step, at, &vars, &all, runs)?;
                invariant.expressed.extend(forms);
                let forms = formulas(space, &start.step, at, &vars, &all, runs)?;
                invariant.express(forms);
            }
            if self.with_folds || !invariant.expressed.is_empty() {
                invariant.guess_narrow(&all);
            }
            if self.stepping.cut.recursive.contains(&true) {
                invariant.guess_begun(&all);
            }
            if self.with_folds
                && let Some(start) = self.known.remove(&[CutPoint::Start, CutPoint::Start])
            {
                let related = self.relations(node, (&start.step, &step), &vars);
                self.known.insert([CutPoint::Start, CutPoint::Start], start);
                invariant.related = related?;
                // What is summed up or multiplied is compared with nothing but by chance.
                invariant.forget(&folds::data(&step, &vars, &invariant.related));
            }
            let range = self.range(node, &vars);
            let mut reads = step.reads.clone();
            for region in range.iter().flat_map(|_| self.stepping.written(&step)) {
                invariant.except.extend(range.clone().map(|range| (region, range)));
            }
            reads.extend(self.excepted(&step, &invariant)?);
            invariant.contents = self.contents(node, &step, &reads, &vars);
            if self.reach == Reach::Likely {
                invariant.drop_same_places(&mut self.stepping.product.space, &step.terms())?;
            }
        }
        self.known.insert(node, Known { step, invariant, shown: false });
        Ok(())
    }

    /// The range in which memories differ at a node, if they do in runs.
    fn range(&self, node: Node, vars: &[Var]) -> Option<Range> {
        let alignment = self.alignment;
        if self.reach < Reach::Extended || !alignment.apart.contains(&node) {
            return None;
        }
        let (points, passes) = (alignment.points.get(&node)?, alignment.passes.get(&node)?);
        Range::learned(vars, points, passes, &alignment.runs)
    }

    /// The place in which memories may differ, if it is as large as a number: of either side.
    fn excepted(&mut self, step: &Step, invariant: &Invariant) -> Result<Vec<ReadPlace>, Stop> {
        let mut found = vec![];
        for (region, range) in &invariant.except {
            let cell = self.stepping.cell(*region);
            let length = range.length.as_constant().and_then(|length| u32::try_from(length).ok());
            let usual = |bytes: &u32| bytes.is_power_of_two() && (cell..=8).contains(bytes);
            if let Some(bytes) = length.filter(usual) {
                let space = &mut self.stepping.product.space;
                let address = range.low.term(space, &step.terms())?;
                found.extend([0, 1].map(|side| ReadPlace {
                    side,
                    region: *region,
                    address,
                    bytes,
                    cell,
                }));
            }
        }
        Ok(found)
    }

    /// The variables that the invariant of a node may speak of. What a parameter was at the entry is one of them if no
    /// other variable is the same at all points.
    fn vars(&self, node: Node, points: &[Point]) -> Vec<Var> {
        let (cut, task) = (self.stepping.cut, &self.stepping.task);
        let own = cut.vars(task, node);
        if self.reach < Reach::Extended || points.is_empty() {
            return own;
        }
        let all = cut.vars_and_parameters(task, node);
        // What is known of states that are not passed again speaks of them, and what is given of the entry.
        let is_passed = self.stepping.passed.iter().any(|passed| !passed.is_empty());
        if is_passed || self.stepping.knows_of_entry() {
            return all;
        }
        let held = |var: &Var| {
            let same = |other: &&Var| {
                other.width == var.width
                    && points.iter().all(|point| other.number(point) == var.number(point))
            };
            own.iter().find(same).is_some()
        };
        all.into_iter().filter(|var| own.contains(var) || !held(var)).collect()
    }

    /// The variables on which it depends how a step goes on.
    fn deciding(&self, step: &Step, vars: &[Var]) -> BTreeSet<Var> {
        let whens: Vec<TermId> = step.pairings.iter().map(|pairing| pairing.when).collect();
        let pool = &self.stepping.product.space.pool;
        let names = pool.free_names(&whens).symbols;
        let symbols: BTreeSet<TermId> = names.into_iter().map(|s| pool.symbol_term(s)).collect();
        let value = |var: &Var| step.at[var.side].values[var.index];
        vars.iter().filter(|var| symbols.contains(&value(var))).copied().collect()
    }

    /// Variables that may be what the step reads, and places that it reads which may hold the same.
    fn contents(
        &self,
        node: Node,
        step: &Step,
        reads: &[ReadPlace],
        vars: &[Var],
    ) -> Vec<Contents> {
        let mut found = vec![];
        let text = |read: &ReadPlace| Some(self.stepping.place_text(node, &step.at, read));
        for read in reads {
            let bits = 8 * read.bytes;
            for var in vars.iter().filter(|var| var.width >= bits && !var.pointer && var.width > 1)
            {
                for signed in [false, true] {
                    if signed && var.width == bits {
                        continue;
                    }
                    let held = Held::Variable { var: *var, signed };
                    found.push(Contents { held, place: *read, text: [None, text(read)] });
                }
            }
            if self.stepping.product.space.is_any_call() {
                found.push(Contents {
                    held: Held::Something,
                    place: *read,
                    text: [None, text(read)],
                });
            }
        }
        // Rarely needed, and many; at first only where each version reads one place.
        let mut all: Vec<&ReadPlace> = reads.iter().collect();
        let is_pair = all.len() == 2 && all[0].side != all[1].side;
        if self.reach == Reach::Likely && (self.is_short || !is_pair) {
            all.clear();
        }
        for (number, read) in all.iter().enumerate() {
            for other in all[number + 1..].iter().filter(|other| other.bytes == read.bytes) {
                let (held, texts) = (Held::Place(**other), [text(other), text(read)]);
                found.push(Contents { held, place: **read, text: texts });
            }
        }
        found
    }

    /// Checks all continuations from a node: what was shown, and the nodes that were weakened; nothing if it fails.
    fn check(&mut self, node: Node, budget: &Budget) -> Result<Option<CheckedNode>, Stop> {
        let count = self.known.get(&node).map_or(0, |known| known.step.pairings.len());
        let mut said = vec![];
        let mut weakened = BTreeSet::new();
        for number in 0..count {
            loop {
                if budget.is_over() || self.rounds > ROUNDS {
                    return Ok(None);
                }
                match self.ask(node, number, budget)? {
                    Asked::Holds(obligations) => {
                        said.extend(obligations);
                        break;
                    }
                    Asked::Weakened(target) => {
                        self.rounds += 1;
                        weakened.insert(target);
                        if target == node {
                            // What it starts from is less now.
                            return Ok(Some((said, weakened)));
                        }
                    }
                    Asked::Fails => return Ok(None),
                }
            }
        }
        Ok(Some((said, weakened)))
    }

    /// Asks whether a pair of continuations can be wrong, or violates the invariant of where it leads.
    fn ask(&mut self, node: Node, number: usize, budget: &Budget) -> Result<Asked, Stop> {
        let target = match self.known.get(&node) {
            Some(known) => known.step.pairings[number].target,
            None => return Ok(Asked::Fails),
        };
        let ends = target.into_iter().all(CutPoint::is_over);
        if !ends && !self.known.contains_key(&target) {
            self.learn(target, &[])?;
        }
        let name = claim(&self.stepping_name(node), number);
        let (Some(known), goal) = (self.known.get(&node), self.known.get(&target)) else {
            return Ok(Asked::Fails);
        };
        let pairing = &known.step.pairings[number];
        let stepping = &mut self.stepping;
        // What is given.
        let at = &known.step.at;
        let terms = known.step.terms();
        let space = &mut stepping.product.space;
        let mut given = known.invariant.said_of(space, &terms)?;
        let memories = [&at[0].memory[..], &at[1].memory[..]];
        for contents in &known.invariant.contents {
            given.push(contents.said_of(space, &terms, &terms, memories)?);
        }
        for expressed in &known.invariant.expressed {
            given.push(expressed.said_of(space, &terms, &terms)?);
        }
        given.push(pairing.when);
        let mut related = vec![];
        for known in &known.invariant.related {
            related.push(known.said_of(space, &terms, &terms)?);
        }
        let symbols = known.invariant.substitution(space, &terms)?;
        let mut replace = Given { symbols, ..Given::default() };
        known.invariant.replace_expressed(space, &terms, &mut replace.symbols)?;
        stepping.given_memory(&known.step, &known.invariant, &mut replace)?;
        let space = &mut stepping.product.space;
        // What is to be shown.
        let mut claims = vec![(Claim::Needed, pairing.wrong)];
        if let (false, Some(goal)) = (ends, goal) {
            let there = pairing.terms();
            let symbols = goal.step.terms();
            let memories = [&pairing.memory[0][..], &pairing.memory[1][..]];
            for (claim, said) in goal.invariant.equations_said_of(space, &there)? {
                claims.push((claim, space.not(said)?));
            }
            for (n, said) in goal.invariant.facts_said_of(space, &there)?.into_iter().enumerate() {
                claims.push((Claim::Fact(n), space.not(said)?));
            }
            for (n, contents) in goal.invariant.contents.iter().enumerate() {
                let said = contents.said_of(space, &symbols, &there, memories)?;
                claims.push((Claim::Contents(n), space.not(said)?));
            }
            for (n, expressed) in goal.invariant.expressed.iter().enumerate() {
                let said = expressed.said_of(space, &symbols, &there)?;
                claims.push((Claim::Expressed(n), space.not(said)?));
            }
            for (n, related) in goal.invariant.related.iter().enumerate() {
                let (left, right) = related.said_of(space, &symbols, &there)?;
                claims.push((Claim::Related(n), space.pool.ne(left, right)?));
            }
            let memory = stepping.memory_differs(pairing, &goal.invariant)?;
            claims.extend(memory.into_iter().map(|(region, term)| (Claim::Memory(region), term)));
        }
        let space = &mut stepping.product.space;
        let mut axioms = vec![];
        let near: &[TermId] = if pairing.is_far { &[] } else { &known.step.near };
        for fact in known.step.given.iter().chain(near) {
            axioms.push(replace.put(space, *fact)?);
        }
        let posed = Posed { name, given, axioms, replace, claims, related };
        match self.settle(&posed, (node, number), budget)? {
            Settled::Holds(obligations) => Ok(Asked::Holds(obligations)),
            Settled::Fails => Ok(Asked::Fails),
            Settled::Violated(_)
                if self.reach == Reach::Likely && self.is_strange(node, target) =>
            {
                Ok(Asked::Fails)
            }
            Settled::Violated(model) => self.weaken(node, number, target, &model, &posed),
            Settled::Undecided(claims) => {
                if let Some(goal) = self.known.get_mut(&target) {
                    goal.invariant.drop_claims(&claims);
                }
                Ok(Asked::Weakened(target))
            }
        }
    }

    /// Whether a place is inside of both versions and no run passes it, although some are known; and it is not where
    /// both versions come first.
    pub(super) fn is_strange(&self, from: Node, target: Node) -> bool {
        let points = &self.alignment.points;
        let passed = points.is_empty() || points.contains_key(&target);
        let inside = |node: Node| !node.into_iter().any(|p| p.is_over() || p == CutPoint::Start);
        !passed && inside(from) && inside(target)
    }

    /// What is unsatisfiable, as an obligation. One that is too long to be written down could not be checked by another
    /// solver, so it is no proof.
    pub fn shown(&self, name: &str, assertions: &[TermId]) -> Shown {
        let pool = &self.stepping.product.space.pool;
        match obligation::script(pool, name, assertions) {
            None if !assertions.contains(&pool.falsity()) => Shown::TooLong,
            obligation => Shown::Written(obligation),
        }
    }

    fn stepping_name(&self, node: Node) -> String {
        let name =
            |side: usize| self.stepping.cut.place_name(&self.stepping.task, side, node[side]);
        format!("{} and {}", name(0), name(1))
    }

    /// Weakens the invariant of a target so that it holds of a model.
    fn weaken(
        &mut self,
        node: Node,
        number: usize,
        target: Node,
        model: &Assignment,
        posed: &Posed,
    ) -> Result<Asked, Stop> {
        let Some(known) = self.known.get(&node) else { return Ok(Asked::Fails) };
        let pairing = &known.step.pairings[number];
        let (values, flags) = (pairing.values.clone(), pairing.flags.clone());
        let wrong = pairing.wrong;
        let space = &mut self.stepping.product.space;
        let replace = &posed.replace;
        let mut evaluator = Evaluator::new(model);
        let mut holds = |space: &mut Space, term: TermId| -> Result<bool, LogicError> {
            let term = replace.put(space, term)?;
            Ok(evaluator.holds(&space.pool, term).unwrap_or(false))
        };
        if target.into_iter().all(CutPoint::is_over) || holds(space, wrong)? {
            return Ok(Asked::Fails);
        }
        let (mut broken, mut apart) = (vec![], vec![]);
        for (claim, violated) in &posed.claims {
            match claim {
                Claim::Contents(_) | Claim::Expressed(_) if holds(space, *violated)? => {
                    broken.push(claim.clone());
                }
                Claim::Memory(region) if holds(space, *violated)? => apart.push(*region),
                _ => {}
            }
        }
        let Some(point) = replace.point(space, model, [&values, &flags])? else {
            return Ok(Asked::Fails);
        };
        let Some(goal) = self.known.get_mut(&target) else { return Ok(Asked::Fails) };
        let before = goal.invariant.stated();
        let mut changed = goal.invariant.join(&point);
        if !goal.invariant.follows_from(&before) {
            self.stale.insert(target);
        }
        changed |= !broken.is_empty() || !apart.is_empty();
        goal.invariant.drop_claims(&broken);
        for region in apart {
            goal.invariant.except.remove(&region);
            goal.invariant.apart.insert(region);
        }
        if changed { Ok(Asked::Weakened(target)) } else { Ok(Asked::Fails) }
    }
}

fn claim(node: &str, number: usize) -> String {
    format!("from {node}: continuation {number} keeps the invariant")
}
