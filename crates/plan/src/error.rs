//! What can go wrong before anything is judged.

/// A mistake in what was asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// `--entry` names nothing.
    #[error("{name}: no such function in both versions; they both define {}", .there.join(", "))]
    NoSuchEntry {
        /// The name.
        name: String,
        /// Some that are there.
        there: Vec<String>,
    },
    /// `--rename` names nothing.
    #[error("--rename: the {side} version has no function {name}")]
    NoSuchRename {
        /// The name.
        name: String,
        /// Which version.
        side: &'static str,
    },
}
