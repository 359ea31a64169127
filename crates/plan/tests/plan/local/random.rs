//! Random changes to random functions whose callee changed: where the change is said to be equivalent by itself, both
//! versions with one and the same random function in the place of the callee show no difference when they are run.

use super::{compared, inducing};
use crate::support::Random;
use std::rc::Rc;
use std::time::Duration;
use verdiff_engines::Facts;
use verdiff_engines::testing::Testing;
use verdiff_judge::{Comparison, Engine, Judgement, Judgements, Settings};
use verdiff_logic::effort::Effort;
use verdiff_plan::job::{Allowance, Judged};
use verdiff_plan::worker::{Registry, Worker};

/// Writes random C functions that call `g`.
struct Writer(Random);

impl std::ops::Deref for Writer {
    type Target = Random;
    fn deref(&self) -> &Random {
        &self.0
    }
}

impl std::ops::DerefMut for Writer {
    fn deref_mut(&mut self) -> &mut Random {
        &mut self.0
    }
}

impl Writer {
    fn value(&mut self) -> &'static str {
        self.one_of(&["x", "y", "z", "*p", "G", "S", "3", "x & 7", "0", "y + 1", "l"])
    }

    fn place(&mut self) -> &'static str {
        self.one_of(&["x", "y", "z", "*p", "G", "S", "l"])
    }

    /// A statement of `f`.
    fn statement(&mut self, depth: usize) -> String {
        let kinds = if depth == 0 { 6 } else { 9 };
        let (v, w, to) = (self.value(), self.value(), self.place());
        match self.below(kinds) {
            0 | 1 => format!("{to} = {v} {} {w};", self.one_of(&["+", "-", "*", "^", "<"])),
            2 => format!("{to} = {v};"),
            3 | 4 => format!("{to} = g({v}, &{});", self.one_of(&["l", "x", "G", "S"])),
            5 => format!("{to} += g({v}, p);"),
            6 => format!("if ({v} < {w}) {{ {} }}", self.block(depth - 1)),
            7 => {
                let (a, b) = (self.block(depth - 1), self.block(depth - 1));
                format!("if ({v}) {{ {a} }} else {{ {b} }}")
            }
            _ => format!("for (int i = 0; i < (n & 3); i++) {{ {} }}", self.block(depth - 1)),
        }
    }

    fn block(&mut self, depth: usize) -> String {
        let count = 1 + self.below(2);
        (0..count).map(|_| self.statement(depth)).collect::<Vec<_>>().join(" ")
    }

    /// A body of `g`, with effects or without.
    fn callee(&mut self, pure: bool) -> String {
        let value = |random: &mut Writer| match pure {
            true => random.one_of(&["a", "r", "1", "a * 3", "r ^ 5", "(q != 0)"]),
            false => random.one_of(&["a", "r", "1", "*q", "G", "S", "r ^ G", "(q == &S)"]),
        };
        let mut body = "int r = a & 3; ".to_owned();
        for _ in 0..1 + self.below(3) {
            let to = if pure { "r" } else { self.one_of(&["r", "r", "*q", "G", "S"]) };
            let (v, w) = (value(self), value(self));
            body += &match self.below(4) {
                0 => format!("if ({v} < {w}) {to} = {v};"),
                1 => format!("for (int i = 0; i < (a & 3); i++) {to} += {v};"),
                2 if !pure => format!("if (tell({v}) == {w}) {to} = {w};"),
                _ => format!("{to} = {v} + {w};"),
            };
        }
        format!("{body} return r + {};", value(self))
    }
}

fn program(callee: &str, statements: &[String]) -> String {
    format!(
        "int tell(int); int G; static int S;
         int g(int a, int *q) {{ {callee} }}
         int f(int x, int y, int n, int *p) {{
             int z = 0, l = 1;
             {}
             return x + y * 3 + z * 5 + G + l + S;
         }}",
        statements.join("\n")
    )
}

/// One small change: most keep the meaning, or nearly do.
fn changed(random: &mut Writer, statements: &[String]) -> Vec<String> {
    let mut all = statements.to_vec();
    let at = random.below(all.len());
    let (v, to) = (random.value(), random.place());
    match random.below(11) {
        0 => all[at] = all[at].replace("+ ", "- -"),
        1 => all[at] = format!("if (x == x) {{ {} }}", all[at]),
        2 => all[at] = format!("{{ int t = {v}; {} z += t - ({v}); }}", all[at]),
        3 => all.insert(at, format!("{to} = {to};")),
        4 => all.insert(at, format!("z += {v}; z -= {v};")),
        5 | 6 if at + 1 < all.len() => all.swap(at, at + 1),
        7 => all.insert(at, "g(x, p);".to_owned()),
        8 => all[at] = all[at].replace(" * ", " + "),
        9 => all.insert(at, format!("l = {v}; l -= {v}; l++;")),
        _ => {
            let one = all[at].clone();
            all[at] = format!("if ({v}) {{ {one} }} else {{ {one} }}");
        }
    }
    all
}

fn testing(_: &Rc<Facts>) -> Vec<Box<dyn Engine>> {
    vec![Box::new(Testing::default())]
}

/// What is found out about `f`.
fn judged(comparison: &Rc<Comparison>, registry: Registry, effort: Effort) -> Judged {
    let f = comparison.pair_ids().find(|id| comparison.pair(*id).function == "f").unwrap();
    let mut worker = Worker::with(comparison.clone(), registry);
    let allowed = Allowance { effort, timeout: Duration::from_secs(60), loading: Duration::ZERO };
    let nothing = (Judgement::default(), Judgements::new());
    worker.judge(f, nothing.0, &nothing.1, allowed, &mut |_| {})
}

/// Whether runs of `f` differ.
fn differs(old: &str, new: &str) -> bool {
    let comparison = compared(old, new, Settings::default()).expect("it compiles");
    !judged(&comparison, testing, Effort::millis(100)).candidates.is_empty()
}

#[test]
fn what_is_equivalent_by_itself_shows_no_difference_with_any_common_callee() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let cases = 10 * number("VERDIFF_CASES").unwrap_or(100) / 100;
    let seed = 0x9E37_79B9_7F4A_7C15 ^ number("VERDIFF_SEED").unwrap_or(0);
    let mut random = Writer(Random(seed));
    let (mut equivalent, mut refused, mut made) = (0, 0, 0);
    while made < cases {
        let count = 2 + random.below(4);
        let statements: Vec<String> = (0..count).map(|_| random.statement(2)).collect();
        let other = changed(&mut random, &statements);
        let pure = random.below(2) == 0;
        let (old, new) = (random.callee(pure), random.callee(pure));
        let versions = [program(&old, &statements), program(&new, &other)];
        let settings = Settings::default();
        let Some(comparison) = compared(&versions[0], &versions[1], settings) else { continue };
        made += 1;
        // Of the callee nothing is known, and mostly its versions differ: only a local verdict is possible.
        if judged(&comparison, inducing, Effort::millis(750)).local.is_none() {
            refused += 1;
            continue;
        }
        equivalent += 1;
        let any = (0..3).map(|_| random.callee(pure));
        for callee in [old.clone(), new.clone()].into_iter().chain(any) {
            let (old, new) = (program(&callee, &statements), program(&callee, &other));
            assert!(!differs(&old, &new), "said to be equivalent by itself:\n{old}\n{new}");
        }
    }
    println!("{equivalent} of {made} are equivalent by themselves");
    // A part of the cases may have only one kind.
    let partial = number("VERDIFF_CASES").is_some_and(|percent| percent < 100);
    let both = equivalent > 0 && refused > 0;
    assert!(both || partial, "the test says nothing: {equivalent} of {made}");
}
