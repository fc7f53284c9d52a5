//! Verdicts in the form of the files in `lines/`.

use hookkit::testing::{Action, Verdict};

/// Returns `deny`, `ask` or `pass`, after a check that the reason of a denial or of a question has its text.
#[track_caller]
pub(crate) fn outcome(verdict: &Verdict, denied: &str, asked: &str) -> String {
    let outcome = match verdict.action {
        Action::Denied => {
            verdict.assert_denied(denied);
            "deny"
        }
        Action::Asked => {
            verdict.assert_asked(asked);
            "ask"
        }
        _ => {
            verdict.assert_passed();
            "pass"
        }
    };
    outcome.to_owned()
}
