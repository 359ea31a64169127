//! Where memory without a value may get to.
//!
//! A struct whose fields have no value yet can be copied as a whole, and is then found in a global that everyone takes to
//! be initialised. Whoever reads such a global may trap, also where its address is fixed: a proof for entry states, which are
//! initialised everywhere, says nothing of calls then.

use std::collections::BTreeSet;
use verdiff_model::{Address, BinaryOp, Callee, Expr, Opaque, OpaqueCall, Program, Side, StmtKind};
use verdiff_symex::libc::{Written, known_external, touched};
use verdiff_symex::regions::{RegionId, Regions};

/// The regions into which some procedure of either version copies memory as it is.
pub fn spread(programs: [&Program; 2], regions: &Regions) -> BTreeSet<RegionId> {
    let mut found = BTreeSet::new();
    for (side, program) in Side::BOTH.into_iter().zip(programs) {
        for id in program.procedure_ids() {
            if let Some(opaque) = program.procedure(id).opaque.as_deref()
                && copies(program, opaque)
            {
                // It may do so to whatever it names, and to whatever its pointers lead to.
                found.insert(regions.outside());
                found.extend(opaque.names.iter().filter_map(|address| match address {
                    Address::Global(global) => Some(regions.of_global(side, *global)),
                    _ => None,
                }));
            }
            let mut note = |to: &Expr| found.insert(regions.region_of(side, id, to));
            let blocks = &program.procedure(id).blocks;
            for stmt in blocks.iter().flat_map(|block| &block.stmts) {
                match &stmt.kind {
                    StmtKind::Copy { dst, src, .. } if !is_constant(program, src) => {
                        note(dst);
                    }
                    StmtKind::Call { callee: Callee::External(external), args, .. } => {
                        let known = known_external(program.external(*external));
                        let Some(known) = known else { continue };
                        if matches!(&known.written, Written::Params(from) if !from.is_empty()) {
                            for n in touched(known, program, args).writes {
                                note(&args[n]);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    found
}

/// Whether code that could not be lowered may copy memory without a value.
fn copies(program: &Program, opaque: &Opaque) -> bool {
    let external = |call: &OpaqueCall| match call {
        OpaqueCall::External(id) => known_external(program.external(*id)).is_some_and(
            |known| matches!(&known.written, Written::Params(from) if !from.is_empty()),
        ),
        OpaqueCall::Procedure(_) | OpaqueCall::Unknown => false,
    };
    opaque.copies || opaque.calls.iter().any(external)
}

/// Whether a fixed place is in a global that may hold memory without a value.
pub fn may_be_unwritten(
    side: Side,
    program: &Program,
    regions: &Regions,
    spread: &BTreeSet<RegionId>,
    place: &Expr,
) -> bool {
    match place {
        Expr::Address(Address::Global(id)) => {
            !program.global(*id).constant && spread.contains(&regions.of_global(side, *id))
        }
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => {
            may_be_unwritten(side, program, regions, spread, lhs)
        }
        _ => false,
    }
}

fn is_constant(program: &Program, src: &Expr) -> bool {
    match src {
        Expr::Address(Address::Global(id)) => program.global(*id).constant,
        Expr::Binary { op: BinaryOp::PtrAdd, lhs, .. } => is_constant(program, lhs),
        _ => false,
    }
}
