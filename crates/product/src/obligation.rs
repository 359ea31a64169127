//! Proof obligations as text, for another solver.

use verdiff_judge::Obligation;
use verdiff_logic::smtlib::{Script, Sharing};
use verdiff_logic::{TermId, TermPool};

/// Obligations longer than this are not kept as text.
const MAX_SCRIPT: usize = 4 << 20;

/// Assertions that exclude each other, as text. `None` if it would be too long, or says nothing.
pub fn script(pool: &TermPool, name: &str, assertions: &[TermId]) -> Option<Obligation> {
    if assertions.contains(&pool.falsity()) {
        return None;
    }
    let script = Script::new(pool, assertions, &[], Sharing::Let);
    let mut smt = script.text().to_owned();
    if smt.len() > MAX_SCRIPT {
        return None;
    }
    smt.push_str("(check-sat)\n");
    Some(Obligation { name: name.to_owned(), smt })
}
