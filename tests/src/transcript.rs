//! The tool calls of a transcript, in a form that a test compares.

use anyhow::{Context, Result};
use hookkit::transcript::{ToolCall, Transcript};

/// A tool call: its name, whether it failed, and the text that the model got.
pub type Call = (String, bool, String);

/// Returns the call with these parts.
pub fn call(name: &str, is_error: bool, text: &str) -> Call {
    (name.to_owned(), is_error, text.to_owned())
}

/// Returns all calls of a transcript.
///
/// # Errors
///
/// If a row cannot be read, or a call has no outcome.
pub fn calls(transcript: &Transcript) -> Result<Vec<Call>> {
    let of = |call: ToolCall| -> Result<Call> {
        let outcome = call.outcome.context("the call has an outcome")?;
        Ok((call.name, outcome.is_error, outcome.text()))
    };
    transcript.tool_calls().map(|item| of(item?)).collect()
}
