//! Other coding agents that run hooks: a table for each.
//!
//! A hook is written in Claude Code's words: its events, tools, keys and answers. A table gives another agent's words
//! for them, and the effect of an answer. Each row was seen with the version that the table names, against a scripted
//! model; what was not seen has no row.

use crate::matcher::Matcher;

mod codex;
mod copilot;
mod droid;
mod gemini;
mod qwen;

pub use codex::CODEX;
pub use copilot::COPILOT;
pub use droid::DROID;
pub use gemini::GEMINI;
pub use qwen::QWEN;

/// Every agent that hooks can be installed for.
pub const AGENTS: &[&Agent] = &[&CODEX, &COPILOT, &DROID, &QWEN, &GEMINI];

/// A coding agent, as it was seen.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// Word for it on a command line.
    pub id: &'static str,
    /// The agent's name.
    pub name: &'static str,
    /// The npm package, the version and the day that the rows were seen with.
    pub seen: [&'static str; 3],
    /// The agent's file of hooks.
    pub file: HookFile,
    /// The agent's program, as it is typed.
    pub program: &'static str,
    /// Steps of its user before hooks run.
    pub trust: &'static str,
    /// Command of its program that answers which hooks are trusted: `hooks/list` in JSON-RPC on its streams.
    pub server: Option<&'static str>,
    /// Effects of a hook that does not answer.
    pub failures: Failures,
    /// The agent's events that Claude Code has a name for.
    pub events: &'static [OnEvent],
    /// The agent's tools.
    pub tools: &'static [Tool],
    /// Names of the tools of MCP servers, if they are not `mcp__SERVER__TOOL`.
    pub mcp: Option<Servers>,
    /// `true` if its matchers support `(?=…)` and similar groups.
    pub looks_around: bool,
    /// `true` if it obeys any number of blocks of the end of a turn.
    pub loops: bool,
    /// Path of a tool's output in a payload: `tool_response`.
    pub output: &'static str,
    /// Calls and answers that none of its hooks can see or make.
    pub limits: &'static [&'static str],
}

/// The file that an agent reads a project's hooks from: Claude Code's `hooks`, in JSON.
#[derive(Debug, PartialEq, Eq)]
pub struct HookFile {
    /// Path below the project's root.
    pub project: &'static str,
    /// Pattern of all files of a project that it reads hooks from: this one, or each `*.json` of its folder.
    pub read: &'static str,
    /// Files of other agents in the project whose hooks the agent also runs.
    pub also: &'static [&'static str],
    /// Members that a file begins with, as JSON.
    pub head: &'static str,
    /// File that the agent reads in its place, if that has any hooks.
    pub instead: Option<&'static str>,
    /// `true` if it may have comments.
    pub comments: bool,
    /// `true` if the agent drops a file with a handler without a command, or with an event that is not a list.
    pub strict: bool,
    /// Keys on top, if the agent drops a file with any other key.
    pub keys: &'static [&'static str],
    /// The project's root in a command, for the agent's shell.
    pub root: &'static str,
    /// Number of its units of time in a second, for `timeout`.
    pub units: u32,
}

/// An effect on the action that an event announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The action is denied. The model reads the hook's reason.
    Denied,
    /// The action is denied, and the model reads another reason.
    DeniedUnexplained,
    /// The action goes ahead.
    GoesAhead,
}

/// The effects of a hook that does not answer, before a tool call.
#[derive(Debug, PartialEq, Eq)]
pub struct Failures {
    /// Exit code 2 with a text on stderr.
    pub exit_2: Effect,
    /// Exit code 2 without a text.
    pub silent_exit_2: Effect,
    /// Any other exit code.
    pub exit_1: Effect,
    /// A signal.
    pub signal: Effect,
    /// A program that cannot be started.
    pub missing: Effect,
    /// A hook that is late.
    pub timeout: Effect,
    /// Output that is not an answer.
    pub garbage: Effect,
}

/// The source of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Runs of the agent.
    Played,
    /// The agent's documentation or code alone.
    Read,
}

/// An event of an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct OnEvent {
    /// Claude Code's name.
    pub name: &'static str,
    /// The agent's name.
    pub own: &'static str,
    /// Source of the row.
    pub basis: Basis,
    /// Members of Claude Code's payload that the agent's lacks, each with the JSON in its place: `compact_summary=""`.
    pub lacks: &'static str,
    /// Values of the member that a matcher is compared with, as pairs of the agent's and Claude Code's: `new=startup`.
    pub words: &'static str,
    /// A member and its value, as in `prompt=`: the hook is not called on payloads that have them.
    pub except: &'static str,
    /// The agent's form of each part of an answer that it honors. Any other part is left out.
    pub says: &'static [(Part, Said)],
}

/// A part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A denial, or a block: the action does not happen, or the turn goes on.
    Deny,
    /// A question to the user.
    Ask,
    /// A permission.
    Allow,
    /// Another input for the tool.
    Rewrite,
    /// Another output of the tool.
    Output,
    /// Text for the model.
    Context,
    /// Text for the user.
    Message,
    /// The end of the turn.
    Stop,
}

/// An agent's form of a part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// Members of a JSON object: `decision=block reason=$`. `$` is the part's text or value; a path that begins with a dot is in
    /// `hookSpecificOutput`.
    As(&'static str),
    /// A denial: the agent has nothing closer.
    Denied,
}

/// A tool of an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Claude Code's names, which a matcher has.
    pub names: &'static [&'static str],
    /// Name in the agent's payload.
    pub own: &'static str,
    /// Name in a matcher; empty for Claude Code's.
    pub matcher: &'static str,
    /// Name for the model, and the key of its input.
    pub model: &'static str,
    /// Source of the row.
    pub basis: Basis,
    /// Form of its input.
    pub input: Input,
    /// Claude Code's `tool_response`, with `$` for the output, if that is a string, and `$file_path` for that member of the input.
    pub response: &'static str,
}

/// The form of the names that an agent gives to the tools of MCP servers.
#[derive(Debug, PartialEq, Eq)]
pub struct Servers {
    /// Text before the server.
    pub before: &'static str,
    /// Text between the server and the tool.
    pub between: &'static str,
    /// Path of the server's name in a payload; empty if the first `between` ends it.
    pub server: &'static str,
}

/// The form of a tool's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// An object, or a text that is a patch. Keys of the object have other names, as pairs of the agent's and Claude Code's: `path=file_path`.
    Keys(&'static str),
    /// A patch in this key, of the form that begins with `*** Begin Patch`: the calls of `Write` and `Edit` that it makes.
    Patch(&'static str),
}

const DENY_CALL: (Part, Said) = (Part::Deny, Said::As(".permissionDecision=deny .permissionDecisionReason=$"));
const ASK: (Part, Said) = (Part::Ask, Said::As(".permissionDecision=ask .permissionDecisionReason=$"));
const BLOCK: (Part, Said) = (Part::Deny, Said::As("decision=block reason=$"));
const CONTEXT: (Part, Said) = (Part::Context, Said::As(".additionalContext=$"));
const MESSAGE: (Part, Said) = (Part::Message, Said::As("systemMessage=$"));
const STOP: (Part, Said) = (Part::Stop, Said::As("continue=false stopReason=$"));
/// A block after a tool, as a context: the agent has nothing closer.
const FEEDBACK: (Part, Said) = (Part::Deny, Said::As(".additionalContext=$"));
const STOP_DENIES: (Part, Said) = (Part::Stop, Said::Denied);

/// Returns an event with Claude Code's name.
const fn event(name: &'static str, says: &'static [(Part, Said)]) -> OnEvent {
    OnEvent { name, own: name, basis: Basis::Played, lacks: "", words: "", except: "", says }
}

/// Returns a tool whose input is an object.
const fn tool(
    names: &'static [&'static str],
    own: &'static str,
    model: &'static str,
    keys: &'static str,
    response: &'static str,
) -> Tool {
    Tool { names, own, matcher: own, model, basis: Basis::Played, input: Input::Keys(keys), response }
}

/// Exit code 2 with a text denies; all else goes ahead.
const OPEN: Failures = Failures {
    exit_2: Effect::Denied,
    silent_exit_2: Effect::GoesAhead,
    exit_1: Effect::GoesAhead,
    signal: Effect::GoesAhead,
    missing: Effect::GoesAhead,
    timeout: Effect::GoesAhead,
    garbage: Effect::GoesAhead,
};

/// A file of settings with comments, of which any keys are read.
const SETTINGS: HookFile = HookFile {
    project: "",
    read: "",
    also: &[],
    head: "",
    instead: None,
    comments: true,
    strict: false,
    keys: &[],
    root: "",
    units: 1,
};

/// A limit of three agents.
const IN_ROOT: &str = "it reads the file only in a session that is started in the project's root";

/// Response of Claude Code's `Bash`.
const OUTPUT: &str = r#"{"stdout":$,"stderr":"","interrupted":false}"#;
/// Response of Claude Code's `Write`.
const WRITTEN: &str =
    r#"{"type":"create","filePath":$file_path,"content":$content,"structuredPatch":[],"originalFile":null}"#;
/// Response of Claude Code's `Edit`.
const EDITED: &str = r#"{"filePath":$file_path,"oldString":$old_string,"newString":$new_string,"originalFile":null,"structuredPatch":[],"userModified":false,"replaceAll":false}"#;

impl Agent {
    /// Returns the agent of this word.
    pub fn of_id(id: &str) -> Option<&'static Self> {
        AGENTS.iter().copied().find(|agent| agent.id == id)
    }

    /// Returns the row of an event, by Claude Code's name.
    pub fn event(&self, name: &str) -> Option<&'static OnEvent> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Returns the row of an event, by the agent's name.
    pub fn own_event(&self, own: &str) -> Option<&'static OnEvent> {
        self.events.iter().find(|event| event.own == own)
    }

    /// Returns the row of a tool, by the name in a payload.
    pub fn own_tool(&self, own: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.own == own)
    }

    /// Returns the name of a tool in matchers, by Claude Code's.
    pub fn matched(&self, name: &str) -> Option<&'static str> {
        let tool = self.tools.iter().find(|tool| tool.names.contains(&name))?;
        Some(tool.matcher).filter(|own| !own.is_empty())
    }

    /// Returns `true` if its matchers have its own names of tools, and not Claude Code's.
    pub fn has_own_names(&self) -> bool {
        let is_own =
            |tool: &Tool| !tool.matcher.is_empty() && !tool.names.iter().any(|name| tool.matcher.contains(name));
        self.tools.iter().any(is_own)
    }

    /// Returns `true` if a hook with this matcher of tools can be called: one of its names may be a tool's.
    pub fn calls(&self, matcher: Matcher<'_>) -> bool {
        let is_tool = |name: &str| name.contains("__") || self.tools.iter().any(|tool| tool.names.contains(&name));
        match matcher {
            Matcher::Names(_) => matcher.names().any(is_tool),
            Matcher::All | Matcher::Regex(_) => true,
        }
    }
}

/// Returns the pairs of a row: `path=file_path file_text=content`.
pub fn pairs(row: &str) -> impl Iterator<Item = (&str, &str)> {
    row.split(' ').filter_map(|pair| pair.split_once('='))
}

impl OnEvent {
    /// Returns the agent's form of a part; `None` if it does not honor that.
    pub fn said(&self, part: Part) -> Option<Said> {
        let said = self.says.iter().find(|(of, _)| *of == part);
        said.map(|(_, said)| *said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{event, tool};

    #[test]
    fn rows_are_in_the_words_of_claude_code() {
        for agent in AGENTS {
            let tools = agent.tools.iter().flat_map(|tool| tool.names);
            assert!(tools.copied().all(tool::is_built_in));
            assert!(agent.events.iter().all(|on| event::event(on.name).is_some()));
        }
    }

    #[test]
    fn a_hook_is_called_for_the_tools_that_the_agent_has() {
        let calls = |matcher| CODEX.calls(Matcher::new(matcher, &event::PRE_TOOL_USE));
        assert!(["Bash", "Read|Write", "mcp__git__push", "", "^Read$"].into_iter().all(calls));
        assert!(!calls("Read|Grep"));
    }
}
