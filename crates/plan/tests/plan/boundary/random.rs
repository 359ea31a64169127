//! Random changes to random functions: whatever is said to be equal must show no difference when it is run.

use super::{compared, differs, judged, proving, with_array};
use crate::support::{self, Random};
use std::rc::Rc;
use verdiff_judge::Comparison;
use verdiff_logic::effort::Effort;
use verdiff_plan::job::Judged;

impl Random {
    fn value(&mut self) -> &'static str {
        self.one_of(&["x", "y", "z", "*p", "a[1]", "g", "3", "n", "l[1]", "(x & 7)", "0", "y + 1"])
    }

    fn place(&mut self) -> &'static str {
        self.one_of(&["x", "y", "z", "*p", "a[0]", "a[1]", "g", "l[0]", "l[1]"])
    }

    fn statement(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 5 } else { 11 };
        let (v, w, to) = (self.value(), self.value(), self.place());
        match self.below(kinds) {
            0 | 1 => format!("{to} = {v} {} {w};", self.one_of(&["+", "-", "*", "&", "^", "<"])),
            2 => format!("{to} {}= {v};", self.one_of(&["+", "-", "^"])),
            3 => format!("{to} = {v};"),
            4 => format!("tell({v});"),
            5 => format!(
                "if ({v} {} {w}) {{ {} }}",
                self.one_of(&["<", "==", "!="]),
                self.block(depth - 1)
            ),
            6 => {
                let (a, b) = (self.block(depth - 1), self.block(depth - 1));
                format!("if ({v}) {{ {a} }} else {{ {b} }}")
            }
            7 => format!("for (int i = 0; i < (n & 3); i++) {{ {} }}", self.block(depth - 1)),
            8 => format!(
                "switch ({v} & 3) {{ case 1: {} break; case 2: {} default: {} }}",
                self.statement(0),
                self.statement(0),
                self.statement(0)
            ),
            9 => format!("if ({v} > {w}) goto out;"),
            _ => format!("if ({v} == {w}) return {v};"),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.below(3);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }
}

fn function(statements: &[String]) -> String {
    format!(
        "#include <setjmp.h>
         jmp_buf b; int tell(int); int g;
         int f(int x, int y, int n, int *p, int *a) {{
             int z = 0, l[2]; l[0] = x; {}
             {}
         out:
             return x + y * 3 + z * 5 + g;
         }}
         int caller(int x, int n) {{ int v[2] = {{1, 2}}; int w = x; return f(x, n, n, &w, v) + w + v[0]; }}",
        if statements.len().is_multiple_of(2) { "l[1] = y;" } else { "" },
        statements.join("\n")
    )
}

/// One small change: most keep the meaning, or nearly do.
fn changed(random: &mut Random, statements: &[String]) -> Vec<String> {
    let mut all = statements.to_vec();
    let at = random.below(all.len());
    let (v, to) = (random.value(), random.place());
    match random.below(10) {
        0 => all[at] = all[at].replace("+ ", "- -"),
        1 => all[at] = format!("if (x == x) {{ {} }}", all[at]),
        2 => all[at] = format!("{{ int t = {v}; {} z += t - {v}; }}", all[at]),
        3 => all.insert(at, format!("{to} = {to};")),
        4 => all.insert(at, format!("z += {v}; z -= {v};")),
        5 if at + 1 < all.len() => all.swap(at, at + 1),
        6 => all[at] = all[at].replace('<', ">"),
        7 => all[at] = all[at].replace("x", "(x + 0)").replace("ma(x + 0)", "max"),
        8 => all[at] = all[at].replace(" * ", " + "),
        _ => {
            let one = all[at].clone();
            all[at] = format!("if ({v}) {{ {one} }} else {{ {one} }}");
        }
    }
    all
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok())
}

fn cases_and_numbers() -> (u64, Random) {
    let cases = 10 * number("VERDIFF_CASES").unwrap_or(100) / 100;
    (cases, Random(0x9E37_79B9_7F4A_7C15 ^ number("VERDIFF_SEED").unwrap_or(0)))
}

/// Pairs whose runs differ are judged, since only of them can something wrong be said; of the others as many as show that
/// there are proofs at all.
const ENOUGH: usize = 3;

fn any_differs(comparison: &Rc<Comparison>) -> bool {
    comparison.pair_ids().any(|pair| differs(comparison, pair))
}

/// Statements that the model cannot express and that do nothing, where nobody calls `longjmp`.
const HOLES: [&str; 2] =
    ["__asm__ goto(\"\" : : \"r\"(x) : \"memory\" : out);", "if (setjmp(b)) goto out;"];

/// What is equal with statements that may do anything for all one knows is equal with statements that do nothing.
#[test]
fn what_is_contained_beside_holes_shows_no_difference_in_runs() {
    let (cases, mut random) = cases_and_numbers();
    let (mut equal, mut made) = (0, 0);
    while made < cases {
        let count = 3 + random.below(6);
        let mut statements: Vec<String> = (0..count).map(|_| random.statement(2)).collect();
        let hole = random.one_of(&HOLES);
        for _ in 0..1 + random.below(2) {
            let at = random.below(statements.len() + 1);
            statements.insert(at, hole.to_owned());
        }
        let other = changed(&mut random, &statements);
        let (old, new) = (function(&statements), function(&other));
        let Some(comparison) = compared(&old, &new) else { continue };
        let plain = compared(&old.replace(hole, ";"), &new.replace(hole, ";")).unwrap();
        made += 1;
        if equal >= ENOUGH && !any_differs(&plain) {
            continue;
        }
        for judged in judged(&comparison).iter().filter(|judged| judged.judgement.is_equal()) {
            let by = judged.judgement.evidence().iter().any(|e| e.engine == "boundary");
            equal += usize::from(by);
            let function = &comparison.pair(judged.pair).function;
            let is_it = |pair: &verdiff_judge::PairId| plain.pair(*pair).function == *function;
            let pair = plain.pair_ids().find(is_it).unwrap();
            assert!(!differs(&plain, pair), "{function} is said to be equal\n{old}\n{new}");
        }
    }
    println!("{equal} of {made} were contained");
    // Most changes of random functions get out; other seeds, or a part of the cases, may have none that does not.
    let seeded = number("VERDIFF_SEED").is_some();
    let partial = number("VERDIFF_CASES").is_some_and(|percent| percent < 100);
    assert!(equal > 0 || seeded || partial, "nothing was contained: the test says nothing");
}

#[test]
fn what_is_contained_shows_no_difference_in_runs() {
    let (cases, mut random) = cases_and_numbers();
    let (mut equal, mut made) = (0, 0);
    while made < cases {
        let count = 3 + random.below(6);
        let statements: Vec<String> = (0..count).map(|_| random.statement(2)).collect();
        let mut other = statements.clone();
        for _ in 0..1 + random.below(2) {
            other = changed(&mut random, &other);
        }
        let (old, new) = (function(&statements), function(&other));
        // Some are no C: a label in an empty place, a value that is assigned to.
        let Some(comparison) = compared(&old, &new) else { continue };
        made += 1;
        if equal >= ENOUGH && !any_differs(&comparison) {
            continue;
        }
        for judged in judged(&comparison) {
            if judged.judgement.is_equal() {
                let by = judged.judgement.evidence().iter().any(|e| e.engine == "boundary");
                equal += usize::from(by);
                assert!(
                    !differs(&comparison, judged.pair),
                    "{} is said to be equal\n{old}\n{new}",
                    comparison.pair(judged.pair).function
                );
            }
        }
    }
    println!("{equal} of {made} were contained");
    assert!(equal > 0, "nothing was contained: the test says nothing");
}

/// Stores to a local array in another order: whatever is said to be equal must show no difference.
#[test]
fn exchanged_stores_that_are_contained_show_no_difference_in_runs() {
    let (cases, mut random) = cases_and_numbers();
    let (mut equal, mut made) = (0, 0);
    while made < cases {
        let mut stores: Vec<String> = (0..3)
            .map(|_| {
                let at = random.one_of(&["x & 3", "4 + (y & 3)", "y & 7", "2", "x & 4", "5"]);
                let value = random.one_of(&["x", "y", "s[1]", "s[y & 3]", "total", "3"]);
                format!("s[{at}] = {value};")
            })
            .collect();
        let declaration = random.one_of(&["int s[8] = {0};", "int s[8]; s[1] = n; s[4] = x;"]);
        let old = with_array(declaration, &stores.join(" "), "");
        let at = random.below(2);
        stores.swap(at, at + 1);
        let new = with_array(declaration, &stores.join(" "), "");
        let comparison = compared(&old, &new).unwrap();
        made += 1;
        if equal >= ENOUGH && !any_differs(&comparison) {
            continue;
        }
        for judged in judged(&comparison).iter().filter(|judged| judged.judgement.is_equal()) {
            equal += 1;
            assert!(!differs(&comparison, judged.pair), "said to be equal\n{old}\n{new}");
        }
    }
    println!("{equal} of {made} were contained");
    assert!(equal > 0, "nothing was contained: the test says nothing");
}

/// A test is repeated behind other statements, and its second answer taken for granted: whatever is said to be equal
/// must show no difference.
#[test]
fn what_preconditions_contain_shows_no_difference_in_runs() {
    let (cases, mut random) = cases_and_numbers();
    let (mut equal, mut different, mut made) = (0, 0, 0);
    while made < cases * 2 / 3 {
        let (v, w) = (random.value(), random.value());
        let test = format!("{v} {} {w}", random.one_of(&["<", "==", "!=", "<="]));
        let mut between: Vec<String> = (0..random.below(3)).map(|_| random.statement(1)).collect();
        if random.below(2) == 0 {
            between.push("for (int i = 0; i < n; i++) z += tell(i);".to_owned());
        }
        let around = |answer: &str| {
            let between = between.join(" ");
            let whole = format!("if ({test}) {{ {between} z += {answer}; z ^= tell(z); }} z++;");
            let program = function(&[random_loop().to_owned(), whole]);
            program.split("int caller").next().unwrap_or_default().to_owned()
        };
        let (old, new) = (around(&format!("({test}) ? 1 : 2")), around("1"));
        let Some(comparison) = compared(&old, &new) else { continue };
        made += 1;
        let pair = comparison.pair_ids().last().expect("there is a pair");
        let differs = differs(&comparison, pair);
        different += usize::from(differs);
        if equal >= ENOUGH && !differs {
            continue;
        }
        let judged = quickly_judged(&comparison).pop().expect("it was judged");
        assert_eq!(judged.pair, pair);
        if judged.judgement.is_equal() {
            let by = judged.judgement.evidence().iter().any(|e| e.engine == "boundary");
            equal += usize::from(by);
            assert!(!differs, "said to be equal\n{old}\n{new}");
        }
    }
    println!("{equal} were contained and {different} differ of {made}");
    let seeded = number("VERDIFF_SEED").is_some();
    assert!(equal > 0 && different > 0 || seeded, "{equal} contained, {different} different");
}

/// Judged with little effort: what needs more is not what these tests are about.
fn quickly_judged(comparison: &Rc<Comparison>) -> Vec<Judged> {
    support::judged_by(proving, Effort::millis(600), comparison)
}

/// A loop that no engine executes to its end.
fn random_loop() -> &'static str {
    "for (int i = 0; i < n; i++) y += tell(i);"
}

const LISTS: &str = "
    #include <stdlib.h>
    struct node { int value; struct node *next; };
    static struct node *make(int n) {
        struct node *first = 0;
        for (int i = 0; i < n; i++) {
            struct node *one = malloc(sizeof *one);
            if (!one) break;
            one->value = i + n; one->next = first; first = one;
        }
        return first;
    }
    static int total(struct node *p) { int all = 0; for (; p; p = p->next) all += p->value; return all; }
    static void release(struct node *p) {
        while (p) { struct node *next = p->next; free(p); p = next; }
    }";

/// Calls of unchanged functions that allocate, loop and free, with small changes around them: whatever is said to be
/// equal must show no difference.
#[test]
fn equal_code_around_unchanged_heap_code_shows_no_difference_in_runs() {
    const STATEMENTS: [&str; 14] = [
        "p = make(x & 3);",
        "q = make(y & 3);",
        "q = make(2);",
        "release(p); p = 0;",
        "release(q); q = 0;",
        "release(p);",
        "z += total(p);",
        "z += total(q) * 3;",
        "if (p) p->value += y;",
        "if (q) q->value = x;",
        "if (p == q) z++;",
        "if (p < q) z += 2;",
        "if (x > y) { release(p); p = make(1); }",
        "z = x - y;",
    ];
    let (cases, mut random) = cases_and_numbers();
    let cases = cases * 3 / 2;
    let (mut equal, mut different, mut made) = (0, 0, 0);
    while made < cases {
        let count = 3 + random.below(4);
        let old: Vec<&str> = (0..count).map(|_| random.one_of(&STATEMENTS)).collect();
        let mut new: Vec<String> = old.iter().map(|s| (*s).to_owned()).collect();
        let at = random.below(count - 1);
        match random.below(5) {
            0 => new.swap(at, at + 1),
            1 => new[at] = new[at].replace("total(p)", "(p ? total(p) : 0)"),
            2 => new[at] = format!("if (x > 2) {{ {0} }} else {{ {0} }}", new[at]),
            3 => new[at] = format!("if (p || !p) {{ {} }}", new[at]),
            _ => {
                let again = new[at].clone();
                new.insert(at, again);
            }
        }
        let program = |statements: &str| {
            let start = "struct node *p = 0, *q = 0; int z = 0;";
            format!("{LISTS}\nint f(int x, int y) {{ {start} {statements} return z + !p * 100; }}")
        };
        let (old, new) = (program(&old.join(" ")), program(&new.join(" ")));
        let comparison = compared(&old, &new).unwrap();
        made += 1;
        let pair = comparison.pair_ids().last().expect("there is a pair");
        let differs = differs(&comparison, pair);
        different += usize::from(differs);
        if equal >= ENOUGH && !differs {
            continue;
        }
        let judged = quickly_judged(&comparison).pop().expect("it was judged");
        assert_eq!(judged.pair, pair);
        if judged.judgement.is_equal() {
            equal += 1;
            assert!(!differs, "said to be equal\n{old}\n{new}");
        }
    }
    println!("{equal} were equal and {different} differ of {made}");
    let seeded = number("VERDIFF_SEED").is_some();
    assert!(equal >= ENOUGH && different > 2 || seeded, "{equal} equal, {different} different");
}
