//! The rows that the real client is asked about, and the comparison of an observation with our verdict.
//!
//! A row is a run of a hook on an event. The client tier plays it: a shell script prints the row's output in a real
//! session. The fast tier compares our verdict with the observation that was recorded then.

mod cells;
mod comparison;
mod observation;
mod play;
mod rows;

pub use cells::{Cell, Does, MODES, Outcome, Part, cells};
pub use comparison::{Judged, judged, judged_as};
pub use observation::{Observation, Text};
pub use play::{Payload, WORKERS, groups, play};
pub use rows::{Row, rows, with_own_object};

/// The name of the table's record.
pub const TABLE: &str = "verdicts";

/// The test of the client tier that plays the rows.
pub const PLAYED_BY: &str = "verdicts_agree_with_the_client";
