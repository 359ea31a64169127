//! What the states of two versions have to do with each other at the points where they can be seen, as data:
//! outputs and
//! ends. Found by the engine `correlate`; texts are made in `report`.

use serde::{Deserialize, Serialize};

/// The correlated states of a pair.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Correlation {
    /// The function.
    pub function: String,
    /// The window and the partition interval of the search.
    pub window: u32,
    /// How many sub-states with the same equalities were kept apart.
    pub interval: u32,
    /// How many steps of either version were executed in all searches.
    pub steps: u64,
    /// Whether a separate pass has found the state map to be inductive. If not, nothing is claimed, and there
    /// are no points.
    pub inductive: bool,
    /// Whether calls of the function itself are taken for equal, which the equality of all ends justifies.
    pub induction: bool,
    /// Outputs and ends, in the order of lines.
    pub points: Vec<Point>,
    /// All pairs of meeting points, for the picture.
    pub meetings: Vec<Meeting>,
    /// Why there is nothing, if there is nothing.
    pub stopped: Option<CorrelationStop>,
}

impl Correlation {
    /// The states in which both versions, or one of them, have ended and what can be seen may differ; with what holds
    /// of the entry values there. In all other states found the ends are equal.
    pub fn differing_ends(&self) -> impl Iterator<Item = (&PointState, &[Relation])> {
        let ended = |point: &&Point| {
            let is_end = |event: &Event| !matches!(event.kind, EventKind::Output(_));
            !point.equal && (is_end(&point.old) || is_end(&point.new))
        };
        let states = self.points.iter().filter(ended).flat_map(|point| &point.states);
        states.filter(|state| !state.seen_equal).map(|state| (state, &state.entry[..]))
    }
}

/// Why there is no map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CorrelationStop {
    /// A construct that states cannot describe, and its line.
    Unsupported {
        /// Which one.
        construct: String,
        /// Where.
        line: u32,
    },
    /// Too many steps.
    Budget,
    /// The map that was found is not inductive: a bug, or a limit of an inclusion test.
    NotInductive,
}

/// A pair of locations at which both versions can be seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// What the old version does there.
    pub old: Event,
    /// What the new version does there.
    pub new: Event,
    /// Whether all that can be seen is proved to be equal, in every run that gets there: the outputs so far
    /// with the one that
    /// is made here; at ends the result and the memory too.
    pub equal: bool,
    /// The possible states; one of them is the case whenever both versions get there together.
    pub states: Vec<PointState>,
}

/// What a version does at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// What kind of thing.
    pub kind: EventKind,
    /// The line, 0 if it is not known.
    pub line: u32,
}

/// What kind of thing happens at a point.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A call that does I/O or is unknown.
    Output(String),
    /// The function returns.
    Return,
    /// The process is ended by a function that does not return.
    Exit,
    /// A trap.
    Trap(String),
}

/// One possible state at a point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointState {
    /// Variables with a value in both versions, that are equal.
    pub equal: Vec<String>,
    /// Those that are not proved to be equal.
    pub unequal: Vec<String>,
    /// Relations between variables: `x` of the old version and `x'` of the new one, or entry values.
    pub relations: Vec<Relation>,
    /// What holds of the entry values of parameters in this state.
    pub entry: Vec<Relation>,
    /// Whether some operation overflowed in every run that gets here in this state.
    pub overflowed: bool,
    /// Whether what can be seen is proved to be equal in this state.
    pub seen_equal: bool,
}

/// A linear relation: the sum of the terms compared with the constant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Relation {
    /// Coefficients, decimal, and names.
    pub terms: Vec<(String, Name)>,
    /// `==`, `>=` or `>`.
    pub relation: Compared,
    /// The right-hand side, decimal.
    pub constant: String,
    /// For an equation that holds only modulo a power of two: the number of bits.
    pub modulo: Option<u32>,
}

/// How a sum is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Compared {
    /// `==`
    Equal,
    /// `>=`
    AtLeast,
    /// `>`
    Greater,
}

/// A variable of one version, or an entry value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Name {
    /// Of the old version.
    Old(String),
    /// Of the new version.
    New(String),
    /// Of a parameter, in both versions.
    Entry(String),
}

/// A pair of meeting points of the interleaving.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meeting {
    /// Line of the old version.
    pub old: u32,
    /// Line of the new version.
    pub new: u32,
    /// Whether all matched variables that matter are equal there.
    pub equal: bool,
    /// Whether it is a point of the list.
    pub visible: bool,
    /// The meetings that follow.
    pub next: Vec<u32>,
}
