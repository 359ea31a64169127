//! Which statements of two versions correspond: proposals, nothing more.
//!
//! Both procedures have one statement a block ([`explode`]), and arguments of calls are variables ([`name_arguments`]).
//! Each block has a *shape*: what it does, with names in the place of variables and nothing in the place of temporaries
//! and blocks. A diff of the two lists of shapes pairs blocks; the pairs vote on which variables correspond; pairs that
//! do not keep to the outcome are given up. So is, in the end, everything that a wrong guess costs: whoever concludes
//! something from it checks it.

use crate::same_code::is_assertion;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::graph::explode::{explode, name_arguments};
use verdiff_model::{
    Address, Block, BlockId, Callee, Const, Expr, GlobalId, LocalId, Procedure, Program, Stmt,
    StmtKind, TerminatorKind, VarId, VarKind,
};

/// Larger procedures are not matched.
const MOST_BLOCKS: usize = 60_000;

/// Both versions of a pair, statement by statement, and what corresponds.
#[derive(Clone)]
pub struct Matched {
    /// One statement a block.
    pub procedures: [Procedure; 2],
    /// The block of the other version that each block corresponds to.
    pub partner: [Vec<Option<BlockId>>; 2],
    /// Variables of the new version by those of the old one, and the reverse.
    pub vars: [HashMap<VarId, VarId>; 2],
    /// The same for local objects.
    pub locals: [HashMap<LocalId, LocalId>; 2],
}

impl Matched {
    /// Matches the procedures of a pair; `None` if they are too large.
    pub fn of(comparison: &Comparison, pair: PairId) -> Option<Matched> {
        let procedures = Side::BOTH.map(|side| comparison.procedure(pair, side).clone());
        Matched::between(comparison, procedures)
    }

    /// Matches two procedures of the two versions; `None` if they are too large.
    pub fn between(comparison: &Comparison, mut procedures: [Procedure; 2]) -> Option<Matched> {
        for side in Side::BOTH {
            drop_messages(comparison.program(side), &mut procedures[side.index()]);
        }
        procedures.iter_mut().for_each(name_arguments);
        procedures.iter_mut().for_each(explode);
        if procedures.iter().any(|p| p.blocks.len() > MOST_BLOCKS) {
            return None;
        }
        let renamed = renamed(&procedures);
        let mut literals = HashMap::new();
        let [old, new] = [Side::Old, Side::New].map(|side| {
            let procedure = &procedures[side.index()];
            let mut describe = Describe {
                comparison,
                side,
                program: comparison.program(side),
                procedure,
                renamed: &renamed,
                literals: &mut literals,
            };
            procedure.blocks.iter().map(|block| describe.block(block)).collect::<Vec<_>>()
        });
        let keys = |shapes: &[BlockContents]| shapes.iter().map(|s| s.key).collect::<Vec<u64>>();
        let mut pairs: Vec<(usize, usize)> = vec![];
        for op in capture_diff_slices(Algorithm::Patience, &keys(&old), &keys(&new)) {
            if op.tag() == DiffTag::Equal {
                pairs.extend(op.old_range().zip(op.new_range()));
            }
        }
        let mut vars = Bijection::default();
        for (a, b) in procedures[0].params.iter().zip(&procedures[1].params) {
            vars.fix(*a, *b);
        }
        let mut locals = Bijection::default();
        for (a, b) in &pairs {
            old[*a].vars.iter().zip(&new[*b].vars).for_each(|(x, y)| vars.vote(*x, *y));
            old[*a].locals.iter().zip(&new[*b].locals).for_each(|(x, y)| locals.vote(*x, *y));
        }
        let (vars, locals) = (vars.elected(), locals.elected());
        let agree = |(a, b): &(usize, usize)| {
            let same =
                old[*a].vars.iter().zip(&new[*b].vars).all(|(x, y)| vars[0].get(x) == Some(y));
            let (x, y) = (&old[*a].locals, &new[*b].locals);
            same && x.iter().zip(y).all(|(x, y)| locals[0].get(x) == Some(y))
        };
        pairs.retain(agree);
        let mut partner = [0, 1].map(|side| vec![None; procedures[side].blocks.len()]);
        for (a, b) in pairs {
            partner[0][a] = Some(BlockId::new(b));
            partner[1][b] = Some(BlockId::new(a));
        }
        Some(Matched { procedures, partner, vars, locals })
    }

    /// Whether some of these blocks are instructions that could not be lowered.
    pub fn has_hole(&self, blocks: &[BTreeSet<BlockId>; 2]) -> bool {
        let is_hole = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Hole { .. });
        Side::BOTH.into_iter().any(|side| {
            let procedure = &self.procedures[side.index()];
            blocks[side.index()].iter().any(|b| procedure.block(*b).stmts.iter().any(is_hole))
        })
    }

    /// The block of the other version.
    pub fn partner(&self, side: Side, block: BlockId) -> Option<BlockId> {
        self.partner[side.index()].get(block.index()).copied().flatten()
    }

    /// The variable of the other version.
    pub fn var(&self, side: Side, var: VarId) -> Option<VarId> {
        self.vars[side.index()].get(&var).copied()
    }

    /// The local object of the other version, if it has the same size and alignment.
    pub fn local(&self, side: Side, local: LocalId) -> Option<LocalId> {
        let other = self.locals[side.index()].get(&local).copied()?;
        let of = |side: Side, id| self.procedures[side.index()].local(id);
        let (a, b) = (of(side, local), of(side.other(), other));
        (a.size == b.size && a.align == b.align).then_some(other)
    }
}

/// Puts zeros for what is passed where an assertion fails: text, and the number of a line, which differs wherever a line was
/// added further up. The call traps whatever it is given, and its arguments are expressions, which do not trap, so
/// all outcomes stay what they were.
fn drop_messages(program: &Program, procedure: &mut Procedure) {
    for stmt in procedure.blocks.iter_mut().flat_map(|block| &mut block.stmts) {
        if let StmtKind::Call { callee: Callee::External(id), args, .. } = &mut stmt.kind
            && is_assertion(program, *id)
        {
            let types = &program.external(*id).signature.params;
            for (arg, ty) in args.iter_mut().zip(types) {
                *arg = Expr::Const(Const::new(*ty, 0));
            }
        }
    }
}

/// Names that only one version has, paired in the order of their declaration with those of the same type that only the
/// other one has: variables that were renamed.
fn renamed(procedures: &[Procedure; 2]) -> HashMap<String, String> {
    let named = |p: &Procedure| -> Vec<(String, String)> {
        let vars = p.vars.iter().filter(|v| v.kind != VarKind::Temporary && !v.name.is_empty());
        let vars = vars.map(|v| (v.name.clone(), format!("{:?}", v.ty)));
        let locals = p.locals.iter().map(|l| (l.name.clone(), format!("{} {}", l.size, l.align)));
        vars.chain(locals).collect()
    };
    let [old, new] = [named(&procedures[0]), named(&procedures[1])];
    let only = |a: &[(String, String)], b: &[(String, String)]| -> Vec<(String, String)> {
        let there: HashSet<&str> = b.iter().map(|(name, _)| name.as_str()).collect();
        a.iter().filter(|(name, _)| !there.contains(name.as_str())).cloned().collect()
    };
    let (gone, come) = (only(&old, &new), only(&new, &old));
    let mut by_type: HashMap<&str, Vec<&str>> = HashMap::new();
    gone.iter().for_each(|(name, ty)| by_type.entry(ty).or_default().push(name));
    let mut map = HashMap::new();
    let mut next: HashMap<&str, usize> = HashMap::new();
    for (name, ty) in &come {
        let at = next.entry(ty).or_insert(0);
        if let Some(old) = by_type.get(ty.as_str()).and_then(|list| list.get(*at)) {
            map.insert(name.clone(), (*old).to_owned());
        }
        *at += 1;
    }
    map
}

/// What a block does, and with which variables and local objects, in order.
struct BlockContents {
    key: u64,
    vars: Vec<VarId>,
    locals: Vec<LocalId>,
}

struct Describe<'a> {
    comparison: &'a Comparison,
    side: Side,
    program: &'a Program,
    procedure: &'a Procedure,
    /// The old version's names by the new version's.
    renamed: &'a HashMap<String, String>,
    literals: &'a mut HashMap<(Side, GlobalId), u128>,
}

impl Describe<'_> {
    fn block(&mut self, block: &Block) -> BlockContents {
        let mut text = String::new();
        let mut shape = BlockContents { key: 0, vars: vec![], locals: vec![] };
        match block.stmts.first() {
            Some(stmt) => self.stmt(&stmt.kind, &mut text, &mut shape),
            None => self.end(&block.end.kind, &mut text, &mut shape),
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        shape.key = hasher.finish();
        shape
    }

    fn stmt(&mut self, kind: &StmtKind, text: &mut String, shape: &mut BlockContents) {
        let head = match kind {
            StmtKind::Assign { .. } => "assign".to_owned(),
            StmtKind::Load { align, access, .. } => format!("load {align} {access:?}"),
            StmtKind::Store { align, access, .. } => format!("store {align} {access:?}"),
            StmtKind::Copy { align, access, .. } => format!("copy {align} {access:?}"),
            StmtKind::Fill { align, access, .. } => format!("fill {align} {access:?}"),
            StmtKind::Call { callee, .. } => format!("call {}", self.callee(callee)),
            StmtKind::Check { trap, .. } => format!("check {trap:?}"),
            StmtKind::CheckInit { .. } => "initialised".to_owned(),
            StmtKind::Alloc { align, .. } => format!("alloc {align}"),
            StmtKind::SaveStack { .. } => "save".to_owned(),
            StmtKind::RestoreStack { .. } => "restore".to_owned(),
            StmtKind::Hole { code, .. } => {
                let names: Vec<String> = code.names.iter().map(|a| self.address(*a)).collect();
                format!("hole {:x} {names:?}", code.code)
            }
        };
        text.push_str(&head);
        for var in kind.writes() {
            self.var(*var, text, shape);
        }
        if let StmtKind::CheckInit { var } = kind {
            self.var(*var, text, shape);
        }
        for e in kind.exprs() {
            self.expr(e, text, shape);
        }
    }

    fn end(&mut self, kind: &TerminatorKind, text: &mut String, shape: &mut BlockContents) {
        match kind {
            TerminatorKind::Goto(_) => text.push_str("goto"),
            TerminatorKind::Branch { .. } => text.push_str("branch"),
            TerminatorKind::Switch { cases, .. } => {
                let bits: Vec<u128> = cases.iter().map(|(bits, _)| *bits).collect();
                text.push_str(&format!("switch {bits:?}"));
            }
            TerminatorKind::Return(_) => text.push_str("return"),
            TerminatorKind::Trap(trap) => text.push_str(&format!("trap {trap:?}")),
        }
        for e in kind.exprs() {
            self.expr(e, text, shape);
        }
    }

    fn callee(&mut self, callee: &Callee) -> String {
        match callee {
            Callee::Procedure(id) => self.address(Address::Procedure(*id)),
            Callee::External(id) => self.address(Address::External(*id)),
            Callee::Indirect { signature, .. } => format!("{signature:?}"),
        }
    }

    fn var(&self, id: VarId, text: &mut String, shape: &mut BlockContents) {
        let var = self.procedure.var(id);
        shape.vars.push(id);
        let name = match var.kind {
            VarKind::Temporary => "",
            _ => self.name(&var.name),
        };
        text.push_str(&format!(" {name}:{:?}", var.ty));
    }

    fn name<'n>(&'n self, name: &'n str) -> &'n str {
        match self.side {
            Side::Old => name,
            Side::New => self.renamed.get(name).map_or(name, String::as_str),
        }
    }

    fn expr(&mut self, e: &Expr, text: &mut String, shape: &mut BlockContents) {
        match e {
            Expr::Const(c) => text.push_str(&format!(" {:x}:{:?}", c.bits, c.ty)),
            Expr::Var(id) => self.var(*id, text, shape),
            Expr::Address(Address::Local(id)) => {
                shape.locals.push(*id);
                let local = self.procedure.local(*id);
                text.push_str(&format!(" &{}", self.name(&local.name)));
            }
            Expr::Address(address) => {
                let name = self.address(*address);
                text.push_str(&format!(" {name}"));
            }
            Expr::Unary { op, ty, arg } => {
                text.push_str(&format!(" ({op:?}:{ty:?}"));
                self.expr(arg, text, shape);
                text.push(')');
            }
            Expr::Binary { op, marks, lhs, rhs } => {
                text.push_str(&format!(" ({op:?} {marks:?}"));
                self.expr(lhs, text, shape);
                self.expr(rhs, text, shape);
                text.push(')');
            }
            Expr::Select { cond, then, otherwise } => {
                text.push_str(" (?");
                for e in [cond, then, otherwise] {
                    self.expr(e, text, shape);
                }
                text.push(')');
            }
            Expr::FusedMulAdd { a, b, c } => {
                text.push_str(" (fma");
                for e in [a, b, c] {
                    self.expr(e, text, shape);
                }
                text.push(')');
            }
        }
    }

    fn address(&mut self, address: Address) -> String {
        match address {
            Address::Global(id) => {
                let global = self.program.global(id);
                if global.is_literal() && global.init.is_some() {
                    let (side, comparison) = (self.side, self.comparison);
                    let contents = self.literals.entry((side, id));
                    format!(
                        "literal {:x}",
                        contents.or_insert_with(|| comparison.contents_of(side, id))
                    )
                } else {
                    format!("{}/{}", global.owner.as_deref().unwrap_or(""), global.identity())
                }
            }
            Address::Local(id) => format!("local {}", self.procedure.local(id).name),
            Address::Procedure(id) => match self.comparison.pair_of(self.side, id) {
                Some(pair) => format!("pair {}", pair.0),
                None => format!("{:?} {}", self.side, self.program.procedure(id).symbol),
            },
            Address::External(id) => format!("extern {}", self.program.external(id).name),
        }
    }
}

/// A one-to-one relation by the majority of votes.
struct Bijection<T> {
    votes: BTreeMap<(T, T), usize>,
}

impl<T> Default for Bijection<T> {
    fn default() -> Self {
        Bijection { votes: BTreeMap::new() }
    }
}

impl<T: Copy + Ord + Hash> Bijection<T> {
    fn vote(&mut self, a: T, b: T) {
        *self.votes.entry((a, b)).or_insert(0) += 1;
    }

    fn fix(&mut self, a: T, b: T) {
        self.votes.insert((a, b), 1 << 30);
    }

    /// The pairs with the most votes, each thing in one of them; both ways.
    fn elected(self) -> [HashMap<T, T>; 2] {
        let mut votes: Vec<((T, T), usize)> = self.votes.into_iter().collect();
        votes.sort_by(|x, y| y.1.cmp(&x.1).then(x.0.cmp(&y.0)));
        let mut map = [HashMap::new(), HashMap::new()];
        for ((a, b), _) in votes {
            if !map[0].contains_key(&a) && !map[1].contains_key(&b) {
                map[0].insert(a, b);
                map[1].insert(b, a);
            }
        }
        map
    }
}
