//! Proofs by relations that hold of every call, and proofs that hold of entry states only.

use super::{compare_texts, findings, pair_named, support};
use verdiff_judge::Field;
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{Difference, EntryState, Run, Value, compare};

/// A caller that has fewer cells than it says, and not all of them initialised.
const CALLER: &str = "int t(unsigned char k) { unsigned char a[4]; \
    for (int j = 0; j < (k >> 3 & 3); j++) a[j] = k >> 5; return f(a, k & 7); }\n";

/// Whether `f`, which only reads, is proved, and proved of every call.
fn proved_in_calls(old: &str, new: &str) -> (bool, bool) {
    // More than any proof about reads needs; where there is none all of it is spent.
    proved_within(old, new, support::effort(Effort::seconds(4), Effort::seconds(10)))
}

fn proved_within(old: &str, new: &str, effort: Effort) -> (bool, bool) {
    let comparison = compare_texts(&format!("{old}\n{CALLER}"), &format!("{new}\n{CALLER}"));
    let found = findings(&comparison, "f", effort);
    let mut equal = found.additions.iter().filter(|a| a.evidence.adds == Field::EqualUnder);
    let first = equal.next();
    (first.is_some(), first.is_some_and(|a| a.holds_in_calls))
}

const INDEX: &str = "int f(const unsigned char *s, unsigned n) { unsigned i; int r = 0; \
    for (i = 0; i < n; i++) { if (s[i] == 9) return -1; r += s[i]; } return r; }";

#[test]
fn the_same_cells_in_the_same_order_are_equal_in_every_call() {
    let pointer = "int f(const unsigned char *s, unsigned n) { const unsigned char *e = s + n; int r = 0; \
        while (s != e) { if (*s == 9) return -1; r += *s++; } return r; }";
    assert_eq!(proved_in_calls(INDEX, pointer), (true, true));
    assert_eq!(proved_in_calls(pointer, INDEX), (true, true));
}

/// The cell behind the last one may not exist, or may be uninitialised.
#[test]
fn a_read_that_only_one_version_makes_counts_in_calls() {
    let ahead = "int f(const unsigned char *s, unsigned n) { unsigned i; int r = 0; unsigned char c = s[0]; \
        for (i = 0; i < n; c = s[++i]) { if (c == 9) return -1; r += c; } return r; }";
    assert!(!proved_in_calls(INDEX, ahead).1);
    assert!(!proved_in_calls(ahead, INDEX).1);
    let early = "int f(const unsigned char *s, unsigned n) { const unsigned char *e = s + n; int r = 0; \
        for (;;) { int c = *s++; if (s == e + 1) return r; if (c == 9) return -1; r += c; } }";
    assert!(!proved_in_calls(INDEX, early).1);
}

#[test]
fn what_is_written_and_initialised_is_compared_in_calls() {
    // The proof about writes needs more than those about reads.
    let proved = |old: &str, new: &str| proved_within(old, new, Effort::seconds(10));
    let index = "int f(unsigned char *d, unsigned n) { unsigned i; \
        for (i = 0; i < n; i++) d[i] = i; return 0; }";
    let pointer = "int f(unsigned char *d, unsigned n) { unsigned char c = 0; unsigned char *e = d + n; \
        while (d != e) *d++ = c++; return 0; }";
    assert!(proved(index, pointer).0);
    // Callers see that the cell behind the last one was read.
    let reads = pointer.replace("return 0;", "*d = *d; return 0;");
    assert!(!proved(index, &reads).1);
    let more = pointer.replace("return 0;", "if (n == 3) *d = 0; return 0;");
    assert!(!proved(index, &more).1);
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % sides
    }
}

/// A walk over an array, in one of several forms that are equal for long arrays.
fn walk(form: u64, stop: u64, result: u64) -> String {
    let body = match form {
        0 => {
            format!("for (i = 0; i < n; i++) {{ if (s[i] == {stop}) return {result}; r += s[i]; }}")
        }
        1 => format!(
            "const unsigned char *e = s + n; while (s != e) {{ if (*s == {stop}) return {result}; r += *s++; }}"
        ),
        2 => format!("if (n) do {{ if (*s == {stop}) return {result}; r += *s++; }} while (--n);"),
        3 => format!(
            "unsigned char c = n ? *s : 0; for (i = 0; i < n; c = s[++i]) {{ if (c == {stop}) return {result}; r += c; }}"
        ),
        _ => format!(
            "for (i = 0; ; i++) {{ unsigned char c = s[i]; if (i >= n) break; if (c == {stop}) return {result}; r += c; }}"
        ),
    };
    format!(
        "int f(const unsigned char *s, unsigned n) {{ unsigned i; int r = 0; {body} return r; }}"
    )
}

/// Random walks, called with arrays that are too short or uninitialised: where `f` is proved of every call, the caller is
/// run with every argument.
#[test]
fn callers_of_what_is_proved_of_every_call_are_equal() {
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(11, |seed| seed.parse().unwrap()));
    let (mut kept, mut apart) = (0, 0);
    for _ in 0..support::cases(7) {
        let (stop, result) = (dice.roll(4), dice.roll(3));
        let changed = dice.roll(5) == 0;
        let old = walk(dice.roll(5), stop, result);
        let new = walk(dice.roll(5), stop, result + u64::from(changed));
        let comparison = compare_texts(&format!("{old}\n{CALLER}"), &format!("{new}\n{CALLER}"));
        let pair = comparison.pair(pair_named(&comparison, "t").unwrap());
        let (first, second) = (&comparison.old.program, &comparison.new.program);
        let mut machines = [Machine::new(first), Machine::new(second)];
        let limits = Limits { steps: 60_000, depth: 400, memory: 1 << 20, objects: 1 << 12 };
        let differs = (0..256).find(|k| {
            let entry = EntryState { args: vec![Value::Bits(*k)], ..EntryState::default() };
            let runs = [
                machines[0].run(pair.old, &entry, &limits),
                machines[1].run(pair.new, &entry, &limits),
            ];
            let left = Run { program: first, entry: &entry, outcome: &runs[0] };
            let right = Run { program: second, entry: &entry, outcome: &runs[1] };
            !matches!(compare(left, right), None | Some(Difference::Inconclusive))
        });
        apart += usize::from(differs.is_some());
        // Only where runs differ can a proof be wrong; some others show that there are proofs.
        if differs.is_none() && kept > 1 {
            continue;
        }
        let (_, in_calls) = proved_in_calls(&old, &new);
        kept += usize::from(in_calls);
        assert!(!in_calls || differs.is_none(), "at {differs:?}:\n{old}\n{new}");
    }
    println!("{kept} proved of every call, {apart} different");
    assert!(kept > 0 && apart > 0, "{kept} {apart}");
}
