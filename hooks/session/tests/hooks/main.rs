//! The pack's hooks on recorded events.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use serde_json::Value;

mod git;

/// A recorded event, after a change to it.
fn changed(event: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut event: Value = serde_json::from_str(event).unwrap();
    change(&mut event);
    event.to_string()
}
