//! Limits that are reached at any moment: whatever the judgement says then is true (docs/internals/soundness.md, "When a limit is reached").
//!
//! All pairs of a case are judged again and again in this process, each time with a limit that is reached at another look at it
//! ([`verdiff_logic::cut`]): the clock, for an engine or for good; one query or all that follow; the number of terms; and with
//! less effort. What U, C, T and S say is compared with the label of the case, and with runs of both versions in the interpreter
//! from a few dozen states. `VERDIFF_CASES` is the number of cuts in percent of the usual, `VERDIFF_SEED` makes others;
//! `VERDIFF_CORPUS` chooses other cases (parts of names, separated by commas), `VERDIFF_ENGINES` some of the engines.

use crate::case::{Case, Function, cases};
use crate::{Run, conditions, inside};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;
use verdiff_engines::normalise::Normalise;
use verdiff_engines::{Facts, align, boundary, flat, recursion, summary, termination, testing};
use verdiff_judge::{Budget, Comparison, Engine, Field, Judgement, Judgements, PairId, Side, Task};
use verdiff_logic::cut::{Cut, Cutting, Limit, Until};
use verdiff_logic::effort::Effort;
use verdiff_logic::{Assignment, Bits, Formula, Sort, TermPool, Value as Number};
use verdiff_model::interp::{Limits as Steps, Machine};
use verdiff_model::state::{self, Difference, EntryState, Value};
use verdiff_model::{ProcId, Type};
use verdiff_plan::job::{Allowance, Judged};
use verdiff_plan::matching;
use verdiff_plan::worker::{Registry, Worker};

/// What a pair may cost.
const EFFORT: Effort = Effort::millis(300);
/// States from which both versions are run.
const STATES: usize = 60;
/// Long enough that a version that is still running when the other one has ended after a hundredth of it does not end.
const STEPS: Steps = Steps { steps: 100_000, depth: 2_000, memory: 1 << 22, objects: 1 << 12 };

/// The cases of the suite, by which engines each is judged, and how often: versions that differ for some inputs, of which one hangs, or that are
/// equal for a reason that takes several steps to find; and those of which a limit once made a wrong claim.
const CASES: [(&str, Option<&str>, usize); 7] = [
    // The clock between two rounds made "both terminate" of paths that stood for calls of themselves.
    ("recursion/retry_hangs", Some("kept paths"), 12),
    ("recursion/retry_hangs", None, 7),
    ("recursion/fig2_sum_base", None, 7),
    ("loops/moddiff_fig2", None, 7),
    ("loops/unrolled_twice_no_rest", None, 7),
    ("callees/paths_recursive_reached", None, 7),
    ("align/sum_unrolled_hash_wrong", None, 7),
];
/// What the choice of cuts begins with.
const SEED: u64 = 3;
/// How limits are reached.
const KINDS: [(Limit, Until); 6] = [
    (Limit::Time, Until::ShareEnds),
    (Limit::Time, Until::Looks(3)),
    (Limit::Time, Until::Forever),
    (Limit::Query, Until::Looks(1)),
    (Limit::Query, Until::Forever),
    (Limit::Terms, Until::Looks(1)),
];

/// The engines, together and each by itself: what one decides at once no other one is asked.
const REGISTRIES: [(&str, Registry); 7] = [
    ("all", verdiff_engines::all),
    ("summary", |facts| vec![Box::new(summary::Summary::new(facts))]),
    ("kept paths", |facts| {
        let mut engine = summary::Summary::new(facts);
        engine.never_entering = true;
        vec![Box::new(engine)]
    }),
    ("recursion", |facts| vec![Box::new(recursion::Recursion::new(facts))]),
    ("align", |facts| vec![Box::new(align::Align::new(facts))]),
    ("termination", |facts| {
        vec![Box::new(termination::Termination::new(facts)), Box::new(testing::Testing::default())]
    }),
    ("boundary", |facts: &Rc<Facts>| {
        vec![Box::new(boundary::Boundary::new(facts)), Box::new(flat::Flat::new(facts))]
    }),
];

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// How two runs from one state ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Alike,
    Apart,
    /// Only this version did, long before the other one was given up.
    Alone(Side),
    /// Nobody knows.
    Open,
}

/// What is true of a pair.
struct Truth<'c> {
    label: Option<&'c Function>,
    states: Vec<(Vec<u128>, Ended)>,
}

#[test]
fn what_is_proved_when_a_limit_is_reached_is_true() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let percent = number("VERDIFF_CASES").unwrap_or(100) as usize;
    let seed = number("VERDIFF_SEED").unwrap_or(SEED);
    let only = std::env::var("VERDIFF_CORPUS").ok();
    let engines = std::env::var("VERDIFF_ENGINES").ok();
    let all = cases();
    let rows: Vec<(&Case, Option<&str>, usize)> = match &only {
        Some(only) => {
            let chosen = |case: &&Case| only.split(',').any(|part| case.name.contains(part));
            all.iter().filter(chosen).map(|case| (case, engines.as_deref(), 7)).collect()
        }
        None => {
            let named = |name: &str| all.iter().find(|case| case.name == name).unwrap();
            CASES.iter().map(|(name, engines, cuts)| (named(name), *engines, *cuts)).collect()
        }
    };
    let mut wrong = vec![];
    for (case, engines, cuts) in rows {
        if let Some(comparison) = compared(case) {
            let plan = Cuts { engines, count: (cuts * percent).div_ceil(100), seed };
            let found = tried(case, &comparison, &plan);
            found.iter().for_each(|text| eprintln!("WRONG {text}"));
            wrong.extend(found);
        }
    }
    assert!(wrong.is_empty(), "{} wrong claims:\n{}", wrong.len(), wrong.join("\n"));
}

/// Which cuts are tried: of which engines, how many, and with which seed.
struct Cuts<'a> {
    engines: Option<&'a str>,
    count: usize,
    seed: u64,
}

fn compared(case: &Case) -> Option<Rc<Comparison>> {
    if case.is_compiled_otherwise() {
        return None;
    }
    let (settings, entry) = case.settings(Run::Plain, 1);
    let [old, new] = ["old.c", "new.c"].map(|name| inside::version(&case.folder.join(name)));
    let matched = matching(old.ok()?, new.ok()?, settings, &entry).ok()?;
    Some(Rc::new((*matched.comparison).clone()))
}

/// Judges a case with limits that are reached here and there. Gives the wrong claims.
fn tried(case: &Case, comparison: &Rc<Comparison>, plan: &Cuts<'_>) -> Vec<String> {
    let truths: Vec<Truth<'_>> =
        comparison.pair_ids().map(|pair| Truth::of(case, comparison, pair)).collect();
    let mut random = Random(plan.seed.wrapping_add(case.name.bytes().map(u64::from).sum()));
    let mut wrong = BTreeSet::new();
    // How often limits are looked at, as far as that is known.
    let mut looks = [[0; 3]; REGISTRIES.len()];
    let wanted = REGISTRIES.iter().position(|(name, _)| plan.engines == Some(*name));
    for number in 0..plan.count {
        let engines = wanted.unwrap_or((number + plan.seed as usize) % REGISTRIES.len());
        let (name, registry) = REGISTRIES[engines];
        let (limit, until) = KINDS[random.below(KINDS.len() as u64) as usize];
        // Of engines that were not run yet it is guessed.
        let most = match looks[engines][limit as usize] {
            0 => 1 << (4 + random.below(9)),
            known => known,
        };
        let cut = Cut { limit, at: random.below(most), until };
        let effort = match random.below(4) {
            0 => EFFORT * random.below(1000) / 1000,
            _ => EFFORT,
        };
        let cutting = Cutting::begin(Some(cut));
        let all = judged_by(registry, effort, comparison);
        for limit in [Limit::Time, Limit::Query, Limit::Terms] {
            let most = &mut looks[engines][limit as usize];
            *most = cutting.looks(limit).max(*most);
        }
        drop(cutting);
        for judged in all {
            for text in truths[judged.pair.index()].denies(comparison, &judged) {
                let function = &comparison.pair(judged.pair).function;
                wrong.insert(format!(
                    "{}:{function}: {name}: {cut:?} {effort:?}: {text}",
                    case.name
                ));
            }
        }
    }
    wrong.into_iter().collect()
}

/// Judges all pairs, callees first as they stand in the file.
fn judged_by(registry: Registry, effort: Effort, comparison: &Rc<Comparison>) -> Vec<Judged> {
    let mut judgements = Judgements::new();
    let mut all = vec![];
    for pair in comparison.pair_ids() {
        let nothing = Judgement::default();
        let task = Task { comparison, pair, judgement: &nothing, judgements: &judgements };
        let mut judgement = Judgement::default();
        let budget = Budget::lasting(Effort::seconds(1), 0);
        for addition in Normalise.run(&task, &budget).additions {
            judgement.add(addition).unwrap();
        }
        let mut worker = Worker::with(comparison.clone(), registry);
        let allowed =
            Allowance { effort, timeout: Duration::from_secs(120), loading: Duration::ZERO };
        let one = worker.judge(pair, judgement, &judgements, allowed, &mut |_| {});
        judgements.insert(pair, one.judgement.clone());
        all.push(one);
    }
    all
}

impl<'c> Truth<'c> {
    fn of(case: &'c Case, comparison: &Comparison, pair: PairId) -> Truth<'c> {
        let both = comparison.pair(pair);
        let label = case.functions.iter().find(|f| f.name == both.function);
        let procedure = comparison.procedure(pair, Side::Old);
        let widths: Option<Vec<u16>> = procedure
            .params
            .iter()
            .map(|param| match procedure.var(*param).ty {
                Type::Int(width) => Some(width),
                _ => None,
            })
            .collect();
        // A run that takes long may end all the same: the label says whether there are others.
        let may_hang = label.is_some_and(|label| {
            label.termination.as_deref() == Some("split")
                || label.split_under.is_some()
                || label.kinds.iter().any(|kind| kind == "termination")
        });
        let mut states = vec![];
        if let Some(widths) = widths.filter(|_| both.same_interface) {
            let values = conditions::values(case, &[]);
            let mut machines = Side::BOTH.map(|side| Machine::new(comparison.program(side)));
            let mut random = Random(7);
            let count = if widths.is_empty() { 1 } else { STATES };
            for number in 0..count {
                let args: Vec<u128> = widths
                    .iter()
                    .map(|width| {
                        // Small numbers first: with these, runs end soon or not at all.
                        let value = match number % 2 {
                            0 => random.below(13) as i128 - 2,
                            _ => values[random.below(values.len() as u64) as usize],
                        };
                        value as u128 & (u128::MAX >> (128 - u32::from(*width)))
                    })
                    .collect();
                let ended = match ended(comparison, [both.old, both.new], &args, &mut machines) {
                    Ended::Alone(_) if !may_hang || !is_small(&args) => Ended::Open,
                    ended => ended,
                };
                states.push((args, ended));
            }
        }
        Truth { label, states }
    }

    /// What a judgement says that is not true.
    fn denies(&self, comparison: &Comparison, judged: &Judged) -> Vec<String> {
        let Judged { judgement, candidates, .. } = judged;
        let ignored = comparison.settings.ignore_termination;
        let mut wrong = self.label.map_or(vec![], |label| against(label, judged, ignored));
        let fields = [Field::EqualUnder, Field::DifferUnder, Field::AlikeUnder, Field::SplitUnder];
        let mut said: Vec<(Field, Option<Side>, &Formula)> = vec![];
        for field in fields {
            let parts = judgement.condition(field).parts();
            said.extend(parts.iter().map(|part| (field, None, part)));
        }
        for side in Side::BOTH {
            let parts = judgement.ends_alone(side).parts();
            said.extend(parts.iter().map(|part| (Field::SplitUnder, Some(side), part)));
        }
        let additions = candidates.iter().filter_map(|candidate| candidate.condition.as_ref());
        said.extend(additions.map(|a| (a.evidence.adds, a.evidence.ends_alone(), &a.formula)));
        for (field, side, formula) in said {
            let denied = |ended: Ended| match (field, ended) {
                (_, Ended::Open) => false,
                (Field::EqualUnder, ended) => ended == Ended::Apart,
                (Field::DifferUnder, ended) => ended != Ended::Apart,
                (Field::AlikeUnder, ended) => matches!(ended, Ended::Alone(_)),
                (Field::SplitUnder, Ended::Alone(alone)) => side.is_some_and(|side| side != alone),
                (Field::SplitUnder, _) => true,
            };
            let states: Vec<_> = self.states.iter().filter(|(_, ended)| denied(*ended)).collect();
            let args = states.iter().map(|(args, _)| args.as_slice());
            if let Some(args) = first_that_fulfils(comparison, judged.pair, formula, args) {
                wrong.push(format!("{field:?} {} holds of {args:?}", formula.smt()));
            }
        }
        if judgement.is_equal() && self.states.iter().any(|(_, ended)| *ended == Ended::Apart) {
            wrong.push("U covers a state from which outcomes differ".to_owned());
        }
        wrong
    }
}

/// Whether a run from there that counts up or down to something near zero is soon done.
fn is_small(args: &[u128]) -> bool {
    args.iter().all(|arg| *arg <= 64)
}

/// What a judgement says against the label.
fn against(label: &Function, judged: &Judged, ignored: bool) -> Vec<String> {
    let judgement = &judged.judgement;
    let splits = !judgement.condition(Field::SplitUnder).is_false();
    let differs = judged.candidates.iter().any(|c| c.condition.is_some() && !c.is_hang());
    let hangs = |label: &Function| label.kinds.iter().any(|kind| kind == "termination");
    let only_hangs = !label.kinds.is_empty() && label.kinds.iter().all(|k| k == "termination");
    let mut wrong = vec![];
    match label.verdict.as_str() {
        "equivalent" if differs => wrong.push("they are equivalent, but C is not empty".to_owned()),
        "equivalent" if splits && !hangs(label) && !ignored => {
            wrong.push("they are equivalent, but S is not empty".to_owned());
        }
        "different" if judgement.is_equal() && !only_hangs => {
            wrong.push("they are different, but U is valid".to_owned());
        }
        _ => {}
    }
    match label.termination.as_deref() {
        Some("split") if judgement.is_alike() => {
            wrong.push("one version alone terminates, but T is valid".to_owned());
        }
        Some("alike") if splits => {
            wrong.push("they terminate alike, but S is not empty".to_owned())
        }
        _ => {}
    }
    wrong
}

fn ended(
    comparison: &Comparison,
    procedures: [ProcId; 2],
    args: &[u128],
    machines: &mut [Machine<'_>; 2],
) -> Ended {
    let args = args.iter().copied().map(Value::Bits).collect();
    let entry = EntryState { args, ..EntryState::default() };
    let [first, second] = machines;
    let mut run = |limits: &Steps| {
        [first.run(procedures[0], &entry, limits), second.run(procedures[1], &entry, limits)]
    };
    let [old, new] = run(&STEPS);
    if old.is_conclusive() != new.is_conclusive() {
        let side = if old.is_conclusive() { Side::Old } else { Side::New };
        let soon = Steps { steps: STEPS.steps / 100, depth: STEPS.depth / 50, ..STEPS };
        return match run(&soon)[side.index()].is_conclusive() {
            true => Ended::Alone(side),
            false => Ended::Open,
        };
    }
    let program = |side| comparison.program(side);
    let difference = state::compare(
        state::Run { program: program(Side::Old), entry: &entry, outcome: &old },
        state::Run { program: program(Side::New), entry: &entry, outcome: &new },
    );
    match difference {
        None => Ended::Alike,
        Some(Difference::Inconclusive) => Ended::Open,
        Some(_) => Ended::Apart,
    }
}

/// The first of these arguments of which a condition holds; none if it speaks of more than parameters.
fn first_that_fulfils<'a>(
    comparison: &Comparison,
    pair: PairId,
    formula: &Formula,
    mut states: impl Iterator<Item = &'a [u128]>,
) -> Option<&'a [u128]> {
    let procedure = comparison.procedure(pair, Side::Old);
    let mut pool = TermPool::new();
    let term = formula.build(&mut pool).unwrap();
    let names = pool.free_names(&[term]);
    if !names.functions.is_empty() {
        return None;
    }
    let mut positions = vec![];
    for symbol in names.symbols {
        let name = pool.symbol_name(symbol);
        let mut named = procedure.params.iter().map(|param| procedure.var(*param).name == name);
        let width = pool.sort(pool.symbol_term(symbol));
        let (Some(position), Sort::BitVec(width)) = (named.position(|same| same), width) else {
            return None;
        };
        positions.push((symbol, position, width));
    }
    states.find(|args| {
        let mut assignment = Assignment::new();
        for (symbol, position, width) in &positions {
            let value = Number::Bits(Bits::new(*width, args[*position]));
            assignment.set(&pool, *symbol, value).unwrap();
        }
        pool.eval(term, &assignment).unwrap().as_bool() == Some(true)
    })
}
