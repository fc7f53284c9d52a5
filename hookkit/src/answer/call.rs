//! The answers to the call of a tool, which are typed by the tool.

use super::meaning::{Decision, Meaning, Member, Value};
use super::{Answer, TerminalSequence, Text, Unchanged, UpdatedInput, UpdatedOutput};
use crate::event::{PostToolUse, PreToolUse};
use crate::json::PayloadProjection;
use crate::{Error, OnFailure, Payload, Response};

/// The answer to [`PreToolUse`].
///
/// Of several hooks on one call the strictest counts: deny, then defer, then ask, then allow.
///
/// Typed by the tool, it can change the call's input:
///
/// ```
/// use hookkit::prelude::*;
///
/// /// Takes comments in front of a command away, so that permission rules know the command.
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
        /// No opinion: the permission rules decide, as without a hook. It is not [`allow`](Self::allow).
        pass();
        /// The tool runs without asking the user. Rules in the settings that deny or ask still hold.
        ///
        /// A tool that needs the user (AskUserQuestion, ExitPlanMode) takes it together with an updated input only.
        allow();
        /// As `allow`, with a reason that the user can read in a terminal. Untested: no headless session shows it.
        allow_with_reason(reason);
        /// The tool does not run, in any permission mode. The model reads the reason as the tool's error.
        deny(reason);
        /// The tool does not run, and the turn ends: the model is not asked again (`continue: false`). With the next
        /// prompt the model reads the reason, as the tool's error, and the reason of the stop.
        ///
        /// Without the deny the tool would run before the turn ends, so there is no `stop` alone.
        deny_and_stop(reason, stop_reason);
        /// The user is asked, and reads the reason. In print mode (`-p`) the tool does not run, and the model reads it.
        /// Of the question: Untested: no headless session shows it.
        ask(reason);
        /// In print mode (`-p`) the process ends with the call pending, and `--resume` calls the hooks again (since
        /// client 2.1.89).
        ///
        /// Elsewhere, and where a message of the model has several calls, it has the effect of [`pass`](Self::pass).
        defer();
        /// Adds text that the model reads next to the tool's result, whether the tool ran or not (`additionalContext`).
        with_context(text);
        with_system_message(message);
        with_terminal_sequence(sequence);
        with_suppress_output();
    }

    /// The tool runs with this input instead of the model's (`updatedInput`), if it runs: the permission rules are
    /// asked about it, and `allow` allows it. The model does not read of it.
    ///
    /// Members of the input that the type does not name stay as they came, at every depth. Of several hooks the one that
    /// finishes last counts.
    /// With `deny` and `defer`, where no input is of use, it is left out.
    pub fn with_updated_input(mut self, input: U) -> Self {
        self.updated_input = Some(input);
        self
    }

    fn of(meaning: Meaning) -> Self {
        Self {
            meaning,
            updated_input: None,
        }
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

    fn into_response(mut self, payload: &Payload<'_>) -> Result<Response, Error> {
        if let Some(input) = self.updated_input
            && !self.meaning.is(&Decision::DENY)
            && !self.meaning.is(&Decision::DEFER)
        {
            self.meaning
                .set(&Member::UPDATED_INPUT, Value::json(&input.write(payload)?)?);
        }
        self.meaning.response::<PreToolUse>()
    }

    fn projection(projection: &mut PayloadProjection) {
        U::projection(projection);
    }

    fn denial(&self) -> Option<&str> {
        self.meaning.denial::<PreToolUse>()
    }
}

/// The answer to [`PostToolUse`]. The tool has run; nothing that it did is undone.
///
/// Typed by the tool, it can change what the model reads of the output:
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
        /// No effect.
        pass();
        /// The model reads the reason as a blocking error of the hook, with the hook's command line, next to the tool's
        /// unchanged result.
        block(reason);
        /// The turn ends once the result is recorded (`continue: false`). The model reads the reason with the next
        /// prompt.
        stop(reason);
        /// Adds text that the model reads next to the tool's result (`additionalContext`).
        with_context(text);
        /// Adds text for the classifier that decides in auto mode what may run; neither the model nor the user reads it
        /// (`classifierContext`, since client 2.1.236). Untested: no headless session shows it.
        ///
        /// All hooks on a call have 2,000 UTF-16 units together: a longer text is cut.
        with_classifier_context(text);
        with_system_message(message);
        with_terminal_sequence(sequence);
        with_suppress_output();
    }

    /// The model reads this output instead of the tool's (`updatedToolOutput`, since client 2.1.121).
    ///
    /// Members of the output that the type does not name stay as they came, at every depth, `null`s too. Of several
    /// hooks the one that finishes last counts.
    /// The client checks it against the schema of a built-in tool, and keeps the tool's own where it does not fit.
    /// Of an MCP tool it takes anything: a string, or content blocks.
    pub fn with_updated_tool_output(mut self, output: T::Output) -> Self {
        self.updated_output = Some(output);
        self
    }

    fn of(meaning: Meaning) -> Self {
        Self {
            meaning,
            updated_output: None,
        }
    }
}

impl<T: UpdatedOutput> Default for PostToolUseAnswer<T> {
    fn default() -> Self {
        Self::pass()
    }
}

impl<T: UpdatedOutput> Answer<PostToolUse> for PostToolUseAnswer<T> {
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn into_response(mut self, payload: &Payload<'_>) -> Result<Response, Error> {
        if let Some(output) = self.updated_output {
            self.meaning
                .set(&Member::UPDATED_TOOL_OUTPUT, Value::json(&T::write(output, payload)?)?);
        }
        self.meaning.response::<PostToolUse>()
    }

    fn projection(projection: &mut PayloadProjection) {
        T::projection(projection);
    }
}
