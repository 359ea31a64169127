//! Names without doubles.

use crate::expr::{Address, Expr};
use crate::program::{Procedure, Program, VarKind};
use std::collections::HashSet;

/// The names of a program's globals, procedures and externals.
pub(super) struct ProgramNames {
    pub(super) globals: Vec<String>,
    pub(super) procedures: Vec<String>,
}

impl ProgramNames {
    /// The name in the source goes to whoever comes first; others go by their symbol, which
    /// is unique.
    pub(super) fn of(program: &Program) -> ProgramNames {
        let mut taken = HashSet::new();
        let mut pick = |name: &str, symbol: &str| {
            if !name.is_empty() && taken.insert(name.to_owned()) {
                return name.to_owned();
            }
            unused(&mut taken, symbol)
        };
        let procedures = program.procedures.iter().map(|p| pick(&p.name, &p.symbol)).collect();
        let globals = program.globals.iter().map(|g| pick(&g.name, &g.symbol)).collect();
        ProgramNames { globals, procedures }
    }
}

/// The names of a procedure's variables and local objects.
pub(super) struct Names {
    pub(super) vars: Vec<String>,
    pub(super) locals: Vec<String>,
    /// Which variables occur in the code.
    pub(super) used: Vec<bool>,
}

impl Names {
    pub(super) fn of(program: &Program, names: &ProgramNames, procedure: &Procedure) -> Names {
        let Mentioned { names: mut taken, vars: used } = mentioned(program, names, procedure);
        let mut vars = vec![String::new(); procedure.vars.len()];
        let named = |i: usize| {
            let var = &procedure.vars[i];
            var.kind != VarKind::Temporary && !var.name.is_empty()
        };
        // Parameters first: theirs are the names a reader knows.
        let params = procedure.params.iter().map(|p| p.index());
        for i in params.chain(0..procedure.vars.len()).filter(|i| named(*i)) {
            if vars[i].is_empty() {
                vars[i] = unused(&mut taken, &procedure.vars[i].name);
            }
        }
        let locals = procedure
            .locals
            .iter()
            .map(|l| unused(&mut taken, if l.name.is_empty() { "object" } else { &l.name }))
            .collect();
        // Those that occur are counted first, so that the numbers a reader sees have no gaps.
        let mut numbers = (1u64..).map(|n| format!("t{n}"));
        for occurs in [true, false] {
            for (name, _) in vars.iter_mut().zip(&used).filter(|(_, u)| **u == occurs) {
                if name.is_empty() {
                    *name = numbers
                        .find(|candidate| taken.insert(candidate.clone()))
                        .expect("some number is free");
                }
            }
        }
        Names { vars, locals, used }
    }
}

/// The name, or the name with the first free number from 2 on.
fn unused(taken: &mut HashSet<String>, name: &str) -> String {
    if taken.insert(name.to_owned()) {
        return name.to_owned();
    }
    (2u64..)
        .map(|n| format!("{name}_{n}"))
        .find(|candidate| taken.insert(candidate.clone()))
        .expect("some number is free")
}

/// What a procedure mentions: names of globals and functions, for which a variable of the same
/// name would be taken, and which of its variables.
struct Mentioned {
    names: HashSet<String>,
    vars: Vec<bool>,
}

fn mentioned(program: &Program, names: &ProgramNames, procedure: &Procedure) -> Mentioned {
    let mut used = HashSet::new();
    let mut vars = vec![false; procedure.vars.len()];
    let mut visit = |e: &Expr| {
        e.walk(&mut |e| match e {
            Expr::Address(Address::Global(g)) => {
                used.insert(names.globals[g.index()].clone());
            }
            Expr::Address(Address::Procedure(p)) => {
                used.insert(names.procedures[p.index()].clone());
            }
            Expr::Address(Address::External(x)) => {
                used.insert(program.external(*x).name.clone());
            }
            _ => {}
        });
    };
    for block in &procedure.blocks {
        for stmt in &block.stmts {
            stmt.kind.exprs().into_iter().for_each(&mut visit);
            stmt.kind.reads(&mut |v| vars[v.index()] = true);
            stmt.kind.writes().iter().for_each(|v| vars[v.index()] = true);
        }
        for e in block.end.kind.exprs() {
            visit(e);
            e.vars(&mut |v| vars[v.index()] = true);
        }
    }
    Mentioned { names: used, vars }
}
