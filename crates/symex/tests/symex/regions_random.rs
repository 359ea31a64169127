//! Random programs that move pointers about in all the ways C allows are run, and every access
//! must go to an object of the region that the analysis named for it. (Another way to be
//! wrong, words in a region with other accesses, is checked on the way.)

use crate::regions_common;

use regions_common::Side;
use std::fmt::Write;
use verdiff_model::interp::{Limits, Machine};
use verdiff_model::state::{EntryState, Event, PointerTarget, Value};
use verdiff_model::{
    Callee, Expr, ExternId, External, ExternalKind, ProcId, Program, Signature, Stmt, StmtKind,
    Type,
};
use verdiff_symex::regions::{Cell, RegionId, RegionOptions, Regions};

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

const PRELUDE: &str = "
#include <string.h>
struct S { long *p; long n; struct S *next; unsigned lo, hi; };
static long a0[4], a1[4], a2[4], a3[4], a4[4], a5[4];
static struct S s0, s1, s2, s3, s4[2], s5[2];
static long *t0[4], *t1[4], *t2[4];
static char b0[64], b1[64];
static long *pick(long *x, long *y, int c) { return c ? x : y; }
static void put(struct S *s, long *p) { s->p = p; }
static long *last; static long *swap(long *p) { long *old = last ? last : p; last = p; return old; }
static void copy(char *to, const char *from, int n) { while (n-- > 0) to[n] = from[n]; }
";

/// A program; `few` objects of each kind are used, so that some stay apart.
fn generate(seed: u64) -> String {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
    let mut text = String::from(PRELUDE);
    text.push_str("void run(long i, int c) {\n  long *p[1]; long *p0 = a0, *p1 = a1, *p2 = a2, *p3 = a3;\n  struct S *q0 = &s0, *q1 = &s1, *q2 = &s2, *q3 = s4; long x0 = 0, x1 = 0, x2 = 0;\n");
    let count = 4 + r.below(14);
    for _ in 0..count {
        let (p, o, q, u) = (r.below(4), r.below(4), r.below(4), r.below(4));
        let (a, s, w, t, b, x) =
            (r.below(6), r.below(4), r.below(4), r.below(3), r.below(2), r.below(3));
        let k = r.below(4);
        let line = match r.below(34) {
            0 => format!("p{p} = &a{a}[{k}];"),
            1 => format!("p{p} = a{a} + (i & 3);"),
            2 => format!("p{p} = p{o};"),
            3 => format!("q{q} = &s{s};"),
            4 => format!("q{q}->p = p{p};"),
            5 | 6 => format!("if (q{q}->p) p{p} = q{q}->p;"),
            7 => format!("q{q}->next = q{u};"),
            8 => format!("if (q{q}->next) q{q} = q{q}->next;"),
            9 => format!("x{x} = (long)p{p};"),
            10 => format!("if (x{x}) p{p} = (long *)x{x};"),
            11 => format!("q{q}->n = x{x};"),
            12 => format!("x{x} = q{q}->n;"),
            13 => format!("s{s} = s{w};"),
            14 => format!("*q{q} = *q{u};"),
            15 => {
                format!("for (int k = 0; k < 8; k++) ((char *)&s{s}.p)[k] = ((char *)&s{w}.p)[k];")
            }
            16 => format!(
                "s{s}.lo = (unsigned)(long)p{p}; s{s}.hi = (unsigned)((unsigned long)p{p} >> 32);"
            ),
            17 => format!(
                "{{ unsigned long v = (unsigned long)s{s}.lo | (unsigned long)s{s}.hi << 32; if (v) p{p} = (long *)v; }}"
            ),
            18 => format!("t{t}[i & 3] = p{p};"),
            19 => format!("if (t{t}[{k}]) p{p} = t{t}[{k}];"),
            20 => format!("memcpy(b{b}, &s{s}, sizeof s{s});"),
            21 => format!("memcpy(&s{s}, b{b}, sizeof s{s});"),
            22 => format!("p{p} = (long *)((long)p{p} ^ (long)p{o} ^ (long)p{p});"),
            23 => format!("p{p} = pick(p{p}, p{o}, c);"),
            24 => format!("put(q{q}, p{p});"),
            25 => format!("p{p} = swap(p{p});"),
            26 => format!("copy((char *)&s{s}, (char *)q{q}, sizeof s{s});"),
            27 => format!(
                "{{ struct S **m = &q{q}->next; q{u} = (struct S *)((char *)m - 16); q{u}->p = p{p}; }}"
            ),
            28 => format!("a{a}[{k}] = (long)p{p};"),
            29 => format!("if (a{a}[i & 3]) p{p} = (long *)a{a}[i & 3];"),
            30 => format!(
                "{{ struct S *z = &s4[i & 1]; z->p = p{p}; if (s4[1].p) p{o} = s4[1].p; z->next = q{q}; q{u} = z; }}"
            ),
            31 => format!(
                "{{ long *h[2] = {{p{p}, p{o}}}; long **g = h + (c & 1); p{p} = *g; p[0] = *g; p{o} = p[0]; }}"
            ),
            32 => format!(
                "{{ __int128 v = (__int128)(unsigned long)p{p} << 64; v |= (unsigned long)p{o}; memcpy(t{t}, &v, 16); }}"
            ),
            _ => format!(
                "{{ double d; memcpy(&d, &p{p}, 8); memcpy(&t{t}[{k}], &d, 8); x{x} = p{p} - p{o}; p{p} = p{o} + x{x}; x{x} = 0; }}"
            ),
        };
        writeln!(text, "  {line}").unwrap();
        // What a pointer leads to is looked at now and then.
        match r.below(3) {
            0 => writeln!(text, "  *p{p} = 0;").unwrap(),
            1 => writeln!(text, "  x{x} = q{q}->next ? 0 : x{x};").unwrap(),
            _ => {}
        }
    }
    text.push_str("  *p0 = 0; *p1 = 0; *p2 = 0; *p3 = 0;\n}\n");
    text
}

/// A program that hands one pointer on, in a chain of ways, and then uses it. Little else is
/// going on that could join regions by chance.
fn relay(seed: u64) -> String {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 7);
    let mut text = String::from(PRELUDE);
    text.push_str("void run(long i, int c) {\n  long *p0 = a0;\n");
    let length = 1 + r.below(3);
    for n in 0..length {
        let m = n + 1;
        let (s, w) = (n % 2, 2 + n % 2);
        let line = match r.below(14) {
            0 => format!("s{s}.p = p{n}; s{w} = s{s}; long *p{m} = s{w}.p;"),
            1 => format!(
                "s{s}.p = p{n}; memcpy(b0, &s{s}, 32); memcpy(&s{w}, b0, 32); long *p{m} = s{w}.p;"
            ),
            2 => format!(
                "unsigned l{n} = (unsigned)(long)p{n}, h{n} = (unsigned)((unsigned long)p{n} >> 32); long *p{m} = (long *)((unsigned long)l{n} | (unsigned long)h{n} << 32);"
            ),
            3 => format!(
                "s{s}.p = p{n}; for (int k = 0; k < 8; k++) ((char *)&s{w}.p)[k] = ((char *)&s{s}.p)[k]; long *p{m} = s{w}.p;"
            ),
            4 => format!(
                "s{s}.p = p{n}; copy((char *)&s{w}, (char *)&s{s}, 32); long *p{m} = s{w}.p;"
            ),
            5 => format!(
                "__int128 v{n} = (__int128)(unsigned long)p{n} << 64; memcpy(t0, &v{n}, 16); long *p{m} = t0[1];"
            ),
            6 => format!(
                "double d{n}; memcpy(&d{n}, &p{n}, 8); memcpy(&t1[{n}], &d{n}, 8); long *p{m} = t1[{n}];"
            ),
            7 => format!(
                "long x{n} = (long)p{n} ^ (long)a5; long *p{m} = (long *)(x{n} ^ (long)a5);"
            ),
            8 => format!("t2[i & 3] = p{n}; long *p{m} = t2[i & 3];"),
            9 => format!("a4[{n}] = (long)p{n}; long *p{m} = (long *)a4[{n}];"),
            10 => format!(
                "struct S *z{n} = &s4[i & 1]; z{n}->next = &s5[1]; z{n}->next->p = p{n}; long **f{n} = &s5[i & 1 | 1].p; long *p{m} = *f{n};"
            ),
            11 => format!(
                "s{s}.lo = (unsigned)(long)p{n}; s{s}.hi = (unsigned)((unsigned long)p{n} >> 32); long *p{m}; memcpy(&p{m}, &s{s}.lo, 8);"
            ),
            12 => format!("put(&s{s}, p{n}); long *p{m} = pick(s{s}.p, swap(p{n}), c);"),
            _ => format!(
                "long d{n} = (long)p{n} - (long)a3; long *p{m} = (long *)((long)a3 + d{n});"
            ),
        };
        writeln!(text, "  {line}").unwrap();
    }
    writeln!(text, "  *p{length} = 0;\n}}").unwrap();
    text
}

struct Probe {
    procedure: ProcId,
    address: Expr,
    width: Option<u64>,
}

/// The program with a call before each access that tells the address, and the accesses.
fn probed(program: &Program) -> (Program, Vec<Probe>) {
    let mut probed = program.clone();
    let mut probes = vec![];
    let probe = ExternId::new(probed.externals.len());
    probed.externals.push(External {
        name: "probe".into(),
        kind: ExternalKind::Function,
        signature: Signature {
            params: vec![Type::Int(32), Type::Ptr],
            results: vec![],
            variadic: false,
        },
        ctype: None,
        no_return: false,
        by_value: vec![],
    });
    for id in program.procedure_ids() {
        let types: Vec<Type> = program.procedure(id).vars.iter().map(|v| v.ty).collect();
        for block in &mut probed.procedures[id.index()].blocks {
            let mut stmts = vec![];
            for stmt in std::mem::take(&mut block.stmts) {
                let addresses: Vec<(&Expr, Option<u64>)> = match &stmt.kind {
                    StmtKind::Load { addr, dst, .. } => {
                        vec![(addr, Some(types[dst.index()].bytes()))]
                    }
                    StmtKind::Store { addr, value, .. } => {
                        vec![(addr, Some(program.procedure(id).type_of(value).bytes()))]
                    }
                    StmtKind::Copy { dst, src, .. } => vec![(dst, None), (src, None)],
                    StmtKind::Fill { dst, .. } => vec![(dst, None)],
                    _ => vec![],
                };
                for (address, width) in addresses {
                    let number = Expr::int(32, probes.len() as u128);
                    let kind = StmtKind::Call {
                        results: vec![],
                        callee: Callee::External(probe),
                        args: vec![number, address.clone()],
                    };
                    stmts.push(Stmt { kind, loc: stmt.loc });
                    probes.push(Probe { procedure: id, address: address.clone(), width });
                }
                stmts.push(stmt);
            }
            block.stmts = stmts;
        }
    }
    (probed, probes)
}

#[test]
fn every_access_goes_where_the_analysis_says() {
    check(50, generate);
}

#[test]
fn pointers_are_followed_on_their_way() {
    check(80, relay);
}

fn check(programs: u64, generate: impl Fn(u64) -> String) {
    let (mut accesses, mut regions_of_all, mut conclusive) = (0, 0, 0);
    for seed in 0..programs {
        let source = generate(seed);
        let program = Side::files(&[("r.c", &source)]);
        let run = program.procedure_named("run").unwrap();
        let is_entry = |_: usize, id: ProcId| id == run;
        let regions = Regions::analyse_with(&[&program], &RegionOptions { is_entry: &is_entry });
        regions_of_all += regions.len();
        let (probed, probes) = probed(&program);
        let mut machine = Machine::new(&probed);
        for (i, c) in [(0, 0), (1, 1), (2, 0), (3, 1)] {
            let args = vec![Value::Bits(i), Value::Bits(c)];
            let entry = EntryState { args, ..EntryState::default() };
            let outcome = machine.run(run, &entry, &Limits::default());
            conclusive +=
                usize::from(matches!(outcome.end, verdiff_model::state::End::Returned(_)));
            for event in &outcome.world.events {
                let Event::Call { name, args, .. } = event else { continue };
                assert_eq!(name, "probe");
                let (Value::Bits(number), Value::Pointer(pointer)) = (args[0], args[1]) else {
                    continue;
                };
                let probe = &probes[number as usize];
                let said =
                    regions.region_of(verdiff_model::Side::Old, probe.procedure, &probe.address);
                let PointerTarget::Global(global) = pointer.target else {
                    assert!(
                        !matches!(pointer.target, PointerTarget::Fresh(_))
                            || said != RegionId::OUTSIDE
                    );
                    continue;
                };
                let size = program.global(global).size;
                if u64::try_from(pointer.offset).is_ok_and(|offset| offset < size) {
                    accesses += 1;
                    let real = regions.of_global(verdiff_model::Side::Old, global);
                    let name = &program.global(global).name;
                    assert_eq!(
                        real, said,
                        "seed {seed}: {name} through {:?}\n{source}",
                        probe.address
                    );
                    if let (Cell::Words(n), Some(width)) = (regions.info(real).cell, probe.width) {
                        assert_eq!(u64::from(n), width, "seed {seed}: {name}\n{source}");
                    }
                }
            }
        }
    }
    // The test means something only if runs get far and regions stay apart.
    let programs = programs as usize;
    assert!(accesses > programs * 20, "{accesses}");
    assert!(conclusive > programs * 2, "{conclusive}");
    assert!(regions_of_all > programs * 4, "{regions_of_all}");
}
