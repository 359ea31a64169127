//! Dominators, loops, irreducible regions: on small graphs against their definitions.

use crate::graph_support;

use graph_support::{blocks, empty_procedure, procedure};
use verdiff_model::graph::reducible::{make_reducible, make_reducible_within};
use verdiff_model::graph::{DominatorTree, Flow, Loops};
use verdiff_model::*;

/// A procedure that consists of edges only.
fn shape(edges: &[Vec<u32>]) -> Procedure {
    let mut p = empty_procedure("f");
    for targets in edges {
        let targets = blocks(targets);
        let kind = match targets[..] {
            [] => TerminatorKind::Return(vec![]),
            [only] => TerminatorKind::Goto(only),
            [.., last] => TerminatorKind::Switch {
                value: Expr::int(32, 0),
                cases: targets.iter().enumerate().map(|(i, b)| (i as u128, *b)).collect(),
                default: last,
            },
        };
        p.blocks.push(Block {
            label: String::new(),
            stmts: vec![],
            end: Terminator { kind, loc: Loc::NONE },
        });
    }
    p
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

fn random_shape(random: &mut Random) -> Procedure {
    let count = 2 + random.below(9);
    let edges: Vec<Vec<u32>> = (0..count)
        .map(|_| (0..random.below(4)).map(|_| 1 + random.below(count - 1) as u32).collect())
        .collect();
    shape(&edges)
}

/// The blocks reached from `from` without entering `without`.
fn reach(flow: &Flow, from: BlockId, without: Option<BlockId>) -> Vec<bool> {
    let mut seen = vec![false; flow.len()];
    let mut work = vec![from];
    while let Some(b) = work.pop() {
        if Some(b) != without && !std::mem::replace(&mut seen[b.index()], true) {
            work.extend(flow.successors(b));
        }
    }
    seen
}

#[test]
fn dominators_are_what_their_definition_says() {
    let mut random = Random(1);
    for _ in 0..2_000 {
        let p = random_shape(&mut random);
        let flow = Flow::of(&p);
        let tree = DominatorTree::of(&flow);
        for a in p.block_ids() {
            let without = reach(&flow, Procedure::ENTRY, Some(a));
            for b in p.block_ids() {
                let expected = flow.is_reachable(a) && flow.is_reachable(b) && !without[b.index()];
                assert_eq!(tree.dominates(a, b), expected, "{a:?} {b:?} {p:?}");
            }
        }
    }
}

#[test]
fn post_dominators_are_what_their_definition_says() {
    let mut random = Random(2);
    let mut compared = 0;
    for _ in 0..2_000 {
        let p = random_shape(&mut random);
        let flow = Flow::of(&p);
        let tree = DominatorTree::post(&flow);
        let ends: Vec<BlockId> = p.block_ids().filter(|b| flow.successors(*b).is_empty()).collect();
        let reachable = || p.block_ids().filter(|b| flow.is_reachable(*b));
        let all_end = reachable().all(|b| ends.iter().any(|e| reach(&flow, b, None)[e.index()]));
        for b in reachable() {
            assert!(tree.dominates(b, b), "every reachable block is in the tree");
        }
        if !all_end {
            continue;
        }
        compared += 1;
        for a in reachable() {
            for b in reachable() {
                let around = reach(&flow, b, Some(a));
                let expected = !ends.iter().any(|e| around[e.index()]);
                assert_eq!(tree.dominates(a, b), expected, "{a:?} {b:?} {p:?}");
            }
        }
    }
    assert!(compared > 300, "{compared}");
}

#[test]
fn an_endless_loop_has_post_dominators() {
    let p = shape(&[vec![1, 4], vec![2], vec![3], vec![1], vec![]]);
    let tree = DominatorTree::post(&Flow::of(&p));
    assert_eq!(tree.immediate(BlockId(0)), None);
    assert_eq!(tree.immediate(BlockId(2)), Some(BlockId(3)));
    assert_eq!(tree.immediate(BlockId(3)), Some(BlockId(1)));
    assert_eq!(tree.roots(), blocks(&[0, 1, 4]));
}

#[test]
fn loops_nest() {
    // 1 is the outer loop with a break in 5, 2 the inner one, 6 a loop of one block.
    let p = shape(&[
        vec![1],
        vec![2, 6],
        vec![3, 4],
        vec![2],
        vec![5, 1],
        vec![1, 7],
        vec![6, 7],
        vec![],
    ]);
    let flow = Flow::of(&p);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    let shown: Vec<String> = loops
        .iter()
        .map(|(id, l)| {
            format!(
                "{id:?} {:?} body {:?} latches {:?} exits {:?} depth {} parent {:?}",
                l.header, l.body, l.latches, l.exits, l.depth, l.parent
            )
        })
        .collect();
    expect_test::expect![[r#"
        loop0 b1 body [b1, b2, b3, b4, b5] latches [b4, b5] exits [(b1, b6), (b5, b7)] depth 1 parent None
        loop1 b2 body [b2, b3] latches [b3] exits [(b2, b4)] depth 2 parent Some(loop0)
        loop2 b6 body [b6] latches [b6] exits [(b6, b7)] depth 1 parent None"#]]
    .assert_eq(&shown.join("\n"));
    assert_eq!(loops.innermost(BlockId(3)), loops.with_header(BlockId(2)));
    assert_eq!(loops.innermost(BlockId(7)), None);
    assert_eq!(loops.irreducible(), []);
}

#[test]
fn loops_are_what_their_definition_says() {
    let mut random = Random(3);
    for _ in 0..2_000 {
        let p = random_shape(&mut random);
        let flow = Flow::of(&p);
        let tree = DominatorTree::of(&flow);
        let loops = Loops::of(&flow, &tree);
        for header in p.block_ids() {
            let latches: Vec<BlockId> = p
                .block_ids()
                .filter(|b| flow.successors(*b).contains(&header) && tree.dominates(header, *b))
                .collect();
            let Some(id) = loops.with_header(header) else {
                assert_eq!(latches, []);
                continue;
            };
            assert_eq!(loops.get(id).latches, latches);
            for b in p.block_ids() {
                // From a block of the body a latch is reached without passing the header.
                let inside = flow.is_reachable(b)
                    && (b == header
                        || latches.iter().any(|l| reach(&flow, b, Some(header))[l.index()]));
                assert_eq!(loops.contains(id, b), inside, "{header:?} {b:?} {p:?}");
            }
        }
    }
}

#[test]
fn a_cycle_with_two_entries_is_found_and_split() {
    let mut p = procedure(
        "
f(n)
b0
  if n < 3 b1 b2
b1
  n = n + 1
  if n < 9 b2 b3
b2
  n = n + 2
  goto b1
b3
  return n
",
    );
    let flow = Flow::of(&p);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    assert!(loops.is_empty());
    assert_eq!(loops.irreducible()[0].blocks, blocks(&[1, 2]));
    assert_eq!(loops.irreducible()[0].entries, blocks(&[1, 2]));
    let splitting = make_reducible(&mut p).expect("small enough");
    assert_eq!(splitting.copies, [(BlockId(4), BlockId(2))]);
    let flow = Flow::of(&p);
    let loops = Loops::of(&flow, &DominatorTree::of(&flow));
    assert_eq!(loops.len(), 1);
    assert_eq!(loops.irreducible(), []);
}

#[test]
fn every_small_graph_can_be_made_reducible() {
    let mut random = Random(4);
    let mut split = 0;
    for _ in 0..3_000 {
        let mut p = random_shape(&mut random);
        let before = p.blocks.len();
        let splitting = make_reducible_within(&mut p, 100_000).expect("within the limit");
        split += usize::from(!splitting.copies.is_empty());
        let flow = Flow::of(&p);
        assert_eq!(Loops::of(&flow, &DominatorTree::of(&flow)).irreducible(), []);
        // Each copy leads to the same originals as its original.
        let original = |b: BlockId| match b.index() {
            i if i < before => b,
            i => splitting.copies[i - before].1,
        };
        for (copy, of) in &splitting.copies {
            let leads = |b: BlockId| -> Vec<BlockId> {
                p.block(b).end.kind.successors().into_iter().map(original).collect()
            };
            assert_eq!(leads(*copy), leads(*of));
        }
    }
    assert!(split > 300, "{split}");
}

#[test]
fn splitting_stops_at_its_limit_and_leaves_all_as_it_was() {
    // Twelve blocks, each leading to all, all entered from the first.
    let all: Vec<u32> = (1..13).collect();
    let mut p = shape(&vec![all; 13]);
    let before = p.clone();
    let error = make_reducible(&mut p).expect_err("too big");
    assert!(error.region.blocks.iter().all(|b| b.index() < 13), "no copies");
    assert_eq!(p, before);
}

#[test]
fn a_huge_procedure_needs_no_deep_stack() {
    // 25,000 nested pairs of blocks, loops among them.
    let count = 50_000u32;
    let mut edges: Vec<Vec<u32>> = (0..count).map(|i| vec![i + 1]).collect();
    edges.push(vec![]);
    for i in (100..count).step_by(100) {
        edges[i as usize].push(i - 50);
        edges[i as usize].push(count);
    }
    let mut p = shape(&edges);
    let start = std::time::Instant::now();
    let flow = Flow::of(&p);
    let tree = DominatorTree::of(&flow);
    assert!(tree.dominates(BlockId(1), BlockId(count)));
    let _ = DominatorTree::post(&flow);
    assert_eq!(Loops::of(&flow, &tree).len(), 499);
    assert!(make_reducible(&mut p).expect("it is").copies.is_empty());
    let _ = graph::Liveness::of(&p, &flow);
    assert!(start.elapsed() < std::time::Duration::from_secs(5), "{:?}", start.elapsed());
}
