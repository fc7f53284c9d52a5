//! The rows that are played with the real client, and the comparison of an observation with our verdict.
//!
//! A row is a run of a hook on an event. The client tier plays it: a shell script prints the row's output in a real
//! session. The fast tier compares our verdict with the recorded observation.

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

/// The code that plays and observes the rows.
pub(crate) const PLAYED: &[&str] = &[
    include_str!("verdict/rows.rs"),
    include_str!("verdict/play.rs"),
    include_str!("verdict/observation.rs"),
    include_str!("../fixtures/verdict/hook.sh"),
    include_str!("../fixtures/verdict/server.sh"),
];

/// Returns the keys of the rows, as text.
pub(crate) fn keys() -> String {
    rows().into_iter().map(|row| row.key() + "\n").collect()
}

/// The test of the client tier that plays the rows.
pub const PLAYED_BY: &str = "verdicts_agree_with_the_client";
