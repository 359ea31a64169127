//! How a caller sees a callee: bodies, common and private functions, summaries, externals.

use verdiff_front::{Inputs, load};
use verdiff_logic::solver::{self, Answer, Decide, Limits as SolverLimits, Query};
use verdiff_logic::{Sort, TermId};
use verdiff_model::{ProcId, Program};
use verdiff_symex::callee::{Abstraction, Callees, InlineAll, Summary, View};
use verdiff_symex::effects::{Callers, Effects};
use verdiff_symex::entry::Entry;
use verdiff_symex::execute::{Executor, Limits, Stop};
use verdiff_symex::outcome::Outcome;
use verdiff_symex::regions::{Cell, Regions};
use verdiff_symex::space::Space;

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, source).unwrap();
    load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap().program
}

/// `g` is abstract, all else is inlined.
struct GIsAbstract<'p> {
    programs: [&'p Program; 2],
    view: Abstraction,
}

impl Callees for GIsAbstract<'_> {
    fn view(&mut self, side: usize, callee: ProcId, _: usize) -> View {
        match self.programs[side].procedure(callee).name.as_str() {
            "g" => View::Abstract(self.view.clone()),
            _ => View::Inline,
        }
    }
}

/// Whether `f` is surely equal in both versions, with callees as `seen` says.
fn equal(old: &str, new: &str, seen: impl Fn(&mut Space, &mut Abstraction)) -> bool {
    let (old, new) = (program(old), program(new));
    let regions = Regions::analyse(&[&old, &new]);
    let effects = Effects::analyse(&[&old, &new], &regions, Callers::ByName);
    let g = old.procedure_named("g").unwrap();
    let of_g = effects.of(0, g);
    let mut space = Space::new();
    let mut view = Abstraction {
        name: "g".into(),
        common_under: None,
        private: "g.private".into(),
        parameters: vec![],
        summaries: vec![],
        reads: of_g.reads.iter().collect(),
        writes: of_g.writes.iter().collect(),
        world: of_g.world,
        returns: false,
    };
    seen(&mut space, &mut view);
    let mut callees = GIsAbstract { programs: [&old, &new], view };
    differ(&mut space, &regions, [&old, &new], &mut callees)
}

fn equal_inlined(old: &str, new: &str) -> bool {
    let (old, new) = (program(old), program(new));
    let regions = Regions::analyse(&[&old, &new]);
    differ(&mut Space::new(), &regions, [&old, &new], &mut InlineAll)
}

fn differ(
    space: &mut Space,
    regions: &Regions,
    programs: [&Program; 2],
    callees: &mut dyn Callees,
) -> bool {
    let f = programs[0].procedure_named("f").unwrap();
    let entry = Entry::of(space, regions, programs[0].procedure(f)).unwrap();
    let mut outcomes = Vec::new();
    for (side, program) in programs.into_iter().enumerate() {
        let f = program.procedure_named("f").unwrap();
        let mut executor = Executor::new(space, program, side, regions, callees, Limits::default());
        let state = executor.entry_state(&entry, f, false).unwrap();
        outcomes.push(executor.run(f, &entry.args, state).unwrap());
    }
    let visible: Vec<_> = regions
        .ids()
        .filter(|r| !regions.info(*r).locals_only)
        .map(|r| {
            let cell = match regions.info(r).cell {
                Cell::Bytes => 1,
                Cell::Words(bytes) => bytes,
            };
            (r.index(), cell, regions.info(r).name.clone())
        })
        .collect();
    let differ = Outcome::differ(space, &outcomes[0], &outcomes[1], &[None], &visible).unwrap();
    let mut assertions = space.axioms().unwrap();
    assertions.push(differ);
    let query = Query { assertions: &assertions, assumptions: &[] };
    match solver::standard().decide(&mut space.pool, &query, &SolverLimits::seconds(10.0)) {
        Answer::Unsat { .. } => true,
        Answer::Sat(_) => false,
        Answer::Unknown(reason) => panic!("{reason}"),
    }
}

fn parameter(space: &mut Space, view: &mut Abstraction) -> TermId {
    let a = space.pool.symbol("g's a", Sort::BitVec(32)).unwrap();
    view.parameters = vec![a];
    a
}

const G: &str = "static int state; int g(int a) { state += a; return state * a; }\n";

#[test]
fn a_common_function_gives_equal_results_for_equal_arguments_and_memory() {
    let old = format!("{G} int f(int x) {{ return g(x + 1) + g(2); }}");
    let same = format!("{G} int f(int x) {{ int a = g(1 + x); int b = g(2); return b + a; }}");
    let swapped = format!("{G} int f(int x) {{ int b = g(2); int a = g(1 + x); return b + a; }}");
    let plain = |_: &mut Space, _: &mut Abstraction| {};
    assert!(equal(&old, &same, plain));
    assert!(!equal(&old, &swapped, plain), "g has a memory");
    let private =
        |space: &mut Space, view: &mut Abstraction| view.common_under = Some(space.pool.falsity());
    assert!(!equal(&old, &same, private));
}

#[test]
fn a_callee_that_may_not_return_hides_nothing() {
    // ENGINES.md: what comes after a call is guarded by "it returned".
    let g = "int g(int a) { while (a); return 3; }\n";
    let old = format!("{g} int f(int x) {{ g(x); return 1; }}");
    let new = "int g(int a) { while (a); return 3; } int f(int x) { return 1; }";
    let plain = |_: &mut Space, _: &mut Abstraction| {};
    assert!(!equal(&old, new, plain));
    assert!(equal(&old, new, |_: &mut Space, view: &mut Abstraction| view.returns = true));
}

#[test]
fn a_function_is_common_only_where_it_is_said_to_be() {
    let pure = "int g(int a) { return a * a; }\n";
    let old = format!("{pure} int f(int x) {{ return x > 0 ? g(x) : 7; }}");
    let new = format!("{pure} int f(int x) {{ if (x <= 0) return 7; return g(x); }}");
    let positive = |space: &mut Space, view: &mut Abstraction| {
        let a = parameter(space, view);
        let zero = space.pool.bits(32, 0).unwrap();
        view.common_under = Some(space.pool.bv_slt(zero, a).unwrap());
    };
    assert!(equal(&old, &new, positive));
    let negative = |space: &mut Space, view: &mut Abstraction| {
        let a = parameter(space, view);
        let zero = space.pool.bits(32, 0).unwrap();
        view.common_under = Some(space.pool.bv_slt(a, zero).unwrap());
    };
    assert!(!equal(&old, &new, negative));
}

#[test]
fn a_summary_tells_what_the_function_alone_would_not() {
    // Paper 003, Fig. 3: the caller only uses abs(5).
    let g = "int g(int a) { return a < 0 ? -a : a; }\n";
    let old = format!("{g} int f(int x) {{ return g(5) + x; }}");
    let new = format!("{g} int f(int x) {{ return x + 5; }}");
    let plain = |_: &mut Space, _: &mut Abstraction| {};
    assert!(!equal(&old, &new, plain));
    let summarised = |space: &mut Space, view: &mut Abstraction| {
        let a = parameter(space, view);
        let zero = space.pool.bits(32, 0).unwrap();
        let reachable = space.pool.bv_sle(zero, a).unwrap();
        view.summaries = vec![Summary { reachable, results: vec![a] }];
    };
    assert!(equal(&old, &new, summarised));
}

#[test]
fn externals_are_deterministic_and_their_order_is_seen() {
    let say = "#include <stdio.h>\nint other(int);\n";
    assert!(equal_inlined(
        &format!("{say} int f(int x) {{ puts(\"a\"); return other(x) + 1; }}"),
        &format!("{say} int f(int x) {{ puts(\"a\"); int r = other(x); return 1 + r; }}"),
    ));
    assert!(!equal_inlined(
        &format!("{say} int f(int x) {{ puts(\"a\"); return other(x); }}"),
        &format!("{say} int f(int x) {{ int r = other(x); puts(\"a\"); return r; }}"),
    ));
    assert!(!equal_inlined(
        "#include <stdio.h>\n#include <stdlib.h>\nint f(int x) { puts(\"a\"); abort(); }",
        "#include <stdlib.h>\nint f(int x) { abort(); }",
    ));
    assert!(!equal_inlined(
        "#include <stdlib.h>\nint f(int x) { exit(0); }",
        "#include <stdlib.h>\nint f(int x) { exit(1); }",
    ));
}

#[test]
fn a_global_read_before_an_external_call_is_not_one_read_after() {
    let head = "int g_count; void other(void);\n";
    assert!(!equal_inlined(
        &format!("{head} int f(void) {{ int r = g_count; other(); return r; }}"),
        &format!("{head} int f(void) {{ other(); return g_count; }}"),
    ));
}

#[test]
fn copies_of_symbolic_length_are_exact() {
    let head = "#include <string.h>\n";
    assert!(equal_inlined(
        &format!(
            "{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n); if (n) p[0] = q == p ? p[0] : p[0]; }}"
        ),
        &format!("{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n); }}"),
    ));
    assert!(!equal_inlined(
        &format!("{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n); }}"),
        &format!("{head} void f(char *p, char *q, unsigned long n) {{ memmove(p, q, n - 1); }}"),
    ));
    assert!(equal_inlined(
        &format!("{head} void f(char *p, unsigned n) {{ memset(p, 7, n); memset(p, 0, n); }}"),
        &format!("{head} void f(char *p, unsigned n) {{ memset(p, 0, n); }}"),
    ));
}

#[test]
fn strings_of_known_length_are_compared_exactly() {
    let head = "#include <string.h>\n";
    assert!(equal_inlined(
        &format!("{head} int f(const char *s) {{ return strcmp(s, \"ab\") == 0; }}"),
        &format!(
            "{head} int f(const char *s) {{ return s[0] == 'a' && s[1] == 'b' && s[2] == 0; }}"
        ),
    ));
    assert!(!equal_inlined(
        &format!("{head} int f(const char *s) {{ return strcmp(s, \"ab\") == 0; }}"),
        &format!("{head} int f(const char *s) {{ return s[0] == 'a' && s[1] == 'b'; }}"),
    ));
    assert!(equal_inlined(
        &format!("{head} unsigned long f(void) {{ return strlen(\"hello\"); }}"),
        "unsigned long f(void) { return 5; }",
    ));
}

#[test]
fn pointers_two_bytes_apart_overlap() {
    assert!(!equal_inlined(
        "int f(int *p, int *q) { *p = 1; *q = 2; return *p; }",
        "int f(int *p, int *q) { *p = 1; *q = 2; return 1; }",
    ));
    assert!(!equal_inlined(
        "#include <string.h>\nint f(char *p, char *q) { int a = 1, b = 2, r; memcpy(p, &a, 4); memcpy(q, &b, 4); memcpy(&r, p, 4); return r; }",
        "#include <string.h>\nint f(char *p, char *q) { int a = 1, b = 2; memcpy(p, &a, 4); memcpy(q, &b, 4); return p == q ? 2 : 1; }",
    ));
}

#[test]
fn statics_of_two_files_are_two_objects() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let a = write("a.c", "static int count; void bump(void) { count = 7; }");
    let side = |text: &str| {
        let main = write("b.c", text);
        load(&Inputs { paths: vec![a.clone(), main], ..Inputs::default() }).unwrap().program
    };
    let old =
        side("static int count; void bump(void); int f(void) { count = 1; bump(); return count; }");
    let new =
        side("static int count; void bump(void); int f(void) { count = 1; bump(); return 7; }");
    let regions = Regions::analyse(&[&old, &new]);
    assert!(
        !differ(&mut Space::new(), &regions, [&old, &new], &mut InlineAll),
        "the old one returns 1"
    );
}

#[test]
fn what_a_freed_object_holds_is_not_claimed() {
    // Reading before and after a free is not the same; where the object's extent is not
    // known, execution gives up instead of missing the use after free.
    let program = program("#include <stdlib.h>\nint f(char *p) { free(p); return *p; }");
    let regions = Regions::analyse(&[&program]);
    let mut space = Space::new();
    let f = program.procedure_named("f").unwrap();
    let entry = Entry::of(&mut space, &regions, program.procedure(f)).unwrap();
    let mut inline = InlineAll;
    let mut executor =
        Executor::new(&mut space, &program, 0, &regions, &mut inline, Limits::default());
    let state = executor.entry_state(&entry, f, false).unwrap();
    assert!(matches!(executor.run(f, &entry.args, state), Err(Stop::Construct(_))));
}

#[test]
fn a_write_to_a_constant_is_seen_however_it_gets_there() {
    let head = "static const int table[2] = {1, 2};\n";
    assert!(!equal_inlined(
        &format!("{head} int f(int *p) {{ if (p == &table[1]) *p = 5; return table[0]; }}"),
        &format!("{head} int f(int *p) {{ return table[0]; }}"),
    ));
}
