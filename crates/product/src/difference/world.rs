//! When two worlds are the same: the calls that made them, one by one.
//!
//! A world is what was said to the outside so far: a call of an external function turns one into the next. In a proof it is
//! an uninterpreted function of the call, so that equal calls stay equal. For an exact condition that is too little: some
//! interpretation may forget a call. But a world *is* its calls (docs/internals/semantics.md: a changed, missing or reordered call is a
//! difference), so two are the same exactly if the same functions were called with the same arguments in the same order.
//!
//! That is so of functions of which nothing is known, and of the status of `exit` up to its low byte. Of those of the library what they
//! print is what is seen, not how they were called: [`printed`](super::printed) says when that is surely the same and when surely not, and where it
//! does not know there is no exact condition.

use super::printed::{Kind, Printed};
use std::collections::HashMap;
use verdiff_judge::Comparison;
use verdiff_logic::{FunctionId, LogicError, Op, Sort, TermId};
use verdiff_symex::space::Space;

/// How many pairs of worlds are compared.
const MOST: usize = 256;

/// When two worlds are not the same, under the same conditions as [`spelled_out`].
pub(crate) fn unlike(
    space: &mut Space,
    comparison: &Comparison,
    a: TermId,
    b: TermId,
) -> Result<Option<TermId>, LogicError> {
    let same = space.pool.eq(a, b)?;
    let unlike = space.pool.not(same)?;
    spelled_out(space, comparison, unlike)
}

/// A formula with every equation of worlds spelled out; `None` if one is not about external calls alone, or speaks of whole
/// memories that are not plainly the same.
pub(crate) fn spelled_out(
    space: &mut Space,
    comparison: &Comparison,
    formula: TermId,
) -> Result<Option<TermId>, LogicError> {
    let sort = verdiff_symex::entry::world_sort(space)?;
    let printed = Printed::of(space, comparison);
    let mut spelling = Spelling { space, sort, printed, known: HashMap::new() };
    let equations: Vec<TermId> = spelling
        .space
        .pool
        .sub_terms(&[formula])
        .into_iter()
        .filter(|t| {
            let pool = &spelling.space.pool;
            pool.op(*t) == Op::Eq && pool.sort(pool.operands(*t)[0]) == sort
        })
        .collect();
    let mut map = Vec::new();
    for equation in equations {
        let (a, b) = {
            let operands = spelling.space.pool.operands(equation);
            (operands[0], operands[1])
        };
        match spelling.same(a, b, true)? {
            Some(same) => map.push((equation, same)),
            None => return Ok(None),
        }
    }
    let spelled = space.pool.substitute(formula, &map.into_iter().collect())?;
    Ok(Some(space.tidy(spelled)?))
}

struct Spelling<'a> {
    space: &'a mut Space,
    sort: Sort,
    printed: Printed,
    known: HashMap<(TermId, TermId, bool), TermId>,
}

impl Spelling<'_> {
    /// When two worlds are the same; `last` if nothing is called after them. The depth is that of the calls in them.
    fn same(&mut self, a: TermId, b: TermId, last: bool) -> Result<Option<TermId>, LogicError> {
        if a == b {
            return Ok(Some(self.space.pool.truth()));
        }
        if let Some(known) = self.known.get(&(a, b, last)) {
            return Ok(Some(*known));
        }
        if self.known.len() >= MOST {
            return Ok(None);
        }
        let same = match (self.space.pool.op(a), self.space.pool.op(b)) {
            (Op::Ite, _) => self.split(a, b, false, last)?,
            (_, Op::Ite) => self.split(b, a, true, last)?,
            (Op::Apply(f), Op::Apply(g)) => match (self.kind(f), self.kind(g)) {
                (Some(_), Some(_)) if f == g => self.arguments(f, a, b, last)?,
                (Some(old), Some(new)) => {
                    // What is printed in two pieces may be printed in one; a function that is not known shows where it stands.
                    let apart = match (&old, &new) {
                        (Kind::Library(_), Kind::Library(_)) => false,
                        (Kind::Library(_), _) => self.is_seen(&old, a),
                        (_, Kind::Library(_)) => self.is_seen(&new, b),
                        _ => old != new,
                    };
                    apart.then(|| self.space.pool.falsity())
                }
                _ => None,
            },
            // Before any call, or after one.
            (Op::Symbol(_), Op::Apply(f)) => self.is_more(f, b),
            (Op::Apply(f), Op::Symbol(_)) => self.is_more(f, a),
            _ => None,
        };
        if let Some(same) = same {
            self.known.insert((a, b, last), same);
        }
        Ok(same)
    }

    fn kind(&self, function: FunctionId) -> Option<Kind> {
        self.printed.kind(self.space.world_function(function)?)
    }

    /// Whether a call shows, whatever was before it.
    fn is_seen(&self, kind: &Kind, call: TermId) -> bool {
        match kind {
            Kind::Library(name) => self.printed.surely_prints(name, self.space.pool.operands(call)),
            Kind::Unknown(_) | Kind::Exit => true,
        }
    }

    /// A world behind a call is not the one that all began with, if the call shows.
    fn is_more(&mut self, function: FunctionId, call: TermId) -> Option<TermId> {
        let kind = self.kind(function)?;
        self.is_seen(&kind, call).then(|| self.space.pool.falsity())
    }

    fn split(
        &mut self,
        conditional: TermId,
        other: TermId,
        turned: bool,
        last: bool,
    ) -> Result<Option<TermId>, LogicError> {
        let operands = self.space.pool.operands(conditional).to_vec();
        let mut parts = Vec::new();
        for part in &operands[1..] {
            let (a, b) = if turned { (other, *part) } else { (*part, other) };
            let Some(same) = self.same(a, b, last)? else { return Ok(None) };
            parts.push(same);
        }
        Ok(Some(self.space.pool.ite(operands[0], parts[0], parts[1])?))
    }

    /// The same function: the same arguments, or the same of them that shows, in the same world.
    fn arguments(
        &mut self,
        function: FunctionId,
        a: TermId,
        b: TermId,
        last: bool,
    ) -> Result<Option<TermId>, LogicError> {
        let Some(kind) = self.kind(function) else { return Ok(None) };
        let (left, right) =
            (self.space.pool.operands(a).to_vec(), self.space.pool.operands(b).to_vec());
        let unlike: Vec<usize> = (0..left.len()).filter(|n| left[*n] != right[*n]).collect();
        let is_world = |space: &Space, n: usize| space.pool.sort(left[n]) == self.sort;
        let said: Vec<usize> =
            unlike.iter().copied().filter(|n| !is_world(self.space, *n)).collect();
        // How many low bits of an argument show; `None` for all.
        let shown: Vec<Option<u32>> = match &kind {
            Kind::Unknown(_) => vec![None; said.len()],
            Kind::Exit => vec![Some(8); said.len()],
            Kind::Library(name) => match self.printed.shown(self.space, name, &left, &said, last) {
                Some(shown) => shown,
                None => return Ok(None),
            },
        };
        let mut all = vec![self.space.pool.truth()];
        for n in unlike.iter().copied().filter(|n| !said.contains(n)) {
            match self.same(left[n], right[n], false)? {
                Some(same) => all.push(same),
                None => return Ok(None),
            }
        }
        for (n, shown) in said.into_iter().zip(shown) {
            let (mut x, mut y) = (left[n], right[n]);
            if !matches!(self.space.pool.sort(x), Sort::Bool | Sort::BitVec(_)) {
                return Ok(None);
            }
            if let Some(bits) = shown {
                x = self.space.pool.extract(bits - 1, 0, x)?;
                y = self.space.pool.extract(bits - 1, 0, y)?;
            }
            all.push(self.space.pool.eq(x, y)?);
        }
        Ok(Some(self.space.and(&all)?))
    }
}
