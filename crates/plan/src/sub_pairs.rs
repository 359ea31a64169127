//! Divided pairs: regions that an engine wants to have judged by themselves ([`Findings::divided`]).
//!
//! Regions of both versions are procedures of their own, which the pair's procedures call. What the
//! engine finds out about the pair in that comparison holds in the given one, since outlining changes no outcome
//! ([`verdiff_model::outline`]). It is brought back by [`brought_back`]:
//!
//! - conditions are taken only where they speak of numbers among the parameters: what regions of memory are called
//!   depends on the whole program;
//! - evidence that uses a judgement of a sub-pair gets the obligations, assumptions and pairs of that judgement instead,
//!   so that nothing it rests on is lost;
//! - candidates that point to an outlined procedure are no states of the given programs.

use std::collections::{BTreeSet, HashMap, HashSet};
use verdiff_engines::normalise::{Form, canonical};
use verdiff_judge::{
    Addition, Comparison, Evidence, Field, Findings, Judgement, Judgements, PairId, Side,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::{EntrySymbol, TermPool};
use verdiff_model::state::{Contents, EntryState, Pointer, PointerTarget, Value};
use verdiff_model::{Callee, ProcId, Procedure, StmtKind, Type};

/// What became of sub-pairs of one pair, so that those that are the same up to names are judged once: fifteen calls of
/// a changed function that are used alike are one.
///
/// Soundness: that a sub-pair is equal *in calls* is a statement about its two procedures alone, for all arguments, all
/// memory and every world. It follows from their code and from what their callees do. Two sub-pairs with one
/// [form](SubPairForm) have on each side the same code up to names and call the same procedures, which do the same: a
/// division changes how the divided pair is written, not what it does. So the statement holds of both or of neither. A
/// proof may rest on what is known of the places from which a procedure is called: where pointers may lead. So nothing
/// that has a pointer or accesses memory itself has a form; of the pointers of callees the same is known whoever calls
/// them. A predicted difference, and a failure with at least as much effort, only save the work to fail again.
#[derive(Default)]
pub struct JudgedForms(HashMap<SubPairForm, JudgedForm>);

/// The canonical forms of both procedures of a sub-pair.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct SubPairForm(String);

/// What became of a form.
enum JudgedForm {
    /// It is equal in calls.
    Equal(Box<Judgement>),
    /// It is not known to be, with this effort.
    Open(Effort),
    /// A difference is predicted.
    Differs,
}

impl JudgedForms {
    /// The judgement of a sub-pair with this form, if it is equal in calls.
    pub fn equal(&self, form: &SubPairForm) -> Option<&Judgement> {
        match self.0.get(form)? {
            JudgedForm::Equal(judgement) => Some(judgement),
            _ => None,
        }
    }

    /// Whether nothing is to be expected of so much effort.
    pub fn is_hopeless(&self, form: &SubPairForm, effort: Effort) -> bool {
        match self.0.get(form) {
            Some(JudgedForm::Open(tried)) => effort <= *tried,
            Some(JudgedForm::Differs) => true,
            _ => false,
        }
    }

    /// Whether it was judged to the end.
    pub fn is_decided(&self, form: &SubPairForm) -> bool {
        matches!(self.0.get(form), Some(JudgedForm::Equal(_) | JudgedForm::Differs))
    }

    /// How many sub-pairs with these forms are to be judged, those of one form counted once.
    pub fn still_to_judge(&self, forms: &[Option<SubPairForm>]) -> usize {
        let mut seen = HashSet::new();
        for form in forms.iter().flatten().filter(|form| !self.is_decided(form)) {
            seen.insert(form);
        }
        seen.len() + forms.iter().filter(|form| form.is_none()).count()
    }

    /// Notes a judgement, made with so much effort; `None` if it does not count because a difference is predicted.
    pub fn note(&mut self, form: SubPairForm, judgement: Option<&Judgement>, effort: Effort) {
        let judged = match judgement {
            Some(judgement) if judgement.is_equal_in_calls() => {
                // A condition that is neither true nor false has the names of one sub-pair's parameters: it says
                // nothing of another one, which is judged by itself.
                let closed = |field| {
                    let condition = judgement.condition(field);
                    condition.is_true() || condition.is_false()
                };
                if ![Field::AlikeUnder, Field::SplitUnder, Field::DifferUnder]
                    .into_iter()
                    .all(closed)
                {
                    return;
                }
                JudgedForm::Equal(Box::new(judgement.clone()))
            }
            Some(_) => JudgedForm::Open(effort),
            None => JudgedForm::Differs,
        };
        self.0.insert(form, judged);
    }
}

/// The form of a sub-pair, if what is known of it holds of every other one of that form: see [`JudgedForms`].
pub fn form(divided: &Comparison, pair: PairId, sub: PairId) -> Option<SubPairForm> {
    let mut text = String::new();
    for side in Side::BOTH {
        let id = divided.pair(sub).of(side);
        if !has_numbers_only(divided.program(side).procedure(id)) {
            return None;
        }
        let form = canonical(divided, side, id, Form::Exact);
        // A call of another part, or of the pair that is divided: that one is written differently in each division.
        let part =
            |other: &PairId| *other == pair || divided.sub_pairs.iter().any(|(_, s)| s == other);
        if form.unpaired || form.calls_anything || form.returns_twice || form.pairs.iter().any(part)
        {
            return None;
        }
        text += &format!("{form:?}\n");
    }
    Some(SubPairForm(text))
}

/// Whether a procedure has no pointers, no objects, and accesses no memory itself.
fn has_numbers_only(procedure: &Procedure) -> bool {
    let number = |expr: &verdiff_model::Expr| {
        let mut all = true;
        expr.walk(&mut |e| all &= e.ty(&|v| procedure.var(v).ty) != Type::Ptr);
        all
    };
    let stmt = |kind: &StmtKind| match kind {
        StmtKind::Assign { .. } | StmtKind::Check { .. } | StmtKind::CheckInit { .. } => true,
        StmtKind::Call { callee, .. } => matches!(callee, Callee::Procedure(_)),
        _ => false,
    };
    procedure.is_supported()
        && procedure.locals.is_empty()
        && procedure.vars.iter().all(|var| var.ty != Type::Ptr)
        && procedure.blocks.iter().all(|block| {
            block.stmts.iter().all(|s| stmt(&s.kind) && s.kind.exprs().into_iter().all(number))
                && block.end.kind.exprs().into_iter().all(number)
        })
}

/// What was found out about the pair where its sub-pairs are outlined, as it holds where they are not.
pub fn brought_back(
    given: &Comparison,
    pair: PairId,
    judgements: &Judgements,
    found: Findings,
) -> Findings {
    let procedure = given.procedure(pair, Side::Old);
    let back = |addition: Addition| {
        speaks_of_parameters(procedure, &addition).then(|| Addition {
            evidence: unfolded(given, judgements, addition.evidence),
            ..addition
        })
    };
    let additions = found.additions.into_iter().filter_map(back).collect();
    let mut candidates = found.candidates;
    candidates.retain(|candidate| {
        let counts = Side::BOTH.map(|side| given.program(side).procedures.len());
        is_state_of(counts[0], &candidate.old) && is_state_of(counts[1], &candidate.new)
    });
    for candidate in &mut candidates {
        candidate.condition = candidate.condition.take().and_then(back);
    }
    Findings { additions, candidates, divided: None, ..found }
}

/// Whether a condition speaks of numbers among the parameters alone.
fn speaks_of_parameters(procedure: &Procedure, addition: &Addition) -> bool {
    let mut pool = TermPool::new();
    let Ok(term) = addition.formula.build(&mut pool) else { return false };
    let free = pool.free_names(&[term]);
    let number = |name: &str| {
        let vars = procedure.params.iter().map(|param| procedure.var(*param));
        EntrySymbol::is_parameter_name(name)
            && vars.filter(|var| var.name == name && var.ty != Type::Ptr).count() == 1
    };
    free.functions.is_empty() && free.symbols.iter().all(|symbol| number(pool.symbol_name(*symbol)))
}

/// Evidence with what the judgements of sub-pairs rest on in the place of those judgements.
fn unfolded(given: &Comparison, judgements: &Judgements, mut evidence: Evidence) -> Evidence {
    let mut work = std::mem::take(&mut evidence.uses);
    let mut seen = BTreeSet::new();
    while let Some(used) = work.pop() {
        if !seen.insert(used) {
            continue;
        }
        if used.index() < given.pairs.len() {
            evidence.uses.push(used);
            continue;
        }
        for part in judgements.get(&used).map(|j| j.evidence()).unwrap_or_default() {
            evidence.obligations.extend(part.obligations.iter().cloned());
            for assumption in &part.assumes {
                if !evidence.assumes.contains(assumption) {
                    evidence.assumes.push(assumption.clone());
                }
            }
            work.extend(&part.uses);
        }
    }
    evidence.uses.sort_unstable();
    evidence
}

/// Whether no pointer leads to a procedure beyond the first so many.
fn is_state_of(procedures: usize, entry: &EntryState) -> bool {
    let known = |pointer: &Pointer| match pointer.target {
        PointerTarget::Procedure(id) => ProcId::index(id) < procedures,
        _ => true,
    };
    let contents = |contents: &Contents| contents.pointers.iter().all(|link| known(&link.to));
    entry.args.iter().all(|value| match value {
        Value::Pointer(pointer) => known(pointer),
        Value::Bits(_) => true,
    }) && entry.objects.iter().all(|object| contents(&object.contents))
        && entry.globals.iter().all(|(_, global)| contents(global))
        && entry.outside.pointers().all(known)
}
