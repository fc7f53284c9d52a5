//! Assertions about a verdict, for tests.

use std::fmt::Arguments;

use hookkit_json::Json;
use serde::Serialize;

use super::{Action, Message, Verdict, rule};

/// Assertions about a verdict. A failed assertion panics with the expectation, the whole verdict, and the assertions
/// that hold.
///
/// Each method returns the verdict, so that calls can be chained.
impl Verdict {
    /// Asserts that the hook was called, and had neither an opinion nor a text for anyone. For a background hook: that
    /// it had no text.
    ///
    /// # Panics
    ///
    /// Panics if the assertion does not hold, like all methods here.
    #[track_caller]
    pub fn assert_passed(&self) -> &Self {
        self.assert(self.has_passed(), format_args!("the hook passes"))
    }

    /// Asserts that the client did not call the hook: its matcher is a list that does not include the event's subject.
    #[track_caller]
    pub fn assert_not_called(&self) -> &Self {
        self.assert(self.not_called.is_some(), format_args!("the hook is not called"))
    }

    /// Asserts that the action was denied, with a reason that contains the text; `""` accepts any reason, or none.
    #[track_caller]
    pub fn assert_denied(&self, text: &str) -> &Self {
        let denied = self.action == Action::Denied && self.reports(text);
        self.assert(denied, format_args!("the hook denies it, with the reason {text:?}"))
    }

    /// Asserts that the action happens without a question.
    #[track_caller]
    pub fn assert_allowed(&self) -> &Self {
        self.assert(self.action == Action::Allowed, format_args!("the hook allows it"))
    }

    /// Asserts that the action goes ahead: the hook has no opinion about it, whatever else it does.
    ///
    /// Fails on PermissionRequest and Elicitation, where the user decides: [`Action::LeftToUser`].
    #[track_caller]
    pub fn assert_goes_ahead(&self) -> &Self {
        self.assert(self.goes_ahead(), format_args!("the hook lets it go ahead"))
    }

    /// Asserts that the user is asked and reads this text. If the user cannot be asked, the model reads it.
    #[track_caller]
    pub fn assert_asked(&self, text: &str) -> &Self {
        let asked = self.action == Action::Asked && self.reports(text);
        self.assert(asked, format_args!("the hook asks the user {text:?}"))
    }

    /// Asserts that the turn does not end, and that the model reads this text.
    #[track_caller]
    pub fn assert_kept_going(&self, text: &str) -> &Self {
        let kept = self.action == Action::KeepsGoing && self.reports(text);
        self.assert(kept, format_args!("the hook keeps the turn going, with the reason {text:?}"))
    }

    /// Asserts that the hook ends the turn, and that the user or the model reads this text.
    #[track_caller]
    pub fn assert_turn_ended(&self, text: &str) -> &Self {
        let ended = self.ends() && self.reports(text);
        self.assert(ended, format_args!("the hook ends the turn, with the reason {text:?}"))
    }

    /// Asserts that the hook failed with an error that contains the text, so that its failure policy decided.
    #[track_caller]
    pub fn assert_failed(&self, text: &str) -> &Self {
        let failed = self.failed.as_ref().is_some_and(|error| error.contains(text));
        self.assert(failed, format_args!("the hook fails with the error {text:?}"))
    }

    /// Asserts that the model reads this text.
    #[track_caller]
    pub fn assert_model_reads(&self, text: &str) -> &Self {
        let message = says(&self.model_reads, text);
        self.assert(message, format_args!("the model reads {text:?}"))
    }

    /// Asserts that the user sees this text.
    #[track_caller]
    pub fn assert_user_sees(&self, text: &str) -> &Self {
        let message = says(&self.user_sees, text);
        self.assert(message, format_args!("the user sees {text:?}"))
    }

    /// Asserts that the tool is called with this input in place of the model's. All fields are compared.
    #[track_caller]
    pub fn assert_updated_input(&self, input: &(impl Serialize + ?Sized)) -> &Self {
        self.assert_effect("updatedInput", input)
    }

    /// Asserts that the client uses this member of the answer with this value, such as `updatedInput` or
    /// `terminalSequence`.
    #[track_caller]
    pub fn assert_effect(&self, member: &str, value: &(impl Serialize + ?Sized)) -> &Self {
        let value = serde_json::to_value(value).expect("a value is written as JSON");
        let is_it = |json: &Json| serde_json::to_value(json).is_ok_and(|json| json == value);
        let mut effects = self.effects.iter().filter(|effect| effect.member == member);
        let has_it = effects.any(|effect| is_it(&effect.value));
        self.assert(has_it, format_args!("the hook sets `{member}` to {value}"))
    }

    /// Asserts that the client uses this member of the answer, and that its value contains the text. The value is text
    /// or JSON.
    #[track_caller]
    pub fn assert_effect_contains(&self, member: &str, text: &str) -> &Self {
        let mut effects = self.effects.iter().filter(|effect| effect.member == member);
        let contains = |json: &Json| match json.decode::<String>() {
            Ok(value) => value.contains(text),
            Err(_) => json.text().contains(text),
        };
        let has_it = effects.any(|effect| contains(&effect.value));
        self.assert(has_it, format_args!("the hook sets `{member}`, with {text:?} in it"))
    }

    /// Returns `true` if the model or the user reads a text. Every verdict contains the empty text.
    fn reports(&self, text: &str) -> bool {
        text.is_empty() || says(&self.model_reads, text) || says(&self.user_sees, text)
    }

    /// Returns `true` if the hook ends the turn, even if other hooks block the turn's end.
    fn ends(&self) -> bool {
        self.ends_turn || self.because.contains(&rule::STOP_LETS_END)
    }

    fn goes_ahead(&self) -> bool {
        matches!(self.action, Action::GoesOn | Action::NotAwaited) && !self.ends()
    }

    fn has_passed(&self) -> bool {
        // Text of the client itself is not an opinion of the hook.
        let is_reported = self.model_reads.iter().any(|message| message.rule != rule::COMPLETED);
        let is_silent = !is_reported && self.user_sees.is_empty() && self.effects.is_empty();
        let is_undecided = self.action == Action::LeftToUser || self.goes_ahead();
        self.not_called.is_none() && is_undecided && is_silent && self.dropped.is_empty()
    }

    #[track_caller]
    fn assert(&self, holds: bool, what: Arguments) -> &Self {
        assert!(holds, "{}", self.report(what));
        self
    }

    fn report(&self, what: Arguments) -> String {
        let mut lines = vec![format!("expected: {what}; got:")];
        lines.extend(self.not_called.as_ref().map(|why| format!("the hook is not called: {why}")));
        lines.extend(self.failed.as_ref().map(|error| format!("the hook failed: {error}")));
        lines.push(self.to_string());
        lines.push(format!("these hold: {}", self.holding().join(", ")));
        lines.join("\n")
    }

    /// Returns the assertions that hold, as Rust code.
    fn holding(&self) -> Vec<String> {
        let call = |name: &str, text: &str| format!("assert_{name}({:?})", excerpt(text));
        let first = |messages: &[Message]| messages.first().map(|message| message.text.clone());
        let read = first(&self.model_reads).or_else(|| first(&self.user_sees)).unwrap_or_default();
        let seen = first(&self.user_sees).or_else(|| first(&self.model_reads)).unwrap_or_default();
        let mut holding = Vec::new();
        if self.not_called.is_some() {
            holding.push("assert_not_called()".to_owned());
        }
        holding.extend(self.failed.as_ref().map(|error| call("failed", error)));
        match &self.action {
            _ if self.has_passed() => holding.push("assert_passed()".to_owned()),
            _ if self.goes_ahead() => holding.push("assert_goes_ahead()".to_owned()),
            Action::Allowed => holding.push("assert_allowed()".to_owned()),
            Action::Denied => holding.push(call("denied", &read)),
            Action::Asked => holding.push(call("asked", &seen)),
            Action::KeepsGoing => holding.push(call("kept_going", &read)),
            Action::GoesOn => {}
            action => {
                let action = format!("{action:?}").replace("\")", "\".to_owned())");
                holding.push(format!("assert_eq!(verdict.action, Action::{action})"));
            }
        }
        if self.ends() {
            holding.push(call("turn_ended", &seen));
        }
        if !matches!(self.action, Action::Denied | Action::KeepsGoing) {
            holding.extend(first(&self.model_reads).map(|text| call("model_reads", &text)));
        }
        if !matches!(self.action, Action::Asked) && !self.ends() {
            holding.extend(first(&self.user_sees).map(|text| call("user_sees", &text)));
        }
        let effects = self.effects.iter();
        holding.extend(effects.map(|effect| format!("assert_effect({:?}, …)", effect.member)));
        holding
    }
}

fn says(messages: &[Message], text: &str) -> bool {
    messages.iter().any(|message| message.text.contains(text))
}

/// Returns a recognizable part of a message, without the client's words before the hook's text.
fn excerpt(text: &str) -> &str {
    const CHARACTERS: usize = 72;
    let own = ["additional context: ", "hook error: "].iter().find_map(|before| text.split_once(before));
    let line = own.map_or(text, |(_, own)| own).lines().next().unwrap_or_default();
    let end = line.char_indices().nth(CHARACTERS).map_or(line.len(), |(end, _)| end);
    &line[..end]
}
