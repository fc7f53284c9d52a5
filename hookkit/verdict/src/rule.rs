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
    EXIT_TWO_WITH_JSON = Seen "exit code 2 blocks, whatever else valid JSON says, with stderr as its text";
    EXIT_TWO_WITH_INVALID = Seen "exit code 2 blocks, and JSON that is invalid changes nothing about it";
    EXIT_TWO_WITH_OTHER_EVENT = Seen "exit code 2 blocks a call, even where the answer is for another event";
    FAILED = Seen "an exit code other than 0 and 2, without valid JSON, is a failure, which blocks nothing";
    KILLED = Seen "a signal is a failure, which blocks nothing";
    TIMED_OUT = Seen "a hook that is too slow is cancelled, and decides nothing";
    TIMED_OUT_DENIES = Seen "a hook that is too slow denies the switch";
    NOT_STARTED = Seen "a hook that cannot be started is a failure, which blocks nothing";
    MISSING_SCRIPT = Seen "exit code 2, an empty stdout and a stderr with `no such file` or `can't open` is taken for a script that is missing: a failure";
    ON_FAILURE = Seen "`onFailure: \"block\"` makes a failure a block";
    ON_FAILURE_OVER_JSON = Seen "with `onFailure: \"block\"` valid JSON does not save an exit code other than 0 and 2, unless it blocks itself";
    ON_FAILURE_UNHEEDED = Seen "`onFailure: \"block\"` is not honored on Stop, SubagentStop and TaskCompleted, nor, by the code, on TeammateIdle";
    BLOCKS_NOTHING = Seen "nothing can be blocked on this event";
    REQUEST_NEEDS_OBJECT = Seen "a permission request is decided by `hookSpecificOutput.decision` alone";

    // Kinds of stdout.
    JSON = Seen "valid JSON decides, whatever the exit code";
    EMPTY_JSON = Seen "JSON without a decision leaves it to Claude Code";
    INVALID = Seen "JSON that breaks the schema is a failure: nothing of it is used";
    NEARLY_JSON = Seen "text from `{` to `}` that is not one JSON object is a failure";
    OTHER_EVENT = Seen "an answer for another event is a failure: nothing of it is used";
    OTHER_EVENT_WITH_BLOCK = Seen "next to `decision: \"block\"`, the object of another event is dropped, and the block applies";
    UNKNOWN_KEY = Seen "keys that the client does not know are dropped";
    PLAIN_UNREAD = Seen "text that is not JSON is not read on this event";
    PLAIN_TO_MODEL = Seen "text that is not JSON is for the model on this event";
    OUTPUT_OF_BLOCK = Seen "next to exit code 2, stdout that is not JSON is not used";
    OUTPUT_OF_FAILURE = Seen "next to a failure, stdout that is not JSON is not used";
    STDERR_OF_SUCCESS = Seen "stderr is not used where the exit code is 0";
    STDERR_WITH_REASON = Seen "stderr is not read where JSON has the reason";
    STDERR_WITH_JSON = Seen "stderr is not used where valid JSON decides";
    TOO_LONG_INSTRUCTIONS = Read "instructions of more than 10,000 UTF-16 units are cut";
    TOO_LONG = Seen "of more than 10,000 UTF-16 units the beginning is passed on, with the path of a file";

    // Contents of the JSON.
    BLOCK = Seen "`decision: \"block\"` blocks, with `reason` as its text";
    APPROVE = Seen "`decision: \"approve\"` allows the call";
    APPROVE_UNREAD = Seen "`decision: \"approve\"` says nothing on this event";
    ALLOW = Seen "`permissionDecision: \"allow\"` skips the question; rules that deny or ask still hold";
    ALLOW_SWITCH = Read "`permissionDecision: \"allow\"` skips the client's own question";
    DENY = Seen "`permissionDecision: \"deny\"` denies";
    ASK = Seen "`permissionDecision: \"ask\"` asks the user; where the user cannot be asked, it denies";
    DEFER = Seen "`permissionDecision: \"defer\"` ends a session that was started for one prompt, with the call pending";
    BLOCK_OVER_PERMISSION = Seen "`decision: \"block\"` applies, whatever `permissionDecision` says next to it";
    PERMISSION_OVER_APPROVE = Seen "`permissionDecision` applies, whatever `decision: \"approve\"` says next to it";
    REQUEST_ALLOWED = Seen "`decision.behavior: \"allow\"` allows the call";
    REQUEST_DENIED = Seen "`decision.behavior: \"deny\"` denies the call";
    REQUEST_INTERRUPTED = Seen "`decision.interrupt` ends the turn, and the message is not passed on";
    RETRY = Read "with `retry` the model reads that it may try again";
    ANSWERED = Seen "`action` answers the server in place of the user";
    ANSWER_NEEDS_SUCCESS = Seen "`action` is not read where the exit code is not 0";
    ANSWER_OF_OTHER_EVENT = Seen "an `action` for another event is not read";
    STOP_AFTER = Seen "`continue: false` ends the turn, and does not deny";
    STOP_WITHOUT_MODEL = Seen "`continue: false` drops no prompt, but the model is not asked";
    STOP_LETS_END = Seen "`continue: false` lets the agent end its turn, whichever hook blocks";
    STOP_UNREAD = Seen "`continue: false` does nothing on this event";
    STOP_SILENCES = Seen "next to `continue: false`, nothing else of the answer is used on this event";
    STOP_REASON_FIRST = Read "of a reason to stop and one to block the first is passed on";
    MESSAGE_UNREAD = Seen "`systemMessage` goes nowhere on this event";
    MESSAGE_SHOWN = Seen "`systemMessage` is for the user";
    MESSAGE_ON_TERMINAL = Elsewhere "`systemMessage` is for the user";
    MESSAGE_TO_MODEL = Elsewhere "`systemMessage` is for the model, after `/add-dir` alone";
    MESSAGE_WITH_DENIED_PROMPT = Seen "`systemMessage` is not shown where the prompt is not sent";
    CONTEXT = Seen "`additionalContext` is for the model";
    CONTEXT_KEEPS_GOING = Seen "`additionalContext` makes the turn go on, as a block does";
    CONTEXT_UNREAD = Seen "`additionalContext` goes nowhere on this event";
    CONTEXT_OF_DENIED_PROMPT = Seen "context is not passed on where the prompt is not sent";
    CONTEXT_OF_DEFERRED = Read "context is not passed on where the call waits";
    REASON_ALONE = Seen "a reason goes with a decision";
    REASON_UNREAD = Seen "the reason of an approval is not shown";
    REASON_ON_TERMINAL = Elsewhere "the reason is shown with the question";
    SUPPRESS = Seen "`suppressOutput` changes nothing that the model or a headless user gets";
    INPUT = Seen "the tool runs with `updatedInput`, in place of the model's input";
    INPUT_OF_DENIED = Seen "`updatedInput` is not used where the call is denied or deferred";
    TOOL_OUTPUT = Seen "`updatedToolOutput` takes the output's place, if it has the shape of the tool's";
    MCP_OUTPUT = Seen "`updatedMCPToolOutput` takes the output's place, of an MCP tool alone";
    MCP_OUTPUT_WITH_OTHER = Read "`updatedMCPToolOutput` is not used next to `updatedToolOutput`";
    PERMISSIONS = Seen "`updatedPermissions` are applied, and saved where their destination says so";
    TITLE = Seen "`sessionTitle` names the session";
    TITLE_KEPT = Seen "a session that was cleared or compacted keeps its title";
    FIRST_MESSAGE = Seen "`initialUserMessage` is a turn of its own, before the prompt";
    DISPLAY = Seen "`displayContent` takes the text's place for the user; the model keeps the text";
    CLASSIFIER = Read "`classifierContext` is for the classifier of auto mode";
    WATCHED = Seen "`watchPaths` are watched: FileChanged hooks are called on them";
    SKILLS = Seen "`reloadSkills` has the client look for skills again";
    WITHOUT_PROMPT = Seen "`suppressOriginalPrompt` keeps the prompt out of what the user reads";
    TERMINAL = Elsewhere "an interactive terminal gets `terminalSequence`";
    TERMINAL_DENIED = Elsewhere "a `terminalSequence` with anything that is not allowed is dropped whole";

    // Commands of skills.
    NO_QUESTIONS = Seen "`permissionDecision: \"ask\"` and `\"defer\"` keep the command from running: a skill cannot wait";
    NO_CHANGES = Seen "`updatedInput` keeps the command from running: it cannot be changed";
    ALLOW_UNREAD = Seen "`permissionDecision: \"allow\"` says nothing on this event: the permission rules decide";
    COMMAND_DENIED = Seen "the user reads why, and so does the model, in the place of the command's output";
    RAN_ANYWAY = Seen "the user reads that a hook of a skill's command failed, and that the command ran";
    STOP_SKILL = Seen "`continue: false` drops the skill: its commands do not run, and the model is not asked";

    // Readers of reasons.
    REASON_TO_MODEL = Seen "the model reads why";
    FEEDBACK = Seen "the model reads why, and goes on";
    FEEDBACK_TWICE = Seen "the text of the JSON is shown twice, the second time with the command line";
    PROMPT_DENIED = Seen "only the user reads why";
    SWITCH_DENIED = Seen "the reason goes to what asked for the switch";
    NOTE_STAYS = Seen "why the turn ended stays in the conversation, for the next prompt";
    NO_VERDICT = Seen "the user reads that a hook of a tool call failed, once in a session";
    NOTICE = Elsewhere "the user is shown the first line of what failed";
    SWITCH_FAILED = Seen "the user reads that a hook of a switch failed";

    // Events with special rules.
    INSTRUCTIONS = Seen "stdout, JSON that does not block too, goes into the instructions for the summary, and into the command's output";
    COMPACTION_DENIED = Seen "the denial is the command's output, which the model reads";
    COMPLETED = Seen "that a hook was run is in the command's output, also where it says nothing";
    COMMAND_OUTPUT = Seen "what a hook prints, or why it failed, goes into the command's output, which the model reads";
    SESSION_END = Seen "the failure of a hook goes to the client's own stderr";
    PATH = Seen "the last line of stdout is the worktree's path, JSON too";
    NO_PATH = Seen "a worktree's hook that fails, or gives no path, fails the creation";
    REASON_AS_PATH = Seen "the `reason` of a block is taken for the path, where the exit code is 0";
    SETTINGS_KEPT = Seen "the changed settings are not taken into the session; those of a policy are, whatever a hook says";
    DECLINED = Seen "a block declines, and the reason is not shown";
    REMOVAL = Elsewhere "a removal whose hook fails is reported as failed, unless the folder is gone";

    // Hooks in the background.
    BACKGROUND = Seen "the client does not wait for this hook: it can decide nothing";
    MARKER = Seen "a first line of stdout that is a JSON object with `async: true` lets the client go on at once, whatever the exit code";
    LATE_CONTEXT = Seen "context, and a message, of a background hook reach the model later, as they are";
    LATE_UNREAD = Seen "of a background hook's answer nothing else is used";
    WAKE = Seen "exit code 2 of an `asyncRewake` hook wakes the model; with `-p` and one prompt the client waits for it instead, as for any hook";
    WAKES_ALONE = Seen "of an `asyncRewake` hook nothing is used but exit code 2";
}
