//! What must hold where a move leads, asked of a solver: all at once, and in pieces where that is too hard.
//!
//! A piece that nobody decides is no proof. If it is an order of variables or what a place in memory holds, the invariant
//! of the target can do without: it is dropped there, as if a counterexample were known. All other pieces must be shown.

use super::Node;
use super::given::Given;
use super::prove::{CASES, Proving, Shown};
use super::widened::widen;
use std::collections::{BTreeSet, HashMap};
use verdiff_judge::{Budget, Obligation};
use verdiff_logic::effort::{self, Effort};
use verdiff_logic::solver::Answer;
use verdiff_logic::{Assignment, LogicError, Op, SymbolId, TermId, TermPool};
use verdiff_product::over_integers::{is_hard, over_integers};
use verdiff_product::solver_queries::{ask, by_cases, products};
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// What a fact is worth that is asked alone, at most.
const ALONE: Effort = Effort::millis(60);
/// What a claim with products or quotients is worth that is asked alone, over the integers.
const HARD: Effort = Effort::millis(120);
/// What all claims together are worth at first.
const AT_ONCE: Effort = Effort::millis(240);
/// What a question is worth in which variables were put in that are determined.
const PINNED: Effort = Effort::millis(120);
/// With products, so many cases are asked one by one before the whole is.
const FEW_CASES: usize = 4;
/// How many sets of variables are looked at for continuations that are never taken.
const MOST_SETS: usize = 10;
/// How many comparisons are looked at, inside of conditions.
const MOST_ATOMS: usize = 40;
/// Claims of more variables are not asked by themselves.
const MOST_OWN: usize = 5;

/// Something that must hold where a move leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Equal outcomes or worlds, and equations that say what a variable is.
    Needed,
    /// Another equation, by its class and its coefficients.
    Equation(usize, Vec<u64>),
    /// An order or a bound, by its number.
    Fact(usize),
    /// What a place in memory holds, by its number.
    Contents(usize),
    /// That a variable is what the other version computes, by its number.
    Expressed(usize),
    /// That terms are equal in words of functions, by its number.
    Related(usize),
    /// The memories of both sides are equal in a region, or equal except in a range.
    Memory(usize),
}

impl Claim {
    /// Whether the invariant of the target can do without.
    fn is_dispensable(&self) -> bool {
        use Claim::{Contents, Equation, Expressed, Fact, Related};
        matches!(self, Equation(..) | Fact(_) | Contents(_) | Expressed(_) | Related(_))
    }
}

/// A question: from what is given, can a claim be violated?
pub struct Posed {
    pub name: String,
    /// The invariant, and that this pair of continuations is taken.
    pub given: Vec<TermId>,
    /// What is known besides, with `replace` put in.
    pub axioms: Vec<TermId>,
    pub replace: Given,
    /// Equations in words of functions, that are given: only [`folds`](super::folds) knows what they say.
    pub related: Vec<(TermId, TermId)>,
    /// The claims, and when each is violated.
    pub claims: Vec<(Claim, TermId)>,
}

/// What a question is simplified by before a solver is asked.
#[derive(Default)]
struct Simpler {
    /// Comparisons that are known to hold or not to.
    decided: HashMap<TermId, TermId>,
    /// Sums that do not wrap.
    wide: HashMap<TermId, TermId>,
}

/// What came of a question.
pub enum Settled {
    Holds(Vec<Obligation>),
    Violated(Assignment),
    /// These were neither shown nor violated, and are dispensable.
    Undecided(Vec<Claim>),
    Fails,
}

impl Proving<'_, '_> {
    /// Settles all claims: those that orders show; the rest at once, if that was not too hard before; then those that
    /// follow from what is given of their own variables; then the rest at once; then one by one.
    pub fn settle(
        &mut self,
        posed: &Posed,
        asked: (Node, usize),
        budget: &Budget,
    ) -> Result<Settled, Stop> {
        let parts = self.parts(posed)?;
        if let Some(obligation) = self.never_taken(posed, &parts) {
            return Ok(Settled::Holds(vec![obligation]));
        }
        // Another answer than that it holds is looked for in the question as it is: it speaks of all variables.
        let pinned = match self.is_about_folds(posed) {
            true => None,
            false => self.pinned(posed, &parts, budget)?,
        };
        if let Some((simpler, mut shown)) = pinned {
            let claims: Vec<usize> = (0..simpler.claims.len()).collect();
            let most = PINNED.min(budget.left() / 4);
            let by = (&simpler, &Simpler::default());
            if let Settled::Holds(more) = self.piece(by, &claims, most, budget)? {
                shown.extend(more);
                return Ok(Settled::Holds(shown));
            }
        }
        let (all, mut shown) = self.without_ordered(posed, &parts)?;
        let all = match self.is_about_folds(posed) {
            false => all,
            true => {
                let (all, more) = self.without_folds(posed, &parts, all, budget)?;
                shown.extend(more);
                let related = |n: &&usize| matches!(posed.claims[**n].0, Claim::Related(_));
                let open: Vec<Claim> =
                    all.iter().filter(related).map(|n| posed.claims[*n].0.clone()).collect();
                // Nobody else knows what they say.
                if !open.is_empty() {
                    return Ok(Settled::Undecided(open));
                }
                if all.is_empty() {
                    return Ok(Settled::Holds(shown));
                }
                all
            }
        };
        // Sums of what is counted by what is read: they would make all the rest hard.
        let all = match self.is_by_horn {
            false => all,
            true => {
                let (mut facts, mut others) = (vec![], vec![]);
                for n in all {
                    let space = &mut self.stepping.product.space;
                    let violated = posed.replace.put(space, posed.claims[n].1)?;
                    let is_fact = matches!(posed.claims[n].0, Claim::Fact(_));
                    let of = if is_fact && reads(&space.pool, violated) {
                        &mut facts
                    } else {
                        &mut others
                    };
                    of.push(n);
                }
                let (open, more) = self.without_plain(posed, &parts, facts, budget)?;
                shown.extend(more);
                [others, open].concat()
            }
        };
        let wide = self.widened(posed, &parts, budget)?;
        if !self.hard.contains(&asked) {
            let nothing = Simpler { wide: wide.clone(), ..Simpler::default() };
            // What places hold, and that sums do not wrap, is rarely chance, and hard to show in another way.
            let hard = |claim: &(Claim, TermId)| match &claim.0 {
                Claim::Contents(_) => true,
                Claim::Equation(_, row) => {
                    row[..row.len() - 1].iter().filter(|c| **c != 0).count() > 1
                }
                _ => false,
            };
            let most = match posed.claims.iter().any(hard) {
                true => budget.left() / 8 * 3,
                false => AT_ONCE.min(budget.left() / 3),
            };
            match self.piece((posed, &nothing), &all, most, budget)? {
                Settled::Fails => {}
                Settled::Holds(obligations) => {
                    shown.extend(obligations);
                    return Ok(Settled::Holds(shown));
                }
                settled => return Ok(settled),
            }
            self.hard.insert(asked);
        }
        let simpler = Simpler { decided: self.decided(posed, &parts, budget)?, wide };
        let asking = (posed, &simpler);
        if let [one] = all[..] {
            return Ok(match self.piece(asking, &[one], budget.left() / 2, budget)? {
                Settled::Holds(obligations) => {
                    shown.extend(obligations);
                    Settled::Holds(shown)
                }
                settled => settled,
            });
        }
        let (rest, plain) = self.without_plain(posed, &parts, all, budget)?;
        shown.extend(plain);
        if budget.is_over() {
            return Ok(Settled::Fails);
        }
        let (rest, hard) = self.without_hard(posed, rest, budget)?;
        shown.extend(hard);
        match self.piece(asking, &rest, budget.left() / 8 * 3, budget)? {
            Settled::Fails => {}
            Settled::Holds(obligations) => {
                shown.extend(obligations);
                return Ok(Settled::Holds(shown));
            }
            settled => return Ok(settled),
        }
        let (dispensable, needed): (Vec<usize>, Vec<usize>) =
            rest.into_iter().partition(|n| posed.claims[*n].0.is_dispensable());
        for n in needed {
            match self.piece(asking, &[n], budget.left() / 2, budget)? {
                Settled::Holds(obligations) => shown.extend(obligations),
                settled => return Ok(settled),
            }
        }
        let mut undecided = vec![];
        let of_memory = |n: &usize| matches!(posed.claims[*n].0, Claim::Contents(_));
        let (contents, others): (Vec<usize>, Vec<usize>) =
            dispensable.into_iter().partition(of_memory);
        let mut open: Vec<Vec<usize>> = vec![others];
        open.extend(contents.into_iter().map(|n| vec![n]));
        while let Some(piece) = open.pop() {
            let most = match &piece[..] {
                [] => continue,
                [n] if of_memory(n) => budget.left() / 3,
                [_] => ALONE.min(budget.left() / 6),
                _ => budget.left() / 16,
            };
            match self.piece(asking, &piece, most, budget)? {
                Settled::Holds(obligations) => shown.extend(obligations),
                Settled::Fails if piece.len() == 1 => {
                    undecided.push(posed.claims[piece[0]].0.clone())
                }
                Settled::Fails => {
                    let (first, second) = piece.split_at(piece.len() / 2);
                    open.extend([second.to_vec(), first.to_vec()]);
                }
                settled => return Ok(settled),
            }
            if budget.is_over() {
                return Ok(Settled::Fails);
            }
        }
        match undecided.is_empty() {
            true => Ok(Settled::Holds(shown)),
            false => Ok(Settled::Undecided(undecided)),
        }
    }

    /// What is given, in parts.
    fn parts(&mut self, posed: &Posed) -> Result<Vec<Part>, Stop> {
        let space = &mut self.stepping.product.space;
        let given = space.and(&posed.given)?;
        let given = posed.replace.put(space, given)?;
        let mut parts = posed.axioms.clone();
        match space.pool.op(given) {
            Op::And => parts.extend(space.pool.operands(given)),
            _ => parts.push(given),
        }
        let of = |part: TermId| (part, space.pool.free_names(&[part]).symbols);
        Ok(parts.into_iter().map(of).collect())
    }

    /// That these continuations are never taken, if what is given of a few variables says so: two loops with counters that
    /// belong together do not end at different times.
    fn never_taken(&mut self, posed: &Posed, parts: &[Part]) -> Option<Obligation> {
        let mut tried: Vec<&Vec<SymbolId>> = vec![];
        for (_, names) in parts {
            if names.is_empty() || names.len() > MOST_OWN || tried.contains(&names) {
                continue;
            }
            if tried.len() == MOST_SETS {
                return None;
            }
            tried.push(names);
            let all = own(parts, names);
            if self.orders.is_contradiction(&self.stepping.product.space.pool, &all)
                && let Shown::Written(obligation) = self.shown(&posed.name, &all)
            {
                return obligation;
            }
        }
        None
    }

    /// The claims that do not follow from orders of what is given of their own variables, and what was shown of the others:
    /// as one obligation. Asked with the rest, bounds of counters would make a question about memory harder.
    fn without_ordered(
        &mut self,
        posed: &Posed,
        parts: &[Part],
    ) -> Result<(Vec<usize>, Vec<Obligation>), Stop> {
        let (mut rest, mut ordered) = (vec![], vec![]);
        let mut used: BTreeSet<TermId> = BTreeSet::new();
        for (claim, (kind, violated)) in posed.claims.iter().enumerate() {
            if !matches!(kind, Claim::Fact(_) | Claim::Equation(..)) {
                rest.push(claim);
                continue;
            }
            let space = &mut self.stepping.product.space;
            let violated = posed.replace.put(space, *violated)?;
            let names = space.pool.free_names(&[violated]).symbols;
            let given = own(parts, &names);
            let literals = given.iter().filter(|part| !reads(&space.pool, **part));
            let literals: Vec<TermId> = literals.copied().chain([violated]).collect();
            // What is read may decide which of two numbers is meant; orders leave that open.
            let few = names.len() <= MOST_OWN;
            if few && self.orders.is_contradiction(&space.pool, &literals) {
                used.extend(&literals[..literals.len() - 1]);
                ordered.push(violated);
            } else {
                rest.push(claim);
            }
        }
        let space = &mut self.stepping.product.space;
        let falsity = space.pool.falsity();
        ordered.retain(|violated| *violated != falsity);
        if ordered.is_empty() {
            return Ok((rest, vec![]));
        }
        let mut all: Vec<TermId> = used.into_iter().collect();
        all.push(space.or(&ordered)?);
        match self.shown(&format!("{} (orders)", posed.name), &all) {
            Shown::Written(obligation) => Ok((rest, obligation.into_iter().collect())),
            Shown::TooLong => Ok(((0..posed.claims.len()).collect(), vec![])),
        }
    }

    /// Comparisons inside of conditions that what is given of their own variables decides: in an unrolled loop that has four
    /// elements left, none of the four tests of the other version fails.
    fn decided(
        &mut self,
        posed: &Posed,
        parts: &[Part],
        budget: &Budget,
    ) -> Result<HashMap<TermId, TermId>, Stop> {
        let space = &mut self.stepping.product.space;
        let mut roots: Vec<TermId> = parts
            .iter()
            .map(|part| part.0)
            .filter(|part| !is_literal(&space.pool, *part))
            .collect();
        for (_, violated) in &posed.claims {
            roots.push(posed.replace.put(space, *violated)?);
        }
        let pool = &space.pool;
        let compares = |term: &TermId| matches!(pool.op(*term), Op::BvUlt | Op::BvSlt);
        let atoms: Vec<TermId> = pool.sub_terms(&roots).into_iter().filter(compares).collect();
        let mut found = HashMap::new();
        for atom in atoms.into_iter().take(MOST_ATOMS) {
            let names = space.pool.free_names(&[atom]).symbols;
            if names.is_empty() || names.len() > MOST_OWN || budget.is_over() {
                continue;
            }
            let known = own(parts, &names);
            let literals = known.iter().copied().filter(|part| is_literal(&space.pool, *part));
            let mut literals: Vec<TermId> = literals.collect();
            let (truth, falsity) = (space.pool.truth(), space.pool.falsity());
            let not = space.not(atom)?;
            literals.push(not);
            if self.orders.is_contradiction(&space.pool, &literals) {
                found.insert(atom, truth);
                continue;
            }
            literals.pop();
            literals.push(atom);
            if self.orders.is_contradiction(&space.pool, &literals) {
                found.insert(atom, falsity);
            }
        }
        Ok(found)
    }

    /// The claims that do not follow from what is given of their own variables alone, and what was shown of the others. An
    /// order of two counters rarely needs what is known of pointers and memory, which is what makes questions hard.
    fn without_plain(
        &mut self,
        posed: &Posed,
        parts: &[Part],
        claims: Vec<usize>,
        budget: &Budget,
    ) -> Result<(Vec<usize>, Vec<Obligation>), Stop> {
        let (mut rest, mut shown) = (vec![], vec![]);
        for claim in claims {
            let space = &mut self.stepping.product.space;
            let mut violated = posed.replace.put(space, posed.claims[claim].1)?;
            // What Horn clauses suggest holds whatever is read: nothing needs to be known of memory.
            if self.is_by_horn && matches!(posed.claims[claim].0, Claim::Fact(_)) {
                violated = whatever_is_read(space, violated)?;
            }
            let names = space.pool.free_names(&[violated]).symbols;
            let mut all: Vec<TermId> = own(parts, &names);
            if violated == space.pool.falsity() {
                continue;
            }
            let few = names.len() <= MOST_OWN && all.len() < parts.len();
            if !few || budget.is_over() {
                rest.push(claim);
                continue;
            }
            all.push(violated);
            let part = if self.is_by_horn { 3 } else { 8 };
            let share = budget.at_most(ALONE.min(budget.left() / part) * 2);
            let name = format!("{} (claim {claim})", posed.name);
            let unsat = self.orders.is_contradiction(&space.pool, &all)
                || matches!(ask(space, &all, &share), Answer::Unsat { .. });
            match unsat.then(|| self.shown(&name, &all)) {
                Some(Shown::Written(obligation)) => shown.extend(obligation),
                _ => rest.push(claim),
            }
        }
        Ok((rest, shown))
    }

    /// The claims that are not shown over the integers alone, and what was shown of the others: those that multiply or divide.
    /// A formula follows from other facts than orders do, and one that nobody can show must not make the others hard.
    fn without_hard(
        &mut self,
        posed: &Posed,
        claims: Vec<usize>,
        budget: &Budget,
    ) -> Result<(Vec<usize>, Vec<Obligation>), Stop> {
        let (mut rest, mut shown) = (vec![], vec![]);
        for claim in claims {
            let space = &mut self.stepping.product.space;
            let violated = posed.replace.put(space, posed.claims[claim].1)?;
            if !is_hard(&space.pool, &[violated]) || budget.is_over() {
                rest.push(claim);
                continue;
            }
            let mut given = posed.given.clone();
            given.push(posed.claims[claim].1);
            let whole = space.and(&given)?;
            let mut all = posed.axioms.clone();
            all.push(posed.replace.put(space, whole)?);
            let name = format!("{} (claim {claim})", posed.name);
            let most = HARD.min(budget.left() / 6);
            match over_integers(&space.pool, &name, &all, most) {
                Some(obligations) => shown.extend(obligations),
                None => rest.push(claim),
            }
        }
        Ok((rest, shown))
    }

    /// Asks whether one of these claims can be violated, with so much effort at most. It fails if that is not decided.
    fn piece(
        &mut self,
        (posed, by): (&Posed, &Simpler),
        claims: &[usize],
        most: Effort,
        budget: &Budget,
    ) -> Result<Settled, Stop> {
        if claims.is_empty() {
            return Ok(Settled::Holds(vec![]));
        }
        let space = &mut self.stepping.product.space;
        let wrong: Vec<TermId> = claims.iter().map(|n| posed.claims[*n].1).collect();
        let mut given = posed.given.clone();
        given.push(space.or(&wrong)?);
        let whole = space.and(&given)?;
        let whole = posed.replace.put(space, whole)?;
        if whole == space.pool.falsity() {
            return Ok(Settled::Holds(vec![]));
        }
        let mut all = posed.axioms.clone();
        all.push(whole);
        let name = match claims.len() == posed.claims.len() {
            true => posed.name.clone(),
            false => format!("{} (from claim {} on)", posed.name, claims[0]),
        };
        let space = &mut self.stepping.product.space;
        if is_hard(&space.pool, &all)
            && let Some(shown) = over_integers(&space.pool, &name, &all, most / 3)
        {
            return Ok(Settled::Holds(shown));
        }
        // The solver is asked the same with fewer comparisons and other sums; the obligation is the whole.
        let whole = simpler(space, whole, &by.decided)?;
        let whole = widen(space, whole, &by.wide)?;
        let mut asked = vec![];
        for axiom in &posed.axioms {
            asked.push(widen(space, *axiom, &by.wide)?);
        }
        asked.push(whole);
        // The solver gets half of it.
        let share = budget.at_most(most * 2);
        let multiplies = products(space, &[whole]) > 0;
        let until = effort::spent() + most / 2;
        let left = match whole == space.pool.falsity() {
            true => vec![],
            false => space.left_open(whole, CASES, until, multiplies)?,
        };
        let answer = match left.is_empty() {
            true => Answer::Unsat { core: vec![] },
            false => {
                // Many cases are dear, and often it does not matter what is multiplied.
                let first = match multiplies && left.len() > FEW_CASES {
                    true => Some(ask(space, &asked, &budget.at_most(most / 2))),
                    false => None,
                };
                let apart = match multiplies {
                    _ if first
                        .as_ref()
                        .is_some_and(|answer| !matches!(answer, Answer::Unknown(_))) =>
                    {
                        first
                    }
                    true => by_cases(space, &asked[..posed.axioms.len()], &left, &asked, &share)?,
                    false => None,
                };
                match apart {
                    Some(answer) => answer,
                    None => ask(space, &asked, &share),
                }
            }
        };
        Ok(match answer {
            Answer::Unsat { .. } => match self.shown(&name, &all) {
                Shown::Written(obligation) => Settled::Holds(obligation.into_iter().collect()),
                Shown::TooLong => Settled::Fails,
            },
            Answer::Unknown(_) => Settled::Fails,
            Answer::Sat(model) => Settled::Violated(model),
        })
    }
}

/// Whether a term speaks of what is in memory.
fn reads(pool: &TermPool, term: TermId) -> bool {
    pool.sub_terms(&[term]).iter().any(|term| pool.op(*term) == Op::Select)
}

/// A term with a new symbol in place of each number that is read from memory. If the result cannot hold together with other terms,
/// the term cannot: what is read is one of the values of the symbol.
fn whatever_is_read(space: &mut Space, term: TermId) -> Result<TermId, LogicError> {
    let mut map = HashMap::new();
    for read in space.pool.sub_terms(&[term]) {
        if space.pool.op(read) == Op::Select {
            let sort = space.pool.sort(read);
            map.insert(read, space.pool.fresh_symbol("read", sort)?);
        }
    }
    space.pool.substitute(term, &map.into_iter().collect())
}

/// Whether a term is a comparison, or that one does not hold.
pub fn is_literal(pool: &TermPool, term: TermId) -> bool {
    match pool.op(term) {
        Op::Not => is_literal(pool, pool.operands(term)[0]),
        op => matches!(op, Op::BvUlt | Op::BvSlt | Op::Eq),
    }
}

/// A conjunction in which comparisons are replaced by what they are known to be where it holds. Those that it consists of
/// stay: the others follow from them.
fn simpler(
    space: &mut Space,
    whole: TermId,
    decided: &HashMap<TermId, TermId>,
) -> Result<TermId, LogicError> {
    if decided.is_empty() || space.pool.op(whole) != Op::And {
        return Ok(whole);
    }
    let map = decided.iter().map(|(a, b)| (*a, *b)).collect();
    let mut parts = vec![];
    for part in space.pool.operands(whole).to_vec() {
        parts.push(match is_literal(&space.pool, part) {
            true => part,
            false => space.pool.substitute(part, &map)?,
        });
    }
    let simpler = space.and(&parts)?;
    space.tidy(simpler)
}

/// A part of what is given, and the variables that it speaks of.
pub type Part = (TermId, Vec<SymbolId>);

/// The parts that speak of some of these variables alone.
fn own(parts: &[Part], names: &[SymbolId]) -> Vec<TermId> {
    let of_own = |part: &&Part| !part.1.is_empty() && part.1.iter().all(|n| names.contains(n));
    parts.iter().filter(of_own).map(|part| part.0).collect()
}
