//! Which procedures belong together, in which order they are judged, and by whom.
//!
//! [`matching`](matching()) makes pairs of two versions and says what changed; a [`Plan`] judges them bottom-up over
//! the joint call graph: what is unchanged costs nothing, what is the same code up to names almost nothing, and the
//! rest goes to worker processes ([`worker::serve`]), each pair under a limit of its own.
//!
//! Architecture invariant: the plan knows engines by their interface and their price. It knows neither where
//! programs come from nor how results are shown.

#![forbid(unsafe_code)]

mod account;
mod cache;
mod caller_impact;
mod clock;
mod correlated;
mod error;
mod impact;
pub mod job;
mod known;
mod limits;
mod local;
mod matching;
mod order;
mod pool;
mod progress;
mod queue;
mod replay;
mod replay_cache;
mod restricted;
mod run;
mod same;
mod schedule;
mod signature;
mod static_variables;
mod sub_pairs;
mod translated;
mod work;
pub mod worker;

pub use account::account;
pub use cache::{Cache, scope};
pub use clock::Clock;
pub use error::PlanError;
pub use limits::{JobOrder, Limits, PartialJobs};
pub use matching::{Matched, matching};
pub use order::Order;
pub use pool::{Spare, WorkerCommand, Workers};
pub use progress::{Found, Progress};
pub use replay_cache::ReplayCache;
pub use run::{PairResult, Plan, Results};
pub use signature::{Common, CommonPart};
