//! A term a million operators deep overflows no stack, whatever is done with it.

use crate::support;

use support::deep;
use verdiff_logic::smtlib::{Script, Sharing};
use verdiff_logic::solver::{Backend, Limits, Query, Stop, Z3};
use verdiff_logic::{Assignment, Sort, TermPool, c_expression};

const DEPTH: usize = 1_000_000;

#[test]
fn everything_but_solving_works_on_a_million_levels() {
    let mut pool = TermPool::new();
    let term = deep(&mut pool, DEPTH);
    let x = pool.symbol("x", Sort::BitVec(32)).expect("known");
    let y = pool.symbol("y", Sort::BitVec(32)).expect("known");
    assert_eq!(pool.depth(term), DEPTH as u64 + 1);
    assert_eq!(pool.dag_size(term), DEPTH + 2);
    assert_eq!(pool.tree_size(term), 2 * DEPTH as u64 + 1);
    assert_eq!(pool.free_names(&[term]).symbols.len(), 2);
    let swapped = pool.substitute(term, &[(x, y), (y, x)].into_iter().collect()).expect("fits");
    assert_eq!(pool.depth(swapped), DEPTH as u64 + 1);
    let assignment = Assignment::new();
    let value = pool.eval(term, &assignment).expect("evaluates");
    let simple = pool.simplify(term);
    assert_eq!(pool.eval(simple, &assignment), Ok(value));
    assert!(pool.display(term).to_string().len() > DEPTH);
    let zero = pool.bits(32, 0).expect("fits");
    let equal = pool.eq(term, zero).expect("fits");
    let script = Script::new(&pool, &[equal], &[], Sharing::Define);
    assert!(script.text().len() > DEPTH);
    // Too deep for a C expression anybody would read, but not a reason to die.
    let _ = c_expression(&pool, term, &Default::default());
}

#[test]
fn long_chains_of_every_kind_are_simplified() {
    let mut pool = TermPool::new();
    let x = pool.symbol("x", Sort::BitVec(32)).expect("new");
    let p = pool.symbol("p", Sort::Bool).expect("new");
    let one = pool.bits(32, 1).expect("fits");
    let array = pool.array_sort(Sort::BitVec(32), Sort::BitVec(32)).expect("a sort");
    let (mut sum, mut product, mut choice) = (x, x, x);
    let mut stores = pool.symbol("a", array).expect("new");
    let mut condition = p;
    for level in 0..20_000u32 {
        let y = pool.symbol(&format!("y{}", level % 700), Sort::BitVec(32)).expect("fits");
        sum = pool.bv_add(sum, y).expect("fits");
        product = pool.bv_mul(product, y).expect("fits");
        product = pool.bv_add(product, one).expect("fits");
        let index = pool.bits(32, level.into()).expect("fits");
        let less = pool.bv_ult(y, index).expect("fits");
        choice = pool.ite(less, choice, y).expect("fits");
        stores = pool.store(stores, index, y).expect("fits");
        condition = pool.and(&[condition, less]).expect("fits");
    }
    for term in [sum, product, choice, stores, condition] {
        let simple = pool.simplify(term);
        assert_eq!(pool.sort(simple), pool.sort(term));
    }
}

#[test]
fn a_deep_term_is_handed_to_z3() {
    let mut pool = TermPool::new();
    let term = deep(&mut pool, DEPTH);
    let zero = pool.bits(32, 0).expect("fits");
    let equal = pool.eq(term, zero).expect("fits");
    let query = Query { assertions: &[equal], assumptions: &[] };
    // Hopeless of course; what counts is that it comes back.
    let limits = Limits { memory: Some(4 << 30), ..Limits::seconds(1.0) };
    let _ = Z3::new().solve(&pool, &query, &limits, &Stop::new());
}
