//! Memory: initialisation, overlap, aliasing, globals, variable-length arrays, odd sizes.

#![allow(clippy::single_range_in_vec_init, reason = "one unset range is what is meant")]

use crate::interp_support;

use interp_support::*;
use verdiff_model::build::*;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{
    Contents, End, EntryState, Event, Link, Object, ObjectEnd, Pointer, Value, layout,
};
use verdiff_model::{
    Access, Address, BinaryOp, Expr, FloatKind, GlobalId, Init, ProcId, Program, Relocation,
    StmtKind, Trap, Type, UnaryOp, VarId,
};

fn global(id: GlobalId) -> Expr {
    Expr::Address(Address::Global(id))
}

#[test]
fn two_parameters_may_lead_to_one_object() {
    // *p = 1; *q = 2; return *p;
    let mut b = ProcBuilder::new("f", &[I32]);
    let (p, q, x) = (b.param("p", PTR), b.param("q", PTR), b.var("x", I32));
    b.store(v(p), i32c(1)).store(v(q), i32c(2)).load(x, v(p)).ret(vec![v(x)]);
    let program = single(b);
    let mut entry = objects(&[&[0; 4], &[0; 4]]);
    assert_eq!(result(&run(&program, &entry)), 1);
    entry.args[1] = entry.args[0];
    let outcome = run(&program, &entry);
    assert_eq!(result(&outcome), 2);
    assert_eq!(outcome.objects[0], ObjectEnd::Written(Contents::from(vec![2, 0, 0, 0])));
    assert_eq!(outcome.objects[1], ObjectEnd::Untouched);
}

#[test]
fn an_entry_object_ends_where_its_page_does() {
    for (size, align) in [(1u64, 1u32), (10, 4), (4096, 16), (5000, 8), (0, 1)] {
        let base = layout::entry_base(3, size, align);
        assert_eq!(base % u64::from(align), 0);
        assert_eq!(layout::zone_of(base), layout::ENTRY_ZONE + 3);
        let gap = (base + size).next_multiple_of(4096) - (base + size);
        assert!(gap < u64::from(align), "{size} {align}: {gap} bytes to the end of the page");
    }
}

#[test]
fn a_copy_keeps_what_has_no_value() {
    // Eight bytes of which four are set are copied; the set half can be read, the other not.
    let build = |offset: i64| {
        let mut b = ProcBuilder::new("f", &[I32]);
        let (from, to) = (b.local("from", 8, 4), b.local("to", 8, 4));
        let [from, to] = [from, to].map(|l| Expr::Address(Address::Local(l)));
        let x = b.var("x", I32);
        b.store(at(from.clone(), i64c(4)), i32c(9));
        b.stmt(StmtKind::Copy {
            dst: to.clone(),
            src: from,
            len: i64c(8),
            align: 4,
            access: Access::Plain,
        });
        b.load(x, at(to, i64c(offset))).ret(vec![v(x)]);
        single(b)
    };
    assert_eq!(result(&run(&build(4), &args(&[]))), 9);
    assert_eq!(trap(&run(&build(0), &args(&[]))), Trap::Uninitialised);
}

#[test]
fn a_copy_of_padding_into_a_callers_object_is_reported_as_unset() {
    let mut b = ProcBuilder::new("f", &[]);
    let out = b.param("out", PTR);
    let local = Expr::Address(Address::Local(b.local("s", 8, 4)));
    b.store(at(local.clone(), i64c(4)), i32c(-1));
    b.stmt(StmtKind::Copy {
        dst: v(out),
        src: local,
        len: i64c(8),
        align: 1,
        access: Access::Plain,
    });
    b.ret(vec![]);
    let outcome = run(&single(b), &objects(&[&[7; 8]]));
    let ObjectEnd::Written(contents) = &outcome.objects[0] else { panic!("it was written") };
    assert_eq!(contents.bytes, [0, 0, 0, 0, 255, 255, 255, 255]);
    assert_eq!(contents.unset, vec![0..4]);
}

#[test]
fn overlapping_copies_read_the_source_first() {
    for (to, from, expected) in [(1, 0, [1, 1, 2, 3]), (0, 1, [2, 3, 4, 4])] {
        let mut b = ProcBuilder::new("f", &[]);
        let p = b.param("p", PTR);
        let place = |n| at(v(p), i64c(n));
        b.stmt(StmtKind::Copy {
            dst: place(to),
            src: place(from),
            len: i64c(3),
            align: 1,
            access: Access::Plain,
        });
        b.ret(vec![]);
        let outcome = run(&single(b), &objects(&[&[1, 2, 3, 4]]));
        assert_eq!(outcome.objects[0], ObjectEnd::Written(Contents::from(expected.to_vec())));
    }
}

#[test]
fn copies_and_fills_of_nothing_access_nothing() {
    let mut b = ProcBuilder::new("f", &[]);
    let len = i64c(0);
    b.stmt(StmtKind::Copy {
        dst: Expr::null(),
        src: Expr::null(),
        len: len.clone(),
        align: 8,
        access: Access::Plain,
    });
    b.stmt(StmtKind::Fill {
        dst: Expr::null(),
        byte: byte(1),
        len,
        align: 8,
        access: Access::Plain,
    });
    b.ret(vec![]);
    assert!(matches!(run(&single(b), &args(&[])).end, End::Returned(_)));
}

/// Stores a value of a type and loads it again through the same bytes.
fn round_trip(ty: Type, bits: u128) -> (u128, Vec<u8>) {
    let mut b = ProcBuilder::new("f", &[ty]);
    let (p, value, x) = (b.param("p", PTR), b.param("value", ty), b.var("x", ty));
    b.store(v(p), v(value)).load(x, v(p)).ret(vec![v(x)]);
    let mut entry = objects(&[&[0xaa; 17]]);
    entry.args.push(Value::Bits(bits));
    let outcome = run(&single(b), &entry);
    let ObjectEnd::Written(contents) = &outcome.objects[0] else { panic!("it was written") };
    (result(&outcome), contents.bytes.clone())
}

#[test]
fn odd_widths_take_whole_bytes() {
    for width in [1u16, 7, 8, 24, 33, 48, 64, 65, 100, 128] {
        let ty = Type::Int(width);
        let (back, bytes) = round_trip(ty, ty.mask());
        assert_eq!(back, ty.mask(), "{ty}");
        assert!(bytes[ty.bytes() as usize..].iter().all(|b| *b == 0xaa), "{ty}");
    }
    let (back, bytes) = round_trip(Type::Float(FloatKind::X87), 0x3fff_8000_0000_0000_0000);
    assert_eq!(back, 0x3fff_8000_0000_0000_0000);
    assert_eq!(bytes[10], 0xaa);
    // What lies above the width in the last byte is not part of a narrow value.
    let mut b = ProcBuilder::new("f", &[Type::Int(20)]);
    let (p, x) = (b.param("p", PTR), b.var("x", Type::Int(20)));
    b.load(x, v(p)).ret(vec![v(x)]);
    assert_eq!(result(&run(&single(b), &objects(&[&[0xff; 3]]))), 0xf_ffff);
}

#[test]
fn coerced_reads_take_padding_as_zero() {
    let mut b = ProcBuilder::new("f", &[I64]);
    let local = Expr::Address(Address::Local(b.local("s", 8, 8)));
    let x = b.var("x", I64);
    b.store(local.clone(), byte(5));
    b.stmt(StmtKind::Load { dst: x, addr: local, align: 8, access: Access::Coerced });
    b.ret(vec![v(x)]);
    assert_eq!(result(&run(&single(b), &args(&[]))), 5);
}

#[test]
fn volatile_accesses_are_events_in_order() {
    let mut program = Program::default();
    let device = add_global(&mut program, "device", &[3, 0, 0, 0], false);
    let mut b = ProcBuilder::new("f", &[I32]);
    let x = b.var("x", I32);
    let access = Access::Volatile;
    b.stmt(StmtKind::Load { dst: x, addr: global(device), align: 4, access });
    b.stmt(StmtKind::Store { addr: global(device), value: add(v(x), i32c(1)), align: 4, access });
    b.ret(vec![v(x)]);
    add_procedure(&mut program, b);
    let outcome = run(&program, &args(&[]));
    let address = Value::Pointer(Pointer::global(device));
    assert_eq!(
        outcome.world.events,
        [
            Event::VolatileRead { address, value: 3, bytes: 4 },
            Event::VolatileWrite { address, value: 4, bytes: 4 },
        ]
    );
}

#[test]
fn globals_start_from_their_initialisers_in_every_run() {
    let mut program = Program::default();
    let counter = add_global(&mut program, "counter", &[41, 0, 0, 0], false);
    let mut b = ProcBuilder::new("f", &[I32]);
    let x = b.var("x", I32);
    b.load(x, global(counter)).store(global(counter), add(v(x), i32c(1)));
    b.load(x, global(counter)).ret(vec![v(x)]);
    add_procedure(&mut program, b);
    let mut machine = Machine::new(&program);
    let plain = EntryState::default();
    let set = EntryState {
        globals: vec![(counter, Contents::from(vec![9, 0, 0, 0]))],
        ..EntryState::default()
    };
    for _ in 0..2 {
        let outcome = machine.run(ProcId(0), &plain, &Limits::default());
        assert_eq!(result(&outcome), 42);
        assert_eq!(outcome.globals, [(counter, Contents::from(vec![42, 0, 0, 0]))]);
        assert_eq!(result(&machine.run(ProcId(0), &set, &Limits::default())), 10);
    }
}

#[test]
fn addresses_in_initialisers_lead_where_they_should() {
    let mut program = Program::default();
    let text = add_global(&mut program, "text", b"hello", true);
    let link = add_global(&mut program, "link", &[0; 16], false);
    program.globals[link.index()].init = Some(Init {
        bytes: vec![],
        relocations: vec![Relocation { offset: 8, target: Address::Global(text), addend: 4 }],
    });
    let mut b = ProcBuilder::new("f", &[I8]);
    let (p, x) = (b.var("p", PTR), b.var("x", I8));
    b.load(p, at(global(link), i64c(8))).load(x, v(p)).store(at(global(link), i64c(0)), v(p));
    b.ret(vec![v(x)]);
    add_procedure(&mut program, b);
    let outcome = run(&program, &args(&[]));
    assert_eq!(result(&outcome), u128::from(b'o'));
    // Both words are reported as pointers, not as whatever addresses they had.
    let to = Pointer::global(text).plus(4);
    let links = [Link { offset: 0, to }, Link { offset: 8, to }];
    assert_eq!(outcome.globals[0].1.pointers, links);
}

#[test]
fn pointers_between_entry_objects() {
    // A list node in object 0 leads to the number in object 1.
    let mut b = ProcBuilder::new("f", &[I32]);
    let (p, q, x) = (b.param("p", PTR), b.var("q", PTR), b.var("x", I32));
    b.load(q, v(p)).load(x, v(q)).ret(vec![v(x)]);
    let mut node = Object::new(8, vec![0; 8]);
    node.contents.pointers.push(Link { offset: 0, to: Pointer::object(1).plus(4) });
    let entry = EntryState {
        args: vec![Pointer::object(0).into()],
        objects: vec![node, Object::new(4, vec![0, 0, 0, 0, 6, 0, 0, 0])],
        ..EntryState::default()
    };
    assert_eq!(result(&run(&single(b), &entry)), 6);
}

/// `for (i = 0; i < n; i++) { save; int a[i + 1]; a[i] = i; s += a[i]; keep = a; restore }` and then
/// reads through `keep` if asked to.
fn variable_length(read_after: bool) -> Program {
    let mut b = ProcBuilder::new("f", &[I32]);
    let n = b.param("n", I32);
    let [i, s, x] = ["i", "s", "x"].map(|name| b.var(name, I32));
    let [a, token] = ["a", "token"].map(|name| b.var(name, PTR));
    let escaping = Expr::Address(Address::Local(b.local("kept", 8, 8)));
    let (head, body, done) = (b.block(), b.block(), b.block());
    let wide = |e: Expr| Expr::unary(UnaryOp::SignExtend, I64, e);
    let scaled = |e: Expr| op2(BinaryOp::Mul, wide(e), i64c(4));
    b.assign(i, i32c(0)).assign(s, i32c(0)).goto(head);
    b.at(head).branch(op2(BinaryOp::Slt, v(i), v(n)), body, done);
    b.at(body).stmt(StmtKind::SaveStack { dst: token });
    // A local object first used between save and restore does not end with the array.
    b.stmt(StmtKind::Alloc { dst: a, size: scaled(add(v(i), i32c(1))), align: 16 });
    b.store(escaping.clone(), v(a));
    b.store(at(v(a), scaled(v(i))), v(i)).load(x, at(v(a), scaled(v(i))));
    b.assign(s, add(v(s), v(x))).assign(i, add(v(i), i32c(1)));
    b.stmt(StmtKind::RestoreStack { token: v(token) }).goto(head);
    let kept = b.var("kept", PTR);
    b.at(done).load(kept, escaping);
    if read_after {
        b.load(x, v(kept));
    }
    b.ret(vec![v(s)]);
    single(b)
}

#[test]
fn variable_length_arrays_live_until_the_stack_is_restored() {
    assert_eq!(result(&run(&variable_length(false), &args(&[100]))), 4950);
    assert_eq!(trap(&run(&variable_length(true), &args(&[100]))), Trap::UseAfterFree);
}

#[test]
fn each_activation_has_its_own_locals() {
    // int f(int n) { int x = n; if (n) f(n - 1); return x; }
    let mut program = Program::default();
    let mut b = ProcBuilder::new("f", &[I32]);
    let (n, r, x) = (b.param("n", I32), b.var("r", I32), b.var("x", I32));
    let local = Expr::Address(Address::Local(b.local("x", 4, 4)));
    let (more, done) = (b.block(), b.block());
    b.store(local.clone(), v(n)).branch(op2(BinaryOp::Ne, v(n), i32c(0)), more, done);
    b.at(more).call(
        &[r],
        verdiff_model::Callee::Procedure(ProcId(0)),
        vec![op2(BinaryOp::Sub, v(n), i32c(1))],
    );
    b.goto(done);
    b.at(done).load(x, local).ret(vec![v(x)]);
    add_procedure(&mut program, b);
    assert_eq!(result(&run(&program, &args(&[50]))), 50);
}

#[test]
fn results_that_are_fresh_objects_come_with_their_contents() {
    // p = malloc(16); *p = malloc(4); **p = 7; return p;
    let mut program = Program::default();
    let malloc =
        verdiff_model::Callee::External(add_external(&mut program, "malloc", &[I64], &[PTR]));
    let mut b = ProcBuilder::new("f", &[PTR]);
    let [p, q]: [VarId; 2] = ["p", "q"].map(|name| b.var(name, PTR));
    // In which order they are made does not matter, only how they hang together.
    b.call(&[q], malloc.clone(), vec![i64c(4)]).call(&[p], malloc, vec![i64c(16)]);
    b.store(v(q), i32c(7)).store(v(p), v(q)).ret(vec![v(p)]);
    add_procedure(&mut program, b);
    let outcome = run(&program, &args(&[]));
    use verdiff_model::state::PointerTarget::Fresh;
    assert_eq!(pointer(&outcome), Pointer { target: Fresh(0), offset: 0 });
    let [first, second] = &outcome.fresh[..] else { panic!("two objects") };
    let first = first.contents.as_ref().expect("it is alive");
    assert_eq!(first.pointers, [Link { offset: 0, to: Pointer { target: Fresh(1), offset: 0 } }]);
    assert_eq!(first.unset, vec![8..16]);
    assert_eq!(second.contents.as_ref().map(|c| &c.bytes[..]), Some(&[7, 0, 0, 0][..]));
}

#[test]
fn an_aligned_word_past_the_end_holds_what_the_state_says() {
    let mut b = ProcBuilder::new("f", &[I32]);
    let (p, x) = (b.param("p", PTR), b.var("x", I32));
    b.load(x, v(p)).ret(vec![v(x)]);
    let program = single(b);
    let from = |offset: i64, beyond: Option<u8>| {
        let args = vec![Pointer::object(0).plus(offset).into()];
        let objects = vec![Object::new(8, vec![1, 2, 3, 4, 5, 6])];
        let mut entry = EntryState { args, objects, ..EntryState::default() };
        entry.outside.beyond = beyond;
        let mut machine = Machine::new(&program);
        let outcome = machine.run(ProcId(0), &entry, &Limits::default());
        (outcome, machine.read_beyond())
    };
    let (outcome, read_beyond) = from(4, Some(0x7f));
    assert_eq!((result(&outcome), read_beyond), (0x7f7f_0605, true));
    let (outcome, read_beyond) = from(0, Some(0x7f));
    assert_eq!((result(&outcome), read_beyond), (0x0403_0201, false));
    // Without it, and where the word is not aligned or begins behind the end, it is out of bounds as ever.
    let (outcome, read_beyond) = from(4, None);
    assert_eq!((trap(&outcome), read_beyond), (Trap::OutOfBounds, true));
    assert_eq!(trap(&from(3, Some(0)).0), Trap::OutOfBounds);
    assert_eq!(trap(&from(8, Some(0)).0), Trap::OutOfBounds);
}
