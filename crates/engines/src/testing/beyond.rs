//! Runs that go on where they read a word past the end of an object.
//!
//! Hash functions and their like read strings word by word and mask what lies behind the end. In the model such a read is out of bounds,
//! so nothing behind it would ever be run. Once both versions of a run have stopped at one, the search goes on with states that
//! say what lies there (`Outside::beyond`). A difference found so counts only if both versions do the same whatever
//! lies there ([`Runner`](super::runner::Runner)), and only the compiled programs make it one; no proof knows of such runs.

use super::search::DifferenceSearch;
use std::borrow::Cow;
use verdiff_model::state::EntryState;

impl DifferenceSearch<'_> {
    /// The state with something behind the ends of objects, if runs are to go on there.
    pub(super) fn with_beyond<'e>(&self, entry: &'e EntryState) -> Cow<'e, EntryState> {
        let mut entry = Cow::Borrowed(entry);
        if self.reads_beyond && entry.outside.beyond.is_none() {
            entry.to_mut().outside.beyond = Some(0);
        }
        entry
    }
}
