//! Which procedures belong together, in which order they are judged, and by whom.

#![forbid(unsafe_code)]
