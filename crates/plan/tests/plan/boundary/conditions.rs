//! What code behind a region asks of its outputs: what is contained because of it, and what must not be.

use super::{compared, differs, equal_by, judged};
use crate::support::Random;

/// A function that assigns `c`, has a loop with unknown calls, and uses `c` behind it. The loop has an instruction that the model
/// cannot express, or the function can be executed.
fn version(hole: bool, assign: &str, inside: &str, behind: &str) -> String {
    let instruction = match hole {
        true => "__asm__ goto(\"testl $1, %0\\n\\tjne %l1\" : : \"r\"(i) : \"cc\" : odd);",
        false => "if (tell(i) & 1) goto odd;",
    };
    format!(
        "int tell(int);
         int f(int x, int n, int c) {{
             int total = 0;
             {assign}
             for (int i = 0; i < n; i++) {{
                 {instruction}
                 total += tell(i);
             odd:
                 {inside}
             }}
             {behind}
             return total;
         }}"
    )
}

const FLAG: [&str; 2] = ["c = x != 0;", "c = x;"];
const SIGN: [&str; 2] = ["c = x;", "c = x < 0 ? -7 : x > 0;"];
const LOW: [&str; 2] = ["c = x & 7;", "c = x;"];
const LARGE: [&str; 2] = ["c = x;", "c = x > 9 ? 10 : x;"];

#[test]
fn only_what_is_asked_of_an_output_is_compared() {
    let cases = [
        (FLAG, "", "if (c) total++;"),
        (FLAG, "", "if (c) c = 1; total += c;"),
        (FLAG, "if (!c) total ^= i;", "total += c == 0;"),
        (FLAG, "if (c) total ^= i;", "c = n; total += c;"),
        (SIGN, "if (c > 0) total ^= i;", "if (c < 0) total = 3;"),
        (SIGN, "", "total += c >= 0;"),
        (LOW, "total += c & 3;", "total ^= c & 4;"),
        (LOW, "", "total += (c & 2) != 0;"),
        (LARGE, "total += c > 9;", "switch (c) { case 3: total++; break; case 4: total--; }"),
        (["c = x & 255;", "c = x;"], "total += (unsigned char)c;", ""),
    ];
    for (assign, inside, behind) in cases {
        for hole in [false, true] {
            let [old, new] = assign.map(|assign| version(hole, assign, inside, behind));
            for (old, new) in [(&old, &new), (&new, &old)] {
                assert_eq!(equal_by(old, new).as_deref(), Some("boundary"), "{old}\n{new}");
            }
        }
    }
}

#[test]
fn all_that_is_asked_of_an_output_is_compared() {
    let cases = [
        (FLAG, "", "total += c;"),
        (FLAG, "if (c) total++;", "total += c > 1;"),
        (FLAG, "if (c) total++;", "total += c & 2;"),
        (FLAG, "", "if (c == 0) total++; else total += c;"),
        (FLAG, "", "int t = c; if (t) total++; tell(t);"),
        (FLAG, "if (c) c++;", "if (c) total++;"),
        (FLAG, "c = c + 1;", "total += c == n;"),
        (SIGN, "", "total += c > -3;"),
        (SIGN, "", "if (c <= 0) total += c;"),
        (LOW, "", "total += c & 8;"),
        (LOW, "", "total += (short)c;"),
        (LARGE, "total += c > 9;", "total += c == 12;"),
        (LARGE, "", "switch (c) { case 3: total++; break; default: total += c; }"),
        (LARGE, "", "total += (unsigned)c > 11u;"),
    ];
    for (assign, inside, behind) in cases {
        for hole in [false, true] {
            let [old, new] = assign.map(|assign| version(hole, assign, inside, behind));
            assert_eq!(equal_by(&old, &new), None, "{old}\n{new}");
        }
    }
    // An operand of what the model cannot express.
    let [old, new] = FLAG.map(|assign| version(true, assign, "", "").replace("(i)", "(c)"));
    assert_eq!(equal_by(&old, &new), None, "{old}\n{new}");
    // A read that no edge leads to.
    let jump = |assign: &str| {
        format!(
            "#include <setjmp.h>\nint tell(int); static jmp_buf b;
             int f(int x, int c) {{
                 if (setjmp(b)) return c;
                 {assign} tell(x); if (c) tell(3); return 0; }}"
        )
    };
    let [old, new] = FLAG.map(jump);
    assert_eq!(equal_by(&old, &new), None, "{old}\n{new}");
}

/// What holds on both paths, because it is true of what one of them assigns.
#[test]
fn a_check_far_above_holds_of_what_is_assigned_there() {
    let with = |check: &str, inside: &str| {
        version(true, check, inside, "").replace("int total = 0;", "int total = 0; int k = 0;")
    };
    let inside = ["if (c >= 0) k = c / 4; else k = -1; total += k;", "k = c >> 2; total += k;"];
    for check in ["if (c < 0) c = 0;", "if (c < 0) c = 8;", "c = x; if (c < 0) c = 3;"] {
        let [old, new] = inside.map(|inside| with(check, inside));
        assert_eq!(equal_by(&old, &new).as_deref(), Some("boundary"), "{old}\n{new}");
    }
    for check in ["if (c < 0) c = -7;", "if (c < -7) c = 0;", "if (c < 0) c = x;"] {
        let [old, new] = inside.map(|inside| with(check, inside));
        assert_eq!(equal_by(&old, &new), None, "{old}\n{new}");
    }
}

/// Random assignments and uses: whatever is said to be equal must show no difference when it is run.
#[test]
fn random_uses_of_random_outputs() {
    let percent = std::env::var("VERDIFF_CASES").ok().and_then(|n| n.parse::<usize>().ok());
    let count = 45 * percent.unwrap_or(100) / 100;
    let seed = std::env::var("VERDIFF_SEED").ok().and_then(|n| n.parse::<u64>().ok());
    let mut random = Random(0x2545_F491_4F6C_DD1D ^ seed.unwrap_or(0));
    let assigns = [
        "c = x;",
        "c = x != 0;",
        "c = x & 7;",
        "c = x > 0;",
        "c = x < 0 ? -1 : x > 0;",
        "c = x | 1;",
        "c = !x;",
        "c = x == 3 ? 3 : 9;",
        "if (x) c = x;",
        "c = x & 3;",
        "c = x < 0 ? 0 : x;",
    ];
    let uses = [
        "if (c) total++;",
        "total += c == 0;",
        "total += c & 3;",
        "total ^= c & 4;",
        "total += c > 0;",
        "total += c < 0;",
        "if (c == 3) total += c;",
        "if (c > 2) c = 2;",
        "total += (unsigned)c > 5u;",
        "switch (c) { case 0: total++; break; case 3: total -= 2; }",
        "c = n;",
        "if (!c) c = n;",
        ";",
        "total += (signed char)c;",
        "if (c != 3) c = 3; total += c;",
    ];
    let mut equal = 0;
    for _ in 0..count {
        let (inside, behind) = (random.one_of(&uses), random.one_of(&uses));
        let behind = format!("{behind} {}", random.one_of(&uses));
        let sides = [0, 1].map(|_| version(false, random.one_of(&assigns), inside, &behind));
        let comparison = compared(&sides[0], &sides[1]).expect("it compiles");
        let last = judged(&comparison).pop().expect("there is a pair");
        if last.judgement.is_equal() {
            equal += 1;
            assert!(!differs(&comparison, last.pair), "{}\n{}", sides[0], sides[1]);
        }
    }
    assert!(equal * 20 > count, "{equal} of {count}");
}
