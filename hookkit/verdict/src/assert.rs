//! Assertions of tests about a verdict.

use hookkit_json::Json;
use serde::Serialize;

use super::{Action, Message, Verdict, rule};

/// Assertions, which show the whole verdict where they fail.
///
/// They return the verdict, so that several can be made of it.
impl Verdict {
    /// The hook had no opinion, and said nothing to anybody.
    ///
    /// # Panics
    ///
    /// As all of these, where it is not so.
    #[track_caller]
    pub fn assert_passed(&self) -> &Self {
        // Text of the client itself is not an opinion of the hook.
        let is_reported = self.model_reads.iter().any(|message| message.rule != rule::COMPLETED);
        let is_silent = !is_reported && self.user_sees.is_empty() && self.effects.is_empty();
        let passed = self.action == Action::GoesOn && !self.ends_turn && is_silent && self.dropped.is_empty();
        self.assert(passed, format_args!("the hook passes"))
    }

    /// The action was denied, with a reason that contains the text.
    #[track_caller]
    pub fn assert_denied(&self, text: &str) -> &Self {
        let is_reported = says(&self.model_reads, text) || says(&self.user_sees, text);
        let denied = self.action == Action::Denied && is_reported;
        self.assert(denied, format_args!("the hook denies it, with the reason {text:?}"))
    }

    /// The action happens, without a question.
    #[track_caller]
    pub fn assert_allowed(&self) -> &Self {
        self.assert(self.action == Action::Allowed, format_args!("the hook allows it"))
    }

    /// The user is asked, and reads this.
    #[track_caller]
    pub fn assert_asked(&self, text: &str) -> &Self {
        let asked = self.action == Action::Asked && says(&self.user_sees, text);
        self.assert(asked, format_args!("the hook has the user asked {text:?}"))
    }

    /// The turn does not end, and the model reads this.
    #[track_caller]
    pub fn assert_kept_going(&self, text: &str) -> &Self {
        let kept = self.action == Action::KeepsGoing && says(&self.model_reads, text);
        self.assert(
            kept,
            format_args!("the hook keeps the turn going, with the reason {text:?}"),
        )
    }

    /// The model reads this.
    #[track_caller]
    pub fn assert_model_reads(&self, text: &str) -> &Self {
        let message = says(&self.model_reads, text);
        self.assert(message, format_args!("the model reads {text:?}"))
    }

    /// The user sees this.
    #[track_caller]
    pub fn assert_user_sees(&self, text: &str) -> &Self {
        let message = says(&self.user_sees, text);
        self.assert(message, format_args!("the user sees {text:?}"))
    }

    /// The tool is called with this input in place of the model's, field by field.
    #[track_caller]
    pub fn assert_updated_input(&self, input: &impl Serialize) -> &Self {
        let input = serde_json::to_value(input).expect("an input is written as JSON");
        let is_it = |json: &Json| serde_json::to_value(json).is_ok_and(|value| value == input);
        let mut inputs = self.effects.iter().filter(|effect| effect.member == "updatedInput");
        let updated = inputs.any(|effect| is_it(&effect.value));
        self.assert(updated, format_args!("the hook changes the input to {input}"))
    }

    #[track_caller]
    fn assert(&self, holds: bool, what: std::fmt::Arguments<'_>) -> &Self {
        assert!(holds, "expected: {what}; got:\n{self}");
        self
    }
}

fn says(messages: &[Message], text: &str) -> bool {
    messages.iter().any(|message| message.text.contains(text))
}
