//! Facts that Horn clauses suggest.
//!
//! Runs show what holds of them; what is needed may be something else: `front + back <= k`, a bound that no run comes near,
//! or one of two things. So the steps of an alignment are made a system of Horn clauses over the integers
//! ([`verdiff_logic::horn`]), with a predicate for each node. Its rules: a step leads from one node to another one; outcomes
//! do not differ; equations that say what a variable is, as runs show them, stay true; and no step leads to a place inside of both
//! versions that no run passes. What solves the system is a conjunction of disjunctions of linear inequalities for each node.
//!
//! Nothing rests on that. The equations are put into the steps as if they were known to hold, numbers have no bounds, and
//! memory and pointers are anything: so the solution may be wrong or say too little. Its parts are facts like those that are
//! guessed from runs: shown of every continuation, bit-precisely, or dropped.

use super::facts::Fact;
use super::given::Given;
use super::invariant::{Terms, Var};
use super::prove::{Known, Proving};
use super::runs::Point;
use super::step::Stepping;
use super::{CutPoint, Node};
use std::collections::BTreeMap;
use verdiff_judge::Budget;
use verdiff_logic::horn::{Clause, Part, System};
use verdiff_logic::{LogicError, Op, TermId, TermPool};
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// What a system is worth at most.
const SHARE: u64 = 3;
/// Nodes with more variables make no system.
const MOST_VARS: usize = 14;
/// Sums of numbers with more bits than this are not said.
const MOST_BITS: u32 = 100;

/// How much a system says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horn {
    /// What outcomes depend on.
    Plain,
    /// And that what counts does not wrap: the numbers are as large as their widths allow.
    InRange,
}

/// One of several things holds, each a linear inequality of signed numbers or a truth value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disjunction(Vec<Either>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Either {
    /// A sum of variables with factors, as integers, is at least a number.
    AtLeast { sum: Vec<(Var, i64)>, least: i64 },
    /// A truth value.
    Is(Var, bool),
}

impl Disjunction {
    /// What a clause says of these variables.
    fn of(clause: &Clause, vars: &[Var]) -> Disjunction {
        let either = clause.iter().map(|part| match part {
            Part::AtLeast { sum, least } => Either::AtLeast {
                sum: sum.iter().map(|(argument, factor)| (vars[*argument], *factor)).collect(),
                least: *least,
            },
            Part::Is(argument, truth) => Either::Is(vars[*argument], *truth),
        });
        Disjunction(either.collect())
    }

    pub fn holds(&self, point: &Point) -> bool {
        self.0.iter().any(|either| match either {
            Either::AtLeast { sum, least } => {
                let parts = sum.iter().map(|(var, factor)| var.signed(point) * i128::from(*factor));
                parts.sum::<i128>() >= i128::from(*least)
            }
            Either::Is(var, truth) => (var.number(point) != 0) == *truth,
        })
    }

    /// It as a term, whose sums have so many bits that they do not wrap.
    pub fn term(&self, space: &mut Space, terms: &Terms<'_>) -> Result<TermId, LogicError> {
        let mut parts = vec![];
        for either in &self.0 {
            parts.push(match either {
                Either::AtLeast { sum, least } => at_least(space, terms, sum, *least)?,
                Either::Is(var, truth) => {
                    let (term, number) =
                        (var.term(space, terms)?, space.pool.bits(var.width, u128::from(*truth))?);
                    space.pool.eq(term, number)?
                }
            });
        }
        space.or(&parts)
    }
}

fn at_least(
    space: &mut Space,
    terms: &Terms<'_>,
    sum: &[(Var, i64)],
    least: i64,
) -> Result<TermId, LogicError> {
    // One variable against another one, or against a number that it has bits for: as the code compares them.
    let fits = |var: &Var| var.width == 64 || least.unsigned_abs() < 1 << (var.width - 1);
    match sum {
        [(more, 1), (less, -1)] | [(less, -1), (more, 1)]
            if least == 0 && more.width == less.width =>
        {
            let (more, less) = (more.term(space, terms)?, less.term(space, terms)?);
            return space.pool.bv_sle(less, more);
        }
        [(var, factor @ (1 | -1))] if fits(var) => {
            let term = var.term(space, terms)?;
            let bound = space.pool.bits_signed(var.width, i128::from(least * factor))?;
            return match factor {
                1 => space.pool.bv_sle(bound, term),
                _ => space.pool.bv_sle(term, bound),
            };
        }
        _ => {}
    }
    let bits = |number: i64| 65 - number.unsigned_abs().leading_zeros();
    let widest = sum.iter().map(|(var, factor)| var.width + bits(*factor)).max().unwrap_or(1);
    let width = widest.max(bits(least)) + bits(sum.len() as i64);
    let mut whole = space.pool.bits_signed(width, 0)?;
    for (var, factor) in sum {
        let term = var.term(space, terms)?;
        let term = space.pool.sign_extend(width - var.width, term)?;
        let factor = space.pool.bits_signed(width, i128::from(*factor))?;
        let part = space.pool.bv_mul(factor, term)?;
        whole = space.pool.bv_add(whole, part)?;
    }
    let least = space.pool.bits_signed(width, i128::from(least))?;
    let term = space.pool.bv_sle(least, whole)?;
    space.tidy(term)
}

/// A node in a system.
struct Place {
    predicate: usize,
    /// What the predicate is about, and these as terms where a step begins, with what is given put in.
    vars: Vec<Var>,
    terms: Vec<TermId>,
    given: Given,
}

impl Proving<'_, '_> {
    /// Adds what Horn clauses suggest to the invariants of all nodes that runs pass. Whether that is anything.
    pub(super) fn guess_by_horn(&mut self, horn: Horn, budget: &Budget) -> Result<bool, Stop> {
        let nodes = self.learn_passed(budget)?;
        let alignment = self.alignment;
        let points = &alignment.points;
        let mut places: BTreeMap<Node, Place> = BTreeMap::new();
        let mut rules: Vec<Rule> = vec![];
        for (number, node) in nodes.iter().enumerate() {
            let Some(known) = self.known.get(node) else { continue };
            let given = given(&mut self.stepping, known)?;
            let mut vars = self.stepping.cut.vars(&self.stepping.task, *node);
            let terms = known.step.terms();
            let said = |var: &Var| {
                let symbol = terms.values[var.side][var.index];
                !var.pointer && var.width <= 64 && !given.symbols.contains_key(&symbol)
            };
            vars.retain(said);
            let terms = vars.iter().map(|var| terms.values[var.side][var.index]).collect();
            if vars.len() > MOST_VARS {
                return Ok(false);
            }
            // The start has no predicate: from there on all states are possible.
            let predicate = number.checked_sub(1).unwrap_or(usize::MAX);
            places.insert(*node, Place { predicate, vars, terms, given });
        }
        for node in &nodes {
            let (Some(known), Some(place)) = (self.known.get(node), places.get(node)) else {
                continue;
            };
            let start = *node == [CutPoint::Start, CutPoint::Start];
            let from = (!start).then(|| (place.predicate, place.terms.clone()));
            for pairing in &known.step.pairings {
                let space = &mut self.stepping.product.space;
                let when = place.given.put(space, pairing.when)?;
                let mut never = |space: &mut Space, wrong: TermId| -> Result<(), LogicError> {
                    let wrong = place.given.put(space, wrong)?;
                    let all = space.and(&[when, wrong])?;
                    if space.tidy(all)? != space.pool.falsity() {
                        rules.push(Rule { from: from.clone(), given: vec![when, wrong], to: None });
                    }
                    Ok(())
                };
                never(space, pairing.wrong)?;
                if pairing.target.into_iter().all(CutPoint::is_over) {
                    continue;
                }
                let target = self.known.get(&pairing.target).zip(places.get(&pairing.target));
                let Some((goal, there)) = target.filter(|_| points.contains_key(&pairing.target))
                else {
                    let truth = space.pool.truth();
                    never(space, truth)?;
                    continue;
                };
                for said in goal.invariant.needed_of(space, &pairing.terms())? {
                    let broken = space.not(said)?;
                    never(space, broken)?;
                }
                let mut arguments = vec![];
                for var in &there.vars {
                    let value = pairing.values[var.side][var.index];
                    arguments.push(place.given.put(space, value)?);
                }
                let to = Some((there.predicate, arguments));
                rules.push(Rule { from: from.clone(), given: vec![when], to });
            }
        }
        let most = budget.left() / SHARE;
        let pool = &self.stepping.product.space.pool;
        let Some(found) = solved(pool, horn, &nodes, &places, &rules, most) else {
            return Ok(false);
        };
        let mut any = false;
        for (node, place) in &places {
            let (Some(known), Some(clauses)) =
                (self.known.get_mut(node), found.get(place.predicate))
            else {
                continue;
            };
            let disjunctions = clauses.iter().map(|clause| Disjunction::of(clause, &place.vars));
            let usual = disjunctions.filter(Disjunction::is_usual).map(Fact::Suggested);
            let points = self.alignment.points.get(node).map_or(&[][..], Vec::as_slice);
            any |= known.invariant.suggest(usual.collect(), points);
        }
        Ok(any)
    }

    /// Executes all nodes that runs pass, the start first.
    fn learn_passed(&mut self, budget: &Budget) -> Result<Vec<Node>, Stop> {
        let mut nodes = vec![[CutPoint::Start, CutPoint::Start]];
        let mut at = 0;
        while at < nodes.len() {
            if budget.is_over() {
                return Err(Stop::Effort);
            }
            let node = nodes[at];
            if !self.known.contains_key(&node) {
                self.learn(node, &[])?;
            }
            let targets = self.known.get(&node).map_or(&[][..], |known| &known.step.pairings[..]);
            let passed = |target: &Node| {
                self.alignment.points.contains_key(target)
                    && !target.iter().all(|place| place.is_over())
            };
            let targets: Vec<Node> =
                targets.iter().map(|pairing| pairing.target).filter(passed).collect();
            for target in targets {
                if !nodes.contains(&target) {
                    nodes.push(target);
                }
            }
            at += 1;
        }
        Ok(nodes)
    }
}

impl Disjunction {
    /// Whether its sums have few enough bits.
    fn is_usual(&self) -> bool {
        self.0.iter().all(|either| match either {
            Either::AtLeast { sum, .. } => sum.iter().all(|(var, factor)| {
                var.width > 1 && var.width + 64 - factor.unsigned_abs().leading_zeros() < MOST_BITS
            }),
            Either::Is(var, _) => var.width == 1,
        })
    }
}

/// A rule of a system, over terms of the pool.
struct Rule {
    from: Option<(usize, Vec<TermId>)>,
    given: Vec<TermId>,
    to: Option<(usize, Vec<TermId>)>,
}

/// What is put into the steps from a node.
fn given(stepping: &mut Stepping<'_, '_>, known: &Known) -> Result<Given, LogicError> {
    let terms = known.step.terms();
    let space = &mut stepping.product.space;
    let symbols = known.invariant.substitution(space, &terms)?;
    let mut given = Given { symbols, ..Given::default() };
    known.invariant.replace_expressed(space, &terms, &mut given.symbols)?;
    stepping.given_memory(&known.step, &known.invariant, &mut given)?;
    Ok(given)
}

fn solved(
    pool: &TermPool,
    horn: Horn,
    nodes: &[Node],
    places: &BTreeMap<Node, Place>,
    rules: &[Rule],
    most: verdiff_logic::effort::Effort,
) -> Option<Vec<Vec<Clause>>> {
    let mut system = System::new(pool);
    if horn == Horn::InRange {
        system.keep_in_range();
    }
    // In the order of their numbers.
    for place in nodes.iter().skip(1).filter_map(|node| places.get(node)) {
        system.predicate(&place.terms);
    }
    for Rule { from, given, to } in rules {
        let from = from.as_ref().map(|(number, terms)| (*number, &terms[..]));
        let to = to.as_ref().map(|(number, terms)| (*number, &terms[..]));
        if let (Some(from), Some((_, terms)), Horn::InRange) = (from, to, horn) {
            let counts = |term: &TermId| terms.contains(term) || pool.op(*term) == Op::BvAdd;
            for term in pool.sub_terms(terms).into_iter().filter(counts) {
                system.stays_in_range(from, given, term);
            }
        }
        system.rule(from, given, to);
    }
    system.solve(most)
}
