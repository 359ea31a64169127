//! `verdiff --version`: verdiff's own version, and those of the libraries whose answers it relies on.

use std::sync::LazyLock;
use verdiff_logic::solver::Z3;

/// The version, with those of LLVM and Z3.
pub static TEXT: LazyLock<String> = LazyLock::new(|| {
    let (llvm, z3) = (verdiff_front::llvm_version(), Z3::version());
    format!("{}\nLLVM {llvm}\nZ3 {z3}", env!("CARGO_PKG_VERSION"))
});
