//! Computed gotos: which labels they may lead to, and what those are numbered by.

use verdiff_front::{Inputs, load};
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{End, EntryState, Value};
use verdiff_model::{Procedure, Program, TerminatorKind, validate};

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    std::fs::write(&path, source).unwrap();
    let program = load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap().program;
    validate(&program).unwrap_or_else(|problems| panic!("{problems:?}"));
    program
}

fn f(program: &Program) -> &Procedure {
    program.procedure(program.procedure_named("f").unwrap())
}

/// How many labels each computed goto may lead to.
fn labels(source: &str) -> Vec<usize> {
    let program = program(source);
    let ends = f(&program).blocks.iter().map(|block| &block.end.kind);
    let cases = ends.filter_map(|end| match end {
        TerminatorKind::Switch { cases, .. } => Some(cases.len()),
        _ => None,
    });
    cases.collect()
}

/// Two computed gotos with tables of their own, whose indices and pointers are these.
fn two(first: &str, second: &str, pointer: &str) -> String {
    format!(
        "int f(unsigned x, unsigned y) {{
             static {pointer} one[] = {{&&a, &&b}};
             static {pointer} two[] = {{&&c, &&d, &&a}};
             goto *one[{first}];
         a: y += 3; if (y > 1000) return 1;
         b: y += 5;
             goto *two[{second}];
         c: return y;
         d: return y * 2;
         }}"
    )
}

fn fixed(first: &str, second: &str) -> String {
    two(first, second, "void *const")
}

#[test]
fn computed_gotos_lead_to_the_labels_of_their_table() {
    assert_eq!(labels(&fixed("x & 1", "y % 3u")), [2, 3]);
    assert_eq!(labels(&fixed("x % 2u", "y % 2u")), [2, 3]);
    // The index may be outside of it, or the table may be written: anything may follow.
    assert_eq!(labels(&fixed("x", "y")), [4]);
    assert_eq!(labels(&fixed("x & 3", "y % 4u")), [4]);
    assert_eq!(labels(&fixed("x & 1", "(int)y % 3")), [2, 4]);
    assert_eq!(
        labels(&two("x & 1", "y % 3u", "const void *")),
        [4],
        "the pointers are not constant"
    );
}

#[test]
fn narrowed_gotos_do_what_they_did() {
    let program = program(&fixed("x & 1", "y % 3u"));
    let id = program.procedure_named("f").unwrap();
    let mut machine = Machine::new(&program);
    for x in 0..4u32 {
        for start in 0..40u32 {
            let args = vec![Value::Bits(x.into()), Value::Bits(start.into())];
            let entry = EntryState { args, ..EntryState::default() };
            let End::Returned(values) = machine.run(id, &entry, &Limits::default()).end else {
                panic!("it returns")
            };
            let mut y = start;
            let mut at_a = x & 1 == 0;
            let expected = loop {
                if at_a {
                    y += 3;
                    if y > 1000 {
                        break 1;
                    }
                }
                y += 5;
                match y % 3 {
                    0 => break y,
                    1 => break y * 2,
                    _ => at_a = true,
                }
            };
            assert_eq!(values[0].value, Some(Value::Bits(expected.into())), "{x} {start}");
        }
    }
}

#[test]
fn labels_are_numbered_by_their_order() {
    let table = |source: &str| {
        let program = program(source);
        let tables = program.globals.iter().filter(|global| global.name == "one");
        tables.map(|global| global.init.clone()).collect::<Vec<_>>()
    };
    let source = fixed("x & 1", "y % 3u");
    // Other blocks before a label do not change its number; another label before it does.
    let more = source.replace("y += 3;", "y += 3; if (x > 9) y ^= 7;");
    assert!(more != source && table(&source) == table(&more));
    let other = source
        .replace("goto *one", "if (x > 9) { void *volatile p = &&z; goto *p; z: y++; } goto *one");
    assert!(table(&source) != table(&other));
}
