//! Outcomes of hook runs, from transcripts.

use hookkit_verdict::{Action, Verdict};
use serde::Serialize;

/// The end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Exit code 0.
    Succeeded,
    /// Any exit code except 0 and 2, or a program that could not be started. The client went ahead.
    Failed,
    /// The hook denied, blocked, or ended the turn.
    Blocked,
    /// The client killed the hook at its timeout, and went ahead.
    TimedOut,
    /// The client killed the hook before its timeout, for example because the user interrupted the turn.
    Cancelled,
    /// The client did not wait for the hook.
    Background,
}

impl Outcome {
    pub(crate) const ALL: [Self; 6] =
        [Self::Succeeded, Self::Failed, Self::Blocked, Self::TimedOut, Self::Cancelled, Self::Background];
}

/// Returns `true` if the answer makes the client deny, block or end the turn.
pub(crate) fn blocks(verdict: &Verdict) -> bool {
    matches!(verdict.action, Action::Denied | Action::KeepsGoing) || verdict.ends_turn
}
