//! Push, pop and assert over anything that decides whole queries.

use crate::sort::Sort;
use crate::term::{TermId, TermPool};

use super::{Answer, Decide, Limits, Query, Solver, SolverError};

/// A stack of assertions over a [`Decide`].
///
/// ```
/// use verdiff_logic::solver::{self, Answer, Limits, Session, Solver};
/// use verdiff_logic::{Sort, TermPool};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut pool = TermPool::new();
/// let mut solver = Session::new(solver::standard());
/// let x = pool.symbol("x", Sort::BitVec(32))?;
/// let (five, six) = (pool.bits(32, 5)?, pool.bits(32, 6)?);
/// let less = pool.bv_ult(x, five)?;
/// solver.assert(&pool, less)?;
///
/// let Answer::Sat(model) = solver.check(&mut pool, &[], &Limits::default())? else { panic!() };
/// assert_eq!(pool.eval(less, &model)?.as_bool(), Some(true));
///
/// let is_six = pool.eq(x, six)?;
/// let answer = solver.check(&mut pool, &[is_six], &Limits::default())?;
/// assert_eq!(answer, Answer::Unsat { core: vec![is_six] });
/// # Ok(()) }
/// ```
pub struct Session<D> {
    inner: D,
    pool: Option<u64>,
    assertions: Vec<TermId>,
    levels: Vec<usize>,
}

impl<D: Decide> Session<D> {
    /// An empty stack.
    pub fn new(inner: D) -> Session<D> {
        Session { inner, pool: None, assertions: Vec::new(), levels: Vec::new() }
    }

    /// The layer below.
    pub fn inner(&self) -> &D {
        &self.inner
    }

    /// The assertions of all levels.
    pub fn assertions(&self) -> &[TermId] {
        &self.assertions
    }

    fn accept(&mut self, pool: &TermPool, term: TermId) -> Result<(), SolverError> {
        if *self.pool.get_or_insert(pool.id()) != pool.id() {
            return Err(SolverError::OtherPool);
        }
        pool.check(term)?;
        if pool.sort(term) != Sort::Bool {
            return Err(SolverError::NotBoolean(term));
        }
        Ok(())
    }
}

impl<D: Decide> Solver for Session<D> {
    fn assert(&mut self, pool: &TermPool, term: TermId) -> Result<(), SolverError> {
        self.accept(pool, term)?;
        self.assertions.push(term);
        Ok(())
    }

    fn push(&mut self) {
        self.levels.push(self.assertions.len());
    }

    fn pop(&mut self) -> Result<(), SolverError> {
        let length = self.levels.pop().ok_or(SolverError::NothingToPop)?;
        self.assertions.truncate(length);
        Ok(())
    }

    fn check(
        &mut self,
        pool: &mut TermPool,
        assumptions: &[TermId],
        limits: &Limits,
    ) -> Result<Answer, SolverError> {
        for term in assumptions {
            self.accept(pool, *term)?;
        }
        let query = Query { assertions: &self.assertions, assumptions };
        Ok(self.inner.decide(pool, &query, limits))
    }
}
