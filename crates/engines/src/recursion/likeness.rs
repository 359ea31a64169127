//! How much two loops look alike, whatever their variables are called: loops that changed places are coupled by that.
//!
//! Only a guess: what is coupled is proved or thrown away.

use std::collections::BTreeMap;
use verdiff_judge::Side;
use verdiff_model::outline::Outlined;
use verdiff_model::{Callee, Expr, StmtKind};
use verdiff_product::ProgramFacts;

/// What a loop consists of, and how often: operators, constants, accesses, calls.
struct Ingredients(BTreeMap<String, usize>);

impl Ingredients {
    fn of(facts: &ProgramFacts, side: Side, l: &Outlined) -> Ingredients {
        let mut all = BTreeMap::new();
        let program = &facts.programs[side.index()];
        let procedure = program.procedure(l.procedure);
        let mut note = |what: String| *all.entry(what).or_insert(0) += 1;
        for block in &procedure.blocks {
            for stmt in &block.stmts {
                match &stmt.kind {
                    StmtKind::Load { dst, .. } => {
                        note(format!("load {:?}", procedure.var(*dst).ty))
                    }
                    StmtKind::Store { .. } => note("store".into()),
                    StmtKind::Copy { .. } => note("copy".into()),
                    StmtKind::Fill { .. } => note("fill".into()),
                    StmtKind::Call { callee: Callee::Procedure(id), .. } if *id == l.procedure => {}
                    StmtKind::Call { callee: Callee::Procedure(id), .. } => {
                        note(format!("call {}", program.procedure(*id).name));
                    }
                    StmtKind::Call { callee: Callee::External(id), .. } => {
                        note(format!("call {}", program.external(*id).name));
                    }
                    _ => {}
                }
                for expr in stmt.kind.exprs() {
                    expr.walk(&mut |e| note_expression(e, &mut note));
                }
            }
            for expr in block.end.kind.exprs() {
                expr.walk(&mut |e| note_expression(e, &mut note));
            }
        }
        Ingredients(all)
    }

    /// How many are in both, in thousandths of all.
    fn in_common(&self, other: &Ingredients) -> usize {
        let both = self.0.iter().map(|(what, n)| n.min(other.0.get(what).unwrap_or(&0)));
        let all: usize = self.0.values().chain(other.0.values()).sum();
        2_000 * both.sum::<usize>() / all.max(1)
    }
}

fn note_expression(e: &Expr, note: &mut impl FnMut(String)) {
    match e {
        Expr::Const(c) => note(format!("{} of {:?}", c.bits, c.ty)),
        Expr::Unary { op, ty, .. } => note(format!("{op:?} {ty:?}")),
        Expr::Binary { op, .. } => note(format!("{op:?}")),
        Expr::Select { .. } => note("?:".into()),
        Expr::FusedMulAdd { .. } => note("fma".into()),
        Expr::Var(_) | Expr::Address(_) => {}
    }
}

/// The ways in which the loops of both versions are coupled in order, and one more if loops seem to have changed places: those first
/// whose couplings look most alike.
pub fn by_likeness(
    facts: &ProgramFacts,
    loops: [&[Outlined]; 2],
    in_order: Vec<Vec<(usize, usize)>>,
) -> Vec<Vec<(usize, usize)>> {
    if loops.iter().all(|loops| loops.len() < 2) {
        return in_order;
    }
    let [old, new] = Side::BOTH.map(|side| {
        let of = |l| Ingredients::of(facts, side, l);
        loops[side.index()].iter().map(of).collect::<Vec<Ingredients>>()
    });
    let alike: Vec<Vec<usize>> =
        old.iter().map(|one| new.iter().map(|other| one.in_common(other)).collect()).collect();
    let mut all = in_order;
    let alikest = alikest(&alike);
    if !all.contains(&alikest) {
        all.push(alikest);
    }
    // As they stand, if nothing else is more alike.
    all.sort_by_key(|couplings| {
        std::cmp::Reverse(couplings.iter().map(|(old, new)| alike[*old][*new]).sum::<usize>())
    });
    all
}

/// Each with what it is most like, those first that are most alike; of equally good ones those that stand at about the same place.
fn alikest(alike: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let mut couplings: Vec<(usize, usize)> =
        (0..alike.len()).flat_map(|old| (0..alike[old].len()).map(move |new| (old, new))).collect();
    couplings.sort_by_key(|(old, new)| {
        (std::cmp::Reverse(alike[*old][*new]), old.abs_diff(*new), *old, *new)
    });
    let mut chosen: Vec<(usize, usize)> = vec![];
    for (old, new) in couplings {
        if chosen.iter().all(|(o, n)| *o != old && *n != new) {
            chosen.push((old, new));
        }
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_most_alike_belongs_together() {
        let exchanged = [vec![300, 1000], vec![1000, 300]];
        assert_eq!(alikest(&exchanged), [(0, 1), (1, 0)]);
        let same = [vec![1000, 1000], vec![1000, 1000]];
        assert_eq!(alikest(&same), [(0, 0), (1, 1)]);
        let one_more = [vec![400, 900, 100]];
        assert_eq!(alikest(&one_more), [(0, 1)]);
    }
}
