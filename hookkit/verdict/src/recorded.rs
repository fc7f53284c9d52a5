//! Events recorded in sessions of the client (2.1.330), one for each event and subject.

/// The events, one JSON object on each line.
pub const EVENTS: &str = include_str!("recorded.jsonl");

/// Path of the project in the recorded session.
pub const PROJECT: &str = "/home/user/project";

/// Path of the user's home folder in the recorded session.
pub const HOME: &str = "/home/user";
