//! The answers that need no code besides their methods, in the order of events.

use std::path::PathBuf;

use super::meaning::{Decision, Meaning, Member, Value};
use super::{Answer, TerminalSequence, Text};
use crate::event::*;
use crate::{Error, Json, Payload, Response};

answer! {
    /// The answer to [`PostToolUseFailure`]. It cannot undo the failure.
    PostToolUseFailureAnswer on PostToolUseFailure;

    /// Has no effect.
    pass();
    /// Adds a blocking error of the hook: the model reads the reason, with the hook's command line, next to the tool's
    /// error.
    block(reason);
    /// Adds text that the model reads next to the tool's error (`additionalContext`).
    with_context(text);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`PostToolBatch`].
    PostToolBatchAnswer on PostToolBatch;

    /// Has no effect.
    pass();
    /// Ends the turn before the model reads the results; in print mode (`-p`) it also ends the session (`continue:
    /// false`). The model reads the reason with the next prompt. The client's `block` has the same effect on this
    /// event.
    stop(reason);
    /// Adds text that the model reads once, next to the results of the batch (`additionalContext`).
    with_context(text);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`PermissionDenied`]. It cannot undo the denial.
    PermissionDeniedAnswer on PermissionDenied;

    /// Has no effect.
    pass();
    /// Allows a retry: the model reads that it may try the call again (`retry`), unless the classifier failed to decide.
    /// Untested: no headless session shows it.
    retry();
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`UserPromptSubmit`].
    UserPromptSubmitAnswer on UserPromptSubmit;

    /// Has no effect.
    pass();
    /// Drops the prompt. The user reads the reason and the prompt; the model reads nothing.
    block(reason);
    /// Drops the prompt. The user reads the reason, without the prompt (`suppressOriginalPrompt`): use it for prompts
    /// with secrets. The model reads nothing.
    block_and_suppress_original_prompt(reason);
    /// Ends the turn before the model is called. The prompt stays in the conversation, followed by the reason, which the
    /// user reads (`continue: false`).
    stop(reason);
    /// Adds text that the model reads next to the prompt (`additionalContext`), unless the prompt is dropped.
    with_context(text);
    /// Sets the title of the session (`sessionTitle`, since client 2.1.94). If several hooks set it, the last one to
    /// finish counts.
    with_session_title(title);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`UserPromptExpansion`].
    UserPromptExpansionAnswer on UserPromptExpansion;

    /// Has no effect.
    pass();
    /// Does not expand the command and sends nothing. The user reads the reason and the prompt; the model reads
    /// nothing.
    block(reason);
    /// Does not expand the command and sends nothing. The user reads the reason, without the prompt
    /// (`suppressOriginalPrompt`). The model reads nothing.
    block_and_suppress_original_prompt(reason);
    /// Ends the turn before the model is called. Only the reason stays in the conversation, and the user reads it
    /// (`continue: false`).
    stop(reason);
    /// Adds text that the model reads next to the prompt (`additionalContext`), unless the prompt is dropped.
    with_context(text);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`MessageDisplay`].
    MessageDisplayAnswer on MessageDisplay;

    /// Shows the lines unchanged.
    pass();
    /// Replaces the displayed lines: the user sees this text instead (`displayContent`). The conversation, and with it
    /// the model, keeps the original lines.
    with_display_content(text);
    with_terminal_sequence(sequence);
}

answer! {
    /// The answer to [`SessionStart`]. It cannot prevent the session.
    SessionStartAnswer on SessionStart;

    /// Has no effect.
    pass();
    /// Adds text that the model reads before the first prompt (`additionalContext`).
    with_context(text);
    /// Sends the text as a user prompt, in its own turn before the first prompt (`initialUserMessage`). Has an effect
    /// only in print mode (`-p`).
    with_initial_user_message(message);
    /// Sets the title of a new, resumed or forked session (`sessionTitle`, since client 2.1.152).
    with_session_title(title);
    /// Watches these files, in addition to those in the matchers of FileChanged hooks (`watchPaths`). Paths must be
    /// absolute.
    ///
    /// A hook on [`FileChanged`] runs if its matcher matches the file's name.
    with_watch_paths(paths);
    /// Reloads the skills, in case the hook created some (`reloadSkills`, since client 2.1.152).
    with_reload_skills();
    /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`Stop`], and to [`SubagentStop`], where it applies to the subagent.
    ///
    /// On these events `additionalContext` makes the model continue. It is therefore a decision of its own,
    /// [`context`](Self::context), and cannot be combined with another decision.
    StopAnswer on Stop, SubagentStop;

    /// Ends the turn.
    pass();
    /// Makes the model continue, unless a hook on this event already made it continue. The model reads the reason.
    ///
    /// The right choice for nearly every Stop hook: it blocks once, and cannot loop.
    block_once(event, reason);
    /// Makes the model continue, each time. The model reads the reason as `Stop hook feedback`, with the hook's command
    /// line.
    ///
    /// The client accepts eight blocks in a row, then ends the turn (client 2.1.330).
    block(reason);
    /// Makes the model continue, unless a hook on this event already made it continue. The model reads the text as a
    /// reminder, not as an error (`additionalContext`).
    context_once(event, text);
    /// Makes the model continue, each time. The model reads the text as a reminder, not as an error
    /// (`additionalContext`, since client 2.1.163).
    ///
    /// The client counts it as a [`block`](Self::block): it accepts eight in a row.
    context(text);
    /// Ends the turn, even if another hook blocks (`continue: false`). The model reads the reason with the next prompt;
    /// for a subagent, the client discards the reason.
    stop(reason);
    /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows
    /// it. Only the case of a subagent is untested.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

/// The answer to [`SubagentStop`]: the same as to [`Stop`].
pub type SubagentStopAnswer = StopAnswer;

answer! {
    /// The answer to [`SubagentStart`]. It cannot prevent the subagent.
    SubagentStartAnswer on SubagentStart;

    /// Has no effect.
    pass();
    /// Adds text that the subagent's model reads before its task (`additionalContext`).
    with_context(text);
    /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`PreCompact`].
    ///
    /// The client reads the answer as plain text, and would treat JSON as a part of the text.
    PreCompactAnswer on PreCompact;

    /// Lets the compaction go ahead.
    pass();
    /// Prevents the compaction (since client 2.1.105, according to its changelog). The user reads the reason, and so
    /// does the model, as the outcome of `/compact`.
    block(reason);
    /// Adds text to the instructions of the model that writes the summary (the hook's plain stdout).
    ///
    /// The client cuts it after 10,000 UTF-16 units without a note, so hookkit cuts a longer text with a note.
    /// If the text begins with `{`, which the client would read as JSON, the hook fails.
    /// The text is omitted with [`block`](Self::block).
    with_plain_text(text);
}

answer! {
    /// The answer to [`PostCompact`].
    ///
    /// The client reads the answer as plain text, and would treat JSON as a part of the text.
    PostCompactAnswer on PostCompact;

    /// Has no effect.
    pass();
    /// Adds text to the outcome of `/compact`, which both the user and the model read (the hook's plain stdout).
    ///
    /// If the text begins with `{`, which the client would read as JSON, the hook fails.
    with_plain_text(text);
}

answer! {
    /// The answer to [`PreModelSwitch`].
    PreModelSwitchAnswer on PreModelSwitch;

    /// Leaves the decision to the client, which may ask the user.
    pass();
    /// Allows the switch without asking the user. Untested: no headless session shows it.
    allow();
    /// Acts like `allow`, with a reason. Untested: no headless session shows it.
    allow_with_reason(reason);
    /// Denies the switch. The user, or the program that runs the client, reads the reason.
    deny(reason);
    /// Asks the user. In print mode (`-p`) the switch is denied. Otherwise the user reads the reason in a dialog.
    /// Untested: no headless session shows it.
    ask(reason);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`PostModelSwitch`]. It cannot undo the switch.
    PostModelSwitchAnswer on PostModelSwitch;

    /// Has no effect.
    pass();
    /// Adds text that the new model reads with its first request (`additionalContext`).
    with_context(text);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`TeammateIdle`].
    TeammateIdleAnswer on TeammateIdle;

    /// Lets the teammate go idle.
    pass();
    /// Makes the teammate continue. Its model reads the reason. Untested: no headless session shows it.
    block(reason);
    /// Stops the teammate (`continue: false`). The user reads the reason. Untested: no headless session shows it.
    stop(reason);
    /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`TaskCreated`]. A hook on both TaskCreated and [`TaskCompleted`] can return it, too.
    TaskCreatedAnswer on TaskCreated, TaskCompleted;

    /// Has no effect.
    pass();
    /// Prevents the creation of the task; on TaskCompleted the task stays open. The model reads the reason as the
    /// outcome of its call.
    block(reason);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`TaskCompleted`].
    TaskCompletedAnswer on TaskCompleted;

    /// Has no effect.
    pass();
    /// Keeps the task open. The model reads the reason as the outcome of its call.
    block(reason);
    /// Stops the teammate whose turn ends with the task (`continue: false`), and the user reads the reason.
    /// Has no effect if the model calls TaskUpdate. Untested: no headless session shows it.
    stop(reason);
    /// Adds a message that the user reads at the end of a teammate's turn (`systemMessage`). Has no effect if the model
    /// calls TaskUpdate. Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`Elicitation`], on behalf of the user, and to [`ElicitationResult`], in place of the user's answer.
    ///
    /// If several hooks answer, the last answer applies, unless one of them is a [`block`](Self::block).
    ///
    /// ```
    /// use hookkit::Json;
    /// use hookkit::prelude::*;
    ///
    /// #[derive(serde::Serialize)]
    /// struct Target {
    ///     region: String,
    /// }
    ///
    /// /// Answers the server that always asks for the region.
    /// #[hook(Elicitation, matcher = "deploy")]
    /// pub fn region(question: Elicitation, context: Context) -> Result<ElicitationAnswer, Error> {
    ///     if question.message != "Which region?" {
    ///         return Ok(ElicitationAnswer::pass());
    ///     }
    ///     let region = std::fs::read_to_string(context.project_dir.join("REGION"))?;
    ///     Ok(ElicitationAnswer::accept(Json::encode(&Target { region })?))
    /// }
    /// # fn main() {}
    /// ```
    ElicitationAnswer on Elicitation, ElicitationResult;

    /// Leaves the answer to the user.
    pass();
    /// Sends this content to the server: an object that matches the question's schema. The hook fails if it is not an
    /// object.
    accept(content);
    /// Accepts a question in `url` mode, whose answer has no content: the server reads that the user opens the page.
    accept_url();
    /// Declines: the server reads that the user does not want to answer.
    decline();
    /// Cancels: the server reads that the user closed the question.
    cancel();
    /// Declines, regardless of other hooks. It takes no reason, because the client would discard it.
    block();
    with_terminal_sequence(sequence);
}

/// The answer to [`ElicitationResult`]: the same as to [`Elicitation`].
pub type ElicitationResultAnswer = ElicitationAnswer;

answer! {
    /// The answer to [`ConfigChange`].
    ConfigChangeAnswer on ConfigChange;

    /// Applies the change.
    pass();
    /// Ignores the change for this session; the file stays as it is. It takes no reason, because the client would
    /// discard it.
    ///
    /// A change of the organization's settings (`policy_settings`) applies anyway.
    block();
    with_terminal_sequence(sequence);
}

answer! {
    /// The answer to [`CwdChanged`] and to [`FileChanged`].
    CwdChangedAnswer on CwdChanged, FileChanged;

    /// Has no effect.
    pass();
    /// Watches these files, instead of those from earlier answers (`watchPaths`). Paths must be absolute. On
    /// CwdChanged, an empty list stops watching; on FileChanged, it has no effect.
    ///
    /// The files in the matchers of FileChanged hooks are watched, too. A hook on [`FileChanged`] runs if its matcher
    /// matches the file's name.
    with_watch_paths(paths);
    /// Adds a message that the user sees briefly (`systemMessage`).
    /// Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
}

/// The answer to [`FileChanged`]: the same as to [`CwdChanged`].
pub type FileChangedAnswer = CwdChangedAnswer;

answer! {
    /// The answer to [`DirectoryAdded`]. It cannot remove the directory.
    DirectoryAddedAnswer on DirectoryAdded;

    /// Has no effect.
    pass();
    /// Adds a message that the model reads after `/add-dir` (`systemMessage`); otherwise it has no effect.
    /// Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
}

answer! {
    /// Text for the model and for the user, without other effects: the answer of a hook on several events.
    ///
    /// For the events on which the model reads `additionalContext`, except Stop and SubagentStop, where it makes the
    /// model continue.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Adds the current branch to the model's context.
    /// #[hook(SessionStart | UserPromptSubmit)]
    /// pub fn branch(context: Context) -> Result<ContextAnswer, Error> {
    ///     let head = std::fs::read_to_string(context.project_dir.join(".git/HEAD"))?;
    ///     Ok(ContextAnswer::pass().with_context(format!("HEAD is {}", head.trim())))
    /// }
    /// # fn main() {}
    /// ```
    ContextAnswer on every TakesContext;

    /// Has no effect.
    pass();
    /// Adds text that the model reads (`additionalContext`).
    with_context(text);
    /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows
    /// it. Only the cases of SessionStart and SubagentStart are untested.
    with_system_message(message);
}
