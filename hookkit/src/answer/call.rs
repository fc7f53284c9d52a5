//! The answers to the events of a tool's call.

use std::fmt;

use super::{
    Answer, Extras, Text, Unchanged, UpdatedInput, UpdatedOutput, answer, block, block_or_context, context_of,
    optional_text, specific_output, stop, text, with,
};
use crate::event::{Event, PostToolBatch, PostToolUse, PostToolUseFailure, PreToolUse};
use crate::json::PayloadWants;
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
    parts: PreToolUseParts,
    updated_input: Option<U>,
    extras: Extras,
}

/// What does not depend on the tool: it is compiled once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct PreToolUseParts {
    decision: Option<(&'static str, Option<String>)>,
    /// Why the turn ends, where it does.
    stop: Option<String>,
    context: Option<Text>,
}

impl<U> PreToolUseAnswer<U> {
    /// No opinion: the permission rules decide, as if there were no hook. It is not [`allow`](Self::allow).
    pub fn pass() -> Self {
        Self::of(PreToolUseParts::default())
    }

    /// The tool runs without asking the user. Rules in the settings that deny or ask still hold.
    ///
    /// A tool that needs the user (AskUserQuestion, ExitPlanMode) takes it together with an updated input only.
    pub fn allow() -> Self {
        Self::decide("allow", None)
    }

    /// As `allow`, with a reason that the user can read in a terminal. Untested: no headless session shows it.
    pub fn allow_with_reason(reason: impl Into<String>) -> Self {
        Self::decide("allow", Some(reason.into()))
    }

    /// The tool does not run, in any permission mode. The model reads the reason as the tool's error.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::decide("deny", Some(reason.into()))
    }

    /// The tool does not run, and the turn ends: the model is not asked again (`continue: false`). With the next prompt the
    /// model reads the reason, as the tool's error, and the reason of the stop.
    ///
    /// Without the refusal the tool would run before the turn ends, so there is no `stop` alone.
    pub fn deny_and_stop(reason: impl Into<String>, stop_reason: impl Into<String>) -> Self {
        let mut answer = Self::deny(reason);
        answer.parts.stop = Some(stop_reason.into());
        answer
    }

    /// The user is asked, and reads the reason. In print mode (`-p`) the tool does not run, and the model reads it. Of
    /// the question: Untested: no headless session shows it.
    pub fn ask(reason: impl Into<String>) -> Self {
        Self::decide("ask", Some(reason.into()))
    }

    /// In print mode (`-p`) the process ends with the call pending, and `--resume` calls the hooks again (since client
    /// 2.1.89).
    ///
    /// Elsewhere, and where a message of the model has several calls, it is as good as [`pass`](Self::pass).
    pub fn defer() -> Self {
        Self::decide("defer", None)
    }

    /// No decision; the model reads the text beside the tool's result (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads beside the tool's result, whether the tool ran or not (`additionalContext`).
    pub fn with_context(mut self, text: impl Into<Text>) -> Self {
        self.parts.context = Some(text.into());
        self
    }

    /// The tool runs with this input instead of the model's (`updatedInput`), if it runs: the permission rules are
    /// asked about it, and `allow` allows it. The model is not told.
    ///
    /// Members of the input that the type does not name stay as they came, at every depth. Of several hooks the one that
    /// finishes last counts.
    /// With `deny` and `defer`, where no input is of use, it is left out.
    pub fn with_updated_input(mut self, input: U) -> Self {
        self.updated_input = Some(input);
        self
    }

    fn decide(decision: &'static str, reason: Option<String>) -> Self {
        Self::of(PreToolUseParts {
            decision: Some((decision, reason)),
            ..PreToolUseParts::default()
        })
    }

    fn of(parts: PreToolUseParts) -> Self {
        Self {
            parts,
            updated_input: None,
            extras: Extras::default(),
        }
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl<U> Default for PreToolUseAnswer<U> {
    fn default() -> Self {
        Self::pass()
    }
}

impl<U: UpdatedInput> Answer<PreToolUse> for PreToolUseAnswer<U> {
    const ON_FAILURE: OnFailure = OnFailure::Block;
    const MATCHER: Option<&'static str> = U::MATCHER;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        let takes_input = !matches!(self.parts.decision, Some(("deny" | "defer", _)));
        let updated_input = match self.updated_input {
            Some(input) if takes_input => Some(input.write(payload)?),
            _ => None,
        };
        self.parts.into_response(updated_input.as_deref(), self.extras)
    }

    fn wants(wants: &mut PayloadWants) {
        U::wants(wants);
    }

    fn refusal(&self) -> Option<&str> {
        match &self.parts.decision {
            Some(("deny", reason)) => reason.as_deref(),
            _ => None,
        }
    }
}

impl PreToolUseParts {
    fn into_response(self, updated_input: Option<&[u8]>, extras: Extras) -> Result<Response, Error> {
        answer(|answer| {
            if let Some(reason) = &self.stop {
                stop(answer, reason);
            }
            extras.write(answer)?;
            if self.decision.is_none() && updated_input.is_none() && self.context.is_none() {
                return Ok(());
            }
            let mut specific = specific_output(answer, PreToolUse::FACTS);
            if let Some((decision, reason)) = &self.decision {
                specific.string("permissionDecision", decision);
                specific.optional_string("permissionDecisionReason", reason.as_deref());
            }
            if let Some(input) = updated_input {
                specific.raw(b"updatedInput", input);
            }
            optional_text(&mut specific, "additionalContext", self.context, text::LIMIT)?;
            specific.end();
            Ok(())
        })
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
///     PostToolUseAnswer::pass().with_updated_output(output)
/// }
/// # fn main() {}
/// ```
#[must_use = "an answer does nothing unless the hook returns it"]
pub struct PostToolUseAnswer<T: UpdatedOutput = Unchanged> {
    parts: PostToolUseParts,
    updated_output: Option<T::Output>,
    extras: Extras,
}

/// What does not depend on the tool: it is compiled once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct PostToolUseParts {
    decision: Option<Decision>,
    context: Option<Text>,
    classifier_context: Option<Box<Text>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Decision {
    Block(String),
    Stop(String),
}

impl<T: UpdatedOutput> PostToolUseAnswer<T> {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::of(PostToolUseParts::default())
    }

    /// The model reads the reason as a blocking error of the hook, with the hook's command line, beside the tool's
    /// unchanged result.
    pub fn block(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Block(reason.into()))
    }

    /// The turn ends once the result is recorded (`continue: false`). The model reads the reason with the next prompt.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self::decide(Decision::Stop(reason.into()))
    }

    /// The model reads the text beside the tool's result (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads beside the tool's result (`additionalContext`).
    pub fn with_context(mut self, text: impl Into<Text>) -> Self {
        self.parts.context = Some(text.into());
        self
    }

    /// Adds text for the classifier that decides in auto mode what may run; neither the model nor the user reads it
    /// (`classifierContext`, since client 2.1.236). Untested: no headless session shows it.
    ///
    /// All hooks on a call have 2,000 UTF-16 units together: a longer text is cut.
    pub fn with_classifier_context(mut self, text: impl Into<Text>) -> Self {
        self.parts.classifier_context = Some(Box::new(text.into()));
        self
    }

    /// The model reads this output instead of the tool's (`updatedToolOutput`, since client 2.1.121).
    ///
    /// Members of the output that the type does not name stay as they came, at every depth, `null`s too. Of several hooks the one that
    /// finishes last counts.
    /// The client checks it against the schema of a built-in tool, and keeps the tool's own where it does not fit.
    /// Of an MCP tool it takes anything: a string, or content blocks.
    pub fn with_updated_output(mut self, output: T::Output) -> Self {
        self.updated_output = Some(output);
        self
    }

    fn decide(decision: Decision) -> Self {
        Self::of(PostToolUseParts {
            decision: Some(decision),
            ..PostToolUseParts::default()
        })
    }

    fn of(parts: PostToolUseParts) -> Self {
        Self {
            parts,
            updated_output: None,
            extras: Extras::default(),
        }
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl<T: UpdatedOutput> Default for PostToolUseAnswer<T> {
    fn default() -> Self {
        Self::pass()
    }
}

// Not derived: the tool's input need not be what its output is.
impl<T: UpdatedOutput<Output: fmt::Debug>> fmt::Debug for PostToolUseAnswer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostToolUseAnswer")
            .field("parts", &self.parts)
            .field("updated_output", &self.updated_output)
            .field("extras", &self.extras)
            .finish()
    }
}

impl<T: UpdatedOutput<Output: Clone>> Clone for PostToolUseAnswer<T> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            updated_output: self.updated_output.clone(),
            extras: self.extras.clone(),
        }
    }
}

impl<T: UpdatedOutput<Output: PartialEq>> PartialEq for PostToolUseAnswer<T> {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts && self.updated_output == other.updated_output && self.extras == other.extras
    }
}

impl<T: UpdatedOutput<Output: Eq>> Eq for PostToolUseAnswer<T> {}

impl<T: UpdatedOutput> Answer<PostToolUse> for PostToolUseAnswer<T> {
    const ON_FAILURE: OnFailure = OnFailure::Continue;
    const MATCHER: Option<&'static str> = T::MATCHER;

    fn into_response(self, payload: &Payload<'_>) -> Result<Response, Error> {
        let updated_output = match self.updated_output {
            Some(output) => Some(T::write(output, payload)?),
            None => None,
        };
        self.parts.into_response(updated_output.as_deref(), self.extras)
    }

    fn wants(wants: &mut PayloadWants) {
        T::wants(wants);
    }
}

impl PostToolUseParts {
    fn into_response(self, updated_output: Option<&[u8]>, extras: Extras) -> Result<Response, Error> {
        /// How much of it the client takes, in UTF-16 units.
        const CLASSIFIER_LIMIT: usize = 2_000;

        answer(|answer| {
            match &self.decision {
                Some(Decision::Block(reason)) => block(answer, reason),
                Some(Decision::Stop(reason)) => stop(answer, reason),
                None => {}
            }
            extras.write(answer)?;
            if self.context.is_none() && self.classifier_context.is_none() && updated_output.is_none() {
                return Ok(());
            }
            let mut specific = specific_output(answer, PostToolUse::FACTS);
            optional_text(&mut specific, "additionalContext", self.context, text::LIMIT)?;
            optional_text(
                &mut specific,
                "classifierContext",
                self.classifier_context.map(|text| *text),
                CLASSIFIER_LIMIT,
            )?;
            if let Some(output) = updated_output {
                specific.raw(b"updatedToolOutput", output);
            }
            specific.end();
            Ok(())
        })
    }
}

/// The answer to [`PostToolUseFailure`]. The failure stands.
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostToolUseFailureAnswer {
    block: Option<String>,
    context: Option<Text>,
    extras: Extras,
}

impl PostToolUseFailureAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The model reads the reason as a blocking error of the hook, with the hook's command line, beside the tool's
    /// error.
    pub fn block(reason: impl Into<String>) -> Self {
        Self {
            block: Some(reason.into()),
            ..Self::default()
        }
    }

    /// The model reads the text beside the tool's error (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads beside the tool's error (`additionalContext`).
    pub fn with_context(mut self, text: impl Into<Text>) -> Self {
        self.context = Some(text.into());
        self
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<PostToolUseFailure> for PostToolUseFailureAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        let facts = PostToolUseFailure::FACTS;
        block_or_context(facts, self.block.as_deref(), self.context, self.extras)
    }
}

/// The answer to [`PostToolBatch`].
#[must_use = "an answer does nothing unless the hook returns it"]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostToolBatchAnswer {
    stop: Option<String>,
    context: Option<Text>,
    extras: Extras,
}

impl PostToolBatchAnswer {
    /// Nothing to say.
    pub fn pass() -> Self {
        Self::default()
    }

    /// The turn ends before the model reads the results; in print mode (`-p`) the session does (`continue: false`). The
    /// model reads the reason with the next prompt. What the client calls a block does the same here.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self {
            stop: Some(reason.into()),
            ..Self::default()
        }
    }

    /// The model reads the text once, beside the results of the batch (`additionalContext`).
    pub fn context(text: impl Into<Text>) -> Self {
        Self::pass().with_context(text)
    }

    /// Adds text that the model reads once, beside the results of the batch (`additionalContext`).
    pub fn with_context(mut self, text: impl Into<Text>) -> Self {
        self.context = Some(text.into());
        self
    }

    with!(system_message);
    with!(terminal_sequence);
    with!(suppressed_output);
}

impl Answer<PostToolBatch> for PostToolBatchAnswer {
    const ON_FAILURE: OnFailure = OnFailure::Continue;

    fn into_response(self, _: &Payload<'_>) -> Result<Response, Error> {
        answer(|answer| {
            if let Some(reason) = &self.stop {
                stop(answer, reason);
            }
            self.extras.write(answer)?;
            context_of(answer, PostToolBatch::FACTS, self.context)
        })
    }

    fn refusal(&self) -> Option<&str> {
        self.stop.as_deref()
    }
}
