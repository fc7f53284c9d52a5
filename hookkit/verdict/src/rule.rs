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
    /// Read in the client's code. Only a terminal, a team of agents or another setting of the client could show it.
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seen => "seen in client 2.1.332",
            Self::Read => "from the code of client 2.1.332",
            Self::Elsewhere => "from the code of client 2.1.332; a headless session cannot show it",
        })
    }
}

macro_rules! rules {
    ($($name:ident = $known:ident $words:literal;)*) => {
        $(pub(super) const $name: &Rule = &Rule { words: $words, known: Known::$known };)*

        impl Rule {
            /// All rules that a verdict may give as its reason.
            pub const ALL: &[&Rule] = &[$($name),*];
        }
    };
}

rules! {
    // End of the run.
    NO_OPINION = Seen "exit code 0 without JSON leaves the decision to Claude Code";
    EXIT_TWO = Seen "exit code 2 blocks, with stderr as its text";
    EXIT_TWO_WITH_JSON = Seen "exit code 2 blocks, with stderr as its text, even with valid JSON";
    EXIT_TWO_WITH_INVALID = Seen "exit code 2 blocks, even with invalid JSON";
    EXIT_TWO_WITH_OTHER_EVENT = Seen "exit code 2 blocks a call, even if the answer is for another event";
    FAILED = Seen "any exit code except 0 and 2, without valid JSON, is a failure, which does not block";
    KILLED = Seen "a signal is a failure, which does not block";
    TIMED_OUT = Seen "a hook that is too slow is cancelled: its answer has no effect";
    TIMED_OUT_DENIES = Seen "a hook that is too slow denies the switch";
    NOT_STARTED = Seen "a hook that cannot be started is a failure, which does not block";
    MISSING_SCRIPT = Seen "exit code 2 with an empty stdout and `no such file` or `can't open` on stderr counts as a missing script, a failure";
    ON_FAILURE = Seen "`onFailure: \"block\"` makes a failure a block";
    ON_FAILURE_OVER_JSON = Seen "with `onFailure: \"block\"`, an exit code other than 0 and 2 blocks, even with valid JSON";
    ON_FAILURE_UNHEEDED = Seen "`onFailure: \"block\"` is ignored on Stop, SubagentStop and TaskCompleted, and on TeammateIdle by the client's code";
    BLOCKS_NOTHING = Seen "nothing can be blocked on this event";
    REQUEST_NEEDS_OBJECT = Seen "only `hookSpecificOutput.decision` decides a permission request";

    // Kinds of stdout.
    JSON = Seen "valid JSON decides, whatever the exit code";
    EMPTY_JSON = Seen "JSON without a decision leaves it to Claude Code";
    INVALID = Seen "JSON that breaks the schema is a failure: no part of it is used";
    NEARLY_JSON = Seen "text from `{` to `}` that is not one JSON object is a failure";
    OTHER_EVENT = Seen "an answer for another event is a failure: no part of it is used";
    OTHER_EVENT_WITH_BLOCK = Seen "next to `decision: \"block\"`, the object of another event is dropped, and the block applies";
    UNKNOWN_KEY = Seen "unknown keys are dropped";
    PLAIN_UNREAD = Seen "on this event, text that is not JSON is ignored";
    PLAIN_TO_MODEL = Seen "on this event, the model reads text that is not JSON";
    OUTPUT_OF_BLOCK = Seen "with exit code 2, stdout that is not JSON is ignored";
    OUTPUT_OF_FAILURE = Seen "if the hook fails, stdout that is not JSON is ignored";
    STDERR_OF_SUCCESS = Seen "stderr is not used if the exit code is 0";
    STDERR_WITH_REASON = Seen "stderr is not used if JSON has the reason";
    STDERR_WITH_JSON = Seen "stderr is not used if valid JSON decides";
    TOO_LONG_INSTRUCTIONS = Read "instructions of more than 10,000 UTF-16 units are cut";
    TOO_LONG = Seen "only the beginning of a text over 10,000 UTF-16 units is passed on, with the path of a file";

    // Contents of the JSON.
    BLOCK = Seen "`decision: \"block\"` blocks, with `reason` as its text";
    APPROVE = Seen "`decision: \"approve\"` allows the call";
    APPROVE_UNREAD = Seen "`decision: \"approve\"` has no effect on this event";
    ALLOW = Seen "`permissionDecision: \"allow\"` skips the question; rules that deny or ask still apply";
    ALLOW_SWITCH = Read "`permissionDecision: \"allow\"` skips the client's own question";
    DENY = Seen "`permissionDecision: \"deny\"` denies";
    ASK = Seen "`permissionDecision: \"ask\"` asks the user; if the user cannot be asked, it denies";
    DEFER = Seen "`permissionDecision: \"defer\"` ends a session that was started for one prompt, with the call pending";
    BLOCK_OVER_PERMISSION = Seen "`decision: \"block\"` applies; `permissionDecision` next to it is ignored";
    PERMISSION_OVER_APPROVE = Seen "`permissionDecision` applies; `decision: \"approve\"` next to it is ignored";
    REQUEST_ALLOWED = Seen "`decision.behavior: \"allow\"` allows the call";
    REQUEST_DENIED = Seen "`decision.behavior: \"deny\"` denies the call";
    REQUEST_INTERRUPTED = Seen "`decision.interrupt` ends the turn, and the message is not passed on";
    RETRY = Read "with `retry`, the model reads that it may try again";
    ANSWERED = Seen "`action` answers the server in place of the user";
    ANSWER_NEEDS_SUCCESS = Seen "`action` is ignored if the exit code is not 0";
    ANSWER_OF_OTHER_EVENT = Seen "an `action` for another event is ignored";
    STOP_AFTER = Seen "`continue: false` ends the turn, and does not deny";
    STOP_WITHOUT_MODEL = Seen "`continue: false` drops no prompt, but the model is not asked";
    STOP_LETS_END = Seen "`continue: false` lets the agent end its turn, even if another hook blocks";
    STOP_UNREAD = Seen "`continue: false` has no effect on this event";
    STOP_SILENCES = Seen "with `continue: false`, no other part of the answer is used on this event";
    STOP_REASON_FIRST = Read "if there is a reason to stop and one to block, the reason to stop is passed on";
    MESSAGE_UNREAD = Seen "`systemMessage` has no effect on this event";
    MESSAGE_SHOWN = Seen "the user reads `systemMessage`";
    MESSAGE_ON_TERMINAL = Elsewhere "the user reads `systemMessage`";
    MESSAGE_TO_MODEL = Elsewhere "the model reads `systemMessage`, but only after `/add-dir`";
    MESSAGE_WITH_DENIED_PROMPT = Seen "`systemMessage` is not shown if the prompt is not sent";
    CONTEXT = Seen "the model reads `additionalContext`";
    CONTEXT_KEEPS_GOING = Seen "`additionalContext` makes the turn go on, as a block does";
    CONTEXT_UNREAD = Seen "`additionalContext` has no effect on this event";
    CONTEXT_OF_DENIED_PROMPT = Seen "context is not passed on if the prompt is not sent";
    CONTEXT_OF_DEFERRED = Read "context is not passed on while the call waits";
    REASON_ALONE = Seen "a reason without a decision is not used";
    REASON_UNREAD = Seen "the reason for an approval is not shown";
    REASON_ON_TERMINAL = Elsewhere "the reason is shown with the question";
    SUPPRESS = Seen "`suppressOutput` has no effect for the model or a headless user";
    INPUT = Seen "the tool runs with `updatedInput`, in place of the model's input";
    INPUT_OF_DENIED = Seen "`updatedInput` is not used if the call is denied or deferred";
    TOOL_OUTPUT = Seen "`updatedToolOutput` replaces the output, if it has the shape of the tool's output";
    MCP_OUTPUT = Seen "`updatedMCPToolOutput` replaces only the output of an MCP tool";
    MCP_OUTPUT_WITH_OTHER = Read "`updatedToolOutput` overrides `updatedMCPToolOutput`";
    PERMISSIONS = Seen "`updatedPermissions` are applied, and saved if their destination is a file";
    TITLE = Seen "`sessionTitle` names the session";
    TITLE_KEPT = Seen "a session that was cleared or compacted keeps its title";
    FIRST_MESSAGE = Seen "`initialUserMessage` is a turn of its own, before the prompt";
    DISPLAY = Seen "`displayContent` replaces the text for the user; the model keeps the original";
    CLASSIFIER = Read "the classifier of auto mode reads `classifierContext`";
    WATCHED = Seen "`watchPaths` are watched: FileChanged hooks are called on them";
    SKILLS = Seen "`reloadSkills` makes the client look for skills again";
    WITHOUT_PROMPT = Seen "`suppressOriginalPrompt` keeps the prompt out of what the user reads";
    TERMINAL = Elsewhere "`terminalSequence` is written to an interactive terminal";
    TERMINAL_DENIED = Elsewhere "a `terminalSequence` with a part that is not allowed is dropped as a whole";

    // Commands of skills.
    NO_QUESTIONS = Seen "`permissionDecision: \"ask\"` and `\"defer\"` keep the command from running: a skill cannot wait";
    NO_CHANGES = Seen "`updatedInput` keeps the command from running: it cannot be changed";
    ALLOW_UNREAD = Seen "`permissionDecision: \"allow\"` has no effect on this event: the permission rules decide";
    COMMAND_DENIED = Seen "the user reads the reason, and the model reads it in place of the command's output";
    RAN_ANYWAY = Seen "the user reads that a hook of a skill's command failed, and that the command ran";
    STOP_SKILL = Seen "`continue: false` drops the skill: its commands do not run, and the model is not asked";

    // Readers of reasons.
    REASON_TO_MODEL = Seen "the model reads why";
    FEEDBACK = Seen "the model reads the reason, and goes on";
    FEEDBACK_TWICE = Seen "the text of the JSON is shown twice, the second time with the command line";
    PROMPT_DENIED = Seen "only the user reads the reason";
    SWITCH_DENIED = Seen "the reason goes to the program or user that requested the switch";
    NOTE_STAYS = Seen "the reason for the end of the turn stays in the conversation, for the next prompt";
    NO_VERDICT = Seen "once in a session, the user reads that a hook of a tool call failed";
    NOTICE = Elsewhere "the user reads the first line of the failure";
    SWITCH_FAILED = Seen "the user reads that a hook of a switch failed";

    // Events with special rules.
    INSTRUCTIONS = Seen "stdout goes into the instructions for the summary and into the command's output, even if it is JSON, unless it blocks";
    COMPACTION_DENIED = Seen "the denial is the command's output, which the model reads";
    COMPLETED = Seen "the command's output reports each hook that was run, even one without output";
    COMMAND_OUTPUT = Seen "a hook's output or failure goes into the command's output, which the model reads";
    SESSION_END = Seen "the failure of a hook goes to the client's own stderr";
    PATH = Seen "the last line of stdout is the worktree's path, even if it is JSON";
    NO_PATH = Seen "if the hook fails or prints no path, the worktree is not created";
    REASON_AS_PATH = Seen "the `reason` of a block counts as the path, if the exit code is 0";
    SETTINGS_KEPT = Seen "the session ignores the changed settings, unless they are the organization's policy";
    DECLINED = Seen "a block declines, and the reason is not shown";
    REMOVAL = Elsewhere "if the hook fails, the removal is reported as failed, unless the folder is gone";

    // Hooks in the background.
    BACKGROUND = Seen "the client does not wait for this hook, so the hook cannot decide";
    MARKER = Seen "if the first line of stdout is a JSON object with `async: true`, the client goes on at once, with any exit code";
    LATE_CONTEXT = Seen "context and messages of a background hook reach the model later, unchanged";
    LATE_UNREAD = Seen "all other parts of a background hook's answer are ignored";
    WAKE = Seen "exit code 2 of an `asyncRewake` hook wakes the model; with `-p` and one prompt the client waits for it instead, as for any hook";
    WAKES_ALONE = Seen "only exit code 2 of an `asyncRewake` hook is used";
}
