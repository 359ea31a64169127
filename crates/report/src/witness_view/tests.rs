//! Programs and outcomes written by hand, as the front end and the interpreter would make them.

use super::*;
use expect_test::{Expect, expect};
use verdiff_judge::{Changed, Kind, Pair, Version, kinds};
use verdiff_model::build::{ProcBuilder, add_procedure};
use verdiff_model::state::{
    Contents, Effect, End, Event, Fill, FreshObject, Link, Object, ObjectEnd, Payload, Pointer,
    PointerTarget, Returned, World, Write,
};
use verdiff_model::*;

/// A program with one procedure and the types that tests need.
struct Example {
    program: Program,
    int: CTypeId,
    point: CTypeId,
}

fn int(name: &str, width: u16, signed: bool) -> CType {
    CType::Int { name: name.to_owned(), width, signed }
}

/// `result f(params)`; machine types and names as clang gives them.
fn example(params: &[(&str, Type, Option<&str>)], result: &str, results: &[Type]) -> Example {
    let mut program = Program { target: "x86_64-pc-linux-gnu".to_owned(), ..Program::default() };
    let types = &mut program.ctypes;
    let int_type = types.add(int("int", 32, true));
    let character = types.add(int("char", 8, true));
    let field = |name: &str, offset_bits| CField {
        name: name.to_owned(),
        ctype: int_type,
        offset_bits,
        bit_width: None,
    };
    let point = types.add(CType::Record {
        name: "point".to_owned(),
        union: false,
        size: 8,
        fields: vec![field("x", 0), field("y", 32)],
    });
    let colour = types.add(CType::Enum {
        name: "colour".to_owned(),
        width: 32,
        signed: false,
        enumerators: vec![("RED".to_owned(), 0), ("GREEN".to_owned(), 1)],
    });
    let const_char = types.add(CType::Qualified { qualifier: Qualifier::Const, target: character });
    let known: Vec<(&str, CTypeId)> = vec![
        ("int", int_type),
        ("char", character),
        ("struct point", point),
        ("enum colour", colour),
        ("unsigned", types.add(int("unsigned int", 32, false))),
        ("double", types.add(CType::Float { name: "double".to_owned(), width: 64 })),
        ("float", types.add(CType::Float { name: "float".to_owned(), width: 32 })),
        ("void", types.add(CType::Void)),
        ("int *", types.add(CType::Pointer(int_type))),
        ("const char *", types.add(CType::Pointer(const_char))),
        ("struct point *", types.add(CType::Pointer(point))),
    ];
    let id = |name: &str| known.iter().find(|(n, _)| *n == name).unwrap().1;
    let parameters = params.iter().filter_map(|(_, _, ctype)| ctype.map(id)).collect();
    let function = CType::Function { result: id(result), parameters, variadic: false };
    let mut builder = ProcBuilder::new("f", results);
    for (name, ty, _) in params {
        builder.param(name, *ty);
    }
    let proc = add_procedure(&mut program, builder);
    let function = program.ctypes.add(function);
    let procedure = &mut program.procedures[proc.index()];
    procedure.ctype = Some(function);
    for (index, (name, _, ctype)) in params.iter().enumerate() {
        if !name.contains('.') {
            procedure.vars[index].ctype = ctype.map(id);
        }
    }
    Example { program, int: int_type, point }
}

fn comparison(example: &Example) -> Comparison {
    let results = &example.program.procedures[0].results;
    let place = |(index, ty): (usize, &Type)| (*ty, 8 * index as u64);
    let frame =
        Frame { results: results.iter().enumerate().map(place).collect(), ..Frame::default() };
    let version = Version { program: example.program.clone(), frames: vec![frame] };
    let pair = Pair {
        function: "f".to_owned(),
        old: ProcId(0),
        new: ProcId(0),
        changed: Changed::Text,
        same_interface: true,
        wanted: true,
    };
    Comparison { old: version.clone(), new: version, pairs: vec![pair], ..Comparison::default() }
}

fn outcome(end: End) -> Outcome {
    Outcome {
        end,
        objects: vec![],
        globals: vec![],
        fresh: vec![],
        world: World::default(),
        steps: 1,
    }
}

fn returns(values: &[(Type, u128)]) -> Outcome {
    let result = |(ty, bits): &(Type, u128)| Returned { ty: *ty, value: Some((*bits).into()) };
    outcome(End::Returned(values.iter().map(result).collect()))
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Shows the witness and the kinds in one text.
fn check(example: &Example, entry: &EntryState, old: &Outcome, new: &Outcome, expect: Expect) {
    let comparison = comparison(example);
    let pair = PairId(0);
    let shown = show_witness(&comparison, pair, entry, entry, old, new);
    let memory = |memory: &[MemoryView]| -> String {
        let one = |m: &MemoryView| {
            let values: Vec<String> = m.values.iter().map(ToString::to_string).collect();
            let text = m.text.as_deref().unwrap_or("-");
            let freed = if m.freed { " freed" } else { "" };
            format!("  {}: {} {{{}}} {text}{freed}\n", m.name, m.ctype, values.join(", "))
        };
        memory.iter().map(one).collect()
    };
    let mut text = String::new();
    for (name, value) in &shown.inputs {
        text += &format!("{name} = {value}\n");
    }
    text += &memory(&shown.memory);
    for external in &shown.externals {
        let returns = external.returns.as_ref().map(ToString::to_string);
        text += &format!("{} -> {returns:?} {:?}", external.call, external.fills);
        for write in &external.writes {
            let value = write.value.as_ref().map(ToString::to_string);
            text += &format!(" {}+{} = {} {value:?}", write.global, write.offset, write.bytes);
        }
        text += "\n";
    }
    for (side, end) in [("old", &shown.old), ("new", &shown.new)] {
        let returned = end.returned.as_ref().map(ToString::to_string);
        text += &format!("{side}: returned {returned:?} trap {:?} exit {:?}", end.trap, end.exit);
        text += &format!(" output {:?}\n{}", end.output, memory(&end.memory));
    }
    text += &format!("{:?}", kinds(&comparison, pair, entry, entry, old, new));
    expect.assert_eq(&text);
}

#[test]
fn scalars_have_the_sign_and_the_names_of_their_types() {
    let params = [
        ("x", Type::Int(32), Some("int")),
        ("u", Type::Int(32), Some("unsigned")),
        ("c", Type::Int(8), Some("char")),
        ("e", Type::Int(32), Some("enum colour")),
        ("d", Type::Float(FloatKind::Double), Some("double")),
        ("g", Type::Float(FloatKind::Single), Some("float")),
        ("p", Type::Ptr, Some("int *")),
    ];
    let example = example(&params, "double", &[Type::Float(FloatKind::Double)]);
    let args: Vec<u128> = vec![
        0xffff_fffe,
        0xffff_fffe,
        97,
        1,
        (-0.0f64).to_bits().into(),
        0.1f32.to_bits().into(),
        0,
    ];
    let entry =
        EntryState { args: args.into_iter().map(Into::into).collect(), ..EntryState::default() };
    let double = Type::Float(FloatKind::Double);
    let old = returns(&[(double, f64::NAN.to_bits().into())]);
    let new = returns(&[(double, f64::NEG_INFINITY.to_bits().into())]);
    check(
        &example,
        &entry,
        &old,
        &new,
        expect![[r#"
            x = -2
            u = 4294967294
            c = 97 ('a')
            e = 1 (GREEN)
            d = -0.0
            g = 0.1
            p = NULL
            old: returned Some("nan") trap None exit None output []
            new: returned Some("-inf") trap None exit None output []
            [Value]"#]],
    );
    check(
        &example,
        &entry,
        &old,
        &old,
        expect![[r#"
        x = -2
        u = 4294967294
        c = 97 ('a')
        e = 1 (GREEN)
        d = -0.0
        g = 0.1
        p = NULL
        old: returned Some("nan") trap None exit None output []
        new: returned Some("nan") trap None exit None output []
        []"#]],
    );
}

#[test]
fn pointers_that_alias_share_a_name_and_only_changed_memory_is_shown() {
    let params = [
        ("p", Type::Ptr, Some("int *")),
        ("q", Type::Ptr, Some("int *")),
        ("s", Type::Ptr, Some("const char *")),
        ("t", Type::Ptr, Some("struct point *")),
    ];
    let example = example(&params, "void", &[]);
    let entry = EntryState {
        args: vec![
            Pointer::object(2).into(),
            Pointer::object(2).plus(4).into(),
            Pointer::object(0).into(),
            Pointer::object(1).into(),
        ],
        objects: vec![
            Object::new(1, b"a\"b\0".to_vec()),
            Object::new(4, ints(&[-1, 7])),
            Object::new(4, ints(&[1, 2, 3])),
        ],
        ..EntryState::default()
    };
    let left = vec![
        ObjectEnd::Untouched,
        ObjectEnd::Freed,
        ObjectEnd::Written(Contents::from(ints(&[1, 2, 4]))),
    ];
    let right = vec![ObjectEnd::Untouched, ObjectEnd::Untouched, ObjectEnd::Untouched];
    let old = Outcome { objects: left, ..returns(&[]) };
    let new = Outcome { objects: right, ..returns(&[]) };
    check(
        &example,
        &entry,
        &old,
        &new,
        expect![[r#"
            p = m0
            q = (char *)m0 + 4
            s = m1
            t = m2
              m0: int[3] {1, 2, 3} -
              m1: char[4] {97 ('a'), 34 ('"'), 98 ('b'), 0} "a\"b"
              m2: struct point {{.x = -1, .y = 7}} -
            old: returned None trap None exit None output []
              m0: int[3] {1, 2, 4} -
              m2: struct point {} - freed
            new: returned None trap None exit None output []
              m0: int[3] {1, 2, 3} -
              m2: struct point {{.x = -1, .y = 7}} -
            [Memory]"#]],
    );
}

#[test]
fn structs_in_pieces_are_put_together() {
    let params =
        [("p.coerce", Type::Int(64), Some("struct point")), ("x", Type::Int(32), Some("int"))];
    let example = example(&params, "struct point", &[Type::Int(64)]);
    let entry =
        EntryState { args: vec![0x7_ffff_ffffu128.into(), 5u128.into()], ..EntryState::default() };
    let old = returns(&[(Type::Int(64), 1)]);
    let new = returns(&[(Type::Int(64), 2 << 32)]);
    check(
        &example,
        &entry,
        &old,
        &new,
        expect![[r#"
        p = {.x = -1, .y = 7}
        x = 5
        old: returned Some("{.x = 1, .y = 0}") trap None exit None output []
        new: returned Some("{.x = 0, .y = 2}") trap None exit None output []
        [Value]"#]],
    );
}

#[test]
fn bytes_are_text_where_they_can_be_read() {
    let check = |bytes: &[u8], expected: Option<&str>| {
        assert_eq!(text::string(bytes).as_deref(), expected);
    };
    check(b"ab\0", Some(r#""ab""#));
    check(b"ab\0\0\0", Some(r#""ab""#));
    check(b"\0", Some(r#""""#));
    check(b"a\0b", Some(r#""a\0b""#));
    check(b"a\x001\0", Some(r#""a\0001""#));
    check(b"a\n\"\\\0", Some(r#""a\n\"\\""#));
    check(b"ab", None);
    check(b"a\x80\0", None);
    check(b"", None);
}

#[test]
fn a_number_in_two_registers_is_one() {
    let mut example = example(&[("x", Type::Int(32), Some("int"))], "int", &[Type::WORD; 2]);
    let types = &mut example.program.ctypes;
    types.set(example.int, int("__int128", 128, true));
    let entry = EntryState { args: vec![1u128.into()], ..EntryState::default() };
    let old = returns(&[(Type::WORD, 5), (Type::WORD, 1)]);
    let new = returns(&[(Type::WORD, u64::MAX.into()), (Type::WORD, u64::MAX.into())]);
    check(
        &example,
        &entry,
        &old,
        &new,
        expect![[r#"
        x = 1
        old: returned Some("18446744073709551621") trap None exit None output []
        new: returned Some("-1") trap None exit None output []
        [Value]"#]],
    );
}

#[test]
fn a_struct_returned_in_memory_is_a_value() {
    let params = [("agg.result", Type::Ptr, None), ("x", Type::Int(32), Some("int"))];
    let example = example(&params, "struct point", &[]);
    let entry = EntryState {
        args: vec![Pointer::object(0).into(), 5u128.into()],
        objects: vec![Object::new(4, ints(&[0, 0]))],
        ..EntryState::default()
    };
    let written = |v| vec![ObjectEnd::Written(Contents::from(ints(v)))];
    let old = Outcome { objects: written(&[1, 2]), ..returns(&[]) };
    let new = Outcome { objects: written(&[1, 3]), ..returns(&[]) };
    check(
        &example,
        &entry,
        &old,
        &new,
        expect![[r#"
        x = 5
        old: returned Some("{.x = 1, .y = 2}") trap None exit None output []
        new: returned Some("{.x = 1, .y = 3}") trap None exit None output []
        [Value]"#]],
    );
}

#[test]
fn globals_and_new_objects_are_shown_where_they_differ() {
    let mut example = example(&[("x", Type::Int(32), Some("int"))], "struct point *", &[Type::Ptr]);
    let ctypes = &mut example.program.ctypes;
    let table = ctypes.add(CType::Array { element: example.int, count: Some(3) });
    let global = |name: &str, size, ctype, bytes: Vec<u8>| Global {
        name: name.to_owned(),
        symbol: name.to_owned(),
        owner: None,
        identity: None,
        linkage: Linkage::External,
        size,
        open_ended: false,
        align: 4,
        constant: name.starts_with('.'),
        thread_local: false,
        init: Some(Init { bytes, relocations: vec![] }),
        ctype,
        loc: Loc::NONE,
    };
    example.program.globals = vec![
        global("table", 12, Some(table), ints(&[1, 2, 3])),
        global("count", 4, Some(example.int), ints(&[9])),
        global("where", 8, Some(example.point), ints(&[0, 0])),
        global(".str", 3, None, b"hi\0".to_vec()),
    ];
    let entry = EntryState {
        args: vec![0u128.into()],
        globals: vec![(GlobalId(1), Contents::from(ints(&[5])))],
        ..EntryState::default()
    };
    let fresh = |v: &[i32]| vec![FreshObject { contents: Some(Contents::from(ints(v))) }];
    let result = |target| {
        let value = Some(Pointer { target, offset: 0 }.into());
        outcome(End::Returned(vec![Returned { ty: Type::Ptr, value }]))
    };
    let old = Outcome {
        globals: vec![(GlobalId(0), Contents::from(ints(&[1, 2, 4])))],
        fresh: fresh(&[1, 2]),
        ..result(PointerTarget::Fresh(0))
    };
    let new = Outcome { fresh: fresh(&[1, 3]), ..result(PointerTarget::Fresh(0)) };
    check(
        &example,
        &entry,
        &old,
        &new,
        expect![[r#"
        x = 0
          count: int {5} -
          table: int[3] {1, 2, 3} -
        old: returned Some("fresh0") trap None exit None output []
          table: int[3] {1, 2, 4} -
          fresh0: struct point {{.x = 1, .y = 2}} -
        new: returned Some("fresh0") trap None exit None output []
          table: int[3] {1, 2, 3} -
          fresh0: struct point {{.x = 1, .y = 3}} -
        [Memory]"#]],
    );
    let literal = Outcome { fresh: vec![], ..result(PointerTarget::Global(GlobalId(3))) };
    check(
        &example,
        &entry,
        &new,
        &literal,
        expect![[r#"
        x = 0
          count: int {5} -
        old: returned Some("fresh0") trap None exit None output []
          fresh0: struct point {{.x = 1, .y = 3}} -
        new: returned Some("\"hi\"") trap None exit None output []
        [Value]"#]],
    );
}

#[test]
fn output_reads_as_calls() {
    let mut example = example(&[("x", Type::Int(32), Some("int"))], "void", &[]);
    let types = &mut example.program.ctypes;
    let pointer = types.add(CType::Pointer(example.point));
    let ctype = types.add(CType::Function {
        result: example.int,
        parameters: vec![example.int, pointer],
        variadic: false,
    });
    example.program.externals.push(External {
        name: "send".to_owned(),
        kind: ExternalKind::Function,
        signature: Signature {
            params: vec![Type::Int(32), Type::Ptr],
            results: vec![Type::Int(32)],
            variadic: false,
        },
        ctype: Some(ctype),
        no_return: false,
        by_value: vec![],
    });
    example.program.globals.push(Global {
        name: "level".to_owned(),
        symbol: "level".to_owned(),
        owner: None,
        identity: None,
        linkage: Linkage::External,
        size: 4,
        open_ended: false,
        align: 4,
        constant: false,
        thread_local: false,
        init: None,
        ctype: Some(example.int),
        loc: Loc::NONE,
    });
    let call = |name: &str, args: Vec<verdiff_model::state::Value>, payloads, effect| Event::Call {
        name: name.to_owned(),
        args,
        payloads,
        effect,
    };
    let payload =
        |arg, bytes: &[u8]| vec![Payload { arg, contents: Contents::from(bytes.to_vec()) }];
    let effect = Effect {
        returned: None,
        call: 77,
        results: vec![0xffff_ffff],
        fills: vec![Fill { arg: 1, offset: 4, bytes: vec![1, 255] }],
        writes: vec![
            Write { symbol: "level".to_owned(), offset: 0, bytes: ints(&[-2]) },
            Write { symbol: "level".to_owned(), offset: 1, bytes: vec![7] },
        ],
    };
    let stdout = Pointer { target: PointerTarget::Fresh(0), offset: 0 };
    let events = vec![
        call("puts", vec![], payload(0, b"a\n\x01"), None),
        call("fputs", vec![stdout.into()], payload(0, b"b"), None),
        call("putchar", vec![10u128.into()], vec![], None),
        call("send", vec![3u128.into(), stdout.into()], payload(1, &ints(&[4, 5])), Some(effect)),
        Event::VolatileWrite { address: stdout.into(), value: 3, bytes: 4 },
    ];
    let entry = EntryState { args: vec![0u128.into()], ..EntryState::default() };
    let world = |events: Vec<Event>, hash| World { count: events.len() as u64, events, hash };
    let old = Outcome { world: world(events.clone(), 1), ..outcome(End::Exited(0)) };
    let new = Outcome { world: world(events[..1].to_vec(), 2), ..outcome(End::Exited(3)) };
    check(
        &example,
        &entry,
        &old,
        &new,
        expect![[r#"
        x = 0
        send -> Some("-1") [ArgumentWrite { argument: 1, offset: 4, bytes: "01ff" }] level+0 = feffffff Some("-2") level+1 = 07 None
        old: returned None trap None exit Some(0) output ["puts(\"a\\n\\1\")", "fputs(\"b\", fresh0)", "putchar('\\n')", "send(3, fresh0 -> {.x = 4, .y = 5})", "volatile write of 3 (4 bytes) at fresh0"]
        new: returned None trap None exit Some(3) output ["puts(\"a\\n\\1\")"]
        [Output]"#]],
    );
}

#[test]
fn every_kind_of_difference_is_named() {
    let example = example(&[("x", Type::Int(32), Some("int"))], "int", &[Type::Int(32)]);
    let comparison = comparison(&example);
    let entry = EntryState {
        args: vec![1u128.into()],
        objects: vec![Object::new(4, ints(&[1]))],
        ..EntryState::default()
    };
    let check = |old: &Outcome, new: &Outcome, expected: &[Kind]| {
        let pair = PairId(0);
        assert_eq!(kinds(&comparison, pair, &entry, &entry, old, new), expected);
        assert_eq!(kinds(&comparison, pair, &entry, &entry, new, old), expected, "mirrored");
    };
    let four = || Outcome { objects: vec![ObjectEnd::Untouched], ..returns(&[(Type::Int(32), 4)]) };
    let five = Outcome { objects: vec![ObjectEnd::Untouched], ..returns(&[(Type::Int(32), 5)]) };
    let trap = |trap| outcome(End::Trapped { trap, procedure: ProcId(0), loc: Loc::NONE });
    let loud = World { events: vec![], count: 5000, hash: 3 };
    let link = Link { offset: 0, to: Pointer::NULL };
    let wrote = |bytes: &[u8]| {
        vec![ObjectEnd::Written(Contents { pointers: vec![link], ..bytes.to_vec().into() })]
    };
    check(&four(), &four(), &[]);
    check(&four(), &five, &[Kind::Value]);
    check(&four(), &Outcome { objects: wrote(&[1, 0, 0, 0]), ..four() }, &[Kind::Memory]);
    check(&four(), &Outcome { objects: wrote(&[2]), ..five.clone() }, &[Kind::Value, Kind::Memory]);
    check(&four(), &Outcome { world: loud.clone(), ..four() }, &[Kind::Output]);
    check(&four(), &trap(Trap::Abort), &[Kind::Trap]);
    check(&trap(Trap::NullAccess), &trap(Trap::Abort), &[Kind::Trap]);
    check(&trap(Trap::Abort), &trap(Trap::Abort), &[]);
    check(&Outcome { world: loud, ..trap(Trap::Abort) }, &trap(Trap::Abort), &[Kind::Output]);
    check(&outcome(End::Exited(0)), &outcome(End::Exited(1)), &[Kind::Output]);
    check(&four(), &outcome(End::Exited(0)), &[Kind::Output]);
    check(&outcome(End::Exited(0)), &trap(Trap::Abort), &[Kind::Trap]);
    check(&four(), &outcome(End::OutOfSteps), &[Kind::Termination]);
    check(&outcome(End::OutOfSteps), &outcome(End::OutOfSteps), &[]);
    let uninitialised = Contents { unset: std::iter::once(3..4).collect(), ..ints(&[1]).into() };
    let weaker = vec![ObjectEnd::Written(uninitialised)];
    check(&four(), &Outcome { objects: weaker.clone(), ..four() }, &[Kind::Memory]);
    check(&four(), &Outcome { objects: weaker, ..five }, &[Kind::Value]);
}
