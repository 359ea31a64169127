//! Programs to try inputs on: functions with instructions that the model cannot express can be run, with a guess in the
//! place of each.
//!
//! Nobody knows what such an instruction does, so nothing that a run of a trial program shows is a prediction: it is an
//! input that is worth running on the compiled programs, which decide. No proof looks at one. The guesses are the same
//! in both versions for the same instruction:
//!
//! | instruction | guess |
//! |---|---|
//! | `setjmp` | returns 0, and again when `longjmp` goes back to it ([`interp`](crate::interp)) |
//! | `asm goto` | goes on at a label that a hash of the instruction, its operands and all events so far chooses |
//!
//! Of all others no guess is good enough: a function with one stays as it is (`va_start`, `vfork`).

use crate::expr::{Address, BinaryOp, Const, Expr};
use crate::ids::{ExternId, VarId};
use crate::interp::returns_twice;
use crate::opaque::{Opaque, OpaqueCall};
use crate::program::{Block, External, ExternalKind, Procedure, Program};
use crate::stmt::{Access, Callee, Signature, Stmt, StmtKind, TerminatorKind};
use crate::types::Type;

/// The program in which functions with holes can be run; `None` if there is none.
pub fn trial(program: &Program) -> Option<Program> {
    let mut trial = program.clone();
    let mut guessed = false;
    for index in 0..trial.procedures.len() {
        let procedure = &program.procedures[index];
        if procedure.is_supported() {
            continue;
        }
        if let Some(executable) = procedure.opened().and_then(|opened| filled(&mut trial, opened)) {
            trial.procedures[index] = executable;
            guessed = true;
        }
    }
    if !guessed {
        return None;
    }
    for block in trial.procedures.iter_mut().flat_map(|procedure| &mut procedure.blocks) {
        block.stmts.iter_mut().for_each(|stmt| make_plain(&mut stmt.kind));
    }
    Some(trial)
}

/// Of volatile accesses nobody sees anything in a compiled program: what differs in them alone is not worth running.
fn make_plain(kind: &mut StmtKind) {
    if let StmtKind::Load { access, .. }
    | StmtKind::Store { access, .. }
    | StmtKind::Copy { access, .. }
    | StmtKind::Fill { access, .. } = kind
        && *access == Access::Volatile
    {
        *access = Access::Plain;
    }
}

/// A procedure with a guess in the place of each hole.
fn filled(trial: &mut Program, mut opened: Procedure) -> Option<Procedure> {
    let blocks = std::mem::take(&mut opened.blocks);
    let mut guesses = vec![];
    for mut block in blocks {
        let labels = labels(&block);
        let mut stmts = vec![];
        for stmt in std::mem::take(&mut block.stmts) {
            let Stmt { kind: StmtKind::Hole { results, code, args }, loc } = stmt else {
                stmts.push(stmt);
                continue;
            };
            let callee = match code.returns_twice {
                true => setjmp(trial, &code, args.len())?,
                false => {
                    // Assembly without labels is no hole; whatever else is one cannot be guessed.
                    labels.filter(|(label, _)| results.first() == Some(label))?;
                    operation(trial, &opened, &code, &results, &args)
                }
            };
            let callee = Callee::External(callee);
            stmts.push(Stmt { kind: StmtKind::Call { results, callee, args }, loc });
        }
        if let (Some((label, count)), Some(last)) = (labels, stmts.last()) {
            let loc = last.loc;
            stmts.push(Stmt { kind: one_of(label, count), loc });
        }
        guesses.push(Block { stmts, ..block });
    }
    opened.blocks = guesses;
    Some(opened)
}

/// The variable by which control goes on behind `asm goto`, and the number of labels.
fn labels(block: &Block) -> Option<(VarId, u128)> {
    let StmtKind::Hole { results, .. } = &block.stmts.last()?.kind else { return None };
    let TerminatorKind::Switch { value: Expr::Var(by), cases, .. } = &block.end.kind else {
        return None;
    };
    (results.first() == Some(by)).then_some((*by, cases.len() as u128 + 1))
}

/// `label = label % count`: each is as likely.
fn one_of(label: VarId, count: u128) -> StmtKind {
    let count = Expr::Const(Const { ty: Type::Int(32), bits: count });
    let value = Expr::binary(BinaryOp::URem, Expr::Var(label), count);
    StmtKind::Assign { dst: label, value }
}

/// The function that a hole calls, if it is one that is known to return twice and do nothing else.
fn setjmp(program: &Program, code: &Opaque, args: usize) -> Option<ExternId> {
    let [OpaqueCall::External(id)] = code.calls[..] else { return None };
    let external = program.external(id);
    let fits = returns_twice(external) && external.signature.params.len() == args;
    fits.then_some(id)
}

/// An operation that nothing is known of, for each instruction and what it names.
fn operation(
    trial: &mut Program,
    procedure: &Procedure,
    code: &Opaque,
    results: &[VarId],
    args: &[Expr],
) -> ExternId {
    let names: Vec<&str> = code.names.iter().map(|address| name(trial, *address)).collect();
    let name = format!("instruction {:032x} {}", code.code, names.join(" "));
    let signature = Signature {
        params: args.iter().map(|arg| procedure.type_of(arg)).collect(),
        results: results.iter().map(|var| procedure.var(*var).ty).collect(),
        variadic: false,
    };
    let same = |e: &External| e.name == name && e.signature == signature;
    if let Some(index) = trial.externals.iter().position(same) {
        return ExternId::new(index);
    }
    let by_value = vec![None; signature.params.len()];
    let kind = ExternalKind::Assembly;
    trial.externals.push(External {
        name,
        kind,
        signature,
        ctype: None,
        no_return: false,
        by_value,
    });
    ExternId::new(trial.externals.len() - 1)
}

/// What the linker calls it, which is the same in both versions.
fn name(program: &Program, address: Address) -> &str {
    match address {
        Address::Global(id) => &program.global(id).symbol,
        Address::Procedure(id) => &program.procedure(id).symbol,
        Address::External(id) => &program.external(id).name,
        Address::Local(_) => "",
    }
}
