//! One term as text, with shared sub-terms bound by `let`. Nothing here recurses.

use std::borrow::Cow;
use std::fmt::{self, Write};

use rustc_hash::FxHashMap;

use crate::op::Op;
use crate::sort::FloatFormat;
use crate::term::{TermId, TermPool};

use super::names;

/// Sub-terms deeper than this are given a name even if they occur once, because some solvers
/// parse with recursion.
const MAX_NESTING: u32 = 200;

/// Which terms have a name in the text, and which names.
pub(super) struct Names {
    /// Terms to be bound, operands first.
    pub(super) order: Vec<TermId>,
    named: FxHashMap<TermId, String>,
}

impl Names {
    /// Chooses names for what occurs more than once below `roots`, for all of `wanted`, and for
    /// what is nested too deeply.
    pub(super) fn choose(pool: &TermPool, roots: &[TermId], wanted: &[TermId]) -> Names {
        let mut result = Names { order: Vec::new(), named: FxHashMap::default() };
        let mut everything = roots.to_vec();
        everything.extend_from_slice(wanted);
        let all = pool.sub_terms(&everything);
        let mut uses: FxHashMap<TermId, u32> = FxHashMap::default();
        for term in &all {
            for operand in pool.operands(*term) {
                *uses.entry(*operand).or_insert(0) += 1;
            }
        }
        for root in roots {
            *uses.entry(*root).or_insert(0) += 1;
        }
        for term in wanted {
            uses.insert(*term, 2);
        }
        let mut nesting: FxHashMap<TermId, u32> = FxHashMap::default();
        for term in all {
            if pool.operands(term).is_empty() {
                continue;
            }
            let below = pool.operands(term).iter().filter_map(|t| nesting.get(t)).max();
            let mut depth = 1 + below.copied().unwrap_or(0);
            if uses[&term] > 1 || depth > MAX_NESTING {
                result.order.push(term);
                result.named.insert(term, format!("?t{}", term.0));
                depth = 0;
            }
            nesting.insert(term, depth);
        }
        result
    }

    /// Gives one term a name of its own that the text defines elsewhere.
    pub(super) fn set(&mut self, term: TermId, name: String) {
        self.order.retain(|t| *t != term);
        self.named.insert(term, name);
    }

    pub(super) fn get(&self, term: TermId) -> Option<&str> {
        self.named.get(&term).map(String::as_str)
    }
}

enum Piece {
    Term(TermId),
    Text(Cow<'static, str>),
}

/// Writes a term, using names for the sub-terms that have one, but not for `root` itself.
pub(super) fn write_term(
    out: &mut impl Write,
    pool: &TermPool,
    names: &Names,
    root: TermId,
) -> fmt::Result {
    let mut pending = Vec::new();
    expand(pool, root, &mut pending);
    while let Some(piece) = pending.pop() {
        match piece {
            Piece::Text(text) => out.write_str(&text)?,
            Piece::Term(term) => match names.get(term) {
                Some(name) => out.write_str(name)?,
                None => expand(pool, term, &mut pending),
            },
        }
    }
    Ok(())
}

/// Pushes the pieces of one term so that the first to be written is on top.
fn expand(pool: &TermPool, term: TermId, pending: &mut Vec<Piece>) {
    let operands = pool.operands(term);
    if operands.is_empty() {
        pending.push(Piece::Text(leaf(pool, term)));
        return;
    }
    let start = pending.len();
    // The theory declares these with two operands; longer ones are nested to the left.
    let nested = matches!(
        pool.op(term),
        Op::BvAnd | Op::BvOr | Op::BvXor | Op::BvAdd | Op::BvMul | Op::Concat
    );
    match negated(pool, term) {
        Some(operand) => {
            pending.push(Piece::Text("(bvneg ".into()));
            pending.push(Piece::Term(operand));
            pending.push(Piece::Text(")".into()));
        }
        None if nested => {
            let head = format!("({} ", pool.op(term).name()).repeat(operands.len() - 1);
            pending.push(Piece::Text(head.into()));
            pending.push(Piece::Term(operands[0]));
            for operand in &operands[1..] {
                pending.push(Piece::Text(" ".into()));
                pending.push(Piece::Term(*operand));
                pending.push(Piece::Text(")".into()));
            }
        }
        None => {
            pending.push(Piece::Text(format!("({}", head(pool, term)).into()));
            for operand in operands {
                pending.push(Piece::Text(" ".into()));
                pending.push(Piece::Term(*operand));
            }
            pending.push(Piece::Text(")".into()));
        }
    }
    pending[start..].reverse();
}

/// `x`, if the term is `-1 * x`.
fn negated(pool: &TermPool, term: TermId) -> Option<TermId> {
    match (pool.op(term), pool.operands(term)) {
        (Op::BvMul, &[a, b]) if pool.as_bits(a).is_some_and(|c| c.is_ones()) => Some(b),
        _ => None,
    }
}

fn leaf(pool: &TermPool, term: TermId) -> Cow<'static, str> {
    if let Op::Symbol(symbol) = pool.op(term) {
        return names::symbol(pool, symbol).into();
    }
    if let Some(bits) = pool.as_bits(term) {
        return bits.to_string().into();
    }
    if let Some(float) = pool.as_float(term) {
        let format = float.format();
        if float.is_nan() {
            return format!("(_ NaN {} {})", format.exponent(), format.significand()).into();
        }
        let (sign, exponent, fraction) = float.fields();
        return format!("(fp {sign} {exponent} {fraction})").into();
    }
    pool.op(term).name().into()
}

fn to_fp(name: &str, format: FloatFormat) -> String {
    format!("(_ {name} {} {})", format.exponent(), format.significand())
}

/// The operator with its indices and rounding mode.
fn head(pool: &TermPool, term: TermId) -> Cow<'static, str> {
    let op = pool.op(term);
    match op {
        Op::Apply(function) => names::function(pool, function).into(),
        Op::Extract { high, low } => format!("(_ extract {high} {low})").into(),
        Op::ZeroExtend(n) => format!("(_ zero_extend {n})").into(),
        Op::SignExtend(n) => format!("(_ sign_extend {n})").into(),
        Op::ConstArray => format!("(as const {})", names::sort(pool, pool.sort(term))).into(),
        Op::FpAdd(mode)
        | Op::FpMul(mode)
        | Op::FpDiv(mode)
        | Op::FpFma(mode)
        | Op::FpSqrt(mode)
        | Op::FpRound(mode) => format!("{} {}", op.name(), mode.smtlib()).into(),
        Op::FpFromBits(format) => to_fp("to_fp", format).into(),
        Op::FpConvert(mode, format) | Op::FpFromSigned(mode, format) => {
            format!("{} {}", to_fp("to_fp", format), mode.smtlib()).into()
        }
        Op::FpFromUnsigned(mode, format) => {
            format!("{} {}", to_fp("to_fp_unsigned", format), mode.smtlib()).into()
        }
        Op::FpToSigned(mode, width) | Op::FpToUnsigned(mode, width) => {
            format!("(_ {} {width}) {}", op.name(), mode.smtlib()).into()
        }
        _ => op.name().into(),
    }
}

/// A term as SMT-LIB text; see [`TermPool::display`].
pub struct DisplayTerm<'a> {
    pool: &'a TermPool,
    term: TermId,
}

impl fmt::Display for DisplayTerm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Names::choose(self.pool, &[self.term], &[]);
        write_with_lets(f, self.pool, &names, self.term)
    }
}

/// Writes a term inside the `let`s it needs.
pub(super) fn write_with_lets(
    out: &mut impl Write,
    pool: &TermPool,
    names: &Names,
    root: TermId,
) -> fmt::Result {
    let below = pool.sub_terms(&[root]);
    let mut open = 0;
    for term in &names.order {
        if *term == root || below.binary_search(term).is_err() {
            continue;
        }
        write!(out, "(let (({} ", names.get(*term).unwrap_or_default())?;
        write_term(out, pool, names, *term)?;
        out.write_str(")) ")?;
        open += 1;
    }
    write_term(out, pool, names, root)?;
    for _ in 0..open {
        out.write_char(')')?;
    }
    Ok(())
}

impl TermPool {
    /// The term as SMT-LIB text, shared sub-terms bound by `let`.
    ///
    /// ```
    /// # use verdiff_logic::{Sort, TermPool};
    /// # fn main() -> Result<(), verdiff_logic::LogicError> {
    /// let mut pool = TermPool::new();
    /// let x = pool.symbol("x", Sort::BitVec(8))?;
    /// let twice = pool.bv_add(x, x)?;
    /// let product = pool.bv_mul(twice, twice)?;
    /// let text = pool.display(product).to_string();
    /// assert_eq!(text, "(let ((?t3 (bvadd x x))) (bvmul ?t3 ?t3))");
    /// # Ok(()) }
    /// ```
    pub fn display(&self, term: TermId) -> DisplayTerm<'_> {
        DisplayTerm { pool: self, term }
    }
}
