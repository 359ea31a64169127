//! What outlining makes of a region, as text.

use crate::graph_support;

use expect_test::{Expect, expect};
use graph_support::{blocks, program, var};
use verdiff_model::outline::{
    Exit, Input, OutlineError, Output, Region, loops_to_recursion, outline,
};
use verdiff_model::*;

fn check_loops(text: &str, expect: Expect) -> Vec<outline::Outlined> {
    let mut p = program(text);
    let done = loops_to_recursion(&mut p, ProcId(0)).expect("it can be done");
    if let Err(problems) = validate(&p) {
        panic!("{}\n{}", problems[0].describe(&p), print::program(&p));
    }
    for id in p.procedure_ids() {
        let flow = graph::Flow::of(p.procedure(id));
        assert!(graph::Loops::of(&flow, &graph::DominatorTree::of(&flow)).is_empty());
    }
    expect.assert_eq(&print::program(&p));
    done
}

const SUM: &str = "
sum(n, p)
b0
  i = 0
  s = 0
  goto b1
b1
  if i < n b2 b4
b2
  t1 = [p + 0]
  if t1 == 0 b3 b5
b3
  s = s + t1
  i = i + 1
  goto b1
b4
  return s
b5
  return i
";

#[test]
fn a_loop_with_two_exits() {
    let done = check_loops(
        SUM,
        expect![[r#"
            int sum(int n, void *p)  // a.c:2
            {
                int i;
                int s;
                int t1;

                i = 0;
                s = 0;
                (t1, i, s) = sum.loop1(n, p, i, s);
                switch (t1) {
                case 0: goto b2;
                default: goto b3;
                }
            b2:  // b4, line 17
                return s;
            b3:  // b5, line 19
                return i;
            }

            static (int, int, int) sum.loop1(int n, void *p, int i, int s)  // a.c:8
            {
                int t1;
                int t2;
                int t3;
                int t4;

                if (i >= n) goto b3;
                t1 = *(int *)p;
                if (t1 != 0) goto b4;
                s = s + t1;
                i = i + 1;
                goto b5;
            b3:  // exit, line 8
                return (0, 0, s);
            b4:  // exit, line 8
                return (1, i, 0);
            b5:  // again, line 8
                (t2, t3, t4) = sum.loop1(n, p, i, s);
                return (t2, t3, t4);
            }
        "#]],
    );
    let l = &done[0];
    let p = program(SUM).procedures.remove(0);
    assert_eq!(l.procedure, ProcId(1));
    assert_eq!(l.call_block, BlockId(1));
    assert_eq!(l.exits, [Exit::Block(BlockId(4)), Exit::Block(BlockId(5))]);
    assert_eq!(l.params, ["n", "p", "i", "s"].map(|name| Input::Var(var(&p, name))));
    let (i, s) = (Output::Var(var(&p, "i")), Output::Var(var(&p, "s")));
    assert_eq!(l.results, [Output::ExitCode, i, s]);
    assert_eq!(l.parent_blocks[4], Some(BlockId(2)));
    assert_eq!(l.parent_blocks[2], None);
}

#[test]
fn nested_loops_and_local_objects() {
    let done = check_loops(
        "
f(n)
b0
  i = 0
  s = 0
  goto b1
b1
  if i < n b2 b6
b2
  j = 0
  goto b3
b3
  if j < i b4 b5
b4
  t1 = [&buf + 4]
  s = s + t1
  j = j + 1
  check s != 7
  if s == 9 b7 b3
b5
  i = i + 1
  goto b1
b6
  return s
b7
  trap
",
        expect![[r#"
            int f(int n)  // a.c:2
            {
                int i;
                int s;
                char buf[16];  /* memory */

                i = 0;
                s = 0;
                s = f.loop1(n, i, s, buf);
                return s;
            }

            static int f.loop1(int n, int i, int s, void *buf)  // a.c:8
            {
                int j;
                int t1;

                if (i >= n) goto b4;
                j = 0;
                s = f.loop2(i, s, buf, j);
                i = i + 1;
                goto b5;
            b4:  // exit, line 8
                return s;
            b5:  // again, line 8
                t1 = f.loop1(n, i, s, buf);
                return t1;
            }

            static int f.loop2(int i, int s, void *buf, int j)  // a.c:13
            {
                int t1;
                int t2;

                if (j >= i) goto b3;
                t1 = *(int *)((char *)buf + 4);
                s = s + t1;
                j = j + 1;
                check s != 7 else division by zero;
                if (s != 9) goto b4;
                trap(abort);
            b3:  // exit, line 13
                return s;
            b4:  // again, line 13
                t2 = f.loop2(i, s, buf, j);
                return t2;
            }
        "#]],
    );
    assert_eq!(done.len(), 2);
    assert_eq!(done[1].parent, done[0].procedure, "the inner loop is cut out of the outer one's");
}

#[test]
fn endless_loops_and_variables_without_a_value() {
    check_loops(
        "
f(n)
b0
  if n < 3 b1 b3
b1
  checkinit x
  x = x + n
  n = n + 1
  if x < n b2 b1
b2
  goto b2
b3
  return n
",
        expect![[r#"
            int f(int n)  // a.c:2
            {
                int x;

                if (n >= 3) goto b3;
                f.loop1(n, x);
                f.loop2();
                trap(unreachable);
            b3:  // line 13
                return n;
            }

            static void f.loop1(int n, int x)  // a.c:6
            {
                check x is set else uninitialised read;
                x = x + n;
                n = n + 1;
                if (x >= n) goto b2;
                return;
            b2:  // again, line 6
                f.loop1(n, x);
                return;
            }

            static void f.loop2(void)  // a.c:11
            {
                f.loop2();
                return;
            }
        "#]],
    );
}

#[test]
fn a_region_with_a_return_in_it() {
    let mut p = program(SUM);
    let region = Region { entry: BlockId(1), blocks: blocks(&[1, 2, 3, 4]) };
    let l = outline(&mut p, ProcId(0), &region, "part").expect("it has one entry");
    assert_eq!(validate(&p), Ok(()));
    assert_eq!(l.exits, [Exit::Block(BlockId(5)), Exit::Return]);
    expect![[r#"
        int sum(int n, void *p)  // a.c:2
        {
            int i;
            int s;
            int t1;
            int t2;

            i = 0;
            s = 0;
            (t1, t2, i) = sum.part(n, p, i, s);
            switch (t1) {
            case 0: goto b2;
            default: goto b3;
            }
        b2:  // b5, line 19
            return i;
        b3:  // return, line 8
            return t2;
        }

        static (int, int, int) sum.part(int n, void *p, int i, int s)  // a.c:8
        {
            int t1;

        b1:  // line 8
            if (i >= n) goto b4;
            t1 = *(int *)p;
            if (t1 != 0) goto b5;
            s = s + t1;
            i = i + 1;
            goto b1;
        b4:  // line 17
            return (1, s, 0);
        b5:  // exit, line 8
            return (0, 0, i);
        }
    "#]]
    .assert_eq(&print::program(&p));
}

#[test]
fn a_whole_procedure() {
    let mut p = program(SUM);
    let region = Region { entry: BlockId(0), blocks: blocks(&[0, 1, 2, 3, 4, 5]) };
    let l = outline(&mut p, ProcId(0), &region, "all").expect("it has one entry");
    assert_eq!(validate(&p), Ok(()));
    assert_eq!(l.exits, [Exit::Return]);
    expect![[r#"
        int sum(int n, void *p)  // a.c:2
        {
            int t1;

            t1 = sum.all(n, p);
            return t1;
        }
    "#]]
    .assert_eq(&print::procedure(&p, ProcId(0)));
    let again =
        outline(&mut p, ProcId(0), &Region { entry: BlockId(0), blocks: blocks(&[0]) }, "all");
    let again = again.expect("once more").procedure;
    assert_eq!(p.procedure(again).name, "sum.all_2");
}

#[test]
fn regions_that_are_none() {
    let mut p = program(SUM);
    let before = p.clone();
    let mut refused = |entry: u32, list: &[u32]| {
        let region = Region { entry: BlockId(entry), blocks: blocks(list) };
        outline(&mut p, ProcId(0), &region, "part").expect_err("it is no region")
    };
    let side = OutlineError::SideEntry { from: BlockId(0), to: BlockId(1) };
    assert_eq!(refused(2, &[1, 2, 3]), side);
    assert_eq!(refused(1, &[2, 3]), OutlineError::Entry(BlockId(1)));
    assert_eq!(refused(1, &[0, 1]), OutlineError::Entry(BlockId(1)));
    assert_eq!(refused(1, &[1, 9]), OutlineError::NoBlock(BlockId(9)));
    assert_eq!(p, before);
}

/// `sum` with a variable-length array, ended where `ended` says.
fn with_stack_memory(ended: &[(usize, usize)]) -> Program {
    let mut p = program(SUM);
    let body = &mut p.procedures[0];
    let mut pointer = |name: &str| {
        let (ty, kind) = (Type::Ptr, VarKind::Temporary);
        body.add_var(Var { name: name.to_owned(), ty, ctype: None, kind })
    };
    let (token, saved, array) = (pointer("token"), pointer("saved"), pointer("array"));
    let stmt = |kind| Stmt { kind, loc: Loc::NONE };
    body.blocks[2].stmts.splice(
        0..0,
        [
            stmt(StmtKind::SaveStack { dst: token }),
            stmt(StmtKind::Assign { dst: saved, value: Expr::Var(token) }),
            stmt(StmtKind::Alloc { dst: array, size: Expr::int(64, 8), align: 8 }),
        ],
    );
    for (block, at) in ended {
        let end = stmt(StmtKind::RestoreStack { token: Expr::Var(saved) });
        body.blocks[*block].stmts.insert(*at, end);
    }
    validate(&p).expect("well-formed");
    p
}

#[test]
fn stack_memory_must_end_in_the_region() {
    let place = OutlineError::StackMemory { block: BlockId(2), statement: 2 };
    let loops = |ended: &[(usize, usize)]| {
        let mut p = with_stack_memory(ended);
        let before = p.clone();
        let result = loops_to_recursion(&mut p, ProcId(0));
        match &result {
            Ok(_) => assert_eq!(validate(&p), Ok(())),
            Err(_) => assert_eq!(p, before),
        }
        result.map(|done| done.len())
    };
    assert_eq!(loops(&[]), Err(place.clone()));
    // Ended at the end of block 2, before either way on.
    assert_eq!(loops(&[(2, 4)]), Ok(1));
    // Ended on the way to the next iteration only.
    assert_eq!(loops(&[(3, 0)]), Err(place));
    // Ended there and on the way out, in a block that only the loop leads to.
    assert_eq!(loops(&[(3, 0), (5, 0)]), Ok(1));
}

#[test]
fn no_token_for_stack_memory_leaves_a_region() {
    let mut p = with_stack_memory(&[(3, 0), (5, 0)]);
    let region = Region { entry: BlockId(1), blocks: blocks(&[1, 2, 3]) };
    let error = outline(&mut p, ProcId(0), &region, "part").expect_err("the token leaves");
    assert_eq!(error, OutlineError::StackMemory { block: BlockId(2), statement: 0 });
}

#[test]
fn a_procedure_with_thousands_of_loops() {
    let mut text = String::from("\nf(n)\nb0\n  i = 0\n  s = 0\n  goto l0\n");
    for i in 0..2_000 {
        text += &format!(
            "l{i}\n  if i < n m{i} e{i}\nm{i}\n  s = s + i\n  goto o{i}\no{i}\n  i = i + 1\n  goto l{i}\n\
             e{i}\n  i = 0\n  goto l{}\n",
            i + 1
        );
    }
    text += "l2000\n  return s\n";
    let mut p = program(&text);
    let start = std::time::Instant::now();
    assert_eq!(loops_to_recursion(&mut p, ProcId(0)).expect("it can be done").len(), 2_000);
    assert_eq!(validate(&p), Ok(()));
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}
