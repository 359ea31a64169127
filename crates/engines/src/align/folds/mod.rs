//! Loops that compute the same by other steps: powers by squaring, bits counted in another way, sums from the other end.
//!
//! Neither loop is ahead of the other by any number of iterations, so no alignment side by side has an invariant. But each
//! has an invariant of its own that says what will be returned: `p * power(b, n)` in both loops that compute a power, whether
//! `n` is decreased or halved; `c + ones(x)` in both that count bits. So one version is executed to its end while the other one
//! waits, then the other one, and the invariant says that what both will return is equal. All else is as in other
//! alignments: every pair of continuations is followed, outcomes are compared.
//!
//! # Functions
//!
//! Invariants speak of functions that the code does not have ([`functions`]):
//!
//! - `power(b, n)` and `ones(x)`, the power and the number of bits that are set, both modulo 2^w;
//! - what a variable of the version that goes first is after t iterations of its loop: Horner's rule, which begins with the
//!   highest coefficient, has `s * p(k) + s'(k)`, where `p(k)` and `s'(k)` are what the other version has after k iterations.
//!
//! # Why that is sound
//!
//! Each of these functions exists. The power and the number of bits are plain. What is traced is a recursion on t: `f(t)` is
//! `first` if t is zero, else `next` of the values for `t - 1`. t is a number without a sign, which is less by one where it is not
//! zero; or one with a sign, where all that is not positive counts as zero. `first` and `next` are terms that give a value
//! whatever their variables are. So there is exactly one such f, whatever the loop does. That it is what the
//! loop computes is not assumed: it is a claim that must be shown. A proof of all functions that satisfy what is used of them
//! is a proof of these. So all that has to be right is what is used of them ([`rules`]); that invariants
//! are guessed from runs does no harm, and neither do calls of a function with other numbers than in runs.
//!
//! - `power(b, n)` is 1 if n is zero, else `b * power(b, n - 1)`; and `power(b * b, n / 2)` times b if n is odd.
//! - `ones(x)` is 0 if x is zero, else `1 + ones(x & (x - 1))`: `x & (x - 1)` is x without its lowest bit. And it is
//!   `(x & 1) + ones(x / 2)`.
//!   `power(b, n)` is `power(b, n / 2)` squared, times b if n is odd, too.
//! - `f(t)` as above.
//!
//! Versions that call themselves: [`recursive`].
//!
//! ✗ `power(b, n)` for an `n` that has a sign: -1 counts as 2^32 - 1 here, and a loop that ends at `n <= 0` does not agree.
//! ✗ `for (; n > 0; n /= 2) { p *= b; b *= b; }`, right where all bits of n are set. ✗ `x &= x - 2`, right for odd numbers.

mod forms;
mod functions;
pub mod recursive;
mod rewrite;
mod rules;
mod sums;

use super::alignment::{Alignment, Move};
use super::claims::{Claim, Posed};
use super::invariant::{Terms, Var};
use super::prove::{Proving, prove};
use super::runs::{self, Run};
use super::step::{At, Pairing, Step};
use super::{Case, Cut, CutPoint, Node, Proved, Question, Reach};
use forms::{Form, Tables, Visits};
use functions::Functions;
use std::collections::BTreeSet;
use std::rc::Rc;
use verdiff_judge::{Budget, Task};
use verdiff_logic::{LogicError, Op, TermId};
use verdiff_symex::execute::Stop;
use verdiff_symex::space::Space;

/// Loops of more variables are not looked at.
const MOST_VARS: usize = 12;

/// That two terms over the variables of a node are equal, in words with functions.
#[derive(Clone, Debug)]
pub struct Related {
    left: TermId,
    right: TermId,
    /// The variables that are added, multiplied or raised to a power.
    data: Vec<TermId>,
    text: String,
}

impl Related {
    /// Both terms, with the variables of the node's symbols replaced.
    pub fn said_of(
        &self,
        space: &mut Space,
        symbols: &Terms<'_>,
        terms: &Terms<'_>,
    ) -> Result<(TermId, TermId), LogicError> {
        let pairs = (0..2).flat_map(|side| symbols.values[side].iter().zip(terms.values[side]));
        let map = pairs.filter(|(a, _)| space.pool.as_symbol(**a).is_some());
        let map = map.map(|(a, b)| (*a, *b)).collect();
        let left = space.pool.substitute(self.left, &map)?;
        let right = space.pool.substitute(self.right, &map)?;
        Ok((left, right))
    }

    pub fn text(&self) -> &str {
        &self.text
    }
}

/// What is known of functions in a proof.
#[derive(Default)]
pub struct Folds {
    functions: Functions,
    tables: Tables,
    /// The version that goes first.
    lead: usize,
}

/// Looks for a proof in which one version is executed to its end and then the other one.
pub fn folded(task: &Task<'_>, cut: &Cut, all: &[Run], budget: &Budget) -> Option<Proved> {
    let one_loop = |side: usize| cut.heads[side].len() == 1 || cut.recursive[side];
    if !one_loop(0) || !one_loop(1) || cut.unaliased {
        return None;
    }
    if cut.recursive.contains(&true) {
        result_width(task, cut)?;
        let alignment = recursive::alignment(&Rc::new(runs::some(all, &Case::all())));
        let question = Question { folds: true, ..Question::of(Case::all(), Reach::Likely) };
        let proof = prove(task, cut, &alignment, &question, budget).ok().flatten()?;
        return Some(Proved { alignment, proof, question });
    }
    let heads = [0, 1].map(|side| CutPoint::Head(cut.heads[side][0]));
    let vars = cut.vars(task, heads);
    let width = result_width(task, cut)?;
    if vars.len() > MOST_VARS || vars.iter().any(|var| var.pointer) {
        return None;
    }
    let runs = Rc::new(runs::some(all, &Case::all()));
    // Nothing is said of most loops; then they are not executed.
    let nothing = (Functions::default(), Tables::default());
    let of = |side: usize| {
        let visits = Visits::of(&runs, side, heads[side], &vars, width);
        !visits.forms(&nothing.0, &nothing.1, &[]).is_empty()
    };
    let both = of(0) && of(1);
    for lead in [0, 1] {
        let waits = Move { lead, stay: 0, leave: 0 };
        let alignment = Alignment::of(vec![(heads, waits)], &runs);
        let question = Question { folds: true, ..Question::of(Case::all(), Reach::Likely) };
        let share = budget.at_most(if both { budget.left() / 2 } else { budget.left() / 4 });
        if let Ok(Some(proof)) = prove(task, cut, &alignment, &question, &share) {
            return Some(Proved { alignment, proof, question });
        }
    }
    None
}

/// How many bits the result has, if there is one and it is a number.
fn result_width(task: &Task<'_>, cut: &Cut) -> Option<u32> {
    let results = cut.vars(task, [CutPoint::End, CutPoint::End]);
    match &results[..] {
        [old, new] if old.width == new.width && !old.pointer => {
            Some(old.width).filter(|width| (8..=64).contains(width))
        }
        _ => None,
    }
}

impl Proving<'_, '_> {
    /// Whether a question speaks of functions.
    pub(super) fn is_about_folds(&self, posed: &Posed) -> bool {
        let related = |claim: &(Claim, TermId)| matches!(claim.0, Claim::Related(_));
        !posed.related.is_empty() || posed.claims.iter().any(related)
    }

    /// What is taken to hold at a node, besides what equations and orders say. Nothing if nothing is, and the proof is no good.
    pub(super) fn relations(
        &mut self,
        node: Node,
        (start, step): (&Step, &Step),
        vars: &[Var],
    ) -> Result<Vec<Related>, Stop> {
        let runs = self.alignment.runs.clone();
        let Some(width) = result_width(&self.stepping.task, self.stepping.cut) else {
            return Ok(vec![]);
        };
        let lead = self.alignment.at(node).lead;
        let space = &mut self.stepping.product.space;
        let folds = &mut self.folds;
        let inside = |side: usize| matches!(node[side], CutPoint::Head(_));
        let visits = [0, 1].map(|side| Visits::of(&runs, side, node[side], vars, width));
        if inside(0) && inside(1) {
            folds.lead = lead;
            if let (Some(first), Some(round)) = (only_way(start, node), only_way(step, node)) {
                for width in visits[1 - lead].widths() {
                    for signed in [false, true] {
                        let what = (lead, width, signed);
                        let params = &start.at[0].values;
                        folds.functions.trace(space, what, params, (first, round), (step, vars))?;
                    }
                }
            }
            for trace in &folds.functions.traces {
                let of = |run: &Run| trace.numbers(space, &run.entry);
                folds.tables.push(runs.iter().map(of).collect());
            }
        }
        let bases = bases(space, step);
        let mut found: [Vec<(Form, TermId)>; 2] = [vec![], vec![]];
        for side in (0..2).filter(|side| inside(*side)) {
            for form in visits[side].forms(&folds.functions, &folds.tables, &bases) {
                let at: (&At, &[Run]) = (&step.at[side], &runs);
                if let Some(term) = visits[side].term(space, &mut folds.functions, at, form)? {
                    found[side].push((form, term));
                }
            }
        }
        let cut = self.stepping.cut;
        let task = self.stepping.task;
        let name = |side: usize| {
            let (task, place) = (task, node[side]);
            move |index: usize| cut.variable(&task, side, place, index)
        };
        let head =
            cut.heads[folds.lead].first().map_or(CutPoint::End, |head| CutPoint::Head(*head));
        let lead_name = |index: usize| cut.variable(&task, folds.lead, head, index);
        let mut related = vec![];
        for (side, other) in [(0, 1), (1, 0)] {
            if node[side] == CutPoint::End && inside(other) {
                for (form, term) in found[other].iter().take(1) {
                    let result = step.at[side].values[0];
                    let said =
                        visits[other].text(&folds.functions, [&name(other), &lead_name], *form);
                    let text = format!("{} == {said}", name(side)(0));
                    let data = form.data(&step.at[other]);
                    related.push(Related { left: result, right: *term, data, text });
                }
            }
        }
        if inside(0) && inside(1) {
            let traced = |form: &Form| matches!(form.last, forms::Part::Traced { .. });
            let both = (found[0].first(), found[1].first());
            if let (Some((a, left)), Some((b, right))) = both
                && !traced(a)
                && !traced(b)
            {
                let texts = [(0, a), (1, b)].map(|(side, form)| {
                    visits[side].text(&folds.functions, [&name(side), &lead_name], *form)
                });
                let text = texts.join(" == ");
                let data = [a.data(&step.at[0]), b.data(&step.at[1])].concat();
                related.push(Related { left: *left, right: *right, data, text });
            }
        }
        // What is traced is what the version that goes first has.
        let other = match inside(0) && inside(1) {
            true => 1 - lead,
            // A recursive version has returned what is traced.
            false => folds.lead,
        };
        let waits = inside(0) && inside(1) || cut.recursive[1 - folds.lead] && inside(folds.lead);
        if let Some(forms::Part::Traced { trace: wanted, .. }) =
            found[other].first().map(|(form, _)| form.last).filter(|_| waits)
        {
            let lead = folds.lead;
            for (index, part) in visits[lead].own_times(&folds.functions, &folds.tables) {
                let is = matches!(part, forms::Part::Traced { trace, .. } if trace == wanted);
                let at: (&At, &[Run]) = (&step.at[lead], &runs);
                let form = Form { sum: None, factor: None, last: part };
                let term = visits[lead].part(space, &mut folds.functions, at, part)?;
                if let (Some(right), true) = (term, is) {
                    let left = step.at[lead].values[index];
                    let said = visits[lead].text(&folds.functions, [&name(lead), &lead_name], form);
                    let text = format!("{} == {said}", name(lead)(index));
                    related.push(Related { left, right, data: vec![], text });
                }
            }
        }
        Ok(related)
    }
}

/// The variables that what is related consists of, but for those that functions are applied to as exponents or times.
pub fn data(step: &Step, vars: &[Var], related: &[Related]) -> BTreeSet<Var> {
    let mut found = BTreeSet::new();
    for Related { left, right, data, .. } in related {
        let is = |var: &&Var| {
            let term = step.at[var.side].values[var.index];
            term == *left || term == *right || data.contains(&term)
        };
        found.extend(vars.iter().filter(is).copied());
    }
    found
}

/// How a step leads to a node, if it does in one way.
fn only_way(from: &Step, node: Node) -> Option<&Pairing> {
    let mut ways = from.pairings.iter().filter(|pairing| pairing.target == node);
    ways.next().filter(|_| ways.next().is_none())
}

/// Numbers that something is multiplied with.
fn bases(space: &Space, step: &Step) -> Vec<u64> {
    let pool = &space.pool;
    let mut found = vec![];
    for pairing in &step.pairings {
        let values: Vec<TermId> = pairing.values.iter().flatten().copied().collect();
        for term in pool.sub_terms(&values) {
            match (pool.op(term), pool.operands(term)) {
                (Op::BvMul, operands) => {
                    found.extend(operands.iter().filter_map(|operand| match pool.op(*operand) {
                        Op::Small(number) => Some(number),
                        _ => None,
                    }));
                }
                (Op::BvShl, [_, by]) => {
                    if let Op::Small(by @ 1..8) = pool.op(*by) {
                        found.push(1 << by);
                    }
                }
                _ => {}
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.truncate(3);
    found
}
