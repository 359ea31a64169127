//! When two worlds are the same: the calls that made them, one by one.
//!
//! A world is what was said to the outside so far: a call of an external function turns one into the next. In a proof it is
//! an uninterpreted function of the call, so that equal calls stay equal. For an exact condition that is too little: some
//! interpretation may forget a call. But a world *is* its calls (DESIGN.md section 4: a changed, missing or reordered call is a
//! difference), so two are the same exactly if the same functions were called with the same arguments in the same order.

use std::collections::{BTreeSet, HashMap};
use verdiff_judge::Comparison;
use verdiff_logic::{FunctionId, LogicError, Op, Sort, TermId};
use verdiff_symex::space::Space;

/// How many pairs of worlds are compared.
const MOST: usize = 256;

/// When two worlds are not the same, under the same conditions as [`spelled_out`].
pub(super) fn unlike(
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
pub(super) fn spelled_out(
    space: &mut Space,
    comparison: &Comparison,
    formula: TermId,
) -> Result<Option<TermId>, LogicError> {
    let sort = verdiff_symex::entry::world_sort(space)?;
    let programs = [&comparison.old.program, &comparison.new.program];
    let mut externals: BTreeSet<String> =
        programs.iter().flat_map(|p| &p.externals).map(|e| format!("{}.world", e.name)).collect();
    // The status that a program exits with is the last that it says.
    externals.insert("world.exit".to_owned());
    let mut spelling = Spelling { space, sort, externals, known: HashMap::new() };
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
        match spelling.same(a, b)? {
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
    /// The functions that externals make worlds by, but for the sorts at the end of their names.
    externals: BTreeSet<String>,
    known: HashMap<(TermId, TermId), TermId>,
}

impl Spelling<'_> {
    /// When two worlds are the same. The depth is that of the calls in them.
    fn same(&mut self, a: TermId, b: TermId) -> Result<Option<TermId>, LogicError> {
        if a == b {
            return Ok(Some(self.space.pool.truth()));
        }
        if let Some(known) = self.known.get(&(a, b)) {
            return Ok(Some(*known));
        }
        if self.known.len() >= MOST {
            return Ok(None);
        }
        let same = match (self.space.pool.op(a), self.space.pool.op(b)) {
            (Op::Ite, _) => self.split(a, b, false)?,
            (_, Op::Ite) => self.split(b, a, true)?,
            (Op::Apply(f), Op::Apply(g)) if self.is_call(f) && self.is_call(g) => {
                if f == g {
                    self.arguments(a, b)?
                } else {
                    Some(self.space.pool.falsity())
                }
            }
            // Before any call, or after one.
            (Op::Symbol(_), Op::Apply(f)) | (Op::Apply(f), Op::Symbol(_)) if self.is_call(f) => {
                Some(self.space.pool.falsity())
            }
            _ => None,
        };
        if let Some(same) = same {
            self.known.insert((a, b), same);
        }
        Ok(same)
    }

    fn is_call(&self, function: FunctionId) -> bool {
        let name = &self.space.pool.signature(function).name;
        self.externals.iter().any(|external| {
            name.strip_prefix(external.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    fn split(
        &mut self,
        conditional: TermId,
        other: TermId,
        turned: bool,
    ) -> Result<Option<TermId>, LogicError> {
        let operands = self.space.pool.operands(conditional).to_vec();
        let mut parts = Vec::new();
        for part in &operands[1..] {
            let (a, b) = if turned { (other, *part) } else { (*part, other) };
            let Some(same) = self.same(a, b)? else { return Ok(None) };
            parts.push(same);
        }
        Ok(Some(self.space.pool.ite(operands[0], parts[0], parts[1])?))
    }

    /// The same function: the same arguments, in the same world.
    fn arguments(&mut self, a: TermId, b: TermId) -> Result<Option<TermId>, LogicError> {
        let (left, right) =
            (self.space.pool.operands(a).to_vec(), self.space.pool.operands(b).to_vec());
        let mut all = vec![self.space.pool.truth()];
        for (x, y) in left.into_iter().zip(right) {
            match self.space.pool.sort(x) {
                _ if x == y => {}
                sort if sort == self.sort => match self.same(x, y)? {
                    Some(same) => all.push(same),
                    None => return Ok(None),
                },
                Sort::Bool | Sort::BitVec(_) => all.push(self.space.pool.eq(x, y)?),
                _ => return Ok(None),
            }
        }
        Ok(Some(self.space.and(&all)?))
    }
}
