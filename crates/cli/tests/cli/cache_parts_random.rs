//! Random functions over static variables, pointers and call-backs, in random programs: what a job about a part says is what one about the
//! whole says. Whether statements may change places depends on what the *rest* of the program does to the memory that
//! they use, so a part that forgets some of it is caught here.

use crate::support::{Folder, Run, command, pair, verdict};
use serde_json::Value;
use verdiff_model::generate::Random;

const HEAD: &str = "\
struct s { int v; struct s *next; };
void act(void);
static int n, m, table[4];
static int *p;
static struct s *head;
static struct s one;
static int (*hook)(int);
static const char *text = \"abc\";
";

/// What the rest of a program may do.
const REST: [&str; 16] = [
    "void r0(void) { p = &n; }",
    "void r1(void) { p = &m; }",
    "int *r2(void) { return &m; }",
    "int *r3(void) { return p; }",
    "void r4(struct s *a) { head = a; }",
    "void r5(void) { head = &one; }",
    "static int g0(int x) { n++; return x; }\nvoid r6(void) { hook = g0; }",
    "int g1(int x) { m = x; return x + 1; }\nint (*given)(int) = g1;",
    "void r7(void) { p = &one.v; }",
    "void r8(void) { p = &table[2]; }",
    "void r9(int *a) { p = a; }",
    "char r10(char *c) { return *c; }",
    "void r11(void) { one.next = head; }",
    "static void r12(void) { n = 7; }\nvoid r13(int x) { if (x) r12(); }",
    "void r14(const char *t) { text = t; }",
    "struct s r15(struct s *a) { return *a; }",
];

/// Statements of a function that is judged.
const STATEMENTS: [&str; 14] = [
    "n = x;",
    "*p = 3;",
    "m = t;",
    "t += n;",
    "t += *p;",
    "act();",
    "if (head) head->v = 4;",
    "t += head ? head->v : 0;",
    "t += hook ? hook(x) : 1;",
    "table[x & 3] = t;",
    "*q = 5;",
    "t += table[1];",
    "t ^= one.v;",
    "t += text[0];",
];

/// A program with functions `f0` to `f3`, and one in which statements of these changed places or were replaced.
fn programs(random: &mut Random) -> [String; 2] {
    let mut programs = [HEAD.to_owned(), HEAD.to_owned()];
    for rest in REST.iter().filter(|_| random.chance(35)).collect::<Vec<_>>() {
        programs.iter_mut().for_each(|program| *program += &format!("{rest}\n"));
    }
    for number in 0..4 {
        let count = 2 + random.below(3);
        let mut list: Vec<&str> = (0..count)
            .map(|_| STATEMENTS[random.below(STATEMENTS.len() as u64) as usize])
            .collect();
        let looping = random.chance(20);
        let function = |list: &[&str]| {
            let body = list.join(" ");
            let body = match looping {
                true => format!("for (int i = 0; i < (x & 3); i++) {{ {body} }}"),
                false => body,
            };
            format!("int f{number}(int x, int *q) {{ int t = 0; {body} return t; }}\n")
        };
        programs[0] += &function(&list);
        let at = random.below(count - 1) as usize;
        match random.chance(85) {
            true => list.swap(at, at + 1),
            false => list[at] = STATEMENTS[random.below(STATEMENTS.len() as u64) as usize],
        }
        programs[1] += &function(&list);
    }
    programs
}

fn report(folder: &Folder, parts: &str) -> Value {
    let mut command = command(&folder.path("."));
    command.env("VERDIFF_TEST_PARTS", parts).args(["old.c", "new.c", "--format", "json"]);
    let run = Run::of(
        &command.args(["--effort", "0.1", "--timeout", "60", "--jobs", "1"]).output().unwrap(),
    );
    serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:#?}"))
}

/// Compares random programs; gives back how many functions were judged, and how many of these were said to be equivalent.
fn run(seed: u64, programs_to_try: u64) -> (usize, usize) {
    let mut random = Random::new(seed);
    let (mut judged, mut equivalent) = (0, 0);
    for _ in 0..programs_to_try {
        let [old, new] = programs(&mut random);
        let folder = Folder::versions(&old, &new);
        let [whole, parts] = ["worthwhile", "all"].map(|parts| report(&folder, parts));
        for function in ["f0", "f1", "f2", "f3"] {
            let here = verdict(&parts, function);
            let (part, whole) = (pair(&parts, function), pair(&whole, function));
            assert_eq!(part["verdict"], whole["verdict"], "{function}: {here}\n{old}\n{new}");
            judged += usize::from(part["changed"] != "no");
            equivalent += usize::from(part["changed"] != "no" && here == "equivalent");
        }
    }
    (judged, equivalent)
}

#[test]
fn a_part_says_what_the_whole_says() {
    let (judged, equivalent) = run(1, 6);
    // Programs in which everything differs, or nothing, would show little.
    assert!(judged > 15 && equivalent * 4 > judged && equivalent < judged, "{equivalent}/{judged}");
}

/// `cargo test -p verdiff-cli --test cli a_part_says_what_the_whole_says -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn a_part_says_what_the_whole_says_of_many() {
    run(2, 200);
}
