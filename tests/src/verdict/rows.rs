//! The runs that are tried, each on one event.

use std::collections::BTreeSet;

use hookkit::Mode;
use hookkit::protocol::event::{
    CONFIG_CHANGE, CWD_CHANGED, DIRECTORY_ADDED, ELICITATION, ELICITATION_RESULT, EVENTS, Event, FILE_CHANGED,
    INSTRUCTIONS_LOADED, MESSAGE_DISPLAY, NOTIFICATION, PERMISSION_DENIED, PERMISSION_REQUEST, POST_COMPACT,
    POST_MODEL_SWITCH, POST_TOOL_BATCH, POST_TOOL_USE, POST_TOOL_USE_FAILURE, PRE_COMPACT, PRE_MODEL_SWITCH,
    PRE_SKILL_SHELL_COMMAND, PRE_TOOL_USE, SESSION_END, SESSION_START, SETUP, STOP, SUBAGENT_START, SUBAGENT_STOP,
    TASK_COMPLETED, TASK_CREATED, TEAMMATE_IDLE, USER_PROMPT_EXPANSION, USER_PROMPT_SUBMIT, WORKTREE_CREATE,
    WORKTREE_REMOVE,
};
use hookkit::protocol::output::{MEMBERS, Member, MemberKind};
use hookkit::testing::{End, Ran, UNSEEN_EVENTS};
use serde_json::{Map, Value, json};

use crate::record;

/// A run of a hook on an event.
#[derive(Debug)]
pub struct Row {
    /// The event.
    pub event: &'static Event,
    /// The run.
    pub ran: Ran,
    /// Of a run that no headless session can show: the reason, and the lines of the verdict.
    pub unseen: Option<(&'static str, &'static [&'static str])>,
    /// Hash of the run, which no other row has.
    pub id: String,
    /// The run in words.
    pub run: String,
}

impl Row {
    /// Returns the name of the row in a record. It depends on the row's own content alone.
    pub fn key(&self) -> String {
        format!("{}-{}", self.event.name, self.id)
    }

    /// Returns the word that only this row prints.
    pub fn word(&self) -> String {
        format!("mark{}", self.id)
    }

    /// Returns the entry of the row in the settings: its name, and its fields besides the command.
    pub fn entry(&self) -> (&'static str, Value) {
        let is_strict = self.ran.blocks_in_settings;
        match (self.ran.end, self.ran.mode, is_strict) {
            (End::TimedOut, _, false) => ("slow", json!({"timeout": 0.7})),
            (End::TimedOut, _, true) => ("slow-strict", json!({"timeout": 0.7, "onFailure": "block"})),
            (_, Mode::Async, _) => ("async", json!({"async": true})),
            (_, Mode::AsyncRewake, _) => ("rewake", json!({"asyncRewake": true})),
            (_, _, true) => ("strict", json!({"onFailure": "block"})),
            _ => ("plain", json!({})),
        }
    }

    /// Returns the names of the members that the row prints, if it prints an answer.
    pub fn members(&self) -> Option<BTreeSet<String>> {
        let answer: Map<String, Value> = serde_json::from_slice(&self.ran.stdout).ok()?;
        let own = answer.get("hookSpecificOutput").and_then(Value::as_object);
        let names = answer.keys().chain(own.into_iter().flatten().map(|(name, _)| name));
        let names = names.filter(|name| !["hookSpecificOutput", "hookEventName"].contains(&&***name));
        Some(names.cloned().collect())
    }

    /// Returns whether the client goes ahead before the hook ends.
    pub fn is_in_background(&self) -> bool {
        self.ran.mode != Mode::Awaited || self.ran.stdout.starts_with(b"{\"async\":true}")
    }

    /// Returns whether the hook wakes the model, when the client has gone on.
    pub fn wakes(&self) -> bool {
        self.ran.mode == Mode::AsyncRewake && self.ran.end == End::Exited(2)
    }

    /// Returns the command of the row, as it is written in the settings.
    pub fn command(&self) -> String {
        if self.ran.end == End::NotStarted {
            return "/no/such/guard".to_owned();
        }
        let (entry, _) = self.entry();
        // No shell stays between: it would turn a signal into an exit code.
        format!("exec sh \"$CLAUDE_PROJECT_DIR{SCRIPT}\" {} {entry}", self.event.name)
    }
}

/// Path of the hook's script in the project.
pub(super) const SCRIPT: &str = "/.claude/hook.sh";

/// The run of a row. In what it prints `@` means a word that no other row has, and `OWN(…)` for the event's object.
struct Run(Ran);

fn exit(code: i32) -> Run {
    Run(Ran::exit(code))
}

fn killed() -> Run {
    Run(Ran::ended(End::Killed))
}

fn timed_out() -> Run {
    Run(Ran::ended(End::TimedOut))
}

impl Run {
    fn out(self, text: &str) -> Self {
        Self(self.0.stdout(text))
    }

    fn err(self, text: &str) -> Self {
        Self(self.0.stderr(text))
    }

    /// With `onFailure: "block"`.
    fn strict(self) -> Self {
        Self(self.0.blocks_in_settings(true))
    }

    fn mode(self, mode: Mode) -> Self {
        Self(self.0.mode(mode))
    }

    fn row(self, event: &'static Event) -> Row {
        let run = in_words(&self.0);
        Row {
            event,
            id: record::hash(&format!("{} {run}", event.name)),
            run: run.chars().take(300).collect(),
            ran: self.0,
            unseen: None,
        }
    }
}

fn rows_of<const N: usize>(event: &'static Event, runs: [Run; N]) -> impl Iterator<Item = Row> {
    runs.into_iter().map(move |run| run.row(event))
}

/// Describes a run: its end, its output before the row's word is filled in, and the options of its entry.
fn in_words(ran: &Ran) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut words = vec![format!("{:?}", ran.end)];
    words.extend(ran.blocks_in_settings.then(|| "onFailure Block".to_owned()));
    words.extend((ran.mode != Mode::Awaited).then(|| format!("mode {:?}", ran.mode)));
    words.extend(ran.is_of_plugin.then(|| "of a plugin".to_owned()));
    words.extend((!ran.stdout.is_empty()).then(|| format!("stdout {}", text(&ran.stdout))));
    words.extend((!ran.stderr.is_empty()).then(|| format!("stderr {}", text(&ran.stderr))));
    words.join(", ")
}

/// Returns every row, with its own word in its output.
pub fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = seen().into_iter().chain(unseen()).collect();
    for row in &mut rows {
        let word = row.word();
        let filled = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).replace('@', &word);
            with_own_object(&text, row.event.name).into_bytes()
        };
        row.ran.stdout = filled(&row.ran.stdout);
        row.ran.stderr = filled(&row.ran.stderr);
    }
    rows
}

/// Replaces `OWN(members)` by the object of the event.
pub fn with_own_object(text: &str, event: &str) -> String {
    let Some((before, rest)) = text.split_once("OWN(") else {
        return text.to_owned();
    };
    let (members, after) = rest.split_once(')').unwrap_or((rest, ""));
    let comma = if members.is_empty() { "" } else { "," };
    format!("{before}\"hookSpecificOutput\":{{\"hookEventName\":\"{event}\"{comma}{members}}}{after}")
}

/// Returns a text that is longer than the client passes on.
fn long_text() -> String {
    format!("@ {}", "x".repeat(10_000))
}

#[rustfmt::skip]
fn seen() -> Vec<Row> {
    let mut rows = Vec::new();
    rows.extend(rows_of(&PRE_TOOL_USE, [
        // Exit codes and plain text.
        exit(0),
        exit(0).out("@ text").err("@ complaint"),
        exit(2).err("@ no\n"),
        exit(2).out("@ text"),
        exit(2).err("@: No such file or directory"),
        exit(1).err("@ failed"),
        exit(3).out("@ text").err("@ failed"),
        exit(127).err("@: not found"),
        killed().err("@ killed"),
        timed_out().out("@ text"),
        // What stdout is.
        exit(0).out("{}"),
        exit(0).out(r#"["@"]"#),
        exit(0).out("{@ not json"),
        exit(0).out("{\"@\": not json}"),
        exit(0).out("@ text\n{OWN(\"permissionDecision\":\"deny\")}"),
        exit(0).out("{OWN(\"permissionDecision\":\"deny\")}\n@ text"),
        exit(0).out("\u{feff}\n {OWN(\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"@ no\")}\n\n"),
        exit(0).out("{OWN(\"permissionDecision\":\"deny\")}\n{\"systemMessage\":\"@\"}"),
        exit(0).out("{\"level\":\"info\"}\n{\"text\":\"@\"}"),
        // The schema.
        exit(0).out(r#"{"colour":"@",OWN("colour":"@","permissionDecision":"deny","permissionDecisionReason":"@ no")}"#),
        exit(0).out(r#"{"permissionDecision":"deny","permissionDecisionReason":"@"}"#),
        exit(0).out(r#"{"systemMessage":null,OWN("permissionDecision":"deny")}"#),
        exit(0).out(r#"{"continue":"no","systemMessage":"@"}"#),
        exit(0).out(r#"{"decision":"deny","reason":"@"}"#),
        exit(0).out(r#"{OWN("permissionDecision":"maybe")}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"permissionDecision":"deny"}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"Nonsense","permissionDecision":"deny"}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"SessionEnd"}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"@"}}"#),
        exit(2).out(r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"@"}}"#).err("@ no"),
        exit(0).out(r#"{"decision":"block","reason":"@ no","hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"@"}}"#),
        exit(2).out(r#"{"decision":"deny"}"#).err("@ no"),
        // Decisions.
        exit(0).out(r#"{OWN("permissionDecision":"allow","permissionDecisionReason":"@")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"deny","permissionDecisionReason":"@ no","additionalContext":"@ context")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"deny")}"#),
        exit(0).out(r#"{"reason":"@ no",OWN("permissionDecision":"deny")}"#),
        exit(1).out(r#"{OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#).err("@ complaint"),
        exit(2).out(r#"{OWN("permissionDecision":"allow")}"#).err("@ no"),
        exit(2).out(r#"{"decision":"block","reason":"@ no"}"#).err("@ complaint"),
        exit(0).out(r#"{OWN("permissionDecision":"ask","permissionDecisionReason":"@ sure?")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"ask")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"defer","permissionDecisionReason":"@","updatedInput":{})}"#),
        exit(0).out(r#"{"decision":"approve","reason":"@"}"#),
        exit(0).out(r#"{"decision":"approve",OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no",OWN("permissionDecision":"allow")}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no",OWN("permissionDecision":"ask")}"#),
        exit(0).out(r#"{"reason":"@","stopReason":"@"}"#),
        // What goes with them.
        exit(0).out(r#"{OWN("updatedInput":{"command":"echo @new","description":"Run"})}"#),
        exit(0).out(r#"{OWN("permissionDecision":"deny","permissionDecisionReason":"@ no","updatedInput":{"command":"echo @new"})}"#),
        exit(0).out(r#"{"systemMessage":"@ for the user",OWN("additionalContext":"@ context")}"#),
        exit(0).out(&format!("{{OWN(\"additionalContext\":\"{}\")}}", long_text())),
        exit(0).out(r#"{"suppressOutput":true,"systemMessage":"@ for the user"}"#),
        exit(0).out(r#"{"continue":false}"#),
        exit(0).out(r#"{"continue":false,"stopReason":"@ enough","systemMessage":"@ for the user",OWN("permissionDecision":"deny","permissionDecisionReason":"@ no","additionalContext":"@ context")}"#),
        exit(0).out(r#"{"continue":false,OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#),
        // `onFailure: "block"`.
        exit(1).err("@ failed").strict(),
        exit(127).strict(),
        killed().strict(),
        timed_out().strict(),
        exit(2).err("@ no").strict(),
        exit(0).out(r#"{OWN("permissionDecision":"maybe")}"#).strict(),
        exit(1).out(r#"{"decision":"deny"}"#).err("@ complaint").strict(),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"Stop","additionalContext":"@"}}"#).strict(),
        exit(1).out(r#"{OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#).strict(),
        exit(1).out(r#"{OWN("permissionDecision":"allow")}"#).err("@ failed").strict(),
        exit(1).out(r#"{"continue":false,"stopReason":"@ enough"}"#).err("@ failed").strict(),
        exit(0).out("@ text\n{OWN(\"permissionDecision\":\"deny\")}").strict(),
        // In the background.
        exit(0).out(r#"{"systemMessage":"@ message",OWN("permissionDecision":"deny","additionalContext":"@ context")}"#).mode(Mode::Async),
        exit(2).out("{\"async\":true}\n").err("@ no"),
        exit(0).out("{\"async\":true}\n{OWN(\"additionalContext\":\"@ context\")}\n"),
        Run(Ran::ended(End::NotStarted).stderr("ENOENT: no such file or directory, posix_spawn '/no/such/guard'")),
        Run(Ran::ended(End::NotStarted).stderr("ENOENT: no such file or directory, posix_spawn '/no/such/guard'")).strict(),
    ]));
    rows.extend(rows_of(&PERMISSION_REQUEST, [
        exit(0).out(r#"{"decision":"block","reason":"@","systemMessage":"@","continue":false}"#),
        exit(0).out(r#"{OWN("decision":{"behavior":"allow"})}"#),
        exit(2).out(r#"{OWN("decision":{"behavior":"allow"})}"#).err("@ no"),
        exit(0).out(r#"{OWN("decision":{"behavior":"allow","updatedInput":{"command":"echo @new","description":"Run"}})}"#),
        exit(0).out(r#"{OWN("decision":{"behavior":"allow","updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"true"}],"behavior":"allow","destination":"session"}]})}"#),
        exit(0).out(r#"{OWN("decision":{"behavior":"deny","message":"@ no"})}"#),
        exit(1).out(r#"{OWN("decision":{"behavior":"deny"})}"#),
        exit(0).out(r#"{OWN("decision":{"behavior":"deny","message":"@ no","interrupt":true})}"#),
        exit(0).out(r#"{OWN("additionalContext":"@")}"#),
        exit(0).out(r#"{"decision":"block","reason":"@","hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny"}}"#),
        exit(1).err("@ failed").strict(),
    ]));
    rows.extend(rows_of(&POST_TOOL_USE, [
        exit(1).err("@ failed"),
        exit(0).out(r#"{"decision":"block"}"#),
        exit(1).out(r#"{"decision":"block","reason":"@ no",OWN("additionalContext":"@ context")}"#).err("@ complaint"),
        exit(0).out(r#"{"decision":"approve","reason":"@"}"#),
        exit(0).out(r#"{"systemMessage":"@ for the user",OWN("additionalContext":"@ context")}"#),
        exit(0).out(r#"{OWN("updatedToolOutput":{"stdout":"@new","stderr":"","interrupted":false,"isImage":false,"noOutputExpected":false})}"#),
        exit(0).out(r#"{OWN("updatedMCPToolOutput":"@")}"#),
        exit(0).out(r#"{OWN("classifierContext":"@ context")}"#),
        exit(0).out(r#"{"continue":false,"decision":"block","reason":"@","systemMessage":"@",OWN("additionalContext":"@")}"#),
        exit(1).err("@ failed").strict(),
    ]));
    rows.extend(rows_of(&POST_TOOL_USE_FAILURE, [
        exit(0).out(r#"{"continue":false,"stopReason":"@","systemMessage":"@ for the user",OWN("additionalContext":"@ context")}"#),
    ]));
    rows.extend(rows_of(&POST_TOOL_BATCH, [
        exit(0).out(r#"{"systemMessage":"@ for the user",OWN("additionalContext":"@ context")}"#),
    ]));
    rows.extend(rows_of(&USER_PROMPT_SUBMIT, [
        exit(0).out("@ text\n"),
        exit(0).out(&long_text()),
        exit(0).out("@ text\n{\"decision\":\"block\"}"),
        exit(0).out("{\"level\":\"info\"}\n{\"text\":\"@\"}"),
        exit(1).out("@ text").err("@ failed"),
        exit(2).err("@ no such file"),
        exit(0).out(r#"{"decision":"block","reason":"@ no","systemMessage":"@",OWN("additionalContext":"@")}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no",OWN("suppressOriginalPrompt":true)}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no","hookSpecificOutput":{"hookEventName":"Stop"}}"#),
        exit(0).out(r#"{"continue":false,"stopReason":"@ enough","systemMessage":"@",OWN("additionalContext":"@")}"#),
        exit(0).out(r#"{"systemMessage":"@ for the user",OWN("additionalContext":"@ context","sessionTitle":"@ title")}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"@"}}"#),
        exit(1).err("@ failed").strict(),
        timed_out().out("@ text"),
    ]));
    rows.extend(rows_of(&USER_PROMPT_EXPANSION, [
        exit(0).out(r#"{"decision":"block","reason":"@ no",OWN("suppressOriginalPrompt":true)}"#),
        exit(0).out(r#"{"systemMessage":"@ for the user",OWN("additionalContext":"@ context")}"#),
    ]));
    rows.extend(rows_of(&SESSION_START, [
        exit(0).out(r#"{"decision":"block","reason":"@","continue":false,"systemMessage":"@"}"#),
        exit(0).out(r#"{OWN("additionalContext":"@ context","sessionTitle":"@ title")}"#),
        exit(0).out(r#"{OWN("initialUserMessage":"@new")}"#),
        exit(0).out(r#"{OWN("watchPaths":["/a"])}"#),
        exit(0).out(r#"{OWN("reloadSkills":true)}"#),
    ]));
    rows.extend(rows_of(&SESSION_END, [
        exit(1).err("@ failed"),
        exit(2).out(r#"{"decision":"block","reason":"@ no","systemMessage":"@"}"#).err("@ complaint"),
        exit(0).out(r#"{OWN("additionalContext":"@")}"#),
    ]));
    rows.extend(rows_of(&SETUP, [
        exit(0).out(r#"{"systemMessage":"@",OWN("additionalContext":"@")}"#),
    ]));
    rows.extend(rows_of(&STOP, [
        exit(1).err("@ failed"),
        exit(2),
        exit(2).err("sh: 0: cannot open @: No such file"),
        exit(2).out("stderr says why\n").err("cc: @: No such file").mode(Mode::AsyncRewake),
        exit(2).out("@ text").err("@: no such file"),
        exit(2).out(r#"{"systemMessage":"@ for the user",OWN("additionalContext":"@ context")}"#).err("@ no"),
        exit(0).out(r#"{"decision":"block"}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no",OWN("additionalContext":"@ context")}"#),
        exit(0).out(r#"{OWN("additionalContext":"@ context")}"#),
        exit(0).out(r#"{"continue":false,"decision":"block","reason":"@ no",OWN("additionalContext":"@ context")}"#),
        exit(1).err("@ failed").strict(),
    ]));
    rows.extend(rows_of(&SUBAGENT_START, [
        exit(0).out(r#"{"decision":"block","reason":"@","continue":false,OWN("additionalContext":"@ context")}"#),
    ]));
    rows.extend(rows_of(&SUBAGENT_STOP, [
        exit(2).err("@: can't open it"),
        exit(0).out(r#"{OWN("additionalContext":"@ context")}"#),
    ]));
    rows.extend(rows_of(&PRE_COMPACT, [
        exit(0),
        exit(1).out("@ text").err("@ failed"),
        exit(0).out(r#"{"systemMessage":"@","continue":false}"#),
        exit(0).out(r#"{OWN("additionalContext":"@")}"#),
        exit(1).err("@ failed").strict(),
    ]));
    rows.extend(rows_of(&POST_COMPACT, [
        exit(0).out(r#"{"systemMessage":"@"}"#),
    ]));
    rows.extend(rows_of(&PRE_MODEL_SWITCH, [
        exit(1).err("@ failed"),
        exit(0).out(r#"{"decision":"block","reason":"@ no","systemMessage":"@ for the user"}"#),
        exit(0).out(r#"{OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"ask","permissionDecisionReason":"@ sure?")}"#),
        exit(0).out(r#"{"continue":false,"stopReason":"@","systemMessage":"@ for the user"}"#),
        exit(0).out(r#"{OWN("permissionDecision":"allow")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"ask")}"#),
        timed_out(),
    ]));
    rows.extend(rows_of(&POST_MODEL_SWITCH, [
        exit(0).out(r#"{"systemMessage":"@ for the user",OWN("additionalContext":"@ context")}"#),
    ]));
    rows.extend(rows_of(&TASK_CREATED, [
        exit(0).out(r#"{"decision":"block","reason":"@ no","systemMessage":"@"}"#),
        exit(0).out(r#"{"decision":"block","reason":"@",OWN()}"#),
    ]));
    rows.extend(rows_of(&TASK_COMPLETED, [
        exit(2).err("@: no such file"),
        exit(1).err("@ failed").strict(),
    ]));
    rows.extend(rows_of(&ELICITATION, [
        exit(0).out(r#"{OWN("action":"accept","content":{"colour":"@new"})}"#),
        exit(0).out(r#"{OWN("action":"decline")}"#),
        exit(0).out(r#"{OWN("action":"cancel")}"#),
        exit(1).out(r#"{OWN("action":"accept","content":{"colour":"@"})}"#).err("@ failed"),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"ElicitationResult","action":"accept","content":{"colour":"@"}}}"#),
        exit(1).err("@ failed").strict(),
    ]));
    rows.extend(rows_of(&ELICITATION_RESULT, [
        exit(0).out(r#"{OWN("action":"accept","content":{"colour":"@new"})}"#),
        exit(0).out(r#"{"systemMessage":"@","continue":false}"#),
        exit(0).out(r#"{OWN("action":"decline")}"#),
        exit(0).out(r#"{OWN("action":"cancel")}"#),
    ]));
    rows.extend(rows_of(&CONFIG_CHANGE, [
    ]));
    rows.extend(rows_of(&WORKTREE_CREATE, [
        exit(0).out("log\nmade/@"),
        exit(0).out("log\nmade/@").mode(Mode::Async),
        exit(0).out("log\nmade/@").mode(Mode::AsyncRewake),
        exit(0).out(r#"{"decision":"block"}"#),
        exit(0),
        exit(1).out("made/@").err("@ failed"),
        exit(0).out(r#"{OWN("worktreePath":"@")}"#),
        exit(0).out(r#"{"decision":"block","reason":"made/@"}"#),
        exit(1).out(r#"{"decision":"block","reason":"@ no"}"#).err("@ complaint"),
    ]));
    rows.extend(rows_of(&MESSAGE_DISPLAY, [
        exit(0).out(r#"{OWN("displayContent":"@new")}"#),
        exit(0).out(r#"{OWN("displayContent":"@new")}"#).mode(Mode::Async),
        exit(0).out(r#"{OWN("displayContent":"@new")}"#).mode(Mode::AsyncRewake),
    ]));
    rows.extend(rows_of(&CWD_CHANGED, [
        exit(0).out(r#"{"decision":"block","reason":"@","continue":false}"#),
        exit(0).out(r#"{OWN("watchPaths":["/a"])}"#),
    ]));
    rows.extend(rows_of(&FILE_CHANGED, [
        exit(0).out(r#"{OWN("watchPaths":["/a"])}"#),
    ]));
    rows.extend(rows_of(&PRE_SKILL_SHELL_COMMAND, [
        exit(1).err("@ failed"),
        exit(2),
        exit(2).err("@: No such file or directory"),
        exit(127).err("@: not found"),
        killed().err("@ killed"),
        timed_out(),
        exit(0).out("{@ not json"),
        exit(0).out(r#"{"decision":"deny","reason":"@"}"#),
        exit(2).out(r#"{"decision":"deny","reason":"@"}"#).err("@ no"),
        exit(0).out(r#"{OWN("additionalContext":"@")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"allow","permissionDecisionReason":"@")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"deny")}"#),
        exit(0).out(r#"{"reason":"@ no",OWN("permissionDecision":"deny")}"#),
        exit(1).out(r#"{OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#).err("@ complaint"),
        exit(2).out(r#"{OWN("permissionDecision":"allow")}"#).err("@ no"),
        exit(0).out(r#"{OWN("permissionDecision":"ask","permissionDecisionReason":"@ sure?")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"ask")}"#),
        exit(0).out(r#"{OWN("permissionDecision":"defer","permissionDecisionReason":"@ later")}"#),
        exit(0).out(r#"{OWN("updatedInput":{"command":"echo @new"})}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no",OWN("permissionDecision":"allow")}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no",OWN("permissionDecision":"deny","permissionDecisionReason":"@ why")}"#),
        exit(0).out(r#"{"decision":"approve",OWN("permissionDecision":"ask","permissionDecisionReason":"@ sure?")}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"@ no"}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","additionalContext":"@"}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"echo @new"}}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"@ no"}}}"#),
        exit(0).out(r#"{"decision":"block","reason":"@ no","hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":"@ no"}}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}"#),
        exit(0).out(r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"@"}}"#),
        exit(2).out(r#"{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"@"}}"#).err("@ no"),
        exit(0).out(r#"{"continue":false,"stopReason":"@ enough","systemMessage":"@ for the user",OWN("permissionDecision":"deny","permissionDecisionReason":"@ no")}"#),
        exit(1).err("@ failed").strict(),
        killed().strict(),
        timed_out().strict(),
        exit(0).out(r#"{OWN("permissionDecision":"maybe")}"#).strict(),
        exit(1).out(r#"{OWN("permissionDecision":"allow")}"#).err("@ failed").strict(),
        exit(1).out(r#"{OWN("permissionDecision":"ask","permissionDecisionReason":"@ sure?")}"#).err("@ failed").strict(),
        Run(Ran::ended(End::NotStarted).stderr("ENOENT: no such file or directory, posix_spawn '/no/such/guard'")),
        Run(Ran::ended(End::NotStarted).stderr("ENOENT: no such file or directory, posix_spawn '/no/such/guard'")).strict(),
    ]));
    rows.extend(rows_of(&NOTIFICATION, [
        exit(0).out(r#"{OWN("additionalContext":"@ context")}"#),
    ]));
    rows.extend(rows_of(&PERMISSION_DENIED, [
        exit(0).out(r#"{OWN("retry":true)}"#),
    ]));
    rows.extend(rows_of(&INSTRUCTIONS_LOADED, [
        exit(2).out("@ text").err("@ no"),
    ]));
    for event in EVENTS.iter().filter(|event| !UNSEEN_EVENTS.contains(&event.name)) {
        rows.extend(rows_of(event, [
            exit(0).out("@ text"),
            exit(2).err("@ no"),
            exit(0).out(r#"{"decision":"block","reason":"@ no"}"#),
            exit(0).out(r#"{"continue":false,"stopReason":"@ enough"}"#),
            exit(0).out(r#"{"decision":"approve","suppressOutput":true,"systemMessage":"@ message","terminalSequence":"\u0007"}"#),
        ]));
        for mode in [Mode::Async, Mode::AsyncRewake] {
            if !event.may_be_async() {
                continue;
            }
            rows.extend(rows_of(event, [
                exit(0).out("@ text").mode(mode),
                exit(2).err("@ no").mode(mode),
            ]));
            let members = MEMBERS.iter().chain(event.members.unwrap_or_default());
            let words = members.map(|member| match member.kind {
                MemberKind::Word(words) => words.len(),
                _ => 1,
            });
            let most = words.max().unwrap_or_default();
            rows.extend((0..most).map(|at| exit(0).out(&every_member(event, at)).mode(mode).row(event)));
        }
    }
    rows
}

/// Returns an answer with every member that the event knows. Of the words that a member may have it takes the one at a
/// position.
fn every_member(event: &Event, word: usize) -> String {
    let value = |member: &Member| match member.kind {
        MemberKind::Flag => json!(member.name != "continue"),
        MemberKind::Text if member.name == "terminalSequence" => json!("\u{7}"),
        MemberKind::Word(words) => json!(words[word % words.len()]),
        MemberKind::Texts => json!([format!("@ {}", member.name)]),
        MemberKind::Map => json!({"command": "echo @new", "description": "Run"}),
        MemberKind::Decision => json!({"behavior": "deny", "message": "@ decision"}),
        MemberKind::Text | MemberKind::Any => json!(format!("@ {}", member.name)),
    };
    let object = |members: &[Member]| -> Map<String, Value> {
        let members = members.iter().map(|member| (member.name.to_owned(), value(member)));
        members.collect()
    };
    let mut answer = object(MEMBERS);
    if let Some(own) = event.members {
        let mut own = object(own);
        own.insert("hookEventName".to_owned(), event.name.into());
        answer.insert("hookSpecificOutput".to_owned(), own.into());
    }
    Value::Object(answer).to_string()
}

const NO_TERMINAL: &str = "only a terminal shows it";
const NO_SETTLED_END: &str = "the session is over before the hook is reported, if it ever is";

#[rustfmt::skip]
fn unseen() -> Vec<Row> {
    let rows: [(Row, &str, &[&str]); 11] = [
        (exit(0).out(r#"{"systemMessage":"@"}"#).row(&SESSION_START), NO_TERMINAL, &[
            "the session goes ahead",
            "the user sees, as a notice: SessionStart says: @",
        ]),
        (exit(0).out(r#"{"terminalSequence":"\u0007",OWN()}"#).row(&NOTIFICATION), NO_TERMINAL, &[
            "the notification goes ahead",
            "`terminalSequence`: an interactive terminal gets `terminalSequence`",
        ]),
        (exit(0).out(r#"{"terminalSequence":"\u001b[31m"}"#).row(&PRE_TOOL_USE), NO_TERMINAL, &[
            "the tool call goes ahead",
            "not used: `terminalSequence`: it contains something other than bells and `OSC`",
        ]),
        (exit(2).err("@ denied").row(&SETUP), NO_TERMINAL, &[
            "the setup goes ahead",
            "the user sees, as a notice: [hook]: @ denied",
            "not used: exit code 2: nothing can be blocked on this event",
        ]),
        (exit(0).out(r#"{OWN("additionalContext":"@")}"#).row(&NOTIFICATION), NO_SETTLED_END, &[
            "the notification goes ahead",
            "not used: `additionalContext`: `additionalContext` goes nowhere on this event",
        ]),
        (exit(0).out(r#"{"systemMessage":"@",OWN("watchPaths":["/a"])}"#).row(&FILE_CHANGED), NO_TERMINAL, &[
            "the file's change goes ahead",
            "the user sees, as a notice: @",
            "`watchPaths`: `watchPaths` are watched: FileChanged hooks are called on them",
        ]),
        (exit(0).out(r#"{"systemMessage":"@"}"#).row(&DIRECTORY_ADDED), "`/add-dir` needs a terminal", &[
            "the new directory goes ahead",
            "the model reads, next to the conversation: @",
        ]),
        (exit(1).err("@ failed").row(&WORKTREE_REMOVE), "only the end of a worktree of an agent's raises it", &[
            "the removal of the worktree goes ahead",
        ]),
        (exit(2).err("@ no").row(&TEAMMATE_IDLE), "it takes a team of agents", &[
            "the end of the teammate's turn is put off: the model continues",
            "the model reads, as a user message: TeammateIdle hook feedback:\n    [hook]: @ no",
        ]),
        (exit(0).out(r#"{"continue":false}"#).row(&TEAMMATE_IDLE), "it takes a team of agents", &[
            "the end of the teammate's turn goes ahead",
        ]),
        (Run(Ran::exit(2).stderr("@: no such file").of_plugin()).row(&USER_PROMPT_SUBMIT), "it takes a plugin", &[
            "the prompt goes ahead",
            "the user sees, as a notice: Hook script appears to be missing — \"hook\" exited 2 with: @: no such file. …",
        ]),
    ];
    let rows = rows.into_iter();
    rows.map(|(row, why, says)| Row { unseen: Some((why, says)), ..row }).collect()
}
