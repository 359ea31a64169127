//! The part of z3's C interface that is used here, declared by hand after `z3_api.h` of 4.8.12
//! and unchanged up to 5.4. Declared here rather than taken from `z3-sys` because that crate
//! wants a newer compiler than this workspace and generates thousands of items for these few.

use std::ffi::{c_char, c_uint};

/// Declares pointer types that cannot be mixed up.
macro_rules! handles {
    ($($name:ident)*) => { $(
        #[repr(C)]
        pub(super) struct $name {
            _private: [u8; 0],
        }
    )* };
}

handles! {
    ConfigObject ContextObject SymbolObject SortObject AstObject FuncDeclObject SolverObject
    ModelObject ParamsObject AstVectorObject StatsObject
}

pub(super) type Config = *mut ConfigObject;
pub(super) type Context = *mut ContextObject;
pub(super) type Symbol = *mut SymbolObject;
pub(super) type SortRef = *mut SortObject;
pub(super) type Ast = *mut AstObject;
pub(super) type FuncDecl = *mut FuncDeclObject;
pub(super) type SolverRef = *mut SolverObject;
pub(super) type Model = *mut ModelObject;
pub(super) type Params = *mut ParamsObject;
pub(super) type AstVector = *mut AstVectorObject;
pub(super) type Stats = *mut StatsObject;
pub(super) type ErrorHandler = Option<unsafe extern "C" fn(Context, c_uint)>;

/// `Z3_L_TRUE` and its fellows.
pub(super) const TRUE: i32 = 1;
pub(super) const FALSE: i32 = -1;
/// `Z3_PRINT_SMTLIB2_COMPLIANT`.
pub(super) const PRINT_SMTLIB2: c_uint = 2;
/// `Z3_OK`.
pub(super) const OK: c_uint = 0;

#[link(name = "z3")]
unsafe extern "C" {
    pub(super) fn Z3_solver_get_statistics(c: Context, s: SolverRef) -> Stats;
    pub(super) fn Z3_stats_inc_ref(c: Context, s: Stats);
    pub(super) fn Z3_stats_dec_ref(c: Context, s: Stats);
    pub(super) fn Z3_stats_size(c: Context, s: Stats) -> c_uint;
    pub(super) fn Z3_stats_get_key(c: Context, s: Stats, n: c_uint) -> *const c_char;
    pub(super) fn Z3_stats_is_uint(c: Context, s: Stats, n: c_uint) -> bool;
    pub(super) fn Z3_stats_get_uint_value(c: Context, s: Stats, n: c_uint) -> c_uint;
    pub(super) fn Z3_stats_get_double_value(c: Context, s: Stats, n: c_uint) -> f64;
    pub(super) fn Z3_global_param_set(name: *const c_char, value: *const c_char);
    pub(super) fn Z3_get_full_version() -> *const c_char;
    pub(super) fn Z3_get_estimated_alloc_size() -> u64;
    pub(super) fn Z3_mk_config() -> Config;
    pub(super) fn Z3_del_config(config: Config);
    pub(super) fn Z3_mk_context_rc(config: Config) -> Context;
    pub(super) fn Z3_del_context(c: Context);
    pub(super) fn Z3_interrupt(c: Context);
    pub(super) fn Z3_set_error_handler(c: Context, handler: ErrorHandler);
    pub(super) fn Z3_get_error_code(c: Context) -> c_uint;
    pub(super) fn Z3_get_error_msg(c: Context, code: c_uint) -> *const c_char;
    pub(super) fn Z3_set_ast_print_mode(c: Context, mode: c_uint);
    pub(super) fn Z3_inc_ref(c: Context, a: Ast);
    pub(super) fn Z3_dec_ref(c: Context, a: Ast);
    pub(super) fn Z3_ast_to_string(c: Context, a: Ast) -> *const c_char;
    pub(super) fn Z3_sort_to_ast(c: Context, s: SortRef) -> Ast;
    pub(super) fn Z3_func_decl_to_ast(c: Context, f: FuncDecl) -> Ast;

    pub(super) fn Z3_mk_string_symbol(c: Context, s: *const c_char) -> Symbol;
    pub(super) fn Z3_mk_bool_sort(c: Context) -> SortRef;
    pub(super) fn Z3_mk_bv_sort(c: Context, width: c_uint) -> SortRef;
    pub(super) fn Z3_mk_fpa_sort(c: Context, ebits: c_uint, sbits: c_uint) -> SortRef;
    pub(super) fn Z3_mk_array_sort(c: Context, domain: SortRef, range: SortRef) -> SortRef;
    pub(super) fn Z3_mk_uninterpreted_sort(c: Context, s: Symbol) -> SortRef;
    pub(super) fn Z3_mk_func_decl(
        c: Context,
        s: Symbol,
        size: c_uint,
        domain: *const SortRef,
        range: SortRef,
    ) -> FuncDecl;
    pub(super) fn Z3_mk_app(c: Context, d: FuncDecl, n: c_uint, args: *const Ast) -> Ast;
    pub(super) fn Z3_mk_const(c: Context, s: Symbol, sort: SortRef) -> Ast;

    pub(super) fn Z3_mk_true(c: Context) -> Ast;
    pub(super) fn Z3_mk_false(c: Context) -> Ast;
    pub(super) fn Z3_mk_not(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_and(c: Context, n: c_uint, args: *const Ast) -> Ast;
    pub(super) fn Z3_mk_or(c: Context, n: c_uint, args: *const Ast) -> Ast;
    pub(super) fn Z3_mk_eq(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_ite(c: Context, i: Ast, t: Ast, e: Ast) -> Ast;

    pub(super) fn Z3_mk_numeral(c: Context, numeral: *const c_char, sort: SortRef) -> Ast;
    pub(super) fn Z3_mk_unsigned_int64(c: Context, v: u64, sort: SortRef) -> Ast;
    pub(super) fn Z3_mk_bvnot(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_bvand(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvor(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvxor(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvadd(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvmul(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvudiv(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvsdiv(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvurem(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvsrem(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvshl(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvlshr(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvashr(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_concat(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvult(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_bvslt(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_extract(c: Context, high: c_uint, low: c_uint, a: Ast) -> Ast;
    pub(super) fn Z3_mk_zero_ext(c: Context, n: c_uint, a: Ast) -> Ast;
    pub(super) fn Z3_mk_sign_ext(c: Context, n: c_uint, a: Ast) -> Ast;
    pub(super) fn Z3_mk_select(c: Context, a: Ast, i: Ast) -> Ast;
    pub(super) fn Z3_mk_store(c: Context, a: Ast, i: Ast, v: Ast) -> Ast;
    pub(super) fn Z3_mk_const_array(c: Context, domain: SortRef, v: Ast) -> Ast;

    pub(super) fn Z3_mk_fpa_rne(c: Context) -> Ast;
    pub(super) fn Z3_mk_fpa_rna(c: Context) -> Ast;
    pub(super) fn Z3_mk_fpa_rtp(c: Context) -> Ast;
    pub(super) fn Z3_mk_fpa_rtn(c: Context) -> Ast;
    pub(super) fn Z3_mk_fpa_rtz(c: Context) -> Ast;
    pub(super) fn Z3_mk_fpa_neg(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_abs(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_add(c: Context, rm: Ast, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_mul(c: Context, rm: Ast, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_div(c: Context, rm: Ast, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_fma(c: Context, rm: Ast, a: Ast, b: Ast, d: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_sqrt(c: Context, rm: Ast, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_round_to_integral(c: Context, rm: Ast, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_eq(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_lt(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_leq(c: Context, a: Ast, b: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_is_nan(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_is_infinite(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_is_zero(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_is_negative(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_to_fp_bv(c: Context, bv: Ast, s: SortRef) -> Ast;
    pub(super) fn Z3_mk_fpa_to_ieee_bv(c: Context, a: Ast) -> Ast;
    pub(super) fn Z3_mk_fpa_to_fp_float(c: Context, rm: Ast, a: Ast, s: SortRef) -> Ast;
    pub(super) fn Z3_mk_fpa_to_fp_signed(c: Context, rm: Ast, a: Ast, s: SortRef) -> Ast;
    pub(super) fn Z3_mk_fpa_to_fp_unsigned(c: Context, rm: Ast, a: Ast, s: SortRef) -> Ast;
    pub(super) fn Z3_mk_fpa_to_sbv(c: Context, rm: Ast, a: Ast, size: c_uint) -> Ast;
    pub(super) fn Z3_mk_fpa_to_ubv(c: Context, rm: Ast, a: Ast, size: c_uint) -> Ast;
    pub(super) fn Z3_mk_fpa_nan(c: Context, s: SortRef) -> Ast;

    pub(super) fn Z3_mk_params(c: Context) -> Params;
    pub(super) fn Z3_params_inc_ref(c: Context, p: Params);
    pub(super) fn Z3_params_dec_ref(c: Context, p: Params);
    pub(super) fn Z3_params_set_uint(c: Context, p: Params, k: Symbol, v: c_uint);

    pub(super) fn Z3_mk_solver(c: Context) -> SolverRef;
    pub(super) fn Z3_mk_simple_solver(c: Context) -> SolverRef;
    pub(super) fn Z3_mk_solver_for_logic(c: Context, logic: Symbol) -> SolverRef;
    pub(super) fn Z3_solver_inc_ref(c: Context, s: SolverRef);
    pub(super) fn Z3_solver_dec_ref(c: Context, s: SolverRef);
    pub(super) fn Z3_solver_set_params(c: Context, s: SolverRef, p: Params);
    pub(super) fn Z3_solver_assert(c: Context, s: SolverRef, a: Ast);
    pub(super) fn Z3_solver_from_string(c: Context, s: SolverRef, text: *const c_char);
    pub(super) fn Z3_solver_push(c: Context, s: SolverRef);
    pub(super) fn Z3_solver_pop(c: Context, s: SolverRef, n: c_uint);
    pub(super) fn Z3_solver_check_assumptions(
        c: Context,
        s: SolverRef,
        n: c_uint,
        assumptions: *const Ast,
    ) -> i32;
    pub(super) fn Z3_solver_get_model(c: Context, s: SolverRef) -> Model;
    pub(super) fn Z3_solver_get_unsat_core(c: Context, s: SolverRef) -> AstVector;
    pub(super) fn Z3_solver_get_reason_unknown(c: Context, s: SolverRef) -> *const c_char;
    pub(super) fn Z3_ast_vector_inc_ref(c: Context, v: AstVector);
    pub(super) fn Z3_ast_vector_dec_ref(c: Context, v: AstVector);
    pub(super) fn Z3_ast_vector_size(c: Context, v: AstVector) -> c_uint;
    pub(super) fn Z3_ast_vector_get(c: Context, v: AstVector, i: c_uint) -> Ast;

    pub(super) fn Z3_model_inc_ref(c: Context, m: Model);
    pub(super) fn Z3_model_dec_ref(c: Context, m: Model);
    pub(super) fn Z3_model_eval(
        c: Context,
        m: Model,
        t: Ast,
        completion: bool,
        result: *mut Ast,
    ) -> bool;
    pub(super) fn Z3_model_to_string(c: Context, m: Model) -> *const c_char;
    pub(super) fn Z3_get_bool_value(c: Context, a: Ast) -> i32;
    pub(super) fn Z3_get_numeral_uint64(c: Context, v: Ast, u: *mut u64) -> bool;
}
