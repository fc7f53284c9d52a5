//! The answers whose methods say everything, by their events.

use std::path::PathBuf;

use super::meaning::{Decision, Meaning, Member, Value};
use super::{Answer, TerminalSequence, Text};
use crate::event::*;
use crate::{Error, Json, Payload, Response};

answer! {
    /// The answer to [`PostToolUseFailure`]. The failure is not undone.
    PostToolUseFailureAnswer on PostToolUseFailure;

    /// No effect.
    pass();
    /// The model reads the reason as a blocking error of the hook, with the hook's command line, next to the tool's
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

    /// No effect.
    pass();
    /// The turn ends before the model reads the results; in print mode (`-p`) the session does (`continue: false`). The
    /// model reads the reason with the next prompt. The client's block does the same here.
    stop(reason);
    /// Adds text that the model reads once, next to the results of the batch (`additionalContext`).
    with_context(text);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`PermissionDenied`]. The denial is not undone.
    PermissionDeniedAnswer on PermissionDenied;

    /// No effect.
    pass();
    /// The model reads that it may try the call again (`retry`), unless the classifier gave no verdict.
    /// Untested: no headless session shows it.
    retry();
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`UserPromptSubmit`].
    UserPromptSubmitAnswer on UserPromptSubmit;

    /// No effect.
    pass();
    /// The prompt is dropped. The user reads the reason and the prompt again, the model nothing.
    block(reason);
    /// The prompt is dropped. The user reads the reason, without the prompt (`suppressOriginalPrompt`): for one that
    /// holds a secret. The model reads nothing.
    block_and_suppress_original_prompt(reason);
    /// The model is not asked. The prompt stays in the conversation, and after it the reason, which the user reads
    /// (`continue: false`).
    stop(reason);
    /// Adds text that the model reads next to the prompt (`additionalContext`), if the prompt is not dropped.
    with_context(text);
    /// Gives the session a title (`sessionTitle`, since client 2.1.94). Of several hooks the one that finishes last
    /// counts.
    with_session_title(title);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`UserPromptExpansion`].
    UserPromptExpansionAnswer on UserPromptExpansion;

    /// No effect.
    pass();
    /// The command is not expanded, and nothing is sent. The user reads the reason and the prompt again, the model
    /// nothing.
    block(reason);
    /// The command is not expanded, and nothing is sent. The user reads the reason, without the prompt
    /// (`suppressOriginalPrompt`). The model reads nothing.
    block_and_suppress_original_prompt(reason);
    /// The model is not asked. Only the reason stays in the conversation, which the user reads (`continue: false`).
    stop(reason);
    /// Adds text that the model reads next to the prompt (`additionalContext`), if the prompt is not dropped.
    with_context(text);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`MessageDisplay`].
    MessageDisplayAnswer on MessageDisplay;

    /// The lines are shown as they are.
    pass();
    /// The user sees this text instead of the lines (`displayContent`). The conversation, and with it the model, keeps
    /// the lines as they are.
    with_display_content(text);
    with_terminal_sequence(sequence);
}

answer! {
    /// The answer to [`SessionStart`]. The session goes ahead with every answer.
    SessionStartAnswer on SessionStart;

    /// No effect.
    pass();
    /// Adds text that the model reads before the first prompt (`additionalContext`).
    with_context(text);
    /// In print mode (`-p`) the text is sent as a prompt of the user's, in a turn of its own before the first one
    /// (`initialUserMessage`).
    with_initial_user_message(message);
    /// Gives a session that is new, resumed or forked a title (`sessionTitle`, since client 2.1.152).
    with_session_title(title);
    /// Watches these files, in addition to those that the matchers of FileChanged hooks name (`watchPaths`). Paths are
    /// absolute.
    ///
    /// A hook on [`FileChanged`] is called on a file if its matcher fits the file's name.
    with_watch_paths(paths);
    /// The client looks for skills again, in case the hook has made some (`reloadSkills`, since client 2.1.152).
    with_reload_skills();
    /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`Stop`], and to [`SubagentStop`], where it is the subagent that goes on or ends.
    ///
    /// `additionalContext` makes the turn go on. So it is a decision here, [`context`](Self::context), and goes with no
    /// other one.
    StopAnswer on Stop, SubagentStop;

    /// The turn ends.
    pass();
    /// The turn goes on, unless it already goes on because of such a hook. The model reads the reason.
    ///
    /// Nearly every Stop hook needs this one: it holds the turn once, and cannot loop.
    block_once(event, reason);
    /// The turn goes on, each time. The model reads the reason as `Stop hook feedback`, together with the hook's
    /// command line.
    ///
    /// The client obeys eight times in a row, then ends the turn (client 2.1.330).
    block(reason);
    /// The turn goes on, unless it already goes on because of such a hook. The model reads the text as a reminder, not
    /// as an error (`additionalContext`).
    context_once(event, text);
    /// The turn goes on, each time. The model reads the text as a reminder, not as an error (`additionalContext`, since
    /// client 2.1.163).
    ///
    /// The client counts it as a [`block`](Self::block): it obeys eight times in a row.
    context(text);
    /// The turn ends, even where another hook blocks (`continue: false`). The model reads the reason with the next
    /// prompt; that of a subagent's turn has no reader.
    stop(reason);
    /// Adds a message that the user reads; the model does not (`systemMessage`).
    /// At a subagent's end: Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

/// The answer to [`SubagentStop`]: the same as to [`Stop`].
pub type SubagentStopAnswer = StopAnswer;

answer! {
    /// The answer to [`SubagentStart`]. The subagent starts with every answer.
    SubagentStartAnswer on SubagentStart;

    /// No effect.
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
    /// The client reads plain text, and would take an answer in JSON for a part of it.
    PreCompactAnswer on PreCompact;

    /// The conversation is compacted.
    pass();
    /// The conversation is not compacted (since client 2.1.105). The user reads the reason, and so does the model, as
    /// the outcome of `/compact`.
    block(reason);
    /// The model that writes the summary reads the text, after the instructions that it has (the hook's plain stdout).
    ///
    /// The client cuts it after 10,000 UTF-16 units, without a note: a longer text is cut before, with one.
    /// It cannot begin with `{`, which the client would take for an answer in JSON: the hook then fails.
    /// With [`block`](Self::block) it is left out.
    with_plain_text(text);
}

answer! {
    /// The answer to [`PostCompact`].
    ///
    /// The client reads plain text, and would take an answer in JSON for a part of it.
    PostCompactAnswer on PostCompact;

    /// No effect.
    pass();
    /// The user reads the text, with the outcome of `/compact`; the model reads it there, too (the hook's plain
    /// stdout).
    ///
    /// It cannot begin with `{`, which the client would take for an answer in JSON: the hook then fails.
    with_plain_text(text);
}

answer! {
    /// The answer to [`PreModelSwitch`].
    PreModelSwitchAnswer on PreModelSwitch;

    /// No opinion: the client asks the user if it would without a hook.
    pass();
    /// The session takes the model, and the client does not ask the user. Untested: no headless session shows it.
    allow();
    /// As `allow`, with a reason. Untested: no headless session shows it.
    allow_with_reason(reason);
    /// The session keeps its model. The user reads the reason, or the program that runs the client.
    deny(reason);
    /// The user is asked, and reads the reason. In print mode (`-p`) the session keeps its model. Of the question:
    /// Untested: no headless session shows it.
    ask(reason);
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`PostModelSwitch`]. The session has the model.
    PostModelSwitchAnswer on PostModelSwitch;

    /// No effect.
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

    /// The member goes idle.
    pass();
    /// The member goes on working. Its model reads the reason. Untested: no headless session shows it.
    block(reason);
    /// The member is stopped (`continue: false`). The user reads the reason. Untested: no headless session shows it.
    stop(reason);
    /// Adds a message that the user reads; the model does not (`systemMessage`). Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`TaskCreated`]. A hook on [`TaskCompleted`], too, can give it on both.
    TaskCreatedAnswer on TaskCreated, TaskCompleted;

    /// No effect.
    pass();
    /// The task is not created; on TaskCompleted it stays open. The model reads the reason as the outcome of its call.
    block(reason);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`TaskCompleted`].
    TaskCompletedAnswer on TaskCompleted;

    /// No effect.
    pass();
    /// The task stays open. The model reads the reason as the outcome of its call.
    block(reason);
    /// The member of a team whose turn ends with the task is stopped (`continue: false`), and the user reads the
    /// reason.
    /// Where the model calls TaskUpdate it has no effect. Untested: no headless session shows it.
    stop(reason);
    /// Adds a message that the user reads, at the end of a team member's turn (`systemMessage`). Where the model calls
    /// TaskUpdate it has no effect. Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
    with_suppress_output();
}

answer! {
    /// The answer to [`Elicitation`], in the user's place, and to [`ElicitationResult`], in the place of the answer that
    /// was given.
    ///
    /// Of several hooks the last one counts, except a [`block`](Self::block).
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

    /// No opinion: the user is asked, or the user's answer counts.
    pass();
    /// The server gets this content: an object that fits the question's schema. The hook fails if it is not an object.
    accept(content);
    /// The server reads that the user goes to the page that it asks to show: a question of the mode `url` has no
    /// content.
    accept_url();
    /// The server reads that the user does not want to answer.
    decline();
    /// The server reads that the user has closed the question.
    cancel();
    /// The server reads that the user does not want to answer, whatever other hooks say. The reason is not shown.
    block();
    with_terminal_sequence(sequence);
}

/// The answer to [`ElicitationResult`]: the same as to [`Elicitation`].
pub type ElicitationResultAnswer = ElicitationAnswer;

answer! {
    /// The answer to [`ConfigChange`].
    ConfigChangeAnswer on ConfigChange;

    /// The session takes the change.
    pass();
    /// The session goes on without the change; the file stays as it is. Neither the user nor the model reads of it, so
    /// there is no reason.
    ///
    /// A change of the organization's settings (`policy_settings`) is taken all the same.
    block();
    with_terminal_sequence(sequence);
}

answer! {
    /// The answer to [`CwdChanged`] and to [`FileChanged`].
    CwdChangedAnswer on CwdChanged, FileChanged;

    /// No effect.
    pass();
    /// Watches these files, instead of those that hooks have named before (`watchPaths`). Paths are absolute. Without
    /// any, CwdChanged ends the watching, and FileChanged leaves it as it is.
    ///
    /// The files that the matchers of FileChanged hooks name are watched, too.
    /// A hook on [`FileChanged`] is called on a file if its matcher fits the file's name.
    with_watch_paths(paths);
    /// Adds a message that the user sees for a moment (`systemMessage`).
    /// Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
}

/// The answer to [`FileChanged`]: the same as to [`CwdChanged`].
pub type FileChangedAnswer = CwdChangedAnswer;

answer! {
    /// The answer to [`DirectoryAdded`]. The directory stays.
    DirectoryAddedAnswer on DirectoryAdded;

    /// No effect.
    pass();
    /// The model reads the message after `/add-dir` (`systemMessage`); elsewhere it has no effect.
    /// Untested: no headless session shows it.
    with_system_message(message);
    with_terminal_sequence(sequence);
}

answer! {
    /// Text for the model, and nothing else: the answer of a hook on several events.
    ///
    /// It is for the events on which the model reads `additionalContext` and does nothing else for it.
    /// Stop and SubagentStop are not among them: there it makes the turn go on.
    ///
    /// ```
    /// use hookkit::prelude::*;
    ///
    /// /// Reports the current branch to the model.
    /// #[hook(SessionStart | UserPromptSubmit)]
    /// pub fn branch(context: Context) -> Result<ContextAnswer, Error> {
    ///     let head = std::fs::read_to_string(context.project_dir.join(".git/HEAD"))?;
    ///     Ok(ContextAnswer::pass().with_context(format!("HEAD is {}", head.trim())))
    /// }
    /// # fn main() {}
    /// ```
    ContextAnswer on every TakesContext;

    /// No effect.
    pass();
    /// Adds text that the model reads (`additionalContext`).
    with_context(text);
}
