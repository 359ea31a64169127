//! How a procedure is called in compiled form.

use crate::program::Procedure;
use crate::types::Type;
use serde::{Deserialize, Serialize};

/// Where the wrapper of a compiled procedure finds arguments and puts results: type and byte
/// offset of each. The front end makes them, whoever runs compiled code uses them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frame {
    /// For each parameter of the procedure.
    pub args: Vec<(Type, u64)>,
    /// Size of the argument area.
    pub args_size: u64,
    /// For each result.
    pub results: Vec<(Type, u64)>,
    /// Size of the result area.
    pub results_size: u64,
    /// For each parameter that points to a struct passed by value (or to variadic arguments), the size of that.
    pub by_value: Vec<Option<u64>>,
    /// For a procedure with [areas](crate::Procedure::areas), where in the argument area their contents are passed: the register
    /// area, the stack area behind it. The last two of `by_value` are their sizes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub areas: Option<u64>,
}

impl Frame {
    /// A frame for a procedure that nobody calls in compiled form: each argument and result in a slot of its own.
    pub fn plain(procedure: &Procedure) -> Frame {
        const SLOT: u64 = 16;
        let slots = |types: &mut dyn Iterator<Item = Type>| -> Vec<(Type, u64)> {
            types.enumerate().map(|(n, ty)| (ty, n as u64 * SLOT)).collect()
        };
        let args = slots(&mut procedure.params.iter().map(|param| procedure.var(*param).ty));
        let results = slots(&mut procedure.results.iter().copied());
        Frame {
            args_size: args.len() as u64 * SLOT,
            results_size: results.len() as u64 * SLOT,
            by_value: vec![None; args.len()],
            args,
            results,
            areas: None,
        }
    }
}
