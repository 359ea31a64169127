//! How a procedure is called in compiled form.

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
