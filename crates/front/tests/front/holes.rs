//! Bodies with holes: what is lowered around instructions that cannot be, and which of those are told apart.

use verdiff_front::{Inputs, load};
use verdiff_model::{
    Address, Expr, Opaque, OpaqueCall, Procedure, Program, StmtKind, TerminatorKind, VarKind,
    validate,
};

fn program(source: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.c");
    let head = "#include <stdarg.h>\n#include <setjmp.h>\nstatic jmp_buf b;\n";
    std::fs::write(&path, format!("{head}{source}")).unwrap();
    let loaded = load(&Inputs { paths: vec![path], ..Inputs::default() }).unwrap();
    validate(&loaded.program).unwrap_or_else(|problems| panic!("{problems:?}"));
    loaded.program
}

fn f(program: &Program) -> &Procedure {
    program.procedure(program.procedure_named("f").unwrap())
}

/// `f` with its holes, which must be unsupported and without blocks for everybody else.
fn opened(source: &str) -> Procedure {
    let program = program(source);
    let f = f(&program);
    assert!(!f.is_supported() && f.blocks.is_empty() && f.opaque.is_some());
    f.opened().unwrap_or_else(|| panic!("no body: {source}"))
}

/// The holes of `f`.
fn holes(source: &str) -> Vec<Opaque> {
    opened(source).holes().cloned().collect()
}

fn code(source: &str) -> u128 {
    let holes = holes(source);
    assert_eq!(holes.len(), 1, "{source}");
    holes[0].code
}

/// `asm goto` with a template, operands and clobbers.
fn assembly(declarations: &str, template: &str, operands: &str, clobbers: &str) -> String {
    format!(
        "int f(int x, int y) {{
             {declarations}
             __asm__ goto(\"{template}\" : : {operands} : {clobbers} : other);
             return x + y;
         other: return 3;
         }}"
    )
}

#[test]
fn code_around_holes_is_lowered() {
    let list = opened(
        "int f(long double n, ...) { va_list l; int s = n; va_start(l, n); s += va_arg(l, int); va_end(l); return s * 2; }",
    );
    assert_eq!(list.holes().count(), 1);
    assert!(list.variadic && list.params.len() == 1 && list.locals.len() == 1);
    assert!(list.blocks.len() > 3, "va_arg is code like any other");
    let jumps = opened("int f(int x) { if (setjmp(b)) return x; x += 4; longjmp(b, 1); }");
    let twice: Vec<bool> = jumps.holes().map(|hole| hole.returns_twice).collect();
    assert_eq!(twice, [true]);
    let ways = opened(&assembly("", "jmp %l1", "\"r\"(x)", "\"cc\""));
    let ends = ways.blocks.iter().map(|block| &block.end.kind);
    let switches = ends.filter(|end| matches!(end, TerminatorKind::Switch { .. }));
    assert_eq!(switches.map(|end| end.successors().len()).collect::<Vec<_>>(), [2]);
    assert_eq!(ways.holes().count(), 1);
}

#[test]
fn operands_and_what_is_written_are_those_of_the_statement() {
    let args = |[first, second]: [&str; 2]| {
        let source = format!(
            "int f(long double n, ...) {{ va_list k, l; va_start({first}, n); va_start({second}, n); return va_arg(k, int) + va_arg(l, int); }}"
        );
        let opened = opened(&source);
        let stmts = opened.blocks.iter().flat_map(|block| &block.stmts);
        let mut found: Vec<Vec<String>> = vec![];
        for stmt in stmts {
            if let StmtKind::Hole { args, .. } = &stmt.kind {
                let local = |e: &Expr| match e {
                    Expr::Address(Address::Local(l)) => opened.local(*l).name.clone(),
                    other => format!("{other:?}"),
                };
                found.push(args.iter().map(local).collect());
            }
        }
        found
    };
    assert_eq!(args(["k", "l"]), [vec!["k"], vec!["l"]]);
    assert_eq!(args(["l", "k"]), [vec!["l"], vec!["k"]]);
}

#[test]
fn what_is_no_operand_is_part_of_the_fingerprint() {
    let plain = code(&assembly("", "jmp %l1", "\"r\"(x)", "\"cc\""));
    assert_eq!(plain, code(&assembly("", "jmp %l1", "\"r\"(x)", "\"cc\"")));
    // Names and numbers of values before it are none of it.
    assert_eq!(plain, code(&assembly("int q = 3; (void)q;", "jmp %l1", "\"r\"(x)", "\"cc\"")));
    assert_eq!(
        plain,
        code(&assembly("", "jmp %l1", "\"r\"(x)", "\"cc\"").replace("other", "else_"))
    );
    // Template, constraints, clobbers, constants, how many operands.
    assert_ne!(plain, code(&assembly("", "jmp  %l1", "\"r\"(x)", "\"cc\"")));
    assert_ne!(plain, code(&assembly("", "jmp %l1", "\"m\"(x)", "\"cc\"")));
    assert_ne!(plain, code(&assembly("", "jmp %l1", "\"r\"(x)", "\"cc\", \"memory\"")));
    assert_ne!(plain, code(&assembly("", "jmp %l1", "\"r\"(1)", "\"cc\"")));
    assert_ne!(plain, code(&assembly("", "jmp %l1", "\"r\"(x), \"r\"(x)", "\"cc\"")));
    assert_ne!(
        code(&assembly("", "jmp %l1", "\"r\"(1)", "\"cc\"")),
        code(&assembly("", "jmp %l1", "\"r\"(2)", "\"cc\""))
    );
    // What the instruction is part of.
    let strict = "__attribute__((target(\"avx2\"))) ";
    assert_ne!(
        plain,
        code(&assembly("", "jmp %l1", "\"r\"(x)", "\"cc\"").replacen(
            "int f",
            &format!("{strict}int f"),
            1
        ))
    );
}

#[test]
fn what_a_hole_calls_and_names_is_known() {
    let source = "int g(void) { return 1; } int v;
        int f(int x) { __asm__ goto(\"call g; mov v, %0\" : : \"r\"(x) : \"memory\" : other); return 1; other: return 2; }";
    let program = program(source);
    let found = f(&program).opened().unwrap();
    let hole = found.holes().next().unwrap();
    let g = program.procedure_named("g").unwrap();
    let v = program.global_named("v").unwrap();
    assert!(hole.calls.contains(&OpaqueCall::Procedure(g)), "{hole:?}");
    assert!(hole.calls.contains(&OpaqueCall::Unknown));
    assert!(hole.names.contains(&Address::Global(v)));
    let jump = holes("int f(void) { return setjmp(b); }");
    assert!(jump[0].calls.iter().any(|call| matches!(call, OpaqueCall::External(_))));
}

/// What was read before the first return of `setjmp` is not read anew in the second one.
#[test]
fn values_read_before_something_returns_twice_are_kept() {
    let found = opened("int f(int x) { int y = x * 3; return y + setjmp(b); }");
    let mut read = vec![];
    for block in &found.blocks {
        if let TerminatorKind::Return(values) = &block.end.kind {
            values.iter().for_each(|e| e.vars(&mut |v| read.push(found.var(v).kind)));
        }
    }
    assert_eq!(read, [VarKind::Temporary; 2]);
}

/// What has values that the model does not know has no body with holes, nor has what needs the address of a label.
#[test]
fn not_every_instruction_makes_a_hole() {
    let body = |source: &str| f(&program(source)).with_holes.is_some();
    let list = |more: &str| {
        format!(
            "int f(long double n, ...) {{ va_list l; va_start(l, n); {more} return va_arg(l, int); }}"
        )
    };
    assert!(body(&list("")));
    assert!(!body(&list("_BitInt(200) wide = n; wide *= wide; if (wide == 4) return 1;")));
    let label = "void *p = &&here; __asm__ goto(\"jmp *%0\" : : \"i\"(&&here) : : here); here: if (p) return 1;";
    assert!(!body(&list(label)));
}
