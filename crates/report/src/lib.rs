//! All texts about a comparison: typed data become a report, for a terminal and as JSON.
//!
//! | item | what it is |
//! |---|---|
//! | [`json()`] | the JSON report of docs/book/scripts.md, and witnesses read back from one |
//! | [`text()`] | the report for a terminal |
//! | [`exit_code`] | the exit code |
//! | [`clients_text`], [`clients_json`] | many clients of one library, one line each |
//! | [`correlation_text`], [`correlation_json`], [`correlation_svg`] | correlated states |
//! | [`Report::of`] | the results of a run as texts |
//! | [`ConditionPrinter`] | conditions as C |
//! | [`show_witness`] | entry states and outcomes in the names and types of C |
//!
//! Architecture invariant: a report decides nothing; it writes down what it is given.

#![forbid(unsafe_code)]

mod c_condition;
mod clients;
mod conditions;
mod correlation;
mod describe;
mod impact;
mod json;
mod proof;
mod remark;
mod replay_sentences;
mod report;
mod revisions;
mod sentences;
mod summary;
mod text;
mod witness_view;

pub use c_condition::{ConditionPrinter, NULL_ZONE, negation};
pub use clients::{Client, ClientTrouble, clients_exit_code, clients_json, clients_text};
pub use correlation::{correlation_json, correlation_svg, correlation_text};
pub use json::{ReadError, json, witnesses};
pub use proof::proof_sentence;
pub use remark::{Remark, accepts_nothing};
pub use replay_sentences::replay_problem;
pub use report::{
    ConditionText, EvidenceReport, LocalReport, NotCompared, PairReport, Report, WitnessReport,
};
pub use revisions::{RevisionNote, does_not_compile, revision_note};
pub use sentences::stop_reason;
pub use summary::{ImpactCounts, Summary, exit_code};
pub use text::{Style, text};
pub use witness_view::{
    ArgumentWrite, ExternalCallView, GlobalWrite, MemoryView, OutcomeView, PointeeKind, ValueView,
    WitnessView, show_witness,
};
