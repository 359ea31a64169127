//! Termination: from which entry states both versions end alike (T), and from which exactly one does (S).
//!
//! Each version is looked at for itself ([`side`]): E is a condition from which every run of it ends, N one from which
//! none does. With E and N of the old version, E' and N' of the new one:
//!
//! | rule | adds | because |
//! |---|---|---|
//! | `always-ends` | `true` to T, where E and E' hold everywhere | both end |
//! | `ends-alike` | E and E', or N and N', to T | both end, or neither does; the latter only for code without input and output, since T speaks of what is put out, too |
//! | `only-old-ends` | E and N' to S | exactly one ends |
//! | `only-new-ends` | N and E' to S | the same |
//!
//! E and N are proved from below by ranking functions ([`rank`]) and recurrent sets ([`cycle`]), bit by bit: what wraps
//! does so here, too. To end is to return, to trap or to exit. Whatever is not known (what a callee gives, what is in
//! memory) may be anything, so E holds from every state, also from those that a caller makes; N is only claimed of code
//! that does exactly what its formula says ([`side`]).
//!
//! Loops over memory: a pointer that is followed upwards leaves every object at last, and the access then traps. So
//! `while (*p) p++;` ends, by a zero or by a trap. A walk along pointers in memory need not.
//!
//! Nothing is said of code that calls what may wait or never come back, of indirect calls, and of recursion through
//! several cycles.

mod atoms;
mod body;
mod cached_queries;
mod cycle;
mod minimiser;
mod preconditions;
mod rank;
mod side;
mod trace;
mod witness;

use minimiser::{Minimiser, Signedness};
use side::{Argument, Ending};
use std::rc::Rc;
use verdiff_judge::{
    Addition, Budget, Candidate, CandidateKind, Engine, Evidence, Field, Findings, Incomplete,
    Ranking, Rule, Side, StopReason, Task,
};
use verdiff_logic::solver::Z3;
use verdiff_logic::{EntrySymbol, Formula, LogicError, TermId, TermPool};
use verdiff_model::outline::Reach;
use verdiff_model::{CType, Type};
use verdiff_product::Facts;
use verdiff_product::entry::assumed_condition;
use verdiff_product::stop::attempt_reason;
use verdiff_symex::execute::Stop;

/// Its name in reports.
const NAME: &str = "termination";

/// The engine. One instance serves one comparison.
pub struct Termination {
    facts: Rc<Facts>,
}

impl Termination {
    /// An engine for the comparison that the facts are about.
    pub fn new(facts: &Rc<Facts>) -> Termination {
        Termination { facts: facts.clone() }
    }
}

impl Engine for Termination {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run(&mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let _contexts = Z3::keep_contexts();
        let comparison = task.comparison;
        let nothing = |why| Findings::nothing(StopReason::incomplete(why));
        if task.judgement.is_alike() {
            return Findings::default();
        }
        let pair = comparison.pair(task.pair);
        if !pair.same_interface {
            return nothing(Incomplete::Signature);
        }
        if comparison.settings.overflow_undefined {
            return nothing(Incomplete::UndefinedOverflow);
        }
        let all = match self.facts.about(task) {
            Ok(facts) => facts,
            Err(reason) => return Findings::nothing(reason),
        };
        let written = all.written();
        if !Side::BOTH.into_iter().any(|side| written.is_unbounded(side, pair.of(side))) {
            return nothing(Incomplete::NoCycle);
        }
        if !Side::BOTH.into_iter().all(|side| written.terminates_if_finite(side, pair.of(side))) {
            return nothing(Incomplete::OpenCalls);
        }
        let facts = all.outlined(Reach::Loop);
        let mut endings = vec![];
        for side in Side::BOTH {
            let share = budget.at_most(budget.left() / (2 - side.index() as u64));
            match side::decide(task, facts, side, pair.of(side), &share) {
                Ok(Some(ending)) => endings.push(ending),
                Ok(None) => return nothing(Incomplete::Tangled),
                Err(Stop::Effort) => return Findings::nothing(StopReason::Time),
                Err(stop) => return nothing(attempt_reason(task, &stop)),
            }
        }
        let Ok(endings) = <[Ending; 2]>::try_from(endings) else {
            return nothing(Incomplete::Tangled);
        };
        let quiet = Side::BOTH.into_iter().all(|s| !facts.effects(s, pair.of(s)).world);
        let given = match preconditions::is_assumed(task) {
            true => assumed_condition(task, facts, budget).ok().flatten(),
            false => Some(Formula::truth()),
        };
        match Joined::of(task, endings, quiet, given, budget) {
            Ok(joined) => joined.findings(task, budget),
            Err(error) => nothing(Incomplete::Formula(error.to_string())),
        }
    }
}

/// Both versions' conditions in one pool, over the old version's names.
struct Joined {
    pool: TermPool,
    endings: [Ending; 2],
    /// T, by its two rules, and whether they are all of it.
    alike: TermId,
    both_end: TermId,
    /// S, by the side that ends.
    alone: [TermId; 2],
}

impl Joined {
    /// `given` is what the user takes for granted; nothing if that is not known.
    fn of(
        task: &Task<'_>,
        mut endings: [Ending; 2],
        quiet: bool,
        given: Option<Formula>,
        budget: &Budget,
    ) -> Result<Joined, LogicError> {
        let mut pool = TermPool::new();
        let mut conditions = vec![];
        for ending in &mut endings {
            let ends = renamed(task, ending, ending.ends)?;
            let never = renamed(task, ending, ending.never)?;
            conditions.push([ends.build(&mut pool)?, never.build(&mut pool)?]);
        }
        let [[ends, never], [ends_new, never_new]] = [conditions[0], conditions[1]];
        let (truth, falsity) = (pool.truth(), pool.falsity());
        let mut both_end = pool.and(&[ends, ends_new])?;
        let neither = if quiet { pool.and(&[never, never_new])? } else { falsity };
        let mut alike = pool.or(&[both_end, neither])?;
        let given = given.map(|given| given.build(&mut pool)).transpose()?;
        let signed = signedness(task, &pool);
        let mut minimiser = Minimiser { pool: &mut pool, budget: *budget, signed };
        // From preconditions that exclude each other everything would follow. Where they are not known T holds without
        // them, and nothing is said of S: the hang may be one that is excluded.
        let given = match given {
            Some(given) if given != truth && minimiser.is_never(given)? => None,
            known => known,
        };
        let mut alone = [falsity; 2];
        if let Some(given) = given {
            alone[0] = minimiser.pool.and(&[given, ends, never_new])?;
            alone[1] = minimiser.pool.and(&[given, never, ends_new])?;
            for condition in [&mut both_end, &mut alike] {
                let not = minimiser.pool.not(*condition)?;
                let elsewhere = minimiser.pool.and(&[given, not])?;
                if minimiser.is_never(elsewhere)? {
                    *condition = truth;
                }
            }
        }
        for condition in &mut alone {
            *condition = minimiser.simplest(*condition)?;
        }
        let split = minimiser.pool.or(&alone)?;
        let elsewhere = minimiser.pool.not(split)?;
        let open = minimiser.pool.not(alike)?;
        let open = minimiser.pool.and(&[elsewhere, open])?;
        // Where all is decided T is what S leaves.
        alike = match minimiser.is_never(open)? {
            true => minimiser.simplest(elsewhere)?,
            false => minimiser.simplest(alike)?,
        };
        Ok(Joined { pool, endings, alike, both_end, alone })
    }

    fn findings(mut self, task: &Task<'_>, budget: &Budget) -> Findings {
        let mut found = Findings::default();
        if let Err(error) = self.collect(task, budget, &mut found) {
            return Findings::nothing(StopReason::incomplete(Incomplete::Formula(
                error.to_string(),
            )));
        }
        if found.additions.is_empty() {
            found.stopped = Some(StopReason::incomplete(Incomplete::Termination));
        }
        found
    }

    fn collect(
        &mut self,
        task: &Task<'_>,
        budget: &Budget,
        found: &mut Findings,
    ) -> Result<(), LogicError> {
        let falsity = self.pool.falsity();
        if self.alike != falsity {
            let always = self.both_end == self.pool.truth();
            let formula = Formula::of(&self.pool, self.alike)?;
            let ranked = self.ranked();
            let rule = match always {
                true => Rule::AlwaysEnds { ranked: Some(ranked) },
                false => Rule::EndsAlike { ranked },
            };
            let evidence = self.evidence(Field::AlikeUnder, rule, &[true, true], !always);
            found.additions.push(Addition::new(formula, evidence));
            let signed = Signedness::default();
            let mut minimiser = Minimiser { pool: &mut self.pool, budget: *budget, signed };
            // A question without an answer is no run in which both terminate.
            found.common_run = always || minimiser.is_possible(self.both_end);
        }
        for side in Side::BOTH {
            let condition = self.alone[side.index()];
            if condition == falsity {
                continue;
            }
            let formula = Formula::of(&self.pool, condition)?;
            let never_leaves = places(&self.endings[side.other().index()].never_by);
            let rule = Rule::only_ends(side, never_leaves);
            let uses = [side == Side::Old, side == Side::New];
            let evidence = self.evidence(Field::SplitUnder, rule, &uses, true);
            let addition = Addition::new(formula, evidence);
            if !task.comparison.settings.ignore_termination
                && let Some((old, new)) = witness::find(task, &mut self.pool, condition, side)?
            {
                found.candidates.push(Candidate {
                    condition: Some(addition.clone()),
                    kind: CandidateKind::Hang { ends: side },
                    ..Candidate::new(NAME, old, new)
                });
            }
            found.additions.push(addition);
        }
        Ok(())
    }

    fn evidence(&self, adds: Field, rule: Rule, ends: &[bool; 2], never: bool) -> Evidence {
        let mut obligations = vec![];
        for (ending, wanted) in self.endings.iter().zip(ends) {
            if *wanted {
                let all = ending.ends_by.iter().flat_map(|a| &a.reason.obligations);
                obligations.extend(all.cloned());
            }
            if never && (!wanted || adds == Field::AlikeUnder) {
                let all = ending.never_by.iter().flat_map(|a| &a.reason.obligations);
                obligations.extend(all.cloned());
            }
        }
        Evidence { obligations, ..Evidence::new(adds, NAME, rule) }
    }

    /// Which ranking function decreases in which loop.
    fn ranked(&self) -> Vec<Ranking> {
        let mut all: Vec<Ranking> = vec![];
        for argument in self.endings.iter().flat_map(|e| &e.ends_by) {
            let (procedure, functions) = (argument.place.clone(), argument.ranks.clone());
            let ranking = Ranking { procedure, functions };
            if !all.contains(&ranking) {
                all.push(ranking);
            }
        }
        all
    }
}

fn places(arguments: &[Argument]) -> Vec<String> {
    let mut places: Vec<String> = arguments.iter().map(|a| a.place.clone()).collect();
    places.dedup();
    places
}

/// A condition over a version's parameters, over the names of the old version's.
fn renamed(task: &Task<'_>, ending: &mut Ending, condition: TermId) -> Result<Formula, LogicError> {
    let pool = &mut ending.space.pool;
    let old = task.comparison.procedure(task.pair, Side::Old);
    let spoken_of = pool.free_names(&[condition]).symbols;
    let mut map = vec![];
    let mut names: Vec<&str> = vec![];
    for (param, term) in old.params.iter().zip(&ending.params) {
        let var = old.var(*param);
        let sort = pool.sort(*term);
        let usable = EntrySymbol::is_parameter_name(&var.name);
        let taken = !usable || names.contains(&var.name.as_str());
        names.push(&var.name);
        if !pool.as_symbol(*term).is_some_and(|symbol| spoken_of.contains(&symbol)) {
            continue;
        }
        // Of two parameters of one name nothing can be said, and of addresses nothing is of use.
        match pool.symbol(&var.name, sort) {
            Ok(symbol) if !taken && var.ty != Type::Ptr => map.push((*term, symbol)),
            _ => return Formula::of(pool, pool.falsity()),
        }
    }
    let condition = pool.substitute(condition, &map.into_iter().collect())?;
    Formula::of(pool, condition)
}

/// Whether the parameters are signed, as their C types have it.
fn signedness(task: &Task<'_>, pool: &TermPool) -> Signedness {
    let types = &task.comparison.old.program.ctypes;
    let procedure = task.comparison.procedure(task.pair, Side::Old);
    let vars = procedure.params.iter().map(|param| procedure.var(*param));
    let sign = |var: &verdiff_model::Var| {
        let (symbol, ctype) = (pool.find_symbol(&var.name)?, var.ctype?);
        match types.get(types.resolve(ctype)) {
            CType::Int { signed, .. } | CType::Enum { signed, .. } => Some((symbol, *signed)),
            _ => None,
        }
    };
    vars.filter_map(sign).collect()
}
