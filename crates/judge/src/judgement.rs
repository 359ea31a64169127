//! Judgements: four conditions over the entry state that only grow (docs/internals/jobs.md).
//!
//! | field | for every entry state that satisfies it |
//! |---|---|
//! | `equal_under` (U) | if both sides end, their outcomes are equal |
//! | `differ_under` (C) | both sides end, with different outcomes |
//! | `alike_under` (T) | one side ends if and only if the other does |
//! | `split_under` (S) | exactly one side ends |
//!
//! A condition speaks of the parameters by the old version's names, of memory by its regions
//! (`memory.…`), of the world, and of external functions. U∧C, T∧S and C∧S must stay
//! unsatisfiable: that is checked whenever one of them grows, and an addition that would break
//! it is refused and reported as a bug, because one of the two must be wrong.

use crate::comparison::Side;
use crate::engine::Addition;
use crate::evidence::Evidence;
use serde::{Deserialize, Serialize};
use verdiff_logic::effort::Effort;
use verdiff_logic::solver::{self, Answer, Decide, Limits, Query};
use verdiff_logic::{Formula, LogicError, TermId, TermPool};

/// How long the check for contradictions may take. It is a small question; if it is not answered
/// in this time only that part is added that surely is none.
const CHECK_TIME: Effort = Effort::seconds(2);
/// What the question may take whether the parts of a condition cover everything.
const VALID_TIME: Effort = Effort::millis(100);

/// One of the four conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// U.
    EqualUnder,
    /// C.
    DifferUnder,
    /// T.
    AlikeUnder,
    /// S.
    SplitUnder,
}

/// A condition: a disjunction that starts empty, as `false`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Condition {
    parts: Vec<Formula>,
    /// Whether the parts were proved to cover every state together, though none of them does alone.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    covers: bool,
}

impl Condition {
    /// Whether it is known to hold everywhere.
    pub fn is_true(&self) -> bool {
        self.covers || self.parts.iter().any(Formula::is_true)
    }

    /// Whether nothing was ever added.
    pub fn is_false(&self) -> bool {
        self.parts.iter().all(Formula::is_false)
    }

    /// What was added, one after the other: it holds where one of these does.
    pub fn parts(&self) -> &[Formula] {
        &self.parts
    }

    fn add(&mut self, more: Formula) {
        if more.is_true() {
            self.parts.clear();
        }
        if !self.is_true() {
            self.parts.push(more);
        }
    }

    /// Asks whether the parts cover every state together. The answer is kept with the condition: it is asked once for each
    /// growth. No answer within the limit is "not known to".
    fn ask_whether_covering(&mut self) -> Result<(), LogicError> {
        if self.parts.len() < 2 || self.is_true() {
            return Ok(());
        }
        let mut pool = TermPool::new();
        let union = self.build(&mut pool)?;
        let open = pool.not(union)?;
        let limits = Limits::effort(VALID_TIME);
        let query = Query { assertions: &[open], assumptions: &[] };
        self.covers = solver::standard().decide(&mut pool, &query, &limits).is_unsat();
        Ok(())
    }

    /// The condition as a term.
    pub fn build(&self, pool: &mut TermPool) -> Result<TermId, LogicError> {
        if self.is_true() {
            return Ok(pool.truth());
        }
        let parts: Vec<TermId> =
            self.parts.iter().map(|part| part.build(pool)).collect::<Result<_, _>>()?;
        match parts.as_slice() {
            [] => Ok(pool.falsity()),
            [one] => Ok(*one),
            _ => pool.or(&parts),
        }
    }
}

/// What is known of a pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    equal_under: Condition,
    differ_under: Condition,
    alike_under: Condition,
    split_under: Condition,
    /// The part of S of which it is known which side ends: the old one, the new one.
    #[serde(default)]
    ends_alone: [Condition; 2],
    /// The part of U that holds of every call, too; see [`Judgement::hold_in_calls`].
    #[serde(default)]
    called_under: Condition,
    evidence: Vec<Evidence>,
    /// Whether some entry state is known from which both sides end.
    pub common_run: bool,
}

/// An addition that cannot be true if what is there is. One of them is a bug of verdiff.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Contradiction {
    /// Two conditions that exclude each other hold of one state.
    #[error("{engine} adds to {field:?} ({rule}) what contradicts what was known before")]
    Overlap {
        /// The field that should have grown.
        field: Field,
        /// Who wanted it.
        engine: String,
        /// By which rule.
        rule: &'static str,
    },
    /// The formula is broken.
    #[error(transparent)]
    Logic(#[from] LogicError),
}

impl Judgement {
    /// One of the four conditions.
    pub fn condition(&self, field: Field) -> &Condition {
        match field {
            Field::EqualUnder => &self.equal_under,
            Field::DifferUnder => &self.differ_under,
            Field::AlikeUnder => &self.alike_under,
            Field::SplitUnder => &self.split_under,
        }
    }

    /// The part of S from which this side ends, and the other never does.
    pub fn ends_alone(&self, side: Side) -> &Condition {
        &self.ends_alone[side.index()]
    }

    /// The same with other words in its evidence: other numbers of pairs and lines.
    pub fn with_evidence(self, evidence: Vec<Evidence>) -> Judgement {
        Judgement { evidence, ..self }
    }

    /// Why it says what it says.
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// Whether outcomes are known to be equal from every state from which both sides end.
    pub fn is_equal(&self) -> bool {
        self.equal_under.is_true()
    }

    /// Whether U holds everywhere, and of every call, too. An entry state is assumed to have initialised and large enough
    /// memory behind its pointers; a caller may pass the address of an uninitialised variable, or of an array that is too
    /// short, and then a read that one version leaves out is a trap that only the other has. Same code is equal there, too.
    pub fn holds_in_calls(&self) -> bool {
        self.called_under.is_true()
    }

    /// Whether a call of either side may be taken for a call of the other.
    pub fn is_equal_in_calls(&self) -> bool {
        self.is_equal() && self.holds_in_calls()
    }

    /// The arguments (and globals) with which a call of either side may be taken for a call of the other: the part of U that holds in
    /// calls.
    pub fn called_under(&self) -> Condition {
        match self.is_equal_in_calls() {
            true => Condition { parts: vec![Formula::truth()], covers: false },
            false => self.called_under.clone(),
        }
    }

    /// Notes that a part of U holds of every call, whatever memory the caller has behind its pointers. Whoever notes it has argued for
    /// that; see [`Judgement::holds_in_calls`].
    pub fn hold_in_calls(&mut self, part: Formula) {
        if !part.is_false() && !self.called_under.parts.contains(&part) {
            self.called_under.add(part);
            // Not known to cover everything is what it was before.
            let _ = self.called_under.ask_whether_covering();
        }
    }

    /// Whether both sides are known to end from the same states.
    pub fn is_alike(&self) -> bool {
        self.alike_under.is_true()
    }

    /// The same conditions without the reasons, for those who only use them.
    pub fn without_evidence(&self) -> Judgement {
        Judgement { evidence: vec![], ..self.clone() }
    }

    /// Adds what an engine found, and notes where it holds in calls.
    pub fn add(&mut self, addition: Addition) -> Result<(), Contradiction> {
        self.add_among(addition, &|_, _| Ok(vec![]))
    }

    /// The same where it is known what holds of every entry state. Conditions are about entry states: what two engines say of
    /// anything else (a global that is not aligned) need not agree.
    pub fn add_among(
        &mut self,
        addition: Addition,
        states: OfEntryStates<'_>,
    ) -> Result<(), Contradiction> {
        let Addition { formula, evidence, holds_in_calls } = addition;
        let is_equality = evidence.adds == Field::EqualUnder;
        let in_calls = (holds_in_calls && is_equality).then(|| formula.clone());
        self.grow_within(formula, evidence, states, &Limits::effort(CHECK_TIME))?;
        // Of what was not added as it is, nothing is said of calls.
        if let Some(part) = in_calls
            && self.equal_under.parts.contains(&part)
        {
            self.hold_in_calls(part);
        }
        Ok(())
    }

    /// Adds to one condition, with the reason. Nothing is changed if that fails.
    ///
    /// If nobody can tell in time whether it contradicts what is known, only that part of it is added that does not, and the evidence
    /// says that it was cut: a part of what is right is right.
    pub fn grow(&mut self, more: Formula, evidence: Evidence) -> Result<(), Contradiction> {
        self.grow_within(more, evidence, &|_, _| Ok(vec![]), &Limits::effort(CHECK_TIME))
    }

    fn grow_within(
        &mut self,
        mut more: Formula,
        mut evidence: Evidence,
        states: OfEntryStates<'_>,
        limits: &Limits,
    ) -> Result<(), Contradiction> {
        let field = evidence.adds;
        if more.is_false() || self.condition(field).parts.contains(&more) {
            return Ok(());
        }
        let mut pool = TermPool::new();
        let mut addition = more.build(&mut pool)?;
        for other in excluded(field) {
            let known = self.condition(*other);
            if known.is_false() {
                continue;
            }
            let known = known.build(&mut pool)?;
            match overlap(&mut pool, [addition, known], states, limits)? {
                Overlap::Nowhere => continue,
                Overlap::InState => {
                    let (engine, rule) = (evidence.engine.clone(), evidence.rule.name());
                    return Err(Contradiction::Overlap { field, engine, rule });
                }
                // No entry state is lost.
                Overlap::OutOfStates => {}
                Overlap::Undecided => evidence.cut = true,
            }
            let elsewhere = pool.not(known)?;
            let rest = pool.and(&[addition, elsewhere])?;
            addition = pool.simplify(rest);
            more = Formula::of(&pool, addition)?;
        }
        if more.is_false() {
            return Ok(());
        }
        let mut grown = self.condition(field).clone();
        grown.add(more.clone());
        if matches!(field, Field::EqualUnder | Field::AlikeUnder) {
            grown.ask_whether_covering()?;
        }
        // Nothing fails from here on.
        *self.condition_mut(field) = grown;
        if let (Field::SplitUnder, Some(side)) = (field, evidence.ends_alone()) {
            self.ends_alone[side.index()].add(more);
        }
        self.evidence.push(evidence);
        Ok(())
    }

    fn condition_mut(&mut self, field: Field) -> &mut Condition {
        match field {
            Field::EqualUnder => &mut self.equal_under,
            Field::DifferUnder => &mut self.differ_under,
            Field::AlikeUnder => &mut self.alike_under,
            Field::SplitUnder => &mut self.split_under,
        }
    }
}

/// What holds of every entry state, as far as it is about what these terms speak of.
pub type OfEntryStates<'a> =
    &'a dyn Fn(&mut TermPool, &[TermId]) -> Result<Vec<TermId>, LogicError>;

/// Where two conditions hold together that exclude each other.
enum Overlap {
    Nowhere,
    /// Where no entry state is: the conditions speak of more than they are about.
    OutOfStates,
    /// In an entry state, as far as it is known what entry states are: one of them is wrong.
    InState,
    /// Nobody could tell in time.
    Undecided,
}

fn overlap(
    pool: &mut TermPool,
    conditions: [TermId; 2],
    states: OfEntryStates<'_>,
    limits: &Limits,
) -> Result<Overlap, LogicError> {
    let decide = |pool: &mut TermPool, assertions: &[TermId]| {
        let query = Query { assertions, assumptions: &[] };
        solver::standard().decide(pool, &query, limits)
    };
    match decide(pool, &conditions) {
        Answer::Unsat { .. } => return Ok(Overlap::Nowhere),
        Answer::Unknown(_) => return Ok(Overlap::Undecided),
        Answer::Sat(_) => {}
    }
    let of_states = states(pool, &conditions)?;
    if of_states.is_empty() {
        return Ok(Overlap::InState);
    }
    Ok(match decide(pool, &[&conditions[..], &of_states].concat()) {
        Answer::Unsat { .. } => Overlap::OutOfStates,
        Answer::Unknown(_) => Overlap::Undecided,
        Answer::Sat(_) => Overlap::InState,
    })
}

/// The conditions that may not hold together with one.
fn excluded(field: Field) -> &'static [Field] {
    match field {
        Field::EqualUnder => &[Field::DifferUnder],
        Field::DifferUnder => &[Field::EqualUnder, Field::SplitUnder],
        Field::AlikeUnder => &[Field::SplitUnder],
        Field::SplitUnder => &[Field::AlikeUnder, Field::DifferUnder],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;
    use verdiff_logic::Sort;

    fn evidence(adds: Field) -> Evidence {
        Evidence::new(adds, "test", Rule::PathsEqual)
    }

    /// `x == value`, or the opposite.
    fn x_is(value: u128, negated: bool) -> Formula {
        let mut pool = TermPool::new();
        let x = pool.symbol("x", Sort::BitVec(32)).unwrap();
        let value = pool.bits(32, value).unwrap();
        let mut term = pool.eq(x, value).unwrap();
        if negated {
            term = pool.not(term).unwrap();
        }
        Formula::of(&pool, term).unwrap()
    }

    #[test]
    fn a_judgement_grows_and_contradictions_are_refused() {
        let mut judgement = Judgement::default();
        judgement.grow(x_is(4, false), evidence(Field::DifferUnder)).unwrap();
        judgement.grow(x_is(4, true), evidence(Field::EqualUnder)).unwrap();
        let before = judgement.clone();
        let wrong = judgement.grow(Formula::truth(), evidence(Field::EqualUnder));
        assert!(matches!(wrong, Err(Contradiction::Overlap { field: Field::EqualUnder, .. })));
        let wrong = judgement.grow(x_is(5, false), evidence(Field::DifferUnder));
        assert!(matches!(wrong, Err(Contradiction::Overlap { .. })));
        let wrong = judgement.grow(x_is(4, false), evidence(Field::SplitUnder));
        assert!(matches!(wrong, Err(Contradiction::Overlap { .. })));
        assert_eq!(judgement, before, "what was refused left no trace");
        judgement.grow(Formula::truth(), evidence(Field::AlikeUnder)).unwrap();
        let wrong = judgement.grow(x_is(7, false), evidence(Field::SplitUnder));
        assert!(matches!(wrong, Err(Contradiction::Overlap { .. })));
        assert!(judgement.is_alike() && !judgement.is_equal());
    }

    #[test]
    fn parts_that_cover_everything_make_u_valid() {
        let mut judgement = Judgement::default();
        let equal = |negated| Addition::new(x_is(4, negated), evidence(Field::EqualUnder));
        judgement.add(equal(false).in_calls(true)).unwrap();
        assert!(!judgement.is_equal() && !judgement.holds_in_calls());
        let mut other = judgement.clone();
        judgement.add(equal(true)).unwrap();
        assert!(judgement.is_equal(), "x == 4 or x != 4");
        assert!(!judgement.is_equal_in_calls(), "only one of the parts holds in calls");
        other.add(equal(true).in_calls(true)).unwrap();
        assert!(other.is_equal_in_calls());
        let text = serde_json::to_string(&other).unwrap();
        assert!(serde_json::from_str::<Judgement>(&text).unwrap().is_equal_in_calls());
    }

    /// Conditions are about entry states. Of what is none, one engine may say this and another that.
    #[test]
    fn conditions_that_hold_together_of_no_entry_state_do_not_contradict_each_other() {
        let even = |pool: &mut TermPool, _: &[TermId]| {
            let (x, one) = (pool.symbol("x", Sort::BitVec(32))?, pool.bits(32, 1)?);
            let (low, zero) = (pool.bv_and(x, one)?, pool.bits(32, 0)?);
            Ok(vec![pool.eq(low, zero)?])
        };
        let differ = |value| Addition::new(x_is(value, false), evidence(Field::DifferUnder));
        let mut judgement = Judgement::default();
        judgement.add_among(differ(4), &even).unwrap();
        judgement.add_among(differ(7), &even).unwrap();
        let equal = Addition::new(x_is(4, true), evidence(Field::EqualUnder)).in_calls(true);
        let before = judgement.clone();
        assert!(judgement.add(equal.clone()).is_err(), "nothing is known of entry states");
        assert_eq!(judgement, before);
        judgement.add_among(equal, &even).unwrap();
        assert!(!judgement.evidence().last().unwrap().cut, "no state was lost");
        assert!(!judgement.holds_in_calls() && judgement.called_under.is_false());
        // They exclude each other all the same.
        let mut pool = TermPool::new();
        let both = [Field::EqualUnder, Field::DifferUnder]
            .map(|field| judgement.condition(field).build(&mut pool).unwrap());
        let query = Query { assertions: &both, assumptions: &[] };
        assert!(solver::standard().decide(&mut pool, &query, &Limits::default()).is_unsat());
        let wrong = Addition::new(x_is(4, false), evidence(Field::EqualUnder));
        assert!(matches!(
            judgement.add_among(wrong, &even),
            Err(Contradiction::Overlap { field: Field::EqualUnder, .. })
        ));
    }

    /// Parts in which one name has two sorts cannot be joined: a bug, and no reason to believe either of them more than before.
    #[test]
    fn a_part_that_cannot_be_joined_with_the_others_leaves_no_trace() {
        let mut judgement = Judgement::default();
        judgement.grow(x_is(4, false), evidence(Field::EqualUnder)).unwrap();
        let before = judgement.clone();
        let mut pool = TermPool::new();
        let x = pool.symbol("x", Sort::Bool).unwrap();
        let other = Formula::of(&pool, x).unwrap();
        let wrong = judgement.add(Addition::new(other, evidence(Field::EqualUnder)).in_calls(true));
        assert!(matches!(wrong, Err(Contradiction::Logic(LogicError::Redeclared(_)))), "{wrong:?}");
        assert_eq!(judgement, before);
    }

    /// `x * y == value`, over 64 bits.
    fn product_is(pool: &mut TermPool, value: u128) -> TermId {
        let [x, y] = ["x", "y"].map(|name| pool.symbol(name, Sort::BitVec(64)).unwrap());
        let one = pool.bits(64, 1).unwrap();
        let (above_x, above_y) = (pool.bv_ult(one, x).unwrap(), pool.bv_ult(one, y).unwrap());
        let product = pool.bv_mul(x, y).unwrap();
        let value = pool.bits(64, value).unwrap();
        let is_it = pool.eq(product, value).unwrap();
        pool.and(&[above_x, above_y, is_it]).unwrap()
    }

    #[test]
    fn an_undecided_contradiction_cuts_the_addition_visibly() {
        let mut pool = TermPool::new();
        let differ = product_is(&mut pool, 18_446_744_073_709_551_557);
        let small = {
            let limit = pool.bits(64, 1 << 32).unwrap();
            let [x, y] = ["x", "y"].map(|name| pool.symbol(name, Sort::BitVec(64)).unwrap());
            let below = [pool.bv_ult(x, limit).unwrap(), pool.bv_ult(y, limit).unwrap()];
            pool.and(&below).unwrap()
        };
        let mut judgement = Judgement::default();
        let formula = Formula::of(&pool, differ).unwrap();
        judgement.grow(formula, evidence(Field::DifferUnder)).unwrap();
        let more = Formula::of(&pool, small).unwrap();
        let limits = Limits { resource: Some(1), ..Limits::default() };
        let adds = evidence(Field::EqualUnder);
        judgement.grow_within(more.clone(), adds, &|_, _| Ok(vec![]), &limits).unwrap();
        let last = judgement.evidence().last().unwrap();
        assert!(last.cut, "{last:?}");
        assert_ne!(judgement.condition(Field::EqualUnder).parts(), [more]);
        // What is left surely is no contradiction.
        let mut pool = TermPool::new();
        let both = [Field::EqualUnder, Field::DifferUnder]
            .map(|field| judgement.condition(field).build(&mut pool).unwrap());
        let query = Query { assertions: &both, assumptions: &[] };
        assert!(solver::standard().decide(&mut pool, &query, &Limits::default()).is_unsat());
    }

    #[test]
    fn a_judgement_survives_json() {
        let mut judgement = Judgement::default();
        judgement.grow(x_is(4, false), evidence(Field::DifferUnder)).unwrap();
        let text = serde_json::to_string(&judgement).unwrap();
        assert_eq!(serde_json::from_str::<Judgement>(&text).unwrap(), judgement);
    }
}
