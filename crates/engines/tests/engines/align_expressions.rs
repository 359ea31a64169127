//! Pairs of loops that `align` proves by what one version computes anew, by facts with an alternative, and by sums that do
//! not wrap; and pairs that it must not prove.

use crate::align::{Dice, findings, not_proved, proved};
use crate::testing_support::{cases, compare_texts, pair_named};
use verdiff_judge::Assumption;
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Run, Value, compare};

/// What does not change is computed once, before the loop.
#[test]
fn a_pure_call_is_hoisted() {
    let head = "static int limit(int k) { return k < 0 ? 0 : k > 1000 ? 1000 : k; }";
    let anew = format!(
        "{head} unsigned f(int k) {{ unsigned s = 0; int i;
        for (i = 0; i < limit(k) && s != 77; i++) s = s * 9 + i; return s; }}"
    );
    let once = |k: &str, change: &str| {
        format!(
            "{head} unsigned f(int k) {{ unsigned s = 0; int i, n = limit({k});
            for (i = 0; i < n && s != 77; i++) {{ s = s * 9 + i; {change} }} return s; }}"
        )
    };
    let text = proved(&anew, &once("k", ""));
    assert!(text.contains("new.n is computed from old.k"), "{text}");
    not_proved(&anew, &once("k - 1", ""));
    // ✗ What was computed changes on the way, in rare cases only.
    not_proved(&anew, &once("k", "if (i == 900) n--;"));
}

/// A loop that is split at a bound ends for one of two reasons.
#[test]
fn a_loop_is_split_at_a_bound() {
    let whole = "unsigned f(unsigned n, unsigned k) { unsigned i, s = 0;
        for (i = 0; i < n; i++) if (i < k) s = s * 3 + i; else s = s * 7 - i;
        return s; }";
    let split = |test: &str| {
        format!(
            "unsigned f(unsigned n, unsigned k) {{ unsigned i = 0, s = 0;
            while (i < n && i {test} k) {{ s = s * 3 + i; i++; }}
            while (i < n) {{ s = s * 7 - i; i++; }}
            return s; }}"
        )
    };
    proved(whole, &split("<"));
    not_proved(whole, &split("<="));
}

/// A test of what does not change is moved into the loop, as a switch.
#[test]
fn a_switch_inside_of_the_loop() {
    let apart = "unsigned f(unsigned n, unsigned mode) { unsigned i, s = 1;
        if (mode == 3) { for (i = 0; i < n; i++) s += i; return s; }
        if (mode == 8) { for (i = 0; i < n; i++) s ^= i * 3; return s; }
        for (i = 0; i < n; i++) s = s * 5 + mode;
        return s; }";
    let inside = |end: &str| {
        format!(
            "unsigned f(unsigned n, unsigned mode) {{ unsigned i, s = 1;
            for (i = 0; i < n; i++) switch (mode) {{
                case 3: s += i; break;
                case 8: s ^= i * 3; {end}
                default: s = s * 5 + mode; }}
            return s; }}"
        )
    };
    proved(apart, &inside("break;"));
    not_proved(apart, &inside(""));
}

/// What is returned is a function of what the loop has made of the parameters.
#[test]
fn a_closed_form_of_the_current_parameters() {
    let counter = |most: &str| {
        format!(
            "unsigned char f(unsigned char level, unsigned n) {{
            while (n > 0) {{ if (level < {most}) level++; n--; }} return level; }}"
        )
    };
    let formula = "unsigned char f(unsigned char level, unsigned n) {
        return n < 255u - level ? level + n : 255; }";
    proved(&counter("255"), formula);
    not_proved(&counter("254"), formula);
    // ✗ The sum wraps.
    let wraps = "unsigned char f(unsigned char level, unsigned n) {
        return level + n < 255 ? level + n : 255; }";
    not_proved(&counter("255"), wraps);
}

/// An index that is narrower than an address, increased by one at a time.
#[test]
fn sums_are_wide_only_if_they_do_not_wrap() {
    let by_index = |index: &str| {
        format!(
            "unsigned f(const unsigned char *v, unsigned n) {{ unsigned s = 0, left; {index} i = 0;
            for (left = n; left > 0; left--) {{ s = s * 31 ^ v[i]; i++; }} return s; }}"
        )
    };
    let by_two = "unsigned f(const unsigned char *v, unsigned n) { unsigned i, s = 0;
        for (i = 0; n - i > 1; i += 2) { s = s * 31 ^ v[i]; s = s * 31 ^ v[i + 1]; }
        if (i < n) s = s * 31 ^ v[i];
        return s; }";
    let found = findings(&compare_texts(&by_index("unsigned"), by_two), Effort::seconds(4));
    assert!(found.additions.iter().any(|addition| addition.formula.is_true()));
    // ✗ The index wraps after so many elements, or is negative.
    not_proved(&by_index("unsigned short"), by_two);
    not_proved(&by_index("short"), by_two);
}

/// An index with a sign that is not negative, and one that may be.
#[test]
fn an_index_is_extended_without_its_sign() {
    let by = |start: &str, index: &str| {
        format!(
            "unsigned f(const unsigned char *v, int k, int n) {{ unsigned s = 0; int i;
            for (i = {start}; i < n; i++) s = s * 31 ^ v[{index}];
            return s; }}"
        )
    };
    proved(&by("k & 7", "i"), &by("k & 7", "(unsigned)i"));
    // ✗ Without that, they are not the same element. (With objects below 2 GiB there is none at the second address.)
    let (old, new) = (by("k", "i"), by("k", "(unsigned)i"));
    let found = findings(&compare_texts(&old, &new), Effort::millis(800));
    let small = Assumption::ObjectsBelow2GiB;
    let mut of_any_size =
        found.additions.iter().filter(|addition| !addition.evidence.assumes.contains(&small));
    assert!(of_any_size.all(|addition| !addition.formula.is_true()), "{old}\n{new}");
}

/// A version of a random kind of loop, with these numbers.
fn loop_of(kind: &str, rewritten: bool, numbers: [&str; 3]) -> String {
    let [a, b, c] = numbers;
    let head = "unsigned f(unsigned char n, signed char k)";
    let body = match (kind, rewritten) {
        ("digit", false) => format!(
            "unsigned char i; unsigned s = 0; for (i = 0; i < n; i++) s = s * 3 + i % {a}; return s;"
        ),
        ("digit", true) => format!(
            "unsigned char i, d = {b} - {b}; unsigned s = 0; for (i = 0; i < n; i++) {{
            s = s * 3 + d; if (++d == {a}) d = {c} - 2; }} return s;"
        ),
        ("split", false) => format!(
            "signed char i; unsigned s = 0; for (i = {a}; i < k; i++)
            if (i < n) s = s * 3 + i; else s = s * 7 - i; return s;"
        ),
        ("split", true) => format!(
            "signed char i = {a}; unsigned s = 0; while (i < k && i < n) {{ s = s * 3 + i; i++; }}
            while (i < k + {c} - 2) {{ s = s * 7 - i; i++; }} return s;"
        ),
        // Lanes join by one operator, or by another one.
        ("lanes", false) => format!(
            "unsigned x = {a}; for (; n > 0; n--) {{ k = k * 5 + {a}; x ^= k; }} return x;"
        ),
        ("lanes", true) => format!(
            "unsigned x = {b}, y = 0; for (; n >= 2; n -= 2) {{
            k = k * 5 + {a}; x ^= k; k = k * 5 + {a}; y ^= k; }}
            if (n) {{ k = k * 5 + {a}; x ^= k; }} return x {} y;",
            if c == "3" { "|" } else { "^" }
        ),
        ("saturating", false) => {
            format!("while (n > 0) {{ if (k < {a} * 40) k++; n--; }} return (unsigned char)k;")
        }
        ("saturating", true) => format!(
            "return (unsigned char)(k >= {a} * 40 ? k : n < {b} * 40 - k ? k + n : {a} * 40);"
        ),
        (_, false) => format!(
            "signed char i; unsigned s = 0; for (i = {a}; i < (k < {b} ? {b} : k); i++) s = s * 5 ^ i;
            return s;"
        ),
        (_, true) => format!(
            "signed char i, last = k < {b} ? {c} : k; unsigned s = 0;
            for (i = {a}; i < last; i++) s = s * 5 ^ i; return s;"
        ),
    };
    format!("{head} {{ {body} }}")
}

/// Whatever is proved is so: checked by running both versions.
#[test]
fn random_pairs_of_rewritten_loops() {
    let mut dice = Dice(19);
    let mut equal = 0;
    for _ in 0..cases(18) {
        let kind = dice.pick(&["digit", "split", "saturating", "hoisted", "lanes"]);
        let a = dice.pick(&["1", "2", "3"]);
        // Mostly as they have to be for a proof.
        let (b, c) = match kind {
            "hoisted" => ("3", dice.pick(&["3", "3", "2", "4"])),
            _ => (dice.pick(&[a, a, "2"]), dice.pick(&["2", "2", "1", "3"])),
        };
        let old = loop_of(kind, false, [a, b, c]);
        let new = loop_of(kind, true, [a, b, c]);
        let comparison = compare_texts(&old, &new);
        let found = findings(&comparison, Effort::millis(400));
        if !found.additions.first().is_some_and(|addition| addition.formula.is_true()) {
            continue;
        }
        equal += 1;
        let pair = comparison.pair(pair_named(&comparison, "f").unwrap());
        let programs = [&comparison.old.program, &comparison.new.program];
        let mut machines = programs.map(Machine::new);
        let limits = Limits { steps: 20_000, ..Limits::default() };
        for n in (0u8..=255).step_by(17).chain([1, 2, 3, 127, 128, 254]) {
            for k in (-128i8..=127).step_by(11).chain([-128, -1, 0, 1, 2, 3, 4, 126, 127]) {
                let args = [n, k as u8].map(|v| Value::Bits(v.into())).to_vec();
                let entry = EntryState { args, ..EntryState::default() };
                let a = machines[0].run(pair.old, &entry, &limits);
                let b = machines[1].run(pair.new, &entry, &limits);
                if !a.is_conclusive() || !b.is_conclusive() {
                    continue;
                }
                let left = Run { program: programs[0], entry: &entry, outcome: &a };
                let right = Run { program: programs[1], entry: &entry, outcome: &b };
                assert_eq!(compare(left, right), None, "{n}, {k}:\n{old}\n{new}");
            }
        }
    }
    assert!(equal > 0, "nothing was proved");
}
