//! Everything that people and scripts read about a comparison: from typed data to words, for a terminal and as JSON.
//!
//! | module | what it makes |
//! |---|---|
//! | [`json()`] | the JSON report of docs/book/scripts.md, and witnesses read back from one |
//! | [`text()`] | what a person reads |
//! | [`exit_code`] | what a script reads |
//! | [`clients_text`], [`clients_json`] | many clients of one library, one line each |
//! | [`Report::of`] | words for what a run found out |
//! | [`Wording`] | conditions as C |
//! | [`show_witness`] | entry states and outcomes in the names and types of C |
//!
//! Architecture invariant: a report decides nothing; it writes down what it is given.

#![forbid(unsafe_code)]

mod clients;
mod conditions;
mod describe;
mod impact;
mod json;
mod proof;
mod remark;
mod replay_words;
mod report;
mod revisions;
mod shown;
mod summary;
mod text;
mod wording;
mod words;

pub use clients::{Client, ClientTrouble, clients_exit_code, clients_json, clients_text};
pub use json::{ReadError, json, witnesses};
pub use proof::because;
pub use remark::{Remark, accepts_nothing};
pub use replay_words::replay_problem;
pub use report::{
    ConditionShown, EvidenceReport, LocalReport, NotCompared, PairReport, Report, WitnessReport,
};
pub use revisions::{RevisionNote, does_not_compile, revision_note};
pub use shown::{
    EndShown, ExternalShown, FillShown, MemoryShown, Target, ValueShown, WitnessShown, WriteShown,
    show_witness,
};
pub use summary::{Reach, Summary, exit_code};
pub use text::{Style, text};
pub use wording::{NULL_ZONE, Wording, opposite};
pub use words::stop_reason;
