//! The answers to a tool call, generic over the tool.

use super::meaning::{Decision, Meaning, Member, Value};
use super::{Answer, InputOf, TerminalSequence, Text, Unchanged, UpdatedInput, UpdatedOutput};
use crate::event::{PostToolUse, PreToolUse};
use crate::json::PayloadProjection;
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`PreToolUse`].
///
/// If several hooks answer, the strictest decision counts: deny, then defer, then ask, then allow.
///
/// With the tool's type, it can change the call's input:
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Removes comments before a command, so that permission rules match the command.
/// #[hook(PreToolUse)]
/// pub fn no_comments(call: PreToolUse<tool::Bash>) -> PreToolUseAnswer<tool::Bash> {
///     let mut input = call.input;
///     match input.command.rsplit_once("\n") {
///         Some((comments, command)) if comments.lines().all(|line| line.starts_with('#')) => {
///             input.command = command.to_owned();
///             PreToolUseAnswer::pass().with_updated_input(input)
///         }
///         _ => PreToolUseAnswer::pass(),
///     }
/// }
/// # fn main() {
/// # let call = PreToolUse::new("Bash", tool::Bash::new("# tidy\nls"));
/// # let answer = PreToolUseAnswer::pass().with_updated_input(tool::Bash::new("ls"));
/// # assert_eq!(no_comments(call), answer);
/// # }
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreToolUseAnswer<U = Unchanged> {
    meaning: Meaning,
    updated_input: Option<U>,
}

impl<U> PreToolUseAnswer<U> {
    methods! {
        /// Leaves the call to the permission rules, as without a hook. Not the same as [`allow`](Self::allow).
        pass();
        /// Runs the tool without asking the user. Rules in the settings that deny or ask still apply.
        ///
        /// For a tool that needs the user (AskUserQuestion, ExitPlanMode) it has an effect only with an updated input.
        allow();
        /// Acts like `allow`, with a reason that the user can read in a terminal. Untested: no headless session shows
        /// it.
        allow_with_reason(reason);
        /// Denies the call, in any permission mode. The model reads the reason as the tool's error.
        deny(reason);
        /// Denies the call and ends the turn: the model is not called again (`continue: false`). With the next prompt
        /// the model reads both the reason for the denial, as the tool's error, and the reason for the stop.
        ///
        /// There is no `stop` without a deny, because the tool would run before the turn ends.
        deny_and_stop(reason, stop_reason);
        /// Asks the user: neither a permission mode nor an allow rule answers instead. In print mode (`-p`) the call is
        /// denied, and the model reads the reason. Otherwise the user reads the reason in a dialog. Untested: no
        /// headless session shows it.
        ask(reason);
        /// Defers the call: in print mode (`-p`) the process ends with the call pending, and `--resume` calls the hooks
        /// again (since client 2.1.89, according to its changelog).
        ///
        /// In other modes, or if the model's message contains several calls, it has the same effect as
        /// [`pass`](Self::pass).
        defer();
        /// Adds text that the model reads next to the tool's result, whether or not the tool ran (`additionalContext`).
        with_context(text);
        with_system_message(message);
        with_terminal_sequence(sequence);
        with_suppress_output();
    }

    /// Replaces the model's input (`updatedInput`): the permission rules are applied to the new input, `allow` allows it,
    /// and the tool runs with it. The model does not read about the change.
    ///
    /// Members of the input that the type does not declare are kept, at every depth. If several hooks replace the
    /// input, the last one to finish counts, unless the workspace sets their order (`docs/book/src/order.md`). The
    /// input is omitted with `deny` and `defer`.
    pub fn with_updated_input(mut self, input: impl InputOf<U>) -> Self {
        self.updated_input = Some(input.into_input());
        self
    }

    fn of(meaning: Meaning) -> Self {
        Self { meaning, updated_input: None }
    }

    pub(super) fn meaning(&self) -> &Meaning {
        &self.meaning
    }

    pub(super) fn into_meaning(self) -> Meaning {
        self.meaning
    }
}

impl<U> Default for PreToolUseAnswer<U> {
    fn default() -> Self {
        Self::pass()
    }
}

impl<U: UpdatedInput> Answer<PreToolUse> for PreToolUseAnswer<U> {
    const ON_FAILURE: OnFailure = OnFailure::Block;
    const MATCHER: Option<&'static str> = U::MATCHER;
    const REWRITES: bool = U::REWRITES;

    fn into_response(mut self, payload: &Payload<'_>) -> Result<Response, Error> {
        if let Some(input) = self.updated_input
            && !self.meaning.is(&Decision::DENY)
            && !self.meaning.is(&Decision::DEFER)
        {
            self.meaning.set(&Member::UPDATED_INPUT, Value::json(&input.write(payload)?)?);
        }
        self.meaning.response::<PreToolUse>(payload)
    }

    fn projection(projection: &mut PayloadProjection) {
        U::projection(projection);
    }

    fn denial(&self) -> Option<&str> {
        self.meaning.denial::<PreToolUse>()
    }
}

/// The answer to [`PostToolUse`]. It cannot undo the tool's effects.
///
/// With the tool's type, it can change the output that the model reads:
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Keeps tokens out of the conversation.
/// #[hook(PostToolUse)]
/// pub fn redact(call: PostToolUse<tool::Bash>) -> PostToolUseAnswer<tool::Bash> {
///     let mut output = call.response;
///     let words = output.stdout.split_inclusive(' ');
///     output.stdout = words.map(|word| if word.starts_with("ghp_") { "[token] " } else { word }).collect();
///     PostToolUseAnswer::pass().with_updated_tool_output(output)
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostToolUseAnswer<T: UpdatedOutput = Unchanged> {
    meaning: Meaning,
    updated_output: Option<T::Output>,
}

impl<T: UpdatedOutput> PostToolUseAnswer<T> {
    methods! {
        /// Has no effect.
        pass();
        /// Adds a blocking error of the hook: the model reads the reason, with the hook's command line, next to the
        /// tool's unchanged result.
        block(reason);
        /// Ends the turn after the result is recorded (`continue: false`). The model reads the reason with the next
        /// prompt.
        stop(reason);
        /// Adds text that the model reads next to the tool's result (`additionalContext`).
        with_context(text);
        /// Adds text for the classifier of auto mode; neither the model nor the user reads it (`classifierContext`, since
        /// client 2.1.236). Untested: no headless session shows it.
        ///
        /// All hooks on a call share 2,000 UTF-16 units: a longer text is cut.
        with_classifier_context(text);
        with_system_message(message);
        with_terminal_sequence(sequence);
        with_suppress_output();
    }

    /// Replaces the tool's output: the model reads the new output instead (`updatedToolOutput`, since client 2.1.121).
    ///
    /// Members of the output that the type does not declare are kept, at every depth, including `null`. If several
    /// hooks replace the output, the last one to finish counts, unless the workspace sets their order. For a built-in
    /// tool, the client checks the new output against the tool's schema, and keeps the original if it does not match.
    /// For an MCP tool it accepts any string or content blocks.
    pub fn with_updated_tool_output(mut self, output: T::Output) -> Self {
        self.updated_output = Some(output);
        self
    }

    fn of(meaning: Meaning) -> Self {
        Self { meaning, updated_output: None }
    }
}

impl<T: UpdatedOutput> Default for PostToolUseAnswer<T> {
    fn default() -> Self {
        Self::pass()
    }
}

impl<T: UpdatedOutput> Answer<PostToolUse> for PostToolUseAnswer<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;
    const REWRITES: bool = T::REWRITES;

    fn into_response(mut self, payload: &Payload<'_>) -> Result<Response, Error> {
        if let Some(output) = self.updated_output {
            self.meaning.set(&Member::UPDATED_TOOL_OUTPUT, Value::json(&T::write(output, payload)?)?);
        }
        self.meaning.response::<PostToolUse>(payload)
    }

    fn projection(projection: &mut PayloadProjection) {
        T::projection(projection);
    }
}
