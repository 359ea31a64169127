//! Which cut procedures belong together, and what relates them: guessed from runs.

use super::coordinate::SideParameter;
use super::relation::CallRelation;
use super::result_relation::ResultRelation;
use super::trace::{Pace, Trace, Visit};
use super::{Related, Tie};
use verdiff_judge::Side;
use verdiff_model::{ProcId, Type};

/// More ties are not tried at once.
const MOST_TIES: usize = 12;
/// How many visits of one side may belong to one of the other.
const STRIDES: [(usize, usize); 9] =
    [(1, 1), (2, 1), (1, 2), (3, 1), (1, 3), (4, 1), (1, 4), (8, 1), (1, 8)];

impl Related<'_> {
    /// Guesses, the likely ones first.
    pub fn guesses(&self, runs: &[Trace]) -> Vec<Vec<Tie>> {
        let visited = |side: usize| -> Vec<ProcId> {
            let was = |id: &ProcId| {
                runs.iter().any(|run| run.visits[side].iter().any(|v| v.procedure == *id))
            };
            self.cut[side].iter().copied().filter(was).collect()
        };
        let (old, new) = (visited(0), visited(1));
        let mut paced: Vec<Vec<(ProcId, ProcId, Pace)>> = vec![];
        if old.len() == new.len() && old.len() > 1 {
            let pairs = old.iter().zip(&new);
            paced.push(pairs.map(|(a, b)| (*a, *b, pace(runs, *a, *b))).collect());
        }
        let every = || old.iter().flat_map(|a| new.iter().map(move |b| (*a, *b))).take(MOST_TIES);
        // Where no strides fit, one version may stop early: until then they are in step.
        if every().any(|(a, b)| pace(runs, a, b) == Pace::FromEnd) {
            paced.push(every().map(|(a, b)| (a, b, Pace::Strides(1, 1))).collect());
        }
        paced.push(every().map(|(a, b)| (a, b, pace(runs, a, b))).collect());
        paced.extend(self.one_after_the_other(runs, &old, &new));
        paced.push(every().map(|(a, b)| (a, b, Pace::FromEnd)).collect());
        paced.dedup();
        let tied = |list: &Vec<(ProcId, ProcId, Pace)>| -> Vec<Tie> {
            let tie = |(a, b, pace): &(ProcId, ProcId, Pace)| {
                self.tied(runs, *a, *b, *pace, ResultRelation::Same)
            };
            list.iter().filter_map(tie).collect()
        };
        let mut guesses: Vec<Vec<Tie>> = paced.iter().map(tied).collect();
        let plain = guesses.clone();
        for (a, b) in every() {
            let pace = pace(runs, a, b);
            let relations = self.result_relations(runs, a, b, pace).into_iter();
            guesses.extend(
                relations.filter_map(|results| Some(vec![self.tied(runs, a, b, pace, results)?])),
            );
        }
        for ties in plain {
            guesses.extend(self.with_products(runs, &ties));
        }
        guesses.retain(|ties| !ties.is_empty());
        guesses
    }

    /// The same ties with relations that speak of products.
    fn with_products(&self, runs: &[Trace], ties: &[Tie]) -> Vec<Vec<Tie>> {
        let guessed = |tie: &Tie| -> Vec<CallRelation> {
            let (Some(old), Some(new)) =
                (self.widths(Side::Old, tie.old), self.widths(Side::New, tie.new))
            else {
                return vec![];
            };
            let learn =
                |relation: &mut CallRelation| learn(relation, runs, tie.old, tie.new, tie.pace);
            tie.relation.quadratic(&[old, new], &learn)
        };
        let all: Vec<Vec<CallRelation>> = ties.iter().map(guessed).collect();
        let count = all.iter().map(Vec::len).max().unwrap_or(0);
        let with = |number: usize| {
            let ties = ties.iter().zip(&all);
            let tie = |(tie, relations): (&Tie, &Vec<CallRelation>)| {
                let relation = relations.get(number).or(relations.first()).unwrap_or(&tie.relation);
                Tie { relation: relation.clone(), ..tie.clone() }
            };
            ties.map(tie).collect()
        };
        (0..count).map(with).collect()
    }

    /// Loops of one side that have no partner: the other side waits, in its last visit or in its first.
    fn one_after_the_other(
        &self,
        runs: &[Trace],
        old: &[ProcId],
        new: &[ProcId],
    ) -> Vec<Vec<(ProcId, ProcId, Pace)>> {
        let (side, short, long) = match old.len() < new.len() {
            true => (0, old, new),
            false => (1, new, old),
        };
        let ([one], true) = (short, long.len() > 1) else { return vec![] };
        let pair = |other: ProcId| if side == 0 { (*one, other) } else { (other, *one) };
        let with = |partner: usize| {
            let paced = |(n, other): (usize, &ProcId)| {
                let (a, b) = pair(*other);
                let pace = match n.cmp(&partner) {
                    std::cmp::Ordering::Less => Pace::First(side),
                    std::cmp::Ordering::Equal => pace(runs, a, b),
                    std::cmp::Ordering::Greater => Pace::Last(side),
                };
                (a, b, pace)
            };
            long.iter().enumerate().map(paced).collect()
        };
        (0..long.len()).map(with).collect()
    }

    /// How results may belong together otherwise than by being equal.
    fn result_relations(
        &self,
        runs: &[Trace],
        old: ProcId,
        new: ProcId,
        pace: Pace,
    ) -> Vec<ResultRelation> {
        let results = &self.facts.programs[0].procedure(old).results;
        let [Type::Int(width)] = results.as_slice() else { return vec![] };
        let (Some(a), Some(b)) = (self.widths(Side::Old, old), self.widths(Side::New, new)) else {
            return vec![];
        };
        let together: Vec<[&Visit; 2]> =
            runs.iter().flat_map(|run| run.together(old, new, pace)).collect();
        ResultRelation::observed(&SideParameter::all(&[a, b]), u32::from(*width), &together)
    }

    fn tied(
        &self,
        runs: &[Trace],
        old: ProcId,
        new: ProcId,
        pace: Pace,
        results: ResultRelation,
    ) -> Option<Tie> {
        let program = |side: usize| &self.facts.programs[side];
        if program(0).procedure(old).results != program(1).procedure(new).results {
            return None;
        }
        // What a tie says of visits that belong together must be so in the runs, whatever relates their arguments.
        let mut together = runs.iter().flat_map(|run| run.together(old, new, pace));
        if results == ResultRelation::Same && together.any(|[a, b]| gave_others(a, b)) {
            return None;
        }
        let widths = [self.widths(Side::Old, old)?, self.widths(Side::New, new)?];
        let mut relation = CallRelation::everything(&widths);
        learn(&mut relation, runs, old, new, pace);
        (relation.points > 0).then_some(Tie { old, new, relation, pace, results, active: true })
    }
}

/// Whether two visits are known to have given different results.
fn gave_others(a: &Visit, b: &Visit) -> bool {
    let results = a.results.iter().zip(&b.results);
    results.into_iter().any(|pair| matches!(pair, (Some(a), Some(b)) if a != b))
}

/// Weakens a relation so that it holds of all pairs of visits that were seen.
fn learn(relation: &mut CallRelation, runs: &[Trace], old: ProcId, new: ProcId, pace: Pace) {
    for pair in runs.iter().flat_map(|run| run.together(old, new, pace)) {
        relation.join(&pair.map(|visit| visit.args.clone()));
    }
}

/// The strides at which two procedures are visited together, if runs say so.
fn pace(runs: &[Trace], old: ProcId, new: ProcId) -> Pace {
    let counts: Vec<(usize, usize)> =
        runs.iter().map(|r| r.counts(old, new)).filter(|(a, b)| *a > 0 && *b > 0).collect();
    let fits = |(s, t): &(usize, usize)| {
        let close = |(a, b): &(usize, usize)| a.div_ceil(*s).abs_diff(b.div_ceil(*t)) <= 1;
        counts.iter().all(close)
    };
    STRIDES.into_iter().find(fits).map_or(Pace::FromEnd, |(s, t)| Pace::Strides(s, t))
}
