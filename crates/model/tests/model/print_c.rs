//! The printer on code as the lowering makes it, with C types.

use crate::graph_support;

use expect_test::{Expect, expect};
use graph_support::{empty_procedure, program};
use verdiff_model::*;

/// A program under construction with the C types that the tests use.
struct Build {
    program: Program,
    p: Procedure,
    int: CTypeId,
    unsigned: CTypeId,
    uchar: CTypeId,
    long: CTypeId,
    node_ptr: CTypeId,
    char_ptr: CTypeId,
    int_ptr: CTypeId,
}

impl Build {
    fn new() -> Build {
        let mut program = Program { files: vec!["a.c".to_owned()], ..Program::default() };
        let types = &mut program.ctypes;
        let mut integer = |name: &str, width, signed| {
            types.add(CType::Int { name: name.to_owned(), width, signed })
        };
        let int = integer("int", 32, true);
        let unsigned = integer("unsigned int", 32, false);
        let char = integer("char", 8, true);
        let uchar = integer("unsigned char", 8, false);
        let long = integer("long", 64, true);
        let short = integer("short", 16, true);
        let node = types.add(CType::Void);
        let node_ptr = types.add(CType::Pointer(node));
        let char_ptr = types.add(CType::Pointer(char));
        let int_ptr = types.add(CType::Pointer(int));
        let buf = types.add(CType::Array { element: char, count: Some(8) });
        let record = |name: &str, union, size, fields: Vec<(&str, CTypeId, u64)>| CType::Record {
            name: name.to_owned(),
            union,
            size,
            fields: fields
                .into_iter()
                .map(|(name, ctype, offset)| CField {
                    name: name.to_owned(),
                    ctype,
                    offset_bits: 8 * offset,
                    bit_width: None,
                })
                .collect(),
        };
        let pos = types.add(record("pos", false, 4, vec![("x", short, 0), ("y", short, 2)]));
        let either = types.add(record("", true, 8, vec![("i", long, 0), ("p", char_ptr, 0)]));
        types.set(
            node,
            record(
                "node",
                false,
                48,
                vec![
                    ("len", int, 0),
                    ("next", node_ptr, 8),
                    ("buf", buf, 16),
                    ("at", pos, 24),
                    ("", either, 32),
                ],
            ),
        );
        let p = empty_procedure("f");
        Build { program, p, int, unsigned, uchar, long, node_ptr, char_ptr, int_ptr }
    }

    fn var(&mut self, name: &str, ctype: CTypeId) -> VarId {
        let ty = match self.program.ctypes.get(ctype) {
            CType::Int { width, .. } => Type::Int(*width),
            _ => Type::Ptr,
        };
        let kind = VarKind::Local;
        self.p.add_var(Var { name: name.to_owned(), ty, ctype: Some(ctype), kind })
    }

    fn param(&mut self, name: &str, ctype: CTypeId) -> VarId {
        let v = self.var(name, ctype);
        self.p.vars[v.index()].kind = VarKind::Parameter;
        self.p.params.push(v);
        v
    }

    fn global(&mut self, name: &str, size: u64, ctype: Option<CTypeId>, bytes: &[u8]) -> Expr {
        self.program.globals.push(Global {
            name: name.to_owned(),
            symbol: name.to_owned(),
            owner: None,
            identity: None,
            linkage: Linkage::Internal,
            size,
            open_ended: false,
            align: 8,
            constant: true,
            thread_local: false,
            init: Some(Init { bytes: bytes.to_vec(), relocations: vec![] }),
            ctype,
            loc: Loc::NONE,
        });
        Expr::Address(Address::Global(GlobalId::new(self.program.globals.len() - 1)))
    }

    fn check(mut self, stmts: Vec<StmtKind>, expect: Expect) {
        let loc = Loc { file: FileId(0), line: 3, column: 1 };
        let stmts = stmts.into_iter().map(|kind| Stmt { kind, loc }).collect();
        let end = Terminator { kind: TerminatorKind::Return(vec![]), loc };
        self.p.blocks.push(Block { label: "entry".to_owned(), stmts, end });
        self.program.procedures.push(self.p);
        if let Err(problems) = validate(&self.program) {
            panic!("{}", problems[0].describe(&self.program));
        }
        expect.assert_eq(&print::program(&self.program));
    }
}

fn add(base: Expr, offset: Expr) -> Expr {
    Expr::binary(BinaryOp::PtrAdd, base, offset)
}

fn at(base: VarId, offset: i64) -> Expr {
    add(Expr::Var(base), Expr::int(64, offset as u128))
}

fn index(i: VarId, scale: u128) -> Expr {
    let wide = Expr::unary(UnaryOp::SignExtend, Type::WORD, Expr::Var(i));
    Expr::binary(BinaryOp::Mul, wide, Expr::int(64, scale))
}

fn load(dst: VarId, addr: Expr) -> StmtKind {
    StmtKind::Load { dst, addr, align: 1, access: Access::Plain }
}

fn store(addr: Expr, value: Expr) -> StmtKind {
    StmtKind::Store { addr, value, align: 1, access: Access::Plain }
}

fn set(dst: VarId, value: Expr) -> StmtKind {
    StmtKind::Assign { dst, value }
}

#[test]
fn access_paths() {
    let mut b = Build::new();
    let (p, q) = (b.param("p", b.node_ptr), b.param("q", b.int_ptr));
    let (s, i) = (b.param("s", b.char_ptr), b.param("i", b.int));
    let (n, l) = (b.var("n", b.int), b.var("l", b.long));
    let next = b.var("next", b.node_ptr);
    let c = b.var("c", b.uchar);
    let table = b.program.ctypes.add(CType::Array { element: b.int, count: Some(4) });
    let table = b.global("table", 16, Some(table), &[1, 0, 0, 0]);
    let text = b.global(".str", 6, None, b"a\"b\n\x07");
    let buf = b.program.ctypes.add(CType::Array { element: b.int, count: Some(4) });
    b.p.locals.push(Local {
        name: "i".to_owned(),
        size: 16,
        align: 4,
        ctype: Some(buf),
        loc: Loc::NONE,
    });
    let buf = || Expr::Address(Address::Local(LocalId(0)));
    let masked = |scale| {
        let low = Expr::binary(BinaryOp::And, Expr::Var(i), Expr::int(32, 3));
        let wide = Expr::unary(UnaryOp::SignExtend, Type::WORD, low);
        Expr::binary(BinaryOp::Mul, wide, Expr::int(64, scale))
    };
    let plus = |e, n| add(e, Expr::int(64, n));
    let stmts = vec![
        load(n, Expr::Var(p)),
        load(next, at(p, 8)),
        load(c, add(at(p, 16), Expr::unary(UnaryOp::SignExtend, Type::WORD, Expr::Var(i)))),
        load(c, at(p, 18)),
        store(at(p, 26), Expr::int(16, 7)),
        load(next, at(p, 48 + 8)),
        load(next, at(p, -40)),
        load(next, add(add(Expr::Var(p), index(i, 48)), Expr::int(64, 8))),
        load(l, at(p, 32)),
        load(s, at(p, 32)),
        load(n, Expr::Var(q)),
        load(n, at(q, 4)),
        load(n, add(Expr::Var(q), index(i, 4))),
        store(add(add(Expr::Var(q), index(i, 4)), Expr::int(64, u128::MAX - 3)), Expr::int(32, 0)),
        load(n, add(table.clone(), index(i, 4))),
        load(n, add(table.clone(), masked(4))),
        load(n, plus(table, 8)),
        load(n, plus(buf(), 8)),
        load(n, Expr::Var(s)),
        load(n, at(p, 6)),
        load(l, at(q, 3)),
        set(s, at(p, 16)),
        set(s, text.clone()),
        set(s, plus(text, 1)),
        set(s, at(s, 1)),
        set(q, at(q, -4)),
        set(q, add(Expr::Var(q), masked(4))),
        set(q, buf()),
        set(q, plus(buf(), 4)),
        set(next, at(p, 8)),
        set(next, at(p, 4)),
        StmtKind::Copy {
            dst: Expr::Var(p),
            src: Expr::Var(next),
            len: Expr::int(64, 48),
            align: 8,
            access: Access::Plain,
        },
        StmtKind::Copy {
            dst: at(p, 24),
            src: add(add(Expr::Var(p), index(i, 48)), Expr::int(64, 24)),
            len: Expr::int(64, 4),
            align: 2,
            access: Access::Plain,
        },
        StmtKind::Copy {
            dst: Expr::Var(s),
            src: buf(),
            len: Expr::unary(UnaryOp::SignExtend, Type::WORD, Expr::Var(n)),
            align: 1,
            access: Access::Plain,
        },
    ];
    b.check(
        stmts,
        expect![[r#"
            static int table[4];

            void f(struct node *p, int *q, char *s, int i)  // a.c:1
            {
                int n;
                long l;
                struct node *next;
                unsigned char c;
                int i_2[4];  /* memory */

                n = p->len;
                next = p->next;
                c = p->buf[i];
                c = p->buf[2];
                p->at.y = 7;
                next = p[1].next;
                next = p[-1].next;
                next = p[i].next;
                l = p->i;
                s = p->p;
                n = *q;
                n = q[1];
                n = q[i];
                q[i - 1] = 0;
                n = table[i];
                n = table[i & 3];
                n = table[2];
                n = i_2[2];
                n = *(int *)s;
                n = *(int *)((char *)p + 6);
                l = *(long *)((char *)q + 3);
                s = p->buf;
                s = "a\"b\n\007";
                s = "a\"b\n\007" + 1;
                s = s + 1;
                q = q - 1;
                q = q + (i & 3);
                q = i_2;
                q = &i_2[1];
                next = &p->next;
                next = (char *)p + 4;
                *p = *next;
                p->at = p[i].at;
                memmove(s, i_2, n);
                return;
            }
        "#]],
    );
}

#[test]
fn signs_and_casts() {
    use BinaryOp::*;
    use UnaryOp::*;
    let mut b = Build::new();
    let (i, j) = (b.param("i", b.int), b.param("j", b.int));
    let (u, c) = (b.param("u", b.unsigned), b.param("c", b.uchar));
    let (l, r) = (b.var("l", b.long), b.var("r", b.int));
    let (i_, j_, u_) = (|| Expr::Var(i), || Expr::Var(j), || Expr::Var(u));
    let c_ = || Expr::unary(ZeroExtend, Type::Int(32), Expr::Var(c));
    let int = |n: i64| Expr::int(32, n as u128);
    let truth = |e: Expr| set(r, Expr::unary(ZeroExtend, Type::Int(32), e));
    let bin = Expr::binary;
    let stmts = vec![
        truth(bin(Slt, i_(), j_())),
        truth(bin(Ult, i_(), j_())),
        truth(bin(Ult, u_(), i_())),
        truth(bin(Slt, u_(), int(-1))),
        truth(bin(Ugt, u_(), int(-1))),
        truth(bin(Uge, i_(), int(-1))),
        truth(bin(Slt, c_(), int(5))),
        truth(bin(And, bin(Slt, i_(), j_()), bin(Ne, bin(And, i_(), int(255)), int(0)))),
        truth(bin(Or, bin(Eq, i_(), j_()), bin(And, bin(Eq, i_(), int(0)), bin(Eq, j_(), int(0))))),
        set(r, bin(SDiv, i_(), bin(Mul, j_(), int(2)))),
        set(r, bin(UDiv, i_(), int(2))),
        set(r, bin(Sub, i_(), bin(Sub, j_(), int(1)))),
        set(r, bin(Add, bin(Mul, i_(), j_()), int(-3))),
        set(r, bin(AShr, u_(), int(3))),
        set(r, bin(LShr, bin(Add, i_(), j_()), int(3))),
        set(r, bin(LShr, u_(), int(3))),
        set(r, Expr::unary(Neg, Type::Int(32), Expr::unary(Neg, Type::Int(32), i_()))),
        set(r, Expr::unary(Neg, Type::Int(32), int(-2))),
        set(l, Expr::unary(SignExtend, Type::WORD, i_())),
        set(l, Expr::unary(ZeroExtend, Type::WORD, i_())),
        set(l, Expr::unary(ZeroExtend, Type::WORD, u_())),
        set(l, bin(Mul, Expr::unary(SignExtend, Type::WORD, i_()), Expr::Var(l))),
        set(l, bin(Mul, Expr::unary(ZeroExtend, Type::WORD, i_()), Expr::Var(l))),
        set(c, Expr::unary(Truncate, Type::Int(8), bin(Add, c_(), int(1)))),
        set(r, Expr::unary(SignExtend, Type::Int(32), Expr::unary(Truncate, Type::Int(8), i_()))),
        set(r, Expr::unary(ZeroExtend, Type::Int(32), Expr::unary(Truncate, Type::Int(8), i_()))),
        set(r, Expr::select(bin(Slt, i_(), j_()), i_(), bin(Or, j_(), int(16)))),
        set(r, Expr::unary(PopCount, Type::Int(32), bin(Xor, i_(), j_()))),
        set(r, bin(Add, Expr::unary(ZeroExtend, Type::Int(32), bin(Slt, i_(), j_())), int(1))),
        truth(Expr::unary(Not, Type::BOOL, Expr::unary(Truncate, Type::BOOL, i_()))),
        set(
            l,
            Expr::unary(
                FToSigned,
                Type::WORD,
                bin(
                    FMul,
                    Expr::unary(SignedToF, Type::Float(FloatKind::Double), i_()),
                    Expr::Const(Const::new(
                        Type::Float(FloatKind::Double),
                        1.5f64.to_bits().into(),
                    )),
                ),
            ),
        ),
        truth(bin(
            FUlt,
            Expr::unary(UnsignedToF, Type::Float(FloatKind::X87), i_()),
            Expr::Const(Const::new(Type::Float(FloatKind::X87), 0x4000_c000_0000_0000_0000)),
        )),
        StmtKind::Check { cond: bin(Ne, j_(), int(0)), trap: Trap::DivisionByZero },
        StmtKind::CheckInit { var: r },
    ];
    b.check(
        stmts,
        expect![[r#"
            void f(int i, int j, unsigned int u, unsigned char c)  // a.c:1
            {
                long l;
                int r;

                r = i < j;
                r = (unsigned)i < j;
                r = u < i;
                r = (int)u < -1;
                r = u > 4294967295u;
                r = (unsigned)i >= 4294967295u;
                r = c < 5;
                r = i < j && (i & 0xff) != 0;
                r = i == j || i == 0 && j == 0;
                r = i / (j * 2);
                r = (unsigned)i / 2;
                r = i - (j - 1);
                r = i * j - 3;
                r = (int)u >> 3;
                r = (unsigned)(i + j) >> 3;
                r = u >> 3;
                r = - -i;
                r = - -2;
                l = i;
                l = (unsigned long)(unsigned)i;
                l = u;
                l = (long)i * l;
                l = (unsigned long)(unsigned)i * l;
                c = c + 1;
                r = (char)i;
                r = (unsigned char)i;
                r = i < j ? i : j | 0x10;
                r = popcount(i ^ j);
                r = (i < j) + 1;
                r = !(i & 1);
                l = (long)((double)i * 1.5);
                r = !((long double)(unsigned)i >= 3.0L);
                check j != 0 else division by zero;
                check r is set else uninitialised read;
                return;
            }
        "#]],
    );
}

const CODE: &str = "
f(n, p)
b0
  i = 0
  goto b1
b1
  if i < n b2 b4
b2
  check n != 0
  t1 = [p + 4]
  [&buf + 8] = t1
  x = g(t1, i)
  put(x)
  switch x 1:b3 2:b3 3:b5 b4
b3
  i = i + 1
  goto b1
b4
  return i
b5
  trap
g(a, b)
b0
  return a
";

#[test]
fn control_flow() {
    let mut p = program(CODE);
    // Two variables of one name.
    let x = p.procedures[0].vars.iter().position(|v| v.name == "x").expect("it is there");
    p.procedures[0].vars[x].name = "i".to_owned();
    expect![[r#"
        int f(int n, void *p)  // a.c:2
        {
            int i;
            int t1;
            int i_2;
            char buf[16];  /* memory */

            i = 0;
        b1:  // line 7
            if (i >= n) goto b4;
            check n != 0 else division by zero;
            t1 = *(int *)((char *)p + 4);
            *(int *)(buf + 8) = t1;
            i_2 = g(t1, i);
            put(i_2);
            switch (i_2) {
            case 1: case 2: goto b3;
            case 3: goto b5;
            default: goto b4;
            }
        b3:  // line 16
            i = i + 1;
            goto b1;
        b4:  // line 19
            return i;
        b5:  // line 21
            trap(abort);
        }

        int g(int a, int b)  // a.c:22
        {
            return a;
        }
    "#]]
    .assert_eq(&print::program(&p));
}

#[test]
fn dot() {
    let p = program(CODE);
    expect![[r#"
        digraph calls {
            node [shape=box, fontname=monospace];
            p0 [label="f"];
            p1 [label="g"];
            x0 [label="put", shape=ellipse];
            p0 -> p1;
            p0 -> x0;
        }
    "#]]
    .assert_eq(&print::dot::call_graph(&p));
    expect![[r#"
        digraph "f" {
            node [shape=box, fontname=monospace];
            b0 [label="b0:\li = 0;\l"];
            b1 [label="b1:\lif (i < n)\l"];
            b2 [label="b2:\lcheck n != 0 else division by zero;\lt1 = *(int *)((char *)p + 4);\l*(int *)(buf + 8) = t1;\lx = g(t1, i);\lput(x);\lswitch (x)\l"];
            b3 [label="b3:\li = i + 1;\l"];
            b4 [label="b4:\lreturn i;\l"];
            b5 [label="b5:\ltrap(abort);\l"];
            b0 -> b1;
            b1 -> b2 [label="true"];
            b1 -> b4 [label="false"];
            b2 -> b3 [label="1, 2"];
            b2 -> b4 [label="default"];
            b2 -> b5 [label="3"];
            b3 -> b1;
        }
    "#]].assert_eq(&print::dot::control_flow(&p, ProcId(0)));
}

#[test]
fn summary() {
    let mut p = program(CODE);
    let mut other = empty_procedure("varargs");
    let loc = Loc { file: FileId(0), line: 40, column: 3 };
    other.unsupported.push(Unsupported::new("va_arg", loc));
    p.procedures.push(other);
    expect![[r#"
        int f(int n, void *p)  // a.c:2
            loop at line 7
            calls g, put
        int g(int a, int b)  // a.c:22
        void varargs(void)  // a.c:1
            unsupported: va_arg at a.c:40
            1 calls through pointers
    "#]]
    .assert_eq(&print::overview(&p));
    let json = serde_json::to_string_pretty(&print::Summary::of(&p)).expect("it serialises");
    expect![[r#"
        {
          "schema": "verdiff-model/1",
          "procedures": [
            {
              "name": "f",
              "file": "a.c",
              "line": 2,
              "loops": 1,
              "calls": [
                "g",
                "put"
              ],
              "unsupported": null
            },
            {
              "name": "g",
              "file": "a.c",
              "line": 22,
              "loops": 0,
              "calls": [],
              "unsupported": null
            },
            {
              "name": "varargs",
              "file": "a.c",
              "line": 1,
              "loops": 0,
              "calls": [],
              "unsupported": {
                "construct": "va_arg",
                "file": "a.c",
                "line": 40
              }
            }
          ]
        }"#]]
    .assert_eq(&json);
    expect![[r#"
        void varargs(void)  // a.c:1
            // unsupported: va_arg at a.c:40
    "#]]
    .assert_eq(&print::procedure(&p, ProcId(2)));
}
