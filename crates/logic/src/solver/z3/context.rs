//! A z3 context and the translation of terms into it.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::sync::Once;

use rustc_hash::FxHashMap;

use super::ffi::{self, Ast, FuncDecl, SortRef, Symbol};
use super::kept_contexts;
use crate::effort;
use crate::exit::note_solver_exhausted;
use crate::op::Op;
use crate::solver::Reason;
use crate::sort::{Rounding, Sort};
use crate::term::{FunctionId, TermId, TermPool};

/// A context with what was translated into it. All of it lives until the translation is dropped.
pub(super) struct Translation {
    pub(super) context: ffi::Context,
    /// The resource units of the context that were counted. A context that is used again goes on counting.
    pub(super) counted: u64,
    /// Whether the context may be used again: not after an interrupt, since z3 then keeps all it allocated.
    pub(super) intact: bool,
    terms: FxHashMap<TermId, Ast>,
    sorts: FxHashMap<Sort, SortRef>,
    functions: FxHashMap<FunctionId, FuncDecl>,
    proxies: FxHashMap<TermId, Ast>,
    /// Everything that holds a reference, in the order it was made.
    kept: RefCell<Vec<Ast>>,
}

static SETTINGS: Once = Once::new();

/// z3 calls this where it would otherwise end the process; the code is read afterwards.
unsafe extern "C" fn ignore_error(_: ffi::Context, _: u32) {}

impl Translation {
    pub(super) fn new() -> Translation {
        let (context, counted) =
            kept_contexts::take().unwrap_or_else(|| (Translation::new_context(), 0));
        Translation {
            context,
            counted,
            intact: true,
            terms: FxHashMap::default(),
            sorts: FxHashMap::default(),
            functions: FxHashMap::default(),
            proxies: FxHashMap::default(),
            kept: RefCell::default(),
        }
    }

    fn new_context() -> ffi::Context {
        // SAFETY: plain calls in the order the manual gives; the strings are literals. The
        // settings are made once, before any context exists: values are to be printed in full,
        // and the incremental core is a quarter faster on bit-vectors without relevancy.
        unsafe {
            SETTINGS.call_once(|| {
                crate::heap::keep_freed_memory();
                for (name, value) in [
                    (c"pp.max_depth", c"4294967295"),
                    (c"pp.min_alias_size", c"4294967295"),
                    (c"pp.max_width", c"4294967295"),
                    (c"smt.auto_config", c"false"),
                    (c"smt.relevancy", c"0"),
                ] {
                    ffi::Z3_global_param_set(name.as_ptr(), value.as_ptr());
                }
            });
            crate::heap::use_large_pages();
            let config = ffi::Z3_mk_config();
            let context = ffi::Z3_mk_context_rc(config);
            ffi::Z3_del_config(config);
            if context.is_null() {
                // Only for want of memory, and z3 looks at no context it is given: it would read address zero.
                note_solver_exhausted(true);
                std::alloc::handle_alloc_error(std::alloc::Layout::new::<u64>());
            }
            ffi::Z3_set_error_handler(context, Some(ignore_error));
            ffi::Z3_set_ast_print_mode(context, ffi::PRINT_SMTLIB2);
            context
        }
    }

    /// How many terms are held.
    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The term in z3, if it was translated.
    pub(super) fn get(&self, term: TermId) -> Option<Ast> {
        self.terms.get(&term).copied()
    }

    /// The term in z3, translated if need be. Operands first, without recursion.
    pub(super) fn term(&mut self, pool: &TermPool, root: TermId) -> Result<Ast, Reason> {
        let mut pending = vec![root];
        while let Some(&term) = pending.last() {
            if self.terms.contains_key(&term) {
                pending.pop();
                continue;
            }
            let before = pending.len();
            pending.extend(pool.operands(term).iter().filter(|t| !self.terms.contains_key(t)));
            if pending.len() == before {
                effort::count(effort::Step::Translation, 1);
                let ast = self.translate(pool, term)?;
                self.terms.insert(term, ast);
                pending.pop();
            }
        }
        Ok(self.terms[&root])
    }

    /// A truth-valued constant of the solver's own.
    pub(super) fn proxy(&mut self, term: TermId) -> Result<Ast, Reason> {
        if let Some(known) = self.proxies.get(&term) {
            return Ok(*known);
        }
        // A name with a control character in it, which no symbol of a pool can have.
        let symbol = self.symbol(&format!("assume\u{1}{}", term.0))?;
        // SAFETY: symbol and sort belong to this context; see `keep` for their lifetime.
        let proxy = unsafe {
            let sort = ffi::Z3_mk_bool_sort(self.context);
            self.keep(ffi::Z3_mk_const(self.context, symbol, sort))?
        };
        self.proxies.insert(term, proxy);
        Ok(proxy)
    }

    /// `a => b`, kept.
    pub(super) fn implies(&self, a: Ast, b: Ast) -> Result<Ast, Reason> {
        // SAFETY: both belong to this context and are kept.
        unsafe {
            let not_a = self.keep(ffi::Z3_mk_not(self.context, a))?;
            self.keep(ffi::Z3_mk_or(self.context, 2, [not_a, b].as_ptr()))
        }
    }

    /// What z3 last complained of.
    fn complaint(&self) -> Reason {
        // SAFETY: the message is a string that lives until the next call; it is copied.
        let text = unsafe {
            match ffi::Z3_get_error_code(self.context) {
                ffi::OK => "no result".to_string(),
                code => copy(ffi::Z3_get_error_msg(self.context, code)),
            }
        };
        Reason::Unsupported(format!("z3: {text}"))
    }

    /// Keeps what z3 made until the context goes.
    pub(super) fn keep(&self, ast: Ast) -> Result<Ast, Reason> {
        if ast.is_null() {
            return Err(self.complaint());
        }
        // SAFETY: not null, and of this context.
        unsafe { ffi::Z3_inc_ref(self.context, ast) };
        self.kept.borrow_mut().push(ast);
        Ok(ast)
    }

    fn symbol(&self, name: &str) -> Result<Symbol, Reason> {
        let name = CString::new(name).map_err(|_| Reason::Unsupported("a NUL in a name".into()))?;
        // SAFETY: z3 copies the string.
        Ok(unsafe { ffi::Z3_mk_string_symbol(self.context, name.as_ptr()) })
    }

    fn sort(&mut self, pool: &TermPool, sort: Sort) -> Result<SortRef, Reason> {
        if let Some(known) = self.sorts.get(&sort) {
            return Ok(*known);
        }
        let c = self.context;
        // SAFETY: operands are of this context and kept; widths were checked by the pool. The
        // result is kept through its view as a term.
        let result = unsafe {
            let result = match sort {
                Sort::Bool => ffi::Z3_mk_bool_sort(c),
                Sort::BitVec(width) => ffi::Z3_mk_bv_sort(c, width),
                Sort::Float(f) => ffi::Z3_mk_fpa_sort(c, f.exponent(), f.significand()),
                Sort::Array(array) => {
                    let (index, element) = pool.array_parts(array);
                    let (index, element) = (self.sort(pool, index)?, self.sort(pool, element)?);
                    ffi::Z3_mk_array_sort(c, index, element)
                }
                Sort::Uninterpreted(id) => {
                    let name = self.symbol(pool.uninterpreted_name(id))?;
                    ffi::Z3_mk_uninterpreted_sort(c, name)
                }
            };
            if result.is_null() {
                return Err(self.complaint());
            }
            self.keep(ffi::Z3_sort_to_ast(c, result))?;
            result
        };
        self.sorts.insert(sort, result);
        Ok(result)
    }

    fn function(&mut self, pool: &TermPool, function: FunctionId) -> Result<FuncDecl, Reason> {
        if let Some(known) = self.functions.get(&function) {
            return Ok(*known);
        }
        let signature = pool.signature(function);
        let mut domain = Vec::new();
        for parameter in &signature.parameters {
            domain.push(self.sort(pool, *parameter)?);
        }
        let range = self.sort(pool, signature.result)?;
        let name = self.symbol(&signature.name)?;
        // SAFETY: sorts and symbol are of this context; z3 copies the list.
        let result = unsafe {
            let count = domain.len() as u32;
            let result = ffi::Z3_mk_func_decl(self.context, name, count, domain.as_ptr(), range);
            if result.is_null() {
                return Err(self.complaint());
            }
            self.keep(ffi::Z3_func_decl_to_ast(self.context, result))?;
            result
        };
        self.functions.insert(function, result);
        Ok(result)
    }

    /// One term, whose operands are translated.
    fn translate(&mut self, pool: &TermPool, term: TermId) -> Result<Ast, Reason> {
        let args: Vec<Ast> = pool.operands(term).iter().map(|t| self.terms[t]).collect();
        let sort = pool.sort(term);
        let c = self.context;
        let n = args.len() as u32;
        // SAFETY: all operands are of this context and kept, and the pool has checked that their
        // number and sorts are what each function wants; lists are copied by z3.
        let ast = unsafe {
            match pool.op(term) {
                Op::True => ffi::Z3_mk_true(c),
                Op::False => ffi::Z3_mk_false(c),
                Op::Small(_) | Op::Large(_) => return self.constant(pool, term),
                Op::Symbol(symbol) => {
                    let name = self.symbol(pool.symbol_name(symbol))?;
                    ffi::Z3_mk_const(c, name, self.sort(pool, sort)?)
                }
                Op::Apply(function) => {
                    ffi::Z3_mk_app(c, self.function(pool, function)?, n, args.as_ptr())
                }
                Op::Not => ffi::Z3_mk_not(c, args[0]),
                Op::And => ffi::Z3_mk_and(c, n, args.as_ptr()),
                Op::Or => ffi::Z3_mk_or(c, n, args.as_ptr()),
                Op::Eq => ffi::Z3_mk_eq(c, args[0], args[1]),
                Op::Ite => ffi::Z3_mk_ite(c, args[0], args[1], args[2]),
                Op::BvNot => ffi::Z3_mk_bvnot(c, args[0]),
                Op::BvAnd => return self.fold(ffi::Z3_mk_bvand, &args),
                Op::BvOr => return self.fold(ffi::Z3_mk_bvor, &args),
                Op::BvXor => return self.fold(ffi::Z3_mk_bvxor, &args),
                Op::BvAdd => return self.fold(ffi::Z3_mk_bvadd, &args),
                Op::BvMul => return self.fold(ffi::Z3_mk_bvmul, &args),
                Op::BvUdiv => ffi::Z3_mk_bvudiv(c, args[0], args[1]),
                Op::BvSdiv => ffi::Z3_mk_bvsdiv(c, args[0], args[1]),
                Op::BvUrem => ffi::Z3_mk_bvurem(c, args[0], args[1]),
                Op::BvSrem => ffi::Z3_mk_bvsrem(c, args[0], args[1]),
                Op::BvShl => ffi::Z3_mk_bvshl(c, args[0], args[1]),
                Op::BvLshr => ffi::Z3_mk_bvlshr(c, args[0], args[1]),
                Op::BvAshr => ffi::Z3_mk_bvashr(c, args[0], args[1]),
                Op::Concat => return self.fold(ffi::Z3_mk_concat, &args),
                Op::Extract { high, low } => ffi::Z3_mk_extract(c, high, low, args[0]),
                Op::ZeroExtend(more) => ffi::Z3_mk_zero_ext(c, more, args[0]),
                Op::SignExtend(more) => ffi::Z3_mk_sign_ext(c, more, args[0]),
                Op::BvUlt => ffi::Z3_mk_bvult(c, args[0], args[1]),
                Op::BvSlt => ffi::Z3_mk_bvslt(c, args[0], args[1]),
                Op::Select => ffi::Z3_mk_select(c, args[0], args[1]),
                Op::Store => ffi::Z3_mk_store(c, args[0], args[1], args[2]),
                Op::ConstArray => {
                    let Sort::Array(array) = sort else { return Err(self.complaint()) };
                    let index = self.sort(pool, pool.array_parts(array).0)?;
                    ffi::Z3_mk_const_array(c, index, args[0])
                }
                _ => return self.translate_float(pool, term, &args),
            }
        };
        self.keep(ast)
    }

    /// The part of [`Translation::translate`] that speaks of floats.
    fn translate_float(
        &mut self,
        pool: &TermPool,
        term: TermId,
        args: &[Ast],
    ) -> Result<Ast, Reason> {
        let c = self.context;
        let sort = self.sort(pool, pool.sort(term))?;
        // SAFETY: as in `translate`.
        let ast = unsafe {
            match pool.op(term) {
                Op::FpNeg => ffi::Z3_mk_fpa_neg(c, args[0]),
                Op::FpAbs => ffi::Z3_mk_fpa_abs(c, args[0]),
                Op::FpAdd(mode) => ffi::Z3_mk_fpa_add(c, self.mode(mode)?, args[0], args[1]),
                Op::FpMul(mode) => ffi::Z3_mk_fpa_mul(c, self.mode(mode)?, args[0], args[1]),
                Op::FpDiv(mode) => ffi::Z3_mk_fpa_div(c, self.mode(mode)?, args[0], args[1]),
                Op::FpFma(mode) => {
                    ffi::Z3_mk_fpa_fma(c, self.mode(mode)?, args[0], args[1], args[2])
                }
                Op::FpSqrt(mode) => ffi::Z3_mk_fpa_sqrt(c, self.mode(mode)?, args[0]),
                Op::FpRound(mode) => ffi::Z3_mk_fpa_round_to_integral(c, self.mode(mode)?, args[0]),
                Op::FpEq => ffi::Z3_mk_fpa_eq(c, args[0], args[1]),
                Op::FpLt => ffi::Z3_mk_fpa_lt(c, args[0], args[1]),
                Op::FpLe => ffi::Z3_mk_fpa_leq(c, args[0], args[1]),
                Op::FpIsNan => ffi::Z3_mk_fpa_is_nan(c, args[0]),
                Op::FpIsInfinite => ffi::Z3_mk_fpa_is_infinite(c, args[0]),
                Op::FpIsZero => ffi::Z3_mk_fpa_is_zero(c, args[0]),
                Op::FpIsNegative => ffi::Z3_mk_fpa_is_negative(c, args[0]),
                Op::FpFromBits(_) => ffi::Z3_mk_fpa_to_fp_bv(c, args[0], sort),
                Op::FpToBits => ffi::Z3_mk_fpa_to_ieee_bv(c, args[0]),
                Op::FpConvert(mode, _) => {
                    ffi::Z3_mk_fpa_to_fp_float(c, self.mode(mode)?, args[0], sort)
                }
                Op::FpFromSigned(mode, _) => {
                    ffi::Z3_mk_fpa_to_fp_signed(c, self.mode(mode)?, args[0], sort)
                }
                Op::FpFromUnsigned(mode, _) => {
                    ffi::Z3_mk_fpa_to_fp_unsigned(c, self.mode(mode)?, args[0], sort)
                }
                Op::FpToSigned(mode, width) => {
                    ffi::Z3_mk_fpa_to_sbv(c, self.mode(mode)?, args[0], width)
                }
                Op::FpToUnsigned(mode, width) => {
                    ffi::Z3_mk_fpa_to_ubv(c, self.mode(mode)?, args[0], width)
                }
                _ => return Err(self.complaint()),
            }
        };
        self.keep(ast)
    }

    fn fold(
        &self,
        make: unsafe extern "C" fn(ffi::Context, Ast, Ast) -> Ast,
        args: &[Ast],
    ) -> Result<Ast, Reason> {
        let mut result = args[0];
        for arg in &args[1..] {
            // SAFETY: as in `translate`; the intermediate result is kept.
            result = self.keep(unsafe { make(self.context, result, *arg) })?;
        }
        Ok(result)
    }

    fn mode(&self, mode: Rounding) -> Result<Ast, Reason> {
        let c = self.context;
        // SAFETY: no operands.
        self.keep(unsafe {
            match mode {
                Rounding::NearestEven => ffi::Z3_mk_fpa_rne(c),
                Rounding::NearestAway => ffi::Z3_mk_fpa_rna(c),
                Rounding::Up => ffi::Z3_mk_fpa_rtp(c),
                Rounding::Down => ffi::Z3_mk_fpa_rtn(c),
                Rounding::Zero => ffi::Z3_mk_fpa_rtz(c),
            }
        })
    }

    fn constant(&mut self, pool: &TermPool, term: TermId) -> Result<Ast, Reason> {
        let sort = self.sort(pool, pool.sort(term))?;
        if let Some(float) = pool.as_float(term) {
            if float.is_nan() {
                // SAFETY: a sort of floats of this context.
                return self.keep(unsafe { ffi::Z3_mk_fpa_nan(self.context, sort) });
            }
            let bits_sort = self.sort(pool, Sort::BitVec(float.bits().width()))?;
            let bits = self.numeral(float.bits(), bits_sort)?;
            // SAFETY: the width of the bits is that of the format.
            return self.keep(unsafe { ffi::Z3_mk_fpa_to_fp_bv(self.context, bits, sort) });
        }
        match pool.as_bits(term) {
            Some(bits) => self.numeral(&bits, sort),
            None => Err(self.complaint()),
        }
    }

    fn numeral(&self, bits: &crate::bits::Bits, sort: SortRef) -> Result<Ast, Reason> {
        if let Some(value) = bits.to_u64() {
            // SAFETY: a bit-vector sort of this context.
            return self.keep(unsafe { ffi::Z3_mk_unsigned_int64(self.context, value, sort) });
        }
        let digits = CString::new(bits.to_biguint().to_string()).unwrap_or_default();
        // SAFETY: decimal digits, copied by z3.
        self.keep(unsafe { ffi::Z3_mk_numeral(self.context, digits.as_ptr(), sort) })
    }
}

impl Drop for Translation {
    fn drop(&mut self) {
        // Deleting a context with live terms in it takes time quadratic in their number, so they
        // are released first, users before operands.
        let kept = self.kept.get_mut();
        let reusable = self.intact && kept.len() <= kept_contexts::MAX_REFERENCES;
        // SAFETY: each reference was taken by `keep`; nobody else holds the context; solvers and
        // models over it were released before.
        unsafe {
            for ast in kept.drain(..).rev() {
                ffi::Z3_dec_ref(self.context, ast);
            }
        }
        kept_contexts::put(self.context, self.counted, reusable);
    }
}

/// A copy of a string that z3 owns.
pub(super) fn copy(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: z3 gives strings that end in NUL.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
