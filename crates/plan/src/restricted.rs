//! Equality for some inputs: the engine `correlate` proposes a precondition, and others prove it.
//!
//! `correlate` finds the states in which the ends of both versions may differ, and what holds of the parameters there.
//! Outside of all these states it found the ends equal. That is no proof another solver could check: its invariants are
//! polyhedra and linear forms over uninterpreted operations. So the complement P of these conditions is a *candidate*
//! here. Both versions get a guard, `if (!P) return 0;`, and all engines are asked whether the guarded functions are
//! equal.
//!
//! **Why it is sound.** Nothing rests on `correlate`. From an entry state that satisfies P, a guarded version takes one
//! branch, which changes nothing, and then does what the version does: its code is the same, and neither it nor what it
//! calls can call the guarded function again (a pair that may is not looked at). So if the guarded functions have equal
//! outcomes wherever both terminate, so have the versions wherever P holds, and U of the pair may grow by P, with the
//! evidence of that proof: its obligations are about machine integers and contain P as the branch that is taken. If the
//! proof holds in calls, so does this: P is about integer parameters alone, and nothing is assumed of the rest. P as a
//! formula comes from executing the same expression that the guard tests ([`assumed_condition`]); it is not written
//! twice. Nothing is taken but U: a predicted difference, or S of guarded functions, says nothing here.
//!
//! ✗ `n = -n; for (i = 0; i != n; i++) s++;` against `i < n`: equal for n >= 0 at the head of the loop, and the guard is
//! about the parameter. ✗ A guard on a recursive function also restricts the calls inside.

use crate::job::Judged;
use std::rc::Rc;
use verdiff_engines::Facts;
use verdiff_engines::entry::assumed_condition;
use verdiff_judge::correlation::{Compared, Correlation, Name, Relation};
use verdiff_judge::{
    Addition, Budget, Comparison, Evidence, Field, Judgement, Judgements, PairId, Rule, Side,
    StopReason, Task,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Formula, TermPool};
use verdiff_model::state::Value;
use verdiff_model::{
    BinaryOp, Block, BlockId, Const, Expr, Linkage, Procedure, Program, Terminator, TerminatorKind,
    Type, UnaryOp, VarId,
};

/// What one proof may take.
pub(crate) const EFFORT: Effort = Effort::millis(500);
/// Larger programs are not analysed a second time.
const MOST_STATEMENTS: usize = 2_000;
/// A precondition with more cases, or more relations in a case, says nothing to a reader.
const MOST_CASES: usize = 6;
const MOST_RELATIONS: usize = 6;
/// The name of the procedure that is added.
const NAME: &str = "verdiff.precondition";

/// What is known of the parameters in one state in which the ends may differ.
type Case = Vec<Relation>;

/// A precondition that is worth a proof, and both versions with it as a guard.
pub(crate) struct Guarded {
    /// Both versions.
    pub(crate) comparison: Comparison,
    /// The precondition.
    pub(crate) formula: Formula,
}

/// The preconditions that the correlated states of a pair suggest. The pair must not be recursive.
pub(crate) fn guarded(
    comparison: &Comparison,
    judged: &Judged,
    correlation: &Correlation,
    budget: &Budget,
) -> Vec<Guarded> {
    let pair = judged.pair;
    let function = &comparison.pair(pair).function;
    let settings = &comparison.settings;
    let given = settings.assume.iter().any(|(f, _)| f == function);
    if given || settings.overflow_undefined || !is_small(comparison) {
        return vec![];
    }
    let old = comparison.procedure(pair, Side::Old);
    let found = candidates(correlation).into_iter().filter_map(|cases| {
        let precondition = Precondition::of(old, cases)?;
        let predicted = judged.candidates.iter().any(|c| precondition.holds_of(&c.old.args));
        if predicted || budget.is_over() {
            return None;
        }
        let formula = precondition.formula(comparison, pair, budget)?;
        Some(Guarded { comparison: precondition.guarded(comparison, pair), formula })
    });
    found.collect()
}

impl Guarded {
    /// What U grows by if the guarded pair was judged so: the evidence of the additions that make it equal.
    pub(crate) fn additions(&self, judged: &Judged) -> Vec<Addition> {
        let internal = judged.stopped.as_ref().is_some_and(StopReason::is_internal);
        if !judged.judgement.is_equal() || !judged.candidates.is_empty() || internal {
            return vec![];
        }
        let in_calls = judged.judgement.is_equal_in_calls();
        let parts = judged.judgement.evidence().iter();
        let equal = parts.filter(|evidence| evidence.adds == Field::EqualUnder);
        let mut whole: Option<Evidence> = None;
        for evidence in equal {
            match &mut whole {
                None => whole = Some(evidence.clone()),
                Some(whole) => {
                    whole.obligations.extend(evidence.obligations.iter().cloned());
                    whole.uses.extend(&evidence.uses);
                    whole.assumes.extend(evidence.assumes.iter().cloned());
                }
            }
        }
        let addition = |evidence: Evidence| {
            let by = Box::new(evidence.rule.clone());
            let evidence = Evidence { rule: Rule::Guarded { by }, ..evidence };
            Addition::new(self.formula.clone(), evidence).in_calls(in_calls)
        };
        whole.map(addition).into_iter().collect()
    }
}

fn is_small(comparison: &Comparison) -> bool {
    let size = |program: &Program| {
        let blocks = program.procedures.iter().flat_map(|procedure| &procedure.blocks);
        blocks.map(|block| block.stmts.len() + 1).sum::<usize>()
    };
    [&comparison.old.program, &comparison.new.program]
        .map(size)
        .iter()
        .all(|n| *n <= MOST_STATEMENTS)
}

/// The cases to exclude: all in which an end may differ, or only those without an overflow, which is less.
fn candidates(correlation: &Correlation) -> Vec<Vec<Case>> {
    let mut found: Vec<Vec<Case>> = vec![];
    for with_overflow in [true, false] {
        let mut cases: Vec<Case> = vec![];
        for (state, entry) in correlation.differing_ends() {
            if (with_overflow || !state.overflowed) && !cases.contains(&entry.to_vec()) {
                cases.push(entry.to_vec());
            }
        }
        let short = cases.iter().all(|case| (1..=MOST_RELATIONS).contains(&case.len()));
        if short && (1..=MOST_CASES).contains(&cases.len()) && !found.contains(&cases) {
            found.push(cases);
        }
    }
    found
}

/// `sum of coefficient * parameter` compared with a constant, over mathematical integers.
struct LinearPrecondition {
    terms: Vec<(i128, usize)>,
    compared: Compared,
    constant: i128,
}

/// None of some cases holds.
struct Precondition<'p> {
    old: &'p Procedure,
    cases: Vec<Vec<LinearPrecondition>>,
}

impl<'p> Precondition<'p> {
    /// `None` if a relation speaks of anything but integer parameters.
    fn of(old: &'p Procedure, cases: Vec<Case>) -> Option<Precondition<'p>> {
        let row = |relation: &Relation| {
            let term = |(coefficient, name): &(String, Name)| {
                let Name::Entry(name) = name else { return None };
                let mut named =
                    (0..old.params.len()).filter(|at| old.var(old.params[*at]).name == *name);
                let at = named.next().filter(|_| named.next().is_none())?;
                width(old, at)?;
                // Small numbers: no sum of them can leave 128 bits.
                let coefficient: i128 = coefficient.parse().ok()?;
                (coefficient.unsigned_abs() < 1 << 40).then_some((coefficient, at))
            };
            let terms = relation.terms.iter().map(term).collect::<Option<Vec<_>>>()?;
            let constant: i128 = relation.constant.parse().ok()?;
            let plain = relation.modulo.is_none() && terms.len() <= 64;
            (plain && constant.unsigned_abs() < 1 << 100).then_some(LinearPrecondition {
                terms,
                compared: relation.relation,
                constant,
            })
        };
        let case = |case: Case| case.iter().map(row).collect::<Option<Vec<_>>>();
        let cases = cases.into_iter().map(case).collect::<Option<Vec<_>>>()?;
        Some(Precondition { old, cases })
    }

    /// Whether it holds of arguments.
    fn holds_of(&self, args: &[Value]) -> bool {
        let number = |at: usize| match (args.get(at), width(self.old, at)) {
            (Some(Value::Bits(bits)), Some(1)) => Some((bits & 1) as i128),
            (Some(Value::Bits(bits)), Some(width)) => {
                Some(Const::new(Type::Int(width), *bits).signed())
            }
            _ => None,
        };
        let holds = |row: &LinearPrecondition| {
            let terms = row.terms.iter().map(|(c, at)| Some(c * number(*at)?));
            let sum = terms.sum::<Option<i128>>();
            sum.is_some_and(|sum| match row.compared {
                Compared::Equal => sum == row.constant,
                Compared::AtLeast => sum >= row.constant,
                Compared::Greater => sum > row.constant,
            })
        };
        !self.cases.iter().any(|case| case.iter().all(holds))
    }

    /// Both versions with a guard.
    fn guarded(&self, given: &Comparison, pair: PairId) -> Comparison {
        let mut comparison = given.clone();
        let Comparison { old, new, pairs, .. } = &mut comparison;
        let ids = [pairs[pair.index()].old, pairs[pair.index()].new];
        for (program, id) in [&mut old.program, &mut new.program].into_iter().zip(ids) {
            let procedure = &mut program.procedures[id.index()];
            let holds = self.expr(&procedure.params);
            guard(procedure, holds);
        }
        comparison
    }

    /// The condition as a formula over the parameters, from the expression that the guard tests.
    fn formula(&self, given: &Comparison, pair: PairId, budget: &Budget) -> Option<Formula> {
        let mut comparison = given.clone();
        let end = TerminatorKind::Return(vec![self.expr(&self.old.params)]);
        let end = Terminator { kind: end, loc: self.old.loc };
        comparison.old.program.procedures.push(Procedure {
            name: NAME.to_owned(),
            symbol: NAME.to_owned(),
            linkage: Linkage::Internal,
            results: vec![Type::BOOL],
            ctype: None,
            locals: vec![],
            blocks: vec![Block { label: "entry".to_owned(), stmts: vec![], end }],
            outlined_from: None,
            ..self.old.clone()
        });
        let function = comparison.pair(pair).function.clone();
        comparison.settings.assume = vec![(function, NAME.to_owned())];
        let comparison = Rc::new(comparison);
        let facts = Facts::of(comparison.clone());
        let (judgement, judgements) = (Judgement::default(), Judgements::new());
        let (judgement, judgements) = (&judgement, &judgements);
        let task = Task { comparison: &comparison, pair, judgement, judgements };
        let formula = assumed_condition(&task, facts.written(), budget).ok().flatten()?;
        is_satisfiable(&formula).then_some(formula)
    }

    /// Whether none of the cases holds, over the parameters of one version.
    fn expr(&self, params: &[VarId]) -> Expr {
        let mut holds = Expr::bool(true);
        for case in &self.cases {
            let mut outside = Expr::bool(false);
            for row in case {
                outside = either(outside, self.row(row, params).not());
            }
            holds = both(holds, outside);
        }
        holds
    }

    /// A comparison at a width in which no sum wraps.
    fn row(&self, row: &LinearPrecondition, params: &[VarId]) -> Expr {
        if let [(factor, at)] = row.terms[..]
            && let Some(width) = width(self.old, at).filter(|width| *width > 1)
        {
            return of_one(params[at], width, factor, row);
        }
        let bits = |(c, at): &(i128, usize)| {
            let width = u32::from(width(self.old, *at).unwrap_or(64));
            width + 128 - c.unsigned_abs().leading_zeros()
        };
        let most = row.terms.iter().map(bits).max().unwrap_or(0);
        let constant = 129 - row.constant.unsigned_abs().leading_zeros();
        // One bit for each time that the number of terms is doubled.
        let wide = if most.max(constant) + 7 <= 64 { 64 } else { 128 };
        let mut sum: Option<Expr> = None;
        for (c, at) in &row.terms {
            let op = match width(self.old, *at) {
                Some(1) => UnaryOp::ZeroExtend,
                _ => UnaryOp::SignExtend,
            };
            let var = Expr::Var(params[*at]);
            let value = match width(self.old, *at) {
                Some(own) if own == wide => var,
                _ => Expr::unary(op, Type::Int(wide), var),
            };
            let term = match c {
                1 => value,
                _ => Expr::binary(BinaryOp::Mul, Expr::int(wide, *c as u128), value),
            };
            sum = Some(match sum {
                None => term,
                Some(sum) => Expr::binary(BinaryOp::Add, sum, term),
            });
        }
        let sum = sum.unwrap_or(Expr::int(wide, 0));
        Expr::binary(operator(row.compared), sum, Expr::int(wide, row.constant as u128))
    }
}

/// Puts a test in front of a procedure: if the condition does not hold, it returns zeros.
fn guard(procedure: &mut Procedure, holds: Expr) {
    let loc = procedure.loc;
    let count = procedure.blocks.len();
    for block in &mut procedure.blocks {
        for target in block.end.kind.successors_mut() {
            *target = BlockId::new(target.index() + 1);
        }
    }
    let (then, otherwise) = (BlockId::new(1), BlockId::new(count + 1));
    let test = TerminatorKind::Branch { cond: holds, then, otherwise };
    let zeros = procedure.results.iter().map(|ty| Expr::Const(Const::new(*ty, 0))).collect();
    let block = |label: &str, kind| Block {
        label: label.to_owned(),
        stmts: vec![],
        end: Terminator { kind, loc },
    };
    procedure.blocks.insert(0, block("guard", test));
    procedure.blocks.push(block("outside", TerminatorKind::Return(zeros)));
}

/// The width of an integer parameter of at most 64 bits.
fn width(procedure: &Procedure, at: usize) -> Option<u16> {
    match procedure.var(procedure.params[at]).ty {
        Type::Int(width) if width <= 64 => Some(width),
        _ => None,
    }
}

fn operator(compared: Compared) -> BinaryOp {
    match compared {
        Compared::Equal => BinaryOp::Eq,
        Compared::AtLeast => BinaryOp::Sge,
        Compared::Greater => BinaryOp::Sgt,
    }
}

/// `factor * parameter` compared with a constant, as a comparison of the parameter itself: that is how people write it.
fn of_one(var: VarId, width: u16, factor: i128, row: &LinearPrecondition) -> Expr {
    let (low, high) = (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1);
    if row.compared == Compared::Equal {
        let (quotient, rest) = (row.constant / factor, row.constant % factor);
        return match rest == 0 && (low..=high).contains(&quotient) {
            true => Expr::binary(BinaryOp::Eq, Expr::Var(var), Expr::int(width, quotient as u128)),
            false => Expr::bool(false),
        };
    }
    // `>` is `>=` of one more.
    let least = row.constant + i128::from(row.compared == Compared::Greater);
    // Rounded up for a lower bound of the parameter, down for an upper one.
    let (op, bound) = match factor > 0 {
        true => (BinaryOp::Sge, -(-least).div_euclid(factor)),
        false => (BinaryOp::Sle, (-least).div_euclid(-factor)),
    };
    let (always, never) = match op {
        BinaryOp::Sge => (bound <= low, bound > high),
        _ => (bound >= high, bound < low),
    };
    match (always, never) {
        (true, _) => Expr::bool(true),
        (_, true) => Expr::bool(false),
        _ => Expr::binary(op, Expr::Var(var), Expr::int(width, bound as u128)),
    }
}

fn either(a: Expr, b: Expr) -> Expr {
    match (a.as_const().map(|c| c.bits), b.as_const().map(|c| c.bits)) {
        (Some(0), _) | (_, Some(1)) => b,
        (_, Some(0)) | (Some(1), _) => a,
        _ => Expr::binary(BinaryOp::Or, a, b),
    }
}

fn both(a: Expr, b: Expr) -> Expr {
    match (a.as_const().map(|c| c.bits), b.as_const().map(|c| c.bits)) {
        (Some(1), _) | (_, Some(0)) => b,
        (_, Some(1)) | (Some(0), _) => a,
        _ => Expr::binary(BinaryOp::And, a, b),
    }
}

/// Whether some entry state satisfies a condition: one that none does would say nothing.
fn is_satisfiable(formula: &Formula) -> bool {
    let mut pool = TermPool::new();
    let Ok(term) = formula.build(&mut pool) else { return false };
    let query = Query { assertions: &[term], assumptions: &[] };
    let limits = Limits::effort(Effort::millis(100));
    matches!(solver::standard().decide(&mut pool, &query, &limits), Answer::Sat(_))
}
