//! Programs from a few lines of text, so that a test shows the graph it is about.
//!
//! ```text
//! f(n, p)            a procedure; all values are i32, but a name that begins with p is an address
//! b0                 a block
//!   i = n + 1        + - * & < == != over variables and numbers
//!   i = [p + 4]      a load       [p + 4] = i   a store      [&buf + 0] = i   to a local object
//!   check n != 0     a check that traps (division by zero)
//!   i = f(n, 1)      a call; g(n) without results; unknown names are externals
//!   if i < n b1 b2   goto b1   switch n 1:b2 5:b3 b1   return i   return   trap
//! ```
//! `t1`, `t2` … are temporaries, other names locals of the source.

#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::HashMap;
use verdiff_model::*;

pub const I32: Type = Type::Int(32);

/// The program of a text, checked.
pub fn program(text: &str) -> Program {
    let mut program = Program { files: vec!["a.c".to_owned()], ..Program::default() };
    let mut sections: Vec<Vec<(usize, &str)>> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        if line.trim_start().contains('(') && !line.contains('=') && !line.starts_with(' ') {
            sections.push(Vec::new());
        }
        sections.last_mut().expect("begins with a procedure").push((number + 1, line));
    }
    let mut ids = HashMap::new();
    for section in &sections {
        let name = section[0].1.split('(').next().expect("a name").to_owned();
        ids.insert(name, ProcId::new(ids.len()));
    }
    let returns: HashMap<String, usize> = sections
        .iter()
        .map(|s| {
            let name = s[0].1.split('(').next().expect("a name").to_owned();
            let count = s.iter().find_map(|(_, l)| {
                let mut words = l.split_whitespace();
                (words.next() == Some("return")).then(|| words.count())
            });
            (name, count.unwrap_or(0))
        })
        .collect();
    for section in sections {
        let parsed = Parser { ids: &ids, returns: &returns, program: &mut program }.run(&section);
        program.procedures.push(parsed);
    }
    if let Err(problems) = validate(&program) {
        let list: Vec<String> = problems.iter().map(|p| p.describe(&program)).collect();
        panic!("not well-formed:\n{}", list.join("\n"));
    }
    program
}

/// The first procedure of a text.
pub fn procedure(text: &str) -> Procedure {
    program(text).procedures.remove(0)
}

/// Block ids, for comparing.
pub fn blocks(list: &[u32]) -> Vec<BlockId> {
    list.iter().map(|i| BlockId(*i)).collect()
}

/// A variable by its name.
pub fn var(procedure: &Procedure, name: &str) -> VarId {
    VarId::new(procedure.vars.iter().position(|v| v.name == name).expect("a variable"))
}

/// A procedure that does nothing yet.
pub fn empty_procedure(name: &str) -> Procedure {
    Procedure {
        name: name.to_owned(),
        symbol: name.to_owned(),
        linkage: Linkage::External,
        loc: Loc { file: FileId(0), line: 1, column: 1 },
        params: vec![],
        results: vec![],
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

struct Parser<'a> {
    ids: &'a HashMap<String, ProcId>,
    returns: &'a HashMap<String, usize>,
    program: &'a mut Program,
}

impl Parser<'_> {
    fn run(mut self, lines: &[(usize, &str)]) -> Procedure {
        let (line, head) = lines[0];
        let (name, params) = head.trim().trim_end_matches(')').split_once('(').expect("a head");
        let mut p = empty_procedure(name);
        p.loc.line = line as u32;
        p.results = vec![I32; self.returns[name]];
        for param in params.split(',').map(str::trim).filter(|s| !s.is_empty()) {
            let v = self.var(&mut p, param);
            p.vars[v.index()].kind = VarKind::Parameter;
            p.params.push(v);
        }
        let labels: HashMap<&str, BlockId> = lines[1..]
            .iter()
            .filter(|(_, l)| !l.starts_with(' '))
            .enumerate()
            .map(|(i, (_, l))| (l.trim(), BlockId::new(i)))
            .collect();
        let mut stmts = Vec::new();
        let mut label = "";
        for (number, line) in &lines[1..] {
            let loc = Loc { file: FileId(0), line: *number as u32, column: 1 };
            if !line.starts_with(' ') {
                label = line.trim();
                continue;
            }
            let line = line.trim();
            match self.end(&mut p, &labels, line) {
                Some(kind) => {
                    let end = Terminator { kind, loc };
                    let stmts = std::mem::take(&mut stmts);
                    p.blocks.push(Block { label: label.to_owned(), stmts, end });
                }
                None => stmts.push(Stmt { kind: self.stmt(&mut p, line), loc }),
            }
        }
        p
    }

    fn var(&mut self, p: &mut Procedure, name: &str) -> VarId {
        if let Some(i) = p.vars.iter().position(|v| v.name == name) {
            return VarId::new(i);
        }
        let temporary = name.starts_with('t') && name[1..].parse::<u32>().is_ok();
        p.add_var(Var {
            name: name.to_owned(),
            ty: if name.starts_with('p') { Type::Ptr } else { I32 },
            ctype: None,
            kind: if temporary { VarKind::Temporary } else { VarKind::Local },
        })
    }

    fn atom(&mut self, p: &mut Procedure, text: &str) -> Expr {
        if let Some(name) = text.strip_prefix('&') {
            let at = p.locals.iter().position(|l| l.name == name).unwrap_or_else(|| {
                p.locals.push(Local {
                    name: name.to_owned(),
                    size: 16,
                    align: 4,
                    ctype: None,
                    loc: Loc::NONE,
                });
                p.locals.len() - 1
            });
            return Expr::Address(Address::Local(LocalId::new(at)));
        }
        match text.parse::<i64>() {
            Ok(n) => Expr::int(32, n as u128),
            Err(_) => Expr::Var(self.var(p, text)),
        }
    }

    fn expr(&mut self, p: &mut Procedure, text: &str) -> Expr {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words.len() == 1 {
            return self.atom(p, words[0]);
        }
        let lhs = self.atom(p, words[0]);
        let rhs = self.atom(p, words[2]);
        let op = match words[1] {
            "+" => BinaryOp::Add,
            "-" => BinaryOp::Sub,
            "*" => BinaryOp::Mul,
            "&" => BinaryOp::And,
            "<" => BinaryOp::Slt,
            "==" => BinaryOp::Eq,
            "!=" => BinaryOp::Ne,
            other => panic!("no operator {other}"),
        };
        Expr::binary(op, lhs, rhs)
    }

    fn address(&mut self, p: &mut Procedure, text: &str) -> Option<Expr> {
        let inner = text.strip_prefix('[')?.strip_suffix(']')?;
        let (base, offset) = inner.split_once(" + ")?;
        let base = self.atom(p, base);
        let offset = Expr::int(64, offset.parse::<u128>().expect("an offset"));
        Some(Expr::binary(BinaryOp::PtrAdd, base, offset))
    }

    fn call(&mut self, p: &mut Procedure, text: &str) -> Option<(Callee, Vec<Expr>, usize)> {
        let (name, args) = text.strip_suffix(')')?.split_once('(')?;
        let args: Vec<Expr> = args
            .split(',')
            .map(str::trim)
            .filter(|a| !a.is_empty())
            .map(|a| self.expr(p, a))
            .collect();
        if let Some(id) = self.ids.get(name) {
            return Some((Callee::Procedure(*id), args, self.returns[name]));
        }
        let externals = &mut self.program.externals;
        let at = externals.iter().position(|e| e.name == name).unwrap_or_else(|| {
            externals.push(External {
                name: name.to_owned(),
                kind: ExternalKind::Function,
                signature: Signature {
                    params: args.iter().map(|a| p.type_of(a)).collect(),
                    results: vec![I32],
                    variadic: false,
                },
                ctype: None,
                no_return: false,
                by_value: vec![],
            });
            externals.len() - 1
        });
        Some((Callee::External(ExternId::new(at)), args, 1))
    }

    fn stmt(&mut self, p: &mut Procedure, line: &str) -> StmtKind {
        let (align, access) = (4, Access::Plain);
        if let Some(cond) = line.strip_prefix("check ") {
            return StmtKind::Check { cond: self.expr(p, cond), trap: Trap::DivisionByZero };
        }
        if let Some(name) = line.strip_prefix("checkinit ") {
            return StmtKind::CheckInit { var: self.var(p, name) };
        }
        let Some((left, right)) = line.split_once(" = ") else {
            let (callee, args, _) = self.call(p, line).unwrap_or_else(|| panic!("{line}"));
            return StmtKind::Call { results: vec![], callee, args };
        };
        if let Some(addr) = self.address(p, left) {
            return StmtKind::Store { addr, value: self.expr(p, right), align, access };
        }
        if let Some(addr) = self.address(p, right) {
            return StmtKind::Load { dst: self.var(p, left), addr, align, access };
        }
        if let Some((callee, args, _)) = self.call(p, right) {
            return StmtKind::Call { results: vec![self.var(p, left)], callee, args };
        }
        let value = self.expr(p, right);
        StmtKind::Assign { dst: self.var(p, left), value }
    }

    fn end(
        &mut self,
        p: &mut Procedure,
        labels: &HashMap<&str, BlockId>,
        line: &str,
    ) -> Option<TerminatorKind> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some(match words[0] {
            "goto" => TerminatorKind::Goto(labels[words[1]]),
            "if" => TerminatorKind::Branch {
                cond: self.expr(p, &words[1..4].join(" ")),
                then: labels[words[4]],
                otherwise: labels[words[5]],
            },
            "switch" => TerminatorKind::Switch {
                value: self.expr(p, words[1]),
                cases: words[2..words.len() - 1]
                    .iter()
                    .map(|w| {
                        let (n, b) = w.split_once(':').expect("n:block");
                        (n.parse().expect("a number"), labels[b])
                    })
                    .collect(),
                default: labels[words[words.len() - 1]],
            },
            "return" => {
                TerminatorKind::Return(words[1..].iter().map(|w| self.expr(p, w)).collect())
            }
            "trap" => TerminatorKind::Trap(Trap::Abort),
            _ => return None,
        })
    }
}
