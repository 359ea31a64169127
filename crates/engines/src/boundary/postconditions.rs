//! Postconditions of regions: of what a region assigns, only what the code behind it asks for is compared.
//!
//! `c = a != 0;` against `c = a;` is equal if the code behind it only asks whether `c` is zero. Where every use of a
//! variable is of that kind, the region gets an assignment of a *representative* at each of its exits: one value of all
//! those for which the uses give the same answers, here `c = c == 0 ? 0 : 1`. Uses that are looked for are comparisons with
//! constants, cases, and reads of some bits. This is the relation R of a postcondition (2clever), as code.
//!
//! Soundness: the assignment is put into its version before the region is cut out, and changes no outcome of *that version*,
//! which is all that the rule needs ([module](super)). Compare the runs with and without it: they are in the same states, but
//! for this one variable, from the exit until it is written again. On every path from the exits until then, through other
//! regions and back into this one, all reads of the variable were looked at ([`Uses::behind`]), and each has the same value
//! for a number and for its representative. Where the variable is known to be a number that it was compared with, that is its own
//! representative, and the runs are in the same state again. A copy is a use of the whole number, and so is
//! [`CheckInit`](StmtKind::CheckInit), which sees whether there is a value at all. At an exit where the variable has no value
//! the assignment does not trap, as no assignment does: what is made of no value is no value. Variables are read only by
//! statements of their own procedure; but where something returns twice there are reads that no edge leads to, so there
//! nothing is done. The uses of both versions are put together, so that both get the same representatives: that makes a proof
//! likely, and is no part of the argument.
//!
//! ✗ `int x = a != 0; if (x) g(); return x > 1;` against `int x = a; …`: not only the first use counts. ✗ `while (n-- > 0) x = x
//! == 5 ? -1 : 5; return x > 0;` against `… : 6;`: the region itself reads the variable the next time, and asks for more.

use super::divide::Prepared;
use std::collections::BTreeSet;
use verdiff_judge::Side;
use verdiff_model::outline::Region;
use verdiff_model::{
    BinaryOp, Block, BlockId, Const, Expr, Procedure, Stmt, StmtKind, Terminator, TerminatorKind,
    Type, UnaryOp, VarId, ops,
};
use verdiff_product::matching::Matched;

/// So many variables of a region get representatives at most.
const MOST_VARIABLES: usize = 8;
/// Numbers are divided into so many ranges at most.
const MOST_RANGES: usize = 12;

/// Puts representatives into the regions for which that is wanted, and says how many.
pub fn represent(matched: &Matched, sides: &mut [Prepared; 2], wanted: &[bool]) -> usize {
    let mut holes = matched.procedures.iter().flat_map(|p| p.holes());
    if holes.any(|hole| hole.returns_twice) {
        return 0;
    }
    let mut count = 0;
    for number in (0..wanted.len()).filter(|number| wanted[*number]) {
        for vars in assigned(matched, sides, number) {
            let uses = Side::BOTH.map(|side| {
                let Prepared { procedure, regions } = &sides[side.index()];
                Uses::behind(procedure, &regions[number], vars[side.index()])
            });
            let types = [0, 1].map(|side| sides[side].procedure.var(vars[side]).ty);
            let [old, new] = uses;
            if types[0] != types[1] {
                continue;
            }
            let together = old.and(new);
            let representatives = vars.map(|var| together.representative(types[0], var));
            for ((side, var), value) in sides.iter_mut().zip(vars).zip(representatives) {
                let Some(value) = value else { continue };
                assign_at_exits(side, number, var, &value);
                count += 1;
            }
        }
    }
    count
}

/// The variables, of the old and of the new version, that either region assigns and that are numbers.
fn assigned(matched: &Matched, sides: &[Prepared; 2], number: usize) -> Vec<[VarId; 2]> {
    let mut all = BTreeSet::new();
    for side in Side::BOTH {
        let Prepared { procedure, regions } = &sides[side.index()];
        let blocks = regions[number].blocks.iter().map(|block| procedure.block(*block));
        for var in blocks.flat_map(|block| &block.stmts).flat_map(|stmt| stmt.kind.writes()) {
            let is_number = matches!(procedure.var(*var).ty, Type::Int(width) if width > 1);
            let Some(other) = matched.var(side, *var).filter(|_| is_number) else { continue };
            all.insert(if side == Side::Old { [*var, other] } else { [other, *var] });
        }
    }
    all.into_iter().take(MOST_VARIABLES).collect()
}

/// What code asks of a variable.
#[derive(Clone, Debug, Default)]
struct Uses {
    /// Its whole value.
    whole: bool,
    /// These bits of it.
    bits: u128,
    /// How it compares with these numbers.
    compared: BTreeSet<(BinaryOp, u128)>,
}

impl Uses {
    /// All uses of a variable behind the exits of a region until it is written.
    fn behind(procedure: &Procedure, region: &Region, var: VarId) -> Uses {
        let mut uses = Uses::default();
        let mut work = exits(procedure, region);
        let mut seen: BTreeSet<BlockId> = work.iter().copied().collect();
        while let Some(id) = work.pop() {
            let block = procedure.block(id);
            let mut written = false;
            for stmt in &block.stmts {
                uses.whole |= matches!(stmt.kind, StmtKind::CheckInit { var: v } if v == var);
                stmt.kind.exprs().into_iter().for_each(|e| uses.note(e, var));
                written |= stmt.kind.writes().contains(&var);
                if written {
                    break;
                }
            }
            if written {
                continue;
            }
            let open = uses.note_end(&block.end.kind, var).into_iter();
            work.extend(open.filter(|block| seen.insert(*block)));
        }
        uses
    }

    /// What the end of a block asks of a variable, and the blocks behind it where that is not known to be one number. A number
    /// for which the variable was asked is its own representative.
    fn note_end(&mut self, end: &TerminatorKind, var: VarId) -> Vec<BlockId> {
        match end {
            TerminatorKind::Switch { value: Expr::Var(v), cases, default } if *v == var => {
                self.compared.extend(cases.iter().map(|(bits, _)| (BinaryOp::Eq, *bits)));
                vec![*default]
            }
            TerminatorKind::Branch { cond, then, otherwise } => {
                self.note(cond, var);
                match compared(cond, var) {
                    Some((BinaryOp::Eq, _)) => vec![*otherwise],
                    Some((BinaryOp::Ne, _)) => vec![*then],
                    _ => vec![*then, *otherwise],
                }
            }
            end => {
                end.exprs().into_iter().for_each(|e| self.note(e, var));
                end.successors()
            }
        }
    }

    /// What an expression asks of a variable.
    fn note(&mut self, e: &Expr, var: VarId) {
        let is_var = |e: &Expr| *e == Expr::Var(var);
        if let Some(comparison) = compared(e, var) {
            self.compared.insert(comparison);
            return;
        }
        match e {
            Expr::Var(v) => self.whole |= *v == var,
            Expr::Binary { op: BinaryOp::And, lhs, rhs, .. } if is_var(lhs) => {
                match rhs.as_const() {
                    Some(mask) => self.bits |= mask.bits,
                    None => self.whole = true,
                }
            }
            Expr::Unary { op: UnaryOp::Truncate, ty, arg } if is_var(arg) => {
                self.bits |= ty.mask();
            }
            e => e.operands().for_each(|operand| self.note(operand, var)),
        }
    }

    fn and(mut self, other: Uses) -> Uses {
        self.whole |= other.whole;
        self.bits |= other.bits;
        self.compared.extend(other.compared);
        self
    }

    /// An expression of a variable: a number for which all uses are as for the variable itself. `None` if there is none of
    /// use.
    fn representative(&self, ty: Type, var: VarId) -> Option<Expr> {
        match (self.whole, self.bits, self.compared.is_empty()) {
            (false, bits, true) if bits != 0 && bits != ty.mask() => {
                Some(Expr::binary(BinaryOp::And, Expr::Var(var), Const { ty, bits }.into()))
            }
            (false, 0, false) => self.of_its_range(ty, var),
            _ => None,
        }
    }

    /// The numbers from 0 to 2^w - 1 fall into ranges on which no comparison changes; ranges on which all comparisons agree
    /// have one representative, the first number of the first of them.
    fn of_its_range(&self, ty: Type, var: VarId) -> Option<Expr> {
        let most = ty.mask();
        // Signed comparisons change in the middle, too.
        let mut starts = BTreeSet::from([0, most / 2 + 1]);
        for (_, bits) in &self.compared {
            starts.extend([*bits, bits.wrapping_add(1) & most]);
        }
        if starts.len() > MOST_RANGES {
            return None;
        }
        let answers = |number: u128| -> Vec<u128> {
            let of = |(op, bits): &(BinaryOp, u128)| ops::binary_bits(*op, ty, number, *bits);
            self.compared.iter().map(of).collect()
        };
        let constant = |bits: u128| Expr::Const(Const { ty, bits });
        let first = |start: &u128| starts.iter().copied().find(|s| answers(*s) == answers(*start));
        // From the last range down: a number below the start of what was there before is in this one.
        let mut ranges = starts.iter().rev();
        let mut above = *ranges.next()?;
        let mut value = constant(first(&above)?);
        let mut last = value.clone();
        for start in ranges {
            let here = constant(first(start)?);
            if here != last {
                let below = Expr::binary(BinaryOp::Ult, Expr::Var(var), constant(above));
                value = Expr::select(below, here.clone(), value);
                last = here;
            }
            above = *start;
        }
        Some(value)
    }
}

/// A comparison of a variable with a constant.
fn compared(e: &Expr, var: VarId) -> Option<(BinaryOp, u128)> {
    match e {
        Expr::Binary { op, lhs, rhs, .. }
            if **lhs == Expr::Var(var) && op.is_comparison() && !op.is_float_comparison() =>
        {
            rhs.as_const().map(|number| (*op, number.bits))
        }
        _ => None,
    }
}

/// Where a region leads to, each block once.
fn exits(procedure: &Procedure, region: &Region) -> Vec<BlockId> {
    let ends = region.blocks.iter().flat_map(|b| procedure.block(*b).end.kind.successors());
    let mut exits: Vec<BlockId> = ends.filter(|to| !region.blocks.contains(to)).collect();
    exits.sort();
    exits.dedup();
    exits
}

/// Assigns a value to a variable wherever a region is left for another block.
fn assign_at_exits(side: &mut Prepared, number: usize, var: VarId, value: &Expr) {
    let Prepared { procedure, regions } = side;
    for exit in exits(procedure, &regions[number]) {
        let to = procedure.block(exit);
        let loc = to.stmts.first().map_or(to.end.loc, |stmt| stmt.loc);
        let kind = StmtKind::Assign { dst: var, value: value.clone() };
        let before = BlockId::new(procedure.blocks.len());
        for block in &regions[number].blocks {
            let targets = procedure.blocks[block.index()].end.kind.successors_mut().into_iter();
            targets.filter(|to| **to == exit).for_each(|to| *to = before);
        }
        procedure.blocks.push(Block {
            label: "representative".to_owned(),
            stmts: vec![Stmt { kind, loc }],
            end: Terminator { kind: TerminatorKind::Goto(exit), loc },
        });
        regions[number].blocks.push(before);
    }
}
