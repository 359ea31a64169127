//! All texts about a comparison: typed data become a report, for a terminal, as JSON and as SARIF.
//!
//! | item | what it is |
//! |---|---|
//! | [`json()`] | the JSON report of docs/book/scripts.md, and witnesses read back from one |
//! | [`text()`] | the report for a terminal |
//! | [`sarif()`] | SARIF 2.1.0, for code scanning and editors |
//! | [`html()`] | one page for a browser |
//! | [`markdown()`] | a comment of at most 60 lines |
//! | [`code_quality()`] | GitLab's code quality report |
//! | [`lenses`] | the lines that an editor shows above functions |
//! | [`explain_function`], [`explain_code`] | the explanation of a verdict, the meaning of a code |
//! | [`exit_code`] | the exit code |
//! | [`clients_text`], [`clients_json`] | many clients of one library, one line each |
//! | [`correlation_text`], [`correlation_json`], [`correlation_svg`] | correlated states |
//! | [`Report::of`] | the results of a run as texts |
//! | [`ConditionPrinter`] | conditions as C |
//! | [`show_witness`] | entry states and outcomes in the names and types of C |
//!
//! Architecture invariant: a report decides nothing; it writes down what it is given.

#![forbid(unsafe_code)]

mod acceptable;
mod alignment;
mod audit;
mod baseline;
mod c_condition;
mod clients;
mod code_quality;
mod conditions;
mod correlation;
mod describe;
mod executed;
mod explain;
mod function_diff;
mod html;
mod impact;
mod json;
mod lens;
mod markdown;
mod proof;
mod remark;
mod replay_sentences;
mod report;
mod revisions;
mod rules;
mod sarif;
mod sentences;
mod summary;
mod text;
mod witness_view;
mod wording;

pub use acceptable::{AcceptedDifference, accept_summary, acceptable};
pub use audit::{
    AuditAnswer, AuditProblem, AuditedFunction, AuditedProof, audit_exit_code, audit_text,
    audited_functions, evidence_file, obligations_in,
};
pub use baseline::Baseline;
pub use c_condition::{ConditionPrinter, NULL_ZONE, negation};
pub use clients::{Client, ClientTrouble, clients_exit_code, clients_json, clients_text};
pub use code_quality::code_quality;
pub use correlation::{correlation_json, correlation_svg, correlation_text};
pub use explain::{explain_code, explain_function, explained_codes};
pub use html::{HtmlError, html};
pub use json::{ReadError, json, witnesses};
pub use lens::{Lens, lenses};
pub use markdown::{MOST_LINES, markdown};
pub use proof::proof_sentence;
pub use remark::{Remark, accepts_nothing};
pub use replay_sentences::replay_problem;
pub use report::{
    ConditionText, EvidenceReport, LocalReport, NotCompared, PairReport, Report, WitnessReport,
};
pub use revisions::{RevisionNote, does_not_compile, revision_note};
pub use sarif::sarif;
pub use sentences::stop_reason;
pub use summary::{FailOn, ImpactCounts, Summary, exit_code};
pub use text::{Style, text};
pub use witness_view::{
    ArgumentWrite, ExternalCallView, GlobalWrite, MemoryView, OutcomeView, PointeeKind, ValueView,
    WitnessView, show_witness,
};
