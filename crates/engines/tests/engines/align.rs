//! Pairs that `align` proves, and pairs that it must not prove.

use crate::testing_support as support;

use std::rc::Rc;
use support::{cases, compare_texts, pair_named, percent, with_task};
use verdiff_engines::align::Align;
use verdiff_judge::{
    Addition, Assumption, Budget, Comparison, Engine, Field, Findings, Rule, Side,
};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Bits, Formula, Sort, TermPool};
use verdiff_model::Frame;
use verdiff_model::generate::Generator;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Outcome, Run, Value, compare};
use verdiff_product::Facts;
use verdiff_report::proof_sentence;

pub(crate) fn findings(comparison: &Rc<Comparison>, time: Effort) -> Findings {
    let pair = pair_named(comparison, "f").unwrap();
    let budget = Budget::lasting(time, 1);
    with_task(comparison, pair, |task| {
        Align::new(&Facts::of(comparison.clone())).run(task, &budget)
    })
}

/// What is added to U for `f`, if anything.
fn addition_within(old: &str, new: &str, time: Effort) -> Option<Addition> {
    let found = findings(&compare_texts(old, new), time);
    let addition = found.additions.into_iter().find(|a| a.evidence.adds == Field::EqualUnder)?;
    assert!(!addition.evidence.obligations.is_empty(), "a proof without obligations");
    Some(addition)
}

/// The proof that `f` is equal for all inputs, in words, if there is one.
fn proof_within(old: &str, new: &str, time: Effort) -> Option<String> {
    let addition = addition_within(old, new, time)?;
    addition.formula.is_true().then(|| proof_sentence(&addition.evidence.rule))
}

/// What a proof of all inputs assumes besides what every proof does.
#[track_caller]
fn assumed(old: &str, new: &str) -> Vec<Assumption> {
    assumed_within(old, new, Effort::seconds(4))
}

#[track_caller]
fn assumed_within(old: &str, new: &str, time: Effort) -> Vec<Assumption> {
    // What must be proved without an assumption is tried first, with a part of this.
    let found = addition_within(old, new, time);
    let found = found.filter(|addition| addition.formula.is_true());
    assert!(found.is_some(), "not proved:\n{old}\n{new}");
    found.map(|addition| addition.evidence.assumes).unwrap_or_default()
}

#[track_caller]
pub(crate) fn proved(old: &str, new: &str) -> String {
    let proof = proof_within(old, new, Effort::seconds(20));
    assert!(proof.is_some(), "not proved:\n{old}\n{new}");
    // The other way round, too.
    let swapped = proof_within(new, old, Effort::seconds(20));
    assert!(swapped.is_some(), "not proved when swapped:\n{old}\n{new}");
    proof.unwrap_or_default()
}

#[track_caller]
pub(crate) fn not_proved(old: &str, new: &str) {
    let time = Effort::millis(800);
    assert_eq!(proof_within(old, new, time), None, "{old}\n{new}");
    // The other way round in `cargo xtask soak`: what must not be proved takes all the effort that it gets.
    if percent() > 100 {
        assert_eq!(proof_within(new, old, time), None, "swapped: {old}\n{new}");
    }
}

const LARGEST: &str = "int f(const signed char *v, unsigned char n) { int i, best = v[0];
    for (i = 1; i < n; i++) if (v[i] > best) best = v[i];
    return best; }";

#[test]
fn places_have_the_lines_of_their_loops() {
    let old = "int f(unsigned char n) { int s = 0;
        for (int i = 0; i < n; i++) s += 2;
        return s; }";
    let new = "int f(unsigned char n) { int s = 0, i = 0;

        while (i < n) { s += 2; i++; }
        return s; }";
    let found = findings(&compare_texts(old, new), Effort::seconds(20));
    let rule = found.additions.into_iter().next().map(|addition| addition.evidence.rule);
    let Some(Rule::Aligned { places }) = rule else { panic!("not proved: {rule:?}") };
    let both = places.iter().find(|place| place.ended == [false, false]).unwrap();
    assert_eq!(both.lines, [Some(2), Some(3)]);
    // Where a version has ended it is in no loop.
    let is_known = |(ended, line): (&bool, &Option<u32>)| *ended != line.is_some();
    assert!(places.iter().all(|place| place.ended.iter().zip(&place.lines).all(is_known)));
}

#[test]
fn the_largest_element_and_its_position() {
    let by_position = |start: &str| {
        format!(
            "int f(const signed char *v, unsigned char n) {{ int i, at = 0;
            for (i = {start}; i < n; i++) if (v[at] < v[i]) at = i;
            return v[at]; }}"
        )
    };
    let text = proved(LARGEST, &by_position("1"));
    assert!(text.contains("1 old iteration of loop 1 of f with 1 new iteration"), "{text}");
    assert!(text.contains("old.best == the element at"), "{text}");
    not_proved(LARGEST, &by_position("2"));
}

#[test]
fn an_unrolled_loop_with_a_rest() {
    let old = "unsigned f(const unsigned char *v, unsigned n) { unsigned i, s = 0;
        for (i = 0; i < n; i++) s = s * 31 + v[i];
        return s; }";
    let new = |last: &str| {
        format!(
            "unsigned f(const unsigned char *v, unsigned n) {{ unsigned i = 0, s = 0;
            for (; n - i >= 2; i += 2) {{ s = s * 31 + v[i]; s = s * 31 + v[i + 1]; }}
            for (; i < n; i++) s = s * 31 + v[{last}];
            return s; }}"
        )
    };
    proved(old, &new("i"));
    not_proved(old, &new("i - i"));
}

/// ✗ Coverage: with two steps against one, for n = 1 the joint exit is never reached, yet the exits agree.
#[test]
fn an_exit_of_one_side_alone_is_looked_at() {
    let old = "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s++; return s; }";
    let new = "int f(int n) { int i, s = 0; for (i = 0; i + 1 < n; i += 2) s += 2; return s; }";
    not_proved(old, new);
}

/// ✗ Conclusions about memory need a fresh index.
#[test]
fn what_is_written_elsewhere_is_seen() {
    let old = "void f(int *a) { int i; for (i = 0; i < 20; i++) a[i] = 0; }";
    let new =
        "void f(int *a) { int i; for (i = 0; i < 20; i++) { a[i] = 0; if (i == 9) a[3] = 1; } }";
    not_proved(old, new);
}

/// ✗ Preconditions are about entry values: at the head the loops are equal for n >= 0, at the entry they are not.
#[test]
fn what_holds_at_the_head_need_not_hold_at_the_entry() {
    let old = "int f(int n) { int i, s = 0; n = -n; for (i = 0; i != n; i++) s++; return s; }";
    let new = "int f(int n) { int i, s = 0; n = -n; for (i = 0; i < n; i++) s++; return s; }";
    not_proved(old, new);
}

/// ✗ What is output before a loop that outputs nothing itself is part of the outcome.
#[test]
fn output_before_a_loop_is_seen() {
    let version = |before: &str| {
        format!(
            "int putchar(int); int f(int n, int x) {{ int i, s = 0; {before}
            for (i = 0; i < n; i++) s += i; return s; }}"
        )
    };
    not_proved(&version("putchar(x);"), &version("putchar(x == 77 ? 1 : x);"));
    not_proved(&version("putchar(x);"), &version(""));
    proved(&version("putchar(x + 1);"), &version("putchar(1 + x);"));
}

/// What is written before a loop that does not touch it is part of the outcome.
#[test]
fn memory_written_before_a_loop_is_seen() {
    let version = |before: &str| {
        format!(
            "int g; int f(int n, int x) {{ int i, s = 0; {before}
            for (i = 0; i < n; i++) s += i; return s; }}"
        )
    };
    not_proved(&version("g = x;"), &version("g = x == 77 ? 1 : x;"));
    not_proved(&version("g = x;"), &version(""));
    not_proved(&version("if (x == 1234567) return 5;"), &version("if (x == 1234567) return 6;"));
    not_proved(&version("if (x == 1234567) g = 1 / (x - x);"), &version(""));
}

#[test]
fn another_bound_or_start_is_seen() {
    let old = "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }";
    not_proved(old, "int f(int n) { int i, s = 0; for (i = 0; i <= n; i++) s += i; return s; }");
    not_proved(
        old,
        "int f(int n) { int i, s = 0; for (i = 1; i < n; i++) s += i + (i == 40); return s; }",
    );
    not_proved(
        old,
        "int f(int n) { int i, s = 0; for (i = 0; i < n && i < 1000; i++) s += i; return s; }",
    );
}

#[test]
fn what_holds_for_one_sign_of_the_bound_is_proved_in_cases() {
    let up = "int f(int n) { int i = 0, j = 0; while (i <= n) { i++; j++; } return j; }";
    let down = |test: &str| {
        format!("int f(int n) {{ int i = n, j = 0; while ({test}) {{ i--; j++; }} return j; }}")
    };
    proved(up, &down("i >= 0"));
    not_proved(up, &down("i > 0"));
    not_proved(up, &down("i >= -1"));
    // Where both are equal for some inputs only, these are what is added.
    let counts = "int f(int n) { int i, s = 0; for (i = 0; i < n; i++) s += 2; return s; }";
    let formula = "int f(int n) { return 2 * n; }";
    for (old, new) in [(counts, formula), (formula, counts)] {
        let found = addition_within(old, new, Effort::seconds(20)).expect("a part is proved");
        assert!(!found.formula.is_true());
        assert!(holds(&found.formula, 32, &[("n", 0)]) && holds(&found.formula, 32, &[("n", 7)]));
        assert!(!holds(&found.formula, 32, &[("n", -1)]));
    }
}

/// Whether a formula over parameters of so many bits holds.
fn holds(formula: &Formula, width: u32, values: &[(&str, i128)]) -> bool {
    let mut pool = TermPool::default();
    let term = formula.build(&mut pool).unwrap();
    let mut assignment = Assignment::new();
    for (name, value) in values {
        let symbol = pool.symbol(name, Sort::BitVec(width)).unwrap();
        let symbol = pool.as_symbol(symbol).unwrap();
        let bits = verdiff_logic::Value::Bits(Bits::from_signed(width, *value));
        assignment.set(&pool, symbol, bits).unwrap();
    }
    pool.eval(term, &assignment).unwrap().as_bool().unwrap()
}

/// An index of 32 bits is no pointer: after 2^31 elements it wraps. That objects are smaller is an assumption of its own.
#[test]
fn a_narrow_index_against_a_pointer_assumes_the_size_of_objects() {
    let by_index = |index: &str| {
        format!(
            "long f(const char *s) {{ {index} i = 0; while (s[i] != 0 && s[i] != ':') i++;
            return s[i]; }}"
        )
    };
    let by_pointer = |stop: &str| {
        format!(
            "long f(const char *s) {{ while (*s != 0 && *s != {stop}) s++;
            return *s; }}"
        )
    };
    let colon = by_pointer("':'");
    assert_eq!(assumed(&by_index("unsigned long"), &colon), []);
    assert_eq!(assumed(&by_index("int"), &colon), [Assumption::ObjectsBelow2GiB]);
    assert_eq!(assumed(&colon, &by_index("unsigned")), [Assumption::ObjectsBelow2GiB]);
    // Nothing that wraps sooner is covered by it.
    not_proved(&by_index("short"), &colon);
    not_proved(&by_index("unsigned char"), &colon);
    not_proved(&by_index("int"), &by_pointer("';'"));
}

/// Where one version alone makes an access that no object is large enough for, it ends there, and the other one goes on.
#[test]
fn a_far_access_of_one_version_is_a_difference() {
    let by_index = |index: &str| {
        format!(
            "unsigned f(const unsigned char *v, int k, int n) {{ unsigned s = 0; int i;
            for (i = k; i < n; i++) s = s * 31 ^ v[{index}]; return s; }}"
        )
    };
    not_proved(&by_index("i"), &by_index("(unsigned)i"));
    // Both end there if the address is the same.
    let by_pointer = "unsigned f(const unsigned char *v, int k, int n) { unsigned s = 0; int i = k;
        const unsigned char *p = v + (unsigned)k; while (i < n) { s = s * 31 ^ *p++; i++; } return s; }";
    not_proved(&by_index("i"), by_pointer);
}

/// Where a bound keeps the index from wrapping, nothing is assumed.
#[test]
fn an_index_below_a_bound_assumes_nothing() {
    let by_index = "int f(const int *v, int n) { int i, s = 0;
        for (i = 0; i < n; i++) s += v[i]; return s; }";
    let by_pointer = "int f(const int *v, int n) { int s = 0; const int *end = v + (n > 0 ? n : 0);
        while (v != end) s += *v++; return s; }";
    assert_eq!(assumed_within(by_index, by_pointer, Effort::seconds(20)), []);
    let short = |text: &str| text.replace("int n)", "unsigned short n)");
    assert_eq!(assumed(&short(by_index), &short(by_pointer)), []);
}

/// Whether what is proved of `f` holds of every call; `None` if nothing is proved.
fn of_calls(old: &str, new: &str) -> Option<bool> {
    let caller =
        "\nint caller(char *p, char *q) { char l[4]; l[0] = *p; return f(l, p) + f(q, l); }";
    let [old, new] = [old, new].map(|text| format!("{text}{caller}"));
    let found = addition_within(&old, &new, Effort::seconds(4))?;
    found.formula.is_true().then_some(found.holds_in_calls)
}

const SPAN: &str = "int f(const char *s, const char *set) { int n = 0;
    while (*s) { const char *a = set; while (*a) if (*a++ == *s) return n; s++; n++; }
    return n; }";

#[test]
fn loops_that_only_read_are_proved_of_every_call() {
    // The character is kept in a variable: what was read before can be read again.
    let kept = "int f(const char *s, const char *set) { int n = 0; int c, k;
        while ((c = *s++) != 0) { const char *a = set; while ((k = *a++) != 0) if (k == c) return n; n++; }
        return n; }";
    assert_eq!(of_calls(SPAN, kept), Some(true));
    assert_eq!(of_calls(kept, SPAN), Some(true));
}

/// A caller may give a pointer that leads nowhere, or to what is uninitialised.
#[test]
fn reads_that_one_version_makes_are_seen_in_calls() {
    let more = SPAN.replace("s++;", "n += s[5] - s[5]; s++;");
    assert_ne!(of_calls(SPAN, &more), Some(true));
    assert_ne!(of_calls(&more, SPAN), Some(true));
    let before = SPAN.replace("int n = 0;", "int n = *set - *set;");
    assert_ne!(of_calls(SPAN, &before), Some(true));
    // The first of two reads ends the run, in its own way.
    let both = "int f(const char *a, const char *b) { int n = 0; while (*a && *b) { a++; b++; n++; } return n; }";
    assert_ne!(of_calls(both, &both.replace("*a && *b", "*b && *a")), Some(true));
    // What is written may be what is read.
    let writes =
        "int f(char *a, char *b) { int n = 0; while (*a) { *b = 1; a++; n++; } return n; }";
    assert_ne!(of_calls(writes, &writes.replace("n++;", "n = n + 1; *b = 1;")), Some(true));
    // So may what is written in an object of the function's own.
    let own = "int f(const char *a, const char *b) { char t[4] = { 0, 0, 0, 0 }; int n = 0;
        while (*a) { t[n & 3] = *a; a++; n++; }
        return t[0]; }";
    assert_eq!(of_calls(own, &own.replace("t[n & 3]", "t[(n + 1) & 3]")), None);
    assert_eq!(of_calls(own, &own.replace("t[0];", "t[1];")), None);
}

#[test]
fn two_places_hold_the_same() {
    let version = |from: &str| {
        format!(
            "int f(int *a, int n) {{ int i; for (i = 0; i < n; i++) a[i + 1] = a[{from}]; return i; }}"
        )
    };
    proved(&version("i"), &version("0"));
    not_proved(&version("i"), &version("1"));
}

#[test]
fn digits_are_counted_four_at_a_time() {
    let one = "int f(unsigned n) { int d = 1; while (n >= 10) { n /= 10; d++; } return d; }";
    let four = |last: &str| {
        format!(
            "int f(unsigned n) {{ int d = 1; for (;;) {{
            if (n < 10) return d; if (n < 100) return d + 1; if (n < {last}) return d + 2;
            if (n < 10000) return d + 3; n /= 10000; d += 4; }} }}"
        )
    };
    proved(one, &four("1000"));
    not_proved(one, &four("1001"));
}

/// A generator that is the same everywhere.
pub(crate) struct Dice(pub u64);

impl Dice {
    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        of[((self.0 >> 33) % of.len() as u64) as usize]
    }
}

/// A loop over a few variables, in several shapes; pieces are drawn from small lists, so that two of them are equal now
/// and then.
fn random_loop(dice: &mut Dice) -> String {
    let start = dice.pick(&["0", "0", "0", "1", "k"]);
    let test = dice.pick(&["i < n", "i < n", "i <= n", "i != n && i < 9", "i + 1 < n"]);
    let step = dice.pick(&["i++", "i++", "i += 1", "i += 2"]);
    let first = dice.pick(&["s += i", "s += i", "s = s + k", "s ^= i", "s += 2 * i"]);
    let second = dice.pick(&["", "", "s += k;", "if (i == 3) s++;", "if (s > 20) return s;"]);
    let last = dice.pick(&["s", "s", "s + k", "s > 5", "s - s"]);
    match dice.pick(&["for", "while", "twice", "peeled"]) {
        "for" => format!(
            "int f(signed char n, signed char k) {{ int i, s = 0;
            for (i = {start}; {test}; {step}) {{ {first}; {second} }} return {last}; }}"
        ),
        "while" => format!(
            "int f(signed char n, signed char k) {{ int i = {start}, s = 0;
            while ({test}) {{ {first}; {second} {step}; }} return {last}; }}"
        ),
        "twice" => format!(
            "int f(signed char n, signed char k) {{ int i = {start}, s = 0;
            while ({test}) {{ {first}; {second} {step};
            if (!({test})) break; {first}; {second} {step}; }} return {last}; }}"
        ),
        _ => format!(
            "int f(signed char n, signed char k) {{ int i = {start}, s = 0;
            if ({test}) {{ {first}; {second} {step}; }}
            while ({test}) {{ {first}; {second} {step}; }} return {last}; }}"
        ),
    }
}

/// Whatever is proved is so: checked by running both versions from every state of a small domain.
#[test]
fn random_pairs_of_loops() {
    let mut dice = Dice(16);
    let mut equal = 0;
    for _ in 0..cases(24) {
        let (old, new) = (random_loop(&mut dice), random_loop(&mut dice));
        let comparison = compare_texts(&old, &new);
        let found = findings(&comparison, Effort::millis(400));
        let Some(addition) = found.additions.first() else { continue };
        equal += 1;
        let pair = comparison.pair(pair_named(&comparison, "f").unwrap());
        let programs = [&comparison.old.program, &comparison.new.program];
        let mut machines = programs.map(Machine::new);
        for n in -4i8..14 {
            for k in -3i8..6 {
                let args = [n, k].map(|v| Value::Bits(u128::from(v as u8))).to_vec();
                let entry = EntryState { args, ..EntryState::default() };
                let limits = Limits::default();
                let a = machines[0].run(pair.old, &entry, &limits);
                let b = machines[1].run(pair.new, &entry, &limits);
                let inputs = [("n", n.into()), ("k", k.into())];
                let added = holds(&addition.formula, 8, &inputs);
                if !added || !a.is_conclusive() || !b.is_conclusive() {
                    continue;
                }
                let left = Run { program: programs[0], entry: &entry, outcome: &a };
                let right = Run { program: programs[1], entry: &entry, outcome: &b };
                assert_eq!(compare(left, right), None, "n = {n}, k = {k}:\n{old}\n{new}");
            }
        }
    }
    assert!(equal > 0, "nothing was proved");
}

/// A loop over an array that writes, keeps a position or a largest element, by index or by pointer.
fn random_array_loop(dice: &mut Dice) -> String {
    let start = dice.pick(&["0", "0", "1"]);
    let test = dice.pick(&["i < n", "i < n", "i <= n", "i + 1 < n"]);
    let work = dice.pick(&[
        "a[i] = a[0]",
        "a[i + 1] = a[i]",
        "a[i + 1] = a[0]",
        "a[i] = 7",
        "if (a[i] > a[at]) at = i",
        "if (a[i] > m) m = a[i]",
        "if (a[i] >= m) m = a[i]",
        "if (a[i] == 5) a[0] = 1",
    ]);
    let last = dice.pick(&["a[at]", "m", "at", "a[0]"]);
    let head = "int f(signed char *a, signed char n) { int at = 0, m = a[0];";
    match dice.pick(&["index", "pointer", "down"]) {
        "index" => format!("{head} int i = {start}; while ({test}) {{ {work}; i++; }} return {last}; }}"),
        "pointer" => {
            let work = work.replace("a[i + 1]", "p[1]").replace("a[i]", "*p");
            format!(
                "{head} int i = {start}; signed char *p = a + i;
                while ({test}) {{ {work}; i++; p++; }} return {last}; }}"
            )
        }
        _ => format!(
            "{head} int i, left; for (left = n - {start}, i = {start}; {test}; left--, i = n - left) {work};
            return {last}; }}"
        ),
    }
}

/// If `f` is proved equal, in how many runs from states with small arrays both versions returned; all of these agree.
#[track_caller]
pub fn runs_if_proved(old: &str, new: &str, effort: Effort, states: u64) -> Option<usize> {
    let comparison = compare_texts(old, new);
    let found = findings(&comparison, effort);
    if !found.additions.first()?.formula.is_true() {
        return None;
    }
    let pair = comparison.pair(pair_named(&comparison, "f").unwrap());
    let programs = [&comparison.old.program, &comparison.new.program];
    let mut machines = programs.map(Machine::new);
    let generator = Generator::new(programs[0]);
    let frame = Frame::plain(programs[0].procedure(pair.old));
    let generated = generator.for_procedure(pair.old, &frame);
    let mut runs = 0;
    for number in 0..states {
        let entry = generated.entry(5, number);
        let Some(other) = comparison.entry_for_other(Side::Old, &entry) else { continue };
        let limits = Limits::default();
        let a = machines[0].run(pair.old, &entry, &limits);
        let b = machines[1].run(pair.new, &other, &limits);
        // Objects that are too small are excluded by an assumption.
        let returned = |outcome: &Outcome| matches!(outcome.end, End::Returned(_));
        if !returned(&a) || !returned(&b) {
            continue;
        }
        runs += 1;
        let left = Run { program: programs[0], entry: &entry, outcome: &a };
        let right = Run { program: programs[1], entry: &other, outcome: &b };
        assert_eq!(compare(left, right), None, "state {number}:\n{old}\n{new}");
    }
    Some(runs)
}

/// Whatever is proved of arrays is so: checked by running both versions from states with small arrays.
#[test]
fn random_pairs_of_loops_over_arrays() {
    let mut dice = Dice(17);
    let (mut equal, mut runs) = (0, 0);
    for _ in 0..cases(16) {
        let (old, new) = (random_array_loop(&mut dice), random_array_loop(&mut dice));
        let Some(agreed) = runs_if_proved(&old, &new, Effort::millis(600), 400) else { continue };
        equal += 1;
        runs += agreed;
    }
    assert!(equal > 0 && runs > 100, "nothing was proved, or nothing was run");
}
