//! In which order engines work on a pair, how deep, when at all, and with which share of what is left: as a table.
//!
//! Engines come from cheap to dear. What calls itself seldom terminates after a few calls, so there is no use in
//! exploring its paths before induction. A row is asked when its turn comes; what an earlier row found may make it unnecessary.

use std::any::{Any, TypeId};
use verdiff_engines::align::Align;
use verdiff_engines::boundary::Boundary;
use verdiff_engines::directed::Directed;
use verdiff_engines::flat::Flat;
use verdiff_engines::recursion::Recursion;
use verdiff_engines::summary::Summary;
use verdiff_engines::termination::Termination;
use verdiff_engines::testing::Testing;
use verdiff_judge::{Candidate, Depth, Engine, Field, Judgement, StopReason};
use verdiff_logic::effort::Effort;

/// One row of the schedule.
#[derive(Clone, Copy)]
pub struct Row {
    /// Which engine.
    pub engine: Which,
    /// How deep it goes.
    pub depth: Depth,
    /// While what is open.
    pub when: When,
    /// Unless this.
    pub unless: Unless,
    /// How much of what is left it gets.
    pub share: Share,
    /// How much it gets where a difference is known already: if the user asked for the pair, if the pair calls others,
    /// else.
    pub found: [Share; 3],
}

/// An engine of the registry, by its type.
#[derive(Clone, Copy)]
pub enum Which {
    /// This one.
    Type(fn() -> TypeId),
    /// All that no row names.
    Others,
}

/// What must be open for an engine to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Neither equality nor a difference is known.
    Undecided,
    /// The same, or a difference is known but not where, and the user asked for the pair.
    Inexact,
    /// The same, or somebody calls it: callers can use where it is equal.
    InexactOrCalled,
    /// Equality is not known; a difference only on explored paths, and there are others, and the user asked for the
    /// pair.
    Unequal,
    /// Equality is known, but not of every call, and somebody calls it.
    NotOfCalls,
    /// Equal termination is not known, and a verdict waits for it. Nobody asks that of a callee that is known to differ.
    Unalike,
    /// Equal termination is not known; the verdict is `equivalent` without it unless a hang of one version is proved.
    EqualNotAlike,
}

/// What makes a row unnecessary besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unless {
    /// Nothing.
    Never,
    /// A version calls itself.
    Recursive,
    /// None does: there are only loops, if anything.
    NotRecursive,
    /// The engine's last run was not stopped for time: it would come to the same end.
    InTime,
    /// The engine ran at this depth.
    Repeated,
    /// It is a part that was cut out of a pair, of which only a proof is of use; or no run ended in both versions so far, and some
    /// engine met what is not supported: further runs would end there, too.
    PartOrUnsupported,
    /// A longer search for a difference is not worth it,
    Unsearched,
    /// or it is.
    Searched,
    /// No run ended in both versions, as above, or a longer search is not worth it.
    UnsearchedOrUnsupported,
}

/// A part of what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Numerator and denominator.
    part: (u64, u64),
    /// But no more than this.
    most: Option<Effort>,
}

impl Share {
    /// Of what is left.
    pub fn of(self, left: Effort) -> Effort {
        let part = left * self.part.0 / self.part.1;
        self.most.map_or(part, |most| part.min(most))
    }
}

const fn part(numerator: u64, denominator: u64) -> Share {
    Share { part: (numerator, denominator), most: None }
}

const fn part_at_most(numerator: u64, denominator: u64, millis: u64) -> Share {
    Share { part: (numerator, denominator), most: Some(Effort::millis(millis)) }
}

const fn at_most(millis: u64) -> Share {
    part_at_most(1, 1, millis)
}

/// What is decided at once or not at all gets this, and what makes a known difference exact.
const SHORTLY: u64 = 500;

/// How many statements are little code. Where exactly the versions of such a function differ is mostly found out. The more code there is, the
/// more seldom that is, so the effort for it falls with the square of the size.
const LITTLE: u64 = 100;
/// An engine that would get less than this for it is not started: most of them need as much before they begin.
const LEAST: Effort = Effort::millis(50);

fn of<E: Any>() -> TypeId {
    TypeId::of::<E>()
}

/// The type of an engine.
pub fn kind(engine: &dyn Engine) -> TypeId {
    let any: &dyn Any = engine;
    any.type_id()
}

const fn row<E: Any>(depth: Depth, when: When, unless: Unless, share: Share) -> Row {
    Row { engine: Which::Type(of::<E>), depth, when, unless, share, found: [share; 3] }
}

const fn others(depth: Depth, when: When, unless: Unless, share: Share) -> Row {
    Row { engine: Which::Others, depth, when, unless, share, found: [share; 3] }
}

const QUICK_SHARE: Share = at_most(SHORTLY);
const ALL: Share = part(1, 1);

/// The schedule.
#[rustfmt::skip]
pub const SCHEDULE: [Row; 25] = [
    row::<Testing>(Depth::Glance, When::Undecided, Unless::Never, ALL),
    row::<Flat>(Depth::Quick, When::InexactOrCalled, Unless::Never, QUICK_SHARE),
    row::<Testing>(Depth::Quick, When::Undecided, Unless::Never, ALL),
    // What paths show at once, of callees too; more of them come later.
    row::<Summary>(Depth::Quick, When::Undecided, Unless::Recursive, at_most(60)),
    // Small regions first; then loops that are proved soon; then whether a difference is reached, if that is likely: by
    // a solver, and by many runs; then larger regions.
    row::<Boundary>(Depth::Quick, When::Undecided, Unless::Unsearched, part_at_most(1, 4, 1200)),
    row::<Boundary>(Depth::Quick, When::Undecided, Unless::Searched, part_at_most(1, 4, 2000)),
    row::<Align>(Depth::Quick, When::Undecided, Unless::Never, part_at_most(1, 4, 2000)),
    row::<Directed>(Depth::Full, When::Undecided, Unless::UnsearchedOrUnsupported, part_at_most(1, 6, 800)),
    row::<Testing>(Depth::Full, When::Undecided, Unless::UnsearchedOrUnsupported, part(1, 2)),
    // What was proved of entry states alone is of no use to callers.
    row::<Boundary>(Depth::Full, When::NotOfCalls, Unless::Never, part(1, 2)),
    row::<Boundary>(Depth::Full, When::Undecided, Unless::Never, part(1, 2)),
    row::<Summary>(Depth::Quick, When::Inexact, Unless::Recursive, part_at_most(1, 4, 1000)).found([at_most(300); 3]),
    row::<Recursion>(Depth::Full, When::NotOfCalls, Unless::Never, part(4, 5)),
    row::<Recursion>(Depth::Full, When::Undecided, Unless::NotRecursive, part(4, 5)),
    // An induction over loops is found soon, or not at all.
    row::<Recursion>(Depth::Full, When::Undecided, Unless::Recursive, part(3, 5)),
    row::<Recursion>(Depth::InParts, When::Unequal, Unless::Repeated, part(1, 4)).found([at_most(200); 3]),
    row::<Termination>(Depth::Full, When::EqualNotAlike, Unless::Never, part_at_most(1, 4, SHORTLY)),
    row::<Termination>(Depth::Full, When::Unalike, Unless::Never, part_at_most(1, 4, 1500))
        .found([part_at_most(1, 4, SHORTLY / 2); 3]),
    row::<Flat>(Depth::Full, When::Undecided, Unless::InTime, part(3, 4)),
    row::<Align>(Depth::Full, When::Undecided, Unless::Never, part(2, 3)),
    // If a callee is known to differ, its callers look into it unless paths say where it is equal; if it calls nothing
    // itself, they can do that as well as anybody.
    row::<Summary>(Depth::Full, When::InexactOrCalled, Unless::Never, part(1, 2))
        .found([at_most(300), at_most(150), at_most(50)]),
    row::<Recursion>(Depth::InParts, When::Unequal, Unless::Repeated, part(1, 4)).found([at_most(200); 3]),
    // Where a difference is known, for which inputs they are equal.
    row::<Align>(Depth::Full, When::Unequal, Unless::Repeated, part(1, 2)).found([at_most(800); 3]),
    others(Depth::Full, When::Undecided, Unless::Never, part(1, 2)).found([QUICK_SHARE; 3]),
    row::<Testing>(Depth::Thorough, When::Undecided, Unless::PartOrUnsupported, ALL),
];

/// What is known of a pair when a row's turn comes.
pub struct Situation<'a> {
    /// What is known.
    pub judgement: &'a Judgement,
    /// Predicted differences.
    pub candidates: &'a [Candidate],
    /// What ran before: which engine, how deep, and what stopped it.
    pub ran: &'a [(TypeId, Depth, Option<StopReason>)],
    /// Whether the user asked for the pair.
    pub wanted: bool,
    /// Whether another pair calls it.
    pub called: bool,
    /// Whether it calls another pair.
    pub calling: bool,
    /// How many statements a version and what it calls have, at most.
    pub code: u64,
    /// Whether a version calls itself.
    pub recursive: bool,
    /// Whether a longer search for a difference is worth it: a version has many statements, or its own code changed.
    pub searched: bool,
    /// Whether it is a part that was cut out of a pair: nothing but a proof of equality is of use.
    pub is_part: bool,
    /// Whether code that is not supported is tried with guesses.
    pub tried: bool,
    /// Whether `equivalent` needs equal termination, too.
    pub full: bool,
}

impl Situation<'_> {
    fn found(&self) -> bool {
        !self.candidates.is_empty()
    }

    /// Whether it is known where they differ. (Where one version alone terminates says nothing of where both do.)
    fn says_where(&self) -> bool {
        let says = |c: &Candidate| {
            c.condition.as_ref().is_some_and(|a| a.evidence.adds == Field::DifferUnder)
        };
        self.candidates.iter().any(says)
    }

    /// Whether no run ended in both versions, and an engine met what is not supported.
    fn met_unsupported(&self) -> bool {
        let met =
            |stopped: &Option<StopReason>| matches!(stopped, Some(StopReason::Unsupported { .. }));
        !self.tried
            && !self.judgement.common_run
            && self.ran.iter().any(|(.., stopped)| met(stopped))
    }

    /// Whether paths were explored, and some were not.
    fn paths_left(&self) -> bool {
        let full = |(engine, depth, stopped): &&(TypeId, Depth, Option<StopReason>)| {
            *engine == of::<Summary>() && *depth == Depth::Full && stopped.is_some()
        };
        self.ran.iter().any(|run| full(&run))
    }
}

impl Row {
    /// The same row with other shares where a difference is known.
    const fn found(self, found: [Share; 3]) -> Row {
        Row { found, ..self }
    }

    /// Whether the row is about this engine.
    pub fn is_for(&self, engine: &dyn Engine) -> bool {
        let id = kind(engine);
        match self.engine {
            Which::Type(of) => of() == id,
            Which::Others => !SCHEDULE.iter().any(|row| match row.engine {
                Which::Type(of) => of() == id,
                Which::Others => false,
            }),
        }
    }

    /// Whether this engine is to run now.
    pub fn applies(&self, engine: TypeId, now: &Situation<'_>) -> bool {
        let (equal, found) = (now.judgement.is_equal(), now.found());
        let inexact = |asked: bool| !equal && !now.says_where() && (!found || asked);
        let open = match self.when {
            When::Undecided => inexact(false),
            When::Inexact => inexact(now.wanted),
            When::InexactOrCalled => inexact(now.wanted || now.called),
            When::Unequal => !equal && (!found || now.wanted && now.paths_left()),
            When::NotOfCalls => equal && now.called && !found && !now.judgement.holds_in_calls(),
            When::EqualNotAlike => !now.judgement.is_alike() && equal && !now.full,
            When::Unalike => {
                let waits = if equal { now.full } else { !now.is_part };
                !now.judgement.is_alike() && waits && (!found || now.wanted)
            }
        };
        let mine = || now.ran.iter().filter(|(other, ..)| *other == engine);
        let needless = match self.unless {
            Unless::Never => false,
            Unless::Recursive => now.recursive,
            Unless::NotRecursive => !now.recursive,
            Unless::InTime => {
                mine().next_back().is_none_or(|(.., stopped)| *stopped != Some(StopReason::Time))
            }
            Unless::Repeated => mine().any(|(_, depth, _)| *depth == self.depth),
            Unless::PartOrUnsupported => now.is_part || now.met_unsupported(),
            Unless::Unsearched => !now.searched,
            Unless::Searched => now.searched,
            Unless::UnsearchedOrUnsupported => !now.searched || now.met_unsupported(),
        };
        open && !needless && !self.is_too_little(now)
    }

    /// Whether too little is left for where a known difference lies.
    fn is_too_little(&self, now: &Situation<'_>) -> bool {
        now.found() && now.code > LITTLE && self.effort(Effort::seconds(1), now) < LEAST
    }

    /// How much of what is left it gets.
    pub fn effort(&self, left: Effort, now: &Situation<'_>) -> Effort {
        let share = match (now.found(), now.wanted, now.calling) {
            (false, ..) => self.share,
            (true, true, _) => self.found[0],
            (true, false, true) => self.found[1],
            (true, false, false) => self.found[2],
        };
        let effort = share.of(left);
        match now.found() && now.code > LITTLE {
            true => effort * LITTLE / now.code * LITTLE / now.code,
            false => effort,
        }
    }

    /// Whether what stops it says why there is no verdict. That testing found nothing explains less than why a proof
    /// failed, and so does termination.
    pub fn explains(&self) -> bool {
        match self.engine {
            Which::Type(engine) => {
                ![of::<Testing>(), of::<Directed>(), of::<Termination>(), of::<Boundary>()]
                    .contains(&engine())
            }
            Which::Others => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::rc::Rc;
    use verdiff_engines::Facts;
    use verdiff_judge::Comparison;

    fn engines() -> Vec<Box<dyn Engine>> {
        verdiff_engines::all(&Facts::of(Rc::new(Comparison::default())))
    }

    /// The table as text.
    fn table() -> String {
        let engines = engines();
        let share = |share: Share| {
            let part = match share.part {
                (1, 1) => "all".to_owned(),
                (n, d) => format!("{n}/{d}"),
            };
            share.most.map_or(part.clone(), |most| format!("{part}, at most {}", most.as_millis()))
        };
        let mut text = String::new();
        for row in SCHEDULE {
            let named = engines.iter().find(|engine| row.is_for(&***engine));
            let name = named.map_or("others", |engine| engine.name());
            let Row { depth, when, unless, .. } = row;
            let line = format!("{name} | {depth:?} | {when:?} | {unless:?} | {}", share(row.share));
            let found: Vec<String> = row.found.into_iter().map(share).collect();
            text += &format!("{line} | {}\n", found.join(" / "));
        }
        text
    }

    #[test]
    fn the_schedule_is_this_table() {
        let expected = "\
testing | Glance | Undecided | Never | all | all / all / all
flat | Quick | InexactOrCalled | Never | all, at most 500 | all, at most 500 / all, at most 500 / all, at most 500
testing | Quick | Undecided | Never | all | all / all / all
summary | Quick | Undecided | Recursive | all, at most 60 | all, at most 60 / all, at most 60 / all, at most 60
boundary | Quick | Undecided | Unsearched | 1/4, at most 1200 | 1/4, at most 1200 / 1/4, at most 1200 / 1/4, at most 1200
boundary | Quick | Undecided | Searched | 1/4, at most 2000 | 1/4, at most 2000 / 1/4, at most 2000 / 1/4, at most 2000
align | Quick | Undecided | Never | 1/4, at most 2000 | 1/4, at most 2000 / 1/4, at most 2000 / 1/4, at most 2000
directed | Full | Undecided | UnsearchedOrUnsupported | 1/6, at most 800 | 1/6, at most 800 / 1/6, at most 800 / 1/6, at most 800
testing | Full | Undecided | UnsearchedOrUnsupported | 1/2 | 1/2 / 1/2 / 1/2
boundary | Full | NotOfCalls | Never | 1/2 | 1/2 / 1/2 / 1/2
boundary | Full | Undecided | Never | 1/2 | 1/2 / 1/2 / 1/2
summary | Quick | Inexact | Recursive | 1/4, at most 1000 | all, at most 300 / all, at most 300 / all, at most 300
recursion | Full | NotOfCalls | Never | 4/5 | 4/5 / 4/5 / 4/5
recursion | Full | Undecided | NotRecursive | 4/5 | 4/5 / 4/5 / 4/5
recursion | Full | Undecided | Recursive | 3/5 | 3/5 / 3/5 / 3/5
recursion | InParts | Unequal | Repeated | 1/4 | all, at most 200 / all, at most 200 / all, at most 200
termination | Full | EqualNotAlike | Never | 1/4, at most 500 | 1/4, at most 500 / 1/4, at most 500 / 1/4, at most 500
termination | Full | Unalike | Never | 1/4, at most 1500 | 1/4, at most 250 / 1/4, at most 250 / 1/4, at most 250
flat | Full | Undecided | InTime | 3/4 | 3/4 / 3/4 / 3/4
align | Full | Undecided | Never | 2/3 | 2/3 / 2/3 / 2/3
summary | Full | InexactOrCalled | Never | 1/2 | all, at most 300 / all, at most 150 / all, at most 50
recursion | InParts | Unequal | Repeated | 1/4 | all, at most 200 / all, at most 200 / all, at most 200
align | Full | Unequal | Repeated | 1/2 | all, at most 800 / all, at most 800 / all, at most 800
others | Full | Undecided | Never | 1/2 | all, at most 500 / all, at most 500 / all, at most 500
testing | Thorough | Undecided | PartOrUnsupported | all | all / all / all
";
        assert_eq!(table(), expected);
    }

    #[test]
    fn every_engine_of_the_registry_has_its_rows() {
        for engine in engines() {
            let rows = SCHEDULE.iter().filter(|row| row.is_for(&*engine));
            let others = |row: &Row| matches!(row.engine, Which::Others);
            assert!(rows.clone().count() > 0 && !rows.clone().any(others), "{}", engine.name());
        }
    }

    #[test]
    fn what_is_known_makes_rows_unnecessary() {
        let unknown = Judgement::default();
        let engine = of::<Flat>();
        let row = |number: usize, candidates: &[Candidate], wanted: bool, ran: &[_]| {
            let now = Situation {
                judgement: &unknown,
                candidates,
                ran,
                wanted,
                called: false,
                calling: false,
                code: 50,
                recursive: true,
                searched: false,
                is_part: false,
                tried: false,
                full: false,
            };
            SCHEDULE[number].applies(engine, &now)
        };
        let found = [Candidate::new("test", Default::default(), Default::default())];
        assert!(row(0, &[], true, &[]) && !row(0, &found, true, &[]));
        assert!(row(1, &found, true, &[]), "where they differ is worth a short while");
        assert!(!row(1, &found, false, &[]), "nobody asked and nobody calls it");
        assert!(!row(11, &[], true, &[]), "it calls itself");
        let late = [(engine, Depth::Quick, Some(StopReason::Time))];
        assert!(row(18, &[], true, &late));
        let done = [(engine, Depth::Quick, Some(StopReason::Memory))];
        assert!(!row(18, &[], true, &done) && !row(18, &[], true, &[]));
        let left = [(of::<Summary>(), Depth::Full, Some(StopReason::Time))];
        assert!(row(21, &found, true, &left) && !row(21, &found, true, &[]));
        assert!(!row(21, &found, false, &left));
    }

    #[test]
    fn shares_are_parts_of_what_is_left() {
        let left = Effort::millis(4000);
        assert_eq!(part(3, 4).of(left), Effort::millis(3000));
        assert_eq!(part_at_most(1, 4, 250).of(left), Effort::millis(250));
        assert_eq!(at_most(500).of(Effort::millis(100)), Effort::millis(100));
    }
}
