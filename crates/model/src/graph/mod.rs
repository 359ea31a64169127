//! Graphs over a program: control flow within a procedure and what is computed from
//! it, and the call graph between procedures.
//!
//! Nothing here recurses over blocks or procedures: a function of 50,000 blocks must
//! not end the run with a full stack.

pub mod assigned;
pub mod calls;
pub mod dominators;
pub mod established;
pub mod explode;
pub mod flow;
pub mod liveness;
pub mod loops;
pub mod reducible;
pub mod substitute;
pub mod tidy;

pub use calls::CallGraph;
pub use dominators::DominatorTree;
pub use flow::Flow;
pub use liveness::Liveness;
pub use loops::{Loop, LoopId, Loops};
