//! The rules that the client applies to a hook, each with its evidence.

use std::fmt;

/// A rule of the client, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The rule, as a sentence.
    pub words: &'static str,
    /// Evidence for the rule.
    pub known: Known,
}

/// The evidence for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Known {
    /// Observed in the real client; a test observes it again.
    Seen,
    /// Read only in the client's code.
    Read,
    /// Read in the client's code. Observing it requires a terminal, a team of agents or another setting of the client.
    Elsewhere,
}

/// The events without any observed rule: no headless session raises them.
pub const UNSEEN_EVENTS: &[&str] = &["TeammateIdle", "WorktreeRemove"];

impl Rule {
    /// Returns the evidence for the rule on one event.
    pub fn known_of(&self, event: &str) -> Known {
        match self.known {
            Known::Seen if UNSEEN_EVENTS.contains(&event) => Known::Elsewhere,
            known => known,
        }
    }
}

impl fmt::Display for Known {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Seen => "seen in client 2.1.332",
            Self::Read => "from the code of client 2.1.332",
            Self::Elsewhere => "from the code of client 2.1.332; a headless session cannot show it",
        })
    }
}

macro_rules! known {
    () => {
        Known::Seen
    };
    ($known:ident) => {
        Known::$known
    };
}

/// Declares rules. One without a [`Known`] was seen.
macro_rules! rules {
    ($($name:ident $(= $known:ident)? $words:literal;)*) => {
        $(pub(super) const $name: &Rule = &Rule { words: $words, known: known!($($known)?) };)*

        impl Rule {
            /// All rules that a verdict may give as its reason.
            pub const ALL: &[&Rule] = &[$($name),*];
        }
    };
}

rules! {
    // End of the run.
    NO_OPINION "exit code 0 without JSON leaves the decision to Claude Code";
    EXIT_TWO "exit code 2 blocks, with stderr as its text";
    EXIT_TWO_WITH_JSON "exit code 2 blocks, with stderr as its text, even with valid JSON";
    EXIT_TWO_WITH_INVALID "exit code 2 blocks, even with invalid JSON";
    EXIT_TWO_WITH_OTHER_EVENT "exit code 2 blocks a call, even if the answer is for another event";
    FAILED "any exit code except 0 and 2, without valid JSON, is a failure, which does not block";
    KILLED "a signal is a failure, which does not block";
    TIMED_OUT "a hook that is too slow is cancelled: its answer has no effect";
    TIMED_OUT_DENIES "a hook that is too slow denies the switch";
    NOT_STARTED "a hook that cannot be started is a failure, which does not block";
    MISSING_SCRIPT "exit code 2 with an empty stdout and `no such file` or `can't open` on stderr counts as a missing script, a failure";
    ON_FAILURE "`onFailure: \"block\"` makes a failure a block";
    ON_FAILURE_OVER_JSON "with `onFailure: \"block\"`, an exit code other than 0 and 2 blocks, even with valid JSON";
    ON_FAILURE_UNHEEDED "`onFailure: \"block\"` is ignored on Stop, SubagentStop and TaskCompleted and, according to \
                         the client's code, on TeammateIdle";
    BLOCKS_NOTHING "nothing can be blocked on this event";
    REQUEST_NEEDS_OBJECT "only `hookSpecificOutput.decision` decides a permission request";

    // Kinds of stdout.
    JSON "valid JSON decides, whatever the exit code";
    EMPTY_JSON "JSON without a decision leaves it to Claude Code";
    INVALID "JSON that breaks the schema is a failure: no part of it is used";
    NEARLY_JSON "text from `{` to `}` that is not a single JSON object is a failure";
    OTHER_EVENT "an answer for another event is a failure: no part of it is used";
    OTHER_EVENT_WITH_BLOCK "with `decision: \"block\"`, an object for another event is dropped, and the block applies";
    UNKNOWN_KEY "unknown keys are dropped";
    PLAIN_UNREAD "on this event, text that is not JSON is ignored";
    PLAIN_TO_MODEL "on this event, the model reads text that is not JSON";
    OUTPUT_OF_BLOCK "with exit code 2, stdout that is not JSON is ignored";
    OUTPUT_OF_FAILURE "if the hook fails, stdout that is not JSON is ignored";
    STDERR_OF_SUCCESS "stderr is not used if the exit code is 0";
    STDERR_WITH_REASON "stderr is not used if JSON has the reason";
    STDERR_WITH_JSON "stderr is not used if valid JSON decides";
    TOO_LONG_INSTRUCTIONS = Read "instructions of more than 10,000 UTF-16 units are cut";
    TOO_LONG "a text over 10,000 UTF-16 units is saved to a file; only its beginning and the path are passed on";

    // Contents of the JSON.
    BLOCK "`decision: \"block\"` blocks, with `reason` as its text";
    APPROVE "`decision: \"approve\"` allows the call";
    APPROVE_UNREAD "`decision: \"approve\"` has no effect on this event";
    ALLOW "`permissionDecision: \"allow\"` skips the question; rules that deny or ask still apply";
    ALLOW_SWITCH = Read "`permissionDecision: \"allow\"` skips the client's own question";
    DENY "`permissionDecision: \"deny\"` denies";
    ASK "`permissionDecision: \"ask\"` asks the user; if the user cannot be asked, it denies";
    DEFER "`permissionDecision: \"defer\"` ends a session that was started for one prompt, with the call pending";
    BLOCK_OVER_PERMISSION "`decision: \"block\"` applies; `permissionDecision` next to it is ignored";
    PERMISSION_OVER_APPROVE "`permissionDecision` applies; `decision: \"approve\"` next to it is ignored";
    REQUEST_ALLOWED "`decision.behavior: \"allow\"` allows the call";
    REQUEST_DENIED "`decision.behavior: \"deny\"` denies the call";
    REQUEST_INTERRUPTED "`decision.interrupt` ends the turn, and the message is not passed on";
    RETRY = Read "with `retry`, the model reads that it may try again";
    ANSWERED "`action` answers the server in place of the user";
    ANSWER_NEEDS_SUCCESS "`action` is ignored if the exit code is not 0";
    ANSWER_OF_OTHER_EVENT "an `action` for another event is ignored";
    STOP_AFTER "`continue: false` ends the turn, and does not deny";
    STOP_WITHOUT_MODEL "`continue: false` keeps the prompt, but the model is not asked";
    STOP_LETS_END "`continue: false` lets the agent end its turn, even if another hook blocks";
    STOP_UNREAD "`continue: false` has no effect on this event";
    STOP_SILENCES "with `continue: false`, no other part of the answer is used on this event";
    STOP_REASON_FIRST = Read "if there are reasons to stop and to block, only the reason to stop is passed on";
    MESSAGE_UNREAD "`systemMessage` has no effect on this event";
    MESSAGE_SHOWN "the user reads `systemMessage`";
    MESSAGE_ON_TERMINAL = Elsewhere "the user reads `systemMessage`";
    MESSAGE_TO_MODEL = Elsewhere "the model reads `systemMessage`, but only after `/add-dir`";
    MESSAGE_WITH_DENIED_PROMPT "`systemMessage` is not shown if the prompt is not sent";
    CONTEXT "the model reads `additionalContext`";
    CONTEXT_KEEPS_GOING "`additionalContext` makes the turn go on, as a block does";
    CONTEXT_UNREAD "`additionalContext` has no effect on this event";
    CONTEXT_OF_DENIED_PROMPT "context is not passed on if the prompt is not sent";
    CONTEXT_OF_DEFERRED = Read "context is not passed on while the call waits";
    REASON_ALONE "a reason without a decision is not used";
    REASON_UNREAD "the reason for an approval is not shown";
    REASON_ON_TERMINAL = Elsewhere "the reason is shown with the question";
    SUPPRESS "`suppressOutput` has no effect for the model or in headless sessions";
    INPUT "the tool runs with `updatedInput`, in place of the model's input";
    INPUT_OF_DENIED "`updatedInput` is not used if the call is denied or deferred";
    TOOL_OUTPUT "`updatedToolOutput` replaces the output, if it has the shape of the tool's output";
    MCP_OUTPUT "`updatedMCPToolOutput` replaces only the output of an MCP tool";
    MCP_OUTPUT_WITH_OTHER = Read "`updatedToolOutput` overrides `updatedMCPToolOutput`";
    PERMISSIONS "`updatedPermissions` are applied, and saved if their destination is a file";
    TITLE "`sessionTitle` names the session";
    TITLE_KEPT "a session that was cleared or compacted keeps its title";
    FIRST_MESSAGE "`initialUserMessage` is a turn of its own, before the prompt";
    DISPLAY "`displayContent` replaces the text for the user; the model keeps the original";
    CLASSIFIER = Read "the classifier of auto mode reads `classifierContext`";
    WATCHED "the client watches `watchPaths`, and calls FileChanged hooks when they change";
    SKILLS "`reloadSkills` makes the client look for skills again";
    WITHOUT_PROMPT "`suppressOriginalPrompt` removes the prompt from the text that the user reads";
    TERMINAL = Elsewhere "`terminalSequence` is written to an interactive terminal";
    TERMINAL_DENIED = Elsewhere "a `terminalSequence` with a part that is not allowed is dropped as a whole";

    // Commands of skills.
    NO_QUESTIONS "`permissionDecision: \"ask\"` and `\"defer\"` keep the command from running: a skill cannot wait";
    NO_CHANGES "`updatedInput` keeps the command from running: a skill's command cannot be changed";
    ALLOW_UNREAD "`permissionDecision: \"allow\"` has no effect on this event: the permission rules decide";
    COMMAND_DENIED "the user reads the reason, and the model reads it in place of the command's output";
    RAN_ANYWAY "the user reads that a hook of a skill's command failed, and that the command ran";
    STOP_SKILL "`continue: false` drops the skill: its commands do not run, and the model is not asked";

    // Readers of reasons.
    REASON_TO_MODEL "the model reads why";
    FEEDBACK "the model reads the reason, and goes on";
    FEEDBACK_TWICE "the text of the JSON is shown twice, the second time with the command line";
    PROMPT_DENIED "only the user reads the reason";
    SWITCH_DENIED "the reason goes to the program or user that requested the switch";
    NOTE_STAYS "the reason for the end of the turn stays in the conversation, for the next prompt";
    NO_VERDICT "once in a session, the user reads that a hook of a tool call failed";
    NOTICE = Elsewhere "the user reads the first line of the failure";
    SWITCH_FAILED "the user reads that a hook of a switch failed";

    // Events with special rules.
    INSTRUCTIONS "stdout goes into the instructions for the summary and into the command's output, even if it is \
                  JSON, unless the JSON blocks";
    COMPACTION_DENIED "the denial is the command's output, which the model reads";
    COMPLETED "the command's output reports each hook that was run, even one without output";
    COMMAND_OUTPUT "a hook's output or failure goes into the command's output, which the model reads";
    SESSION_END "the failure of a hook goes to the client's own stderr";
    PATH "the last line of stdout is the worktree's path, even if it is JSON";
    NO_PATH "if the hook fails or prints no path, the worktree is not created";
    REASON_AS_PATH "the `reason` of a block counts as the path, if the exit code is 0";
    SETTINGS_KEPT "the session ignores the changed settings, unless they are the organization's policy";
    DECLINED "a block declines, and the reason is not shown";
    REMOVAL = Elsewhere "if the hook fails, the removal is reported as failed, unless the folder is gone";

    // Hooks in the background.
    BACKGROUND "the client does not wait for this hook, so the hook cannot decide";
    MARKER "if the first line of stdout is a JSON object with `async: true`, the client continues immediately, \
            whatever the exit code";
    LATE_CONTEXT "context and messages of a background hook reach the model later, unchanged";
    LATE_UNREAD "all other parts of a background hook's answer are ignored";
    WAKE "exit code 2 of an `asyncRewake` hook wakes the model; with `-p` and one prompt the client waits for the \
          hook instead, as for other hooks";
    WAKES_ALONE "only exit code 2 of an `asyncRewake` hook is used";
}
