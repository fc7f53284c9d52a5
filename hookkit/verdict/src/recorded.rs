//! Events that were recorded in sessions of the client (2.1.330), one for each event and subject.

/// The events, one JSON object in a line.
pub const EVENTS: &str = include_str!("recorded.jsonl");

/// The project of the session that they were recorded in.
pub const PROJECT: &str = "/home/user/project";

/// The user's home folder there.
pub const HOME: &str = "/home/user";
