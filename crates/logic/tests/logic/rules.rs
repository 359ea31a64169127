//! The table of the simplifier's rules, proved rule by rule.

use verdiff_logic::TermPool;
use verdiff_logic::simplify::{Rule, Sample, rules};
use verdiff_logic::solver::{Answer, Decide, Limits, Query, Strategy, Z3};

const WIDTHS: [u32; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 32];
/// Those of them that only `cargo xtask soak` tries.
const LIKE_OTHERS: [u32; 3] = [5, 6, 7];

/// The solver proves each example of the rule equal to what the rule makes of it.
fn prove(rule: &Rule, pool: &mut TermPool, solver: &mut Z3, width: u32) -> usize {
    let mut fired = 0;
    for (number, example) in rule.fires.iter().enumerate() {
        let Some(term) = example(&mut Sample { pool, width }) else { continue };
        let shown = pool.display(term).to_string();
        let context = format!("{}, example {number}, width {width}: {shown}", rule.name);
        let Some(result) = (rule.apply)(pool, term) else {
            // Narrow terms may coincide with others that need no rule.
            assert!(width < 8, "does not fire: {context}");
            continue;
        };
        assert_ne!(result, term, "changes nothing: {context}");
        assert_eq!(pool.sort(result), pool.sort(term), "changes the sort: {context}");
        let differs = pool.ne(term, result).expect("sorts are equal");
        let query = Query { assertions: &[differs], assumptions: &[] };
        let answer = solver.decide(pool, &query, &Limits::seconds(60.0));
        let result = pool.display(result);
        match answer {
            Answer::Unsat { .. } => fired += 1,
            other => panic!("{context} is not {result}: {other:?}"),
        }
    }
    fired
}

#[test]
fn every_rule_is_proved_at_every_width() {
    let mut pool = TermPool::new();
    let mut solver = Z3::with_strategy(Strategy::Fresh);
    let everything = std::env::var_os("VERDIFF_CORPUS_ALL").is_some();
    for rule in rules() {
        let start = std::time::Instant::now();
        let widths = WIDTHS.into_iter().filter(|w| everything || !LIKE_OTHERS.contains(w));
        let proved: usize = widths.map(|w| prove(rule, &mut pool, &mut solver, w)).sum();
        assert!(proved >= rule.fires.len(), "{} was hardly tried", rule.name);
        println!("{:<32} {proved:>3} proofs {:>6} ms", rule.name, start.elapsed().as_millis());
    }
}

#[test]
fn no_rule_fires_on_its_near_miss() {
    let mut pool = TermPool::new();
    for rule in rules() {
        let mut tried = 0;
        for width in WIDTHS {
            let Some(term) = (rule.near_miss)(&mut Sample { pool: &mut pool, width }) else {
                continue;
            };
            let result = (rule.apply)(&mut pool, term);
            let shown = pool.display(term);
            assert!(result.is_none_or(|r| r == term), "{} fires on {shown}", rule.name);
            tried += 1;
        }
        assert!(tried > 0, "{} has no near miss", rule.name);
    }
}

#[test]
fn every_rule_has_its_own_name() {
    let mut names: Vec<&str> = rules().map(|rule| rule.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
