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
//!
//! Worlds are compared from the last call back to the first, and only calls of the same kind are put side by side: unknown functions with
//! unknown functions, functions of the library with functions of the library. What the library prints can be of any length, so two
//! outputs that are not the same may become the same by what is printed afterwards: `putchar('1'); printf("%d", 1);` prints what
//! `printf("%d", 11);` prints. [`Rest`] says what is known of the calls behind two worlds.

use super::printed::{OutputKind, Printed};
use super::texts::{Texts, ignores_memory, prints_one_byte, surely_differ};
use std::collections::HashMap;
use verdiff_judge::Comparison;
use verdiff_logic::{FunctionId, LogicError, Op, Sort, TermId};
use verdiff_symex::space::Space;

/// How many pairs of worlds are compared.
const MOST: usize = 256;

/// What the versions do after two worlds, and so what it means that these are not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Rest {
    /// As many bytes and calls in both versions, or none: two worlds that are not the same stay so.
    SameLength,
    /// Any texts. Two worlds count as not the same only if that is so whatever both versions print afterwards: they have another byte at
    /// some place that both have, or another sequence of unknown functions.
    AnyTexts,
}

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
        match spelling.same(a, b, Rest::SameLength)? {
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
    known: HashMap<(TermId, TermId, Rest), TermId>,
}

impl Spelling<'_> {
    /// When two worlds are the same. The depth is that of the calls in them.
    fn same(&mut self, a: TermId, b: TermId, rest: Rest) -> Result<Option<TermId>, LogicError> {
        if a == b {
            return Ok(Some(self.space.pool.truth()));
        }
        if let Some(known) = self.known.get(&(a, b, rest)) {
            return Ok(Some(*known));
        }
        if self.known.len() >= MOST {
            return Ok(None);
        }
        let same = match (self.space.pool.op(a), self.space.pool.op(b)) {
            (Op::Ite, _) => self.split(a, b, false, rest)?,
            (_, Op::Ite) => self.split(b, a, true, rest)?,
            (Op::Apply(f), Op::Apply(g)) => match (self.kind(f), self.kind(g)) {
                (Some(_), Some(_)) if f == g => self.arguments(f, a, b, rest)?,
                (Some(old), Some(new)) => {
                    let apart = self.apart((&old, a), (&new, b), rest)?;
                    apart.then(|| self.space.pool.falsity())
                }
                _ => None,
            },
            // Before any call, or after one.
            (Op::Symbol(_), Op::Apply(f)) => self.is_more(f, b, rest),
            (Op::Apply(f), Op::Symbol(_)) => self.is_more(f, a, rest),
            _ => None,
        };
        if let Some(same) = same {
            self.known.insert((a, b, rest), same);
        }
        Ok(same)
    }

    /// Whether two worlds that end with calls of two functions are surely not the same.
    fn apart(
        &mut self,
        (old, a): (&OutputKind, TermId),
        (new, b): (&OutputKind, TermId),
        rest: Rest,
    ) -> Result<bool, LogicError> {
        Ok(match (old, new) {
            // What is printed in two pieces may be printed in one. After the same output, other texts are another output;
            // after another one it has to be certain that the outputs stay different.
            (OutputKind::Library(f), OutputKind::Library(g)) => {
                surely_differ(self.space, &self.printed, (f, a), (g, b))
                    && self.same_before(a, b)?
            }
            // The last event is a byte in one version and a call in the other.
            (OutputKind::Library(_), _) => rest == Rest::SameLength && self.is_seen(old, a),
            (_, OutputKind::Library(_)) => rest == Rest::SameLength && self.is_seen(new, b),
            // Afterwards both call as many unknown functions.
            _ => old != new,
        })
    }

    fn kind(&self, function: FunctionId) -> Option<OutputKind> {
        self.printed.kind(self.space.world_function(function)?)
    }

    /// Whether a call shows, whatever was before it.
    fn is_seen(&self, kind: &OutputKind, call: TermId) -> bool {
        match kind {
            OutputKind::Library(name) => {
                self.printed.surely_prints(name, self.space.pool.operands(call))
            }
            OutputKind::Unknown(_) | OutputKind::Exit => true,
        }
    }

    /// A world behind a call is not the one that all began with, if the call shows. With another text behind each of them the
    /// outputs may be the same, but the versions do not call equally many unknown functions.
    fn is_more(&mut self, function: FunctionId, call: TermId, rest: Rest) -> Option<TermId> {
        let kind = self.kind(function)?;
        let stays = rest == Rest::SameLength || !matches!(kind, OutputKind::Library(_));
        (stays && self.is_seen(&kind, call)).then(|| self.space.pool.falsity())
    }

    fn split(
        &mut self,
        conditional: TermId,
        other: TermId,
        turned: bool,
        rest: Rest,
    ) -> Result<Option<TermId>, LogicError> {
        let operands = self.space.pool.operands(conditional).to_vec();
        let mut parts = Vec::new();
        for part in &operands[1..] {
            let (a, b) = if turned { (other, *part) } else { (*part, other) };
            let Some(same) = self.same(a, b, rest)? else { return Ok(None) };
            parts.push(same);
        }
        Ok(Some(self.space.pool.ite(operands[0], parts[0], parts[1])?))
    }

    /// Whether it can be said when the worlds before two calls are the same, whatever these and later calls print.
    fn same_before(&mut self, a: TermId, b: TermId) -> Result<bool, LogicError> {
        let world = |call: TermId, space: &Space, sort: &Sort| {
            let operands = space.pool.operands(call).iter();
            operands.copied().find(|operand| space.pool.sort(*operand) == *sort)
        };
        match (world(a, self.space, &self.sort), world(b, self.space, &self.sort)) {
            (Some(old), Some(new)) => Ok(self.same(old, new, Rest::AnyTexts)?.is_some()),
            _ => Ok(false),
        }
    }

    /// The same function: the same arguments, or the same of them that shows, in the same world.
    fn arguments(
        &mut self,
        function: FunctionId,
        a: TermId,
        b: TermId,
        rest: Rest,
    ) -> Result<Option<TermId>, LogicError> {
        let Some(kind) = self.kind(function) else { return Ok(None) };
        let (left, right) =
            (self.space.pool.operands(a).to_vec(), self.space.pool.operands(b).to_vec());
        let unlike: Vec<usize> = (0..left.len()).filter(|n| left[*n] != right[*n]).collect();
        let is_world = |space: &Space, n: usize| space.pool.sort(left[n]) == self.sort;
        // What is printed may be independent of memory; it always is of what an earlier call left in `errno`.
        let of_memory = match &kind {
            OutputKind::Library(name) => !ignores_memory(self.space, &self.printed, name, [a, b]),
            OutputKind::Unknown(_) | OutputKind::Exit => true,
        };
        let counts = |n: usize| {
            !is_world(self.space, n)
                && (of_memory || !matches!(self.space.pool.sort(left[n]), Sort::Array(_)))
        };
        let said: Vec<usize> = unlike.iter().copied().filter(|n| counts(*n)).collect();
        let worlds: Vec<usize> = unlike.into_iter().filter(|n| is_world(self.space, *n)).collect();
        let Some(alike) = self.alike(&kind, [a, b], &said, rest)? else { return Ok(None) };
        let before = match &kind {
            // Unknown functions are matched one by one, from the last back, so what was printed before each is a whole.
            OutputKind::Unknown(_) | OutputKind::Exit => Rest::SameLength,
            OutputKind::Library(name) if said.is_empty() || prints_one_byte(name) => rest,
            OutputKind::Library(_) => Rest::AnyTexts,
        };
        let mut all = vec![alike];
        for n in worlds {
            match self.same(left[n], right[n], before)? {
                Some(same) => all.push(same),
                None => return Ok(None),
            }
        }
        Ok(Some(self.space.and(&all)?))
    }

    /// When two calls of one function show the same, by the arguments in which they are unlike.
    fn alike(
        &mut self,
        kind: &OutputKind,
        [a, b]: [TermId; 2],
        unlike: &[usize],
        rest: Rest,
    ) -> Result<Option<TermId>, LogicError> {
        let last = rest == Rest::SameLength;
        if let OutputKind::Library(name) = kind
            && let Some(texts) = Texts::of(name)
            && unlike.contains(&texts.argument)
        {
            // An empty text is the same to every stream.
            if texts.stream().is_some_and(|stream| unlike.contains(&stream)) {
                return Ok(None);
            }
            // Other arguments do not matter: what of these texts is compared contains no conversions.
            return texts.same(self.space, &self.printed, [a, b], last);
        }
        let (left, right) =
            (self.space.pool.operands(a).to_vec(), self.space.pool.operands(b).to_vec());
        // How many low bits of an argument show; `None` for all.
        let shown: Vec<Option<u32>> = match kind {
            OutputKind::Unknown(_) => vec![None; unlike.len()],
            OutputKind::Exit => vec![Some(8); unlike.len()],
            OutputKind::Library(name) => {
                match self.printed.shown(self.space, name, &left, unlike, last) {
                    Some(shown) => shown,
                    None => return Ok(None),
                }
            }
        };
        let mut all = vec![self.space.pool.truth()];
        for (n, shown) in unlike.iter().zip(shown) {
            let (mut x, mut y) = (left[*n], right[*n]);
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
