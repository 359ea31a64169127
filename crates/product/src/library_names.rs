//! Variables that all files see, and whether a library may look for them by name.
//!
//! A library sees a variable of the program whose name it knows: `int opterr = 0;` makes `getopt` silent. The C library keeps to names
//! that are reserved (ISO C 7.1.3: those of the standard, and those that begin with an underscore) and to those of POSIX and its own
//! extensions, which are few. So a variable with another name is the program's alone if all that the program calls
//! outside is the C library. Functions of other libraries may look for anything.

use verdiff_judge::{Comparison, PairId, Side};
use verdiff_model::graph::calls::CallGraph;
use verdiff_model::{Address, ExternalKind};
use verdiff_symex::libc::known_external;

/// Variables of C libraries whose names are not reserved by the standard.
const OF_LIBRARIES: [&str; 12] = [
    "error_message_count",
    "error_one_per_line",
    "error_print_progname",
    "getdate_err",
    "h_errno",
    "h_errlist",
    "h_nerr",
    "loc1",
    "loc2",
    "locs",
    "rpc_createerr",
    "program_name",
];

/// Beginnings of such names.
const PREFIXES: [&str; 20] = [
    "_",
    "argp_",
    "in6addr_",
    "malloc_",
    "mallwatch",
    "obstack_",
    "opt",
    "posix_",
    "program_invocation",
    "pthread_",
    "re_",
    "rpc_",
    "std",
    "str",
    "svc",
    "sys_",
    "tz",
    "xdr_",
    "mem",
    "environ",
];

/// Whether the C library surely does not know a variable by this name. Only names that look like a program's own: most of the
/// library's have neither a capital letter nor an underscore inside.
pub fn is_the_programs_own(name: &str) -> bool {
    let looks_own = name.contains(|c: char| c.is_ascii_uppercase() || c == '_');
    looks_own
        && !OF_LIBRARIES.contains(&name)
        && !PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether all that a run of `main` may call outside of the program is the C library, and nothing in it that finds symbols by name.
pub fn calls_the_c_library_alone(comparison: &Comparison, side: Side, main: PairId) -> bool {
    let program = comparison.program(side);
    let graph = CallGraph::of(program);
    if !graph.is_complete() || program.hidden_initialisers || program.assembly {
        return false;
    }
    let mut starts = vec![comparison.pair(main).of(side)];
    starts.extend_from_slice(graph.address_taken());
    for startup in program.constructors.iter().chain(&program.destructors) {
        let Address::Procedure(id) = startup.function else { return false };
        starts.push(id);
    }
    let reached = graph.reachable_from(&starts);
    let known = |name: &str| !name.starts_with("dl");
    reached.into_iter().flat_map(|id| graph.externals(id).to_vec()).all(|id| {
        let external = program.external(id);
        external.kind == ExternalKind::PureIntrinsic
            || known_external(external).is_some() && known(&external.name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_library_are_not_the_programs() {
        for name in ["MAX_LEVEL", "yaml_level", "gVerbose", "level_"] {
            assert!(is_the_programs_own(name), "{name}");
        }
        for name in [
            "opterr",
            "environ",
            "__environ",
            "_end",
            "daylight",
            "timezone",
            "signgam",
            "argp_program_version",
            "obstack_exit_failure",
            "program_invocation_name",
            "error_print_progname",
            "stdout",
            "malloc_conf",
        ] {
            assert!(!is_the_programs_own(name), "{name}");
        }
    }
}
