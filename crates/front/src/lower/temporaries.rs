//! Which value is folded into its use and which gets a name.
//!
//! A value that is used once, later in its own block, becomes part of the expression
//! that uses it. That is right because expressions are pure: only a write to a variable
//! in it could change what it means, and before such a write the value is put into a
//! temporary ([`FunctionLowering::before_write`]). All other values get a temporary at
//! once, but for those that cannot change any more: constants, addresses, temporaries.

use super::function::FunctionLowering;
use super::module::Lowered;
use crate::llvm::Value;
use llvm_sys::LLVMOpcode::*;
use verdiff_model::{Expr, Stmt, StmtKind, VarId, VarKind};

/// How deep an expression may grow before it is put into a temporary. Well below
/// [`verdiff_model::MAX_EXPR_DEPTH`], since one instruction may add several levels.
const FOLD_DEPTH: usize = 40;

/// What a value is.
pub struct Bound {
    exprs: Vec<Expr>,
    /// How many uses are still to come, where that decides when it is forgotten.
    uses_left: usize,
}

impl Bound {
    /// A value that never changes: parameters, temporaries, constants.
    pub fn stable(exprs: Vec<Expr>) -> Bound {
        Bound { exprs, uses_left: usize::MAX }
    }

    /// Its scalars.
    pub fn exprs(&self) -> &[Expr] {
        &self.exprs
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The scalars of a value, at the place where it is used.
    pub fn lanes(&mut self, value: Value<'m>) -> Lowered<Vec<Expr>> {
        if let Some(bound) = self.values.get_mut(&value) {
            if bound.uses_left == usize::MAX {
                return Ok(bound.exprs.clone());
            }
            bound.uses_left -= 1;
            if bound.uses_left > 0 {
                return Ok(bound.exprs.clone());
            }
            return Ok(self.values.remove(&value).map(|b| b.exprs).unwrap_or_default());
        }
        if value.is_constant() {
            // An undefined value is a variable that nobody sets.
            let proc = &mut self.proc;
            let mut unset = |ty| {
                Expr::Var(proc.add_var(verdiff_model::Var {
                    name: "undefined".into(),
                    ty,
                    ctype: None,
                    kind: VarKind::Temporary,
                }))
            };
            return self.m.constant(value, &mut unset);
        }
        Err(format!("the value {}", value.text().trim()))
    }

    /// A value that is one scalar.
    pub fn scalar(&mut self, value: Value<'m>) -> Lowered<Expr> {
        let mut lanes = self.lanes(value)?;
        match lanes.len() {
            1 => Ok(lanes.remove(0)),
            n => Err(format!("a value of {n} parts where one is needed")),
        }
    }

    /// Says what an instruction's value is.
    pub fn define(&mut self, inst: Value<'m>, exprs: Vec<Expr>) {
        let users = inst.users();
        if users.is_empty() {
            return;
        }
        let here = self.current;
        let all_here = users.iter().all(|user| match user.opcode_if_instruction() {
            // A phi uses its value at the end of the block the edge comes from.
            Some(LLVMPHI) => user.incoming().iter().all(|(v, b)| *v != inst || *b == here),
            Some(_) => user.parent() == here,
            None => false,
        });
        let mut bound = Vec::with_capacity(exprs.len());
        let mut changeable = false;
        for expr in exprs {
            if self.is_stable(&expr) {
                bound.push(expr);
            } else if all_here
                && (matches!(expr, Expr::Var(_))
                    || (users.len() == 1 && expr.depth() <= FOLD_DEPTH))
            {
                expr.vars(&mut |v| self.mentions.entry(v).or_default().push(inst));
                changeable = true;
                bound.push(expr);
            } else {
                bound.push(self.name(expr));
            }
        }
        let uses_left = if changeable { users.len() } else { usize::MAX };
        self.values.insert(inst, Bound { exprs: bound, uses_left });
    }

    /// Whether an expression means the same wherever it is evaluated.
    fn is_stable(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Const(_) | Expr::Address(_) => true,
            // A temporary is set by one instruction, which dominates all uses. (Phis too:
            // they are set on the edges into their block, before any use.)
            Expr::Var(v) => self.proc.var(*v).kind == VarKind::Temporary,
            _ => false,
        }
    }

    /// The expression under a name of its own.
    pub fn name(&mut self, expr: Expr) -> Expr {
        if self.is_stable(&expr) {
            return expr;
        }
        let ty = self.proc.type_of(&expr);
        let ctype = match &expr {
            Expr::Var(v) => self.proc.var(*v).ctype,
            _ => self.pointer_ctype(&expr),
        };
        let dst = self.temporary(ty, ctype);
        self.emit(StmtKind::Assign { dst, value: expr });
        Expr::Var(dst)
    }

    /// The expression in a form that may be written down twice: a variable, a constant
    /// or an address.
    pub fn atom(&mut self, expr: Expr) -> Expr {
        match expr {
            Expr::Const(_) | Expr::Address(_) | Expr::Var(_) => expr,
            other => self.name(other),
        }
    }

    /// Names every value that reads `var` and is still to be used: `var` is about to change.
    pub fn before_write(&mut self, var: VarId) {
        let Some(values) = self.mentions.remove(&var) else { return };
        for value in values {
            let Some(bound) = self.values.remove(&value) else { continue };
            let exprs = bound.exprs.into_iter().map(|expr| {
                let mut reads = false;
                expr.vars(&mut |v| reads |= v == var);
                if reads { self.name(expr) } else { expr }
            });
            let exprs: Vec<Expr> = exprs.collect();
            self.values.insert(value, Bound { exprs, uses_left: bound.uses_left });
        }
    }

    /// `dst = value` for a variable of the source. A value that the statement just before
    /// put into a temporary, for this use alone, goes straight into the variable.
    pub fn assign(&mut self, dst: VarId, value: Expr, only_use: bool) {
        let direct = match (&value, self.stmts.last()) {
            (Expr::Var(t), Some(Stmt { kind, .. })) => {
                only_use
                    && self.proc.var(*t).kind == VarKind::Temporary
                    && matches!(kind, StmtKind::Load { .. } | StmtKind::Call { .. })
                    && kind.writes() == [*t]
            }
            _ => false,
        };
        if !direct {
            self.before_write(dst);
            self.emit(StmtKind::Assign { dst, value });
            return;
        }
        let last = self.stmts.pop();
        // Values that read the old `dst` are named before the statement that now sets it.
        self.before_write(dst);
        if let Some(mut last) = last {
            last.kind.writes_mut()[0] = dst;
            self.stmts.push(last);
        }
    }
}
