//! Random procedures that always come to an end: structured code with `break`, `continue`,
//! `return` and `goto`, and plain random graphs, irreducible ones among them. They compute,
//! read and write a buffer behind a parameter and a local array, make stack memory, call
//! another procedure and the outside, trap now and then, and leave variables without a value.

use verdiff_model::graph::assigned::insert_init_checks;
use verdiff_model::state::{EntryState, Object, Pointer, Value};
use verdiff_model::*;

const I32: Type = Type::Int(32);

/// A small generator of numbers, the same everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len() as u64) as usize]
    }
}

/// A program whose procedure 0 is random, with one to call and something outside.
pub fn program(random: &mut Random) -> Program {
    let mut program = Program { files: vec!["a.c".to_owned()], ..Program::default() };
    program.externals.push(External {
        name: "outside".to_owned(),
        kind: ExternalKind::Function,
        signature: Signature { params: vec![I32], results: vec![I32], variadic: false },
        ctype: None,
        no_return: false,
        by_value: vec![],
    });
    let main = Gen::new(random).run();
    program.procedures.push(main);
    program.procedures.push(twice());
    if let Err(problems) = validate(&program) {
        panic!("{}\n{}", problems[0].describe(&program), print::program(&program));
    }
    program
}

/// Numbers and a buffer of 32 bytes.
pub fn entry(random: &mut Random) -> EntryState {
    let number = |random: &mut Random| {
        let small = random.below(8) as i32 - 2;
        let any = *random.pick(&[i32::MIN, i32::MAX, 100, -77, 4096]);
        Value::Bits(u128::from(if random.chance(70) { small } else { any } as u32))
    };
    let bytes = (0..32).map(|_| random.below(6) as u8).collect();
    EntryState {
        args: vec![number(random), number(random), Pointer::object(0).into()],
        objects: vec![Object::new(8, bytes)],
        ..EntryState::default()
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, loc: Loc { file: FileId(0), line: 1, column: 1 } }
}

fn end(kind: TerminatorKind) -> Terminator {
    Terminator { kind, loc: Loc { file: FileId(0), line: 1, column: 1 } }
}

fn blank(name: &str, results: usize) -> Procedure {
    Procedure {
        name: name.to_owned(),
        symbol: name.to_owned(),
        linkage: Linkage::External,
        loc: Loc::NONE,
        params: vec![],
        results: vec![I32; results],
        variadic: false,
        ctype: None,
        vars: vec![],
        locals: vec![],
        blocks: vec![],
        unsupported: vec![],
        opaque: None,
        with_holes: None,
        outlined_from: None,
    }
}

fn add_var(p: &mut Procedure, name: &str, ty: Type, kind: VarKind) -> VarId {
    p.add_var(Var { name: name.to_owned(), ty, ctype: None, kind })
}

fn twice() -> Procedure {
    let mut p = blank("twice", 1);
    let x = add_var(&mut p, "x", I32, VarKind::Parameter);
    p.params.push(x);
    let value = Expr::binary(BinaryOp::Add, Expr::Var(x), Expr::Var(x));
    let end = end(TerminatorKind::Return(vec![value]));
    p.blocks.push(Block { label: String::new(), stmts: vec![], end });
    p
}

struct Gen<'r> {
    random: &'r mut Random,
    p: Procedure,
    ints: Vec<VarId>,
    temps: Vec<VarId>,
    pointer: VarId,
    cursor: VarId,
    tokens: [VarId; 3],
    fuel: VarId,
    current: usize,
}

impl<'r> Gen<'r> {
    fn new(random: &'r mut Random) -> Gen<'r> {
        let results = random.below(3) as usize;
        let mut p = blank("f", results);
        let mut ints = Vec::new();
        for name in ["n", "m"] {
            ints.push(add_var(&mut p, name, I32, VarKind::Parameter));
        }
        let pointer = add_var(&mut p, "p", Type::Ptr, VarKind::Parameter);
        p.params = vec![ints[0], ints[1], pointer];
        for name in ["a", "b", "c", "d"] {
            ints.push(add_var(&mut p, name, I32, VarKind::Local));
        }
        let temps: Vec<VarId> =
            (0..3).map(|_| add_var(&mut p, "", I32, VarKind::Temporary)).collect();
        let cursor = add_var(&mut p, "q", Type::Ptr, VarKind::Local);
        let tokens = [(); 3].map(|()| add_var(&mut p, "", Type::Ptr, VarKind::Temporary));
        let fuel = add_var(&mut p, "fuel", I32, VarKind::Local);
        p.locals.push(Local {
            name: "buf".to_owned(),
            size: 16,
            align: 4,
            ctype: None,
            loc: Loc::NONE,
        });
        Gen { random, p, ints, temps, pointer, cursor, tokens, fuel, current: 0 }
    }

    fn run(mut self) -> Procedure {
        self.block();
        self.set(self.fuel, Expr::int(32, 25));
        let cursor = Expr::Var(self.pointer);
        self.set(self.cursor, cursor);
        let careful = if self.random.chance(70) { 100 } else { 60 };
        for v in [&self.ints[2..], &self.temps].concat() {
            if self.random.chance(careful) {
                self.set(v, Expr::int(32, u128::from(v.0)));
            }
        }
        if self.random.chance(careful) {
            self.push(StmtKind::Fill {
                dst: Expr::Address(Address::Local(LocalId(0))),
                byte: Expr::int(8, 1),
                len: Expr::int(64, 16),
                align: 1,
                access: Access::Plain,
            });
        }
        if self.random.chance(50) {
            self.structured(3, &[]);
            self.finish_here();
        } else {
            self.graph();
        }
        insert_init_checks(&mut self.p);
        self.p
    }

    fn block(&mut self) -> BlockId {
        let end = end(TerminatorKind::Trap(Trap::Unreachable));
        self.p.blocks.push(Block { label: String::new(), stmts: vec![], end });
        BlockId::new(self.p.blocks.len() - 1)
    }

    fn push(&mut self, kind: StmtKind) {
        self.p.blocks[self.current].stmts.push(stmt(kind));
    }

    fn set(&mut self, dst: VarId, value: Expr) {
        self.push(StmtKind::Assign { dst, value });
    }

    fn finish(&mut self, kind: TerminatorKind) {
        self.p.blocks[self.current].end = end(kind);
    }

    fn finish_here(&mut self) {
        if self.random.chance(4) {
            return self.finish(TerminatorKind::Trap(Trap::Abort));
        }
        let values = (0..self.p.results.len()).map(|_| self.expr(2)).collect();
        self.finish(TerminatorKind::Return(values));
    }

    fn any_var(&mut self) -> VarId {
        if self.random.chance(20) {
            *self.random.pick(&self.temps)
        } else {
            *self.random.pick(&self.ints)
        }
    }

    fn expr(&mut self, depth: u32) -> Expr {
        use BinaryOp::*;
        if depth == 0 || self.random.chance(30) {
            return match self.random.below(4) {
                0 => Expr::int(32, u128::from(self.random.below(5))),
                1 => Expr::int(32, (self.random.below(9) as i64 - 4) as u128),
                _ => Expr::Var(*self.random.pick(&self.ints)),
            };
        }
        let op = *self.random.pick(&[Add, Add, Sub, Mul, And, Xor, AShr, SDiv]);
        let (lhs, rhs) = (self.expr(depth - 1), self.expr(depth - 1));
        if self.random.chance(10) {
            return Expr::select(self.cond(), lhs, rhs);
        }
        Expr::binary(op, lhs, rhs)
    }

    fn cond(&mut self) -> Expr {
        use BinaryOp::*;
        if self.random.chance(3) {
            return Expr::bool(self.random.chance(50));
        }
        let op = *self.random.pick(&[Slt, Sle, Eq, Ne, Ult, Sgt]);
        let (lhs, rhs) = (self.expr(1), self.expr(1));
        Expr::binary(op, lhs, rhs)
    }

    /// An address in one of the arrays, nearly always inside.
    fn address(&mut self) -> Expr {
        let (base, count) = match self.random.below(5) {
            0 | 1 => (Expr::Var(self.pointer), 8),
            2 => (Expr::Var(self.cursor), 8),
            _ => (Expr::Address(Address::Local(LocalId(0))), 4),
        };
        let mask = if self.random.chance(95) { count - 1 } else { 15 };
        let index = Expr::binary(BinaryOp::And, self.expr(1), Expr::int(32, mask));
        let index = Expr::unary(UnaryOp::SignExtend, Type::WORD, index);
        let offset = Expr::binary(BinaryOp::Mul, index, Expr::int(64, 4));
        Expr::binary(BinaryOp::PtrAdd, base, offset)
    }

    fn statements(&mut self) {
        for _ in 0..self.random.below(4) {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let dst = self.any_var();
        let (align, access) = (4, Access::Plain);
        match self.random.below(14) {
            0..4 => {
                let value = self.expr(2);
                self.set(dst, value);
            }
            4 | 5 => {
                let value = Expr::Var(self.any_var());
                self.set(dst, value);
            }
            6 | 7 => {
                let addr = self.address();
                self.push(StmtKind::Load { dst, addr, align, access });
            }
            8 | 9 => {
                let (addr, value) = (self.address(), self.expr(2));
                self.push(StmtKind::Store { addr, value, align, access });
            }
            10 => {
                let callee = match self.random.chance(50) {
                    true => Callee::External(ExternId(0)),
                    false => Callee::Procedure(ProcId(1)),
                };
                let args = vec![self.expr(1)];
                self.push(StmtKind::Call { results: vec![dst], callee, args });
            }
            11 => {
                let rhs = Expr::int(32, u128::from(self.random.below(8)));
                let cond = Expr::binary(BinaryOp::Ne, self.expr(1), rhs);
                self.push(StmtKind::Check { cond, trap: Trap::DivisionByZero });
            }
            12 => {
                let base = Expr::Var(self.pointer);
                let offset = Expr::int(64, 4 * u128::from(self.random.below(2)));
                self.set(self.cursor, Expr::binary(BinaryOp::PtrAdd, base, offset));
            }
            _ => self.stack_memory(dst),
        }
    }

    /// A variable-length array that lives for a few statements.
    fn stack_memory(&mut self, dst: VarId) {
        let [token, saved, array] = self.tokens;
        let (align, access) = (4, Access::Plain);
        let value = self.expr(1);
        self.push(StmtKind::SaveStack { dst: token });
        self.set(saved, Expr::Var(token));
        self.push(StmtKind::Alloc { dst: array, size: Expr::int(64, 8), align });
        self.push(StmtKind::Store { addr: Expr::Var(array), value, align, access });
        self.push(StmtKind::Load { dst, addr: Expr::Var(array), align, access });
        if self.random.chance(90) {
            self.push(StmtKind::RestoreStack { token: Expr::Var(saved) });
        }
    }

    /// A condition that is false for good once the fuel is gone: guards every way back.
    fn burn(&mut self) -> Expr {
        let less = Expr::binary(BinaryOp::Sub, Expr::Var(self.fuel), Expr::int(32, 1));
        self.set(self.fuel, less);
        Expr::binary(BinaryOp::Sgt, Expr::Var(self.fuel), Expr::int(32, 0))
    }

    /// Code from the current block on; ends in a current block without an end. `targets` are
    /// blocks that `break`, `continue` and `goto` may lead to.
    fn structured(&mut self, depth: u32, targets: &[BlockId]) {
        for _ in 0..1 + self.random.below(3) {
            self.statements();
            match self.random.below(if depth == 0 { 4 } else { 10 }) {
                0 if !targets.is_empty() => {
                    let fuel = self.burn();
                    let cond = Expr::binary(BinaryOp::And, self.cond(), fuel);
                    let then = *self.random.pick(targets);
                    self.branch_on(cond, then);
                }
                1 if self.random.chance(50) => {
                    let leave = self.block();
                    let cond = self.cond();
                    self.branch_on(cond, leave);
                    let here = std::mem::replace(&mut self.current, leave.index());
                    self.finish_here();
                    self.current = here;
                }
                4..7 => self.if_else(depth, targets),
                7..10 => self.while_loop(depth, targets),
                _ => {}
            }
        }
    }

    fn branch_on(&mut self, cond: Expr, then: BlockId) {
        let otherwise = self.block();
        self.finish(TerminatorKind::Branch { cond, then, otherwise });
        self.current = otherwise.index();
    }

    fn if_else(&mut self, depth: u32, targets: &[BlockId]) {
        let (then, otherwise, after) = (self.block(), self.block(), self.block());
        let cond = self.cond();
        self.finish(TerminatorKind::Branch { cond, then, otherwise });
        // The other branch's beginning is a label too: `goto` into it makes odd graphs.
        let odd: Vec<BlockId> = targets.iter().copied().chain([otherwise]).collect();
        let inner = if self.random.chance(25) { &odd } else { targets };
        for side in [then, otherwise] {
            self.current = side.index();
            self.structured(depth - 1, inner);
            self.finish(TerminatorKind::Goto(after));
        }
        self.current = after.index();
    }

    fn while_loop(&mut self, depth: u32, targets: &[BlockId]) {
        let (header, body, after) = (self.block(), self.block(), self.block());
        self.finish(TerminatorKind::Goto(header));
        self.current = header.index();
        self.statements();
        let fuel = self.burn();
        let cond = Expr::binary(BinaryOp::And, self.cond(), fuel);
        self.finish(TerminatorKind::Branch { cond, then: body, otherwise: after });
        self.current = body.index();
        if self.random.chance(20) {
            self.body_with_array(depth - 1, after);
        } else {
            let mut inner = vec![header, after];
            inner.extend(targets);
            self.structured(depth - 1, &inner);
        }
        self.finish(TerminatorKind::Goto(header));
        self.current = after.index();
        if self.random.chance(15) {
            // A way back into the loop past its header.
            let fuel = self.burn();
            let cond = Expr::binary(BinaryOp::And, self.cond(), fuel);
            self.branch_on(cond, body);
        }
    }

    /// A loop's body with a variable-length array of its own, given back at the end and before a `break`.
    fn body_with_array(&mut self, depth: u32, after: BlockId) {
        let token = add_var(&mut self.p, "", Type::Ptr, VarKind::Temporary);
        let array = add_var(&mut self.p, "array", Type::Ptr, VarKind::Local);
        let (dst, len) = (Expr::Var(array), Expr::int(64, 32));
        self.push(StmtKind::SaveStack { dst: token });
        self.push(StmtKind::Alloc { dst: array, size: len.clone(), align: 4 });
        let byte = Expr::int(8, u128::from(self.random.below(4)));
        self.push(StmtKind::Fill { dst, byte, len, align: 1, access: Access::Plain });
        self.set(self.cursor, Expr::Var(array));
        self.structured(depth, &[]);
        let give_back = |g: &mut Gen| {
            if g.random.chance(90) {
                let pointer = Expr::Var(g.pointer);
                g.set(g.cursor, pointer);
            }
            g.push(StmtKind::RestoreStack { token: Expr::Var(token) });
        };
        if self.random.chance(50) {
            let leave = self.block();
            let cond = self.cond();
            self.branch_on(cond, leave);
            let here = std::mem::replace(&mut self.current, leave.index());
            give_back(self);
            self.finish(TerminatorKind::Goto(after));
            self.current = here;
        }
        give_back(self);
    }

    /// Blocks with edges at random; ways back are guarded by the fuel.
    fn graph(&mut self) {
        let count = 2 + self.random.below(8) as usize;
        let blocks: Vec<BlockId> = (0..count).map(|_| self.block()).collect();
        let leave = self.block();
        self.finish(TerminatorKind::Goto(blocks[0]));
        for (i, b) in blocks.iter().enumerate() {
            self.current = b.index();
            self.statements();
            let fuel = self.burn();
            let later = |g: &mut Gen, spread: u64| {
                let at = i + 1 + g.random.below(spread) as usize;
                blocks.get(at).copied().unwrap_or(leave)
            };
            match self.random.below(8) {
                0 => self.finish_here(),
                1 | 2 => {
                    let next = later(self, 3);
                    self.finish(TerminatorKind::Goto(next));
                }
                3 => {
                    let value = self.expr(1);
                    let cases = (0u128..3).map(|n| (n, later(self, 4))).collect();
                    let default = later(self, 2);
                    self.finish(TerminatorKind::Switch { value, cases, default });
                }
                4 => {
                    let (cond, then, otherwise) = (self.cond(), later(self, 3), later(self, 3));
                    self.finish(TerminatorKind::Branch { cond, then, otherwise });
                }
                _ => {
                    let cond = Expr::binary(BinaryOp::And, self.cond(), fuel);
                    let then = *self.random.pick(&blocks);
                    let otherwise = later(self, 2);
                    self.finish(TerminatorKind::Branch { cond, then, otherwise });
                }
            }
        }
        self.current = leave.index();
        self.finish_here();
    }
}
