//! What the outside may do to a run: allocations that fail, globals that unknown functions write; and what is
//! taken for an address when it looks at memory.

use crate::interp_support;

use interp_support::*;
use verdiff_model::build::*;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::layout::{FRESH_ZONE, zone_base};
use verdiff_model::state::{
    Answer, Contents, EntryState, Event, Fill, Link, Object, ObjectEnd, Outside, Pointer,
    PointerTarget, Value, Write,
};
use verdiff_model::{
    Address, CField, CType, Callee, Expr, GlobalId, Linkage, ProcId, Program, Trap,
};

/// `void f(int *p, int x, int y) { int local = 0; p[0] = x; p[1] = y; }`, without the local unless `with_local`.
fn stores_two(with_local: bool) -> Program {
    let mut b = ProcBuilder::new("f", &[]);
    let (p, x, y) = (b.param("p", PTR), b.param("x", I32), b.param("y", I32));
    if with_local {
        let local = Expr::Address(Address::Local(b.local("local", 4, 4)));
        b.store(local, i32c(0));
    }
    b.store(v(p), v(x)).store(at(v(p), i64c(4)), v(y)).ret(vec![]);
    single(b)
}

fn written(program: &Program, base: &EntryState, x: u32, y: u32) -> Contents {
    let mut entry = base.clone();
    entry.args.extend([Value::Bits(x.into()), Value::Bits(y.into())]);
    match &run(program, &entry).objects[0] {
        ObjectEnd::Written(contents) => contents.clone(),
        other => panic!("it is written, not {other:?}"),
    }
}

#[test]
fn numbers_in_the_zone_of_an_object_that_is_gone_are_numbers() {
    let base = EntryState {
        args: vec![Pointer::object(0).into()],
        objects: vec![Object::new(8, vec![0; 8])],
        ..EntryState::default()
    };
    for (x, y) in [(u32::MAX, 0x1000_0000u32), (0x1000_0000, 0x1000_0000), (0, 0x1000_0000)] {
        let bytes = [x.to_le_bytes(), y.to_le_bytes()].concat();
        assert_eq!(written(&stores_two(true), &base, x, y), Contents::from(bytes.clone()));
        assert_eq!(written(&stores_two(false), &base, x, y), Contents::from(bytes));
    }
    // What does lead into it, or just behind it, is its address though it is gone.
    let gone = zone_base(FRESH_ZONE);
    for (offset, is_address) in [(0, true), (4, true), (5, false), (-1, false)] {
        let word = gone.wrapping_add_signed(offset);
        let contents = written(&stores_two(true), &base, word as u32, (word >> 32) as u32);
        let to = Pointer { target: PointerTarget::Fresh(0), offset };
        let links = if is_address { vec![Link { offset: 0, to }] } else { vec![] };
        assert_eq!(contents.pointers, links);
    }
}

#[test]
fn addresses_lie_where_they_are_aligned_unless_a_type_is_packed() {
    // *(char *)p = 1; with the address of a global in the object, at an offset.
    let program = |packed: bool| {
        let mut program = Program::default();
        add_global(&mut program, "g", &[0; 4], false);
        if packed {
            let void = program.ctypes.add(CType::Void);
            let ctype = program.ctypes.add(CType::Pointer(void));
            let field = CField { name: String::new(), ctype, offset_bits: 8, bit_width: None };
            let (name, fields) = (String::new(), vec![field]);
            program.ctypes.add(CType::Record { name, union: false, size: 9, fields });
        }
        let mut b = ProcBuilder::new("f", &[]);
        let p = b.param("p", PTR);
        b.store(v(p), byte(1)).ret(vec![]);
        add_procedure(&mut program, b);
        program
    };
    let address =
        verdiff_model::state::layout::zone_base(verdiff_model::state::layout::GLOBAL_ZONE);
    let links = |program: &Program, entry: &EntryState| match &run(program, entry).objects[0] {
        ObjectEnd::Written(contents) => {
            contents.pointers.iter().map(|link| link.offset).collect::<Vec<_>>()
        }
        other => panic!("it is written, not {other:?}"),
    };
    let at_offset = |offset: usize| {
        let mut bytes = vec![0; 24];
        bytes[offset..offset + 8].copy_from_slice(&address.to_le_bytes());
        EntryState {
            args: vec![Pointer::object(0).into()],
            objects: vec![Object::new(8, bytes)],
            ..EntryState::default()
        }
    };
    assert_eq!(links(&program(false), &at_offset(8)), [8]);
    assert_eq!(links(&program(false), &at_offset(9)), [0; 0]);
    assert_eq!(links(&program(true), &at_offset(9)), [9]);
    // The entry state knows best.
    let mut entry = at_offset(0);
    entry.objects[0].contents = Contents::from(vec![0; 24]);
    entry.objects[0].contents.pointers = vec![Link { offset: 3, to: Pointer::global(GlobalId(0)) }];
    assert_eq!(links(&program(false), &entry), [3]);
}

#[test]
fn allocations_fail_by_their_numbers() {
    // p = malloc(3); q = realloc(calloc(2, 5), 20); return both
    let mut program = Program::default();
    let malloc = Callee::External(add_external(&mut program, "malloc", &[I64], &[PTR]));
    let calloc = Callee::External(add_external(&mut program, "calloc", &[I64, I64], &[PTR]));
    let realloc = Callee::External(add_external(&mut program, "realloc", &[PTR, I64], &[PTR]));
    let mut b = ProcBuilder::new("f", &[PTR, PTR, PTR]);
    let (p, q, r) = (b.var("p", PTR), b.var("q", PTR), b.var("r", PTR));
    b.call(&[p], malloc, vec![i64c(3)]).call(&[q], calloc, vec![i64c(2), i64c(5)]);
    b.call(&[r], realloc, vec![v(q), i64c(20)]).ret(vec![v(p), v(q), v(r)]);
    add_procedure(&mut program, b);
    let nulls = |failures: &[u32]| {
        let outside = Outside { failures: failures.to_vec(), ..Outside::default() };
        let entry = EntryState { outside, ..EntryState::default() };
        let mut machine = Machine::new(&program);
        let outcome = machine.run(ProcId(0), &entry, &Limits::default());
        assert_eq!(machine.allocations(), [3, 10, 20]);
        let verdiff_model::state::End::Returned(results) = outcome.end else {
            panic!("it returns")
        };
        results.iter().map(|r| r.value == Some(Pointer::NULL.into())).collect::<Vec<_>>()
    };
    assert_eq!(nulls(&[]), [false, false, false]);
    assert_eq!(nulls(&[0]), [true, false, false]);
    assert_eq!(nulls(&[1]), [false, true, false]);
    // The object that should have grown stays.
    assert_eq!(nulls(&[2, 7]), [false, false, true]);
    assert_eq!(nulls(&[0, 1, 2]), [true, true, true]);
}

#[test]
fn a_string_that_cannot_be_copied_is_null() {
    let mut entry = objects(&[b"abc\0"]);
    entry.outside.failures = vec![0];
    assert_eq!(pointer(&run(&calling("strdup", &[PTR], &[PTR]), &entry)), Pointer::NULL);
}

#[test]
fn failures_are_alike_where_all_before_were() {
    let fails = |n: u32| Outside { failures: vec![n], ..Outside::default() };
    assert!(fails(0).fails_alike(&[4, 8], &[4, 9]));
    assert!(!fails(1).fails_alike(&[4, 8], &[4, 9]));
    assert!(!fails(1).fails_alike(&[4, 8], &[8, 4]));
    // One more allocation than the other version has.
    assert!(fails(1).fails_alike(&[4], &[4, 8]));
    assert!(!fails(1).fails_alike(&[8], &[4, 8]));
    // What is never reached does not fail.
    assert!(fails(2).fails_alike(&[4, 8], &[8, 4]));
}

#[test]
fn an_unknown_function_writes_what_its_answer_says() {
    // update(p); return level + *p;
    let mut program = Program::default();
    add_global(&mut program, "other", &[0; 8], false);
    let level = add_global(&mut program, "level", &[1, 0, 0, 0], false);
    let update = Callee::External(add_external(&mut program, "update", &[PTR], &[]));
    let mut b = ProcBuilder::new("f", &[I32]);
    let (p, x, y) = (b.param("p", PTR), b.var("x", I32), b.var("y", I32));
    b.call(&[], update, vec![v(p)]).load(x, Expr::Address(Address::Global(level)));
    b.load(y, v(p)).ret(vec![add(v(x), v(y))]);
    add_procedure(&mut program, b);
    let mut entry = EntryState {
        args: vec![Pointer::object(0).into()],
        objects: vec![Object::new(4, vec![5, 0, 0, 0])],
        ..EntryState::default()
    };
    let effect = |entry: &EntryState, program: &Program| {
        let outcome = run(program, entry);
        let Event::Call { effect: Some(effect), .. } = &outcome.world.events[0] else {
            panic!("it is a call of an unknown function")
        };
        (result(&outcome), effect.clone())
    };
    let (before, made_up) = effect(&entry, &program);
    assert_eq!((before, &made_up.writes[..]), (6, &[][..]));
    let write = |symbol: &str, offset, bytes: &[u8]| Write {
        symbol: symbol.to_owned(),
        offset,
        bytes: bytes.to_vec(),
    };
    let answer = Answer {
        call: made_up.call,
        writes: vec![write("level", 1, &[1]), write("level", 3, &[1, 1]), write("none", 0, &[1])],
        fills: vec![Fill { arg: 0, offset: 0, bytes: vec![7] }],
        ..Answer::default()
    };
    entry.outside.answers.push(answer);
    let (after, done) = effect(&entry, &program);
    assert_eq!(after, 0x101 + 7);
    // What cannot be written is not.
    assert_eq!(done.writes, [write("level", 1, &[1])]);
    assert_eq!(done.fills, [Fill { arg: 0, offset: 0, bytes: vec![7] }]);
    // Nobody outside knows a static.
    program.globals[level.index()].linkage = Linkage::Internal;
    assert_eq!(effect(&entry, &program).0, 1 + 7);
    assert_eq!(Trap::NullAccess, trap(&run(&program, &args(&[0]))));
}
