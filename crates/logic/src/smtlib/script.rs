//! Whole scripts: declarations, assertions, `check-sat`. What evidence is kept as, what is logged
//! and what a child solver reads.

use std::fmt::Write;

use crate::op::Op;
use crate::sort::Sort;
use crate::term::{TermId, TermPool};

use super::names;
use super::print::{Names, write_term, write_with_lets};

/// How a script writes a sub-term that occurs more than once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// `let`, within each assertion.
    Let,
    /// `define-fun` of a name without parameters, once for the whole script. Flat however deep
    /// the terms are, and the names can be asked for afterwards.
    Define,
}

/// A script in the making.
///
/// ```
/// use verdiff_logic::smtlib::{Script, Sharing};
/// use verdiff_logic::{Sort, TermPool};
/// # fn main() -> Result<(), verdiff_logic::LogicError> {
/// let mut pool = TermPool::new();
/// let x = pool.symbol("x", Sort::BitVec(8))?;
/// let y = pool.symbol("and", Sort::BitVec(8))?;
/// let less = pool.bv_ult(x, y)?;
/// let script = Script::new(&pool, &[less], &[], Sharing::Let);
/// assert_eq!(script.text(), "\
/// (set-logic QF_BV)
/// (declare-fun x () (_ BitVec 8))
/// (declare-fun |and!s1| () (_ BitVec 8))
/// (assert (bvult x |and!s1|))
/// ");
/// # Ok(()) }
/// ```
pub struct Script<'a> {
    pool: &'a TermPool,
    names: Names,
    text: String,
}

impl<'a> Script<'a> {
    /// Declares all that the terms speak of and asserts `assertions`. With
    /// [`Sharing::Define`], every term of `wanted` can be named with [`Script::name`] afterwards.
    pub fn new(
        pool: &'a TermPool,
        assertions: &[TermId],
        wanted: &[TermId],
        sharing: Sharing,
    ) -> Script<'a> {
        let mut all = assertions.to_vec();
        all.extend_from_slice(wanted);
        let sub_terms = pool.sub_terms(&all);
        let names = match sharing {
            Sharing::Define => Names::choose(pool, assertions, wanted),
            // The `let`s of one assertion are chosen when it is written.
            Sharing::Let => Names::choose(pool, &[], &[]),
        };
        let mut script = Script { pool, names, text: String::new() };
        let _ = writeln!(script.text, "(set-logic {})", logic_of(pool, &sub_terms));
        script.declare(&all, &sub_terms);
        let read: Vec<TermId> =
            sub_terms.iter().copied().filter(|t| pool.op(*t) == Op::FpToBits).collect();
        for term in &read {
            script.declare_bits_of(*term);
        }
        if sharing == Sharing::Define {
            for term in script.names.order.clone() {
                script.define(term);
            }
        }
        for term in &read {
            script.assert_bits_of(*term, sharing);
        }
        for term in assertions {
            script.assert(*term, sharing);
        }
        script
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What a leaf, or a term that was `wanted`, is called in the script.
    pub fn name(&self, term: TermId) -> String {
        match self.names.get(term) {
            Some(name) => name.to_string(),
            None => {
                let mut text = String::new();
                let _ = write_term(&mut text, self.pool, &self.names, term);
                text
            }
        }
    }

    fn declare(&mut self, roots: &[TermId], sub_terms: &[TermId]) {
        let pool = self.pool;
        let free = pool.free_names(roots);
        let mut sorts: Vec<Sort> = sub_terms.iter().map(|t| pool.sort(*t)).collect();
        for function in &free.functions {
            let signature = pool.signature(*function);
            sorts.extend(&signature.parameters);
            sorts.push(signature.result);
        }
        let mut uninterpreted = Vec::new();
        while let Some(sort) = sorts.pop() {
            match sort {
                Sort::Uninterpreted(_) => uninterpreted.push(sort),
                Sort::Array(array) => {
                    let (index, element) = pool.array_parts(array);
                    sorts.extend([index, element]);
                }
                _ => {}
            }
        }
        uninterpreted.sort_unstable();
        uninterpreted.dedup();
        for sort in uninterpreted {
            let _ = writeln!(self.text, "(declare-sort {} 0)", names::sort(pool, sort));
        }
        for symbol in &free.symbols {
            let sort = names::sort(pool, pool.sort(pool.symbol_term(*symbol)));
            let name = names::symbol(pool, *symbol);
            let _ = writeln!(self.text, "(declare-fun {name} () {sort})");
        }
        for function in &free.functions {
            let signature = pool.signature(*function);
            let parameters: Vec<String> =
                signature.parameters.iter().map(|s| names::sort(pool, *s)).collect();
            let result = names::sort(pool, signature.result);
            let name = names::function(pool, *function);
            let _ = writeln!(self.text, "(declare-fun {name} ({}) {result})", parameters.join(" "));
        }
    }

    /// SMT-LIB has no operator for the bits of a float. They are a symbol of their own, of which
    /// is asserted that it reads back as the float; that determines it unless the float is NaN,
    /// and `FpToBits` is only ever built under a guard that excludes NaN.
    fn declare_bits_of(&mut self, term: TermId) {
        let name = format!("?b{}", term.0);
        let sort = names::sort(self.pool, self.pool.sort(term));
        let _ = writeln!(self.text, "(declare-fun {name} () {sort})");
        self.names.set(term, name);
    }

    fn assert_bits_of(&mut self, term: TermId, sharing: Sharing) {
        let operand = self.pool.operands(term)[0];
        let Sort::Float(format) = self.pool.sort(operand) else { return };
        let (eb, sb) = (format.exponent(), format.significand());
        let name = self.name(term);
        let float = self.closed(operand, sharing);
        let _ = writeln!(
            self.text,
            "(assert (let ((?f {float})) (or (fp.isNaN ?f) (= ((_ to_fp {eb} {sb}) {name}) ?f))))"
        );
    }

    fn closed(&self, term: TermId, sharing: Sharing) -> String {
        let mut text = String::new();
        let _ = match (sharing, self.names.get(term)) {
            (Sharing::Define, Some(name)) => text.write_str(name),
            (Sharing::Define, None) => write_term(&mut text, self.pool, &self.names, term),
            (Sharing::Let, _) => {
                let mut names = Names::choose(self.pool, &[term], &[]);
                for sub_term in self.pool.sub_terms(&[term]) {
                    if let Some(name) = self.names.get(sub_term) {
                        names.set(sub_term, name.to_string());
                    }
                }
                match names.get(term) {
                    Some(name) => text.write_str(name),
                    None => write_with_lets(&mut text, self.pool, &names, term),
                }
            }
        };
        text
    }

    fn define(&mut self, term: TermId) {
        let sort = names::sort(self.pool, self.pool.sort(term));
        let name = self.names.get(term).unwrap_or_default();
        let _ = write!(self.text, "(define-fun {name} () {sort} ");
        let _ = write_term(&mut self.text, self.pool, &self.names, term);
        self.text.push_str(")\n");
    }

    fn assert(&mut self, term: TermId, sharing: Sharing) {
        let text = self.closed(term, sharing);
        let _ = writeln!(self.text, "(assert {text})");
    }
}

/// The smallest logic that has everything in these sub-terms, by the names solvers know.
pub(crate) fn logic_of(pool: &TermPool, sub_terms: &[TermId]) -> &'static str {
    let (mut arrays, mut functions, mut floats) = (false, false, false);
    for term in sub_terms {
        match pool.sort(*term) {
            Sort::Array(_) => arrays = true,
            Sort::Float(_) => floats = true,
            Sort::Uninterpreted(_) => functions = true,
            _ => {}
        }
        if matches!(pool.op(*term), Op::Apply(_)) {
            functions = true;
        }
    }
    match (arrays, functions, floats) {
        (false, false, false) => "QF_BV",
        (true, false, false) => "QF_ABV",
        (false, true, false) => "QF_UFBV",
        (true, true, false) => "QF_AUFBV",
        (false, false, true) => "QF_BVFP",
        _ => "ALL",
    }
}
