//! The engine `directed`: what it finds that many runs do not, and that it finds nothing where nothing is.

use crate::testing_support::{compare_texts, pair_named, with_task};
use verdiff_engines::Facts;
use verdiff_engines::directed::Directed;
use verdiff_judge::{Budget, Engine, Findings};
use verdiff_logic::effort::Effort;
use verdiff_model::state::Value;

fn look(old: &str, new: &str, effort: Effort) -> Findings {
    let comparison = compare_texts(old, new);
    let pair = pair_named(&comparison, "f").unwrap();
    let mut engine = Directed::new(&Facts::of(comparison.clone()));
    with_task(&comparison, pair, |task| engine.run(task, &Budget::lasting(effort, 1)))
}

/// A packet with a magic number and a checksum; `CHANGE` is what is done with one kind of it.
const PACKET: &str = "
    int f(const unsigned char *p, unsigned n, unsigned check)
    {
        unsigned sum = 7;
        if (n < 8) return -1;
        if ((p[0] | p[1] << 8 | p[2] << 16 | (unsigned)p[3] << 24) != 0x89ab12cdu) return -2;
        for (unsigned i = 4; i < n; i++) sum = sum * 31u + p[i];
        if (sum != check) return -3;
        if ((p[4] ^ p[5]) == 0x5a && p[6] > 200) return CHANGE;
        return 0;
    }";

#[test]
fn a_change_behind_a_checksum_over_a_loop_is_found() {
    let version = |change: &str| PACKET.replace("CHANGE", change);
    for (old, new) in [("p[6]", "p[6] - 1"), ("p[6] - 1", "p[6]")] {
        let found = look(&version(old), &version(new), Effort::seconds(20));
        let candidate = found.candidates.first().unwrap_or_else(|| panic!("{:?}", found.stopped));
        assert!(found.additions.is_empty(), "it proves nothing");
        let Value::Bits(n) = candidate.old.args[1] else { panic!("{:?}", candidate.old) };
        assert!(n >= 8, "the loop runs at least four times, not {n}");
    }
}

#[test]
fn what_only_one_version_has_leads_the_search() {
    let old = "int f(int x, int y) { int s = 0; for (int i = 0; i < x; i++) s += y; return s; }";
    let new = "int f(int x, int y) { int s = 0; for (int i = 0; i < x; i++) s += y;
        if (x == 6 && s == 123456) return -1; return s; }";
    for (old, new) in [(old, new), (new, old)] {
        let found = look(old, new, Effort::seconds(20));
        let candidate = found.candidates.first().unwrap_or_else(|| panic!("{:?}", found.stopped));
        assert_eq!(candidate.old.args, [Value::Bits(6), Value::Bits(123_456 / 6)]);
    }
}

#[test]
fn what_is_equal_on_the_paths_to_the_change_has_no_candidate() {
    let version = |change: &str| PACKET.replace("CHANGE", change);
    let found = look(&version("p[6] * 2"), &version("p[6] + p[6]"), Effort::seconds(2));
    assert_eq!(found.candidates, []);
    assert!(found.additions.is_empty());
}

#[test]
fn a_change_that_no_path_reaches_has_no_candidate() {
    let old = "int f(int x) { int s = 0; while (x > 0) s += x--; if (x > 0) return 1; return s; }";
    let new = "int f(int x) { int s = 0; while (x > 0) s += x--; if (x > 0) return 2; return s; }";
    assert_eq!(look(old, new, Effort::seconds(2)).candidates, []);
}
