//! Random functions of two or three loops, and the same with their loops in another order.

use super::{Dice, cases, compare_texts, differs, effort, with_task};
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Budget, Engine, Field};
use verdiff_logic::effort::Effort;
use verdiff_product::Facts;

/// A loop that may read or write what others do.
fn one_loop(dice: &mut Dice) -> String {
    let counter = dice.pick(&["i", "i", "j"]);
    let bound = dice.pick(&["n", "k", "5", "s & 7"]);
    let body = dice.pick(&[
        "s += C;",
        "s += C;",
        "p ^= C + 1;",
        "p ^= C + 1;",
        "p = p * 3 + C;",
        "t += C & k;",
        "t += C & k;",
        "g += C;",
        "g = g * 3 + 1;",
        "p += g;",
        "s ^= p;",
        "if (C == k) t++;",
        "a[C & 3] += C;",
        "t ^= a[C & 1];",
    ]);
    format!("for ({counter} = 0; {counter} < ({bound}); {counter}++) {{ {body} }}")
        .replace("C", counter)
}

fn versions(dice: &mut Dice, name: &str) -> [String; 2] {
    let old: Vec<String> = (0..2 + dice.roll(2)).map(|_| one_loop(dice)).collect();
    let mut new = old.clone();
    let (a, b) = (dice.roll(new.len() as u64) as usize, dice.roll(new.len() as u64) as usize);
    new.swap(a, b);
    if dice.roll(4) == 0 {
        new[a] = one_loop(dice);
    }
    let sum = dice.pick(&["s + 2 * p + 4 * t", "s ^ p", "p + t", "s"]);
    let text = |loops: &[String]| {
        format!(
            "unsigned char {name}(unsigned char n, unsigned char k) {{ static unsigned char g, a[4]; unsigned char s = 0, p = 1, t = 2, i = 0, j = 0; g = n; {} return {sum} + g + i; }}\n",
            loops.join(" ")
        )
    };
    [text(&old), text(&new)]
}

#[test]
fn no_loops_that_changed_places_and_differ_are_proved() {
    let mut dice = Dice(std::env::var("VERDIFF_SEED").map_or(5, |seed| seed.parse().unwrap()));
    let (mut pairs, mut proved, mut different) = (0, 0, 0);
    while pairs < cases(40).max(20) {
        let (mut old, mut new) = (String::new(), String::new());
        for index in 0..20 {
            let [a, b] = versions(&mut dice, &format!("f{index}"));
            old += &a;
            new += &b;
        }
        let comparison = compare_texts(&old, &new);
        let mut engine = Recursion::new(&Facts::of(comparison.clone()));
        for pair in comparison.pair_ids() {
            let [apart, _] = differs(&comparison, pair, 256, &[0, 1, 4, 200]);
            pairs += 1;
            let budget = Budget::lasting(effort(Effort::millis(150), Effort::millis(600)), 1);
            let found = with_task(&comparison, pair, |task| engine.run(task, &budget));
            let equal = found.additions.iter().any(|a| a.evidence.adds == Field::EqualUnder);
            proved += usize::from(equal);
            different += usize::from(apart.is_some());
            let name = &comparison.pair(pair).function;
            assert!(!(equal && apart.is_some()), "{name} differs at {apart:?}\n{old}\n{new}");
        }
    }
    println!("{pairs} pairs, {proved} proved, {different} different");
    assert!(proved * 10 > pairs && different * 5 > pairs, "{proved}, {different} of {pairs}");
}
