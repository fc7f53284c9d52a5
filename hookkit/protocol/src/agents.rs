//! Other coding agents that run hooks: a table for each.
//!
//! A hook is written in Claude Code's words: its events, tools, keys and answers. A table has another agent's words for
//! them, and the effect of an answer. Each row was observed with the version that the table names, against a scripted
//! model; behavior that was not observed has no row.

use crate::matcher::Matcher;

mod codex;
mod copilot;
mod droid;
mod gemini;
mod kimi;
mod opencode;
mod qwen;

pub use codex::CODEX;
pub use copilot::COPILOT;
pub use droid::DROID;
pub use gemini::GEMINI;
pub use kimi::KIMI;
pub use opencode::OPENCODE;
pub use qwen::QWEN;

/// Every agent that hooks can be installed for.
pub const AGENTS: &[&Agent] = &[&CODEX, &COPILOT, &DROID, &QWEN, &GEMINI, &KIMI, &OPENCODE];

/// A coding agent, described as it was observed.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// Word for the agent on a command line.
    pub id: &'static str,
    /// The agent's name.
    pub name: &'static str,
    /// The npm package, its version and the day of the observations.
    pub seen: [&'static str; 3],
    /// The agent's hooks file.
    pub file: HookFile,
    /// Name of the agent's program, as a user types it.
    pub program: &'static str,
    /// Steps that the user must take before hooks run.
    pub trust: &'static str,
    /// Command of the agent's program that reports which hooks are trusted: `hooks/list` in JSON-RPC on its streams.
    pub server: Option<&'static str>,
    /// Effects of a hook that does not answer.
    pub failures: Failures,
    /// The agent's events for which Claude Code has a name.
    pub events: &'static [OnEvent],
    /// The agent's tools.
    pub tools: &'static [Tool],
    /// Names of the tools of MCP servers, if they are not `mcp__SERVER__TOOL`.
    pub mcp: Option<Servers>,
    /// `true` if the agent's matchers support look-around, `(?=…)` and similar groups.
    pub looks_around: bool,
    /// `true` if the agent obeys any number of blocks at the end of a turn.
    pub loops: bool,
    /// `true` if exit code 2 also blocks a prompt and the end of a turn.
    pub blocks_by_code: bool,
    /// Path of a tool's output in a payload, such as `tool_response`.
    pub output: &'static str,
    /// Calls that the agent's hooks do not see, and answers that they cannot give.
    pub limits: &'static [&'static str],
}

/// The file from which an agent reads hooks.
#[derive(Debug, PartialEq, Eq)]
pub struct HookFile {
    /// Path below the project's root, or below the user's home.
    pub path: &'static str,
    /// Variable with the folder of a user's file, for all projects; `None` for a project's file.
    pub of_user: Option<&'static str>,
    /// Pattern of all files from which the agent reads hooks: this file, or each `*.json` or program of its folder.
    pub read: &'static str,
    /// `true` if a session in a linked worktree reads the file of the main working tree instead.
    pub of_main: bool,
    /// Files of other agents in the project whose hooks the agent also runs.
    pub also: &'static [&'static str],
    /// Members at the beginning of the file, as JSON.
    pub head: &'static str,
    /// File that the agent reads instead, if that file has any hooks.
    pub instead: Option<&'static str>,
    /// Syntax of the file.
    pub form: Form,
    /// `true` if the agent drops a file that has a handler without a command, or an event that is not a list.
    pub strict: bool,
    /// Keys at the top level, if the agent drops a file that has any other key.
    pub keys: &'static [&'static str],
    /// Event names, separated by blanks, if the agent drops all hooks of a file that has any other event.
    pub events: &'static str,
    /// Expression for the project's root in a command, for the agent's shell.
    pub root: &'static str,
    /// Number of units of `timeout` in a second.
    pub units: u32,
    /// The longest time that the agent waits for a hook, in seconds.
    pub longest: Option<u32>,
}

/// The syntax of an agent's hooks file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// Claude Code's `hooks`, in JSON.
    #[default]
    Json,
    /// Claude Code's `hooks`, in JSON that may have comments.
    JsonWithComments,
    /// A table `[[hooks]]` for each hook, in TOML.
    Toml,
    /// A program in JavaScript with Claude Code's `hooks` in it, which hookkit writes as a whole.
    Script,
}

/// An effect on the action that an event announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The action is denied. The model reads the hook's reason.
    Denied,
    /// The action is denied, but the model reads another reason.
    DeniedUnexplained,
    /// The action goes ahead.
    GoesAhead,
}

/// The effects of a hook that does not answer before a tool call.
#[derive(Debug, PartialEq, Eq)]
pub struct Failures {
    /// Effect of exit code 2 with a text on stderr.
    pub exit_2: Effect,
    /// Effect of exit code 2 without a text.
    pub silent_exit_2: Effect,
    /// Effect of any exit code but 0 and 2.
    pub exit_1: Effect,
    /// Effect of a hook killed by a signal.
    pub signal: Effect,
    /// Effect of a program that could not be started.
    pub missing: Effect,
    /// Effect of a hook that takes longer than its timeout.
    pub timeout: Effect,
    /// Effect of output that is not an answer.
    pub garbage: Effect,
}

/// The source of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Runs of the agent.
    Played,
    /// Only the agent's documentation or code.
    Read,
}

/// An event of an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct OnEvent {
    /// Claude Code's name of the event.
    pub name: &'static str,
    /// The agent's name of the event.
    pub own: &'static str,
    /// Source of the row.
    pub basis: Basis,
    /// Members of Claude Code's payload that the agent's payload lacks, with their JSON: `compact_summary=""`.
    pub lacks: &'static str,
    /// Values that a matcher is compared with, as pairs of the agent's word and Claude Code's: `new=startup`.
    pub words: &'static str,
    /// A member and its value, such as `prompt=`: the hook is not called for a payload with this value.
    pub except: &'static str,
    /// A member that is a list of parts in the agent's payload, and a string in Claude Code's.
    pub in_parts: &'static str,
    /// The agent's form of each part of an answer that it honors. Any other part is left out.
    pub says: &'static [(Part, Said)],
}

/// A part of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// A denial or a block: the action does not happen, or the turn goes on.
    Deny,
    /// A question to the user.
    Ask,
    /// A permission for the action.
    Allow,
    /// A replacement tool input.
    Rewrite,
    /// A replacement tool output.
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
    /// Members of a JSON object: `decision=block reason=$`. `$` is the part's text or value. A path that begins with a
    /// dot is in `hookSpecificOutput`.
    As(&'static str),
    /// Exit code 2, with the text on stderr.
    ExitCode2,
    /// The text alone, on stdout.
    Text,
    /// A denial, because the agent has nothing closer.
    Denied,
}

/// A tool of an agent.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// Claude Code's names of the tool, as used in matchers.
    pub names: &'static [&'static str],
    /// Name of the tool in the agent's payload.
    pub own: &'static str,
    /// Name of the tool in the agent's matchers; empty if it is Claude Code's.
    pub matcher: &'static str,
    /// Name of the tool for the model, and the key of its input.
    pub model: &'static str,
    /// Source of the row.
    pub basis: Basis,
    /// Form of the tool's input.
    pub input: Input,
    /// Claude Code's `tool_response`. `$` is the output, if that is a string, and `$file_path` is that member of the
    /// input.
    pub response: &'static str,
}

/// The form of the names that an agent gives to the tools of MCP servers.
#[derive(Debug, PartialEq, Eq)]
pub struct Servers {
    /// Text before the server's name.
    pub before: &'static str,
    /// Text between the server's name and the tool's.
    pub between: &'static str,
    /// Path of the server's name in a payload; empty if the name ends at the first `between`.
    pub server: &'static str,
}

/// The form of a tool's input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// An object, or a patch as text. The object's keys have other names, given as pairs of the agent's and Claude
    /// Code's: `path=file_path`.
    Keys(&'static str),
    /// A patch in this key: text that begins with `*** Begin Patch`. The patch becomes calls of `Write` and `Edit`.
    Patch(&'static str),
}

const DENY_CALL: (Part, Said) = (Part::Deny, Said::As(".permissionDecision=deny .permissionDecisionReason=$"));
const ASK: (Part, Said) = (Part::Ask, Said::As(".permissionDecision=ask .permissionDecisionReason=$"));
/// A denial for events on which the agent ignores answers, or passes all of them to the model as text.
const EXIT_2: (Part, Said) = (Part::Deny, Said::ExitCode2);
const BLOCK: (Part, Said) = (Part::Deny, Said::As("decision=block reason=$"));
const CONTEXT: (Part, Said) = (Part::Context, Said::As(".additionalContext=$"));
const MESSAGE: (Part, Said) = (Part::Message, Said::As("systemMessage=$"));
const STOP: (Part, Said) = (Part::Stop, Said::As("continue=false stopReason=$"));
/// A block after a tool, sent as context because the agent has nothing closer.
const FEEDBACK: (Part, Said) = (Part::Deny, Said::As(".additionalContext=$"));
const ASK_DENIES: (Part, Said) = (Part::Ask, Said::Denied);
const STOP_DENIES: (Part, Said) = (Part::Stop, Said::Denied);

/// Returns an event for which the agent has Claude Code's name.
const fn event(name: &'static str, says: &'static [(Part, Said)]) -> OnEvent {
    OnEvent { name, own: name, basis: Basis::Played, lacks: "", words: "", except: "", in_parts: "", says }
}

/// Returns an event with an agent's own name for it.
const fn on(name: &'static str, own: &'static str, says: &'static [(Part, Said)]) -> OnEvent {
    OnEvent { own, ..event(name, says) }
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

/// The effects for agents in which only exit code 2 with a text denies. In all other cases, the action goes ahead.
const OPEN: Failures = Failures {
    exit_2: Effect::Denied,
    silent_exit_2: Effect::GoesAhead,
    exit_1: Effect::GoesAhead,
    signal: Effect::GoesAhead,
    missing: Effect::GoesAhead,
    timeout: Effect::GoesAhead,
    garbage: Effect::GoesAhead,
};

/// A settings file with comments, which may have any keys.
const SETTINGS: HookFile = HookFile {
    path: "",
    of_user: None,
    read: "",
    of_main: false,
    also: &[],
    head: "",
    instead: None,
    form: Form::JsonWithComments,
    strict: false,
    keys: &[],
    events: "",
    root: "",
    units: 1,
    longest: None,
};

/// A limit that three agents share.
const ASK_RUNS: &str = "`ask` does not ask but lets the call run, so hookkit denies instead";
const IN_ROOT: &str = "it reads the file only in a session started in the project's root";

/// Response of Claude Code's `Bash`.
const OUTPUT: &str = r#"{"stdout":$,"stderr":"","interrupted":false}"#;
/// Response of Claude Code's `Write`.
const WRITTEN: &str =
    r#"{"type":"create","filePath":$file_path,"content":$content,"structuredPatch":[],"originalFile":null}"#;
/// Response of Claude Code's `Edit`.
const EDITED: &str = r#"{"filePath":$file_path,"oldString":$old_string,"newString":$new_string,"originalFile":null,"structuredPatch":[],"userModified":false,"replaceAll":false}"#;

impl Agent {
    /// Returns the agent with this id.
    pub fn of_id(id: &str) -> Option<&'static Self> {
        AGENTS.iter().copied().find(|agent| agent.id == id)
    }

    /// Returns the row of an event, given Claude Code's name.
    pub fn event(&self, name: &str) -> Option<&'static OnEvent> {
        self.events.iter().find(|event| event.name == name)
    }

    /// Returns the row of an event, given the agent's name.
    pub fn own_event(&self, own: &str) -> Option<&'static OnEvent> {
        self.events.iter().find(|event| event.own == own)
    }

    /// Returns the row of a tool, given its name in a payload.
    pub fn own_tool(&self, own: &str) -> Option<&'static Tool> {
        self.tools.iter().find(|tool| tool.own == own)
    }

    /// Returns the name of a tool in the agent's matchers, given Claude Code's name.
    pub fn matched(&self, name: &str) -> Option<&'static str> {
        let tool = self.tools.iter().find(|tool| tool.names.contains(&name))?;
        Some(tool.matcher).filter(|own| !own.is_empty())
    }

    /// Returns `true` if the agent's matchers have its own tool names instead of Claude Code's.
    pub fn has_own_names(&self) -> bool {
        let is_own =
            |tool: &Tool| !tool.matcher.is_empty() && !tool.names.iter().any(|name| tool.matcher.contains(name));
        self.tools.iter().any(is_own)
    }

    /// Returns `true` if a hook with this matcher can be called: one of the names may be a tool of the agent.
    pub fn calls(&self, matcher: Matcher<'_>) -> bool {
        let is_tool = |name: &str| name.contains("__") || self.tools.iter().any(|tool| tool.names.contains(&name));
        match matcher {
            Matcher::Names(_) => matcher.names().any(is_tool),
            Matcher::All | Matcher::Regex(_) => true,
        }
    }
}

/// Returns the pairs in a text such as `path=file_path file_text=content`.
pub fn pairs(row: &str) -> impl Iterator<Item = (&str, &str)> {
    row.split(' ').filter_map(|pair| pair.split_once('='))
}

impl OnEvent {
    /// Returns the agent's form of a part; `None` if the agent does not honor the part.
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
