//! Globals that a program declares and nobody defines.
//!
//! The interpreter takes them to be zero at the start; so the linked program gets them too, as weak
//! zeros, and a table by which the driver finds them. What the C library defines is
//! left to it.

use std::fmt::Write;
use verdiff_model::Program;

/// Data of the C library that programs declare.
const LIBRARY_DATA: &[&str] = &[
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "__environ",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "timezone",
    "daylight",
    "tzname",
    "signgam",
    "program_invocation_name",
    "program_invocation_short_name",
];

/// Whether the C library defines a global, with contents that only it knows.
pub(crate) fn is_of_the_library(global: &verdiff_model::Global) -> bool {
    global.init.is_none() && LIBRARY_DATA.contains(&global.symbol.as_str())
}

/// An assembly file that defines them and the table `verdiff_outside`; `None` if there are none.
pub(super) fn assembly(program: &Program) -> Option<String> {
    let outside = |g: &&verdiff_model::Global| {
        g.init.is_none()
            && !g.thread_local
            && g.linkage == verdiff_model::Linkage::External
            && !LIBRARY_DATA.contains(&g.symbol.as_str())
            && g.symbol.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
    };
    if !program.globals.iter().any(|g| outside(&g)) {
        return None;
    }
    let mut text = String::from(".bss\n");
    for g in program.globals.iter().filter(outside) {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            ".weak {0}\n.balign {1}\n{0}: .zero {2}\n",
            g.symbol,
            g.align.max(1),
            g.size.max(1)
        );
    }
    text.push_str(".section .data.rel.ro,\"aw\"\n.balign 8\n.globl verdiff_outside\n");
    text.push_str("verdiff_outside:\n");
    for g in &program.globals {
        let name = if outside(&g) { &g.symbol } else { "0" };
        let _ = writeln!(text, ".quad {name}");
    }
    text.push_str(".section .note.GNU-stack,\"\",@progbits\n");
    Some(text)
}
