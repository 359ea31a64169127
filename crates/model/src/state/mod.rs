//! What a run starts from and how it ends, in terms that survive the run: objects and
//! offsets instead of addresses. An [`EntryState`] can be given to the
//! [interpreter](crate::interp), written to a file, or made into a C harness for the
//! compiled program; an [`Outcome`] can be compared with the outcome of another run, of
//! another version too ([`compare()`]).

mod compare;
mod correspondence;
mod entry;
pub mod layout;
mod outcome;
mod output;

pub use compare::{
    Difference, Run, alike, compare, compare_by_number, initial_contents, is_stream,
};
pub use entry::{
    Answer, Contents, EntryState, Fill, Given, Link, Object, Outside, Pointer, PointerTarget,
    Value, Write,
};
pub use outcome::{
    Effect, End, Event, FreshObject, ObjectEnd, Outcome, Payload, Returned, StopReason, World,
};
pub use output::{Output, destination, standard_stream};
