//! What `recursion` proves of the corpus: a line for each function with loops or recursion. `induction [PART-OF-NAME] [SECONDS]`

#[path = "../tests/engines/testing_support/mod.rs"]
mod support;

use std::time::{Duration, Instant};
use support::{corpus, pair_named, with_task};
use verdiff_engines::recursion::Recursion;
use verdiff_judge::{Budget, Engine};
use verdiff_logic::effort::Effort;
use verdiff_product::Facts;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let only = arguments.next().unwrap_or_default();
    let seconds = arguments.next().and_then(|s| s.parse().ok()).unwrap_or(3.0);
    let (mut proved, mut equivalent) = (0, 0);
    for case in corpus().into_iter().filter(|case| !case.loop_free && !case.has_options) {
        if !case.name.contains(&only) {
            continue;
        }
        let Ok(comparison) = case.compare() else { continue };
        for function in &case.functions {
            let Some(pair) = pair_named(&comparison, &function.name) else { continue };
            if function.verdict != "equivalent" && std::env::var_os("ALL").is_none() {
                continue;
            }
            let budget = Budget::lasting(Effort::lasting(Duration::from_secs_f64(seconds)), 1);
            let start = Instant::now();
            let found = with_task(&comparison, pair, |task| {
                Recursion::new(&Facts::of(comparison.clone())).run(task, &budget)
            });
            let time = start.elapsed().as_millis();
            equivalent += 1;
            proved += usize::from(!found.additions.is_empty());
            let (case, name) = (&case.name, &function.name);
            match (found.additions.first(), &found.stopped) {
                (Some(addition), _) => {
                    println!("proved  {case}:{name} {time} ms {:?}", addition.evidence.rule)
                }
                (_, why) => println!(
                    "OPEN    {case}:{name} {time} ms {}",
                    why.as_ref().map_or(String::new(), |why| format!("{why:?}"))
                ),
            }
        }
    }
    println!("{proved} of {equivalent}");
}
