//! Pairs for parts of `align` that are tried last: products, memory that is equal except in a range, cuts at outputs, and
//! states that no run comes to again.

use crate::align::{Dice, findings, not_proved, proved};
use crate::testing_support::{cases, compare_texts, pair_named};
use verdiff_logic::effort::Effort;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Run, Value, compare};

#[test]
fn a_loop_against_a_product() {
    let sum = "unsigned f(unsigned n, unsigned k) { unsigned i, s = 0;
        for (i = 0; i < n; i++) s += k; return s; }";
    let product =
        |wrong: &str| format!("unsigned f(unsigned n, unsigned k) {{ return n * k{wrong}; }}");
    let text = proved(sum, &product(""));
    assert!(text.contains("closed form"), "{text}");
    not_proved(sum, &product(" + (n == 1234567)"));
    not_proved(sum, &product(" + (k == 1234567)"));
}

/// ✗ With a counter that is narrower than the product, the sum goes on where the counter begins again.
#[test]
fn a_product_of_a_counter_that_wraps() {
    let sum = "unsigned f(unsigned short n, unsigned k) { unsigned short i = 0; unsigned s = 0, m;
        for (m = 0; m < n + 9u; m++) { s += k; i++; } return s; }";
    let product =
        "unsigned f(unsigned short n, unsigned k) { return (unsigned short) (n + 9u) * k; }";
    not_proved(sum, product);
}

#[test]
fn a_cell_is_kept_in_a_variable() {
    let cell = "void f(unsigned *g, unsigned n) { unsigned i; *g = n;
        for (i = 0; i < n; i++) *g += i; }";
    let variable = |wrong: &str| {
        format!(
            "void f(unsigned *g, unsigned n) {{ unsigned i, s = n; *g = 5;
            for (i = 0; i < n; i++) s += i; *g = s{wrong}; }}"
        )
    };
    proved(cell, &variable(""));
    not_proved(cell, &variable(" + (n == 1234567)"));
}

/// ✗ The cell may be one of those that are read.
#[test]
fn a_cell_that_is_read_on_the_way_is_not_kept_in_a_variable() {
    let cell = "void f(unsigned *g, const unsigned *v, unsigned char n) { unsigned i; *g = 0;
        for (i = 0; i < n; i++) *g += v[i]; }";
    let variable =
        "void f(unsigned *g, const unsigned *v, unsigned char n) { unsigned i, s = 0; *g = 0;
        for (i = 0; i < n; i++) s += v[i]; *g = s; }";
    not_proved(cell, variable);
}

fn numbers(pieces: [&str; 4]) -> String {
    let [counter, test, separator, last] = pieces;
    format!(
        "int putchar(int); void f(signed char first, signed char last) {{ {counter} i;
        for (i = 0;; i++) {{ signed char x = first + i * 2;
            if ({test}) break;
            if (i) putchar({separator});
            putchar(x); }}
        if (i) putchar({last}); }}"
    )
}

/// Figure 8 of the paper on speculative correlation, with a counter that wraps soon.
const TEST_IN_THE_MIDDLE: &str = "int putchar(int); void f(signed char first, signed char last) {
    int out = last < first;
    if (!out) { signed char x = first; unsigned char i;
        for (i = 1;; i++) { putchar(x); x = first + i * 2;
            out = last < x;
            if (out) break;
            putchar(44); }
        putchar(10); } }";

#[test]
fn outputs_in_another_part_of_the_loop() {
    let text = proved(&numbers(["unsigned char", "last < x", "44", "10"]), TEST_IN_THE_MIDDLE);
    assert!(text.contains("output"), "{text}");
    for wrong in [
        ["unsigned char", "last <= x", "44", "10"],
        ["unsigned char", "last < x", "44 + (i == 60)", "10"],
        ["unsigned char", "last < x", "44", "10 + (first == 99)"],
        // ✗ The counter begins again before the numbers do: some runs end after that.
        ["_Bool", "last < x", "44", "10"],
    ] {
        not_proved(&numbers(wrong), TEST_IN_THE_MIDDLE);
    }
}

/// ✗ The counter is not all that decides how the loop goes on: it begins again in runs that terminate.
#[test]
fn a_counter_that_begins_again_in_runs_that_terminate() {
    let counted = "int putchar(int); void f(short n) { unsigned char i = 0; short m;
        for (m = 0; m < n; m++, i++) { if (i) putchar(44); putchar(m); } }";
    let flagged = "int putchar(int); void f(short n) { int some = 0; short m;
        for (m = 0; m < n; m++) { if (some) putchar(44); putchar(m); some = 1; } }";
    not_proved(counted, flagged);
}

/// ✗ The outside decides when the loop ends: the same state, and another world.
#[test]
fn a_state_may_be_passed_again_in_another_world() {
    let counted = "int getchar(void); int putchar(int); void f(void) { unsigned char i;
        for (i = 0; getchar() != 4; i++) { if (i) putchar(44); putchar(45); } }";
    let flagged = "int getchar(void); int putchar(int); void f(void) { int some = 0;
        for (; getchar() != 4;) { if (some) putchar(44); putchar(45); some = 1; } }";
    not_proved(counted, flagged);
    let in_memory = |some: &str, test: &str, next: &str| {
        format!(
            "int putchar(int); void f(const unsigned short *v) {{ {some} i = 0; const unsigned short *p = v;
            while (*p) {{ if ({test}) putchar(44); putchar(45); p++; {next}; }} }}"
        )
    };
    not_proved(&in_memory("unsigned char", "i", "i++"), &in_memory("int", "i", "i = 1"));
}

fn random_pieces(dice: &mut Dice) -> [&'static str; 5] {
    [
        dice.pick(&["1", "2", "2", "3"]),
        dice.pick(&["last < x", "last < x", "last <= x", "x == last"]),
        dice.pick(&["44", "44", "x"]),
        dice.pick(&["putchar(10);", "putchar(10);", "", "putchar(i);"]),
        dice.pick(&["unsigned char", "unsigned char", "_Bool", "int"]),
    ]
}

/// A loop that outputs, in several shapes, with counters that wrap soon.
fn random_output_loop(dice: &mut Dice, pieces: [&str; 5]) -> String {
    let [step, test, mark, end, counter] = pieces;
    let head = "int putchar(int); void f(signed char first, signed char last) {";
    match dice.pick(&["head", "middle", "middle", "flag"]) {
        "head" => format!(
            "{head} {counter} i; for (i = 0;; i++) {{ signed char x = first + i * {step};
            if ({test}) break; if (i) putchar({mark}); putchar(x); }} if (i) {{ {end} }} }}"
        ),
        "middle" => format!(
            "{head} signed char x = first; {counter} i; if ({test}) return;
            for (i = 1;; i++) {{ putchar(x); x = first + i * {step}; if ({test}) break; putchar({mark}); }}
            {end} }}"
        ),
        _ => format!(
            "{head} int i = 0; signed char x = first; while (!({test})) {{
            if (i) putchar({mark}); putchar(x); x += {step}; i = 1; }} if (i) {{ {end} }} }}"
        ),
    }
}

/// Whatever is proved of outputs is so: checked by running both versions.
#[test]
fn random_pairs_of_loops_with_outputs() {
    let mut dice = Dice(18);
    let mut equal = 0;
    for _ in 0..cases(20) {
        let mut pieces = random_pieces(&mut dice);
        let old = random_output_loop(&mut dice, pieces);
        // Often one piece is another one.
        let other = random_pieces(&mut dice);
        let changed = dice.pick(&["", "", "0", "1", "2", "3", "4"]);
        if let Ok(at) = changed.parse::<usize>() {
            pieces[at] = other[at];
        }
        let new = random_output_loop(&mut dice, pieces);
        let comparison = compare_texts(&old, &new);
        let found = findings(&comparison, Effort::millis(1500));
        if !found.additions.first().is_some_and(|addition| addition.formula.is_true()) {
            continue;
        }
        equal += 1;
        let pair = comparison.pair(pair_named(&comparison, "f").unwrap());
        let programs = [&comparison.old.program, &comparison.new.program];
        let mut machines = programs.map(Machine::new);
        let limits = Limits { steps: 20_000, ..Limits::default() };
        for first in (-128i8..=127).step_by(9).chain([-128, -127, 126, 127]) {
            for last in (-128i8..=127).step_by(7).chain([-128, -127, 125, 126, 127]) {
                let args = [first, last].map(|v| Value::Bits(u128::from(v as u8))).to_vec();
                let entry = EntryState { args, ..EntryState::default() };
                let a = machines[0].run(pair.old, &entry, &limits);
                let b = machines[1].run(pair.new, &entry, &limits);
                if !a.is_conclusive() || !b.is_conclusive() {
                    continue;
                }
                let left = Run { program: programs[0], entry: &entry, outcome: &a };
                let right = Run { program: programs[1], entry: &entry, outcome: &b };
                assert_eq!(compare(left, right), None, "{first}, {last}:\n{old}\n{new}");
            }
        }
    }
    assert!(equal > 0, "nothing was proved");
}

/// The ratio is not told by equations: any two counters are related.
#[test]
fn four_elements_at_a_time() {
    let one = "unsigned f(const unsigned char *p, unsigned long n) { unsigned h = 5381;
        for (unsigned long i = 0; i < n; i++) h = h * 33 ^ p[i]; return h; }";
    let four = |least: &str, third: &str| {
        format!(
            "unsigned f(const unsigned char *p, unsigned long n) {{ unsigned h = 5381;
            for (; n >= {least}; n -= 4, p += 4) {{ h = h * 33 ^ p[0]; h = h * 33 ^ p[1];
                h = h * 33 ^ p[{third}]; h = h * 33 ^ p[3]; }}
            while (n-- > 0) h = h * 33 ^ *p++;
            return h; }}"
        )
    };
    let text = proved(one, &four("4", "2"));
    assert!(text.contains("4 old iterations"), "{text}");
    not_proved(one, &four("4", "1"));
    // ✗ With three elements left the fourth is not there.
    not_proved(one, &four("3", "2"));
    // ✗ The counter wraps below zero.
    not_proved(one, &four("1", "2"));
}

/// An index against a counter that goes down, with another exit: most claims are orders of counters.
#[test]
fn copies_until_a_value() {
    let by_index = "unsigned f(int *restrict to, const int *restrict from, unsigned n, int stop) {
        unsigned i = 0;
        while (i < n) { to[i] = from[i]; if (from[i++] == stop) break; }
        return i; }";
    let by_pointer = |result: &str| {
        format!(
            "unsigned f(int *restrict to, const int *restrict from, unsigned n, int stop) {{
            unsigned left; int x;
            for (left = n; left > 0; left--) {{ *to++ = x = *from++;
                if (x == stop) return {result}; }}
            return n; }}"
        )
    };
    // In this order only: the swapped pair is undecided.
    let found = findings(&compare_texts(by_index, &by_pointer("n - left + 1")), Effort::seconds(4));
    assert!(found.additions.iter().any(|addition| addition.formula.is_true()));
    not_proved(by_index, &by_pointer("n - left"));
    not_proved(by_index, &by_pointer("n - left + (left != 1234567)"));
}

/// Figure 8 of the paper on speculative correlation as it is in the corpus, with little effort: there are hard questions
/// that are soon answered at once and never in pieces.
#[test]
fn the_figure_of_the_paper_is_proved_soon() {
    let [old, new] = ["old.c", "new.c"].map(|file| {
        let folder =
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/correlate/numbers_refactored");
        std::fs::read_to_string(format!("{folder}/{file}")).unwrap().replace("print_numbers", "f")
    });
    let found = findings(&compare_texts(&old, &new), Effort::millis(3000));
    assert!(found.additions.iter().any(|addition| addition.formula.is_true()));
}
